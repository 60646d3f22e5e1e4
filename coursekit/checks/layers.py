"""Examples that probe a Keras layer or model: its weights, its masks, its training, its file.

The upper half is what a check calls. The lower half runs where the work lives; a verdict rests on
the numbers that the layer gives before and after, which only a right one does.
"""

import tempfile
from pathlib import Path

import numpy as np

from coursekit.checks.examples import example
from coursekit.checks.plain_data import NotPlainData
from coursekit.checks.stand_in import RemoteObject, remote_helper
from coursekit.checks.trial import attempt

# Keras computes in float32.
TOLERANCE = 1e-4


def compiled_examples(model, x):
    """Compare the loss and the optimizer of a compiled model of one output, x (3, …)."""
    # Errors 0, 1 and 2: every other reduction, and the absolute error, give another number.
    y = np.array([[0.0], [1.0], [2.0]])
    example(model.compute_loss, x, 3 * y, 2 * y)
    example(remote_helper(model, optimizer_name), model)


def require_adam(model, gradient):
    """Require that a compiled model's optimizer moves numbers as Adam does, whatever its settings.

    Adam's first step is as long for every number, however large its part of the gradient; without
    a gradient the next step goes on in the same direction.
    """
    helper = remote_helper(model, moves, "the steps of its optimizer")
    trial = attempt(helper, model, np.array([gradient, np.zeros(len(gradient))]))
    first, next_one = trial.numbers((2, len(gradient))) * -np.sign(gradient)
    alike = all(np.allclose(step, step[0], rtol=0.02) for step in (first, next_one))
    if not (alike and first[0] > next_one[0] > 0):
        trial.fail("these are not the steps of Adam")


def layer_examples(make, args, x, weights, names=None):
    """Let an answer make a layer, compare its weights, then its output with ``weights`` on x.

    ``names`` says whether the names of the weights are asked for.
    """
    layer = example(make, *args).makes
    example(layer, x, shapes_only=True)
    if names:
        example(remote_helper(layer, weight_names), layer)
    set_weights(layer, weights)
    example(layer, x, tolerance=TOLERANCE)
    return layer


def some_mask(rng, *shape):
    """Draw a mask of this shape in whose last axis every row has entries of both kinds."""
    mask = rng.uniform(size=shape) < 0.6
    first = rng.integers(shape[-1], size=(*shape[:-1], 1))
    np.put_along_axis(mask, first, True, axis=-1)
    np.put_along_axis(mask, (first + 1) % shape[-1], False, axis=-1)
    return mask


def set_weights(work, weights):
    """Set the weights of a layer or model whose own have the shapes of the reference's."""
    example(work.get_weights, shapes_only=True)
    attempt(work.set_weights, weights).gives(None)


def training_examples(layer, x, weights, mask=None):
    """Compare what a layer gives on x after a step of gradient descent, in a graph as in `fit`."""
    attempt(layer.set_weights, weights).gives(None)
    inputs = [x] if mask is None else [x, mask]
    step = remote_helper(layer, descend, "one step of training")
    example(step, layer, *inputs, tolerance=TOLERANCE)
    example(layer, x, tolerance=TOLERANCE)
    attempt(layer.set_weights, weights).gives(None)


def saving_examples(make, layer, x, weights, any_length=False):
    """Compare what a layer gives on x after a model that holds it was saved and loaded.

    The layer stands behind a Masking layer, so a step of x that is zero in every feature is masked.
    When x holds ids, whole numbers (batch, time), there is nothing to mask and only the layer. With
    ``any_length`` the model does not know how many steps there are.
    """
    attempt(layer.set_weights, weights).gives(None)
    helper = remote_helper(layer, saved_and_loaded, "saved and loaded")
    time, *rest = x.shape[1:]
    loaded = example(helper, make, layer, [None if any_length else time, *rest]).makes
    # From now on the layer itself no longer gives the numbers that were saved.
    attempt(layer.set_weights, [0 * weight for weight in weights]).gives(None)
    example(loaded, x, tolerance=TOLERANCE)


