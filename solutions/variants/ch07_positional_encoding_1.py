"""The bank of chapter 7: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np

# %%
FROM_ONE = "The positions are counted from 1. The first position is 0."
POSITIONS_IN_COLUMNS = "The matrix is transposed. Every position must have a row of its own."
HALF_EXPONENT = "The exponent is i/d, where i counts the pairs. It must be 2i/d."
DOUBLE_EXPONENT = "The exponent is 4i/d, where i counts the pairs. It must be 2i/d."
N_IGNORED = "The argument n is ignored. 10000 is only its default value."
ODD_PADDED = (
    "With an odd d the exponents are those of d + 1 columns. They must be 2i/d with d as given."
)
REACHES_1 = (
    "The last exponent is 1. The exponents are 0, 2/d, 4/d and so on, and they stay below 1."
)
SWAPPED = "Sine and cosine are swapped. The even columns are sines and the odd ones cosines."
DEGREES = (
    "The angles are treated as degrees. np.sin and np.cos expect radians, and the angles are in "
    "radians already."
)
COSINE = "The dot products are divided by the lengths of the rows. Return the plain dot products."


# %% exercise="binary_code" right="integer division by powers of 2"
def binary_code(seq_len, bits):
    return np.arange(seq_len)[:, None] // 2 ** np.arange(bits) % 2


# %% exercise="binary_code" edits="integer division by powers of 2"
HIGH_FIRST = (
    "The highest bit comes first. The lowest bit belongs in the first column.",
    {"(bits)": "(bits)[::-1]"},
)

# %% exercise="binary_code" edits="integer division by powers of 2" wrong="FROM_ONE"
{"(seq_len)": "(1, seq_len + 1)"}

# %% exercise="binary_code" edits="integer division by powers of 2" wrong="POSITIONS_IN_COLUMNS"
{"[:, None]": "", "(bits)": "(bits)[:, None]"}


# %% exercise="binary_code" wrong="NOT_WRAPPED"
NOT_WRAPPED = "The counter stops at its largest number. After that number it must start again at 0."


def binary_code(seq_len, bits):
    positions = np.minimum(np.arange(seq_len), 2**bits - 1)
    return positions[:, None] // 2 ** np.arange(bits) % 2


# %% exercise="binary_code" wrong="GRAY"
GRAY = "This is the Gray code, in which one bit changes at a time. Use plain binary numbers."


def binary_code(seq_len, bits):
    positions = np.arange(seq_len)
    return (positions ^ (positions >> 1))[:, None] // 2 ** np.arange(bits) % 2


# %% exercise="binary_code" wrong="EIGHT_BITS"
EIGHT_BITS = "The positions do not fit into 8 bits. Positions above 255 must work too."


def binary_code(seq_len, bits):
    positions = np.arange(seq_len).astype(np.uint8)[:, None]
    whole = np.unpackbits(positions, axis=1, bitorder="little")
    return np.pad(whole, ((0, 0), (0, 8)))[:, :bits]


# %% exercise="binary_code" edits="integer division by powers of 2"
NOT_NUMBERS = (
    "The result does not consist of numbers. It must be a matrix of the numbers 0 and 1, not of "
    "booleans or text.",
    {"// 2 ** np.arange(bits) % 2": "& (1 << np.arange(bits)) > 0"},
)


# %% exercise="binary_code" wrong="NOT_NUMBERS"
def binary_code(seq_len, bits):
    return [list(format(p % 2**bits, f"0{bits}b")[::-1]) for p in range(seq_len)]


# %% exercise="binary_code" edits="integer division by powers of 2"
NOT_ROUNDED = (
    "The quotients are not rounded down before the remainder is taken. Divide with //.",
    {"//": "/"},
)
BIT_VALUES = (
    "The entries of column b are 0 and 2**b. Every bit must be 0 or 1.",
    {"// 2 **": "& 1 <<", " % 2": ""},
)
ALL_NUMBERS = (
    "There is one row for each of the 2**bits numbers. There must be seq_len rows.",
    {"(seq_len)": "(2**bits)"},
)
NO_REMAINDER = (
    "The quotients are returned as they are. A bit is their remainder after division by 2.",
    {" % 2": ""},
)
ONE_ROW_SHORT = (
    "The last position is missing. There must be seq_len rows, for the positions 0 to seq_len - 1.",
    {"(seq_len)": "(seq_len - 1)"},
)
LOWEST_LOST = (
    "The bits are counted from 1, so the lowest one is missing. The first column is the position "
    "modulo 2.",
    {"(bits)": "(1, bits + 1)"},
)
NO_QUOTIENT = (
    "Column b holds the remainder after division by 2**(b + 1). Divide by 2**b first, and take "
    "the quotient modulo 2.",
    {"// 2 ** np.arange(bits) % 2": "% 2 ** (np.arange(bits) + 1)"},
)


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


# %% exercise="binary_code" wrong="TOO_MANY_DIGITS"
TOO_MANY_DIGITS = (
    "A position from 2**bits on has more digits than there are columns. The counter must start "
    "again at 0 there, so take the position modulo 2**bits first."
)


def binary_code(seq_len, bits):
    return np.array([[int(b) for b in format(p, f"0{bits}b")[::-1]] for p in range(seq_len)])


# %% exercise="binary_code" edits="the digits that Python formats, as a list" wrong="NOT_NUMBERS"
{"[[int(digit) for digit in word] for word in words]": "np.array([list(word) for word in words])"}


# %% exercise="binary_code" edits="integer division by powers of 2"
NO_POWER_OF_2 = (
    "The positions are divided by multiples of 2. They must be divided by powers of 2, 2**b.",
    {"2 ** np.arange(bits)": "(2 * (np.arange(bits) + 1))"},
    {"2 ** np.arange(bits)": "(2 * np.arange(bits))"},
    {"2 ** np.arange(bits)": "np.maximum(1, 2 * np.arange(bits))"},
)
ROWS_END = (
    "The rows end after the first 2**bits positions. There must be seq_len rows, so the counter "
    "starts again at 0.",
    {"(seq_len)": "(min(seq_len, 2**bits))"},
)
STARTS_AGAIN_EARLY = (
    "The counter starts again after 2**bits - 1 positions, which is one too early. The largest "
    "number must occur, too.",
    {"np.arange(seq_len)": "(np.arange(seq_len) % (2**bits - 1))"},
)


# %% exercise="binary_code" edits="the digits that Python formats, as a list"
HIGHEST_BITS_KEPT = (
    "A position from 2**bits on keeps its highest bits. It must keep its lowest bits, so that the "
    "counter starts again at 0.",
    {'format(p % 2**bits, f"0{bits}b")[::-1]': 'format(p, f"0{bits}b")[:bits][::-1]'},
)


# %% exercise="binary_code" wrong="EIGHT_COLUMNS"
EIGHT_COLUMNS = (
    "The bits of a single byte are unpacked, so there are never more than 8 columns. There must be "
    "as many columns as bits says."
)


def binary_code(seq_len, bits):
    as_bytes = np.arange(seq_len, dtype=np.int64).astype(np.uint8)
    return np.unpackbits(as_bytes[:, None], axis=1, count=min(bits, 8), bitorder="little")


# %% exercise="binary_code" edits="all products of digits, repeated"
TABLE_TWICE = (
    "The table of all codes is used at most twice, so a long sequence has too few rows. It must "
    "start again as often as it takes.",
    {"np.resize(rows, (seq_len, bits))": "np.concatenate([rows, rows])[:seq_len]"},
)


# %% exercise="binary_code" edits="integer division by powers of 2"
SQUARE_OF_BITS = (
    "The code starts again after bits ** 2 positions. There are 2 ** bits different codes.",
    {"np.arange(seq_len)": "(np.arange(seq_len) % bits**2)"},
)


# %% exercise="binary_code" wrong="SAME_LIST"
SAME_LIST = "Every row is the same list, so all show its last state. Append a copy of it."


def binary_code(seq_len, bits):
    rows, row = [], [0] * bits
    for _ in range(seq_len):
        rows.append(row)
        for bit in range(bits):
            row[bit] = 1 - row[bit]
            if row[bit]:
                break
    return np.array(rows)


# %% exercise="binary_code" edits="integer division by powers of 2"
ROUNDED_QUOTIENT = (
    "The quotient is rounded to the nearest whole number. It must be rounded down, as // does.",
    {
        "np.arange(seq_len)[:, None] // 2 ** np.arange(bits)": (
            "np.rint(np.arange(seq_len)[:, None] / 2 ** np.arange(bits))"
        )
    },
)


# %% exercise="binary_code" edits="integer division by powers of 2"
EXCLUSIVE_OR = (
    "2 ^ b is an exclusive or in Python. A power is written with two stars: 2 ** b.",
    {"2 ** np.arange(bits)": "(2 ^ np.arange(bits))"},
)

# %% exercise="binary_code" wrong="SWITCHED_ON_LATE"
SWITCHED_ON_LATE = "Each bit is switched on one position too late. Compare with >= in place of >."


def binary_code(seq_len, bits):
    positions, powers = np.arange(seq_len)[:, None], 2 ** np.arange(bits)
    return (positions % (2 * powers) > powers).astype(int)


# %% exercise="binary_code" edits="integer division by powers of 2"
REMAINDERS = (
    "These are the remainders of the positions after division by 2**b. Divide by 2**b first, and "
    "then take the remainder after division by 2.",
    {"// 2 ** np.arange(bits) % 2": "% 2 ** np.arange(bits)"},
)
ONE_HOT = (
    "Every position has a single 1. A binary number may have several of them.",
    {
        "np.arange(seq_len)[:, None] // 2 ** np.arange(bits) % 2": (
            "np.eye(bits, dtype=int)[np.arange(seq_len) % bits]"
        )
    },
)


# %% exercise="binary_code" wrong="NOT_PADDED"
NOT_PADDED = (
    "The digits are entered from the highest one on, without leading zeros, so a column does not "
    "always hold the same bit. The lowest bit belongs in the first column."
)


def binary_code(seq_len, bits):
    code = np.zeros((seq_len, bits), dtype=int)
    for p in range(seq_len):
        for column, digit in enumerate(format(p % 2**bits, "b")):
            code[p, column] = int(digit)
    return code


# %% exercise="binary_code" wrong="LAST_NOT_REDUCED"
LAST_NOT_REDUCED = (
    "The last column holds what is left of the number, and not its remainder after division by 2. "
    "The counter begins again after 2 ** bits numbers."
)


def binary_code(seq_len, bits):
    out = np.zeros((seq_len, bits), dtype=int)
    for p in range(seq_len):
        rest = p
        for b in range(bits - 1):
            out[p, b] = rest % 2
            rest = rest // 2
        out[p, bits - 1] = rest
    return out


# %% exercise="wavelengths" right="one line"
def wavelengths(d, n=10000.0):
    return 2 * np.pi * n ** (np.arange(0, d, 2) / d)


# %% exercise="wavelengths" edits="one line"
FREQUENCIES = (
    "These are the angular frequencies, 1 / n**(2i/d). The wavelength is 2π divided by the "
    "angular frequency.",
    {"2 * np.pi *": "1 /"},
)
NO_2_PI = (
    "The factor 2π is missing. A sine repeats when its angle has grown by 2π.",
    {" 2 * np.pi *": ""},
)
EVERY_COLUMN = (
    "There is one wavelength for every column. The two columns of a pair share one.",
    {"np.arange(0, d, 2)": "2 * (np.arange(d) // 2)"},
)

# %% exercise="wavelengths" edits="one line" wrong="HALF_EXPONENT"
{"0, d, 2": "(d + 1) // 2"}

# %% exercise="wavelengths" edits="one line" wrong="DOUBLE_EXPONENT"
{"np.arange": "2 * np.arange"}

# %% exercise="wavelengths" edits="one line"
SHRINKING = (
    "2π is divided by n**(2i/d). It must be multiplied by that number.",
    {"2 * np.pi *": "2 * np.pi /"},
)
ONE_TOO_MANY = (
    "With an even d there is one wavelength too many. There is one for each of d/2 pairs.",
    {"np.arange(0, d, 2)": "2 * np.arange(d // 2 + 1)"},
)


# %% exercise="wavelengths" wrong="REACHES_N"
REACHES_N = (
    "The last wavelength is 2πn. The exponents are 0, 2/d, 4/d and so on, and they stay below 1."
)


def wavelengths(d, n=10000.0):
    return np.geomspace(2 * np.pi, 2 * np.pi * n, (d + 1) // 2)


# %% exercise="wavelengths" edits="one line"
ROUNDED_DOWN = (
    "With an odd d one wavelength is missing. The last column is then a sine without a cosine, "
    "and it has a wavelength too.",
    {"np.arange(0, d, 2)": "2 * np.arange(d // 2)"},
)
LONGEST_FIRST = (
    "The longest wavelength comes first. The first pair has the shortest one, 2π.",
    {"/ d": "[::-1] / d"},
)

# %% exercise="wavelengths" edits="one line" wrong="N_IGNORED"
{"n **": "10000 **"}


# %% exercise="wavelengths" wrong="ODD_PADDED"
def wavelengths(d, n=10000.0):
    pairs = (d + 1) // 2
    return 2 * np.pi * n ** (np.arange(pairs) / pairs)


# %% exercise="wavelengths" edits="one line"
HALF_TURN = "The factor is π. A sine repeats when its angle has grown by 2π.", {" 2 *": ""}
PAIRS_FROM_ONE = (
    "The pairs are counted from 1. Count them from 0, so that the shortest wavelength is 2π.",
    {"np.arange(0, d, 2)": "2 * np.arange(1, (d + 1) // 2 + 1)"},
)
NO_POWER = "n is multiplied by 2i/d. It must be raised to this power.", {"n **": "n *"}
PI_IN_POWER = (
    "2π is raised to the power 2i/d together with n. It is a factor in front of the power.",
    {"2 * np.pi * n": "(2 * np.pi * n)"},
)


# %% exercise="wavelengths" wrong="AS_COLUMN"
AS_COLUMN = "The result is a column, with two axes. It must have one axis, (⌈d/2⌉,)."


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


# %% exercise="wavelengths" edits="one line"
EXPONENT_ROUNDED = (
    "The exponent 2i/d is rounded down to a whole number. Divide with /, not with //.",
    {"/ d": "// d"},
)


# %% exercise="wavelengths" edits="a list, one after another"
WHOLE_RATIO = (
    "The ratio of neighbouring wavelengths is rounded to a whole number, as it is in the example.",
    {"n ** (2 / d)": "round(n ** (2 / d))"},
)


# %% exercise="wavelengths" wrong="LAST_COLUMN"
LAST_COLUMN = (
    "The last wavelength has the exponent (d - 1) / d. In an even d the last pair begins at column "
    "d - 2."
)


def wavelengths(d, n=10000.0):
    return np.geomspace(2 * np.pi, 2 * np.pi * n ** ((d - 1) / d), (d + 1) // 2)


# %% exercise="wavelengths" edits="one line"
CUT_TO_INTEGERS = (
    "The wavelengths lose their decimals, because they are written into an array of whole numbers. "
    "np.zeros(...) makes an array of real numbers.",
    {
        "2 * np.pi * n ** (np.arange(0, d, 2) / d)": (
            "(2 * np.pi * n ** (np.arange(0, d, 2) / d)).astype(int)"
        )
    },
)


# %% exercise="wavelengths" edits="one line"
WEAK_POWER = (
    "The power is taken before 2i is divided by d, because ** binds more tightly than * and /. The "
    "whole exponent 2i/d needs brackets.",
    {"n ** (np.arange(0, d, 2) / d)": "n**2 * np.arange((d + 1) // 2) / d"},
    {"n ** (np.arange(0, d, 2) / d)": "n ** np.arange(0, d, 2) / d"},
)
ODD_EXPONENTS = (
    "The exponents are those of the odd columns, 1/d, 3/d and so on. Both columns of a pair have "
    "the exponent 2i/d, which is 0 for the first pair.",
    {"np.arange(0, d, 2)": "np.arange(1, d + 1, 2)"},
    {"np.arange(0, d, 2)": "np.arange(1, d, 2)"},
)
EVENLY_SPACED = (
    "The wavelengths grow by the same amount from pair to pair. They must grow by the same factor.",
    {
        "2 * np.pi * n ** (np.arange(0, d, 2) / d)": (
            "2 * np.pi * np.linspace(1, n ** ((d - 1) // 2 * 2 / d), (d + 1) // 2)"
        )
    },
)
ODD_CUT = (
    "With an odd d the exponents are those of d - 1 columns. They must be 2i/d with d as given.",
    {"/ d": "/ max(d - d % 2, 1)"},
)


# %% exercise="positional_encoding" right="np.where on the columns"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (2 * (np.arange(d) // 2) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


# %% exercise="positional_encoding" right="even and odd columns"
def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(0, d, 2) / d)
    encoding = np.empty((seq_len, d))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d // 2])
    return encoding


# %% exercise="positional_encoding" edits="even and odd columns" wrong="SWAPPED"
{"sin": "cos", "cos": "sin"}

# %% exercise="positional_encoding" edits="np.where on the columns"
SIZE_ACCEPTED = (
    "A seq_len or a d below 1 must raise ValueError.",
    {('    if min(seq_len, d) < 1:\n        raise ValueError("sizes must be at least 1")\n'): ""},
    {
        "min(seq_len, d) < 1": "seq_len < 0 or d < 0",
        '"sizes must be at least 1"': '"sizes must not be negative"',
    },
)


# %% exercise="positional_encoding" wrong="COLUMN_EXPONENT"
COLUMN_EXPONENT = (
    "Every column has a wavelength of its own. The sine and the cosine of a pair must have the "
    "same angle, p / n**(2i/d)."
)


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


# %% exercise="positional_encoding" edits="np.where on the columns" wrong="HALF_EXPONENT"
{"2 * (np.arange(d) // 2)": "np.arange(d) // 2"}

# %% exercise="positional_encoding" edits="even and odd columns" wrong="DOUBLE_EXPONENT"
{"np.arange(0, d, 2)": "2 * np.arange(0, d, 2)"}

# %% exercise="positional_encoding" edits="np.where on the columns" wrong="REACHES_1"
{
    "angles =": "pairs = (d + 1) // 2\n    angles =",
    "2 * (np.arange(d) // 2) / d": "np.arange(d) // 2 / max(pairs - 1, 1)",
}


# %% exercise="positional_encoding" wrong="LAST_COSINE"
LAST_COSINE = "With an odd d the last column is a cosine. It must be a sine."


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
HALVES = (
    "All sines are in the first half and all cosines in the second. They must alternate: sine, "
    "cosine, sine, cosine."
)


def positional_encoding(seq_len, d, n=10000.0):
    if min(seq_len, d) < 1:
        raise ValueError("sizes must be at least 1")
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(0, d, 2) / d)
    return np.concatenate([np.sin(angles), np.cos(angles[:, : d // 2])], axis=1)


# %% exercise="positional_encoding" edits="np.where on the columns" wrong="FROM_ONE"
{"(seq_len)": "(1, seq_len + 1)"}

# %% exercise="positional_encoding" edits="np.where on the columns" wrong="POSITIONS_IN_COLUMNS"
{"np.sin(angles))": "np.sin(angles)).T"}

# %% exercise="positional_encoding" edits="np.where on the columns"
MULTIPLIED = (
    "The position is multiplied by n**(2i/d). It must be divided by that number.",
    {"/ n": "* n"},
)

# %% exercise="positional_encoding" edits="np.where on the columns" wrong="N_IGNORED"
{"n **": "10000 **"}

# %% exercise="positional_encoding" edits="np.where on the columns"
ONLY_SINES = (
    "All columns are sines. The odd columns must be cosines.",
    {
        (
            "angles = np.arange(seq_len)[:, None] / n ** (2 * (np.arange(d) // 2) / d)\n"
            "    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))"
        ): "return np.sin(np.arange(seq_len)[:, None] / n ** (2 * (np.arange(d) // 2) / d))",
    },
)

# %% exercise="positional_encoding" edits="even and odd columns"
ODD_FAILS = (
    "With an odd d the function fails, because there is one cosine fewer than there are sines. "
    "The last column is a sine without a cosine.",
    {"empty": "zeros", "[:, : d // 2]": ""},
)


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
LAST_ZERO = "With an odd d the last column stays 0. It must hold a sine."


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
LAST_MISSING = "With an odd d the last column is missing. It must hold a sine."


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
ANGLES = "These are the angles. The even columns hold their sines, and the odd ones their cosines."


def positional_encoding(seq_len, d, n=10000.0):
    if seq_len < 1 or d < 1:
        raise ValueError
    j = np.arange(d)
    return np.arange(seq_len)[:, None] / n ** (2 * (j // 2) / d)


# %% exercise="positional_encoding" wrong="CUT_OFF"
CUT_OFF = (
    "The result is an array of integers, which cuts the fractions off. Make it an array of "
    "floating-point numbers."
)


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


# %% exercise="positional_encoding" edits="np.where on the columns"
TURNS = (
    "The angles have a factor 2π. They must be p / n**(2i/d).",
    {"np.arange(seq_len)[:, None]": "2 * np.pi * np.arange(seq_len)[:, None]"},
)


# %% exercise="positional_encoding" edits="np.where on the columns" wrong="SIZE_ACCEPTED"
{"min(seq_len, d) < 1": "seq_len < 1"}


# %% exercise="positional_encoding" edits="np.where on the columns" wrong="DEGREES"
{"np.arange(seq_len)[:, None]": "np.deg2rad(np.arange(seq_len))[:, None]"}


# %% exercise="positional_encoding" edits="np.where on the columns"
D_MINUS_1 = (
    "The exponent is divided by d - 1. The formula divides 2i by d.",
    {"(np.arange(d) // 2) / d": "(np.arange(d) // 2) / max(d - 1, 1)"},
)


# %% exercise="positional_encoding" edits="even and odd columns"
ALWAYS_ODD = (
    "The last cosine is left out. This is right for an odd d only.",
    {"[:, : d // 2]": "[:, :-1]"},
)


# %% exercise="positional_encoding" edits="np.where on the columns"
CUT_OFF_POSITIONAL = (
    "Positions beyond a limit all get the same row. There is no limit.",
    {
        "angles = np.arange(seq_len)[:, None]": (
            "angles = np.minimum(np.arange(seq_len), 127)[:, None]"
        ),
    },
    {
        "angles = np.arange(seq_len)[:, None]": (
            "angles = np.minimum(np.arange(seq_len), 511)[:, None]"
        ),
    },
)
WRAPPED = (
    "The positions are counted in whole numbers of 8 bits, which start again at 256.",
    {"angles = np.arange(seq_len)[:, None]": "angles = np.arange(seq_len)[:, None] % 256"},
)
WHOLE_EXPONENT = (
    "The exponent is rounded down to a whole number. Divide by / and not by //.",
    {"(2 * (np.arange(d) // 2) / d)": "(2 * (np.arange(d) // 2) // d)"},
)
ROWS_AND_COLUMNS = (
    "When there are as many positions as columns, the two are swapped.",
    {
        "return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))": (
            "pe = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))\n"
            "    return pe.T if seq_len == d else pe"
        )
    },
)


# %% exercise="positional_encoding" edits="np.where on the columns"
KEPT_WITHOUT_N = (
    "An encoding is kept for a length and a width, and comes back for another n, too. The key must "
    "have n in it.",
    {
        "return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))": (
            "pe = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))\n"
            "    return vars(positional_encoding).setdefault((seq_len, d), pe).copy()"
        )
    },
)


# %% exercise="positional_encoding" edits="np.where on the columns"
ANGLE_DIVIDED_BY_D = (
    "The whole angle is divided by d. Only the exponent is: p / n ** (2 * i / d).",
    {"n ** (2 * (np.arange(d) // 2) / d)": "n ** (2.0 * (np.arange(d) // 2)) / d"},
)


# %% exercise="positional_encoding" edits="np.where on the columns"
NEGATIVE_SIZES_ACCEPTED = (
    "Only sizes of 0 are refused. A negative size must raise ValueError as well.",
    {"min(seq_len, d) < 1": "seq_len == 0 or d == 0"},
)

# %% exercise="positional_encoding" edits="np.where on the columns"
ODD_REFUSED = (
    "An odd d raises an error. It is allowed here: the last column is then a sine without its "
    "cosine.",
    {"if min(seq_len, d) < 1:": "if min(seq_len, d) < 1 or d % 2:"},
)


# %% exercise="positional_encoding" edits="even and odd columns"
RELATIVE = (
    "The positions are divided by the length of the sequence. A position must get the same row in "
    "sequences of every length, so take p itself.",
    {"np.arange(seq_len)[:, None]": "(np.arange(seq_len) / seq_len)[:, None]"},
    {"np.arange(seq_len)[:, None]": "(np.arange(seq_len) / max(seq_len - 1, 1))[:, None]"},
)
PAIRS_FROM_ONE = (
    "The pairs are counted from 1. The first pair is i = 0, and its angle is p itself.",
    {"np.arange(0, d, 2)": "np.arange(2, d + 2, 2)"},
)
WEAK_POWER = (
    "The power is taken before 2i is divided by d, because ** binds more tightly than /. The whole "
    "exponent 2i/d needs brackets.",
    {"n ** (np.arange(0, d, 2) / d)": "(n ** np.arange(0, d, 2) / d)"},
)


# %% exercise="positional_encoding" wrong="BY_WAVELENGTH"
BY_WAVELENGTH = (
    "The position is divided by the wavelength, which contains 2π. The angle must be p / "
    "n ** (2i / d)."
)


def positional_encoding(seq_len, d, n=10000.0):
    if seq_len < 1 or d < 1:
        raise ValueError("seq_len and d must be at least 1")
    angles = np.arange(seq_len)[:, None] / wavelengths(d, n)
    pe = np.zeros((seq_len, d))
    pe[:, 0::2] = np.sin(angles)
    pe[:, 1::2] = np.cos(angles[:, : d // 2])
    return pe


# %% exercise="positional_encoding" wrong="HALF_PRECISION"
HALF_PRECISION = "The numbers have only half precision. Leave them as NumPy computes them."


def positional_encoding(seq_len, d, n=10000.0):
    if seq_len < 1 or d < 1:
        raise ValueError("bad")
    a = np.arange(seq_len)[:, None] / n ** (np.arange(0, d, 2) / d)
    pe = np.zeros((seq_len, d), dtype=np.float16)
    pe[:, ::2], pe[:, 1::2] = np.sin(a), np.cos(a[:, : d // 2])
    return pe


# %% exercise="positional_encoding" edits="even and odd columns"
OTHER_DEFAULT = (
    "The result is right where n is given. Its default must be 10000.",
    {"n=10000.0": "n=1000.0"},
    {"n=10000.0": "n=100.0"},
)


# %% exercise="add_positions" right="the last two axes named"
def add_positions(embeddings, n=10000.0):
    time, d = embeddings.shape[-2:]
    return embeddings + positional_encoding(time, d, n)


# %% exercise="add_positions" right="one line"
def add_positions(embeddings, n=10000.0):
    return embeddings + positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)


# %% exercise="add_positions" wrong="INPUT_CHANGED"
def add_positions(embeddings, n=10000.0):
    embeddings += positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)
    return embeddings


# %% exercise="add_positions" wrong="WRONG_AXIS"
WRONG_AXIS = (
    "The positions run along the batch. They must run along time, from 0 in every sentence."
)


def add_positions(embeddings, n=10000.0):
    encoding = positional_encoding(embeddings.shape[0], embeddings.shape[-1], n)
    return embeddings + (encoding[:, None] if embeddings.ndim == 3 else encoding)


# %% exercise="add_positions" edits="the last two axes named"
SCALED = (
    "The embeddings are scaled by the square root of d. Here the encoding is only added.",
    {"embeddings +": "embeddings * np.sqrt(d) +"},
)


# %% exercise="add_positions" wrong="CONCATENATED"
CONCATENATED = "The encoding is concatenated with the embeddings. It must be added to them."


def add_positions(embeddings, n=10000.0):
    encoding = positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)
    beside = np.broadcast_to(encoding, embeddings.shape)
    return np.concatenate([embeddings, beside], axis=-1)


# %% exercise="add_positions" edits="one line"
PRODUCT = (
    "The embeddings are multiplied by the encoding. The two must be added.",
    {"embeddings +": "embeddings *"},
)

# %% exercise="add_positions" edits="the last two axes named"
ONE_SENTENCE = (
    "A single sentence of shape (time, d) fails. Both shapes must work.",
    {"time, d =": "batch, time, d =", "[-2:]": ""},
)

# %% exercise="add_positions" edits="one line" wrong="ONE_SENTENCE"
{"[-2]": "[1]", "[-1]": "[2]"}
{"[-2]": "[1]"}

# %% exercise="add_positions" edits="the last two axes named"
AXIS_ADDED = (
    "A single sentence comes back as a batch of one. The result must have the shape of the "
    "embeddings.",
    {"embeddings +": "embeddings.reshape(-1, time, d) +"},
)


# %% exercise="add_positions" wrong="RUNNING"
RUNNING = (
    "The positions continue from one sentence to the next. Every sentence must begin at position 0."
)


def add_positions(embeddings, n=10000.0):
    words = embeddings.reshape(-1, embeddings.shape[-1])
    return (words + positional_encoding(*words.shape, n)).reshape(embeddings.shape)


# %% exercise="add_positions" wrong="ZEROS_SKIPPED"
ZEROS_SKIPPED = (
    "A word whose vector is zero gets no position, as if it were padding. Add the encoding to "
    "every word."
)


def add_positions(embeddings, n=10000.0):
    encoding = positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)
    return embeddings + encoding * np.any(embeddings != 0, axis=-1, keepdims=True)


# %% exercise="add_positions" edits="the last two axes named"
ONE_BATCH = "A batch of shape (batch, time, d) fails. Both shapes must work.", {"[-2:]": ""}

# %% exercise="add_positions" edits="one line" wrong="N_IGNORED"
{"[-1], n": "[-1]"}

# %% exercise="add_positions" edits="the last two axes named" wrong="FROM_ONE"
{"(time, d, n)": "(time + 1, d, n)[1:]"}


# %% exercise="add_positions" wrong="ONLY_ENCODING"
ONLY_ENCODING = "The encoding came back without the embeddings. The two must be added."


def add_positions(embeddings, n=10000.0):
    t, d = embeddings.shape[-2:]
    return np.broadcast_to(positional_encoding(t, d, n), embeddings.shape)


# %% exercise="add_positions" wrong="INDEX_ADDED"
INDEX_ADDED = (
    "The number of each position is added. Add its encoding, the row of the sinusoidal matrix."
)


def add_positions(embeddings, n=10000.0):
    t, d = embeddings.shape[-2:]
    return embeddings + np.arange(t)[:, None]


# %% exercise="add_positions" wrong="SQUEEZED"
SQUEEZED = "An axis of length 1 is lost. The result must have the shape of the embeddings."


def add_positions(embeddings, n=10000.0):
    t, d = embeddings.shape[-2:]
    return np.squeeze(embeddings + positional_encoding(t, d, n))


# %% exercise="add_positions" wrong="FIRST_AXES"
FIRST_AXES = (
    "The length and the width are read from the first two axes. They are the last two, "
    "embeddings.shape[-2:]."
)


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


# %% exercise="add_positions" edits="the last two axes named"
SIZES_EXCHANGED = (
    "The length and the width are exchanged. The positions belong to the second axis from the end, "
    "and the columns to the last one.",
    {"(time, d, n)": "(d, time, n)"},
    {"(time, d, n)": "(d, time, n).T"},
)


# %% exercise="add_positions" wrong="SWAPPED"
def add_positions(embeddings, n=10000.0):
    time, d = embeddings.shape[-2:]
    angles = np.arange(time)[:, None] / n ** (np.arange(d) // 2 * 2 / d)
    return embeddings + np.where(np.arange(d) % 2, np.sin(angles), np.cos(angles))


# %% exercise="add_positions" edits="sentence by sentence"
N_LOST_IN_A_BATCH = (
    "For a batch n is not passed on, so it is 10000 there.",
    {"add_positions(sentence, n)": "add_positions(sentence)"},
)


# %% exercise="add_positions" wrong="SUM_NOT_STORED"
SUM_NOT_STORED = (
    "In a batch the sums are assigned to the loop's variable and lost. The batch comes back as it "
    "was."
)


def add_positions(embeddings, n=10000.0):
    if np.ndim(embeddings) == 3:
        for sentence in embeddings:
            sentence = add_positions(sentence, n)
        return embeddings
    return embeddings + positional_encoding(len(embeddings), len(embeddings[0]), n)


# %% exercise="add_positions" edits="one line"
BATCH_COUNTED = (
    "When there are as many sentences as words, the positions count the "
    "sentences. They count the words of each.",
    {
        (
            "return embeddings + positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)"
        ): (
            "positions = positional_encoding(embeddings.shape[-2], "
            "embeddings.shape[-1], n)\n"
            "    if embeddings.ndim == 3 and len(embeddings) == len(positions):\n"
            "        return embeddings + positions[:, None]\n"
            "    return embeddings + positions"
        )
    },
)
CUT_OFF_ADD = (
    "Positions beyond a limit all get the same vector. There is no limit.",
    {
        (
            "return embeddings + positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)"
        ): (
            "time, d = embeddings.shape[-2:]\n"
            "    return embeddings + positional_encoding(time, d, "
            "n)[np.minimum(np.arange(time), 49)]"
        )
    },
    {
        (
            "return embeddings + positional_encoding(embeddings.shape[-2], embeddings.shape[-1], n)"
        ): (
            "time, d = embeddings.shape[-2:]\n"
            "    return embeddings + positional_encoding(time, d, "
            "n)[np.minimum(np.arange(time), 511)]"
        )
    },
)


# %% exercise="add_positions" wrong="CUT_TO_WHOLE_NUMBERS"
CUT_TO_WHOLE_NUMBERS = (
    "The sums are cut to whole numbers where the embeddings are whole. The result must have "
    "fractions."
)


def add_positions(embeddings, n=10000.0):
    result = np.empty_like(embeddings)
    result[...] = embeddings + positional_encoding(*embeddings.shape[-2:], n)
    return result


# %% exercise="add_positions" edits="one line"
ENCODING_DIVIDED = (
    "The encoding is divided by the square root of d. Add it as it is.",
    {"embeddings.shape[-1], n)": "embeddings.shape[-1], n) / embeddings.shape[-1] ** 0.5"},
)


# %% exercise="add_positions" edits="the last two axes named"
SHRUNK = (
    "The embeddings are divided by the square root of d. Here the encoding is only added.",
    {"embeddings +": "embeddings / np.sqrt(d) +"},
)


# %% exercise="position_similarity" right="one product"
def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return pe @ pe.T


# %% exercise="position_similarity" wrong="COLUMN_PRODUCTS"
COLUMN_PRODUCTS = (
    "These are the dot products of the columns. The rows are the positions, and they must be "
    "multiplied with each other."
)


def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return pe.T @ pe


# %% exercise="position_similarity" edits="one product" wrong="COSINE"
{"return pe @ pe.T": "pe = pe / np.linalg.norm(pe, axis=1, keepdims=True)\n    return pe @ pe.T"}

# %% exercise="position_similarity" edits="one product"
CENTRED = (
    "The columns are centred first. Return the plain dot products.",
    {"return pe @ pe.T": "pe = pe - pe.mean(axis=0)\n    return pe @ pe.T"},
)


# %% exercise="position_similarity" wrong="DISTANCES"
DISTANCES = "These are distances. Return the dot products."


def position_similarity(seq_len, d, n=10000.0):
    pe = positional_encoding(seq_len, d, n)
    return np.linalg.norm(pe[:, None] - pe[None], axis=2)


# %% exercise="position_similarity" edits="one product"
DIVIDED = (
    "The dot products are divided by the square root of d. Return the plain dot products.",
    {"pe.T": "pe.T / np.sqrt(d)"},
)
HALVED = (
    "The dot products are divided by d/2. Return the plain dot products.",
    {"pe.T": "pe.T / (d / 2)"},
)
ENTRY_BY_ENTRY = (
    "The rows are multiplied entry by entry. A dot product adds up the products of the entries.",
    {"@ pe.T": "* pe"},
)

# %% exercise="position_similarity" edits="one product" wrong="N_IGNORED"
{"(seq_len, d, n)": "(seq_len, d)"}


# %% exercise="position_similarity" wrong="PAIRS_ONLY"
PAIRS_ONLY = (
    "With an odd d the dot product does not depend on the offset alone. Take all d columns, "
    "including the last sine, and no others."
)


def position_similarity(seq_len, d, n=10000.0):
    p = np.arange(seq_len)
    offsets = (p[:, None] - p)[:, :, None]
    return np.cos(offsets / n ** (np.arange(0, d, 2) / d)).sum(axis=2)


# %% exercise="position_similarity" edits="one product" wrong="PAIRS_ONLY"
{"(seq_len, d, n)": "(seq_len, d, n)[:, : d - d % 2]"}
{"return pe @ pe.T": "p = np.arange(seq_len)\n    return (pe @ pe[0])[abs(p[:, None] - p)]"}


# %% exercise="position_similarity" wrong="COEFFICIENTS"
COEFFICIENTS = (
    "These are correlation coefficients, of centred and normalised rows. Return the plain dot "
    "products."
)


def position_similarity(seq_len, d, n=10000.0):
    return np.corrcoef(positional_encoding(seq_len, d, n))


# %% exercise="position_similarity" wrong="COVARIANCES"
COVARIANCES = "These are covariances, of centred rows. Return the plain dot products."


def position_similarity(seq_len, d, n=10000.0):
    return np.cov(positional_encoding(seq_len, d, n))


# %% exercise="position_similarity" edits="one product"
MEAN_PRODUCTS = "The dot products are divided by d. Return them as they are.", {"pe.T": "pe.T / d"}


# %% exercise="position_similarity" wrong="ONE_TRIANGLE"
ONE_TRIANGLE = "One triangle of the matrix is empty. Entry (p, q) is equal to entry (q, p)."


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


# %% exercise="position_similarity" edits="one product"
SOFTMAX = (
    "A softmax is applied to the dot products. Return the plain dot products.",
    {
        "return pe @ pe.T": "shares = np.exp(pe @ pe.T)\n"
        "    return shares / shares.sum(axis=1, keepdims=True)"
    },
)


# %% exercise="position_similarity" edits="cosines of the offsets, and the last sine of an odd d"
ALWAYS_ODD = (
    "The last pair is treated as a sine without a cosine. This is so for an odd d only.",
    {
        "np.arange(d // 2)": "np.arange((d - 1) // 2)",
        "    if d % 2:\n        last = np.sin(p / n ** ((d - 1) / d))\n        similarity": (
            "    last = np.sin(p / n ** (2 * ((d - 1) // 2) / d))\n    similarity"
        ),
    },
)


# %% exercise="position_similarity" edits="one product"
OFFSETS_BELOW_D = (
    "Positions that are d or more apart have a similarity of 0. There is one for every pair.",
    {"pe @ pe.T": "np.tril(np.triu(pe @ pe.T, 1 - d), d - 1)"},
)


# %% exercise="position_similarity" edits="one product"
NEAR_PAIRS_ALONE = (
    "Positions that are far apart have a similarity of 0. There is one for every pair.",
    {"pe @ pe.T": "np.tril(np.triu(pe @ pe.T, -10), 10)"},
    {"pe @ pe.T": "np.tril(np.triu(pe @ pe.T, -50), 50)"},
)
COLUMNS_COMPARED = (
    "When there are as many positions as columns, the columns are compared. Compare the rows.",
    {"return pe @ pe.T": "return pe.T @ pe if seq_len == d else pe @ pe.T"},
)
NOT_NEGATIVE = (
    "Negative similarities are set to 0, or their sign is lost. A similarity may be negative.",
    {"pe @ pe.T": "np.maximum(pe @ pe.T, 0)"},
    {"pe @ pe.T": "np.abs(pe @ pe.T)"},
)


# %% exercise="position_similarity" edits="one product"
DIAGONAL_TWICE = (
    "The diagonal is counted twice. It belongs to one of the two triangles only.",
    {"pe @ pe.T": "pe @ pe.T * (1 + np.eye(seq_len))"},
)


# %% exercise="position_similarity" edits="a loop over the pairs of positions"
NO_DIAGONAL = (
    "The diagonal is 0. Compare each position with itself, too: the dot product is then the "
    "squared length of its encoding.",
    {"for other in pe]": "* (one is not other) for other in pe]"},
)


# %% exercise="position_similarity" edits="one product" wrong="FROM_ONE"
{"positional_encoding(seq_len, d, n)": "positional_encoding(seq_len + 1, d, n)[1:]"}


# %% exercise="position_similarity" edits="one product"
ROWS_CENTRED = (
    "The mean of each row is subtracted first. Return the plain dot products.",
    {"return pe @ pe.T": "pe = pe - pe.mean(axis=1, keepdims=True)\n    return pe @ pe.T"},
)
SINES_ALONE = (
    "Only the sines are multiplied. The dot product runs over all columns, the cosines too.",
    {"pe @ pe.T": "pe[:, ::2] @ pe[:, ::2].T"},
)


# %% exercise="position_similarity" edits="cosines of the offsets, and the last sine of an odd d"
PAIRS_TWICE = (
    "The cosine of every pair is counted twice, once for each column. The products of its sines "
    "and of its cosines add up to that cosine once.",
    {"even = 2 * np.arange(d // 2)": "even = np.repeat(2 * np.arange(d // 2), 2)"},
    {
        "even = 2 * np.arange(d // 2)": "even = np.arange(d) // 2 * 2",
        "if d % 2:": "if d < 0:",
    },
)


# %% exercise="recover_position" right="the smallest squared distance"
def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return int(np.argmin(np.sum((pe - vector) ** 2, axis=1)))


# %% exercise="recover_position" edits="the smallest squared distance"
FIRST_PAIR = (
    "Only the first two columns are compared. They repeat after about 6 positions, so the others "
    "are needed too.",
    {"** 2": "[:, :2] ** 2"},
)
FIRST_PAIRS = (
    "Only the first four columns are compared. They repeat, so the others are needed too.",
    {"** 2": "[:, :4] ** 2"},
)
NO_LAST_SINE = (
    "With an odd d the last column, which is a sine, is left out of the distance.",
    {"return": "pairs = len(vector) // 2\n    return", "** 2": "[:, : 2 * pairs] ** 2"},
)
SINES_ALONE = (
    "Only the sines are compared. Two angles may have the same sine, so the cosines are needed "
    "too.",
    {"** 2": "[:, 0::2] ** 2"},
)


# %% exercise="recover_position" wrong="LARGEST_PRODUCT"
LARGEST_PRODUCT = (
    "The row with the largest dot product is taken. With an odd d the rows differ in length, so "
    "this is not always the closest row."
)


def recover_position(vector, max_len, n=10000.0):
    return int(np.argmax(positional_encoding(max_len, len(vector), n) @ vector))


# %% exercise="recover_position" edits="the smallest squared distance"
OVER_POSITIONS = (
    "The squares are added over the positions. Add them over the columns, which gives one "
    "distance for each position.",
    {"axis=1": "axis=0"},
)
SINGLE_ENTRY = (
    "The squares of a row are not added, so the smallest single entry is found, and its number "
    "in the flattened matrix comes back.",
    {"(np.argmin(np.sum((pe - vector) ** 2, axis=1)))": "(np.argmin((pe - vector) ** 2))"},
)
BEYOND = (
    "Positions from max_len on are considered too. The position is below max_len.",
    {", len(vector)": "+ 200, len(vector)"},
)


# %% exercise="recover_position" wrong="FIRST_ANGLE"
FIRST_ANGLE = (
    "The position is read from the angle of the first pair. This angle starts again after a full "
    "turn, at position 6.28."
)


def recover_position(vector, max_len, n=10000.0):
    return round(np.arctan2(vector[0], vector[1]) % (2 * np.pi)) % max_len


# %% exercise="recover_position" wrong="SLOWEST_ANGLE"
SLOWEST_ANGLE = (
    "The position is read from the angle of the slowest pair alone. A little noise moves this "
    "angle by several positions, so the other columns are needed too."
)


def recover_position(vector, max_len, n=10000.0):
    d = len(vector)
    last = 2 * (d // 2 - 1)
    angle = np.arctan2(vector[last], vector[last + 1]) % (2 * np.pi)
    return min(round(angle * n ** (last / d)), max_len - 1)


# %% exercise="recover_position" edits="the smallest squared distance"
LAST_LEFT_OUT = (
    "The last position, max_len - 1, is never considered. It is a possible answer too.",
    {"(max_len, len(vector), n)": "(max_len, len(vector), n)[:-1]"},
)

# %% exercise="recover_position" edits="the smallest squared distance"
FIRST_LEFT_OUT = (
    "Position 0 is never considered. It is a possible answer too.",
    {"(pe - vector)": "(pe[1:] - vector)", "1)))": "1))) + 1"},
)

# %% exercise="recover_position" edits="the smallest squared distance" wrong="FROM_ONE"
{"1)))": "1))) + 1"}

# %% exercise="recover_position" edits="the smallest squared distance" wrong="N_IGNORED"
{"len(vector), n": "len(vector)"}

# %% exercise="recover_position" edits="the smallest squared distance"
NO_SQUARES = (
    "The differences are added with their signs, so they cancel. Add their squares.",
    {
        "(np.argmin(np.sum((pe - vector) ** 2, axis=1)))": (
            "(np.argmin(np.abs(np.sum(pe - vector, axis=1))))"
        )
    },
)


# %% exercise="recover_position" wrong="A_ROW"
A_ROW = "A row of the encoding came back. Return the number of its position."


def recover_position(vector, max_len, n=10000.0):
    pe = positional_encoding(max_len, len(vector), n)
    return pe[np.argmin(np.sum((pe - vector) ** 2, axis=1))]


# %% exercise="recover_position" edits="the smallest squared distance"
EXACT = (
    "Only a row that equals the vector is found. The vector is noisy, so take the closest row.",
    {
        "np.argmin(np.sum((pe - vector) ** 2, axis=1))": (
            "np.flatnonzero(np.isclose(pe, vector).all(axis=1))[0]"
        )
    },
)


# %% exercise="recover_position" wrong="FARTHEST"
FARTHEST = "The row with the largest distance is taken. Take the one with the smallest."


def recover_position(vector, max_len, n=10000.0):
    return int(
        np.argmax(np.linalg.norm(positional_encoding(max_len, len(vector), n) - vector, axis=1))
    )


# %% exercise="recover_position" wrong="SIGNED_DIFFERENCES"
SIGNED_DIFFERENCES = (
    "The differences are added with their signs, and the smallest sum is taken. Add the squares "
    "of the differences, which gives a distance."
)


def recover_position(vector, max_len, n=10000.0):
    return int(np.argmin((positional_encoding(max_len, len(vector), n) - vector).sum(axis=1)))


# %% exercise="recover_position" wrong="DISTANCE"
DISTANCE = "The smallest distance came back. Return the position that has it."


def recover_position(vector, max_len, n=10000.0):
    return np.min(np.linalg.norm(positional_encoding(max_len, len(vector), n) - vector, axis=1))


# %% exercise="recover_position" wrong="NEAR_ENOUGH"
NEAR_ENOUGH = "The first row that is near enough is taken. Compare all rows, and take the closest."


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


# %% exercise="recover_position" edits="the smallest squared distance" wrong="EXACT"
{"np.argmin(np.sum((pe - vector) ** 2, axis=1))": "np.argmax((pe == vector).all(axis=1))"}


# %% exercise="recover_position" edits="the smallest squared distance"
LARGEST_DIFFERENCE = (
    "The largest difference of a single entry decides. The distance is that of "
    "all entries together.",
    {
        "np.argmin(np.sum((pe - vector) ** 2, axis=1))": (
            "np.argmin(np.max(np.abs(pe - vector), axis=1))"
        ),
    },
)
SIX_COLUMNS = (
    "Only the first columns are compared. All of them count.",
    {
        "np.argmin(np.sum((pe - vector) ** 2, axis=1))": (
            "np.argmin(np.sum((pe - vector)[:, :6] ** 2, axis=1))"
        ),
    },
)
LAST_NEAR_ENOUGH = (
    "The last position that is near enough is returned. The nearest one is asked for.",
    {
        "np.argmin(np.sum((pe - vector) ** 2, axis=1))": (
            "np.flatnonzero(np.sum((pe - vector) ** 2, axis=1) < 0.2**2)[-1]"
        ),
    },
)
ONE_TOO_MANY_RECOVER = (
    "The position max_len is searched as well. The last one is max_len - 1.",
    {"positional_encoding(max_len,": "positional_encoding(max_len + 1,"},
)
ROUNDED = (
    "The numbers are rounded before they are compared.",
    {
        "np.argmin(np.sum((pe - vector) ** 2, axis=1))": (
            "np.argmin(np.sum((np.round(pe, 1) - np.round(vector, 1)) ** 2, axis=1))"
        ),
    },
)


# %% exercise="recover_position" edits="the smallest squared distance"
ARRAY_OF_ONE_POSITION = (
    "An array with one position comes back. Return the position itself, a whole number.",
    {
        "int(np.argmin(np.sum((pe - vector) ** 2, axis=1)))": (
            "np.argmin(np.sum((pe - vector) ** 2, axis=1))[None]"
        )
    },
)


# %% exercise="recover_position" edits="the smallest squared distance"
NEAREST_SINGLE_ENTRY = (
    "The row with the single nearest entry is taken. Compare whole rows: sum over the columns.",
    {
        "int(np.argmin(np.sum((pe - vector) ** 2, axis=1)))": (
            "int(np.argmin(np.abs(pe - vector))) // len(vector)"
        )
    },
)


# %% exercise="recover_position" edits="the smallest squared distance"
ABSOLUTE_DIFFERENCES = (
    "The absolute differences are added. The Euclidean distance is the root of the sum of the "
    "squared differences.",
    {"(pe - vector) ** 2": "np.abs(pe - vector)"},
)
UNIT_VECTOR = (
    "The vector is scaled to length 1, but the rows of the encoding are longer. Compare the vector "
    "as it is.",
    {"(pe - vector)": "(pe - vector / np.linalg.norm(vector))"},
)
FOUR_COLUMNS = (
    "The encoding is always computed with d = 4. Its width must be that of the vector.",
    {"len(vector), n)": "4, n)", "pe - vector": "pe - vector[:4]"},
)
CORRELATION = (
    "The row with the largest correlation coefficient is taken. Take the one with the smallest "
    "distance.",
    {
        "np.argmin(np.sum((pe - vector) ** 2, axis=1))": (
            "np.argmax([np.corrcoef(row, vector)[0, 1] for row in pe])"
        )
    },
)
SIGN_OF_DOT = (
    "The dot products are compared by their absolute values, so a row that points the opposite way "
    "may win. Take the row with the smallest distance.",
    {
        "np.argmin(np.sum((pe - vector) ** 2, axis=1))": "np.argmax(np.abs(pe @ vector))",
    },
)
COSINES_ALONE = (
    "Only the cosines are compared. Two angles may have the same cosine, so the sines are needed "
    "too.",
    {"(pe - vector)": "(pe - vector)[:, 1::2]"},
)


# %% exercise="recover_position" wrong="FIRST_VALLEY"
FIRST_VALLEY = (
    "The search ends where the distance begins to grow. It falls and grows many times, so all rows "
    "must be compared."
)


def recover_position(vector, max_len, n=10000.0):
    distances = np.linalg.norm(positional_encoding(max_len, len(vector), n) - vector, axis=1)
    p = 0
    while p + 1 < max_len and distances[p + 1] < distances[p]:
        p += 1
    return p


# %% exercise="recover_position" wrong="FIRST_WITHIN_TOLERANCE"
FIRST_WITHIN_TOLERANCE = (
    "The first position within some tolerance is returned. A vector may lie farther from every "
    "row, so return the position of the nearest one."
)


def recover_position(vector, max_len, n=10000.0):
    rows = positional_encoding(max_len, len(vector), n)
    near = np.all(np.abs(rows - vector) < 0.1, axis=1)
    return int(np.argmax(near))


# %% exercise="shift_matrix" right="block by block"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        c, s = np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" edits="block by block"
INVERSE = (
    "M is transposed, so it shifts by -k. For row vectors, the column of a sine holds cos on the "
    "diagonal and sin below it.",
    {"[c, -s], [s, c]": "[c, s], [-s, c]"},
)


# %% exercise="shift_matrix" wrong="BLOCKS_APART"
BLOCKS_APART = (
    "This matrix belongs to an encoding with all sines before all cosines. Here they alternate, "
    "so the 2×2 blocks stand on the diagonal."
)


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    angles = k / n ** (np.arange(0, d, 2) / d)
    c, s = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return np.block([[c, -s], [s, c]])


# %% exercise="shift_matrix" wrong="ONE_ANGLE"
ONE_ANGLE = "All pairs are turned by the same angle. Pair i must be turned by k / n**(2i/d)."


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    c, s = np.cos(k), np.sin(k)
    return np.kron(np.eye(d // 2), [[c, -s], [s, c]])


# %% exercise="shift_matrix" wrong="FITTED"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    pe = positional_encoding(1000 + abs(k), d, n)
    start = np.arange(1000) + max(-k, 0)
    return np.linalg.lstsq(pe[start], pe[start + k], rcond=None)[0]


# %% exercise="shift_matrix" wrong="ODD_ACCEPTED"
ODD_ACCEPTED = "An odd d must raise ValueError, because a sine without a cosine cannot be rotated."


def shift_matrix(k, d, n=10000.0):
    matrix = np.eye(d)
    for j in range(0, d - 1, 2):
        c, s = np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" edits="block by block"
TWO_SINES = (
    "Both sines of a block have the same sign. One must be negative, or the block is not a "
    "rotation.",
    {"c, -s": "c, s"},
)
SIGN_IGNORED = (
    "The sign of k is ignored. A negative k must turn the other way.",
    {
        "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
            "np.cos(abs(k) / n ** (j / d)), np.sin(abs(k) / n ** (j / d))"
        )
    },
)
ONE_STEP = (
    "M shifts by one position only. Pair i must be turned by k / n**(2i/d).",
    {
        "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
            "np.cos(1 / n ** (j / d)), np.sin(1 / n ** (j / d))"
        )
    },
)


# %% exercise="shift_matrix" wrong="HALF_EXPONENT"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    matrix = np.zeros((d, d))
    for i in range(d // 2):
        c, s = np.cos(k / n ** (i / d)), np.sin(k / n ** (i / d))
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" edits="block by block" wrong="DOUBLE_EXPONENT"
{
    "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
        "np.cos(k / n ** (2 * j / d)), np.sin(k / n ** (2 * j / d))"
    )
}


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


# %% exercise="shift_matrix" edits="block by block"
K_MULTIPLIED = (
    "k is multiplied by n**(2i/d). It must be divided by that number.",
    {
        "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
            "np.cos(k * n ** (j / d)), np.sin(k * n ** (j / d))"
        )
    },
)

# %% exercise="shift_matrix" edits="block by block" wrong="N_IGNORED"
{
    "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
        "np.cos(k / 10000 ** (j / d)), np.sin(k / 10000 ** (j / d))"
    )
}


# %% exercise="shift_matrix" wrong="PERMUTATION"
PERMUTATION = (
    "This matrix shifts the columns or rows of an array. M must turn the pairs of columns."
)


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    return np.roll(np.eye(d), k, axis=1)


# %% exercise="shift_matrix" wrong="SIN_ON_DIAGONAL"
SIN_ON_DIAGONAL = (
    "Sines and cosines have changed places. The cosines stand on the diagonal, so that a shift by "
    "0 changes nothing."
)


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("odd")
    M = np.zeros((d, d))
    for i in range(0, d, 2):
        w = k * n ** (-i / d)
        M[i : i + 2, i : i + 2] = [[np.sin(w), -np.cos(w)], [np.cos(w), np.sin(w)]]
    return M


# %% exercise="shift_matrix" wrong="FULL_TURNS"
FULL_TURNS = "The angles have a factor 2π. Pair i must be turned by k / n**(2i/d)."


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("odd")
    M = np.zeros((d, d))
    for i in range(0, d, 2):
        w = 2 * np.pi * k * n ** (-i / d)
        M[i : i + 2, i : i + 2] = [[np.cos(w), -np.sin(w)], [np.sin(w), np.cos(w)]]
    return M


# %% exercise="shift_matrix" wrong="LAST_PAIR"
LAST_PAIR = "The block of the last pair is missing. There are d/2 blocks."


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("odd")
    M = np.zeros((d, d))
    for i in range(0, d - 2, 2):
        w = k * n ** (-i / d)
        M[i : i + 2, i : i + 2] = [[np.cos(w), -np.sin(w)], [np.sin(w), np.cos(w)]]
    return M


# %% exercise="shift_matrix" wrong="FIRST_PAIR_ONLY"
FIRST_PAIR_ONLY = "Only the first pair is turned. Every pair must be turned by its own angle."


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


# %% exercise="shift_matrix" wrong="PERMUTATION"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    return np.eye(d, k=k)


# %% exercise="shift_matrix" edits="block by block" wrong="DEGREES"
{
    "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
        "np.cos(np.deg2rad(k) / n ** (j / d)), np.sin(np.deg2rad(k) / n ** (j / d))"
    )
}


# %% exercise="shift_matrix" edits="block by block"
WHOLE_NUMBERS = (
    "The matrix is an array of integers, which cuts off the decimals of the sines and cosines. "
    "Make it an array of floating-point numbers.",
    {"np.zeros((d, d))": "np.zeros((d, d), dtype=int)"},
)


# %% exercise="shift_matrix" edits="block by block"
K_MODULO_D = (
    "k is taken modulo d. A shift may be longer than a row.",
    {
        "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
            "np.cos(k % d / n ** (j / d)), np.sin(k % d / n ** (j / d))"
        ),
    },
)
ZERO_IS_ONE = (
    "A shift by 0 is taken for one by 1. It must give the identity.",
    {"    matrix = np.zeros((d, d))\n": "    k = k or 1\n    matrix = np.zeros((d, d))\n"},
)
K_LIMITED = (
    "A long shift is cut off at a limit. There is no limit.",
    {
        "    matrix = np.zeros((d, d))\n": (
            "    k = np.clip(k, -100, 100)\n    matrix = np.zeros((d, d))\n"
        ),
    },
    {
        "    matrix = np.zeros((d, d))\n": (
            "    k = (k + 128) % 256 - 128\n    matrix = np.zeros((d, d))\n"
        ),
    },
)
TWO_PAIRS = (
    "Only the first two pairs are turned. Every pair has its block.",
    {"range(0, d, 2)": "range(0, min(d, 4), 2)"},
)


# %% exercise="shift_matrix" edits="block by block"
WITHOUT_TWO_PI = (
    "The angle is k / wavelength. A wavelength is a whole turn, so the angle is 2 pi k / "
    "wavelength.",
    {"np.cos(k /": "np.cos(k / 2 / np.pi /", "np.sin(k /": "np.sin(k / 2 / np.pi /"},
)


# %% exercise="shift_matrix" edits="block by block"
ALL_BLOCKS = (
    "The rotations also stand outside the diagonal blocks. Each pair of columns is turned by "
    "itself, so everything outside the diagonal blocks must be 0.",
    {
        "matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]": (
            "matrix[0::2, j], matrix[0::2, j + 1] = c, -s\n"
            "        matrix[1::2, j], matrix[1::2, j + 1] = s, c"
        )
    },
)


# %% exercise="shift_matrix" wrong="ONLY_FORWARD"
ONLY_FORWARD = (
    "When k is 0 or negative, the slices to which the matrix is fitted are empty or do not belong "
    "together. Build it from the cosines and sines of the angles, which are right for every k."
)


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    pe = positional_encoding(200, d, n)
    return np.linalg.lstsq(pe[:-k], pe[k:], rcond=None)[0]


# %% exercise="shift_matrix" edits="block by block"
REFLECTED = (
    "The blocks are reflections. In a rotation both cosines have the same sign, the sines differ.",
    {"[[c, -s], [s, c]]": "[[c, s], [s, -c]]"},
)


# %% exercise="shift_matrix" wrong="ONLY_FORWARD"
def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    encoding = positional_encoding(1000 + k, d, n)
    return np.linalg.lstsq(encoding[:-k], encoding[k:], rcond=None)[0]


# %% exercise="shift_matrix" edits="block by block"
PAIRS_FROM_ONE = (
    "The pairs are counted from 1. The first pair is i = 0, and it is turned by k itself.",
    {
        "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
            "np.cos(k / n ** ((j + 2) / d)), np.sin(k / n ** ((j + 2) / d))"
        )
    },
)
OVERLAPPING = (
    "Each block begins one row below the one before, so they overwrite each other. A block has two "
    "rows and two columns, so the block of pair i begins at 2i.",
    {"matrix[j : j + 2, j : j + 2]": "matrix[j // 2 : j // 2 + 2, j // 2 : j // 2 + 2]"},
)
ENTRIES_TO_THE_POWER = (
    "The entries of the matrix of one step are raised to the power k. Turn by the angle k times as "
    "large, or multiply the matrices.",
    {
        "np.cos(k / n ** (j / d)), np.sin(k / n ** (j / d))": (
            "np.cos(1 / n ** (j / d)), np.sin(1 / n ** (j / d))"
        ),
        "return matrix": "return matrix**k",
    },
)


# %% exercise="shift_matrix" wrong="NOT_BACKWARD"
NOT_BACKWARD = (
    "A negative k raises an error. k may be any whole number: the angle k / n**(2i/d) and its sine "
    "and cosine exist for a negative k too."
)


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    row = positional_encoding(k + 1, d, n)[k]
    matrix = np.zeros((d, d))
    for j in range(0, d, 2):
        s, c = row[j], row[j + 1]
        matrix[j : j + 2, j : j + 2] = [[c, -s], [s, c]]
    return matrix


# %% exercise="shift_matrix" wrong="FITTED_FOR_POSITIVE_SHIFTS"
FITTED_FOR_POSITIVE_SHIFTS = (
    "The matrix is right for positive k only. For a negative k it must rotate the other way, "
    "and for k = 0 it must be the identity. The formula of the lesson holds for every k."
)


def shift_matrix(k, d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    pe = positional_encoding(200 + k, d, n)
    return np.linalg.lstsq(pe[:-k], pe[k:], rcond=None)[0]


# %% exercise="judge_encoding" right="full matrices"
def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return np.abs(pe).max(), distances.min(), max(spreads)


# %% exercise="judge_encoding" right="pairs by their indices"
def judge_encoding(pe):
    i, j = np.triu_indices(len(pe), 1)
    S = pe @ pe.T
    return (
        np.abs(pe).max(),
        np.linalg.norm(pe[i] - pe[j], axis=1).min(),
        max(np.ptp(np.diag(S, k)) for k in range(len(pe))),
    )


# %% exercise="judge_encoding" edits="full matrices"
ITSELF = (
    "The distance of a position to itself is counted, and that is 0. Compare different positions "
    "only.",
    {" + np.diag([np.inf] * len(pe))": ""},
)
ZEROS_LEFT_OUT = (
    "Every distance of 0 is left out. Two different positions that share an encoding have the "
    "distance 0, and it counts.",
    {" + np.diag([np.inf] * len(pe))": "", ".min": "[distances > 0].min"},
)
FILLED = (
    "The diagonal of the distances is filled with a number that other distances may exceed. Fill "
    "it with np.inf.",
    {"+ np.diag([np.inf] * len(pe))": "\n    np.fill_diagonal(distances, 1000)"},
)
NEIGHBOURS = (
    "Only neighbouring positions are compared. The two closest encodings may belong to positions "
    "that are far apart.",
    {
        "(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))": (
            "(np.diff(pe, axis=0), axis=1)"
        )
    },
)
SIGNED = (
    "The largest entry is taken with its sign. Take the largest absolute value.",
    {"np.abs(pe)": "pe"},
)
SQUARED = (
    "The distance is squared. Take the square root.",
    {
        "np.linalg.norm(pe[:, None] - pe[None], axis=2)": (
            "np.sum((pe[:, None] - pe[None]) ** 2, axis=2)"
        )
    },
)
ABSOLUTE_SUM = (
    "Absolute differences are added. The Euclidean distance is the square root of the sum of the "
    "squared differences.",
    {
        "np.linalg.norm(pe[:, None] - pe[None], axis=2)": (
            "np.abs(pe[:, None] - pe[None]).sum(axis=2)"
        )
    },
)


# %% exercise="judge_encoding" wrong="FIRST_OFFSET"
FIRST_OFFSET = "Only offset 1 is considered. Take the largest difference over all offsets."


def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    spread = np.ptp(np.diagonal(pe @ pe.T, 1))
    return np.abs(pe).max(), distances.min(), spread


# %% exercise="judge_encoding" edits="full matrices"
SMALL_OFFSETS = (
    "Large offsets are left out. Take the largest difference over all offsets.",
    {"(len(pe))": "(min(3, len(pe)))"},
)
NO_OFFSET_0 = (
    "Offset 0 is left out. The dot products of the rows with themselves count too.",
    {"(len(pe))": "(1, len(pe))"},
)
DEVIATION = (
    "This is a standard deviation. Subtract the smallest dot product from the largest.",
    {"ptp": "std"},
)


# %% exercise="judge_encoding" wrong="ALL_PAIRS"
ALL_PAIRS = (
    "The smallest and the largest are taken over all pairs together. Compare only dot products of "
    "the same offset."
)


def judge_encoding(pe):
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))
    return np.abs(pe).max(), distances.min(), np.ptp(pe @ pe.T)


# %% exercise="judge_encoding" edits="full matrices" wrong="COSINE"
{
    "products = pe @ pe.T": (
        "directions = pe / np.linalg.norm(pe, axis=1, keepdims=True)\n"
        "    products = directions @ directions.T"
    )
}

# %% exercise="judge_encoding" edits="pairs by their indices"
SPREADS_ADDED = (
    "The differences of all offsets are added. Take the largest of them.",
    {",\n        max": ", sum"},
)
SPREADS_AVERAGED = (
    "The differences of all offsets are averaged. Take the largest of them.",
    {
        "max(np.ptp(np.diag(S, k)) for k in range(len(pe)))": (
            "np.mean([np.ptp(np.diag(S, k)) for k in range(len(pe))])"
        )
    },
)
SPREADS_LISTED = (
    "There is one difference for every offset. Return only the largest of them.",
    {
        "max(np.ptp(np.diag(S, k)) for k in range(len(pe)))": (
            "[np.ptp(np.diag(S, k)) for k in range(len(pe))]"
        )
    },
)
LONGEST_ROW = (
    "The first number is the norm of the longest row. Take the largest absolute value of a "
    "single entry.",
    {"np.abs(pe)": "np.linalg.norm(pe, axis=1)"},
)
OTHER_ORDER = (
    "The numbers are in the wrong order. It must be largest, closest, offset_spread.",
    {"np.abs(pe).max(),": "", "min": "min(), np.abs(pe).max"},
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


# %% exercise="judge_encoding" edits="pairs by their indices"
LARGEST_DISTANCE = (
    "The second number is the largest distance. It must be the smallest.",
    {"axis=1).min()": "axis=1).max()"},
)


# %% exercise="judge_encoding" edits="full matrices"
OFFSET_0_ALONE = (
    "Only offset 0 is considered. Take the largest difference over all offsets.",
    {"for k in range(len(pe))": "for k in [0]"},
)


# %% exercise="judge_encoding" edits="full matrices"
COLUMNS = (
    "These are dot products of columns. The rows are the positions: use pe @ pe.T.",
    {"pe @ pe.T": "pe.T @ pe"},
    {"pe @ pe.T": "pe.T @ pe", "range(len(pe))": "range(pe.shape[1])"},
)


# %% exercise="judge_encoding" edits="full matrices"
A_DICT = (
    "The numbers come back in a dict. Return a tuple: largest, closest, offset_spread.",
    {
        "return np.abs(pe).max(), distances.min(), max(spreads)": (
            "numbers = np.abs(pe).max(), distances.min(), max(spreads)\n"
            '    return dict(zip(["largest", "closest", "offset_spread"], numbers, strict=True))'
        )
    },
)


# %% exercise="judge_encoding" edits="pairs by their indices"
FROM_POSITION_ZERO = (
    "The dot products are compared with the one at position 0 alone. The spread is the largest of "
    "an offset minus the smallest.",
    {"np.ptp(np.diag(S, k))": "np.abs(np.diag(S, k) - S[0, k]).max()"},
)


# %% exercise="judge_encoding" edits="pairs by their indices"
SOME_OFFSETS = (
    "Only some offsets are considered. The largest spread may belong to any of them.",
    {"for k in range(len(pe))": "for k in range(len(pe) // 2 + 1)"},
    {"for k in range(len(pe))": "for k in range(min(10, len(pe)))"},
)
WHOLE_NUMBERS_JUDGE = (
    "The results have the dtype of pe, so whole numbers there cut off their fractions.",
    {
        "np.linalg.norm(pe[i] - pe[j], axis=1).min()": (
            "np.linalg.norm(pe[i] - pe[j], axis=1).min().astype(pe.dtype)"
        ),
    },
)
MEAN_DISTANCE = (
    "The mean distance to the nearest row is returned. The smallest distance of all is asked for.",
    {
        "np.linalg.norm(pe[i] - pe[j], axis=1).min()": (
            "np.mean([min(np.linalg.norm(a - b) for q, b in enumerate(pe) if q != p) "
            "for p, a in enumerate(pe)])"
        )
    },
)


# %% exercise="judge_encoding" edits="loops over pairs"
ROLLED = (
    "The last positions are multiplied with the first ones, as if the sequence were a ring. At the "
    "offset k there are len(pe) - k pairs.",
    {"pe[p + k]": "pe[(p + k) % len(pe)]", "range(len(pe) - k)": "range(len(pe))"},
)

# %% exercise="judge_encoding" edits="full matrices"
BETWEEN_COLUMNS = (
    "The distances are those between columns. A position is a row.",
    {
        "pe[:, None] - pe[None], axis=2) + np.diag([np.inf] * len(pe))": (
            "pe.T[:, None] - pe.T[None], axis=2) + np.diag([np.inf] * pe.shape[1])"
        )
    },
)

# %% exercise="judge_encoding" edits="full matrices"
OWN_DISTANCE_1 = (
    "The distance of a row from itself counts as 1, which may be the smallest. Leave it out.",
    {"np.inf": "1.0"},
)


# %% exercise="judge_encoding" edits="full matrices"
OF_DISTANCES = (
    "The spread is that of the distances. It must be that of the dot products.",
    {"products = pe @ pe.T": ("products = np.linalg.norm(pe[:, None] - pe[None], axis=2)")},
)
LAST_OFFSET = (
    "Each offset overwrites the one before, so only the last one counts. Keep the largest "
    "difference.",
    {"max(spreads)": "spreads[-1]"},
)
LARGEST_PRODUCT = (
    "The third number is the largest dot product. For each offset, subtract the smallest from the "
    "largest.",
    {"np.ptp(np.diagonal(products, k))": "np.max(np.diagonal(products, k))"},
)
WHOLE_RANGE = (
    "The first number is the largest entry minus the smallest. Take the largest absolute value.",
    {"np.abs(pe).max()": "np.ptp(pe)"},
)
FIRST_ROW = (
    "Only the first position is compared with the others. Compare all positions with each other.",
    {"distances.min()": "distances[0].min()"},
)
ENDS = (
    "The first and the last dot product of each offset are compared. The smallest and the largest "
    "may stand anywhere between them.",
    {
        "np.ptp(np.diagonal(products, k))": (
            "abs(np.diagonal(products, k)[-1] - np.diagonal(products, k)[0])"
        )
    },
)
PRODUCTS_WITHOUT_SIGN = (
    "The dot products are compared by their absolute values. Their signs count.",
    {"pe @ pe.T": "np.abs(pe @ pe.T)"},
)


# %% exercise="judge_encoding" edits="full matrices"
OF_ROWS = (
    "The differences are taken within the rows of the matrix of dot products. A row holds all "
    "offsets of one position; the pairs of one offset stand on a diagonal.",
    {"np.ptp(np.diagonal(products, k))": "np.ptp(products[k])"},
)


# %% exercise="judge_encoding" wrong="OTHER_DIAGONALS"
OTHER_DIAGONALS = (
    "The dot products are taken along the other diagonals. Those of one offset lie on the "
    "diagonals that run down to the right."
)


def judge_encoding(pe):
    dist = np.linalg.norm(pe[:, None] - pe[None], axis=-1)
    np.fill_diagonal(dist, np.inf)
    s = np.fliplr(pe @ pe.T)
    return np.abs(pe).max(), dist.min(), max(np.ptp(np.diagonal(s, k)) for k in range(len(pe)))
