"""Visible checks of chapter 3, on the examples that the exercises print, and its known mistakes."""

import contextlib
import functools
import importlib
import inspect
import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from coursekit.checks import CheckFailure, attempt, check, differs, type_name
from coursekit.checks.ch02_simple_rnn import LOSS as LOSS
from coursekit.checks.ch02_simple_rnn import NOT_ADAM as NOT_ADAM
from coursekit.checks.ch02_simple_rnn import SUMMED as SUMMED
from coursekit.checks.ch02_simple_rnn import compiled_for_mse_and_adam
from coursekit.checks.exchange import StandIn

STARTS_1_1 = "the numbers start with 1, 1; ours start with 1, 2"
STARTS_0_1 = "the numbers start with 0, 1; ours start with 1, 2"
SHORT = "n = 0 must give an empty array and n = 1 a single number"
INTEGERS = "the numbers are integers, which overflow after about 90; ask for floats"
NOT_SHUFFLED = "the examples are not shuffled"
SPLIT_FIRST = "the examples are split before they are shuffled, shuffle all of them, then split"
ONLY_TRAIN_SHUFFLED = (
    "only the training part is shuffled, after a split in order; shuffle all examples, then split"
)
OTHER_GENERATOR = "the permutation is from another generator than np.random.RandomState(seed)"
SEED_IGNORED = "seed is ignored"
INVERSE = "the permutation is used backwards, position i holds example order[i]"
TARGETS_LEFT = "the windows are shuffled, but the targets are not"
ROUNDED = "the cut is rounded, int(examples * train_fraction) cuts the fraction off"
LAST_WINDOW = "the last window is missing, it ends one value before the end of the series"
NO_FEATURE_AXIS = "the feature axis is missing, x must have shape (examples, time_steps, 1)"
NO_TANH = "tanh is missing in the scores"
NO_BIAS = "the bias is left out of the scores"
BIAS_ACROSS = "the bias meets scores without their last axis, so it is added across examples"
KEPT_AXIS = "an axis of length 1 is still there"
OVER_BATCH = "the softmax runs over the batch, the weights of ONE example must sum to 1 over time"
OVER_ALL = "the softmax runs over all numbers together, it is one softmax for every example"
NO_EXP = "the scores are divided by their sum without exp"
OVERFLOW = "exp overflows or underflows, subtract the maximum of each row of scores first"
MEAN = "this is the plain mean over time, the weights have no say"
SUM = "this is the plain sum over time, as if every weight were 1"
WEIGHTED_MEAN = "the weighted sum is divided by the number of steps, the weights sum to 1 already"
NOT_SUMMED = "the steps are weighted but not added up, the time axis must go"
LAST_AXIS = (
    "every weight is 1, as if the softmax ran over a last axis of length 1 and not over time"
)
WRONG_NAMES = 'the weights must be named "attention_weight" and "attention_bias"'
ORDER = "the bias is made before the weight, attention_weight comes first"
BIAS_SHARED = "the bias is one number for all steps, it must have shape (time, 1)"
MASK_IGNORED = "the mask is ignored"
MASK_INVERTED = "the mask is read the wrong way round, True marks a real step"
MASK_AFTER = "the mask is applied after the softmax, the weights of the real steps must sum to 1"
SCORE_ZEROED = "a masked score is set to 0, which still has a weight; masked weights must be 0"
INPUTS_ZEROED = "the masked inputs are set to 0, but their steps still take part in the softmax"
ALL_MASKED = "an example whose steps are all masked must give finite numbers"
NOT_TRAINABLE = "no gradient reaches the weights inside a model, compute with keras.ops, not NumPy"
FROZEN = "a weight is made with trainable=False, so it keeps its first value for ever"
HELD_BACK = "a gradient is not that of the formulas, no part of them may be held from it"
NOT_RESTORED = (
    "the layer does not survive saving and loading, see to its get_config and whether its __init__ "
    "takes **kwargs"
)
ATTENTION_FAILS = (
    "your AttentionPooling (exercise 4) is at fault, make its check pass first, then come back"
)
NO_ATTENTION = "there is no AttentionPooling layer in the model"
NO_SEQUENCES = (
    "the SimpleRNN hands on its last state alone, AttentionPooling needs them all: return_sequences"
)
DENSE_ONLY = "the activation is left out of the SimpleRNN, both layers use it"
RNN_ONLY = "the activation is left out of the Dense layer, both layers use it"
FROM_INPUTS = "x itself is weighed, the layer weighs the states that arrive at it"
SCORES = "these are the scores, their softmax is missing"
MAP_UNMASKED = "the mask is missing in the map, masked steps must be 0"
OTHER_LAYER = "the layer is taken by its place or its own name, find it by the name of its class"
NOT_ITS_INPUT = "these are weights of the SimpleRNN's states, weigh what arrives at the layer"
BEHIND_MASKING = "behind a Masking layer, layer.input is a list: the states and their mask"
FITTED_ON_TEST = "the constant is fitted on test_y, it may know train_y alone"
MEDIAN = "this is the median, which makes the mean absolute error small"
ROOT = "this is the root of the mean squared error"
TRAIN_ERROR = "the error is measured on train_y"

