"""Small language models of one block each, trained side by side, that differ in their positions.

All the models are one computation with an axis for the models in front, so 25 of them take little
longer than a few. No number of one model enters another one.
"""

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

POSITIONS = ("none", "learned", "sinusoidal", "rotary", "ALiBi")
HEADS, WIDTH, HIDDEN = 4, 32, 96
LONGEST = 512  # rows of the table of learned positions
AT_ONCE = 4  # rows whose losses are computed at once


class LanguageModels:
    """Language models over ``num_tokens`` tokens, one for every kind of position and seed.

    A model is a causal Transformer with one pre-norm block: ``WIDTH`` numbers a token, ``HEADS``
    heads, ``HIDDEN`` units in the feed-forward network. Word vectors are drawn with a variance of
    1/2, which is that of the sines and cosines; learned positions are drawn like words. So all the
    models begin with words and positions of one scale.

    Parameters
    ----------
    kinds
        Which of `POSITIONS`.
    seeds
        Each seed makes one model of every kind. Equal seeds start from equal weights.
    """

    def __init__(self, num_tokens: int, kinds: Sequence[str], seeds: Sequence[int]) -> None:
        for kind in kinds:
            if kind not in POSITIONS:
                raise ValueError(f"kinds must be some of {', '.join(POSITIONS)}, got {kind!r}")
        self.kinds = [kind for kind in kinds for _ in seeds]
        starts = [_start(num_tokens, seed) for _ in kinds for seed in seeds]
        self.weights = {
            name: tf.Variable(np.stack([start[name] for start in starts])) for name in starts[0]
        }
        self._is = {
            kind: np.reshape([float(each == kind) for each in self.kinds], (-1, 1, 1, 1))
            for kind in POSITIONS
        }

    def train(self, windows: np.ndarray, steps: int, rate: float, batch: int) -> None:
        """Train all models on the same random rows of ``windows`` (rows, time + 1) by Adam."""
        schedule = keras.optimizers.schedules.CosineDecay(rate, steps)
        optimizer = keras.optimizers.Adam(schedule, beta_2=0.98)
        variables = list(self.weights.values())
        optimizer.build(variables)

        @tf.function
        def step(rows):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.reduce_mean(self._losses(rows), axis=(1, 2)))
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

        rng = np.random.default_rng(0)
        for _ in range(steps):
            step(tf.constant(windows[rng.integers(len(windows), size=batch)]))

    def losses(self, rows: np.ndarray, window: int | None = None) -> np.ndarray:
        """Return the cross-entropies (models, rows, time) of each next token of rows, in nats.

        With a window, a token attends only to itself and to the ``window - 1`` tokens before it.
        """
        compute = tf.function(lambda part: self._losses(part, window))
        parts = [compute(tf.constant(rows[i : i + AT_ONCE])) for i in range(0, len(rows), AT_ONCE)]
        return np.concatenate(parts, axis=1)

    def _losses(self, rows, window=None):
        logits = self._logits(rows[:, :-1][None], window)
        targets = tf.broadcast_to(rows[:, 1:], tf.shape(logits)[:3])
        return tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)

    def _logits(self, ids, window):
        """Return logits (models, batch, time, tokens) for ids (1, batch, time)."""
        w = self.weights
        time = tf.shape(ids)[2]
        position = tf.range(time)
        ids = tf.broadcast_to(ids, (len(self.kinds), tf.shape(ids)[1], time))
        x = tf.gather(w["words"], ids, batch_dims=1)
        angles = tf.cast(position, tf.float32)[:, None] * tf.constant(_rates(WIDTH))
        waves = tf.reshape(tf.stack([tf.sin(angles), tf.cos(angles)], axis=-1), (time, WIDTH))
        x += self._is["sinusoidal"].astype("float32") * waves
        x += self._is["learned"].astype("float32") * w["positions"][:, None, :time]
        x += self._attention(_norm(x), position, window)
        hidden = tf.nn.relu(tf.einsum("mbtd,mdf->mbtf", _norm(x), w["hidden"]))
        x += tf.einsum("mbtf,mfd->mbtd", hidden, w["back"])
        return tf.einsum("mbtd,mdv->mbtv", _norm(x), w["out"])

    def _attention(self, x, position, window):
        w = self.weights
        q, k, v = (tf.einsum("mbtd,mdhe->mbhte", x, w[name]) for name in ("q", "k", "v"))
        angles = tf.cast(position, tf.float32)[:, None] * tf.constant(_rates(WIDTH // HEADS))
        # An angle of 0 turns nothing.
        angles = self._is["rotary"].astype("float32")[..., None] * angles
        q, k = _turned(q, angles), _turned(k, angles)
        scores = tf.einsum("mbhqe,mbhke->mbhqk", q, k) / np.sqrt(WIDTH // HEADS)
        distance = tf.cast(position[:, None] - position, tf.float32)
        visible = distance >= 0
        if window is not None:
            visible &= distance < window
        slopes = 2.0 ** (-8 * np.arange(1, HEADS + 1, dtype="float32") / HEADS)
        bias = -slopes[:, None, None] * tf.maximum(distance, 0)
        scores += self._is["ALiBi"].astype("float32")[..., None] * bias
        weights = tf.nn.softmax(tf.where(visible, scores, -1e9))
        attended = tf.einsum("mbhqk,mbhke->mbqhe", weights, v)
        return tf.einsum("mbqhe,mhed->mbqd", attended, w["o"])


def _start(num_tokens, seed):
    rng = np.random.default_rng(seed)
    width = WIDTH // HEADS

    def drawn(*shape, variance):
        return rng.normal(0, variance**0.5, size=shape).astype("float32")

    weights = {name: drawn(WIDTH, HEADS, width, variance=1 / WIDTH) for name in "qkv"}
    return weights | {
        "o": drawn(HEADS, width, WIDTH, variance=1 / WIDTH),
        "hidden": drawn(WIDTH, HIDDEN, variance=2 / WIDTH),
        "back": drawn(HIDDEN, WIDTH, variance=1 / HIDDEN),
        "words": drawn(num_tokens, WIDTH, variance=0.5),
        "positions": drawn(LONGEST, WIDTH, variance=0.5),
        "out": drawn(WIDTH, num_tokens, variance=1 / WIDTH),
    }


def _rates(width):
    return (10000.0 ** (-np.arange(0, width, 2) / width)).astype("float32")


def _turned(x, angles):
    cos, sin = tf.cos(angles), tf.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    return tf.reshape(tf.stack([a * cos - b * sin, a * sin + b * cos], axis=-1), tf.shape(x))


def _norm(x):
    mean, variance = tf.nn.moments(x, axes=-1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)
