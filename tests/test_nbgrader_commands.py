"""nbgrader's own commands before and after ours, on a course that uses its exchange."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.building.made_up_submissions import reference_answers, submission_notebook
from autograder.building.stock_nbgrader import create_assignment

# Each command of nbgrader's takes as long to start as a class of ours to be graded.
pytestmark = pytest.mark.nightly

STEM = "ch01_rnn_basics"
CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "sequences"
c.Exchange.root = {root!r}
"""


class Shell:
    """A command line in a home folder and with an exchange of its own."""

    def __init__(self, folder):
        self._environment = os.environ | {"HOME": str(folder), "TF_CPP_MIN_LOG_LEVEL": "3"}

    def __call__(self, folder, *command):
        program = Path(sys.executable).with_name(command[0])
        done = subprocess.run(
            [program, *command[1:]],
            cwd=folder,
            env=self._environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    """A course and a student's folder; one answer was released, fetched, submitted, collected."""
    home = tmp_path_factory.mktemp("classroom")
    shell, course, student = Shell(home), home / "course", home / "student"
    (home / "exchange").mkdir()
    (home / "exchange").chmod(0o777)  # nbgrader asks for it
    create_assignment(course, STEM)
    student.mkdir()
    for folder in (course, student):
        config = CONFIG.format(root=str(home / "exchange"))
        (folder / "nbgrader_config.py").write_text(config, encoding="utf-8")
    shell(course, "nbgrader", "release_assignment", STEM)
    shell(student, "nbgrader", "fetch_assignment", STEM)
    answered = submission_notebook(STEM, reference_answers(STEM))
    nbformat.write(answered, student / STEM / "assignment.ipynb")
    shell(student, "nbgrader", "submit", STEM)
    shell(course, "nbgrader", "collect", STEM)
    shell(course, "autograder", "grade", ".", STEM)
    return shell, course, student


def test_feedback_goes_back_through_the_exchange(classroom):
    shell, course, student = classroom
    shell(course, "nbgrader", "release_feedback", STEM)
    shell(student, "nbgrader", "fetch_feedback", STEM)
    [page] = (course / "feedback").rglob("*.html")
    [fetched] = student.rglob("*.html")
    assert fetched.read_bytes() == page.read_bytes()
    assert "Every exercise passed" in page.read_text(encoding="utf-8")


def test_generate_feedback_keeps_our_page_and_a_forced_one_shows_no_hidden_check(classroom):
    shell, course, _ = classroom
    [page] = (course / "feedback").rglob("*.html")
    ours = page.read_bytes()
    shell(course, "nbgrader", "generate_feedback", STEM)
    assert page.read_bytes() == ours
    shell(course, "nbgrader", "generate_feedback", STEM, "--force")
    theirs = page.read_text(encoding="utf-8")
    assert theirs.encode() != ours
    assert "HIDDEN TESTS" not in theirs and "autograder.hidden" not in theirs
    shell(course, "autograder", "report", ".", STEM)
    assert page.read_bytes() == ours


def test_export_has_the_marks(classroom):
    shell, course, _ = classroom
    shell(course, "nbgrader", "export")
    header, row = (course / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert dict(zip(header.split(","), row.split(","), strict=True))["score"] == "20.0"
