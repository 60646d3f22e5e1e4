"""The messages of a page: what there is to translate in its Markdown, found and replaced.

Sphinx's own gettext reads no notebook: it hands each translated paragraph to the parser of the
page, which expects a notebook then. So the paragraphs are replaced in the Markdown, before Sphinx
or a student's notebook is made from it. A message is the text of a heading, a paragraph, a cell of
a table, a title or a fold, in one line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from autograder.course_error import CourseError

_OPTION = re.compile(r":[\w-]+:")
_CAPTION = re.compile(r"(:caption:\s+)(.+)")
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}\s*(?P<argument>.*)")
_SUMMARY = re.compile(r"(<summary>)(.*?)(</summary>)")
_GIVES = re.compile(r"(\s*gives:\s+)(.+)")
# The argument of these is text; that of the others names something.
_TITLED = {"admonition", "dropdown", "grid-item-card", "note", "table", "tip", "warning"}
_VERBATIM = {"bibliography", "chapter-downloads", "code-block", "course-plan", "math"}
_ONE_PARAGRAPH = {"alignment", "course-map"}
# Code, formulas, roles and addresses, which are alike in every language.
_ALIKE = re.compile(r"\{[\w:-]+\}(?=`)|`+[^`]+`+|\$[^$]*\$|<[^>]*>|\]\([^)]*\)|&\w+;")

Translate = Callable[[str], str]


def messages(text: str) -> list[str]:
    """List what there is to translate in a page or a cell of Markdown, in its order."""
    found: list[str] = []

    def note(message: str) -> str:
        found.append(message)
        return message

    reworded(text, note)
    return found


def reworded(text: str, translate: Translate) -> str:
    """Return Markdown with each of its messages replaced by what `translate` makes of it."""
    lines = text.split("\n")
    edits: list[tuple[int, int, list[str]]] = []
    cells: dict[int, list[str]] = {}
    opening: Token | None = None
    for token in _parser().parse(text):
        if token.map is None:
            opening = token
            continue
        start, end = token.map
        if token.type == "inline" and opening and opening.type in ("td_open", "th_open"):
            cells.setdefault(start, []).append(token.content)
        elif token.type == "inline":
            edits.append((start, end, _paragraph(lines, start, token.content, translate)))
        elif token.type in ("fence", "colon_fence"):
            edits.append((start, end, _fence(lines[start:end], token, translate)))
        elif token.type == "html_block":
            edits.append((start, end, [_fold(line, translate) for line in lines[start:end]]))
        opening = token
    edits += [
        (line, line + 1, [_row(lines[line], of_row, translate)]) for line, of_row in cells.items()
    ]
    for start, end, new in sorted(edits, reverse=True):
        lines[start:end] = new
    return "\n".join(lines)


@cache
def _parser() -> MarkdownIt:
    extensions = "amsmath attrs_block attrs_inline colon_fence deflist dollarmath substitution"
    config = MdParserConfig(enable_extensions=set(extensions.split()))
    return create_md_parser(config, RendererHTML)


def _translated(message: str, translate: Translate) -> str:
    """Translate a message unless nothing in it is a word."""
    return translate(message) if re.search(r"[^\W\d_]", _ALIKE.sub("", message)) else message


def _paragraph(lines: list[str], start: int, content: str, translate: Translate) -> list[str]:
    first = lines[start]
    place = first.find(content.split("\n")[0])
    if place < 0:
        raise CourseError(
            f"the beginning of the paragraph {content[:60]!r} is not found in {first!r}"
        )
    message = " ".join(content.split())
    new = _translated(message, translate)
    if new == message:
        return lines[start : start + content.count("\n") + 1]
    return [first[:place] + new]


def _row(line: str, of_row: list[str], translate: Translate) -> str:
    done = ""
    for content in filter(None, of_row):
        source = content if content in line else content.replace("|", "\\|")
        before, found, line = line.partition(source)
        done += before + (_translated(content, translate).replace("|", "\\|") if found else "")
    return done + line


def _fold(line: str, translate: Translate) -> str:
    return _SUMMARY.sub(lambda found: found[1] + _translated(found[2], translate) + found[3], line)


def _fence(lines: list[str], token: Token, translate: Translate) -> list[str]:
    head, body = lines[0], lines[1:]
    closing = body[-1:] if body and body[-1].strip(" >") == token.markup else []
    body = body[: len(body) - len(closing)]
    place = head.find(token.markup)
    indent = re.sub(r"[^>\s]", " ", head[:place])
    directive = _DIRECTIVE.fullmatch(token.info.strip())
    name, argument = (directive["name"], directive["argument"]) if directive else ("", "")
    if token.type == "fence" and not directive:
        return lines
    if name in _TITLED and argument:
        head = head.replace(argument, _translated(argument, translate))
    inner = [line[len(indent) :] if line.startswith(indent) else line.lstrip(" >") for line in body]
    options = 0
    while options < len(inner) and _OPTION.match(inner[options].strip()):
        caption = _CAPTION.fullmatch(inner[options])
        if caption:
            inner[options] = caption[1] + _translated(caption[2], translate)
        options += 1
    content = _content(name, "\n".join(inner[options:]), translate)
    inner[options:] = content.split("\n") if inner[options:] else []
    return [head, *((indent + line).rstrip() for line in inner), *closing]


def _content(name: str, text: str, translate: Translate) -> str:
    if name in _VERBATIM or not text.strip():
        return text
    if name in _ONE_PARAGRAPH:
        return _translated(" ".join(text.split()), translate)
    if name == "chapter-table":
        return _GIVES.sub(lambda found: found[1] + _translated(found[2], translate), text)
    if name == "glossary":
        return "\n\n".join(_entry(*entry, translate) for entry in glossary_entries(text))
    return reworded(text, translate)


def glossary_entries(text: str) -> Iterator[tuple[list[str], str]]:
    """Read a glossary's terms and their definition in one line, entry by entry."""
    terms: list[str] = []
    for block in re.split(r"\n(?=\S)", text.strip("\n")):
        term, *definition = block.split("\n")
        terms.append(term.strip())
        if definition:
            yield terms, " ".join("\n".join(definition).split())
            terms = []


def _entry(terms: list[str], definition: str, translate: Translate) -> str:
    """Name a term in both languages, so that a page in either finds it."""
    names = list(dict.fromkeys([*map(translate, terms), *terms]))
    return "\n".join([*names, f"  {translate(definition)}"])
