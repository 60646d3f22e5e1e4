"""Visible checks of chapter 10, on the examples that the exercises print.

The order of the weights of a Transformer, and of its layers, is free. So all weights of one size
start with the same numbers (`fill`), whatever the order. In a layer, a step down a gradient
(`drift`) tells them apart: only a layer in which each weight plays its part gives the reference's
numbers afterwards.
"""

from collections import Counter
from itertools import product

import numpy as np

from coursekit.checks import ByImportPath, attempt, check, example, remote_helper
from coursekit.checks.comparison import same
from coursekit.checks.decoding import ScriptedWriter
from coursekit.checks.layers import reloaded, some_mask

DROPOUT_ELSEWHERE = (
    "With training=True, the result does not agree with dropout on the output of each sublayer "
    "before the sum. Check where dropout is applied (not to attention weights, not inside the "
    "feed-forward network, not after the sum) and its rate."
)
DROPOUT_MISSING = (
    "With training=True, no dropout is applied to the output of one or more of the sublayers. "
    "Apply it to the output of every sublayer."
)
DROPOUT_AT_THE_END = (
    "With training=True, the layer returns zeros, so dropout is applied after the last "
    "normalisation. Apply it to the output of each sublayer, before the sum."
)
DROPOUT_NOT_SCALED = (
    "With training=True, the entries that are kept are not divided by 1 - dropout. "
    "keras.layers.Dropout does this."
)
DROPOUT_RATE = (
    "With training=True, the rate of the dropout is not the argument dropout, at least in one "
    "sublayer."
)
DROPOUT_BY_DEFAULT = (
    "With training=True something is dropped although dropout was not given. The rate of all "
    "dropout must be the argument dropout, whose default is 0."
)
DROPOUT_NOT_RESTORED = (
    "A layer that was created again by from_config has no dropout, or another rate. get_config "
    "must return the rate as well."
)
DROPOUT_REPEATED = (
    "Dropout drops the same entries in every call. Let it draw new ones each time, without a fixed "
    "seed."
)
DROPOUT_OFF = (
    "With training=True, the decoder layers have no dropout. Do not call them with training=False."
)
DROPOUT_OUTSIDE = (
    "With training=True, something is dropped outside the layers, and not from the two sums of "
    "embeddings and positions (from the embeddings alone, for example). Apply dropout nowhere else."
)
MODELS_SHARE = (
    "Two models that were built one after the other share weights. Create new layers in every call."
)
ONE_EMBEDDING = (
    "Source and target share an embedding. Each of them needs one of its own, with as many rows as "
    "its vocabulary has tokens."
)
NOT_AN_INTEGER = (
    "The number of parameters is not an integer. Where you divide, use //, and leave out float()."
)
NOT_INTEGERS = (
    "The ids are not integers, so no embedding or dictionary can look them up. Keep them in an "
    "array of integers."
)
# The norms may have an epsilon up to 1e-3, which changes a result by that share of its variance.
TOLERANCE = 3e-3
# In a whole model, where a norm meets a token whose features are nearly equal, ten times as much.
MODEL_TOLERANCE = 1.5e-2
# In float32, equal features have a small rounding error, which is divided by the root of epsilon.
EQUAL_FEATURES_TOLERANCE = 1e-3
RATE = 0.4
# No epsilon up to 1e-3 changes what a hidden unit gets by so much.
KINK = 0.01

X = np.array([[[2.0, -0.5, 1.25, 0.25], [-1.5, 2.5, 0.5, -1.0], [0.25, 1.0, -3.0, 1.75]]])
MEMORY = np.array([[[0.75, -2.0, 0.25, 1.5], [1.0, 3.0, -0.5, -1.75]]])
START_ID, END_ID, VOCAB_SIZE = 1, 2, 7
# What a model writes in two rows; both go on after their end, and end together at last.
WORDS = np.array([[5, 2, 4, 2, 6, 3, 2], [3, 4, 4, 5, 2, 6, 2]])
# The second end of row 0 comes in the step in which row 2 ends. Row 1 writes the start token, and
# row 3 ends at once.
FOUR_ROWS = np.array(
    [[5, 2, 2, 4, 6, 3, 2], [3, 1, 4, 5, 2, 6, 2], [4, 6, 2, 3, 6, 3, 2], [2, 3, 5, 4, 6, 3, 2]]
)


@check
def layer_norm(layer_norm, feed_forward):
    x = np.array([[[2.0, -1.0, 0.5], [0.0, 3.0, -2.5]], [[4.0, 4.0, 4.0], [-1.0, 0.5, 6.5]]])
    gamma, beta = np.array([1.0, 0.5, -2.0]), np.array([0.1, -0.2, 0.3])
    example(layer_norm, x, gamma, beta, tolerance=EQUAL_FEATURES_TOLERANCE)
    norm_examples(layer_norm, x[0] - x[1], gamma, beta, 4.0)
    w_1 = np.array([[1.0, -0.5, 0.2, 0.7], [0.3, 0.8, -1.2, 0.4], [-0.6, 0.1, 0.9, -0.3]])
    b_1 = np.array([0.1, -0.4, 0.2, 0.3])
    w_2 = np.array([[0.5, -1.0, 0.2], [1.5, 0.4, -0.3], [-0.2, 0.6, 0.8], [0.9, -0.7, 0.1]])
    b_2 = np.array([0.05, -0.15, 0.25])
    example(feed_forward, x, w_1, b_1, w_2, b_2)
    example(feed_forward, 0.5 * x[1, 1], w_1[:, :3], b_1[:3], w_2[:3], b_2)


