"""Many deep Transformer encoders that train side by side, to compare where the norm stands.

Every weight array has one more axis, for the networks, so that a single compiled step trains all of
them: compiling one deep network after another would take longer than the experiment.
"""

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from coursekit.adam import Adam

LETTERS, TIME, BATCH = 10, 8, 32
"""The task: write TIME letters of an alphabet of LETTERS backwards; BATCH examples a step."""

LAYERS, D_MODEL, D_FF, HEADS = 6, 16, 32, 2
"""The size of each network."""


@dataclass(frozen=True)
class Runs:
    """What became of the networks: losses (steps, networks) and accuracies (networks,)."""

    losses: np.ndarray
    accuracies: np.ndarray


def train_stacks(
    pre_norm: np.ndarray,
    rates: np.ndarray,
    warm_up: np.ndarray,
    seeds: np.ndarray,
    *,
    steps: int,
) -> Runs:
    """Train one encoder for each entry of the four arrays (networks,), all at the same time.

    Parameters
    ----------
    pre_norm : whether a network normalises what a sublayer reads, not the sum
    rates : of Adam, with the decay rates 0.9 and 0.98 of Vaswani et al. (2017)
    warm_up : steps over which the rate rises in a straight line; 0 for none. Then it stays
    seeds : of the initial weights; the examples are the same for all networks
    steps : updates of the weights

    Returns
    -------
    Runs
        The cross-entropy of each step, on examples that are used once, and the share of the
        letters that each network gets right afterwards, on 1000 other examples.
    """
    shapes = _shapes(LAYERS, D_MODEL, D_FF)
    starts = [_start(shapes, seed) for seed in seeds]
    weights = {name: tf.Variable(np.stack([start[name] for start in starts])) for name in shapes}
    adam = Adam(weights, decay=0.98, epsilon=1e-9)
    rng = np.random.default_rng(1)
    letters = tf.constant(rng.integers(LETTERS, size=(steps, BATCH, TIME)))
    unseen = tf.constant(rng.integers(LETTERS, size=(1000, TIME)))
    before = tf.constant(pre_norm)[:, None, None, None]
    rates, warm_up = tf.constant(rates, tf.float32), tf.constant(warm_up, tf.float32)

    def logits(ids):
        return _logits(weights, ids, before, LAYERS, HEADS)

    @tf.function(jit_compile=True)
    def train():
        losses = tf.TensorArray(tf.float32, steps)
        for step in tf.range(steps):
            ids = letters[step]
            with tf.GradientTape() as tape:
                wanted = tf.one_hot(tf.reverse(ids, [1]), LETTERS)
                log_p = tf.nn.log_softmax(logits(ids))
                loss = -tf.reduce_mean(tf.reduce_sum(wanted * log_p, axis=-1), axis=(1, 2))
            gradients = tape.gradient(loss, weights)
            count = tf.cast(step + 1, tf.float32)
            rate = rates * tf.minimum(1.0, count / tf.maximum(warm_up, 1.0))
            adam.apply(gradients, rate, step)
            losses = losses.write(step, loss)
        return losses.stack()

    losses = train().numpy()
    right = tf.argmax(logits(unseen), axis=-1) == tf.reverse(unseen, [1])
    return Runs(losses, np.mean(right, axis=(1, 2)))


def _shapes(num_layers, d_model, d_ff):
    """Return the shape of each weight array of one network."""
    shapes = {"tokens": (LETTERS, d_model), "positions": (TIME, d_model)}
    for layer in range(num_layers):
        shapes |= {f"{layer} {name}": (d_model, d_model) for name in ("q", "k", "v", "o")}
        shapes |= {f"{layer} w_1": (d_model, d_ff), f"{layer} b_1": (d_ff,)}
        shapes |= {f"{layer} w_2": (d_ff, d_model), f"{layer} b_2": (d_model,)}
        shapes |= {f"{layer} gamma {norm}": (d_model,) for norm in (1, 2)}
        shapes |= {f"{layer} beta {norm}": (d_model,) for norm in (1, 2)}
    return shapes | {"gamma": (d_model,), "beta": (d_model,), "logits": (d_model, LETTERS)}


def _start(shapes, seed):
    """Draw the initial weights of one network: matrices as Keras's `Dense` does."""
    rng = np.random.default_rng(seed)
    start = {}
    for name, shape in shapes.items():
        if name in ("tokens", "positions"):
            start[name] = rng.normal(size=shape)
        elif len(shape) == 2:
            limit = np.sqrt(6 / sum(shape))
            start[name] = rng.uniform(-limit, limit, size=shape)
        else:
            start[name] = np.full(shape, float("gamma" in name))
    return {name: array.astype("float32") for name, array in start.items()}


def _logits(weights, ids, before, num_layers, num_heads):
    """Return the logits (networks, examples, time, letters) for ids (examples, time)."""

    def times(tokens, name):
        return tf.einsum("nbtd,nde->nbte", tokens, weights[name])

    def norm(tokens, prefix, number=""):
        gamma, beta = (weights[f"{prefix}{word}{number}"] for word in ("gamma", "beta"))
        mean, variance = tf.nn.moments(tokens, axes=[-1], keepdims=True)
        normed = (tokens - mean) * tf.math.rsqrt(variance + 1e-6)
        return gamma[:, None, None] * normed + beta[:, None, None]

    def attention(tokens, layer):
        networks, examples, time, d_model = tokens.shape
        cut = (networks, examples, time, num_heads, d_model // num_heads)
        q, k, v = (tf.reshape(times(tokens, f"{layer} {name}"), cut) for name in "qkv")
        scores = tf.einsum("nbihw,nbjhw->nbhij", q, k) * (num_heads / d_model) ** 0.5
        mixed = tf.einsum("nbhij,nbjhw->nbihw", tf.nn.softmax(scores), v)
        return times(tf.reshape(mixed, tokens.shape), f"{layer} o")

    def feed_forward(tokens, layer):
        b_1, b_2 = (weights[f"{layer} {name}"][:, None, None] for name in ("b_1", "b_2"))
        return times(tf.nn.relu(times(tokens, f"{layer} w_1") + b_1), f"{layer} w_2") + b_2

    x = tf.gather(weights["tokens"], ids, axis=1) + weights["positions"][:, None]
    for layer in range(num_layers):
        for number, sublayer in ((" 1", attention), (" 2", feed_forward)):
            # A network needs one of the two norms; computing both lets all share one step.
            added = x + sublayer(tf.where(before, norm(x, f"{layer} ", number), x), layer)
            x = tf.where(before, added, norm(added, f"{layer} ", number))
    return times(tf.where(before, norm(x, ""), x), "logits")
