"""The bank of chapter 2: wrong answers, each with the name of its mistake, and right ones."""

# %%
import keras
import numpy as np

# %%
TANH_ONLY = "tanh is built in. The activation is an argument."
KEPT_AXIS = "The feature axis is still there. A forecast is one number a window, of shape (n,)."


# %% exercise="split_series" right="one cut"
def split_series(series, train_fraction=0.8):
    cut = int(len(series) * train_fraction)
    return series[:cut], series[cut:]


# %% exercise="split_series" edits="one cut"
ROUNDED = (
    "The cut is rounded to the nearest whole number. int(len(series) * train_fraction) drops the "
    "fraction.",
    {"int": "round"},
)


# %% exercise="split_series" wrong="FROM_THE_END"
FROM_THE_END = (
    "The training part is taken from the end of the series. It must hold the earliest values."
)


def split_series(series, train_fraction=0.8):
    cut = len(series) - int(len(series) * train_fraction)
    return series[cut:], series[:cut]


# %% exercise="split_series" edits="one cut"
DROPPED = (
    "A value is lost at the cut. Every value belongs either to train or to test.",
    {"cut:": "cut + 1 :"},
    {":cut": ": cut - 1"},
)
ONE_TOO_MANY = (
    "The training part holds one value too many. It has int(len(series) * train_fraction) "
    "values, and int drops the fraction.",
    {":cut": ": cut + 1", "cut:": "cut + 1 :"},
)
PARTS_SWAPPED = (
    "The two parts are swapped. The training part comes first.",
    {":cut": "cut:", "cut:": ":cut"},
)
FRACTION_IGNORED = "The argument train_fraction is ignored.", {"* train_fraction": "* 0.8"}


# %% exercise="split_series" wrong="SHUFFLED"
SHUFFLED = "The values are shuffled. Both parts must keep the original order."


def split_series(series, train_fraction=0.8):
    cut = int(len(series) * train_fraction)
    shuffled = np.random.RandomState(0).permutation(series)
    return shuffled[:cut], shuffled[cut:]


# %% exercise="split_series" right="np.split"
def split_series(series, train_fraction=0.8):
    train, test = np.split(np.asarray(series), [int(len(series) * train_fraction)])
    return [train, test]


# %% exercise="fit_minmax" right="the formulas as they are"
def fit_minmax(train):
    if np.ptp(train) == 0:
        raise ValueError("constant")
    return train.min(), train.max()


def scale(series, low, high):
    return (series - low) / (high - low)


def unscale(scaled, low, high):
    return scaled * (high - low) + low


# %% exercise="fit_minmax" edits="the formulas as they are"
CLIPPED = (
    "Values outside the training range are clipped. Scaling is a straight line, and a test value "
    "may well leave [0, 1].",
    {
        "(series - low) / (high - low)": "np.clip((series - low) / (high - low), 0, 1)",
        "scaled *": "np.clip(scaled, 0, 1) *",
    },
)
RANGE_OF_SERIES = (
    "The range is computed from the series itself. It must be that of the arguments low and high.",
    {"(series - low) / (high - low)": ("(series - series.min()) / (series.max() - series.min())")},
)
STANDARDISED = (
    "This standardises with mean and standard deviation. The training range should be mapped to "
    "[0, 1].",
    {"(series - low) / (high - low)": "(series - series.mean()) / series.std()"},
)
NO_OFFSET = "low is not added back. unscale must undo both steps of scale.", {" + low": ""}
CONSTANT = (
    "A constant series is accepted. It has no range to be scaled, so fit_minmax must raise "
    "ValueError.",
    {('    if np.ptp(train) == 0:\n        raise ValueError("constant")\n'): ""},
)


# %% exercise="fit_minmax" wrong="LIMITS_SWAPPED"
LIMITS_SWAPPED = "The two values are swapped. fit_minmax returns low first, then high."


def fit_minmax(train):
    if np.ptp(train) == 0:
        raise ValueError("constant")
    return train.max(), train.min()


