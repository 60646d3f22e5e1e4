"""Grades a class: one coordinator hands submissions to workers and alone writes what they bring."""

import contextlib
import hashlib
import itertools
import logging
import os
import signal
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from multiprocessing import resource_tracker
from pathlib import Path

import dask
import distributed
import nbformat

from autograder import report, submissions, worker
from autograder.chapters import ROOT, CourseError, load_chapter
from autograder.gradebook import CourseGradebook, GradebookAway
from autograder.journal import Journal
from autograder.results import Flag, Outcome, Status
from autograder.sandbox import Limits, sandbox_available
from autograder.warm_kernel import Zygote, ZygoteError

# Keras on one thread a kernel: as many kernels run at once as there are cores.
WORKER_ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "-1",
}
GRADEBOOK_TRIES = 5
SECONDS_TO_A_WORKER = 30
# To start a kernel keeps a zygote busy for a fiftieth of a second, and a worker wants two a second.
WORKERS_TO_A_ZYGOTE = 16


@dataclass
class Run:
    """What a run did: every newest result of the class, and what is left to say about it.

    ``failed`` names the students whose grading itself went wrong, with the reason: the next run
    tries them again.
    """

    assignment: str
    results: list = field(default_factory=list)
    graded: int = 0
    unchanged: int = 0
    away: str = ""
    failed: dict = field(default_factory=dict)
    seconds: float = 0.0
    workers: int = 0
    sandboxed: bool = True
    started: str = ""
    report: Path | None = None

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
    progress=None,
):
    """Grade an assignment of a course folder and return the `Run`.

    ``students`` limits it to some, ``exported`` takes the submissions from a folder or zip that a
    learning platform wrote, ``scheduler`` is the address of a dask scheduler to work on instead of
    this machine's cores. A submission that has not changed since it was graded is kept as it is,
    unless ``regrade``. Problems that a person can solve raise `CourseError`; whatever was graded
    until then is safe.
    """
    started = time.perf_counter()
    course = Path(course)
    chapter = load_chapter(assignment)
    released = _released(course, assignment)
    # Behind a scheduler the sandbox is the workers' machines' affair: each refuses for itself.
    refusal = sandbox_available() if sandboxed and scheduler is None else None
    if refusal:
        raise CourseError(refusal)
    inbox = _inbox(course, assignment, students, exported, released)
    run = Run(assignment, sandboxed=sandboxed, started=_now())
    with _disk_errors(course), contextlib.closing(Journal(course, assignment)) as journal:
        store = _Store(course, chapter, journal, gradebook_url, book_url)
        source = _source_digest(released, chapter, sandboxed)
        tasks = []
        for submission in inbox:
            identity = source + submission.student + submission.digest
            digest = hashlib.sha256(identity.encode()).hexdigest()
            if not regrade and journal.stored_digest(submission.student) == digest:
                run.unchanged += 1
                continue
            tasks.append(
                worker.Task(submission, assignment, released, digest, limits or Limits(), sandboxed)
            )
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
            with contextlib.closing(_graded(tasks, scheduler, workers, run)) as results:
                for result in results:
                    if not result.digest:
                        run.failed[result.student] = result.reason
                    journal.add(result)
                    store.put(result)
                    run.graded += 1
                    progress.graded(result)
            run.seconds = time.perf_counter() - started
            store.write_reports(run)
    return run


def report_course(course, assignment, *, gradebook_url=None, book_url=None):
    """Write the reports and feedback of an assignment anew, with what people entered by hand.

    Returns the `Run`, in which nothing was graded. Raises `CourseError` when nothing has been.
    """
    course = Path(course)
    chapter = load_chapter(assignment)
    _released(course, assignment)
    with _disk_errors(course), contextlib.closing(Journal(course, assignment)) as journal:
        run = Run(assignment, started=_now(), unchanged=len(journal.latest()))
        if not run.unchanged:
            raise CourseError(
                f"nothing of {assignment} has been graded in {course}; "
                f"`autograder grade {course} {assignment}` does it"
            )
        with contextlib.closing(_Store(course, chapter, journal, gradebook_url, book_url)) as store:
            for result in journal.pending():
                store.put(result)
            store.write_reports(run, every_page=True)
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
        except submissions.Rejected as rejected:
            raise CourseError(f"{exported}: {rejected.reason}") from rejected
        found = [one for one in found if students is None or one.student in students]
        where = exported
    else:
        found = submissions.submitted(course, assignment, students)
        where = course / "submitted"
    missing = sorted(set(students or []) - {one.student for one in found})
    if missing:
        raise CourseError(f"no submission of {', '.join(missing)} for {assignment} in {where}")
    if not found:
        raise CourseError(f"there is no submission for {assignment} in {where}")
    return found


