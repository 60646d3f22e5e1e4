"""What the ``nbgrader_config.py`` of a course folder sets for the autograder."""

import math
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from traitlets.config.loader import Config, PyFileConfigLoader

from autograder.course_error import CourseError, unknown
from autograder.grading.errors import describe_error
from autograder.kernels.limits import Limits
from coursekit.languages import ENGLISH, LOCALES

CONFIG_FILE = "nbgrader_config.py"
# Its section: c.Autograder.memory_mb = 8192
SECTION = "Autograder"
# nbgrader's, which decide on a penalty.
LATE_SECTIONS = ("AssignLatePenalties", "LateSubmissionPlugin")


@dataclass(frozen=True)
class Settings:
    """What a course folder sets for the autograder.

    ``limits`` are those of a submission. ``similarity_hints`` says whether the class report names
    pairs of students whose answers agree more than chance explains, and ``partial_credit`` whether
    an exercise of a chapter gives points for the share of its examples that came out right.
    ``language`` is that of the feedback, and ``book`` the address of the book to which it links, ""
    without one. ``config`` is the whole configuration, of which nbgrader's plugins take their part.
    """

    limits: Limits = Limits()
    similarity_hints: bool = False
    partial_credit: bool = False
    language: str = ENGLISH
    book: str = ""
    config: Config = field(default_factory=Config, compare=False, repr=False)


# The others are what a course folder may set, and so are the fields of `Limits`.
_NOT_SET_BY_NAME = ("limits", "config")
LANGUAGES = (ENGLISH, *LOCALES)


def _read_config(course: str | Path) -> Config:
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


def read_settings(course: str | Path) -> Settings:
    """Return the `Settings` of a course: those that its configuration has, and the defaults.

    Raises `CourseError` for an unknown setting, and for a value that a setting cannot have.
    """
    config, limits = _read_config(course), Limits().as_dict()
    others = {one.name: one.default for one in fields(Settings) if one.name not in _NOT_SET_BY_NAME}
    defaults: dict[str, Any] = limits | others
    found = dict(defaults)
    for name, value in config[SECTION].items() if SECTION in config else ():
        if name not in defaults:
            raise CourseError(f"{CONFIG_FILE} of {course}: {unknown('setting', name, defaults)}")
        if wanted := _wanted(name, defaults[name], value):
            raise CourseError(
                f"{CONFIG_FILE} of {course}: c.{SECTION}.{name} is {value!r}; set {wanted}"
            )
        # The digest of a mark does not change with the way in which the same number is written.
        found[name] = type(defaults[name])(value)
    return Settings(
        Limits(**{name: found[name] for name in limits}),
        **{name: found[name] for name in others},
        config=config,
    )


def _wanted(name: str, default: object, value: object) -> str:
    """Say what a setting of this default may be, "" if a value is that."""
    if isinstance(default, bool):
        return "" if isinstance(value, bool) else "True or False"
    if isinstance(default, str):
        if not isinstance(value, str):
            return "a text"
        is_known = name != "language" or value in LANGUAGES
        return "" if is_known else " or ".join(map(repr, LANGUAGES))
    kind = type(default)
    wanted = "a whole number" if kind is int else "a number"
    return "" if _is_number(value, kind) else f"{wanted} greater than 0"


def _is_number(value: object, kind: type) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 < value < math.inf and (kind is float or value == int(value))
