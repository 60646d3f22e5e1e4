"""The whole book as one PDF: the built pages printed by Chromium, in the order of the contents.

    python -m autograder.site.pdf _build/course.pdf

A figure that moves is printed at its start, with its value in words, by its own style sheet.
"""

import io
import shutil
import sys
from pathlib import Path

import yaml
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter

from autograder.course.chapters import ROOT

_SITE = ROOT / "_build" / "html"
_PAGE = {
    "format": "A4",
    "margin": {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"},
    "display_header_footer": True,
    "header_template": "<span></span>",
    "footer_template": (
        '<div style="width: 100%; text-align: center; font: 8pt sans-serif">'
        '<span class="title"></span> · <span class="pageNumber"></span></div>'
    ),
    "print_background": True,
}


def pages_in_order() -> list[str]:
    """Return the names of all pages, without ending, as `_toc.yml` orders them."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names = [contents["root"]]
    for part in contents["parts"]:
        for chapter in part["chapters"]:
            names += [chapter["file"], *(page["file"] for page in chapter.get("sections", ()))]
    return names


def write_pdf(target: Path, names: list[str]) -> None:
    """Print the named pages of the built site into one PDF with a bookmark for each.

    Raises `FileNotFoundError` when a page is not built or there is no Chromium.
    """
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        raise FileNotFoundError("there is no Chromium; ./system-packages installs it")
    book = PdfWriter()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for name in names:
            file = _SITE / f"{name}.html"
            if not file.exists():
                raise FileNotFoundError(f"{file.relative_to(ROOT)} is missing; run `make book`")
            # What is unfolded would still be fading in.
            page = browser.new_page(
                color_scheme="light",
                reduced_motion="reduce",
                viewport={"width": 800, "height": 1100},
            )
            page.goto(file.as_uri(), wait_until="load")
            # Paper cannot be unfolded. The code that draws a figure is left to the screen.
            title = page.evaluate(
                """() => {
                  for (const folded of document.querySelectorAll("details")) folded.open = true;
                  return document.title = document.title.split(" — ")[0];
                }"""
            )
            printed = PdfReader(io.BytesIO(page.pdf(**_PAGE)))
            first = len(book.pages)
            book.append(printed, import_outline=False)
            book.add_outline_item(title=title, page_number=first)
            page.close()
        browser.close()
    book.compress_identical_objects()
    book.write(target)


if __name__ == "__main__":
    try:
        write_pdf(Path(sys.argv[1]), pages_in_order())
    except FileNotFoundError as error:
        sys.exit(str(error))
