"""Puts results where people look: the executed notebook, the gradebook, the pages."""

import contextlib
import json
import time
from dataclasses import replace

from autograder.course.chapters import CourseError
from autograder.files import replace_file
from autograder.grading.errors import ErrorLog
from autograder.grading.gradebook import CourseGradebook, GradebookUnavailable
from autograder.grading.lateness import LatePolicy
from autograder.intake.submissions import exchange_files
from autograder.reports import feedback
from autograder.reports.class_report import class_report_html
from autograder.reports.marks import marks_csv
from autograder.reports.platforms import (
    FEEDBACK,
    MARKS,
    PLATFORMS,
    feedback_zip,
    platform_csv,
    platform_file,
)
from autograder.results import Flag

GRADEBOOK_TRIES = 5


class Store:
    """Puts a result where people look: the executed notebook, the gradebook, the feedback."""

    def __init__(self, course, chapter, journal, gradebook_url, book_url):
        self._course = course
        self._chapter = chapter
        self._journal = journal
        self._url = gradebook_url
        self._book_url = book_url
        self._gradebook = None
        self._log = ErrorLog(course)
        self._late_policy = LatePolicy(course)
        self.gradebook_error = ""
        self.unstored = {}
        try:
            self._open()
        except GradebookUnavailable as error:
            self.gradebook_error = str(error)

    def close(self):
        if self._gradebook:
            self._gradebook.close()

    def missing(self):
        """List the stored results whose marks are not in the gradebook, for another is there."""
        if self.gradebook_error:
            return []
        recorded = self._gradebook.marks(self._chapter.stem)
        return [
            self._with_files(result)
            for student, result in sorted(self._journal.latest().items())
            if {e.check_id: e.points for e in result.exercises} != recorded.get(student)
        ]

    def _open(self):
        self._gradebook = CourseGradebook(self._course, self._url)
        self._gradebook.check_assignment(self._chapter)

    def put(self, result):
        """Store a journalled result; it stays pending while the gradebook cannot be written."""
        if not self.gradebook_error:
            with self._contain_errors(result):
                self._put(result)

    @contextlib.contextmanager
    def _contain_errors(self, result):
        """Keep what is wrong with one result from the others."""
        try:
            yield
        except (CourseError, OSError):  # these are not about the result
            raise
        except Exception as error:
            self._log.add(f"the result of {result.student}", error)
            reason = f"its result cannot be stored: {type(error).__name__}: {error}"
            self.unstored[result.student] = reason.splitlines()[0][:300]

    def _put(self, result):
        stored = self._journal.stored_submission(result.student)
        keep_manual = stored is not None and stored == result.submission_digest
        for attempt in range(GRADEBOOK_TRIES):
            try:
                result = self._with_dropped_mark(result, keep_manual)
                self._gradebook.write(result, keep_manual)
                break
            except GradebookUnavailable as error:
                if attempt == GRADEBOOK_TRIES - 1:
                    self.gradebook_error = str(error)
                    return
                time.sleep(0.2 * 2**attempt)
        if result.notebook:
            self._write("autograded", result, f"{self._chapter.notebook}.ipynb", result.notebook)
        else:  # nothing was executed: an earlier notebook would pass for this submission's
            folder = self._course / "autograded" / result.student / result.assignment
            (folder / f"{self._chapter.notebook}.ipynb").unlink(missing_ok=True)
        replace_file(self._cells_file(result), json.dumps(result.cells))
        self._write_feedback(result)
        for name, content in exchange_files(
            self._course, result.assignment, result.student
        ).items():
            self._write("autograded", result, name, content)
            self._write("feedback", result, name, content)
        self._journal.mark_stored(result)

    def _with_dropped_mark(self, result, keep_manual):
        """Return the result with a flag when storing it drops a mark that a person has set.

        The flag is in the journal before the mark is gone.
        """
        flag = Flag.MANUAL_MARK_DROPPED
        if keep_manual or flag in result.flags or not self._gradebook.has_manual_mark(result):
            return result
        flagged = result.flagged(flag)
        self._journal.add(flagged)
        return flagged

    def _write_feedback(self, result):
        page = feedback.feedback_html(result, self._book_url, self._chapter)
        self._write("feedback", result, f"{self._chapter.notebook}.html", page)

    def _cells_file(self, result):
        folder = self._course / ".autograder" / "cells" / result.assignment
        return folder / f"{result.student}.json"

    def _with_files(self, result):
        """Return a result of the journal with what of it lies in files."""
        folder = self._course / "autograded" / result.student / result.assignment
        path = folder / f"{self._chapter.notebook}.ipynb"
        notebook = path.read_text(encoding="utf-8") if path.exists() else ""
        path = self._cells_file(result)
        cells = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return replace(result, notebook=notebook, cells=cells)

    def _write(self, folder, result, name, content):
        replace_file(self._course / folder / result.student / result.assignment / name, content)

    def write_reports(self, run, roster=None, every_page=False):
        """Write the class's reports, and again the pages that marks by hand or lateness change.

        With ``every_page`` the page of every student is written again. With a ``roster`` the
        reports say who is missing, and the marks are written for its platform, too. Of submissions
        that a platform exported the pages are packed as it takes them back.
        """
        by_hand, late = {}, {}
        if not self.gradebook_error:
            try:
                by_hand = self._gradebook.by_hand(run.assignment)
                late = self._gradebook.apply_late_policy(run.assignment, self._late_policy)
            except GradebookUnavailable as error:
                self.gradebook_error = str(error)
        for student, result in sorted(self._journal.latest().items()):
            if student in by_hand:
                result = result.marked(by_hand[student])
            if student in late:
                seconds, penalty = late[student]
                result = replace(result, seconds_late=seconds, penalty=penalty)
            if student in by_hand or student in late or every_page:
                with self._contain_errors(result):
                    self._write_feedback(self._with_files(result))
            run.results.append(result)
        run.gradebook_error = self.gradebook_error
        run.log = self._log.path
        run.unstored |= self.unstored
        if roster:
            students = [result.student for result in run.results]
            run.missing, run.unknown = roster.without(students), roster.unknown(students)
        run.report = self._course / "reports" / f"{run.assignment}.html"
        replace_file(run.report, class_report_html(run.results, self._chapter, run))
        replace_file(run.report.with_suffix(".csv"), marks_csv(run.results, run.missing))
        if roster and roster.platform:
            points = sum(exercise.points for exercise in self._chapter.exercises)
            run.platform_marks = self._platform_file(roster.platform, MARKS)
            table = platform_csv(run.results, roster, run.assignment, points)
            replace_file(run.platform_marks, table)
        if not roster:
            tables = [self._platform_file(platform, MARKS) for platform in PLATFORMS]
            run.earlier_marks = [path for path in tables if path.exists()]
        # The page of a result that could not be stored is that of an earlier one, or none.
        unstored = {result.student for result in self._journal.pending()}
        stored = [result for result in run.results if result.student not in unstored]
        for platform in PLATFORMS:
            path = self._platform_file(platform, FEEDBACK)
            if pages := feedback_zip(stored, platform, self._page):
                replace_file(path, pages)
                run.platform_feedback.append(path)
            else:
                path.unlink(missing_ok=True)

    def _platform_file(self, platform, kind):
        return platform_file(self._course, self._chapter.stem, platform, kind)

    def _page(self, result):
        folder = self._course / "feedback" / result.student / result.assignment
        return (folder / f"{self._chapter.notebook}.html").read_bytes()
