"""A Sphinx extension: on a phone, the rows of a table with long columns are cards.

A phone has room for one column of sentences. Where a row has two, its cells are shown below one
another, each with the heading of its column in front. The style sheet does this; here the tables
are found, and the headings are written into their cells.
"""

import html
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

# A cell with more characters is one of sentences.
_LONG = 24


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_post_transform(_LabelCells)
    app.add_node(nodes.entry, override=True, html=(_open_cell, HTML5Translator.depart_entry))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _LabelCells(SphinxPostTransform):
    default_priority = 500
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for table in self.document.findall(nodes.table):
            head = next(table.findall(nodes.thead), None)
            rows = [row for body in table.findall(nodes.tbody) for row in body.findall(nodes.row)]
            is_plan = {"chapter-table", "course-plan"} & {*table["classes"]}
            if head is None or not (is_plan or any(map(_is_wide, rows))):
                continue
            table["classes"].append("cards")
            for row in rows:
                for heading, entry in zip(head[0], row, strict=True):
                    entry["label"] = heading.astext()


def _is_wide(row: nodes.row) -> bool:
    return len(row) > 2 and sum(len(entry.astext()) > _LONG for entry in row) > 1


def _open_cell(translator: HTML5Translator, node: nodes.entry) -> None:
    HTML5Translator.visit_entry(translator, node)
    if label := node.get("label"):
        tag = translator.body[-1]
        translator.body[-1] = tag.replace("<td", f'<td data-label="{html.escape(label)}"', 1)
