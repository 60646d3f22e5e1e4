"""Late submissions: the due dates, extensions and penalties that nbgrader knows."""

import contextlib
import re
import sqlite3
import sys

import pytest
from nbgrader.api import Gradebook
from small_course import EXERCISE, STEM, graded_course, mark_by_hand, report_rows, set_due

from autograder.building.stock_nbgrader import nbgrader_api
from autograder.cli import main
from autograder.course.chapters import ROOT
from autograder.grading.course_config import read_settings
from autograder.grading.late_policy import LatePolicy
from autograder.grading.report import report_course

ONE_POINT_AN_HOUR = """\
from nbgrader.plugins import LateSubmissionPlugin


class OnePointAnHour(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return total_seconds_late / 3600


c = get_config()
c.AssignLatePenalties.plugin_class = OnePointAnHour
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course with the same answer handed in by three students an hour apart, graded."""
    students = ("ada", "bob", "cem")
    times = {s: f"2026-03-02 {11 + i}:30:00.000000 UTC" for i, s in enumerate(students)}
    return graded_course(tmp_path_factory.mktemp("late"), dict.fromkeys(students), times)


def reported(course):
    report_course(course, STEM)
    return report_rows(course)


def test_without_a_due_date_nobody_is_late(course):
    rows = reported(course)
    assert [row["hours_late"] for row in rows.values()] == ["0", "0", "0"]
    assert len({row["total"] for row in rows.values()}) == 1


def test_a_due_date_without_a_policy_says_how_late_and_takes_nothing_off(course):
    set_due(course, "2026-03-02 12:00:00 UTC")
    run = report_course(course, STEM)
    rows = report_rows(course)
    assert [row["hours_late"] for row in rows.values()] == ["0", "0.5", "1.5"]
    assert [row["penalty"] for row in rows.values()] == ["0", "0", "0"]
    report = run.report.read_text(encoding="utf-8")
    assert "1 h 30 min" in report and "30 min" in report


def test_the_due_date_is_said_in_both_times(course, capsys, time_zone):
    assert main(["report", str(course), STEM]) == 0
    assert "handed in later" not in capsys.readouterr().out
    set_due(course, "2026-03-02 12:00:00 UTC")
    time_zone("America/New_York")
    assert main(["report", str(course), STEM]) == 0
    said = "2026-03-02 07:00 here (2026-03-02 12:00 UTC); 2 handed in later"
    assert f"due {said}\n" in capsys.readouterr().out
    report = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert f"Due {said}" in report and "Handed in after the due date" in report


def test_the_policy_of_the_course_takes_points_off_everywhere(course):
    set_due(course, "2026-03-02 12:00:00 UTC")
    (course / "nbgrader_config.py").write_text(ONE_POINT_AN_HOUR, encoding="utf-8")
    rows = reported(course)
    points = EXERCISE.points
    totals = [points, points - 0.5, max(points - 1.5, 0)]
    assert [float(row["total"]) for row in rows.values()] == totals
    page = (course / "feedback" / "bob" / STEM / "assignment.html").read_text(encoding="utf-8")
    assert f"earned {points:g} points, and 0.5 are taken off" in page
    in_nbgrader = {row["student"]: row for row in nbgrader_api(course).get_submissions(STEM)}
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        for student, total in zip(("ada", "bob", "cem"), totals, strict=True):
            submission = gradebook.find_submission(STEM, student)
            assert submission.score - submission.late_submission_penalty == total
            assert in_nbgrader[student]["score"] == submission.score


def test_an_extension_or_a_later_due_date_takes_the_penalty_back(course):
    set_due(course, "2026-03-02 12:00:00 UTC")
    (course / "nbgrader_config.py").write_text(
        'c = get_config()\nc.LateSubmissionPlugin.penalty_method = "zero"\n', encoding="utf-8"
    )
    rows = reported(course)
    assert [row["total"] for row in rows.values()] == [f"{EXERCISE.points:g}", "0", "0"]
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        gradebook.grant_extension(STEM, "bob", minutes=45)
    rows = reported(course)
    assert [row["penalty"] for row in rows.values()] == ["0", "0", f"{EXERCISE.points:g}"]
    set_due(course, "2026-03-05 12:00:00 UTC")
    rows = reported(course)
    assert {row["penalty"] for row in rows.values()} == {"0"}
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        submissions = gradebook.assignment_submissions(STEM)
        assert not any(submission.late_submission_penalty for submission in submissions)


