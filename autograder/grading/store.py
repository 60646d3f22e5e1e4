"""Puts a result where people look: the executed notebook, the gradebook, the feedback."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from autograder.course_error import CourseError
from autograder.files import replace_file
from autograder.grading.course import Course, Options
from autograder.grading.errors import ErrorLog, describe_error
from autograder.grading.gradebook import CourseGradebook, GradebookUnavailable
from autograder.grading.handed_in import ALL_COUNT
from autograder.grading.journal import Journal
from autograder.grading.late_policy import LatePolicy
from autograder.intake.exchange import exchange_files
from autograder.reports import feedback
from autograder.reports.pages import is_ours
from autograder.results import Flag, ManualEntries, ManualMarks, Result
from autograder.translation.catalogue import use_language

GRADEBOOK_TRIES = 5

T = TypeVar("T")


class Store:
    """The results of an assignment, where people look for them.

    ``gradebook_error`` says what is wrong with the gradebook, "" while it can be used, and
    ``unstored`` names those whose result could not be stored, with the reason.
    """

    def __init__(self, course: Course, journal: Journal, options: Options, log: ErrorLog) -> None:
        self._course = course
        self._journal = journal
        self._options = options
        self._gradebook: CourseGradebook | None = None
        self._log = log
        self._late_policy = LatePolicy(course.folder, course.settings.config)
        self.gradebook_error = ""
        self.unstored: dict[str, str] = {}
        try:
            self._open()
        except GradebookUnavailable as error:
            self.gradebook_error = str(error)

    def close(self) -> None:
        if self._gradebook:
            self._gradebook.close()

    def put(self, result: Result) -> None:
        """Store a journalled result; it stays pending while the gradebook cannot be written."""
        if self._gradebook and not self.gradebook_error:
            with self._contain_errors(result):
                self._put(result, self._gradebook)

    def missing(self) -> list[Result]:
        """List the stored results whose marks are missing because the gradebook was replaced."""
        recorded = self._ask(lambda book: book.marks(self._course.stem), None)
        if recorded is None:
            return []
        return [
            self._with_files(result)
            for student, result in sorted(self._journal.latest().items())
            if {e.check_id: e.points for e in result.exercises} != recorded.get(student)
        ]

    def final_results(self) -> list[Result]:
        """Return every student's newest result with what people entered and what came late."""
        stem, policy = self._course.stem, self._late_policy
        by_hand: dict[str, ManualMarks] = self._ask(lambda book: book.manual_marks(stem), {})
        late: dict[str, tuple[float, float]] = self._ask(
            lambda book: book.apply_late_policy(stem, policy), {}
        )
        results = []
        for student, result in sorted(self._journal.latest().items()):
            if student in by_hand:
                result = result.with_manual_marks(by_hand[student])
            if student in late:
                seconds, penalty = late[student]
                result = replace(result, seconds_late=seconds, penalty=penalty)
            results.append(result)
        return results

    def due_date(self) -> datetime | None:
        """Return when the assignment is due, None where no date is set or known."""
        return self._ask(lambda book: book.due_date(self._course.stem), None)

    def rewrite_page(self, result: Result) -> None:
        """Write a student's page again, as it is for a result of `final_results`."""
        with self._contain_errors(result):
            self._write_feedback(self._with_files(result))

    def page(self, result: Result) -> bytes:
        """Return a student's page; where it is missing, or nbgrader's, it is written again."""
        path = self._page_file(result)
        if not (path.is_file() and is_ours(path.read_bytes())):
            self._write_feedback(self._with_files(result))
        return path.read_bytes()

    def _open(self) -> None:
        self._gradebook = CourseGradebook(self._course.folder, self._options.gradebook_url)
        self._gradebook.check_assignment(self._course.assignment)

    def _ask(self, question: Callable[[CourseGradebook], T], otherwise: T) -> T:
        """Return the gradebook's answer; ``otherwise`` where there is none, and note why."""
        if self._gradebook and not self.gradebook_error:
            try:
                return question(self._gradebook)
            except GradebookUnavailable as error:
                self.gradebook_error = str(error)
        return otherwise

    @contextlib.contextmanager
    def _contain_errors(self, result: Result) -> Iterator[None]:
        """Keep what is wrong with one result from the others."""
        try:
            yield
        except (CourseError, OSError):  # these are not about the result
            raise
        except Exception as error:
            self._log.add(f"the result of {result.student}", error)
            self.unstored[result.student] = f"its result cannot be stored: {describe_error(error)}"

    def _put(self, result: Result, gradebook: CourseGradebook) -> None:
        stored = self._journal.stored_submission(result.student)
        has_changed = stored not in (None, result.submission_digest)
        for attempt in range(GRADEBOOK_TRIES):
            try:
                if has_changed:
                    result = self._with_entries_set_aside(result, gradebook)
                    gradebook.write(result, self._journal.entered(result) or ManualEntries())
                else:
                    gradebook.write(result, None, confirm=stored is None)
                self._journal.note_written(result)
                break
            except GradebookUnavailable as error:
                if attempt == GRADEBOOK_TRIES - 1:
                    self.gradebook_error = str(error)
                    return
                time.sleep(0.2 * 2**attempt)
        if result.notebook:
            replace_file(self._executed_file(result), result.notebook)
        else:  # nothing was executed: an earlier notebook would pass for this submission's
            self._executed_file(result).unlink(missing_ok=True)
        replace_file(self._cells_file(result), json.dumps(result.cells))
        self._write_feedback(result)
        for name, content in exchange_files(
            self._course.folder, result.assignment, result.student
        ).items():
            for folder in ("autograded", "feedback"):
                replace_file(self._file(folder, result, name), content)
        self._journal.mark_stored(result)

    def _with_entries_set_aside(self, result: Result, gradebook: CourseGradebook) -> Result:
        """Return the result with a flag for what people entered for an earlier submission.

        That, and the flag, are in the journal before they leave the gradebook.
        """
        entered, returning = gradebook.entered(result), self._journal.entered(result)
        if entered != ManualEntries() or returning:
            self._journal.set_aside(result.student, entered)
        if entered == returning:  # an interrupted run has put it back already
            return result
        dropped = {Flag.MANUAL_MARK_DROPPED: entered.marks, Flag.COMMENT_DROPPED: entered.comments}
        flags = [flag for flag, what in dropped.items() if what and flag not in result.flags]
        for flag in flags:
            result = result.flagged(flag)
        if flags:
            uncounted = self._journal.uncounted(result.student)
            self._journal.add(result, uncounted or ALL_COUNT)
        return result

    def _write_feedback(self, result: Result) -> None:
        options, settings = self._options, self._course.settings
        with use_language(options.language or settings.language):
            book = options.book_url or settings.book
            page = feedback.feedback_html(result, book, self._course.assignment)
        replace_file(self._page_file(result), page)

    def _with_files(self, result: Result) -> Result:
        """Return a result of the journal with what of it lies in files."""
        path = self._executed_file(result)
        notebook = path.read_text(encoding="utf-8") if path.exists() else ""
        path = self._cells_file(result)
        cells = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return replace(result, notebook=notebook, cells=cells)

    def _executed_file(self, result: Result) -> Path:
        return self._file("autograded", result, f"{self._course.assignment.notebook}.ipynb")

    def _page_file(self, result: Result) -> Path:
        return self._file("feedback", result, f"{self._course.assignment.notebook}.html")

    def _file(self, folder: str, result: Result, name: str) -> Path:
        return self._course.folder / folder / result.student / result.assignment / name

    def _cells_file(self, result: Result) -> Path:
        folder = self._course.folder / ".autograder" / "cells" / result.assignment
        return folder / f"{result.student}.json"
