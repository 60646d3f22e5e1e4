"""Grades one submission: runs its cells in a sandboxed kernel and forms the verdict outside it.

A worker is pure: the same task brings the same marks, and it writes nothing anywhere. The checks
run in this process; the student's functions live in another and are reached by stand-ins that send
and receive plain data.
"""

import ast
import builtins
import importlib
import sys
import time
import traceback
import types
from dataclasses import asdict, dataclass, replace

import nbformat
from nbformat.v4 import new_output

from autograder.checking.hidden_check import hidden_checks, salted
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.grading.execution import (
    NETWORK_ERRORS,
    Execution,
    ForkServerLost,
    KernelLost,
    KernelWorld,
    grade_id_of,
    is_skipped,
)
from autograder.intake.entries import Rejected
from autograder.intake.rebuild import rebuild
from autograder.kernels.kernel import ForkServerError, KernelStartError
from autograder.reports.cells import own_cells
from autograder.results import ExerciseResult, Flag, Outcome, Result, Status
from coursekit.checks import CheckFailure, silenced
from coursekit.checks.exchange import MalformedReply, StandIn, diagnosis

SEE = "  run this check in your notebook: it shows the values"
# A submission that loses its fork server, or whose kernel does not start, is graded once more.
TRIES = 2


def grade(task):
    """Grade one submission and return its `Result`, whatever happens.

    Only a machine on which no submission can be graded raises an error here, `ForkServerError`.
    """
    # TensorFlow greets on stderr when the reference first uses it; a bar is being drawn there.
    sys.modules.setdefault("keras", ImportedWhenUsed("keras"))
    with silenced(None), salted(task.digest):
        for tries_left in reversed(range(TRIES)):
            try:
                return _grade(task)
            except (ForkServerLost, KernelStartError) as error:
                if not tries_left:
                    return ungraded(task, error)
            except ForkServerError:
                raise
            except (Exception, SystemExit) as error:
                return ungraded(task, error)


class ImportedWhenUsed(types.ModuleType):
    """Stands for a module until something of it is used.

    References import Keras, which takes as long as grading several submissions, and most checks
    never call what needs it.
    """

    def __getattr__(self, name):
        if name.startswith("__") and name != "__path__":  # those who look through all modules
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def _grade(task):
    started = time.perf_counter()
    chapter = task.definition
    try:
        if task.submission.rejected:
            raise task.submission.rejected
        rebuilt = rebuild(task.submission.content, nbformat.reads(task.released, as_version=4))
    except Rejected as rejected:
        result = result_without_run(
            task,
            chapter,
            rejected.status,
            rejected.reason,
            Outcome.NOT_GRADED,
            flags=tuple(rejected.flags),
        )
    else:
        if rebuilt.answered:
            grading = _OwnGrading if task.own else _Grading
            result = grading(task, chapter, rebuilt).run()
        else:
            result = result_without_run(
                task,
                chapter,
                Status.NO_RESPONSE,
                "no answer was written",
                Outcome.NOT_WRITTEN,
                flags=tuple(rebuilt.flags),
                notebook=nbformat.writes(rebuilt.notebook),
            )
    if task.submission.late:
        result = result.flagged(Flag.LATE)
    if not task.sandboxed:
        result = result.flagged(Flag.NO_SANDBOX)
    return replace(result, seconds=time.perf_counter() - started)


def _other_assignment(grade_ids):
    """Say in one sentence what a notebook is that has none of an assignment's answer cells."""
    for stem in chapter_stems():
        if grade_ids & {exercise.id for exercise in load_chapter(stem).exercises}:
            return f"this is the notebook of another assignment, {stem}"
    return "the notebook has none of the assignment's answer cells"


def result_without_run(task, chapter, status, reason, outcome, **facts):
    """Return the result of a submission that was not run: no points, and why."""
    exercises = tuple(
        ExerciseResult(e.id, e.check_id, e.title, 0.0, e.points, outcome) for e in chapter.exercises
    )
    facts = {"digest": task.digest} | facts
    return Result(
        task.submission.student,
        task.assignment,
        status,
        reason,
        exercises,
        submitted_at=task.submission.submitted_at,
        submission_digest=task.submission.digest,
        origin=task.submission.origin,
        **facts,
    )


def ungraded(task, error):
    """Return the result of a submission whose grading itself failed: to be looked at, no points."""
    reason = f"grading it failed: {type(error).__name__}: {error}".splitlines()[0][:300]
    return result_without_run(
        task,
        task.definition,
        Status.NEEDS_REVIEW,
        reason,
        Outcome.NOT_GRADED,
        # Without a digest it is no answer to this submission: the next run grades it again.
        digest="",
        # Of a long chain of errors the last one, where it arose.
        log="".join(traceback.format_exception(error, limit=-30, chain=False))[-20_000:],
    )


