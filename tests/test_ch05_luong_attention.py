"""The reference solution of chapter 5 against Keras, and the facts the chapter prints."""

import functools
import re

import numpy as np
import pytest
from lazily import Lazily

from autograder.course.chapters import load_chapter
from coursekit import datasets

ch05 = Lazily("solutions.ch05_luong_attention")
keras = Lazily("keras")
luong = Lazily("coursekit.luong")
ops = Lazily("keras.ops")
tf = Lazily("tensorflow")
translation = Lazily("coursekit.translation")
visible = Lazily("coursekit.checks.ch05_luong_attention")

SCORES = ["dot", "general", "concat"]


def some_states(seed, m=5, n=5, batch=4, time=6):
    rng = np.random.default_rng(seed)
    s, h = rng.normal(size=(batch, m)), rng.normal(size=(batch, time, n))
    mask = rng.uniform(size=(batch, time)) < 0.6
    mask[:, 0] = True
    return s, h, mask


def layer_with_weights(seed, score, m=5, n=5, units=3, dtype="float64"):
    rng = np.random.default_rng(seed)
    layer = ch05.LuongAttention(score, units, dtype=dtype)
    layer.build((None, m), (None, None, n))
    weights = [rng.normal(0, 0.6, size=weight.shape) for weight in layer.weights]
    layer.set_weights(weights)
    return layer, weights


def score_of(score, s, h, weights):
    return getattr(ch05, f"score_{score}")(s, h, *weights)


# --- the numbers that the exercises print ---------------------------------------------------------


def test_the_numbers_of_the_scores_and_the_step():
    s, h = visible.S, visible.H
    np.testing.assert_array_equal(s, ch05.s)
    np.testing.assert_array_equal(h, ch05.h)
    dot = ch05.score_dot(s, h)
    np.testing.assert_allclose(dot, [[0.4, -0.71, 2.24, -1.21]], atol=1e-12)
    general = ch05.score_general(s, h, visible.W_GENERAL)
    np.testing.assert_allclose(general, [[-0.635, -0.174, 0.783, -1.353]], atol=1e-12)
    concat = ch05.score_concat(s, h, visible.W_CONCAT, visible.V_CONCAT)
    np.testing.assert_allclose(concat, [[0.8277, -1.3223, 2.1691, -1.1615]], atol=5e-5)
    probabilities, attentional, weights = ch05.luong_step(
        s, h, visible.W_C, visible.W_Y, ch05.score_dot
    )
    np.testing.assert_allclose(weights, [[0.1278, 0.0421, 0.8046, 0.0255]], atol=5e-5)
    np.testing.assert_allclose(attentional, [[0.7839, 0.2729]], atol=5e-5)
    expected = [[0.3197, 0.1082, 0.2378, 0.2669, 0.0674]]
    np.testing.assert_allclose(probabilities, expected, atol=5e-5)
    context = np.array([[1.1466, -0.393, 0.5617]])
    np.testing.assert_allclose(np.einsum("bt,btn->bn", weights, h), context, atol=5e-5)
    attentional = ch05.attentional_state(context, s, visible.W_C)
    np.testing.assert_allclose(attentional, [[0.7839, 0.2729]], atol=5e-5)


def test_the_numbers_of_local_attention():
    p = ch05.predicted_position(visible.S, visible.W_P, visible.V_P, 4)
    np.testing.assert_allclose(p, [2.9728], atol=5e-5)
    window = ch05.local_window(np.array([2.9728, 0.7341]), 1, 4)
    np.testing.assert_array_equal(window, [[0, 0, 1, 1], [1, 1, 0, 0]])
    weights = ch05.local_attention_weights(visible.DOT_SCORES, np.array([2.9728]), 1.5)
    np.testing.assert_allclose(weights, [[0, 0, 0.4179, 0.0307]], atol=5e-5)
    inside = np.exp(visible.DOT_SCORES[0, 2:]) / np.exp(visible.DOT_SCORES[0, 2:]).sum()
    np.testing.assert_allclose(inside, [0.9692, 0.0308], atol=5e-5)


def test_the_numbers_of_the_layer():
    layer = ch05.LuongAttention()
    _, weights = layer(visible.S, visible.H)
    np.testing.assert_allclose(weights, [[0.1278, 0.0421, 0.8046, 0.0255]], atol=5e-5)
    mask = np.array([[True, True, False, True]])
    context, weights = layer(visible.S, visible.H, mask=mask)
    np.testing.assert_allclose(weights, [[0.6538, 0.2155, 0, 0.1307]], atol=5e-5)
    np.testing.assert_allclose(context, [[0.5153, 0.4593, -0.4191]], atol=5e-5)


