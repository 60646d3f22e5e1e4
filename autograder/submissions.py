"""What comes in: found, chosen, read and taken apart without trusting any of it."""

import contextlib
import hashlib
import io
import itertools
import json
import os
import re
import stat
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.results import Flag, Status

MAX_BYTES = 20 * 2**20
# Of all that a student's folder or archive holds and that would have to be looked into.
MAX_TOTAL = 100 * 2**20
MAX_ENTRIES = 10_000
MAX_CELLS = 2000
# A student's folder may hold a zip, and that a zip once more.
ZIPS_DEEP = 2
NOTEBOOK = re.compile(r"\.ipynb(\.json|\.txt)?$", re.I)
HANDED_IN = re.compile(r"(\.ipynb(\.json|\.txt)?|\.zip)$", re.I)
NBGRADER = re.compile(rb'"nbgrader"\s*:\s*\{([^{}]*)\}')
GRADE_ID = re.compile(rb'"grade_id"\s*:\s*"([^"]*)"')
SOLUTION = re.compile(rb'"solution"\s*:\s*true')
TIME = re.compile(r"(19[7-9]\d|20\d\d)-\d\d-\d\d[ T]\d\d:\d\d")


class Rejected(Exception):
    """A submission that cannot be graded: its status, the reason in words, what to flag."""

    def __init__(self, status, reason, *flags):
        # Names of files and messages of libraries get into it, and it has to be written down.
        reason = "".join(c if c.isprintable() else "?" for c in reason)[:500]
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


@dataclass(frozen=True)
class Entry:
    """A file that was found and not read, on the disk or in an archive; ``name/`` is a folder.

    ``fetch`` reads it up to the first byte over the limit; ``rejected`` says why it must not be.
    """

    name: str
    size: int = 0
    fetch: Callable | None = None
    archived: bool = False
    rejected: Rejected | None = None

    def read(self):
        _check_size(self.name, self.size, self.archived)
        content = self.fetch()
        _check_size(self.name, len(content), self.archived)
        return content


def _check_size(name, size, archived, limit=MAX_BYTES):
    if size > limit:
        status, has = (Status.REFUSED, "unpacks to") if archived else (Status.TOO_LARGE, "has")
        raise Rejected(status, f"{name} {has} {size / 2**20:.0f} MB; {limit >> 20} are allowed")


# --- the three ways in ---------------------------------------------------------------------------


def submitted(course, assignment, students=None):
    """Read ``submitted/<student>/<assignment>/`` of a course folder, in the students' order."""
    root = Path(course) / "submitted"
    release = Path(course) / "release" / assignment / "assignment.ipynb"
    ours = _answer_ids(release.read_bytes()) if release.is_file() else None
    found = []
    for folder in sorted(root.iterdir()) if root.is_dir() else []:
        student, inbox = student_name(folder.name), folder / assignment
        wanted = students is None or student in students
        if wanted and not _is_junk([folder.name]) and _is_there(inbox):
            submission = _received(student, partial(_read_inbox, folder, inbox, ours))
            submission.submitted_at = _timestamp(folder, inbox)
            found.append(submission)
    return found


def exported(path, released=None):
    """Read what a learning platform exports: a folder or a zip with all students' files.

    The student is the first folder of an entry's path, or the file's name where it lies flat, but
    for the names of known platforms, of which the newest attempt counts:

    - Moodle: ``Ada Lovelace_123_assignsubmission_file_``, a folder or before the file's name, is
      ``Ada Lovelace_123``;
    - Canvas: ``meieranna_LATE_12345_67890_assignment-1.ipynb`` is ``meieranna_12345``, the name
      and the number of the user; the second number is the file's and grows;
    - Blackboard: ``Chapter 2_s123_attempt_2026-03-01-10-00-00_assignment.ipynb`` is ``s123``.

    ``released`` is the text of the notebook that students were given: by its answer cells it is
    told from other assignments. Raises `Rejected` when the export as a whole cannot be read.
    """
    ours = _answer_ids(released.encode()) if released else None
    with contextlib.ExitStack() as stack:
        if Path(path).is_dir():
            entries = sorted(_walk(path), key=lambda entry: entry.name)
        else:
            with _archive_errors():
                archive = stack.enter_context(zipfile.ZipFile(path))
            entries = _archive_entries(archive)
        return [
            _received(student_name(student), partial(_chosen, handed_in, ours))
            for student, handed_in in _by_student(entries).items()
        ]


