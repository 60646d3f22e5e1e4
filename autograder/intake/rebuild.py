"""Rebuilding the graded notebook: our cells, the student's answers, nothing else of theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_notebook

from autograder.course.cells import grade_id_of, is_answer
from autograder.intake.entries import Rejected
from autograder.results import Flag, Status
from autograder.untrusted import dict_of, text_of

MAX_CELLS = 2000
# A cell of a submission: its type, its source and its metadata, none of it trusted.
Cell = dict[str, Any]
# Where HTML begins; formgrader renders what stands in the text of an answer.
TAG = re.compile(r"<(?=[A-Za-z/!?])")


@dataclass(frozen=True)
class Rebuilt:
    """Our notebook with the student's answers in it, and what was found on the way.

    ``missing`` are the ids of answer cells that the submission lacks, ``unanswered`` those of
    answer cells that are as they were released, and ``strangers`` the ids of its cells that are
    not ours.
    """

    notebook: NotebookNode
    answered: bool
    missing: frozenset[str]
    unanswered: frozenset[str]
    strangers: frozenset[str]
    flags: tuple[Flag, ...] = ()

    @property
    def lacks_every_answer_cell(self) -> bool:
        """Whether the assignment has answer cells, and the submission none of them."""
        answers = {grade_id_of(cell) for cell in self.notebook.cells if is_answer(cell)}
        return bool(answers) and answers == self.missing


def rebuild(content: bytes, released: NotebookNode) -> Rebuilt:
    """Graft the student's answers and extra cells into the released notebook.

    Of the submission only source text is taken, by `grade_id` for answers and by place for extra
    cells; what differs otherwise is flagged, never obeyed. Raises `Rejected` for what cannot be
    read as a notebook.
    """
    flags: list[Flag] = []
    cells, metadata, upgraded = read_notebook(content)
    if upgraded:
        flags.append(Flag.UPGRADED)
    kernel, expected = metadata.get("kernelspec"), released.metadata.get("kernelspec", {})
    if not isinstance(kernel, dict) or kernel.get("name") != expected.get("name"):
        flags.append(Flag.OTHER_KERNEL)
    ours = {grade_id: cell for cell in released.cells if (grade_id := grade_id_of(cell))}
    theirs, extras, strangers = _sorted_cells(cells, ours, flags)
    # Our cells without a `grade_id` come back among the extras: only what differs is an answer.
    unmarked = [cell.source.split() for cell in released.cells if not grade_id_of(cell)]
    answered = any(cell["source"].split() not in unmarked for cell in _code(extras))
    rebuilt = new_notebook(metadata=released.metadata)
    rebuilt.cells += _extra_cells(extras.get(None, []), first=0)
    missing, unanswered = set(), set()
    for grade_id, cell in ours.items():
        source, answer = cell.source, theirs.get(grade_id)
        if cell.metadata.nbgrader.solution and answer is None:
            missing.add(grade_id)
            flags.append(Flag.ANSWER_MISSING)
        elif cell.metadata.nbgrader.solution and answer is not None:
            source = answer["source"]
            if source.split() in ([], cell.source.split()):
                unanswered.add(grade_id)
            else:
                answered = True
            if cell.cell_type == "markdown":
                source = TAG.sub("&lt;", source)
        flags += _differences(cell, answer)
        # Notebooks of an older minor format have no ids.
        cell_id = cell.get("id") or re.sub(r"[^\w-]", "-", grade_id)[:64]
        rebuilt.cells.append(_new_cell(cell.cell_type, source, cell_id, cell.metadata))
        rebuilt.cells += _extra_cells(extras.get(grade_id, []), first=len(rebuilt.cells))
    return Rebuilt(
        rebuilt,
        answered or bool(missing),
        frozenset(missing),
        frozenset(unanswered),
        frozenset(strangers),
        tuple(dict.fromkeys(flags)),
    )


def _sorted_cells(
    cells: Iterable[Cell], ours: Mapping[str, NotebookNode], flags: list[Flag]
) -> tuple[dict[str, Cell], dict[str | None, list[Cell]], set[str]]:
    """Sort a submission's cells: the first one of each of ours, then what was added.

    Added cells are listed by the cell of ours that they follow, None at the beginning. The ids of
    cells that are not ours come third.
    """
    theirs: dict[str, Cell] = {}
    extras: dict[str | None, list[Cell]] = {}
    strangers: set[str] = set()
    last = None
    for cell in cells:
        grade_id = grade_id_of(cell)
        released = ours.get(grade_id) if grade_id else None
        if grade_id and released and grade_id not in theirs:
            theirs[grade_id] = cell
            last = grade_id
        elif released and not released.metadata.nbgrader.solution:
            if released.metadata.nbgrader.grade:
                flags.append(Flag.CHECK_DUPLICATED)
        else:
            if released:
                flags.append(Flag.ANSWER_DUPLICATED)
            elif grade_id:
                strangers.add(grade_id)
            extras.setdefault(last, []).append(cell)
    return theirs, extras, strangers


def read_notebook(content: bytes) -> tuple[list[Cell], dict[str, Any], bool]:
    """Return a submission's cells and metadata, and whether its format was an older one.

    Raises `Rejected` for what cannot be read as a notebook.
    """
    if not content.strip():
        raise Rejected(Status.INVALID_NOTEBOOK, "the file is empty")
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Rejected(Status.INVALID_NOTEBOOK, "the file is not a notebook (not JSON)") from error
    if not isinstance(notebook, dict):
        raise Rejected(Status.INVALID_NOTEBOOK, "the file is not a notebook")
    cells, metadata = notebook.get("cells"), notebook.get("metadata")
    is_older = notebook.get("nbformat") in (1, 2, 3)
    if is_older:
        cells = _upgraded(notebook)
    if not isinstance(cells, list) or len(cells) > MAX_CELLS:
        raise Rejected(
            Status.INVALID_NOTEBOOK, "the notebook has no list of cells that can be read"
        )
    readable = [_plain_cell(cell) for cell in cells]
    return readable, dict_of(metadata), is_older


def _upgraded(notebook: dict[str, Any]) -> list[Any] | None:
    """Return the cells of an older format; None when there are none.

    nbformat's own converters write as many # as a heading's level says, even a billion.
    """
    sheets = notebook.get("worksheets", [notebook])
    if not isinstance(sheets, list):
        return None
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    cells = [
        cell
        for cells in lists
        if isinstance(cells, list)
        for cell in cells
        if isinstance(cell, dict)
    ]
    return [
        cell | {"source": next((cell[k] for k in ("input", "source", "text") if k in cell), "")}
        for cell in cells
    ]


def _plain_cell(cell: Any) -> Cell:
    cell = dict_of(cell)
    return {
        "cell_type": cell.get("cell_type"),
        # A lone surrogate is not text; it could not even be written down again.
        "source": text_of(cell.get("source")).encode("utf-8", "replace").decode(),
        "metadata": dict_of(cell.get("metadata")),
    }


def _code(extras: Mapping[str | None, list[Cell]]) -> list[Cell]:
    return [
        cell
        for cells in extras.values()
        for cell in cells
        if cell["cell_type"] == "code" and cell["source"].strip()
    ]


def _extra_cells(cells: Iterable[Cell], first: int) -> list[NotebookNode]:
    """Return cells that a student added, with their places in the notebook as their ids."""
    made = []
    for place, cell in enumerate(cells, start=first):
        name = f"extra-{place}"
        if cell["cell_type"] == "code":
            made.append(_new_cell("code", cell["source"], name, {}))
        else:
            made.append(_new_cell("markdown", _inert(cell["source"]), name, {}))
    return made


def _new_cell(cell_type: str, source: str, cell_id: str, metadata: Any) -> NotebookNode:
    # `new_code_cell` would hold each against the schema; `nbformat.writes` does it for all at once.
    cell = {"cell_type": cell_type, "id": cell_id, "metadata": metadata, "source": source}
    more: dict[str, Any] = {"execution_count": None, "outputs": []} if cell_type == "code" else {}
    made: NotebookNode = from_dict(cell | more)
    return made


def _inert(text: str) -> str:
    """Return Markdown that shows a text as it is: formgrader renders HTML that stands in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _differences(released: NotebookNode, theirs: Cell | None) -> list[Flag]:
    """Flag what was done to one of our cells."""
    marks = released.metadata.nbgrader
    if theirs is None:
        if marks.solution:
            return []
        return [Flag.CHECK_DELETED if marks.grade else Flag.TEXT_EDITED]
    flags: list[Flag] = []
    if marks.solution and theirs["cell_type"] != released.cell_type:
        flags.append(Flag.ANSWER_NOT_CODE)
    if not marks.solution and theirs["source"].split() != released.source.split():
        flags.append(Flag.CHECK_EDITED if marks.grade else Flag.TEXT_EDITED)
    known = ("grade", "solution", "locked", "points", "schema_version")
    changed = any(theirs["metadata"]["nbgrader"].get(key) != marks.get(key) for key in known)
    tags = theirs["metadata"].get("tags")
    if changed or (tags and tags != released.metadata.get("tags")):
        flags.append(Flag.METADATA_CHANGED)
    return flags
