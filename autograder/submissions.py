"""What comes in: found, read and taken apart without trusting any of it."""

import hashlib
import io
import json
import os
import re
import stat
import zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.results import Flag, Status

MAX_BYTES = 20 * 2**20
MAX_CELLS = 2000
STUDENT = re.compile(r"[^\w.@+ -]+")


class Rejected(Exception):
    """A submission that cannot be graded: its status, the reason in words, what to flag."""

    def __init__(self, status, reason, *flags):
        super().__init__(status, reason, *flags)  # what a pickle of it is made from
        self.status = status
        self.reason = reason
        self.flags = list(flags)


@dataclass
class Submission:
    """One student's file as it came in: its bytes, or why it was rejected unread."""

    student: str
    content: bytes = b""
    rejected: Rejected | None = None
    submitted_at: str | None = None

    @property
    def digest(self):
        reason = self.rejected.reason if self.rejected else ""
        return hashlib.sha256(self.content + reason.encode()).hexdigest()


# --- finding -----------------------------------------------------------------------------------


def submitted(course, assignment, students=None):
    """Read ``submitted/<student>/<assignment>/`` of a course folder, in the students' order."""
    root = Path(course) / "submitted"
    found = []
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        inbox = folder / assignment
        if (students is None or folder.name in students) and os.path.lexists(inbox):
            found.append(_read_inbox(folder.name, folder, inbox))
    return found


def _read_inbox(student, folder, inbox):
    submission = Submission(student)
    try:
        for path in (folder, inbox):
            if path.is_symlink():
                raise Rejected(Status.REFUSED, f"{path.name} is a link", Flag.SYMLINK)
        submission.submitted_at = _timestamp(inbox)
        submission.content = _read_one_notebook(inbox)
    except Rejected as rejected:
        submission.rejected = rejected
    except OSError as error:
        submission.rejected = Rejected(Status.REFUSED, f"cannot be read: {error.strerror}")
    return submission


def _read_one_notebook(inbox):
    if not inbox.is_dir():
        return _read_file(inbox)
    for name in ("assignment.ipynb",):
        if os.path.lexists(inbox / name):
            return _read_file(inbox / name)
    candidates = sorted(p for p in inbox.iterdir() if p.suffix in (".ipynb", ".zip"))
    if len(candidates) != 1:
        raise Rejected(
            Status.INVALID_NOTEBOOK,
            f"{len(candidates)} notebooks were handed in; one assignment.ipynb is expected",
        )
    return _read_file(candidates[0])


def _read_file(path):
    """Read a regular file; a link is not followed, a device or a large file is not read."""
    if path.is_symlink():
        raise Rejected(Status.REFUSED, f"{path.name} is a link", Flag.SYMLINK)
    # O_NONBLOCK: opening a named pipe must not wait for somebody to write to it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise Rejected(Status.REFUSED, f"{path.name} is no regular file")
        _check_size(path.name, facts.st_size)
        content = file.read(MAX_BYTES + 1)
        _check_size(path.name, len(content))
    return _only_notebook(content) if path.suffix == ".zip" else content


def _check_size(name, size):
    if size > MAX_BYTES:
        raise Rejected(
            Status.TOO_LARGE, f"{name} has {size / 2**20:.0f} MB; {MAX_BYTES >> 20} are allowed"
        )


def _timestamp(inbox):
    path = inbox / "timestamp.txt"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 100:
        return None
    return path.read_text(encoding="utf-8", errors="replace").strip()


# --- archives ----------------------------------------------------------------------------------


def _only_notebook(content):
    entries = archive_entries(io.BytesIO(content))
    for entry in entries.values():
        if isinstance(entry, Rejected):
            raise entry
    if len(entries) != 1:
        raise Rejected(
            Status.INVALID_NOTEBOOK,
            f"the archive holds {len(entries)} notebooks; one assignment.ipynb is expected",
        )
    (entry,) = entries.values()
    return entry


