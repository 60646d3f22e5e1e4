"""The student's cells in a kernel, which is replaced when something ends it."""

from __future__ import annotations

import base64
import builtins
import re
import time
from collections.abc import Callable, Sequence

from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.course.cells import grade_id_of, is_graded, is_skipped
from autograder.grading.outputs import InertOutputs
from autograder.grading.suspects import Inquiry, Suspects
from autograder.grading.task import Task
from autograder.kernels.cell_result import CellResult, CellStatus
from autograder.kernels.fork_server_cache import fork_server
from autograder.kernels.imports import modules_of_setup_cells
from autograder.kernels.kernel import ForkServerError, KernelStartError
from autograder.kernels.session import EvaluationError, Session
from autograder.results import Flag, Outcome
from coursekit.checks import CheckFailure
from coursekit.checks.plain_data import MalformedReply

OUTCOME_OF_LOSS = {
    CellStatus.TIMEOUT: Outcome.TIME_LIMIT,
    CellStatus.MEMORY: Outcome.MEMORY_LIMIT,
    CellStatus.DIED: Outcome.KERNEL_DIED,
}
WRITE_FILE = """
import base64, pathlib
path = pathlib.Path({!r})
path.parent.mkdir(parents=True, exist_ok=True)
path.write_bytes(base64.b64decode({!r}))
del base64, pathlib, path
"""
# With the lines on which the command is continued.
INSTALLATION = re.compile(r"^([ \t]*)[%!](?:pip3?|conda)\b(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
WITHHELD = "[output withheld: it could reveal hidden inputs]\n"
NETWORK_ERRORS = {"URLError", "gaierror", "ConnectionRefusedError", "ConnectionError"}
# How many kernels one submission may use up.
RESTARTS = 60
# Errors that code may raise only because a cell that defines one of its helpers was skipped.
MISSING = {"NameError", "ImportError", "ModuleNotFoundError", "FileNotFoundError"}
# Of a submission's time, what must be left for its other work when a time-out is tried again.
SHARE_FOR_THE_REST = 0.5


def public_name(error: str) -> str:
    """Return an error's name as students read it; one of their own could hold what it has seen."""
    return error if hasattr(builtins, error) else "a custom exception"


def without_installations(source: str) -> str:
    """Return a cell without its commands that install packages, as notebooks for Colab have them.

    There is no network here, and all that such a command would show is the paths of this machine.
    """
    # The command may be all that its block has: `except ImportError: …`.
    return INSTALLATION.sub(r"\1pass", source)


class KernelLost(Exception):
    """The kernel ended or had to be stopped: ``outcome`` says in which way."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class ForkServerLost(RuntimeError):
    """A kernel ended with the fork server it was forked from: nothing that the student did."""


# With these the machine has failed, and not the student.
MACHINE_FAILURES = (ForkServerLost, ForkServerError, KernelStartError)


class KernelWorld:
    """The world of a submission: a kernel in another process, reached by text alone."""

    # An answer may be slow because the machine is busy with its neighbours.
    timeout_factor = 3.0

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def send(self, text: str, seconds: float | None = None) -> str:
        """Return the answer to a request, both as JSON."""
        allowed = seconds * self.timeout_factor if seconds else None
        return self._execution.evaluate(
            f"__import__('coursekit.checks.serve', fromlist=['serve']).serve({text!r})", allowed
        )


class Execution:
    """Runs the code cells of a rebuilt notebook, in order, in a kernel of their own.

    A kernel that ends is replaced, and the cells before are run again. ``lost`` maps the cells that
    ended one, or were stopped, to their outcome; they are not run again. ``errors`` has the names
    of the errors with which cells ended, ``execution_seconds`` the time spent in cells, and
    ``in_control_group`` says whether the newest kernel is in a control group of Linux. Of an
    instructor's notebook the test cells are run with what the students did not see of them.
    """

    def __init__(self, task: Task, cells: Sequence[NotebookNode], flags: list[Flag]) -> None:
        self.errors: dict[int, str] = {}
        self.execution_seconds = 0.0
        self.in_control_group = False
        self._task = task
        self._notebook_assignment = task.notebook_assignment
        self._cells = cells
        self._flags = flags
        # How many bytes of output the cells to come may still leave.
        self._room = task.limits.submission_output_bytes
        self._inert = InertOutputs()
        self._suspects = Suspects(cells)
        # Whether something was stopped in this kernel: what it had started may still be there.
        self._had_timeout = False
        self._restarts = 0
        self._deadline = time.monotonic() + task.limits.submission_seconds

    def __enter__(self) -> Execution:
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        self._session.close()

    @property
    def lost(self) -> dict[int, Outcome]:
        """The cells that ended a kernel, or were stopped, with their outcomes."""
        return self._suspects.lost

    def run(self, index: int, withhold: bool = False) -> None:
        """Run one cell and keep its outputs, unless they are to be withheld."""
        cell = self._cells[index]
        results: list[CellResult] = []
        if index in self.lost:  # an added cell, after too many of them
            return
        shown = -1
        source = without_installations(cell.source)
        try:
            self._retry_without_suspects(index, index, lambda: self._run_source(source, results))
        except KernelLost as lost:
            self._suspects.lose(index, lost.outcome)
            shown = 0  # what it did among all the other cells
        if results:
            self._keep(index, results[shown], withhold)
        if self._session.alive:
            self._suspects.unproven.append(index)
        else:
            self._restart_if_possible(index + 1)

    def test(self, index: int, source: str) -> CellResult:
        """Run a test in the kernel, in the place of cell ``index``; return its `CellResult`.

        Raises KernelLost when it is ended or stopped.
        """
        results: list[CellResult] = []
        losses: list[KernelLost] = []

        def run() -> None:
            try:
                self._run_source(source, results)
            except KernelLost as lost:
                losses.append(lost)
                raise

        self._check(index, index, run)
        result = results[-1]
        self._room -= result.output_bytes
        if result.status in OUTCOME_OF_LOSS:
            raise KernelLost(OUTCOME_OF_LOSS[result.status])
        # Without what ended the kernel it finds no answer.
        if losses and result.status is not CellStatus.OK:
            raise losses[0]
        return result

    def _run_source(self, source: str, results: list[CellResult]) -> str | None:
        """Run source in the kernel and append its `CellResult`; KernelLost when that ends it.

        Returns the name of the error that it ended with, or None.
        """
        seconds = self._seconds_left(self._task.limits.cell_seconds)
        if seconds <= 0:
            raise KernelLost(Outcome.TIME_LIMIT)
        room = max(0, min(self._task.limits.output_bytes, self._room))
        results.append(self._session.run_cell(source, seconds, room))
        self.execution_seconds += results[-1].seconds
        result = results[-1]
        self._had_timeout |= result.alive and result.status is CellStatus.TIMEOUT
        if not result.alive or result.status is CellStatus.TIMEOUT:
            raise KernelLost(OUTCOME_OF_LOSS.get(result.status, Outcome.KERNEL_DIED))
        return next((o.ename for o in result.outputs if o.output_type == "error"), None)

    def check(self, answer: int, index: int, check: Callable[[], None]) -> None:
        """Run a check of the answer in cell ``answer`` from before cell ``index``.

        When the kernel dies, or the time is over, and other cells may have brought that about, the
        check is run again without them. Raises KernelLost when it is the answer's doing.
        """
        failures: list[CheckFailure] = []

        def run() -> str | None:
            failures.clear()
            try:
                check()
            except CheckFailure as failure:
                failures.append(failure)
                raised: str | None = failure.raised
                return raised
            return None

        self._check(answer, index, run)
        if failures:
            raise failures[0]

    def _check(self, answer: int, index: int, action: Callable[[], str | None]) -> None:
        if answer in self.lost:
            raise KernelLost(self.lost[answer])
        try:
            self._retry_without_suspects(answer, index, action)
        except KernelLost:
            if not self._session.alive:
                self._restart_if_possible(index)
            raise
        finally:
            self._suspects.unproven.clear()

    def evaluate(self, expression: str, seconds: float | None) -> str:
        """Evaluate an expression in the kernel for a check; `KernelLost` when that ends it."""
        allowed = self._seconds_left(seconds or self._task.limits.call_seconds)
        if allowed <= 0:
            raise KernelLost(Outcome.TIME_LIMIT)
        try:
            return self._session.evaluate(expression, allowed)
        except EvaluationError as failed:
            self._had_timeout |= failed.status is CellStatus.TIMEOUT
            if failed.status in OUTCOME_OF_LOSS:
                raise KernelLost(OUTCOME_OF_LOSS[failed.status]) from failed
            if str(failed).startswith("KeyboardInterrupt"):
                raise CheckFailure("it raised KeyboardInterrupt") from failed
            if failed.status is CellStatus.OUTPUT:
                most = self._task.limits.reply_bytes // 10**6
                raise CheckFailure(f"it returned more than {most} MB") from failed
            # Its text is the student's process's, which knows what it was called with.
            raise MalformedReply("the call brought no reply") from failed

    # --- what ends a kernel -----------------------------------------------------------------------

    def _retry_without_suspects(
        self, cell: int, index: int, action: Callable[[], str | None]
    ) -> None:
        """Do something for a cell; when it is ended or stopped, again without the suspected cells.

        The cells before ``index`` are run again for that. When nothing helps it was the cell's own
        doing, which raises `KernelLost`, and the others are not to suffer. ``action`` returns the
        name of the error that it ended with: without a helper that was left out it cannot be
        decided, and what it lost before stands.
        """
        inquiry, loss = Inquiry(self._suspects, cell, index), None
        while True:
            had_timeout = self._had_timeout
            try:
                error = action()
                if not (inquiry.excluded and error in MISSING):
                    break
                suspects = None
            except KernelLost as lost:
                loss, alive = lost, self._session.alive
                if lost.outcome is Outcome.TIME_LIMIT:
                    least = SHARE_FOR_THE_REST * self._task.limits.submission_seconds
                    is_time_left = self._seconds_left(least) >= least
                    suspects = inquiry.after_timeout(had_timeout, alive, is_time_left)
                else:
                    suspects = inquiry.after_death(had_timeout, alive)
            if suspects is None:
                inquiry.acquit()
                if inquiry.excluded:  # what comes next needs a kernel in which they were run
                    self._session.kernel.kill()
                    self._session.kernel.wait(self._task.limits.interrupt_seconds)
                assert loss is not None  # without one nothing was excluded
                raise loss
            inquiry.exclude(suspects)
            self._restart(index)
            if cell != index and cell in self.lost:
                inquiry.acquit()
                raise KernelLost(self.lost[cell])
        inquiry.close()

    def _restart(self, index: int) -> None:
        """Start a new kernel and run the cells before ``index`` again, but for lost ones.

        Raises KernelLost when the submission has had its share of kernels.
        """
        while not self._replayed(index):
            pass

    def _restart_if_possible(self, index: int) -> None:
        try:
            self._restart(index)
        except KernelLost:
            pass  # whatever is asked of the dead kernel from now on is lost

    def _replayed(self, index: int) -> bool:
        """Run the cells before ``index`` in a new kernel; False when one of them ended it."""
        ended = self._session.kernel.poll()
        if ended and ended.orphaned:
            raise ForkServerLost("the fork server ended while this submission was graded")
        if self._restarts == RESTARTS:
            raise KernelLost(Outcome.KERNEL_DIED)
        self._restarts += 1
        self._session.close()
        self._start()
        for earlier, cell in enumerate(self._cells[:index]):
            source = self._source_again(cell)
            if source is None or earlier in self.lost:
                continue
            seconds = self._seconds_left(self._task.limits.cell_seconds)
            if seconds <= 0:
                return True
            result = self._session.run_cell(source, seconds, max_output_bytes=0)
            self.execution_seconds += result.seconds
            if not result.alive:
                self._suspects.lose(
                    earlier, OUTCOME_OF_LOSS.get(result.status, Outcome.KERNEL_DIED)
                )
                return False
            if result.status in OUTCOME_OF_LOSS:
                self.lost[earlier] = OUTCOME_OF_LOSS[result.status]
            self._had_timeout |= result.status is CellStatus.TIMEOUT
        return True

    def _source_again(self, cell: NotebookNode) -> str | None:
        """Return what of a cell is run in a new kernel, None for a text or a check of ours."""
        if cell.cell_type != "code" or is_skipped(cell):
            return None
        if not is_graded(cell):
            return without_installations(cell.source)
        # A later test may need what a test of the instructor's notebook has imported or defined.
        return (
            self._notebook_assignment.tests[str(grade_id_of(cell))]
            if self._notebook_assignment
            else None
        )

    def _start(self) -> None:
        self._had_timeout = False
        task = self._task
        modules = modules_of_setup_cells(task.released)
        server = fork_server(task.limits, task.sandboxed, modules, task.shared_directory)
        self._session = Session(server.start_kernel())
        self.in_control_group = self._session.kernel.group is not None
        if self._session.kernel.untested_ipykernel:
            self._flags.append(Flag.UNTESTED_IPYKERNEL)
        try:
            self._lay_out_files()
        except BaseException:
            self._session.close()
            raise

    def _lay_out_files(self) -> None:
        """Write the files of an instructor's own assignment beside the notebook."""
        for name, content in self._notebook_assignment.files if self._notebook_assignment else ():
            written = self._session.run_cell(WRITE_FILE.format(name, base64.b64encode(content)))
            if written.status is not CellStatus.OK:
                raise RuntimeError(f"{name} could not be laid out beside the notebook")

    def _seconds_left(self, at_most: float) -> float:
        return min(at_most, self._deadline - time.monotonic())

    # --- outputs ----------------------------------------------------------------------------------

    def _keep(self, index: int, result: CellResult, withhold: bool) -> None:
        """Keep what a cell has shown, and note what is to be flagged."""
        self._room -= result.output_bytes
        cell = self._cells[index]
        cell.outputs = [self._inert.of(output) for output in result.outputs]
        if withhold and result.outputs:
            cell.outputs = [new_output("stream", text=WITHHELD)]
        for output in result.outputs:
            if output.output_type == "error":
                self.errors[index] = public_name(output.ename)
                if output.ename in NETWORK_ERRORS:
                    self._flags.append(Flag.NETWORK)
        if result.truncated:
            self._flags.append(Flag.OUTPUT_LIMIT)
        if result.alive and result.status in OUTCOME_OF_LOSS:
            self.lost[index] = OUTCOME_OF_LOSS[result.status]
