"""The site as its readers meet it: in a browser, on a phone, in the dark, without a network."""

import json
import os
import re
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

import nbformat
import numpy as np
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from bookext.front_page.alignment import load_alignment
from bookext.front_page.tables import CoursePlan
from bs4 import NavigableString
from built_pages import HTML, parsed
from docutils.nodes import make_id
from facts import FACTS, Fact, shown
from fontTools.ttLib import TTFont
from pypdf import PdfReader

from autograder.building.plain_markdown import glossary
from autograder.course import chapters
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.course_error import CourseError
from benchmarks.pages import sent_bytes

ROOT = Path(__file__).resolve().parent.parent
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
CHAPTERS = [
    chapter["file"]
    for part in TOC["parts"]
    for chapter in part["chapters"]
    if chapter["file"].startswith("notebooks/")
]
ASSIGNMENTS = [chapter.replace("/lesson", "/assignment") for chapter in CHAPTERS]
OTHERS = ["index", "search", "genindex"]
PAGES = [TOC["root"]] + [chapter["file"] for part in TOC["parts"] for chapter in part["chapters"]]


@pytest.fixture(scope="module", params=[*PAGES, "genindex", "search"])
def visit(request, site, browser):
    """Open a page on a phone and note what it asks for and what it complains about."""
    seen = SimpleNamespace(name=request.param, files=[], elsewhere=[], broken=[], complaints=[])

    def note(route):
        url = route.request.url
        if url.startswith(site):
            seen.files.append(url.removeprefix(site))
            route.continue_()
        else:
            seen.elsewhere.append(url)
            route.abort()

    seen.page = browser.new_page(viewport={"width": 390, "height": 844})
    seen.page.route("**/*", note)
    seen.page.on("response", lambda r: seen.broken.append(r.url) if r.status >= 400 else None)
    seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    seen.page.on("console", lambda m: seen.complaints.append(m.text) if m.type == "error" else None)
    seen.page.goto(f"{site}{request.param}.html", wait_until="networkidle")
    seen.size = sum(map(sent_bytes, seen.files))
    yield seen
    seen.page.close()


def test_a_site_that_is_complete_is_built_again_only_when_something_changed(site):
    def is_up_to_date(*options):
        return subprocess.run(["make", "-q", *options, "site"], cwd=ROOT).returncode == 0

    assert is_up_to_date()
    for changed in ("book/intro.md", "coursekit/figures/style.py", "_config.yml"):
        assert not is_up_to_date(f"--what-if={changed}")


def test_page_asks_no_other_host(visit):
    assert not visit.elsewhere


@pytest.mark.parametrize("visit", [*PAGES, *ASSIGNMENTS], indirect=True)
def test_page_is_light(visit):
    assert 100_000 < visit.size <= 500_000


def test_page_finds_all_its_files_and_logs_no_error(visit):
    assert not visit.broken
    assert not visit.complaints


def test_mathematics_is_typeset(visit):
    """No formula is left as LaTeX, and none takes a stop of the Tab key."""
    latex = visit.page.evaluate(
        """() => {
          const text = document.querySelector("main").cloneNode(true);
          text.querySelectorAll("script, style, pre, code").forEach((other) => other.remove());
          return text.textContent.match(/\\\\[a-zA-Z(\\[].{0,40}/g);
        }"""
    )
    assert not latex
    assert visit.page.locator("math :is(a, button, [tabindex])").count() == 0


def test_no_line_begins_with_the_punctuation_after_a_formula(visit):
    apart = visit.page.evaluate(
        """() => [...document.querySelectorAll("main math")]
            .filter((formula) => /^[,.;:!?)]/.test(formula.nextSibling?.nodeValue ?? ""))
            .filter((formula) => getComputedStyle(formula.parentElement).whiteSpace !== "nowrap")
            .map((formula) => formula.parentElement.textContent.slice(0, 120))"""
    )
    assert not apart


def test_a_root_is_as_wide_as_it_looks(visit):
    """What follows it is neither far away nor drawn over it, whatever room the browser leaves."""
    wrong = visit.page.evaluate(
        """() => [...document.querySelectorAll("main msqrt")]
            .filter((root) => root.checkVisibility())
            .map((root) => {
              const { marginInlineEnd, fontSize } = getComputedStyle(root);
              const room = root.getBoundingClientRect().right + parseFloat(marginInlineEnd)
                - root.lastElementChild.getBoundingClientRect().right;
              return room / parseFloat(fontSize);
            })
            .filter((room) => Math.abs(room) > 0.1)"""
    )
    assert not wrong


@pytest.mark.parametrize("width", [1280, 390])
def test_the_number_of_an_equation_stands_beside_it(visit, width):
    visit.page.set_viewport_size({"width": width, "height": 844})
    elsewhere = visit.page.evaluate(
        """() => {
          const edges = (element) => element.getBoundingClientRect();
          const middle = ({ top, bottom }) => (top + bottom) / 2;
          return [...document.querySelectorAll(".equation")]
            .filter((equation) => equation.checkVisibility())
            .filter((equation) => {
              const [formula, number] = [...equation.children].map(edges);
              return number.left < formula.right
                || Math.abs(number.right - edges(equation).right) > 1
                || Math.abs(middle(number) - middle(formula)) > 1;
            })
            .map((equation) => equation.textContent.slice(0, 120));
        }"""
    )
    assert not elsewhere


@pytest.mark.parametrize("visit", [*CHAPTERS, *ASSIGNMENTS], indirect=True)
def test_a_formula_in_a_line_of_its_own_fits_a_phone(visit):
    """What is off the screen has to be scrolled to, and readers compare both ends of a formula."""
    visit.page.set_viewport_size({"width": 390, "height": 844})
    wide = visit.page.evaluate(
        """() => {
          const folded = document.querySelectorAll("details:not([open])");
          folded.forEach((bar) => { bar.open = true; });
          const wide = [...document.querySelectorAll("article div.math")]
            .filter((formula) => formula.checkVisibility())
            .filter((formula) => formula.scrollWidth > formula.clientWidth + 1)
            .map((formula) => formula.textContent.slice(0, 120));
          folded.forEach((bar) => { bar.open = false; });
          return wide;
        }"""
    )
    assert not wide


@pytest.mark.parametrize("width", [1280, 390])
def test_page_does_not_scroll_sideways(visit, width):
    visit.page.set_viewport_size({"width": width, "height": 844})
    assert visit.page.evaluate("document.scrollingElement.scrollWidth") <= width
    # A box that is wider than the column and cannot be scrolled would be cut off instead.
    cut_off = visit.page.evaluate(
        """() => [...document.querySelectorAll("main :is(img, svg, table, pre)")]
            .filter((box) => {
              const right = box.getBoundingClientRect().right;
              for (let around = box; around.tagName !== "MAIN"; around = around.parentElement)
                if (/auto|scroll/.test(getComputedStyle(around).overflowX)) return false;
              return right > document.querySelector("main").getBoundingClientRect().right + 1;
            })
            .map((box) => box.outerHTML.slice(0, 120))"""
    )
    assert not cut_off


