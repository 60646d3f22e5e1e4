"""What a check holds of a student's work, and of the objects that the work makes.

A check never holds a student's function or model. It holds a `StandIn`, which sends plain data as
text to the world where the work lives, and receives plain data as text. In a student's own kernel
that world is the same process (`LocalWorld`); in the autograder it is another, sandboxed process.
`coursekit.checks.serve` is the far end in both, so a check cannot behave differently in the two.
"""

import builtins
import contextvars
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from coursekit.checks.failure import MAX_MESSAGE, CheckFailure
from coursekit.checks.plain_data import Json, MalformedReply, Reference, decode, encode, parse
from coursekit.checks.tensorflow_messages import (
    NUMPY_IN_A_GRAPH,
    for_students,
    is_numpy_in_a_graph,
)

# Lists, tuples and dicts of one reply: a list of millions of empty ones takes gigabytes.
MAX_CONTAINERS = 100_000
MAX_FRAMES = 5
TERMINAL_CODE = re.compile("\x1b\\[[0-9;]*m")

# What a check has asked in the run that is under way, as pairs of request and answer: the bank's
# answers are asked the same when a mistake is to be named.
transcript: contextvars.ContextVar[list[tuple[Json, Json]] | None] = contextvars.ContextVar(
    "transcript", default=None
)


class Raised(NamedTuple):
    """An error raised over there: the nearest built-in type, its own name and its message.

    ``frames`` are the lines of the answer that led to it, the last one nearest to the error.
    ``deliberate`` says whether the answer has a `raise` for it.
    """

    type: type[Exception]
    name: str
    message: str
    frames: tuple[str, ...] = ()
    deliberate: bool = False

    @property
    def text(self) -> str:
        """The message, behind the error's own name where that is not a built-in one's."""
        return f"{self.name}: {self.message}" if self.name != self.type.__name__ else self.message


class Reply(NamedTuple):
    """What one call brought: a value or an error, what it changed, the warnings, the seconds."""

    value: Any
    error: Raised | None
    changed: dict[int | str, Any]
    warnings: list[str]
    seconds: float


class World(Protocol):
    """Where a student's work lives: this process, or a kernel in the sandbox.

    ``timeout_factor`` says how much longer than on a student's computer a call may take there.
    """

    timeout_factor: float

    def send(self, text: str, seconds: float | None = None) -> str:
        """Have `coursekit.checks.serve.serve` answer a request there, within ``seconds``."""
        ...


class StandIn(Reference):
    """What a check holds of a student's function or object; all it can do is call and look."""

    def __init__(self, world: World, reference: Json, label: str) -> None:
        super().__init__(reference)
        self._world = world
        self._label = label

    def __call__(self, *args: object, **kwargs: object) -> Any:
        reply = self._call(args, kwargs)
        if reply.error:
            raise reply.error.type(reply.error.message)
        return reply.value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        reply = self._ask({"do": "get", "target": self._reference, "name": name}, name)
        if reply.error:
            raise CheckFailure(f"{self._label}: what came back has no attribute {name}")
        return reply.value

    def _call(
        self, args: Sequence[object], kwargs: Mapping[str, object], seconds: float | None = None
    ) -> Reply:
        """Call with plain data; return the `Reply`, within ``seconds`` where there is a bound."""
        request = {
            "do": "call",
            "target": self._reference,
            "args": [encode(arg) for arg in args],
            "kwargs": {name: encode(arg) for name, arg in kwargs.items()},
        }
        reply = self._ask(request, "()", seconds)
        given = {*range(len(args)), *kwargs}
        changed = {given_as: now for given_as, now in reply.changed.items() if given_as in given}
        return reply._replace(changed=changed)

    def _ask(self, request: Json, what: str, seconds: float | None = None) -> Reply:
        started = time.perf_counter()
        text = self._world.send(json.dumps(request), seconds)
        elapsed = time.perf_counter() - started
        if text.count("[") + text.count("{") > MAX_CONTAINERS:
            raise MalformedReply(f"the reply holds more than {MAX_CONTAINERS} lists")
        try:
            answer = parse(text)
        except (ValueError, RecursionError) as error:
            raise MalformedReply("the reply is not JSON") from error

        def stays_there(tree: Json) -> "RemoteObject":
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
                raised = _raised(names, message, answer.get("frames"))
                raised = raised._replace(deliberate=answer.get("deliberate") is True)
                return Reply(None, raised, {}, [], elapsed)
        raise MalformedReply("the reply is neither a value nor an error")


class RemoteObject(StandIn):
    """An object (a model, a layer, a forecaster) that an answer made and that stays there."""

    def __init__(self, world: World, reference: Json, label: str, type_name: str) -> None:
        super().__init__(world, reference, label)
        self._type_name = type_name


def _raised(names: list[object], message: str, frames: object) -> Raised:
    """Pick the nearest built-in exception from the names of an error's classes, nearest first."""
    last = frames[-MAX_FRAMES:] if isinstance(frames, list) else []
    lines = tuple(frame[:200] for frame in last if isinstance(frame, str))
    nearest: type[Exception] = RuntimeError
    for name in names:
        found = getattr(builtins, name, None) if isinstance(name, str) else None
        if isinstance(found, type) and issubclass(found, Exception):
            nearest = found
            break
    name = str(names[0])[:80] if names else "error"
    # Keras prints its errors in colours.
    message = for_students(TERMINAL_CODE.sub("", message))
    if nearest is NotImplementedError and is_numpy_in_a_graph(message):
        nearest, name = TypeError, "TypeError"
        message = f"{NUMPY_IN_A_GRAPH}\n{message}"
    elif nearest is NotImplementedError and not _is_of_a_stub(message, lines):
        nearest, name = RuntimeError, "RuntimeError"
    return Raised(nearest, name, message[:MAX_MESSAGE], lines)


def _is_of_a_stub(message: str, frames: tuple[str, ...]) -> bool:
    """Say whether a NotImplementedError is that of an answer, not one that Keras has raised.

    Keras raises it where a layer has no `call`, which is not written either, and elsewhere.
    """
    line = frames[-1] if frames else ""
    return not message or "NotImplementedError" in line or "method implemented" in message


def label_of(stand_in: StandIn) -> str:
    """Return the words by which a stand-in is called in a failure."""
    return stand_in._label


def relabelled(stand_in: StandIn, label: str) -> StandIn:
    """Return a stand-in for the same work that is called by other words in a failure."""
    return StandIn(stand_in._world, stand_in._reference, label)


def relabelled_object(made: RemoteObject, label: str) -> RemoteObject:
    """Return a stand-in for the same object that is called by other words in a failure."""
    return RemoteObject(made._world, made._reference, label, made._type_name)


def world_of(stand_in: StandIn) -> World:
    """Return the world in which the work behind a stand-in lives."""
    return stand_in._world


def type_name(stand_in: RemoteObject) -> str:
    """Return the class name of an object that an answer made."""
    return stand_in._type_name


def remote_helper(
    work: StandIn, function: Callable[..., object], label: str | None = None
) -> StandIn:
    """Return a stand-in for a function that runs in the world of ``work``.

    Answers run where there is coursekit but neither the autograder nor the solutions.
    """
    if function.__module__.startswith(("autograder", "solutions")):
        raise ValueError(f"{function.__name__} is of {function.__module__}; move it to coursekit")
    reference = {"import": f"{function.__module__}:{function.__name__}", "args": []}
    return StandIn(work._world, reference, label or function.__name__)
