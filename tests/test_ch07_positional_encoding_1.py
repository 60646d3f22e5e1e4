"""The reference solution of chapter 7 against its formulas, and the facts the page prints."""

import functools
import math
import re

import numpy as np
import pytest
from closing import run_closing

from autograder.building.lessons import page_notebook
from autograder.course.chapters import load_chapter
from autograder.course.variants import load_variants, variant_functions
from autograder.hidden import ch07_positional_encoding_1 as hidden
from coursekit.checks import ch07_positional_encoding_1 as visible
from solutions import ch07_positional_encoding_1 as ch07

STEM = "ch07_positional_encoding_1"
CLOSING = ("wavelengths", "positional_encoding", "add_positions", "shift_matrix")
SIZES = [(1, 1), (4, 4), (9, 6), (17, 7), (50, 2), (3, 33), (40, 64)]


# --- the facts ---------------------------------------------------------------------------------


def test_the_published_matrix_of_four_positions():
    expected = [
        [0, 1, 0, 1],
        [0.84147098, 0.54030231, 0.09983342, 0.99500417],
        [0.90929743, -0.41614684, 0.19866933, 0.98006658],
        [0.14112001, -0.9899925, 0.29552021, 0.95533649],
    ]
    np.testing.assert_allclose(ch07.positional_encoding(4, 4, n=100), expected, atol=5e-9)


def test_the_wavelengths_grow_from_2_pi_towards_2_pi_n_in_geometric_progression():
    found = ch07.wavelengths(512)
    assert found.shape == (256,)
    assert found[0] == pytest.approx(2 * math.pi)
    np.testing.assert_allclose(found[1:] / found[:-1], 10000 ** (2 / 512))
    assert found[-1] == pytest.approx(2 * math.pi * 10000 ** (510 / 512))
    assert 0.96 < found[-1] / (2 * math.pi * 10000) < 0.97


def test_the_rows_of_100_positions_and_512_columns_have_one_norm_and_are_unique():
    encoding = ch07.positional_encoding(100, 512)
    np.testing.assert_allclose(np.linalg.norm(encoding, axis=1), 16)
    largest, closest, offset_spread = ch07.judge_encoding(encoding)
    assert largest <= 1 and closest > 3.5 and offset_spread < 1e-9


def test_the_numbers_that_the_exercises_print():
    np.testing.assert_array_equal(ch07.binary_code(5, 2), [[0, 0], [1, 0], [0, 1], [1, 1], [0, 0]])
    np.testing.assert_allclose(ch07.wavelengths(5, 32.0), [6.2832, 25.1327, 100.531], atol=5e-5)
    np.testing.assert_allclose(
        ch07.positional_encoding(3, 5, 32.0),
        [
            [0, 1, 0, 1, 0],
            [0.8415, 0.5403, 0.2474, 0.9689, 0.0625],
            [0.9093, -0.4161, 0.4794, 0.8776, 0.1247],
        ],
        atol=5e-5,
    )
    np.testing.assert_allclose(
        ch07.add_positions(visible.SENTENCE, n=16.0),
        [[1, 1, 2, 1], [0.8415, 3.5403, -0.7526, 0.9689]],
        atol=5e-5,
    )
    np.testing.assert_allclose(
        ch07.position_similarity(3, 5, 32.0),
        [[2, 1.5092, 0.4614], [1.5092, 2.0039, 1.517], [0.4614, 1.517, 2.0155]],
        atol=5e-5,
    )
    np.testing.assert_allclose(
        ch07.shift_matrix(2, 4, 16.0),
        [
            [-0.4161, -0.9093, 0, 0],
            [0.9093, -0.4161, 0, 0],
            [0, 0, 0.8776, -0.4794],
            [0, 0, 0.4794, 0.8776],
        ],
        atol=5e-5,
    )
    judged = ch07.judge_encoding(np.array([[0.0, 1.0], [2.0, 0.0], [-3.0, 1.0]]))
    np.testing.assert_allclose(judged, [3, 2.2361, 9], atol=5e-5)


