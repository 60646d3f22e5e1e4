"""The bank of chapter 2: wrong answers, each with the name of its mistake, and right ones."""

# %%
import keras
import numpy as np

# %%
TANH_ONLY = "tanh is built in. The activation is an argument."
KEPT_AXIS = "An axis of length 1 is still there. A forecast is one number a window, of shape (n,)."


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
OTHER_DEFAULT = "train_fraction has another default. It must be 0.8.", {"0.8": "0.75"}


# %% exercise="split_series" wrong="SHUFFLED"
def split_series(series, train_fraction=0.8):
    cut = int(len(series) * train_fraction)
    shuffled = np.random.permutation(series)  # noqa: NPY002  as students write it
    return shuffled[:cut], shuffled[cut:]


# %% exercise="split_series" right="np.split"
def split_series(series, train_fraction=0.8):
    train, test = np.split(np.asarray(series), [int(len(series) * train_fraction)])
    return [train, test]


# %% exercise="split_series" right="two slices"
def split_series(series, train_fraction=0.8):
    cut = int(len(series) * train_fraction)
    return series[:cut], series[cut:]


# %% exercise="split_series" edits="two slices"
OVERLAP = (
    "One value is in both parts. Every value belongs either to train or to test.",
    {"series[cut:]": "series[cut - 1 :]"},
    {"series[:cut]": "series[: cut + 1]"},
)
FRACTION_OF_TEST = (
    "train_fraction is used as the share of the test part. It is the share of the training part.",
    {"* train_fraction": "* (1 - train_fraction)"},
    {"series[:cut], series[cut:]": "series[:-cut], series[-cut:]"},
)
SORTED = (
    "The values are sorted. Both parts must keep the original order.",
    {"    cut": "    series = np.sort(series)\n    cut"},
)
TURNED = (
    "The series runs backwards. Both parts must keep the original order.",
    {"    cut": "    series = series[::-1]\n    cut"},
)
ONLY_TRAIN = (
    "Only the training part comes back. split_series returns two parts, train and test.",
    {", series[cut:]": ""},
)
AXIS_ADDED = (
    "The parts have an axis too many. They are series of shape (n,), as the whole is.",
    {"series[:cut], series[cut:]": "series[:cut, None], series[cut:, None]"},
)
TEST_IS_WHOLE = (
    "The test part is the whole series, the training part included. It holds what comes after the "
    "cut.",
    {"series[cut:]": "series"},
)
TRAIN_IS_WHOLE = (
    "The training part is the whole series, the test part included. It ends at the cut.",
    {"series[:cut]": "series"},
)
COUNTED_FROM_END = (
    "The test part is counted from the end and has as many values as the training part. It holds "
    "everything after the cut.",
    {"series[cut:]": "series[-cut:]"},
)
NOT_A_POSITION = (
    "The cut is not a whole number, so it cannot be a position in the series. Wrap the product in "
    "int.",
    {"int(len(series) * train_fraction)": "len(series) * train_fraction"},
)
POSITIONS_RETURNED = (
    "The positions of the values come back. The values themselves are asked for.",
    {"series[:cut], series[cut:]": "np.arange(cut), np.arange(cut, len(series))"},
)
ALSO_SCALED = (
    "The values are scaled as well. split_series only cuts the series in two.",
    {"    cut": "    series = (series - series.min()) / np.ptp(series)\n    cut"},
    {"    cut": "    series = (series - series.mean()) / series.std()\n    cut"},
)
EVERY_OTHER = (
    "The two parts alternate. The training part holds the earliest values and the test part the "
    "rest.",
    {"series[:cut], series[cut:]": "series[::2], series[1::2]"},
)


# %% exercise="split_series" edits="one cut"
FRACTION_IN_TENTHS = (
    "The fraction is rounded down to tenths before it is used, so 0.75 counts as 0.7.",
    {"len(series) * train_fraction)": "len(series) * int(10 * train_fraction) / 10)"},
)


# %% exercise="split_series" edits="one cut"
TRAIN_NOT_EMPTY = (
    "The training part gets at least one value. It has exactly int(n · train_fraction) of them.",
    {"cut = int(len(series) * train_fraction)": "cut = max(1, int(len(series) * train_fraction))"},
)
WHOLE_PERCENT = (
    "The fraction is rounded down to whole percents before it is used.",
    {"len(series) * train_fraction)": "len(series) * int(100 * train_fraction) / 100)"},
)


# %% exercise="split_series" edits="one cut"
DRAWN_AT_RANDOM = (
    "The training part is drawn at random from the whole series. It is the beginning, and the test "
    "part is what comes after it.",
    {
        "    return series[:cut], series[cut:]": "    order = np.random.default_rng(0).permutation("
        "len(series))\n    return series[np.sort(order[:cut])], series[np.sort(order[cut:])]"
    },
)


# %% exercise="split_series" edits="one cut" wrong="DEFAULT_FRACTION"
{"train_fraction=0.8": "train_fraction=0.5"}


# %% exercise="split_series" edits="one cut"
DEFAULT_FRACTION = (
    "The default of train_fraction is wrong. It must be 0.8.",
    {"train_fraction=0.8": "train_fraction=0.7"},
    {"train_fraction=0.8": "train_fraction=0.5"},
)
OF_ONE_LESS = (
    "The fraction is taken of one value less than there are. Take it of len(series).",
    {"len(series) * train_fraction": "(len(series) - 1) * train_fraction"},
)


# %% exercise="split_series" edits="two slices" wrong="ALSO_SCALED"
{
    "return series[:cut], series[cut:]": (
        "low, high = series[:cut].min(), series[:cut].max()\n"
        "    series = (series - low) / (high - low)\n"
        "    return series[:cut], series[cut:]"
    )
}


# %% exercise="split_series" edits="two slices"
EVERY_FEW = (
    "The test part takes every few values of the whole series. It is one piece, everything that "
    "comes after the training part.",
    {
        "return series[:cut], series[cut:]": (
            "every = round(1 / (1 - train_fraction))\n"
            "    test = np.arange(len(series)) % every == every - 1\n"
            "    return series[~test], series[test]"
        )
    },
)


# %% exercise="split_series" wrong="TEST_SPREAD"
TEST_SPREAD = (
    "The test values are taken from all over the series. The training part is the beginning of "
    "the series, and the test part is all that comes after it."
)


def split_series(series, train_fraction=0.8):
    series = np.asarray(series)
    n = len(series)
    n_test = n - int(n * train_fraction)
    index = np.linspace(0, n - 1, n_test).astype(int)
    mask = np.zeros(n, dtype=bool)
    mask[index] = True
    return series[~mask], series[mask]


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
    {'raise ValueError("constant")': "return 0.0, 1.0"},
    {'raise ValueError("constant")': "return train[0], train[0] + 1"},
    {'raise ValueError("constant")': "return None"},
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


# %% exercise="fit_minmax" right="one line each"
def fit_minmax(train):
    low, high = np.min(train), np.max(train)
    if low == high:
        raise ValueError("a constant series")
    return low, high


def scale(series, low, high):
    return (series - low) / (high - low)


def unscale(scaled, low, high):
    return low + scaled * (high - low)


