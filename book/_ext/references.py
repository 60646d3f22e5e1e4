"""A Sphinx extension: references to the figures and tables of the lessons.

A lesson's figure is what a cell puts out, in which Sphinx sees no figure but HTML. This reads the
anchor and the number from there, so that ``{numref}`fig-loop` `` and ``[](#fig-loop)`` become a
link that reads "Figure 1.3" on every page; a reference to a figure that is nowhere is a warning.
Tables and equations are numbered by Sphinx, but MyST would refer to a table by its whole caption:
``[](#tab-rates)`` becomes ``{numref}`tab-rates` ``, which reads "Table 1.3".
Sphinx would also number the listings that have a caption, from one page to the next. No text refers
to them, so they have no number; a reference to one is a warning.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

_FIGURE = re.compile(
    r'<figure class="course-figure" id="(?P<anchor>[\w-]+)">.*?'
    r'<span class="number">(?P<title>[^<]+)</span>',
    re.DOTALL,
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", _label_figures)
    app.connect("doctree-read", _refer_to_figures)
    app.connect("doctree-read", _refer_to_tables)
    # After Sphinx, which gives the numbers at the same event.
    app.connect("env-get-updated", _leave_listings_unnumbered, priority=900)
    return {"parallel_read_safe": True}


def _label_figures(app: Sphinx, document: nodes.document) -> None:
    name = app.env.docname
    slugs = app.env.metadata[name].setdefault("myst_slugs", {})
    standard: Any = app.env.get_domain("std")
    for output in document.findall(nodes.raw):
        if found := _FIGURE.match(output.astext()):
            anchor, title = found["anchor"], found["title"]
            standard.note_hyperlink_target(anchor, name, anchor, title)
            # Where MyST looks up a link to another page's anchor.
            slugs[anchor] = (0, anchor, title)


def _refer_to_figures(app: Sphinx, document: nodes.document) -> None:
    # Sphinx numbers only its own figures; these bring their number along.
    for reference in document.findall(pending_xref):
        if reference["reftype"] == "numref" and reference["reftarget"].startswith("fig-"):
            reference["reftype"] = "ref"


def _refer_to_tables(app: Sphinx, document: nodes.document) -> None:
    # MyST has resolved a link to this page already, and has left one to another page for later.
    links = [link for link in document.findall(nodes.reference) if link.get("id_link")]
    links += [link for link in document.findall(pending_xref) if link["reftype"] == "myst"]
    for link in links:
        table = link.get("refid") or link["reftarget"]
        if table.startswith("tab-"):
            link.replace_self(
                pending_xref(
                    "",
                    nodes.inline("", table),
                    refdoc=app.env.docname,
                    refdomain="std",
                    reftype="numref",
                    reftarget=table,
                    refexplicit=False,
                    refwarn=True,
                )
            )


def _leave_listings_unnumbered(app: Sphinx, env: BuildEnvironment) -> list[str]:
    for numbers in env.toc_fignumbers.values():
        numbers.pop("code-block", None)
    return []  # the pages that are to be written again
