"""What a mark rests on, as one digest: when it changes, the submission is graded again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from pathlib import Path

from autograder.course import chapters
from autograder.course.notebook_assignment import NotebookAssignment
from autograder.course.source_digest import add, digest_of, imported_files
from autograder.course.variants import bank_file
from autograder.intake.submissions import Submission
from autograder.kernels.limits import Limits

# What a worker imports, and no mark rests on: what compares files; what finds a student's file
# among others, because what it has found is in the digest itself; what is made for people to read,
# pages and what is said of errors.
_IRRELEVANT_TO_MARKS = (
    "autograder/course/source_digest.py",
    "autograder/grading/digest.py",
    "autograder/grading/errors.py",
    "autograder/intake/by_student.py",
    "autograder/intake/choosing.py",
    "autograder/intake/exchange.py",
    "autograder/intake/submissions.py",
    "autograder/platforms/",
    "autograder/reports/",
    "coursekit/figures/",
)
# An import of coursekit in the text of a notebook, with the names behind it.
_IMPORT = re.compile(rb"(coursekit(?:\.\w+)*)(?:\s+import\b([\w\s,()*\"]{0,500}))?")


class MarkDigest:
    """All that the marks of an assignment rest on besides the submissions.

    That is the notebook that students were given, the chapter's reference solution, bank and
    checks, or the source notebook and the files of a `NotebookAssignment`; the modules that grade,
    with every module that they or the notebook import; the versions of some packages; and the
    conditions under which it is graded.
    """

    def __init__(
        self,
        released: str,
        stem: str,
        limits: Limits,
        sandboxed: bool,
        assignment: NotebookAssignment | None,
        partial_credit: bool,
    ) -> None:
        self._released = released
        self._stem = stem
        self._imports = imports_of_notebook(released.encode())
        facts = (json.dumps(limits.as_dict(), sort_keys=True), sandboxed, partial_credit)
        self._conditions = tuple(map(str, facts))
        self._assignment = assignment
        # For the modules that are imported: the digests of the files alone, and of everything.
        self._known: dict[frozenset[str], tuple[str, str]] = {}

    def digest(self, submission: Submission) -> str:
        """Identify a submission together with all that its mark rests on, as a hexadecimal text."""
        # The time decides on a penalty, and what lies beside the notebook is reported.
        times = (submission.submitted_at, submission.time_unread, submission.late)
        facts = (*times, submission.others)
        _, all_else = self._digests(submission)
        identity = f"{all_else}{submission.student}{submission.digest}{facts}"
        return hashlib.sha256(identity.encode()).hexdigest()

    def files_digest(self, submission: Submission) -> str:
        """Identify the files of this repository on which the mark of a submission rests."""
        files, _ = self._digests(submission)
        return files

    def _digests(self, submission: Submission) -> tuple[str, str]:
        imports = self._imports | imports_of_notebook(submission.content)
        if imports not in self._known:
            digest = digest_of_files(self._stem, imports, is_chapter=not self._assignment)
            files = digest.hexdigest()
            for part in (self._released, *self._conditions):
                add(digest, part.encode())
            if assignment := self._assignment:
                add(digest, assignment.text.encode())
                for name, content in assignment.files:
                    add(digest, name.encode())
                    add(digest, content)
            self._known[imports] = files, digest.hexdigest()
        return self._known[imports]


def digest_of_files(stem: str, imports: Collection[str], is_chapter: bool) -> hashlib._Hash:
    """Return a digest of the files on which the marks of an assignment rest.

    ``imports`` are the modules of `coursekit` that notebooks import. A worker on another machine
    computes it of its own copy of the repository.
    """
    names = {"autograder.grading.worker", *imports}
    paths = {*(chapters.ROOT / "autograder" / "kernels" / "inside").glob("*.py")}
    if is_chapter:
        for room in ("solutions", "coursekit.checks", "autograder.hidden"):
            names.add(f"{room}.{stem}")
        paths.add(bank_file(stem))
        recorded = chapters.ROOT / "coursekit" / "checks" / "recorded"
        paths.add(recorded / f"{stem}.json")
    paths |= {*(chapters.ROOT / "coursekit" / "data").iterdir(), *imported_files(names)}
    return digest_of(path for path in paths if path.is_file() and not _is_irrelevant(path))


def _is_irrelevant(path: Path) -> bool:
    return path.relative_to(chapters.ROOT).as_posix().startswith(_IRRELEVANT_TO_MARKS)


def imports_of_notebook(notebook: bytes) -> frozenset[str]:
    """Return the modules of coursekit that the text of a notebook may import, as dotted names."""
    found: set[str] = set()
    # A line's end is written as \n in JSON.
    for package, names in _IMPORT.findall(notebook.replace(rb"\n", b" ")):
        module = package.decode()
        found |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names.decode()))}
    return frozenset(name for name in found if _is_module(name))


def _is_module(name: str) -> bool:
    path = chapters.ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()
