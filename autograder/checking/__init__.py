"""Expected values: computed while a hidden check runs, recorded for the visible checks."""
