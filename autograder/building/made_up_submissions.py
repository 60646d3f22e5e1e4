"""Submissions made from the bank of variants, for tests, the demo and the benchmarks."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.building.release import assignment_notebook
from autograder.course.cells import grade_id_of
from autograder.course.chapters import BEGIN, END, load_chapter
from autograder.course.variants import Variant, load_variants
from autograder.files import replace_file


def submission_notebook(stem: str, answers: Mapping[str, str]) -> NotebookNode:
    """Fill a released assignment with answers: a dict from exercise id to the cell's text."""
    notebook = copy.deepcopy(_released(stem))
    for cell in notebook.cells:
        cell.source = answers.get(grade_id_of(cell) or "", cell.source)
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


def quick_variants(stem: str) -> Sequence[Variant]:
    """Return the variants of a chapter that import neither TensorFlow nor Keras on their own.

    A kernel of a chapter without Keras has neither in memory, and each import takes seconds.
    """
    if "keras" in load_chapter(stem).setup:
        return load_variants(stem)
    return [variant for variant in load_variants(stem) if not _IMPORT.search(variant.source)]


_IMPORT = re.compile(r"import (keras|tensorflow)")
_released = cache(assignment_notebook)
