"""A Sphinx extension: the characters of print where the sources have those of a keyboard.

A number and its unit stay on one line. The captions of the lessons' figures are HTML already when
Sphinx meets them, so their apostrophes are still straight.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

_BEFORE_UNIT = re.compile(r"(?<=\d)\s(?=(?:%|[GM]B)(?!\w))")
_CAPTION = re.compile(r"<figcaption>.*?</figcaption>", re.DOTALL)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_NO_BREAK = "\N{NO-BREAK SPACE}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", _hold_units)
    app.connect("doctree-read", _set_captions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _hold_units(app: Sphinx, document: nodes.document) -> None:
    for text in list(document.findall(nodes.Text)):
        held = _BEFORE_UNIT.sub(_NO_BREAK, text)
        if held != text and not _is_verbatim(text.parent):
            text.parent.replace(text, nodes.Text(held))


def _is_verbatim(node: nodes.Node) -> bool:
    return isinstance(node, nodes.literal | nodes.FixedTextElement | nodes.raw | nodes.math)


def _set_captions(app: Sphinx, document: nodes.document) -> None:
    for output in document.findall(nodes.raw):
        if "<figcaption>" in output.astext():
            output.children = [nodes.Text(_CAPTION.sub(_set_caption, output.astext()))]


def _set_caption(found: re.Match[str]) -> str:
    held = _BEFORE_UNIT.sub(_NO_BREAK, found[0])
    return _APOSTROPHE.sub("\N{RIGHT SINGLE QUOTATION MARK}", held)
