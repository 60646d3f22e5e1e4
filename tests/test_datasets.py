"""The corpora and their vocabularies: what their docstrings say, and round trips."""

import doctest
import os
import re
import runpy
import subprocess
import sys
import unicodedata
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from coursekit import datasets, vocabulary

CORPORA = {
    "dates": datasets.dates,
    "Hungarian": datasets.locale_dates,
    "Spanish": lambda **options: datasets.locale_dates("es", **options),
}


@pytest.fixture(scope="module", params=CORPORA)
def corpus(request):
    return CORPORA[request.param]()


@pytest.mark.parametrize("module", [datasets, vocabulary])
def test_the_examples_of_the_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


def parts(corpus):
    return corpus.train, corpus.validation, corpus.test


def test_every_text_comes_back_from_its_ids(corpus):
    for pairs in parts(corpus):
        assert len(pairs.sources) == len(pairs.targets) == len(pairs)
        for side, texts in ((corpus.source, pairs.sources), (corpus.target, pairs.targets)):
            ids = side.encode(texts)
            assert ids.dtype == np.int32 and not (ids == side.unknown).any()
            assert ((ids == side.end).sum(axis=1) == 1).all()
            assert tuple(side.decode(ids)) == texts


def test_no_day_occurs_in_two_parts(corpus):
    train, validation, test = (set(pairs.targets) for pairs in parts(corpus))
    assert not (train & validation or train & test or validation & test)
    assert sum(map(len, (train, validation, test))) == sum(map(len, parts(corpus)))


def test_another_seed_draws_other_days():
    for make in CORPORA.values():
        assert make(seed=1).test != make().test == make().test


def lengths(side, texts):
    return {len(side.split(text)) for text in texts}


def test_the_counts_of_the_dates():
    corpus = datasets.dates()
    assert [len(pairs) for pairs in parts(corpus)] == [10_000, 1000, 1000]
    assert (len(corpus.source) - 4, len(corpus.target) - 4) == (43, 11)
    sources = [source for pairs in parts(corpus) for source in pairs.sources]
    targets = [target for pairs in parts(corpus) for target in pairs.targets]
    assert lengths(corpus.target, targets) == {10}
    found = lengths(corpus.source, sources)
    assert (min(found), max(found)) == (8, 29)
    assert (min(targets)[:4], max(targets)[:4]) == ("1900", "2099")


@pytest.mark.parametrize("language", ["hu", "es"])
def test_the_counts_of_the_locale_dates(language):
    corpus = datasets.locale_dates(language)
    assert [len(pairs) for pairs in parts(corpus)] == [5000, 500, 500]
    assert (len(corpus.source) - 4, len(corpus.target) - 4) == (30, 31)
    for pairs in parts(corpus):
        assert lengths(corpus.source, pairs.sources) == {9, 10}
        assert lengths(corpus.target, pairs.targets) == {10, 11}
        # One way to write each letter, so that what looks alike is one token.
        for text in pairs.targets:
            assert unicodedata.is_normalized("NFC", text)


def test_each_format_is_used_about_equally_often():
    sources = datasets.dates().train.sources
    numeric = {"dd.MM.y": ".", "M/d/y": "/"}
    for mark in numeric.values():
        assert 0.11 < np.mean([mark in source for source in sources]) < 0.14
    weekdays = np.mean([source.split()[0][-1] == "," for source in sources])
    assert 0.11 < weekdays < 0.14


def test_a_token_outside_the_vocabulary_becomes_the_unknown_token():
    corpus = datasets.locale_dates()
    ids = corpus.source.encode(["Monday, Brumaire 9, 2065"])
    assert ids[0, 2] == corpus.source.unknown
    assert corpus.source.decode(ids) == ["Monday, [UNK] 9, 2065"]


def test_what_follows_the_end_is_dropped_and_padding_ends_a_row():
    side = datasets.dates().target
    ids = side.encode(["2065-11-09"], length=14)
    assert ids.shape == (1, 14) and (ids[0, 11:] == side.padding).all()
    ids[0, 12] = ids[0, 0]
    assert side.decode(ids) == ["2065-11-09"]
    assert side.decode(ids[:, :4]) == ["2065"]


SCRIPT = Path(str(files("coursekit"))) / "data/word_vectors.py"
CHAPTER_9 = "king queen man woman dog wolf football basketball red green yellow".split()


