"""Every check tested both ways, on the bank of variants of every chapter."""

import json

import pytest
from judged_banks import judged_exercises
from remembered_training import remembered_trainings

from autograder.checking import replayed_answers
from autograder.checking.hidden_check import hidden_checks
from autograder.checking.replayed_answers import Bank, ReplayedAnswer
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.course.variants import load_variants, variant_functions
from coursekit.checks import NOT_WRITTEN, CheckFailure


def parameters(stem, value, exercise, name="", at_night=False):
    """Make a test's parameters; one worker has all of an exercise, whose reference it asks once."""
    marks = [pytest.mark.xdist_group(f"{stem}-{exercise}")] + [pytest.mark.nightly] * at_night
    return pytest.param(stem, value, id=f"{stem}-{exercise}{name}", marks=marks)


UNCHANGED = {stem: judged_exercises(stem) for stem in chapter_stems()}
EXERCISES = [
    parameters(stem, exercise, exercise.id, at_night=exercise.id in UNCHANGED[stem])
    for stem in chapter_stems()
    for exercise in load_chapter(stem).exercises
]
VARIANTS = [
    parameters(stem, answer, answer.exercise, f"-{answer.name}", answer.exercise in UNCHANGED[stem])
    for stem in chapter_stems()
    for answer in load_variants(stem)
]
WRONG = [each for each in VARIANTS if each.values[1].mistake is not None]


class RememberedAnswer(ReplayedAnswer):
    """A reference that answers a sequence of requests once, whichever answer of the bank asks it.

    All answers to an exercise meet the same hidden inputs here, since none has a salt.
    """

    outcomes_of = {}

    def __init__(self, exercise, functions, stand_ins):
        super().__init__(functions, stand_ins, is_reference=True)
        self._names = {each._reference["object"]: n for n, each in enumerate(stand_ins)}
        self._seen = (exercise,)

    def outcomes(self, requests):
        if not requests:
            return []
        for request, answer in requests[len(self._seen) - 1 :]:
            # Numbers of objects differ from run to run; how they came to be does not.
            self._seen += (json.dumps(self._renamed(request), sort_keys=True),)
            self._name_objects(answer, f"{len(self._seen)}")
        if self._seen not in self.outcomes_of:
            self.outcomes_of[self._seen] = super().outcomes(requests)[-1]
        return [self.outcomes_of[self._seen]]

    def _renamed(self, tree):
        if isinstance(tree, list):
            return [self._renamed(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        if tree.keys() == {"object"}:
            return {"object": self._names.get(tree["object"], tree["object"])}
        return {key: self._renamed(item) for key, item in tree.items()}

    def _name_objects(self, tree, path):
        if isinstance(tree, dict) and "object" in tree:
            self._names[tree["object"]] = path
        for key, item in tree.items() if isinstance(tree, dict) else enumerate(tree):
            if isinstance(item, (dict, list)):
                self._name_objects(item, f"{path}.{key}")


@pytest.fixture(autouse=True)
def reference_is_asked_once(monkeypatch):
    def reference(bank, stand_ins):
        functions = vars(load_chapter(bank._stem).reference)
        works = [functions[name] for name in bank.exercise.names]
        return RememberedAnswer((bank._stem, bank.exercise.id), works, stand_ins)

    monkeypatch.setattr(Bank, "reference", reference)


def run_checks(stem, exercise, functions, which=("checks", "hidden")):
    works = [functions[name] for name in exercise.names]
    for checks in which:
        module = hidden_checks(stem) if checks == "hidden" else load_chapter(stem).checks
        with remembered_trainings():
            getattr(module, exercise.id)(*works)


@pytest.mark.parametrize(("stem", "exercise"), EXERCISES)
def test_the_reference_passes_and_a_stub_does_not(stem, exercise, capfd):
    run_checks(stem, exercise, vars(load_chapter(stem).reference))

    stubs = {}
    for name in exercise.names:
        exec(f"def {name}(*args, **kwargs):\n    raise NotImplementedError()", stubs)
    for checks in ("checks", "hidden"):
        with pytest.raises(CheckFailure, match=NOT_WRITTEN.split("`")[0]):
            run_checks(stem, exercise, stubs, [checks])


@pytest.mark.parametrize(("stem", "variant"), VARIANTS)
def test_a_wrong_answer_is_named_and_a_right_one_passes(stem, variant):
    exercise = load_chapter(stem).exercise(variant.exercise)
    functions = variant_functions(stem, variant)
    if variant.mistake is None:
        run_checks(stem, exercise, functions)
        return
    with pytest.raises(CheckFailure) as failed:
        run_checks(stem, exercise, functions)
    assert variant.mistake in str(failed.value)


@pytest.mark.parametrize(("stem", "variant"), WRONG)
def test_the_hidden_check_alone_finds_a_wrong_answer_and_shows_no_value(stem, variant, monkeypatch):
    # No name is read here. To find one, all wrong answers of the exercise would be asked, and the
    # reference with other arguments.
    monkeypatch.setattr(replayed_answers.ComputedExamples, "mistakes", lambda self: [])
    monkeypatch.setattr(replayed_answers.ComputedExamples, "altered", lambda self: [])
    exercise = load_chapter(stem).exercise(variant.exercise)
    functions = variant_functions(stem, variant)
    try:
        run_checks(stem, exercise, functions, ["hidden"])
    except CheckFailure as failure:
        assert failure.detail == ""
    else:
        # A mistake that the hidden inputs cannot show must then be the visible check's to find.
        with pytest.raises(CheckFailure):
            run_checks(stem, exercise, functions, ["checks"])
