"""Writes what is said of a class: its report, its marks, and the files for learning platforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.files import replace_file
from autograder.grading.course import Course
from autograder.grading.journal import Journal
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
from autograder.reports.changes import MarkChange, mark_changes
from autograder.reports.class_report import RunFacts, class_report_html
from autograder.reports.course_page import write_course_page
from autograder.reports.last_report import ReportedMark, read_reported, write_reported
from autograder.reports.marks import marks_csv
from autograder.results import Result

if TYPE_CHECKING:
    from autograder.grading.store import Store


@dataclass(frozen=True, kw_only=True)
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


class ClassReports:
    """Writes the reports on a class, whose results a store has."""

    def __init__(self, course: Course, journal: Journal, store: Store) -> None:
        self._course = course
        self._journal = journal
        self._store = store
        self._not_written: dict[Path, str] = {}

    def write(self, facts: RunFacts, every_page: bool = False) -> Reports:
        """Write the class's reports, and again the pages that marks by hand or lateness change.

        With ``every_page`` the page of every student is written again. With a list of the class the
        marks are written for its platform, too. Of submissions that a platform exported the pages
        are packed as it takes them back. Without the gradebook nothing is known of marks by hand
        and of penalties: then there is only a class report, which says so, and what else was
        written before stays as it is.
        """
        course, store = self._course, self._store
        reported = read_reported(course.folder, course.stem)
        results, due = store.final_results(), store.due_date()
        report = course.folder / "reports" / f"{course.stem}.html"
        changes = () if store.gradebook_error else mark_changes(reported, results)
        roster = course.roster
        names = roster.names({one.student: one.origin for one in results}) if roster else None
        page = class_report_html(
            results,
            course.assignment,
            replace(facts, due=due),
            changes=changes,
            similarity_hints=course.settings.similarity_hints,
            gradebook_error=store.gradebook_error,
            names=names,
        )
        replace_file(report, page)
        marks: Path | None = None
        zips: tuple[Path, ...] = ()
        if not store.gradebook_error:
            self._rewrite_pages(results, reported, every_page)
            replace_file(
                report.with_suffix(".csv"), marks_csv(results, facts.attendance.missing, names)
            )
            marks, zips = self._write_marks(results), self._write_feedback_zips(results)
            new = {one.student: self._reported(one, reported.get(one.student)) for one in results}
            write_reported(course.folder, course.stem, new)
            write_course_page(course.folder)
        note = roster.platform.import_note(roster, course.stem) if marks and roster else ""
        return Reports(
            results=tuple(results),
            changes=changes,
            report=report,
            platform_marks=marks,
            import_note=note,
            platform_feedback=zips,
            not_written=self._not_written,
            earlier_marks=self._earlier_marks(),
            due=due,
            gradebook_error=store.gradebook_error,
            unstored=dict(store.unstored),
        )

    def _rewrite_pages(
        self, results: Sequence[Result], reported: Mapping[str, ReportedMark], every_page: bool
    ) -> None:
        """Write the pages again that say more than grading has brought, or said so until now."""
        for result in results:
            before = reported.get(result.student)
            if every_page or ReportedMark.of(result).is_adjusted or (before and before.is_adjusted):
                self._store.rewrite_page(result)

    def _reported(self, result: Result, before: ReportedMark | None) -> ReportedMark:
        """Return what a report says of a result, with what is known of who the student is."""
        person = name = ""
        if roster := self._course.roster:
            person = roster.person_in_course(result.student, result.origin)
        if origin := result.origin:
            person = person or platform_of(origin).person_in_course(result.student)
            name = platform_of(origin).name_in_course(result.student)
        if before:  # without the list of the class, or the platform's name, it is not forgotten
            person, name = person or before.person, name or before.name
        return replace(ReportedMark.of(result), person=person, name=name)

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

    def _write_feedback_zips(self, results: Sequence[Result]) -> tuple[Path, ...]:
        # The page of a result that could not be stored is that of an earlier one, or none.
        unstored = {result.student for result in self._journal.pending()}
        stored = [result for result in results if result.student not in unstored]
        written = []
        for platform in PLATFORMS:
            path = self._platform_file(platform, FEEDBACK)
            pages = partial(feedback_zip, stored, platform, self._store.page)
            written.append(self._write_for_platform(path, pages))
        return tuple(filter(None, written))

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

    def _platform_file(self, platform: Platform, kind: str) -> Path:
        return platform_file(self._course.folder, self._course.stem, platform, kind)
