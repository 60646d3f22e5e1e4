# %% [markdown]
# # Chapter 10 · The Transformer: the exercises
#
# Eight exercises, 20 points, about 145 minutes. You write the new parts of the Transformer: layer
# normalisation, the feed-forward network, the three masks, the encoder layer and the decoder layer.
# You also write the loop that translates with a finished model. Exercises 6 and 7 are about the
# size and the training of the model: the first counts its parameters, and the second computes the
# learning rate and the smoothed targets. In the last exercise you put your layers together, and at
# the end your own Transformer translates.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: the batch comes first (`(batch, time, features)`), vectors are rows (`x @ w`),
# functions take and return NumPy arrays (the layers and the model return tensors), and inputs are
# never changed in place. A mask is boolean; `True` means that the query of this row may attend to
# the key of this column.

# %%
import math

import keras
import numpy as np
from keras import ops

# %% [markdown] lesson="Layer normalisation and the feed-forward network"
# ## Layer normalisation and the feed-forward network
#
# Two small parts of the Transformer treat every token by itself. Write each of them as a function.
#
# - `layer_norm(x, gamma, beta, epsilon=1e-6)` → an array with the shape of `x`. `x` is
#   `(…, d)` with any leading dimensions or none, and may contain whole numbers; `gamma` and `beta`
#   are `(d,)`. With the mean $\mu$ and the variance $\sigma^2$ of the $d$ features of one token
#   (divide by $d$, not by $d - 1$), the result is
#
#   $$\operatorname{LayerNorm}(x)
#   = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta$$
#
# - `feed_forward(x, w_1, b_1, w_2, b_2)` → an array with the shape of `x`. `x` is `(…, d_model)`,
#   `w_1` is `(d_model, d_ff)`, `b_1` is `(d_ff,)`, `w_2` is `(d_ff, d_model)` and `b_2` is
#   `(d_model,)`. The result is
#
#   $$\operatorname{FFN}(x) = \max(0,\; x\, w_1 + b_1)\, w_2 + b_2$$
#
# Example, with two sentences of two tokens each and three features per token:
#
# ```python
# x = np.array([[[2.0, -1.0, 0.5], [0.0, 3.0, -2.5]], [[4.0, 4.0, 4.0], [-1.0, 0.5, 6.5]]])
# gamma, beta = np.array([1.0, 0.5, -2.0]), np.array([0.1, -0.2, 0.3])
# w_1 = np.array([[1.0, -0.5, 0.2, 0.7], [0.3, 0.8, -1.2, 0.4], [-0.6, 0.1, 0.9, -0.3]])
# b_1 = np.array([0.1, -0.4, 0.2, 0.3])
# w_2 = np.array([[0.5, -1.0, 0.2], [1.5, 0.4, -0.3], [-0.2, 0.6, 0.8], [0.9, -0.7, 0.1]])
# b_2 = np.array([0.05, -0.15, 0.25])
# ```
#
# `layer_norm(x, gamma, beta)` is
#
# ```text
# [[[ 1.3247 -0.8124  0.3   ]
#   [ 0.0259  0.4301  2.672 ]]
#  [[ 0.1    -0.2     0.3   ]
#   [-0.8258 -0.4315 -2.4775]]]
# ```
#
# and `feed_forward(x, w_1, b_1, w_2, b_2)` is
#
# ```text
# [[[ 1.385 -1.105  2.465]
#   [ 5.95  -3.525  0.45 ]]
#  [[ 6.45  -5.02   0.82 ]
#   [ 0.725  3.46   4.105]]]
# ```
#
# The third token has three equal features, so its variance is 0 and its result is `beta`.
#
# <details><summary>Hint</summary>
#
# With `axis=-1`, `np.mean` and `np.var` run over the features. With `keepdims=True` this axis stays
# with length 1, so that the result can be subtracted from `x`.
#
# </details>
# <details><summary>My check says that the statistics are taken over the wrong axis</summary>
#
# Every token has a mean and a variance of its own. They must not change when other tokens or other
# sentences are added to the batch. This is the difference from batch normalisation.
#
# </details>


# %% exercise="layer_norm feed_forward" points=2 difficulty=1 minutes=12
def layer_norm(x, gamma, beta, epsilon=1e-6):
    """Normalise the features of every token of x (…, d), then scale by gamma and shift by beta."""
    ### BEGIN SOLUTION
    for name, vector in (("gamma", gamma), ("beta", beta)):
        if np.shape(vector) != np.shape(x)[-1:]:
            raise ValueError(f"{name} has shape {np.shape(vector)}, but x has {np.shape(x)}")
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta
    ### END SOLUTION


