"""What makes a hidden check: drawn inputs, expected values computed live, failures without values.

What an example should give comes from the reference solution, the names of mistakes from the bank
of variants; both are computed for the inputs that the check has drawn.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
import io
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType

import numpy as np

from autograder.checking.replayed_answers import ComputedExamples
from coursekit.checks import CheckFailure, silenced
from coursekit.checks.examples import judge_with
from coursekit.checks.serve import LocalWorld

_salt: contextvars.ContextVar[int] = contextvars.ContextVar("salt", default=0)


def generator(seed: int) -> np.random.Generator:
    """Return the random generator of a hidden check: explicit, and each submission has its own.

    A submission may smuggle the inputs out that it was called with. They are of no use to the
    next one, whose digest salts the seed; the same submission meets the same inputs again.
    """
    return np.random.default_rng([seed, _salt.get()])


@contextlib.contextmanager
def salted(digest: str) -> Iterator[None]:
    """Let the hidden checks inside draw the inputs that belong to a submission's digest."""
    token = _salt.set(int(digest, 16))
    try:
        yield
    finally:
        _salt.reset(token)


def hidden_check(function: Callable[..., None]) -> Callable[..., None]:
    """Make a hidden check: as `coursekit.checks.check`, but a failure shows no value.

    What the answer prints while it is called is dropped: it could repeat a hidden input.
    """
    stem = function.__module__.rpartition(".")[2]
    judge = judge_with(function, lambda: ComputedExamples(stem, function.__name__))
    parameters = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def run(*answers: object) -> None:
        world = LocalWorld()
        try:
            with silenced(None), contextlib.redirect_stdout(io.StringIO()):
                named = zip(answers, parameters, strict=True)
                judge(*(world.stand_in(answer, name) for answer, name in named))
        except CheckFailure as failure:
            raise failure.without_detail() from None

    run.judge = judge  # type: ignore[attr-defined]
    return run


def hidden_checks(stem: str) -> ModuleType:
    """Return the module of a chapter's hidden checks, `autograder.hidden` has one for each."""
    return import_module(f"autograder.hidden.{stem}")