def test_the_printed_noisy_vector_needs_more_than_its_first_pair():
    vector = np.array([0.11, -1.0, 0.23, 0.95])
    assert ch07.recover_position(vector, 60, n=100.0) == 3
    encoding = ch07.positional_encoding(60, 4, n=100.0)
    np.testing.assert_allclose(encoding[3], [0.1411, -0.99, 0.2955, 0.9553], atol=5e-5)
    np.testing.assert_allclose(encoding[47], [0.1236, -0.9923, -0.9999, -0.0124], atol=5e-5)
    assert np.linalg.norm(encoding[3] - vector) < 0.1
    assert np.linalg.norm(encoding[:, :2] - vector[:2], axis=1).argmin() == 47


# --- the functions -----------------------------------------------------------------------------


@pytest.mark.parametrize(("seq_len", "d"), SIZES)
@pytest.mark.parametrize("n", [3.0, 100, 10000.0])
def test_every_entry_is_what_the_formula_says(seq_len, d, n):
    encoding = ch07.positional_encoding(seq_len, d, n)
    assert encoding.shape == (seq_len, d)
    for p in range(seq_len):
        for j in range(d):
            angle = p / n ** (2 * (j // 2) / d)
            expected = math.cos(angle) if j % 2 else math.sin(angle)
            assert encoding[p, j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("d", [4, 7])
def test_the_encoding_follows_the_equation_of_an_oscillation(d):
    # Sines and cosines are the solutions of y'' = -ω² y, so that in steps of 1
    # y(p + 1) + y(p - 1) = 2 cos(ω) y(p), whatever the phase.
    encoding = ch07.positional_encoding(50, d, 30.0)
    omega = 2 * np.pi / np.repeat(ch07.wavelengths(d, 30.0), 2)[:d]
    outer = encoding[2:] + encoding[:-2]
    np.testing.assert_allclose(outer, 2 * np.cos(omega) * encoding[1:-1], atol=1e-12)


@pytest.mark.parametrize("d", [2, 6, 64])
@pytest.mark.parametrize("k", [-31, -1, 0, 1, 7, 100])
def test_one_matrix_shifts_every_position_and_keeps_every_length(d, k):
    encoding = ch07.positional_encoding(300, d, 50.0)
    matrix = ch07.shift_matrix(k, d, 50.0)
    start = np.arange(max(0, -k), 300 - max(0, k))
    np.testing.assert_allclose(encoding[start] @ matrix, encoding[start + k], atol=1e-12)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(d), atol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1)
    inverse = ch07.shift_matrix(-k, d, 50.0)
    np.testing.assert_allclose(matrix @ inverse, np.eye(d), atol=1e-12)


@pytest.mark.parametrize(("seq_len", "d"), SIZES)
def test_the_similarity_is_a_sum_of_cosines_of_the_offset_when_d_is_even(seq_len, d):
    similarity = ch07.position_similarity(seq_len, d, 80.0)
    np.testing.assert_allclose(similarity, similarity.T)
    p = np.arange(seq_len)
    frequencies = 2 * np.pi / ch07.wavelengths(d, 80.0)
    cosines = np.cos((p[:, None] - p)[..., None] * frequencies).sum(axis=2)
    if d % 2 == 0:
        np.testing.assert_allclose(similarity, cosines, atol=1e-10)
    elif seq_len > 1:
        assert np.abs(similarity - cosines).max() > 1e-3


@pytest.mark.parametrize("d", [4, 5, 8, 31])
def test_every_position_is_recovered_from_noise(d):
    rng = np.random.default_rng(d)
    encoding = ch07.positional_encoding(30, d, 200.0)
    assert ch07.judge_encoding(encoding)[1] > 0.2
    for position in range(30):
        noise = rng.normal(size=d)
        vector = encoding[position] + 0.1 * noise / np.linalg.norm(noise)
        recovered = ch07.recover_position(vector, 30, n=200.0)
        assert recovered == position and type(recovered) is int


@pytest.mark.parametrize("checks", [visible, hidden])
def test_the_vectors_of_the_checks_are_as_the_exercise_promises(checks):
    def recover_position(vector, max_len, n=10000.0):
        encoding = ch07.positional_encoding(max_len, len(vector), n)
        position = ch07.recover_position(vector, max_len, n)
        assert len(vector) >= 4 and np.linalg.norm(encoding[position] - vector) <= 0.1
        assert ch07.judge_encoding(encoding)[1] > 0.2
        return position

    checks.recover_position(recover_position)


def test_the_embeddings_stay_as_they_are_and_every_sentence_begins_at_0():
    embeddings = np.random.default_rng(0).normal(size=(3, 7, 5))
    before = embeddings.copy()
    embeddings.setflags(write=False)
    added = ch07.add_positions(embeddings, n=30.0)
    np.testing.assert_array_equal(embeddings, before)
    for sentence, with_positions in zip(embeddings, added, strict=True):
        np.testing.assert_array_equal(ch07.add_positions(sentence, n=30.0), with_positions)
        encoding = ch07.positional_encoding(7, 5, 30.0)
        np.testing.assert_allclose(with_positions - sentence, encoding, atol=1e-12)


@pytest.mark.parametrize(("seq_len", "bits"), [(1, 1), (5, 2), (300, 9), (40, 3)])
def test_the_bits_add_up_to_the_position(seq_len, bits):
    code = ch07.binary_code(seq_len, bits)
    assert code.shape == (seq_len, bits) and set(np.unique(code)) <= {0, 1}
    np.testing.assert_array_equal(code @ 2 ** np.arange(bits), np.arange(seq_len) % 2**bits)


def test_encodings_are_judged_by_what_is_wrong_with_each():
    index = np.arange(50.0)[:, None]
    assert ch07.judge_encoding(index) == (49, 1, 49**2)
    largest, closest, spread = ch07.judge_encoding(index / 49)
    assert (largest, spread) == (1, 1) and closest == pytest.approx(1 / 49)
    assert ch07.judge_encoding(np.eye(50)) == (1, pytest.approx(math.sqrt(2)), 0)
    assert ch07.judge_encoding(ch07.binary_code(50, 6)) == (1, 1, 5)
    assert ch07.judge_encoding(ch07.binary_code(50, 5))[1] == 0
    largest, closest, spread = ch07.judge_encoding(ch07.positional_encoding(50, 64))
    assert largest <= 1 and closest > 1.4 and spread < 1e-10


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: ch07.binary_code(0, 3), "seq_len"),
        (lambda: ch07.binary_code(3, 0), "bits"),
        (lambda: ch07.wavelengths(0), "d"),
        (lambda: ch07.wavelengths(4, 0.0), "n"),
        (lambda: ch07.positional_encoding(0, 4), "seq_len"),
        (lambda: ch07.positional_encoding(-1, 4), "seq_len"),
        (lambda: ch07.positional_encoding(4, 0), "d"),
        (lambda: ch07.positional_encoding(4, 4, -1.0), "n"),
        (lambda: ch07.add_positions(np.ones(3)), "embeddings"),
        (lambda: ch07.position_similarity(0, 4), "seq_len"),
        (lambda: ch07.recover_position(np.ones((1, 4)), 9), "vector"),
        (lambda: ch07.recover_position(np.ones(4), 0), "max_len"),
        (lambda: ch07.shift_matrix(1, 3), "d"),
        (lambda: ch07.shift_matrix(1, 0), "d"),
        (lambda: ch07.shift_matrix(1, 4, 0.0), "n"),
        (lambda: ch07.judge_encoding(np.ones((1, 4))), "pe"),
        (lambda: ch07.judge_encoding(np.ones(4)), "pe"),
    ],
)
def test_bad_input_is_named(call, names):
    with pytest.raises(ValueError, match=rf"\b{names}\b"):
        call()


