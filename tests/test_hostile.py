"""The hostile corpus, graded as one class: exact marks for everybody, and nothing else touched.

The class is graded in two runs. In the first, with many workers, are the cases that last until
their time is up; in the second, with a worker a core, are all the others and their neighbours.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hostile.cases import CASES
from hostile.submissions import HONEST, LIMITS, POINTS, STEM
from hostile.surroundings import (
    TRACES,
    active_content,
    damage,
    installation_damage,
    lay_decoys,
    left_behind,
    listening,
)
from nbgrader.api import Gradebook
from small_course import configure

from autograder.building.made_up_submissions import hand_in, submission_notebook
from autograder.building.stock_nbgrader import create_assignment
from autograder.grading.course import Options
from autograder.grading.run import grade_course
from autograder.kernels.sandbox import sandbox_available
from autograder.results import Status

# Its workers use every core, and its limits of time and memory are tight.
pytestmark = pytest.mark.serial

# For the cases that last until their time is up, whoever else wants a core.
WORKERS_THAT_WAIT = 8
REFUSED = (Status.INVALID_NOTEBOOK, Status.TOO_LARGE, Status.REFUSED)
# How the grader ends a cell that takes too long, and Python one that takes too much memory.
LIMITS_OF_A_CELL = {"KeyboardInterrupt", "MemoryError"}
STUDENTS = ("00_honest_first", "30_honest_middle", "zz_honest_last")


@dataclass
class Graded:
    """What the one run of the class has left to look at."""

    course: Path
    report: Path
    results: dict
    marks: dict = field(default_factory=dict)
    damage: list = field(default_factory=list)
    left_behind: list = field(default_factory=list)
    connections: list = field(default_factory=list)

    def page(self, folder, student, name):
        path = self.course / folder / student / STEM / name
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    refusal = sandbox_available()
    if refusal:
        pytest.skip(refusal)
    home, course = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("course")
    for path in TRACES:
        path.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch, listening() as connections:
        # The home that would be harmed if a submission got out.
        patch.setenv("HOME", str(home))
        create_assignment(course, STEM)
        lay_decoys(home)
        lay_decoys(course)
        before = [case for case in CASES if case.earlier]
        for case in before:
            case.hand_in(course, honest=True)
        waiting = [case for case in CASES if case.waits and not case.earlier]
        for case in waiting:
            case.hand_in(course)
        configure(course, **LIMITS.as_dict())
        first = grade_course(course, STEM, Options(workers=WORKERS_THAT_WAIT))
        points = {result.student: result.points for result in first.results}
        assert {points[case.student] for case in before} == {sum(POINTS.values())}
        for student in STUDENTS:
            hand_in(course, student, STEM, submission_notebook(STEM, HONEST))
        for case in CASES:
            case.hand_in(course)
        run = grade_course(course, STEM)
        return Graded(
            course,
            run.report,
            {result.student: result for result in run.results},
            _marks(course),
            damage(home, course) + installation_damage(),
            left_behind(),
            list(connections),
        )


def _marks(course):
    """Read everybody's marks as nbgrader has them."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        return {
            submission.student_id: {
                grade.name.removesuffix("_check"): grade.score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for submission in gradebook.assignment_submissions(STEM)
        }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.student)
def test_submission_gets_what_it_deserves(graded, case):
    result = graded.results[case.student]
    case.assert_deserved(result, [graded.results[student] for student in STUDENTS])
    points = {exercise.exercise: exercise.points for exercise in result.exercises}
    assert graded.marks[case.student] == points
    notebook = graded.page("autograded", case.student, "assignment.ipynb")
    feedback = graded.page("feedback", case.student, "assignment.html")
    assert bool(notebook) == (case.status not in REFUSED)
    assert feedback
    if case.hides:
        assert case.hides not in feedback
        assert case.hides not in notebook
    assert active_content(feedback) == []
    # An attack that ends early, because something it uses has moved, attacks nothing.
    assert errors_of_added_cells(notebook) <= LIMITS_OF_A_CELL


def errors_of_added_cells(notebook):
    """Return the names of the errors in which the added cells of an executed notebook ended."""
    cells = json.loads(notebook)["cells"] if notebook else []
    added = [cell for cell in cells if cell["id"].startswith("extra-")]
    outputs = [output for cell in added for output in cell.get("outputs", [])]
    return {output["ename"] for output in outputs if output["output_type"] == "error"}


@pytest.mark.parametrize("student", STUDENTS)
def test_a_neighbour_of_hostile_submissions_keeps_full_marks(graded, student):
    result = graded.results[student]
    assert result.status is Status.GRADED
    assert result.flags == ()
    assert {e.exercise: e.points for e in result.exercises} == POINTS == graded.marks[student]


def test_every_submission_has_one_result(graded):
    expected = {case.student for case in CASES} | set(STUDENTS)
    assert graded.results.keys() == expected == graded.marks.keys()


def test_nothing_outside_is_changed(graded):
    assert graded.damage == []


def test_no_process_is_left_behind(graded):
    assert graded.left_behind == []
    assert not [pid for pid in left_behind("ipykernel_launcher") if _is_ours(pid)]


def _is_ours(pid):
    """Whether a process descends from this one; others may well have kernels of their own."""
    while pid > 1:
        if pid == os.getpid():
            return True
        try:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            return False
    return False


def test_nobody_reached_the_network(graded):
    assert graded.connections == []


@pytest.mark.parametrize("name", ["44_network", "44_coin"])
def test_the_same_bytes_get_the_same_result(graded, name):
    same = [
        [(e.exercise, e.points, e.outcome, e.headline) for e in result.exercises]
        for student, result in graded.results.items()
        if student.startswith(name)
    ]
    assert len(same) == 3
    assert same[0] == same[1] == same[2]


def test_the_class_report_runs_nothing(graded):
    assert active_content(graded.report.read_text(encoding="utf-8")) == []
