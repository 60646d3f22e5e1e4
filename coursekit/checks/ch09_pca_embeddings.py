"""Visible checks of chapter 9, on the examples that the exercises print."""

import contextlib
import re
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np

from coursekit.checks import TextFile, attempt, check, differs, example, remote_helper

NO_LINE_NUMBER = "The message does not name the line that is bad. Count the lines from 1."
COUNTED_FROM_0 = (
    "The line numbers in the messages are one too small. Count the lines of the file from 1."
)
NOT_FLOAT32 = (
    "Every vector must be a float32 array. Make each of them with "
    "np.array(numbers, dtype=np.float32)."
)
NOT_INTEGERS = (
    "The ids are not integers, so they cannot be used as row numbers. Make their array with "
    "dtype=int."
)
UNKNOWN_RANDOM = (
    "A word without a vector gets random numbers, or other numbers of its own. Its row must be "
    "zeros."
)
WHOLE_FILE = (
    "The whole file is in memory at once. With a list of words, read the file line by line and "
    "keep only the vectors that are wanted."
)

THREE_POINTS = np.array([[0.0, 1.0], [3.0, 1.0], [1.0, -2.0]])
# Many rows that are not round numbers: some rounding shows in the diagonal of the distances.
ANGLES = np.arange(30.0)[:, None] / np.array([1.0, 3.0, 10.0, 30.0])
WAVES = np.concatenate([np.sin(ANGLES), np.cos(ANGLES)], axis=1)
# Of the shape of THREE_POINTS: a result that is kept for a shape is then seen.
WHOLE_NUMBERS = np.array([[2, 0], [1, 5], [-4, 1]])
# Not at the origin: products of single precision lose the small distance.
CLOSE_POINTS = np.array([[2.0, 1.0], [2.0005, 1.0], [2.0, 4.0]])

FOUR_LINES = "the 0.5 -1.5 2.0\ncat 1.0 0.25 -3.0\n, 0.125 3e-2 -1.0\nsat -0.75 0.0 4.5\n"
SIMILAR_WORDS = "Cat 1.0 0.25\ncat 0.5 -2.0\nCats 3.0 1.5\n"
# GloVe has such words, and float reads such numbers. Nothing ends the last line.
ODD_WORDS = '7 0.5 +1\n# 1E2 -1.5\n" -.5 2.\né 0.75 1e-1\n-- 3.0 0.25'
# Far more lines than numbers on a line: a message that says how many numbers names no line.
LINES = [
    f"{word} {number / 8} {-number / 4} 0.5"
    for number, word in enumerate("the dog ran from a cat that saw him , but not me .".split())
]

TEXTS = ["The cat saw the dog.", "A dog ran , the dog hid", "No"]
# Each of these words is one word, and only capital letters change.
ODD_TEXTS = ["É 7 x-ray Straße", "why? x-ray don't é"]

WORD_INDEX = {"xyzzy": 2, "red": 3, "dog": 1}
# The first vectors are whole numbers: their type does not fit the others.
VECTORS = {"dog": np.array([1, -2]), "cat": np.array([5, 5]), "red": np.array([0.5, 3.0])}
CAPITALS = {"Dog": np.array([1.5, -2.0]), "red": np.array([0.5, 3.0])}

X = np.array([[1.0, 5.0, 3.0], [2.0, 3.0, 0.0], [4.0, 0.0, 2.0], [5.0, 5.0, 2.0]])
X_FIVE = np.array(
    [
        [5.0, 4.0, -3.0, 3.0],
        [6.0, -3.0, 0.0, -1.0],
        [4.0, 3.0, -1.0, -1.0],
        [1.0, 6.0, 5.0, 1.0],
        [1.0, 2.0, -1.0, 2.0],
    ]
)

EMBEDDINGS = np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 4.0]])
POSITIONS = np.array([[0.0, 1.0, 0.0], [0.5, 0.5, -1.0]])
# Three texts with the mean far from zero, so that texts differ from each other, too.
TEXTS_OF_VECTORS = np.stack([EMBEDDINGS, EMBEDDINGS[::-1] + [2.0, 0.0, -1.0], 3 - 2 * EMBEDDINGS])
WHOLE_POSITIONS = np.array([[3, 1, 0], [0, 5, -1]])
PADDED = EMBEDDINGS * [[1.0], [0.0]]