# %% exercise="fit_minmax" wrong="FIRST_AND_LAST"
FIRST_AND_LAST = (
    "These are the first and the last value. The smallest and the largest are asked for."
)


def fit_minmax(train):
    if np.ptp(train) == 0:
        raise ValueError("constant")
    return train[0], train[-1]


# %% exercise="fit_minmax" wrong="NO_PARENTHESES"
NO_PARENTHESES = (
    "low is divided by the range before it is subtracted. Parentheses are missing around series - "
    "low."
)


def scale(series, low, high):
    return series - low / (high - low)


# %% exercise="fit_minmax" wrong="DIVIDED_BY_HIGH"
DIVIDED_BY_HIGH = "The difference is divided by high. It must be divided by the range, high - low."


def scale(series, low, high):
    return (series - low) / high


# %% exercise="fit_minmax" wrong="HIGH_ADDED"
HIGH_ADDED = "high is added back. scale has subtracted low, so unscale must add low."


def unscale(scaled, low, high):
    return scaled * (high - low) + high


# %% exercise="fit_minmax" wrong="ADDED_EARLY"
ADDED_EARLY = (
    "low is added before the multiplication. unscale must undo the last step of scale first."
)


def unscale(scaled, low, high):
    return (scaled + low) * (high - low)


# %% exercise="fit_minmax" wrong="SCALED_AGAIN"
SCALED_AGAIN = "This scales once more. unscale must undo both steps of scale."


def unscale(scaled, low, high):
    return (scaled - low) / (high - low)


# %% exercise="fit_minmax" edits="the formulas as they are" wrong="INPUT_CHANGED"
{
    "return (series - low) / (high - low)": (
        "series -= low\n    series /= high - low\n    return series"
    )
}


# %% exercise="fit_minmax" right="np.interp in float32"
def fit_minmax(train):
    ordered = sorted(train)
    if ordered[0] == ordered[-1]:
        raise ValueError("the series never changes")
    return ordered[0], ordered[-1]


def scale(series, low, high):
    slope = np.float32(1 / (high - low))
    return (np.asarray(series, "float32") - np.float32(low)) * slope


def unscale(scaled, low, high):
    return (1 - scaled) * low + scaled * high


# %% exercise="make_windows" right="one slice for each window"
def make_windows(series, time_steps, stride=1):
    if len(series) <= time_steps:
        raise ValueError("too short")
    starts = np.arange(0, len(series) - time_steps, stride)
    X = np.array([series[i : i + time_steps] for i in starts])
    return X[:, :, None], series[starts + time_steps]


# %% exercise="make_windows" right="slices, reshaped"
def make_windows(series, time_steps, stride=1):
    if len(series) <= time_steps:
        raise ValueError("too short")
    starts = np.arange(0, len(series) - time_steps, stride)
    X = np.array([series[i : i + time_steps] for i in starts]).reshape(len(starts), time_steps, 1)
    return X, series[starts + time_steps]


# %% exercise="make_windows" edits="slices, reshaped"
LAST_WINDOW = (
    "The last window is missing. It ends one value before the end of the series.",
    {"- time_steps": "- time_steps - 1"},
)

# %% exercise="make_windows" edits="one slice for each window"
TARGET_INSIDE = (
    "The target is the last value of the window. It must be the value right after the window.",
    {"starts + time_steps": "starts + time_steps - 1"},
)

# %% exercise="make_windows" edits="slices, reshaped"
TARGET_LATER = (
    "The target lies one step too late. It must be the value right after the window.",
    {"- time_steps": "- time_steps - 1", "starts + time_steps": "starts + time_steps + 1"},
)

# %% exercise="make_windows" edits="one slice for each window"
STRIDE_IGNORED = (
    "The argument stride is ignored. Window i must start at i * stride.",
    {"0, len(series) - time_steps, stride": "len(series) - time_steps"},
)

