"""The bank of chapter 3: wrong answers, each with the name of its mistake, and right ones."""

# %%
import keras
import numpy as np
from keras import ops

# %%
ROUNDED = "The cut is rounded to the nearest whole number. int(...) drops the fraction."
LAST_WINDOW = "The last window is missing. It ends one value before the end of the series."
NO_FEATURE_AXIS = "The feature axis is missing. x must have the shape (examples, time_steps, 1)."
NO_TANH = "The scores lack their tanh."
NO_BIAS = "The bias is left out of the scores."
BIAS_OUTSIDE = "The bias is added after the tanh. It belongs inside it."
KEPT_AXIS = "The last axis of length 1 is still there. It must be dropped."
OVER_BATCH = (
    "The softmax runs over the batch axis. The weights of one example must sum to 1 over time."
)
MEAN = "This is the plain mean over time. The weights have no effect."
WEIGHTED_MEAN = "The weighted sum is divided by the number of steps. The weights already sum to 1."
NOT_SUMMED = "The steps are weighted but not added up. The time axis must disappear."
LAST_AXIS = (
    "Every weight is 1, as if the softmax ran over a last axis of length 1. It must run over time."
)
MASK_IGNORED = "The mask is ignored."
MASK_INVERTED = "The mask is read the wrong way round. True marks a real step."
MASK_NOT_IN_TRAINING = (
    "The mask is left aside in training. Masked steps must have weight 0 there as well."
)
MASK_HANDED_ON = (
    "The layer hands the mask on, although its result has no steps any more, so a network behind a "
    "Masking layer cannot be trained. compute_mask must return None."
)
MASK_AFTER = "The mask is applied after the softmax. The weights of the real steps must sum to 1."
SCORE_ZEROED = "A masked score is set to 0, which still has a weight. Masked weights must be 0."
SCORE_BOUNDED = (
    "A masked score is as bounded as the others, so its step still has a weight. Masked weights "
    "must be 0."
)
NOT_RESTORED = (
    "The layer does not survive saving and loading. Its __init__ must take **kwargs, and "
    "get_config must return what __init__ needs."
)


# %% exercise="fibonacci" right="two numbers at a time"
def fibonacci(n):
    numbers = []
    a, b = 1.0, 2.0
    for _ in range(n):
        numbers.append(a)
        a, b = b, a + b
    return np.array(numbers)


# %% exercise="fibonacci" edits="two numbers at a time"
STARTS_1_1 = (
    "The numbers start with 1, 1. Ours start with 1, 2.",
    {("numbers = []\n    "): "numbers,", "1.0, 2.0": "[], 1.0, 1.0"},
)
STARTS_0_1 = (
    "The numbers start with 0, 1. Ours start with 1, 2.",
    {("numbers = []\n    "): "numbers,", "1.0, 2.0": "[], 0.0, 1.0"},
)


# %% exercise="fibonacci" wrong="SHORT"
SHORT = (
    "A short series has the wrong length. For n = 0 the array must be empty, and for n = 1 it "
    "holds a single number."
)


def fibonacci(n):
    numbers = [1.0, 2.0]
    while len(numbers) < n:
        numbers.append(numbers[-2] + numbers[-1])
    return np.array(numbers)


# %% exercise="fibonacci" wrong="INTEGERS"
INTEGERS = "The numbers are integers, which overflow after about 90 of them. Use floats."


def fibonacci(n):
    numbers = np.ones(n, dtype=int)
    numbers[1:2] = 2
    for i in range(2, n):
        numbers[i] = numbers[i - 1] + numbers[i - 2]
    return numbers


# %% exercise="fibonacci" wrong="INTEGERS"
def fibonacci(n):
    numbers = [1, 2][:n]
    while len(numbers) < n:
        numbers.append(numbers[-2] + numbers[-1])
    return np.array(numbers)


# %% exercise="fibonacci" edits="two numbers at a time"
DOUBLED = (
    "Each number is twice the one before, as happens when a is overwritten before the sum. "
    "Change both at once: a, b = b, a + b.",
    {"a, b = b, a + b": ("a = b\n        b = a + b")},
)


# %% exercise="fibonacci" wrong="SHORT"
def fibonacci(n):
    numbers = np.zeros(n)
    numbers[0], numbers[1] = 1, 2
    for i in range(2, n):
        numbers[i] = numbers[i - 1] + numbers[i - 2]
    return numbers


# %% exercise="fibonacci" right="whole numbers first"
def fibonacci(n):
    numbers = [1, 2]
    for _ in range(n):
        numbers.append(sum(numbers[-2:]))
    return np.array(numbers[:n], dtype=float)


# %% exercise="fibonacci" right="a list of floats"
def fibonacci(n):
    a, b = 1.0, 1.0
    return [a := (b := a + b) - a for _ in range(n)]


# %% exercise="fibonacci" right="two variables"
def fibonacci(n):
    numbers = []
    a, b = 1.0, 2.0
    for _ in range(n):
        numbers.append(a)
        a, b = b, a + b
    return np.array(numbers)


# %% exercise="fibonacci" edits="two variables" wrong="INTEGERS"
{"np.array(numbers)": "np.array(numbers, dtype=int)"}


# %% exercise="fibonacci" edits="two variables"
STARTS_2_3 = (
    "The numbers start with 2, 3. Ours start with 1, 2.",
    {"1.0, 2.0": "2.0, 3.0"},
)
ONE_MORE = (
    "There is one number too many. fibonacci(n) returns n of them.",
    {"range(n)": "range(n + 1)"},
)
ONE_FEWER = (
    "There is one number too few. fibonacci(n) returns n of them.",
    {"range(n)": "range(n - 1)"},
)
UP_TO_N = (
    "These are the Fibonacci numbers up to n. The first n numbers are asked for.",
    {"np.array(numbers)": "np.array([each for each in numbers if each <= n])"},
)
RUNNING_SUM = (
    "These are running sums of the numbers. Each number is the sum of the two before it alone.",
    {"np.array(numbers)": "np.cumsum(numbers)"},
)
LAST_NUMBER = (
    "Only the last number comes back. fibonacci(n) returns the first n numbers.",
    {"np.array(numbers)": "numbers[-1] if numbers else 0.0"},
)
AS_COLUMN = (
    "The numbers stand in a column. They must have the shape (n,).",
    {"np.array(numbers)": "np.array(numbers)[:, None]"},
)
BACKWARDS = (
    "The numbers run backwards. The smallest comes first.",
    {"np.array(numbers)": "np.array(numbers[::-1])"},
)
ALTERNATING = (
    "a and b only change places. The new b is their sum: a, b = b, a + b.",
    {"b, a + b": "b, a"},
)
STARTS_2_1 = (
    "The numbers start with 2, 1. Ours start with 1, 2.",
    {"1.0, 2.0": "2.0, 1.0"},
)
STARTS_3_5 = (
    "The numbers start with 3, 5. Ours start with 1, 2, so append before you add.",
    {"numbers.append(a)": "numbers.append(a + b)"},
)
OVERWRITTEN = (
    "b is overwritten before a takes its old value. Change both at once: a, b = b, a + b.",
    {"a, b = b, a + b": "b = a + b\n        a = b"},
)
SUBTRACTED = (
    "The two numbers are subtracted. Each number is the sum of the two before it.",
    {"b, a + b": "b, b - a"},
    {"b, a + b": "b, a - b"},
)
MULTIPLIED = (
    "The two numbers are multiplied. Each number is the sum of the two before it.",
    {"b, a + b": "b, a * b"},
)
SCALED = (
    "The numbers are scaled. They come back as they are.",
    {"np.array(numbers)": "np.array(numbers) / max([1.0, *numbers])"},
)
RETURNED_EARLY = (
    "The return stands inside the loop, so it ends after its first turn.",
    {"    return np.array(numbers)": "        return np.array(numbers)"},
)
TWO_BESIDE = (
    "The first two numbers come on top of the n that are asked for.",
    {"numbers = []": "numbers = [1.0, 2.0]", "a, b = 1.0, 2.0": "a, b = 3.0, 5.0"},
)
ZERO_REFUSED = (
    "n = 0 or n = 1 is refused. The result is then an empty array or a single number.",
    {"    numbers = []": '    if n < 1:\n        raise ValueError("n")\n    numbers = []'},
    {"    numbers = []": '    if n < 2:\n        raise ValueError("n")\n    numbers = []'},
)
SINGLE_PRECISION = (
    "The numbers are in single precision, which ends at 3.4e38. Use float, which is double "
    "precision.",
    {"np.array(numbers)": 'np.array(numbers, dtype="float32")'},
)


# %% exercise="fibonacci" wrong="BINET"
BINET = (
    "Binet's formula overflows for the largest n, because its power is larger than the number "
    "itself. Add the two numbers before instead."
)


def fibonacci(n):
    golden = (1 + np.sqrt(5)) / 2
    k = np.arange(2, n + 2)
    return np.round((golden**k - (1 - golden) ** k) / np.sqrt(5))


# %% exercise="fibonacci" edits="two variables"
PYTHON_INTEGERS = (
    "The numbers are Python integers, the largest of which exceed every integer type of NumPy. "
    "Return an array of floats.",
    {"1.0, 2.0": "1, 2", "np.array(numbers)": "numbers"},
)


# %% exercise="fibonacci" wrong="SUM_OF_ALL"
SUM_OF_ALL = (
    "Each number is the sum of all numbers before it. It must be the sum of the last two alone."
)


def fibonacci(n):
    numbers = [1.0, 2.0][:n]
    while len(numbers) < n:
        numbers.append(sum(numbers))
    return np.array(numbers)


# %% exercise="fibonacci" wrong="RECURSION"
RECURSION = (
    "The function calls itself once for each number, and Python allows only about a thousand calls "
    "inside one another. Walk through the numbers in a loop."
)


def fibonacci(n):
    if n <= 2:
        return np.array([1.0, 2.0])[:n]
    before = fibonacci(n - 1)
    return np.append(before, before[-2] + before[-1])


# %% exercise="make_supervised" right="windows with their targets, shuffled"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    view = view[np.random.RandomState(seed).permutation(len(view))]
    x, y = view[:, :-1, None], view[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" right="one order for windows and targets"
def make_supervised(series, time_steps, train_fraction, seed=13):
    order = np.random.RandomState(seed).permutation(len(series) - time_steps)
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps)[:-1]
    x, y = view[order][:, :, None], series[time_steps:][order]
    cut = int(len(x) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" edits="windows with their targets, shuffled"
NOT_SHUFFLED = (
    "The examples are not shuffled.",
    {"    view = view[np.random.RandomState(seed).permutation(len(view))]\n": ""},
)


# %% exercise="make_supervised" wrong="SPLIT_FIRST"
SPLIT_FIRST = (
    "The examples are split before they are shuffled. Shuffle all of them first, then split."
)


def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(view) * train_fraction)
    random = np.random.RandomState(seed)
    train, test = (part[random.permutation(len(part))] for part in (view[:cut], view[cut:]))
    return train[:, :-1, None], train[:, -1], test[:, :-1, None], test[:, -1]


# %% exercise="make_supervised" wrong="ONLY_TRAIN_SHUFFLED"
ONLY_TRAIN_SHUFFLED = (
    "The examples are split in order, and only the training part is shuffled. Shuffle all of them "
    "first, then split."
)


def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(view) * train_fraction)
    train, test = view[:cut], view[cut:]
    train = train[np.random.RandomState(seed).permutation(cut)]
    return train[:, :-1, None], train[:, -1], test[:, :-1, None], test[:, -1]


# %% exercise="make_supervised" edits="windows with their targets, shuffled"
OTHER_GENERATOR = (
    "The permutation comes from another generator. Use np.random.RandomState(seed).permutation.",
    {"RandomState": "default_rng"},
)
SEED_IGNORED = "The argument seed is ignored.", {"(seed)": "(13)"}


# %% exercise="make_supervised" wrong="INVERSE"
INVERSE = "The permutation is inverted. Position i of the result must hold example order[i]."


