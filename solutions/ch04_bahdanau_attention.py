# %% [markdown]
# # Chapter 4 · Learning to align with Bahdanau attention: the exercises
#
# Nine exercises, 20 points, about 130 minutes. You build the attention of Bahdanau, Cho and Bengio
# piece by piece: the annotations of the words, the additive score, the softmax under a mask and the
# context. Then you put the pieces into a Keras layer, write the loop that translates with such a
# layer, and measure a translator in two ways: how its accuracy depends on the length of the
# sentence, and how often it looks at the word that it is translating. At the end, your functions
# work together: your layer learns to translate dates, and your loop writes them.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: batch first (`(batch, time, features)`), row vectors (`x @ w`), NumPy arrays in and
# out of functions, inputs are never changed in place. A mask is boolean; `True` marks a position
# that may be attended to. As in the lesson, an annotation has $n$ entries, the state of the decoder
# has $m$, and the score is computed by $u$ units.

# %%
import keras
import numpy as np
from keras import ops

# %% [markdown] lesson="Annotations from a bidirectional encoder"
# ## Annotations from two directions
#
# One RNN reads the sentence from its first word to its last, a second RNN reads it from its last
# word to its first. The annotation of a word joins both states at that word:
# $h_i = [\overrightarrow{h}_i \,; \overleftarrow{h}_i]$.
#
# `annotations(forward, backward)` → `(batch, time, 2 * units)`. Both inputs are
# `(batch, time, units)` and hold the states **in the order in which their RNN produced them**. So
# `backward[:, 0]` is the state after the backward RNN has read the last word.
#
# Example: a sentence of three words and RNNs of two units. For
# `forward = [[[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]]` and
# `backward = [[[-0.1, 0.7], [-0.2, 0.8], [-0.3, 0.9]]]` the annotations are
# `[[[0.1 0.2 -0.3 0.9] [0.3 0.4 -0.2 0.8] [0.5 0.6 -0.1 0.7]]]`.
#
# <details><summary>Hint</summary>
#
# Which word had the backward RNN just read when it produced its first state? A slice can step
# backwards through an axis.
#
# </details>
# <details><summary>My check says that the states are added</summary>
#
# `forward + backward` adds the numbers. `np.concatenate` puts arrays end to end, and its `axis`
# says along which axis.
#
# </details>


# %% exercise="annotations" points=1 difficulty=1 minutes=8
def annotations(forward, backward):
    """Join the states of two RNNs (batch, time, units) word by word, forward first."""
    ### BEGIN SOLUTION
    if np.ndim(forward) != 3:
        raise ValueError(f"forward must have shape (batch, time, units), got {np.shape(forward)}")
    if np.shape(backward) != np.shape(forward):
        raise ValueError(
            f"backward has shape {np.shape(backward)}, but forward has {np.shape(forward)}"
        )
    return np.concatenate([forward, backward[:, ::-1]], axis=2)
    ### END SOLUTION


# %% [markdown] lesson="The additive score"
# ## The additive score
#
# The score says how well the annotation of each position fits the previous state of the decoder:
#
# $$e_{t,i} = \tanh(h_i\, w_1 + s_{t-1}\, w_2)\; v$$
#
# `additive_score(s_prev, h, w_1, w_2, v)` → `(batch, time)`; `s_prev` is `(batch, m)`, `h` is
# `(batch, time, n)`, `w_1` is `(n, u)`, `w_2` is `(m, u)`, and `v` is `(u,)`.
#
# Example: six words, annotations of three numbers, a state of two numbers, four units. (An encoder
# that reads in two directions gives an even $n$, but the score does not depend on that.)
#
# ```python
# h = np.array([[[-0.4, -0.7, -0.3], [-0.4, 0.9, 0.1], [0.9, 0.8, 0.3],
#                [0.7, 0.4, -0.3], [0.2, -0.9, -0.7], [-0.6, 0.4, -0.6]]])
# s_prev = np.array([[0.4, 0.9]])
# w_1 = np.array([[0.6, -0.9, -0.8, 0.7], [-1.4, 0.1, 1.3, -0.6], [1.3, 1.4, 0.5, 1.2]])
# w_2 = np.array([[-0.4, 0.3, -0.4, 1.0], [-0.8, 1.5, -1.3, -0.2]])
# v = np.array([2.3, -0.1, 2.1, -2.2])
# ```
#
# The scores are `[[-3.2377 -0.9299 -4.7307 -4.2335 -3.1368 -1.7230]]`.
#
# <details><summary>Hint</summary>
#
# `h @ w_1` is `(batch, time, u)` and `s_prev @ w_2` is `(batch, u)`. The state must be added at
# every position of its own sentence, so give it an axis of length 1 for time: `[:, None, :]`.
#
# </details>
# <details><summary>My check says that the states are added along the wrong axis</summary>
#
# NumPy aligns shapes at their ends. Without the extra axis, `(batch, u)` is read as `(time, u)`,
# which raises an error unless batch and time happen to be equal or one of them is 1.
#
# </details>


