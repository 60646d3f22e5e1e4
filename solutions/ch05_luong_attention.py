# %% [markdown]
# # Chapter 5 · Global and local attention: the exercises
#
# Eight exercises, 20 points, about 130 minutes. First you write Luong's attention in NumPy: three
# scores, the attentional state, and one whole step of the decoder. Then you restrict attention to a
# window around a predicted position. At the end you turn the three scores into a Keras layer, train
# a small network that needs it, and judge what the network has learned.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: batch first (`(batch, time, features)`), row vectors (`x @ w`), NumPy arrays in and
# out of functions, inputs are never changed in place. An array may hold whole numbers; even then,
# your result must not be rounded to whole numbers. It must be finite even where inputs are large. A
# mask is boolean; `True` marks a state that may be attended to.
#
# All exercises but the last use one tiny example, that of the lesson: four source states `h` of
# width 3 and a decoder state `s`. The next cell defines it.

# %%
import keras
import numpy as np
from keras import ops

h = np.array([[[0.9, 0.2, -0.5], [-0.4, 1.1, 0.3], [1.3, -0.6, 0.8], [0.1, 0.7, -1.2]]])
s = np.array([[1.0, -0.5, 0.8]])

# %% [markdown] lesson="Three scores"
# ## Three scores
#
# Luong's attention compares the *current* decoder state $s_t$ with every source state $h_i$. There
# are three ways to compute the score:
#
# $$\mathrm{dot:}\quad e_i = s\, h_i^\top$$
#
# $$\mathrm{general:}\quad e_i = s\, w_a\, h_i^\top$$
#
# $$\mathrm{concat:}\quad e_i = \tanh([s \,;\, h_i]\, w_a)\, v_a$$
#
# In all of them `s` is `(batch, m)` and `h` is `(batch, time, n)`:
#
# - `score_dot(s, h)` → `(batch, time)`. It needs $m = n$.
# - `score_general(s, h, w_a)` → `(batch, time)`; `w_a` is `(m, n)`.
# - `score_concat(s, h, w_a, v_a)` → `(batch, time)`; `w_a` is `(m + n, u)`, where the first $m$
#   rows belong to `s`, and `v_a` is `(u,)`. (In chapter 4 the annotation came first.)
#
# Example: for the `s` and `h` above, `score_dot` gives `[[0.4 -0.71 2.24 -1.21]]`. With
# `w_a = [[0.5, -0.2, 0.1], [0.3, 0.8, -0.4], [-0.6, 0.2, 0.7]]`, `score_general` gives
# `[[-0.635 -0.174 0.783 -1.353]]`. With `w_a = [[0.4, -0.7], [0.2, 0.5], [-0.3, 0.6], [0.8, 0.1],
# [-0.5, 0.9], [0.3, -0.2]]` and `v_a = [1.5, -1]`, `score_concat` gives
# `[[0.8277 -1.3223 2.1691 -1.1615]]`.
#
# <details><summary>Hint</summary>
#
# `np.einsum("bm,btm->bt", …)` states the dot product index by index. The general score is a dot
# score after `s @ w_a`. For the concat score, the same `s` must stand beside every source state:
# `np.broadcast_to(s[:, None], (batch, time, m))`.
#
# </details>
# <details><summary>My check says that w_a is transposed</summary>
#
# With row vectors the score is $s\, w_a\, h^\top$. The rows of `w_a` belong to the decoder state,
# its columns to the source state. A square `w_a` gives no error when the two are swapped.
#
# </details>


# %% exercise="score_dot score_general score_concat" points=3 difficulty=2 minutes=15
def score_dot(s, h):
    """Score h (batch, time, m) against s (batch, m) by dot products → (batch, time)."""
    ### BEGIN SOLUTION
    if np.shape(s) != np.shape(h)[:1] + np.shape(h)[2:]:
        raise ValueError(f"s has shape {np.shape(s)}, but h has {np.shape(h)}: dot needs m = n")
    return np.einsum("bm,btm->bt", s, h)
    ### END SOLUTION


