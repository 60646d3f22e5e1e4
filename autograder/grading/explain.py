"""Grades one submission again for the instructor's eyes: with the values of hidden checks."""

from dataclasses import replace
from pathlib import Path

from autograder.course_error import CourseError
from autograder.grading import worker
from autograder.grading.conditions import require_sandbox
from autograder.grading.plan import Options, preview_course
from autograder.kernels.kernel import ForkServerError
from autograder.results import Result


def explain(folder: str | Path, assignment: str, student: str) -> Result:
    """Grade what a student has handed in once more and return the `Result`, which is not stored.

    The hidden checks draw the same inputs as when the class was graded, and the details of their
    failures are kept. Raises `CourseError` when there is no submission, or grading itself failed.
    """
    require_sandbox()
    plan = preview_course(folder, assignment, Options(students=[student], regrade=True))
    (task,) = plan.tasks
    try:
        result = worker.grade(replace(task, keeps_hidden_values=True))
    except ForkServerError as error:
        raise CourseError(str(error)) from error
    if not result.digest:
        raise CourseError(result.reason)
    return result
