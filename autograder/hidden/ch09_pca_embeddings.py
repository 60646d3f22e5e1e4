"""Hidden checks of chapter 9."""

import numpy as np
from scipy.linalg import hadamard

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import TextFile, example, remote_helper
from coursekit.checks.ch09_pca_embeddings import (
    bad_line_examples,
    bare,
    distance_examples,
    garbled,
    garbled_within,
    lengths_of_components,
    loading_examples,
    long,
    memory_is_small,
    short,
)

SYLLABLES = ["ba", "di", "ku", "lo", "me", "ni", "po", "ra", "su", "ti"]
# Words that are taken for something else: a comment, a quotation, a number; and none of ASCII.
ODD_WORDS = [",", "#", '"', "'s", "12", "co-op", "café", "Ñu"]


@hidden_check
def distance_matrix(distance_matrix):
    rng = generator(91)
    shapes = [(4, 7), (40, 17), (5, 5)]
    distance_examples(distance_matrix, *(rng.normal(0.4, 1.0, size=shape) for shape in shapes))
    distance_examples(distance_matrix, rng.integers(-9, 10, size=(6, 3)))
    small = rng.uniform(2e-5, 8e-5, size=(4, 7))  # of the shape of the first
    distance_examples(distance_matrix, small, rng.normal(size=(1, 5)))
    close = np.repeat(rng.normal(1.0, 1.0, size=(1, 7)), 4, axis=0)
    close[:, 0] += [0.0, 3e-4, 7e-4, 5e-2]
    distance_examples(distance_matrix, close)


@hidden_check
def load_vectors(load_vectors):
    rng = generator(92)
    for lines, numbers in [(9, 4), (14, 2), (8, 1)]:
        small, *words = some_words(rng, lines)
        words.append(small.title())
        table = some_lines(rng, words, numbers)
        one, two, three, unwanted = [str(word) for word in rng.permutation(words)[:4]]
        text = "\n".join(table)  # nothing ends the last line
        wanted = [one, two, small, three, f"{unwanted}-", unwanted.upper()]
        loading_examples(load_vectors, text, wanted)
    odd = some_lines(rng, [str(word) for word in rng.permutation(ODD_WORDS)], 3)
    # float reads each of these, too.
    odd[2] += "E1"
    odd[4] = odd[4].replace(" 0.", " .").replace(" -0.", " -.")
    example(load_vectors, TextFile("vectors.txt", "\n".join(odd) + "\n"))
    table = some_lines(rng, some_words(rng, 30), 5)
    for because, spoil in [
        ("a line with too few numbers", short),
        ("an entry that is not a number", garbled_within),
        ("a line without numbers", bare),
    ]:
        bad_line_examples(load_vectors, table, int(rng.integers(12, 29)), spoil, because)
    bad_line_examples(load_vectors, table, 1, garbled, "an entry that is not a number")
    bad_line_examples(load_vectors, table, 2, long, "a line with too many numbers")
    memory_is_small(load_vectors, 8000)


def some_words(rng, number):
    """Draw different words without digits."""
    words = set()
    while len(words) < number:
        words.add("".join(rng.choice(SYLLABLES, size=rng.integers(1, 4))))
    return [str(word) for word in rng.permutation(sorted(words))]


def some_lines(rng, words, numbers):
    """Draw a vector for each word and write both as a line."""
    table = rng.normal(size=(len(words), numbers))
    # No number ends in 0: who cuts the last digit off has then another number.
    return [
        f"{word} {' '.join(f'{value:.2f}{rng.integers(1, 10)}' for value in row)}"
        for word, row in zip(words, table, strict=True)
    ]


