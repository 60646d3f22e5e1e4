"""The list of a class: an instructor's own CSV, or what Canvas and Moodle export."""

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from autograder.course.chapters import CourseError
from autograder.intake.platforms import ANONYMOUS

# Of one's own list: what nbgrader's `db student import` reads, and words that people write.
OWN_COLUMNS = ("id", "student", "username", "student_id")
MOODLE_ID = re.compile(r"(?:Participant|Teilnehmer/in) ?(\d+)")
# Whom Canvas adds to a course, so that its instructors can see it as students do.
CANVAS_TEST_STUDENT = "Student, Test"
NUMBER_AT_END = re.compile(r"_(\d+)$")
MAX_BYTES = 20 * 2**20
# Where the decimal mark is a comma, spreadsheet programs and platforms separate by semicolons.
SEPARATORS = ",;\t"
DECIMAL_COMMA = re.compile(r"\d+,\d+")


class Worksheet(NamedTuple):
    """The columns of Moodle's grading worksheet, in the language of whoever downloads it."""

    identifier: str
    name: str
    grade: str
    maximum: str
    handed_in: str


ENGLISH = Worksheet(
    "Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (submission)"
)
GERMAN = Worksheet(
    "ID", "Vollständiger Name", "Bewertung", "Bestwertung", "Zuletzt geändert (Abgabe)"
)
ENGLISH_TIME = "%A, %d %B %Y, %I:%M %p"
GERMAN_TIME = re.compile(r"\w+, (\d+)\. (\w+) (\d{4}), (\d+):(\d\d)")
GERMAN_MONTHS = (
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)


@dataclass(frozen=True)
class Person:
    """Somebody in the class: the name to show, and the row of the list."""

    name: str
    row: tuple


@dataclass(frozen=True)
class Roster:
    """The people of a class by what identifies them, and the table that they were read from.

    ``platform`` is "Canvas", "Moodle" or "" for a list of one's own. On a platform people are
    identified by its number, which stands at the end of the names that submissions have here.
    ``worksheet`` says how Moodle's columns are called. The table is separated by ``separator``,
    and its numbers have a comma or a point as their ``decimal_mark``.
    """

    platform: str
    header: tuple
    people: dict
    worksheet: Worksheet | None = None
    separator: str = ","
    decimal_mark: str = "."

    def person(self, student):
        """Return the `Person` that a student of the course folder is, None if not on the list."""
        if self.platform == "Canvas" and student.startswith(ANONYMOUS):
            return None  # what looks like a number is not that of a user
        number = NUMBER_AT_END.search(student)
        return self.people.get(number[1] if self.platform and number else student)

    def handed_in(self, student):
        """Return when Moodle says that a student handed in, as a text that sorts; "" if unknown."""
        person, column = self.person(student), self.worksheet and self.worksheet.handed_in
        if column not in self.header or not person:
            return ""
        try:
            return _moodle_time(person.row[self.header.index(column)]).isoformat()
        except ValueError:
            return ""

    def require_names(self, students):
        """Raise `CourseError` if nobody on the list is one of these because Canvas names nobody."""
        anonymous = [student for student in students if student.startswith(ANONYMOUS)]
        if anonymous and all(self.person(student) is None for student in students):
            raise CourseError(
                f"these submissions were exported anonymously, as {min(anonymous)}, so they cannot "
                "be compared with a list of the class; leave out --roster, or end anonymous "
                "grading of this assignment in Canvas and export it again"
            )

    def unknown(self, students):
        """List the students of a course folder who are not on the list."""
        return sorted(student for student in students if self.person(student) is None)

    def without(self, students):
        """List the names of the people who are none of these students.

        Where several people have one name, what identifies them is written behind it.
        """
        known = {id(self.person(student)) for student in students}
        if self.platform == "Canvas":
            people = self.people.values()
            known |= {id(person) for person in people if person.name == CANVAS_TEST_STUDENT}
        names = Counter(person.name for person in self.people.values())
        return sorted(
            f"{person.name} ({identity})" if names[person.name] > 1 else person.name
            for identity, person in self.people.items()
            if id(person) not in known
        )


def read_roster(path):
    """Read a list of students; raise `CourseError` with the line where it cannot be understood."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror.lower()}") from error
    if len(content) > MAX_BYTES:
        raise CourseError(f"{path} has {len(content) >> 20} MB, which is too much for a list")
    # What Excel calls "Unicode text" is UTF-16, and it says so at its beginning.
    utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise CourseError(
            f'{path} is no CSV in UTF-8; save it again, in a spreadsheet program as "CSV UTF-8"'
        ) from error
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator))
    except csv.Error as error:
        raise CourseError(f"{path} is no CSV: {error}") from error
    header = [cell.strip() for cell in lines[0]] if lines else []
    platform, identify, name, worksheet = _columns(header, path)
    people, places = {}, {}
    for number, row in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise CourseError(
                f"{path}, line {number}: the row has {len(row)} of {len(header)} cells"
            )
        identity = identify(row)
        if not identity:  # a row of nobody's, such as Canvas's row of points
            continue
        if identity in people:
            raise CourseError(
                f"{path}, line {number}: {identity} is already in line {places[identity]}; "
                "keep one of the two"
            )
        people[identity], places[identity] = Person(name(row) or identity, tuple(row)), number
    if not people:
        raise CourseError(f"{path} lists no student")
    has_comma = any(DECIMAL_COMMA.fullmatch(cell.strip()) for row in lines for cell in row)
    decimal_mark = "," if has_comma else "."
    return Roster(platform, tuple(header), people, worksheet, separator, decimal_mark)


def _columns(header, path):
    """Tell where a list comes from, and how a row says who somebody is."""
    if {"Student", "ID"} <= set(header):
        student, number = header.index("Student"), header.index("ID")
        return "Canvas", lambda row: row[number].strip(), lambda row: row[student].strip(), None
    sheets = (ENGLISH, GERMAN)
    worksheet = next((one for one in sheets if {one.identifier, one.name} <= set(header)), None)
    if worksheet:
        if worksheet.grade not in header:
            raise CourseError(
                f"{path} has no column {worksheet.grade}, so the marks cannot be written for "
                "Moodle; download the grading worksheet again"
            )
        identifier, name = header.index(worksheet.identifier), header.index(worksheet.name)

        def participant(row):
            match = MOODLE_ID.fullmatch(row[identifier].strip())
            return match and match[1]

        return "Moodle", participant, lambda row: row[name].strip(), worksheet
    lowered = [cell.lower() for cell in header]
    own = next((lowered.index(column) for column in OWN_COLUMNS if column in lowered), None)
    if own is not None:
        return "", lambda row: row[own].strip(), lambda row: row[own].strip(), None
    raise CourseError(
        f"{path} has no column that says who a student is: expected {' or '.join(OWN_COLUMNS)}, "
        "the gradebook that Canvas exports, or Moodle's grading worksheet"
    )


def _moodle_time(text):
    german = GERMAN_TIME.fullmatch(text)
    if not german:
        return datetime.strptime(text, ENGLISH_TIME)
    day, month, *others = german.groups()
    year, hour, minute = map(int, others)
    return datetime(year, GERMAN_MONTHS.index(month) + 1, int(day), hour, minute)
