"""The numbers of figures, tables and equations, and the references to them from every page."""

import json

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

from autograder.building import figure_numbers
from autograder.course import chapters
from autograder.course_error import CourseError

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
    assert json.loads(figure_numbers.figures_file()) == {
        FIRST: ["loop", "Without a name."],
        SECOND: ["gate"],
    }
    assert figure_numbers.reference("fig-loop", FIRST) == "[Figure 1.1](#fig-loop)"
    assert (
        figure_numbers.reference("fig-gate", FIRST)
        == f"[Figure 2.1](../{SECOND}/lesson.ipynb#fig-gate)"
    )


def test_a_label_that_two_figures_have_is_refused(pages):
    figure = 'figures.show(fig, name="loop", caption="A loop.", alt="…")'
    pages(figure, figure)
    with pytest.raises(
        CourseError, match=f"^book/{SECOND}.md: book/{FIRST}.md has the label fig-loop already"
    ):
        figure_numbers.figures_file()


def test_a_computed_caption_without_a_name_is_refused(pages):
    pages('figures.show(fig, caption=f"A loop of {n}.", alt="…")')
    with pytest.raises(
        CourseError, match=f"^book/{FIRST}.md: the caption .* give the figure a name"
    ):
        figure_numbers.figures_file()


@pytest.mark.parametrize(
    "arguments, missing",
    [('alt="…"', "caption"), ('caption="A loop."', "alt"), ('caption="A loop.", alt=" "', "alt")],
)
def test_a_figure_without_words_is_refused(pages, arguments, missing):
    pages(f"figures.show(fig, {arguments})")
    with pytest.raises(CourseError, match=f"^book/{FIRST}.md: .* a figure without {missing}$"):
        figure_numbers.figures_file()


TABLE = ":::{table} Rates.\n:name: tab-LABEL\n\n| rate |\n| --- |\n| 1 |\n:::\n\n"
EQUATIONS = "$$\na = b\n$$ (LABEL)\n\n$$\nc = d\n$$\n\n```{math}\n:label: LABEL-2\ne = f\n```\n\n"


@pytest.fixture
def texts(pages):
    """Write the tables and equations of two chapters, with other labels in each."""

    def write(first, second):
        pages("")
        for stem, label in ((FIRST, first), (SECOND, second)):
            text = (TABLE + EQUATIONS).replace("LABEL", label)
            (chapters.ROOT / "book" / f"{stem}.md").write_text(PAGE + text)

    return write


def test_tables_and_equations_are_numbered_apart_in_the_order_of_the_page(texts):
    texts("gru", "lstm")
    assert figure_numbers.numbers(FIRST) == {"tab-gru": "1.1", "gru": "1.1", "gru-2": "1.2"}
    assert figure_numbers.reference("tab-gru", FIRST) == "Table 1.1"
    assert figure_numbers.reference("gru-2", FIRST) == "(1.2)"
    lesson = f"../{SECOND}/lesson.ipynb"
    assert figure_numbers.reference("tab-lstm", FIRST) == f"[Table 2.1]({lesson})"
    assert figure_numbers.reference("lstm", FIRST) == f"[(2.1)]({lesson})"


def test_a_label_that_two_tables_or_equations_have_is_refused(texts):
    texts("gru", "gru")
    with pytest.raises(
        CourseError, match=f"^book/{SECOND}.md: book/{FIRST}.md has the label tab-gru already"
    ):
        figure_numbers.numbers(FIRST)


def test_a_reference_to_what_no_lesson_has_is_refused(texts):
    texts("gru", "lstm")
    for label in ("fig-lost", "tab-lost", "lost"):
        with pytest.raises(CourseError, match=f"^book/{FIRST}.md: no lesson has .* {label}$"):
            figure_numbers.reference(label, FIRST)


FIGURE = (
    '<figure class="course-figure" id="fig-loop"><style></style><svg></svg>'
    '<figcaption><span class="number">Figure 1.3</span> A loop.</figcaption></figure>'
)


