"""Visible checks of chapter 3, on the examples that the exercises print."""

import functools

import numpy as np

from coursekit.checks import ByImportPath, CheckFailure, attempt, check, example, remote_helper
from coursekit.checks.comparison import differs
from coursekit.checks.layers import (
    TOLERANCE,
    compiled_examples,
    layer_examples,
    mask_behind,
    saving_examples,
    set_weights,
    training_examples,
)
from coursekit.checks.stand_in import label_of, relabelled, world_of
from coursekit.checks.substitution import names_seen_by, with_substitute

UNSEEDED = (
    "The order changes from call to call, because its generator is not given the seed. Use "
    "np.random.RandomState(seed).permutation."
)
COMPUTED_ANEW = (
    "The function calls itself twice for each number and so computes the same numbers again and "
    "again. For the first hundred of them that would take thousands of years. Use a loop."
)
SOON = 0.5  # seconds; a loop takes less than a thousandth of one
WRONG_NAMES = "The names of the weights are not those that the exercise asks for."
ATTENTION_FAILS = (
    "Your AttentionPooling is at fault. Make the check of its exercise pass first, then come back."
)
MADE_OUTSIDE = (
    "The layer is not made by AttentionPooling() inside the function. Make it there: all networks "
    "would share a layer that is made outside."
)

SERIES = np.array([1.0, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233])
SOFTSIGN = ByImportPath("keras.activations:softsign")
X = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[0.0, 2.0], [1.0, 0.0], [1.0, -1.0]]])
W = np.array([[1.0], [-1.0]])
B = np.array([[0.0], [0.5], [0.0]])
MASK = np.array([[True, False, True], [True, True, False]])
LOUD = np.where(MASK[:, :, None], X, 100 * X)  # a masked step that leaks shall be heard
# The weights of SimpleRNN(2) → AttentionPooling → Dense(1) on steps of two features.
WEIGHTS = [
    np.array([[0.5, -0.3], [0.2, 0.4]]),
    np.array([[0.8, 0.2], [-0.4, 0.6]]),
    np.array([0.1, 0.0]),
    W,
    B,
    np.array([[1.0], [-2.0]]),
    np.array([0.5]),
]


@check
def fibonacci(fibonacci):
    for n in (6, 0, 1):
        example(fibonacci, n)
    # Whoever computes every number anew from all before it would never come back from 100.
    trial = attempt(fibonacci, 33)
    if not trial.reply.error and trial.reply.seconds > SOON * world_of(fibonacci).timeout_factor:
        trial.fail(f"it took {trial.reply.seconds:.1f} seconds", mistake=COMPUTED_ANEW)
    for n in (100, 1474):
        example(fibonacci, n)


@check
def make_supervised(make_supervised):
    try:
        example(make_supervised, SERIES, 3, 0.7)
        example(make_supervised, SERIES, 2, 0.75, seed=4)
        example(make_supervised, SERIES, 2, 0.75, seed=0)
        return
    except CheckFailure as failure:
        failed = failure
    # What is drawn without a seed equals no answer of the bank.
    once, again = (attempt(make_supervised, SERIES, 3, 0.7) for _ in range(2))
    if not once.reply.error and differs(again.reply.value, once.reply.value):
        again.fail("the same call gives a different order than before", "", UNSEEDED)
    raise failed


@check
def count_leaked_targets(count_leaked_targets, split_without_leak):
    example(count_leaked_targets, *leaking_targets(np.arange(21.0), 4, 3))
    train_x, train_y = np.array([[[2.0], [3.0]], [[5.0], [8.0]]]), np.array([5.0, 13.0])
    test_y = np.array([3.0, 21.0, 13.0])
    example(count_leaked_targets, train_x, train_y, test_y)
    # Numbers that differ, by less than what np.isclose allows.
    example(count_leaked_targets, *(1e-9 * numbers for numbers in (train_x, train_y, test_y)))
    # A cut at 14.3, which is rounded down; a share of the windows would give two examples more.
    example(split_without_leak, np.arange(22.0), 5, 0.65)
    example(split_without_leak, SERIES[:9], 2, 0.75)


def leaking_targets(values, examples, steps):
    """Make windows, targets and test targets of which every wrong count is another number."""
    train_x = values[: examples * steps].reshape(examples, steps, 1)
    train_y = values[examples * steps :][:examples].copy()
    first, _, third = train_x[:3, :, 0]
    train_y[0] = third[0]
    inputs = [*first[[0, 0, -1, -1, -1, -1, -1]], third[1]]
    return train_x, train_y, np.array([*values[-4:], *inputs, *train_y[:3]])


