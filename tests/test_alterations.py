"""What is said of a result that would be right for other arguments."""

import numpy as np
import pytest

from coursekit.checks import wording
from coursekit.checks.alterations import MANY_NUMBERS, agree, alterations, fingerprint, said

RNG = np.random.default_rng(8)
X, W, V = RNG.normal(size=(4, 6)), RNG.normal(size=(6, 6)), RNG.normal(size=6)
MASK = (
    np.array([[1, 1, 0, 1, 0, 1], [0, 1, 1, 1, 1, 0], [1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 0]]) > 0
)
IDS = np.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


def score(x, w, v, mask=None, scale=0.7, gates=None, weights=None):
    """A right answer that uses every kind of argument."""
    total = np.tanh(x @ w * scale) * v
    if gates:
        total = total * np.tanh(x @ gates["z"]) + x @ gates["r"]
    if weights:
        total = total + np.tanh(x @ weights[0]) @ weights[1]
    return total if mask is None else np.where(mask, total, 0)


def found(answer, *args, names=(), **kwargs):
    """Say for which other arguments of `score` what an answer gives is right."""
    mine = fingerprint(answer(*args, **kwargs))
    for condition, other_args, other_kwargs in alterations(args, kwargs, names):
        try:
            other = fingerprint(score(*other_args, **other_kwargs))
        except ValueError:
            continue
        if other and agree(mine, other, 1e-5):
            return condition
    return None


GATES = {"z": RNG.normal(size=(6, 6)), "r": RNG.normal(size=(6, 6))}
WEIGHTS = [RNG.normal(size=(6, 6)), RNG.normal(size=(6, 6))]
MISREAD = [
    (lambda x, w, v: score(-x, w, v), {}, "argument 1 had the opposite sign"),
    (lambda x, w, v: score(x, w.T, v), {}, "argument 2 were transposed"),
    (lambda x, w, v: score(x, w, 1), {}, "argument 3 were 1 everywhere"),
    (lambda x, w, v: score(x, w, v[::-1]), {}, "argument 3 were reversed along axis 0"),
    (
        lambda x, w, v: score(np.repeat(x[:1], 4, 0), w, v),
        {},
        "every entry of argument 1 along axis 0 were the first one",
    ),
    (
        lambda x, w, v: score(x[1:], w, v),
        {},
        "the first entry of argument 1 along axis 0 were left out",
    ),
    (
        lambda x, w, v: score(x[:, :-1], w[:-1, :-1], v[:-1]),
        {},
        "the last entry of every axis of length 6 were left out",
    ),
    (
        lambda x, w, v, mask: score(x, w, v, ~mask),
        {"mask": MASK},
        "True and False were swapped in argument mask",
    ),
    (lambda x, w, v, mask: score(x, w, v), {"mask": MASK}, "argument mask were True everywhere"),
    (lambda x, w, v, scale: score(x, w, v, scale=1), {"scale": 0.4}, "argument scale were 1"),
    (
        lambda x, w, v, scale: score(x, w, v, scale=scale**0.5),
        {"scale": 0.4},
        "argument scale were its square root",
    ),
    (lambda x, w, v, scale: score(x, w, v), {"scale": 0.4}, "argument scale were not given"),
    (
        lambda x, w, v, gates: score(x, w, v, gates={"z": GATES["r"], "r": GATES["z"]}),
        {"gates": GATES},
        'entry "z" of argument gates and entry "r" of argument gates were swapped',
    ),
    (
        lambda x, w, v, gates: score(x, w, v, gates={k: g.T for k, g in gates.items()}),
        {"gates": GATES},
        "every array of argument gates were transposed",
    ),
    (
        lambda x, w, v, weights: score(x, w, v, weights=[weights[0], 0 * weights[1] + 1]),
        {"weights": WEIGHTS},
        'entry "1" of argument weights were 1 everywhere',
    ),
]


@pytest.mark.parametrize(("answer", "more", "condition"), MISREAD)
def test_the_argument_that_was_misread_is_found(answer, more, condition):
    assert found(answer, X, W, V, **more) == condition
    told = wording.mistake(said(condition), "zh")
    for name in ("argument", "swapped", "were", "entry", "right", "axis"):
        assert name not in told


def test_arguments_have_the_names_of_the_parameters():
    wrong = lambda x, w, v: score(x, w.T, v)  # noqa: E731
    assert found(wrong, X, W, V, names=("x", "w", "v")) == "argument w were transposed"


def test_whole_numbers_are_off_by_one():
    conditions = {condition: args for condition, args, _ in alterations([IDS, 3], {})}
    assert (conditions["argument 1 were larger by 1"][0] == IDS + 1).all()
    assert conditions["argument 2 were smaller by 1"][1] == 2


def test_of_0_there_is_no_reciprocal():
    said = {condition for condition, _, _ in alterations([0.0], {})}
    assert "argument 1 were 1" in said and "argument 1 were its reciprocal" not in said


def test_a_call_is_altered_in_one_thing_and_its_own_arguments_stay():
    args, kwargs = [X.copy(), W.copy(), V.copy()], {"mask": MASK.copy(), "gates": dict(GATES)}
    given = [each.copy() for each in args]
    for condition, other_args, other_kwargs in alterations(args, kwargs):
        same = [np.array_equal(one, other) for one, other in zip(other_args, given, strict=True)]
        kept = same.count(True) + sum(other_kwargs.get(name) is kwargs[name] for name in kwargs)
        assert not ("entry" in condition and "not given" in condition)
        assert kept == 4 or (kept < 4 and ("swapped" in condition or "every axis" in condition))
    assert all(np.array_equal(one, other) for one, other in zip(args, given, strict=True))
    assert kwargs.keys() == {"mask", "gates"}


def test_a_fingerprint_tells_results_apart():
    result = (X, {"w": W, "v": [0.25, 3]})
    mine = fingerprint(result)
    assert agree(mine, fingerprint((X + 1e-8, {"w": W, "v": [0.25, 3]})), 1e-5)
    one_off = X.copy()
    one_off[2, 3] += 0.01
    for other in ((one_off, result[1]), (X.T, result[1]), (X, {"u": W, "v": [0.25, 3]}), X):
        assert not agree(mine, fingerprint(other), 1e-5)
    large = RNG.normal(size=20_000)
    assert agree(fingerprint(large), fingerprint(large.astype(np.float32)), 1e-4)
    large[5] += 1
    assert not agree(fingerprint(large), fingerprint(RNG.permutation(large)), 1e-4)


def test_many_different_counts_and_parts_do_not_agree_by_chance():
    counts = np.arange(1.0, 13.0)
    assert agree(fingerprint(counts), fingerprint(counts + 1e-9), 1e-5)
    assert agree(fingerprint(counts / 12), fingerprint(counts / 12 + 1e-9), 1e-5)
    assert fingerprint(np.linspace(0, 1, MANY_NUMBERS + 1)) is None


@pytest.mark.parametrize(
    "result",
    [
        *(None, "cat", [], 3, 0.5, 0.75, [0.25, 1.0], True, (X, "cat"), IDS, MASK),
        *(X * np.nan, X * np.inf, X * 1e300, np.broadcast_to(0.3, 10**7)),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_may_agree_by_chance_has_no_fingerprint(result):
    assert fingerprint(result) is None