def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    shuffled = np.empty_like(view)
    shuffled[np.random.RandomState(seed).permutation(len(view))] = view
    x, y = shuffled[:, :-1, None], shuffled[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="TARGETS_LEFT"
TARGETS_LEFT = "The windows are shuffled, but the targets are not."


def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    x, y = view[:, :-1, None], view[:, -1]
    x = x[np.random.RandomState(seed).permutation(len(x))]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" edits="windows with their targets, shuffled" wrong="ROUNDED"
{"int": "round"}


# %% exercise="make_supervised" edits="windows with their targets, shuffled" wrong="LAST_WINDOW"
{"(series, time_steps + 1)": "(series, time_steps + 1)[:-1]"}


# %% exercise="make_supervised" edits="windows with their targets, shuffled" wrong="NO_FEATURE_AXIS"
{", None": ""}


# %% exercise="make_supervised" wrong="INPUT_CHANGED"
def make_supervised(series, time_steps, train_fraction, seed=13):
    np.random.RandomState(seed).shuffle(series)
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    x, y = view[:, :-1, None], view[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" edits="one order for windows and targets"
TARGET_INSIDE = (
    "The target is the last value of the window. It must be the value right after the window.",
    {"time_steps:": "time_steps - 1 : -1"},
)
CUT_OF_SERIES = (
    "The cut is computed from the length of the series. train_fraction is a share of the examples.",
    {"(x)": "(series)"},
)
XS_BEFORE_YS = (
    "The arrays come back in another order. It must be train_x, train_y, test_x, test_y.",
    {" y[:cut],": "", "y[cut:]": "y[:cut], y[cut:]"},
)


# %% exercise="make_supervised" right="lists, one example at a time"
def make_supervised(series, time_steps, train_fraction, seed=13):
    windows, targets = [], []
    for i in range(len(series) - time_steps):
        windows.append([[value] for value in series[i : i + time_steps]])
        targets.append(series[i + time_steps])
    order = np.random.RandomState(seed=seed).permutation(len(targets))
    cut = int(len(targets) * train_fraction)
    parts = []
    for positions in (order[:cut], order[cut:]):
        parts += [[windows[i] for i in positions], [targets[i] for i in positions]]
    return parts


# %% exercise="make_supervised" right="the global generator, seeded"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    np.random.seed(seed)  # noqa: NPY002
    view = np.random.permutation(view).astype("float32")  # noqa: NPY002
    train, test = np.split(view, [int(len(view) * train_fraction)])
    return train[:, :-1, None], train[:, -1], test[:, :-1, None], test[:, -1]


# %% exercise="make_supervised" right="a table, then the order"
def make_supervised(series, time_steps, train_fraction, seed=13):
    examples = len(series) - time_steps
    starts = np.arange(examples)
    x = series[starts[:, None] + np.arange(time_steps)]
    y = series[starts + time_steps]
    order = np.random.RandomState(seed).permutation(examples)
    x, y = x[order][:, :, None], y[order]
    cut = int(examples * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" edits="a table, then the order" wrong="UNSEEDED"
{"np.random.RandomState(seed).permutation": "np.random.permutation"}


# %% exercise="make_supervised" edits="a table, then the order"
ONE_TOO_MANY = (
    "The training part holds one example too many. It has int(examples * train_fraction) of them, "
    "and int drops the fraction.",
    {"int(examples * train_fraction)": "int(examples * train_fraction) + 1"},
    {"int(examples * train_fraction)": "int(np.ceil(examples * train_fraction))"},
)
FRACTION_OF_TEST = (
    "train_fraction is used as the share of the test part. It is the share of the training part.",
    {"* train_fraction": "* (1 - train_fraction)"},
)
VALUES_SHUFFLED = (
    "The values of the series are shuffled before the windows are cut. Shuffle the examples, "
    "because a window holds neighbours.",
    {
        "    examples =": (
            "    series = np.random.RandomState(seed).permutation(series)\n    examples ="
        ),
        "    order = np.random.RandomState(seed).permutation(examples)": "    order = starts",
    },
)
TWO_ORDERS = (
    "Windows and targets are shuffled in two different orders. One order must serve both.",
    {"y[order]": "y[np.random.RandomState(seed + 1).permutation(examples)]"},
    {
        "order = np.random.RandomState(seed).permutation(examples)": (
            "rng = np.random.RandomState(seed)"
        ),
        "x, y = x[order][:, :, None], y[order]": (
            "x, y = x[rng.permutation(examples)][:, :, None], y[rng.permutation(examples)]"
        ),
    },
)
PARTS_EXCHANGED = (
    "The two parts are swapped. The training part comes first.",
    {"return x[:cut], y[:cut], x[cut:], y[cut:]": "return x[cut:], y[cut:], x[:cut], y[:cut]"},
)
LAST_FOR_TRAIN = (
    "The training part is as large as the test part should be.",
    {"cut = int(examples * train_fraction)": "cut = examples - int(examples * train_fraction)"},
)
WITH_REPLACEMENT = (
    "The examples are drawn with replacement, so some occur twice. Use permutation.",
    {"permutation(examples)": "choice(examples, examples)"},
)
TARGET_COLUMN = (
    "The targets have an axis too many. A y must have the shape (examples,).",
    {"y[order]": "y[order][:, None]"},
)
AXES_EXCHANGED = (
    "The last two axes are swapped. An x must have the shape (examples, time_steps, 1).",
    {"x[order][:, :, None]": "x[order][:, None, :]"},
)
TEST_INCOMPLETE = (
    "An example is lost at the cut. Every example belongs either to train or to test.",
    {"x[cut:], y[cut:]": "x[cut + 1 :], y[cut + 1 :]"},
)
NO_OVERLAP = (
    "The windows do not overlap. A window starts at every value that leaves room for a target.",
    {
        "starts = np.arange(examples)": (
            "starts = np.arange(0, examples, time_steps)\n    examples = len(starts)"
        )
    },
)
TARGET_LATER = (
    "The target lies one step too late. It must be the value right after the window.",
    {
        "examples = len(series) - time_steps": "examples = len(series) - time_steps - 1",
        "series[starts + time_steps]": "series[starts + time_steps + 1]",
    },
)
SORTED_RANDOM = (
    "The order is not that of permutation. Use np.random.RandomState(seed).permutation(examples).",
    {"permutation(examples)": "rand(examples).argsort()"},
)
ONE_FEWER = (
    "The training part holds one example too few. It has int(examples * train_fraction) of them.",
    {"int(examples * train_fraction)": "int(examples * train_fraction) - 1"},
)
IN_PAIRS = (
    "The arrays come back in two pairs. The four must stand beside each other: train_x, train_y, "
    "test_x, test_y.",
    {"return x[:cut], y[:cut], x[cut:], y[cut:]": "return (x[:cut], y[:cut]), (x[cut:], y[cut:])"},
)
ONLY_XS = (
    "Only the windows come back. Four arrays are asked for: train_x, train_y, test_x, test_y.",
    {"return x[:cut], y[:cut], x[cut:], y[cut:]": "return x[:cut], x[cut:]"},
)
SCALED = (
    "The values are scaled as well. make_supervised only cuts and shuffles.",
    {"    starts =": "    series = series / series.max()\n    starts ="},
    {"    starts =": "    series = (series - series.min()) / np.ptp(series)\n    starts ="},
)
WINDOW_LATER = (
    "Every window lies one step too late, so its last value is the target itself. The target comes "
    "right after the window.",
    {"np.arange(time_steps)": "np.arange(1, time_steps + 1)"},
)
TARGET_IN_WINDOW = (
    "Every window has time_steps + 1 values. The target is not part of its window.",
    {"np.arange(time_steps)": "np.arange(time_steps + 1)"},
)
WINDOW_SHORT = (
    "Every window has time_steps - 1 values. It must have time_steps of them.",
    {"np.arange(time_steps)": "np.arange(time_steps - 1)"},
)
TARGET_FIRST = (
    "The target is the first value of the window. It must be the value right after the window.",
    {"series[starts + time_steps]": "series[starts]"},
)
TEST_IS_WHOLE = (
    "The test part holds all examples, those of the training part included. It holds the rest.",
    {"x[cut:], y[cut:]": "x, y"},
)
COUNTED_FROM_END = (
    "The test part is counted from the end and has as many examples as the training part. It holds "
    "everything after the cut.",
    {"x[cut:], y[cut:]": "x[-cut:], y[-cut:]"},
)
TRAIN_AT_END = (
    "The training part is taken from the end of the shuffled examples. It holds the first of them.",
    {"return x[:cut], y[:cut], x[cut:], y[cut:]": "return x[-cut:], y[-cut:], x[:-cut], y[:-cut]"},
)
WINDOWS_BACKWARDS = (
    "Every window runs backwards. Its values must stay in the order of the series.",
    {"x[order][:, :, None]": "x[order][:, ::-1, None]"},
)
SERIES_BACKWARDS = (
    "The series runs backwards. It must stay in its order.",
    {"    starts =": "    series = series[::-1]\n    starts ="},
)
STEPS_SHUFFLED = (
    "The steps inside the windows are shuffled. Shuffle whole examples.",
    {
        "permutation(examples)": "permutation(time_steps)",
        "x[order][:, :, None], y[order]": "x[:, order][:, :, None], y",
    },
)
SHUFFLED_TWICE = (
    "The examples are shuffled twice. Once is enough.",
    {"x[order][:, :, None], y[order]": "x[order][order][:, :, None], y[order][order]"},
)
ORDER_OF_VALUES = (
    "The order is drawn for all values of the series. It needs an entry for each example, of which "
    "there are len(series) - time_steps.",
    {"permutation(examples)": "permutation(len(series))"},
)
BEYOND_THE_END = (
    "The last window has no target, because it ends with the series. There are len(series) - "
    "time_steps examples.",
    {"examples = len(series) - time_steps": "examples = len(series) - time_steps + 1"},
)


# %% exercise="make_supervised" edits="windows with their targets, shuffled"
SEED_ZERO = (
    "The seed 0 is taken for no seed. It is a seed like every other, so do not ask whether it is "
    "true.",
    {"RandomState(seed)": "RandomState(seed or 13)"},
)


# %% exercise="make_supervised" edits="a table, then the order"
RESHAPED = (
    "A reshape stands where two axes must be swapped, so windows are mixed. Transpose instead.",
    {
        "x = series[starts[:, None] + np.arange(time_steps)]": (
            "x = series[np.arange(time_steps)[:, None] + starts].reshape(examples, time_steps)"
        )
    },
)


# %% exercise="make_supervised" edits="a table, then the order"
BOTH_CUT = (
    "The sizes of both parts are rounded down, so an example may be in neither of them. All "
    "examples that are not for training are for testing.",
    {
        "x[cut:], y[cut:]": (
            "*(part[cut : cut + int(examples * (1 - train_fraction))] for part in (x, y))"
        )
    },
)


# %% exercise="make_supervised" edits="one order for windows and targets"
ORDER_OF_THE_VALUES = (
    "The order is drawn for all values of the series. It must be drawn for the examples, of which "
    "there are fewer.",
    {
        "permutation(len(series) - time_steps)": (
            "permutation(len(series))\n    order = order[order < len(series) - time_steps]"
        )
    },
)


# %% exercise="count_leaked_targets" right="a cut before the last window"
def split_without_leak(series, time_steps, train_fraction):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(series) * train_fraction) - time_steps
    x, y = view[:, :-1, None], view[:, -1]
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="count_leaked_targets" edits="a cut before the last window"
ONLY_INPUTS = (
    "Only the training windows are searched. A value that was a training target has been seen, "
    "too.",
    {
        "def": (
            "def count_leaked_targets(train_x, train_y, test_y):\n"
            "    return int(np.isin(test_y, train_x).sum())\n"
            "\n"
            "\n"
            "def"
        )
    },
)
ONLY_TARGETS = (
    "Only the training targets are searched. A value that stands in a training window has been "
    "seen, too.",
    {
        "def": (
            "def count_leaked_targets(train_x, train_y, test_y):\n"
            "    return int(np.isin(test_y, train_y).sum())\n"
            "\n"
            "\n"
            "def"
        )
    },
)
DISTINCT = (
    "Equal targets are counted only once. Count every entry of test_y that has leaked.",
    {
        "def": (
            "def count_leaked_targets(train_x, train_y, test_y):\n"
            "    return len({*np.ravel(train_x), *train_y} & {*test_y})\n"
            "\n"
            "\n"
            "def"
        )
    },
)
SHARE = (
    "This is the share of the leaked targets. Their number is asked for.",
    {
        "def": (
            "def count_leaked_targets(train_x, train_y, test_y):\n"
            "    return np.isin(test_y, [*np.ravel(train_x), *train_y]).mean()\n"
            "\n"
            "\n"
            "def"
        )
    },
)


# %% exercise="count_leaked_targets" wrong="WINDOWS_CUT"
WINDOWS_CUT = (
    "The cut is computed from the number of windows. The training part is the first "
    "int(len(series) * train_fraction) values of the series."
)


def count_leaked_targets(train_x, train_y, test_y):
    return int(np.isin(test_y, [*np.ravel(train_x), *train_y]).sum())


def split_without_leak(series, time_steps, train_fraction):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(view) * train_fraction)
    x, y = view[:, :-1, None], view[:, -1]
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="count_leaked_targets" wrong="ROUNDED"
def count_leaked_targets(train_x, train_y, test_y):
    return int(np.isin(test_y, [*np.ravel(train_x), *train_y]).sum())


def split_without_leak(series, time_steps, train_fraction):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = round(len(series) * train_fraction) - time_steps
    x, y = view[:, :-1, None], view[:, -1]
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="count_leaked_targets" wrong="TEST_STARTS_LATE"
TEST_STARTS_LATE = (
    "The first test targets are missing. Every value after the training part is a target, and its "
    "window may reach back into the training part."
)


def count_leaked_targets(train_x, train_y, test_y):
    return int(np.isin(test_y, [*np.ravel(train_x), *train_y]).sum())


def split_without_leak(series, time_steps, train_fraction):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(series) * train_fraction) - time_steps
    x, y = view[:, :-1, None], view[:, -1]
    late = cut + time_steps
    return x[:cut], y[:cut], x[late:], y[late:]


# %% exercise="count_leaked_targets" wrong="STILL_LEAKS"
STILL_LEAKS = (
    "Training windows reach beyond the cut, so test targets are seen in training. The last "
    "training target is the last value before the cut."
)


def count_leaked_targets(train_x, train_y, test_y):
    return int(np.isin(test_y, [*np.ravel(train_x), *train_y]).sum())


def split_without_leak(series, time_steps, train_fraction):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(series) * train_fraction)
    x, y = view[:, :-1, None], view[:, -1]
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="count_leaked_targets" wrong="OUT_OF_ORDER"
OUT_OF_ORDER = "The examples are shuffled. Both parts must stay in the order of time."


def count_leaked_targets(train_x, train_y, test_y):
    return int(np.isin(test_y, [*np.ravel(train_x), *train_y]).sum())


def split_without_leak(series, time_steps, train_fraction):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(series) * train_fraction) - time_steps
    train, test = view[:cut], view[cut:]
    train = train[np.random.RandomState(13).permutation(len(train))]
    return train[:, :-1, None], train[:, -1], test[:, :-1, None], test[:, -1]


# %% exercise="count_leaked_targets" wrong="NO_FEATURE_AXIS"
def count_leaked_targets(train_x, train_y, test_y):
    return int(np.isin(test_y, [*np.ravel(train_x), *train_y]).sum())


def split_without_leak(series, time_steps, train_fraction):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(series) * train_fraction) - time_steps
    x, y = view[:, :-1], view[:, -1]
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="count_leaked_targets" wrong="LAST_WINDOW"
def count_leaked_targets(train_x, train_y, test_y):
    return int(np.isin(test_y, [*np.ravel(train_x), *train_y]).sum())


def split_without_leak(series, time_steps, train_fraction):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)[:-1]
    cut = int(len(series) * train_fraction) - time_steps
    x, y = view[:, :-1, None], view[:, -1]
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="count_leaked_targets" edits="a cut before the last window" wrong="STILL_LEAKS"
{"x[:cut], y[:cut], x[cut:], y[cut:]": ("x[: cut + 1], y[: cut + 1], x[cut + 1 :], y[cut + 1 :]")}


# %% exercise="count_leaked_targets" edits="a cut before the last window" wrong="TEST_STARTS_LATE"
{"x[cut:], y[cut:]": "x[cut + 1 :], y[cut + 1 :]"}


# %% exercise="count_leaked_targets" right="a set and a loop"
def count_leaked_targets(train_x, train_y, test_y):
    seen = set(train_x.ravel()) | set(train_y)
    return sum(value in seen for value in test_y)


def split_without_leak(series, time_steps, train_fraction):
    values = int(len(series) * train_fraction)
    parts = []
    for first, last in ((time_steps, values), (values, len(series))):
        targets = range(first, last)
        parts.append(np.array([series[i - time_steps : i, None] for i in targets]))
        parts.append([series[i] for i in targets])
    return tuple(parts)


# %% exercise="count_leaked_targets" right="np.isin and one table"
def count_leaked_targets(train_x, train_y, test_y):
    seen = np.concatenate([train_x.ravel(), train_y])
    return np.isin(test_y, seen).sum()


def split_without_leak(series, time_steps, train_fraction):
    cut = int(len(series) * train_fraction) - time_steps
    starts = np.arange(len(series) - time_steps)
    x = series[starts[:, None] + np.arange(time_steps)][:, :, None]
    y = series[starts + time_steps]
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="count_leaked_targets" edits="np.isin and one table"
NEARLY_EQUAL = (
    "Numbers that are nearly equal count as the same value. Only an equal one is a leak.",
    {"np.isin(test_y, seen).sum()": "np.isclose(test_y[:, None], seen).any(axis=1).sum()"},
)
TEST_BEGINS_EARLY = (
    "The last value of the training part is a test target, too. The first test target is the value "
    "after it.",
    {"x[cut:], y[cut:]": "x[cut - 1 :], y[cut - 1 :]"},
)
TRAINING_ENDS_EARLY = (
    "The last training example is missing. The last value of the training part is a target, too.",
    {"x[:cut], y[:cut],": "x[: cut - 1], y[: cut - 1],"},
)
SEARCHED_BACKWARDS = (
    "The training values that occur in the test are counted. Count the entries of test_y that "
    "occur in the training part.",
    {"np.isin(test_y, seen)": "np.isin(seen, test_y)"},
)
NOT_LEAKED = (
    "The targets that have not leaked are counted.",
    {"np.isin(test_y, seen)": "(~np.isin(test_y, seen))"},
)
NOT_COUNTED = (
    "An answer for every target comes back. Add them up: the number of leaks is asked for.",
    {"np.isin(test_y, seen).sum()": "np.isin(test_y, seen)"},
)
YES_OR_NO = (
    "This says whether there is a leak. The number of leaked targets is asked for.",
    {"np.isin(test_y, seen).sum()": "bool(np.isin(test_y, seen).any())"},
)
FIRST_STEPS = (
    "Only the first step of every window is searched. Search all of them.",
    {"train_x.ravel()": "train_x[:, 0, 0]"},
)
LAST_STEPS = (
    "Only the last step of every window is searched. Search all of them.",
    {"train_x.ravel()": "train_x[:, -1, 0]"},
)
PAIRS_COUNTED = (
    "Every pair of equal values is counted. A target counts once, however often it was seen.",
    {"np.isin(test_y, seen).sum()": "(test_y[:, None] == seen).sum()"},
)
TRAIN_SHORT = (
    "The last training example is missing. Its target is the last value before the cut.",
    {"train_fraction) - time_steps": "train_fraction) - time_steps - 1"},
)
XS_FIRST = (
    "The arrays come back in another order. It must be train_x, train_y, test_x, test_y.",
    {"return x[:cut], y[:cut], x[cut:], y[cut:]": "return x[:cut], x[cut:], y[:cut], y[cut:]"},
)
PARTS_EXCHANGED = (
    "The two parts are swapped. The training part comes first.",
    {"return x[:cut], y[:cut], x[cut:], y[cut:]": "return x[cut:], y[cut:], x[:cut], y[:cut]"},
)
FRACTION_OF_TEST = (
    "train_fraction is used as the share of the test part. It is the share of the training part.",
    {"* train_fraction": "* (1 - train_fraction)"},
)
TARGET_IN_WINDOW = (
    "The target is the last value of the window. It must be the value right after the window.",
    {"series[starts + time_steps]": "series[starts + time_steps - 1]"},
)
PER_CENT = (
    "This is the share of the leaked targets in per cent. Their number is asked for.",
    {"np.isin(test_y, seen).sum()": "100 * np.isin(test_y, seen).mean()"},
)
LEAKED_LISTED = (
    "The leaked targets are listed. Their number is asked for.",
    {"np.isin(test_y, seen).sum()": "test_y[np.isin(test_y, seen)]"},
    {"np.isin(test_y, seen).sum()": "np.flatnonzero(np.isin(test_y, seen))"},
)
IN_BOTH = (
    "Only a target that occurs in a training window and among the training targets is counted. One "
    "of the two is enough.",
    {"np.isin(test_y, seen).sum()": "(np.isin(test_y, train_x) & np.isin(test_y, train_y)).sum()"},
)
WINDOWS_COUNTED = (
    "The training windows that hold a test target are counted. Count the entries of test_y.",
    {"np.isin(test_y, seen).sum()": "np.isin(train_x[:, :, 0], test_y).any(axis=1).sum()"},
)
ENDS_SEARCHED = (
    "Only the first and the last step of every window are searched. Search all of them.",
    {"train_x.ravel()": "train_x[:, [0, -1], 0].ravel()"},
)
GAP = (
    "A gap is left before the cut: the last training examples are missing. Every window and target "
    "among the training values is a training example.",
    {"x[:cut], y[:cut]": "x[: cut - time_steps], y[: cut - time_steps]"},
)
IN_PAIRS = (
    "The arrays come back in two pairs. The four must stand beside each other: train_x, train_y, "
    "test_x, test_y.",
    {"return x[:cut], y[:cut], x[cut:], y[cut:]": "return (x[:cut], y[:cut]), (x[cut:], y[cut:])"},
)
TARGET_COLUMN = (
    "The targets have an axis too many. A y must have the shape (examples,).",
    {"y = series[starts + time_steps]": "y = series[starts + time_steps][:, None]"},
)
TARGET_LATER = (
    "The target lies one step too late. It must be the value right after the window.",
    {"series[starts + time_steps]": "np.append(series, series[-1])[starts + time_steps + 1]"},
    {
        "np.arange(len(series) - time_steps)": "np.arange(len(series) - time_steps - 1)",
        "series[starts + time_steps]": "series[starts + time_steps + 1]",
    },
)
WINDOWS_BACKWARDS = (
    "Every window runs backwards. Its values must stay in the order of time.",
    {"[:, :, None]": "[:, ::-1, None]"},
)
NO_OVERLAP = (
    "The windows do not overlap. A window starts at every value that leaves room for a target.",
    {
        "int(len(series) * train_fraction) - time_steps": (
            "(int(len(series) * train_fraction) - 1) // time_steps"
        ),
        "np.arange(len(series) - time_steps)": "np.arange(0, len(series) - time_steps, time_steps)",
    },
)
WINDOW_LONG = (
    "Every window has time_steps + 1 values. The target is not part of its window.",
    {"np.arange(time_steps)]": "np.arange(time_steps + 1)]"},
)
TEST_BACKWARDS = (
    "The test part runs backwards. Both parts must stay in the order of time.",
    {"x[cut:], y[cut:]": "x[cut:][::-1], y[cut:][::-1]"},
)