@check
def constant_baseline(constant_baseline):
    # Mean, median and middle of the range differ, and some errors are negative.
    train_y = np.array([4.0, -1.0, 5.5, 1.6])
    example(constant_baseline, train_y, np.array([0.5, 4.0, 9.0, 7.0, 3.0, 1.0]))
    example(constant_baseline, np.array([4, -1, 6, 2]), np.array([1, 4, 9]))


@check
def alignment_scores(alignment_scores, attention_weights, attend):
    # Weights that do not sum to 0, and x that a tanh changes.
    w, b = np.array([[0.8], [-0.5]]), np.array([[0.2], [0.5], [-0.3]])
    example(alignment_scores, np.array([[[0.5, -1.0], [1.5, 0.4], [-0.3, 2.0]]]), w, b)
    example(alignment_scores, X[:1], W, B)
    example(attention_weights, np.array([[0.5, 1.0, 3.0], [2.0, 2.0, 2.0]]))
    example(attention_weights, np.array([[1e3, 0.0, -1e3], [-999.0, -1e3, -1e3]]))
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]])
    example(attend, X, weights)
    # Weights that nobody has normalised; then whole numbers, as the card has them.
    example(attend, X, 2 * weights)
    example(attend, X.astype(int), weights)
    example(alignment_scores, X.astype(int), W, B)
    example(attention_weights, np.array([[0, 1, 3], [2, 2, 2]]))


@check
def AttentionPooling(AttentionPooling):
    pooling_examples(AttentionPooling, X, W, B, MASK, LOUD)


def pooling_examples(layer_class, x, w, b, mask, masked_x):
    """Compare an AttentionPooling on x, on ``masked_x``, all masked, after training and loading."""
    layer = layer_with_names(layer_class, (), x, [w, b])
    example(layer, masked_x, mask=mask, tolerance=TOLERANCE)
    # The exponential of a single score may be smaller than 1.
    scores = x @ w + b
    alone = (scores == scores.min(axis=1, keepdims=True))[:, :, 0]
    example(layer, x, mask=alone, tolerance=TOLERANCE)
    all_masked = np.where(np.arange(len(x))[:, None] == 0, False, mask)
    example(layer, x, mask=all_masked, shapes_only=True)
    # Without a mask a step of zeros counts like any other.
    example(layer, x * mask[:, :, None], tolerance=TOLERANCE)
    for given in (None, mask):
        training_examples(layer, x, [w, b], given)
    hands_on_no_mask(layer, x * mask[:, :, None])
    saving_examples(layer_class, layer, x * mask[:, :, None], [w, b])
    named = example(layer_class, name="pool").makes
    example(remote_helper(named, setting, "the configuration's name"), named, "name")
    return layer


def hands_on_no_mask(layer, x):
    """Check that a layer passes no mask on: its result has no steps that one could hide."""
    example(remote_helper(layer, mask_behind, "the mask that the layer passes on"), layer, x)


def layer_with_names(layer_class, args, x, weights):
    """Compare a layer and the names of its weights, of which the bank knows only a few."""
    try:
        return layer_examples(layer_class, args, x, weights, names=True)
    except CheckFailure as failure:
        if failure.mistake or "a str came back" not in failure.headline:
            raise
        parts = failure.headline, failure.detail, WRONG_NAMES, failure.raised, failure.call
        raise CheckFailure(*parts) from None


@check
def BoundedPooling(BoundedPooling):
    # A bound that a tanh exceeds.
    bounded_examples(BoundedPooling, 0.75, X, W, MASK, LOUD)


def bounded_examples(layer_class, bound, x, w, mask, masked_x):
    """Compare a BoundedPooling on x, on other lengths, masked, after training and loading."""
    layer = layer_with_names(layer_class, (bound,), x, [w])
    example(layer, x[:, :-1], tolerance=TOLERANCE)
    example(layer, masked_x, mask=mask, tolerance=TOLERANCE)
    for not_positive in (0.0, -bound):
        because = "a bound that is not positive"
        example(layer_class, not_positive, raises=ValueError, because=because)
    for squash in ("softsign", SOFTSIGN):
        other = example(layer_class, bound, squash, name="pool").makes
        example(other, x, shapes_only=True)
        set_weights(other, [w])
        example(other, x, tolerance=TOLERANCE)
    for key in ("bound", "squash", "name"):
        example(remote_helper(other, setting, f"the configuration's {key}"), other, key)
    default = example(layer_class).makes
    example(remote_helper(default, setting, "the bound without an argument"), default, "bound")
    for given in (None, mask):
        training_examples(layer, x, [w], given)
    hands_on_no_mask(layer, x * mask[:, :, None])
    saving_examples(layer_class, layer, x * mask[:, :, None], [w], any_length=True)
    wide_bound_examples(layer_class)
    return layer


