"""The translations: nothing missing, nothing out of step, and nothing but words translated."""

import ast
import re
import shutil

import jinja2
import matplotlib
import matplotlib.pyplot as plt
import pytest
from babel.messages.pofile import read_po
from bookext import catalogues, cut_font
from bookext.catalogues import (
    mistake_messages,
    page_messages,
    translated_chapters,
)
from bookext.folds import _FoldPredicted
from bookext.formulas import _hold_punctuation
from bookext.translated_pages import _show_link, catalogue_state
from docutils import nodes
from docutils.utils import new_document
from fontTools.ttLib import TTFont

import coursekit.checks
from autograder.building.lessons import page_notebook, student_notebook
from autograder.building.release import assignment_notebook
from autograder.course import chapters
from autograder.course.chapters import load_chapter
from autograder.course.variants import load_variants, variant_functions
from autograder.course_error import CourseError
from autograder.reports import words
from autograder.translation.catalogue import (
    catalogue_path,
    kit_catalogue_path,
    require_translation,
    translate,
    use_language,
)
from autograder.translation.markdown_messages import messages, reworded
from coursekit import figures, languages
from coursekit.checks import CheckFailure, wording
from coursekit.figures.svg import draw_svg
from coursekit.languages import LOCALES, filled_in

LOCALE = LOCALES["zh"]
CHAPTERS = translated_chapters()
# Of these pages only the part is translated that the chapters use.
PARTS = ("book/notation",)
# What is the same in every language: code, formulas, roles, addresses, and what is filled in.
ALIKE = re.compile(
    r"`+[^`]+`+|\$[^$]+\$|\]\([^)\s]+\)|\{(?:cite|eq|numref|ref|doc)[\w:]*\}`[^`]+`|\{\d+\}"
)
TERM = re.compile(r"\{term\}`(?:[^`<]*<)?([^`<>]+?)>?`")
# Put together from parts that stand in several places of the checks.
COMPOSED = {
    "Known mistake: {1}",
    "an array of shape {1}",
    *("an array of text of shape {1}", "a huge array of text", "a huge array", "a huge list"),
    *("a huge tuple", "a list of {1}", "a tuple of {1}", "a str", "a bool"),
    *("1 value", "{1} values"),
    *("first difference at {1}: {2} came back; expected {3}", "{1} Or: {2}"),
    "argument {1} was changed in place",
    # Of constants of the module itself.
    *(f"{wording.POSSIBLY}{{1}}", f"{wording.COMPARED}{{1}}.", f"{{1}}{wording.HIDDEN}"),
}
FILES = sorted(
    path for room in ("book", "coursekit") for path in (chapters.ROOT / room).rglob("*.po")
)


def entries(path):
    with path.open("rb") as file:
        return [message for message in read_po(file, locale=LOCALE) if message.id]


def name(path):
    return path.relative_to(chapters.ROOT).as_posix()


def wanted():
    kit = [*wording.FRAMES, *catalogues._said("coursekit")]
    pages = {catalogue_path(page, LOCALE): found for page, found in page_messages().items()}
    figures = kit_catalogue_path("figures", LOCALE)
    return pages | {
        kit_catalogue_path("mistakes", LOCALE): mistake_messages(),
        kit_catalogue_path("coursekit", LOCALE): list(dict.fromkeys(kit)),
        # Which words are drawn is known when the lessons have run; bookext.catalogues asks then.
        figures: [message.id for message in entries(figures)],
    }


@pytest.fixture(scope="module")
def messages_by_file():
    return wanted()


def test_nothing_is_missing_or_out_of_step(messages_by_file):
    lines = []
    for path, found in messages_by_file.items():
        there = {message.id: message for message in entries(path)}
        if missing := [message for message in found if message not in there]:
            lines += [f"{name(path)} has no entry for: {message}" for message in missing]
        for message in found:
            entry = there.get(message)
            if entry and entry.fuzzy:
                lines.append(f"{name(path)}, changed in English: {message}")
            elif entry and not entry.string and not any(part in name(path) for part in PARTS):
                lines.append(f"{name(path)}, not translated: {message}")
        lines += [f"{name(path)}, no longer in English: {old}" for old in there if old not in found]
    assert not lines, "run `python -m bookext.catalogues`, then translate:\n" + "\n".join(lines)