def student_name(name):
    """Return the name of a folder or file as one that is text and safe in every path.

    What had to be changed ends in a digest of the original, so that two never become one.
    """
    safe = "".join("_" if c in '<>:"/\\|?*' or not c.isprintable() else c for c in name)
    safe = safe.strip(" .")
    if safe != name or len(safe.encode()) > 200:
        safe = safe.encode()[:190].decode(errors="ignore")
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        safe = f"{safe or 'unnamed'}-{digest[:8]}"
    return safe or "unnamed"


def _received(student, read):
    """Return a student's `Submission`: whatever is wrong with it, the others are not to suffer."""
    try:
        return Submission(student, read())
    except Rejected as rejected:
        # A new one: this one's traceback would keep all that was read in memory.
        new = Rejected(rejected.status, rejected.reason, *rejected.flags)
    except Exception as error:
        words = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        new = Rejected(Status.REFUSED, f"cannot be read: {words}")
    return Submission(student, rejected=new)


# --- on the disk ---------------------------------------------------------------------------------


def _read_inbox(folder, inbox, ours):
    for path in (folder, inbox):
        if path.is_symlink():
            raise Rejected(Status.REFUSED, f"{path.name} is a link", Flag.SYMLINK)
    if not inbox.is_dir():
        return Entry(inbox.name, fetch=partial(_fetch_file, inbox)).read()
    # One more than is allowed: nobody needs to see all of a million files.
    return _chosen(list(itertools.islice(_walk(inbox), MAX_ENTRIES + 1)), ours)


def _is_there(path):
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # a folder that may not be entered: there is something, and it gets a status
        return True
    return True


def _walk(folder):
    """Yield an `Entry` for all that is below a folder; links are named and not followed."""
    waiting = [("", folder)]
    while waiting:
        within, folder = waiting.pop()
        try:
            with os.scandir(folder) as children:
                for child in children:
                    name = within + child.name
                    # What is named like a notebook is to be one; it is looked at when it is read.
                    if child.is_dir(follow_symlinks=False) and not HANDED_IN.search(name):
                        yield Entry(f"{name}/")
                        if not _is_junk([child.name]):
                            waiting.append((f"{name}/", child.path))
                    else:
                        size = child.stat(follow_symlinks=False).st_size
                        yield Entry(name, size, partial(_fetch_file, child.path))
        except OSError as error:
            rejected = Rejected(Status.REFUSED, f"cannot be read: {error.strerror}")
            if not within:
                raise rejected from error
            yield Entry(within, rejected=rejected)


def _fetch_file(path):
    """Read a regular file; a link is not followed, a device or a large file is not read."""
    name = os.path.basename(path)
    if os.path.islink(path):
        raise Rejected(Status.REFUSED, f"{name} is a link", Flag.SYMLINK)
    with open(path, "rb", opener=_open_file) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise Rejected(Status.REFUSED, f"{name} is no regular file")
        _check_size(name, facts.st_size, archived=False)
        return file.read(MAX_BYTES + 1)


def _open_file(path, flags):
    # O_NONBLOCK: opening a named pipe must not wait for somebody to write to it.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _timestamp(folder, inbox):
    path = inbox / "timestamp.txt"
    try:
        if any(p.is_symlink() for p in (folder, inbox, path)) or not path.is_file():
            return None
        text = path.read_bytes()[:101].decode(errors="replace").strip()
    except OSError:
        return None
    return text if len(text) <= 100 and text.isprintable() and TIME.match(text) else None


# --- in archives ---------------------------------------------------------------------------------


@contextlib.contextmanager
def _archive_errors():
    try:
        yield
    except Exception as error:  # zipfile raises whatever damaged bytes make it raise
        words = getattr(error, "strerror", None) or error
        raise Rejected(Status.INVALID_NOTEBOOK, f"the archive cannot be read: {words}") from error


def _unzipped(entry):
    """Return what an archive that was handed in holds; nothing is ever unpacked to disk."""
    content = entry.read()
    # Before zipfile makes an object of each: all that it lists begin with these bytes.
    _check_count(content.count(b"PK\x01\x02"))
    with _archive_errors():
        archive = zipfile.ZipFile(io.BytesIO(content))
    return _archive_entries(archive, f"{entry.name}/")


def _archive_entries(archive, within=""):
    return [
        Entry(
            within + info.filename.replace("\\", "/"),
            info.file_size,
            partial(_fetch_packed, archive, info),
            archived=True,
            rejected=_unsafe(info),
        )
        for info in archive.infolist()
    ]


