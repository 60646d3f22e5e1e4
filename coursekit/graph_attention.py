"""Graph attention networks with two layers, trained side by side on one small graph.

Every weight array has one more axis, for the runs, so that one compiled step trains all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count as counting

import numpy as np
import tensorflow as tf

from coursekit.adam import Adam

HEADS, UNITS, RATE, DECAY = 8, 8, 0.005, 0.0005
"""Heads of both layers, units of a hidden head, Adam's rate and the L2 penalty.

They are those of Veličković et al. (2018) for the citation graph Cora, where the last layer has one
head. Here it has eight, which are averaged, as in their network for PubMed.
"""


@dataclass(frozen=True)
class Trained:
    """What the networks answer after training, and what they have learned.

    Attributes
    ----------
    probabilities : (runs, nodes), of class 1
    attention : two arrays (runs, HEADS, nodes, nodes), one for each layer
    weights : `w_1` (runs, HEADS, features, UNITS) and `a_1` (runs, HEADS, 2 * UNITS) of the hidden
        layer, whose heads stand side by side and pass through an ELU; `w_2` (runs, HEADS, HEADS *
        UNITS, 2) and `a_2` (runs, HEADS, 4) of the last one, whose heads are averaged
    """

    probabilities: np.ndarray
    attention: tuple[np.ndarray, np.ndarray]
    weights: dict[str, np.ndarray]


def train_networks(
    adjacency: np.ndarray,
    classes: np.ndarray,
    labelled: np.ndarray,
    attends: np.ndarray,
    seeds: Sequence[int],
    *,
    steps: int,
    features: np.ndarray | None = None,
    dropout: float = 0.0,
) -> Trained:
    """Train one network in each run to tell the two classes of nodes apart.

    Parameters
    ----------
    adjacency : booleans (nodes, nodes), or (runs, nodes, nodes) when every run has its own graph
    classes : 0 or 1 for each node, (nodes,) or (runs, nodes)
    labelled : booleans (runs, nodes), the nodes whose classes a network is told
    attends : booleans (runs,). Where False, all scores are 0, so that a node gives equal weights to
        itself and its neighbours
    seeds : one for each run. Runs with the same seed start from the same weights
    steps : updates of the weights, each on all labelled nodes
    features : numbers (runs, nodes, features). Without them a node has no features but its own
        number, as a one-hot vector
    dropout : the share of the inputs of both layers and of the weights of neighbours that is
        dropped in training, each run on its own. The paper has 0.6 for Cora
    """
    runs, nodes = np.shape(labelled)
    x = tf.eye(nodes)[None] if features is None else tf.constant(features, tf.float32)
    shapes = {
        "w_1": (x.shape[-1], UNITS),
        "a_1": (2 * UNITS, 1),
        "w_2": (HEADS * UNITS, 2),
        "a_2": (4, 1),
    }
    weights = {name: tf.Variable(_starts(shape, seeds)) for name, shape in shapes.items()}
    adam = Adam(weights)
    attended = tf.constant(adjacency | np.eye(nodes, dtype=bool))[..., None, :, :]
    factor = tf.constant(attends, tf.float32)[:, None, None, None]
    labelled = tf.constant(labelled, tf.float32)
    targets = tf.one_hot(np.broadcast_to(classes, (runs, nodes)), 2)

    def layer(x, number, drop):
        x = drop(x)
        projected, a = x @ weights[f"w_{number}"], weights[f"a_{number}"]
        own, other = (projected @ half for half in tf.split(a, 2, axis=2))
        scores = factor * tf.nn.leaky_relu(own + tf.linalg.matrix_transpose(other), 0.2)
        alpha = tf.nn.softmax(tf.where(attended, scores, -np.inf))
        return drop(alpha) @ projected, alpha

    def network(drop=tf.identity):
        hidden, first = layer(x[:, None], 1, drop)
        hidden = tf.transpose(tf.nn.elu(hidden), (0, 2, 1, 3))
        heads, second = layer(tf.reshape(hidden, (runs, 1, nodes, HEADS * UNITS)), 2, drop)
        return tf.reduce_mean(heads, axis=1), (first, second)

    def dropping(number):
        places = counting()  # so that no two places draw the same numbers

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
            adam.apply(tape.gradient(loss, weights), RATE, number)

    train()
    logits, attention = network()
    return Trained(
        tf.nn.softmax(logits)[..., 1].numpy(),
        tuple(a.numpy() for a in attention),
        # The attention vectors are columns inside.
        {name: w.numpy()[..., 0] if name[0] == "a" else w.numpy() for name, w in weights.items()},
    )


def trusted_graph(nodes: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Draw a graph whose classes depend on a few of each node's neighbours.

    Every node attends to itself and to nine other nodes, and three of these ten are trusted. Its
    class is what two or three of these three hint at.

    Parameters
    ----------
    nodes : at least 30

    Returns
    -------
    adjacency : booleans (nodes, nodes); row i says to which other nodes node i attends
    features : (nodes, 2), a hint, which is -1 or 1, and a flag, 1 for a trusted node and else 0
    classes : 0 or 1 for each node
    """
    if nodes < 30:
        raise ValueError(f"nodes must be at least 30, got {nodes}")
    hints = rng.choice([-1, 1], size=nodes)
    trusted = np.zeros(nodes, bool)
    trusted[rng.choice(nodes, round(0.35 * nodes), replace=False)] = True
    adjacency = np.zeros((nodes, nodes), bool)
    for i, row in enumerate(adjacency):
        others = np.arange(nodes) != i
        for kind, count in ((trusted, 3 - trusted[i]), (~trusted, 6 + trusted[i])):
            row[rng.choice(np.flatnonzero(kind & others), count, replace=False)] = True
    votes = (adjacency | np.eye(nodes, dtype=bool)) @ (hints * trusted)
    return adjacency, np.stack([hints, trusted], axis=1).astype(float), (votes > 0).astype(int)


def _starts(shape, seeds):
    """Draw the matrices of all heads as Keras's `Dense` does: (runs, HEADS, *shape)."""
    limit = np.sqrt(6 / sum(shape))
    starts = [
        np.random.default_rng([seed, *shape]).uniform(-limit, limit, size=(HEADS, *shape))
        for seed in seeds
    ]
    return np.array(starts, "float32")
