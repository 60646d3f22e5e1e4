"""Plain data between a check and the work it looks at.

A check never holds a student's function or model. It holds a `StandIn`, which sends plain data
(numbers, strings, lists, dicts, arrays) as text to the world where the work lives, and receives
plain data as text. In a student's own kernel that world is the same process (`LocalWorld`); in the
autograder it is another, sandboxed process. `serve` is the far end in both, so a check cannot
behave differently in the two.
"""

import base64
import builtins
import contextvars
import functools
import itertools
import json
import math
import os
import re
import sysconfig
import tempfile
import time
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np

MAX_DEPTH = 16
MAX_MESSAGE = 2000
# Keys can be chosen so that a dict of many takes minutes to build.
MAX_KEYS = 4000
# Lists, tuples and dicts of one reply: a list of millions of empty ones takes gigabytes.
MAX_CONTAINERS = 100_000
MAX_FRAMES = 5
MAX_WARNINGS = 50
MIME_TYPE = "application/x-plain-data"
POSSIBLY = "Possibly: "

# What a check has asked in the run that is under way, as pairs of request and answer: the bank's
# answers are asked the same when a mistake is to be named.
transcript = contextvars.ContextVar("transcript", default=None)


class CheckFailure(AssertionError):
    """A check that was not passed, worded for the student.

    ``headline`` names the call by shapes and what is wrong with the answer; ``mistake`` is the
    sentence of the known mistake that the answer makes, or None, and begins with "Possibly: " when
    the answer does not prove it; ``raised`` is the name of the error that the answer raised, or
    None; ``detail`` shows values. A hidden check shows the headline and the mistake, never the
    detail. ``call`` holds the arguments of the failed call, positional and by keyword.
    """

    def __init__(self, headline, detail="", mistake=None, raised=None, call=None):
        self.headline = _shortened(headline)
        self.detail = _shortened(detail)
        self.mistake = mistake
        self.raised = raised
        self.call = call
        parts = (self.headline, self.detail, diagnosis(mistake))
        super().__init__("\n".join(part for part in parts if part))

    def without_detail(self):
        """Return the same failure as a hidden check may show it."""
        headline = f"{self.headline} (a hidden check)"
        return CheckFailure(headline, mistake=self.mistake, raised=self.raised)

    def _render_traceback_(self):
        # Jupyter shows this instead of a stack through the checks' own code.
        return [f"{type(self).__name__}: {self}"]


def diagnosis(mistake):
    """Return the line that shows a mistake to the student, "" for None."""
    if not mistake or mistake.startswith(POSSIBLY):
        return mistake or ""
    return f"Known mistake: {mistake}"


def _shortened(text):
    # An answer chooses the shapes, names and texts that a failure repeats.
    return text if len(text) <= 2 * MAX_MESSAGE else f"{text[: 2 * MAX_MESSAGE]} …"


class ByImportPath:
    """A callable argument of an exercise, named by import path and built where the work lives.

    ``ByImportPath("numpy:tanh")`` is the function itself; with arguments, which must be plain data,
    it is what the function returns for them.
    """

    def __init__(self, path, *args):
        self.path = path
        self.args = args

    def build(self):
        module, _, name = self.path.partition(":")
        made = getattr(import_module(module), name)
        return made(*self.args) if self.args else made


class TextFile:
    """A file argument of an exercise: its text travels, a path comes to be where the work lives."""

    def __init__(self, name, text):
        self.name = name
        self.text = text


class NotPlainData:
    """Something that came back and is neither plain data nor an object to be called."""

    def __init__(self, description):
        self.description = description


class MalformedReply(ValueError):
    """The far end answered with text that is no reply of `serve`."""


class Raised(NamedTuple):
    """An error raised over there: the nearest built-in type, its own name and its message.

    ``frames`` are the lines of the answer that led to it, the last one nearest to the error.
    """

    type: type
    name: str
    message: str
    frames: tuple = ()

    @property
    def text(self):
        return f"{self.name}: {self.message}" if self.name != self.type.__name__ else self.message


