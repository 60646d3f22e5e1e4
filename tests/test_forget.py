"""Forgetting a student: nothing is left in the course folder, and nobody else changes."""

import contextlib
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest
from nbgrader.api import Gradebook, MissingEntry
from small_course import ANSWER, STEM, answered, graded_course, report_rows

from autograder.cli import main
from autograder.grading import worker
from autograder.grading.errors import ErrorLog
from autograder.grading.journal import Journal
from autograder.reports.last_report import read_reported, write_reported

STUDENTS = ("ada-lovelace_11", "bob-of-the-class_12")
ROSTERS = {
    "canvas": "Student,ID,Section\nAda,11,A\nBob,12,A\n",
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


def test_what_a_killed_run_was_writing_is_removed(course, capsys):
    ada, _ = STUDENTS
    killed = """
import os, sys
from pathlib import Path
from autograder.files import replace_file
Path.replace = lambda *_: os._exit(0)
replace_file(*sys.argv[1:])
"""
    for path in (f".autograder/cells/{STEM}/{ada}.json", f".autograder/{STEM}.journal"):
        subprocess.run([sys.executable, "-c", killed, course / path, ada], check=True)
    (course / "reports" / f"{STEM}.csv.0123abcd.draft").write_text(ada)
    assert len([path for path in traces(course, ada) if path.suffix == ".draft"]) == 3
    assert main(["forget", str(course), ada]) == 0
    assert traces(course, ada) == []


def test_a_file_in_place_of_the_students_folder_is_removed(course, capsys):
    (course / "submitted" / "eve-adams_13").write_text("eve")
    assert main(["forget", str(course), "eve-adams_13"]) == 0
    assert "removed for eve-adams_13: submitted/eve-adams_13\n" in capsys.readouterr().out
    assert traces(course, "eve-adams_13") == []


def test_a_traceback_of_explain_is_forgotten(course, capsys, monkeypatch):
    ada, _ = STUDENTS

    def fail(*_):
        raise RuntimeError(f"out of order: {ada}")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "rebuild", fail)
        assert main(["explain", str(course), STEM, ada]) == 1
    assert f"out of order: {ada}" in ErrorLog(course).path.read_text(encoding="utf-8")
    assert main(["forget", str(course), ada]) == 0
    assert traces(course, ada) == []


def test_the_others_keep_pages_in_their_language(course, capsys):
    ada, bob = STUDENTS
    page = course / "feedback" / bob / STEM / "assignment.html"
    english = page.read_text(encoding="utf-8")
    assert main(["forget", str(course), ada, "--language", "zh"]) == 0
    assert 'lang="zh' in page.read_text(encoding="utf-8") and 'lang="en"' in english


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


def test_the_names_in_other_assignments_are_said_and_nothing_of_them_removed(course, capsys):
    ada, bob = STUDENTS
    here = read_reported(course, STEM)
    here = {student: replace(one, name=student.split("_")[0]) for student, one in here.items()}
    elsewhere = {"ada-lovelace_31": here[ada], "bob-of-the-class_12": here[bob]}
    write_reported(course, STEM, here)
    write_reported(course, "another", elsewhere)
    assert main(["forget", str(course), ada]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert "stored in other assignments as ada-lovelace_31; nothing was removed there" in said
    assert read_reported(course, "another") == elsewhere
    assert main(["forget", str(course), bob]) == 0
    assert "seems" not in capsys.readouterr().out


def test_after_the_last_student_there_is_no_report(course):
    for student in STUDENTS:
        assert main(["forget", str(course), student]) == 0
    assert not list((course / "reports").iterdir())


@pytest.fixture
def listed(course, tmp_path):
    """The course with a file for a platform that names both students."""
    (tmp_path / "list.csv").write_text(ROSTERS["canvas"], encoding="utf-8")
    assert main(["report", str(course), STEM, "--roster", str(tmp_path / "list.csv")]) == 0
    return course


def complaint(capsys, course, student):
    """Return the one line with which forgetting a student fails."""
    capsys.readouterr()
    assert main(["forget", str(course), student]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.usefixtures("impatient")
def test_a_busy_gradebook_loses_nothing_and_forgetting_again_leaves_nothing(listed, capsys):
    ada, bob = STUDENTS
    before = traces(listed, ada)
    with contextlib.closing(sqlite3.connect(listed / "gradebook.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        said = complaint(capsys, listed, ada)
    assert "database is locked" in said and "run this again" in said
    assert traces(listed, ada) == before
    assert main(["forget", str(listed), ada]) == 0
    assert traces(listed, ada) == [] and list(report_rows(listed)) == [bob]


def test_a_busy_journal_loses_nothing(listed, capsys):
    before = traces(listed, STUDENTS[0])
    with contextlib.closing(Journal(listed, STEM)):
        assert "is being graded by another run" in complaint(capsys, listed, STUDENTS[0])
    assert traces(listed, STUDENTS[0]) == before


def test_a_first_run_that_has_no_result_yet_keeps_the_student(listed, capsys):
    before = traces(listed, STUDENTS[0])
    with contextlib.closing(Journal(listed, "another")) as first:
        assert not first.path.exists()
        assert "is being graded by another run" in complaint(capsys, listed, STUDENTS[0])
    assert traces(listed, STUDENTS[0]) == before


def test_a_report_that_cannot_be_written_is_named_until_it_can_be(listed, capsys):
    ada, bob = STUDENTS
    write_reported(listed, "another", read_reported(listed, STEM))
    (listed / "reports" / "another.html").write_text(ada)
    (listed / "release").rename(listed / "elsewhere")
    for _ in range(2):
        said = complaint(capsys, listed, ada)
        assert f"the report of {STEM} could not be written again and still names {ada}" in said
        assert "`autograder release" in said
        assert ada in report_rows(listed)
    # What could be done is done.
    assert not (listed / "submitted" / ada).exists() and not traces(listed, "another.html")
    (listed / "elsewhere").rename(listed / "release")
    assert main(["forget", str(listed), ada]) == 0
    assert f"the report of {STEM}" in capsys.readouterr().out
    assert traces(listed, ada) == [] and list(report_rows(listed)) == [bob]
    assert "nothing is known of" in complaint(capsys, listed, ada)


@pytest.mark.usefixtures("impatient")
def test_a_report_without_the_gradebook_is_no_report(course, capsys, monkeypatch):
    """The gradebook goes away when the student is removed from it and the reports are written."""
    ada, bob = STUDENTS
    locks = []

    def then_lock(*arguments):
        locks.append(sqlite3.connect(course / "gradebook.db"))
        locks[0].execute("BEGIN EXCLUSIVE")

    with monkeypatch.context() as patch:
        patch.setattr(ErrorLog, "forget", then_lock)
        said = complaint(capsys, course, ada)
    locks[0].close()
    assert "database is locked" in said and f"still names {ada}" in said
    assert main(["forget", str(course), ada]) == 0
    assert traces(course, ada) == [] and list(report_rows(course)) == [bob]


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
