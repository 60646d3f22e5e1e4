"""The student's cells in a kernel, which is replaced when something ends it."""

import base64
import builtins
import time
from functools import cache

from nbformat.v4 import new_output

from autograder.course.chapters import SKIPPED
from autograder.grading.outputs import InertOutputs
from autograder.kernels.cell_result import CellStatus
from autograder.kernels.fork_server import ForkServer
from autograder.kernels.imports import modules_of_setup_cells
from autograder.kernels.session import EvaluationError, Session
from autograder.results import Flag, Outcome
from coursekit.checks import CheckFailure
from coursekit.checks.exchange import MalformedReply

__all__ = ["Execution", "ForkServerLost", "KernelLost", "KernelWorld", "fork_server"]

LOST = {
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
WITHHELD = "[output withheld: it could reveal hidden inputs]\n"
NETWORK_ERRORS = {"URLError", "gaierror", "ConnectionRefusedError", "ConnectionError"}
# A notebook may add a thousand cells that each end the kernel. After so many of them no added cell
# is run any more: answers do not pay for them.
DEATHS_OF_ADDED_CELLS = 5
RESTARTS = 60
# With these ends what needs a helper of a cell that has been set aside.
MISSING = {"NameError", "ImportError", "ModuleNotFoundError", "FileNotFoundError"}
# Of a submission's time, what must be left for its other work when a time-out is tried again.
SHARE_FOR_THE_REST = 0.5


class KernelLost(Exception):
    """The kernel ended or had to be stopped: ``outcome`` says in which way."""

    def __init__(self, outcome):
        super().__init__(outcome)
        self.outcome = outcome


class ForkServerLost(RuntimeError):
    """A kernel ended with the fork server it was forked from: nothing that the student did."""


@cache
def fork_server(limits, sandboxed, modules, shared_directory):
    """Return this process's fork server; unless shared, it starts with the first kernel."""
    return ForkServer(limits, sandboxed, modules, shared_directory)


class KernelWorld:
    """The world of a submission: a kernel in another process, reached by text alone."""

    # An answer may be slow because the machine is busy with its neighbours.
    patience = 3.0

    def __init__(self, execution):
        self._execution = execution

    def send(self, text, seconds=None):
        allowed = seconds * self.patience if seconds else None
        return self._execution.evaluate(
            f"__import__('coursekit.checks.exchange', fromlist=['serve']).serve({text!r})", allowed
        )


class Execution:
    """Runs the code cells of a rebuilt notebook, in order, in a kernel of their own.

    A kernel that ends is replaced, and the cells before are run again. ``lost`` maps the cells that
    ended one, or were stopped, to their outcome; they are not run again. ``errors`` has the names
    of the errors with which cells ended, ``execution_seconds`` the time spent in cells, and
    ``in_control_group`` says whether the newest kernel is in a control group of Linux. Of an own
    assignment the test cells are run with what the students did not see of them.
    """

    def __init__(self, task, cells, flags):
        self.lost = {}
        self.errors = {}
        self.execution_seconds = 0.0
        self.in_control_group = False
        self._task = task
        self._own = task.notebook_assignment
        self._cells = cells
        self._flags = flags
        # How many bytes of output the cells to come may still leave.
        self._room = task.limits.submission_output_bytes
        self._inert = InertOutputs()
        # Cells run since the last check: when the kernel dies in the next, it may be their doing.
        self._unproven = []
        # Whether something was stopped in this kernel: what it had started may still be there.
        self._disturbed = False
        self._restarts = 0
        self._deaths_of_added_cells = 0
        self._session = None
        self._deadline = time.monotonic() + task.limits.submission_seconds

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *error):
        if self._session:
            self._session.close()

    def run(self, index, withhold=False):
        """Run one cell and keep its outputs, unless they are to be withheld."""
        cell, results = self._cells[index], []
        if index in self.lost:  # an added cell, after too many of them
            return
        shown = -1
        try:
            self._until_decided(index, index, lambda: self._run_source(cell.source, results))
        except KernelLost as lost:
            self._lose(index, lost.outcome)
            shown = 0  # what it did among all the other cells
        if results:
            self._keep(index, results[shown], withhold)
        if self._session.alive:
            self._unproven.append(index)
        else:
            self._restart_if_possible(index + 1)

    def test(self, index, source):
        """Run a test in the kernel, in the place of cell ``index``; return its `CellResult`.

        Raises KernelLost when it is ended or stopped.
        """
        results, losses = [], []

        def run():
            try:
                self._run_source(source, results)
            except KernelLost as lost:
                losses.append(lost)
                raise

        self._check(index, index, run)
        result = results[-1]
        self._room -= result.output_bytes
        if result.status in LOST:
            raise KernelLost(LOST[result.status])
        if losses and result.status != "ok":  # without what ended the kernel it finds no answer
            raise losses[0]
        return result

    def _run_source(self, source, results):
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
        self._disturbed |= result.alive and result.status == "timeout"
        if not result.alive or result.status == "timeout":
            raise KernelLost(LOST.get(result.status, Outcome.KERNEL_DIED))
        return next((o.ename for o in result.outputs if o.output_type == "error"), None)

    def check(self, answer, index, check):
        """Run a check of the answer in cell ``answer`` from before cell ``index``.

        When the kernel dies, or the time is over, and other cells may have brought that about, the
        check is run again without them. Raises KernelLost when it is the answer's doing.
        """
        failures = []

        def run():
            failures.clear()
            try:
                check()
            except CheckFailure as failure:
                failures.append(failure)
                return failure.raised

        self._check(answer, index, run)
        if failures:
            raise failures[0]

    def _check(self, answer, index, act):
        if answer in self.lost:
            raise KernelLost(self.lost[answer])
        try:
            self._until_decided(answer, index, act)
        except KernelLost:
            if not self._session.alive:
                self._restart_if_possible(index)
            raise
        finally:
            self._unproven.clear()

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
            if failed.status == "output":
                most = self._task.limits.reply_bytes // 10**6
                raise CheckFailure(f"it returned more than {most} MB") from failed
            # Its text is the student's process's, which knows what it was called with.
            raise MalformedReply("the call brought no reply") from failed

    # --- what ends a kernel -----------------------------------------------------------------------

    def _until_decided(self, own, index, act):
        """Do ``act``; when it is ended or stopped, again without the cells that may have done that.

        The cells before ``index`` are run again for that. When a kernel has died, first without
        what ran since the last check, then without every added cell, at last without anything but
        our cells and the cell ``own`` itself; when its time was over, without what was stopped
        before, then without every added cell, one of which may keep the kernel busy. When nothing
        helps it was its own doing, and the others are not to suffer. ``act`` returns the name of
        the error that it ended with: without a helper that was set aside there is no telling, and
        what it lost before stands.
        """
        aside, loss = set(), None
        levels = [self._since_last_check, self._added, self._students]
        if _is_added(self._cells[own]):
            levels.clear()
        while True:
            disturbed = self._disturbed
            try:
                error = act()
                if not (aside and error in MISSING):
                    break
                suspects = None
            except KernelLost as lost:
                loss = lost
                if lost.outcome is not Outcome.TIME_LIMIT:
                    suspects = self._may_have_killed(levels, own, index, disturbed)
                else:
                    suspects = self._may_have_delayed(own, index, disturbed)
            if suspects is None:
                self._bring_back(aside)
                if aside:  # what comes next needs a kernel in which they were run
                    self._session.kernel.kill()
                    self._session.kernel.wait(self._task.limits.interrupt_seconds)
                raise loss
            aside |= suspects
            self.lost |= dict.fromkeys(suspects, Outcome.KERNEL_DIED)
            self._restart(index)
            if own != index and own in self.lost:
                self._bring_back(aside)
                raise KernelLost(self.lost[own])
        # The answers among them may be needed by later ones; added cells had their chance.
        self._bring_back({i for i in aside if not _is_added(self._cells[i])})

    def _may_have_killed(self, levels, own, index, disturbed):
        """Return the next cells to set aside after a death, None when it was its own doing."""
        suspects = set()
        while levels and not suspects and not disturbed:
            suspects = set(levels.pop(0)(own, index)) - self.lost.keys()
        return None if self._session.alive or not (suspects or disturbed) else suspects

    def _may_have_delayed(self, own, index, disturbed):
        """Return the cells to set aside after a time-out, None when it was its own doing."""
        if own == index and disturbed and not self._session.alive:
            return set()
        least = SHARE_FOR_THE_REST * self._task.limits.submission_seconds
        if _is_added(self._cells[own]) or self._seconds_left(least) < least:
            return None
        # Later tests may need what an own assignment's test had defined when it was stopped.
        if _is_graded(self._cells[own]):
            return None
        # What was stopped in this kernel, and is not run again, may have left something running.
        return set() if disturbed else set(self._added(own, index)) - self.lost.keys() or None

    def _since_last_check(self, own, index):
        return [i for i in self._unproven if i != own and _is_students(self._cells[i])]

    def _added(self, own, index):
        return [i for i in range(index) if i != own and _is_added(self._cells[i])]

    def _students(self, own, index):
        return [i for i in range(index) if i != own and _is_students(self._cells[i])]

    def _bring_back(self, cells):
        too_many = self._deaths_of_added_cells >= DEATHS_OF_ADDED_CELLS
        for index in cells:
            if not (too_many and _is_added(self._cells[index])):
                self.lost.pop(index, None)

    def _lose(self, index, outcome):
        """Note that a cell ended its kernel or was stopped; it is not run again."""
        self.lost[index] = outcome
        if outcome is Outcome.TIME_LIMIT or not _is_added(self._cells[index]):
            return
        self._deaths_of_added_cells += 1
        if self._deaths_of_added_cells == DEATHS_OF_ADDED_CELLS:
            added = self._added(None, len(self._cells))
            self.lost = dict.fromkeys(added, Outcome.KERNEL_DIED) | self.lost

    def _restart(self, index):
        """Start a new kernel and run the cells before ``index`` again, but for lost ones.

        Raises KernelLost when the submission has had its share of kernels.
        """
        while not self._replayed(index):
            pass

    def _restart_if_possible(self, index):
        try:
            self._restart(index)
        except KernelLost:
            pass  # whatever is asked of the dead kernel from now on is lost

    def _replayed(self, index):
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
                self._lose(earlier, LOST.get(result.status, Outcome.KERNEL_DIED))
                return False
            if result.status in LOST:
                self.lost[earlier] = LOST[result.status]
            self._disturbed |= result.status == "timeout"
        return True

    def _source_again(self, cell):
        """Return what of a cell is run in a new kernel, None for a text or a check of ours."""
        if cell.cell_type != "code" or is_skipped(cell):
            return None
        if not _is_graded(cell):
            return cell.source
        # A later test may need what an own assignment's test has imported or defined.
        return self._own and self._own.tests[grade_id_of(cell)]

    def _start(self):
        self._disturbed = False
        task = self._task
        modules = modules_of_setup_cells(task.released)
        server = fork_server(task.limits, task.sandboxed, modules, task.fork_server)
        self._session = Session(server.start_kernel())
        self.in_control_group = self._session.kernel.group is not None
        for name, content in self._own.files if self._own else ():
            written = self._session.run_cell(WRITE_FILE.format(name, base64.b64encode(content)))
            if written.status != "ok":
                raise RuntimeError(f"{name} could not be laid out beside the notebook")

    def _seconds_left(self, at_most):
        return min(at_most, self._deadline - time.monotonic())

    # --- outputs ----------------------------------------------------------------------------------

    def _keep(self, index, result, withhold):
        """Keep what a cell has shown, and note what is to be flagged."""
        self._room -= result.output_bytes
        cell = self._cells[index]
        cell.outputs = [self._inert.of(output) for output in result.outputs]
        if withhold and result.outputs:
            cell.outputs = [new_output("stream", text=WITHHELD)]
        for output in result.outputs:
            if output.output_type == "error":
                built_in = hasattr(builtins, output.ename)
                self.errors[index] = output.ename if built_in else "an error of its own"
                if output.ename in NETWORK_ERRORS:
                    self._flags.append(Flag.NETWORK)
        if result.truncated:
            self._flags.append(Flag.OUTPUT_LIMIT)
        if result.alive and result.status in LOST:
            self.lost[index] = LOST[result.status]


def grade_id_of(cell):
    """Return the `grade_id` of a cell of the rebuilt notebook, None of an added one."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def is_skipped(cell):
    """Tell a cell of ours that is for students to run and takes no part in grading."""
    marks = cell.metadata.get("nbgrader", {})
    unmarked = not (marks.get("grade", False) or marks.get("solution", False))
    return unmarked and SKIPPED in cell.metadata.get("tags", [])


def _is_graded(cell):
    """Tell a cell of ours that has points; an answer that a person marks is the student's."""
    marks = cell.metadata.get("nbgrader", {})
    return marks.get("grade", False) and not marks.get("solution", False)


def _is_added(cell):
    return cell.cell_type == "code" and grade_id_of(cell) is None


def _is_students(cell):
    return _is_added(cell) or cell.metadata.get("nbgrader", {}).get("solution", False)
