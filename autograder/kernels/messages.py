"""Messages of a kernel that nobody may trust, made into the few shapes that a notebook can keep.

A message is JSON that the student's process has written: any type may stand anywhere, as deep and
as often as its size allows. What is not a message of Jupyter's, or not one that a notebook could
keep, is dropped here, and nothing behind this module has to look again.
"""

import math
import re
from typing import Any, NamedTuple, TypeGuard

from nbformat import NotebookNode
from nbformat.v4 import new_output

from coursekit.checks.plain_data import parse

DELIMITER = b"<IDS|MSG>"
MIME_TYPES = 20
TRACEBACK_LINES = 1000
LONGEST_NAME = 200
# Deeper outputs than any library makes; what reads and writes notebooks gives up a little later.
MAX_DEPTH = 100
# Of one output, dicts' keys and lists' items. An output with more is an attack on its reader.
MAX_NODES = 50_000
# Those whose value may be any JSON, as the schema of notebooks has it.
JSON_TYPES = re.compile(r"application/(.*\+)?json")


class Message(NamedTuple):
    """What the rest needs of a message: what it is, which request it answers, what it says."""

    kind: str
    answers: str
    content: dict[str, Any]


def read_message(frames: list[bytes]) -> Message | None:
    """Return the message that ZeroMQ's frames make up, None for what is not one."""
    try:
        _, first, second, _, last = frames[frames.index(DELIMITER) + 1 :][:5]
        header, parent, content = (_parsed(frame) for frame in (first, second, last))
        kind, answers = header["msg_type"], parent.get("msg_id", "")
    except (ValueError, KeyError, AttributeError, RecursionError):
        return None
    if not (isinstance(kind, str) and isinstance(answers, str) and isinstance(content, dict)):
        return None
    return Message(kind, answers, content)


def _parsed(frame: bytes) -> dict[str, Any]:
    value = parse(frame.decode("utf-8", "replace"))
    if not isinstance(value, dict):
        raise ValueError("a message's part is a dict")
    return value


def output_of(message: Message) -> NotebookNode | None:
    """Return the output that a message shows, as nbformat's, or None where there is none."""
    content = message.content
    match message.kind:
        case "stream":
            name, text = content.get("name"), content.get("text")
            if name in ("stdout", "stderr") and isinstance(text, str):
                return _new_output("stream", name=name, text=text)
        case "error":
            name, value = content.get("ename"), content.get("evalue")
            lines = content.get("traceback")
            if isinstance(name, str) and isinstance(value, str) and _are_texts(lines):
                lines = lines[:TRACEBACK_LINES]
                return _new_output("error", ename=name, evalue=value, traceback=lines)
        case "display_data" | "execute_result":
            data, metadata = _bundle(content.get("data")), content.get("metadata")
            if data is None:
                return None
            metadata = metadata if isinstance(metadata, dict) and _is_plain(metadata) else {}
            output = _new_output(message.kind, data=data, metadata=metadata)
            if message.kind == "execute_result":
                count = content.get("execution_count")
                output.execution_count = None
                if isinstance(count, int) and 0 <= count < 1 << 31:
                    output.execution_count = int(count)
            return output
    return None


def _new_output(kind: str, **fields: Any) -> NotebookNode:
    output: NotebookNode = new_output(kind, **fields)
    return output


def _bundle(data: object) -> dict[str, Any] | None:
    """Return the representations of a MIME bundle that a notebook can keep, None without any."""
    if not isinstance(data, dict) or len(data) > MIME_TYPES:
        return None
    kept = {}
    for kind, value in data.items():
        is_json = JSON_TYPES.fullmatch(kind) and _is_plain(value)
        if len(kind) <= LONGEST_NAME and (isinstance(value, str) or _are_texts(value) or is_json):
            kept[kind] = value if is_json else "".join(value)
    return kept or (None if data else {})


def _are_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_plain(value: object) -> bool:
    """Return whether a JSON value is finite in every sense: its numbers, its depth, its size."""
    level, nodes = [value], 0
    for _ in range(MAX_DEPTH):
        inside: list[object] = []
        for one in level:
            if isinstance(one, float) and not math.isfinite(one):
                return False
            if isinstance(one, (dict, list)):
                nodes += len(one)
                if nodes > MAX_NODES:
                    return False
                inside += one.values() if isinstance(one, dict) else one
        level = inside
        if not level:
            return True
    return False
