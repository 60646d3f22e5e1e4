"""What a run changed: whose mark changed, from what to what, and why."""

import re

import pytest
from small_course import (
    EXERCISE,
    STEM,
    answered,
    configure,
    graded_course,
    hand_in,
    mark_by_hand,
)

from autograder.cli import main
from autograder.grading.plan import preview_course
from autograder.grading.report import report_course
from autograder.grading.run import grade_course
from autograder.reports.changes import mark_changes
from autograder.reports.last_report import ReportedMark
from autograder.results import ExerciseResult, Outcome, Result, Status

WRONG = answered("changed = 1")


@pytest.fixture(scope="module")
def graded(tmp_path_factory, standing_workers):
    return graded_course(tmp_path_factory.mktemp("changes"), {"ada": None, "bob": WRONG})


def changes(run):
    return {one.student: (one.before, one.after, one.why) for one in run.reports.changes}


def test_first_marks_and_unchanged_ones_are_not_listed(course):
    hand_in(course, "cem")
    run = grade_course(course, STEM)
    assert run.graded == 1 and changes(run) == {}
    assert "in the last report" not in run.report.read_text(encoding="utf-8")


def test_another_submission(course, capsys):
    hand_in(course, "bob")
    assert main(["grade", str(course), STEM]) == 0
    said = capsys.readouterr()
    assert "1 mark differs from the last report" in said.out
    assert "computed again" not in said.err
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    (row,) = re.findall(r"<tr><th[^\n]*another submission[^\n]*", page)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", row)
    assert cells == ["0", f"{EXERCISE.points:g}", "another submission", EXERCISE.title]
    # The next report speaks of what is new since this one.
    assert changes(grade_course(course, STEM)) == {}


def test_a_mark_by_hand_and_one_that_is_taken_back(course):
    mark_by_hand(course, "bob", 1)
    assert changes(report_course(course, STEM)) == {"bob": (0, 1, "marked by hand")}
    assert changes(report_course(course, STEM)) == {}
    mark_by_hand(course, "bob", None)
    assert changes(report_course(course, STEM)) == {"bob": (1, 0, "the mark by hand is gone")}


def test_a_change_of_what_marks_rest_on_is_announced(course, capsys):
    mark_by_hand(course, "bob", 1)
    report_course(course, STEM)
    hand_in(course, "bob", answered("changed = 2"))
    configure(course, cell_seconds=100)
    preview = preview_course(course, STEM)
    assert preview.to_grade == ["ada", "bob"] and preview.outdated == ("ada",)
    assert main(["grade", str(course), STEM, "--dry-run"]) == 0
    announced = "1 mark is computed again although the submission has not changed, because the "
    assert announced in capsys.readouterr().out
    assert main(["grade", str(course), STEM]) == 0
    assert announced in capsys.readouterr().err
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "another submission; the mark by hand is gone" in page


def result(points, **facts):
    verdict = ExerciseResult("rmse", "rmse_check", "An error", points, 3, Outcome.FAILED)
    facts = {"status": Status.GRADED, "digest": "d", "submission_digest": "s"} | facts
    return Result("ada", STEM, exercises=(verdict,), **facts)


@pytest.mark.parametrize(
    "after, change",
    [
        (result(1), None),
        (result(1, digest="e"), None),
        (result(3), (1, 3, "graded again")),
        (result(3, digest="e"), (1, 3, "the checks, or the conditions of grading, have changed")),
        (result(3, digest="e", submission_digest="t"), (1, 3, "another submission")),
        (result(1, penalty=0.5), (1, 0.5, "another penalty for handing in late")),
        (result(1, digest="e", status=Status.NEEDS_REVIEW), (1, None, "the checks, or the")),
    ],
)
def test_every_change_has_its_reason(after, change):
    found = mark_changes({"ada": ReportedMark.of(result(1))}, [after])
    assert len(found) == (change is not None)
    for one in found:
        assert (one.before, one.after) == change[:2] and one.why.startswith(change[2])
        assert one.exercises == (("An error",) if after.points == 3 else ())


def test_a_mark_that_waited_and_still_waits_is_no_change():
    waits = {"status": Status.NEEDS_REVIEW}
    before = {"ada": ReportedMark.of(result(1, **waits))}
    assert not mark_changes(before, [result(2, **waits)])  # some of it is marked by hand
    (change,) = mark_changes(before, [result(1)])
    assert (change.before, change.after) == (None, 1)


def test_a_file_that_cannot_be_read_has_no_mark_that_is_computed_again(course):
    hand_in(course, "cem").write_text("no notebook", encoding="utf-8")
    grade_course(course, STEM)
    configure(course, cell_seconds=100)
    preview = preview_course(course, STEM)
    assert preview.outdated == ("ada", "bob") and preview.unreadable.keys() == {"cem"}