def norm_examples(layer_norm, x, gamma, beta, epsilon):
    """Compare a norm of equal features, of x (batch, d) with another epsilon, and of other axes.

    ``epsilon`` should lie between the variances of the rows of x.
    """
    equal = np.full(x.shape, 3)
    equal[0] = 0
    example(layer_norm, equal, gamma, beta, tolerance=EQUAL_FEATURES_TOLERANCE)
    example(layer_norm, x, gamma, beta, epsilon)
    example(layer_norm, x, gamma, beta, epsilon=epsilon / 100)
    # So small a variance tells the default of epsilon from another one.
    example(layer_norm, 0.01 * x, gamma, beta)
    example(layer_norm, x[0], gamma, beta)
    example(layer_norm, np.stack([x, x[::-1] ** 2])[:, :, None], gamma, beta)


@check
def transformer_masks(transformer_masks):
    source_ids = np.array([[7, 4, 9, 0], [5, 0, 0, 0]])
    target_ids = np.array([[2, 6, 0], [2, 8, 3]])
    example(transformer_masks, source_ids, target_ids)
    # Other ids for the same words: the padding lies among them.
    example(transformer_masks, (source_ids + 5) % 10, (target_ids + 5) % 10, pad_id=5)
    example(transformer_masks, np.array([[3, 5]]), np.array([[2, 4, 7, 0, 0]]))
    # Padding in front, as some tokenisers write it.
    example(transformer_masks, np.array([[0, 6, 5], [0, 0, 4]]), np.array([[0, 2], [2, 3]]))
    # Padding between tokens, and a source without tokens.
    example(transformer_masks, np.array([[7, 0, 4], [0, 0, 0]]), np.array([[2, 0, 5], [2, 3, 0]]))


@check
def EncoderLayer(EncoderLayer):
    printed_examples(EncoderLayer, [X], {"attention_mask": np.tri(3, dtype=bool)[None]})
    rng = np.random.default_rng(10)
    encoder_examples(EncoderLayer, rng, batch=2, time=4, num_heads=2, width=3, d_ff=7)
    dropout_examples(EncoderLayer, rng, ["self"])


@check
def DecoderLayer(DecoderLayer):
    masks = {
        "self_mask": np.tri(3, dtype=bool)[None],
        "cross_mask": np.array([[[False, True], [True, True], [True, False]]]),
    }
    printed_examples(DecoderLayer, [X, MEMORY], masks)
    rng = np.random.default_rng(11)
    decoder_examples(DecoderLayer, rng, batch=2, sizes=(3, 4), num_heads=2, width=3, d_ff=7)
    dropout_examples(DecoderLayer, rng, ["self", "cross"])


@check
def greedy_decode(greedy_decode):
    decoding_examples(greedy_decode, WORDS, START_ID, END_ID, VOCAB_SIZE, [8, 3, 1])
    # Four rows with other ids for all words, 6 for the start and 0 for the end.
    decoding_examples(greedy_decode, (FOUR_ROWS + 5) % VOCAB_SIZE, 6, 0, VOCAB_SIZE, [8])
    helper = remote_helper(greedy_decode, type_of_ids, "the type of greedy_decode's ids")
    trial = attempt(helper, greedy_decode, [WORDS, START_ID, VOCAB_SIZE, END_ID], 8)
    if not trial.value.startswith(("int", "uint")):
        trial.fail("the ids are not integers", f"found: {trial.value}", NOT_INTEGERS)


def decoding_examples(greedy_decode, words, start_id, end_id, vocab_size, limits):
    """Compare decoding for several values of max_length, then the number of calls that it takes."""
    given = [words, start_id, vocab_size, end_id]
    next_logits = ByImportPath(f"{__name__}:ScriptedLogits", *given)
    for max_length in limits:
        example(greedy_decode, next_logits, start_id, end_id, max_length, len(words))
    calls = remote_helper(greedy_decode, calls_of_next_logits, "the number of calls of next_logits")
    for max_length in limits:
        example(calls, greedy_decode, given, max_length)


@check
def transformer_parameter_count(transformer_parameter_count):
    # At the default sizes the norms have as many parameters as the feed-forward networks' biases.
    example(transformer_parameter_count, 50, d_model=12, d_ff=20, num_layers=2, tied=True)
    example(transformer_parameter_count, 37_000, tied=True)
    example(transformer_parameter_count, 37_000)
    example(transformer_parameter_count, 37_000, tied=False)
    example(transformer_parameter_count, 11, 4, 5, 1, False)
    helper = remote_helper(transformer_parameter_count, type_of_count, "the type of the number")
    trial = attempt(helper, transformer_parameter_count, 50)
    if not trial.value.startswith(("int", "uint")):
        trial.fail("the number is not an integer", f"found: {trial.value}", NOT_AN_INTEGER)


