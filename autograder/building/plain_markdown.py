"""From MyST to the Markdown that JupyterLab shows: roles and directives become text and links.

The pages of `book/` are written for the site. JupyterLab would show a student `{cite}` and
`:::{note}` as they were typed. What has no plain form stops the release with one line.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import normpath
from typing import Any, NoReturn

from markdown_it import MarkdownIt
from myst_parser.mdit_to_docutils.base import default_slugify
from nbformat import NotebookNode
from pybtex.database import parse_file
from pybtex.richtext import Text

from autograder.building import figure_numbers
from autograder.course import chapters
from autograder.course.chapters import chapter_stems, read_source
from autograder.course_error import CourseError
from autograder.translation.catalogue import catalogue_of, language, translate, translate_markdown
from autograder.translation.markdown_messages import glossary_entries
from coursekit.languages import ENGLISH

_FENCE = re.compile(r"(?P<marks>`{3,}|~{3,}|:{3,})\s*(?:\{(?P<name>[^}]+)\})?(?P<rest>.*)")
_OPTION = re.compile(r":(?P<name>[\w-]+):(?:\s+(?P<value>.*))?")
_TARGET = re.compile(r"\((?P<label>[^()\s]+)\)=")
_ATTRIBUTES = re.compile(r"\{[.#][^}`]*\}")
# A role is code with a name in front of it; code comes first, so that nothing in it is converted.
_INLINE = re.compile(
    r"(?:\{(?P<role>[a-zA-Z][\w:+-]*)\})?(?<!`)(?P<ticks>`+)(?!`)(?P<content>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|\$\$(?P<formula>[^$]+)\$\$[ \t]*\((?P<equation>[\w:-]+)\)"
    r"|(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+)\)"
    r"|\[(?P<span>[^\[\]]+)\](?=\{[.#])",
    re.DOTALL,
)
_TITLE_AND_TARGET = re.compile(r"(?P<title>.+?)\s*<(?P<target>[^<>]+)>", re.DOTALL)
_ADMONITIONS = {
    *("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"),
    *("admonition", "margin", "seealso", "sidebar", "topic"),
}
_TITLES = {"seealso": "See also", "admonition": "", "margin": "", "sidebar": "", "topic": ""}


@dataclass(frozen=True)
class Page:
    """What references to one page of `book/` can lead to.

    ``headings`` gives the text of a heading for its anchor on the site (`three-steps-by-hand`),
    ``labels`` the heading that follows a label.
    """

    headings: dict[str, str]
    labels: dict[str, str]


def read_page(path: Path) -> Page:
    """Find the headings and the labelled headings of a page; their text as it is read now."""
    said = catalogue_of(f"notebooks/{path.stem}/lesson")
    return Page(
        *(
            {target: said.get(heading, heading) for target, heading in targets.items()}
            for targets in _targets(read_source(path))
        )
    )


@cache  # every reference to another page asks for it
def _targets(text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the heading behind each anchor of a page, and behind each label."""
    tokens = MarkdownIt().parse(text)
    headings = [
        inline.content
        for opening, inline in zip(tokens, tokens[1:], strict=False)
        if opening.type == "heading_open"
    ]
    labelled = re.finditer(rf"^{_TARGET.pattern}\s+#+ +(?P<heading>.+)$", text, re.MULTILINE)
    return (
        {default_slugify(heading): heading for heading in headings},
        {found["label"]: found["heading"].strip() for found in labelled},
    )


def plain_cells(stem: str, cells: Iterable[NotebookNode]) -> str:
    """Convert the Markdown cells of a lesson in place; return the glossary that they refer to.

    The glossary is Markdown for a last cell, and empty when no term was linked. Raises
    `CourseError` for a role, a directive or a link that has no plain form.
    """
    converter = _Converter(stem)
    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = converter.convert(cell.source)
    return converter.glossary()


