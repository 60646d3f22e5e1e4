# %% [markdown]
# # Chapter 2 · SimpleRNN by hand and in Keras: the exercises
#
# Nine exercises, 20 points, about 105 minutes. They begin with the steps that turn a series into
# training examples, then come to the network by hand and in Keras, then to the fair comparison, and
# at the end to a forecaster of your own.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: batch first (`(batch, time, features)`), row vectors (`x @ w`), NumPy arrays in and
# out. An array may hold whole numbers, and inputs are never changed in place.

# %%
import keras
import numpy as np

# %% [markdown] lesson="A real series"
# ## Split without looking ahead
#
# A forecaster is tested on months that come after the months it has learned from. Cut a series in
# two: `train` holds the first `int(len(series) * train_fraction)` values and `test` the rest, both
# in their original order.
#
# `split_series(series, train_fraction=0.8)` → `(train, test)`; `series` has shape `(n,)`, and
# `0 < train_fraction < 1`.
#
# Example: `split_series(np.arange(5.0), 0.5)` → `([0. 1.], [2. 3. 4.])`.
#
# <details><summary>Hint</summary>
#
# You need one slice before the cut and one after it. Do not shuffle: neighbouring months resemble
# each other, so after shuffling, the training set would reveal much of the test set.
#
# </details>
# <details><summary>My check says that one value is missing</summary>
#
# `int(...)` drops the fraction, so 11 values at 0.8 give 8 for training, and the other 3 are for
# the test. Is there a `- 1` or a `+ 1` in one of your slices?
#
# </details>


# %% exercise="split_series" points=1 difficulty=1 minutes=5
def split_series(series, train_fraction=0.8):
    """Cut a series (n,) into its first int(n · train_fraction) values and the rest."""
    ### BEGIN SOLUTION
    if np.ndim(series) != 1:
        raise ValueError(f"series must have one axis, got shape {np.shape(series)}")
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction must lie between 0 and 1, got {train_fraction}")
    cut = int(len(series) * train_fraction)
    return series[:cut], series[cut:]
    ### END SOLUTION


# %% [markdown] lesson="A fair comparison with all windows"
# ## Scaling fitted to the training data
#
# A recurrent network learns best when its inputs are of the order of 1. Map the range of the
# training months linearly to [0, 1], and map forecasts back. The range is taken from `train` alone,
# so a scaled test value may lie outside [0, 1].
#
# - `fit_minmax(train)` → `(low, high)`, the smallest and the largest value. A constant series
#   cannot be scaled, so raise `ValueError` for it.
# - `scale(series, low, high)` → an array of the same shape, with `low` mapped to 0 and `high` to 1.
# - `unscale(scaled, low, high)` → the original values.
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
# Scaling is linear and never clips: a test month with more sunspots than any training month has a
# scaled value above 1.
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
    if not low < high:
        raise ValueError(f"low must be less than high, got {low} and {high}")
    return (series - low) / (high - low)
    ### END SOLUTION


def unscale(scaled, low, high):
    """Undo `scale`."""
    ### BEGIN SOLUTION
    return scaled * (high - low) + low
    ### END SOLUTION


# %% [markdown] lesson="From a series to examples"
# ## Windows and their targets
#
# Turn a series into examples. Window `i` holds the `time_steps` values that start at position
# `i * stride`, and its target is the value right after the window. Make every window that has a
# target. With `stride=1` a window starts in every month; with `stride=time_steps` the windows do
# not overlap, as in the published experiment that the lesson repeats.
#
# `make_windows(series, time_steps, stride=1)` → `(X, y)` with shapes `(n, time_steps, 1)` and
# `(n,)`. A series with no more than `time_steps` values has no window with a target, so raise
# `ValueError` for it.
#
# Example: `make_windows(np.array([1.0, 2.0, 3.0, 4.0]), 2)` → `X[:, :, 0]` is
# `[[1. 2.] [2. 3.]]`, `y` is `[3. 4.]`.
#
# <details><summary>Hint</summary>
#
# The last start that still has a target is `len(series) - time_steps - 1`. Collect the starts with
# `np.arange`, and let broadcasting compute all positions at once: adding a column of starts to a
# row of offsets gives a table with one row for each window.
#
# </details>
# <details><summary>My check says that the last window is missing</summary>
#
# The last window ends one value before the end of the series, because the last value is its target.
# Count the starts by hand for a series of four values and windows of two: there are two.
#
# </details>


