"""The reference solution of chapter 3 against Keras, and the facts the chapter prints."""

import numpy as np
import pytest
from closing import run_closing
from lazily import Lazily

from coursekit import many_starts
from coursekit.checks import CheckFailure
from coursekit.datasets import fibonacci_numbers, marked_digits

ch03 = Lazily("solutions.ch03_custom_attention_layer")
hidden = Lazily("autograder.hidden.ch03_custom_attention_layer")
keras = Lazily("keras")
ops = Lazily("keras.ops")
tf = Lazily("tensorflow")
visible = Lazily("coursekit.checks.ch03_custom_attention_layer")


def layer_with_weights(seed, steps, features):
    rng = np.random.default_rng(seed)
    layer = ch03.AttentionPooling()
    layer.build((None, steps, features))
    w, b = rng.normal(size=(features, 1)), rng.normal(size=(steps, 1))
    layer.set_weights([w, b])
    return layer, w, b


def bounded_layer(w, *settings, **named_settings):
    layer = ch03.BoundedPooling(*settings, **named_settings)
    layer.build((None, None, len(w)))
    layer.set_weights([w])
    return layer


def some_input(seed, batch=4, steps=6, features=3):
    rng = np.random.default_rng(seed)
    x, mask = rng.normal(size=(batch, steps, features)), rng.uniform(size=(batch, steps)) < 0.6
    mask[:, 0] = True
    return x, mask


# --- the facts ---------------------------------------------------------------------------------


def test_the_series_and_its_published_examples():
    numbers = ch03.fibonacci(12)
    np.testing.assert_array_equal(numbers[:10], [1, 2, 3, 5, 8, 13, 21, 34, 55, 89])
    train_x, train_y, test_x, test_y = ch03.make_supervised(numbers, 3, 0.7)
    assert train_x.shape == (6, 3, 1)
    np.testing.assert_array_equal(
        train_x[:, :, 0],
        [[8, 13, 21], [5, 8, 13], [2, 3, 5], [13, 21, 34], [21, 34, 55], [34, 55, 89]],
    )
    np.testing.assert_array_equal(train_y, [34, 21, 8, 55, 89, 144])
    np.testing.assert_array_equal(test_x[:, :, 0], [[55, 89, 144], [1, 2, 3], [3, 5, 8]])
    np.testing.assert_array_equal(test_y, [233, 5, 13])


def test_nearly_all_of_the_scaled_series_is_nearly_zero():
    from sklearn.preprocessing import MinMaxScaler

    numbers = ch03.fibonacci(1200)
    scaled = MinMaxScaler().fit_transform(numbers[:, None])
    assert np.mean(scaled < 0.001) == 0.9875
    # Each number is about 1.618 times the one before, so this is no accident of 1200: the numbers
    # not below a thousandth of the largest are the last 15.
    golden = (1 + 5**0.5) / 2
    assert np.sum(scaled >= 0.001) == 1 + np.floor(np.log(1000) / np.log(golden)) == 15


def test_the_parameters_are_8_and_22_and_3():
    model = ch03.create_rnn_with_attention(2, 1, (20, 1), "tanh")
    assert [layer.count_params() for layer in model.layers] == [8, 22, 3]
    assert model.count_params() == 33
    without = keras.Sequential(
        [keras.Input((20, 1)), keras.layers.SimpleRNN(2), keras.layers.Dense(1)]
    )
    assert without.count_params() == 11