def score_general(s, h, w_a):
    """Score h (batch, time, n) against s (batch, m) by s w_a hᵀ, w_a (m, n) → (batch, time)."""
    ### BEGIN SOLUTION
    if np.shape(w_a) != (np.shape(s)[-1], np.shape(h)[-1]):
        raise ValueError(
            f"w_a has shape {np.shape(w_a)}, but s has {np.shape(s)} and h has {np.shape(h)}"
        )
    return np.einsum("bm,mn,btn->bt", s, w_a, h)
    ### END SOLUTION


def score_concat(s, h, w_a, v_a):
    """Score by tanh([s ; h] w_a) v_a; w_a (m + n, u), v_a (u,) → (batch, time)."""
    ### BEGIN SOLUTION
    batch, time, n = np.shape(h)
    m = np.shape(s)[-1]
    if np.shape(w_a)[0] != m + n:
        raise ValueError(f"w_a has {np.shape(w_a)[0]} rows, but s and h have widths {m} and {n}")
    if np.shape(v_a) != np.shape(w_a)[1:]:
        raise ValueError(f"v_a has shape {np.shape(v_a)}, but w_a has {np.shape(w_a)}")
    pairs = np.concatenate([np.broadcast_to(s[:, None], (batch, time, m)), h], axis=2)
    return np.tanh(pairs @ w_a) @ v_a
    ### END SOLUTION


# %% [markdown] lesson="The attentional state"
# ## The attentional state
#
# The softmax of the scores gives the weights of the source states, and the weighted sum of these
# states is the context $c_t$. The attentional state mixes it with the decoder state, in this order:
#
# $$\tilde s_t = \tanh([c_t \,;\, s_t]\, w_c)$$
#
# `attentional_state(context, s, w_c)` → `(batch, width)`; `context` is `(batch, n)`, `s` is
# `(batch, m)`, and `w_c` is `(n + m, width)`. Its first `n` rows belong to the context. (The width
# is often `m`; in the example it is 2.)
#
# Example: for the `s` above, `context = [[1.1466, -0.393, 0.5617]]` and `w_c = [[0.6, -0.4],
# [0.1, 0.9], [-0.7, 0.2], [0.3, 0.5], [-0.2, -0.8], [0.5, 0.1]]` the attentional state is
# `[[0.7839 0.2729]]`.
#
# <details><summary>Hint</summary>
#
# `np.concatenate` joins two arrays along an existing axis. Which axis holds the features?
#
# </details>
# <details><summary>My check says that the parts stand in the wrong order</summary>
#
# The paper, too, puts the context first. The other order gives no error, because the total width is
# the same, but the entries then meet rows of `w_c` that belong to the other part.
#
# </details>


# %% exercise="attentional_state" points=1 difficulty=1 minutes=5
def attentional_state(context, s, w_c):
    """Mix context (batch, n) and s (batch, m) by tanh([c ; s] w_c) → (batch, width)."""
    ### BEGIN SOLUTION
    rows = np.shape(context)[-1] + np.shape(s)[-1]
    if np.shape(w_c)[0] != rows:
        raise ValueError(f"w_c has {np.shape(w_c)[0]} rows, but context and s have {rows} features")
    return np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    ### END SOLUTION


