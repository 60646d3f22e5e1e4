"""The whole book as one PDF: the built pages printed by Chromium, in the order of the contents.

    python -m bookext.pdf _build/course.pdf

Every page of the site is printed by itself, with page numbers that go on where the page before it
ended. Then its links are turned into links inside the book. A figure that moves is printed at its
start, with its value in words, by its own style sheet.
"""

import argparse
import html
import io
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

from bookext.chromium import find_chromium, start_chromium
from playwright.sync_api import Browser, sync_playwright
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import ArrayObject, NameObject

from autograder.course import chapters

_SITE = chapters.ROOT / "_build" / "html"
_TO_ANCHOR = re.compile(r'href="([^":]+\.html#[^"]+)"')
_PAPER = """
@page {{
  size: A4;
  margin: 18mm 20mm;
  @bottom-center {{
    content: {title} " · " counter(page, {numerals});
    font: 9pt "Source Sans 3", sans-serif;
  }}
}}
/* A reset of the counter by html is lost on some pages. */
@page :first {{ counter-increment: page {first}; }}
"""
# Chromium remembers where an anchor was printed only if something on the same page leads to it.
_PREPARE = """(wanted) => {
  // Paper cannot be unfolded. The code that draws a figure is left to the screen.
  for (const folded of document.querySelectorAll("details")) folded.open = true;
  const sections = [...document.querySelectorAll("article section[id]:has(> h2)")];
  const targets = [...wanted, ...sections.map((section) => section.id)];
  for (const id of targets.filter((id) => document.getElementById(id))) {
    const link = document.createElement("a");
    link.href = `#${id}`;
    link.style.cssText = "position: absolute; top: 0; width: 1px; height: 1px;";
    document.querySelector("article").append(link);
  }
  return sections.map((section) => {
    const heading = section.querySelector("h2").cloneNode(true);
    heading.querySelector(".headerlink")?.remove();
    return [heading.textContent.trim(), section.id];
  });
}"""
_REPLACE = """(content) => {
  const article = document.querySelector("article");
  article.replaceChildren(article.querySelector("h1"));
  article.insertAdjacentHTML("beforeend", content);
}"""
_CONTENTS = """
<style>
  .print-contents { font-size: 1rem; line-height: 1.3; }
  .print-contents h2 { font-size: 1.15rem; margin: 1rem 0 0.3rem; }
  .print-contents h2::before { display: none; }
  .print-contents p { display: flex; gap: 0.5em; max-width: none; margin: 0.15rem 0; }
  .print-contents p span { flex: 1; border-bottom: 1px dotted; margin-bottom: 0.4em; }
</style>
"""


@dataclass
class _Printed:
    """A page of the site on paper: its title, its sections and where its anchors are."""

    title: str
    sections: list[tuple[str, str]]
    reader: PdfReader
    first: int = 0  # of its sheets in the book, counted from 0

    def sheet(self, anchor: str) -> int:
        """Return the sheet of the book that an anchor is on, by default the page's first one.

        How high it stands on the sheet, Chromium gets wrong: it forgets the margin and the scale.
        """
        destination = self.reader.named_destinations.get(f"/{anchor}")
        if not destination:
            return self.first
        number = self.reader.get_destination_page_number(destination)
        assert number is not None
        return self.first + number


def pages_in_order() -> list[str]:
    """Return the names of all pages, without ending, as `_toc.yml` orders them."""
    return [name for _, names in _parts() for name in names]


def write_pdf(target: Path, names: list[str]) -> None:
    """Print the named pages of the built site into one PDF, with contents, links and bookmarks.

    Raises `FileNotFoundError` when a page is not built or there is no Chromium.
    """
    find_chromium()
    for name in names:
        if not _file(name).exists():
            raise FileNotFoundError(
                f"{_file(name).relative_to(chapters.ROOT)} is missing; run `make book`"
            )
    with sync_playwright() as playwright:
        browser = start_chromium(playwright)
        wanted, book, sheets = _anchors_linked_to(names), {}, 0
        for name in names:
            book[name] = _print(browser, _file(name), sheets, sorted(wanted[name]))
            book[name].first = sheets
            sheets += len(book[name].reader.pages)
        parts = [(part, [n for n in of_part if n in book]) for part, of_part in _parts()]
        parts = [(part, of_part) for part, of_part in parts if of_part]
        contents = _print(browser, _file(names[0]), 0, [], _contents(book, parts))
        browser.close()
    _bind(contents, book, parts).write(target)


def _parts() -> list[tuple[str, list[str]]]:
    """Return the captions of `_toc.yml`, each with the names of its pages; it may be empty."""
    parts = [(part.caption, [page.file for page in part.pages]) for part in chapters.parts()]
    return [("", [chapters.table_of_contents()["root"]]), *parts]


def _file(name: str) -> Path:
    return _SITE / f"{name}.html"