def test_the_numbers_that_the_exercises_print():
    x, w, b = visible.X[:1], visible.W, visible.B
    scores = ch03.alignment_scores(x, w, b)
    weights = ch03.attention_weights(scores)
    np.testing.assert_allclose(scores, [[0.7616, -0.4621, 0]], atol=5e-5)
    np.testing.assert_allclose(weights, [[0.5678, 0.1670, 0.2651]], atol=5e-5)
    np.testing.assert_allclose(ch03.attend(x, weights), [[0.8330, 0.4322]], atol=5e-5)
    model = keras.Sequential([keras.Input((3, 2)), ch03.AttentionPooling()])
    model.set_weights([w, b])
    np.testing.assert_allclose(ch03.attention_map(model, x), weights, atol=1e-6)
    masked = model.layers[0](x, mask=np.array([[True, False, True]]))
    np.testing.assert_allclose(masked, [[1, 0.3183]], atol=5e-5)
    train_x, train_y, test_x, test_y = ch03.make_supervised(ch03.fibonacci(6), 2, 0.5)
    np.testing.assert_array_equal(train_x[:, :, 0], [[2, 3], [5, 8]])
    np.testing.assert_array_equal(test_x[:, :, 0], [[1, 2], [3, 5]])
    np.testing.assert_array_equal([train_y, test_y], [[5, 13], [3, 8]])
    assert ch03.constant_baseline(np.array([0.0, 1.0, 5.0]), np.array([2.0, 4.0])) == (2.0, 2.0)
    assert ch03.count_leaked_targets(train_x, train_y, np.array([3.0, 21.0, 13.0])) == 2
    train_x, train_y, test_x, test_y = ch03.split_without_leak(ch03.fibonacci(6), 2, 0.5)
    np.testing.assert_array_equal(train_x[:, :, 0], [[1, 2]])
    np.testing.assert_array_equal(train_y, [3])
    np.testing.assert_array_equal(test_x[:, :, 0], [[2, 3], [3, 5], [5, 8]])
    np.testing.assert_array_equal(test_y, [5, 8, 13])
    bounded = bounded_layer(w, 3.0)
    np.testing.assert_allclose(bounded(x), [[0.9907, 0.1008]], atol=5e-5)
    masked = bounded(x, mask=np.array([[False, True, True]]))
    np.testing.assert_allclose(masked, [[0.9076, 1]], atol=5e-5)


def test_forecasts_that_learn_nothing_on_the_published_examples():
    from sklearn.preprocessing import MinMaxScaler

    scaled = MinMaxScaler().fit_transform(ch03.fibonacci(1200)[:, None])[:, 0]
    _, train_y, test_x, test_y = ch03.make_supervised(scaled, 20, 0.7)
    assert (len(train_y), len(test_y)) == (826, 354)

    def mse(forecast):
        return np.mean((test_y - forecast) ** 2)

    assert mse(0) == pytest.approx(1.26e-3, rel=0.01)
    assert ch03.constant_baseline(train_y, test_y)[1] == pytest.approx(1.25e-3, rel=0.01)
    assert mse(test_x[:, -1, 0]) == pytest.approx(1.84e-4, rel=0.01)
    assert mse(test_x[:, -2, 0] + test_x[:, -1, 0]) < 1e-30
    assert np.sum(test_y > 0.01) == 3


def test_every_published_test_target_has_leaked_and_none_after_the_repair():
    numbers = ch03.fibonacci(1200)
    train_x, train_y, _, test_y = ch03.make_supervised(numbers, 20, 0.7)
    assert ch03.count_leaked_targets(train_x, train_y, test_y) == len(test_y) == 354
    train_x, train_y, _, test_y = ch03.split_without_leak(numbers, 20, 0.7)
    assert ch03.count_leaked_targets(train_x, train_y, test_y) == 0
    assert (len(train_y), len(test_y)) == (820, 360)


def test_the_split_without_leak_keeps_every_example_in_its_order():
    series = np.random.default_rng(0).normal(size=37)
    train_x, train_y, test_x, test_y = ch03.split_without_leak(series, 5, 0.63)
    assert train_y[-1] == series[22] and test_y[0] == series[23]
    examples = np.column_stack(
        [np.concatenate([train_x, test_x])[:, :, 0], np.concatenate([train_y, test_y])]
    )
    np.testing.assert_array_equal(examples, np.lib.stride_tricks.sliding_window_view(series, 6))


@pytest.mark.parametrize(("steps", "most"), [(3, 0.787), (20, 0.280), (60, 0.111)])
def test_tanh_bounds_every_weight(steps, most):
    x = np.full((1, steps, 1), -50.0)
    x[0, 0] = 50
    scores = ch03.alignment_scores(x, np.ones((1, 1)), np.zeros((steps, 1)))
    assert ch03.attention_weights(scores).max() == pytest.approx(most, abs=5e-4)


