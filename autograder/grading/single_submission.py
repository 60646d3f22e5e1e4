"""Grades one submission outside a class: without a journal, a gradebook or a cluster."""

from pathlib import Path

from autograder.course_error import CourseError
from autograder.grading import worker
from autograder.grading.conditions import Conditions
from autograder.grading.errors import ErrorLog
from autograder.grading.plan import open_course
from autograder.intake.submissions import read_one
from autograder.kernels.kernel import ForkServerError
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import sandbox_available
from autograder.results import Result


def grade_one(
    folder: str | Path,
    assignment: str,
    path: str | Path,
    *,
    limits: Limits | None = None,
    sandboxed: bool = True,
) -> Result:
    """Grade what one student handed in, a notebook or a folder with it; return the `Result`.

    The course folder is read and not changed. Raises `CourseError` when grading itself failed:
    no mark is then known.
    """
    path, course = Path(path), open_course(folder, assignment)
    conditions = Conditions(course, limits, sandboxed)
    refusal = sandbox_available() if sandboxed else None
    if refusal:
        raise CourseError(refusal)
    if not path.exists():
        raise CourseError(f"there is no submission {path}")
    submission = read_one(path, course.released)
    try:
        result = worker.grade(conditions.task(submission, conditions.digest(submission)))
    except ForkServerError as error:
        raise CourseError(str(error)) from error
    if not result.digest:
        log = ErrorLog(course.folder)
        log.add("the submission", result.log)
        raise CourseError(f"{result.reason}; its traceback is in {log.path}")
    return result