@check
def warmup_learning_rate(warmup_learning_rate, smooth_labels):
    rate_examples(warmup_learning_rate, np.array([1, 5, 10, 40]), 4, 10)
    example(warmup_learning_rate, np.array([1, 4000, 100_000]), 512, tolerance=1e-8)
    ids = np.array([[2, 0], [4, 1], [3, 3]])
    example(smooth_labels, ids, 5)
    example(smooth_labels, ids[:, 0], 7, 0.4)
    example(smooth_labels, np.array([1, 0]), 3, epsilon=0.0)
    shape_examples(smooth_labels, np.array(3), 5)


def rate_examples(warmup_learning_rate, steps, d_model, warmup_steps):
    """Compare the learning rates at several steps together and at each by itself."""
    given = {"warmup_steps": warmup_steps, "tolerance": 1e-6}  # float32 suffices
    example(warmup_learning_rate, steps, d_model, **given)
    for step in steps.ravel().tolist():
        example(warmup_learning_rate, step, d_model, **given)
    example(warmup_learning_rate, steps.reshape(2, -1) + 0.5, d_model, **given)


def shape_examples(smooth_labels, single_id, vocab_size):
    """Compare the targets of a single id, of many small integers, and of no ids."""
    example(smooth_labels, single_id, vocab_size)
    # The places in a flat array of these targets do not fit into the type of the ids.
    example(smooth_labels, np.arange(40, dtype=np.uint8), 50)
    example(smooth_labels, np.zeros((2, 0), dtype=int), vocab_size)
    example(smooth_labels, np.arange(3)[:, None], vocab_size)


@check
def build_transformer(build_transformer):
    ids = [np.array([[3, 5, 2, 0]]), np.array([[1, 6, 4]])]
    model = model_with_weights(build_transformer, (6, 7, 4, 2, 5), ids)
    fill_weights(model, {n: np.sin(np.arange(n)) / 2 for n in (16, 20, 24, 28)})
    example(model, ids, tolerance=TOLERANCE)
    require_no_dropout(model, ids)
    rng = np.random.default_rng(12)
    transformer_examples(build_transformer, rng, (9, 8), num_heads=2, width=3, d_ff=7)
    require_nothing_else(build_transformer)
    # In each sentence something is hidden, and no token of the target is padding.
    ids = [np.array([[3, 5, 2, 0], [0, 4, 1, 5]]), np.array([[1, 6, 4], [1, 2, 5]])]
    trained = remote_helper(model, trained_for_a_step, "trained with fit for one step")
    example(trained, model, ids, np.array([[6, 4, 2], [2, 5, 3]]), tolerance=TOLERANCE)


# --- the layers ---------------------------------------------------------------------------------


def printed_examples(layer_class, inputs, masks):
    """Compare a layer whose matrices are filled as the exercise prints it.

    It gets no mask at first, and then one more from call to call.
    """
    layer = layer_with_weights(layer_class, (4, 2, 5), inputs)
    fill_weights(layer, {n: np.sin(np.arange(n)) / 2 for n in (16, 20)})
    for number in range(len(masks) + 1):
        given = dict([*masks.items()][:number])
        example(layer, *inputs, **given, tolerance=TOLERANCE)


def encoder_examples(layer_class, rng, *, batch, time, num_heads, width, d_ff):
    """Compare an encoder layer with drawn weights, with masks, after a step, saved and loaded."""
    d_model = num_heads * width
    x = some_tokens(rng, batch, time, d_model)
    padding, pairs = some_mask(rng, batch, 1, time), some_mask(rng, batch, time, time)
    layer = layer_with_weights(layer_class, (d_model, num_heads, d_ff), [x])
    fill_weights(layer, weights_for_a_step(rng, [x], d_model, num_heads, d_ff))
    require_no_dropout(layer, x)
    for after_a_step in (False, True):
        if after_a_step:
            example(remote_helper(layer, drift, "one step of training"), layer, [x])
        example(layer, x, tolerance=TOLERANCE)
        example(layer, x, padding, tolerance=TOLERANCE)
        # The scores of large inputs are below what some answers take for minus infinity.
        example(layer, 10 * x, padding, tolerance=TOLERANCE)
        example(layer, x, attention_mask=pairs, training=True, tolerance=TOLERANCE)
        example(layer, x[:1, :-1], tolerance=TOLERANCE)
    other_heads_examples(layer_class, rng, d_model, d_ff, [x])
    saving_examples(layer_class, layer, [x], {"attention_mask": pairs})