class _Grading:
    """One submission being graded."""

    def __init__(self, task, chapter, rebuilt):
        self._task = task
        self._chapter = chapter
        self._rebuilt = rebuilt
        self._cells = rebuilt.notebook.cells
        self._flags = list(rebuilt.flags)
        self._log = []
        self._check_seconds = 0.0
        self._hidden_has_run = False
        self._execution = Execution(task, self._cells, self._flags)

    def run(self):
        graded = {exercise.check_id: exercise for exercise in self._chapter.exercises}
        exercises, count = [], 0
        with self._execution:
            for index, cell in enumerate(self._cells):
                exercise = graded.get(grade_id_of(cell))
                is_answer = cell.metadata.get("nbgrader", {}).get("solution", False)
                if exercise:
                    exercises.append(self._judge(exercise, index))
                if cell.cell_type != "code" or is_skipped(cell):
                    continue
                count += 1
                cell.execution_count = count
                if exercise and not is_answer:
                    cell.outputs = [self._as_output(exercises[-1], count)]
                else:
                    # What a cell shows after a hidden check could be what that passed to an answer.
                    self._execution.run(index, withhold=self._hidden_has_run)
        return self._result(exercises)

    def _as_output(self, verdict, count):
        return _as_output(verdict)

    def _own_cells(self, notebook, exercises):
        return own_cells(notebook, exercises)

    def _reasons_for_review(self, exercises):
        missing = self._rebuilt.missing
        answers = [c for c in self._cells if c.metadata.get("nbgrader", {}).get("solution")]
        if answers and len(missing) == len(answers):
            return [_other_assignment(self._rebuilt.strangers)]
        others = missing - {exercise.exercise for exercise in exercises}
        reasons = [f"the answer cell {name} is missing or renamed" for name in sorted(others)]
        found = {}
        for exercise in exercises:
            if exercise.exercise in missing:
                reasons.append(f"the answer cell of {exercise.exercise} is missing or renamed")
            elif exercise.outcome is Outcome.NOT_GRADED:
                found.setdefault(exercise.headline, []).append(exercise.exercise)
        return reasons + [f"{', '.join(names)}: {words}" for words, names in found.items()]

    def _result(self, exercises):
        reasons = self._reasons_for_review(exercises)
        notebook = nbformat.writes(self._rebuilt.notebook)
        return Result(
            self._task.submission.student,
            self._task.assignment,
            Status.NEEDS_REVIEW if reasons else Status.GRADED,
            "; ".join(reasons),
            tuple(exercises),
            tuple(dict.fromkeys(self._flags)),
            notebook,
            self._own_cells(notebook, exercises),
            self._task.digest,
            self._task.submission.submitted_at,
            pure_seconds=self._execution.pure_seconds + self._check_seconds,
            submission_digest=self._task.submission.digest,
            origin=self._task.submission.origin,
            log="\n".join(self._log),
            in_control_group=self._execution.in_control_group,
        )

    def _judge(self, exercise, index):
        verdict = _Verdict()
        started = time.perf_counter()
        answer = next(i for i, cell in enumerate(self._cells) if grade_id_of(cell) == exercise.id)
        world = KernelWorld(self._execution)
        works = [StandIn(world, {"object": name}, name) for name in exercise.names]
        try:
            self._execution.check(answer, index, lambda: self._check(exercise, works, verdict))
        except CheckFailure as failure:
            if verdict.hidden:
                failure = failure.without_detail()
            elif self._hidden_has_run and failure.detail:
                failure = CheckFailure(failure.headline, SEE, failure.mistake, failure.raised)
            self._word(exercise, verdict, failure, answer)
        except KernelLost as lost:
            verdict.outcome = lost.outcome
            verdict.headline = f"{exercise.id}: {LOST_WORDS[lost.outcome]}"
        except (ForkServerLost, ForkServerError, KernelStartError):
            raise
        except MalformedReply as error:
            verdict.outcome = Outcome.NOT_GRADED
            verdict.headline = f"what came back cannot be read ({error})"
        except Exception as error:  # a check that cannot digest an answer must not decide on it
            verdict.outcome = Outcome.NOT_GRADED
            verdict.headline = f"the check could not be completed ({type(error).__name__})"
            self._log.append("".join(traceback.format_exception(error, limit=-30))[-20_000:])
        else:
            verdict.outcome = Outcome.PASSED
            verdict.hidden = False
        seconds = time.perf_counter() - started
        self._check_seconds += seconds
        return verdict.result(exercise, seconds)

    def _check(self, exercise, works, verdict):
        chapter = self._chapter
        for module, hidden in ((chapter.checks, False), (hidden_checks(chapter.stem), True)):
            verdict.hidden = hidden
            try:
                getattr(module, exercise.id).judge(*works)
            finally:
                self._hidden_has_run |= hidden

    def _word(self, exercise, verdict, failure, answer):
        verdict.headline = failure.headline
        verdict.detail = failure.detail
        verdict.mistake = failure.mistake
        if failure.raised == "NotImplementedError":
            verdict.outcome = Outcome.NOT_WRITTEN
        elif failure.raised == "MemoryError":
            verdict.outcome = Outcome.MEMORY_LIMIT
        elif failure.raised in NETWORK_ERRORS:
            self._flags.append(Flag.NETWORK)
        elif failure.raised == "NameError" and answer in self._execution.errors:
            ended_with = self._execution.errors[answer]
            verdict.headline = f"{exercise.id}: its cell ended with {ended_with}"


