"""Removes one student from a course folder: what was handed in, the marks, and what was written."""

import contextlib
import shutil
from pathlib import Path

from autograder.course_error import CourseError, suggestion
from autograder.files import abandoned_drafts
from autograder.grading.course import Options
from autograder.grading.errors import ErrorLog, disk_errors
from autograder.grading.gradebook import CourseGradebook, GradebookUnavailable
from autograder.grading.journal import Journal
from autograder.grading.report import report_course
from autograder.platforms.marks_and_feedback import platform_files
from autograder.platforms.student_names import student_name
from autograder.reports.course_page import same_people, write_course_page
from autograder.reports.last_report import read_reported, reported_assignments, write_reported

FOLDERS = ("submitted", "autograded", "feedback")


def other_names(course: str | Path, student: str) -> list[str]:
    """Return the other names under which the page over all assignments knows a student.

    Moodle's names end in a number that differs from assignment to assignment.
    """
    course = Path(course)
    people = same_people({s: read_reported(course, s) for s in reported_assignments(course)})
    names = {name for one in people if student in one.values() for name in one.values()}
    return sorted(names - {student})


def forget_student(
    course: str | Path,
    student: str,
    *,
    gradebook_url: str | None = None,
    book_url: str | None = None,
    language: str | None = None,
) -> list[str]:
    """Remove a student from a course folder; return what was removed, as texts.

    The class reports are written again without the student; the marks for a learning platform are
    removed, because they cannot be written without its list of the class. Copies outside the course
    folder, such as a platform's export, are not touched. Raises `CourseError` when nothing is known
    of the student, when an assignment of the course is being graded, or when not everything can be
    removed now; the same call then removes the rest.
    """
    course = Path(course)
    if not course.is_dir():
        raise CourseError(f"there is no course folder {course}")
    if student != student_name(student):
        raise CourseError(f"{student!r} cannot be a student's name in a course folder")
    try:
        with disk_errors(course):
            removed, has_others = _remove(course, student, gradebook_url)
            written = [path for stem in has_others for path in platform_files(course, stem)]
            for path in written:
                path.unlink()
            options = Options(gradebook_url=gradebook_url, book_url=book_url, language=language)
            problems = {}
            for stem, others in has_others.items():
                if not others:
                    _remove_report(course, stem)
                elif problem := _write_report(course, stem, options):
                    problems[stem] = problem
            write_course_page(course)
    except GradebookUnavailable as error:
        raise CourseError(
            f"the gradebook cannot be changed just now ({error}); run this again when it can"
        ) from error
    if problems:
        stem, problem = next(iter(problems.items()))
        raise CourseError(
            f"everything else of {student} is removed, but the report of {stem} could not be "
            f"written again and still names {student}: {problem}; run this again when that is "
            "put right"
        )
    gone = [path for path in written if not path.exists()]
    return removed + [path.relative_to(course).as_posix() for path in gone]


def _remove(
    course: Path, student: str, gradebook_url: str | None
) -> tuple[list[str], dict[str, bool]]:
    """Remove a student from everything but the reports.

    Returns what was removed, as texts, and the assignments whose reports name the student, with
    whether results of others are left. What may fail because somebody else is at work comes first.
    What a report has said is not forgotten here: by it, it is known which reports are to be written
    again if this is interrupted.
    """
    with contextlib.ExitStack() as stack:
        # Opened, a journal keeps its assignment from being graded. A first run that has no result
        # yet has only the lock.
        files = (course / ".autograder").glob("*.*")
        journals = {
            stem: stack.enter_context(contextlib.closing(Journal(course, stem)))
            for stem in sorted({f.stem for f in files if f.suffix in (".journal", ".lock")})
        }
        gradebook = CourseGradebook(course, gradebook_url)
        stack.enter_context(contextlib.closing(gradebook))
        reported = [
            stem for stem in reported_assignments(course) if student in read_reported(course, stem)
        ]
        in_gradebook = gradebook.remove_student(student)
        removed = _files(course, student)
        forgotten = [stem for stem, journal in journals.items() if journal.forget(student)]
        removed += [f"the results of {stem}" for stem in forgotten]
        removed += [f"the row in the report of {s}" for s in reported if s not in forgotten]
        if in_gradebook:
            removed.append(f"the marks in {gradebook.name}")
        if not removed:
            known = gradebook.students()
            raise CourseError(
                f"nothing is known of {student} in {course}" + suggestion([student], known)
            )
        gradebook.overwrite_what_was_removed()
        ErrorLog(course).forget(student)
        return removed, {
            stem: stem in journals and bool(journals[stem].latest())
            for stem in sorted({*reported, *forgotten})
        }


def _write_report(course: Path, stem: str, options: Options) -> str:
    """Write the reports of an assignment again; return what is in the way, "" if nothing is."""
    try:
        return report_course(course, stem, options).reports.gradebook_error
    except CourseError as error:
        return str(error)


def _remove_report(course: Path, stem: str) -> None:
    """Remove the reports of an assignment of which no result is left."""
    for suffix in (".html", ".csv"):
        (course / "reports" / f"{stem}{suffix}").unlink(missing_ok=True)
    write_reported(course, stem, {})


def _files(course: Path, student: str) -> list[str]:
    """Remove what is kept in folders; return the names of those in which something was."""
    removed = []
    # What is handed in may lie in a folder whose name could not be kept.
    others = [one for one in course.glob("submitted/*") if student_name(one.name) == student]
    for folder in dict.fromkeys([*(course / name / student for name in FOLDERS), *others]):
        if folder.is_symlink():
            folder.unlink()
        elif folder.is_dir():
            shutil.rmtree(folder)
        elif folder.exists():  # a file that somebody has put there
            folder.unlink()
        else:
            continue
        # A name on the disk may be no text, and what is printed has to be.
        name = folder.relative_to(course).as_posix()
        removed.append(name.encode("utf-8", "replace").decode())
    for path in (course / ".autograder" / "cells").glob("*"):
        (path / f"{student}.json").unlink(missing_ok=True)
    # A draft of a journal or a report has the whole class in it.
    for room in (".autograder", "reports"):
        for draft in abandoned_drafts(course / room):
            draft.unlink(missing_ok=True)
    return removed
