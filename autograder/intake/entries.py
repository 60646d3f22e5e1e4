"""Files that were handed in, on the disk or in archives: found, bounded and read."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.platforms.base import SUBMITTED_FILE
from autograder.results import Flag, Origin, Status

MAX_BYTES = 20 * 2**20
MAX_ENTRIES = 10_000


class Rejected(Exception):
    """A submission that cannot be graded: its status, the reason as a text, what to flag."""

    def __init__(self, status: Status, reason: str, *flags: Flag) -> None:
        # Names of files and messages of libraries get into it, and it has to be written down.
        reason = "".join(c if c.isprintable() else "?" for c in reason)[:500]
        super().__init__(status, reason, *flags)  # what a pickle of it is made from
        self.status = status
        self.reason = reason
        self.flags = list(flags)


@dataclass(frozen=True)
class Entry:
    """A file that was found and not read, on the disk or in an archive; ``name/`` is a folder.

    ``fetch`` reads it up to the first byte over the limit; ``rejected`` says why it must not be;
    ``late`` is what the platform says of it, and ``origin`` the name that the platform gave it.
    """

    name: str
    size: int = 0
    fetch: Callable[[], bytes] | None = None
    archived: bool = False
    rejected: Rejected | None = None
    late: bool = False
    origin: Origin | None = None

    def read(self) -> bytes:
        """Return the content; `Rejected` when it is too long, or the entry is a folder."""
        if self.fetch is None:
            raise Rejected(Status.REFUSED, f"{self.name} is not a file")
        check_size(self.name, self.size, self.archived)
        content = self.fetch()
        check_size(self.name, len(content), self.archived)
        return content


def check_size(name: str, size: int, archived: bool, limit: int = MAX_BYTES) -> None:
    """Raise `Rejected` for a file of more than ``limit`` bytes."""
    if size > limit:
        status, has = (Status.REFUSED, "unpacks to") if archived else (Status.TOO_LARGE, "has")
        raise Rejected(status, f"{name} {has} {size / 2**20:.0f} MB; {limit >> 20} are allowed")


def is_junk(parts: Sequence[str]) -> bool:
    """Return whether a path is a hidden file, a Jupyter checkpoint or macOS metadata."""
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def check_count(count: int) -> None:
    """Raise `Rejected` when more files were handed in than anybody needs."""
    if count > MAX_ENTRIES:
        raise Rejected(Status.REFUSED, f"more than {MAX_ENTRIES} files were handed in")


# --- on the disk ---------------------------------------------------------------------------------


def walk(folder: str | Path, refuse_links: bool = False) -> Iterator[Entry]:
    """Yield an `Entry` for all that is below a folder; links are named and not followed.

    With ``refuse_links`` any link is a reason to refuse what it was handed in with.
    """
    waiting = [("", folder)]
    while waiting:
        within, folder = waiting.pop()
        try:
            with os.scandir(folder) as children:
                for child in children:
                    name = within + child.name
                    # A folder named like a notebook is taken for one: reading it is refused.
                    if refuse_links and child.is_symlink():
                        reason = f"{child.name} is a link"
                        rejected = Rejected(Status.REFUSED, reason, Flag.SYMLINK)
                        yield Entry(name, rejected=rejected)
                    elif child.is_dir(follow_symlinks=False) and not SUBMITTED_FILE.search(name):
                        yield Entry(f"{name}/")
                        if not is_junk([child.name]):
                            waiting.append((f"{name}/", child.path))
                    else:
                        size = child.stat(follow_symlinks=False).st_size
                        yield Entry(name, size, partial(fetch_file, child.path))
        except OSError as error:
            rejected = Rejected(Status.REFUSED, f"cannot be read: {error.strerror}")
            if not within:
                raise rejected from error
            yield Entry(within, rejected=rejected)


def fetch_file(path: str | Path, limit: int = MAX_BYTES) -> bytes:
    """Read a regular file of at most ``limit`` bytes.

    Raises `Rejected` for what is longer or no regular file, and for a link of any kind.
    """
    name = os.path.basename(path)
    if os.path.islink(path):
        raise Rejected(Status.REFUSED, f"{name} is a link", Flag.SYMLINK)
    try:
        with open(path, "rb", opener=_open_file) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                raise Rejected(Status.REFUSED, f"{name} is not a regular file")
            if facts.st_nlink > 1:  # another name of a file that may be anybody's
                raise Rejected(Status.REFUSED, f"{name} is a hard link", Flag.SYMLINK)
            check_size(name, facts.st_size, archived=False, limit=limit)
            return file.read(limit + 1)
    except OSError as error:  # this file's trouble alone: others beside it may be read
        raise Rejected(Status.REFUSED, f"{name} cannot be read: {error.strerror}") from error


def _open_file(path: str, flags: int) -> int:
    # O_NONBLOCK: opening a named pipe must not wait for somebody to write to it.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


# --- in archives ---------------------------------------------------------------------------------


@contextlib.contextmanager
def archive_errors() -> Iterator[None]:
    """Make whatever goes wrong with an archive a `Rejected`."""
    try:
        yield
    except Exception as error:  # zipfile raises whatever damaged bytes make it raise
        reason = getattr(error, "strerror", None) or error
        raise Rejected(Status.INVALID_NOTEBOOK, f"the archive cannot be read: {reason}") from error


def unzipped(entry: Entry) -> list[Entry]:
    """Return what an archive that was handed in holds; nothing is ever unpacked to disk."""
    content = entry.read()
    # Counted before zipfile makes an object of each: all that it lists begin with these bytes.
    check_count(content.count(b"PK\x01\x02"))
    with archive_errors():
        archive = zipfile.ZipFile(io.BytesIO(content))
    return archive_entries(archive, f"{entry.name}/")


def archive_entries(archive: zipfile.ZipFile, within: str = "") -> list[Entry]:
    """Return what an archive lists; what cannot be safely read is rejected already."""
    return [
        Entry(
            within + _packed_name(info),
            info.file_size,
            partial(_fetch_packed, archive, info),
            archived=True,
            rejected=_unsafe(info),
        )
        for info in archive.infolist()
    ]


def _packed_name(info: zipfile.ZipInfo) -> str:
    """Return the name of a file in an archive, its folders separated by slashes."""
    name = info.filename
    if not info.flag_bits & 0x800:
        # An archive without this flag has its names in cp437, which is how zipfile has read them.
        # macOS writes UTF-8 and no flag; names in another encoding are hardly ever UTF-8 by chance.
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _unsafe(info: zipfile.ZipInfo) -> Rejected | None:
    name = _packed_name(info)
    if name.startswith("/") or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
        return Rejected(Status.REFUSED, "a name in the archive leads out of it")
    if stat.S_ISLNK(info.external_attr >> 16):
        return Rejected(Status.REFUSED, "the archive holds a link", Flag.SYMLINK)
    return None


def _fetch_packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    # zipfile unpacks these two piece by piece; of the others, a piece can be gigabytes.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Rejected(
            Status.INVALID_NOTEBOOK, "the archive is packed in a way that is not read here"
        )
    with archive_errors(), archive.open(info) as file:
        # The size an archive states may be a lie: read no more than is allowed.
        return file.read(MAX_BYTES + 1)
