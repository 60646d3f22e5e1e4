"""The reference solution of chapter 12, and the facts that its lesson prints."""

import re

import numpy as np
import pytest
from closing import run_closing
from lazily import Lazily

from autograder.course.chapters import load_chapter
from coursekit.checks import CheckFailure

ch12 = Lazily("solutions.ch12_attention_today")
keras = Lazily("keras")
language_models = Lazily("coursekit.language_models")
recall = Lazily("coursekit.recall")
tiles = Lazily("coursekit.tiles")


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def attention(q, k, v, mask=True):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    return softmax(np.where(mask, scores, -np.inf)) @ v


def drawn(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def test_the_blocks_on_the_cards_hold_what_the_reference_gives():
    q, k, v = ch12.q, ch12.k, ch12.v
    first = ch12.online_softmax_update(None, np.array([[1.0, 3.0]]), v[:2])
    second = ch12.online_softmax_update(first, np.array([[4.0]]), v[2:])
    heads, causal = np.stack([q, q[:, ::-1]]), np.tri(3, dtype=bool)
    layer = ch12.RotarySelfAttention(4, 2, 1)
    layer(q[None])
    layer.set_weights([np.eye(4), np.eye(4)[:, :2], np.eye(4)[:, 2:], np.eye(4)[::-1]])
    given = {
        "rotate": [ch12.rotate(q)],
        "alibi_slopes": [ch12.alibi_bias(4, 3)[0]],
        "grouped_query_attention": [
            ch12.grouped_query_attention(heads[None], k[None, None], v[None, None], causal)
        ],
        "sliding_window_mask": [ch12.sliding_window_mask(4, 2)],
        "online_softmax_update": [
            np.concatenate([part.ravel() for state in (first, second) for part in state]),
            ch12.tiled_attention(q, k, v, 2),
        ],
        "linear_attention": [ch12.linear_attention(q[None], k[None], v[None])],
        "RotarySelfAttention": [layer(q[None])],
    }
    for exercise in load_chapter("ch12_attention_today").exercises:
        blocks = re.findall(r"```text\n(.*?)```", exercise.text, re.DOTALL)
        printed = [re.findall(r"-?\d+\.?\d*|True|False", block) for block in blocks]
        numbers = [[float({"True": 1, "False": 0}.get(n, n)) for n in block] for block in printed]
        values = [np.ravel(np.asarray(value, float)) for value in given.get(exercise.id, [])]
        assert len(numbers) == len(values), exercise.id
        for shown, value in zip(numbers, values, strict=True):
            np.testing.assert_allclose(shown, value, atol=6e-5)


def test_a_refusal_in_the_students_own_words_is_named():
    checks = load_chapter("ch12_attention_today").checks

    def alibi_slopes(num_heads):
        if num_heads < 2:
            raise ValueError("so few heads?")
        return ch12.alibi_slopes(num_heads)

    with pytest.raises(CheckFailure, match="Possibly: One head is refused"):
        checks.alibi_slopes(alibi_slopes, ch12.alibi_bias)


# --- positions ------------------------------------------------------------------------------------


def test_a_rotary_score_depends_on_the_offset_alone():
    q, k = drawn((1, 8), (1, 8))
    positions = np.array([0.0, 3.0, 17.5])
    for offset in (-4.0, 0.0, 2.5):
        scores = [(ch12.rotate(q, [p + offset]) @ ch12.rotate(k, [p]).T).item() for p in positions]
        assert np.allclose(scores, scores[0])
    assert not np.allclose(ch12.rotate(q, [4.0]) @ k.T, ch12.rotate(q, [5.0]) @ k.T)


def test_a_rotation_keeps_lengths_and_is_undone_by_the_negative_position():
    (x,) = drawn((2, 3, 5, 6))
    positions = np.linspace(-7, 20, 5)
    turned = ch12.rotate(x, positions, n=50.0)
    assert np.allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1))
    assert np.allclose(ch12.rotate(turned, -positions, n=50.0), x)