def feed_forward(x, w_1, b_1, w_2, b_2):
    """Send every token of x (…, d_model) through a hidden layer of d_ff ReLU units."""
    ### BEGIN SOLUTION
    d_model, d_ff = np.shape(x)[-1], np.shape(w_1)[-1]
    shapes = {"w_1": (d_model, d_ff), "b_1": (d_ff,), "w_2": (d_ff, d_model), "b_2": (d_model,)}
    for (name, shape), array in zip(shapes.items(), (w_1, b_1, w_2, b_2), strict=True):
        if np.shape(array) != shape:
            raise ValueError(f"{name} has shape {np.shape(array)}, expected {shape}")
    return np.maximum(x @ w_1 + b_1, 0) @ w_2 + b_2
    ### END SOLUTION


# %% [markdown] lesson="Masks for padding and for the future"
# ## The three masks of a Transformer
#
# The sentences in a batch have different lengths, and the shorter ones are filled up with padding.
# No token may attend to padding, and a token of the target must not see the tokens after it.
#
# `transformer_masks(source_ids, target_ids, pad_id=0)` → `(encoder, decoder, cross)`. `source_ids`
# is `(batch, s)` and `target_ids` is `(batch, t)`. All three masks are boolean.
#
# - `encoder`, of shape `(batch, 1, s)`, says which source tokens may be attended to when the
#   encoder reads the source. It is the same for every query, so the axis of the queries has length
#   1.
# - `decoder`, of shape `(batch, t, t)`: entry `[b, i, j]` says whether token `i` of target `b` may
#   attend to token `j` of the same target. A token may attend to itself and to earlier tokens,
#   unless they are padding.
# - `cross`, of shape `(batch, 1, s)`, says which source tokens the decoder may attend to.
#
# Padding is hidden as a key, that is, in the columns. The rows of padding tokens need no special
# treatment, because their outputs are not used. (With padding in front, or in an empty source, all
# entries of a row may be `False`; leave it so.)
#
# Example: for `source_ids = np.array([[7, 4, 9, 0], [5, 0, 0, 0]])` and
# `target_ids = np.array([[2, 6, 0], [2, 8, 3]])`
#
# ```text
# encoder  [[[ True  True  True False]]
#           [[ True False False False]]]
#
# decoder  [[[ True False False]
#            [ True  True False]
#            [ True  True False]]
#           [[ True False False]
#            [ True  True False]
#            [ True  True  True]]]
#
# cross    [[[ True  True  True False]]
#           [[ True False False False]]]
# ```
#
# <details><summary>Hint</summary>
#
# When you compare the ids with `pad_id`, the result has the shape `(batch, s)`. It still needs the
# axis for the queries. A token must pass both the causal mask `(t, t)` *and* the padding mask of
# the target. The operator `&` combines and broadcasts them.
#
# </details>
# <details><summary>My check says that the rows of the padding are masked, too</summary>
#
# Mask only the columns. If all entries of a row are `False`, the softmax has no key to attend to,
# and its weights are nan, zero or equal for all keys, depending on the implementation. If you
# mask only columns, such rows arise only where a target begins with padding or a source is empty.
#
# </details>


# %% exercise="transformer_masks" points=2 difficulty=2 minutes=10
def transformer_masks(source_ids, target_ids, pad_id=0):
    """Return the masks (b, 1, s), (b, t, t), (b, 1, s) for ids (b, s) and (b, t)."""
    ### BEGIN SOLUTION
    for name, ids in (("source_ids", source_ids), ("target_ids", target_ids)):
        if np.ndim(ids) != 2:
            raise ValueError(f"{name} must have shape (batch, time), got {np.shape(ids)}")
    if len(source_ids) != len(target_ids):
        raise ValueError(
            f"target_ids has {len(target_ids)} rows, but source_ids has {len(source_ids)}"
        )
    source = (np.asarray(source_ids) != pad_id)[:, None]
    target = (np.asarray(target_ids) != pad_id)[:, None]
    causal = np.tri(target.shape[2], dtype=bool)
    return source, causal & target, source.copy()
    ### END SOLUTION