def archive_entries(file):
    """Read the notebooks of a zip archive in memory: a dict from name to bytes or `Rejected`.

    A name that leads out of the archive, a link and an entry that unpacks to more than is allowed
    are rejected one by one; nothing is ever unpacked to disk.
    """
    entries = {}
    try:
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                unsafe = _unsafe(info)
                if unsafe:
                    entries[info.filename] = unsafe
                elif info.filename.endswith(".ipynb") and "__MACOSX" not in info.filename:
                    entries[info.filename] = _unpacked(archive, info)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise Rejected(Status.INVALID_NOTEBOOK, f"the archive cannot be read: {error}") from error
    return entries


def _unsafe(info):
    name = info.filename.replace("\\", "/")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", name):
        return Rejected(Status.REFUSED, "a name in the archive leads out of it")
    if stat.S_ISLNK(info.external_attr >> 16):
        return Rejected(Status.REFUSED, "the archive holds a link", Flag.SYMLINK)
    if info.file_size > MAX_BYTES:
        megabytes = info.file_size >> 20
        return Rejected(
            Status.REFUSED, f"the archive unpacks to {megabytes} MB; {MAX_BYTES >> 20} are allowed"
        )
    return None


def _unpacked(archive, info):
    with archive.open(info) as file:
        # The size an archive states may be a lie: read no more than is allowed.
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        return Rejected(Status.REFUSED, f"the archive unpacks to over {MAX_BYTES >> 20} MB")
    return content


def exported(path):
    """Read what a learning platform exports: a folder or a zip with one notebook a student.

    The student is the first folder of an entry's path, or the file's name where it lies flat.
    """
    path = Path(path)
    if path.is_dir():
        entries = {}
        for file in sorted(path.rglob("*.ipynb")):
            try:
                entries[file.relative_to(path).as_posix()] = _read_file(file)
            except Rejected as rejected:
                entries[file.relative_to(path).as_posix()] = rejected
    else:
        entries = archive_entries(path)
    found = {}
    for name, entry in entries.items():
        parts = PurePosixPath(name.replace("\\", "/").lstrip("/")).parts
        parts = [part for part in parts if part != ".."] or ["unnamed"]
        student = student_name(parts[0] if len(parts) > 1 else PurePosixPath(parts[0]).stem)
        rejected = entry if isinstance(entry, Rejected) else None
        if student in found:
            rejected = Rejected(Status.INVALID_NOTEBOOK, "several notebooks were handed in")
        found[student] = Submission(student, b"" if rejected else entry, rejected)
    return list(found.values())


def student_name(name):
    """Reduce the name that a platform gave a folder or file to one that is safe in a path."""
    name = re.sub(r"_assignsubmission_file_?.*$", "", name)
    name = STUDENT.sub("_", name).strip(" .")[:100]
    return name or "unnamed"


# --- taking apart and rebuilding ------------------------------------------------------------------


@dataclass
class Rebuilt:
    """Our notebook with the student's answers in it, and what was found on the way."""

    notebook: object
    answered: bool
    missing: set
    flags: list = field(default_factory=list)


def rebuild(content, released):
    """Graft the student's answers and extra cells into the released notebook.

    Of the submission only source text is taken, by `grade_id` for answers and by place for extra
    cells; what differs otherwise is flagged, never obeyed. Raises `Rejected` for what cannot be
    read as a notebook.
    """
    flags = []
    cells, metadata = _read_notebook(content, flags)
    kernel = metadata.get("kernelspec")
    if not isinstance(kernel, dict) or kernel.get("name") != released.metadata.kernelspec.name:
        flags.append(Flag.OTHER_KERNEL)
    ours = {cell.metadata.nbgrader.grade_id: cell for cell in released.cells}
    theirs, extras, last = {}, {}, None
    for cell in cells:
        grade_id = _grade_id(cell)
        if grade_id in ours and grade_id not in theirs:
            theirs[grade_id] = cell
            last = grade_id
        elif grade_id in ours and not ours[grade_id].metadata.nbgrader.solution:
            if ours[grade_id].metadata.nbgrader.grade:
                flags.append(Flag.CHECK_DUPLICATED)
        else:
            if grade_id in ours:
                flags.append(Flag.ANSWER_DUPLICATED)
            extras.setdefault(last, []).append(cell)

    rebuilt = new_notebook(metadata=released.metadata)
    missing, answered = set(), bool(_code(extras))
    rebuilt.cells += _extra_cells(extras.pop(None, []), "start")
    for grade_id, own in ours.items():
        cell = new_code_cell if own.cell_type == "code" else new_markdown_cell
        source = own.source
        theirs_now = theirs.get(grade_id)
        if own.metadata.nbgrader.solution:
            if theirs_now is None:
                missing.add(grade_id)
                flags.append(Flag.ANSWER_MISSING)
            else:
                source = theirs_now["source"]
                answered |= source.split() not in ([], own.source.split())
        flags += _differences(own, theirs_now)
        rebuilt.cells.append(cell(source, id=own.id, metadata=own.metadata))
        rebuilt.cells += _extra_cells(extras.pop(grade_id, []), grade_id)
    return Rebuilt(rebuilt, answered or bool(missing), missing, list(dict.fromkeys(flags)))