NOTHING_WHEN_LATE = 'c = get_config()\nc.LateSubmissionPlugin.penalty_method = "zero"\n'


def feedback_page(course, student):
    return (course / "feedback" / student / STEM / "assignment.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("config", [NOTHING_WHEN_LATE, ""])
def test_grading_after_a_later_due_date_takes_it_from_the_page_too(course, config):
    set_due(course, "2026-03-02 12:00:00 UTC")
    (course / "nbgrader_config.py").write_text(config, encoding="utf-8")
    before = feedback_page(course, "bob")
    assert main(["grade", str(course), STEM]) == 0
    assert "after the due date" in feedback_page(course, "bob")
    set_due(course, "2026-03-05 12:00:00 UTC")
    assert main(["grade", str(course), STEM]) == 0
    assert feedback_page(course, "bob") == before


def test_grading_after_a_mark_by_hand_was_withdrawn_takes_it_from_the_page_too(course):
    before = feedback_page(course, "bob")
    mark_by_hand(course, "bob", 0.5, "See me.")
    assert main(["grade", str(course), STEM]) == 0
    page = feedback_page(course, "bob")
    assert "Marked by your instructor" in page and "See me." in page
    mark_by_hand(course, "bob", None)
    assert main(["grade", str(course), STEM]) == 0
    page = feedback_page(course, "bob")
    assert "Marked by your instructor" not in page and "See me." in page
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        gradebook.find_comment(EXERCISE.id, "assignment", STEM, "bob").manual_comment = None
        gradebook.db.commit()
    assert main(["grade", str(course), STEM]) == 0
    assert feedback_page(course, "bob") == before


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("command", ["grade", "report"])
def test_without_the_gradebook_no_mark_is_written_that_may_be_wrong(
    course, tmp_path, capsys, command
):
    set_due(course, "2026-03-02 12:00:00 UTC")
    (course / "nbgrader_config.py").write_text(NOTHING_WHEN_LATE, encoding="utf-8")
    people = "Student,ID,Section\nAda,ada,A\nBob,bob,A\nCem,cem,A\n"
    (tmp_path / "list.csv").write_text(people, encoding="utf-8")
    arguments = [command, str(course), STEM, "--roster", str(tmp_path / "list.csv")]
    assert main(arguments) == 0
    assert "marks to import" in capsys.readouterr().out
    reports, notice = course / "reports", "The gradebook could not be used"
    assert "Bob,bob,A,0" in (reports / f"{STEM}-canvas.csv").read_text(encoding="utf-8")
    written = [*reports.glob("*.csv"), *course.glob("feedback/**/*.html")]
    before = {path: path.read_bytes() for path in written}
    with contextlib.closing(sqlite3.connect(course / "gradebook.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert main(arguments) == 1
    said = capsys.readouterr()
    assert "marks to import" not in said.out and said.err.count("\n") == 1
    assert "no table of marks" in said.err and "nothing for a learning platform" in said.err
    assert {path: path.read_bytes() for path in written} == before
    assert notice in (reports / f"{STEM}.html").read_text(encoding="utf-8")
    assert main(arguments) == 0
    assert notice not in (reports / f"{STEM}.html").read_text(encoding="utf-8")
    assert {path: path.read_bytes() for path in written} == before


def test_a_policy_of_the_page_lies_in_a_file_of_the_course_folder(tmp_path):
    page = (ROOT / "book" / "grading.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (policy,) = (block for block in blocks if "BasePlugin" in block)
    (config,) = (block for block in blocks if '"late.' in block)
    # A name that no other course of this process has imported.
    (tmp_path / "late_of_the_page.py").write_text(policy, encoding="utf-8")
    config = config.replace('"late.', '"late_of_the_page.')
    (tmp_path / "nbgrader_config.py").write_text(config, encoding="utf-8")
    penalty = LatePolicy(tmp_path, read_settings(tmp_path).config).penalty
    a_day = 24 * 60 * 60
    assert [penalty("ada", 20, late) for late in (0, 1, a_day, a_day + 1)] == [0, 2, 2, 4]
    assert penalty("ada", 20, 30 * a_day) == 20 and str(tmp_path) not in sys.path


def test_a_file_of_the_course_folder_takes_no_modules_place(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    (tmp_path / "colorsys.py").write_text("0 / 0\n", encoding="utf-8")
    policy = ONE_POINT_AN_HOUR.partition("c =")[0]
    (tmp_path / "late_in_colour.py").write_text(f"import colorsys\n{policy}", encoding="utf-8")
    line = 'c.AssignLatePenalties.plugin_class = "late_in_colour.OnePointAnHour"'
    (tmp_path / "nbgrader_config.py").write_text(f"c = get_config()\n{line}\n", encoding="utf-8")
    assert LatePolicy(tmp_path, read_settings(tmp_path).config).penalty("ada", 20, 7200) == 2


def test_a_policy_may_import_when_it_is_asked(tmp_path):
    (tmp_path / "days_of_grace.py").write_text("DAYS = 2\n", encoding="utf-8")
    returned = "__import__('days_of_grace').DAYS"
    text = ONE_POINT_AN_HOUR.replace("total_seconds_late / 3600", returned)
    (tmp_path / "nbgrader_config.py").write_text(text, encoding="utf-8")
    assert LatePolicy(tmp_path, read_settings(tmp_path).config).penalty("ada", 20, 7200) == 2


def test_a_course_folder_that_is_searched_already_keeps_its_place(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text(ONE_POINT_AN_HOUR, encoding="utf-8")
    before = list(sys.path)
    assert LatePolicy(tmp_path, read_settings(tmp_path).config).penalty("ada", 20, 7200) == 2
    assert sys.path == before


@pytest.mark.parametrize(
    "line, said",
    [
        ("c.LateSubmissionPlugin.penalty_methd = 'zero'", "did you mean penalty_method"),
        ("c.AssignLatePenalties.plugin = 'late.Mine'", "there is no setting 'plugin'"),
        ("c.AssignLatePenalties.plugin_class = 'no_such.Mine'", "'no_such.Mine' could not be imp"),
        ("c.AssignLatePenalties.plugin_class = 'no_policy.Mine'", "expected an indented block"),
    ],
)
def test_a_policy_that_is_written_wrongly_is_one_line_in_a_dry_run_too(course, capsys, line, said):
    (course / "no_policy.py").write_text("class Mine:\n", encoding="utf-8")
    (course / "nbgrader_config.py").write_text(f"c = get_config()\n{line}\n", encoding="utf-8")
    for command in (["report"], ["grade", "--dry-run"]):
        assert main([*command, str(course), STEM]) == 1
        error = capsys.readouterr().err
        assert said in error and error.count("\n") == 1


@pytest.mark.parametrize("returned, taken", [("None", 0.0), ("-3", 0.0), ("99", 4.0), ("2.5", 2.5)])
def test_a_penalty_lies_between_nothing_and_the_score(tmp_path, returned, taken):
    text = ONE_POINT_AN_HOUR.replace("total_seconds_late / 3600", returned)
    (tmp_path / "nbgrader_config.py").write_text(text, encoding="utf-8")
    policy = LatePolicy(tmp_path, read_settings(tmp_path).config)
    assert policy.penalty("ada", 4.0, 7200) == taken


def test_the_instructors_python_is_run_once(course, tmp_path):
    said = tmp_path / "said"
    text = f"{ONE_POINT_AN_HOUR}open({str(said)!r}, 'a').write('I run. ')\n"
    (course / "nbgrader_config.py").write_text(text, encoding="utf-8")
    assert main(["report", str(course), STEM]) == 0
    assert said.read_text() == "I run. "


@pytest.mark.parametrize(
    "config, words",
    [
        ("c = get_config(\n", "nbgrader_config.py of"),
        ("raise KeyError('x')\n", "KeyError"),
        (
            "c = get_config()\nc.AssignLatePenalties.plugin_class = 'no.such.Plugin'\n",
            "cannot be used",
        ),
        (ONE_POINT_AN_HOUR.replace("total_seconds_late / 3600", "1 / 0"), "fails for bob"),
        (ONE_POINT_AN_HOUR.replace("total_seconds_late / 3600", "float('nan')"), "not a number"),
    ],
)
def test_a_policy_that_fails_is_one_line_and_changes_no_mark(course, capsys, config, words):
    set_due(course, "2026-03-02 12:00:00 UTC")
    (course / "nbgrader_config.py").write_text(config, encoding="utf-8")
    assert main(["report", str(course), STEM]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("autograder: ") and words in said
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        submissions = [gradebook.find_submission(STEM, student) for student in ("bob", "cem")]
        assert all(s.score == EXERCISE.points for s in submissions)
        assert all(s.late_submission_penalty == 0 for s in submissions)
