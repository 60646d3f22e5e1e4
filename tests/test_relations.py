"""What is said of a wrong result that no known mistake explains."""

import itertools

import numpy as np
import pytest
from extreme import EXTREME

from coursekit.checks import wording
from coursekit.checks.relations import location, relation
from coursekit.checks.wording import COMPARED

RNG = np.random.default_rng(5)
X = RNG.normal(size=(4, 5))
CUBE = RNG.normal(size=(2, 3, 4))
SQUARE = RNG.normal(size=(4, 4))
SHARES = np.exp(X) / np.exp(X).sum(axis=1, keepdims=True)
COUNTS = np.arange(1.0, 13.0).reshape(3, 4)
WORDS = ["a", "cat", "sat", "down"]
MASK = np.array([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]], dtype=bool)


def found(got, expected, *arguments, **more):
    numbered = [(str(number), value) for number, value in enumerate(arguments, start=1)]
    named = [*numbered, *more.items()]
    said = relation(got, expected, named, 1e-5) or location(got, expected, named, 1e-5)
    return said and said.removeprefix(COMPARED).removesuffix(".")


def changed(array, index, value=7.0):
    array = array.copy()
    array[index] = value
    return array


FOLLOWED = [
    (-X, X, "every number has the opposite sign"),
    (np.where(X > 0.5, -X, X), X, "every number that differs has the opposite sign"),
    (2 * X, X, "every number is 2 times the expected one"),
    (X / 5, X, "every number is the expected one divided by 5"),
    (X / np.sqrt(5), X, "every number is the expected one divided by the square root of 5"),
    (0.37 * X, X, "every number is off by the same factor"),
    (X + 1, X, "every number is too large by 1"),
    (X - 3, X, "every number is too small by 3"),
    (X + 0.31, X, "every number is off by the same amount"),
    (X**2, X, "every number is the square of the expected one"),
    (X, np.tanh(X), "taking tanh of your numbers gives the expected ones"),
    (X, np.exp(X), "taking exp of your numbers gives the expected ones"),
    (np.maximum(X, 0), X, "every number is the larger of 0 and the expected one"),
    (np.round(X), X, "every number has been rounded"),
    (np.round(X, 3), X, "every number has been rounded to 3 decimal places"),
    (np.float32(2.33), np.float32(2.327373), "it has been rounded to 2 decimal places"),
    (1 - X, X, "every number is 1 minus the expected one"),
    (X, SHARES, "the softmax of your numbers over axis 1 would give the expected ones"),
    (
        3.7 * np.arange(1, 5)[:, None] * SHARES,
        SHARES,
        "your numbers must still be divided by their sum over axis 1",
    ),
    (X * np.arange(2, 7) ** 0.3, X, "along axis 0 all numbers are off by the same factor"),
    (X + np.arange(1, 6) ** 0.3, X, "along axis 0 all numbers are off by the same amount"),
    (SQUARE.T, SQUARE, "axes 0 and 1 are swapped"),
    (CUBE.swapaxes(1, 2), CUBE, "axes 1 and 2 are swapped"),
    (X[:, ::-1], X, "the entries along axis 1 are in reverse order"),
    (np.roll(X, 1, axis=0), X, "the entries come one place too late along axis 0"),
    (np.roll(X, -1, axis=1), X, "the entries come one place too early along axis 1"),
    (RNG.permutation(X.ravel()).reshape(4, 5), X, "the same numbers are in another order"),
    (X[:, :, None], X, "the numbers are right, but there is an axis of length 1 too many"),
    (X[0], X[:1], "the numbers are right, but an axis of length 1 is missing"),
    (X.reshape(2, 10), X, "the numbers are right, but arranged in another shape"),
    (X.sum(axis=0), X, "the numbers are right, but axis 0 is missing: the sum was taken over it"),
    (
        X,
        X.mean(axis=1),
        "there is one axis too many, axis 1: the mean over it would give the expected numbers",
    ),
    (X[None], X[:, :, None], "the numbers are right, but arranged in another shape"),
    (X[:, -1], X, "axis 1 is missing: only its last entry came back"),
    (CUBE, CUBE[:, 0], "there is one axis too many, axis 1: only its first entry is expected"),
    (X[1:], X, "the first entry along axis 0 is missing, the others are right"),
    (X[:, :-1], X, "the last entry along axis 1 is missing, the others are right"),
    (
        np.vstack([X, X[:1]]),
        X,
        "there is one entry too many along axis 0, the last one; the others are right",
    ),
    (~MASK, MASK, "True and False are swapped"),
    (WORDS[::-1], WORDS, "the list is in reverse order"),
    (WORDS[1:], WORDS, "the first entry of the list is missing, the others are right"),
    (WORDS[:-1], WORDS, "the last entry of the list is missing, the others are right"),
    (
        [*WORDS, "x"],
        WORDS,
        "the list has one entry too many at its end, the others are right",
    ),
    (
        ["x", *WORDS],
        WORDS,
        "the list has one entry too many at its beginning, the others are right",
    ),
    (["cat", "a", *WORDS[2:]], WORDS, "the list holds the same entries in another order"),
    ("The Cat", "the cat", "the text differs only in upper and lower case"),
    ("the  cat ", "the cat", "the text differs only in spaces"),
    ((X, CUBE), (CUBE, X), "the values of the result are in another order"),
    ((X, -CUBE), (X, CUBE), "every number has the opposite sign"),
    ({"a": X, "b": 2 * X}, {"a": X, "b": X}, "every number is 2 times the expected one"),
]


