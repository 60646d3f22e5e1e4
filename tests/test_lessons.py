"""A page of the book in its two forms: MyST for the site, plain Markdown for JupyterLab."""

import fcntl
import multiprocessing
import re
import threading
from pathlib import Path
from types import SimpleNamespace

import jupytext
import nbformat
import pytest
from bookext import execute
from bookext.outlines import outlines
from jupyter_cache import get_cache
from markdown_it import MarkdownIt

from autograder.building.lessons import page_notebook, student_notebook
from autograder.building.plain_markdown import bibliography
from autograder.course import chapters
from autograder.course.chapters import chapter_stems, read_source
from autograder.course_error import CourseError

STEM = "ch02_simple_rnn"
HEAD = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A page

"""


@pytest.fixture
def convert(tmp_path, monkeypatch):
    """Return a function that makes a student's notebook of a page with the given text."""
    settings = [chapters.ROOT / name for name in ("_toc.yml", "_config.yml")]
    for path in [*settings, *chapters.ROOT.glob("book/*.[mb]*")]:
        target = tmp_path / path.relative_to(chapters.ROOT)
        target.parent.mkdir(exist_ok=True)
        target.write_text(path.read_text())
    monkeypatch.setattr(chapters, "ROOT", tmp_path)

    def convert(text):
        (tmp_path / "book" / f"{STEM}.md").write_text(HEAD + text)
        return student_notebook(STEM).cells

    return convert


def markdown(cells):
    """Return the text below the title, without the glossary."""
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    return "\n\n".join(texts).removeprefix("# A page").split("## Glossary")[0].strip()


@pytest.mark.parametrize("stem", chapter_stems())
def test_both_forms_have_the_same_code_and_nothing_of_myst_is_left(stem):
    page, lesson = page_notebook(stem), student_notebook(stem)
    code = [[c.source, c.metadata, c.id] for c in page.cells if c.cell_type == "code"]
    assert code == [[c.source, c.metadata, c.id] for c in lesson.cells if c.cell_type == "code"]
    for cell in lesson.cells:
        if cell.cell_type != "markdown":
            continue
        for token in MarkdownIt().parse(cell.source):
            if token.type == "inline":
                prose = "".join(t.content for t in token.children if t.type != "code_inline")
                assert not re.search(r"\{[\w:-]+\}$|^:{3,}|^\(\S+\)=", prose, re.MULTILINE)
            assert not (token.type == "fence" and token.info.startswith("{"))


CAPTION = re.compile(r'caption=f?((?:\s*f?"[^"]*")+)')
FOR_THE_CURIOUS = re.compile(r"<details><summary>For the curious.*?</details>", re.DOTALL)
# The tags of cells whose code a page does not show before it is asked for.
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}


def reading_minutes(stem):
    """Estimate from its page how long reading a lesson takes, which its opening has to say.

    That is 200 words a minute of prose and captions, ten visible lines of code a minute, one and a
    half minutes for a prediction, one for a figure and two for one that moves. What is folded "For
    the curious" does not count.
    """
    prose, lines, figures = "", 0, 0
    source = read_source(chapters.ROOT / "book" / f"{stem}.md")
    for cell in jupytext.reads(source, fmt="md:myst").cells:
        if cell.cell_type == "markdown":
            prose += cell.source + "\n"
            continue
        figures += cell.source.count("figures.show(") + 2 * cell.source.count("figures.move(")
        prose += " ".join(CAPTION.findall(cell.source))
        if not FOLDED & set(cell.metadata.get("tags", [])):
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
    prose = FOR_THE_CURIOUS.sub(" ", prose)
    words = len(re.sub(r"\{\w+\}|[`$\\{}]", " ", prose).split())
    return words / 200 + lines / 10 + 1.5 * prose.count("**Predict.**") + figures


