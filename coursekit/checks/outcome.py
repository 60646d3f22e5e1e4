"""What came of a call: of a student's work, of the reference, of a wrong answer of the bank."""

import re
from typing import Any, NamedTuple

import numpy as np

from coursekit.checks.comparison import SomeObject
from coursekit.checks.stand_in import Raised, RemoteObject, Reply

# Two answers that agree in this many different numbers make the same mistake; it is not chance.
MANY = 5
# With this NumPy warns of an overflow, of a division by zero and of an invalid value.
OF_ARITHMETIC = "encountered in"
DELIBERATE = "raised by the answer itself"
# With these words Keras begins what it puts around every error in a layer's call.
KERAS_WRAPPERS = ("Exception encountered when calling", "Could not automatically infer")


class Outcome(NamedTuple):
    """What came of a call: a value or an error, whether inputs changed, whether NumPy warned."""

    value: Any = None
    error: Raised | None = None
    changed: bool = False
    warned: bool = False

    @classmethod
    def of(cls, reply: Reply) -> "Outcome":
        """Return the outcome of a `Reply`."""
        warned = any(OF_ARITHMETIC in warning for warning in reply.warnings)
        return cls(_plain(reply.value), reply.error, bool(reply.changed), warned)


class Mistake(NamedTuple):
    """What a wrong answer of the bank makes of an example, and the sentence that names its mistake.

    Where mistakes of other names have the same outcome, ``later`` holds what this answer makes of
    the examples that follow, as many as tell them apart; None where it is right.
    """

    sentence: str
    outcome: Outcome
    later: tuple[Outcome | None, ...] = ()


def gist(error: Raised) -> str:
    """Return the line of an error's message that says what was wrong, without names and numbers.

    What an answer raises itself, it says in its own words, which are no part of the gist.
    """
    if error.deliberate:
        return DELIBERATE
    lines = error.message.splitlines()
    first = next((x for x in lines if x.strip() and not x.startswith(KERAS_WRAPPERS)), "")
    # Addresses differ from one object to the next, and so do Keras's names: pooling, pooling_1.
    return re.sub(r"0x[0-9a-f]+|_?\d+", "", first)


def without_values(value: Any) -> Any:
    """Replace the numbers of a value by zeros, or by nan where one is not finite."""
    if isinstance(value, (list, tuple)):
        return type(value)(without_values(item) for item in value)
    if isinstance(value, dict):
        return {key: without_values(item) for key, item in value.items()}
    if isinstance(value, (float, np.ndarray)):
        zeros = np.zeros_like(value)
        return zeros if np.isfinite(value).all() else zeros + np.nan
    return value


def without_convention(value: Any) -> Any:
    """Return a value without the signs and the order of its numbers.

    Few different numbers stay as they are: their order is most of what they say.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        sizes = np.sort(np.abs(value), axis=None).reshape(value.shape)
        return sizes if np.unique(sizes.round(6)).size >= MANY else value
    if isinstance(value, (list, tuple)):
        return type(value)(without_convention(item) for item in value)
    if isinstance(value, dict):
        return {key: without_convention(item) for key, item in value.items()}
    return value


def _plain(value: Any) -> Any:
    """Replace the objects in a value by `SomeObject`."""
    if isinstance(value, RemoteObject):
        return SomeObject()
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(item) for item in value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
