# %% [markdown]
# # Chapter 12 · Attention today: the exercises
#
# Eight exercises, 20 points, about 150 minutes. You write the changes that today's models have made
# to attention: rotary positions and linear biases, shared key heads and a cache, a sliding window,
# a softmax that runs over blocks, and attention that is a recurrent network. At the end you build a
# Keras layer from these parts, train a small language model with it, and let it write one character
# at a time from your cache.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: batch first, row vectors (`x @ w`), NumPy arrays in and out of functions. Inputs are
# never changed in place, and neither is a state or a cache that you are given: return new arrays. A
# mask is boolean; `True` marks a key that may be attended to. Results must be finite even where
# scores are as large as ±100,000. Numbers are compared by their values, so 840.0 is as good as 840.
#
# Most examples use the three queries, keys and values of the next cell.

# %%
import math

import keras
import numpy as np
from keras import ops

q = np.array([[0.9, -0.4, 1.2, 0.3], [-0.7, 1.1, 0.2, -0.5], [0.4, 0.6, -0.8, 1.0]])
k = np.array([[1.0, 0.2, -0.6, 0.5], [-0.3, 0.8, 0.9, -1.1], [0.7, -0.9, 0.4, 0.1]])
v = np.array([[1.0, 0.0, 0.5, -1.0], [0.0, 2.0, -0.5, 1.0], [-1.0, 1.0, 1.0, 0.0]])

# %% [markdown] lesson="Rotary positions"
# ## Rotary positions
#
# The neighbouring columns $2i$ and $2i + 1$ of `x`, counted from 0, form a pair $(a, b)$. At
# position $p$, pair $i$ is turned by the angle $\theta = p \cdot n^{-2i/d}$:
#
# $$
# \begin{aligned}
# (a, b) \;\to\; (&a \cos\theta - b \sin\theta, \\
# &a \sin\theta + b \cos\theta)
# \end{aligned}
# $$
#
# `rotate(x, positions=None, n=10000.0)` → the shape of `x`, which is `(..., time, d)` with any
# number of axes in front. If `x` holds integers, the result still holds real numbers. `positions`
# is `(time,)` and may hold any real numbers; without it the positions are 0, 1, 2, …. An odd `d`
# raises a `ValueError`.
#
# Example: `rotate(q)` gives
#
# ```text
# [[ 0.9    -0.4     1.2     0.3   ]
#  [-1.3038  0.0053  0.205  -0.498 ]
#  [-0.712   0.114  -0.8198  0.9838]]
# ```
#
# The row at position 0 is not turned. In the second row, the first pair is turned by 1 (radian),
# the second one by 0.01.
#
# <details><summary>Hint</summary>
#
# `x[..., 0::2]` has the first number of every pair and `x[..., 1::2]` the second. The angles are
# `(time, d / 2)`, so they broadcast against both. `np.empty_like` of an array of integers cannot
# hold the result.
#
# </details>
# <details><summary>My check says that the halves are paired</summary>
#
# Many libraries turn column $i$ together with column $i + d/2$. This is the same idea after the
# columns have been put in another order. Here, as in the paper, a pair consists of two neighbours.
#
# </details>


# %% exercise="rotate" points=2 difficulty=2 minutes=12
def rotate(x, positions=None, n=10000.0):
    """Turn pairs of neighbouring columns of x (..., time, d) by angles that grow with position."""
    ### BEGIN SOLUTION
    *_, time, d = np.shape(x)
    if d % 2:
        raise ValueError(f"x must have an even number of columns, got {d}")
    positions = np.arange(time) if positions is None else np.asarray(positions)
    if positions.shape != (time,):
        raise ValueError(f"positions has shape {positions.shape}, but x has {time} steps")
    angles = positions[:, None] * n ** (-np.arange(0, d, 2) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    turned = [a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)]
    return np.stack(turned, axis=-1).reshape(np.shape(x))
    ### END SOLUTION


