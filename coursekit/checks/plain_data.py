"""Plain data as text: what may travel between a check and the work it looks at.

Numbers, strings, lists, dicts and arrays become a JSON tree and back. Nothing is ever pickled: the
text may have been written by a student's code.
"""

import base64
import json
import math
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from coursekit.checks.failure import MAX_MESSAGE

# A tree as `json.loads` returns it.
Json: TypeAlias = Any

MAX_DEPTH = 16
# Keys can be chosen so that a dict of many takes minutes to build.
MAX_KEYS = 4000
# Truth values, numbers, texts and times, as `numpy.dtype.str` names them. NumPy gives the text of
# length 0 a room of 1; an array of texts without any room could have billions of them.
DTYPE = re.compile(r"[<>|](?:[biufcSU][1-9][0-9]{0,8}|[mM]8(?:\[[0-9]*[a-zA-Z]{1,2}\])?)")
LONE_SURROGATE = re.compile("\\\\u[dD][89a-fA-F]|[\ud800-\udfff]")


# The name of a class, past what a student has made of it: looking it up may run code of the class.
name_of: Callable[[type], str] = type.__dict__["__name__"].__get__


class ByImportPath:
    """A callable argument of an exercise, named by import path and built where the work lives.

    ``ByImportPath("numpy:tanh")`` is the function itself; with arguments, which must be plain data,
    it is what the function returns for them.
    """

    def __init__(self, path: str, *args: object) -> None:
        self.path = path
        self.args = args

    def build(self) -> Any:
        """Import the callable, and call it if there are arguments for it."""
        module, _, name = self.path.partition(":")
        made = getattr(import_module(module), name)
        return made(*self.args) if self.args else made


class TextFile:
    """A file argument of an exercise: its text travels, a path comes to be where the work lives."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text


class NotPlainData:
    """Something that came back and is neither plain data nor an object to be called."""

    def __init__(self, description: str) -> None:
        self.description = description


class MalformedReply(ValueError):
    """The far end answered with text that is not a reply of `serve`."""


class Reference:
    """Something that lives at the far end; as data it is the name by which that end knows it."""

    def __init__(self, tree: Json) -> None:
        self._reference = tree


def parse(text: str) -> Json:
    """Parse JSON that somebody else wrote; a lone surrogate becomes ``?``.

    JSON can spell what no file, page or database can hold.
    """
    value = json.loads(text)
    if LONE_SURROGATE.search(text):
        whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        value = json.loads(whole)
    return value


def encode(value: object, keep: Callable[[object], object] | None = None, depth: int = 0) -> Json:
    """Turn a value into a JSON tree; what is not plain data is handed to ``keep``, which names it.

    Without ``keep``, anything but plain data, `ByImportPath`, `TextFile` or a `Reference`
    raises TypeError.
    """
    if depth > MAX_DEPTH:
        return {"unsupported": f"a structure nested more than {MAX_DEPTH} deep"}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.generic):
        # `item` leaves a long double what it is.
        value = float(value) if isinstance(value, np.floating) else value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, ByImportPath):
        return {"import": value.path, "args": [encode(arg) for arg in value.args]}
    if isinstance(value, TextFile):
        return {"file": value.name, "text": value.text}
    if isinstance(value, Reference):
        return value._reference
    if isinstance(value, list):
        return [encode(item, keep, depth + 1) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [encode(item, keep, depth + 1) for item in value]}
    if isinstance(value, dict):
        pairs = [[encode(k, keep, depth + 1), encode(v, keep, depth + 1)] for k, v in value.items()]
        return {"dict": pairs}
    if isinstance(value, np.ndarray) or _is_tensor_like(value):
        return _encode_array(np.asarray(value))
    if keep is None:
        raise TypeError(f"a check may pass plain data, not {type(value).__name__}")
    return {"object": keep(value), "type": name_of(type(value))}


def _is_tensor_like(value: object) -> bool:
    library = type(value).__module__.partition(".")[0]
    return library in {"tensorflow", "keras", "pandas"} and hasattr(value, "__array__")


def _encode_array(array: npt.NDArray[Any]) -> Json:
    if array.dtype.hasobject:
        return {"unsupported": f"an array of Python objects (dtype object, shape {array.shape})"}
    if array.dtype.kind == "V":  # records, and number formats that NumPy has no name for
        return {"unsupported": f"an array of dtype {array.dtype}, shape {array.shape}"}
    text = base64.b64encode(array.tobytes()).decode("ascii")
    return {"array": text, "dtype": array.dtype.str, "shape": list(array.shape)}


def decode(tree: Json, objects: Callable[[Json], Any], depth: int = 0) -> Any:
    """Turn a JSON tree back into a value; ``objects(tree)`` answers for what is not plain data.

    Nothing is ever unpickled. A tree that `encode` cannot have made raises `MalformedReply`.
    """
    if depth > MAX_DEPTH + 2:
        raise MalformedReply("the reply is nested too deep")
    if tree is None or isinstance(tree, (bool, int, float, str)):
        return tree
    if isinstance(tree, list):
        return [decode(item, objects, depth + 1) for item in tree]
    match tree:
        case {"float": "nan" | "inf" | "-inf" as text}:
            return float(text)
        case {"tuple": list(items)}:
            return tuple(decode(item, objects, depth + 1) for item in items)
        case {"dict": list(pairs)} if len(pairs) > MAX_KEYS:
            return NotPlainData(f"a dict of {len(pairs)} entries")
        case {"dict": list(pairs)}:
            return _decode_dict(pairs, objects, depth)
        case {"array": str(text), "dtype": str(dtype), "shape": list(shape)}:
            return _decode_array(text, dtype, shape)
        case {"unsupported": str(description)}:
            return NotPlainData(description[:MAX_MESSAGE])
        case {"object": int() | str()} | {"import": str()} | {"file": str()}:
            return objects(tree)
    raise MalformedReply("the reply holds something that is not plain data")


def _decode_dict(pairs: list[Any], objects: Callable[[Json], Any], depth: int) -> Any:
    try:
        return {
            decode(key, objects, depth + 1): decode(value, objects, depth + 1)
            for key, value in pairs
        }
    except TypeError as error:
        raise MalformedReply("the reply holds a dict that cannot be one") from error


def _decode_array(text: str, dtype: str, shape: list[Any]) -> npt.NDArray[Any]:
    try:
        data = bytearray(base64.b64decode(text, validate=True))
        if not DTYPE.fullmatch(dtype) or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError("no such array is ever sent")
        array = np.ndarray(tuple(shape), np.dtype(dtype), data)
    except (ValueError, TypeError, OverflowError) as error:
        raise MalformedReply("the reply holds an array that cannot be read") from error
    if array.nbytes != len(data):
        raise MalformedReply("the reply holds an array of another size than it says")
    return array
