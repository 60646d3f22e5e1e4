"""What comes in: the submissions of a course folder or of a learning platform's export.

Every way in is told the text of the notebook that students were given, ``released``: its answer
cells distinguish it from other assignments.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import zipfile
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from autograder.files import replace_file
from autograder.intake import entries
from autograder.intake.by_student import by_student
from autograder.intake.choosing import Chosen, answer_ids, choose_notebook
from autograder.intake.entries import (
    Entry,
    Rejected,
    archive_entries,
    archive_errors,
    fetch_file,
    is_junk,
    walk,
)
from autograder.intake.exchange import EXCHANGE_FILES, TIMESTAMP, read_timestamp, utc_time
from autograder.platforms.student_names import student_name
from autograder.results import Flag, Origin, Status


@dataclass(frozen=True)
class Submission:
    """One student's file as it came in: its bytes, or why it was rejected unread.

    ``submitted_at`` is nbgrader's timestamp, and ``time_unread`` says that there is one, or another
    source for it, which cannot be read. ``late`` is what a learning platform says, whose exports
    may have no time, and ``origin`` says which of a student's attempts it is.
    ``others`` are notebooks that were handed in beside it and are not graded.
    A run holds the notebooks of the whole class, of which ``packed`` needs about a fifth.
    """

    student: str
    packed: bytes = zlib.compress(b"", 1)
    rejected: Rejected | None = None
    submitted_at: str | None = None
    time_unread: bool = False
    late: bool = False
    origin: Origin | None = None
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, student: str, content: bytes, others: tuple[str, ...] = ()) -> Submission:
        """Return a student's submission with this content."""
        return cls(student, zlib.compress(content, 1), others=others)

    @property
    def content(self) -> bytes:
        return zlib.decompress(self.packed)

    @property
    def digest(self) -> str:
        """What identifies the content, or the reason why it was rejected."""
        reason = self.rejected.reason if self.rejected else ""
        return hashlib.sha256(self.content + reason.encode()).hexdigest()


# --- the three ways in ---------------------------------------------------------------------------


def read_submitted(
    course: str | Path,
    assignment: str,
    released: str,
    students: Collection[str] | None = None,
) -> list[Submission]:
    """Read ``submitted/<student>/<assignment>/`` of a course folder, in the students' order.

    Of other students than those in ``students`` nothing is read; None stands for all.
    """
    root, ours = Path(course) / "submitted", answer_ids(released.encode())
    found = []
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        student, inbox = student_name(folder.name), folder / assignment
        wanted = students is None or student in students
        if wanted and not is_junk([folder.name]) and (folder.is_symlink() or _is_there(inbox)):
            submission = _received(student, partial(_read_inbox, folder, inbox, ours))
            found.append(_guarded(student, partial(_with_time, submission, folder, inbox)))
    return found


def students_in(course: str | Path, assignment: str) -> list[str]:
    """List those who have a folder of an assignment in ``submitted/``; no file is read."""
    root = Path(course) / "submitted"
    folders = sorted(root.iterdir()) if root.is_dir() else []
    return [
        student_name(folder.name)
        for folder in folders
        if not is_junk([folder.name]) and _is_there(folder / assignment)
    ]


def misplaced_notebooks(course: str | Path, assignments: Collection[str]) -> list[str]:
    """List the notebooks in ``submitted/`` that lie in no assignment's folder of a student.

    Nobody grades them. Their paths begin behind ``submitted/``.
    """
    root = Path(course) / "submitted"
    found = [path for depth in ("*", "*/*", "*/*/*") for path in root.glob(f"{depth}.ipynb")]
    names = [path.relative_to(root) for path in found if path.is_file()]
    return sorted(
        # The bytes of a name on the disk may be no text, which cannot be printed.
        str(name).encode("utf-8", "replace").decode()
        for name in names
        if not is_junk(name.parts) and not (len(name.parts) == 3 and name.parts[1] in assignments)
    )


