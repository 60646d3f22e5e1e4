"""A Sphinx extension: the pages in the language of the build, and links between the editions.

The English pages are the sources; see `autograder.translation.markdown_messages`. A page that is
not translated is shown in English and says so at its top. Sections keep their English anchors, so a
link leads to the same place in every edition. The editions lie side by side, and a page has a link
to its twin when the other edition has been built.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from bookext.catalogues import javascript_messages, page_messages
from docutils import nodes
from myst_parser.mdit_to_docutils.base import default_slugify
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from autograder.building.lessons import page_notebook
from autograder.building.release import notebook_path
from autograder.course import chapters
from autograder.translation import catalogue
from autograder.translation.catalogue import (
    catalogue_of,
    translate,
    translate_markdown,
    use_language,
)
from autograder.translation.markdown_messages import messages
from coursekit.languages import ENGLISH, LOCALES

# From the language to the folder of its edition in `_build` and to its own name.
EDITIONS = {ENGLISH: ("html", "English"), "zh": ("html-zh", "中文")}
_LANGUAGE = {locale: language for language, locale in LOCALES.items()}
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^# .+$", re.MULTILINE)
_LINK = re.compile(r'(<a class="btn btn-sm edition"[^>]* )(?:data-)?(href="[^"]*")(?: hidden)?>')
# Of the page that is read now: the anchor for each heading's text.
_anchors: dict[str, str] = {}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx, and speak the language of the build from now on."""
    app.connect("html-page-context", _name_twin)
    app.connect("build-finished", _link_editions)
    language = language_of(app)
    if language != ENGLISH:
        catalogue.set_language(language)
        # Before the lessons' pages are made, and after.
        app.connect("source-read", _translate, priority=400)
        app.connect("source-read", _say_if_english, priority=600)
        app.connect("builder-inited", _write_words)
        app.connect("build-finished", _hand_out_translated)
        app.add_transform(_KeepAnchors)
        app.add_css_file("chinese.css")
        app.add_js_file("words.js", loading_method="defer", priority=100)
        app.config.myst_heading_slug_func = "bookext.translated_pages.slug"
    return {"parallel_read_safe": False, "parallel_write_safe": True}


def language_of(app: Sphinx) -> str:
    """Return the language of the edition that is built."""
    return _LANGUAGE.get(app.config.language, ENGLISH)


def slug(title: str) -> str:
    """Return the English anchor of a heading; what MyST asks for a heading's anchor."""
    return _anchors.get(title.strip()) or default_slugify(title)


def _translate(app: Sphinx, docname: str, content: list[str]) -> None:
    """Translate a page of Markdown; of a notebook, remember the anchors of its headings."""
    room, _, page = docname.partition("/")
    stem, _, name = page.partition("/")
    english = content[0]
    if room == "notebooks":
        if name == "assignment" and notebook_path(stem, name).exists():
            content[0] = notebook_path(stem, name).read_text(encoding="utf-8")
        english, spoken = _markdown(docname, english, stem, name, content[0])
    else:
        content[0] = spoken = translate_markdown(docname, english)
    _anchors.clear()
    headings = zip(_headings(spoken), map(default_slugify, _headings(english)), strict=True)
    _anchors.update({_plain(heading): anchor for heading, anchor in headings})


def _markdown(docname: str, english: str, stem: str, name: str, spoken: str) -> tuple[str, str]:
    if name == "lesson":
        with use_language(ENGLISH):
            cells = page_notebook(stem).cells
        return _texts(cells), _texts(page_notebook(stem).cells)
    english, spoken = (
        _texts(nbformat.reads(text, as_version=4).cells) for text in (english, spoken)
    )
    return english, spoken


def _texts(cells: list[NotebookNode]) -> str:
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def _headings(text: str) -> list[str]:
    return [heading.strip() for heading in _HEADING.findall(_FENCED.sub("", text))]


def _plain(heading: str) -> str:
    return re.sub(r"[`*]|\$[^$]*\$", "", heading).strip()