# %% exercise="additive_score" points=2 difficulty=2 minutes=12
def additive_score(s_prev, h, w_1, w_2, v):
    """Score the annotations h (batch, time, n) for the states s_prev (batch, m) → (batch, time)."""
    ### BEGIN SOLUTION
    if np.ndim(h) != 3:
        raise ValueError(f"h must have shape (batch, time, n), got {np.shape(h)}")
    if np.ndim(s_prev) != 2 or len(s_prev) != len(h):
        raise ValueError(f"s_prev has shape {np.shape(s_prev)}, but h has {np.shape(h)}")
    if np.ndim(v) != 1:
        raise ValueError(f"v must have shape (u,), got {np.shape(v)}")
    for name, w, rows in (("w_1", w_1, np.shape(h)[2]), ("w_2", w_2, np.shape(s_prev)[1])):
        if np.shape(w) != (rows, len(v)):
            raise ValueError(f"{name} has shape {np.shape(w)}; expected {(rows, len(v))}")
    return np.tanh(h @ w_1 + (s_prev @ w_2)[:, None, :]) @ v
    ### END SOLUTION


# %% [markdown] lesson="The concatenated form of the score"
# ## The same score with one matrix
#
# The score is often written with the annotation and the state put end to end:
#
# $$e_{t,i} = \tanh([h_i \,; s_{t-1}]\, w)\; v$$
#
# It is the same score, because the upper rows of $w$ meet only the annotation and the lower rows
# only the state. Show it by computing this form and by splitting $w$ into its two parts.
#
# - `concat_score(s_prev, h, w, v)` → `(batch, time)`; `w` is `(n + m, u)`, the other shapes are
#   those of exercise 2.
# - `split_weights(w, annotation_dim)` → `(w_1, w_2)`, the two matrices with which `additive_score`
#   gives the same scores; `annotation_dim` is $n$.
#
# Example: with `h`, `s_prev` and `v` of exercise 2 and
#
# ```python
# w = np.array([[0.6, -0.9, -0.8, 0.7], [-1.4, 0.1, 1.3, -0.6], [1.3, 1.4, 0.5, 1.2],
#               [-0.4, 0.3, -0.4, 1.0], [-0.8, 1.5, -1.3, -0.2]])
# ```
#
# `concat_score` gives the scores of exercise 2, and `split_weights(w, 3)` gives its `w_1` and
# `w_2`.
#
# <details><summary>Hint</summary>
#
# Before you can put them end to end, the state must be repeated for every position. Give the state
# a time axis, then repeat it along that axis.
#
# </details>
# <details><summary>My check says that the state comes first</summary>
#
# $[h_i \,; s_{t-1}]$ begins with the annotation. If you join them in the other order, the rows of
# $w$ meet the wrong numbers, and no error tells you so.
#
# </details>


