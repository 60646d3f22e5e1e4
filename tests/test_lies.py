"""Helpers of ours that run in the student's process, made to lie: no point for a wrong answer.

In these tests work and check share a process, so that the reference is asked by the same liar.
"""

import contextlib
import tracemalloc

import pytest
from lazily import Lazily

from autograder.course.chapters import load_chapter
from autograder.course.variants import load_variants, variant_functions
from autograder.hidden import ch02_simple_rnn, ch03_custom_attention_layer
from coursekit.checks import CheckFailure, layers
from coursekit.checks import ch02_simple_rnn as chapter2
from coursekit.checks import ch03_custom_attention_layer as chapter3
from coursekit.checks import ch06_transformer_attention as chapter6
from coursekit.checks import ch10_transformer_model as chapter10
from coursekit.checks.serve import LocalWorld

ch02 = Lazily("solutions.ch02_simple_rnn")
ch10 = Lazily("solutions.ch10_transformer_model")


def wrong_answer(stem, exercise, part):
    """Return the bank's wrong answer to an exercise whose code has this part."""
    wrong = (v for v in load_variants(stem) if v.exercise == exercise and v.mistake)
    variant = next(v for v in wrong if part in v.source)
    functions = variant_functions(stem, variant)
    return [functions[name] for name in load_chapter(stem).exercise(exercise).names]


# In an array each text takes the room of the longest, here 400 MB in all.
LONG_AND_SHORT = ["x" * 10**6, *[""] * 100]


def without_numbers(build):
    """Return a function that makes a model as ``build`` does; its first weights are texts."""

    def built(*args, **kwargs):
        model = build(*args, **kwargs)
        weights, first = model.get_weights, iter([[LONG_AND_SHORT]])
        vars(model)["get_weights"] = lambda: next(first, None) or weights()
        return model

    return built


def stand_in(work, label="work"):
    return LocalWorld().stand_in(work, label)


@pytest.mark.parametrize(
    "judge",
    [
        lambda: chapter2.create_rnn.judge(stand_in(without_numbers(ch02.create_rnn), "create_rnn")),
        lambda: chapter6.require_exact(stand_in(lambda d_k, scaled: LONG_AND_SHORT), 64),
        lambda: chapter10.require_nothing_else(stand_in(without_numbers(ch10.build_transformer))),
    ],
    ids=["chapter 2", "chapter 6", "chapter 10"],
)
def test_texts_in_the_place_of_numbers_take_no_room(judge):
    _ = ch10.build_transformer  # what the import of Keras takes is not counted
    tracemalloc.start()
    try:
        with contextlib.suppress(CheckFailure):
            judge()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000_000


@pytest.fixture
def lie(monkeypatch):
    """Put another function in the place of one of ours, under its name."""

    def lie(module, name, function):
        function.__module__, function.__name__ = module.__name__, name
        monkeypatch.setattr(module, name, function)

    return lie


def test_the_name_of_an_optimizer(lie):
    lie(layers, "optimizer_name", lambda model: "Adam")
    answer = wrong_answer("ch02_simple_rnn", "create_rnn", 'optimizer="sgd"')
    with pytest.raises(CheckFailure, match="the steps of its optimizer"):
        ch02_simple_rnn.create_rnn(*answer)


def remembered(layer_class, layer, input_shape):
    """Return what a saved and loaded layer gives, without one."""
    weights = layer.get_weights()

    def loaded(x):
        now = layer.get_weights()
        layer.set_weights(weights)
        try:
            return layer(x, mask=(x != 0).any(axis=2))
        finally:
            layer.set_weights(now)

    return loaded


@pytest.mark.parametrize(
    "exercise, part",
    [
        ("AttentionPooling", "def __init__(self):"),
        ("BoundedPooling", '"squash": self.squash'),
    ],
)
def test_what_is_saved(exercise, part, lie):
    lie(layers, "saved_and_loaded", remembered)
    lie(chapter3, "setting", lambda layer, key: "what it must be")
    stem = "ch03_custom_attention_layer"
    with pytest.raises(CheckFailure, match="config"):
        getattr(ch03_custom_attention_layer, exercise)(*wrong_answer(stem, exercise, part))
