"""How a hostile submission is described (`Case`) and made from chapter 2's released assignment."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import nbformat
from nbformat.v4 import new_code_cell
from quick import quick_answers

from autograder.building.made_up_submissions import submission_notebook
from autograder.course.chapters import load_chapter
from autograder.kernels.limits import Limits
from autograder.results import Outcome, Status

STEM = "ch02_simple_rnn"
POINTS = {exercise.id: exercise.points for exercise in load_chapter(STEM).exercises}
NAMES = {exercise.id: exercise.names for exercise in load_chapter(STEM).exercises}
HONEST = quick_answers(STEM)
ALL = frozenset(POINTS)
# A cheat answers one exercise honestly, so that its marks show whether true work still counts.
CHEATED = ALL - {"persistence_forecast"}
# Short, because the corpus waits for them; the slowest cell of an honest one sleeps three seconds.
LIMITS = Limits(
    cell_seconds=8, call_seconds=8, interrupt_seconds=1, submission_seconds=120, memory_mb=2048
)
# An honest submission is graded in half a second on an idle machine.
SLOWER = 20
# Besides those that lose an answer to a limit of time.
WAITING = {"another_program", "loop_in_extra_cell", "never_idle"}
UNREAD = (Status.NO_RESPONSE, Status.INVALID_NOTEBOOK, Status.TOO_LARGE, Status.REFUSED)


@dataclass(frozen=True)
class Case:
    """One submission and the verdict it must get.

    It is the reference solution with ``answers`` in place of some, ``cells`` (code by the
    `grade_id` before which it is inserted, or "end"), then ``edit`` of the notebook, then
    ``content`` of its bytes; ``deliver`` puts it into the student's folder in another way than as
    assignment.ipynb. ``earlier``: the honest solution was handed in and graded before.

    ``lost`` names the exercises without points, every other one has all of its points; None when
    any marks will do, if only they are the same for all of its number and name.
    ``flags`` must be there and no others, but for ``flags_allowed``. ``outcomes`` maps an exercise
    to the outcomes it may have. ``hides`` must not come back to the student in any output;
    ``seconds`` is what grading may take at most, where the attack is on the grader's own time: on a
    busy machine, `SLOWER` times what an honest submission of the same class takes.
    ``not_on_stock`` says why stock nbgrader, which has no sandbox, is not given the submission.
    """

    number: int
    name: str
    what: str
    answers: dict = field(default_factory=dict)
    cells: dict = field(default_factory=dict)
    edit: Callable | None = None
    content: Callable | None = None
    deliver: Callable | None = None
    earlier: bool = False
    status: Status = Status.GRADED
    lost: frozenset | None = frozenset()
    flags: tuple = ()
    flags_allowed: tuple = ()
    outcomes: dict = field(default_factory=dict)
    hides: str = ""
    seconds: float = float("inf")
    not_on_stock: str = ""

    @property
    def student(self):
        return f"{self.number:02d}_{self.name}"

    @property
    def points(self):
        """The points of every exercise by its id, None where any will do."""
        if self.lost is None:
            return None
        lost = ALL if self.status in UNREAD else self.lost
        return {exercise: 0 if exercise in lost else POINTS[exercise] for exercise in POINTS}

    @property
    def waits(self):
        """Whether grading it is mostly waiting: for a limit of time, or for what it leaves busy."""
        return (
            self.number == 55
            or self.name in WAITING
            or (Outcome.TIME_LIMIT,) in self.outcomes.values()
        )

    def assert_deserved(self, result, honest):
        """Require of a `Result` the marks, status, flags and outcomes that this case must get.

        ``honest`` are results of honest submissions in the same class, for the time it may take.
        """
        points = {exercise.exercise: exercise.points for exercise in result.exercises}
        words = "\n".join(
            f"{e.exercise}: {e.points:g}, {e.outcome}, {e.headline[:200]}" for e in result.exercises
        )
        words = f"{result.status} {result.reason} {[flag.name for flag in result.flags]}\n{words}"
        assert points == self.points or self.points is None, words
        assert result.status is self.status, words
        assert set(self.flags) <= set(result.flags) <= {*self.flags, *self.flags_allowed}, words
        for exercise in result.exercises:
            passed = (Outcome.PASSED,) if points[exercise.exercise] else tuple(Outcome)
            assert exercise.outcome in self.outcomes.get(exercise.exercise, passed), words
        assert result.seconds < max(self.seconds, SLOWER * max(other.seconds for other in honest))

    def hand_in(self, course, honest=False):
        """Write the submission (or, with ``honest``, the solution) into a course folder."""
        inbox = course / "submitted" / self.student / STEM
        if self.deliver and not honest:
            inbox.parent.mkdir(parents=True, exist_ok=True)
            self.deliver(inbox, notebook_bytes(HONEST), course)
            return
        inbox.mkdir(parents=True, exist_ok=True)
        content = notebook_bytes(HONEST) if honest else self._bytes()
        (inbox / "assignment.ipynb").write_bytes(content)

    def _bytes(self):
        # A deep copy: the cells' metadata belong to a notebook that is kept and used again.
        notebook = copy.deepcopy(submission_notebook(STEM, HONEST | self.answers))
        for before, sources in self.cells.items():
            insert(notebook, before, *([sources] if isinstance(sources, str) else sources))
        if self.edit:
            self.edit(notebook)
        content = (json.dumps(notebook, indent=1) + "\n").encode()
        return self.content(content) if self.content else content


@cache
def _honest():
    return nbformat.writes(submission_notebook(STEM, HONEST)).encode()


def notebook_bytes(answers):
    """Return a submission with these answers as the bytes of its file."""
    if answers is HONEST:
        return _honest()
    return nbformat.writes(submission_notebook(STEM, answers)).encode()


# --- answers ---------------------------------------------------------------------------------


def wrong(exercises=CHEATED):
    """Answer exercises by functions that return 0.0 whatever they are given."""
    return {
        exercise: "\n".join(f"def {n}(*args, **kwargs):\n    return 0.0\n" for n in NAMES[exercise])
        for exercise in exercises
    }


def returning(expression, exercises=CHEATED):
    """Answer exercises by functions that return an expression made elsewhere; ``NAME`` in it
    is the function's own name, ``args`` and ``kwargs`` are its arguments."""
    return {
        exercise: "\n".join(
            f"def {n}(*args, **kwargs):\n    return {expression.replace('NAME', n)}\n"
            for n in NAMES[exercise]
        )
        for exercise in exercises
    }


