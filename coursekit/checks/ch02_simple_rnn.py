"""Visible checks of chapter 2, on the examples that the exercises print, and its known mistakes."""

import time

import numpy as np

from coursekit.checks import Made, attempt, check, differs, type_name
from coursekit.datasets import load_sunspots

ROUNDED = "the cut is rounded, int(len(series) * train_fraction) cuts the fraction off"
FROM_THE_END = (
    "the train part is taken from the end of the series, it must hold the earliest values"
)
DROPPED = "a value is lost at the cut, every value belongs to train or to test"
STANDARDISED = (
    "this standardises (mean and standard deviation), the range is to be mapped to [0, 1]"
)
CLIPPED = "values outside the training range are clipped, scaling is a straight line without end"
RANGE_OF_SERIES = "the range is taken from the series itself, low and high are given"
NO_OFFSET = "low is not added back, unscaling must undo both steps of scaling"
CONSTANT = "a constant series"
TOO_SHORT = "a series no longer than time_steps"
LAST_WINDOW = "the last window is missing, it ends one value before the end of the series"
TARGET_INSIDE = "the target is the last value of the window, it must be the value right after it"
TARGET_LATER = "the target lies one step too far, it must be the value right after the window"
STRIDE_IGNORED = "stride is ignored, window i must start at i * stride"
TRANSPOSED = "w_h is used transposed, with row vectors the state stands on the left: h @ w_h"
NO_RECURRENCE = "the previous state is not fed back, h_t must depend on h_{t-1}"
NO_BIAS = "b_h is left out"
ACTIVATED_OUTPUT = "the hidden activation is applied to the output, which has its own (or none)"
MEAN_STATE = "the states are averaged over time, the Dense layer sees the last state"
TANH_ONLY = "tanh is built in, the activation is an argument"
SEQUENCES = "the SimpleRNN returns its whole sequence, the Dense layer is to see its last state"
ACTIVATIONS_SWAPPED = "the two activations are swapped, the first belongs to the SimpleRNN"
LOSS = "the loss is not the mean squared error"
SUMMED = "the squared errors are added up over the batch, the loss is their mean"
NOT_ADAM = "the optimizer is not Adam"
NO_ROOT = "this is the mean squared error, its root is missing"
NO_MEAN = "the squares are summed up, the mean divides by their number"
MEAN_ABSOLUTE = "this is the mean absolute error, RMSE squares first"
SKILL_OF_ROOTS = "the ratio is of root errors, the skill score takes mean squared errors"
SKILL_INVERTED = "the ratio is upside down, the forecast's error stands above the baseline's"
SKILL_OF_FORECAST = "the baseline's error is measured against y_pred, it belongs to y_true"
FIRST_VALUE = "this is the first value of each window, the latest is the last"
WINDOW_MEAN = "this is the mean of each window, persistence repeats its last value"
KEPT_AXIS = "the feature axis is still there, a forecast is one number a window: (n,)"
STILL_SCALED = "the forecasts look scaled, raw numbers are to come back"
ALWAYS_THE_SAME = "the forecasts hardly differ from each other, each is to rest on its window"
NOT_BETTER = "it hardly differs from persistence, which it has to beat"
OTHER_WINDOWS = (
    "a forecast changes with the other windows of the call, it may use its own window alone"
)


@check
def split_series(split_series):
    series = np.arange(11.0) ** 2
    attempt(split_series, series).gives(
        (series[:8], series[8:]),
        {
            ROUNDED: (series[:9], series[9:]),
            FROM_THE_END: (series[3:], series[:3]),
            DROPPED: (series[:8], series[9:]),
        },
    )
    attempt(split_series, np.arange(5.0), 0.5).gives(([0.0, 1.0], [2.0, 3.0, 4.0]))


@check
def fit_minmax(fit_minmax, scale, unscale):
    attempt(fit_minmax, np.array([12.0, 20.0, 10.0])).gives((10.0, 20.0))
    attempt(fit_minmax, np.array([7.0, 7.0])).raises(ValueError, CONSTANT)
    attempt(scale, np.array([10.0, 15.0, 25.0]), 10.0, 20.0).gives(
        [0.0, 0.5, 1.5],
        {
            CLIPPED: [0.0, 0.5, 1.0],
            RANGE_OF_SERIES: [0.0, 1 / 3, 1.0],
            STANDARDISED: [-1.06904497, -0.26726124, 1.33630621],
        },
    )
    attempt(unscale, np.array([0.0, 0.5, 1.5]), 10.0, 20.0).gives(
        [10.0, 15.0, 25.0], {NO_OFFSET: [0.0, 5.0, 15.0], CLIPPED: [10.0, 15.0, 20.0]}
    )


@check
def make_windows(make_windows):
    series = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    windows = np.array([[3.0, 1.0, 4.0], [1.0, 4.0, 1.0]])[:, :, None]
    attempt(make_windows, series, 3).gives(
        (windows, [1.0, 5.0]),
        {
            LAST_WINDOW: (windows[:1], [1.0]),
            TARGET_INSIDE: (windows, [4.0, 1.0]),
            TARGET_LATER: (windows[:1], [5.0]),
        },
    )
    attempt(make_windows, series, 2, stride=2).gives(
        (np.array([[3.0, 1.0], [4.0, 1.0]])[:, :, None], [4.0, 5.0]),
        {
            STRIDE_IGNORED: (
                np.array([[3.0, 1.0], [1.0, 4.0], [4.0, 1.0]])[:, :, None],
                [4.0, 1.0, 5.0],
            ),
        },
    )
    attempt(make_windows, series, 5).raises(ValueError, TOO_SHORT)


