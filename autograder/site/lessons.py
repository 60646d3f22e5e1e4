"""The site's two needs that Jupyter Book does not meet by itself.

As a program it executes the lessons side by side, one a core, and puts their outputs into the cache
from which the pages are built. As an extension of Sphinx it gives each lesson's page the text of
`book/`, and the links between exercises and a lesson's sections the anchors of the site. The table
of contents names the students' notebooks, so that a reader downloads the very file that a student
opens; but in those, citations and notes are plain Markdown already.
"""

import logging
import re
import sys
from pathlib import Path

import nbformat
import yaml
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from myst_parser.mdit_to_docutils.base import default_slugify

from autograder.building.lessons import page_notebook, student_notebook
from autograder.course.chapters import ROOT, CourseError, chapter_stems, load_chapter

_TO_SECTION = re.compile(r"\(lesson\.ipynb#(?P<heading>[^)\s]+)\)")
_TO_EXERCISE = re.compile(
    r"(?P<words>\[exercises?\s+(?P<number>\d+)[^\]]*\])\((?P<folder>\.\./(?P<stem>\w+)/)?assignment\.ipynb\)"
)
_EXERCISES = re.compile(r"^\|[ ]*\| exercise \| points \|\n(?:\|.*(?:\n|\Z))+", re.MULTILINE)
_ROW = re.compile(r"^\| (?P<number>\d+) \| (?P<words>[^|:]+)", re.MULTILINE)


def execute_lessons():
    """Execute the lessons that the cache does not hold and log those that fail.

    Raises `CourseError` when a notebook is not what its page would build, or a cell raises.
    """
    lessons = [ROOT / "notebooks" / stem / "lesson.ipynb" for stem in chapter_stems()]
    for lesson in lessons:
        _require_in_step(lesson)
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    cache = get_cache(ROOT / "_build" / ".jupyter_cache")
    for lesson in lessons:
        cache.add_nb_to_project(str(lesson))
    logger = logging.getLogger(__name__)
    logger.setLevel(logging.INFO)  # it says what is executed
    result = load_executor("local-parallel", cache, logger).run_and_cache(
        filter_uris=[str(lesson) for lesson in lessons], timeout=config["execute"]["timeout"]
    )
    failed = [str(Path(uri).relative_to(ROOT)) for uri in result.excepted + result.errored]
    if failed:
        raise CourseError(f"{', '.join(failed)} could not be executed; the reason stands above")


def _require_in_step(lesson):
    stem = lesson.parent.name
    built = [cell.source for cell in student_notebook(stem).cells]
    name = lesson.relative_to(ROOT)
    if not lesson.exists():
        raise CourseError(f"{name} is missing; run `make notebooks`")
    if built != [cell.source for cell in nbformat.read(lesson, as_version=4).cells]:
        raise CourseError(f"{name} is not what book/{stem}.md builds; run `make notebooks`")


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("source-read", _read_notebook)
    return {"parallel_read_safe": True}


def _read_notebook(app, docname, content):
    room, _, page = docname.partition("/")
    stem, _, name = page.partition("/")
    if room == "notebooks" and name == "lesson":
        notebook = page_notebook(stem)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _with_links_to_exercises(cell.source, stem)
        content[0] = nbformat.writes(notebook)
    elif room == "notebooks" and name == "assignment":
        notebook = nbformat.reads(content[0], as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _TO_SECTION.sub(_with_site_anchor, cell.source)
        content[0] = nbformat.writes(notebook)


def _with_site_anchor(link):
    """Change a section's anchor in JupyterLab to the one on the site."""
    return f"(lesson.ipynb#{default_slugify(link['heading'])})"


def _with_links_to_exercises(text, stem):
    """Give the links to an exercise its anchor, and link the rows of the table of exercises."""

    def address(number, other=None):
        title = load_chapter(other or stem).exercises[int(number) - 1].title
        return f"assignment.ipynb#{default_slugify(f'Exercise {number} · {title}')}"

    def link(found):
        return f"{found['words']}({found['folder'] or ''}{address(found['number'], found['stem'])})"

    def linked_row(row):
        words = row["words"].strip()
        return f"| {row['number']} | [{words}]({address(row['number'])})"

    text = _TO_EXERCISE.sub(link, text)
    return _EXERCISES.sub(lambda table: _ROW.sub(linked_row, table[0]), text)


if __name__ == "__main__":
    try:
        execute_lessons()
    except CourseError as error:
        sys.exit(str(error))