def _unsafe(info):
    name = info.filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
        return Rejected(Status.REFUSED, "a name in the archive leads out of it")
    if stat.S_ISLNK(info.external_attr >> 16):
        return Rejected(Status.REFUSED, "the archive holds a link", Flag.SYMLINK)
    return None


def _fetch_packed(archive, info):
    # zipfile unpacks these two piece by piece; of the others, a piece can be gigabytes.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Rejected(
            Status.INVALID_NOTEBOOK, "the archive is packed in a way that is not read here"
        )
    with _archive_errors(), archive.open(info) as file:
        # The size an archive states may be a lie: read no more than is allowed.
        return file.read(MAX_BYTES + 1)


# --- choosing ------------------------------------------------------------------------------------


def _chosen(entries, ours):
    """Return the notebook that a student means to hand in, of all the files that he did hand in.

    It is the one with our answer cells, by preference named assignment.ipynb; ``ours`` are their
    ids, None where they are not known. Raises `Rejected` where there is none or no telling.
    """
    files = _handed_in(entries)
    for entry in files:
        if entry.name == "assignment.ipynb":
            content = entry.read()
            if len(files) == 1 or _is_ours(content, ours):
                return content
    troubles = []
    notebooks = _notebooks(files, ZIPS_DEEP, troubles)
    _check_total(notebooks)
    best, chosen = (True, ()), {}
    for entry in notebooks:
        try:
            content = entry.read()
        except Rejected as rejected:
            troubles.append(rejected)
            continue
        rank = (not _is_ours(content, ours), _rank(entry))
        if not chosen or rank < best:
            best, chosen = rank, {}
        if rank == best:
            chosen[content] = entry.name  # the same bytes twice are one notebook
    not_ours, _ = best
    if troubles and not_ours:
        raise troubles[0]
    if len(chosen) == 1:
        return next(iter(chosen))
    if chosen:
        problem = f"{len(chosen)} notebooks were handed in"
    else:
        names = [entry.name for entry in entries if not entry.name.endswith("/")]
        problem = f"no notebook was handed in ({', '.join(names[:3]) or 'nothing at all'})"
    raise Rejected(Status.INVALID_NOTEBOOK, f"{problem}; one assignment.ipynb is expected")


def _notebooks(files, zips_deep, troubles):
    """Return the notebooks among files and in their archives, of which some may be in trouble."""
    notebooks = []
    for entry in files:
        if NOTEBOOK.search(entry.name):
            notebooks.append(entry)
        elif zips_deep:
            try:
                inside = _handed_in(_unzipped(entry))
                notebooks += _notebooks(inside, zips_deep - 1, troubles)
            except Rejected as rejected:
                troubles.append(rejected)
    return notebooks


def _handed_in(entries):
    """Return the notebooks and archives without what systems leave behind; none has been read."""
    _check_count(len(entries))
    for entry in entries:
        if entry.rejected:
            raise entry.rejected
    files = [
        entry
        for entry in entries
        if HANDED_IN.search(entry.name) and not _is_junk(PurePosixPath(entry.name).parts)
    ]
    if len(files) > 1:  # one alone has the limit of a file
        _check_total(files)
    return files


def _is_junk(parts):
    """Tell hidden files, Jupyter's checkpoints and what a Mac puts beside files."""
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _check_count(count):
    if count > MAX_ENTRIES:
        raise Rejected(Status.REFUSED, f"more than {MAX_ENTRIES} files were handed in")


def _check_total(entries):
    total = sum(entry.size for entry in entries)
    archived = any(entry.archived for entry in entries)
    _check_size("what was handed in", total, archived, MAX_TOTAL)


def _rank(entry):
    """Order names by how much they say that this is the assignment; the first is the best."""
    path = PurePosixPath(entry.name)
    name = path.name.casefold()
    if name == "assignment.ipynb":
        return (0, len(path.parts))
    if NOTEBOOK.sub("", name) == "assignment":
        return (1, len(path.parts))
    return (2,) if name.startswith("assignment") else (3,)


def _is_ours(content, ours):
    found = _answer_ids(content)
    return bool(found if ours is None else found & ours)


def _answer_ids(content):
    """Find the ids of a notebook's answer cells, without trusting that it is one."""
    marks = [mark for mark in NBGRADER.findall(content) if SOLUTION.search(mark)]
    return {grade_id for mark in marks for grade_id in GRADE_ID.findall(mark)}


