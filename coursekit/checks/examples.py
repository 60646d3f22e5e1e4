"""A check that lists calls, and where it learns what they should give.

`example` makes one call of the student's work and compares what comes of it with what the
reference solution gives for the same call; a wrong outcome is named by the bank of mistakes. The
visible checks find both in ``recorded/``, written by ``autograder release``, because a student has
neither the reference nor the bank. The hidden checks compute both (``autograder.checking``).
"""

import builtins
import contextlib
import contextvars
import functools
import inspect
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coursekit.checks.comparison import TOLERANCE, SomeObject, describe, differs, same
from coursekit.checks.exchange import (
    POSSIBLY,
    CheckFailure,
    LocalWorld,
    NotPlainData,
    Raised,
    RemoteObject,
    label_of,
    transcript,
)
from coursekit.checks.trial import attempt

RECORDED = Path(__file__).parent / "recorded"
SIGNIFICANT_DIGITS = 9
# With these words Keras begins what it puts around every error in a layer's call.
KERAS_WRAPPERS = ("Exception encountered when calling", "Could not automatically infer")

_examples = contextvars.ContextVar("examples")


# --- what an author writes -----------------------------------------------------------------------


def check(function):
    """Make a check of a function whose parameters are the names that an exercise asks for.

    Called with a student's functions, in the student's own kernel, it prints one line when they
    pass and raises `CheckFailure` when they do not. ``judge`` runs it on stand-ins.
    """
    stem = function.__module__.rpartition(".")[2]
    judge = judge_with(function, lambda: Recorded(stem, function.__name__))
    parameters = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def run(*works):
        world = LocalWorld()
        try:
            # Stock nbgrader gives no points to a graded cell with output on stderr.
            with silenced(sys.stdout):
                judge(*(world.stand_in(w, name) for w, name in zip(works, parameters, strict=True)))
        except CheckFailure as failure:
            failed_call.keep(failure)
            raise
        print(f"{function.__name__}: every visible check passed.")

    run.judge = judge
    return run


