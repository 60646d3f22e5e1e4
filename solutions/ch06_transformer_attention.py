# %% [markdown]
# # Chapter 6 · Scaled dot-product and multi-head attention: the exercises
#
# Eight exercises, 20 points, about 135 minutes. You write the attention of the Transformer in
# NumPy, its masks and its heads, and then multi-head self-attention as a Keras layer, which must
# agree with the one that Keras provides. Two shorter exercises look at the formula itself: why it
# divides by the square root of $d_k$, and how statisticians used the same weighted mean in 1964.
# In the last exercise you write a test that finds out whether attention functions written by
# somebody else look into the future.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as
# you like: it tells you what it called, what came back and, where it recognises your mistake, what
# the mistake is. The grader runs the same check and a second one on other inputs, so an answer
# that fits only the printed example does not pass.
#
# Conventions: batch first (`(batch, time, features)`), row vectors (`x @ w`), NumPy arrays in and
# out of functions, inputs are never changed in place. A mask is boolean; `True` means that the
# query of this row may attend to the key of this column.
#
# The examples use the six tokens of the lesson and its two heads, whose matrices stand side by
# side: head 0 has columns 0 and 1, head 1 has columns 2 and 3. To repeat an example, copy these
# arrays into a cell of your own below the imports.
#
# ```python
# x = np.array([[0.9, 0.4, 0.2, 0.3], [-0.9, 1.2, 0.4, -0.7], [-0.1, 0.5, -0.4, 1.1],
#               [-0.6, -0.8, -0.5, 0.5], [-0.1, 0.6, 0.7, -0.2], [0.9, -0.4, 0.1, 0.8]])
# w_q = np.array([[1.4, -0.3, 0.9, -1.5], [-0.9, 1.2, -0.7, 0.3],
#                 [-1.2, 0.2, -1.1, -0.5], [1.2, -0.8, 0.8, -1.0]])
# w_k = np.array([[1.4, -1.0, -1.4, -0.5], [-0.7, -1.5, -0.4, 0.2],
#                 [-0.6, -1.2, -0.4, 0.9], [0.4, 0.8, 0.2, -1.0]])
# w_v = np.array([[-0.9, 1.0, 0.2, -0.4], [1.1, -0.7, 0.7, -1.1],
#                 [1.2, -0.4, -0.1, 0.4], [-0.3, 1.1, -1.1, 0.1]])
# w_o = np.array([[-1.4, 1.2, -0.9, 1.1], [-1.3, -0.3, 0.8, -0.5],
#                 [-1.1, -1.5, -1.1, -0.9], [1.4, -1.1, -1.0, -0.8]])
# ```

# %%
import math

import keras
import numpy as np
from keras import ops

# %% [markdown] lesson="Scaled dot-product attention"
# ## Scaled dot-product attention
#
# Write the function that the whole chapter is about:
#
# $$\operatorname{Attention}(Q, K, V)
# = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# `scaled_dot_product_attention(q, k, v, mask=None)` → `(output, weights)`; `q` is `(…, time_q,
# d_k)`, `k` is `(…, time_k, d_k)`, `v` is `(…, time_k, d_v)`, where `…` stands for any number of
# leading dimensions, the same in all three: none, a batch, or a batch and heads. The output is
# `(…, time_q, d_v)`, the weights are `(…, time_q, time_k)`.
#
# The boolean `mask` broadcasts to the shape of the weights. A key whose entry is `False` gets the
# weight 0, and the weights of the other keys sum to 1. A query that may attend to no key at all
# gets weights of 0 and therefore an output of 0. As long as the dot products are finite, so are the
# weights and the output.
#
# Example, with the arrays printed above: for `q = x[:3] @ w_q[:, :2]`, `k = x @ w_k[:, :2]` and
# `v = x @ w_v[:, :3]`
#
# ```text
# output
# [[-0.6705  1.1815 -0.6175]
#  [ 0.3611 -0.5185 -0.2321]
#  [-0.6089  1.1953 -0.4975]]
# weights
# [[0.2324 0.0173 0.1335 0.1385 0.0533 0.425 ]
#  [0.0001 0.3607 0.0205 0.6106 0.008  0.0001]
#  [0.3243 0.0165 0.0985 0.0621 0.0607 0.4379]]
# ```
#
# With the mask `np.array([[1, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]],
# dtype=bool)` they become
#
# ```text
# output
# [[-0.6031  1.2573 -0.5271]
#  [ 0.      0.      0.    ]
#  [-0.2084  0.8816 -0.1113]]
# weights
# [[0.2698 0.02   0.155  0.     0.0618 0.4933]
#  [0.     0.     0.     0.     0.     0.    ]
#  [0.767  0.     0.233  0.     0.     0.    ]]
# ```
#
# <details><summary>Hint</summary>
#
# `np.swapaxes(k, -1, -2)` transposes the last two axes whatever comes before them. Set the masked
# scores to minus infinity before you look for the largest score of each query: `np.exp(-np.inf)`
# is exactly 0. Then think about a row in which every score is minus infinity.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# There are three possible causes. First, `np.exp(1000)` overflows, so subtract the largest score
# of each row. Second, if you take this maximum over masked scores too, one large masked score
# makes all other exponentials 0. Third, in a row without any allowed key the maximum is minus
# infinity, and minus infinity minus itself is nan; the sum of that row is 0, and you must not
# divide by it.
#
# </details>
# <details><summary>My check says that a query gets equal weights</summary>
#
# With `-1e9` instead of minus infinity, all scores of a fully masked row are equal, so the softmax
# gives every key the same weight, and the query attends to exactly the keys that it must not see.
#
# </details>