NO_NETWORK = "create_rnn_with_attention: AttentionPooling leaves no network that can be called."

X = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[0.0, 2.0], [1.0, 0.0], [1.0, -1.0]]])
W = np.array([[1.0], [-1.0]])
B = np.array([[0.0], [0.5], [0.0]])
POOLED = [[0.83297739, 0.43215953], [0.93035763, -0.33958484]]
MASK = np.array([[True, False, True], [True, True, False]])
POOLED_MASKED = [[1.0, 0.31830026], [0.86636289, 0.26727423]]
# Of the sum of the squares of what is pooled from X, with respect to W and B.
GRADIENTS = [
    np.array([[0.19249742], [0.03385903]]),
    np.array([[-0.03905611], [-0.12605731], [0.22346209]]),
]
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
    attempt(fibonacci, 5).gives(
        [1.0, 2.0, 3.0, 5.0, 8.0],
        {STARTS_1_1: [1.0, 1.0, 2.0, 3.0, 5.0], STARTS_0_1: [0.0, 1.0, 1.0, 2.0, 3.0]},
    )
    for n in (0, 1):
        with naming(SHORT):
            attempt(fibonacci, n).gives(np.ones(n))
    are_floats(attempt(fibonacci, 100))


def are_floats(trial):
    """Require numbers that have not overflowed."""
    with naming(INTEGERS):
        numbers = trial.numbers((100,))
        if (numbers <= 0).any():
            trial.fail("a number is negative")


@check
def make_supervised(make_supervised):
    series = np.array([1.0, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233])

    def examples(steps, cut, x_order, y_order=None):
        windows = np.lib.stride_tricks.sliding_window_view(series, steps + 1)
        x = windows[x_order, :steps, None]
        y = windows[x_order if y_order is None else y_order, steps]
        return x[:cut], y[:cut], x[cut:], y[cut:]

    order = [4, 3, 1, 5, 6, 7, 8, 0, 2]
    x, y, test_x, test_y = expected = examples(3, 6, order)
    attempt(make_supervised, series, 3, 0.7).gives(
        expected,
        {
            NOT_SHUFFLED: examples(3, 6, range(9)),
            SPLIT_FIRST: examples(3, 6, [1, 3, 4, 5, 0, 2, 7, 6, 8]),
            ONLY_TRAIN_SHUFFLED: examples(3, 6, [1, 3, 4, 5, 0, 2, 6, 7, 8]),
            OTHER_GENERATOR: examples(3, 6, [6, 1, 5, 0, 4, 7, 2, 8, 3]),
            INVERSE: examples(3, 6, [7, 2, 8, 1, 0, 3, 4, 5, 6]),
            TARGETS_LEFT: examples(3, 6, order, range(9)),
            LAST_WINDOW: examples(3, 5, [1, 4, 3, 5, 6, 7, 0, 2]),
            NO_FEATURE_AXIS: (x[:, :, 0], y, test_x[:, :, 0], test_y),
        },
    )
    order = [3, 8, 4, 9, 2, 6, 0, 1, 5, 7]
    attempt(make_supervised, series, 2, 0.75, seed=4).gives(
        examples(2, 7, order),
        {
            ROUNDED: examples(2, 8, order),
            SEED_IGNORED: examples(2, 7, [3, 5, 6, 1, 4, 7, 8, 9, 0, 2]),
        },
    )