def decoder_examples(layer_class, rng, *, batch, sizes, num_heads, width, d_ff):
    """Compare a decoder layer with drawn weights, with masks, after a step, saved and loaded.

    ``sizes`` are the lengths of the target and of the source.
    """
    d_model, (target, source) = num_heads * width, sizes
    x = some_tokens(rng, batch, target, d_model)
    memory = some_tokens(rng, batch, source, d_model)
    causal = np.tri(target, dtype=bool)
    own = some_mask(rng, batch, 1, target)
    pairs = some_mask(rng, batch, target, source)
    layer = layer_with_weights(layer_class, (d_model, num_heads, d_ff), [x, memory])
    fill_weights(layer, weights_for_a_step(rng, [x, memory], d_model, num_heads, d_ff))
    require_no_dropout(layer, x, memory)
    for after_a_step in (False, True):
        if after_a_step:
            example(remote_helper(layer, drift, "one step of training"), layer, [x, memory])
            memory = -memory
        example(layer, x, memory, tolerance=TOLERANCE)
        example(layer, x, memory, self_mask=own, tolerance=TOLERANCE)
        own_pairs = causal & some_mask(rng, batch, 1, target) | np.eye(target, dtype=bool)
        example(layer, x, memory, own_pairs, pairs, training=True, tolerance=TOLERANCE)
        example(layer, 10 * x, 10 * memory, own_pairs, pairs, tolerance=TOLERANCE)
        # With equal lengths the masks may be confused without an error.
        same = {"self_mask": own, "cross_mask": np.roll(own, 1, axis=2)}
        example(layer, x, 3 - 2 * x[:, ::-1], **same, tolerance=TOLERANCE)
        example(layer, x, 3 - 2 * x[:, ::-1], cross_mask=own, tolerance=TOLERANCE)
    other_heads_examples(layer_class, rng, d_model, d_ff, [x, memory])
    both = {"self_mask": own_pairs, "cross_mask": pairs}
    saving_examples(layer_class, layer, [x, memory], both)


def layer_with_weights(layer_class, sizes, inputs, **settings):
    """Let an answer create a layer, compare the sizes of its weights, and create it once more."""
    layer = example(layer_class, *sizes, **settings).makes
    example(layer, *inputs, shapes_only=True)
    example(remote_helper(layer, weight_sizes, "the sizes of the weights"), layer)
    example(remote_helper(layer, made_again, "made again"), layer_class, layer)
    return layer


def fill_weights(layer, values):
    """Set every weight of a layer by its size: ``values`` are numbers for each size."""
    attempt(remote_helper(layer, fill, "the weights set by their sizes"), layer, values).gives(None)


def some_tokens(rng, batch, time, d_model):
    """Draw tokens whose features vary so much that no allowed epsilon of a norm matters."""
    tokens = rng.normal(size=(batch, time, d_model))
    tokens -= tokens.mean(axis=2, keepdims=True)
    tokens *= 3 / tokens.std(axis=2, keepdims=True)
    return tokens + rng.normal(size=(batch, time, 1))


def some_weights(rng, d_model, d_ff):
    """Draw the numbers of a layer's weights by size, so that no head is saturated.

    What a sublayer adds is smaller than what it is added to, so the two do not cancel.
    """
    return {
        d_model**2: rng.normal(0, 0.8 / d_model, size=d_model**2),
        d_model * d_ff: rng.normal(0, 0.4 / np.sqrt(d_model), size=d_model * d_ff),
        d_model: rng.choice([-1, 1], size=d_model) * rng.uniform(2, 5, size=d_model),
        d_ff: rng.normal(size=d_ff),
    }


def weights_for_a_step(rng, inputs, d_model, num_heads, d_ff):
    """Draw the numbers of a layer's weights by size, so that no hidden unit is near its kink.

    There the gradient jumps, and the epsilon of a norm would decide on which side the unit is.
    """
    no_dropout = np.ones((1, d_model))
    while True:
        values = some_weights(rng, d_model, d_ff)
        *_, tokens, _ = outputs_of_sublayers(inputs, values, no_dropout, d_model, num_heads, d_ff)
        w_1 = values[d_model * d_ff].reshape(d_model, d_ff)
        if np.abs(tokens @ w_1 + values[d_ff]).min() > KINK:
            return values


def other_heads_examples(layer_class, rng, d_model, d_ff, inputs):
    """Compare layers with a single head and with heads of width 1, made again, and their names."""
    for num_heads in (1, d_model):
        layer = example(layer_class, d_model, num_heads, d_ff, name="layer").makes
        name = remote_helper(layer, name_when_made_again, "the name when made again")
        example(name, layer_class, layer)
        copy = example(remote_helper(layer, made_again, "made again"), layer_class, layer).makes
        example(copy, *inputs, shapes_only=True)
        fill_weights(copy, some_weights(rng, d_model, d_ff))
        example(copy, *inputs, tolerance=TOLERANCE)
    layer = example(layer_class, d_model, 1, d_ff, trainable=False, dtype="float64").makes
    for setting in (trainable_when_made_again, dtype_when_made_again):
        helper = remote_helper(layer, setting, setting.__name__.replace("_", " "))
        example(helper, layer_class, layer)


