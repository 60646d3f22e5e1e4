"""What something rests on, as a digest: the files that imports execute, and versions."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from autograder.course import chapters

# In a solution, the text of the assignment and its closing part stand in comments between the marks
# that begin a cell. What is said there changes, and no mark, recording or verdict rests on it.
_TEXT_IN_SOLUTION = re.compile(rb"^(?:#(?! %%).*)?\n", re.MULTILINE)
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

    Of a solution only its code counts, and how it is divided into cells, with their points.
    The versions are those that ``requirements.txt`` asks for and not those that are installed: the
    digest is then the same on every machine.
    """
    digest = hashlib.sha256()
    for path in sorted(paths):
        add(digest, path.relative_to(chapters.ROOT).as_posix().encode())
        content = path.read_bytes()
        is_solution = path.parent == chapters.ROOT / "solutions"
        add(digest, _TEXT_IN_SOLUTION.sub(b"", content) if is_solution else content)
    requirements = (chapters.ROOT / "requirements.txt").read_text(encoding="utf-8")
    for package in _PACKAGES:
        for line in re.findall(rf"^{package}==.*", requirements, re.MULTILINE):
            add(digest, line.encode())
    return digest


def add(digest: hashlib._Hash, content: bytes) -> None:
    """Add a part to a digest; what ends one part and begins the next is part of it, too."""
    digest.update(len(content).to_bytes(8, "big") + content)


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
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    return tuple(names)