# --- what the lesson prints --------------------------------------------------------------------


@functools.cache
def page():
    """Return what the lesson's own cells define, without the cells that draw or print."""
    names = {"np": np, "math": math}
    for cell in page_notebook(STEM).cells:
        if re.search(r"^def (encode|turned|read_out|shift_read_out)\(", cell.source, re.MULTILINE):
            exec(cell.source, names)
    return names


@pytest.mark.parametrize(("d", "n"), [(4, 100), (64, 10000), (512, 10000)])
def test_the_rows_of_the_lesson_are_those_of_the_exercise(d, n):
    rows = [page()["encode"](p, d, n) for p in range(30)]
    np.testing.assert_allclose(rows, ch07.positional_encoding(30, d, n), atol=1e-12)


def test_the_rotation_of_the_lesson_is_a_block_of_the_shift():
    printed = [[0.5403, -0.8415], [0.8415, 0.5403]]
    np.testing.assert_allclose(ch07.shift_matrix(1, 2), printed, atol=5e-5)


def test_the_similarity_rises_again_and_only_falls_on_average():
    similarity = ch07.position_similarity(60, 8)[0]
    assert (np.diff(similarity)[:3] < 0).all() and similarity[4] > similarity[3]
    assert similarity[6] > similarity[3]
    wide = ch07.position_similarity(100, 128)[0]
    means = wide[1:].reshape(9, 11).mean(axis=1)
    assert (np.diff(means) < 0).all() and (np.diff(wide) > 0).any()


