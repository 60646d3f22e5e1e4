"""Grades a submission for an instructor's own notebook: its tests run in the student's kernel."""

import ast
import re

from autograder.course.cells import grade_id_of
from autograder.course.notebook_assignment import NotebookAssignment, NotebookExercise
from autograder.grading.execution import KernelLost, public_name
from autograder.grading.submission import SEE, SubmissionGrading, Verdict
from autograder.grading.task import Task
from autograder.intake.rebuild import Rebuilt
from autograder.kernels.cell_result import CellResult, CellStatus
from autograder.results import NO_ANSWER, Outcome

# How NumPy 2 shows a number.
NUMPY_NUMBER = re.compile(r"np\.(?:float|int|uint)\d+\((.+)\)")


class NotebookTestGrading(SubmissionGrading):
    """One submission for an instructor's own notebook being graded."""

    def __init__(self, task: Task, rebuilt: Rebuilt, assignment: NotebookAssignment) -> None:
        super().__init__(task, rebuilt)
        self._tests = assignment.tests

    def _decide(self, exercise: NotebookExercise, index: int, verdict: Verdict) -> float:
        if not exercise.by_hand:
            return self._test(exercise, index, verdict)
        self._leave_to_a_person(index, verdict)
        return 0.0

    def _leave_to_a_person(self, index: int, verdict: Verdict) -> None:
        if grade_id_of(self._cells[index]) in self._rebuilt.unanswered:
            verdict.outcome, verdict.headline = Outcome.NOT_WRITTEN, NO_ANSWER
        else:
            verdict.outcome, verdict.headline = Outcome.NOT_GRADED, "to be marked by hand"

    def _test(self, exercise: NotebookExercise, index: int, verdict: Verdict) -> float:
        """Run a test cell, form its verdict and return the points."""
        source, shown = self._tests[exercise.id], self._cells[index].source
        has_hidden = source.split() != shown.split()
        self._hidden_has_run |= has_hidden
        result = self._execution.test(index, source)
        if result.status is CellStatus.OK:
            return self._points(exercise, source, result, verdict)
        verdict.hidden = has_hidden and self._passes(index, shown)
        name = next((o.ename for o in result.outputs if o.output_type == "error"), "")
        verdict.headline = f"{exercise.id}: its test ended with {public_name(name)}"
        if not self._hidden_has_run:
            # What is shown once hidden tests have run could be what they have passed to an answer.
            verdict.detail = "\n".join(
                f"  {o.ename}: {o.evalue}" for o in result.outputs if o.output_type == "error"
            )
        elif not verdict.hidden:
            verdict.detail = SEE
        return 0.0

    def _passes(self, index: int, source: str) -> bool:
        """Return whether the part of a test that students can run themselves passes."""
        try:
            return self._execution.test(index, source).status is CellStatus.OK
        except KernelLost:
            return False

    def _points(
        self, exercise: NotebookExercise, source: str, result: CellResult, verdict: Verdict
    ) -> float:
        """Return the points of a test that has passed: all, or the number that it ends with."""
        verdict.outcome = Outcome.PASSED
        values = [o for o in result.outputs if o.output_type == "execute_result"]
        points = None
        if values and _ends_with_expression(source):
            points = _number(values[-1].data.get("text/plain"))
        if points is None or points == exercise.points:
            return exercise.points
        verdict.outcome = Outcome.FAILED
        verdict.headline = f"{exercise.id}: its test gives {points:g} of {exercise.points:g} points"
        if not 0 <= points <= exercise.points:  # not a number, too
            verdict.outcome = Outcome.NOT_GRADED
            return 0.0
        return points


def _number(text: str) -> float | None:
    try:
        return float(NUMPY_NUMBER.sub(r"\1", text))
    except (TypeError, ValueError):
        return None


def _ends_with_expression(source: str) -> bool:
    try:
        body = ast.parse(source).body
    except SyntaxError:  # it has commands of IPython's
        return True
    return bool(body) and isinstance(body[-1], ast.Expr)