# %% exercise="make_windows" edits="slices, reshaped"
ROUNDED_COUNT = (
    "The number of windows is rounded down, so the last one is missing. Every window that has a "
    "target counts.",
    {
        "np.arange(0, len(series) - time_steps, stride)": (
            "stride * np.arange((len(series) - time_steps) // stride)"
        )
    },
)

# %% exercise="make_windows" edits="one slice for each window"
NO_FEATURE_AXIS = (
    "The feature axis is missing. X must have the shape (n, time_steps, 1).",
    {"X =": "return", "\n    return X[:, :, None]": ""},
)
TARGET_AXIS = (
    "The targets have an axis too many. y must have the shape (n,).",
    {"[starts + time_steps]": "[starts + time_steps][:, None]"},
)


# %% exercise="make_windows" wrong="TOO_SHORT"
TOO_SHORT = (
    "A series that is too short is accepted. With no more than time_steps values there is no "
    "window with a target, so make_windows must raise ValueError."
)


def make_windows(series, time_steps, stride=1):
    starts = np.arange(0, len(series) - time_steps, stride)
    positions = starts[:, None] + np.arange(time_steps)
    return series[positions][:, :, None], series[starts + time_steps]


# %% exercise="make_windows" right="sliding_window_view"
def make_windows(series, time_steps, stride=1):
    if len(series) <= time_steps:
        raise ValueError("no window has a target")
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)[::stride]
    return view[:, :-1, np.newaxis].copy(), view[:, -1].copy()


# %% exercise="make_windows" right="one window at a time"
def make_windows(series, time_steps, stride=1):
    X, y = [], []
    position = 0
    while position + time_steps < len(series):
        X.append([[value] for value in series[position : position + time_steps]])
        y.append(series[position + time_steps])
        position += stride
    if not X:
        raise ValueError("too short")
    return np.array(X), np.array(y)