# %% [markdown] lesson="The eight steps"
# ## One step of the decoder
#
# Put the parts together: from the decoder state to the probabilities of the next word.
#
# $$\alpha = \mathrm{softmax}(\mathrm{score}(s, h)), \qquad c = \sum_i \alpha_i\, h_i$$
#
# $$\tilde s = \tanh([c \,;\, s]\, w_c), \qquad p = \mathrm{softmax}(\tilde s\, w_y)$$
#
# `luong_step(s, h, w_c, w_y, score)` → `(probabilities, attentional, weights)` of the shapes
# `(batch, vocab)`, `(batch, width)` and `(batch, time)`. `score` is a function of `s` and `h` that
# returns `(batch, time)`: `score_dot`, or another score with its weights bound, such as
# `lambda s, h: score_general(s, h, w_a)`. `w_c` is that of exercise 2, and `w_y` is
# `(width, vocab)`. Both softmaxes must be finite for any finite scores.
#
# Example: for the `s`, `h` and `w_c` above, `w_y = [[1.2, -0.6, 0.3, 0.9, -1.1],
# [-0.4, 0.8, 1.1, -0.2, 0.5]]` and `score_dot`, the weights are `[[0.1278 0.0421 0.8046 0.0255]]`,
# the attentional state is `[[0.7839 0.2729]]`, and the probabilities are
# `[[0.3197 0.1082 0.2378 0.2669 0.0674]]`.
#
# The check calls your function with a score of its own, so a mistake in the first exercise costs
# nothing here.
#
# <details><summary>Hint</summary>
#
# You need a softmax twice, so write it once, as a function inside or beside `luong_step`. The
# context is a weighted sum over the time axis: `np.einsum("bt,btn->bn", …)`.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# `np.exp(1000)` overflows. A softmax does not change when the same number is subtracted from all
# scores of an example. Subtract the maximum of each row first.
#
# </details>


# %% exercise="luong_step" points=3 difficulty=2 minutes=15
def luong_step(s, h, w_c, w_y, score):
    """Return the probabilities (batch, vocab), the attentional state and the weights of a step."""

    ### BEGIN SOLUTION
    def softmax(scores):
        exponentials = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        return exponentials / np.sum(exponentials, axis=1, keepdims=True)

    scores = score(s, h)
    if np.shape(scores) != np.shape(h)[:2]:
        raise ValueError(f"score returns shape {np.shape(scores)}, but h has {np.shape(h)}")
    if np.shape(w_y)[0] != np.shape(w_c)[1]:
        raise ValueError(f"w_y has shape {np.shape(w_y)}, but w_c has {np.shape(w_c)}")
    weights = softmax(scores)
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return softmax(attentional @ w_y), attentional, weights
    ### END SOLUTION


# %% [markdown] lesson="Local attention"
# ## The predicted position
#
# Global attention scores every source state. Local attention looks only at a window, and in the
# variant local-p the network predicts from its state where the centre of this window is:
#
# $$p_t = S \cdot \mathrm{sigmoid}(\tanh(s_t\, w_p)\, v_p)$$
#
# The sigmoid lies between 0 and 1, so $p_t$ lies between 0 and the source length $S$. It is a real
# number; it is not rounded, because the gradient has to pass through it.
#
# `predicted_position(s, w_p, v_p, source_length)` → `(batch,)`, floats; `s` is `(batch, m)`, `w_p`
# is `(m, u)`, `v_p` is `(u,)`, and `source_length` is one number or an array `(batch,)` with one
# length for each example. The result must be finite for any finite input.
#
# Example: for the `s` above, `w_p = [[0.5, -0.4], [-0.3, 0.6], [0.2, 0.7]]`, `v_p = [1.4, -0.9]`
# and the source length 4, the position is `[2.9728]`.
#
# <details><summary>Hint</summary>
#
# `np.tanh(s @ w_p) @ v_p` is `(batch,)` already. Chapter 1 has the sigmoid.
#
# </details>
# <details><summary>My check says that the positions have the wrong shape</summary>
#
# If a product keeps a last axis of length 1, multiplying `(batch, 1)` by lengths of shape
# `(batch,)` broadcasts to `(batch, batch)`.
#
# </details>


# %% exercise="predicted_position" points=2 difficulty=1 minutes=8
def predicted_position(s, w_p, v_p, source_length):
    """Predict a centre of attention for s (batch, m) between 0 and source_length → (batch,)."""
    ### BEGIN SOLUTION
    if np.shape(w_p)[0] != np.shape(s)[-1]:
        raise ValueError(f"w_p has {np.shape(w_p)[0]} rows, but s has shape {np.shape(s)}")
    if np.shape(v_p) != np.shape(w_p)[1:]:
        raise ValueError(f"v_p has shape {np.shape(v_p)}, but w_p has {np.shape(w_p)}")
    if np.shape(source_length) not in ((), np.shape(s)[:1]):
        raise ValueError(f"source_length has shape {np.shape(source_length)}, not () or (batch,)")
    if np.any(np.less(source_length, 0)):
        raise ValueError(f"source_length must not be negative, got {source_length}")
    x = np.tanh(s @ w_p) @ v_p
    return source_length * (1 + np.tanh(x / 2)) / 2  # the sigmoid, without an overflow
    ### END SOLUTION


