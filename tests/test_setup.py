"""The set-up on machines that lack something: one line says what, and what to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bookext.chromium import NAMES, find_chromium
from conftest import COLLECTED_WITH

ROOT = Path(__file__).resolve().parent.parent


def run(command, folder, **settings):
    settings = {"PATH": os.environ["PATH"], **settings}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True)


@pytest.fixture
def bare_machine(tmp_path):
    """Give a PATH on which there is a shell and nothing that could be missing."""
    for tool in ("sh", "id", "ls"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    return str(tmp_path)


def test_a_python_that_does_not_suit_is_named(tmp_path):
    for file in ("Makefile", "system-packages", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path)
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.18\n[ "$1" = --version ]\n')
    old.chmod(0o755)
    made = run(["make", "book", f"PYTHON={old}"], tmp_path)
    assert made.returncode == 2
    complaint, makes_own_line = made.stderr.splitlines()
    assert "No Python 3.10, 3.11 or 3.12" in complaint
    assert "Python 3.9.18" in complaint
    assert "make PYTHON=" in complaint
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("chapter", ["", "ch04_bahdanau_attention ch05_luong_attention"])
def test_one_chapter_is_checked_at_a_time(tmp_path, chapter):
    shutil.copy(ROOT / "Makefile", tmp_path)
    made = run(["make", "-o", ".venv/installed", "check", f"chapter={chapter}"], tmp_path)
    assert made.returncode == 2 and made.stderr.startswith("Name one chapter: make check chapter=")


# Every worker of pytest-xdist collects all tests, and TensorFlow takes five seconds to import.
def test_collecting_the_tests_imports_no_tensorflow(request):
    assert not {"keras", "tensorflow"} & request.config.stash[COLLECTED_WITH]


def test_missing_packages_are_named_and_hinder_nobody(bare_machine):
    asked = run([ROOT / "system-packages"], ROOT, PATH=bare_machine)
    assert asked.returncode == 0
    (line,) = asked.stderr.splitlines()
    assert "bubblewrap (the sandbox" in line
    assert "chromium (the browser" in line


def test_missing_packages_fail_ci(bare_machine):
    assert run([ROOT / "system-packages"], ROOT, PATH=bare_machine, CI="true").returncode == 1


def test_one_need_is_asked_for_alone(bare_machine):
    asked = run([ROOT / "system-packages", "grading"], ROOT, PATH=bare_machine)
    assert "bubblewrap" in asked.stderr
    assert "chromium" not in asked.stderr


@pytest.mark.parametrize("name", NAMES)
def test_chromium_is_found_under_each_of_its_names(bare_machine, name, tmp_path, monkeypatch):
    folder = tmp_path / "browser"
    folder.mkdir()
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    asked = run([ROOT / "system-packages"], ROOT, PATH=f"{bare_machine}:{folder}")
    assert "bubblewrap" in asked.stderr and "chromium" not in asked.stderr
    monkeypatch.setenv("PATH", str(folder))
    assert find_chromium() == str(folder / name)
    monkeypatch.setenv("PATH", str(bare_machine))
    with pytest.raises(FileNotFoundError, match="there is no Chromium"):
        find_chromium()
