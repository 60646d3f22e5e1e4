"""What an instructor wants to know of a class: scores, mistakes, what waits for a decision."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

import numpy as np

from autograder.course.assignment import Assignment, GradedExercise
from autograder.reports.changes import MarkChange
from autograder.reports.pages import render
from autograder.reports.similarity import similar_pairs
from autograder.reports.text import shortened
from autograder.reports.words import OUTCOMES, REASON_LIMIT
from autograder.results import SETTLED, ExerciseResult, Flag, Outcome, Result
from coursekit.checks.wording import COMPARED


@dataclass(frozen=True, kw_only=True)
class Attendance:
    """Who has handed in, and whose submission does not count.

    ``older`` names those who have handed in something newer than what is given now; ``missing`` and
    ``unknown`` compare the class with a list of it, if one was given, and ``misplaced`` are
    notebooks that lie where nobody grades them.
    """

    older: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    misplaced: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anybody is named."""
        return bool(self.older or self.missing or self.unknown or self.misplaced)


@dataclass(frozen=True)
class RunFacts:
    """What a class report says of the run that wrote it.

    ``graded`` counts the submissions that were graded, in ``seconds``, start-up of the ``workers``
    included. ``due`` is the due date in UTC, without a zone, None where none is set.
    """

    started: str
    graded: int = 0
    seconds: float = 0.0
    workers: int = 0
    sandboxed: bool = True
    attendance: Attendance = Attendance()
    due: datetime | None = None

    @property
    def per_minute(self) -> float:
        """Submissions graded a minute."""
        return 60 * self.graded / self.seconds if self.seconds else 0.0


def now() -> str:
    """Return the time as reports write it."""
    return f"{datetime.now(timezone.utc):%F %H:%M} UTC"


def due_words(due: datetime | None) -> str:
    """Say when an assignment is due, in the time of this machine and in UTC; "" without a date."""
    if due is None:
        return ""
    here = due.replace(tzinfo=timezone.utc).astimezone()
    if not here.utcoffset():
        return f"{due:%F %H:%M} UTC"
    return f"{here:%F %H:%M} here ({due:%F %H:%M} UTC)"


def _feedback_link(result: Result, notebook: str) -> str:
    """Return the way from the class report to a student's page for a notebook of that name."""
    student, assignment = (
        quote(name, safe="", errors="replace") for name in (result.student, result.assignment)
    )
    return f"../feedback/{student}/{assignment}/{quote(notebook, safe='')}.html"


def class_report_html(
    results: Iterable[Result],
    assignment: Assignment,
    run: RunFacts,
    *,
    changes: Sequence[MarkChange],
    similarity_hints: bool,
    gradebook_error: str,
    names: Mapping[str, str] | None,
) -> str:
    """Return what an instructor wants to know of a class, as a self-contained page.

    ``changes`` are the marks that are not those of the last report. With ``similarity_hints`` pairs
    of students are named whose answers agree more than chance explains. ``gradebook_error`` says
    why nothing is known of marks by hand and of penalties, "" where they are in ``results``.
    ``names`` has the names of students in the list of the class, where they are known.
    Averages and shares are those of the submissions whose marks stand: graded, or handed in without
    an answer.
    """
    results = sorted(results, key=lambda result: result.student)
    links = {result.student: _feedback_link(result, assignment.notebook) for result in results}
    shown = {student: student for student in links}
    shown |= {student: f"{name} ({student})" for student, name in (names or {}).items()}
    settled = [result for result in results if result.status in SETTLED]
    exercises = [
        _exercise_facts(number, exercise, settled)
        for number, exercise in enumerate(assignment.exercises, start=1)
    ]
    points = [result.total for result in settled]
    full = assignment.points
    return render(
        "class_report.html.j2",
        title=assignment.title,
        run=run,
        checks_run_outside_kernel=assignment.checks_run_outside_kernel,
        rows=[_row(result) for result in results],
        changes=changes,
        gradebook_error=gradebook_error,
        pairs=similar_pairs(results) if similarity_hints else None,
        links=links,
        shown=shown,
        due=due_words(run.due),
        late=[result.student for result in results if result.seconds_late],
        memory=memory_words(results),
        unboxed=sum(Flag.NO_SANDBOX in result.flags for result in results),
        untested=sum(Flag.UNTESTED_IPYKERNEL in result.flags for result in results),
        settled=len(settled),
        full=full,
        mean=statistics.fmean(points) if points else None,
        median=statistics.median(points) if points else None,
        full_marks=sum(value >= full for value in points),
        distribution=_distribution(points, full),
        exercises=exercises,
        again=_to_go_through_again(exercises),
        mistakes=_mistakes(exercises),
        with_others=_rows(exercises, "failed_calls"),
        times=_times(results),
        slowest=sorted(results, key=lambda result: -result.seconds)[:5],
        typical_seconds=statistics.median(result.seconds for result in results) if results else 0,
    )