# %% [markdown] lesson="Local attention"
# ## The window
#
# The window of local attention holds the positions $i$ with $|i - p| \le D$. Positions count from
# 0, and a window that reaches beyond an end of the source is cut off there.
#
# `local_window(p, half_width, source_length)` → a boolean array `(batch, source_length)`; `p` is
# `(batch,)`. Neither `p` nor `half_width`, $D$, needs to be whole.
#
# Example: `local_window(np.array([2.9728, 0.7341]), 1, 4)` → `[[False False True True]
# [True True False False]]`. In the second row, position 2 is 1.2659 away from the centre.
#
# <details><summary>Hint</summary>
#
# `np.arange(source_length)` has the positions. Where must `p` get an axis so that the difference is
# `(batch, source_length)`?
#
# </details>
# <details><summary>My check says that the centre is rounded</summary>
#
# The window is drawn around the real number: `round(0.7341)` is 1, and a window around 1 would hold
# position 2.
#
# </details>


# %% exercise="local_window" points=1 difficulty=1 minutes=5
def local_window(p, half_width, source_length):
    """Mark the positions at most half_width away from p (batch,) → (batch, source_length)."""
    ### BEGIN SOLUTION
    if np.ndim(p) != 1:
        raise ValueError(f"p must have shape (batch,), got {np.shape(p)}")
    if half_width < 0:
        raise ValueError(f"half_width must not be negative, got {half_width}")
    if source_length < 0:
        raise ValueError(f"source_length must not be negative, got {source_length}")
    return np.abs(np.arange(source_length) - p[:, None]) <= half_width
    ### END SOLUTION


# %% [markdown] lesson="Local attention"
# ## The weights of local attention
#
# Inside the window, local attention turns scores into weights by a softmax. Then it multiplies
# every weight by a Gaussian around the centre, which favours the positions near the centre and lets
# a gradient reach it:
#
# $$\begin{aligned}
# \alpha_i &= \mathrm{softmax}_{|j - p| \le D}(e)_i
# \cdot \exp\left(-\frac{(i - p)^2}{2\sigma^2}\right), \\[4pt]
# \sigma &= \frac D 2
# \end{aligned}$$
#
# As in the paper, the weights are *not* normalised again, so their sum is at most 1.
#
# `local_attention_weights(scores, p, half_width)` → `(batch, time)`; `scores` is `(batch, time)`,
# `p` is `(batch,)`, and `half_width` is positive. Outside the window the weights are exactly 0. A
# window without any position gives zeros. The weights must be finite for any finite scores. You may
# call your `local_window` here, but then a mistake in it costs the points of both exercises.
#
# Example: for the dot scores `[[0.4, -0.71, 2.24, -1.21]]`, the centre `[2.9728]` and the
# half-width 1.5, the softmax inside the window is `[[0. 0. 0.9692 0.0308]]` and the weights are
# `[[0. 0. 0.4179 0.0307]]`.
#
# <details><summary>Hint</summary>
#
# `np.where(window, …, 0)` after `exp` keeps the positions outside the window out of the sum. Which
# maximum must be subtracted before `exp`: that of all scores, or that of the window? Imagine a
# score of 1000 outside the window.
#
# </details>
# <details><summary>My check says that the softmax runs over all positions</summary>
#
# If you compute the softmax over all scores and set the weights outside to 0 afterwards, what is
# left sums to less than 1 before the Gaussian. Positions outside the window must not take part in
# the sum that the softmax divides by.
#
# </details>


