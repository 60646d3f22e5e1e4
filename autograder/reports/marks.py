"""The table of marks of an assignment, for an instructor and a spreadsheet program."""

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
    results: Iterable[Result], missing: Iterable[str], names: Mapping[str, str] | None
) -> str:
    """Return the marks of an assignment: a row a student, a column an exercise.

    Totals are those of the results less the penalty for handing in late, whatever the status: the
    column ``status`` says which of them wait for review. ``missing`` names those who handed in
    nothing. With ``names``, those of students in the list of the class, there is a column of names;
    it is empty for a student of whom the list has none.
    """
    results = sorted(results, key=lambda result: (result.student, result.assignment))
    exercises = list(dict.fromkeys(e.exercise for result in results for e in result.exercises))
    rows: list[list[str | float]] = [
        ["student", "status", "total", "max", *exercises, *LATE, "flags"]
    ]
    for result in results:
        points = {exercise.exercise: exercise.points for exercise in result.exercises}
        row = [result.student, result.status.value, result.total, result.max_points]
        row += [points.get(name, "") for name in exercises]
        row += [round(result.seconds_late / 3600, 2), result.penalty]
        rows.append([*row, "; ".join(flag.value for flag in result.flags)])
    rows += [[name, "missing", *[""] * (len(rows[0]) - 2)] for name in sorted(missing)]
    if names:
        column = [names.get(result.student, "") for result in results]
        for row, name in zip(rows, ["name", *column, *sorted(missing)], strict=True):
            row.insert(1, name)
    return table_csv(rows)


def table_csv(rows: Iterable[Iterable[str | float]]) -> str:
    """Return a table as CSV, for people and their spreadsheet programs.

    A text that a spreadsheet would run as a formula gets an apostrophe in front. The table opens
    with a byte order mark: without it spreadsheet programs read UTF-8 as their own code page and
    spoil names, while what reads tables for a living, such as pandas, skips it.
    """
    table = io.StringIO()
    writer = csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows(map(_csv_cell, row) for row in rows)
    return "\ufeff" + table.getvalue()


def _csv_cell(value: str | float) -> str:
    """Return a value as a cell of a CSV; no spreadsheet program takes it for a formula."""
    if isinstance(value, (int, float)):
        return format(value, ".10g")
    text = "'" + value if value.lstrip(" ").startswith(FORMULA) else value
    return re.sub(r"[\t\n]", " ", clean(text))
