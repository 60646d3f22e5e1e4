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
import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from coursekit import checks
from coursekit.checks import wording
from coursekit.checks.alterations import Fingerprint, agree, fingerprint, named, said
from coursekit.checks.cells import name_in_broken_cell
from coursekit.checks.comparison import (
    TOLERANCE,
    Difference,
    SomeObject,
    as_numbers,
    describe,
    differs,
    same,
    with_result_name,
)
from coursekit.checks.failure import CheckFailure
from coursekit.checks.outcome import Mistake, Outcome, gist, without_convention, without_values
from coursekit.checks.plain_data import Json
from coursekit.checks.recorded import Recorded, tree_of
from coursekit.checks.relations import location, relation
from coursekit.checks.serve import LocalWorld
from coursekit.checks.stand_in import StandIn, label_of, transcript
from coursekit.checks.tie import Tie, one_or_several, sentences_of
from coursekit.checks.trial import Trial, attempt
from coursekit.checks.wording import AND_CONVENTION, ASSERTED, OF_AN_EARLIER_CALL, POSSIBLY


class Examples(Protocol):
    """Where a check learns what its calls should give: recorded, computed, or being recorded."""

    def begin(self, stand_ins: Sequence[StandIn]) -> None:
        """Begin a run in which the answers behind ``stand_ins`` are judged."""
        ...

    def expected(self, label: str, judged: "Judged") -> Outcome:
        """Return the `Outcome` that the reference gives for the request asked last."""
        ...

    def mistakes(self) -> list[Mistake]:
        """Return what the bank's wrong answers make of the request asked last.

        Those that are wrong in an earlier example have another mistake than the answer that is
        judged, which was right there.
        """
        ...

    def parameters(self) -> Sequence[str]:
        """Return the names of the parameters of what was called last."""
        ...

    def result_names(self, label: str) -> Sequence[str]:
        """Return what the exercise calls the values that what was called last returns."""
        ...

    def altered(self) -> Iterable[tuple[str, Fingerprint]]:
        """Return what the reference gives for altered arguments of the request asked last."""
        ...


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
_tie: contextvars.ContextVar[Tie | None] = contextvars.ContextVar("tie", default=None)
# Faults that prove a mistake when they equal those of a known wrong answer. An error does not,
# because it may have many causes.
PROVING = ("values", "shape", "type", "no error", "changed")
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
    judged = Judged(trial, raises, because, shapes_only, no_warning, tolerance, seconds)
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
        tokens = transcript.set([]), _examples.set(source), _tie.set(None)
        try:
            source.begin(stand_ins)
            function(*stand_ins)
            if tie := _tie.get():
                raise tie.failure
        except (CheckFailure, *OF_A_WRONG_RESULT):
            if tie := _tie.get():
                raise tie.failure from None
            raise
        finally:
            transcript.reset(tokens[0])
            _examples.reset(tokens[1])
            _tie.reset(tokens[2])

    return judge


