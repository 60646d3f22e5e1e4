"""Grades a class: one coordinator hands submissions to workers and alone writes what they bring."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course_error import CourseError
from autograder.grading import cluster
from autograder.grading.class_reports import ClassReports, Reports
from autograder.grading.conditions import require_sandbox
from autograder.grading.course import DEFAULTS, Course, Options, open_course, opened_journal
from autograder.grading.errors import ErrorLog
from autograder.grading.journal import Journal
from autograder.grading.plan import plan
from autograder.grading.progress import Progress
from autograder.intake.submissions import copy_to_submitted
from autograder.reports.class_report import RunFacts, now
from autograder.results import Result

if TYPE_CHECKING:
    from autograder.grading.store import Store


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run did, and the reports that it wrote.

    ``failed`` names the students whose grading itself went wrong, with the reason: the next run
    tries them again. ``unchanged`` counts the submissions that kept the mark which they had, and
    ``log`` is the file with the tracebacks of what went wrong.
    """

    facts: RunFacts
    reports: Reports
    unchanged: int
    failed: Mapping[str, str]
    log: Path

    @property
    def results(self) -> tuple[Result, ...]:
        """The newest result of every student of the class."""
        return self.reports.results

    @property
    def report(self) -> Path:
        """The class report."""
        return self.reports.report

    @property
    def graded(self) -> int:
        """How many submissions were graded in this run."""
        return self.facts.graded


def grade_course(
    folder: str | Path,
    assignment: str,
    options: Options = DEFAULTS,
    progress: Progress | None = None,
) -> Run:
    """Grade an assignment of a course folder and return the `Run`.

    Problems that a person can solve raise `CourseError`; whatever was graded until then is safe.
    """
    begun, started, progress = time.perf_counter(), now(), progress or Progress()
    course = open_course(folder, assignment, options.roster)
    if options.sandboxed and options.scheduler is None:  # with one, each worker checks for itself
        require_sandbox()
    log, graded = ErrorLog(course.folder), 0
    failed: dict[str, str] = {}
    with opened_journal(course) as journal, log.one_line():
        todo = plan(course, options, journal)
        if todo.objection:
            raise CourseError(f"{todo.objection}; nothing was graded, --anyway grades them")
        exported = {submission.student: submission for submission in todo.exported}
        being_graded = {task.submission.student for task in todo.tasks}
        copy = partial(
            copy_to_submitted, course.folder, course.stem, notebook=course.assignment.notebook
        )
        for student in exported.keys() - being_graded:
            copy(exported[student])
        for student, origin in todo.origins.items():
            journal.note_origin(student, origin, todo.uncounted[student])
        progress.begin(len(todo.tasks), len(todo.outdated))
        with (
            cluster.prepare_workers(todo.tasks, options.scheduler, options.workers) as begin,
            open_store(course, journal, options, log) as store,
            begin() as grading,
        ):
            for result in todo.pending:
                store.put(result)
            # What an earlier run stored in a gradebook that is not this one any more.
            for result in store.missing():
                store.put(result)
            for result in grading.results():
                if not result.digest:
                    failed[result.student] = result.reason
                if result.log:
                    log.add(f"the submission of {result.student}", result.log)
                result = journal.with_standing_flags(result)
                # Only now: if the run were interrupted earlier, the next one would take the copied
                # file for one that an instructor has edited.
                if result.student in exported:
                    copy(exported[result.student])
                journal.add(result, todo.uncounted[result.student])
                store.put(result)
                graded += 1
                progress.graded(result)
            facts = RunFacts(
                started=started,
                graded=graded,
                seconds=time.perf_counter() - begun,
                workers=grading.workers,
                sandboxed=options.sandboxed,
                attendance=todo.attendance,
            )
            reports = ClassReports(course, journal, store).write(facts)
    return Run(
        facts=facts,
        reports=reports,
        unchanged=len(todo.unchanged),
        failed=failed,
        log=log.path,
    )


def open_store(
    course: Course, journal: Journal, options: Options, log: ErrorLog
) -> contextlib.closing[Store]:
    """Return a context with the `Store` of a course."""
    # It imports nbgrader, which takes as long as the start of workers that goes on meanwhile.
    from autograder.grading.store import Store

    return contextlib.closing(Store(course, journal, options, log))