def wide_bound_examples(layer_class):
    """Compare a BoundedPooling with scores so far apart that a masked one may hide the others.

    Their exponentials are still far from 0 and from infinity, whatever is subtracted from them.
    """
    layer = example(layer_class, 30.0).makes
    example(layer, X, shapes_only=True)
    set_weights(layer, [W])
    x = 60 * X
    example(layer, x, tolerance=TOLERANCE)
    # Only the lowest score of a row is not masked.
    scores = (x @ W)[:, :, 0]
    lowest = scores == scores.min(axis=1, keepdims=True)
    example(layer, x, mask=lowest, tolerance=TOLERANCE)


@check
def create_rnn_with_attention(create_rnn_with_attention):
    args = (2, 1, (3, 2), "sigmoid")
    network_examples(create_rnn_with_attention, args, X, WEIGHTS, np.array([[0.5, -0.5]]))


def network_examples(create, args, x, weights, pooled):
    """Compare the network of ``weights``, part by part, whatever its AttentionPooling computes.

    A submission whose AttentionPooling is wrong has paid for that already: here a layer that only
    adds up the steps takes its place. ``pooled`` goes through the Dense layer.
    """
    with_a_bare_layer = attempt(remote_helper(create, with_bare_attention), create).makes
    model = example(relabelled(with_a_bare_layer, label_of(create)), *args).makes
    example(model, x, shapes_only=True)
    trial = attempt(remote_helper(model, has_another_attention, "its AttentionPooling"), model)
    if trial.value:
        trial.fail(
            "the layer was not made by AttentionPooling() in this call", mistake=MADE_OUTSIDE
        )
    for place, given in (("before", x), ("after", pooled)):
        helper = remote_helper(model, layers_around_attention, f"the layers {place} attention")
        part = example(helper, model, place).makes
        example(part, given, shapes_only=True)
        if place == "after":
            set_weights(model, weights)
    example(model, x, tolerance=TOLERANCE)
    # No part of it behaves otherwise in training, and a step of zeros counts like any other.
    example(model, x, training=True, tolerance=TOLERANCE)
    first_is_zero = np.where(np.arange(x.shape[1])[:, None] == 0, 0.0, x)
    example(model, first_is_zero, tolerance=TOLERANCE)
    compiled_examples(model, np.repeat(x[:1], 3, axis=0))
    try:
        _ = attempt(attempt(create, *args).makes, x).value
    except CheckFailure as failure:
        headline = f"{label_of(create)}: with your AttentionPooling the model cannot be called."
        raise CheckFailure(headline, failure.detail, ATTENTION_FAILS) from None
    return model


@check
def attention_map(attention_map):
    # One example at first: with several, many mistakes end in the same error.
    map_examples(attention_map, "plain", WEIGHTS[:5], X[:1])
    map_examples(attention_map, "plain", WEIGHTS[:5], X)
    # Without a Masking layer a step of zeros counts like any other.
    map_examples(attention_map, "deeper", WEIGHTS[:5], X * MASK[:, :, None])
    map_examples(attention_map, "masked", WEIGHTS[:5], X * MASK[:, :, None])
    # The Masking layer decides what is masked: here a step of minus ones is, one of zeros is not.
    map_examples(attention_map, "otherwise masked", WEIGHTS[:5], otherwise_masked(X, MASK))
    map_examples(attention_map, "functional", WEIGHTS[:5], X)
    map_examples(attention_map, "lone", WEIGHTS[:5], X)


def otherwise_masked(x, mask):
    """Return x with minus ones at the steps that a mask hides and zeros at the first one."""
    x = np.where(mask[:, :, None], x, -1.0)
    x[:, 0] = 0.0
    return x


def map_examples(attention_map, kind, weights, x):
    """Compare an answer's map of an `attention_model` on x."""
    article = "an" if kind[0] in "aeiou" else "a"
    label = f"attention_map of {article} {kind} model"
    helper = remote_helper(attention_map, map_of_model, label)
    example(helper, attention_map, kind, weights, x, tolerance=TOLERANCE)


# --- what runs where the work lives -------------------------------------------------------------