# %% exercise="make_windows" points=3 difficulty=2 minutes=15
def make_windows(series, time_steps, stride=1):
    """Cut a series (n,) into windows (windows, time_steps, 1) and the values right after them."""
    ### BEGIN SOLUTION
    if np.ndim(series) != 1:
        raise ValueError(f"series must have one axis, got shape {np.shape(series)}")
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
# Compute in NumPy what `SimpleRNN → Dense` predicts, given its five weight arrays:
# $h_t = f(x_t w_x + h_{t-1} w_h + b_h)$ with $h_0 = 0$, and after the last step
# $y_T = g(h_T w_y + b_y)$.
#
# `simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None)` → `(batch, outputs)`
#
# - `x`: `(batch, time, features)`
# - `weights`: the list that `model.get_weights()` gives, in its order: `w_x (features, m)`,
#   `w_h (m, m)`, `b_h (m,)`, `w_y (m, outputs)`, `b_y (outputs,)`
# - `activation`: the function $f$; `output_activation`: the function $g$, `None` for none
#
# Example with a linear activation (`lambda a: a`): for `x = [[[1.0], [2.0]]]`,
# `w_x = [[1.0, 0.0]]`, `w_h = [[0.0, 1.0], [0.5, 0.0]]`, `b_h = [0.0, 1.0]`,
# `w_y = [[1.0], [2.0]]` and `b_y = [0.5]` the states are $h_1 = (1, 1)$ and $h_2 = (2.5, 2)$, and
# the output is `[[7.0]]`.
#
# <details><summary>Hint</summary>
#
# You need a loop over time, because $h_t$ depends on $h_{t-1}$. You need no loop over the batch,
# because one matrix product can serve all examples at once.
#
# </details>
# <details><summary>My check says that w_h is transposed</summary>
#
# With row vectors the state stands to the left of the matrix, as in `h_t @ w_h`. Compute $h_2$ of
# the example by hand and compare it with yours.
#
# </details>


# %% exercise="simple_rnn_predict" points=3 difficulty=2 minutes=15
def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    """Predict (batch, outputs) for x (batch, time, features) as SimpleRNN → Dense would."""
    ### BEGIN SOLUTION
    w_x, w_h, b_h, w_y, b_y = weights
    if np.ndim(x) != 3:
        raise ValueError(f"x must be (batch, time, features), got shape {np.shape(x)}")
    features, m, outputs = x.shape[-1], len(w_h), len(b_y)
    shapes = {
        "w_x": (w_x, (features, m)),
        "w_h": (w_h, (m, m)),
        "b_h": (b_h, (m,)),
        "w_y": (w_y, (m, outputs)),
    }
    for name, (array, shape) in shapes.items():
        if np.shape(array) != shape:
            raise ValueError(f"{name} has shape {np.shape(array)}, expected {shape}")
    h_t = np.zeros((x.shape[0], w_h.shape[0]))
    for x_t in np.swapaxes(x, 0, 1):
        h_t = activation(x_t @ w_x + h_t @ w_h + b_h)
    output = h_t @ w_y + b_y
    return output if output_activation is None else output_activation(output)
    ### END SOLUTION