def test_rotating_sines_and_cosines_moves_them_on():
    # With the pair (sin, cos) of chapter 7 the angle runs the other way.
    d, position = 8, np.arange(6)
    angles = position[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    encoding = np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(6, d)
    assert np.allclose(ch12.rotate(encoding[[0] * 6], position), encoding)


def test_the_slopes_of_the_paper():
    assert np.array_equal(ch12.alibi_slopes(8), 0.5 ** np.arange(1, 9))
    assert np.allclose(ch12.alibi_slopes(16)[:2], [2**-0.5, 2**-1])


# --- fewer keys, and keys that are kept -----------------------------------------------------------


@pytest.mark.parametrize("groups", [1, 2, 6])
def test_grouped_queries_are_those_of_keras(groups):
    heads, d, d_model = 6, 4, 24
    (x,) = drawn((2, 5, d_model))
    layer = keras.layers.GroupQueryAttention(d, heads, groups, use_bias=False)
    expected = layer(x, x, use_causal_mask=True)
    w_q, w_k, w_v, w_o = layer.get_weights()
    q, k, v = (np.einsum("btm,mhd->bhtd", x, w) for w in (w_q, w_k, w_v))
    attended = ch12.grouped_query_attention(q, k, v, np.tri(5, dtype=bool))
    assert np.allclose(np.einsum("bhtd,hdm->btm", attended, w_o), expected, atol=1e-5)


def test_keras_gives_a_query_without_a_key_the_mean_of_all_values():
    (x,) = drawn((1, 5, 8))
    layer = keras.layers.GroupQueryAttention(4, 2, 1, use_bias=False)
    mask = np.ones((1, 5, 5), dtype=bool)
    mask[0, 2] = False
    found = layer(x, x, attention_mask=mask)[0, 2]
    _, _, w_v, w_o = layer.get_weights()
    mean = np.einsum("tm,mhd->thd", x[0], w_v).mean(axis=0)
    assert np.allclose(np.einsum("hd,hdm->m", np.repeat(mean, 2, axis=0), w_o), found, atol=1e-5)


def test_as_many_groups_as_heads_are_plain_attention():
    q, k, v = drawn((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 5))
    mask = np.random.default_rng(1).uniform(size=(2, 1, 4, 6)) < 0.7
    mask[..., 0] = True
    assert np.allclose(ch12.grouped_query_attention(q, k, v, mask), attention(q, k, v, mask))


def test_steps_with_a_cache_are_causal_attention():
    q, k, v = drawn((2, 7, 5), (2, 7, 5), (2, 7, 5))
    cache, outputs = None, []
    for t in range(7):
        output, cache = ch12.cached_step(q[:, t], k[:, t], v[:, t], cache)
        outputs.append(output)
    expected = attention(q, k, v, np.tri(7, dtype=bool))
    assert np.allclose(np.stack(outputs, axis=1), expected)
    assert np.array_equal(cache[0], k) and np.array_equal(cache[1], v)


def test_the_cache_of_a_token_that_a_paper_prints():
    # Kwon et al. (2023), section 3: 800 KB a token for OPT-13B, "1.6 GB" for 2,048 tokens.
    assert ch12.cache_bytes(40, 40, 128, 1) == 800 * 1024
    assert round(ch12.cache_bytes(40, 40, 128, 2048) / 1024**3, 1) == 1.6


# --- windows, blocks, recurrence ------------------------------------------------------------------


@pytest.mark.parametrize(("num_layers", "window"), [(1, 4), (3, 2), (4, 3), (5, 1)])
def test_the_receptive_field_is_what_products_of_the_mask_reach(num_layers, window):
    mask = ch12.sliding_window_mask(40, window).astype(int)
    reached = np.linalg.matrix_power(mask, num_layers)[-1] > 0
    assert reached.sum() == ch12.receptive_field(num_layers, window)


def test_the_receptive_field_of_the_lesson():
    assert ch12.receptive_field(32, 4096) == 131_041


@pytest.mark.parametrize("block_size", [1, 2, 3, 7, 20])
def test_tiles_are_attention_in_one_piece(block_size):
    q, k, v = drawn((4, 6), (7, 6), (7, 3))
    assert np.allclose(ch12.tiled_attention(q, k, v, block_size), attention(q, k, v))
    assert np.allclose(
        ch12.tiled_attention(300 * q, 300 * k, v, block_size), attention(300 * q, 300 * k, v)
    )


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("scale", [1, 300])
def test_the_tiles_of_the_lesson_are_attention_in_one_piece(size, scale):
    q, k, v = drawn((4, 6), (7, 6), (7, 3))
    expected = attention(scale * q, scale * k, v)
    assert np.allclose(tiles.attend(scale * q, scale * k, v, size), expected)


def test_a_tile_without_keys_is_named():
    with pytest.raises(ValueError, match="^size must be at least 1, got 0$"):
        tiles.attend(*drawn((4, 6), (7, 6), (7, 3)), size=0)


def test_linear_attention_is_attention_with_another_kernel():
    q, k, v = drawn((2, 6, 4), (2, 6, 4), (2, 6, 3))
    phi_q, phi_k = (np.array(keras.ops.elu(x)) + 1 for x in (q, k))
    weights = phi_q @ np.swapaxes(phi_k, 1, 2) * np.tri(6)
    expected = weights / weights.sum(axis=2, keepdims=True) @ v
    assert np.allclose(ch12.linear_attention(q, k, v), expected, atol=1e-6)


# --- the layer ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kv_heads", [None, 4, 2, 1])
def test_the_layer_is_rotate_and_grouped_query_attention(kv_heads):
    (x,) = drawn((2, 9, 16))
    layer = ch12.RotarySelfAttention(16, 4, kv_heads, n=30.0)
    out = layer(x)

    def heads(w):
        split = (x @ w).reshape(2, 9, -1, 4)
        return np.swapaxes(split, 1, 2)

    w_q, w_k, w_v, w_o = layer.get_weights()
    q, k = (ch12.rotate(heads(w), n=30.0) for w in (w_q, w_k))
    attended = ch12.grouped_query_attention(q, k, heads(w_v), np.tri(9, dtype=bool))
    merged = np.swapaxes(attended, 1, 2).reshape(2, 9, 16)
    assert np.allclose(out, merged @ w_o, atol=1e-5)


def test_padding_on_either_side_changes_no_real_output():
    (x,) = drawn((1, 5, 8))
    layer = ch12.RotarySelfAttention(8, 2)
    padding = np.full((1, 3, 8), 7.0)
    real = np.ones((1, 5), bool)
    for parts, mask, seen in (
        ([x, padding], np.pad(real, ((0, 0), (0, 3))), slice(0, 5)),
        ([padding, x], np.pad(real, ((0, 0), (3, 0))), slice(3, 8)),
    ):
        out = np.array(layer(np.concatenate(parts, axis=1), mask=mask))
        assert np.isfinite(out).all()
        # Rotary scores depend on offsets alone, so a shift of all positions changes nothing.
        assert np.allclose(out[:, seen], layer(x), atol=1e-5)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: ch12.rotate(np.ones((4, 3))), "x"),
        (lambda: ch12.rotate(np.ones((4, 2)), np.arange(3)), "positions"),
        (lambda: ch12.alibi_slopes(6), "num_heads"),
        (lambda: ch12.alibi_bias(0, 3), "num_heads"),
        (
            lambda: ch12.grouped_query_attention(
                np.ones((1, 3, 2, 4)), np.ones((1, 2, 2, 4)), np.ones((1, 2, 2, 4))
            ),
            "q",
        ),
        (
            lambda: ch12.grouped_query_attention(
                np.ones((1, 2, 2, 4)), np.ones((1, 2, 2, 3)), np.ones((1, 2, 2, 4))
            ),
            "k",
        ),
        (
            lambda: ch12.cached_step(
                *np.ones((3, 2, 4)), cache=(np.ones((1, 5, 4)), np.ones((1, 5, 4)))
            ),
            "cache",
        ),
        (lambda: ch12.sliding_window_mask(4, 0), "window"),
        (lambda: ch12.receptive_field(4, 0), "window"),
        (lambda: ch12.online_softmax_update(None, np.ones((2, 3)), np.ones((4, 2))), "scores"),
        (lambda: ch12.tiled_attention(*np.ones((3, 2, 2)), 0), "block_size"),
        (lambda: ch12.tiled_attention(np.ones((2, 2)), np.ones((3, 2)), np.ones((2, 2)), 1), "k"),
        (lambda: ch12.linear_attention(*np.ones((2, 1, 3, 2)), np.ones((1, 4, 2))), "q"),
        (
            lambda: ch12.linear_attention_step(
                *np.ones((3, 1, 2)), state=(np.ones((1, 3, 2)), np.ones((1, 3)))
            ),
            "state",
        ),
        (lambda: ch12.RotarySelfAttention(10, 4), "d_model"),
        (lambda: ch12.RotarySelfAttention(8, 4, 3), "num_kv_heads"),
        (lambda: ch12.RotarySelfAttention(8, 4)(np.ones((1, 3, 6))), "x"),
    ],
)
def test_bad_input_is_named(call, names):
    with pytest.raises(ValueError, match=rf"\b{names}\b"):
        call()


