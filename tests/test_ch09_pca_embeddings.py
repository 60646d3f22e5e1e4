"""The reference solution of chapter 9 against SciPy and scikit-learn, and the lesson's facts."""

import ast
import re

import numpy as np
import pytest
from lazily import Lazily

from autograder.course.chapters import load_chapter
from coursekit.checks import CheckFailure
from coursekit.datasets import load_word_vectors

ch09 = Lazily("solutions.ch09_pca_embeddings")
hidden = Lazily("autograder.hidden.ch09_pca_embeddings")
visible = Lazily("coursekit.checks.ch09_pca_embeddings")

SENTENCE = "king queen man woman dog wolf football basketball red green yellow"


def card(exercise):
    """Return an exercise's text with its line breaks removed."""
    text = load_chapter("ch09_pca_embeddings").exercise(exercise).text
    return re.sub(r"\s+", " ", text)


def arrays_in(text):
    """Return the arrays that a text's example prints."""
    printed = re.findall(r"`(\[[^=`]*\])`", text.partition("Example:")[2])
    return [np.array(ast.literal_eval(re.sub(r"(?<=[\d.\]]) ", ", ", each))) for each in printed]


# --- the exercises ------------------------------------------------------------------------------


def test_the_matrices_are_those_of_the_card_and_of_scipy():
    from scipy.spatial.distance import cdist

    correlations, distances = arrays_in(card("correlation_matrix"))
    np.testing.assert_array_equal(ch09.correlation_matrix(visible.PE), correlations)
    np.testing.assert_allclose(ch09.distance_matrix(visible.PE), distances, atol=5e-5)
    pe = np.random.default_rng(0).normal(1e6, 1.0, size=(40, 7))
    np.testing.assert_allclose(ch09.distance_matrix(pe), cdist(pe, pe), atol=1e-12)
    np.testing.assert_array_equal(ch09.correlation_matrix(pe), pe @ pe.T)
    assert (np.diagonal(ch09.distance_matrix(pe)) == 0).all()


def write(folder, text):
    path = folder / "vectors.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_vectors_are_those_of_the_card(tmp_path):
    text = load_chapter("ch09_pca_embeddings").exercise("load_vectors").text
    block = re.search(r"```text\n(.*?)```", text, re.S)[1]
    assert block == visible.FOUR_LINES
    vectors = ch09.load_vectors(write(tmp_path, block), ["sat", "cow", "the"])
    assert list(vectors) == ["the", "sat"]
    assert all(vector.dtype == np.float32 for vector in vectors.values())
    np.testing.assert_array_equal(vectors["the"], [0.5, -1.5, 2.0])
    np.testing.assert_array_equal(vectors["sat"], [-0.75, 0.0, 4.5])
    with pytest.raises(ValueError) as error:
        ch09.load_vectors(write(tmp_path, block.replace("3e-2 -1.0", "3e-2")))
    assert f"`{error.value}`" in card("load_vectors")


def test_the_course_reads_a_file_as_the_exercise_does(tmp_path):
    table = load_word_vectors(words=SENTENCE.split())
    lines = [f"{word} {' '.join(map(str, row))}\n" for word, row in table.items()]
    path = write(tmp_path, "".join(lines))
    for words in (None, ["red", "nothing", "king"]):
        one, other = load_word_vectors(path, words), ch09.load_vectors(path, words)
        assert list(one) == list(other)
        for word, row in one.items():
            np.testing.assert_array_equal(row, other[word])
            np.testing.assert_allclose(row, table[word], rtol=1e-6)


