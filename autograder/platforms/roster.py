"""The list of a class: an instructor's own CSV, or what a learning platform exports."""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Collection, Sequence
from pathlib import Path

from autograder.course_error import CourseError, cannot_be_read
from autograder.platforms import PLATFORMS
from autograder.platforms.base import Columns, Person, Platform, Roster
from autograder.platforms.student_names import student_name

# Of one's own list: what nbgrader's `db student import` reads, and what people write.
OWN_COLUMNS = ("id", "student", "username", "student_id")
MAX_BYTES = 20 * 2**20
# Where the decimal mark is a comma, spreadsheet programs and platforms separate by semicolons.
SEPARATORS = ",;\t"
# The line that Excel puts before a list, and reads, to say what separates its cells.
SEPARATOR_LINE = re.compile(r"sep=([,;|\t])\r?\n", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"\d+,\d+")


class OwnList(Platform):
    """An instructor's own list, which no platform has exported: a column says who somebody is.

    A column ``name`` may say what the person is called.
    """

    def columns(self, header: Sequence[str]) -> Columns | None:
        names = {cell.lower(): cell for cell in reversed(header)}
        found = next((names[column] for column in OWN_COLUMNS if column in names), None)
        return Columns(found, names.get("name", found)) if found else None

    def identity(self, cell: str) -> str:
        name = unicodedata.normalize("NFC", cell.strip())
        return student_name(name) if name else ""

    def identity_of(self, student: str) -> str | None:
        # A folder that comes from a Mac may have its accents apart.
        return unicodedata.normalize("NFC", student)

    def name_of_missing(self, person: Person, identity: str) -> str:
        # What identifies somebody is what the folder with the submission would be called.
        return person.name if person.name == identity else f"{person.name} ({identity})"


def read_roster(path: str | Path) -> Roster:
    """Read a list of students; raise `CourseError` with the line where it cannot be understood."""
    path = Path(path)
    rows, separator = _table(path)
    header = tuple(cell.strip() for cell in rows[0][1]) if rows else ()
    platform, columns = _platform_and_columns(header, path)
    identifier, name = header.index(columns.identifier), header.index(columns.name)
    people: dict[str, Person] = {}
    places: dict[str, int] = {}
    other_rows: list[tuple[str, ...]] = []
    for number, row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise CourseError(
                f"{path}, line {number}: the row has {len(row)} of {len(header)} cells"
            )
        identity = platform.identity(row[identifier])
        if not identity and isinstance(platform, OwnList):
            raise CourseError(f"{path}, line {number}: {header[identifier]} is empty")
        if not identity:
            other_rows.append(tuple(row))
            continue
        if identity in people:
            raise CourseError(
                f"{path}, line {number}: {identity} is already in line {places[identity]}; "
                "keep one of the two"
            )
        people[identity] = Person(row[name].strip() or identity, tuple(row))
        places[identity] = number
    if not people:
        raise CourseError(f"{path} lists no student")
    # A section or an ID such as "1,2" is no number.
    texts = {columns.identifier, columns.name, *columns.person, *columns.texts}
    has_comma = any(
        DECIMAL_COMMA.fullmatch(cell.strip())
        for _, row in rows[1:]
        for column, cell in zip(header, row, strict=False)  # an empty line has no cells
        if column not in texts
    )
    decimal_mark = "," if has_comma else "."
    return Roster(platform, header, columns, people, separator, decimal_mark, tuple(other_rows))


def _table(path: Path) -> tuple[list[tuple[int, list[str]]], str]:
    """Return a CSV's rows, each with the number of its first line, and what separates cells."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise cannot_be_read(path, error) from error
    if len(content) > MAX_BYTES:
        raise CourseError(f"{path} has {len(content) >> 20} MB, which is too much for a list")
    # What Excel calls "Unicode text" is UTF-16, and it says so at its beginning.
    utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise CourseError(
            f'{path} is not a CSV in UTF-8; save it again, in a spreadsheet program as "CSV UTF-8"'
        ) from error
    named = SEPARATOR_LINE.match(text)
    text = text[named.end() :] if named else text
    separator = named[1] if named else max(SEPARATORS, key=text.partition("\n")[0].count)
    lines_before = 1 if named else 0
    rows = []
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    try:
        number = lines_before + 1
        for row in reader:
            rows.append((number, row))
            number = lines_before + reader.line_num + 1
    except csv.Error as error:
        raise CourseError(f"{path} is not a CSV: {error}") from error
    return rows, separator


def _platform_and_columns(header: tuple[str, ...], path: Path) -> tuple[Platform, Columns]:
    for platform in (*PLATFORMS, OwnList()):
        try:
            columns = platform.columns(header)
        except CourseError as error:
            raise CourseError(f"{path} {error}") from error
        if columns:
            return platform, columns
    lists = ", or ".join(platform.class_list for platform in PLATFORMS if platform.class_list)
    raise CourseError(
        f"{path} has no column that says who a student is: expected {' or '.join(OWN_COLUMNS)}, "
        f"{lists}; if it is one of these, set its language there and download it again"
    )


def require_names(roster: Roster, students: Collection[str]) -> None:
    """Raise `CourseError` if the export is anonymous, so that no student can be matched."""
    for platform in PLATFORMS:
        anonymous = [student for student in students if platform.is_anonymous(student)]
        if anonymous and all(roster.person(student) is None for student in students):
            raise CourseError(
                f"these submissions were exported anonymously, as {min(anonymous)}, so they cannot "
                "be compared with a list of the class; leave out --roster, or end anonymous "
                f"grading of this assignment in {platform.name} and export it again"
            )