# %% exercise="scaled_dot_product_attention" points=3 difficulty=2 minutes=20
def scaled_dot_product_attention(q, k, v, mask=None):
    """Attend with q (…, time_q, d_k) to k (…, time_k, d_k), v (…, time_k, d_v)."""
    ### BEGIN SOLUTION
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    if q.shape[:-2] != k.shape[:-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"k has shape {k.shape}, which does not fit q of shape {q.shape}")
    if v.shape[:-1] != k.shape[:-1]:
        raise ValueError(f"v has shape {v.shape}, which does not fit k of shape {k.shape}")
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        if np.broadcast_shapes(np.shape(mask), scores.shape) != scores.shape:
            raise ValueError(f"mask has shape {np.shape(mask)}, but the scores {scores.shape}")
        scores = np.where(mask, scores, -np.inf)
    largest = np.max(scores, axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    # The largest score contributes exp(0) = 1, so only a fully masked row has a sum below 1.
    weights = exponentials / np.maximum(np.sum(exponentials, axis=-1, keepdims=True), 1)
    return weights @ v, weights
    ### END SOLUTION


# %% [markdown] lesson="Masks"
# ## Causal and padding masks
#
# Two masks cover nearly all needs. A decoder must not look at later tokens, and no token should
# look at padding.
#
# - `causal_mask(length)` → boolean `(length, length)`: row `i` holds `True` for the positions up
#   to and including `i`. A token may attend to itself.
# - `padding_mask(lengths, length)` → boolean `(batch, length)`: `lengths` is `(batch,)`, the
#   number of real tokens in each sequence. The real tokens come first, and `True` marks them. A
#   sequence may be empty, and none is longer than `length`.
#
# Example: `causal_mask(3)` and `padding_mask(np.array([2, 4, 1]), 5)` are
#
# ```text
# [[ True False False]      [[ True  True False False False]
#  [ True  True False]       [ True  True  True  True False]
#  [ True  True  True]]      [ True False False False False]]
# ```
#
# With an additional axis for the queries, a padding mask can be used in attention:
# `causal_mask(length) & padding_mask(lengths, length)[:, None, :]` is `(batch, length, length)`.
#
# <details><summary>Hint</summary>
#
# Both masks are one comparison of two ranges of positions, one of them turned into a column by
# `[:, None]`.
#
# </details>
# <details><summary>My check says that it expected booleans</summary>
#
# `np.tri`, `np.tril` of ones and `np.ones` hold the floats 0 and 1. A comparison gives booleans,
# and so does `dtype=bool`.
#
# </details>


# %% exercise="causal_mask padding_mask" points=1 difficulty=1 minutes=8
def causal_mask(length):
    """Return booleans (length, length), True where the column is not after the row."""
    ### BEGIN SOLUTION
    if length < 0:
        raise ValueError(f"length must not be negative, got {length}")
    positions = np.arange(length)
    return positions <= positions[:, None]
    ### END SOLUTION


def padding_mask(lengths, length):
    """Return booleans (batch, length), True at the first lengths[i] positions of row i."""
    ### BEGIN SOLUTION
    lengths = np.asarray(lengths)
    if lengths.ndim != 1 or np.any(lengths < 0) or np.any(lengths > length):
        raise ValueError(f"lengths must be (batch,), between 0 and {length}, got {lengths}")
    return np.arange(length) < lengths[:, None]
    ### END SOLUTION


# %% [markdown] lesson="Multi-head attention"
# ## Splitting into heads and merging them again
#
# Give the heads an axis of their own, in front of the time axis. Then the function of exercise 1
# computes all heads at once.
#
# - `split_heads(x, num_heads)`: `(batch, time, d)` → `(batch, num_heads, time, d / num_heads)`.
#   Head `j` is the `j`-th block of `d / num_heads` neighbouring columns.
# - `merge_heads(x)`: `(batch, num_heads, time, d / num_heads)` → `(batch, time, d)`, the way
#   back.
#
# Example: the first three tokens of `x` printed above, `split_heads(x[None, :3], 2)`, give
#
# ```text
# head 0   [[ 0.9  0.4]     head 1   [[ 0.2  0.3]
#           [-0.9  1.2]               [ 0.4 -0.7]
#           [-0.1  0.5]]              [-0.4  1.1]]
# ```
#
# as an array of shape `(1, 2, 3, 2)`, and `merge_heads` of it is `x[None, :3]` again.
#
# <details><summary>Hint</summary>
#
# This takes two steps. `reshape` can only cut the last axis in two or join neighbouring axes,
# because it keeps the numbers in their order in memory. Moving an axis past another one is the job
# of `transpose` or `swapaxes`.
#
# </details>
# <details><summary>My check says that reshape alone is not enough</summary>
#
# `x.reshape(batch, num_heads, time, width)` has the right shape, but it fills this shape with the
# numbers in the order in which they are stored. The first head then gets the first tokens with
# all their features.
#
# </details>


# %% exercise="split_heads merge_heads" points=2 difficulty=1 minutes=10
def split_heads(x, num_heads):
    """Cut the columns of x (batch, time, d) into heads (batch, heads, time, d/heads)."""
    ### BEGIN SOLUTION
    if np.ndim(x) != 3:
        raise ValueError(f"x must have shape (batch, time, d), got {np.shape(x)}")
    batch, time, d = np.shape(x)
    if num_heads < 1 or d % num_heads:
        raise ValueError(f"num_heads must divide the width of x, {d}, got {num_heads}")
    return np.reshape(x, (batch, time, num_heads, d // num_heads)).swapaxes(1, 2)
    ### END SOLUTION


def merge_heads(x):
    """Put heads (batch, heads, time, d/heads) side by side again → (batch, time, d)."""
    ### BEGIN SOLUTION
    if np.ndim(x) != 4:
        raise ValueError(f"x must have shape (batch, heads, time, width), got {np.shape(x)}")
    batch, num_heads, time, width = np.shape(x)
    return np.swapaxes(x, 1, 2).reshape(batch, time, num_heads * width)
    ### END SOLUTION


# %% [markdown] lesson="Multi-head attention"
# ## Multi-head attention
#
# Put the pieces together. Queries, keys and values are projected by `w_q`, `w_k` and `w_v`, the
# projections are split into heads, every head attends separately, and the merged heads are
# multiplied by `w_o`. The arguments `q`, `k` and `v` are the vectors *before* the projection.
#
# `multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None)` → `(batch, time_q,
# d_model)`; `q` is `(batch, time_q, d_model)`, `k` and `v` are `(batch, time_k, d_model)`, all
# four weight arrays are `(d_model, d_model)`, without biases.
#
# The boolean `mask` is `(time_q, time_k)` for all examples, or `(batch, time_q, time_k)` with one
# mask for each example, and it is the same for all heads. A query that may attend to nothing gets
# zeros from every head, before the multiplication by `w_o`. As in exercise 1, scores of any size
# must give finite numbers.
#
# Example, with the arrays printed above: the first two tokens attend to all six.
# `multi_head_attention(x[None, :2], x[None], x[None], w_q, w_k, w_v, w_o, 2)` gives
#
# ```text
# [[[ 0.4612  0.041   2.4131 -0.6196]
#   [-1.2536  0.3383 -0.8149  0.5847]]]
# ```
#
# and with `mask=np.array([[1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0]], dtype=bool)` the second row
# becomes `[-2.3537 3.959 -4.6881 4.4095]`.
#
# You may call your functions of exercises 1 and 3. If you do, make sure first that their checks
# pass.
#
# <details><summary>Hint</summary>
#
# `scaled_dot_product_attention` takes `(batch, heads, time, width)` as it is. Which axis does a
# mask of shape `(batch, time_q, time_k)` lack, to broadcast to `(batch, heads, time_q, time_k)`?
#
# </details>
# <details><summary>My check says that an axis of the mask is aligned with the heads</summary>
#
# NumPy aligns shapes from the right. If there are as many examples as heads, a mask `(batch,
# time_q, time_k)` fits `(batch, heads, time_q, time_k)` without an error, but its batch axis is
# aligned with the heads. Insert the missing axis with `mask[:, None]`, but not into a mask
# `(time_q, time_k)`, which already broadcasts as it should.
#
# </details>


# %% exercise="multi_head_attention" points=3 difficulty=2 minutes=15
def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    """Attend with q (batch, time_q, d_model) to k, v (batch, time_k, d_model) in heads."""
    ### BEGIN SOLUTION
    d_model = np.shape(q)[-1]
    for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v), ("w_o", w_o)):
        if np.shape(w) != (d_model, d_model):
            raise ValueError(f"{name} has shape {np.shape(w)}, but q needs {(d_model, d_model)}")
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"num_heads must divide d_model, {d_model}, got {num_heads}")
    allowed = True if mask is None else np.asarray(mask)
    width = d_model // num_heads
    output = np.zeros(np.shape(q))
    # Head by head: the rows of w_o that belong to a head carry its output to the sum.
    for start in range(0, d_model, width):
        columns = slice(start, start + width)
        scores = (q @ w_q[:, columns]) @ np.swapaxes(k @ w_k[:, columns], 1, 2) / math.sqrt(width)
        largest = np.max(scores, axis=2, keepdims=True, where=allowed, initial=-np.inf)
        shifted = scores - np.where(np.isfinite(largest), largest, 0)
        exponentials = np.exp(np.where(allowed, shifted, -np.inf))
        weights = exponentials / np.maximum(np.sum(exponentials, axis=2, keepdims=True), 1)
        output += weights @ (v @ w_v[:, columns]) @ w_o[columns]
    return output
    ### END SOLUTION


