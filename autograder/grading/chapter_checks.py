"""Grades a submission for a chapter: the checks run in this process, on stand-ins.

The student's functions live in a kernel and are reached by text alone.
"""

import ast
from dataclasses import replace

from nbformat import NotebookNode

from autograder.checking.hidden_check import hidden_checks
from autograder.course.cells import grade_id_of
from autograder.course.chapters import Exercise, load_chapter
from autograder.grading.errors import traceback_of
from autograder.grading.execution import (
    MACHINE_FAILURES,
    NETWORK_ERRORS,
    KernelLost,
    KernelWorld,
)
from autograder.grading.submission import SEE, SubmissionGrading, Verdict
from autograder.grading.syntax_tree import REFUSALS
from autograder.results import (
    ENDED_EARLY,
    WRITTEN_ABOVE,
    WRITTEN_BELOW,
    ExerciseResult,
    Flag,
    Outcome,
)
from coursekit.checks import CheckFailure
from coursekit.checks.cells import defines
from coursekit.checks.examples import Tally, counting
from coursekit.checks.plain_data import MalformedReply
from coursekit.checks.stand_in import StandIn


class ChapterGrading(SubmissionGrading):
    """One submission for a chapter being graded."""

    def _decide(self, exercise: Exercise, index: int, verdict: Verdict) -> None:
        answer = next(i for i, cell in enumerate(self._cells) if grade_id_of(cell) == exercise.id)
        world = KernelWorld(self._execution)
        stand_ins = [StandIn(world, {"object": name}, name) for name in exercise.names]
        try:
            self._execution.check(answer, index, lambda: self._check(exercise, stand_ins, verdict))
        except CheckFailure as failure:
            if not self._task.keeps_hidden_values:
                failure = self._without_hidden_values(failure, verdict.hidden)
            self._record_failure(exercise, verdict, failure, answer, index)
            if self._task.partial_credit and verdict.outcome is Outcome.FAILED:
                self._count_examples(exercise, stand_ins, verdict, answer, index)
        except (KernelLost, *MACHINE_FAILURES):
            raise
        except MalformedReply as error:
            verdict.outcome = Outcome.NOT_GRADED
            verdict.headline = f"what came back cannot be read ({error})"
        except Exception as error:  # a check that cannot digest an answer must not decide on it
            verdict.outcome = Outcome.NOT_GRADED
            verdict.headline = f"the check could not be completed ({type(error).__name__})"
            self._log.append(traceback_of(error))
        else:
            verdict.outcome = Outcome.PASSED
            verdict.hidden = False

    def _without_hidden_values(self, failure: CheckFailure, is_hidden: bool) -> CheckFailure:
        """Return a failure as a student may read it; an answer may repeat what it has met."""
        if is_hidden:
            return failure.without_detail()
        if self._hidden_has_run and failure.detail:
            return CheckFailure(failure.headline, SEE, failure.mistake, failure.raised)
        return failure

    def _check(self, exercise: Exercise, stand_ins: list[StandIn], verdict: Verdict) -> None:
        visible = load_chapter(self._task.assignment).checks
        for module, hidden in ((visible, False), (hidden_checks(self._task.assignment), True)):
            verdict.hidden = hidden
            try:
                getattr(module, exercise.id).judge(*stand_ins)
            finally:
                self._hidden_has_run |= hidden

    def _count_examples(
        self,
        exercise: Exercise,
        stand_ins: list[StandIn],
        verdict: Verdict,
        answer: int,
        index: int,
    ) -> None:
        """Run the checks again, count the right examples, and note them in the verdict.

        Where a check requires more than examples, or cannot go on without a right one, there is no
        share of the points.
        """
        tallies: list[Tally] = []

        def count() -> None:
            with counting() as tally:
                tallies.append(tally)
                self._check(exercise, stand_ins, Verdict())

        try:
            self._execution.check(answer, index, count)
        except MACHINE_FAILURES:
            raise
        except (KernelLost, CheckFailure, MalformedReply):  # the verdict stands: no points
            return
        except Exception as error:  # it stands as well where the check itself cannot go on
            self._log.append(traceback_of(error))
            return
        tally = tallies[-1]
        if tally.right_values:
            verdict.examples = tally.examples
            # One was wrong before, even if the answer gives something else at every call.
            verdict.right_examples = min(tally.right, tally.examples - 1)

    def _record_failure(
        self,
        exercise: Exercise,
        verdict: Verdict,
        failure: CheckFailure,
        answer: int,
        index: int,
    ) -> None:
        verdict.headline = failure.headline
        verdict.detail = failure.detail
        verdict.mistake = failure.mistake
        is_absent = failure.raised in ("NotImplementedError", "NameError")
        # Below the check, where it has passed if the cells were run in another order. What stands
        # in another cell than its own may be right, so a person decides.
        if is_absent and self._is_written_in(self._cells[index + 1 :], exercise):
            self._flags.append(Flag.ANSWER_BELOW)
            verdict.outcome = Outcome.NOT_GRADED
            verdict.headline = f"{exercise.id}: {WRITTEN_BELOW}"
            verdict.detail = ""
        elif failure.raised == "NotImplementedError":
            verdict.outcome = Outcome.NOT_WRITTEN
            stubs = ", ".join(_stubs(self._cells[answer].source))
            verdict.detail = f"  still to be written: {stubs}" if stubs else ""
            # Of a missing cell, which may be there under another name, other words are said.
            is_there = exercise.id not in self._rebuilt.missing
            if is_there and self._is_written_in(self._cells[:answer], exercise):
                self._flags.append(Flag.ANSWER_ABOVE)
                verdict.outcome = Outcome.NOT_GRADED
                verdict.headline = f"{exercise.id}: {WRITTEN_ABOVE}"
                verdict.detail = ""
        elif failure.raised == "MemoryError":
            verdict.outcome = Outcome.MEMORY_LIMIT
        elif failure.raised in NETWORK_ERRORS:
            self._flags.append(Flag.NETWORK)
        elif failure.raised == "NameError" and answer in self._execution.errors:
            ended_with = self._execution.errors[answer]
            verdict.headline = f"{exercise.id}: {ENDED_EARLY.replace('{1}', ended_with)}"
            # That a name is not defined is no mistake of its own: the cell's own error says why.
            verdict.detail, verdict.mistake = "", None

    def _seconds_of_checks(self, exercises: list[ExerciseResult]) -> float:
        return sum(exercise.seconds for exercise in exercises)

    def _with_failed_calls(self, exercises: list[ExerciseResult]) -> list[ExerciseResult]:
        chapter = load_chapter(self._task.assignment)
        names = {each.id: each.names for each in chapter.exercises}
        failed = {
            name: exercise.exercise
            for exercise in exercises
            if exercise.outcome is not Outcome.PASSED
            for name in names[exercise.exercise]
        }
        noted = []
        for exercise in exercises:
            used = _names_in(self._answer(exercise.exercise))
            others = [n for n, owner in failed.items() if n in used and owner != exercise.exercise]
            if exercise.outcome is Outcome.FAILED and others:
                exercise = replace(exercise, failed_calls=", ".join(others))
            noted.append(exercise)
        return noted

    def _is_written_in(self, cells: list[NotebookNode], exercise: Exercise) -> bool:
        """Say whether one of these cells defines what the exercise asks for."""
        sources = [cell.source for cell in cells if cell.cell_type == "code"]
        return any(defines(source, exercise.names) for source in sources)


def _stubs(source: str) -> list[str]:
    """List the functions of a cell, and the methods with their classes, that are still stubs.

    They are read, not run, so their names hold nothing that a hidden check has passed to them.
    """
    try:
        tree = ast.parse(source)
    except REFUSALS:  # what has run is another cell
        return []
    functions = [
        (f"{part.name}.{each.name}" if isinstance(part, ast.ClassDef) else each.name, each)
        for part in tree.body
        for each in (part.body if isinstance(part, ast.ClassDef) else [part])
        if isinstance(each, ast.FunctionDef)
    ]
    return [name for name, each in functions if _is_stub(each)]


def _names_in(source: str) -> set[str]:
    """Return the names that a cell reads."""
    try:
        tree = ast.parse(source)
    except REFUSALS:  # a magic, or nothing that has run
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _is_stub(function: ast.FunctionDef) -> bool:
    return ast.unparse(function.body[-1]).startswith("raise NotImplementedError")
