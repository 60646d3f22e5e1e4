"""Visible checks of chapter 2, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import ByImportPath, CheckFailure, attempt, check, differs, example
from coursekit.checks.comparison import as_numbers, describe, same
from coursekit.checks.layers import TOLERANCE, compiled_examples, set_weights
from coursekit.checks.stand_in import RemoteObject, remote_helper
from coursekit.checks.trial import Deadline
from coursekit.checks.wording import POSSIBLY
from coursekit.datasets import load_sunspots

# What a call that trains may take; see `Deadline` for several together.
SECONDS = 60
SHUFFLED = "The values are shuffled. Both parts must keep the original order."
NO_FUNCTION = (
    "No function came back. fit_forecaster returns a function, which is called later on other "
    "windows."
)
STILL_SCALED = "The forecasts look scaled. They must come back as raw numbers."
LEARNED_NOTHING = (
    "The forecasts are small and say little about the next month. The model was not trained, or it "
    "cannot learn from numbers as large as these."
)
RAW_WINDOWS = (
    "The model was fitted to scaled numbers, but the windows are not scaled. Scale them inside "
    "forecast, with the range of train."
)
ALWAYS_THE_SAME = "The forecasts hardly differ from each other. Each must depend on its own window."
NOT_BETTER = "The forecasts hardly differ from those of persistence, which they have to beat."
STATEFUL = (
    "The layer is stateful, so a call starts from the state that the one before has left. Each "
    "must start from zeros."
)
OTHER_WINDOWS = (
    "A forecast changes with the other windows of the call. It must depend on its own window only."
)

UNFITTED = (
    "The forecasts are the same whatever series the forecaster was fitted to. It must learn from "
    "train."
)
MEAN_SQUARED = "The errors are mean squared errors. Their square roots are missing."
OTHER_ERRORS = (
    "The errors are not those of the forecasts that came back with them. They must be the RMSE on "
    "y_test."
)
OTHER_BASELINE = (
    "The baseline is not persistence, which repeats the last value of every test window."
)
BASELINE_SQUARED = (
    "The baseline is the mean squared error of persistence. Its square root is missing."
)
SAME_WEIGHTS = (
    "All networks begin with the same weights. Set no seed in create_rnn, so that every call draws "
    "new ones."
)
CONSTANT_NETWORK = (
    "A network gives the same forecast for every window, as one does whose single output passes "
    "through a softmax or is always cut off by a ReLU. The output must be linear."
)
ERRORS_SUMMED_UP = (
    "The errors are summed up by their mean and their standard deviation. There must be one for "
    "each seed."
)
ONE_START = "Two seeds give the same forecasts. Each seed must draw initial weights of its own."
UNTRAINED = (
    "A network forecasts hardly better than the mean of y_train. It needs more epochs, or it was "
    "not trained at all, or the windows and the targets that it was given do not belong together."
)
OTHER_SEEDS = (
    "A row of forecasts does not belong to its seed. Use the seeds as they are given, in the "
    "given order."
)
NOT_REPEATED = (
    "A seed does not repeat its forecasts. In every run, set it with keras.utils.set_random_seed "
    "and create a new network after that."
)

BROADCAST = (
    "One array has the shape (n, 1) and the other (n,), so NumPy subtracts every value of one from "
    "every value of the other. Drop the axis of length 1 first."
)
OTHER_ORDER = (
    "The three results come back in the wrong order. The right order is forecasts, errors, "
    "baseline."
)
FORECAST_AXIS = (
    "The forecasts have an axis of length 1 at the end. They must have the shape (len(seeds), n)."
)
ABSOLUTE_ERRORS = "The errors are mean absolute errors. The RMSE squares the errors first."
SUMMED_ERRORS = (
    "The squared errors are summed. Divide by their number before you take the root of it."
)
ERRORS_WITHOUT_MEAN = (
    "The errors are standard deviations of the differences, which leave out their mean. An RMSE "
    "includes it."
)
ERRORS_AVERAGED = (
    "There is a single error, that of one network or a mean. There must be one for each seed."
)
FORECASTS_AVERAGED = (
    "There is one row of forecasts, that of one network or a mean. There must be a row for each "
    "seed."
)
FORECASTS_TURNED = (
    "The two axes of the forecasts are swapped. They must have the shape (len(seeds), n)."
)
BASELINE_OF_EACH = (
    "The baseline holds a number for every test window. It must be a single number, the RMSE of "
    "persistence."
)
BASELINE_OF_TRAIN = (
    "The baseline is the RMSE of persistence on the training windows. It must be measured on the "
    "test windows."
)
BASELINE_OF_FIRST = (
    "The baseline repeats the first value of every window. Persistence repeats the last one."
)
BASELINE_ABSOLUTE = (
    "The baseline is the mean absolute error of persistence. The RMSE squares the errors first."
)
TEST_USED = (
    "The forecasts depend on the test part. The networks must learn from x_train and y_train, and "
    "a forecast must be made from its own window alone."
)
CUT_OFF_AT_0 = "No forecast is below 0. The numbers of a series may be negative."
NOT_ADDED_BACK = (
    "The forecasts are changes from the last month. Add the last value of each window to them."
)

WINDOWS_TURNED = (
    "The forecasts are good when the windows run backwards, so the model was fitted to windows in "
    "the other order. The first value of a window is the earliest month."
)

WINDOWS_APART = (
    "The model was fitted to windows that begin twelve months apart, a twelfth of those that train "
    "has. Let a window begin in every month."
)

FITTED_AGAIN = (
    "A second call of fit_forecaster changes what the first forecaster gives. Each must keep what "
    "it has learned for itself."
)

LINEAR = ByImportPath("numpy:positive")
SERIES = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
X = np.array([[[1.0], [2.0], [3.0]]])
SMALL_WEIGHTS = [
    np.array([[1.0, 0.0]]),
    np.array([[0.0, 1.0], [0.5, 0.0]]),
    np.array([0.0, 1.0]),
    np.array([[1.0], [2.0]]),
    np.array([0.5]),
]
WEIGHTS = [
    np.array([[0.18662322, -1.2369459]]),
    np.array([[0.86981213, -0.49338293], [0.49338293, 0.8698122]]),
    np.array([0.1, -0.2]),
    np.array([[-0.4635998], [0.6538409]]),
    np.array([0.3]),
]


@check
def split_series(split_series):
    series = np.array([3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0, 5.5, 3.5])
    try:
        # 6.5 is rounded down, 8.8 up: who rounds and who goes one value too far differ.
        example(split_series, series, 0.65)
        example(split_series, np.arange(11.0) ** 2)
        # Defaults near 0.8 would cut 40 or 19 values elsewhere.
        example(split_series, np.arange(40.0))
        example(split_series, np.arange(19.0))
        # An eighth is not a whole percentage.
        example(split_series, np.arange(80.0), 0.125)
        return
    except CheckFailure as failure:
        failed = failure
    fail_if_shuffled(attempt(split_series, series, 0.65), series)
    raise failed


def fail_if_shuffled(trial, series):
    """Name a shuffle of a series of different values, whose draw no answer of the bank foresees."""
    value = trial.reply.value
    parts = list(map(as_numbers, value)) if isinstance(value, (tuple, list)) else []
    if any(part is None or part.ndim != 1 for part in parts) or not parts:
        return
    if np.array_equal(np.sort(np.concatenate(parts)), np.sort(series)):
        longest = max(parts, key=len)
        places = np.argmax(series == longest[:, None], axis=1)
        # A part that is sorted or runs backwards has another mistake.
        if all(len(set(np.sign(np.diff(row)))) > 1 for row in (places, longest)):
            trial.fail("the values of the series come back in another order", "", SHUFFLED)


@check
def fit_minmax(fit_minmax, scale, unscale):
    # First a series whose ends and values differ: it tells the ends from a repeated value.
    example(fit_minmax, np.array([-2.5, -9.25, -4.0]))
    example(fit_minmax, np.array([12.5, 20.0, 10.25, 12.5]))
    for constant in (np.array([7.0, 7.0]), np.array([3.0])):
        example(fit_minmax, constant, raises=ValueError, because="a constant series")
    example(scale, np.array([10.0, 15.0, 25.0]), 10.0, 20.0)
    example(unscale, np.array([0.0, 0.5, 1.5]), 10.0, 20.0)
    # Whole numbers become fractions, too.
    example(scale, np.array([10, 15, 25]), 10, 20)
    example(unscale, np.array([0, 1, 2]), 10.25, 20.5)
    # An array of any shape.
    example(scale, np.array([[10.0, 15.0], [25.0, 5.0]]), 10.0, 20.0)
    example(unscale, np.array([[0.0, 0.5], [1.5, -0.5]]), 10.0, 20.0)


@check
def make_windows(make_windows):
    example(make_windows, SERIES, 3)
    example(make_windows, SERIES, 3, stride=2)
    example(make_windows, SERIES[:4], 3)
    too_short = "a series no longer than time_steps"
    example(make_windows, SERIES, 8, raises=ValueError, because=too_short)


@check
def simple_rnn_predict(simple_rnn_predict):
    # The small numbers come second, because two mistakes may give the same with them.
    example(simple_rnn_predict, X, WEIGHTS, LINEAR)
    example(simple_rnn_predict, X[:, :2], SMALL_WEIGHTS, LINEAR)
    example(simple_rnn_predict, X, WEIGHTS)
    # Two examples of two features, and an activation of the output.
    x = np.array([[[1.0, 2.0], [-1.0, 0.5]], [[0.0, 1.0], [2.0, -1.0]]])
    weights = [np.array([[0.5, -0.3], [0.1, 0.7]]), *WEIGHTS[1:]]
    example(simple_rnn_predict, x, weights, output_activation=ByImportPath("numpy:exp"))
    # An activation may use all units of an example, and a linear one has no bounds.
    weights[3:] = np.array([[0.4, -0.6], [0.7, 0.2]]), np.array([0.3, -0.1])
    softmax = ByImportPath(f"{__name__}:softmax_of_rows")
    example(simple_rnn_predict, x, weights, output_activation=softmax)
    # Only an activation that is not 0 at 0 shows who applies it to the first state.
    example(simple_rnn_predict, X, WEIGHTS, ByImportPath("numpy:cos"))
    example(simple_rnn_predict, 100 * X, WEIGHTS, LINEAR)
    example(simple_rnn_predict, np.array([[[1], [2]]]), WEIGHTS)


@check
def create_rnn(create_rnn):
    model = example(create_rnn, 2, 1, (3, 1), ("softsign", "sigmoid")).makes
    example(model.count_params)
    example(model, X, shapes_only=True)
    first_weights = attempt(model.get_weights).value
    set_weights(model, WEIGHTS)
    output_example(model)
    # A step of zeros counts like any other.
    example(model, np.where(X == 2.0, 0.0, X), tolerance=TOLERANCE)
    compiled_examples(model, np.repeat(X, 3, axis=0))
    example(model, X, training=True, tolerance=TOLERANCE)
    # Building a network takes longer than all the rest: one more serves both questions. Its
    # arguments are the same, which shows who keeps networks and returns them again.
    other = example(create_rnn, 2, 1, (3, 1), ("softsign", "sigmoid")).makes
    example(remote_helper(create_rnn, what_is_trained, "what is trained"), other)
    example(remote_helper(create_rnn, parts_of_two, "two networks"), model, other)
    trial = attempt(other.get_weights)
    pairs = zip(matrices_of(first_weights), matrices_of(trial.value), strict=False)
    if any(same(one, other) for one, other in pairs):
        trial.fail("two new networks have the same weights", mistake=SAME_WEIGHTS)


def output_example(model):
    """Compare the output of a model, and name a state that is left from call to call.

    It began with weights that no answer of the bank foresees.
    """
    try:
        example(model, X, tolerance=TOLERANCE)
        return
    except CheckFailure as failure:
        failed = failure
    if not failed.mistake:
        trials = [attempt(model, X) for _ in range(2)]
        if differs(*[trial.value for trial in trials], TOLERANCE):
            trials[1].fail("the same call gives another result than before", mistake=STATEFUL)
    raise failed


def matrices_of(weights):
    """Return the matrices among a network's weights, without the biases, which all begin at 0."""
    is_whole = isinstance(weights, list) and len(weights) == len(WEIGHTS)
    return [weights[place] for place in (0, 1, 3)] if is_whole else []


