"""Recurrent networks in NumPy, many starts side by side: what chapter 1 trains and measures.

The arrays of one network have a leading axis here, with one entry for each run, so that runs that
differ in their seed or learning rate are trained together in a few large products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def initial_weights(
    seeds: Sequence[int], features: int, units: int, outputs: int
) -> list[np.ndarray]:
    """Draw one network's arrays for each seed, as Keras draws those of SimpleRNN and Dense.

    Returns
    -------
    list of numpy.ndarray
        w_x (runs, features, units), w_h (runs, units, units), b_h (runs, 1, units),
        w_y (runs, units, outputs) and b_y (runs, 1, outputs), float32. w_h is orthogonal, w_x and
        w_y are uniform with Glorot and Bengio's (2010) width, the biases are zero.
    """
    drawn = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        w_h = orthogonal(rng, units)
        w_x, w_y = glorot(rng, features, units), glorot(rng, units, outputs)
        drawn.append([w_x, w_h, np.zeros((1, units)), w_y, np.zeros((1, outputs))])
    return [np.array(arrays, np.float32) for arrays in zip(*drawn, strict=True)]


def orthogonal(rng: np.random.Generator, rows: int, columns: int | None = None) -> np.ndarray:
    """Draw a (rows, columns) matrix with orthonormal rows or columns, whichever are fewer."""
    columns = columns or rows
    q, r = np.linalg.qr(rng.normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    return q if rows >= columns else q.T


def glorot(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Draw a (rows, columns) matrix, uniform within ±√(6 / (rows + columns))."""
    width = np.sqrt(6 / (rows + columns))
    return rng.uniform(-width, width, (rows, columns))


def run(x: np.ndarray, weights: list[np.ndarray]) -> np.ndarray:
    """Return the states of every network over the same sequences, the zero state first.

    Parameters
    ----------
    x : numpy.ndarray
        (batch, time, features)
    weights : list of numpy.ndarray
        As `initial_weights` returns them.

    Returns
    -------
    numpy.ndarray
        (runs, time + 1, batch, units)
    """
    w_x, w_h, b_h, _, _ = weights
    runs, _, units = w_h.shape
    batch, time, _ = x.shape
    states = np.zeros((runs, time + 1, batch, units), np.float32)
    states[:, 1:] = (_rows(x.swapaxes(0, 1)) @ w_x + b_h).reshape(runs, time, batch, units)
    for t in range(time):
        states[:, t + 1] += states[:, t] @ w_h
        np.tanh(states[:, t + 1], out=states[:, t + 1])
    return states


def classify(states: np.ndarray, weights: list[np.ndarray]) -> np.ndarray:
    """Return the softmax of what the output layer makes of states (runs, ..., units)."""
    *_, w_y, b_y = weights
    scores = _rows(states, runs=True) @ w_y + b_y
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores.reshape(*states.shape[:-1], -1)


