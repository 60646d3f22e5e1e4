"""The marks in the formats that Canvas and Moodle import."""

import csv
import io
import re

from autograder.reports.class_report import SETTLED

# What Canvas needs to know whose a mark is; it ignores the other columns of its own export.
CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
CANVAS_POINTS = "Points Possible"


def platform_csv(results, roster, assignment, points):
    """Return the marks as the platform of a roster imports them.

    Only marks that stand are in it, so that nothing which waits for a decision is published: a
    student who is not in the table keeps what the platform has. ``assignment`` is its name and
    ``points`` the most that can be had.
    """
    marks = [
        (roster.person(result.student).row, format(result.total, ".10g"))
        for result in sorted(results, key=lambda result: result.student)
        if result.status in SETTLED and roster.person(result.student)
    ]
    table = _canvas if roster.platform == "Canvas" else _moodle
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
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
    yield [CANVAS_POINTS, *[""] * (len(places) - 1), format(points, ".10g")]
    for row, mark in marks:
        yield [*(row[place] for place in places), mark]


def _moodle(marks, roster, assignment, points):
    """Yield the rows of Moodle's grading worksheet with the column of grades filled in."""
    if "Grade" not in roster.header:
        return
    place = roster.header.index("Grade")
    yield roster.header
    for row, mark in marks:
        yield [*row[:place], mark, *row[place + 1 :]]
