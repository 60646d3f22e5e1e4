"""Grades one submission: runs its cells in a sandboxed kernel and forms the verdict outside it.

A worker is pure: the same task brings the same marks, and it writes nothing anywhere. The checks
run in this process; the student's functions live in another and are reached by stand-ins that send
and receive plain data.
"""

import builtins
import importlib
import sys
import time
import traceback
import types
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import nbformat
from nbformat.v4 import new_output

from autograder.course.chapters import load_chapter
from autograder.course.release import source_notebook
from autograder.grading.results import ExerciseResult, Flag, Outcome, Result, Status
from autograder.hidden import salted
from autograder.intake.entries import Rejected
from autograder.intake.rebuild import rebuild
from autograder.intake.submissions import Submission
from autograder.kernels.fork_server import ForkServer
from autograder.kernels.limits import Limits
from autograder.kernels.session import EvaluationError, Session
from coursekit.checks import CheckFailure, silenced
from coursekit.checks.exchange import MalformedReply, StandIn, diagnosis

LOST = {
    "timeout": Outcome.TIME_LIMIT,
    "memory": Outcome.MEMORY_LIMIT,
    "died": Outcome.KERNEL_DIED,
}
WITHHELD = "[output withheld: it could reveal hidden inputs]\n"
SEE = "  run this check in your notebook: it shows the values"
NETWORK_ERRORS = {"URLError", "gaierror", "ConnectionRefusedError", "ConnectionError"}


@dataclass(frozen=True)
class Task:
    """All that a worker needs to grade one submission, on whichever machine it runs."""

    submission: Submission
    assignment: str
    released: str
    digest: str
    limits: Limits
    sandboxed: bool
    fork_server: Path | None = None
    """Where a fork server runs that the coordinator shares with its own workers."""


def grade(task):
    """Grade one submission and return its `Result`; nothing that it does raises an error here."""
    # TensorFlow greets on stderr when the reference first uses it; a bar is being drawn there.
    sys.modules.setdefault("keras", ImportedWhenUsed("keras"))
    with silenced(None), salted(task.digest):
        return _grade(task)


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
    chapter = load_chapter(task.assignment)
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
            result = _Grading(task, chapter, rebuilt).run()
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
    if not task.sandboxed:
        result = result.flagged(Flag.NO_SANDBOX)
    return replace(result, seconds=time.perf_counter() - started)


def result_without_run(task, chapter, status, reason, outcome, **facts):
    """Return the result of a submission that was not run: no points, and why."""
    exercises = tuple(
        ExerciseResult(e.id, e.check_id, e.title, 0.0, e.points, outcome) for e in chapter.exercises
    )
    return Result(
        task.submission.student,
        task.assignment,
        status,
        reason,
        exercises,
        digest=task.digest,
        submitted_at=task.submission.submitted_at,
        submission_digest=task.submission.digest,
        **facts,
    )


@cache
def fork_server(limits, sandboxed, lender=None):
    """Return this process's maker of kernels; unless lent, it starts with the first one."""
    return ForkServer(limits, sandboxed, lender=lender)


class KernelWorld:
    """The world of a submission: a kernel in another process, reached by text alone."""

    # An answer may be slow because the machine is busy with its neighbours.
    patience = 3.0

    def __init__(self, grading):
        self._grading = grading

    def send(self, text, seconds=None):
        allowed = seconds * self.patience if seconds else None
        return self._grading.evaluate(
            f"__import__('coursekit.checks.exchange', fromlist=['serve']).serve({text!r})", allowed
        )


class KernelLost(Exception):
    """The kernel ended or had to be stopped while a check was looking at an answer."""

    def __init__(self, outcome):
        super().__init__(outcome)
        self.outcome = outcome


class ForkServerLost(RuntimeError):
    """A kernel ended with the fork server it was forked from: nothing that the student did."""