@pytest.mark.parametrize("width", [1280, 390])
def test_a_word_of_code_is_not_torn_apart(visit, width):
    """A command's option, say. Only a name almost as long as a phone's line may break."""
    visit.page.set_viewport_size({"width": width, "height": 844})
    torn = visit.page.evaluate(
        """() => {
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const torn = [];
          while (walker.nextNode()) {
            const word = walker.currentNode;  // between two joints, if it has any
            const { parentElement } = word;
            if (!parentElement.matches("article :is(code.literal .pre, pre .option)")) continue;
            const range = document.createRange();
            range.selectNodeContents(word);
            if (word.length < 26 && range.getClientRects().length > 1) torn.push(word.data);
          }
          return torn;
        }"""
    )
    assert not torn


def test_the_options_of_commands_are_found_in_their_code(site, browser):
    """Without them, what is said above about torn options would hold of nothing."""
    page = browser.new_page()
    page.goto(f"{site}book/grading.html")
    options = page.locator("article pre .option").all_text_contents()
    assert options and all(re.fullmatch(r"--?\w[\w-]*", option) for option in options)
    page.close()


@pytest.mark.parametrize(
    "place",
    [".unbroken > math", "msqrt:not(details *)", ".equation", "div.math", "svg[role=img]"],
)
def test_what_is_looked_for_on_every_page_is_on_one(site, place):
    """Without it, what is said of it on all pages would hold of nothing."""
    assert any(parsed(f"{page}.html").select_one(f"article {place}") for page in PAGES)


