"""Grades one submission by itself: nothing is stored, and there is no cluster."""

import sys
from dataclasses import replace
from pathlib import Path

from autograder.course_error import CourseError
from autograder.grading import worker
from autograder.grading.conditions import Conditions, require_sandbox
from autograder.grading.course import Course, Options, open_course
from autograder.grading.errors import ErrorLog, disk_errors
from autograder.grading.handed_in import ALL_COUNT, is_superseded
from autograder.grading.journal import ReadJournal
from autograder.grading.plan import plan
from autograder.grading.task import Task
from autograder.intake.submissions import read_one
from autograder.kernels.kernel import ForkServerError
from autograder.results import Result


def grade_one(
    folder: str | Path, assignment: str, path: str | Path, *, sandboxed: bool = True
) -> Result:
    """Grade what one student handed in, a notebook or a folder with it; return the `Result`.

    The course folder is only read, but for the log of errors of our own; where that cannot be
    written, they go to stderr. Raises `CourseError` when grading itself failed: no mark is then
    known.
    """
    path, course = Path(path), open_course(folder, assignment)
    conditions = Conditions(course, sandboxed)
    if sandboxed:
        require_sandbox()
    if not path.exists():
        raise CourseError(f"there is no submission {path}")
    submission = read_one(path, course.released)
    task = conditions.task(submission, conditions.digest(submission))
    return _graded(task, course, "a single submission")


def explain(folder: str | Path, assignment: str, student: str, *, sandboxed: bool = True) -> Result:
    """Grade a student's submission once more; the `Result` is not stored.

    The hidden checks draw the same inputs as when the class was graded, with the sandbox or without
    it, and the details of their failures are kept. The course folder is only read, as by
    `grade_one`. Raises `CourseError` when there is no submission, or grading itself failed.
    """
    if sandboxed:
        require_sandbox()
    course = open_course(folder, assignment)
    options = Options(students=[student], regrade=True, allow_older=True, sandboxed=sandboxed)
    with disk_errors(course.folder), ErrorLog(course.folder).one_line():
        journal = ReadJournal(course.folder, course.stem)
        (task,) = plan(course, options, journal).tasks
    about = f"the submission of {task.submission.student}"
    result = _graded(replace(task, keeps_hidden_values=True), course, about)
    superseded = (journal.uncounted(task.submission.student) or ALL_COUNT).superseded
    if is_superseded(task.submission, superseded):
        reasons = "a newer submission could not be read; this is the older one", result.reason
        result = replace(result, reason="; ".join(filter(None, reasons)))
    return result


def _graded(task: Task, course: Course, about: str) -> Result:
    """Return the result of a task, or raise `CourseError` when grading itself failed.

    ``about`` says in the log whose submission it is.
    """
    try:
        result = worker.grade(task)
    except ForkServerError as error:
        raise CourseError(str(error)) from error
    kept = _keep(about, result.log, ErrorLog(course.folder)) if result.log else ""
    if not result.digest:
        raise CourseError(result.reason + kept)
    return result


def _keep(about: str, text: str, log: ErrorLog) -> str:
    """Write a traceback into the log, or on stderr if the log cannot be written; say where."""
    try:
        log.add(about, text)
    except OSError:
        print(text.rstrip(), file=sys.stderr)
        return "; its traceback is above"
    return f"; its traceback is in {log.path}"
