"""The bank of chapter 7: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np

# %%
HIGH_FIRST = "The highest bit comes first. The lowest bit belongs in the first column."
FROM_ONE = "The positions are counted from 1. The first position is 0."
POSITIONS_IN_COLUMNS = "The matrix is transposed. Every position must have a row of its own."
NOT_WRAPPED = "The counter stops at its largest number. After that number it must start again at 0."
GRAY = "This is the Gray code, in which one bit changes at a time. Use plain binary numbers."
NOT_NUMBERS = (
    "The result does not consist of numbers. It must be a matrix of the numbers 0 and 1, not of "
    "booleans or text."
)
NOT_ROUNDED = "The quotients are not rounded down before the remainder is taken. Divide with //."
BIT_VALUES = "The entries of column b are 0 and 2**b. Every bit must be 0 or 1."
ALL_NUMBERS = "There is one row for each of the 2**bits numbers. There must be seq_len rows."
NO_REMAINDER = (
    "The quotients are returned as they are. A bit is their remainder after division by 2."
)
EIGHT_BITS = "The positions do not fit into 8 bits. Positions above 255 must work too."
FREQUENCIES = (
    "These are the angular frequencies, 1 / n**(2i/d). The wavelength is 2π divided by "
    "the angular frequency."
)
NO_2_PI = "The factor 2π is missing. A sine repeats when its angle has grown by 2π."
EVERY_COLUMN = "There is one wavelength for every column. The two columns of a pair share one."
HALF_EXPONENT = "The exponent is i/d, where i counts the pairs. It must be 2i/d."
DOUBLE_EXPONENT = "The exponent is 4i/d, where i counts the pairs. It must be 2i/d."
REACHES_N = (
    "The last wavelength is 2πn. The exponents are 0, 2/d, 4/d and so on, and they stay below 1."
)
ROUNDED_DOWN = (
    "With an odd d one wavelength is missing. The last column is then a sine without a cosine, and "
    "it has a wavelength too."
)
ONE_TOO_MANY = (
    "With an even d there is one wavelength too many. There is one for each of d/2 pairs."
)
SHRINKING = "2π is divided by n**(2i/d). It must be multiplied by that number."
LONGEST_FIRST = "The longest wavelength comes first. The first pair has the shortest one, 2π."
N_IGNORED = "The argument n is ignored. 10000 is only its default value."
ODD_PADDED = (
    "With an odd d the exponents are those of d + 1 columns. They must be 2i/d with d as given."
)
SWAPPED = "Sine and cosine are swapped. The even columns are sines and the odd ones cosines."
COLUMN_EXPONENT = (
    "Every column has a wavelength of its own. The sine and the cosine of a pair must have the "
    "same angle, p / n**(2i/d)."
)
HALVES = (
    "All sines are in the first half and all cosines in the second. They must alternate: sine, "
    "cosine, sine, cosine."
)
MULTIPLIED = "The position is multiplied by n**(2i/d). It must be divided by that number."
REACHES_1 = (
    "The last exponent is 1. The exponents are 0, 2/d, 4/d and so on, and they stay below 1."
)
SIZE_ACCEPTED = "A seq_len or a d below 1 must raise ValueError."
ODD_FAILS = (
    "With an odd d the function fails, because there is one cosine fewer than there are sines. The "
    "last column is a sine without a cosine."
)
LAST_ZERO = "With an odd d the last column stays 0. It must hold a sine."
LAST_COSINE = "With an odd d the last column is a cosine. It must be a sine."
LAST_MISSING = "With an odd d the last column is missing. It must hold a sine."
ONLY_SINES = "All columns are sines. The odd columns must be cosines."
WRONG_AXIS = (
    "The positions run along the batch. They must run along time, from 0 in every sentence."
)
SCALED = "The embeddings are scaled by the square root of d. Here the encoding is only added."
CONCATENATED = "The encoding is concatenated with the embeddings. It must be added to them."
PRODUCT = "The embeddings are multiplied by the encoding. The two must be added."
RUNNING = (
    "The positions continue from one sentence to the next. Every sentence must begin at position 0."
)
ZEROS_SKIPPED = (
    "A word whose vector is zero gets no position, as if it were padding. Add the encoding to "
    "every word."
)
AXIS_ADDED = (
    "A single sentence comes back as a batch of one. The result must have the shape of the "
    "embeddings."
)
ONE_SENTENCE = "A single sentence of shape (time, d) fails. Both shapes must work."
ONE_BATCH = "A batch of shape (batch, time, d) fails. Both shapes must work."
COLUMN_PRODUCTS = (
    "These are the dot products of the columns. The rows are the positions, and they must be "
    "multiplied with each other."
)
ENTRY_BY_ENTRY = (
    "The rows are multiplied entry by entry. A dot product adds up the products of the entries."
)
COSINE = "The dot products are divided by the lengths of the rows. Return the plain dot products."
CENTRED = "The columns are centred first. Return the plain dot products."
DISTANCES = "These are distances. Return the dot products."
DIVIDED = "The dot products are divided by the square root of d. Return the plain dot products."
HALVED = "The dot products are divided by d/2. Return the plain dot products."
PAIRS_ONLY = (
    "With an odd d the dot product does not depend on the offset alone. Take all d columns, "
    "including the last sine, and no others."
)
LARGEST_PRODUCT = (
    "The row with the largest dot product is taken. With an odd d the rows differ in length, so "
    "this is not always the closest row."
)
FIRST_PAIR = (
    "Only the first two columns are compared. They repeat after about 6 positions, so the others "
    "are needed too."
)
FIRST_PAIRS = "Only the first four columns are compared. They repeat, so the others are needed too."
NO_LAST_SINE = "With an odd d the last column, which is a sine, is left out of the distance."
SINES_ALONE = (
    "Only the sines are compared. Two angles may have the same sine, so the cosines are needed too."
)
OVER_POSITIONS = (
    "The squares are added over the positions. Add them over the columns, which gives one distance "
    "for each position."
)
SINGLE_ENTRY = (
    "The squares of a row are not added, so the smallest single entry is found, and its number in "
    "the flattened matrix comes back."
)
FIRST_ANGLE = (
    "The position is read from the angle of the first pair. This angle starts again after a full "
    "turn, at position 6.28."
)
LAST_LEFT_OUT = "The last position, max_len - 1, is never considered. It is a possible answer too."
BEYOND = "Positions from max_len on are considered too. The position is below max_len."
NO_SQUARES = (
    "The differences are added with their signs, so they cancel. Add their squares or their "
    "absolute values."
)
A_ROW = "A row of the encoding came back. Return the number of its position."
EXACT = "Only a row that equals the vector is found. The vector is noisy, so take the closest row."
INVERSE = (
    "M is transposed, so it shifts by -k. For row vectors, the column of a sine holds cos on the "
    "diagonal and sin below it."
)
BLOCKS_APART = (
    "This matrix belongs to an encoding with all sines before all cosines. Here they alternate, "
    "so the 2×2 blocks stand on the diagonal."
)
ONE_ANGLE = "All pairs are turned by the same angle. Pair i must be turned by k / n**(2i/d)."
TWO_SINES = (
    "Both sines of a block have the same sign. One must be negative, or the block is not a "
    "rotation."
)
SIGN_IGNORED = "The sign of k is ignored. A negative k must turn the other way."
PERMUTATION = (
    "This matrix shifts the columns or rows of an array. M must turn the pairs of columns."
)
ODD_ACCEPTED = "An odd d must raise ValueError, because a sine without a cosine cannot be rotated."
K_MULTIPLIED = "k is multiplied by n**(2i/d). It must be divided by that number."
FITTED = "The matrix is fitted to some positions. Build it from the angles k / n**(2i/d)."
ONE_STEP = "M shifts by one position only. Pair i must be turned by k / n**(2i/d)."
ITSELF = (
    "The distance of a position to itself is counted, and that is 0. Compare different positions "
    "only."
)
ZEROS_LEFT_OUT = (
    "Every distance of 0 is left out. Two different positions that share an encoding have the "
    "distance 0, and it counts."
)
FILLED = (
    "The diagonal of the distances is filled with a number that other distances may exceed. Fill "
    "it with np.inf."
)
NEIGHBOURS = (
    "Only neighbouring positions are compared. The two closest encodings may belong to positions "
    "that are far apart."
)
SIGNED = "The largest entry is taken with its sign. Take the largest absolute value."
SQUARED = "The distance is squared. Take the square root."
FIRST_OFFSET = "Only offset 1 is considered. Take the largest difference over all offsets."
SMALL_OFFSETS = "Large offsets are left out. Take the largest difference over all offsets."
NO_OFFSET_0 = "Offset 0 is left out. The dot products of the rows with themselves count too."
DEVIATION = "This is a standard deviation. Subtract the smallest dot product from the largest."
ALL_PAIRS = (
    "The smallest and the largest are taken over all pairs together. Compare only dot products of "
    "the same offset."
)
ABSOLUTE_SUM = (
    "Absolute differences are added. The Euclidean distance is the square root of the sum of the "
    "squared differences."
)
ONE_ROW_SHORT = (
    "The last position is missing. There must be seq_len rows, for the positions 0 to seq_len - 1."
)
LOWEST_LOST = (
    "The bits are counted from 1, so the lowest one is missing. The first column is the position "
    "modulo 2."
)
NO_QUOTIENT = (
    "Column b holds the remainder after division by 2**(b + 1). Divide by 2**b first, and take "
    "the quotient modulo 2."
)
HALF_TURN = "The factor is π. A sine repeats when its angle has grown by 2π."
PAIRS_FROM_ONE = (
    "The pairs are counted from 1. Count them from 0, so that the shortest wavelength is 2π."
)
NO_POWER = "n is multiplied by 2i/d. It must be raised to this power."
PI_IN_POWER = (
    "2π is raised to the power 2i/d together with n. It is a factor in front of the power."
)
AS_COLUMN = "The result is a column, with two axes. It must have one axis, (⌈d/2⌉,)."
ANGLES = "These are the angles. The even columns hold their sines, and the odd ones their cosines."
CUT_OFF = (
    "The result is an array of integers, which cuts the fractions off. Make it an array of "
    "floating-point numbers."
)
ONLY_ENCODING = "The encoding came back without the embeddings. The two must be added."
INDEX_ADDED = (
    "The number of each position is added. Add its encoding, the row of the sinusoidal matrix."
)
SQUEEZED = "An axis of length 1 is lost. The result must have the shape of the embeddings."
FIRST_AXES = (
    "The length and the width are read from the first two axes. They are the last two, "
    "embeddings.shape[-2:]."
)
COEFFICIENTS = (
    "These are correlation coefficients, of centred and normalised rows. Return the plain dot "
    "products."
)
COVARIANCES = "These are covariances, of centred rows. Return the plain dot products."
MEAN_PRODUCTS = "The dot products are divided by d. Return them as they are."
ONE_TRIANGLE = "One triangle of the matrix is empty. Entry (p, q) is equal to entry (q, p)."
FARTHEST = "The row with the largest distance is taken. Take the one with the smallest."
SIGNED_DIFFERENCES = (
    "The differences are added with their signs, and the smallest sum is taken. Add the squares "
    "of the differences, which gives a distance."
)
DISTANCE = "The smallest distance came back. Return the position that has it."
NEAR_ENOUGH = "The first row that is near enough is taken. Compare all rows, and take the closest."
SIN_ON_DIAGONAL = (
    "Sines and cosines have changed places. The cosines stand on the diagonal, so that a shift by"
    " 0 changes nothing."
)
FULL_TURNS = "The angles have a factor 2π. Pair i must be turned by k / n**(2i/d)."
LAST_PAIR = "The block of the last pair is missing. There are d/2 blocks."
FIRST_PAIR_ONLY = "Only the first pair is turned. Every pair must be turned by its own angle."
SPREADS_ADDED = "The differences of all offsets are added. Take the largest of them."
SPREADS_AVERAGED = "The differences of all offsets are averaged. Take the largest of them."
SPREADS_LISTED = "There is one difference for every offset. Return only the largest of them."
LONGEST_ROW = (
    "The first number is the norm of the longest row. Take the largest absolute value of a single"
    " entry."
)
OTHER_ORDER = "The numbers are in the wrong order. It must be largest, closest, offset_spread."


# %% exercise="binary_code" wrong="HIGH_FIRST"
def binary_code(seq_len, bits):
    return np.arange(seq_len)[:, None] // 2 ** np.arange(bits)[::-1] % 2


# %% exercise="binary_code" wrong="FROM_ONE"
def binary_code(seq_len, bits):
    return np.arange(1, seq_len + 1)[:, None] // 2 ** np.arange(bits) % 2


# %% exercise="binary_code" wrong="POSITIONS_IN_COLUMNS"
def binary_code(seq_len, bits):
    return np.arange(seq_len) // 2 ** np.arange(bits)[:, None] % 2


# %% exercise="binary_code" wrong="NOT_WRAPPED"
def binary_code(seq_len, bits):
    positions = np.minimum(np.arange(seq_len), 2**bits - 1)
    return positions[:, None] // 2 ** np.arange(bits) % 2


# %% exercise="binary_code" wrong="GRAY"
def binary_code(seq_len, bits):
    positions = np.arange(seq_len)
    return (positions ^ (positions >> 1))[:, None] // 2 ** np.arange(bits) % 2


# %% exercise="binary_code" wrong="NOT_NUMBERS"
def binary_code(seq_len, bits):
    return np.arange(seq_len)[:, None] & (1 << np.arange(bits)) > 0


# %% exercise="binary_code" wrong="NOT_NUMBERS"
def binary_code(seq_len, bits):
    return [list(format(p % 2**bits, f"0{bits}b")[::-1]) for p in range(seq_len)]


# %% exercise="binary_code" wrong="NOT_ROUNDED"
def binary_code(seq_len, bits):
    return np.arange(seq_len)[:, None] / 2 ** np.arange(bits) % 2


# %% exercise="binary_code" wrong="BIT_VALUES"
def binary_code(seq_len, bits):
    return np.arange(seq_len)[:, None] & 1 << np.arange(bits)


# %% exercise="binary_code" wrong="ALL_NUMBERS"
def binary_code(seq_len, bits):
    return np.arange(2**bits)[:, None] // 2 ** np.arange(bits) % 2


# %% exercise="binary_code" wrong="NO_REMAINDER"
def binary_code(seq_len, bits):
    return np.arange(seq_len)[:, None] // 2 ** np.arange(bits)


# %% exercise="binary_code" wrong="EIGHT_BITS"
def binary_code(seq_len, bits):
    positions = np.arange(seq_len).astype(np.uint8)[:, None]
    whole = np.unpackbits(positions, axis=1, bitorder="little")
    return np.pad(whole, ((0, 0), (0, 8)))[:, :bits]


# %% exercise="binary_code" wrong="ONE_ROW_SHORT"
def binary_code(seq_len, bits):
    return np.arange(seq_len - 1)[:, None] // 2 ** np.arange(bits) % 2


# %% exercise="binary_code" wrong="LOWEST_LOST"
def binary_code(seq_len, bits):
    return np.arange(seq_len)[:, None] // 2 ** np.arange(1, bits + 1) % 2


# %% exercise="binary_code" wrong="NO_QUOTIENT"
def binary_code(seq_len, bits):
    return np.arange(seq_len)[:, None] % 2 ** (np.arange(bits) + 1)


# %% exercise="binary_code" right="shifted bits, as floats"
def binary_code(seq_len, bits):
    return ((np.arange(seq_len)[:, None] >> np.arange(bits)) & 1).astype(float)


# %% exercise="binary_code" right="the digits that Python formats, as a list"
def binary_code(seq_len, bits):
    words = [format(p % 2**bits, f"0{bits}b")[::-1] for p in range(seq_len)]
    return [[int(digit) for digit in word] for word in words]


# %% exercise="binary_code" right="all products of digits, repeated"
def binary_code(seq_len, bits):
    import itertools

    rows = np.array(list(itertools.product([0, 1], repeat=bits)))[:, ::-1]
    return np.resize(rows, (seq_len, bits))


# %% exercise="wavelengths" wrong="FREQUENCIES"
def wavelengths(d, n=10000.0):
    return 1 / n ** (np.arange(0, d, 2) / d)


# %% exercise="wavelengths" wrong="NO_2_PI"
def wavelengths(d, n=10000.0):
    return n ** (np.arange(0, d, 2) / d)


# %% exercise="wavelengths" wrong="EVERY_COLUMN"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n ** (2 * (np.arange(d) // 2) / d)


# %% exercise="wavelengths" wrong="HALF_EXPONENT"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n ** (np.arange((d + 1) // 2) / d)


# %% exercise="wavelengths" wrong="DOUBLE_EXPONENT"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n ** (2 * np.arange(0, d, 2) / d)


# %% exercise="wavelengths" wrong="SHRINKING"
def wavelengths(d, n=10000.0):
    return 2 * np.pi / n ** (np.arange(0, d, 2) / d)


# %% exercise="wavelengths" wrong="ONE_TOO_MANY"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n ** (2 * np.arange(d // 2 + 1) / d)


# %% exercise="wavelengths" wrong="REACHES_N"
def wavelengths(d, n=10000.0):
    return np.geomspace(2 * np.pi, 2 * np.pi * n, (d + 1) // 2)


# %% exercise="wavelengths" wrong="ROUNDED_DOWN"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n ** (2 * np.arange(d // 2) / d)


# %% exercise="wavelengths" wrong="LONGEST_FIRST"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n ** (np.arange(0, d, 2)[::-1] / d)


# %% exercise="wavelengths" wrong="N_IGNORED"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * 10000 ** (np.arange(0, d, 2) / d)


# %% exercise="wavelengths" wrong="ODD_PADDED"
def wavelengths(d, n=10000.0):
    pairs = (d + 1) // 2
    return 2 * np.pi * n ** (np.arange(pairs) / pairs)


# %% exercise="wavelengths" wrong="HALF_TURN"
def wavelengths(d, n=10000.0):
    return np.pi * n ** (np.arange(0, d, 2) / d)


# %% exercise="wavelengths" wrong="PAIRS_FROM_ONE"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n ** (2 * np.arange(1, (d + 1) // 2 + 1) / d)


# %% exercise="wavelengths" wrong="NO_POWER"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n * (np.arange(0, d, 2) / d)


# %% exercise="wavelengths" wrong="PI_IN_POWER"
def wavelengths(d, n=10000.0):
    return (2 * np.pi * n) ** (np.arange(0, d, 2) / d)


# %% exercise="wavelengths" wrong="AS_COLUMN"
def wavelengths(d, n=10000.0):
    return (2 * np.pi * n ** (np.arange(0, d, 2) / d))[:, None]


# %% exercise="wavelengths" right="a list, one after another"
def wavelengths(d, n=10000.0):
    import math

    found = [2 * math.pi]
    while len(found) < (d + 1) // 2:
        found.append(found[-1] * n ** (2 / d))
    return found


# %% exercise="wavelengths" right="by exp and log, in float32"
def wavelengths(d, n=10000.0):
    import math

    i = np.arange(math.ceil(d / 2), dtype=np.float32)
    return np.exp(np.log(2 * np.pi) + 2 * i / d * np.log(n)).astype(np.float32)


# %% exercise="wavelengths" right="one over the frequencies"
def wavelengths(d, n=10000.0):
    omega = np.power(1 / n, np.arange(d)[::2] / d)
    return np.divide(2 * np.pi, omega)


# %% exercise="positional_encoding" wrong="SWAPPED"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(0, d, 2) / d)
    encoding = np.empty((seq_len, d))
    encoding[:, 0::2] = np.cos(angles)
    encoding[:, 1::2] = np.sin(angles[:, : d // 2])
    return encoding


# %% exercise="positional_encoding" wrong="COLUMN_EXPONENT"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    encoding = np.arange(seq_len)[:, None] / n ** (np.arange(d) / d)
    encoding[:, 0::2] = np.sin(encoding[:, 0::2])
    encoding[:, 1::2] = np.cos(encoding[:, 1::2])
    return encoding


# %% exercise="positional_encoding" wrong="COLUMN_EXPONENT"
def positional_encoding(seq_len, d, n=10000.0):
    import math

    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    encoding = np.zeros((seq_len, d))
    for p in range(seq_len):
        for i in range(d):
            angle = p / n ** (2 * i / d)
            encoding[p, i] = math.cos(angle) if i % 2 else math.sin(angle)
    return encoding


# %% exercise="positional_encoding" wrong="HALF_EXPONENT"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(d) // 2 / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


# %% exercise="positional_encoding" wrong="DOUBLE_EXPONENT"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (2 * np.arange(0, d, 2) / d)
    encoding = np.empty((seq_len, d))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d // 2])
    return encoding


# %% exercise="positional_encoding" wrong="REACHES_1"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    pairs = (d + 1) // 2
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(d) // 2 / max(pairs - 1, 1))
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


# %% exercise="positional_encoding" wrong="LAST_COSINE"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    encoding = np.empty((seq_len, d))
    for p in range(seq_len):
        for j in range(0, d, 2):
            encoding[p, j] = np.sin(p / n ** (j / d))
            encoding[p, min(j + 1, d - 1)] = np.cos(p / n ** (j / d))
    return encoding


# %% exercise="positional_encoding" wrong="HALVES"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(0, d, 2) / d)
    return np.concatenate([np.sin(angles), np.cos(angles[:, : d // 2])], axis=1)


# %% exercise="positional_encoding" wrong="FROM_ONE"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(1, seq_len + 1)[:, None] / n ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


# %% exercise="positional_encoding" wrong="POSITIONS_IN_COLUMNS"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles)).T


# %% exercise="positional_encoding" wrong="MULTIPLIED"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] * n ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


# %% exercise="positional_encoding" wrong="N_IGNORED"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


# %% exercise="positional_encoding" wrong="ONLY_SINES"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    return np.sin(np.arange(seq_len)[:, None] / n ** (2 * (np.arange(d) // 2) / d))


# %% exercise="positional_encoding" wrong="SIZE_ACCEPTED"
def positional_encoding(seq_len, d, n=10000.0):
    angles = np.arange(seq_len)[:, None] / n ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


# %% exercise="positional_encoding" wrong="SIZE_ACCEPTED"
def positional_encoding(seq_len, d, n=10000.0):
    if seq_len < 0 or d < 0:
        raise ValueError("sizes must not be negative")
    angles = np.arange(seq_len)[:, None] / n ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


# %% exercise="positional_encoding" wrong="ODD_FAILS"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(0, d, 2) / d)
    encoding = np.zeros((seq_len, d))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding


# %% exercise="positional_encoding" wrong="ODD_FAILS"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    encoding = np.zeros((seq_len, d))
    for p in range(seq_len):
        for i in range((d + 1) // 2):
            encoding[p, 2 * i] = np.sin(p / n ** (2 * i / d))
            encoding[p, 2 * i + 1] = np.cos(p / n ** (2 * i / d))
    return encoding


# %% exercise="positional_encoding" wrong="LAST_ZERO"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    encoding = np.zeros((seq_len, d))
    for p in range(seq_len):
        for i in range(d // 2):
            encoding[p, 2 * i] = np.sin(p / n ** (2 * i / d))
            encoding[p, 2 * i + 1] = np.cos(p / n ** (2 * i / d))
    return encoding


# %% exercise="positional_encoding" wrong="LAST_MISSING"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (2 * np.arange(d // 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(seq_len, -1)


# %% exercise="positional_encoding" wrong="ODD_PADDED"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    even = d + d % 2
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(0, even, 2) / even)
    both = np.stack([np.sin(angles), np.cos(angles)], axis=2)
    return both.reshape(seq_len, even)[:, :d]


# %% exercise="positional_encoding" wrong="ANGLES"
def positional_encoding(seq_len, d, n=10000.0):
    if seq_len < 1 or d < 1:
        raise ValueError
    j = np.arange(d)
    return np.arange(seq_len)[:, None] / n ** (2 * (j // 2) / d)


# %% exercise="positional_encoding" wrong="CUT_OFF"
def positional_encoding(seq_len, d, n=10000.0):
    if seq_len < 1 or d < 1:
        raise ValueError
    a = np.arange(seq_len)[:, None] / n ** (np.arange(0, d, 2) / d)
    e = np.zeros((seq_len, d), int)
    e[:, 0::2] = np.sin(a)
    e[:, 1::2] = np.cos(a[:, : d // 2])
    return e


# %% exercise="positional_encoding" right="two loops, as a list of lists"
def positional_encoding(seq_len, d, n=10000.0):
    import math

    if seq_len < 1 or d < 1:
        raise ValueError("there must be a position and a column")
    functions = math.sin, math.cos
    return [
        [functions[j % 2](p / n ** ((j - j % 2) / d)) for j in range(d)] for p in range(seq_len)
    ]


# %% exercise="positional_encoding" right="by exp and log, in float32"
def positional_encoding(seq_len, d, n=10000.0):
    assert_positive = [size for size in (seq_len, d) if size <= 0]
    if assert_positive:
        raise ValueError(f"not positive: {assert_positive}")
    omega = np.exp(-np.log(n) * np.arange(0, d, 2, dtype=np.float32) / d)
    angles = np.einsum("p,i->pi", np.arange(seq_len, dtype=np.float32), omega)
    both = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return both.reshape(seq_len, -1)[:, :d].astype(np.float32)


# %% exercise="positional_encoding" right="every cosine as a sine a quarter turn ahead"
def positional_encoding(seq_len, d, n=10000.0):
    if not (seq_len >= 1 and d >= 1):
        raise ValueError("sizes must be at least 1")
    pair, odd = np.divmod(np.arange(d), 2)
    return np.sin(np.outer(np.arange(seq_len), n ** (-2.0 * pair / d)) + odd * np.pi / 2)


# %% exercise="positional_encoding" right="from complex numbers"
def positional_encoding(seq_len, d, n=10000.0):
    if seq_len < 1 or d < 1:
        raise ValueError("sizes must be at least 1")
    turns = np.exp(1j * np.arange(seq_len)[:, None] * n ** (-np.arange(0, d, 2) / d))
    encoding = np.zeros((seq_len, 2 * turns.shape[1]))
    encoding[:, ::2], encoding[:, 1::2] = turns.imag, turns.real
    return encoding[:, :d]


# %% exercise="add_positions" wrong="INPUT_CHANGED"
def add_positions(embeddings, n=10000.0):
    embeddings += positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)
    return embeddings


# %% exercise="add_positions" wrong="WRONG_AXIS"
def add_positions(embeddings, n=10000.0):
    encoding = positional_encoding(embeddings.shape[0], embeddings.shape[-1], n)
    return embeddings + (encoding[:, None] if embeddings.ndim == 3 else encoding)


# %% exercise="add_positions" wrong="SCALED"
def add_positions(embeddings, n=10000.0):
    time, d = embeddings.shape[-2:]
    return embeddings * np.sqrt(d) + positional_encoding(time, d, n)


# %% exercise="add_positions" wrong="CONCATENATED"
def add_positions(embeddings, n=10000.0):
    encoding = positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)
    beside = np.broadcast_to(encoding, embeddings.shape)
    return np.concatenate([embeddings, beside], axis=-1)


# %% exercise="add_positions" wrong="PRODUCT"
def add_positions(embeddings, n=10000.0):
    return embeddings * positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)


# %% exercise="add_positions" wrong="RUNNING"
def add_positions(embeddings, n=10000.0):
    words = embeddings.reshape(-1, embeddings.shape[-1])
    return (words + positional_encoding(*words.shape, n)).reshape(embeddings.shape)


# %% exercise="add_positions" wrong="ONE_SENTENCE"
def add_positions(embeddings, n=10000.0):
    batch, time, d = embeddings.shape
    return embeddings + positional_encoding(time, d, n)


# %% exercise="add_positions" wrong="ONE_SENTENCE"
def add_positions(embeddings, n=10000.0):
    return embeddings + positional_encoding(embeddings.shape[1], embeddings.shape[2], n)


# %% exercise="add_positions" wrong="ONE_SENTENCE"
def add_positions(embeddings, n=10000.0):
    return embeddings + positional_encoding(embeddings.shape[1], embeddings.shape[-1], n)


# %% exercise="add_positions" wrong="AXIS_ADDED"
def add_positions(embeddings, n=10000.0):
    time, d = embeddings.shape[-2:]
    return embeddings.reshape(-1, time, d) + positional_encoding(time, d, n)


# %% exercise="add_positions" wrong="ZEROS_SKIPPED"
def add_positions(embeddings, n=10000.0):
    encoding = positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)
    return embeddings + encoding * np.any(embeddings != 0, axis=-1, keepdims=True)


# %% exercise="add_positions" wrong="ONE_BATCH"
def add_positions(embeddings, n=10000.0):
    time, d = embeddings.shape
    return embeddings + positional_encoding(time, d, n)


# %% exercise="add_positions" wrong="N_IGNORED"
def add_positions(embeddings, n=10000.0):
    return embeddings + positional_encoding(embeddings.shape[-2], embeddings.shape[-1])


# %% exercise="add_positions" wrong="FROM_ONE"
def add_positions(embeddings, n=10000.0):
    time, d = embeddings.shape[-2:]
    return embeddings + positional_encoding(time + 1, d, n)[1:]


# %% exercise="add_positions" wrong="ONLY_ENCODING"
def add_positions(embeddings, n=10000.0):
    t, d = embeddings.shape[-2:]
    return np.broadcast_to(positional_encoding(t, d, n), embeddings.shape)


# %% exercise="add_positions" wrong="INDEX_ADDED"
def add_positions(embeddings, n=10000.0):
    t, d = embeddings.shape[-2:]
    return embeddings + np.arange(t)[:, None]


# %% exercise="add_positions" wrong="SQUEEZED"
def add_positions(embeddings, n=10000.0):
    t, d = embeddings.shape[-2:]
    return np.squeeze(embeddings + positional_encoding(t, d, n))


# %% exercise="add_positions" wrong="FIRST_AXES"
def add_positions(embeddings, n=10000.0):
    t, d = embeddings.shape[0], embeddings.shape[1]
    return embeddings + positional_encoding(t, d, n)


# %% exercise="add_positions" right="word by word on a copy, with formulas of its own"
def add_positions(embeddings, n=10000.0):
    import math

    result = np.array(embeddings, dtype=float)
    time, d = result.shape[-2:]
    for p in range(time):
        for j in range(d):
            angle = p / n ** (2 * (j // 2) / d)
            result[..., p, j] += math.cos(angle) if j % 2 else math.sin(angle)
    return result


# %% exercise="add_positions" right="sentence by sentence"
def add_positions(embeddings, n=10000.0):
    if np.ndim(embeddings) == 3:
        return np.array([add_positions(sentence, n) for sentence in embeddings])
    return np.add(embeddings, positional_encoding(len(embeddings), len(embeddings[0]), n=n))


# %% exercise="position_similarity" wrong="COLUMN_PRODUCTS"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return pe.T @ pe


# %% exercise="position_similarity" wrong="COSINE"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    pe = pe / np.linalg.norm(pe, axis=1, keepdims=True)
    return pe @ pe.T


# %% exercise="position_similarity" wrong="CENTRED"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    pe = pe - pe.mean(axis=0)
    return pe @ pe.T


# %% exercise="position_similarity" wrong="DISTANCES"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return np.linalg.norm(pe[:, None] - pe[None], axis=2)


# %% exercise="position_similarity" wrong="DIVIDED"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return pe @ pe.T / np.sqrt(d)


# %% exercise="position_similarity" wrong="HALVED"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return pe @ pe.T / (d / 2)


# %% exercise="position_similarity" wrong="ENTRY_BY_ENTRY"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return pe * pe


# %% exercise="position_similarity" wrong="N_IGNORED"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d)
    return pe @ pe.T


# %% exercise="position_similarity" wrong="PAIRS_ONLY"
def position_similarity(seq_len, d, n=10000.0):
    p = np.arange(seq_len)
    offsets = (p[:, None] - p)[:, :, None]
    return np.cos(offsets / n ** (np.arange(0, d, 2) / d)).sum(axis=2)


# %% exercise="position_similarity" wrong="PAIRS_ONLY"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)[:, : d - d % 2]
    return pe @ pe.T


# %% exercise="position_similarity" wrong="PAIRS_ONLY"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    p = np.arange(seq_len)
    return (pe @ pe[0])[abs(p[:, None] - p)]


# %% exercise="position_similarity" wrong="COEFFICIENTS"
def position_similarity(seq_len, d, n=10000.0):
    return np.corrcoef(positional_encoding(seq_len, d, n))


# %% exercise="position_similarity" wrong="COVARIANCES"
def position_similarity(seq_len, d, n=10000.0):
    return np.cov(positional_encoding(seq_len, d, n))


# %% exercise="position_similarity" wrong="MEAN_PRODUCTS"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return pe @ pe.T / d


# %% exercise="position_similarity" wrong="ONE_TRIANGLE"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    s = np.zeros((seq_len, seq_len))
    for p in range(seq_len):
        for q in range(p, seq_len):
            s[p, q] = pe[p] @ pe[q]
    return s


# %% exercise="position_similarity" right="a loop over the pairs of positions"
def position_similarity(seq_len, d, n=10000.0):
    pe = [np.array(row) for row in positional_encoding(seq_len, d, n)]
    return [[float(np.dot(one, other)) for other in pe] for one in pe]


# %% exercise="position_similarity" right="cosines of the offsets, and the last sine of an odd d"
def position_similarity(seq_len, d, n=10000.0):
    p = np.arange(seq_len)
    even = 2 * np.arange(d // 2)
    similarity = np.cos((p[:, None] - p)[..., None] / n ** (even / d)).sum(axis=-1)
    if d % 2:
        last = np.sin(p / n ** ((d - 1) / d))
        similarity = similarity + np.outer(last, last)
    return similarity


# %% exercise="position_similarity" right="by einsum, in float32"
def position_similarity(seq_len, d, n=10000.0):
    pe = np.asarray(positional_encoding(seq_len, d, n), dtype=np.float32)
    return np.einsum("pj,qj->pq", pe, pe)


# %% exercise="recover_position" wrong="LARGEST_PRODUCT"
def recover_position(vector, max_len, n=10000.0):
    return int(np.argmax(positional_encoding(max_len, len(vector), n) @ vector))


# %% exercise="recover_position" wrong="FIRST_PAIR"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.argmin(np.sum((pe - vector)[:, :2] ** 2, axis=1)))


# %% exercise="recover_position" wrong="FIRST_PAIRS"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.argmin(np.sum((pe - vector)[:, :4] ** 2, axis=1)))


# %% exercise="recover_position" wrong="NO_LAST_SINE"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    pairs = len(vector) // 2
    return int(np.argmin(np.sum((pe - vector)[:, : 2 * pairs] ** 2, axis=1)))


# %% exercise="recover_position" wrong="SINES_ALONE"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.argmin(np.sum((pe - vector)[:, 0::2] ** 2, axis=1)))


# %% exercise="recover_position" wrong="OVER_POSITIONS"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.argmin(np.sum((pe - vector) ** 2, axis=0)))


# %% exercise="recover_position" wrong="SINGLE_ENTRY"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.argmin((pe - vector) ** 2))


# %% exercise="recover_position" wrong="FIRST_ANGLE"
def recover_position(vector, max_len, n=10000.0):
    return round(np.arctan2(vector[0], vector[1]) % (2 * np.pi)) % max_len


# %% exercise="recover_position" wrong="LAST_LEFT_OUT"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)[:-1]
    return int(np.argmin(np.sum((pe - vector) ** 2, axis=1)))


# %% exercise="recover_position" wrong="BEYOND"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len + 200, len(vector), n)
    return int(np.argmin(np.sum((pe - vector) ** 2, axis=1)))


# %% exercise="recover_position" wrong="FROM_ONE"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.argmin(np.sum((pe - vector) ** 2, axis=1))) + 1


# %% exercise="recover_position" wrong="N_IGNORED"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector))
    return int(np.argmin(np.sum((pe - vector) ** 2, axis=1)))


# %% exercise="recover_position" wrong="NO_SQUARES"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.argmin(np.abs(np.sum(pe - vector, axis=1))))


# %% exercise="recover_position" wrong="A_ROW"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return pe[np.argmin(np.sum((pe - vector) ** 2, axis=1))]


# %% exercise="recover_position" wrong="EXACT"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.flatnonzero(np.isclose(pe, vector).all(axis=1))[0])


# %% exercise="recover_position" wrong="FARTHEST"
def recover_position(vector, max_len, n=10000.0):
    return int(
        np.argmax(np.linalg.norm(positional_encoding(max_len, len(vector), n) - vector, axis=1))
    )


# %% exercise="recover_position" wrong="SIGNED_DIFFERENCES"
def recover_position(vector, max_len, n=10000.0):
    return int(np.argmin((positional_encoding(max_len, len(vector), n) - vector).sum(axis=1)))


# %% exercise="recover_position" wrong="DISTANCE"
def recover_position(vector, max_len, n=10000.0):
    return np.min(np.linalg.norm(positional_encoding(max_len, len(vector), n) - vector, axis=1))


# %% exercise="recover_position" wrong="NEAR_ENOUGH"
def recover_position(vector, max_len, n=10000.0):
    for p, r in enumerate(positional_encoding(max_len, len(vector), n)):
        if np.all(np.abs(r - vector) < 0.2):
            return p


# %% exercise="recover_position" right="a loop with math.dist"
def recover_position(vector, max_len, n=10000.0):
    import math

    rows = positional_encoding(max_len, len(vector), n)
    return min(range(max_len), key=lambda p: math.dist(rows[p], vector))


# %% exercise="recover_position" right="a tree of all rows"
def recover_position(vector, max_len, n=10000.0):
    import scipy.spatial

    return scipy.spatial.KDTree(positional_encoding(max_len, len(vector), n)).query(vector)[1]


# %% exercise="recover_position" right="dot products less half the squared lengths, in float32"
def recover_position(vector, max_len, n=10000.0):
    pe = np.asarray(positional_encoding(max_len, vector.size, n), dtype=np.float32)
    return np.argmax(pe @ vector.astype(np.float32) - (pe**2).sum(axis=1) / 2)


# %% exercise="shift_matrix" wrong="INVERSE"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        c, s = np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, s], [-s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="BLOCKS_APART"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    angles = k / n ** (np.arange(0, d, 2) / d)
    c, s = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return np.block([[c, -s], [s, c]])


# %% exercise="shift_matrix" wrong="ONE_ANGLE"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    c, s = np.cos(k), np.sin(k)
    return np.kron(np.eye(d // 2), [[c, -s], [s, c]])


# %% exercise="shift_matrix" wrong="TWO_SINES"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        c, s = np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="SIGN_IGNORED"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        c, s = np.cos(abs(k) / n ** (j / d)), np.sin(abs(k) / n ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="ONE_STEP"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        c, s = np.cos(1 / n ** (j / d)), np.sin(1 / n ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="HALF_EXPONENT"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for i in range(d // 2):
        c, s = np.cos(k / n ** (i / d)), np.sin(k / n ** (i / d))
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="DOUBLE_EXPONENT"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        c, s = np.cos(k / n ** (2 * j / d)), np.sin(k / n ** (2 * j / d))
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="REACHES_1"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for i in range(d // 2):
        angle = k / n ** (i / max(d // 2 - 1, 1))
        c, s = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="K_MULTIPLIED"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        c, s = np.cos(k * n ** (j / d)), np.sin(k * n ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="FITTED"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    pe = positional_encoding(1000 + abs(k), d, n)
    start = np.arange(1000) + max(-k, 0)
    return np.linalg.lstsq(pe[start], pe[start + k], rcond=None)[0]


# %% exercise="shift_matrix" wrong="N_IGNORED"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        c, s = np.cos(k / 10000 ** (j / d)), np.sin(k / 10000 ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="PERMUTATION"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    return np.roll(np.eye(d), k, axis=1)


# %% exercise="shift_matrix" wrong="ODD_ACCEPTED"
def shift_matrix(k, d, n=10000.0):
    matrix = np.eye(d)
    for j in range(0, d - 1, 2):
        c, s = np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="SIN_ON_DIAGONAL"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("odd")
    M = np.zeros((d, d))
    for i in range(0, d, 2):
        w = k * n ** (-i / d)
        M[i : i + 2, i : i + 2] = [[np.sin(w), -np.cos(w)], [np.cos(w), np.sin(w)]]
    return M


# %% exercise="shift_matrix" wrong="FULL_TURNS"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("odd")
    M = np.zeros((d, d))
    for i in range(0, d, 2):
        w = 2 * np.pi * k * n ** (-i / d)
        M[i : i + 2, i : i + 2] = [[np.cos(w), -np.sin(w)], [np.sin(w), np.cos(w)]]
    return M


# %% exercise="shift_matrix" wrong="LAST_PAIR"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("odd")
    M = np.zeros((d, d))
    for i in range(0, d - 2, 2):
        w = k * n ** (-i / d)
        M[i : i + 2, i : i + 2] = [[np.cos(w), -np.sin(w)], [np.sin(w), np.cos(w)]]
    return M


# %% exercise="shift_matrix" wrong="FIRST_PAIR_ONLY"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("odd")
    M = np.eye(d)
    M[:2, :2] = [[np.cos(k), -np.sin(k)], [np.sin(k), np.cos(k)]]
    return M


# %% exercise="shift_matrix" right="blocks put on a diagonal by SciPy"
def shift_matrix(k, d, n=10000.0):
    import math

    import scipy.linalg

    if d % 2 == 1:
        raise ValueError(f"no pairs in {d} columns")
    angles = [k * n ** (-2 * i / d) for i in range(d // 2)]
    blocks = [[[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]] for a in angles]
    return scipy.linalg.block_diag(*blocks)


# %% exercise="shift_matrix" right="the exponential of a generator"
def shift_matrix(k, d, n=10000.0):
    import scipy.linalg

    if d % 2:
        raise ValueError("d is odd")
    omega = n ** (-np.arange(0, d, 2) / d)
    generator = np.kron(np.diag(omega), np.array([[0.0, -1.0], [1.0, 0.0]]))
    return scipy.linalg.expm(k * generator)


# %% exercise="shift_matrix" right="from the encoding of the offset, as nested lists"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    row = np.sign(k) * positional_encoding(abs(k) + 1, d, n)[abs(k)]
    sines, cosines = row[0::2], np.abs(np.sign(k)) * np.cos(k / n ** (np.arange(0, d, 2) / d))
    cosines = np.where(k == 0, 1.0, cosines)
    matrix = np.repeat(np.repeat(np.eye(d // 2), 2, axis=0), 2, axis=1)
    matrix[0::2, 0::2] *= cosines
    matrix[1::2, 1::2] *= cosines
    matrix[1::2, 0::2] *= sines
    matrix[0::2, 1::2] *= -sines
    return matrix.tolist()


# %% exercise="judge_encoding" wrong="ITSELF"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2)
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="ZEROS_LEFT_OUT"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2)
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances[distances > 0].min(), max(spreads)


# %% exercise="judge_encoding" wrong="FILLED"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2)
    np.fill_diagonal(distances, 1000)
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="NEIGHBOURS"
def judge_encoding(pe):
    distances = np.linalg.norm(np.diff(pe, axis=0), axis=1)
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="SIGNED"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return pe.max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="SQUARED"
def judge_encoding(pe):
    distances = np.sum((pe[:, None] - pe[None]) ** 2, axis=2) + np.diag([np.inf] * len(pe))
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="ABSOLUTE_SUM"
def judge_encoding(pe):
    distances = np.abs(pe[:, None] - pe[None]).sum(axis=2) + np.diag([np.inf] * len(pe))
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="FIRST_OFFSET"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    spread = np.ptp(np.diagonal(pe @ pe.T, 1))
    return np.abs(pe).max(), distances.min(), spread


# %% exercise="judge_encoding" wrong="SMALL_OFFSETS"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(min(3, len(pe)))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="NO_OFFSET_0"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(1, len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="DEVIATION"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    products = pe @ pe.T
    spreads = [np.std(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="ALL_PAIRS"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    return np.abs(pe).max(), distances.min(), np.ptp(pe @ pe.T)


# %% exercise="judge_encoding" wrong="COSINE"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    directions = pe / np.linalg.norm(pe, axis=1, keepdims=True)
    products = directions @ directions.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" wrong="SPREADS_ADDED"
def judge_encoding(pe):
    i, j = np.triu_indices(len(pe), 1)
    S = pe @ pe.T
    return (
        np.abs(pe).max(),
        np.linalg.norm(pe[i] - pe[j], axis=1).min(),
        sum(np.ptp(np.diag(S, k)) for k in range(len(pe))),
    )


# %% exercise="judge_encoding" wrong="SPREADS_AVERAGED"
def judge_encoding(pe):
    i, j = np.triu_indices(len(pe), 1)
    S = pe @ pe.T
    return (
        np.abs(pe).max(),
        np.linalg.norm(pe[i] - pe[j], axis=1).min(),
        np.mean([np.ptp(np.diag(S, k)) for k in range(len(pe))]),
    )


# %% exercise="judge_encoding" wrong="SPREADS_LISTED"
def judge_encoding(pe):
    i, j = np.triu_indices(len(pe), 1)
    S = pe @ pe.T
    return (
        np.abs(pe).max(),
        np.linalg.norm(pe[i] - pe[j], axis=1).min(),
        [np.ptp(np.diag(S, k)) for k in range(len(pe))],
    )


# %% exercise="judge_encoding" wrong="LONGEST_ROW"
def judge_encoding(pe):
    i, j = np.triu_indices(len(pe), 1)
    S = pe @ pe.T
    return (
        np.linalg.norm(pe, axis=1).max(),
        np.linalg.norm(pe[i] - pe[j], axis=1).min(),
        max(np.ptp(np.diag(S, k)) for k in range(len(pe))),
    )


# %% exercise="judge_encoding" wrong="OTHER_ORDER"
def judge_encoding(pe):
    i, j = np.triu_indices(len(pe), 1)
    S = pe @ pe.T
    return (
        np.linalg.norm(pe[i] - pe[j], axis=1).min(),
        np.abs(pe).max(),
        max(np.ptp(np.diag(S, k)) for k in range(len(pe))),
    )


# %% exercise="judge_encoding" right="loops over pairs"
def judge_encoding(pe):
    import itertools
    import math

    largest = max(abs(float(entry)) for row in pe for entry in row)
    closest = min(math.dist(one, other) for one, other in itertools.combinations(pe, 2))
    spread = 0.0
    for k in range(len(pe)):
        products = [float(np.dot(pe[p], pe[p + k])) for p in range(len(pe) - k)]
        spread = max(spread, max(products) - min(products))
    return largest, closest, spread


# %% exercise="judge_encoding" right="by SciPy, as a list of NumPy numbers"
def judge_encoding(pe):
    import scipy.spatial

    products = np.inner(pe, pe)
    spreads = []
    for k in range(-len(pe) + 1, 1):
        diagonal = np.diag(products, k)
        spreads.append(diagonal.max() - diagonal.min())
    distances = scipy.spatial.distance.pdist(pe)
    return [np.abs(pe).max(), distances.min(), max(spreads)]


# %% exercise="judge_encoding" right="an array of three numbers"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.array([np.abs(pe).max(), distances.min(), max(spreads)])
