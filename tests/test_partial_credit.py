"""Partial credit: the share of right examples, where a course asks for it."""

import contextlib
import io
import json
import shutil

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.utils import determine_grade
from small_course import STEM

from autograder.building.made_up_submissions import (
    hand_in,
    reference_answers,
    submission_notebook,
)
from autograder.building.stock_nbgrader import create_assignment
from autograder.checking.hidden_check import hidden_checks
from autograder.cli import main
from autograder.course.chapters import load_chapter
from autograder.course.variants import load_variants, variant_functions
from autograder.grading.plan import preview_course
from autograder.grading.run import grade_course
from coursekit.checks import CheckFailure, silenced
from coursekit.checks.examples import counting
from coursekit.checks.serve import LocalWorld

REFERENCE = reference_answers(STEM)
CONFIG = "c = get_config()\nc.Autograder.partial_credit = True\n"


def exercise_of(stem, name):
    return load_chapter(stem).exercise(name)


def counted(stem, exercise, functions):
    """Count the examples of both checks in which an answer is right."""
    world = LocalWorld()
    works = [world.stand_in(functions[name], name) for name in exercise.names]
    with silenced(None), contextlib.redirect_stdout(io.StringIO()), counting() as tally:
        for checks in (load_chapter(stem).checks, hidden_checks(stem)):
            getattr(checks, exercise.id).judge(*works)
    return tally


# One whose examples ask for errors in between, too.
COUNTED = [*((STEM, exercise.id) for exercise in load_chapter(STEM).exercises)]
COUNTED += [("ch12_attention_today", "alibi_slopes")]


@pytest.mark.parametrize(("stem", "name"), COUNTED)
def test_every_wrong_answer_is_asked_as_much_as_the_reference_and_is_right_in_less(stem, name):
    exercise = exercise_of(stem, name)
    whole = counted(stem, exercise, vars(load_chapter(stem).reference))
    assert whole.right == whole.examples > 1
    for variant in load_variants(stem):
        if variant.exercise == name:
            tally = counted(stem, exercise, variant_functions(stem, variant))
            assert tally.examples == whole.examples
            assert (tally.right < tally.examples) is (variant.mistake is not None)


def raises(*args, **kwargs):
    raise ValueError("always")


def returns_nothing(*args, **kwargs):
    pass


@pytest.mark.parametrize("nothing", [raises, returns_nothing])
@pytest.mark.parametrize(("stem", "name"), COUNTED)
def test_an_answer_that_computes_nothing_is_right_in_no_value(stem, name, nothing):
    exercise = exercise_of(stem, name)
    tally = counted(stem, exercise, dict.fromkeys(exercise.names, nothing))
    assert tally.right_values == 0


def test_where_nothing_has_to_be_done_an_answer_that_does_nothing_is_right():
    exercise = exercise_of(STEM, "clip_by_global_norm")  # grading.md says so
    tally = counted(STEM, exercise, {exercise.id: lambda gradients, max_norm: gradients})
    assert (tally.right, tally.examples) == (5, 12)
    assert 2 * exercise.points * tally.right // tally.examples == 0


def test_what_is_no_example_fails_a_check_while_it_is_counted():
    exercise = exercise_of(STEM, "sigmoid")
    stubs = {}
    exec("def sigmoid(x):\n    raise NotImplementedError()", stubs)
    with pytest.raises(CheckFailure, match="not written yet"):
        counted(STEM, exercise, stubs)