def saving_examples(layer_class, layer, inputs, masks):
    """Compare what a layer gives after a model that holds it was saved and loaded."""
    helper = remote_helper(layer, saved_and_loaded, "saved and loaded")
    loaded = example(helper, layer_class, layer, inputs[0].shape[-1], len(inputs), [*masks]).makes
    # From now on the layer itself no longer gives the numbers that were saved.
    attempt(remote_helper(layer, silence, "the weights set to 0"), layer).gives(None)
    example(loaded, [*inputs, *masks.values()], tolerance=TOLERANCE)


def require_no_dropout(made, *inputs):
    """Require that a layer or a model that was made without ``dropout`` has none in training."""
    expected = np.asarray(attempt(made, *inputs).value)
    trial = attempt(made, *inputs, training=True)
    if not np.allclose(trial.numbers(expected.shape), expected, atol=1e-3):
        summary = "with training=True and the default dropout, the result is another one"
        trial.fail(summary, mistake=DROPOUT_BY_DEFAULT)


def dropout_examples(layer_class, rng, attentions):
    """Judge the dropout of a layer by which outputs are possible, and how often.

    With ``attentions`` "self" and perhaps "cross", the layer is an encoder's or a decoder's. Every
    token's output must be one of those that some choice of dropped entries gives.
    """
    d_model, num_heads, d_ff = 4, 2, 5
    inputs = [some_tokens(rng, 16, time, d_model) for time in (3, 2)]
    inputs = inputs[: len(attentions)]
    few = [tokens[:2] for tokens in inputs]
    values = some_weights(rng, d_model, d_ff)
    layer = layer_with_weights(layer_class, (d_model, num_heads, d_ff), few, dropout=RATE)
    fill_weights(layer, values)
    example(layer, *few, tolerance=TOLERANCE)
    example(layer, *few, training=False, tolerance=TOLERANCE)
    trial = attempt(layer, *inputs, training=True)
    output = trial.numbers(inputs[0].shape)

    def choices(output, *kept):
        """Return patterns of factors 0 or ``kept``, which are used, and whether they explain it."""
        dropped = [pattern for k in kept for pattern in product([0, k], repeat=d_model)]
        patterns = np.array([*dropped, [1.0] * d_model])  # the last one: no dropout
        *_, possible = outputs_of_sublayers(inputs, values, patterns, d_model, num_heads, d_ff)
        used, distances = nearest(possible, output)
        # Where a token's entries nearly cancel, the epsilon of a norm matters.
        return patterns, used, np.mean(distances < 0.01) >= 0.9

    patterns, used, explained = choices(output, 1 / (1 - RATE))
    if not explained:
        summary = "with training=True, no choice of dropped entries gives this output"
        trial.fail(summary, mistake=dropout_mistake(output, choices))
    for choice in used:
        if np.mean(choice == len(patterns) - 1) > 0.5:
            summary = "with training=True, at least one sublayer has no dropout"
            trial.fail(summary, mistake=DROPOUT_MISSING)
        if abs(np.mean(patterns[choice] == 0) - RATE) > 0.2:
            trial.fail(f"with training=True, the share of dropped entries is far from {RATE}")
    copy = example(remote_helper(layer, made_again, "made again"), layer_class, layer).makes
    _ = attempt(copy, *few).numbers(few[0].shape)  # which builds it
    fill_weights(copy, values)
    first = attempt(copy, *inputs, training=True).numbers(output.shape)
    trial = attempt(copy, *inputs, training=True)
    _, used, explained = choices(first, 1 / (1 - RATE))
    if not explained or np.mean(used[0] == len(patterns) - 1) > 0.5:
        summary = "created again by from_config, the layer drops a different share of the entries"
        trial.fail(summary, mistake=DROPOUT_NOT_RESTORED)
    if np.array_equal(first, trial.numbers(output.shape)):
        trial.fail("with training=True, two calls give the same result", mistake=DROPOUT_REPEATED)


def dropout_mistake(output, choices):
    """Name what is wrong with the output of a layer in training, which dropout does not explain.

    ``choices`` looks for an explanation in which the entries that are kept have given factors.
    """
    if np.mean(output == 0) > 0.1:
        return DROPOUT_AT_THE_END
    right = 1 / (1 - RATE)
    if choices(output, 1)[2] or choices(output, 1, right)[2]:
        return DROPOUT_NOT_SCALED
    others = [1 / (1 - rate) for rate in (0.1, 0.2, 0.3, 0.5, 1 - RATE)]
    if any(choices(output, other)[2] or choices(output, other, right)[2] for other in others):
        return DROPOUT_RATE
    return DROPOUT_ELSEWHERE


