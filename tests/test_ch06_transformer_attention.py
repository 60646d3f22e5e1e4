"""The reference solution of chapter 6 against Keras, and the facts the chapter prints."""

import re

import numpy as np
import pytest
from closing import run_closing
from lazily import Lazily

ch06 = Lazily("solutions.ch06_transformer_attention")
keras = Lazily("keras")
ops = Lazily("keras.ops")
tf = Lazily("tensorflow")
visible = Lazily("coursekit.checks.ch06_transformer_attention")


def some_mask(rng, *shape):
    mask = rng.uniform(size=shape) < 0.6
    mask[..., 0] = True
    return mask


def both_layers(seed, time=5, num_heads=3, width=2):
    """Return the reference's layer and Keras's with the same weights, and an input and a mask."""
    rng = np.random.default_rng(seed)
    d_model = num_heads * width
    x = rng.normal(size=(4, time, d_model)).astype("float32")
    ours = ch06.MultiHeadSelfAttention(d_model, num_heads)
    theirs = keras.layers.MultiHeadAttention(num_heads, width, use_bias=False)
    ours.build(x.shape)
    theirs.build(x.shape, x.shape)
    weights = [rng.normal(0, 0.6, size=(d_model, d_model)) for _ in range(4)]
    ours.set_weights(weights)
    shapes = [weight.shape for weight in theirs.get_weights()]
    theirs.set_weights([w.reshape(shape) for w, shape in zip(weights, shapes, strict=True)])
    return ours, theirs, x, some_mask(rng, 4, time, time)


# --- the facts ---------------------------------------------------------------------------------


def test_the_numbers_that_the_exercises_print():
    q, k, v, x = visible.Q, visible.K, visible.V, visible.X
    output, weights = ch06.scaled_dot_product_attention(q, k, v)
    printed = [[-0.6705, 1.1815, -0.6175], [0.3611, -0.5185, -0.2321], [-0.6089, 1.1953, -0.4975]]
    np.testing.assert_allclose(output, printed, atol=5e-5)
    printed = [
        [0.2324, 0.0173, 0.1335, 0.1385, 0.0533, 0.425],
        [0.0001, 0.3607, 0.0205, 0.6106, 0.008, 0.0001],
        [0.3243, 0.0165, 0.0985, 0.0621, 0.0607, 0.4379],
    ]
    np.testing.assert_allclose(weights, printed, atol=5e-5)
    mask = np.array([[1, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]], dtype=bool)
    output, weights = ch06.scaled_dot_product_attention(q, k, v, mask)
    printed = [[-0.6031, 1.2573, -0.5271], [0, 0, 0], [-0.2084, 0.8816, -0.1113]]
    np.testing.assert_allclose(output, printed, atol=5e-5)
    printed = [
        [0.2698, 0.02, 0.155, 0, 0.0618, 0.4933],
        [0, 0, 0, 0, 0, 0],
        [0.767, 0, 0.233, 0, 0, 0],
    ]
    np.testing.assert_allclose(weights, printed, atol=5e-5)
    np.testing.assert_array_equal(ch06.causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(
        ch06.padding_mask(np.array([2, 4, 1]), 5),
        [[1, 1, 0, 0, 0], [1, 1, 1, 1, 0], [1, 0, 0, 0, 0]],
    )
    heads = ch06.split_heads(x[None, :3], 2)
    assert heads.shape == (1, 2, 3, 2)
    np.testing.assert_array_equal(heads[0, 0], [[0.9, 0.4], [-0.9, 1.2], [-0.1, 0.5]])
    np.testing.assert_array_equal(heads[0, 1], [[0.2, 0.3], [0.4, -0.7], [-0.4, 1.1]])
    np.testing.assert_array_equal(ch06.merge_heads(heads), x[None, :3])
    mask = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0]], dtype=bool)
    args = (x[None, :2], x[None], x[None], *visible.WEIGHTS, 2)
    printed = [[[0.4612, 0.041, 2.4131, -0.6196], [-1.2536, 0.3383, -0.8149, 0.5847]]]
    np.testing.assert_allclose(ch06.multi_head_attention(*args), printed, atol=5e-5)
    printed[0][1] = [-2.3537, 3.959, -4.6881, 4.4095]
    np.testing.assert_allclose(ch06.multi_head_attention(*args, mask), printed, atol=5e-5)
    layer = ch06.MultiHeadSelfAttention(4, 2)
    layer(x[None])
    layer.set_weights(visible.WEIGHTS)
    last = [0.8432, -0.0503, 2.4137, -0.7518]
    for mask, first in (
        (None, [0.4612, 0.041, 2.4131, -0.6196]),
        (ch06.causal_mask(6), [-1.91, 0.069, 1.463, -0.224]),
    ):
        output = layer(x[None], mask=mask)[0].numpy()
        np.testing.assert_allclose(output[[0, -1]], [first, last], atol=6e-5)
    jacobian = ch06.softmax_jacobian(np.array([0.2, 0.3, 0.5]))
    printed = [[0.16, -0.06, -0.1], [-0.06, 0.21, -0.15], [-0.1, -0.15, 0.25]]
    np.testing.assert_allclose(jacobian, printed, atol=1e-12)
    assert not ch06.softmax_jacobian(np.array([0.0, 1.0, 0.0])).any()
    predictions = ch06.attention_pooling_regression(
        np.array([1.2, 2.5, 40.0]), np.array([1.0, 0, 3]), np.array([4.0, 1, 2]), 0.7
    )
    np.testing.assert_allclose(predictions, [3.3776, 2.2276, 2], atol=5e-5)


