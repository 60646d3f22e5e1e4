"""The numbers of the lessons' figures, in the order in which their pages show them.

A kernel cannot count figures: a student runs cells twice and out of order, and the number would be
another one than the text refers to. So the release reads the calls from the pages and writes down
their order in a file, in which `coursekit.figures` looks a figure up when it is shown.
"""

import ast
import json
from functools import cache

import jupytext

from autograder.course import chapters
from autograder.course.chapters import CourseError, chapter_stems, read_source


def numbers_file():
    """Return the text of `numbers.json`: for each chapter its figures in the order of the page.

    A figure stands there with its name, or its caption if it has none. Raises `CourseError` when
    two figures have the same, or one has neither in plain words.
    """
    return json.dumps(_figures(), ensure_ascii=False, indent=1) + "\n"


def figure_link(anchor, stem):
    """Return a Markdown link, ``[Figure 1.3](#fig-loop)``, for the lesson of chapter `stem`.

    Raises `CourseError` when no lesson has a figure with this anchor.
    """
    for chapter, figures in _figures().items():
        for number, figure in enumerate(figures, start=1):
            if anchor == f"fig-{figure}":
                lesson = "" if chapter == stem else f"../{chapter}/lesson.ipynb"
                return f"[Figure {int(chapter[2:4])}.{number}]({lesson}#{anchor})"
    raise CourseError(f"book/{stem}.md: no lesson has a figure with the anchor {anchor}")


def _figures():
    figures, pages = {}, {}
    for stem in chapter_stems():
        figures[stem] = _figures_of_page(read_source(chapters.ROOT / "book" / f"{stem}.md"), stem)
        for figure in figures[stem]:
            if figure in pages:
                raise CourseError(
                    f'book/{stem}.md: book/{pages[figure]}.md has a figure "{figure}" already; '
                    "give this one another name"
                )
            pages[figure] = stem
    return figures


@cache  # every reference on every page asks for all pages
def _figures_of_page(text, stem):
    page = jupytext.reads(text, fmt="md:myst")
    code = [cell.source for cell in page.cells if cell.cell_type == "code"]
    return [figure for cell in code for figure in _figures_of(cell, stem)]


def _figures_of(code, stem):
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise CourseError(f"book/{stem}.md: a code cell is not valid Python: {error}") from error
    calls = [node for node in ast.walk(tree) if _shows_a_figure(node)]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    return [_name_or_caption(call, stem) for call in calls]


def _shows_a_figure(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("figures.show", "figures.move")


def _name_or_caption(call, stem):
    arguments = {keyword.arg: keyword.value for keyword in call.keywords}
    for argument in ("caption", "alt"):
        words = arguments.get(argument)
        if words is None or (isinstance(words, ast.Constant) and not str(words.value).strip()):
            raise CourseError(
                f"book/{stem}.md: {ast.unparse(call)[:60]}… shows a figure without {argument}"
            )
    words = arguments.get("name", arguments["caption"])
    if not isinstance(words, ast.Constant):
        raise CourseError(
            f"book/{stem}.md: the caption {ast.unparse(words)[:60]}… is computed, so no number can "
            'be looked up by it; give the figure a name="…", too'
        )
    return " ".join(words.value.split())
