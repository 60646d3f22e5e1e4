# %% [markdown]
# # Chapter 3 · Your own attention layer in Keras: the exercises
#
# Nine exercises, 20 points, about 120 minutes. The first four are about the published experiment:
# its series, its examples, the leak in them, and the baseline that puts its error into perspective.
# Then you build attention, in three NumPy functions and as a Keras layer, write a second layer with
# settings, put the first one into a network, and look at what it attends to.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: batch first (`(batch, time, features)`), row vectors (`x @ w`), NumPy arrays in and
# out of functions, inputs are never changed in place. An array may hold whole numbers; even then,
# your result must not be rounded to whole numbers. A mask is boolean; `True` marks a real step.

# %%
import keras
import numpy as np
from keras import ops

# %% [markdown] lesson="A published comparison on Fibonacci numbers"
# ## A toy series
#
# Each Fibonacci number is the sum of the two before it. Ours start with 1, 2.
#
# `fibonacci(n)` → the first `n` numbers, a float array `(n,)`; `n` is a whole number from 0 to 1474
# (soon after that the numbers are too large for a float).
#
# Example: `fibonacci(5)` → `[1. 2. 3. 5. 8.]`.
#
# <details><summary>Hint</summary>
#
# Walk with two variables: `a, b = b, a + b`.
#
# </details>
# <details><summary>My check says that my integers overflow</summary>
#
# The largest `int64` is about 9.2e18, and from the 92nd on our numbers are larger. A sum in `int64`
# then becomes negative, and NumPy warns of it only when it adds single numbers, not whole arrays. A
# float is rounded, but it reaches 1.8e308.
#
# </details>


# %% exercise="fibonacci" points=1 difficulty=1 minutes=5
def fibonacci(n):
    """Return the Fibonacci numbers 1, 2, 3, 5, …, n of them, as floats (n,)."""
    ### BEGIN SOLUTION
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    numbers = np.empty(n)
    a, b = 1.0, 2.0
    for i in range(n):
        numbers[i] = a
        a, b = b, a + b
    if not np.isfinite(numbers).all():
        raise ValueError(f"the numbers are too large for a float, got n = {n}")
    return numbers
    ### END SOLUTION


# %% [markdown] lesson="A published comparison on Fibonacci numbers"
# ## Examples in random order
#
# Cut a series into all windows of `time_steps` values that have a target, the value right after
# the window. Then shuffle the examples, each window together with its target, and give the first
# `int(examples * train_fraction)` of the shuffled ones to training, the rest to testing.
#
# `make_supervised(series, time_steps, train_fraction, seed=13)` →
# `(train_x, train_y, test_x, test_y)`; `series` is `(n,)`, `0 < train_fraction < 1`, an x is
# `(examples, time_steps, 1)`, a y is `(examples,)`.
#
# The order is `np.random.RandomState(seed).permutation(examples)`: position `i` of the shuffled
# examples holds example `order[i]`.
#
# Example: `make_supervised(np.array([1.0, 2.0, 3.0, 5.0, 8.0, 13.0]), 2, 0.5)` draws the order
# `[1 3 0 2]`, so `train_x[:, :, 0]` is `[[2. 3.] [5. 8.]]`, `train_y` is `[5. 13.]`, and the test
# part is `[[1. 2.] [3. 5.]]` with `[3. 8.]`.
#
# <details><summary>Hint</summary>
#
# Make the table of all windows first, as in chapter 2. An array of positions then shuffles in one
# step: `windows[order]`.
#
# </details>
# <details><summary>My check says that I split before I shuffle</summary>
#
# If you split first, the test part always contains the largest numbers. The published experiment
# permutes all examples first and then cuts them into two parts.
#
# </details>