# %% [markdown] lesson="Training from many random starts"
# ## The network in Keras
#
# Build the same network with Keras and compile it with the mean squared error and Adam.
#
# `create_rnn(hidden_units, dense_units, input_shape, activation)` → a compiled Keras model:
# `SimpleRNN(hidden_units)` on sequences of `input_shape` (`(time, features)`), then
# `Dense(dense_units)`. `activation` is a pair, the first for the SimpleRNN, the second for the
# Dense layer. Leave everything else at Keras's defaults, except for Adam's learning rate, for which
# you may choose any positive number. Every call draws new initial weights.
#
# Example: `create_rnn(2, 1, (3, 1), ("linear", "linear")).count_params()` → `11`.
#
# <details><summary>Hint</summary>
#
# Begin a `keras.Sequential` with `keras.Input(input_shape)`, so that the weights exist right away.
#
# </details>
# <details><summary>My check says that a sequence comes back instead of one prediction</summary>
#
# The Dense layer should see only the last state, so do not set `return_sequences`.
#
# </details>


# %% exercise="create_rnn" points=2 difficulty=1 minutes=8
def create_rnn(hidden_units, dense_units, input_shape, activation):
    """Build and compile SimpleRNN(hidden_units) → Dense(dense_units) for mse and Adam."""
    ### BEGIN SOLUTION
    if np.shape(activation) != (2,):
        raise ValueError(f"activation must be a pair, got {activation!r}")
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


# %% [markdown] lesson="A fair comparison with all windows"
# ## How good is a forecast?
#
# An error alone says little. The skill score compares it with the error of a baseline: a skill of 1
# is perfect, a skill of 0 is as good as the baseline, and a negative skill is worse than it.
#
# - `rmse(y_true, y_pred)` → the square root of the mean squared error, a number
# - `skill_score(y_true, y_pred, baseline)` → $1 - \mathrm{MSE} / \mathrm{MSE}_\mathrm{baseline}$, a
#   number; `baseline` holds the predictions of the baseline, at least one of which is wrong
#
# All arrays are one-dimensional and of the same length.
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
    if np.ndim(y_true) != 1:
        raise ValueError(f"y_true must have one axis, got shape {np.shape(y_true)}")
    return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))
    ### END SOLUTION


def skill_score(y_true, y_pred, baseline):
    """Return 1 − MSE / MSE of the baseline's predictions; all arrays (n,)."""
    ### BEGIN SOLUTION
    if not np.shape(y_true) == np.shape(y_pred) == np.shape(baseline):
        shapes = [np.shape(array) for array in (y_true, y_pred, baseline)]
        raise ValueError("y_true, y_pred, baseline have shapes {}, {}, {}".format(*shapes))
    baseline_error = np.mean((y_true - baseline) ** 2)
    if baseline_error == 0:
        raise ValueError("baseline has no error, so no skill can be measured against it")
    return float(1 - np.mean((y_true - y_pred) ** 2) / baseline_error)
    ### END SOLUTION


# %% [markdown] lesson="Comparison with baselines"
# ## Persistence forecast
#
# Persistence forecasts that next month will be like this month. It needs no training, so a trained
# model that does not beat it has not been worth the effort.
#
# `persistence_forecast(X)` → `(n,)`, the forecast for every window of `X (n, time_steps, 1)`.
#
# Example: for the two windows `[1. 2.]` and `[2. 3.]` it returns `[2. 3.]`.
#
# <details><summary>Hint</summary>
#
# Which axis is time, and which position on it holds the latest value?
#
# </details>
# <details><summary>My check says that the shape is (n, 1)</summary>
#
# A forecast is one number for each window, of shape `(n,)`, so index the feature axis as well.
#
# </details>


# %% exercise="persistence_forecast" points=1 difficulty=1 minutes=4
def persistence_forecast(X):
    """Return the last value of every window: (n, time_steps, 1) → (n,)."""
    ### BEGIN SOLUTION
    if np.ndim(X) != 3 or np.shape(X)[2] != 1:
        raise ValueError(f"X must be (n, time_steps, 1), got shape {np.shape(X)}")
    return X[:, -1, 0].copy()
    ### END SOLUTION


