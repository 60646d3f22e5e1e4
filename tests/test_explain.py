"""What an instructor is shown when a student asks about a mark."""

import os
import shutil
import sys

import pytest
from small_course import ANSWER, EXERCISE, STEM, answered, graded_course, report_rows

from autograder.cli import main
from autograder.grading.course import Options
from autograder.grading.run import grade_course
from autograder.grading.single_submission import explain
from autograder.kernels.sandbox import sandbox_available

# Right for the batches of the check that students have, and for no larger one.
SMALL_BATCHES = (
    ANSWER
    + "\n\nright = rnn_step\n"
    + """

def rnn_step(x_t, *others, **named):
    return right(x_t, *others, **named) * (len(x_t) < 5)
"""
)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    refusal = sandbox_available()
    if refusal:
        pytest.skip(refusal)
    notebooks = {"ada": None, "bob": answered(SMALL_BATCHES)}
    return graded_course(tmp_path_factory.mktemp("explain"), notebooks)


def test_the_values_of_a_hidden_check_are_shown_and_nothing_is_stored(course, capsys):
    page = course / "feedback" / "bob" / STEM / "assignment.html"
    before, rows = page.read_bytes(), report_rows(course)
    assert b"came back" not in before
    capsys.readouterr()

    assert main(["explain", str(course), STEM, "bob"]) == 0
    said = capsys.readouterr().out
    assert "bob: 0 of 20 points" in said
    assert f"{EXERCISE.title}, by a hidden check:\nrnn_step(array (5, 3)" in said
    assert "0 came back; expected" in said and "failed_call" not in said
    assert page.read_bytes() == before and report_rows(course) == rows


def test_a_class_without_a_sandbox_is_explained_with_its_own_inputs(course, monkeypatch):
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable))  # where there is no bubblewrap
    digests = {
        result.student: result.digest
        for result in grade_course(course, STEM, Options(sandboxed=False)).results
    }
    assert main(["explain", str(course), STEM, "bob"]) == 1
    assert main(["explain", str(course), STEM, "bob", "--no-sandbox"]) == 0
    # The inputs are drawn from the digest.
    assert explain(course, STEM, "bob", sandboxed=False).digest == digests["bob"]


def test_a_course_folder_that_is_explained_is_only_read(course):
    def files():
        return {path: path.read_bytes() for path in course.rglob("*") if path.is_file()}

    before = files()
    assert main(["explain", str(course), STEM, "bob"]) == 0
    assert files() == before
    shutil.rmtree(course / ".autograder")
    assert main(["explain", str(course), STEM, "bob"]) == 0
    assert not (course / ".autograder").exists()
    (course / ".autograder").write_text("Nothing can be read below this.")
    assert main(["explain", str(course), STEM, "bob"]) == 1


def test_a_submission_that_was_not_run_has_no_checks_to_explain(course, capsys):
    (course / "submitted" / "ada" / STEM / "assignment.ipynb").write_text("no JSON")
    assert main(["explain", str(course), STEM, "ada"]) == 0
    said = capsys.readouterr().out
    assert "not JSON" in said and "by the check" not in said


def test_what_has_passed_is_not_explained_and_a_missing_student_is_one_line(course, capsys):
    assert main(["explain", str(course), STEM, "ada"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"ada: {EXERCISE.points:g} of 20 points\n")
    assert f"{EXERCISE.title}, by" not in said
    assert main(["explain", str(course), STEM, "cem"]) == 1
    assert "no submission of cem" in capsys.readouterr().err