# --- the functions --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_scores_are_special_cases_of_each_other_and_of_keras(seed):
    s, h, _ = some_states(seed, m=4, n=4)
    np.testing.assert_allclose(ch05.score_general(s, h, np.eye(4)), ch05.score_dot(s, h))
    rng = np.random.default_rng(seed)
    w_a, v_a = rng.normal(size=(8, 3)), rng.normal(size=3)
    # Keras's additive attention adds up tanh(query + key), weighted by its scale.
    additive = keras.layers.AdditiveAttention(dtype="float64")
    query, key = (s @ w_a[:4])[:, None], h @ w_a[4:]
    additive.build([query.shape, key.shape])
    additive.set_weights([v_a])
    _, weights = additive([query, h @ w_a[4:], key], return_attention_scores=True)
    scores = ch05.score_concat(s, h, w_a, v_a)
    np.testing.assert_allclose(ops.softmax(scores), weights[:, 0], atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_a_step_is_what_keras_layers_compute(seed):
    s, h, _ = some_states(seed, m=5, n=3)
    rng = np.random.default_rng(seed)
    w_a, w_c, w_y = (rng.normal(size=shape) for shape in [(5, 3), (8, 4), (4, 7)])
    step = ch05.luong_step(s, h, w_c, w_y, lambda s, h: ch05.score_general(s, h, w_a))
    attention = keras.layers.Attention(dtype="float64")
    context, weights = attention([(s @ w_a)[:, None], h], return_attention_scores=True)
    mixed = keras.layers.Dense(4, "tanh", use_bias=False, dtype="float64")
    output = keras.layers.Dense(7, "softmax", use_bias=False, dtype="float64")
    for dense, w in ((mixed, w_c), (output, w_y)):
        dense.build((None, len(w)))
        dense.set_weights([w])
    attentional = mixed(ops.concatenate([context[:, 0], s], axis=1))
    for got, expected in zip(step, (output(attentional), attentional, weights[:, 0]), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-10)


def test_a_step_is_finite_for_extreme_scores():
    s, h, _ = some_states(0)
    w_c, w_y = np.ones((10, 2)), np.array([[1e4, -1e4], [1e4, 1e4]])
    step = ch05.luong_step(s, h, w_c, w_y, lambda s, h: 1e4 * ch05.score_dot(s, h))
    assert all(np.isfinite(part).all() for part in step)
    for part in (step[0], step[2]):
        np.testing.assert_allclose(part.sum(axis=1), 1)


def test_the_position_is_a_sigmoid_of_a_keras_network():
    s, _, _ = some_states(0, m=3)
    rng = np.random.default_rng(0)
    w_p, v_p, lengths = rng.normal(size=(3, 4)), rng.normal(size=4), np.array([3, 9, 4, 1])
    expected = lengths * ops.sigmoid(ops.tanh(s @ w_p) @ v_p[:, None]).numpy()[:, 0]
    np.testing.assert_allclose(ch05.predicted_position(s, w_p, v_p, lengths), expected)
    extreme = ch05.predicted_position(s, w_p, 1e4 * v_p, 9)
    assert ((extreme >= 0) & (extreme <= 9)).all()


def test_local_attention_with_a_wide_window_and_a_narrow_one():
    rng = np.random.default_rng(0)
    scores, p = rng.normal(size=(5, 9)), rng.uniform(0, 8, size=5)
    weights = ch05.local_attention_weights(scores, p, 1e6)
    np.testing.assert_allclose(weights, ops.softmax(scores), atol=1e-9)
    weights = ch05.local_attention_weights(scores, p, 1.5)
    np.testing.assert_array_equal(weights > 0, ch05.local_window(p, 1.5, 9))
    distance = np.arange(9) - p[:, None]
    masked = keras.layers.Softmax(dtype="float64")(scores, mask=np.abs(distance) <= 1.5)
    gaussian = np.exp(-(distance**2) / (2 * 0.75**2))
    np.testing.assert_allclose(weights, masked * gaussian, atol=1e-9)
    # A centre on a position and a window of it alone: the weight is 1.
    np.testing.assert_allclose(ch05.local_attention_weights(scores, np.full(5, 3), 0.5)[:, 3], 1)


@pytest.mark.filterwarnings("error")
def test_local_attention_far_apart_and_without_a_position():
    scores = np.array([[1e4, -1e4, 0.0], [1e4, -1e4, -1e4], [1.0, 2.0, 3.0]])
    weights = ch05.local_attention_weights(scores, np.array([1.5, 1.5, 40.0]), 0.5)
    gaussian = np.exp(-2)
    np.testing.assert_allclose(weights, gaussian * np.array([[0, 0, 1], [0, 0.5, 0.5], [0, 0, 0]]))


# --- the layer ------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", SCORES)
def test_the_layer_computes_what_the_functions_do_and_honours_a_mask(score):
    s, h, mask = some_states(0)
    layer, weights = layer_with_weights(1, score)
    scores = score_of(score, s, h, weights)
    for given in (None, mask):
        context, alpha = layer(s, h, mask=given)
        softmax = keras.layers.Softmax(dtype="float64")
        np.testing.assert_allclose(alpha, softmax(scores, mask=given), atol=1e-9)
        np.testing.assert_allclose(context, np.einsum("bt,btn->bn", alpha, h), atol=1e-9)
    assert (alpha.numpy()[~mask] == 0).all()
    changed = np.where(mask[:, :, None], h, 1e3)
    np.testing.assert_array_equal(layer(s, changed, mask=mask)[1], alpha)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("score", SCORES)
def test_the_gradients_are_those_of_keras_attention(score, masked):
    s, h, mask = some_states(2)
    mask = mask if masked else None
    layer, weights = layer_with_weights(3, score)
    direction = np.random.default_rng(4).normal(size=(4, 5))

    def keras_context(s, h, *weights):
        attention = keras.layers.Attention(dtype="float64")
        if score == "concat":  # dot attention whose keys are the hidden units and its query v_a
            key = tf.tanh((s @ weights[0][:5])[:, None] + h @ weights[0][5:])
            query = tf.ones((4, 1, 1), "float64") * weights[1]
        else:
            query, key = (s @ weights[0] if weights else s)[:, None], h
        masks = None if mask is None else [None, tf.constant(mask)]
        return attention([query, h, key], mask=masks)[:, 0]

    tensors = [tf.constant(array) for array in (s, h, *weights)]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        loss = tf.reduce_sum(keras_context(*tensors) * direction)
    expected = tape.gradient(loss, tensors)
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        ours = tf.reduce_sum(layer(tensors[0], tensors[1], mask=mask)[0] * direction)
    assert float(ours) == pytest.approx(float(loss))
    variables = tensors[:2] + [weight.value for weight in layer.weights]
    found = tape.gradient(ours, variables)
    for got, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, other, atol=1e-9)


