"""Calls with one argument altered, as if the answer had read it wrongly.

Where a wrong result is exactly what the right answer gives for other arguments (a mask with True
and False swapped, a matrix transposed, a bias of 0), that is what the answer does to them. The
reference is asked these calls; of what it gives a fingerprint is kept, a few numbers, however large
it is.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from coursekit.checks.comparison import as_numbers
from coursekit.checks.wording import COMPARED

# Where a value stands: the number or keyword of an argument, and the key of an entry in it.
Path = tuple[Any, ...]
# The shapes of a result's numbers, and some sums of them with fixed random weights.
Fingerprint = list[Any]

_NOT_GIVEN = object()

SUMS = 3
# Whole numbers, and multiples of parts such as 1/12, agree too easily by chance, unless there are
# many different ones.
PARTS = range(1, 25)
MANY_COUNTS = 10
MANY_NUMBERS, LARGE = 1_000_000, 1e100


class Alteration(NamedTuple):
    """Other arguments for a call, and what would have to be true of the given ones."""

    condition: str
    args: list[Any]
    kwargs: dict[str, Any]


class _Place(NamedTuple):
    """A value among the arguments, where it stands, and what it is called."""

    path: Path
    name: str
    value: Any


def alterations(
    args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str] = ()
) -> Iterator[Alteration]:
    """Alter the arguments of a call in the ways in which answers misread them, one at a time.

    ``names`` are those of the parameters that ``args`` are for.
    """
    given: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
    called = [name for name, _ in named(args, kwargs, names)]
    places = [
        place
        for key, name in zip(given, called, strict=True)
        for place in _places(key, f"argument {name}", given[key])
    ]
    for condition, new in _changes(places):
        changed = _with(given, new)
        yield Alteration(
            condition,
            [changed[number] for number in range(len(args))],
            {name: changed[name] for name in kwargs if name in changed},
        )


def named(
    args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str]
) -> list[tuple[str, Any]]:
    """Return the arguments of a call, each with its name or, from 1, its number."""
    called = [*names[: len(args)], *(str(n) for n in range(len(names) + 1, len(args) + 1))]
    return [*zip(called, args, strict=True), *kwargs.items()]


def said(condition: str) -> str:
    """Word what a result has to do with the expected one that altered arguments would give."""
    return f"{COMPARED}your result would be right if {condition}."


def fingerprint(value: Any) -> Fingerprint | None:
    """Return the `Fingerprint` of a result, None where it does not consist of finite numbers."""
    shapes: list[str] = []
    parts: list[npt.NDArray[np.float64]] = []
    if not _collect(value, shapes, parts):
        return None
    numbers = np.concatenate(parts) if parts else np.zeros(0)
    # An answer may return anything, and its numbers may be as large as numbers can be.
    if not 0 < numbers.size <= MANY_NUMBERS or not (np.abs(numbers) < LARGE).all():
        return None
    if not _is_telling(numbers):
        return None
    sums = (np.random.default_rng(0).normal(size=(SUMS, numbers.size)) @ numbers).tolist()
    return [" ".join(shapes), *(float(f"{each:.9g}") for each in sums)]


def agree(one: Fingerprint, other: Fingerprint, tolerance: float) -> bool:
    """Say whether two fingerprints are those of one result."""
    if one[0] != other[0]:
        return False
    near = np.abs(np.subtract(one[1:], other[1:])) <= tolerance * (1 + np.abs(other[1:]))
    return bool(near.all())


def _places(key: Any, name: str, value: Any) -> Iterator[_Place]:
    """List an argument and its entries."""
    yield _Place((key,), name, value)
    for entry, inner in _entries(value):
        yield _Place((key, entry), f'entry "{entry}" of {name}', inner)


def _changes(places: Sequence[_Place]) -> Iterator[tuple[str, dict[Path, Any]]]:
    """List what is changed at a time, by its place, behind the condition."""
    for place in places:
        for condition, value in _altered(place.value):
            yield condition.format(place.name), {place.path: value}
    yield from _cut_together(places)
    for place in places:
        if isinstance(place.path[-1], str) and len(place.path) == 1:
            yield f"{place.name} were not given", {place.path: _NOT_GIVEN}
    for one, other in combinations(places, 2):
        if _are_exchangeable(one.value, other.value):
            exchanged = {one.path: other.value, other.path: one.value}
            yield f"{one.name} and {other.name} were swapped", exchanged


def _with(given: Mapping[Any, Any], new: Mapping[Path, Any]) -> dict[Any, Any]:
    """Return the arguments with other values in some places."""
    changed = dict(given)
    for (key, *entry), value in new.items():
        changed[key] = _rebuilt(changed[key], {entry[0]: value}) if entry else value
    return {key: value for key, value in changed.items() if value is not _NOT_GIVEN}


def _entries(value: Any) -> list[tuple[Any, Any]]:
    """List the entries of a dict, or of a list of arrays, with their keys."""
    if isinstance(value, dict):
        return list(value.items())
    is_of_arrays = isinstance(value, (list, tuple)) and any(
        isinstance(e, np.ndarray) for e in value
    )
    return list(enumerate(value)) if is_of_arrays else []


def _rebuilt(value: Any, new: Mapping[Any, Any]) -> Any:
    """Return a dict, list or tuple like this one with other entries under some keys."""
    entries = {**dict(_entries(value)), **new}
    return entries if isinstance(value, dict) else type(value)(entries.values())


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
    arrays = [(key, entry) for key, entry in _entries(value) if isinstance(entry, np.ndarray)]
    for how, change in _OF_ALL.items() if len(arrays) > 1 else ():
        changed = {key: change(entry) for key, entry in arrays if entry.ndim}
        yield "every array of {} " + how, _rebuilt(value, changed)


_OF_ALL: dict[str, Callable[[npt.NDArray[Any]], npt.NDArray[Any]]] = {
    "were transposed": np.transpose,
    "were 0 everywhere": np.zeros_like,
    "were 1 everywhere": np.ones_like,
}


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
            yield f"{{}} were reversed along axis {axis}", np.flip(array, axis)
            for end, place, others in (("first", 0, slice(1, None)), ("last", -1, slice(-1))):
                rest = array.take(range(length)[others], axis)
                yield f"the {end} entry of {{}} along axis {axis} were left out", rest
                only = np.repeat(array.take([place], axis), length, axis)
                yield f"every entry of {{}} along axis {axis} were the {end} one", only


def _cut_together(places: Sequence[_Place]) -> Iterator[tuple[str, dict[Path, Any]]]:
    """Leave out the ends of an axis that several arrays share, which its length tells."""
    arrays = [place for place in places if isinstance(place.value, np.ndarray)]
    lengths = Counter(length for place in arrays for length in set(place.value.shape))
    for length in [length for length, count in lengths.items() if length > 1 < count]:
        for end, kept in (("first", slice(1, None)), ("last", slice(-1))):
            new = {}
            for place in arrays:
                cut = tuple(kept if n == length else slice(None) for n in place.value.shape)
                new[place.path] = place.value[cut]
            yield f"the {end} entry of every axis of length {length} were left out", new


def _are_exchangeable(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.ndim == other.ndim and one.dtype.kind == other.dtype.kind
    numbers = (int, float, np.number)
    if isinstance(one, numbers) and isinstance(other, numbers):
        return type(one) is type(other) and not isinstance(one, bool) and one != other
    return False


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
    """Say whether these numbers are so distinctive that no other result agrees by chance."""
    if (numbers == np.round(numbers)).all():
        return np.unique(numbers).size >= MANY_COUNTS
    multiples = np.multiply.outer(numbers, PARTS)
    is_multiple = (np.abs(multiples - np.round(multiples)) < 1e-4).any(axis=-1)
    return not is_multiple.all() or np.unique(numbers.round(6)).size >= MANY_COUNTS
