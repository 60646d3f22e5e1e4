"""The bank of chapter NUMBER: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np


# %% exercise="running_mean" right="running sum and counts"
def running_mean(x):
    counts = np.arange(1, len(x) + 1)
    return np.cumsum(x) / counts


# %% exercise="running_mean" edits="running sum and counts"
NOT_DIVIDED = (
    "This is the running sum. It must be divided by the number of values so far.",
    {" / counts": ""},
)
ALL_VALUES = (
    "The sum is divided by the number of all values. At step t only t values are in it.",
    {"/ counts": "/ len(x)"},
)
ONE_TOO_MANY = (
    "The sum is divided by one value too many. At step t it holds t values.",
    {"np.arange(1, len(x) + 1)": "np.arange(2, len(x) + 2)"},
)

# %% exercise="running_mean" edits="running sum and counts" wrong="INPUT_CHANGED"
{"np.cumsum(x)": "np.cumsum(x, out=x)"}


# %% exercise="running_mean" wrong="TWO_VALUES"
TWO_VALUES = "Each mean is one of two neighbours. It must be one of all values so far."


def running_mean(x):
    return np.array([np.mean(x[max(t - 1, 0) : t + 1]) for t in range(len(x))])


# %% exercise="running_mean" right="loop"
def running_mean(x):
    return np.array([np.mean(x[: t + 1]) for t in range(len(x))])