def _read_notebook(content, flags):
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Rejected(Status.INVALID_NOTEBOOK, "the file is no notebook (no JSON)") from error
    if not isinstance(notebook, dict):
        raise Rejected(Status.INVALID_NOTEBOOK, "the file is no notebook")
    if notebook.get("nbformat") in (1, 2, 3):
        try:
            notebook = nbformat.convert(nbformat.from_dict(notebook), 4)
        except Exception as error:  # the old converters raise whatever a broken cell makes them
            raise Rejected(
                Status.INVALID_NOTEBOOK, "the notebook's format is old and cannot be upgraded"
            ) from error
        flags.append(Flag.UPGRADED)
    cells, metadata = notebook.get("cells"), notebook.get("metadata")
    if not isinstance(cells, list) or len(cells) > MAX_CELLS:
        raise Rejected(
            Status.INVALID_NOTEBOOK, "the notebook has no list of cells that can be read"
        )
    readable = [_plain_cell(cell) for cell in cells]
    return readable, metadata if isinstance(metadata, dict) else {}


def _plain_cell(cell):
    cell = cell if isinstance(cell, dict) else {}
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    metadata = cell.get("metadata")
    return {
        "cell_type": cell.get("cell_type"),
        # A lone surrogate is no text; it could not even be written down again.
        "source": source.encode("utf-8", "replace").decode() if isinstance(source, str) else "",
        "metadata": metadata if isinstance(metadata, dict) else {},
    }


def _grade_id(cell):
    marks = cell["metadata"].get("nbgrader")
    grade_id = marks.get("grade_id") if isinstance(marks, dict) else None
    return grade_id if isinstance(grade_id, str) else None


def _code(extras):
    return [
        cell
        for cells in extras.values()
        for cell in cells
        if cell["cell_type"] == "code" and cell["source"].strip()
    ]


def _extra_cells(cells, after):
    made = []
    for number, cell in enumerate(cells):
        make = new_code_cell if cell["cell_type"] == "code" else new_markdown_cell
        name = f"extra-{after.replace('_', '-')[:40]}-{number}"
        made.append(make(cell["source"], id=name, metadata={}))
    return made


def _differences(own, theirs):
    """Flag what was done to one of our cells."""
    marks = own.metadata.nbgrader
    if theirs is None:
        if marks.solution:
            return []
        return [Flag.CHECK_DELETED if marks.grade else Flag.TEXT_EDITED]
    flags = []
    if marks.solution and theirs["cell_type"] != own.cell_type:
        flags.append(Flag.ANSWER_NOT_CODE)
    if not marks.solution and theirs["source"].split() != own.source.split():
        flags.append(Flag.CHECK_EDITED if marks.grade else Flag.TEXT_EDITED)
    known = ("grade", "solution", "locked", "points", "schema_version")
    changed = any(theirs["metadata"]["nbgrader"].get(key) != marks.get(key) for key in known)
    if changed or theirs["metadata"].get("tags"):
        flags.append(Flag.METADATA_CHANGED)
    return flags
