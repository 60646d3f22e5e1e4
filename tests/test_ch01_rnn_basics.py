"""The reference solution of chapter 1 against Keras, gradients and the numbers that it prints."""

import re
import warnings

import numpy as np
import pytest
from lazily import Lazily
from scipy.special import expit
from sklearn.datasets import load_digits

from autograder.course.chapters import ROOT

ch01 = Lazily("solutions.ch01_rnn_basics")
keras = Lazily("keras")
tf = Lazily("tensorflow")

X = np.array([[[1.0], [0.0], [-1.0]]])
TARGETS = np.array([[[0.5], [0.5], [-0.5]]])
NETWORK = {
    "w_x": np.array([[0.5, -0.3]]),
    "w_h": np.array([[0.8, 0.2], [-0.4, 0.6]]),
    "b_h": np.array([0.1, 0.0]),
    "w_y": np.array([[1.0], [-1.0]]),
    "b_y": np.array([0.0]),
}
CELL = {name: NETWORK[name] for name in ("w_x", "w_h", "b_h")}
TEXT = (ROOT / "solutions" / "ch01_rnn_basics.py").read_text(encoding="utf-8")


def drawn(seed, features=3, m=4, k=2):
    rng = np.random.default_rng(seed)
    shapes = {"w_x": (features, m), "w_h": (m, m), "b_h": (m,), "w_y": (m, k), "b_y": (k,)}
    network = {name: rng.normal(0, 0.5, size=shape) for name, shape in shapes.items()}
    return rng, network


def prints(*arrays):
    """Require that the exercises' text prints these arrays, rounded to four digits."""
    text = TEXT.replace("\n# ", " ")
    for array in arrays:
        shown = str(np.round(array, 4).tolist()).replace(",", "")
        assert f"`{shown}`" in text or f" = {shown}`" in text, shown


# --- sigmoid -------------------------------------------------------------------------------------


