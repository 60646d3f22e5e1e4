"""A Sphinx extension: the lessons' pages, from the text of `book/`.

The table of contents names the students' notebooks, so that a reader downloads the very file that a
student opens; but in those, citations and notes are plain Markdown already. So each lesson's page
gets the text of `book/`, and the links between exercises and a lesson's sections get the anchors of
the site. A page of exercises says first where they are solved, which is not on the site.
"""

import re
from functools import partial

import nbformat
from myst_parser.mdit_to_docutils.base import default_slugify
from sphinx.application import Sphinx

from autograder.building.lessons import page_notebook
from autograder.building.plain_markdown import heading_anchor
from autograder.course.chapters import load_chapter
from autograder.translation.catalogue import catalogue_of, translate

_TO_SECTION = re.compile(r"\(lesson\.ipynb#(?P<heading>[^)\s]+)\)")
_TO_EXERCISE = re.compile(
    r"(?P<words>\[(?:exercises?\s+|练习)(?P<number>\d+)[^\]]*\])\((?P<folder>\.\./(?P<stem>\w+)/)?assignment\.ipynb\)"
)
_ROW = re.compile(r"^\| (?P<number>\d+) \| (?P<words>[^|:：]+)", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("source-read", _read_notebook)
    return {"parallel_read_safe": True}


def _read_notebook(app: Sphinx, docname: str, content: list[str]) -> None:
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
        anchored = partial(_with_site_anchor, page=f"notebooks/{stem}/lesson")
        if {"book/start", "book/students"} <= app.env.found_docs:
            title, _, rest = notebook.cells[0].source.partition("\n\n")
            notebook.cells[0].source = f"{title}\n\n{_where_to_solve()}\n\n{rest}"
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _TO_SECTION.sub(anchored, cell.source)
        content[0] = nbformat.writes(notebook)


def _where_to_solve() -> str:
    """Say what a page of exercises begins with; a notebook does not need it."""
    return translate(
        "You read the exercises here and solve them in JupyterLab. [Start "
        "here](../../book/start.md) shows how to get the notebook, and [For "
        "students](../../book/students.md) explains what its checks say."
    )


def _with_site_anchor(link: re.Match[str], page: str) -> str:
    """Change a section's anchor in JupyterLab to the one on the site, which is always English."""
    english = {heading_anchor(said)[1:]: message for message, said in catalogue_of(page).items()}
    return f"(lesson.ipynb#{default_slugify(english.get(link['heading'], link['heading']))})"


def _with_links_to_exercises(text: str, stem: str) -> str:
    """Give the links to an exercise its anchor, and link the rows of the table of exercises."""

    def address(number: str, other: str | None = None) -> str:
        title = load_chapter(other or stem).exercises[int(number) - 1].title
        return f"assignment.ipynb#{default_slugify(f'Exercise {number} · {title}')}"

    def link(found: re.Match[str]) -> str:
        return f"{found['words']}({found['folder'] or ''}{address(found['number'], found['stem'])})"

    def linked_row(row: re.Match[str]) -> str:
        words = row["words"].strip()
        return f"| {row['number']} | [{words}]({address(row['number'])})"

    text = _TO_EXERCISE.sub(link, text)
    said = catalogue_of(f"notebooks/{stem}/lesson")
    head = r" \| ".join(re.escape(said.get(word, word)) for word in ("exercise", "points"))
    table = re.compile(rf"^\|[ ]*\| {head} \|\n(?:\|.*(?:\n|\Z))+", re.MULTILINE)
    return table.sub(lambda found: _ROW.sub(linked_row, found[0]), text)