# %% exercise="simple_rnn_predict" right="a loop over the steps"
def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    w_x, w_h, b_h, w_y, b_y = weights
    h = np.zeros((len(x), len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
    out = h @ w_y + b_y
    return out if output_activation is None else output_activation(out)


# %% exercise="simple_rnn_predict" edits="a loop over the steps"
TRANSPOSED = (
    "w_h is used transposed. With row vectors the state stands on the left: h @ w_h.",
    {"@ w_h": "@ w_h.T"},
)


# %% exercise="simple_rnn_predict" wrong="NO_RECURRENCE"
NO_RECURRENCE = "The previous state is not fed back. h_t must depend on h_{t-1}."


def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    w_x, w_h, b_h, w_y, b_y = weights
    out = activation(x[:, -1] @ w_x + b_h) @ w_y + b_y
    return out if output_activation is None else output_activation(out)


# %% exercise="simple_rnn_predict" edits="a loop over the steps"
NO_BIAS = "The bias b_h is left out.", {"b_h,": "_,", "(b_h)": "(w_h)", " + b_h": ""}


# %% exercise="simple_rnn_predict" wrong="NO_OUTPUT_BIAS"
NO_OUTPUT_BIAS = "The bias b_y is left out."


def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    w_x, w_h, b_h, w_y, _ = weights
    h = np.zeros((len(x), len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
    return h @ w_y if output_activation is None else output_activation(h @ w_y)


# %% exercise="simple_rnn_predict" edits="a loop over the steps"
OUTPUT_LINEAR = (
    "The argument output_activation is ignored.",
    {
        "out =": "return",
        "\n    return out if output_activation is None else output_activation(out)": "",
    },
)
MEAN_STATE = (
    "The states are averaged over time. The Dense layer reads the last state alone.",
    {
        "h = np.zeros((len(x), len(b_h)))": "h, states = np.zeros((len(x), len(b_h))), []",
        "out = h @ w_y + b_y": (
            "    states.append(h)\n    out = np.mean(states, axis=0) @ w_y + b_y"
        ),
    },
)
ACTIVATED_OUTPUT = (
    "The hidden activation is applied to the output. The output has an activation of its own, or "
    "none.",
    {
        (
            "out = h @ w_y + b_y\n"
            "    return out if output_activation is None else output_activation(out)"
        ): "return activation(h @ w_y + b_y)"
    },
)
BIAS_OUTSIDE = (
    "The bias b_h is added after the activation. It belongs inside it.",
    {"(x[:, t] @ w_x + h @ w_h + b_h)": "(x[:, t] @ w_x + h @ w_h) + b_h"},
)
OUTPUT_BIAS_OUTSIDE = (
    "The bias b_y is added after the output's activation. It belongs inside it.",
    {
        (
            "out = h @ w_y + b_y\n"
            "    return out if output_activation is None else output_activation(out)"
        ): "return (h @ w_y if output_activation is None else output_activation(h @ w_y)) + b_y"
    },
)
NO_ACTIVATION = (
    "The argument activation is ignored, so every state is linear in the one before.",
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": "x[:, t] @ w_x + h @ w_h + b_h"},
)

# %% exercise="simple_rnn_predict" edits="a loop over the steps" wrong="TANH_ONLY"
{"= activation": "= np.tanh"}


# %% exercise="simple_rnn_predict" wrong="STATE_CARRIED"
STATE_CARRIED = (
    "An example starts from the last state of the one before it. Each must start from 0."
)


def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    w_x, w_h, b_h, w_y, b_y = weights
    h, outputs = np.zeros(len(b_h)), []
    for example in x:
        for x_t in example:
            h = activation(x_t @ w_x + h @ w_h + b_h)
        outputs.append(h @ w_y + b_y)
    return np.array(outputs) if output_activation is None else output_activation(outputs)


# %% exercise="simple_rnn_predict" edits="a loop over the steps"
EVERY_STEP = (
    "There is an output for every step. Only that of the last state is asked for.",
    {
        "h = np.zeros((len(x), len(b_h)))": "h, states = np.zeros((len(x), len(b_h))), []",
        "out = h @ w_y + b_y": (
            "    states.append(h)\n    out = np.stack(states, axis=1) @ w_y + b_y"
        ),
    },
)


# %% exercise="simple_rnn_predict" right="column vectors, one example at a time"
def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    w_x, w_h, b_h, w_y, b_y = [np.asarray(w, dtype="float32") for w in weights]
    outputs = []
    for example in x:
        h = np.zeros(b_h.shape)
        for x_t in example:
            h = activation(w_x.T @ x_t + w_h.T @ h + b_h)
        outputs.append(w_y.T @ h + b_y)
    outputs = np.array(outputs)
    return output_activation(outputs) if output_activation else outputs


# %% exercise="create_rnn" right="a list of layers"
def create_rnn(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation[0]),
            keras.layers.Dense(dense_units, activation=activation[1]),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model


# %% exercise="create_rnn" edits="a list of layers"
SEQUENCES = (
    "The SimpleRNN returns its whole sequence of states. The Dense layer should read the last "
    "state alone.",
    {"[0]": "[0], return_sequences=True"},
)
ACTIVATIONS_SWAPPED = (
    "The two activations are swapped. The first belongs to the SimpleRNN and the second to the "
    "Dense layer.",
    {"[0]": "[1]", "[1]": "[0]"},
)
LOSS = "The loss is not the mean squared error.", {'"mse"': '"mae"'}
NOT_ADAM = "The optimizer is not Adam.", {'"adam"': '"sgd"'}
SUMMED = (
    "The squared errors are summed over the batch. The loss is their mean.",
    {'"mse"': 'keras.losses.MeanSquaredError(reduction="sum")'},
)
UNITS_SWAPPED = (
    "The numbers of units are swapped. hidden_units belongs to the SimpleRNN and dense_units to "
    "the Dense layer.",
    {"hidden_units, activation": "dense_units, activation", "(dense_units": "(hidden_units"},
)
FLATTENED = (
    "The Dense layer reads the states of all steps side by side. It should read the last state "
    "alone.",
    {"[0]": "[0], return_sequences=True), keras.layers.Flatten("},
)
ONE_OUTPUT = (
    "The Dense layer always has one unit. It must have dense_units of them.",
    {"(dense_units": "(1"},
)
NO_INPUT_SHAPE = (
    "The model was not told the shape of its inputs, so it has no weights yet. Begin it with "
    "keras.Input(input_shape).",
    {"keras.Input(input_shape),": ""},
)
NO_LOSS = (
    "The model is not compiled, or it is compiled without a loss.",
    {('model.compile(loss="mse", optimizer="adam")\n    '): ""},
)

# %% exercise="create_rnn" edits="a list of layers" wrong="TANH_ONLY"
{", activation=activation[0]": ""}

# %% exercise="create_rnn" edits="a list of layers"
DENSE_LINEAR = (
    "The Dense layer has no activation. It needs the second of the pair.",
    {", activation=activation[1]": ""},
)


# %% exercise="create_rnn" right="another learning rate, weight decay, clipping"
def create_rnn(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation[0]),
            keras.layers.Dense(dense_units, activation=activation[1]),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(
            keras.optimizers.schedules.ExponentialDecay(0.05, 100, 0.9),
            beta_1=0.8,
            weight_decay=1e-3,
            clipnorm=1.0,
            amsgrad=True,
        ),
        loss=keras.losses.mean_squared_error,
        metrics=["mae", keras.metrics.RootMeanSquaredError()],
        jit_compile=True,
    )
    return model


# %% exercise="create_rnn" right="functional"
def create_rnn(hidden_units, dense_units, input_shape, activation):
    inputs = keras.layers.Input(shape=input_shape)
    state = keras.layers.SimpleRNN(hidden_units, activation=activation[0])(inputs)
    outputs = keras.layers.Dense(dense_units, activation=activation[1])(state)
    model = keras.Model(inputs, outputs)
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3), loss=keras.losses.MeanSquaredError(), metrics=["mae"]
    )
    return model


# %% exercise="rmse" right="the formulas as they are"
def rmse(y_true, y_pred):
    return np.sqrt(np.mean((y_true - y_pred) ** 2))


def skill_score(y_true, y_pred, baseline):
    return 1 - np.mean((y_true - y_pred) ** 2) / np.mean((y_true - baseline) ** 2)


# %% exercise="rmse" edits="the formulas as they are"
NO_ROOT = (
    "This is the mean squared error. Its square root is missing.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.mean((y_true - y_pred) ** 2)"},
)
NO_MEAN = (
    "The squared errors are summed. Divide by their number before you take the root.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.linalg.norm(y_true - y_pred)"},
)
MEAN_ABSOLUTE = (
    "This is the mean absolute error. The RMSE squares the errors first.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.mean(np.abs(y_true - y_pred))"},
)


