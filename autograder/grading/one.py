"""Grades one submission outside a class: without a journal, a gradebook or a cluster."""

from pathlib import Path

from autograder.course.chapters import CourseError
from autograder.course.notebook_assignment import load_assignment
from autograder.grading import worker
from autograder.grading.digest import source_digest
from autograder.grading.errors import ErrorLog
from autograder.grading.run import own_part, released_notebook, submission_digest
from autograder.grading.task import Task
from autograder.intake import submissions
from autograder.kernels.kernel import ForkServerError
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import sandbox_available


def grade_one(course, assignment, path, *, limits=None, sandboxed=True):
    """Grade what one student handed in, a notebook or a folder with it; return the `Result`.

    The course folder is read and not changed. Raises `CourseError` when grading itself failed:
    no mark is then known.
    """
    course, path, limits = Path(course), Path(path), limits or Limits()
    chapter = load_assignment(course, assignment)
    released, own = released_notebook(course, chapter), own_part(chapter, sandboxed)
    refusal = sandbox_available() if sandboxed else None
    if refusal:
        raise CourseError(refusal)
    if not path.exists():
        raise CourseError(f"there is no submission {path}")
    submission = submissions.handed_in(path, released)
    source = source_digest(released, assignment, limits, sandboxed, own)
    digest = submission_digest(source, submission)
    task = Task(submission, assignment, released, digest, limits, sandboxed, own=own)
    try:
        result = worker.grade(task)
    except ForkServerError as error:
        raise CourseError(str(error)) from error
    if not result.digest:
        log = ErrorLog(course)
        log.add("the submission", result.log)
        raise CourseError(f"{result.reason}; its traceback is in {log.path}")
    return result