# %% exercise="local_attention_weights" points=3 difficulty=3 minutes=20
def local_attention_weights(scores, p, half_width):
    """Weight scores (batch, time) inside a window around p (batch,), times a Gaussian."""
    ### BEGIN SOLUTION
    if np.ndim(scores) != 2:
        raise ValueError(f"scores must have shape (batch, time), got {np.shape(scores)}")
    if np.shape(p) != np.shape(scores)[:1]:
        raise ValueError(f"p has shape {np.shape(p)}, but scores have {np.shape(scores)}")
    if not half_width > 0:
        raise ValueError(f"half_width must be positive, got {half_width}")
    distance = np.arange(np.shape(scores)[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    highest = np.max(inside, axis=1, keepdims=True)
    # A row without a position has no highest score; exp(-inf) makes zeros of it all the same.
    exponentials = np.exp(inside - np.where(np.isfinite(highest), highest, 0))
    total = np.sum(exponentials, axis=1, keepdims=True)
    gaussian = np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))
    return exponentials / np.where(total > 0, total, 1) * gaussian
    ### END SOLUTION


# %% [markdown] lesson="The same thing in Keras"
# ## Luong's attention as a Keras layer
#
# Turn the three scores into one Keras layer with the score as a setting.
#
# `LuongAttention(score="dot", units=None)` is a `keras.layers.Layer`:
#
# - `__init__(self, score="dot", units=None, **kwargs)`: `score` is `"dot"`, `"general"` or
#   `"concat"`; `units` is the $u$ of the concat score, which the other scores ignore.
#   `LuongAttention("concat")` without units raises `ValueError`, at the latest when it is called.
# - `build(self, s_shape, h_shape)` makes the weights in the shapes of the first exercise: none for
#   dot, $w_a$ for general, $w_a$ and then $v_a$ `(u,)` for concat. For $w_a$, keep Keras's default
#   initialiser, or take another one that draws random numbers.
# - `call(self, s, h, mask=None)`: `s` `(batch, m)`, `h` `(batch, time, n)`, `mask` `(batch, time)`
#   or `None` → `(context, weights)` of the shapes `(batch, n)` and `(batch, time)`. Masked states
#   have the weight 0, and the weights of the others sum to 1. Every row of a mask has a `True`. The
#   weights must be finite for any finite scores. While a model is built, `batch` and `time` may be
#   unknown.
# - The layer survives `get_config` and `from_config`, and saving and loading of a model that holds
#   it. It keeps the `name` that it is given.
#
# `compute_mask` is written for you: the context is one vector, so there are no steps to mask.
#
# Example: for the `s` and `h` above, `LuongAttention()` gives the weights
# `[[0.1278 0.0421 0.8046 0.0255]]`; with the mask `[[True, True, False, True]]` it gives
# `[[0.6538 0.2155 0. 0.1307]]` and the context `[[0.5153 0.4593 -0.4191]]`.
#
# <details><summary>Hint</summary>
#
# Compute with `keras.ops`: while a model is built and trained, `s` and `h` are not arrays of
# numbers. For the concat score you need not concatenate: `[s ; h] @ w_a` is
# `s @ w_a[:m] + h @ w_a[m:]`, and `ops.expand_dims` gives the first part an axis for time.
#
# </details>
# <details><summary>My check says that the mask is applied after the softmax</summary>
#
# Setting weights to zero afterwards leaves a sum below 1. Give masked scores a very negative value
# before the softmax: `ops.where(mask, scores, -1e9)`.
#
# </details>
# <details><summary>Keras says that build() needs arguments that end in _shape</summary>
#
# A layer that is called with two tensors, `s` and `h`, gets two shapes. Name the arguments of
# `build` after those of `call`: `s_shape` and `h_shape`.
#
# </details>
# <details><summary>My check says that the layer does not survive saving</summary>
#
# Loading calls `LuongAttention(**config)` with what `get_config()` returned. Start from
# `super().get_config()`, add both settings, and let `__init__` pass `**kwargs` to
# `super().__init__`.
#
# </details>


