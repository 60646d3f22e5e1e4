"""The reference solution of chapter 9 against SciPy and scikit-learn, and the lesson's facts."""

import ast
import re
from unittest import mock

import matplotlib
import numpy as np
import pytest
from closing import run_closing
from lazily import Lazily
from scipy.spatial.distance import cdist, pdist, squareform

from autograder.building.lessons import page_notebook
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


def test_the_distances_are_those_of_the_card_and_of_scipy():
    from scipy.spatial.distance import cdist

    (distances,) = arrays_in(card("distance_matrix"))
    np.testing.assert_allclose(ch09.distance_matrix(visible.THREE_POINTS), distances, atol=5e-5)
    x = np.random.default_rng(0).normal(1e6, 1.0, size=(40, 7))
    np.testing.assert_allclose(ch09.distance_matrix(x), cdist(x, x), atol=1e-12)
    assert (np.diagonal(ch09.distance_matrix(x)) == 0).all()


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
    assert "$V_1 = {:g}$, $V_2 = {:g}$".format(*terms) in card("position_share")


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


def test_what_a_picture_shows_is_the_number_of_the_card():
    text = card("picture_correlation")
    found = ch09.picture_correlation(visible.FOUR_POINTS, visible.ON_A_LINE)
    assert f"the result is `{found:.4f}`" in text
    assert f"`x = {visible.FOUR_POINTS.astype(int).tolist()}`" in text
    assert f"`points = {visible.ON_A_LINE.astype(int).tolist()}`" in text


@pytest.mark.parametrize("n, d, k", [(3, 1, 1), (8, 5, 2), (20, 3, 3)])
def test_what_a_picture_shows_agrees_with_scipy(n, d, k):
    rng = np.random.default_rng(n)
    x, points = rng.integers(7, size=(n, d)), rng.normal(size=(n, k))
    expected = stats.spearmanr(pdist(x), pdist(points)).statistic
    np.testing.assert_allclose(ch09.picture_correlation(x, points), expected)
    np.testing.assert_allclose(ch09.picture_correlation(points, x), expected)
    # A picture may be moved, turned and enlarged.
    moved = 3 * points @ np.linalg.qr(rng.normal(size=(k, k)))[0] + 7
    np.testing.assert_allclose(ch09.picture_correlation(x, moved), expected)
    assert ch09.picture_correlation(x, x) == pytest.approx(1)


def test_a_picture_of_equal_distances_shows_nothing():
    assert ch09.picture_correlation(np.eye(4), visible.ON_A_LINE) == 0
    assert ch09.picture_correlation(visible.ON_A_LINE, np.eye(4)) == 0


def test_what_is_left_without_a_direction_is_that_of_the_card():
    text = card("remove_directions")
    left = ch09.remove_directions(visible.TWO_VECTORS, visible.ON_ONE_LINE, 1)
    np.testing.assert_allclose(left, arrays_in(text)[-1], atol=1e-12)
    assert f"`positions = {visible.ON_ONE_LINE.astype(int).tolist()}`" in text
    assert f"`x = {visible.TWO_VECTORS.astype(int).tolist()}`" in text


@pytest.mark.parametrize("shape", [(6,), (7, 6), (2, 3, 6)])
def test_nothing_is_left_along_the_removed_directions_and_all_of_the_others(shape):
    rng = np.random.default_rng(5)
    positions, x = rng.normal(2.0, 1.0, size=(9, 6)), rng.normal(1.0, 2.0, size=shape)
    np.testing.assert_array_equal(ch09.remove_directions(x, positions, 0), x)
    for count in range(1, 7):
        components = ch09.pca(positions, 6)[1]
        left = ch09.remove_directions(x, positions, count)
        assert left.shape == shape
        np.testing.assert_allclose(left @ components[:count].T, 0, atol=1e-12)
        np.testing.assert_allclose((left - x) @ components[count:].T, 0, atol=1e-12)
        again = ch09.remove_directions(left, positions, count)
        np.testing.assert_allclose(again, left, atol=1e-12)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ch09.distance_matrix(np.ones(3)), r"x must have shape \(points, d\), got \(3,\)"),
        (lambda: ch09.picture_correlation(np.ones((2, 2)), np.ones((2, 2))), "n at least 3"),
        (lambda: ch09.picture_correlation(np.ones((4, 2)), np.ones((3, 2))), r"points \(n, k\)"),
        (lambda: ch09.remove_directions(np.ones(3), np.ones((4, 2)), 1), r"positions \(m, d\)"),
        (lambda: ch09.remove_directions(np.ones(3), np.eye(3), 3), "from 0 to 2 .* got 3"),
        (lambda: ch09.remove_directions(np.ones(3), np.eye(3), -1), "from 0 to 2 .* got -1"),
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


