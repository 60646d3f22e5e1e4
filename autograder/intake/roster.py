"""The list of a class: an instructor's own CSV, or what Canvas and Moodle export."""

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

from autograder.course.chapters import CourseError

# Of one's own list: what nbgrader's `db student import` reads, and words that people write.
OWN_COLUMNS = ("id", "student", "username", "student_id")
MOODLE_ID = re.compile(r"Participant (\d+)")
NUMBER_AT_END = re.compile(r"_(\d+)$")
MAX_BYTES = 20 * 2**20


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
    ``other_rows`` belong to nobody, such as Canvas's row of points.
    """

    platform: str
    header: tuple
    people: dict
    other_rows: tuple = ()

    def person(self, student):
        """Return the `Person` that a student of the course folder is, None if not on the list."""
        number = NUMBER_AT_END.search(student)
        return self.people.get(number[1] if self.platform and number else student)

    def unknown(self, students):
        """List the students of a course folder who are not on the list."""
        return sorted(student for student in students if self.person(student) is None)

    def without(self, students):
        """List the names of the people who are none of these students."""
        known = [self.person(student) for student in students]
        return sorted(person.name for person in self.people.values() if person not in known)


def read_roster(path):
    """Read a list of students; raise `CourseError` with the line where it cannot be understood."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror.lower()}") from error
    if len(content) > MAX_BYTES:
        raise CourseError(f"{path} has {len(content) >> 20} MB, which is too much for a list")
    try:
        text = content.decode("utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path} is no CSV in UTF-8: {error}") from error
    header = [cell.strip() for cell in lines[0]] if lines else []
    platform, identify, name = _columns(header, path)
    people, other_rows, places = {}, [], {}
    for number, row in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise CourseError(
                f"{path}, line {number}: the row has {len(row)} of {len(header)} cells"
            )
        identity = identify(row)
        if not identity:
            other_rows.append(tuple(row))
        elif identity in people:
            raise CourseError(
                f"{path}, line {number}: {identity} is already in line {places[identity]}"
            )
        else:
            people[identity], places[identity] = Person(name(row) or identity, tuple(row)), number
    if not people:
        raise CourseError(f"{path} lists no student")
    return Roster(platform, tuple(header), people, tuple(other_rows))


def _columns(header, path):
    """Tell where a list comes from, and how a row says who somebody is."""
    if {"Student", "ID"} <= set(header):
        student, number = header.index("Student"), header.index("ID")
        return "Canvas", lambda row: row[number].strip(), lambda row: row[student].strip()
    if {"Identifier", "Full name"} <= set(header):
        identifier, name = header.index("Identifier"), header.index("Full name")

        def participant(row):
            match = MOODLE_ID.fullmatch(row[identifier].strip())
            return match and match[1]

        return "Moodle", participant, lambda row: row[name].strip()
    lowered = [cell.lower() for cell in header]
    own = next((lowered.index(column) for column in OWN_COLUMNS if column in lowered), None)
    if own is not None:
        return "", lambda row: row[own].strip(), lambda row: row[own].strip()
    raise CourseError(
        f"{path} has no column that says who a student is: expected {' or '.join(OWN_COLUMNS)}, "
        "the gradebook that Canvas exports, or Moodle's grading worksheet"
    )
