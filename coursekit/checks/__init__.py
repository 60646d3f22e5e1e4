"""The checks of the exercises, one module a chapter, and the comparison that words a failure.

A check is a function decorated with `check`, named as its exercise. Its parameters are the
functions and classes of the exercise; it calls them with `attempt` and says what it expects::

    @check
    def rmse(rmse):
        attempt(rmse, np.array([1.0, 2.0]), np.array([1.0, 4.0])).gives(2**0.5)
"""

import contextlib
import functools
import inspect
import io
import os
import sys
from typing import NamedTuple

import numpy as np

from coursekit.checks.exchange import (
    CheckFailure,
    LocalWorld,
    Made,
    RemoteObject,
    StandIn,
    TextFile,
    Unplain,
)

__all__ = [
    "CheckFailure",
    "Made",
    "TextFile",
    "attempt",
    "check",
    "differs",
    "silenced",
    "type_name",
]

TOLERANCE = 1e-5
INPUT_CHANGED = "an input was changed in place; work on a copy, the caller still needs it"
NOT_WRITTEN = "not written yet: replace `raise NotImplementedError()` by your answer"


def check(function):
    """Make a check of a function that takes stand-ins: it may then be called with anything.

    Called with a student's functions, in his own kernel, it prints one line when they pass and
    raises `CheckFailure` when they do not. What the work writes to stderr is kept from the cell,
    because stock nbgrader gives no points to a graded cell with output there.
    """
    parameters = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def run(*works):
        world = LocalWorld()
        with silenced(sys.stdout):
            function(
                *(world.stand_in(work, name) for name, work in zip(parameters, works, strict=True))
            )
        print(f"{function.__name__}: every visible check passed.")

    return run


@contextlib.contextmanager
def silenced(python_errors):
    """Send Python's stderr to ``python_errors``, and what C++ libraries write there to nowhere."""
    saved = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        with contextlib.redirect_stderr(python_errors or io.StringIO()):
            yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def attempt(function, *args, seconds=None, **kwargs):
    """Call a stand-in with copies of the arguments and return the `Trial` to be judged."""
    reply = function._call(args, kwargs, seconds)
    trial = Trial(function, args, kwargs, reply)
    if reply.error and reply.error.type is NotImplementedError:
        raise CheckFailure(f"{function._label}: {NOT_WRITTEN}", raised=reply.error.name)
    allowed = seconds and seconds * function._world.patience
    if allowed and reply.seconds > allowed:
        trial.fail(f"it took {reply.seconds:.0f} seconds; {seconds} are allowed")
    return trial


def type_name(stand_in):
    """Return the class name of an object that an answer made."""
    return stand_in._type_name