def read_export(path: str | Path, released: str) -> list[Submission]:
    """Read what a learning platform exports: a folder or a zip with all students' files.

    The student is the first folder of an entry's path, or the file's name where it lies flat, but
    for the names of a known platform (`autograder.platforms`), of which the newest attempt counts.
    Raises `Rejected` when the export as a whole cannot be read.
    """
    ours = answer_ids(released.encode())
    with contextlib.ExitStack() as stack:
        if Path(path).is_dir():
            found = sorted(walk(path, refuse_links=True), key=lambda entry: entry.name)
        else:
            with archive_errors():
                archive = stack.enter_context(zipfile.ZipFile(path))
            found = archive_entries(archive)
        received = []
        for student, files in by_student(found).items():
            submission = _received(student_name(student), partial(choose_notebook, files, ours))
            origins = [entry.origin for entry in files if entry.origin]
            origin = max(origins, key=lambda origin: origin.attempt, default=None)
            late = any(entry.late for entry in files)
            received.append(replace(submission, late=late, origin=origin))
        return received


def read_one(path: str | Path, released: str) -> Submission:
    """Read what one student handed in, a notebook or a folder with it, wherever it lies."""
    path, ours = Path(path), answer_ids(released.encode())
    return _received("submission", partial(_read_inbox, path, path, ours))


def copy_to_submitted(
    course: str | Path, assignment: str, submission: Submission, notebook: str
) -> None:
    """Put an exported submission where nbgrader looks for it; a rejected one was not read.

    ``notebook`` is the name of the assignment's notebook. What is replaced came from the platform
    or the exchange, which still have it, or a person has mended an earlier attempt.
    """
    path = Path(course) / "submitted" / submission.student / assignment / f"{notebook}.ipynb"
    if submission.rejected or (path.is_file() and path.read_bytes() == submission.content):
        return
    # They belong to the file that is replaced; an interrupted run leaves none beside the new one.
    for name in EXCHANGE_FILES:
        path.with_name(name).unlink(missing_ok=True)
    replace_file(path, submission.content)


def _received(student: str, read: Callable[[], Chosen]) -> Submission:
    return _guarded(student, lambda: Submission.of(student, *read()))


def _guarded(student: str, make: Callable[[], Submission]) -> Submission:
    """Return a student's `Submission`: whatever is wrong with it, the others are read."""
    try:
        return make()
    except Rejected as rejected:
        # Made anew, because the traceback of this one would keep all that was read in memory.
        new = Rejected(rejected.status, rejected.reason, *rejected.flags)
    except Exception as error:
        reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        new = Rejected(Status.REFUSED, f"cannot be read: {reason}")
    return Submission(student, rejected=new)


# --- on the disk ---------------------------------------------------------------------------------


def _with_time(submission: Submission, folder: Path, inbox: Path) -> Submission:
    """Return a submission with what nbgrader's exchange wrote beside it."""
    timestamp, origin = read_timestamp(folder, inbox), None
    if time := utc_time(timestamp):
        origin = Origin("nbgrader", time.isoformat(timespec="microseconds"))
    unread = time is None and _is_there(inbox / TIMESTAMP)
    return replace(submission, submitted_at=timestamp, time_unread=unread, origin=origin)


def _read_inbox(folder: Path, inbox: Path, ours: set[bytes]) -> Chosen:
    for path in (folder, inbox):
        if path.is_symlink():
            raise Rejected(Status.REFUSED, f"{path.name} is a link", Flag.SYMLINK)
    if not inbox.is_dir():
        return Chosen(Entry(inbox.name, fetch=partial(fetch_file, inbox)).read())
    # One more than is allowed shows that there are too many; a million need not be listed.
    return choose_notebook(list(itertools.islice(walk(inbox), entries.MAX_ENTRIES + 1)), ours)


def _is_there(path: Path) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # a folder that may not be entered: the student gets a status that says so
        return True
    return True
