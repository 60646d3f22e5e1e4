"""The numbers of the lessons' figures, tables and equations, in the order of their pages.

Sphinx numbers tables and equations on the site; this counts in the same way for the students'
notebooks. A kernel cannot count figures: a student runs cells twice and out of order, and the
number would differ from the one in the text. So the release reads the calls from the pages
and writes down their order in a file, in which `coursekit.figures` looks a figure up when it is
shown.
"""

import ast
import json
import re
from functools import cache

import jupytext

from autograder.course import chapters
from autograder.course.chapters import chapter_stems, read_source
from autograder.course_error import CourseError
from autograder.translation.catalogue import translate
from coursekit import chapter_number

_TABLE = re.compile(
    r"^[ >]*[`:]{3,} *\{table\}[^\n]*\n(?::[^\n]*\n)*?:name: *(tab-[\w-]+) *$", re.MULTILINE
)
# After a formula in double dollars, or an option of the directive.
_EQUATION = re.compile(r"\$\$[ \t]*\(([\w:-]+)\)|\{math\}[^\n]*\n(?::[^\n]*\n)*?:label: *([\w:-]+)")


def numbers(stem: str) -> dict[str, str]:
    """Return the numbers of a lesson by label, ``{"fig-loop": "1.1", "gru": "1.3"}``.

    Figures, tables and equations are counted separately. The label of a figure is ``fig-`` and its
    name, or its caption if it has none. Raises `CourseError` when two of the course have the
    same label, or a figure has neither in plain words.
    """
    return _numbers()[stem]


def figures_file() -> str:
    """Return the text of `figure_order.json`: each chapter's figures in the order of the page."""
    figures = {
        stem: [label.removeprefix("fig-") for label in labels if label.startswith("fig-")]
        for stem, labels in _numbers().items()
    }
    return json.dumps(figures, ensure_ascii=False, indent=1) + "\n"


def reference(label: str, stem: str) -> str:
    """Return Markdown for the lesson of chapter `stem`: "Figure 1.3", "Table 1.1" or "(1.3)".

    It is a link, but for a table or an equation on the label's own page: JupyterLab gives an anchor
    to neither. Raises `CourseError` when no lesson has the label.
    """
    for chapter, labels in _numbers().items():
        if label in labels:
            text = title(label, labels[label])
            lesson = "" if chapter == stem else f"../{chapter}/lesson.ipynb"
            target = lesson + (f"#{label}" if label.startswith("fig-") else "")
            return f"[{text}]({target})" if target else text
    raise CourseError(f"book/{stem}.md: no lesson has a figure, table or equation labelled {label}")


def title(label: str, number: str) -> str:
    """Return how a text refers to the figure, the table or the equation with this label."""
    if label.startswith("fig-"):
        return translate("Figure {number}", number=number)
    return translate("Table {number}", number=number) if label.startswith("tab-") else f"({number})"


def _numbers() -> dict[str, dict[str, str]]:
    labels: dict[str, dict[str, str]] = {}
    pages: dict[str, str] = {}
    for stem in chapter_stems():
        labels[stem] = {}
        text = read_source(chapters.ROOT / "book" / f"{stem}.md")
        for label, number in _numbers_of_page(text, stem):
            if label in pages:
                raise CourseError(
                    f"book/{stem}.md: book/{pages[label]}.md has the label {label} already; "
                    "choose another one"
                )
            labels[stem][label] = number
            pages[label] = stem
    return labels


@cache  # every label and every reference asks for all pages
def _numbers_of_page(text: str, stem: str) -> list[tuple[str, str]]:
    kinds: tuple[list[str], ...] = (
        [f"fig-{figure}" for figure in _figures(text, stem)],
        _TABLE.findall(text),
        ["".join(names) for names in _EQUATION.findall(text)],
    )
    chapter = chapter_number(stem)
    return [
        (label, f"{chapter}.{number}") for kind in kinds for number, label in enumerate(kind, 1)
    ]


def _figures(text: str, stem: str) -> list[str]:
    page = jupytext.reads(text, fmt="md:myst")
    code = [cell.source for cell in page.cells if cell.cell_type == "code"]
    return [figure for cell in code for figure in _figures_of(cell, stem)]


def _figures_of(code: str, stem: str) -> list[str]:
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise CourseError(f"book/{stem}.md: a code cell is not valid Python: {error}") from error
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and _shows_a_figure(node)
    ]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    return [_name_or_caption(call, stem) for call in calls]


def _shows_a_figure(call: ast.Call) -> bool:
    return ast.unparse(call.func) in ("figures.show", "figures.move")


def _name_or_caption(call: ast.Call, stem: str) -> str:
    arguments = {keyword.arg: keyword.value for keyword in call.keywords}
    for argument in ("caption", "alt"):
        given = arguments.get(argument)
        if given is None or (isinstance(given, ast.Constant) and not str(given.value).strip()):
            raise CourseError(
                f"book/{stem}.md: {ast.unparse(call)[:60]}… shows a figure without {argument}"
            )
    key = arguments.get("name", arguments["caption"])
    if not isinstance(key, ast.Constant):
        raise CourseError(
            f"book/{stem}.md: the caption {ast.unparse(key)[:60]}… is computed, so no number can "
            'be looked up by it; give the figure a name="…", too'
        )
    return " ".join(str(key.value).split())
