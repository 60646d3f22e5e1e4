"""Visible checks of chapter 7, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import attempt, check, differs, example

FITTED = "The matrix is fitted to some positions. Build it from the angles k / n**(2i/d)."

SENTENCE = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 3.0, -1.0, 0.0]])
# Two sentences of three words with five features.
SENTENCES = np.array(
    [
        [[0.5, -1.0, 2.0, 0.0, 1.5], [1.0, 0.0, -0.5, 3.0, 0.0], [0.0, 2.5, 1.0, -2.0, 0.5]],
        [[-0.5, 1.0, 0.0, 0.5, -1.0], [2.0, -1.5, 0.5, 0.0, 1.0], [1.0, 0.5, -3.0, 1.5, 0.0]],
    ]
)


@check
def binary_code(binary_code):
    for seq_len, bits in [(7, 3), (5, 2), (3, 4), (20, 4), (3, 10)]:
        example(binary_code, seq_len, bits)


@check
def wavelengths(wavelengths):
    example(wavelengths, 6, n=8.0)
    example(wavelengths, 5, n=32.0)
    example(wavelengths, 8)
    example(wavelengths, 1)
    # A base may be smaller than 2 or larger than the default.
    example(wavelengths, 4, n=1.5)
    example(wavelengths, 6, n=1e7)


@check
def positional_encoding(positional_encoding):
    example(positional_encoding, 4, 6, n=8.0)
    example(positional_encoding, 3, 5, n=32.0)
    example(positional_encoding, 5, 4)
    # The same sizes once more, with another base.
    example(positional_encoding, 5, 4, n=16.0)
    example(positional_encoding, 2, 1)
    example(positional_encoding, 3, 3)
    example(positional_encoding, 0, 4, raises=ValueError, because="a seq_len of 0")
    example(positional_encoding, 4, 0, raises=ValueError, because="a d of 0")
    example(positional_encoding, -2, 4, raises=ValueError, because="a negative seq_len")
    example(positional_encoding, 4, -2, raises=ValueError, because="a negative d")


@check
def add_positions(add_positions):
    example(add_positions, SENTENCE, n=16.0)
    example(add_positions, SENTENCES[:, :, :4], n=16.0)
    example(add_positions, SENTENCES)
    example(add_positions, SENTENCES[:1])
    # As many sentences as words.
    example(add_positions, SENTENCES[:, :2])
    example(add_positions, 20 * SENTENCE)
    example(add_positions, SENTENCE.astype(int), n=16.0)
    example(add_positions, np.array([[1.0, 2.0, 0.0, -1.0], [0.0, 0.0, 0.0, 0.0]]), n=16.0)


@check
def position_similarity(position_similarity):
    # Only with an odd d do the rows differ in length.
    example(position_similarity, 3, 5, n=32.0)
    example(position_similarity, 4, 6, n=8.0)
    example(position_similarity, 5, 2)
    example(position_similarity, 4, 4)
    example(position_similarity, 3, 1)


@check
def recover_position(recover_position):
    # Wrong ways find another position here, no two of them the same.
    vector = np.array([1.01, 0.02, -0.93, 0.35, 0.98, 0.44, 0.73])
    example(recover_position, vector, 87, n=60.0)
    vector = np.array([-0.46, -0.9, 1.01, 0.15, 0.97, -0.04, 0.37])
    example(recover_position, vector, 81, n=200.0)
    # Row 38 has nearly the same cosines as row 6.
    example(recover_position, np.array([-0.28, 0.955, 0.756, 0.65]), 40, n=49.0)
    example(recover_position, np.array([0.11, -1.0, 0.23, 0.95]), 60, n=100.0)
    example(recover_position, np.array([0.38, -0.95, 0.32, -0.97]), 10, n=10.0)
    # With an even d only an answer that leaves out row 0 does not find it.
    example(recover_position, np.array([0.03, 1.02, -0.05, 0.97]), 40, n=100.0)
    # Row 21 has nearly the same sines, and row 45 comes closer than row 1.
    example(recover_position, np.array([0.83, 0.54, 0.14, 0.99]), 40, n=49.0)
    example(recover_position, np.array([0.85, 0.53, 0.14, 0.99]), 40, n=49.0)
    # No entry of row 7 is far from that of row 70.
    example(recover_position, np.array([0.79, 0.62, 0.53, 0.87]), 71, n=105.0)
    # The first four columns of row 377 are nearly those of row 0.
    far = np.array([0.0, 1.0, 0.0, 1.0, -0.59, -0.81, 0.37, 0.93])
    example(recover_position, far, 400)
    # The rows of an odd d differ in length, and rows 0 and 25 differ in their last sine alone.
    example(recover_position, np.array([0.02, 1.01, 0.03, 0.98, 0.08]), 30, n=32.0)
    example(recover_position, np.array([-0.04, 0.997, -0.01, 1.0, 1.0]), 30, n=32.0)
    # With a small base many rows are nearly alike.
    example(recover_position, np.array([-0.0885, 1.0006, -0.0458, 0.9988]), 25, n=4.0)
    eight = np.array([0.3344, 0.9017, 0.1708, 0.9751, -0.0858, -0.9938, 0.9984, -0.043])
    example(recover_position, eight, 40, n=16.0)
    example(recover_position, np.array([0.9802, 0.2977, 0.943, 0.3328]), 300, n=2.0)
    example(recover_position, np.array([0.9562, -0.2745, -0.9496, 0.3128]), 300, n=2.0)
    example(recover_position, np.array([0.9885, -0.1513, -0.6572, 0.7402]), 60, n=2.0)
    # The absolute differences from row 39 add up to less than those from row 190, the nearest.
    example(recover_position, np.array([0.964, 0.139, 0.642, -0.767]), 200, n=2.0)
    # Scaled to length 1, the vector comes nearer to row 11 than to row 143, whose length is 2.
    vector = np.array([-1.0, 0.06, -0.65, -0.76, 1.0, -0.06, 0.99])
    example(recover_position, vector, 150, n=30.0)


@check
def shift_matrix(shift_matrix):
    # Of a single pair, whole numbers and a missing last block leave the same zeros.
    # With n = 16 the angles would halve from pair to pair, and a shift by 2 with the pairs counted
    # from 1 would look like a shift by 1.
    example(shift_matrix, 2, 8, n=81.0)
    example(shift_matrix, 1, 2)
    example(shift_matrix, 2, 4, n=16.0)
    example(shift_matrix, -4, 6)
    example(shift_matrix, 0, 4)
    require_blocks(shift_matrix, 5, 64)
    example(shift_matrix, 2, 5, raises=ValueError, because="an odd d")


def require_blocks(shift_matrix, k, d):
    """Require zeros outside the blocks, where a fit to some positions leaves other numbers.

    The slowest pairs of so many columns hardly move, so the rows do not determine the matrix.
    """
    trial = attempt(shift_matrix, k, d)
    outside = np.kron(np.eye(d // 2), np.ones((2, 2))) == 0
    found = np.where(outside, trial.numbers((d, d)), 0)
    if wrong := differs(found, np.zeros((d, d)), 1e-6):
        trial.fail(wrong.summary, wrong.detail, FITTED)


@check
def judge_encoding(judge_encoding):
    # Wrong ways find other numbers here, no two of them the same.
    rows = [[4.0, 4.0, 3.0], [1.0, 3.0, -2.0], [-1.0, 3.0, 0.0], [3.0, 3.0, -3.0]]
    example(judge_encoding, np.array(rows))
    example(judge_encoding, np.array([[0.0, 1.0], [2.0, 0.0], [-3.0, 1.0]]))
    example(judge_encoding, np.array([[1.0, 0.0], [0.6, 0.8], [-0.6, -0.8], [0.0, 1.0]]))
    example(judge_encoding, np.array([[1.0], [4.0], [4.0], [2.0]]))
    example(judge_encoding, np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.5, 0.0, 0.0]]))
    # The largest difference belongs to offset 3.
    rows = [[-1, -1], [1, -1], [-1, 0], [0, -1], [-1, 1], [-1, -1]]
    example(judge_encoding, np.array(rows, dtype=float))
    example(judge_encoding, np.array([[0.0], [2000.0], [-5000.0]]))
    # The largest difference belongs to offset 10 of 12 rows.
    rows = np.zeros((12, 2))
    rows[[0, 10, 1, 11]] = [1, 0], [1, 0], [0, 1], [0, -1]
    example(judge_encoding, rows)
    example(judge_encoding, np.array([[0, 0], [1, 1], [3, 0]]))
