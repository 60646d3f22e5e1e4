"""What a wrong result has to do with the expected one, where no mistake of the bank explains it.

The sentences are facts and not guesses: "every number has the opposite sign", "only the last entry
along axis 1 differs". They point to the mistake without a bank that knows it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from coursekit.checks.comparison import as_numbers, differs, same
from coursekit.checks.wording import COMPARED

Numbers = npt.NDArray[Any]
Same = Callable[[Any, Any], bool]

# The largest factor or amount that is told by its number.
MAX_COUNT = 1000
# The decimal places to which people round. A single number with fewer may have them by chance.
ROUNDED_TO = (2, 3, 4)

_ENTRYWISE: dict[str, Callable[[Numbers], Numbers]] = {
    "the square of": np.square,
    "the square root of": np.sqrt,
    "the reciprocal of": np.reciprocal,
    "1 minus": lambda x: 1 - x,
    "the absolute value of": np.abs,
    "exp of": np.exp,
    "the logarithm of": np.log,
    "tanh of": np.tanh,
    "the sigmoid of": lambda x: 1 / (1 + np.exp(-x)),
    "the larger of 0 and": lambda x: np.maximum(x, 0),
}
_REDUCTIONS: dict[str, Callable[..., Numbers]] = {
    "the sum": np.sum,
    "the mean": np.mean,
    "the largest number": np.max,
}
_ENDS = {"first": 0, "last": -1}


def relation(
    got: Any, expected: Any, arguments: Sequence[tuple[str, Any]], tolerance: float
) -> str | None:
    """Say how all of a wrong result follows from the expected one, None where it does not.

    ``arguments`` are those of the call, each with its name or its number.
    """
    return _said(_relations(got, expected, arguments, tolerance))


def location(
    got: Any, expected: Any, arguments: Sequence[tuple[str, Any]], tolerance: float
) -> str | None:
    """Say where a wrong result of the expected shape is right, None where no rule tells it."""
    pair = _first_wrong(got, expected, tolerance)
    if not pair or pair[0].shape != pair[1].shape:
        return None
    mine, other = pair
    finite = np.isfinite(mine)
    if other.dtype.kind in "biuf" and not finite.all():
        wrong = ~finite
        if not same(np.where(wrong, 0, mine), np.where(wrong, 0, other), tolerance):
            return None
    else:
        wrong = np.abs(mine * 1.0 - other * 1.0) > tolerance * (1 + np.abs(other * 1.0))
    return _said(_places(wrong, mine, other, arguments))


def _said(sentences: Iterator[str]) -> str | None:
    with np.errstate(all="ignore"):
        sentence = next(sentences, None)
    return sentence and f"{COMPARED}{sentence}."


def _relations(
    got: Any, expected: Any, arguments: Sequence[tuple[str, Any]], tolerance: float
) -> Iterator[str]:
    def agree(one: Any, other: Any) -> bool:
        return same(one, other, tolerance)

    if _are_several(got, expected) and len(got) <= 4 and not isinstance(expected[0], str):
        if any(agree(list(order), list(expected)) for order in permutations(got)):
            yield "the values of the result are in another order"
    pair = _first_wrong(got, expected, tolerance)
    if pair is None:
        yield from _of_lists(*_first_list(got, expected, tolerance))
        return
    mine, other = pair
    if mine.dtype == bool and other.dtype == bool and mine.shape == other.shape:
        if (mine != other).all() and mine.size > 1:
            yield "True and False are swapped"
    if "b" in mine.dtype.kind + other.dtype.kind and mine.dtype != other.dtype:
        return
    if "c" in mine.dtype.kind + other.dtype.kind or not np.isfinite(mine).all():
        return
    mine, other = mine.astype(float), other.astype(float)
    if not np.isfinite(other).all():
        return
    if mine.shape != other.shape:
        yield from _of_shapes(mine, other, agree)
        return
    yield from _of_order(mine, other, agree)
    yield from _of_signs(mine, other, agree)
    yield from _of_factor_and_amount(mine, other, agree)
    yield from _of_rounding(mine, other, agree)
    yield from _of_functions(mine, other, agree)
    yield from _of_softmax(mine, other, agree)
    yield from _of_arguments(mine, other, arguments, agree)
    yield from _along_axes(mine, other, agree)


def _are_several(got: Any, expected: Any) -> bool:
    """Say whether two results consist of as many values, which `differs` compares one by one."""
    if isinstance(expected, list) and as_numbers(expected) is not None:
        return False
    several = isinstance(expected, (tuple, list)) and isinstance(got, (tuple, list))
    return several and len(got) == len(expected) > 1


def _first_wrong(got: Any, expected: Any, tolerance: float) -> tuple[Numbers, Numbers] | None:
    """Return the arrays in which two results differ first, None where that is not an array."""
    for one, two in _parts(got, expected):
        if differs(one, two, tolerance):
            return _first_wrong(one, two, tolerance)
    mine, other = as_numbers(got), as_numbers(expected)
    return None if mine is None or other is None else (mine, other)


def _first_list(got: Any, expected: Any, tolerance: float) -> tuple[Any, Any]:
    """Return the lists or texts in which two results differ first."""
    if isinstance(expected, list) and all(isinstance(item, str) for item in expected):
        return got, expected
    for one, two in _parts(got, expected):
        if isinstance(two, (list, str)) and differs(one, two, tolerance):
            return _first_list(one, two, tolerance)
    return got, expected


def _parts(got: Any, expected: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(expected, dict) and isinstance(got, dict) and got.keys() == expected.keys():
        return [(got[key], expected[key]) for key in expected]
    if _are_several(got, expected):
        return list(zip(got, expected, strict=True))
    return []


# --- lists and texts -----------------------------------------------------------------------------


def _of_lists(got: Any, expected: Any) -> Iterator[str]:
    if isinstance(got, str) and isinstance(expected, str) and got != expected:
        if got.lower() == expected.lower():
            yield "the text differs only in upper and lower case"
        if "".join(got.split()) == "".join(expected.split()):
            yield "the text differs only in spaces"
    if not (isinstance(got, (list, tuple)) and isinstance(expected, (list, tuple))):
        return
    mine, other = list(got), list(expected)
    if len(other) < 2 or not all(isinstance(item, str) for item in mine + other):
        return
    if mine == other[::-1]:
        yield "the list is in reverse order"
    if sorted(mine) == sorted(other):
        yield "the list holds the same entries in another order"
    if mine == other[1:]:
        yield "the first entry of the list is missing, the others are right"
    if mine == other[:-1]:
        yield "the last entry of the list is missing, the others are right"
    if mine[1:] == other:
        yield "the list has one entry too many at its beginning, the others are right"
    if mine[:-1] == other:
        yield "the list has one entry too many at its end, the others are right"


# --- another shape -------------------------------------------------------------------------------


def _of_shapes(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    if mine.ndim == other.ndim:
        yield from _exchanged(mine, other, agree)
        for axis in range(other.ndim):
            yield from _of_lengths(mine, other, axis, agree)
    if mine.size == other.size and agree(mine.ravel(), other.ravel()):
        if mine.squeeze().shape == other.squeeze().shape and mine.ndim != other.ndim:
            missing = mine.ndim < other.ndim
            yield (
                "the numbers are right, but an axis of length 1 is missing"
                if missing
                else "the numbers are right, but there is an axis of length 1 too many"
            )
        yield "the numbers are right, but arranged in another shape"
    for axis in range(other.ndim):
        for name, reduce in _REDUCTIONS.items():
            if _agree_when_reduced(mine, other, reduce, axis, agree):
                yield f"the numbers are right, but axis {axis} is missing: {name} was taken over it"
        for name, end in _ENDS.items():
            if other.shape[axis] > 1 and agree(mine, other.take(end, axis)):
                yield f"axis {axis} is missing: only its {name} entry came back"
    if mine.ndim <= other.ndim:
        return
    many = "there is one axis too many, axis"
    for axis in range(mine.ndim):
        for name, reduce in _REDUCTIONS.items():
            if _agree_when_reduced(other, mine, reduce, axis, agree):
                yield f"{many} {axis}: {name} over it would give the expected numbers"
        for name, end in _ENDS.items():
            if mine.shape[axis] > 1 and agree(mine.take(end, axis), other):
                yield f"{many} {axis}: only its {name} entry is expected"


def _agree_when_reduced(
    small: Numbers, large: Numbers, reduce: Callable[..., Numbers], axis: int, agree: Same
) -> bool:
    if large.shape[axis] < 2:
        return False
    return any(agree(small, reduce(large, axis=axis, keepdims=keep)) for keep in (False, True))


def _of_lengths(mine: Numbers, other: Numbers, axis: int, agree: Same) -> Iterator[str]:
    length = other.shape[axis]
    inner = range(1, max(length, 1))
    if mine.shape[axis] == length - 1 > 0:
        if agree(mine, other.take(inner, axis)):
            yield f"the first entry along axis {axis} is missing, the others are right"
        if agree(mine, other.take(range(length - 1), axis)):
            yield f"the last entry along axis {axis} is missing, the others are right"
    if mine.shape[axis] == length + 1 > 1:
        many = "there is one entry too many along axis"
        if agree(mine.take(range(1, length + 1), axis), other):
            yield f"{many} {axis}, the first one; the others are right"
        if agree(mine.take(range(length), axis), other):
            yield f"{many} {axis}, the last one; the others are right"


def _exchanged(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    for one in range(other.ndim):
        for two in range(one + 1, other.ndim):
            if agree(mine.swapaxes(one, two), other):
                yield f"axes {one} and {two} are swapped"


# --- the same shape ------------------------------------------------------------------------------


def _of_order(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    yield from _exchanged(mine, other, agree)
    for axis, length in enumerate(other.shape):
        if length > 1 and agree(mine, np.flip(other, axis)):
            yield f"the entries along axis {axis} are in reverse order"
        if length > 2:
            front, back = range(length - 1), range(1, length)
            if not agree(other.take(front, axis), other.take(back, axis)):
                if agree(mine.take(back, axis), other.take(front, axis)):
                    yield f"the entries come one place too late along axis {axis}"
                if agree(mine.take(front, axis), other.take(back, axis)):
                    yield f"the entries come one place too early along axis {axis}"
    if other.size > 2 and agree(np.sort(mine, axis=None), np.sort(other, axis=None)):
        yield "the same numbers are in another order"


def _of_signs(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    if agree(mine, -other):
        yield "every number has the opposite sign"
    if other.size > 2 and agree(np.abs(mine), np.abs(other)):
        yield "every number that differs has the opposite sign"


def _of_factor_and_amount(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    if other.size > 1 and not agree(other, other * 0):
        factor = _ratio(mine, other)
        # A factor that rounds to 1 says nothing: the numbers have been rounded, or cut.
        if factor and abs(factor - 1) > 1e-3 and agree(mine, factor * other):
            if count := _count(factor):
                yield f"every number is {count} times the expected one"
            if count := _count(1 / factor):
                yield f"every number is the expected one divided by {count}"
    amount = float(np.mean(mine - other))
    if other.size > 1 and agree(mine, other + amount) and (count := _count(abs(amount))):
        too_large = f"every number is too large by {count}"
        yield too_large if amount > 0 else f"every number is too small by {count}"


def _of_rounding(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    # Weights of 0, 0.5 and 1 look rounded when another mistake has changed them.
    can_be_rounded = not np.isin(np.round(other, 6), (0, 0.5, 1)).all()
    if other.size > 1 and can_be_rounded and agree(mine, np.round(other)):
        yield "every number has been rounded"
    for decimals in ROUNDED_TO if can_be_rounded else ():
        is_round = (np.abs(mine - np.round(mine, decimals)) < 1e-6).all()
        if is_round and agree(mine, np.round(other, decimals)):
            if other.size > 1:
                yield f"every number has been rounded to {decimals} decimal places"
            else:
                yield f"it has been rounded to {decimals} decimal places"


def _of_functions(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    for name, change in _ENTRYWISE.items():
        if other.size > 1 and agree(mine, change(other)):
            yield f"every number is {name} the expected one"
        if other.size > 1 and agree(change(mine), other):
            yield f"taking {name} your numbers gives the expected ones"


def _of_softmax(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    for axis, length in enumerate(other.shape):
        if length > 1:
            if agree(_softmax(mine, axis), other):
                yield f"the softmax of your numbers over axis {axis} would give the expected ones"
            if agree(mine, _softmax(other, axis)):
                yield f"your numbers are the softmax of the expected ones over axis {axis}"
            if agree(mine / mine.sum(axis=axis, keepdims=True), other):
                yield f"your numbers must still be divided by their sum over axis {axis}"


def _of_arguments(
    mine: Numbers, other: Numbers, arguments: Sequence[tuple[str, Any]], agree: Same
) -> Iterator[str]:
    for name, argument in arguments:
        given = as_numbers(argument)
        if given is None or given.dtype.kind not in "iuf" or not np.isfinite(given).all():
            continue
        # Whole numbers are too often right by chance.
        if not given.ndim and given == np.round(given):
            continue
        if given.size > 1 and given.shape == other.shape and agree(mine, given):
            yield f"argument {name} came back as it was"
        if other.size < 2:
            continue
        try:
            given = np.broadcast_to(given.astype(float), other.shape)
        except ValueError:
            continue
        if agree(mine + given, other):
            yield f"your numbers plus argument {name} would be the expected ones"
        if agree(mine - given, other):
            yield f"your numbers minus argument {name} would be the expected ones"
        if agree(given - mine, other):
            yield f"argument {name} minus your numbers would give the expected ones"
        if agree(mine * given, other):
            yield f"your numbers times argument {name} would be the expected ones"
        if agree(mine / given, other):
            yield f"your numbers divided by argument {name} would be the expected ones"


def _along_axes(mine: Numbers, other: Numbers, agree: Same) -> Iterator[str]:
    if other.size > 2:
        factor = _ratio(mine, other)
        if factor and agree(mine, factor * other):
            yield "every number is off by the same factor"
        if agree(mine, other + np.mean(mine - other)):
            yield "every number is off by the same amount"
    for axis, length in enumerate(other.shape):
        if length < 3 or length == other.size:
            continue
        largest = np.abs(other).argmax(axis=axis, keepdims=True)
        factors = np.take_along_axis(mine, largest, axis) / np.take_along_axis(other, largest, axis)
        # Where some slices are right, or zero, it is better to say which ones.
        own = np.isfinite(factors) & (np.abs(factors) > 1e-5) & (np.abs(factors - 1) > 1e-5)
        if own.all() and agree(mine, factors * other):
            yield f"along axis {axis} all numbers are off by the same factor"
        amounts = (mine - other).mean(axis=axis, keepdims=True)
        if (np.abs(amounts) > 1e-5).all() and agree(mine, other + amounts):
            yield f"along axis {axis} all numbers are off by the same amount"


def _ratio(mine: Numbers, other: Numbers) -> float:
    largest = np.abs(other).argmax()
    return float(mine.flat[largest] / other.flat[largest])


def _count(number: float) -> str | None:
    """Word a whole number above 0, or the square root of one; None for any other number."""
    if not 0 < number <= MAX_COUNT:  # nor for one too large to be squared
        return None
    for text, count in (("{}", number), ("the square root of {}", number**2)):
        whole = round(count) if count <= MAX_COUNT else 0
        if whole > 0 and abs(count - whole) < 1e-4 * whole:
            return text.format(whole)
    return None


def _softmax(x: Numbers, axis: int) -> Numbers:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    shares: Numbers = powers / powers.sum(axis=axis, keepdims=True)
    return shares


# --- where ---------------------------------------------------------------------------------------


def _places(
    wrong: Numbers, mine: Numbers, other: Numbers, arguments: Sequence[tuple[str, Any]]
) -> Iterator[str]:
    if wrong.all() or not wrong.any():
        return
    yield from _under_masks(wrong, arguments)
    if wrong.ndim > 1 and wrong.shape[-1] == wrong.shape[-2] > 2:
        yield from _by_the_diagonal(wrong)
    if other.dtype != bool:
        yield from _by_value(wrong, mine, other)
    for axis, length in enumerate(wrong.shape):
        if length > 1:
            places = _along(axis, wrong)
            for name, end in _ENDS.items():
                if places[end] and places.sum() == 1:
                    yield f"only the {name} entry along axis {axis} differs"
    for axis, length in enumerate(wrong.shape):
        if length > 2:
            places = _along(axis, wrong)
            for name, end in _ENDS.items():
                if not places[end] and places.sum() == length - 1:
                    yield f"only the {name} entry along axis {axis} is right"
            if places[-1] and not places[0] and (np.diff(places.astype(int)) >= 0).all():
                yield f"along axis {axis} the first entries are right and the later ones wrong"
            if places[0] and not places[-1] and (np.diff(places.astype(int)) <= 0).all():
                yield f"along axis {axis} the first entries are wrong and the later ones right"


def _along(axis: int, wrong: Numbers) -> Numbers:
    """Return for each entry along an axis whether anything in it is wrong."""
    return np.asarray(wrong.any(axis=tuple(k for k in range(wrong.ndim) if k != axis)))


def _by_the_diagonal(wrong: Numbers) -> Iterator[str]:
    square: Numbers = np.asarray(wrong.reshape(-1, *wrong.shape[-2:]).any(axis=0))
    diagonal = np.eye(len(square)) == 1
    above, below = np.triu(square, 1), np.tril(square, -1)
    is_matrix = wrong.ndim == 2
    if (square == above).all() and above.any(axis=1).sum() > 1:
        yield (
            "only what stands above the diagonal differs"
            if is_matrix
            else "only what stands above the diagonal of the last two axes differs"
        )
    if (square == below).all() and below.any(axis=1).sum() > 1:
        yield (
            "only what stands below the diagonal differs"
            if is_matrix
            else "only what stands below the diagonal of the last two axes differs"
        )
    if (square == diagonal).all():
        yield (
            "only the diagonal differs"
            if is_matrix
            else "only the diagonal of the last two axes differs"
        )
    if (square == ~diagonal).all():
        yield (
            "only the diagonal is right"
            if is_matrix
            else "only the diagonal of the last two axes is right"
        )


def _under_masks(wrong: Numbers, arguments: Sequence[tuple[str, Any]]) -> Iterator[str]:
    for name, mask in arguments:
        if not (isinstance(mask, np.ndarray) and mask.dtype == bool and mask.ndim):
            continue
        if mask.shape == wrong.shape:
            if (wrong == mask).all():
                yield f"exactly the entries where argument {name} is True differ"
            if (wrong == ~mask).all():
                yield f"exactly the entries where argument {name} is False differ"
        rows = wrong.any(axis=-1)
        if rows.ndim and not rows.all():
            for how, hidden in (
                ("everywhere", ~mask.any(axis=-1)),
                ("somewhere", ~mask.all(axis=-1)),
            ):
                if hidden.shape == rows.shape and (hidden == rows).all():
                    yield f"exactly the rows in which argument {name} is False {how} differ"


def _by_value(wrong: Numbers, mine: Numbers, other: Numbers) -> Iterator[str]:
    if not (wrong & (other != 0)).any():
        yield "only the numbers that should be 0 differ"
    if not (wrong & (mine != 0)).any():
        yield "some numbers are 0 that should not be, all others are right"
    if (wrong == (other < 0)).all():
        yield "only the numbers that should be negative differ"
    if (wrong == (other > 0)).all():
        yield "only the numbers that should be positive differ"
