"""A Sphinx extension: the lessons' pages, from the text of `book/`.

The table of contents names the students' notebooks, so that a reader downloads the very file that a
student opens; but in those, citations and notes are plain Markdown already. So each lesson's page
gets the text of `book/`, and the links between exercises and a lesson's sections get the anchors of
the site.
"""

import re

import nbformat
from myst_parser.mdit_to_docutils.base import default_slugify

from autograder.building.lessons import page_notebook
from autograder.course.chapters import load_chapter

_TO_SECTION = re.compile(r"\(lesson\.ipynb#(?P<heading>[^)\s]+)\)")
_TO_EXERCISE = re.compile(
    r"(?P<words>\[exercises?\s+(?P<number>\d+)[^\]]*\])\((?P<folder>\.\./(?P<stem>\w+)/)?assignment\.ipynb\)"
)
_EXERCISES = re.compile(r"^\|[ ]*\| exercise \| points \|\n(?:\|.*(?:\n|\Z))+", re.MULTILINE)
_ROW = re.compile(r"^\| (?P<number>\d+) \| (?P<words>[^|:]+)", re.MULTILINE)


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
