"""Forgetting a student: nothing is left in the course folder, and nobody else changes."""

import csv
import shutil

import pytest
from nbgrader.api import Gradebook, MissingEntry

from autograder.__main__ import main
from autograder.course import classroom
from autograder.course.chapters import load_chapter
from autograder.course.classroom import reference_answers, submission_notebook
from autograder.course.release import create_assignment
from autograder.grading.errors import ErrorLog
from autograder.grading.run import grade_course

STEM = "ch01_rnn_basics"
EXERCISE = load_chapter(STEM).exercises[1].id
STUDENTS = ("ada-lovelace", "bob-of-the-class")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    course = tmp_path_factory.mktemp("forget") / "course"
    create_assignment(course, STEM)
    for student in STUDENTS:
        answers = {EXERCISE: f"{reference_answers(STEM)[EXERCISE]}\nwho = '{student}'"}
        classroom.hand_in(course, student, STEM, submission_notebook(STEM, answers))
    grade_course(course, STEM)
    log = ErrorLog(course)
    for student in STUDENTS:
        log.add(f"the submission of {student}", f"ValueError: --- {student}")
        log.add(f"the result of {student}", "KeyError")
    log.add("the run", "OSError")
    return course


@pytest.fixture
def course(graded, tmp_path):
    shutil.copytree(graded, tmp_path / "course")
    return tmp_path / "course"


def traces(course, student):
    """List the files whose name or content has a student's name."""
    return [
        path
        for path in course.rglob("*")
        if student in str(path.relative_to(course))
        or (path.is_file() and student.encode() in path.read_bytes())
    ]


def test_nothing_of_the_student_is_left_and_the_others_keep_everything(course, capsys):
    ada, bob = STUDENTS
    before = {path: path.read_bytes() for path in course.glob(f"*/{bob}/**/*.*")}
    assert main(["forget", str(course), ada]) == 0
    said = capsys.readouterr().out
    assert f"submitted/{ada}" in said and f"the results of {STEM}" in said
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        with pytest.raises(MissingEntry):
            gradebook.find_student(ada)
        assert gradebook.find_submission(STEM, bob).score > 0
    assert traces(course, ada) == []
    assert before and all(path.read_bytes() == content for path, content in before.items())
    with open(course / "reports" / f"{STEM}.csv", encoding="utf-8-sig") as file:
        assert [row["student"] for row in csv.DictReader(file)] == [bob]
    log = ErrorLog(course).path.read_text(encoding="utf-8")
    assert log.count("--- 20") == 3 and "the run" in log


def test_after_the_last_student_there_is_no_report(course):
    for student in STUDENTS:
        assert main(["forget", str(course), student]) == 0
    assert not list((course / "reports").iterdir())


@pytest.mark.parametrize(
    "student, words",
    [
        ("ada-lovelac", "did you mean ada-lovelace?"),
        ("nobody", "nothing is known of nobody"),
        ("../submitted", "cannot be a student's name"),
        ("", "cannot be a student's name"),
    ],
)
def test_an_unknown_student_is_one_line_and_removes_nothing(course, capsys, student, words):
    before = {path for path in course.rglob("*")}
    assert main(["forget", str(course), student]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words in said
    assert {path for path in course.rglob("*")} == before
