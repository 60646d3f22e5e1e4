"""What a learning platform is to the autograder: its names, its list of a class, its files."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from autograder.results import Origin

# What students submit: a notebook, also under the names that browsers give to one, or an archive.
SUBMITTED_FILE = re.compile(r"(\.ipynb(\.json|\.txt)?|\.zip)$", re.I)
# What a list says of a student who has submitted nothing.
NOTHING = "-"
_NUMBER_AT_END = re.compile(r"_(\d+)$")


class Sender(NamedTuple):
    """What the name of an export's folder or file says: whose it is, and which attempt.

    Of the files of one ``series`` the last attempt counts. ``may_continue`` is the series to which
    a file belongs if the number at the end of its name is the platform's, for a later attempt, and
    not the student's own. ``long_name`` is the student's with what stands before it, in case that
    two have the same. ``late`` is the platform's own mark.
    ``number`` is the platform's of the student, "" where it writes none: within an assignment it
    stays when the name changes. ``is_note`` says that the platform itself wrote the file.
    ``platform`` is "" for a name that no platform gave.
    """

    student: str
    long_name: str
    file: str
    series: str = ""
    may_continue: str = ""
    attempt: str = ""
    late: bool = False
    platform: str = ""
    number: str = ""
    is_note: bool = False


@dataclass(frozen=True)
class Columns:
    """How the columns of a list of a class are called; "" for what the list does not have.

    Of those that say who somebody is in all assignments, ``person``, the first one counts that a
    list has. ``texts`` are others that have no points in them.
    """

    identifier: str
    name: str
    grade: str = ""
    maximum: str = ""
    submitted: str = ""
    person: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Person:
    """Somebody in the class: the name to show, and the row of the list."""

    name: str
    row: tuple[str, ...]


@dataclass(frozen=True)
class Roster:
    """The people of a class by what identifies them, and the table that they were read from.

    On a platform people are identified by its number, which stands at the end of the names that
    submissions have here. The table is separated by ``separator``, and its numbers have a comma or
    a point as their ``decimal_mark``. ``other_rows`` are those that are nobody's, such as Canvas's
    row of points.
    """

    platform: Platform
    header: tuple[str, ...]
    columns: Columns
    people: dict[str, Person]
    separator: str = ","
    decimal_mark: str = "."
    other_rows: tuple[tuple[str, ...], ...] = ()

    def person(self, student: str, origin: Origin | None = None) -> Person | None:
        """Return the `Person` that a student of the course folder is, None if not on the list.

        A number at the end of a name is the platform's unless the submission came from another one.
        The exchange's file says when something was handed in and not who did it: with it, the
        number counts if the name before it is that of the list.
        """
        source = origin.source if origin and self.platform.name else ""
        if source not in ("", self.platform.name, "nbgrader"):
            return self.people.get(student)
        identity = self.platform.identity_of(student)
        person = None if identity is None else self.people.get(identity)
        if person and source == "nbgrader" and identity != student:
            return person if _letters(person.name) == _letters(student) else None
        return person

    def cell(self, person: Person, column: str) -> str | None:
        """Return what the list says of a person in a column, None if it has no such column."""
        return person.row[self.header.index(column)] if column in self.header else None

    def person_in_course(self, student: str, origin: Origin | None = None) -> str:
        """Return what the list says that a student is in all assignments, "" if nothing."""
        person = self.person(student, origin)
        cells = [self.cell(person, column) for column in self.columns.person] if person else []
        return next((cell.strip() for cell in cells if cell and cell.strip()), "")

    def number(self, value: float) -> str:
        """Return a number as this list writes it."""
        return format(value, ".10g").replace(".", self.decimal_mark)

    def submission_time(self, student: str) -> str:
        """Return when the list says that a student submitted, a text that sorts; "" if it does not.

        Raises `ValueError` when what it says cannot be read.
        """
        person = self.person(student)
        cell = person and self.cell(person, self.columns.submitted)
        if not cell or cell.strip() in ("", NOTHING):
            return ""
        return self.platform.submission_time(cell).isoformat()

    def names(self, students: Mapping[str, Origin | None]) -> dict[str, str]:
        """Return the names of students, where the list has one that is not the student's here."""
        people = {student: self.person(student, origin) for student, origin in students.items()}
        return {
            student: person.name
            for student, person in people.items()
            if person and person.name != student
        }

    def unknown(self, students: Mapping[str, Origin | None]) -> list[str]:
        """List the students of a course folder who are not on the list."""
        return sorted(one for one, origin in students.items() if self.person(one, origin) is None)

    def missing(self, students: Mapping[str, Origin | None]) -> list[str]:
        """List the names of the people who are none of these students.

        Where several people have one name, what identifies them is written behind it.
        """
        known = {id(self.person(student, origin)) for student, origin in students.items()}
        names = Counter(person.name for person in self.people.values())
        return sorted(
            f"{person.name} ({identity})"
            if names[person.name] > 1
            else self.platform.name_of_missing(person, identity)
            for identity, person in self.people.items()
            if id(person) not in known and not self.platform.is_test_student(person)
        )