def example(
    work,
    *args,
    raises=None,
    because=None,
    shapes_only=False,
    no_overflow=False,
    tolerance=TOLERANCE,
    seconds=None,
    **kwargs,
):
    """Call a stand-in and require what the reference gives for the same arguments.

    Parameters
    ----------
    raises, because : type, str
        Require this error, or one derived from it, because of ``because`` ("a constant series").
    shapes_only : bool
        Compare no values, only their shapes and that they are finite: for random numbers.
    no_overflow : bool
        Require that NumPy warns of no overflow.
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
    judged = _Judged(trial, raises, because, shapes_only, no_overflow, tolerance)
    judged.compare(_examples.get(), label_of(work))
    return trial


class _FailedCall:
    """The arguments of the call that failed last, to be tried again in a cell."""

    args = ()
    kwargs = {}

    def keep(self, failure):
        """Remember the call of a failure, with the objects that its arguments stand for."""
        if failure.call:
            args, kwargs = failure.call
            self.args = [LocalWorld.original(arg) for arg in args]
            self.kwargs = {name: LocalWorld.original(arg) for name, arg in kwargs.items()}


failed_call = _FailedCall()


@contextlib.contextmanager
def silenced(python_errors):
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


# --- one run of a check --------------------------------------------------------------------------


def judge_with(function, make_examples):
    """Return ``judge(*stand_ins)``, which runs a check with the examples that are made for it.

    Examples have three methods: ``begin(stand_ins)``; ``expected(label, judged)``, which returns
    the `Outcome` that the reference gives for the request asked last; and ``mistakes()``, which
    returns each `Mistake` that the bank knows of it.
    """

    def judge(*stand_ins):
        source = make_examples()
        tokens = transcript.set([]), _examples.set(source)
        try:
            source.begin(stand_ins)
            function(*stand_ins)
        finally:
            transcript.reset(tokens[0])
            _examples.reset(tokens[1])

    return judge


class Outcome(NamedTuple):
    """What came of a call: a value or an error, and whether inputs changed or sums overflowed."""

    value: object = None
    error: Raised | None = None
    changed: bool = False
    overflow: bool = False

    @classmethod
    def of(cls, reply):
        """Return the outcome of a `Reply`."""
        overflow = any("overflow" in warning for warning in reply.warnings)
        return cls(_plain(reply.value), reply.error, bool(reply.changed), overflow)


class Mistake(NamedTuple):
    """What a wrong answer of the bank makes of a call, and the sentence that names its mistake.

    ``first`` says that the answer was still right in every example before this one.
    """

    sentence: str
    outcome: Outcome
    first: bool


class _Judged:
    """A trial together with what its example asks for."""

    def __init__(self, trial, raises, because, shapes_only, no_overflow, tolerance):
        self._trial = trial
        self._raises = raises
        self._because = because
        self._shapes_only = shapes_only
        self._no_overflow = no_overflow
        self._tolerance = tolerance
        self.outcome = Outcome.of(trial.reply)

    def tree_of(self, outcome):
        """Return the recorded form of an outcome, without values that are not compared."""
        if self._shapes_only:
            outcome = outcome._replace(value=_without_values(outcome.value))
        return tree_of(outcome)

    def compare(self, examples, label):
        """Fail the trial when it is not as expected."""
        expected = examples.expected(label, self)
        kind = self.fault(self.outcome, expected)
        if kind is None:
            return
        mistake = self._name(kind, expected, examples.mistakes())
        if kind == "no error":
            self._trial.fail(self._not_raised(), mistake=mistake)
        if kind == "error":
            self._trial.fail_by_error(mistake)
        if kind == "changed":
            self._trial.fail_by_changed_input()
        if kind == "overflow":
            self._trial.fail("NumPy warns of an overflow", mistake=mistake)
        difference = self._difference(self.outcome, expected)
        self._trial.fail(difference.summary, difference.detail, mistake)

    def fault(self, outcome, expected):
        """Return the kind of what is wrong with an outcome, None when nothing is."""
        if self._raises:
            right = outcome.error and issubclass(outcome.error.type, self._raises)
            return None if right else "no error"
        if outcome.error:
            return "error"
        if outcome.changed:
            return "changed"
        if self._no_overflow and outcome.overflow:
            return "overflow"
        difference = self._difference(outcome, expected)
        return difference and difference.kind

    def _difference(self, outcome, expected):
        return differs(outcome.value, expected.value, self._tolerance, self._shapes_only)

    def _not_raised(self):
        error, name = self.outcome.error, self._raises.__name__
        came = f"it raised {error.type.__name__}" if error else f"it returned {self._described()}"
        return f"{came}; {self._because} must raise {name}"

    def _described(self):
        return describe(self._trial.reply.value)

    def _name(self, kind, expected, mistakes):
        """Name the mistakes whose outcome is the same; failing that, the only one of its kind."""
        wrong = [m for m in mistakes if self.fault(m.outcome, expected) == kind]
        # The answer was right in every example before this one; a mistake it has made was, too.
        equal = _sentences(m for m in wrong if m.first and self._equals(m.outcome))
        if equal:
            proven = kind in ("values", "shape", "type", "no error", "changed") and len(equal) == 1
            return equal[0] if proven else POSSIBLY + " Or: ".join(equal[:2])
        if kind == "error":  # another error is no sign of the same mistake
            return None
        likely = [m for m in wrong if m.first or kind in ("shape", "type")]
        if kind in ("shape", "type", "values", "not finite"):
            likely = [m for m in likely if self._resembles(kind, m.outcome, expected)]
        likely = _sentences(likely)
        return POSSIBLY + likely[0] if len(likely) == 1 else None

    def _resembles(self, kind, outcome, expected):
        """Say whether the same part of the result is wrong, and has this very type and shape."""
        mine, other = (self._difference(each, expected) for each in (self.outcome, outcome))
        if kind in ("shape", "type"):
            return mine.summary == other.summary
        return mine.where == other.where

    def _equals(self, outcome):
        one, two = self.outcome.error, outcome.error
        if one or two:
            return bool(one and two) and one.type is two.type and _gist(one) == _gist(two)
        return same(self.outcome.value, outcome.value, self._tolerance, self._shapes_only)


def _sentences(mistakes):
    return list(dict.fromkeys(mistake.sentence for mistake in mistakes))


def _gist(error):
    lines = error.message.splitlines()
    first = next((x for x in lines if x.strip() and not x.startswith(KERAS_WRAPPERS)), "")
    # Addresses differ from one object to the next, and so do Keras's names: pooling, pooling_1.
    # TensorFlow puts its name of the operation and of the device into double braces.
    return re.sub(r"\{\{.*?\}\} *|0x[0-9a-f]+|_?\d+", "", first)


def _without_values(value):
    if isinstance(value, (list, tuple)):
        return type(value)(_without_values(item) for item in value)
    if isinstance(value, dict):
        return {key: _without_values(item) for key, item in value.items()}
    if isinstance(value, (float, np.ndarray)):
        zeros = np.zeros_like(value)
        return zeros if np.isfinite(value).all() else zeros + np.nan
    return value


def _plain(value):
    """Replace the objects in a value by `SomeObject`."""
    if isinstance(value, RemoteObject):
        return SomeObject()
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(item) for item in value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


# --- what a release records for the visible checks -----------------------------------------------


class Recorded:
    """The outcomes that a release has recorded for the visible check of an exercise."""

    def __init__(self, stem, exercise):
        self._where = f"coursekit/checks/recorded/{stem}.json, exercise {exercise}"
        self._examples = iter(_read(stem).get(exercise, ()))
        self._current = None

    def begin(self, stand_ins):
        """Begin a run; what is recorded does not depend on the works."""

    def expected(self, label, judged):
        """Return the recorded outcome of the reference for the example that comes next."""
        self._current = next(self._examples, None)
        if self._current is None or self._current["call"] != label:
            raise LookupError(f"{self._where}: out of step; run `autograder release`")
        return outcome_from(self._current["expected"])

    def mistakes(self):
        """Return what the bank's wrong answers gave for this example."""
        return [
            Mistake(found["sentence"], outcome_from(found["outcome"]), found["first"])
            for found in self._current["mistakes"]
        ]


