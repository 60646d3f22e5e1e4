"""Feedback, class report and table of marks: they say what they should, and nothing gets through.

Every page is built from plain results and from hostile text, and the browser tests load it the
way a reader does.
"""

import base64
import csv
import io
import json
import random
import re
import struct
import time
import tracemalloc
import zlib
from dataclasses import replace
from html.parser import HTMLParser

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output
from PIL import Image, PngImagePlugin
from small_course import feedback_page

from autograder.building.made_up_submissions import reference_answers
from autograder.building.source_notebook import source_notebook
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.grading.outputs import InertOutputs
from autograder.reports.cells import student_cells
from autograder.reports.class_report import RunFacts, class_report_html
from autograder.reports.marks import marks_csv
from autograder.results import (
    WRITTEN_ABOVE,
    WRITTEN_BELOW,
    ExerciseResult,
    Flag,
    Outcome,
    Result,
    Status,
)
from coursekit.checks.wording import COMPARED

STEM = chapter_stems()[0]
CHAPTER = load_chapter(STEM)
BOOK = "https://example.org/book/"
RUN = RunFacts(started="2 March 2026, 09:12", graded=36, seconds=74.0, workers=2)
# Text that does something wherever it is taken for markup.
HOSTILE = {
    "script": "<script>document.title = 'owned'; alert(1)</script>",
    "handler": "<img src=x onerror=\"document.title = 'owned'; alert(2)\">",
    "svg": '<svg onload="alert(3)"><script>alert(4)</script></svg>',
    "link": "[click](javascript:alert(5)) <a href='javascript:alert(6)'>x</a>",
    "style": "</style><style>body { display: none }</style>",
    "title": "</title><script>alert(7)</script>",
    "pre": "</code></pre></details></main><h1>0wned</h1>",
    "attribute": '" onmouseover="alert(8)" autofocus onfocus=\'alert(9)',
    "template": "{{ 7 * 7 }}{% raw %}${7*7}",
    "comment": "<!-- <![CDATA[ -->",
    "frame": '<iframe src="https://example.org/x"></iframe><meta http-equiv=refresh content=0>',
    "bidi": "safe\u202egnp.exe\u2066\u200f",
    "control": "nul\x00 bell\x07 escape\x1b[31mred\x1b[0m c1\x9b delete\x7f",
    "surrogate": "lone \ud800 \udfff",
}
ALL = " ".join(HOSTILE.values())
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def exercise_results(**changes):
    """Return the verdicts of a full-mark submission with some replaced, by exercise id."""
    verdicts = (
        ExerciseResult(e.id, e.check_id, e.title, e.points, e.points, Outcome.PASSED)
        for e in CHAPTER.exercises
    )
    return tuple(
        replace(verdict, **_without_points(changes.get(verdict.exercise, {})))
        for verdict in verdicts
    )


def _without_points(changes):
    passed = changes.get("outcome", Outcome.PASSED) is Outcome.PASSED
    return changes if passed else changes | {"points": 0.0}


def executed_notebook(answers=None, outputs=None, extra=()):
    """Return the graded notebook as text, with ``outputs`` under the answer cells."""
    notebook = source_notebook(CHAPTER)
    answers = reference_answers(STEM) | (answers or {})
    for cell in notebook.cells:
        grade_id = cell.metadata.nbgrader.grade_id
        if grade_id in answers:
            cell.source = answers[grade_id]
            cell.outputs = (outputs or {}).get(grade_id, [])
        elif cell.metadata.nbgrader.grade:
            verdict = ["OUTPUT OF A GRADED CELL"]
            cell.outputs = [new_output("error", ename="E", evalue="", traceback=verdict)]
    notebook.cells += extra
    return nbformat.writes(notebook)


def result(student="ada", notebook="", status=Status.GRADED, reason="", flags=(), **changes):
    verdicts = exercise_results(**changes)
    return Result(
        student,
        STEM,
        status,
        reason,
        verdicts,
        tuple(flags),
        notebook,
        student_cells(notebook, verdicts),
        seconds=1.5,
        submitted_at="2026-03-02 11:20:00 UTC",
    )


def class_page(results, run=RUN):
    """Return the report on a class of which nothing but the results is known."""
    nothing = {"changes": (), "similarity_hints": False, "gradebook_error": "", "names": None}
    return class_report_html(results, CHAPTER, run, **nothing)


def table(results):
    return marks_csv(results, missing=(), names=None)


def first(**changes):
    """Return changes to the first exercise's verdict."""
    return {CHAPTER.exercises[0].id: changes}