@pytest.mark.parametrize("score", SCORES)
def test_the_layer_survives_its_config_and_a_file(score, tmp_path):
    layer, _ = layer_with_weights(0, score, dtype="float32")
    config = layer.get_config()
    assert (config["score"], config["units"]) == (score, 3)
    assert ch05.LuongAttention.from_config(config).name == layer.name
    inputs = [keras.Input((5,)), keras.Input((None, 5)), keras.Input((None,), dtype="bool")]
    model = keras.Model(inputs, list(layer(inputs[0], inputs[1], mask=inputs[2])))
    model.save(tmp_path / "model.keras")
    names = {"LuongAttention": ch05.LuongAttention}
    loaded = keras.models.load_model(tmp_path / "model.keras", custom_objects=names)
    states = some_states(1)
    for got, expected in zip(loaded(states), model(states), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-6)


# --- the network ----------------------------------------------------------------------------------


def test_the_lookup_cannot_be_answered_from_frequencies_or_the_mean():
    draw = visible.lookup_task(np.random.default_rng(0))
    s, h, y, places = draw(2000, 5)
    rows = np.arange(len(y))
    shares = np.bincount(y) / len(y)
    assert shares.max() < 0.45
    # The answer goes with the state at its place and not with the one after it.
    _, h_new, y_new, places_new = draw(2000, 5)

    def readable(offset):
        x, x_new = h[rows, (places + offset) % 5], h_new[rows, (places_new + offset) % 5]
        w = np.linalg.lstsq(np.c_[x, np.ones(len(x))], np.eye(len(shares))[y], rcond=None)[0]
        return np.mean((np.c_[x_new, np.ones(len(x))] @ w).argmax(axis=1) == y_new)

    assert readable(0) > 0.98
    assert readable(1) < 0.45


