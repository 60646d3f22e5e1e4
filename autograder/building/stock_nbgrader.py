"""What stock nbgrader does for a course folder: it makes the notebook that students are given."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
from traitlets.config import Config

from autograder.building.source_notebook import source_notebook
from autograder.course.chapters import load_chapter
from autograder.course_error import CourseError
from autograder.translation.catalogue import translate_chapter


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
    course: str | Path, stem: str, gradebook_url: str | None = None, in_gradebook: bool = True
) -> Path:
    """Write ``source/`` of a chapter into a course folder and let nbgrader make ``release/``.

    ``in_gradebook`` says whether the gradebook is to know of the assignment.
    """
    course = Path(course)
    source = course / "source" / stem / "assignment.ipynb"
    source.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(source_notebook(translate_chapter(load_chapter(stem))), source)
    nbgrader = nbgrader_api(course, gradebook_url)
    if not in_gradebook:  # as nbgrader's own flag --no-db; the database takes most of the time
        nbgrader.config.GenerateAssignment.no_database = True
        nbgrader.config.SaveCells.enabled = False
    result = nbgrader.generate_assignment(stem, force=True, create=True)
    if not result["success"]:
        reason = (result["error"] or result["log"]).strip().splitlines()[-1]
        raise CourseError(f"nbgrader could not make the assignment {stem}: {reason}")
    return course / "release" / stem / "assignment.ipynb"