# --- what the lesson trains -----------------------------------------------------------------------


def test_models_side_by_side_do_not_mix():
    rows = np.random.default_rng(0).integers(7, size=(40, 13))
    among = language_models.LanguageModels(7, ["learned", "rotary", "ALiBi"], [3, 4])
    alone = language_models.LanguageModels(7, ["rotary"], [4])
    for models in (among, alone):
        models.train(rows, steps=5, rate=0.01, batch=4)
    assert np.allclose(among.losses(rows[:6])[3], alone.losses(rows[:6])[0], atol=1e-4)


@pytest.mark.parametrize("kind", ["none", "learned", "sinusoidal", "rotary", "ALiBi"])
def test_a_language_model_does_not_see_the_token_that_it_predicts(kind):
    rows = np.random.default_rng(0).integers(7, size=(2, 12))
    models = language_models.LanguageModels(7, [kind], [0])
    changed = rows.copy()
    changed[:, 8] = (changed[:, 8] + 1) % 7
    before, after = (models.losses(each)[0] for each in (rows, changed))
    assert np.allclose(before[:, :7], after[:, :7], atol=1e-5)
    assert np.all(np.abs(before[:, 8] - after[:, 8]) > 1e-4)


@pytest.mark.parametrize("kind", ["learned", "rotary", "ALiBi"])
def test_with_a_window_tokens_before_it_have_no_influence(kind):
    rows = np.random.default_rng(0).integers(7, size=(2, 12))
    models = language_models.LanguageModels(7, [kind], [0])
    changed = rows.copy()
    changed[:, 2] = (changed[:, 2] + 1) % 7
    before, after = (models.losses(each, window=4)[0] for each in (rows, changed))
    seen = np.abs(before - after).max(axis=0) > 1e-4
    # The loss at place t is that of token t + 1, so token 2 is seen by places 2 to 5.
    assert seen.tolist() == [False, True, True, True, True, True] + 5 * [False]
    assert np.allclose(models.losses(rows, window=11), models.losses(rows), atol=1e-6)


