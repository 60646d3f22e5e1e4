"""Mistakes with one outcome in the first wrong example: the examples after it tell them apart."""

from types import SimpleNamespace

import numpy as np
import pytest

from autograder.checking import recording, replayed_answers
from autograder.course.variants import Variant
from coursekit.checks import CheckFailure, check, example
from coursekit.checks import recorded as recorded_file
from coursekit.checks.examples import judge_with
from coursekit.checks.recorded import Recorded
from coursekit.checks.serve import LocalWorld

X = np.array([8.0, -16.0, 24.0])
# Of the bank: what each divides by for n = 16, 4 and 9, where the square root is right. Two of them
# have made one mistake.
DIVISORS = {
    "FIXED": {16: 8, 4: 8, 9: 8},
    "FIXED_2": {16: 8, 4: 8, 9: 3},
    "HALVED": {16: 8, 4: 2, 9: 4.5},
    "DOUBLED": {16: 8, 4: 4, 9: 6},
    "LOOKED_UP": {16: 8, 4: 4, 9: 9},
    "NOT_DIVIDED": {16: 1, 4: 1, 9: 1},
    "LATE": {16: 4, 4: 1, 9: 1},
}


def name_of(answer):
    return answer.removesuffix("_2")


def sentence(answer):
    return f"Sentence of {name_of(answer)}."


def divides_by(divisors):
    return lambda x, n: x / divisors[n]


def scaled(scaled):
    example(scaled, X, 16)
    example(scaled, X, 4)
    example(scaled, X, 9)


@pytest.fixture
def mistake_of(monkeypatch):
    """Record a chapter of one exercise; return what its visible check says of an answer."""

    def use(function=scaled):
        exercise = SimpleNamespace(id="scaled", names=("scaled",), result_names=lambda label: [])
        bank = [Variant("scaled", name_of(key), sentence(key), key) for key in DIVISORS]
        fake = SimpleNamespace(
            exercises=(exercise,),
            exercise=lambda name: exercise,
            reference=SimpleNamespace(scaled=lambda x, n: x / np.sqrt(n)),
            checks=SimpleNamespace(scaled=check(function)),
        )
        for module in (recording, replayed_answers):
            monkeypatch.setattr(module, "load_chapter", lambda stem: fake)
            monkeypatch.setattr(
                module,
                "variant_functions",
                lambda stem, variant: {"scaled": divides_by(DIVISORS[variant.source])},
            )
        monkeypatch.setattr(replayed_answers, "load_variants", lambda stem: bank)
        outcomes = recording.outcomes("any")
        monkeypatch.setattr(recorded_file, "_read", lambda stem: outcomes)

        def mistake(answer):
            judge = judge_with(function, lambda: Recorded("any", "scaled"))
            with pytest.raises(CheckFailure) as failed:
                judge(LocalWorld().stand_in(answer, "scaled"))
            # Whatever decides, it is the first wrong example that is shown.
            assert failed.value.call[0][1] == next(n for n in (16, 4, 9) if not is_right(answer, n))
            return failed.value.mistake

        return mistake

    return use


def is_right(answer, n):
    try:
        return np.allclose(answer(X, n), X / np.sqrt(n))
    except ZeroDivisionError:
        return False


@pytest.mark.parametrize("name", DIVISORS)
def test_the_mistake_that_was_made_is_named_and_no_other(mistake_of, name):
    assert mistake_of()(divides_by(DIVISORS[name])) == sentence(name)


def test_no_more_is_recorded_than_tells_them_apart(mistake_of):
    mistake_of()
    first, second, _ = recorded_file._read("any")["scaled"]
    later = {found["sentence"]: found.get("later") for found in first["mistakes"]}
    assert later[sentence("NOT_DIVIDED")] is None
    assert [found.get("later") for found in second["mistakes"]] == [None]
    assert later[sentence("HALVED")][0] is None
    assert [len(later[sentence(name)]) for name in ("FIXED", "HALVED", "LOOKED_UP")] == [2, 2, 2]


def test_a_mistake_of_its_own_keeps_what_was_possible(mistake_of):
    said = mistake_of()(divides_by({16: 8, 4: 3, 9: 8}))
    assert said == f"Possibly: {sentence('FIXED')} Or: {sentence('HALVED')}"


def test_nothing_is_asked_after_the_decision(mistake_of):
    asked = []

    def three_numbers(scaled):
        for n in (16, 4, 9):
            asked.append(n)
            example(scaled, X, n)

    mistake = mistake_of(three_numbers)
    asked.clear()  # of the reference
    assert mistake(divides_by({16: 8, 4: 8, 9: 1})) == sentence("FIXED")
    assert asked == [16, 4]


def test_an_error_after_it_changes_nothing(mistake_of):
    said = mistake_of()(lambda x, n: x / 8 if n == 16 else 1 / 0)
    assert said == f"Possibly: {sentence('FIXED')} Or: {sentence('HALVED')}"


def test_what_stays_open_at_the_end_is_said_with_what_is_left(mistake_of):
    def two_examples(scaled):
        example(scaled, X, 16)
        example(scaled, X, 4)

    mistake = mistake_of(two_examples)
    assert mistake(divides_by(DIVISORS["FIXED"])) == sentence("FIXED")
    assert mistake(divides_by(DIVISORS["DOUBLED"])) == (
        f"Possibly: {sentence('DOUBLED')} Or: {sentence('LOOKED_UP')}"
    )


def test_a_check_that_cannot_go_on_with_a_wrong_result_names_what_is_possible(mistake_of):
    def digests(scaled):
        halves = {2.0: "one", -4.0: "other", 6.0: "third"}
        for number in example(scaled, X, 16).value:
            halves[number]
        scaled_again = example(scaled, X, 4).value
        assert scaled_again is not None

    said = mistake_of(digests)(divides_by(DIVISORS["DOUBLED"]))
    assert said == f"Possibly: {sentence('FIXED')} Or: {sentence('HALVED')}"