class _Grading:
    """One submission being graded."""

    def __init__(self, task, chapter, rebuilt):
        self._task = task
        self._chapter = chapter
        self._rebuilt = rebuilt
        self._cells = rebuilt.notebook.cells
        self._flags = list(rebuilt.flags)
        self._lost = {}
        self._errors = {}
        self._log = []
        self._pure_seconds = 0.0
        self._count = 0
        self._hidden_has_run = False
        # How many bytes of output the cells to come may still leave.
        self._room = task.limits.submission_output_bytes
        # Cells run since the last check: when the kernel dies in the next, it may be their doing.
        self._unproven = []
        # Whether something was stopped in this kernel: what it had started may still be there.
        self._disturbed = False
        self._session = None
        self._deadline = time.monotonic() + task.limits.submission_seconds

    def run(self):
        graded = {exercise.check_id: exercise for exercise in self._chapter.exercises}
        sources = _graded_sources(self._chapter.stem)
        exercises = []
        try:
            self._start()
            for index, cell in enumerate(self._cells):
                if cell.cell_type != "code":
                    continue
                grade_id = _grade_id(cell)
                if grade_id in graded:
                    verdict = self._judge(graded[grade_id], index)
                    exercises.append(verdict)
                    cell.source = sources[grade_id]
                    cell.outputs = [_as_output(verdict)]
                else:
                    self._execute(index, cell)
                self._count += 1
                cell.execution_count = self._count
        finally:
            if self._session:
                self._session.close()
        return self._result(exercises)

    def _result(self, exercises):
        reasons = []
        for exercise in exercises:
            if exercise.exercise in self._rebuilt.missing:
                reasons.append(f"the answer cell of {exercise.exercise} is missing or renamed")
            elif exercise.outcome is Outcome.NOT_GRADED:
                reasons.append(f"{exercise.exercise}: {exercise.headline}")
        return Result(
            self._task.submission.student,
            self._task.assignment,
            Status.NEEDS_REVIEW if reasons else Status.GRADED,
            "; ".join(reasons),
            tuple(exercises),
            tuple(dict.fromkeys(self._flags)),
            nbformat.writes(self._rebuilt.notebook),
            self._task.digest,
            self._task.submission.submitted_at,
            pure_seconds=self._pure_seconds,
            submission_digest=self._task.submission.digest,
            log="\n".join(self._log),
        )

    # --- the student's cells ---------------------------------------------------------------------

    def _start(self):
        self._disturbed = False
        task = self._task
        self._session = Session(
            fork_server(task.limits, task.sandboxed, task.fork_server).start_kernel()
        )

    def _execute(self, index, cell):
        """Run one cell and keep its outputs; a kernel that it ends is replaced."""
        seconds = self._seconds_left(self._task.limits.cell_seconds)
        if seconds <= 0:
            self._lost[index] = Outcome.TIME_LIMIT
            return
        limits = self._task.limits
        room = max(0, min(limits.output_bytes, self._room))
        result = self._session.run_cell(cell.source, seconds, room)
        self._pure_seconds += result.seconds
        if not result.alive and self._disturbed:
            self._restart(index)
            return self._execute(index, cell)
        self._room -= result.kept
        # What a cell shows after a hidden check could be what the check passed to an answer.
        withhold = self._hidden_has_run and result.outputs
        cell.outputs = [new_output("stream", text=WITHHELD)] if withhold else result.outputs
        for output in result.outputs:
            if output.output_type == "error":
                built_in = hasattr(builtins, output.ename)
                self._errors[index] = output.ename if built_in else "an error of its own"
                if output.ename in NETWORK_ERRORS:
                    self._flags.append(Flag.NETWORK)
        if result.truncated:
            self._flags.append(Flag.OUTPUT_LIMIT)
        if result.status in LOST:
            self._lost[index] = LOST[result.status]
        if result.alive:
            self._unproven.append(index)
            self._disturbed |= result.status == "timeout"
        else:
            self._restart(index)

    def _restart(self, index):
        """Start a new kernel and run again what came before, but for cells that ended one."""
        if self._session.kernel.poll().orphaned:
            raise ForkServerLost("the fork server ended while this submission was graded")
        self._session.close()
        self._start()
        for earlier, cell in enumerate(self._cells[:index]):
            if cell.cell_type == "code" and earlier not in self._lost and not _is_graded(cell):
                seconds = self._seconds_left(self._task.limits.cell_seconds)
                if seconds <= 0:
                    return
                self._pure_seconds += self._session.run_cell(cell.source, seconds).seconds
                if not self._session.alive:
                    self._lost[earlier] = Outcome.KERNEL_DIED
                    self._restart(index)
                    return

    def _seconds_left(self, at_most):
        return min(at_most, self._deadline - time.monotonic())

    def evaluate(self, expression, seconds):
        """Evaluate an expression in the kernel for a check; `KernelLost` when that ends it."""
        allowed = self._seconds_left(seconds or self._task.limits.call_seconds)
        if allowed <= 0:
            raise KernelLost(Outcome.TIME_LIMIT)
        try:
            return self._session.evaluate(expression, allowed)
        except EvaluationError as failed:
            self._disturbed |= failed.status == "timeout"
            if failed.status in LOST:
                raise KernelLost(LOST[failed.status]) from failed
            if str(failed).startswith("KeyboardInterrupt"):
                raise CheckFailure("it raised KeyboardInterrupt") from failed
            # Its text is the student's process's, which knows what it was called with.
            raise MalformedReply("the call brought no reply") from failed

    # --- the verdict -----------------------------------------------------------------------------

    def _judge(self, exercise, index):
        verdict = _Verdict()
        started = time.perf_counter()
        answer = next(i for i, cell in enumerate(self._cells) if _grade_id(cell) == exercise.id)
        if answer in self._lost:
            verdict.lose(exercise, self._lost[answer])
            return verdict.result(exercise)
        world = KernelWorld(self)
        works = [StandIn(world, {"object": name}, name) for name in exercise.names]
        try:
            self._check_until_decided(exercise, works, verdict, answer, index)
        except CheckFailure as failure:
            if verdict.hidden:
                failure = failure.without_detail()
            elif self._hidden_has_run and failure.detail:
                failure = CheckFailure(failure.headline, SEE, failure.mistake, failure.raised)
            self._word(exercise, verdict, failure, answer)
        except KernelLost as lost:
            verdict.lose(exercise, lost.outcome)
            if not self._session.alive:
                self._restart(index)
        except ForkServerLost:
            raise
        except MalformedReply as error:
            verdict.outcome = Outcome.NOT_GRADED
            verdict.headline = f"what came back cannot be read ({error})"
        except Exception as error:  # a check that cannot digest an answer must not decide on it
            verdict.outcome = Outcome.NOT_GRADED
            verdict.headline = f"the check could not be completed ({type(error).__name__})"
            self._log.append("".join(traceback.format_exception(error)))
        else:
            verdict.outcome = Outcome.PASSED
            verdict.hidden = False
        self._unproven.clear()
        seconds = time.perf_counter() - started
        self._pure_seconds += seconds
        return verdict.result(exercise, seconds)

    def _check(self, exercise, works, verdict):
        for module, hidden in ((self._chapter.checks, False), (self._chapter.hidden, True)):
            verdict.hidden = hidden
            try:
                getattr(module, exercise.id).judge(*works)
            finally:
                self._hidden_has_run |= hidden

    def _check_until_decided(self, exercise, works, verdict, answer, index):
        """Check; when the kernel dies and other cells may have killed it, again without those."""
        while True:
            try:
                return self._check(exercise, works, verdict)
            except KernelLost as lost:
                if lost.outcome is Outcome.TIME_LIMIT or not self._set_suspects_aside(
                    answer, index
                ):
                    raise
                self._restart(index)

    def _set_suspects_aside(self, answer, index):
        """Leave out what ran since the last check or, after that, every cell the student added.

        First of all a cell that was stopped: it is left out already, but not in this kernel.
        """
        if self._disturbed:
            return True
        since = [i for i in self._unproven if i != answer and i not in self._lost]
        added = [
            i
            for i, cell in enumerate(self._cells[:index])
            if cell.cell_type == "code" and not _grade_id(cell) and i not in self._lost
        ]
        suspects = since or added
        self._lost |= dict.fromkeys(suspects, Outcome.KERNEL_DIED)
        return bool(suspects)

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
        elif failure.raised == "NameError" and answer in self._errors:
            verdict.headline = f"{exercise.id}: its cell ended with {self._errors[answer]}"


