"""The result of grading one submission.

It is plain data, which can be sent to other machines and written to the journal.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

# What the journals of earlier versions call a field of `Result`.
_FORMER_NAMES = {"pure_seconds": "execution_seconds"}
# They have a flag's text in the place of its name; of texts that were reworded, these.
_FORMER_TEXTS = {
    "answer cell duplicated (the first was used)": "ANSWER_DUPLICATED",
    "manual mark dropped: the submission changed": "MANUAL_MARK_DROPPED",
    "comment dropped: the submission changed": "COMMENT_DROPPED",
}
# What is said of answers and submissions, with {1} for what is filled in. First of either of them,
# and why a person has to look at a submission.
NO_ANSWER = "no answer was written"
NO_ANSWER_CELL = "the notebook has none of the assignment's answer cells"
# Of an exercise, behind its name: why a check found nothing to call.
ENDED_EARLY = "its cell ended with {1}"
WRITTEN_BELOW = "it is written in a cell below its check"
WRITTEN_ABOVE = "it is written in a cell above its own, and the stub there took its place"
# Of a whole submission: why it was not read.
SEVERAL_NOTEBOOKS = "{1} notebooks were handed in"
TWO_NAMES = "its name can be read as that of two students"


class TextEnum(str, Enum):
    """Constants that are texts and print as such; `StrEnum` since Python 3.11."""

    def __str__(self) -> str:
        return str(self.value)


class Status(TextEnum):
    """What became of a submission; every submission that comes in gets exactly one."""

    GRADED = "graded"
    NO_RESPONSE = "no_response"
    NEEDS_REVIEW = "needs_review"
    INVALID_NOTEBOOK = "invalid_notebook"
    TOO_LARGE = "too_large"
    REFUSED = "refused"


# The marks of these stand; those of all others wait for an instructor.
SETTLED = (Status.GRADED, Status.NO_RESPONSE)


class Outcome(TextEnum):
    """What became of one exercise."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_WRITTEN = "not_written"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    KERNEL_DIED = "kernel_died"
    NOT_GRADED = "not_graded"
    BY_HAND = "by_hand"


# Why no verdict on an exercise came back.
LOST_MESSAGES = {
    Outcome.TIME_LIMIT: "it did not end within the time allowed",
    Outcome.MEMORY_LIMIT: "it asked for more memory than is allowed",
    Outcome.KERNEL_DIED: "it ended the Python process it ran in",
}


class Flag(TextEnum):
    """What an instructor should know of a submission, whatever its marks."""

    CHECK_EDITED = "check cell edited (restored)"
    CHECK_DELETED = "check cell deleted (restored)"
    CHECK_DUPLICATED = "check cell duplicated (ours was used)"
    TEXT_EDITED = "locked text or set-up edited (restored)"
    ANSWER_MISSING = "answer cell missing or renamed"
    ANSWER_DUPLICATED = "answer cell duplicated (all were run, in their order)"
    ANSWER_ABOVE = "answer in a cell above its own (whose stub took its place)"
    ANSWER_BELOW = "answer in a cell below its check (which ran before it)"
    ANSWER_NOT_CODE = "answer cell turned into text (restored)"
    METADATA_CHANGED = "nbgrader metadata changed (ignored)"
    OTHER_KERNEL = "kernel changed (ours was used)"
    UPGRADED = "older notebook format (upgraded)"
    SYMLINK = "a link in the submission (not followed)"
    NETWORK = "network access attempted (blocked)"
    OUTPUT_LIMIT = "output over the limit (truncated)"
    MANUAL_MARK_DROPPED = "mark by hand set aside: the submission changed"
    COMMENT_DROPPED = "comment set aside: the submission changed"
    OTHER_NOTEBOOK = "another notebook was handed in and not graded"
    OTHER_ASSIGNMENT = "the notebook of another assignment"
    LATE = "handed in late, according to the platform"
    TIME_UNREAD = "the time of submission cannot be read (not counted as late)"
    NO_SANDBOX = "graded without a sandbox"
    UNTESTED_IPYKERNEL = "run by a version of ipykernel that the autograder was not tested with"

    @classmethod
    def from_journal(cls, written: str) -> Flag:
        """Return the flag of this name; earlier versions wrote its text."""
        name = _FORMER_TEXTS.get(written, written)
        return cls[name] if name in cls.__members__ else cls(name)


class Origin(NamedTuple):
    """Where a submission came from: ``name`` is that of its file or folder in a platform's export.

    ``source`` is the platform, or "nbgrader" for its exchange. ``attempt`` is a text that sorts the
    attempts of a student, "" where the source does not distinguish them.
    """

    source: str
    attempt: str = ""
    name: str = ""

    def is_older(self, other: Origin) -> bool:
        """Return whether this attempt is known to come before another; sources are not compared."""
        return self.source == other.source and "" < self.attempt < other.attempt