@pytest.mark.parametrize(("got", "expected", "sentence"), FOLLOWED)
def test_how_a_result_follows_from_the_expected_one(got, expected, sentence):
    assert found(got, expected) == sentence


def test_what_the_arguments_have_to_do_with_the_result():
    bias = RNG.normal(size=5)
    assert found(X, 1 / np.abs(X) ** 1.5, X) == "argument 1 came back as it was"
    assert (
        found(X, X + bias, X**2, bias) == "your numbers plus argument 2 would be the expected ones"
    )
    assert found(X + bias, X, bias=bias) == (
        "your numbers minus argument bias would be the expected ones"
    )
    assert (
        found(CUBE / 0.37, CUBE, 0.37) == "your numbers times argument 1 would be the expected ones"
    )
    assert found(CUBE * 0.37, CUBE, 0.37) == (
        "your numbers divided by argument 1 would be the expected ones"
    )


def test_weights_of_halves_are_not_called_rounded():
    halves = np.array([0.5, 0.0, 0.5, 0.0])
    assert (
        found(np.zeros(4), halves) == "some numbers are 0 that should not be, all others are right"
    )


def test_a_factor_that_rounds_to_1_and_a_single_truth_value_say_nothing():
    assert found(1.00005 * X, X) == "every number is off by the same factor"
    assert found(np.array([True]), np.array([False])) is None
    assert relation(MASK, 2.0 * MASK, [], 1e-5) is None
    # Where only the kind of the numbers is wrong, none of them is.
    assert found(MASK, 1.0 * MASK) is None
    assert found(0.3, 0.8, 0.3) is None
    assert found(SQUARE[:2, :2] + np.diag([3.0, 5.0]), SQUARE[:2, :2]) is None


def test_of_many_values_the_orders_are_not_tried():
    values = tuple(RNG.normal(size=length) for length in range(2, 7))
    assert found(values[::-1], values) is None


@pytest.mark.parametrize(
    ("got", "expected"),
    [(X[:0], X), (X[:, :0], X), (X, X[:0]), (X[:0], X[:1]), (X[:3, :2] + 1, X)],
)
def test_a_result_of_another_shape_may_be_empty_and_is_wrong_nowhere(got, expected):
    assert found(got, expected) is None