def test_a_long_path_is_broken_at_its_slashes(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{site}book/grading.html")
    lines = page.evaluate(
        """() => [...document.querySelectorAll("article code.literal .pre")]
            .filter((word) => word.textContent.startsWith("submitted/<student>/"))
            .flatMap((word) => [...word.childNodes])
            .filter((part) => part.data)
            .map((part) => {
              const range = document.createRange();
              range.selectNode(part);
              return range.getClientRects().length;
            })"""
    )
    assert len(lines) > 2 and set(lines) == {1}
    page.close()


def test_pictures_say_in_words_what_they_show(visit):
    silent = visit.page.evaluate(
        """() => [...document.querySelectorAll("main img, main svg[role=img]:not([class*=fa-])")]
            // Sphinx writes the file's name where there is no text.
            .filter((picture) => !/ \\w/.test(picture.alt ?? picture.ariaLabel ?? ""))
            .map((picture) => picture.outerHTML.slice(0, 120))"""
    )
    assert not silent


THEMES = ["light", "dark"]

# Axe computes where every element of a page lies, so what it need not see is set aside. To it a
# drawing is an image with a description. Words of the same colour, size and weight, on the same
# background, are equally easy to read; the first of those that are alike in every theme is marked.
# Code and formulas keep the elements of the lines and formulas in which a word is marked.
SET_ASIDE = """(themes) => {
  const aside = [];
  const keepOnly = (parts, box) => {
    aside.push([box, [...box.childNodes]]);
    box.replaceChildren(...parts);
  };
  for (const drawing of document.querySelectorAll("figure.course-figure svg"))
    keepOnly([], drawing);

  const words = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    if (texts.currentNode.data.trim().length > 1) words.set(texts.currentNode.parentElement, "");
  const isSeenThrough = ({ backgroundColor, backgroundImage }) =>
    backgroundColor === "rgba(0, 0, 0, 0)" && backgroundImage === "none";
  const page = document.documentElement.dataset;
  const themeBefore = page.theme;
  for (const theme of themes) {
    page.theme = theme;
    const looks = new Map([[null, ""]]);
    const behind = (element) => {
      if (!looks.has(element)) {
        const style = getComputedStyle(element);
        const { opacity, position, backgroundColor, backgroundImage } = style;
        const own = opacity !== "1" || position !== "static" || !isSeenThrough(style)
          ? [opacity, position, backgroundColor, backgroundImage] : "";
        looks.set(element, own + behind(element.parentElement));
      }
      return looks.get(element);
    };
    for (const [word, look] of words) {
      if (!word.checkVisibility()) continue;
      const { color, fontSize, fontWeight } = getComputedStyle(word);
      words.set(word, look + [theme, color, fontSize, fontWeight, behind(word)]);
    }
  }
  const seen = new Set([""]);
  for (const [word, look] of words) {
    if (!seen.has(look)) word.dataset.firstOfItsLook = "";
    seen.add(look);
  }

  const marked = "[data-first-of-its-look]";
  for (const formula of document.querySelectorAll("math"))
    if (!formula.querySelector(marked)) keepOnly([], formula);
  for (const code of document.querySelectorAll("pre")) {
    const isNeeded = (part) => part.matches?.(marked) || part.querySelector?.(marked);
    keepOnly([...code.childNodes].map((part) => isNeeded(part) ? part : part.textContent), code);
  }

  window.putBack = () => {
    for (const [box, parts] of aside) box.replaceChildren(...parts);
    for (const word of words.keys()) delete word.dataset.firstOfItsLook;
    page.theme = themeBefore;
  };
}"""


@contextmanager
def made_light(page):
    """Let Axe have little of a page to look at, and leave the page as it was found."""
    # Else a colour may still be on its way from that of the other theme.
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(SET_ASIDE, THEMES)
    # Code without its spans is wider. The page's script is told so with the next frame.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    try:
        yield
    finally:
        page.evaluate("putBack()")
        page.emulate_media(reduced_motion="null")


def check_with_axe(page, context, **options):
    """Let Axe find nothing in a part of a page."""
    options = {"preload": False, "resultTypes": ["violations"], **options}
    found = Axe().run(page, context=context, options=options)
    assert not found.violations_count, found.generate_report()


def check_rules(page, apart_from):
    """Check all rules but that of the colours, the one that depends on the theme."""
    rules = {"label-content-name-mismatch": True, "color-contrast": False}
    check_with_axe(
        page,
        {"exclude": [[apart_from]]},
        rules={rule: {"enabled": on} for rule, on in rules.items()},
    )


def check_contrast(page, theme):
    """Check that each marked word of a page can be read."""
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
    check_with_axe(page, {"include": [["[data-first-of-its-look]"]]}, runOnly=["color-contrast"])


def test_page_is_accessible_on_a_phone(visit):
    visit.page.set_viewport_size({"width": 390, "height": 844})
    with made_light(visit.page):
        check_rules(visit.page, apart_from="figure.course-figure svg")
        for theme in THEMES:
            check_contrast(visit.page, theme)


@pytest.mark.parametrize(
    ("theme", "place", "style"),
    [
        ("light", "main p", "color: #999"),
        ("dark", "main p", "background: #999"),
        ("light", "main p", "opacity: 0.4"),
        ("dark", "main pre span.mf", "color: #555"),
        ("light", "main math:not(details *) mtext", "color: #999"),
    ],
)
def test_a_word_that_is_hard_to_read_is_found(site, browser, theme, place, style):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{site}{ASSIGNMENTS[0]}.html")
    page.evaluate(
        "([place, style]) => { document.querySelector(place).style = style; }",
        [place, style],
    )
    with made_light(page), pytest.raises(AssertionError, match="contrast"):
        check_contrast(page, theme)
    page.close()


@pytest.mark.parametrize("name", [TOC["root"], ASSIGNMENTS[0], "book/notation"])
def test_page_is_accessible_on_a_desktop(site, browser, name):
    """What a phone does not show are the bars around the text, which are alike on all pages."""
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    page.goto(f"{site}{name}.html")
    with made_light(page):
        check_rules(page, apart_from="article")
        for theme in THEMES:
            check_contrast(page, theme)
    page.close()


def test_what_scrolls_can_be_reached_and_says_so(visit):
    visit.page.set_viewport_size({"width": 390, "height": 844})
    unreached = visit.page.evaluate(
        """() => [...document.querySelectorAll("article :is(pre, table, div.math)")]
            .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
            .filter((box) => box.tabIndex !== 0 || !box.ariaLabel || !box.matches(".more-after"))
            .map((box) => box.outerHTML.slice(0, 120))"""
    )
    assert not unreached


def test_some_output_and_some_table_scroll_on_a_phone(site, browser):
    """Without any, what is said above about what scrolls would hold of nothing."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    scrolling = set()
    for name in (CHAPTERS[0], CHAPTERS[7]):
        page.goto(f"{site}{name}.html")
        scrolling |= set(
            page.locator("article :is(pre, table):visible").evaluate_all(
                """(boxes) => boxes.filter((box) => box.scrollWidth > box.clientWidth + 1)
                    .map((box) => box.tagName)"""
            )
        )
    assert scrolling == {"PRE", "TABLE"}
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_long_line_of_code_goes_on_below(visit, width):
    """No line is cut off, what goes on stands further to the right, and the text is the same."""
    visit.page.set_viewport_size({"width": width, "height": 844})
    wrong = visit.page.evaluate(
        """async () => {
          const text = await (await fetch(location)).text();
          const asBuilt = new DOMParser().parseFromString(text, "text/html");
          const code = (page) =>
            [...page.querySelectorAll("article :is(.highlight-ipython3, .highlight-python) pre")];
          const changed = code(document).filter((box, i) =>
            box.textContent !== code(asBuilt)[i].textContent);
          const folded = document.querySelectorAll("details:not([open])");
          folded.forEach((bar) => { bar.open = true; });
          const cut = code(document).filter((box) => box.scrollWidth > box.clientWidth + 1);
          const outdented = [...document.querySelectorAll("article .line")].filter((line) => {
            const letters = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            const places = [];
            while (letters.nextNode()) {
              const range = document.createRange();
              const start = letters.currentNode.data.search(/\\S/);
              if (start < 0) continue;
              range.setStart(letters.currentNode, start);
              range.setEnd(letters.currentNode, letters.currentNode.data.trimEnd().length);
              places.push(...range.getClientRects());
            }
            const [{ left, top, bottom }] = [...places, line.getBoundingClientRect()];
            return top > line.getBoundingClientRect().top + 10 ||
              places.some((place) => place.top > bottom - 5 && place.left < left + 20);
          });
          folded.forEach((bar) => { bar.open = false; });
          return [...changed, ...cut, ...outdented].map((box) => box.textContent.slice(0, 120));
        }"""
    )
    assert not wrong


def test_code_fades_out_into_the_page(site, browser):
    page = browser.new_page(color_scheme="dark")
    page.goto(f"{site}{CHAPTERS[0]}.html")
    behind = page.evaluate(
        """() => [...document.querySelectorAll("article :is(.highlight, .cell_input)")]
          .map((box) => getComputedStyle(box).backgroundColor)"""
    )
    assert set(behind) == {"rgba(0, 0, 0, 0)"}
    page.close()


def controls_without_visible_focus(page):
    """Focus every control of a page and return those on which nobody would see it."""
    page.keyboard.press("Tab")  # From now on the focus that a script sets shows as the keyboard's.
    seen, hidden = page.evaluate(
        """() => {
          // A bar at the side that a wider window shows has no focus before it has moved in.
          const moving = document.getAnimations().filter((each) => each instanceof CSSTransition);
          moving.forEach((transition) => transition.finish());
          const controls = "a[href], button, input, select, summary, [tabindex='0']";
          const reached = [...document.querySelectorAll(controls)].map((control) => {
            control.focus({ preventScroll: true });
            if (document.activeElement !== control) return null;  // it is folded, say
            const { outlineStyle, outlineWidth } = getComputedStyle(control);
            const shows = control.matches(":focus-visible")
              && outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
            return shows ? "" : control.outerHTML.slice(0, 120);
          }).filter((control) => control !== null);
          document.activeElement.blur();
          return [reached.length, reached.filter(Boolean)];
        }"""
    )
    assert seen > 25
    return hidden


def test_focus_can_be_seen_on_every_control(visit):
    visit.page.set_viewport_size({"width": 1280, "height": 844})
    assert not controls_without_visible_focus(visit.page)


def test_a_link_in_the_text_whose_focus_is_hidden_is_found(site, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    page.goto(f"{site}book/notation.html")
    page.add_style_tag(content="main a[href]:focus-visible { outline: none !important; }")
    hidden = controls_without_visible_focus(page)
    assert hidden and all(control.startswith("<a ") for control in hidden)
    page.close()


def test_a_bar_that_unfolds_says_what_it_hides(site):
    """It names the figure that the code below it draws, and no two bars of a page sound alike."""
    named = described = 0
    for page in [*CHAPTERS, *ASSIGNMENTS]:
        soup = parsed(f"{page}.html")
        for fold in soup.select("details.above-input:has(pre)"):
            if purpose := re.match(r"# This (.+)\.\n", fold.pre.get_text()):
                does = purpose[1].replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
                assert f"the code that {does}" in fold.summary.p.get_text()
                described += 1
        for cell in soup.select("div.cell:has(> details):has(figure.course-figure)"):
            for number in cell.select("figcaption .number"):
                held = cell.details.summary.p.get_text().replace(" ", "\N{NO-BREAK SPACE}")
                assert number.get_text() in held
                named += 1
        bars = [(bar.p or bar).get_text() for bar in soup.select("article summary")]
        assert len(bars) == len(set(bars)), page
    assert named > len(CHAPTERS)
    assert described


def test_print_has_the_characters_of_print(site):
    """No line ends between a number and its unit; no apostrophe in a caption is straight."""
    held = 0
    for page in PAGES:
        soup = parsed(f"{page}.html")
        for caption in soup.select("figcaption"):
            assert not re.search(r"\w'\w|\d %", caption.get_text()), caption.get_text()
        verbatim = {id(box) for box in soup.select("pre, code, .cell_output")}
        printed = "".join(
            text
            for text in soup.article.find_all(string=True)
            if type(text) is NavigableString and verbatim.isdisjoint(map(id, text.parents))
        )
        assert not re.search(r"\d %", printed), page
        held += printed.count("\N{NO-BREAK SPACE}%")
    assert held


def test_the_letters_of_other_languages_are_in_the_fonts_of_the_site(site):
    """A letter that the browser takes from another font stands out in the middle of a name."""
    fonts = [TTFont(path) for path in (HTML / "_static" / "fonts").glob("source-sans-3*.woff2")]
    there = {number for font in fonts for number in font.getBestCmap()}
    for page in PAGES:
        read = {ord(letter) for letter in parsed(f"{page}.html").article.get_text()}
        missing = {chr(number) for number in read - there if 0xC0 <= number < 0x250}
        assert not missing, page


def test_no_line_of_prose_begins_with_a_percent_sign():
    """To MyST it would be a comment: the site would leave it out, and nobody would be told."""
    sources = [path.read_text("utf-8") for path in sorted(chapters.ROOT.glob("book/*.md"))]
    for path in sorted(chapters.ROOT.glob("notebooks/*/assignment.ipynb")):
        cells = nbformat.read(path, 4).cells
        sources += [cell.source for cell in cells if cell.cell_type == "markdown"]
    fence = re.compile(r"^(```+|~~~+).*?^\1$", re.MULTILINE | re.DOTALL)
    lost = [line for text in sources for line in re.findall(r"(?m)^[> ]*%.*", fence.sub("", text))]
    assert not lost


def test_on_a_phone_a_table_with_long_columns_is_made_of_cards(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    for name, labels in (
        ("book/grading", {"where", "what", "for whom", "platform"}),
        ("book/intro", {"assumes", "lesson", "exercises", "points"}),
        ("book/instructors", {"week", "lessons", "in class", "hours"}),
    ):
        page.goto(f"{site}{name}.html")
        cells = page.locator("article .cards td")
        read = cells.evaluate_all("cells => cells.map((cell) => cell.dataset.label)")
        assert labels <= {*read}, name
        told = cells.evaluate_all(
            "cells => cells.map((cell) => getComputedStyle(cell, '::before').content)"
        )
        assert any(word != "none" for word in told) and cells.first.is_visible()
        for table in page.locator("article table.cards").all():
            assert table.evaluate("(table) => table.scrollWidth <= table.clientWidth"), name
            assert table.locator("thead").is_hidden()
    assert parsed("book/notation.html").select("table:not(.cards)")
    page.close()


def test_the_comma_after_a_formula_is_taken_from_the_text_after_it(site):
    """In this paragraph an earlier text, between two codes, is the same comma."""
    article = parsed("notebooks/ch09_pca_embeddings/assignment.html").article.get_text()
    assert "[0, -1, 4]], positions = [[0, 1, 0]" in article
    assert ",," not in article


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_a_reader_is_asked_to_predict_is_folded(site, chapter):
    soup = parsed(f"{chapter}.html")
    questions = [
        quote for quote in soup.article.select("blockquote") if "Predict." in quote.get_text()
    ]
    assert questions
    for question in questions:
        outputs, before_answer = [], 0
        for part in question.find_next_siblings():
            if part.name == "section" or part in questions:
                break
            outputs += part.select(".cell_output")
            if part.name == "details" and part.summary.get_text().startswith("Answer"):
                before_answer = len(outputs)
        for output in outputs[: before_answer or 1]:
            assert output.find_parent("details"), question.get_text()


def test_dark_mode_can_be_chosen_and_stays(site, browser):
    page = browser.new_page(color_scheme="light")
    page.goto(f"{site}{TOC['root']}.html")
    brightness = "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)"
    assert min(map(int, page.evaluate(brightness))) > 200
    switch = page.locator(".theme-switch-button:visible").first
    for _ in range(3):
        if page.evaluate("document.documentElement.dataset.theme") != "dark":
            switch.click()
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert max(map(int, page.evaluate(brightness))) < 60
    page.close()


# The contrast of a colour with the first background behind it that is not transparent, by WCAG 2.
CONTRAST = """(selector) => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const clear = (element) => channels(getComputedStyle(element).backgroundColor)[3] === 0;
  const luminance = (colour) => channels(colour).slice(0, 3)
    .map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const element = document.querySelector(selector);
  let behind = element;
  while (behind && clear(behind)) behind = behind.parentElement;
  const background = behind ? getComputedStyle(behind).backgroundColor : "rgb(255, 255, 255)";
  const [darker, brighter] = [getComputedStyle(element).color, background]
    .map(luminance).sort((a, b) => a - b);
  return (brighter + 0.05) / (darker + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_keys_that_open_the_search_can_be_read(site, browser, theme):
    """Axe passes over a text of one character, as the "+" between the keys is."""
    # Else its colour may still be on its way from that of the other theme.
    calm = {"color_scheme": theme, "reduced_motion": "reduce"}
    page = browser.new_page(viewport={"width": 1280, "height": 844}, **calm)
    page.goto(f"{site}{TOC['root']}.html")
    for place in (".bd-search", ".search-button-field"):
        assert page.evaluate(CONTRAST, f"{place} .search-button__kbd-shortcut") >= 4.5
    page.close()


def test_code_can_be_read_without_javascript_on_a_dark_system(site, browser):
    context = browser.new_context(java_script_enabled=False, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{site}{CHAPTERS[0]}.html")
    assert page.evaluate(CONTRAST, "article p") > 7
    assert page.evaluate(CONTRAST, "article .cell_input pre") > 7
    context.close()


def test_a_line_of_text_is_not_too_long(visit):
    visit.page.set_viewport_size({"width": 1280, "height": 844})
    widest = visit.page.evaluate(
        """() => Math.max(0, ...[...document.querySelectorAll("article section > p")].map((p) => {
          const ruler = document.createElement("span");
          ruler.textContent = "The gradient of a hidden state is a sum over later time steps.";
          ruler.style.whiteSpace = "nowrap";
          p.append(ruler);
          const width = ruler.getBoundingClientRect().width;
          ruler.remove();
          return p.getBoundingClientRect().width / (width / ruler.textContent.length);
        }))"""
    )
    assert widest <= 82


def test_headings_shrink_with_their_level(visit):
    sizes = visit.page.evaluate(
        """() => ["h1", "h2", "h3", "h4"].map((level) => document.querySelector(`article ${level}`))
          .filter(Boolean).map((heading) => parseFloat(getComputedStyle(heading).fontSize))"""
    )
    assert sizes == sorted(set(sizes), reverse=True)


def test_the_title_of_the_search_is_as_heavy_as_others(site, browser):
    page, weights = browser.new_page(), set()
    for name in ("search", "book/notation"):
        page.goto(f"{site}{name}.html")
        weights.add(
            page.evaluate(
                "getComputedStyle(document.querySelector('main :not(.onlyprint) > h1')).fontWeight"
            )
        )
    assert weights == {"650"}
    page.close()


def test_links_have_one_colour(visit):
    """The button on the front page is one by its background."""
    links = "article :is(p, td) > a:not(.headerlink, .start-button)"
    colours = visit.page.evaluate(
        """(links) => [...document.querySelectorAll(links)]
          .map((link) => getComputedStyle(link).color)""",
        links,
    )
    assert len(set(colours)) <= 1


@pytest.fixture(scope="module")
def printed(site, tmp_path_factory):
    """Print the front page, a short chapter, exercises and the glossary into one PDF; read it."""
    file = tmp_path_factory.mktemp("print") / "four.pdf"
    chapter = CHAPTERS[1]
    # Playwright runs once a thread; `browser` has it here.
    names = [TOC["root"], chapter, ASSIGNMENTS[0], "book/glossary"]
    command = (
        "from pathlib import Path; from bookext.pdf import write_pdf;"
        f"write_pdf(Path({str(file)!r}), {names})"
    )
    subprocess.run([sys.executable, "-c", command], cwd=ROOT, check=True)
    book = PdfReader(file)
    lesson, glossary = (parsed(f"{page}.html").article for page in (chapter, "book/glossary"))
    sheets = [" ".join(page.extract_text().split()) for page in book.pages]
    return SimpleNamespace(book=book, sheets=sheets, lesson=lesson, glossary=glossary)


def begins(article):
    return " ".join(article.select_one("h1 ~ p").find(string=True).split())[:40]


@pytest.mark.nightly
def test_pages_are_printed_with_what_is_folded_on_the_screen(printed):
    answer = printed.lesson.select_one("details:not(.hide) p").find(string=True)
    assert "".join(answer.split()) in "".join(printed.sheets).replace(" ", "")


@pytest.mark.nightly
def test_printed_page_numbers_run_through_the_book_and_stand_in_its_contents(printed):
    contents, *sheets = printed.sheets
    for number, text in enumerate(sheets, start=1):
        assert re.search(rf"\S · {number}\b", text), text[:200]
    assert printed.book.page_labels == ["i", *map(str, range(1, len(sheets) + 1))]
    for article in (printed.lesson, printed.glossary):
        title = article.h1.find(string=True, recursive=False)
        number = int(re.search(rf"{title} (\d+)", contents)[1])
        assert begins(article) in sheets[number - 1]


@pytest.mark.nightly
def test_no_sheet_is_empty_or_ends_with_what_announces_the_next(printed):
    announcements = {
        "".join(heading.find_all(string=True)[0].split())
        for article in (printed.lesson, printed.glossary)
        for heading in article.select("h2, h3, details:not(.hide) > summary, dt")
    }
    assert len(announcements) > 50
    for page in printed.book.pages:
        # In the order in which they stand on the sheet; the last one is the page's number.
        *lines, _ = filter(str.strip, page.extract_text(extraction_mode="layout").splitlines())
        assert lines
        assert "".join(lines[-1].split()) not in announcements


def test_on_paper_nothing_is_in_a_box_that_scrolls_or_has_a_frame_for_folding(site, browser):
    page = browser.new_page()
    page.goto(f"{site}{CHAPTERS[0]}.html")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    boxes = "article :is(details.hide, pre, .output, table)"
    read = """(boxes) => boxes.map((box) => {
      const style = getComputedStyle(box);
      return [style.overflowX, style.overflowY, box.matches("details") && style.boxShadow];
    })"""
    assert ["auto", "hidden", False] in page.locator(boxes).evaluate_all(read)
    page.emulate_media(media="print")
    found = page.locator(boxes).evaluate_all(read)
    assert {tuple(box) for box in found} == {
        ("visible", "visible", False),
        ("visible", "visible", "none"),
    }
    page.close()


@pytest.mark.nightly
def test_the_printed_book_has_bookmarks_of_parts_chapters_and_sections(printed):
    def below(outline, title):
        names = [getattr(item, "title", "") for item in outline]  # lists have none
        (place,) = [i for i, name in enumerate(names) if name.endswith(title)]
        return outline[place + 1]

    parts = [part["caption"] for part in TOC["parts"] if "ch0" in f"{part['chapters']}"]
    (part,) = [part for part in printed.book.outline if getattr(part, "title", "") in parts]
    chapter = below(printed.book.outline, part.title)
    sections = below(chapter, printed.lesson.h1.find(string=True, recursive=False))
    headings = [heading.find(string=True) for heading in printed.lesson.select("h2")]
    assert [section.title for section in sections] == headings
    for section in sections:
        assert section.title in printed.sheets[printed.book.get_destination_page_number(section)]


@pytest.mark.nightly
def test_links_in_print_lead_into_the_book_or_to_the_web(printed):
    lesson, glossary = (
        next(i for i, sheet in enumerate(printed.sheets) if begins(article) in sheet)
        for article in (printed.lesson, printed.glossary)
    )
    addresses, reached = [], set()
    for number, page in enumerate(printed.book.pages):
        for reference in page.get("/Annots", ()):
            link = reference.get_object()
            if "/Dest" in link:
                to = printed.book.get_page_number(link["/Dest"][0].get_object())
                # Contents and front page lead to the glossary, the chapter to its words.
                reached |= {to} if lesson <= number < glossary <= to else set()
            else:
                addresses.append(link["/A"]["/URI"])
    assert all(address.startswith("https://") for address in addresses)
    terms = [
        printed.glossary.find(id=urldefrag(link["href"]).fragment).find(string=True).strip()
        for link in printed.lesson.select("a[href*='glossary.html#']")
    ]
    assert len(reached) > 1
    assert all(any(term in printed.sheets[sheet] for term in terms) for sheet in reached)


def test_a_browser_prints_what_is_folded_too(site, browser, tmp_path):
    page = browser.new_page()
    page.goto(f"{site}{CHAPTERS[2]}.html")
    figures = page.locator("details .course-figure .number").all_text_contents()
    assert figures
    page.pdf(path=tmp_path / "printed.pdf", format="A4")
    text = "".join(
        "".join(paper.extract_text().split()) for paper in PdfReader(tmp_path / "printed.pdf").pages
    )
    assert all("".join(figure.split()) in text for figure in figures)
    assert "Forgetmyprogress" not in text
    assert not page.locator("article details[open]").count()
    page.close()


def test_no_title_says_the_name_of_the_course_twice(site):
    titles = [parsed(f"{page}.html").title for page in [*PAGES, "index"]]
    assert all(title.string.count("From Recurrence to Attention") == 1 for title in titles)


@pytest.fixture(scope="module")
def search(site, browser):
    """Search from disk; return for each result its address, its title and its excerpt."""
    page = browser.new_page()

    def results(query):
        page.goto(f"{(HTML / 'search.html').as_uri()}?q={quote(query)}")
        page.locator(".search-summary:not(:empty)").wait_for(timeout=10_000)
        found = page.locator("#search-results li").evaluate_all(
            "(items) => items.map((item) => [item.querySelector('a').getAttribute('href'),"
            " item.querySelector('a').textContent, item.querySelector('p').textContent])"
        )
        return [SimpleNamespace(address=a, title=t, excerpt=e) for a, t, e in found]

    yield results
    page.close()


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("backpropagation", "ch01_rnn_basics/lesson.html"),
        (
            "backpropagation through time",
            "ch01_rnn_basics/lesson.html#back-propagation-through-time",
        ),
        ("back-propagation", "ch01_rnn_basics/lesson.html"),
        ("feedforward", "ch10_transformer_model/lesson.html"),
        ("feed-forward", "ch10_transformer_model/lesson.html"),
        ("warmup", "ch10_transformer_model/lesson.html#warm-up-and-label-smoothing"),
        ("prenorm", "ch10_transformer_model/lesson.html"),
        ("selfattention", "ch06_transformer_attention/lesson.html"),
        ("encoderdecoder", "ch04_bahdanau_attention/lesson.html"),
        ("encoder–decoder", "ch11_attention_tour/lesson.html"),
        ("positional", "ch07_positional_encoding_1/lesson.html"),
        ("scikitlearn", "ch01_rnn_basics/lesson.html"),
        ("add_weight", "ch03_custom_attention_layer/lesson.html#weights-build-and-add-weight"),
    ],
)
def test_search_finds_a_section_however_a_word_is_written(search, query, address):
    assert any(address in result.address for result in search(query))


def word_of_the_title(chapter):
    return max(parsed(f"{chapter}.html").h1.find(string=True).split(), key=len)


def test_search_finds_every_chapter_by_a_word_of_its_title(search):
    for chapter in CHAPTERS:
        word = word_of_the_title(chapter)
        assert any(chapter in result.address for result in search(word)), word


def test_search_works_from_a_server_too(site, browser):
    page = browser.new_page()
    page.goto(f"{site}search.html?q={quote(word_of_the_title(CHAPTERS[0]))}")
    page.locator(f"#search-results a[href*='{CHAPTERS[0]}']").first.wait_for(timeout=10_000)
    page.close()


@pytest.mark.parametrize("query", ["BPTT", "softmax", "mask", "positional encoding"])
def test_search_puts_the_lesson_before_its_exercises(search, query):
    addresses = [result.address for result in search(query)]
    exercises = [place for place, address in enumerate(addresses) if "/assignment.html" in address]
    assert exercises and "/lesson.html#exercises" not in addresses[0]
    assert any("/lesson.html" in address for address in addresses[: exercises[0]])


def test_search_shows_words_of_the_text_and_no_formula(search):
    results = [result for query in ("softmax", "hidden state") for result in search(query)]
    assert len(results) > 2 * len(CHAPTERS)
    for result in results:
        assert 20 < len(result.excerpt) < 300, result
        assert not re.search(r"\\[a-z]|[_^]\{|\$|\n", result.excerpt), result
    assert any("softmax" in result.excerpt for result in results)
    assert not search("zebra")


def test_a_reader_marks_what_is_done_and_the_browser_remembers(site, browser):
    """By keyboard and from disk; the sidebar and the front page show it until it is forgotten."""
    page = browser.new_context(viewport={"width": 1280, "height": 844}).new_page()
    status = page.locator(".course-progress [role=status]")

    def visit(name):
        page.goto((HTML / f"{name}.html").as_uri())

    def is_checked_after_reload():
        page.reload()
        return box.is_checked()

    lesson, exercises = CHAPTERS[1], ASSIGNMENTS[1]
    for name, control in ((lesson, "Mark this lesson"), (exercises, "Mark these exercises")):
        visit(name)
        box = page.get_by_role("checkbox", name=control)
        box.focus()
        page.keyboard.press("Space")
        assert status.inner_text().startswith("Done: 1 of")
        # On a busy machine Chromium loads the page again before it has stored what it was told.
        assert is_checked_after_reload() or is_checked_after_reload()
    sidebar = page.locator(".bd-docs-nav a:has(.done)")
    assert [link.split(" (")[1] for link in sidebar.all_text_contents()] == ["done)", "done)"]
    visit(TOC["root"])
    done = page.locator(".chapter-table td:has(.done)").all_text_contents()
    assert [cell.split()[1:] for cell in done] == [["min", "✓", "(done)"]] * 2
    minutes = [int(cell.split()[0]) for cell in done]
    everything = json.loads(page.locator("#minutes").text_content())
    left = round((sum(everything.values()) - sum(minutes)) / 60)
    assert f"takes about {left} hours" in status.inner_text()
    page.get_by_role("button", name="Forget my progress").click()
    assert not page.locator(".done").count()
    visit(lesson)
    assert not page.locator(".course-progress input").is_checked()
    page.context.close()


def test_a_lesson_says_how_much_of_it_is_left_to_read(site, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    page.goto(f"{site}{CHAPTERS[0]}.html")
    words = page.locator(".time-left").inner_text().split()
    assert words[0] == words[2] and int(words[0]) > 30
    page.locator(".course-progress").scroll_into_view_if_needed()
    page.get_by_text(re.compile("^[01] of")).wait_for(timeout=5_000)
    page.close()


@pytest.mark.parametrize("visit", [*CHAPTERS, *ASSIGNMENTS], indirect=True)
def test_download_button_leads_to_the_notebook_and_the_chapter(visit, site):
    """What students open, under a name that says which chapter it is, and all that it needs."""
    _, stem, page_name = visit.name.split("/")
    links = visit.page.locator(".dropdown-download-buttons a").evaluate_all(
        "(links) => links.map((link) => [link.href, link.download])"
    )
    (archive_link, no_name), (notebook_link, notebook_name) = links
    assert archive_link == f"{site}downloads/{stem}.zip" and not no_name
    assert notebook_link == f"{site}_sources/{visit.name}.ipynb"
    assert notebook_name == f"{stem[:4]}_{page_name}.ipynb"
    notebook = (ROOT / f"{visit.name}.ipynb").read_bytes()
    assert (HTML / "_sources" / f"{visit.name}.ipynb").read_bytes() == notebook
    with zipfile.ZipFile(HTML / "downloads" / f"{stem}.zip") as archive:
        assert archive.read(f"{stem}/{visit.name}.ipynb") == notebook


@pytest.mark.parametrize("visit", [CHAPTERS[0], ASSIGNMENTS[0]], indirect=True)
def test_download_button_gives_what_it_leads_to(visit, site):
    """On the pages of one chapter, since the button is the same on all."""
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 844})
    for ending in (".ipynb", ".zip"):
        # By the keyboard: a click waits for two frames in a row, which a busy machine may not draw.
        page.locator(".dropdown-download-buttons > button").press("Enter")
        link = page.locator(f".dropdown-download-buttons a[href$='{ending}']")
        file, name = link.evaluate("(link) => [link.href, link.download]")
        with page.expect_download() as download:
            link.press("Enter")
        page.keyboard.press("Escape")
        served = HTML / file.removeprefix(site)
        assert download.value.suggested_filename == (name or served.name)
        assert download.value.path().read_bytes() == served.read_bytes()