def memory_words(results: Sequence[Result]) -> str:
    """Say in a sentence what bounded the memory of the submissions, "" where none was run."""
    run = [r for r in results if r.execution_seconds and Flag.NO_SANDBOX not in r.flags]
    in_groups = sum(result.in_control_group for result in run)
    if not run:
        return ""
    if in_groups == len(run):
        return "Linux bounded the memory of each submission, in a control group of its own."
    some = f"{len(run) - in_groups} of {len(run)} submissions" if in_groups else "submissions"
    return (
        f"The memory limit of {some} was checked twice a second, because Linux’s control groups "
        "are not available here."
    )


# Flags that the notices at the top of the report count once.
FLAGS_ON_TOP = (Flag.NO_SANDBOX, Flag.UNTESTED_IPYKERNEL)
# The outcomes as the report counts them, in the order in which it draws them.
GROUPS = {
    "passed": ("passed", Outcome.PASSED),
    "failed": ("failed", Outcome.FAILED),
    "time": ("time limit", Outcome.TIME_LIMIT),
    "memory": ("memory limit", Outcome.MEMORY_LIMIT),
    "died": ("ended Python", Outcome.KERNEL_DIED),
    "empty": ("not written", Outcome.NOT_WRITTEN),
    "waiting": ("not graded", Outcome.NOT_GRADED),
    "by-hand": ("marked by hand", Outcome.BY_HAND),
}
# An exercise that fewer than this share of the class passed is worth another quarter of an hour.
PASSED_BY_MANY = 0.6


def _row(result: Result) -> dict[str, Any]:
    return {
        "student": result.student,
        "status": result.status.value.replace("_", " "),
        "settled": result.status in SETTLED,
        "points": result.total,
        "late": result.seconds_late,
        "seconds": result.seconds,
        # The notices on top of the page say these of all of them.
        "flags": [flag for flag in result.flags if flag not in FLAGS_ON_TOP],
        "reason": shortened(result.reason, REASON_LIMIT),
        "outcomes": [OUTCOMES[exercise.outcome] for exercise in result.exercises],
    }


def _exercise_facts(
    number: int, exercise: GradedExercise, settled: Sequence[Result]
) -> dict[str, Any]:
    """Count what became of one exercise."""
    verdicts = [
        (result, verdict)
        for result in settled
        for verdict in result.exercises
        if verdict.exercise == exercise.id
    ]
    counts = Counter(verdict.outcome for _, verdict in verdicts)
    groups, start = [], 0.0
    for kind, (words, outcome) in GROUPS.items():
        if count := counts[outcome]:
            width = 100 * count / len(verdicts)
            groups.append(
                {"kind": kind, "words": words, "count": count, "x": start, "width": width}
            )
            start += width
    failed = [pair for pair in verdicts if pair[1].outcome is Outcome.FAILED]
    return {
        "number": number,
        "title": exercise.title,
        "max_points": exercise.points,
        "total": len(verdicts),
        "passed": counts[Outcome.PASSED],
        "failed": len(failed),
        "hidden_only": sum(verdict.hidden for _, verdict in failed),
        "named": sum(bool(_known(verdict)) for _, verdict in failed),
        "mean": statistics.fmean(verdict.points for _, verdict in verdicts) if verdicts else None,
        "groups": groups,
        "mistakes": _grouped(failed, _known),
        "failed_calls": _grouped(failed, lambda verdict: verdict.failed_calls),
    }


