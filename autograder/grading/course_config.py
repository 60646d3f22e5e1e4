"""What the ``nbgrader_config.py`` of a course folder sets for the autograder."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from traitlets.config.loader import Config, PyFileConfigLoader

from autograder.course.chapters import CourseError, unknown
from autograder.kernels.limits import Limits

CONFIG_FILE = "nbgrader_config.py"
# Its section: c.Autograder.memory_mb = 8192
SECTION = "Autograder"


def read_config(course: str | Path) -> Config:
    """Return nbgrader's configuration of a course folder, empty without the file.

    Raises `CourseError` when the file, which is the instructor's own Python, fails.
    """
    if not (Path(course) / CONFIG_FILE).is_file():
        return Config()
    try:
        config: Config = PyFileConfigLoader(CONFIG_FILE, path=str(course)).load_config()
    except Exception as error:
        raise CourseError(f"{CONFIG_FILE} of {course} fails: {describe_error(error)}") from error
    return config


def read_limits(course: str | Path) -> Limits:
    """Return the `Limits` of a course's submissions: those that its configuration sets, the rest.

    Raises `CourseError` for a limit that there is not, and for what is not a number.
    """
    config, known = read_config(course), Limits().as_dict()
    changed: dict[str, Any] = {}
    for name, value in config[SECTION].items() if SECTION in config else ():
        if name not in known:
            raise CourseError(f"{CONFIG_FILE} of {course}: {unknown('limit', name, known)}")
        kind = type(known[name])
        if not _is_number(value, kind):
            wanted = "a whole number" if kind is int else "a number"
            raise CourseError(
                f"{CONFIG_FILE} of {course}: c.{SECTION}.{name} is {value!r}; "
                f"set {wanted} greater than 0"
            )
        # The digest of a mark does not change with the way in which the same number is written.
        changed[name] = kind(value)
    return replace(Limits(), **changed)


def _is_number(value: object, kind: type) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 < value < math.inf and (kind is float or value == int(value))


def describe_error(error: BaseException) -> str:
    """Return the name of an error and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"
