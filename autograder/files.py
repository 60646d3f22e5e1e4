"""Files that are there whole or not at all."""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


def replace_file(path: str | Path, content: str | bytes, to_disk: bool = False) -> None:
    """Write a file's content (text or bytes), and its folder, so that no reader sees half of it.

    Half a surrogate pair, which is no character, is written as a question mark: an answer may have
    raised an error with one, and its page is to be written all the same.
    With ``to_disk``, the content and its name are on the disk when this returns. When two processes
    write the same file at once, one of the two contents stands there afterwards.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not one of `tempfile`, which only its owner could read.
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.draft")
    try:
        with open(draft, "xb") as file:
            file.write(content.encode(errors="replace") if isinstance(content, str) else content)
            if to_disk:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
        if to_disk:
            _fsync_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        if isinstance(error, OSError):  # whoever reads its message knows of no draft
            error.filename, error.filename2 = str(path), None
        raise


def _fsync_folder(folder: Path) -> None:
    """Flush a folder to the disk: it holds the names of the files, which the files do not."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a network drive may do this for files alone
            raise
    finally:
        os.close(descriptor)


def abandoned_drafts(folder: Path) -> Iterator[Path]:
    """Yield what killed processes were writing by `replace_file`, also in folders of this one.

    Nobody may be writing there meanwhile.
    """
    return folder.rglob(f"*.{'[0-9a-f]' * 8}.draft")
