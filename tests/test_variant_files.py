"""How a file of variants is read: answers in full, edits of right answers, and what is refused."""

import ast
from types import SimpleNamespace

import pytest

from autograder.cli import main
from autograder.course import chapters, variants
from autograder.course.variants import load_variants, require_answers, variant_functions
from autograder.course_error import CourseError
from coursekit.checks import INPUT_CHANGED, ch01_rnn_basics

RIGHT = """\
# %% exercise="score" right="one line"
def score(x, w, v):
    return np.tanh(x @ w) @ v


"""
TOP = """\
# %%
NO_TANH = "The tanh is left out."


"""


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Read a text as the bank of a chapter with two exercises, `score` and `other`."""
    exercises = [SimpleNamespace(id=name, names=(name,)) for name in ("score", "other")]
    chapter = SimpleNamespace(exercises=exercises, checks=ch01_rnn_basics)
    path = tmp_path / "solutions" / "variants" / "chNN.py"
    path.parent.mkdir(parents=True)
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    monkeypatch.setattr(variants, "load_chapter", lambda stem: chapter)

    def read(text):
        path.write_text(text, encoding="utf-8")
        load_variants.cache_clear()
        return load_variants("chNN")

    yield read
    load_variants.cache_clear()


def test_without_a_name_the_command_lists_the_answers_to_an_exercise(capsys):
    assert main(["variant", "ch01_rnn_basics", "sigmoid"]) == 0
    lines = capsys.readouterr().out.splitlines()
    known = {each.name for each in variants.variants_of("ch01_rnn_basics", "sigmoid")}
    assert len(lines) == len(known) and any(line.endswith(" (right)") for line in lines)
    assert all(": " in line for line in lines if not line.endswith(" (right)"))


@pytest.mark.parametrize("stem", chapters.chapter_stems())
def test_no_answer_needs_a_function_that_a_later_exercise_asks_for(stem):
    exercises = chapters.load_chapter(stem).exercises
    asked_for = {name: place for place, each in enumerate(exercises) for name in each.names}
    places = {each.id: place for place, each in enumerate(exercises)}
    for variant in load_variants(stem):
        nodes = ast.walk(ast.parse(variant.source))
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        later = [n for n in used & asked_for.keys() if asked_for[n] > places[variant.exercise]]
        assert not later, variant.name


def test_each_form_gives_the_whole_answer_with_its_sentence_in_the_order_of_the_file(read):
    text = (
        TOP
        + RIGHT
        + """\
# %% exercise="score" edits="one line"
SIGMOID = (
    "A sigmoid is applied. It must be a tanh.",
    {"np.tanh(x": "1 / (1 + np.exp(-(x", ") @ v": "))) @ v"},
)
TRANSPOSED = "A weight is transposed.", {"@ w": "@ w.T"}, {"@ v": "@ v.T"}

# %% exercise="score" edits="one line" wrong="NO_TANH"
{"np.tanh": ""}
{"np.tanh(x @ w) @ v": "x @ (w @ v)"}


# %% exercise="score" wrong="CONSTANT"
CONSTANT = "The scores are all zero."


def score(x, w, v):
    return np.zeros(len(x))


# %% exercise="score" wrong="SIGMOID"
def score(x, w, v):
    return sigmoid(x @ w) @ v


# %% exercise="other" wrong="INPUT_CHANGED"
def other(x):
    x[:] = 0