def test_the_start_page_hands_out_every_chapter(site, browser):
    start = parsed("book/start.html")
    links = [link["href"] for link in start.select(".chapter-downloads a[download]")]
    names = ["all_chapters", *(chapter.split("/")[1] for chapter in CHAPTERS)]
    assert links == [f"../downloads/{name}.zip" for name in names]
    for link in links:
        assert zipfile.is_zipfile(HTML / "book" / link)
    page = browser.new_page()
    page.goto(f"{site}{TOC['root']}.html")
    page.get_by_role("link", name="Start here").first.click()
    page.wait_for_url("**/book/start.html")
    page.close()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_citation_leads_to_the_references(site, chapter):
    """The page is made from the text of `book/`, not from the students' plain Markdown."""
    page = parsed(f"{chapter}.html")
    assert page.select("article a[href*='book/references.html#']")
    assert "{cite" not in page.article.get_text()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_lesson_and_its_notebook_number_tables_and_equations_alike(site, chapter):
    page = parsed(f"{chapter}.html")
    cells = nbformat.read(ROOT / f"{chapter}.ipynb", as_version=4).cells
    notebook = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    equations = [number.get_text() for number in page.select(".equation > .number")]
    assert equations == [f"Equation ({tag})" for tag in re.findall(r"\\tag\{(.*?)\}", notebook)]
    assert len(equations) >= 3
    tables = [number.get_text().strip() for number in page.select("caption > .caption-number")]
    assert tables == re.findall(r"^\*\*(Table .*?)\*\*", notebook, re.MULTILINE)