# Whole numbers: distances that are equal are equal in every way of computing them.
FOUR_POINTS = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 8.0]])
ON_A_LINE = np.array([[0.0], [1.0], [4.0], [5.0]])
FIVE_POINTS = np.array([[0.0, 6, 1], [7, 5, 0], [6, 2, 3], [1, 7, 3], [4, 2, 7]])
FIVE_DRAWN = np.array([[1.0, 5], [4, 4], [7, 0], [0, 3], [5, 0]])
# Their distances are roots that differ only after the decimal point.
WHOLE_POINTS = np.array([[0, 0], [1, 2], [2, 0], [5, 1]])
IN_ORDER, TURNED_ROUND = np.array([[0.0], [1.0], [7.0]]), np.array([[0.0, 0], [6, 8], [3, 0]])

TWO_VECTORS = np.array([[1, 2, 3], [5, 0, -1]])
# Positions that vary in one direction, and mostly in two of four, far from 0. The variances of the
# latter all differ: among equal ones the SVD would choose directions that other processors do not.
ON_ONE_LINE = np.array([[0.0, 0.0, 5.0], [3.0, 4.0, 5.0], [6.0, 8.0, 5.0]])
NEAR_A_PLANE = np.array([[7.0, 1.0, 3.0, 2.0]]) + np.array(
    [[-4.0, 1.0, 0.2], [-1.0, -1.0, 0.1], [0.0, 1.5, -0.3], [2.0, -2.0, 0.2], [3.0, 0.5, -0.2]]
) @ np.array([[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5], [0.5, 0.5, -0.5, -0.5]])


@check
def distance_matrix(distance_matrix):
    one_point = THREE_POINTS[:1]
    tables = [THREE_POINTS, WAVES, WHOLE_NUMBERS, CLOSE_POINTS, one_point]
    distance_examples(distance_matrix, *tables)


def distance_examples(distance_matrix, *tables):
    """Compare an answer's distances, then their diagonals, which must be zeros exactly."""
    for x in tables:
        example(distance_matrix, x)
    diagonal = remote_helper(distance_matrix, diagonal_of, "the diagonal of distance_matrix")
    for x in tables:
        example(diagonal, distance_matrix, x, tolerance=0)


@check
def load_vectors(load_vectors):
    # First numbers without an exponent: who minds one calls no line bad here.
    example(load_vectors, TextFile("vectors.txt", SIMILAR_WORDS), ["Cats", "dog"])
    loading_examples(load_vectors, FOUR_LINES, ["sat", "cow", "the"])
    example(load_vectors, TextFile("vectors.txt", SIMILAR_WORDS), ["scat", "cats", "Cat"])
    example(load_vectors, TextFile("vectors.txt", ODD_WORDS))
    bad_line_examples(load_vectors, LINES, 12, short, "a line with too few numbers")
    bad_line_examples(load_vectors, LINES, 2, long, "a line with too many numbers")
    bad_line_examples(load_vectors, LINES, 11, garbled_within, "an entry that is not a number")
    bad_line_examples(load_vectors, LINES, 1, garbled, "an entry that is not a number")
    bad_line_examples(load_vectors, LINES, 14, bare, "a line without numbers")
    memory_is_small(load_vectors, 8000)


def loading_examples(load_vectors, text, words):
    """Compare what an answer reads from a file: some words, none, all; then the arrays' type."""
    file = TextFile("vectors.txt", text)
    # In this order, words that are kept from call to call do not look like words ignored.
    example(load_vectors, file, words)
    example(load_vectors, file, [])
    example(load_vectors, file)
    helper = remote_helper(load_vectors, types_of_arrays, "the types of load_vectors's arrays")
    trial = attempt(helper, load_vectors, file)
    others = [name for name in trial.value if name != "float32"]
    if others:
        trial.fail("the vectors are not all float32 arrays", f"found: {others[0]}", NOT_FLOAT32)


def bad_line_examples(load_vectors, lines, number, spoil, because):
    """Spoil a line and require an error that names it, whether its word is wanted or not."""
    spoilt = [*lines[: number - 1], spoil(lines[number - 1]), *lines[number:]]
    file = TextFile("bad_line.txt", "\n".join(spoilt) + "\n")
    # The line before the bad one is good. "Before" the first line stands the last: lines[-1].
    bad, good = (lines[place].partition(" ")[0] for place in (number - 1, number - 2))
    # Who stops when all wanted words are found does not stop for "-", which is not in the file.
    for words in (None, [bad], [good, "-"], [good], []):
        trial = example(load_vectors, file, words, raises=ValueError, because=because)
        message = re.sub(r"\S*bad_line\.txt", "", trial.reply.error.message)
        named = set(map(int, re.findall(r"(?<!\d)(?<!\d\.)\d+(?![\d.]*\d)", message)))
        if number not in named:
            mistake = COUNTED_FROM_0 if number - 1 in named else NO_LINE_NUMBER
            summary = f"the error does not name line {number}, which is bad"
            trial.fail(summary, f"its message: {trial.reply.error.message}", mistake)


