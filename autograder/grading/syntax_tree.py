"""A digest of how an answer is written, the same however its author named and commented things."""

from __future__ import annotations

import ast
import hashlib
from typing import Any

# The tree of a long text takes much memory, and no answer is as long, in characters.
MAX_LENGTH = 20_000
# Errors with which Python refuses a text, one of them for what is nested too deeply.
REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError)
# Where a kind of node has a name that its author may have chosen.
NAMES = {
    ast.FunctionDef: "name",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.arg: "arg",
    ast.alias: "asname",
    ast.Name: "id",
    ast.Attribute: "attr",
}
# These do nothing, or say again what the place in the tree says.
LEFT_OUT = {"annotation", "returns", "ctx", "type_comment", "simple"}


def tree_digest(source: str) -> str:
    """Return the digest of an answer's syntax tree as a hexadecimal text, "" where it has none.

    Comments, docstrings and annotations are left out, and the names that the answer itself defines
    are numbered in their order. Names that it only uses, such as those of libraries, remain, and so
    do numbers and texts.
    """
    if len(source) > MAX_LENGTH:
        return ""
    writing = _Writing()
    try:
        for statement in ast.parse(source).body:
            writing.add(statement)
    except REFUSALS:
        return ""
    text = writing.text()
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16] if text else ""


class _Writing:
    """A tree being written down, in one pass because every submission has a dozen of them."""

    def __init__(self) -> None:
        # A name stands in a tuple of its own until all names that the tree defines are known.
        self._parts: list[str | tuple[str]] = []
        self._defined: set[str] = set()

    def text(self) -> str:
        """Return what has been written, with the names that are defined in it as numbers."""
        numbers: dict[str, str] = {}
        return " ".join(
            part if isinstance(part, str) else self._known(part[0], numbers) for part in self._parts
        )

    def add(self, node: Any) -> None:
        """Write down a node with all below it."""
        if isinstance(node, list):
            self._parts.append("[")
            for item in node:
                self.add(item)
            self._parts.append("]")
        elif isinstance(node, ast.AST):
            self._add_node(node)
        else:
            self._parts.append(repr(node))

    def _add_node(self, node: ast.AST) -> None:
        if isinstance(node, ast.Expr) and _is_text(node.value):
            return
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._add_node(ast.Assign([node.target], node.value))
            return
        kind = type(node)
        self._parts.append(kind.__name__)
        named = NAMES.get(kind)
        for field in kind._fields:
            if field in LEFT_OUT:
                continue
            value = getattr(node, field, None)
            if field == named and value is not None:
                self._parts.append((value,))
                # A variable or an attribute is defined where something is assigned to it.
                if isinstance(getattr(node, "ctx", None), (ast.Store, type(None))):
                    self._defined.add(value)
            else:
                self.add(value)

    def _known(self, name: str, numbers: dict[str, str]) -> str:
        if name not in self._defined:
            return name
        return numbers.setdefault(name, f"_{len(numbers)}")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