class Judged:
    """A trial together with what its example asks for."""

    def __init__(
        self,
        trial: Trial,
        raises: type[Exception] | None = None,
        because: str | None = None,
        shapes_only: bool = False,
        no_warning: bool = False,
        tolerance: float = TOLERANCE,
        seconds: float | None = None,
    ) -> None:
        self.trial = trial
        self._raises = raises
        self._because = because
        self._shapes_only = shapes_only
        self._no_warning = no_warning
        self._tolerance = tolerance
        self.outcome = Outcome.of(trial.reply)
        # What may take long is not called again with other arguments.
        self.is_alterable = not (raises or shapes_only or seconds)

    def tree_of(self, outcome: Outcome) -> Json:
        """Return the recorded form of an outcome, without values that are not compared."""
        if self._shapes_only:
            outcome = outcome._replace(value=without_values(outcome.value))
        return tree_of(outcome)

    def compare(self, examples: Examples, label: str) -> None:
        """Fail the trial when it is not as expected, at once or when a tie has been decided."""
        expected = examples.expected(label, self)
        kind = self.fault(self.outcome, expected)
        if tie := _tie.get():
            tie.go_on(functools.partial(self._is_like, kind))
            return
        if kind is None:
            return
        wrong = [m for m in examples.mistakes() if self.fault(m.outcome, expected) == kind]
        equal = [m for m in wrong if self._equals(m.outcome)]
        mistake = self._name(kind, wrong, equal, expected, examples)
        try:
            self._fail(kind, mistake, expected, examples, label)
        except CheckFailure as failure:
            if kind not in PROVING or not any(m.later for m in equal):
                raise
            _tie.set(Tie(failure, equal))

    def _is_like(self, kind: str | None, other: Outcome | None) -> bool:
        """Say whether another answer did the same, None standing for what is right."""
        if kind is None or other is None:
            return kind is None and other is None
        return self._equals(other)

    def _fail(
        self, kind: str, mistake: str | None, expected: Outcome, examples: Examples, label: str
    ) -> NoReturn:
        """Fail the trial in the words for what is wrong with it."""
        if self._raises:
            asserted = self.outcome.error and self.outcome.error.type is AssertionError
            mistake = mistake or (ASSERTED if asserted else None)
            self.trial.fail(self._not_raised(self._raises), mistake=mistake)
        if kind == "error":
            self.trial.fail_by_error(mistake)
        if kind == "changed":
            self.trial.fail_by_changed_input(examples.parameters())
        if kind == "warning":
            self.trial.fail(
                "NumPy warns of an overflow, a division by zero or an invalid value",
                mistake=mistake,
            )
        difference = self._difference(self.outcome, expected)
        assert difference is not None  # what else can be wrong
        summary = difference.summary
        if isinstance(expected.value, (tuple, list)):
            summary = with_result_name(summary, examples.result_names(label), len(expected.value))
        self.trial.fail(summary, difference.detail, mistake)

    def fault(self, outcome: Outcome, expected: Outcome) -> str | None:
        """Return the kind of what is wrong with an outcome, None when nothing is."""
        if self._raises:
            right = outcome.error and issubclass(outcome.error.type, self._raises)
            return None if right else "no error"
        if outcome.error:
            return "error"
        if outcome.changed:
            return "changed"
        if self._no_warning and outcome.warned:
            return "warning"
        difference = self._difference(outcome, expected)
        return difference.kind if difference else None

    def _difference(self, outcome: Outcome, expected: Outcome) -> Difference | None:
        return differs(outcome.value, expected.value, self._tolerance, self._shapes_only)

    def _not_raised(self, raises: type[Exception]) -> str:
        error, name = self.outcome.error, raises.__name__
        came = f"it raised {error.type.__name__}" if error else f"it returned {self._described()}"
        return f"{came}; {self._because} must raise {name}"

    def _described(self) -> str:
        return describe(self.trial.reply.value)

    def _name(
        self,
        kind: str,
        wrong: Sequence[Mistake],
        equal: Sequence[Mistake],
        expected: Outcome,
        examples: Examples,
    ) -> str | None:
        """Name the mistakes whose outcome is ``equal``; failing that, the only ``wrong`` one alike.

        Where the bank proves nothing, say how the result follows from the expected one, or for
        which arguments it would be right; where it knows no mistake of this kind either, say where
        the result is right.
        """
        if equal:
            return one_or_several(sentences_of(equal), kind in PROVING)
        if kind == "error":  # another error is not a sign of the same mistake
            return None
        if kind == "values" and (beside := self._name_beside_convention(expected, wrong)):
            return beside
        names = examples.parameters()
        if followed := self._compared(relation, kind, expected, names):
            return followed
        if kind in ("values", "shape") and (condition := self._right_for(examples)):
            return condition
        if kind in ("values", "shape") and self._is_of_an_earlier_call():
            return OF_AN_EARLIER_CALL
        alike = sentences_of(m for m in wrong if self._resembles(kind, m.outcome, expected))
        if len(alike) == 1:
            return POSSIBLY + alike[0]
        return self._compared(location, kind, expected, names)

    def _compared(
        self, say: Callable[..., str | None], kind: str, expected: Outcome, names: Sequence[str]
    ) -> str | None:
        """Return what ``say`` (`relation` or `location`) finds, where there are values."""
        if self._shapes_only or kind not in ("shape", "type", "values", "not finite"):
            return None
        arguments = named(self.trial.args, self.trial.kwargs, names)
        return say(self.outcome.value, expected.value, arguments, self._tolerance)

    def _right_for(self, examples: Examples) -> str | None:
        """Say for which altered arguments the result would be right."""
        mine = fingerprint(self.outcome.value) if self.is_alterable else None
        if mine is None:
            return None
        conditions = (
            condition
            for condition, other in examples.altered()
            if agree(mine, other, self._tolerance)
        )
        condition = next(conditions, None)
        return condition and said(condition)

    def _is_of_an_earlier_call(self) -> bool:
        """Say whether the same came back from an earlier call with other arguments.

        Of a single number, or of truth values, answers agree by chance. Where the two calls have an
        argument in common, the answer may as well ignore one in which they differ.
        """
        *earlier, (request, answer) = transcript.get() or [({}, {})]
        numbers = as_numbers(self.outcome.value)
        if numbers is None or numbers.size < 2 or np.isin(numbers, (0, 1)).all():
            return False
        return any(
            other.get("value") == answer["value"]
            and asked["do"] == "call"
            and asked["target"] == request["target"]
            and not any(map(operator.eq, asked["args"], request["args"]))
            and (asked["args"], asked["kwargs"]) != (request["args"], request["kwargs"])
            for asked, other in earlier
        )

    def _name_beside_convention(self, expected: Outcome, wrong: Sequence[Mistake]) -> str | None:
        """Name the mistake that is seen when signs and order, a second mistake, are left aside."""
        mine = without_convention(self.outcome.value)
        if same(mine, without_convention(expected.value), self._tolerance):
            return None
        alike = sentences_of(
            m for m in wrong if same(mine, without_convention(m.outcome.value), self._tolerance)
        )
        return f"{POSSIBLY}{alike[0]} {AND_CONVENTION}" if len(alike) == 1 else None

    def _resembles(self, kind: str, outcome: Outcome, expected: Outcome) -> bool:
        """Say whether the same part of the result is wrong, and has this very type and shape."""
        if kind == "no error":  # another error does not show that the argument is accepted
            return _way(outcome) is _way(self.outcome)
        if kind in ("changed", "warning"):
            return True
        mine, other = (self._difference(each, expected) for each in (self.outcome, outcome))
        assert mine is not None and other is not None  # both are wrong in this way
        if kind in ("shape", "type"):
            return mine.summary == other.summary
        return mine.where == other.where

    def _equals(self, outcome: Outcome) -> bool:
        return self.are_equal(self.outcome, outcome)

    def are_equal(self, outcome: Outcome, other: Outcome) -> bool:
        """Say whether two outcomes are the same, as far as this example compares them."""
        one, two = outcome.error, other.error
        if one and two:
            return one.type is two.type and gist(one) == gist(two)
        if one or two:
            return False
        return same(outcome.value, other.value, self._tolerance, self._shapes_only)


def _way(outcome: Outcome) -> type | None:
    """Return the type of an outcome's error, or that of an object, None of any other value."""
    if outcome.error:
        return outcome.error.type
    return SomeObject if isinstance(outcome.value, SomeObject) else None
