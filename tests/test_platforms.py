"""To a learning platform and back: its export graded, pages and marks as it takes them in."""

import re
import zipfile

import nbformat
import pytest
from small_course import STEM, answered, graded_course

from autograder.__main__ import main
from autograder.grading.journal import Journal
from autograder.grading.results import Origin
from autograder.intake.platforms import returned_name

RIGHT = nbformat.writes(answered())
WRONG = nbformat.writes(answered("changed = 1"))


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return graded_course(tmp_path_factory.mktemp("platforms"), {"nobody": None})


@pytest.fixture
def grade(course, tmp_path, capsys):
    """Grade an export, a dict from names to texts; return what was said on stdout and stderr."""

    def grade(files, *options):
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        assert main(["grade", str(course), STEM, "--from", str(path), *options]) == 0
        return capsys.readouterr()

    return grade


def packed(course, platform):
    path = course / "reports" / f"{STEM}-{platform}-feedback.zip"
    if not path.exists():
        return None
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def read_by_canvas(name):
    """Return user and file as Canvas reads them (`infer_comment_context_from_filename`)."""
    words = [word for word in name.split("_") if word != "LATE"]
    assert not words[-1].startswith("link")
    if words[0] == "anon":
        return tuple(words[1:3])
    return tuple([word for word in words if re.fullmatch(r"\d+", word)][:2])


def read_by_moodle(name):
    """Return the participant and the file's name as Moodle reads them (`importziplib.php`)."""
    parts = name.split("/")
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) >= 4 and info[1].isdigit():
            rest = [info[4] if len(info) == 5 else "", *parts]
            assert info[2:4] == ["assignsubmission", "file"]
            return info[1], "/".join(rest).lstrip("/")
    raise AssertionError(f"Moodle finds nobody in {name}")


def test_canvas_takes_the_pages_back_for_the_files_that_it_exported(course, grade):
    said = grade(
        {
            "lovelaceada_11_501_assignment.ipynb": WRONG,
            "lovelaceada_11_502_assignment-1.ipynb": RIGHT,
            "noetheremmy_LATE_12_503_link_7_8.ipynb": RIGHT,
            "turingalan_13_504_assignment.ipynb": "no notebook",
        }
    )
    pages = packed(course, "canvas")
    assert f"feedback to upload: {course}/reports/{STEM}-canvas-feedback.zip" in said.out
    # Nothing is published of what waits for a decision.
    assert {read_by_canvas(name) for name in pages} == {("11", "502"), ("12", "503")}
    for student in ("lovelaceada_11", "noetheremmy_12"):
        (name,) = (name for name in pages if name.startswith(student.split("_")[0]))
        assert name.endswith("_feedback.html")
        page = course / "feedback" / student / STEM / "assignment.html"
        assert pages[name] == page.read_text(encoding="utf-8")
    assert packed(course, "moodle") is None


def test_canvas_without_names(course, grade):
    grade({"anon_x7Qf2_501_assignment.ipynb": RIGHT, "LATE_anon_B0b4Z_502_a.ipynb": RIGHT})
    names = packed(course, "canvas")
    assert {read_by_canvas(name) for name in names} == {("x7Qf2", "501"), ("B0b4Z", "502")}


@pytest.mark.parametrize(
    "name",
    [
        "{}_assignsubmission_file_/assignment.ipynb",  # before Moodle 4.1
        "{}_assignsubmission_file/assignment.ipynb",
        "{}_assignsubmission_file_my_own_work.ipynb",  # without folders
    ],
)
def test_moodle_takes_the_pages_back_for_the_folders_that_it_exported(course, grade, name):
    students = ("Ada Lovelace_11", "Emmy Noether_12")
    grade({name.format(student): RIGHT for student in students})
    pages = packed(course, "moodle")
    assert {read_by_moodle(name) for name in pages} == {
        ("11", "feedback.html"),
        ("12", "feedback.html"),
    }
    assert all(("Ada" in name) == ("Ada Lovelace" in page) for name, page in pages.items())


def test_other_sources_get_no_zip(course, grade):
    said = grade({"Chapter 1_s11_attempt_2026-03-01-10-00-00_assignment.ipynb": RIGHT})
    assert "feedback to upload" not in said.out
    assert not list((course / "reports").glob("*.zip"))
    assert returned_name(Origin("Blackboard", "2026", "Chapter 1_s11"), "feedback.html") is None


def test_the_zip_follows_what_is_marked_by_hand_and_whom_one_forgets(course, grade, capsys):
    files = {"lovelaceada_11_501_a.ipynb": RIGHT, "noetheremmy_12_502_a.ipynb": WRONG}
    grade(files)
    before = packed(course, "canvas")
    assert main(["report", str(course), STEM, "--book", "https://example.org"]) == 0
    after = packed(course, "canvas")
    assert after.keys() == before.keys()
    assert all("https://example.org" in page for page in after.values())
    assert main(["forget", str(course), "noetheremmy_12"]) == 0
    assert "zip" not in capsys.readouterr().out.split("removed of")[1]  # it is still there
    assert [read_by_canvas(name) for name in packed(course, "canvas")] == [("11", "501")]
    assert main(["forget", str(course), "lovelaceada_11"]) == 0
    assert f"{STEM}-canvas-feedback.zip" in capsys.readouterr().out
    assert packed(course, "canvas") is None


def test_the_same_file_handed_in_again_goes_back_to_the_newest_attempt(course, grade):
    grade({"lovelaceada_11_501_assignment.ipynb": RIGHT})
    said = grade({"lovelaceada_11_508_assignment-1.ipynb": RIGHT})
    assert "0 graded" in said.out
    assert [read_by_canvas(name) for name in packed(course, "canvas")] == [("11", "508")]
    # The file is in submitted/ now; grading it from there does not forget whose export it is.
    assert main(["grade", str(course), STEM, "--student", "lovelaceada_11", "--regrade"]) == 0
    assert [read_by_canvas(name) for name in packed(course, "canvas")] == [("11", "508")]
    journal = Journal(course, STEM)
    assert journal.latest()["lovelaceada_11"].origin.attempt.endswith("508")
    journal.close()