def test_frequent_answers_differ_between_training_and_test():
    for seed in range(20):
        draw = visible.lookup_task(np.random.default_rng(seed))
        train, test = draw(4000, 4, wrong=0.05)[2], draw(600, 8, wrong=0.15, shift=1)[2]
        # The hidden check renumbers the answers of the test part.
        for answers in (test, (test + 1) % visible.VALUES):
            assert np.bincount(train).argmax() != np.bincount(answers).argmax()


def test_answers_of_the_test_part_stand_out_from_those_of_a_guesser():
    rng = np.random.default_rng(0)
    answers, guesses = rng.integers(visible.VALUES, size=(2, 600))
    assert not visible.answers_shifted_by(1, guesses, answers)
    learned = np.where(rng.random(600) < 0.3, answers + 1, guesses) % visible.VALUES
    assert visible.answers_shifted_by(1, learned, answers)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: ch05.score_dot(np.ones((2, 3)), np.ones((2, 5, 4))), "s"),
        (lambda: ch05.score_general(np.ones((2, 3)), np.ones((2, 5, 4)), np.ones((4, 3))), "w_a"),
        (
            lambda: ch05.score_concat(
                np.ones((2, 3)), np.ones((2, 5, 4)), np.ones((6, 2)), np.ones(2)
            ),
            "w_a",
        ),
        (
            lambda: ch05.score_concat(
                np.ones((2, 3)), np.ones((2, 5, 4)), np.ones((7, 2)), np.ones(3)
            ),
            "v_a",
        ),
        (
            lambda: ch05.attentional_state(np.ones((2, 3)), np.ones((2, 4)), np.ones((6, 2))),
            "w_c",
        ),
        (
            lambda: ch05.luong_step(
                np.ones((2, 3)),
                np.ones((2, 5, 3)),
                np.ones((6, 4)),
                np.ones((3, 7)),
                ch05.score_dot,
            ),
            "w_y",
        ),
        (
            lambda: ch05.luong_step(
                np.ones((2, 3)),
                np.ones((2, 5, 3)),
                np.ones((6, 4)),
                np.ones((4, 7)),
                lambda s, h: s,
            ),
            "score",
        ),
        (lambda: ch05.predicted_position(np.ones((2, 3)), np.ones((4, 2)), np.ones(2), 5), "w_p"),
        (lambda: ch05.predicted_position(np.ones((2, 3)), np.ones((3, 2)), np.ones(3), 5), "v_p"),
        (
            lambda: ch05.predicted_position(
                np.ones((2, 3)), np.ones((3, 2)), np.ones(2), np.ones(3)
            ),
            "source_length",
        ),
        (
            lambda: ch05.predicted_position(np.ones((2, 3)), np.ones((3, 2)), np.ones(2), -1),
            "source_length",
        ),
        (lambda: ch05.local_window(1.5, 1, 4), "p"),
        (lambda: ch05.local_window(np.ones(2), -1, 4), "half_width"),
        (lambda: ch05.local_window(np.ones(2), 1, -4), "source_length"),
        (lambda: ch05.local_attention_weights(np.ones(4), np.ones(4), 1), "scores"),
        (lambda: ch05.local_attention_weights(np.ones((2, 4)), np.ones(4), 1), "p"),
        (lambda: ch05.local_attention_weights(np.ones((2, 4)), np.ones(2), 0), "half_width"),
        (lambda: ch05.LuongAttention("additive"), "score"),
        (lambda: ch05.LuongAttention("concat"), "units"),
        (lambda: ch05.LuongAttention()(np.ones((2, 3)), np.ones((2, 5, 4))), "s"),
        (
            lambda: ch05.fit_lookup(
                (np.ones((3, 2)), np.ones((3, 5, 4)), np.ones(2, int)), (None,) * 3
            ),
            "train",
        ),
    ],
)
def test_bad_input_is_named(call, names):
    with pytest.raises(ValueError, match=rf"\b{names}\b"):
        call()


# --- what the lesson prints -----------------------------------------------------------------------

H = np.array([[0.9, 0.2, -0.5], [-0.4, 1.1, 0.3], [1.3, -0.6, 0.8], [0.1, 0.7, -1.2]])
S = np.array([[1.0, -0.5, 0.8], [-0.6, 1.2, 0.4]])
W_GENERAL = np.array([[0.5, -0.2, 0.1], [0.3, 0.8, -0.4], [-0.6, 0.2, 0.7]])