def _say_if_english(app: Sphinx, docname: str, content: list[str]) -> None:
    """Say at the top of a page that it, or a part of it, is shown in English."""
    notebook = None
    text = content[0]
    if docname.startswith("notebooks/"):
        notebook = nbformat.reads(text, as_version=4)
        text = _texts(notebook.cells)
    note = _note(docname)
    if not note:
        return
    if notebook:
        first = next(cell for cell in notebook.cells if cell.cell_type == "markdown")
        first.source = _below_title(first.source, note)
        content[0] = nbformat.writes(notebook)
    else:
        content[0] = _below_title(text, note)


def _below_title(text: str, note: str) -> str:
    marked = f"\\g<0>\n\n:::{{note}}\n{note}\n:::"
    return _TITLE.sub(marked, text, count=1)


def _note(docname: str) -> str:
    translated = catalogue_state(docname)
    if translated == 1:
        return ""
    return (
        translate("This page is partly in English.")
        if translated
        else translate("This page is in English.")
    )


def catalogue_state(docname: str) -> float:
    """Return how much of a page's catalogue is translated, from 0 (there is none) to 1."""
    path = catalogue.catalogue_path(docname, LOCALES[catalogue.language()])
    if not path.exists():
        return 0
    with use_language(ENGLISH):
        source = Path(chapters.ROOT, f"{docname}.md")
        if source.exists():
            wanted = messages(source.read_text(encoding="utf-8"))
        else:
            wanted = _messages_of_notebooks()[docname]
    said = catalogue_of(docname)
    return sum(message in said for message in wanted) / len(wanted)


@cache
def _messages_of_notebooks() -> dict[str, list[str]]:
    return page_messages()


class _KeepAnchors(SphinxTransform):
    """Name each section by its English anchor, as in the English edition."""

    default_priority = 1

    def apply(self, **kwargs: Any) -> None:
        slugs = self.env.metadata[self.env.docname].get("myst_slugs", {})
        for section in self.document.findall(nodes.section):
            anchor = nodes.make_id(section.get("slug", ""))
            if not anchor or anchor in self.document.ids:
                continue
            before = section["ids"][0]
            section["ids"][0] = anchor
            self.document.ids[anchor] = self.document.ids.pop(before)
            for name, id in self.document.nameids.items():
                if id == before:
                    self.document.nameids[name] = anchor
            for name, (line, id, text) in slugs.items():
                if id == before:
                    slugs[name] = (line, anchor, text)


def _write_words(app: Sphinx) -> None:
    """Write what the site's scripts say."""
    said = {message: translate(message) for message in javascript_messages()}
    script = Path(app.outdir, "_static", "words.js")
    script.parent.mkdir(parents=True, exist_ok=True)
    text = f"globalThis.COURSE_WORDS = {json.dumps(said, ensure_ascii=False)};\n"
    script.write_text(text, encoding="utf-8")


def _hand_out_translated(app: Sphinx, exception: Exception | None) -> None:
    """Let the download button of a chapter give the notebook in the language of its page."""
    for source in Path(app.outdir, "_sources", "notebooks").glob("*/*.ipynb"):
        translated = notebook_path(source.parent.name, source.stem)
        if not exception and translated.exists():
            source.write_bytes(translated.read_bytes())


def _name_twin(
    app: Sphinx, name: str, template: str, context: dict[str, Any], document: nodes.document | None
) -> None:
    language = language_of(app)
    context["editions"] = [
        {
            "language": other,
            "name": title,
            "address": f"{'../' * name.count('/')}../{folder}/{name}",
        }
        for other, (folder, title) in EDITIONS.items()
        if other != language
    ]


def _link_editions(app: Sphinx, exception: Exception | None) -> None:
    """Show on every page the link to its twin if there is one, in the other edition, too."""
    if (
        exception
        or app.builder.name != "html"
        or Path(app.outdir).name not in dict(EDITIONS.values())
    ):
        return
    editions = {folder: Path(app.outdir).parent / folder for folder, _ in EDITIONS.values()}
    for folder, site in editions.items():
        twins = [twin for name, twin in editions.items() if name != folder]
        for page in site.rglob("*.html"):
            _show_link(page, all((twin / page.relative_to(site)).exists() for twin in twins))


def _show_link(page: Path, is_there: bool) -> None:
    text = page.read_text(encoding="utf-8")
    linked = _LINK.sub(r"\1\2>" if is_there else r"\1data-\2 hidden>", text)
    if linked != text:
        page.write_text(linked, encoding="utf-8")
