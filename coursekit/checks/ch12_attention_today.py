"""Visible checks of chapter 12, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import attempt, check, example, remote_helper
from coursekit.checks.attention_layers import COLUMNS_ALIKE
from coursekit.checks.layers import (
    TOLERANCE,
    copy_by_config,
    layer_examples,
    saving_examples,
    set_weights,
    training_examples,
)
from coursekit.checks.refusals import refusal_is

ONE_HEAD_REFUSED = "One head is refused, although 1 is a power of two."
WINDOW_OF_ONE_REFUSED = (
    "A window of 1 is refused, although it is allowed: it shows a token only itself."
)

Q = np.array([[0.9, -0.4, 1.2, 0.3], [-0.7, 1.1, 0.2, -0.5], [0.4, 0.6, -0.8, 1.0]])
K = np.array([[1.0, 0.2, -0.6, 0.5], [-0.3, 0.8, 0.9, -1.1], [0.7, -0.9, 0.4, 0.1]])
V = np.array([[1.0, 0.0, 0.5, -1.0], [0.0, 2.0, -0.5, 1.0], [-1.0, 1.0, 1.0, 0.0]])
# Two examples of three tokens each.
PAIR_Q, PAIR_K, PAIR_V = (np.stack([a, a[::-1, ::-1] + 0.25]) for a in (Q, K, V))
HEADS = np.stack([PAIR_Q, 2 * PAIR_Q[:, :, ::-1], -PAIR_Q, PAIR_Q + 0.5], axis=1)
SHARED_K = np.stack([PAIR_K, 1.5 * PAIR_K[::-1]], axis=1)
SHARED_V = np.stack([PAIR_V, PAIR_V[::-1] - 0.5], axis=1)
UNDERFLOW = -1000.0


@check
def rotate(rotate):
    example(rotate, Q)
    rotation_examples(rotate, PAIR_Q, np.array([3.0, -1.5, 7.25]))


def rotation_examples(rotate, x, positions):
    """Compare rotations of x (batch, time, 4), its parts and six columns; positions (time,)."""
    example(rotate, x)
    example(rotate, x, positions)
    example(rotate, x, n=100.0)
    example(rotate, x[0, :, :2], positions)
    example(rotate, x[0, :1], positions[:1])
    example(rotate, x[0], positions, 16.0)
    example(rotate, np.concatenate([x, x[..., :2]], axis=-1), positions)
    example(rotate, np.stack([x, -x[..., ::-1]], axis=1), positions)
    example(rotate, np.stack([x, -x[..., ::-1]], axis=1))
    # As many heads as tokens: the angles must follow the tokens.
    example(rotate, np.stack([x + head for head in range(x.shape[1])], axis=1))
    example(rotate, np.round(4 * x).astype(int))
    reason = "x with an odd number of columns"
    example(rotate, x[..., :3], raises=ValueError, because=reason)


@check
def alibi_slopes(alibi_slopes, alibi_bias):
    for num_heads in (4, 8):
        example(alibi_slopes, num_heads)
    with refusal_is(ONE_HEAD_REFUSED):
        example(alibi_slopes, 1)
    for num_heads in (2, 16):
        example(alibi_slopes, num_heads)
    for num_heads, length in ((4, 3), (1, 5), (8, 1)):
        example(alibi_bias, num_heads, length)
    # The logarithm of 31 is nearly 5.
    refused_heads(alibi_slopes, alibi_bias, (6, 3, 0, -4, 31))


def refused_heads(alibi_slopes, alibi_bias, numbers):
    """Require that numbers of heads that are not powers of two are refused."""
    for num_heads in numbers:
        reason = f"num_heads = {num_heads}, which is not a power of two,"
        example(alibi_slopes, num_heads, raises=ValueError, because=reason)
        example(alibi_bias, num_heads, 3, raises=ValueError, because=reason)


@check
def grouped_query_attention(grouped_query_attention):
    causal = np.tri(3, dtype=bool)
    example(grouped_query_attention, HEADS[:1, :2], SHARED_K[:1, :1], SHARED_V[:1, :1], causal)
    grouped_examples(grouped_query_attention, HEADS, SHARED_K, SHARED_V)


def grouped_examples(attend, q, k, v):
    """Compare attention of q (batch, 4, time_q, d) to two heads of k and v, with every mask."""
    time_q, time_k = q.shape[2], k.shape[2]
    causal = np.tri(time_q, time_k, dtype=bool)
    example(attend, q[:, 1:3], k, v)
    example(attend, q, k, v)
    example(attend, q[:, :3], k[:, 1:], v[:, 1:])
    example(attend, q, k, v, causal)
    example(attend, q[:, :, :1], k, v)
    padding = np.arange(time_k) < time_k - np.arange(len(q))[:, None]
    example(attend, q, k, v, mask=padding[:, None, None])
    # Each query head has a mask of its own.
    of_heads = [causal, padding[:1] | ~causal, causal[:, ::-1], np.ones_like(causal)]
    example(attend, q, k, v, mask=np.stack(of_heads)[None])
    example(attend, q, k, v, padding[-1:])
    nothing = np.zeros((len(q), 1, 1, time_k), dtype=bool)
    nothing[1:] = True
    example(attend, q, k, v, mask=nothing)
    example(attend, q, k, v, mask=causal & (np.arange(time_q) != 1)[:, None])
    itself = np.eye(time_q, time_k, dtype=bool)
    example(attend, 100 * q, 100 * np.sign(k), v, mask=itself)
    # Each query sees one key, whose score is -99,000, and no score of another is lower.
    signs = np.where(k < 0, -1.0, 1.0)
    lowest = -99_000 / np.sqrt(k.shape[3]) * np.repeat(signs, 2, axis=1)[:, :, :time_q]
    example(attend, lowest, signs, v, mask=itself)
    example(attend, q, k, v, mask=np.zeros((1, 1, 1, time_k), dtype=bool))
    reason = "a number of heads that is not a multiple of the number of groups"
    example(attend, q[:, :3], k, v, raises=ValueError, because=reason)
    example(attend, q[:, :1], k, v, raises=ValueError, because=reason)


@check
def cached_step(cached_step, cache_bytes):
    steps_examples(cached_step, Q[:, None], K[:, None], V[:, None])
    steps_examples(cached_step, *(np.swapaxes(a, 0, 1) for a in (PAIR_Q, PAIR_K, PAIR_V)))
    far = np.stack([-100 * K, 90 * K], axis=1), np.stack([V[::-1], V + 0.5], axis=1)
    example(cached_step, 200 * Q, 100 * K, V, far)
    example(cached_step, Q, K, V)
    example(cached_step, -100 * np.abs(Q), 100 * np.abs(K), V)
    continued_twice_examples(cached_step, Q, K, V)
    # One byte a number first: by default there are 2, as many as there are keys and values.
    example(cache_bytes, 4, 3, 5, 7, bytes_per_number=1)
    example(cache_bytes, 4, 3, 5, 7)
    example(cache_bytes, 4, 3, 5, 7, 11)
    # As large as the smallest number that 32 bits do not hold.
    example(cache_bytes, 32, 8, 128, 4096, batch=4, bytes_per_number=2)


def continued_twice_examples(cached_step, q, k, v):
    """Compare two texts that go on from the same cache, q, k and v (3, d) one token a row."""
    helper = remote_helper(cached_step, continued_twice, "two texts that begin with the same token")
    example(helper, cached_step, *(a[:, None] for a in (q, k, v)))


def steps_examples(cached_step, q, k, v):
    """Compare steps with a cache of every length, q, k and v (time, batch, d)."""
    # The longest cache comes second, because in one of a single token several mistakes look alike.
    for t in (0, *reversed(range(1, len(q)))):
        cache = (np.swapaxes(k[:t], 0, 1), np.swapaxes(v[:t], 0, 1)) if t else None
        example(cached_step, q[t], k[t], v[t], cache)


@check
def sliding_window_mask(sliding_window_mask, receptive_field):
    for length, window in ((4, 2), (6, 3)):
        example(sliding_window_mask, length, window)
    with refusal_is(WINDOW_OF_ONE_REFUSED):
        example(sliding_window_mask, 5, 1)
    for length, window in ((3, 7), (1, 1)):
        example(sliding_window_mask, length, window)
    # With three layers no two wrong formulas give the same.
    for num_layers, window in ((3, 5), (2, 5), (1, 5), (32, 4096)):
        example(receptive_field, num_layers, window)
    with refusal_is(WINDOW_OF_ONE_REFUSED):
        example(receptive_field, 4, 1)
    refused_windows(sliding_window_mask, receptive_field)


def refused_windows(sliding_window_mask, receptive_field):
    """Require that a window without any position is refused."""
    for window in (0, -2):
        reason = f"window = {window}"
        example(sliding_window_mask, 5, window, raises=ValueError, because=reason)
        example(receptive_field, 3, window, raises=ValueError, because=reason)


@check
def online_softmax_update(online_softmax_update, tiled_attention):
    example(online_softmax_update, None, np.array([[1.0, 3.0]]), V[:2])
    # The exercise prints this state to four places; here it is exact.
    kept = np.exp(-2.0)
    state = np.array([3.0]), np.array([1 + kept]), (kept * V[0] + V[1])[None]
    example(online_softmax_update, state, np.array([[4.0]]), V[2:])
    running_examples(online_softmax_update, Q @ K.T, V[:, :2])
    example(tiled_attention, Q, K, V, 2)
    # All sizes differ: 2 queries, 3 keys, 4 numbers in each of them and 5 in a value.
    wide = np.hstack([V, V[:, :1] + V[:, 1:2]])
    for block_size in (2, 1, 3, 5):
        example(tiled_attention, Q[:2], K, wide, block_size)
    far = np.array([[200.0, 0, 0, 0], [-200, 0, 0, 0]])
    example(tiled_attention, far, 100 * K, V, 2)
    example(tiled_attention, far[:1], -100 * np.abs(K), V, 2)


def running_examples(update, scores, values):
    """Compare first and later blocks; the second row's maximum does not change, scores (n, 3)."""
    example(update, None, scores, values)
    state = scores[:, 0], np.full(len(scores), 1.5), 1.5 * values[np.arange(len(scores)) % 3]
    example(update, state, scores[:, 1:], values[1:])
    example(update, state, scores[:, 1:] - 5, values[1:])
    example(update, list(state), scores, values)  # changes are found in lists, not in tuples
    # Below 0 a maximum that begins at 0 is too large.
    example(update, None, -4 - np.abs(scores), values)
    example(update, None, 1e4 * np.sign(scores), values)
    high = (np.full(len(scores), 1e4), *state[1:])
    example(update, high, -1e4 * np.ones_like(scores), values)
    low = (np.full(len(scores), -1e4), *state[1:])
    example(update, low, 1e4 * np.sign(scores), values)


