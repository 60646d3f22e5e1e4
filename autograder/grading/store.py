"""Puts results where people look: the executed notebook, the gradebook, the pages."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder.building.spoken_language import speaking
from autograder.course_error import CourseError
from autograder.files import replace_file
from autograder.grading.course import Course, Options
from autograder.grading.errors import ErrorLog
from autograder.grading.gradebook import CourseGradebook, GradebookUnavailable
from autograder.grading.journal import Journal
from autograder.grading.late_policy import LatePolicy
from autograder.intake.submissions import exchange_files
from autograder.platforms import PLATFORMS, platform_of
from autograder.platforms.base import Platform
from autograder.platforms.marks_and_feedback import (
    FEEDBACK,
    MARKS,
    SamePerson,
    feedback_zip,
    platform_csv,
    platform_file,
)
from autograder.reports import feedback
from autograder.reports.changes import (
    MarkChange,
    Reported,
    mark_changes,
    read_reported,
    write_reported,
)
from autograder.reports.class_report import RunFacts, class_report_html
from autograder.reports.course_page import write_course_page
from autograder.reports.marks import marks_csv
from autograder.reports.pages import is_ours
from autograder.results import Entered, Flag, ManualMarks, Result

GRADEBOOK_TRIES = 5


@dataclass(frozen=True)
class Reports:
    """What was written about a class.

    ``results`` are the newest ones of every student, with marks by hand and penalties, and
    ``changes`` says whose mark is not that of the last report.
    ``platform_marks`` and ``platform_feedback`` are to be imported by learning platforms; without
    the gradebook neither is written, and ``gradebook_error`` says what is wrong with it.
    ``import_note`` says what importing the marks will do that may surprise, and
    ``not_written`` says, for a file of theirs, why it is not written although the others are.
    ``earlier_marks`` are tables for platforms that were not written again, because no list of the
    class was given, and ``due`` is the due date in UTC, without a zone, if one is set.
    ``unstored`` names those whose result could not be stored, with the reason.
    """

    results: tuple[Result, ...]
    changes: tuple[MarkChange, ...]
    report: Path
    platform_marks: Path | None
    import_note: str
    platform_feedback: tuple[Path, ...]
    not_written: Mapping[Path, str]
    earlier_marks: tuple[Path, ...]
    due: datetime | None
    gradebook_error: str
    unstored: Mapping[str, str]


class Store:
    """Puts a result where people look: the executed notebook, the gradebook, the feedback."""

    def __init__(self, course: Course, journal: Journal, options: Options) -> None:
        self._course = course
        self._journal = journal
        self._options = options
        self._gradebook: CourseGradebook | None = None
        self._log = ErrorLog(course.folder)
        self._late_policy = LatePolicy(course.folder, course.settings.config)
        self._similarity_hints = course.settings.similarity_hints
        self.gradebook_error = ""
        self.unstored: dict[str, str] = {}
        self._not_written: dict[Path, str] = {}
        try:
            self._open()
        except GradebookUnavailable as error:
            self.gradebook_error = str(error)

    @property
    def _notebook(self) -> str:
        return self._course.assignment.notebook

    def close(self) -> None:
        if self._gradebook:
            self._gradebook.close()

    def missing(self) -> list[Result]:
        """List the stored results whose marks are missing because the gradebook was replaced."""
        if not self._gradebook or self.gradebook_error:
            return []
        try:
            recorded = self._gradebook.marks(self._course.stem)
        except GradebookUnavailable as error:
            self.gradebook_error = str(error)
            return []
        return [
            self._with_files(result)
            for student, result in sorted(self._journal.latest().items())
            if {e.check_id: e.points for e in result.exercises} != recorded.get(student)
        ]

    def _open(self) -> None:
        self._gradebook = CourseGradebook(self._course.folder, self._options.gradebook_url)
        self._gradebook.check_assignment(self._course.assignment)

    def put(self, result: Result) -> None:
        """Store a journalled result; it stays pending while the gradebook cannot be written."""
        if self._gradebook and not self.gradebook_error:
            with self._contain_errors(result):
                self._put(result, self._gradebook)

    @contextlib.contextmanager
    def _contain_errors(self, result: Result) -> Iterator[None]:
        """Keep what is wrong with one result from the others."""
        try:
            yield
        except (CourseError, OSError):  # these are not about the result
            raise
        except Exception as error:
            self._log.add(f"the result of {result.student}", error)
            reason = f"its result cannot be stored: {type(error).__name__}: {error}"
            self.unstored[result.student] = reason.splitlines()[0][:300]

    def _put(self, result: Result, gradebook: CourseGradebook) -> None:
        stored = self._journal.stored_submission(result.student)
        has_changed = stored not in (None, result.submission_digest)
        for attempt in range(GRADEBOOK_TRIES):
            try:
                if has_changed:
                    result = self._with_entries_set_aside(result, gradebook)
                    gradebook.write(result, self._journal.entered(result) or Entered())
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
            self._write("autograded", result, f"{self._notebook}.ipynb", result.notebook)
        else:  # nothing was executed: an earlier notebook would pass for this submission's
            folder = self._course.folder / "autograded" / result.student / result.assignment
            (folder / f"{self._notebook}.ipynb").unlink(missing_ok=True)
        replace_file(self._cells_file(result), json.dumps(result.cells))
        self._write_feedback(result)
        for name, content in exchange_files(
            self._course.folder, result.assignment, result.student
        ).items():
            self._write("autograded", result, name, content)
            self._write("feedback", result, name, content)
        self._journal.mark_stored(result)

    def _with_entries_set_aside(self, result: Result, gradebook: CourseGradebook) -> Result:
        """Return the result with a flag for what people entered for an earlier submission.

        That, and the flag, are in the journal before they leave the gradebook.
        """
        entered, returning = gradebook.entered(result), self._journal.entered(result)
        if entered != Entered() or returning:
            self._journal.set_aside(result.student, entered)
        if entered == returning:  # an interrupted run has put it back already
            return result
        dropped = {Flag.MANUAL_MARK_DROPPED: entered.marks, Flag.COMMENT_DROPPED: entered.comments}
        flags = [flag for flag, what in dropped.items() if what and flag not in result.flags]
        for flag in flags:
            result = result.flagged(flag)
        if flags:
            self._journal.add(result)
        return result

    def _write_feedback(self, result: Result) -> None:
        options, settings = self._options, self._course.settings
        with speaking(options.language or settings.language):
            book = options.book_url or settings.book
            page = feedback.feedback_html(result, book, self._course.assignment)
        self._write("feedback", result, f"{self._notebook}.html", page)

    def _cells_file(self, result: Result) -> Path:
        folder = self._course.folder / ".autograder" / "cells" / result.assignment
        return folder / f"{result.student}.json"

    def _with_files(self, result: Result) -> Result:
        """Return a result of the journal with what of it lies in files."""
        folder = self._course.folder / "autograded" / result.student / result.assignment
        path = folder / f"{self._notebook}.ipynb"
        notebook = path.read_text(encoding="utf-8") if path.exists() else ""
        path = self._cells_file(result)
        cells = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return replace(result, notebook=notebook, cells=cells)

    def _write(self, folder: str, result: Result, name: str, content: str | bytes) -> None:
        path = self._course.folder / folder / result.student / result.assignment / name
        replace_file(path, content)

    def write_reports(self, facts: RunFacts, every_page: bool = False) -> Reports:
        """Write the class's reports, and again the pages that marks by hand or lateness change.

        With ``every_page`` the page of every student is written again. With a list of the class the
        marks are written for its platform, too. Of submissions that a platform exported the pages
        are packed as it takes them back. Without the gradebook nothing is known of marks by hand
        and of penalties: then there is only a class report, which says so, and what else was
        written before stays as it is.
        """
        where = (self._course.folder, self._course.stem)
        reported = read_reported(*where)
        results, due = self._final_results(), self._due_date()
        facts = replace(facts, due=due)
        report = self._course.folder / "reports" / f"{self._course.stem}.html"
        changes = () if self.gradebook_error else mark_changes(reported, results)
        roster = self._course.roster
        names = roster.names({one.student: one.origin for one in results}) if roster else None
        page = class_report_html(
            results,
            self._course.assignment,
            facts,
            changes=changes,
            similarity_hints=self._similarity_hints,
            gradebook_error=self.gradebook_error,
            names=names,
        )
        replace_file(report, page)
        marks: Path | None = None
        zips: tuple[Path, ...] = ()
        if not self.gradebook_error:
            self._rewrite_pages(results, reported, every_page)
            replace_file(report.with_suffix(".csv"), marks_csv(results, facts.missing, names))
            marks, zips = self._write_marks(results), self._write_feedback_zips(results)
            write_reported(
                *where,
                {one.student: self._reported(one, reported.get(one.student)) for one in results},
            )
            write_course_page(self._course.folder)
        return Reports(
            tuple(results),
            changes,
            report,
            marks,
            roster.platform.import_note(roster, self._course.stem) if marks and roster else "",
            zips,
            self._not_written,
            self._earlier_marks(),
            due,
            self.gradebook_error,
            dict(self.unstored),
        )

    def _reported(self, result: Result, before: Reported | None) -> Reported:
        """Return what a report says of a result, with what is known of who the student is."""
        person = name = ""
        if roster := self._course.roster:
            person = roster.person_in_course(result.student, result.origin)
        if origin := result.origin:
            person = person or platform_of(origin).person_in_course(result.student)
            name = platform_of(origin).name_in_course(result.student)
        if before:  # without the list of the class, or the platform's name, it is not forgotten
            person, name = person or before.person, name or before.name
        return replace(Reported.of(result), person=person, name=name)

    def _due_date(self) -> datetime | None:
        """Return when the assignment is due, None where no date is set or known."""
        if not self._gradebook or self.gradebook_error:
            return None
        try:
            return self._gradebook.due_date(self._course.stem)
        except GradebookUnavailable as error:
            self.gradebook_error = str(error)
            return None

    def _final_results(self) -> list[Result]:
        """Return every student's newest result with what people entered and what came late."""
        by_hand: dict[str, ManualMarks] = {}
        late: dict[str, tuple[float, float]] = {}
        stem = self._course.stem
        if self._gradebook and not self.gradebook_error:
            try:
                by_hand = self._gradebook.manual_marks(stem)
                late = self._gradebook.apply_late_policy(stem, self._late_policy)
            except GradebookUnavailable as error:
                self.gradebook_error = str(error)
        results = []
        for student, result in sorted(self._journal.latest().items()):
            if student in by_hand:
                result = result.with_manual_marks(by_hand[student])
            if student in late:
                seconds, penalty = late[student]
                result = replace(result, seconds_late=seconds, penalty=penalty)
            results.append(result)
        return results

    def _rewrite_pages(
        self, results: list[Result], reported: Mapping[str, Reported], every_page: bool
    ) -> None:
        """Write the pages again that say more than grading has brought, or said so until now."""
        for result in results:
            before = reported.get(result.student)
            if every_page or Reported.of(result).is_adjusted or (before and before.is_adjusted):
                with self._contain_errors(result):
                    self._write_feedback(self._with_files(result))

    def _write_marks(self, results: list[Result]) -> Path | None:
        """Write the marks for the platform of the list of the class, if there is one."""
        roster = self._course.roster
        if not roster or not roster.platform.name:
            return None
        assignment = self._course.assignment
        return self._write_for_platform(
            self._platform_file(roster.platform, MARKS),
            lambda: platform_csv(results, roster, assignment.stem, assignment.points),
        )

    def _write_for_platform(self, path: Path, content: Callable[[], str | bytes]) -> Path | None:
        """Write a file for a platform, or remove it where there is no content that may be sent."""
        try:
            if text := content():
                replace_file(path, text)
                return path
        except SamePerson as error:
            self._not_written[path] = str(error)
        path.unlink(missing_ok=True)
        return None

    def _earlier_marks(self) -> tuple[Path, ...]:
        """List the tables for platforms that are not written again, because no list was given."""
        tables = [self._platform_file(platform, MARKS) for platform in PLATFORMS]
        return () if self._course.roster else tuple(path for path in tables if path.exists())

    def _write_feedback_zips(self, results: list[Result]) -> tuple[Path, ...]:
        # The page of a result that could not be stored is that of an earlier one, or none.
        unstored = {result.student for result in self._journal.pending()}
        stored = [result for result in results if result.student not in unstored]
        written = []
        for platform in PLATFORMS:
            path = self._platform_file(platform, FEEDBACK)
            pages = partial(feedback_zip, stored, platform, self._page)
            written.append(self._write_for_platform(path, pages))
        return tuple(filter(None, written))

    def _platform_file(self, platform: Platform, kind: str) -> Path:
        return platform_file(self._course.folder, self._course.stem, platform, kind)

    def _page(self, result: Result) -> bytes:
        """Return a student's page; where it is missing, or nbgrader's, it is written again."""
        folder = self._course.folder / "feedback" / result.student / result.assignment
        path = folder / f"{self._notebook}.html"
        if not (path.is_file() and is_ours(path.read_bytes())):
            self._write_feedback(self._with_files(result))
        return path.read_bytes()