"""
    )
    found = [(v.exercise, v.name, v.mistake, v.source.splitlines()[-1].strip()) for v in read(text)]
    sigmoid, transposed = "A sigmoid is applied. It must be a tanh.", "A weight is transposed."
    no_tanh = "The tanh is left out."
    assert found == [
        ("score", "one line", None, "return np.tanh(x @ w) @ v"),
        ("score", "SIGMOID", sigmoid, "return 1 / (1 + np.exp(-(x @ w))) @ v"),
        ("score", "TRANSPOSED", transposed, "return np.tanh(x @ w.T) @ v"),
        ("score", "TRANSPOSED", transposed, "return np.tanh(x @ w) @ v.T"),
        ("score", "NO_TANH", no_tanh, "return (x @ w) @ v"),
        ("score", "NO_TANH", no_tanh, "return x @ (w @ v)"),
        ("score", "CONSTANT", "The scores are all zero.", "return np.zeros(len(x))"),
        ("score", "SIGMOID", sigmoid, "return sigmoid(x @ w) @ v"),
        ("other", "INPUT_CHANGED", INPUT_CHANGED, "x[:] = 0"),
    ]
    assert all(v.source.startswith(f"def {v.exercise}(x") for v in read(text))


EDITS = '# %% exercise="score" edits="one line"\n'
SHARED = '# %% exercise="score" edits="one line" wrong="NO_TANH"\n'


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        (
            EDITS + 'RELU = "It is a relu.", {"np.relu": ""}',
            'chNN.py, RELU: "np.relu" is in the answer "one line" 0 times; it must be there '
            "exactly once",
        ),
        (SHARED + '{"@": "*"}', 'chNN.py, NO_TANH: "@" is in the answer "one line" 2 times; it'),
        (SHARED + '{"": "x"}', 'chNN.py, NO_TANH: "" is in the answer'),
        (
            SHARED + '{"np.tanh(x": "", "x @ w": "w"}',
            'chNN.py, NO_TANH: "np.tanh(x" and "x @ w" overlap in the answer "one line"; make',
        ),
        (
            SHARED + '{"np.tanh(": ""}',
            "chNN.py, NO_TANH: the edited answer \"one line\", line 2: unmatched ')'",
        ),
        (
            '# %% exercise="score" edits="one lime" wrong="NO_TANH"\n{"np.tanh": ""}',
            "NO_TANH: there is no right answer to score 'one lime'; did you mean one line?",
        ),
        (
            '# %% exercise="other" edits="one line" wrong="NO_TANH"\n{"np.tanh": ""}',
            "chNN.py, NO_TANH: there is no right answer to other 'one line'",
        ),
        (EDITS + '{"np.tanh": ""}', "chNN.py: score has an edit that cannot be read: {'np.tanh'"),
        (EDITS + 'RELU = {"np.tanh": ""}', 'RELU: this is not a mistake with its edits; write'),
        (EDITS + 'RELU = "It is a relu."', 'RELU: this is not a mistake with its edits; write'),
        (EDITS + 'RELU = "It is a relu.",', 'RELU: this is not a mistake with its edits; write'),
        (EDITS + 'RELU = "It is a relu.", {}', "RELU: this is not an edit of plain texts; write"),
        (EDITS + 'RELU = "A relu.", {"np": 1}', "RELU: this is not an edit of plain texts; write"),
        (EDITS + 'RELU = "A relu.", {"np": f(1)}', "RELU: this is not a mistake with its edits"),
        (EDITS + "import os", "chNN.py: score has an edit that cannot be read: import os"),
        (SHARED + "os.remove('x')", "NO_TANH: this is not an edit of plain texts; write dicts"),
        (SHARED + "{[]: 1}", "NO_TANH: this is not an edit of plain texts; write dicts"),
        (SHARED + 'X = "It is a relu.", {"np": ""}', "score has an edit that cannot be read: X = "),
        (EDITS + 'NO_TANH = "No tanh.", {"np.tanh": ""}', 'NO_TANH: its sentence is there already'),
        (
            EDITS + 'A = "One.", {"np.": ""}\nA = "Two.", {"np.tanh": ""}',
            'chNN.py, A: its sentence is there already; mark the cell with wrong="A", or choose '
            "another name",
        ),
        ('# %% exercise="score" wrong="RELU"\nx = 1', "chNN.py, RELU: score has no sentence"),
        ('# %% exercise="score"\nx = 1', 'a cell of score needs right="…" or wrong="…" or edits='),
        ('# %% exercise="score" right="a" wrong="NO_TANH"\nx = 1', "a cell of score needs right="),
        ('# %% exercise="score" right="a" edits="one line"\nx = 1', "a cell of score needs right="),
        (RIGHT, "chNN.py: score has two right answers 'one line'; rename one"),
        ('# %% exercise="scores" right="a"\nx = 1', "chNN.py: chNN has no exercise 'scores'"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line(read, cell, line):
    assert len(read(TOP + RIGHT)) == 1
    with pytest.raises(CourseError) as failed:
        read(TOP + RIGHT + cell + "\n")
    assert line in str(failed.value) and "\n" not in str(failed.value)
    assert str(failed.value).startswith("solutions/variants/chNN.py")


def test_nothing_of_an_edit_runs(read, tmp_path):
    place = tmp_path / "made"
    with pytest.raises(CourseError):
        read(TOP + RIGHT + SHARED + f"open({str(place)!r}, 'w')\n")
    assert not place.exists()


def test_one_command_prints_every_answer_with_a_mistake_as_a_student_would_type_it(capsys):
    stem, exercise = "ch01_rnn_basics", "sigmoid"
    assert main(["variant", stem, exercise, "OVERFLOW"]) == 0
    printed = capsys.readouterr().out
    wrong = [v for v in load_variants(stem) if (v.exercise, v.name) == (exercise, "OVERFLOW")]
    assert printed.count("def sigmoid(x)") == len(wrong) > 1
    assert all(variant.source in printed for variant in wrong)
    assert callable(variant_functions(stem, wrong[0])[exercise])


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["ch01", "sigmoid", "OVERFLOW"], "no chapter 'ch01'; did you mean ch01_rnn_basics?"),
        (["ch01_rnn_basics", "sigmoit", "OVERFLOW"], "no exercise 'sigmoit'; did you mean sigmoid"),
        (
            ["ch01_rnn_basics", "sigmoid", "OVERFLOWS"],
            "there is no answer to sigmoid 'OVERFLOWS'; did you mean OVERFLOW?",
        ),
    ],
)  # fmt: skip
def test_a_misspelt_name_gets_a_suggestion(capsys, arguments, line):
    assert main(["variant", *arguments]) == 1
    said = capsys.readouterr().err
    assert line in said and said.count("\n") == 1


MISTAKES = """\
# %% exercise="{0}" edits="one line"
SIGMOID = "A sigmoid is applied.", {{"np.tanh": "sigmoid"}}
TRANSPOSED = "A weight is transposed.", {{"@ w": "@ w.T"}}
{1}
"""


def test_an_exercise_without_answers_in_the_bank_stops_the_release(read):
    third = 'NO_V = "The last product is missing.", {" @ v": ""}'
    other = (RIGHT + MISTAKES.format("score", third)).replace("score", "other")
    for score, counts in (
        ("", "0 mistakes and 0 right answers"),
        (RIGHT, "0 mistakes and 1 right answers"),
        (RIGHT + MISTAKES.format("score", ""), "2 mistakes and 1 right answers"),
    ):
        read(score + other)
        with pytest.raises(CourseError) as stopped:
            require_answers("chNN")
        said = str(stopped.value)
        assert said.startswith("solutions/variants/chNN.py, exercise score: the bank has " + counts)
    read(RIGHT + MISTAKES.format("score", third) + other)
    require_answers("chNN")


@pytest.mark.parametrize("stem", chapters.chapter_stems())
def test_the_bank_of_a_chapter_has_enough_answers(stem):
    require_answers(stem)
