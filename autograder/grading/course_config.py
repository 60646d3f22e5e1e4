"""What the ``nbgrader_config.py`` of a course folder sets for the autograder."""

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from traitlets.config.loader import Config, PyFileConfigLoader

from autograder.course_error import CourseError, unknown
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


SWITCHES = ("similarity_hints", "partial_credit")
TEXTS = ("language", "book")
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

    Raises `CourseError` for a setting that there is not, and for a value that it cannot have.
    """
    config, limits = _read_config(course), Limits().as_dict()
    changed: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in config[SECTION].items() if SECTION in config else ():
        if name in SWITCHES:
            if not isinstance(value, bool):
                raise _wrong_value(course, name, value, "True or False")
            others[name] = value
            continue
        if name in TEXTS:
            if not isinstance(value, str):
                raise _wrong_value(course, name, value, "a text")
            if name == "language" and value not in LANGUAGES:
                raise _wrong_value(course, name, value, " or ".join(map(repr, LANGUAGES)))
            others[name] = value
            continue
        if name not in limits:
            known = [*limits, *SWITCHES, *TEXTS]
            raise CourseError(f"{CONFIG_FILE} of {course}: {unknown('setting', name, known)}")
        kind = type(limits[name])
        if not _is_number(value, kind):
            wanted = "a whole number" if kind is int else "a number"
            raise _wrong_value(course, name, value, f"{wanted} greater than 0")
        # The digest of a mark does not change with the way in which the same number is written.
        changed[name] = kind(value)
    return Settings(replace(Limits(), **changed), **others, config=config)


def _wrong_value(course: str | Path, name: str, value: object, wanted: str) -> CourseError:
    return CourseError(f"{CONFIG_FILE} of {course}: c.{SECTION}.{name} is {value!r}; set {wanted}")


def _is_number(value: object, kind: type) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 < value < math.inf and (kind is float or value == int(value))


def describe_error(error: BaseException) -> str:
    """Return the name of an error and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"