@pytest.mark.parametrize(
    "text, message",
    [
        ("a 1 2\nb 3\n", "line 2 has 1 numbers; the first line has 2"),
        ("a 1 2\nb 3 4\nc 5 6 7\n", "line 3 has 3 numbers; the first line has 2"),
        ("a 1 2\n\n", "line 2 has 0 numbers"),
        ("a 1 two\n", "line 1: could not convert string to float: 'two'"),
    ],
)
def test_a_bad_line_is_named_whether_its_word_is_wanted_or_not(tmp_path, text, message):
    for words in (None, [], ["a"], ["b", "c"]):
        with pytest.raises(ValueError, match=message):
            ch09.load_vectors(write(tmp_path, text), words)


def test_a_file_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"glove\.txt"):
        ch09.load_vectors(tmp_path / "glove.txt")


def test_the_ids_are_those_of_the_card():
    text = card("tokenize")
    index, ids = ch09.tokenize(visible.TEXTS, 4)
    numbered = re.findall(r"`(\S+)` (\d+)", text[text.index("Example") :])
    assert index == {word: int(number) for word, number in numbered}
    np.testing.assert_array_equal(ids, arrays_in(text)[-1])


def test_the_two_sentences_of_the_literature():
    shuffled = "man queen yellow basketball green dog woman football king red wolf"
    index, ids = ch09.tokenize([SENTENCE, shuffled], 100)
    assert ids.shape == (2, 100)
    np.testing.assert_array_equal(ids[:, :11], [range(1, 12), [3, 2, 11, 8, 10, 5, 4, 7, 1, 9, 6]])
    assert not ids[:, 11:].any()
    matrix = ch09.embedding_matrix(index, load_word_vectors(), 100)
    assert matrix.shape == (12, 100) and matrix[ids].shape == (2, 100, 100)


def test_a_text_without_words_is_padding():
    index, ids = ch09.tokenize(["", " \n"], 3)
    assert index == {} and not ids.any() and ids.shape == (2, 3)


def test_the_embedding_matrix_is_that_of_the_card():
    matrix = ch09.embedding_matrix(visible.WORD_INDEX, visible.VECTORS, 2)
    np.testing.assert_array_equal(matrix, arrays_in(card("embedding_matrix"))[-1])


def test_the_components_are_those_of_the_card():
    for found, printed in zip(ch09.pca(visible.X, 2), arrays_in(card("pca")), strict=True):
        np.testing.assert_allclose(found, printed, atol=5e-5)


@pytest.mark.parametrize(
    "samples, d, n_components", [(50, 6, 6), (9, 20, 8), (200, 3, 1), (11, 100, 2)]
)
def test_pca_agrees_with_scikit_learn(samples, d, n_components):
    from sklearn.decomposition import PCA

    x = np.random.default_rng(d).normal(3.0, 1.0, size=(samples, d)) * np.arange(1, d + 1)
    scores, components, ratio = ch09.pca(x, n_components)
    fitted = PCA(n_components, svd_solver="full").fit(x)
    signs = np.sign(np.sum(components * fitted.components_, axis=1))
    np.testing.assert_allclose(components, fitted.components_ * signs[:, None], atol=1e-9)
    np.testing.assert_allclose(scores, fitted.transform(x) * signs, atol=1e-8)
    np.testing.assert_allclose(ratio, fitted.explained_variance_ratio_, atol=1e-12)
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    assert (largest > 0).all()


def test_data_that_do_not_vary_have_finite_components():
    for x in (np.full((4, 6), 0.1), np.zeros((3, 2)), np.ones((1, 5))):
        results = ch09.pca(x, 1)
        assert all(np.isfinite(part).all() for part in results)
        np.testing.assert_allclose(results[0], 0, atol=1e-12)
    assert ch09.pca(np.zeros((3, 2)), 2)[2].tolist() == [0, 0]


def test_the_mixture_and_its_share_are_those_of_the_cards():
    embeddings, positions = visible.EMBEDDINGS, visible.POSITIONS
    mixture = ch09.mix(embeddings, positions, 3, 10)
    np.testing.assert_array_equal(mixture, arrays_in(card("mix"))[-1])
    share = ch09.position_share(embeddings, positions, 2, 3)
    assert f"the share `{share:.4f}`" in card("position_share")
    terms = [np.var(2 * embeddings, axis=0).sum(), np.var(3 * positions, axis=0).sum()]
    assert "$V_e = {:g}$, $V_p = {:g}$".format(*terms) in card("position_share")