# %% exercise="count_leaked_targets" edits="a set and a loop"
TARGET_IN_BOTH = (
    "The first value behind the cut is a target of both parts. It belongs to the test alone.",
    {"(time_steps, values), (": "(time_steps, values + 1), ("},
)


# %% exercise="count_leaked_targets" wrong="WINDOWS_OF_THE_END"
WINDOWS_OF_THE_END = (
    "The last window, which no target follows, is among those of the test. Each test window is a "
    "step too late, and ends with its own target."
)


def count_leaked_targets(train_x, train_y, test_y):
    return int(np.isin(test_y, np.concatenate([train_x.ravel(), train_y])).sum())


def split_without_leak(series, time_steps, train_fraction):
    cut = int(len(series) * train_fraction)
    x = np.lib.stride_tricks.sliding_window_view(series, time_steps)[:, :, None]
    train_y, test_y = series[time_steps:cut], series[cut:]
    return x[: len(train_y)], train_y, x[-len(test_y) :], test_y


# %% exercise="count_leaked_targets" edits="np.isin and one table"
WINDOW_TOO_MANY = (
    "The last window has no target, so there is one window more than there are targets. Of n "
    "values, n - time_steps are the target of a window.",
    {
        "np.arange(len(series) - time_steps)": "np.arange(len(series) - time_steps + 1)",
        "series[starts + time_steps]": "series[time_steps:]",
    },
)


# %% exercise="count_leaked_targets" edits="np.isin and one table"
ISIN_A_SET = (
    "np.isin is given a set, which NumPy takes for one object, so nothing is ever found in it. "
    "Give it an array or a list.",
    {"np.concatenate([train_x.ravel(), train_y])": "set(train_x.ravel()) | set(train_y)"},
)


# %% exercise="constant_baseline" right="the mean"
def constant_baseline(train_y, test_y):
    constant = np.mean(train_y)
    return constant, np.mean((test_y - constant) ** 2)


# %% exercise="constant_baseline" wrong="FITTED_ON_TEST"
FITTED_ON_TEST = "The constant is fitted to test_y. Only train_y may be used for it."


def constant_baseline(train_y, test_y):
    return test_y.mean(), test_y.var()


# %% exercise="constant_baseline" edits="the mean"
MEDIAN = (
    "The constant is the median, which minimises the mean absolute error.",
    {"np.mean(train_y)": "np.median(train_y)"},
)
ROOT = (
    "The error is the root of the mean squared error.",
    {"np.mean((test_y - constant) ** 2)": "np.sqrt(np.mean((test_y - constant) ** 2))"},
)


# %% exercise="constant_baseline" wrong="TRAIN_ERROR"
TRAIN_ERROR = "The error is measured on train_y. Measure it on test_y."


def constant_baseline(train_y, test_y):
    return train_y.mean(), train_y.var()


# %% exercise="constant_baseline" wrong="RESULTS_SWAPPED"
RESULTS_SWAPPED = "The two results are swapped. The constant comes first, then its error."


def constant_baseline(train_y, test_y):
    constant = np.mean(train_y)
    return np.mean((test_y - constant) ** 2), constant


# %% exercise="constant_baseline" right="least squares"
def constant_baseline(train_y, test_y):
    constant = np.linalg.lstsq(np.ones((len(train_y), 1)), train_y, rcond=None)[0][0]
    return [constant, np.var(test_y) + (np.mean(test_y) - constant) ** 2]


# %% exercise="constant_baseline" right="the mean, then its error"
def constant_baseline(train_y, test_y):
    constant = np.mean(train_y)
    error = np.mean((test_y - constant) ** 2)
    return constant, error


# %% exercise="constant_baseline" edits="the mean, then its error"
FITTED_ON_ALL = (
    "The constant is the mean of all targets. It must be fitted to the training targets alone.",
    {"np.mean(train_y)": "np.mean([*train_y, *test_y])"},
)
MID_RANGE = (
    "The constant is the middle between the smallest and the largest target. The mean squared "
    "error asks for another one.",
    {"np.mean(train_y)": "(np.min(train_y) + np.max(train_y)) / 2"},
)
ABSOLUTE_ERROR = (
    "This is the mean absolute error on the test targets. The mean squared error is asked for.",
    {"np.mean((test_y - constant) ** 2)": "np.mean(np.abs(test_y - constant))"},
)
SUMMED_ERROR = (
    "The squared errors are summed. Divide by their number.",
    {"np.mean((test_y - constant) ** 2)": "np.sum((test_y - constant) ** 2)"},
)
SQUARED_TOO_LATE = (
    "The errors are averaged before they are squared, so their signs cancel.",
    {"np.mean((test_y - constant) ** 2)": "np.mean(test_y - constant) ** 2"},
)
TEST_VARIANCE = (
    "This is the variance of the test targets, as if the constant were their own mean.",
    {"np.mean((test_y - constant) ** 2)": "np.var(test_y)"},
)
ONLY_ERROR = (
    "Only the error comes back. Return the constant as well, before it.",
    {"return constant, error": "return error"},
)
CONSTANT_ZERO = (
    "The constant is 0. Choose the one that fits the training targets best.",
    {"np.mean(train_y)": "0.0"},
)
SINGLE_TARGET = (
    "The constant is a single training target. Choose the one that fits all of them best.",
    {"np.mean(train_y)": "train_y[-1]"},
    {"np.mean(train_y)": "train_y[0]"},
)
FORECAST_REPEATED = (
    "The constant is repeated for every test target. It is a single number.",
    {"return constant, error": "return np.full(len(test_y), constant), error"},
)
ONE_LESS = (
    "The sum of squares is divided by the number of targets minus 1. Divide by their number.",
    {"np.mean((test_y - constant) ** 2)": "np.sum((test_y - constant) ** 2) / (len(test_y) - 1)"},
)
ROOT_MEAN_SQUARE = (
    "The constant is the root mean square of the training targets. The mean squared error asks for "
    "another one.",
    {"np.mean(train_y)": "np.sqrt(np.mean(train_y**2))"},
)
SUM_OF_TARGETS = (
    "The constant is the sum of the training targets. Divide it by their number.",
    {"np.mean(train_y)": "np.sum(train_y)"},
)
EXTREME_TARGET = (
    "The constant is the largest or the smallest training target. Choose the one that fits all of "
    "them best.",
    {"np.mean(train_y)": "np.max(train_y)"},
    {"np.mean(train_y)": "np.min(train_y)"},
)
WHOLE_CONSTANT = (
    "The constant is a whole number. It need not be one, so do not round it.",
    {"np.mean(train_y)": "int(np.mean(train_y))"},
    {"np.mean(train_y)": "np.ceil(np.mean(train_y))"},
)
MEAN_OF_MEANS = (
    "The constant is the mean of the two parts' means. It must be fitted to the training targets "
    "alone.",
    {"np.mean(train_y)": "(np.mean(train_y) + np.mean(test_y)) / 2"},
)
SIGNS_DROPPED = (
    "The signs of the training targets are dropped. The constant is the mean of the targets as "
    "they are.",
    {"np.mean(train_y)": "np.mean(np.abs(train_y))"},
)
HALVED = (
    "The mean squared error is halved. It must be returned as it is.",
    {"np.mean((test_y - constant) ** 2)": "np.mean((test_y - constant) ** 2) / 2"},
)
BY_VARIANCE = (
    "The error is divided by the variance of the test targets. It must be returned as it is.",
    {"np.mean((test_y - constant) ** 2)": "np.mean((test_y - constant) ** 2) / np.var(test_y)"},
)
BY_TRAIN_LENGTH = (
    "The sum of squares is divided by the number of training targets. Divide by that of the test "
    "targets.",
    {"np.mean((test_y - constant) ** 2)": "np.sum((test_y - constant) ** 2) / len(train_y)"},
)
EACH_ERROR = (
    "There is an error for every test target. Average them: the error is one number.",
    {"np.mean((test_y - constant) ** 2)": "(test_y - constant) ** 2"},
)
SIGNED_ERROR = (
    "The differences are averaged with their signs, which cancel. Square them first.",
    {"np.mean((test_y - constant) ** 2)": "np.mean(test_y - constant)"},
    {"np.mean((test_y - constant) ** 2)": "abs(np.mean(test_y - constant))"},
)
MEDIAN_ERROR = (
    "The median of the squared errors is taken. The mean is asked for.",
    {"np.mean((test_y - constant) ** 2)": "np.median((test_y - constant) ** 2)"},
)
SAMPLE_VARIANCE = (
    "This is the variance of the test targets with n - 1, as if the constant were their own mean.",
    {"np.mean((test_y - constant) ** 2)": "np.var(test_y, ddof=1)"},
)
ONLY_CONSTANT = (
    "Only the constant comes back. Return its error as well, after it.",
    {"return constant, error": "return constant"},
)


# %% exercise="constant_baseline" wrong="WHOLE_NUMBERS"
WHOLE_NUMBERS = (
    "The fractions are cut off when the targets are whole numbers, because the result takes over "
    "their type."
)


def constant_baseline(train_y, test_y):
    constant = np.zeros_like(train_y[:1])
    constant[0] = np.mean(train_y)
    return constant[0], np.mean((test_y - constant[0]) ** 2)


# %% exercise="constant_baseline" edits="the mean, then its error"
TRIED_OUT = (
    "The constant is the best of a few that were tried. The mean of train_y is the best of all.",
    {
        "constant = np.mean(train_y)": (
            "tried = np.linspace(train_y.min(), train_y.max(), 101)\n"
            "    constant = min(tried, key=lambda one: np.mean((train_y - one) ** 2))"
        )
    },
)


# %% exercise="constant_baseline" edits="the mean, then its error"
DIVIDED_BY_TWO = (
    "The sum of the squared errors is divided by 2. Divide by the number of test targets.",
    {"np.mean((test_y - constant) ** 2)": "np.sum((test_y - constant) ** 2) / 2"},
)


# %% exercise="constant_baseline" edits="the mean, then its error"
NORM = (
    "The norm of the errors is returned, the square root of the sum of their squares. The mean "
    "squared error divides this sum by their number and takes no root.",
    {"np.mean((test_y - constant) ** 2)": "np.linalg.norm(test_y - constant)"},
)


# %% exercise="alignment_scores" right="equation by equation"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" edits="equation by equation" wrong="NO_TANH"
{" np.tanh": ""}


# %% exercise="alignment_scores" edits="equation by equation" wrong="NO_BIAS"
{" + b": ""}


# %% exercise="alignment_scores" edits="equation by equation"
BIAS_ACROSS = (
    "The bias is added across the examples. Add it while the scores have the shape (batch, time, "
    "1), and drop the last axis afterwards.",
    {"(x @ w + b)[..., 0]": "((x @ w)[..., 0] + b)"},
)


# %% exercise="alignment_scores" edits="equation by equation" wrong="KEPT_AXIS"
{"[..., 0]": "", "[:, :, None]": ""}


# %% exercise="alignment_scores" edits="equation by equation" wrong="MEAN"
{"np.sum": "x.mean", "x * weights[:, :, None],": ""}


# %% exercise="alignment_scores" edits="equation by equation"
SUM = (
    "This is the plain sum over time, as if every weight were 1.",
    {"np.sum": "x.sum", "x * weights[:, :, None],": ""},
)


# %% exercise="alignment_scores" edits="equation by equation" wrong="WEIGHTED_MEAN"
{"np.sum": "np.mean"}


# %% exercise="alignment_scores" edits="equation by equation" wrong="NOT_SUMMED"
{"np.sum(x * weights[:, :, None], axis=1)": "x * weights[:, :, None]"}


# %% exercise="alignment_scores" wrong="OVERFLOW"
OVERFLOW = (
    "The exponential overflows or underflows. Subtract the maximum of each row of scores first."
)


def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    return np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="BIAS_OUTSIDE"
def alignment_scores(x, w, b):
    return (np.tanh(x @ w) + b)[:, :, 0]


# %% exercise="alignment_scores" edits="equation by equation" wrong="OVERFLOW"
{"scores.max(axis=1, keepdims=True)": "scores.max()"}


# %% exercise="alignment_scores" edits="equation by equation" wrong="OVER_BATCH"
{
    "scores.max(axis=1, keepdims=True)": "scores.max(axis=0)",
    "shares.sum(axis=1, keepdims=True)": "shares.sum(axis=0)",
}


# %% exercise="alignment_scores" edits="equation by equation"
OVER_ALL = (
    "The softmax runs over all numbers together. Each example needs a softmax of its own.",
    {
        "scores.max(axis=1, keepdims=True)": "scores.max()",
        "shares.sum(axis=1, keepdims=True)": "shares.sum()",
    },
    {"shares.sum(axis=1, keepdims=True)": "shares.sum()"},
)
NO_EXP = (
    "The scores are divided by their sum without exp.",
    {
        (
            "shares = np.exp(scores - scores.max(axis=1, keepdims=True))\n"
            "    return shares / shares"
        ): "return scores / scores"
    },
)


# %% exercise="alignment_scores" wrong="NOT_NORMALISED"
NOT_NORMALISED = "The exponentials are not divided by their sum."


def attention_weights(scores):
    return np.exp(scores - np.max(scores, axis=1, keepdims=True))


# %% exercise="alignment_scores" right="SciPy and matrix products"
def alignment_scores(x, w, b):
    return np.tanh(np.squeeze(x @ w, axis=-1) + b.T)


def attention_weights(scores):
    from scipy.special import softmax

    return softmax(scores, axis=-1)


def attend(x, weights):
    return (weights[:, None, :] @ x)[:, 0]


# %% exercise="alignment_scores" right="Keras, in float32"
def alignment_scores(x, w, b):
    return ops.squeeze(ops.tanh(ops.matmul(x, w) + b), axis=2)