class Reply(NamedTuple):
    """What one call brought: a value or an error, what it changed, the warnings, the seconds."""

    value: object
    error: Raised | None
    changed: dict
    warnings: list
    seconds: float


# --- text on the way there and back ------------------------------------------------------------

TERMINAL_CODE = re.compile("\x1b\\[[0-9;]*m")
# Truth values, numbers, texts and times, as `numpy.dtype.str` names them.
DTYPE = re.compile(r"[<>|](?:[biufcSU][0-9]{1,9}|[mM]8(?:\[[0-9]*[a-zA-Z]{1,2}\])?)")
LONE_SURROGATE = re.compile("\\\\u[dD][89abAB]|[\ud800-\udfff]")


def parse(text):
    """Parse JSON that somebody else wrote; a lone surrogate becomes ``?``.

    JSON can spell what no file, page or database can hold.
    """
    value = json.loads(text)
    if LONE_SURROGATE.search(text):
        whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        value = json.loads(whole)
    return value


def encode(value, keep=None, depth=0):
    """Turn a value into a JSON tree; what is not plain data is handed to ``keep``, which names it.

    Without ``keep``, anything but plain data, `ByImportPath`, `TextFile` or `StandIn` raises
    TypeError.
    """
    if depth > MAX_DEPTH:
        return {"unplain": f"a structure nested more than {MAX_DEPTH} deep"}
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
        return {"made": value.path, "args": [encode(arg) for arg in value.args]}
    if isinstance(value, TextFile):
        return {"file": value.name, "text": value.text}
    if isinstance(value, StandIn):
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
    return {"object": keep(value), "type": _name_of(type(value))}


def _is_tensor_like(value):
    library = type(value).__module__.partition(".")[0]
    return library in {"tensorflow", "keras", "pandas"} and hasattr(value, "__array__")


def _encode_array(array):
    if array.dtype.hasobject:
        return {"unplain": f"an array of Python objects (dtype object, shape {array.shape})"}
    if array.dtype.kind == "V":  # records, and number formats that NumPy has no name for
        return {"unplain": f"an array of dtype {array.dtype}, shape {array.shape}"}
    text = base64.b64encode(array.tobytes()).decode("ascii")
    return {"array": text, "dtype": array.dtype.str, "shape": list(array.shape)}