@pytest.mark.parametrize("path", FILES, ids=name)
def test_code_formulas_and_targets_are_those_of_the_english(path):
    lines = []
    for message in entries(path):
        if message.string and not message.fuzzy:
            english, translated = (sorted(_alike(text)) for text in (message.id, message.string))
            if english != translated:
                lines.append(f"{message.id}\n  {english}\n  {translated}")
    assert not lines, "\n".join(lines)


def _alike(text):
    terms = [f"term {term.lower()}" for term in TERM.findall(text)]
    return terms + ALIKE.findall(TERM.sub("", text))


@pytest.mark.parametrize("stem", CHAPTERS)
def test_code_is_the_same_in_both_languages(stem):
    for make in (page_notebook, student_notebook, assignment_notebook):
        english = [cell.source for cell in make(stem).cells if cell.cell_type == "code"]
        with use_language("zh"):
            chinese = [cell.source for cell in make(stem).cells if cell.cell_type == "code"]
        different = [pair for pair in zip(english, chinese, strict=True) if pair[0] != pair[1]]
        assert len(different) == 1
        (one, other) = different[0]
        added = [line for line in other.splitlines() if line not in one.splitlines()]
        assert [line for line in added if "language" in line] == [added[-1]]
        assert added[-1] in ('figures.language = "zh"', 'coursekit.checks.language = "zh"')


@pytest.mark.parametrize("stem", CHAPTERS)
def test_the_notebooks_have_the_same_cells(stem):
    for make in (student_notebook, assignment_notebook):
        english = make(stem)
        with use_language("zh"):
            chinese = make(stem)
        assert [cell.id for cell in chinese.cells] == [cell.id for cell in english.cells]
        for one, other in zip(english.cells, chinese.cells, strict=True):
            for cell in (one, other):  # of the text
                cell.metadata.get("nbgrader", {}).pop("checksum", None)
            assert one.metadata == other.metadata


@pytest.mark.parametrize("stem", CHAPTERS)
def test_failures_of_the_bank_are_told_in_chinese(stem, monkeypatch):
    monkeypatch.setattr(coursekit.checks, "language", "zh")
    first = load_chapter(stem).exercises[0]
    english, told = [], 0
    for variant in load_variants(stem):
        if variant.exercise == first.id and variant.mistake:
            functions = variant_functions(stem, variant)
            try:
                getattr(load_chapter(stem).checks, first.id)(*(functions[n] for n in first.names))
            except CheckFailure as failure:
                told += 1
                # What Python says of an error is Python's.
                lines = [] if failure.raised else str(failure).splitlines()
                english += [
                    line for line in lines if re.search(r"^[^(]*[a-z]+ [a-z]+ [a-z]+", line)
                ]
    assert told >= 3
    assert not english


def test_every_frame_is_a_text_of_the_checks():
    texts = set()
    for path in (chapters.ROOT / "coursekit" / "checks").glob("*.py"):
        if path.name != "wording.py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                texts.update(part for part in catalogues._parts(node) if part)
    everything = "\n".join(sorted(texts))
    # Where a text is a constant beside the frames, the checks use the constant.
    constants = {text for text in vars(wording).values() if isinstance(text, str)}
    for frame in set(wording.FRAMES) - COMPOSED - constants:
        parts = re.split(r"\{\d+\}| was changed|; ", frame)
        assert max(parts, key=len).strip(" .;:") in everything, frame


