"""A chapter from nothing: what `autograder new` writes, and the book's how-to, step by step."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nbformat
import pytest
import yaml
from bookext.front_page.course_map import course_map

from autograder.building.new_chapter import PLACES, new_chapter
from autograder.cli import main
from autograder.course import chapters
from autograder.course.chapters import ROOT
from autograder.course_error import CourseError
from coursekit import chapter_number

STEM = "ch13_jumps"
# Where a new chapter is entered.
ENTERED = ("_toc.yml", "book/intro.md", "book/instructors.md")
PAGE = (ROOT / "book" / "own_assignments.md").read_text(encoding="utf-8")
STEPS = PAGE.partition("in fifteen minutes\n")[2]
BLOCK = re.compile(
    r"^```(?:bash\n(?P<commands>.*?)|\{code-block\} python\n:caption: append to (?P<file>\S+)\n"
    r"(?P<text>.*?))^```",
    re.MULTILINE | re.DOTALL,
)
COPIED = (
    "autograder",
    "benchmarks",
    "book",
    "coursekit",
    "solutions",
    "tests",
    "_config.yml",
    "_toc.yml",
    "pyproject.toml",
    "requirements.txt",
)


# Not what pages show, but what they are computed from.
OUTLINES = """\
import json
from bookext.outlines import outlines
found = [o for o in outlines() if o.stem == "ch13_jumps"]
print(json.dumps([[o.stem, o.number, o.reading, o.solving, o.points] for o in found]))
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the repository, as if installed; `run` gives a command line in it."""
    root = tmp_path_factory.mktemp("repository")
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, root / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, root / name)
    # An environment of its own that finds the copy first, and then what this one has.
    packages = Path(sysconfig.get_path("purelib"))
    own = root / ".venv" / packages.relative_to(sys.prefix)
    own.mkdir(parents=True)
    (own / "copy.pth").write_text(f"{root}\n{packages}\n")
    (own / "bookext").symlink_to(root / "book" / "_ext")  # as pyproject.toml installs it
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", root / ".venv")
    (root / ".venv" / "bin").mkdir()
    (root / ".venv" / "bin" / "python").symlink_to(sys.executable)
    return root


def run(root, command):
    """Run one command of the page, or a program; what it says and its exit code."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # for alembic
    done = subprocess.run(
        [root / ".venv" / "bin" / "python"]
        + (["-c", command] if "\n" in command else ["-m", *command.split()]),
        cwd=root,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr, done.returncode


def answered(root, answers):
    path = root / "notebooks" / STEM / "assignment.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cell.metadata.nbgrader.grade_id, cell.source)
    return notebook


def test_the_how_to_leads_to_an_exercise_that_is_graded(repository):
    blocks = list(BLOCK.finditer(STEPS))
    assert len(blocks) == STEPS.count("```") // 2 == 6
    for block in blocks:
        if block["file"]:
            with open(repository / block["file"], "a", encoding="utf-8") as file:
                file.write(block["text"])
            continue
        for command in block["commands"].splitlines():
            if command.startswith("pytest"):  # the chapter's own tests in the same run
                command += f" tests/test_{STEM}.py"
            said, code = run(repository, command)
            assert code == 0, said
    assert "passed" in said
    ruff, ours = Path(sys.executable).with_name("ruff"), COPIED[:5]
    subprocess.run([ruff, "check", *ours], cwd=repository, check=True)
    subprocess.run([ruff, "format", "--check", *ours], cwd=repository, check=True)
    (outline,) = json.loads(run(repository, OUTLINES)[0])
    assert outline == [STEM, 13, 1, 15, 5]  # what the site asks of every chapter
    right = "import numpy as np\ndef largest_jump(x):\n    d = list(np.diff(x))\n"
    right += "    j = max(d, key=abs)\n    return d.index(j), j"
    wrong = "def largest_jump(x):\n    d = np.abs(np.diff(x))\n"
    wrong += "    return int(d.argmax()), float(d.max())"
    for student, answer in {"ada": right, "bob": wrong}.items():
        folder = repository / "my-course" / "submitted" / student / STEM
        folder.mkdir(parents=True)
        nbformat.write(answered(repository, {"largest_jump": answer}), folder / "assignment.ipynb")
    said, code = run(repository, f"autograder grade my-course {STEM}")
    assert code == 0 and "2 graded" in said, said
    table = (repository / "my-course" / "reports" / f"{STEM}.csv").read_text(encoding="utf-8-sig")
    assert '"ada","graded","3","5"' in table and '"bob","graded","0","5"' in table
    page = repository / "my-course" / "feedback" / "bob" / STEM / "assignment.html"
    assert "The size has lost its sign." in page.read_text(encoding="utf-8")


@pytest.fixture
def empty(tmp_path, monkeypatch):
    (tmp_path / "book").mkdir()
    for name in ENTERED:
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    return tmp_path


def test_the_new_chapter_stands_last_and_nothing_else_changes(empty):
    before = (empty / "_toc.yml").read_text().splitlines()
    new_chapter(STEM)
    after = (empty / "_toc.yml").read_text().splitlines()
    place = after.index(f"      - file: notebooks/{STEM}/lesson")
    assert after[place + 4].strip().startswith("- caption")
    added = [after.pop(place).strip() for _ in range(4)]
    assert added[2] == f"- file: notebooks/{STEM}/assignment"
    assert after == before
    written = {path.relative_to(empty).as_posix() for path in empty.rglob("*.*")}
    assert written == {*ENTERED, *(place.format(STEM) for place in PLACES.values())}
    page = (empty / "book" / "intro.md").read_text(encoding="utf-8")
    rows = yaml.safe_load(page.partition("```{chapter-table}\n")[2].partition("```")[0])
    assert list(rows)[-1] == STEM and rows[STEM]["assumes"] == []
    name = "book/instructors.md"
    page, was = ((root / name).read_text(encoding="utf-8") for root in (empty, ROOT))
    weeks = [line for line in page.splitlines() if line not in was.splitlines()]
    assert [yaml.safe_load(week) for week in weeks] == [
        [{"week": 13, "chapters": [13], "do": "Say here what to do in class."}],
        [{"week": 9, "chapters": [13], "exercises": [], "do": "Say here what to do in class."}],
    ]
    plans = re.findall(r"^```\{course-plan\}\n:every:\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert [plan.splitlines()[-1] for plan in plans] == weeks
    assert len(page.splitlines()) == len(was.splitlines()) + 2
    assert "1 minute" in (empty / "book" / f"{STEM}.md").read_text(encoding="utf-8")
    text = "".join(path.read_text() for path in empty.rglob("*.py"))
    assert "STEM" not in text and "NUMBER" not in text and "TITLE" not in text
    with pytest.raises(CourseError, match=f"book/{STEM}.md already has"):
        new_chapter(STEM)


def test_the_steps_that_are_left_are_named(empty, capsys):
    assert main(["new", STEM]) == 0
    paths, steps = capsys.readouterr().out.split("what is left to do:\n")
    assert set(paths.split()) == {*ENTERED, *(place.format(STEM) for place in PLACES.values())}
    for left in ("in book/intro.md", "in book/instructors.md", f"`make check chapter={STEM}`"):
        assert left in steps


@pytest.mark.parametrize("stem", ["jumps", "ch1_jumps", "ch13_Jumps", "ch13_", "../ch13_jumps"])
def test_what_is_no_stem_is_one_line(empty, capsys, stem):
    assert main(["new", stem]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "write it like ch13_my_topic" in said
    files = {path.relative_to(empty).as_posix() for path in empty.rglob("*.*")}
    assert files == set(ENTERED)


def test_a_table_of_contents_without_exercises_is_one_line(empty, capsys):
    toc = empty / "_toc.yml"
    toc.write_text(toc.read_text().replace("title: Exercises", "title: Problems"))
    assert main(["new", STEM]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "_toc.yml lists no exercises of any chapter" in said
    assert not (empty / "book" / f"{STEM}.md").exists()


def test_a_number_belongs_to_one_chapter(empty, capsys):
    (taken,) = [stem for stem in chapters.chapter_stems() if chapter_number(stem) == 12]
    assert main(["new", "ch12_jumps"]) == 1
    assert (
        capsys.readouterr()
        .err.strip()
        .endswith(f"{taken} is chapter 12 already; choose another number")
    )


def test_a_chapter_without_a_drawing_has_its_number_on_the_map():
    drawn = course_map([(STEM, "A part", "Jumps and what one can learn from them", "jumps.html")])
    assert ">13<" in drawn and "Chapter 13: Jumps" in drawn
