# %% [markdown]
# # Chapter 2 · SimpleRNN by hand and in Keras: the exercises
#
# Eight exercises, 20 points, about 90 minutes. They follow the lesson: first the pipeline that
# turns a series into training examples, then the network by hand and in Keras, then the honest
# comparison, and at the end a forecaster of your own.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it knows your mistake, its name. The
# grader runs the same check and a second one on other inputs, so answer in general: an answer that
# fits the printed example alone does not pass.
#
# Conventions: batch first (`(batch, time, features)`), row vectors (`x @ w`), NumPy arrays in and
# out, inputs are never changed in place.

# %%
import keras
import numpy as np

# %% [markdown] lesson="Scale, then cut into examples"
# ## Split without looking ahead
#
# A forecaster is tested on months that come after the ones it has learned from. Cut a series in
# two: `train` holds the first `int(len(series) * train_fraction)` values, `test` the rest, both in
# their order.
#
# `split_series(series, train_fraction=0.8)` → `(train, test)`; `series` has shape `(n,)`.
#
# Example: `split_series(np.arange(5.0), 0.5)` → `([0. 1.], [2. 3. 4.])`.
#
# <details><summary>Hint</summary>
#
# One slice before the cut, one after it. No shuffling: neighbouring months resemble each other, and
# a shuffled test set would leak into the training set.
#
# </details>
# <details><summary>My check says that one value is missing</summary>
#
# `int(...)` cuts off the fraction: 11 values at 0.8 give 8 for training, and the other 3 are test.
# Is there a `- 1` or a `+ 1` in one of the slices?
#
# </details>


# %% exercise="split_series" points=2 difficulty=1 minutes=5
def split_series(series, train_fraction=0.8):
    """Cut a series (n,) into its first int(n · train_fraction) values and the rest."""
    ### BEGIN SOLUTION
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction must lie between 0 and 1, got {train_fraction}")
    cut = int(len(series) * train_fraction)
    return series[:cut], series[cut:]
    ### END SOLUTION


# %% [markdown] lesson="Three things to repair"
# ## Scale by what training may know
#
# A recurrent network learns best on numbers of size one. Map the training range linearly to
# [0, 1], and be able to go back. The range is taken from `train` alone: a test value may well leave
# [0, 1], and that is honest.
#
# - `fit_minmax(train)` → `(low, high)`, the smallest and the largest value. A constant series
#   cannot be scaled: raise `ValueError`.
# - `scale(series, low, high)` → same shape, `low` to 0 and `high` to 1.
# - `unscale(scaled, low, high)` → the way back.
#
# Example: with `low, high = 10.0, 20.0`, `scale(np.array([10.0, 15.0, 25.0]), low, high)` →
# `[0. 0.5 1.5]`.
#
# <details><summary>Hint</summary>
#
# How far above `low` is a value, measured in units of `high - low`?
#
# </details>
# <details><summary>My check says that my values are cut off at 1</summary>
#
# Scaling is a straight line and never clips: a test month with more sunspots than any training
# month has a scaled value above 1.
#
# </details>


# %% exercise="fit_minmax scale unscale" points=2 difficulty=1 minutes=8
def fit_minmax(train):
    """Return the smallest and the largest value of a series (n,); ValueError when constant."""
    ### BEGIN SOLUTION
    low, high = float(np.min(train)), float(np.max(train))
    if low == high:
        raise ValueError(f"train is constant ({low}): its range cannot be scaled to [0, 1]")
    return low, high
    ### END SOLUTION


def scale(series, low, high):
    """Map low to 0 and high to 1, linearly, for an array of any shape."""
    ### BEGIN SOLUTION
    return (series - low) / (high - low)
    ### END SOLUTION


def unscale(scaled, low, high):
    """Undo `scale`."""
    ### BEGIN SOLUTION
    return scaled * (high - low) + low
    ### END SOLUTION


# %% [markdown] lesson="Scale, then cut into examples"
# ## Windows and their targets
#
# Turn a series into examples. Window `i` holds the `time_steps` values that start at position
# `i * stride`; its target is the value right after the window. Make every window that has a target.
# `stride=1` uses each month of the series, `stride=time_steps` is the layout without overlap of the
# published experiment.
#
# `make_windows(series, time_steps, stride=1)` → `(X, y)` with shapes `(n, time_steps, 1)` and
# `(n,)`. A series with no more than `time_steps` values has no window with a target: raise
# `ValueError`.
#
# Example: `make_windows(np.array([1.0, 2.0, 3.0, 4.0]), 2)` → `X[:, :, 0]` is
# `[[1. 2.] [2. 3.]]`, `y` is `[3. 4.]`.
#
# <details><summary>Hint</summary>
#
# The last start that still has a target is `len(series) - time_steps - 1`. Collect the starts with
# `np.arange`, then let broadcasting make a whole table of positions:
# `starts[:, None] + np.arange(time_steps)`.
#
# </details>
# <details><summary>My check says that the last window is missing</summary>
#
# The last window ends one value before the end of the series, because the last value is its target.
# Count the starts by hand for a series of four values and windows of two.
#
# </details>