# %% exercise="LuongAttention" points=4 difficulty=3 minutes=30
class LuongAttention(keras.layers.Layer):
    """Attend from s (batch, m) to h (batch, time, n) by the dot, general or concat score."""

    def __init__(self, score="dot", units=None, **kwargs):
        """Store the score, one of "dot", "general" and "concat", and the units of the last."""
        ### BEGIN SOLUTION
        super().__init__(**kwargs)
        if score not in ("dot", "general", "concat"):
            raise ValueError(f'score must be "dot", "general" or "concat", got {score!r}')
        if score == "concat" and units is None:
            raise ValueError('units must be given for the score "concat"')
        self.score = score
        self.units = units
        ### END SOLUTION

    def build(self, s_shape, h_shape):
        """Make no weights, w_a (m, n), or w_a (m + n, units) and v_a (units,)."""
        ### BEGIN SOLUTION
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "dot" and m != n:
            raise ValueError(f"s has width {m}, but h has {n}: the score dot needs the same")
        if self.score == "general":
            self.w_a = self.add_weight(name="w_a", shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(name="w_a", shape=(m + n, self.units))
            self.v_a = self.add_weight(name="v_a", shape=(self.units,))
        ### END SOLUTION

    def call(self, s, h, mask=None):
        """Return the context (batch, n) and the weights (batch, time); mask True = attended."""
        ### BEGIN SOLUTION
        if self.score == "concat":
            m = s.shape[-1]
            from_state = ops.expand_dims(ops.matmul(s, self.w_a[:m]), axis=1)
            hidden = ops.tanh(from_state + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            projected = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.einsum("bn,btn->bt", projected, h)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores, axis=1)
        return ops.einsum("bt,btn->bn", weights, h), weights
        ### END SOLUTION

    def get_config(self):
        """Return what from_config needs to make the same layer again."""
        ### BEGIN SOLUTION
        return {**super().get_config(), "score": self.score, "units": self.units}
        ### END SOLUTION

    def compute_mask(self, *args):
        """Pass no mask on: the context has no steps to mask."""
        return None


# %% [markdown] lesson="All variants on one task"
# ## Train a network that looks things up
#
# Now train attention where it has to learn what to compare. Every example is a question about a
# source. Each state of the source `h` carries a *key* and a *value*. The decoder state `s` carries
# the key of exactly one of them, and the answer `y` is the number of that state's value: 0, 1, 2, …
# You are not told how keys and values are written in the states. The same key is written
# differently in `s` and in `h`, which also differ in width, and all states are noisy, so the
# network has to learn from the examples what belongs together. Some of the answers in the data are
# wrong, so no network reaches an accuracy of 1.
#
# `fit_lookup(train, test)` → `(predict, accuracy, baseline)`:
#
# - `train` and `test` are both `(s, h, y)`: `s` `(examples, m)` and `h` `(examples, time, n)` are
#   float32, `y` `(examples,)` holds whole numbers. There are 4,000 examples with 4 source states
#   each to train on, and 600 with 8 states each to test with, because attention must not depend on
#   the length of the source. The network must learn from the training part alone.
# - `predict(s, h)` → `(ids, weights)`: the answers `(examples,)` of your trained network to new
#   questions, and the attention weights `(examples, time)` that it used. There may be any number of
#   questions and of source states, and an answer does not depend on the other questions.
# - `accuracy` is the share of the test answers `y` that `predict` gives.
# - `baseline` is the share that you get right on the test part by always giving the answer that is
#   most frequent in the *training* part. Report it, because an accuracy means little without it.
#
# Train any network with an attention of this chapter in any way you like: with your own
# `LuongAttention` once its check passes, or with a layer of Keras. On new questions, this time
# without wrong answers in the data, your network must answer at least 85 % correctly (your
# `accuracy` may be lower, because some test answers are wrong), and for at least 85 % of the
# questions the largest weight must be on the state that has the key, although nobody tells your
# network which one that is. The check trains your network once; training and answering may take 60
# seconds, and about 3 are enough. The grader trains it once more, on other keys and values, and
# asks for 75 % of both there, because training ends a little differently on other data.
#
# <details><summary>Hint</summary>
#
# Which of the three scores can compare states of different widths? Build a functional model with
# two inputs (`keras.Input((m,))` and `keras.Input((None, n))`), the attention, and a softmax
# `Dense` layer of `int(y.max()) + 1` units on the context. Compile with
# `"sparse_categorical_crossentropy"`, and train it with Adam at a learning rate of 0.01; six epochs
# in batches of 64 are enough. For the weights, make a second `keras.Model` with the same inputs and
# two outputs; it shares the trained layers.
#
# </details>
# <details><summary>My check says that the attention is not where the key is</summary>
#
# Print a few rows of the weights beside the answers. If all weights are nearly equal, the network
# answers from the mean of the states, and the score does not use the query. Feeding `s` to the
# output layer as well does not help: it holds only the key, and the value is in the source states.
#
# </details>
# <details><summary>My check says that the accuracy is not that of predict</summary>
#
# Call `predict` on the states of the *test* part, compare its answers with the `y` of the test
# part, and average. The accuracy that Keras prints during training is that of the training part.
#
# </details>


# %% exercise="fit_lookup" points=3 difficulty=3 minutes=30
def fit_lookup(train, test):
    """Train attention on (s, h, y); return predict, its accuracy on test, and a baseline's."""
    ### BEGIN SOLUTION
    s, h, y = train
    s_test, h_test, y_test = test
    if not len(s) == len(h) == len(y):
        raise ValueError(f"train has {len(s)} and {len(h)} states, but {len(y)} answers")
    keras.utils.set_random_seed(0)
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    # A dot score after a projection is the general score.
    query = keras.layers.Dense(h.shape[2], use_bias=False)(state)[:, None]
    attend = keras.layers.Attention()
    context, weights = attend([query, source], return_attention_scores=True)
    probabilities = keras.layers.Dense(int(y.max()) + 1, activation="softmax")(context[:, 0])
    model = keras.Model([state, source], probabilities)
    model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.Adam(0.01))
    model.fit([s, h], y, batch_size=64, epochs=6, verbose=0)
    with_weights = keras.Model([state, source], [probabilities, weights[:, 0]])

    def predict(s, h):
        probabilities, weights = with_weights.predict([s, h], verbose=0)
        return probabilities.argmax(axis=1), weights

    accuracy = np.mean(predict(s_test, h_test)[0] == y_test)
    baseline = np.mean(y_test == np.bincount(y).argmax())
    return predict, float(accuracy), float(baseline)
    ### END SOLUTION