# %% exercise="fit_minmax" edits="one line each"
CUT_TO_WHOLE = (
    "The limits are cut to whole numbers. They must be the smallest and the largest value as they "
    "stand.",
    {"np.min(train), np.max(train)": "int(np.min(train)), int(np.max(train))"},
)
RANGE_RETURNED = (
    "The second value is the range. It must be the largest value.",
    {"return low, high\n": "return low, high - low\n"},
)
FROM_ZERO = (
    "low is set to 0. It must be the smallest value of train.",
    {"np.min(train)": "0.0"},
)
TO_MINUS_ONE = (
    "The values are mapped to [-1, 1]. low must become 0 and high must become 1.",
    {"return (series - low) / (high - low)": "return 2 * (series - low) / (high - low) - 1"},
)
UPSIDE_DOWN = (
    "The scale is upside down, so low becomes 1 and high becomes 0. Subtract low from the series.",
    {"(series - low)": "(high - series)"},
)
HIGH_SUBTRACTED = (
    "high is subtracted from the series. Subtract low, so that low becomes 0.",
    {"(series - low)": "(series - high)"},
)
LOW_NOT_SUBTRACTED = (
    "low is not subtracted from the series, so low does not become 0.",
    {"(series - low) / (high - low)": "series / (high - low)"},
)
ONLY_DIVIDED = (
    "The series is only divided by high. Subtract low and divide by the range, high - low.",
    {"(series - low) / (high - low)": "series / high"},
)
LOW_ADDED = (
    "low is added to the series. It must be subtracted.",
    {"(series - low)": "(series + low)"},
)
SIGN_TURNED = (
    "The sign is turned round, so larger values become smaller. Subtract low from the series and "
    "divide by high - low.",
    {"(series - low)": "(low - series)"},
    {"/ (high - low)": "/ (low - high)"},
)
SCALED_ROUNDED = (
    "The scaled values are rounded. Scaling must lose nothing.",
    {"return (series - low) / (high - low)": "return np.round((series - low) / (high - low), 2)"},
)
DECIMALS_DROPPED = (
    "The decimals are dropped, by // or int. Scaling must lose nothing.",
    {"/ (high - low)": "// (high - low)"},
    {
        "return (series - low) / (high - low)": (
            "return ((series - low) / (high - low)).astype(int)"
        )
    },
)
TIMES_HIGH = (
    "The scaled values are multiplied by high. Multiply them by the range, in parentheses: "
    "(high - low).",
    {"scaled * (high - low)": "scaled * high"},
    {"low + scaled * (high - low)": "scaled * high"},
)
LOW_SUBTRACTED_AGAIN = (
    "low is subtracted. scale has subtracted it, so unscale must add it.",
    {"low + scaled": "-low + scaled"},
)
DIVIDED_AGAIN = (
    "The scaled values are divided by the range. scale divided by it, so unscale must multiply.",
    {"scaled * (high - low)": "scaled / (high - low)"},
)
NOT_UNSCALED = (
    "The scaled values come back unchanged. unscale must undo both steps of scale.",
    {"low + scaled * (high - low)": "scaled"},
)
OTHER_ERROR = (
    "A constant series raises an error of another kind. It must be a ValueError.",
    {'if low == high:\n        raise ValueError("a constant series")': "assert low != high"},
    {"raise ValueError(": "raise TypeError("},
    {"raise ValueError(": "raise AssertionError("},
)
REPEATED_REFUSED = (
    "A series in which a value occurs twice is refused. Only a constant series must be.",
    {"low == high": "len(set(train)) < len(train)"},
)
NARROW_REFUSED = (
    "A series with a small range is refused. Only a constant series must be.",
    {"low == high": "np.isclose(low, high)"},
)
MEAN_AND_SPREAD = (
    "These are the mean and the standard deviation. The smallest and the largest value are asked "
    "for.",
    {"np.min(train), np.max(train)": "np.mean(train), np.std(train)"},
)
PERCENTILES = (
    "These are percentiles. The smallest and the largest value are asked for.",
    {"np.min(train), np.max(train)": "np.percentile(train, 5), np.percentile(train, 95)"},
    {"np.min(train), np.max(train)": "np.percentile(train, 1), np.percentile(train, 99)"},
    {"np.min(train), np.max(train)": "np.percentile(train, 25), np.percentile(train, 75)"},
)
POSITIONS_RETURNED = (
    "These are the positions of the smallest and the largest value. The values themselves are "
    "asked for.",
    {"np.min(train), np.max(train)": "np.argmin(train), np.argmax(train)"},
)
ERROR_RETURNED = (
    "The error is returned as if it were a result. A constant series must raise it: raise "
    "ValueError(...).",
    {'raise ValueError("a constant series")': 'return ValueError("a constant series")'},
)
ENDS_COMPARED = (
    "A series that ends on the value it began with is taken for constant. Compare the smallest "
    "value with the largest.",
    {"low == high": "train[0] == train[-1]"},
)
LOW_TWICE = (
    "The difference is divided by high, and low is subtracted from the result. Parentheses are "
    "missing around high - low.",
    {"/ (high - low)": "/ high - low"},
)
RANGE_ADDED_UP = (
    "The difference is divided by high + low. The range is high - low.",
    {"/ (high - low)": "/ (high + low)"},
)
RANGE_MULTIPLIED = (
    "The difference is multiplied by the range. It must be divided by it.",
    {"(series - low) / (high - low)": "(series - low) * (high - low)"},
)
NOT_DIVIDED = (
    "The difference is not divided by the range, so high does not become 1.",
    {"(series - low) / (high - low)": "series - low"},
)
CENTRED = (
    "The middle of the range becomes 0. low must become 0 and high must become 1.",
    {"(series - low) / (high - low)": "(series - (low + high) / 2) / (high - low)"},
)
DIVIDED_BY_LARGEST = (
    "The series is divided by its own largest value. Subtract low and divide by the range, "
    "high - low.",
    {"(series - low) / (high - low)": "series / series.max()"},
)
AS_COLUMN = (
    "The values stand in a column. The result must have the shape of the series.",
    {
        "return (series - low) / (high - low)": (
            "return ((series - low) / (high - low)).reshape(-1, 1)"
        )
    },
)
UNSCALED_BY_SUM = (
    "The scaled values are multiplied by high + low. The range is high - low.",
    {"scaled * (high - low)": "scaled * (high + low)"},
)
UNSCALED_UPSIDE_DOWN = (
    "The scaled values are taken from high downwards, so 0 becomes high. 0 must become low.",
    {"low + scaled * (high - low)": "high - scaled * (high - low)"},
)
UNSCALED_CLIPPED = (
    "Values outside the range from low to high are clipped. unscale is a straight line, and a "
    "forecast may well leave that range.",
    {
        "return low + scaled * (high - low)": (
            "return np.clip(low + scaled * (high - low), low, high)"
        )
    },
)
ONLY_ADDED = (
    "low is added, but the values are not multiplied by the range. unscale must undo both steps of "
    "scale.",
    {"low + scaled * (high - low)": "low + scaled"},
)
OWN_RANGE = (
    "The scaled values are stretched to the whole range, whatever they are. Only 0 becomes low and "
    "only 1 becomes high.",
    {
        "low + scaled * (high - low)": (
            "low + (scaled - scaled.min()) / np.ptp(scaled) * (high - low)"
        )
    },
)


# %% exercise="fit_minmax" edits="one line each" wrong="TIMES_HIGH"
{"scaled * (high - low)": "scaled * high - low"}


# %% exercise="fit_minmax" edits="one line each"
NEARLY_CONSTANT = (
    "A series whose values lie close together is taken for a constant one. Only equal values make "
    "it constant.",
    {"if low == high": "if np.allclose(low, high)"},
)
ONE_AXIS = (
    "scale and unscale work on a series of one axis alone. They must take an array of any shape.",
    {
        "(series - low) / (high - low)": (
            "np.array([(float(value) - low) / (high - low) for value in series])"
        ),
        "low + scaled * (high - low)": (
            "np.array([low + float(value) * (high - low) for value in scaled])"
        ),
    },
)
WHOLE_NUMBERS = (
    "The result has the dtype of the input, so whole numbers are scaled to 0 and 1. Whole numbers "
    "must become fractions, too.",
    {
        "return (series - low) / (high - low)": (
            "return ((series - low) / (high - low)).astype(np.asarray(series).dtype)"
        )
    },
)


# %% exercise="fit_minmax" edits="the formulas as they are"
BY_THE_SPREAD = (
    "A constant series is recognised by a standard deviation of 0, but rounding errors often make "
    "it slightly larger. Compare the smallest value with the largest one.",
    {"np.ptp(train) == 0": "np.std(train) == 0"},
)


# %% exercise="fit_minmax" edits="one line each"
UNSCALED_AT_LEAST_0 = (
    "Results of unscale are cut off at 0. The numbers of a series may be negative.",
    {"return low + scaled * (high - low)": "return np.maximum(low + scaled * (high - low), 0)"},
)


# %% exercise="fit_minmax" edits="the formulas as they are"
LARGEST_ABSOLUTE = (
    "The signs of the values are ignored. A series may be negative, and high is its largest value "
    "as it stands.",
    {"train.max()": "np.abs(train).max()"},
    {"train.min(), train.max()": "np.abs(train).min(), np.abs(train).max()"},
)


# %% exercise="fit_minmax" edits="one line each"
RANGE_CHANGED = (
    "A small number is added to the range, so high is not mapped to 1. A constant series has been "
    "refused, so the range is never 0.",
    {"return (series - low) / (high - low)": "return (series - low) / (high - low + 1e-3)"},
    {"return (series - low) / (high - low)": "return (series - low) / (high - low + 1e-8)"},
)


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


# %% exercise="make_windows" edits="one slice for each window" wrong="TOO_SHORT"
{'raise ValueError("too short")': "return None"}


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


# %% exercise="make_windows" right="starts and offsets"
def make_windows(series, time_steps, stride=1):
    if len(series) <= time_steps:
        raise ValueError("the series is too short")
    starts = np.arange(0, len(series) - time_steps, stride)
    windows = series[starts[:, None] + np.arange(time_steps)]
    targets = series[starts + time_steps]
    return windows[:, :, None], targets