def attention_weights(scores):
    return ops.softmax(ops.cast(scores, "float32"), axis=1)


def attend(x, weights):
    return [
        sum(a * step for a, step in zip(*pair, strict=True))
        for pair in zip(weights, x, strict=True)
    ]


# %% exercise="alignment_scores" right="an einsum at the end"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[:, :, 0]


def attention_weights(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.einsum("bt,btf->bf", weights, x)


# %% exercise="alignment_scores" edits="an einsum at the end"
OTHER_ACTIVATION = (
    "The scores go through an activation other than tanh.",
    {"np.tanh(x @ w + b)": "(1 / (1 + np.exp(-(x @ w + b))))"},
    {"np.tanh(x @ w + b)": "np.maximum(x @ w + b, 0)"},
)
BIAS_SUBTRACTED = (
    "The bias is subtracted. It must be added.",
    {"x @ w + b": "x @ w - b"},
)
BIAS_MULTIPLIED = (
    "The scores are multiplied by the bias. It must be added.",
    {"x @ w + b": "x @ w * b"},
)
TANH_PER_FEATURE = (
    "The tanh is applied to every feature before they are added up. It takes the sum x w + b.",
    {"np.tanh(x @ w + b)[:, :, 0]": "np.tanh(x * w[:, 0] + b).sum(axis=2)"},
)
SCORES_NORMALISED = (
    "The scores have been through a softmax already. alignment_scores stops after the tanh.",
    {"return np.tanh(x @ w + b)[:, :, 0]": "return attention_weights(np.tanh(x @ w + b)[:, :, 0])"},
)
SMALLEST_FIRST = (
    "The smallest score gets the largest weight. The exponent must not change its sign.",
    {"scores - scores.max(axis=1, keepdims=True)": "scores.min(axis=1, keepdims=True) - scores"},
)
HARD = (
    "Only the largest score gets any weight. A softmax gives every step some.",
    {
        "e / e.sum(axis=1, keepdims=True)": (
            "(e == e.max(axis=1, keepdims=True)) / np.sum(\n"
            "        e == e.max(axis=1, keepdims=True), axis=1, keepdims=True\n    )"
        )
    },
)
SQUASHED_ONE_BY_ONE = (
    "Every score is turned into a weight by itself. The weights of one example must sum to 1.",
    {"e / e.sum(axis=1, keepdims=True)": "1 / (1 + np.exp(-np.clip(scores, -500, 500)))"},
)
SOFTMAX_TWICE = (
    "The softmax is applied twice. Once is enough.",
    {
        "return e / e.sum(axis=1, keepdims=True)": (
            "e = np.exp(e / e.sum(axis=1, keepdims=True))\n"
            "    return e / e.sum(axis=1, keepdims=True)"
        )
    },
)
SUM_OVER_BATCH = (
    "The exponentials are divided by their sum over the batch. The sum must run over time.",
    {"e.sum(axis=1, keepdims=True)": "e.sum(axis=0, keepdims=True)"},
)
TO_LENGTH_ONE = (
    "The exponentials are divided by their Euclidean length. Divide by their sum.",
    {"e.sum(axis=1, keepdims=True)": "np.linalg.norm(e, axis=1, keepdims=True)"},
)
LARGEST_STEP = (
    "The step with the largest weight comes back. All steps must be added up by their weights.",
    {'np.einsum("bt,btf->bf", weights, x)': "x[np.arange(len(x)), weights.argmax(axis=1)]"},
)
FEATURES_SUMMED = (
    "The features are added up. The time axis must disappear, not the features.",
    {'"bt,btf->bf"': '"bt,btf->bt"'},
)
BATCH_SUMMED = (
    "The examples are added up. The time axis must disappear, not the batch.",
    {'"bt,btf->bf"': '"bt,btf->tf"'},
)
OTHERS_WEIGHTS = (
    "An example is weighted with the weights of all examples. Each has weights of its own.",
    {'"bt,btf->bf"': '"ct,btf->bf"'},
)
TIME_KEPT = (
    "The time axis is still there, with length 1. The result must be (batch, features).",
    {'np.einsum("bt,btf->bf", weights, x)': 'np.einsum("bt,btf->bf", weights, x)[:, None]'},
)
WEIGHTS_BACKWARDS = (
    "The weights run backwards in time against the steps.",
    {'"bt,btf->bf", weights,': '"bt,btf->bf", weights[:, ::-1],'},
)
LAST_STEP_ONLY = (
    "Only the last step is weighted. All steps must be added up by their weights.",
    {'np.einsum("bt,btf->bf", weights, x)': "x[:, -1] * weights[:, -1:]"},
)
WEIGHTS_NORMALISED_AGAIN = (
    "The weights go through a softmax once more. attend takes them as they are.",
    {'"bt,btf->bf", weights,': '"bt,btf->bf", attention_weights(weights),'},
)
SQUEEZED = (
    "squeeze drops every axis of length 1, so the batch axis goes as well when there is one "
    "example. Drop the last axis alone.",
    {"[:, :, 0]": ".squeeze()"},
)
WEIGHT_SIGN = (
    "The sign of x w is turned round. The scores are tanh(x w + b).",
    {"x @ w + b": "b - x @ w"},
)
FIRST_BIAS = (
    "Every step gets the bias of the first one. Each has its own.",
    {"x @ w + b": "x @ w + b[0]"},
)
BIAS_BEFORE = (
    "The bias is added to x before the product with w. It is added to x w.",
    {"x @ w + b": "(x + b) @ w"},
)
TANH_EARLY = (
    "The tanh is applied to x. It takes the sum x w + b.",
    {"np.tanh(x @ w + b)": "(np.tanh(x) @ w + b)"},
)
TANH_TWICE = (
    "The tanh is applied twice. Once is enough.",
    {"np.tanh(x @ w + b)": "np.tanh(np.tanh(x @ w + b))"},
)
EXPONENTIALS = (
    "The scores have been through exp already. alignment_scores stops after the tanh.",
    {"np.tanh(x @ w + b)": "np.exp(np.tanh(x @ w + b))"},
)
SCORES_TURNED = (
    "The two axes are swapped. The scores must have the shape (batch, time).",
    {"[:, :, 0]": "[:, :, 0].T"},
)
KEEPDIMS = (
    "The sums have lost their axis, so NumPy divides by those of other examples or refuses. Use "
    "keepdims=True.",
    {"e.sum(axis=1, keepdims=True)": "e.sum(axis=1)"},
)
BY_MEAN = (
    "The exponentials are divided by their mean. Divide by their sum.",
    {"e.sum(axis=1, keepdims=True)": "e.mean(axis=1, keepdims=True)"},
)
LOGARITHMS = (
    "These are the logarithms of the weights. The weights themselves are asked for.",
    {"return e / e.sum(axis=1, keepdims=True)": "return np.log(e / e.sum(axis=1, keepdims=True))"},
)
TANH_IN_SOFTMAX = (
    "The scores go through a tanh on their way into the softmax. They are used as they are.",
    {"np.exp(scores - scores.max(axis=1, keepdims=True))": "np.exp(np.tanh(scores))"},
)
SCORES_CLIPPED = (
    "Large scores are clipped, which changes their weights. Subtract the maximum of each row "
    "instead.",
    {"np.exp(scores - scores.max(axis=1, keepdims=True))": "np.exp(np.clip(scores, -500, 500))"},
    {"np.exp(scores - scores.max(axis=1, keepdims=True))": "np.exp(np.clip(scores, -100, 100))"},
)
DIVIDED_BY_LARGEST = (
    "The scores are divided by the largest of each row. Subtract it instead, which changes no "
    "weight.",
    {"scores - scores.max(": "scores / scores.max("},
)
WEIGHTS_ROUNDED = (
    "The weights are rounded. Return them as they are.",
    {
        "return e / e.sum(axis=1, keepdims=True)": (
            "return np.round(e / e.sum(axis=1, keepdims=True), 4)"
        )
    },
    {
        "return e / e.sum(axis=1, keepdims=True)": (
            "return np.round(e / e.sum(axis=1, keepdims=True), 2)"
        )
    },
)
ALL_SUMMED = (
    "The features are added up as well as the steps. Only the time axis must disappear.",
    {'"bt,btf->bf"': '"bt,btf->b"'},
)
EVERY_PAIR = (
    "weights @ x lets the weights of every example meet every other example. Each example has "
    "weights of its own.",
    {'np.einsum("bt,btf->bf", weights, x)': "weights @ x"},
)
LARGEST_TAKEN = (
    "The largest weighted step is taken in each feature. The weighted steps must be added up.",
    {'np.einsum("bt,btf->bf", weights, x)': "np.max(weights[:, :, None] * x, axis=1)"},
)
FIRST_WEIGHTS = (
    "All examples get the weights of the first one. Each has weights of its own.",
    {'"bt,btf->bf", weights,': '"t,btf->bf", weights[0],'},
)
CONTEXT_TURNED = (
    "The two axes are swapped. The result must have the shape (batch, features).",
    {'"bt,btf->bf"': '"bt,btf->fb"'},
)
WEIGHTS_AXIS = (
    "weights (batch, time) needs a last axis before it meets x (batch, time, features): "
    "weights[:, :, None].",
    {'np.einsum("bt,btf->bf", weights, x)': "np.sum(weights * x, axis=1)"},
)
STEPS_OF_ALL = (
    "The steps of all examples are added up. Each example has steps of its own.",
    {'"bt,btf->bf"': '"bt,ctf->bf"'},
)
SUM_PLUS_CONSTANT = (
    "A constant is added to the sum that the exponentials are divided by, so the weights do not "
    "sum to 1. One of the order of 1e-9 does no harm.",
    {"e.sum(axis=1, keepdims=True)": "(e.sum(axis=1, keepdims=True) + 1e-3)"},
)
WEIGHTS_SQUARED = (
    "The weights are squared, so they do not sum to 1. attend takes them as they are.",
    {'"bt,btf->bf", weights,': '"bt,btf->bf", weights**2,'},
)


# %% exercise="alignment_scores" edits="equation by equation" wrong="NO_EXP"
{"np.exp(scores - scores.max(axis=1, keepdims=True))": "scores - scores.min(axis=1, keepdims=True)"}


# %% exercise="alignment_scores" edits="an einsum at the end"
MEAN_BIAS = (
    "Every step gets the mean of the biases. Each has its own.",
    {"x @ w + b": "x @ w + b.mean()"},
)


# %% exercise="alignment_scores" edits="equation by equation"
WHOLE_NUMBERS = (
    "The fractions are cut off when x holds whole numbers, because the result takes over their "
    "type. Make new arrays with np.zeros(shape).",
    {"weights[:, :, None], axis=1)": "weights[:, :, None], axis=1).astype(x.dtype)"},
    {"np.tanh(x @ w + b)[..., 0]": "np.tanh(x @ w + b)[..., 0].astype(x.dtype)"},
)
NORMALISED_AGAIN = (
    "attend divides the weights by their sum. It must use them as they are; attention_weights has "
    "normalised them.",
    {
        "np.sum(x * weights[:, :, None], axis=1)": (
            "np.sum(x * weights[:, :, None], axis=1) / weights.sum(axis=1, keepdims=True)"
        )
    },
)


# %% exercise="alignment_scores" edits="SciPy and matrix products"
FIRST_STEPS = (
    "attend takes the steps of the first example for all examples. Each has its own.",
    {"(weights[:, None, :] @ x)[:, 0]": "(weights @ x)[0]"},
)


# %% exercise="alignment_scores" edits="equation by equation"
SCORES_SCALED = (
    "The scores are divided by the square root of the number of features, as in a Transformer. "
    "This layer does not scale its scores.",
    {"x @ w + b": "x @ w / np.sqrt(x.shape[-1]) + b"},
    {"x @ w + b": "(x @ w + b) / np.sqrt(x.shape[-1])"},
)


# %% exercise="alignment_scores" edits="equation by equation"
FIRST_SCORED = (
    "Only the first example is scored. The result has a row for every example.",
    {"np.tanh(x @ w + b)[..., 0]": "np.tanh(x[0] @ w + b).T"},
)


# %% exercise="AttentionPooling" right="equation by equation"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" edits="equation by equation"
BIAS_SHARED = (
    "The bias is a single number for all steps. It must have the shape (time, 1).",
    {"input_shape[1], 1": "1,"},
)


# %% exercise="AttentionPooling" edits="equation by equation" wrong="WRONG_NAMES"
{'"attention_weight"': '"W"', '"attention_bias"': '"b"'}


# %% exercise="AttentionPooling" edits="equation by equation"
ORDER = (
    "The bias is created before the weight. attention_weight comes first.",
    {
        "(self, input_shape):": (
            "(self, input_shape):\n"
            '        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))'
        ),
        '        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))\n': (
            ""
        ),
    },
)


# %% exercise="AttentionPooling" edits="equation by equation" wrong="NOT_RESTORED"
{
    "(keras.layers.Layer):": (
        "(keras.layers.Layer):\n    def __init__(self):\n        super().__init__()"
    ),
    "1), axis=1)": (
        "1), axis=1)\n\n    def get_config(self):\n        return super().get_config()"
    ),
}
{
    "(keras.layers.Layer):": (
        "(keras.layers.Layer):\n    def __init__(self):\n        super().__init__()"
    )
}


# %% exercise="AttentionPooling" wrong="LAST_AXIS"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        weights = ops.softmax(ops.tanh(ops.matmul(inputs, self.w) + self.b))
        if mask is not None:
            weights *= ops.cast(mask, "float32")[:, :, None]
        return ops.sum(inputs * weights, axis=1)


# %% exercise="AttentionPooling" wrong="OVER_BATCH"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        weights = ops.softmax(ops.tanh(ops.matmul(inputs, self.w) + self.b), axis=0)
        return ops.sum(inputs * weights, axis=1)


# %% exercise="AttentionPooling" edits="equation by equation" wrong="NO_TANH"
{"ops.tanh(ops.matmul(inputs, self.w) + self.b)": "ops.matmul(inputs, self.w) + self.b"}


# %% exercise="AttentionPooling" edits="equation by equation" wrong="NOT_SUMMED"
{"ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)": ("inputs * ops.softmax(scores, axis=1)")}


# %% exercise="AttentionPooling" edits="equation by equation"
ALL_MASKED = "An example whose steps are all masked must give finite numbers.", {"-1e9": "-np.inf"}


# %% exercise="AttentionPooling" wrong="MEAN"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        return ops.mean(inputs, axis=1)


# %% exercise="AttentionPooling" wrong="NOT_TRAINABLE"
NOT_TRAINABLE = (
    "No gradient reaches the weights inside a model. Compute with keras.ops instead of NumPy."
)


class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        shares = np.exp(np.tanh(np.matmul(inputs, self.w.numpy()) + self.b.numpy()))
        if mask is not None:
            shares = shares * np.asarray(mask)[:, :, None]
        total = np.maximum(shares.sum(axis=1), 1e-7)
        return ops.convert_to_tensor((inputs * shares).numpy().sum(axis=1) / total)

    def compute_output_shape(self, input_shape):
        return input_shape[0], input_shape[-1]


# %% exercise="AttentionPooling" wrong="HELD_BACK"
HELD_BACK = "The gradient is not that of the formulas. No part of them may be cut off from it."


class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        shares = ops.exp(ops.tanh(ops.matmul(inputs, self.w) + self.b))
        if mask is not None:
            shares = shares * ops.cast(mask, shares.dtype)[:, :, None]
        total = ops.maximum(ops.sum(shares, axis=1, keepdims=True), 1e-7)
        return ops.sum(inputs * shares / ops.stop_gradient(total), axis=1)


# %% exercise="AttentionPooling" edits="equation by equation"
FROZEN = (
    "A weight is created with trainable=False, so training never changes it.",
    {"(input_shape[-1], 1)": "(input_shape[-1], 1), trainable=False"},
)


# %% exercise="AttentionPooling" edits="equation by equation" wrong="MASK_IGNORED"
{
    ", mask=None": "",
    (
        "if mask is not None:\n"
        "            scores = ops.where(mask[:, :, None], scores, -1e9)\n"
        "        "
    ): "",
}
{
    (
        "if mask is not None:\n"
        "            scores = ops.where(mask[:, :, None], scores, -1e9)\n"
        "        "
    ): ""
}


# %% exercise="AttentionPooling" edits="equation by equation" wrong="MASK_INVERTED"
{"scores, -1e9": "-1e9, scores"}


# %% exercise="AttentionPooling" wrong="MASK_AFTER"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        weights = ops.softmax(ops.tanh(ops.matmul(inputs, self.w) + self.b), axis=1)
        if mask is not None:
            weights = weights * ops.cast(mask, weights.dtype)[:, :, None]
        return ops.sum(inputs * weights, axis=1)


# %% exercise="AttentionPooling" edits="equation by equation" wrong="SCORE_ZEROED"
{"ops.where(mask[:, :, None], scores, -1e9)": ("scores * ops.cast(mask, scores.dtype)[:, :, None]")}


# %% exercise="AttentionPooling" wrong="INPUTS_ZEROED"
INPUTS_ZEROED = "The masked inputs are set to 0, but their steps still take part in the softmax."


class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        if mask is not None:
            inputs = inputs * ops.cast(mask, inputs.dtype)[:, :, None]
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" edits="equation by equation" wrong="NO_BIAS"
{" + self.b": ""}


# %% exercise="AttentionPooling" edits="equation by equation" wrong="BIAS_OUTSIDE"
{"+ self.b)": ") + self.b"}


# %% exercise="AttentionPooling" edits="equation by equation" wrong="WEIGHTED_MEAN"
{"sum": "mean"}


# %% exercise="AttentionPooling" edits="equation by equation" wrong="FROZEN"
{"(input_shape[1], 1)": "(input_shape[1], 1), trainable=False"}


# %% exercise="AttentionPooling" edits="equation by equation" wrong="SCORE_BOUNDED"
{
    "ops.tanh(ops.matmul(inputs, self.w) + self.b)": "ops.matmul(inputs, self.w) + self.b",
    "scores, axis=1": "ops.tanh(scores), axis=1",
}


# %% exercise="AttentionPooling" right="a softmax layer with a mask"
@keras.saving.register_keras_serializable(package="Chapter3")
class AttentionPooling(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.softmax = keras.layers.Softmax(axis=1)

    def compute_mask(self, x, mask=None):
        return None

    def build(self, input_shape):
        self.W = self.add_weight(
            name="attention_weight", shape=(input_shape[-1], 1), initializer="random_normal"
        )
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))
        super().build(input_shape)

    def call(self, x, mask=None):
        scores = ops.tanh(ops.dot(x, self.W) + self.b)
        scores = self.softmax(scores, mask=None if mask is None else mask[:, :, None])
        return ops.sum(x * scores, axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

    def get_config(self):
        return super().get_config()


# %% exercise="AttentionPooling" right="TensorFlow, a large negative number for masked scores"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.attention = (
            self.add_weight(shape=(input_shape[-1], 1), name="attention_weight"),
            self.add_weight(shape=(input_shape[-2], 1), name="attention_bias", initializer="ones"),
        )

    def call(self, inputs, mask=None):
        import tensorflow as tf

        w, b = self.attention
        scores = tf.squeeze(tf.tanh(inputs @ w + b), axis=-1)
        if mask is not None:
            scores += -1e9 * (1 - tf.cast(mask, scores.dtype))
        return tf.einsum("bt,btf->bf", tf.nn.softmax(scores), inputs)