@pytest.mark.parametrize("outline", outlines(), ids=lambda outline: outline.stem)
def test_a_lesson_takes_the_minutes_that_it_says(outline):
    minutes = reading_minutes(outline.stem)
    rule = f'book/{outline.stem}.md: write "Reading takes about {minutes:.0f} minutes"'
    assert outline.reading == pytest.approx(minutes, abs=5), rule


@pytest.mark.parametrize(
    ("myst", "plain"),
    [
        (
            "The loop {cite}`elman1990finding,cho2014learning`.",
            "The loop ([Elman, 1990](https://doi.org/10.1207/s15516709cog1402_1); "
            "[Cho et al., 2014](https://arxiv.org/abs/1406.1078)).",
        ),
        (
            "{cite:t}`williams1990efficient` cut it.",
            "[Williams and Peng (1990)](https://doi.org/10.1162/neco.1990.2.4.490) cut it.",
        ),
        ("`{cite}` is a role, `{term}` too.", "`{cite}` is a role, `{term}` too."),
        ("```\n{cite}`a`\n:::{note}\n```", "```\n{cite}`a`\n:::{note}\n```"),
        ("A set {a, b}, $x_{ij}$, ${n \\choose k}$.", "A set {a, b}, $x_{ij}$, ${n \\choose k}$."),
        (":::{note}\nRead\nthis.\n:::", "> **Note**\n>\n> Read\n> this."),
        ("```{seealso} a paper\n```", "> **See also**\n>\n> a paper"),
        (
            "::::{admonition} Mind\n:class: warning\n\nA {term}`key`.\n\n:::{tip}\nYes.\n:::\n::::",
            "> **Mind**\n>\n> A [key](#Glossary).\n>\n> > **Tip**\n> >\n> > Yes.",
        ),
        (
            "- item\n\n  ::: {dropdown} The *answer*\n  $x$ is 3.\n  :::",
            "- item\n\n  <details><summary>The <em>answer</em></summary>\n\n"
            "  $x$ is 3.\n\n  </details>",
        ),
        (
            ":::{hint}\n:class: dropdown\nLook.\n:::",
            "<details><summary>Hint</summary>\n\nLook.\n\n</details>",
        ),
        (
            "$$\na = b\n$$ (first)\n\n```{math}\n:label: second\nc = d\n```\n\nBy {eq}`second`.",
            "$$\na = b \\tag{2.1}\n$$\n\n$$\nc = d \\tag{2.2}\n$$\n\nBy (2.2).",
        ),
        (
            ":::{table} The {term}`key`.\n:name: tab-keys\n\n| |\n| --- |\n| {kbd}`k` |\n:::\n\n"
            "See {numref}`tab-keys` or [](#tab-keys).",
            "**Table 2.1** The [key](#Glossary).\n\n| |\n| --- |\n| <kbd>k</kbd> |\n\n"
            "See Table 2.1 or Table 2.1.",
        ),
        (
            "(here)=\n## The `loop`\n\n"
            "See {ref}`here`, {ref}`it <here>`, [it](#the-loop) or [](here).",
            "## The `loop`\n\nSee [The `loop`](#The-loop), [it](#The-loop), [it](#The-loop) or "
            "[The `loop`](#The-loop).",
        ),
        ("See the [notation](../../book/notation.md).", "See the notation."),
        ("Do [the exercises](assignment.ipynb).", "Do [the exercises](assignment.ipynb)."),
        (
            "[Words]{.small} and [a site](https://x.org){.wide}.",
            "Words and [a site](https://x.org).",
        ),
        ("% a remark\n{.wide}\nText, 100 % of it.", "Text, 100 % of it."),
    ],
)
def test_myst_becomes_plain_markdown(myst, plain, convert):
    assert markdown(convert(myst)) == plain


def test_a_figure_is_referred_to_by_its_number(convert):
    figure = "```{code-cell}\nfigures.show(fig, alt='A loop.', caption='A loop.', name='loop')\n```"
    cells = convert(f"{{numref}}`fig-loop` comes.\n\n{figure}\n\nIt was [](#fig-loop).")
    link = "[Figure 2.1](#fig-loop)"
    assert markdown(cells) == f"{link} comes.\n\nIt was {link}."