def test_the_share_is_that_of_the_mixture_when_the_terms_do_not_correlate():
    # Every word stands once at every position, so the cross terms are 0.
    rng = np.random.default_rng(3)
    words, positions = rng.normal(size=(4, 5)), rng.normal(size=(4, 5))
    texts = np.stack([np.roll(words, shift, axis=0) for shift in range(4)])
    rows = ch09.mix(texts, positions, 1.5, -2.0).reshape(-1, 5)
    total = np.var(rows, axis=0).sum()
    share = ch09.position_share(texts, positions, 1.5, -2.0)
    np.testing.assert_allclose(share, 4 * np.var(positions, axis=0).sum() / total)
    same = [ch09.position_share(one, positions, 1.5, -2.0) for one in (words, texts)]
    np.testing.assert_allclose(*same)


def test_the_share_at_the_ends():
    embeddings, positions = visible.EMBEDDINGS, visible.POSITIONS
    assert ch09.position_share(embeddings, positions, 0, 3) == 1
    assert ch09.position_share(embeddings, positions, 3, 0) == 0
    assert ch09.position_share(embeddings, positions, 0, 0) == 0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ch09.correlation_matrix(np.ones(3)), r"pe must have shape \(positions, d\)"),
        (lambda: ch09.distance_matrix(np.ones((2, 2, 2))), r"pe must have shape \(positions, d\)"),
        (lambda: ch09.tokenize("one text", 3), "texts must be a list of strings"),
        (lambda: ch09.tokenize(["one text"], 0), "max_length must be at least 1, got 0"),
        (
            lambda: ch09.embedding_matrix({"dog": 1}, {"dog": np.ones(3)}, 2),
            r"vectors\['dog'\] has shape \(3,\); expected \(2,\)",
        ),
        (lambda: ch09.pca(np.ones(4), 1), r"x must have shape \(samples, d\), got \(4,\)"),
        (lambda: ch09.pca(np.ones((3, 9)), 4), "n_components must be from 1 to 3 .* got 4"),
        (lambda: ch09.pca(np.ones((3, 2)), 0), "n_components must be from 1 to 2 .* got 0"),
        (lambda: ch09.mix(np.ones(3), np.ones(3), 1, 1), "embeddings must have shape"),
        (lambda: ch09.mix(np.ones((4, 3)), np.ones((1, 3)), 1, 1), r"need \(4, 3\)"),
        (lambda: ch09.mix(np.ones((2, 4, 3)), np.ones((2, 4, 3)), 1, 1), r"need \(4, 3\)"),
        (lambda: ch09.position_share(np.ones((4, 3)), np.ones((4, 1)), 1, 1), "embeddings must"),
    ],
)
def test_shapes_that_do_not_fit_are_one_clear_error(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_a_line_may_be_named_in_any_words():
    def load_vectors(path, words=None):
        try:
            return ch09.load_vectors(path, words)
        except ValueError as error:
            number = int(re.search(r"line (\d+)", str(error))[1])
            raise ValueError(f"Line {number}. is bad, 3 numbers expected ({path})") from None

    visible.load_vectors(load_vectors)
    hidden.load_vectors(load_vectors)


def test_a_line_number_in_the_file_name_does_not_count(tmp_path):
    def load_vectors(path, words=None):
        try:
            return ch09.load_vectors(path, words)
        except ValueError:
            raise ValueError(f"{path} has a bad line, x2 3.5 v4") from None

    with pytest.raises(CheckFailure, match="does not contain the number of the line"):
        visible.load_vectors(load_vectors)


# --- what the lesson prints ---------------------------------------------------------------------