# %% exercise="AttentionPooling" right="a setting of its own"
class AttentionPooling(keras.layers.Layer):
    def __init__(self, initializer="glorot_uniform", **kwargs):
        super().__init__(**kwargs)
        self.initializer = initializer

    def build(self, input_shape):
        of_weight, of_bias = (input_shape[-1], 1), (input_shape[1], 1)
        self.w = self.add_weight(of_weight, self.initializer, name="attention_weight")
        self.b = self.add_weight(of_bias, self.initializer, name="attention_bias")

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)

    def get_config(self):
        return {**super().get_config(), "initializer": self.initializer}


# %% exercise="AttentionPooling" right="exponentials, masked and normalised"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        _, time, features = input_shape
        self.w = self.add_weight(name="attention_weight", shape=(features, 1))
        self.b = self.add_weight(name="attention_bias", shape=(time, 1), initializer="zeros")

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        shares = ops.exp(scores)
        if mask is not None:
            shares = shares * ops.cast(mask, shares.dtype)[:, :, None]
        weights = shares / (ops.sum(shares, axis=1, keepdims=True) + 1e-9)
        return ops.sum(weights * inputs, axis=1)

    def compute_mask(self, inputs, mask=None):
        return None


# %% exercise="AttentionPooling" edits="exponentials, masked and normalised"
OTHER_ACTIVATION = (
    "The scores go through an activation other than tanh.",
    {"ops.tanh(": "ops.sigmoid("},
    {"ops.tanh(": "ops.relu("},
)
TIME_KEPT = (
    "The time axis is still there, with length 1. The output must be (batch, features).",
    {"ops.sum(weights * inputs, axis=1)": "ops.sum(weights * inputs, axis=1, keepdims=True)"},
)
FEATURES_SUMMED = (
    "The features are added up. The time axis must disappear, not the features.",
    {"ops.sum(weights * inputs, axis=1)": "ops.sum(weights * inputs, axis=2)"},
)
LARGEST_TAKEN = (
    "The largest weighted step is taken in each feature. The weighted steps must be added up.",
    {"ops.sum(weights * inputs, axis=1)": "ops.max(weights * inputs, axis=1)"},
)
NOT_NORMALISED_LAYER = (
    "The exponentials are not divided by their sum, so the weights do not sum to 1.",
    {"shares / (ops.sum(shares, axis=1, keepdims=True) + 1e-9)": "shares"},
)
SCORES_AS_SHARES = (
    "The scores are divided by their sum without exp. The softmax takes their exponentials.",
    {"ops.exp(scores)": "scores"},
)
BY_STEPS = (
    "The exponentials are divided by the number of steps. Divide them by their sum.",
    {"(ops.sum(shares, axis=1, keepdims=True) + 1e-9)": "inputs.shape[1]"},
)
SIGMOID_WEIGHTS = (
    "The weights come from a sigmoid of the scores. The softmax takes their exponentials.",
    {"ops.exp(scores)": "ops.sigmoid(scores)"},
)
BOTH_RETURNED = (
    "Weights come back beside the context. The layer returns the context alone.",
    {
        "return ops.sum(weights * inputs, axis=1)": (
            "return ops.sum(weights * inputs, axis=1), weights"
        )
    },
)
MASK_TOO_WEAK = (
    "The score of a masked step is only lowered a little, so the step still has a weight. It must "
    "be 0.",
    {
        "shares * ops.cast(mask, shares.dtype)[:, :, None]": (
            "ops.exp(scores - (1.0 - ops.cast(mask, shares.dtype))[:, :, None])"
        )
    },
    {
        "shares * ops.cast(mask, shares.dtype)[:, :, None]": (
            "ops.exp(ops.where(mask[:, :, None], scores, -10.0))"
        )
    },
)
BIAS_TURNED = (
    "attention_bias has another shape. It must be (time, 1).",
    {"shape=(time, 1)": "shape=(1, time)", "+ self.b": "+ ops.transpose(self.b)"},
    {"shape=(time, 1)": "shape=(time,)", "+ self.b": "+ self.b[:, None]"},
    {"shape=(time, 1)": "shape=(time,)"},
    {
        "shape=(time, 1)": "shape=(time,)",
        "ops.exp(scores)": "ops.exp(ops.squeeze(scores, axis=-1))[:, :, None]",
    },
)
WEIGHT_FLAT = (
    "attention_weight has another shape. It must be (features, 1).",
    {"shape=(features, 1)": "shape=(features,)", "(inputs, self.w)": "(inputs, self.w[:, None])"},
    {"shape=(features, 1)": "shape=(features, features)"},
)
SCORES_ADDED_UP = (
    "The scores are added up by their weights. The steps of inputs must be.",
    {"weights * inputs": "weights * scores"},
)
THIRD_WEIGHT = (
    "There is a third weight. The layer has two, attention_weight and attention_bias.",
    {
        "        self.b = self": '        self.scale = self.add_weight(name="scale", shape=(1,))\n'
        "        self.b = self"
    },
)
CONTEXT_SQUASHED = (
    "The context goes through a tanh. It is the weighted sum itself.",
    {
        "return ops.sum(weights * inputs, axis=1)": (
            "return ops.tanh(ops.sum(weights * inputs, axis=1))"
        )
    },
)
TANH_TWICE = (
    "The scores go through tanh twice. Once is enough.",
    {"ops.exp(scores)": "ops.exp(ops.tanh(scores))"},
)
BIAS_SUBTRACTED = (
    "The bias is subtracted. It must be added.",
    {"+ self.b)": "- self.b)"},
)
MASK_REQUIRED = (
    "The layer fails without a mask. mask is None then, and every step is real.",
    {
        "        if mask is not None:\n            shares = shares": "        shares = shares",
    },
    {"def call(self, inputs, mask=None)": "def call(self, inputs, mask)"},
)
MASK_AXIS = (
    "The mask (batch, time) needs a last axis before it meets scores of the shape "
    "(batch, time, 1): mask[:, :, None].",
    {"[:, :, None]": ""},
)
MASK_NOT_CAST = (
    "The mask is boolean and cannot be multiplied with numbers. ops.cast(mask, inputs.dtype) turns "
    "it into zeros and ones.",
    {"ops.cast(mask, shares.dtype)[:, :, None]": "mask[:, :, None]"},
    {
        "shares * ops.cast(mask, shares.dtype)[:, :, None]": (
            "ops.exp(scores + (1 - mask[:, :, None]) * -1e9)"
        )
    },
    {
        "shares * ops.cast(mask, shares.dtype)[:, :, None]": (
            "ops.exp(scores + ~mask[:, :, None] * -1e9)"
        )
    },
)
WEIGHTS_AXIS_IN_LAYER = (
    "The weights (batch, time) need a last axis before they meet inputs of the shape "
    "(batch, time, features): weights[:, :, None].",
    {"weights * inputs": "weights[:, :, 0] * inputs"},
)
NAME_FIRST = (
    "The first argument of add_weight is the shape. Give the name by its keyword, name=...",
    {'name="attention_weight", shape': '"attention_weight", shape'},
    {'name="attention_bias", shape': '"attention_bias", shape'},
)
BASE_NOT_CALLED = (
    "__init__ does not call super().__init__(**kwargs), without which Keras cannot use the layer. "
    "It must be the first thing that __init__ does.",
    {
        "    def build": (
            "    def __init__(self, **kwargs):\n"
            "        self.supports_masking = True\n\n"
            "    def build"
        )
    },
)
MASK_AS_CONDITION = (
    "A mask of many steps is neither true nor false. Ask whether there is one: if mask is not "
    "None.",
    {"if mask is not None": "if mask"},
)
LAST_STEP_ONLY = (
    "Only the last step comes back, with its weight. The weighted steps must be added up.",
    {"ops.sum(weights * inputs, axis=1)": "(weights * inputs)[:, -1]"},
)
LARGEST_STEP = (
    "The step with the largest weight comes back. All steps must be added up by their weights.",
    {
        "ops.sum(weights * inputs, axis=1)": (
            "ops.take_along_axis(inputs, ops.argmax(weights, axis=1)[:, :, None], axis=1)[:, 0]"
        )
    },
)
UNKNOWN_TO_KERAS = (
    "A weight is made without add_weight, so Keras neither trains nor saves it.",
    {
        'self.add_weight(name="attention_weight", shape=(features, 1))': (
            "keras.random.normal((features, 1))"
        )
    },
    {
        'self.add_weight(name="attention_bias", shape=(time, 1), initializer="zeros")': (
            "ops.zeros((time, 1))"
        )
    },
    {
        'self.add_weight(name="attention_weight", shape=(features, 1))': (
            "keras.random.normal((features, 1))"
        ),
        'self.add_weight(name="attention_bias", shape=(time, 1), initializer="zeros")': (
            "ops.zeros((time, 1))"
        ),
    },
)
MADE_IN_CALL = (
    "A weight is made in call, which runs again for every batch. Make both weights in build.",
    {
        '        self.b = self.add_weight(name="attention_bias", shape=(time, 1), '
        'initializer="zeros")\n\n': "\n",
        "        scores = ops.tanh(": (
            '        self.b = self.add_weight(name="attention_bias", shape=(inputs.shape[1], 1))\n'
            "        scores = ops.tanh("
        ),
    },
)
STATIC_BATCH = (
    "The number of examples is read from inputs.shape, where it is None while a model is built. "
    "Write -1 for it in ops.reshape, or leave the axes as they are.",
    {"ops.exp(scores)": "ops.reshape(ops.exp(scores), (inputs.shape[0], inputs.shape[1], 1))"},
    {
        "ops.exp(scores)": (
            "ops.reshape(ops.exp(scores), (inputs.shape[0], inputs.shape[1]))[:, :, None]"
        )
    },
)
WEIGHTS_SQUARED = (
    "The weights are squared, so they do not sum to 1.",
    {"ops.sum(weights * inputs, axis=1)": "ops.sum(weights**2 * inputs, axis=1)"},
)
SOFTMAX_TWICE = (
    "The softmax is applied twice. Once is enough.",
    {
        "ops.sum(weights * inputs, axis=1)": (
            "ops.sum(ops.softmax(weights, axis=1) * inputs, axis=1)"
        )
    },
)
SIZES_EXCHANGED = (
    "time and features are swapped. input_shape is (batch, time, features).",
    {"_, time, features": "_, features, time"},
)
BIAS_OF_FEATURES = (
    "attention_bias has an entry for each feature. It has one for each step, of shape (time, 1).",
    {
        "shape=(time, 1)": "shape=(features,)",
        "ops.matmul(inputs, self.w) + self.b": "ops.matmul(inputs + self.b, self.w)",
    },
    {"shape=(time, 1)": "shape=(features, 1)"},
)
SUM_OVER_ALL = (
    "The exponentials are divided by their sum over all examples. The weights of each example must "
    "sum to 1.",
    {"ops.sum(shares, axis=1, keepdims=True)": "ops.sum(shares)"},
)
NO_GRADIENT = (
    "stop_gradient keeps training from changing the weights.",
    {"shares = ops.exp(scores)": "shares = ops.stop_gradient(ops.exp(scores))"},
)
LARGE_EPSILON = (
    "A constant is added to the sum that the exponentials are divided by, so the weights do not "
    "sum to 1. One of the order of 1e-9 does no harm.",
    {"1e-9": "1e-2"},
    {"1e-9": "1e-3"},
)


# %% exercise="AttentionPooling" edits="equation by equation" wrong="BIAS_SHARED"
{"input_shape[1], 1": "1, 1"}


# %% exercise="AttentionPooling" edits="exponentials, masked and normalised" wrong="MASK_TOO_WEAK"
{
    "shares * ops.cast(mask, shares.dtype)[:, :, None]": (
        "ops.exp(scores - 10.0 * (1.0 - ops.cast(mask, shares.dtype))[:, :, None])"
    )
}


# %% exercise="AttentionPooling" edits="equation by equation" wrong="MASK_NOT_IN_TRAINING"
{
    "mask=None)": "mask=None, training=None)",
    "mask is not None:": "mask is not None and not training:",
}

# %% exercise="AttentionPooling" edits="equation by equation" wrong="MASK_HANDED_ON"
{"    def call": "    supports_masking = True\n\n    def call"}
{
    "    def call": (
        "    def compute_mask(self, inputs, mask=None):\n        return mask\n\n    def call"
    )
}

# %% exercise="AttentionPooling" edits="equation by equation"
ZEROS_MASKED = (
    "Steps of zeros are treated as padding although no mask came. Without a mask every step "
    "counts.",
    {
        "        if mask": (
            "        mask = ops.any(inputs != 0, axis=-1) if mask is None else mask\n"
            "        if mask"
        )
    },
)
DROPOUT = (
    "Some weights are dropped in training. The layer has no dropout.",
    {"ops.softmax(scores, axis=1)": "keras.layers.Dropout(0.5)(ops.softmax(scores, axis=1))"},
)


# %% exercise="AttentionPooling" edits="equation by equation"
SUM_AT_LEAST_1 = (
    "The exponentials are divided by 1 where their sum is smaller, so the weights no longer sum to "
    "1. Only a sum of 0 needs another denominator.",
    {
        "        return ops.sum(": "        shares = ops.exp(scores)\n        return ops.sum(",
        "ops.softmax(scores, axis=1)": (
            "shares / ops.maximum(ops.sum(shares, axis=1, keepdims=True), 1.0)"
        ),
    },
)