# %% exercise="make_supervised" points=2 difficulty=2 minutes=12
def make_supervised(series, time_steps, train_fraction, seed=13):
    """Cut a series (n,) into windows and targets, shuffle them whole, split them."""
    ### BEGIN SOLUTION
    examples = len(series) - time_steps
    if time_steps < 1:
        raise ValueError(f"time_steps must be at least 1, got {time_steps}")
    if examples < 1:
        raise ValueError(f"series has {len(series)} values; windows of {time_steps} need more")
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction must lie between 0 and 1, got {train_fraction}")
    order = np.random.RandomState(seed).permutation(examples)
    x = series[order[:, None] + np.arange(time_steps)][:, :, None]
    y = series[order + time_steps]
    cut = int(examples * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]
    ### END SOLUTION


# %% [markdown] lesson="A leak"
# ## The leak and its repair
#
# In exercise 2 windows overlap and are shuffled, so a number that the test asks for may have been
# seen in training. First measure this leak, then split a series so that there is none.
#
# - `count_leaked_targets(train_x, train_y, test_y)` → a whole number: how many entries of `test_y`
#   occur in a training window or among the training targets. Compare the values exactly, which is
#   enough here because no Fibonacci number of our series occurs twice. An entry that occurs twice
#   in `test_y` counts twice. The shapes are those of exercise 2.
# - `split_without_leak(series, time_steps, train_fraction)` → `(train_x, train_y, test_x, test_y)`
#   in the shapes of exercise 2. The first `int(len(series) * train_fraction)` *values* are for
#   training, and all windows and targets among them are training examples. Every later value is
#   the target of one test example. Its window holds the `time_steps` values before it and may
#   reach back into the training part, because those values are known when the forecast is made.
#   Both parts stay in the order of time. The training part is longer than `time_steps`.
#
# Example: with `train_x[:, :, 0] = [[2. 3.] [5. 8.]]`, `train_y = [5. 13.]` and
# `test_y = [3. 21. 13.]`, two targets have leaked. The series `[1. 2. 3. 5. 8. 13.]`, split by
# `split_without_leak(series, 2, 0.5)`, gives the window `[1. 2.]` with the target `3.` for training
# and the windows `[2. 3.]`, `[3. 5.]`, `[5. 8.]` with the targets `[5. 8. 13.]` for testing.
#
# <details><summary>Hint</summary>
#
# `np.isin` tells you, for every entry of one array, whether it occurs in another. For the split,
# make the table of all windows in order: the example with the window `series[i : i + time_steps]`
# has the target `series[i + time_steps]`. How many targets come before the cut?
#
# </details>
# <details><summary>My check says that test targets are missing</summary>
#
# The first test target is the first value after the training part. Its window lies entirely in the
# training part, which is no leak: only targets must be unseen.
#
# </details>


# %% exercise="count_leaked_targets split_without_leak" points=3 difficulty=2 minutes=15
def count_leaked_targets(train_x, train_y, test_y):
    """Count the entries of test_y (m,) that occur in train_x (n, time, 1) or train_y (n,)."""
    ### BEGIN SOLUTION
    if np.ndim(test_y) != 1:
        raise ValueError(f"test_y must have shape (m,), got {np.shape(test_y)}")
    seen = np.concatenate([np.ravel(train_x), np.ravel(train_y)])
    return int(np.isin(test_y, seen).sum())
    ### END SOLUTION


def split_without_leak(series, time_steps, train_fraction):
    """Cut a series (n,) into examples so that no test target occurs among the training values."""
    ### BEGIN SOLUTION
    if time_steps < 1:
        raise ValueError(f"time_steps must be at least 1, got {time_steps}")
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction must lie between 0 and 1, got {train_fraction}")
    cut = int(len(series) * train_fraction) - time_steps
    if cut < 1:
        raise ValueError(
            f"series has {len(series)} values; a training part of {train_fraction} of them is not "
            f"longer than time_steps, {time_steps}"
        )
    starts = np.arange(len(series) - time_steps)
    x = series[starts[:, None] + np.arange(time_steps)][:, :, None]
    y = series[time_steps:]
    return x[:cut], y[:cut], x[cut:], y[cut:]
    ### END SOLUTION