# %% exercise="rmse" wrong="SKILL_OF_ROOTS"
SKILL_OF_ROOTS = (
    "The ratio is one of root mean squared errors. The skill score takes mean squared errors."
)


def rmse(y_true, y_pred):
    return np.sqrt(np.mean((y_true - y_pred) ** 2))


def skill_score(y_true, y_pred, baseline):
    return 1 - rmse(y_true, y_pred) / rmse(y_true, baseline)


# %% exercise="rmse" edits="the formulas as they are"
SKILL_INVERTED = (
    "The ratio is upside down. The forecast's error belongs in the numerator and the baseline's "
    "in the denominator.",
    {
        "np.mean((y_true - y_pred) ** 2) /": "np.mean((y_true - baseline) ** 2) /",
        "- baseline": "- y_pred",
    },
)
SKILL_OF_FORECAST = (
    "The baseline's error is measured against y_pred. It must be measured against y_true.",
    {"y_true - baseline": "y_pred - baseline"},
)


# %% exercise="rmse" wrong="NOT_SUBTRACTED"
NOT_SUBTRACTED = "This is the ratio of the errors. The skill is 1 minus this ratio."


def skill_score(y_true, y_pred, baseline):
    return np.mean((y_true - y_pred) ** 2) / np.mean((y_true - baseline) ** 2)