def hostile_result(text=ALL):
    """Return a result that carries a text wherever a submission can put one."""
    answer = CHAPTER.exercises[0].id
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": [text, 3]},
        {"output_type": "stream", "name": "stderr", "text": text},
        {"output_type": "stream", "name": text, "text": text},
        {"output_type": "error", "ename": text, "evalue": text, "traceback": [text, text]},
        {"output_type": "error", "ename": text, "evalue": text, "traceback": {}},
        {"output_type": "display_data", "data": {"text/html": text, "text/plain": text}},
        {"output_type": "display_data", "data": {"image/svg+xml": text, "text/markdown": text}},
        {"output_type": "display_data", "data": {"image/png": "", "text/plain": [text]}},
        {"output_type": "display_data", "data": {"application/javascript": text}},
        {"output_type": "execute_result", "data": {"text/html": {text: text}}},
        {"output_type": "execute_result", "data": text, "metadata": {text: text}},
        {"output_type": text, "text": text},
        text,
    ]
    cells = [
        {
            "cell_type": "code",
            "source": text,
            "metadata": {"nbgrader": {"grade_id": answer, "solution": True, "grade": False}},
            "outputs": outputs,
        },
        {"cell_type": "code", "source": [text, None], "metadata": {}, "outputs": outputs},
        {"cell_type": "markdown", "source": text, "metadata": {}},
        {"cell_type": "code", "source": text, "metadata": {"nbgrader": text}},
        {"cell_type": text, "source": 3, "metadata": [], "outputs": 7},
        text,
    ]
    failed = {"outcome": Outcome.FAILED, "headline": f"{text}(f): {text}", "detail": text}
    changes = {e.id: failed | {"hidden": True} for e in CHAPTER.exercises}
    changes[answer] = failed | {"mistake": text}
    notebook = json.dumps({"cells": cells})
    made = result(text, notebook, Status.NEEDS_REVIEW, text, [Flag.SYMLINK], **changes)
    return replace(made, submitted_at=text)


class Page(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.words, self.style = [], [], [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attrs]
        self.style = tag == "style"

    def handle_endtag(self, tag):
        self.style = False

    def handle_data(self, data):
        if not self.style:
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words))


def words(html):
    return Page(html).text


def png(size=(4, 3), **extras):
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, "PNG", **extras)
    return base64.b64encode(file.getvalue()).decode()


def with_picture(encoded):
    answer = CHAPTER.exercises[0].id
    shown = new_output("display_data", data={"image/png": encoded, "text/plain": "a Figure"})
    output = InertOutputs().of(shown)
    return feedback_page(result(notebook=executed_notebook(outputs={answer: [output]})))


# --- feedback says what it should ----------------------------------------------------------------


def test_full_marks_are_said_and_nothing_is_asked():
    page = words(feedback_page(result(notebook=executed_notebook()), BOOK))
    assert "20 of 20 points" in page
    assert "Well done" in page
    assert "What to try next" not in page
    for exercise in CHAPTER.exercises:
        assert exercise.title in page


def test_a_visible_failure_shows_the_call_the_finding_the_values_and_the_mistake():
    failed = first(
        outcome=Outcome.FAILED,
        headline="rmse(array (2,), array (2,)): the number differs.",
        detail="  called: rmse([1, 2], [1, 4])\n  2 came back; expected 1.414214",
        mistake="This is the mean squared error. Its square root is missing.",
    )
    html = feedback_page(result(**failed), BOOK)
    page = words(html)
    assert "rmse(array (2,), array (2,)) the number differs." in page
    assert "2 came back; expected 1.414214" in page
    assert "Known mistake: This is the mean squared error. Its square root is missing." in page
    assert "What to try next" in page
    lesson = f"https://example.org/book/notebooks/{STEM}/lesson.html"
    assert f'href="{lesson}"' in html
    assert "in the lesson, under Activation functions." in page
    assert f'href="{lesson}#activation-functions"' in html


def test_a_comparison_is_shown_to_the_student_and_no_known_mistake_of_the_class():
    sentence = COMPARED + "every number has the opposite sign."
    compared = first(
        outcome=Outcome.FAILED,
        headline="rmse(array (2,), array (2,)): the number differs.",
        mistake=sentence,
    )
    html = feedback_page(result(**compared), BOOK)
    assert sentence in words(html)
    assert "<strong>Compared with the expected result:</strong>" in html
    page = words(class_page([result(**compared)]))
    assert "No known mistake was met." in page
    assert "opposite sign" not in page