# %% exercise="concat_score split_weights" points=2 difficulty=2 minutes=12
def concat_score(s_prev, h, w, v):
    """Score the annotations h (batch, time, n) for s_prev (batch, m) by tanh([h ; s] w) v."""
    ### BEGIN SOLUTION
    if np.ndim(h) != 3:
        raise ValueError(f"h must have shape (batch, time, n), got {np.shape(h)}")
    if np.ndim(s_prev) != 2 or len(s_prev) != len(h):
        raise ValueError(f"s_prev has shape {np.shape(s_prev)}, but h has {np.shape(h)}")
    repeated = np.repeat(s_prev[:, None, :], np.shape(h)[1], axis=1)
    joined = np.concatenate([h, repeated], axis=2)
    if np.ndim(v) != 1:
        raise ValueError(f"v must have shape (u,), got {np.shape(v)}")
    if np.shape(w) != (joined.shape[2], len(v)):
        raise ValueError(f"w has shape {np.shape(w)}; expected {(joined.shape[2], len(v))}")
    return np.tanh(joined @ w) @ v
    ### END SOLUTION


def split_weights(w, annotation_dim):
    """Split w (n + m, u) of the concatenated form into w_1 (n, u) and w_2 (m, u)."""
    ### BEGIN SOLUTION
    if np.ndim(w) != 2:
        raise ValueError(f"w must have shape (n + m, u), got {np.shape(w)}")
    if not 0 < annotation_dim < len(w):
        raise ValueError(
            f"annotation_dim must lie between 0 and {len(w)}, the rows of w; got {annotation_dim}"
        )
    return w[:annotation_dim], w[annotation_dim:]
    ### END SOLUTION


# %% [markdown] lesson="From scores to a context"
# ## A softmax under a mask
#
# The sentences of a batch usually differ in length, so the shorter ones are padded. Padding must
# not receive any attention. Turn the scores of each row into weights by a softmax over the
# positions that the mask allows:
#
# $$\alpha_{t,i} = \frac{\exp(e_{t,i})}{\sum_{j \text{ allowed}} \exp(e_{t,j})}$$
#
# `masked_softmax(scores, mask=None)` → `(batch, time)`; `scores` is `(batch, time)`, and `mask` has
# the same shape or is `None`, which allows every position.
#
# - The weight of a masked position is exactly 0, and the weights of the others sum to 1.
# - The weights are finite for scores as large as 10,000 and as small as −10,000, masked or not.
# - If a row has no position that the mask allows, the call raises `ValueError`.
#
# Example: the scores of exercise 2, rounded, for a sentence of four words that is padded to six.
# For `scores = [[-3.2, -0.9, -4.7, -4.2, -3.1, -1.7]]` and
# `mask = [[True, True, True, True, False, False]]` the weights are
# `[[0.0865 0.8624 0.0193 0.0318 0. 0.]]`. Without the mask they are
# `[[0.0583 0.5815 0.0130 0.0214 0.0644 0.2613]]`.
#
# <details><summary>Hint</summary>
#
# `np.where(mask, scores, -np.inf)` chooses between two arrays. The exponential of `-np.inf` is 0,
# and `-np.inf` minus a finite maximum is still `-np.inf`.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# `np.exp(10_000)` overflows, so subtract the maximum of each row first. Only allowed positions
# count for this maximum: if a masked score is 10,000 and the others are near 0, subtracting 10,000
# makes every allowed exponential 0, and you divide by 0.
#
# </details>


# %% exercise="masked_softmax" points=2 difficulty=2 minutes=15
def masked_softmax(scores, mask=None):
    """Turn scores (batch, time) into weights by a softmax over the positions that mask allows."""
    ### BEGIN SOLUTION
    if np.ndim(scores) == 0:
        raise ValueError("scores must have shape (batch, time), got a number")
    if mask is not None:
        if np.shape(mask) != np.shape(scores):
            raise ValueError(f"mask has shape {np.shape(mask)}, but scores have {np.shape(scores)}")
        if not np.all(np.any(mask, axis=-1)):
            raise ValueError("mask has a row in which every position is masked")
        scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=-1, keepdims=True)
    ### END SOLUTION


# %% [markdown] lesson="From scores to a context"
# ## The context
#
# The context summarises the source sentence in one vector for step $t$ of the decoder. It is the
# sum of the annotations, each multiplied by its weight:
#
# $$c_t = \sum_i \alpha_{t,i}\, h_i$$
#
# `context_vector(weights, h)` → `(batch, n)`; `weights` is `(batch, time)` and `h` is
# `(batch, time, n)`. The weights are used as they are given, whatever their sum.
#
# Example: for the `h` of exercise 2 and `weights = [[0.1, 0.5, 0.0, 0.1, 0.1, 0.2]]` the context is
# `[[-0.27 0.41 -0.2]]`.
#
# <details><summary>Hint</summary>
#
# Give the weights a last axis, so that each of them multiplies all entries of its annotation. Then
# add up over time.
#
# </details>


