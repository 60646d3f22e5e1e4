"""Bring the catalogues of the translations into step with the English sources.

    python -m bookext.catalogues

What is new in a page gets an empty entry. What has changed keeps its translation, marked fuzzy, and
is shown in English until somebody has read it again. Run it after `make book`: of the words in a
lesson's code, those are to be translated that its figures show.
"""

import ast
import html
import io
import itertools
import json
import re
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import yaml
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from bookext.folds import PURPOSE
from bookext.front_page.course_map import names

from autograder.building.lessons import page_notebook
from autograder.course import chapters
from autograder.course.chapters import load_chapter, read_source
from autograder.course.variants import load_variants
from autograder.course_error import CourseError
from autograder.files import replace_file
from autograder.reports.pages import TEMPLATES
from autograder.reports.words import CLAUSES, INSTRUCTORS_FLAGS, NEXT_STEPS, NOTICES, OUTCOMES
from autograder.results import Flag
from autograder.translation.catalogue import SHARED, catalogue_path, kit_catalogue_path
from autograder.translation.markdown_messages import glossary_entries, messages
from coursekit.checks.wording import FRAMES
from coursekit.languages import LOCALES, pattern_of

# The pages around the chapters that are translated.
PAGES = ("book/intro", "book/start", "book/students", "book/notation", "book/references")
GLOSSARY = "book/glossary"
_TERM = re.compile(r"\{term\}`(?:[^`<]*<)?([^`<>]+?)>?`")
_FIGURE = re.compile(r'<figure class="course-figure".*?</figure>', re.DOTALL)
_DRAWN = re.compile(r'<text[^>]*>([^<]*)</text>|aria-label="([^"]*)"|<label[^>]*>([^<]*)')
_DATA = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
_JAVASCRIPT = re.compile(r'\btranslate\(\s*"((?:[^"\\]|\\.)*)"')
# What the words of code are in front of a reader, whatever is drawn: by argument.
_TEXT_ARGUMENTS = {"caption", "alt"}
# A single letter is a symbol, and "am" one of the words that a lesson computes with.
_HAS_WORD = re.compile("[A-Za-z]{3}")
# A new word is like another one by chance; a paragraph is not.
_SHORT = 60
# Folds that many pages have; the others are messages of their page.
_FOLDS = ("Answer", "Hint", "Predict.", "Exercises")

# Git knows when a catalogue was changed; a date in it would differ at every run.
_NO_DATE = datetime(2026, 1, 1, tzinfo=timezone.utc)


def translated_chapters() -> list[str]:
    """Return the chapters whose lesson has a catalogue in some language."""
    return [
        stem
        for stem in chapters.chapter_stems()
        if any(catalogue_path(f"notebooks/{stem}/lesson", one).exists() for one in LOCALES.values())
    ]


def page_messages() -> dict[str, list[str]]:
    """Return what is to be translated of each page, by its name in Sphinx."""
    found = [*_FOLDS, *_contents(), *names(), *_purposes()]
    found += [*_said("book/_ext", "autograder/building", "autograder/reports")]
    found += [*_feedback(), *javascript_messages()]
    shared = list(dict.fromkeys(found))
    pages = {page: messages(_source(page)) for page in PAGES}
    for stem in translated_chapters():
        lesson = [cell for cell in page_notebook(stem).cells if cell.cell_type == "markdown"]
        pages[f"notebooks/{stem}/lesson"] = [m for cell in lesson for m in messages(cell.source)]
        pages[f"notebooks/{stem}/assignment"] = list(_assignment(stem))
    texts = [_source(page) for page in PAGES[:3]]
    texts += [read_source(chapters.ROOT / "book" / f"{stem}.md") for stem in translated_chapters()]
    pages[GLOSSARY] = list(_glossary(texts))
    pages = {
        page: [message for message in dict.fromkeys(found) if message not in shared]
        for page, found in pages.items()
    }
    return {SHARED: shared, **pages}


def _source(page: str) -> str:
    return read_source(chapters.ROOT / f"{page}.md")


def _assignment(stem: str) -> Iterator[str]:
    chapter = load_chapter(stem)
    yield from messages(chapter.opening)
    for exercise in chapter.exercises:
        yield exercise.title
        yield from messages(exercise.text)
    for kind, text in chapter.closing:
        if kind == "markdown":
            yield from messages(text)