# %% exercise="AttentionPooling" edits="equation by equation"
SUM_OVER_THE_BATCH = (
    "The weights are divided by their sum over the whole batch. In each example they must sum to "
    "1.",
    {
        "            scores = ops.where(mask[:, :, None], scores, -1e9)\n": (
            "            real = ops.cast(mask, scores.dtype)[:, :, None]\n"
            "            kept = ops.softmax(scores, axis=1) * real\n"
            "            return ops.sum(inputs * kept / ops.sum(kept), axis=1)\n"
        )
    },
)


# %% exercise="AttentionPooling" edits="equation by equation" wrong="FROZEN"
{
    "(input_shape[-1], 1)": "(input_shape[-1], 1), trainable=False",
    "(input_shape[1], 1)": "(input_shape[1], 1), trainable=False",
}


# %% exercise="AttentionPooling" edits="equation by equation"
POOLING_SCALED = (
    "The product of inputs and weight is divided by the square root of the number of features, as "
    "in a Transformer. This layer does not scale its scores.",
    {"ops.matmul(inputs, self.w)": "ops.matmul(inputs, self.w) / inputs.shape[-1] ** 0.5"},
)
FIRST_EXAMPLE_WEIGHTS = (
    "All examples get the weights of the first one. Each has weights of its own.",
    {"ops.softmax(scores, axis=1)": "ops.softmax(scores, axis=1)[:1]"},
)


# %% exercise="AttentionPooling" edits="a softmax layer with a mask"
POOLING_NAME_LOST = (
    "The base class does not get its arguments, such as the name. Pass **kwargs on to "
    "super().__init__.",
    {"super().__init__(**kwargs)": "super().__init__()"},
)
POOLING_BASE_LEFT_OUT = (
    "The configuration lacks what the base class knows, such as the name. Start from "
    "super().get_config().",
    {"return super().get_config()": "return {}"},
)


# %% exercise="AttentionPooling" edits="equation by equation"
LOWERED_TOO_LITTLE = (
    "Masked steps keep a little weight, because their scores are not low enough. Use a number "
    "such as -1e9.",
    {"scores, -1e9)": "scores, scores - 5.0)"},
    {"-1e9": "-10.0"},
    {"-1e9": "-5.0"},
)


# %% exercise="BoundedPooling" right="equation by equation"
class BoundedPooling(keras.layers.Layer):
    def __init__(self, bound=1.0, squash="tanh", **kwargs):
        if bound <= 0:
            raise ValueError("bound must be positive")
        super().__init__(**kwargs)
        self.bound, self.squash = bound, keras.activations.get(squash)

    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))

    def call(self, inputs, mask=None):
        scores = self.bound * self.squash(ops.matmul(inputs, self.w))
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)

    def get_config(self):
        squash = keras.activations.serialize(self.squash)
        return {**super().get_config(), "bound": self.bound, "squash": squash}


# %% exercise="BoundedPooling" edits="equation by equation"
BOUND_IGNORED = "The argument bound is ignored.", {" self.bound *": ""}
BOUND_INSIDE = (
    "The bound is inside the tanh. It must multiply the result of tanh.",
    {
        "self.bound * self.squash(ops.matmul(inputs, self.w))": (
            "self.squash(self.bound * ops.matmul(inputs, self.w))"
        )
    },
)
CLIPPED = (
    "The scores are clipped at the bound. They must be the bound times a tanh.",
    {
        "self.bound * self.squash(ops.matmul(inputs, self.w))": (
            "ops.clip(ops.matmul(inputs, self.w), -self.bound, self.bound)"
        )
    },
)
BOUND_ACCEPTED = (
    "A bound that is not positive is accepted. The layer must raise ValueError.",
    {('        if bound <= 0:\n            raise ValueError("bound must be positive")\n'): ""},
)
FUNCTION_IN_CONFIG = (
    "The configuration cannot hold the function. get_config must return its name under the key "
    '"squash".',
    {
        (
            "\n"
            "\n"
            "    def get_config(self):\n"
            "        squash = keras.activations.serialize(self.squash)\n"
            '        return {**super().get_config(), "bound": self.bound, "squash": squash}'
        ): ""
    },
    {
        ("squash = keras.activations.serialize(self.squash)\n        "): "",
        ": squash": ": self.squash",
    },
)
BASE_LEFT_OUT = (
    "The configuration lacks what the base class knows, such as the name. Start from "
    "super().get_config().",
    {"**super().get_config(),": ""},
)
ONE_LENGTH = (
    "The layer has a weight for each step, so it accepts sequences of one length only. It must "
    "have one weight array of shape (features, 1).",
    {
        "def call": (
            '    self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))\n'
            "\n"
            "    def call"
        ),
        "(inputs, self.w)": "(inputs, self.w) + self.b",
    },
)
NAME_LOST = (
    "The base class does not get its arguments, such as the name. Pass **kwargs on to "
    "super().__init__.",
    {"(**kwargs)": "()"},
)


# %% exercise="BoundedPooling" edits="equation by equation" wrong="NO_TANH"
{"self.squash(ops.matmul(inputs, self.w))": "ops.matmul(inputs, self.w)"}


# %% exercise="BoundedPooling" edits="equation by equation"
TANH_ONLY = "tanh is built in. The function is the setting squash.", {"* self.squash": "* ops.tanh"}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="NOT_RESTORED"
{", **kwargs": "", "(**kwargs)": "()"}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="WRONG_NAMES"
{'"attention_weight"': '"w"'}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="LAST_AXIS"
{
    "scores = ops.where(mask[:, :, None], scores, -1e9)": (
        "inputs = inputs * ops.cast(mask, inputs.dtype)[:, :, None]"
    ),
    "scores, axis=1": "scores",
}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="OVER_BATCH"
{
    (
        "if mask is not None:\n"
        "            scores = ops.where(mask[:, :, None], scores, -1e9)\n"
        "        "
    ): "",
    "scores, axis=1": "scores, axis=0",
}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="MASK_IGNORED"
{
    (
        "if mask is not None:\n"
        "            scores = ops.where(mask[:, :, None], scores, -1e9)\n"
        "        "
    ): ""
}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="MASK_INVERTED"
{"scores, -1e9": "-1e9, scores"}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="MASK_AFTER"
{
    (
        "if mask is not None:\n"
        "            scores = ops.where(mask[:, :, None], scores, -1e9)\n"
        "        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)"
    ): (
        "weights = ops.softmax(scores, axis=1)\n"
        "        if mask is not None:\n"
        "            weights *= ops.cast(mask, weights.dtype)[:, :, None]\n"
        "        return ops.sum(inputs * weights, axis=1)"
    )
}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="CLIPPED"
{
    "self.bound * self.squash(ops.matmul(inputs, self.w))": (
        "ops.clip(self.squash(ops.matmul(inputs, self.w)), -self.bound, self.bound)"
    )
}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="SCORE_BOUNDED"
{
    "self.bound * self.squash(ops.matmul(inputs, self.w))": "ops.matmul(inputs, self.w)",
    "scores, axis=1": "self.bound * self.squash(scores), axis=1",
}


# %% exercise="BoundedPooling" right="exponentials divided by their sum"
class BoundedPooling(keras.layers.Layer):
    def __init__(self, bound=1.0, squash="tanh", **kwargs):
        if bound <= 0:
            raise ValueError("bound must be positive")
        super().__init__(**kwargs)
        self.bound, self.squash = bound, keras.activations.get(squash)

    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))

    def call(self, inputs, mask=None):
        scores = self.bound * self.squash(ops.matmul(inputs, self.w))
        shares = ops.exp(scores - self.bound)
        if mask is not None:
            shares *= ops.cast(mask, shares.dtype)[:, :, None]
        total = ops.sum(shares, axis=1)
        return ops.sum(inputs * shares, axis=1) / ops.maximum(total, 1e-30)

    def get_config(self):
        config = super().get_config()
        config.update(bound=float(self.bound), squash=self.squash.__name__)
        return config


# %% exercise="BoundedPooling" right="a softmax layer"
class BoundedPooling(keras.layers.Layer):
    def __init__(self, bound=1.0, squash="tanh", **kwargs):
        super().__init__(**kwargs)
        if bound <= 0:
            raise ValueError("bound must be positive")
        self.bound = bound
        self.squash = keras.activations.get(squash)
        self.softmax = keras.layers.Softmax(axis=1)

    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))

    def call(self, inputs, mask=None):
        scores = self.bound * self.squash(ops.matmul(inputs, self.w))
        if mask is not None:
            mask = mask[:, :, None]
        return ops.sum(self.softmax(scores, mask=mask) * inputs, axis=1)

    def get_config(self):
        squash = keras.activations.serialize(self.squash)
        return {**super().get_config(), "bound": self.bound, "squash": squash}

    def compute_mask(self, inputs, mask=None):
        return None


# %% exercise="BoundedPooling" edits="a softmax layer"
BOUND_DIVIDES = (
    "The scores are divided by the bound. They must be multiplied by it.",
    {
        "self.bound * self.squash(ops.matmul(inputs, self.w))": (
            "self.squash(ops.matmul(inputs, self.w)) / self.bound"
        )
    },
)
BOUND_ADDED = (
    "The bound is added to the scores, which changes no weight. It must multiply them.",
    {"self.bound * self": "self.bound + self"},
)
CONTEXT_SCALED = (
    "The context is multiplied by the bound. The scores must be, before the softmax.",
    {"self.bound * self.squash": "self.squash", "return ops.sum(": "return self.bound * ops.sum("},
)
CONTEXT_SQUASHED = (
    "The context goes through squash. Only the scores do.",
    {
        "return ops.sum(self.softmax(scores, mask=mask) * inputs, axis=1)": (
            "return self.squash(ops.sum(self.softmax(scores, mask=mask) * inputs, axis=1))"
        )
    },
)
SQUASHED_TWICE = (
    "squash is applied a second time, to the bounded scores.",
    {"self.softmax(scores": "self.softmax(self.squash(scores)"},
)
NEGATIVE_ACCEPTED = (
    "A negative bound is accepted. The layer must raise ValueError for every bound that is not "
    "positive.",
    {"bound <= 0": "bound == 0"},
)
SMALL_REFUSED = (
    "A bound below 1 is refused. Every positive bound is allowed.",
    {"bound <= 0": "bound < 1"},
)
OTHER_ERROR = (
    "A bound that is not positive raises an error of another kind. It must be a ValueError.",
    {"raise ValueError(": "raise AssertionError("},
    {"raise ValueError(": "raise TypeError("},
    {
        '        if bound <= 0:\n            raise ValueError("bound must be positive")\n': (
            "        assert bound > 0\n"
        )
    },
)
BOUND_NOT_IN_CONFIG = (
    'The configuration has no key "bound". get_config must return both settings, together with '
    "those of the base class.",
    {'"bound": self.bound, ': ""},
)
SQUASH_NOT_IN_CONFIG = (
    'The configuration has no key "squash". get_config must return both settings.',
    {', "squash": squash}': "}"},
)
CONFIG_NONE = (
    "get_config returns None, because update changes a dict and returns nothing. Return the dict.",
    {
        '{**super().get_config(), "bound": self.bound, "squash": squash}': (
            "super().get_config().update(bound=self.bound, squash=squash)"
        )
    },
)
BASE_NOT_CALLED = (
    "__init__ does not call super().__init__(**kwargs), without which Keras cannot use the layer. "
    "It must be the first thing that __init__ does.",
    {"        super().__init__(**kwargs)\n": ""},
)
CONFIG_OF_DEFAULTS = (
    "The configuration holds the default bound. It must hold the bound of this layer.",
    {'"bound": self.bound': '"bound": 1.0'},
)
CONFIG_ROUNDED = (
    "The configuration holds the bound as a whole number. It must be the bound as it was given.",
    {'"bound": self.bound': '"bound": int(self.bound)'},
)
CONFIG_AS_TEXT = (
    "The configuration holds the bound as a text. It must be the number.",
    {'"bound": self.bound': '"bound": str(self.bound)'},
)
NAME_NOT_RESOLVED = (
    "squash may be a name, which cannot be called. keras.activations.get turns it into a function.",
    {
        "keras.activations.get(squash)": "squash",
        "keras.activations.serialize(self.squash)": "self.squash",
    },
)
SCALAR_BIAS = (
    "There is a second weight, a bias. The layer has one weight array, attention_weight.",
    {
        'name="attention_weight", shape=(input_shape[-1], 1))': (
            'name="attention_weight", shape=(input_shape[-1], 1))\n'
            '        self.b = self.add_weight(name="attention_bias", shape=(1,))'
        )
    },
)
NOT_NORMALISED_LAYER = (
    "The exponentials are not divided by their sum, so the weights do not sum to 1.",
    {"self.softmax(scores, mask=mask)": "ops.exp(scores)"},
)
PLAIN_MEAN = (
    "This is the plain mean over time. The weights have no effect.",
    {"self.softmax(scores, mask=mask) * inputs, axis=1)": "inputs, axis=1) / inputs.shape[1]"},
)
TIME_KEPT = (
    "The time axis is still there, with length 1. The output must be (batch, features).",
    {"* inputs, axis=1)": "* inputs, axis=1, keepdims=True)"},
)
BOUND_TWICE = (
    "The bound multiplies x w as well. It must multiply the result of squash alone.",
    {
        "self.squash(ops.matmul(inputs, self.w))": (
            "self.squash(self.bound * ops.matmul(inputs, self.w))"
        )
    },
)
BOUND_SQUARED = (
    "The scores are multiplied by the bound twice. Once is enough.",
    {"self.bound * self.squash": "self.bound**2 * self.squash"},
)
DIVIDED_INSIDE = (
    "x w is divided by the bound before squash. The bound only multiplies the result of squash.",
    {
        "self.squash(ops.matmul(inputs, self.w))": (
            "self.squash(ops.matmul(inputs, self.w) / self.bound)"
        )
    },
)
WEIGHT_SQUASHED = (
    "squash is applied to the weight. It is applied to the product x w.",
    {"self.squash(ops.matmul(inputs, self.w))": "ops.matmul(inputs, self.squash(self.w))"},
)
INPUTS_SQUASHED = (
    "squash is applied to the inputs. It is applied to the product x w.",
    {"self.squash(ops.matmul(inputs, self.w))": "ops.matmul(self.squash(inputs), self.w)"},
)
STEPS_SQUASHED = (
    "The steps go through squash before they are added up. Only the scores do.",
    {"* inputs, axis=1)": "* self.squash(inputs), axis=1)"},
)
MASK_AXIS = (
    "The mask (batch, time) needs a last axis before it meets scores of the shape "
    "(batch, time, 1): mask[:, :, None].",
    {"mask = mask[:, :, None]": "mask = mask"},
)
CONFIG_OF_TANH = (
    'Under the key "squash" the configuration holds a text other than the name of the layer\'s '
    "function. keras.activations.serialize gives this name.",
    {"keras.activations.serialize(self.squash)": '"tanh"'},
)
BOUND_CUT = (
    "The bound is cut to a whole number. It must stay as it was given.",
    {"self.bound = bound": "self.bound = int(bound)"},
)
NAME_ALONE = (
    "squash may be the function itself, which getattr does not accept. keras.activations.get "
    "accepts a name and a function.",
    {"keras.activations.get(squash)": "getattr(keras.activations, squash)"},
)
OTHER_DEFAULT = (
    "Without an argument the bound is a number other than 1.",
    {"bound=1.0": "bound=3.0"},
    {"bound=1.0": "bound=10.0"},
)
WEIGHT_OF_STEPS = (
    "attention_weight has an entry for each step. It has one for each feature, of shape "
    "(features, 1).",
    {"shape=(input_shape[-1], 1)": "shape=(input_shape[1], 1)"},
)


# %% exercise="BoundedPooling" edits="a softmax layer" wrong="BOUND_NOT_IN_CONFIG"
{'{**super().get_config(), "bound": self.bound, "squash": squash}': "super().get_config()"}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="MASK_NOT_IN_TRAINING"
{
    "mask=None)": "mask=None, training=None)",
    "mask is not None:": "mask is not None and not training:",
}


# %% exercise="BoundedPooling" edits="equation by equation" wrong="MASK_HANDED_ON"
{"    def call": "    supports_masking = True\n\n    def call"}


