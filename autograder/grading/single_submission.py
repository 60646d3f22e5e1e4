"""Grades one submission outside a class: without a journal, a gradebook or a cluster."""

from pathlib import Path

from autograder.course.chapters import CourseError
from autograder.grading import worker
from autograder.grading.course_config import read_settings
from autograder.grading.digest import Foundations
from autograder.grading.errors import ErrorLog
from autograder.grading.plan import assignment_for_workers, open_course
from autograder.grading.task import Task
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
    settings = read_settings(folder)
    limits = limits or settings.limits
    definition = assignment_for_workers(course.assignment, sandboxed)
    partial_credit = settings.partial_credit and definition is None
    refusal = sandbox_available() if sandboxed else None
    if refusal:
        raise CourseError(refusal)
    if not path.exists():
        raise CourseError(f"there is no submission {path}")
    submission = read_one(path, course.released)
    foundations = Foundations(
        course.released, assignment, limits, sandboxed, definition, partial_credit
    )
    task = Task(
        submission,
        assignment,
        course.released,
        foundations.digest(submission),
        limits,
        sandboxed,
        notebook_assignment=definition,
        partial_credit=partial_credit,
    )
    try:
        result = worker.grade(task)
    except ForkServerError as error:
        raise CourseError(str(error)) from error
    if not result.digest:
        log = ErrorLog(course.folder)
        log.add("the submission", result.log)
        raise CourseError(f"{result.reason}; its traceback is in {log.path}")
    return result