# %% exercise="make_windows" edits="starts and offsets"
EVERY_TARGET = (
    "There is a target for every month, whatever the stride. There must be one for each window.",
    {"series[starts + time_steps]": "series[time_steps:]"},
)
TARGETS_APART = (
    "The targets are a whole window apart. Target i is the value right after window i.",
    {"series[starts + time_steps]": "series[time_steps::time_steps]"},
)
BEYOND_THE_END = (
    "The last window has no target, because it ends with the series. The last start is "
    "len(series) - time_steps - 1.",
    {"len(series) - time_steps, stride": "len(series) - time_steps + 1, stride"},
)
RESULTS_EXCHANGED = (
    "The two results are swapped. make_windows returns X first, then y.",
    {"return windows[:, :, None], targets": "return targets, windows[:, :, None]"},
)
AXES_EXCHANGED = (
    "The last two axes are swapped. X must have the shape (n, time_steps, 1).",
    {"windows[:, :, None]": "windows[:, None, :]"},
)
WINDOWS_BACKWARDS = (
    "Every window runs backwards. Its values must stay in the order of time.",
    {"windows[:, :, None]": "windows[:, ::-1, None]"},
)
TARGET_IN_WINDOW = (
    "Every window has time_steps + 1 values. The target is not part of its window.",
    {"np.arange(time_steps)": "np.arange(time_steps + 1)"},
)
WINDOW_SHORT = (
    "Every window has time_steps - 1 values. It must have time_steps of them.",
    {"np.arange(time_steps)": "np.arange(time_steps - 1)"},
)
ALWAYS_APART = (
    "The windows never overlap, whatever the stride. Window i must start at i * stride.",
    {", stride)": ", time_steps)"},
)
FIRST_WINDOW = (
    "The first window is missing. It starts at position 0.",
    {"np.arange(0,": "np.arange(1,"},
    {"np.arange(0,": "np.arange(stride,"},
)
SEQUENCE_OF_TARGETS = (
    "There is a target for every value of a window. y holds one number for each window.",
    {"series[starts + time_steps]": "series[starts[:, None] + np.arange(1, time_steps + 1)]"},
)
TARGET_FIRST = (
    "The target is the first value of the window. It must be the value right after the window.",
    {"series[starts + time_steps]": "series[starts]"},
)
STRIDE_INSIDE = (
    "The stride is applied inside the windows. It is the distance between the starts of two "
    "windows; the values of a window are neighbours.",
    {
        "np.arange(time_steps)": "stride * np.arange(time_steps)",
        "len(series) - time_steps, stride)": "len(series) - time_steps * stride)",
        "series[starts + time_steps]": "series[starts + time_steps * stride]",
    },
)
WINDOWS_SHUFFLED = (
    "The windows are shuffled. Window i must start at i * stride.",
    {"    windows =": "    starts = np.random.default_rng(0).permutation(starts)\n    windows ="},
)
VALUES_CUT = (
    "The values are cut to whole numbers. They must stay as they are.",
    {"    starts =": "    series = series.astype(int)\n    starts ="},
)
TARGETS_BY_ONE = (
    "The targets are one month apart, whatever the stride. Target i is the value right after "
    "window i.",
    {"series[starts + time_steps]": "series[time_steps : time_steps + len(starts)]"},
)
WINDOWS_BY_ONE = (
    "The windows start one month apart, whatever the stride, and only the targets follow it. "
    "Window i must start at i * stride.",
    {
        "series[starts[:, None] + np.arange(time_steps)]": (
            "series[np.arange(len(starts))[:, None] + np.arange(time_steps)]"
        )
    },
)
STRIDE_TWICE = (
    "The stride is applied twice, so windows are left out. Window i must start at i * stride.",
    {
        "series[starts[:, None] + np.arange(time_steps)]": (
            "series[starts[:, None] + np.arange(time_steps)][::stride]"
        ),
        "series[starts + time_steps]": "series[starts + time_steps][::stride]",
    },
)
TARGET_SECOND = (
    "The target is the second value of the window. It must be the value right after the window.",
    {"series[starts + time_steps]": "series[starts + 1]"},
)
CHANGES = (
    "The targets are changes from the last value of the window. They must be the values "
    "themselves.",
    {
        "series[starts + time_steps]": (
            "series[starts + time_steps] - series[starts + time_steps - 1]"
        )
    },
)
WINDOW_MEANS = (
    "The targets are the means of the windows. A target is the value right after its window.",
    {"series[starts + time_steps]": "windows.mean(axis=1)"},
)
ONLY_WINDOWS = (
    "Only the windows come back. make_windows returns two arrays, X and y.",
    {"return windows[:, :, None], targets": "return windows[:, :, None]"},
)
IN_PAIRS = (
    "The result is a list of pairs. make_windows returns two arrays, X with all windows and y with "
    "all targets.",
    {
        "return windows[:, :, None], targets": (
            "return list(zip(windows[:, :, None], targets, strict=True))"
        )
    },
)
STEPS_FIRST = (
    "The first two axes of X are swapped. Its shape must be (n, time_steps, 1).",
    {"windows[:, :, None]": "windows.T[:, :, None]"},
)
AXIS_IN_FRONT = (
    "The new axis stands in front. It belongs at the end, so that X has the shape "
    "(n, time_steps, 1).",
    {"windows[:, :, None]": "windows[None]"},
)
ALSO_SCALED = (
    "The values are scaled as well. make_windows only cuts the series into windows.",
    {"    starts =": "    series = (series - series.min()) / np.ptp(series)\n    starts ="},
)
OTHER_ERROR = (
    "A series that is too short raises an error of another kind. It must be a ValueError.",
    {"raise ValueError(": "raise IndexError("},
    {"raise ValueError(": "raise TypeError("},
    {
        'if len(series) <= time_steps:\n        raise ValueError("the series is too short")': (
            "assert len(series) > time_steps"
        )
    },
)


# %% exercise="make_windows" edits="one window at a time"
TARGET_A_STRIDE_AHEAD = (
    "The target lies stride values behind the window. It is the value right after it.",
    {
        "while position + time_steps <": "while position + time_steps + stride - 1 <",
        "y.append(series[position + time_steps])": (
            "y.append(series[position + time_steps + stride - 1])"
        ),
    },
)


# %% exercise="make_windows" edits="starts and offsets"
STRIDE_OF_TIME_STEPS = (
    "Every stride but 1 counts as time_steps, so the windows do not overlap. A window must begin "
    "every stride values.",
    {"time_steps, stride)": "time_steps, 1 if stride == 1 else time_steps)"},
)
FIRST_BATCH = (
    "At most 128 windows come back, the first batch of a data set. Return all of them.",
    {"time_steps, stride)": "time_steps, stride)[:128]"},
)


# %% exercise="make_windows" edits="starts and offsets"
ONE_WINDOW_SQUEEZED = (
    "A single window loses its axis. X has the shape (windows, time_steps, 1).",
    {
        "return windows[:, :, None], targets": (
            "return np.squeeze(windows)[..., None], np.squeeze(targets)"
        ),
    },
    {"return windows[:, :, None], targets": "return np.squeeze(windows)[..., None], targets"},
)
STRIDE_CAPPED = (
    "A stride larger than time_steps counts as time_steps. Values between two "
    "windows are left out then.",
    {"time_steps, stride)": "time_steps, min(stride, time_steps))"},
)


# %% exercise="make_windows" edits="slices, reshaped"
RESHAPED_COLUMNS = (
    "The table has one column for each window and is reshaped, which mixes the windows. Transpose "
    "it, or build one row for each window.",
    {"for i in starts]).reshape": "for i in starts]).T.reshape"},
)


# %% exercise="make_windows" edits="one slice for each window" wrong="STRIDE_INSIDE"
{
    "starts = np.arange(0, len(series) - time_steps, stride)": (
        "starts = np.arange(0, len(series) - time_steps * stride)"
    ),
    "series[i : i + time_steps]": "series[i : i + time_steps * stride : stride]",
    "series[starts + time_steps]": "series[starts + time_steps * stride]",
}


# %% exercise="make_windows" edits="one slice for each window"
SHORT_REFUSED = (
    "A series that still has a window with a target is refused: time_steps + 1 values are enough.",
    {"if len(series) <= time_steps:": "if len(series) < time_steps + stride:"},
)


# %% exercise="make_windows" edits="starts and offsets" wrong="SHORT_REFUSED"
{"if len(series) <= time_steps:": "if len(series) <= time_steps + 1:"}
{"if len(series) <= time_steps:": "if len(series) < 2 * time_steps:"}


# %% exercise="make_windows" edits="starts and offsets"
ALL_BY_ONE = (
    "The stride decides how many windows there are, but they start one month apart. Window i must "
    "start at i * stride.",
    {"time_steps, stride)\n": ("time_steps, stride)\n    starts = np.arange(len(starts))\n")},
)
COUNTED_BACK = (
    "The windows are counted back from the end of the series, so the first one may begin too late. "
    "Window i must start at i * stride.",
    {
        "np.arange(0, len(series) - time_steps, stride)": (
            "np.arange(len(series) - time_steps - 1, -1, -stride)[::-1]"
        )
    },
)


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


