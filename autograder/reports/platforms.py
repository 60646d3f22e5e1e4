"""What Canvas and Moodle import: the marks, and the students' pages."""

import csv
import io
import re
import zipfile
from pathlib import Path

from autograder.intake.platforms import returned_name
from autograder.reports.class_report import SETTLED

PLATFORMS = ("Canvas", "Moodle")
# What ends the names of the files for a platform.
MARKS, FEEDBACK = ".csv", "-feedback.zip"
# Moodle shows a student this name; Canvas ignores a file whose last word begins with "link".
PAGE = "feedback.html"
# What Canvas needs to know whose a mark is; it ignores the other columns of its own export.
CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
CANVAS_POINTS = "Points Possible"


def platform_file(course, assignment, platform, kind):
    """Return where the `MARKS` or the `FEEDBACK` of an assignment for a platform are written."""
    return Path(course) / "reports" / f"{assignment}-{platform.lower()}{kind}"


def platform_files(course, assignment):
    """List the files for platforms that have been written for an assignment."""
    kinds = ((platform, kind) for platform in PLATFORMS for kind in (MARKS, FEEDBACK))
    files = [platform_file(course, assignment, *kind) for kind in kinds]
    return [path for path in files if path.exists()]


def feedback_zip(results, platform, page_of):
    """Return a zip of the pages that a platform is to hand back, b"" when it exported nothing.

    As in `platform_csv`, only students whose marks stand are in it. ``page_of`` gives the content
    of a result's page.
    """
    packed, names = io.BytesIO(), []
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for result in results:
            if result.status in SETTLED and result.origin and result.origin.source == platform:
                names.append(returned_name(result.origin, PAGE))
                archive.writestr(names[-1], page_of(result))
    return packed.getvalue() if names else b""


def platform_csv(results, roster, assignment, points):
    """Return the marks as the platform of a roster imports them.

    Only marks that stand are in it, so that nothing which waits for a decision is published: a
    student who is not in the table keeps what the platform has. ``assignment`` is its name and
    ``points`` the most that can be had.
    """
    marks = [
        (person.row, _number(result.total, roster))
        for result in sorted(results, key=lambda result: result.student)
        if result.status in SETTLED and (person := roster.person(result.student))
    ]
    table = _canvas if roster.platform == "Canvas" else _moodle
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", delimiter=roster.separator)
    # The platform's own cells go back as they came.
    writer.writerows(table(marks, roster, assignment, points))
    return "\ufeff" + text.getvalue()


def _canvas(marks, roster, assignment, points):
    """Yield the rows for Canvas: its own columns, and one for the assignment."""
    places = [roster.header.index(name) for name in CANVAS_COLUMNS if name in roster.header]
    # Canvas puts its number behind an assignment's name, and finds the assignment by it.
    named = re.compile(rf"{re.escape(assignment)}( \(\d+\))?", re.I)
    column = next((name for name in roster.header if named.fullmatch(name)), assignment)
    yield [*(roster.header[place] for place in places), column]
    yield [CANVAS_POINTS, *[""] * (len(places) - 1), _number(points, roster)]
    for row, mark in marks:
        yield [*(row[place] for place in places), mark]


def _moodle(marks, roster, assignment, points):
    """Yield the rows of Moodle's grading worksheet with the column of grades filled in."""
    place = roster.header.index(roster.worksheet.grade)
    yield roster.header
    for row, mark in marks:
        yield [*row[:place], mark, *row[place + 1 :]]


def _number(value, roster):
    return format(value, ".10g").replace(".", roster.decimal_mark)
