"""Visible checks of chapter 6, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import ByImportPath, attempt, check, example, remote_helper
from coursekit.checks.attention_layers import COLUMNS_ALIKE
from coursekit.checks.comparison import as_numbers
from coursekit.checks.layers import TOLERANCE, layer_examples, reloaded, training_examples

X = np.array(
    [
        [0.9, 0.4, 0.2, 0.3],
        [-0.9, 1.2, 0.4, -0.7],
        [-0.1, 0.5, -0.4, 1.1],
        [-0.6, -0.8, -0.5, 0.5],
        [-0.1, 0.6, 0.7, -0.2],
        [0.9, -0.4, 0.1, 0.8],
    ]
)
W_Q = np.array(
    [[1.4, -0.3, 0.9, -1.5], [-0.9, 1.2, -0.7, 0.3], [-1.2, 0.2, -1.1, -0.5], [1.2, -0.8, 0.8, -1]]
)
W_K = np.array(
    [[1.4, -1, -1.4, -0.5], [-0.7, -1.5, -0.4, 0.2], [-0.6, -1.2, -0.4, 0.9], [0.4, 0.8, 0.2, -1]]
)
W_V = np.array(
    [[-0.9, 1, 0.2, -0.4], [1.1, -0.7, 0.7, -1.1], [1.2, -0.4, -0.1, 0.4], [-0.3, 1.1, -1.1, 0.1]]
)
W_O = np.array(
    [
        [-1.4, 1.2, -0.9, 1.1],
        [-1.3, -0.3, 0.8, -0.5],
        [-1.1, -1.5, -1.1, -0.9],
        [1.4, -1.1, -1, -0.8],
    ]
)
WEIGHTS = [W_Q, W_K, W_V, W_O]
SAMPLED = "The variance is estimated from random numbers. Return the exact value instead."
# Queries and keys of head 0; the values are wider, so that no width is mistaken for another.
Q, K, V = X[:3] @ W_Q[:, :2], X @ W_K[:, :2], X @ W_V[:, :3]
CAUSAL = np.tri(6, dtype=bool)
# Two examples, so that a mask of each may be mistaken for one of each head.
PAIR = np.stack([X, np.roll(X, 2, axis=1)[::-1]])
MASKS = np.stack([CAUSAL, np.arange(6) % 3 <= np.arange(6)[:, None]])


@check
def scaled_dot_product_attention(scaled_dot_product_attention):
    example(scaled_dot_product_attention, Q, K, V)
    example(scaled_dot_product_attention, Q, K, V, np.array([1, 1, 1, 0, 1, 1], dtype=bool))
    mask = np.array([[1, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]], dtype=bool)
    example(scaled_dot_product_attention, Q, K, V, mask=mask | (np.arange(6) == 1))
    example(scaled_dot_product_attention, Q, K, V, mask=mask)
    example(scaled_dot_product_attention, Q, K, V, mask=np.zeros((3, 6), dtype=bool))
    attention_with_axes(scaled_dot_product_attention, PAIR)
    attention_of_large_scores(scaled_dot_product_attention, np.array([1.5, -2.0, 0.5]))


def attention_with_axes(attend, x):
    """Compare an attention in batches and in heads, x (batch, time, 4), with and without masks."""
    example(attend, x[:, 1:4], x, x[:, :, :3])
    heads = np.stack([x[:, :, :2], x[:, :, 1:3], x[:, :, 2:]], axis=1)
    future_hidden = np.tri(4, x.shape[1], k=1, dtype=bool)
    example(attend, heads[:, :, :4], heads, heads[..., ::-1], mask=future_hidden)
    padding_hidden = np.arange(x.shape[1]) < 3 + np.arange(len(x))[:, None]
    example(attend, heads[:, :, :4], heads, heads[..., :1], mask=padding_hidden[:, None, None])


def attention_of_large_scores(attend, values):
    """Compare an attention whose scores differ by thousands, which float32 holds exactly."""
    # The rows lie far apart: one maximum for all of them would leave a sum of zero.
    q = np.array([[200.0, 0.0, 0.0, 0.0], [-200.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    k = np.array([[100, 2, 0, 0], [-100, 0, 1, 0], [100 + 1 / 128, -1, 0, 3]])
    example(attend, q, k, values[:, None])
    example(attend, q, k, values[:, None], mask=np.array([False, True, True]))
    example(attend, q, k, values[:, None], mask=~np.eye(3, dtype=bool))


@check
def causal_mask(causal_mask, padding_mask):
    for length in (3, 5, 1):
        example(causal_mask, length)
    example(padding_mask, np.array([2, 4, 1]), 5)
    example(padding_mask, np.array([3, 0, 6, 1]), 6)


@check
def split_heads(split_heads, merge_heads):
    heads_examples(split_heads, merge_heads, X[None, :3], 2)
    heads_examples(split_heads, merge_heads, PAIR[:, :3], 4)
    heads_examples(split_heads, merge_heads, PAIR, 1)


def heads_examples(split_heads, merge_heads, x, num_heads):
    """Compare how x is split, and how its heads are merged, each by itself."""
    example(split_heads, x, num_heads)
    example(merge_heads, np.stack(np.split(x, num_heads, axis=2), axis=1))


@check
def multi_head_attention(multi_head_attention):
    others = PAIR[:, :, ::-1] - 0.5
    # First as many queries as keys: what confuses them then gives numbers that tell which it was.
    example(multi_head_attention, PAIR, others, others[::-1], *WEIGHTS, 2)
    example(multi_head_attention, X[None, :2], X[None], X[None], *WEIGHTS, 2)
    example(multi_head_attention, PAIR[:, :2], PAIR, others, *WEIGHTS, 2)
    mask = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0]], dtype=bool)
    # Both rows hide something, so neither of them gives what no mask would.
    both = mask[::-1] & (np.arange(6) != 4)
    example(multi_head_attention, X[None, :2], X[None], X[None], *WEIGHTS, 2, mask=both)
    example(multi_head_attention, X[None, :2], X[None], X[None], *WEIGHTS, 2, mask=mask)
    example(multi_head_attention, PAIR, PAIR, others, *WEIGHTS, 2, mask=MASKS)
    for num_heads in (4, 1):
        example(multi_head_attention, PAIR[:, :2], PAIR, others, *WEIGHTS, num_heads)
    # Scores of 0 and of some thousands, which float32 holds well enough.
    apart, unchanged = 100 * np.eye(4)[None], [np.eye(4)] * 3
    example(multi_head_attention, apart, apart, others[:1, :4], *unchanged, W_O, 2)
    nothing = mask & np.array([[True], [False]])
    for hidden in (nothing, np.zeros((2, 6), dtype=bool)):
        example(multi_head_attention, X[None, :2], X[None], X[None], *WEIGHTS, 2, mask=hidden)


@check
def MultiHeadSelfAttention(MultiHeadSelfAttention):
    self_attention_examples(MultiHeadSelfAttention, 2, PAIR, WEIGHTS, MASKS)


def self_attention_examples(layer_class, num_heads, x, weights, masks):
    """Compare a layer on x with and without masks, after training, saved, and on other lengths."""
    d_model = x.shape[-1]
    layer = layer_examples(layer_class, (d_model, num_heads), x, weights)
    example(layer, x[:, :-1], tolerance=TOLERANCE)
    example(layer, x, mask=masks[0], tolerance=TOLERANCE)
    # Scores in the thousands of both signs. With one token to see, no rounding of a score matters.
    itself = np.eye(x.shape[1], dtype=bool)
    example(layer, 100 * x, mask=itself, tolerance=TOLERANCE)
    example(layer, x, mask=masks, tolerance=TOLERANCE)
    example(layer, x[:1, 1:], mask=masks[:1, 1:, 1:], tolerance=TOLERANCE)
    for other in (1, d_model):
        heads = example(layer_class, d_model, other).makes
        example(heads, x, shapes_only=True)
        fresh = example(heads.get_weights, shapes_only=True)
        matrices = np.asarray(fresh.value)
        if (matrices == matrices[:, :, :1]).all(axis=(1, 2)).any():
            summary = "each row of a new layer's weight array holds equal numbers"
            fresh.fail(summary, mistake=COLUMNS_ALIKE)
        attempt(heads.set_weights, weights).gives(None)
        example(heads, x, tolerance=TOLERANCE)
    training_examples(layer, x, weights, masks)
    helper = remote_helper(layer, saved_in_a_model, "saved and loaded")
    loaded = example(helper, layer_class, layer, list(x.shape[1:])).makes
    # From now on the layer itself no longer gives the numbers that were saved.
    attempt(layer.set_weights, [0 * weight for weight in weights]).gives(None)
    example(loaded, x, tolerance=TOLERANCE)


@check
def softmax_jacobian(softmax_jacobian, logit_variance):
    for p in ([0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [0.1, 0.6, 0.05, 0.25]):
        example(softmax_jacobian, np.array(p))
    require_exact(logit_variance, 64)
    for d_k in (64, 3):
        example(logit_variance, d_k, False)
        example(logit_variance, d_k, True)


def require_exact(logit_variance, d_k):
    """Require that the variance of an unscaled score is not near d_k without being exact.

    What formulas give is a whole number or far away; what is drawn is near it, and no whole number.
    """
    trial = attempt(logit_variance, d_k, False)
    number = as_numbers(trial.reply.value)
    if number is None or number.shape or number.dtype.kind != "f":
        return
    if abs(number / d_k - 1) < 0.4 and abs(number - np.round(number)) > 1e-3:
        detail = f"{number:.7g} came back; expected {d_k}"
        trial.fail("the number is near the variance, but not exact", detail, SAMPLED)


@check
def attention_pooling_regression(attention_pooling_regression):
    x_train, y_train = np.array([1.0, 0.0, 3.0]), np.array([4.0, 1.0, 2.0])
    near = np.array([1.2, 2.5])
    example(attention_pooling_regression, near, x_train, y_train, 0.7)
    example(attention_pooling_regression, near, x_train, y_train, 1.5)
    example(attention_pooling_regression, np.array([1.2, 2.5, 40.0]), x_train, y_train, 0.7)
    example(attention_pooling_regression, np.array([0, 1, 2]), x_train, y_train, 0.7)


@check
def is_causal(is_causal):
    causality_examples(is_causal, np.stack([np.roll(X, -1, axis=0), X])[:, :, :3], far=3)


def causality_examples(is_causal, x, far):
    """Compare verdicts on attention functions that look ahead in different ways.

    The first example of x begins with a negative number, the second with a positive one; step
    ``far`` lies between the middle of the sequence and its last step.
    """
    time = x.shape[1]
    causal, everything = np.tri(time, dtype=bool), np.ones((time, time), dtype=bool)

    def seeing(query, key):
        mask = causal.copy()
        mask[query, key] = True
        return mask

    example(is_causal, ByImportPath("numpy:zeros_like"), x)
    example(is_causal, ByImportPath("numpy:tanh"), x)
    example(is_causal, _attend("running_mean"), x)
    example(is_causal, _attend("attention_through", causal), x)
    # An answer that finds nothing, one that changes too little and one that only reorders the steps
    # fail at a different one of these three.
    example(is_causal, _attend("weighted_sum", 1e6), x)
    example(is_causal, _attend("weighted_sum", 1.0), x)
    example(is_causal, _attend("attention_through", everything), x)
    example(is_causal, _attend("attention_through", seeing(0, time - 1)), x)
    example(is_causal, _attend("attention_through", np.tri(time, k=1, dtype=bool)), x)
    example(is_causal, _attend("attention_through", seeing(0, far)), x)
    example(is_causal, _attend("attention_through", seeing(0, 1)), x)
    example(is_causal, _attend("leak_into_two_columns"), x)  # the other numbers stay the same
    example(is_causal, _attend("attention_through", seeing(time - 2, time - 1)), x)
    # Adding a number to all features, doubling them, and adding the outputs up before they are
    # compared hide a leak from the first, the second and the third of these.
    for rescaled, power in ((False, 2), (True, 2), (True, 1)):
        example(is_causal, _attend("normalised_attention", rescaled, power), x)
    silent = np.where(np.arange(time)[:, None] >= far, 0, x)
    example(is_causal, _attend("attention_through", seeing(0, far)), silent)
    for sign in (1, -1):
        example(is_causal, _attend("leak_in_some_examples", sign), x)
    # Who changes one feature misses one of these leaks; who compares one, one of the next two.
    for feature in (x.shape[2] - 1, 0):
        example(is_causal, _attend("leak_from_a_feature", feature), x)
    for feature in (x.shape[2] - 1, 0):
        example(is_causal, _attend("leak_in_a_feature", feature), x)
    # An answer with a tolerance of its own misses the last of these leaks, or minds the errors of
    # the same size after it.
    for size, tolerance in ((1.0, 1e-6), (-1.0, 1e-6), (1.0, 0.5), (1e-4, 1e-6)):
        example(is_causal, _attend("leak_into_one_number", x[0, -1], time, size), x, tolerance)
    example(is_causal, _attend("noisy_attention", causal, 1e-4), x, 1e-2)
    example(is_causal, _attend("noisy_attention", causal, 4e-3), x, 1e-2)
    example(is_causal, _attend("noisy_attention", everything, 4e-3), x, 1e-2)
    example(is_causal, _attend("leak_into_one_number", x[0, -1], time, 0.1, 1e6), x)
    # The outputs need not be as wide as x, and a single step has none after it.
    example(is_causal, _attend("two_columns"), x)
    example(is_causal, _attend("attention_through", everything), x[:, :1])


def _attend(name, *args):
    return ByImportPath(f"{__name__}:{name}", *args)


# --- what runs where the work lives -------------------------------------------------------------


def saved_in_a_model(layer_class, layer, input_shape):
    """Save a model that holds nothing but a layer and return what is loaded."""
    import keras

    layer_class.from_config(layer.get_config())  # its error is easier to read than that of loading
    model = keras.Sequential([keras.Input(input_shape), layer])
    return reloaded(model, layer_class)


def running_mean(x):
    """Return at each step the mean of the steps up to it."""
    return np.cumsum(x, axis=1) / np.arange(1, x.shape[1] + 1)[:, None]


def attention_through(mask):
    """Return a self-attention in which step i sees step j where mask (time, time) is True.

    Steps beyond the mask see all steps up to themselves, and no step before them sees them.
    """

    def attend(x):
        time = x.shape[1]
        larger = np.tri(max(time, len(mask)), dtype=bool)
        larger[: len(mask), : len(mask)] = mask
        return _self_attention(x, larger[:time, :time])

    return attend


def normalised_attention(rescaled, power):
    """Return an attention to all steps, each normalised to mean 0, if rescaled also to variance 1.

    It returns the outputs to a power: their sum over the features is 0 for the power 1 alone.
    """

    def attend(x):
        x = x - x.mean(axis=2, keepdims=True)
        if rescaled:
            x = x / (x.std(axis=2, keepdims=True) + 1e-12)
        return _self_attention(x, True) ** power

    return attend


def leak_from_a_feature(feature):
    """Return a function that adds the mean of a feature over all steps to a running mean."""

    def attend(x):
        return running_mean(x) + x[:, :, [feature]].mean(axis=1, keepdims=True)

    return attend


def leak_into_two_columns(x):
    """Return a running mean in whose first and last column every step sees the last one."""
    out = running_mean(x)
    out[:, :, [0, -1]] += x[:, -1:, [0, -1]]
    return out


def two_columns(x):
    """Return the running mean of the first two features alone."""
    return running_mean(x[:, :, :2])


def weighted_sum(scale):
    """Return a function that gives every step the same weighted sum of all steps."""

    def attend(x):
        weights = scale * np.arange(1, x.shape[1] + 1)
        return np.repeat((weights @ x)[:, None], x.shape[1], axis=1)

    return attend


def leak_in_some_examples(sign):
    """Return an attention that shows the future to examples that begin with a number of a sign."""

    def attend(x):
        causal = np.tri(x.shape[1], dtype=bool)
        return _self_attention(x, causal | (sign * x[:, :1, :1] > 0))

    return attend


def leak_in_a_feature(feature):
    """Return an attention that shows the future to one feature; the others attend by themselves."""

    def attend(x):
        others = np.delete(x, feature, axis=2)
        out = _self_attention(others, np.tri(x.shape[1], dtype=bool))
        alone = _self_attention(x[:, :, [feature]], True)
        return np.insert(out, feature, alone[:, :, 0], axis=2)

    return attend


def leak_into_one_number(last, length, size, offset=0.0):
    """Return a function that adds ``size`` to one number of step 0 if the last step is ``last``.

    It does so in sequences of ``length`` steps alone; all other numbers are ``offset``.
    """

    def attend(x):
        out = np.full(x.shape, offset)
        if x.shape[1] == length:
            out[:, 0, 0] += size * np.exp(-100 * ((x[:, -1] - last) ** 2).sum(axis=1))
        return out

    return attend


def noisy_attention(mask, size):
    """Return an `attention_through` a mask with errors up to ``size``, others in every call."""
    attend, rng = attention_through(mask), np.random.default_rng(0)

    def noisy(x):
        return attend(x) + rng.uniform(-size, size, size=x.shape)

    return noisy


def _self_attention(x, mask):
    scores = x @ np.swapaxes(x, 1, 2) / x.shape[2]
    scores = np.where(mask, scores, -np.inf)
    # Without a step there is no largest score.
    shares = np.exp(scores - scores.max(axis=2, keepdims=True, initial=-np.inf))
    return shares / shares.sum(axis=2, keepdims=True) @ x
