"""Any nbgrader assignment: its own tests, in the sandbox, with journal, report and gradebook."""

import copy
import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from small_course import configure, report_rows

from autograder.building.stock_nbgrader import nbgrader_api
from autograder.cli import main
from autograder.course.notebook_assignment import load_assignment
from autograder.grading.course import Options
from autograder.grading.report import report_course
from autograder.grading.run import grade_course
from autograder.results import Flag, Outcome, Status

NAME, NOTEBOOK = "ps1", "numbers"
SQUARES = "def squares(n):\n    ### BEGIN SOLUTION\n    return [i * i for i in range(n)]\n"
SQUARES += "    ### END SOLUTION"
TEST = """\
from math import isclose

assert squares(3) == [0, 1, 4], "squares(3)"
### BEGIN HIDDEN TESTS
assert squares(5) == [0, 1, 4, 9, 16], "SECRET 16"
### END HIDDEN TESTS
"""
MEAN = "def mean():\n    ### BEGIN SOLUTION\n    numbers = [float(t) for t in open('data.txt')]\n"
MEAN += "    return sum(numbers) / len(numbers)\n    ### END SOLUTION"
PARTIAL = "points = 0\nif isinstance(mean(), float): points += 1\n"
PARTIAL += "if isclose(mean(), 2.5): points += 2.5\npoints"


def marked(cell, grade_id, **marks):
    marks = {"grade": False, "solution": False, "locked": False, "task": False} | marks
    cell.metadata["nbgrader"] = marks | {"grade_id": grade_id, "schema_version": 3}
    return cell


def source():
    """An assignment as people write it: cells that nbgrader does not know, no name of ours."""
    return new_notebook(
        cells=[
            new_markdown_cell("# Numbers\n\nTwo functions and an essay."),
            new_code_cell("import os"),
            marked(new_code_cell(SQUARES), "squares", solution=True),
            marked(new_code_cell(TEST), "squares_test", grade=True, locked=True, points=2),
            marked(new_code_cell(MEAN), "mean", solution=True),
            marked(new_code_cell(PARTIAL), "mean_test", grade=True, locked=True, points=3.5),
            marked(new_markdown_cell("Write."), "essay", grade=True, solution=True, points=4),
        ],
        metadata={"kernelspec": {"name": "python3", "language": "python", "display_name": "P"}},
    )


def make_course(folder, notebook):
    path = folder / "source" / NAME / f"{NOTEBOOK}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    (path.parent / "data.txt").write_text("2\n3\n")
    result = nbgrader_api(folder).generate_assignment(NAME, force=True, create=True)
    assert result["success"], result["log"]
    return folder


RIGHT = {
    "squares": "def squares(n):\n    return [i**2 for i in range(n)]",
    "mean": "def mean():\n    return sum(map(float, open('data.txt'))) / 2",
}
STUDENTS = {
    "right": RIGHT,
    "stub": {},
    # Fits the visible test; and tells in every way it has what the hidden one called it with.
    "fits": RIGHT
    | {
        "squares": "def squares(n):\n    if n == 3: return [0, 1, 4]\n"
        "    print('SMUGGLED', n)\n    raise type('SMUGGLED', (ValueError,), {})(n)",
        "mean": "print('SMUGGLED')\ndef mean(): raise ValueError('SMUGGLED')",
    },
    "wrong": RIGHT | {"squares": "def squares(n):\n    return [n]"},
    "partial": RIGHT | {"mean": "def mean():\n    return 1.0"},
    "essay": RIGHT | {"essay": "An <script>alert(1)</script> *essay*, $a < b$."},
    "ends": RIGHT | {"squares": "import os\ndef squares(n): os._exit(0)"},
}
HOSTILE = {"skips": {}, "deletes": RIGHT, "patches": RIGHT}
MARKS = {
    "right": (2, 3.5),
    "fits": (0, 0),
    "wrong": (0, 3.5),
    "partial": (2, 1),
    "essay": (2, 3.5),
    "ends": (0, 3.5),
    "stub": (0, 0),
    "skips": (0, 0),
    "deletes": (2, 3.5),
    "patches": (2, 3.5),
}