@functools.cache
def _read(stem):
    file = RECORDED / f"{stem}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def tree_of(outcome):
    """Turn an outcome into a JSON tree that people can read; numbers keep nine digits."""
    if outcome.error:
        return {"error": outcome.error.type.__name__, "message": _gist(outcome.error)}
    tree = {"value": _tree(outcome.value)}
    return tree | {name: True for name in ("changed", "overflow") if getattr(outcome, name)}


def outcome_from(tree):
    """Turn the tree of an outcome back into it."""
    if "error" in tree:
        found = getattr(builtins, tree["error"])
        return Outcome(error=Raised(found, found.__name__, tree["message"]))
    return Outcome(_value(tree["value"]), None, "changed" in tree, "overflow" in tree)


def _tree(value):
    if isinstance(value, (bool, str, type(None), int)):
        return value
    if isinstance(value, float):
        return _rounded(value)
    if isinstance(value, list):
        return [_tree(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_tree(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[key, _tree(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray):
        numbers = [_tree(item) for item in value.ravel().tolist()]
        # NumPy does not read its own name of a text's type, such as str128.
        dtype = value.dtype.str if value.dtype.kind == "U" else value.dtype.name
        return {"array": numbers, "shape": list(value.shape), "dtype": dtype}
    if isinstance(value, NotPlainData):
        return {"not plain": value.description}
    return {"object": True}


def _rounded(number):
    if not np.isfinite(number):
        return {"float": repr(number)}
    return float(f"{number:.{SIGNIFICANT_DIGITS}g}")


def _value(tree):
    if isinstance(tree, list):
        return [_value(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    match tree:
        case {"float": text}:
            return float(text)
        case {"tuple": items}:
            return tuple(_value(item) for item in items)
        case {"dict": pairs}:
            return {key: _value(item) for key, item in pairs}
        case {"array": numbers, "shape": shape, "dtype": dtype}:
            return np.array([_value(n) for n in numbers], dtype=dtype).reshape(shape)
        case {"not plain": description}:
            return NotPlainData(description)
    return SomeObject()