@check
def simple_rnn_predict(simple_rnn_predict):
    linear = Made("numpy:positive")
    weights = [
        np.array([[0.18662322, -1.2369459]]),
        np.array([[0.86981213, -0.49338293], [0.49338293, 0.8698122]]),
        np.zeros(2),
        np.array([[-0.4635998], [0.6538409]]),
        np.zeros(1),
    ]
    attempt(simple_rnn_predict, np.array([[[1.0], [2.0], [3.0]]]), weights, linear).gives(
        [[-3.86981216]],
        {
            TRANSPOSED: [[-5.53563447]],
            NO_RECURRENCE: [[-2.68585292]],
            MEAN_STATE: [[-2.37055618]],
            TANH_ONLY: [[-0.731394]],
        },
    )
    halves = [np.full(shape, 0.5) for shape in [(1, 1), (1, 1), (1,), (1, 1), (1,)]]
    attempt(simple_rnn_predict, np.array([[[1.0], [2.0]]]), halves, linear).gives(
        [[1.5]], {NO_BIAS: [[1.125]]}
    )
    attempt(simple_rnn_predict, np.array([[[0.5], [-0.5]]]), halves).gives(
        [[0.75678787]], {ACTIVATED_OUTPUT: [[0.63918105]]}
    )


@check
def create_rnn(create_rnn):
    made = attempt(create_rnn, 2, 1, (3, 1), ("linear", "linear"))
    attempt(made.makes.count_params).gives(11)
    x = np.array([[[1.0], [2.0], [3.0]]])
    attempt(made.makes, x).numbers((1, 1), {SEQUENCES: (1, 3, 1)})
    halves = [np.full(shape, 0.5) for shape in [(1, 2), (2, 2), (2,), (2, 1), (1,)]]
    attempt(made.makes.set_weights, halves).gives(None)
    attempt(made.makes, x).gives([[5.0]], {TANH_ONLY: [[1.49483828]]}, tolerance=1e-4)
    compiled_for_mse_and_adam(made, x)


def compiled_for_mse_and_adam(made, x):
    """Require the loss and the optimizer of a model that takes one example x, gives one number."""
    model, y = made.makes, np.array([[0.0], [1.0], [2.0]])
    loss = attempt(model.compute_loss, np.repeat(x, 3, axis=0), 3 * y, 2 * y)
    loss.gives(5 / 3, {LOSS: 1.0, SUMMED: 5.0})
    if type_name(model.optimizer) != "Adam":
        made.fail("the model is compiled with another optimizer", mistake=NOT_ADAM)


@check
def rmse(rmse, skill_score):
    # Errors of which every other summary is another number.
    attempt(rmse, np.array([1.0, 2.0, 3.0]), np.array([2.0, -1.0, 3.0])).gives(
        (10 / 3) ** 0.5, {NO_ROOT: 10 / 3, MEAN_ABSOLUTE: 4 / 3, NO_MEAN: 10**0.5}
    )
    y_true, y_pred, baseline = np.array([1.0, 2.0]), np.array([1.0, 4.0]), np.array([3.0, 4.0])
    attempt(rmse, y_true, y_pred).gives(2**0.5)
    attempt(skill_score, y_true, y_pred, baseline).gives(
        0.5, {SKILL_OF_ROOTS: 1 - 0.5**0.5, SKILL_INVERTED: -1.0, SKILL_OF_FORECAST: 0.0}
    )


@check
def persistence_forecast(persistence_forecast):
    windows = np.array([[1.0, 2.0, 4.0], [2.0, 4.0, 3.0]])[:, :, None]
    attempt(persistence_forecast, windows).gives(
        [4.0, 3.0],
        {FIRST_VALUE: [1.0, 2.0], WINDOW_MEAN: [7 / 3, 3.0], KEPT_AXIS: [[4.0], [3.0]]},
    )


@check
def fit_forecaster(fit_forecaster):
    series = load_sunspots().to_numpy()
    test = series[2256:]
    stretches = test[: len(test) // 24 * 24].reshape(-1, 24)
    forecasts_better_than_persistence(fit_forecaster, series[:2256], stretches)


def forecasts_better_than_persistence(fit_forecaster, train, stretches):
    """Fit on a series; forecast the second year of stretches (n, 24) of another part of it.

    One call forecasts one month of every stretch, the earliest first, so that no window shows a
    target of its own call or of a later one.
    """
    started, allowed_seconds = time.perf_counter(), 60 * fit_forecaster._world.patience
    forecaster = attempt(fit_forecaster, train, seconds=60).makes
    targets, latest = stretches[:, 12:], stretches[:, 11:-1]
    forecasts = np.empty(targets.shape)
    for month in range(12):
        windows = stretches[:, month : month + 12, None]
        trial = attempt(forecaster, windows, seconds=60)
        forecasts[:, month] = trial.numbers((len(windows),), {KEPT_AXIS: (len(windows), 1)})
        if time.perf_counter() - started > allowed_seconds:
            trial.fail("fitting and forecasting took too long; 60 seconds are allowed")
    reached, allowed = (np.sqrt(np.mean((targets - other) ** 2)) for other in (forecasts, latest))
    allowed *= 0.97
    if reached > allowed:
        mistake = None
        if np.std(forecasts) < 0.1 * np.std(targets):
            small = np.max(np.abs(forecasts)) < 0.1 * np.max(targets)
            mistake = STILL_SCALED if small else ALWAYS_THE_SAME
        elif np.corrcoef(forecasts.ravel(), latest.ravel())[0, 1] > 0.9999:
            mistake = NOT_BETTER
        elif differs(attempt(forecaster, windows[::-1]).value, forecasts[::-1, -1], 1e-3):
            mistake = OTHER_WINDOWS
        trial.fail(
            f"the RMSE on unseen windows is {reached:.2f}; at most {allowed:.2f} is asked "
            "(0.97 of persistence's)",
            mistake=mistake,
        )
