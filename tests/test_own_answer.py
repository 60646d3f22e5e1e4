"""`autograder solution`: an answer of one's own and the reference answer, one below the other."""

import shutil

import nbformat
import pytest

from autograder.building.made_up_submissions import reference_answers, submission_notebook
from autograder.cli import main
from autograder.course import chapters

STEM = "ch01_rnn_basics"
MINE = "def sigmoid(x):\n    return 1 / (1 + np.exp(-x))"


@pytest.fixture
def solved(tmp_path, monkeypatch):
    """A repository in which one exercise has been solved."""
    folder = tmp_path / "notebooks" / STEM
    folder.mkdir(parents=True)
    notebook = submission_notebook(STEM, {"sigmoid": MINE})
    nbformat.write(notebook, folder / "assignment.ipynb")
    shutil.copy(chapters.ROOT / "_toc.yml", tmp_path)
    chapters.load_chapter(STEM)  # a test before this one may have emptied the cache
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    return folder / "assignment.ipynb"


def test_both_answers_are_shown(solved, capsys):
    assert main(["solution", STEM, "sigmoid"]) == 0
    own, _, reference = capsys.readouterr().out.partition("# --- the reference answer ---")
    assert MINE in own and "your answer" in own
    assert reference.strip() == reference_answers(STEM)["sigmoid"] and "###" not in reference


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((STEM, "sigmiod"), "did you mean sigmoid?"),
        (("ch01_rnn", "sigmoid"), "did you mean ch01_rnn_basics?"),
    ],
)
def test_a_misspelt_name_is_one_line(solved, capsys, arguments, words):
    assert main(["solution", *arguments]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{",
        "[]",
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 3}',
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [1]}',
    ],
)
def test_a_notebook_that_is_not_there_or_none_is_one_line(solved, capsys, text):
    solved.write_text(text) if text else solved.unlink()
    assert main(["solution", STEM, "sigmoid"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "cannot be read as a notebook" in line
