"""What a release records for the visible checks, and how they read it.

A student has neither the reference nor the bank. ``recorded/`` holds what both give for the calls
of the visible checks, and ``autograder release`` writes it.
"""

import builtins
import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coursekit.checks.alterations import Fingerprint
from coursekit.checks.comparison import SomeObject
from coursekit.checks.outcome import Mistake, Outcome, gist
from coursekit.checks.plain_data import Json, NotPlainData
from coursekit.checks.stand_in import Raised, StandIn

RECORDED = Path(__file__).parent / "recorded"
SIGNIFICANT_DIGITS = 9


class Recorded:
    """The outcomes that a release has recorded for the visible check of an exercise."""

    def __init__(self, stem: str, exercise: str) -> None:
        self._stem = stem
        self._where = f"coursekit/checks/recorded/{stem}.json, exercise {exercise}"
        self._examples = iter(_read(stem).get(exercise, ()))
        self._current: Json = None

    def begin(self, stand_ins: Sequence[StandIn]) -> None:
        """Begin a run; what is recorded does not depend on the answers."""

    def expected(self, label: str, judged: object) -> Outcome:
        """Return the recorded outcome of the reference for the example that comes next."""
        self._current = next(self._examples, None)
        if not _read(self._stem):
            raise LookupError(
                f"the expected results for {self._stem} are not installed; in the folder with your "
                ".venv, type `.venv/bin/pip install --no-deps FOLDER` (on Windows "
                "`.venv\\Scripts\\pip …`), where FOLDER is the unpacked zip that contained this "
                "chapter"
            )
        if self._current is None or self._current["call"] != label:
            raise LookupError(f"{self._where}: out of step; run `autograder release`")
        return outcome_from(self._current["expected"])

    def mistakes(self) -> list[Mistake]:
        """Return what the bank's wrong answers gave for this example."""
        return [
            Mistake(
                found["sentence"],
                outcome_from(found["outcome"]),
                tuple(tree and outcome_from(tree) for tree in found.get("later", ())),
            )
            for found in self._current["mistakes"]
        ]

    def parameters(self) -> list[str]:
        """Return the names of the parameters of what this example calls."""
        names: list[str] = self._current["parameters"]
        return names

    def result_names(self, label: str) -> list[str]:
        """Return what the exercise calls the values that this example returns."""
        names: list[str] = self._current["results"]
        return names

    def altered(self) -> list[tuple[str, Fingerprint]]:
        """Return what the reference gave for altered arguments of this example."""
        return [(condition, found) for condition, found in self._current["altered"]]


@functools.cache
def _read(stem: str) -> Json:
    file = RECORDED / f"{stem}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def tree_of(outcome: Outcome) -> Json:
    """Turn an outcome into a JSON tree that people can read; numbers keep nine digits."""
    if outcome.error:
        return {"error": outcome.error.type.__name__, "message": gist(outcome.error)}
    tree = {"value": _tree(outcome.value)}
    return tree | {name: True for name in ("changed", "warned") if getattr(outcome, name)}


def outcome_from(tree: Json) -> Outcome:
    """Turn the tree of an outcome back into it."""
    if "error" in tree:
        found = getattr(builtins, tree["error"])
        return Outcome(error=Raised(found, found.__name__, tree["message"]))
    return Outcome(_value(tree["value"]), None, "changed" in tree, "warned" in tree)


def _tree(value: Any) -> Json:
    if isinstance(value, (bool, str, type(None), int)):
        return value
    if isinstance(value, float):
        return _rounded(value)
    if isinstance(value, list):
        return [_tree(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_tree(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_tree(key), _tree(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray):
        numbers = [_tree(item) for item in value.ravel().tolist()]
        # NumPy does not read its own name of a text's type, such as str128.
        dtype = value.dtype.str if value.dtype.kind == "U" else value.dtype.name
        return {"array": numbers, "shape": list(value.shape), "dtype": dtype}
    if isinstance(value, NotPlainData):
        return {"not plain": value.description}
    return {"object": True}


def _rounded(number: float) -> Json:
    if not np.isfinite(number):
        return {"float": repr(number)}
    return float(f"{number:.{SIGNIFICANT_DIGITS}g}")


def _value(tree: Json) -> Any:
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
            return {_value(key): _value(item) for key, item in pairs}
        case {"array": numbers, "shape": shape, "dtype": dtype}:
            return np.array([_value(n) for n in numbers], dtype=dtype).reshape(shape)
        case {"not plain": description}:
            return NotPlainData(description)
    return SomeObject()