def test_a_reference_links_back_to_the_sections_that_cite_it(site):
    name = "book/references.html"
    citing, links_back = set(), 0
    for entry in parsed(name).select(".citation"):
        for link in entry.select(".cited-in a"):
            page, anchor = urldefrag(urljoin(name, link["href"]))
            citing.add(page)
            citation = parsed(page).find(id=anchor)
            assert any(
                urldefrag(urljoin(page, cited["href"])) == (name, entry["id"])
                for cited in citation.select("a")
            )
            section = citation.find_parent("section").find(re.compile("h[1-6]"))
            (chapter,) = re.findall(r"chapter (\d+), ", link.get_text())
            assert page == f"{CHAPTERS[int(chapter) - 1]}.html"
            assert link.get_text().split(", ", 1)[1] in section.get_text()
            links_back += 1
    assert citing == {f"{chapter}.html" for chapter in CHAPTERS}
    assert links_back > 2 * len(CHAPTERS)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.sentence)
def test_a_fact_of_the_literature_is_on_its_page(site, fact):
    assert shown(fact), f"book/{fact.chapter}.md does not print: {fact.sentence}"


def test_what_only_stands_in_the_text_of_a_page_is_no_fact_that_it_prints(site):
    article = (HTML / "notebooks/ch10_transformer_model/lesson.html").read_text(encoding="utf-8")
    assert "65 million" in article
    assert shown(Fact("ch10_transformer_model", "The paper's count.", printed="65 million")) is None