# %% [markdown] lesson="Linear biases"
# ## Linear biases
#
# ALiBi leaves queries and keys as they are and subtracts from every score a number that grows with
# the distance. Head $h = 1, \ldots, H$ has the slope $2^{-8h/H}$:
#
# - `alibi_slopes(num_heads)` → `(num_heads,)`.
# - `alibi_bias(num_heads, length)` → `(num_heads, length, length)`: the entry for query $i$ and key
#   $j$ is $-\mathrm{slope} \cdot (i - j)$ where $j \le i$, and 0 above the diagonal. (The causal
#   mask is applied separately.)
#
# `num_heads` is 1, 2, 4, 8 or another power of two. Any other whole number, 0 and negative ones
# included, raises a `ValueError` in both functions.
#
# Example: `alibi_slopes(4)` gives `[0.25 0.0625 0.0156 0.0039]`, and `alibi_bias(4, 3)[0]` gives
#
# ```text
# [[ 0.    0.    0.  ]
#  [-0.25  0.    0.  ]
#  [-0.5  -0.25  0.  ]]
# ```
#
# <details><summary>Hint</summary>
#
# A power of two is a 1 followed by zeros in binary, so `num_heads & (num_heads - 1)` is 0. (For 0
# it is 0 as well.) With `position = np.arange(length)`, the distances are
# `position[:, None] - position`.
#
# </details>
# <details><summary>My check says that the future is not 0</summary>
#
# Above the diagonal $i - j$ is negative, and the formula would *reward* the future. `np.maximum` of
# the distance and 0 keeps it at 0.
#
# </details>


# %% exercise="alibi_slopes alibi_bias" points=2 difficulty=1 minutes=10
def alibi_slopes(num_heads):
    """Return the slopes 2^(-8h/num_heads), h = 1 … num_heads, for a power of two of heads."""
    ### BEGIN SOLUTION
    if num_heads < 1 or num_heads & (num_heads - 1):
        raise ValueError(f"num_heads must be a power of two, got {num_heads}")
    return 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)
    ### END SOLUTION


def alibi_bias(num_heads, length):
    """Return the biases (num_heads, length, length), 0 above the diagonal."""
    ### BEGIN SOLUTION
    position = np.arange(length)
    return alibi_slopes(num_heads)[:, None, None] * np.minimum(position - position[:, None], 0)
    ### END SOLUTION


# %% [markdown] lesson="Grouped queries"
# ## Grouped queries
#
# In grouped-query attention several query heads share one head of keys and values. With $H$ query
# heads and $G$ groups, query head $h$ reads key head $\lfloor h / (H/G) \rfloor$, both counted
# from 0: the first $H/G$ query heads read key head 0, the next ones key head 1, and so on.
#
# `grouped_query_attention(q, k, v, mask=None)` → `(batch, heads, time_q, d)`. `q` is
# `(batch, heads, time_q, d)`, `k` and `v` are `(batch, groups, time_k, d)`. The scores are divided
# by $\sqrt d$. `mask` has two or four axes and broadcasts to `(batch, heads, time_q, time_k)`. A
# query that may attend to no key gets zeros. If `groups` does not divide `heads`, the function
# raises a `ValueError`.
#
# Example: two query heads, `q` and `q` with its columns in reverse order, read one key head. With
# `heads = np.stack([q, q[:, ::-1]])` and `causal = np.tri(3, dtype=bool)`,
# `grouped_query_attention(heads[None], k[None, None], v[None, None], causal)` gives
#
# ```text
# [[[[ 1.      0.      0.5    -1.    ]
#    [ 0.2083  1.5833 -0.2917  0.5833]
#    [ 0.393   0.517   0.4738 -0.483 ]]
#
#   [[ 1.      0.      0.5    -1.    ]
#    [ 0.1455  1.7089 -0.3545  0.7089]
#    [-0.2124  0.8301  0.6165 -0.1699]]]]
# ```
#
# <details><summary>Hint</summary>
#
# `np.repeat(k, heads // groups, axis=1)` puts a copy of a key head beside every query head that
# reads it. A softmax with `np.exp` of scores in which hidden keys have been set to `-np.inf` needs
# a finite number to subtract, even in a row where everything is hidden.
#
# </details>
# <details><summary>My check says that the key heads are read in turn</summary>
#
# `np.tile` gives the order 0, 1, 0, 1: query head $h$ would read key head $h \bmod G$.
# `np.repeat` gives 0, 0, 1, 1.
#
# </details>


