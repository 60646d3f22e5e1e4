"""The reference solution of chapter 9 against SciPy and scikit-learn, and the lesson's facts."""

import ast
import re

import numpy as np
import pytest
from lazily import Lazily
from scipy.spatial.distance import pdist, squareform

from autograder.course.chapters import load_chapter
from coursekit.checks import CheckFailure
from coursekit.datasets import load_word_vectors

ch09 = Lazily("solutions.ch09_pca_embeddings")
hidden = Lazily("autograder.hidden.ch09_pca_embeddings")
visible = Lazily("coursekit.checks.ch09_pca_embeddings")
word_table = Lazily("coursekit.data.word_vectors")
stats = Lazily("scipy.stats")

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


@pytest.mark.parametrize(
    "message",
    [
        "Line {number}. is bad, 3 numbers expected ({path})",
        "line no.{number} has an entry like 0.5.5",
        "{path}:{number}: 2 numbers in place of 3",
    ],
)
def test_a_line_may_be_named_in_any_words(message):
    def load_vectors(path, words=None):
        try:
            return ch09.load_vectors(path, words)
        except ValueError as error:
            number = int(re.search(r"line (\d+)", str(error))[1])
            raise ValueError(message.format(number=number, path=path)) from None

    visible.load_vectors(load_vectors)
    hidden.load_vectors(load_vectors)


def test_a_line_number_in_the_file_name_does_not_count(tmp_path):
    def load_vectors(path, words=None):
        try:
            return ch09.load_vectors(path, words)
        except ValueError:
            raise ValueError(f"{path} has a bad line, x2 3.5 v4") from None

    with pytest.raises(CheckFailure, match="does not name the line that is bad"):
        visible.load_vectors(load_vectors)


def test_words_left_from_an_earlier_call_are_shown_and_named_as_no_other_mistake():
    earlier = []

    def tokenize(texts, max_length):
        earlier.extend(texts)
        index, ids = ch09.tokenize(earlier, max_length)
        return index, ids[-len(texts) :]

    with pytest.raises(CheckFailure, match="the dict has other keys") as failed:
        visible.tokenize(tokenize)
    assert "'cat'" in failed.value.detail
    assert failed.value.mistake is None


def test_ids_that_are_text_are_not_called_an_array_of_the_right_shape():
    def tokenize(texts, max_length):
        index, ids = ch09.tokenize(texts, max_length)
        return index, ids.astype(str)

    with pytest.raises(CheckFailure, match="an array of text of shape .* came back"):
        visible.tokenize(tokenize)


# --- what the lesson prints ---------------------------------------------------------------------

SHUFFLED = "man queen yellow basketball green dog woman football king red wolf"
KINDS = dict(zip(SENTENCE.split(), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], strict=True))


