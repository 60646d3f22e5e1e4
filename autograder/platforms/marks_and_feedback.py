"""What learning platforms import: the marks, and the students' pages."""

import csv
import io
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from autograder.platforms import PLATFORMS
from autograder.platforms.base import Platform, Roster
from autograder.results import SETTLED, Result, Status

# What ends the names of the files for a platform.
MARKS, FEEDBACK = ".csv", "-feedback.zip"
# Moodle shows a student this name; Canvas ignores a file whose last word begins with "link".
PAGE = "feedback.html"


def platform_file(course: Path, assignment: str, platform: Platform, kind: str) -> Path:
    """Return where the `MARKS` or the `FEEDBACK` of an assignment for a platform are written."""
    return course / "reports" / f"{assignment}-{platform.name.lower()}{kind}"


def platform_files(course: Path, assignment: str) -> list[Path]:
    """List the files for platforms that have been written for an assignment."""
    kinds = ((platform, kind) for platform in PLATFORMS for kind in (MARKS, FEEDBACK))
    files = [platform_file(course, assignment, *kind) for kind in kinds]
    return [path for path in files if path.exists()]


def feedback_zip(
    results: Iterable[Result], platform: Platform, page_of: Callable[[Result], bytes]
) -> bytes:
    """Return a zip of the pages that a platform takes back, b"" when there are none.

    It has the pages of students whose marks stand, as in `platform_csv`, and of those whose file
    could not be read: that page shows no mark and says what to do. ``page_of`` gives the content of
    a result's page.
    """
    packed, is_empty = io.BytesIO(), True
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for result in results:
            origin = result.origin
            is_shown = result.status is not Status.NEEDS_REVIEW
            if is_shown and origin and origin.source == platform.name:
                if name := platform.feedback_name(origin, PAGE):
                    archive.writestr(name, page_of(result))
                    is_empty = False
    return b"" if is_empty else packed.getvalue()


def platform_csv(results: Iterable[Result], roster: Roster, assignment: str, points: float) -> str:
    """Return the marks as the platform of a roster imports them.

    Only marks that stand are in it, so that nothing which waits for a decision is published: a
    student who is not in the table keeps what the platform has. ``assignment`` is its name and
    ``points`` the most that can be had.
    """
    marks = [
        (person, roster.number(result.total))
        for result in sorted(results, key=lambda result: result.student)
        if result.status in SETTLED and (person := roster.person(result.student))
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", delimiter=roster.separator)
    # The platform's own cells go back as they came.
    writer.writerows(roster.platform.mark_rows(marks, roster, assignment, roster.number(points)))
    return "\ufeff" + text.getvalue()
