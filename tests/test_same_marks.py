"""One notebook, three graders: Validate, stock nbgrader and the autograder agree on every check.

Its cells carry the tag that lets "Run All Cells" go on after an error, so what fails in one of them
must still cost the points there and nowhere else.
"""

import shutil

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.validator import Validator
from small_course import STEM

from autograder.building.made_up_submissions import (
    hand_in,
    reference_answers,
    submission_notebook,
)
from autograder.building.source_notebook import GOES_ON
from autograder.building.stock_nbgrader import create_assignment, nbgrader_api
from autograder.course.chapters import load_chapter
from autograder.grading.run import grade_course

REFERENCE = reference_answers(STEM)
# Exercise -> what was written instead of the reference; the rest is right.
LOSING = {
    "rnn_step": "def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):\n    return h_prev",
    "rnn_forward": "1 / 0\n\n\n" + REFERENCE["rnn_forward"],
    "clip_by_global_norm": "def clip_by_global_norm(gradients, max_norm:\n    return gradients",
    "lstm_step": None,  # as it was handed out
}
KEEPING = {"gru_step": REFERENCE["gru_step"] + "\n\n\nraise RuntimeError('after the definition')"}
RIGHT = {exercise.check_id: exercise.points for exercise in load_chapter(STEM).exercises}
EXPECTED = {
    exercise.check_id: 0 if exercise.id in LOSING else exercise.points
    for exercise in load_chapter(STEM).exercises
}


@pytest.fixture(scope="module")
def notebook():
    answers = REFERENCE | LOSING | KEEPING
    return submission_notebook(STEM, {name: text for name, text in answers.items() if text})


def marks_of(course):
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        (submitted,) = gradebook.find_submission(STEM, "ada").notebooks
        return {grade.name: grade.auto_score for grade in submitted.grades}


def test_the_notebook_has_the_tags_and_a_way_to_lose_points_of_every_kind(notebook):
    tagged = [cell for cell in notebook.cells if GOES_ON in cell.metadata.get("tags", [])]
    assert len(tagged) == 2 * len(RIGHT)
    assert {name: EXPECTED[name] for name in EXPECTED if EXPECTED[name]} != RIGHT
    assert not {*LOSING, *KEEPING} - {*REFERENCE}


def test_validate_names_the_checks_that_lose_their_points(notebook, tmp_path):
    path = tmp_path / "assignment.ipynb"
    nbformat.write(notebook, path)
    found = Validator().validate(str(path))
    assert found.keys() == {"failed"}
    of_source = {
        cell.source.strip(): cell.metadata.nbgrader.grade_id
        for cell in notebook.cells
        if cell.metadata.nbgrader.grade
    }
    failed = [of_source[cell["source"]] for cell in found["failed"]]
    assert failed == [name for name, points in EXPECTED.items() if not points]


def test_stock_nbgrader_and_the_autograder_give_the_same_marks(notebook, tmp_path):
    stock, ours = tmp_path / "stock", tmp_path / "ours"
    create_assignment(stock, STEM)
    hand_in(stock, "ada", STEM, notebook)
    shutil.copytree(stock, ours)
    result = nbgrader_api(stock).autograde(STEM, "ada")
    assert result["success"], result["log"]
    grade_course(ours, STEM)
    assert marks_of(ours) == marks_of(stock) == EXPECTED