def decode(tree, objects, depth=0):
    """Turn a JSON tree back into a value; ``objects(tree)`` answers for what is no plain data.

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
        case {"unplain": str(description)}:
            return NotPlainData(description[:MAX_MESSAGE])
        case {"object": int() | str()} | {"made": str()} | {"file": str()}:
            return objects(tree)
    raise MalformedReply("the reply holds something that is no plain data")


def _decode_dict(pairs, objects, depth):
    try:
        return {
            decode(key, objects, depth + 1): decode(value, objects, depth + 1)
            for key, value in pairs
        }
    except TypeError as error:
        raise MalformedReply("the reply holds a dict that cannot be one") from error


def _decode_array(text, dtype, shape):
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


# --- the near end: what a check holds ------------------------------------------------------------


class StandIn:
    """What a check holds of a student's function or object; all it can do is call and look."""

    def __init__(self, world, reference, label):
        self._world = world
        self._reference = reference
        self._label = label

    def __call__(self, *args, **kwargs):
        reply = self._call(args, kwargs)
        if reply.error:
            raise reply.error.type(reply.error.message)
        return reply.value

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        reply = self._ask({"do": "get", "target": self._reference, "name": name}, name)
        if reply.error:
            raise CheckFailure(f"{self._label}: what came back has no attribute {name}")
        return reply.value

    def _call(self, args, kwargs, seconds=None):
        """Call with plain data; return the `Reply`, within ``seconds`` where there is a bound."""
        request = {
            "do": "call",
            "target": self._reference,
            "args": [encode(arg) for arg in args],
            "kwargs": {name: encode(arg) for name, arg in kwargs.items()},
        }
        reply = self._ask(request, "()", seconds)
        given = dict(enumerate(args)) | kwargs
        changed = {given_as: now for given_as, now in reply.changed.items() if given_as in given}
        return reply._replace(changed=changed)

    def _ask(self, request, what, seconds=None):
        started = time.perf_counter()
        text = self._world.send(json.dumps(request), seconds)
        elapsed = time.perf_counter() - started
        if text.count("[") + text.count("{") > MAX_CONTAINERS:
            raise MalformedReply(f"the reply holds more than {MAX_CONTAINERS} lists")
        try:
            answer = parse(text)
        except (ValueError, RecursionError) as error:
            raise MalformedReply("the reply is not JSON") from error

        def stays_there(tree):
            label = self._label + (what if what == "()" else f".{what}")
            kind = tree.get("type")
            if not isinstance(kind, str):
                raise MalformedReply("the reply names an object without its type")
            return RemoteObject(self._world, {"object": tree.get("object")}, label, kind[:80])

        asked = transcript.get()
        if asked is not None:
            asked.append((request, answer))
        match answer:
            case {"value": tree, "changed": list(changed), "warnings": list(caught)}:
                try:
                    changes = {
                        key: decode(tree_now, stays_there)
                        for key, tree_now in changed
                        if isinstance(key, (int, str))
                    }
                except (TypeError, ValueError) as error:
                    raise MalformedReply("the reply's list of changes cannot be read") from error
                value = decode(tree, stays_there)
                return Reply(value, None, changes, [str(w)[:MAX_MESSAGE] for w in caught], elapsed)
            case {"error": list(names), "message": str(message)}:
                error = _raised(names, message, answer.get("frames"))
                return Reply(None, error, {}, [], elapsed)
        raise MalformedReply("the reply is neither a value nor an error")


class RemoteObject(StandIn):
    """An object (a model, a layer, a forecaster) that an answer made and that stays there."""

    def __init__(self, world, reference, label, type_name):
        super().__init__(world, reference, label)
        self._type_name = type_name


def _raised(names, message, frames):
    """Pick the nearest built-in exception from the names of an error's classes, nearest first."""
    frames = frames if isinstance(frames, list) else []
    frames = tuple(frame[:200] for frame in frames[-MAX_FRAMES:] if isinstance(frame, str))
    nearest = RuntimeError
    for name in names:
        found = getattr(builtins, name, None) if isinstance(name, str) else None
        if isinstance(found, type) and issubclass(found, Exception):
            nearest = found
            break
    name = str(names[0])[:80] if names else "error"
    message = TERMINAL_CODE.sub("", message)  # Keras prints its errors in colours
    return Raised(nearest, name, message[:MAX_MESSAGE], frames)


def label_of(stand_in):
    """Return the words by which a stand-in is called in a failure."""
    return stand_in._label


def relabelled(stand_in, label):
    """Return a stand-in for the same work that is called by other words in a failure."""
    return StandIn(stand_in._world, stand_in._reference, label)


def world_of(stand_in):
    """Return the world in which the work behind a stand-in lives."""
    return stand_in._world


def type_name(stand_in):
    """Return the class name of an object that an answer made."""
    return stand_in._type_name


def remote_helper(work, function, label=None):
    """Return a stand-in for a function of coursekit that runs in the world of ``work``."""
    reference = {"made": f"{function.__module__}:{function.__name__}", "args": []}
    return StandIn(work._world, reference, label or function.__name__)


# --- the far end: where the work lives --------------------------------------------------------

_kept = {}
_numbers = itertools.count()


def _keep(value):
    number = next(_numbers)
    _kept[number] = value
    return number


@functools.cache
def _folder():
    """Make the folder of the files that checks hand to answers; it goes when the process ends."""
    return tempfile.TemporaryDirectory()