def test_words_left_from_an_earlier_call_are_shown_and_named():
    earlier = []

    def tokenize(texts, max_length):
        earlier.extend(texts)
        index, ids = ch09.tokenize(earlier, max_length)
        return index, ids[-len(texts) :]

    with pytest.raises(CheckFailure, match="the dict has more keys") as failed:
        visible.tokenize(tokenize)
    assert "'cat'" in failed.value.detail
    assert "Words of an earlier call" in failed.value.mistake


def test_ids_that_are_text_are_not_called_an_array_of_the_right_shape():
    def tokenize(texts, max_length):
        index, ids = ch09.tokenize(texts, max_length)
        return index, ids.astype(str)

    with pytest.raises(CheckFailure, match="an array of text of shape .* came back"):
        visible.tokenize(tokenize)


# --- what the lesson prints ---------------------------------------------------------------------

SHUFFLED = "man queen yellow basketball green dog woman football king red wolf"
KINDS = dict(zip(SENTENCE.split(), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], strict=True))


def encoding(positions, d=50, n=10000):
    """The sinusoidal encoding (positions, d) of chapter 7, for even d."""
    angles = np.arange(positions)[:, None] / n ** (2 * np.arange(d // 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(positions, d)


def word_vectors(sentence):
    vectors = load_word_vectors(words=sentence.split())
    return np.array([vectors[word] for word in sentence.split()], dtype=float)


def kinds_of(sentence):
    return np.array([KINDS[word] for word in sentence.split()])


def in_plane(x):
    return ch09.pca(x, 2)[0]


def of_one_kind(x, kinds):
    """For how many rows of x is the nearest other row of the same kind?"""
    distances = squareform(pdist(x))
    np.fill_diagonal(distances, np.inf)
    return int(np.sum(kinds[distances.argmin(axis=1)] == kinds))


def rank_correlations(e, w_e, w_p):
    """The rank correlations of the distances in the plane with meaning and with the offset."""
    points = in_plane(ch09.mix(e, encoding(len(e)), w_e, w_p)).round(9)
    return [ch09.picture_correlation(x, points) for x in (e, np.arange(len(e))[:, None])]


def test_the_lesson_s_encoding_and_its_diagonals():
    pe = encoding(100, d=100)
    np.testing.assert_allclose(np.linalg.norm(pe, axis=1), 7.0710678, atol=1e-7)
    distances = ch09.distance_matrix(pe)
    np.testing.assert_allclose(np.diag(distances, 2), 3.2668781, atol=1e-6)
    np.testing.assert_allclose(distances**2, 100 - 2 * pe @ pe.T, atol=1e-9)
    assert max(np.ptp(np.diag(distances, k)) for k in range(100)) < 1e-6
    assert np.ptp(np.diag(np.corrcoef(pe), 2)) > 1e-3


@pytest.mark.parametrize("positions, d", [(11, 50), (11, 100), (100, 100)])
def test_the_components_of_the_positions_are_nearly_cosines(positions, d):
    scores = ch09.pca(encoding(positions, d), 2)[0]
    for k in (1, 2):
        cosine = np.cos(np.pi * k * (np.arange(positions) + 0.5) / positions)
        assert abs(np.corrcoef(scores[:, k - 1], cosine)[0, 1]) > 0.97


def test_the_lesson_s_ids_and_shapes():
    index, ids = ch09.tokenize([SENTENCE, SHUFFLED], 100)
    np.testing.assert_array_equal(ids[0, :11], np.arange(1, 12))
    np.testing.assert_array_equal(ids[1, :11], [3, 2, 11, 8, 10, 5, 4, 7, 1, 9, 6])
    matrix = ch09.embedding_matrix(index, load_word_vectors(words=index), 50)
    assert matrix.shape == (12, 50)
    assert matrix[ids].shape == (2, 100, 50)
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
    assert 0.55 < ch09.pca(e, 2)[2].sum() < 0.57
    assert of_one_kind(e, kinds_of(SENTENCE)) == of_one_kind(in_plane(e), kinds_of(SENTENCE)) == 11


@pytest.mark.parametrize("seed", [10, 11])
def test_two_components_of_random_vectors_keep_more_than_a_quarter(seed):
    rng = np.random.default_rng(seed)
    kept = [ch09.pca(rng.normal(size=(11, 50)), 2)[2].sum() for _ in range(200)]
    assert min(kept) > 0.28
    assert max(kept) < 0.42


def test_the_share_of_position_in_the_lesson_s_mixtures():
    e, pe = word_vectors(SENTENCE), encoding(11)
    shares = [ch09.position_share(e, pe, *weights) for weights in [(10, 1), (1, 1), (1, 10)]]
    np.testing.assert_allclose(shares, [0.0034, 0.255, 0.9716], atol=0.0005)
    assert ch09.position_share(e, pe, 0.585, 1) == pytest.approx(0.5, abs=0.001)


def test_the_first_sentence_cannot_separate_meaning_from_position():
    """The words alone follow the offsets, and the positions alone the meaning."""
    first, second = word_vectors(SENTENCE), word_vectors(SHUFFLED)
    assert rank_correlations(first, 1, 0)[1] > 0.45
    assert rank_correlations(first, 0, 1)[0] > 0.25
    assert rank_correlations(second, 1, 0)[1] < -0.2
    assert rank_correlations(second, 0, 1)[0] < -0.2


@pytest.mark.parametrize("seed", [12, 13])
def test_the_picture_changes_from_meaning_to_position_below_one_to_one(seed):
    rng = np.random.default_rng(seed)
    orders = [word_vectors(SENTENCE)[rng.permutation(11)] for _ in range(60)]
    found = {w_e: np.array([rank_correlations(e, w_e, 1) for e in orders]) for w_e in (10, 1, 0.5)}
    medians = {w_e: np.median(values, axis=0) for w_e, values in found.items()}
    assert medians[10][0] > 0.9 > 0.1 > abs(medians[10][1])
    assert medians[1][0] > medians[1][1] + 0.3
    assert medians[0.5][1] > medians[0.5][0] + 0.3
    unrelated = rng.normal(size=(60, 11, 50))
    assert 0.6 < np.median([rank_correlations(e, 1, 0)[0] for e in unrelated]) < 0.82


@pytest.mark.parametrize("seed", [14, 15])
def test_a_sentence_that_names_related_words_together_has_the_better_picture(seed):
    rng = np.random.default_rng(seed)
    e, pe, kinds = word_vectors(SENTENCE), encoding(11), kinds_of(SENTENCE)
    together, any_order = [], []
    for _ in range(150):
        groups = [rng.permutation(np.flatnonzero(kinds == kind)) for kind in rng.permutation(5)]
        for rows, found in ((np.concatenate(groups), together), (rng.permutation(11), any_order)):
            found.append(of_one_kind(in_plane(e[rows] + pe), kinds[rows]))
    assert np.mean(together) > np.mean(any_order) + 2


def rotations(rng, count, d=50):
    return np.linalg.qr(rng.normal(size=(count, d, d)))[0]


@pytest.mark.parametrize("seed", [16, 17])
def test_the_claims_hold_for_rotated_word_vectors(seed):
    """A rotation keeps every meaning; which columns the words use is an accident."""
    pe, kinds = encoding(11), kinds_of(SHUFFLED)
    directions = ch09.pca(pe, 5)[1]
    before, after, left = [], [], []
    for rotation in rotations(np.random.default_rng(seed), 40):
        e = word_vectors(SHUFFLED) @ rotation
        assert of_one_kind(in_plane(e), kinds) == 11
        x = ch09.mix(e, pe, 1, 10)
        before.append(of_one_kind(x, kinds))
        after.append(of_one_kind(ch09.remove_directions(x, pe, 5), kinds))
        without = e - e @ directions.T @ directions
        left.append(np.var(without, axis=0).sum() / np.var(e, axis=0).sum())
    assert max(before) == 0
    assert min(after) >= 9 and np.mean(after) > 10.7
    assert 0.88 < np.mean(left) < 0.92


@pytest.mark.parametrize("seed", [18, 19])
def test_other_words_of_five_kinds(seed):
    rng = np.random.default_rng(seed)
    vectors, groups = load_word_vectors(), [group.split() for group in word_table.GROUPS.values()]
    pe, kinds, found = encoding(11), np.repeat(np.arange(5), [2, 2, 2, 2, 3]), []
    for _ in range(150):
        rows = []
        for number, chosen in enumerate(rng.choice(len(groups), 5, replace=False)):
            words = rng.choice(groups[chosen], np.sum(kinds == number), replace=False)
            rows += [vectors[word] for word in words]
        order = rng.permutation(11)
        e = np.array(rows, dtype=float)[order]
        x = ch09.mix(e, pe, 1, 10)
        pictures = (e, in_plane(e), in_plane(e + pe), in_plane(x))
        tables = (*pictures, ch09.remove_directions(x, pe, 5))
        found.append([of_one_kind(table, kinds[order]) for table in tables])
    in_space, alone, one, ten, recovered = np.mean(found, axis=0)
    assert in_space > alone + 0.8 and alone > one + 0.8
    assert 0.9 < ten < 2.3  # guessing would give 1.4
    assert abs(recovered - in_space) < 0.6


def test_the_words_come_back_when_five_directions_of_the_positions_are_removed():
    pe, kinds = encoding(11), kinds_of(SHUFFLED)
    x = ch09.mix(word_vectors(SHUFFLED), pe, 1, 10)
    found = [of_one_kind(ch09.remove_directions(x, pe, count), kinds) for count in range(6)]
    assert found[0] == 0 and max(found[:5]) <= 6 and found[5] == 10


@pytest.mark.parametrize("seed", [20, 21])
def test_every_position_comes_back_when_the_ten_directions_of_the_words_are_removed(seed):
    rng, pe = np.random.default_rng(seed), encoding(11)
    for rotation in rotations(rng, 20):
        e = (word_vectors(SENTENCE) @ rotation)[rng.permutation(11)]
        left = ch09.remove_directions(ch09.mix(e, pe, 10, 1), e, 10)
        left_of_positions = ch09.remove_directions(pe, e, 10)
        gaps = cdist(left - left.mean(axis=0), left_of_positions - left_of_positions.mean(axis=0))
        assert (gaps.argmin(axis=1) == np.arange(11)).all()


def test_the_assignment_ends_with_the_pictures_of_the_students_own():
    names, _ = run_closing("ch09_pca_embeddings")
    share, meaning, order = zip(*names["measured"].values(), strict=True)
    np.testing.assert_allclose(share[::2], [0.0034, 0.255, 0.9716], atol=0.0005)
    assert [one > other for one, other in zip(order, meaning, strict=True)] == [False] * 4 + [
        True
    ] * 2
    assert names["found"][0] == 11 == names["found"][5] and min(names["found"]) <= 4


def test_the_lesson_draws_with_a_readers_own_file(tmp_path):
    """The path of a file with 100 numbers for each word, in the one line that the page names."""
    rng = np.random.default_rng(20)
    wider = np.linalg.qr(rng.normal(size=(100, 50)))[0].T
    lines = [
        f"{word} {' '.join(map(str, row @ wider))}\n" for word, row in load_word_vectors().items()
    ]
    path = write(tmp_path, "".join([*lines, f"xyzzy{' 0.5' * 100}\n"]))
    cells = page_notebook("ch09_pca_embeddings").cells
    page = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert page.count("GLOVE = WORD_VECTORS") == 1
    page = page.replace("GLOVE = WORD_VECTORS", f"GLOVE = {str(path)!r}")
    names = {}
    drawing = mock.patch.multiple("coursekit.figures", show=mock.DEFAULT, move=mock.DEFAULT)
    with matplotlib.rc_context(), np.printoptions(), drawing as drawn:
        exec(page, names)
    assert drawn["show"].call_count + drawn["move"].call_count == 11
    assert names["d"] == 100 and names["e_first"].shape == (11, 100)
    assert len(names["vectors"]) == 247
    # The same distances in a wider space: the words have the share that they have on the page.
    assert names["V_e"] == pytest.approx(13.17, abs=0.01)
