"""Hidden checks of chapter NUMBER."""

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import example


@hidden_check
def running_mean(running_mean):
    rng = generator(NUMBER1)
    for length in (7, 12):
        example(running_mean, rng.normal(size=length))
