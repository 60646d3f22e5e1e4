"""Which chapters go through a whole grader by day, and what of their banks; at night all do."""

import pytest

from autograder.course.chapters import chapter_stems

# One on NumPy alone, one in which models are trained, and one whose exercises are layers.
BY_DAY = ("ch01_rnn_basics", "ch03_custom_attention_layer", "ch06_transformer_attention")


def by_day_and_at_night(sample, everything):
    """List (chapter, what is handed in): a sample of some by day, everything of all at night."""
    assert set(BY_DAY) <= set(chapter_stems())
    return [
        *(pytest.param(stem, sample, id=f"{stem}-sample") for stem in BY_DAY),
        *(
            pytest.param(stem, everything, id=f"{stem}-everything", marks=pytest.mark.nightly)
            for stem in chapter_stems()
        ),
    ]
