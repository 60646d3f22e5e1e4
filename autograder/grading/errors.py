"""Errors: the one line that a person sees, and the log that keeps the traceback."""

import contextlib
import errno
import re
import sys
import traceback
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from autograder.course_error import CourseError, reason_of
from autograder.files import replace_file

# Of one traceback, in characters and in calls; the end of it says the most.
LONGEST, DEEPEST = 20_000, 30
# Of one run: what is wrong with a thousand submissions need not be kept a thousand times.
MOST_TRACEBACKS = 100
# Of what is said of an error in one line, in characters.
LONGEST_LINE = 300
# What writing to an open file raises, without its name. Other errors that name no file are not of
# the disk: what a network raises is an `OSError`, too.
OF_A_DISK = {errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC, errno.EROFS, errno.ESTALE}


def describe_error(error: BaseException) -> str:
    """Return the name of an error and the first line of its message."""
    return f"{type(error).__name__}: {first_line(error)}"[:LONGEST_LINE]


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, as a terminal may show it."""
    lines = str(error).strip().splitlines()
    shown = (letter if letter.isprintable() else "?" for letter in (lines[0] if lines else ""))
    return "".join(shown) or "no reason given"


def traceback_of(error: BaseException, chain: bool = True) -> str:
    """Return the end of an error's traceback; without ``chain``, of this error alone."""
    lines = traceback.format_exception(error, limit=-DEEPEST, chain=chain)
    return "".join(lines)[-LONGEST:]


class ErrorLog:
    """A file in the course folder to which the tracebacks of one run are appended.

    After `MOST_TRACEBACKS` they are only counted; at the end of `one_line` it says how many.
    """

    def __init__(self, course: str | Path) -> None:
        self.path = Path(course) / ".autograder" / "errors.log"
        self._count = 0

    def add(self, about: str, error: BaseException | str) -> None:
        """Append an exception, or the text of a traceback, with a line that says where it arose."""
        self._count += 1
        if self._count <= MOST_TRACEBACKS:
            self._append(about, error if isinstance(error, str) else traceback_of(error))

    def _append(self, about: str, text: str = "") -> None:
        now = f"{datetime.now(timezone.utc):%F %T} UTC"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"--- {now}, {about}\n{text[-LONGEST:]}".rstrip() + "\n\n")

    def forget(self, student: str) -> None:
        """Remove what was logged about the submission or the result of one student."""
        if not self.path.exists():
            return
        text = self.path.read_text(encoding="utf-8", errors="replace")
        about = tuple(f"the {what} of {student}\n" for what in ("submission", "result"))
        parts = re.split(r"(?m)^(?=--- [^\n]* UTC, )", text)
        kept = [part for part in parts if not part.partition(", ")[2].startswith(about)]
        replace_file(self.path, "".join(kept))

    @contextlib.contextmanager
    def one_line(self) -> Iterator[None]:
        """Turn an error that nobody has foreseen into one line that says where its traceback is.

        Errors of the disk are left to `disk_errors`.
        """
        try:
            yield
        except CourseError:
            raise
        except Exception as error:
            if isinstance(error, OSError) and (error.filename or error.errno in OF_A_DISK):
                raise  # `disk_errors` says what to do
            where = f"in {self.path}"
            try:
                self._append("the run", traceback_of(error))
            except OSError:  # of a folder that may only be read; the error of the run says more
                print(traceback_of(error), file=sys.stderr)
                where = "above"
            raise CourseError(
                f"an internal error ended the run ({describe_error(error)}); its traceback is "
                f"{where}, and whatever was graded until now is kept"
            ) from error
        finally:
            if self._count > MOST_TRACEBACKS:
                left_out = self._count - MOST_TRACEBACKS
                # What ended the run says more than that the log cannot be written.
                with contextlib.suppress(OSError):
                    self._append(f"tracebacks of this run that were left out: {left_out}")


@contextlib.contextmanager
def disk_errors(course: Path) -> Iterator[None]:
    """Turn a full disk, or a file in the way, into the one line that says what to do."""
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(course)
        raise CourseError(
            f"cannot work in {course}: {reason_of(error)} ({where}); fix this and run it again; "
            "what was done until now is kept"
        ) from error
