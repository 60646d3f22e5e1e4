"""Grades a class: one coordinator hands submissions to workers and alone writes what they bring."""

import contextlib
import difflib
import hashlib
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

import nbformat

from autograder.course.chapters import CourseError, load_chapter
from autograder.grading.cluster import graded_results
from autograder.grading.digest import source_digest
from autograder.grading.errors import ErrorLog
from autograder.grading.journal import Journal
from autograder.grading.store import Store
from autograder.grading.worker import Task
from autograder.intake import submissions
from autograder.intake.entries import Rejected
from autograder.intake.roster import read_roster
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import sandbox_available


@dataclass
class Run:
    """What a run did: every newest result of the class, and what is left to say about it.

    ``failed`` names the students whose grading itself went wrong, with the reason, and ``unstored``
    those whose result could not be stored: the next run tries them again. ``missing`` and
    ``unknown`` compare the class with a list of it, if one was given.
    """

    assignment: str
    results: list = field(default_factory=list)
    graded: int = 0
    unchanged: int = 0
    gradebook_error: str = ""
    failed: dict = field(default_factory=dict)
    unstored: dict = field(default_factory=dict)
    missing: list = field(default_factory=list)
    unknown: list = field(default_factory=list)
    seconds: float = 0.0
    workers: int = 0
    sandboxed: bool = True
    started: str = ""
    report: Path | None = None
    platform_marks: Path | None = None
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
    book_url=None,
    roster=None,
    progress=None,
):
    """Grade an assignment of a course folder and return the `Run`.

    ``students`` limits it to some, ``exported`` takes the submissions from a folder or zip that a
    learning platform wrote, ``scheduler`` is the address of a dask scheduler to work on instead of
    this machine's cores. A submission that has not changed since it was graded is kept as it is,
    unless ``regrade``. ``roster`` is the file with the list of the class. Problems that a person
    can solve raise `CourseError`; whatever was graded until then is safe.
    """
    started = time.perf_counter()
    course, limits = Path(course), limits or Limits()
    chapter = load_chapter(assignment)
    released = _released(course, assignment)
    # Behind a scheduler the sandbox is the workers' machines' affair: each refuses for itself.
    refusal = sandbox_available() if sandboxed and scheduler is None else None
    if refusal:
        raise CourseError(refusal)
    roster = roster and _roster(roster, chapter)
    inbox = _inbox(course, assignment, students, exported, released)
    run = Run(assignment, sandboxed=sandboxed, started=_now())
    log = ErrorLog(course)
    with (
        disk_errors(course),
        contextlib.closing(Journal(course, assignment)) as journal,
        log.one_line(),
    ):
        store = Store(course, chapter, journal, gradebook_url, book_url)
        source = source_digest(released, assignment, limits, sandboxed)
        tasks = []
        for submission in inbox:
            if exported is not None:
                submissions.keep(course, assignment, submission)
            digest = _digest(source, submission)
            if not regrade and journal.is_unchanged(submission.student, digest):
                run.unchanged += 1
                continue
            tasks.append(Task(submission, assignment, released, digest, limits, sandboxed))
        with contextlib.closing(store):
            # What an interrupted run graded and could not store any more.
            regraded = {task.digest for task in tasks}
            for result in journal.pending():
                if result.digest in regraded:
                    tasks = [task for task in tasks if task.digest != result.digest]
                store.put(result)
            # What an earlier run stored in a gradebook that is not this one any more.
            for result in store.missing():
                store.put(result)
            progress = progress or Progress()
            progress.begin(len(tasks))
            with contextlib.closing(graded_results(tasks, scheduler, workers, run)) as results:
                for result in results:
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


@dataclass
class Preview:
    """What grading would do: names of students, and for what cannot be read the reason."""

    to_grade: list = field(default_factory=list)
    unchanged: list = field(default_factory=list)
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
    roster=None,
):
    """Return the `Preview` of `grade_course` with the same arguments; nothing is graded."""
    course = Path(course)
    chapter = load_chapter(assignment)
    released = _released(course, assignment)
    roster = roster and _roster(roster, chapter)
    inbox = _inbox(course, assignment, students, exported, released)
    preview = Preview()
    with disk_errors(course), contextlib.closing(Journal(course, assignment)) as journal:
        source = source_digest(released, assignment, Limits(), sandboxed)
        for submission in inbox:
            unchanged = journal.is_unchanged(submission.student, _digest(source, submission))
            if unchanged and not regrade:
                preview.unchanged.append(submission.student)
            elif submission.rejected:
                preview.rejected[submission.student] = submission.rejected.reason
            else:
                preview.to_grade.append(submission.student)
        known = {*journal.latest(), *(submission.student for submission in inbox)}
    if roster:
        preview.missing, preview.unknown = roster.without(known), roster.unknown(known)
    return preview


def _digest(source, submission):
    identity = source + submission.student + submission.digest
    return hashlib.sha256(identity.encode()).hexdigest()


def _roster(path, chapter):
    """Read a list of the class, and see that the platform expects as many points as there are."""
    roster = read_roster(path)
    points = sum(exercise.points for exercise in chapter.exercises)
    if roster.platform == "Moodle" and "Maximum Grade" in roster.header:
        place = roster.header.index("Maximum Grade")
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
    chapter = load_chapter(assignment)
    _released(course, assignment)
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
        with contextlib.closing(Store(course, chapter, journal, gradebook_url, book_url)) as store:
            for result in journal.pending():
                store.put(result)
            store.write_reports(run, roster, every_page=True)
    return run


def _now():
    return f"{datetime.now(timezone.utc):%F %H:%M} UTC"


def _released(course, assignment):
    """Return the text of the notebook that students were given."""
    if not course.is_dir():
        raise CourseError(
            f"there is no course folder {course}; `autograder release --course` makes it"
        )
    path = course / "release" / assignment / "assignment.ipynb"
    try:
        text = path.read_text(encoding="utf-8")
        nbformat.reads(text, as_version=4)
    except FileNotFoundError as error:
        raise CourseError(
            f"{path} is missing; `autograder release {assignment} --course {course}` makes it"
        ) from error
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


def suggestion(names, known):
    """Name the known students who are called nearly as the unknown ones."""
    similar = {other for name in names for other in difflib.get_close_matches(name, known, n=2)}
    # A student with another assignment's submission is known and not meant otherwise.
    similar -= set(names)
    return f"; did you mean {' or '.join(sorted(similar))}?" if similar else ""


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
