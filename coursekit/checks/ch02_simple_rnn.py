"""Visible checks of chapter 2, on the examples that the exercises print."""

import time

import numpy as np

from coursekit.checks import ByImportPath, attempt, check, differs, example
from coursekit.checks.exchange import world_of
from coursekit.checks.layers import compiled_examples, model_examples
from coursekit.datasets import load_sunspots

STILL_SCALED = "The forecasts look scaled. They must come back as raw numbers."
ALWAYS_THE_SAME = "The forecasts hardly differ from each other. Each must depend on its own window."
NOT_BETTER = "The forecasts hardly differ from those of persistence, which they have to beat."
OTHER_WINDOWS = (
    "A forecast changes with the other windows of the call. It may use its own window alone."
)

LINEAR = ByImportPath("numpy:positive")
SERIES = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
X = np.array([[[1.0], [2.0], [3.0]]])
WEIGHTS = [
    np.array([[0.18662322, -1.2369459]]),
    np.array([[0.86981213, -0.49338293], [0.49338293, 0.8698122]]),
    np.array([0.1, -0.2]),
    np.array([[-0.4635998], [0.6538409]]),
    np.array([0.3]),
]


@check
def split_series(split_series):
    example(split_series, np.arange(11.0) ** 2)
    example(split_series, np.arange(5.0), 0.5)


@check
def fit_minmax(fit_minmax, scale, unscale):
    example(fit_minmax, np.array([12.0, 20.0, 10.0]))
    example(fit_minmax, np.array([7.0, 7.0]), raises=ValueError, because="a constant series")
    example(scale, np.array([10.0, 15.0, 25.0]), 10.0, 20.0)
    example(unscale, np.array([0.0, 0.5, 1.5]), 10.0, 20.0)


@check
def make_windows(make_windows):
    example(make_windows, SERIES, 3)
    example(make_windows, SERIES, 2, stride=2)
    too_short = "a series no longer than time_steps"
    example(make_windows, SERIES, 5, raises=ValueError, because=too_short)


@check
def simple_rnn_predict(simple_rnn_predict):
    example(simple_rnn_predict, X, WEIGHTS, LINEAR)
    example(simple_rnn_predict, X, WEIGHTS)


@check
def create_rnn(create_rnn):
    model = model_examples(create_rnn, (2, 1, (3, 1), ("linear", "tanh")), X, WEIGHTS)
    compiled_examples(model, np.repeat(X, 3, axis=0))


@check
def rmse(rmse, skill_score):
    example(rmse, np.array([1.0, 2.0, 3.0]), np.array([2.0, -1.0, 3.0]))
    y_true, y_pred, baseline = np.array([1.0, 2.0]), np.array([1.0, 4.0]), np.array([3.0, 4.0])
    example(skill_score, y_true, y_pred, baseline)


@check
def persistence_forecast(persistence_forecast):
    example(persistence_forecast, np.array([[1.0, 2.0, 4.0], [2.0, 4.0, 3.0]])[:, :, None])


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
    started, allowed_seconds = time.perf_counter(), 60 * world_of(fit_forecaster).patience
    forecaster = attempt(fit_forecaster, train, seconds=60).makes
    targets, latest = stretches[:, 12:], stretches[:, 11:-1]
    forecasts = np.empty(targets.shape)
    for month in range(12):
        windows = stretches[:, month : month + 12, None]
        trial = example(forecaster, windows, shapes_only=True, seconds=60)
        forecasts[:, month] = trial.value
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