# The lesson's task at half its length. Five seeds gave .11 to .12, .17 to .19 and .95 to .98.
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("pooling", "least", "most"),
    [
        (lambda: keras.layers.Lambda(lambda states: states[:, -1]), 0, 0.2),
        (lambda: keras.layers.GlobalAveragePooling1D(), 0, 0.3),
        (lambda: ch03.AttentionPooling(), 0.8, 1),
    ],
    ids=["last state", "mean", "attention"],
)
def test_attention_learns_to_report_the_marked_digit_where_others_do_not(pooling, least, most):
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [
            keras.Input((30, 11)),
            keras.layers.SimpleRNN(32, return_sequences=True),
            pooling(),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(
        keras.optimizers.Adam(5e-3, clipnorm=1.0),
        "sparse_categorical_crossentropy",
        jit_compile=True,
        steps_per_execution=60,
    )
    x, y, _ = marked_digits(3000, seed=0, steps=30)
    model.fit(x, y, batch_size=50, epochs=8, verbose=0)
    x, y, _ = marked_digits(1000, seed=1, steps=30)
    assert least <= np.mean(np.asarray(model(x)).argmax(axis=1) == y) <= most


@pytest.mark.nightly
def test_the_closing_part_shows_where_the_layer_looks():
    names, figures = run_closing("ch03_custom_attention_layer")
    assert len(figures) == 1
    assert names["right"].mean() > 0.8
    weights, marks = names["weights"], names["marks"][:8]
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
    lag = np.arange(30) - marks[:, None]
    near = (lag >= 0) & (lag <= 3)
    assert (weights * near).sum() > 1.5 * near.mean() * 8


def test_the_lesson_has_the_numbers_of_the_exercise_and_one_mark_in_every_sequence():
    np.testing.assert_array_equal(fibonacci_numbers(), ch03.fibonacci(1200))
    x, digits, marks = marked_digits(50, seed=3, steps=20)
    assert x.shape == (50, 20, 11)
    np.testing.assert_array_equal(x[:, :, :10].sum(axis=2), 1)
    np.testing.assert_array_equal(x[:, :, 10].sum(axis=1), 1)
    for sequence, digit, mark in zip(x, digits, marks, strict=True):
        assert sequence[mark, digit] == sequence[mark, 10] == 1


# --- the functions -----------------------------------------------------------------------------


def test_every_number_is_the_sum_of_the_two_before_it_as_far_as_a_float_reaches():
    numbers = ch03.fibonacci(1475)
    assert numbers.dtype == float and np.isfinite(numbers).all()
    np.testing.assert_array_equal(numbers[2:], numbers[1:-1] + numbers[:-2])
    exact = [1, 2]
    for _ in range(1473):
        exact.append(exact[-2] + exact[-1])
    np.testing.assert_allclose(numbers, np.array(exact, dtype=float), rtol=1e-12)
    for n in (0, 1, 2):
        np.testing.assert_array_equal(ch03.fibonacci(n), exact[:n])


@pytest.mark.parametrize("seed", range(3))
def test_the_examples_are_those_of_keras_in_the_order_of_the_permutation(seed):
    series = np.random.default_rng(seed).normal(size=40)
    before = series.copy()
    train_x, train_y, test_x, test_y = ch03.make_supervised(series, 5, 0.63, seed=seed)
    np.testing.assert_array_equal(series, before)
    assert (len(train_y), len(test_y)) == (22, 13)
    dataset = keras.utils.timeseries_dataset_from_array(
        series[:-1], series[5:], sequence_length=5, batch_size=None
    )
    examples = np.array([np.append(window, target) for window, target in dataset])
    x, y = np.concatenate([train_x, test_x])[:, :, 0], np.concatenate([train_y, test_y])
    shuffled = np.column_stack([x, y]).astype(examples.dtype)
    np.testing.assert_array_equal(shuffled, examples[np.random.RandomState(seed).permutation(35)])


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e308])
def test_the_weights_are_a_softmax_for_any_finite_scores(scale):
    scores = scale * np.random.default_rng(0).uniform(-0.8, 0.8, size=(5, 7))
    with np.errstate(over="raise", invalid="raise"):
        weights = ch03.attention_weights(scores)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    if scale == 1:
        np.testing.assert_allclose(weights, ops.softmax(scores, axis=1), atol=1e-6)
    assert (weights.argmax(axis=1) == scores.argmax(axis=1)).all()