def outputs_of_sublayers(inputs, values, patterns, d_model, num_heads, d_ff):
    """Yield (batch, time, patterns, …, d) what each sublayer gives for each choice of patterns.

    Each sublayer adds an axis. All weights of one size have the same ``values``.
    """
    square = values[d_model**2].reshape(d_model, d_model)
    w_1 = values[d_model * d_ff].reshape(d_model, d_ff)
    w_2 = values[d_model * d_ff].reshape(d_ff, d_model)
    vector, width = values[d_model], d_model // num_heads

    def attend(h, memory):
        queries = h.reshape(len(h), -1, d_model)
        q, k = (
            (tokens @ square).reshape(len(h), -1, num_heads, width) for tokens in (queries, memory)
        )
        shares = np.exp(np.einsum("bqhw,bkhw->bhqk", q, k) / np.sqrt(width))
        shares /= shares.sum(axis=-1, keepdims=True)
        return np.einsum("bhqk,bkhw->bqhw", shares, k).reshape(h.shape) @ square

    h = inputs[0]
    for memory in (*inputs, None):
        if memory is None:
            change = np.maximum(h @ w_1 + values[d_ff], 0) @ w_2 + vector
        else:
            change = attend(h, memory)
        h = h[..., None, :] + change[..., None, :] * patterns
        h = h - h.mean(axis=-1, keepdims=True)
        h = vector * h / np.sqrt(np.mean(h**2, axis=-1, keepdims=True) + 1e-6) + vector
        yield h


def nearest(possible, output):
    """Return which patterns of each sublayer come nearest to an output, and how near, by token."""
    choices = possible.shape[2:-1]
    flat = possible.reshape(*output.shape[:2], -1, output.shape[2])
    distances = np.abs(flat - output[:, :, None]).max(axis=-1)
    return np.unravel_index(distances.argmin(axis=-1), choices), distances.min(axis=-1)


# --- the whole model ----------------------------------------------------------------------------


def model_with_weights(build_transformer, sizes, ids, **settings):
    """Let an answer build a model, call it, and compare the sizes of its weights."""
    model = example(build_transformer, *sizes, **settings).makes
    example(model, ids, shapes_only=True)
    example(remote_helper(model, weight_sizes, "the sizes of the trained weights"), model)
    return model


def transformer_examples(build_transformer, rng, vocab_sizes, *, num_heads, width, d_ff):
    """Compare a model of two layers on each side: for several lengths, paddings, and dropout.

    No two of the widths and of ``vocab_sizes`` may be equal, since weights are told by their sizes.
    """
    d_model = num_heads * width
    source_ids, target_ids = (rng.integers(1, n, size=(3, 5)) for n in vocab_sizes)
    sizes = (*vocab_sizes, d_model, num_heads, d_ff)
    settings = {"num_layers": 2, "dropout": RATE}
    model = model_with_weights(build_transformer, sizes, [source_ids, target_ids], **settings)
    example(remote_helper(model, settings_of_layers, "the settings of the layers"), model)
    fill_weights(model, weights_of_a_model(rng, d_model, d_ff, vocab_sizes))
    example(model, [source_ids, target_ids], tolerance=MODEL_TOLERANCE)
    real = np.tri(3, 5, 2, dtype=bool)
    shorter = [np.where(real, source_ids, 0)[:, :4], target_ids]
    example(model, shorter, training=False, tolerance=MODEL_TOLERANCE)
    at_words = remote_helper(model, logits_at_words, "the logits at real tokens")
    for hidden_source, hidden_target in ((0, ~real), (~real[::-1, ::-1], np.arange(5) == 2)):
        ids = [np.where(hidden_source, 0, source_ids), np.where(hidden_target, 0, target_ids)]
        example(at_words, model, ids, tolerance=MODEL_TOLERANCE)
    longest = [rng.integers(1, n, size=(1, 128)) for n in vocab_sizes]
    example(model, longest, tolerance=MODEL_TOLERANCE)
    # Without attention, only the dropout of the decoder shows in the logits.
    fill_weights(model, cancelled_words(d_model, vocab_sizes) | {d_model**2: np.zeros(d_model**2)})
    first_words = [source_ids[:, :1], target_ids[:, :1]]
    trial = attempt(model, first_words, training=True)
    first = trial.numbers((3, 1, vocab_sizes[1]))
    again = attempt(model, first_words, training=True).numbers(first.shape)
    if np.allclose(first, again, atol=0.01):
        summary = "with training=True, the decoder gives the same result in two calls"
        trial.fail(summary, mistake=DROPOUT_OFF)