@check
def linear_attention(linear_attention, linear_attention_step):
    example(linear_attention, Q[None], K[None], V[None])
    example(linear_attention, PAIR_Q, PAIR_K, PAIR_V[:, :, :2])
    example(linear_attention_step, Q[:1], K[:1], V[:1])
    linear_steps(linear_attention_step, PAIR_Q, PAIR_K, PAIR_V[:, :, :3])
    underflows(linear_attention, linear_attention_step, PAIR_Q, PAIR_K, PAIR_V)


def linear_steps(step, q, k, v):
    """Compare a first step and one with a state, q and k (batch, time ≥ 3, d)."""
    example(step, q[:, 0], k[:, 0], v[:, 0])
    # A state that no tokens have made, so that what is done with each part shows.
    state = 0.5 + k[:, 0, :, None] * v[:, 1, None], 1 + k[:, 2] ** 2
    example(step, q[:, 1], k[:, 1], v[:, 1], state)
    # A list, because changes are found in lists, but not in tuples.
    example(step, -q[:, 2], 2 * k[:, 2], v[:, 2], list(state))


def underflows(linear_attention, step, q, k, v):
    """Compare outputs where an exponential over- or underflows."""
    some_q = np.where(np.arange(q.shape[1])[:, None] == 1, UNDERFLOW, q)
    example(linear_attention, some_q, k, v)
    example(linear_attention, q, np.full_like(k, UNDERFLOW), v)
    example(step, q[:, 0], np.full_like(k[:, 0], UNDERFLOW), v[:, 0])
    first_alone = np.where(np.arange(len(q))[:, None] == 0, UNDERFLOW, q[:, 0])
    example(step, first_alone, k[:, 0], v[:, 0])
    example(linear_attention, np.full_like(q[:, :1], UNDERFLOW), k[:, :1], v[:, :1])
    example(linear_attention, 1000 + q, k, v)
    # Small weights, of which elu(x) + 1 in float32 still has three digits.
    small_q, small_k = q / 4 - 8, k / 4 - 8
    example(linear_attention, small_q, small_k, v, tolerance=1e-3)
    example(step, small_q[:, 0], small_k[:, 0], v[:, 0], tolerance=1e-3)


