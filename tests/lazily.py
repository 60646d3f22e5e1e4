"""Modules that bring TensorFlow, imported when a test runs and not when the tests are collected."""

from importlib import import_module


class Lazily:
    """A module by its name, imported when something in it is first asked for."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, name):
        if name.startswith("__"):  # pytest asks every name of a module whether it is a test
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)
