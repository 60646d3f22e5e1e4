"""Which marks are not those of the last report: from what to what, and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from autograder.course_error import CourseError
from autograder.files import replace_file
from autograder.results import SETTLED, Outcome, Result

_SUFFIX = ".reported.json"


@dataclass(frozen=True)
class Reported:
    """What a report said of one student; the next one is compared with it.

    ``digest`` identifies all that the marks rest on and ``submission`` the submission alone;
    ``points`` has what every exercise was given and ``full`` what it could be given, ``by_hand``
    names the exercises that a person marked, and ``comments`` has what was written to them.
    ``person`` identifies the student in all assignments, where the name does not, and ``name`` is
    the student's without what belongs to this assignment alone; "" for what is not known.
    """

    total: float
    settled: bool
    digest: str
    submission: str
    points: dict[str, float]
    full: dict[str, float]
    by_hand: list[str]
    penalty: float = 0.0
    # Reports of earlier versions have not written these down.
    seconds_late: float = 0.0
    comments: dict[str, str] = field(default_factory=dict)
    person: str = ""
    name: str = ""

    @property
    def is_adjusted(self) -> bool:
        """Whether the student's page says more than what grading the submission has brought."""
        return bool(self.by_hand or self.comments or self.seconds_late)

    @classmethod
    def of(cls, result: Result) -> Reported:
        """Return what a report says of a result."""
        by_hand = [e.exercise for e in result.exercises if e.outcome is Outcome.BY_HAND]
        return cls(
            result.total,
            result.status in SETTLED,
            result.digest,
            result.submission_digest,
            {exercise.exercise: exercise.points for exercise in result.exercises},
            {exercise.exercise: exercise.max_points for exercise in result.exercises},
            by_hand,
            result.penalty,
            result.seconds_late,
            {e.exercise: e.comment for e in result.exercises if e.comment},
        )


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
    reported: Mapping[str, Reported], results: Iterable[Result]
) -> tuple[MarkChange, ...]:
    """Compare results with what was reported of the same students.

    A first mark is not a change, and neither is what becomes of one that waited and still waits.
    """
    changes = []
    for result in results:
        before, now = reported.get(result.student), Reported.of(result)
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


def _why(before: Reported, now: Reported) -> str:
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


def read_reported(course: Path, assignment: str) -> dict[str, Reported]:
    """Return what the last report of an assignment said, by student.

    Raises `CourseError` when it has something in it that this version does not understand.
    """
    path = _file(course, assignment)
    try:
        data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return {student: Reported(**facts) for student, facts in data.items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise CourseError(
            f"{path} cannot be read: {error}; remove it, and the next report says of no mark that "
            "it has changed"
        ) from error


def write_reported(course: Path, assignment: str, reported: Mapping[str, Reported]) -> None:
    """Keep what a report says for the next one."""
    data = {student: asdict(facts) for student, facts in reported.items()}
    replace_file(_file(course, assignment), json.dumps(data))


def reported_assignments(course: Path) -> list[str]:
    """List the assignments of which something has been reported."""
    files = (course / ".autograder").glob(f"*{_SUFFIX}")
    return sorted(path.name.removesuffix(_SUFFIX) for path in files)


def _file(course: Path, assignment: str) -> Path:
    return course / ".autograder" / f"{assignment}{_SUFFIX}"
