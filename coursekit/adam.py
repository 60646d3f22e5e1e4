"""Adam for networks that train side by side in one compiled step of TensorFlow."""

from collections.abc import Mapping

import tensorflow as tf


class Adam:
    """Algorithm 1 of Kingma and Ba (2015) for weight arrays (networks, …), which it changes.

    Parameters
    ----------
    weights : each weight array by its name
    decay : of the mean of the squared gradients; that of the mean of the gradients is 0.9
    epsilon : what keeps the division by the root of a mean of squares finite

    Both defaults are those of Keras.
    """

    def __init__(
        self, weights: Mapping[str, tf.Variable], *, decay: float = 0.999, epsilon: float = 1e-7
    ) -> None:
        self._weights, self._decay, self._epsilon = weights, decay, epsilon
        self._means = {name: tf.Variable(tf.zeros_like(w)) for name, w in weights.items()}
        self._squares = {name: tf.Variable(tf.zeros_like(w)) for name, w in weights.items()}

    def apply(
        self, gradients: Mapping[str, tf.Tensor], rate: tf.Tensor | float, step: tf.Tensor
    ) -> None:
        """Take a step, counted from 0, at one rate or at one for each network (networks,)."""
        count = tf.cast(step + 1, tf.float32)
        for name, weight in self._weights.items():
            mean, square, gradient = self._means[name], self._squares[name], gradients[name]
            mean.assign(0.9 * mean + 0.1 * gradient)
            square.assign(self._decay * square + (1 - self._decay) * gradient**2)
            unbiased, size = mean / (1 - 0.9**count), square / (1 - self._decay**count)
            rates = tf.reshape(rate, (-1, *[1] * (len(weight.shape) - 1)))
            weight.assign_sub(rates * (unbiased / (tf.sqrt(size) + self._epsilon)))