# %% [markdown] lesson="The same thing in Keras"
# ## Multi-head self-attention as a Keras layer
#
# In self-attention, queries, keys and values all come from the same tokens. Write it as a layer
# with four weight arrays that training can adjust.
#
# `MultiHeadSelfAttention(d_model, num_heads)` is a `keras.layers.Layer`:
#
# - It has four trainable weights without biases, each `(d_model, d_model)`. `get_weights()` lists
#   them in the order `w_q`, `w_k`, `w_v`, `w_o`. Keep Keras's default initialiser, or take another
#   one that draws random numbers.
# - `call(x, mask=None)` → `(batch, time, d_model)`: `x` is `(batch, time, d_model)`, the boolean
#   `mask` is `(time, time)` or `(batch, time, time)`, and under it every query has something to
#   attend to. The layer accepts sequences of any length.
# - `get_config()` returns what `from_config` needs to make the same layer again (its name may
#   differ), so a model that contains the layer can be saved and loaded.
#
# `compute_mask` is written for you. It stops the mask here, because the mask describes pairs of
# tokens, and later layers expect one entry for each token.
#
# With the same weights, the layer returns the same output as
# `keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)`.
#
# Example, with the arrays printed above: `layer = MultiHeadSelfAttention(4, 2)` is called once,
# `layer(x[None])`, so that it is built, and its weights are set by `layer.set_weights([w_q, w_k,
# w_v, w_o])`. The last row of `layer(x[None])` is then `[0.8432 -0.0503 2.4137 -0.7518]`, with
# and without a causal mask, because the last token may see everything. The first row is `[0.4612
# 0.041 2.4131 -0.6196]` without a mask and `[-1.91 0.069 1.463 -0.224]` with the causal one.
#
# <details><summary>Hint</summary>
#
# Follow exercise 4 with `keras.ops`: `ops.matmul`, `ops.reshape`, `ops.transpose`, `ops.where`,
# `ops.softmax`. While a model is built, the batch size is unknown and `x.shape[0]` is `None`; a
# `-1` in `ops.reshape` stands for it. Every query has something to attend to, so a large negative
# number for masked scores does no harm here.
#
# </details>
# <details><summary>My check says that the layer does not survive saving</summary>
#
# Loading calls `MultiHeadSelfAttention(**config)` with what `get_config()` returned. Start from
# `super().get_config()`, add your two settings under the names of the arguments, and let
# `__init__` pass its `**kwargs`, which include the layer's name, to `super().__init__`.
#
# </details>
# <details><summary>What about the mask of an Embedding or a Masking layer?</summary>
#
# Keras automatically passes such a mask to an argument named `mask`, and its shape is `(batch,
# time)`. This is not the mask meant here. In a model of your own, reshape it to `(batch, 1,
# time)`, broadcast it over the queries, and pass it explicitly. The check never places your layer
# after such a layer.
#
# </details>