def _grouped(
    failed: Sequence[tuple[Result, ExerciseResult]], text: Callable[[ExerciseResult], str]
) -> list[tuple[str, list[Result]]]:
    """Group those who failed an exercise by a text of their verdicts, where it is not empty."""
    students: dict[str, list[Result]] = {}
    for result, verdict in failed:
        if words := text(verdict):
            students.setdefault(words, []).append(result)
    return sorted(students.items(), key=lambda item: (-len(item[1]), item[0]))


def _known(verdict: ExerciseResult) -> str:
    """Return the mistake that a verdict names, "" where it only compares the results."""
    mistake = verdict.mistake or ""
    return "" if mistake.startswith(COMPARED) else mistake


def _rows(exercises: Sequence[dict[str, Any]], groups: str) -> list[dict[str, Any]]:
    """List the groups of all exercises, in the order of the exercises."""
    return [
        {"exercise": exercise, "text": text, "students": students}
        for exercise in exercises
        for text, students in exercise[groups]
    ]


def _mistakes(exercises: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """List the known mistakes of all exercises, the most frequent first."""
    rows = _rows(exercises, "mistakes")
    return sorted(rows, key=lambda row: (-len(row["students"]), row["exercise"]["number"]))


def _to_go_through_again(exercises: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    hard = [
        exercise
        for exercise in exercises
        if exercise["total"] and exercise["passed"] < PASSED_BY_MANY * exercise["total"]
    ]
    return sorted(hard, key=lambda exercise: exercise["passed"] / exercise["total"])[:3]


def _distribution(points: Sequence[float], full: float) -> list[dict[str, Any]]:
    """Count the submissions a point, or a tenth of the points where there are very many."""
    step = 1 if full <= 30 else full / 10
    edges = step * np.arange(math.ceil(full / step) + 2)
    counts, _ = np.histogram(np.clip(points, 0, edges[-2]) + 1e-9, edges)
    return _bars([(f"{edge:g}", int(n)) for edge, n in zip(edges[:-1], counts, strict=True)])


def _times(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Count the submissions by the seconds they took, in at most ten even steps."""
    seconds = [result.seconds for result in results]
    longest = max(seconds, default=0.0)
    if longest <= 0:
        return []
    size = 10 ** math.floor(math.log10(longest / 10))
    step = next(size * factor for factor in (1, 2, 5, 10, 20) if size * factor * 10 >= longest)
    edges = step * np.arange(math.ceil(longest / step) + 1)
    counts, _ = np.histogram(seconds, edges)
    spans = zip(edges[:-1], edges[1:], counts, strict=True)
    return _bars([(f"{begin:g}–{end:g}", int(n)) for begin, end, n in spans])


def _bars(counts: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    """Lay out the bars of a histogram, in percent of its width and height."""
    highest = max((count for _, count in counts), default=0) or 1
    pitch = 100 / len(counts)
    # A phone has room for every fifth label of many, for every second of some.
    every = 5 if len(counts) > 12 else 2 if len(counts) > 6 else 1
    return [
        {
            "label": label,
            "count": count,
            "x": number * pitch,
            "middle": (number + 0.5) * pitch,
            "width": pitch,
            "height": count / highest,
            "minor": number % every > 0,
        }
        for number, (label, count) in enumerate(counts)
    ]
