"""What learning platforms import: the marks, and the students' pages."""

import csv
import io
import zipfile
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

from autograder.course_error import CourseError
from autograder.platforms import PLATFORMS
from autograder.platforms.base import Platform, Roster
from autograder.results import SETTLED, Result, Status

# What ends the names of the files for a platform.
MARKS, FEEDBACK = ".csv", "-feedback.zip"
# Moodle shows a student this name; Canvas ignores a file whose last word begins with "link".
PAGE = "feedback.html"


class SamePerson(CourseError):
    """Two results belong to the same person, and a platform accepts only one for each."""


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
    a result's page. Raises `SamePerson` when the platform would give two pages to one student.
    """
    exported = [
        (name, platform.identity_in_exports(origin), result)
        for result in results
        if (origin := result.origin) and origin.source == platform.name
        if (name := platform.feedback_name(origin, PAGE))
    ]
    _require_one_each((identity, result) for _, identity, result in exported)
    packed, is_empty = io.BytesIO(), True
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, _, result in exported:
            if result.status is not Status.NEEDS_REVIEW:
                archive.writestr(name, page_of(result))
                is_empty = False
    return b"" if is_empty else packed.getvalue()


def platform_csv(results: Iterable[Result], roster: Roster, assignment: str, points: float) -> str:
    """Return the marks as the platform of a roster imports them.

    Only marks that stand are in it, so that nothing which waits for a decision is published: a
    student who is not in the table keeps what the platform has. ``assignment`` is its name and
    ``points`` the most that can be had. Raises `SamePerson` when two results, whether they stand or
    not, are of one person: the platform would take the mark that comes last.
    """
    found = [
        (person, result)
        for result in sorted(results, key=lambda result: result.student)
        if (person := roster.person(result.student, result.origin))
    ]
    _require_one_each(found)
    marks = [
        (person, roster.number(result.total))
        for person, result in found
        if result.status in SETTLED
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", delimiter=roster.separator)
    # The platform's own cells go back as they came.
    writer.writerows(roster.platform.mark_rows(marks, roster, assignment, roster.number(points)))
    return "\ufeff" + text.getvalue()


def _require_one_each(found: Iterable[tuple[Hashable, Result]]) -> None:
    """Raise `SamePerson` for the first two results that are of one person."""
    students: dict[Hashable, str] = {}
    for person, result in found:
        other = students.setdefault(person, result.student)
        if other != result.student:
            raise SamePerson(
                f"{other} and {result.student} are one person; `autograder forget COURSE STUDENT` "
                "removes the one that is not to count"
            )
