"""Train many copies of one small recurrent network side by side, each from its own start.

One run of an experiment says little, and Keras needs about a minute for one run of a network that
reads one example at a time. A network of a few dozen weights leaves a processor idle for most of
that time. So the copies are trained together here: every array has the runs on its last axis, and
one NumPy operation does its work for all of them. The gradient is computed by back-propagation
through time, as in chapter 1, and the weights are changed by Adam with the defaults of Keras.

The network is ``SimpleRNN(m, activation="tanh")``, then optionally an attention layer with weights
of shapes (m, 1) and (time, 1), then ``Dense(1, activation="tanh")``. It reads one number a step.
"""

from collections.abc import Sequence

import numpy as np

Weights = Sequence[np.ndarray]
"""One network's arrays as ``model.get_weights()`` lists them: five, or seven with attention."""

# Adam's, as in Keras.
_MEAN_RATE, _SQUARE_RATE, _EPSILON = 0.1, 0.001, 1e-7


def train(
    starts: Sequence[Weights],
    x: np.ndarray,
    y: np.ndarray,
    *,
    epochs: int,
    learning_rate: float = 1e-3,
    seed: int = 0,
    frozen: Sequence[int] = (),
) -> list[list[np.ndarray]]:
    """Minimise the squared error from every start, one example at a time, and return the weights.

    Parameters
    ----------
    starts : one `Weights` for each run, all of the same shapes
    x, y : inputs (examples, time) and targets (examples,)
    epochs : how often every run reads all examples, each time in a new order of its own
    seed : of the orders
    frozen : positions of the arrays that training leaves as they are
    """
    copies = _Copies(starts)
    runs = np.arange(len(starts))
    orders = np.tile(np.arange(len(x)), (len(runs), 1))
    rng = np.random.default_rng(seed)
    x, y = np.asarray(x, "float32"), np.asarray(y, "float32")
    mean, square = np.zeros_like(copies.flat), np.zeros_like(copies.flat)
    step = 0
    for _ in range(epochs):
        for some in rng.permuted(orders, axis=1).T:
            step += 1
            gradient = copies.backward(x[some].T, y[some])
            for position in frozen:
                copies.d_w[position][:] = 0
            mean += _MEAN_RATE * (gradient - mean)
            square += _SQUARE_RATE * (gradient * gradient - square)
            correction = np.sqrt(1 - (1 - _SQUARE_RATE) ** step) / (1 - (1 - _MEAN_RATE) ** step)
            copies.flat -= learning_rate * correction * mean / (np.sqrt(square) + _EPSILON)
    return [copies.weights(copies.flat, run) for run in runs]


def predict(networks: Sequence[Weights], x: np.ndarray) -> np.ndarray:
    """Return the outputs (runs, examples) of networks with these weights for x (examples, time)."""
    copies = _Copies(networks)
    columns = np.ones(len(networks), "float32")
    return np.stack([copies.forward(row[:, None] * columns)[-1] for row in x], axis=1)


def gradients(networks: Sequence[Weights], x: np.ndarray, y: np.ndarray) -> list[list[np.ndarray]]:
    """Return the gradients of the squared errors, run i on example i: x (runs, time), y (runs,)."""
    copies = _Copies(networks)
    gradient = copies.backward(np.asarray(x, "float32").T, np.asarray(y, "float32"))
    return [copies.weights(gradient, run) for run in range(len(networks))]


class _Copies:
    """The weights of all runs in one array (numbers, runs), and what is computed from them.

    The arrays of ``d_w`` are parts of the gradient that `backward` returns.
    """

    def __init__(self, networks):
        self._shapes = [np.shape(array) for array in networks[0]]
        self._attends = len(self._shapes) == 7
        self.flat = np.stack(
            [np.concatenate([np.ravel(a) for a in network]) for network in networks], axis=-1
        ).astype("float32")
        self._gradient = np.zeros_like(self.flat)
        self._w, self.d_w = self._parts(self.flat), self._parts(self._gradient)

    def _parts(self, flat):
        """Return a view of each weight array in an array (numbers, runs), runs on the last axis."""
        ends = np.cumsum([np.prod(shape, dtype=int) for shape in self._shapes])
        parts = np.split(flat, ends[:-1])
        return [part.reshape(*s, -1) for part, s in zip(parts, self._shapes, strict=True)]

    def weights(self, flat, run):
        """Return the part of one run as Keras would, a copy."""
        return [part[..., run].copy() for part in self._parts(flat)]

    def forward(self, x):
        """Return states (time + 1, m, runs), scores, weights, context, output of x (time, runs)."""
        w_x, w_h, b_h, *attention, w_y, b_y = self._w
        h = np.zeros((len(x) + 1, *b_h.shape), "float32")
        h[1:] = x[:, None] * w_x[0] + b_h
        products = np.empty_like(w_h)
        for t in range(len(x)):
            np.multiply(h[t][:, None], w_h, out=products)
            for product in products:
                h[t + 1] += product
            np.tanh(h[t + 1], out=h[t + 1])
        e = alpha = None
        context = h[-1]
        if self._attends:
            w, b = attention
            e = np.tanh((h[1:] * w[:, 0]).sum(axis=1) + b[:, 0])
            alpha = np.exp(e)
            alpha /= alpha.sum(axis=0)
            context = (alpha[:, None] * h[1:]).sum(axis=0)
        return h, e, alpha, context, np.tanh((context * w_y[:, 0]).sum(axis=0) + b_y[0])

    def backward(self, x, y):
        """Return the gradient (numbers, runs) of each run's squared error on its own example."""
        _, w_h, _, *attention, w_y, _ = self._w
        d_w_x, d_w_h, d_b_h, *d_attention, d_w_y, d_b_y = self.d_w
        h, e, alpha, context, output = self.forward(x)
        d_output = 2 * (output - y) * (1 - output * output)
        d_w_y[:, 0], d_b_y[0] = d_output * context, d_output
        d_context = d_output * w_y[:, 0]
        d_h = np.zeros_like(h[1:])
        if self._attends:
            share = (h[1:] * d_context).sum(axis=1)
            d_e = alpha * (share - (alpha * share).sum(axis=0)) * (1 - e * e)
            d_attention[0][:, 0] = (d_e[:, None] * h[1:]).sum(axis=0)
            d_attention[1][:, 0] = d_e
            d_h += alpha[:, None] * d_context + d_e[:, None] * attention[0][:, 0]
        else:
            d_h[-1] = d_context
        # From here on d_h is the gradient before the tanh of its step.
        slope, back = 1 - h[1:] * h[1:], np.ascontiguousarray(w_h.swapaxes(0, 1))
        products = np.empty_like(w_h)
        d_h[-1] *= slope[-1]
        for t in range(len(x) - 2, -1, -1):
            np.multiply(d_h[t + 1][:, None], back, out=products)
            for product in products:
                d_h[t] += product
            d_h[t] *= slope[t]
        d_w_x[0], d_b_h[:] = (x[:, None] * d_h).sum(axis=0), d_h.sum(axis=0)
        d_w_h[:] = (h[:-1, :, None] * d_h[:, None]).sum(axis=0)
        return self._gradient
