"""Whose doing it was that a kernel ended: which cells to leave out when something is tried again.

When a kernel dies while a cell or a check runs, something that ran before may have brought that
about: a timer, a thread, a signal. So the same is tried again without the cells that are suspected,
the likeliest group first. Nothing here runs a cell; `execution.Execution` does what is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nbformat import NotebookNode

from autograder.course.cells import grade_id_of, is_answer, is_graded
from autograder.results import Outcome

# A notebook may add a thousand cells that each end the kernel. After so many of them no added cell
# is run any more: answers do not pay for them.
DEATHS_OF_ADDED_CELLS = 5


class Suspects:
    """The cells of a notebook, and what is known of them.

    ``lost`` maps the cells that ended a kernel, or were stopped, to their outcome; they are not run
    again. Cells are named by their index.
    """

    def __init__(self, cells: Sequence[NotebookNode]) -> None:
        self.lost: dict[int, Outcome] = {}
        self.added = {i for i, cell in enumerate(cells) if is_added(cell)}
        self.graded = {i for i, cell in enumerate(cells) if is_graded(cell)}
        self.students = {i for i, cell in enumerate(cells) if _is_students(cell)}
        # Run since the last check: when the kernel dies in the next, it may be their doing.
        self.unproven: list[int] = []
        self._deaths_of_added_cells = 0

    def lose(self, index: int, outcome: Outcome) -> None:
        """Note that a cell ended its kernel or was stopped; it is not run again."""
        self.lost[index] = outcome
        if outcome is Outcome.TIME_LIMIT or index not in self.added:
            return
        self._deaths_of_added_cells += 1
        if self._deaths_of_added_cells == DEATHS_OF_ADDED_CELLS:
            self.lost = dict.fromkeys(sorted(self.added), Outcome.KERNEL_DIED) | self.lost

    def bring_back(self, cells: Iterable[int]) -> None:
        """Let cells run again that were left out; added ones not after too many deaths."""
        too_many = self._deaths_of_added_cells >= DEATHS_OF_ADDED_CELLS
        for index in cells:
            if not (too_many and index in self.added):
                self.lost.pop(index, None)


class Inquiry:
    """Who ended the kernel while something was done for ``cell``, with the cells before ``index``?

    ``cell`` and ``index`` are the same when the cell itself is run, and differ when an answer is
    checked. ``excluded`` are the cells that have been left out so far.
    """

    def __init__(self, suspects: Suspects, cell: int, index: int) -> None:
        self.excluded: set[int] = set()
        self._suspects = suspects
        self._cell = cell
        self._index = index
        # First what ran since the last check, then every added cell, at last everything but our
        # cells. An added cell is not tried again: other cells would be excluded for its sake.
        groups = [suspects.students & set(suspects.unproven), suspects.added, suspects.students]
        self._groups = [] if cell in suspects.added else groups

    def after_death(self, had_timeout: bool, alive: bool) -> set[int] | None:
        """Return the next cells to leave out after a death, None when it was the cell's own doing.

        None of them, when something was stopped in this kernel before (``had_timeout``): a new
        kernel without it may be enough. ``alive`` says that the kernel is still there.
        """
        found: set[int] = set()
        while self._groups and not found and not had_timeout:
            found = self._among(self._groups.pop(0))
        return None if alive or not (found or had_timeout) else found

    def after_timeout(self, had_timeout: bool, alive: bool, is_time_left: bool) -> set[int] | None:
        """Return the cells to leave out after a time-out, None when it was the cell's own doing.

        An added cell may keep the kernel busy; so may what was stopped in this kernel before.
        ``is_time_left`` says whether a second try leaves enough time for the other work.
        """
        suspects, cell = self._suspects, self._cell
        if cell == self._index and had_timeout and not alive:
            return set()
        # Later tests may need what a test of the instructor's notebook had defined when it was
        # stopped.
        if cell in suspects.added or cell in suspects.graded or not is_time_left:
            return None
        return set() if had_timeout else self._among(suspects.added) or None

    def exclude(self, cells: set[int]) -> None:
        """Leave cells out of what is run from now on."""
        self.excluded |= cells
        self._suspects.lost |= dict.fromkeys(cells, Outcome.KERNEL_DIED)

    def acquit(self) -> None:
        """Bring all excluded cells back: it was not their doing, or it cannot be decided."""
        self._suspects.bring_back(self.excluded)

    def close(self) -> None:
        """Bring the answers back, which later ones may need; added cells had their chance."""
        self._suspects.bring_back(self.excluded - self._suspects.added)

    def _among(self, cells: set[int]) -> set[int]:
        before = {index for index in cells if index < self._index}
        return before - {self._cell} - self._suspects.lost.keys()


def is_added(cell: NotebookNode) -> bool:
    """Return whether the student has added a code cell."""
    return cell.cell_type == "code" and grade_id_of(cell) is None


def _is_students(cell: NotebookNode) -> bool:
    return is_added(cell) or is_answer(cell)