X = np.array(
    [
        [0.9, 0.4, 0.2, 0.3, -0.6, 1.1, -0.2, 0.5],
        [-0.9, 1.2, 0.4, -0.7, 0.3, 0.2, 0.8, -1.0],
        [-0.1, 0.5, -0.4, 1.1, 0.7, -0.9, 0.6, 0.1],
        [-0.6, -0.8, -0.5, 0.5, 1.2, 0.4, -0.3, 0.9],
        [-0.1, 0.6, 0.7, -0.2, -1.1, 0.3, 0.2, -0.4],
    ]
)
LAYER_PAIR = np.stack([X, np.roll(X, 3, axis=1)[::-1]])


@check
def RotarySelfAttention(RotarySelfAttention):
    weights = layer_weights(np.random.default_rng(12), 8, 4)
    padded = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], dtype=bool)
    rotary_examples(RotarySelfAttention, (8, 4, 2), LAYER_PAIR, weights, padded)
    for settings in ((8, 3), (12, 4), (8, 8)):
        reason = f"d_model = {settings[0]} with {settings[1]} heads"
        example(RotarySelfAttention, *settings, raises=ValueError, because=reason)
    for num_heads, num_kv_heads in ((4, 3), (2, 4)):
        reason = f"{num_heads} heads with {num_kv_heads} key heads"
        example(RotarySelfAttention, 8, num_heads, num_kv_heads, raises=ValueError, because=reason)


