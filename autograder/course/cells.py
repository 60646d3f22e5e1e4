"""What nbgrader's marks say of a cell: its id, and whether it is an answer, graded or left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode

from autograder.untrusted import dict_of

# The tag of cells that nbclient, and so nbgrader, does not run.
SKIPPED = "skip-execution"


def grade_id_of(cell: Mapping[str, Any]) -> str | None:
    """Return the `grade_id` of a cell, ours or a submission's; None of one that has none."""
    grade_id = dict_of(cell["metadata"].get("nbgrader")).get("grade_id")
    return grade_id if isinstance(grade_id, str) else None


def is_answer(cell: NotebookNode) -> bool:
    """Return whether students write their answer into this cell of ours."""
    return bool(_marks(cell).get("solution"))


def is_graded(cell: NotebookNode) -> bool:
    """Return whether the cell is ours and has points; an essay, which has, is an answer."""
    return bool(_marks(cell).get("grade")) and not is_answer(cell)


def is_skipped(cell: NotebookNode) -> bool:
    """Return whether a cell of ours is for students to run and takes no part in grading."""
    unmarked = not (_marks(cell).get("grade") or is_answer(cell))
    return unmarked and SKIPPED in cell.metadata.get("tags", [])


def _marks(cell: NotebookNode) -> dict[str, Any]:
    return dict_of(cell.metadata.get("nbgrader"))
