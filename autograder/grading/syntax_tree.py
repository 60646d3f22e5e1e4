"""A digest of how an answer is written, the same however its author named and commented things."""

from __future__ import annotations

import ast
import hashlib
from typing import Any

# The tree of a long text takes much memory, and no answer is as long, in characters.
MAX_LENGTH = 20_000
# Errors with which Python refuses a text, one of them for what is nested too deeply.
REFUSALS = (SyntaxError, ValueError, RecursionError, MemoryError)


def tree_digest(source: str) -> str:
    """Return the digest of an answer's syntax tree as a hexadecimal text, "" where it has none.

    Comments, docstrings and annotations are left out, and the names that the answer itself defines
    are numbered in their order. Names that it only uses, such as those of libraries, remain, and so
    do numbers and texts.
    """
    if len(source) > MAX_LENGTH:
        return ""
    try:
        tree = ast.parse(source)
        tree = _Plain({*_defined(tree)}).visit(tree)
        text = ast.dump(tree) if tree.body else ""
    except REFUSALS:
        return ""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16] if text else ""


def _defined(tree: ast.AST) -> list[str]:
    """List the names and the attributes that something is assigned to somewhere in a tree."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                found.append(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                found.append(name)
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                found.append(name)
    return found


class _Plain(ast.NodeTransformer):
    """Removes from a tree what does nothing, and numbers the names that the tree defines."""

    def __init__(self, defined: set[str]) -> None:
        self._defined = defined
        self._numbers: dict[str, str] = {}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        # What a field is called that has a name in it depends on the kind of node.
        for field in ("name", "arg", "id", "attr", "asname"):
            name = getattr(node, field, None)
            # The keywords of a call are those of whoever is called, mostly a library.
            if isinstance(name, str) and not isinstance(node, ast.keyword):
                setattr(node, field, self._numbered(name))
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                setattr(node, field, None)
        return super().generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return None
        return self.visit(ast.Assign([node.target], node.value))

    def _numbered(self, name: str) -> str:
        if name not in self._defined:
            return name
        return self._numbers.setdefault(name, f"_{len(self._numbers)}")