# %% [markdown]
# ## Your translator
#
# Now your functions work together. The next cell builds the lesson's translator of dates with
# **your** `LuongAttention` between its encoder and its decoder, and trains it for the lesson's
# 400 steps.
#
# These cells are not marked, and neither Validate nor the grader runs them. Run them when all
# your checks pass. The first one takes about half a minute.

# %% active="ipynb"
# from coursekit import datasets, translation
# from coursekit.checks import require_written
#
# require_written(score_general, attentional_state, local_attention_weights, LuongAttention)
#
# corpus = datasets.dates()
# x, x_test = (corpus.source.encode(part.sources, 30) for part in (corpus.train, corpus.test))
# y, y_test = (corpus.target.encode(part.targets, 11) for part in (corpus.train, corpus.test))
#
#
# def build():
#     source, given = keras.Input((30,), dtype="int32"), keras.Input((11,), dtype="int32")
#     read = keras.layers.Embedding(len(corpus.source), 16, mask_zero=True)(source)
#     encoder = keras.layers.GRU(48, return_sequences=True, return_state=True, name="encoder")
#     annotations, last = encoder(read)
#     written = keras.layers.Embedding(len(corpus.target), 16)(given)
#     decoder = keras.layers.GRU(48, return_sequences=True, name="decoder")
#     states = decoder(written, initial_state=last)
#     # Your layer takes one state of the decoder for each example, so every example is repeated.
#     real = ops.repeat(ops.not_equal(source, 0), 11, axis=0)
#     repeated = ops.repeat(annotations, 11, axis=0)
#     attend = LuongAttention("general", name="attention")
#     context, _ = attend(ops.reshape(states, (-1, 48)), repeated, mask=real)
#     joined = ops.concatenate([ops.reshape(context, (-1, 11, 48)), states], axis=2)
#     mix = keras.layers.Dense(48, activation="tanh", use_bias=False, name="w_c")
#     choose = keras.layers.Dense(len(corpus.target), use_bias=False, name="w_y")
#     return keras.Model([source, given], choose(mix(joined)))
#
#
# STEPS = 400
# rate = keras.optimizers.schedules.CosineDecay(0.01, STEPS)
# trainer = translation.Trainer(build, rate, STEPS, batch_size=64)
# trainer.train(x, y, seed=0)
# model = trainer.model
# ids = translation.translate(model, x_test[:5], steps=11)
# for text, date in zip(corpus.test.sources, corpus.target.decode(ids), strict=False):
#     print(f"{text:30}{date}")
# print(f"exact answers: {translation.exact_match(model, x_test, y_test).mean():.3f}")

