"""The conditions under which an assignment is graded, alike for a class and a single submission."""

from autograder.course.assignment import Assignment
from autograder.course.notebook_assignment import NotebookAssignment
from autograder.course_error import CourseError, reason_of
from autograder.grading.course import Course
from autograder.grading.digest import MarkDigest
from autograder.grading.task import Task
from autograder.intake.submissions import Submission
from autograder.kernels.sandbox import sandbox_available


class Conditions:
    """The conditions under which the submissions of one assignment are graded."""

    def __init__(self, course: Course, sandboxed: bool) -> None:
        settings = course.settings
        self._course = course
        self._limits = settings.limits
        self._sandboxed = sandboxed
        self._definition = _for_workers(course.assignment, sandboxed)
        self._partial_credit = settings.partial_credit and self._definition is None
        self._rests_on = MarkDigest(
            released=course.released,
            stem=course.stem,
            limits=self._limits,
            sandboxed=sandboxed,
            assignment=self._definition,
            partial_credit=self._partial_credit,
        )

    def digest(self, submission: Submission) -> str:
        """Identify a submission together with all that its mark rests on."""
        return self._rests_on.digest(submission)

    def task(self, submission: Submission, digest: str, elsewhere: bool = False) -> Task:
        """Return the task of grading a submission, whose digest is known.

        A worker ``elsewhere`` has its own copy of the repository, which must be the same as ours.
        """
        return Task(
            submission=submission,
            assignment=self._course.stem,
            released=self._course.released,
            digest=digest,
            limits=self._limits,
            sandboxed=self._sandboxed,
            notebook_assignment=self._definition,
            files_digest=self._rests_on.files_digest(submission) if elsewhere else "",
            partial_credit=self._partial_credit,
        )


def require_sandbox() -> None:
    """Raise `CourseError` when submissions cannot be sandboxed on this machine."""
    try:
        refusal = sandbox_available()
    except OSError as error:
        raise CourseError(
            f"the sandbox cannot be set up: {reason_of(error)} ({error.filename}); fix this and "
            "run it again"
        ) from error
    if refusal:
        raise CourseError(refusal)


def _for_workers(assignment: Assignment, sandboxed: bool) -> NotebookAssignment | None:
    """Return what workers must be sent of an assignment: a chapter they load themselves."""
    if not isinstance(assignment, NotebookAssignment):
        return None
    if assignment.files and not sandboxed:
        raise CourseError(
            f"{assignment.stem} has files beside its notebook, which are laid out in the sandbox; "
            "it cannot be graded without one"
        )
    return assignment
