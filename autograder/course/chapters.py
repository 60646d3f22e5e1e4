"""The chapters as the instructors' tools see them: read from `_toc.yml` and `solutions/`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course_error import CourseError, unknown

ROOT = Path(__file__).resolve().parent.parent.parent
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


@dataclass(frozen=True)
class Exercise:
    """One exercise: what it asks for, its reference answer and how it is counted.

    ``lesson`` is the heading, on the chapter's page, under which the idea behind it is taught.
    """

    names: tuple[str, ...]
    title: str
    text: str
    source: str
    lesson: str
    points: float
    difficulty: int
    minutes: int

    @property
    def id(self) -> str:
        """The `grade_id` of the answer cell; the check cell's ends in `_check`."""
        return self.names[0]

    @property
    def check_id(self) -> str:
        return f"{self.id}_check"

    def result_names(self, label: str) -> list[str]:
        """Return the names that the text gives to the values that a call returns, in their order.

        ``label`` is by what the call is known to a check: a function's name, or that of a class
        with the arguments that a layer was made with. Where the text has a shape in place of names,
        it is the parts of the shape that are returned.
        """
        is_layer = re.fullmatch(rf"({'|'.join(self.names)})\([^()]*\)", label)
        called = re.escape("call" if is_layer else label)
        text = " ".join(self.text.split())
        found = re.search(rf"`{called}\([^`]*\)`[^→]*→ `\(([^`]*)\)`", text)
        return re.findall(r"\([^()]*\)|[^,()\s]+", found[1]) if found else []


@dataclass(frozen=True)
class Chapter(Assignment):
    """One chapter's assignment: the opening text, the set-up code and the exercises in order.

    ``closing`` holds the cells after the last exercise, in which the student's own functions work
    together: pairs of the kind, "markdown" or "code", and the text. Nothing of them is marked.
    """

    stem: str
    opening: str
    setup: str
    exercises: tuple[Exercise, ...]
    closing: tuple[tuple[str, str], ...] = ()
    notebook = "assignment"
    checks_run_outside_kernel = True

    @property
    def checks(self) -> ModuleType:
        """The module of the visible checks."""
        return import_module(f"coursekit.checks.{self.stem}")

    @property
    def reference(self) -> ModuleType:
        """The module of the reference answers."""
        return import_module(f"solutions.{self.stem}")

    def exercise(self, exercise_id: str) -> Exercise:
        """Return an exercise by its id."""
        return next(exercise for exercise in self.exercises if exercise.id == exercise_id)


@dataclass(frozen=True)
class Page:
    """A page as the table of contents names it; ``title`` is "" where it has the page's own."""

    file: str
    title: str


@dataclass(frozen=True)
class Part:
    """A part of the book, with all its pages in their order; ``caption`` may be ""."""

    caption: str
    pages: tuple[Page, ...]

    @property
    def chapters(self) -> list[str]:
        """The stems of its chapters."""
        lessons = (re.fullmatch(r"notebooks/(\w+)/lesson", page.file) for page in self.pages)
        return [lesson[1] for lesson in lessons if lesson]


def table_of_contents() -> dict[str, Any]:
    """Read `_toc.yml`, where the order of pages and chapters stands."""
    contents: dict[str, Any] = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return contents


def parts() -> list[Part]:
    """List the parts of the table of contents; a table without parts is one."""
    contents = table_of_contents()
    return [
        Part(part.get("caption", ""), tuple(_pages(part.get("chapters", []))))
        for part in contents.get("parts", [contents])
    ]


def _pages(entries: Iterable[dict[str, Any]]) -> Iterator[Page]:
    for entry in entries:
        if "file" in entry:
            yield Page(entry["file"], entry.get("title", ""))
        yield from _pages(entry.get("sections", []))


def chapter_stems() -> list[str]:
    """List the stems of the chapters in the order of `_toc.yml`."""
    return [stem for part in parts() for stem in part.chapters]


def chapter_with(exercises: Collection[str]) -> str:
    """Return the stem of the chapter that has most of these exercises, "" if none has any."""
    shared = {
        stem: sum(exercise.id in exercises for exercise in load_chapter(stem).exercises)
        for stem in chapter_stems()
    }
    best = max(shared, key=lambda stem: shared[stem])
    return best if shared[best] else ""


@cache
def load_chapter(stem: str) -> Chapter:
    """Read a chapter's solution module; a `CourseError` names what is missing in it."""
    stems = chapter_stems()
    if stem not in stems:
        raise unknown("chapter", stem, stems)
    path = ROOT / "solutions" / f"{stem}.py"
    opening, setup, card = "", "", None
    exercises: list[Exercise] = []
    cells = read_cells(path)
    ends = [number for number, cell in enumerate(cells, 1) if "exercise" in cell.metadata]
    if not ends:
        where = path_in_course(path)
        raise CourseError(f'{where}: no cell is marked with exercise="…"; mark the answers')
    lost: NotebookNode | None = None
    for cell in cells[: ends[-1]]:
        if "exercise" in cell.metadata:
            exercise = _exercise(path, cell, card)
            if lost:
                raise CourseError(_at(path, exercise.id, _stands_below(lost)))
            taken = {name for other in exercises for name in other.names}
            for name in exercise.names:
                if name in taken:
                    raise CourseError(_at(path, name, "this exercise is there twice; rename one"))
            exercises.append(exercise)
            card = None
        elif cell.cell_type == "markdown" and not opening:
            opening = cell.source
        elif cell.cell_type == "markdown":
            lost, card = lost or card, cell
        elif _is_closing(cell):
            lost = lost or card or cell
        else:
            setup += cell.source + "\n"
    closing = _closing(path, cells[ends[-1] :])
    chapter = Chapter(stem, opening, setup.strip(), tuple(exercises), closing)
    for package in ("coursekit.checks", "autograder.hidden"):
        file = f"{package.replace('.', '/')}/{stem}.py"
        checks = _functions(f"{package}.{stem}")
        if checks is None:
            raise CourseError(f"{file} is missing; every chapter in _toc.yml needs one")
        for exercise in exercises:
            if exercise.id not in checks:
                raise CourseError(f"{file}: there is no check {exercise.id}(); write one")
    return chapter


