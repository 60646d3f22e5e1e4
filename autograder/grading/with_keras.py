"""Imports Keras without the greeting on stderr; a process that only forks imports this module."""

from coursekit.checks import silenced

with silenced(None):
    import keras  # noqa: F401