def setting(layer, key):
    """Return what a layer's configuration holds under a key."""
    try:
        return layer.get_config()[key]
    except NotImplementedError as error:  # so Keras says that it cannot record a setting by itself
        if not str(error):
            raise
        raise TypeError(str(error)) from error


def with_bare_attention(function):
    """Return a function like this one, but for the AttentionPooling that it sees."""
    return with_substitute(function, "AttentionPooling", bare_attention())


def has_another_attention(model):
    """Say whether a model has an AttentionPooling that was not made by that name in the call."""
    layers = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    return any(type(layer) is not bare_attention() for layer in layers)


def layers_around_attention(model, place):
    """Return the layers "before" or "after" a model's AttentionPooling as one function."""
    layers = [layer for layer in model.layers if type(layer).__name__ != "InputLayer"]
    names = [type(layer).__name__ for layer in layers]
    if "AttentionPooling" not in names:
        raise LookupError("there is no AttentionPooling layer in the model")
    position = names.index("AttentionPooling")
    # What is joined by keras.ops is not a layer, but an operation of the network all the same.
    operations = [type(each).__name__ for each in getattr(model, "operations", layers)]
    if "Concatenate" in operations[operations.index("AttentionPooling") :]:
        raise LookupError("the context is joined with something else before the Dense layer")
    part = layers[:position] if place == "before" else layers[position + 1 :]

    def first_result_of(layer, given):
        result = layer(given)
        # A recurrent layer may return its last state as well, which nobody has to use.
        return result[0] if isinstance(result, (list, tuple)) else result

    return lambda values: functools.reduce(lambda x, layer: first_result_of(layer, x), part, values)


def map_of_model(attention_map, kind, weights, x):
    """Return an answer's map of an `attention_model` whose AttentionPooling only owns weights.

    An answer that uses more of the submission's own layer gets a model with that layer.
    """
    try:
        return map_of(attention_map, attention_model(bare_attention(), kind, weights), x)
    except Exception:  # whatever the answer missed in the bare layer
        own = names_seen_by(attention_map, "AttentionPooling").get("AttentionPooling")
        if own is None:
            raise
        return map_of(attention_map, attention_model(own, kind, weights), x)


def map_of(attention_map, model, x):
    """Return an answer's map of a model, which must be the same afterwards."""
    layers, weights = list(model.layers), model.get_weights()
    found = attention_map(model, x)
    after = model.get_weights()
    if model.layers != layers or not all(map(np.array_equal, weights, after)):
        raise ValueError("attention_map has changed the model that it was given")
    return found


def attention_model(layer_class, kind, weights):
    """Make a model with an AttentionPooling of this class.

    A "functional" model is not Sequential. A "masked" model begins with a Masking layer, an
    "otherwise masked" one with one that looks for minus ones, and a "deeper" model has more layers
    behind the SimpleRNN and at the end. A "lone" model is nothing but an AttentionPooling.
    """
    import keras

    w_x, w_h, _, w, b = weights
    recurrent = keras.layers.SimpleRNN(len(w_h), return_sequences=True)
    attention = layer_class()
    attention.name = "pooling"  # its own name differs from model to model, so no answer may use it
    layers = [recurrent, attention, keras.layers.Dense(1)]
    if kind == "lone":
        layers = [attention]
    if kind == "masked":
        layers.insert(0, keras.layers.Masking())
    if kind == "otherwise masked":
        layers.insert(0, keras.layers.Masking(mask_value=-1.0))
    if kind == "deeper":
        layers[1:1] = [keras.layers.Activation("tanh"), keras.layers.Dropout(0.5, seed=1)]
        layers.append(keras.layers.Activation("tanh"))
    features = len(w) if kind == "lone" else len(w_x)
    model = keras.Sequential([keras.Input((len(b), features)), *layers])
    if kind != "lone":
        recurrent.set_weights(weights[:3])
    attention.set_weights(weights[3:])
    if kind == "functional":  # its first layer is an InputLayer
        return keras.Model(model.inputs, model.outputs)
    return model


@functools.cache
def bare_attention():
    """Return a layer class with an AttentionPooling's weights, which only adds up the steps."""
    import keras

    class AttentionPooling(keras.layers.Layer):
        def build(self, input_shape):
            self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
            self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

        def call(self, inputs, mask=None):
            return keras.ops.sum(inputs, axis=1) if len(inputs.shape) == 3 else inputs

        def compute_mask(self, inputs, mask=None):
            return None

    return AttentionPooling
