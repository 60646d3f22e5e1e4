"""A mark follows everything it rests on: whatever changes there, the digest changes."""

import shutil
from dataclasses import replace

import pytest

from autograder.course import chapters
from autograder.course.chapters import ROOT
from autograder.grading import digest
from autograder.kernels.limits import Limits

STEM, OTHER = "ch03_custom_attention_layer", "ch02_simple_rnn"


@pytest.fixture
def copy(tmp_path, monkeypatch):
    for folder in ("coursekit", "autograder", "solutions", "book/_ext"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    return tmp_path


def now(released="{}", limits=Limits(), sandboxed=True):  # noqa: B008
    return digest.source_digest(released, STEM, limits, sandboxed)


@pytest.mark.parametrize(
    "file",
    [
        f"coursekit/checks/{OTHER}.py",  # chapter 3's checks used to import it
        "coursekit/datasets.py",
        "coursekit/data/sunspots.csv",
        f"solutions/{STEM}.py",
        f"solutions/variants/{STEM}.py",
        f"autograder/hidden/{STEM}.py",
        "autograder/kernels/inside/server.py",
        "autograder/kernels/session.py",
        "autograder/intake/choosing.py",
        "autograder/results.py",
        "autograder/checking/hidden_check.py",
    ],
)
def test_a_change_in_what_a_mark_rests_on_is_seen(copy, file):
    before = now()
    path = copy / file
    path.write_bytes(path.read_bytes() + b"\n# changed\n")
    assert now() != before


def test_a_new_module_and_a_renamed_one_are_seen(copy):
    before = now()
    path = copy / "coursekit" / "checks" / "new_helpers.py"
    path.write_text("x = 1\n")
    added = now()
    path.rename(path.with_name("renamed.py"))
    assert len({before, added, now()}) == 3


def test_the_released_notebook_the_limits_and_the_sandbox_are_seen(copy):
    limits = replace(Limits(), cell_seconds=Limits().cell_seconds + 1)
    assert len({now(), now(released="{ }"), now(limits=limits), now(sandboxed=False)}) == 4


def test_what_no_mark_rests_on_changes_nothing(copy):
    before = now()
    solution = copy / "solutions" / f"{OTHER}.py"
    solution.write_text(solution.read_text() + "\n# another chapter's\n")
    page = copy / "book" / "_ext" / "front_page" / "course_map.py"
    page.write_text(page.read_text() + "\n# what the site alone shows\n")
    cache = copy / "coursekit" / "__pycache__"
    cache.mkdir()
    (cache / "datasets.cpython-311.pyc").write_bytes(b"")
    assert now() == before