def test_the_positions_need_few_of_the_directions():
    squared = np.linalg.svd(ch07.positional_encoding(100, 64), compute_uv=False) ** 2
    assert squared[:19].sum() > 0.999 * squared.sum() > squared[:18].sum()


def test_the_index_drowns_the_words_and_the_encoding_does_not():
    words = np.array(
        [[1, 0.2, -0.5, 0.1], [0.1, 0.9, 0.3, -0.4], [-0.2, 0.1, 0.2, 0.3], [0.8, -0.6, 0.9, 0.5]]
    )

    def weights_of_the_last(x):
        scores = x @ x[-1] / 2
        exponentials = np.exp(scores - scores.max())
        return exponentials / exponentials.sum()

    for first in (0, 20):
        assert weights_of_the_last(words + np.arange(first, first + 4)[:, None])[-1] > 0.999
    assert weights_of_the_last(ch07.add_positions(words, n=100))[-1] < 0.85


def test_the_score_of_turned_queries_and_keys_depends_on_the_offset():
    turned = page()["turned"]
    q, k = np.random.default_rng(3).normal(size=(2, 10))
    for p, r in ((7, 4), (40, 37), (0, 5)):
        np.testing.assert_allclose(turned(q, p), q @ ch07.shift_matrix(p, 10), atol=1e-12)
        score = q @ ch07.shift_matrix(p - r, 10) @ k
        assert turned(q, p) @ turned(k, r) == pytest.approx(score)


@pytest.mark.parametrize(("factor", "weight"), [(1, 0.064), (20, 0.88)])
def test_the_weight_at_the_shifted_position_is_what_the_lesson_says(factor, weight):
    keys = ch07.positional_encoding(50, 64)
    scores = factor * keys[20] @ ch07.shift_matrix(3, 64) @ keys.T / 8
    weights = np.exp(scores) / np.exp(scores).sum()
    assert weights.argmax() == 23 and weights[23] == pytest.approx(weight, rel=0.01)


# Seeds that the page does not use; it uses 0 to 29.
@pytest.mark.parametrize("seed", [1000, 1001, 1002])
def test_what_a_linear_read_out_recovers_of_a_position(seed):
    within, beyond = {}, {}
    for kind, table in page()["ENCODINGS"].items():
        within[kind], beyond[kind] = page()["read_out"](table, seed)[0]
    constant = np.sqrt(np.mean((np.arange(50, 100) - 24.5) ** 2))
    assert within["index"][0] < 0.05 and beyond["index"][0] < 0.05 and within["index"][1] < 0.6
    assert within["one-hot table"][0] < 2.2 and within["one-hot table"][1] > 0.99
    assert 0.9 < beyond["one-hot table"][0] / constant < 1.1
    assert within["sinusoidal"][0] < 1.2 and 0.84 < within["sinusoidal"][1] < 0.92
    assert 0.75 < beyond["sinusoidal"][0] / constant < 0.95
    assert all(found[1] < 0.65 for found in beyond.values())
    assert within["sinusoidal"][2] > 0.97 and beyond["sinusoidal"][2] > 0.84