def test_the_class_report_lists_who_failed_with_an_answer_that_theirs_calls():
    heading = "Failed together with an answer that they call"
    exercise, other = CHAPTER.exercises[:2]
    failed = {"outcome": Outcome.FAILED, "headline": "the number differs."}
    alone = result("ada", **{exercise.id: failed})
    both = {exercise.id: failed, other.id: failed | {"failed_calls": "sigmoid"}}
    assert heading not in words(class_page([alone]))

    page = words(class_page([alone, result("bob", **both)]))
    section = page.partition(heading)[2].partition("Exercise by exercise")[0]
    assert f"Exercise 2 · {other.title} calls sigmoid. Whose bob" in section
    assert exercise.title not in section


def test_without_a_book_there_is_no_link_to_it():
    html = feedback_page(result(**first(outcome=Outcome.NOT_WRITTEN)))
    assert "in the lesson, under “Activation functions”." in words(html)
    links = [value for tag, name, value in Page(html).attributes if (tag, name) == ("a", "href")]
    assert links and all(link.startswith("#exercise-") for link in links)


def test_an_essay_that_was_not_begun_has_no_stub_to_look_for():
    essay = {"outcome": Outcome.NOT_WRITTEN, "headline": "no answer was written"}
    page = words(feedback_page(result(**first(**essay))))
    assert "This answer is still as it was handed out." in page
    assert "raise NotImplementedError()" not in page
    assert "raise NotImplementedError()" in words(
        feedback_page(result(**first(outcome=Outcome.NOT_WRITTEN)))
    )


def test_the_file_of_another_chapter_is_told_to_hand_in_this_ones():
    reason = "this is the notebook of another assignment, ch02_simple_rnn"
    waiting = {e.id: {"outcome": Outcome.NOT_GRADED} for e in CHAPTER.exercises}
    flags = [Flag.ANSWER_MISSING, Flag.OTHER_ASSIGNMENT]
    page = words(feedback_page(result("ada", "", Status.NEEDS_REVIEW, reason, flags, **waiting)))
    assert "This is the file of another assignment" in page and reason in page
    assert "Find the assignment.ipynb of this chapter" in page
    assert "take up next" not in page and "take a fresh copy" not in page
    assert "of 20 points" not in page and "Exercise 1" not in page
    marked = dict.fromkeys(waiting, {"outcome": Outcome.BY_HAND})
    page = words(feedback_page(result("ada", "", Status.GRADED, "", flags, **marked)))
    assert "of 20 points" in page and page.count("Marked by your instructor") == 2 * len(marked)
    assert "What to try next" not in page  # ten times the same


@pytest.mark.parametrize("where", [WRITTEN_ABOVE, WRITTEN_BELOW])
def test_who_wrote_in_another_cell_is_sent_to_its_own_until_a_person_has_marked_it(where):
    elsewhere = {"headline": f"{CHAPTER.exercises[0].id}: {where}"}
    page = words(feedback_page(result(**first(outcome=Outcome.NOT_GRADED, **elsewhere))))
    assert "A notebook is graded from its first cell to its last" in page
    page = words(feedback_page(result(**first(outcome=Outcome.BY_HAND, **elsewhere))))
    assert "Your instructor has read this answer" in page
    assert "A notebook is graded from its first cell to its last" not in page


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.PASSED])
def test_every_outcome_has_its_words_and_a_next_step(outcome):
    page = words(feedback_page(result(**first(outcome=outcome))))
    assert "What to try next" in page
    assert "_" not in page.replace(CHAPTER.stem, "")


@pytest.mark.parametrize(
    ("mistake", "advice"),
    [
        ("A value is lost.", "Find the line of your answer that does this"),
        ("Possibly: A value is lost.", "If your answer does this, change that line alone"),
    ],
)
def test_what_to_try_next_is_as_certain_as_the_name_of_the_mistake(mistake, advice):
    page = words(feedback_page(result(**first(outcome=Outcome.FAILED, mistake=mistake))))
    assert advice in page


def test_of_a_hidden_failure_only_headline_and_mistake_are_shown():
    failed = first(
        outcome=Outcome.FAILED,
        headline="f(array (3, 4)): it raised ValueError. (a hidden check)",
        detail="SECRET 0.123456",
        mistake="A value is lost at the cut.",
        hidden=True,
    )
    html = feedback_page(result(notebook=executed_notebook(), **failed), BOOK)
    assert "SECRET" not in html
    page = words(html)
    assert "it raised ValueError." in page
    assert "A value is lost at the cut." in page
    assert "What a hidden check found" in page