def rowwise_softmax(scores):
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def aligned(kind, weights=(), half_width=8.0, real=(True,) * 4):
    """Return what `Alignment` gives the two states of the running example."""
    layer = luong.Alignment(kind, half_width)
    inputs = [a.astype("float32")[None] for a in (S, H)]
    centres = [[np.nan, np.nan]] if kind == "local-p" else [[0.0, 1.0]]
    inputs += [np.array([real]), np.array(centres, "float32")]
    layer.build(*(each.shape for each in inputs))
    layer.set_weights(list(weights))
    return np.asarray(layer(*inputs))[0]


def test_dot_and_general_are_the_attention_of_keras():
    attention = keras.layers.Attention()
    for kind, weights, asks in (("dot", [], S), ("general", [W_GENERAL], S @ W_GENERAL)):
        _, expected = attention([asks[None], H[None]], return_attention_scores=True)
        assert np.allclose(aligned(kind, weights), expected[0], atol=1e-6)


def test_concat_is_additive_attention_after_two_projections():
    rng = np.random.default_rng(1)
    w_a, v_a = rng.normal(size=(6, 3)), rng.normal(size=3)
    inputs = [(S @ w_a[:3])[None], H[None], (H @ w_a[3:])[None]]
    additive = keras.layers.AdditiveAttention()
    additive.build([each.shape for each in inputs])
    additive.set_weights([v_a])
    _, expected = additive(inputs, return_attention_scores=True)
    assert np.allclose(aligned("concat", [w_a, v_a]), expected[0], atol=1e-6)


def test_local_m_is_a_softmax_in_its_window_and_sums_to_1():
    weights = aligned("local-m", [W_GENERAL], half_width=1)
    scores = S @ W_GENERAL @ H.T
    assert np.allclose(weights[0], [*rowwise_softmax(scores[0, :2]), 0, 0], atol=1e-6)
    assert np.allclose(weights[1], [*rowwise_softmax(scores[1, :3]), 0], atol=1e-6)


def test_local_p_multiplies_by_a_gaussian_and_does_not_renormalise():
    rng = np.random.default_rng(2)
    w_p, v_p = rng.normal(size=(3, 3)), rng.normal(size=3)
    weights = aligned("local-p", [W_GENERAL, w_p, v_p], half_width=1.5)
    for s, row in zip(S, weights, strict=True):
        p = 4 / (1 + np.exp(-np.tanh(s @ w_p) @ v_p))
        offset = np.arange(4) - p
        scores = np.where(np.abs(offset) <= 1.5, s @ W_GENERAL @ H.T, -np.inf)
        assert np.allclose(
            row, rowwise_softmax(scores) * np.exp(-(offset**2) / (2 * 0.75**2)), atol=1e-6
        )
        assert row.sum() < 1


@pytest.mark.parametrize(("centre", "half_width"), [(2.9728, 1.5), (0.7341, 1), (2, 8)])
def test_the_weights_in_one_window(centre, half_width):
    inside, weights = luong.window_weights(visible.DOT_SCORES[0], centre, half_width)
    expected = ch05.local_attention_weights(visible.DOT_SCORES, np.array([centre]), half_width)
    assert np.allclose(weights, expected[0], atol=1e-6)
    near = np.abs(np.arange(4) - centre) <= half_width
    assert np.allclose(inside[near], rowwise_softmax(visible.DOT_SCORES[0, near]), atol=1e-6)
    assert not inside[~near].any()


@pytest.mark.parametrize("kind", ["dot", "local-m"])
def test_padding_gets_no_weight_at_all(kind):
    weights = aligned(kind, [] if kind == "dot" else [W_GENERAL], real=(True, True, True, False))
    assert np.all(weights[:, 3] == 0) and np.allclose(weights.sum(axis=1), 1)


@pytest.mark.parametrize(("kind", "half_width"), [("additive", 8), ("local-m", 0), ("dot", -1)])
def test_an_alignment_that_does_not_exist_is_refused(kind, half_width):
    with pytest.raises(ValueError, match="alignment|half_width"):
        luong.Alignment(kind, half_width)


