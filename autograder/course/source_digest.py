"""What something rests on, as a digest: the files that imports execute, and versions."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from autograder.course import chapters

# What is only said to people: no mark, recording or verdict rests on it.
_WORDS_ALONE = ("coursekit/checks/advice.py",)
# A string, which may have a # in it, or a comment that marks no cell, with the blanks before it. It
# takes a tenth of the time of `tokenize`, and every worker reads some eighty modules.
_TEXT_OR_COMMENT = re.compile(
    rb"""(?P<text>"{3}(?:[^\\]|\\.)*?"{3}|'{3}(?:[^\\]|\\.)*?'{3}"""
    rb"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|[ \t]*#(?! %%)[^\n]*""",
    re.DOTALL,
)
# Where a statement holds others.
_PARTS_WITH_STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases")
# Packages whose next version may give other numbers, or word an error in another way.
_PACKAGES = ("keras", "numpy", "tensorflow")


def imported_files(names: Iterable[str]) -> set[Path]:
    """Return the files of this repository that importing some modules executes.

    ``names`` are dotted names. What these files import is among them, inside functions, too.
    """
    waiting, paths = list(names), set[Path]()
    while waiting:
        for path in _found(waiting.pop()) - paths:
            paths.add(path)
            waiting += _imported(path.read_text(encoding="utf-8"))
    return paths


def digest_of(paths: Iterable[Path]) -> hashlib._Hash:
    """Return a digest of files of this repository, and of the versions of some packages.

    Of a module only its code counts, and how it is divided into cells, with their points. Nothing
    rests on comments, among which the text of an assignment stands in its solution.
    The versions are those that ``requirements.txt`` asks for and not those that are installed: the
    digest is then the same on every machine.
    """
    digest = hashlib.sha256()
    for path in sorted(paths):
        name = path.relative_to(chapters.ROOT).as_posix()
        if name not in _WORDS_ALONE:
            add(digest, name.encode())
            content = path.read_bytes()
            add(digest, code_of(content) if path.suffix == ".py" else content)
    requirements = (chapters.ROOT / "requirements.txt").read_text(encoding="utf-8")
    for package in _PACKAGES:
        for line in re.findall(rf"^{package}==.*", requirements, re.MULTILINE):
            add(digest, line.encode())
    return digest


def add(digest: hashlib._Hash, content: bytes) -> None:
    """Add a part to a digest; what ends one part and begins the next is part of it, too."""
    digest.update(len(content).to_bytes(8, "big") + content)


@cache
def code_of(source: bytes) -> bytes:
    """Return a module without its comments and empty lines, but with the marks of its cells."""
    code = _TEXT_OR_COMMENT.sub(lambda found: found["text"] or b"", source)
    return b"".join(line for line in code.splitlines(keepends=True) if line.strip())


def _found(name: str) -> set[Path]:
    """Return the files of this repository that an import of a dotted name executes."""
    parts = name.split(".")
    places = [chapters.ROOT.joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
    files = [path for place in places for path in (place / "__init__.py", place.with_suffix(".py"))]
    return {path for path in files if path.is_file()}


@cache
def _imported(source: str) -> tuple[str, ...]:
    """List the dotted names that a module imports, or may: `from a import b` may mean `a.b`."""
    names: list[str] = []
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        for part in _PARTS_WITH_STATEMENTS:
            waiting += getattr(node, part, ())
    return tuple(names)