def build(tmp_path, text, others=""):
    """Build a site of two pages, the second with a figure, a table and equations.

    ``text`` stands on both pages, ``others`` on the first. Returns the two pages and the warnings.
    """
    source = tmp_path / "source"
    source.mkdir()
    contents = "```{toctree}\n:numbered:\nother\n```"
    numbered = (TABLE + EQUATIONS).replace("LABEL", "gru")
    (source / "index.md").write_text(f"# Text\n\n{contents}\n\n{text}\n\n{others}\n")
    (source / "other.md").write_text(
        f"# Figure\n\n```{{raw}} html\n{FIGURE}\n```\n\n{numbered}\n\n{text}\n"
    )
    settings = {
        "extensions": ["myst_parser", "bookext.formulas", "bookext.references"],
        "myst_enable_extensions": ["colon_fence", "dollarmath"],
        "html_math_renderer": "mathml",
        "numfig": True,
    }
    with open(tmp_path / "warnings", "w+") as warnings:
        app = Sphinx(
            str(source),
            None,
            str(tmp_path / "html"),
            str(tmp_path / "doctrees"),
            "html",
            confoverrides=settings,
            status=None,
            warning=warnings,
        )
        # Docutils has registered the extensions' parts when an earlier test built a site.
        warnings.truncate(0)
        warnings.seek(0)
        app.build()
        warnings.seek(0)
        return [tmp_path / "html" / f"{page}.html" for page in ("index", "other")], warnings.read()


@pytest.mark.parametrize(
    ("text", "anchor", "number"),
    [
        ("See {numref}`fig-loop` and [](#fig-loop).", "fig-loop", "Figure 1.3"),
        ("See {numref}`tab-gru` and [](#tab-gru).", "tab-gru", "Table 1.1"),
        ("See {eq}`gru` and {eq}`gru`.", "equation-gru", "(1.1)"),
    ],
)
def test_references_read_as_the_number_on_every_page(text, anchor, number, tmp_path):
    pages, warnings = build(tmp_path, text)
    assert not warnings
    for page, address in zip(pages, (f"other.html#{anchor}", f"#{anchor}"), strict=True):
        links = BeautifulSoup(page.read_text(), "html.parser").select("p a.reference")
        assert [(link["href"], link.text) for link in links] == [(address, number)] * 2


def test_tables_and_equations_show_their_numbers(tmp_path):
    (_, page), _ = build(tmp_path, "")
    page = BeautifulSoup(page.read_text(), "html.parser")
    assert page.select_one("table#tab-gru > caption").text.startswith("Table 1.1 Rates.")
    numbers = [(link["href"], link.text) for link in page.select(".equation > a")]
    assert numbers == [("#equation-gru", "Equation (1.1)"), ("#equation-gru-2", "Equation (1.2)")]
    assert len(page.select("div.math")) == 3  # the one without a label has no number


def test_a_listing_has_a_caption_and_no_number(tmp_path):
    listing = "```{code-block} bash\n:caption: hand out\n:name: hand-out\nls\n```\n\n"
    (page, _), warnings = build(tmp_path, "", listing)
    assert not warnings
    page = BeautifulSoup(page.read_text(), "html.parser")
    assert page.select_one(".code-block-caption").text.startswith("hand out")


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("See {numref}`fig-gate` and [](#fig-gate).", "fig-gate"),
        ("See {numref}`tab-gate` and [](#tab-gate).", "tab-gate"),
        ("See {eq}`gate` and {eq}`gate`.", "equation not found: gate"),
    ],
)
def test_references_to_what_is_nowhere_are_warnings(text, lost, tmp_path):
    _, warnings = build(tmp_path, text)
    assert warnings.count(lost) == 4


def test_labels_that_two_pages_use_are_warnings(tmp_path):
    _, warnings = build(tmp_path, "", (TABLE + EQUATIONS).replace("LABEL", "gru"))
    assert "duplicate label tab-gru" in warnings
    assert "duplicate label of equation gru" in warnings
