"""What the reference and the bank give for the calls of a check, and what a release refuses."""

import ast
import json
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.checking import recording, replayed_answers
from autograder.checking.recording import RESTS_ON
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.course.variants import Variant, load_variants, variant_answer
from autograder.course_error import CourseError
from coursekit.checks import CheckFailure, attempt, check, example
from coursekit.checks.examples import judge_with
from coursekit.checks.serve import LocalWorld
from coursekit.checks.wording import COMPARED


class Counter:
    """An answer with a state: it gives the sum of all that it has been called with."""

    def __init__(self, start):
        self.total = np.float64(start)

    def __call__(self, x):
        self.total = self.total + x
        return self.total

    def halves(self):
        return Counter(self.total / 2), Counter(self.total / 2)


class Forgetful(Counter):
    def __call__(self, x):
        self.total = np.float64(x)
        return self.total


FORGETS = {"sentence": "Every call forgets the ones before.", "outcome": {"value": 1.0}}


@pytest.fixture
def chapter(monkeypatch):
    """Put a chapter of one exercise, `Counter`, in the place of those of the course."""

    def use(function, reference=Counter, wrong=Forgetful):
        exercise = SimpleNamespace(id="Counter", names=("Counter",), result_names=lambda label: [])
        checks = SimpleNamespace(Counter=check(function))
        fake = SimpleNamespace(
            exercises=(exercise,),
            exercise=lambda name: exercise,
            reference=SimpleNamespace(Counter=reference),
            checks=checks,
        )
        variant = Variant("Counter", "FORGETS", "Every call forgets the ones before.", "")
        for module in (recording, replayed_answers):
            monkeypatch.setattr(module, "load_chapter", lambda stem: fake)
            monkeypatch.setattr(module, "variant_functions", lambda *of: {"Counter": wrong})
        monkeypatch.setattr(recording, "hidden_checks", lambda stem: checks)
        monkeypatch.setattr(replayed_answers, "load_variants", lambda stem: (variant,))

    return use


def counts(Counter):
    counter = example(Counter, 10.0).makes
    example(counter, 1.0)
    attempt(counter, 5.0)
    one, other = example(counter.halves).value
    example(other, 2.0)


def test_objects_are_followed_through_calls_attributes_and_tuples(chapter):
    chapter(counts)
    found = recording.outcomes("any")["Counter"]
    assert [entry["expected"]["value"] for entry in found[1::2]] == [11.0, 10.0]
    # What is wrong after the first wrong result tells nothing, and is not recorded.
    assert [entry["mistakes"] for entry in found] == [[], [FORGETS], [], []]


def test_live_examples_name_a_mistake_and_pass_a_right_answer(chapter):
    chapter(counts)
    judge = judge_with(counts, lambda: replayed_answers.ComputedExamples("any", "Counter"))
    judge(LocalWorld().stand_in(Counter, "Counter"))
    with pytest.raises(CheckFailure) as failed:
        judge(LocalWorld().stand_in(Forgetful, "Counter"))
    assert failed.value.mistake == "Every call forgets the ones before."
    assert failed.value.headline == "Counter(number)(number): the number differs."


def right(x, w):
    return np.tanh(x @ w)


def transposed(x, w):
    return np.tanh(x @ w.T)


def unrelated(x, w):
    return np.sin(x @ w) - x


@pytest.mark.nightly
def test_several_chapters_are_recorded_side_by_side_as_one_by_one(copy):
    stems = ["ch07_positional_encoding_1", "ch08_positional_encoding_2", "ch09_pca_embeddings"]
    banks = [copy / "solutions" / "variants" / f"{stem}.py" for stem in stems[:2]]
    for bank in banks:
        text = bank.read_text(encoding="utf-8")
        bank.write_text(text.replace("\n# %%\n", "\n# %%\nimport json\n", 1), encoding="utf-8")
    for stem, text in zip(stems, recording.recorded_texts(stems), strict=True):
        path = copy / "coursekit" / "checks" / "recorded" / f"{stem}.json"
        before, after = json.loads(path.read_text(encoding="utf-8")), json.loads(text())
        assert (before.pop(RESTS_ON) == after.pop(RESTS_ON)) == (stem == stems[2])
        assert before == after


def test_a_check_says_it_with_what_was_recorded_and_with_what_is_computed(chapter):
    x, w = np.random.default_rng(8).normal(size=(2, 6, 6))

    def calls(Counter):
        example(Counter, x, w)

    chapter(calls, reference=right, wrong=lambda x, w: x)
    (entry,) = recording.outcomes("any")["Counter"]
    conditions = [condition for condition, _ in entry["altered"]]
    assert "argument w were transposed" in conditions
    assert entry["parameters"] == ["x", "w"]

    def mistake(answer):
        judge = judge_with(calls, lambda: replayed_answers.ComputedExamples("any", "Counter"))
        with pytest.raises(CheckFailure) as failed:
            judge(LocalWorld().stand_in(answer, "right"))
        return failed.value.mistake

    assert mistake(transposed) == (
        f"{COMPARED}your result would be right if argument w were transposed."
    )
    assert "would be right" not in mistake(unrelated)


