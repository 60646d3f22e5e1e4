"""Grades one submission: runs its cells in a sandboxed kernel and forms the verdict outside it.

A worker is pure: the same task brings the same marks, and it writes nothing anywhere. The checks
run in this process; the student's functions live in another and are reached by stand-ins that send
and receive plain data.
"""

import contextlib
import importlib
import platform
import sys
import threading
import time
import types
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import nbformat

from autograder.checking.hidden_check import salted
from autograder.course.chapters import chapter_with
from autograder.course_error import CourseError
from autograder.grading.chapter_checks import ChapterGrading
from autograder.grading.digest import digest_of_files, imports_of_notebook
from autograder.grading.errors import describe_error, traceback_of
from autograder.grading.execution import ForkServerLost
from autograder.grading.notebook_tests import NotebookTestGrading
from autograder.grading.submission import SubmissionGrading
from autograder.grading.task import Task
from autograder.intake.entries import Rejected
from autograder.intake.rebuild import Rebuilt, rebuild
from autograder.kernels.kernel import ForkServerError, KernelStartError
from autograder.results import (
    NO_ANSWER,
    NO_ANSWER_CELL,
    ExerciseResult,
    Flag,
    Outcome,
    Result,
    Status,
)
from coursekit.checks import silenced

# A submission that loses its fork server, or whose kernel does not start, is graded once more.
TRIES = 2

_at_work = threading.Lock()


def grade(task: Task) -> Result:
    """Grade one submission and return its `Result`, whatever happens.

    Only where no submission can be graded an error is raised: `ForkServerError`, or `CourseError`
    when the repository there is not the coordinator's or the worker has several threads.
    """
    _require_same_files(task)
    # TensorFlow greets on stderr when the reference first uses it; a bar is being drawn there.
    sys.modules.setdefault("keras", ImportedWhenUsed("keras"))
    with _alone(), silenced(None), salted(task.digest):
        tries_left = TRIES
        while True:
            tries_left -= 1
            try:
                return _grade(task)
            except (ForkServerLost, KernelStartError) as error:
                if not tries_left:
                    return ungraded(task, error)
            except ForkServerError:
                raise
            except (Exception, SystemExit) as error:
                return ungraded(task, error)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Refuse a second submission at the same time: memory, modules and stderr are the process's."""
    if not _at_work.acquire(blocking=False):
        raise CourseError(
            f"the dask worker on {platform.node()} was given two submissions at once; "
            "start workers with --nthreads 1"
        )
    try:
        yield
    finally:
        _at_work.release()


class ImportedWhenUsed(types.ModuleType):
    """Stands for a module until something of it is used.

    References import Keras, which takes as long as grading several submissions, and most checks
    never call what needs it.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # those who look through all modules
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def _require_same_files(task: Task) -> None:
    """Refuse to grade with other checks than those that the mark would be said to rest on."""
    if not task.files_digest:
        return
    notebooks = task.released.encode(), task.submission.content
    imports = frozenset().union(*map(imports_of_notebook, notebooks))
    is_chapter = task.notebook_assignment is None
    if _own_files_digest(task.assignment, imports, is_chapter) != task.files_digest:
        raise CourseError(
            f"the worker on {platform.node()} has another version of this repository; "
            "bring it up to date and start the worker again"
        )


@cache  # also because what has been imported stays as it was, whatever the files say later
def _own_files_digest(stem: str, imports: frozenset[str], is_chapter: bool) -> str:
    return digest_of_files(stem, imports, is_chapter).hexdigest()


def _grade(task: Task) -> Result:
    started = time.perf_counter()
    try:
        if task.submission.rejected:
            raise task.submission.rejected
        rebuilt = rebuild(task.submission.content, nbformat.reads(task.released, as_version=4))
    except Rejected as rejected:
        result = result_without_run(
            task,
            rejected.status,
            rejected.reason,
            Outcome.NOT_GRADED,
            flags=tuple(rejected.flags),
        )
    else:
        if rebuilt.lacks_every_answer_cell:
            result = _not_the_assignment(task, rebuilt)
        elif rebuilt.answered:
            result = _grading(task, rebuilt).run()
        else:
            result = result_without_run(
                task,
                Status.NO_RESPONSE,
                NO_ANSWER,
                Outcome.NOT_WRITTEN,
                flags=tuple(rebuilt.flags),
                notebook=nbformat.writes(rebuilt.notebook),
            )
    if others := task.submission.others:
        result = result.flagged(Flag.OTHER_NOTEBOOK)
        named = f"not graded: {', '.join(others[:3])}" + (" and more" if others[3:] else "")
        reason = "; ".join(filter(None, (result.reason, named)))
        result = replace(result, reason=reason, others=others)
    if task.submission.late:
        result = result.flagged(Flag.LATE)
    if task.submission.time_unread:
        result = result.flagged(Flag.TIME_UNREAD)
    if not task.sandboxed:
        result = result.flagged(Flag.NO_SANDBOX)
    return replace(result, seconds=time.perf_counter() - started)


def result_without_run(
    task: Task, status: Status, reason: str, outcome: Outcome, **facts: Any
) -> Result:
    """Return the result of a submission that was not run: no points, and why."""
    exercises = tuple(
        ExerciseResult(e.id, e.check_id, e.title, 0.0, e.points, outcome)
        for e in task.definition.exercises
    )
    facts = {"digest": task.digest} | facts
    return Result(
        task.submission.student,
        task.assignment,
        status,
        reason,
        exercises,
        submitted_at=task.submission.submitted_at,
        submission_digest=task.submission.digest,
        origin=task.submission.origin,
        **facts,
    )


def _not_the_assignment(task: Task, rebuilt: Rebuilt) -> Result:
    """Return the result of a notebook with none of the answer cells, such as that of a lesson.

    It is not run: whatever is in it, nothing can be graded, and a lesson would train its networks.
    """
    reason, flags = NO_ANSWER_CELL, rebuilt.flags
    if other := chapter_with(rebuilt.strangers):
        reason = f"this is the notebook of another assignment, {other}"
        flags += (Flag.OTHER_ASSIGNMENT,)
    notebook = nbformat.writes(rebuilt.notebook)
    outcome = Outcome.NOT_GRADED
    return result_without_run(
        task, Status.NEEDS_REVIEW, reason, outcome, flags=flags, notebook=notebook
    )


def ungraded(task: Task, error: BaseException) -> Result:
    """Return the result of a submission whose grading itself failed: to be looked at, no points."""
    return result_without_run(
        task,
        Status.NEEDS_REVIEW,
        f"grading it failed: {describe_error(error)}",
        Outcome.NOT_GRADED,
        # Without a digest it does not count for this submission: the next run grades it again.
        digest="",
        # Of a long chain of errors the last one, where it arose.
        log=traceback_of(error, chain=False),
    )


def _grading(task: Task, rebuilt: Rebuilt) -> SubmissionGrading:
    """Return what grades the submission of a task, which depends on where its checks run."""
    if assignment := task.notebook_assignment:
        return NotebookTestGrading(task, rebuilt, assignment)
    return ChapterGrading(task, rebuilt)