def atop(exercise, code):
    """The honest answer with code before it, in the same cell."""
    return {exercise: f"{code}\n\n{HONEST[exercise]}"}


def below(exercise, code):
    """The honest answer with code after it, in the same cell."""
    return {exercise: f"{HONEST[exercise]}\n\n{code}"}


def inside(exercise, code):
    """The honest answer whose first function starts with this code."""
    first, rest = HONEST[exercise].split("\n", 1)
    indented = "\n".join(f"    {line}" for line in code.splitlines())
    return {exercise: f"{first}\n{indented}\n{rest}"}


# --- cells -----------------------------------------------------------------------------------


def cell(notebook, grade_id):
    """Return the first cell with this `grade_id`."""
    return next(c for c in notebook.cells if _grade_id(c) == grade_id)


def insert(notebook, before, *sources):
    """Insert code cells before the cell of a `grade_id`, or at the end."""
    places = [i for i, c in enumerate(notebook.cells) if _grade_id(c) == before]
    place = places[0] if places else len(notebook.cells)
    notebook.cells[place:place] = [
        new_code_cell(source, id=f"extra-{before}-{number}".replace("_", "-"))
        for number, source in enumerate(sources)
    ]


def checks(notebook):
    """Return the graded cells."""
    return [c for c in notebook.cells if (_grade_id(c) or "").endswith("_check")]


def solutions(notebook):
    """Return the answer cells."""
    return [c for c in notebook.cells if _grade_id(c) in POINTS]


def _grade_id(c):
    return c.metadata.get("nbgrader", {}).get("grade_id")
