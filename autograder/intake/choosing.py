"""Which of the files that a student handed in is the assignment."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from autograder.intake.entries import (
    Entry,
    Rejected,
    check_count,
    check_size,
    is_junk,
    unzipped,
)
from autograder.platforms.base import SUBMITTED_FILE
from autograder.results import SEVERAL_NOTEBOOKS, Status

# Of all notebooks and archives that a student handed in, together.
MAX_TOTAL = 100 * 2**20
# Zips are opened, and zips in them, but none that lies deeper.
ZIPS_DEEP = 2
NOTEBOOK = re.compile(r"\.ipynb(\.json|\.txt)?$", re.I)
NBGRADER = re.compile(rb'"nbgrader"\s*:\s*\{([^{}]*)\}')
GRADE_ID = re.compile(rb'"grade_id"\s*:\s*"([^"]*)"')
SOLUTION = re.compile(rb'"solution"\s*:\s*true')


class Chosen(NamedTuple):
    """The notebook that is graded, and the names of others that could have been meant."""

    content: bytes
    others: tuple[str, ...] = ()


def choose_notebook(entries: Sequence[Entry], ours: set[bytes]) -> Chosen:
    """Return the notebook that a student means to submit, of all the files that were submitted.

    It is the one with our answer cells, by preference named assignment.ipynb; ``ours`` are their
    ids. Other notebooks with our answer cells are named beside it, unless they are copies. Raises
    `Rejected` where there is none, or several.
    """
    files = _submitted_files(entries)
    named = [entry for entry in files if entry.name == "assignment.ipynb"]
    # Two of this name come from an export with two folders of the student: neither is preferred.
    if len(named) == 1:
        content = named[0].read()
        if _is_ours(content, ours):
            return Chosen(content, _others(files, content, ours))
    troubles: list[Rejected] = []
    notebooks = _notebooks(files, ZIPS_DEEP, troubles)
    _check_total(notebooks)
    best: tuple[bool, tuple[int, ...]] = (True, ())
    chosen: dict[bytes, str] = {}
    for entry in notebooks:
        try:
            content = entry.read()
        except Rejected as rejected:
            troubles.append(rejected)
            continue
        rank = (not _is_ours(content, ours), _rank(entry))
        if not chosen or rank < best:
            best, chosen = rank, {}
        if rank == best:
            chosen[content] = entry.name  # the same bytes twice are one notebook
    not_ours, _ = best
    if troubles and not_ours:
        raise troubles[0]
    if len(chosen) == 1:
        content = next(iter(chosen))
        return Chosen(content, _others(notebooks, content, ours))
    if chosen:
        problem = SEVERAL_NOTEBOOKS.replace("{1}", str(len(chosen)))
    else:
        names = [entry.name for entry in entries if not entry.name.endswith("/")]
        problem = f"no notebook was handed in ({', '.join(names[:3]) or 'nothing at all'})"
    raise Rejected(Status.INVALID_NOTEBOOK, f"{problem}; one assignment.ipynb is expected")


def _others(files: Iterable[Entry], chosen: bytes, ours: set[bytes]) -> tuple[str, ...]:
    """Return the names of notebooks that have our answer cells and are not the chosen one."""
    others = []
    for entry in files:
        if NOTEBOOK.search(entry.name):
            with contextlib.suppress(Rejected):  # what cannot be read is not named
                content = entry.read()
                if content != chosen and _is_ours(content, ours):
                    others.append(entry.name)
    return tuple(sorted(others))


def _notebooks(files: Iterable[Entry], zips_deep: int, troubles: list[Rejected]) -> list[Entry]:
    """Return the notebooks among files and in their archives, of which some may be in trouble."""
    notebooks = []
    for entry in files:
        if NOTEBOOK.search(entry.name):
            notebooks.append(entry)
        elif zips_deep:
            try:
                inside = _submitted_files(unzipped(entry))
                notebooks += _notebooks(inside, zips_deep - 1, troubles)
            except Rejected as rejected:
                troubles.append(rejected)
    return notebooks


def _submitted_files(entries: Sequence[Entry]) -> list[Entry]:
    """Return the notebooks and archives without what systems leave behind; none has been read."""
    check_count(len(entries))
    for entry in entries:
        if entry.rejected:
            raise entry.rejected
    files = [
        entry
        for entry in entries
        if SUBMITTED_FILE.search(entry.name) and not is_junk(PurePosixPath(entry.name).parts)
    ]
    _check_total(files)
    return files


def _check_total(entries: Sequence[Entry]) -> None:
    if len(entries) < 2:  # for one alone there is the limit of a file, when it is read
        return
    total = sum(entry.size for entry in entries)
    archived = any(entry.archived for entry in entries)
    check_size("what was handed in", total, archived, MAX_TOTAL)


def _rank(entry: Entry) -> tuple[int, ...]:
    """Order names by how much they say that this is the assignment; the first is the best."""
    path = PurePosixPath(entry.name)
    name = path.name.casefold()
    if name == "assignment.ipynb":
        return (0, len(path.parts))
    if NOTEBOOK.sub("", name) == "assignment":
        return (1, len(path.parts))
    return (2,) if name.startswith("assignment") else (3,)


def _is_ours(content: bytes, ours: set[bytes]) -> bool:
    return not answer_ids(content).isdisjoint(ours)


def is_of_another_assignment(content: bytes, ours: set[bytes]) -> bool:
    """Return whether a notebook has answer cells, and none of those with our ids."""
    found = answer_ids(content)
    return bool(found) and found.isdisjoint(ours)


def answer_ids(content: bytes) -> set[bytes]:
    """Find the ids of a notebook's answer cells, without trusting that it is one."""
    marks = [mark for mark in NBGRADER.findall(content) if SOLUTION.search(mark)]
    return {grade_id for mark in marks for grade_id in GRADE_ID.findall(mark)}
