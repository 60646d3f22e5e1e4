"""The runs that the lessons only report: what is quoted beside a run still stands on its page."""

import ast
import functools
import inspect
import sys

import pytest

from autograder.course.chapters import ROOT
from benchmarks import further_runs
from benchmarks.further_runs import CLAIMS, Lesson


@pytest.mark.parametrize("name", CLAIMS)
def test_what_a_run_repeats_stands_on_its_page(name):
    stem = CLAIMS[name].stem
    page = (ROOT / "book" / f"{stem}.md").read_text(encoding="utf-8")
    cards = (ROOT / "solutions" / f"{stem}.py").read_text(encoding="utf-8").replace("\n# ", "\n")
    for sentence in CLAIMS[name].sentences:
        assert sentence in " ".join(f"{page} {cards}".split())


@pytest.mark.parametrize("name", CLAIMS)
def test_what_a_run_takes_from_its_page_is_made_there(name):
    taken = attributes_of_page(name, functions())
    statements = statements_of(CLAIMS[name].stem)
    assert taken and taken - {"names"} <= statements.keys()
    # What comes first would be executed: the variable of a loop is not the function meant.
    assert not [each for each in taken - {"names"} if statements[each][0].is_loop]


@functools.cache
def statements_of(stem):
    """The statements of a lesson by the names that they make; reading one takes seconds."""
    return Lesson(stem).statements


@functools.cache
def functions():
    """The functions of the script by their names."""
    body = ast.parse(inspect.getsource(further_runs)).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def attributes_of_page(name, functions):
    """What a function, and those that it calls, take from a lesson named `page`."""
    taken = set()
    for node in ast.walk(functions[name]):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "page":
            taken.add(node.attr)
        elif isinstance(node, ast.Name) and node.id in functions:
            taken |= attributes_of_page(node.id, functions)
    return taken


def test_a_lesson_makes_only_the_names_that_are_needed():
    page = Lesson("ch02_simple_rnn")
    page.names["sunspots"] = range(50)
    assert page.cut == 40
    assert page.hold == 32
    assert page.names.keys() - {"__name__", "__builtins__"} == {"sunspots", "cut", "hold"}


def test_an_unknown_run_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["further_runs", "ch03_rates", "ch03_starts"])
    with pytest.raises(SystemExit, match="2"):
        further_runs.main()
    said = capsys.readouterr()
    assert said.err.splitlines()[-1].endswith(
        "error: there is no run ch03_starts; --list names them all"
    )
    assert not said.out