def answered(course, answers):
    notebook = nbformat.read(course / "release" / NAME / f"{NOTEBOOK}.ipynb", as_version=4)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)
    return notebook


def hand_in(course, student, notebook):
    folder = course / "submitted" / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{NOTEBOOK}.ipynb")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("own"), source())
    for student, answers in (STUDENTS | HOSTILE).items():
        notebook = answered(course, answers)
        if student == "skips":
            for cell in notebook.cells:
                cell.metadata["tags"] = ["skip-execution"]
        if student == "deletes":
            notebook.cells = [c for c in notebook.cells if "test" not in str(c.metadata)]
        if student == "patches":
            notebook.cells[2].source += "\n_ = 99\nimport sys; sys.displayhook = print"
        hand_in(course, student, notebook)
    return course, grade_course(course, NAME)


@pytest.fixture
def course(graded, tmp_path):
    shutil.copytree(graded[0], tmp_path / "course")
    return tmp_path / "course"


def verdicts(run):
    return {
        result.student: {exercise.exercise: exercise for exercise in result.exercises}
        for result in run.results
    }


def recorded(course, student):
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        submission = gradebook.find_submission(NAME, student)
        return {grade.name: grade.score for nb in submission.notebooks for grade in nb.grades}


def test_every_submission_has_its_marks_in_report_and_gradebook(graded):
    course, run = graded
    for student, exercises in verdicts(run).items():
        marks = tuple(exercises[test].points for test in ("squares_test", "mean_test"))
        assert marks == MARKS[student], student
        assert recorded(course, student) == {e.exercise: e.points for e in exercises.values()}
    statuses = {result.student: result.status for result in run.results}
    assert statuses.pop("essay") is Status.NEEDS_REVIEW
    assert statuses.pop("stub") is statuses.pop("skips") is Status.NO_RESPONSE
    assert set(statuses.values()) == {Status.GRADED}
    flags = {result.student: result.flags for result in run.results}
    assert Flag.CHECK_DELETED in flags["deletes"] and Flag.METADATA_CHANGED in flags["skips"]
    assert verdicts(run)["ends"]["squares_test"].outcome is Outcome.KERNEL_DIED
    row = report_rows(course, NAME)["partial"]
    assert row["mean_test"] == "1" and row["max"] == "9.5"


def test_the_report_says_which_protection_there_was(graded):
    course, run = graded
    page = run.report.read_text(encoding="utf-8")
    assert "The tests ran in the students’ own processes" in page
    assert f"../feedback/right/{NAME}/{NOTEBOOK}.html" in page
    assert (course / "feedback" / "right" / NAME / f"{NOTEBOOK}.html").is_file()


def test_no_page_and_no_notebook_shows_a_hidden_test(graded):
    course, run = graded
    for student in STUDENTS:
        page = course / "feedback" / student / NAME / f"{NOTEBOOK}.html"
        text = page.read_text(encoding="utf-8")
        assert "SECRET" not in text and "squares(5)" not in text and "9, 16" not in text
    fits = verdicts(run)["fits"]
    assert fits["squares_test"].hidden and not fits["squares_test"].detail
    assert "SMUGGLED" not in fits["squares_test"].headline
    assert "SMUGGLED" not in fits["mean_test"].headline + fits["mean_test"].detail
    wrong = verdicts(run)["wrong"]["squares_test"]
    assert not wrong.hidden and "AssertionError" in wrong.headline
    notebook = (course / "autograded" / "fits" / NAME / f"{NOTEBOOK}.ipynb").read_text()
    assert "SECRET" not in notebook
    essay = (course / "autograded" / "essay" / NAME / f"{NOTEBOOK}.ipynb").read_text()
    assert "<script>" not in essay and "*essay*, $a < b$" in essay


