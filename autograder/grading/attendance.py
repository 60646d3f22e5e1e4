"""Who of a class has handed in, by the course folder, an export and the list of the class."""

from collections.abc import Collection, Mapping

from autograder.grading.course import Course
from autograder.intake.submissions import students_in
from autograder.reports.class_report import Attendance
from autograder.results import Origin, Result


def handed_in(
    course: Course, standing: Mapping[str, Result], exported: Collection[str] = ()
) -> dict[str, Origin | None]:
    """Return everybody who has handed in, with the origin of the submission if it is known.

    ``standing`` has the results until now, and ``exported`` names the students of an export.
    """
    found: dict[str, Origin | None] = dict.fromkeys(students_in(course.folder, course.stem))
    found |= dict.fromkeys(exported)
    return found | {student: result.origin for student, result in standing.items()}


def attendance(
    course: Course,
    students: Mapping[str, Origin | None],
    older: Collection[str] = (),
    misplaced: Collection[str] = (),
) -> Attendance:
    """Compare those who have handed in with the list of the class, if there is one."""
    roster = course.roster
    return Attendance(
        older=tuple(older),
        missing=tuple(roster.missing(students)) if roster else (),
        unknown=tuple(roster.unknown(students)) if roster else (),
        misplaced=tuple(misplaced),
    )


def not_this_class(students: Collection[str], unknown: Collection[str]) -> str:
    """Say that a roster knows none of several students, "" where it knows one or there is none."""
    if len(students) < 2 or len(unknown) < len(students):
        return ""
    return (
        f"none of the {len(students)} who handed in is on the roster, which may be that of another "
        "assignment"
    )
