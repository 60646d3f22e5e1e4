"""Visible checks of chapter 1, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import ByImportPath, attempt, check, example, remote_helper
from coursekit.checks.stand_in import label_of, relabelled
from coursekit.checks.substitution import with_substitute

X = np.array([[[1.0], [0.0], [-1.0]]])
TARGETS = np.array([[[0.5], [0.5], [-0.5]]])
W_X = np.array([[0.5, -0.3]])
W_H = np.array([[0.8, 0.2], [-0.4, 0.6]])
B_H = np.array([0.1, 0.0])
W_Y = np.array([[1.0], [-1.0]])
B_Y = np.array([0.0])
H_0 = np.array([[0.5, -0.5]])
C_0 = np.array([[-1.0, 0.5]])
PARAMETERS = {"w_x": W_X, "w_h": W_H, "b_h": B_H, "w_y": W_Y, "b_y": B_Y}
# Two sequences: with one alone a reshape does what a transposition does, and a loop over the batch
# is one without recurrence.
TWO = np.array([[[1.0], [0.0], [-1.0]], [[-2.0], [0.5], [1.5]]])
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
    example(sigmoid, np.array([-2.0, 0.0, 3.0]), no_warning=True)
    # Here every right answer is 0 or 1 to the last digit, and x cut off at 20 is not.
    example(sigmoid, np.array([-1000.0, 1000.0]), no_warning=True, tolerance=1e-10)
    # Small, but not yet 0, and not yet 1.
    example(sigmoid, np.array([-12.0, 11.0]), tolerance=1e-6)
    example(sigmoid, np.array(2.0))
    example(sigmoid, np.array([-2, 0, 3]))
    # The first result is a whole number, and the others must not become whole numbers for it.
    example(sigmoid, np.array([-1000.0, 0.5, 2.0]), no_warning=True)


@check
def rnn_step(rnn_step):
    # A step of the first example alone would pass on a batch of one. The first of these two is the
    # printed one.
    x_t, h_prev = np.array([[1.0], [-2.0]]), np.array([[0.5, -0.5], [0.2, 0.6]])
    example(rnn_step, x_t, h_prev, W_X, W_H, B_H, activation=LINEAR)
    example(rnn_step, X[:, 0], H_0, W_X, W_H, B_H)
    example(rnn_step, x_t, np.array([[1, 0], [0, -1]]), W_X, W_H, B_H)
    # Two examples of two features: a product entry by entry has the right shape here, and fails.
    x_t, h_prev = np.array([[1.0, 2.0], [-1.0, 0.5]]), np.array([[0.2, -0.4], [0.6, 0.1]])
    example(rnn_step, x_t, h_prev, np.array([[0.5, -0.3], [0.1, 0.7]]), W_H, B_H)


@check
def rnn_forward(rnn_forward):
    # The first of these two is the printed one.
    example(rnn_forward, TWO, W_X, W_H, B_H, W_Y, B_Y)
    example(rnn_forward, X, W_X, W_H, B_H, W_Y, B_Y)
    example(rnn_forward, X, W_X, W_H, B_H, W_Y, B_Y, h_0=H_0)
    example(rnn_forward, X.astype(int), W_X, W_H, B_H, W_Y, B_Y)
    example(rnn_forward, X, W_X, W_H, B_H, W_Y, B_Y, h_0=np.array([[1, 0]]))
    # Two outputs.
    example(rnn_forward, TWO, W_X, W_H, B_H, np.hstack([W_Y, 2 * W_Y[::-1]]), B_H)
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
    whole = np.array([[1, 2]]), np.array([[2]]), np.array([[1, 0]])
    example(rnn_step_backward, *whole, h_t, W_X, W_H)
    # Close to 1 and to -1 a state hardly changes.
    h_t = np.array([[0.999, -1.0]])
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
    example(bptt, TWO, np.cos(TWO), W_X, W_H, B_H, W_Y, B_Y)
    # Large errors, whole numbers, and a state that turns and does not fade.
    example(bptt, X, 100 * TARGETS, W_X, W_H, B_H, W_Y, B_Y)
    example(bptt, X.astype(int), np.array([[[1], [0], [-1]]]), W_X, W_H, B_H, W_Y, B_Y)
    turning_example(bptt, 14)


def turning_example(bptt, time):
    """Compare gradients that come back over all of the steps, because the state only turns."""
    t = np.arange(time)[None, :, None]
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    example(bptt, 0.05 * np.sin(t), np.cos(t), W_X, turn, np.zeros(2), W_Y, B_Y)


@check
def gradient_descent(gradient_descent):
    gradient_descent = with_our_bptt(gradient_descent)
    # One step first, so that what goes wrong from step to step shows itself later.
    example(gradient_descent, X, TARGETS, PARAMETERS, 0.1, 1)
    example(gradient_descent, X, TARGETS, PARAMETERS, 0.1, 2)
    example(gradient_descent, TWO, np.cos(TWO), _reversed(PARAMETERS), 0.3, 3)
    example(gradient_descent, X, TARGETS, PARAMETERS, 0.1, 0)
    whose = remote_helper(gradient_descent, whose_dict, "the dict that comes back after 0 steps")
    example(whose, gradient_descent, X, TARGETS, PARAMETERS)
    example(gradient_descent, X, TARGETS, PARAMETERS, 0.2, 25)
    whole = {name: np.round(2 * array).astype(int) for name, array in PARAMETERS.items()}
    example(gradient_descent, X, TARGETS, whole, 0.1, 2)
    # Steps so long that the loss rises.
    example(gradient_descent, X, TARGETS, PARAMETERS, 1.0, 3)


def with_our_bptt(gradient_descent):
    """Return an answer that calls `our_bptt`: a wrong `bptt` has been paid for already."""
    helper = remote_helper(gradient_descent, calling_our_bptt)
    return relabelled(attempt(helper, gradient_descent).makes, label_of(gradient_descent))


@check
def clip_by_global_norm(clip_by_global_norm):
    gradients = [np.array([1.0, 2.0]), np.array([[2.0, 4.0]])]
    # A max_norm of 1 cannot show that it is forgotten, or that the gradients are divided by it.
    example(clip_by_global_norm, gradients, 2.0)
    example(clip_by_global_norm, gradients, 1.0)
    example(clip_by_global_norm, gradients, 10.0)
    example(clip_by_global_norm, [np.zeros(2), np.zeros((1, 3))], 1.0)
    # The largest singular value of this matrix is not its norm.
    matrix = np.array([[1.0, 2.0], [-2.0, 1.0]])
    example(clip_by_global_norm, [matrix, np.array([2.0, 1.0, 1.0])], 2.0)
    example(clip_by_global_norm, [np.array([0.6, 0.8])], 0.5)
    example(clip_by_global_norm, [np.array([3, 4]), np.array([[0, 12]])], 1.0)


@check
def gru_step(gru_step):
    cell = _cell("zrh")
    example(gru_step, X[:, 0], H_0, *cell)
    example(gru_step, X[:, 0], H_0, *map(_reversed, cell))
    example(gru_step, LARGE, np.tile(H_0, (2, 1)), *cell)
    example(gru_step, X[:, 0], np.array([[1, 0]]), *cell)
    wide = {gate: np.tile(w, (3, 1)) for gate, w in cell[0].items()}
    example(gru_step, TWO[..., 0], np.array([[0.5, -0.5], [0.2, 0.6]]), wide, *cell[1:])


@check
def lstm_step(lstm_step):
    cell = _cell("ifgo")
    example(lstm_step, X[:, 0], H_0, C_0, *cell)
    example(lstm_step, X[:, 0], H_0, C_0, *map(_reversed, cell))
    example(lstm_step, LARGE, np.tile(H_0, (2, 1)), np.tile(C_0, (2, 1)), *cell)
    example(lstm_step, X[:, 0], np.array([[1, 0]]), np.array([[3, -1]]), *cell)
    # A cell may hold any number.
    example(lstm_step, X[:, 0], H_0, np.array([[-10.0, 2000.0]]), *cell)


def _cell(keys):
    """Return w, u and b of a cell as dicts, one entry for each gate that a key names."""
    return [dict(zip(keys, sets, strict=False)) for sets in (W_SETS, U_SETS, B_SETS)]


def _reversed(sets):
    """Return a dict with the same entries in the reverse order."""
    return dict(reversed(sets.items()))


@check
def count_recurrent_parameters(count_recurrent_parameters):
    for kind in ("simple_rnn", "gru", "lstm"):
        example(count_recurrent_parameters, kind, 3, 8)
        example(count_recurrent_parameters, kind, 7, 11)


# --- what runs where the work lives -------------------------------------------------------------


def whose_dict(gradient_descent, x, targets, parameters):
    """Say whether the dict that comes back after 0 steps is the one that was given."""
    returned, _ = gradient_descent(x, targets, parameters, 0.1, 0)
    return "the dict that was given" if returned is parameters else "a new dict"


def calling_our_bptt(function):
    """Return a function like this one, but for the `bptt` that it sees."""
    return with_substitute(function, "bptt", our_bptt)


def our_bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    """Return what the exercise's `bptt` does, without its way back.

    A tiny imaginary step in one entry moves the loss by an imaginary number, which is the
    derivative times the step. Nothing is subtracted, so nothing is lost by rounding.
    """
    arrays = {"w_x": w_x, "w_h": w_h, "b_h": b_h, "w_y": w_y, "b_y": b_y}
    arrays["h_0"] = np.zeros((len(x), len(b_h)))
    gradients = {name: np.zeros(np.shape(array)) for name, array in arrays.items()}
    for name, gradient in gradients.items():
        for entry in np.ndindex(gradient.shape):
            moved = {n: np.array(array, dtype=complex) for n, array in arrays.items()}
            moved[name][entry] += 1e-30j
            gradient[entry] = _loss(x, targets, **moved).imag / 1e-30
    return float(_loss(x, targets, **arrays)), gradients


def _loss(x, targets, w_x, w_h, b_h, w_y, b_y, h_0):
    h_t, squares = h_0, []
    for x_t, target in zip(np.swapaxes(x, 0, 1), np.swapaxes(targets, 0, 1), strict=True):
        h_t = np.tanh(x_t @ w_x + h_t @ w_h + b_h)
        squares.append((h_t @ w_y + b_y - target) ** 2)
    return np.mean(squares)
