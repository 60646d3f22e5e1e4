"""One submission being graded, whatever its assignment is."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, replace
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.course.assignment import GradedExercise
from autograder.course.cells import grade_id_of, is_answer, is_skipped
from autograder.grading.execution import Execution, KernelLost
from autograder.grading.syntax_tree import tree_digest
from autograder.grading.task import Task
from autograder.intake.rebuild import Rebuilt
from autograder.reports.cells import student_cells
from autograder.results import LOST_MESSAGES, ExerciseResult, Outcome, Result, Status
from coursekit.checks.failure import diagnosis

# What a student reads instead of values that could reveal a hidden test.
SEE = "  run this check in your notebook: it shows the values, or where the error arose"


class SubmissionGrading(ABC):
    """One submission being graded: its cells are run in order, each exercise gets its verdict."""

    def __init__(self, task: Task, rebuilt: Rebuilt) -> None:
        self._task = task
        self._rebuilt = rebuilt
        self._cells = rebuilt.notebook.cells
        self._flags = list(rebuilt.flags)
        self._log: list[str] = []
        self._hidden_has_run = False
        # Which exercise an answer cell belongs to, where the cell's name does not say it.
        notebook = task.notebook_assignment
        self._answers = notebook.answers if notebook else None
        self._execution = Execution(task, self._cells, self._flags)

    @abstractmethod
    def _decide(self, exercise: Any, index: int, verdict: Verdict) -> float | None:
        """Form the verdict on an exercise whose graded cell is the one with this index.

        Returns the points, as `Verdict.result` takes them. May raise `KernelLost`.
        """

    def run(self) -> Result:
        """Run the submission and return its `Result`."""
        graded = {exercise.check_id: exercise for exercise in self._task.definition.exercises}
        exercises: list[ExerciseResult] = []
        count = 0
        with self._execution:
            for index, cell in enumerate(self._cells):
                exercise = graded.get(grade_id_of(cell) or "")
                if exercise:
                    exercises.append(self._judge(exercise, index))
                if cell.cell_type != "code" or is_skipped(cell):
                    continue
                count += 1
                cell.execution_count = count
                if exercise and not is_answer(cell):
                    cell.outputs = _as_outputs(exercises[-1], count)
                else:
                    # What a cell shows after a hidden check could be what that passed to an answer.
                    self._execution.run(index, withhold=self._hidden_has_run)
        return self._result(exercises)

    def _judge(self, exercise: GradedExercise, index: int) -> ExerciseResult:
        verdict, started = Verdict(), time.perf_counter()
        points: float | None = 0.0
        try:
            points = self._decide(exercise, index, verdict)
        except KernelLost as lost:
            verdict.outcome = lost.outcome
            verdict.headline = f"{exercise.id}: {LOST_MESSAGES[lost.outcome]}"
        return verdict.result(exercise, time.perf_counter() - started, points)

    def _reasons_for_review(self, exercises: list[ExerciseResult]) -> list[str]:
        missing = self._rebuilt.missing
        others = missing - {exercise.exercise for exercise in exercises}
        reasons = [f"the answer cell {name} is missing or renamed" for name in sorted(others)]
        found: dict[str, list[str]] = {}
        for exercise in exercises:
            if exercise.exercise in missing:
                reasons.append(f"the answer cell of {exercise.exercise} is missing or renamed")
            elif exercise.outcome is Outcome.NOT_GRADED:
                reason = exercise.headline.removeprefix(f"{exercise.exercise}: ")
                found.setdefault(reason, []).append(exercise.exercise)
        return reasons + [f"{', '.join(names)}: {reason}" for reason, names in found.items()]

    def _seconds_of_checks(self, exercises: list[ExerciseResult]) -> float:
        """Return how long the checks took, apart from the cells."""
        return 0.0

    def _with_failed_calls(self, exercises: list[ExerciseResult]) -> list[ExerciseResult]:
        """Note with each failed answer what it calls of other answers that did not pass."""
        return exercises

    def _tree(self, exercise: ExerciseResult) -> str:
        """Return the digest of the syntax tree of what was written for an exercise."""
        return tree_digest(self._answer(exercise.exercise))

    def _answer(self, exercise: str) -> str:
        """Return the source of what was written for an exercise."""
        stubs = self._rebuilt.unanswered | self._rebuilt.missing
        sources = [
            cell.source
            for cell in self._cells
            if cell.cell_type == "code"
            and is_answer(cell)
            and grade_id_of(cell) not in stubs
            and self._exercise_of(cell) == exercise
        ]
        return "\n".join(sources)

    def _exercise_of(self, cell: NotebookNode) -> str:
        name = grade_id_of(cell) or ""
        return name if self._answers is None else self._answers.get(name, name)

    def _result(self, exercises: list[ExerciseResult]) -> Result:
        reasons = self._reasons_for_review(exercises)
        exercises = self._with_failed_calls(exercises)
        notebook = nbformat.writes(self._rebuilt.notebook)
        return Result(
            self._task.submission.student,
            self._task.assignment,
            Status.NEEDS_REVIEW if reasons else Status.GRADED,
            "; ".join(reasons),
            tuple(replace(exercise, tree=self._tree(exercise)) for exercise in exercises),
            tuple(dict.fromkeys(self._flags)),
            notebook,
            student_cells(notebook, exercises, self._answers),
            self._task.digest,
            self._task.submission.submitted_at,
            execution_seconds=self._execution.execution_seconds
            + self._seconds_of_checks(exercises),
            submission_digest=self._task.submission.digest,
            origin=self._task.submission.origin,
            log="\n".join(self._log),
            in_control_group=self._execution.in_control_group,
        )


@dataclass
class Verdict:
    """The verdict on one exercise while it is being formed."""

    outcome: Outcome = Outcome.FAILED
    headline: str = ""
    detail: str = ""
    mistake: str | None = None
    hidden: bool = False
    examples: int = 0
    right_examples: int = 0

    def result(
        self, exercise: GradedExercise, seconds: float, points: float | None = None
    ) -> ExerciseResult:
        """Return what has been found, fixed.

        Without ``points`` what has passed has all; of others the share of right examples counts,
        rounded down to half points.
        """
        if points is None and self.outcome is Outcome.PASSED:
            points = exercise.points
        elif points is None:
            halves = 2 * exercise.points * self.right_examples // max(self.examples, 1)
            points = halves / 2
        return ExerciseResult(
            exercise.id,
            exercise.check_id,
            exercise.title,
            points,
            exercise.points,
            seconds=seconds,
            **asdict(self),
        )


def _as_outputs(verdict: ExerciseResult, count: int) -> list[NotebookNode]:
    """Write a verdict down as stock nbgrader reads it: an error is zero, none is full marks.

    A number is a part of the points.
    """
    if verdict.outcome is Outcome.PASSED and verdict.points == verdict.max_points:
        return [new_output("stream", name="stdout", text=f"{verdict.exercise}: passed.\n")]
    parts = (verdict.headline, verdict.detail, diagnosis(verdict.mistake))
    text = "\n".join(part for part in parts if part)
    if 0 < verdict.points < verdict.max_points:
        data = {"text/plain": f"{verdict.points:g}"}
        return [
            new_output("stream", name="stdout", text=f"{text}\n"),
            new_output("execute_result", data=data, execution_count=count),
        ]
    return [new_output("error", ename="CheckFailure", evalue=verdict.headline, traceback=[text])]
