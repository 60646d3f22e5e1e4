"""Whatever an answer returns, its check ends in a verdict and not in an error of its own."""

import contextlib
import functools
import inspect

import numpy as np
import pytest
from extreme import EXTREME
from test_variants import run_checks

from autograder.course.chapters import chapter_stems, load_chapter
from coursekit.checks import CheckFailure

# Their answers train networks, which would cost minutes for each result.
TRAINING = {"fit_forecaster", "forecast_spread", "fit_lookup", "order_accuracy"}
# Those with a function; a class begins with a capital letter.
FUNCTIONS = [
    (stem, exercise)
    for stem in chapter_stems()
    for exercise in load_chapter(stem).exercises
    if exercise.id not in TRAINING and any(name.islower() for name in exercise.names)
]


def altered(value, alter):
    """Return a result with all its numbers altered, whatever holds them."""
    if isinstance(value, dict):
        return {key: altered(item, alter) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(altered(item, alter) for item in value)
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number, np.ndarray)):
        return value
    with np.errstate(all="ignore"):
        return alter(np.asarray(value))


@pytest.mark.nightly
@pytest.mark.parametrize("extreme", EXTREME.values(), ids=EXTREME)
@pytest.mark.parametrize(("stem", "exercise"), FUNCTIONS, ids=[each.id for _, each in FUNCTIONS])
def test_a_check_has_no_error_of_its_own_on_an_extreme_result(stem, exercise, extreme):
    reference = vars(load_chapter(stem).reference)
    works = {name: reference[name] for name in exercise.names}
    for name, work in works.items():
        if not inspect.isclass(work):
            works[name] = functools.wraps(work)(
                lambda *args, work=work, **kwargs: altered(work(*args, **kwargs), extreme)
            )
    for checks in ("checks", "hidden"):
        with contextlib.suppress(CheckFailure):
            run_checks(stem, exercise, works, [checks])