# %% exercise="make_windows" points=3 difficulty=2 minutes=15
def make_windows(series, time_steps, stride=1):
    """Cut a series (n,) into windows (windows, time_steps, 1) and the values right after them."""
    ### BEGIN SOLUTION
    if time_steps < 1 or stride < 1:
        raise ValueError(f"time_steps and stride must be at least 1, got {time_steps}, {stride}")
    if len(series) <= time_steps:
        raise ValueError(f"series has {len(series)} values; windows of {time_steps} need more")
    starts = np.arange(0, len(series) - time_steps, stride)
    positions = starts[:, None] + np.arange(time_steps)
    return series[positions][:, :, None], series[starts + time_steps]
    ### END SOLUTION


# %% [markdown] lesson="Three hidden states by hand"
# ## The network by hand
#
# Compute what `SimpleRNN → Dense` predicts, from its five weight arrays, in NumPy:
# $h_t = f(x_t w_x + h_{t-1} w_h + b_h)$ with $h_0 = 0$, and after the last step
# $o = g(h_T w_y + b_y)$.
#
# `simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None)` → `(batch, outputs)`
#
# - `x`: `(batch, time, features)`
# - `weights`: the list that `model.get_weights()` gives, in its order: `w_x (features, m)`,
#   `w_h (m, m)`, `b_h (m,)`, `w_y (m, outputs)`, `b_y (outputs,)`
# - `activation`: the function $f$; `output_activation`: the function $g$, `None` for none
#
# Example: with every weight array filled with 0.5, `m = 1`, linear activation (`lambda a: a`) and
# `x = [[[1.0], [2.0]]]`: $h_1 = 1$, $h_2 = 2$, $o = 1.5$.
#
# <details><summary>Hint</summary>
#
# One loop over time is right: $h_t$ needs $h_{t-1}$. No loop over the batch: `x[:, t] @ w_x` does
# every example at once.
#
# </details>
# <details><summary>My check says that w_h is transposed</summary>
#
# With row vectors the state stands on the left: `h @ w_h`.
#
# </details>


# %% exercise="simple_rnn_predict" points=3 difficulty=2 minutes=15
def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    """Predict (batch, outputs) for x (batch, time, features) as SimpleRNN → Dense would."""
    ### BEGIN SOLUTION
    w_x, w_h, b_h, w_y, b_y = weights
    if x.shape[-1] != w_x.shape[0]:
        raise ValueError(f"x has {x.shape[-1]} features but w_x expects {w_x.shape[0]}")
    h_t = np.zeros((x.shape[0], w_h.shape[0]))
    for x_t in np.swapaxes(x, 0, 1):
        h_t = activation(x_t @ w_x + h_t @ w_h + b_h)
    output = h_t @ w_y + b_y
    return output if output_activation is None else output_activation(output)
    ### END SOLUTION


# %% [markdown] lesson="Train"
# ## The network in Keras
#
# Build the same network with Keras and compile it with the mean squared error and Adam.
#
# `create_rnn(hidden_units, dense_units, input_shape, activation)` → a compiled Keras model:
# `SimpleRNN(hidden_units)` on sequences of `input_shape` (`(time, features)`), then
# `Dense(dense_units)`. `activation` is a pair, the first for the SimpleRNN, the second for the
# Dense layer.
#
# Example: `create_rnn(2, 1, (3, 1), ("linear", "linear")).count_params()` → `11`.
#
# <details><summary>Hint</summary>
#
# `keras.Sequential` with `keras.Input(input_shape)` first, so that the weights exist right away.
#
# </details>
# <details><summary>My check says that a sequence comes back instead of one prediction</summary>
#
# The Dense layer is to see the last state only: leave `return_sequences` alone.
#
# </details>


# %% exercise="create_rnn" points=2 difficulty=1 minutes=8
def create_rnn(hidden_units, dense_units, input_shape, activation):
    """Build and compile SimpleRNN(hidden_units) → Dense(dense_units) for mse and Adam."""
    ### BEGIN SOLUTION
    recurrent, dense = activation
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=recurrent),
            keras.layers.Dense(dense_units, activation=dense),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model
    ### END SOLUTION