@check
def alignment_scores(alignment_scores, attention_weights, attend):
    scores = np.array([[0.76159416, -0.46211716, 0.0]])
    attempt(alignment_scores, X[:1], W, B).gives(
        scores,
        {
            NO_TANH: [[1.0, -0.5, 0.0]],
            NO_BIAS: [[0.76159416, -0.76159416, 0.0]],
            BIAS_ACROSS: [
                [0.76159416, -0.76159416, 0.0],
                [0.90514825, -0.46211716, 0.46211716],
                [0.76159416, -0.76159416, 0.0],
            ],
            KEPT_AXIS: scores[:, :, None],
        },
    )
    attempt(attention_weights, np.array([[0.0, 1.0, 2.0], [2.0, 2.0, 2.0]])).gives(
        [[0.09003057, 0.24472847, 0.66524096], [1 / 3, 1 / 3, 1 / 3]],
        {
            OVER_BATCH: [[0.11920292, 0.26894142, 0.5], [0.88079708, 0.73105858, 0.5]],
            OVER_ALL: [[0.03005304, 0.08169263, 0.22206358], [0.22206358] * 3],
            NO_EXP: [[0.0, 1 / 3, 2 / 3], [1 / 3] * 3],
        },
    )
    large = attempt(attention_weights, np.array([[1e3, 0.0, -1e3], [-999.0, -1e3, -1e3]]))
    is_finite(large, OVERFLOW)
    large.gives([[1.0, 0.0, 0.0], [0.57611688, 0.21194156, 0.21194156]])
    attempt(attend, X[:1], np.array([[0.5, 0.3, 0.2]])).gives(
        [[0.7, 0.5]],
        {
            MEAN: [[2 / 3, 2 / 3]],
            SUM: [[2.0, 2.0]],
            WEIGHTED_MEAN: [[0.7 / 3, 0.5 / 3]],
            NOT_SUMMED: [[[0.5, 0.0], [0.0, 0.3], [0.2, 0.2]]],
            KEPT_AXIS: [[[0.7, 0.5]]],
        },
    )


@check
def AttentionPooling(AttentionPooling):
    layer = built_layer(AttentionPooling, X, W, B)
    attempt(layer, X).gives(
        POOLED,
        {
            NO_TANH: [[0.85975562, 0.37146828], [0.98872777, -0.59289837]],
            NO_BIAS: [[0.87060902, 0.40650606], [0.92588275, -0.36140492]],
            LAST_AXIS: [[2.0, 2.0], [2.0, 1.0]],
            OVER_BATCH: [[1.12492407, 0.47913455], [1.52086545, -0.42163054]],
            OVER_ALL: [[0.33973281, 0.17625781], [0.55090794, -0.20108394]],
            MEAN: [[2 / 3, 2 / 3], [2 / 3, 1 / 3]],
        },
    )
    masked = masked_call(layer, X, MASK)
    masked.gives(
        POOLED_MASKED,
        {
            MASK_IGNORED: POOLED,
            MASK_INVERTED: [[0.0, 1.0], [1.0, -1.0]],
            MASK_AFTER: [[0.83297739, 0.26513692], [0.45148806, 0.13928473]],
            SCORE_ZEROED: [[0.75855253, 0.48289493], [0.90104093, -0.06157595]],
            INPUTS_ZEROED: [[0.66432833, 0.21145588], [0.64154684, 0.19791815]],
        },
    )
    is_finite(masked_call(layer, X, np.array([[True] * 3, [False] * 3])), ALL_MASKED)
    works_in_a_model(AttentionPooling, layer, [W, B], X, GRADIENTS, MASK, POOLED_MASKED)


