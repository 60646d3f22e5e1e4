"""Calls with one argument altered, as if the answer had read it wrongly.

Where a wrong result is exactly what the right answer gives for other arguments (a mask with True
and False swapped, a matrix transposed, a bias of 0), that is what the answer does to them. The
reference is asked these calls; of what it gives a fingerprint is kept, a few numbers, however large
it is.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from coursekit.checks.comparison import as_numbers
from coursekit.checks.failure import COMPARED

Args = tuple[list[Any], dict[str, Any]]
# The shapes of a result's numbers, and some sums of them with fixed random weights.
Fingerprint = list[Any]

SUMS = 3
# Whole numbers, and multiples of parts such as 1/12, agree too easily by chance, unless they are many.
PARTS = range(1, 25)
MANY_COUNTS = 10


class Alteration(NamedTuple):
    """Other arguments for a call, and what would have to be true of the given ones."""

    condition: str
    args: list[Any]
    kwargs: dict[str, Any]


class _Place(NamedTuple):
    """A value among the arguments, what it is called, and how another one is put there."""

    name: str
    value: Any
    put: Callable[[Any], Args]


def alterations(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Alteration]:
    """Alter the arguments of a call in the ways in which answers misread them, one at a time."""
    places = list(_places(list(args), dict(kwargs)))
    for place in places:
        for condition, value in _altered(place.value):
            yield Alteration(condition.format(place.name), *place.put(value))
    yield from _cut_together(places)
    for name in kwargs:
        rest = {key: value for key, value in kwargs.items() if key != name}
        yield Alteration(f"argument {name} were not given", list(args), rest)
    for number, one in enumerate(places):
        for other in places[number + 1 :]:
            if _are_exchangeable(one.value, other.value):
                yield Alteration(
                    f"{one.name} and {other.name} were swapped",
                    *_put_both(list(args), dict(kwargs), one, other),
                )


def said(condition: str) -> str:
    """Word what a result has to do with the expected one that altered arguments would give."""
    return f"{COMPARED}your result would be right if {condition}."


def fingerprint(value: Any) -> Fingerprint | None:
    """Return the `Fingerprint` of a result, None where it is no result of finite numbers."""
    shapes: list[str] = []
    parts: list[npt.NDArray[np.float64]] = []
    if not _collect(value, shapes, parts):
        return None
    numbers = np.concatenate(parts) if parts else np.zeros(0)
    if not numbers.size or not np.isfinite(numbers).all() or not _is_telling(numbers):
        return None
    sums = (np.random.default_rng(0).normal(size=(SUMS, numbers.size)) @ numbers).tolist()
    return [" ".join(shapes), *(float(f"{each:.9g}") for each in sums)]


def agree(one: Fingerprint, other: Fingerprint, tolerance: float) -> bool:
    """Say whether two fingerprints are those of one result."""
    if one[0] != other[0]:
        return False
    near = np.abs(np.subtract(one[1:], other[1:])) <= tolerance * (1 + np.abs(other[1:]))
    return bool(near.all())


def _places(args: list[Any], kwargs: dict[str, Any]) -> Iterator[_Place]:
    for number, value in enumerate(args):

        def at(new: Any, number: int = number) -> Args:
            return [*args[:number], new, *args[number + 1 :]], kwargs

        yield from _with_entries(f"argument {number + 1}", value, at)
    for name, value in kwargs.items():

        def under(new: Any, name: str = name) -> Args:
            return args, kwargs | {name: new}

        yield from _with_entries(f"argument {name}", value, under)


def _with_entries(name: str, value: Any, put: Callable[[Any], Args]) -> Iterator[_Place]:
    yield _Place(name, value, put)
    if not isinstance(value, (list, tuple)) or as_numbers(value) is not None:
        return
    for number, entry in enumerate(value):

        def at(new: Any, number: int = number) -> Args:
            return put(type(value)([*value[:number], new, *value[number + 1 :]]))

        yield _Place(f"entry {number + 1} of {name}", entry, at)


def _altered(value: Any) -> Iterator[tuple[str, Any]]:
    """List what a value could be taken for, behind the words for it."""
    if isinstance(value, bool):
        yield ("{} were " + str(not value), not value)
    elif isinstance(value, (int, np.integer)):
        yield "{} were larger by 1", value + 1
        yield "{} were smaller by 1", value - 1
    elif isinstance(value, (float, np.floating)):
        yield from _altered_number(float(value))
    elif isinstance(value, np.ndarray) and value.ndim and value.size > 1:
        if value.dtype == bool:
            yield "True and False were swapped in {}", ~value
            yield "{} were True everywhere", np.ones_like(value)
            yield "{} were False everywhere", np.zeros_like(value)
        elif value.dtype.kind == "f":
            yield "{} had the opposite sign", -value
            yield "{} were 0 everywhere", np.zeros_like(value)
            yield "{} were 1 everywhere", np.ones_like(value)
            yield "{} were squared", value**2
        elif value.dtype.kind in "iu":
            yield "{} were larger by 1", value + 1
            yield "{} were smaller by 1", value - 1
        yield from _rearranged(value)
    elif isinstance(value, list) and len(value) > 1:
        yield "{} were reversed", value[::-1]


def _altered_number(value: float) -> Iterator[tuple[str, float]]:
    yield "{} had the opposite sign", -value
    yield "{} were 0", 0.0
    yield "{} were 1", 1.0
    yield "{} were squared", value**2
    if value > 0:
        yield "{} were its square root", value**0.5
        yield "{} were its reciprocal", 1 / value


def _rearranged(array: npt.NDArray[Any]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    if array.ndim > 1:
        yield "{} were transposed", array.swapaxes(-1, -2)
    for axis, length in enumerate(array.shape):
        if length > 1:
            first, last = array.take([0], axis), array.take([-1], axis)
            along = f"along axis {axis}"
            yield "{} were reversed " + along, np.flip(array, axis)
            yield (
                "the first entry of {} " + along + " were left out",
                array.take(range(1, length), axis),
            )
            yield (
                "the last entry of {} " + along + " were left out",
                array.take(range(length - 1), axis),
            )
            yield (
                "every entry of {} " + along + " were the first one",
                np.repeat(first, length, axis),
            )
            yield "every entry of {} " + along + " were the last one", np.repeat(last, length, axis)


def _cut_together(places: Sequence[_Place]) -> Iterator[Alteration]:
    """Leave out the ends of an axis that several arrays share, which its length tells."""
    arrays = [place for place in places if isinstance(place.value, np.ndarray)]
    lengths = Counter(length for place in arrays for length in set(place.value.shape))
    for length in [length for length, count in lengths.items() if length > 1 < count]:
        for end, kept in (("first", slice(1, None)), ("last", slice(-1))):
            args, kwargs = places[0].put(places[0].value)
            for place in arrays:
                cut = tuple(kept if n == length else slice(None) for n in place.value.shape)
                args, kwargs = _put(args, kwargs, place.name, place.value[cut])
            yield Alteration(
                f"the {end} entry of every axis of length {length} were left out", args, kwargs
            )


def _are_exchangeable(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.ndim == other.ndim and one.dtype.kind == other.dtype.kind
    numbers = (int, float, np.number)
    if isinstance(one, numbers) and isinstance(other, numbers):
        return type(one) is type(other) and not isinstance(one, bool) and one != other
    return False


def _put_both(args: list[Any], kwargs: dict[str, Any], one: _Place, other: _Place) -> Args:
    return _put(*_put(args, kwargs, one.name, other.value), other.name, one.value)


def _put(args: list[Any], kwargs: dict[str, Any], name: str, value: Any) -> Args:
    """Put a value to the place of this name."""
    return next(place for place in _places(args, kwargs) if place.name == name).put(value)


def _collect(value: Any, shapes: list[str], parts: list[npt.NDArray[np.float64]]) -> bool:
    """Gather the numbers of a result; return False where it holds anything else."""
    numbers = as_numbers(value)
    if numbers is not None and numbers.dtype.kind in "biuf":
        shapes.append(str(numbers.shape))
        parts.append(numbers.astype(np.float64).ravel())
        return True
    if isinstance(value, (list, tuple)):
        shapes.append(str(len(value)))
        return all([_collect(entry, shapes, parts) for entry in value])
    if isinstance(value, dict):
        shapes.append(str(list(value)))
        return all([_collect(entry, shapes, parts) for entry in value.values()])
    return False


def _is_telling(numbers: npt.NDArray[np.float64]) -> bool:
    """Say whether so many numbers, and such, hardly agree with others by chance."""
    if (numbers == np.round(numbers)).all():
        return np.unique(numbers).size >= MANY_COUNTS
    multiples = np.multiply.outer(numbers, PARTS)
    is_multiple = (np.abs(multiples - np.round(multiples)) < 1e-4).any(axis=-1)
    return not is_multiple.all() or np.unique(numbers.round(6)).size >= MANY_COUNTS
