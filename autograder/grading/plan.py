"""What grading a course would do, decided before any of it is done.

A preview shows the plan, and a run carries the same plan out.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from autograder.course.chapters import chapter_stems, chapter_with
from autograder.course_error import CourseError, suggestion
from autograder.grading.attendance import attendance, handed_in, not_this_class
from autograder.grading.conditions import Conditions
from autograder.grading.course import DEFAULTS, Course, Options, open_course
from autograder.grading.course_config import LATE_SECTIONS
from autograder.grading.errors import ErrorLog, disk_errors
from autograder.grading.handed_in import (
    ALL_COUNT,
    Uncounted,
    is_same_file,
    received_from_export,
    received_in_folder,
)
from autograder.grading.journal import ReadJournal
from autograder.grading.task import Task
from autograder.intake import submissions
from autograder.intake.choosing import answer_ids, is_of_another_assignment
from autograder.intake.entries import Rejected
from autograder.intake.rebuild import read_notebook
from autograder.intake.submissions import Submission
from autograder.platforms import platform_of
from autograder.platforms.roster import require_names
from autograder.reports.class_report import Attendance
from autograder.results import SETTLED, Flag, Origin, Result, Status


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be done for one assignment.

    ``tasks`` are to be graded, of which ``outdated`` names the students whose submission has not
    changed: something else has on which their marks rest. ``pending`` are the results that an
    interrupted run has graded and not stored everywhere; they are stored, and not graded again.
    ``unchanged`` names those who keep the mark that they have because nothing has changed, and
    ``attendance.older`` those who keep it because a newer submission has it or could not be read.
    ``exported`` are the submissions to be copied to submitted/, and ``uncounted`` says by student
    which other files do not count beside those that are graded. ``origins`` is what has become
    known of where an unchanged submission came from. ``objection`` says why a run will not begin
    unless it is told to, "" if nothing speaks against it.
    """

    tasks: tuple[Task, ...]
    outdated: tuple[str, ...]
    pending: tuple[Result, ...]
    unchanged: tuple[str, ...]
    exported: tuple[Submission, ...]
    uncounted: Mapping[str, Uncounted]
    origins: Mapping[str, Origin | None]
    attendance: Attendance
    objection: str

    @property
    def to_grade(self) -> list[str]:
        """The students whose submissions are read and executed."""
        return [task.submission.student for task in self.tasks if not task.submission.rejected]

    @property
    def rejected(self) -> dict[str, str]:
        """For each student whose submission cannot be read, the reason."""
        found = [task.submission for task in self.tasks]
        return {one.student: one.rejected.reason for one in found if one.rejected}

    @property
    def unreadable(self) -> dict[str, str]:
        """For each student whose file is not a notebook that can be read, the reason.

        A run finds this out when it grades; here, all files are parsed for it.
        """
        reasons = {}
        for task in self.tasks:
            if not task.submission.rejected:
                try:
                    read_notebook(task.submission.content)
                except Rejected as rejected:
                    reasons[task.submission.student] = rejected.reason
        return reasons

    @property
    def only_stored(self) -> list[str]:
        """The students whose results are there and are only to be stored."""
        graded = {task.submission.student for task in self.tasks}
        return sorted(result.student for result in self.pending if result.student not in graded)


class _Fate(Enum):
    """What becomes of a submission."""

    OLDER = "a newer one has been handed in"
    UNCHANGED = "its mark stands"
    PENDING = "it is graded, and is still to be stored"
    GRADED = "it is graded"


@dataclass(frozen=True)
class _Decision:
    """What is to be done about one submission.

    ``is_copied`` says that it is written to submitted/, and ``learns_origin`` that more has become
    known of where an unchanged one came from. ``task`` is there if it is graded, and ``outdated``
    if its mark is computed again although the submission is the same.
    """

    submission: Submission
    uncounted: Uncounted
    fate: _Fate
    is_copied: bool = False
    learns_origin: bool = False
    task: Task | None = None
    is_outdated: bool = False


