"""What grading would do: the plan that a run carries out and that its preview shows."""

import contextlib
import shutil
import unicodedata
from dataclasses import replace

import pytest
from small_course import EXERCISE, STEM, answered, hand_in

from autograder.building.stock_nbgrader import create_assignment
from autograder.cli import main
from autograder.course_error import CourseError
from autograder.grading import cluster
from autograder.grading.course import Options
from autograder.grading.errors import ErrorLog
from autograder.grading.handed_in import ALL_COUNT
from autograder.grading.journal import Journal
from autograder.grading.plan import preview_course
from autograder.grading.run import grade_course
from autograder.grading.worker import result_without_run
from autograder.results import Outcome, Status


@pytest.fixture(scope="module")
def made_course(tmp_path_factory):
    course = tmp_path_factory.mktemp("plan") / "course"
    create_assignment(course, STEM)
    for student in ("ada", "bob"):
        hand_in(course, student)
    return course


@pytest.fixture
def course(made_course, tmp_path):
    return shutil.copytree(made_course, tmp_path / "course")


@pytest.fixture
def interrupted(course):
    """A course whose grading was interrupted between the journal and the gradebook, for one."""
    ada = preview_course(course, STEM).tasks[0]
    result = result_without_run(ada, Status.GRADED, "", Outcome.PASSED)
    journal = Journal(course, STEM)
    journal.add(result, ALL_COUNT)
    journal.close()
    return course


def dry_run(course, capsys, *options):
    assert main(["grade", str(course), STEM, "--dry-run", *options]) == 0
    return capsys.readouterr().out


def test_a_preview_does_not_promise_what_an_interrupted_run_has_graded(interrupted, capsys):
    said = dry_run(interrupted, capsys)
    assert "1 to grade, 0 unchanged" in said and "to grade: bob\n" in said
    assert "graded by an interrupted run, still to be stored: ada\n" in said


def test_what_an_interrupted_run_has_graded_is_graded_again_where_one_asks_for_it(
    interrupted, capsys
):
    assert main(["explain", str(interrupted), STEM, "ada"]) == 0
    assert "2 to grade, 0 unchanged" in dry_run(interrupted, capsys, "--regrade")


def test_a_run_does_what_its_preview_says(interrupted, monkeypatch):
    handed_out = []

    def prepare_workers(tasks, scheduler, workers):
        handed_out.extend(tasks)
        raise CourseError("the workers are not there")

    promised = preview_course(interrupted, STEM)
    monkeypatch.setattr(cluster, "prepare_workers", prepare_workers)
    with pytest.raises(CourseError, match="the workers are not there"):
        grade_course(interrupted, STEM)
    assert tuple(handed_out) == promised.tasks and promised.to_grade == ["bob"]
    assert promised.only_stored == ["ada"] and promised.unchanged == ()


def test_a_submission_that_has_changed_since_is_graded(interrupted, capsys):
    hand_in(interrupted, "ada", answered(f"def {EXERCISE.id}(*args): return 1"))
    said = dry_run(interrupted, capsys)
    assert "2 to grade" in said and "interrupted" not in said


def test_what_cannot_be_read_is_named_with_its_reason(course, capsys):
    (course / "submitted" / "eve" / STEM).mkdir(parents=True)
    said = dry_run(course, capsys)
    assert "2 to grade, 0 unchanged, 1 that cannot be read" in said
    assert "cannot be read: eve: no notebook was handed in" in said


def test_a_file_that_is_no_notebook_is_named_before_it_is_graded(course, capsys):
    hand_in(course, "eve").write_text("<html>Log in</html>", encoding="utf-8")
    said = dry_run(course, capsys)
    assert "2 to grade, 0 unchanged, 1 that cannot be read" in said
    assert "cannot be read: eve: the file is not a notebook (not JSON)" in said


def test_a_notebook_in_no_folder_of_an_assignment_is_named(course, capsys):
    submitted = course / "submitted"
    for name in ("eve.ipynb", "fay/assignment.ipynb", f"guy/{STEM.upper()}/assignment.ipynb"):
        (submitted / name).parent.mkdir(exist_ok=True, parents=True)
        (submitted / name).write_text("{}", encoding="utf-8")
    for name in (f"ada/{STEM}/.ipynb_checkpoints/a.ipynb", "ada/ch02_simple_rnn/a.ipynb"):
        (submitted / name).parent.mkdir(exist_ok=True, parents=True)
        (submitted / name).write_text("{}", encoding="utf-8")
    names = f"eve.ipynb; fay/assignment.ipynb; guy/{STEM.upper()}/assignment.ipynb"
    said = dry_run(course, capsys)
    assert f"in submitted/, but in no folder of an assignment: {names}\n" in said
    for student in ("ada", "bob"):
        shutil.rmtree(submitted / student / STEM)
    assert main(["grade", str(course), STEM]) == 1
    assert "; eve.ipynb is in no folder of an assignment" in capsys.readouterr().err


