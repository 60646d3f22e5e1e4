"""From `book/` and `solutions/` to what a release writes: notebooks and recorded examples."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.building.figure_numbers import figures_file
from autograder.building.lessons import add_installation_note, student_notebook
from autograder.building.stock_nbgrader import create_assignment
from autograder.checking.recording import recorded_file, recorded_texts
from autograder.course import chapters
from autograder.course.notebook_assignment import NOT_A_NOTEBOOK
from autograder.course.variants import require_answers
from autograder.course_error import CourseError
from autograder.files import replace_file
from autograder.translation.catalogue import is_translated, language, use_language
from coursekit.languages import ENGLISH, LOCALES

# Written into what is built, so that a later release sees whether somebody edited it since.
SEAL = "built_from"
FIGURE_ORDER = "coursekit/figures/figure_order.json"


def assignment_notebook(stem: str) -> NotebookNode:
    """Build the students' notebook of a chapter by nbgrader's own `generate_assignment`."""
    with tempfile.TemporaryDirectory() as course:
        released = nbformat.read(create_assignment(course, stem, in_gradebook=False), as_version=4)
    add_installation_note(released, stem)
    return _sealed(released, f"solutions/{stem}.py")


def lesson_notebook(stem: str) -> NotebookNode:
    """Build a chapter's lesson from its MyST page."""
    return _sealed(student_notebook(stem), f"book/{stem}.md")


def _sealed(notebook: NotebookNode, source: str) -> NotebookNode:
    notebook.metadata[SEAL] = {"file": source, "sha256": _digest(notebook)}
    nbformat.validate(notebook)
    return notebook


def _digest(notebook: NotebookNode) -> str:
    content = {"cells": [[cell.cell_type, cell.source] for cell in notebook.cells]}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def build(
    stems: Iterable[str], showing: Callable[[Sequence[str]], Iterable[str]] = iter
) -> Iterator[tuple[Path, str]]:
    """Build what is made from the sources of chapters, and yield each path with its text.

    The figures' numbers are built for all chapters, because they must differ. ``showing`` goes
    through the chapters, and may show how far it is. A chapter that cannot be built does not keep
    the others from being built: what is wrong with it is raised at the end, as a `CourseError`.
    """
    yield chapters.ROOT / FIGURE_ORDER, figures_file()
    chosen = list(stems)
    for stem in chosen:
        require_answers(stem)
    problems = []
    for stem, recorded_text in zip(showing(chosen), recorded_texts(chosen), strict=True):
        try:
            yield recorded_file(stem), recorded_text()
            for edition in (ENGLISH, *LOCALES):
                with use_language(edition):
                    notebooks = _notebooks(stem) if is_translated(stem) else {}
                yield from notebooks.items()
        except CourseError as error:
            problems.append(str(error))
    if problems:
        raise CourseError("\n".join(problems))


def _notebooks(stem: str) -> dict[Path, str]:
    return {
        notebook_path(stem, name): nbformat.writes(notebook) + "\n"
        for name, notebook in (
            ("assignment", assignment_notebook(stem)),
            ("lesson", lesson_notebook(stem)),
        )
    }


def notebook_path(stem: str, name: str) -> Path:
    """Say where a chapter's notebook lies in the current language."""
    room = chapters.ROOT / "notebooks"
    folder = room if language() == ENGLISH else room / language()
    return folder / stem / f"{name}.ipynb"


def release(
    stems: Sequence[str],
    showing: Callable[[Sequence[str]], Iterable[str]],
    spared: Collection[Path],
) -> list[Path]:
    """Write notebooks and recorded examples to their places; return the paths that changed.

    Each is written as soon as it is built, so that an interruption or a chapter with an error
    loses nothing of the other chapters; ``showing`` is as for `build`. A notebook that was edited
    by hand stops the release with a `CourseError` before anything is built, because its change
    would be lost; those in ``spared`` stay as they are.
    """
    for path in _written_notebooks(stems):
        if path not in spared and (problem := edit_problem(path)):
            raise CourseError(problem)
    changed = []
    for path, text in build(stems, showing):
        if path not in spared and not _reads(path, text):
            replace_file(path, text)
            changed.append(path)
    return changed


def edited_notebooks(stems: Iterable[str]) -> list[Path]:
    """List the notebooks of chapters whose cells are no longer as a release wrote them."""
    return [path for path in _written_notebooks(stems) if edit_problem(path)]


def _written_notebooks(stems: Iterable[str]) -> list[Path]:
    """List the notebooks of chapters that are there, in every language that they are built in."""
    paths = []
    for edition in (ENGLISH, *LOCALES):
        with use_language(edition):
            paths += [
                notebook_path(stem, name)
                for stem in stems
                if is_translated(stem)
                for name in ("assignment", "lesson")
            ]
    return [path for path in paths if path.exists()]


def out_of_step(
    stems: Iterable[str], showing: Callable[[Sequence[str]], Iterable[str]]
) -> list[str]:
    """Return one line for each file of a release that is not what its sources would build.

    ``showing`` is as for `build`.
    """
    lines = []
    for path, text in build(stems, showing):
        if not path.exists():
            lines.append(f"{_name(path)} is missing; run `autograder release`")
        elif not _reads(path, text):
            problem = edit_problem(path) if path.suffix == ".ipynb" else ""
            older = f"{_name(path)} is older than its source; run `autograder release`"
            lines.append(problem or older)
    return lines


def _reads(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


def edit_problem(path: Path) -> str:
    """Say why a release must not write over a notebook; "" while its cells are as one wrote them.

    Outputs are no reason: whoever runs a lesson has written nothing that could be lost.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
        source, digest = (notebook.metadata[SEAL][key] for key in ("file", "sha256"))
        is_as_written = digest == _digest(notebook)
    except NOT_A_NOTEBOOK:
        return (
            f"{_name(path)} is not a notebook that a release wrote, and a release would write over "
            "it: move it elsewhere, then run `autograder release` again"
        )
    if is_as_written:
        return ""
    return (
        f"{_name(path)} was edited, and a release would write over it. If these are answers of "
        "your own, give the file another name; if it is a change for everybody, move it to "
        f"{source} and delete the file. Then run `autograder release` again"
    )


def _name(path: Path) -> str:
    return path.relative_to(chapters.ROOT).as_posix()
