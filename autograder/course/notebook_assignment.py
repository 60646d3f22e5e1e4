"""An assignment that is an instructor's notebook: nbgrader's source with tests in its cells.

It lacks what a chapter's modules bring: a lesson, a reference, a bank of mistakes, and checks that
run outside the student's process.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.cells import grade_id_of, is_answer
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.course_error import CourseError, cannot_be_read, unknown
from autograder.untrusted import dict_of

# What nbformat raises for a file that is not a notebook. It validates little of what it reads, so
# almost any error may come.
NOT_A_NOTEBOOK = (
    *(ValueError, TypeError, AttributeError, KeyError, AssertionError),
    nbformat.ValidationError,
)
# What the reports over all assignments of a course are called.
ALL_ASSIGNMENTS = "all_assignments"
# As nbgrader has it.
GRADE_ID = re.compile(r"[a-zA-Z0-9_-]+")
# What goes with the notebook into every kernel, all of it together, in bytes.
MAX_FILE_BYTES = 2**20


@dataclass(frozen=True)
class NotebookExercise:
    """A cell that has points: a test, or an answer or a task that a person marks."""

    id: str
    points: float
    by_hand: bool
    lesson: str = ""

    @property
    def check_id(self) -> str:
        return self.id

    @property
    def title(self) -> str:
        return self.id


@dataclass(frozen=True)
class NotebookAssignment(Assignment):
    """An assignment as its source notebook describes it; ``notebook`` is that file's stem.

    ``tests`` maps the `grade_id` of each test cell to its source, hidden tests included, and
    ``answers`` that of each answer cell to the id of the next cell with points. ``files`` are those
    beside the released notebook: pairs of name and content.
    """

    stem: str
    notebook: str
    opening: str
    exercises: tuple[NotebookExercise, ...]
    tests: dict[str, str]
    answers: dict[str, str]
    text: str
    files: tuple[tuple[str, bytes], ...] = ()
    checks_run_outside_kernel = False


def load_assignment(course: str | Path, name: str) -> Assignment:
    """Return the `Chapter` or the `NotebookAssignment` of a course folder that is called so.

    Raises `CourseError` when there is none, or none that can be graded.
    """
    sources = Path(course) / "source"
    if not Path(course).is_dir():
        raise CourseError(
            f"there is no course folder {course}; `autograder release CHAPTER --course {course}` "
            "makes it"
        )
    folder = sources / name
    if name in chapter_stems():
        return load_chapter(name)
    if Path(name).name != name or not folder.is_dir():
        added = [path.name for path in sources.glob("[!.]*") if path.is_dir()]
        raise unknown("assignment", name, [*chapter_stems(), *added])
    if name == ALL_ASSIGNMENTS:
        raise CourseError(
            f"{folder} has the name of the reports over all assignments; give it another one"
        )
    paths = sorted(folder.glob("*.ipynb"))
    if len(paths) != 1:
        raise CourseError(f"{folder} holds {len(paths)} notebooks; one is expected")
    try:
        text = paths[0].read_text(encoding="utf-8")
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook)
    except OSError as error:
        raise cannot_be_read(paths[0], error) from error
    except NOT_A_NOTEBOOK as error:
        is_named = isinstance(error, (ValueError, nbformat.ValidationError))
        reason = str(error) if is_named else "its JSON is not as nbformat writes it"
        line = reason.partition("\n")[0]
        raise CourseError(f"{paths[0]} is not a notebook: {line}") from error
    kernel, language = (notebook.metadata.get(key, {}) for key in ("kernelspec", "language_info"))
    language = str(kernel.get("language") or language.get("name") or "python")
    if language.lower() not in ("python", "ipython"):
        raise CourseError(f"{paths[0]} is a notebook in {language}; only Python is graded here")
    return _assignment(name, paths[0], text, notebook.cells)


def _assignment(
    name: str, path: Path, text: str, cells: Iterable[NotebookNode]
) -> NotebookAssignment:
    exercises: list[NotebookExercise] = []
    tests: dict[str, str] = {}
    answers: dict[str, str] = {}
    waiting: list[str] = []
    seen: set[str] = set()
    for cell in cells:
        marks = dict_of(cell.metadata.get("nbgrader"))
        grade_id = grade_id_of(cell) or ""
        if is_answer(cell) or marks.get("grade") or marks.get("task"):
            if not GRADE_ID.fullmatch(grade_id) or grade_id in seen:
                raise CourseError(
                    f"{path}: a cell has the id {grade_id!r}; give each answer and each test "
                    "an id of its own, made of letters, digits, - and _"
                )
            seen.add(grade_id)
        if is_answer(cell):
            waiting.append(grade_id)
        if marks.get("grade") or marks.get("task"):
            is_test = not is_answer(cell) and not marks.get("task")
            if is_test and cell.cell_type != "code":
                raise CourseError(f"{path}: the test {grade_id} is not a code cell")
            if is_test and "AUTOTEST" in cell.source:
                raise CourseError(
                    f"{path}: the test {grade_id} is written by nbgrader's AUTOTEST, which is not "
                    "read here; write it out, or grade this assignment by `nbgrader autograde`"
                )
            if is_test:
                tests[grade_id] = cell.source
            points = marks.get("points", 0)
            is_number = isinstance(points, (int, float)) and not isinstance(points, bool)
            if not is_number or not 0 <= points < math.inf:
                raise CourseError(
                    f"{path}: {grade_id} has {points!r} points; set a number that is not negative"
                )
            exercises.append(NotebookExercise(grade_id, float(points), not is_test))
            answers |= dict.fromkeys(waiting, grade_id)
            waiting = []
    if not exercises:
        raise CourseError(f"{path} has no cell with points; mark the tests in nbgrader's toolbar")
    opening = next((cell.source for cell in cells if cell.cell_type == "markdown"), name)
    released = path.parent.parent.parent / "release" / name
    return NotebookAssignment(
        name, path.stem, opening, tuple(exercises), tests, answers, text, _files(released)
    )


def _files(folder: Path) -> tuple[tuple[str, bytes], ...]:
    """Read what is released beside the notebook, such as data."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    paths = [path for path in paths if path.suffix != ".ipynb"]
    if sum(path.stat().st_size for path in paths) > MAX_FILE_BYTES:
        raise CourseError(
            f"{folder} holds more than {MAX_FILE_BYTES >> 20} MB beside its notebook; every "
            "submission is graded with a copy, so make the files smaller"
        )
    return tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths)