def test_graded_cells_are_never_shown():
    html = feedback_page(result(notebook=executed_notebook()), BOOK)
    for secret in ("autograder", "hidden.", "OUTPUT OF A GRADED CELL"):
        assert secret not in html


def test_the_students_cells_stand_under_their_exercise_with_what_they_printed():
    second = CHAPTER.exercises[1].id
    progress = "1/2 \x1b[32m━\x1b[0m\r\x1b[1m2/2\x1b[0m done\n"
    outputs = [new_output("stream", name="stdout", text=text) for text in ("one, ", "two\n")]
    outputs.append(new_output("stream", name="stderr", text=progress))
    extra = [new_code_cell("my_own_helper = 1", metadata={})]
    notebook = executed_notebook(outputs={second: outputs}, extra=extra)
    page = words(feedback_page(result(notebook=notebook)))
    one, two, last = (page.index(f"Exercise {n} ") for n in (1, 2, len(CHAPTER.exercises)))
    assert one < page.index(f"def {CHAPTER.exercises[0].id}(") < two
    assert two < page.index("one, two") < page.index("2/2 done") < last
    assert last < page.index("my_own_helper")
    assert "1/2" not in page
    assert "import keras" not in page, "set-up cells are ours"


@pytest.mark.parametrize(
    "status", [Status.NO_RESPONSE, Status.INVALID_NOTEBOOK, Status.TOO_LARGE, Status.REFUSED]
)
def test_what_could_not_be_graded_gets_a_reason_and_a_remedy(status):
    nothing = {e.id: {"outcome": Outcome.NOT_GRADED} for e in CHAPTER.exercises}
    made = result(status=status, reason="assignment.ipynb has 99 MB", **nothing)
    page = words(feedback_page(made, BOOK))
    assert re.search("hand (in|the|that|it)", page, re.IGNORECASE)
    assert ("99 MB." in page) == (status is not Status.NO_RESPONSE)
    assert "points" not in page


def test_needs_review_says_that_the_points_may_change():
    page = words(feedback_page(result(status=Status.NEEDS_REVIEW, reason="a cell is missing")))
    assert "may still change" in page
    assert "a cell is missing." in page
    assert "20 of 20" in page


def test_a_student_sees_flags_about_his_notebook_but_not_about_the_grading():
    flags = [Flag.CHECK_EDITED, Flag.NO_SANDBOX, Flag.UNTESTED_IPYKERNEL, Flag.MANUAL_MARK_DROPPED]
    page = words(feedback_page(result(flags=flags)))
    assert Flag.CHECK_EDITED.value in page
    assert Flag.NO_SANDBOX.value not in page and "ipykernel" not in page
    assert Flag.MANUAL_MARK_DROPPED.value not in page


@pytest.mark.parametrize(
    "notebook",
    ["", "no JSON", "[]", '{"cells": 3}', '{"cells": [1, null]}', "[" * 100_000],
    ids=["empty", "text", "list", "number", "cells", "deep"],
)
def test_a_notebook_that_cannot_be_read_leaves_the_verdicts(notebook):
    assert "20 of 20 points" in words(feedback_page(result(notebook=notebook)))


# --- pictures ------------------------------------------------------------------------------------


def test_a_png_is_shown_encoded_anew():
    note = PngImagePlugin.PngInfo()
    note.add_text("Comment", "SECRET")
    html = with_picture(png(pnginfo=note, icc_profile=b"SECRET", exif=b"SECRET"))
    (source,) = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    data = base64.b64decode(source)
    assert b"SECRET" not in data
    assert not [chunk for chunk in (b"tEXt", b"iCCP", b"eXIf") if chunk in data]
    with Image.open(io.BytesIO(data)) as image:
        assert image.size == (4, 3)
        assert image.getpixel((0, 0))[:3] == (255, 0, 0)


@pytest.mark.parametrize(
    "encoded",
    [
        base64.b64encode(b"<svg xmlns='x' onload='alert(1)'/>").decode(),
        base64.b64encode(b"GIF89a\x01\x00\x01\x00" + b"\x00" * 40).decode(),
        base64.b64encode(base64.b64decode(png())[:40]).decode(),
        '"><script>alert(1)</script>',
        png(size=(4000, 4000)),
        "é",
    ],
    ids=["svg", "gif", "cut", "markup", "large", "letter"],
)
def test_what_is_no_sound_png_is_shown_by_its_text(encoded):
    html = with_picture(encoded)
    assert "<img" not in html
    assert "a Figure" in words(html)


