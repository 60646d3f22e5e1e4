"""One call of the student's work: made by `attempt`, judged by the `Trial` that it returns."""

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy.typing as npt

from coursekit.checks.advice import advice
from coursekit.checks.comparison import (
    EXPECTED_OBJECT,
    TOLERANCE,
    as_numbers,
    call_as_code,
    call_by_shapes,
    describe,
    differs,
    more,
)
from coursekit.checks.failure import CheckFailure
from coursekit.checks.stand_in import (
    Raised,
    RemoteObject,
    Reply,
    StandIn,
    label_of,
    relabelled_object,
    world_of,
)
from coursekit.checks.wording import NOT_WRITTEN

INPUT_CHANGED = (
    "An input was changed in place. Work on a copy, because the caller still needs the original."
)
# The function, or the class and its method, in a line of `Raised.frames`.
IN_FUNCTION = re.compile(r"line \d+, in ((\w+)(?:\.\w+)?)")
# A longer call does not stand before what it has made.
LONGEST_CALL = 60
CALL_AGAIN = (
    "to call it again with the same arguments:\n"
    "from coursekit.checks import failed_call\n"
    "{}(*failed_call.args, **failed_call.kwargs)"
)


def attempt(
    function: StandIn, *args: object, seconds: float | None = None, **kwargs: object
) -> "Trial":
    """Call a stand-in with copies of the arguments and return the `Trial` to be judged."""
    reply = function._call(args, kwargs, seconds)
    trial = Trial(label_of(function), args, kwargs, reply)
    if reply.error and reply.error.type is NotImplementedError:
        raise _not_written(label_of(function), reply.error)
    allowed = seconds and seconds * world_of(function).timeout_factor
    if allowed and reply.seconds > allowed:
        trial.fail(f"it took {reply.seconds:.0f} seconds; {seconds} are allowed")
    return trial


class Deadline:
    """The end of the time that several calls of an answer may take together."""

    def __init__(self, answer: StandIn, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.perf_counter() + seconds * world_of(answer).timeout_factor

    def require(self, trial: "Trial", what: str) -> None:
        """Fail a trial where the time is over; ``what`` says what has taken it."""
        if time.perf_counter() > self._end:
            trial.fail(f"{what} took too long; {self._seconds} seconds are allowed")


def _not_written(label: str, error: Raised) -> CheckFailure:
    """Return the failure of a call that met a function which is still a stub, and name that one.

    The name comes from the student's process, so it is in the detail, which hidden checks drop.
    """
    innermost = IN_FUNCTION.match(error.frames[-1]) if error.frames else None
    stub, own_name = innermost.groups() if innermost else (label, label)
    if not re.match(rf"{re.escape(own_name)}\b", label):
        headline = f"{label}: it calls another function, which is not written yet"
        return CheckFailure(headline, f"  {stub}: {NOT_WRITTEN}", raised=error.name)
    still = f"  still to be written: {stub}" if stub != own_name else ""
    return CheckFailure(f"{label}: {NOT_WRITTEN}", still, raised=error.name)


class Trial:
    """One call of the student's work and what came of it."""

    def __init__(
        self, label: str, args: Sequence[object], kwargs: Mapping[str, object], reply: Reply
    ) -> None:
        self.label = label
        self.args = args
        self.kwargs = kwargs
        self.reply = reply

    @property
    def value(self) -> Any:
        """What came back; an error that was raised instead fails the check."""
        if self.reply.error:
            self.fail_by_error()
        if self.reply.changed:
            self.fail_by_changed_input()
        return self.reply.value

    @property
    def makes(self) -> RemoteObject:
        """The object that came back (a model, a layer, a function); plain data fails the check."""
        value = self.value
        if not isinstance(value, RemoteObject):
            self.fail(f"{describe(value)} came back; {EXPECTED_OBJECT}", more(value))
        return relabelled_object(value, self._made_by)

    @property
    def _made_by(self) -> str:
        """What an object is called that this call has made: by the call, if that is short."""
        plain = all(
            value is None or isinstance(value, (bool, int, float, str))
            for value in (*self.args, *self.kwargs.values())
        )
        call = call_by_shapes(self.label, self.args, self.kwargs) if plain else ""
        return call if 0 < len(call) <= LONGEST_CALL else f"{self.label}()"

    def numbers(self, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """Require finite numbers of a shape and return them."""
        array = as_numbers(self.value)
        if array is None or array.dtype == bool:
            summary = f"{describe(self.value)} came back; expected numbers of shape {shape}"
            self.fail(summary, more(self.value))
        if array.shape != shape:
            self.fail(f"{describe(array)} came back; expected shape {shape}")
        difference = differs(array, array, shapes_only=True)
        if difference:
            self.fail(difference.summary)
        return array

    def gives(self, expected: object, tolerance: float = TOLERANCE) -> None:
        """Require ``expected`` (arrays, numbers, tuples of them), as `differs` compares them."""
        difference = differs(self.value, expected, tolerance)
        if difference:
            self.fail(difference.summary, difference.detail)

    def fail_by_error(self, mistake: str | None = None) -> NoReturn:
        """Fail because of the error that the call raised, and show the answer's lines.

        Where no known mistake raises it, the check says what to do about it, if it can. Beside a
        mistake that is only possible, that stands in the detail.
        """
        error = self.reply.error
        assert error is not None  # the call raised it
        lines = [error.text] if error.text else []
        if error.frames:
            lines += ["in your answer:", *(f"  {frame}" for frame in error.frames)]
        summary = f"it raised {error.type.__name__}"
        known = advice(error.name, error.message)
        if mistake and known and mistake != known:
            lines.append(known)
        self.fail(summary, "\n".join(lines), mistake or known, error.name)

    def fail_by_changed_input(self, names: Sequence[str] = ()) -> NoReturn:
        """Fail because the call changed one of its arguments; ``names`` are those of parameters."""
        key = next(iter(self.reply.changed))
        if isinstance(key, int):
            key = names[key] if key < len(names) else str(key + 1)
        self.fail(f"argument {key} was changed in place", mistake=INPUT_CHANGED)

    def fail(
        self,
        summary: str,
        detail: str = "",
        mistake: str | None = None,
        raised: str | None = None,
    ) -> NoReturn:
        """Fail this call with a summary that may be seen and a detail that may hold values."""
        called = call_by_shapes(self.label, self.args, self.kwargs)
        code = call_as_code(self.label, self.args, self.kwargs)
        shown = code or call_by_shapes(self.label, self.args, self.kwargs, with_numbers=True)
        # A helper of ours, or what an object is called on, has no name in the student's notebook.
        has_name = self.label.isidentifier()
        in_full = f"called: {shown}" if has_name and shown != called else ""
        again = CALL_AGAIN.format(self.label) if has_name and not code else ""
        lines = [in_full, detail, again]
        detail = "\n".join(f"  {line}" for text in lines if text for line in text.splitlines())
        call = (self.args, self.kwargs)
        raise CheckFailure(f"{called}: {summary}.", detail, mistake, raised, call)