def test_every_clause_is_a_text_of_the_grader():
    files = [path for path in (chapters.ROOT / "autograder").rglob("*.py") if path.stem != "words"]
    texts = {
        node.value
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    pieces = {
        piece.strip() for clause in words.CLAUSES for piece in re.split(r"\{\d\}|[()]", clause)
    }
    assert not [piece for piece in pieces if not any(piece in text for text in texts)]


def texts_about_a_submission():
    """Yield what the grader's source says of an exercise or a submission, with X for its fields."""
    for room in ("grading", "intake"):
        for path in (chapters.ROOT / "autograder" / room).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                found = []
                if isinstance(node, ast.Assign) and "headline" in ast.unparse(node.targets[0]):
                    found = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Rejected":
                    found = node.args[1:2]
                for text in found:
                    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                    yield "".join(
                        part.value if isinstance(part, ast.Constant) else "X" for part in parts
                    )


def test_every_text_of_the_grader_has_a_clause():
    texts = {text for text in texts_about_a_submission() if re.search("[a-z]", text)}
    assert len(texts) > 20
    with use_language("zh"):
        assert not [text for text in texts if words.graders_words(text) == text]


def test_what_the_grader_says_is_translated_with_what_it_filled_in():
    with use_language("zh"):
        assert words.graders_words("not graded: a.ipynb") == "没有评分：a.ipynb"
        several = "the file is empty; notes.ipynb is a link"
        assert words.graders_words(several) == "文件是空的；notes.ipynb是链接"
        assert words.graders_words("pe, relu: no answer was written") == (
            "pe, relu：没有写任何答案"
        )
        assert words.graders_words("Errno 28") == "Errno 28"
    assert words.graders_words("the file is empty") == "the file is empty"


def test_a_headline_is_translated_around_the_call():
    english = (
        "f(array (2,)): value 2 of the result: an array of shape (3,) came back; expected a number."
    )
    told = wording.headline(english, "zh")
    assert told.startswith("f(array (2,)): 结果的第2个值：")
    assert "came back" not in told and "an array" not in told
    named = english.replace("the result:", "the result (weights):")
    assert wording.headline(named, "zh").startswith("f(array (2,)): 结果的第2个值（weights）：")


@pytest.mark.parametrize("words", ["." * 1600, "it is " * 300])
def test_what_an_answer_says_may_look_like_a_message_all_through(words):
    """Each dot is taken for the end of a sentence, and each "it is" for its beginning."""
    told = wording.lines(f"  it is {words}", "zh")
    assert told.startswith("  它是") and words[-1000:] in told


def test_two_possible_mistakes_are_both_translated():
    one, other = mistake_messages()[:2]
    told = wording.mistake(f"Possibly: {one} Or: {other}", "zh")
    words = languages.catalogue("mistakes", "zh")
    assert words[one] in told and words[other] in told and "Possibly" not in told


def test_a_chapter_is_translated_as_soon_as_its_lesson_has_a_catalogue(tmp_path, monkeypatch):
    shutil.copytree(chapters.ROOT / "book", tmp_path / "book")
    shutil.copy(chapters.ROOT / "_toc.yml", tmp_path)
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    assert translated_chapters() == CHAPTERS
    catalogue = catalogue_path("notebooks/ch01_rnn_basics/lesson", LOCALE)
    catalogue.parent.mkdir(parents=True)
    catalogue.touch()
    assert translated_chapters() == ["ch01_rnn_basics", *CHAPTERS]


def test_an_unknown_language_is_named_with_those_there_are():
    with pytest.raises(ValueError, match='\'de\'; choose one of "en", "zh"'):
        languages.catalogue("figures", "de")
    with pytest.raises(CourseError, match="there is no language 'de'"), use_language("de"):
        pass


def test_an_assignment_that_is_not_translated_is_refused():
    with use_language("zh"):
        require_translation(CHAPTERS[0])
        with pytest.raises(CourseError, match=f"is not translated.*{CHAPTERS[0]}"):
            require_translation("ch01_rnn_basics")


def test_a_text_with_numbers_is_found_by_its_message():
    words = {"row {1}": "第{1}行", "{1} of {2} rows": "{2}行中的{1}行", "half": "一半"}
    assert filled_in("row 12", words) == "第12行"
    assert filled_in("half of 10 rows", words) == "10行中的一半行"
    assert filled_in("column 1", words) == "column 1"


def test_a_page_is_translated_paragraph_by_paragraph():
    page = (
        "# A title\n\nTwo lines\nof one paragraph with `code`.\n\n> **Predict.** What\n> comes?\n\n"
        "<details><summary>Hint</summary>\n\n- an item\n  goes on\n\n</details>\n\n"
        "| a | $x$ |\n| --- | --- |\n| left | `code` |\n\n"
        ":::{admonition} Title\n:class: tip\nInside.\n:::\n\n```python\nprint('stays')\n```\n"
    )
    assert sorted(messages(page)) == sorted(
        ["A title", "Two lines of one paragraph with `code`.", "**Predict.** What comes?", "Hint"]
        + ["an item goes on", "a", "left", "Title", "Inside."]
    )
    assert reworded(page, lambda text: text) == page
    told = reworded(page, str.upper)
    assert "> **PREDICT.** WHAT COMES?\n\n" in told
    assert (
        "| LEFT | `code` |" in told and ":::{admonition} TITLE\n:class: tip\nINSIDE.\n:::" in told
    )
    assert "print('stays')" in told


def test_english_is_left_as_it_is():
    assert translate("Figure {number}", number="7.1") == "Figure 7.1"
    with use_language("zh"):
        assert translate("Figure {number}", number="7.1") == "图7.1"
    assert figures.language == coursekit.checks.language == "en"


def test_words_beside_a_formula_are_drawn_with_the_characters_of_the_font(monkeypatch, caplog):
    """Of a missing character Matplotlib draws a box, and warns."""
    catalogue = entries(kit_catalogue_path("figures", LOCALE))
    texts = [str(message.string) for message in catalogue if "$" in message.string]
    assert "位置$p$" in texts
    monkeypatch.setattr(figures, "language", "zh")
    with matplotlib.rc_context():
        figures.use_style()
        fig, ax = plt.subplots()
        for text in texts:
            ax.text(0, 0, re.sub(r"\{\d\}", "4", text))
        draw_svg(fig)
        plt.close(fig)
    assert not caplog.messages


@pytest.mark.parametrize(
    "font, characters",
    [
        (cut_font.FOR_FIGURES, cut_font.characters_of_figures),
        (cut_font.FOR_PAGES, cut_font.characters_of_pages),
        (cut_font.FOR_LINK, cut_font.characters_of_link),
    ],
)
def test_the_font_has_every_character(font, characters):
    drawn = TTFont(font).getBestCmap()
    missing = "".join(sorted(c for c in characters() if ord(c) >= 0x4E00 and ord(c) not in drawn))
    assert not missing, f"run `python -m bookext.cut_font`: {missing}"


def test_the_link_to_the_other_edition_leads_only_to_a_page_that_is_there(tmp_path):
    template = (chapters.ROOT / "book" / "_templates" / "editions.html").read_text(encoding="utf-8")
    editions = [{"language": "zh", "name": "中文", "address": "../../html-zh/book/intro"}]
    page = tmp_path / "intro.html"
    without = jinja2.Template(template).render(editions=editions)
    page.write_text(without, encoding="utf-8")
    for is_there in (True, True, False):
        _show_link(page, is_there)
        text = page.read_text(encoding="utf-8")
        assert (' href="../../html-zh/book/intro.html"' in text) == is_there
        assert (" hidden" in text) != is_there
    assert text == without


def test_a_lesson_that_is_not_translated_keeps_its_code_so_that_the_cache_has_its_outputs():
    english = page_notebook("ch02_simple_rnn")
    with use_language("zh"):
        chinese = page_notebook("ch02_simple_rnn")
    code = [[c.source for c in each.cells if c.cell_type == "code"] for each in (english, chinese)]
    assert code[0] == code[1]


@pytest.mark.parametrize("stem", CHAPTERS)
@pytest.mark.parametrize("page", ["lesson", "assignment"])
def test_a_translated_page_does_not_say_that_it_is_in_english(stem, page):
    with use_language("zh"):
        assert catalogue_state(f"notebooks/{stem}/{page}") == 1
        assert catalogue_state(f"notebooks/ch06_transformer_attention/{page}") == 0


def test_the_chinese_edition_folds_what_an_english_page_asks_to_predict():
    """Only some chapters are translated; the others ask in English there, too."""
    output = nodes.container("", nb_element="cell_code_output")
    cell = nodes.container("", output, nb_element="cell_code")
    question = nodes.block_quote("", nodes.paragraph(text="Predict. What comes?"))
    answer = nodes.raw("", "<details><summary>Answer</summary>", format="html")
    document = new_document("a page")
    document += [question, cell, answer]
    with use_language("zh"):
        _FoldPredicted(document).run()
    assert cell["hide_mode"] == "output"


def test_chinese_punctuation_is_held_at_a_formula():
    paragraph = nodes.paragraph(
        "", nodes.Text("宽度（"), nodes.math("", "d"), nodes.Text("），所以")
    )
    document = new_document("a page")
    document += paragraph
    _hold_punctuation(None, document)
    assert [part.astext() for part in paragraph] == ["宽度", "（d），", "所以"]