# %% exercise="context_vector" points=1 difficulty=1 minutes=5
def context_vector(weights, h):
    """Add up the annotations h (batch, time, n) by weights (batch, time) → (batch, n)."""
    ### BEGIN SOLUTION
    if np.ndim(h) != 3:
        raise ValueError(f"h must have shape (batch, time, n), got {np.shape(h)}")
    if np.shape(weights) != np.shape(h)[:2]:
        raise ValueError(f"weights have shape {np.shape(weights)}, but h has {np.shape(h)}")
    return np.einsum("bt,btn->bn", weights, h)
    ### END SOLUTION


# %% [markdown] lesson="The same thing in Keras"
# ## Bahdanau attention as a Keras layer
#
# Put exercises 2, 4 and 5 into a layer that learns its weights.
#
# `BahdanauAttention(units)` is a `keras.layers.Layer`:
#
# - `__init__(self, units, **kwargs)`: `units` is $u$.
# - `build(self, s_prev_shape, h_shape)` makes three weights and no biases. `get_weights()` returns
#   them in this order: $w_1$ of shape `(n, u)`, $w_2$ of shape `(m, u)`, $v$ of shape `(u, 1)`. For
#   $w_1$ and $w_2$, keep Keras's default initialiser, or take another one that draws random
#   numbers; $v$ may also begin with zeros.
# - `call(self, s_prev, h, mask=None)` → `(context, weights)`, of shapes `(batch, n)` and
#   `(batch, time)`. `s_prev` is `(batch, m)` and `h` is `(batch, time, n)`. `mask` is boolean,
#   `(batch, time)`, or `None`. A masked position has the weight 0, and the others sum to 1. Every
#   row of a mask allows at least one position.
# - The caller passes the mask explicitly, as in `layer(s_prev, h, mask=mask)`. The mask of an
#   `Embedding` does not arrive by itself, because the layer has two inputs.
# - The layer accepts sentences of any length, and a model that contains it can be saved and loaded.
#
# `compute_mask` is written for you. It tells Keras that the results carry no mask. Without it,
# Keras would warn that the mask is lost.
#
# Example: with the numbers of exercise 2 (`layer.set_weights([w_1, w_2, v[:, None]])`) the call
# `layer(s_prev, h)` gives the context `[[-0.3738 0.5490 -0.1642]]` and the weights
# `[[0.0578 0.5810 0.0130 0.0214 0.0639 0.2629]]`. With the mask
# `[[True, True, True, True, False, False]]` it gives `[[-0.3400 0.7448 0.0568]]` and
# `[[0.0859 0.8631 0.0193 0.0317 0. 0.]]`.
#
# <details><summary>Hint</summary>
#
# Keras calls `build` with the shapes of the arguments of `call`, which it finds by their names:
# `s_prev_shape` and `h_shape`. Compute with `keras.ops` (`ops.matmul`, `ops.tanh`, `ops.where`,
# `ops.softmax`), because `h` is symbolic while a model is built and trained, so NumPy cannot
# compute with it. You may use three `Dense` layers without biases instead of weights of your own.
# In this case create them in `__init__`, in the order of the weights, and delete `build`.
#
# </details>
# <details><summary>My check says that every weight is 1</summary>
#
# The product with $v$ has the shape `(batch, time, 1)`. `ops.softmax` runs over the last axis
# unless it is told otherwise, and a softmax over one number is 1.
#
# </details>
# <details><summary>My check says that the layer does not survive saving</summary>
#
# Loading calls `BahdanauAttention(**config)` with what `get_config()` returned, and that contains
# the name of the layer besides `units`. So `__init__` takes `**kwargs` and passes them to
# `super().__init__`. Keras records a number such as `units` by itself. If you write a `get_config`
# of your own, it must add `units` to what `super().get_config()` returns.
#
# </details>