@pytest.mark.parametrize("stem", chapter_stems())
def test_feedback_leads_to_sections_that_are_there(site, stem):
    page = parsed(f"notebooks/{stem}/lesson.html")
    for exercise in load_chapter(stem).exercises:
        assert page.find("section", id=make_id(exercise.lesson)), exercise.lesson


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_lesson_and_its_exercises_lead_to_each_other(site, chapter):
    """And the exercises to the pages that say where they are solved."""
    exercises = chapter.replace("/lesson", "/assignment")
    links = {}
    for page in (chapter, exercises):
        soup = parsed(f"{page}.html")
        links[page] = {urljoin(f"{page}.html", a["href"]) for a in soup.article.select("a[href]")}
        sections = soup.select("article section[id^=exercise-]")
    assert len(sections) == len(load_chapter(chapter.split("/")[1]).exercises)
    for section in sections:
        assert f"{exercises}.html#{section['id']}" in links[chapter]
    assert any(link.startswith(f"{chapter}.html#") for link in links[exercises])
    assert {"book/start.html", "book/students.html"} <= links[exercises]


def test_the_index_is_linked_from_every_page(visit):
    index = visit.page.locator(".bd-sidebar-primary nav[aria-label=Index] a")
    assert index.evaluate("(link) => link.href").endswith(("/genindex.html", "/genindex.html#"))