# %% exercise="simple_rnn_predict" right="a loop over time"
def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    w_x, w_h, b_h, w_y, b_y = weights
    h = np.zeros((len(x), len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
    y = h @ w_y + b_y
    return y if output_activation is None else output_activation(y)


# %% exercise="simple_rnn_predict" edits="a loop over time"
STARTS_AT_ONE = (
    "The state before the first step is made of ones. h_0 is zero.",
    {"np.zeros(": "np.ones("},
)
STARTS_WITH_INPUT = (
    "The state before the first step is computed from the first input, which is then read again. "
    "h_0 is zero.",
    {"np.zeros((len(x), len(b_h)))": "x[:, 0] @ w_x"},
)
FIRST_STEP = (
    "The first step is not read. The loop must run over all steps.",
    {"range(x.shape[1])": "range(1, x.shape[1])"},
)
LAST_STEP = (
    "The last step is not read. The loop must run over all steps.",
    {"range(x.shape[1])": "range(x.shape[1] - 1)"},
)
READ_BACKWARDS = (
    "The sequence is read backwards. The first step comes first.",
    {"range(x.shape[1])": "reversed(range(x.shape[1]))"},
)
LOOP_OVER_BATCH = (
    "The loop runs over the examples. Time is the second axis of x, so step t is x[:, t].",
    {"range(x.shape[1])": "range(x.shape[0])", "x[:, t]": "x[t]"},
)
STATE_RETURNED = (
    "The last state comes back. The Dense layer, h @ w_y + b_y, is missing.",
    {"y = h @ w_y + b_y": "y = h"},
)
OUTPUT_AXIS_DROPPED = (
    "The axis of the outputs is dropped. The result must have the shape (batch, outputs).",
    {"y = h @ w_y + b_y": "y = (h @ w_y + b_y)[:, 0]"},
)
STATE_ADDED = (
    "The new state is added to the one before. It must take its place.",
    {"h = activation(": "h = h + activation("},
)
ACTIVATED_EARLY = (
    "The activation is applied before everything is added up. It takes the whole sum "
    "x_t w_x + h w_h + b_h.",
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": "x[:, t] @ w_x + activation(h @ w_h + b_h)"},
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": "activation(x[:, t] @ w_x + b_h) + h @ w_h"},
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": "x[:, t] @ w_x + activation(h @ w_h) + b_h"},
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": "activation(x[:, t] @ w_x) + h @ w_h + b_h"},
)
ACTIVATED_AGAIN = (
    "The activation is applied to the previous state once more. That state has been through it.",
    {"h @ w_h": "activation(h) @ w_h"},
)
ACTIVATED_AT_END = (
    "The activation is applied only once, to the last state. Every state goes through it.",
    {
        "h = activation(x[:, t] @ w_x + h @ w_h + b_h)": "h = x[:, t] @ w_x + h @ w_h + b_h",
        "y = h @ w_y": "y = activation(h) @ w_y",
    },
)
TANH_BY_DEFAULT = (
    "Without an output_activation, tanh is applied to the output. None stands for none at all.",
    {"y if output": "np.tanh(y) if output"},
)
RELU_BUILT_IN = (
    "ReLU is built in. The activation is an argument.",
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": ("np.maximum(x[:, t] @ w_x + h @ w_h + b_h, 0)")},
)
BIAS_SUBTRACTED = (
    "The bias b_h is subtracted. It must be added.",
    {"+ b_h": "- b_h"},
)
INPUT_LEFT_OUT = (
    "The input is left out of the states. h_t must depend on x_t.",
    {"x[:, t] @ w_x + h": "h"},
)
WEIGHTS_IN_OTHER_ORDER = (
    "The weight arrays are taken in another order. get_weights() gives w_x, w_h, b_h, w_y, b_y.",
    {"w_x, w_h, b_h": "w_h, w_x, b_h"},
)
OUTPUT_BIAS_SUBTRACTED = (
    "The bias b_y is subtracted. It must be added.",
    {"+ b_y": "- b_y"},
)
STATES_SUMMED = (
    "The states of all steps are added up. The Dense layer reads the last state alone.",
    {
        "h = np.zeros((len(x), len(b_h)))": "h = total = np.zeros((len(x), len(b_h)))",
        "    y = h @ w_y": "        total = total + h\n    y = total @ w_y",
    },
)
FIRST_STATE = (
    "The Dense layer reads the first state. It must read the last one.",
    {"    y = h @ w_y": "        first = h if t == 0 else first\n    y = first @ w_y"},
)
STARTS_WITH_BIAS = (
    "The state before the first step is the bias b_h. h_0 is zero.",
    {"np.zeros((len(x), len(b_h)))": "np.tile(b_h, (len(x), 1))"},
)
BIAS_TWICE = (
    "The bias b_h is added twice in every step. Keras has a single bias for input and state.",
    {"+ b_h": "+ b_h + b_h"},
)
BIAS_LATE = (
    "The bias b_h is left out of the first step. It belongs to every step.",
    {"+ b_h": "+ (b_h if t > 0 else 0)"},
)
BIAS_ONCE = (
    "The bias b_h is added in the first step alone. It belongs to every step.",
    {"+ b_h": "+ (b_h if t == 0 else 0)"},
)
INPUT_BEFORE = (
    "Every step reads the input of the step before it. h_t depends on x_t.",
    {"x[:, t]": "x[:, t - 1]"},
)
FIRST_FEATURE = (
    "Only the first feature of every step is read. A step has as many as w_x has rows.",
    {"x[:, t] @ w_x": "x[:, t, :1] @ w_x[:1]"},
)
SIGMOID_BUILT_IN = (
    "The sigmoid is built in. The activation is an argument.",
    {
        "activation(x[:, t] @ w_x + h @ w_h + b_h)": (
            "1 / (1 + np.exp(-(x[:, t] @ w_x + h @ w_h + b_h)))"
        )
    },
)
OUTPUT_ACTIVATION_INSIDE = (
    "output_activation is applied to the last state. It is applied to the output, h @ w_y + b_y.",
    {
        "y = h @ w_y + b_y": "y = (output_activation or np.positive)(h) @ w_y + b_y",
        "return y if output_activation is None else output_activation(y)": "return y",
    },
)
OUTPUT_ACTIVATION_EACH_STEP = (
    "output_activation takes the place of activation in the states. It belongs to the output "
    "alone.",
    {"h = activation(": "h = (output_activation or activation)("},
)
SOFTMAX_BUILT_IN = (
    "The output goes through a softmax. Its activation is the argument output_activation.",
    {"    return y": ("    y = np.exp(y) / np.exp(y).sum(axis=1, keepdims=True)\n    return y")},
)
NONE_CALLED = (
    "output_activation is called even if it is None. None stands for no activation at all.",
    {
        "return y if output_activation is None else output_activation(y)": (
            "return output_activation(y)"
        )
    },
)
STATE_TOO = (
    "The last state comes back beside the output. Only the output is asked for.",
    {
        "return y if output_activation is None else output_activation(y)": (
            "return (y if output_activation is None else output_activation(y)), h"
        )
    },
)
FIRST_EXAMPLE = (
    "Only the first example is predicted. The result must have a row for each.",
    {"    y = h @ w_y": "    y = h[:1] @ w_y"},
    {"    y = h @ w_y": "    y = h[0] @ w_y"},
)
ENTRY_BY_ENTRY = (
    "A state is multiplied entry by entry with a matrix. The matrix product is written @.",
    {"h @ w_h": "h * w_h"},
    {"h @ w_y": "h * w_y"},
)
ONLY_DIAGONAL = (
    "Every unit sees its own previous state alone. The matrix product h @ w_h takes the states of "
    "all units.",
    {"h @ w_h": "h * np.diag(w_h)"},
)
OUTPUT_TRANSPOSED = (
    "w_y is transposed. With row vectors the product is h @ w_y.",
    {"h @ w_y": "h @ w_y.T"},
)


# %% exercise="simple_rnn_predict" edits="a loop over time"
STEP_OF_ZEROS = (
    "There is one step more than x has, with an input of zeros. The output is read from the state "
    "after the last step of x.",
    {"    y = h": "    h = activation(h @ w_h + b_h)\n    y = h"},
)
FIRST_STATE_LINEAR = (
    "The first state is computed without the activation. It belongs to every step.",
    {
        "        h = activation(x[:, t] @ w_x + h @ w_h + b_h)": (
            "        h = x[:, t] @ w_x + h @ w_h + b_h\n        h = activation(h) if t else h"
        )
    },
)


# %% exercise="simple_rnn_predict" edits="a loop over time"
STATE_CAPPED = (
    "The state is kept between two bounds. A linear activation has none.",
    {
        "h = activation(x[:, t] @ w_x + h @ w_h + b_h)": (
            "h = np.clip(activation(x[:, t] @ w_x + h @ w_h + b_h), -1, 1)"
        ),
    },
    {
        "h = activation(x[:, t] @ w_x + h @ w_h + b_h)": (
            "h = np.clip(activation(x[:, t] @ w_x + h @ w_h + b_h), -10, 10)"
        ),
    },
    {
        "h = activation(x[:, t] @ w_x + h @ w_h + b_h)": (
            "h = np.clip(activation(x[:, t] @ w_x + h @ w_h + b_h), -100, 100)"
        ),
    },
)
ENTRY_BY_ENTRY_SIMPLE = (
    "The output activation is applied to each entry by itself. It may need all "
    "outputs of an example, as a softmax does.",
    {
        "else output_activation(y)": (
            "else np.array(\n"
            "        [[output_activation(np.array([one]))[0] for one in row] for row "
            "in y]\n"
            "    )"
        )
    },
)
OVER_EXAMPLES = (
    "The output activation is applied across the batch. Each row is an example.",
    {"else output_activation(y)": "else output_activation(y.T).T"},
)
WHOLE_STATE = (
    "The state has the dtype of x, so whole numbers there cut off its fractions.",
    {
        "h = np.zeros((len(x), len(b_h)))": "h = np.zeros((len(x), len(b_h)), dtype=x.dtype)",
        "        h = activation(": "        h[:] = activation(",
    },
)
TWELVE_STEPS = (
    "Only the last twelve steps are read. x may be longer.",
    {"for t in range(x.shape[1])": "for t in range(max(0, x.shape[1] - 12), x.shape[1])"},
)

# %% exercise="simple_rnn_predict" edits="a loop over the steps"
FIRST_STATE_ACTIVATED = (
    "The activation is applied to the first state, too, which must be 0.",
    {"    h = np.zeros((len(x), len(b_h)))": "    h = activation(np.zeros((len(x), len(b_h))))"},
)


# %% exercise="simple_rnn_predict" edits="a loop over the steps"
FIXED_STEPS = (
    "The number of steps is fixed. A sequence has x.shape[1] of them.",
    {"range(x.shape[1])": "range(3)"},
    {"range(x.shape[1])": "range(min(3, x.shape[1]))"},
)


# %% exercise="simple_rnn_predict" edits="a loop over time"
STATE_NOT_MULTIPLIED = (
    "The previous state is added as it is. It must be multiplied by w_h first.",
    {"h @ w_h +": "h +"},
)


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


# %% exercise="create_rnn" right="layers in a list"
def create_rnn(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation[0]),
            keras.layers.Dense(dense_units, activation=activation[1]),
        ]
    )
    model.compile("adam", "mse")
    return model