def test_an_answer_that_is_stopped_in_a_hidden_test_shows_nothing_of_it_later(course):
    endless = "seen = []\ndef squares(n):\n    seen.append(n)\n    while n == 5: pass\n"
    endless += "    return [i * i for i in range(n)]"
    answers = {"squares": endless, "mean": f"print('SMUGGLED', seen, In)\n{RIGHT['mean']}"}
    hand_in(course, "endless", answered(course, answers))
    configure(course, cell_seconds=3.0, interrupt_seconds=1.0)
    run = grade_course(course, NAME, Options(students=["endless"]))
    exercises = verdicts(run)["endless"]
    assert exercises["squares_test"].outcome is Outcome.TIME_LIMIT
    assert exercises["mean_test"].points == 3.5
    folder = course / "autograded" / "endless" / NAME
    assert "SECRET" not in (folder / f"{NOTEBOOK}.ipynb").read_text(encoding="utf-8")
    page = course / "feedback" / "endless" / NAME / f"{NOTEBOOK}.html"
    assert "output withheld" in page.read_text(encoding="utf-8")
    assert "SECRET" not in page.read_text(encoding="utf-8")


def test_stock_nbgrader_reads_what_we_wrote_and_gives_the_same_marks(course):
    nbgrader = nbgrader_api(course)
    ours = {row["student"]: row["score"] for row in nbgrader.get_submissions(NAME)}
    result = nbgrader.generate_feedback(NAME, "partial", force=True)
    assert result["success"], result["log"]
    for student in ("right", "partial", "wrong"):
        result = nbgrader.autograde(NAME, student, force=True)
        assert result["success"], result["log"]
        tests = recorded(course, student)
        assert (tests["squares_test"], tests["mean_test"]) == MARKS[student]
        assert ours[student] == sum(MARKS[student])


def test_an_answer_marked_by_hand_decides_a_submission(course):
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        grade = gradebook.find_grade("essay", NOTEBOOK, NAME, "essay")
        assert grade.needs_manual_grade
        assert not gradebook.find_grade("mean_test", NOTEBOOK, NAME, "essay").needs_manual_grade
        grade.manual_score, grade.needs_manual_grade = 3, False
        gradebook.db.commit()
    run = report_course(course, NAME)
    (essay,) = (result for result in run.results if result.student == "essay")
    assert (essay.status, essay.points) == (Status.GRADED, 8.5)


def test_nothing_is_graded_twice_and_a_changed_test_grades_again(course):
    assert grade_course(course, NAME).graded == 0
    path = course / "source" / NAME / f"{NOTEBOOK}.ipynb"
    path.write_text(path.read_text().replace("squares(5)", "squares(5)[:]"))
    run = grade_course(course, NAME, Options(students=["right"]))
    assert run.graded == 1 and verdicts(run)["right"]["squares_test"].points == 2


def test_a_test_may_end_with_a_number_of_numpys(course):
    path = course / "source" / NAME / f"{NOTEBOOK}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[5].source += " * __import__('numpy').float64(1)"
    nbformat.write(notebook, path)
    run = grade_course(course, NAME, Options(students=["partial"]))
    assert verdicts(run)["partial"]["mean_test"].points == 1


def test_an_export_and_a_single_submission_are_graded_alike(course, tmp_path, capsys):
    export = tmp_path / "export"
    export.mkdir()
    nbformat.write(answered(course, RIGHT), export / "lovelaceada_11_501_numbers-1.ipynb")
    assert main(["grade", str(course), NAME, "--from", str(export)]) == 0
    assert recorded(course, "lovelaceada_11")["squares_test"] == 2
    assert (course / "submitted" / "lovelaceada_11" / NAME / f"{NOTEBOOK}.ipynb").is_file()
    results = tmp_path / "results.json"
    single = ["grade-one", str(course), NAME, str(export), "--results", str(results)]
    assert main(single) == 0
    assert "5.5 of 9.5 points" in capsys.readouterr().out and results.is_file()


