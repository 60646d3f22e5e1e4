"""A made-up class with known marks, graded for real."""

from __future__ import annotations

import ast
import random
import shutil
from collections.abc import Mapping
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.building.made_up_submissions import (
    hand_in,
    quick_variants,
    reference_answers,
    submission_notebook,
)
from autograder.building.stock_nbgrader import create_assignment
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.course.variants import variant_answer
from autograder.course_error import CourseError
from autograder.grading.progress import Progress
from autograder.grading.run import Run, grade_course

STUDENTS = 30
# A notebook, and the points that each of its exercises must get.
MadeSubmission = tuple[NotebookNode, dict[str, float]]
MARK = ".made-by-autograder-demo"


def demo(folder: str | Path, progress: Progress) -> tuple[Run, list[str]]:
    """Make and grade the class; return the `Run` and a line for each mark that is not the truth."""
    folder = Path(folder)
    if folder.exists():
        if not (folder / MARK).exists():
            raise CourseError(f"{folder} exists and is not a demo; name another folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    stem = chapter_stems()[0]
    create_assignment(folder, stem)
    truth = {}
    for student, (notebook, points) in (made_class(stem, STUDENTS) | hostile(stem)).items():
        hand_in(folder, student, stem, notebook)
        truth[student] = points
    run = grade_course(folder, stem, progress=progress)
    differences = []
    for result in run.results:
        marks = {exercise.exercise: exercise.points for exercise in result.exercises}
        if marks != truth[result.student]:
            differences.append(f"{result.student}: graded {marks}, truth {truth[result.student]}")
    return run, differences


def made_class(stem: str, students: int) -> dict[str, MadeSubmission]:
    """Draw students from the bank of variants: a dict from name to (notebook, true points).

    Each exercise is answered right (as the reference or in another way), wrong or not at all,
    three to one to less than one. A right answer may call the functions of other exercises, if the
    student has those right, too.
    """
    draw = random.Random(0)  # the same class every time
    reference = reference_answers(stem)
    exercises, variants = load_chapter(stem).exercises, quick_variants(stem)
    made: dict[str, MadeSubmission] = {}
    for number in range(1, students + 1):
        answers: dict[str, str] = {}
        points: dict[str, float] = {}
        wrongly_answered: set[str] = set()
        for exercise in exercises:
            bank = [v for v in variants if v.exercise == exercise.id]
            right = [reference[exercise.id]] + [
                variant_answer(stem, v) for v in bank if v.mistake is None
            ]
            wrong = [variant_answer(stem, v) for v in bank if v.mistake is not None]
            right = [answer for answer in right if not _names(answer) & wrongly_answered]
            weights = [12 if right else 0, 4, 1]
            kind = draw.choices(["right", "wrong", "none"], weights)[0]
            if kind != "right":
                wrongly_answered |= set(exercise.names)
            points[exercise.id] = exercise.points if kind == "right" else 0
            if kind != "none":
                answers[exercise.id] = draw.choice(right if kind == "right" else wrong)
        made[f"student-{number:03}"] = (submission_notebook(stem, answers), points)
    return made


def _names(source: str) -> set[str]:
    """Return the names that a piece of code uses."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def hostile(stem: str) -> dict[str, MadeSubmission]:
    """Make six submissions that try to get marks, or to take them from others."""
    reference = reference_answers(stem)
    exercises = load_chapter(stem).exercises
    nothing = {exercise.id: 0.0 for exercise in exercises}
    wrong = {
        exercise.id: "\n\n\n".join(
            f"def {name}(*args, **kwargs):\n    return 0.0" for name in exercise.names
        )
        for exercise in exercises
    }
    full = {exercise.id: exercise.points for exercise in exercises}
    first = exercises[0].id

    def with_first_cell(answers: Mapping[str, str], code: str) -> NotebookNode:
        notebook = submission_notebook(stem, answers)
        notebook.cells.insert(2, new_code_cell(code, id="hostile"))
        return notebook

    skipping = submission_notebook(stem, {first: f"def {first}(*args): return 1"})
    for cell in skipping.cells:
        cell.metadata["tags"] = ["skip-execution"]
    without_asserts = (
        "import ast\n"
        "class Strip(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node): return ast.Pass()\n"
        "    def visit_Raise(self, node): return ast.Pass()\n"
        "get_ipython().ast_transformers.append(Strip())"
    )
    patched = (
        "import coursekit.checks, coursekit.checks.trial, numpy as np, builtins\n"
        "coursekit.checks.differs = lambda *a, **k: None\n"
        "coursekit.checks.trial.Trial.fail = lambda *a, **k: None\n"
        "np.allclose = builtins.all = lambda *a, **k: True"
    )
    gradebook = (
        "import sqlite3\n"
        "for path in ('gradebook.db', '../../gradebook.db', '../../../gradebook.db'):\n"
        "    sqlite3.connect(path).execute('UPDATE grade SET manual_score = 99')"
    )
    last = exercises[-1].id
    return {
        "hostile-skips-the-checks": (skipping, nothing),
        "hostile-strips-asserts": (with_first_cell(wrong, without_asserts), nothing),
        "hostile-patches-the-checks": (with_first_cell(wrong, patched), nothing),
        "hostile-rewrites-the-gradebook": (with_first_cell(reference, gradebook), full),
        "hostile-ends-python": (
            submission_notebook(
                stem, reference | {last: f"def {last}(*args):\n    import os\n    os._exit(0)"}
            ),
            full | {last: 0},
        ),
        "hostile-floods": (
            with_first_cell(reference, "for _ in range(10**5):\n    print('x' * 1000)"),
            full,
        ),
    }