# %% [markdown] lesson="Baselines"
# ## The best constant
#
# Before you believe in a small error, compare it with that of a constant, a forecast that ignores
# its input. Choose the constant that makes the mean squared error on the training targets as small
# as possible, then measure its error on the test targets.
#
# `constant_baseline(train_y, test_y)` → `(constant, test_mse)`, two numbers; `train_y` is `(n,)`,
# `test_y` is `(m,)`.
#
# Example: `constant_baseline(np.array([0.0, 1.0, 5.0]), np.array([2.0, 4.0]))` → `(2.0, 2.0)`.
#
# <details><summary>Hint</summary>
#
# Write down the mean squared error as a function of the constant and set its derivative to zero.
#
# </details>
# <details><summary>My check says that this is the median</summary>
#
# The median minimises the mean *absolute* error. Here the mean *squared* error is to be minimised.
#
# </details>


# %% exercise="constant_baseline" points=1 difficulty=1 minutes=5
def constant_baseline(train_y, test_y):
    """Return the constant that fits train_y (n,) best and its mean squared error on test_y (m,)."""
    ### BEGIN SOLUTION
    for name, targets in (("train_y", train_y), ("test_y", test_y)):
        if np.ndim(targets) != 1 or len(targets) == 0:
            raise ValueError(f"{name} must have shape (n,), n > 0, got {np.shape(targets)}")
    constant = float(np.mean(train_y))
    return constant, float(np.mean((np.asarray(test_y) - constant) ** 2))
    ### END SOLUTION


# %% [markdown] lesson="Attention as a weighted mean"
# ## Attention in three steps
#
# The layer of this chapter scores every step, turns the scores of one example into weights, and
# returns the weighted sum of the steps:
#
# $$e_t = \tanh(x_t\, w + b_t)$$
#
# $$\alpha_t = \frac{\exp(e_t)}{\sum_j \exp(e_j)}$$
#
# $$\mathrm{context} = \sum_t \alpha_t\, x_t$$
#
# - `alignment_scores(x, w, b)` → `(batch, time)`; `x` is `(batch, time, features)`, `w` is
#   `(features, 1)`, `b` is `(time, 1)`, one number for each step.
# - `attention_weights(scores)` → `(batch, time)`, the softmax over time. The weights must be
#   finite for any finite scores.
# - `attend(x, weights)` → `(batch, features)`. The weights are used as they are given, whatever
#   their sum.
#
# Example: for `x = [[[1, 0], [0, 1], [1, 1]]]`, `w = [[1], [-1]]` and `b = [[0], [0.5], [0]]`, the
# scores are `[[0.7616 -0.4621 0.]]`, the weights `[[0.5678 0.1670 0.2651]]`, and the context is
# `[[0.8330 0.4322]]`.
#
# <details><summary>Hint</summary>
#
# `x @ w` is `(batch, time, 1)`: add `b` while the last axis is there, drop the axis afterwards. In
# the softmax, `keepdims=True` leaves the sums where broadcasting needs them.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# `np.exp(1000)` overflows. A softmax does not change when the same number is subtracted from all
# scores of an example. Subtract the maximum of each row first.
#
# </details>


# %% exercise="alignment_scores attention_weights attend" points=3 difficulty=2 minutes=15
def alignment_scores(x, w, b):
    """Score the steps of x (batch, time, features) by tanh(x w + b) → (batch, time)."""
    ### BEGIN SOLUTION
    if np.ndim(x) != 3:
        raise ValueError(f"x must have shape (batch, time, features), got {np.shape(x)}")
    _, time, features = np.shape(x)
    if np.shape(w) != (features, 1):
        raise ValueError(f"w has shape {np.shape(w)}, but x needs {(features, 1)}")
    if np.shape(b) != (time, 1):
        raise ValueError(f"b has shape {np.shape(b)}, but x needs {(time, 1)}")
    return np.tanh(x @ w + b)[:, :, 0]
    ### END SOLUTION


def attention_weights(scores):
    """Turn scores (batch, time) into weights (batch, time) by a softmax over time."""
    ### BEGIN SOLUTION
    if np.ndim(scores) != 2:
        raise ValueError(f"scores must have shape (batch, time), got {np.shape(scores)}")
    exponentials = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=1, keepdims=True)
    ### END SOLUTION