def configuration_examples(layer_class, layer, x, weights):
    """Require that a layer made of a right one's configuration gives the same on x.

    The configuration comes here and goes back as plain data, so nothing else can be passed on.
    """
    attempt(layer.set_weights, weights).gives(None)
    expected = attempt(layer, x).value
    trial = attempt(layer.get_config)
    if not _is_plain(trial.value):
        trial.fail("the configuration holds more than plain data")
    made = attempt(layer_class.from_config, trial.value).makes
    _ = attempt(made, x).value  # which builds it
    attempt(made.set_weights, weights).gives(None)
    attempt(made, x).gives(expected, TOLERANCE)


def _is_plain(value):
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return not isinstance(value, (RemoteObject, NotPlainData))


# --- what runs where the work lives --------------------------------------------------------------


def optimizer_name(model):
    """Return the class name of a compiled model's optimizer."""
    return type(model.optimizer).__name__


def moves(model, gradients):
    """Let a compiled model's optimizer take a step for each gradient; return how numbers move."""
    import keras

    number = keras.Variable(np.zeros(gradients.shape[1]))
    found = []
    for gradient in gradients:
        before = np.array(number)
        model.optimizer.apply([keras.ops.convert_to_tensor(gradient, "float32")], [number])
        found.append(np.array(number) - before)
    return np.array(found)


def weight_names(layer):
    """List the names of a layer's weights in their order."""
    return [weight.name for weight in layer.weights]


def descend(layer, x, mask=None):
    """Take a step down the gradient of the mean square of layer(x, mask); return the weights.

    The gradient of the sum grows with the size of x. A long step would saturate the softmax of a
    wide layer, and two right answers would then differ by what float32 rounds.
    """
    import tensorflow as tf

    weights = layer.trainable_weights
    variables = [weight.value for weight in weights]

    def gradients(inputs, **given):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(layer(inputs, training=True, **given) ** 2)
        return tape.gradient(loss, variables)

    inputs = tf.constant(x, "int32" if x.dtype.kind in "iu" else "float32")
    given = {} if mask is None else {"mask": tf.constant(mask)}
    found = tf.function(gradients, autograph=False)(inputs, **given)
    for weight, variable, gradient in zip(weights, variables, found, strict=True):
        if gradient is None:
            # Mistakes are told apart by the first line, and a weight may have any name.
            raise ValueError(f"no gradient reaches a weight of the layer:\n{weight.name}")
        variable.assign_sub(tf.convert_to_tensor(gradient))
    return layer.get_weights()


def mask_behind(layer, x):
    """Say what a layer behind a Masking layer passes on to the next one: "a mask" or "no mask"."""
    import keras

    result = layer(keras.layers.Masking()(x))
    return "no mask" if getattr(result, "_keras_mask", None) is None else "a mask"


def copy_by_config(layer_class, *args):
    """Make a layer, and return another that is made from its configuration."""
    return layer_class.from_config(layer_class(*args).get_config())


def reloaded(model, layer_class):
    """Save a model that contains a layer of a student's class, and return what is loaded."""
    import keras

    names = (layer_class.__name__, keras.saving.get_registered_name(layer_class))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.keras"
        model.save(file)
        with keras.saving.custom_object_scope(dict.fromkeys(names, layer_class)):
            return keras.saving.load_model(file)


def saved_and_loaded(layer_class, layer, input_shape):
    """Put a layer behind a Masking layer, save this model, and return what is loaded."""
    import keras

    layer_class.from_config(layer.get_config())  # its error is easier to read than that of loading
    if len(input_shape) == 1:
        model = keras.Sequential([keras.Input(input_shape, dtype="int32"), layer])
    else:
        model = keras.Sequential([keras.Input(input_shape), keras.layers.Masking(), layer])
    return reloaded(model, layer_class)