# %% exercise="create_rnn" edits="layers in a list" wrong="LOSS"
{'"mse"': '"msle"'}
{'"mse"': '"huber"'}
{'"mse"': '"binary_crossentropy"'}


# %% exercise="create_rnn" edits="layers in a list" wrong="TANH_ONLY"
{"activation=activation[0]": 'activation="tanh"', "activation=activation[1]": 'activation="tanh"'}


# %% exercise="create_rnn" edits="layers in a list"
RNN_LINEAR = (
    "The SimpleRNN has no activation. It needs the first of the pair.",
    {"activation=activation[0]": "activation=None"},
)
STATES_AVERAGED = (
    "The states are averaged over time. The Dense layer should read the last state alone.",
    {
        "activation[0])": (
            "activation[0], return_sequences=True),\n"
            "            keras.layers.GlobalAveragePooling1D()"
        )
    },
)
FEATURES_ALONE = (
    "keras.Input got the number of features without that of the steps. input_shape is "
    "(time, features).",
    {"keras.Input(input_shape)": "keras.Input(input_shape[1:])"},
)
OTHER_UNITS = (
    "The SimpleRNN has another number of units than hidden_units.",
    {"hidden_units, activation": "hidden_units + 1, activation"},
    {"hidden_units, activation": "3, activation"},
)


# %% exercise="create_rnn" edits="layers in a list"
FIRST_FOR_BOTH = (
    "Both layers have the first activation of the pair. The second belongs to the Dense layer.",
    {"activation[1]": "activation[0]"},
)
SECOND_FOR_BOTH = (
    "Both layers have the second activation of the pair. The first belongs to the SimpleRNN.",
    {"activation[0]": "activation[1]"},
)
GATED = (
    "The recurrent layer is a GRU or an LSTM. A SimpleRNN is asked for.",
    {"layers.SimpleRNN": "layers.GRU"},
    {"layers.SimpleRNN": "layers.LSTM"},
)
BIAS_SWITCHED_OFF = (
    "A layer has no bias. Both layers have one, as Keras makes them.",
    {"activation[0])": "activation[0], use_bias=False)"},
    {"activation[1])": "activation[1], use_bias=False)"},
)
TWO_RECURRENT = (
    "There are two recurrent layers. A single SimpleRNN is asked for.",
    {
        "keras.layers.SimpleRNN(hidden_units, activation=activation[0]),": (
            "keras.layers.SimpleRNN(\n"
            "                hidden_units, activation=activation[0], return_sequences=True\n"
            "            ),\n"
            "            keras.layers.SimpleRNN(hidden_units, activation=activation[0]),"
        )
    },
)
NO_DENSE = (
    "There is no Dense layer after the SimpleRNN.",
    {"            keras.layers.Dense(dense_units, activation=activation[1]),\n": ""},
)
TWO_DENSE = (
    "There are two Dense layers. A single one, with dense_units, is asked for.",
    {
        "            keras.layers.Dense(dense_units": (
            "            keras.layers.Dense(hidden_units),\n"
            "            keras.layers.Dense(dense_units"
        )
    },
)
SHAPE_TURNED = (
    "The two sizes of input_shape are swapped. It is (time, features), as keras.Input takes it.",
    {"keras.Input(input_shape)": "keras.Input(input_shape[::-1])"},
)
SHAPE_IGNORED = (
    "The argument input_shape is ignored.",
    {"keras.Input(input_shape)": "keras.Input((3, 1))"},
)
SHAPE_WITH_BATCH = (
    "keras.Input got a batch axis as well. input_shape is (time, features), without the batch.",
    {"keras.Input(input_shape)": "keras.Input((1, *input_shape))"},
)
SHAPE_AS_BATCH = (
    "keras.Input takes input_shape for a shape with the batch axis in it. Give it as shape, to "
    "which Keras adds the batch axis.",
    {"keras.Input(input_shape)": "keras.Input(batch_shape=input_shape)"},
)
DENSE_FIRST = (
    "The first layer is a Dense layer, which has no state. A SimpleRNN is asked for.",
    {
        "keras.layers.SimpleRNN(hidden_units, activation=activation[0]),": (
            "keras.layers.Dense(hidden_units, activation=activation[0]),\n"
            "            keras.layers.Lambda(lambda states: states[:, -1]),"
        )
    },
)
READS_BACKWARDS = (
    "The SimpleRNN reads backwards. Leave go_backwards at its default.",
    {"activation[0])": "activation[0], go_backwards=True)"},
)
BOTH_DIRECTIONS = (
    "The recurrent layer reads in both directions. A plain SimpleRNN is asked for.",
    {
        "keras.layers.SimpleRNN(hidden_units, activation=activation[0])": (
            "keras.layers.Bidirectional(\n"
            "                keras.layers.SimpleRNN(hidden_units, activation=activation[0])\n"
            "            )"
        )
    },
)
PAIR_TO_EACH = (
    "Each layer gets the whole pair. activation[0] is for the SimpleRNN, activation[1] for Dense.",
    {"activation[0]": "activation", "activation[1]": "activation"},
)


# %% exercise="create_rnn" edits="layers in a list" wrong="STATEFUL"
{
    "keras.Input(input_shape)": "keras.Input(batch_shape=(1, *input_shape))",
    "activation=activation[0])": "activation=activation[0], stateful=True)",
}


# %% exercise="create_rnn" edits="layers in a list"
DROPOUT = (
    "There is dropout in the network. Nothing asks for it.",
    {"activation=activation[0])": "activation=activation[0], dropout=0.3)"},
    {"activation=activation[0])": "activation=activation[0], recurrent_dropout=0.3)"},
)
FROZEN = (
    "The recurrent layer is not trained. Leave trainable at its default.",
    {"activation=activation[0])": "activation=activation[0], trainable=False)"},
)
ZERO_WEIGHTS = (
    "The weights start at 0, so the units stay alike. Leave the initializers at their defaults.",
    {"activation=activation[0])": 'activation=activation[0], kernel_initializer="zeros")'},
    {"activation=activation[1])": 'activation=activation[1], kernel_initializer="zeros")'},
)
SHARED = (
    "Two networks share a layer or an optimizer. Make new ones in every call.",
    {
        'model.compile("adam", "mse")': (
            'optimizer = vars(create_rnn).setdefault("optimizer", '
            "keras.optimizers.Adam())\n"
            '    model.compile(optimizer, "mse")'
        )
    },
)


# %% exercise="create_rnn" edits="a list of layers" wrong="SAME_WEIGHTS"
{"    model = ": "    keras.utils.set_random_seed(0)\n    model = "}


# %% exercise="create_rnn" edits="a list of layers"
ACTIVATED_AFTER_TANH = (
    "The SimpleRNN has its default tanh, and the activation comes on top of it. Pass it to the "
    "SimpleRNN.",
    {
        "            keras.layers.SimpleRNN(hidden_units, activation=activation[0]),\n": ""
        "            keras.layers.SimpleRNN(hidden_units),\n"
        "            keras.layers.Activation(activation[0]),\n"
    },
)


# %% exercise="create_rnn" edits="a list of layers"
RECURRENT_ZEROS = (
    "The recurrent matrix starts at 0. Leave the initializers at their defaults.",
    {"activation=activation[0])": 'activation=activation[0], recurrent_initializer="zeros")'},
)


# %% exercise="create_rnn" wrong="SHARED"
def create_rnn(hidden_units, dense_units, input_shape, activation):
    networks = create_rnn.__dict__.setdefault("networks", {})
    key = hidden_units, dense_units, *input_shape, *activation
    if key not in networks:
        networks[key] = keras.Sequential(
            [
                keras.Input(input_shape),
                keras.layers.SimpleRNN(hidden_units, activation=activation[0]),
                keras.layers.Dense(dense_units, activation=activation[1]),
            ]
        )
        networks[key].compile("adam", "mse")
    return networks[key]


