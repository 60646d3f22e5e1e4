"""A Sphinx extension: formulas as MathML, written when the site is built.

Browsers draw MathML and screen readers read it without any script, and nothing in it takes a stop
of the Tab key. The captions of the lessons' figures are HTML already when Sphinx meets them; their
formulas are put in here as well.
"""

import html
import re

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.util import logging

_logger = logging.getLogger(__name__)
_LATEX = LatexToMathML(fancy_error=False)
_IN_CAPTION = re.compile(
    r'<span class="math notranslate nohighlight">\\\((.*?)\\\)</span>', re.DOTALL
)
# Extra room between two rows, as in `\\[4pt]`; the style sheet gives every row some.
_ROW_SKIP = re.compile(r"\\\\\[[\d.]+\s?(?:pt|em|ex)\]")


def setup(app):
    """Register the extension with Sphinx."""
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_math_block, None))
    app.connect("doctree-read", _typeset_captions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _visit_math(translator, node):
    translator.body.append(_mathml(node.astext(), False, node))
    raise nodes.SkipNode


def _visit_math_block(translator, node):
    translator.body.append(
        translator.starttag(node, "div", CLASS="math")
        + _mathml(node.astext(), True, node)
        + "</div>\n"
    )
    raise nodes.SkipNode


def _typeset_captions(app, document):
    for output in document.findall(nodes.raw):
        if "html" not in output["format"] or 'class="math' not in output.astext():
            continue
        written = re.split(_IN_CAPTION, output.astext())
        # Every other piece is a formula.
        written[1::2] = [_mathml(html.unescape(latex), False, output) for latex in written[1::2]]
        output.children = [nodes.Text("".join(written))]


def _mathml(latex, display, node):
    try:
        return _LATEX.convert_with_local_state(_ROW_SKIP.sub(r"\\\\", latex), displaystyle=display)
    except LatexError as error:
        _logger.warning("%s in the formula %s", error, latex, location=node)
        return html.escape(latex)