# %% exercise="BoundedPooling" edits="equation by equation"
STATIC_TIME = (
    "The number of steps is read from inputs.shape, where it is None in a model for sequences of "
    "any length. Leave the axes as they are.",
    {
        "self.bound * self.squash(ops.matmul(inputs, self.w))": (
            "ops.reshape(self.bound * self.squash(ops.matmul(inputs, self.w)), "
            "(-1, inputs.shape[1], 1))"
        )
    },
)
TOO_HIGH = (
    "The score of a masked step is not low enough: with a large bound it is higher than real ones. "
    "Use -1e9.",
    {"-1e9": "-10.0"},
    {"-1e9": "-20.0"},
)


# %% exercise="BoundedPooling" edits="equation by equation"
MASKED_BY_THE_BOUND = (
    "A masked score is lowered with the bound, so with a small bound a masked step keeps a weight. "
    "Its weight must be 0 whatever the bound is.",
    {"-1e9": "-10 * self.bound"},
)


# %% exercise="BoundedPooling" edits="exponentials divided by their sum"
EPSILON_COUNTS = (
    "With a large bound the exponentials can be so small that the number that prevents a division "
    "by zero changes the result, or so large that they overflow. Subtract the largest score first, "
    "or use ops.softmax.",
    {
        "ops.exp(scores - self.bound)": "ops.exp(scores)",
        "ops.maximum(total, 1e-30)": "ops.maximum(total, 1e-9)",
    },
)


# %% exercise="BoundedPooling" edits="a softmax layer"
BOUND_LEARNED = (
    "The bound is a weight of the layer, so training changes it. It is a setting, a plain number.",
    {
        "shape=(input_shape[-1], 1))": (
            "shape=(input_shape[-1], 1))\n"
            "        initial = keras.initializers.Constant(self.bound)\n"
            '        self.learned = self.add_weight(name="bound", shape=(), initializer=initial)'
        ),
        "self.bound * self.squash(": "self.learned * self.squash(",
    },
)
BOUNDED_WEIGHT_FLAT = (
    "attention_weight has another shape. It must be (features, 1).",
    {
        "shape=(input_shape[-1], 1)": "shape=(input_shape[-1],)",
        "ops.matmul(inputs, self.w)": "ops.matmul(inputs, self.w[:, None])",
    },
)
CONFIG_OF_OBJECT = (
    'Under the key "squash" the configuration holds a dict, in which Keras describes a whole '
    "object. keras.activations.serialize gives the name of the function alone.",
    {"keras.activations.serialize(": "keras.saving.serialize_keras_object("},
)


# %% exercise="BoundedPooling" wrong="SCORE_ZEROED"
class BoundedPooling(keras.layers.Layer):
    def __init__(self, bound=1.0, squash="tanh", **kwargs):
        super().__init__(**kwargs)
        if bound <= 0:
            raise ValueError("bound must be positive")
        self.bound, self.squash = bound, keras.activations.get(squash)

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], 1), name="attention_weight")

    def call(self, inputs, mask=None):
        scores = self.bound * self.squash(ops.matmul(inputs, self.w))[..., 0]
        if mask is not None:
            scores = scores * ops.cast(mask, scores.dtype)
        return ops.einsum("bt,btf->bf", ops.softmax(scores), inputs)

    def get_config(self):
        squash = keras.activations.serialize(self.squash)
        return {**super().get_config(), "bound": self.bound, "squash": squash}

    def compute_mask(self, inputs, mask=None):
        return None


# %% exercise="BoundedPooling" edits="equation by equation"
ONLY_TANH_BY_NAME = (
    "Only tanh is known by its name. keras.activations.get finds the function of any name.",
    {"keras.activations.get(squash)": 'ops.tanh if squash == "tanh" else squash'},
)


# %% exercise="create_rnn_with_attention" right="a list of layers"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
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


# %% exercise="create_rnn_with_attention" edits="a list of layers"
NO_SEQUENCES = (
    "The SimpleRNN returns only its last state. AttentionPooling needs all of them: "
    "return_sequences=True.",
    {", return_sequences=True": ""},
)
NO_ATTENTION = (
    "There is no AttentionPooling layer in the model.",
    {"AttentionPooling": "keras.layers.GlobalAveragePooling1D"},
)
DENSE_ONLY = (
    "The SimpleRNN does not use the activation. Both layers must use it.",
    {", activation=activation,": ","},
)
RNN_ONLY = (
    "The Dense layer does not use the activation. Both layers must use it.",
    {"dense_units, activation=activation": "dense_units"},
)
LOSS = "The loss is not the mean squared error.", {'"mse"': '"mae"'}
SUMMED = (
    "The squared errors are summed over the batch. The loss is their mean.",
    {'"mse"': 'keras.losses.MeanSquaredError(reduction="sum")'},
)
NOT_ADAM = "The optimizer is not Adam.", {', optimizer="adam"': ""}
ONE_OUTPUT = (
    "The Dense layer always has one unit. It must have dense_units of them.",
    {"(dense_units": "(1"},
)
NO_LOSS = (
    "The model is not compiled, or it is compiled without a loss.",
    {('model.compile(loss="mse", optimizer="adam")\n    '): ""},
)


# %% exercise="create_rnn_with_attention" wrong="ATTENTION_FAILS"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        raise NotImplementedError()


def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
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


# %% exercise="create_rnn_with_attention" right="functional"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    inputs = keras.layers.Input(shape=input_shape)
    states = keras.layers.SimpleRNN(hidden_units, activation, return_sequences=True)(inputs)
    context = AttentionPooling()(states)
    outputs = keras.layers.Dense(dense_units, trainable=True, activation=activation)(context)
    model = keras.Model(inputs, outputs)
    model.compile(
        loss=keras.losses.MeanSquaredError(), optimizer=keras.optimizers.Adam(), metrics=["mse"]
    )
    return model


# %% exercise="create_rnn_with_attention" right="a last state that is not used"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    inputs = keras.Input(input_shape)
    recurrent = keras.layers.SimpleRNN(
        hidden_units, activation=activation, return_sequences=True, return_state=True
    )
    states, _ = recurrent(inputs)
    outputs = keras.layers.Dense(dense_units, activation=activation)(AttentionPooling()(states))
    model = keras.Model(inputs, outputs)
    model.compile("adam", "mean_squared_error")
    return model


# %% exercise="create_rnn_with_attention" edits="functional"
INPUTS_ATTENDED = (
    "The attention reads the inputs of the network. It must read the states of the SimpleRNN.",
    {"AttentionPooling()(states)": "AttentionPooling()(inputs)"},
)
CONTEXT_JOINED = (
    "The context is joined with something else, such as the last state, before the Dense layer. "
    "The Dense layer must read the context alone.",
    {
        "return_sequences=True)(inputs)": "return_sequences=True)(inputs)\n"
        "    last = states[:, -1]",
        "(context)": "(keras.layers.Concatenate()([context, last]))",
    },
    {
        "states = keras": "states, last = keras",
        "return_sequences=True)": "return_sequences=True, return_state=True)",
        "(context)": "(ops.concatenate([context, last], axis=-1))",
    },
)


# %% exercise="create_rnn_with_attention" right="a model class"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    class Network(keras.Model):
        def __init__(self):
            super().__init__()
            self.recurrent = keras.layers.SimpleRNN(
                hidden_units, activation=activation, return_sequences=True
            )
            self.pooling = AttentionPooling()
            self.dense = keras.layers.Dense(dense_units, activation=activation)

        def call(self, inputs):
            return self.dense(self.pooling(self.recurrent(inputs)))

    model = Network()
    model.compile(optimizer="adam", loss="mean_squared_error")
    return model


# %% exercise="create_rnn_with_attention" right="layers in a list"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            AttentionPooling(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile("adam", "mse")
    return model


# %% exercise="create_rnn_with_attention" edits="layers in a list" wrong="LOSS"
{'"mse"': '"huber"'}
{'"mse"': '"binary_crossentropy"'}


# %% exercise="create_rnn_with_attention" edits="layers in a list"
GATED = (
    "The recurrent layer is a GRU or an LSTM. A SimpleRNN is asked for.",
    {"layers.SimpleRNN": "layers.GRU"},
    {"layers.SimpleRNN": "layers.LSTM"},
)
UNITS_EXCHANGED = (
    "The numbers of units are swapped. hidden_units belongs to the SimpleRNN and dense_units to "
    "the Dense layer.",
    {"SimpleRNN(hidden_units": "SimpleRNN(dense_units", "Dense(dense_units": "Dense(hidden_units"},
)
TWO_DENSE = (
    "There are two Dense layers after the attention. A single one is asked for.",
    {
        "            keras.layers.Dense(": (
            "            keras.layers.Dense(hidden_units, activation=activation),\n"
            "            keras.layers.Dense("
        )
    },
)
NO_DENSE = (
    "There is no Dense layer after the attention.",
    {"            keras.layers.Dense(dense_units, activation=activation),\n": ""},
)
TANH_BUILT_IN = (
    "tanh is built in. The activation is an argument.",
    {
        "hidden_units, activation=activation": 'hidden_units, activation="tanh"',
        "dense_units, activation=activation": 'dense_units, activation="tanh"',
    },
)
DENSE_BEFORE = (
    "The Dense layer stands before the attention. It must read what the attention has added up.",
    {
        "            AttentionPooling(),\n"
        "            keras.layers.Dense(dense_units, activation=activation),\n": (
            "            keras.layers.Dense(dense_units, activation=activation),\n"
            "            AttentionPooling(),\n"
        )
    },
)
TWO_RECURRENT = (
    "There are two recurrent layers. A single SimpleRNN is asked for.",
    {
        "            AttentionPooling(),": (
            "            keras.layers.SimpleRNN(\n"
            "                hidden_units, activation=activation, return_sequences=True\n"
            "            ),\n"
            "            AttentionPooling(),"
        )
    },
)
BIAS_SWITCHED_OFF = (
    "A layer has no bias. Both layers have one, as Keras makes them.",
    {"dense_units, activation=activation": "dense_units, activation=activation, use_bias=False"},
    {"return_sequences=True": "return_sequences=True, use_bias=False"},
)
PAIR_EXPECTED = (
    "activation is taken for a pair, as in chapter 2. Here it is one name, which both layers use.",
    {
        "hidden_units, activation=activation": "hidden_units, activation=activation[0]",
        "dense_units, activation=activation": "dense_units, activation=activation[1]",
    },
)
UNITS_FIXED = (
    "The SimpleRNN has a fixed number of units. It must have hidden_units of them.",
    {"SimpleRNN(hidden_units": "SimpleRNN(2"},
)
LAYER_WITH_UNITS = (
    "AttentionPooling takes no number of units. It learns the shape of what arrives in build.",
    {"AttentionPooling()": "AttentionPooling(hidden_units)"},
)
CLASS_NOT_LAYER = (
    "The class AttentionPooling stands in the model. Call it, AttentionPooling(), to make a layer.",
    {"AttentionPooling()": "AttentionPooling"},
)
BOTH_DIRECTIONS = (
    "The recurrent layer reads in both directions. A plain SimpleRNN is asked for.",
    {
        "keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True)": (
            "keras.layers.Bidirectional(\n"
            "                keras.layers.SimpleRNN(\n"
            "                    hidden_units, activation=activation, return_sequences=True\n"
            "                )\n"
            "            )"
        )
    },
)
FEATURES_ALONE = (
    "keras.Input got the number of features without that of the steps. input_shape is "
    "(time, features).",
    {"keras.Input(input_shape)": "keras.Input(input_shape[1:])"},
)
LENGTH_OPEN = (
    "keras.Input leaves the number of steps open. AttentionPooling has a bias for each step, so it "
    "must know how many there are.",
    {"keras.Input(input_shape)": "keras.Input((None, input_shape[1]))"},
)
SHAPE_TURNED = (
    "The input of the model has another shape than input_shape, which is (time, features). Pass "
    "input_shape to keras.Input as it is.",
    {"keras.Input(input_shape)": "keras.Input(input_shape[::-1])"},
    {"keras.Input(input_shape)": "keras.Input((20, 1))"},
)
READS_BACKWARDS = (
    "The SimpleRNN reads backwards. Leave go_backwards at its default.",
    {"return_sequences=True": "return_sequences=True, go_backwards=True"},
)


# %% exercise="create_rnn_with_attention" edits="functional" wrong="INPUTS_ATTENDED"
{
    "states = keras.layers.SimpleRNN(hidden_units, activation, return_sequences=True)(inputs)": (
        "context = AttentionPooling()(inputs)[:, None, :]"
    ),
    "context = AttentionPooling()(states)": (
        "context = keras.layers.SimpleRNN(hidden_units, activation)(context)"
    ),
}


# %% exercise="create_rnn_with_attention" edits="a list of layers"
DROPOUT_ADDED = (
    "A part of the states or inputs is dropped in training. The network has no dropout.",
    {"return_sequences=True": "return_sequences=True, dropout=0.3"},
    {
        "            AttentionPooling(),": (
            "            keras.layers.Dropout(0.3),\n            AttentionPooling(),"
        )
    },
)
MASKING_ADDED = (
    "A Masking layer hides the steps that are zero. The network has none: a value of zero counts.",
    {"keras.Input(input_shape),": "keras.Input(input_shape),\n            keras.layers.Masking(),"},
)


# %% exercise="create_rnn_with_attention" wrong="ONE_POOLING_FOR_ALL"
ONE_POOLING_FOR_ALL = (
    "All networks share one attention layer, made outside the function. Make it inside."
)
pooling = AttentionPooling()


def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    inputs = keras.Input(input_shape)
    states = keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True)
    outputs = keras.layers.Dense(dense_units, activation=activation)(pooling(states(inputs)))
    model = keras.Model(inputs, outputs)
    model.compile("adam", "mse")
    return model


# %% exercise="create_rnn_with_attention" edits="a list of layers"
ACTIVATED_AGAIN = (
    "The activation is applied to the context as well. It belongs to the two layers alone.",
    {
        "            AttentionPooling(),\n": (
            "            AttentionPooling(),\n            keras.layers.Activation(activation),\n"
        )
    },
)

# %% exercise="create_rnn_with_attention" edits="a list of layers"
LAST_STATE_REPEATED = (
    "The attention reads the last state over and over. The SimpleRNN must return all its states.",
    {
        "activation=activation, return_sequences=True),\n": ""
        "activation=activation),\n            keras.layers.RepeatVector(input_shape[0]),\n"
    },
)

# %% exercise="create_rnn_with_attention" edits="a list of layers"
ATTENTION_BEFORE_RNN = (
    "The attention stands before the SimpleRNN. It must add up the states that the SimpleRNN "
    "returns.",
    {
        "keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),\n"
        "            AttentionPooling(),": (
            "AttentionPooling(),\n"
            "            keras.layers.RepeatVector(1),\n"
            "            keras.layers.SimpleRNN(hidden_units, activation=activation),"
        )
    },
)


# %% exercise="create_rnn_with_attention" wrong="MADE_OUTSIDE"
shared = AttentionPooling()


def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            shared,
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model


# %% exercise="attention_map" right="weights and mask by hand"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    arriving = keras.tree.flatten(keras.Model(model.inputs[0], layer.input)(x))
    states, *masks = map(np.asarray, arriving)
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    for mask in masks:
        shares = shares * mask
    return shares / np.sum(shares, axis=1, keepdims=True)


# %% exercise="attention_map" wrong="FROM_INPUTS"
FROM_INPUTS = "The weights are computed from x. The layer weights the states that arrive at it."


def attention_map(model, x):
    for layer in model.layers:
        if layer.__class__.__name__ == "AttentionPooling":
            w, b = layer.get_weights()
    shares = np.exp(np.tanh(x @ w + b)[..., 0])
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="WEIGHTS_OF_MODEL"
WEIGHTS_OF_MODEL = (
    "The first two arrays of the whole model are taken for w and b. They must be those of the "
    "attention layer."
)


def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states, *masks = keras.tree.flatten(keras.Model(model.inputs[0], layer.input)(x))
    w, b = model.get_weights()[:2]
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    for mask in masks:
        shares = shares * np.asarray(mask)
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="SCORES"
SCORES = "These are the scores. Their softmax is missing."


def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states = keras.tree.flatten(keras.Model(model.inputs, layer.input)(x))[0]
    w, b = layer.get_weights()
    return np.tanh(states @ w + b)[..., 0]


# %% exercise="attention_map" wrong="KEPT_AXIS"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states = keras.tree.flatten(keras.Model(model.inputs, layer.input)(x))[0]
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="OTHER_LAYER"
OTHER_LAYER = (
    "The layer is found by its position or its own name. Find it by the name of its class."
)