def test_the_two_functions_that_the_last_card_prints():
    def careful(x):
        return ch06.scaled_dot_product_attention(x, x, x, ch06.causal_mask(x.shape[1]))[0]

    def leaking(x):
        mask = np.tri(x.shape[1], k=1, dtype=bool)
        return ch06.scaled_dot_product_attention(x, x, x, mask)[0]

    assert ch06.is_causal(careful, visible.X[None]) is True
    assert ch06.is_causal(leaking, visible.X[None]) is False


# --- the reference against Keras, mathematics and extremes ---------------------------------------


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_attention_is_that_of_keras(seed, masked):
    rng = np.random.default_rng(seed)
    q, k = rng.normal(size=(4, 3, 5)), rng.normal(size=(4, 6, 5))
    v = rng.normal(size=(4, 6, 2))
    mask = some_mask(rng, 4, 3, 6) if masked else None
    layer = keras.layers.Attention(dtype="float64", score_mode="dot")
    # Keras's layer divides by nothing, and its values keep their own width.
    expected, weights = layer(
        [q / np.sqrt(5), v, k],
        mask=None,
        return_attention_scores=True,
    )
    output, ours = ch06.scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(output, expected, atol=1e-6)
    np.testing.assert_allclose(ours, weights, atol=1e-6)
    if masked:
        output, ours = ch06.scaled_dot_product_attention(q, k, v, mask)
        expected = ops.nn.dot_product_attention(
            *(array[:, :, None] for array in (q, k, k)), mask=mask[:, None]
        )
        np.testing.assert_allclose(ours @ k, expected[:, :, 0], atol=1e-5)
        assert (ours[~mask] == 0).all()


@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention_is_that_of_keras_across_two_sequences(masked):
    _, theirs, x, mask = both_layers(0)
    memory = np.random.default_rng(1).normal(size=(4, 7, 6)).astype("float32")
    mask = np.concatenate([mask, mask[:, :, :2]], axis=2) if masked else None
    weights = [w.reshape(6, 6) for w in theirs.get_weights()]
    expected = theirs(x, memory, key=-memory, attention_mask=mask)
    ours = ch06.multi_head_attention(x, -memory, memory, *weights, 3, mask)
    np.testing.assert_allclose(ours, expected, atol=1e-5)


