"""The zip of another assignment: it is stopped, and what it replaced all the same comes back."""

import zipfile

import nbformat
import pytest
from nbgrader.api import Gradebook
from small_course import EXERCISE, STEM, answered, graded_course, mark_by_hand, totals

from autograder.building.made_up_submissions import submission_notebook
from autograder.cli import main
from autograder.grading.gradebook import CourseGradebook, GradebookUnavailable
from autograder.grading.journal import Journal
from autograder.results import Flag

OTHER = "ch02_simple_rnn"
RIGHT = nbformat.writes(answered())
NOT_RIGHT = nbformat.writes(answered("changed = 1"))
OF_OTHER = nbformat.writes(submission_notebook(OTHER, {}))
ADA, BOB, CEM = "adalovelace_11", "bobbarker_12", "cemcetin_13"


@pytest.fixture(scope="module")
def graded(tmp_path_factory, standing_workers):
    """A course graded from Canvas, in which Ada has a mark by hand with a comment."""
    folder = tmp_path_factory.mktemp("wrong")
    course = graded_course(folder, {"nobody": None})
    files = {ADA: NOT_RIGHT, BOB: RIGHT, CEM: RIGHT}
    assert (
        main(["grade", str(course), STEM, "--from", str(export(folder, "right", 50, files))]) == 0
    )
    mark_by_hand(course, ADA, 1.5, "Nearly: look at the last step.")
    assert main(["report", str(course), STEM]) == 0
    return course


def export(folder, name, attempt, files):
    """Write a zip as Canvas does; ``attempt`` is a number that it gives to the first file."""
    path = folder / f"{name}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, (student, text) in enumerate(files.items(), start=attempt):
            archive.writestr(f"{student}_{number}_assignment.ipynb", text)
    return path


@pytest.fixture
def wrong(tmp_path):
    return export(tmp_path, "wrong", 90, dict.fromkeys((ADA, BOB, CEM), OF_OTHER))


def entered(course, student):
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        grade = gradebook.find_grade(EXERCISE.check_id, "assignment", STEM, student)
        comment = gradebook.find_comment(EXERCISE.id, "assignment", STEM, student)
        return grade.manual_score, comment.manual_comment


def page(course, student):
    return (course / "feedback" / student / STEM / "assignment.html").read_text(encoding="utf-8")


def report(course):
    return (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")


def grade(course, path, *options):
    return main(["grade", str(course), STEM, "--from", str(path), *options])


def test_it_is_stopped_and_nothing_has_changed(course, wrong, capsys):
    assert totals(course)[ADA] == 1.5 and "Nearly" in page(course, ADA)
    before = {path: path.read_bytes() for path in course.rglob("*.*") if path.is_file()}
    assert grade(course, wrong, "--dry-run") == 1
    said = capsys.readouterr().out
    objection = f"3 of the 3 notebooks in {wrong} belong to another assignment, {OTHER}"
    assert said.startswith(f"this run will not start without --anyway: {objection}")
    assert grade(course, wrong) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert objection in line and "nothing was graded, --anyway grades them" in line
    after = {path: path.read_bytes() for path in course.rglob("*.*") if path.is_file()}
    assert after == before


def test_a_few_students_with_another_notebook_stop_nothing(course, tmp_path, capsys):
    mixed = export(tmp_path, "mixed", 90, {ADA: OF_OTHER, BOB: RIGHT})
    assert grade(course, mixed, "--dry-run") == 0
    assert "--anyway" not in capsys.readouterr().out
    assert grade(course, mixed) == 0
    assert totals(course)[ADA] == 0 and totals(course)[BOB] == EXERCISE.points


def test_the_right_zip_alone_undoes_it_and_brings_back_what_was_entered_by_hand(
    course, wrong, tmp_path
):
    right = export(tmp_path, "right", 50, {ADA: NOT_RIGHT, BOB: RIGHT, CEM: RIGHT})
    before = totals(course)
    assert grade(course, wrong, "--anyway") == 0
    assert set(totals(course).values()) == {0, EXERCISE.points}
    # No comment stands beside a mark that it was not written for.
    assert entered(course, ADA) == (None, None) and "Nearly" not in page(course, ADA)
    assert Flag.MANUAL_MARK_DROPPED.value in report(course)
    assert Flag.COMMENT_DROPPED.value in report(course)
    assert grade(course, right) == 0  # its attempts are older, of another assignment's they are not
    assert totals(course) == before
    assert entered(course, ADA) == (1.5, "Nearly: look at the last step.")
    assert "Nearly" in page(course, ADA) and "Marked by your instructor" in page(course, ADA)
    assert Flag.MANUAL_MARK_DROPPED.value not in report(course)


def test_what_a_person_entered_for_either_submission_stays_with_it(course, tmp_path):
    first = export(tmp_path, "first", 50, {ADA: NOT_RIGHT})
    second = export(tmp_path, "second", 60, {ADA: RIGHT})
    assert grade(course, second) == 0
    mark_by_hand(course, ADA, 0.5, "Copied.")
    assert grade(course, first, "--allow-older") == 0
    assert entered(course, ADA) == (1.5, "Nearly: look at the last step.")
    mark_by_hand(course, ADA, 2, "I have thought about it.")
    assert grade(course, second) == 0
    assert entered(course, ADA) == (0.5, "Copied.")
    assert grade(course, first, "--allow-older") == 0
    assert entered(course, ADA) == (2, "I have thought about it.")


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interruption_mixes_nothing_up(course, wrong, tmp_path, monkeypatch, when):
    """The gradebook goes away just before or just after the marks of a submission are written."""
    write = CourseGradebook.write

    def interrupted(gradebook, result, by_hand):
        if when == "after":
            write(gradebook, result, by_hand)
        raise GradebookUnavailable("gone")

    monkeypatch.setattr("autograder.grading.store.time.sleep", lambda seconds: None)
    right = export(tmp_path, "right", 50, {ADA: NOT_RIGHT, BOB: RIGHT, CEM: RIGHT})
    for path, options, expected in (
        (wrong, ["--anyway", "--student", ADA], (None, None)),
        (right, ["--student", ADA], (1.5, "Nearly: look at the last step.")),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(CourseGradebook, "write", interrupted)
            assert grade(course, path, *options) == 1
        assert grade(course, path, *options) == 0
        assert entered(course, ADA) == expected
    assert Flag.MANUAL_MARK_DROPPED.value not in report(course)
    journal = Journal(course, STEM)
    assert journal.latest()[ADA].flags == ()
    journal.close()