def test_targets_in_the_order_of_their_sources():
    sources = ["17.09.2008", "9/17/2008", "Wed 17 Sep 2008", "Wednesday, September 17, 2008"]
    sources += ["17 September 2008", "Sep 17, 2008", "September 17, 2008", "17 Sep 2008"]
    day_first = [True, False, True, False, True, False, False, True]
    rewritten = luong.in_order_of_source(sources, ["2008-09-17"] * 8)
    assert rewritten == ["17-09-2008" if first else "09-17-2008" for first in day_first]


@functools.cache
def the_dates():
    corpus = datasets.dates()
    rows = [
        (corpus.source.encode(pairs.sources, 30), corpus.target.encode(pairs.targets, 11))
        for pairs in (corpus.train, corpus.test)
    ]
    return corpus, *rows


def translator(alignment, **settings):
    corpus, *_ = the_dates()
    return luong.Translator(alignment, corpus.source, corpus.target, 30, 11, **settings)


@pytest.fixture
def without_xla(monkeypatch):
    """For a few steps only, XLA would take longer to compile than it saves."""
    trainer = functools.partial(translation.Trainer, jit_compile=False)
    monkeypatch.setattr("coursekit.translation.Trainer", trainer)


def test_the_parameters_of_the_table():
    # general adds w_a, concat w_a of twice the height and v_a; local-p adds w_p and v_p to general
    counts = {
        kind: translator(kind).model.count_params() for kind in ("dot", "general", "concat", None)
    }
    counts["local-p"] = translator("local-p").model.count_params()
    assert counts["general"] - counts["dot"] == 48 * 48
    assert counts["concat"] - counts["dot"] == 2 * 48 * 48 + 48
    assert counts["local-p"] - counts["general"] == 48 * 48 + 48
    assert counts["dot"] - counts[None] == 48 * 48  # the rows of w_c that belong to the context


def test_the_step_by_step_decoder_is_the_network_that_is_trained(without_xla):
    _, (x, y), (x_test, _) = the_dates()
    network = translator("general", steps=60)
    network.train(x, y, seed=3)
    ids, weights = network.translate(x_test[:50])
    assert weights.shape == (50, 11, 30)
    # Given what was written, the network of all steps at once writes the same; rounding may decide
    # a near tie.
    assert translation.exact_match(network.model, x_test[:50], ids).mean() >= 0.96


def test_a_seed_decides_a_run_whatever_was_trained_before(without_xla):
    _, (x, y), (x_test, _) = the_dates()
    network = translator("dot", steps=20)
    outcomes = []
    for seed in (4, 5, 4):
        network.train(x, y, seed)
        outcomes.append(network.translate(x_test[:20])[1])
    assert np.allclose(outcomes[0], outcomes[2], atol=1e-5)
    assert not np.allclose(outcomes[0], outcomes[1], atol=1e-3)


def test_local_p_takes_the_centres_that_it_is_given(without_xla):
    _, (x, y), (x_test, _) = the_dates()
    network = translator("local-p", steps=20)
    network.train(x, y, seed=0)
    ids, weights = network.translate(x_test[:20])
    centres = network.predicted_centres(x_test[:20], ids)
    lengths = np.sum(x_test[:20] != 0, axis=1, keepdims=True)
    assert centres.shape == (20, 11) and np.all((0 < centres) & (centres < lengths))
    given = network.translate(x_test[:20], centres=centres)[1]
    assert np.allclose(given, weights, atol=1e-5)
    # Around position 0 a window of D = 8 ends at position 8.
    assert np.all(network.translate(x_test[:20], centres=0 * centres)[1][:, :, 9:] == 0)


def test_the_centres_of_local_m_are_the_steps_unless_others_are_given(without_xla):
    _, (x, y), (x_test, y_test) = the_dates()
    network = translator("local-m", half_width=2, steps=20)
    network.train(x, y, seed=0)
    steps = np.tile(np.arange(11), (20, 1))
    for centres in (None, steps, steps + 4):
        weights = network.translate(x_test[:20], centres=centres)[1]
        outside = np.abs(np.arange(30) - (steps if centres is None else centres)[..., None]) > 2
        assert np.all(weights[outside] == 0)
    with pytest.raises(ValueError, match="local-m"):
        network.predicted_centres(x_test, y_test)


def year_rows(corpus, weights):
    """Return the mean weight of the first four steps on the year's digits and the state after."""
    shares = [
        row[:4, source.index(target[:4]) :][:, :5].sum(axis=1)
        for source, target, row in zip(
            corpus.test.sources, corpus.test.targets, weights, strict=True
        )
    ]
    return np.mean(shares)