def test_the_order_of_tokens_far_back_counts_unless_there_are_no_positions():
    rows = np.array([[1, 2, 3, 4, 5, 6], [2, 1, 3, 4, 5, 6]])
    for kind in language_models.POSITIONS:
        first, second = language_models.LanguageModels(7, [kind], [0]).losses(rows)[0, :, -1]
        assert np.isclose(first, second, atol=1e-5) == (kind == "none")


def test_the_biases_of_the_language_models_are_those_of_the_exercise():
    rows = np.random.default_rng(1).integers(7, size=(2, 9))
    models = language_models.LanguageModels(7, ["none", "ALiBi"], [0])
    plain, biased = models.losses(rows)
    assert not np.allclose(plain, biased, atol=1e-3)
    # With one token to see there is no distance.
    assert np.allclose(plain[:, 0], biased[:, 0], atol=1e-5)


def test_a_kind_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="kinds"):
        language_models.LanguageModels(7, ["rotating"], [0])


def test_the_pairs_of_a_text_have_different_keys():
    keys, values = recall.draw(np.random.default_rng(0), 30, 20)
    assert keys.shape == values.shape == (30, 20)
    assert all(len(set(row)) == 20 for row in keys)
    with pytest.raises(ValueError, match="pairs"):
        recall.draw(np.random.default_rng(0), 1, 65)


def test_recall_is_chance_before_training_and_softmax_learns_it():
    for attention in ("softmax", "linear"):
        networks = recall.Recall(attention, 16, [20])
        assert networks.accuracy(16)[0] < 0.2
        networks.train([8], steps=250, rate=0.08)
        assert networks.accuracy(8)[0] > 0.9
    with pytest.raises(ValueError, match="attention"):
        recall.Recall("local", 16, [0])


# --- the language model that closes the assignment ------------------------------------------------


@pytest.mark.nightly
def test_the_assignment_ends_with_a_language_model_of_the_students_own(capsys):
    run_closing("ch12_attention_today")
    printed = capsys.readouterr().out
    assert float(re.search(r"differ by (\S+)", printed)[1]) < 1e-2
    (first, again), (second, windowed) = (
        map(float, re.findall(rf"{name} half: (\S+) of", printed)) for name in ("first", "second")
    )
    assert first == again > 0.6 and second < windowed - 0.15
    assert windowed > first - 0.15
