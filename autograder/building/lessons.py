"""A chapter's page as a notebook, in two forms with the same code cells.

`page_notebook` keeps the roles and directives of MyST, and the site is made from it.
`student_notebook` is what opens in JupyterLab: plain Markdown, and what the book hides is folded.
"""

import hashlib

import jupytext
import nbformat
import yaml
from nbformat.v4 import new_markdown_cell

from autograder.building.plain_markdown import plain_cells
from autograder.course import chapters
from autograder.course.chapters import read_source

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
# What a tag of the book hides, in JupyterLab's words.
_HIDDEN = {
    "hide-cell": ("source_hidden", "outputs_hidden"),
    "hide-input": ("source_hidden",),
    "hide-output": ("outputs_hidden",),
    "remove-cell": ("source_hidden", "outputs_hidden"),
    "remove-input": ("source_hidden",),
    "remove-output": ("outputs_hidden",),
}


def page_notebook(stem):
    """Build the notebook that the site shows from a chapter's MyST page."""
    notebook = jupytext.reads(read_source(chapters.ROOT / "book" / f"{stem}.md"), fmt="md:myst")
    seen = {}
    for cell in notebook.cells:
        text = hashlib.sha256(cell.source.encode()).hexdigest()[:12]
        seen[text] = seen.get(text, 0) + 1
        cell["id"] = text if seen[text] == 1 else f"{text}-{seen[text]}"
        hidden = {
            part: True for tag in cell.metadata.get("tags", []) for part in _HIDDEN.get(tag, ())
        }
        if hidden:
            cell.metadata["jupyter"] = hidden
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL})
    notebook.nbformat_minor = 5
    return notebook


def student_notebook(stem):
    """Build the notebook that a student opens in JupyterLab from a chapter's MyST page."""
    notebook = page_notebook(stem)
    glossary = plain_cells(stem, notebook.cells)
    if glossary:
        notebook.cells.append(new_markdown_cell(glossary, id="glossary"))
    tell_how_to_install(notebook, stem)
    return notebook


def tell_how_to_install(notebook, stem):
    """Say below a notebook's title how to get `coursekit`, if the site that has it has an address.

    Whoever opens the notebook in Colab, or has downloaded nothing else, would not get beyond the
    first import.
    """
    settings = yaml.safe_load((chapters.ROOT / "_config.yml").read_text(encoding="utf-8"))
    address = settings["html"]["baseurl"]
    if address:
        note = (
            "> **No `coursekit`?** In Colab, or when you have only this one file, run this line in"
            f" a new cell first:\n>\n> ```\n> %pip install --quiet {address}downloads/{stem}.zip\n"
            "> ```"
        )
        notebook.cells.insert(1, new_markdown_cell(note, id="installation"))
