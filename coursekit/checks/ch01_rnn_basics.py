"""Visible checks of chapter 1, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import ByImportPath, check, example

X = np.array([[[1.0], [0.0], [-1.0]]])
TARGETS = np.array([[[0.5], [0.5], [-0.5]]])
W_X = np.array([[0.5, -0.3]])
W_H = np.array([[0.8, 0.2], [-0.4, 0.6]])
B_H = np.array([0.1, 0.0])
W_Y = np.array([[1.0], [-1.0]])
B_Y = np.array([0.0])
H_0 = np.array([[0.5, -0.5]])
C_0 = np.array([[-1.0, 0.5]])
# Sums of this size overflow an exponential.
LARGE = np.array([[5000.0], [-5000.0]])
LINEAR = ByImportPath("numpy:positive")
# Weights of a cell with one input and two units; each gate has its own.
W_SETS = np.array([[[0.5, -0.3]], [[1.0, -1.0]], [[-0.6, 0.9]], [[-0.3, 0.5]]])
U_SETS = np.array(
    [
        [[0.8, 0.2], [-0.4, 0.6]],
        [[-0.5, 0.7], [0.3, -0.2]],
        [[0.4, -0.9], [1.0, 0.3]],
        [[0.2, 0.8], [0.6, -0.4]],
    ]
)
B_SETS = np.array([[0.1, 0.0], [-0.2, 0.3], [0.0, 0.5], [0.0, 0.1]])


@check
def sigmoid(sigmoid):
    example(sigmoid, np.array([-2.0, 0.0, 3.0]))
    example(sigmoid, np.array([-1000.0, 1000.0]), no_overflow=True)
    example(sigmoid, np.array(2.0))


@check
def rnn_step(rnn_step):
    # A step of the first example alone would pass on a batch of one. The first of these two is the
    # printed one.
    x_t, h_prev = np.array([[1.0], [-2.0]]), np.array([[0.5, -0.5], [0.2, 0.6]])
    example(rnn_step, x_t, h_prev, W_X, W_H, B_H, activation=LINEAR)
    example(rnn_step, X[:, 0], H_0, W_X, W_H, B_H)
    # Two examples of two features: a product entry by entry has the right shape here, and fails.
    x_t, h_prev = np.array([[1.0, 2.0], [-1.0, 0.5]]), np.array([[0.2, -0.4], [0.6, 0.1]])
    example(rnn_step, x_t, h_prev, np.array([[0.5, -0.3], [0.1, 0.7]]), W_H, B_H)


@check
def rnn_forward(rnn_forward):
    # With one sequence alone, a reshape does what a transposition does, and a loop over the batch
    # is one without recurrence. The first of these two is the printed one.
    x = np.array([[[1.0], [0.0], [-1.0]], [[-2.0], [0.5], [1.5]]])
    example(rnn_forward, x, W_X, W_H, B_H, W_Y, B_Y)
    example(rnn_forward, X, W_X, W_H, B_H, W_Y, B_Y)
    example(rnn_forward, X, W_X, W_H, B_H, W_Y, B_Y, h_0=H_0)
    example(rnn_forward, X, W_X, W_H, B_H, W_Y, np.array([2.0]), activation=LINEAR)


@check
def rnn_step_backward(rnn_step_backward):
    d_h = np.array([[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]])
    h_prev, h_t = np.array(
        [[[0.2, -0.5], [0.0, 0.4], [0.9, 0.1]], [[0.6, 0.3], [-0.8, 0.1], [0.5, 0.7]]]
    )
    example(rnn_step_backward, d_h, np.array([[1.0], [-2.0], [3.0]]), h_prev, h_t, W_X, W_H)
    h_t = np.array([[0.9354, -0.6640]])
    example(rnn_step_backward, np.array([[1.0, 2.0]]), np.array([[2.0]]), H_0, h_t, W_X, W_H)


@check
def bptt(bptt):
    # Without weights the outputs are b_y, whatever comes in. No two sizes and no two targets are
    # equal, and no size is 2, so that every wrong factor and every wrong sum has one reason.
    batch, time, features, m, k = 3, 7, 6, 4, 5
    zeros = [np.zeros(shape) for shape in [(features, m), (m, m), (m,), (m, k)]]
    x = np.ones((batch, time, features))
    targets = np.sin(np.arange(batch * time * k)).reshape(batch, time, k)
    example(bptt, x, targets, *zeros, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    example(bptt, X, TARGETS, W_X, W_H, B_H, W_Y, B_Y)


@check
def clip_by_global_norm(clip_by_global_norm):
    gradients = [np.array([1.0, 2.0]), np.array([[2.0, 4.0]])]
    # A max_norm of 1 cannot show that it is forgotten, or that the gradients are divided by it.
    example(clip_by_global_norm, gradients, 2.0)
    example(clip_by_global_norm, gradients, 1.0)
    example(clip_by_global_norm, gradients, 10.0)
    example(clip_by_global_norm, [np.zeros(2), np.zeros((1, 3))], 1.0)


@check
def gru_step(gru_step):
    cell = _cell("zrh")
    example(gru_step, X[:, 0], H_0, *cell)
    example(gru_step, LARGE, np.tile(H_0, (2, 1)), *cell)


@check
def lstm_step(lstm_step):
    cell = _cell("ifgo")
    example(lstm_step, X[:, 0], H_0, C_0, *cell)
    example(lstm_step, LARGE, np.tile(H_0, (2, 1)), np.tile(C_0, (2, 1)), *cell)


def _cell(keys):
    """Return w, u and b of a cell as dicts, one entry for each gate that a key names."""
    return [dict(zip(keys, sets, strict=False)) for sets in (W_SETS, U_SETS, B_SETS)]


@check
def count_recurrent_parameters(count_recurrent_parameters):
    for kind in ("simple_rnn", "gru", "lstm"):
        example(count_recurrent_parameters, kind, 3, 5)
