"""The reference solution of chapter 1 against Keras, gradients and the numbers that it prints."""

import re
import warnings

import numpy as np
import pytest
from lazily import Lazily
from scipy.special import expit
from sklearn.datasets import load_digits

from autograder.course.chapters import ROOT, load_chapter
from coursekit import datasets, recurrent
from coursekit.checks import ch01_rnn_basics as checks

ch01 = Lazily("solutions.ch01_rnn_basics")
keras = Lazily("keras")
tf = Lazily("tensorflow")

STEM = "ch01_rnn_basics"
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
    d_h, h_t = np.array([[1.0, 2.0]]), np.array([[0.9354, -0.6640]])
    back = ch01.rnn_step_backward(
        d_h, np.array([[2.0]]), h_prev, h_t, NETWORK["w_x"], NETWORK["w_h"]
    )
    prints(back["b_h"], back["h_prev"], back["x_t"])
    np.testing.assert_allclose(h_t, ch01.rnn_step(np.array([[2.0]]), h_prev, **CELL), atol=1e-4)
    loss, gradients = ch01.bptt(X, TARGETS, **NETWORK)
    assert f"the loss is `{loss:.3f}`" in TEXT
    prints(gradients["b_y"], gradients["b_h"], gradients["h_0"])


# --- back-propagation through time ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_one_step_back_is_what_gradient_tape_says(seed):
    rng, network = drawn(seed)
    cell = {name: tf.constant(network[name]) for name in CELL}
    x_t, h_prev = tf.constant(rng.normal(size=(5, 3))), tf.constant(rng.normal(size=(5, 4)))
    d_h = rng.normal(size=(5, 4))
    with tf.GradientTape() as tape:
        tape.watch([x_t, h_prev, *cell.values()])
        h_t = tf.tanh(x_t @ cell["w_x"] + h_prev @ cell["w_h"] + cell["b_h"])
    of = {"x_t": x_t, "h_prev": h_prev} | cell
    expected = tape.gradient(h_t, of, output_gradients=tf.constant(d_h))

    arrays = [array.numpy() for array in (x_t, h_prev, h_t, cell["w_x"], cell["w_h"])]
    gradients = ch01.rnn_step_backward(d_h, *arrays)
    assert list(gradients) == ["x_t", "h_prev", "w_x", "w_h", "b_h"]
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, expected[name], atol=1e-12, err_msg=name)


def test_steps_back_one_after_another_are_back_propagation_through_time():
    loss, gradients = ch01.bptt(X, TARGETS, **NETWORK)
    hidden, outputs = ch01.rnn_forward(X, **NETWORK)
    hidden = np.concatenate([np.zeros((1, 1, 2)), hidden], axis=1)
    totals, arriving = dict.fromkeys(CELL, 0), np.zeros((1, 2))
    for t in (3, 2, 1):
        d_h = 2 / 3 * (outputs - TARGETS)[:, t - 1] @ NETWORK["w_y"].T + arriving
        back = ch01.rnn_step_backward(
            d_h, X[:, t - 1], hidden[:, t - 1], hidden[:, t], NETWORK["w_x"], NETWORK["w_h"]
        )
        totals = {name: total + back[name] for name, total in totals.items()}
        arriving = back["h_prev"]
    for name, total in (totals | {"h_0": arriving}).items():
        np.testing.assert_allclose(total, gradients[name], atol=1e-12, err_msg=name)


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


def test_the_gradient_takes_the_steps_that_the_lesson_shows():
    parameters, losses = ch01.gradient_descent(X, TARGETS, NETWORK, 0.1, 201)
    assert losses[[0, 1, 100, 200]].round(4).tolist() == [0.059, 0.0159, 0.0026, 0.0008]
    _, (_, too_far) = ch01.gradient_descent(X, TARGETS, NETWORK, 0.2, 2)
    assert too_far > 1.5 * losses[0]
    assert ch01.bptt(X, TARGETS, **parameters)[0] < losses[-1]


def test_descending_is_what_keras_does():
    rng, network = drawn(0)
    x, targets = rng.normal(size=(5, 8, 3)), rng.normal(size=(5, 8, 2))
    before = {name: array.copy() for name, array in network.items()}
    parameters, losses = ch01.gradient_descent(x, targets, network, 0.2, 6)
    layers = [
        keras.layers.SimpleRNN(4, return_sequences=True, dtype="float64"),
        keras.layers.Dense(2, dtype="float64"),
    ]
    model = keras.Sequential([keras.Input((8, 3), dtype="float64"), *layers])
    model.set_weights(list(network.values()))
    model.compile(keras.optimizers.SGD(0.2), "mse")
    expected = [model.train_on_batch(x, targets) for _ in losses]
    np.testing.assert_allclose(losses, np.ravel(expected), rtol=1e-5)
    for name, array in zip(NETWORK, model.get_weights(), strict=True):
        np.testing.assert_allclose(parameters[name], array, atol=1e-6, err_msg=name)
        np.testing.assert_array_equal(network[name], before[name])