# %% exercise="MultiHeadSelfAttention" points=4 difficulty=3 minutes=40
class MultiHeadSelfAttention(keras.layers.Layer):
    """Self-attention in several heads: (batch, time, d_model) → the same shape."""

    def __init__(self, d_model, num_heads, **kwargs):
        """Store the settings; num_heads divides d_model."""
        ### BEGIN SOLUTION
        super().__init__(**kwargs)  # the name and other settings of every layer
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model, {d_model}, got {num_heads}")
        self.d_model = d_model
        self.num_heads = num_heads
        ### END SOLUTION

    def build(self, input_shape):
        """Make w_q, w_k, w_v and w_o, each (d_model, d_model)."""
        ### BEGIN SOLUTION
        if len(input_shape) != 3 or input_shape[-1] != self.d_model:
            raise ValueError(f"x must have shape (batch, time, {self.d_model}), got {input_shape}")
        shape = (self.d_model, self.d_model)
        self.w_q = self.add_weight(name="w_q", shape=shape)
        self.w_k = self.add_weight(name="w_k", shape=shape)
        self.w_v = self.add_weight(name="w_v", shape=shape)
        self.w_o = self.add_weight(name="w_o", shape=shape)
        ### END SOLUTION

    def call(self, x, mask=None):
        """Let the tokens of x attend to each other; mask (time, time) or (batch, time, time)."""
        ### BEGIN SOLUTION
        time, width = ops.shape(x)[1], self.d_model // self.num_heads

        def heads(w):
            split = ops.reshape(ops.matmul(x, w), (-1, time, self.num_heads, width))
            return ops.transpose(split, (0, 2, 1, 3))

        keys = ops.transpose(heads(self.w_k), (0, 1, 3, 2))
        scores = ops.matmul(heads(self.w_q), keys) / math.sqrt(width)
        if mask is not None:
            if len(mask.shape) == 3:
                mask = mask[:, None]  # the same for all heads
            scores = ops.where(mask, scores, -math.inf)
        attended = ops.matmul(ops.softmax(scores, axis=-1), heads(self.w_v))
        merged = ops.reshape(ops.transpose(attended, (0, 2, 1, 3)), (-1, time, self.d_model))
        return ops.matmul(merged, self.w_o)
        ### END SOLUTION

    def get_config(self):
        """Return what from_config needs to make the same layer again."""
        ### BEGIN SOLUTION
        return {**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}
        ### END SOLUTION

    def compute_mask(self, inputs, mask=None):
        """Pass no mask on: later layers expect one entry for each step, not for each pair."""
        return None


