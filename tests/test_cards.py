"""The worked examples on the exercises' cards: the reference gives what is printed there."""

import ast
import re

import numpy as np
import pytest

from autograder.course.chapters import chapter_stems, load_chapter

# A call and its result, such as: `fibonacci(3)` → `[1. 2. 3.]`.
EXAMPLE = re.compile(r"`([^`]+)`\s*→\s*`([\[(\d-][^`]*)`")


def examples(text, namespace):
    """Yield the calls of a card that need nothing but NumPy, with the results printed there."""
    for code, printed in EXAMPLE.findall(text):
        try:
            call = ast.parse(" ".join(code.split()), mode="eval").body
        except SyntaxError:
            continue
        named = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
        if isinstance(call, ast.Call) and named <= {"np", *namespace}:
            yield ast.unparse(call), printed


def parts(printed):
    """Return the numbers and words of a printed value, one after the other."""
    return re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?|[A-Za-z]\w*", printed)


def flat(value):
    """Return the numbers and words of a value, one after the other."""
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    if isinstance(value, (list, tuple)):
        return [part for one in value for part in flat(one)]
    if isinstance(value, str):
        return re.findall(r"[A-Za-z]\w*", value)
    return np.asarray(value).ravel().tolist()


def agrees(printed, value):
    """Say whether a value rounds to what is printed."""
    shown, given = parts(printed), flat(value)
    return len(shown) == len(given) and all(map(_agrees, shown, given))


def _agrees(shown, given):
    if isinstance(given, (str, bool)) or given is None:
        return shown == str(given)
    if not re.match(r"-?\d", shown):
        return False
    digits = len(shown.partition(".")[2]) if "e" not in shown else 0
    tolerance = 0.51 * 10**-digits if "e" not in shown else 0.05 * abs(float(shown))
    return abs(float(shown) - given) <= tolerance


def cases():
    for stem in chapter_stems():
        names = {name for exercise in load_chapter(stem).exercises for name in exercise.names}
        for exercise in load_chapter(stem).exercises:
            for call, printed in examples(exercise.text, names):
                yield pytest.param(stem, call, printed, id=f"{stem}-{call[:40]}")


@pytest.mark.parametrize(("stem", "call", "printed"), list(cases()))
def test_a_card_prints_what_the_reference_gives(stem, call, printed):
    namespace = vars(load_chapter(stem).reference) | {"np": np}
    assert agrees(printed, eval(call, dict(namespace)))


def test_a_wrong_number_is_found():
    assert agrees("([0. 1.], 2.5)", (np.array([0.0, 1.0]), 2.5))
    assert not agrees("[7.0 1.5]", np.array([7.5, 1.5]))
    assert not agrees("[7.5]", np.array([7.5, 1.5]))
