"""The error of a person, in one line that says what is wrong and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


class CourseError(Exception):
    """Something a person can put right; its text is the one line that is shown."""


def cannot_be_read(path: object, error: OSError) -> CourseError:
    """Return the `CourseError` for a file that is there and cannot be read."""
    return CourseError(f"{path} cannot be read: {reason_of(error)}")


def reason_of(error: OSError) -> str:
    """Return what was wrong, as the operating system says it, to stand within a sentence."""
    return (error.strerror or str(error)).lower()


def unknown(what: str, name: str, known: Collection[str]) -> CourseError:
    """Return the `CourseError` for a name that is not known: with those that may be meant, or all.

    ``what`` is named so, a chapter or an assignment.
    """
    hint = suggestion([name], known) or f"; choose one of {', '.join(sorted(set(known)))}"
    return CourseError(f"there is no {what} {name!r}{hint}")


def suggestion(names: Iterable[str], known: Collection[str]) -> str:
    """Ask whether others were meant by names that are not known; "" if none is like them."""
    meant: set[str] = set()
    for name in names:
        longer = {other for other in known if name and other.startswith(name)}
        near = longer if len(longer) in (1, 2) else difflib.get_close_matches(name, known, n=2)
        meant.update(near)
    # A student with another assignment's submission is known and not meant otherwise.
    meant -= set(names)
    return f"; did you mean {' or '.join(sorted(meant))}?" if meant else ""