def built_layer(layer_class, x, w, b):
    """Make a layer, call it on x, look at its weights, set them to w and b."""
    made = attempt(layer_class)
    layer = made.makes
    batch, steps, features = x.shape
    attempt(layer, x).numbers(
        (batch, features),
        {
            NOT_SUMMED: x.shape,
            KEPT_AXIS: (batch, 1, features),
            OVER_ALL: (features,),
        },
    )
    shapes = [np.shape(weight) for weight in attempt(layer.get_weights).value]
    names, frozen = attempt(beside(layer, "weight_names"), layer).value
    if frozen:
        made.fail("a weight is not trainable", f"it is {frozen}", FROZEN)
    asked = {"attention_weight": (features, 1), "attention_bias": (steps, 1)}
    if shapes != list(asked.values()):
        mistake = ORDER if shapes == list(asked.values())[::-1] else None
        if shapes[:1] == [(features, 1)] and shapes[1:] in ([(1, 1)], [(1,)], [()]):
            mistake = BIAS_SHARED
        made.fail(
            f"the weights have shapes {shapes} for inputs of shape {x.shape}; "
            f"expected {list(asked.values())}",
            mistake=mistake,
        )
    if names != list(asked):
        mistake = ORDER if names == list(asked)[::-1] else WRONG_NAMES
        made.fail("the weights have other names", f"they are {names}", mistake)
    attempt(layer.set_weights, [w, b]).gives(None)
    return layer


def masked_call(layer, x, mask):
    """Call a layer with a mask; one that takes no mask makes a known mistake."""
    trial = attempt(layer, x, mask=mask)
    try:
        _ = trial.value
    except CheckFailure as failure:
        if failure.raised == "TypeError":
            raise named(failure, MASK_IGNORED) from None
        raise
    return trial


def works_in_a_model(layer_class, layer, weights, x, gradients, mask, pooled):
    """Require that a layer learns inside a model, and that the model can be saved and loaded.

    ``gradients`` belong to x, ``pooled`` to x under the mask; both are known here.
    """
    _, steps, features = x.shape
    with naming(NOT_TRAINABLE, "AttentionPooling: it cannot learn inside a model."):
        trial = attempt(beside(layer, "gradients"), layer, x)
        for gradient, weight in zip(trial.value, weights, strict=True):
            if np.shape(gradient) != weight.shape or not np.any(gradient):
                trial.fail("a weight has no gradient")
    with naming(HELD_BACK, "AttentionPooling: inside a model it learns something else."):
        trial.gives(gradients, tolerance=1e-4)
    with naming(NOT_RESTORED, "AttentionPooling: a model with it is not the same after loading."):
        loaded = attempt(beside(layer, "saved_and_loaded"), layer_class, layer, steps, features)
        restored = loaded.makes
        # From now on the layer itself gives other numbers than what was saved.
        attempt(layer.set_weights, [0 * weight for weight in weights]).gives(None)
        attempt(restored.get_weights).gives(weights)
        attempt(restored, x * mask[:, :, None]).gives(pooled)


@check
def create_rnn_with_attention(create_rnn_with_attention):
    ones = np.ones((1, 20, 1))
    made, *_ = network(create_rnn_with_attention, (2, 1, (20, 1), "tanh"), ones)
    attempt(made.makes.count_params).gives(33)
    compiled_for_mse_and_adam(made, ones)
    network_agrees(
        create_rnn_with_attention,
        ("sigmoid", lambda a: 1 / (1 + np.exp(-a))),
        X[:1],
        WEIGHTS,
        states=[[[0.64565631, 0.42555748], [0.65617666, 0.68664179], [0.74082955, 0.65548107]]],
        states_of={
            DENSE_ONLY: [[[0.53704957, -0.29131261], [0.68906051, 0.320875], [0.840507, 0.405603]]]
        },
        pooled=np.array([[0.5, -0.5], [1.0, 0.25]]),
    )