@pytest.mark.parametrize(("T", "d"), [(25, 64), (50, 32), (50, 64), (50, 128), (200, 64)])
def test_a_hand_carries_over_when_it_has_left_its_slower_neighbour_behind(T, d):
    runs = [page()["shift_read_out"](T, d, seed) for seed in (1000, 1001, 1002)]
    errors, own_share = (np.median(each, axis=0) for each in zip(*runs, strict=True))
    assert errors[0].max() < 0.2
    turns = T / ch07.wavelengths(d)
    lead = turns - np.append(turns[1:], 0)
    assert errors[1][lead > 0.8].max() < 0.45 and own_share[lead > 0.8].min() > 0.9
    slow = (turns > 0.3) & (lead < 0.45)
    assert errors[1][slow].min() > 0.55 and own_share[slow].max() < 0.85
    assert 0.45 < page()["turns_at_half"](errors[1], T, d) * (1 - 10000 ** (-2 / d)) < 0.8


@pytest.mark.parametrize(("T", "d", "hand"), [(50, 64, 5), (50, 128, 4), (200, 64, 10)])
def test_a_hand_carries_over_without_its_neighbours(T, d, hand):
    read_out = page()["shift_read_out"]

    def error(left_out, place):
        runs = [read_out(T, d, seed, left_out)[0][1] for seed in (1000, 1001, 1002)]
        return np.median(runs, axis=0)[place]

    slower, faster = error([hand + 1], hand), error([hand - 1], hand - 1)
    assert error([hand - 1, hand + 1], hand - 1) < 0.45 < error((), hand)
    assert max(slower, faster) < 0.85 * error((), hand)


# --- the closing part --------------------------------------------------------------------------


def found_by(printed):
    return [int(number) for number in re.findall(r"found +(\d+) of 14", printed)]


def test_the_assignment_ends_with_attention_that_looks_ahead(capsys):
    names, figures = run_closing(STEM)
    printed = capsys.readouterr().out
    one, twenty, apart, *one_change, late = found_by(printed)
    assert max(one, twenty, *one_change) <= 4 and apart == late == 14
    assert len(one_change) == 3
    itself = [int(number) for number in re.findall(r"itself +(\d+)", printed)]
    assert min(itself[:2]) > 7 and itself[2] == itself[3] == 0
    sentence = names["sentence"]
    assert len(sentence) == 17
    assert " ".join(["written:", *sentence[3:], *["home"] * 3]) in printed
    assert len(figures) == 1
    for k in (-4, -1, 0, 2):
        at = np.arange(max(0, -k), 17 - max(0, k))
        assert (names["weights_ahead"](names["apart"], k)[at, at + k] > 0.85).all()


def found_with(name, answer, capsys):
    """Return how many words the closing part finds with another answer, without its figure."""
    first, *_, last = (source for kind, source in load_chapter(STEM).closing if kind == "code")
    names = vars(ch07) | {name: answer}
    exec(first, names)
    exec(last, names)
    return found_by(capsys.readouterr().out)


def test_a_shift_that_turns_the_wrong_way_finds_no_word_ahead(capsys):
    found = found_with("shift_matrix", lambda k, d: ch07.shift_matrix(-k, d), capsys)
    assert found[2:] == [0, 0]


@pytest.mark.parametrize(
    "variant", [v for v in load_variants(STEM) if v.exercise in CLOSING and not v.mistake]
)
def test_the_closing_part_works_with_every_right_answer_of_the_bank(variant, capsys):
    answer = variant_functions(STEM, variant)[variant.exercise]
    assert found_with(variant.exercise, answer, capsys)[2:] == [14, 14]
