"""What people enter in the gradebook is never lost, whatever happens to a run beside it."""

import shutil

import nbformat
import pytest
from nbgrader.api import Gradebook
from small_course import (
    EXERCISE,
    STEM,
    answered,
    graded_course,
    hand_in,
    mark_by_hand,
    report_rows,
    totals,
)

from autograder.cli import main
from autograder.grading.gradebook import CourseGradebook, GradebookUnavailable
from autograder.grading.journal import Journal
from autograder.results import Flag

WRONG, OTHER = answered("changed = 1"), answered("changed = 2")
MARK = EXERCISE.points / 2


@pytest.fixture(scope="module")
def graded(tmp_path_factory, standing_workers):
    """Ada's answer is wrong, and a person has given half the points for it."""
    course = graded_course(tmp_path_factory.mktemp("by_hand"), {"ada": WRONG})
    mark_by_hand(course, "ada", MARK)
    return course


def grade(course, *options):
    return main(["grade", str(course), STEM, *options])


def entry(course):
    """Return the mark by hand and whether it waits for a person."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        grade = gradebook.find_grade(EXERCISE.check_id, "assignment", STEM, "ada")
        return grade.manual_score, grade.needs_manual_grade


def locked(*arguments, **options):
    """Write as `CourseGradebook.write` does while another program has the gradebook."""
    raise GradebookUnavailable("gradebook.db: database is locked")


def flags(course):
    journal = Journal(course, STEM)
    journal.close()
    return journal.latest()["ada"].flags


def test_without_the_journal_they_stay_and_formgrader_asks_for_them_again(course):
    shutil.rmtree(course / ".autograder")  # as `cp -r my-course/* elsewhere/` leaves it behind
    assert grade(course) == 0
    assert entry(course) == (MARK, True) and Flag.MANUAL_MARK_DROPPED not in flags(course)
    assert totals(course) == {"ada": MARK}


def give_extra_credit(course, points):
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        grade = gradebook.find_grade(EXERCISE.check_id, "assignment", STEM, "ada")
        grade.manual_score, grade.extra_credit = None, points
        gradebook.db.commit()


def test_extra_credit_alone_is_a_mark_by_hand(course):
    give_extra_credit(course, 0.5)
    assert main(["report", str(course), STEM]) == 0 and totals(course) == {"ada": 0.5}
    for notebook, total in ((OTHER, 0), (WRONG, 0.5)):
        hand_in(course, "ada", notebook)
        assert grade(course) == 0 and totals(course) == {"ada": total}
    shutil.rmtree(course / ".autograder")
    assert grade(course) == 0
    assert entry(course) == (None, True) and totals(course) == {"ada": 0.5}


def test_a_mark_that_is_no_number_of_points_does_not_count(course):
    mark_by_hand(course, "ada", float("inf"))
    assert main(["report", str(course), STEM]) == 0 and totals(course) == {"ada": 0}


def test_what_has_been_decided_does_not_wait_again(course):
    assert grade(course, "--regrade") == 0
    assert entry(course) == (MARK, False) and totals(course) == {"ada": MARK}


def test_what_is_entered_after_a_run_that_could_not_write_a_file_stays(course, capsys):
    page = course / "feedback" / "ada"
    shutil.rmtree(page)
    page.write_text("in the way")
    hand_in(course, "ada", OTHER)
    assert grade(course) == 1 and "is no longer there" not in capsys.readouterr().err
    assert entry(course) == (None, False)  # the old mark is set aside
    mark_by_hand(course, "ada", MARK / 2)
    page.unlink()
    assert grade(course) == 0
    assert entry(course) == (MARK / 2, False) and totals(course) == {"ada": MARK / 2}
    for notebook, mark in ((WRONG, MARK), (OTHER, MARK / 2)):  # each with its submission
        hand_in(course, "ada", notebook)
        assert grade(course) == 0 and totals(course) == {"ada": mark}


@pytest.mark.usefixtures("impatient")
def test_to_grade_again_means_also_what_could_not_be_stored(course, monkeypatch, capsys):
    hand_in(course, "ada", OTHER)
    with monkeypatch.context() as patch:
        patch.setattr(CourseGradebook, "write", locked)
        assert grade(course) == 1
    capsys.readouterr()
    assert grade(course, "--regrade") == 0
    assert capsys.readouterr().out.startswith("1 graded")
    # What has been said of the submission is said again.
    assert entry(course) == (None, False) and Flag.MANUAL_MARK_DROPPED in flags(course)
    assert grade(course, "--regrade") == 0 and Flag.MANUAL_MARK_DROPPED in flags(course)


@pytest.mark.usefixtures("impatient")
def test_what_is_entered_last_counts_while_the_gradebook_cannot_be_written(course, monkeypatch):
    """Its submission has been replaced, and the gradebook does not know that yet."""
    for mark in (MARK / 2, MARK / 4):  # each time without a run that could write it
        hand_in(course, "ada", OTHER)
        with monkeypatch.context() as patch:
            patch.setattr(CourseGradebook, "write", locked)
            assert grade(course) == 1
        mark_by_hand(course, "ada", mark)
    assert grade(course) == 0 and entry(course) == (None, False)
    hand_in(course, "ada", WRONG)
    assert grade(course) == 0 and entry(course) == (MARK / 4, False)


def test_who_was_not_asked_for_has_handed_in_as_well(course, tmp_path):
    hand_in(course, "bob", answered())
    (tmp_path / "list.csv").write_text("student\nada\nbob\ncem\n", encoding="utf-8")
    roster = ("--roster", str(tmp_path / "list.csv"))
    for command in (("grade", "--student", "ada"), ("report",)):
        assert main([command[0], str(course), STEM, *command[1:], *roster]) == 0
        assert report_rows(course).keys() == {"ada", "cem"}
        assert report_rows(course)["cem"]["status"] == "missing"


def test_a_folder_whose_name_cannot_be_kept_is_forgotten_with_its_student(course):
    path = hand_in(course, "John Smith Jr.", answered())
    assert grade(course) == 0
    (student,) = totals(course).keys() - {"ada"}
    assert student != "John Smith Jr."
    assert main(["forget", str(course), student]) == 0
    assert not path.parent.parent.exists()
    assert nbformat.read(course / "submitted" / "ada" / STEM / "assignment.ipynb", 4)
