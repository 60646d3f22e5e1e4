"""What a recorded file rests on, as one digest: while it is the same, nothing is recorded again."""

import ast
import hashlib
import re
from functools import cache

from autograder.course import chapters

# Packages whose next version may give other numbers, or other words to an error.
_PACKAGES = ("keras", "numpy", "scikit-learn", "scipy", "tensorflow")


def digest_of_foundations(stem):
    """Identify all that a chapter's recorded file depends on, as a hexadecimal text.

    That is the chapter's check, reference solution and bank of variants, its hidden check, which
    finds what no visible call can show, every module that these and the recording import, the data
    of `coursekit`, and the versions of some packages. The versions are those that
    ``requirements.txt`` asks for and not those that are installed: the digest is then the same on
    every machine, and a reader with another version releases nothing anew. Whether the recorded
    numbers are still those of the packages is tested at night.
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


def _files(stem):
    names = [
        f"coursekit.checks.{stem}",
        f"solutions.{stem}",
        f"autograder.hidden.{stem}",
        "autograder.checking.recording",
    ]
    paths = {
        chapters.ROOT / "solutions" / "variants" / f"{stem}.py",
        *(path for path in (chapters.ROOT / "coursekit" / "data").iterdir() if path.is_file()),
    }
    while names:
        for path in _found(names.pop()) - paths:
            paths.add(path)
            names += _imported(path.read_text(encoding="utf-8"))
    return sorted(paths)


def _found(name):
    """Return the files of this repository that an import of a dotted name executes."""
    parts = name.split(".")
    places = [chapters.ROOT.joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
    files = [path for place in places for path in (place / "__init__.py", place.with_suffix(".py"))]
    return {path for path in files if path.is_file()}


@cache
def _imported(source):
    """List the dotted names that a module imports, or may: `from a import b` may mean `a.b`."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    return tuple(names)


def _add(digest, content):
    # The length first: what ends one part and begins the next is then part of the digest.
    digest.update(len(content).to_bytes(8, "big") + content)
