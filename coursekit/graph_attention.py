"""Graph attention networks with two layers, trained side by side on one small graph.

Every weight array has one more axis, for the runs, so that one compiled step trains all of them.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np
import tensorflow as tf

HEADS, UNITS, RATE, DECAY = 8, 8, 0.005, 0.0005
"""Heads of both layers, units of a hidden head, Adam's rate and the L2 penalty.

They are those of Veličković et al. (2018) for the citation graph Cora, where the last layer has one
head. Here it has eight, which are averaged, as in their network for PubMed.
"""


@dataclass(frozen=True)
class Trained:
    """What the networks answer after training.

    Attributes
    ----------
    probabilities : (runs, nodes), of class 1
    attention : two arrays (runs, HEADS, nodes, nodes), one for each layer
    """

    probabilities: np.ndarray
    attention: tuple[np.ndarray, np.ndarray]


def train_networks(
    adjacency: np.ndarray,
    classes: np.ndarray,
    labelled: np.ndarray,
    attends: np.ndarray,
    *,
    steps: int,
    dropout: float = 0.0,
) -> Trained:
    """Train one network in each run to tell the two classes of nodes apart.

    A node has no features but its own number, as a one-hot vector.

    Parameters
    ----------
    adjacency : booleans (nodes, nodes)
    classes : 0 or 1 for each node
    labelled : booleans (runs, nodes), the nodes whose classes a network is told
    attends : booleans (runs,). Where False, all scores are 0, so that a node gives equal weights to
        itself and its neighbours
    steps : updates of the weights, each on all labelled nodes
    dropout : the share of the inputs of both layers and of the weights of neighbours that is
        dropped in training, each run on its own. The paper has 0.6 for Cora

    Returns
    -------
    Trained
        Run i starts from the weights of seed i.
    """
    runs, nodes = np.shape(labelled)
    shapes = {
        "w_1": (nodes, UNITS),
        "a_1": (2 * UNITS, 1),
        "w_2": (HEADS * UNITS, 2),
        "a_2": (4, 1),
    }
    weights = {name: tf.Variable(_starts(shape, runs)) for name, shape in shapes.items()}
    moments = {name: [tf.Variable(tf.zeros_like(w)) for _ in "mv"] for name, w in weights.items()}
    attended = tf.constant(adjacency | np.eye(nodes, dtype=bool))
    factor = tf.constant(attends, tf.float32)[:, None, None, None]
    labelled = tf.constant(labelled, tf.float32)
    targets = tf.one_hot(np.tile(classes, (runs, 1)), 2)

    def layer(x, number, drop):
        x = drop(x)
        projected, a = x @ weights[f"w_{number}"], weights[f"a_{number}"]
        own, other = (projected @ half for half in tf.split(a, 2, axis=2))
        scores = factor * tf.nn.leaky_relu(own + tf.linalg.matrix_transpose(other), 0.2)
        alpha = tf.nn.softmax(tf.where(attended, scores, -np.inf))
        return drop(alpha) @ projected, alpha

    def network(drop=tf.identity):
        hidden, first = layer(tf.eye(nodes)[None, None], 1, drop)
        hidden = tf.transpose(tf.nn.elu(hidden), (0, 2, 1, 3))
        heads, second = layer(tf.reshape(hidden, (runs, 1, nodes, HEADS * UNITS)), 2, drop)
        return tf.reduce_mean(heads, axis=1), (first, second)

    def dropping(number):
        places = count()  # so that no two places draw the same numbers

        def drop(x):
            x = tf.broadcast_to(x, (runs, *x.shape[1:]))
            seed = tf.stack([number, next(places)])
            return tf.nn.experimental.stateless_dropout(x, dropout, seed)

        return drop

    @tf.function(jit_compile=True)
    def train():
        for number in tf.range(steps):
            drop = dropping(number) if dropout else tf.identity
            with tf.GradientTape() as tape:
                wrong = tf.nn.softmax_cross_entropy_with_logits(targets, network(drop)[0])
                means = tf.reduce_sum(labelled * wrong, 1) / tf.reduce_sum(labelled, 1)
                penalty = DECAY * sum(tf.nn.l2_loss(w) for w in weights.values())
                loss = tf.reduce_sum(means) + penalty
            gradients = tape.gradient(loss, weights)
            for name, weight in weights.items():
                _adam(weight, *moments[name], gradients[name], tf.cast(number + 1, tf.float32))

    train()
    logits, attention = network()
    return Trained(tf.nn.softmax(logits)[..., 1].numpy(), tuple(a.numpy() for a in attention))


def _starts(shape, runs):
    """Draw the matrices of all heads as Keras's `Dense` does: (runs, HEADS, *shape)."""
    limit = np.sqrt(6 / sum(shape))
    starts = [
        np.random.default_rng([seed, *shape]).uniform(-limit, limit, size=(HEADS, *shape))
        for seed in range(runs)
    ]
    return np.array(starts, "float32")


def _adam(weight, mean, square, gradient, count):
    mean.assign(0.9 * mean + 0.1 * gradient)
    square.assign(0.999 * square + 0.001 * gradient**2)
    move = mean / (1 - 0.9**count) / (tf.sqrt(square / (1 - 0.999**count)) + 1e-7)
    weight.assign_sub(RATE * move)
