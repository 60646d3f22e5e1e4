"""The mistakes of an example as they are recorded, with what tells apart those of one outcome.

Two mistakes may give the same in the first example that shows them, and something else in one of
those that follow. There the check of a student finds out which of them an answer makes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from autograder.checking.replayed_answers import AskedExample, ReplayedAnswer
from autograder.course.variants import Variant
from coursekit.checks.outcome import Outcome


class FirstFault(NamedTuple):
    """A wrong answer of the bank, and what it makes of the first example in which it is wrong."""

    variant: Variant
    outcome: Outcome


def mistake_trees(
    faults: Sequence[FirstFault],
    examples: Sequence[AskedExample],
    requests: Sequence[Any],
    ask_again: Callable[[Variant], ReplayedAnswer],
) -> list[dict[str, Any]]:
    """Return what is recorded of the mistakes that the first of some examples shows, each once.

    ``ask_again`` makes the answer anew; it is asked ``requests``, those of the whole check.
    """
    (_, judged, _), *following = examples
    # By number: several wrong answers may bear the name of one mistake.
    later: dict[int, list[Any]] = {}
    for tied in _ties(faults, examples[0]):
        rows = {
            number: _later_outcomes(ask_again(faults[number].variant), examples, requests)
            for number in tied
        }
        needed = max(
            _needed(rows[one], rows[other], following)
            for one, other in combinations(tied, 2)
            if faults[one].variant.mistake != faults[other].variant.mistake
        )
        for number, row in rows.items():
            asked = zip(row[:needed], following, strict=False)
            later[number] = [each and example.judged.tree_of(each) for each, example in asked]
    trees: list[dict[str, Any]] = []
    for number, (variant, outcome) in enumerate(faults):
        tree = {"sentence": variant.mistake, "outcome": judged.tree_of(outcome)}
        if found := later.get(number):
            tree["later"] = found
        if tree not in trees:
            trees.append(tree)
    return trees


def _ties(faults: Sequence[FirstFault], example: AskedExample) -> list[list[int]]:
    """Return the numbers of the answers that have one outcome and several sentences, by outcome."""
    groups: list[list[int]] = []
    for number, (_, outcome) in enumerate(faults):
        equal = (g for g in groups if example.judged.are_equal(faults[g[0]].outcome, outcome))
        group = next(equal, None)
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return [group for group in groups if len({faults[n].variant.mistake for n in group}) > 1]


def _later_outcomes(
    answer: ReplayedAnswer, examples: Sequence[AskedExample], requests: Sequence[Any]
) -> list[Outcome | None]:
    """Return what an answer makes of the examples after the first, None where it is right.

    The list ends where the answer cannot be asked any more.
    """
    first, *following = examples
    answer.outcomes(requests[: first.place + 1])
    row: list[Outcome | None] = []
    for place, judged, expected in following:
        outcome = answer.outcomes(requests[: place + 1])[-1]
        if outcome is None:
            break
        row.append(outcome if judged.fault(outcome, expected) else None)
    return row


def _needed(
    one: Sequence[Outcome | None], other: Sequence[Outcome | None], examples: Sequence[AskedExample]
) -> int:
    """Return how many examples tell two answers apart, 0 if none does."""
    for number, (mine, theirs, example) in enumerate(zip(one, other, examples, strict=False), 1):
        is_same = example.judged.are_equal(mine, theirs) if mine and theirs else mine is theirs
        if not is_same:
            return number
    return 0