def attend(x, weights):
    """Add up the steps of x (batch, time, features) by weights (batch, time)."""
    ### BEGIN SOLUTION
    if np.shape(weights) != np.shape(x)[:2]:
        raise ValueError(f"weights have shape {np.shape(weights)}, but x has {np.shape(x)}")
    return np.einsum("bt,btf->bf", weights, x)
    ### END SOLUTION


# %% [markdown] lesson="A layer with weights of its own"
# ## Attention pooling as a Keras layer
#
# Turn the three steps into a Keras layer. It owns `w` and `b`, which training adjusts, and it
# respects a mask: a step that the mask marks as padding has the weight 0, and the weights of the
# real steps sum to 1.
#
# `AttentionPooling()` is a `keras.layers.Layer`:
#
# - `build(input_shape)` makes two weights by `self.add_weight`, in this order: one of shape
#   `(features, 1)` named `"attention_weight"`, one of shape `(time, 1)` named `"attention_bias"`.
# - `call(inputs, mask=None)`: inputs `(batch, time, features)`, mask `(batch, time)` or `None` →
#   `(batch, features)`. An example whose steps are all masked must give finite numbers; which ones
#   does not matter.
# - The layer survives saving and loading of a model that holds it.
#
# `compute_mask` is written for you: after the layer there are no steps any more, so there is
# nothing to mask.
#
# Example: with the `x`, `w` and `b` of the last exercise the layer gives `[[0.8330 0.4322]]`, and
# with the mask `[[True, False, True]]` it gives `[[1. 0.3183]]`. The check sets the same `w` and
# `b` by `layer.set_weights([w, b])`.
#
# <details><summary>Hint</summary>
#
# In `call`, compute with `keras.ops` (`ops.tanh`, `ops.exp`, `ops.sum`): while a model is built and
# trained, `inputs` is not an array of numbers. The mask is boolean: `ops.cast(mask, inputs.dtype)`
# turns it into zeros and ones, and `ops.where` chooses by it. The scores of this layer lie between
# −1 and 1, so their exponentials cannot overflow.
#
# </details>
# <details><summary>My check says that all my weights are 1</summary>
#
# `ops.softmax` runs over the last axis unless it is told otherwise. Has the array of your scores
# the shape `(batch, time, 1)`? Then its last axis has length 1.
#
# </details>
# <details><summary>My check says that the mask is applied after the softmax</summary>
#
# Setting weights to zero afterwards leaves a sum below 1. Masked steps must not take part in the
# sum that the softmax divides by.
#
# </details>
# <details><summary>My check says that the layer does not survive saving</summary>
#
# Loading calls `AttentionPooling(**config)` with what `get_config()` returned, `name` included. If
# your layer has an `__init__` of its own, let it take `**kwargs` and pass them to
# `super().__init__`. In a program of your own, name the class when you load a model:
# `keras.models.load_model(path, custom_objects={"AttentionPooling": AttentionPooling})`.
#
# </details>


# %% exercise="AttentionPooling" points=4 difficulty=3 minutes=25
class AttentionPooling(keras.layers.Layer):
    """Pool (batch, time, features) into (batch, features) by attention with learned weights."""

    def build(self, input_shape):
        """Make attention_weight (features, 1), then attention_bias (time, 1)."""
        ### BEGIN SOLUTION
        if len(input_shape) != 3 or None in input_shape[1:]:
            raise ValueError(
                "inputs must have shape (batch, time, features), time and features known, "
                f"got {input_shape}"
            )
        _, time, features = input_shape
        self.input_spec = keras.layers.InputSpec(ndim=3, axes={1: time, 2: features})
        self.attention_weight = self.add_weight(
            name="attention_weight", shape=(features, 1), initializer="glorot_uniform"
        )
        self.attention_bias = self.add_weight(
            name="attention_bias", shape=(time, 1), initializer="zeros"
        )
        ### END SOLUTION

    def call(self, inputs, mask=None):
        """Add up the steps of inputs by their attention; mask (batch, time), True = real."""
        ### BEGIN SOLUTION
        scores = ops.tanh(ops.matmul(inputs, self.attention_weight) + self.attention_bias)
        # Between exp(-1) and exp(1): nothing overflows, and only an empty sum is small.
        shares = ops.exp(scores)
        if mask is not None:
            if tuple(mask.shape)[1:] != tuple(inputs.shape)[1:2]:
                raise ValueError(f"mask has shape {mask.shape}, but inputs have {inputs.shape}")
            shares *= ops.cast(mask, shares.dtype)[:, :, None]
        total = ops.sum(shares, axis=1, keepdims=True)
        return ops.sum(inputs * shares / ops.maximum(total, keras.config.epsilon()), axis=1)
        ### END SOLUTION

    def compute_mask(self, inputs, mask=None):
        """Pass no mask on: the output has no steps to mask."""
        return None