def network_agrees(create, activation, x, weights, states, states_of, pooled):
    """Require the network of ``weights``, part by part, whatever its AttentionPooling computes.

    ``activation`` is a name and its function, ``states`` what the SimpleRNN makes of x;
    ``states_of`` maps the sentences of mistakes to what they make of it. ``pooled`` is to go
    through the Dense layer.
    """
    name, activate = activation
    *_, w_h, _, _, _, w_y, b_y = weights
    made, before, pooling, after = network(create, (len(w_h), len(b_y), x.shape[1:], name), x)
    model, expected = made.makes, [weight.shape for weight in weights]
    shapes = [np.shape(weight) for weight in attempt(model.get_weights).value]
    if shapes != expected:
        made.fail(f"the weights have shapes {shapes}; expected {expected}")
    attempt(model.set_weights, weights).gives(None)
    linear = pooled @ w_y + b_y
    for layers, given, expected, mistakes, part in (
        (before, x, states, states_of, "the SimpleRNN"),
        (after, pooled, activate(linear), {RNN_ONLY: linear}, "the Dense layer"),
    ):
        got = through(layers, given)
        difference = differs(got, expected, 1e-4)
        if difference:
            named = (m for m, other in mistakes.items() if not differs(got, other, 1e-4))
            made.fail(f"{part}: {difference.summary}", difference.detail, next(named, None))
    pooled = attempt(pooling, np.array(states)).numbers((len(x), len(w_h)))
    attempt(model, x).gives(activate(pooled @ w_y + b_y), tolerance=1e-4)


def network(create, args, x):
    """Let an answer make a model; return the trial and `parts` of it.

    A submission whose AttentionPooling computes the wrong thing or cannot learn has paid for that
    already: here another stands in for it. One that raises an error leaves no network to be judged.
    """
    broken = None
    try:
        made = attempt(create, *args)
        _ = attempt(made.makes, x).value
    except CheckFailure as failure:
        broken = failure
    if broken or not sees_right_attention(create):
        substitute = attempt(beside(create, "with_bare_attention"), create).makes
        substitute._label = create._label
        try:
            made = attempt(substitute, *args)
            _ = attempt(made.makes, x).value
        except CheckFailure as failure:
            raise broken or failure from None
    layers = parts(made, x, units=args[0], outputs=args[1])
    if broken:
        raise named(broken, ATTENTION_FAILS, NO_NETWORK)
    return made, *layers


def sees_right_attention(function):
    """Say whether the AttentionPooling that a function sees gives what exercise 4 expects."""
    given = attempt(beside(function, "own_attention"), function).value
    return not differs(given, [POOLED, POOLED_MASKED, *GRADIENTS], 1e-4)


def parts(made, x, units, outputs):
    """Return the layers before AttentionPooling, itself, and those after it."""
    layers = [layer for layer in made.makes.layers if type_name(layer) != "InputLayer"]
    types = [type_name(layer) for layer in layers]
    if "AttentionPooling" not in types:
        made.fail(
            f"the model has {len(layers)} layers, none an AttentionPooling", mistake=NO_ATTENTION
        )
    place = types.index("AttentionPooling")
    batch, steps, _ = x.shape
    arriving, expected = np.shape(through(layers[:place], x)), (batch, steps, units)
    if arriving != expected:
        made.fail(
            f"what arrives at AttentionPooling has shape {arriving} for inputs of shape {x.shape}; "
            f"expected {expected}",
            mistake=NO_SEQUENCES if arriving == (batch, units) else None,
        )
    attempt(made.makes, x).numbers((batch, outputs))
    return layers[:place], layers[place], layers[place + 1 :]