# %% [markdown] lesson="Why divide by the square root of the width"
# ## Why the scores are scaled
#
# The argument for $1/\sqrt{d_k}$ has two halves: without this factor, the scores of a wide head
# are large, and with large scores many examples give almost no gradient, because hardly anything
# passes through the softmax.
#
# - `logit_variance(d_k, scaled)` → a number, the variance of one score. (A number that goes into a
#   softmax is also called a logit; hence the name.) The `d_k` components of a
#   query and of a key are independent random numbers with mean 0 and variance 1. If `scaled` is
#   true, the score is the dot product divided by $\sqrt{d_k}$, otherwise the dot product itself.
#   Give the exact value and draw no random numbers.
# - `softmax_jacobian(p)` → `(n, n)`: `p`, `(n,)`, holds the weights, the lesson's $\alpha$, that a
#   softmax computes from the scores $e_1, \ldots, e_n$. Entry $(i, j)$ is the derivative
#   $\partial p_i / \partial e_j$.
#
# Example: `softmax_jacobian(np.array([0.2, 0.3, 0.5]))` gives
#
# ```text
# [[ 0.16 -0.06 -0.1 ]
#  [-0.06  0.21 -0.15]
#  [-0.1  -0.15  0.25]]
# ```
#
# For a saturated softmax, `softmax_jacobian(np.array([0.0, 1.0, 0.0]))`, all entries are 0: no
# gradient passes through it, so the queries and keys cannot learn from this example.
#
# <details><summary>Hint</summary>
#
# The variance of a sum of independent terms is the sum of their variances, and a factor $c$ in
# front of a random number multiplies its variance by $c^2$. For the Jacobian, write $p_i =
# \exp(e_i) / \sum_k \exp(e_k)$ and differentiate the quotient, once for $i = j$ and once for $i
# \ne j$. `p` alone is enough to write down both results.
#
# </details>
# <details><summary>My check says that the entries off the diagonal are missing</summary>
#
# When one score grows, its own weight grows and *all the others* shrink, because the weights must
# still sum to 1. So every column of the Jacobian sums to 0.
#
# </details>
#
# On paper: in a trained head a query resembles the keys that it looks for. Suppose that each of the
# `d_k` pairs of components still has mean 0 and variance 1, but is normally distributed with the
# correlation $\rho$, independently of the other pairs. Why does the score with the factor
# $1/\sqrt{d_k}$ have the mean $\rho \sqrt{d_k}$, as the lesson says? What is the variance of this
# score, and does it grow with the width, too?
#
# <details><summary>Answer</summary>
#
# A product $q_c k_c$ has the mean $\rho$ and, because $E[q_c^2 k_c^2] = 1 + 2 \rho^2$, the variance
# $1 + \rho^2$. So the score has the mean $\rho \sqrt{d_k}$ and the variance $1 + \rho^2$, which
# does not grow with the width. The mean does, although the score has been divided: the division
# makes the size of the scores independent of the width only as long as queries and keys are
# independent, as they are before training.
#
# </details>


# %% exercise="softmax_jacobian logit_variance" points=2 difficulty=2 minutes=12
def softmax_jacobian(p):
    """Return the derivatives (n, n) of the weights p (n,) with respect to their scores."""
    ### BEGIN SOLUTION
    if np.ndim(p) != 1:
        raise ValueError(f"p must have shape (n,), got {np.shape(p)}")
    return np.diag(p) - np.outer(p, p)
    ### END SOLUTION