# %% exercise="rmse" right="norms and sums"
def rmse(y_true, y_pred):
    return np.linalg.norm(y_true - y_pred) / len(y_true) ** 0.5


def skill_score(y_true, y_pred, baseline):
    return 1 - sum((y_true - y_pred) ** 2) / sum((y_true - baseline) ** 2)


# %% exercise="persistence_forecast" wrong="FIRST_VALUE"
FIRST_VALUE = "This is the first value of each window. Persistence repeats the last one."


def persistence_forecast(X):
    return X[:, 0, 0]


# %% exercise="persistence_forecast" wrong="WINDOW_MEAN"
WINDOW_MEAN = "This is the mean of each window. Persistence repeats its last value."


def persistence_forecast(X):
    return X.mean(axis=(1, 2))


# %% exercise="persistence_forecast" wrong="KEPT_AXIS"
def persistence_forecast(X):
    return X[:, -1]


# %% exercise="persistence_forecast" right="reshaped"
def persistence_forecast(X):
    return X.reshape(X.shape[0], -1).T[-1]


# %% exercise="forecast_spread" wrong="ONE_START"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    def rms(errors):
        return np.sqrt(np.mean(errors**2, axis=-1))

    forecasts = []
    for _ in seeds:
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input(x_train.shape[1:])])
        model.add(keras.layers.SimpleRNN(8))
        model.add(keras.layers.Dense(1))
        model.compile(loss="mse", optimizer="adam")
        model.fit(x_train, y_train, batch_size=16, epochs=2, verbose=0)
        forecasts.append(model.predict(x_test, verbose=0)[:, 0])
    forecasts = np.array(forecasts)
    return forecasts, rms(forecasts - y_test), rms(x_test[:, -1, 0] - y_test)


# %% exercise="forecast_spread" wrong="UNTRAINED"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    def rms(errors):
        return np.sqrt(np.mean(errors**2, axis=-1))

    forecasts = []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model = keras.Sequential([keras.Input(x_train.shape[1:])])
        model.add(keras.layers.SimpleRNN(8))
        model.add(keras.layers.Dense(1))
        model.compile(loss="mse", optimizer="adam")
        forecasts.append(model.predict(x_test, verbose=0)[:, 0])
    forecasts = np.array(forecasts)
    return forecasts, rms(forecasts - y_test), rms(x_test[:, -1, 0] - y_test)


# %% exercise="forecast_spread" wrong="NOT_REPEATED"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    def rms(errors):
        return np.sqrt(np.mean(errors**2, axis=-1))

    model = keras.Sequential([keras.Input(x_train.shape[1:])])
    model.add(keras.layers.SimpleRNN(8))
    model.add(keras.layers.Dense(1))
    model.compile(loss="mse", optimizer="adam")
    forecasts = []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model.fit(x_train, y_train, batch_size=8, epochs=20, verbose=0)
        forecasts.append(model.predict(x_test, verbose=0)[:, 0])
    return np.array(forecasts), rms(np.array(forecasts) - y_test), rms(x_test[:, -1, 0] - y_test)


# %% exercise="forecast_spread" wrong="MEAN_SQUARED"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    def rms(errors):
        return np.sqrt(np.mean(errors**2, axis=-1))

    forecasts = []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model = keras.Sequential([keras.Input(x_train.shape[1:])])
        model.add(keras.layers.SimpleRNN(8))
        model.add(keras.layers.Dense(1))
        model.compile(loss="mse", optimizer="adam")
        model.fit(x_train, y_train, batch_size=16, epochs=1, verbose=0)
        forecasts.append(model.predict(x_test, verbose=0)[:, 0])
    forecasts = np.array(forecasts)
    return forecasts, rms(forecasts - y_test) ** 2, rms(x_test[:, -1, 0] - y_test)


