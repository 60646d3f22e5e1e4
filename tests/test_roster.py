"""The list of a class: read, compared with what came in, and sent back with marks."""

import csv
import shutil

import pytest

from autograder.__main__ import main
from autograder.course import classroom
from autograder.course.chapters import CourseError, load_chapter
from autograder.course.classroom import reference_answers, submission_notebook
from autograder.course.release import create_assignment
from autograder.grading.run import grade_course
from autograder.intake.roster import read_roster

STEM = "ch01_rnn_basics"
EXERCISE = load_chapter(STEM).exercises[1]
OWN = "\ufeffid,first_name\nlovelaceada_11,Ada\nMallory_13,M\nnobody_14,N\n"
CANVAS = f"""\
Student,ID,SIS User ID,SIS Login ID,Section,ch01_rnn_basicsx (8),{STEM} (77),Final
    Points Possible,,,,,5,20,(read only)
"Lovelace, Ada",11,s-ada,ada,One,1,,
"Noether, Emmy",12,s-emmy,emmy,One,2,3,
"Student, Test",99,,abcdef,One,,,
"""
MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (grade)"
"Participant 11","Ada Lovelace",ada@example.org,"Submitted for grading",,20.00,-
"Participant 12","Emmy Noether",emmy@example.org,"No submission",,20.00,-
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course with three submissions as a platform names them; one waits for a person."""
    course = tmp_path_factory.mktemp("roster") / "course"
    create_assignment(course, STEM)
    answers = {EXERCISE.id: reference_answers(STEM)[EXERCISE.id]}
    notebook = submission_notebook(STEM, answers)
    classroom.hand_in(course, "lovelaceada_11", STEM, notebook)
    classroom.hand_in(course, "mallory_13", STEM, notebook)
    cells = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("locked")]
    notebook.cells = cells  # every answer cell is missing
    classroom.hand_in(course, "noetheremmy_12", STEM, notebook)
    grade_course(course, STEM)
    return course


@pytest.fixture
def course(graded, tmp_path):
    shutil.copytree(graded, tmp_path / "course")
    return tmp_path / "course"


@pytest.fixture
def listed(tmp_path):
    def write(text):
        (tmp_path / "list.csv").write_text(text, encoding="utf-8")
        return tmp_path / "list.csv"

    return write


def table(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_the_report_and_the_table_say_who_is_missing_and_who_is_unknown(course, listed, capsys):
    assert main(["report", str(course), STEM, "--roster", str(listed(OWN))]) == 0
    said = capsys.readouterr()
    assert "2 on the roster handed in nothing" in said.out
    assert "2 not on the roster (first mallory_13)" in said.err
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "<bdi>Mallory_13</bdi>; <bdi>nobody_14</bdi>" in page
    assert "<bdi>mallory_13</bdi>; <bdi>noetheremmy_12</bdi>" in page
    header, *rows = table(course / "reports" / f"{STEM}.csv")
    assert [row[0] for row in rows if row[1] == "missing"] == ["Mallory_13", "nobody_14"]
    assert {len(row) for row in rows} == {len(header)}
    assert not list((course / "reports").glob("*canvas*"))


def test_canvas_gets_the_marks_that_stand_with_its_own_numbers(course, listed):
    assert main(["report", str(course), STEM, "--roster", str(listed(CANVAS))]) == 0
    points, full = f"{EXERCISE.points:g}", "20"
    assert table(course / "reports" / f"{STEM}-canvas.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{STEM} (77)"],
        ["Points Possible", "", "", "", "", full],
        ["Lovelace, Ada", "11", "s-ada", "ada", "One", points],
    ]
    # Emmy's marks wait for a person; mallory_13 is no number of Canvas's.
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "<bdi>Student, Test</bdi>" in page and "<bdi>mallory_13</bdi>" in page


def test_moodle_gets_its_worksheet_back(course, listed):
    assert main(["report", str(course), STEM, "--roster", str(listed(MOODLE))]) == 0
    header, ada = table(course / "reports" / f"{STEM}-moodle.csv")
    assert dict(zip(header, ada, strict=True)) == {
        "Identifier": "Participant 11",
        "Full name": "Ada Lovelace",
        "Email address": "ada@example.org",
        "Status": "Submitted for grading",
        "Grade": f"{EXERCISE.points:g}",
        "Maximum Grade": "20.00",
        "Last modified (grade)": "-",
    }


def test_a_dry_run_says_what_would_be_graded_and_grades_nothing(course, listed, capsys):
    answers = {EXERCISE.id: "changed = 1"}
    classroom.hand_in(course, "mallory_13", STEM, submission_notebook(STEM, answers))
    (course / "submitted" / "zoe" / STEM).mkdir(parents=True)
    before = {path: path.read_bytes() for path in course.glob("[!.]*/**/*.*")}
    roster = str(listed(OWN))
    assert main(["grade", str(course), STEM, "--dry-run", "--roster", roster]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 to grade, 2 unchanged",
        "to grade: mallory_13",
        "not on the roster: mallory_13; noetheremmy_12; zoe",
        "handed in nothing: Mallory_13; nobody_14",
        "cannot be read: zoe (no notebook was handed in (nothing at all); one assignment.ipynb is "
        "expected)",
    ]
    assert {path: path.read_bytes() for path in course.glob("[!.]*/**/*.*")} == before


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "no column that says who"),
        ("name,mark\nAda,3\n", "expected id or student or username or student_id"),
        ("id\n", "lists no student"),
        ("id,name\nada,A\n\nbob,B\nada,C\n", "line 5: ada is already in line 2"),
        ("id,name\nada\n", "line 2: the row has 1 of 2 cells"),
        ('id,name\n"ada,A\n', "no CSV"),
        (MOODLE.replace("20.00", "100.00"), "set 20 in Moodle"),
        (MOODLE.replace("20.00", "-"), "set 20 in Moodle"),
    ],
)
def test_a_list_that_cannot_be_understood_is_one_line(course, listed, capsys, text, words):
    assert main(["report", str(course), STEM, "--roster", str(listed(text))]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words in said


def test_a_list_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(CourseError, match="no such file"):
        read_roster(tmp_path / "list.csv")
    (tmp_path / "list.csv").write_bytes(b"id\n\xff\xfe\n")
    with pytest.raises(CourseError, match="no CSV in UTF-8"):
        read_roster(tmp_path / "list.csv")