# %% [markdown] lesson="Training from many random starts"
# ## The spread over random seeds
#
# Train a recurrent network once for each seed, and report the spread of its error beside a
# baseline. A run must depend on its own seed alone: repeating it with the same seed must give the
# same forecasts, whether it runs by itself or after others. The test part must not influence the
# training.
#
# `forecast_spread(x_train, y_train, x_test, y_test, seeds)` → `(forecasts, errors, baseline)`
#
# - `x_train`, `x_test`: scaled windows, `(n, time_steps, 1)` and `(n_test, time_steps, 1)`;
#   `y_train`, `y_test`: targets, `(n,)` and `(n_test,)`; `seeds`: a list of integers
# - `forecasts`: `(len(seeds), n_test)`, the forecasts for `x_test` from the network of each seed
# - `errors`: `(len(seeds),)`, their RMSE on `y_test`
# - `baseline`: a number, the RMSE of persistence on the same test windows
#
# The architecture and the training are up to you, and the check does not look at the network.
# `create_rnn` with 8 units and a linear output is enough, compiled again with the larger learning
# rate of `keras.optimizers.Adam(0.01)` and trained for 4 epochs in batches of 4. The RMSE of every
# network must be at most 0.95 of what a constant forecast, the mean of `y_train`, has on `y_test`.
# With Adam's default learning rate, 0.001, nearly every network reaches this mark after 16 epochs
# in batches of 4, and the slowest need about 24: how quickly a network learns depends on its
# initial weights. The check calls your function with two seeds and then with one of them again and
# another test part, with 168 training windows, which takes 3 to 10 seconds in all. A single call
# may take 60 seconds.
#
# <details><summary>Hint</summary>
#
# `keras.utils.set_random_seed(seed)` must come before the network is created, because creating it
# already draws the initial weights. You can use the functions of earlier exercises.
#
# </details>
# <details><summary>My check says that a seed does not repeat its forecasts</summary>
#
# Is the network created inside the loop? If it is created once before it, the second run continues
# where the first one stopped.
#
# </details>


# %% exercise="forecast_spread" points=3 difficulty=2 minutes=25
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    """Train one network per seed; return forecasts (seeds, n), RMSEs and persistence's RMSE."""
    ### BEGIN SOLUTION
    if len(x_train) != len(y_train) or len(x_test) != len(y_test):
        lengths = [len(array) for array in (x_train, y_train, x_test, y_test)]
        raise ValueError(
            "x_train, y_train, x_test, y_test have lengths {}, {}, {}, {}".format(*lengths)
        )
    forecasts = []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model = keras.Sequential(
            [keras.Input(x_train.shape[1:]), keras.layers.SimpleRNN(8), keras.layers.Dense(1)]
        )
        model.compile(loss="mse", optimizer=keras.optimizers.Adam(0.01))
        model.fit(x_train, y_train, batch_size=4, epochs=4, verbose=0)
        forecasts.append(np.asarray(model(x_test))[:, 0])
    # Persistence last: it has an error like every forecast.
    squares = (np.array([*forecasts, x_test[:, -1, 0]]) - y_test) ** 2
    *errors, baseline = np.sqrt(squares.mean(axis=1))
    return np.array(forecasts), np.array(errors), baseline
    ### END SOLUTION