def logit_variance(d_k, scaled):
    """Return the variance of a score: of q · k / √d_k if scaled is true, otherwise of q · k."""
    ### BEGIN SOLUTION
    if d_k < 1:
        raise ValueError(f"d_k must be at least 1, got {d_k}")
    return 1.0 if scaled else float(d_k)
    ### END SOLUTION


# %% [markdown] lesson="Attention in statistics: kernel regression"
# ## Attention as kernel regression
#
# In 1964, Nadaraya and Watson independently proposed to predict with a weighted mean of the
# training targets. The training inputs are the keys, the training targets are the values, and a
# query attends mostly to the inputs near it:
#
# $$\hat y(x) = \frac{\sum_i \exp\!\left(-\frac{(x - x_i)^2}{2h^2}\right) y_i}
#                    {\sum_j \exp\!\left(-\frac{(x - x_j)^2}{2h^2}\right)}$$
#
# `attention_pooling_regression(x_query, x_train, y_train, bandwidth)` → `(queries,)`; `x_query` is
# `(queries,)`, `x_train` and `y_train` are `(n,)`, the bandwidth $h$ is positive. The queries may
# be whole numbers; the predictions are floats all the same. They are finite far from the data as
# well, where they approach the target of the nearest input.
#
# Example:
#
# ```python
# x_query = np.array([1.2, 2.5, 40.0])
# x_train, y_train = np.array([1.0, 0.0, 3.0]), np.array([4.0, 1.0, 2.0])
# ```
#
# With the bandwidth 0.7 the predictions are `[3.3776 2.2276 2.    ]`, with 0.1 they are
# `[4. 2. 2.]`, and with 5 they are `[2.3531 2.3633 2.0811]`. Before you go on: which of the three
# bandwidths underfits these data, and how can you tell from the predictions alone?
#
# <details><summary>Answer</summary>
#
# The bandwidth 5. The data lie far apart compared with 0.1 and close together compared with 5, so
# with 5 all three weights are nearly equal for every query among the data, and the first two
# predictions are close to the mean of the targets, 2.33. (The query 40 is so far away that even
# then the nearest input has 95 % of the weight.) With 0.1 each prediction is the target of the
# nearest input, noise included.
#
# </details>
# <details><summary>Hint</summary>
#
# The formula is a softmax over the training inputs. What are its scores?
#
# </details>
# <details><summary>My check says that the query far away gives nan</summary>
#
# At a distance of 37 and a bandwidth of 0.7 every exponential is smaller than the smallest float,
# so the quotient is 0/0. Subtract the largest score of each query first, as in exercise 1: then
# the nearest input contributes $\exp(0) = 1$.
#
# </details>


# %% exercise="attention_pooling_regression" points=2 difficulty=2 minutes=10
def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    """Predict (queries,) at x_query by a Gaussian-weighted mean of y_train (n,) at x_train (n,)."""
    ### BEGIN SOLUTION
    x_query, x_train = np.asarray(x_query), np.asarray(x_train)
    if x_train.ndim != 1 or np.shape(y_train) != x_train.shape or not len(x_train):
        raise ValueError(f"y_train has shape {np.shape(y_train)}, but x_train {x_train.shape}")
    if not bandwidth > 0:
        raise ValueError(f"bandwidth must be positive, got {bandwidth}")
    scores = -(((x_query[:, None] - x_train) / bandwidth) ** 2) / 2
    exponentials = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return exponentials @ y_train / np.sum(exponentials, axis=1)
    ### END SOLUTION


# %% [markdown] lesson="Masks"
# ## Does it look into the future?
#
# A decoder that sees the token it should predict reaches a wonderful training loss and is useless
# afterwards. Such leaks are hard to see, so write a test that finds them. It receives an
# attention function that somebody else wrote, and it can only call this function, not look
# inside.
#
# `is_causal(attend, x, tolerance=1e-6)` → `True` or `False`; `x` is `(batch, time, features)`, and
# `attend(x)` returns an array `(batch, time, d)`. The answer is `True` if no output at any step
# `t`, in any example and any of its `d` entries, changes by more than `tolerance` when the steps
# *after* `t` are changed. What a step does with itself and with earlier steps does not matter.
#
# Add random numbers of about the size of the data to the later steps, for example numbers drawn by
# `np.random.default_rng(0).normal(size=…)`. `attend` accepts any batch size and any number of
# steps, and rounding changes its outputs by less than `tolerance`. You may also cut the later steps
# off instead of changing them, because no output of a causal `attend` depends on how many follow.
#
# Example, with your exercises 1 and 2 and the tokens printed above: for
#
# ```python
# def careful(x):
#     return scaled_dot_product_attention(x, x, x, causal_mask(x.shape[1]))[0]
#
#
# def leaking(x):  # every token sees the next one, too
#     mask = np.tri(x.shape[1], k=1, dtype=bool)
#     return scaled_dot_product_attention(x, x, x, mask)[0]
# ```
#
# `is_causal(careful, x[None])` is `True` and `is_causal(leaking, x[None])` is `False`.
#
# <details><summary>Hint</summary>
#
# Choose a boundary between two steps. In a copy, change everything after it, and compare the
# outputs before it with those of the unchanged input.
#
# </details>
# <details><summary>My check says that a leak goes unnoticed</summary>
#
# A leak may cross any boundary between two steps, so try them all. It may concern only one pair of
# steps, one example of the batch, or one feature. A change may also be invisible to `attend`:
# attention without positions does not notice when later steps are reordered. A function that
# normalises every step does not notice when one number is added to all its features, or when they
# are multiplied by a positive factor.
#
# </details>