# %% [markdown] lesson="Saving and loading"
# ## A layer with settings
#
# The scores of exercise 6 lie between −1 and 1, and over the sixty steps of the lesson this bound
# slowed the training down. Why have a bound $B$ at all? It says in advance how unequal the weights
# can become: two of them differ by a factor of $e^{2B}$ at most, so with a moderate bound no real
# step is shut out by the softmax. (Chapter 6 meets scores so large that half of the examples give
# almost no gradient.) The bound has a price, because tanh can saturate, too: where $x_t\, w$ is far
# from 0, the slope of tanh is nearly 0, and hardly any gradient passes through the score to change
# $w$.
#
# Write a layer with the bound as a setting and the function that squashes the scores as another. It
# accepts sequences of any length, because it has no bias for each step:
#
# $$e_t = B \, f(x_t\, w), \qquad B > 0$$
#
# The scores lie between $-B$ and $B$ if the values of $f$ lie between −1 and 1, as those of tanh
# do.
#
# `BoundedPooling(bound=1.0, squash="tanh")` is a `keras.layers.Layer`:
#
# - `__init__(self, bound=1.0, squash="tanh", **kwargs)`: `squash` is $f$, the name of a Keras
#   activation or the function itself. A bound that is not positive raises `ValueError`; the
#   checks use no bound above 50.
# - `build(input_shape)` makes one weight of shape `(features, 1)`, named `"attention_weight"`.
# - `call(inputs, mask=None)`: `(batch, time, features)` → `(batch, features)`, the steps weighted
#   by the softmax of their scores over time. Masked steps have the weight 0, the others sum to 1.
# - `get_config()` returns the configuration of the base class, the bound under the key `"bound"`
#   and the *name* of the function under `"squash"`. So the layer survives saving and loading of a
#   model that holds it.
#
# Example: for `x = [[[1, 0], [0, 1], [1, 1]]]` and `w = [[1], [-1]]`, `BoundedPooling(3.0)` gives
# `[[0.9907 0.1008]]`, and with the mask `[[False, True, True]]` it gives `[[0.9076 1.]]`.
#
# <details><summary>Hint</summary>
#
# `AdditivePooling` in the lesson has a setting and a softmax that takes a mask, and `Apply` accepts
# a function and records its name.
#
# </details>
# <details><summary>My check says that the configuration cannot hold the function</summary>
#
# Keras records numbers and strings by itself, but not functions. Start from `super().get_config()`
# and add both settings, the function by `keras.activations.serialize`.
#
# </details>


