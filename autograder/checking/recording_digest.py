"""What a recorded file rests on, as one digest: while it is the same, nothing is recorded again."""

from __future__ import annotations

import ast
import hashlib
import re
from functools import cache
from pathlib import Path

from autograder.course import chapters

# Packages whose next version may give other numbers, or word an error in another way.
_PACKAGES = ("keras", "numpy", "tensorflow")


def digest_of_foundations(stem: str) -> str:
    """Identify all that a chapter's recorded file depends on, as a hexadecimal text.

    That is the chapter's check and reference solution with every module that they import, the bank
    of variants, the data of `coursekit`, the two modules that ask and record, and the versions of
    some packages. The versions are those that ``requirements.txt`` asks for and not those that are
    installed: the digest is then the same on every machine, and a reader with another version
    does not record everything again. Whether all is still as recorded is tested at night.
    """
    digest = hashlib.sha256()
    for path in _files(stem):
        _add(digest, path.relative_to(chapters.ROOT).as_posix().encode())
        _add(digest, path.read_bytes())
    requirements = (chapters.ROOT / "requirements.txt").read_text(encoding="utf-8")
    for package in _PACKAGES:
        for line in re.findall(rf"^{package}==.*", requirements, re.MULTILINE):
            _add(digest, line.encode())
    return digest.hexdigest()


def _files(stem: str) -> list[Path]:
    names = [f"coursekit.checks.{stem}", f"solutions.{stem}"]
    paths = {
        chapters.ROOT / "autograder" / "checking" / "recording.py",
        chapters.ROOT / "autograder" / "checking" / "replayed_answers.py",
        chapters.ROOT / "solutions" / "variants" / f"{stem}.py",
        *(path for path in (chapters.ROOT / "coursekit" / "data").iterdir() if path.is_file()),
    }
    while names:
        for path in _found(names.pop()) - paths:
            paths.add(path)
            names += _imported(path.read_text(encoding="utf-8"))
    return sorted(paths)


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


def _add(digest: hashlib._Hash, content: bytes) -> None:
    # The length first: what ends one part and begins the next is then part of the digest.
    digest.update(len(content).to_bytes(8, "big") + content)