# %% exercise="create_rnn" edits="layers in a list"
PENALTY = (
    "A regularizer adds to the loss, which is then no longer the mean squared error alone. Leave "
    "the regularizers at their defaults.",
    {"activation=activation[0])": 'activation=activation[0], kernel_regularizer="l2")'},
    {"activation=activation[1])": 'activation=activation[1], kernel_regularizer="l2")'},
)


# %% exercise="create_rnn" edits="layers in a list"
OTHER_INITIALIZER = (
    "The weights are not drawn as Keras draws them. Leave the initializers at their defaults.",
    {"activation=activation[0])": 'activation=activation[0], kernel_initializer="he_normal")'},
    {
        "activation=activation[0])": (
            'activation=activation[0], recurrent_initializer="glorot_uniform")'
        )
    },
    {"activation=activation[1])": 'activation=activation[1], kernel_initializer="normal")'},
)


# %% exercise="create_rnn" edits="layers in a list" wrong="SAME_WEIGHTS"
{
    "activation=activation[0])": (
        "activation=activation[0], kernel_initializer=keras.initializers.GlorotUniform(seed=1))"
    )
}


# %% exercise="create_rnn" wrong="STATEFUL"
def create_rnn(hidden_units, dense_units, input_shape, activation):
    inputs = keras.Input(batch_shape=(1, *input_shape))
    state = keras.layers.SimpleRNN(hidden_units, activation=activation[0], stateful=True)(inputs)
    outputs = keras.layers.Dense(dense_units, activation=activation[1])(state)
    model = keras.Model(inputs, outputs)
    model.compile(loss="mse", optimizer="adam")
    return model


# %% exercise="create_rnn" edits="layers in a list"
MASKED = (
    "A step of zeros is skipped. Leave the Masking layer out, because zero is a number like any "
    "other here.",
    {
        "            keras.layers.SimpleRNN(hidden_units": ""
        "            keras.layers.Masking(),\n"
        "            keras.layers.SimpleRNN(hidden_units"
    },
)


# %% exercise="create_rnn" edits="layers in a list"
CONSTRAINED = (
    "A constraint limits the weights in training. Leave the constraints at their defaults.",
    {"activation=activation[0])": 'activation=activation[0], kernel_constraint="max_norm")'},
    {"activation=activation[1])": 'activation=activation[1], kernel_constraint="max_norm")'},
    {"activation=activation[0])": 'activation=activation[0], recurrent_constraint="non_neg")'},
)


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


# %% exercise="rmse" right="means"
def rmse(y_true, y_pred):
    return np.sqrt(np.mean((y_true - y_pred) ** 2))


def skill_score(y_true, y_pred, baseline):
    error = np.mean((y_true - y_pred) ** 2)
    return 1 - error / np.mean((y_true - baseline) ** 2)


# %% exercise="rmse" edits="means"
ONE_LESS = (
    "The sum of squares is divided by n - 1. Divide by n.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "np.sqrt(np.sum((y_true - y_pred) ** 2) / (len(y_true) - 1))"
        )
    },
)
ROOT_OF_SUM = (
    "The root is taken of the sum, and the division comes too late. Divide by n first.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "np.sqrt(np.sum((y_true - y_pred) ** 2)) / len(y_true)"
        )
    },
)
STANDARD_DEVIATION = (
    "This is the standard deviation of the errors, which leaves out their mean. An RMSE has it in.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.std(y_true - y_pred)"},
)
SIGNED_ERROR = (
    "This is the mean of the errors with their signs, which cancel. Square them first.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.mean(y_true - y_pred)"},
)
SQUARED_TOO_LATE = (
    "The errors are averaged before they are squared, so their signs cancel. Square them first.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.sqrt(np.mean(y_true - y_pred) ** 2)"},
)
RELATIVE_ERROR = (
    "The errors are divided by the true values. An RMSE has the unit of the data.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "np.sqrt(np.mean(((y_true - y_pred) / y_true) ** 2))"
        )
    },
)
BY_THE_RANGE = (
    "The RMSE is divided by the range of y_true. It must keep the unit of the data.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "np.sqrt(np.mean((y_true - y_pred) ** 2)) / np.ptp(y_true)"
        )
    },
)
NOT_AVERAGED = (
    "There is an error for every value. The RMSE is one number for all of them.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.sqrt((y_true - y_pred) ** 2)"},
)
VALUES_ADDED = (
    "The forecasts are added to the true values. The error is their difference.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.sqrt(np.mean((y_true + y_pred) ** 2))"},
)
LARGEST_ERROR = (
    "This is the largest error. The RMSE averages over all of them.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.max(np.abs(y_true - y_pred))"},
)
RMSE_ROUNDED = (
    "The result is rounded. Return it as it is.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "round(float(np.sqrt(np.mean((y_true - y_pred) ** 2))), 2)"
        )
    },
)
R_SQUARED = (
    "The comparison is with the mean of y_true, as in R². Compare with the baseline's forecasts.",
    {"(y_true - baseline)": "(y_true - np.mean(y_true))"},
)
PERCENT = (
    "The skill is given in per cent. A perfect forecast has the skill 1.",
    {
        "1 - error / np.mean((y_true - baseline) ** 2)": (
            "100 * (1 - error / np.mean((y_true - baseline) ** 2))"
        )
    },
)
SKILL_OF_ABSOLUTE = (
    "The ratio is one of mean absolute errors. The skill score takes mean squared errors.",
    {
        "error = np.mean((y_true - y_pred) ** 2)": "error = np.mean(np.abs(y_true - y_pred))",
        "np.mean((y_true - baseline) ** 2)": "np.mean(np.abs(y_true - baseline))",
    },
)
SKILL_TURNED = (
    "The sign of the skill is turned round. It is 1 minus the ratio.",
    {
        "1 - error / np.mean((y_true - baseline) ** 2)": (
            "error / np.mean((y_true - baseline) ** 2) - 1"
        )
    },
)
DIFFERENCE_OF_ERRORS = (
    "This is the difference of the two errors. It must be divided by the baseline's error.",
    {
        "1 - error / np.mean((y_true - baseline) ** 2)": (
            "np.mean((y_true - baseline) ** 2) - error"
        )
    },
)
ONE_DIVIDED = (
    "1 - MSE is divided by the baseline's error. Only the MSE is; the ratio is subtracted from 1.",
    {"1 - error /": "(1 - error) /"},
)
SKILL_CUT_OFF = (
    "A negative skill is cut off at 0. A forecast that is worse than the baseline has one.",
    {
        "1 - error / np.mean((y_true - baseline) ** 2)": (
            "max(0.0, 1 - error / np.mean((y_true - baseline) ** 2))"
        )
    },
)
SAMPLE_DEVIATION = (
    "This is the standard deviation of the errors with n - 1, which leaves out their mean. An RMSE "
    "has it in and divides by n.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.std(y_true - y_pred, ddof=1)"},
)
BY_THE_SPREAD = (
    "The RMSE is divided by the standard deviation of y_true. It must keep the unit of the data.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "np.sqrt(np.mean((y_true - y_pred) ** 2)) / np.std(y_true)"
        )
    },
)
BY_THE_MEAN = (
    "The RMSE is divided by the mean of y_true. It must keep the unit of the data.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "np.sqrt(np.mean((y_true - y_pred) ** 2)) / np.mean(y_true)"
        )
    },
)
MEAN_RELATIVE = (
    "This is the mean relative error. An RMSE squares the errors as they are.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.mean(np.abs((y_true - y_pred) / y_true))"},
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "100 * np.mean(np.abs((y_true - y_pred) / y_true))"
        )
    },
)
MEDIAN = (
    "The median of the squared errors is taken. An RMSE takes their mean.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.sqrt(np.median((y_true - y_pred) ** 2))"},
)
HALVED = (
    "The mean squared error is halved. Its square root is asked for: ** 1 / 2 halves, ** 0.5 takes "
    "the root.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.mean((y_true - y_pred) ** 2) ** 1 / 2"},
)
HALF_THE_SQUARES = (
    "The mean of the squares is halved before the root is taken. Divide by n alone.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "np.sqrt(np.sum((y_true - y_pred) ** 2) / (2 * len(y_true)))"
        )
    },
)
DIFFERENCE_OF_SQUARES = (
    "The values are squared before they are subtracted. Square the differences.",
    {
        "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
            "np.sqrt(np.abs(np.mean(y_true**2 - y_pred**2)))"
        )
    },
)
CORRELATION = (
    "This is the correlation of forecasts and true values. The RMSE is an error.",
    {"np.sqrt(np.mean((y_true - y_pred) ** 2))": "np.corrcoef(y_true, y_pred)[0, 1]"},
)
RATIO_ADDED = (
    "The ratio of the errors is added to 1. It must be subtracted.",
    {"1 - error /": "1 + error /"},
)
ONE_ROOT = (
    "The forecast's error is a root, the baseline's is not. The skill score takes mean squared "
    "errors for both.",
    {"error = np.mean((y_true - y_pred) ** 2)": "error = rmse(y_true, y_pred)"},
)
SUM_AND_MEAN = (
    "One of the errors is a sum, the other a mean. Both must be mean squared errors.",
    {"error = np.mean(": "error = np.sum("},
    {"/ np.mean((y_true - baseline) ** 2)": "/ np.sum((y_true - baseline) ** 2)"},
)
AGAINST_BASELINE = (
    "The forecast's error is measured against the baseline. It must be measured against y_true.",
    {"(y_true - y_pred) ** 2)\n    return 1": "(y_pred - baseline) ** 2)\n    return 1"},
)
BY_OWN_ERROR = (
    "The difference of the errors is divided by the forecast's error. Divide it by the baseline's.",
    {
        "1 - error / np.mean((y_true - baseline) ** 2)": (
            "(np.mean((y_true - baseline) ** 2) - error) / error"
        )
    },
)
BASELINE_AS_ERROR = (
    "The baseline is used as if it were an error. It holds forecasts, whose error must be "
    "computed.",
    {"np.mean((y_true - baseline) ** 2)": "np.mean(baseline)"},
    {"np.mean((y_true - baseline) ** 2)": "np.mean(baseline**2)"},
    {"np.mean((y_true - baseline) ** 2)": "baseline"},
)
RATIO_OF_EACH = (
    "A ratio is taken for every value. Average the squared errors first, then divide.",
    {
        "1 - error / np.mean((y_true - baseline) ** 2)": (
            "np.mean(1 - (y_true - y_pred) ** 2 / (y_true - baseline) ** 2)"
        )
    },
)
SKILL_WITHOUT_SIGN = (
    "The sign of the skill is dropped. A forecast that is worse than the baseline has a negative "
    "skill.",
    {
        "1 - error / np.mean((y_true - baseline) ** 2)": (
            "abs(1 - error / np.mean((y_true - baseline) ** 2))"
        )
    },
)