def test_the_terms_that_a_lesson_links_are_defined_in_its_last_cell(convert):
    *_, last = convert("One {term}`annotations <annotation>` and a {term}`Batch`.")
    assert last.id == "glossary"
    first, second = last.source.removeprefix("## Glossary\n\n").splitlines()
    assert first.startswith("- **annotation**: The encoder's state")
    assert second.startswith("- **batch**: ")


@pytest.mark.parametrize(
    ("tags", "hidden"),
    [
        ("hide-input", {"source_hidden"}),
        ("remove-input", {"source_hidden"}),
        ("hide-output", {"outputs_hidden"}),
        ("hide-cell", {"source_hidden", "outputs_hidden"}),
        ("hide-input, remove-output", {"source_hidden", "outputs_hidden"}),
        ("remove-stderr", set()),
    ],
)
def test_what_the_book_hides_is_folded_in_jupyterlab(tags, hidden, convert):
    *_, cell = convert(f"```{{code-cell}}\n:tags: [{tags}]\nprint(1)\n```")
    assert cell.metadata.get("jupyter", {}) == dict.fromkeys(hidden, True)


@pytest.mark.parametrize(
    ("fields", "lacking"),
    [
        ("title={T}, year=2014", "author"),
        ("editor={Lee, Ada}, title={T}", "year"),
        ("author={Lee, Ada}, year=2014", "title"),
    ],
)
def test_a_reference_that_lacks_what_is_cited_is_one_line(tmp_path, monkeypatch, fields, lacking):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "references.bib").write_text(f"@book{{lee2014, {fields}}}")
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    said = f"^lee2014 in book/references.bib has no {lacking}; add it$"
    with pytest.raises(CourseError, match=said):
        bibliography.__wrapped__()  # the book's is remembered


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{cite}`nobody2000nothing`", "book/references.bib has no entry nobody2000nothing"),
        ("{term}`unheard of`", "book/glossary.md does not define 'unheard of'"),
        ("{eq}`lost`", "no lesson has a figure, table or equation labelled lost"),
        ("[](#tab-lost)", "no lesson has a figure, table or equation labelled tab-lost"),
        ("$$\na\n$$ (gru)", "book/ch01_rnn_basics.md has the label gru already"),
        (":::{table} Rates.\n\n| 1 |\n:::", "a {table} needs a caption and below it a :name:"),
        ("{ref}`lost`", "no heading has the label lost"),
        ("{numref}`fig-lost`", "no lesson has a figure, table or equation labelled fig-lost"),
        ("[it](#lost)", "no heading on this page has the anchor #lost"),
        ("{guilabel}`File`", "the role {guilabel} has no plain form"),
        ("```{mermaid}\nx\n```", "the directive {mermaid} has no plain form"),
        ("93 to 98\n% of them", "the line '% of them' begins with %, which makes it a comment"),
        ("![a loop](../_static/loop.png)", "the picture ../_static/loop.png would not be"),
    ],
)
def test_what_has_no_plain_form_is_one_line(text, complaint, convert):
    with pytest.raises(CourseError, match=re.escape(f"book/{STEM}.md: {complaint}")):
        convert(text)


# --- executed for the site -----------------------------------------------------------------------


@pytest.fixture
def small_course(tmp_path, monkeypatch):
    """Let the site have two small lessons; return a function that writes their pages."""
    (tmp_path / "_config.yml").write_text("execute: {timeout: 60}\nhtml: {baseurl: ''}\n")
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    monkeypatch.setattr(execute, "chapter_stems", lambda: ["ch01_good", "ch02_other"])
    monkeypatch.setattr(execute, "outlines", list)
    # As in a new process: what a server of an earlier test forks would write to that test's stderr.
    multiprocessing.set_start_method(None, force=True)

    def write(stem, code):
        page, lesson = tmp_path / "book" / f"{stem}.md", tmp_path / "notebooks" / stem
        page.parent.mkdir(exist_ok=True)
        page.write_text(f"{HEAD}```{{code-cell}}\n{code}\n```\n")
        lesson.mkdir(parents=True, exist_ok=True)
        nbformat.write(student_notebook(stem), lesson / "lesson.ipynb")

    write("ch01_good", "print(6 * 7)")
    return write