def test_no_constant_fits_the_training_targets_better():
    train_y, test_y = np.random.default_rng(0).gamma(1.0, size=(2, 30))
    constant, test_mse = ch03.constant_baseline(train_y, test_y)

    def mse(c):
        return np.mean((train_y - c) ** 2)

    assert mse(constant) < min(mse(constant - 1e-4), mse(constant + 1e-4))
    predictions = np.full(30, constant)
    error = keras.losses.MeanSquaredError()(test_y, predictions)
    assert test_mse == pytest.approx(float(error), rel=1e-5)


# --- the layer ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_layer_is_the_three_functions_and_what_keras_has(seed):
    layer, w, b = layer_with_weights(seed, 6, 3)
    x, mask = some_input(seed)
    scores = ch03.alignment_scores(x, w, b)
    expected = ch03.attend(x, ch03.attention_weights(scores))
    np.testing.assert_allclose(layer(x), expected, atol=1e-5)
    weights = keras.layers.Softmax(axis=1)(scores, mask=mask)
    np.testing.assert_allclose(layer(x, mask=mask), ops.einsum("bt,btf->bf", weights, x), atol=1e-5)
    everything = np.ones_like(mask)
    np.testing.assert_allclose(layer(x, mask=everything), expected, atol=1e-5)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_against_finite_differences(seed, masked):
    layer = ch03.AttentionPooling(dtype="float64")
    x, mask = some_input(seed)
    mask = mask if masked else None
    layer.build(x.shape)
    rng = np.random.default_rng(seed)
    layer.set_weights([rng.normal(size=(3, 1)), rng.normal(size=(6, 1))])
    direction = rng.normal(size=(4, 3))

    def loss(inputs):
        return tf.reduce_sum(layer(inputs, mask=mask) * direction)

    inputs = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = loss(inputs)
    w, b = layer.weights
    gradients = tape.gradient(value, [inputs, w.value, b.value])

    def difference(put, array, place):
        changed = []
        for step in (1e-6, -1e-6):
            moved = array.copy()
            moved[place] += step
            changed.append(float(put(moved)))
        return (changed[0] - changed[1]) / 2e-6

    def with_weight(variable):
        def put(array):
            variable.assign(array)
            return loss(inputs)

        return put

    for put, array, gradient in (
        (lambda array: loss(tf.constant(array)), x, gradients[0]),
        (with_weight(w), w.numpy(), gradients[1]),
        (with_weight(b), b.numpy(), gradients[2]),
    ):
        for place in np.ndindex(array.shape):
            assert difference(put, array, place) == pytest.approx(
                float(gradient[place]), abs=1e-7, rel=1e-5
            )
        put(array)


def test_what_is_masked_has_no_say_and_no_gradient():
    layer, _, _ = layer_with_weights(0, 6, 3)
    x, mask = some_input(0)
    other = np.where(mask[:, :, None], x, 1e6)
    np.testing.assert_array_equal(layer(x, mask=mask), layer(other, mask=mask))
    inputs = tf.constant(x, "float32")
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = tf.reduce_sum(layer(inputs, mask=mask) ** 2)
    gradient = tape.gradient(value, inputs).numpy()
    assert (gradient[~mask] == 0).all() and (gradient[mask] != 0).any()


def test_an_example_without_a_real_step_gives_zeros_and_finite_gradients():
    layer, _, _ = layer_with_weights(0, 6, 3)
    x, mask = some_input(0)
    mask[2] = False
    with tf.GradientTape() as tape:
        pooled = layer(x, mask=mask)
        value = tf.reduce_sum(pooled**2)
    assert (pooled[2].numpy() == 0).all() and np.isfinite(pooled).all()
    for gradient in tape.gradient(value, [weight.value for weight in layer.weights]):
        assert np.isfinite(gradient).all()