def test_what_stands_in_the_place_of_a_picture_is_an_address_and_nothing_more():
    output = new_output("display_data", data={"image/png": '"><script>alert(1)</script>'})
    notebook = executed_notebook(outputs={CHAPTER.exercises[0].id: [output]})
    page = Page(feedback_page(result(notebook=notebook)))
    assert "script" not in page.tags
    assert ("img", "src", 'data:image/png;base64,"><script>alert(1)</script>') in page.attributes


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_a_png_that_lies_about_its_size_is_not_decoded(monkeypatch):
    """Its first chunk says one pixel where a size is looked for; the second is the true one."""
    size = struct.pack(">II", 13_000, 13_000)
    header = chunk(b"IHDR", size + bytes([8, 2, 0, 0, 0]))
    lines = zlib.compress(bytes(13_000 * 100))
    for first_chunk in (chunk(b"teSt", struct.pack(">II", 1, 1)), b""):
        data = b"\x89PNG\r\n\x1a\n" + first_chunk + header + chunk(b"IDAT", lines)
        encoded = base64.b64encode(data + chunk(b"IEND", b"")).decode()
        tracemalloc.start()
        assert "<img" not in with_picture(encoded)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 20 * 2**20


def test_a_picture_is_decoded_when_it_comes_from_the_kernel_and_not_again(monkeypatch):
    output = InertOutputs().of(new_output("display_data", data={"image/png": png()}))

    def opened(*arguments, **keywords):
        raise AssertionError("decoded again")

    monkeypatch.setattr("PIL.Image.open", opened)
    html = feedback_page(
        result(notebook=executed_notebook(outputs={CHAPTER.exercises[0].id: [output]}))
    )
    assert f'<img src="data:image/png;base64,{output.data["image/png"]}"' in html


def test_a_page_is_made_without_rendering_what_a_submission_holds(monkeypatch):
    """The worker has done that, under its limits; whoever writes pages is not held up."""
    outputs = [new_output("display_data", {"image/png": png(), "text/plain": "a Figure"})]
    answer = CHAPTER.exercises[0].id
    made = result(notebook=executed_notebook({answer: "x = 1"}, {answer: outputs}))
    made = Result.from_json(json.loads(json.dumps(made.to_json())))

    def rendered(*arguments, **keywords):
        raise AssertionError("rendered again")

    monkeypatch.setattr("pygments.format", rendered)
    monkeypatch.setattr("PIL.Image.open", rendered)
    html = feedback_page(made)
    assert '<img src="data:image/png;base64,' in html
    assert '<span class="n">x</span>' in html


def test_source_whose_colours_take_too_long_is_shown_without(monkeypatch):
    monkeypatch.setattr("autograder.reports.cells.SECONDS_OF_COLOURS", 0.0)
    answer = CHAPTER.exercises[0].id
    html = feedback_page(result(notebook=executed_notebook({answer: "x = '<b>'"})))
    assert "<code>x = &#39;&lt;b&gt;&#39;</code>" in html


# --- nothing gets through ------------------------------------------------------------------------


def pages(made):
    """Build every page that carries a result."""
    others = [result("bert"), result("cleo", **first(outcome=Outcome.FAILED, mistake=ALL))]
    settled, refused = (replace(made, status=s) for s in (Status.GRADED, Status.REFUSED))
    return {
        "feedback": feedback_page(made, BOOK),
        "refused": feedback_page(refused, BOOK),
        "class": class_page([made, *others]),
        "settled": class_page([settled, *others]),
    }


TAGS = (
    "html head meta title link style body main header section nav p h1 h2 h3 a bdi strong em ol ul "
    "li span div details summary figure pre code img footer table thead tbody tr th td abbr br dl "
    "dt dd svg line rect text"
).split()


@pytest.mark.parametrize("name", [*HOSTILE, "all"])
def test_hostile_text_stays_text(name):
    for html in pages(hostile_result(HOSTILE.get(name, ALL))).values():
        html.encode("utf-8")
        assert not UNSEEN.search(html)
        assert html.count("<style") == html.count("</style") == 1
        assert html.count("<title") == html.count("</title") == 1
        page = Page(html)
        assert set(page.tags) <= set(TAGS)
        assert "0wned" not in page.text or "<h1>0wned" in page.text
        for _, attribute, value in page.attributes:
            assert not attribute.startswith("on")
            assert attribute != "style"
            if attribute in ("href", "src"):
                assert re.match(r"#|\.\./feedback/|https://example\.org/book/|data:", value)


def test_hostile_text_can_still_be_read():
    page = words(feedback_page(hostile_result(ALL), BOOK))
    for name in ("handler", "link", "template", "pre"):
        assert HOSTILE[name] in page
    assert "safe⟨U+202E⟩gnp.exe" in page
    assert "nul␀ bell␇" in page


