"""Canvas: "Download Submissions", the gradebook as a CSV, "Upload Submissions".

``meieranna_LATE_12345_67890_assignment-1.ipynb`` is of ``meieranna_12345``, the name and the number
of the user; the second number is the file's and grows.
"""

import re
from collections.abc import Iterator, Sequence

from autograder.course_error import CourseError
from autograder.platforms.base import (
    SUBMITTED_FILE,
    Columns,
    Person,
    Platform,
    Roster,
    Sender,
    is_number,
    number_at_end,
)
from autograder.results import Origin

# Where an assignment is graded anonymously, Canvas leaves out the name and gives, instead of the
# user's number, letters and digits that it has drawn; now and then these are digits only.
ANONYMOUS = "anon_"
FILE = re.compile(
    r"((?P<name>(?!LATE_|anon_)[^_]+)_)?((?P<late>LATE)_)?(?P<user>\d{1,20}|anon_[A-Za-z0-9]{1,20})"
    r"_(?P<attempt>\d{1,20})_(?P<file>.+)"
)
# Whom Canvas adds to a course, so that its instructors can see it as students do.
TEST_STUDENT = "Student, Test"
# What Canvas needs to know whose a mark is; it ignores the other columns of its own export.
COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS = "Points Possible"


class Canvas(Platform):
    name = "Canvas"
    class_list = "the gradebook that Canvas exports in English"

    def sender(self, name: str, is_folder: bool) -> Sender | None:
        match = None if is_folder else FILE.fullmatch(name)
        if not match:
            return None
        name, user = match["name"], match["user"]
        if bool(name) == self.is_anonymous(user):
            return None
        student = f"{name}_{user}" if name else user
        file = re.sub(r"-\d+(?=(\.\w+)+$)", "", match["file"])
        return Sender(
            student,
            student,
            file,
            # The number is a file's, and one attempt may have several: a lesson takes no one's
            # place.
            series=SUBMITTED_FILE.sub("", match["file"]),
            may_continue=SUBMITTED_FILE.sub("", file),
            attempt=match["attempt"].zfill(20),
            late=bool(match["late"]),
            platform=self.name,
            number=user if name else "",
        )

    def is_anonymous(self, student: str) -> bool:
        return student.startswith(ANONYMOUS)

    def person_in_course(self, student: str) -> str:
        number = number_at_end(student)
        return f"{self.name} {number}" if number and not self.is_anonymous(student) else ""

    def columns(self, header: Sequence[str]) -> Columns | None:
        # An instructor's own list may have ID and Student as well, but no Section.
        is_canvas = {"ID", "Student", "Section"} <= set(header)
        return Columns("ID", "Student", texts=COLUMNS) if is_canvas else None

    def identity_of(self, student: str) -> str | None:
        if self.is_anonymous(student):
            return None  # what looks like a number is not that of a user
        return number_at_end(student) or student

    def is_test_student(self, person: Person) -> bool:
        return person.name == TEST_STUDENT

    def check_points(self, roster: Roster, points: float, assignment: str) -> None:
        column, name = _column(roster, assignment), roster.header.index(roster.columns.name)
        for row in roster.other_rows if column in roster.header else ():
            maximum = row[roster.header.index(column)].strip()
            if row[name].strip() == POINTS and maximum and not is_number(maximum, points):
                raise CourseError(
                    f"in Canvas {column} has {maximum} points, but {assignment} has {points:g}; "
                    f"set {points:g} in Canvas and export the gradebook again"
                )

    def import_note(self, roster: Roster, assignment: str) -> str:
        if _column(roster, assignment) in roster.header:
            return ""
        return f"{assignment} is not in the list, so Canvas will make it a new assignment"

    def mark_rows(
        self, marks: Sequence[tuple[Person, str]], roster: Roster, assignment: str, points: str
    ) -> Iterator[Sequence[str]]:
        """Yield Canvas's own columns, and one for the assignment."""
        places = [roster.header.index(name) for name in COLUMNS if name in roster.header]
        yield [*(roster.header[place] for place in places), _column(roster, assignment)]
        yield [POINTS, *[""] * (len(places) - 1), points]
        for person, mark in marks:
            yield [*(person.row[place] for place in places), mark]

    def feedback_name(self, origin: Origin, file: str) -> str | None:
        """Return a name with the numbers of the user and of the submitted file.

        Canvas looks for both.
        """
        match = FILE.fullmatch(origin.name)
        return match and origin.name[: match.start("file")] + file


def _column(roster: Roster, assignment: str) -> str:
    """Return the name of an assignment's column, which is a new one where Canvas has none of it.

    Canvas puts its number behind an assignment's name, and finds the assignment by it.
    """
    named = re.compile(rf"{re.escape(assignment)}( \(\d+\))?", re.I)
    return next((name for name in roster.header if named.fullmatch(name)), assignment)