def test_where_a_result_is_wrong():
    assert found(SQUARE + np.triu(SQUARE, 1), SQUARE) == (
        "only what stands above the diagonal differs"
    )
    assert found(SQUARE[None] + np.triu(SQUARE, 1), SQUARE[None]) == (
        "only what stands above the diagonal of the last two axes differs"
    )
    assert found(SQUARE + np.tril(SQUARE, -1), SQUARE) == (
        "only what stands below the diagonal differs"
    )
    diagonal = np.diag([3.0, 5.0, 4.0, 9.0])
    assert found(SQUARE + diagonal, SQUARE) == "only the diagonal differs"
    assert found(changed(X, 0), X) == "only the first entry along axis 0 differs"
    assert found(changed(X, np.s_[:, -1]), X) == "only the last entry along axis 1 differs"
    assert (
        found(changed(COUNTS, np.s_[:, 1:]), COUNTS) == "only the first entry along axis 1 is right"
    )
    assert found(changed(X, np.s_[:, 3:]), X) == (
        "along axis 1 the first entries are right and the later ones wrong"
    )
    assert found(np.where(X < 0, 0.5, X), X) == "only the numbers that should be negative differ"
    sparse = np.where(X < 0.5, 0, X)
    assert found(sparse + 0.7 * (sparse == 0), sparse) == "only the numbers that should be 0 differ"
    assert found(changed(X, np.s_[:, :2]), X) == (
        "along axis 1 the first entries are wrong and the later ones right"
    )
    assert found(changed(SQUARE, (1, 3)), SQUARE) == "only the last entry along axis 1 differs"
    columns = np.tile(X[:1], (4, 1))
    assert found(changed(columns, 0), columns) == "only the first entry along axis 0 differs"
    assert found(X + [0, 0, 0, 0, 0.31], X) == "only the last entry along axis 1 differs"
    assert found(changed(X, (1, 2), np.nan), X) is None
    assert found(changed(changed(X, -1, np.nan), (0, 0)), X) is None
    assert found(changed(X, -1, np.nan), X) == "only the last entry along axis 0 differs"


def test_where_a_mask_decides():
    wrong = np.where(MASK, X, 9.0)
    assert found(wrong, X, X, MASK) == "exactly the entries where argument 2 is False differ"
    wrong = np.where(MASK.any(axis=1, keepdims=True), X[:, :3], 9.0)
    assert found(wrong, X[:, :3], mask=MASK) == (
        "exactly the rows in which argument mask is False everywhere differ"
    )
    wrong = np.where(MASK.all(axis=1, keepdims=True), X[:, :3], 9.0)
    assert found(wrong, X[:, :3], mask=MASK) == (
        "exactly the rows in which argument mask is False somewhere differ"
    )


def test_numbers_that_have_nothing_to_do_with_each_other_are_compared_with_nothing():
    for shape, seed in itertools.product([(3,), (4, 5), (2, 3, 4), (5, 5)], range(20)):
        rng = np.random.default_rng(seed)
        got, expected, argument = rng.normal(size=(3, *shape))
        assert found(got, expected, argument, 0.3) is None
    assert found(3.0, 8.0, 5.0) is None
    assert found(None, X) is None
    assert found("cat", X) is None
    assert found(X, "cat") is None
    assert found([], ["a", "b"]) is None
    assert found([], ["a"]) is None
    assert found(X.astype(complex), 2 * X) is None


@pytest.mark.parametrize("extreme", EXTREME.values(), ids=EXTREME)
@pytest.mark.parametrize("expected", [X, SQUARE, SHARES, COUNTS, MASK * 1.0, X[0], X[:, :1]])
def test_no_number_is_too_large_or_too_small_to_be_compared(extreme, expected):
    with np.errstate(all="ignore"):
        got = extreme(expected)
    for one, other in ((got, expected), (expected, got)):
        said = relation(one, other, [("x", X), ("huge", 1e200)], 1e-5)
        assert said is None or said.startswith(COMPARED)
        said = location(one, other, [("mask", MASK), ("tiny", 1e-310)], 1e-5)
        assert said is None or said.startswith(COMPARED)


@pytest.mark.parametrize(("got", "expected", "sentence"), FOLLOWED)
def test_it_is_told_in_chinese(got, expected, sentence):
    said = wording.mistake(f"{COMPARED}{sentence}.", "zh")
    for name in ("softmax", "tanh", "relu", "exp", "True", "False"):
        said = said.replace(name, "")
    assert not [character for character in said if character.isascii() and character.isalpha()]
