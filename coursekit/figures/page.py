"""What stands on the page: a ``<figure>`` with its number, its caption and its words for the blind.

It is one output of HTML that carries all it needs, because JupyterLab knows no style sheet of ours.
"""

import hashlib
import html
import json
import re
from importlib import resources
from typing import Any

import matplotlib.pyplot as plt
from IPython.display import display
from markdown_it import MarkdownIt
from matplotlib.figure import Figure
from mdit_py_plugins.dollarmath import dollarmath_plugin

from coursekit import chapter_number
from coursekit.figures.svg import draw_svg, markup
from coursekit.figures.words import shown, translate

FILES = resources.files("coursekit.figures")
_FIGURE_ORDER = FILES.joinpath("figure_order.json")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).use(dollarmath_plugin)
# The form in which Sphinx writes a formula: MathJax finds it in JupyterLab, the site's build here.
_MARKDOWN.add_render_rule(
    "math_inline",
    lambda _, tokens, index, *__: (
        '<span class="math notranslate nohighlight">'
        rf"\({html.escape(tokens[index].content)}\)</span>"
    ),
)


def show(fig: Figure, *, caption: str, alt: str, name: str | None = None) -> None:
    """Show a Matplotlib figure below the cell as inline SVG with a numbered caption, and close it.

    What is black in it takes the text colour of the page around it, light or dark, and its words
    the page's typeface. It is as wide as the column, up to a limit.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
    caption : str
        What there is to see, in a sentence or two. Markdown, with formulas between dollars.
    alt : str
        What a sighted reader would conclude from the figure, in a sentence or two.
    name : str, optional
        ``name="loop"`` makes the figure one that ``{numref}`fig-loop` `` refers to.

    Raises
    ------
    ValueError
        When `caption` or `alt` is empty, or `name` is not made of a-z, 0-9 and hyphens.
    """
    caption = one_line("caption", caption)
    alt = shown(one_line("alt", alt))
    svg = draw_svg(fig)
    plt.close(fig)
    svg.set("aria-label", alt)
    display_figure(markup(svg, unique_prefix(markup(svg, ""), caption, name)), caption, alt, name)


def display_figure(content: str, caption: str, alt: str, name: str | None) -> None:
    """Display HTML as a figure with its number and caption; elsewhere it reads as its `alt`."""
    if name is not None and not re.fullmatch(r"(?!fig-)[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ValueError(
            f'name is {name!r}: use a-z, 0-9 and hyphens, without "fig-", which is put before it'
        )
    number = figure_number(name or caption)
    title = translate("Figure {number}", number=number) if number else translate("Figure")
    anchor = f' id="fig-{name}"' if name else ""
    style = FILES.joinpath("figure.css").read_text(encoding="utf-8")
    label = f'<span class="number">{title}</span> ' if number else ""
    # The style sheet hides it; what JupyterLab does not trust, it shows without style and SVG.
    untrusted = translate(
        "JupyterLab shows this figure once you have run the cell or trusted the notebook."
    )
    parts = [
        f'<figure class="course-figure"{anchor}>',
        f"<style>\n{style}</style>",
        f'<p class="untrusted"><strong>{untrusted}</strong></p>',
        content,
        f"<figcaption>{label}{_MARKDOWN.renderInline(shown(caption))}</figcaption>",
        "</figure>",
    ]
    display({"text/html": "\n".join(parts), "text/plain": f"[{title}: {alt}]"}, raw=True)


def figure_number(key: str) -> str | None:
    """Return the number, "1.3" say, of a figure by its name, or by its caption if it has none.

    It stands in a list that `autograder release` makes from the lessons. Counted while cells run,
    it would be another one as soon as a student ran the cells in another order.
    """
    chapters = json.loads(_FIGURE_ORDER.read_text(encoding="utf-8"))
    for stem, keys in chapters.items():
        if key in keys:
            return f"{chapter_number(stem)}.{keys.index(key) + 1}"
    return None


def one_line(argument: str, text: str) -> str:
    """Return `text` in one line; a ValueError that names the argument when nothing is in it."""
    text = " ".join(text.split())
    if not text:
        purpose = {
            "caption": "say in a sentence what there is to see",
            "alt": "say in a sentence what a sighted reader would conclude from the figure",
        }
        raise ValueError(f"{argument} is empty: {purpose[argument]}")
    return text


def unique_prefix(*content: Any) -> str:
    """Return a prefix for ids: alike in every build, different for figures that differ."""
    return "f" + hashlib.sha256(repr(content).encode()).hexdigest()[:8]
