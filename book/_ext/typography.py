"""A Sphinx extension: the characters of print where the sources have those of a keyboard.

A number and its unit stay on one line, and so do "chapter" or "Figure" and its number. The captions
of the lessons' figures and the titles of folds are HTML already when Sphinx meets them, so their
apostrophes are still straight.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

# A Chinese character is a letter to \w.
_HELD = re.compile(
    r"(?<=\d)\s(?=(?:%|[GM]B|points?\b)(?![A-Za-z0-9]))"
    r"|(?<=[Cc]hapter)\s(?=\d)|(?<=[Ff]igure)\s(?=\d)|(?<=[Tt]able)\s(?=\d)|(?<=[Ee]xercise)\s(?=\d)"
)
_CAPTION = re.compile(r"<figcaption>.*?</figcaption>", re.DOTALL)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_NO_BREAK = "\N{NO-BREAK SPACE}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", _hold_numbers)
    app.connect("doctree-read", _set_captions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _hold_numbers(app: Sphinx, document: nodes.document) -> None:
    for text in list(document.findall(nodes.Text)):
        held = _HELD.sub(_NO_BREAK, text)
        if held != text and not _is_verbatim(text.parent):
            text.parent.replace(text, nodes.Text(held))


def _is_verbatim(node: nodes.Node) -> bool:
    return isinstance(node, nodes.literal | nodes.FixedTextElement | nodes.raw | nodes.math)


def _set_captions(app: Sphinx, document: nodes.document) -> None:
    for output in document.findall(nodes.raw):
        if "<figcaption>" in output.astext():
            output[:] = [nodes.Text(_CAPTION.sub(_set_caption, output.astext()))]


def _set_caption(found: re.Match[str]) -> str:
    held = _HELD.sub(_NO_BREAK, found[0])
    return set_apostrophes(held)


def set_apostrophes(text: str) -> str:
    """Return a text with the apostrophes of print."""
    return _APOSTROPHE.sub("\N{RIGHT SINGLE QUOTATION MARK}", text)
