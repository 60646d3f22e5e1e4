"""Adam for networks that train side by side: each as Keras would train it alone."""

import numpy as np
import pytest
from lazily import Lazily

keras = Lazily("keras")
tf = Lazily("tensorflow")
adam = Lazily("coursekit.adam")


@pytest.mark.parametrize("settings", [{}, {"decay": 0.98, "epsilon": 1e-9}])
def test_each_network_moves_as_with_the_adam_of_keras(settings):
    rng = np.random.default_rng(0)
    starts = {"w": rng.normal(size=(2, 3, 4)), "b": rng.normal(size=(2, 4))}
    # Keras adds epsilon before it corrects the mean of the squares, which only tiny gradients show.
    gradients = [
        {
            name: rng.uniform(0.5, 2, w.shape) * rng.choice([-1, 1], w.shape)
            for name, w in starts.items()
        }
        for _ in range(5)
    ]
    rates = [0.01, 0.1]

    weights = {name: tf.Variable(start, dtype="float32") for name, start in starts.items()}
    together = adam.Adam(weights, **settings)
    for step, gradient in enumerate(gradients):
        constants = {name: tf.constant(g, tf.float32) for name, g in gradient.items()}
        together.apply(constants, tf.constant(rates), tf.constant(step))

    names = {"decay": "beta_2", "epsilon": "epsilon"}
    for network, rate in enumerate(rates):
        alone = [keras.Variable(start[network]) for start in starts.values()]
        options = {names[name]: value for name, value in settings.items()}
        optimizer = keras.optimizers.Adam(rate, **options)
        for gradient in gradients:
            ours = [g[network].astype("float32") for g in gradient.values()]
            optimizer.apply(list(map(tf.constant, ours)), alone)
        for name, expected in zip(starts, alone, strict=True):
            np.testing.assert_allclose(weights[name][network], expected, rtol=1e-4, atol=1e-5)


def test_one_rate_may_serve_all_networks():
    weights = {"w": tf.Variable(tf.ones((3, 2)))}
    adam.Adam(weights).apply({"w": 5 * tf.ones((3, 2))}, 0.25, tf.constant(0))
    np.testing.assert_allclose(weights["w"], 0.75, rtol=1e-5)