# Right but for the start that is handed over: 3 of 4 examples that students see, 4 of 8 others.
NO_START = REFERENCE["rnn_forward"].replace(
    "np.zeros((batch, m)) if h_0 is None else h_0", "0 * b_h"
)
NO_START = NO_START.replace('        ("h_0", h_t, (batch, m)),\n', "")
# Another answer at every call, and right in all when they are called for the second time.
FICKLE = "_calls = [0]\n" + REFERENCE["rnn_step"].replace(
    "    return ", "    _calls[0] += 1\n    return (_calls[0] == 1) + ", 1
)
CLASS = {
    "ada": REFERENCE,
    "bob": REFERENCE | {"rnn_forward": NO_START},
    "cem": REFERENCE
    | {"rnn_forward": "def rnn_forward(*args, **kwargs):\n    raise ValueError('x')"},
    "dan": REFERENCE | {"rnn_step": FICKLE},
    "eve": REFERENCE
    | {"rnn_forward": "import os\n\n\ndef rnn_forward(*args, **kwargs):\n    os._exit(0)"},
    "fay": {name: text for name, text in REFERENCE.items() if name != "rnn_forward"},
}
# What they get for the exercise of their mistake, of 3 points and of 1.
LOSES = {
    "bob": ("rnn_forward", 2),
    "cem": ("rnn_forward", 0),
    "dan": ("rnn_step", 0.5),
    "eve": ("rnn_forward", 0),
    "fay": ("rnn_forward", 0),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    course = tmp_path_factory.mktemp("partial") / "course"
    create_assignment(course, STEM)
    (course / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    for student, answers in CLASS.items():
        hand_in(course, student, STEM, submission_notebook(STEM, answers))
    grade_course(course, STEM)
    return course


def marks(course, student):
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        (submitted,) = gradebook.find_submission(STEM, student).notebooks
        return {grade.name: grade.auto_score for grade in submitted.grades}


def test_no_answer_of_theirs_makes_a_check_fail_itself(graded):
    assert not (graded / ".autograder" / "errors.log").exists()


@pytest.mark.parametrize("student", CLASS)
def test_the_gradebook_has_half_points_and_the_notebook_says_the_same(graded, student):
    expected = {exercise.check_id: exercise.points for exercise in load_chapter(STEM).exercises}
    if student in LOSES:
        name, points = LOSES[student]
        expected[exercise_of(STEM, name).check_id] = points
    assert marks(graded, student) == expected
    path = graded / "autograded" / student / STEM / "assignment.ipynb"
    cells = {
        cell.metadata.nbgrader.grade_id: cell
        for cell in nbformat.read(path, as_version=4).cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    }
    # As nbgrader's own tools read the executed notebook.
    assert {name: determine_grade(cell)[0] for name, cell in cells.items()} == expected


def test_feedback_says_how_many_examples_are_right_and_still_names_the_mistake(graded):
    pages = {
        student: (graded / "feedback" / student / STEM / "assignment.html").read_text("utf-8")
        for student in CLASS
    }
    assert "2 of 3 points: 13 of 19 examples are right" in pages["bob"]
    assert "Known mistake" in pages["bob"] and "a hidden check" not in pages["bob"]
    assert all("examples are right" not in pages[name] for name in ("ada", "cem", "eve", "fay"))
    assert '"dan","graded","19.5"' in (graded / "reports" / f"{STEM}.csv").read_text("utf-8")


def test_for_gradescope_it_is_the_same(graded, tmp_path):
    inbox, results = tmp_path / "inbox", tmp_path / "results.json"
    shutil.copytree(graded / "submitted" / "bob" / STEM, inbox)
    assert main(["grade-one", str(graded), STEM, str(inbox), "--results", str(results)]) == 0
    tests = json.loads(results.read_text("utf-8"))["tests"]
    (test,) = [test for test in tests if test["status"] == "failed"]
    assert test["score"] == 2 and "13 of 19 examples are right" in test["output"]


def test_without_the_setting_it_is_all_or_nothing_and_marks_are_computed_again(course):
    assert not preview_course(course, STEM).to_grade
    (course / "nbgrader_config.py").unlink()
    assert preview_course(course, STEM).outdated == tuple(sorted(CLASS))
    grade_course(course, STEM)
    assert marks(course, "bob")[exercise_of(STEM, "rnn_forward").check_id] == 0
    page = (course / "feedback" / "bob" / STEM / "assignment.html").read_text("utf-8")
    assert "0 of 3 points" in page and "examples are right" not in page
    report = (course / "reports" / f"{STEM}.html").read_text("utf-8")
    assert "the conditions of grading, have changed" in report