@pytest.mark.parametrize("name", ["feedback", "class"])
def test_a_page_carries_its_policy_before_anything_else(name):
    html = pages(hostile_result())[name]
    (policy,) = [
        value
        for tag, attribute, value in Page(html).attributes
        if (tag, attribute) == ("meta", "content") and "-src" in value
    ]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy and "http" not in policy
    place = html.index("Content-Security-Policy")
    assert place < html.index("<title") < html.index("<style")


def test_a_megabyte_on_one_line_is_shortened_and_does_not_take_long():
    started = time.process_time()
    html = feedback_page(hostile_result("<" * 2**20), BOOK)
    assert time.process_time() - started < 10
    assert len(html) < 5 * 2**20
    assert "characters are left out here" in html


@pytest.mark.parametrize(
    "text", ["\x1b[" * 2**19, "\r" * 2**20, "(" * 9_999, 'f"{' * 3_300], ids=range(4)
)
def test_text_made_to_be_slow_is_not(text):
    started = time.process_time()
    feedback_page(hostile_result(text), BOOK)
    assert time.process_time() - started < 10


# --- the class report ----------------------------------------------------------------------------


def classroom(size):
    """Return a class in which the first exercise is hard and one mistake frequent."""
    rng = random.Random(size)
    made = []
    for number in range(size):
        failed = first(outcome=Outcome.FAILED, mistake="A value is lost.") if number % 2 else {}
        made.append(result(f"student{number:03}", **failed))
        made[-1] = replace(made[-1], seconds=rng.uniform(0.5, 4))
    return made


@pytest.mark.parametrize("size", [0, 1, 36, 500])
def test_a_class_of_any_size_is_reported_quickly(size):
    results = classroom(size)
    started = time.process_time()  # which does not depend on who else wants a core
    html = class_page(results)
    assert time.process_time() - started < 2
    page = words(html)
    assert ("No submission has come in yet." in page) == (size == 0)
    assert ("Submissions by points" in page) == (size > 0)
    assert (f"<dd>{size}</dd>" in html) == (size > 0)


def test_the_report_names_the_exercise_to_go_through_again_and_its_mistake():
    html = class_page(classroom(36))
    page = words(html)
    title, points = CHAPTER.exercises[0].title, CHAPTER.exercises[0].points
    assert f"Exercise 1 · {title}. 18 of 36 passed (50 %)." in page
    assert "18 of the 18 who failed share one mistake: A value is lost." in page
    assert "100 % of the 18 who failed it" in page
    assert f'aria-label="Submissions by points: {20 - points:g} points: 18, 20 points: 18."' in html


def test_what_needs_a_decision_comes_first_and_counts_in_no_average():
    results = classroom(4)
    reason = "an answer cell is missing"
    results[0] = replace(results[0], status=Status.NEEDS_REVIEW, reason=reason)
    results[2] = results[2].flagged(Flag.CHECK_DELETED).flagged(Flag.NO_SANDBOX)
    page = words(class_page(results))
    assert page.index("needs review: an answer cell is missing") < page.index("At a glance")
    assert page.index(Flag.CHECK_DELETED.value) < page.index("At a glance")
    assert "3 submissions whose marks stand; 1 waits for your decision" in page
    assert "with full marks (1 of 3)" in page


def test_whoever_handed_in_no_answer_is_named_for_the_instructor_to_look_at():
    results = classroom(4)
    results[1] = replace(results[1], status=Status.NO_RESPONSE, reason="no answer was written")
    page = words(class_page(results))
    assert "Handed in without an answer, perhaps another copy of the file 1 student001" in page
    assert "Nothing: every submission" not in page


def test_code_in_the_name_of_a_mistake_is_code_and_all_else_is_escaped():
    results = classroom(4)
    first, *others = results[0].exercises
    mistake = "Write `a < b` in place of `b`. Neither <b> nor ` alone"
    failed = replace(first, points=0.0, outcome=Outcome.FAILED, mistake=mistake.rpartition(" N")[0])
    page = class_page([replace(results[0], exercises=(failed, *others))])
    assert "Write <code>a &lt; b</code> in place of <code>b</code>." in page
    unpaired = replace(results[0], exercises=(replace(failed, mistake=mistake), *others))
    page = class_page([unpaired])
    assert "Neither &lt;b&gt; nor ` alone" in page and "<code>a" not in page