def test_lessons_are_executed_once_and_one_that_fails_ends_the_build(small_course, capfd):
    small_course("ch02_other", "def divide():\n    return 1 / 0\n\ndivide()")
    with pytest.raises(CourseError, match="notebooks/ch02_other/lesson.ipynb could not be"):
        execute.execute_lessons()
    shown = capfd.readouterr().err
    assert "notebooks/ch02_other/lesson.ipynb" in shown
    assert "    return 1 / 0\n" in shown and "division by zero" in shown
    small_course("ch02_other", "print(2)")
    execute.execute_lessons()
    shown = capfd.readouterr().err
    assert "ch02_other" in shown and "ch01_good" not in shown


def test_an_execution_waits_for_one_that_is_going_on(small_course, monkeypatch):
    small_course("ch02_other", "print(2)")
    executed = []
    monkeypatch.setattr(execute, "_execute_into_cache", lambda *_: executed.append("now"))
    built = chapters.ROOT / "_build"
    built.mkdir(exist_ok=True)
    with open(built / "lessons.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = threading.Thread(target=execute.execute_lessons)
        second.start()
        second.join(2)
        assert second.is_alive() and not executed
    second.join()
    assert executed == ["now"]


def test_what_is_printed_in_pieces_is_one_output(small_course):
    small_course(
        "ch02_other",
        "import time\n\nprint('in two', end='', flush=True)\ntime.sleep(0.5)\nprint(' pieces')",
    )
    execute.execute_lessons()
    cache = get_cache(chapters.ROOT / "_build" / ".jupyter_cache")
    bundles = [cache.get_cache_bundle(record.pk) for record in cache.list_cache_records()]
    outputs = [
        cell.outputs for bundle in bundles for cell in bundle.nb.cells if cell.get("outputs")
    ]
    assert sorted(output.text for (output,) in outputs) == ["42\n", "in two pieces\n"]


def test_a_notebook_that_its_page_does_not_build_is_named(small_course):
    small_course("ch02_other", "print(2)")
    page = chapters.ROOT / "book" / "ch02_other.md"
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    with pytest.raises(CourseError, match="ch02_other/lesson.ipynb is not what book/ch02_other.md"):
        execute.execute_lessons()


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}'])
def test_a_lesson_that_is_no_notebook_is_one_line(small_course, text):
    small_course("ch02_other", "print(2)")
    (chapters.ROOT / "notebooks" / "ch02_other" / "lesson.ipynb").write_text(text)
    with pytest.raises(CourseError, match="ch02_other/lesson.ipynb cannot be read; run `make note"):
        execute.execute_lessons()


@pytest.mark.parametrize("failures", [1, 2])
def test_a_lesson_whose_kernel_does_not_start_is_tried_once_more(
    small_course, monkeypatch, failures
):
    small_course("ch02_other", "print(2)")
    asked = []

    def run_and_cache(filter_uris, timeout):
        asked.append([Path(uri).parent.name for uri in filter_uris])
        errored = filter_uris[-1:] if len(asked) <= failures else []
        return SimpleNamespace(excepted=[], errored=errored)

    executor = SimpleNamespace(run_and_cache=run_and_cache)
    monkeypatch.setattr(execute, "load_executor", lambda *_: executor)
    if failures == 1:
        execute.execute_lessons()
    else:
        with pytest.raises(CourseError, match="ch02_other/lesson.ipynb could not be executed"):
            execute.execute_lessons()
    assert asked == [["ch01_good", "ch02_other"], ["ch02_other"]]