class _OwnGrading(_Grading):
    """One submission of an own assignment being graded: its tests run in the student's kernel."""

    def _own_cells(self, notebook, exercises):
        return own_cells(notebook, exercises, self._chapter.answers)

    def _as_output(self, verdict, count):
        if 0 < verdict.points < verdict.max_points:  # nbgrader reads a part of the points so
            data = {"text/plain": f"{verdict.points:g}"}
            return new_output("execute_result", data, execution_count=count)
        return _as_output(verdict)

    def _judge(self, exercise, index):
        verdict, started = _Verdict(), time.perf_counter()
        points = 0.0
        if exercise.by_hand:
            self._leave_to_a_person(index, verdict)
        else:
            try:
                points = self._test(exercise, index, verdict)
            except KernelLost as lost:
                verdict.outcome = lost.outcome
                verdict.headline = f"{exercise.id}: {LOST_WORDS[lost.outcome]}"
        result = verdict.result(exercise, time.perf_counter() - started)
        return replace(result, points=points)

    def _leave_to_a_person(self, index, verdict):
        if grade_id_of(self._cells[index]) in self._rebuilt.unanswered:
            verdict.outcome, verdict.headline = Outcome.NOT_WRITTEN, "no answer was written"
        else:
            verdict.outcome, verdict.headline = Outcome.NOT_GRADED, "to be marked by hand"

    def _test(self, exercise, index, verdict):
        """Run a test cell, form its verdict and return the points."""
        source, shown = self._chapter.tests[exercise.id], self._cells[index].source
        has_hidden = source.split() != shown.split()
        self._hidden_has_run |= has_hidden
        result = self._execution.test(index, source)
        verdict.hidden = has_hidden and result.status != "ok" and self._passes(index, shown)
        if result.status == "ok":
            return self._points(exercise, source, result, verdict)
        name = next((o.ename for o in result.outputs if o.output_type == "error"), "")
        name = name if hasattr(builtins, name) else "an error of its own"
        verdict.headline = f"{exercise.id}: its test ended with {name}"
        if not self._hidden_has_run:
            # What is shown once hidden tests have run could be what they have passed to an answer.
            verdict.detail = "\n".join(
                f"  {o.ename}: {o.evalue}" for o in result.outputs if o.output_type == "error"
            )
        elif not verdict.hidden:
            verdict.detail = SEE
        return 0.0

    def _passes(self, index, source):
        """Return whether the part of a test that students can run themselves passes."""
        try:
            return self._execution.test(index, source).status == "ok"
        except KernelLost:
            return False

    def _points(self, exercise, source, result, verdict):
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


def _number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def _ends_with_expression(source):
    try:
        body = ast.parse(source).body
    except SyntaxError:  # it has commands of IPython's
        return True
    return bool(body) and isinstance(body[-1], ast.Expr)


@dataclass
class _Verdict:
    """The verdict on one exercise while it is being formed."""

    outcome: Outcome = Outcome.FAILED
    headline: str = ""
    detail: str = ""
    mistake: str | None = None
    hidden: bool = False

    def result(self, exercise, seconds):
        """Return what has been found, fixed."""
        return ExerciseResult(
            exercise.id,
            exercise.check_id,
            exercise.title,
            exercise.points if self.outcome is Outcome.PASSED else 0.0,
            exercise.points,
            seconds=seconds,
            **asdict(self),
        )


LOST_WORDS = {
    Outcome.TIME_LIMIT: "it did not end within the time allowed",
    Outcome.MEMORY_LIMIT: "it asked for more memory than is allowed",
    Outcome.KERNEL_DIED: "it ended the Python process it ran in",
}


def _as_output(verdict):
    """Write a verdict down as stock nbgrader reads it: an error is zero, none is full marks."""
    if verdict.outcome is Outcome.PASSED:
        return new_output("stream", name="stdout", text=f"{verdict.exercise}: passed.\n")
    parts = (verdict.headline, verdict.detail, diagnosis(verdict.mistake))
    text = "\n".join(part for part in parts if part)
    return new_output("error", ename="CheckFailure", evalue=verdict.headline, traceback=[text])
