"""Removes one student from a course folder: what was handed in, the marks, and what was written."""

import contextlib
import shutil
from pathlib import Path

from autograder.course_error import CourseError, suggestion
from autograder.grading.errors import ErrorLog, disk_errors
from autograder.grading.gradebook import CourseGradebook
from autograder.grading.journal import Journal
from autograder.grading.plan import Options
from autograder.grading.report import report_course
from autograder.intake.submissions import student_name
from autograder.platforms.marks_and_feedback import platform_files
from autograder.reports.changes import read_reported, write_reported
from autograder.reports.course_page import write_course_page

FOLDERS = ("submitted", "autograded", "feedback")


def forget_student(
    course: str | Path,
    student: str,
    *,
    gradebook_url: str | None = None,
    book_url: str | None = None,
) -> list[str]:
    """Remove a student from a course folder; return what was removed, as texts.

    The class reports are written again without the student; the marks for a learning platform are
    removed, because they cannot be written without its list of the class. Copies outside the course
    folder, such as a platform's export, are not touched. Raises `CourseError` when nothing is known
    of the student, or when an assignment of the course is being graded.
    """
    course = Path(course)
    if not course.is_dir():
        raise CourseError(f"there is no course folder {course}")
    if student != student_name(student):
        raise CourseError(f"{student!r} cannot be a student's name in a course folder")
    with disk_errors(course):
        with contextlib.closing(CourseGradebook(course, gradebook_url)) as gradebook:
            removed = _files(course, student)
            journals = _journals(course, student)
            removed += [f"the results of {stem}" for stem in journals]
            if gradebook.remove_student(student):
                removed.append(f"the marks in {gradebook.name}")
            if not removed:
                known = gradebook.students()
                raise CourseError(
                    f"nothing is known of {student} in {course}" + suggestion([student], known)
                )
            for_platforms = [path for stem in journals for path in platform_files(course, stem)]
            for path in for_platforms:
                path.unlink()
        ErrorLog(course).forget(student)
        options = Options(gradebook_url=gradebook_url, book_url=book_url)
        for stem, others in journals.items():
            if others:
                report_course(course, stem, options)
            else:
                for suffix in (".html", ".csv"):
                    (course / "reports" / f"{stem}{suffix}").unlink(missing_ok=True)
    write_course_page(course)
    gone = [path for path in for_platforms if not path.exists()]
    return removed + [path.relative_to(course).as_posix() for path in gone]


def _files(course: Path, student: str) -> list[str]:
    """Remove what is kept in folders; return the names of those in which something was."""
    removed = []
    for name in FOLDERS:
        folder = course / name / student
        if folder.is_symlink():
            folder.unlink()
        elif folder.is_dir():
            shutil.rmtree(folder)
        else:
            continue
        removed.append(f"{name}/{student}")
    for path in (course / ".autograder" / "cells").glob("*"):
        (path / f"{student}.json").unlink(missing_ok=True)
    return removed


def _journals(course: Path, student: str) -> dict[str, int]:
    """Remove a student from every journal: from assignment to how many others are left in it."""
    found = {}
    for path in sorted((course / ".autograder").glob("*.journal")):
        with contextlib.closing(Journal(course, path.stem)) as journal:
            if journal.forget(student):
                found[path.stem] = len(journal.latest())
                reported = read_reported(course, path.stem)
                reported.pop(student, None)
                write_reported(course, path.stem, reported)
    return found