# %% exercise="is_causal" points=3 difficulty=2 minutes=20
def is_causal(attend, x, tolerance=1e-6):
    """Return True if no output of attend(x) depends on later steps of x (batch, time, d)."""
    ### BEGIN SOLUTION
    if np.ndim(x) != 3:
        raise ValueError(f"x must have shape (batch, time, features), got {np.shape(x)}")
    rng = np.random.default_rng(0)
    before = attend(x)
    for t in range(1, x.shape[1]):
        changed = np.array(x)
        changed[:, t:] += rng.normal(size=changed[:, t:].shape)
        difference = np.abs(attend(changed)[:, :t] - before[:, :t])
        if np.max(difference) > tolerance:
            return False
    return True
    ### END SOLUTION


# %% [markdown]
# ## Your heads look something up
#
# Now your functions work together. Sixteen cards lie on a table, as in the lesson, but this time
# *two* names are asked for at once, and both digits are wanted. A question is `[name a ; name b]`,
# a card's key is `[name ; name]` and its value `[digit ; digit]`. Every name and every digit is a
# vector of 16 numbers, and the digits are one-hot. The answer of your `multi_head_attention` should
# be `[digit of a ; digit of b]`.
#
# Only `w_q` and `w_k` are trained. `w_v` and `w_o` are the identity, so with two heads the first
# one has to answer the first question and the second one the second. The gradient follows the chain
# rule of the lesson: from the answer to the weights, through **your** `softmax_jacobian` to the
# scores, and from there to queries and keys, which **your** `split_heads` and `merge_heads` cut and
# put together. The next cell trains two heads and, as a control, a single head of the same width.
#
# These cells are not marked, and neither Validate nor the grader runs them. Run them when your
# checks of exercises 1, 3, 4 and 6 pass. They take a few seconds.
#
# > **Predict.** Two heads can learn this. What does a *single* head do when its weights must
# > serve both questions? How many digits will it get right, and where will it look?

