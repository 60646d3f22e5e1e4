"""What a course folder's nbgrader_config.py sets: limits and switches."""

import shutil

import pytest
from small_course import STEM, configure, hand_in

from autograder.building.stock_nbgrader import create_assignment
from autograder.cli import main
from autograder.grading.course import Options
from autograder.grading.course_config import Settings, read_settings
from autograder.grading.plan import preview_course
from autograder.kernels.limits import Limits


@pytest.fixture(scope="module")
def made_course(tmp_path_factory):
    course = tmp_path_factory.mktemp("limits") / "course"
    create_assignment(course, STEM)
    hand_in(course, "ada")
    return course


@pytest.fixture
def course(made_course, tmp_path):
    return shutil.copytree(made_course, tmp_path / "course")


def digest(course, **options):
    (task,) = preview_course(course, STEM, Options(**options)).tasks
    return task.digest


def test_a_course_sets_some_limits_and_keeps_the_others(course):
    assert read_settings(course).limits == Limits()
    configure(course, "c.Autograder.memory_mb = 8192", "c.Autograder.cell_seconds = 300")
    assert read_settings(course).limits == Limits(memory_mb=8192, cell_seconds=300)
    (task,) = preview_course(course, STEM).tasks
    assert task.limits == Limits(memory_mb=8192, cell_seconds=300)


def test_a_course_switches_on_what_is_off_by_default(course):
    assert read_settings(course) == Settings()
    assert not Settings().similarity_hints and not Settings().partial_credit
    before = digest(course)
    configure(course, "c.Autograder.similarity_hints = True")
    assert read_settings(course) == Settings(similarity_hints=True)
    assert digest(course) == before  # no mark rests on it
    configure(course, "c.Autograder.partial_credit = False")
    assert read_settings(course) == Settings() and digest(course) == before
    configure(course, "c.Autograder.partial_credit = True")
    assert read_settings(course) == Settings(partial_credit=True)
    assert digest(course) != before
    (task,) = preview_course(course, STEM).tasks
    assert task.partial_credit


def test_a_course_sets_language_and_book_for_all_pages(course):
    configure(course, "c.Autograder.language = 'zh'", "c.Autograder.book = 'https://example.org'")
    path = course / "feedback" / "ada" / STEM / "assignment.html"
    for options, words in (((), "反馈"), (("--language", "en"), "Feedback")):
        assert main(["grade", str(course), STEM, "--regrade", *options]) == 0
        page = path.read_text(encoding="utf-8")
        assert f"<title>{words}" in page and f"https://example.org/notebooks/{STEM}" in page
    hand_in(course, "bob")
    assert main(["grade", str(course), STEM]) == 0
    assert main(["forget", str(course), "bob"]) == 0  # which writes all pages again
    assert "<title>反馈" in path.read_text(encoding="utf-8")


def test_only_a_changed_limit_changes_the_digest(course):
    before = digest(course)
    configure(course, "c.LateSubmissionPlugin.penalty_method = 'zero'")
    assert digest(course) == before
    same = Limits()
    configure(
        course,
        f"c.Autograder.cell_seconds = {int(same.cell_seconds)}",
        f"c.Autograder.memory_mb = {float(same.memory_mb)}",
    )
    assert digest(course) == before
    configure(course, f"c.Autograder.memory_mb = {same.memory_mb + 1}")
    assert digest(course) != before


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "c.Autograder.memory_mbs = 1",
            "there is no setting 'memory_mbs'; did you mean memory",
        ),
        ("c.Autograder.colour = 1", "there is no setting 'colour'; choose one of book, call"),
        ("c.Autograder.memory_mb = '8 GB'", "memory_mb is '8 GB'; set a whole number greater"),
        ("c.Autograder.memory_mb = 0.5", "set a whole number greater than 0"),
        ("c.Autograder.processes = -1", "set a whole number greater than 0"),
        ("c.Autograder.threads = True", "set a whole number greater than 0"),
        ("c.Autograder.cell_seconds = None", "cell_seconds is None; set a number greater than 0"),
        ("c.Autograder.cell_seconds = float('inf')", "set a number greater than 0"),
        ("c.Autograder.cell_seconds = float('nan')", "set a number greater than 0"),
        ("c.Autograder.files.append(3)", "set a whole number greater than 0"),
        ("c.Autograder.similarity_hints = 1", "similarity_hints is 1; set True or False"),
        ("c.Autograder.partial_credit = 'half'", "partial_credit is 'half'; set True or False"),
        ("c.Autograder.language = 'fr'", "language is 'fr'; set 'en' or 'zh'"),
        ("c.Autograder.book = None", "book is None; set a text"),
        ("c.Autograder.similarity_hint = True", "did you mean similarity_hints?"),
        ("raise KeyError('x')", "fails: KeyError: 'x'"),
    ],
)
def test_what_is_no_setting_is_one_line(course, capsys, line, words):
    configure(course, line)
    assert main(["grade", str(course), STEM]) == 1
    complaint = capsys.readouterr().err
    assert words in complaint and complaint.count("\n") == 1 and "nbgrader_config.py" in complaint
