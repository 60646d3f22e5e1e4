"""Moodle: "Download all submissions", the grading worksheet, the zip of feedback files.

``Ada Lovelace_123_assignsubmission_file_``, a folder or before a file's name, is of
``Ada Lovelace_123``.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from autograder.course_error import CourseError
from autograder.platforms.base import (
    Columns,
    Person,
    Platform,
    Roster,
    Sender,
    is_number,
    number_at_end,
)
from autograder.results import Origin

# The number is the platform's. The first match counts: what follows is the name that the student
# gave the file.
FILE = re.compile(r"(?P<student>.+?_\d+)_assignsubmission_[a-z]+(_(?P<file>.*))?")
# What stands in the place of all names where an assignment is graded anonymously.
ANONYMOUS = ("Participant", "Teilnehmerin")
# What only the platform writes into a name, once.
MARK = re.compile(r"_\d+_assignsubmission_[a-z]+")
# The columns of the worksheet, in the language of whoever downloads it.
ENGLISH = Columns(
    "Identifier",
    "Full name",
    "Grade",
    "Maximum Grade",
    "Last modified (submission)",
    ("ID number", "Email address"),
)
GERMAN = Columns(
    "ID",
    "Vollständiger Name",
    "Bewertung",
    "Bestwertung",
    "Zuletzt geändert (Abgabe)",
    ("ID-Nummer", "E-Mail-Adresse"),
)
IDENTIFIER = re.compile(r"(?:Participant|Teilnehmer/in) ?(\d+)")
# In English, and in the English of the United States.
ENGLISH_TIMES = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p")
GERMAN_TIME = re.compile(r"\w+, (\d+)\. (\w+) (\d{4}), (\d+):(\d\d)")
GERMAN_MONTHS = (
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)


class Moodle(Platform):
    name = "Moodle"
    class_list = "Moodle's grading worksheet in English or German"

    def sender(self, name: str, is_folder: bool) -> Sender | None:
        match = FILE.fullmatch(name)
        if not match:
            return None
        student = match["student"]
        return Sender(
            student,
            student,
            match["file"] or "",
            platform=self.name,
            number=number_at_end(student) or "",
        )

    def is_ambiguous(self, name: str) -> bool:
        return len(MARK.findall(name)) > 1

    def name_in_course(self, student: str) -> str:
        # In another assignment a student has another number.
        name = student.removesuffix(f"_{number_at_end(student)}")
        return "" if name in (student, *ANONYMOUS) else name

    def columns(self, header: Sequence[str]) -> Columns | None:
        for columns in (ENGLISH, GERMAN):
            if {columns.identifier, columns.name} <= set(header):
                if columns.grade not in header:
                    raise CourseError(
                        f"has no column {columns.grade}, so the marks cannot be written for "
                        "Moodle; download the grading worksheet again"
                    )
                return columns
        return None

    def identity(self, cell: str) -> str:
        match = IDENTIFIER.fullmatch(cell.strip())
        return match[1] if match else ""

    def identity_of(self, student: str) -> str | None:
        return number_at_end(student) or student

    def submission_time(self, cell: str) -> datetime:
        cell = " ".join(cell.split())  # the space before AM and PM may be a narrow one
        german = GERMAN_TIME.fullmatch(cell)
        if not german:
            return _english_time(cell)
        day, month, *others = german.groups()
        year, hour, minute = map(int, others)
        return datetime(year, GERMAN_MONTHS.index(month) + 1, int(day), hour, minute)

    def attempt_time(self, origin: Origin) -> datetime | None:
        return datetime.fromisoformat(origin.attempt) if origin.attempt else None

    def check_points(self, roster: Roster, points: float, assignment: str) -> None:
        for person in roster.people.values():
            maximum = roster.cell(person, roster.columns.maximum)
            if maximum is not None and not is_number(maximum, points):
                raise CourseError(
                    f"Moodle's maximum grade is {maximum}, but {assignment} has {points:g} points; "
                    f"set {points:g} in Moodle and download the worksheet again"
                )

    def mark_rows(
        self, marks: Sequence[tuple[Person, str]], roster: Roster, assignment: str, points: str
    ) -> Iterator[Sequence[str]]:
        """Yield the worksheet with the column of grades filled in."""
        place = roster.header.index(roster.columns.grade)
        yield roster.header
        for person, mark in marks:
            yield [*person.row[:place], mark, *person.row[place + 1 :]]

    def feedback_name(self, origin: Origin, file: str) -> str | None:
        """Return a name in the folder that Moodle exported, where it looks for feedback files."""
        match = FILE.fullmatch(origin.name)
        given = match and match["file"]
        return origin.name.removesuffix(given) + file if given else f"{origin.name}/{file}"


def _english_time(text: str) -> datetime:
    for form in ENGLISH_TIMES:
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form)
    raise ValueError(f"{text!r} is not a time as Moodle writes it in English")
