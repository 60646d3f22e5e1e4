"""What the reference solution and the bank's wrong answers give for the calls of a check.

A check asks one answer, the student's. A `ReplayedAnswer` is another one (the reference, a wrong
answer of the bank) that is asked the same requests afterwards, in this process, so that layers
and models are in the same state when an example compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import signature
from typing import Any, NamedTuple

from autograder.course.chapters import load_chapter
from autograder.course.variants import Variant, load_variants, variant_functions
from coursekit.checks.alterations import Fingerprint, alterations, fingerprint
from coursekit.checks.judged import Judged
from coursekit.checks.outcome import Mistake, Outcome
from coursekit.checks.plain_data import Reference, encode
from coursekit.checks.serve import LocalWorld
from coursekit.checks.stand_in import StandIn, transcript
from coursekit.checks.trial import Trial


class AskedExample(NamedTuple):
    """An example that was asked: the place of its request, its judge, the expected outcome."""

    place: int
    judged: Judged
    expected: Outcome


class ReplayedAnswer:
    """An answer that is asked what a check has asked of a student's.

    After an error that the student's answer did not raise its state means nothing, and nothing
    more is asked of it. The reference raises only errors that are asked for, and is asked on.
    """

    def __init__(
        self,
        functions: Sequence[Any],
        stand_ins: Sequence[StandIn],
        is_reference: bool = False,
    ) -> None:
        self._world = LocalWorld()
        self._asked = 0
        self._mine: dict[int, int] = {}
        self._is_reference = is_reference
        self._lost = False
        self._functions = {each.__name__: each for each in functions}
        for function, stand_in in zip(functions, stand_ins, strict=True):
            mine = self._world.stand_in(function, "")
            self._mine[stand_in._reference["object"]] = mine._reference["object"]

    def outcomes(self, requests: Sequence[Any]) -> list[Outcome | None]:
        """Ask the requests that have not been asked yet; return the outcome of each of them."""
        outcomes = [self._ask(*asked) for asked in requests[self._asked :]]
        self._asked = len(requests)
        return outcomes

    def _ask(self, request: Any, answer: Any) -> Outcome | None:
        """Ask one request and return the `Outcome`, None when it is not asked any more."""
        if self._lost:
            return None
        try:
            request = self._translated(request)
        except KeyError:  # an object in it was never made here
            self._lost = True
            return None
        answers: list[Any] = []
        token = transcript.set(answers)
        try:
            reply = StandIn(self._world, None, "")._ask(request, "()")
        finally:
            transcript.reset(token)
        self._learn(answer.get("value"), answers[0][1].get("value"))
        self._lost = bool(reply.error) and "error" not in answer and not self._is_reference
        return Outcome.of(reply)

    def altered(self, request: Any, trial: Trial) -> Iterator[tuple[str, Fingerprint]]:
        """Ask the next request with one argument altered, in every way; skip what is not a result.

        ``trial`` is that of the request.
        """
        try:
            target = self._translated(request)["target"]
        except KeyError:  # an object in it was never made here
            return
        for each in alterations(trial.args, trial.kwargs, self.parameters(request, trial)):
            given = {
                "args": [encode(arg) for arg in each.args],
                "kwargs": {name: encode(arg) for name, arg in each.kwargs.items()},
            }
            changed = request | {"target": target} | self._translated(given)
            token = transcript.set(None)
            try:
                reply = StandIn(self._world, None, "")._ask(changed, "()")
            finally:
                transcript.reset(token)
            found = None if reply.error else fingerprint(reply.value)
            if found:
                yield each.condition, found

    def parameters(self, request: Any, trial: Trial) -> list[str]:
        """Name the parameters of what a request calls: an answer, a layer, a helper of ours."""
        try:
            target = Reference(self._translated(request["target"]))
            work = self._functions.get(trial.label) or self._world.original(target)
            return list(signature(getattr(work, "call", work)).parameters)
        # It was never made here, or it is a function in C, some of which have no signature.
        except (KeyError, TypeError, ValueError):
            return []

    def _translated(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [self._translated(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        if tree.keys() == {"object"}:
            return {"object": self._mine[tree["object"]]}
        return {key: self._translated(item) for key, item in tree.items()}

    def _learn(self, theirs: Any, mine: Any) -> None:
        """Note which object here stands for which over there."""
        if isinstance(theirs, list) and isinstance(mine, list):
            for one, other in zip(theirs, mine, strict=False):
                self._learn(one, other)
        elif isinstance(theirs, dict) and isinstance(mine, dict):
            if "object" in theirs and "object" in mine:
                self._mine[theirs["object"]] = mine["object"]
            for key in theirs.keys() & mine.keys():
                self._learn(theirs[key], mine[key])


class Bank:
    """The reference and the wrong answers of one exercise, as replayed answers."""

    def __init__(self, stem: str, exercise: str) -> None:
        self.exercise = load_chapter(stem).exercise(exercise)
        self._stem = stem

    @property
    def wrong(self) -> list[Variant]:
        """The wrong answers; they are read when the first mistake is to be named."""
        return [
            variant
            for variant in load_variants(self._stem)
            if variant.exercise == self.exercise.id and variant.mistake
        ]

    def reference(self, stand_ins: Sequence[StandIn]) -> ReplayedAnswer:
        functions = vars(load_chapter(self._stem).reference)
        names = self.exercise.names
        return ReplayedAnswer([functions[name] for name in names], stand_ins, is_reference=True)

    def variant(self, variant: Variant, stand_ins: Sequence[StandIn]) -> ReplayedAnswer:
        functions = variant_functions(self._stem, variant)
        return ReplayedAnswer([functions[name] for name in self.exercise.names], stand_ins)


class ComputedExamples:
    """The examples of a hidden check: computed for the inputs that it has drawn."""

    def __init__(self, stem: str, exercise: str) -> None:
        self._bank = Bank(stem, exercise)
        self._examples: list[AskedExample] = []

    def begin(self, stand_ins: Sequence[StandIn]) -> None:
        """Begin a run in which the answers behind ``stand_ins`` are judged."""
        requests: list[Any] | None = transcript.get()
        assert requests is not None  # a check is running
        self._requests = requests
        self._stand_ins = stand_ins
        self._reference = self._bank.reference(stand_ins)

    def expected(self, label: str, judged: Judged) -> Outcome:
        """Return the `Outcome` of the reference for the request that was asked last."""
        outcome = self._reference.outcomes(self._requests)[-1]
        if outcome is None or judged.fault(outcome, outcome):
            raise RuntimeError(f"the reference answer fails its own example of {label}")
        self._examples.append(AskedExample(len(self._requests) - 1, judged, outcome))
        return outcome

    def mistakes(self) -> list[Mistake]:
        """Return what wrong answers make of the example asked last, if it is their first fault."""
        found: list[Mistake] = []
        for variant in self._bank.wrong:
            answer = self._bank.variant(variant, self._stand_ins)
            fault = first_fault(answer, self._requests, self._examples)
            if fault and fault[0] == len(self._examples) - 1:
                found.append(Mistake(str(variant.mistake), fault[1]))
        return found

    def parameters(self) -> list[str]:
        """Return the names of the parameters of what was called last."""
        place, judged, _ = self._examples[-1]
        request, _ = self._requests[place]
        return self._reference.parameters(request, judged.trial)

    def result_names(self, label: str) -> list[str]:
        """Return what the exercise's text calls the values that a call returns."""
        return self._bank.exercise.result_names(label)

    def altered(self) -> Iterator[tuple[str, Fingerprint]]:
        """Return what the reference gives for altered arguments of the request asked last."""
        place, judged, _ = self._examples[-1]
        reference = self._bank.reference(self._stand_ins)
        reference.outcomes(self._requests[:place])
        request, _ = self._requests[place]
        return reference.altered(request, judged.trial)


def first_fault(
    answer: ReplayedAnswer, requests: Sequence[Any], examples: Sequence[AskedExample]
) -> tuple[int, Outcome] | None:
    """Ask an answer the examples; return the number of the first wrong one and its outcome."""
    for number, (place, judged, expected) in enumerate(examples):
        outcome = answer.outcomes(requests[: place + 1])[-1]
        if outcome is not None and judged.fault(outcome, expected):
            return number, outcome
    return None
