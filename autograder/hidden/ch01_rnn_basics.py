"""Hidden checks of chapter 1."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import ByImportPath, example
from coursekit.checks.ch01_rnn_basics import LARGE, PARAMETERS, turning_example, with_our_bptt

SIN = ByImportPath("numpy:sin")


@hidden_check
def sigmoid(sigmoid):
    rng = generator(11)
    for shape in [(9,), (4, 3), (2, 5, 3)]:
        example(sigmoid, rng.normal(0, 3, size=shape))
    for size in (40, 3):
        x = rng.uniform(-1000, 1000, size=(5, size))
        example(sigmoid, x, no_warning=True)
    example(sigmoid, np.array([[-1e6, 1e6], [-1e30, 1e30]]), no_warning=True, tolerance=1e-10)
    example(sigmoid, rng.integers(-4, 5, size=(3, 4)))
    for first in (-900.0, 900.0):
        x = np.append(first, rng.uniform(-3, 3, size=4))
        example(sigmoid, x, no_warning=True)
    for x in (rng.uniform(-3, -1), rng.uniform(1, 3)):
        example(sigmoid, np.array(x))


@hidden_check
def rnn_step(rnn_step):
    rng = generator(12)
    for batch, features, m in [(5, 3, 4), (2, 1, 6), (3, 2, 1)]:
        x_t, h_prev = _normal(rng, (batch, features), (batch, m))
        arrays = _normal(rng, (features, m), (m, m), (m,))
        example(rnn_step, x_t, h_prev, *arrays)
        example(rnn_step, x_t, h_prev, *arrays, activation=SIN)


@hidden_check
def rnn_forward(rnn_forward):
    rng = generator(13)
    for batch, time, features, m, k in [
        (5, 7, 3, 4, 2),
        (2, 4, 1, 6, 3),
        (3, 1, 2, 4, 5),
        (4, 5, 2, 1, 3),
    ]:
        x, h_0 = _normal(rng, (batch, time, features), (batch, m))
        arrays = _network(rng, features, m, k)
        example(rnn_forward, x, *arrays)
        example(rnn_forward, x, *arrays, h_0=h_0, activation=SIN)
        example(rnn_forward, rng.integers(-2, 3, size=x.shape), *arrays)


@hidden_check
def rnn_step_backward(rnn_step_backward):
    rng = generator(19)
    for batch, features, m in [(5, 3, 4), (2, 1, 6), (3, 2, 1)]:
        d_h, x_t, h_prev = _normal(rng, (batch, m), (batch, features), (batch, m))
        h_t = np.tanh(rng.normal(size=(batch, m)))
        w_x, w_h = _normal(rng, (features, m), (m, m))
        example(rnn_step_backward, d_h, x_t, h_prev, h_t, w_x, w_h)


@hidden_check
def bptt(bptt):
    rng = generator(14)
    for batch, time, features, m, k in [
        (4, 6, 3, 5, 7),
        (3, 1, 2, 4, 1),
        (2, 9, 1, 3, 4),
        (3, 4, 2, 1, 5),
    ]:
        x, targets = _normal(rng, (batch, time, features), (batch, time, k))
        example(bptt, x, targets, *_network(rng, features, m, k))
    turning_example(bptt, 130)


@hidden_check
def gradient_descent(gradient_descent):
    rng = generator(20)
    gradient_descent = with_our_bptt(gradient_descent)
    for batch, time, features, m, k, steps in [(3, 4, 2, 3, 2, 4), (1, 3, 1, 2, 3, 1)]:
        x, targets = _normal(rng, (batch, time, features), (batch, time, k))
        parameters = dict(zip(PARAMETERS, _network(rng, features, m, k), strict=True))
        for taken in (steps, 0):
            example(gradient_descent, x, targets, parameters, rng.uniform(0.05, 0.3), taken)
        # Steps so long that the loss rises, and the rounding errors of float32 with it.
        example(gradient_descent, x, targets, parameters, 4.0, 2, tolerance=1e-4)


@hidden_check
def clip_by_global_norm(clip_by_global_norm):
    rng = generator(15)
    gradients = _normal(rng, (3, 4), (4, 4), (4,), (2, 3, 2), scale=1.5)
    norm = np.sqrt(sum(np.sum(array**2) for array in gradients))
    for share in (0.2, 0.9, 1.1, 3.0):
        example(clip_by_global_norm, gradients, share * norm)
    example(clip_by_global_norm, [np.zeros((4, 3)), np.zeros(5), np.zeros((2, 1))], 1.0)


@hidden_check
def gru_step(gru_step):
    rng = generator(16)
    for batch, features, m in [(5, 3, 4), (2, 1, 6), (3, 2, 1)]:
        x_t, h_prev = _normal(rng, (batch, features), (batch, m), scale=0.8)
        example(gru_step, x_t, h_prev, *_sets(rng, "hzr", features, m))
    example(gru_step, LARGE, *_normal(rng, (2, 3)), *_steep_sets(rng, "hzr", 3))


@hidden_check
def lstm_step(lstm_step):
    rng = generator(17)
    for batch, features, m in [(5, 3, 4), (2, 1, 6), (3, 2, 1)]:
        x_t, h_prev, c_prev = _normal(rng, (batch, features), (batch, m), (batch, m), scale=0.8)
        example(lstm_step, x_t, h_prev, c_prev, *_sets(rng, "goif", features, m))
    example(lstm_step, LARGE, *_normal(rng, (2, 3), (2, 3)), *_steep_sets(rng, "goif", 3))


@hidden_check
def count_recurrent_parameters(count_recurrent_parameters):
    rng = generator(18)
    for kind in ("gru", "lstm", "simple_rnn"):
        input_dim, units = (int(size) for size in rng.integers(2, 40, size=2))
        for sizes in [(input_dim, units), (1, units), (input_dim, 1)]:
            example(count_recurrent_parameters, kind, *sizes)


def _normal(rng, *shapes, scale=0.6):
    return [rng.normal(0, scale, size=shape) for shape in shapes]


def _network(rng, features, m, k):
    return _normal(rng, (features, m), (m, m), (m,), (m, k), (k,), scale=0.5)


def _sets(rng, keys, features, m):
    """Return w, u and b of a cell; ``keys`` in another order than the text names them."""
    return [
        {key: rng.normal(0, 0.6, size=shape) for key in keys}
        for shape in [(features, m), (m, m), (m,)]
    ]


def _steep_sets(rng, keys, m):
    """Return `_sets` for one input, with no weight of it so small that a gate stays half open."""
    w, u, b = _sets(rng, keys, 1, m)
    return {key: array + np.copysign(0.5, array) for key, array in w.items()}, u, b