def test_the_layer_survives_its_config_and_a_file(tmp_path):
    copy = ch03.AttentionPooling.from_config(ch03.AttentionPooling(name="pool").get_config())
    assert copy.name == "pool"
    model = keras.Sequential(
        [
            keras.Input((6, 3)),
            keras.layers.Masking(),
            keras.layers.SimpleRNN(4, return_sequences=True),
            ch03.AttentionPooling(),
            keras.layers.Dense(1),
        ]
    )
    x, mask = some_input(0)
    x *= mask[:, :, None]
    model.save(tmp_path / "model.keras")
    names = {"AttentionPooling": ch03.AttentionPooling}
    loaded = keras.models.load_model(tmp_path / "model.keras", custom_objects=names)
    np.testing.assert_allclose(loaded(x), model(x), atol=1e-6)
    layer = loaded.layers[2]
    assert [weight.name for weight in layer.weights] == ["attention_weight", "attention_bias"]


def test_no_mask_reaches_the_loss():
    # A mask of shape (batch, time) handed on to the loss would weigh the examples by it.
    model = keras.Sequential([keras.Input((6, 3)), keras.layers.Masking(), ch03.AttentionPooling()])
    model.compile(loss="mse")
    x, mask = some_input(0)
    x *= mask[:, :, None]
    loss = model.evaluate(x, np.zeros((4, 3)), verbose=0)
    assert loss == pytest.approx(float(np.mean(np.square(model(x)))), rel=1e-5)


@pytest.mark.parametrize("squash", ["tanh", "softsign"])
def test_the_bounded_layer_scores_by_its_settings_and_accepts_any_length(squash):
    w = np.random.default_rng(0).normal(size=(3, 1))
    layer = bounded_layer(w, 2.5, squash=getattr(keras.activations, squash))
    for steps in (6, 2):
        x, mask = some_input(1, steps=steps)
        scores = 2.5 * ops.convert_to_numpy(getattr(keras.activations, squash)(x @ w))[:, :, 0]
        np.testing.assert_allclose(
            layer(x), ch03.attend(x, ch03.attention_weights(scores)), atol=1e-5
        )
        weights = np.where(mask, np.exp(scores), 0)
        weights /= weights.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(layer(x, mask=mask), ch03.attend(x, weights), atol=1e-5)


def test_the_bounded_layer_survives_its_config_and_a_file(tmp_path):
    layer = ch03.BoundedPooling(2.5, keras.activations.softsign, name="pool")
    config = layer.get_config()
    assert (config["bound"], config["squash"], config["name"]) == (2.5, "softsign", "pool")
    assert ch03.BoundedPooling().get_config()["squash"] == "tanh"
    model = keras.Sequential([keras.Input((None, 3)), keras.layers.Masking(), layer])
    model.save(tmp_path / "model.keras")
    names = {"BoundedPooling": ch03.BoundedPooling}
    loaded = keras.models.load_model(tmp_path / "model.keras", custom_objects=names)
    x, mask = some_input(0)
    x *= mask[:, :, None]
    np.testing.assert_allclose(loaded(x), model(x), atol=1e-6)


def test_the_network_is_compiled_and_learns():
    model = ch03.create_rnn_with_attention(2, 1, (5, 3), "tanh")
    assert model.loss == "mse" and isinstance(model.optimizer, keras.optimizers.Adam)
    assert [layer.activation.__name__ for layer in model.layers[::2]] == ["tanh", "tanh"]
    before = model.get_weights()
    model.train_on_batch(some_input(0, steps=5)[0], np.ones((4, 1)))
    for now, then in zip(model.get_weights(), before, strict=True):
        assert (now != then).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("functional", [False, True])
def test_the_map_times_the_states_is_what_the_layer_gives(seed, masked, functional):
    keras.utils.set_random_seed(seed)
    layers = [keras.layers.SimpleRNN(4, return_sequences=True), ch03.AttentionPooling()]
    if masked:
        layers.insert(0, keras.layers.Masking())
    inputs = keras.Input((6, 3))
    if functional:
        outputs = inputs
        for layer in layers:
            outputs = layer(outputs)
        model = keras.Model(inputs, keras.layers.Dense(1)(outputs))
    else:
        model = keras.Sequential([inputs, *layers, keras.layers.Dense(1)])
    layers[-1].set_weights([3 * weight + 0.2 for weight in layers[-1].get_weights()])
    x, mask = some_input(seed)
    if masked:
        x *= mask[:, :, None]
    weights = ch03.attention_map(model, x)
    assert isinstance(weights, np.ndarray)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
    assert not masked or (weights[~mask] == 0).all()
    states = layers[0](x) if not masked else layers[1](x, mask=mask)
    pooled = keras.Model(model.inputs[0], layers[-1].output)(x)
    np.testing.assert_allclose(ch03.attend(np.asarray(states), weights), pooled, atol=1e-5)


