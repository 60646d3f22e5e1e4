"""Grades a class: one coordinator hands submissions to workers and alone writes what they bring."""

import contextlib
import hashlib
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

import nbformat

from autograder.course.chapters import CourseError, suggestion
from autograder.course.notebook_assignment import load_assignment
from autograder.grading import cluster
from autograder.grading.digest import source_digest
from autograder.grading.errors import ErrorLog
from autograder.grading.journal import Journal
from autograder.grading.task import Task
from autograder.intake import submissions
from autograder.intake.entries import Rejected
from autograder.intake.roster import read_roster
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import sandbox_available


@dataclass
class Run:
    """What a run did: every newest result of the class, and what is left to say about it.

    ``failed`` names the students whose grading itself went wrong, with the reason, and ``unstored``
    those whose result could not be stored: the next run tries them again. ``older`` names those
    whose submission was left ungraded, because a newer one has its mark. ``missing`` and
    ``unknown`` compare the class with a list of it, if one was given. ``earlier_marks`` are the
    tables for platforms that were not written again, because no list was given.
    """

    assignment: str
    results: list = field(default_factory=list)
    graded: int = 0
    unchanged: int = 0
    gradebook_error: str = ""
    failed: dict = field(default_factory=dict)
    unstored: dict = field(default_factory=dict)
    older: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    unknown: list = field(default_factory=list)
    seconds: float = 0.0
    workers: int = 0
    sandboxed: bool = True
    started: str = ""
    report: Path | None = None
    platform_marks: Path | None = None
    platform_feedback: list = field(default_factory=list)
    earlier_marks: list = field(default_factory=list)
    log: Path | None = None

    @property
    def per_minute(self):
        """Submissions graded a minute, start-up of the workers included."""
        return 60 * self.graded / self.seconds if self.seconds else 0.0


class Progress:
    """What a run tells while it goes on; the command line shows it as a bar."""

    def begin(self, total):
        pass

    def graded(self, result):
        pass


def grade_course(
    course,
    assignment,
    *,
    students=None,
    exported=None,
    scheduler=None,
    workers=None,
    gradebook_url=None,
    limits=None,
    sandboxed=True,
    regrade=False,
    allow_older=False,
    book_url=None,
    roster=None,
    progress=None,
):
    """Grade an assignment of a course folder and return the `Run`.

    ``students`` limits it to some, ``exported`` takes the submissions from a folder or zip that a
    learning platform wrote, ``scheduler`` is the address of a dask scheduler to work on instead of
    this machine's cores. A submission that has not changed since it was graded is kept as it is,
    unless ``regrade``; so is the mark of one that is newer than what comes in now, unless
    ``allow_older``. ``roster`` is the file with the list of the class. Problems that a person
    can solve raise `CourseError`; whatever was graded until then is safe.
    """
    started = time.perf_counter()
    course, limits = Path(course), limits or Limits()
    chapter = load_assignment(course, assignment)
    released = released_notebook(course, chapter)
    # Behind a scheduler the sandbox is the workers' machines' affair: each refuses for itself.
    refusal = sandbox_available() if sandboxed and scheduler is None else None
    if refusal:
        raise CourseError(refusal)
    roster = roster and _roster(roster, chapter)
    inbox = _inbox(course, assignment, students, exported, released)
    if roster:
        roster.require_names([submission.student for submission in inbox])
    run = Run(assignment, sandboxed=sandboxed, started=_now())
    log = ErrorLog(course)
    with (
        disk_errors(course),
        contextlib.closing(Journal(course, assignment)) as journal,
        log.one_line(),
    ):
        own = own_part(chapter, sandboxed)
        source = source_digest(released, assignment, limits, sandboxed, own)
        # What an interrupted run graded and could not store any more.
        pending = {result.digest for result in journal.pending()}
        tasks, standing = [], journal.latest()
        for submission in inbox:
            known = standing.get(submission.student)
            submission.origin = _origin(submission, known, roster)
            if not allow_older and _is_older(submission, known):
                run.older.append(submission.student)
                continue
            if exported is not None:
                submissions.keep(course, assignment, submission, chapter.notebook)
            digest = submission_digest(source, submission)
            if not regrade and journal.is_unchanged(submission.student, digest):
                run.unchanged += 1
                if submission.origin != known.origin:
                    journal.note_origin(submission.student, submission.origin)
                continue
            if digest not in pending:
                task = Task(submission, assignment, released, digest, limits, sandboxed, own=own)
                tasks.append(task)
        progress = progress or Progress()
        progress.begin(len(tasks))
        with (
            cluster.preparing(tasks, scheduler, workers) as begin_grading,
            _opened_store(course, chapter, journal, gradebook_url, book_url) as store,
            begin_grading() as grading,
        ):
            run.workers = grading.workers
            for result in journal.pending():
                store.put(result)
            # What an earlier run stored in a gradebook that is not this one any more.
            for result in store.missing():
                store.put(result)
            for result in grading.results():
                if not result.digest:
                    run.failed[result.student] = result.reason
                if result.log:
                    log.add(f"the submission of {result.student}", result.log)
                journal.add(result)
                store.put(result)
                run.graded += 1
                progress.graded(result)
            run.seconds = time.perf_counter() - started
            store.write_reports(run, roster)
    return run