# %% exercise="BahdanauAttention" points=4 difficulty=3 minutes=25
class BahdanauAttention(keras.layers.Layer):
    """Attend to annotations (batch, time, n) by additive scores with learned weights."""

    def __init__(self, units, **kwargs):
        """Store the number of units that compute the score."""
        ### BEGIN SOLUTION
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(f"units must be at least 1, got {units}")
        self.units = units
        self.softmax = keras.layers.Softmax(axis=1, dtype=self.dtype_policy)
        ### END SOLUTION

    def build(self, s_prev_shape, h_shape):
        """Make w_1 (n, units), then w_2 (m, units), then v (units, 1)."""
        ### BEGIN SOLUTION
        if len(s_prev_shape) != 2:
            raise ValueError(f"s_prev must have shape (batch, m), got {s_prev_shape}")
        if len(h_shape) != 3:
            raise ValueError(f"h must have shape (batch, time, n), got {h_shape}")
        self.w_1 = self.add_weight(name="w_1", shape=(h_shape[2], self.units))
        self.w_2 = self.add_weight(name="w_2", shape=(s_prev_shape[1], self.units))
        self.v = self.add_weight(name="v", shape=(self.units, 1))
        ### END SOLUTION

    def call(self, s_prev, h, mask=None):
        """Return the context (batch, n) and the weights (batch, time); mask (batch, time)."""
        ### BEGIN SOLUTION
        from_state = ops.expand_dims(ops.matmul(s_prev, self.w_2), axis=1)
        scores = ops.matmul(ops.tanh(ops.matmul(h, self.w_1) + from_state), self.v)
        weights = self.softmax(ops.squeeze(scores, axis=2), mask=mask)
        return ops.einsum("bt,btn->bn", weights, h), weights
        ### END SOLUTION

    def compute_mask(self, s_prev, mask=None):
        """Pass no mask on: neither result has steps to be masked."""
        return None


# %% [markdown] lesson="Decoding step by step"
# ## Greedy decoding
#
# A decoder writes one word at a time. At each step it receives the word that it has just written
# and its own state, and it gives a probability to every word of the vocabulary. Greedy decoding
# always takes the most probable word. Write the loop for a batch of sentences.
#
# `attention_decode(step, s_0, start_id, end_id, max_length)` → `(ids, weights)`, of shapes
# `(batch, steps)` and `(batch, steps, time)`; `ids` holds integers, and `s_0` is `(batch, m)`.
#
# - `step(token_ids, state)` → `(probabilities, state, weights)` is one step of the decoder:
#   `token_ids` is `(batch,)`, `probabilities` is `(batch, vocab)`, `state` is what the next step
#   receives, and `weights` is `(batch, time)`. Call it once per step, for all rows together.
# - The first step receives `start_id` in every row and `s_0`. The start token is not part of `ids`.
# - The loop ends as soon as every row has produced `end_id`, and at the latest after `max_length`
#   steps (`max_length` is at least 1; `start_id` and `end_id` differ).
# - Everything after a row's first `end_id` is set to `end_id`. What you feed to a row that has
#   ended does not matter. Store its weights as `step` returns them.
#
# Example: two rows, `start_id=1`, `end_id=2`, `max_length=8`. Suppose that the most probable words
# come out like this:
#
# | call of `step` | `token_ids` | most probable | what happens |
# | --- | --- | --- | --- |
# | 1 | `[1 1]` | `[5 3]` | both rows go on |
# | 2 | `[5 3]` | `[2 4]` | row 0 has ended |
# | 3 | row 1: `4` | `[4 4]` | row 0 writes a word after its end |
# | 4 | row 1: `4` | `[2 5]` | row 0 writes `end_id` again |
# | 5 | row 1: `5` | `[6 2]` | now both rows have ended |
#
# Then `ids` is `[[5 2 2 2 2] [3 4 4 5 2]]`, and `step` is not called a sixth time. With
# `max_length=3` it is `[[5 2 2] [3 4 4]]`.
#
# <details><summary>Hint</summary>
#
# Keep a boolean array `ended`, one entry for each row. In every step, take the most probable words,
# replace those of the rows that ended *before* this step (`np.where`), store them and the weights,
# and update `ended`. At the end, `np.stack` with the right `axis` turns the lists of steps into
# arrays.
#
# </details>
# <details><summary>My check says that the loop stops too early or too late</summary>
#
# There is a difference between "a row has ended", "all rows write `end_id` in this step" and "every
# row has written `end_id` in this step or before". The last one ends the loop, and the step in
# which it becomes true still belongs to the result.
#
# </details>
# <details><summary>I want to try my loop in a cell of my own</summary>
#
# The check uses a small decoder that writes the words of the table above:
#
# ```python
# step = checks.ScriptedDecoder(checks.WORDS, 1, 7, 2)  # start_id, words in the vocabulary, end_id
# attention_decode(step, np.array([[0.0, 0.0], [1.0, 0.0]]), 1, 2, 8)
# ```
#
# Its state counts the steps. If you feed it a word other than the one it last wrote, it continues
# with different words. `step.calls` counts how often it was called.
#
# </details>


