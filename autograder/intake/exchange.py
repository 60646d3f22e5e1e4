"""What nbgrader's exchange writes beside a submission: when it was handed in, and a secret."""

from __future__ import annotations

import os
import re
from datetime import datetime, timezone
from pathlib import Path

from dateutil import parser, tz

from autograder.intake.entries import Rejected, fetch_file

TIMESTAMP = "timestamp.txt"
EXCHANGE_FILES = (TIMESTAMP, "submission_secret.txt")
# Each of these files has about a hundred bytes.
MAX_EXCHANGE_BYTES = 500
_TIME = re.compile(r"(19[7-9]\d|20\d\d)-\d\d-\d\d[ T]\d\d:\d\d")
# The name of a time's zone: CET, Europe/Vienna, UTC+1.
_ZONE = re.compile(r" (?!(?:AM|PM)$)([A-Za-z][\w/+-]*)$", re.IGNORECASE)


def exchange_files(course: str | Path, assignment: str, student: str) -> dict[str, bytes]:
    """Return what nbgrader's exchange wrote beside a submission, from file name to content.

    `nbgrader release_feedback` needs both files, beside the feedback.
    """
    folder = Path(course) / "submitted" / student
    return {
        name: content
        for name in EXCHANGE_FILES
        if (content := _read(folder, folder / assignment, name)) is not None
    }


def read_timestamp(folder: Path, inbox: Path) -> str | None:
    """Return when a submission was handed in, as nbgrader wrote it; None where it is not a time.

    ``folder`` is the student's, and ``inbox`` that of the assignment in it.
    """
    content = _read(folder, inbox, TIMESTAMP) or b""
    text = content.decode(errors="replace").strip()
    return text if len(text) <= 100 and text.isprintable() and _TIME.match(text) else None


def utc_time(text: str | None) -> datetime | None:
    """Read nbgrader's timestamp, as UTC without a zone; None when it is missing or odd.

    It may end in an offset or in the name of a zone, as ``c.Exchange.timestamp_format`` asks for
    (``%z``, ``%Z``); without either it is UTC. A name that is not known here makes it odd: nbgrader
    itself takes it for UTC.
    """
    if not text:
        return None
    named = _ZONE.search(text)
    zone = tz.gettz(named[1]) if named else None
    if named and zone is None:
        return None
    try:
        time: datetime = parser.parse(text[: named.start()] if named else text)
        time = time.replace(tzinfo=zone) if zone else time
        return time.astimezone(timezone.utc).replace(tzinfo=None) if time.tzinfo else time
    except (ValueError, ArithmeticError):  # dateutil lets those of `datetime` and `decimal` through
        return None


def _read(folder: Path, inbox: Path, name: str) -> bytes | None:
    """Return the content of one of the exchange's files; None if there is none, or another file."""
    if os.path.islink(folder) or os.path.islink(inbox):
        return None
    try:
        return fetch_file(inbox / name, MAX_EXCHANGE_BYTES)
    except Rejected:
        return None