def attention_map(model, x):
    recurrent, layer = model.layers[:2]
    states = np.asarray(recurrent(x))
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="NOT_ITS_INPUT"
NOT_ITS_INPUT = (
    "These are weights of the SimpleRNN's states. The layer weights what arrives at it, which "
    "other layers may have changed."
)


def attention_map(model, x):
    found = {type(layer).__name__: layer for layer in model.layers}
    states = keras.Model(model.inputs, found["SimpleRNN"].output)(x)
    w, b = found["AttentionPooling"].get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="MAP_UNMASKED"
MAP_UNMASKED = "The map ignores the mask. Masked steps must be 0."


def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states = keras.tree.flatten(keras.Model(model.inputs, layer.input)(x))[0]
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="MASK_AFTER"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states, *masks = keras.tree.flatten(keras.Model(model.inputs, layer.input)(x))
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    weights = shares / shares.sum(axis=1, keepdims=True)
    return weights * np.asarray(masks[0]) if masks else weights


# %% exercise="attention_map" wrong="BEHIND_MASKING"
BEHIND_MASKING = (
    "The map fails behind a Masking layer. There layer.input is a list of two tensors, the states "
    "and their mask."
)


def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states = keras.Model(model.inputs, layer.input)(x).numpy()
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" edits="weights and mask by hand" wrong="NO_BIAS"
{" + b": ""}


# %% exercise="attention_map" edits="weights and mask by hand" wrong="NO_TANH"
{"np.tanh(states @ w + b)": "states @ w + b"}


# %% exercise="attention_map" edits="weights and mask by hand" wrong="OVER_BATCH"
{"axis=1": "axis=0"}


# %% exercise="attention_map" wrong="SCORE_ZEROED"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    arriving = keras.tree.flatten(keras.Model(model.inputs[0], layer.input)(x))
    states, *masks = map(np.asarray, arriving)
    w, b = layer.get_weights()
    scores = np.tanh(states @ w + b)[..., 0]
    for mask in masks:
        scores = scores * mask
    shares = np.exp(scores)
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="ZEROS_MASKED"
ZEROS_MASKED = (
    "Steps of zeros count as masked in a model that has no Masking layer. Only the mask that "
    "arrives may decide."
)


def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    arriving = keras.tree.flatten(keras.Model(model.inputs[0], layer.input)(x))
    states, *masks = map(np.asarray, arriving)
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0] * np.any(x != 0, axis=2)
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="ZERO_IS_PADDING"
ZERO_IS_PADDING = (
    "The mask is worked out from the zeros of x. A Masking layer may look for another value, so "
    "use the mask that arrives at the layer."
)


def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    arriving = keras.tree.flatten(keras.Model(model.inputs[0], layer.input)(x))
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(np.asarray(arriving[0]) @ w + b))[..., 0]
    if len(arriving) == 2:
        shares = shares * np.any(x != 0, axis=2)
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" right="from layer to layer, with the mask that Keras attaches"
def attention_map(model, x):
    values = ops.convert_to_tensor(x, "float32")
    for layer in model.layers:
        if "InputLayer" in str(type(layer)):
            continue
        if "AttentionPooling" in str(type(layer)):
            break
        values = layer(values)
    mask = getattr(values, "_keras_mask", None)
    w, b = (np.array(variable) for variable in layer.weights)
    scores = np.tanh(np.dot(values.numpy(), w)[..., 0] + b[:, 0])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    return ops.softmax(scores, axis=-1)


# %% exercise="attention_map" right="a method of the layer"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def weigh(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(ops.cast(mask, "bool")[:, :, None], scores, -1e9)
        return ops.softmax(scores, axis=1)

    def call(self, inputs, mask=None):
        return ops.sum(inputs * self.weigh(inputs, mask), axis=1)


def attention_map(model, x):
    layer = next(layer for layer in model.layers if isinstance(layer, AttentionPooling))
    arriving = keras.Model(model.inputs, layer.input).predict(x, verbose=0)
    if isinstance(arriving, list):
        return layer.weigh(*arriving)[..., 0].numpy()
    return layer.weigh(arriving)[..., 0].numpy()


# %% exercise="attention_map" right="a model that stops before the layer"
def attention_map(model, x):
    (layer,) = [each for each in model.layers if type(each).__name__ == "AttentionPooling"]
    arriving = keras.Model(model.inputs[0], layer.input)(x)
    states, *masks = [np.asarray(part) for part in keras.tree.flatten(arriving)]
    w, b = layer.get_weights()
    e = np.exp(np.tanh(states @ w + b))[:, :, 0]
    for mask in masks:
        e = e * mask
    return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)


# %% exercise="attention_map" edits="a model that stops before the layer" wrong="OTHER_LAYER"
{
    '(layer,) = [each for each in model.layers if type(each).__name__ == "AttentionPooling"]': (
        "layer = model.layers[1]"
    )
}
{
    '(layer,) = [each for each in model.layers if type(each).__name__ == "AttentionPooling"]': (
        "layer = model.layers[-2]"
    )
}
{
    '(layer,) = [each for each in model.layers if type(each).__name__ == "AttentionPooling"]': (
        'layer = model.get_layer("attention_pooling")'
    )
}


# %% exercise="attention_map" edits="a model that stops before the layer" wrong="BEHIND_MASKING"
{
    "(x)\n": ".predict(x, verbose=0)\n",
    "states, *masks = [np.asarray(part) for part in keras.tree.flatten(arriving)]": (
        "states, masks = arriving, []"
    ),
}
{
    "states, *masks = [np.asarray(part) for part in keras.tree.flatten(arriving)]": (
        "states, masks = np.array(arriving), []"
    )
}


# %% exercise="attention_map" edits="a model that stops before the layer"
MAP_NOT_NORMALISED = (
    "The exponentials are not divided by their sum, so the weights do not sum to 1.",
    {"e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": "e"},
)
MAP_TURNED = (
    "The two axes are swapped. The map must have the shape (batch, time).",
    {
        "return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": (
            "return (e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)).T"
        )
    },
)
MAP_OVER_ALL = (
    "The exponentials are divided by their sum over all examples. Each row must sum to 1.",
    {"e.sum(axis=1, keepdims=True)": "e.sum()"},
)
MAP_AVERAGED = (
    "The maps of the examples are averaged. Each example has a row of its own.",
    {
        "return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": (
            "return (e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)).mean(axis=0)"
        )
    },
)
CONTEXT_RETURNED = (
    "This is the output of the attention layer. Its weights are asked for.",
    {
        "    return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": (
            "    return np.asarray(keras.Model(model.inputs[0], layer.output)(x))"
        )
    },
)
OUTPUT_RETURNED = (
    "This is the output of the model. The weights of its attention layer are asked for.",
    {
        "    return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": (
            "    return np.asarray(model(x))"
        )
    },
)
FIRST_ONLY = (
    "This is the map of the first example alone. Every example has a row.",
    {
        "e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": (
            "(e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9))[0]"
        )
    },
)
POSITIONS_RETURNED = (
    "These are the positions of the largest weights. The weights themselves are asked for.",
    {"e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": "e.argmax(axis=1)"},
)
MAP_ROUNDED = (
    "The weights are rounded. Return them as they are.",
    {
        "e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": (
            "np.round(e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9), 2)"
        )
    },
)
MAP_MASK_INVERTED = (
    "The mask is read the wrong way round. True marks a real step.",
    {"e * mask": "e * ~mask"},
)
NO_EXPONENTIAL = (
    "The scores are divided by their sum without exp.",
    {"np.exp(np.tanh(states @ w + b))[:, :, 0]": "np.tanh(states @ w + b)[:, :, 0]"},
)
BIAS_AFTER_TANH = (
    "The bias is added after the tanh. It belongs inside it.",
    {"np.tanh(states @ w + b)": "(np.tanh(states @ w) + b)"},
)
SIGMOID_MAP = (
    "The weights come from a sigmoid. Take the softmax of the tanh scores, as the layer does.",
    {"np.exp(np.tanh(states @ w + b))": "(1 / (1 + np.exp(-(states @ w + b))))"},
)
LARGEST_ONLY = (
    "The largest weight is set to 1 and the others to 0. Return the weights as they are.",
    {
        "return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": (
            "return np.equal(e, e.max(axis=1, keepdims=True)) * 1.0"
        )
    },
)
BY_LARGEST = (
    "The exponentials are divided by the largest of each row. Divide by their sum.",
    {"np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": "e.max(axis=1, keepdims=True)"},
)
ARRAYS_EXCHANGED = (
    "The two weight arrays are swapped. get_weights() gives w first, then b.",
    {"w, b = layer": "b, w = layer"},
)
BEHIND_THE_LAYER = (
    "The weights are computed from what leaves the layer. It weights what arrives at it, "
    "layer.input.",
    {"layer.input)": "layer.output)"},
)
FROM_OUTPUT = (
    "The weights are computed from the output of the model. The layer weights what arrives at it, "
    "layer.input.",
    {"keras.Model(model.inputs[0], layer.input)(x)": "model(x)"},
)
TANH_TWICE = (
    "The scores go through tanh twice. Once is enough.",
    {"np.tanh(states @ w + b)": "np.tanh(np.tanh(states @ w + b))"},
)
RELU_FOR_TANH = (
    "The scores go through a ReLU. They go through tanh, as in the layer.",
    {"np.tanh(states @ w + b)": "np.maximum(states @ w + b, 0)"},
)
BIAS_SUBTRACTED = (
    "The bias is subtracted. It must be added.",
    {"states @ w + b": "states @ w - b"},
)
KEEPDIMS = (
    "The sums have lost their axis, so NumPy divides by those of other examples or refuses. Use "
    "keepdims=True.",
    {"e.sum(axis=1, keepdims=True)": "e.sum(axis=1)"},
)


# %% exercise="attention_map" edits="weights and mask by hand"
LIST_OF_ONE = (
    "A keras.Model whose list of outputs has a single entry returns that tensor and no list, so "
    "its [0] is the first example. keras.tree.flatten makes a list of either.",
    {
        "keras.tree.flatten(keras.Model(model.inputs[0], layer.input)(x))": (
            "keras.Model(model.inputs[0], keras.tree.flatten(layer.input))(x)"
        ),
        "[..., 0]": "[:, :, 0]",
    },
)


# %% exercise="attention_map" edits="weights and mask by hand"
WEIGHTS_BY_LENGTH = (
    "w and b are told apart by their lengths. get_weights returns them in the order in which the "
    "layer has made them: w, then b.",
    {"layer.get_weights()": "sorted(layer.get_weights(), key=len)"},
)
IN_TRAINING = (
    "The model is called with training=True, so its Dropout layers change the states. Leave that "
    "out.",
    {"layer.input)(x)": "layer.input)(x, training=True)"},
)


# %% exercise="attention_map" edits="a model that stops before the layer"
BY_NAME = (
    "The layer is looked up by its name, which may be any. Look for its class.",
    {
        'if type(each).__name__ == "AttentionPooling"': (
            'if each.name.startswith("attention_pooling")'
        )
    },
)


# %% exercise="attention_map" edits="from layer to layer, with the mask that Keras attaches"
MASK_LOST_ON_THE_WAY = (
    "The layers are called one after another on arrays, and so the mask is lost. A model that "
    "stops before the layer hands it on.",
    {"values = layer(values)": "values = ops.convert_to_tensor(np.array(layer(values)))"},
)


# %% exercise="attention_map" wrong="LAST_LAYER_ALONE"
LAST_LAYER_ALONE = (
    "x goes directly into the layer before the attention. It must pass through all that come first."
)


def attention_map(model, x):
    mask = None
    for layer in model.layers:
        if type(layer).__name__ == "AttentionPooling":
            break
        mask, last = layer.compute_mask(ops.convert_to_tensor(x), mask), layer
    states = last(x) if mask is None or "Masking" in str(type(last)) else last(x, mask=mask)
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(np.asarray(states) @ w + b))[:, :, 0]
    if mask is not None:
        shares = shares * np.asarray(mask)
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="RECURRENCE_WITHOUT_MASK"
RECURRENCE_WITHOUT_MASK = (
    "The recurrent layer is called without the mask, so it does not skip the masked steps. Let "
    "Keras pass the mask on, with a model that ends before the attention layer."
)


def attention_map(model, x):
    values, mask = np.asarray(x, "float32"), None
    for layer in model.layers:
        if type(layer).__name__ == "AttentionPooling":
            break
        if isinstance(layer, keras.layers.Masking):
            mask = np.asarray(layer.compute_mask(values))
        values = np.array(layer(values))
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(values @ w + b))[:, :, 0]
    if mask is not None:
        shares = shares * mask
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" edits="a model that stops before the layer"
BY_ITS_NAME = (
    "The layer is looked for by its own name, which differs from model to model. Look for the name "
    "of its class, type(layer).__name__.",
    {
        "(layer,) = [each for": "layer = [each for",
        'if type(each).__name__ == "AttentionPooling"]': (
            'if each.name.startswith("attention_pooling")][0]'
        ),
    },
)


# %% exercise="attention_map" wrong="OTHER_LAYER"
def attention_map(model, x):
    layer = model.layers[-2]
    states = np.asarray(keras.Model(model.inputs[0], layer.input)(x))
    w, b = layer.get_weights()
    return attention_weights(alignment_scores(states, w, b))


# %% exercise="attention_map" edits="a model that stops before the layer"
STATES_WEIGHTED = (
    "These are the states, multiplied by their weights. The weights themselves are asked for.",
    {
        "return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)": (
            "return (e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9))[:, :, None] * states"
        )
    },
)


# %% exercise="attention_map" wrong="MODEL_CHANGED"
MODEL_CHANGED = (
    "Layers or weights of the given model are changed, and the caller still needs the model as it "
    "was. Make another model of its tensors instead."
)


def attention_map(model, x):
    while type(model.layers[-1]).__name__ != "AttentionPooling":
        model.pop()
    layer = model.layers[-1]
    states, *masks = [
        np.asarray(keras.Model(model.inputs, part)(x)) for part in keras.tree.flatten(layer.input)
    ]
    w, b = layer.get_weights()
    e = np.exp(np.tanh(states @ w + b))[:, :, 0]
    for mask in masks:
        e = e * mask
    return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-9)


# %% exercise="attention_map" edits="from layer to layer, with the mask that Keras attaches"
INPUT_LAYER_CALLED = (
    "The first layer of a functional model is an InputLayer, which only stands for the input and "
    "cannot be called. Begin with the layer after it.",
    {'        if "InputLayer" in str(type(layer)):\n            continue\n': ""},
)


# %% exercise="attention_map" wrong="OTHER_LAYER"
def attention_map(model, x):
    layer = next(each for each in model.layers if each.name.startswith("attention_pooling"))
    states, *masks = keras.tree.flatten(keras.Model(model.inputs[0], layer.input)(x))
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    if masks:
        shares = shares * np.asarray(masks[0])
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="OUTPUT_OF_THE_LAYER_BEFORE"
OUTPUT_OF_THE_LAYER_BEFORE = (
    "The states are taken from the layer before. Where there is none, that index finds the last "
    "layer of the model. Take the input of the AttentionPooling itself."
)


def attention_map(model, x):
    names = [type(layer).__name__ for layer in model.layers]
    position = names.index("AttentionPooling")
    arriving = model.layers[position - 1].output
    mask = getattr(arriving, "_keras_mask", None)
    wanted = [arriving] if mask is None else [arriving, mask]
    found = keras.tree.flatten(keras.Model(model.inputs, wanted)(x))
    states, *masks = [np.asarray(each) for each in found]
    w, b = model.layers[position].get_weights()
    shares = np.exp(np.tanh(states @ w + b)[:, :, 0])
    for each in masks:
        shares = shares * each
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="UNPACKED"
UNPACKED = (
    "A model with one output returns an array and not a list, so its examples are unpacked. Ask "
    "whether there is a mask before you unpack."
)


def attention_map(model, x):
    (layer,) = [each for each in model.layers if type(each).__name__ == "AttentionPooling"]
    inputs = layer.input if isinstance(layer.input, (list, tuple)) else [layer.input]
    states, *mask = keras.Model(model.inputs[0], list(inputs))(x)
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(np.asarray(states) @ w + b)[..., 0])
    if mask:
        shares = shares * np.asarray(mask[0])
    return shares / shares.sum(axis=1, keepdims=True)