# %% [markdown] lesson="Is it good?"
# ## How good is a forecast?
#
# An error alone says little. The skill score compares it with the error of a baseline: 1 is
# perfect, 0 is no better than the baseline, negative is worse.
#
# - `rmse(y_true, y_pred)` → the root of the mean squared error, a number
# - `skill_score(y_true, y_pred, baseline)` → $1 - \mathrm{MSE} / \mathrm{MSE}_\mathrm{baseline}$,
#   a number; `baseline` holds the baseline's predictions
#
# All arrays are one-dimensional and of one length.
#
# Example: for `y_true = [1. 2.]`, `y_pred = [1. 4.]` and `baseline = [3. 4.]`, the RMSE is
# `1.414…` and the skill `0.5`.
#
# <details><summary>Hint</summary>
#
# The skill score takes mean squared errors, not their roots.
#
# </details>
# <details><summary>My check says that I divided by the wrong error</summary>
#
# The baseline's error is measured against `y_true`, like the forecast's.
#
# </details>


# %% exercise="rmse skill_score" points=2 difficulty=1 minutes=8
def rmse(y_true, y_pred):
    """Return the root mean squared error of two arrays (n,)."""
    ### BEGIN SOLUTION
    if np.shape(y_true) != np.shape(y_pred):
        raise ValueError(f"y_true has shape {np.shape(y_true)} but y_pred {np.shape(y_pred)}")
    return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))
    ### END SOLUTION


def skill_score(y_true, y_pred, baseline):
    """Return 1 − MSE / MSE of the baseline's predictions; all arrays (n,)."""
    ### BEGIN SOLUTION
    if not np.shape(y_true) == np.shape(y_pred) == np.shape(baseline):
        shapes = [np.shape(array) for array in (y_true, y_pred, baseline)]
        raise ValueError("y_true, y_pred, baseline have shapes {}, {}, {}".format(*shapes))
    return float(1 - np.mean((y_true - y_pred) ** 2) / np.mean((y_true - baseline) ** 2))
    ### END SOLUTION


# %% [markdown] lesson="Is it good?"
# ## The forecast everybody can make
#
# Persistence says: next month will be like this month. It needs no training, and a model that
# cannot beat it has learned nothing of use.
#
# `persistence_forecast(X)` → `(n,)`, the prediction for every window of `X (n, time_steps, 1)`.
#
# Example: for two windows `[1. 2.]` and `[2. 3.]` → `[2. 3.]`.
#
# <details><summary>Hint</summary>
#
# Which axis is time, and which position on it is the latest?
#
# </details>
# <details><summary>My check says that the shape is (n, 1)</summary>
#
# A target is one number a window, so the forecast has shape `(n,)`: index the feature axis too.
#
# </details>


# %% exercise="persistence_forecast" points=2 difficulty=1 minutes=4
def persistence_forecast(X):
    """Return the last value of every window: (n, time_steps, 1) → (n,)."""
    ### BEGIN SOLUTION
    return X[:, -1, 0].copy()
    ### END SOLUTION


# %% [markdown] lesson="Better practice"
# ## A forecaster of your own
#
# Put it together. Learn from a series and return a function that forecasts. Any model is welcome:
# recurrent, linear, your own.
#
# `fit_forecaster(train)` → `forecast`, where `train` holds raw monthly numbers `(n,)` and
# `forecast(windows)` maps raw windows `(n, 12, 1)` to raw forecasts `(n,)`.
#
# It is graded on windows it has not seen: its RMSE must be at most 0.97 of persistence's, and
# fitting and forecasting may take 60 seconds.
#
# <details><summary>Hint</summary>
#
# What `make_windows` gives, flattened to `(n, 12)`, is a regression problem. Least squares with an
# intercept is a strong start, and the lesson says how strong.
#
# </details>
# <details><summary>My check says that the forecasts look scaled</summary>
#
# Raw numbers in, raw numbers out: undo the scaling inside `forecast`, with the range of `train`.
#
# </details>


# %% exercise="fit_forecaster" points=4 difficulty=3 minutes=25
def fit_forecaster(train):
    """Learn from raw monthly numbers (n,); return a function of raw windows (n, 12, 1) → (n,)."""
    ### BEGIN SOLUTION
    if len(train) <= 12:
        raise ValueError(f"train has {len(train)} values; windows of 12 need more")

    def with_intercept(windows):
        return np.column_stack([windows, np.ones(len(windows))])

    windows = np.lib.stride_tricks.sliding_window_view(train[:-1], 12)
    coefficients, *_ = np.linalg.lstsq(with_intercept(windows), train[12:], rcond=None)

    def forecast(windows):
        return with_intercept(windows[:, :, 0]) @ coefficients

    return forecast
    ### END SOLUTION
