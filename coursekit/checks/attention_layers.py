"""Examples that probe an attention layer, called on a decoder state and the states of the source.

The upper half is what a check calls, the lower half runs where the work lives, as in
`coursekit.checks.layers`.
"""

import numpy as np

from coursekit.checks.examples import example
from coursekit.checks.layers import TOLERANCE, reloaded
from coursekit.checks.stand_in import remote_helper
from coursekit.checks.trial import attempt

UNITS_ALIKE = (
    "All units start with equal weights, so training cannot tell them apart. Keep Keras's default "
    "initializer."
)
COLUMNS_ALIKE = (
    "The columns of a new weight matrix are all equal. Keep Keras's default initializer, which "
    "draws random numbers."
)
NOT_DRAWN = (
    "All numbers of a new weight matrix are equal. Keep Keras's default initializer, which draws "
    "random numbers."
)


def attention_layer_examples(make, args, s, h, mask, weights):
    """Let an answer make a layer, and compare its weights, outputs, gradients and saved copy.

    ``layer(s, h, mask=mask)`` gives a context (batch, n) and weights (batch, time); s is
    (batch, m), h (batch, time, n), and the boolean mask (batch, time) leaves every row a state.
    """
    layer = example(make, *args).makes
    example(layer, s, h, shapes_only=True)
    trial = example(layer.get_weights, shapes_only=True)
    if units_are_alike(trial.value):
        trial.fail("the weights of a new layer are the same for every unit", mistake=UNITS_ALIKE)
    for weight in map(np.asarray, trial.value):
        if weight.ndim == 2 and min(weight.shape) > 1 and (weight == weight[0, 0]).all():
            trial.fail("the weights of a new layer are all equal", mistake=NOT_DRAWN)
    attempt(layer.set_weights, weights).gives(None)
    example(layer, s, h, tolerance=TOLERANCE)
    example(layer, s, h[:, :-1], tolerance=TOLERANCE)
    # Without a mask a state of zeros counts like any other.
    example(layer, s, h * mask[:, :, None], tolerance=TOLERANCE)
    example(layer, s, h, mask=mask, tolerance=TOLERANCE)
    # A masked state with a score in the hundreds must not be heard.
    example(layer, s, np.where(mask[:, :, None], h, 100 * h), mask=mask, tolerance=TOLERANCE)
    helper = remote_helper(layer, gradients, "the gradients of the layer")
    for given in (None, mask):
        example(helper, layer, s, h, given, tolerance=TOLERANCE)
    helper = remote_helper(layer, saved_and_loaded, "saved and loaded")
    loaded = example(helper, make, layer, s.shape[1], h.shape[2]).makes
    # From now on the layer itself no longer gives the numbers that were saved.
    attempt(layer.set_weights, [0 * weight for weight in weights]).gives(None)
    example(loaded, [s, h, mask], tolerance=TOLERANCE)
    return layer


def units_are_alike(weights):
    """Say whether the units of a score have equal weights, so that their gradients are equal.

    The last of ``weights`` is v, (units,) or (units, 1); the columns of the others belong to the
    units. A score without v has no units.
    """
    *inner, v = [np.asarray(weight) for weight in weights] or [np.zeros(0)]
    if not inner or v.size == 1:
        return False
    return bool((v == v[0]).all() and all((w == w[:, :1]).all() for w in inner))


# --- what runs where the work lives --------------------------------------------------------------


def gradients(layer, s, h, mask):
    """Return the gradients of the sum of squares of the context, in a graph as in `fit`.

    The order is that of the trainable weights, then s and h.
    """
    import tensorflow as tf

    variables = [weight.value for weight in layer.trainable_weights]
    states = [tf.constant(states, "float32") for states in (s, h)]

    def of_context(*states):
        with tf.GradientTape() as tape:
            tape.watch(states)
            context, _ = layer(*states, mask=mask, training=True)
            loss = tf.reduce_sum(context**2)
        return tape.gradient(loss, [*variables, *states])

    found = tf.function(of_context, autograph=False)(*states)
    if any(gradient is None for gradient in found):
        raise ValueError("no gradient reaches a weight or an input of the layer")
    return [gradient.numpy() for gradient in found]


def saved_and_loaded(layer_class, layer, state_width, source_width):
    """Put a layer into a model of s, h and a mask, save this model, and return what is loaded."""
    import keras

    layer_class.from_config(layer.get_config())  # its error is easier to read than that of loading
    inputs = [
        keras.Input((state_width,)),
        keras.Input((None, source_width)),
        keras.Input((None,), dtype="bool"),
    ]
    s, h, mask = inputs
    model = keras.Model(inputs, list(layer(s, h, mask=mask)))
    return reloaded(model, layer_class)