def _opened_store(*arguments):
    # It imports nbgrader, which takes as long as the start of workers that goes on meanwhile.
    from autograder.grading.store import Store

    return contextlib.closing(Store(*arguments))


@dataclass
class Preview:
    """What grading would do: names of students, and for what cannot be read the reason."""

    to_grade: list = field(default_factory=list)
    unchanged: list = field(default_factory=list)
    older: list = field(default_factory=list)
    rejected: dict = field(default_factory=dict)
    missing: list = field(default_factory=list)
    unknown: list = field(default_factory=list)


def preview_course(
    course,
    assignment,
    *,
    students=None,
    exported=None,
    sandboxed=True,
    regrade=False,
    allow_older=False,
    roster=None,
):
    """Return the `Preview` of `grade_course` with the same arguments; nothing is graded."""
    course = Path(course)
    chapter = load_assignment(course, assignment)
    released = released_notebook(course, chapter)
    roster = roster and _roster(roster, chapter)
    inbox = _inbox(course, assignment, students, exported, released)
    if roster:
        roster.require_names([submission.student for submission in inbox])
    preview = Preview()
    with disk_errors(course), contextlib.closing(Journal(course, assignment)) as journal:
        own = own_part(chapter, sandboxed)
        source = source_digest(released, assignment, Limits(), sandboxed, own)
        standing = journal.latest()
        for submission in inbox:
            known = standing.get(submission.student)
            submission.origin = _origin(submission, known, roster)
            unchanged = journal.is_unchanged(
                submission.student, submission_digest(source, submission)
            )
            if not allow_older and _is_older(submission, known):
                preview.older.append(submission.student)
            elif unchanged and not regrade:
                preview.unchanged.append(submission.student)
            elif submission.rejected:
                preview.rejected[submission.student] = submission.rejected.reason
            else:
                preview.to_grade.append(submission.student)
        students = {*standing, *(submission.student for submission in inbox)}
    if roster:
        preview.missing, preview.unknown = roster.without(students), roster.unknown(students)
    return preview


def _origin(submission, standing, roster):
    """Return where a submission came from, with what the list of the class and the last run know.

    The same file again, with less said of it, is that of the last run: an export's files are in
    submitted/ now.
    """
    origin = submission.origin
    if origin and origin.source == "Moodle" and roster:
        origin = origin._replace(attempt=roster.handed_in(submission.student))
    before = standing and standing.submission_digest == submission.digest and standing.origin
    if before and (origin is None or origin == before._replace(attempt="")):
        return before
    return origin


def _is_older(submission, standing):
    if standing is None or submission.origin is None or standing.origin is None:
        return False
    return submission.origin.is_older(standing.origin)


def submission_digest(source, submission):
    """Return what identifies a submission together with all that its mark rests on."""
    identity = source + submission.student + submission.digest
    return hashlib.sha256(identity.encode()).hexdigest()