def layer_weights(rng, d_model, shared_width):
    """Draw the four weights of a layer so that no head is saturated."""
    widths = d_model, shared_width, shared_width, d_model
    return [rng.normal(0, 1.2 / np.sqrt(d_model), size=(d_model, width)) for width in widths]


def rotary_examples(layer_class, settings, x, weights, padded):
    """Compare a layer of some settings on x, with masks, after training, saved, other lengths."""
    d_model, num_heads, *_ = settings
    layer = layer_examples(layer_class, settings, x, weights)
    example(layer, x[:, :-1], tolerance=TOLERANCE)
    example(layer, x[:1, :1], tolerance=TOLERANCE)
    example(layer, np.concatenate([x, x[:, ::-1], x], axis=1), tolerance=TOLERANCE)
    helper = remote_helper(layer, at_real_steps, "with a mask")
    example(helper, layer, x, padded, tolerance=TOLERANCE)
    left = padded[:, ::-1]
    example(helper, layer, x, left, tolerance=TOLERANCE)
    example(helper, layer, x, padded, training=True, tolerance=TOLERANCE)
    hole = np.arange(x.shape[1]) != 1
    example(helper, layer, x[:1], hole[None], tolerance=TOLERANCE)
    # Whatever is added to a hidden score must be more than the scores of larger inputs differ by.
    example(layer, 5 * x, tolerance=TOLERANCE)
    # Each key is opposite to the query of its token, so the first token sees a score far below 0.
    groups = weights[1].shape[1] * num_heads // d_model
    queries = weights[0].reshape(d_model, groups, -1)[:, :, : d_model // num_heads]
    set_weights(layer, [weights[0], -queries.reshape(d_model, -1), *weights[2:]])
    # Of scores in the thousands, float32 knows three digits after the point.
    example(layer, 20 * x, tolerance=3e-3)
    set_weights(layer, weights)
    helper = remote_helper(layer, mean_behind_masking, "behind a Masking layer")
    example(helper, layer, np.where(padded[..., None], x, 0), tolerance=TOLERANCE)
    plain = example(layer_class, d_model, num_heads).makes
    example(plain, x, shapes_only=True)
    fresh = example(plain.get_weights, shapes_only=True)
    matrices = np.asarray(fresh.value)
    if (matrices == matrices[:, :, :1]).all(axis=(1, 2)).any():
        fresh.fail("each row of a matrix of a new layer holds equal numbers", mistake=COLUMNS_ALIKE)
    square = [np.resize(matrix, (d_model, d_model)) for matrix in weights]
    attempt(plain.set_weights, square).gives(None)
    example(plain, x, tolerance=TOLERANCE)
    # Wider heads have several pairs, so how these are paired and the exponent can be seen.
    half = num_heads // 2
    other = example(layer_class, d_model, half, num_kv_heads=half, n=20.0).makes
    example(other, x, shapes_only=True)
    attempt(other.set_weights, square).gives(None)
    example(other, x, tolerance=TOLERANCE)
    shared = example(layer_class, d_model, num_heads, 1).makes
    example(shared, x, shapes_only=True)
    width = d_model // num_heads
    narrow = [matrix if i in (0, 3) else matrix[:, :width] for i, matrix in enumerate(square)]
    set_weights(shared, narrow)
    example(shared, x, tolerance=TOLERANCE)
    helper = remote_helper(layer_class, copy_by_config, "a copy made from get_config")
    copy = example(helper, layer_class, d_model, num_heads, 1).makes
    example(copy, x, shapes_only=True)
    set_weights(copy, narrow)
    example(copy, x, tolerance=TOLERANCE)
    copy = example(helper, layer_class, d_model, half, half, 20.0).makes
    example(copy, x, shapes_only=True)
    set_weights(copy, square)
    example(copy, x, tolerance=TOLERANCE)
    training_examples(layer, x, weights)
    saving_examples(layer_class, layer, x, weights)


# --- what runs where the work lives --------------------------------------------------------------


def at_real_steps(layer, x, mask, training=False):
    """Return what a layer gives, with zeros where the mask is False and the number is finite."""
    out = np.array(layer(x, mask=mask, training=training))
    return np.where(mask[..., None] | ~np.isfinite(out), out, 0)


def mean_behind_masking(layer, x):
    """Return the mean over the unmasked steps, which needs the mask before and after the layer."""
    import keras

    parts = [keras.layers.Masking(), layer, keras.layers.GlobalAveragePooling1D()]
    # No length is known while the model is built.
    return np.array(keras.Sequential([keras.Input((None, x.shape[2])), *parts])(x))


def continued_twice(cached_step, q, k, v):
    """Take a first token, then a second and a third one, both after the first alone.

    Returns what the step with the second token gave, which the step with the third must not change.
    """
    _, cache = cached_step(q[0], k[0], v[0])
    output, (keys, values) = cached_step(q[1], k[1], v[1], cache)
    cached_step(q[2], k[2], v[2], cache)
    return output, keys, values
