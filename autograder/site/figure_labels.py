"""A Sphinx extension: references to the figures of the lessons.

A lesson's figure is what a cell puts out, in which Sphinx sees no figure but HTML. This reads the
anchor and the number from there, so that ``{numref}`fig-loop` `` and ``[](#fig-loop)`` become a
link that reads "Figure 1.3" on every page; a reference to a figure that is nowhere is a warning.
"""

import re

from docutils import nodes
from sphinx.addnodes import pending_xref

_FIGURE = re.compile(
    r'<figure class="course-figure" id="(?P<anchor>[\w-]+)">.*?'
    r'<span class="number">(?P<title>[^<]+)</span>',
    re.DOTALL,
)


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("doctree-read", _label_figures)
    app.connect("doctree-read", _refer_to_labels)
    return {"parallel_read_safe": True}


def _label_figures(app, document):
    name = app.env.docname
    slugs = app.env.metadata[name].setdefault("myst_slugs", {})
    for output in document.findall(nodes.raw):
        if found := _FIGURE.match(output.astext()):
            anchor, title = found["anchor"], found["title"]
            app.env.get_domain("std").note_hyperlink_target(anchor, name, anchor, title)
            # Where MyST looks up a link to another page's anchor.
            slugs[anchor] = (0, anchor, title)


def _refer_to_labels(app, document):
    # Sphinx numbers only its own figures; these bring their number along.
    for reference in document.findall(pending_xref):
        if reference["reftype"] == "numref" and reference["reftarget"].startswith("fig-"):
            reference["reftype"] = "ref"
