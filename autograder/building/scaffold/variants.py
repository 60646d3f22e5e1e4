"""The bank of chapter NUMBER: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np

# %%
NOT_DIVIDED = "This is the running sum. It must be divided by the number of values so far."
ALL_VALUES = "The sum is divided by the number of all values. At step t only t values are in it."
ONE_TOO_MANY = "The sum is divided by one value too many. At step t it holds t values."


# %% exercise="running_mean" wrong="NOT_DIVIDED"
def running_mean(x):
    return np.cumsum(x)


# %% exercise="running_mean" wrong="ALL_VALUES"
def running_mean(x):
    return np.cumsum(x) / len(x)


# %% exercise="running_mean" wrong="ONE_TOO_MANY"
def running_mean(x):
    return np.cumsum(x) / np.arange(2, len(x) + 2)


# %% exercise="running_mean" right="loop"
def running_mean(x):
    return np.array([np.mean(x[: t + 1]) for t in range(len(x))])