# %% exercise="attention_decode" points=4 difficulty=3 minutes=25
def attention_decode(step, s_0, start_id, end_id, max_length):
    """Decode greedily from the states s_0 (batch, m) → ids (batch, steps), weights."""
    ### BEGIN SOLUTION
    if np.ndim(s_0) != 2:
        raise ValueError(f"s_0 must have shape (batch, m), got {np.shape(s_0)}")
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    state, token_ids = s_0, np.full(len(s_0), start_id)
    ended = np.zeros(len(s_0), dtype=bool)
    ids, maps = [], []
    while len(ids) < max_length and not ended.all():
        probabilities, state, weights = step(token_ids, state)
        token_ids = np.where(ended, end_id, np.argmax(probabilities, axis=1))
        ended |= token_ids == end_id
        ids.append(token_ids)
        maps.append(weights)
    return np.stack(ids, axis=1), np.stack(maps, axis=1)
    ### END SOLUTION


# %% [markdown] lesson="Accuracy against length"
# ## Accuracy by length
#
# One number for the whole test set hides where a translator fails. Count separately for each length
# of the source sentence how many translations are exactly right.
#
# `accuracy_by_length(predicted, target, lengths, end_id)` → a dict from each length that occurs in
# `lengths` (an integer) to the share of its rows that are translated exactly (a float).
#
# - `predicted` is `(batch, steps_p)` and `target` is `(batch, steps_t)`, both word ids; their
#   widths may differ. `lengths` is `(batch,)`, the lengths of the source sentences.
# - A row is exact when both agree up to and including their first `end_id`. What comes after the
#   first `end_id` does not matter.
# - A prediction that never produces `end_id` is wrong. Every target has one.
#
# Example: with `end_id=2` and
#
# ```python
# predicted = np.array([[5, 3, 2, 4], [4, 6, 2, 2], [5, 3, 4, 4],
#                       [4, 2, 2, 2], [6, 4, 2, 2], [3, 2, 2, 2]])
# target = np.array([[5, 3, 2, 0, 0], [4, 6, 2, 0, 0], [5, 3, 4, 4, 2],
#                    [4, 2, 0, 0, 0], [6, 2, 0, 0, 0], [3, 5, 2, 0, 0]])
# lengths = np.array([3, 5, 5, 5, 5, 7])
# ```
#
# rows 0, 1 and 3 are exact. Row 2 has no `end_id`, row 4 writes one word too many, and row 5 ends
# too early. The result is `{3: 1.0, 5: 0.5, 7: 0.0}`.
#
# <details><summary>Hint</summary>
#
# First write a helper that returns one row up to and including its first `end_id` as a list, or
# `None` if the row has no `end_id`. Two lists are equal only if they have the same length.
# `np.unique(lengths)` gives every length that occurs.
#
# </details>
# <details><summary>My check says that an unfinished translation is counted as right</summary>
#
# `np.argmax(row == end_id)` is 0 when no entry equals `end_id`, and a comparison over the common
# width never looks at what the shorter array does not contain. Treat a row without `end_id` first.
#
# </details>