# %% [markdown] lesson="A fair comparison with all windows"
# ## A forecaster of your own
#
# Put it all together. Learn from a series and return a function that forecasts. Any model is
# welcome, recurrent or linear or one of your own, as long as it is fitted to `train`.
#
# `fit_forecaster(train)` → `forecast`, where `train` holds raw monthly numbers `(n,)`, which may be
# negative, and `forecast(windows)` maps raw windows `(windows, 12, 1)` to raw forecasts
# `(windows,)`.
#
# Your forecaster is fitted to several series, one after another, and each `forecast` is judged on
# later windows of its own series. The forecast for a window must not depend on the other windows in
# the same call, and a `forecast` that you have returned must not change when `fit_forecaster` is
# called again. For each series its RMSE must be at most 0.97 times that of persistence, and fitting
# and forecasting together may take 60 seconds. The check in this notebook fits it to the first
# 1,353 sunspot months and judges it on the other training months, not on the test months of the
# lesson. The grader also uses series that you have not seen, and one of them depends on its past in
# a very different way. A forecaster with fixed weights, not fitted to `train`, will therefore not
# pass.
#
# <details><summary>Hint</summary>
#
# The windows that `make_windows` returns, reshaped to `(windows, 12)`, make this a regression
# problem. Least squares with an intercept is a strong start, and the lesson shows how strong.
#
# </details>
# <details><summary>My check says that the forecasts look scaled</summary>
#
# Raw numbers go in and raw numbers must come out. Undo the scaling inside `forecast`, with the
# range of `train`.
#
# </details>


# %% exercise="fit_forecaster" points=3 difficulty=2 minutes=15
def fit_forecaster(train):
    """Learn from raw monthly numbers (n,); return a function of raw windows (windows, 12, 1)."""
    ### BEGIN SOLUTION
    if np.ndim(train) != 1:
        raise ValueError(f"train must have one axis, got shape {np.shape(train)}")
    if len(train) <= 12:
        raise ValueError(f"train has {len(train)} values; windows of 12 need more")

    def with_intercept(windows):
        return np.column_stack([windows, np.ones(len(windows))])

    windows = np.lib.stride_tricks.sliding_window_view(train[:-1], 12)
    coefficients, *_ = np.linalg.lstsq(with_intercept(windows), train[12:], rcond=None)

    def forecast(windows):
        if np.shape(windows)[1:] != (12, 1):
            raise ValueError(f"windows must be (n, 12, 1), got shape {np.shape(windows)}")
        return with_intercept(windows[:, :, 0]) @ coefficients

    return forecast
    ### END SOLUTION


# %% [markdown]
# ## Your forecaster at work
#
# This part is not marked. It fits your `fit_forecaster` to the first 80 % of the sunspot numbers
# and draws what it forecasts for the months that it has never seen, each from the twelve months
# before it. It uses your `split_series`, `make_windows`, `persistence_forecast` and `rmse` as well,
# so it runs when all of them do.
#
# Try another model in exercise 9 and run the cell again. Does the forecast still make every jump
# one month late?

# %% active="ipynb"
# import matplotlib.pyplot as plt
#
# from coursekit import figures
# from coursekit.checks import require_written
# from coursekit.datasets import load_sunspots
#
# require_written(split_series, make_windows, rmse, persistence_forecast, fit_forecaster)
#
# figures.use_style()
# series = load_sunspots()
# train, test = split_series(series.to_numpy())
# windows, observed = make_windows(test, 12)
# forecast = fit_forecaster(train)(windows)
# errors = {
#     "your forecaster": rmse(observed, forecast),
#     "persistence": rmse(observed, persistence_forecast(windows)),
# }
#
# months = series.index[-len(observed) :]
# part = (months.year >= 1956) & (months.year < 1959)
# fig, ax = plt.subplots(figsize=(5.6, 3.0))
# ax.plot(months[part], observed[part], ".", color=figures.INK, label="observed")
# ax.plot(months[part], forecast[part], color=figures.MODEL, label="your forecaster")
# ax.set(xlabel="year", ylabel="sunspot number", ylim=(0, 330))
# ax.set_title(", ".join(f"RMSE of {name} {error:.2f}" for name, error in errors.items()))
# ax.legend(loc="upper right", ncols=2)
# figures.show(
#     fig,
#     caption="Three of the years that your forecaster has never seen, each month forecast from "
#     "the twelve before it. The errors are those of all test months but the first twelve.",
#     alt="Observed sunspot numbers and your forecasts from 1956 to 1958. Both rise to the "
#     "highest peak of the series.",
# )