def _source_digest(released, chapter, sandboxed):
    """Identify what a mark depends on beside the submission: notebook, checks, sandbox."""
    digest = hashlib.sha256(released.encode())
    rooms = ("coursekit/checks", "autograder/hidden", "solutions", "solutions/variants")
    files = [f"{room}/{name}.py" for room in rooms for name in (chapter.stem, "__init__")]
    files += ["coursekit/checks/exchange.py", "autograder/submissions.py", "autograder/worker.py"]
    for path in (ROOT / file for file in files):
        digest.update(path.read_bytes() if path.exists() else b"")
    digest.update(str(sandboxed).encode())
    return digest.hexdigest()


# --- workers ---------------------------------------------------------------------------------


def _graded(tasks, scheduler, workers, run):
    """Yield results as workers bring them; a worker that is lost has its task tried again."""
    if not tasks:
        return
    with _client(scheduler, workers, tasks) as (client, zygotes):
        run.workers = len(client.scheduler_info()["workers"])
        pairs = zip(tasks, itertools.cycle(zygotes), strict=False)
        tasks = [replace(task, zygote=zygote) for task, zygote in pairs]
        futures = {client.submit(worker.grade, task, pure=False, retries=1): task for task in tasks}
        for future in distributed.as_completed(list(futures), loop=client.loop):
            task = futures.pop(future)
            try:
                error = future.exception()
            except CancelledError as cancelled:
                raise CourseError(
                    "the dask scheduler was lost; give the same command again when it is back, "
                    "what was graded until now is kept"
                ) from cancelled
            if isinstance(error, ZygoteError):  # no sandbox there: true of every submission
                raise CourseError(str(error)) from error
            yield future.result() if error is None else _ungraded(task, error)
            future.release()


def _ungraded(task, error):
    """Return the result of a submission whose grading itself failed: to be looked at, no points."""
    reason = f"grading it failed: {type(error).__name__}: {error}".splitlines()[0][:300]
    chapter = load_chapter(task.assignment)
    # Without a digest it is no answer to this submission: the next run grades it again.
    task = replace(task, digest="")
    return worker.unread(task, chapter, Status.NEEDS_REVIEW, reason, Outcome.NOT_GRADED)


@contextlib.contextmanager
def _client(scheduler, workers, tasks):
    """Yield a dask client and where the zygotes run that its workers share, if on this machine."""
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout="10s", set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise CourseError(f"no dask scheduler answers at {scheduler}") from error
        with client:
            try:
                client.wait_for_workers(1, timeout=SECONDS_TO_A_WORKER)
            except TimeoutError as error:
                raise CourseError(
                    f"the dask scheduler at {scheduler} has no workers; start some"
                ) from error
            yield client, [None]
        return
    count = min(workers or os.cpu_count() or 1, len(tasks))
    with contextlib.ExitStack() as stack:
        zygotes = [
            stack.enter_context(contextlib.closing(Zygote(tasks[0].limits, tasks[0].sandboxed)))
            for _ in range(0, count, WORKERS_TO_A_ZYGOTE)
        ]
        # They take seconds, and so does the cluster: all start side by side.
        starter = stack.enter_context(ThreadPoolExecutor(len(zygotes)))
        starts = [starter.submit(zygote.start) for zygote in zygotes]
        # One task at a worker: when it is lost, no other submission is blamed for it.
        stack.enter_context(dask.config.set({"distributed.scheduler.worker-saturation": 1.0}))
        with _out_of_reach():
            cluster = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=count,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                    env=WORKER_ENVIRONMENT,
                    preload=["autograder.worker"],
                )
            )
        client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        try:
            for start in starts:
                start.result()
        except ZygoteError as error:
            raise CourseError(str(error)) from error
        yield client, [zygote.directory for zygote in zygotes]