class Trial:
    """One call of the student's work and what came of it."""

    def __init__(self, function, args, kwargs, reply):
        self._label = function._label
        self._args = args
        self._kwargs = kwargs
        self._reply = reply

    @property
    def value(self):
        """What came back; an error that was raised instead fails the check."""
        error = self._reply.error
        if error:
            self.fail(f"it raised {error.type.__name__}", error.text, raised=error.name)
        for key in self._reply.changed:
            self.fail(f"argument {key + 1 if isinstance(key, int) else key}: {INPUT_CHANGED}")
        return self._reply.value

    @property
    def warnings(self):
        """The Python warnings that the call gave, as "Category: message"."""
        return self._reply.warnings

    @property
    def makes(self):
        """The object that came back (a model, a layer, a function); plain data fails the check."""
        value = self.value
        if not isinstance(value, RemoteObject):
            self.fail(f"{describe(value)} came back; expected an object to work with", _more(value))
        return value

    def numbers(self, shape, mistakes=None):
        """Require finite numbers of a shape; ``mistakes`` maps sentences to shapes."""
        array = _as_numbers(self.value)
        if array is None or array.dtype == bool:
            self.fail(
                f"{describe(self.value)} came back; expected numbers of shape {shape}",
                _more(self.value),
            )
        if array.shape != shape:
            named = (
                sentence for sentence, other in (mistakes or {}).items() if other == array.shape
            )
            self.fail(
                f"{describe(array)} came back; expected shape {shape}", mistake=next(named, None)
            )
        if not np.isfinite(array).all():
            self.fail("a value is not finite (nan or inf)")
        return array

    def gives(self, expected, mistakes=None, tolerance=TOLERANCE):
        """Require ``expected`` (arrays, numbers, tuples of them); name a mistake it equals.

        ``mistakes`` maps the sentence of a known mistake to what an answer that makes it gives
        here. Values agree when they differ by at most tolerance · (1 + |expected|).
        """
        got = self.value
        difference = differs(got, expected, tolerance)
        if difference is None:
            return
        for sentence, mistaken in (mistakes or {}).items():
            if differs(mistaken, expected, tolerance) and not differs(got, mistaken, tolerance):
                self.fail(difference.summary, difference.detail, sentence)
        self.fail(difference.summary, difference.detail)

    def raises(self, error_type, reason):
        """Require an error of the type, because of ``reason``."""
        error = self._reply.error
        if error is None:
            self.fail(
                f"it returned {describe(self._reply.value)}; "
                f"{reason} must raise {error_type.__name__}"
            )
        if not issubclass(error.type, error_type):
            self.fail(
                f"it raised {error.type.__name__}; {reason} must raise {error_type.__name__}",
                error.text,
            )

    def fail(self, summary, detail="", mistake=None, raised=None):
        """Fail this call with a summary that may be seen and a detail that may hold values."""
        called = _call_text(self._label, self._args, self._kwargs, _brief)
        detailed = _call_text(self._label, self._args, self._kwargs, _inline)
        shown = f"  called: {detailed}" if detailed != called else ""
        detail = "\n".join(f"  {line}" for line in detail.splitlines())
        detail = "\n".join(part for part in (shown, detail) if part)
        raise CheckFailure(f"{called}: {summary}.", detail, mistake, raised)


# --- the comparison --------------------------------------------------------------------------


class Difference(NamedTuple):
    """Where an answer leaves what was expected: ``summary`` has shapes, ``detail`` has values."""

    summary: str
    detail: str


def differs(got, expected, tolerance=TOLERANCE, where=""):
    """Return the first `Difference` between two values, or None when they agree."""
    if isinstance(expected, list) and _as_numbers(expected) is not None:
        expected = _as_numbers(expected)
    if isinstance(expected, (tuple, list)):
        return _sequence_differs(got, expected, tolerance, where)
    if isinstance(expected, dict):
        return _dict_differs(got, expected, tolerance, where)
    if isinstance(expected, (str, type(None))):
        if got == expected and type(got) is type(expected):
            return None
        return _say(where, f"{describe(got)} came back; expected {expected!r}", _more(got))
    return _array_differs(got, np.asarray(expected), tolerance, where)


def _sequence_differs(got, expected, tolerance, where):
    if not isinstance(got, (tuple, list)):
        return _say(
            where, f"{describe(got)} came back; expected {len(expected)} values", _more(got)
        )
    if len(got) != len(expected):
        return _say(where, f"{len(got)} values came back; expected {len(expected)}")
    for number, (one, other) in enumerate(zip(got, expected, strict=True)):
        difference = differs(one, other, tolerance, f"{where}value {number + 1} of the result: ")
        if difference:
            return difference
    return None


def _dict_differs(got, expected, tolerance, where):
    if not isinstance(got, dict):
        return _say(where, f"{describe(got)} came back; expected a dict", _more(got))
    if got.keys() != expected.keys():
        return _say(
            where,
            f"the dict has other keys than expected, {sorted(map(str, expected))}",
            f"it has {sorted(map(str, got))}",
        )
    for key, other in expected.items():
        difference = differs(got[key], other, tolerance, f'{where}entry "{key}": ')
        if difference:
            return difference
    return None