@check
def rmse(rmse, skill_score):
    # Mean, range and spread of y_true differ, and the errors are negative on average.
    example(rmse, np.array([1.0, 2.0, 6.0]), np.array([0.0, 5.0, 8.5]))
    y_true, y_pred, baseline = np.array([[1.0, 2.0, 4.0], [1.5, 3.5, 4.0], [3.0, 4.5, 6.0]])
    example(skill_score, y_true, y_pred, baseline)
    y_true, y_pred, baseline = np.array([1.0, 2.0]), np.array([1.0, 4.0]), np.array([3.0, 4.0])
    example(skill_score, y_true, y_pred, baseline)
    example(skill_score, y_true, baseline, y_pred)
    example(skill_score, np.zeros(2), np.array([2.0, 2.0]), np.array([1.0, 1.0]))


@check
def persistence_forecast(persistence_forecast):
    # No two places of a window, and no two ways to sum it up, agree in all windows.
    windows = np.array(
        [[3.0, 1.0, 6.0, 5.0, 2.25], [1.0, 5.0, 3.0, 2.0, 4.5], [0.5, 7.0, 1.0, 3.0, 5.75]]
    )
    example(persistence_forecast, windows[:, :, None])
    example(persistence_forecast, windows[:1, :, None])
    example(persistence_forecast, np.array([[[2.0], [3.0], [0.0]], [[1.0], [0.0], [4.0]]]))