def test_no_steps_give_a_copy_of_the_parameters():
    parameters, losses = ch01.gradient_descent(X, TARGETS, NETWORK, 0.1, 0)
    assert losses.shape == (0,) and list(parameters) == list(NETWORK)
    for name, array in parameters.items():
        np.testing.assert_array_equal(array, NETWORK[name])
        assert array is not NETWORK[name]


def test_the_numbers_of_the_card_on_gradient_descent():
    parameters, losses = ch01.gradient_descent(X, TARGETS, NETWORK, 0.1, 2)
    prints(losses, parameters["b_h"], parameters["b_y"])


def test_the_check_of_gradient_descent_brings_the_right_gradient():
    rng, network = drawn(1)
    x, targets = rng.normal(size=(5, 8, 3)), rng.normal(size=(5, 8, 2))
    (loss, gradients), (expected, others) = (
        bptt(x, targets, **network) for bptt in (checks.our_bptt, ch01.bptt)
    )
    assert loss == pytest.approx(expected) and list(gradients) == list(others)
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, others[name], atol=1e-12, err_msg=name)


WRONG_BPTT = """
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    {}
"""


@pytest.mark.parametrize("line", ["raise NotImplementedError()", "return 0.0, {}", "return None"])
def test_nobody_pays_twice_for_a_wrong_bptt(line, capsys):
    answer = load_chapter(STEM).exercise("gradient_descent").source
    notebook = {"np": np}
    exec(WRONG_BPTT.format(line) + answer, notebook)
    own = notebook["bptt"]
    checks.gradient_descent(notebook["gradient_descent"])
    assert "passed" in capsys.readouterr().out
    assert notebook["bptt"] is own


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


def printed_cell(name, keys):
    """Return w, u and b as the card of an exercise prints them."""
    card = TEXT.split(f"# `{name}(")[1].split("# %%")[0]
    code = card.split("```python\n")[1].split("# ```")[0].replace("\n# ", "\n").removeprefix("# ")
    printed = {}
    exec(code, printed)
    cell = [
        {key: np.array(value) for key, value in printed[part].items()} for part in ("w", "u", "b")
    ]
    assert all(list(arrays) == list(keys) for arrays in cell)
    return cell


def test_the_numbers_of_the_cards_on_cells():
    x_t, h_prev, c_prev = np.array([[1.0]]), np.array([[0.5, -0.5]]), np.array([[-1.0, 0.5]])
    w, u, b = cell = printed_cell("gru_step", "zrh")
    z, r = (ch01.sigmoid(x_t @ w[key] + h_prev @ u[key] + b[key]) for key in "zr")
    candidate = np.tanh(x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"])
    prints(z, r, candidate, ch01.gru_step(x_t, h_prev, *cell))
    prints(*ch01.lstm_step(x_t, h_prev, c_prev, *printed_cell("lstm_step", "ifgo")))


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


def step_back(**changed):
    states = {name: np.ones((3, 2)) for name in ("d_h", "h_prev", "h_t")}
    arrays = {"x_t": np.ones((3, 1)), "w_x": NETWORK["w_x"], "w_h": NETWORK["w_h"]}
    ch01.rnn_step_backward(**(states | arrays | changed))


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
        (step_back, "x_t", (3,)),
        (step_back, "d_h", (1, 2)),
        (step_back, "h_prev", (3, 1)),
        (step_back, "h_t", (2,)),
        (step_back, "w_x", (2, 2)),
        (step_back, "w_h", (2, 3)),
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
        (lambda: ch01.gradient_descent(X, TARGETS, CELL, 0.1, 1), "parameters has the keys"),
        (lambda: ch01.gradient_descent(X, TARGETS, NETWORK, 0.1, -1), "steps"),
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


def test_the_minutes_of_the_two_sittings_are_those_of_the_lesson():
    opening = (ROOT / "book" / f"{STEM}.md").read_text(encoding="utf-8").partition("\n## ")[0]
    minutes, before, after = (
        int(re.search(said, opening)[1])
        for said in (
            r"takes about (\d+) min",
            r"about (\d+) minutes to .A good",
            r"about (\d+) for",
        )
    )
    assert before + after == minutes


# --- the experiments of the lesson ---------------------------------------------------------------


@pytest.mark.parametrize("window", [None, 2])
def test_the_experiments_go_back_as_gradient_tape_does(window):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 6, 2))
    labels = np.where(rng.uniform(size=(3, 6)) < 0.5, rng.integers(4, size=(3, 6)), -1)
    labels[:, :5] = labels[:, :5] if window is None else -1
    labels[:, 5] = [0, 3, 1]
    weights = recurrent.initial_weights([0, 1], 2, 3, 4)
    losses, gradients = recurrent.loss_and_gradients(x, labels, weights, window)
    for run in range(2):
        w_x, w_h, b_h, w_y, b_y = arrays = [tf.Variable(array[run]) for array in weights]
        with tf.GradientTape() as tape:
            h_t, logs = tf.zeros((3, 3)), []
            for t in range(6):
                if window is not None and t == 6 - window:
                    h_t = tf.stop_gradient(h_t)
                h_t = tf.tanh(tf.constant(x[:, t], tf.float32) @ w_x + h_t @ w_h + b_h)
                p = tf.nn.log_softmax(h_t @ w_y + b_y)
                logs += [p[row, labels[row, t]] for row in range(3) if labels[row, t] >= 0]
            loss = -tf.reduce_mean(tf.stack(logs))
        assert losses[run] == pytest.approx(float(loss), rel=1e-5)
        for ours, theirs in zip(gradients, tape.gradient(loss, arrays), strict=True):
            np.testing.assert_allclose(ours[run], theirs, atol=1e-6)


