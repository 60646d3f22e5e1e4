"""The reference solution of chapter 5 against Keras, and the facts the chapter prints."""

import numpy as np
import pytest
from lazily import Lazily

ch05 = Lazily("solutions.ch05_luong_attention")
keras = Lazily("keras")
ops = Lazily("keras.ops")
tf = Lazily("tensorflow")
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
        assert np.bincount(train).argmax() != np.bincount(test).argmax()


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