# Seeds that the lesson does not use.
@pytest.mark.nightly
@pytest.mark.parametrize("alignment", ["dot", "general"])
def test_global_attention_learns_the_dates_and_looks_at_the_year(alignment):
    corpus, (x, y), (x_test, y_test) = the_dates()
    network = translator(alignment)
    for seed in (20, 21):
        network.train(x, y, seed)
        ids, weights = network.translate(x_test)
        assert (ids == y_test).all(axis=1).mean() > 0.95
        assert year_rows(corpus, weights) > 0.7


@pytest.mark.nightly
def test_without_attention_and_with_a_fixed_window_the_same_steps_do_not_suffice():
    _, (x, y), (x_test, y_test) = the_dates()
    for alignment, most in ((None, 0.15), ("local-m", 0.96)):
        network = translator(alignment)
        for seed in (20, 21):
            network.train(x, y, seed)
            ids, _ = network.translate(x_test)
            assert (ids == y_test).all(axis=1).mean() < most
            assert np.all(ids[:, :4] == y_test[:, :4], axis=1).mean() > 0.95  # the year is right


@pytest.mark.nightly
def test_local_m_reaches_as_far_as_its_window():
    corpus, (x, _), (x_test, _) = the_dates()
    y, y_test = (
        corpus.target.encode(luong.in_order_of_source(pairs.sources, pairs.targets), 11)
        for pairs in (corpus.train, corpus.test)
    )
    ahead = np.array(
        [s.index(t[:4]) - 6 for s, t in zip(corpus.test.sources, corpus.test.targets, strict=True)]
    )
    network = translator("local-m")
    within = []
    for seed in (20, 21):
        network.train(x, y, seed)
        right = (network.translate(x_test)[0] == y_test).all(axis=1)
        within.append(right[ahead <= 7].mean())
        assert right[ahead > 8].mean() < 0.05
    assert max(within) > 0.8  # some starts need more than 400 steps


@pytest.mark.nightly
def test_local_p_learns_a_timetable():
    _, (x, y), (x_test, y_test) = the_dates()
    lengths = np.sum(x_test != 0, axis=1, keepdims=True)
    network = translator("local-p")
    for seed in (20, 21):
        network.train(x, y, seed)
        shares = network.predicted_centres(x_test, y_test) / lengths
        assert 1 - np.var(shares - shares.mean(axis=0)) / np.var(shares) > 0.8
        centres = None, shares.mean(axis=0) * lengths, np.roll(shares.mean(axis=0), 5) * lengths
        own, constants, late = (
            (network.translate(x_test, centres=each)[0] == y_test).all(axis=1).mean()
            for each in centres
        )
        assert abs(own - constants) < 0.03 and late < own - 0.3


@pytest.mark.nightly
def test_three_times_the_steps_as_the_lesson_reports_them():
    corpus, (x, y), (x_test, y_test) = the_dates()
    # The day begins beyond the window of its first step.
    far = np.array([re.search(r"\d", source).start() > 16 for source in corpus.test.sources])
    for alignment in (None, "local-m"):
        network = translator(alignment, steps=1200)
        for seed in (0, 1):
            network.train(x, y, seed)
            same = network.translate(x_test)[0] == y_test
            if alignment is None:
                assert same.all(axis=1).mean() < 0.5
            else:
                assert same[far, 8:].all(axis=1).mean() < 0.3


# --- the translator that closes the assignment ----------------------------------------------------


# With its trainings it takes most of a minute.
@pytest.mark.nightly
def test_the_assignment_ends_with_a_translator_of_the_students_own(capsys):
    training, narrowing = (
        s for kind, s in load_chapter("ch05_luong_attention").closing if kind == "code"
    )
    names = dict(vars(load_chapter("ch05_luong_attention").reference))
    exec(training, names)
    exec(narrowing, names)
    printed = capsys.readouterr().out
    assert re.search(r"19\.04\.2066 +2066-04-19", printed)
    assert float(re.search(r"exact answers: (\S+)", printed)[1]) > 0.9
    rows = {
        line[:30].strip(): [*map(float, line[30:].split())] for line in printed.splitlines()[-3:]
    }
    assert rows["highest score"][-1] > 0.9
    assert rows["step t"][2] < rows["highest score"][2] - 0.3
