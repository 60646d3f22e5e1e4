"""A page and a table over all assignments: marks, who is falling behind, what was hard."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from autograder.course.notebook_assignment import ALL_ASSIGNMENTS
from autograder.files import replace_file
from autograder.reports.last_report import ReportedMark, read_reported, reported_assignments
from autograder.reports.marks import table_csv
from autograder.reports.pages import render

# Below this share of the points of what has been graded, a student is named.
BEHIND_BELOW = 0.5
# With fewer submissions a correlation says nothing.
MIN_SUBMISSIONS = 10
HARDEST_SHOWN = 10


@dataclass(frozen=True)
class Row:
    """One student's marks: for each assignment the points, None for nothing handed in."""

    student: str
    marks: tuple[float | None, ...]
    waits: tuple[bool, ...]
    share: float

    @property
    def missing(self) -> int:
        """To how many assignments nothing was handed in."""
        return sum(mark is None for mark in self.marks)

    @property
    def total(self) -> float:
        return sum(mark or 0 for mark in self.marks)


@dataclass(frozen=True)
class Item:
    """One exercise: the share of submissions with all its points, and how it discriminates.

    ``discrimination`` is the correlation of its points with those of the other exercises of the
    same assignment, None where too few were handed in or all are alike.
    """

    assignment: str
    exercise: str
    count: int
    passed: float
    discrimination: float | None


def write_course_page(course: Path) -> None:
    """Write the page and the table of a course; remove them where there is one assignment alone."""
    marks = {stem: read_reported(course, stem) for stem in reported_assignments(course)}
    marks = {stem: reported for stem, reported in marks.items() if reported}
    page = course / "reports" / f"{ALL_ASSIGNMENTS}.html"
    if len(marks) < 2:
        for path in (page, page.with_suffix(".csv")):
            path.unlink(missing_ok=True)
        return
    replace_file(page, course_page_html(marks))
    replace_file(page.with_suffix(".csv"), course_csv(marks))


def course_page_html(marks: Mapping[str, Mapping[str, ReportedMark]]) -> str:
    """Return the page of a course: ``marks`` has, by assignment and student, what was reported."""
    rows = course_rows(marks)
    hard = sorted(course_items(marks), key=lambda item: item.passed)
    return render(
        "course_page.html.j2",
        stems=list(marks),
        links={stem: f"{quote(stem, safe='')}.html" for stem in marks},
        full={stem: _full(reported) for stem, reported in marks.items()},
        rows=rows,
        behind=[row for row in rows if row.missing or row.share < BEHIND_BELOW],
        hard=hard[:HARDEST_SHOWN],
        enough=MIN_SUBMISSIONS,
    )


def course_csv(marks: Mapping[str, Mapping[str, ReportedMark]]) -> str:
    """Return the marks of a course as CSV: a row a student, a column an assignment."""
    rows: list[list[str | float]] = [["student", *marks, "total", "missing"]]
    for row in course_rows(marks):
        points = ["" if mark is None else mark for mark in row.marks]
        rows.append([row.student, *points, row.total, row.missing])
    return table_csv(rows)


def course_rows(marks: Mapping[str, Mapping[str, ReportedMark]]) -> list[Row]:
    """Return every student's marks, in the order of their names."""
    most = sum(_full(reported) for reported in marks.values())
    people = same_people(marks)
    shown = Counter(_shown_name(names, marks) for names in people)
    rows = []
    for names in people:
        found = [
            reported.get(names[stem]) if stem in names else None for stem, reported in marks.items()
        ]
        points = tuple(one.total if one else None for one in found)
        waits = tuple(one is not None and not one.settled for one in found)
        share = sum(mark or 0 for mark in points) / most if most else 0.0
        name = _shown_name(names, marks)
        name = name if shown[name] == 1 else names[max(names)]
        rows.append(Row(name, points, waits, share))
    return sorted(rows, key=lambda row: row.student)


def same_people(marks: Mapping[str, Mapping[str, ReportedMark]]) -> list[dict[str, str]]:
    """Return for every student of a course the names in the assignments, by assignment.

    Moodle's names end in a number that belongs to the assignment. They are one student's if the
    list of the class has said so, or if they are the same without the number and nobody else of
    that name is known.
    """
    clues = {
        (stem, student): (one.person, student, one.name)
        for stem, reported in marks.items()
        for student, one in reported.items()
    }
    people = {(stem, student): {stem: student} for stem, student in clues}
    for place in range(3):  # the surest clue comes first
        alike: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for one, values in clues.items():
            if values[place]:
                alike[values[place]].append(one)
        for same in alike.values():
            persons = {clues[each][0] for one in same for each in people[one].items()} - {""}
            if len(persons) > 1 or len({stem for stem, _ in same}) < len(same):
                continue  # of these, nobody can tell who is who
            names = people[same[0]]
            for other in same[1:]:
                others = people[other]
                if not names.keys() & others.keys():
                    names |= others
                    people |= dict.fromkeys(others.items(), names)
    return list({id(names): names for names in people.values()}.values())


def _shown_name(names: Mapping[str, str], marks: Mapping[str, Mapping[str, ReportedMark]]) -> str:
    """Return the name of a student: of several that of the last assignment, without its number."""
    last = max(names)
    plain = marks[last][names[last]].name
    return plain if plain and len(set(names.values())) > 1 else names[last]


def course_items(marks: Mapping[str, Mapping[str, ReportedMark]]) -> list[Item]:
    """Return how every exercise came out, over the submissions whose marks stand."""
    items = []
    for stem, reported in marks.items():
        settled = [one for one in reported.values() if one.settled]
        for exercise in next(iter(reported.values())).full:
            mine = [one for one in settled if exercise in one.points]
            if mine:
                points = [one.points[exercise] for one in mine]
                rest = [sum(one.points.values()) - one.points[exercise] for one in mine]
                passed = sum(one.points[exercise] >= one.full[exercise] for one in mine)
                share = passed / len(mine)
                items.append(Item(stem, exercise, len(mine), share, discrimination(points, rest)))
    return items


def discrimination(points: Sequence[float], rest: Sequence[float]) -> float | None:
    """Return the correlation of an exercise's points with the rest; None where there is none."""
    if len(points) < MIN_SUBMISSIONS or len(set(points)) < 2 or len(set(rest)) < 2:
        return None
    return statistics.correlation(points, rest)


def _full(reported: Mapping[str, ReportedMark]) -> float:
    return max(sum(one.full.values()) for one in reported.values())
