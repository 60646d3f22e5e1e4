"""A Sphinx extension: what is written on the bars that unfold code, outputs and answers.

MyST-NB writes "Show code cell source" on all of them. Here a bar names the figure that the code
draws or the functions that it defines; where neither says what a cell is for, the cell says it
itself, in a comment at its beginning: "# This times both layers." becomes "the code that times both
layers". Where two bars of a page read alike, a screen reader also hears the section. And what a
reader is asked to predict is folded, whatever the tags of the cell say. All this is done to the
document after the cells have run: in the metadata of a cell it would be part of the key by which
the cache finds its outputs.
"""

import ast
import html
import re
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from bookext.typography import set_apostrophes
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from autograder.translation.catalogue import translate

_NUMBER = re.compile(r'<span class="number">[^<\d]*([\d.]+)</span>')
PURPOSE = re.compile(r"# This (.+)\.\n")
_SUMMARY = re.compile(r"<summary>(?P<label>.*?)</summary>", re.DOTALL)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_node(HideCodeCellNode, override=True, html=(_open_fold, _close_fold))
    app.add_post_transform(_FoldPredicted)
    app.add_post_transform(_LabelFolds)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _FoldPredicted(SphinxPostTransform):
    """Fold the outputs between a question and its answer, or the first one after the answer."""

    default_priority = 198  # MyST-NB makes the folds at 199
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for question in self.document.findall(_is_prediction):
            following = question.findall(include_self=False, descend=False, siblings=True)
            part = list(takewhile(_belongs_to_question, following))
            answer = next((place for place, node in enumerate(part) if _is_answer(node)), 0)
            cells = [node for node in part if _is_cell(node) and _has_output(node)]
            before_answer = [cell for cell in cells if part.index(cell) < answer]
            for cell in before_answer or cells[:1]:
                _fold_output(cell)


class _LabelFolds(SphinxPostTransform):
    default_priority = 200
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for cell in self.document.findall(_is_cell):
            for part in cell.children:
                part.parent = cell  # MyST-NB forgets it where it folds a whole cell
        folds = [node for node in self.document.findall() if _is_fold(node)]
        labels = [_label(fold) for fold in folds]
        sections = [_section(fold) for fold in folds]
        alike, alike_in_section = Counter(labels), Counter(zip(labels, sections, strict=True))
        seen: Counter[tuple[str, str]] = Counter()
        for fold, label, section in zip(folds, labels, sections, strict=True):
            place = ""
            if alike[label] > 1:
                place = translate(", ") + section
            if alike_in_section[label, section] > 1:
                seen[label, section] += 1
                place += translate(
                    ", {number} of {all}",
                    number=seen[label, section],
                    all=alike_in_section[label, section],
                )
            _write(fold, label, place)


def _is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _is_output(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code_output"


def _is_prediction(node: nodes.Node) -> bool:
    # A page that is not translated asks in English, whatever the language of the edition.
    words = ("Predict.", translate("Predict."))
    return isinstance(node, nodes.block_quote) and node.astext().startswith(words)


def _belongs_to_question(node: nodes.Node) -> bool:
    return not isinstance(node, nodes.section) and not _is_prediction(node)


def _is_answer(node: nodes.Node) -> bool:
    words = ("Answer", translate("Answer"))
    return isinstance(node, nodes.raw) and any(f"<summary>{w}" in node.astext() for w in words)


def _has_output(cell: nodes.Element) -> bool:
    return any(map(_is_output, cell.children))


def _fold_output(cell: nodes.Element) -> None:
    mode = cell.get("hide_mode", "output")
    cell["hide_mode"] = "input+output" if mode == "input" else mode
    # MyST-NB wants to read them; the labels below replace them.
    cell["prompt_show"] = cell["prompt_hide"] = ""


def _is_fold(node: nodes.Node) -> bool:
    if isinstance(node, nodes.raw):
        return _SUMMARY.search(node.astext()) is not None
    return isinstance(node, HideCodeCellNode)


def _label(fold: nodes.Element) -> str:
    return set_apostrophes(_plain_label(fold))


def _plain_label(fold: nodes.Element) -> str:
    if isinstance(fold, nodes.raw):
        summary = _SUMMARY.search(fold.astext())
        assert summary
        return summary["label"].strip()
    outputs = [part for part in fold.parent.findall(nodes.container) if _is_output(part)]
    numbers = [
        number
        for output in outputs
        for content in output.findall(nodes.raw)
        for number in _NUMBER.findall(content.astext())
    ]
    listed = _listed(numbers)
    if len(numbers) > 1:
        figure = translate("Figures {number}", number=listed)
    else:
        figure = translate("Figure {number}", number=listed)
    if "above-input" not in fold["classes"]:
        return figure if numbers else translate("the output")
    code = next(fold.findall(nodes.literal_block)).astext()
    purpose = PURPOSE.match(code)
    described = translate("the code that {does}", does=translate(purpose[1])) if purpose else None
    if any(_is_output(part) for part in fold.children):
        if numbers:
            return translate("{figure} and the code that draws it", figure=figure)
        if described:
            return translate("{code}, and its output", code=described)
        return translate("the code and its output")
    if numbers:
        return translate("the code that draws {figure}", figure=figure)
    if described:
        return described
    if outputs:
        return translate("the code of the output below")
    defined = _only_defined(code)
    if defined:
        return translate("the code that defines {names}", names=_listed(defined))
    return translate("the code")


def _only_defined(code: str) -> list[str]:
    """Return the names of the functions and classes of a cell that does nothing but define them."""
    statements = ast.parse(code).body
    defined = [part.name for part in statements if isinstance(part, ast.FunctionDef | ast.ClassDef)]
    return defined if len(defined) == len(statements) else []


def _listed(names: list[str]) -> str:
    return translate(" and ").join(filter(None, (translate(", ").join(names[:-1]), *names[-1:])))


def _section(fold: nodes.Element) -> str:
    section = next(around for around in _ancestors(fold) if isinstance(around, nodes.section))
    return section.next_node(nodes.title).astext()


def _ancestors(node: nodes.Node) -> Iterator[nodes.Element]:
    while node.parent is not None:
        node = node.parent
        yield node


def _write(fold: nodes.Element, label: str, place: str) -> None:
    place = f'<span class="visually-hidden">{html.escape(place)}</span>' if place else ""
    if isinstance(fold, nodes.raw):
        summary = f"<summary>{label}{place}</summary>"
        fold[:] = [nodes.Text(_SUMMARY.sub(lambda _: summary, fold.astext(), count=1))]
    else:
        fold["label"] = html.escape(label) + place


def _open_fold(translator: HTML5Translator, node: nodes.Element) -> None:
    what = node["label"]
    show, hide = translate("Show {what}", what=what), translate("Hide {what}", what=what)
    translator.body.append(
        f'<details class="admonition hide {" ".join(node["classes"])}">\n<summary>\n'
        f'<p class="collapsed admonition-title">{show}</p>\n'
        f'<p class="expanded admonition-title">{hide}</p>\n</summary>\n'
    )


def _close_fold(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append("</details>\n")