# %% active="ipynb"
# from coursekit.checks import require_written
#
# require_written(
#     scaled_dot_product_attention,
#     split_heads,
#     merge_heads,
#     multi_head_attention,
#     softmax_jacobian,
# )
#
# NAMES = np.random.default_rng(0).normal(size=(200, 16))  # the second hundred is not trained on
# NAMES *= 4 / np.linalg.norm(NAMES, axis=1, keepdims=True)  # of the same length
# DIGITS, IDENTITY = np.eye(10, 16), np.eye(32)
#
#
# def draw_tables(count, names, rng):
#     """Return question, keys and values of some tables, the two digits and the two places."""
#     cards = rng.permuted(np.tile(names, (count, 1)), axis=1)[:, :16]
#     digits = rng.integers(10, size=(count, 16))
#     places = rng.permuted(np.tile(np.arange(16), (count, 1)), axis=1)[:, :2]
#     asked = np.take_along_axis(cards, places, axis=1)
#     question = NAMES[asked].reshape(count, 1, 32)
#     keys, values = (np.tile(part, 2) for part in (NAMES[cards], DIGITS[digits]))
#     return question, keys, values, np.take_along_axis(digits, places, axis=1), places
#
#
# def look_up(question, keys, values, w_q, w_k, num_heads):
#     """Return the logits of both digits (batch, 2, 10), ten times the answers as in the lesson."""
#     answer = multi_head_attention(
#         question, keys, values, w_q, w_k, IDENTITY, IDENTITY, num_heads
#     )
#     return 10 * answer.reshape(-1, 2, 16)[:, :, :10]
#
#
# def attention_of(question, keys, values, w_q, w_k, num_heads):
#     """Return q, k, v in heads and the weights (batch, heads, 1, 16)."""
#     q, k, v = (split_heads(a, num_heads) for a in (question @ w_q, keys @ w_k, values))
#     return q, k, v, scaled_dot_product_attention(q, k, v)[1]
#
#
# def gradients(question, keys, values, digits, w_q, w_k, num_heads):
#     """Return the gradients of the mean cross-entropy with respect to w_q and w_k."""
#     logits = look_up(question, keys, values, w_q, w_k, num_heads)
#     p = np.exp(logits - logits.max(axis=2, keepdims=True))
#     p /= p.sum(axis=2, keepdims=True)
#     d_answer = np.zeros((len(question), 2, 16))
#     d_answer[:, :, :10] = 10 * (p - np.eye(10)[digits]) / digits.size
#     q, k, v, weights = attention_of(question, keys, values, w_q, w_k, num_heads)
#     d_head = split_heads(d_answer.reshape(-1, 1, 32), num_heads)
#     d_weights = d_head @ np.swapaxes(v, 2, 3)
#     d_scores = np.empty_like(d_weights)
#     for place in np.ndindex(weights.shape[:3]):
#         d_scores[place] = d_weights[place] @ softmax_jacobian(weights[place])
#     d_scores /= math.sqrt(q.shape[3])
#     d_q = merge_heads(d_scores @ k)
#     d_k = merge_heads(np.swapaxes(d_scores, 2, 3) @ q)
#     return np.einsum("bti,btj->ij", question, d_q), np.einsum("bti,btj->ij", keys, d_k)
#
#
# def train(num_heads, steps=200, rate=0.01):
#     """Train w_q and w_k from a random start by Adam, with new tables in every step."""
#     rng = np.random.default_rng(1)
#     weights = rng.normal(size=(2, 32, 32)) / np.sqrt(32)
#     mean, square = np.zeros_like(weights), np.zeros_like(weights)
#     for step in range(1, steps + 1):
#         *tables, _ = draw_tables(32, range(100), rng)
#         gradient = np.stack(gradients(*tables, *weights, num_heads))
#         mean += 0.1 * (gradient - mean)
#         square += 0.001 * (gradient**2 - square)
#         correction = np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
#         weights -= rate * correction * mean / (np.sqrt(square) + 1e-7)
#     return weights
#
#
# new = draw_tables(1000, range(100, 200), np.random.default_rng(2))
# trained = {num_heads: train(num_heads) for num_heads in (2, 1)}
# for num_heads, weights in trained.items():
#     right = look_up(*new[:3], *weights, num_heads).argmax(axis=2) == new[3]
#     print(f"{num_heads} head(s), a hundred new names: ", end="")
#     print(f"{right.mean():.1%} of the digits, {right.all(axis=1).mean():.1%} of the pairs right")
# commonest = new[2][:, :, :10].sum(axis=1).argmax(axis=1)[:, None]
# right = commonest == new[3]
# print("the most frequent digit of each table, twice: ", end="")
# print(f"{right.mean():.1%} of the digits, {right.all(axis=1).mean():.1%} of the pairs right")

# %% [markdown]
# Where do they look? Each row is a head, each column a card of one of the new tables, and the dots
# mark the two cards that are asked for.

# %% active="ipynb"
# import matplotlib.pyplot as plt
#
# from coursekit import figures
#
# figures.use_style()
# question, keys, values, _, places = (part[2:3] for part in new)
# maps = [attention_of(question, keys, values, *trained[h], h)[3][0, :, 0] for h in (2, 1)]
# fig, ax = plt.subplots(figsize=(5.6, 2))
# ax.imshow(np.concatenate(maps), cmap=figures.shades(), vmin=0, vmax=1, aspect="auto")
# for place in places[0]:
#     ax.plot([place] * 3, range(3), ".", color=figures.MARK)
# ax.set_yticks(range(3), ["head 0 of 2", "head 1 of 2", "the only head"])
# ax.set(xlabel="card", xticks=range(0, 16, 3))
# ax.grid(False)
# figures.show(
#     fig,
#     caption="The weights that your heads give to the sixteen cards of a new table.",
#     alt="A map with three rows, one for each head, and sixteen columns. The two cards that are "
#     "asked for are marked.",
# )

# %% [markdown]
# <details><summary>Answer</summary>
#
# Two heads find both cards, with names that they have never seen, because each has learned to
# compare its own half of the question with the names. A single head has one set of weights for both
# questions, so both answers are the same. Its loss is smallest if it divides its attention between
# the two cards, each of which gets about a third of the weight on average: the answer is then a
# mean of the two digits that does not say which of them was asked for first. Whatever it answers,
# at most one of two different digits is right. The two digits are equal in one table out of ten, so
# at most about 55 % of all digits can be right, and at most about 10 % of the pairs. The head comes
# close to both limits, and it is right far more often than equal weights, whose answer is the most
# frequent digit of each table. So it has found both cards, and no further training could get it
# past 55 %. This is the lesson's argument for several heads.
#
# </details>