def _glossary(texts: list[str]) -> Iterator[str]:
    """Yield what stands before the glossary, and the entries that the texts lead to."""
    opening, _, rest = _source(GLOSSARY).partition("```{glossary}\n")
    yield from messages(opening)
    entries = list(glossary_entries(rest.partition("\n```")[0]))
    used = {term.lower() for text in texts for term in _terms(text)}
    while True:
        chosen = [entry for entry in entries if used.intersection(map(str.lower, entry[0]))]
        further = {term.lower() for _, definition in chosen for term in _terms(definition)}
        if further <= used:
            break
        used |= further
    for terms, definition in chosen:
        yield from terms
        yield definition


def _terms(text: str) -> list[str]:
    return [" ".join(term.split()) for term in _TERM.findall(text)]


def _contents() -> Iterator[str]:
    """Yield the titles that stand in the table of contents, and the course's own."""
    yield yaml.safe_load((chapters.ROOT / "_config.yml").read_text(encoding="utf-8"))["title"]
    for part in chapters.parts():
        yield from filter(None, [part.caption, *(page.title for page in part.pages)])


def _purposes() -> Iterator[str]:
    """Yield what a cell's first comment says that it does; the bar that unfolds it says so, too."""
    for stem in translated_chapters():
        for cell in page_notebook(stem).cells:
            if cell.cell_type == "code" and (purpose := PURPOSE.match(cell.source)):
                yield purpose[1]


