"""The comparison of what came back with what was expected, and the words for a difference."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from coursekit.checks.plain_data import ByImportPath, NotPlainData, TextFile
from coursekit.checks.stand_in import RemoteObject, StandIn, label_of, type_name

TOLERANCE = 1e-5
# Up to this many numbers in all, a failed call is shown as code to be pasted into a cell.
MAX_NUMBERS_IN_CODE = 60
# A longer text is data, not the name of an option.
MAX_TEXT = 20
# A whole number below this one is shown with all its digits.
LARGEST_COUNT = 1e15
# Of what came back, where a call has to make something that further calls can use.
EXPECTED_OBJECT = "expected an object such as a layer, a model or a function"
# The shapes that are shown: up to this many axes, each up to this length.
MAX_AXES = 5
MAX_LENGTH = 999
# NumPy's own settings: those of a student are for the student's numbers.
PRINT_OPTIONS: dict[str, Any] = {
    "edgeitems": 3,
    "floatmode": "maxprec",
    "formatter": None,
    "infstr": "inf",
    "legacy": False,
    "linewidth": 75,
    "nanstr": "nan",
    "precision": 8,
    "sign": "-",
    "suppress": False,
    "threshold": 1000,
}


class SomeObject:
    """Stands in an expected value for any object (a layer, a model, a function)."""


class Difference(NamedTuple):
    """Where an answer leaves what was expected: ``summary`` has shapes, ``detail`` has values.

    ``kind`` is "values", "shape", "not finite" or "type"; ``where`` names the part of a result that
    consists of several, with which the summary begins.
    """

    summary: str
    detail: str
    kind: str
    where: str


def differs(
    got: Any,
    expected: Any,
    tolerance: float = TOLERANCE,
    shapes_only: bool = False,
    where: str = "",
) -> Difference | None:
    """Return the first `Difference` between two values, or None when they agree.

    Numbers agree when they differ by at most tolerance · (1 + |expected|); with ``shapes_only``
    finite numbers of the same shape agree.
    """
    if isinstance(expected, list) and not expected and isinstance(got, list) and got:
        return _say(where, f"{describe(got)} came back; expected an empty list", kind="shape")
    if isinstance(expected, list) and as_numbers(expected) is not None:
        # A list of arrays, such as the weights of a layer, is said to have so many values.
        if isinstance(got, np.ndarray) or not any(isinstance(e, np.ndarray) for e in expected):
            expected = as_numbers(expected)
    if isinstance(expected, (tuple, list)):
        return _sequence_differs(got, expected, tolerance, shapes_only, where)
    if isinstance(expected, dict):
        return _dict_differs(got, expected, tolerance, shapes_only, where)
    if isinstance(expected, SomeObject):
        if isinstance(got, (RemoteObject, SomeObject)):
            return None
        summary = f"{describe(got)} came back; {EXPECTED_OBJECT}"
        return _say(where, summary, more(got))
    if isinstance(expected, (str, type(None))):
        if type(got) is type(expected) and got == expected:
            return None
        return _say(where, f"{describe(got)} came back; expected {expected!r}", more(got))
    return _array_differs(got, np.asarray(expected), tolerance, shapes_only, where)


def _sequence_differs(
    got: Any, expected: Any, tolerance: float, shapes_only: bool, where: str
) -> Difference | None:
    numbers = as_numbers(expected)
    # An array whose rows are the values is unpacked like a tuple of them.
    if numbers is not None and isinstance(got, np.ndarray) and got.ndim == numbers.ndim:
        if got.shape[1:] == numbers.shape[1:]:
            got = got.tolist() if got.ndim == 1 else list(got)
    if not isinstance(got, (tuple, list)):
        summary = f"{describe(got)} came back; expected {len(expected)} values"
        return _say(where, summary, more(got))
    if len(got) != len(expected):
        few = "1 value" if len(got) == 1 else f"{len(got)} values"
        count = few if _is_shown([len(got)]) else describe(got)
        return _say(where, f"{count} came back; expected {len(expected)}", kind="shape")
    for number, (one, other) in enumerate(zip(got, expected, strict=True)):
        place = f"{where}value {number + 1} of the result: "
        difference = differs(one, other, tolerance, shapes_only, place)
        if difference:
            return difference
    return None


def with_result_name(summary: str, names: Sequence[str], values: int) -> str:
    """Add its name to the one of several values that a difference is in, where all have names."""
    if len(names) != values:
        return summary
    for number, name in enumerate(names, 1):
        place = f"value {number} of the result: "
        if summary.startswith(place):
            rest = summary.removeprefix(place)
            return f"value {number} of the result ({name.strip('()')}): {rest}"
    return summary


def _dict_differs(
    got: Any, expected: dict[Any, Any], tolerance: float, shapes_only: bool, where: str
) -> Difference | None:
    if not isinstance(got, dict):
        return _say(where, f"{describe(got)} came back; expected a dict", more(got))
    if got.keys() != expected.keys():
        keys, missing = (sorted(k, key=str) for k in (expected, expected.keys() - got))
        summary = f"the dict has more keys than expected, {keys}"
        if missing:
            summary = f"the keys of the dict differ from those expected, {keys}: missing {missing}"
        # Keys that are not expected may hold what a hidden check has passed.
        return _say(where, summary, f"it has {sorted(got, key=str)}")
    for key, other in expected.items():
        difference = differs(got[key], other, tolerance, shapes_only, f'{where}entry "{key}": ')
        if difference:
            return difference
    return None


def _array_differs(
    got: Any, expected: npt.NDArray[Any], tolerance: float, shapes_only: bool, where: str
) -> Difference | None:
    array = as_numbers(got)
    if array is None:
        return _say(where, f"{describe(got)} came back; expected {describe(expected)}", more(got))
    if array.shape != expected.shape:
        summary = f"{describe(got)} came back; expected {describe(expected)}"
        return _say(where, summary, kind="shape")
    if expected.dtype == bool and array.dtype != bool:
        return _say(where, f"{describe(got)} came back; expected booleans (True and False)")
    if array.dtype == bool and expected.dtype != bool:
        return _say(where, f"{describe(got)} came back; expected numbers")
    if expected.dtype != bool and not np.isfinite(array).all():
        position = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        detail = "" if shapes_only else _at(position, array, expected)
        return _say(where, "a value is not finite (nan or inf)", detail, "not finite")
    if shapes_only:
        return None
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
        f"{int(wrong.sum())} of {expected.size} entries of shape {expected.shape} differ"
        if expected.ndim
        else "the number differs"
    )
    return _say(where, summary, _at(position, array, other), "values")


def same(got: Any, other: Any, tolerance: float = TOLERANCE, shapes_only: bool = False) -> bool:
    """Say whether two values are equal, what is not finite in them included."""
    if isinstance(other, (tuple, list)) and as_numbers(other) is None:
        return (
            isinstance(got, (tuple, list))
            and len(got) == len(other)
            and all(same(a, b, tolerance, shapes_only) for a, b in zip(got, other, strict=True))
        )
    if isinstance(other, dict):
        return (
            isinstance(got, dict)
            and got.keys() == other.keys()
            and all(same(got[key], other[key], tolerance, shapes_only) for key in other)
        )
    if isinstance(other, NotPlainData):
        return isinstance(got, NotPlainData) and got.description == other.description
    if isinstance(other, np.ndarray) and other.dtype.kind == "U":
        is_text = isinstance(got, np.ndarray) and got.dtype.kind == "U"
        return is_text and np.array_equal(got, other)
    one, two = as_numbers(got), as_numbers(other)
    if one is None or two is None or one.dtype.kind in "bc" or two.dtype.kind in "bc":
        return differs(got, other, tolerance, shapes_only) is None
    if one.shape != two.shape:
        return False
    one, two = one.astype(float), two.astype(float)
    finite = np.isfinite(one) & np.isfinite(two)
    if shapes_only:
        return bool(np.isfinite(one).all() == np.isfinite(two).all())
    if not np.array_equal(one[~finite], two[~finite], equal_nan=True):
        return False
    return not (np.abs(one[finite] - two[finite]) > tolerance * (1 + np.abs(two[finite]))).any()


def as_numbers(value: Any) -> npt.NDArray[Any] | None:
    """Return numbers, booleans or nested lists of them as an array, None for anything else."""
    if isinstance(value, (list, tuple)):
        # In an array of text each one would take the room of the longest.
        if _holds_text(value):
            return None
        try:
            value = np.asarray(value)
        except ValueError:  # ragged
            return None
    if isinstance(value, (bool, int, float, np.number, np.ndarray)):
        array = np.asarray(value)
        return array if array.dtype.kind in "biufc" else None
    return None


def _holds_text(value: object) -> bool:
    # What came back is nested no deeper than `decode` allows.
    if isinstance(value, (list, tuple)):
        return any(map(_holds_text, value))
    return isinstance(value, str) or (isinstance(value, np.ndarray) and value.dtype.kind in "SU")


def _at(position: tuple[int, ...], got: npt.NDArray[Any], expected: npt.NDArray[Any]) -> str:
    if got.size <= 12 and got.ndim:
        return f"came back: {_inline(got)}\nexpected:  {_inline(expected)}"
    place = f"first difference at {list(position)}: " if position else ""
    return f"{place}{_number(got[position])} came back; expected {_number(expected[position])}"


def _say(where: str, summary: str, detail: str = "", kind: str = "type") -> Difference:
    return Difference(where + summary, detail, kind, where)


# --- wording ---------------------------------------------------------------------------------


def describe(value: object) -> str:
    """Say in a few words what a value is, by built-in type and shape.

    A hidden check shows it, so no word in it may be the answer's own choice.
    """
    if value is None:
        return "None (is a `return` missing?)"
    if isinstance(value, NotPlainData):
        return "something that is not plain data"
    if isinstance(value, (RemoteObject, SomeObject)):
        return "an object"
    if isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind not in "US":
        return "a number"
    if isinstance(value, np.ndarray):
        text = "an array of text" if value.dtype.kind in "US" else "an array"
        return f"{text} of shape {value.shape}" if _is_shown(value.shape) else f"a huge {text[3:]}"
    if isinstance(value, (list, tuple)):
        kind = type(value).__name__
        return f"a {kind} of {len(value)}" if _is_shown([len(value)]) else f"a huge {kind}"
    if isinstance(value, (float, int, np.number)) and not isinstance(value, bool):
        return "a number"
    return f"a {type(value).__name__}"


def _is_shown(shape: Sequence[int]) -> bool:
    """Say whether a shape is small: a large one could spell out what a hidden check has drawn."""
    return len(shape) <= MAX_AXES and max(shape, default=0) <= MAX_LENGTH


def more(value: object) -> str:
    """Say what only a visible check may show of a value: words that its maker chose."""
    if isinstance(value, NotPlainData):
        return f"it is {value.description}"
    if isinstance(value, RemoteObject):
        return f"it is of type {type_name(value)}"
    return repr(value)[:200] if isinstance(value, str) else ""


def call_by_shapes(
    label: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    with_numbers: bool = False,
) -> str:
    """Word a call by the shapes of its arguments, without any value of an array.

    A single number is shown ``with_numbers`` alone: a hidden check may have drawn it.
    """
    return _call(label, args, kwargs, functools.partial(_brief, with_numbers=with_numbers))


def call_as_code(label: str, args: Sequence[object], kwargs: Mapping[str, object]) -> str | None:
    """Word a call as code that can be pasted into a cell, None when it is too long for that."""
    values = [*args, *kwargs.values()]
    if sum(map(_count, values)) > MAX_NUMBERS_IN_CODE or not all(map(_has_code, values)):
        return None
    return _call(label, args, kwargs, _code)


def _call(
    label: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    word: Callable[[object], str],
) -> str:
    words = [word(arg) for arg in args] + [f"{key}={word(arg)}" for key, arg in kwargs.items()]
    return f"{label}({', '.join(words)})"


def _count(value: object) -> int:
    if isinstance(value, (list, tuple)):
        return sum(map(_count, value))
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    return value.size if isinstance(value, np.ndarray) else 1


def _has_code(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_has_code, value))
    if isinstance(value, dict):
        return all(map(_has_code, value.values()))
    if isinstance(value, ByImportPath):
        return not value.args and value.path.startswith(("numpy:", "keras"))
    if isinstance(value, (np.ndarray, np.generic, float)) and np.asarray(value).dtype.kind in "fc":
        return bool(np.isfinite(value).all())  # inf and nan are no names in a notebook
    return isinstance(value, (np.ndarray, np.generic, str, bool, int, type(None)))


def _code(value: Any) -> str:
    if isinstance(value, ByImportPath):
        return _name_of_import(value)
    if isinstance(value, np.ndarray):
        name = "" if value.dtype in (float, int, bool) else f', dtype="{value.dtype}"'
        if not value.size:
            return f"np.empty({value.shape})"
        text = _text(value, threshold=MAX_NUMBERS_IN_CODE + 1)
        return f"np.array({' '.join(text.split())}{name})"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(_code, value))
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if value else "()"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_code(item)}" for key, item in value.items()) + "}"
    return repr(value.item() if isinstance(value, np.generic) else value)


def _number(value: Any) -> str:
    if isinstance(value, np.bool_):
        return str(value)
    is_count = value == np.round(value) and abs(value) < LARGEST_COUNT
    return f"{value:.0f}" if is_count else f"{value:.7g}"


def _brief(value: object, with_numbers: bool = False) -> str:
    brief = functools.partial(_brief, with_numbers=with_numbers)
    if isinstance(value, ByImportPath):
        return _name_of_import(value)
    if isinstance(value, StandIn):
        return label_of(value)
    if isinstance(value, TextFile):
        return repr(value.name)
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return "text"
    if isinstance(value, (str, bool, type(None))):
        return repr(value)
    if isinstance(value, (list, tuple)):
        opening, closing = "[]" if isinstance(value, list) else "()"
        return opening + ", ".join(map(brief, value[:6])) + closing
    if isinstance(value, dict):
        first = [f"{key!r}: {brief(item)}" for key, item in value.items()][:1]
        return "{" + ", ".join(first + ["…"] * (len(value) > 1)) + "}"
    if isinstance(value, np.ndarray):
        return f"array {value.shape}"
    if isinstance(value, (int, float, np.number)):
        return _number(value) if with_numbers else "number"
    return type(value).__name__


def _name_of_import(value: ByImportPath) -> str:
    """Name a callable as a notebook would; one of our own modules says nothing to its reader."""
    module, _, name = value.path.partition(":")
    if not module.startswith("coursekit"):
        name = f"{module.replace('numpy', 'np', 1)}.{name}"
    return f"{name}(…)" if value.args else name


def _inline(array: npt.NDArray[Any]) -> str:
    return _text(array, precision=6).replace("\n", "")


def _text(array: npt.NDArray[Any], **options: Any) -> str:
    with np.printoptions(**(PRINT_OPTIONS | options)):
        return np.array2string(array, separator=", ")
