"""Submissions made from the bank of variants, for tests, the demo and the benchmarks."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.building.release import assignment_notebook
from autograder.course.chapters import BEGIN, END, load_chapter
from autograder.files import replace_file


def submission_notebook(stem: str, answers: Mapping[str, str]) -> NotebookNode:
    """Fill a released assignment with answers: a dict from exercise id to the cell's text."""
    notebook = copy.deepcopy(_released(stem))
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in answers:
            cell.source = answers[grade_id]
    return notebook


def hand_in(course: str | Path, student: str, stem: str, notebook: NotebookNode) -> Path:
    """Write a notebook where nbgrader looks for a student's submission; return its path."""
    path = Path(course) / "submitted" / student / stem / "assignment.ipynb"
    replace_file(path, nbformat.writes(notebook))
    return path


def reference_answers(stem: str) -> dict[str, str]:
    """Return the reference answers of a chapter as a student would have typed them."""
    return {
        exercise.id: "\n".join(
            line for line in exercise.source.splitlines() if line.strip() not in (BEGIN, END)
        )
        for exercise in load_chapter(stem).exercises
    }


_released = cache(assignment_notebook)