def test_a_file_in_which_git_has_marked_a_conflict_is_recorded_again(
    chapter, tmp_path, monkeypatch
):
    path = tmp_path / "any.json"
    monkeypatch.setattr(recording, "recorded_file", lambda stem: path)
    monkeypatch.setattr(recording, "digests_of_foundations", lambda stem: {"Counter": "0f"})
    chapter(counts)
    (text,) = recording.recorded_texts(["any"])
    recorded = text()
    path.write_text(f"<<<<<<< ours\n{recorded}=======\n{recorded}>>>>>>> theirs\n")
    (text,) = recording.recorded_texts(["any"])
    assert text() == recorded


def fails(chapter, function, says, **kwargs):
    chapter(function, **kwargs)
    with pytest.raises(CourseError) as failed:
        recording.outcomes("any")
    assert says in str(failed.value) and "exercise Counter" in str(failed.value)
    assert "\n" not in str(failed.value)


def test_a_release_refuses_a_wrong_answer_that_no_call_tells_from_the_reference(chapter):
    def blind(Counter):
        example(Counter, 10.0)

    fails(chapter, blind, "no call tells the wrong answer FORGETS from the reference")


def test_a_release_refuses_a_check_without_a_call(chapter):
    fails(chapter, lambda Counter: None, "its check makes no call")


def test_a_check_that_passes_a_function_is_told_what_to_pass_instead(chapter, monkeypatch):
    def passes_a_function(Counter):
        example(Counter, 10.0)
        example(Counter, lambda w: 0.25)

    line = passes_a_function.__code__.co_firstlineno + 2
    says = (
        f"any.py, exercise Counter, line {line}: a check may pass plain data, not function; pass a "
        'function as ByImportPath("module:name")'
    )
    fails(chapter, passes_a_function, says)
    chapter(lambda Counter: example(Counter, 10.0))
    hidden = SimpleNamespace(Counter=check(passes_a_function))
    monkeypatch.setattr(recording, "hidden_checks", lambda stem: hidden)
    with pytest.raises(CourseError) as failed:
        recording.outcomes("any")
    assert str(failed.value) == f"autograder/hidden/{says}"


def test_an_error_of_a_check_s_own_is_one_line(chapter):
    def has_a_fault(Counter):
        example(Counter, np.zeros(3)[7])

    line = has_a_fault.__code__.co_firstlineno + 1
    fails(chapter, has_a_fault, f"line {line}: the check raises IndexError: index 7 is out of")

    def takes_too_many(Counter, another):
        example(Counter, 1.0)

    line = takes_too_many.__code__.co_firstlineno
    fails(chapter, takes_too_many, f"line {line}: the check raises TypeError: ")


def test_a_release_refuses_a_reference_that_fails_its_own_check(chapter):
    def nothing(start):
        raise RuntimeError("broken")

    fails(chapter, counts, "the reference answer fails its own example", reference=nothing)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ({"a": [1.0, "x"]}, {"a": [1.0 + 1e-9, "x"]}, True),
        ({"a": [1.0]}, {"a": [1.01]}, False),
        ({"a": [1.0]}, {"b": [1.0]}, False),
        ([1.0], [1.0, 2.0], False),
        (["x"], ["y"], False),
        ([True], [False], False),
    ],
)
def test_recorded_numbers_may_differ_in_their_last_digits_alone(one, other, agree):
    assert recording._agree(one, other) is agree


@pytest.mark.parametrize("stem", chapter_stems())
def test_a_mistake_is_named_by_whole_sentences(stem):
    for variant in load_variants(stem):
        ends = variant.mistake is None or variant.mistake.endswith(".")
        assert ends, (
            f"{variant.name}: a mistake is named by whole sentences, which end in a full stop"
        )


@pytest.mark.parametrize("stem", chapter_stems())
def test_a_variant_is_handed_in_with_all_functions_of_its_exercise(stem):
    for variant in load_variants(stem):
        answer = variant_answer(stem, variant)
        assert answer.endswith(variant.source)
        defined = [node.name for node in ast.parse(answer).body if hasattr(node, "name")]
        assert set(load_chapter(stem).exercise(variant.exercise).names) <= set(defined)
        assert len(defined) == len(set(defined)), "a function is there twice"