def test_a_name_that_is_no_text_is_printed_all_the_same(course, capsys):
    # As Latin-1 becomes when an archive from Windows is unpacked.
    (course / "submitted" / "caf\udce9.ipynb").write_text("{}", encoding="utf-8")
    assert "in no folder of an assignment: caf?.ipynb\n" in dry_run(course, capsys)


def test_a_name_is_found_however_its_accents_are_spelled(course, tmp_path):
    """Folders that a Mac has packed have e and an accent where a keyboard gives é."""
    typed, packed = (unicodedata.normalize(form, "zoé") for form in ("NFC", "NFD"))
    hand_in(course, packed)
    only = preview_course(course, STEM, Options(students=[typed]))
    assert only.to_grade == [packed]
    export = tmp_path / "export"
    for name in (typed, "ada"):
        shutil.copytree(course / "submitted" / packed / STEM, export / name)
    found = preview_course(course, STEM, Options(exported=export))
    assert found.to_grade == ["ada", packed]
    assert [one.student for one in found.exported] == ["ada", packed]
    hand_in(course, typed)  # two folders are two students
    assert preview_course(course, STEM, Options(students=[typed])).to_grade == [typed]
    assert preview_course(course, STEM, Options(exported=export)).to_grade == ["ada", typed]


def test_a_preview_changes_nothing_in_the_course_folder(course, capsys):
    before = {path: path.lstat().st_mtime_ns for path in course.rglob("*")}
    assert ".autograder" not in {path.name for path in before}
    assert "2 to grade" in dry_run(course, capsys)
    assert {path: path.lstat().st_mtime_ns for path in course.rglob("*")} == before


def test_a_preview_reads_what_was_graded_and_leaves_it(interrupted, capsys):
    journal = interrupted / ".autograder" / f"{STEM}.journal"
    journal.write_text(journal.read_text() + '{"cut o')
    before = {path: path.read_bytes() for path in journal.parent.iterdir()}
    assert "still to be stored: ada\n" in dry_run(interrupted, capsys)
    assert {path: path.read_bytes() for path in journal.parent.iterdir()} == before
    with contextlib.closing(Journal(interrupted, STEM)):
        assert main(["grade", str(interrupted), STEM, "--dry-run"]) == 1
    assert "is being graded by another run" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["grade", "--dry-run"], ["explain"]])
def test_an_internal_error_in_a_preview_is_one_line(course, capsys, monkeypatch, command):
    def fail(*_):
        raise ArithmeticError("nobody has foreseen it")

    monkeypatch.setattr("autograder.intake.submissions.read_submitted", fail)
    student = ["ada"] if command == ["explain"] else []
    assert main([*command, str(course), STEM, *student]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "nobody has foreseen it" in said
    log = ErrorLog(course).path
    assert str(log) in said and "in fail" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: is a directory"),
        ("[]", "is not a notebook; release the assignment again"),
        ('{"nbformat": 4, "cells": [1], "metadata": {}}', "is not a notebook; release"),
        ("{", "is not a notebook; release"),
    ],
)
def test_a_released_notebook_that_cannot_be_read_is_one_line(course, capsys, text, words):
    path = course / "release" / STEM / "assignment.ipynb"
    path.unlink()
    path.write_text(text) if text else path.mkdir()
    assert main(["grade", str(course), STEM, "--dry-run"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"autograder: {path} {words}") and said.count("\n") == 1


def test_an_unchanged_submission_is_graded_again_only_when_that_is_asked(course):
    tasks = preview_course(course, STEM).tasks
    journal = Journal(course, STEM)
    for task in tasks:
        result = result_without_run(task, Status.GRADED, "", Outcome.PASSED)
        journal.add(result, ALL_COUNT)
        journal.mark_stored(result)
    journal.close()
    kept = preview_course(course, STEM)
    assert (kept.to_grade, kept.unchanged, kept.pending) == ([], ("ada", "bob"), ())
    again = preview_course(course, STEM, Options(regrade=True))
    assert (again.to_grade, again.unchanged) == (["ada", "bob"], ())
    some = preview_course(course, STEM, replace(Options(regrade=True), students=["bob"]))
    assert some.to_grade == ["bob"]


def test_workers_behind_a_scheduler_are_told_which_files_the_marks_rest_on(course):
    here, elsewhere = (
        preview_course(course, STEM, Options(scheduler=scheduler)).tasks
        for scheduler in (None, "tcp://there:8786")
    )
    assert {task.files_digest for task in here} == {""}
    assert len({task.files_digest for task in elsewhere}) == 1
    assert [replace(task, files_digest="") for task in elsewhere] == list(here)
