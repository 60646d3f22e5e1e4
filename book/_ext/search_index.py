"""A Sphinx extension: what the search needs beyond Sphinx's own index.

The index holds every compound in two forms, so that "backpropagation" finds "back-propagation" and
the other way round. And the text of every section is written to a script, without formulas and
code: from it `search.js` takes what it shows of a page, on a site that is read from disk as well.
"""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.search import SearchLanguage
from sphinx.search.en import SearchEnglish

from autograder.translation.catalogue import catalogue_of

_HYPHENS = "-\u2010\u2011–"
_COMPOUND = re.compile(rf"[^\W\d_]{{2,}}(?:[{_HYPHENS}][^\W\d_]{{2,}})+")
_CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>", re.DOTALL)
_FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_NO_PROSE = nodes.title | nodes.section | nodes.literal_block | nodes.math_block | nodes.comment
# Written in one line, a longer formula would be a riddle.
_READABLE = 8
# A term of the glossary in Chinese; its explanation has marks.
_TERM = re.compile(r"[\u4e00-\u9fff]{2,8}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_search_language(_SearchCompounds)
    if app.config.language.startswith("zh"):
        app.add_search_language(_chinese(app))
    app.connect("source-read", _note_compounds)
    app.connect("html-page-context", _note_text)
    app.connect("build-finished", _write_texts)
    # The pages' texts are collected while the pages are written.
    return {"parallel_read_safe": False, "parallel_write_safe": False}


class _SearchCompounds(SearchEnglish):
    """English with compounds in both forms, "warm-up" and "warmup"."""

    # Of each compound that is written with a hyphen somewhere in the course.
    parts: dict[str, list[str]] = {}

    def split(self, text: str) -> list[str]:
        words = super().split(text)
        joined = [_joined(compound) for compound in _COMPOUND.findall(text)]
        apart = [part for word in words for part in self.parts.get(word.lower(), ())]
        return words + joined + apart


def _chinese(app: Sphinx) -> type[SearchLanguage]:
    """Return Sphinx's search in Chinese, for which jieba finds the words and knows our terms."""
    import jieba
    from sphinx.search.zh import SearchChinese

    jieba.setLogLevel("WARNING")
    for said in catalogue_of("book/glossary").values():
        if _TERM.fullmatch(said):
            jieba.add_word(said)

    class _SearchChinese(SearchChinese):
        def split(self, text: str) -> list[str]:
            return [word for word in super().split(text) if word.strip()]

    return _SearchChinese


def _joined(compound: str) -> str:
    return re.sub(f"[{_HYPHENS}]", "", compound)


def _note_compounds(app: Sphinx, name: str, content: list[str]) -> None:
    for compound in _COMPOUND.findall(content[0].lower()):
        _SearchCompounds.parts[_joined(compound)] = re.split(f"[{_HYPHENS}]", compound)


def _note_text(
    app: Sphinx, name: str, template: str, context: dict[str, Any], document: nodes.document | None
) -> None:
    if name == "search":
        app.add_js_file("search_text.js", loading_method="defer")
        app.add_js_file("search.js", loading_method="defer")
    if document:
        number = app.env.toc_secnumbers.get(name, {}).get("", ())
        texts = app.env.temp_data.setdefault("search_texts", {})
        texts[name] = {
            "title": ". ".join([*map(str, number), app.env.titles[name].astext()]),
            "sections": [
                [section["ids"][0], section.next_node(nodes.title).astext(), _text(section)]
                for section in document.findall(nodes.section)
            ],
        }


def _text(section: nodes.section) -> str:
    words = "".join(word for child in section.children for word in _words(child))
    return " ".join(words.split())


def _words(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Text):
        yield node.astext()
    elif isinstance(node, nodes.math):
        yield _readable(node.astext())
    elif isinstance(node, nodes.raw):
        for caption in _CAPTION.findall(node.astext()):
            yield f"{_plain(_FORMULA.sub(lambda formula: _short(formula[0]), caption))} "
    elif not isinstance(node, _NO_PROSE):
        for child in node.children:
            yield from _words(child)
        if not isinstance(node, nodes.Inline):
            yield " "


def _readable(latex: str) -> str:
    try:
        return _short(LatexToMathML().convert_with_local_state(latex, displaystyle=False))
    except LatexError:  # the page itself warns of it
        return "…"


def _short(formula: str) -> str:
    text = _plain(formula)
    return text if len(text) <= _READABLE else "…"


def _plain(markup: str) -> str:
    return html.unescape(_TAG.sub("", markup))


def _write_texts(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    texts = json.dumps(app.env.temp_data.pop("search_texts", {}), ensure_ascii=False)
    script = Path(app.outdir, "_static", "search_text.js")
    script.write_text(f"const COURSE_TEXT = {texts};\n", encoding="utf-8")