# %% exercise="rmse" edits="means"
BY_LARGER_ERROR = (
    "The error is divided by the larger of the two. Divide by that of the baseline, even where the "
    "forecast is worse.",
    {
        "return 1 - error / np.mean((y_true - baseline) ** 2)": (
            "other = np.mean((y_true - baseline) ** 2)\n"
            "    return (other - error) / max(error, other)"
        )
    },
)


# %% exercise="rmse" edits="means"
SKILL_BOUNDED = (
    "The skill score is never below -1. It has no lower bound.",
    {
        "return 1 - error / np.mean((y_true - baseline) ** 2)": (
            "return max(-1, 1 - error / np.mean((y_true - baseline) ** 2))"
        ),
    },
)


# %% exercise="rmse" edits="the formulas as they are"
MEAN_OF_THE_BASELINE = (
    "The forecast is compared with the mean of the baseline. Compare it with the baseline value by "
    "value.",
    {"y_true - baseline": "y_true - np.mean(baseline)"},
)


# %% exercise="rmse" edits="the formulas as they are"
BASELINE_ERROR_CHANGED = (
    "A small number is added to the baseline's error. At least one of its predictions is wrong, so "
    "its error is never 0.",
    {"np.mean((y_true - baseline) ** 2)": "(np.mean((y_true - baseline) ** 2) + 1e-3)"},
    {"np.mean((y_true - baseline) ** 2)": "(np.mean((y_true - baseline) ** 2) + 1e-8)"},
)


# %% exercise="rmse" edits="means" wrong="DIFFERENCE_OF_SQUARES"
{"np.sqrt(np.mean((y_true - y_pred) ** 2))": ("np.sqrt(np.mean(np.abs(y_true**2 - y_pred**2)))")}


# %% exercise="rmse" edits="means" wrong="BROADCAST"
{
    "np.sqrt(np.mean((y_true - y_pred) ** 2))": (
        "np.sqrt(np.mean((y_true - np.reshape(y_pred, (-1, 1))) ** 2))"
    )
}


# %% exercise="rmse" edits="means"
VARIANCE_OF_BASELINE = (
    "The error is divided by the variance of the baseline's forecasts. Divide it by their mean "
    "squared error, measured against y_true.",
    {"np.mean((y_true - baseline) ** 2)": "np.var(baseline)"},
)


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


# %% exercise="persistence_forecast" right="an index"
def persistence_forecast(X):
    return X[:, -1, 0]


# %% exercise="persistence_forecast" edits="an index"
ONLY_LAST_WINDOW = (
    "This is the last window. The last value of every window is asked for.",
    {"X[:, -1, 0]": "X[-1, :, 0]"},
    {"X[:, -1, 0]": "X[-1]"},
)
ONE_TOO_EARLY = (
    "This is the last value but one of each window. Persistence repeats the last one.",
    {"X[:, -1, 0]": "X[:, -2, 0]"},
)
LARGEST_VALUE = (
    "This is the largest value of each window. Persistence repeats the last one.",
    {"X[:, -1, 0]": "X[:, :, 0].max(axis=1)"},
)
TREND_CONTINUED = (
    "This continues the last rise or fall. Persistence only repeats the last value.",
    {"X[:, -1, 0]": "2 * X[:, -1, 0] - X[:, -2, 0]"},
)
SHIFTED = (
    "The values are shifted from window to window. Each window's forecast is its own last value.",
    {"X[:, -1, 0]": "np.roll(X[:, -1, 0], 1)"},
    {"X[:, -1, 0]": "np.append(X[1:, -1, 0], X[-1, -1, 0])"},
    {"X[:, -1, 0]": "np.append(X[0, -1, 0], X[:-1, -1, 0])"},
)
WHOLE_WINDOWS = (
    "The whole windows come back. A forecast is one number a window, its last value.",
    {"X[:, -1, 0]": "X[:, :, 0]"},
)
ONE_NUMBER = (
    "This is a single number. Every window has a forecast of its own.",
    {"X[:, -1, 0]": "X[-1, -1, 0]"},
)
WINDOW_LEFT_OUT = (
    "A forecast is missing. Every window has one, the first and the last included.",
    {"X[:, -1, 0]": "X[1:, -1, 0]"},
    {"X[:, -1, 0]": "X[:-1, -1, 0]"},
)
SMALLEST_VALUE = (
    "This is the smallest value of each window. Persistence repeats the last one.",
    {"X[:, -1, 0]": "X[:, :, 0].min(axis=1)"},
)
MEDIAN = (
    "This is the median of each window. Persistence repeats its last value.",
    {"X[:, -1, 0]": "np.median(X[:, :, 0], axis=1)"},
)
LAST_TWO = (
    "This is the mean of the last two values. Persistence repeats the last one alone.",
    {"X[:, -1, 0]": "X[:, -2:, 0].mean(axis=1)"},
)
LAST_CHANGE = (
    "This is the change from the last value but one to the last. Persistence repeats the last "
    "value itself.",
    {"X[:, -1, 0]": "X[:, -1, 0] - X[:, -2, 0]"},
)
SUMMED = (
    "The values of each window are added up. Persistence repeats the last one.",
    {"X[:, -1, 0]": "X.sum(axis=(1, 2))"},
)
MEAN_OF_ALL = (
    "Every window gets the mean of all windows. Its forecast is its own last value.",
    {"X[:, -1, 0]": "np.full(len(X), X.mean())"},
)
BACKWARDS = (
    "The forecasts run backwards. The first is that of the first window.",
    {"X[:, -1, 0]": "X[::-1, -1, 0]"},
)
SECOND_VALUE = (
    "This is the second value of each window. Persistence repeats the last one.",
    {"X[:, -1, 0]": "X[:, 1, 0]"},
)
TWELFTH_VALUE = (
    "The position of the last value is fixed. Windows differ in length, so count from the end: the "
    "last value has the position -1.",
    {"X[:, -1, 0]": "X[:, 11, 0]"},
)
LAST_OF_ALL = (
    "These are the last values of all windows in one row. Each window's forecast is its own last "
    "value.",
    {"X[:, -1, 0]": "X.ravel()[-len(X) :]"},
)
UNCHANGED = (
    "The windows come back as they are. A forecast is one number a window, its last value.",
    {"X[:, -1, 0]": "X"},
)
TWO_AXES_KEPT = (
    "Two axes of length 1 are still there. A forecast is one number a window, of shape (n,).",
    {"X[:, -1, 0]": "X[:, -1:]"},
)
AS_ROW = (
    "The forecasts stand in a row of a table. They must have the shape (n,).",
    {"X[:, -1, 0]": "X[:, -1, 0][None]"},
    {"X[:, -1, 0]": "X[:, -1].T"},
)
BEYOND_THE_END = (
    "Counting begins at 0, so the position time_steps lies beyond the end. The last value has the "
    "position -1.",
    {"X[:, -1, 0]": "X[:, X.shape[1], 0]"},
)


