"""Whether one call of an answer is right, and by which known mistake it is wrong.

A wrong outcome is compared with those of the bank's wrong answers, then with what simple relations
and altered arguments would give.
"""

import contextvars
import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

import numpy as np

from coursekit.checks.alterations import Fingerprint, agree, fingerprint, named, said
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
from coursekit.checks.recorded import tree_of
from coursekit.checks.relations import location, relation
from coursekit.checks.stand_in import StandIn, transcript
from coursekit.checks.tie import Tie, one_or_several, sentences_of
from coursekit.checks.trial import Trial
from coursekit.checks.wording import AND_CONVENTION, ASSERTED, OF_AN_EARLIER_CALL, POSSIBLY

# Faults that prove a mistake when they equal those of a known wrong answer. An error does not,
# because it may have many causes.
PROVING = ("values", "shape", "type", "no error", "changed")
# The mistakes between which the examples of a check have not yet decided.
current_tie: contextvars.ContextVar[Tie | None] = contextvars.ContextVar("tie", default=None)


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


@dataclass(frozen=True)
class Requirement:
    """What an example requires of a call, in the words of `coursekit.checks.examples.example`."""

    raises: type[Exception] | None = None
    because: str | None = None
    shapes_only: bool = False
    no_warning: bool = False
    tolerance: float = TOLERANCE
    may_take_long: bool = False


class Judged:
    """A trial together with what its example requires."""

    def __init__(self, trial: Trial, requirement: Requirement) -> None:
        self.trial = trial
        self.outcome = Outcome.of(trial.reply)
        self._required = requirement

    @property
    def is_alterable(self) -> bool:
        """Whether the call may be repeated with other arguments, and what comes of it compared."""
        required = self._required
        return not (required.raises or required.shapes_only or required.may_take_long)

    def tree_of(self, outcome: Outcome) -> Json:
        """Return the recorded form of an outcome, without values that are not compared."""
        if self._required.shapes_only:
            outcome = outcome._replace(value=without_values(outcome.value))
        return tree_of(outcome)

    def compare(self, examples: Examples, label: str) -> None:
        """Fail the trial when it is not as expected, at once or when a tie has been decided."""
        expected = examples.expected(label, self)
        kind = self.fault(self.outcome, expected)
        if tie := current_tie.get():
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
            current_tie.set(Tie(failure, equal))

    def _is_like(self, kind: str | None, other: Outcome | None) -> bool:
        """Say whether another answer did the same, None standing for what is right."""
        if kind is None or other is None:
            return kind is None and other is None
        return self._equals(other)

    def _fail(
        self, kind: str, mistake: str | None, expected: Outcome, examples: Examples, label: str
    ) -> NoReturn:
        """Fail the trial in the words for what is wrong with it."""
        if self._required.raises:
            asserted = self.outcome.error and self.outcome.error.type is AssertionError
            mistake = mistake or (ASSERTED if asserted else None)
            self.trial.fail(self._not_raised(self._required.raises), mistake=mistake)
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
        if self._required.raises:
            right = outcome.error and issubclass(outcome.error.type, self._required.raises)
            return None if right else "no error"
        if outcome.error:
            return "error"
        if outcome.changed:
            return "changed"
        if self._required.no_warning and outcome.warned:
            return "warning"
        difference = self._difference(outcome, expected)
        return difference.kind if difference else None

    def _difference(self, outcome: Outcome, expected: Outcome) -> Difference | None:
        return differs(
            outcome.value,
            expected.value,
            self._required.tolerance,
            self._required.shapes_only,
        )

    def _not_raised(self, raises: type[Exception]) -> str:
        error, name = self.outcome.error, raises.__name__
        came = f"it raised {error.type.__name__}" if error else f"it returned {self._described()}"
        return f"{came}; {self._required.because} must raise {name}"

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
        if self._required.shapes_only or kind not in ("shape", "type", "values", "not finite"):
            return None
        arguments = named(self.trial.args, self.trial.kwargs, names)
        return say(self.outcome.value, expected.value, arguments, self._required.tolerance)

    def _right_for(self, examples: Examples) -> str | None:
        """Say for which altered arguments the result would be right."""
        mine = fingerprint(self.outcome.value) if self.is_alterable else None
        if mine is None:
            return None
        conditions = (
            condition
            for condition, other in examples.altered()
            if agree(mine, other, self._required.tolerance)
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
        if same(mine, without_convention(expected.value), self._required.tolerance):
            return None
        alike = sentences_of(
            m
            for m in wrong
            if same(mine, without_convention(m.outcome.value), self._required.tolerance)
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
        return same(
            outcome.value, other.value, self._required.tolerance, self._required.shapes_only
        )


def _way(outcome: Outcome) -> type | None:
    """Return the type of an outcome's error, or that of an object, None of any other value."""
    if outcome.error:
        return outcome.error.type
    return SomeObject if isinstance(outcome.value, SomeObject) else None