@dataclass(frozen=True)
class ExerciseResult:
    """The verdict on one exercise.

    ``headline`` and ``mistake`` may be shown to the student whichever check failed; ``detail``
    holds values and is filled by visible checks alone. ``comment`` is what a person wrote, and
    ``tree`` the digest of the answer's syntax tree, "" where nothing was written. ``examples`` and
    ``right_examples`` are counted only where a share of them gives a share of the points.
    ``failed_calls`` names, behind one another, what a failed answer calls of other exercises that
    did not pass either.
    """

    exercise: str
    check_id: str
    title: str
    points: float
    max_points: float
    outcome: Outcome
    headline: str = ""
    detail: str = ""
    mistake: str | None = None
    hidden: bool = False
    seconds: float = 0.0
    comment: str = ""
    tree: str = ""
    examples: int = 0
    right_examples: int = 0
    failed_calls: str = ""


@dataclass(frozen=True)
class ManualMarks:
    """What people entered for one submission in nbgrader's formgrader.

    ``points`` has the marks that count instead of the verdicts', by ``check_id``; ``comments`` has
    texts by exercise; ``decided`` says that no exercise waits for a person any more.
    """

    points: dict[str, float] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    decided: bool = True


@dataclass(frozen=True)
class ManualEntries:
    """What people entered for one submission, as nbgrader's tables have it.

    ``marks`` has the columns of a mark (`manual_score`, `extra_credit`, `needs_manual_grade`) by
    ``check_id``, ``comments`` the texts by cell. It is what is put back when the submission comes
    back.
    """

    marks: dict[str, dict[str, Any]] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """Everything that grading one submission brings, fixed when it is made.

    ``notebook`` is the executed notebook as text, empty when there was none to execute; ``cells``
    has the student's cells as `reports.cells.student_cells` makes them fit to be shown; ``seconds``
    is the whole time spent on the submission, ``execution_seconds`` the part spent in its cells and
    checks; ``digest`` identifies submission and source, so that a second run sees whether
    anything changed, and ``submission_digest`` the submission alone. ``log`` has the tracebacks of
    internal errors; no student sees it. ``in_control_group`` says that Linux itself bounded the
    memory of its kernels. ``origin`` is known of what a learning platform or the exchange has
    brought. ``seconds_late`` and ``penalty`` (points) follow from the due date in the gradebook, so
    they are known only when reports are written. ``others`` are the notebooks that were handed in
    beside this one and are not graded.
    """

    student: str
    assignment: str
    status: Status
    reason: str = ""
    exercises: tuple[ExerciseResult, ...] = ()
    flags: tuple[Flag, ...] = ()
    notebook: str = ""
    cells: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    submitted_at: str | None = None
    seconds: float = 0.0
    execution_seconds: float = 0.0
    submission_digest: str = ""
    origin: Origin | None = None
    log: str = ""
    in_control_group: bool = False
    seconds_late: float = 0.0
    penalty: float = 0.0
    others: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def max_points(self) -> float:
        return sum(exercise.max_points for exercise in self.exercises)

    @property
    def total(self) -> float:
        """The points that count: those of the exercises less the penalty for handing in late."""
        return self.points - self.penalty

    @property
    def needs_only_cell_marks(self) -> bool:
        """Whether all that waits for a person is some cells: the verdicts on the others stand."""
        waiting = any(exercise.outcome is Outcome.NOT_GRADED for exercise in self.exercises)
        return waiting and Flag.ANSWER_MISSING not in self.flags

    def with_manual_marks(self, by_hand: ManualMarks) -> Result:
        """Return the result with what people entered put in; this one stays as it is."""
        exercises = tuple(
            dataclasses.replace(
                exercise,
                points=by_hand.points.get(exercise.check_id, exercise.points),
                outcome=Outcome.BY_HAND
                if exercise.check_id in by_hand.points
                else exercise.outcome,
                comment=by_hand.comments.get(exercise.exercise, ""),
            )
            for exercise in self.exercises
        )
        marked = dataclasses.replace(self, exercises=exercises)
        if not by_hand.points:
            return marked
        if by_hand.decided:
            return dataclasses.replace(marked, status=Status.GRADED, reason="")
        so_far = f"{len(by_hand.points)} of {len(exercises)} exercises are marked by hand so far"
        reason = "; ".join(filter(None, (self.reason, so_far)))
        return dataclasses.replace(marked, reason=reason)

    def flagged(self, flag: Flag) -> Result:
        """Return the result with one more flag; this one stays as it is."""
        return dataclasses.replace(self, flags=(*self.flags, flag))

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-able data, in which a flag is its name: texts are reworded."""
        return dataclasses.asdict(self) | {"flags": [flag.name for flag in self.flags]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        """Return the result that `to_json` was called on, now or by an earlier version.

        Anything else raises one of Python's errors for values and types.
        """
        exercises = tuple(
            ExerciseResult(**exercise | {"outcome": Outcome(exercise["outcome"])})
            for exercise in data["exercises"]
        )
        flags = tuple(Flag.from_journal(flag) for flag in data["flags"])
        status = Status(data["status"])
        origin = Origin(*data["origin"]) if data.get("origin") else None
        others = tuple(data.get("others", ()))
        parts = {
            "exercises": exercises,
            "flags": flags,
            "status": status,
            "origin": origin,
            "others": others,
        }
        facts = {_FORMER_NAMES.get(name, name): value for name, value in data.items()}
        return cls(**facts | parts)
