"""From `book/` and `solutions/` to the notebooks that students open."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from traitlets.config import Config

from autograder.building.figure_numbers import figures_file
from autograder.building.lessons import KERNEL, add_installation_note, student_notebook
from autograder.building.plain_markdown import heading_anchor
from autograder.building.translation import (
    chapter_in_language,
    is_translated,
    language,
    say,
    speaking,
)
from autograder.checking.recording import recorded_text
from autograder.course import chapters
from autograder.course.chapters import SKIPPED, Chapter, Exercise, chapter_stems, load_chapter
from autograder.course.variants import require_answers
from autograder.course_error import CourseError
from autograder.files import replace_file
from coursekit.languages import ENGLISH, LOCALES

# With this tag, "Run All Cells" goes on after a cell that has raised an error: a check that fails
# does not keep those below it from being run. nbgrader goes on with and without it.
GOES_ON = "raises-exception"
# TensorFlow greets in red otherwise, above everything that a student has written.
QUIET = """import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # hide TensorFlow's start-up messages"""
# Written into what is built, so that a later release sees whether somebody edited it since.
SEAL = "built_from"
FIGURE_ORDER = "coursekit/figures/figure_order.json"


def source_notebook(chapter: Chapter) -> NotebookNode:
    """Build the instructor's notebook: exercises, reference answers, visible and hidden checks."""
    checks = f"from coursekit.checks import {chapter.stem} as checks"
    if language() != ENGLISH:
        line = f'coursekit.checks.language = "{language()}"'
        checks = f"import coursekit.checks\n{checks}\n\n{line}"
    setup = f"{chapter.setup}\n\n{checks}"
    if re.search(r"^(import|from) keras\b", setup, re.MULTILINE):
        setup = f"{QUIET}\n\n{setup}"
    cells = [_text("opening", chapter.opening), _locked_code("setup", setup)]
    for number, exercise in enumerate(chapter.exercises, start=1):
        stars = "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)
        section = f"lesson.ipynb{heading_anchor(exercise.lesson)}"
        title = say("Exercise {number} · {title}", number=number, title=exercise.title)
        facts = say(
            "**{points} of {all} points** · {stars} · about {minutes} minutes · lesson: {lesson}",
            points=f"{exercise.points:g}",
            all=f"{chapter.points:g}",
            stars=stars,
            minutes=exercise.minutes,
            lesson=f"[{exercise.lesson}]({section})",
        )
        card = f"## {title}\n\n{facts}\n\n{exercise.text}"
        cells += [
            _text(f"{exercise.id}_text", card),
            _cell(new_code_cell, exercise.id, exercise.source, solution=True),
            _cell(
                new_code_cell,
                exercise.check_id,
                _check_source(chapter, exercise),
                grade=True,
                locked=True,
                points=exercise.points,
            ),
        ]
        for cell in cells[-2:]:
            cell.metadata["tags"] = [GOES_ON]
    for number, (kind, source) in enumerate(chapter.closing, start=1):
        new_cell = _text if kind == "markdown" else _closing_code
        cells.append(new_cell(f"closing_{number}", source))
    made: NotebookNode = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    return made


def _closing_code(grade_id: str, source: str) -> NotebookNode:
    # It trains networks: JupyterLab runs it, nbgrader's Validate and the graders leave it out.
    cell = _locked_code(grade_id, source)
    cell.metadata["tags"] = [SKIPPED]
    return cell


def _check_source(chapter: Chapter, exercise: Exercise) -> str:
    arguments = ", ".join(exercise.names)
    return (
        f"checks.{exercise.id}({arguments})\n"
        "### BEGIN HIDDEN TESTS\n"
        f"from autograder.hidden import {chapter.stem} as hidden\n\n"
        f"hidden.{exercise.id}({arguments})\n"
        "### END HIDDEN TESTS"
    )


def _text(grade_id: str, source: str) -> NotebookNode:
    return _cell(new_markdown_cell, grade_id, source, locked=True)


def _locked_code(grade_id: str, source: str) -> NotebookNode:
    return _cell(new_code_cell, grade_id, source, locked=True)


def _cell(
    new_cell: Callable[..., NotebookNode], grade_id: str, source: str, **marks: Any
) -> NotebookNode:
    marks = {"grade": False, "solution": False, "locked": False, "task": False} | marks
    marks |= {"grade_id": grade_id, "schema_version": 3}
    return new_cell(source, id=grade_id.replace("_", "-")[:64], metadata={"nbgrader": marks})


def nbgrader_config(course: str | Path, gradebook_url: str | None = None) -> Config:
    """Return the configuration of stock nbgrader for a course folder."""
    config = Config()
    if gradebook_url:
        config.CourseDirectory.db_url = gradebook_url
        # Without a name nbgrader refers to a course that is not there; only SQLite lets it.
        config.CourseDirectory.course_id = "default_course"
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.db_assignments = []
    config.CourseDirectory.db_students = []
    # The checks keep stderr out of graded cells; the kernel may take its time to import Keras.
    config.Execute.timeout = 300
    config.ExecutePreprocessor.timeout = 300
    config.ClearSolutions.code_stub = {"python": "raise NotImplementedError()"}
    config.NbGrader.logfile = ""
    return config


def nbgrader_api(course: str | Path, gradebook_url: str | None = None) -> Any:
    """Return stock nbgrader's Python API on a course folder."""
    # nbgrader upgrades its database by calling `alembic`, which lives beside this interpreter.
    here = str(Path(sys.executable).parent)
    if here not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = here + os.pathsep + os.environ["PATH"]
    from nbgrader.apps import NbGraderAPI

    return NbGraderAPI(config=nbgrader_config(course, gradebook_url))


def create_assignment(
    course: str | Path, stem: str, gradebook_url: str | None = None, recorded: bool = True
) -> Path:
    """Write ``source/`` of a chapter into a course folder and let nbgrader make ``release/``.

    ``recorded`` says whether the gradebook is to know of the assignment.
    """
    course = Path(course)
    source = course / "source" / stem / "assignment.ipynb"
    source.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(source_notebook(chapter_in_language(load_chapter(stem))), source)
    nbgrader = nbgrader_api(course, gradebook_url)
    if not recorded:  # what nbgrader's own flag --no-db sets; the database takes most of the time
        nbgrader.config.GenerateAssignment.no_database = True
        nbgrader.config.SaveCells.enabled = False
    result = nbgrader.generate_assignment(stem, force=True, create=True)
    if not result["success"]:
        reason = (result["error"] or result["log"]).strip().splitlines()[-1]
        raise CourseError(f"nbgrader could not make the assignment {stem}: {reason}")
    return course / "release" / stem / "assignment.ipynb"


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
    """Return one line for each notebook that is not what its source would build."""
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
