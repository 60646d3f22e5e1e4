"""What the coordinator hands to a worker."""

from dataclasses import dataclass
from pathlib import Path

from autograder.course.assignment import Assignment
from autograder.course.chapters import load_chapter
from autograder.course.notebook_assignment import NotebookAssignment
from autograder.intake.submissions import Submission
from autograder.kernels.limits import Limits


@dataclass(frozen=True)
class Task:
    """All that a worker needs to grade one submission, on whichever machine it runs."""

    submission: Submission
    assignment: str
    released: str
    digest: str
    limits: Limits
    sandboxed: bool
    shared_directory: Path | None = None
    """That of a fork server which the coordinator shares with its own workers."""
    notebook_assignment: NotebookAssignment | None = None
    """The assignment, unless it is a chapter, which the worker loads itself."""
    files_digest: str = ""
    """What identifies the files that the mark rests on, "" where the worker has no other copy."""
    partial_credit: bool = False
    """Whether the share of right examples gives a share of the points; in chapters alone."""
    keeps_hidden_values: bool = False
    """Whether the details of hidden checks are kept: the result is for an instructor alone."""

    @property
    def definition(self) -> Assignment:
        """What the assignment is."""
        return self.notebook_assignment or load_chapter(self.assignment)