class Platform:
    """A learning platform.

    The methods here describe a platform without any of these features; a subclass overrides those
    that its platform has.
    """

    name: str = ""
    # What it calls the list of a class, and in which languages that is read; "" if it is not read.
    class_list: str = ""

    # --- what it exports -------------------------------------------------------------------------

    def sender(self, name: str, is_folder: bool) -> Sender | None:
        """Return what a name in an export says; None if this platform gives no such names."""
        return None

    def title(self, long_names: Collection[str], notes: Iterable[tuple[str, bytes]]) -> str:
        """Return what stands before the students in all long names of an export, "" if nothing.

        ``notes`` has the files that the platform wrote itself, each behind its long name.
        """
        return ""

    def is_ambiguous(self, name: str) -> bool:
        """Return whether a name of this platform can be read as that of two students."""
        return False

    def identity_in_exports(self, origin: Origin) -> str | None:
        """Return what identifies a student in every export of an assignment, None if nothing."""
        sender = self.sender(origin.name, False)
        return sender and (sender.number or sender.long_name)

    def is_anonymous(self, student: str) -> bool:
        """Return whether a student's name in the course folder hides who the student is."""
        return False

    def person_in_course(self, student: str) -> str:
        """Return what identifies a student of the course folder in all assignments.

        "" where the name itself does, or nothing.
        """
        return ""

    def name_in_course(self, student: str) -> str:
        """Return the name of a student without what belongs to one assignment, "" if it is all."""
        return ""

    # --- its list of a class ---------------------------------------------------------------------

    def columns(self, header: Sequence[str]) -> Columns | None:
        """Return the columns of a list with this header; None if it is not this platform's.

        Raises `CourseError` when it is, and marks cannot be written into it.
        """
        return None

    def identity(self, cell: str) -> str:
        """Return whom a list's cell identifies; "" in a row that is nobody's."""
        return cell.strip()

    def identity_of(self, student: str) -> str | None:
        """Return what identifies, in the list, a student of the course folder; None if nothing."""
        return student

    def name_of_missing(self, person: Person, identity: str) -> str:
        """Return what a report calls somebody on the list who has submitted nothing."""
        return person.name

    def is_test_student(self, person: Person) -> bool:
        """Return whether the platform has put somebody on the list who does not exist."""
        return False

    def submission_time(self, cell: str) -> datetime:
        """Return the time that a cell of the column `submitted` gives, or raise `ValueError`."""
        raise ValueError(f"{self.name} gives no time of submission")

    def attempt_time(self, origin: Origin) -> datetime | None:
        """Return the local time that an attempt stands for, None where it stands for none."""
        return None

    def check_points(self, roster: Roster, points: float, assignment: str) -> None:
        """Raise `CourseError` when the platform expects another number of points."""

    # --- what it imports -------------------------------------------------------------------------

    def import_note(self, roster: Roster, assignment: str) -> str:
        """Say what the import of the marks will do that may surprise, "" where it is as usual."""
        return ""

    def mark_rows(
        self, marks: Sequence[tuple[Person, str]], roster: Roster, assignment: str, points: str
    ) -> Iterator[Sequence[str]]:
        """Yield the rows of the table of marks that the platform imports, header first."""
        yield from ()

    def feedback_name(self, origin: Origin, file: str) -> str | None:
        """Return the name, in a zip, under which the platform takes a file back for a student.

        None for a platform that takes no such zip.
        """
        return None


def _letters(name: str) -> list[str]:
    """Return the letters of a name, without accents, in the order of the alphabet."""
    return sorted(c for c in unicodedata.normalize("NFKD", name.casefold()) if c.isalpha())


def number_at_end(student: str) -> str | None:
    """Return the platform's number of a student, which ends the name in the course folder."""
    number = _NUMBER_AT_END.search(student)
    return number and number[1]


def is_number(text: str, value: float) -> bool:
    """Return whether a text of a platform's list, with a point or a comma, is this number."""
    try:
        return float(text.replace(",", ".")) == value
    except ValueError:
        return False