def test_every_page_is_in_the_contents():
    pages = {f"book/{path.stem}" for path in (ROOT / "book").glob("*.md")}
    lessons = {f"book/{stem}" for stem in chapter_stems()}
    assert pages - lessons == {page for page in PAGES if page.startswith("book/")}


def test_every_page_is_linked_from_the_text_of_another(site):
    linked = set()
    for page in [*PAGES, *ASSIGNMENTS]:
        soup = parsed(f"{page}.html")
        for link in soup.article.select("a[href]"):
            target = urldefrag(urljoin(f"/{page}.html", link["href"])).url
            if target != f"/{page}.html":
                linked.add(target.removeprefix("/").removesuffix(".html"))
    assert {*PAGES, *ASSIGNMENTS} - linked <= {TOC["root"]}


def test_the_map_and_the_table_lead_to_every_chapter(site):
    front = parsed(f"{TOC['root']}.html")
    for part in (".course-map svg a", "table a"):
        targets = [urljoin(f"{TOC['root']}.html", a["href"]) for a in front.article.select(part)]
        assert targets == [f"{chapter}.html" for chapter in CHAPTERS]
    assert all(link["aria-label"] for link in front.select(".course-map svg a"))


def test_a_drawing_on_the_map_is_a_link_for_mouse_and_keyboard(site, browser):
    page = browser.new_page()
    for follow in (lambda link: link.click(), lambda link: link.press("Enter")):
        page.goto(f"{site}{TOC['root']}.html")
        follow(page.locator(".course-map svg a").nth(1))
        page.wait_for_url(f"{site}{CHAPTERS[1]}.html")
    page.close()