# %% exercise="persistence_forecast" edits="an index"
DRIFT = (
    "The mean change of the window is added. Persistence repeats the last value.",
    {"return X[:, -1, 0]": "return X[:, -1, 0] + (X[:, -1, 0] - X[:, 0, 0]) / (X.shape[1] - 1)"},
)
ONE_WINDOW_SQUEEZED_PERSISTENCE = (
    "A single window loses its axis. There is one forecast for each window, in an array (n,).",
    {"return X[:, -1, 0]": "return np.squeeze(X[:, -1])"},
)
LAST_NONZERO = (
    "The last value that is not 0 is repeated. A 0 is a value like any other.",
    {"return X[:, -1, 0]": "return np.array([row[row != 0][-1] for row in X[..., 0]])"},
)


# %% exercise="persistence_forecast" edits="an index"
WINDOWS_FOR_STEPS = (
    "The number of windows is taken for the number of time steps. The last value has the position "
    "-1.",
    {"X[:, -1, 0]": "X[:, len(X) - 1, 0]"},
)
WHOLE_FORECASTS = (
    "The forecasts are cut to whole numbers. They are the last values as they stand.",
    {"X[:, -1, 0]": "X[:, -1, 0].astype(int)"},
    {"X[:, -1, 0]": "np.round(X[:, -1, 0])"},
)


# %% exercise="persistence_forecast" edits="an index"
REPEATED_OVER_STEPS = (
    "The last value is repeated for every step of its window. A forecast is one number a window, "
    "of shape (n,).",
    {"X[:, -1, 0]": "np.repeat(X[:, -1], X.shape[1], axis=1)"},
)
LAST_WINDOW_FOR_ALL = (
    "The last value of the last window is the forecast for all. Each window's forecast is its own "
    "last value.",
    {"X[:, -1, 0]": "np.full(len(X), X[-1, -1, 0])"},
)
A_YEAR_BEFORE = (
    "The value of twelve steps before is repeated, as a seasonal forecast does. Persistence "
    "repeats the last value.",
    {"X[:, -1, 0]": "X[:, -12, 0]"},
)


# %% exercise="persistence_forecast" wrong="SQUEEZED"
SQUEEZED = (
    "For a single window, np.squeeze also removes the axis of the windows. Remove only the last "
    "axis."
)


def persistence_forecast(X):
    return np.squeeze(X)[:, -1]


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


# %% exercise="forecast_spread" right="one seed after the other"
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    forecasts, errors = [], []
    for seed in seeds:
        keras.utils.set_random_seed(seed)
        model = keras.Sequential(
            [keras.Input(x_train.shape[1:]), keras.layers.SimpleRNN(8), keras.layers.Dense(1)]
        )
        model.compile("adam", "mse")
        model.fit(x_train, y_train, batch_size=4, epochs=6, verbose=0)
        forecast = np.asarray(model(x_test))[:, 0]
        forecasts.append(forecast)
        errors.append(np.sqrt(np.mean((forecast - y_test) ** 2)))
    baseline = np.sqrt(np.mean((x_test[:, -1, 0] - y_test) ** 2))
    return np.array(forecasts), np.array(errors), baseline


# %% exercise="forecast_spread" edits="one seed after the other" wrong="BROADCAST"
{"np.mean((forecast - y_test) ** 2)": "np.mean((forecast[:, None] - y_test) ** 2)"}
{"x_test[:, -1, 0]": "x_test[:, -1]"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="OTHER_ORDER"
{"return np.array(forecasts), np.array(errors)": "return np.array(errors), np.array(forecasts)"}
{"np.array(errors), baseline": "baseline, np.array(errors)"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="FORECAST_AXIS"
{
    "np.asarray(model(x_test))[:, 0]": "np.asarray(model(x_test))",
    "np.mean((forecast - y_test) ** 2)": "np.mean((forecast[:, 0] - y_test) ** 2)",
}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="ABSOLUTE_ERRORS"
{"np.sqrt(np.mean((forecast - y_test) ** 2))": "np.mean(np.abs(forecast - y_test))"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="SUMMED_ERRORS"
{
    "np.sqrt(np.mean((forecast - y_test) ** 2))": "np.sqrt(np.sum((forecast - y_test) ** 2))",
    "epochs=6": "epochs=1",
}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="ERRORS_WITHOUT_MEAN"
{"np.sqrt(np.mean((forecast - y_test) ** 2))": "np.std(forecast - y_test)", "epochs=6": "epochs=1"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="ERRORS_AVERAGED"
{"np.array(errors), baseline": "np.mean(errors), baseline", "epochs=6": "epochs=1"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="FORECASTS_AVERAGED"
{"np.array(forecasts), np": "np.mean(forecasts, axis=0), np", "epochs=6": "epochs=1"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="FORECASTS_TURNED"
{"np.array(forecasts), np": "np.array(forecasts).T, np", "epochs=6": "epochs=1"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="BASELINE_OF_EACH"
{"np.sqrt(np.mean((x_test[:, -1, 0] - y_test) ** 2))": "x_test[:, -1, 0]", "epochs=6": "epochs=1"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="BASELINE_OF_TRAIN"
{"(x_test[:, -1, 0] - y_test)": "(x_train[:, -1, 0] - y_train)", "epochs=6": "epochs=1"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="BASELINE_OF_FIRST"
{"x_test[:, -1, 0]": "x_test[:, 0, 0]", "epochs=6": "epochs=1"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="BASELINE_ABSOLUTE"
{
    "np.sqrt(np.mean((x_test[:, -1, 0] - y_test) ** 2))": (
        "np.mean(np.abs(x_test[:, -1, 0] - y_test))"
    ),
    "epochs=6": "epochs=1",
}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="TEST_USED"
{
    "model.fit(x_train, y_train, batch_size=4, epochs=6": (
        "model.fit(x_test, y_test, batch_size=4, epochs=8"
    )
}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="OTHER_SEEDS"
{"for seed in seeds:": "for seed in sorted(seeds):"}
{"for seed in seeds:": "for seed in range(len(seeds)):"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="CONSTANT_NETWORK"
{"keras.layers.Dense(1)": 'keras.layers.Dense(1, activation="softmax")'}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="ERRORS_SUMMED_UP"
{"np.array(errors), baseline": "np.array([np.mean(errors), np.std(errors)]), baseline"}


# %% exercise="forecast_spread" edits="one seed after the other" wrong="TEST_USED"
{
    "    for seed in seeds:": ""
    "    both = np.concatenate([x_train, x_test])\n"
    "    middle, width = both.mean(), both.std()\n"
    "    for seed in seeds:",
    "model.fit(x_train,": "model.fit((x_train - middle) / width,",
    "model(x_test)": "model((x_test - middle) / width)",
}


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


# %% exercise="fit_forecaster" right="scikit-learn's regression"
def fit_forecaster(train):
    from sklearn.linear_model import LinearRegression

    windows = np.lib.stride_tricks.sliding_window_view(train, 13)
    model = LinearRegression().fit(windows[:, :12], windows[:, 12])

    def forecast(windows):
        return model.predict(windows[:, :, 0])

    return forecast


# %% exercise="fit_forecaster" wrong="LEARNED_NOTHING"
def fit_forecaster(train):
    model = keras.Sequential([keras.Input((12, 1)), keras.layers.SimpleRNN(8)])
    model.add(keras.layers.Dense(1))
    return lambda windows: model.predict(windows, verbose=0)[:, 0]


# %% exercise="fit_forecaster" edits="scikit-learn's regression" wrong="NO_FUNCTION"
{"return forecast": "return forecast(windows[:, :12, None])"}


# %% exercise="fit_forecaster" edits="scikit-learn's regression" wrong="OTHER_WINDOWS"
{
    "windows = np.lib": (
        "train = (train - train.min()) / (train.max() - train.min())\n    windows = np.lib"
    ),
    "return model.predict(windows[:, :, 0])": (
        "low, high = windows.min(), windows.max()\n"
        "        scaled = (windows[:, :, 0] - low) / (high - low)\n"
        "        return model.predict(scaled) * (high - low) + low"
    ),
}


# %% exercise="fit_forecaster" edits="scikit-learn's regression" wrong="WINDOWS_TURNED"
{"windows[:, :12]": "windows[:, 11::-1]"}


# %% exercise="fit_forecaster" edits="scikit-learn's regression" wrong="NOT_ADDED_BACK"
{"windows[:, 12])": "windows[:, 12] - windows[:, 11])"}


# %% exercise="fit_forecaster" edits="scikit-learn's regression"
ONE_FORECAST = (
    "A single forecast comes back. Every window has a forecast of its own.",
    {"model.predict(windows[:, :, 0])": "model.predict(windows[:, :, 0])[0]"},
    {"model.predict(windows[:, :, 0])": "model.predict(windows[:, :, 0])[-1]"},
)
MODEL_RETURNED = (
    "A model comes back, which cannot be called. Return a function that calls its predict.",
    {"return forecast": "return model"},
)
NOT_A_TABLE = (
    "The windows go into the regression with all three axes. Make a table (n, 12) of them first: "
    "windows[:, :, 0].",
    {"model.predict(windows[:, :, 0])": "model.predict(windows)"},
    {"model.predict(windows[:, :, 0])": "windows @ model.coef_ + model.intercept_"},
)


# %% exercise="fit_forecaster" edits="scikit-learn's regression" wrong="WINDOWS_APART"
{"(train, 13)": "(train, 13)[::12]"}
