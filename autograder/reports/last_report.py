"""What the last report of an assignment said of every student, kept for the next one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from autograder.course_error import CourseError
from autograder.files import replace_file
from autograder.results import SETTLED, Outcome, Result

_SUFFIX = ".reported.json"


@dataclass(frozen=True)
class ReportedMark:
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
    def of(cls, result: Result) -> ReportedMark:
        """Return what a report says of a result."""
        by_hand = [e.exercise for e in result.exercises if e.outcome is Outcome.BY_HAND]
        return cls(
            total=result.total,
            settled=result.status in SETTLED,
            digest=result.digest,
            submission=result.submission_digest,
            points={exercise.exercise: exercise.points for exercise in result.exercises},
            full={exercise.exercise: exercise.max_points for exercise in result.exercises},
            by_hand=by_hand,
            penalty=result.penalty,
            seconds_late=result.seconds_late,
            comments={e.exercise: e.comment for e in result.exercises if e.comment},
        )


def read_reported(course: Path, assignment: str) -> dict[str, ReportedMark]:
    """Return what the last report of an assignment said, by student.

    Raises `CourseError` when it has something in it that this version does not understand.
    """
    path = _file(course, assignment)
    try:
        data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return {student: ReportedMark(**facts) for student, facts in data.items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise CourseError(
            f"{path} cannot be read: {error}; remove it; the next report will then list no changed "
            "marks"
        ) from error


def write_reported(course: Path, assignment: str, reported: Mapping[str, ReportedMark]) -> None:
    """Keep what a report says for the next one."""
    data = {student: asdict(facts) for student, facts in reported.items()}
    replace_file(_file(course, assignment), json.dumps(data))


def reported_assignments(course: Path) -> list[str]:
    """List the assignments of which something has been reported."""
    files = (course / ".autograder").glob(f"*{_SUFFIX}")
    return sorted(path.name.removesuffix(_SUFFIX) for path in files)


def _file(course: Path, assignment: str) -> Path:
    return course / ".autograder" / f"{assignment}{_SUFFIX}"