def _anchors_linked_to(names: list[str]) -> dict[str, set[str]]:
    """Return the anchors of each page that other pages of the book lead to."""
    wanted = defaultdict(set)
    for name in names:
        for address in _TO_ANCHOR.findall(_file(name).read_text(encoding="utf-8")):
            page, anchor = _page_and_anchor(urljoin(_file(name).as_uri(), address))
            wanted[page].add(anchor)
    return wanted


def _page_and_anchor(address: str) -> tuple[str, str]:
    """Return the name of the page at an address on the disk and the anchor on it."""
    page, anchor = urldefrag(unquote(address))
    return page.removeprefix(unquote(_SITE.as_uri()) + "/").removesuffix(".html"), anchor


def _print(
    browser: Browser, file: Path, before: int, wanted: list[str], content: str | None = None
) -> _Printed:
    # What is unfolded would still be fading in.
    page = browser.new_page(
        color_scheme="light", reduced_motion="reduce", viewport={"width": 800, "height": 1100}
    )
    page.goto(file.as_uri(), wait_until="load")
    if content:
        page.evaluate(_REPLACE, content)
    sections = page.evaluate(_PREPARE, wanted)
    title = page.title().split(" — ")[0]
    quoted = '"' + title.replace("\\", "\\\\").replace('"', '\\"') + '"'
    numerals = "lower-roman" if content else "decimal"
    page.add_style_tag(content=_PAPER.format(title=quoted, numerals=numerals, first=before + 1))
    # The letters of the screen are too large for paper: 18 px become 10.8 points.
    printed = page.pdf(prefer_css_page_size=True, print_background=True, scale=0.8)
    page.close()
    return _Printed(title, sections, PdfReader(io.BytesIO(printed)))


def _contents(book: dict[str, _Printed], parts: list[tuple[str, list[str]]]) -> str:
    """Return the table of contents as HTML."""
    lines = []
    for part, names in parts:
        if part:
            lines.append(f"<h2>{html.escape(part)}</h2>")
        for name in names:
            lines.append(
                f'<p><a href="{_file(name).as_uri()}">{html.escape(book[name].title)}</a>'
                f"<span></span>{book[name].first + 1}</p>"
            )
    return f'{_CONTENTS}<div class="print-contents">{"".join(lines)}</div>'


def _bind(
    contents: _Printed, book: dict[str, _Printed], parts: list[tuple[str, list[str]]]
) -> PdfWriter:
    """Put the printed pages behind their contents, with links inside the book and bookmarks."""
    bound, front = PdfWriter(), len(contents.reader.pages)
    for printed in book.values():
        printed.first += front
    printed_as = [
        (name, bound.add_page(sheet))
        for name, printed in [("", contents), *book.items()]
        for sheet in printed.reader.pages
    ]
    for name, sheet in printed_as:
        _link_inside(bound, sheet, name, book)
    bound.set_page_label(0, front - 1, style=PageLabelStyle.LOWERCASE_ROMAN)
    bound.set_page_label(front, len(bound.pages) - 1, style=PageLabelStyle.DECIMAL, start=1)

    bound.add_outline_item(title="Contents", page_number=0)
    for part, names in parts:
        over = None
        if part:
            over = bound.add_outline_item(
                title=part, page_number=book[names[0]].first, is_open=False
            )
        for name in names:
            chapter = bound.add_outline_item(
                title=book[name].title, page_number=book[name].first, parent=over, is_open=False
            )
            for title, anchor in book[name].sections:
                bound.add_outline_item(
                    title=title, page_number=book[name].sheet(anchor), parent=chapter
                )
    bound.page_mode = "/UseOutlines"
    bound.compress_identical_objects()
    return bound


def _link_inside(bound: PdfWriter, sheet: PageObject, name: str, book: dict[str, _Printed]) -> None:
    """Turn the links of a sheet that lead to pages of the site into links to places in the book."""
    kept = ArrayObject()
    for reference in sheet.get("/Annots", ()):
        link = reference.get_object()
        address = link.get("/A", {}).get("/URI", "")
        if "/Dest" in link:
            page, anchor = name, link["/Dest"].removeprefix("/")
        elif address.startswith(_SITE.as_uri()):
            page, anchor = _page_and_anchor(address)
        else:
            kept.append(reference)  # it leads to the web
            continue
        if page in book:
            place = bound.pages[book[page].sheet(anchor)].indirect_reference
            link.pop("/A", None)
            link[NameObject("/Dest")] = ArrayObject([place, NameObject("/Fit")])
            kept.append(reference)
    sheet[NameObject("/Annots")] = kept


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bookext.pdf")
    parser.add_argument("target", type=Path, help="the PDF to write")
    try:
        write_pdf(parser.parse_args().target, pages_in_order())
    except FileNotFoundError as error:
        sys.exit(str(error))