def plan(course: Course, options: Options, journal: ReadJournal) -> Plan:
    """Decide what grading would do, and do nothing.

    Raises `CourseError` when there is nothing to decide on, or what comes in does not fit.
    """
    standing, pending = journal.latest(), tuple(journal.pending())
    inbox, others, objection = _inbox(course, options, standing)
    if course.roster:
        require_names(course.roster, [submission.student for submission in inbox])
    decisions = _decisions(course, options, journal, inbox)
    origins = {one.submission.student: one.submission.origin for one in decisions}
    students = handed_in(course, standing, others) | origins
    there = attendance(
        course,
        students,
        older=_names(decisions, _Fate.OLDER),
        misplaced=_misplaced(course) if options.exported is None else (),
    )
    return Plan(
        tasks=tuple(one.task for one in decisions if one.task),
        outdated=tuple(one.submission.student for one in decisions if one.is_outdated),
        pending=pending,
        unchanged=_names(decisions, _Fate.UNCHANGED),
        exported=tuple(one.submission for one in decisions if one.is_copied),
        uncounted={one.submission.student: one.uncounted for one in decisions},
        origins={o.submission.student: o.submission.origin for o in decisions if o.learns_origin},
        attendance=there,
        objection="" if options.anyway else objection or not_this_class(students, there.unknown),
    )


def _names(decisions: Sequence[_Decision], fate: _Fate) -> tuple[str, ...]:
    return tuple(one.submission.student for one in decisions if one.fate is fate)


def _decisions(
    course: Course, options: Options, journal: ReadJournal, inbox: Sequence[Submission]
) -> list[_Decision]:
    standing = journal.latest()
    conditions = Conditions(course, options.sandboxed)
    being_stored = {result.digest for result in journal.pending()}
    in_submitted = _in_submitted(course, inbox) if options.exported is not None else {}
    decisions = []
    for submission in inbox:
        student, known = submission.student, standing.get(submission.student)
        before = journal.uncounted(student)
        if options.exported is None:
            came = received_in_folder(submission, known, before or ALL_COUNT, course.roster)
        else:
            file = in_submitted.get(student)
            came = received_from_export(submission, file, known, before, course.roster)
        if came.is_older and not options.allow_older:
            decisions.append(_Decision(came.submission, came.uncounted, _Fate.OLDER))
            continue
        decision = _Decision(
            came.submission, came.uncounted, _Fate.PENDING, is_copied=came.is_copied
        )
        submission, digest = came.submission, conditions.digest(came.submission)
        if known and not options.regrade and journal.is_unchanged(student, digest):
            is_news = options.exported is not None and before != came.uncounted
            learns = submission.origin != known.origin or is_news
            decision = replace(decision, fate=_Fate.UNCHANGED, learns_origin=learns)
        elif options.regrade or digest not in being_stored:
            decision = replace(
                decision,
                fate=_Fate.GRADED,
                task=conditions.task(submission, digest, elsewhere=bool(options.scheduler)),
                is_outdated=known is not None and _is_outdated(known, digest, submission),
            )
        decisions.append(decision)
    return decisions


def preview_course(folder: str | Path, assignment: str, options: Options = DEFAULTS) -> Plan:
    """Return the `Plan` that `grade_course` would carry out now; nothing is graded.

    The course folder is only read, but for the log of errors of our own.
    """
    course = open_course(folder, assignment, options.roster)
    if any(section in course.settings.config for section in LATE_SECTIONS):
        # It imports nbgrader, which takes a second, and raises what the run would.
        from autograder.grading.late_policy import LatePolicy

        LatePolicy(course.folder, course.settings.config)
    with disk_errors(course.folder), ErrorLog(course.folder).one_line():
        return plan(course, options, ReadJournal(course.folder, course.stem))


def _inbox(
    course: Course, options: Options, standing: Mapping[str, Result]
) -> tuple[list[Submission], Collection[str], str]:
    """Return the submissions to decide on, all who handed in, and what speaks against the source.

    Of those who handed in, only some may have been asked for.
    """
    exported, objection = options.exported, ""
    in_folder = submissions.students_in(course.folder, course.stem)
    students = options.students and _as_spelled(options.students, [*standing, *in_folder])
    if exported is not None:
        if not Path(exported).exists():
            raise CourseError(f"there is no folder or zip {exported} to take submissions from")
        try:
            found = submissions.read_export(exported, course.released)
        except Rejected as rejected:
            raise CourseError(f"{exported}: {rejected.reason}") from rejected
        where = Path(exported)
        objection = _objection(where, found, course)
        found = _under_standing_names(found, standing)
        names = _as_spelled([one.student for one in found], [*standing, *in_folder])
        found = [replace(one, student=name) for one, name in zip(found, names, strict=True)]
        known = [one.student for one in found]
        found = [one for one in found if students is None or one.student in students]
    else:
        found = submissions.read_submitted(course.folder, course.stem, course.released, students)
        where = course.folder / "submitted"
        known = in_folder
    absent = sorted(set(students or []) - {one.student for one in found})
    if absent:
        raise CourseError(
            f"no submission of {', '.join(absent)} for {course.stem} in {where}"
            + suggestion(absent, known)
        )
    if not found:
        misplaced = _misplaced(course) if exported is None else ()
        hint = f"; {misplaced[0]} is in no folder of an assignment" if misplaced else ""
        raise CourseError(f"there is no submission for {course.stem} in {where}{hint}")
    return found, known, objection


