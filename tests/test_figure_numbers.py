"""The numbers of the lessons' figures: read from the pages, referred to from every page."""

import json

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

from autograder.course import chapters
from autograder.course.chapters import CourseError
from autograder.course.figure_numbers import figure_link, numbers_file

FIRST, SECOND = "ch01_first", "ch02_second"
PAGE = """---
kernelspec: {display_name: Python 3, name: python3}
---

# A page

"""


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """Write the code cells of two chapters' pages."""
    toc = "".join(f"- file: notebooks/{stem}/lesson\n" for stem in (FIRST, SECOND))
    (tmp_path / "_toc.yml").write_text(f"root: book/intro\nchapters:\n{toc}")
    (tmp_path / "book").mkdir()
    monkeypatch.setattr(chapters, "ROOT", tmp_path)

    def write(first, second=""):
        for stem, code in ((FIRST, first), (SECOND, second)):
            cells = "".join(f"```{{code-cell}}\n{cell}\n```\n\n" for cell in code.split("---"))
            (tmp_path / "book" / f"{stem}.md").write_text(PAGE + cells)

    return write


def test_figures_are_numbered_in_the_order_of_the_page(pages):
    pages(
        'figures.show(fig, name="loop", caption="A loop.", alt="…")\n---\n'
        'def shown():\n    figures.move(draw, caption="Without "\n        "a name.", alt="…")',
        'figures.show(fig, name="gate", caption=f"A gate {x}.", alt="…"); other.show(fig)',
    )
    assert json.loads(numbers_file()) == {FIRST: ["loop", "Without a name."], SECOND: ["gate"]}
    assert figure_link("fig-loop", FIRST) == "[Figure 1.1](#fig-loop)"
    assert figure_link("fig-gate", FIRST) == f"[Figure 2.1](../{SECOND}/lesson.ipynb#fig-gate)"


def test_a_name_that_two_figures_have_is_refused(pages):
    figure = 'figures.show(fig, name="loop", caption="A loop.", alt="…")'
    pages(figure, figure)
    with pytest.raises(
        CourseError, match=f'^book/{SECOND}.md: book/{FIRST}.md has a figure "loop"'
    ):
        numbers_file()


def test_a_computed_caption_without_a_name_is_refused(pages):
    pages('figures.show(fig, caption=f"A loop of {n}.", alt="…")')
    with pytest.raises(
        CourseError, match=f"^book/{FIRST}.md: the caption .* give the figure a name"
    ):
        numbers_file()


@pytest.mark.parametrize(
    "arguments, missing",
    [('alt="…"', "caption"), ('caption="A loop."', "alt"), ('caption="A loop.", alt=" "', "alt")],
)
def test_a_figure_without_words_is_refused(pages, arguments, missing):
    pages(f"figures.show(fig, {arguments})")
    with pytest.raises(CourseError, match=f"^book/{FIRST}.md: .* a figure without {missing}$"):
        numbers_file()


def test_a_reference_to_no_figure_is_refused(pages):
    pages("")
    with pytest.raises(CourseError, match=f"^book/{FIRST}.md: no lesson has .* anchor fig-loop"):
        figure_link("fig-loop", FIRST)


FIGURE = (
    '<figure class="course-figure" id="fig-loop"><style></style><svg></svg>'
    '<figcaption><span class="number">Figure 1.3</span> A loop.</figcaption></figure>'
)


def build(tmp_path, text):
    """Build a site of two pages, the second with a figure; return its first page and warnings."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.md").write_text(f"# Text\n\n```{{toctree}}\nother\n```\n\n{text}\n")
    (source / "other.md").write_text(f"# Figure\n\n```{{raw}} html\n{FIGURE}\n```\n\n{text}\n")
    with open(tmp_path / "warnings", "w+") as warnings:
        app = Sphinx(
            str(source),
            None,
            str(tmp_path / "html"),
            str(tmp_path / "doctrees"),
            "html",
            confoverrides={"extensions": ["myst_parser", "autograder.site.figure_labels"]},
            status=None,
            warning=warnings,
        )
        app.build()
        warnings.seek(0)
        return [tmp_path / "html" / f"{page}.html" for page in ("index", "other")], warnings.read()


def test_references_read_as_the_number_on_every_page(tmp_path):
    pages, warnings = build(tmp_path, "See {numref}`fig-loop` and [](#fig-loop).")
    assert not warnings
    for page, address in zip(pages, ("other.html#fig-loop", "#fig-loop"), strict=True):
        links = BeautifulSoup(page.read_text(), "html.parser").select("p a.reference")
        assert [(link["href"], link.text) for link in links] == [(address, "Figure 1.3")] * 2


def test_references_to_no_figure_are_warnings(tmp_path):
    _, warnings = build(tmp_path, "See {numref}`fig-gate` and [](#fig-gate).")
    assert warnings.count("fig-gate") == 4