def test_the_word_vectors_are_rows_of_glove():
    vectors = datasets.load_word_vectors()
    assert len(vectors) == 247
    assert {vector.shape for vector in vectors.values()} == {(50,)}
    # The first line of Stanford's file.
    assert list(vectors)[0] == "the"
    np.testing.assert_array_equal(vectors["the"][:3], np.float32([0.418, 0.24968, -0.41242]))
    kinds = runpy.run_path(str(SCRIPT))["GROUPS"].values()
    assert len({word for kind in kinds for word in kind.split()} & vectors.keys()) == 196


def test_related_words_have_similar_vectors():
    vectors = datasets.load_word_vectors(words=CHAPTER_9)
    table = np.array([vectors[word] for word in CHAPTER_9])
    groups = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4])
    distances = np.linalg.norm(table[:, None] - table, axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (groups[distances.argmin(axis=1)] == groups).all()


@pytest.mark.nightly
def test_the_word_vectors_are_those_of_the_package(tmp_path):
    """The package is large, so it is installed for this test alone, as the README says."""
    readme = files("coursekit").joinpath("data/README.md").read_text(encoding="utf-8")
    packages = re.search(r"^pip install --target glove (.*)$", readme, re.M)[1].split()
    folder = str(tmp_path / "glove")
    subprocess.run([sys.executable, "-m", "pip", "install", "-t", folder, *packages], check=True)
    rebuilt = tmp_path / "rebuilt.txt"
    environment = os.environ | {"PYTHONPATH": folder}
    subprocess.run([sys.executable, SCRIPT, rebuilt], env=environment, check=True)
    assert rebuilt.read_bytes() == datasets.WORD_VECTORS.read_bytes()


def test_vectors_of_a_glove_file(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("the 0.5 -1e-3\n. 1 2\na\u00a0b\u0085c 3 4\nnot 5 6 \n", encoding="utf-8")
    vectors = datasets.load_word_vectors(path)
    assert list(vectors) == ["the", ".", "a\u00a0b\u0085c", "not"]
    np.testing.assert_allclose(vectors["the"], [0.5, -1e-3])
    assert vectors["not"].dtype == np.float32
    assert list(datasets.load_word_vectors(str(path), ["not", "xyzzy", "the"])) == ["the", "not"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("a 1 2\nb 3\n", "line 2: 1 numbers instead of 2"),
        ("a 1 2\nb 3 4\nc 5 6 7\n", "line 3: 3 numbers instead of 2"),
        ("a 1 2\n\n", "line 2: 0 numbers instead of 2"),
        ("a\n", "line 1: 0 numbers instead of 1"),
        ("a 1 2\nb 3 four\n", "line 2: could not convert string to float: 'four'"),
        ("a 1 2\nb 3 nan\n", "line 2: a number is not finite"),
        ("a 1 2\n", "words: none of the 2 has a vector"),
    ],
)
def test_a_malformed_glove_file_is_one_clear_error(tmp_path, text, message):
    path = tmp_path / "glove.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as error:
        datasets.load_word_vectors(path, ["xyzzy", "plugh"])
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: datasets.dates(["y MMMM"]), "unknown date format 'y MMMM'; known are 'EEEE, "),
        (lambda: datasets.dates([]), "formats must be a list of some of"),
        (lambda: datasets.dates("M/d/y"), "formats must be a list of some of"),
        (lambda: datasets.load_word_vectors("none.txt"), "path: there is no file none.txt"),
        (lambda: datasets.load_word_vectors(words=["xyzzy"]), "words: none of the 1 has a vector"),
        (lambda: datasets.locale_dates("hun"), "unknown language 'hun'; known are hu, es"),
        (lambda: datasets.dates().source.encode(["x", ""]), "text 1 is empty: ''"),
        (lambda: datasets.locale_dates().source.encode(["  "]), "text 0 is empty: '  '"),
        (lambda: datasets.dates().source.encode([]), "texts is empty"),
        (lambda: datasets.dates().source.encode("1/2/1999"), "must be a list of texts"),
        (
            lambda: datasets.dates().target.encode(["2065-11-09"], length=10),
            "length is 10, but the longest text has 10 tokens and needs 11 with its end token",
        ),
        (lambda: datasets.dates().target.decode(np.array([[99]])), "id 99 is not in the vocab"),
        (lambda: datasets.dates().target.decode(np.array([4, 5])), "must have shape (texts, leng"),
    ],
)
def test_bad_input_is_one_clear_error(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert message in str(error.value) and "\n" not in str(error.value)
