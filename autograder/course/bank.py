"""What the reference solution and the bank's wrong answers give for the calls of a check.

A check asks one set of works, the student's. A `Twin` is another set (the reference, a wrong
answer of the bank) that is asked the same requests afterwards, in this process, so that layers
and models are in the same state when an example compares them.
"""

import json
import math
import random
import re
import sys
from functools import cache

import numpy as np

from autograder.course.chapters import CourseError, load_chapter
from autograder.course.variants import load_variants, variant_functions
from coursekit.checks import CheckFailure, silenced
from coursekit.checks.examples import RECORDED, Mistake, Outcome, judge_with
from coursekit.checks.exchange import LocalWorld, StandIn, transcript

__all__ = ["Live", "recorded_text"]


class Twin:
    """Works that are asked what a check has asked of a student's.

    After an error that the student's works did not raise their state means nothing, and nothing
    more is asked of them.
    """

    def __init__(self, works, stand_ins):
        self._world = LocalWorld()
        self._asked = 0
        self._mine = {}
        self._lost = False
        for work, stand_in in zip(works, stand_ins, strict=True):
            mine = self._world.stand_in(work, "")
            self._mine[stand_in._reference["object"]] = mine._reference["object"]

    def outcomes(self, requests):
        """Ask the requests that have not been asked yet; return the outcome of each of them."""
        outcomes = [self._ask(*asked) for asked in requests[self._asked :]]
        self._asked = len(requests)
        return outcomes

    def _ask(self, request, answer):
        """Ask one request and return the `Outcome`, None when it is not asked any more."""
        if self._lost:
            return None
        try:
            request = self._translated(request)
        except KeyError:  # an object in it was never made here
            self._lost = True
            return None
        token = transcript.set(answers := [])
        try:
            reply = StandIn(self._world, None, "")._ask(request, "()")
        finally:
            transcript.reset(token)
        self._learn(answer.get("value"), answers[0][1].get("value"))
        self._lost = bool(reply.error) and "error" not in answer
        return Outcome.of(reply)

    def _translated(self, tree):
        if isinstance(tree, list):
            return [self._translated(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        if tree.keys() == {"object"}:
            return {"object": self._mine[tree["object"]]}
        return {key: self._translated(item) for key, item in tree.items()}

    def _learn(self, theirs, mine):
        """Note which object here stands for which over there."""
        if isinstance(theirs, list) and isinstance(mine, list):
            for one, other in zip(theirs, mine, strict=False):
                self._learn(one, other)
        elif isinstance(theirs, dict) and isinstance(mine, dict):
            if "object" in theirs and "object" in mine:
                self._mine[theirs["object"]] = mine["object"]
            for key in theirs.keys() & mine.keys():
                self._learn(theirs[key], mine[key])


class _Bank:
    """The reference and the wrong answers of one exercise, as the twins of some works."""

    def __init__(self, stem, exercise):
        self.exercise = load_chapter(stem).exercise(exercise)
        self._stem = stem

    @property
    def wrong(self):
        """The wrong answers; they are read when the first mistake is to be named."""
        return [
            variant
            for variant in load_variants(self._stem)
            if variant.exercise == self.exercise.id and variant.mistake
        ]

    def reference(self, stand_ins):
        functions = vars(load_chapter(self._stem).reference)
        return Twin([functions[name] for name in self.exercise.names], stand_ins)

    def variant(self, variant, stand_ins):
        functions = variant_functions(self._stem, variant)
        return Twin([functions[name] for name in self.exercise.names], stand_ins)


class Live:
    """The examples of a hidden check: computed for the inputs that it has drawn."""

    def __init__(self, stem, exercise):
        self._bank = _Bank(stem, exercise)
        self._examples = []

    def begin(self, stand_ins):
        """Begin a run in which the works behind ``stand_ins`` are judged."""
        self._requests = transcript.get()
        self._stand_ins = stand_ins
        self._reference = self._bank.reference(stand_ins)

    def expected(self, label, judged):
        """Return the `Outcome` of the reference for the request that was asked last."""
        outcome = self._reference.outcomes(self._requests)[-1]
        if outcome is None or judged.fault(outcome, outcome):
            raise RuntimeError(f"the reference answer fails its own example of {label}")
        self._examples.append((len(self._requests) - 1, judged, outcome))
        return outcome

    def mistakes(self):
        """Return what each wrong answer of the bank makes of the request that was asked last."""
        found = []
        for variant in self._bank.wrong:
            outcomes = self._bank.variant(variant, self._stand_ins).outcomes(self._requests)
            faults = _faults(outcomes, self._examples)
            if faults and faults[-1][0] == len(self._examples) - 1:
                found.append(Mistake(variant.mistake, faults[-1][1], len(faults) == 1))
        return found


def _faults(outcomes, examples):
    """List the examples that go wrong, by number, with their outcomes.

    ``examples`` are triples: the place of the request, what judges it, the expected outcome.
    """
    return [
        (number, outcomes[place])
        for number, (place, judged, expected) in enumerate(examples)
        if outcomes[place] is not None and judged.fault(outcomes[place], expected)
    ]


# --- what is recorded for the visible checks -----------------------------------------------------


class _Recorder:
    """Examples whose works are the reference itself: they note what comes of each call."""

    def begin(self, stand_ins):
        self.requests, self.examples, self.labels = transcript.get(), [], []

    def expected(self, label, judged):
        if judged.fault(judged.outcome, judged.outcome):
            raise CourseError(f"the reference answer fails its own example of {label}")
        self.examples.append((len(self.requests) - 1, judged, judged.outcome))
        self.labels.append(label)
        return judged.outcome


@cache
def recorded_text(stem):
    """Return the text of a chapter's recorded file, the present one where its numbers agree.

    Raises
    ------
    CourseError
        When the reference fails a check, a check makes no call, or no call tells a wrong answer of
        the bank from the reference.
    """
    with silenced(None):
        tree = {exercise.id: _record(stem, exercise) for exercise in load_chapter(stem).exercises}
    file = RECORDED / f"{stem}.json"
    if file.exists() and _agree(json.loads(file.read_text(encoding="utf-8")), tree):
        return file.read_text(encoding="utf-8")
    text = json.dumps(tree, ensure_ascii=False)
    # One outcome a line, so that a difference between two versions can be read.
    return re.sub(r'(?=\{"call"|\{"sentence"|"mistakes")', "\n", text) + "\n"


def _record(stem, exercise):
    where = f"coursekit/checks/{stem}.py, exercise {exercise.id}"
    check = getattr(load_chapter(stem).checks, exercise.id)
    bank, recorder, world = _Bank(stem, exercise.id), _Recorder(), LocalWorld()
    functions = vars(load_chapter(stem).reference)
    stand_ins = [world.stand_in(functions[name], name) for name in exercise.names]
    try:
        judge_with(check.__wrapped__, lambda: recorder)(*stand_ins)
    except (CheckFailure, CourseError) as failure:
        raise CourseError(f"{where}: {failure}") from failure
    if not recorder.requests:
        raise CourseError(f"{where}: its check makes no call; list some with example()")
    entries = [
        {"call": label, "expected": judged.tree_of(expected), "mistakes": []}
        for label, (_, judged, expected) in zip(recorder.labels, recorder.examples, strict=True)
    ]
    # Where a check looks at properties alone, `tests/test_variants.py` judges the bank: a property
    # may need a training for each answer.
    for variant in bank.wrong if entries else ():
        _seed()  # a wrong answer may be random, and every release the same
        outcomes = bank.variant(variant, stand_ins).outcomes(recorder.requests)
        faults = _faults(outcomes, recorder.examples)
        if not faults and not _is_found(stem, exercise, variant):
            raise CourseError(
                f"solutions/variants/{stem}.py, exercise {exercise.id}: no call tells the "
                f"wrong answer {variant.name} from the reference; add one to a check"
            )
        for number, outcome in faults:
            judged = recorder.examples[number][1]
            tree = {"sentence": variant.mistake, "outcome": judged.tree_of(outcome)}
            tree["first"] = number == faults[0][0]
            if tree not in entries[number]["mistakes"]:
                entries[number]["mistakes"].append(tree)
    return entries


def _seed():
    """Seed what draws random numbers; a chapter on NumPy alone does not load Keras for it."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 (what an answer draws from)
    if keras := sys.modules.get("keras"):
        keras.utils.set_random_seed(0)


def _is_found(stem, exercise, variant):
    """Say whether a check fails a wrong answer that differs in no example of the visible check."""
    chapter, functions = load_chapter(stem), variant_functions(stem, variant)
    works = [functions[name] for name in exercise.names]
    stand_ins = list(map(LocalWorld().stand_in, works, exercise.names))
    for checks in (chapter.hidden, chapter.checks):
        check = getattr(checks, exercise.id).__wrapped__
        try:
            judge_with(check, lambda: Live(stem, exercise.id))(*stand_ins)
        except CheckFailure:
            return True
    return False


def _agree(one, other):
    """Say whether two recorded trees are the same but for the last digits of their numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_agree(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_agree, one, other))
    if isinstance(one, float) and isinstance(other, (int, float)):
        # Two processors add up single precision in other orders, and a step of training adds to it.
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-5)
    return one == other