# %% exercise="grouped_query_attention" points=3 difficulty=2 minutes=20
def grouped_query_attention(q, k, v, mask=None):
    """Attend with several heads of q (batch, heads, time_q, d) to each head of k and v."""
    ### BEGIN SOLUTION
    heads, groups = np.shape(q)[1], np.shape(k)[1]
    if groups < 1 or heads % groups:
        raise ValueError(f"q has {heads} heads, which is not a multiple of the {groups} heads of k")
    if np.shape(v)[:3] != np.shape(k)[:3] or np.shape(q)[-1] != np.shape(k)[-1]:
        raise ValueError(
            f"k has shape {np.shape(k)}, but q has {np.shape(q)} and v has {np.shape(v)}"
        )
    k, v = np.repeat(k, heads // groups, axis=1), np.repeat(v, heads // groups, axis=1)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(np.shape(q)[-1])
    visible = np.broadcast_to(True if mask is None else mask, scores.shape)
    scores = np.where(visible, scores, -np.inf)
    largest = np.max(scores, axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = np.sum(exponentials, axis=-1, keepdims=True)
    return exponentials @ v / np.where(total > 0, total, 1)
    ### END SOLUTION


# %% [markdown] lesson="The cache"
# ## A step with a cache
#
# When a model writes, the keys and values of earlier tokens never change. A cache keeps them, so a
# step computes only those of the new token.
#
# - `cached_step(q, k, v, cache=None)` → `(output, (keys, values))`. `q`, `k` and `v` are
#   `(batch, d)` and belong to the new token. `cache` is `None` before the first token, otherwise
#   the pair `(keys, values)` of the tokens before, each `(batch, t, d)`. `output`, `(batch, d)`, is
#   softmax attention of `q` over all tokens so far, the new one included, with scores divided by
#   $\sqrt d$. The pair that comes back has the new token last: `(batch, t + 1, d)` each.
# - `cache_bytes(num_layers, num_kv_heads, head_dim, length, batch=1, bytes_per_number=2)` → a whole
#   number: the bytes that the keys *and* values of all layers take, for `batch` texts of `length`
#   tokens. Each layer has `num_kv_heads` heads of keys and values (the groups of exercise 3), and a
#   key, like a value, has `head_dim` numbers.
#
# Example: with `q[:1]`, `k[:1]` and `v[:1]` the output is `v[:1]`, because there is only one
# token. A second step, with `q[1:2]`, `k[1:2]`, `v[1:2]` and the cache that came back, gives
# `[[0.2083 1.5833 -0.2917 0.5833]]`. `cache_bytes(2, 3, 5, 7)` is 840.
#
# <details><summary>Hint</summary>
#
# `np.concatenate([keys, k[:, None]], axis=1)` makes new arrays, so the old cache stays as it is.
# `np.einsum("bd,btd->bt", q, keys)` has the scores.
#
# </details>
# <details><summary>My check says that the new token is not seen</summary>
#
# A token attends to itself, too. Put its key and value into the cache first, and compute the scores
# afterwards.
#
# </details>


# %% exercise="cached_step cache_bytes" points=2 difficulty=2 minutes=15
def cached_step(q, k, v, cache=None):
    """Attend with the query of one new token to all tokens so far → output and the new cache."""
    ### BEGIN SOLUTION
    keys, values = np.asarray(k)[:, None], np.asarray(v)[:, None]
    if cache is not None:
        if np.shape(cache[0])[:2] != np.shape(cache[1])[:2] or len(cache[0]) != len(k):
            shapes = np.shape(cache[0]), np.shape(cache[1])
            raise ValueError(f"cache has shapes {shapes}, but k has shape {np.shape(k)}")
        keys = np.concatenate([cache[0], keys], axis=1)
        values = np.concatenate([cache[1], values], axis=1)
    scores = np.einsum("bd,btd->bt", q, keys) / np.sqrt(np.shape(q)[-1])
    exponentials = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = exponentials / np.sum(exponentials, axis=1, keepdims=True)
    return np.einsum("bt,btd->bd", weights, values), (keys, values)
    ### END SOLUTION


def cache_bytes(num_layers, num_kv_heads, head_dim, length, batch=1, bytes_per_number=2):
    """Return how many bytes the keys and values of all layers take."""
    ### BEGIN SOLUTION
    return 2 * num_layers * num_kv_heads * head_dim * length * batch * bytes_per_number
    ### END SOLUTION


# %% [markdown] lesson="Sliding windows"
# ## A sliding window
#
# - `sliding_window_mask(length, window)` → a boolean array `(length, length)`: query $i$ sees key
#   $j$ when $i - \mathrm{window} < j \le i$. A window of 1 shows a token only itself.
# - `receptive_field(num_layers, window)` → a whole number. `num_layers` attention layers, each with
#   this mask, stand on top of each other: how many positions of a long text, its own included, can
#   influence one position of the top layer?
#
# Both functions raise a `ValueError` if `window` is below 1.
#
# Example: `receptive_field(2, 5)` is 9, and `sliding_window_mask(4, 2)` gives
#
# ```text
# [[ True False False False]
#  [ True  True False False]
#  [False  True  True False]
#  [False False  True  True]]
# ```
#
# <details><summary>Hint</summary>
#
# With a window of 4, how many positions *further back* than its own can one layer see? A second
# layer adds as many again.
#
# </details>
# <details><summary>My check says that layers and window are multiplied</summary>
#
# The windows of two layers overlap: the lower layer's window begins at the furthest position that
# the upper layer sees, and this position has been counted already. Count the steps back, then add
# the position itself.
#
# </details>


# %% exercise="sliding_window_mask receptive_field" points=1 difficulty=1 minutes=8
def sliding_window_mask(length, window):
    """Show every position itself and the window - 1 positions before it → (length, length)."""
    ### BEGIN SOLUTION
    if window < 1:
        raise ValueError(f"window must be at least 1, got {window}")
    back = np.arange(length)[:, None] - np.arange(length)
    return (0 <= back) & (back < window)
    ### END SOLUTION


def receptive_field(num_layers, window):
    """Return how many positions can influence one position of the last layer."""
    ### BEGIN SOLUTION
    if window < 1:
        raise ValueError(f"window must be at least 1, got {window}")
    return num_layers * (window - 1) + 1
    ### END SOLUTION


# %% [markdown] lesson="The running softmax"
# ## The running softmax
#
# A softmax needs the largest score and the sum of all exponentials, but it can be computed from one
# block of scores after the other. The state after some blocks is, for each of `n` queries,
#
# - `maximum`, `(n,)`: the largest score $m$ so far;
# - `total`, `(n,)`: $\sum \exp(e - m)$ over the scores $e$ so far;
# - `weighted`, `(n, d_v)`: $\sum \exp(e - m)\, v$ over the same scores.
#
# When a block brings a larger maximum, what was added up before is scaled by
# $\exp(m_\mathrm{old} - m_\mathrm{new})$.
#
# - `online_softmax_update(state, scores, values)` → `(maximum, total, weighted)`. `state` is `None`
#   before the first block, `scores` is `(n, block)`, and `values` is `(block, d_v)`.
# - `tiled_attention(q, k, v, block_size)` → `(time_q, d_v)`: attention of `q`, `(time_q, d)`, to
#   `k`, `(time_k, d)`, and `v`, `(time_k, d_v)`, with scores divided by $\sqrt d$ and without a
#   mask. It reads the keys and values in blocks of `block_size` $\ge 1$. The last block may be
#   shorter, and `block_size` may be larger than `time_k`. The result equals attention in one piece.
#   You need not call `online_softmax_update`. (The check compares only the results.)
#
# Example: the first block is `online_softmax_update(None, np.array([[1.0, 3.0]]), v[:2])`. A second
# one, with the state that came back, has the scores `np.array([[4.0]])` and the values `v[2:]`:
#
# ```text
# after the first block
# maximum   [3.]
# total     [1.1353]
# weighted  [[ 0.1353  2.     -0.4323  0.8647]]
#
# after the second block
# maximum   [4.]
# total     [1.4177]
# weighted  [[-0.9502  1.7358  0.841   0.3181]]
# ```
#
# `tiled_attention(q, k, v, 2)` gives
#
# ```text
# [[-0.227   0.9885  0.4943 -0.0115]
#  [ 0.0468  1.5053 -0.119   0.5053]
#  [ 0.393   0.517   0.4738 -0.483 ]]
# ```
#
# <details><summary>Hint</summary>
#
# Without a state, the factor for what came before is 0, because there is nothing to scale. The
# output is `weighted / total[:, None]`, after the last block.
#
# </details>
# <details><summary>My check says that the earlier sum is not scaled</summary>
#
# The exponentials added up so far were computed with the old maximum. Multiply both sums by
# `np.exp(old - new)`, row by row.
#
# </details>


# %% exercise="online_softmax_update tiled_attention" points=3 difficulty=3 minutes=25
def online_softmax_update(state, scores, values):
    """Add a block of scores (n, block) and values (block, d_v) to a running softmax."""
    ### BEGIN SOLUTION
    if np.shape(scores)[1] != np.shape(values)[0]:
        raise ValueError(f"scores has shape {np.shape(scores)}, but values has {np.shape(values)}")
    largest = np.max(scores, axis=1)
    if state is None:
        maximum, kept = largest, np.zeros(len(scores))
        total, weighted = np.zeros(len(scores)), np.zeros((len(scores), np.shape(values)[1]))
    else:
        before, total, weighted = state
        maximum = np.maximum(before, largest)
        kept = np.exp(before - maximum)
    exponentials = np.exp(scores - maximum[:, None])
    total = kept * total + np.sum(exponentials, axis=1)
    return maximum, total, kept[:, None] * weighted + exponentials @ values
    ### END SOLUTION


def tiled_attention(q, k, v, block_size):
    """Attend to k and v block by block; equal to attention in one piece → (time_q, d_v)."""
    ### BEGIN SOLUTION
    if block_size < 1:
        raise ValueError(f"block_size must be at least 1, got {block_size}")
    if len(k) != len(v):
        raise ValueError(f"k has {len(k)} rows, but v has {len(v)}")
    state = None
    for start in range(0, len(k), block_size):
        block = slice(start, start + block_size)
        scores = q @ np.transpose(k[block]) / np.sqrt(np.shape(q)[-1])
        state = online_softmax_update(state, scores, v[block])
    _, total, weighted = state
    return weighted / total[:, None]
    ### END SOLUTION


# %% [markdown] lesson="Linear attention"
# ## Linear attention, twice
#
# Linear attention replaces $\exp(q\, k^\top)$ by $\varphi(q)\, \varphi(k)^\top$ with
# $\varphi(x) = \mathrm{elu}(x) + 1$, which is $x + 1$ for $x > 0$ and $e^x$ otherwise:
#
# $$o_i = \frac{\sum_{j \le i} \varphi(q_i)\, \varphi(k_j)^\top\, v_j}
# {\sum_{j \le i} \varphi(q_i)\, \varphi(k_j)^\top}$$
#
# Nothing is divided by $\sqrt d$, and nothing is added to the denominator. Where the denominator is
# 0 because all products of the exponentials have underflowed, the output is 0. ($e^{-1000}$ counts
# as 0 here.)
#
# - `linear_attention(q, k, v)` → `(batch, time, d_v)`, for `q` and `k` of shape `(batch, time, d)`
#   and `v` of shape `(batch, time, d_v)`. As in the formula, a token sees itself and the tokens
#   before it.
# - `linear_attention_step(q, k, v, state=None)` → `(output, (s, z))`: the same as a recurrent
#   network, for one new token. `q` and `k` are `(batch, d)`, `v` is `(batch, d_v)`. `state` is
#   `None` before the first token, otherwise the pair that came back from the step before. It holds
#   $S = \sum_j \varphi(k_j)^\top v_j$, `(batch, d, d_v)`, and $z = \sum_j \varphi(k_j)$,
#   `(batch, d)`, over the tokens so far; in the state that comes back the new token is included.
#   `output` is `(batch, d_v)`.
#
# Example: `linear_attention(q[None], k[None], v[None])` gives
#
# ```text
# [[[ 1.      0.      0.5    -1.    ]
#   [ 0.4339  1.1322 -0.0661  0.1322]
#   [ 0.1094  0.8687  0.3699 -0.1313]]]
# ```
#
# A first step with `q[:1]`, `k[:1]` and `v[:1]` gives `v[:1]`, and a state in which `z` is
# `[[2. 1.2 0.5488 1.5]]`.
#
# <details><summary>Hint</summary>
#
# `np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))` never overflows. For the first function,
# compute the products $\varphi(q_i)\, \varphi(k_j)^\top$ for all pairs and keep those with
# $j \le i$, or run the second function over time.
#
# </details>
# <details><summary>My check says that the new token is missing</summary>
#
# The sums run over $j \le i$. Add the new token to the state first, and read the state afterwards.
#
# </details>


# %% exercise="linear_attention linear_attention_step" points=3 difficulty=2 minutes=20
def linear_attention(q, k, v):
    """Attend causally with φ(q) φ(k)ᵀ in place of exp(q kᵀ) → (batch, time, d_v)."""
    ### BEGIN SOLUTION
    if np.shape(q) != np.shape(k) or np.shape(k)[:2] != np.shape(v)[:2]:
        raise ValueError(
            f"q has shape {np.shape(q)}, but k has {np.shape(k)} and v has {np.shape(v)}"
        )
    state, outputs = None, []
    for t in range(np.shape(q)[1]):
        output, state = linear_attention_step(q[:, t], k[:, t], v[:, t], state)
        outputs.append(output)
    return np.stack(outputs, axis=1)
    ### END SOLUTION


def linear_attention_step(q, k, v, state=None):
    """Take one new token into the state and read the state with its query."""
    ### BEGIN SOLUTION
    phi_q, phi_k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
    s, z = phi_k[:, :, None] * v[:, None], phi_k
    if state is not None:
        if np.shape(state[0]) != s.shape or np.shape(state[1]) != z.shape:
            shapes = np.shape(state[0]), np.shape(state[1])
            raise ValueError(f"state has shapes {shapes}, expected {s.shape} and {z.shape}")
        s, z = state[0] + s, state[1] + z
    total = np.sum(phi_q * z, axis=1)[:, None]
    return np.einsum("bd,bde->be", phi_q, s) / np.where(total > 0, total, 1), (s, z)
    ### END SOLUTION


# %% [markdown] lesson="Rotary positions"
# ## Rotary self-attention as a layer
#
# Now build the attention of a present-day language model: causal, with rotary positions and
# grouped queries.
#
# `RotarySelfAttention(d_model, num_heads, num_kv_heads=None, n=10000.0)` is a Keras layer with
# `call(x, mask=None)`: `(batch, time, d_model)` → the same shape, for any length.
#
# - Four weights without biases, in this order: `w_q` `(d_model, d_model)`, `w_k` and `w_v`
#   `(d_model, num_kv_heads · width)`, `w_o` `(d_model, d_model)`, where `width` is
#   `d_model / num_heads`. `num_kv_heads=None` means `num_heads`. All four are trained. Keep Keras's
#   default initialiser, or take another one that draws random numbers.
# - Head $j$ is the $j$-th block of `width` columns. The queries and keys of every head are turned
#   as by your `rotate`, with the positions 0, 1, 2, … and the given `n`; values are not turned.
# - Query head $h$ reads key head $\lfloor h / (\mathrm{num\_heads}/\mathrm{num\_kv\_heads})
#   \rfloor$, all heads counted from 0. The scores are divided by the square root of `width`, and a
#   token sees itself and the tokens before it.
# - `mask`, `(batch, time)`, is `True` at real tokens; the other keys are padding and are hidden
#   from every query. `None` hides none. The mask may also arrive as a Keras mask (behind an
#   `Embedding` with `mask_zero=True`), and it is passed on to the next layer. What comes out at
#   padded positions is not compared, but it must be finite.
# - You may rely on `num_heads` and `num_kv_heads` being positive. `__init__` raises a `ValueError`
#   when `width` is not a whole, even number, or when `num_heads` is not a multiple of
#   `num_kv_heads`.
# - The layer survives `get_config`, `from_config` and saving.
#
# Inside a layer you need `keras.ops`, because NumPy cannot compute in a graph. So you have to write
# your `rotate` of the first exercise again.
#
# Example: in `layer = RotarySelfAttention(4, 2, 1)` two heads of two columns share one key head.
# After a first call, `layer.set_weights([np.eye(4), np.eye(4)[:, :2], np.eye(4)[:, 2:],
# np.eye(4)[::-1]])` sets its weights, and `layer(q[None])` gives
#
# ```text
# [[[ 0.3     1.2     0.3     1.2   ]
#   [ 0.061   0.9012 -0.4074  0.3157]
#   [ 0.1703  0.1325  0.1666 -0.0078]]]
# ```
#
# <details><summary>Hint</summary>
#
# `self.supports_masking = True` lets a Keras mask through. Reshape a projection to
# `(batch, time, heads, width)` and transpose it to `(batch, heads, time, width)`. `ops.stack` with
# `axis=-1`, followed by `ops.reshape`, interleaves columns. `ops.repeat` repeats key heads.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# With padding on the left, the first queries see no key at all. Use a large negative number such as
# `-1e9` for hidden scores, not `-inf`.
#
# </details>


# %% exercise="RotarySelfAttention" points=4 difficulty=3 minutes=40
class RotarySelfAttention(keras.layers.Layer):
    """Causal self-attention with rotary positions and grouped queries, (batch, time, d_model)."""

    def __init__(self, d_model, num_heads, num_kv_heads=None, n=10000.0, **kwargs):
        """Store the settings."""
        ### BEGIN SOLUTION
        super().__init__(**kwargs)
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        if num_heads < 1 or d_model % num_heads or d_model // num_heads % 2:
            raise ValueError(
                f"d_model / num_heads must be whole and even, got {d_model} / {num_heads}"
            )
        if num_kv_heads < 1 or num_heads % num_kv_heads:
            raise ValueError(f"num_kv_heads must divide num_heads, {num_heads}, got {num_kv_heads}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.n = n
        self.supports_masking = True
        ### END SOLUTION

    def build(self, input_shape):
        """Make w_q, w_k, w_v and w_o."""
        ### BEGIN SOLUTION
        if len(input_shape) != 3 or input_shape[-1] != self.d_model:
            raise ValueError(f"x must have shape (batch, time, {self.d_model}), got {input_shape}")
        whole = self.d_model, self.d_model
        shared = self.d_model, self.num_kv_heads * (self.d_model // self.num_heads)
        self.w_q = self.add_weight(name="w_q", shape=whole)
        self.w_k = self.add_weight(name="w_k", shape=shared)
        self.w_v = self.add_weight(name="w_v", shape=shared)
        self.w_o = self.add_weight(name="w_o", shape=whole)
        ### END SOLUTION

    def call(self, x, mask=None):
        """Let each token of x attend to itself and the tokens before it; mask (batch, time)."""
        ### BEGIN SOLUTION
        time, width = ops.shape(x)[1], self.d_model // self.num_heads
        position = ops.arange(time)

        def heads(w, count):
            split = ops.reshape(ops.matmul(x, w), (-1, time, count, width))
            return ops.transpose(split, (0, 2, 1, 3))

        def turned(each):
            rates = self.n ** (-np.arange(0, width, 2) / width)
            angles = ops.cast(position, "float32")[:, None] * ops.cast(rates, "float32")
            cos, sin = ops.cos(angles), ops.sin(angles)
            a, b = each[..., 0::2], each[..., 1::2]
            pairs = ops.stack([a * cos - b * sin, a * sin + b * cos], axis=-1)
            return ops.reshape(pairs, ops.shape(each))

        shared = self.num_heads // self.num_kv_heads
        queries = turned(heads(self.w_q, self.num_heads))
        keys = ops.repeat(turned(heads(self.w_k, self.num_kv_heads)), shared, axis=1)
        values = ops.repeat(heads(self.w_v, self.num_kv_heads), shared, axis=1)
        scores = ops.matmul(queries, ops.transpose(keys, (0, 1, 3, 2))) / math.sqrt(width)
        visible = position[:, None] >= position
        if mask is not None:
            visible = ops.logical_and(visible, ops.cast(mask, "bool")[:, None, None])
        weights = ops.softmax(ops.where(visible, scores, -1e9), axis=-1)
        merged = ops.transpose(ops.matmul(weights, values), (0, 2, 1, 3))
        return ops.matmul(ops.reshape(merged, (-1, time, self.d_model)), self.w_o)
        ### END SOLUTION

    def get_config(self):
        """Return what from_config needs to make the same layer again."""
        ### BEGIN SOLUTION
        settings = {
            "d_model": self.d_model,
            "num_heads": self.num_heads,
            "num_kv_heads": self.num_kv_heads,
            "n": self.n,
        }
        return {**super().get_config(), **settings}
        ### END SOLUTION


# %% [markdown]
# ## Your language model
#
# Now your functions work together. The next cell puts **your** `RotarySelfAttention` into a
# language model of one block, and trains it on a text of dates, in windows of 96 characters.
#
# These cells are not marked, and neither Validate nor the grader runs them. Run them when all your
# checks pass. The first one takes about ten seconds.

# %% active="ipynb"
# from coursekit import datasets
# from coursekit.checks import require_written
#
# require_written(rotate, cached_step, RotarySelfAttention)
#
# LENGTH, WIDTH, HEADS, KEY_HEADS, STEPS = 96, 64, 4, 2, 400
# text = "\n".join(datasets.dates().train.sources) + "\n"
# alphabet = sorted(set(text))
# ids = np.array([alphabet.index(sign) for sign in text])
# starts = np.random.default_rng(0).integers(len(ids) - LENGTH, size=16 * STEPS)
# windows = ids[starts[:, None] + np.arange(LENGTH + 1)]
#
# keras.utils.set_random_seed(0)
# embed = keras.layers.Embedding(len(alphabet), WIDTH)
# attend = RotarySelfAttention(WIDTH, HEADS, KEY_HEADS)
# norms = [keras.layers.LayerNormalization() for _ in range(3)]
# hidden = keras.layers.Dense(4 * WIDTH, activation="relu")
# back, out = keras.layers.Dense(WIDTH), keras.layers.Dense(len(alphabet))
#
# read = keras.Input((None,), dtype="int32")
# x = embed(read)
# x = x + attend(norms[0](x))
# x = x + back(hidden(norms[1](x)))
# model = keras.Model(read, out(norms[2](x)))
# rate = keras.optimizers.schedules.CosineDecay(0.01, STEPS)
# loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
# model.compile(keras.optimizers.Adam(rate), loss)
# history = model.fit(windows[:, :-1], windows[:, 1:], batch_size=16, verbose=0)
# print(f"mean cross-entropy over the training: {history.history['loss'][0]:.2f}")

# %% [markdown]
# It writes 32 texts at once, one character at a time. Each step reads *one* character: it computes
# a query for every head, and a key and a value for every key head, turns the queries and keys with
# **your** `rotate` according to their position, and attends with **your** `cached_step`. The
# characters are drawn from the softmax of twice the logits, which favours the likely ones. Each
# text becomes twice as long as a training window.
#
# > **Predict.** What will the second half look like?

# %% active="ipynb"
# w_q, w_k, w_v, w_o = attend.get_weights()
#
#
# def read_one(signs, t, cache):
#     """Read the characters at position t, one for each text → logits (texts, …), the new cache."""
#     x = np.array(embed(signs))
#     now = np.array(norms[0](x))
#
#     def heads(w):
#         return (now @ w).reshape(len(signs), -1, 1, WIDTH // HEADS)
#
#     q, k = (rotate(heads(w), np.array([t])) for w in (w_q, w_k))
#     # cached_step knows no groups: each head of each text is an example of its own, so the shared
#     # key heads are repeated here. A real cache would store them once.
#     k, v = (np.repeat(each, HEADS // KEY_HEADS, axis=1) for each in (k, heads(w_v)))
#     examples = [each.reshape(-1, WIDTH // HEADS) for each in (q, k, v)]
#     attended, cache = cached_step(*examples, cache)
#     x = x + attended.reshape(len(signs), WIDTH) @ w_o
#     x = x + np.array(back(hidden(norms[1](x))))
#     return np.array(out(norms[2](x))), cache
#
#
# def write(window=None):
#     """Write 32 texts of 2 * LENGTH characters → their ids, the last logits."""
#     rng = np.random.default_rng(0)
#     written, cache = [np.full(32, alphabet.index("\n"))], None
#     for t in range(2 * LENGTH):
#         logits, cache = read_one(written[-1], t, cache)
#         if window:
#             cache = tuple(each[:, 1 - window :] for each in cache)
#         noise = rng.gumbel(size=logits.shape)  # the largest is then drawn from the softmax
#         written.append((2 * logits + noise).argmax(axis=1))
#     return np.transpose(written), logits
#
#
# written, logits = write()
# texts = ["".join(alphabet[i] for i in row) for row in written]
# print("--- the first half:", texts[0][: LENGTH + 1], sep="\n")
# print("--- the second half:", texts[0][LENGTH + 1 :], sep="\n")
#
# again = np.array(model(written[:, :-1]))[:, -1]
# print(f"without the cache the last logits differ by {np.abs(again - logits).max():.0e} at most")

# %% [markdown]
# How many of the lines are dates? We count a line when it equals a line of the training text
# once all digits in both have been replaced by 0.

# %% active="ipynb"
# import re
#
#
# def shape(line):
#     return re.sub(r"\d", "0", line)
#
#
# def count(texts):
#     for name, part in {"first": slice(1, LENGTH), "second": slice(LENGTH, None)}.items():
#         # The first line of the second half began earlier, and the last one may not be finished.
#         begin = 0 if name == "first" else 1
#         lines = [line for each in texts for line in each[part].split("\n")[begin:-1]]
#         share = np.mean([shape(line) in known for line in lines])
#         print(f"{name} half: {share:.2f} of {len(lines)} lines are dates")
#
#
# known = {shape(line) for line in text.split("\n")}
# count(texts)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Most lines of the first half are dates. The second half falls apart, and sometimes its lines
# hardly end any more: your layer meets offsets that never occurred in training, as in the lesson.
# The logits with and without the cache agree, so the cache is not to blame.
#
# </details>
#
# Now let the cache keep only the last tokens, as many as there are in a training window.
#
# > **Predict.** How many lines of the second half will be dates now?

# %% active="ipynb"
# written, _ = write(window=LENGTH)
# texts = ["".join(alphabet[i] for i in row) for row in written]
# print("--- the second half:", texts[0][LENGTH + 1 :], sep="\n")
# count(texts)

# %% [markdown]
# <details><summary>Answer</summary>
#
# About as many as in the first half, because no query meets an offset that never occurred in
# training. The cache has stopped growing, so you can let the model write even more: increase
# `2 * LENGTH` in `write`, and see.
#
# </details>
