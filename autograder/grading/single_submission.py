"""Grades one submission by itself: nothing is stored, and there is no cluster."""

import sys
from dataclasses import replace
from pathlib import Path

from autograder.course_error import CourseError
from autograder.grading import worker
from autograder.grading.conditions import Conditions, require_sandbox
from autograder.grading.course import Course, Options, open_course, opened_journal
from autograder.grading.errors import ErrorLog
from autograder.grading.plan import plan
from autograder.grading.task import Task
from autograder.intake.submissions import read_one
from autograder.kernels.kernel import ForkServerError
from autograder.kernels.limits import Limits
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

    The course folder is only read, but for the log of errors of our own; where that cannot be
    written, they go to stderr. Raises `CourseError` when grading itself failed: no mark is then
    known.
    """
    path, course = Path(path), open_course(folder, assignment)
    conditions = Conditions(course, limits, sandboxed)
    if sandboxed:
        require_sandbox()
    if not path.exists():
        raise CourseError(f"there is no submission {path}")
    submission = read_one(path, course.released)
    return _graded(conditions.task(submission, conditions.digest(submission)), course)


def explain(folder: str | Path, assignment: str, student: str) -> Result:
    """Grade what a student of a class has handed in once more; the `Result` is not stored.

    The hidden checks draw the same inputs as when the class was graded, and the details of their
    failures are kept. Raises `CourseError` when there is no submission, or grading itself failed.
    """
    require_sandbox()
    course = open_course(folder, assignment)
    options = Options(students=[student], regrade=True, allow_older=True)
    with opened_journal(course) as journal:
        (task,) = plan(course, options, journal).tasks
    return _graded(replace(task, keeps_hidden_values=True), course)


def _graded(task: Task, course: Course) -> Result:
    """Return the result of a task, or raise `CourseError` when grading itself failed."""
    try:
        result = worker.grade(task)
    except ForkServerError as error:
        raise CourseError(str(error)) from error
    kept = _keep(result.log, ErrorLog(course.folder)) if result.log else ""
    if not result.digest:
        raise CourseError(result.reason + kept)
    return result


def _keep(text: str, log: ErrorLog) -> str:
    """Write a traceback into the log, or on stderr if the log cannot be written; say where."""
    try:
        log.add("the submission", text)
    except OSError:
        print(text.rstrip(), file=sys.stderr)
        return "; its traceback is above"
    return f"; its traceback is in {log.path}"
