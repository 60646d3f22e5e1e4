"""Late submissions: the penalty that a course's nbgrader configuration asks for.

`gradebook.py` takes it off the marks.
"""

import contextlib
import math
import sys
from collections.abc import Iterator
from pathlib import Path

from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config.loader import Config

from autograder.course_error import CourseError, unknown
from autograder.grading.course_config import CONFIG_FILE, LATE_SECTIONS
from autograder.grading.errors import describe_error


class LatePolicy:
    """The late policy that the ``nbgrader_config.py`` of a course folder sets.

    Without that file it is nbgrader's default, which takes nothing off. A plugin of one's own lies
    in the course folder, as for nbgrader's commands. Raises `CourseError` when it cannot be used,
    and for an unknown setting.
    """

    def __init__(self, course: str | Path, config: Config) -> None:
        self._course = course
        try:
            with _importable(course):
                assigned = AssignLatePenalties(config=config)
                assigned.init_plugin()
        except Exception as error:  # it is the instructor's own Python
            reason = describe_error(error)
            raise CourseError(
                f"the late policy in {CONFIG_FILE} of {course} cannot be used: {reason}"
            ) from error
        self._plugin = assigned.plugin_inst
        for section, of in zip(LATE_SECTIONS, (assigned, self._plugin), strict=True):
            for name in config[section] if section in config else ():
                if not of.has_trait(name):
                    wrong = unknown("setting", name, of.trait_names(config=True))
                    raise CourseError(f"{CONFIG_FILE} of {course}, c.{section}: {wrong}")

    def penalty(self, student: str, score: float, seconds_late: float) -> float:
        """Return the points to be taken off a score, from 0 to the score, as nbgrader bounds it."""
        try:
            with _importable(self._course):
                penalty = self._plugin.late_submission_penalty(student, score, seconds_late)
            points = float(penalty or 0)
            if math.isnan(points):
                raise ValueError("the penalty is not a number")
            return min(max(points, 0.0), score)
        except Exception as error:  # it is the instructor's own Python
            raise CourseError(
                f"the late policy in {CONFIG_FILE} fails for {student}: {describe_error(error)}"
            ) from error


@contextlib.contextmanager
def _importable(course: str | Path) -> Iterator[None]:
    """Have the modules of a course folder found behind all others."""
    place = str(Path(course).resolve())
    if place in sys.path:
        yield
        return
    sys.path.append(place)
    try:
        yield
    finally:
        sys.path.remove(place)
