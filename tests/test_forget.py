"""Forgetting a student: nothing is left in the course folder, and nobody else changes."""

import pytest
from nbgrader.api import Gradebook, MissingEntry
from small_course import ANSWER, STEM, answered, graded_course, report_rows

from autograder.cli import main
from autograder.grading.errors import ErrorLog

STUDENTS = ("ada-lovelace_11", "bob-of-the-class_12")
ROSTERS = {
    "canvas": "Student,ID\nAda,11\nBob,12\n",
    "moodle": "Identifier,Full name,Grade\nParticipant 11,Ada,\nParticipant 12,Bob,\n",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    notebooks = {student: answered(f"{ANSWER}\nwho = '{student}'") for student in STUDENTS}
    course = graded_course(tmp_path_factory.mktemp("forget"), notebooks)
    log = ErrorLog(course)
    for student in STUDENTS:
        log.add(f"the submission of {student}", f"ValueError: --- {student}")
        log.add(f"the result of {student}", "KeyError")
    log.add("the run", "OSError")
    return course


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
    assert list(report_rows(course)) == [bob]
    log = ErrorLog(course).path.read_text(encoding="utf-8")
    assert log.count("--- 20") == 3 and "the run" in log


def test_no_file_for_a_platform_keeps_the_student(course, tmp_path, capsys):
    for platform, text in ROSTERS.items():
        (tmp_path / "list.csv").write_text(text, encoding="utf-8")
        assert main(["report", str(course), STEM, "--roster", str(tmp_path / "list.csv")]) == 0
        written = course / "reports" / f"{STEM}-{platform}.csv"
        assert "Ada" in written.read_text(encoding="utf-8-sig")
    assert main(["forget", str(course), STUDENTS[0]]) == 0
    said = capsys.readouterr().out
    assert f"reports/{STEM}-canvas.csv, reports/{STEM}-moodle.csv" in said
    kept = {path.name for path in (course / "reports").iterdir()}
    assert kept == {f"{STEM}.html", f"{STEM}.csv"}


def test_after_the_last_student_there_is_no_report(course):
    for student in STUDENTS:
        assert main(["forget", str(course), student]) == 0
    assert not list((course / "reports").iterdir())


@pytest.mark.parametrize(
    "student, words",
    [
        ("ada-lovelace", "did you mean ada-lovelace_11?"),
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
