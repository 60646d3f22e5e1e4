"""What is handed in and graded: what the course's chapters and an instructor's notebooks share."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class GradedExercise(Protocol):
    """What has points in an assignment, a chapter's `Exercise` or a `NotebookExercise`."""

    @property
    def id(self) -> str:
        """The name that results and reports have for it."""

    @property
    def check_id(self) -> str:
        """The `grade_id` of the cell whose points it is."""

    @property
    def title(self) -> str: ...

    @property
    def points(self) -> float: ...

    @property
    def lesson(self) -> str:
        """The heading under which its idea is taught, "" where there is no lesson."""


class Assignment:
    """An assignment, either a `Chapter` or a `NotebookAssignment`.

    ``opening`` is its first text, and ``notebook`` the stem of its notebook's file. Where
    ``checks_run_outside_kernel`` is not true, the tests run in the student's own process, so they
    protect less.
    """

    stem: str
    notebook: str
    opening: str
    exercises: tuple[GradedExercise, ...]
    checks_run_outside_kernel: bool

    @property
    def title(self) -> str:
        return self.opening.partition("\n")[0].lstrip("# ").removesuffix(": the exercises")

    @property
    def points(self) -> float:
        """The points of all exercises together."""
        return sum(exercise.points for exercise in self.exercises)

    def release_command(self, course: str | Path = "…") -> str:
        """Say what an instructor types to make the notebook that students are given."""
        if self.checks_run_outside_kernel:
            return f"autograder release {self.stem} --course {course}"
        # nbgrader works in the folder in which it is called.
        return f"cd {course} && nbgrader generate_assignment {self.stem}"
