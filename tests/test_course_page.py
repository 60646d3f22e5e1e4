"""The page over all assignments: everybody's marks, who is falling behind, what was hard."""

import csv
import re

import pytest
from small_course import EXERCISE, STEM, graded_course

from autograder.cli import main
from autograder.reports.course_page import (
    course_csv,
    course_items,
    course_page_html,
    course_rows,
    discrimination,
)
from autograder.reports.last_report import ReportedMark, read_reported, write_reported

OTHER = "ch02_simple_rnn"
FULL = {"easy": 2.0, "hard": 8.0}


def reported(easy, hard, settled=True, **who):
    points = {"easy": float(easy), "hard": float(hard)}
    return ReportedMark(sum(points.values()), settled, "d", "s", points, FULL, [], **who)


def on_moodle(name, number, person=""):
    return {f"{name}_{number}": reported(2, 8, name=name, person=person)}


MARKS = {
    "one": {"ada": reported(2, 8), "bob": reported(2, 0), "=cem": reported(0, 0, settled=False)},
    "two": {"ada": reported(2, 8), "bob": reported(2, 8)},
}


def test_everybodys_marks_stand_in_one_row():
    rows = {row.student: row for row in course_rows(MARKS)}
    assert [rows[name].marks for name in ("ada", "bob", "=cem")] == [(10, 10), (2, 10), (0, None)]
    assert [rows[name].missing for name in ("ada", "bob", "=cem")] == [0, 0, 1]
    assert rows["bob"].share == 0.6 and rows["=cem"].waits == (True, False)
    table = list(csv.reader(course_csv(MARKS).lstrip("\ufeff").splitlines()))
    assert table[0] == ["student", "one", "two", "total", "missing"]
    assert table[1:] == [
        ["'=cem", "0", "", "0", "1"],
        ["ada", "10", "10", "20", "0"],
        ["bob", "2", "10", "12", "0"],
    ]


ADA, BOB = "Ada Lovelace", "Bob"


@pytest.mark.parametrize(
    ("one", "two", "names"),
    [
        # Moodle counts its participants anew in every assignment.
        (
            on_moodle(ADA, 4711) | on_moodle(BOB, 4712),
            on_moodle(ADA, 5023) | on_moodle(BOB, 5020),
            [ADA, BOB],
        ),
        (on_moodle(ADA, 11), on_moodle(BOB, 21), ["Ada Lovelace_11", "Bob_21"]),
        # Where two have one name, nobody can tell who is who ...
        (
            on_moodle(ADA, 11) | on_moodle(ADA, 12),
            on_moodle(ADA, 21),
            ["Ada Lovelace_11", "Ada Lovelace_12", "Ada Lovelace_21"],
        ),
        (on_moodle(ADA, 11, "a@x"), on_moodle(ADA, 21, "b@x"), ["Ada Lovelace_11", f"{ADA}_21"]),
        # ... but by what the list of the class says, as of somebody whose name has changed.
        (
            on_moodle(ADA, 11, "a@x") | on_moodle(ADA, 12, "b@x"),
            on_moodle(ADA, 21, "b@x") | on_moodle(ADA, 22, "a@x"),
            ["Ada Lovelace_21", "Ada Lovelace_22"],
        ),
        (on_moodle(ADA, 11, "a@x"), on_moodle("Ada Byron", 21, "a@x"), ["Ada Byron"]),
        # The list was given once.
        (on_moodle(ADA, 11, "a@x"), on_moodle(ADA, 21), [ADA]),
        # No number of Moodle's.
        ({"group_1": reported(2, 8)}, {"group_2": reported(2, 8)}, ["group_1", "group_2"]),
    ],
)
def test_a_student_with_another_number_in_every_assignment_has_one_row(one, two, names):
    rows = course_rows({"one": one, "two": two})
    assert [row.student for row in rows] == names
    assert sum(mark is not None for row in rows for mark in row.marks) == len(one) + len(two)
    assert {row.missing for row in rows} == {0 if len(names) == len(one) else 1}


def test_the_list_joins_across_three_assignments_what_the_name_does_not():
    marks = {
        "one": on_moodle(ADA, 11, "a@x") | on_moodle(ADA, 12, "b@x"),
        "two": on_moodle("Ada Byron", 21, "a@x"),
        "three": on_moodle("Ada Byron", 31),
    }
    rows = {row.student: row.marks for row in course_rows(marks)}
    assert rows == {"Ada Byron": (10, 10, 10), "Ada Lovelace_12": (10, None, None)}


def test_the_page_names_who_falls_behind_and_what_was_hard():
    page = course_page_html(MARKS)
    behind, hard, marks = re.split(r"<h2 ", page)[1:]
    assert "=cem" in behind and "nothing handed in for 1 of 2" in behind
    assert "bob" not in behind and "ada" not in behind
    # Of the settled submissions half have solved it; a mark that waits does not count.
    assert re.search(r'<th scope="row">hard</th><td class="right">50 %</td>', hard)
    assert "(0)" in marks and "–" in marks and 'href="two.html"' in marks


def test_an_exercise_discriminates_where_strong_students_solve_it():
    strong = {f"s{n}": reported(2, 8) for n in range(6)}
    weak = {f"w{n}": reported(0, 0) for n in range(6)}
    item = course_items({"one": strong | weak})[0]
    assert (item.exercise, item.count, item.passed, item.discrimination) == ("easy", 12, 0.5, 1.0)
    assert discrimination([0, 1] * 4, [1, 2] * 4) is None  # too few
    assert discrimination([1] * 12, range(12)) is None  # all alike
    assert discrimination([0, 1] * 6, [5, 3] * 6) == pytest.approx(-1)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return graded_course(tmp_path_factory.mktemp("pages"), {"ada": None, "bob": None})


def test_it_is_written_from_the_second_assignment_on(course):
    page = course / "reports" / "all_assignments.html"
    assert not page.exists()
    write_reported(course, OTHER, {"ada": reported(2, 8)})
    assert main(["report", str(course), STEM]) == 0
    text = page.read_text(encoding="utf-8")
    assert OTHER in text and STEM in text
    assert read_reported(course, STEM)["ada"].full[EXERCISE.id] == EXERCISE.points
    # A student who is forgotten is on no page, and one assignment alone has its own report.
    assert main(["forget", str(course), "bob"]) == 0
    assert "bob" not in page.read_text(encoding="utf-8")
    (course / ".autograder" / f"{OTHER}.reported.json").unlink()
    assert main(["report", str(course), STEM]) == 0
    assert not page.exists() and not page.with_suffix(".csv").exists()