# --- the networks that are trained side by side -----------------------------------------------


def forecaster(attention, steps=6):
    recurrent = keras.layers.SimpleRNN(2, return_sequences=attention)
    pooling = [ch03.AttentionPooling()] if attention else []
    dense = keras.layers.Dense(1, activation="tanh")
    return keras.Sequential([keras.Input((steps, 1)), recurrent, *pooling, dense])


def several_starts(attention):
    starts = []
    for seed in range(3):
        keras.utils.set_random_seed(seed)
        rng = np.random.default_rng(seed)
        arrays = forecaster(attention).get_weights()
        starts.append([array + rng.normal(0, 0.5, size=array.shape) for array in arrays])
    return starts


@pytest.mark.parametrize("attention", [False, True])
def test_networks_side_by_side_have_the_outputs_and_gradients_of_keras(attention):
    model, starts = forecaster(attention), several_starts(attention)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 6)), rng.uniform(-0.8, 0.8, size=3)
    outputs, gradients = many_starts.predict(starts, x), many_starts.gradients(starts, x, y)
    for run, weights in enumerate(starts):
        model.set_weights(weights)
        np.testing.assert_allclose(outputs[run], model(x[:, :, None])[:, 0], atol=1e-6)
        with tf.GradientTape() as tape:
            loss = (model(x[run, None, :, None])[0, 0] - y[run]) ** 2
        expected = tape.gradient(loss, model.trainable_variables)
        for ours, theirs in zip(gradients[run], expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("attention", [False, True])
def test_networks_side_by_side_are_trained_as_keras_trains_one(attention):
    model, starts = forecaster(attention), several_starts(attention)
    x, y = np.random.default_rng(0).normal(size=(1, 6)), np.array([0.4])
    trained = many_starts.train(starts, x, y, epochs=5, learning_rate=0.01)
    for start, ours in zip(starts, trained, strict=True):
        model.set_weights(start)
        model.compile(keras.optimizers.Adam(0.01), "mse")
        model.fit(x[:, :, None], y, batch_size=1, epochs=5, verbose=0)
        for array, theirs in zip(ours, model.get_weights(), strict=True):
            np.testing.assert_allclose(array, theirs, atol=1e-5)


def test_every_run_reads_all_examples_in_an_order_of_its_own():
    start = several_starts(True)[0]
    x, y = np.random.default_rng(0).normal(size=(9, 6)), np.linspace(-0.5, 0.5, 9)
    one, other = many_starts.train([start, start], x, y, epochs=1, learning_rate=0.05)
    assert any((a != b).any() for a, b in zip(one, other, strict=True))
    again = many_starts.train([start, start], x, y, epochs=1, learning_rate=0.05)
    for a, b in zip(one, again[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_frozen_arrays_stay_as_they_are_and_the_others_are_trained():
    start = several_starts(True)[0]
    x, y = np.random.default_rng(0).normal(size=(9, 6)), np.linspace(-0.5, 0.5, 9)
    (trained,) = many_starts.train([start], x, y, epochs=1, learning_rate=0.05, frozen=(3, 4))
    kept = [np.array_equal(a, np.float32(b)) for a, b in zip(trained, start, strict=True)]
    assert kept == [False, False, False, True, True, False, False]


# --- the checks --------------------------------------------------------------------------------


def in_a_notebook_with(layer_class, function):
    """Return the function as it is where another AttentionPooling has been defined."""
    namespace = function.__globals__ | {"AttentionPooling": layer_class}
    return type(function)(function.__code__, namespace, function.__name__)


def of_all_ones():
    class AttentionPooling(ch03.AttentionPooling):
        def call(self, inputs, mask=None):
            return ops.sum(inputs, axis=1)

    return AttentionPooling


def unwritten():
    class AttentionPooling(keras.layers.Layer):
        def call(self, inputs, mask=None):
            raise NotImplementedError()

    return AttentionPooling


def in_numpy():
    class AttentionPooling(ch03.AttentionPooling):
        def call(self, inputs, mask=None):
            return ops.convert_to_tensor(super().call(inputs, mask).numpy())

    return AttentionPooling


def missing():
    return None


@pytest.mark.parametrize("make_layer_class", [of_all_ones, unwritten, in_numpy, missing])
def test_a_right_map_and_a_right_network_do_not_pay_for_a_wrong_layer(make_layer_class):
    layer_class = make_layer_class()
    attention_map = in_a_notebook_with(layer_class, ch03.attention_map)
    for checks in (visible, hidden):
        checks.attention_map(attention_map)
    create = in_a_notebook_with(layer_class, ch03.create_rnn_with_attention)
    for checks in (visible, hidden):
        if make_layer_class is of_all_ones:
            checks.create_rnn_with_attention(create)
            continue
        with pytest.raises(CheckFailure) as failed:
            checks.create_rnn_with_attention(create)
        if layer_class is not None:
            assert failed.value.mistake == visible.ATTENTION_FAILS
            assert failed.value.raised is None


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: ch03.fibonacci(-1), "n"),
        (lambda: ch03.fibonacci(1476), "n"),
        (lambda: ch03.make_supervised(np.ones(5), 5, 0.7), "series"),
        (lambda: ch03.make_supervised(np.ones(5), 0, 0.7), "time_steps"),
        (lambda: ch03.make_supervised(np.ones(5), 2, 1.5), "train_fraction"),
        (lambda: ch03.alignment_scores(np.ones((3, 2)), np.ones((2, 1)), np.ones((3, 1))), "x"),
        (lambda: ch03.alignment_scores(np.ones((1, 3, 2)), np.ones(2), np.ones((3, 1))), "w"),
        (lambda: ch03.alignment_scores(np.ones((1, 3, 2)), np.ones((2, 1)), np.ones(3)), "b"),
        (lambda: ch03.attention_weights(np.ones(3)), "scores"),
        (lambda: ch03.attend(np.ones((1, 3, 2)), np.ones((1, 3, 1))), "weights"),
        (lambda: ch03.AttentionPooling()(np.ones((3, 2))), "inputs"),
        (lambda: ch03.AttentionPooling()(keras.Input((None, 2))), "inputs"),
        (lambda: layer_with_weights(0, 6, 3)[0](np.ones((1, 1, 3))), "expected"),
        (lambda: layer_with_weights(0, 6, 3)[0](np.ones((2, 6, 3)), mask=np.ones((2, 1))), "mask"),
        (lambda: ch03.attention_map(keras.Sequential([keras.Input((3,))]), np.ones(3)), "model"),
        (lambda: ch03.count_leaked_targets(np.ones((2, 3, 1)), np.ones(2), 1.0), "test_y"),
        (lambda: ch03.split_without_leak(np.ones(9), 0, 0.7), "time_steps"),
        (lambda: ch03.split_without_leak(np.ones(9), 2, 1.5), "train_fraction"),
        (lambda: ch03.split_without_leak(np.ones(9), 4, 0.5), "series"),
        (lambda: ch03.BoundedPooling(0.0), "bound"),
        (lambda: ch03.BoundedPooling()(np.ones((3, 2))), "inputs"),
        (lambda: ch03.constant_baseline(np.zeros(0), np.ones(2)), "train_y"),
        (lambda: ch03.constant_baseline(np.ones(2), np.ones((2, 1))), "test_y"),
    ],
)
def test_bad_input_is_named(call, names):
    with pytest.raises(ValueError, match=rf"\b{names}\b"):
        call()


def test_a_recursion_that_computes_every_number_anew_is_named_before_it_would_never_end():
    def number(k):
        return float(k) if k <= 2 else number(k - 1) + number(k - 2)

    with pytest.raises(CheckFailure) as failed:
        visible.fibonacci(lambda n: np.array([number(k) for k in range(1, n + 1)]))
    assert failed.value.mistake == visible.COMPUTED_ANEW