def _said(*folders: str) -> Iterator[str]:
    """Yield what is given to `translate` in the code of some folders."""
    for folder in folders:
        for path in sorted((chapters.ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and ast.unparse(node.func) == "translate"
                    and node.args
                ):
                    if isinstance(node.args[0], ast.Constant):
                        yield str(node.args[0].value)


def _feedback() -> Iterator[str]:
    """Yield what a student's feedback says: what its template has, and its sentences."""
    template = TEMPLATES.joinpath("feedback.html.j2").read_text(encoding="utf-8")
    yield from (json.loads(f'"{words}"') for words in _JAVASCRIPT.findall(template))
    for heading, text in NOTICES.values():
        yield heading
        yield text
    yield from (words for words, _, _ in OUTCOMES.values())
    yield from NEXT_STEPS.values()
    yield from (flag.value for flag in Flag if flag not in INSTRUCTORS_FLAGS)
    yield from CLAUSES


def javascript_messages() -> list[str]:
    """Return what the site's scripts say."""
    scripts = [*(chapters.ROOT / "book").rglob("*.js")]
    texts = [path.read_text(encoding="utf-8") for path in sorted(scripts)]
    return [json.loads(f'"{words}"') for text in texts for words in _JAVASCRIPT.findall(text)]


def mistake_messages() -> list[str]:
    """Return the sentences that name mistakes in the translated chapters, and what must raise."""
    found: list[str] = []
    for stem in translated_chapters():
        found += [variant.mistake for variant in load_variants(stem) if variant.mistake]
        found += _because(f"coursekit/checks/{stem}.py") + _because(f"autograder/hidden/{stem}.py")
    return list(dict.fromkeys(found))


def _because(path: str) -> list[str]:
    tree = ast.parse((chapters.ROOT / path).read_text(encoding="utf-8"))
    return [
        str(keyword.value.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "because" and isinstance(keyword.value, ast.Constant)
    ]


def figure_messages(site: Path) -> list[str]:
    """Return the words of the figures, as the code has them that draws them.

    `site` has the lessons' pages: a text of the code is a message when a figure there shows it.
    """
    found: list[str] = []
    for stem in translated_chapters():
        drawn = _drawn(site / "notebooks" / stem / "lesson.html")
        for text, is_shown in _texts(stem):
            pattern = re.compile(pattern_of(text), re.DOTALL)
            matches = list(filter(None, map(pattern.fullmatch, drawn)))
            if is_shown or matches:
                found.append(text)
            # What fills a field may be a text of the code itself.
            drawn.update(value for match in matches for value in match.groups())
    return [text for text in dict.fromkeys(found) if _HAS_WORD.search(text)]


def _drawn(page: Path) -> set[str]:
    if not page.exists():
        raise CourseError(f"{page} is missing; run `make book` first")
    shown: set[str] = set()
    for figure in _FIGURE.findall(page.read_text(encoding="utf-8")):
        for content in _DATA.findall(figure):
            data = json.loads(content)
            figure += "".join(f"{tag}</text>" for tag in data["tags"] if tag.startswith("<text"))
            shown.update(data["alts"], *data["texts"])
        shown.update(html.unescape("".join(words)) for words in _DRAWN.findall(figure))
    return shown


def _texts(stem: str) -> Iterator[tuple[str, bool]]:
    """Yield the texts in a lesson's code, with fields for what is computed; say which are shown."""
    for cell in page_notebook(stem).cells:
        if cell.cell_type == "code" and "figures." in cell.source:
            tree = ast.parse(cell.source)
            captions = {
                id(keyword.value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Call)
                for keyword in node.keywords
                if keyword.arg in _TEXT_ARGUMENTS
            }
            inside: set[int] = set()
            for node in ast.walk(tree):  # a sum is met before its parts
                if id(node) in inside or not (parts := _parts(node)):
                    continue
                inside.update(map(id, _pieces(node)))
                yield _with_fields(parts), id(node) in captions or _is_label(parts)


def _parts(node: ast.AST) -> list[str | None]:
    """Return the pieces of a text in code, None for each that is computed; [] if it is no text."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return [str(p.value) if isinstance(p, ast.Constant) else None for p in node.values]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _parts(node.left), _parts(node.right)
        return (left or [None]) + (right or [None]) if left or right else []
    return []


def _pieces(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that `_parts` looks into; what is computed may hold texts of its own."""
    yield node
    if isinstance(node, ast.JoinedStr):
        yield from (part for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.BinOp):
        for part in (node.left, node.right):
            if _parts(part):
                yield from _pieces(part)


def _is_label(parts: list[str | None]) -> bool:
    """Say whether a text is a word beside a formula, which a figure draws as outlines."""
    text = "".join(filter(None, parts))
    return "$" in text and re.search("[a-z]{3}", re.sub(r"\$.*?\$", "", text)) is not None


def _with_fields(parts: list[str | None]) -> str:
    fields = itertools.count(1)
    return "".join(f"{{{next(fields)}}}" if part is None else part for part in parts)


def update(path: Path, found: list[str], locale: str) -> bool:
    """Bring a catalogue into step with the messages; say whether it changed."""
    template = Catalog()
    for message in found:
        template.add(message)
    if path.exists():
        before = path.read_bytes()
        catalog = read_po(io.BytesIO(before), locale=locale)
    else:
        before, catalog = b"", Catalog(locale=locale, fuzzy=False)
    catalog.update(template, update_header_comment=False)
    for entry in catalog:
        # A mark of Babel's, by which a percent sign in a text would be a field.
        entry.flags -= {"python-format", "python-brace-format"}
        if entry.fuzzy and len(entry.id) < _SHORT:
            entry.flags, entry.string = set(), ""
    catalog.header_comment = f"# {path.stem} in {locale}; see book/locale/README.md"
    catalog.project, catalog.copyright_holder = "From Recurrence to Attention", ""
    catalog.msgid_bugs_address, catalog.last_translator, catalog.language_team = "", "", ""
    catalog.version = ""
    catalog.revision_date = catalog.creation_date = _NO_DATE
    file = io.BytesIO()
    write_po(file, catalog, width=100, omit_header=False, ignore_obsolete=False)
    if file.getvalue() == before:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, file.getvalue())
    return True


def main(site: Path) -> None:
    """Bring every catalogue into step and print the paths of those that changed."""
    pages, figures = page_messages(), figure_messages(site)
    for locale in LOCALES.values():
        catalogues = {catalogue_path(page, locale): found for page, found in pages.items()}
        catalogues[kit_catalogue_path("coursekit", locale)] = list(
            dict.fromkeys([*FRAMES, *_said("coursekit")])
        )
        catalogues[kit_catalogue_path("mistakes", locale)] = mistake_messages()
        catalogues[kit_catalogue_path("figures", locale)] = figures
        for path, found in catalogues.items():
            if update(path, found, locale):
                print(path.relative_to(chapters.ROOT))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else chapters.ROOT / "_build" / "html")
    except CourseError as error:
        sys.exit(str(error))
