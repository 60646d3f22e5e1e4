"""Training one small recurrent network from many starts side by side, for honest spreads."""

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import keras
import numpy as np
from threadpoolctl import threadpool_limits

from coursekit.cores import available_cores


def train_starts(
    model: keras.Sequential,
    x: np.ndarray,
    y: np.ndarray,
    *,
    seeds: Iterable[int],
    epochs: int,
    batch_size: int,
    learning_rate: Callable[[int], float] | float = 1e-3,
) -> Callable[[np.ndarray], np.ndarray]:
    """Train a network from one random start per seed, by Adam on the mean squared error.

    All starts learn at once, in NumPy and on all cores, because a small network leaves most of the
    time of a training step to Keras's bookkeeping. Each start draws its initial weights with the
    model's own initializers and shuffles the examples on its own; the model itself is not changed.

    Parameters
    ----------
    model
        ``SimpleRNN`` layers with tanh, then one ``Dense`` layer with one unit, linear or tanh.
    x, y
        Examples (n, time, features) and targets (n,).
    seeds
        One for each start.
    epochs, batch_size
        As `keras.Model.fit` understands them.
    learning_rate
        Of Adam: a number, or a schedule that maps the index of a step to one.

    Returns
    -------
    predict
        A function that maps examples (n, time, features) to forecasts (starts, n).

    Raises
    ------
    ValueError
        When the model holds another layer or activation, or the shapes do not fit.

    Notes
    -----
    Adam is Algorithm 1 of Kingma and Ba (2015) in the form of their section 2, with Keras's
    defaults.
    """
    *recurrent, dense = model.layers
    _refuse_other_layers(recurrent, dense)
    if len(x) != len(y):
        raise ValueError(f"x has {len(x)} examples but y has {len(y)} targets")
    x, y = np.asarray(x, "float32"), np.asarray(y, "float32")
    seeds = list(seeds)
    weights = _initial_weights(model, seeds)
    squashed = dense.activation is keras.activations.tanh

    def train(some):
        own = [array[some] for array in weights]  # views, which Adam changes in place
        shuffles = [np.random.default_rng(seed) for seed in seeds[some]]
        adam = _Adam(own)
        for _ in range(epochs):
            orders = np.stack([shuffle.permutation(len(x)) for shuffle in shuffles])
            for first in range(0, len(x), batch_size):
                rows = orders[:, first : first + batch_size]
                gradients = _gradients(own, x[rows], y[rows], squashed)
                rate = learning_rate(adam.steps) if callable(learning_rate) else learning_rate
                adam.apply(gradients, rate)

    # On matrices as small as these, a second BLAS thread costs more than it saves.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor() as pool:
        share = math.ceil(len(seeds) / max(1, min(available_cores(), len(seeds) // 4)))
        list(pool.map(train, (slice(i, i + share) for i in range(0, len(seeds), share))))

    def predict(x: np.ndarray) -> np.ndarray:
        x = np.broadcast_to(np.asarray(x, "float32"), (len(seeds), *x.shape))
        return _forward(weights, x, squashed)[1]

    return predict


def _refuse_other_layers(recurrent, dense):
    known = (
        isinstance(dense, keras.layers.Dense)
        and dense.units == 1
        and dense.activation in (keras.activations.linear, keras.activations.tanh)
        and all(
            isinstance(layer, keras.layers.SimpleRNN)
            and layer.activation is keras.activations.tanh
            and layer.return_sequences == (layer is not recurrent[-1])
            for layer in recurrent
        )
    )
    if not known:
        raise ValueError("model must be tanh SimpleRNN layers and a Dense layer with one unit")


_DRAWN: dict[tuple[str, int], list[np.ndarray]] = {}


def _initial_weights(model, seeds):
    """Draw every weight array of the model once per seed: a list of arrays (starts, *shape).

    Building a model takes Keras longer than a short training takes here, so what a seed has drawn
    is kept for the next model with the same weights.
    """
    settings = [{**layer.get_config(), "name": "", "activation": ""} for layer in model.layers]
    kind = repr((settings, [weight.shape for weight in model.weights]))
    for seed in seeds:
        if (kind, seed) not in _DRAWN:
            keras.utils.set_random_seed(seed)
            _DRAWN[kind, seed] = keras.models.clone_model(model).get_weights()
    starts = [_DRAWN[kind, seed] for seed in seeds]
    return [np.stack(arrays) for arrays in zip(*starts, strict=True)]


def _forward(weights, x, squashed):
    """Return the inputs and states of every layer and the outputs (starts, batch)."""
    *recurrent, w_y, b_y = weights
    # (starts, time, batch, features): a step's states are then one block for each start.
    inputs, layers = np.ascontiguousarray(np.swapaxes(x, 1, 2)), []
    for w_x, w_h, b_h in zip(*[iter(recurrent)] * 3, strict=True):
        starts, time, batch, features = inputs.shape
        states = (inputs.reshape(starts, -1, features) @ w_x + b_h[:, None]).reshape(
            starts, time, batch, -1
        )
        for t in range(time):
            h_t = states[:, t]
            if t:
                h_t += states[:, t - 1] @ w_h
            np.tanh(h_t, out=h_t)
        layers.append((inputs, states))
        inputs = states
    outputs = (inputs[:, -1] @ w_y + b_y[:, None])[..., 0]
    return layers, np.tanh(outputs) if squashed else outputs


def _gradients(weights, x, y, squashed):
    """Return the gradients of the mean squared error by back-propagation through time."""
    layers, outputs = _forward(weights, x, squashed)
    w_y = weights[-2]
    d_output = 2 / y.shape[1] * (outputs - y)
    if squashed:
        d_output *= 1 - outputs**2
    d_output = d_output[..., None]
    last = layers[-1][1][:, -1]
    gradients = [last.swapaxes(1, 2) @ d_output, d_output.sum(axis=1)]
    d_states = np.zeros_like(layers[-1][1])
    d_states[:, -1] = d_output @ w_y.swapaxes(1, 2)
    for number in reversed(range(len(layers))):
        inputs, states = layers[number]
        w_x, w_h = weights[3 * number : 3 * number + 2]
        starts, time, _, features = inputs.shape
        units = states.shape[-1]
        w_back = np.ascontiguousarray(w_h.swapaxes(1, 2))
        slopes = 1 - states**2
        for t in reversed(range(time)):
            d_states[:, t] *= slopes[:, t]
            if t:
                d_states[:, t - 1] += d_states[:, t] @ w_back
        d_sums = d_states.reshape(starts, -1, units)
        before = states[:, :-1].reshape(starts, -1, units).swapaxes(1, 2)
        d_w_h = before @ d_states[:, 1:].reshape(starts, -1, units)
        d_w_x = inputs.reshape(starts, -1, features).swapaxes(1, 2) @ d_sums
        gradients = [d_w_x, d_w_h, d_sums.sum(axis=1), *gradients]
        if number:
            d_states = (d_sums @ w_x.swapaxes(1, 2)).reshape(inputs.shape)
    return gradients


class _Adam:
    """Adam on arrays that it changes in place."""

    def __init__(self, weights):
        self.weights, self.steps = weights, 0
        self._means = [np.zeros_like(array) for array in weights]
        self._squares = [np.zeros_like(array) for array in weights]

    def apply(self, gradients, learning_rate):
        self.steps += 1
        rate = np.float32(learning_rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps))
        for array, gradient, mean, square in zip(
            self.weights, gradients, self._means, self._squares, strict=True
        ):
            mean += np.float32(0.1) * (gradient - mean)
            square += np.float32(0.001) * (gradient**2 - square)
            array -= rate * mean / (np.sqrt(square) + np.float32(1e-7))
