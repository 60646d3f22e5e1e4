"""Hidden checks of chapter 2."""

import numpy as np
from scipy.signal import lfilter

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import ByImportPath, example
from coursekit.checks.ch02_simple_rnn import (
    forecasts_better_than_persistence,
    require_better_than_constant,
    require_unchanged,
    scaled_windows,
    spread_over_seeds,
)
from coursekit.checks.layers import TOLERANCE, require_adam, set_weights


@hidden_check
def split_series(split_series):
    rng = generator(21)
    # 20.3 first, which is rounded down: whoever goes one value too far does not round.
    # 10 · (1 - 0.7) is a little more than 3: the test part is what is left, not rounded up.
    for length, fraction in [(29, 0.7), (57, 0.7), (23, 0.33), (10, 0.8), (5, 0.1), (10, 0.7)]:
        example(split_series, rng.normal(size=length), train_fraction=fraction)
    example(split_series, rng.normal(size=100))


@hidden_check
def fit_minmax(fit_minmax, scale, unscale):
    rng = generator(22)
    train = rng.normal(40, 25, size=31)
    example(fit_minmax, train)
    example(fit_minmax, train - 150)
    for train in ([1e-9, 2e-9], [5.0, 9.0, 5.0]):
        example(fit_minmax, np.array(train))
    for constant in (np.full(9, -3.5), np.full(3, 0.1)):
        example(fit_minmax, constant, raises=ValueError, because="a constant series")
    for shape in [(17,), (5, 4, 1)]:
        example(scale, rng.normal(40, 60, size=shape), -12.5, 81.0)
        example(unscale, rng.normal(0.5, 1.5, size=shape), -12.5, 81.0)
    # In a small range a number that is added to it would be seen.
    example(scale, rng.normal(0, 2e-6, size=9), -2e-6, 3e-6)


@hidden_check
def make_windows(make_windows):
    rng = generator(23)
    for length, time_steps, stride in [
        *[(29, 5, 1), (36, 4, 4), (37, 4, 4), (41, 7, 3), (6, 5, 1)],
        # The last has more windows than Keras puts into a batch.
        *[(30, 3, 5), (4, 3, 2), (300, 4, 1)],
    ]:
        series = rng.normal(size=length)
        example(make_windows, series, time_steps, stride=stride)
    too_short = "a series no longer than time_steps"
    for time_steps in (8, 11):
        series = rng.normal(size=8)
        example(make_windows, series, time_steps, raises=ValueError, because=too_short)


@hidden_check
def simple_rnn_predict(simple_rnn_predict):
    rng = generator(24)
    for batch, time, features, m, outputs in [
        *[(5, 7, 3, 4, 2), (2, 4, 1, 6, 1), (3, 1, 2, 4, 2), (2, 40, 1, 3, 2)]
    ]:
        x = rng.normal(size=(batch, time, features))
        shapes = [(features, m), (m, m), (m,), (m, outputs), (outputs,)]
        weights = [rng.normal(0, 0.4, size=shape) for shape in shapes]
        example(simple_rnn_predict, x, weights)
        example(
            simple_rnn_predict,
            x,
            weights,
            activation=ByImportPath("numpy:cos"),
            output_activation=ByImportPath("numpy:exp"),
        )


@hidden_check
def create_rnn(create_rnn):
    rng = generator(25)
    # Three features: with one too many or too few, a missing bias has another number of weights.
    shapes = [(3, 5), (5, 5), (5,), (5, 2), (2,)]
    weights = [rng.normal(0, 0.5, size=shape) for shape in shapes]
    args = (5, 2, (4, 3), ("log_sigmoid", "sigmoid"))
    model = example(create_rnn, *args).makes
    set_weights(model, weights)
    example(model, rng.normal(size=(6, 4, 3)), tolerance=TOLERANCE)
    require_adam(model, rng.uniform(0.1, 3.0, size=6))


@hidden_check
def rmse(rmse, skill_score):
    rng = generator(26)
    for length in (13, 40):
        y_true, y_pred, baseline = rng.normal(3.0, 2.0, size=(3, length))
        example(rmse, y_true, y_pred)
        example(skill_score, y_true, y_pred, baseline)
        # All small: a small number that is added to an error would be seen, and float32 suffices.
        example(skill_score, 1e-4 * y_true, 1e-4 * y_pred, 1e-4 * baseline)


@hidden_check
def persistence_forecast(persistence_forecast):
    rng = generator(27)
    for shape in [(9, 12, 1), (3, 20, 1), (1, 4, 1)]:
        example(persistence_forecast, rng.normal(size=shape))


@hidden_check
def forecast_spread(forecast_spread):
    rng = generator(29)
    series = sunspot_like(rng, 300)
    # One seed: the visible check has compared two, and every training costs more than a second.
    # On drawn series the reference reaches up to 0.9 of a constant forecast's error.
    windows, seeds = scaled_windows(series[:180], series[168:]), [int(rng.integers(1000))]
    trial, _, errors = spread_over_seeds(forecast_spread, windows, seeds)
    require_better_than_constant(trial, errors, windows, share=1.25)


@hidden_check
def fit_forecaster(fit_forecaster):
    rng = generator(28)
    fitted = []
    for draw in (sunspot_like, swinging):
        series = draw(rng, 2256 + 200 * 24)
        stretches = rng.permutation(series[2256:].reshape(-1, 24))
        train = series[:2256]
        fitted.append(forecasts_better_than_persistence(fit_forecaster, train, stretches))
    require_unchanged(*fitted[0])


def sunspot_like(rng, months):
    """Draw a series that is like the sunspots to a model and to be found in no table.

    Like theirs, its square root is a cycle of about 11 years, some stronger than others, and a
    noise that is the same at every level and forgets fast.
    """
    t, memory = np.arange(months), rng.uniform(0.25, 0.32)
    cycle = np.sin(2 * np.pi * (t / rng.uniform(115, 150) + rng.uniform()))
    strength = 1 + 0.25 * np.sin(2 * np.pi * (t / rng.uniform(400, 700) + rng.uniform()))
    shocks = rng.normal(scale=np.sqrt(1 - memory**2), size=months)
    noise = lfilter([1], [1, -memory], shocks)
    return np.maximum(6.5 + 3.9 * cycle * strength + noise, 0) ** 2


def swinging(rng, months):
    """Draw a series that swings once in 7 to 11 months, on a level that rises and falls slowly.

    After a rise it goes on rising where the sunspots fall back, so no short list of fixed weights
    suits both. Most of its numbers are negative.
    """
    damping, period = rng.uniform(0.96, 0.98), rng.uniform(7, 11)
    feedback = [1, -2 * damping * np.cos(2 * np.pi / period), damping**2]
    # The first months are dropped: the swing has to forget that it began at rest.
    swing = lfilter([1], feedback, rng.normal(size=months + 500))[500:]
    level = np.sin(2 * np.pi * (np.arange(months) / rng.uniform(115, 150) + rng.uniform()))
    noise = rng.normal(size=months)
    return -40 + 20 * swing / swing.std() + 10 * level + 6 * noise