# %% exercise="accuracy_by_length" points=2 difficulty=2 minutes=15
def accuracy_by_length(predicted, target, lengths, end_id):
    """Return the share of exact translations for each source length, from int to float."""
    ### BEGIN SOLUTION
    for name, ids in (("predicted", predicted), ("target", target)):
        if np.ndim(ids) != 2 or len(ids) != len(lengths):
            raise ValueError(
                f"{name} must have shape (batch, steps) with one row for each of the "
                f"{len(lengths)} lengths, got {np.shape(ids)}"
            )

    def until_end(row):
        row = list(row)
        return row[: row.index(end_id) + 1] if end_id in row else None

    exact = np.array(
        [
            until_end(one) is not None and until_end(one) == until_end(other)
            for one, other in zip(predicted, target, strict=True)
        ]
    )
    lengths = np.asarray(lengths)
    return {int(n): float(np.mean(exact[lengths == n])) for n in np.unique(lengths)}
    ### END SOLUTION


# %% [markdown] lesson="Reading the alignment"
# ## How often is the largest weight on the right word?
#
# If you know which source word belongs to a target word, you can measure an alignment. Of the steps
# for which you know the right position, count those whose largest weight lies on it.
#
# `alignment_share(weights, aligned)` → a float. `weights` is `(batch, steps, time)`, the weights of
# every step; `aligned` is `(batch, steps)` and holds whole numbers: the source position that
# belongs to the step, or −1 if none does.
#
# - Steps with −1 do not count at all, neither as right nor as wrong.
# - All other steps count equally, in whatever row they stand.
# - If several weights of a step are equally large, the first of them is its largest weight.
# - If no step has a position, the share is 0.
#
# Example: two sentences, three steps, four source words.
#
# ```python
# weights = np.array([[[0.1, 0.2, 0.5, 0.2], [0.4, 0.1, 0.1, 0.4], [0.7, 0.1, 0.1, 0.1]],
#                     [[0.2, 0.6, 0.1, 0.1], [0.1, 0.2, 0.2, 0.5], [0.2, 0.4, 0.2, 0.2]]])
# aligned = np.array([[2, 3, 0], [1, -1, -1]])
# ```
#
# Four steps have a position. In row 0 the largest weights lie on positions 2, 0 and 0, so the first
# and the last step are right. (In the second step the weights of positions 0 and 3 are equal, and
# the first of them counts.) In row 1 the first step is right, and the other two do not count. Three
# of four steps are right, so the share is `0.75`.
#
# <details><summary>Hint</summary>
#
# Which axis of `weights` holds the source positions? `np.argmax` along this axis gives an array of
# the shape of `aligned`. A boolean array of the same shape says which steps count.
#
# </details>
# <details><summary>My check says that steps without a position count</summary>
#
# A step with −1 never has its largest weight on position −1, so it would count as wrong. Select the
# steps with `aligned >= 0` before you take the mean.
#
# </details>


# %% exercise="alignment_share" points=2 difficulty=2 minutes=12
def alignment_share(weights, aligned):
    """Return the share of steps whose largest weight (batch, steps, time) is on aligned."""
    ### BEGIN SOLUTION
    if np.ndim(weights) != 3:
        raise ValueError(f"weights must have shape (batch, steps, time), got {np.shape(weights)}")
    if np.shape(aligned) != np.shape(weights)[:2]:
        raise ValueError(
            f"aligned must have shape {np.shape(weights)[:2]}, got {np.shape(aligned)}"
        )
    counted = np.asarray(aligned) >= 0
    if not counted.any():
        return 0.0
    return float(np.mean((np.argmax(weights, axis=2) == aligned)[counted]))
    ### END SOLUTION


# %% [markdown]
# ## Your translator
#
# Now your functions work together. The next cell builds the translator of the lesson with **your**
# `BahdanauAttention` in its decoder, and trains it on 5,000 English and Hungarian dates from three
# starts. Your `attention_decode` then translates 500 test dates, your `accuracy_by_length` judges
# them, and your `alignment_share` says how often each digit of the year is written with the
# largest weight on the same digit of the English date. (`translation.decoding_step` takes the
# decoder out of the trained network and gives you the `step` and the `s_0` that your loop asks
# for.)
#
# These cells are not marked, and neither Validate nor the grader runs them. Run them when all your
# checks pass. The first one takes about a minute.
#
# > **Predict.** The lesson trained three networks that translated practically every date correctly.
# > While they wrote one of the last two digits of the year, all three had the largest weight on the
# > same digit of the English date, but for the first digit they disagreed. Now your exercise 9
# > judges all four digits, with your own layer. Write down the share that you expect for each of
# > them. For which digit are you least sure?

