"""Answers that call the answer to another exercise, tried with one of ours in its place.

Whoever has that other answer wrong has lost its points already.
"""

import functools
import importlib
import inspect


def names_seen_by(function, name):
    """Return the names around a function; where ``name`` is not one of them, the notebook's."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if not hasattr(function, "__globals__"):
        function = function.__call__
    names = getattr(function, "__globals__", {})
    return names if name in names else vars(importlib.import_module("__main__"))


def with_substitute(function, name, substitute):
    """Return a function like this one, but for what it sees under ``name``."""

    def changed(*args, **kwargs):
        seen = names_seen_by(function, name)
        own = {name: seen[name]} if name in seen else {}
        seen[name] = substitute
        try:
            return function(*args, **kwargs)
        finally:
            del seen[name]
            seen.update(own)

    return changed
