"""Associative recall: pairs of a key and a value are shown, and the value of a key is asked for."""

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

KEYS, VALUES = 64, 16


def draw(rng: np.random.Generator, batch: int, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw sequences of pairs with different keys → ids of keys and values, (batch, pairs) each."""
    if not 1 <= pairs <= KEYS:
        raise ValueError(f"pairs must lie between 1 and {KEYS}, got {pairs}")
    keys = rng.permuted(np.tile(np.arange(KEYS), (batch, 1)), axis=1)[:, :pairs]
    return keys, rng.integers(VALUES, size=(batch, pairs))


class Recall:
    """Networks of one head each that look values up, one for every seed, trained side by side.

    A pair is one token: its key has a vector of ``width`` numbers for each key id, its value
    a vector of 16. The query is another vector of ``width`` numbers for each key id. What
    attention gives is multiplied by a matrix; a softmax over the values follows. All of
    these are trained.

    Parameters
    ----------
    attention
        "softmax" or "linear", with φ(x) = elu(x) + 1.
    width
        Of queries and keys. The state of linear attention has 17 · width numbers.
    """

    def __init__(self, attention: str, width: int, seeds: Sequence[int]) -> None:
        if attention not in ("softmax", "linear"):
            raise ValueError(f'attention must be "softmax" or "linear", got {attention!r}')
        self._linear = attention == "linear"
        self._width = width
        shapes = {"q": (KEYS, width), "k": (KEYS, width), "v": (VALUES, 16), "out": (16, VALUES)}
        starts = [np.random.default_rng(seed) for seed in seeds]
        self._weights = {
            name: tf.Variable(
                np.stack([rng.normal(size=shape) for rng in starts]).astype("float32")
            )
            for name, shape in shapes.items()
        }

    def train(self, pairs: Sequence[int], steps: int, rate: float, batch: int = 32) -> None:
        """Take steps of Adam; each of them draws one of the numbers of ``pairs``."""
        schedule = keras.optimizers.schedules.CosineDecay(rate, steps)
        optimizer = keras.optimizers.Adam(schedule)
        variables = list(self._weights.values())
        optimizer.build(variables)

        @tf.function(reduce_retracing=True)
        def step(keys, values):
            with tf.GradientTape() as tape:
                logits = self._logits(keys, values)
                targets = tf.broadcast_to(values, tf.shape(logits)[:3])
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
                loss = tf.reduce_sum(tf.reduce_mean(losses, axis=(1, 2)))
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

        rng = np.random.default_rng(0)
        for _ in range(steps):
            step(*map(tf.constant, draw(rng, batch, int(rng.choice(pairs)))))

    def accuracy(self, pairs: int, seed: int = 1) -> np.ndarray:
        """Ask for all keys of 200 new sequences → the share of values found (starts,)."""
        keys, values = draw(np.random.default_rng([seed, pairs]), 200, pairs)
        found = np.argmax(self._logits(tf.constant(keys), tf.constant(values)), axis=-1)
        return np.mean(found == values, axis=(1, 2))

    def _logits(self, keys, values):
        """Ask for every key of each sequence → (seeds, batch, pairs, values)."""
        w = self._weights
        q, k, v = (tf.gather(w[n], i, axis=1) for n, i in (("q", keys), ("k", keys), ("v", values)))
        if self._linear:
            # The sums are the state that a recurrent network carries; it does not grow with pairs.
            q, k = tf.nn.elu(q) + 1, tf.nn.elu(k) + 1
            state = tf.einsum("mbpd,mbpv->mbdv", k, v)
            total = tf.einsum("mbpd,mbd->mbp", q, tf.reduce_sum(k, axis=2))
            read = tf.einsum("mbpd,mbdv->mbpv", q, state) / total[..., None]
        else:
            scores = tf.einsum("mbpd,mbrd->mbpr", q, k) / self._width**0.5
            read = tf.einsum("mbpr,mbrv->mbpv", tf.nn.softmax(scores), v)
        return tf.einsum("mbpv,mvo->mbpo", read, w["out"])