def test_sigmoid_is_scipys_and_never_warns():
    x = np.concatenate([np.linspace(-1000, 1000, 4001), [-1e308, 1e308]]).reshape(-1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = ch01.sigmoid(x)
        assert ch01.sigmoid(-1000) == 0 and ch01.sigmoid(1000.0) == 1
    np.testing.assert_allclose(y, expit(x), rtol=1e-12, atol=1e-300)
    assert y.shape == x.shape
    np.testing.assert_allclose(y + ch01.sigmoid(-x), 1)


# --- one step, a sequence ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_states_and_outputs_are_those_of_keras(seed, activation):
    rng, network = drawn(seed)
    x, h_0 = rng.normal(size=(5, 7, 3)), rng.normal(size=(5, 4))
    w_x, w_h, b_h, w_y, b_y = network.values()
    layer = keras.layers.SimpleRNN(4, activation, return_sequences=True, dtype="float64")
    layer.build(x.shape)
    layer.set_weights([w_x, w_h, b_h])
    function = {"tanh": np.tanh, "relu": lambda a: np.maximum(a, 0)}[activation]

    hidden, outputs = ch01.rnn_forward(x, **network, h_0=h_0, activation=function)
    np.testing.assert_allclose(hidden, layer(x, initial_state=tf.constant(h_0)), atol=1e-12)
    np.testing.assert_allclose(outputs, hidden @ w_y + b_y)
    hidden, _ = ch01.rnn_forward(x, **network, activation=function)
    np.testing.assert_allclose(hidden, layer(x), atol=1e-12)

    step = ch01.rnn_step(x[:, 0], h_0, w_x, w_h, b_h, function)
    np.testing.assert_allclose(step, layer.cell(x[:, 0], [tf.constant(h_0)])[0], atol=1e-12)


def test_the_numbers_of_the_cards_on_one_network():
    h_prev = np.array([[0.5, -0.5]])
    prints(
        ch01.rnn_step(X[:, 0], h_prev, **CELL, activation=np.positive),
        ch01.rnn_step(X[:, 0], h_prev, **CELL),
    )
    hidden, outputs = ch01.rnn_forward(X, **NETWORK)
    prints(hidden[0], outputs[0, :, 0])
    loss, gradients = ch01.bptt(X, TARGETS, **NETWORK)
    assert f"the loss is `{loss:.3f}`" in TEXT
    prints(gradients["b_y"], gradients["b_h"], gradients["h_0"])


# --- back-propagation through time ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_gradients_are_those_of_gradient_tape_through_keras(seed):
    rng, network = drawn(seed)
    x, targets = rng.normal(size=(5, 8, 3)), rng.normal(size=(5, 8, 2))
    inputs, h_0 = keras.Input((8, 3), dtype="float64"), keras.Input((4,), dtype="float64")
    layer = keras.layers.SimpleRNN(4, return_sequences=True, dtype="float64")
    states = layer(inputs, initial_state=h_0)
    outputs = keras.layers.Dense(2, dtype="float64")(states)
    model = keras.Model([inputs, h_0], outputs)
    model.set_weights(list(network.values()))
    start = tf.zeros((5, 4), tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(start)
        error = model([tf.constant(x), start]) - targets
        expected_loss = tf.reduce_mean(tf.square(error))
    expected = tape.gradient(expected_loss, [*model.trainable_variables, start])

    loss, gradients = ch01.bptt(x, targets, **network)
    assert list(gradients) == [*network, "h_0"]
    assert isinstance(loss, float) and loss == pytest.approx(float(expected_loss))
    for gradient, other in zip(gradients.values(), expected, strict=True):
        np.testing.assert_allclose(gradient, other, atol=1e-12)


@pytest.mark.parametrize(
    ("seed", "batch", "time", "features", "m", "k"), [(0, 3, 5, 2, 4, 3), (1, 2, 1, 3, 2, 1)]
)
def test_the_gradients_are_what_the_loss_does_when_an_entry_moves(
    seed, batch, time, features, m, k
):
    rng, network = drawn(seed, features, m, k)
    x, targets = rng.normal(size=(batch, time, features)), rng.normal(size=(batch, time, k))
    arrays = network | {"h_0": np.zeros((batch, m))}

    def loss_with(name, moved):
        _, outputs = ch01.rnn_forward(x, **(arrays | {name: moved}))
        return np.mean((outputs - targets) ** 2)

    loss, gradients = ch01.bptt(x, targets, **network)
    assert loss == pytest.approx(loss_with("h_0", arrays["h_0"]))
    for name, array in arrays.items():
        numeric = np.zeros_like(array)
        for position in np.ndindex(array.shape):
            nudge = np.zeros_like(array)
            nudge[position] = 1e-5
            rise = loss_with(name, array + nudge) - loss_with(name, array - nudge)
            numeric[position] = rise / 2e-5
        np.testing.assert_allclose(gradients[name], numeric, atol=1e-8, err_msg=name)


def test_descending_the_gradient_learns_the_example():
    network = {name: array.copy() for name, array in NETWORK.items()}
    first, _ = ch01.bptt(X, TARGETS, **network)
    for _ in range(300):
        loss, gradients = ch01.bptt(X, TARGETS, **network)
        network = {name: array - 0.1 * gradients[name] for name, array in network.items()}
    assert loss < 0.01 * first


# --- clipping ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.1, 0.99, 1.01, 50.0])
def test_clipping_is_tensorflows(seed, share):
    rng = np.random.default_rng(seed)
    gradients = [rng.normal(size=shape) for shape in [(3, 4), (4,), (2, 2, 2), ()]]
    max_norm = share * float(tf.linalg.global_norm(gradients))
    clipped = ch01.clip_by_global_norm(gradients, max_norm)
    expected, _ = tf.clip_by_global_norm(gradients, max_norm)
    for one, other, before in zip(clipped, expected, gradients, strict=True):
        np.testing.assert_allclose(one, other)
        assert share < 1 or (one == before).all()


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e200])
def test_clipping_stands_zeros_and_extremes(scale):
    gradients = [scale * np.array([3.0, 0.0]), scale * np.array([[4.0]])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (first, _), ((second,),) = ch01.clip_by_global_norm(gradients, 1.0)
        assert ch01.clip_by_global_norm([], 1.0) == []
    factor = 0.2 if scale > 1 else scale
    np.testing.assert_allclose([first, second], [3 * factor, 4 * factor], rtol=1e-12)


def test_the_numbers_of_the_card_on_clipping():
    gradients = [np.array([1.0, 2.0]), np.array([[2.0, 4.0]])]
    first, second = ch01.clip_by_global_norm(gradients, 1.0)
    np.testing.assert_allclose(first, [0.2, 0.4])
    np.testing.assert_allclose(second, [[0.4, 0.8]])
    assert "`[[0.2 0.4], [[0.4 0.8]]]`" in TEXT


# --- cells with gates ----------------------------------------------------------------------------


def drawn_cell(seed, keys, features=3, m=4):
    rng = np.random.default_rng(seed)
    w, u, b = (
        {key: rng.normal(0, 0.7, size=shape) for key in keys}
        for shape in [(features, m), (m, m), (m,)]
    )
    states = rng.normal(size=(3, 5, m))
    return rng.normal(size=(5, features)), states, w, u, b


def build_cell(cell, order, features, *sets):
    """Give a Keras cell the sets' arrays, side by side in Keras's order of gates."""
    cell.build((None, features))
    cell.set_weights([np.concatenate([arrays[key] for key in order], axis=-1) for arrays in sets])
    return cell


@pytest.mark.parametrize("seed", range(3))
def test_the_gru_step_is_that_of_keras(seed):
    x_t, (h_prev, *_), *sets = drawn_cell(seed, "zrh")
    cell = keras.layers.GRUCell(4, reset_after=False, dtype="float64")
    build_cell(cell, "zrh", 3, *sets)
    expected, _ = cell(x_t, [tf.constant(h_prev)])
    np.testing.assert_allclose(ch01.gru_step(x_t, h_prev, *sets), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_lstm_step_is_that_of_keras(seed):
    x_t, (h_prev, c_prev, _), *sets = drawn_cell(seed, "ifgo")
    cell = build_cell(keras.layers.LSTMCell(4, dtype="float64"), "ifgo", 3, *sets)
    _, expected = cell(x_t, [tf.constant(h_prev), tf.constant(c_prev)])
    for one, other in zip(ch01.lstm_step(x_t, h_prev, c_prev, *sets), expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("size", [1e3, 1e300])
def test_saturated_gates_stay_finite_and_silent(size):
    x_t, (h_prev, c_prev, _), w, u, b = drawn_cell(0, "zrhifgo")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        h = ch01.gru_step(size * x_t, h_prev, w, u, b)
        h_and_c = ch01.lstm_step(size * x_t, h_prev, c_prev, w, u, b)
    assert np.isfinite(h).all() and np.isfinite(h_and_c).all()


def test_open_gates_keep_what_they_should():
    x_t, (h_prev, c_prev, _), w, u, b = drawn_cell(1, "zrhifgo")
    shut, wide = np.full(4, -1e3), np.full(4, 1e3)
    np.testing.assert_array_equal(ch01.gru_step(x_t, h_prev, w, u, b | {"z": wide}), h_prev)
    _, c = ch01.lstm_step(x_t, h_prev, c_prev, w, u, b | {"i": shut, "f": wide})
    np.testing.assert_array_equal(c, c_prev)


def test_the_numbers_of_the_cards_on_cells():
    halves = [{key: np.full(shape, 0.5) for key in "zrhifgo"} for shape in [(1, 1), (1, 1), (1,)]]
    x_t, h_prev, c_prev = np.array([[1.0]]), np.array([[0.8]]), np.array([[-1.0]])
    gate = ch01.sigmoid(1.4)
    assert f"`{gate:.4f}`, the candidate is `{np.tanh(1 + 0.4 * gate):.4f}`" in TEXT
    assert f"`{gate:.4f}`, the candidate is `{np.tanh(1.4):.4f}`" in TEXT
    prints(ch01.gru_step(x_t, h_prev, *halves), *ch01.lstm_step(x_t, h_prev, c_prev, *halves))


# --- counting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(1, 2), (7, 1), (12, 32)])
@pytest.mark.parametrize("name", ["SimpleRNN", "LSTM", "GRU"])
def test_the_count_is_that_of_keras(name, sizes):
    input_dim, units = sizes
    layer = getattr(keras.layers, name)(units)
    layer.build((None, None, input_dim))
    kind = {"SimpleRNN": "simple_rnn"}.get(name, name.lower())
    assert ch01.count_recurrent_parameters(kind, input_dim, units) == layer.count_params()


def test_the_numbers_of_the_card_on_counting():
    assert ch01.count_recurrent_parameters("simple_rnn", 1, 2) == 8
    assert ch01.count_recurrent_parameters("lstm", 1, 2) == 32


# --- bad input -----------------------------------------------------------------------------------


def step(**changed):
    ch01.rnn_step(**({"x_t": np.ones((3, 1)), "h_prev": np.ones((3, 2))} | CELL | changed))


def forward(**changed):
    ch01.rnn_forward(**({"x": np.ones((4, 3, 1))} | NETWORK | changed))


def gradients(**changed):
    ch01.bptt(**({"x": np.ones((4, 3, 1)), "targets": np.ones((4, 3, 1))} | NETWORK | changed))


def gated(function, states, **changed):
    """Call a step of a cell with some arguments changed, or entries of them, such as w["z"]."""
    arguments = {"x_t": np.ones((3, 1))} | {name: np.ones((3, 2)) for name in states}
    for name, shape in [("w", (1, 2)), ("u", (2, 2)), ("b", (2,))]:
        arguments[name] = {key: np.ones(shape) for key in "zrhifgo"}
    for name, array in changed.items():
        if name in arguments:
            arguments[name] = array
        else:
            arguments[name[0]][name[3]] = array
    function(**arguments)


def gru(**changed):
    gated(ch01.gru_step, ["h_prev"], **changed)


def lstm(**changed):
    gated(ch01.lstm_step, ["h_prev", "c_prev"], **changed)


@pytest.mark.parametrize(
    ("call", "name", "shape"),
    [
        (step, "x_t", (3,)),
        (step, "h_prev", (1, 2)),
        (step, "w_x", (2, 2)),
        (step, "w_h", (2, 3)),
        (step, "b_h", (1,)),
        (step, "b_h", (1, 2)),
        (forward, "x", (4, 1)),
        (forward, "w_x", (2, 2)),
        (forward, "w_h", (2, 3)),
        (forward, "b_h", (1,)),
        (forward, "w_y", (3, 1)),
        (forward, "b_y", (2,)),
        (forward, "h_0", (1, 2)),
        (gradients, "x", (4, 3)),
        (gradients, "targets", (4, 3)),
        (gradients, "targets", (1, 3, 1)),
        (gradients, "w_x", (2, 2)),
        (gradients, "w_h", (2, 3)),
        (gradients, "b_h", (1,)),
        (gradients, "w_y", (3, 1)),
        (gradients, "b_y", (2,)),
        (gru, "x_t", (1,)),
        (gru, "h_prev", (1, 2)),
        (gru, "h_prev", (2,)),
        (gru, 'w["z"]', (2, 2)),
        (gru, 'u["r"]', (2, 3)),
        (gru, 'b["h"]', (1,)),
        (lstm, "x_t", (1,)),
        (lstm, "h_prev", (1, 2)),
        (lstm, "c_prev", (1, 2)),
        (lstm, 'w["i"]', (2, 2)),
        (lstm, 'u["f"]', (2, 3)),
        (lstm, 'b["o"]', (1,)),
    ],
)
def test_a_shape_that_does_not_fit_is_named(call, name, shape):
    call()
    with pytest.raises(ValueError, match=f"^{re.escape(f'{name} has shape {shape}')}"):
        call(**{name: np.ones(shape)})


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (
            lambda: gradients(x=np.ones((4, 0, 1)), targets=np.ones((4, 0, 1))),
            "targets is empty",
        ),
        (lambda: ch01.clip_by_global_norm([np.ones(2)], 0.0), "max_norm"),
        (lambda: ch01.clip_by_global_norm([np.ones(2)], -1.0), "max_norm"),
        (lambda: ch01.clip_by_global_norm([np.ones(2)], np.nan), "max_norm"),
        (lambda: ch01.count_recurrent_parameters("rnn", 3, 4), "kind .* got 'rnn'"),
        (lambda: ch01.count_recurrent_parameters("gru", 0, 4), "input_dim"),
        (lambda: ch01.count_recurrent_parameters("gru", 3, -4), "units"),
    ],
)
def test_bad_input_is_named(call, names):
    with pytest.raises(ValueError, match=names):
        call()


def test_the_three_digits_that_open_the_lesson_end_alike():
    digits = load_digits()
    opening = [1317, 385, 5]
    assert digits.target[opening].tolist() == [0, 3, 5]
    last_rows = digits.images[opening, -1]
    assert (last_rows == last_rows[0]).all()
    assert last_rows[0].any()


def arriving(kind, seed, lag, bias=None, units=32, **settings):
    """Return the length of the gradient that reaches the input `lag` steps back, over lag 0's."""
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    x = tf.constant(rng.normal(size=(16, 100, 8)), tf.float32)
    layer = kind(units, **settings)
    layer.build(x.shape)
    if bias is not None:
        weights = layer.get_weights()
        gate = weights[2][units : 2 * units] if kind is keras.layers.LSTM else weights[2][0, :units]
        gate[:] = bias
        layer.set_weights(weights)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(layer(x) * tf.constant(rng.choice([-1, 1], units), tf.float32))
    length = np.linalg.norm(tape.gradient(total, x), axis=2)
    return np.median(length[:, -1 - lag] / length[:, -1])


@pytest.mark.parametrize("seed", range(3))
def test_first_biases_and_not_gates_decide_how_fast_the_gradient_fades(seed):
    simple, gru, lstm = keras.layers.SimpleRNN, keras.layers.GRU, keras.layers.LSTM
    plain = arriving(simple, seed, 20)
    assert arriving(gru, seed, 20) < plain / 3 < arriving(lstm, seed, 20) / 3
    assert arriving(lstm, seed, 50, bias=0) < 1e-8
    assert arriving(lstm, seed, 50, bias=3) > 0.05
    assert arriving(gru, seed, 50, bias=3) > 1e-3
    enlarged = keras.initializers.Orthogonal(gain=1.5)
    assert arriving(simple, seed, 20, activation=None, recurrent_initializer=enlarged) > 100
