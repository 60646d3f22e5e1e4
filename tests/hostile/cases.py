"""The corpus: every submission that must not win, and every one that must not lose."""

from hostile import innocent, leftovers, outside, resources, structure, verdict

CASES = [
    *verdict.CASES,
    *structure.CASES,
    *resources.CASES,
    *outside.CASES,
    *innocent.CASES,
    *leftovers.CASES,
]