def loss_and_gradients(
    x: np.ndarray, labels: np.ndarray, weights: list[np.ndarray], window: int | None = None
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return every run's mean cross-entropy (runs,) and its gradients, shaped as the weights.

    Parameters
    ----------
    x : numpy.ndarray
        (batch, time, features)
    labels : numpy.ndarray
        (batch, time), the class to predict after each step; −1 where there is nothing to predict.
    window : int, optional
        How many of the last steps the gradient reaches; all of them when it is left out. The
        states are computed over the whole sequence in any case.
    """
    states = run(x, weights)
    w_h, w_y = weights[1].swapaxes(1, 2), weights[3].swapaxes(1, 2)
    runs, _, batch, units = states.shape
    time = x.shape[1]

    # Nothing is asked before this step, so no score is needed there.
    start = int((labels >= 0).any(axis=0).argmax())
    asked = labels.T[start:] >= 0
    entries = (slice(None), *np.nonzero(asked), labels.T[start:][asked])
    d_scores = classify(states[:, start + 1 :], weights)
    loss = -np.log(np.maximum(d_scores[entries], 1e-30)).mean(axis=1)
    d_scores[entries] -= 1
    d_scores *= asked[..., None] / np.float32(asked.sum())

    d_scores = _rows(d_scores, runs=True)
    first = 0 if window is None else max(time - window, 0)
    d_sums = np.zeros((runs, time, batch, units), np.float32)
    d_sums[:, start:] = (d_scores @ w_y).reshape(runs, time - start, batch, units)
    from_later = np.float32(0)
    for t in range(time - 1, first - 1, -1):
        d_sums[:, t] += from_later
        d_sums[:, t] *= 1 - states[:, t + 1] ** 2
        from_later = d_sums[:, t] @ w_h

    d_sums = _rows(d_sums[:, first:], runs=True)
    before = _rows(states[:, first:-1], runs=True).swapaxes(1, 2)
    after = _rows(states[:, start + 1 :], runs=True).swapaxes(1, 2)
    return loss, [
        _rows(x.swapaxes(0, 1)[first:]).T @ d_sums,
        before @ d_sums,
        d_sums.sum(axis=1, keepdims=True),
        after @ d_scores,
        d_scores.sum(axis=1, keepdims=True),
    ]


def _rows(array: np.ndarray, runs: bool = False) -> np.ndarray:
    """Return the vectors of an array as the rows of one float32 matrix, or of one for each run."""
    kept = array.shape[:1] if runs else ()
    rows = int(np.prod(array.shape[len(kept) : -1]))
    return np.asarray(array, np.float32).reshape(*kept, rows, array.shape[-1])


def train(
    x: np.ndarray,
    labels: np.ndarray,
    weights: list[np.ndarray],
    rates: Sequence[float],
    epochs: int,
    window: int | None = None,
    batch: int = 32,
    max_norm: float | None = None,
    after_epoch: Callable[[int], None] | None = None,
    output_rates: Sequence[float] | None = None,
) -> np.ndarray:
    """Train every run by gradient descent on the cross-entropy, in place.

    All runs see the same mini-batches in the same order; they differ in their first weights.

    Parameters
    ----------
    x, labels, weights, window
        As for `loss_and_gradients`; ``weights`` are changed.
    rates : sequence of float
        The learning rate of every run.
    max_norm : float, optional
        The global norm to which longer gradients are shortened, each run by itself.
    after_epoch : callable, optional
        Called with the number of epochs done.
    output_rates : sequence of float, optional
        The learning rate of every run's output layer, where that has one of its own.

    Returns
    -------
    numpy.ndarray
        (epochs, runs), the mean training loss of every epoch.
    """
    rng = np.random.default_rng(0)
    by_array = [rates] * 3 + [rates if output_rates is None else output_rates] * 2
    by_array = [np.array(each, np.float32)[:, None, None] for each in by_array]
    losses = []
    for epoch in range(1, epochs + 1):
        order, by_batch = rng.permutation(len(x)), []
        for some in np.split(order, range(batch, len(x), batch)):
            loss, gradients = loss_and_gradients(x[some], labels[some], weights, window)
            steps = by_array
            if max_norm is not None:
                squares = sum(np.square(g).sum(axis=(1, 2)) for g in gradients)
                norm = np.sqrt(squares)[:, None, None]
                steps = [each * max_norm / np.maximum(norm, max_norm) for each in by_array]
            for array, step, gradient in zip(weights, steps, gradients, strict=True):
                array -= step * gradient
            by_batch.append(loss)
        losses.append(np.mean(by_batch, axis=0))
        if after_epoch:
            after_epoch(epoch)
    return np.array(losses)


def last_step_only(labels: np.ndarray, time: int) -> np.ndarray:
    """Return labels (batch, time) that ask for one class after the last step and nothing before."""
    asked = np.full((len(labels), time), -1)
    asked[:, -1] = labels
    return asked


def fading(
    kind: str,
    *,
    starts: int = 50,
    units: int = 32,
    features: int = 8,
    steps: int = 51,
    bias: float = 0.0,
    separate_blocks: bool = False,
    gain: float = 1.0,
    loudness: float = 1.0,
    activation: str = "tanh",
) -> np.ndarray:
    """Measure how the gradient of the last state fades with the lag, in layers as they start.

    Each start draws its own weights, four sequences of Gaussian noise and a random sign a unit; the
    gradient is that of the signed sum of the last state.

    Parameters
    ----------
    kind : str
        ``"simple_rnn"``, ``"gru"`` (Keras's default cell) or ``"lstm"``.
    bias : float
        First bias of the GRU's update gate or of the LSTM's forget gate; all others are zero.
    separate_blocks : bool
        Whether the recurrent matrix of every gate is orthogonal by itself. Keras makes the matrix
        of all gates side by side orthogonal.
    gain, loudness : float
        Factors of the recurrent weights and of the inputs.
    activation : str
        ``"tanh"``, ``"relu"`` or ``"linear"``, of a ``"simple_rnn"``.

    Returns
    -------
    numpy.ndarray
        (starts, steps), the norm of the gradient with respect to the input of each lag, divided by
        that at lag 0; the median of four sequences.
    """
    sets = {"simple_rnn": 1, "gru": 3, "lstm": 4}[kind]
    drawn = []
    for seed in range(starts):
        rng = np.random.default_rng(seed)
        blocks = [orthogonal(rng, units) for _ in range(sets)]
        joint = orthogonal(rng, units, sets * units)
        drawn.append(
            (
                glorot(rng, features, sets * units),
                gain * (np.hstack(blocks) if separate_blocks else joint),
                loudness * rng.normal(size=(steps, 4, features)),
                rng.choice([-1.0, 1.0], size=(1, units)),
            )
        )
    w, u, x, signs = (np.array(part) for part in zip(*drawn, strict=True))
    cell = {"simple_rnn": _simple_rnn, "gru": _gru, "lstm": _lstm}[kind]
    option = activation if kind == "simple_rnn" else bias

    from_input = x @ w[:, None]
    state, ways_back = np.zeros((2, starts, 4, units)), []
    for t in range(steps):
        state, way_back = cell(from_input[:, t], state, u, option)
        ways_back.append(way_back)
    gradient = np.stack([np.broadcast_to(signs, state[0].shape), 0 * state[1]])
    norms = []
    for way_back in reversed(ways_back):
        d_sums, gradient = way_back(gradient)
        norms.append(np.linalg.norm(d_sums @ w.swapaxes(1, 2), axis=-1))
    norms = np.stack(norms, axis=1)
    return np.median(norms / norms[:, :1], axis=2)


# One step of a cell. ``state`` and its gradient are (2, starts, sequences, units): the hidden state
# and the cell, which only the LSTM has. What comes back with the new state is the way back: from
# the gradient of the new state to that of the sums inside, and to that of the old state.


def _simple_rnn(from_input, state, u, activation):
    total = from_input + state[0] @ u
    h = {"tanh": np.tanh(total), "relu": np.maximum(total, 0), "linear": total}[activation]
    slope = {"tanh": 1 - h**2, "relu": (h > 0) * 1.0, "linear": np.ones_like(h)}[activation]

    def way_back(d_state):
        d_sums = d_state[0] * slope
        return d_sums, np.stack([d_sums @ u.swapaxes(1, 2), d_state[1]])

    return np.stack([h, state[1]]), way_back


def _gru(from_input, state, u, bias):
    h_prev = state[0]
    z_in, r_in, g_in = np.split(from_input, 3, axis=-1)
    z_rec, r_rec, g_rec = np.split(h_prev @ u, 3, axis=-1)
    z, r = _sigmoid(z_in + z_rec + bias), _sigmoid(r_in + r_rec)
    g = np.tanh(g_in + r * g_rec)

    def way_back(d_state):
        d_h = d_state[0]
        d_z = d_h * (h_prev - g) * z * (1 - z)
        d_g = d_h * (1 - z) * (1 - g**2)
        d_r = d_g * g_rec * r * (1 - r)
        back = np.concatenate([d_z, d_r, d_g * r], axis=-1) @ u.swapaxes(1, 2)
        d_sums = np.concatenate([d_z, d_r, d_g], axis=-1)
        return d_sums, np.stack([d_h * z + back, d_state[1]])

    return np.stack([z * h_prev + (1 - z) * g, state[1]]), way_back


def _lstm(from_input, state, u, bias):
    h_prev, c_prev = state
    i, f, g, o = np.split(from_input + h_prev @ u, 4, axis=-1)
    i, f, g, o = _sigmoid(i), _sigmoid(f + bias), np.tanh(g), _sigmoid(o)
    c = f * c_prev + i * g
    shown = np.tanh(c)

    def way_back(d_state):
        d_h, d_c = d_state
        d_c = d_c + d_h * o * (1 - shown**2)
        d_sums = np.concatenate(
            [
                d_c * g * i * (1 - i),
                d_c * c_prev * f * (1 - f),
                d_c * i * (1 - g**2),
                d_h * shown * o * (1 - o),
            ],
            axis=-1,
        )
        return d_sums, np.stack([d_sums @ u.swapaxes(1, 2), d_c * f])

    return np.stack([o * shown, c]), way_back


def _sigmoid(a):
    return (1 + np.tanh(a / 2)) / 2
