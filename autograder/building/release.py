"""From `book/` and `solutions/` to what a release writes: notebooks and recorded examples."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.building.figure_numbers import figures_file
from autograder.building.lessons import add_installation_note, student_notebook
from autograder.building.spoken_language import is_translated, language, speaking
from autograder.building.stock_nbgrader import create_assignment
from autograder.checking.recording import recorded_text
from autograder.course import chapters
from autograder.course.chapters import chapter_stems
from autograder.course.variants import require_answers
from autograder.course_error import CourseError
from autograder.files import replace_file
from coursekit.languages import ENGLISH, LOCALES

# Written into what is built, so that a later release sees whether somebody edited it since.
SEAL = "built_from"
FIGURE_ORDER = "coursekit/figures/figure_order.json"


def assignment_notebook(stem: str) -> NotebookNode:
    """Build the students' notebook of a chapter by nbgrader's own `generate_assignment`."""
    with tempfile.TemporaryDirectory() as course:
        released = nbformat.read(create_assignment(course, stem, recorded=False), as_version=4)
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


def build(stems: Iterable[str] | None = None) -> dict[Path, str]:
    """Build what is made from the sources of chapters (of all, by default): from path to text.

    The figures' numbers are built for all chapters, because they must differ.
    """
    built = {chapters.ROOT / FIGURE_ORDER: figures_file()}
    for stem in chapter_stems() if stems is None else stems:
        require_answers(stem)
        built[chapters.ROOT / "coursekit/checks/recorded" / f"{stem}.json"] = recorded_text(stem)
        for spoken in (ENGLISH, *LOCALES):
            with speaking(spoken):
                if is_translated(stem):
                    built |= _notebooks(stem)
    return built


def _notebooks(stem: str) -> dict[Path, str]:
    return {
        notebook_path(stem, name): nbformat.writes(notebook) + "\n"
        for name, notebook in (
            ("assignment", assignment_notebook(stem)),
            ("lesson", lesson_notebook(stem)),
        )
    }


def notebook_path(stem: str, name: str) -> Path:
    """Say where a chapter's notebook lies in the language that is spoken."""
    room = chapters.ROOT / "notebooks"
    folder = room if language() == ENGLISH else room / language()
    return folder / stem / f"{name}.ipynb"


def release(stems: Iterable[str] | None = None) -> list[Path]:
    """Write notebooks and recorded examples to their places; return the paths that changed.

    All are built before the first is written. A notebook that was edited by hand stops the release
    with a `CourseError`: its change would be lost.
    """
    built = build(stems)
    changed = [path for path, text in built.items() if not _reads(path, text)]
    for path in changed:
        if path.exists() and path.suffix == ".ipynb":
            refuse_edited(path)
    for path in changed:
        replace_file(path, built[path])
    return changed


def out_of_step(stems: Iterable[str] | None = None) -> list[str]:
    """Return one line for each file of a release that is not what its sources would build."""
    lines = []
    for path, text in build(stems).items():
        if not path.exists():
            lines.append(f"{_name(path)} is missing; run `autograder release`")
        elif not _reads(path, text):
            try:
                if path.suffix == ".ipynb":
                    refuse_edited(path)
                lines.append(f"{_name(path)} is older than its source; run `autograder release`")
            except CourseError as error:
                lines.append(str(error))
    return lines


def _reads(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


def refuse_edited(path: Path) -> None:
    """Raise `CourseError` when a notebook is no longer as a release wrote it."""
    remedy = "move the change there and delete this file, then run `autograder release`"
    try:
        notebook = nbformat.read(path, as_version=4)
        source, digest = (notebook.metadata[SEAL][key] for key in ("file", "sha256"))
    except (ValueError, KeyError, nbformat.ValidationError) as error:
        where = "book/ or solutions/"
        raise CourseError(
            f"{_name(path)} is not a notebook that a release wrote; it is built from {where}: "
            f"{remedy}"
        ) from error
    has_outputs = any(cell.get("outputs") for cell in notebook.cells)
    if digest != _digest(notebook) or has_outputs:
        raise CourseError(
            f"{_name(path)} was edited or run by hand, but it is built from {source}: {remedy}"
        )


def _name(path: Path) -> str:
    return path.relative_to(chapters.ROOT).as_posix()