class _Converter:
    def __init__(self, stem: str) -> None:
        self._stem = stem
        self._file = f"book/{stem}.md"
        self._page = read_page(chapters.ROOT / self._file)
        self._linked_terms: dict[str, bool] = {}

    def convert(self, text: str) -> str:
        """Convert the text of one cell."""
        return self._blocks(text).strip("\n")

    def glossary(self) -> str:
        """Define the terms that were linked, in alphabetical order."""
        # A definition may link further terms, which are then defined, too.
        defined: dict[str, str] = {}
        while missing := self._linked_terms.keys() - defined:
            for term in missing:
                defined[term] = self._inline(glossary()[term])
        if not defined:
            return ""
        lines = [f"- **{term}**: {defined[term]}" for term in sorted(defined, key=str.lower)]
        return f"## {translate('Glossary')}\n\n" + "\n".join(lines)

    def _refuse(self, what: str) -> NoReturn:
        raise CourseError(f"{self._file}: {what}")

    # --- blocks ----------------------------------------------------------------------------------

    def _blocks(self, text: str) -> str:
        """Convert line by line: prose, code, which stays, and directives."""
        lines = text.split("\n")
        done: list[str] = []
        prose: list[str] = []

        def end_prose() -> None:
            if prose:
                done.append(self._inline("\n".join(prose)))
                prose.clear()

        position = 0
        while position < len(lines):
            line = lines[position]
            indent = line[: len(line) - len(line.lstrip())]
            stripped = line.strip()
            position += 1
            fence = _FENCE.fullmatch(stripped)
            # Backticks before and in a line are code in the text; after colons they are a role.
            if fence and not (fence["marks"][0] == "`" and "`" in fence["rest"]):
                end = position
                while end < len(lines) and not _closes(lines[end].strip(), fence["marks"]):
                    end += 1
                body = textwrap.dedent("\n".join(lines[position:end]))
                position = end + 1
                end_prose()
                if fence["name"] or fence["marks"].startswith(":"):
                    body = self._directive(fence["name"], fence["rest"].strip(), body)
                else:
                    body = f"{stripped}\n{body}\n{fence['marks']}"
                done.append(textwrap.indent(body, indent))
            elif _TARGET.fullmatch(stripped) or _ATTRIBUTES.fullmatch(stripped):
                end_prose()
            elif stripped != "%" and not stripped.startswith("% "):
                prose.append(line)
            elif prose and prose[-1].strip():
                self._refuse(
                    f"the line '{stripped[:40]}' begins with %, which makes it a comment; "
                    "break the paragraph elsewhere"
                )
        end_prose()
        return "\n".join(done)

    def _directive(self, name: str | None, argument: str, body: str) -> str:
        options, body = _options(body)
        argument = self._inline(argument)
        classes = options.get("class", "").split()
        if name == "math":
            return self._equation(body.strip(), options.get("label"))
        if name == "table":
            return self._table(argument, options.get("name", ""), body)
        if name == "dropdown" or (name in _ADMONITIONS and "dropdown" in classes):
            title = argument or _TITLES.get(name, name.capitalize()) or "More"
            title = MarkdownIt().renderInline(title)  # JupyterLab reads no Markdown in a summary
            return f"<details><summary>{title}</summary>\n\n{self._blocks(body)}\n\n</details>"
        if name in _ADMONITIONS:
            # Only the generic ones take their title from the argument; the rest start their text.
            title = _TITLES.get(name, name.capitalize())
            if name in ("admonition", "sidebar", "topic"):
                title, argument = argument, ""
            start = f"**{title}**\n\n" if title else ""
            text = "\n\n".join(filter(None, (argument, self._blocks(body).strip("\n"))))
            return textwrap.indent(start + text, "> ", lambda line: True).replace("> \n", ">\n")
        if name in (None, "div"):
            return self._blocks(body)
        return self._refuse(
            f"the directive {{{name}}} has no plain form for the students' notebook; "
            "use an admonition, dropdown or math, or add it to "
            "autograder/building/plain_markdown.py"
        )

    def _equation(self, formula: str, label: str | None) -> str:
        tag = f" \\tag{{{figure_numbers.numbers(self._stem)[label]}}}" if label else ""
        return f"$$\n{formula.strip()}{tag}\n$$"

    def _table(self, caption: str, label: str, body: str) -> str:
        number = figure_numbers.numbers(self._stem).get(label)
        if not caption or not number:
            self._refuse("a {table} needs a caption and below it a :name: that begins with tab-")
        return (
            f"**{figure_numbers.title(label, number)}** {caption}\n\n{self._inline(body).strip()}"
        )

    # --- text ------------------------------------------------------------------------------------

    def _inline(self, text: str) -> str:
        """Convert the roles, links and labelled formulas in a stretch of text."""
        converted = _INLINE.sub(self._piece, text)
        # Attributes of a span or link; what is left in braces elsewhere is mathematics or a set.
        return re.sub(r"\x00(?:\{[.#][^}`]*\})?", "", converted)

    def _piece(self, found: re.Match[str]) -> str:
        if found["role"]:
            content = " ".join(found["content"].split())
            return self._role(found["role"], content)
        if found["ticks"]:
            return found[0]
        if found["equation"]:
            return self._equation(found["formula"], found["equation"])
        if found["span"]:
            return f"{self._inline(found['span'])}\x00"
        if found["image"]:
            return self._refuse(
                f"the picture {found['target']} would not be beside the students' notebook; "
                "draw it in a code cell"
            )
        return self._link(self._inline(found["text"]), found["target"]) + "\x00"

    def _role(self, role: str, content: str) -> str:
        titled = _TITLE_AND_TARGET.fullmatch(content)
        title, target = (titled["title"], titled["target"]) if titled else ("", content)
        if role in ("cite", "cite:p", "cite:ps"):
            works = "; ".join(self._cited(key.strip(), textual=False) for key in content.split(","))
            return f"({works})"
        if role in ("cite:t", "cite:ts"):
            return ", ".join(self._cited(key.strip(), textual=True) for key in content.split(","))
        if role == "term":
            return self._term(title or target, target)
        if role in ("eq", "numref"):
            return figure_numbers.reference(target, self._stem)
        if role == "ref":
            return self._reference(title, target)
        if role == "doc":
            return title or self._refuse(f"{{doc}}`{content}` needs a text: {{doc}}`text <page>`")
        if role == "math":
            return f"${content}$"
        if role in ("sub", "sup", "kbd"):
            return f"<{role}>{content}</{role}>"
        if role in ("abbr", "index"):
            return re.sub(r"\s*\(.*\)$", "", content)
        return self._refuse(
            f"the role {{{role}}} has no plain form for the students' notebook; "
            "write it in plain Markdown or add it to autograder/building/plain_markdown.py"
        )

    def _cited(self, key: str, textual: bool) -> str:
        if key not in bibliography():
            self._refuse(f"book/references.bib has no entry {key}")
        authors, year, title, address = bibliography()[key]
        citation = f"{authors} ({year})" if textual else f"{authors}, {year}"
        return f"[{citation}]({address})" if address else f"{citation}, *{title}*"

    def _term(self, text: str, term: str) -> str:
        # Sphinx finds a term whatever its capitals.
        name = next((name for name in glossary() if name.lower() == term.lower()), None)
        if name is None:
            self._refuse(f"book/glossary.md does not define {term!r}")
        if language() != ENGLISH:  # where an entry has its translated name before the English one
            name = next(first for first, text in glossary().items() if text == glossary()[name])
        self._linked_terms[name] = True
        return f"[{text}]({heading_anchor(translate('Glossary'))})"

    def _reference(self, title: str, label: str) -> str:
        """Link a labelled heading, on this page or another."""
        for stem in (self._stem, *chapter_stems()):
            page = (
                self._page
                if stem == self._stem
                else read_page(chapters.ROOT / "book" / f"{stem}.md")
            )
            if heading := page.labels.get(label):
                file = "" if stem == self._stem else f"../{stem}/lesson.ipynb"
                return f"[{title or heading}]({file}{heading_anchor(heading)})"
        return title or self._refuse(f"no heading has the label {label}")

    def _link(self, text: str, target: str) -> str:
        """Keep a link that leads somewhere on a student's machine; else keep its text."""
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            return f"[{text}]({target})"
        file, _, anchor = target.partition("#")
        if not file and anchor.startswith(("fig-", "tab-")):
            return figure_numbers.reference(anchor, self._stem)
        if not file:
            if anchor not in self._page.headings:
                self._refuse(f"no heading on this page has the anchor #{anchor}")
            heading = self._page.headings[anchor]
            return f"[{text or heading}]({heading_anchor(heading)})"
        if "/" not in file and "." not in file:
            return self._reference(text, file)
        lies = normpath(f"notebooks/{self._stem}/{file}")
        if not lies.startswith("notebooks/"):
            return text or self._refuse(f"the link to {file} needs a text")
        if anchor and file.endswith("/lesson.ipynb"):
            headings = read_page(chapters.ROOT / "book" / f"{lies.split('/')[1]}.md").headings
            if anchor not in headings:
                self._refuse(f"no heading of {file} has the anchor #{anchor}")
            return f"[{text}]({file}{heading_anchor(headings[anchor])})"
        return f"[{text}]({target})"