# %% [markdown] lesson="An encoder layer"
# ## An encoder layer
#
# The encoder of the paper is a stack of six layers. Each layer has two sublayers, self-attention
# and a feed-forward network. Each sublayer has a residual connection, which is followed by a layer
# normalisation:
#
# $$\begin{aligned}
# a &= \operatorname{Dropout}(\operatorname{Attention}(x)) \\
# h &= \operatorname{LayerNorm}(x + a) \\
# f &= \operatorname{Dropout}(\operatorname{FFN}(h)) \\
# z &= \operatorname{LayerNorm}(h + f)
# \end{aligned}$$
#
# `EncoderLayer(d_model, num_heads, d_ff, dropout=0.0)` is a `keras.layers.Layer`. Its method
# `call(x, attention_mask=None, training=None)` takes `x` of shape `(batch, time, d_model)` and
# returns a tensor of the same shape.
#
# - The attention has `num_heads` heads of width `d_model / num_heads`, split as in chapter 6. It
#   has four separate projections, for the queries, the keys, the values and the output. Each is
#   `(d_model, d_model)` and has no bias. Keras stores them with an axis for the heads.
# - `attention_mask` is boolean, has the shape `(batch, 1, time)` or `(batch, time, time)`, and
#   contains at least one `True` in each row. `None` means that every token may attend to every
#   token.
# - The feed-forward network has `d_ff` hidden units with ReLU, and both of its layers have biases,
#   which start as zeros.
# - Each layer normalisation has its own `gamma` and `beta`, which start as ones and zeros. Any
#   epsilon up to `1e-3` is accepted.
# - Dropout with the rate `dropout` is applied to the output of each sublayer before the sum, and
#   only when `training` is true.
# - `get_config()` returns what `from_config` needs to create the same layer again: your four
#   settings under the names of the arguments, and the name and whatever else Keras lets one set in
#   a layer, such as `trainable`.
# - The layer also works in a model that does not know the batch size and the lengths yet.
#
# You may use `keras.layers.MultiHeadAttention`, `Dense`, `LayerNormalization` and `Dropout`, or
# write the attention yourself.
#
# Example: with the sizes below, the layer has 129 parameters. The code fills its matrices with
# numbers that do not depend on the order of your weights:
#
# ```python
# x = np.array([[[2.0, -0.5, 1.25, 0.25], [-1.5, 2.5, 0.5, -1.0], [0.25, 1.0, -3.0, 1.75]]])
# layer = EncoderLayer(4, 2, 5)
# layer(x)  # builds the weights
# for weight in layer.weights:
#     if len(weight.shape) > 1:
#         weight.assign(np.sin(np.arange(np.prod(weight.shape))).reshape(weight.shape) / 2)
# ```
#
# Then `layer(x)` is, up to the last digit, which depends on your epsilon,
#
# ```text
# [[[ 0.959 -1.56   0.782 -0.181]
#   [-1.42   1.289  0.462 -0.332]
#   [ 0.351  0.585 -1.712  0.777]]]
# ```
#
# With the causal mask `np.tri(3, dtype=bool)[None]`, the first row becomes
# `[1.314 -1.439 0.374 -0.249]` and the last row stays the same.
#
# <details><summary>Hint</summary>
#
# Create the layers that you need in `__init__`, among them two layer normalisations, and call them
# in `call`. The argument `key_dim` of `keras.layers.MultiHeadAttention` is the width of *one* head,
# and the layer has biases unless you pass `use_bias=False`. For self-attention, pass `x` twice, as
# the query and as the value.
#
# </details>
# <details><summary>My check says that the layer does not survive saving</summary>
#
# When a model is loaded, Keras calls `EncoderLayer(**config)` with the result of `get_config()`.
# Start from `super().get_config()` and add your four settings under the names of the arguments. Let
# `__init__` pass its `**kwargs`, which include the name of the layer, to `super().__init__`.
#
# </details>
# <details><summary>My check says something about dropout</summary>
#
# `keras.layers.MultiHeadAttention(dropout=…)` drops attention *weights* and not entries of the
# sublayer's output. Apply a `keras.layers.Dropout` to the result of the attention and to the result
# of the feed-forward network, before you add `x` or `h`. Pass `training` on to it.
#
# </details>