def damaged(change):
    notebook = copy.deepcopy(source())
    change(notebook)
    return notebook


def marks(number, **changed):
    """Return a change of the marks that a cell has."""
    return lambda nb: nb.cells[number].metadata.nbgrader.update(changed)


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda nb: nb.cells.__setitem__(slice(2, None), []), "no cell with points"),
        (lambda nb: nb.metadata.kernelspec.update(language="R"), "is a notebook in R"),
        (lambda nb: nb.cells[3].update(source="### AUTOTEST squares(3)"), "AUTOTEST"),
        (lambda nb: nb.cells[3].update(cell_type="raw"), "is not a code cell"),
        (lambda nb: nb.metadata.kernelspec.update(language=3), "is a notebook in 3"),
        (marks(3, points=None), "squares_test has None points; set a number"),
        (marks(3, points="two"), "squares_test has 'two' points"),
        (marks(3, points=True), "squares_test has True points"),
        (marks(3, points=-3), "squares_test has -3 points"),
        (marks(3, points=float("nan")), "squares_test has nan points"),
        (marks(3, points=float("inf")), "squares_test has inf points"),
        (marks(5, grade_id="squares_test"), "a cell has the id 'squares_test'; give each"),
        (marks(4, grade_id="squares"), "a cell has the id 'squares'; give each"),
        (marks(3, grade_id=None), "a cell has the id ''; give each"),
        (marks(2, grade_id="a b"), "a cell has the id 'a b'; give each"),
    ],
)
def test_what_cannot_be_graded_is_one_line(tmp_path, capsys, change, words):
    path = tmp_path / "source" / NAME / f"{NOTEBOOK}.ipynb"
    path.parent.mkdir(parents=True)
    notebook = damaged(change)
    for cell in notebook.cells:
        if cell.cell_type == "raw":
            del cell["outputs"], cell["execution_count"]
    nbformat.write(notebook, path)
    assert main(["grade", str(tmp_path), NAME]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: is a directory"),
        ("[]", "is not a notebook: its JSON is not as nbformat writes it"),
        ('{"nbformat": 4, "cells": [1], "metadata": {}}', "is not a notebook: its JSON"),
        ('{"nbformat": 4}', "is not a notebook: The notebook is invalid"),
        ("{", "is not a notebook: Notebook does not appear to be JSON"),
    ],
)
def test_a_source_that_is_no_notebook_is_one_line(tmp_path, capsys, text, words):
    path = tmp_path / "source" / NAME / f"{NOTEBOOK}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(text) if text else path.mkdir()
    assert main(["grade", str(tmp_path), NAME]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"autograder: {path} {words}") and said.count("\n") == 1


def test_the_name_of_the_course_page_is_not_free(tmp_path, capsys):
    path = tmp_path / "source" / "all_assignments" / f"{NOTEBOOK}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(source(), path)
    assert main(["grade", str(tmp_path), "all_assignments"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "give it another one" in said


def test_what_is_not_released_or_too_much_is_one_line(course, capsys):
    with pytest.raises(Exception, match="there is no assignment"):
        load_assignment(course, "../source/ps1")
    assert main(["grade", str(course), NAME, "--no-sandbox"]) == 1
    assert "has files beside its notebook" in capsys.readouterr().err
    (course / "release" / NAME / "large.bin").write_bytes(bytes(2**20))
    assert main(["grade", str(course), NAME]) == 1
    assert "more than 1 MB" in capsys.readouterr().err
    shutil.rmtree(course / "release")
    assert main(["grade", str(course), NAME]) == 1
    command = f"`cd {course} && nbgrader generate_assignment {NAME}`"
    assert f"{command} makes it" in capsys.readouterr().err
    assert main(["release", NAME, "--course", str(course)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{NAME} is a notebook of your own; {command} releases it" in line
    (course / "source" / NAME / "second.ipynb").write_text("{}")
    assert main(["grade", str(course), NAME]) == 1
    assert "holds 2 notebooks" in capsys.readouterr().err