# %% exercise="BoundedPooling" points=2 difficulty=2 minutes=15
class BoundedPooling(keras.layers.Layer):
    """Pool (batch, time, features) into (batch, features) by scores bound * squash(x w)."""

    def __init__(self, bound=1.0, squash="tanh", **kwargs):
        """Store the bound of the scores, a positive number, and what squashes them."""
        ### BEGIN SOLUTION
        super().__init__(**kwargs)  # the name and other settings of every layer
        if not bound > 0:
            raise ValueError(f"bound must be positive, got {bound}")
        self.bound = bound
        self.squash = keras.activations.get(squash)
        self.softmax = keras.layers.Softmax(axis=1)
        ### END SOLUTION

    def build(self, input_shape):
        """Make attention_weight (features, 1)."""
        ### BEGIN SOLUTION
        if len(input_shape) != 3 or input_shape[2] is None:
            raise ValueError(f"inputs must have shape (batch, time, features), got {input_shape}")
        self.attention_weight = self.add_weight(name="attention_weight", shape=(input_shape[2], 1))
        ### END SOLUTION

    def call(self, inputs, mask=None):
        """Add up the steps of inputs by their attention; mask (batch, time), True = real."""
        ### BEGIN SOLUTION
        scores = self.bound * self.squash(ops.matmul(inputs, self.attention_weight))
        if mask is not None:
            mask = ops.expand_dims(mask, axis=2)
        return ops.sum(self.softmax(scores, mask=mask) * inputs, axis=1)
        ### END SOLUTION

    def get_config(self):
        """Return what from_config needs to make the same layer again."""
        ### BEGIN SOLUTION
        squash = keras.activations.serialize(self.squash)
        return {**super().get_config(), "bound": self.bound, "squash": squash}
        ### END SOLUTION

    def compute_mask(self, inputs, mask=None):
        """Pass no mask on: the output has no steps to mask."""
        return None


# %% [markdown] lesson="A published comparison on Fibonacci numbers"
# ## A network with attention
#
# Put your layer between a SimpleRNN and a Dense layer. The Dense layer then reads a weighted sum of
# all hidden states instead of the last one.
#
# `create_rnn_with_attention(hidden_units, dense_units, input_shape, activation)` → a Keras model
# compiled with the mean squared error and Adam: `SimpleRNN(hidden_units)` on sequences of
# `input_shape` (`(time, features)`), your `AttentionPooling`, `Dense(dense_units)`. `activation` is
# one name, which both the SimpleRNN and the Dense layer use. Make your layer inside the function,
# by `AttentionPooling()`. You may choose Adam's learning rate, a positive number; everything else
# stays at Keras's defaults.
#
# Example: `create_rnn_with_attention(2, 1, (20, 1), "tanh").count_params()` → `33`, which is 8 of
# the SimpleRNN, 22 of the attention and 3 of the Dense layer.
#
# This exercise needs your `AttentionPooling` of exercise 6.
#
# <details><summary>Hint</summary>
#
# A SimpleRNN returns only its last state unless it is told to `return_sequences`.
#
# </details>
# <details><summary>My check says that AttentionPooling is at fault</summary>
#
# The network may be right, but the layer in it is not yet. Work on exercise 6 until its check
# passes, run its cell again, then this one.
#
# </details>


# %% exercise="create_rnn_with_attention" points=2 difficulty=2 minutes=10
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    """Build and compile SimpleRNN → AttentionPooling → Dense for mse and Adam."""
    ### BEGIN SOLUTION
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            AttentionPooling(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model
    ### END SOLUTION


# %% [markdown] lesson="Reading an attention map"
# ## Extracting the attention weights
#
# A model's output does not tell you which weights produced it. Compute the weights for a given
# model: the weight that its `AttentionPooling` gives to every step of every example of `x`.
#
# `attention_map(model, x)` → a NumPy array `(batch, time)`; `x` is what the model would be called
# with, `(batch, time, features)`.
#
# - The model is Sequential or functional, a chain of layers with one `AttentionPooling` in it.
#   Find that layer by the name of its class, `type(layer).__name__`. Its position differs from
#   model to model, and so does its own name.
# - The layer weights what arrives at it, which is the states of the layer before, not `x`. Its two
#   weight arrays are those of exercise 6, in that order. The model must be the same afterwards.
# - If there is a `keras.layers.Masking` layer before it, the map respects the mask: masked steps
#   are 0, and the real ones sum to 1.
#
# Example: in a model that is nothing but an `AttentionPooling` with the weights of exercise 5, the
# map of `x = [[[1, 0], [0, 1], [1, 1]]]` is `[[0.5678 0.1670 0.2651]]`.
#
# <details><summary>Hint</summary>
#
# `keras.Model(model.inputs[0], layer.input)` is a model that stops just before the layer. Its
# output and the formulas of exercise 5 are all you need.
#
# </details>
# <details><summary>My check says that it fails behind a Masking layer</summary>
#
# There the layer gets two inputs, the states and their mask, and `layer.input` is a list of both.
# Print it once for a model with a Masking layer and once for a model without.
#
# </details>


# %% exercise="attention_map" points=2 difficulty=3 minutes=20
def attention_map(model, x):
    """Return the weights (batch, time) that the model's AttentionPooling uses on x."""
    ### BEGIN SOLUTION
    found = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    if not found:
        raise ValueError("model has no AttentionPooling layer")
    layer = found[0]
    arriving = keras.Model(model.inputs[0], layer.input)(x)
    # Behind a Masking layer, the states and their mask; otherwise the states alone.
    states, *masks = [ops.convert_to_numpy(tensor) for tensor in keras.tree.flatten(arriving)]
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b)[:, :, 0])
    for mask in masks:
        shares = shares * mask
    total = shares.sum(axis=1, keepdims=True)
    return shares / np.maximum(total, keras.config.epsilon())
    ### END SOLUTION