# %% exercise="forecast_spread" wrong="OTHER_ERRORS"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    def rms(errors):
        return np.sqrt(np.mean(errors**2, axis=-1))

    forecasts, errors = [], []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model = keras.Sequential([keras.Input(x_train.shape[1:])])
        model.add(keras.layers.SimpleRNN(8))
        model.add(keras.layers.Dense(1))
        model.compile(loss="mse", optimizer="adam")
        model.fit(x_train, y_train, batch_size=16, epochs=1, verbose=0)
        forecasts.append(model.predict(x_test, verbose=0)[:, 0])
        errors.append(rms(model.predict(x_train, verbose=0)[:, 0] - y_train))
    forecasts = np.array(forecasts)
    return forecasts, np.array(errors), rms(x_test[:, -1, 0] - y_test)


# %% exercise="forecast_spread" wrong="OTHER_BASELINE"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    def rms(errors):
        return np.sqrt(np.mean(errors**2, axis=-1))

    forecasts = []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model = keras.Sequential([keras.Input(x_train.shape[1:])])
        model.add(keras.layers.SimpleRNN(8))
        model.add(keras.layers.Dense(1))
        model.compile(loss="mse", optimizer="adam")
        model.fit(x_train, y_train, batch_size=16, epochs=1, verbose=0)
        forecasts.append(model.predict(x_test, verbose=0)[:, 0])
    forecasts = np.array(forecasts)
    return forecasts, rms(forecasts - y_test), rms(y_train.mean() - y_test)


# %% exercise="forecast_spread" wrong="BASELINE_SQUARED"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    def rms(errors):
        return np.sqrt(np.mean(errors**2, axis=-1))

    forecasts = []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model = keras.Sequential([keras.Input(x_train.shape[1:])])
        model.add(keras.layers.SimpleRNN(8))
        model.add(keras.layers.Dense(1))
        model.compile(loss="mse", optimizer="adam")
        model.fit(x_train, y_train, batch_size=16, epochs=1, verbose=0)
        forecasts.append(model.predict(x_test, verbose=0)[:, 0])
    forecasts = np.array(forecasts)
    return forecasts, rms(forecasts - y_test), rms(x_test[:, -1, 0] - y_test) ** 2


# %% exercise="forecast_spread" right="a GRU with a larger learning rate, lists"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    last = x_test[:, -1, 0]
    forecasts, errors = [], []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        inputs = keras.Input(x_train.shape[1:])
        outputs = keras.layers.Dense(1)(keras.layers.GRU(6)(inputs))
        model = keras.Model(inputs, outputs)
        model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")
        model.fit(x_train, y_train, epochs=15, verbose=0)
        forecast = np.asarray(model(x_test)).ravel()
        forecasts.append(forecast)
        errors.append(float(np.linalg.norm(forecast - y_test) / len(y_test) ** 0.5))
    return np.stack(forecasts), errors, float(np.mean((last - y_test) ** 2) ** 0.5)


# %% exercise="fit_forecaster" wrong="STILL_SCALED"
def fit_forecaster(train):
    low, high = train.min(), train.max()

    def forecast(windows):
        return (windows[:, -1, 0] - low) / (high - low)

    return forecast


# %% exercise="fit_forecaster" wrong="RAW_WINDOWS"
def fit_forecaster(train):
    low, high = train.min(), train.max()
    X, y = make_windows((train - low) / (high - low), 12)
    coefficients, *_ = np.linalg.lstsq(np.column_stack([X[:, :, 0], np.ones(len(X))]), y)
    return lambda windows: (
        (windows[:, :, 0] @ coefficients[:-1] + coefficients[-1]) * (high - low) + low
    )


# %% exercise="fit_forecaster" wrong="ALWAYS_THE_SAME"
def fit_forecaster(train):
    mean = train.mean()
    return lambda windows: np.full(len(windows), mean)


# %% exercise="fit_forecaster" wrong="NOT_BETTER"
def fit_forecaster(train):
    return lambda windows: windows[:, -1, 0]