def _under_standing_names(
    found: Sequence[Submission], standing: Mapping[str, Result]
) -> list[Submission]:
    """Give students of an export the names under which they were graded.

    A display name may change, or the prefix of a group before it. What a platform has beside it in
    the names of an assignment's files does not, so two people of one name are never taken for one.
    """
    names: dict[str, list[str]] = defaultdict(list)
    for student, result in standing.items():
        if identity := _identity(result.origin):
            names[identity].append(student)
    taken = {one.student for one in found}
    named = []
    for one in found:
        former = names.get(_identity(one.origin) or "", [])
        if one.student not in standing and len(former) == 1 and former[0] not in taken:
            one = replace(one, student=former[0])
        named.append(one)
    return named


def _as_spelled(students: Collection[str], known: Collection[str]) -> list[str]:
    """Return students' names as they are spelled where they are known.

    In a folder that comes from a Mac, é may be e and an accent: it is the same name.
    """
    spelled = {unicodedata.normalize("NFC", name): name for name in known}
    spelled |= {name: name for name in known}
    return [
        spelled.get(student) or spelled.get(unicodedata.normalize("NFC", student), student)
        for student in students
    ]


def _identity(origin: Origin | None) -> str | None:
    """Return what identifies a student in a platform's exports, None where that is not certain."""
    if origin is None or platform_of(origin).is_ambiguous(origin.name):
        return None
    identity = platform_of(origin).identity_in_exports(origin)
    # Where bytes of a name were no text, two names may look alike.
    return f"{origin.source} {identity}" if identity and "?" not in identity else None


def _misplaced(course: Course) -> tuple[str, ...]:
    """Name the notebooks in submitted/ that are in no folder of an assignment."""
    released = [folder.name for folder in (course.folder / "release").glob("*")]
    assignments = {course.stem, *released, *chapter_stems()}
    return tuple(submissions.misplaced_notebooks(course.folder, assignments))


def _objection(where: Path, found: Sequence[Submission], course: Course) -> str:
    """Say that most notebooks of an export belong to another assignment, "" if they do not."""
    ours = answer_ids(course.released.encode())
    notebooks = [one.content for one in found if not one.rejected]
    others = [content for content in notebooks if is_of_another_assignment(content, ours)]
    if 2 * len(others) <= len(notebooks):
        return ""
    ids = [{name.decode(errors="replace") for name in answer_ids(content)} for content in others]
    ((known, _),) = Counter(map(chapter_with, ids)).most_common(1)
    return (
        f"{len(others)} of the {len(notebooks)} notebooks in {where} belong to another assignment"
        + (f", {known}" if known else "")
        + f", and not to {course.stem}"
    )


def _in_submitted(course: Course, inbox: Collection[Submission]) -> dict[str, Submission]:
    """Return, by student, the files in submitted/ that may stay although an export has another.

    They are read, because what a run has copied there need not be in the journal.
    """
    students = {one.student for one in inbox}
    found = submissions.read_submitted(course.folder, course.stem, course.released, students)
    return {one.student: one for one in found if not one.rejected}


def _is_outdated(standing: Result, digest: str, submission: Submission) -> bool:
    """Return whether a mark rests on something that has changed, and not the submission.

    When it was handed in, and what beside it, is a part of the submission.
    """
    has_mark = standing.digest != "" and standing.status in (*SETTLED, Status.NEEDS_REVIEW)
    is_same = (
        is_same_file(submission, standing)
        and submission.submitted_at == standing.submitted_at
        and submission.others == standing.others
        and submission.late == (Flag.LATE in standing.flags)
        and submission.time_unread == (Flag.TIME_UNREAD in standing.flags)
    )
    return has_mark and is_same and standing.digest != digest
