"""Writes the reports of an assignment again; nothing is graded."""

from dataclasses import replace
from pathlib import Path

from autograder.course_error import CourseError
from autograder.grading.attendance import attendance, handed_in, not_this_class
from autograder.grading.class_reports import ClassReports
from autograder.grading.course import DEFAULTS, Options, open_course, opened_journal
from autograder.grading.errors import ErrorLog
from autograder.grading.run import Run, open_store
from autograder.platforms.roster import require_names
from autograder.reports.class_report import RunFacts, now


def report_course(folder: str | Path, assignment: str, options: Options = DEFAULTS) -> Run:
    """Write the reports and feedback of an assignment again, with what people entered by hand.

    Of the options the gradebook, the book, the language and the roster count. Returns the `Run`, in
    which nothing was graded. Raises `CourseError` when nothing has been.
    """
    course = open_course(folder, assignment, options.roster)
    log = ErrorLog(course.folder)
    with opened_journal(course) as journal, log.one_line():
        standing = journal.latest()
        if not standing:
            raise CourseError(
                f"nothing of {assignment} has been graded in {folder}; "
                f"`autograder grade {folder} {assignment}` does it"
            )
        facts = RunFacts(started=now())
        if roster := course.roster:
            require_names(roster, standing)
            students = handed_in(course, standing)
            there = attendance(course, students)
            if reason := not_this_class(students, there.unknown):
                raise CourseError(f"{reason}; nothing was written")
            facts = replace(facts, attendance=there)
        with open_store(course, journal, options, log) as store:
            for result in journal.pending():
                store.put(result)
            reports = ClassReports(course, journal, store).write(facts, every_page=True)
    return Run(facts=facts, reports=reports, unchanged=len(standing), failed={}, log=log.path)