def _closes(line: str, marks: str) -> bool:
    return len(line) >= len(marks) and not line.strip(marks[0])


def _options(body: str) -> tuple[dict[str, str], str]:
    """Separate the `:name: value` lines at a directive's start from its text."""
    options: dict[str, str] = {}
    lines = body.split("\n")
    while lines and (option := _OPTION.fullmatch(lines[0].strip())):
        options[option["name"]] = option["value"] or ""
        del lines[0]
    return options, "\n".join(lines)


def heading_anchor(heading: str) -> str:
    """Return the address that JupyterLab gives to a heading."""
    # An underscore inside a word, as in d_k, is not emphasis.
    text = re.sub(r"[`*]|(?<!\w)_|_(?!\w)", "", heading)
    return "#" + re.sub(r"\s", "-", text).replace("(", "%28").replace(")", "%29")


@cache
def bibliography() -> dict[str, tuple[str, str, str, str]]:
    """Read `references.bib`: key -> (authors, year, title, address), the address "" if none."""
    entries = parse_file(str(chapters.ROOT / "book" / "references.bib")).entries
    return {key: _reference(key, entry) for key, entry in entries.items()}


def _reference(key: str, entry: Any) -> tuple[str, str, str, str]:
    fields, persons = entry.fields, entry.persons.get("author") or entry.persons.get("editor")
    lacking = [] if persons else ["author"]
    lacking += [field for field in ("year", "title") if field not in fields]
    if lacking:
        raise CourseError(f"{key} in book/references.bib has no {lacking[0]}; add it")
    address = f"https://doi.org/{fields['doi']}" if "doi" in fields else fields.get("url", "")
    return _authors(persons), fields["year"], _text(fields["title"]), address


def _authors(persons: Any) -> str:
    names = [_text(" ".join(person.prelast_names + person.last_names)) for person in persons]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} et al."


def _text(latex: str) -> str:
    return str(Text.from_latex(latex))


def glossary() -> dict[str, str]:
    """Read the glossary in the current language: term -> definition, a paragraph of MyST."""
    return _glossary(language())


@cache
def _glossary(_: str) -> dict[str, str]:
    text = translate_markdown("book/glossary", read_source(chapters.ROOT / "book" / "glossary.md"))
    (entries,) = re.findall(r"^```\{glossary\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return {term: meaning for terms, meaning in glossary_entries(entries) for term in terms}
