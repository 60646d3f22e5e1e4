"""What lessons and assignments import: data, figures and the checks of the exercises."""


def chapter_number(stem: str) -> int:
    """Return the number of a chapter, 4 for `ch04_bahdanau_attention`."""
    return int(stem[2:4])
