"""Pairs of students whose answers agree more than chance explains: a hint, never a verdict."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter

from autograder.results import ExerciseResult, Outcome, Result
from coursekit.checks.wording import COMPARED, POSSIBLY

# What more students than this have in common is not rare, whatever the size of the class. It also
# bounds the pairs that are looked at, so that their number grows with the class and no faster.
MAX_GROUP = 5
# With fewer answers nothing is known of how often two of them agree.
MIN_ANSWERS = 10
# How many pairs may be expected by chance that agree in as much as the one that is named.
MAX_EXPECTED = 0.05

# The students who have something in common, and the share of pairs that agree in what is as rare.
Group = tuple[list[str], float]


@dataclass(frozen=True)
class Shared:
    """What two students have in common in one exercise.

    ``what`` says whether it is the answer or a mistake. ``rate`` is the base rate, the share of the
    pairs of students who agree in this exercise in something at least as rare.
    """

    title: str
    what: str
    rate: float


@dataclass(frozen=True)
class Pair:
    """Two students and what they share; ``expected`` such pairs are to be expected by chance."""

    students: tuple[str, str]
    shared: tuple[Shared, ...]
    expected: float


@dataclass(frozen=True)
class Pairs:
    """The pairs that are named, those with the most in common first, and the bounds for it.

    Where no exercise has ``enough`` answers, none were ``compared``.
    """

    found: tuple[Pair, ...]
    compared: bool
    most: int = MAX_GROUP
    expected: float = MAX_EXPECTED
    enough: int = MIN_ANSWERS


def similar_pairs(results: Sequence[Result]) -> Pairs:
    """Return the pairs of students who agree in more of an assignment than chance explains.

    By chance, and were the exercises independent of one another, as many pairs agree in given
    exercises as the product of their base rates says. Which exercises they are was not said before,
    so every choice among them counts.
    """
    titles = {e.exercise: e.title for result in results for e in result.exercises}
    answers = Counter(e.exercise for result in results for e in result.exercises if e.tree)
    compared = [exercise for exercise in titles if answers[exercise] >= MIN_ANSWERS]
    shared: defaultdict[tuple[str, str], list[Shared]] = defaultdict(list)
    for exercise in compared:
        for students, one in _shared_in(exercise, titles[exercise], results).items():
            shared[students].append(one)
    chances = math.comb(len(results), 2) * 2 ** len(titles)
    pairs = (
        Pair(students, tuple(found), chances * math.prod(one.rate for one in found))
        for students, found in shared.items()
    )
    named = [pair for pair in pairs if pair.expected < MAX_EXPECTED]
    ordered = sorted(named, key=lambda pair: (pair.expected, pair.students))
    return Pairs(tuple(ordered), compared=bool(compared))


def _shared_in(
    exercise: str, title: str, results: Iterable[Result]
) -> dict[tuple[str, str], Shared]:
    """Return what pairs of students have in common in one exercise, the same answer before all."""
    answers = [
        (result.student, one)
        for result in results
        for one in result.exercises
        if one.exercise == exercise and one.tree
    ]
    found: dict[tuple[str, str], Shared] = {}
    for what, of in (("the same mistake", _mistake), ("the same answer", attrgetter("tree"))):
        for students, rate in _rare_groups(answers, of):
            one = Shared(title, what, rate)
            found |= dict.fromkeys(combinations(sorted(students), 2), one)
    return found


def _rare_groups(
    answers: Sequence[tuple[str, ExerciseResult]], of: Callable[[ExerciseResult], str]
) -> list[Group]:
    """Return the students who have the same rare thing in common, each group with its base rate."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for student, answer in answers:
        if key := of(answer):
            groups[key].append(student)
    pairs, agreeing, rare = math.comb(len(answers), 2), 0, []
    for size in range(2, MAX_GROUP + 1):
        of_size = [students for students in groups.values() if len(students) == size]
        agreeing += len(of_size) * math.comb(size, 2)
        rare += [(students, agreeing / pairs) for students in of_size]
    return rare


def _mistake(answer: ExerciseResult) -> str:
    """Return the mistake that an answer is known to make, "" for none and for what is supposed."""
    mistake = answer.mistake or ""
    named = answer.outcome is Outcome.FAILED and not mistake.startswith((POSSIBLY, COMPARED))
    return mistake if named else ""
