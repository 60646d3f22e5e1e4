"""The hidden checks, one module a chapter: other inputs than the visible checks', same names.

Expected values come from the reference solution, the names of mistakes from the bank of variants:
an answer that equals what a wrong variant gives for the same input makes that variant's mistake.
"""

import contextlib
import contextvars
import copy
import functools
import inspect
import io

import numpy as np

from autograder.course.chapters import load_chapter, load_variants, variant_functions
from coursekit.checks import CheckFailure, attempt, differs, silenced
from coursekit.checks.exchange import LocalWorld, Made

__all__ = ["Reference", "generator", "hidden_check", "salted"]

_salt = contextvars.ContextVar("salt", default=0)


def generator(seed):
    """Return the random generator of a hidden check: explicit, and each submission has its own.

    A submission may smuggle the inputs out that it was called with. They are of no use to the
    next one, whose digest salts the seed; the same submission meets the same inputs again.
    """
    return np.random.default_rng([seed, _salt.get()])


@contextlib.contextmanager
def salted(digest):
    """Let the hidden checks inside draw the inputs that belong to a submission's digest."""
    token = _salt.set(int(digest, 16))
    try:
        yield
    finally:
        _salt.reset(token)


def hidden_check(function):
    """Make a hidden check: as `coursekit.checks.check`, but a failure shows no value.

    What the work prints while it is called is dropped: it could repeat a hidden input.
    """
    parameters = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def run(*works):
        world = LocalWorld()
        stand_ins = (
            world.stand_in(work, name) for name, work in zip(parameters, works, strict=True)
        )
        try:
            with silenced(None), contextlib.redirect_stdout(io.StringIO()):
                function(*stand_ins)
        except CheckFailure as failure:
            raise failure.without_detail() from None

    return run


class Reference:
    """A chapter's reference solution and bank of variants, to compare answers with."""

    def __init__(self, stem):
        self._stem = stem

    def __call__(self, name, *args, **kwargs):
        """Return what the reference solution's function or class ``name`` gives."""
        return _call(vars(load_chapter(self._stem).reference), name, args, kwargs)

    def agrees(self, function, *args, **kwargs):
        """Require of a stand-in what the reference gives for the same arguments.

        A wrong answer that equals what a wrong variant of the bank gives is named by its mistake.
        """
        name = function._label
        expected = self(name, *args, **kwargs)
        trial = attempt(function, *args, **kwargs)
        if differs(trial.value, expected):
            trial.gives(expected, self._mistakes(name, args, kwargs))
        return trial

    def _mistakes(self, name, args, kwargs):
        mistakes = {}
        for variant in load_variants(self._stem):
            names = load_chapter(self._stem).exercise(variant.exercise).names
            if variant.mistake and name in names and variant.mistake not in mistakes:
                # A variant may be wrong by raising; it then gives nothing to compare with.
                with contextlib.suppress(ValueError, IndexError, TypeError):
                    functions = variant_functions(self._stem, variant)
                    mistakes[variant.mistake] = _call(functions, name, args, kwargs)
        return mistakes


def _call(functions, name, args, kwargs):
    """Call with deep copies, callables built: an answer of the bank may change its input."""
    args, kwargs = copy.deepcopy((args, kwargs))
    args = [arg.build() if isinstance(arg, Made) else arg for arg in args]
    kwargs = {k: arg.build() if isinstance(arg, Made) else arg for k, arg in kwargs.items()}
    return functions[name](*args, **kwargs)
