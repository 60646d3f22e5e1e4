"""The table of marks, as a learning platform or a spreadsheet program reads it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping

from autograder.reports.text import clean
from autograder.results import Result

# Openings that make a spreadsheet program take a cell for a formula (after OWASP's list), also in
# the full-width forms that some of them understand.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


# Columns: hours after the due date, and the points that were taken off for them.
LATE = ("hours_late", "penalty")


def marks_csv(
    results: Iterable[Result],
    missing: Iterable[str] = (),
    names: Mapping[str, str] | None = None,
) -> str:
    """Return the marks as CSV for a learning platform: a row a student, a column an exercise.

    A text that a spreadsheet would run as a formula gets an apostrophe in front. The table opens
    with a byte order mark: without it spreadsheet programs read UTF-8 as their own code page and
    spoil names, while what reads tables for a living (pandas, the learning platforms) skips it.
    Totals are those of the results less the penalty for handing in late, whatever the status; a
    platform that must not see marks which wait for review filters by the column ``status``.
    ``missing`` names those who handed in nothing. ``names`` has the names of students in the list
    of the class, which then are a column; those of whom it has none keep it empty.
    """
    results = sorted(results, key=lambda result: (result.student, result.assignment))
    exercises = list(dict.fromkeys(e.exercise for result in results for e in result.exercises))
    name_column = [] if names is None else ["name"]
    table = io.StringIO()
    writer = csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    header = ["student", *name_column, "status", "total", "max", *exercises, *LATE, "flags"]
    writer.writerow(map(csv_cell, header))
    for result in results:
        points = {exercise.exercise: exercise.points for exercise in result.exercises}
        row: list[str | float] = [result.student]
        row += [] if names is None else [names.get(result.student, "")]
        row += [result.status.value, result.total, result.max_points]
        row += [points.get(name, "") for name in exercises]
        row += [round(result.seconds_late / 3600, 2), result.penalty]
        writer.writerow(map(csv_cell, [*row, "; ".join(flag.value for flag in result.flags)]))
    for name in sorted(missing):
        row = [name, *[name for _ in name_column], "missing"]
        writer.writerow(map(csv_cell, [*row, *[""] * (len(header) - len(row))]))
    return "\ufeff" + table.getvalue()


def csv_cell(value: str | float) -> str:
    """Return a value as a cell of a CSV; no spreadsheet program takes it for a formula."""
    if isinstance(value, (int, float)):
        return format(value, ".10g")
    text = "'" + value if value.lstrip(" ").startswith(FORMULA) else value
    return re.sub(r"[\t\n]", " ", clean(text))
