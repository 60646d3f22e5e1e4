"""The far end of a check: in the process of the work it answers requests, as text."""

import functools
import itertools
import json
import os
import tempfile
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from coursekit.checks import raised
from coursekit.checks.failure import MAX_MESSAGE
from coursekit.checks.plain_data import ByImportPath, Json, MalformedReply, decode, encode
from coursekit.checks.stand_in import StandIn

MAX_WARNINGS = 50
MIME_TYPE = "application/x-plain-data"

# By their numbers, the objects of a check's work; a kernel keeps its own to its end.
Kept: TypeAlias = dict[int, Any]
_kept_by_this_kernel: Kept = {}
_numbers = itertools.count()


def _keep(kept: Kept, value: object) -> int:
    number = next(_numbers)
    kept[number] = value
    return number


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Make the folder of the files that checks hand to answers; it goes when the process ends."""
    return tempfile.TemporaryDirectory()


def _resolve(kept: Kept, tree: Json) -> Any:
    match tree:
        case {"object": int(number)}:
            return kept[number]
        case {"object": str(name)}:
            main = vars(import_module("__main__"))
            if name not in main:
                raise NameError(f"name '{name}' is not defined")
            return main[name]
        case {"import": str(path), "args": list(args)}:
            resolve = functools.partial(_resolve, kept)
            return ByImportPath(path, *(decode(arg, resolve) for arg in args)).build()
        case {"file": str(name), "text": str(text)}:
            path = os.path.join(tempfile.mkdtemp(dir=_folder().name), name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path
    raise MalformedReply("the request names nothing that exists here")


def serve(text: str, kept: Kept = _kept_by_this_kernel) -> str:
    """Do what one request asks and answer as text; an error of the work is an answer too.

    ``kept`` are the objects that requests name by numbers, and those that come about are added.
    """
    request = json.loads(text)
    resolve, keep = functools.partial(_resolve, kept), functools.partial(_keep, kept)
    try:
        target = resolve(request["target"])
        if request["do"] == "get":
            value = getattr(target, request["name"])
            return json.dumps({"value": encode(value, keep), "changed": [], "warnings": []})
        args = [decode(arg, resolve) for arg in request["args"]]
        kwargs = {name: decode(arg, resolve) for name, arg in request["kwargs"].items()}
        # NumPy's own setting, whatever the student's cells have made of it.
        numpy_warns = np.errstate(all="warn", under="ignore")
        with warnings.catch_warnings(record=True) as caught, numpy_warns:
            warnings.simplefilter("always")
            value = encode(target(*args, **kwargs), keep)
        return json.dumps(
            {
                "value": value,
                "changed": _changes(request, args, kwargs, keep),
                "warnings": _first_warnings(caught),
            }
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit in an answer must not end the student's kernel
        return json.dumps(raised.describe(error))


def _first_warnings(caught: list[warnings.WarningMessage]) -> list[str]:
    """Return the first different warnings of a call as text; a loop may warn at every step."""
    texts = (f"{one.category.__name__}: {one.message}"[:MAX_MESSAGE] for one in caught)
    return list(itertools.islice(dict.fromkeys(texts), MAX_WARNINGS))


class AsText:
    """Text on its way through Jupyter's display system, past what a student has changed there."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"the value is not a string but {type(text).__name__}")
        self.text = text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {MIME_TYPE: self.text}


def _changes(
    request: Json, args: list[Any], kwargs: dict[str, Any], keep: Callable[[object], int]
) -> list[list[Json]]:
    """List the arguments that the call left different from how they were sent."""
    sent = list(enumerate(request["args"])) + list(request["kwargs"].items())
    given: dict[Any, Any] = dict(enumerate(args)) | kwargs
    changes = []
    for key, before in sent:
        if isinstance(given[key], (np.ndarray, list, tuple, dict)):
            now = encode(given[key], keep)
            if now != before:
                changes.append([key, now])
    return changes


class LocalWorld:
    """The world of a student's own kernel: this very process.

    What a check's work makes is kept as long as this object.
    """

    timeout_factor = 1.0

    def __init__(self) -> None:
        self._kept: Kept = {}

    def send(self, text: str, seconds: float | None = None) -> str:
        """Answer a request at once; nothing stops a student's own call."""
        return serve(text, self._kept)

    def stand_in(self, work: object, label: str) -> StandIn:
        """Return a stand-in for a function or class of this process."""
        return StandIn(self, {"object": _keep(self._kept, work)}, label)

    def original(self, value: object) -> Any:
        """Return what an argument of a check is where the work lives, which is here."""
        resolve = functools.partial(_resolve, self._kept)
        return decode(json.loads(json.dumps(encode(value))), resolve)