@contextlib.contextmanager
def _out_of_reach():
    """Keep Ctrl-C from the processes that are started: who starts them is the one to end them."""
    resource_tracker.ensure_running()  # to start it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- writing -----------------------------------------------------------------------------------


class _Store:
    """Puts a result where people look: the executed notebook, the gradebook, the feedback."""

    def __init__(self, course, chapter, journal, gradebook_url, book_url):
        self._course = course
        self._chapter = chapter
        self._journal = journal
        self._url = gradebook_url
        self._book_url = book_url
        self._gradebook = None
        self._before = {s: result.digest for s, result in journal.latest().items()}
        self.away = ""
        self.failed = {}
        try:
            self._open()
        except GradebookAway as error:
            self.away = str(error)

    def close(self):
        if self._gradebook:
            self._gradebook.close()

    def missing(self):
        """List the stored results whose marks are not in the gradebook, for another is there."""
        if self.away:
            return []
        recorded = self._gradebook.marks(self._chapter.stem)
        return [
            replace(result, notebook=self._executed(result))
            for student, result in sorted(self._journal.latest().items())
            if {e.check_id: e.points for e in result.exercises} != recorded.get(student)
        ]

    def _open(self):
        self._gradebook = CourseGradebook(self._course, self._url)
        self._gradebook.check_assignment(self._chapter)

    def put(self, result):
        """Store a journalled result; when the gradebook is away it stays pending in the journal."""
        if not self.away:
            with self._one_alone(result):
                self._put(result)

    @contextlib.contextmanager
    def _one_alone(self, result):
        """Let what is wrong with one result, whatever it is, end nothing for the others."""
        try:
            yield
        except (CourseError, OSError):  # these are not about the result
            raise
        except Exception as error:
            reason = f"its result cannot be stored: {type(error).__name__}: {error}"
            self.failed[result.student] = reason.splitlines()[0][:300]

    def _put(self, result):
        keep_manual = self._before.get(result.student) == result.digest
        for attempt in range(GRADEBOOK_TRIES):
            try:
                if self._gradebook.write(result, keep_manual):
                    result.flags.append(Flag.MANUAL_MARK_DROPPED)
                break
            except GradebookAway as error:
                if attempt == GRADEBOOK_TRIES - 1:
                    self.away = str(error)
                    return
                time.sleep(0.2 * 2**attempt)
        if result.notebook:
            self._write("autograded", result, "assignment.ipynb", result.notebook)
        else:  # nothing was executed: an earlier notebook would pass for this submission's
            folder = self._course / "autograded" / result.student / result.assignment
            (folder / "assignment.ipynb").unlink(missing_ok=True)
        self._write_feedback(result)
        self._journal.mark_stored(result)

    def _write_feedback(self, result):
        page = report.feedback_html(result, self._book_url)
        self._write("feedback", result, "assignment.html", page)

    def _executed(self, result):
        path = self._course / "autograded" / result.student / result.assignment / "assignment.ipynb"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def _write(self, folder, result, name, text):
        path = self._course / folder / result.student / result.assignment / name
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)

    def write_reports(self, run, every_page=False):
        """Write the class's reports and anew the page of whom people marked by hand, or all."""
        by_hand = {}
        if not self.away:
            try:
                by_hand = self._gradebook.by_hand(run.assignment)
            except GradebookAway as error:
                self.away = str(error)
        for student, result in sorted(self._journal.latest().items()):
            if student in by_hand:
                result = result.marked(by_hand[student])
            if student in by_hand or every_page:
                with self._one_alone(result):
                    self._write_feedback(replace(result, notebook=self._executed(result)))
            run.results.append(result)
        run.away = self.away
        run.failed |= self.failed
        folder = self._course / "reports"
        folder.mkdir(exist_ok=True)
        page = report.class_report_html(run.results, self._chapter, run)
        marks = report.marks_csv(run.results)
        (folder / f"{run.assignment}.html").write_text(page, encoding="utf-8")
        (folder / f"{run.assignment}.csv").write_text(marks, encoding="utf-8", newline="")
        run.report = folder / f"{run.assignment}.html"


@contextlib.contextmanager
def _disk_errors(course):
    """Turn a full disk, or a file in the way, into the one line that says what to do."""
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(course)
        raise CourseError(
            f"cannot work in {course}: {(error.strerror or str(error)).lower()} ({where}); mend "
            "that and give the same command again, what was graded until now is kept"
        ) from error