# %% exercise="EncoderLayer" points=3 difficulty=3 minutes=30
class EncoderLayer(keras.layers.Layer):
    """Self-attention and a feed-forward network, (batch, time, d_model) → the same shape."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        """Store the settings and make the sublayers; num_heads divides d_model."""
        ### BEGIN SOLUTION
        super().__init__(**kwargs)  # the name and other settings of every layer
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model = {d_model}, got {num_heads}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_ff = d_ff
        self.rate = dropout
        self.attention = keras.layers.MultiHeadAttention(
            num_heads, d_model // num_heads, use_bias=False
        )
        self.attention_norm = keras.layers.LayerNormalization(epsilon=1e-6)
        self.hidden = keras.layers.Dense(d_ff)
        self.output_of_hidden = keras.layers.Dense(d_model)
        self.feed_forward_norm = keras.layers.LayerNormalization(epsilon=1e-6)
        self.dropout = keras.layers.Dropout(dropout)
        ### END SOLUTION

    def call(self, x, attention_mask=None, training=None):
        """Return x after both sublayers; attention_mask (batch, 1 or time, time)."""
        ### BEGIN SOLUTION
        if len(x.shape) != 3 or x.shape[-1] != self.d_model:
            raise ValueError(f"x must have shape (batch, time, {self.d_model}), got {x.shape}")
        if attention_mask is not None and len(attention_mask.shape) != 3:
            raise ValueError(f"attention_mask must have three axes, got {attention_mask.shape}")
        attended = self.attention(x, x, attention_mask=attention_mask)
        h = self.attention_norm(x + self.dropout(attended, training=training))
        transformed = self.output_of_hidden(ops.relu(self.hidden(h)))
        return self.feed_forward_norm(h + self.dropout(transformed, training=training))
        ### END SOLUTION

    def get_config(self):
        """Return what from_config needs to make the same layer again."""
        ### BEGIN SOLUTION
        return {
            **super().get_config(),
            "d_model": self.d_model,
            "num_heads": self.num_heads,
            "d_ff": self.d_ff,
            "dropout": self.rate,
        }
        ### END SOLUTION


# %% [markdown] lesson="A decoder layer"
# ## A decoder layer
#
# A decoder layer has a third sublayer between the other two, the cross-attention. Its queries come
# from the target, and its keys and values come from `memory`, the output of the encoder:
#
# $$\begin{aligned}
# a &= \operatorname{Dropout}(\operatorname{SelfAttention}(x)) \\
# h &= \operatorname{LayerNorm}(x + a) \\
# c &= \operatorname{Dropout}(\operatorname{CrossAttention}(h, \text{memory})) \\
# g &= \operatorname{LayerNorm}(h + c) \\
# f &= \operatorname{Dropout}(\operatorname{FFN}(g)) \\
# z &= \operatorname{LayerNorm}(g + f)
# \end{aligned}$$
#
# `DecoderLayer(d_model, num_heads, d_ff, dropout=0.0)` is a `keras.layers.Layer`. Its method
# `call(x, memory, self_mask=None, cross_mask=None, training=None)` takes `x` of shape
# `(batch, t, d_model)` and `memory` of shape `(batch, s, d_model)`, and returns a tensor with the
# shape of `x`.
#
# - `self_mask`, of shape `(batch, t, t)` or `(batch, 1, t)`, belongs to the self-attention.
#   `cross_mask`, of shape `(batch, t, s)` or `(batch, 1, s)`, belongs to the cross-attention.
#   `None` means that there is no mask. The layer adds no mask of its own, because the causal mask
#   is part of the `decoder` mask of exercise 2.
# - All other rules are those of exercise 3. Each of the two attentions has four projections.
#
# Example: take `x` as in exercise 3 and
# `memory = np.array([[[0.75, -2.0, 0.25, 1.5], [1.0, 3.0, -0.5, -1.75]]])`. The layer
# `layer = DecoderLayer(4, 2, 5)` has 201 parameters. When it has been called once and its matrices
# have been filled in the same way, `layer(x, memory)` is
#
# ```text
# [[[ 0.835 -1.662  0.727  0.1  ]
#   [-1.249  1.369  0.468 -0.589]
#   [ 0.924  0.671 -1.642  0.047]]]
# ```
#
# <details><summary>Hint</summary>
#
# Start from your encoder layer and add a second attention with a layer normalisation of its own.
# `keras.layers.MultiHeadAttention` takes the query first and then the value, which also serves as
# the key unless you pass one.
#
# </details>
# <details><summary>My check says that a mask is ignored or confused</summary>
#
# Each attention has its own mask. A mask of shape `(batch, 1, s)` fits only scores with `s` keys,
# so swapped masks raise an error if source and target have different lengths. If they have the same
# length, no error is raised. The check tries both cases.
#
# </details>


# %% exercise="DecoderLayer" points=3 difficulty=3 minutes=20
class DecoderLayer(keras.layers.Layer):
    """Self-attention, attention to the encoder's memory, and a feed-forward network."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        """Store the settings and make the sublayers; num_heads divides d_model."""
        ### BEGIN SOLUTION
        super().__init__(**kwargs)
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"num_heads must divide d_model = {d_model}, got {num_heads}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_ff = d_ff
        self.rate = dropout
        heads = {"num_heads": num_heads, "key_dim": d_model // num_heads, "use_bias": False}
        self.self_attention = keras.layers.MultiHeadAttention(**heads)
        self.self_norm = keras.layers.LayerNormalization(epsilon=1e-6)
        self.cross_attention = keras.layers.MultiHeadAttention(**heads)
        self.cross_norm = keras.layers.LayerNormalization(epsilon=1e-6)
        self.hidden = keras.layers.Dense(d_ff)
        self.output_of_hidden = keras.layers.Dense(d_model)
        self.feed_forward_norm = keras.layers.LayerNormalization(epsilon=1e-6)
        self.dropout = keras.layers.Dropout(dropout)
        ### END SOLUTION

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        """Return x (batch, t, d_model) after three sublayers; memory (batch, s, d_model)."""
        ### BEGIN SOLUTION
        for name, tokens in (("x", x), ("memory", memory)):
            if len(tokens.shape) != 3 or tokens.shape[-1] != self.d_model:
                raise ValueError(
                    f"{name} must have shape (batch, time, {self.d_model}), got {tokens.shape}"
                )
        for name, mask in (("self_mask", self_mask), ("cross_mask", cross_mask)):
            if mask is not None and len(mask.shape) != 3:
                raise ValueError(f"{name} must have three axes, got {mask.shape}")
        attended = self.self_attention(x, x, attention_mask=self_mask)
        h = self.self_norm(x + self.dropout(attended, training=training))
        attended = self.cross_attention(h, memory, attention_mask=cross_mask)
        g = self.cross_norm(h + self.dropout(attended, training=training))
        transformed = self.output_of_hidden(ops.relu(self.hidden(g)))
        return self.feed_forward_norm(g + self.dropout(transformed, training=training))
        ### END SOLUTION

    def get_config(self):
        """Return what from_config needs to make the same layer again."""
        ### BEGIN SOLUTION
        return {
            **super().get_config(),
            "d_model": self.d_model,
            "num_heads": self.num_heads,
            "d_ff": self.d_ff,
            "dropout": self.rate,
        }
        ### END SOLUTION


# %% [markdown] lesson="Translating token by token"
# ## Greedy decoding with a Transformer
#
# During training the decoder reads the whole target at once. When the model translates, there is no
# target yet, so it writes one token at a time and reads everything that it has written so far.
# Unlike the recurrent decoder of chapter 4, it carries no state from step to step.
#
# `greedy_decode(next_logits, start_id, end_id, max_length, batch_size)` → integer ids
# `(batch, steps)`.
#
# - `next_logits(ids)` → `(batch, vocab)` returns the logits of the next token. `ids` is
#   `(batch, so far)`, where batch is `batch_size`, the number of rows, and every row begins with
#   `start_id`. Call `next_logits` once per step, for all rows together.
# - Greedy decoding always chooses the token with the largest logit. (You may rely on it that no two
#   logits of a row are equal.)
# - The rules are those of chapter 4. The start token is not part of the result. The loop ends as
#   soon as every row has produced `end_id`, and after `max_length` steps at the latest
#   (`max_length` is at least 1; `start_id` and `end_id` differ). Everything after the first
#   `end_id` of a row is set to `end_id`. What you feed to a row after its end does not matter.
#
# Example: there are two rows, with `start_id=1`, `end_id=2` and `max_length=8`. Suppose that the
# following tokens have the largest logits:
#
# | call | `ids` | largest logits | what happens |
# | --- | --- | --- | --- |
# | 1 | `[[1] [1]]` | `[5 3]` | both rows go on |
# | 2 | `[[1 5] [1 3]]` | `[2 4]` | row 0 has ended |
# | 3 | row 1: `[1 3 4]` | `[4 4]` | row 0 writes a token after its end |
# | 4 | row 1: `[1 3 4 4]` | `[2 5]` | row 0 writes `end_id` again |
# | 5 | row 1: `[1 3 4 4 5]` | `[6 2]` | now both rows have ended |
#
# Then the result is `[[5 2 2 2 2] [3 4 4 5 2]]`, and `next_logits` is not called a sixth time. With
# `max_length=3` it is `[[5 2 2] [3 4 4]]`.
#
# <details><summary>Hint</summary>
#
# Keep the ids in one array that begins with a column of `start_id` and grows by one column in every
# step: `np.concatenate([ids, tokens[:, None]], axis=1)`. A boolean array `ended` with one entry per
# row tells which rows have ended.
#
# </details>
# <details><summary>I want to try my loop in a cell of my own</summary>
#
# The check uses a small model that writes the tokens of the table above:
#
# ```python
# next_logits = checks.ScriptedLogits(checks.WORDS, 1, 7, 2)  # start_id, vocabulary, end_id
# greedy_decode(next_logits, 1, 2, 8, 2)
# ```
#
# For every row that has not ended, pass the start token followed by what has been written in that
# row. Otherwise the model continues this row with other tokens. `next_logits.calls` tells you how
# often it was called.
#
# </details>


# %% exercise="greedy_decode" points=2 difficulty=2 minutes=15
def greedy_decode(next_logits, start_id, end_id, max_length, batch_size):
    """Write the token with the largest logit in every step; return the ids (batch, steps)."""
    ### BEGIN SOLUTION
    for name, number in (("max_length", max_length), ("batch_size", batch_size)):
        if number < 1:
            raise ValueError(f"{name} must be at least 1, got {number}")
    ids = np.full((batch_size, 1), start_id)
    ended = np.zeros(batch_size, dtype=bool)
    while ids.shape[1] <= max_length and not ended.all():
        tokens = np.where(ended, end_id, np.argmax(next_logits(ids), axis=1))
        ended |= tokens == end_id
        ids = np.concatenate([ids, tokens[:, None]], axis=1)
    return ids[:, 1:]
    ### END SOLUTION


# %% [markdown] lesson="Counting the parameters"
# ## How many parameters does a Transformer have?
#
# Count the parameters before you build a Transformer: the number tells you whether the model fits
# into memory, and a count that disagrees with `model.count_params()` often reveals a mistake in the
# model.
#
# `transformer_parameter_count(vocab_size, d_model=512, d_ff=2048, num_layers=6, tied=True)` → an
# integer.
#
# - The encoder is a stack of `num_layers` layers as in exercise 3, and the decoder is a stack of
#   `num_layers` layers as in exercise 4. Every attention has four projections without biases, both
#   layers of the feed-forward network have biases, and every layer normalisation has a `gamma` and
#   a `beta`.
# - The source embedding, the target embedding and the output layer, which has no bias, need a
#   matrix of size `vocab_size` × `d_model` each. If `tied` is true, all three share one matrix;
#   otherwise there are three matrices.
# - The positions are sinusoidal and have no parameters.
#
# Example: `transformer_parameter_count(37_000)`, for the paper's base model with 37,000 tokens,
# gives 63,045,632 by these rules (the paper's table reports 65 million). Without tied matrices it
# would be 100,933,632. A small model,
# `transformer_parameter_count(50, d_model=12, d_ff=20, num_layers=2)`, has 6,344 parameters.
#
# <details><summary>Hint</summary>
#
# The number of heads plays no role. Count the parameters of one encoder layer with `d_model=4` and
# `d_ff=5` on paper: exercise 3 prints the result, 129. Exercise 4 prints the result for a decoder
# layer, 201.
#
# </details>
# <details><summary>My check says that a part is missing or counted too often</summary>
#
# An encoder layer has one attention and two norms, and a decoder layer has two attentions and three
# norms. Both have one feed-forward network with two matrices and two biases, which have `d_ff` and
# `d_model` entries.
#
# </details>


# %% exercise="transformer_parameter_count" points=2 difficulty=2 minutes=10
def transformer_parameter_count(vocab_size, d_model=512, d_ff=2048, num_layers=6, tied=True):
    """Count the parameters of an encoder and a decoder with their embeddings and output."""
    ### BEGIN SOLUTION
    sizes = {"vocab_size": vocab_size, "d_model": d_model, "d_ff": d_ff, "num_layers": num_layers}
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    attention = 4 * d_model**2
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    matrices = 1 if tied else 3
    return num_layers * (encoder_layer + decoder_layer) + matrices * vocab_size * d_model
    ### END SOLUTION


# %% [markdown] lesson="Warm-up and label smoothing"
# ## Warm-up and label smoothing
#
# The paper trains with a learning rate that first rises and then falls, and with targets that give
# a small probability to every wrong token.
#
# - `warmup_learning_rate(step, d_model, warmup_steps=4000)` → the learning rate at `step`, which is
#   a number or an array of numbers of any shape, counted from 1; a step may lie between two whole
#   numbers. The result is a number or an array of the same shape. With $t$ for `step` and $w$ for
#   `warmup_steps`, it is
#
#   $$d_\text{model}^{-0.5} \cdot \min\left(t^{-0.5},\; t \cdot w^{-1.5}\right)$$
#
# - `smooth_labels(ids, vocab_size, epsilon=0.1)` → an array `(…, vocab_size)`; `ids` is an integer
#   array of any shape `(…)`, which may hold a single id or none. Each target is a mixture: it is
#   $1 - \epsilon$ times the one-hot vector of the id plus $\epsilon$ times the uniform distribution
#   over *all* `vocab_size` tokens.
#
# Example: with `d_model=4` and `warmup_steps=10`, the rates at the steps `[1, 5, 10, 40]` are
#
# ```text
# [0.0158 0.0791 0.1581 0.0791]
# ```
#
# The result of `smooth_labels(np.array([[2, 0], [4, 1], [3, 3]]), 5)` has the shape `(3, 2, 5)`,
# and its first entry, for the ids 2 and 0, is
# `[[0.02 0.02 0.92 0.02 0.02] [0.92 0.02 0.02 0.02 0.02]]`.
#
# <details><summary>Hint</summary>
#
# `np.minimum` compares arrays entry by entry. `np.eye(vocab_size)[ids]` picks a row of the identity
# matrix for every id, whatever the shape of `ids`.
#
# </details>
# <details><summary>My check says that the right token receives too little or too much</summary>
#
# The uniform distribution includes the right token. This token therefore receives
# $1 - \epsilon + \epsilon / V$ in total, and every other token receives $\epsilon / V$, where $V$
# is `vocab_size`.
#
# </details>


# %% exercise="warmup_learning_rate smooth_labels" points=2 difficulty=1 minutes=10
def warmup_learning_rate(step, d_model, warmup_steps=4000):
    """Return the learning rate at a step (from 1); it rises until warmup_steps and then falls."""
    ### BEGIN SOLUTION
    step = np.asarray(step, dtype=float)
    if np.any(step < 1):
        raise ValueError(f"step must be at least 1, got {step}")
    for name, number in (("d_model", d_model), ("warmup_steps", warmup_steps)):
        if number < 1:
            raise ValueError(f"{name} must be at least 1, got {number}")
    return d_model**-0.5 * np.minimum(step**-0.5, step * warmup_steps**-1.5)
    ### END SOLUTION


def smooth_labels(ids, vocab_size, epsilon=0.1):
    """Mix the one-hot vectors of ids (…) with the uniform distribution → (…, vocab_size)."""
    ### BEGIN SOLUTION
    ids = np.asarray(ids)
    if np.any(ids < 0) or np.any(ids >= vocab_size):
        raise ValueError(f"ids must lie between 0 and {vocab_size - 1}")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must lie between 0 and 1, got {epsilon}")
    return (1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size
    ### END SOLUTION


# %% [markdown] lesson="Putting the Transformer together"
# ## Your own Transformer
#
# Now your layers become a model. It embeds the ids of both sentences, adds the positions, sends the
# source through the encoder layers and the target through the decoder layers, and returns the
# logits of the next token at every place of the target.
#
# `build_transformer(source_vocab, target_vocab, d_model, num_heads, d_ff, num_layers=1,
# dropout=0.0)` → a Keras model. It is called on a list, `model([source_ids, target_ids])`, with
# whole numbers of shape `(batch, s)` and `(batch, t)`, and returns logits
# `(batch, t, target_vocab)` without a softmax. Id 0 is padding.
#
# - **Embeddings.** The source and the target have separate embeddings of width `d_model`. The word
#   vectors are multiplied by $\sqrt{d_\text{model}}$, and then the sinusoidal encoding of chapter 7
#   is added ($n = 10\,000$; columns $2i$ and $2i + 1$ hold the sine and the cosine). The position
#   of a token is its column: 0, 1, 2, …, whether there is padding before it or not. `d_model` is
#   even.
# - **Layers.** The encoder consists of `num_layers` of your `EncoderLayer`s, and the decoder
#   consists of `num_layers` of your `DecoderLayer`s. Every decoder layer reads the output of the
#   *last* encoder layer. Each layer gets `dropout`; you may also apply dropout to the two sums of
#   embeddings and positions, as the paper does, but nowhere else.
#   Your model is checked with your own layers, so a mistake in exercise 3 or 4 costs points here,
#   too. Solve those two first.
# - **Masks.** They follow the rules of exercise 2. Padding is hidden as a key wherever it stands;
#   the outputs at padded places of the target are not compared. No target begins with padding, and
#   no source is empty, so each row of the masks has a `True`, as your layers require. Write the
#   masks with `keras.ops`, because NumPy cannot compute inside `fit`.
# - **Logits.** A `Dense` layer without biases.
# - The lengths `s` and `t` may be any numbers up to 128, and may change from call to call. The
#   model can be trained with `compile` and `fit`, and it has no trainable weights other than those
#   of the two embeddings, of your layers and of the logits. (A table of the encoding may be a
#   weight that is not trained.) Saving is not graded.
#
# Example: the model below has 410 parameters. As in exercise 3, its matrices are filled with
# numbers that do not depend on their order:
#
# ```python
# ids = [np.array([[3, 5, 2, 0]]), np.array([[1, 6, 4]])]
# model = build_transformer(6, 7, 4, 2, 5)
# model(ids)  # builds the weights
# for weight in model.trainable_weights:
#     if len(weight.shape) > 1:
#         weight.assign(np.sin(np.arange(np.prod(weight.shape))).reshape(weight.shape) / 2)
# ```
#
# Then `model(ids)` is, up to the last digit,
#
# ```text
# [[[ 0.385 -0.608 -1.041 -0.518  0.482  1.039  0.64 ]
#   [ 0.5   -0.706 -1.263 -0.659  0.551  1.254  0.804]
#   [-0.163 -0.593 -0.478  0.077  0.561  0.529  0.011]]]
# ```
#
# <details><summary>Hint</summary>
#
# In a functional model, `keras.Input((None,), dtype="int32")` has a length that is not known yet.
# The running sum `ops.cumsum(ops.ones_like(ids), axis=1) - 1` nevertheless numbers the columns.
# With these numbers, `ops.take(table, …, axis=0)` picks rows of a table of 128 positions, which
# NumPy has computed beforehand, and comparing the numbers of two columns tells which of them comes
# later.
# (A model that is a subclass of `keras.Model` can use `ops.shape(ids)[1]` in its `call` instead.)
#
# </details>
# <details><summary>My check says that NumPy cannot compute in a graph</summary>
#
# `fit` translates your model into a graph before there are any numbers, so `np.tri`,
# `np.asarray` and `transformer_masks` cannot work on its inputs. `ops.not_equal`,
# `ops.logical_and` and `<=` can.
#
# </details>
# <details><summary>My check says that there are other weights</summary>
#
# Count the weights of your model by their sizes. If every layer lacks a matrix of
# `d_model` × `d_model` numbers, or has a vector too many, the mistake is in exercise 3 or 4; run
# their checks again.
# If layers are missing, perhaps one layer is called several times. The output layer has no biases,
# and the positions are not learned.
#
# </details>


# %% exercise="build_transformer" points=4 difficulty=3 minutes=35
def build_transformer(
    source_vocab, target_vocab, d_model, num_heads, d_ff, num_layers=1, dropout=0.0
):
    """Build a model from ids [(batch, s), (batch, t)] to logits (batch, t, target_vocab)."""
    ### BEGIN SOLUTION
    if d_model % 2:
        raise ValueError(f"d_model must be even, got {d_model}")
    if num_layers < 1:
        raise ValueError(f"num_layers must be at least 1, got {num_layers}")
    angles = np.arange(128)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
    table = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(128, d_model)

    def places(ids):
        return ops.cumsum(ops.ones_like(ids), axis=1) - 1

    def embed(ids, vocab_size):
        words = keras.layers.Embedding(vocab_size, d_model)(ids)
        positions = ops.take(table.astype("float32"), places(ids), axis=0)
        return keras.layers.Dropout(dropout)(words * math.sqrt(d_model) + positions)

    source_ids = keras.Input((None,), dtype="int32")
    target_ids = keras.Input((None,), dtype="int32")
    real_source = ops.not_equal(source_ids, 0)[:, None]
    real_target = ops.not_equal(target_ids, 0)[:, None]
    target_places = places(target_ids)
    not_later = target_places[:, None] <= target_places[:, :, None]
    self_mask = ops.logical_and(not_later, real_target)
    memory = embed(source_ids, source_vocab)
    for _ in range(num_layers):
        layer = EncoderLayer(d_model, num_heads, d_ff, dropout)
        memory = layer(memory, attention_mask=real_source)
    x = embed(target_ids, target_vocab)
    for _ in range(num_layers):
        layer = DecoderLayer(d_model, num_heads, d_ff, dropout)
        x = layer(x, memory, self_mask=self_mask, cross_mask=real_source)
    logits = keras.layers.Dense(target_vocab, use_bias=False)(x)
    return keras.Model([source_ids, target_ids], logits)
    ### END SOLUTION


# %% [markdown]
# ## Your Transformer
#
# Now everything comes together. The next cell builds a Transformer of the size of the lesson's
# from **your** layers, trains it for three epochs on 5,000 English and Hungarian dates, and lets
# **your** `greedy_decode` translate the test dates.
#
# These cells are not marked, and neither Validate nor the grader runs them. Run them when all your
# checks pass. Each of the two takes about half a minute.

# %% active="ipynb"
# from coursekit import datasets, translation
# from coursekit.checks import require_written
#
# require_written(DecoderLayer, greedy_decode, build_transformer)
#
# corpus = datasets.locale_dates("hu")
# x, x_test = (corpus.source.encode(part.sources) for part in (corpus.train, corpus.test))
# y, y_test = (corpus.target.encode(part.targets) for part in (corpus.train, corpus.test))
# EPOCHS = 3
#
#
# def trained_transformer():
#     keras.utils.set_random_seed(0)
#     sizes = len(corpus.source), len(corpus.target)
#     model = build_transformer(*sizes, d_model=32, num_heads=4, d_ff=64)
#     steps = EPOCHS * math.ceil(len(x) / 32)
#     rate = translation.warm_up_and_decay(0.005, steps)
#     model.compile(
#         keras.optimizers.Adam(rate, clipnorm=1.0),
#         keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0),
#         jit_compile=False,  # compiling would take longer than the training
#     )
#     model.fit([x, translation.shift(y)], y, batch_size=32, epochs=EPOCHS, verbose=2)
#     return model
#
#
# def translated(model, source_ids):
#     def next_logits(ids):
#         return np.asarray(model([source_ids, ids]))[:, -1]
#
#     end, steps = corpus.target.end, y.shape[1]
#     ids = greedy_decode(next_logits, translation.START, end, steps, len(source_ids))
#     return corpus.target.decode(ids)
#
#
# def show(model):
#     texts = translated(model, x_test)
#     for source, text in zip(corpus.test.sources[:5], texts, strict=False):
#         print(f"{source:30}{text}")
#     right = [one == other for one, other in zip(texts, corpus.test.targets, strict=True)]
#     print(f"{np.sum(right)} of {len(right)} test dates are right")
#
#
# model = trained_transformer()
# show(model)

# %% [markdown]
# In the lesson we trained a network without its causal mask. The next cell takes the mask out of
# yours: it replaces every row of the decoder's mask by the last row, which hides
# padding and nothing else. Everything else is as before.
#
# > **Predict.** While this network translates, the mask is back in its place. Does that help?

# %% active="ipynb"
# call_with_mask = DecoderLayer.call
#
#
# def call_without_causal_mask(self, x, memory, self_mask=None, cross_mask=None, training=None):
#     last_row = self_mask[:, -1:]
#     return call_with_mask(self, x, memory, last_row, cross_mask, training)
#
#
# DecoderLayer.call = call_without_causal_mask
# try:
#     sees_the_future = trained_transformer()
# finally:
#     DecoderLayer.call = call_with_mask
# show(sees_the_future)

# %% [markdown]
# <details><summary>Answer</summary>
#
# No. Almost no date is right, although the losses fall to almost zero, as before. In training, the
# token that the network should write stands in the next column of what its decoder reads, so the
# network learns to rely on it. When it translates, this column does not exist yet. Judge a network
# by what it writes, not by its training loss alone.
#
# </details>
