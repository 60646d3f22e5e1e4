"""The log of internal errors: whatever one line a person sees, the traceback is kept."""

import contextlib
import re
import traceback
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from autograder.course_error import CourseError, reason_of
from autograder.files import replace_file

# Of one traceback, in characters and in calls; the end of it says the most.
LONGEST, DEEPEST = 20_000, 30


def traceback_of(error: BaseException, chain: bool = True) -> str:
    """Return the end of an error's traceback; without ``chain``, of this error alone."""
    lines = traceback.format_exception(error, limit=-DEEPEST, chain=chain)
    return "".join(lines)[-LONGEST:]


class ErrorLog:
    """A file in the course folder to which tracebacks are appended."""

    def __init__(self, course: str | Path) -> None:
        self.path = Path(course) / ".autograder" / "errors.log"

    def add(self, about: str, error: BaseException | str) -> None:
        """Append an exception, or the text of a traceback, with a line that says where it arose."""
        text = error if isinstance(error, str) else traceback_of(error)
        now = f"{datetime.now(timezone.utc):%F %T} UTC"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"--- {now}, {about}\n{text[-LONGEST:].rstrip()}\n\n")

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
        """Turn an error that nobody has foreseen into one line that says where its traceback is."""
        try:
            yield
        except (CourseError, OSError):
            raise
        except Exception as error:
            self.add("the run", error)
            raise CourseError(
                f"an internal error ended the run ({type(error).__name__}: "
                f"{str(error)[:200]!r}); its traceback is in {self.path}, and what was graded "
                "until now is kept"
            ) from error


@contextlib.contextmanager
def disk_errors(course: Path) -> Iterator[None]:
    """Turn a full disk, or a file in the way, into the one line that says what to do."""
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(course)
        raise CourseError(
            f"cannot work in {course}: {reason_of(error)} ({where}); fix this and run it again; "
            "nothing that has been graded is lost"
        ) from error
