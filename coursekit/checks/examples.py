"""A check that lists calls, and where it learns what they should give.

`example` makes one call of the student's work and compares what comes of it with what the
reference solution gives for the same call; a wrong outcome is named by the bank of mistakes. The
visible checks find both in ``recorded/``, written by ``autograder release``, because a student has
neither the reference nor the bank. The hidden checks compute both (``autograder.checking``).
"""

import contextlib
import contextvars
import functools
import inspect
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coursekit import checks
from coursekit.checks import wording
from coursekit.checks.cells import name_in_broken_cell
from coursekit.checks.comparison import TOLERANCE
from coursekit.checks.failure import CheckFailure
from coursekit.checks.judged import Examples, Judged, Requirement, current_tie
from coursekit.checks.recorded import Recorded
from coursekit.checks.serve import LocalWorld
from coursekit.checks.stand_in import StandIn, label_of, transcript
from coursekit.checks.trial import Trial, attempt


@dataclass
class Tally:
    """Of how many examples an answer was right in how many.

    ``right_values`` counts the right ones that ask for a value. To raise an error is easy: an
    answer that does nothing else is right in none of these.
    """

    examples: int = 0
    right: int = 0
    right_values: int = 0


_examples: contextvars.ContextVar[Examples] = contextvars.ContextVar("examples")
_tally: contextvars.ContextVar[Tally | None] = contextvars.ContextVar("tally", default=None)
# What a check may raise that goes on with a wrong result, besides its own failures.
OF_A_WRONG_RESULT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@contextlib.contextmanager
def counting() -> Iterator[Tally]:
    """Let the checks inside go on after a wrong example, and count the right ones.

    Whatever else a check requires fails it all the same: shapes alone, which nothing has to be
    computed for, a property that is not an example, an object that is to be worked with, a call
    that comes back in time. The count then says nothing.
    """
    tally = Tally()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)


def check(function: Callable[..., object]) -> Any:
    """Make a check of a function whose parameters are the names that an exercise asks for.

    Called with a student's functions, in the student's own kernel, it prints one line when they
    pass and raises `CheckFailure` when they do not. ``judge`` runs it on stand-ins.
    """
    stem = function.__module__.rpartition(".")[2]
    judge = judge_with(function, lambda: Recorded(stem, function.__name__))
    parameters = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def run(*answers: object) -> None:
        world = LocalWorld()
        if broken := name_in_broken_cell(parameters):
            said = (
                f"The cell with {broken} that you ran last has a syntax error, so Python still has "
                "the version before it. This check is about that version."
            )
            print(wording.line(said, checks.language))
        try:
            # Stock nbgrader gives no points to a graded cell with output on stderr.
            with silenced(sys.stdout):
                named = zip(answers, parameters, strict=True)
                judge(*(world.stand_in(answer, name) for answer, name in named))
        except CheckFailure as failure:
            failed_call.keep(failure, world)
            raise
        names = ", ".join(parameters)
        print(wording.line(f"{names}: every visible check passed.", checks.language))

    run.judge = judge  # type: ignore[attr-defined]
    return run


def example(
    work: StandIn,
    *args: object,
    raises: type[Exception] | None = None,
    because: str | None = None,
    shapes_only: bool = False,
    no_warning: bool = False,
    tolerance: float = TOLERANCE,
    seconds: float | None = None,
    **kwargs: object,
) -> Trial:
    """Call a stand-in and require what the reference gives for the same arguments.

    Parameters
    ----------
    raises, because : type, str
        Require this error, or one derived from it, because of ``because`` ("a constant series").
    shapes_only : bool
        Compare no values, only their shapes and that they are finite: for random numbers.
    no_warning : bool
        Require that NumPy warns of no overflow, division by zero or invalid value.
    tolerance : float
        As `differs` takes it.
    seconds : float
        What the call may take.

    Returns
    -------
    Trial
        Its ``value`` is what came back, its ``makes`` an object to be called in its turn.
    """
    trial = attempt(work, *args, seconds=seconds, **kwargs)
    requirement = Requirement(
        raises, because, shapes_only, no_warning, tolerance, may_take_long=bool(seconds)
    )
    judged = Judged(trial, requirement)
    examples, label = _examples.get(), label_of(work)
    tally = _tally.get()
    if tally and not shapes_only:
        is_right = judged.fault(judged.outcome, examples.expected(label, judged)) is None
        tally.examples += 1
        tally.right += is_right
        tally.right_values += is_right and not raises
    else:
        judged.compare(examples, label)
    return trial


class _FailedCall:
    """The arguments of the call that failed last, to be tried again in a cell."""

    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = {}

    def keep(self, failure: CheckFailure, world: LocalWorld) -> None:
        """Remember the call of a failure, with the objects that its arguments stand for."""
        if failure.call:
            args, kwargs = failure.call
            self.args = [world.original(arg) for arg in args]
            self.kwargs = {name: world.original(arg) for name, arg in kwargs.items()}


failed_call = _FailedCall()


@contextlib.contextmanager
def silenced(python_errors: Any) -> Iterator[None]:
    """Send Python's stderr to ``python_errors``, and drop what C++ libraries write there."""
    saved = os.dup(2)
    with open(os.devnull, "w") as devnull:
        os.dup2(devnull.fileno(), 2)
    try:
        with contextlib.redirect_stderr(python_errors or io.StringIO()):
            yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def judge_with(
    function: Callable[..., object], make_examples: Callable[[], Examples]
) -> Callable[..., None]:
    """Return ``judge(*stand_ins)``, which runs a check with the examples that are made for it."""

    def judge(*stand_ins: StandIn) -> None:
        source = make_examples()
        tokens = transcript.set([]), _examples.set(source), current_tie.set(None)
        try:
            source.begin(stand_ins)
            function(*stand_ins)
            if tie := current_tie.get():
                raise tie.failure
        except (CheckFailure, *OF_A_WRONG_RESULT):
            if tie := current_tie.get():
                raise tie.failure from None
            raise
        finally:
            transcript.reset(tokens[0])
            _examples.reset(tokens[1])
            current_tie.reset(tokens[2])

    return judge
