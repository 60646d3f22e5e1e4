"""The instructor's notebook of a chapter, from which nbgrader makes the students'."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.building.lessons import KERNEL
from autograder.building.plain_markdown import heading_anchor
from autograder.course.cells import SKIPPED
from autograder.course.chapters import Chapter, Exercise
from autograder.translation.catalogue import language, translate
from coursekit.languages import ENGLISH

# With this tag, "Run All Cells" goes on after a cell that has raised an error: a check that fails
# does not keep those below it from being run. nbgrader goes on with and without it.
GOES_ON = "raises-exception"
# TensorFlow greets in red otherwise, above everything that a student has written.
QUIET = "import coursekit.quiet_start  # hides TensorFlow's start-up messages"


def source_notebook(chapter: Chapter) -> NotebookNode:
    """Build the instructor's notebook: exercises, reference answers, visible and hidden checks."""
    checks = f"from coursekit.checks import {chapter.stem} as checks"
    if language() != ENGLISH:
        line = f'coursekit.checks.language = "{language()}"'
        checks = f"import coursekit.checks\n{checks}\n\n{line}"
    setup = f"{chapter.setup}\n\n{checks}"
    if re.search(r"^(import|from) keras\b", setup, re.MULTILINE):
        setup = f"{QUIET}\n\n{setup}"
    cells = [_text("opening", chapter.opening), _locked_code("setup", setup)]
    for number, exercise in enumerate(chapter.exercises, start=1):
        stars = "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)
        section = f"lesson.ipynb{heading_anchor(exercise.lesson)}"
        title = translate("Exercise {number} · {title}", number=number, title=exercise.title)
        facts = translate(
            "**{points} of {all} points** · {stars} · about {minutes} minutes · lesson: {lesson}",
            points=f"{exercise.points:g}",
            all=f"{chapter.points:g}",
            stars=stars,
            minutes=exercise.minutes,
            lesson=f"[{exercise.lesson}]({section})",
        )
        card = f"## {title}\n\n{facts}\n\n{exercise.text}"
        cells += [
            _text(f"{exercise.id}_text", card),
            _cell(new_code_cell, exercise.id, exercise.source, solution=True),
            _cell(
                new_code_cell,
                exercise.check_id,
                _check_source(chapter, exercise),
                grade=True,
                locked=True,
                points=exercise.points,
            ),
        ]
        for cell in cells[-2:]:
            cell.metadata["tags"] = [GOES_ON]
    for number, (kind, source) in enumerate(chapter.closing, start=1):
        new_cell = _text if kind == "markdown" else _closing_code
        cells.append(new_cell(f"closing_{number}", source))
    made: NotebookNode = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    return made


def _closing_code(grade_id: str, source: str) -> NotebookNode:
    # It trains networks: JupyterLab runs it, nbgrader's Validate and the graders leave it out.
    cell = _locked_code(grade_id, source)
    cell.metadata["tags"] = [SKIPPED]
    return cell


def _check_source(chapter: Chapter, exercise: Exercise) -> str:
    arguments = ", ".join(exercise.names)
    return (
        f"checks.{exercise.id}({arguments})\n"
        "### BEGIN HIDDEN TESTS\n"
        f"from autograder.hidden import {chapter.stem} as hidden\n\n"
        f"hidden.{exercise.id}({arguments})\n"
        "### END HIDDEN TESTS"
    )


def _text(grade_id: str, source: str) -> NotebookNode:
    return _cell(new_markdown_cell, grade_id, source, locked=True)


def _locked_code(grade_id: str, source: str) -> NotebookNode:
    return _cell(new_code_cell, grade_id, source, locked=True)


def _cell(
    new_cell: Callable[..., NotebookNode], grade_id: str, source: str, **marks: Any
) -> NotebookNode:
    marks = {"grade": False, "solution": False, "locked": False, "task": False} | marks
    marks |= {"grade_id": grade_id, "schema_version": 3}
    return new_cell(source, id=grade_id.replace("_", "-")[:64], metadata={"nbgrader": marks})