def short(line):
    """Return a line without its last number."""
    return line.rpartition(" ")[0]


def long(line):
    """Return a line with one more number."""
    return f"{line} 0.5"


def garbled(line):
    """Return a line whose last entry is not a number."""
    return f"{short(line)} 0.5.5"


def garbled_within(line):
    """Return a line with an entry that is not a number, neither the first nor the last."""
    entries = line.split(" ")
    entries[len(entries) // 2] = "0.5.5"
    return " ".join(entries)


def bare(line):
    """Return a line's word alone."""
    return line.partition(" ")[0]


def memory_is_small(load_vectors, lines):
    """Require that two words of a long file are read in a quarter of its size."""
    label = "load_vectors on a long file"
    helper = remote_helper(load_vectors, memory_while_loading, label)
    trial = attempt(helper, load_vectors, lines)
    words, peak, size = trial.value
    if peak > size / 4:
        trial.fail(
            f"for {words} words of a file of {size / 1e6:.1f} MB it used {peak / 1e6:.1f} MB",
            mistake=WHOLE_FILE,
        )


@check
def tokenize(tokenize):
    example(tokenize, TEXTS, 6)
    example(tokenize, TEXTS, 4)
    # Nothing may be left of the words of an earlier call.
    example(tokenize, ["red dog"], 3)
    example(tokenize, ["the  Red\tdog\r\n", "", "a red a"], 5)
    example(tokenize, ODD_TEXTS, 5)
    helper = remote_helper(tokenize, type_of_ids, "the type of tokenize's ids")
    trial = attempt(helper, tokenize, TEXTS, 6)
    if not trial.value.startswith(("int", "uint")):
        trial.fail("the ids are not integers", f"found: {trial.value}", NOT_INTEGERS)


@check
def embedding_matrix(embedding_matrix):
    missing_words_have_rows_of_zeros(embedding_matrix)
    example(embedding_matrix, WORD_INDEX, VECTORS, 2)
    example(embedding_matrix, {"red": 1, "cat": 2}, VECTORS, 2)
    # A row that an earlier call has filled must not come back.
    example(embedding_matrix, {"red": 1, "xyzzy": 2}, VECTORS, 2)
    # Only the very same word counts.
    example(embedding_matrix, {"red.": 1, "Red": 2, "dog": 3, "reds": 4}, CAPITALS, 2)
    example(embedding_matrix, {"dog": 1}, {}, 3)
    example(embedding_matrix, {}, VECTORS, 2)


def missing_words_have_rows_of_zeros(embedding_matrix):
    """Name an answer that draws numbers for words without a vector, which no example can know."""
    helper = remote_helper(embedding_matrix, rows_unless_it_fails, "the rows of missing words")
    trial = attempt(helper, embedding_matrix, {**WORD_INDEX, "zebra": 4}, VECTORS, 2)
    expected = np.array([[0, 0], VECTORS["dog"], [0, 0], VECTORS["red"], [0, 0]])
    if differs(trial.reply.value, expected, shapes_only=True):
        return
    rows = np.asarray(trial.reply.value)
    vectors = list(VECTORS.values())
    known = np.array([[0, 0], *vectors, np.mean(vectors, axis=0)])
    is_new = [not np.isclose(row, known).all(axis=1).any() for row in rows[[2, 4]]]
    if all(is_new) and not differs(rows[[0, 1, 3]], expected[[0, 1, 3]]):
        trial.fail("a word without a vector has a row that is not 0", mistake=UNKNOWN_RANDOM)


@check
def pca(pca):
    example(pca, X, 2)
    example(pca, X, 3)
    example(pca, X, 1)
    example(pca, X_FIVE, 2)
    example(pca, X_FIVE.T.astype(int), 2)


@check
def mix(mix):
    example(mix, EMBEDDINGS, POSITIONS, 3, 10)
    example(mix, TEXTS_OF_VECTORS, POSITIONS, 0.5, -2.0)
    example(mix, EMBEDDINGS.astype(int), POSITIONS, 0.5, 2)
    # The last word is not known, so its vector is zero.
    example(mix, PADDED, POSITIONS, 3, 10)
    example(mix, EMBEDDINGS[None], POSITIONS, 2, 0)
    # As many texts as words in each, and numbers of another type in each argument.
    example(mix, TEXTS_OF_VECTORS[1:], WHOLE_POSITIONS, 0, 0.5)


@check
def position_share(position_share):
    example(position_share, EMBEDDINGS, POSITIONS, 2, 3)
    example(position_share, EMBEDDINGS, POSITIONS, 1, 4)
    example(position_share, TEXTS_OF_VECTORS, POSITIONS, 2, 3)
    example(position_share, EMBEDDINGS[:1], POSITIONS[:1], 2, 3)
    example(position_share, EMBEDDINGS, POSITIONS, 0, 3)
    example(position_share, EMBEDDINGS / 1e5, POSITIONS / 1e5, 2, 3)
    example(position_share, PADDED, POSITIONS, 2, 3)
    example(position_share, EMBEDDINGS, POSITIONS, 2, -1)
    example(position_share, EMBEDDINGS[None], POSITIONS, 3, 2)


@check
def picture_correlation(picture_correlation):
    # First the points on which no two mistakes give the same number.
    example(picture_correlation, FIVE_POINTS, FIVE_DRAWN)
    example(picture_correlation, FOUR_POINTS, ON_A_LINE)
    example(picture_correlation, WHOLE_POINTS, ON_A_LINE)
    # The size of a picture does not matter. This divisor leaves equal distances equal.
    example(picture_correlation, FIVE_POINTS, FIVE_DRAWN / 1024)
    # What is close in the data is far apart in this picture.
    example(picture_correlation, IN_ORDER, TURNED_ROUND)
    # The sides of the triangle are equal, so there is nothing to be faithful to.
    example(picture_correlation, np.eye(3), ON_A_LINE[:3])
    example(picture_correlation, FOUR_POINTS, np.ones((4, 2)))


@check
def remove_directions(remove_directions):
    example(remove_directions, NEAR_A_PLANE, X_FIVE, 1)
    example(remove_directions, TWO_VECTORS, ON_ONE_LINE, 1)
    example(remove_directions, NEAR_A_PLANE, X_FIVE, 3)
    example(remove_directions, X_FIVE, NEAR_A_PLANE, 2)
    example(remove_directions, X_FIVE, NEAR_A_PLANE, 1)
    example(remove_directions, X_FIVE, NEAR_A_PLANE, 0)
    # With as many directions as columns, nothing is left.
    example(remove_directions, NEAR_A_PLANE, X_FIVE, 4)
    # There are fewer positions than columns.
    example(remove_directions, X_FIVE, NEAR_A_PLANE[:3], 1)
    example(remove_directions, X_FIVE[0], NEAR_A_PLANE, 1)
    texts = np.stack([X_FIVE, X_FIVE[::-1] + 3])
    example(remove_directions, texts, NEAR_A_PLANE, 2)
    example(remove_directions, texts[:, None], NEAR_A_PLANE, 2)


# --- what runs where the work lives -------------------------------------------------------------


def diagonal_of(distance_matrix, x):
    """Return the diagonal of an answer's distances."""
    return np.diagonal(distance_matrix(x)).copy()


def lengths_of_components(pca, x, n_components):
    """Return the lengths of the rows of an answer's components."""
    _, components, _ = pca(x, n_components)
    return np.linalg.norm(components, axis=1)


def rows_unless_it_fails(embedding_matrix, word_index, vectors, dim):
    """Return an answer's matrix, None if it raises an error, which the examples are to judge."""
    with contextlib.suppress(Exception):
        return embedding_matrix(word_index, vectors, dim)


def types_of_arrays(load_vectors, path):
    """Return the types of the vectors that an answer reads, those of their numbers for arrays."""
    vectors = load_vectors(path).values()
    return [
        vector.dtype.name if isinstance(vector, np.ndarray) else type(vector).__name__
        for vector in vectors
    ]


def type_of_ids(tokenize, texts, max_length):
    """Return the type of the ids that an answer makes."""
    return np.asarray(tokenize(texts, max_length)[1]).dtype.name


def memory_while_loading(load_vectors, lines):
    """Load two words of a file of so many lines; return their number, the peak, the file's size."""
    numbers = " ".join(f"{number / 7:.4f}" for number in range(40))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.txt"
        path.write_text("".join(f"word{line} {numbers}\n" for line in range(lines)))
        tracemalloc.start()
        try:
            tracemalloc.reset_peak()
            vectors = load_vectors(str(path), ["word7", f"word{lines - 3}"])
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return len(vectors), peak, path.stat().st_size
