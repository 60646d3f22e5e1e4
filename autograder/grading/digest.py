"""What a mark rests on, as one digest: when it changes, the submission is graded again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from autograder.course import chapters
from autograder.course.notebook_assignment import NotebookAssignment
from autograder.intake.submissions import Submission
from autograder.kernels.limits import Limits


def source_digest(
    released: str,
    stem: str,
    limits: Limits,
    sandboxed: bool,
    assignment: NotebookAssignment | None = None,
) -> str:
    """Identify all that a mark depends on beside the submission, as a hexadecimal text.

    That is the notebook that students were given, every file of `coursekit` and of `autograder`,
    the chapter's reference solution and bank of variants, or the source notebook and the files of
    a `NotebookAssignment`, and the conditions it is graded under.
    """
    digest = hashlib.sha256()
    for part in (released, json.dumps(limits.as_dict(), sort_keys=True), str(sandboxed)):
        _add(digest, part.encode())
    if assignment:
        _add(digest, assignment.text.encode())
        for name, content in assignment.files:
            _add(digest, name.encode())
            _add(digest, content)
    for path in _files(stem):
        _add(digest, path.relative_to(chapters.ROOT).as_posix().encode())
        _add(digest, path.read_bytes())
    return digest.hexdigest()


def submission_digest(source: str, submission: Submission) -> str:
    """Return what identifies a submission together with all that its mark rests on."""
    identity = source + submission.student + submission.digest
    return hashlib.sha256(identity.encode()).hexdigest()


def _files(stem: str) -> list[Path]:
    paths = [
        chapters.ROOT / "solutions" / f"{stem}.py",
        chapters.ROOT / "solutions" / "variants" / f"{stem}.py",
    ]
    for package in ("coursekit", "autograder"):
        paths += (chapters.ROOT / package).rglob("*")
    return sorted(p for p in paths if p.is_file() and "__pycache__" not in p.parts)


def _add(digest: hashlib._Hash, content: bytes) -> None:
    # The length first: what ends one part and begins the next is then part of the digest.
    digest.update(len(content).to_bytes(8, "big") + content)
