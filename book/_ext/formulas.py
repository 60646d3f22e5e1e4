"""A Sphinx extension: formulas as MathML, written when the site is built.

Browsers draw MathML and screen readers read it without any script, and nothing in it takes a stop
of the Tab key. The captions of the lessons' figures are HTML already when Sphinx meets them; their
formulas are put in here as well.
"""

import html
import re

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from autograder.translation.catalogue import translate

_logger = logging.getLogger(__name__)
_LATEX = LatexToMathML(fancy_error=False)
# What a line must not end and not begin with, in English and in Chinese.
_BEFORE, _AFTER = r"[(\[“‘（《「『【]*", r"[)\]”’.,;:!?）》」』】。，、；：？！]*"
_IN_CAPTION = re.compile(
    rf'(?P<before>{_BEFORE})<span class="math notranslate nohighlight">'
    rf"\\\((?P<latex>.*?)\\\)</span>(?P<after>{_AFTER})",
    re.DOTALL,
)
# Extra room between two rows, as in `\\[4pt]`; the style sheet gives every row some.
_ROW_SKIP = re.compile(r"\\\\\[[\d.]+\s?(?:pt|em|ex)\]")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_math_block, None))
    app.connect("doctree-read", _typeset_captions)
    app.connect("doctree-read", _hold_punctuation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _visit_math(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(_mathml(node.astext(), False, node))
    raise nodes.SkipNode


def _visit_math_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    block = (
        translator.starttag(node, "div", CLASS="math")
        + _mathml(node.astext(), True, node)
        + "</div>\n"
    )
    if "label" in node:
        number = get_node_equation_number(translator, node)
        # Outside of the block, which scrolls where it is wider than the page.
        block = (
            f'<div class="equation">\n{block}<a class="number" href="#{node["ids"][0]}">'
            f'<span class="visually-hidden">{translate("Equation ")}</span>({number})</a>\n</div>\n'
        )
    translator.body.append(block)
    raise nodes.SkipNode


def _typeset_captions(app: Sphinx, document: nodes.document) -> None:
    for output in document.findall(nodes.raw):
        if "html" not in output["format"] or 'class="math' not in output.astext():
            continue

        def typeset(found: re.Match[str], output: nodes.raw = output) -> str:
            formula = _mathml(html.unescape(found["latex"]), False, output)
            if not found["before"] and not found["after"]:
                return formula
            return f'<span class="unbroken">{found["before"]}{formula}{found["after"]}</span>'

        output[:] = [nodes.Text(_IN_CAPTION.sub(typeset, output.astext()))]


def _hold_punctuation(app: Sphinx, document: nodes.document) -> None:
    """Put a formula and the punctuation beside it into an element that no line break divides.

    Browsers treat a formula as they treat a picture, so a line could begin with the comma after it.
    """
    for formula in list(document.findall(nodes.math)):
        parent, place = formula.parent, formula.parent.index(formula)
        around = parent[max(place - 1, 0) : place], parent[place + 1 : place + 2]
        before, after = (node[0] if node else None for node in around)
        unbroken = nodes.inline("", classes=["unbroken"])
        if isinstance(before, nodes.Text):
            found = re.fullmatch(f"(.*?)({_BEFORE})", before, re.DOTALL)
            assert found  # either part may be empty
            text, held = found.groups()
            if held:
                parent[place - 1] = nodes.Text(text)  # replace() would take the first equal text
                unbroken += nodes.Text(held)
        unbroken += formula.deepcopy()
        if isinstance(after, nodes.Text):
            found = re.fullmatch(f"({_AFTER})(.*)", after, re.DOTALL)
            assert found
            held, text = found.groups()
            if held:
                parent[place + 1] = nodes.Text(text)
                unbroken += nodes.Text(held)
        if len(unbroken) > 1:
            parent.replace(formula, unbroken)


def _mathml(latex: str, display: bool, node: nodes.Node) -> str:
    try:
        return _LATEX.convert_with_local_state(_ROW_SKIP.sub(r"\\\\", latex), displaystyle=display)
    except LatexError as error:
        _logger.warning("%s in the formula %s", error, latex, location=node)
        return html.escape(latex)