def test_a_run_without_a_sandbox_is_marked_once_at_the_top():
    results = [one.flagged(Flag.NO_SANDBOX) for one in classroom(4)]
    page = words(class_page(results, replace(RUN, sandboxed=False)))
    assert page.count("Graded without a sandbox") == 1
    assert "Nothing: every submission was graded as it came in" in page


def test_results_of_an_earlier_run_without_a_sandbox_are_counted():
    results = classroom(4)
    assert "without a sandbox" not in words(class_page(results))
    results[1] = results[1].flagged(Flag.NO_SANDBOX)
    assert "1 of 4 graded without a sandbox." in words(class_page(results))


def test_an_untested_version_of_ipykernel_is_named_once_at_the_top():
    results = classroom(4)
    assert "ipykernel" not in words(class_page(results))
    results[1] = results[1].flagged(Flag.UNTESTED_IPYKERNEL)
    page = words(class_page(results))
    assert "1 of 4 were run by a version of ipykernel that" in page
    everybody = [one.flagged(Flag.UNTESTED_IPYKERNEL) for one in classroom(4)]
    page = words(class_page(everybody))
    assert page.count("Run by a version of ipykernel") == 1
    assert "Nothing: every submission was graded as it came in" in page


def test_a_chapters_report_says_that_answers_were_judged_outside():
    page = words(class_page(classroom(2)))
    assert "judged outside the student’s own process" in page and "own processes" not in page


def test_links_lead_to_the_feedback():
    made = result("../a b/<c>?#", flags=[Flag.SYMLINK])
    html = class_page([made])
    assert f'href="../feedback/..%2Fa%20b%2F%3Cc%3E%3F%23/{STEM}/assignment.html"' in html


def test_every_outcome_is_counted():
    results = [result(f"s{n}", **first(outcome=outcome)) for n, outcome in enumerate(Outcome)]
    html = class_page(results)
    assert (
        'aria-label="passed: 1, failed: 1, time limit: 1, memory limit: 1, ended Python: 1, '
        'not written: 1, not graded: 1, marked by hand: 1"' in html
    )


# --- the table of marks --------------------------------------------------------------------------


def rows(results):
    text = table(results)
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:])))


def test_the_table_has_a_row_a_student_and_a_column_an_exercise():
    partly = result("zoë", **first(outcome=Outcome.FAILED))
    header, ada, zoe = rows([partly, result("ada", flags=[Flag.UPGRADED, Flag.NETWORK])])
    assert header[:4] == ["student", "status", "total", "max"]
    assert header[4:-3] == [exercise.id for exercise in CHAPTER.exercises]
    assert header[-3:] == ["hours_late", "penalty", "flags"]
    assert ada[:4] == ["ada", "graded", "20", "20"]
    assert ada[-1] == f"{Flag.UPGRADED.value}; {Flag.NETWORK.value}"
    assert zoe[0] == "zoë"
    assert zoe[4] == "0"
    assert float(zoe[2]) == 20 - CHAPTER.exercises[0].points == sum(map(float, zoe[4:-3]))


def test_the_table_and_the_pages_say_how_late_a_submission_is_and_what_it_costs():
    late = replace(result("ada"), seconds_late=90_000.0, penalty=5.0)
    header, row = rows([late])
    said = dict(zip(header, row, strict=True))
    assert (said["total"], said["hours_late"], said["penalty"]) == ("15", "25", "5")
    page = feedback_page(late)
    assert "<strong>15</strong> of 20 points" in page
    assert "1 day 1 h after the due date" in page
    assert "1 day 1 h" in class_page([late])
    assert "Late" not in class_page([result("ada")])


def test_the_same_results_give_the_same_table_in_any_order():
    results = classroom(20)
    shuffled = random.Random(0).sample(results, len(results))
    assert table(results) == table(shuffled)
    assert rows([]) == [["student", "status", "total", "max", "hours_late", "penalty", "flags"]]


@pytest.mark.parametrize(
    "student", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", '=cmd|"/c"!A']
)
def test_no_cell_is_run_as_a_formula(student):
    _, row = rows([result(student)])
    assert row[0].startswith("'")
    assert not re.search(r"[\t\r\n]", row[0])


def test_the_table_can_be_encoded_and_stays_in_its_rows():
    text = table([hostile_result(ALL + '","=1\r\n"evil","graded","20')])
    text.encode("utf-8")
    assert all(re.fullmatch(r'\ufeff?".*"', line) for line in text.splitlines())
    assert len(list(csv.reader(io.StringIO(text)))) == len(text.splitlines()) == 2


# --- in a browser --------------------------------------------------------------------------------