@pytest.mark.parametrize("mask_axes", [None, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_the_layer_has_the_outputs_and_gradients_of_keras(seed, mask_axes):
    ours, theirs, x, masks = both_layers(seed)
    mask = {None: None, 2: masks[0], 3: masks}[mask_axes]
    found = []
    for layer, call in (
        (ours, lambda inputs: ours(inputs, mask=mask)),
        (theirs, lambda inputs: theirs(inputs, inputs, attention_mask=mask)),
    ):
        inputs = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            output = call(inputs)
            loss = tf.reduce_sum(output**2)
        sources = [inputs, *(weight.value for weight in layer.weights)]
        found.append([output, *tape.gradient(loss, sources)])
    for one, other in zip(*found, strict=True):
        other = np.reshape(other, one.shape)
        np.testing.assert_allclose(one, other, atol=1e-4 * np.abs(other).max())
    expected = ch06.multi_head_attention(x, x, x, *ours.get_weights(), 3, mask)
    np.testing.assert_allclose(found[0][0], expected, atol=1e-5)


def test_the_layer_survives_its_config_and_a_file_and_reads_any_length(tmp_path):
    layer = ch06.MultiHeadSelfAttention(6, 2, name="mix")
    config = layer.get_config()
    assert (config["d_model"], config["num_heads"], config["name"]) == (6, 2, "mix")
    model = keras.Sequential([keras.Input((None, 6)), layer, keras.layers.Dense(2)])
    assert model.output_shape == (None, None, 2)
    model.save(tmp_path / "model.keras")
    names = {"MultiHeadSelfAttention": ch06.MultiHeadSelfAttention}
    loaded = keras.models.load_model(tmp_path / "model.keras", custom_objects=names)
    for time in (3, 8):
        x = np.random.default_rng(time).normal(size=(4, time, 6))
        np.testing.assert_allclose(loaded.predict(x, verbose=0), model(x), atol=1e-5)


def test_the_layer_learns_with_a_mask_that_is_an_input_of_the_model():
    tokens, allowed = keras.Input((5, 6)), keras.Input((5, 5), dtype="bool")
    outputs = ch06.MultiHeadSelfAttention(6, 3)(tokens, mask=allowed)
    assert getattr(outputs, "_keras_mask", None) is None  # no loss is weighted by pairs of tokens
    model = keras.Model([tokens, allowed], outputs)
    model.compile("adam", "mse")
    rng = np.random.default_rng(0)
    x, mask = rng.normal(size=(8, 5, 6)), some_mask(rng, 8, 5, 5)
    before = model.get_weights()
    losses = model.fit([x, mask], x[:, ::-1], epochs=5, verbose=0).history["loss"]
    assert np.isfinite(losses).all() and losses[-1] < losses[0]
    for now, then in zip(model.get_weights(), before, strict=True):
        assert (now != then).all()


def test_in_keras_twice_as_many_heads_have_twice_as_many_weights():
    counts = []
    for num_heads in (2, 4):
        layer = keras.layers.MultiHeadAttention(num_heads, key_dim=3)
        layer.build((None, 5, 6), (None, 5, 6))
        counts.append([np.size(weight) for weight in layer.get_weights() if weight.ndim == 3])
    assert len(counts[0]) == 4 and counts[1] == [2 * count for count in counts[0]]


def test_keras_gives_a_query_without_a_key_the_mean_of_the_values_or_zeros():
    _, theirs, x, _ = both_layers(0)
    _, _, w_v, w_o = (np.reshape(w, (6, 6)) for w in theirs.get_weights())
    nothing = np.full((4, 5, 5), True)
    nothing[:, 2] = False
    plain = theirs(x, x, attention_mask=nothing)
    mean = (x @ w_v).mean(axis=1) @ w_o
    np.testing.assert_allclose(plain[:, 2], mean, atol=1e-5)
    output, _ = theirs(x, x, attention_mask=nothing, return_attention_scores=True)
    np.testing.assert_allclose(output[:, 2], 0, atol=1e-6)
    assert np.abs(mean).max() > 0.1


def test_finite_dot_products_give_finite_results_however_far_apart_they_are():
    q = np.array([[1e150, 0.0], [0.0, 1e200]])
    k = np.array([[1e150, 0.0], [-1e150, 1e100], [0.0, -1e100]])
    with np.errstate(over="ignore"):  # a difference of scores may be minus infinity
        output, weights = ch06.scaled_dot_product_attention(q, k, np.eye(3))
    np.testing.assert_array_equal(weights, [[1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(output, weights)
    far = ch06.attention_pooling_regression(
        np.array([-1e150, 1e6]), np.array([1.0, 0, 3]), np.array([4.0, 1, 2]), 0.7
    )
    np.testing.assert_array_equal(far[1], 2)
    assert np.isfinite(far).all()


def test_extreme_scores_and_queries_without_a_key_stay_finite():
    q, k = np.array([[1e8, 0.0], [0.0, 1.0]]), np.array([[1e8, 1.0], [-1e8, 2.0], [0.0, 3.0]])
    v = np.array([[1.0], [2.0], [4.0]])
    output, weights = ch06.scaled_dot_product_attention(q, k, v)
    np.testing.assert_array_equal(weights[0], [1, 0, 0])
    mask = np.array([[False, True, True], [False, False, False]])
    with np.errstate(all="raise", under="ignore"):
        output, weights = ch06.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_array_equal(weights, [[0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(output, [[4], [0]])


@pytest.mark.parametrize("n", [2, 5])
def test_the_jacobian_against_finite_differences(n):
    scores = np.random.default_rng(n).normal(size=n)

    def weights(scores):
        return np.exp(scores) / np.exp(scores).sum()

    step = 1e-6
    columns = [
        (weights(scores + step * unit) - weights(scores - step * unit)) / (2 * step)
        for unit in np.eye(n)
    ]
    jacobian = ch06.softmax_jacobian(weights(scores))
    np.testing.assert_allclose(jacobian, np.stack(columns, axis=1), atol=1e-9)


@pytest.mark.parametrize("scaled", [False, True])
def test_the_variance_of_a_score_is_what_random_vectors_show(scaled):
    q, k = np.random.default_rng(0).normal(size=(2, 200_000, 12))
    scores = np.sum(q * k, axis=1) / (np.sqrt(12) if scaled else 1)
    assert np.var(scores) == pytest.approx(ch06.logit_variance(12, scaled), rel=0.02)


def test_kernel_regression_with_a_wide_kernel_is_the_mean_and_with_a_narrow_one_the_nearest():
    rng = np.random.default_rng(0)
    x, y, queries = rng.uniform(size=9), rng.normal(size=9), rng.uniform(size=4)
    predict = ch06.attention_pooling_regression
    np.testing.assert_allclose(predict(queries, x, y, 1e4), y.mean(), atol=1e-6)
    nearest = y[np.abs(queries[:, None] - x).argmin(axis=1)]
    np.testing.assert_allclose(predict(queries, x, y, 1e-4), nearest, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_any_single_leak_is_found_and_no_causal_function_is_accused(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(2, 6, 3))
    causal = np.tri(6, dtype=bool)
    assert ch06.is_causal(visible.attention_through(causal), x)
    for query in range(6):
        for key in range(query + 1, 6):
            mask = causal.copy()
            mask[query, key] = True
            assert not ch06.is_causal(visible.attention_through(mask), x)
    assert ch06.is_causal(visible.normalised_attention(rescaled=True, power=1), x[:, :1])


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (
            lambda: ch06.scaled_dot_product_attention(
                np.ones((2, 3)), np.ones((4, 2)), np.ones((4, 3))
            ),
            "k",
        ),
        (
            lambda: ch06.scaled_dot_product_attention(
                np.ones((2, 3)), np.ones((4, 3)), np.ones((5, 3))
            ),
            "v",
        ),
        (
            lambda: ch06.scaled_dot_product_attention(
                *np.ones((3, 2, 3)), mask=np.ones((4, 2, 2), dtype=bool)
            ),
            "mask",
        ),
        (lambda: ch06.causal_mask(-1), "length"),
        (lambda: ch06.padding_mask(np.array([2, 6]), 5), "lengths"),
        (lambda: ch06.padding_mask(np.array([2, -1]), 5), "lengths"),
        (lambda: ch06.split_heads(np.ones((2, 3, 4)), 3), "num_heads"),
        (lambda: ch06.split_heads(np.ones((3, 4)), 2), "x"),
        (lambda: ch06.merge_heads(np.ones((2, 3, 4))), "x"),
        (
            lambda: ch06.multi_head_attention(
                *np.ones((3, 1, 2, 4)), *np.ones((3, 4, 4)), np.ones((4, 2)), 2
            ),
            "w_o",
        ),
        (lambda: ch06.MultiHeadSelfAttention(6, 4), "num_heads"),
        (lambda: ch06.MultiHeadSelfAttention(6, 2)(np.ones((2, 3, 4))), "x"),
        (lambda: ch06.softmax_jacobian(np.ones((1, 3))), "p"),
        (lambda: ch06.logit_variance(0, True), "d_k"),
        (
            lambda: ch06.attention_pooling_regression(np.ones(2), np.ones(3), np.ones((3, 1)), 1.0),
            "y_train",
        ),
        (
            lambda: ch06.attention_pooling_regression(np.ones(2), np.ones(3), np.ones(3), 0.0),
            "bandwidth",
        ),
        (lambda: ch06.is_causal(np.tanh, np.ones((3, 2))), "x"),
    ],
)
def test_bad_input_is_named(call, names):
    with pytest.raises(ValueError, match=rf"\b{names}\b"):
        call()


# --- what the lesson prints --------------------------------------------------------------------


def head_0(x, mask=None):
    projections = (x @ w[:, :2] for w in (visible.W_Q, visible.W_K, visible.W_V))
    return ch06.scaled_dot_product_attention(*projections, mask)


def test_the_lesson_s_example():
    output, weights = head_0(visible.X)
    np.testing.assert_array_equal(weights.argmax(axis=1), [5, 3, 5, 0, 1, 0])
    received = weights.sum(axis=0)
    assert received.argmax() == 0
    assert received.argmin() == 4
    assert 4 < received[0] / received[4] < 5
    w_q, w_k, w_v = (w[:, :2] for w in (visible.W_Q, visible.W_K, visible.W_V))
    q, k, v = visible.X @ w_q, visible.X @ w_k, visible.X @ w_v
    luong = keras.layers.Attention()
    np.testing.assert_allclose(luong([q[None] / 2**0.5, v[None], k[None]])[0], output, atol=1e-6)
    assert np.linalg.matrix_rank(w_q @ w_k.T) == 2
    direction = np.array([np.cos(np.radians(240)), np.sin(np.radians(240))])
    assert (k @ direction).argmax() == 1
    assert (k @ direction / np.linalg.norm(k, axis=1)).argmax() == 4


def test_the_causal_rows_are_attention_to_what_came_before():
    _, weights = head_0(visible.X, ch06.causal_mask(6))
    rows = head_0(visible.X)[1] * np.tri(6)
    np.testing.assert_allclose(weights, rows / rows.sum(axis=1, keepdims=True))
    padded, _ = head_0(visible.X, np.array([True] * 4 + [False] * 2))
    alone, _ = head_0(visible.X[:4])
    np.testing.assert_allclose(padded[:4], alone)


def sizes_of_derivatives(seed, d_k, draws=300, keys=64):
    """The sizes of dα/de and of dα/dq without and with the division, (2, 2, draws)."""
    rng = np.random.default_rng(seed)
    sizes, scores = np.empty((2, 2, draws)), np.empty((2, draws, keys))
    for draw in range(draws):
        k, q = rng.normal(size=(keys, d_k)), rng.normal(size=d_k)
        for column, divisor in enumerate((1, d_k**0.5)):
            scores[column, draw] = e = k @ q / divisor
            alpha = np.exp(e - e.max())
            jacobian = ch06.softmax_jacobian(alpha / alpha.sum())
            of_q = jacobian @ k / divisor
            sizes[:, column, draw] = np.linalg.norm(jacobian), np.linalg.norm(of_q)
    for column, variance in enumerate(scores.var(axis=2).mean(axis=1)):
        assert variance == pytest.approx(ch06.logit_variance(d_k, scaled=column == 1), rel=0.15)
    return sizes


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_reaches_the_query_shrinks_much_later_than_the_jacobian_and_not_on_average(seed):
    narrow, head, wide = (sizes_of_derivatives(seed, d_k) for d_k in (4, 64, 1024))
    for of_e, of_q in (narrow, head, wide):
        assert 0.15 < np.median(of_e[1]) < 0.2
        assert 0.15 < np.median(of_q[1]) < 0.2
    assert np.median(head[0][0]) > 0.15
    assert np.median(wide[0][0]) < 0.003
    assert 6 < np.median(head[1][0]) / np.median(head[1][1]) < 13
    assert np.median(wide[1][0]) < 0.1 < 1.5 < wide[1][0].mean()


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("alpha", [0, 0.1, 0.5, 0.8, 1])
def test_one_head_misses_half_of_what_two_heads_hand_over(seed, alpha):
    one, four = np.random.default_rng(seed).normal(size=(2, 4000, 4))
    target = np.concatenate([one[:, :2], four[:, 2:]], axis=1)
    mixture = alpha * one + (1 - alpha) * four
    best = np.linalg.lstsq(mixture[:2000], target[:2000], rcond=None)[0]
    missed = np.mean((mixture[2000:] @ best - target[2000:]) ** 2)
    assert 0.46 < missed / np.mean(target[2000:] ** 2) < 0.54


def test_a_multi_head_layer_multiplies_more_than_a_simple_rnn_and_as_much_as_an_lstm_at_n_2d():
    d = 16
    sequence = keras.Input((2 * d, d))
    mha = keras.layers.MultiHeadAttention(4, d // 4, use_bias=False)
    mha(sequence, sequence)
    rnn, lstm = (layer(d, use_bias=False) for layer in (keras.layers.SimpleRNN, keras.layers.LSTM))
    rnn(sequence), lstm(sequence)
    n = 2 * d
    assert n * mha.count_params() == 4 * n * d**2 > n * rnn.count_params() == 2 * n * d**2
    assert n * mha.count_params() + 2 * n**2 * d == n * lstm.count_params()


def lookup_accuracies(d_k, divide, rate, seeds, factor=1, backward=None):
    """Train the lesson's look-up network for 100 steps in Keras; return its test accuracies."""
    cards = np.random.default_rng(0).normal(size=(100, 32)).astype("float32")

    def examples(count, seed):
        rng = np.random.default_rng(seed)
        table = rng.permuted(np.tile(np.arange(100), (count, 1)), axis=1)[:, :16]
        digits, place = rng.integers(10, size=(count, 16)), rng.integers(16, size=count)
        rows = np.arange(count)
        asked = cards[table[rows, place]][:, None]
        one_hot = np.eye(10, dtype="float32")[digits]
        return [asked, cards[table], one_hot], digits[rows, place]

    class Attend(keras.layers.Layer):
        def call(self, q, k, digits):
            dots = ops.matmul(q, ops.transpose(k, (0, 2, 1)))
            alpha = ops.softmax(dots / (d_k**0.5 if divide else 1))
            if backward:
                soft = ops.softmax(dots / backward)
                alpha = soft + ops.stop_gradient(alpha - soft)
            return 10 * ops.matmul(alpha, digits)[:, 0]

    asked, names = keras.Input((1, 32)), keras.Input((16, 32))
    digits = keras.Input((16, 10))
    q, k = (keras.layers.Dense(d_k, use_bias=False)(part) for part in (asked, names))
    model = keras.Model([asked, names, digits], Attend()(q, k, digits))
    x, y = examples(3200, seed=1)
    x_test, y_test = examples(2000, seed=3)
    optimizer = keras.optimizers.Adam(rate)
    optimizer.build(model.trainable_variables)
    fresh = [variable.numpy() for variable in optimizer.variables]
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, jit_compile=True, steps_per_execution=20)
    accuracies = []
    for seed in seeds:
        start = np.random.default_rng(seed).normal(size=(2, 32, d_k)) / 32**0.5
        model.set_weights(list(factor * start))
        for variable, value in zip(optimizer.variables, fresh, strict=True):
            variable.assign(value)
        model.fit(x, y, batch_size=32, shuffle=False, verbose=0)
        accuracies.append(np.mean(np.asarray(model(x_test)).argmax(axis=1) == y_test))
    return np.array(accuracies)


@pytest.mark.nightly
def test_large_scores_and_the_derivative_taken_there_decide_how_fast_the_look_up_is_learned():
    divided = lookup_accuracies(512, True, 0.005, seeds=(30, 31, 32))
    plain = lookup_accuracies(512, False, 0.005, seeds=(30, 31, 32, 33, 34))
    small = lookup_accuracies(512, False, 0.005, seeds=(30, 31), factor=512**-0.25)
    narrow = lookup_accuracies(64, False, 0.01, seeds=(30, 31, 32))
    backward = lookup_accuracies(512, False, 0.005, seeds=(30, 31, 32), backward=512**0.5)
    assert min(divided) > 0.98
    assert min(small) > 0.93
    assert np.median(narrow) > 0.9
    assert min(backward) > 0.97
    assert np.median(plain) < 0.9


def test_the_assignment_ends_with_two_cards_that_the_students_own_heads_look_up(capsys):
    names, figures = run_closing("ch06_transformer_attention")
    assert len(figures) == 1
    two, one, equal = (
        [float(share) / 100 for share in re.findall(r"([\d.]+)%", line)]
        for line in capsys.readouterr().out.splitlines()
    )
    assert two[0] > 0.97
    assert two[1] > 0.95
    digits = names["new"][3]
    equal_digits = np.mean(digits[:, 0] == digits[:, 1])
    assert 0.5 < one[0] <= 0.5 + equal_digits / 2 + 0.001
    assert 0.8 * equal_digits < one[1] <= equal_digits + 0.001
    assert equal[0] < 0.3
    in_two, in_one = names["maps"]
    asked = names["places"][0]
    np.testing.assert_array_equal(in_two.argmax(axis=1), asked)
    assert set(np.argsort(in_one[0])[-2:]) == set(asked)
    assert in_one[0].max() < 0.6


def test_the_gradient_of_the_closing_part_is_that_of_its_loss():
    names, _ = run_closing("ch06_transformer_attention")
    rng = np.random.default_rng(0)
    *tables, _ = names["draw_tables"](5, range(100), rng)
    weights = rng.normal(size=(2, 32, 32)) / 32**0.5

    def loss(weights, num_heads):
        logits = names["look_up"](*tables[:3], *weights, num_heads)
        chosen = np.take_along_axis(logits, tables[3][:, :, None], axis=2)[:, :, 0]
        return np.mean(np.log(np.exp(logits).sum(axis=2)) - chosen)

    for num_heads in (1, 2, 4):
        gradient = np.stack(names["gradients"](*tables, *weights, num_heads))
        direction = rng.normal(size=weights.shape)
        change = [loss(weights + step * direction, num_heads) for step in (1e-5, -1e-5)]
        assert np.sum(gradient * direction) == pytest.approx((change[0] - change[1]) / 2e-5, 1e-5)


def test_a_causal_layer_s_outputs_are_not_merely_reordered():
    order = [0, 2, 1, 3, 4, 5]
    for mask, equivariant in ((None, True), (ch06.causal_mask(6), False)):
        before, _ = head_0(visible.X, mask)
        after, _ = head_0(visible.X[order], mask)
        assert np.allclose(after, before[order]) == equivariant
        assert np.allclose(after[5], before[5])  # the last token sees all of them


@pytest.mark.parametrize("seed", [3, 4])
def test_kernel_regression_is_dot_product_attention_divided_by_the_squared_bandwidth(seed):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 6, 40))
    y = np.sin(2 * x) + 0.3 * rng.normal(size=40)
    places = np.linspace(0, 6, 50)
    queries = np.column_stack([places, np.ones(50)])
    keys = np.column_stack([x, -(x**2) / 2])
    errors = {}
    for h in (0.03, 0.2, 3.0):
        scale = np.sqrt(2) / h**2  # undoes the division by the root of d_k = 2
        curve, _ = ch06.scaled_dot_product_attention(queries * scale, keys, y[:, None])
        expected = ch06.attention_pooling_regression(places, x, y, h)
        np.testing.assert_allclose(curve[:, 0], expected, atol=1e-6)
        errors[h] = np.sqrt(np.mean((curve[:, 0] - np.sin(2 * places)) ** 2))
    assert errors[0.2] < 0.9 * min(errors[0.03], errors[3.0])
