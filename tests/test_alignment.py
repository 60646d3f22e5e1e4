"""The alignment on the front page: what is stored is what a network of chapter 4 gives."""

import numpy as np
import pytest
from bookext.front_page.alignment import alignment_figure, load_alignment
from lazily import Lazily

from coursekit.vocabulary import join_words

datasets = Lazily("coursekit.datasets")
train_translator = Lazily("bookext.front_page.train_alignment")


def mass(alignment, rows, columns):
    """The mean weight that some of the rows have in some of the columns."""
    return np.array(alignment["weights"])[rows][:, columns].sum(axis=1).mean()


def check(alignment):
    """The translation is right, and its year and its weekday are read where they stand."""
    corpus = datasets.locale_dates("hu")
    read, written = (join_words(alignment[side][:-1]) for side in ("read", "written"))
    assert (read, written) in zip(corpus.test.sources, corpus.test.targets, strict=True)
    assert read not in corpus.train.sources
    assert np.shape(alignment["weights"]) == (len(alignment["written"]), len(alignment["read"]))
    np.testing.assert_allclose(np.sum(alignment["weights"], axis=1), 1, atol=0.006)
    assert alignment["dates"] == len(corpus.test)
    assert mass(alignment, slice(0, 4), slice(-5, -1)) > 0.8
    assert mass(alignment, [-2], [0]) > 0.8


def test_the_stored_alignment_is_that_of_a_test_date():
    check(load_alignment())


@pytest.mark.nightly
def test_training_again_gives_such_an_alignment():
    stored, trained = load_alignment(), train_translator.trained_alignment()
    check(trained)
    # The weights themselves depend on the machine's rounding, which four hundred steps amplify.
    for part in ("read", "written", "dates", "run"):
        assert trained[part] == stored[part]
    assert trained["right"] > 0.95 * trained["dates"]


def test_the_figure_is_small_and_its_caption_has_the_numbers():
    figure = alignment_figure("right: {right} of {dates}")
    stored = load_alignment()
    assert f"right: {stored['right']} of {stored['dates']}</figcaption>" in figure
    assert len(figure.encode()) <= 15_000
