"""A chapter's page as a notebook, in two forms with the same code cells.

`page_notebook` keeps the roles and directives of MyST, and the site is made from it.
`student_notebook` is what opens in JupyterLab: plain Markdown, and what the book hides is folded.
"""

from __future__ import annotations

import hashlib

import jupytext
import nbformat
import yaml
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.building.plain_markdown import plain_cells
from autograder.course import chapters
from autograder.course.chapters import read_source
from autograder.translation.catalogue import is_translated, language, translate, translate_markdown
from coursekit.languages import ENGLISH

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
# Before this line a lesson in another language says so to its figures.
_STYLE = "figures.use_style()"
# What a tag of the book hides, as JupyterLab's metadata says it.
_HIDDEN = {
    "hide-cell": ("source_hidden", "outputs_hidden"),
    "hide-input": ("source_hidden",),
    "hide-output": ("outputs_hidden",),
    "remove-cell": ("source_hidden", "outputs_hidden"),
    "remove-input": ("source_hidden",),
    "remove-output": ("outputs_hidden",),
}


def page_notebook(stem: str) -> NotebookNode:
    """Build the notebook that the site shows from a chapter's MyST page."""
    notebook: NotebookNode = jupytext.reads(
        read_source(chapters.ROOT / "book" / f"{stem}.md"), fmt="md:myst"
    )
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        text = hashlib.sha256(cell.source.encode()).hexdigest()[:12]
        seen[text] = seen.get(text, 0) + 1
        cell["id"] = text if seen[text] == 1 else f"{text}-{seen[text]}"
        hidden = {
            part: True for tag in cell.metadata.get("tags", []) for part in _HIDDEN.get(tag, ())
        }
        if hidden:
            cell.metadata["jupyter"] = hidden
        if cell.cell_type == "markdown":
            cell.source = translate_markdown(f"notebooks/{stem}/lesson", cell.source)
        elif language() != ENGLISH and is_translated(stem):
            line = f'figures.language = "{language()}"\n'
            cell.source = cell.source.replace(_STYLE, line + _STYLE)
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL})
    notebook.nbformat_minor = 5
    return notebook


def student_notebook(stem: str) -> NotebookNode:
    """Build the notebook that a student opens in JupyterLab from a chapter's MyST page."""
    notebook = page_notebook(stem)
    glossary = plain_cells(stem, notebook.cells)
    if glossary:
        notebook.cells.append(new_markdown_cell(glossary, id="glossary"))
    add_installation_note(notebook, stem)
    return notebook


def add_installation_note(notebook: NotebookNode, stem: str) -> None:
    """Add a note on how to get `coursekit` below a title, if the site that has it has an address.

    Whoever opens the notebook in Colab, or has downloaded nothing else, would not get beyond the
    first import.
    """
    settings = yaml.safe_load((chapters.ROOT / "_config.yml").read_text(encoding="utf-8"))
    address = settings["html"]["baseurl"]
    if address:
        what = translate(
            "**No `coursekit`?** In Colab, or when you have only this one file, run this line in a "
            "new cell first:"
        )
        note = f"> {what}\n>\n> ```\n> %pip install --quiet {address}downloads/{stem}.zip\n> ```"
        notebook.cells.insert(1, new_markdown_cell(note, id="installation"))
