"""What nbgrader's marks say of a cell of ours: whether it is an answer, graded, or left out."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode

# The tag of cells that nbclient, and so nbgrader, does not run.
SKIPPED = "skip-execution"


def is_answer(cell: NotebookNode) -> bool:
    """Return whether students write their answer into the cell."""
    return bool(_marks(cell).get("solution"))


def is_graded(cell: NotebookNode) -> bool:
    """Return whether the cell is ours and has points; an essay, which has, is an answer."""
    return bool(_marks(cell).get("grade")) and not is_answer(cell)


def is_skipped(cell: NotebookNode) -> bool:
    """Return whether a cell of ours is for students to run and takes no part in grading."""
    unmarked = not (_marks(cell).get("grade") or is_answer(cell))
    return unmarked and SKIPPED in cell.metadata.get("tags", [])


def _marks(cell: NotebookNode) -> dict[str, Any]:
    marks: dict[str, Any] = cell.metadata.get("nbgrader", {})
    return marks