def _functions(module: str) -> set[str] | None:
    """Name the functions of a module, None without it, and import nothing (TensorFlow is slow)."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return None
    body = ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


def read_source(path: Path) -> str:
    """Return the text of one of a chapter's files; a `CourseError` when it is not there."""
    if not path.exists():
        raise CourseError(f"{path_in_course(path)} is missing; every chapter in _toc.yml needs one")
    return path.read_text(encoding="utf-8")


def read_cells(path: Path) -> list[NotebookNode]:
    """Return the cells of a file in the percent format; a `CourseError` when it does not parse."""
    text = read_source(path)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise CourseError(f"{path_in_course(path)}, line {error.lineno}: {error.msg}") from error
    import jupytext  # it takes a third of a second, and many a command reads no chapter

    cells: list[NotebookNode] = jupytext.reads(text, fmt="py:percent").cells
    return cells


def _exercise(path: Path, cell: NotebookNode, card: NotebookNode | None) -> Exercise:
    names = tuple(str(cell.metadata["exercise"]).split())
    if not names:
        raise CourseError(f'{path_in_course(path)}: exercise="" names no function; write its name')
    name = names[0]
    numbers: dict[str, float] = {}
    for key, example in (("points", 2), ("difficulty", 1), ("minutes", 5)):
        number = cell.metadata.get(key)
        if not isinstance(number, (int, float)) or number <= 0:
            raise CourseError(
                _at(path, name, f"no {key}; write {key}={example} on its `# %%` line")
            )
        numbers[key] = number
    if not card or not card.source.startswith("## "):
        raise CourseError(
            _at(path, name, "no text stands before it; write a markdown cell with a ## title")
        )
    title, _, text = card.source.partition("\n")
    lesson = card.metadata.get("lesson")
    if f"# {lesson}\n" not in read_source(ROOT / "book" / f"{path.stem}.md"):
        problem = f'its text\'s lesson="{lesson}" is not a heading of book/{path.stem}.md; name one'
        raise CourseError(_at(path, name, problem))
    _check_markers(path, cell.source, names)
    title = title.removeprefix("## ")
    return Exercise(
        names,
        title,
        text.strip(),
        cell.source,
        lesson,
        numbers["points"],
        int(numbers["difficulty"]),
        int(numbers["minutes"]),
    )


def _closing(path: Path, cells: list[NotebookNode]) -> tuple[tuple[str, str], ...]:
    """Return the cells after the last exercise; only notebooks may run their code, no import."""
    for cell in cells:
        if cell.cell_type == "code" and not _is_closing(cell):
            problem = (
                'code after the last exercise would run on import; mark it with active="ipynb" '
                "on its `# %%` line and put # before each of its lines"
            )
            raise CourseError(f"{path_in_course(path)}: {problem}")
    return tuple((cell.cell_type, cell.source) for cell in cells)


def _is_closing(cell: NotebookNode) -> bool:
    """Say whether a cell of code runs in notebooks alone, as those that close an assignment do."""
    return bool(cell.metadata.get("active") == "ipynb")


def _stands_below(cell: NotebookNode) -> str:
    """Say what is wrong with an exercise below a cell that no notebook would have."""
    first = cell.source.partition("\n")[0]
    return (
        f'the cell "{first}" stands above it and belongs to no exercise; put the exercise above '
        "the closing cells, or make that cell part of its text"
    )


def _check_markers(path: Path, source: str, names: tuple[str, ...]) -> None:
    defined = {
        node.name: node
        for node in ast.parse(source).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    depth = 0
    for line in source.splitlines():
        depth += (line.strip() == BEGIN) - (line.strip() == END)
        if depth not in (0, 1):
            raise CourseError(_at(path, names[0], f"{BEGIN} and {END} do not alternate"))
    if depth:
        raise CourseError(_at(path, names[0], f"{BEGIN} without {END}; add it after the answer"))
    for name in names:
        if name not in defined:
            raise CourseError(_at(path, names[0], f"its cell does not define {name}"))
        node = defined[name]
        lines = source.splitlines()[node.lineno - 1 : (node.end_lineno or node.lineno) + 1]
        if not any(line.strip() == BEGIN for line in lines):
            raise CourseError(
                _at(path, names[0], f"{name} has no {BEGIN}; put one before the answer")
            )


def path_in_course(path: Path) -> str:
    """Return a path as messages name it: from the repository's folder on."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def _at(path: Path, exercise: str, problem: str) -> str:
    return f"{path_in_course(path)}, exercise {exercise}: {problem}"