@hidden_check
def tokenize(tokenize):
    rng = generator(93)
    for texts, longest, max_length in [(5, 9, 6), (3, 12, 4), (7, 5, 8)]:
        words = some_words(rng, 8)
        chances = 0.6 ** np.arange(8)
        lengths = rng.integers(1, longest + 1, size=texts)
        lengths[rng.integers(texts)] = longest
        drawn = [rng.choice(words, size=length, p=chances / chances.sum()) for length in lengths]
        example(tokenize, [written(rng, text) for text in drawn], max_length)
    drawn = rng.choice([*ODD_WORDS, "Maß", "what?", "(so)"], size=(4, 9))
    example(tokenize, [" ".join(text) for text in drawn], 7)
    # More words than an integer of 8 bits can count.
    example(tokenize, ["\t".join(some_words(rng, 300))], 290)


def written(rng, words):
    """Write words as a text, some with capitals and punctuation, with white space between them."""
    spaces = [" ", " ", "  ", "\r\n"]
    forms = [
        (str.title(word) if rng.random() < 0.3 else word) + rng.choice(["", "", "", ",", "."])
        for word in words
    ]
    return "".join(f"{form}{rng.choice(spaces)}" for form in forms)


@hidden_check
def embedding_matrix(embedding_matrix):
    rng = generator(94)
    for number, dim in [(5, 9), (7, 3)]:
        words = some_words(rng, number + 4)
        vectors = {word: rng.normal(size=dim).astype(np.float32) for word in words[2:]}
        vectors[words[2]] = rng.integers(1, 9, size=dim)
        index = dict(zip(words[:number], range(1, number + 1), strict=True))
        shuffled = {str(word): index[str(word)] for word in rng.permutation(words[:number])}
        example(embedding_matrix, shuffled, vectors, dim)
    known = vectors[words[3]]
    near = {word: i for i, word in enumerate([f"{words[3]},", words[3].title(), words[2]], 1)}
    example(embedding_matrix, near, {words[3]: known, words[2].title(): known + 1}, dim)
    example(embedding_matrix, {}, vectors, dim)


@hidden_check
def pca(pca):
    rng = generator(95)
    for samples, d, n_components in [(30, 9, 6), (12, 7, 7), (6, 11, 4), (25, 3, 1)]:
        example(pca, some_data(rng, samples, d), n_components)
    example(pca, uncorrelated_columns(rng), 2)
    example(pca, np.rint(9 * some_data(rng, 9, 4)).astype(int), 2)
    # As many components as samples: the last has no variance, and any direction.
    x = some_data(rng, 4, 6)
    example(pca, x, 4, shapes_only=True)
    helper = remote_helper(pca, lengths_of_components, "the lengths of the components")
    example(helper, pca, x, 4)


def some_data(rng, samples, d):
    """Draw data whose mean is not zero and whose variances along their axes are far apart."""
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    drawn = rng.normal(size=(samples, min(samples - 1, d)))
    uncorrelated = np.linalg.qr(drawn - drawn.mean(axis=0))[0]
    scales = 6.0 * 0.7 ** np.arange(uncorrelated.shape[1])
    return uncorrelated * scales @ rotation[: len(scales)] + rng.normal(1.0, 2.0, size=d)


def uncorrelated_columns(rng):
    """Draw eight samples whose columns do not covary, each of more variance than the one before.

    Whole numbers make their covariances exactly 0. So np.linalg.eig finds the smallest variance
    first, for every draw and on every machine.
    """
    columns = rng.permutation(hadamard(8).T[1:])[:5].T * np.cumsum(rng.integers(1, 4, size=5))
    return columns + rng.integers(-4, 5, size=5).astype(float)


@hidden_check
def mix(mix):
    rng = generator(96)
    for shape in [(4, 6), (3, 5, 2), (2, 4, 4)]:
        embeddings, positions = rng.normal(size=shape), rng.normal(size=shape[-2:])
        w_embedding, w_position = rng.uniform(1.5, 4.0, size=2)
        example(mix, embeddings, positions, w_embedding, w_position)
        example(mix, embeddings, positions, w_embedding, -w_position)
        example(mix, embeddings, positions, -w_embedding, w_position)
        example(mix, embeddings, positions, 0, 1)
        example(mix, embeddings, positions, w_position, 0)
        embeddings[..., -1, :] = 0
        example(mix, embeddings, positions, w_position, w_embedding)
    texts, places = rng.integers(-9, 10, size=(3, 3, 5)), rng.integers(-9, 10, size=(3, 5))
    example(mix, texts, places, *rng.uniform(0.1, 0.9, size=2))
    example(mix, rng.normal(size=(1, 4, 3)), rng.normal(size=(4, 3)), w_embedding, w_position)