# --- what learning platforms export --------------------------------------------------------------

MOODLE_FOLDER = re.compile(r"(?P<student>.+)_assignsubmission_[a-z]+_?")
# The first match counts: what follows is the name that the student gave the file.
MOODLE_FILE = re.compile(r"(?P<student>.+?)_assignsubmission_[a-z]+_(?P<file>.*)")
BLACKBOARD = re.compile(
    r"(?P<student>.+?)_attempt_(?P<attempt>\d{4}(-\d\d){5})(_(?P<file>.+)|\.txt)"
)
CANVAS = re.compile(
    r"(?P<name>[^_]+)(_LATE)?_(?P<user>\d{1,20})_(?P<attempt>\d{1,20})_(?P<file>.+)"
)


class Sender(NamedTuple):
    """What the name of an export's folder or file says: whose it is, and which attempt.

    Of the files of one ``series`` the last attempt counts. ``long_name`` is the student's with
    what stands before it, in case that two have the same.
    """

    student: str
    long_name: str
    file: str
    series: str = ""
    attempt: str = ""


def _platforms_sender(name, is_folder):
    if match := (MOODLE_FOLDER if is_folder else MOODLE_FILE).fullmatch(name):
        return Sender(match["student"], match["student"], match.groupdict().get("file", ""))
    if is_folder:
        return None
    if match := BLACKBOARD.fullmatch(name):
        long_name = match["student"]
        student = long_name.rpartition("_")[2]
        return Sender(student, long_name, match["file"] or "", "", match["attempt"])
    if match := CANVAS.fullmatch(name):
        student = f"{match['name']}_{match['user']}"
        file = re.sub(r"-\d+(?=(\.\w+)+$)", "", match["file"])
        # The number is a file's, and one attempt may have several: a lesson takes no one's place.
        return Sender(student, student, file, HANDED_IN.sub("", file), match["attempt"].zfill(20))
    return None


def _sender(parts, entry):
    """Tell whose an entry is; None for what lies between submissions, as a list of marks does."""
    name, is_folder = parts[0], len(parts) > 1 or entry.name.endswith("/")
    if _is_junk([name]):
        return None
    sender = _platforms_sender(name, is_folder)
    if sender is None and (is_folder or entry.rejected or HANDED_IN.search(name)):
        student = name if is_folder else HANDED_IN.sub("", name)
        sender = Sender(student, student, name)
    return sender


def _by_student(entries):
    """Sort what an export holds by student: a dict from names to entries."""
    located = []
    for entry in entries:
        parts = [part for part in entry.name.split("/") if part not in ("", ".", "..")]
        parts = parts or ["unnamed"]
        if _sender(parts, entry):
            located.append((parts, entry))
    handed_in = defaultdict(list)
    for parts, entry in _below_common_folder(located):
        if sender := _sender(parts, entry):
            name = "/".join(parts[1:]) or sender.file
            entry = replace(entry, name=f"{name}/" if entry.name.endswith("/") else name)
            handed_in[sender.student, sender.long_name].append((sender, entry))
    namesakes = Counter(student for student, _ in handed_in)
    return {
        long_name if namesakes[student] > 1 else student: _newest(sent)
        for (student, long_name), sent in handed_in.items()
    }


def _newest(sent):
    """Drop the files that a later attempt has replaced."""
    newest = defaultdict(str)
    for sender, _ in sent:
        newest[sender.series] = max(newest[sender.series], sender.attempt)
    return [entry for sender, entry in sent if sender.attempt == newest[sender.series]]


def _below_common_folder(located):
    """Take away a folder around the whole class; one around a student's own files stays."""
    children = {
        parts[1]: len(parts) > 2 or entry.name.endswith("/")
        for parts, entry in sorted(located, key=lambda one: len(one[0]))
        if len(parts) > 1 and not _is_junk(parts)
    }
    tops = {parts[0] for parts, _ in located}
    if len(tops) != 1 or not children or _platforms_sender(*tops, is_folder=True):
        return located
    if not any(_platforms_sender(name, is_folder) for name, is_folder in children.items()):
        folders = [name for name, is_folder in children.items() if is_folder]
        files = [name for name in children if name not in folders and HANDED_IN.search(name)]
        own = any(name.casefold().startswith(("assignment", "lesson")) for name in files)
        if own or max(len(folders), len(files)) < 2:
            return located
    return _below_common_folder([(parts[1:], entry) for parts, entry in located if parts[1:]])


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