def encoding(positions, d=100, n=10000):
    """The sinusoidal encoding (positions, d) of chapter 7, for even d."""
    angles = np.arange(positions)[:, None] / n ** (2 * np.arange(d // 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(positions, d)


def word_vectors(sentence):
    vectors = load_word_vectors(words=sentence.split())
    return np.array([vectors[word] for word in sentence.split()], dtype=float)


def in_plane(x):
    return ch09.pca(x, 2)[0]


def of_one_kind(x, kinds):
    """For how many rows of x is the nearest other row of the same kind?"""
    distances = squareform(pdist(x))
    np.fill_diagonal(distances, np.inf)
    return int(np.sum(kinds[distances.argmin(axis=1)] == kinds))


def rank_correlations(e, w_e, w_p):
    """The rank correlations of the distances in the plane with meaning and with the offset."""
    distances = pdist(in_plane(ch09.mix(e, encoding(len(e)), w_e, w_p)))
    offsets = pdist(np.arange(len(e))[:, None])
    return [stats.spearmanr(distances, other).statistic for other in (pdist(e), offsets)]


def test_the_lesson_s_encoding_and_its_diagonals():
    pe = encoding(100)
    np.testing.assert_allclose(np.linalg.norm(pe, axis=1), 7.0710678, atol=1e-7)
    dots, distances = ch09.correlation_matrix(pe), ch09.distance_matrix(pe)
    np.testing.assert_allclose(np.diag(distances, 2), 3.2668781, atol=1e-6)
    np.testing.assert_allclose(distances**2, 100 - 2 * dots, atol=1e-9)
    assert max(np.ptp(np.diag(dots, k)) for k in range(100)) < 1e-9
    assert np.flatnonzero(np.diff(dots[0]) > 0)[0] + 1 == 12  # the first rise
    assert np.ptp(np.diag(np.corrcoef(pe), 2)) > 1e-3


def test_the_lesson_s_ids_and_shapes():
    index, ids = ch09.tokenize([SENTENCE, SHUFFLED], 100)
    np.testing.assert_array_equal(ids[0, :11], np.arange(1, 12))
    np.testing.assert_array_equal(ids[1, :11], [3, 2, 11, 8, 10, 5, 4, 7, 1, 9, 6])
    matrix = ch09.embedding_matrix(index, load_word_vectors(words=index), 100)
    assert matrix.shape == (12, 100)
    assert matrix[ids].shape == (2, 100, 100)
    assert not ids[:, 11:].any()


def test_the_lesson_s_four_words():
    x = np.array([[2.8, 4.6], [3.2, 2.4], [0.0, 0.0], [-2.0, 1.0]])
    scores, components, kept = ch09.pca(x, 2)
    np.testing.assert_allclose(components, [[0.8, 0.6], [-0.6, 0.8]], atol=1e-12)
    np.testing.assert_allclose(scores.var(axis=0), [6.5, 1])
    np.testing.assert_allclose(kept[0], 6.5 / 7.5)


def test_the_order_of_a_sentence_does_not_move_the_points():
    e, other = word_vectors(SENTENCE), word_vectors(SHUFFLED)
    moved = [SHUFFLED.split().index(word) for word in SENTENCE.split()]
    np.testing.assert_allclose(in_plane(e), in_plane(other)[moved], atol=1e-6)
    assert 0.49 < ch09.pca(e, 2)[2].sum() < 0.51


@pytest.mark.parametrize("seed", [10, 11])
def test_two_components_of_random_vectors_keep_more_than_a_quarter(seed):
    rng = np.random.default_rng(seed)
    kept = [ch09.pca(rng.normal(size=(11, 100)), 2)[2].sum() for _ in range(200)]
    assert min(kept) > 0.25
    assert max(kept) < 0.36


def test_the_share_of_position_in_the_lesson_s_mixtures():
    e, pe = word_vectors(SENTENCE), encoding(11)
    shares = [ch09.position_share(e, pe, *weights) for weights in [(10, 1), (1, 1), (1, 10)]]
    np.testing.assert_allclose(shares, [0.10, 0.92, 0.999], atol=0.005)
    assert 0.27 < ch09.position_share(e, pe, 5, 1) < 0.34


def test_the_first_sentence_cannot_separate_meaning_from_position():
    """The words alone follow the offsets, and the positions alone the meaning."""
    first, second = word_vectors(SENTENCE), word_vectors(SHUFFLED)
    assert rank_correlations(first, 1, 0)[1] > 0.25
    assert rank_correlations(first, 0, 1)[0] > 0.35
    assert rank_correlations(second, 1, 0)[1] < 0
    assert rank_correlations(second, 0, 1)[0] < 0


@pytest.mark.parametrize("seed", [12, 13])
def test_the_picture_changes_from_meaning_to_position_near_five_to_one(seed):
    rng = np.random.default_rng(seed)
    orders = [word_vectors(SENTENCE)[rng.permutation(11)] for _ in range(60)]
    found = {w_e: np.array([rank_correlations(e, w_e, 1) for e in orders]) for w_e in (10, 5, 3, 1)}
    medians = {w_e: np.median(values, axis=0) for w_e, values in found.items()}
    assert medians[10][0] > medians[10][1] + 0.3
    assert abs(medians[5][0] - medians[5][1]) < 0.3
    assert medians[3][1] > medians[3][0] + 0.3
    assert found[1][:, 1].min() > 0.7
    assert np.ptp(found[5], axis=0).min() > 0.4  # the spread over the orders

    unrelated = rng.normal(size=(60, 11, 100))
    assert 0.5 < np.median([rank_correlations(e, 1, 0)[0] for e in unrelated]) < 0.75


def test_without_one_of_the_sports_the_picture_is_another_one():
    words, e = SENTENCE.split(), word_vectors(SENTENCE)
    agreement = {}
    for i, word in enumerate(words):
        rest = np.arange(11) != i
        without, among_all = pdist(in_plane(e[rest])), pdist(in_plane(e)[rest])
        agreement[word] = stats.spearmanr(without, among_all).statistic
    sports = {agreement.pop("football"), agreement.pop("basketball")}
    assert max(sports) < 0.5
    assert min(agreement.values()) > 0.8


@pytest.mark.parametrize("seed", [14, 15])
def test_most_halves_of_the_columns_give_a_better_picture_than_all_of_them(seed):
    rng = np.random.default_rng(seed)
    e, kinds = word_vectors(SENTENCE), np.array(list(KINDS.values()))
    halves = [e[:, rng.permutation(100)[:50]] for _ in range(100)]
    assert np.mean([of_one_kind(half, kinds) == 11 for half in halves]) > 0.95
    drawn = np.array([of_one_kind(in_plane(half), kinds) for half in halves])
    assert of_one_kind(in_plane(e), kinds) == 8
    assert np.mean(drawn > 8) > 0.7


@pytest.mark.parametrize("seed", [16, 17])
def test_other_words_of_five_kinds(seed):
    rng = np.random.default_rng(seed)
    vectors, groups = load_word_vectors(), [group.split() for group in word_table.GROUPS.values()]
    kinds, found = np.repeat(np.arange(5), [2, 2, 2, 2, 3]), []
    for _ in range(150):
        rows = []
        for number, chosen in enumerate(rng.choice(len(groups), 5, replace=False)):
            words = rng.choice(groups[chosen], np.sum(kinds == number), replace=False)
            rows += [vectors[word] for word in words]
        order = rng.permutation(11)
        e = np.array(rows, dtype=float)[order]
        planes = [in_plane(ch09.mix(e, encoding(11), w_e, 1)) for w_e in (10, 1)]
        found.append([of_one_kind(x, kinds[order]) for x in (e, in_plane(e), *planes)])
    in_space, alone, ten, one = np.mean(found, axis=0)
    assert in_space > alone + 0.4
    assert alone > ten + 0.4
    assert 0.9 < one < 2.3  # guessing would give 1.4
    assert np.ptp(np.array(found)[:, 1]) >= 5


def test_the_words_come_back_when_five_directions_of_the_positions_are_removed():
    pe, e = encoding(11), word_vectors(SHUFFLED)
    kinds = np.array([KINDS[word] for word in SHUFFLED.split()])
    directions = ch09.pca(pe, 5)[1]
    x = ch09.mix(e, pe, 1, 1)
    x = x - x.mean(axis=0)
    assert of_one_kind(x, kinds) <= 2
    assert of_one_kind(x - x @ directions.T @ directions, kinds) == 11