def cancelled_words(d_model, vocab_sizes):
    """Return embeddings by size that cancel the position 0.

    Dropout on the sums of words and positions, which is allowed, then changes nothing.
    """
    cancelled = -np.tile([0, 1], d_model // 2) / np.sqrt(d_model)
    return {n * d_model: np.tile(cancelled, n) for n in vocab_sizes}


def require_nothing_else(build_transformer):
    """Require that a model has no dropout of its own, and shares no weights with another model.

    A normalisation of two features gives (1, -1) or (-1, 1). With these weights it gives the
    second, whatever a layer drops, so any difference comes from outside the layers. And words that
    cancel their positions give zeros while nothing has a bias, unless the words alone are dropped.
    """
    vocab_sizes, sizes = (5, 5), (5, 5, 2, 1, 3)
    words = [np.ones((8, 1), dtype=int)] * 2
    silent = {4: np.zeros(4), 6: np.zeros(6), 2: np.array([1.0, 3.0])}
    other, model = (attempt(build_transformer, *sizes, dropout=RATE).makes for _ in range(2))
    for each in (other, model):
        _ = attempt(each, words).numbers((8, 1, 5))  # which builds it
    trial = attempt(remote_helper(model, weight_sizes, "the sizes of its weights"), model)
    if "3 of size 10" not in trial.value:  # two embeddings and the matrix of the logits
        summary = "with two vocabularies of the same size, a weight matrix is missing"
        trial.fail(summary, mistake=ONE_EMBEDDING)
    fill_weights(model, silent | cancelled_words(2, vocab_sizes))
    expected = attempt(model, words).numbers((8, 1, 5))
    trial = attempt(model, words, training=True)
    if not np.allclose(trial.numbers(expected.shape), expected, atol=0.01):
        summary = "with training=True, something is dropped outside the layers"
        trial.fail(summary, mistake=DROPOUT_OUTSIDE)
    before = attempt(model.get_weights).value
    fill_weights(other, {n: np.linspace(1, 2, n) for n in (2, 3, 4, 6, 10)})
    trial = attempt(model.get_weights)
    if not same(before, trial.value):
        summary = "setting the weights of another model changed those of this model"
        trial.fail(summary, mistake=MODELS_SHARE)
    # The root of 4 is exact, so the words cancel their positions to the last digit.
    model = attempt(build_transformer, *vocab_sizes, 4, 1, 3, dropout=RATE).makes
    _ = attempt(model, words).numbers((8, 1, 5))
    fill_weights(model, cancelled_words(4, vocab_sizes))
    trials = [attempt(model, words, training=training) for training in (False, True)]
    zeros, dropped = (trial.numbers((8, 1, 5)) for trial in trials)
    if np.allclose(zeros, 0) and not np.allclose(dropped, 0, atol=0.01):
        summary = "with training=True, something is dropped outside the layers"
        trials[1].fail(summary, mistake=DROPOUT_OUTSIDE)


def weights_of_a_model(rng, d_model, d_ff, vocab_sizes):
    """Draw the numbers of a model's weights by size, so that no allowed epsilon matters.

    What a sublayer adds is large enough that what a mask hides in the encoder shows in the logits.
    """
    values = some_weights(rng, d_model, d_ff)
    values[d_model] = values[d_model] / 2
    values[d_model**2] = rng.normal(0, 0.8 / np.sqrt(d_model), size=d_model**2)
    for size in vocab_sizes:
        values[size * d_model] = rng.normal(0, 2 / np.sqrt(d_model), size=size * d_model)
    return values


# --- what runs where the work lives -------------------------------------------------------------


def weight_sizes(layer):
    """Say how many trainable weights of each size a layer has, in words that a failure shows."""
    sizes = Counter(int(np.prod(weight.shape)) for weight in layer.trainable_weights)
    return ", ".join(f"{number} of size {size}" for size, number in sorted(sizes.items()))


def fill(layer, values):
    """Give trainable weights the values of their size; others keep what they have."""
    for weight in layer.trainable_weights:
        size = int(np.prod(weight.shape))
        if size in values:
            weight.assign(np.reshape(values[size], weight.shape))


def silence(layer):
    """Set all weights of a layer to 0."""
    layer.set_weights([0 * weight for weight in layer.get_weights()])


def logits_at_words(model, ids):
    """Return a model's logits for ids of sources and targets, with 0 where a target is padding."""
    logits = np.array(model(ids))
    logits[ids[1] == 0] = 0
    return logits


def trained_for_a_step(model, ids, next_ids):
    """Let `fit` take one step; return the loss, and how many weights it leaves unchanged.

    Then the model is translated into the graph that `fit` uses when lengths change.
    """
    import keras
    import tensorflow as tf

    before = [np.array(weight) for weight in model.trainable_weights]
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    # Eagerly: a graph of the gradients takes four times as long, and fails no more of the bank.
    model.compile(keras.optimizers.SGD(1.0), loss, run_eagerly=True)
    history = model.fit(ids, next_ids, verbose=0).history
    pairs = zip(before, model.trainable_weights, strict=True)
    any_ids = tf.TensorSpec((None, None), tf.int32)
    tf.function(model, autograph=False).get_concrete_function([any_ids, any_ids])
    return history["loss"][0], sum(np.array_equal(old, np.array(new)) for old, new in pairs)


def drift(layer, inputs):
    """Move every weight of a layer down its gradient, by at most 0.3 of its largest entry.

    The loss weighs the entries of the output differently. It must depend on the inputs as well,
    which other layers have computed.
    """
    import tensorflow as tf

    weights = layer.trainable_weights
    inputs = [tf.constant(tokens, tf.float32) for tokens in inputs]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        output = layer(*inputs)
        direction = np.cos(np.arange(np.prod(output.shape))).reshape(output.shape)
        loss = tf.reduce_sum(output * tf.constant(direction, output.dtype))
    found, of_inputs = tape.gradient(loss, ([weight.value for weight in weights], inputs))
    if any(gradient is None for gradient in found + of_inputs):
        raise ValueError("the gradient of a weight or of an input of the layer is None")
    sizes = [float(tf.reduce_max(tf.abs(gradient))) for gradient in found]
    for weight, gradient, size in zip(weights, found, sizes, strict=True):
        if size > 1e-5 * max(sizes):  # what is smaller consists of rounding errors
            length = 0.3 * np.max(np.abs(weight.numpy()))
            weight.assign(weight.numpy() - length * gradient.numpy() / size)


def saved_and_loaded(layer_class, layer, d_model, number, masks):
    """Save a model of ``number`` inputs and the named masks around a layer; return what is loaded.

    The model's inputs are sequences of any length.
    """
    import keras

    inputs = [keras.Input((None, d_model)) for _ in range(number)]
    given = {name: keras.Input((None, None), dtype="bool", name=name) for name in masks}
    model = keras.Model([*inputs, *given.values()], layer(*inputs, **given))
    return reloaded(model, layer_class)


def made_again(layer_class, layer):
    """Make a layer again from its configuration."""
    return layer_class.from_config(layer.get_config())


def name_when_made_again(layer_class, layer):
    """Return the name of a layer that is made again, without Keras's counter."""
    return made_again(layer_class, layer).name.rstrip("_0123456789")


def trainable_when_made_again(layer_class, layer):
    """Return whether the weights of a layer that is made again are trained."""
    return made_again(layer_class, layer).trainable


def dtype_when_made_again(layer_class, layer):
    """Return the type of the numbers with which a layer that is made again computes."""
    return made_again(layer_class, layer).compute_dtype


def settings_of_layers(model):
    """Say which layers a model's encoder and decoder have, in words that a failure shows."""
    names = "d_model", "num_heads", "d_ff", "dropout"
    found = Counter()

    def look_into(layer):
        for inner in layer._flatten_layers(recursive=False, include_self=False):
            classes = (each.__name__ for each in type(inner).__mro__)
            kinds = [name for name in classes if name in ("EncoderLayer", "DecoderLayer")]
            if not kinds:
                look_into(inner)
                continue
            config = inner.get_config()
            settings = ", ".join(f"{name}={config.get(name)}" for name in names)
            found[f"{kinds[0]}({settings})"] += 1

    look_into(model)
    return ", ".join(f"{number} {layer}" for layer, number in sorted(found.items()))


class ScriptedLogits(ScriptedWriter):
    """A `next_logits` that writes given words as long as it is fed what it has written.

    A row of ids (batch, so far) whose first id is not ``start_id``, or whose others are not what
    the row of ``words`` (batch, steps) says, goes on with another word. After its end a row is
    indifferent to what it is fed.
    """

    def __call__(self, ids):
        self._count_call("next_logits")
        ids, batch = np.asarray(ids), len(self._words)
        if ids.ndim != 2 or not ids.size:
            raise ValueError(
                f"next_logits was called with ids of shape {ids.shape}; expected ({batch}, so far) "
                "with the start token first"
            )
        if len(ids) != batch:
            raise ValueError(f"next_logits was called for {len(ids)} rows; there are {batch}")
        columns = np.arange(ids.shape[1]) % self._words.shape[1]
        written = np.roll(self._words[:, columns], 1, axis=1)
        written[:, 0] = self._start_id
        ended = np.cumsum(written[:, 1:] == self._end_id, axis=1) > 0
        wrong = ids.astype(int) - written
        wrong[:, 1:][ended] = 0
        # Earlier mistakes count as well, each in its own way.
        astray = np.abs(wrong) @ (1 + np.arange(ids.shape[1]) % (self._vocab_size - 1))
        return self._logits((self._words[:, columns[-1]] + astray) % self._vocab_size)

    def _logits(self, words):
        """Give the largest logit to one word a row; no two of a row are equal.

        In some rows all are negative. In the others their exponentials overflow.
        """
        logits = -3.0 - (7 * np.arange(self._vocab_size) + 3 * words[:, None]) % self._vocab_size
        logits += 0.01 * np.arange(self._vocab_size)
        logits[np.arange(len(words)), words] = -1.5
        logits[words > self._vocab_size // 2] += 800
        return logits


def type_of_ids(greedy_decode, model, max_length):
    """Return the type of the ids that an answer writes with `ScriptedLogits` of these arguments."""
    words, start_id, _, end_id = model
    ids = greedy_decode(ScriptedLogits(*model), start_id, end_id, max_length, len(words))
    return np.asarray(ids).dtype.name


def type_of_count(transformer_parameter_count, vocab_size):
    """Return the type of the number that an answer counts."""
    return np.asarray(transformer_parameter_count(vocab_size)).dtype.name


def calls_of_next_logits(greedy_decode, model, max_length):
    """Return how often an answer calls `ScriptedLogits` with these arguments."""
    next_logits = ScriptedLogits(*model)
    words, start_id, _, end_id = model
    greedy_decode(next_logits, start_id, end_id, max_length, len(words))
    return next_logits.calls