def _array_differs(got, expected, tolerance, where):
    array = _as_numbers(got)
    if array is None:
        return _say(where, f"{describe(got)} came back; expected {describe(expected)}", _more(got))
    if array.shape != expected.shape:
        return _say(where, f"{describe(got)} came back; expected {describe(expected)}")
    if expected.dtype == bool and array.dtype != bool:
        return _say(where, f"{describe(got)} came back; expected booleans (True and False)")
    if array.dtype == bool and expected.dtype != bool:
        return _say(where, f"{describe(got)} came back; expected numbers")
    if expected.dtype != bool and not np.isfinite(array).all():
        position = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        return _say(where, "a value is not finite (nan or inf)", _at(position, array, expected))
    if expected.dtype.kind in "fciu":
        wide = np.complex128 if "c" in expected.dtype.kind + array.dtype.kind else np.float64
        array, other = array.astype(wide), expected.astype(wide)
        wrong = np.abs(array - other) > tolerance * (1 + np.abs(other))
    else:
        other = expected
        wrong = array != other
    if not wrong.any():
        return None
    position = tuple(int(i) for i in np.argwhere(wrong)[0])
    summary = (
        f"{int(wrong.sum())} of {expected.size} entries {_of_shape(expected)} differ"
        if expected.ndim
        else "the number differs"
    )
    return _say(where, summary, _at(position, array, other))


def _as_numbers(value):
    """Return numbers, booleans or nested lists of them as an array, None for anything else."""
    if isinstance(value, (list, tuple)):
        try:
            value = np.asarray(value)
        except ValueError:  # ragged
            return None
    if isinstance(value, (bool, int, float, np.number, np.ndarray)):
        array = np.asarray(value)
        return array if array.dtype.kind in "biufc" else None
    return None


def _at(position, got, expected):
    if got.size <= 12 and got.ndim:
        return f"came back: {_inline(got)}\nexpected:  {_inline(expected)}"
    place = f"first difference at {list(position)}: " if position else ""
    return f"{place}{_number(got[position])} came back; expected {_number(expected[position])}"


def _say(where, summary, detail=""):
    return Difference(where + summary, detail)


# --- wording ---------------------------------------------------------------------------------


def describe(value):
    """Say in a few words what a value is, by built-in type and shape.

    A hidden check shows it, so no word in it may be the answer's own choice.
    """
    if value is None:
        return "None (is a `return` missing?)"
    if isinstance(value, Unplain):
        return "something that is no plain data"
    if isinstance(value, RemoteObject):
        return "an object"
    if isinstance(value, np.ndarray):
        return f"an array {_of_shape(value)}" if value.ndim else "a number"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, (float, int, np.number)) and not isinstance(value, bool):
        return "a number"
    return f"a {type(value).__name__}"


def _more(value):
    """Say what only a visible check may show of a value: words that its maker chose."""
    if isinstance(value, Unplain):
        return f"it is {value.description}"
    if isinstance(value, RemoteObject):
        return f"it is of type {type_name(value)}"
    return repr(value)[:200] if isinstance(value, str) else ""


def _of_shape(array):
    return f"of shape {array.shape}"


def _call_text(label, args, kwargs, word):
    words = [word(arg) for arg in args] + [f"{key}={word(arg)}" for key, arg in kwargs.items()]
    return f"{label}({', '.join(words)})"


def _number(value):
    return str(value) if isinstance(value, np.bool_) else f"{value:.7g}"


def _brief(value):
    if isinstance(value, (Made, StandIn, str, type(None), bool)):
        return _inline(value)
    if isinstance(value, (list, tuple)):
        opening, closing = "[]" if isinstance(value, list) else "()"
        return opening + ", ".join(_brief(item) for item in value[:6]) + closing
    if isinstance(value, dict):
        first = [f"{key!r}: {_brief(item)}" for key, item in value.items()][:1]
        return "{" + ", ".join(first + ["…"] * (len(value) > 1)) + "}"
    if isinstance(value, np.ndarray):
        return f"array {value.shape}"
    return "number" if isinstance(value, (int, float, np.number)) else type(value).__name__


def _inline(value):
    if isinstance(value, Made):
        return value.path.replace(":", ".")
    if isinstance(value, np.ndarray):
        if value.size > 12:
            return _brief(value)
        return np.array2string(value, precision=6, separator=", ").replace("\n", "")
    if isinstance(value, (list, tuple)):
        opening, closing = "[]" if isinstance(value, list) else "()"
        return opening + ", ".join(_inline(item) for item in value[:6]) + closing
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, StandIn):
        return value._label
    return repr(value) if isinstance(value, (str, bool, int, type(None))) else f"{value:.6g}"