def through(layers, values):
    """Return what comes out of a chain of layers."""
    for layer in layers:
        values = attempt(layer, values).value
    return values


@check
def attention_map(attention_map):
    plain = attempt_map(attention_map, "", WEIGHTS[:5], X)
    weights = [[0.35915497, 0.36672395, 0.27412107], [0.16020906, 0.40376513, 0.43602581]]
    mistakes = {
        FROM_INPUTS: [[0.56784047, 0.16702261, 0.26513692], [0.06964237, 0.45148806, 0.47886957]],
        SCORES: [[0.67959559, 0.70045101, 0.40941151], [-0.19921945, 0.72513428, 0.80200236]],
        NO_TANH: [[0.36827714, 0.38323907, 0.24848379], [0.12890556, 0.3951986, 0.47589584]],
        OVER_BATCH: [[0.70657661, 0.4938295, 0.40309376], [0.29342339, 0.5061705, 0.59690624]],
        KEPT_AXIS: np.array(weights)[:, :, None],
    }
    plain.gives(weights, mistakes)
    with naming(OTHER_LAYER):
        attempt_map(attention_map, "deeper", WEIGHTS[:5], X).gives(
            [[0.36935592, 0.37211719, 0.25852689], [0.17245719, 0.40032621, 0.4272166]],
            {NOT_ITS_INPUT: weights},
        )
    masked = attempt_map(attention_map, "masked", WEIGHTS[:5], X * MASK[:, :, None])
    with naming(BEHIND_MASKING):
        _ = masked.value
    masked.gives(
        [[0.49837593, 0.0, 0.50162407], [0.28407162, 0.71592838, 0.0]],
        {
            MAP_UNMASKED: [
                [0.31105515, 0.3758624, 0.31308245],
                [0.18751551, 0.4725839, 0.33990059],
            ],
            MASK_AFTER: [[0.31105515, 0.0, 0.31308245], [0.18751551, 0.4725839, 0.0]],
            MASK_INVERTED: [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        },
    )


def attempt_map(attention_map, kind, weights, x):
    """Let an answer look into a new `attention_model`."""
    # An answer may call methods that its own layer has. One that reads the weights alone, as the
    # exercise says, is right also while the submission's layer is not.
    seen_by = attention_map if sees_right_attention(attention_map) else None
    makes_model = beside(attention_map, "attention_model", f"{kind}_model".strip("_"))
    model = attempt(makes_model, seen_by, kind, weights).makes
    return attempt(attention_map, model, x)


@check
def constant_baseline(constant_baseline):
    train_y, test_y = np.array([0.0, 1.0, 5.0]), np.array([2.0, 4.0, 9.0])
    attempt(constant_baseline, train_y, test_y).gives(
        (2.0, 53 / 3),
        {
            FITTED_ON_TEST: (5.0, 26 / 3),
            MEDIAN: (1.0, 74 / 3),
            ROOT: (2.0, (53 / 3) ** 0.5),
            TRAIN_ERROR: (2.0, 14 / 3),
        },
    )


# --- naming a failure that shows itself by an error or by a value that is not finite ------------


@contextlib.contextmanager
def naming(mistake, headline=None):
    """Name a failure inside by its mistake, and word it anew where the check's own call failed."""
    try:
        yield
    except CheckFailure as failure:
        raise named(failure, mistake, headline) from None


def named(failure, mistake, headline=None):
    """Return a failure with the name of its mistake, if it has none yet."""
    mistake = failure.mistake or mistake
    if headline:
        return CheckFailure(headline, failure.detail, mistake)
    return CheckFailure(failure.headline, failure.detail, mistake, failure.raised)


def is_finite(trial, mistake):
    """Require finite numbers, whose absence has a name here."""
    value = trial.value
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        if not np.isfinite(value).all():
            trial.fail("a value is not finite (nan or inf)", mistake=mistake)


# --- what runs where the work lives -------------------------------------------------------------


def beside(work, name, label=None):
    """Return a stand-in for a function of this module that runs in the world of ``work``."""
    return StandIn(work._world, {"made": f"{__name__}:{name}", "args": []}, label or name)


def weight_names(layer):
    """List the names of a layer's weights in their order, and of those that are not trainable."""
    every, frozen = layer.weights, layer.non_trainable_weights
    return [weight.name for weight in every], [weight.name for weight in frozen]


def gradients(layer, x):
    """Return the gradient of each weight of a layer, in a graph as in training."""

    @functools.partial(tf.function, autograph=False)
    def in_a_graph(inputs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(inputs) ** 2)
        return tape.gradient(loss, [weight.value for weight in layer.weights])

    try:
        return list(in_a_graph(tf.constant(x, "float32")))
    except NotImplementedError as error:  # so TensorFlow says that NumPy cannot read a graph
        raise TypeError(str(error)) from error


def saved_and_loaded(layer_class, layer, steps, features):
    """Put a layer behind a Masking layer, save this model, and return what is loaded."""
    layer_class.from_config(layer.get_config())  # its error is easier to read than that of loading
    model = keras.Sequential([keras.Input((steps, features)), keras.layers.Masking(), layer])
    names = (layer_class.__name__, keras.saving.get_registered_name(layer_class))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.keras"
        model.save(file)
        with keras.saving.custom_object_scope(dict.fromkeys(names, layer_class)):
            return keras.saving.load_model(file)


def names_seen_by(function):
    """Return the names around a function; without any of its own, those of the notebook."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if not hasattr(function, "__globals__"):
        function = function.__call__
    names = getattr(function, "__globals__", {})
    return names if "AttentionPooling" in names else vars(importlib.import_module("__main__"))


def own_attention(function):
    """Return what the AttentionPooling that a function sees gives, or None where it fails."""
    with contextlib.suppress(Exception):
        return outcome(names_seen_by(function)["AttentionPooling"])


@functools.cache
def outcome(layer_class):
    """Return what a layer makes of exercise 4: pooled, under the mask, and its gradients."""
    layer = layer_class()
    keras.Sequential([keras.Input(X.shape[1:]), layer])  # where x has no numbers yet
    layer.set_weights([W, B])
    return [layer(X), layer(X, mask=MASK), *gradients(layer, X)]


def with_bare_attention(function):
    """Return a function like this one, but for the AttentionPooling that it sees."""

    def changed(*args):
        seen = names_seen_by(function)
        own = {name: seen[name] for name in ["AttentionPooling"] if name in seen}
        seen["AttentionPooling"] = BareAttention
        try:
            return function(*args)
        finally:
            del seen["AttentionPooling"]
            seen.update(own)

    return changed


def attention_model(function, kind, weights):
    """Make a model with the AttentionPooling that a function sees; with None, a bare one.

    A "masked" model begins with a Masking layer, a "deeper" one has more layers behind the
    SimpleRNN and at the end.
    """
    w_x, w_h, _, _, b = weights
    attention = names_seen_by(function)["AttentionPooling"]() if function else BareAttention()
    recurrent = keras.layers.SimpleRNN(len(w_h), return_sequences=True)
    layers = [recurrent, attention, keras.layers.Dense(1)]
    if kind == "masked":
        layers.insert(0, keras.layers.Masking())
    if kind == "deeper":
        layers.insert(1, keras.layers.Activation("tanh"))
        layers.append(keras.layers.Activation("tanh"))
    model = keras.Sequential([keras.Input((len(b), len(w_x))), *layers])
    recurrent.set_weights(weights[:3])
    attention.set_weights(weights[3:])
    return model


class BareAttention(keras.layers.Layer):
    """Has the weights of an AttentionPooling and its class name, but only adds up the steps."""

    def build(self, input_shape):
        self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        return keras.ops.sum(inputs, axis=1) if len(inputs.shape) == 3 else inputs

    def compute_mask(self, inputs, mask=None):
        return None


BareAttention.__name__ = "AttentionPooling"