def _resolve(tree):
    match tree:
        case {"object": int(number)}:
            return _kept[number]
        case {"object": str(name)}:
            main = vars(import_module("__main__"))
            if name not in main:
                raise NameError(f"name '{name}' is not defined")
            return main[name]
        case {"made": str(path), "args": list(args)}:
            return ByImportPath(path, *(decode(arg, _resolve) for arg in args)).build()
        case {"file": str(name), "text": str(text)}:
            path = os.path.join(tempfile.mkdtemp(dir=_folder().name), name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path
    raise MalformedReply("the request names nothing that exists here")


def serve(text):
    """Do what one request asks and answer as text; an error of the work is an answer too."""
    request = json.loads(text)
    try:
        target = _resolve(request["target"])
        if request["do"] == "get":
            value = getattr(target, request["name"])
            return json.dumps({"value": encode(value, _keep), "changed": [], "warnings": []})
        args = [decode(arg, _resolve) for arg in request["args"]]
        kwargs = {name: decode(arg, _resolve) for name, arg in request["kwargs"].items()}
        # NumPy's own setting, whatever the student's cells have made of it.
        numpy_warns = np.errstate(all="warn", under="ignore")
        with warnings.catch_warnings(record=True) as caught, numpy_warns:
            warnings.simplefilter("always")
            value = encode(target(*args, **kwargs), _keep)
        return json.dumps(
            {
                "value": value,
                "changed": _changes(request, args, kwargs),
                "warnings": _in_short(caught),
            }
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit in an answer must not end the student's kernel
        names = [_name_of(cls) for cls in _mro_of(type(error))]
        frames = _frames_of_the_answer(error)
        return json.dumps({"error": names, "message": _in_words(error), "frames": frames})


# What an error says of itself runs code of the student's wherever a class has changed it; these
# look beneath.
_name_of = type.__dict__["__name__"].__get__
_mro_of = type.__dict__["__mro__"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__


def _in_words(error):
    """Return the message of an error, or a sentence about why there is none."""
    try:
        return str.__getitem__(str(error), slice(MAX_MESSAGE))
    except BaseException as another:
        return f"(no message: its __str__ raised {_name_of(type(another))})"


def _in_short(caught):
    """Return the first different warnings of a call as text; a loop may warn at every step."""
    words = (f"{one.category.__name__}: {one.message}"[:MAX_MESSAGE] for one in caught)
    return list(itertools.islice(dict.fromkeys(words), MAX_WARNINGS))


# Where libraries live; a line of the student's own stands in a cell or in a file beside it.
_LIBRARIES = tuple(
    {
        str(Path(__file__).parent),
        *(sysconfig.get_path(key) for key in ("stdlib", "purelib", "platlib")),
    }
)


def _frames_of_the_answer(error):
    """List the lines of the student's own code through which an error came, as text."""
    return [
        f"line {frame.lineno}, in {frame.name}: {frame.line}"
        for frame in traceback.extract_tb(_traceback_of(error))
        if not frame.filename.startswith((*_LIBRARIES, "<frozen"))
    ][-MAX_FRAMES:]


class AsText:
    """Text on its way through Jupyter's display system, past what a student has changed there."""

    def __init__(self, text):
        if not isinstance(text, str):
            raise TypeError(f"the value is no string but {type(text).__name__}")
        self.text = text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {MIME_TYPE: self.text}


def _changes(request, args, kwargs):
    """List the arguments that the call left different from how they were sent."""
    sent = list(enumerate(request["args"])) + list(request["kwargs"].items())
    given = dict(enumerate(args)) | kwargs
    changes = []
    for key, before in sent:
        if isinstance(given[key], (np.ndarray, list, dict)):
            now = encode(given[key], _keep)
            if now != before:
                changes.append([key, now])
    return changes


class LocalWorld:
    """The world of a student's own kernel: this very process."""

    patience = 1.0

    def send(self, text, seconds=None):
        return serve(text)

    def stand_in(self, work, label):
        return StandIn(self, {"object": _keep(work)}, label)

    @staticmethod
    def original(value):
        """Return what an argument of a check is where the work lives, which is here."""
        return decode(json.loads(json.dumps(encode(value))), _resolve)