# Lists the texts whose contrast with what lies behind them is below 4.5 : 1.
POOR_CONTRAST = r"""() => {
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = numbers(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const words = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!words || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const ink = numbers(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(ink.slice(0, 3)), light(ground(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(element.outerHTML.slice(0, 120));
  }
  return poor;
}"""
OPEN_ALL = "document.querySelectorAll('details').forEach((d) => (d.open = true))"


@pytest.fixture
def show(browser, tmp_path):
    """Return a function that opens a page and keeps what it says, asks for and pops up."""
    opened = []

    def show(html, **options):
        file = tmp_path / f"page{len(opened)}.html"
        file.write_text(html, encoding="utf-8")
        page = browser.new_page(**options)
        opened.append(page)
        page.events = []
        page.on("console", lambda message: page.events.append(message.text))
        page.on("pageerror", lambda error: page.events.append(str(error)))
        page.on("dialog", lambda dialog: (page.events.append(dialog.message), dialog.dismiss()))
        page.on("requestfinished", lambda request: page.events.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_timeout(100)
        page.events = [event for event in page.events if event not in (file.as_uri(), "data:,")]
        return page

    yield show
    for page in opened:
        page.close()


@pytest.mark.parametrize("name", ["feedback", "refused", "class", "settled"])
def test_a_browser_runs_nothing_asks_for_nothing_and_complains_of_nothing(show, name):
    page = show(pages(hostile_result())[name])
    page.evaluate(OPEN_ALL)
    page.mouse.move(200, 200)
    page.wait_for_timeout(100)
    assert page.events == []
    assert page.title() != "owned"
    # The style applies, so the policy holds its hash.
    assert page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") != "none"


def test_the_policy_alone_stops_what_would_slip_through(show):
    attack = (
        "<script>document.title = 'owned'</script>"
        "<img src='https://example.org/a.png' onerror=\"document.title = 'owned'\">"
        "<img src='x' onerror=\"document.title = 'owned'\">"
        "<style>main { display: none }</style><link rel=stylesheet href='https://example.org/a'>"
        "<iframe src='https://example.org/'></iframe><p id=p style='display: none'>p</p><main"
    )
    page = show(feedback_page(result(), BOOK).replace("<main", attack, 1))
    assert page.title() != "owned"
    assert page.locator("h1").is_visible()
    assert page.locator("#p").is_visible()
    assert page.events
    assert all("Content Security Policy" in event for event in page.events)


def telling_pages():
    """Build pages in which every kind of text is to be seen."""
    answer = CHAPTER.exercises[0].id
    outputs = [
        new_output("stream", name="stdout", text="out " * 80),
        new_output("stream", name="stderr", text="warned"),
        new_output("error", ename="E", evalue="v", traceback=["-" * 75, "E: v"]),
        new_output("display_data", data={"image/png": png((1500, 60))}),
    ]
    source = '@decorated  # why\nclass A:\n    """Text."""\n    x = 1.5 + 2 if None else f"{y}"'
    notebook = executed_notebook({answer: source + " " * 60 + "# far"}, {answer: outputs})
    failed = {"headline": f"{answer}({'array (2, 3), ' * 9}): differs.", "detail": "x" * 500}
    kinds = [outcome for outcome in Outcome if outcome is not Outcome.PASSED]
    changes = {
        exercise.id: failed | {"outcome": outcome, "mistake": "w_h is used transposed"}
        for exercise, outcome in zip(CHAPTER.exercises, kinds, strict=False)
    }
    one = result("ada" * 30, notebook, Status.NEEDS_REVIEW, "why", [Flag.CHECK_EDITED], **changes)
    results = [*classroom(20), one, result("mo" * 40, flags=[Flag.NETWORK, Flag.SYMLINK])]
    results += [result(f"x{n}", **first(outcome=outcome)) for n, outcome in enumerate(Outcome)]
    return {
        "feedback": feedback_page(one, BOOK),
        "refused": feedback_page(result(status=Status.REFUSED, reason="y" * 300), BOOK),
        "class": class_page(results, replace(RUN, sandboxed=False)),
        "empty": class_page([]),
    }


@pytest.mark.parametrize("name", ["feedback", "refused", "class", "empty"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_fits_its_screen_and_can_be_read(show, name, scheme, width):
    viewport = {"width": width, "height": 800}
    page = show(telling_pages()[name], viewport=viewport, color_scheme=scheme)
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(POOR_CONTRAST) == []
    headings = "[...document.querySelectorAll('h1, h2, h3')].map((h) => Number(h.tagName[1]))"
    levels = page.evaluate(headings)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False))
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.events == []
