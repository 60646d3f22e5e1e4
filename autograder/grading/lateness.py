"""Late submissions: the penalty that a course's nbgrader configuration asks for."""

from pathlib import Path

from nbgrader.preprocessors import AssignLatePenalties
from traitlets import TraitError
from traitlets.config.loader import PyFileConfigLoader

from autograder.course.chapters import CourseError

CONFIG_FILE = "nbgrader_config.py"


class LatePolicy:
    """The late policy of a course folder, read from its ``nbgrader_config.py``.

    Without that file it is nbgrader's default, which takes nothing off. Raises `CourseError` when
    the file, or the plugin that it names, cannot be used.
    """

    def __init__(self, course: str | Path) -> None:
        config = None
        if (Path(course) / CONFIG_FILE).is_file():
            try:
                config = PyFileConfigLoader(CONFIG_FILE, path=str(course)).load_config()
            except Exception as error:  # it is the instructor's own Python
                raise CourseError(f"{CONFIG_FILE} of {course} fails: {_reason(error)}") from error
        try:
            assigned = AssignLatePenalties(config=config)
            assigned.init_plugin()
        except (TraitError, ImportError) as error:
            raise CourseError(
                f"the late policy in {CONFIG_FILE} of {course} cannot be used: {_reason(error)}"
            ) from error
        self._plugin = assigned.plugin_inst

    def penalty(self, student: str, score: float, seconds_late: float) -> float:
        """Return the points to be taken off a score, from 0 to the score, as nbgrader bounds it."""
        try:
            penalty = self._plugin.late_submission_penalty(student, score, seconds_late)
            return min(max(float(penalty or 0), 0.0), score)
        except Exception as error:  # the same
            raise CourseError(
                f"the late policy in {CONFIG_FILE} fails for {student}: {_reason(error)}"
            ) from error


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"
