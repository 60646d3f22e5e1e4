"""Right answers pass with the hidden inputs that other submissions meet.

The hidden checks draw their inputs anew for each submission. A check that rounding alone can fail
shows itself with some of them only, and then to a student who has made no mistake.
"""

import pytest
from test_variants import EXERCISES, VARIANTS, run_checks

from autograder.checking.hidden_check import salted
from autograder.course.chapters import load_chapter
from autograder.course.variants import variant_functions

pytestmark = [pytest.mark.nightly, pytest.mark.parametrize("salt", range(1, 9))]
RIGHT = [each for each in VARIANTS if each.values[1].mistake is None]


@pytest.mark.parametrize(("stem", "exercise"), EXERCISES)
def test_the_reference_passes(stem, exercise, salt):
    with salted(f"{salt:x}"):
        run_checks(stem, exercise, vars(load_chapter(stem).reference), ["hidden"])


@pytest.mark.parametrize(("stem", "variant"), RIGHT)
def test_another_right_answer_passes(stem, variant, salt):
    exercise = load_chapter(stem).exercise(variant.exercise)
    with salted(f"{salt:x}"):
        run_checks(stem, exercise, variant_functions(stem, variant), ["hidden"])
