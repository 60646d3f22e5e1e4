"""Visible checks of chapter NUMBER, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import check, example


@check
def running_mean(running_mean):
    example(running_mean, np.array([2.0, 4.0, 9.0]))
    example(running_mean, np.array([-1.5]))
