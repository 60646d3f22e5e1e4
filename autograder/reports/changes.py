"""Which marks are not those of the last report: from what to what, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autograder.reports.last_report import ReportedMark
from autograder.results import Result


@dataclass(frozen=True)
class MarkChange:
    """A student whose mark changed: before, after, and why.

    A mark that waits for a person is None.
    """

    student: str
    before: float | None
    after: float | None
    why: str
    exercises: tuple[str, ...]


def mark_changes(
    reported: Mapping[str, ReportedMark], results: Iterable[Result]
) -> tuple[MarkChange, ...]:
    """Compare results with what was reported of the same students.

    A first mark is not a change, and neither is what becomes of one that waited and still waits.
    """
    changes = []
    for result in results:
        before, now = reported.get(result.student), ReportedMark.of(result)
        if before is None or not (before.settled or now.settled):
            continue
        if (before.total, before.settled) != (now.total, now.settled):
            titles = {exercise.exercise: exercise.title for exercise in result.exercises}
            changed = [
                titles[name]
                for name, points in now.points.items()
                if points != before.points.get(name)
            ]
            changes.append(
                MarkChange(
                    result.student,
                    before.total if before.settled else None,
                    now.total if now.settled else None,
                    _why(before, now),
                    tuple(changed),
                )
            )
    return tuple(changes)


def _why(before: ReportedMark, now: ReportedMark) -> str:
    reasons = []
    if now.submission != before.submission:
        reasons.append("another submission")
    elif now.digest != before.digest:
        reasons.append("the checks, or the conditions of grading, have changed")
    marked = {name: before.points.get(name) for name in before.by_hand}
    if {name: now.points.get(name) for name in now.by_hand} != marked:
        reasons.append("marked by hand" if now.by_hand else "the mark by hand is gone")
    if now.penalty != before.penalty:
        reasons.append("another penalty for handing in late")
    return "; ".join(reasons) or "graded again"