def _roster(path, chapter):
    """Read a list of the class, and see that the platform expects as many points as there are."""
    roster = read_roster(path)
    points = sum(exercise.points for exercise in chapter.exercises)
    if roster.worksheet and roster.worksheet.maximum in roster.header:
        place = roster.header.index(roster.worksheet.maximum)
        for person in roster.people.values():
            if not _is_number(person.row[place], points):
                raise CourseError(
                    f"Moodle's maximum grade is {person.row[place]}, but {chapter.stem} has "
                    f"{points:g} points; set {points:g} in Moodle and download the worksheet again"
                )
    return roster


def _is_number(text, value):
    try:
        return float(text.replace(",", ".")) == value
    except ValueError:
        return False


def report_course(course, assignment, *, gradebook_url=None, book_url=None, roster=None):
    """Write the reports and feedback of an assignment again, with what people entered by hand.

    Returns the `Run`, in which nothing was graded. Raises `CourseError` when nothing has been.
    """
    course = Path(course)
    chapter = load_assignment(course, assignment)
    released_notebook(course, chapter)
    roster = roster and _roster(roster, chapter)
    with (
        disk_errors(course),
        contextlib.closing(Journal(course, assignment)) as journal,
        ErrorLog(course).one_line(),
    ):
        run = Run(assignment, started=_now(), unchanged=len(journal.latest()))
        if not run.unchanged:
            raise CourseError(
                f"nothing of {assignment} has been graded in {course}; "
                f"`autograder grade {course} {assignment}` does it"
            )
        if roster:
            roster.require_names(journal.latest())
        with _opened_store(course, chapter, journal, gradebook_url, book_url) as store:
            for result in journal.pending():
                store.put(result)
            store.write_reports(run, roster, every_page=True)
    return run


def _now():
    return f"{datetime.now(timezone.utc):%F %H:%M} UTC"


def own_part(assignment, sandboxed):
    """Return an `OwnAssignment` for the workers, None for a chapter, which they load themselves."""
    if assignment.judged_outside:
        return None
    if assignment.files and not sandboxed:
        raise CourseError(
            f"{assignment.stem} has files beside its notebook, which are laid out in the sandbox; "
            "it cannot be graded without one"
        )
    return assignment


def released_notebook(course, assignment):
    """Return the text of the notebook that students were given."""
    stem = assignment.stem
    path = course / "release" / stem / f"{assignment.notebook}.ipynb"
    try:
        text = path.read_text(encoding="utf-8")
        nbformat.reads(text, as_version=4)
    except FileNotFoundError as error:
        release = f"autograder release {stem} --course {course}"
        if not assignment.judged_outside:
            release = f"nbgrader generate_assignment {stem}"
        raise CourseError(f"{path} is missing; `{release}` makes it") from error
    except (ValueError, nbformat.ValidationError) as error:
        raise CourseError(f"{path} is no notebook; release the assignment again") from error
    return text


def _inbox(course, assignment, students, exported, released):
    if exported is not None:
        if not Path(exported).exists():
            raise CourseError(f"there is no folder or zip {exported} to take submissions from")
        try:
            found = submissions.exported(exported, released)
        except Rejected as rejected:
            raise CourseError(f"{exported}: {rejected.reason}") from rejected
        known = [one.student for one in found]
        found = [one for one in found if students is None or one.student in students]
        where = exported
    else:
        found = submissions.submitted(course, assignment, students)
        where = course / "submitted"
        known = sorted(folder.name for folder in where.glob("[!.]*"))
    missing = sorted(set(students or []) - {one.student for one in found})
    if missing:
        raise CourseError(
            f"no submission of {', '.join(missing)} for {assignment} in {where}"
            + suggestion(missing, known)
        )
    if not found:
        raise CourseError(f"there is no submission for {assignment} in {where}")
    return found


@contextlib.contextmanager
def disk_errors(course):
    """Turn a full disk, or a file in the way, into the one line that says what to do."""
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(course)
        raise CourseError(
            f"cannot work in {course}: {(error.strerror or str(error)).lower()} ({where}); fix "
            "this and run it again, what was graded until now is kept"
        ) from error