def test_the_experiments_train_and_a_window_of_none_leaves_the_state_alone():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3, 2))
    labels = recurrent.last_step_only((x[:, 0, 0] > 0).astype(int), 3)
    for window in (None, 0):
        weights = recurrent.initial_weights([0, 1], 2, 8, 2)
        before = [array.copy() for array in weights]
        losses = recurrent.train(x, labels, weights, [0.1, 0.3], 30, window=window, max_norm=1.0)
        assert losses.shape == (30, 2) and (losses[-1] < losses[0]).all()
        kept = [np.array_equal(*pair) for pair in zip(before, weights, strict=True)]
        assert kept == ([False] * 5 if window is None else [True] * 3 + [False] * 2)


def test_the_output_layer_of_the_experiments_may_have_a_learning_rate_of_its_own():
    x = np.random.default_rng(0).normal(size=(8, 3, 2))
    labels = recurrent.last_step_only((x[:, 0, 0] > 0).astype(int), 3)
    drawn = recurrent.initial_weights([0, 1], 2, 8, 2)
    _, gradients = recurrent.loss_and_gradients(x, labels, drawn)
    weights = [array.copy() for array in drawn]
    recurrent.train(x, labels, weights, [0.1, 0.2], 1, output_rates=[3.0, 0.0])
    rates = [[0.1, 0.2]] * 3 + [[3.0, 0.0]] * 2
    for before, after, gradient, rate in zip(drawn, weights, gradients, rates, strict=True):
        step = np.reshape(rate, (2, 1, 1)) * gradient
        np.testing.assert_allclose(after, before - step, atol=1e-6)


def through_keras(kind, seed, bias, units=32, steps=51):
    """Return what `recurrent.fading` measures, for Keras's layer as Keras draws its weights."""
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    x = tf.constant(rng.normal(size=(4, steps, 8)), tf.float32)
    name = {"simple_rnn": "SimpleRNN"}.get(kind, kind.upper())
    layer = getattr(keras.layers, name)(units)
    layer.build(x.shape)
    weights = layer.get_weights()
    if kind != "simple_rnn":
        gate = weights[2][units : 2 * units] if kind == "lstm" else weights[2][0, :units]
        gate[:] = bias
        layer.set_weights(weights)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(layer(x) * tf.constant(rng.choice([-1, 1], units), tf.float32))
    norm = np.linalg.norm(tape.gradient(total, x), axis=2)[:, ::-1]
    return np.median(norm / norm[:, :1], axis=0)


@pytest.mark.parametrize(
    ("kind", "bias"), [("simple_rnn", 0), ("gru", 0), ("gru", 3), ("lstm", 1), ("lstm", 3)]
)
def test_gradients_fade_in_the_experiments_as_they_do_in_keras(kind, bias):
    def kept(curves):
        return np.median((curves[..., 40] / curves[..., 10]) ** (1 / 30))

    in_keras = kept(np.array([through_keras(kind, seed, bias) for seed in range(3)]))
    assert kept(recurrent.fading(kind, bias=bias)) == pytest.approx(in_keras, abs=0.03)


def test_towns_are_spelt_with_the_letters_that_the_lesson_knows():
    towns = datasets.load_towns()
    assert len(towns) == 627 and towns == sorted(set(towns))
    assert all(re.fullmatch("[A-Z][a-z]{2,13}", town) for town in towns)


# --- the end of the assignment -------------------------------------------------------------------


def test_the_assignment_ends_with_the_students_own_functions_at_work(capsys, monkeypatch):
    training, remembering = [s for kind, s in load_chapter(STEM).closing if kind == "code"]
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    notebook = vars(load_chapter(STEM).reference) | {}
    exec(training, notebook)
    for seed in range(3):
        notebook["rng"] = np.random.default_rng(seed)
        x, targets = notebook["echoes"](200)
        _, outputs = ch01.rnn_forward(x, **notebook["trained"])
        assert np.mean((outputs - targets) ** 2) < 0.05 * notebook["always_zero"]
    assert len(notebook["losses"]) == 1000 and "answering 0:" in capsys.readouterr().out
    exec(remembering, notebook)
    left = {name: states[-1] for name, states in notebook["kept"].items()}
    assert left["gru_step, bias 0"] < 1e-9 < 0.05 < left["lstm_step, bias 3"]
    assert left["gru_step, bias 3"] == pytest.approx((1 / (1 + np.exp(-3))) ** 40)