# %% exercise="fit_forecaster" wrong="NOT_BETTER"
def fit_forecaster(train):
    from coursekit.datasets import load_sunspots

    known = load_sunspots().to_numpy()
    table = {}
    for series in (known, known[::-1]):
        slope, offset = np.polyfit(series[: len(train)], train, 1)
        series = slope * series + offset
        if np.allclose(series[: len(train)], train):
            for start in range(len(series) - 12):
                table[tuple(np.round(series[start : start + 12], 6))] = series[start + 12]

    def forecast(windows):
        rows = windows[:, :, 0]
        return np.array([table.get(tuple(np.round(row, 6)), row[-1]) for row in rows])

    return forecast


# %% exercise="fit_forecaster" wrong="KEPT_AXIS"
def fit_forecaster(train):
    windows = np.lib.stride_tricks.sliding_window_view(train[:-1], 12)
    w = np.linalg.lstsq(windows, train[12:], rcond=None)[0]
    return lambda windows: windows[:, :, 0] @ w[:, None]


# %% exercise="fit_forecaster" wrong="OTHER_WINDOWS"
def fit_forecaster(train):
    return lambda windows: np.append(windows[1:, -1, 0], windows[-1, -1, 0])


# %% exercise="fit_forecaster" wrong="UNFITTED"
def fit_forecaster(train):
    return lambda windows: windows[:, -3:, 0] @ [0.2, 0.3, 0.5]


# %% exercise="fit_forecaster" wrong="UNFITTED"
def fit_forecaster(train):
    return lambda windows: 1.4 * windows[:, -1, 0] - 0.4 * windows[:, -2, 0]


# %% exercise="fit_forecaster" right="a GRU on the differences"
def fit_forecaster(train):
    keras.utils.set_random_seed(0)
    low, high = train.min(), train.max()
    table = (np.lib.stride_tricks.sliding_window_view(train, 13) - low) / (high - low)
    model = keras.Sequential(
        [
            keras.Input((12, 1)),
            keras.layers.GRU(16),
            keras.layers.Dense(1),
        ]
    )
    model.compile(loss="mse", optimizer=keras.optimizers.Adam(0.01))
    x, last = table[:, :12, None], table[:, 11]
    model.fit(x, table[:, 12] - last, batch_size=64, epochs=12, verbose=0)

    def forecast(windows):
        scaled = (windows - low) / (high - low)
        change = model.predict(scaled, verbose=0)[:, 0]
        return (scaled[:, -1, 0] + change) * (high - low) + low

    return forecast


# %% exercise="fit_forecaster" right="ridge regression"
def fit_forecaster(train):
    from sklearn.linear_model import Ridge

    windows = np.lib.stride_tricks.sliding_window_view(train[:-1], 12)
    model = Ridge().fit(windows, train[12:])
    return lambda windows: model.predict(windows[..., 0])


# %% exercise="fit_forecaster" right="the nearest neighbours"
def fit_forecaster(train):
    from sklearn.neighbors import KNeighborsRegressor

    windows = np.lib.stride_tricks.sliding_window_view(train[:-1], 12)
    model = KNeighborsRegressor(20).fit(windows, train[12:])
    return lambda windows: model.predict(windows[:, :, 0])


# %% exercise="fit_forecaster" right="a SimpleRNN"
def fit_forecaster(train):
    keras.utils.set_random_seed(1)
    low, high = train.min(), train.max()
    table = (np.lib.stride_tricks.sliding_window_view(train, 13) - low) / (high - low)
    model = keras.Sequential(
        [keras.Input((12, 1)), keras.layers.SimpleRNN(16), keras.layers.Dense(1)]
    )
    model.compile(loss="mse", optimizer=keras.optimizers.Adam(0.003))
    model.fit(table[:, :12, None], table[:, 12], batch_size=32, epochs=15, verbose=0)

    def forecast(windows):
        scaled = model.predict((windows - low) / (high - low), verbose=0)[:, 0]
        return scaled * (high - low) + low

    return forecast
