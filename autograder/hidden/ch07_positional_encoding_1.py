"""Hidden checks of chapter 7."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import example
from solutions import ch07_positional_encoding_1 as reference


@hidden_check
def binary_code(binary_code):
    rng = generator(71)
    for bits in (3, 5, 1):
        example(binary_code, int(rng.integers(2, 2**bits + 1)), bits)
        example(binary_code, int(rng.integers(2**bits + 1, 4 * 2**bits)), bits)
    example(binary_code, int(rng.integers(300, 500)), 10)
    example(binary_code, 1, 4)


@hidden_check
def wavelengths(wavelengths):
    rng = generator(72)
    for d in (2, 6, 7, 1, 12, 33):
        example(wavelengths, d, n=float(rng.uniform(5, 500)))
    example(wavelengths, int(rng.integers(3, 40)))
    example(wavelengths, 512)


@hidden_check
def positional_encoding(positional_encoding):
    rng = generator(73)
    for d in (6, 2, 11, 3, 16, 1):
        example(positional_encoding, int(rng.integers(17, 40)), d, n=float(rng.uniform(5, 5000)))
    example(positional_encoding, int(rng.integers(2, 9)), int(rng.integers(9, 40)))
    example(positional_encoding, 1, 7)
    example(positional_encoding, 700, 2)
    example(positional_encoding, 0, 6, raises=ValueError, because="a seq_len of 0")
    example(positional_encoding, 6, 0, raises=ValueError, because="a d of 0")
    size = -int(rng.integers(1, 9))
    example(positional_encoding, size, 6, raises=ValueError, because="a negative seq_len")
    example(positional_encoding, 6, size, raises=ValueError, because="a negative d")


@hidden_check
def add_positions(add_positions):
    rng = generator(74)
    for shape in [(7, 4), (5, 9, 6), (3, 4, 7), (1, 6, 3), (6, 1, 8), (9, 5)]:
        example(add_positions, rng.normal(size=shape), n=float(rng.uniform(5, 5000)))
    example(add_positions, rng.normal(size=(700, 2)))
    example(add_positions, rng.normal(size=(6, 6, 4)))
    embeddings = rng.normal(size=(4, 6, 8))
    example(add_positions, embeddings)
    example(
        add_positions, embeddings * (np.arange(6) < rng.integers(2, 6, size=4)[:, None])[..., None]
    )


@hidden_check
def position_similarity(position_similarity):
    rng = generator(75)
    for d in (7, 6, 2, 15):
        example(position_similarity, int(rng.integers(16, 30)), d, n=float(rng.uniform(5, 5000)))
    example(position_similarity, int(rng.integers(3, 6)), int(rng.integers(8, 20)))
    example(position_similarity, 80, 4)
    example(position_similarity, 6, 6)


@hidden_check
def recover_position(recover_position):
    rng = generator(76)
    for d, max_len in [(4, 40), (5, 14), (8, 60), (7, 25), (12, 50)]:
        n = float(rng.uniform(50, 500))
        # Positions that max_len excludes come after the others.
        encoding = reference.positional_encoding(max_len + 200, d, n)
        positions = [*rng.integers(1, max_len - 1, size=4), 0, max_len - 1]
        for position in positions:
            vector = encoding[position] + noise(rng, d)
            example(recover_position, vector, max_len, n=n)
        # The noise that leads as far as allowed towards the nearest other row.
        for others in (encoding, encoding[:max_len]):
            distances = np.linalg.norm(others - encoding[positions[2]], axis=1)
            distances[positions[2]] = np.inf
            towards = others[distances.argmin()] - encoding[positions[2]]
            length = min(0.095, 0.9 * distances.min())
            vector = encoding[positions[2]] + length * towards / distances.min()
            example(recover_position, vector, max_len, n=n)
    # No entry of row p - 63 is far from that of row p.
    n, position = float(rng.uniform(104.8, 105.5)), int(rng.integers(64, 71))
    vector = reference.positional_encoding(71, 4, n)[position] + 0.4 * noise(rng, 4)
    example(recover_position, vector, 71, n=n)
    # Positions p and 22 - p have nearly the same sines, p and p + 377 the same first two pairs.
    n, position = float(rng.uniform(48.5, 49.5)), int(rng.integers(4, 8))
    encoding = reference.positional_encoding(40, 4, n)
    vector = moved(encoding[position], encoding[22 - position], slice(0, 4, 2))
    example(recover_position, vector, 40, n=n)
    encoding, position = reference.positional_encoding(400, 8), int(rng.integers(20))
    vector = moved(encoding[position + 377], encoding[position], slice(4))
    example(recover_position, vector, 400)
    # About 25 positions on, only the last sine is another one, and that row is longer.
    vector = reference.positional_encoding(1, 5)[0] + [*(0.4 * noise(rng, 4)), 0.08]
    n = float(rng.uniform(31.5, 32.5))
    example(recover_position, vector, int(rng.integers(27, 33)), n=n)
    encoding = reference.positional_encoding(26, 5, n)
    example(recover_position, moved(encoding[25], encoding[0], slice(4)), 26, n=n)
    encoding = reference.positional_encoding(30, 9)
    for position in rng.integers(30, size=3):
        example(recover_position, encoding[position] + noise(rng, 9), 30)


def noise(rng, d):
    """Draw a vector (d,) of norm 0.095 in any direction."""
    direction = rng.normal(size=d)
    return 0.095 * direction / np.linalg.norm(direction)


def moved(row, other, columns):
    """Move a row (d,) by 0.095 towards another one, in some of its columns alone."""
    step = np.zeros_like(row)
    step[columns] = (other - row)[columns]
    return row + 0.095 * step / np.linalg.norm(step)


@hidden_check
def shift_matrix(shift_matrix):
    rng = generator(77)
    for d in (6, 2, 10, 4):
        for k in (int(rng.integers(2, 30)), -int(rng.integers(2, 30))):
            example(shift_matrix, k, d, n=float(rng.uniform(5, 5000)))
    example(shift_matrix, 0, 6)
    example(shift_matrix, int(rng.integers(130, 400)), 2)
    example(shift_matrix, int(rng.integers(1, 9)), int(2 * rng.integers(3, 12)))
    # The slowest pairs of so many hardly move, so a fit to some positions does not find them.
    example(shift_matrix, int(rng.integers(2, 9)), 64)
    for d in (1, int(2 * rng.integers(2, 9) + 1)):
        example(shift_matrix, int(rng.integers(1, 9)), d, raises=ValueError, because="an odd d")


@hidden_check
def judge_encoding(judge_encoding):
    rng = generator(78)
    for positions, d in [(6, 3), (4, 7), (9, 1), (2, 4)]:
        pe = rng.normal(0, 1.5, size=(positions, d))
        example(judge_encoding, pe)
        example(judge_encoding, -np.abs(pe))
        # With rows of one length the offset 0 has no spread.
        example(judge_encoding, pe / np.linalg.norm(pe, axis=1, keepdims=True))
    example(judge_encoding, pe[[0, 1, 0]])
    example(judge_encoding, reference.positional_encoding(12, 6, 50.0))
    example(judge_encoding, reference.positional_encoding(12, 5, 50.0))
    example(judge_encoding, np.arange(7.0)[:, None] * rng.uniform(1, 3))
    example(judge_encoding, 1e12 * rng.normal(size=(3, 2)))
    # Rows of length 1, and all of them are orthogonal but one pair that is far apart.
    pe, offset, angle = np.eye(8), int(rng.integers(3, 7)), rng.uniform(0.3, 1.2)
    pe[offset, [0, offset]] = np.cos(angle), np.sin(angle)
    example(judge_encoding, pe)