# %% active="ipynb"
# import matplotlib.pyplot as plt
#
# from coursekit import datasets, figures, translation
# from coursekit.checks import require_written
#
# require_written(BahdanauAttention, attention_decode, accuracy_by_length, alignment_share)
#
# figures.use_style()
# STARTS, STEPS = range(3), 400
# corpus = datasets.locale_dates("hu")
# x_train, x = (corpus.source.encode(part.sources) for part in (corpus.train, corpus.test))
# y_train, y = (corpus.target.encode(part.targets) for part in (corpus.train, corpus.test))
# lengths = np.sum(x != 0, axis=1)  # tokens of the source, its end token included
#
#
# def build():
#     return translation.recurrent_translator(
#         len(corpus.source),
#         len(corpus.target),
#         time=x.shape[1],
#         units=32,
#         attention=BahdanauAttention(32),
#     )
#
#
# runs = []
# for model in translation.train(
#     build, x_train, y_train, seeds=STARTS, steps=STEPS, learning_rate=0.02, jit_compile=False
# ):
#     step, s_0 = translation.decoding_step(model, x)
#     ids, weights = attention_decode(
#         step, s_0, translation.START, corpus.target.end, max_length=y.shape[1]
#     )
#     accuracy = accuracy_by_length(ids, y, lengths, corpus.target.end)
#     shares = []
#     for k in range(4):
#         aligned = np.full(ids.shape, -1)
#         aligned[:, k] = lengths - 5 + k  # an English date ends with four digits and the end token
#         shares.append(alignment_share(weights, aligned))
#     runs.append((ids, weights, shares))
#     print("right, by the length of the source", accuracy)
#     print("looks at the digit itself, digits 1 to 4", *(f"{share:.2f}" for share in shares))

# %% [markdown]
# What does the last of your networks write, and where does each of the three look while it writes
# the third date? The number above each map is the share for the first digit of the year.

# %% active="ipynb"
# for number, translated in enumerate(corpus.target.decode(ids[:3])):
#     print(f"{corpus.test.sources[number]:28}{translated}")
# columns = [*corpus.source.tokens_of(x[2]), "end"]
# fig, axes = plt.subplots(1, len(runs), figsize=(3.2 * len(runs), 3.4), squeeze=False)
# for ax, (ids, weights, shares) in zip(axes[0], runs, strict=True):
#     rows = [*corpus.target.tokens_of(ids[2]), "end"]
#     ax.pcolormesh(weights[2, : len(rows), : len(columns)], cmap=figures.shades(), vmin=0, vmax=1)
#     ax.set_xticks(np.arange(len(columns)) + 0.5, columns, rotation=60, ha="right")
#     ax.set_yticks(np.arange(len(rows)) + 0.5, rows)
#     ax.invert_yaxis()
#     ax.set(title=f"first digit: {shares[0]:.2f}", xlabel="what is read")
# axes[0, 0].set_ylabel("what is written")
# on_first = ", ".join(f"{shares[0]:.2f}" for _, _, shares in runs)
# figures.show(
#     fig,
#     caption="The weights of your networks while each writes the third test date.",
#     alt="A map for each network, with a row for each token that is written and a column for "
#     f"each that is read. Shares on the first digit of the year: {on_first}.",
# )

# %% [markdown]
# <details><summary>Answer</summary>
#
# As in the lesson, the last two digits practically always have the largest weight on themselves.
# No other token of the date tells which digits they are. (Their neighbours' annotations do, as the
# probe of the lesson showed, but the networks do not rely on them.) The first two may be written
# with other weights, and there the networks can differ: every year of our dates begins with 19 or
# 20, so either of these digits gives the other away, and the decoder may look at either. To see
# other maps, copy both cells and change `STARTS`.
#
# </details>