# %% [markdown]
# The translator was trained to look everywhere. Now narrow its view: the next cell takes the
# states of the two GRUs, and computes everything after them with **your** `score_general`,
# `local_attention_weights` and `attentional_state`. It tries windows around three kinds of centres:
#
# - the step $t$, as in local-m (but your function also multiplies by the Gaussian, which local-m
#   does not have);
# - a timetable, that is, the length of the source times a constant for each step. (To keep the cell
#   short, the constant is the mean over these same dates; the lesson took it from training dates.)
# - as a cheat, the position with the highest score of all.
#
# The states of the decoder do not depend on the attention, so one call with the right characters
# gives all of them, and a date is translated exactly if the next character is right at every step.
#
# > **Predict.** Which of the three centres needs the widest window?

# %% active="ipynb"
# part = model.get_layer
# all_states = keras.Model(model.inputs, [part("decoder").output, part("encoder").output[0]])
# states, annotations = all_states.predict_on_batch((x_test, translation.shift(y_test)))
# (w_a,), (w_c,), (w_y,) = (part(name).get_weights() for name in ("attention", "w_c", "w_y"))
# real, lengths = x_test != 0, np.sum(x_test != 0, axis=1)
#
#
# def scores_at(t):
#     return np.where(real, score_general(states[:, t], annotations, w_a), -1e9)
#
#
# def exact_with_windows(centres, half_width):
#     right = np.ones(len(x_test), bool)
#     for t in range(11):
#         weights = local_attention_weights(scores_at(t), centres[:, t], half_width)
#         context = np.einsum("bt,btn->bn", weights, annotations)
#         attentional = attentional_state(context, states[:, t], w_c)
#         right &= (attentional @ w_y).argmax(axis=1) == y_test[:, t]
#     return right.mean()
#
#
# looks_at = np.stack([scores_at(t).argmax(axis=1) for t in range(11)], axis=1)
# timetable = np.mean(looks_at / lengths[:, None], axis=0) * lengths[:, None]
# kinds = {
#     "step t": np.tile(np.arange(11.0), (len(x_test), 1)),
#     "constant share of the length": timetable,
#     "highest score": looks_at,
# }
# widths = (1, 2, 4, 8, 16)
# print(f"{'centre':30}", *(f"D = {width:<4}" for width in widths))
# for name, centres in kinds.items():
#     print(f"{name:30}", *(f"{exact_with_windows(centres, d):.3f}   " for d in widths))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The step needs the widest window: this network has learned to begin at the end of the source,
# which a window around 0 does not reach. The lesson's local-m does far better with windows of the
# same width, but it is *trained* with them, and it has no Gaussian. Around the highest score hardly
# any width is needed: wherever the network needs the source, most of its weight is on a few
# neighbouring positions. The timetable is in between. (Even wide windows may cost a little: the
# Gaussian makes every context smaller than those that this network has been trained with.)
#
# </details>