@hidden_check
def position_share(position_share):
    rng = generator(97)
    for shape in [(5, 8), (3, 6, 4), (4, 3, 3)]:
        # Texts with different means: their rows together vary more than each text's own.
        embeddings = rng.normal(0.5, 1.0, size=shape) + rng.normal(size=(*shape[:-2], 1, shape[-1]))
        positions = rng.normal(size=shape[-2:])
        w_embedding, w_position = rng.uniform(0.5, 3.0, size=2)
        example(position_share, embeddings, positions, w_embedding, w_position)
        example(position_share, embeddings, positions, -w_position, w_embedding)
        example(position_share, embeddings, positions, w_embedding, 0)
        example(position_share, embeddings / 1e5, positions / 1e5, w_embedding, w_position)
        example(position_share, embeddings, positions, w_embedding, -w_position)
        embeddings[..., -2:, :] = 0
        example(position_share, embeddings, positions, w_embedding, w_position)
    example(position_share, embeddings[:1], positions, w_position, w_embedding)
    example(position_share, np.ones((2, 3, 4)), np.full((3, 4), 2.0), 1, 2)


@hidden_check
def picture_correlation(picture_correlation):
    rng = generator(98)
    for n, d, k in [(7, 4, 2), (9, 3, 3), (6, 2, 1)]:
        x, points = equal_steps(rng, n, d), equal_steps(rng, n, k)
        x[-1] = x[0]  # at the distance 0, like a point from itself
        example(picture_correlation, x.astype(float), points.astype(float))
        # The same picture on a smaller scale; the divisor leaves equal distances equal.
        example(picture_correlation, x.astype(float), points / 512)
    example(picture_correlation, equal_steps(rng, 8, 3), equal_steps(rng, 8, 2))
    # Three points on a line, of which the closest in the data are the farthest in the picture.
    near, far = sorted(rng.choice(np.arange(1.0, 9.0), 2, replace=False))
    x, points = [0.0, near, near + far], [0.0, near + far, near]
    example(picture_correlation, np.array([x]).T, np.array([points]).T)
    for n in (3, 5):
        drawn = rng.integers(9, size=(n, 2)) + np.outer(np.arange(n), [9.0, 0.0])
        example(picture_correlation, 2 * np.eye(n), drawn)
        example(picture_correlation, drawn, np.ones((n, 3)))


def equal_steps(rng, n, d):
    """Draw points (n, d) with whole coordinates: every three lie on a line at equal distances.

    Other distances are hardly ever equal: how a distance is rounded may depend on the order of the
    columns, and then only equal differences have equal distances.
    """
    points = rng.integers(1000, size=(n, d))
    for first in range(0, n - 2, 3):
        points[first + 2] = 2 * points[first + 1] - points[first]
    return points


@hidden_check
def remove_directions(remove_directions):
    rng = generator(99)
    for m, d, count in [(9, 7, 3), (5, 8, 4), (12, 3, 1), (7, 5, 0), (7, 4, 4)]:
        positions = some_data(rng, m, d)
        for shape in [(4, d), (d,), (m, d), (2, 3, d), (2, 1, 3, d)]:
            example(remove_directions, rng.normal(1.0, 2.0, size=shape), positions, count)
    example(remove_directions, rng.normal(1.0, 2.0, size=(4, 5)), uncorrelated_columns(rng), 2)
    whole = rng.integers(-9, 10, size=(6, 5))
    example(remove_directions, whole, np.rint(9 * some_data(rng, 8, 5)).astype(int), 2)
