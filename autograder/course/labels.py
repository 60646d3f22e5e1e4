"""The numbers of the lessons' labelled tables and equations, in the order of their pages.

Sphinx numbers them on the site; this counts in the same way for the students' notebooks.
"""

import re
from functools import cache

from autograder.course import chapters
from autograder.course.chapters import CourseError, chapter_stems, read_source

_TABLE = re.compile(
    r"^[ >]*[`:]{3,} *\{table\}[^\n]*\n(?::[^\n]*\n)*?:name: *(tab-[\w-]+) *$", re.MULTILINE
)
# After a formula in double dollars, or an option of the directive.
_EQUATION = re.compile(r"\$\$[ \t]*\(([\w:-]+)\)|\{math\}[^\n]*\n(?::[^\n]*\n)*?:label: *([\w:-]+)")


def numbers(stem):
    """Return the numbers of a lesson by label, ``{"tab-rates": "1.1", "gru": "1.3"}``.

    Tables and equations are counted apart. Raises `CourseError` when two of the course have the
    same label.
    """
    return _numbers()[stem]


def reference(label, stem):
    """Return Markdown for the lesson of chapter `stem` that reads "Table 1.1" or "(1.3)".

    It is plain text on the label's own page, because JupyterLab gives an anchor to neither, and a
    link to the lesson on others. Raises `CourseError` when no lesson has the label.
    """
    for chapter, labels in _numbers().items():
        if label in labels:
            words = title(label, labels[label])
            return words if chapter == stem else f"[{words}](../{chapter}/lesson.ipynb)"
    raise CourseError(f"book/{stem}.md: no lesson has a table or an equation labelled {label}")


def title(label, number):
    """Return how a text refers to the table or the equation with this label and number."""
    return f"Table {number}" if label.startswith("tab-") else f"({number})"


def _numbers():
    labels, pages = {}, {}
    for stem in chapter_stems():
        labels[stem] = {}
        text = read_source(chapters.ROOT / "book" / f"{stem}.md")
        for label, number in _numbers_of_page(text, int(stem[2:4])):
            if label in pages:
                raise CourseError(
                    f"book/{stem}.md: book/{pages[label]}.md has the label {label} already; "
                    "choose another one"
                )
            labels[stem][label] = number
            pages[label] = stem
    return labels


@cache  # every label and every reference asks for all pages
def _numbers_of_page(text, chapter):
    kinds = _TABLE.findall(text), ["".join(names) for names in _EQUATION.findall(text)]
    return [
        (label, f"{chapter}.{number}") for kind in kinds for number, label in enumerate(kind, 1)
    ]