@pytest.fixture
def alignment(site, browser):
    """Return a function that opens the front page and gives its figure that moves."""
    contexts = []

    def open_front_page(**options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.clock.install(time=0)
        page.clock.pause_at(1)  # a busy machine lets real time pass between two steps of a test
        page.goto(f"{site}{TOC['root']}.html")
        figure = page.locator("figure.alignment")
        figure.locator("svg").scroll_into_view_if_needed()
        return figure

    yield open_front_page
    for context in contexts:
        context.close()


def rows_seen(figure):
    """Return how many rows of the map can be seen; each fades in."""
    return figure.locator(".row").evaluate_all(
        """(rows) => {
          for (const movement of document.getAnimations()) movement.finish();
          return rows.filter((row) => getComputedStyle(row).opacity === "1").length;
        }"""
    )


def test_the_alignment_is_written_token_by_token_until_it_is_paused(alignment):
    figure = alignment()
    button = figure.get_by_role("button", name="Pause")
    button.wait_for()  # it starts by itself
    seen = []
    for _ in range(3):
        seen.append(rows_seen(figure))
        figure.page.clock.run_for(1100)
    assert seen == [1, 2, 3]
    assert figure.locator(".now").count() == 1
    lit = figure.locator(".lights rect").evaluate_all(
        "(lights) => lights.map((light) => Number(light.style.opacity))"
    )
    weights = load_alignment()["weights"][3]
    assert np.argmax(lit) == np.argmax(weights) and np.argsort(lit)[0] == np.argmin(weights)
    button.press("Enter")
    figure.page.clock.run_for(5000)
    assert rows_seen(figure) == 4
    figure.get_by_role("slider").press("ArrowRight")
    assert rows_seen(figure) == 5
    # Paper has the whole map, whatever the screen shows.
    figure.page.emulate_media(media="print")
    assert rows_seen(figure) == figure.locator(".row").count()
    figure.page.emulate_media(media="screen")
    figure.get_by_role("button", name="Play").press("Enter")
    figure.page.clock.run_for(60_000)
    assert rows_seen(figure) == figure.locator(".row").count()
    assert figure.get_by_role("button", name="Play").is_visible()


def test_the_alignment_stands_still_for_those_who_want_no_movement(alignment):
    figure = alignment(reduced_motion="reduce")
    figure.page.clock.run_for(5000)
    assert rows_seen(figure) == figure.locator(".row").count() > 0
    assert figure.get_by_role("slider").is_visible()
    assert not figure.get_by_role("button").is_visible()


def test_the_alignment_is_whole_without_javascript(alignment):
    figure = alignment(java_script_enabled=False)
    assert rows_seen(figure) == figure.locator(".row").count() > 0
    assert not figure.get_by_role("slider").is_visible()


def test_the_table_has_the_points_and_minutes_of_the_chapters(site):
    front = parsed(f"{TOC['root']}.html")
    rows = [[cell.get_text() for cell in row.select("td")] for row in front.table.select("tr")]
    for number, stem in enumerate(chapter_stems(), start=1):
        (row,) = [row for row in rows if row and row[0].startswith(f"{number}\xa0·\xa0")]
        exercises = load_chapter(stem).exercises
        assert row[3] == f"{sum(exercise.minutes for exercise in exercises)} min"
        assert row[4] == f"{sum(exercise.points for exercise in exercises):g}"
        text = " ".join(parsed(f"notebooks/{stem}/lesson.html").article.get_text().split())
        assert f"takes about {row[2].removesuffix(' min')} minutes" in text


def test_a_plan_that_promises_every_chapter_has_every_chapter():
    page = (ROOT / "book" / "instructors.md").read_text(encoding="utf-8")
    plans = re.findall(r"^```\{course-plan\}\n(:every:\n\n)?([^`]*)^```", page, re.MULTILINE)
    assert [bool(every) for every, _ in plans] == [True, False, True]
    env = SimpleNamespace(docname="book/instructors")
    document = SimpleNamespace(settings=SimpleNamespace(env=env))
    state = SimpleNamespace(document=document, nested_parse=lambda *arguments: None)
    machine = SimpleNamespace(reporter=None)
    every_chapter = plans[0][1].strip().splitlines()
    plan = CoursePlan("", [], {"every": None}, every_chapter, 1, 0, "", state, machine)
    plan.content_nodes()
    last = len(plan.content)
    plan.content = [line for line in every_chapter if "[4]" not in line and f"[{last}]" not in line]
    with pytest.raises(CourseError, match=f"in no week of this plan: chapters 4, {last}$"):
        plan.content_nodes()
    plan.options = {}
    plan.content_nodes()


def test_the_glossary_is_in_alphabetical_order_and_its_terms_are_linked_once_a_chapter():
    terms = list(glossary())
    assert terms == sorted(terms, key=str.casefold)
    for stem in chapter_stems():
        text = (ROOT / "book" / f"{stem}.md").read_text(encoding="utf-8")
        roles = re.findall(r"\{term\}`(?:[^`<]*<)?([^`>]+)>?`", text)
        linked = [term.casefold() for term in roles]
        assert linked and len(linked) == len(set(linked)), stem


def test_no_link_is_dead(site):
    """Every address on the site leads to a file that is there, every anchor to an element."""
    pages = {
        HTML / f"{page}.html": parsed(f"{page}.html") for page in [*PAGES, *ASSIGNMENTS, *OTHERS]
    }
    anchors = {
        path: {element["id"] for element in soup.select("[id]")} for path, soup in pages.items()
    }
    dead = set()
    for path, soup in pages.items():
        here = path.relative_to(HTML).as_posix()
        for element in soup.select("[href], [src]"):
            address = element.get("href") or element.get("src") or ""
            if urlsplit(address).scheme or address in ("", "#"):
                continue
            file, anchor = urldefrag(address)
            # The Chinese edition lies beside the site.
            beside = Path(os.path.normpath(path.parent / unquote(urlsplit(file).path)))
            target = beside if file else path
            found = target.is_file()
            if found and anchor and target in pages:
                found = unquote(anchor) in anchors[target]
            if not found:
                dead.add(f"{here}: {address}")
    assert not dead