# %% [markdown]
# ## Your layer at work
#
# This part is not marked. It trains your network of exercise 8, with your layer of exercise 6 in
# it, on the task of the lesson: report the digit that was marked. (The sequences have thirty digits
# instead of sixty, so that this takes only a few seconds.) Then your `attention_map` shows where
# the network looked for its answer in eight sequences that it has never seen.
#
# Where does the weight lie, at the mark or after it? And what is the largest weight that a layer
# with scores between −1 and 1 could give a step here?

# %% active="ipynb"
# import matplotlib.pyplot as plt
#
# from coursekit import figures
# from coursekit.checks import require_written
# from coursekit.datasets import marked_digits
#
# require_written(AttentionPooling, create_rnn_with_attention, attention_map)
#
# figures.use_style()
# keras.utils.set_random_seed(0)
# x, digits, _ = marked_digits(3000, seed=0, steps=30)
# x_new, digits_new, marks = marked_digits(1000, seed=1, steps=30)
# network = create_rnn_with_attention(32, 32, (30, 11), "tanh")
# classifier = keras.Sequential([network, keras.layers.Dense(10)])
# classifier.compile(
#     keras.optimizers.Adam(5e-3, clipnorm=1.0),
#     keras.losses.SparseCategoricalCrossentropy(from_logits=True),
#     jit_compile=True,
#     steps_per_execution=60,
# )
# classifier.fit(x, digits, batch_size=50, epochs=8, verbose=0)
# right = np.asarray(classifier(x_new)).argmax(axis=1) == digits_new
# commonest = np.bincount(digits_new).max() / len(digits_new)
# weights = np.asarray(attention_map(network, x_new[:8]))
#
# order = np.argsort(marks[:8])
# fig, ax = plt.subplots(figsize=(5.6, 2.7))
# picture = ax.pcolormesh(weights[order], cmap=figures.shades(), vmin=0)
# ax.plot(marks[:8][order] + 0.5, np.arange(8) + 0.5, "|", color=figures.MARK, ms=11, mew=1.8)
# ax.set(xlabel="position in the sequence", ylabel="example", yticks=[])
# ax.set_title(f"{right.mean():.0%} right of 1,000 (always the commonest digit: {commonest:.0%})")
# ax.grid(False)
# fig.colorbar(picture, ax=ax, label="weight")
# figures.show(
#     fig,
#     caption="The weights of your layer on eight sequences; the upright line is the mark.",
#     alt="A map of attention weights of eight sequences over thirty positions, with the marked "
#     "position of each.",
# )

# %% [markdown]
# <details><summary>Answer</summary>
#
# The weight lies at the mark or a step or two after it, depending on the start. By the lesson's
# equation no weight can exceed $e / (e + 29/e) = 0.203$, and the largest weights come close to it.
# If yours lie after the mark, look at the examples whose mark is on the last digit: there is no
# state after it. (`right[marks == 29].mean()` is the accuracy on these examples.)
#
# </details>
