"""Answers are left to the night only while nothing has changed that their verdicts rest on."""

import json
import re
import time

import judged_banks
import pytest
from test_variants import EXERCISES, VARIANTS, WRONG

from autograder.checking.recording import RESTS_ON
from autograder.course.chapters import load_chapter

STEM, OTHER = "ch03_custom_attention_layer", "ch02_simple_rnn"
BOTH = [STEM, OTHER]
IDS = {stem: {each.id for each in load_chapter(stem).exercises} for stem in BOTH}
FIRST = load_chapter(STEM).exercises[0].id
# Counted here, because the copy has no pages, without which no chapter can be read.
NUMBER_OF_TESTS = {
    (stem, exercise): judged_banks.number_of_tests(stem, exercise)
    for stem in BOTH
    for exercise in IDS[stem]
}


@pytest.fixture
def judged(copy, monkeypatch):
    """A copy of the repository in which the banks of two chapters have just been judged."""
    monkeypatch.setattr(
        judged_banks, "number_of_tests", lambda *exercise: NUMBER_OF_TESTS[exercise]
    )
    monkeypatch.setattr(judged_banks, "NOTED", copy / "tests" / "judged_banks.json")
    judged_banks.NOTED.unlink(missing_ok=True)
    began = time.time()
    assert not any(map(judged_banks.judged_exercises, BOTH))
    assert sorted(judged_banks.note(names_of_tests(*BOTH), began)) == sorted(BOTH)
    return copy


def names_of_tests(*stems):
    """Name the tests of some chapters' banks as pytest does when they run side by side."""
    names = [f"exercises[{each.id}]" for each in EXERCISES]
    # Answers that make the same mistake have the same name, to which pytest adds a number.
    names += [f"both[{each.id}{number}]" for number, each in enumerate(VARIANTS)]
    names += [f"hidden[{each.id}{number}]" for number, each in enumerate(WRONG)]
    tests = [f"tests/test_variants.py::{name}@group" for name in names]
    return [test for test in tests if any(f"[{stem}-" in test for stem in stems)]


@pytest.mark.parametrize(
    "file",
    [
        f"autograder/hidden/{STEM}.py",
        f"coursekit/checks/{STEM}.py",
        f"coursekit/checks/recorded/{STEM}.json",
        f"solutions/{STEM}.py",
    ],
)
def test_a_change_of_a_chapter_has_its_bank_judged_by_day(judged, file):
    with open(judged / file, "a") as changed:
        changed.write("changed = 1\n")
    assert [judged_banks.judged_exercises(stem) for stem in BOTH] == [set(), IDS[OTHER]]


def test_a_new_answer_has_those_to_its_exercise_judged_by_day(judged):
    with open(judged / "solutions" / "variants" / f"{STEM}.py", "a") as changed:
        changed.write(f'\n\n# %% exercise="{FIRST}" right="again"\ndef {FIRST}(): ...\n')
    assert judged_banks.judged_exercises(STEM) == IDS[STEM] - {FIRST}


def test_what_is_recorded_otherwise_has_the_answers_to_its_exercise_judged_by_day(judged):
    recorded = judged / "coursekit" / "checks" / "recorded" / f"{STEM}.json"
    outcomes = json.loads(recorded.read_text(encoding="utf-8"))
    outcomes[FIRST][0]["call"] += "_again"
    recorded.write_text(json.dumps(outcomes), encoding="utf-8")
    assert judged_banks.judged_exercises(STEM) == IDS[STEM] - {FIRST}


@pytest.mark.parametrize(
    "file",
    [
        "autograder/checking/hidden_check.py",
        "autograder/checking/replayed_answers.py",
        "autograder/course/variants.py",
        "coursekit/checks/comparison.py",
        "coursekit/data/sunspots.csv",
        "tests/remembered_training.py",
        "tests/test_variants.py",
    ],
)
def test_a_change_of_the_machinery_has_every_bank_judged_by_day(judged, file):
    with open(judged / file, "a") as changed:
        changed.write("changed = 1\n")
    assert not any(map(judged_banks.judged_exercises, BOTH))


def test_another_version_of_keras_has_every_bank_judged_by_day(judged):
    requirements = judged / "requirements.txt"
    text, number = re.subn(r"(?m)^keras==.*", "keras==0.1", requirements.read_text("utf-8"))
    requirements.write_text(text, encoding="utf-8")
    assert number and not any(map(judged_banks.judged_exercises, BOTH))


def test_a_change_on_which_no_verdict_rests_has_none_judged(judged):
    for file in (f"tests/test_{STEM}.py", "autograder/reports/marks.py", "requirements.txt"):
        with open(judged / file, "a") as changed:
            changed.write("changed = 1\n")
    assert {stem: judged_banks.judged_exercises(stem) for stem in BOTH} == IDS


def test_what_is_recorded_again_and_is_the_same_has_no_bank_judged(judged):
    recorded = judged / "coursekit" / "checks" / "recorded" / f"{STEM}.json"
    text = recorded.read_text(encoding="utf-8")
    for rests_on in json.loads(text)[RESTS_ON].values():
        text = text.replace(rests_on, rests_on[::-1])
    recorded.write_text(text, encoding="utf-8")
    assert {stem: judged_banks.judged_exercises(stem) for stem in BOTH} == IDS


def test_answers_of_which_one_test_did_not_pass_are_not_noted(judged):
    judged_banks.NOTED.unlink()
    failed, *others = names_of_tests(STEM)
    assert FIRST in failed
    judged_banks.note(others + names_of_tests(OTHER), time.time())
    assert judged_banks.judged_exercises(STEM) == IDS[STEM] - {FIRST}
    assert judged_banks.judged_exercises(OTHER) == IDS[OTHER]
    # The others stay noted when this one's are judged at last.
    assert judged_banks.note([n for n in names_of_tests(STEM) if FIRST in n], time.time()) == [STEM]
    assert judged_banks.judged_exercises(STEM) == IDS[STEM]


def test_a_bank_that_changed_while_it_was_judged_is_not_noted(judged):
    judged_banks.NOTED.unlink()
    began = time.time()
    time.sleep(0.02)  # the clock of a file is not as fine
    with open(judged / "solutions" / "variants" / f"{STEM}.py", "a") as changed:
        changed.write("changed = 1\n")
    assert judged_banks.note(names_of_tests(*BOTH), began) == [OTHER]
    assert not judged_banks.judged_exercises(STEM)


def test_a_file_in_which_a_merge_has_left_its_marks_counts_as_empty(judged):
    judged_banks.NOTED.write_text("<<<<<<< HEAD\n" + judged_banks.NOTED.read_text())
    assert not any(map(judged_banks.judged_exercises, BOTH))