@check
def forecast_spread(forecast_spread):
    series = load_sunspots().to_numpy()
    windows = scaled_windows(series[:180], series[168:300])
    # Not in ascending order: row i must belong to seed i of the list. From these seeds, a network
    # that hardly trains is worse than a constant; from others it may be better.
    first, forecasts, errors = spread_over_seeds(forecast_spread, windows, [7, 3])
    # Another test part, of some of the windows and with other targets, must not change a forecast.
    x_train, y_train, x_test, y_test = windows
    some = slice(len(y_test) // 2)
    another_test = [x_train, y_train, x_test[some], y_test[some][::-1]]
    trial, (repeated, _, _) = train_for_seeds(forecast_spread, another_test, [3])
    # Two runs of TensorFlow may differ in the last digits, and training makes more of them.
    if wrong := differs(repeated[0], forecasts[1, some], 2e-3):
        _, (same_test, _, _) = train_for_seeds(forecast_spread, windows, [3])
        alone = differs(same_test[0], forecasts[1], 2e-3)
        summary = "seed 3 alone, with another test part, gives different forecasts than before"
        mistake = POSSIBLY + NOT_REPEATED if alone else TEST_USED
        if not differs(repeated[0], forecasts[0, some], 2e-3):
            mistake = OTHER_SEEDS
        trial.fail(summary, than_before(wrong), mistake)
    # Last, because a network without a seed may have learned little by chance. Of 32 starts trained
    # as the card recommends, the slowest was at 0.72.
    require_better_than_constant(first, errors, windows, share=0.95)


def than_before(difference):
    """Return where a result differs from an earlier one, which is not known to be right."""
    detail = difference.detail.replace("expected: ", "before:   ")
    return detail.replace("; expected ", "; before, it was ")


def scaled_windows(train, test):
    """Scale two parts of a series by the first; return x_train, y_train, x_test, y_test."""
    low, high = train.min(), train.max()
    views = [
        np.lib.stride_tricks.sliding_window_view((part - low) / (high - low), 13)
        for part in (train, test)
    ]
    return [np.array(part) for view in views for part in (view[:, :12, None], view[:, 12])]


def train_for_seeds(forecast_spread, windows, seeds):
    """Call the student's function and check the shapes; return the trial and the three results."""
    trial = attempt(forecast_spread, *windows, seeds, seconds=SECONDS)
    shapes = np.zeros((len(seeds), len(windows[-1]))), np.zeros(len(seeds)), 0.0
    if wrong := differs(trial.value, shapes, shapes_only=True):
        trial.fail(wrong.summary, wrong.detail, mistake_in_shapes(trial.value, shapes))
    return trial, [np.asarray(part, dtype=float) for part in trial.value]


def mistake_in_shapes(parts, expected):
    """Name what is wrong with three results of other shapes than expected, if it can be told."""
    if not isinstance(parts, (tuple, list)) or len(parts) != 3:
        return None
    try:
        found = [np.shape(part) for part in parts]
    except ValueError:  # a list of lists of different lengths
        return None
    shapes = [np.shape(part) for part in expected]
    if sorted(found) == sorted(shapes):
        return OTHER_ORDER
    of_forecasts = {
        (*shapes[0], 1): FORECAST_AXIS,
        shapes[0][::-1]: FORECASTS_TURNED,
        shapes[0][1:]: FORECASTS_AVERAGED,
    }
    if found[1:] == shapes[1:]:
        return of_forecasts.get(found[0])
    if found == [*shapes[:2], shapes[0][1:]]:
        return BASELINE_OF_EACH
    return ERRORS_AVERAGED if found == [shapes[0], (), ()] else None


def spread_over_seeds(forecast_spread, windows, seeds):
    """Check that errors, baseline and forecasts of one call agree; return it and the first two."""
    trial, (forecasts, errors, baseline) = train_for_seeds(forecast_spread, windows, seeds)
    x_train, y_train, x_test, y_test = windows
    squares = np.mean((forecasts - y_test) ** 2, axis=1)
    if wrong := differs(errors, np.sqrt(squares), 1e-4):
        crossed = np.mean((forecasts[:, :, None] - y_test) ** 2, axis=(1, 2))
        wrong_errors = {
            MEAN_SQUARED: squares,
            BROADCAST: np.sqrt(crossed),
            ABSOLUTE_ERRORS: np.mean(np.abs(forecasts - y_test), axis=1),
            SUMMED_ERRORS: np.sqrt(squares * len(y_test)),
            ERRORS_WITHOUT_MEAN: np.std(forecasts - y_test, axis=1),
            ERRORS_SUMMED_UP: np.array([np.mean(np.sqrt(squares)), np.std(np.sqrt(squares))]),
        }
        trial.fail("the errors are wrong", wrong.detail, named(errors, wrong_errors, OTHER_ERRORS))
    persistence = np.sqrt(np.mean((x_test[:, -1, 0] - y_test) ** 2))
    if wrong := differs(baseline, persistence):
        wrong_baselines = {
            BASELINE_SQUARED: persistence**2,
            BROADCAST: np.sqrt(np.mean((x_test[:, -1] - y_test) ** 2)),
            BASELINE_OF_TRAIN: np.sqrt(np.mean((x_train[:, -1, 0] - y_train) ** 2)),
            BASELINE_OF_FIRST: np.sqrt(np.mean((x_test[:, 0, 0] - y_test) ** 2)),
            BASELINE_ABSOLUTE: np.mean(np.abs(x_test[:, -1, 0] - y_test)),
        }
        mistake = named(baseline, wrong_baselines, OTHER_BASELINE)
        trial.fail("the baseline is wrong", wrong.detail, mistake)
    if np.ptp(forecasts, axis=1).min() < 1e-6:
        trial.fail("all forecasts of a network are equal", mistake=CONSTANT_NETWORK)
    if any(not differs(forecasts[0], other) for other in forecasts[1:]):
        trial.fail(f"the forecasts for the seeds {seeds} are equal", mistake=ONE_START)
    return trial, forecasts, errors


def require_better_than_constant(trial, errors, windows, share):
    """Fail when an error exceeds its share of that of a constant forecast, the mean of y_train."""
    _, y_train, _, y_test = windows
    allowed = share * np.sqrt(np.mean((y_train.mean() - y_test) ** 2))
    if errors.max() > allowed:
        summary = (
            f"an RMSE is {errors.max():.3f}; at most {allowed:.3f} is allowed ({share:g} of a "
            "constant forecast's)"
        )
        trial.fail(summary, mistake=UNTRAINED)


def named(found, wrong_values, otherwise):
    """Return the mistake whose value was found, or what is true in any case."""
    fits = (mistake for mistake, value in wrong_values.items() if not differs(found, value, 1e-4))
    return next(fits, otherwise)


@check
def fit_forecaster(fit_forecaster):
    # Training months of the lesson alone: its test months must not be used for choosing a model.
    series = load_sunspots().to_numpy()[:2256]
    rest = series[1353:]
    stretches = rest[: len(rest) // 24 * 24].reshape(-1, 24)
    forecasts_better_than_persistence(fit_forecaster, series[:1353], stretches)


def forecasts_better_than_persistence(fit_forecaster, train, stretches):
    """Fit on a series; forecast the second year of stretches (n, 24) of another part of it.

    One call forecasts one month of every stretch, the earliest first, so that no window shows a
    target of its own call or of a later one. Returns the forecaster, the windows of the last call
    and its forecasts for them.
    """
    deadline = Deadline(fit_forecaster, SECONDS)
    fitted = attempt(fit_forecaster, train, seconds=SECONDS)
    if not isinstance(fitted.value, RemoteObject):
        fitted.fail(f"{describe(fitted.value)} came back; expected a function", "", NO_FUNCTION)
    forecaster = fitted.makes
    targets, latest = stretches[:, 12:], stretches[:, 11:-1]
    forecasts = np.empty(targets.shape)
    for month in range(12):
        windows = stretches[:, month : month + 12, None]
        trial = example(forecaster, windows, shapes_only=True, seconds=SECONDS)
        forecasts[:, month] = trial.value
        deadline.require(trial, "fitting and forecasting")
    reached, allowed = (np.sqrt(np.mean((targets - other) ** 2)) for other in (forecasts, latest))
    allowed *= 0.97
    if reached > allowed:
        mistake = None
        if np.min(targets) < 0 <= np.min(forecasts):
            mistake = CUT_OFF_AT_0
        elif np.sqrt(np.mean((targets - latest - forecasts) ** 2)) <= allowed:
            mistake = NOT_ADDED_BACK
        elif np.std(forecasts) < 0.1 * np.std(targets):
            small = np.max(np.abs(forecasts)) < 0.1 * np.max(targets)
            mistake = STILL_SCALED if small else ALWAYS_THE_SAME
            if small and np.ptp(forecasts) > 0:
                # What is left when the best straight line maps the forecasts to the targets.
                correlation = np.corrcoef(forecasts.ravel(), targets.ravel())[0, 1]
                left = np.std(targets) * np.sqrt(1 - correlation**2)
                if left > 1.1 * allowed:
                    mistake = POSSIBLY + LEARNED_NOTHING
        elif not differs(least_squares_apart(train, windows), forecasts[:, -1], 1e-3):
            mistake = WINDOWS_APART
        elif rmse_of_turned(forecaster, stretches) <= allowed:
            mistake = WINDOWS_TURNED
        elif np.max(np.abs(forecasts)) > 10 * np.max(targets):
            mistake = POSSIBLY + RAW_WINDOWS
        elif np.corrcoef(forecasts.ravel(), latest.ravel())[0, 1] > 0.9999:
            mistake = NOT_BETTER
        elif any(
            differs(attempt(forecaster, windows[part]).value, forecasts[part, -1], 1e-3)
            for part in (slice(None, None, -1), slice(3))
        ):
            mistake = OTHER_WINDOWS
        else:
            # Every third month: a series that remembers its past in another way.
            other = attempt(fit_forecaster, train[::3], seconds=SECONDS).makes
            if not differs(attempt(other, windows).value, forecasts[:, -1], 1e-3):
                mistake = UNFITTED
        trial.fail(
            f"the RMSE on unseen windows is {reached:.2f}; at most {allowed:.2f} is allowed (0.97 "
            "of persistence's)",
            mistake=mistake,
        )
    # Few windows alone have another range, which shows who scales by the windows of a call.
    few = attempt(forecaster, windows[:3])
    if wrong := differs(few.value, forecasts[:3, -1], 1e-3):
        summary = "three windows on their own get different forecasts than together with the others"
        few.fail(summary, than_before(wrong), OTHER_WINDOWS)
    return forecaster, windows, forecasts[:, -1]


def require_unchanged(forecaster, windows, forecasts):
    """Fail when a forecaster gives others than these forecasts after another one was fitted."""
    trial = attempt(forecaster, windows)
    if wrong := differs(trial.value, forecasts, 1e-3):
        summary = (
            "after fit_forecaster was called again, the first forecaster gives different forecasts"
        )
        trial.fail(summary, than_before(wrong), FITTED_AGAIN)


def least_squares_apart(train, windows):
    """Return what least squares on windows twelve months apart forecasts for other windows."""
    apart = np.lib.stride_tricks.sliding_window_view(train, 13)[::12]
    known = np.column_stack([apart[:, :12], np.ones(len(apart))])
    coefficients, *_ = np.linalg.lstsq(known, apart[:, 12], rcond=None)
    return windows[:, :, 0] @ coefficients[:12] + coefficients[12]


def rmse_of_turned(forecaster, stretches):
    """Return the RMSE of what a forecaster makes of the windows when they run backwards."""
    turned = (stretches[:, month : month + 12, None][:, ::-1] for month in range(12))
    forecasts = [attempt(forecaster, windows).value for windows in turned]
    return np.sqrt(np.mean((stretches[:, 12:] - np.transpose(forecasts)) ** 2))


# --- what runs where the work lives --------------------------------------------------------------


def softmax_of_rows(x):
    """Return the softmax over the last axis."""
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


DEFAULT_INITIALIZERS = {
    "kernel_initializer": "GlorotUniform",
    "recurrent_initializer": "Orthogonal",
    "bias_initializer": "Zeros",
}
CONSTRAINTS = ("kernel_constraint", "recurrent_constraint", "bias_constraint")


def what_is_trained(model):
    """List the matrices that training changes, how the weights are drawn, and what limits them."""
    matrices = [np.array(weight) for weight in model.trainable_weights if len(weight.shape) == 2]
    found = [f"{m.shape}" if m.any() else f"{m.shape} of zeros" for m in matrices]
    for layer in model.layers:
        for name, default in DEFAULT_INITIALIZERS.items():
            drawn = type(getattr(layer, name, None)).__name__
            if drawn not in (default, "NoneType"):
                found.append(f"another {name}")
        found += [f"a {name}" for name in CONSTRAINTS if getattr(layer, name, None) is not None]
    return found


def parts_of_two(one, other):
    """Say whether two networks have a layer or the optimizer in common."""
    alike = any(layer is another for layer in one.layers for another in other.layers)
    return "in common" if alike or one.optimizer is other.optimizer else "nothing in common"
