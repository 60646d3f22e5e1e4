"""A Sphinx extension: every chapter as a zip that runs on the reader's own computer.

A notebook alone ends at its first import, because the reader's Python has no `coursekit`. The zips
lie in ``downloads/``; each page of a chapter has one under its download button, and
``{chapter-downloads}`` lists them all.

On the page "Start here", ``ADDRESS`` stands for the site's address.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from bookext.outlines import CourseDirective, numbered_link, outlines
from docutils import nodes
from nbformat import NotebookNode
from sphinx.application import Sphinx

from autograder.building.bundle import packed
from autograder.building.release import (
    assignment_notebook,
    edit_problem,
    lesson_notebook,
    notebook_path,
)
from autograder.course import chapters
from autograder.course.chapters import chapter_stems
from autograder.files import replace_file
from autograder.translation.catalogue import is_translated, language, translate, use_language
from coursekit.languages import ENGLISH

FOLDER = "downloads"
WHOLE_COURSE = "all_chapters"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.add_directive("chapter-downloads", _ChapterDownloads)
    app.connect("builder-inited", write_zips)
    app.connect("source-read", _name_address)
    # After the theme, which makes the buttons.
    app.connect("html-page-context", _add_button, priority=600)
    return {"parallel_read_safe": True}


def write_zips(app: Sphinx) -> None:
    """Write a zip of each chapter and one of all of them into the site."""
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    recorded = (chapters.ROOT / "coursekit" / "checks" / "recorded").glob("*.json")
    # Those of all chapters: whoever has installed one zip can go on with the next.
    examples = {path: path.read_text(encoding="utf-8") for path in recorded}
    course = dict(examples)
    for stem in chapter_stems():
        with use_language(language() if is_translated(stem) else ENGLISH):
            chapter = {
                path: _text(path, stem, build)
                for path, build in (
                    (notebook_path(stem, "lesson"), lesson_notebook),
                    (notebook_path(stem, "assignment"), assignment_notebook),
                )
            }
        replace_file(folder / f"{stem}.zip", packed(stem, examples | chapter))
        course |= chapter
    replace_file(folder / f"{WHOLE_COURSE}.zip", packed(WHOLE_COURSE, course))


def _text(path: Path, stem: str, build: Callable[[str], NotebookNode]) -> str:
    """Return a notebook as it was released, even where somebody has solved or run it since."""
    if edit_problem(path):
        return nbformat.writes(build(stem)) + "\n"
    return path.read_text(encoding="utf-8")


class _ChapterDownloads(CourseDirective):
    def content_nodes(self) -> list[nodes.Node]:
        rows = [[f"**{translate('All chapters')}**", self._link(WHOLE_COURSE)]]
        rows += [[numbered_link(self.env, c), self._link(c.stem)] for c in outlines()]
        return self.table(
            "chapter-downloads", [translate("chapter"), translate("lesson and exercises")], rows
        )

    def _link(self, name: str) -> str:
        up = "../" * self.env.docname.count("/")
        shown = name.replace("_", "_<wbr>")  # where a phone's narrow column may break it
        return f'<a href="{up}{FOLDER}/{name}.zip" download>{shown}.zip</a>'


def _name_address(app: Sphinx, docname: str, content: list[str]) -> None:
    if docname == "book/start":
        content[0] = content[0].replace("ADDRESS/", app.config.html_baseurl)


def _add_button(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    room, _, page = pagename.partition("/")
    if room != "notebooks":
        return
    stem = page.partition("/")[0]
    for group in context["header_buttons"]:
        if group.get("label") == "download-buttons":
            group["buttons"].insert(
                0,
                {
                    "type": "link",
                    "url": context["pathto"](f"{FOLDER}/{stem}.zip", 1),
                    "text": ".zip",
                    "icon": "fas fa-file-zipper",
                    "tooltip": translate("Download the chapter, ready to run"),
                    "label": "download-chapter-button",
                },
            )