@dataclass
class _Verdict:
    """The verdict on one exercise while it is being formed."""

    outcome: Outcome = Outcome.FAILED
    headline: str = ""
    detail: str = ""
    mistake: str | None = None
    hidden: bool = False

    def lose(self, exercise, outcome):
        """Note that the answer ended or exhausted what it ran in."""
        self.outcome = outcome
        self.headline = f"{exercise.id}: {LOST_WORDS[outcome]}"

    def result(self, exercise, seconds=0.0):
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


@cache
def _graded_sources(stem):
    """Return the graded cells of a chapter with their hidden part, by `grade_id`."""
    cells = source_notebook(load_chapter(stem)).cells
    return {_grade_id(cell): cell.source for cell in cells if _is_graded(cell)}


def _grade_id(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def _is_graded(cell):
    return cell.metadata.get("nbgrader", {}).get("grade", False)


def _as_output(verdict):
    """Write a verdict down as stock nbgrader reads it: an error is zero, none is full marks."""
    if verdict.outcome is Outcome.PASSED:
        return new_output("stream", name="stdout", text=f"{verdict.exercise}: passed.\n")
    parts = (verdict.headline, verdict.detail, diagnosis(verdict.mistake))
    text = "\n".join(part for part in parts if part)
    return new_output("error", ename="CheckFailure", evalue=verdict.headline, traceback=[text])
