"""The bank of chapter 12: wrong answers, each with the name of its mistake, and right ones."""

# %%
import math

import keras
import numpy as np
from keras import ops

# %%
NOT_SCALED = "The scores are not divided by √d, where d is the width of a head."
SCALED_BY_D = "The scores are divided by d. They must be divided by its square root."
OVERFLOW = (
    "The exponential overflows. Subtract the largest score of each row before taking exponentials."
)
NOT_REFUSED = "An argument that the exercise excludes is accepted. It must raise a ValueError."
SCALED_BY_KEYS = (
    "The scores are divided by the square root of the number of keys. Divide them by that of d."
)
NOT_NORMALISED = "The weights are not divided by their sum. They must sum to 1 for each query."
MASK_ADDED = (
    "The mask is added to the scores as 0 and 1, so hidden keys keep some weight. Give them a "
    "score so low that their exponential is 0."
)
SIN_COS_SWAPPED = (
    "Sine and cosine are exchanged, so even position 0 is turned. The first number of a pair "
    "becomes a cos θ − b sin θ."
)
HEADS_IN_TURN = (
    "The key heads are read in turn, as h mod groups. Neighbouring query heads share one key head: "
    "query head h reads key head h // (heads / groups)."
)


# %% exercise="rotate" right="two slices"
def rotate(x, positions=None, n=10000.0):
    time, d = x.shape[-2:]
    if d % 2:
        raise ValueError("x needs an even number of columns")
    if positions is None:
        positions = np.arange(time)
    theta = np.outer(positions, n ** (-2 * np.arange(d // 2) / d))
    cos, sin = np.cos(theta), np.sin(theta)
    a, b = x[..., ::2], x[..., 1::2]
    turned = np.zeros(x.shape)
    turned[..., ::2] = a * cos - b * sin
    turned[..., 1::2] = a * sin + b * cos
    return turned


# %% exercise="rotate" edits="two slices" wrong="NOT_REFUSED"
{'raise ValueError("x needs an even number of columns")': "x, d = x[..., :-1], d - 1"}


# %% exercise="rotate" edits="two slices" wrong="SIN_COS_SWAPPED"
{"cos, sin = np.cos": "sin, cos = np.cos"}


# %% exercise="rotate" edits="two slices"
OTHER_DIRECTION = (
    "The pairs are turned the other way. The first number of a pair becomes a cos θ − b sin θ.",
    {"a * cos - b * sin": "a * cos + b * sin", "a * sin + b * cos": "b * cos - a * sin"},
)
HALVES_PAIRED = (
    "Column i is paired with column i + d/2. Here a pair consists of the neighbouring columns 2i "
    "and 2i + 1.",
    {
        "x[..., ::2], x[..., 1::2]": "x[..., : d // 2], x[..., d // 2 :]",
        "turned[..., ::2] =": "turned[..., : d // 2] =",
        "turned[..., 1::2] =": "turned[..., d // 2 :] =",
    },
)
HALVES_RETURNED = (
    "The result holds all first numbers of the pairs and then all second ones. Each column must "
    "keep its place.",
    {
        "turned[..., ::2] =": "turned[..., : d // 2] =",
        "turned[..., 1::2] =": "turned[..., d // 2 :] =",
    },
)
HALF_EXPONENT = (
    "The exponent is −i/d. With pairs counted i = 0, 1, 2, …, it must be −2i/d.",
    {"-2 * np.arange": "-np.arange"},
)
DOUBLE_EXPONENT = (
    "The exponent is −4i/d. With pairs counted i = 0, 1, 2, …, it must be −2i/d.",
    {"-2 * np.arange": "-4 * np.arange"},
)
FASTER_PAIRS = (
    "The exponent lacks its minus sign, so later pairs turn faster. They must turn more slowly.",
    {"-2 * np.arange": "2 * np.arange"},
)
TIME_FROM_FIRST_AXIS = (
    "The number of positions is taken from the first axis. Time is the last axis but one.",
    {"time, d = x.shape[-2:]": "time, d = x.shape[0], x.shape[-1]"},
)
FROM_ONE = (
    "Without positions the rows are counted from 1. They are counted from 0.",
    {"np.arange(time)": "np.arange(1, time + 1)"},
)
POSITIONS_IGNORED = (
    "The given positions are ignored. Turn row t by the angle of positions[t].",
    {"if positions is None:": "if True:"},
)
POSITIONS_CUT = (
    "The positions are cut to whole numbers. They may be any real numbers.",
    {"np.outer(positions,": "np.outer(np.asarray(positions).astype(int),"},
)
N_IGNORED = (
    "n is fixed at 10000. The argument n must be used.",
    {"n ** (": "10000.0 ** ("},
)
INTEGERS_CUT = (
    "The result has the type of x, so rotated integers lose their decimals.",
    {"np.zeros(x.shape)": "np.zeros_like(x)"},
)
IN_DEGREES = (
    "The angles are taken as degrees. They are in radians, as np.cos and np.sin expect them.",
    {"np.outer(positions,": "np.pi / 180 * np.outer(positions,"},
)
EXPONENT_TO_THE_END = (
    "The exponent is −i/(d/2 − 1), which reaches −1 at the last pair. It must be −2i/d.",
    {"(-2 * np.arange(d // 2) / d)": "(-np.arange(d // 2) / max(d // 2 - 1, 1))"},
)
SAME_ANGLE = (
    "All pairs are turned by the same angle. Pair i turns by the position times n^(−2i/d).",
    {"n ** (-2 * np.arange(d // 2) / d)": "np.ones(d // 2)"},
)
OVERWRITTEN = (
    "The second number of a pair is computed from the first one after it has been turned. Both "
    "must be computed from the old pair.",
    {"= a * sin + b * cos": "= turned[..., ::2] * sin + b * cos"},
)

# %% exercise="rotate" edits="two slices" wrong="INPUT_CHANGED"
{"np.zeros(x.shape)": "x", "x[..., ::2], x[..., 1::2]": "x[..., ::2].copy(), x[..., 1::2].copy()"}


# %% exercise="rotate" right="complex numbers"
def rotate(x, positions=None, n=10000.0):
    x = np.asarray(x, dtype=float)
    d = x.shape[-1]
    if d % 2 == 1:
        raise ValueError(f"d must be even, got {d}")
    positions = np.arange(x.shape[-2]) if positions is None else positions
    theta = np.array([[p * n ** (-2 * i / d) for i in range(d // 2)] for p in positions])
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * theta)
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


# %% exercise="rotate" right="float32 and a matrix for every position"
def rotate(x, positions=None, n=10000.0):
    x = np.array(x, dtype="float32")
    *_, time, d = x.shape
    if d % 2:
        raise ValueError("an odd d has a column without a partner")
    result = np.empty_like(x)
    for t in range(time):
        p = t if positions is None else float(positions[t])
        matrix = np.zeros((d, d), "float32")
        for i in range(0, d, 2):
            c, s = math.cos(p * n ** (-i / d)), math.sin(p * n ** (-i / d))
            matrix[i : i + 2, i : i + 2] = [[c, s], [-s, c]]
        result[..., t, :] = x[..., t, :] @ matrix
    return result


# %% exercise="rotate" edits="two slices"
NO_ROTATION = (
    "Both sines are added, so the pairs are not turned. The first number of a pair becomes "
    "a cos θ − b sin θ.",
    {"a * cos - b * sin": "a * cos + b * sin"},
)
BOTH_SUBTRACTED = (
    "Both sines are subtracted, so the pairs are not turned. The second number of a pair becomes "
    "a sin θ + b cos θ.",
    {"a * sin + b * cos": "b * cos - a * sin"},
    {"a * sin + b * cos": "a * sin - b * cos"},
)
OTHER_BASE = (
    "n has another default. It must be 10000.",
    {"n=10000.0": "n=1000.0"},
    {"n=10000.0": "n=100.0"},
)
INPUT_ADDED = (
    "The turned vectors are added to x. Rotary positions replace x.",
    {"return turned": "return x + turned"},
)


# %% exercise="rotate" edits="two slices"
ALONG_FIRST_AXIS = (
    "The angles grow along the first axis. Time is the last axis but one.",
    {
        "time, d = x.shape[-2:]": "time, d = x.shape[0], x.shape[-1]",
        "    cos, sin": (
            "    theta = theta.reshape(len(theta), *[1] * (x.ndim - 2), d // 2)\n    cos, sin"
        ),
    },
)
ENCODING_ADDED = (
    "The sines and cosines are added to x, as sinusoidal positions are. Rotary positions turn the "
    "pairs and add nothing.",
    {"a * cos - b * sin": "a + sin", "a * sin + b * cos": "b + cos"},
)


# %% exercise="rotate" edits="two slices"
ONE_POSITION = (
    "A single token is returned as it is. Its position may be any.",
    {
        "    if positions is None:\n": (
            "    if time == 1:\n        return np.array(x)\n    if positions is None:\n"
        ),
    },
)
N_LOST = (
    "n is ignored when positions are given.",
    {
        "    if positions is None:\n        positions = np.arange(time)\n": (
            "    if positions is None:\n"
            "        positions = np.arange(time)\n"
            "    else:\n"
            "        n = 10000.0\n"
        )
    },
)
POSITIONS_LIMITED = (
    "Positions beyond a limit are all turned alike. There is no limit.",
    {"    theta = np.outer(positions,": "    theta = np.outer(np.minimum(positions, 511),"},
)
SIGN_LOST = (
    "A negative position is turned as the positive one is. It must be turned the other way.",
    {"    theta = np.outer(positions,": "    theta = np.outer(np.abs(positions),"},
)
COUNTED_AS_WELL = (
    "0, 1, 2 … are added to the given positions. They are used as they are.",
    {
        "    theta = np.outer(positions,": (
            "    positions = np.arange(time) + (positions if np.any(positions != "
            "np.arange(time)) else 0)\n"
            "    theta = np.outer(positions,"
        )
    },
)
FROM_THE_FIRST = (
    "The positions are measured from the first one. They are used as they are.",
    {"    theta = np.outer(positions,": "    theta = np.outer(positions - positions[0],"},
)
ZEROS_ARE_NONE = (
    "Positions that are all 0 are taken for missing ones. Ask whether positions is None.",
    {"if positions is None:": "if positions is None or not np.any(positions):"},
)
HEADS_TURNED = (
    "With four axes the heads are counted and not the tokens. The positions "
    "belong to the last axis but one.",
    {
        "a, b = x[..., ::2], x[..., 1::2]": (
            "a, b = x[..., ::2], x[..., 1::2]\n"
            "    if x.ndim == 4 and x.shape[1] == time:\n"
            "        cos, sin = cos[:, None], sin[:, None]"
        )
    },
)


# %% exercise="rotate" edits="two slices" wrong="POSITIONS_CUT"
{
    "theta = np.outer(positions,": "positions = np.asarray(positions).astype(int)\n"
    "    theta = np.outer(np.arange(np.abs(positions).max() + 1),",
    "np.arange(d // 2) / d))": "np.arange(d // 2) / d))[positions]",
}


# %% exercise="rotate" edits="two slices"
FIRST_POSITION_COUNTED_ON = (
    "Only the first of the positions is used, and counted on from there. Turn row t by the angle "
    "of positions[t].",
    {"    theta =": "    positions = positions[0] + np.arange(time)\n    theta ="},
)


# %% exercise="rotate" edits="two slices"
PAIRS_FROM_ONE = (
    "The pairs are counted from 1, so even the first one turns too slowly. They are counted from "
    "0.",
    {"np.arange(d // 2)": "np.arange(1, d // 2 + 1)"},
)
SLOWEST_FIRST = (
    "The angles are given to the pairs in reverse order, the slowest to the first pair. The first "
    "pair turns fastest.",
    {"-2 * np.arange(d // 2)": "-2 * np.arange(d // 2)[::-1]"},
)
TIME_ASKED = (
    "The number of time steps must be even here, or x is refused. It is the number of columns, d, "
    "that must be.",
    {"if d % 2:": "if time % 2:"},
)
TIME_FROM_SECOND_AXIS = (
    "The number of positions is taken from the second axis. Time is the last axis but one, "
    "whatever number of axes stands in front.",
    {"time, d = x.shape[-2:]": "time, d = x.shape[1], x.shape[-1]"},
)


# %% exercise="alibi_slopes" right="a loop over the heads"
def alibi_slopes(num_heads):
    if num_heads < 1 or math.log2(num_heads) % 1:
        raise ValueError("num_heads must be a power of two")
    return np.array([2 ** (-8 * h / num_heads) for h in range(1, num_heads + 1)])


def alibi_bias(num_heads, length):
    slopes = alibi_slopes(num_heads)
    i, j = np.arange(length)[:, None], np.arange(length)
    return np.where(j <= i, -slopes[:, None, None] * (i - j), 0)


# %% exercise="alibi_slopes" edits="a loop over the heads" wrong="NOT_REFUSED"
{"num_heads < 1 or math.log2(num_heads) % 1": "num_heads < 1"}
{"= alibi_slopes(num_heads)": "= 2.0 ** (-8 * np.arange(1, num_heads + 1) / num_heads)"}


# %% exercise="alibi_slopes" edits="a loop over the heads" wrong="ONE_HEAD_REFUSED"
{"num_heads < 1 or math": "num_heads < 2 or math"}


# %% exercise="alibi_slopes" edits="a loop over the heads"
ZERO_ACCEPTED = (
    "No head at all is accepted. num_heads = 0 must raise a ValueError.",
    {"num_heads < 1 or math.log2(num_heads) % 1": "num_heads and math.log2(num_heads) % 1"},
)
HEADS_FROM_ZERO = (
    "The heads are counted from 0, so the first slope is 1. They are counted from 1.",
    {"range(1, num_heads + 1)": "range(num_heads)"},
)
FIXED_FOR_EIGHT = (
    "The slopes 1/2, 1/4, 1/8, … fit eight heads only. Divide the exponent by num_heads.",
    {"2 ** (-8 * h / num_heads)": "2.0 ** -h"},
)
SLOPES_REVERSED = (
    "The slopes are in reverse order. The first head has the steepest one.",
    {"range(1, num_heads + 1)": "range(num_heads, 0, -1)"},
)
SIGN_OF_SLOPE = (
    "The slopes are negative. They are positive, and the bias subtracts them.",
    {"[2 ** (": "[-2 ** ("},
)
REWARDS_DISTANCE = (
    "The bias grows with the distance. It must be negative, so that far keys get less weight.",
    {"-slopes[:, None, None]": "slopes[:, None, None]"},
)
SLOPES_UNUSED = (
    "The distances are not multiplied by the slopes, so all heads have the same bias.",
    {"-slopes[:, None, None]": "-np.sign(slopes)[:, None, None]"},
)
FUTURE_NOT_ZERO = (
    "The entries above the diagonal are not 0.",
    {"np.where(j <= i, -slopes[:, None, None] * (i - j), 0)": "-slopes[:, None, None] * (i - j)"},
    {
        "np.where(j <= i, -slopes[:, None, None] * (i - j), 0)": (
            "-slopes[:, None, None] * np.abs(i - j)"
        )
    },
)
FUTURE_MASKED = (
    "The entries above the diagonal hold a mask. They must be 0, because the causal mask is "
    "applied separately.",
    {"* (i - j), 0)": "* (i - j), -np.inf)"},
    {"* (i - j), 0)": "* (i - j), -1e9)"},
)
KEYS_AND_QUERIES_SWAPPED = (
    "Queries and keys are swapped. Row i of a head belongs to query i.",
    {
        "np.where(j <= i, -slopes[:, None, None] * (i - j), 0)": (
            "np.where(j >= i, -slopes[:, None, None] * (j - i), 0)"
        )
    },
)
HEADS_LAST = (
    "The heads are the last axis. The result must be (num_heads, length, length).",
    {
        "np.where(j <= i, -slopes[:, None, None] * (i - j), 0)": (
            "np.where((j <= i)[..., None], -slopes * (i - j)[..., None], 0)"
        )
    },
)


# %% exercise="alibi_slopes" right="a geometric progression and a triangle"
def alibi_slopes(num_heads):
    if num_heads not in (2**power for power in range(20)):
        raise ValueError(f"{num_heads} is not a power of two")
    first = 2.0 ** (-8 / num_heads)
    return first ** np.arange(1, num_heads + 1)


def alibi_bias(num_heads, length):
    distance = np.tril(np.subtract.outer(np.arange(length), np.arange(length)))
    return np.einsum("h,ij->hij", -alibi_slopes(num_heads), distance)


# %% exercise="alibi_slopes" edits="a loop over the heads"
DIVIDED_BY_HEAD = (
    "The exponent is −8/h. It must be −8h/num_heads.",
    {"-8 * h / num_heads": "-8 / h"},
)
EXPONENT_POSITIVE = (
    "The exponent lacks its minus sign. The slopes are 2 ** (-8 * h / num_heads), below 1.",
    {"2 ** (-8": "2.0 ** (8"},
)
BASE_E = (
    "The slopes are powers of e. They are powers of 2.",
    {"2 ** (-8 * h / num_heads)": "math.exp(-8 * h / num_heads)"},
)
LOGARITHMIC = (
    "The bias grows with the logarithm of the distance. It grows with the distance itself.",
    {"(i - j)": "np.log1p(np.maximum(i - j, 0))"},
)
DISTANCE_SQUARED = (
    "The bias grows with the square of the distance. It grows with the distance itself.",
    {"(i - j)": "(i - j) ** 2"},
)
DISTANCE_FROM_ONE = (
    "The distance of a position from itself is counted as 1. It is 0.",
    {"(i - j)": "(i - j + 1)"},
    {
        "j <= i, -slopes[:, None, None] * (i - j), 0": ""
        "j <= i + 1, -slopes[:, None, None] * (i - j + 1), 0"
    },
)
ONE_SLOPE = (
    "All heads have the first slope. Every head has a slope of its own.",
    {"slopes = alibi_slopes(num_heads)": "slopes = np.full(num_heads, alibi_slopes(num_heads)[0])"},
)
NO_AXIS_OF_HEADS = (
    "The bias has no axis for the heads. Its shape must be (num_heads, length, length).",
    {"-slopes[:, None, None]": "-slopes[0]"},
)


# %% exercise="alibi_slopes" edits="a loop over the heads"
WHOLE_NUMBERS = (
    "8 // num_heads drops the fraction, so with more than 8 heads all slopes are 1. Divide by /.",
    {"-8 * h / num_heads": "-(8 // num_heads) * h"},
)


# %% exercise="alibi_slopes" edits="a loop over the heads"
BIAS_LIMITED = (
    "The bias, or the distance, is cut off at a limit. It grows with the "
    "distance, however large that is.",
    {
        "return np.where(j <= i, -slopes[:, None, None] * (i - j), 0)": (
            "return np.maximum(np.where(j <= i, -slopes[:, None, None] * (i - j), 0), -10)"
        )
    },
    {
        "return np.where(j <= i, -slopes[:, None, None] * (i - j), 0)": (
            "return np.where(j <= i, -slopes[:, None, None] * np.minimum(i - j, 64), 0)"
        ),
    },
)
ONE_SQUEEZED = (
    "A single head or position loses its axis.",
    {
        "return np.where(j <= i, -slopes[:, None, None] * (i - j), 0)": (
            "return np.squeeze(np.where(j <= i, -slopes[:, None, None] * (i - j), 0))"
        ),
    },
)


# %% exercise="alibi_slopes" edits="a geometric progression and a triangle"
FOUR_NUMBERS_ALONE = (
    "Only 1, 2, 4 and 8 heads are accepted. Every power of two must be.",
    {"range(20)": "range(4)"},
)


# %% exercise="alibi_slopes" edits="a geometric progression and a triangle" wrong="ONE_SLOPE"
{"first ** np.arange(1, num_heads + 1)": "np.full(num_heads, first)"}


# %% exercise="alibi_slopes" edits="a loop over the heads"
LOGARITHM_OF_0 = (
    "The logarithm of 0 is no number, and turning it into a whole one raises another error. Ask "
    "first whether num_heads is below 1.",
    {
        "num_heads < 1 or math.log2(num_heads) % 1": "2 ** int(np.log2(num_heads)) != num_heads",
    },
)


# %% exercise="alibi_slopes" edits="a loop over the heads"
LOGARITHM_ROUNDED = (
    "The logarithm is rounded before it is compared, so a number next to a large power of two, "
    "such as 31, is not refused.",
    {"math.log2(num_heads) % 1:": "round(math.log2(num_heads), 1) % 1:"},
)


# %% exercise="alibi_slopes" edits="a loop over the heads"
NOT_DIVIDED_BY_HEADS = (
    "The exponent is not divided by the number of heads. It must be −8h/num_heads.",
    {"-8 * h / num_heads": "-8.0 * h"},
)
EQUALLY_SPACED = (
    "The slopes are equally spaced. Each is a power of two, with equally spaced exponents.",
    {
        "[2 ** (-8 * h / num_heads) for h in range(1, num_heads + 1)]": (
            "np.linspace(2 ** (-8 / num_heads), 2**-8, num_heads)"
        )
    },
)
POSITION_OF_KEY = (
    "The bias of a row depends on the position of the key, not on its distance from the query. It "
    "is −slope times i − j.",
    {"* (i - j)": "* (-j - 0 * i)"},
    {"* (i - j)": "* (length - 1 - j + 0 * i)"},
)
ONE_STEP_FOR_ALL = (
    "All earlier keys get the same bias. It must grow with the distance.",
    {"* (i - j)": "* (i > j)"},
)


# %% exercise="grouped_query_attention" right="a loop over the heads"
def grouped_query_attention(q, k, v, mask=None):
    batch, heads, time_q, d = q.shape
    groups = k.shape[1]
    if heads % groups:
        raise ValueError("heads must be a multiple of groups")
    if mask is None:
        mask = np.ones((1, 1), dtype=bool)
    mask = np.broadcast_to(mask, (batch, heads, time_q, k.shape[2]))
    out = np.zeros(q.shape[:3] + v.shape[3:])
    for h in range(heads):
        g = h // (heads // groups)
        scores = q[:, h] @ np.swapaxes(k[:, g], 1, 2) / np.sqrt(d)
        scores = np.where(mask[:, h], scores, -1e30)
        e = np.exp(scores - scores.max(axis=2, keepdims=True)) * mask[:, h]
        total = e.sum(axis=2, keepdims=True)
        out[:, h] = e / np.where(total == 0, 1, total) @ v[:, g]
    return out


# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="NOT_REFUSED"
{
    'raise ValueError("heads must be a multiple of groups")': "pass",
    "g = h // (heads // groups)": "g = h * groups // heads",
}


# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="HEADS_IN_TURN"
{"g = h // (heads // groups)": "g = h % groups"}


# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="NOT_SCALED"
{" / np.sqrt(d)": ""}


# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="SCALED_BY_D"
{"np.sqrt(d)": "d"}


# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="MASK_ADDED"
{"np.where(mask[:, h], scores, -1e30)": "scores + mask[:, h]", " * mask[:, h]": ""}


# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="OVERFLOW"
{"scores - scores.max(axis=2, keepdims=True)": "scores"}


# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="NOT_NORMALISED"
{"e / np.where(total == 0, 1, total) @": "e @"}


# %% exercise="grouped_query_attention" edits="a loop over the heads"
SCALED_BY_MODEL = (
    "The scores are divided by the square root of the width of all heads together. Divide them by "
    "that of one head.",
    {"np.sqrt(d)": "np.sqrt(d * heads)"},
)
ONE_KEY_HEAD = (
    "All query heads read key head 0. Only heads // groups neighbouring query heads share one.",
    {"g = h // (heads // groups)": "g = 0"},
)
GROUP_SIZE_IS_GROUPS = (
    "The query heads are divided by the number of groups. Divide them by heads // groups, the "
    "number of query heads in one group.",
    {"g = h // (heads // groups)": "g = min(h // groups, groups - 1)"},
)
VALUES_OF_ONE_HEAD = (
    "The values come from key head 0 for all query heads. They belong to the head of the keys.",
    {"v[:, g]": "v[:, 0]"},
)
VALUES_IN_TURN = (
    "The value heads are read in turn, as h mod groups, but not the key heads. Query head h reads "
    "the keys and the values of head h // (heads / groups).",
    {"v[:, g]": "v[:, h % groups]"},
)
KEYS_IN_TURN = (
    "The key heads are read in turn, as h mod groups, but not the value heads. Query head h reads "
    "the keys and the values of head h // (heads / groups).",
    {"k[:, g]": "k[:, h % groups]"},
)
MASK_IGNORED = (
    "The mask is ignored. Keys where it is False must get no weight.",
    {"if mask is None:": "if True:"},
)
MASK_INVERTED = (
    "The mask is inverted. True marks a key that may be attended to.",
    {"np.broadcast_to(mask,": "np.broadcast_to(~mask,"},
    {"mask[:, h], scores, -1e30": "mask[:, h], -1e30, scores", " * mask[:, h]": ""},
)
MASK_OF_FIRST_HEAD = (
    "The mask of the first head is used for all heads.",
    {"np.where(mask[:, h]": "np.where(mask[:, 0]", "* mask[:, h]": "* mask[:, 0]"},
)
MASKED_ROW_NOT_ZERO = (
    "A query that may attend to no key does not get zeros.",
    {" * mask[:, h]": ""},
)
SCORE_ZERO = (
    "Hidden keys get the score 0, which is a score like any other. Give them a score so low that "
    "their exponential is 0.",
    {"scores, -1e30)": "scores, 0)", " * mask[:, h]": ""},
)
MAXIMUM_OF_HIDDEN = (
    "The largest score is taken over hidden keys as well, so the exponentials of the visible keys "
    "can underflow. Hide the keys before you take the maximum.",
    {"scores = np.where(mask[:, h], scores, -1e30)": "pass"},
)
OVER_QUERIES = (
    "The softmax runs over the queries. The weights of one query must sum to 1 over the keys.",
    {
        "scores.max(axis=2, keepdims=True)": "scores.max(axis=1, keepdims=True)",
        "e.sum(axis=2, keepdims=True)": "e.sum(axis=1, keepdims=True)",
    },
)
MASKED_AFTER = (
    "The mask is applied after the softmax, so the visible weights no longer sum to 1.",
    {
        "scores = np.where(mask[:, h], scores, -1e30)": "pass",
        ") * mask[:, h]": ")",
        "out[:, h] = e / np.where(total == 0, 1, total) @": "out[:, h] = e / total * mask[:, h] @",
    },
)


# %% exercise="grouped_query_attention" right="an axis for the groups"
def grouped_query_attention(q, k, v, mask=None):
    batch, heads, time_q, d = q.shape
    groups, time_k = k.shape[1:3]
    shared, rest = divmod(heads, groups)
    if rest:
        raise ValueError(f"{groups} key heads cannot serve {heads} query heads")
    grouped = q.reshape(batch, groups, shared, time_q, d)
    scores = np.einsum("bgsqd,bgkd->bgsqk", grouped, k).reshape(batch, heads, time_q, time_k)
    scores = scores / d**0.5
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    largest = np.nan_to_num(scores.max(axis=-1, keepdims=True), neginf=0.0)
    e = np.exp(scores - largest)
    weights = e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300)
    weights = weights.reshape(batch, groups, shared, time_q, time_k)
    return np.einsum("bgsqk,bgkd->bgsqd", weights, v).reshape(batch, heads, time_q, v.shape[-1])


# %% exercise="grouped_query_attention" right="Keras operations in float32"
def grouped_query_attention(q, k, v, mask=None):
    heads, groups = q.shape[1], k.shape[1]
    if heads % groups != 0:
        raise ValueError("groups must divide heads")
    q, k, v = (ops.convert_to_tensor(a, "float32") for a in (q, k, v))
    k, v = (ops.repeat(a, heads // groups, axis=1) for a in (k, v))
    scores = ops.matmul(q, ops.swapaxes(k, 2, 3)) / math.sqrt(q.shape[3])
    if mask is None:
        return ops.convert_to_numpy(ops.matmul(ops.softmax(scores), v))
    weights = ops.softmax(ops.where(mask, scores, -1e9))
    return ops.convert_to_numpy(ops.matmul(ops.where(mask, weights, 0.0), v))


# %% exercise="grouped_query_attention" edits="Keras operations in float32"
MASK_GETS_AXES = (
    "Every mask gets two more axes in front. One with four axes has them already, and broadcasting "
    "adds those of a mask with two.",
    {"weights = ops.softmax(": "mask = mask[None, None]\n    weights = ops.softmax("},
)

# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="MASK_GETS_AXES"
{
    "if mask is None:": "deep = np.ndim(mask) == 4\n    if mask is None:",
    "return out": "return out[None, None] if deep else out",
}


# %% exercise="grouped_query_attention" edits="a loop over the heads"
CAUSAL_WITHOUT_MASK = (
    "Later keys are hidden although the mask does not hide them. Only the argument mask says which "
    "keys a query may attend to.",
    {
        "np.where(mask[:, h], scores, -1e30)": ""
        "np.where(mask[:, h] & np.tri(*scores.shape[1:], dtype=bool), scores, -1e30)",
        "* mask[:, h]\n": "* (mask[:, h] & np.tri(*scores.shape[1:], dtype=bool))\n",
    },
)
HIDDEN_ROW_NAN = (
    "A query that may attend to no key gives nan, because its softmax is 0/0. It must give zeros.",
    {"np.where(total == 0, 1, total)": "total"},
)
QUERIES_AVERAGED = (
    "The query heads of a group are averaged. They share keys and values, but each has its own "
    "queries.",
    {
        "q[:, h] @": "q[:, g * (heads // groups) : (g + 1) * (heads // groups)].mean(axis=1) @",
    },
)
WEIGHTS_RETURNED = (
    "The weights are returned, too. The function must return the output alone.",
    {"return out": "return out, e"},
)


# %% exercise="grouped_query_attention" edits="an axis for the groups"
MASK_AXES = (
    "The scores have an axis more than the mask, so the mask's batch axis meets the groups. Give "
    "the mask that axis, too, or join groups and heads again before it is applied.",
    {
        ".reshape(batch, heads, time_q, time_k)": "",
        "    weights = weights.reshape(batch, groups, shared, time_q, time_k)\n": "",
    },
)


# %% exercise="grouped_query_attention" wrong="NOT_REPEATED"
NOT_REPEATED = (
    "The heads of q and of k are multiplied as they are, which works for one group alone. Repeat "
    "each head of k and v, or give the groups an axis of their own."
)


def grouped_query_attention(q, k, v, mask=None):
    if q.shape[1] % k.shape[1]:
        raise ValueError("the heads of k must divide those of q")
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e30)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * (scores > -1e30)
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300) @ v


# %% exercise="grouped_query_attention" edits="a loop over the heads"
FIRST_EXAMPLE = (
    "All examples read the keys, or the mask, of the first one. Each has its own.",
    {"np.swapaxes(k[:, g], 1, 2)": "k[0, g].T"},
    {
        "np.where(mask[:, h], scores": "np.where(mask[:1, h], scores",
        "* mask[:, h]": "* mask[:1, h]",
    },
)
MASK_OF_GROUP = (
    "The query heads of a group share the mask of one of them. Each head has its own.",
    {"np.where(mask[:, h], scores": "np.where(mask[:, g], scores", "* mask[:, h]": "* mask[:, g]"},
)
KEYS_LIMITED = (
    "Only the first keys are read. There is no limit.",
    {
        "    if heads % groups:": (
            "    k, v = k[:, :, :64], v[:, :, :64]\n"
            "    mask = None if mask is None else mask[..., :64]\n"
            "    if heads % groups:"
        )
    },
)
SCALED_BY_GROUP = (
    "The scores are divided by a number other than the square root of d.",
    {"/ np.sqrt(d)": "/ np.sqrt(d / (heads / groups))"},
)
HIDDEN_IS_NONE = (
    "A mask without any True is ignored. Ask whether mask is None.",
    {"if mask is None:": "if mask is None or not np.any(mask):"},
)


# %% exercise="grouped_query_attention" edits="a loop over the heads"
KEYS_AVERAGED = (
    "The key heads are averaged. Query head h reads one of them, h // (heads / groups).",
    {"np.swapaxes(k[:, g], 1, 2)": "np.swapaxes(k.mean(axis=1), 1, 2)"},
    {
        "np.swapaxes(k[:, g], 1, 2)": "np.swapaxes(k.mean(axis=1), 1, 2)",
        "@ v[:, g]": "@ v.mean(axis=1)",
    },
)
FILL_TOO_LARGE = (
    "A hidden score is replaced by a number that visible ones may fall below. Use -np.inf.",
    {"-1e30": "-1e4"},
    {"-1e30": "-1e4", " * mask[:, h]": " * mask[:, h].any(axis=2, keepdims=True)"},
)
TWO_AXES_PADDING = (
    "A mask of two axes is read as (batch, time_k). It is (time_q, time_k).",
    {
        "    mask = np.broadcast_to": (
            "    if mask.shape == (len(q), k.shape[2]):\n"
            "        mask = mask[:, None, None]\n"
            "    mask = np.broadcast_to"
        )
    },
)
HEADS_MERGED = (
    "The heads are put side by side. They keep an axis of their own: (batch, heads, time_q, d).",
    {"    return out": "    return np.swapaxes(out, 1, 2).reshape(batch, time_q, -1)"},
)

# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="SCALED_BY_KEYS"
{"np.sqrt(d)": "np.sqrt(k.shape[2])"}


# %% exercise="grouped_query_attention" edits="an axis for the groups"
OVER_HEADS = (
    "The softmax runs over the heads. The weights of one query must sum to 1 over the keys.",
    {
        "scores.max(axis=-1, keepdims=True)": "scores.max(axis=1, keepdims=True)",
        "e.sum(axis=-1, keepdims=True)": "e.sum(axis=1, keepdims=True)",
    },
)
ONE_MAXIMUM_FOR_ALL = (
    "One maximum is subtracted from all scores, so those of another query can underflow. Each row "
    "has its own maximum.",
    {"scores.max(axis=-1, keepdims=True)": "scores.max()"},
)


# %% exercise="grouped_query_attention" edits="a loop over the heads"
REFUSED_THE_WRONG_WAY = (
    "Numbers of heads that fit are refused: the two numbers are exchanged in the remainder. heads "
    "must be a multiple of groups.",
    {"if heads % groups:": "if groups % heads:"},
)

# %% exercise="grouped_query_attention" wrong="REPEATED_IN_BATCH"
REPEATED_IN_BATCH = (
    "The examples of the batch are repeated. Repeat the heads of k and v, which are axis 1."
)


def grouped_query_attention(q, k, v, mask=None):
    heads, groups = q.shape[1], k.shape[1]
    if heads % groups:
        raise ValueError("groups")
    k = np.repeat(k, heads // groups, axis=0)
    v = np.repeat(v, heads // groups, axis=0)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    visible = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * visible
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300) @ v


# %% exercise="grouped_query_attention" edits="a loop over the heads"
MASK_OF_PADDING_ALONE = (
    "Every mask is treated as one of shape (batch, time_k). One of two axes is (time_q, time_k), "
    "and broadcasting adds the axes in front.",
    {
        "    mask = np.broadcast_to(mask, (batch, heads, time_q, k.shape[2]))": (
            "    if mask.shape != (1, 1):\n"
            "        mask = mask[:, None, None]\n"
            "    mask = np.broadcast_to(mask, (batch, heads, time_q, k.shape[2]))"
        )
    },
)


# %% exercise="grouped_query_attention" edits="a loop over the heads" wrong="FILL_TOO_LARGE"
{"-1e30": "-9e4", " * mask[:, h]": " * mask[:, h].any(axis=2, keepdims=True)"}


# %% exercise="cached_step" right="products and sums"
def cached_step(q, k, v, cache=None):
    if cache is None:
        cache = np.zeros((len(k), 0, k.shape[1])), np.zeros((len(v), 0, v.shape[1]))
    keys = np.concatenate([cache[0], k[:, None]], axis=1)
    values = np.concatenate([cache[1], v[:, None]], axis=1)
    scores = np.sum(q[:, None] * keys, axis=2) / np.sqrt(q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return np.sum(weights[:, :, None] * values, axis=1), (keys, values)


def cache_bytes(num_layers, num_kv_heads, head_dim, length, batch=1, bytes_per_number=2):
    numbers = num_layers * num_kv_heads * head_dim * length * batch
    return 2 * numbers * bytes_per_number


# %% exercise="cached_step" edits="products and sums"
THREE_VALUES = (
    "The output and the two longer arrays come back as three values. Return the output and a pair, "
    "(output, (keys, values)).",
    {", (keys, values)": ", keys, values"},
)

# %% exercise="cached_step" edits="products and sums"
CACHE_REQUIRED = (
    "The function does not work without a cache. The first step has none, so None is its default.",
    {"cache=None": "cache"},
)

# %% exercise="cached_step" edits="products and sums" wrong="NOT_SCALED"
{" / np.sqrt(q.shape[1])": ""}


# %% exercise="cached_step" edits="products and sums" wrong="SCALED_BY_D"
{"np.sqrt(q.shape[1])": "q.shape[1]"}


# %% exercise="cached_step" edits="products and sums" wrong="SCALED_BY_KEYS"
{"np.sqrt(q.shape[1])": "np.sqrt(keys.shape[1])"}


# %% exercise="cached_step" edits="products and sums" wrong="OVERFLOW"
{"scores - scores.max(axis=1, keepdims=True)": "scores"}


# %% exercise="cached_step" edits="products and sums" wrong="NOT_NORMALISED"
{"e / e.sum(axis=1, keepdims=True)": "e"}


# %% exercise="cached_step" edits="products and sums"
NEW_TOKEN_FIRST = (
    "The new token is put first into the cache. It must come last.",
    {
        "[cache[0], k[:, None]]": "[k[:, None], cache[0]]",
        "[cache[1], v[:, None]]": "[v[:, None], cache[1]]",
    },
)
CACHE_FORGOTTEN = (
    "Only the newest token before is kept. The cache must hold all tokens so far.",
    {
        "[cache[0], k[:, None]]": "[cache[0][:, -1:], k[:, None]]",
        "[cache[1], v[:, None]]": "[cache[1][:, -1:], v[:, None]]",
    },
)
OLD_CACHE_RETURNED = (
    "The cache comes back as it was given. The new token must be in it.",
    {"axis=1), (keys, values)": "axis=1), cache"},
    {
        "if cache is None:": "given = cache\n    if cache is None:",
        "axis=1), (keys, values)": "axis=1), given",
    },
)
CACHE_SWAPPED = (
    "The cache comes back as (values, keys). The keys come first.",
    {"(keys, values)": "(values, keys)"},
)
QUERY_CACHED = (
    "The query is stored as a key. The cache holds keys and values only.",
    {"[cache[0], k[:, None]]": "[cache[0], q[:, None]]"},
)
LAST_OVERWRITTEN = (
    "The new token takes the place of the last one in the cache. Put it behind that one.",
    {
        "[cache[0], k[:, None]]": "[cache[0][:, :-1], k[:, None]]",
        "[cache[1], v[:, None]]": "[cache[1][:, :-1], v[:, None]]",
    },
)
NEW_TOKEN_NOT_SEEN = (
    "The new token does not attend to itself. The sum includes its own key and value.",
    {
        "scores = np.sum(q[:, None] * keys, axis=2) / np.sqrt(q.shape[1])": (
            "seen = slice(None, max(keys.shape[1] - 1, 1))\n"
            "    scores = np.sum(q[:, None] * keys[:, seen], axis=2) / np.sqrt(q.shape[1])"
        ),
        "* values, axis=1)": "* values[:, seen], axis=1)",
    },
)
OVER_BATCH = (
    "The softmax runs over the batch axis. The weights of one example must sum to 1 over time.",
    {"e.sum(axis=1, keepdims=True)": "e.sum(axis=0, keepdims=True)"},
)
APPENDED_TO_BATCH = (
    "The new token is appended along the batch axis. Time is the second axis.",
    {
        "[cache[0], k[:, None]], axis=1)": (
            "[cache[0], k[:, None]], axis=int(cache[0].size == 0))"
        ),
        "[cache[1], v[:, None]], axis=1)": (
            "[cache[1], v[:, None]], axis=int(cache[1].size == 0))"
        ),
    },
)
MAXIMUM_OF_BATCH = (
    "One maximum is subtracted from the scores of all examples, so those of another example can "
    "underflow. Each row has its own maximum.",
    {"scores.max(axis=1, keepdims=True)": "scores.max()"},
)
ONLY_KEYS_COUNTED = (
    "Only the keys are counted. The cache holds keys and values.",
    {"2 * numbers": "numbers"},
)
BATCH_NOT_COUNTED = (
    "The batch is not counted. Every example has keys and values of its own.",
    {"length * batch": "length"},
)
BYTES_FIXED = (
    "The bytes of a number are fixed at 2. Use bytes_per_number.",
    {"* bytes_per_number": "* 2"},
)
NUMBERS_NOT_BYTES = (
    "These are numbers, not bytes. Multiply by bytes_per_number.",
    {" * bytes_per_number": ""},
)
KILOBYTES = (
    "The result is in kilobytes. Return bytes.",
    {"* bytes_per_number": "* bytes_per_number / 1024"},
    {"* bytes_per_number": "* bytes_per_number / 1000"},
    {"* bytes_per_number": "* bytes_per_number // 1024"},
)
QUERIES_COUNTED = (
    "Queries are counted, too. Only keys and values are kept.",
    {"2 * numbers": "3 * numbers"},
)

# %% exercise="cached_step" wrong="LISTS_CHANGED"
LISTS_CHANGED = (
    "The given cache was changed in place, or lists came back. Return new arrays (batch, t + 1, d)."
)


def cached_step(q, k, v, cache=None):
    keys, values = ([], []) if cache is None else (list(cache[0]), list(cache[1]))
    keys.append(k)
    values.append(v)
    stacked = np.stack(keys[-len(k) :], axis=0)
    return v + 0 * stacked[0], (keys, values)


# %% exercise="cached_step" right="einsum over the longer arrays"
def cached_step(q, k, v, cache=None):
    batch, d = np.shape(q)
    t = 0 if cache is None else cache[0].shape[1]
    keys, values = np.empty((batch, t + 1, d)), np.empty((batch, t + 1, np.shape(v)[1]))
    if t:
        keys[:, :t], values[:, :t] = cache
    keys[:, t], values[:, t] = k, v
    e = np.einsum("bd,btd->bt", q, keys) * d**-0.5
    e = np.exp(e - np.max(e, axis=1)[:, None])
    return np.einsum("bt,btd->bd", e, values) / np.sum(e, axis=1)[:, None], (keys, values)


def cache_bytes(num_layers, num_kv_heads, head_dim, length, batch=1, bytes_per_number=2):
    shape = num_layers, 2, batch, num_kv_heads, length, head_dim
    return math.prod(shape) * bytes_per_number


# %% exercise="cached_step" edits="products and sums"
NEW_VALUE_ALONE = (
    "The output is the value of the new token. It is the weighted mean of the values of all tokens "
    "so far.",
    {"np.sum(weights[:, :, None] * values, axis=1)": "v"},
)
AVERAGED_OVER_TOKENS = (
    "The weighted values are averaged. The weights already sum to 1, so add up the products.",
    {"np.sum(weights": "np.mean(weights"},
)
KEYS_SUMMED = (
    "The weights are multiplied by the keys. Multiply them by the values.",
    {"weights[:, :, None] * values": "weights[:, :, None] * keys"},
)
AXIS_OF_TIME_LEFT = (
    "The output still has an axis of length 1 for the time. Its shape must be (batch, d).",
    {
        "np.sum(weights[:, :, None] * values, axis=1)": ""
        "np.sum(weights[:, :, None] * values, axis=1, keepdims=True)"
    },
)
CACHE_NOT_RETURNED = (
    "Only the output is returned. The function must return the output and the new cache.",
    {", (keys, values)": ""},
)
NOT_READ = (
    "The cache is not read, so every token attends to itself alone. Put the new key and value "
    "behind those of the cache.",
    {"if cache is None:": "if True:"},
)
FOUR_BYTES = (
    "A number has another default size. bytes_per_number is 2.",
    {"bytes_per_number=2": "bytes_per_number=4"},
)
BITS = (
    "These are bits. The function must return bytes.",
    {"return 2 * numbers": "return 8 * 2 * numbers"},
)
LENGTH_NOT_COUNTED = (
    "The length is not counted. Every token has a key and a value.",
    {" * length": ""},
)
SCORES_COUNTED = (
    "The length is squared, as for scores. A cache holds one key and one value for each token.",
    {" * length": " * length**2"},
)


# %% exercise="cached_step" edits="products and sums"
OUTPUT_CACHED = (
    "The output is kept in the cache in place of the new value. Keep v as it is.",
    {
        "return np.sum(weights[:, :, None] * values, axis=1), (keys, values)": (
            "output = np.sum(weights[:, :, None] * values, axis=1)\n"
            "    return output, (keys, np.concatenate([cache[1], output[:, None]], axis=1))"
        )
    },
)


# %% exercise="cached_step" edits="products and sums"
LAST_TOKENS = (
    "Only the last tokens of the cache are read. The query sees all of them.",
    {
        "return np.sum(weights[:, :, None] * values, axis=1), (keys, values)": (
            "weights = e[:, -16:] / e[:, -16:].sum(axis=1, keepdims=True)\n"
            "    return np.sum(weights[:, :, None] * values[:, -16:], axis=1), "
            "(keys, values)"
        )
    },
    {
        "    scores = np.sum(": (
            "    keys, values = keys[:, -100:], values[:, -100:]\n    scores = np.sum("
        ),
    },
)
CACHE_OF_FIRST = (
    "All examples read the cache of the first one. Each has its own.",
    {"np.sum(q[:, None] * keys, axis=2)": "np.sum(q[:, None] * keys[:1], axis=2)"},
    {
        "keys = np.concatenate([cache[0], k[:, None]], axis=1)": (
            "keys = np.concatenate([np.repeat(cache[0][:1], len(k), axis=0), k[:, None]], axis=1)"
        )
    },
)
MAXIMUM_FROM_ZERO_CACHED = (
    "The maximum that is subtracted is at least 0, so very negative scores give "
    "0 / 0. Take the largest score.",
    {"scores.max(axis=1, keepdims=True)": "np.maximum(scores.max(axis=1, keepdims=True), 0)"},
)
CLIPPED = (
    "The scores are clipped in place of subtracting the largest one.",
    {"scores - scores.max(axis=1, keepdims=True)": "np.clip(scores, -700, 700)"},
)
NEXT_TOKEN_COUNTED = (
    "The next token is counted as well. The cache holds length tokens.",
    {"* length * batch": "* (length + 1) * batch"},
)


# %% exercise="cached_step" edits="products and sums"
SCALED_KEYS_KEPT = (
    "The cache holds the keys divided by the square root of d. It must hold the keys themselves.",
    {
        "k[:, None]], axis=1)": "k[:, None] / np.sqrt(q.shape[1])], axis=1)",
        "axis=2) / np.sqrt(q.shape[1])": "axis=2)",
    },
)


# %% exercise="cached_step" edits="products and sums"
SUM_OVER_THE_BATCH = (
    "The sum of the softmax runs over all examples. Each needs its own: axis=1, keepdims=True.",
    {"e.sum(axis=1, keepdims=True)": "e.sum()"},
)


# %% exercise="cached_step" edits="products and sums"
SOFTMAX_OVER_THE_BATCH = (
    "The softmax runs over all examples of the batch. Each example has weights of its own.",
    {
        "scores.max(axis=1, keepdims=True)": "scores.max()",
        "e.sum(axis=1, keepdims=True)": "e.sum()",
    },
)


# %% exercise="cached_step" edits="products and sums"
HALF_PRECISION = (
    "The cache is rounded to two bytes a number. Keep keys and values as they are.",
    {
        "    scores = np.sum": (
            "    keys, values = keys.astype(np.float16), values.astype(np.float16)\n"
            "    scores = np.sum"
        )
    },
)
MEGABYTES = (
    "The result is in megabytes. Return bytes.",
    {"* bytes_per_number": "* bytes_per_number / 2**20"},
    {"* bytes_per_number": "* bytes_per_number / 1e6"},
)
LAYERS_NOT_COUNTED = (
    "The layers are not counted. Each layer has keys and values of its own.",
    {"num_layers * num_kv": "num_kv"},
)
HEADS_NOT_COUNTED = (
    "The heads are not counted. Each key head has keys and values of its own.",
    {"num_layers * num_kv_heads * head_dim": "num_layers * head_dim"},
)

# %% exercise="cached_step" edits="products and sums" wrong="LAST_TOKENS"
{"    scores = np.sum(": "    keys, values = keys[:, -4:], values[:, -4:]\n    scores = np.sum("}


# %% exercise="cached_step" wrong="ATTENDS_ACROSS_BATCH"
ATTENDS_ACROSS_BATCH = (
    "A query attends to the tokens of all examples. It attends to those of its own example only."
)


def cached_step(q, k, v, cache=None):
    keys, values = k[:, None], v[:, None]
    if cache is not None:
        keys = np.concatenate([cache[0], keys], axis=1)
        values = np.concatenate([cache[1], values], axis=1)
    scores = q @ keys.reshape(-1, k.shape[1]).T / np.sqrt(q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights @ values.reshape(-1, v.shape[1]), (keys, values)


# %% exercise="cached_step" wrong="OWN_CACHE"
OWN_CACHE = (
    "The tokens are kept outside the function, and the cache that is given is ignored. All that a "
    "step knows of earlier tokens must come from cache."
)

past = []


def cached_step(q, k, v, cache=None):
    if cache is None:
        past.clear()
    past.append((k, v))
    keys, values = (np.stack(each, axis=1) for each in zip(*past, strict=True))
    scores = np.sum(q[:, None] * keys, axis=2) / np.sqrt(q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return np.sum(weights[:, :, None] * values, axis=1), (keys, values)


# %% exercise="cached_step" edits="products and sums"
IN_32_BITS = (
    "The number of bytes is computed in 32 bits, where everything from 2**31 on overflows. The "
    "integers of Python have no limit.",
    {
        "return 2 * numbers * bytes_per_number": (
            "return np.prod([2, numbers, bytes_per_number], dtype=np.int32)"
        )
    },
)


# %% exercise="cached_step" edits="products and sums"
VALUES_NEWEST_FIRST = (
    "Keys and values are put together in different orders, so a weight meets another token's "
    "value. The new token comes last in both.",
    {"[cache[1], v[:, None]]": "[v[:, None], cache[1]]"},
    {"[cache[0], k[:, None]]": "[k[:, None], cache[0]]"},
)
SCORES_FOR_WEIGHTS = (
    "The scores are divided by their sum without taking exponentials. The weights are their "
    "softmax.",
    {"e = np.exp(scores - scores.max(axis=1, keepdims=True))": "e = scores"},
)
QUERY_OF_FIRST = (
    "All examples use the query of the first one. Each has its own.",
    {"q[:, None] * keys": "q[:1, None] * keys"},
)


# %% exercise="cached_step" edits="products and sums"
NEW_TOKEN_ALONE = (
    "The cache that comes back holds the new token alone. It must hold the keys and values of all "
    "tokens so far.",
    {"axis=1), (keys, values)": "axis=1), (k[:, None], v[:, None])"},
)


# %% exercise="cached_step" wrong="REMEMBERED"
REMEMBERED = (
    "The function remembers the tokens of an earlier call. Without a cache there are no earlier "
    "tokens, and the same call twice must give the same result."
)


remembered = {}


def cached_step(q, k, v, cache=None):
    if cache is None:
        cache = remembered.get("cache")
    keys, values = k[:, None], v[:, None]
    if cache is not None and cache[0].shape[0] == k.shape[0] and cache[0].shape[2] == k.shape[1]:
        keys = np.concatenate([cache[0], keys], axis=1)
        values = np.concatenate([cache[1], values], axis=1)
    remembered["cache"] = keys, values
    scores = np.einsum("bd,btd->bt", q, keys) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)
    return np.einsum("bt,btd->bd", weights, values), (keys, values)


# %% exercise="cached_step" edits="products and sums"
CACHE_OF_THE_FIRST_TEXT = (
    "All texts read the keys of the first one, and possibly its values. Each text of the batch "
    "has its own.",
    {
        "q[:, None] * keys": "q[:, None] * keys[:1]",
        "weights[:, :, None] * values": "weights[:, :, None] * values[:1]",
    },
    {"q[:, None] * keys": "q[:, None] * keys[:1]"},
)


# %% exercise="sliding_window_mask" right="two comparisons"
def sliding_window_mask(length, window):
    if window < 1:
        raise ValueError("window must be at least 1")
    i, j = np.arange(length)[:, None], np.arange(length)[None]
    return (j <= i) & (j > i - window)


def receptive_field(num_layers, window):
    if window < 1:
        raise ValueError("the window must hold the position itself")
    return 1 + num_layers * (window - 1)


# %% exercise="sliding_window_mask" edits="two comparisons" wrong="NOT_REFUSED"
{
    'raise ValueError("window must be at least 1")': "pass",
    'raise ValueError("the window must hold the position itself")': "pass",
}


# %% exercise="sliding_window_mask" edits="two comparisons" wrong="NOT_REFUSED"
{'raise ValueError("the window must hold the position itself")': "return 0"}


# %% exercise="sliding_window_mask" edits="two comparisons" wrong="WINDOW_OF_ONE_REFUSED"
{'1:\n        raise ValueError("window must': '2:\n        raise ValueError("window must'}
{'1:\n        raise ValueError("the window': '2:\n        raise ValueError("the window'}


# %% exercise="sliding_window_mask" edits="two comparisons"
WINDOW_TOO_WIDE = (
    "The window holds one position too many. It holds window positions, its own included.",
    {"j > i - window": "j >= i - window"},
)
NOT_ITSELF = (
    "A position does not see itself. The window includes it.",
    {"(j <= i)": "(j < i)"},
)
SEES_THE_FUTURE = (
    "The window reaches into the future. A position sees only itself and positions before it.",
    {"(j <= i) & (j > i - window)": "np.abs(i - j) < window"},
)
TRANSPOSED = (
    "Queries and keys are swapped. Row i says what position i sees.",
    {"(j <= i) & (j > i - window)": "(i <= j) & (i > j - window)"},
)
WINDOW_IGNORED = (
    "The window is ignored: this is the causal mask.",
    {" & (j > i - window)": ""},
)
NOT_CAUSAL = (
    "The future is not hidden. A position sees nothing after itself.",
    {"(j <= i) & ": ""},
)
EMPTY_FIRST_ROWS = (
    "The first rows are wrong, as when a slice begins at a negative index, which counts from the "
    "end. Begin it at max(0, i − window + 1).",
    {"(j > i - window)": "(j > np.where(i < window - 1, i - window + length, i - window))"},
)
BLOCKS = (
    "The text is cut into blocks of window positions. The window must move along with i.",
    {"(j > i - window)": "(i // window == j // window)"},
)
NUMBERS_FOR_BOOLEANS = (
    "The mask holds numbers. It must be boolean.",
    {"(j <= i) & (j > i - window)": "1.0 * ((j <= i) & (j > i - window))"},
)
LAYERS_TIMES_WINDOW = (
    "Layers and window are multiplied. Windows of neighbouring layers overlap by one position: "
    "every layer adds window − 1 positions.",
    {"1 + num_layers * (window - 1)": "num_layers * window"},
    {"1 + num_layers * (window - 1)": "1 + num_layers * window"},
)
ONE_LAYER_TOO_MANY = (
    "One layer is counted twice. The first layer sees window positions, and each of the others "
    "adds window − 1 to them.",
    {"1 + num_layers * (window - 1)": "window + num_layers * (window - 1)"},
)
ITSELF_NOT_COUNTED = (
    "The position itself is not counted.",
    {"1 + num_layers * (window - 1)": "num_layers * (window - 1)"},
)
POWER = (
    "The field grows by multiplication from layer to layer. Every layer adds window − 1 positions.",
    {"1 + num_layers * (window - 1)": "window**num_layers"},
)
BOTH_SIDES = (
    "Positions on both sides are counted. The future is hidden.",
    {"1 + num_layers * (window - 1)": "1 + 2 * num_layers * (window - 1)"},
)


# %% exercise="sliding_window_mask" right="triangles"
def sliding_window_mask(length, window):
    if not window >= 1:
        raise ValueError(f"window is {window}")
    ones = np.ones((length, length), dtype=bool)
    return np.tril(ones) & ~np.tril(ones, -window)


def receptive_field(num_layers, window):
    if not window >= 1:
        raise ValueError(f"window is {window}")
    positions = 1
    for _ in range(num_layers):
        positions += window - 1
    return positions


# %% exercise="sliding_window_mask" edits="two comparisons"
WINDOW_TOO_NARROW = (
    "The window holds one position too few. It holds window positions, its own included.",
    {"j > i - window": "j > i - window + 1"},
)
INVERTED = (
    "The mask is inverted. True marks a key that may be attended to.",
    {"return (j <= i) & (j > i - window)": "return ~((j <= i) & (j > i - window))"},
)
ONE_FOR_EACH_LAYER = (
    "Every layer above the first is counted with one position. Each adds window - 1 positions.",
    {"1 + num_layers * (window - 1)": "window + num_layers - 1"},
)
ONE_LAYER = (
    "This is the window of one layer. Each layer adds window - 1 positions.",
    {"1 + num_layers * (window - 1)": "window"},
)


# %% exercise="sliding_window_mask" edits="two comparisons"
WINDOW_LIMITED = (
    "A large window counts as a smaller one. There is no limit.",
    {"(j > i - window)": "(j > i - min(window, 16))"},
)
WIDE_SHOWS_ALL = (
    "A window as long as the text shows the future as well.",
    {
        "return (j <= i) & (j > i - window)": (
            "return (j <= i) & (j > i - window) | (window >= length)"
        ),
    },
)
WRAPPED = (
    "The window goes on at the end of the text for the first tokens. They see fewer.",
    {"return (j <= i) & (j > i - window)": "return (i - j) % length < window"},
)


# %% exercise="sliding_window_mask" edits="two comparisons"
OVERLAP_ONCE = (
    "What two layers have in common is subtracted once. Each layer after the first adds window - 1 "
    "positions.",
    {"1 + num_layers * (window - 1)": "num_layers * window - 1"},
)
WINDOW_WITHIN_LENGTH = (
    "A window longer than the text is refused. It is allowed, and shows all up to the token.",
    {
        '    if window < 1:\n        raise ValueError("window must be at least 1")\n': (
            '    if not 1 <= window <= length:\n        raise ValueError("too long")\n'
        )
    },
)


# %% exercise="sliding_window_mask" edits="two comparisons"
ONLY_ZERO = (
    "Only a window of 0 is refused. A negative window must raise ValueError as well.",
    {
        "length, window):\n    if window < 1": "length, window):\n    if window == 0",
        "layers, window):\n    if window < 1": "layers, window):\n    if window == 0",
    },
)


# %% exercise="sliding_window_mask" edits="two comparisons"
ONE_LAYER_TOO_FEW = (
    "One layer is left out. Every layer, the first one too, adds window − 1 positions.",
    {"num_layers * (window - 1)": "(num_layers - 1) * (window - 1)"},
)
WINDOW_BEHIND = (
    "The window ends before the position. It includes the position itself.",
    {"(j <= i) & (j > i - window)": "(j < i) & (j >= i - window)"},
)


# %% exercise="sliding_window_mask" edits="two comparisons"
FIRST_KEYS = (
    "The first keys of the text are shown to every query. The window moves along with the query.",
    {"(j > i - window)": "(j < window)"},
)
NUMBERS_EXCHANGED = (
    "Layers and window are exchanged in the formula. Every layer adds window − 1 positions.",
    {"1 + num_layers * (window - 1)": "1 + window * (num_layers - 1)"},
)


# %% exercise="sliding_window_mask" edits="two comparisons"
DILATED = (
    "The field grows by twice as much with every layer, as in dilated convolutions. Here every "
    "layer adds the same window - 1 positions.",
    {"1 + num_layers * (window - 1)": "1 + (2**num_layers - 1) * (window - 1)"},
    {"1 + num_layers * (window - 1)": "1 + 2 ** (num_layers - 1) * (window - 1)"},
)


# %% exercise="online_softmax_update" right="a state of minus infinity"
def online_softmax_update(state, scores, values):
    if state is None:
        n = len(scores)
        state = np.full(n, -np.inf), np.zeros(n), np.zeros((n, values.shape[1]))
    m_old, total, weighted = state
    m_new = np.maximum(m_old, scores.max(axis=1))
    scale = np.exp(m_old - m_new)
    p = np.exp(scores - m_new[:, None])
    return m_new, scale * total + p.sum(axis=1), scale[:, None] * weighted + p @ values


def tiled_attention(q, k, v, block_size):
    state = None
    for i in range(0, len(k), block_size):
        scores = q @ k[i : i + block_size].T / np.sqrt(q.shape[1])
        state = online_softmax_update(state, scores, v[i : i + block_size])
    return state[2] / state[1][:, None]


# %% exercise="online_softmax_update" edits="a state of minus infinity" wrong="NOT_SCALED"
{" / np.sqrt(q.shape[1])": ""}


# %% exercise="online_softmax_update" edits="a state of minus infinity" wrong="SCALED_BY_D"
{"np.sqrt(q.shape[1])": "q.shape[1]"}


# %% exercise="online_softmax_update" edits="a state of minus infinity" wrong="SCALED_BY_KEYS"
{"np.sqrt(q.shape[1])": "np.sqrt(len(k))"}


# %% exercise="online_softmax_update" edits="a state of minus infinity" wrong="NOT_NORMALISED"
{" / state[1][:, None]": ""}


# %% exercise="online_softmax_update" edits="a state of minus infinity" wrong="OVERFLOW"
{"p = np.exp(scores - m_new[:, None])": "p = np.exp(scores)"}


# %% exercise="online_softmax_update" edits="a state of minus infinity"
NOT_RESCALED = (
    "What was added up before is not scaled to the new maximum. Multiply it by exp(old − new).",
    {"scale = np.exp(m_old - m_new)": "scale = np.ones(len(scores))"},
)
SCALED_THE_WRONG_WAY = (
    "The factor for the earlier sums is exp(new − old). It must be exp(old − new), at most 1.",
    {"np.exp(m_old - m_new)": "np.exp(np.minimum(m_new - m_old, 700))"},
    {"np.exp(m_old - m_new)": "np.exp(m_new - m_old)"},
)
TOTAL_NOT_RESCALED = (
    "The total before is not scaled to the new maximum.",
    {"scale * total": "total"},
)
WEIGHTED_NOT_RESCALED = (
    "The weighted sum before is not scaled to the new maximum.",
    {"scale[:, None] * weighted": "weighted"},
)
MAXIMUM_OF_BLOCK = (
    "The new maximum is that of the block alone. It must not fall below the maximum so far.",
    {
        "np.maximum(m_old, scores.max(axis=1))": "scores.max(axis=1)",
        "np.exp(m_old - m_new)": "np.exp(np.minimum(m_old - m_new, 700))",
    },
)
ONE_MAXIMUM = (
    "One maximum serves all rows. Every query has its own.",
    {"scores.max(axis=1))": "scores.max())"},
)
STATE_FORGOTTEN = (
    "The state is ignored, so only the newest block counts.",
    {"if state is None:": "if True:"},
)
ALREADY_DIVIDED = (
    "The weighted sum is divided by the total already. The division comes after the last block.",
    {
        "scale[:, None] * weighted + p @ values": (
            "(scale[:, None] * weighted + p @ values) / (scale * total + p.sum(axis=1))[:, None]"
        )
    },
)
LAST_BLOCK_LEFT_OUT = (
    "The last block is left out when it is shorter than block_size.",
    {"range(0, len(k), block_size)": "range(0, max(len(k) - block_size + 1, 1), block_size)"},
)
KEY_IN_TWO_BLOCKS = (
    "The first key of a block is also the last one of the block before, so it counts twice. A "
    "block ends before start + block_size.",
    {
        "k[i : i + block_size]": "k[i : i + block_size + 1]",
        "v[i : i + block_size]": "v[i : i + block_size + 1]",
    },
)
MEAN_OF_BLOCKS = (
    "Each block is divided by its own total. All blocks share one total.",
    {
        "state = online_softmax_update(state, scores, v[i : i + block_size])": (
            "new = online_softmax_update(None, scores, v[i : i + block_size])\n"
            "        old = 0 if state is None else state[2]\n"
            "        state = 0, np.full(len(q), np.ceil(len(k) / block_size)), "
            "old + new[2] / new[1][:, None]"
        )
    },
)


# %% exercise="online_softmax_update" edits="a state of minus infinity" wrong="MAXIMUM_TOO_LARGE"
{"np.full(n, -np.inf)": "np.zeros(n)"}


# %% exercise="online_softmax_update" edits="a state of minus infinity" wrong="INPUT_CHANGED"
{
    "scale[:, None] * weighted + p @ values": (
        "np.add(scale[:, None] * weighted, p @ values, out=weighted)"
    )
}


# %% exercise="online_softmax_update" right="attention in one piece"
def online_softmax_update(state, scores, values):
    largest = scores.max(axis=1)
    if state is not None:
        largest = np.maximum(largest, state[0])
    p = np.exp(scores - largest[:, None])
    total, weighted = p.sum(axis=1), np.einsum("nb,bd->nd", p, values)
    if state is not None:
        kept = np.exp(state[0] - largest)
        total, weighted = total + kept * state[1], weighted + kept[:, None] * state[2]
    return [largest, total, weighted]


def tiled_attention(q, k, v, block_size):
    scores = q @ k.T / math.sqrt(q.shape[1])
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return p @ v / p.sum(axis=1, keepdims=True)


# %% exercise="online_softmax_update" edits="a state of minus infinity"
OTHER_ORDER = (
    "The state is in another order. It is maximum, total, weighted.",
    {"return m_new, scale * total + p.sum(axis=1)": "return scale * total + p.sum(axis=1), m_new"},
)
OLD_MAXIMUM = (
    "The old maximum is returned. The new state holds the largest score so far.",
    {"return m_new,": "return m_old,"},
)
SUMMED_OVER_QUERIES = (
    "The exponentials are summed over the queries. Every query has a total of its own.",
    {"p.sum(axis=1)": "p.sum()"},
    {"p.sum(axis=1)": "p.sum(axis=0).sum()"},
)
EVERY_BLOCK_ANEW = (
    "Every block begins without a state, so only the last block counts. Pass on the state of the "
    "block before.",
    {"= online_softmax_update(state,": "= online_softmax_update(None,"},
)
FIRST_VALUES = (
    "Every block has the values of the first one. Take the same block of keys and of values.",
    {"v[i : i + block_size]": "v[: scores.shape[1]]"},
)
DIVIDED_BY_MAXIMUM = (
    "The weighted sum is divided by the maximum. Divide it by the total.",
    {"state[1][:, None]": "state[0][:, None]"},
)
SCALED_BY_BLOCK = (
    "The scores are divided by the square root of the block size. Divide them by that of d.",
    {"np.sqrt(q.shape[1])": "np.sqrt(block_size)"},
)


# %% exercise="online_softmax_update" edits="a state of minus infinity"
MAXIMUM_NOT_SHARED = (
    "The exponentials of a block are computed with the block's own maximum. Compute them with the "
    "new maximum, to which the earlier sums are scaled, too.",
    {"np.exp(scores - m_new[:, None])": "np.exp(scores - scores.max(axis=1, keepdims=True))"},
)


# %% exercise="online_softmax_update" edits="a state of minus infinity"
FEW_BLOCKS = (
    "Only the first blocks are read. There may be any number of them.",
    {"range(0, len(k), block_size)": "range(0, min(len(k), 3 * block_size), block_size)"},
    {"range(0, len(k), block_size)": "range(0, min(len(k), 64), block_size)"},
)
OWN_BLOCK_ALONE = (
    "Each query sees the keys of its own block alone. It sees all keys.",
    {
        "    state = None\n    for i in": (
            "    if len(q) == len(k):\n"
            "        own = np.arange(len(q)) // block_size\n"
            "        e = np.exp(q @ k.T / np.sqrt(q.shape[1])) * (own[:, None] == "
            "own)\n"
            "        return e @ v / e.sum(axis=1, keepdims=True)\n"
            "    state = None\n"
            "    for i in"
        )
    },
)
CAUSAL = (
    "The later keys are hidden. tiled_attention has no mask.",
    {
        "    state = None\n    for i in": (
            "    if len(q) == len(k):\n"
            "        e = np.tril(np.exp(q @ k.T / np.sqrt(q.shape[1])))\n"
            "        return e @ v / e.sum(axis=1, keepdims=True)\n"
            "    state = None\n"
            "    for i in"
        )
    },
)
OTHER_WIDTH = (
    "The scores are divided by the root of a number other than the width of the queries.",
    {"/ np.sqrt(q.shape[1])": "/ np.sqrt(v.shape[1])"},
    {"/ np.sqrt(q.shape[1])": "/ np.sqrt(len(q))"},
)
FILLED_WITH_ZEROS = (
    "The last block is filled up with keys of zeros, which get a weight. It may be shorter.",
    {
        "    state = None\n    for i in": (
            "    more = -len(k) % block_size\n"
            "    k, v = np.pad(k, [(0, more), (0, 0)]), np.pad(v, [(0, more), (0, "
            "0)])\n"
            "    state = None\n"
            "    for i in"
        )
    },
)
MAXIMUM_TOO_LARGE = (
    "The running maximum begins at a number that scores may be below. Begin with -np.inf.",
    {"np.full(n, -np.inf)": "np.full(n, -1000.0)"},
    {"np.full(n, -np.inf)": "np.full(n, -1e4)"},
    {"np.full(n, -np.inf)": "np.zeros(n)"},
)


# %% exercise="online_softmax_update" edits="a state of minus infinity"
BLOCKS_ROUNDED_DOWN = (
    "The number of blocks is rounded down, so it is 0 where a block is longer than the text, and "
    "other blocks become too long. The last block may be shorter.",
    {
        "range(0, len(k), block_size)": "np.array_split(np.arange(len(k)), len(k) // block_size)",
        "k[i : i + block_size]": "k[i]",
        "v[i : i + block_size]": "v[i]",
    },
)


# %% exercise="online_softmax_update" edits="a state of minus infinity"
AS_MANY_BLOCKS = (
    "array_split takes the number of the blocks. block_size is the number of keys in a block.",
    {
        "for i in range(0, len(k), block_size):": "for keys, block in zip(np.array_split(k, "
        "block_size), np.array_split(v, block_size), strict=True):",
        "k[i : i + block_size].T": "keys.T",
        "v[i : i + block_size]": "block",
    },
)


# %% exercise="online_softmax_update" edits="a state of minus infinity"
OLD_MAXIMUM_KEPT = (
    "The maximum of the first block is kept when a later block has a larger score. It must be the "
    "largest score so far.",
    {
        "np.maximum(m_old, scores.max(axis=1))": (
            "np.where(np.isfinite(m_old), m_old, scores.max(axis=1))"
        )
    },
)
BLOCKS_OVERLAP = (
    "A block begins at every key, so the blocks overlap. The start moves on by block_size.",
    {"range(0, len(k), block_size)": "range(len(k))"},
)
QUERIES_FOR_KEYS = (
    "The blocks are counted by the queries. They run over the keys, of which there may be more or "
    "fewer.",
    {"range(0, len(k), block_size)": "range(0, len(q), block_size)"},
)


# %% exercise="online_softmax_update" edits="a state of minus infinity"
SCALED_BY_BLOCK_MAXIMUM = (
    "The earlier sums are scaled by exp(old − block's maximum), which is above 1 where the block "
    "brings no new maximum. Subtract the new maximum.",
    {"np.exp(m_old - m_new)": "np.exp(np.minimum(m_old - scores.max(axis=1), 700))"},
)
LOGARITHM_OF_TOTAL = (
    "The logarithm of the total comes back. The state holds the total itself.",
    {"scale * total + p.sum(axis=1),": "np.log(scale * total + p.sum(axis=1)),"},
)
DIVIDED_AFTER_EVERY_BLOCK = (
    "The weighted sum is divided by the total after every block, so earlier blocks are divided "
    "several times. Divide once, after the last block.",
    {
        "v[i : i + block_size])\n": (
            "v[i : i + block_size])\n        state = *state[:2], state[2] / state[1][:, None]\n"
        ),
        "return state[2] / state[1][:, None]": "return state[2]",
    },
)


# %% exercise="online_softmax_update" edits="a state of minus infinity" wrong="ALREADY_DIVIDED"
{
    "scale[:, None] * weighted + p @ values": (
        "(scale[:, None] * weighted + p @ values) / np.where("
        "np.isfinite(m_old), scale * total + p.sum(axis=1), 1)[:, None]"
    )
}


# %% exercise="online_softmax_update" edits="attention in one piece"
MAXIMUM_OVER_QUERIES = (
    "The maximum is taken over the queries. Every query has its own, the largest of its row.",
    {"scores.max(axis=1)": "scores.max(axis=0)"},
)


# %% exercise="linear_attention" right="all pairs at once"
def linear_attention(q, k, v):
    phi = lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  # noqa: E731
    weights = phi(q) @ np.swapaxes(phi(k), 1, 2)
    weights = np.tril(weights)
    total = weights.sum(axis=2, keepdims=True)
    return weights @ v / np.where(total == 0, 1, total)


def linear_attention_step(q, k, v, state=None):
    phi_q, phi_k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
    if state is None:
        state = np.zeros((*k.shape, v.shape[1])), np.zeros(k.shape)
    s = state[0] + phi_k[:, :, None] * v[:, None]
    z = state[1] + phi_k
    top, below = np.einsum("bd,bdv->bv", phi_q, s), np.sum(phi_q * z, axis=1, keepdims=True)
    return np.divide(top, below, out=np.zeros(top.shape), where=below > 0), (s, z)


# %% exercise="linear_attention" edits="all pairs at once"
NOT_CAUSAL_SUMS = (
    "The future is in the sums. Token i attends to j ≤ i only.",
    {"np.tril(weights)": "weights + 0"},
)
ITSELF_MISSING = (
    "A token does not attend to itself. The sums include j = i.",
    {"np.tril(weights)": "np.tril(weights, -1)"},
)
ELU_WITHOUT_ONE = (
    "φ is elu without the 1 that makes it positive. φ(x) is x + 1 above 0 and exp(x) below.",
    {
        "lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))": (
            "lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)"
        )
    },
)
RELU_FOR_ELU = (
    "φ is a ReLU. It must be elu(x) + 1.",
    {"lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))": "lambda x: np.maximum(x, 0)"},
)
EXPONENTIAL_FOR_PHI = (
    "φ is the exponential everywhere. Above 0 it is x + 1.",
    {
        "lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))": (
            "lambda x: np.exp(np.minimum(x, 700))"
        )
    },
)
RELU_PLUS_ONE = (
    "φ is 1 for all x ≤ 0. There it must be exp(x).",
    {
        "lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))": (
            "lambda x: np.maximum(x, 0) + 1"
        )
    },
)
STRAIGHT_LINE = (
    "φ is x + 1 everywhere. Below 0 it must be exp(x).",
    {"lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))": "lambda x: x + 1"},
)
PHI_OF_PRODUCT = (
    "φ is applied to the products of queries and keys. It must be applied to each of them before.",
    {"phi(q) @ np.swapaxes(phi(k), 1, 2)": "phi(q @ np.swapaxes(k, 1, 2))"},
)
LINEAR_SCALED = (
    "The queries are divided by √d or by its root. Linear attention has no scale.",
    {"phi(q) @ np": "phi(q / q.shape[2] ** 0.5) @ np"},
)
LINEAR_NOT_NORMALISED = (
    "The sum is not divided by the sum of the weights.",
    {" / np.where(total == 0, 1, total)": ""},
    {"np.divide(top, below, out=np.zeros(top.shape), where=below > 0)": "top"},
)
UNDERFLOW_NOT_ZERO = (
    "Where all exponentials underflow, the output is 0/0. It must be 0 there.",
    {"np.where(total == 0, 1, total)": "total"},
)
EPSILON_ADDED = (
    "The sum of the weights is changed by a small constant, which matters when the weights are "
    "small. Replace the sum only where it is 0.",
    {"np.where(total == 0, 1, total)": "(total + 1e-8)"},
    {"np.where(total == 0, 1, total)": "np.maximum(total, 1e-6)"},
    {"np.divide(top, below, out=np.zeros(top.shape), where=below > 0)": "top / (below + 1e-6)"},
)
STEP_FORGETS = (
    "The state before is forgotten. The new token is added to it.",
    {"state[0] + phi_k": "phi_k", "state[1] + phi_k": "phi_k"},
)
READ_BEFORE_WRITE = (
    "The state is read before the new token is in it. A token attends to itself, too.",
    {
        "phi_q, s), np.sum(phi_q * z, axis=1, keepdims=True)": (
            "phi_q, state[0]), np.sum(phi_q * state[1], axis=1, keepdims=True)"
        )
    },
    {
        "top, below =": "old_s, old_z = state if state[1].any() else (s, z)\n    top, below =",
        "phi_q, s), np.sum(phi_q * z, axis=1, keepdims=True)": (
            "phi_q, old_s), np.sum(phi_q * old_z, axis=1, keepdims=True)"
        ),
    },
)
OLD_STATE_RETURNED = (
    "The state comes back as it was given. The new token must be in it.",
    {"where=below > 0), (s, z)": "where=below > 0), state"},
)
QUERY_NOT_IN_DIVISOR = (
    "The output is divided by the sum of z alone. Divide it by φ(q) zᵀ.",
    {"np.sum(phi_q * z, axis=1, keepdims=True)": "np.sum(z, axis=1, keepdims=True)"},
)
Z_NOT_ADDED = (
    "z holds the newest key only. It is the sum over all tokens so far.",
    {"state[1] + phi_k": "phi_k"},
)
KEYS_WITHOUT_PHI = (
    "The state adds up k instead of φ(k).",
    {"z = state[1] + phi_k": "z = state[1] + k", "state[0] + phi_k[": "state[0] + k["},
)
STATE_TRANSPOSED = (
    "S is transposed. It must be (batch, d, d_v).",
    {"where=below > 0), (s, z)": "where=below > 0), (np.swapaxes(s, 1, 2), z)"},
)


# %% exercise="linear_attention" edits="all pairs at once" wrong="INPUT_CHANGED"
{"z = state[1] + phi_k": "z = state[1]\n    z += phi_k"}


# %% exercise="linear_attention" right="running sums over time"
def linear_attention(q, k, v):
    q, k = keras.ops.elu(q) + 1, keras.ops.elu(k) + 1
    q, k = (np.where(np.array(x) < 1e-7, 0, np.array(x, float)) for x in (q, k))
    s = np.cumsum(k[..., None] * v[:, :, None], axis=1)
    below = np.sum(q * np.cumsum(k, axis=1), axis=2)[..., None]
    return np.einsum("btd,btdv->btv", q, s) / np.where(below > 0, below, 1)


def linear_attention_step(q, k, v, state=None):
    q, k = ((x > 0) * (x + 1) + (x <= 0) * np.exp(np.minimum(x, 0)) for x in (q, k))
    s, z = (0, 0) if state is None else state
    s, z = s + np.einsum("bd,bv->bdv", k, v), z + k
    below = np.einsum("bd,bd->b", q, z)[:, None]
    return (q[:, None] @ s)[:, 0] / np.where(below == 0, 1, below), (s, z)


# %% exercise="linear_attention" edits="all pairs at once"
EXPONENTIAL_OF_PRODUCT = (
    "These are exponentials of the products, as in a softmax. Linear attention multiplies φ(q) by "
    "φ(k).",
    {"phi(q) @ np.swapaxes(phi(k), 1, 2)": "np.exp(q @ np.swapaxes(k, 1, 2))"},
)
PHI_LEFT_OUT = (
    "φ is applied to one side only. It is applied to the queries and to the keys.",
    {"phi(q) @": "q @"},
    {"np.swapaxes(phi(k), 1, 2)": "np.swapaxes(k, 1, 2)"},
)
SUMS_OVER_QUERIES = (
    "The denominator is the sum over the queries. The weights of one query are summed over the "
    "keys.",
    {"weights.sum(axis=2, keepdims=True)": "weights.sum(axis=1)[:, :, None]"},
)
COUNTED = (
    "The sum is divided by the number of tokens. Divide it by the sum of the weights.",
    {"np.where(total == 0, 1, total)": "np.arange(1, q.shape[1] + 1)[:, None]"},
)
S_NOT_ADDED = (
    "S is that of the new token alone. Add it to the S of the state.",
    {"state[0] + phi_k": "phi_k"},
)
Z_OF_KEYS = (
    "z is the sum of the keys. It is the sum of φ of the keys.",
    {"state[1] + phi_k": "state[1] + k"},
)
PHI_OF_VALUES = (
    "φ is applied to the values. It is applied to queries and keys alone.",
    {"v[:, None]\n": "np.where(v > 0, v + 1, np.exp(np.minimum(v, 0)))[:, None]\n"},
    {"weights @ v": "weights @ phi(v)"},
)
STATE_NOT_RETURNED = (
    "Only the output is returned. The function must return the output and the state.",
    {", (s, z)": ""},
)


# %% exercise="linear_attention" edits="all pairs at once" wrong="OLD_STATE_RETURNED"
{", (s, z)": ", state"}
{
    "state = np.zeros": "begun = np.zeros",
    "s = state[0]": "s = (begun if state is None else state)[0]",
    "z = state[1]": "z = (begun if state is None else state)[1]",
    ", (s, z)": ", ((s, z) if state is None else state)",
}


# %% exercise="linear_attention" edits="all pairs at once" wrong="LINEAR_SCALED"
{"weights = phi(q)": "weights = phi(q / np.sqrt(q.shape[2]))"}
{"weights = phi(q)": "weights = phi(q / q.shape[2] ** 0.25)"}


# %% exercise="linear_attention" edits="all pairs at once"
FUTURE_IN_THE_DIVISOR = (
    "The future is in the sum by which the output is divided. Both sums run over j ≤ i.",
    {
        "    weights = np.tril(weights)\n    total = weights.sum(axis=2, keepdims=True)\n": (
            "    total = weights.sum(axis=2, keepdims=True)\n    weights = np.tril(weights)\n"
        )
    },
)


# %% exercise="linear_attention" edits="all pairs at once" wrong="EPSILON_ADDED"
{"np.where(total == 0, 1, total)": "(total + 1e-6)"}


# %% exercise="linear_attention" edits="all pairs at once"
SQUARE_STATE = (
    "The state is made with as many columns as rows, d × d. It has a column for each feature of "
    "the values, d × d_v.",
    {"(*k.shape, v.shape[1])": "(*k.shape, k.shape[1])"},
)


# %% exercise="linear_attention" edits="all pairs at once"
WINDOW = (
    "Only the last tokens are summed up. Every token sees all before it.",
    {"    weights = np.tril(weights)\n": "    weights = np.triu(np.tril(weights), -63)\n"},
    {"    weights = np.tril(weights)\n": "    weights = np.triu(np.tril(weights), -255)\n"},
)
ONE_ZERO_FOR_ALL = (
    "Where one example underflows, all outputs of the step are set to 0. Each "
    "example is judged by itself.",
    {"where=below > 0)": "where=np.all(below > 0) * np.ones(top.shape, bool))"},
)
EPSILON = (
    "A number is added to the denominator. Nothing is added.",
    {"return weights @ v / np.where(total == 0, 1, total)": "return weights @ v / (total + 1e-9)"},
)
SINGLE_TOKEN = (
    "A single token gives v even where everything underflows. The output is 0 there.",
    {
        "    weights = phi(q)": (
            "    if q.shape[1] == 1:\n        return np.array(v)\n    weights = phi(q)"
        ),
    },
)
FEATURES_BOUNDED = (
    "φ is kept between two bounds. It has none.",
    {"np.exp(np.minimum(x, 0)))  # noqa": "np.exp(np.clip(x, -20, 0)))  # noqa"},
    {
        "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  # noqa": (
            "np.minimum(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))), 100)  # noqa"
        ),
    },
)


# %% exercise="linear_attention" edits="all pairs at once"
STATE_OF_THE_BATCH = (
    "The products of all examples are added up, so each example's state has the others in it. Each "
    "example has a state of its own.",
    {"phi_k[:, :, None] * v[:, None]": "phi_k.T @ v"},
)


# %% exercise="linear_attention" edits="all pairs at once"
WITHOUT_THE_1 = (
    "For a positive x the 1 is missing. There, φ(x) is x + 1.",
    {
        "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  #": (
            "np.where(x > 0, x, np.exp(np.minimum(x, 0)))  #"
        ),
        "(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for": (
            "(np.where(x > 0, x, np.exp(np.minimum(x, 0))) for"
        ),
    },
)


# %% exercise="linear_attention" edits="all pairs at once" wrong="UNDERFLOW_NOT_ZERO"
{"np.divide(top, below, out=np.zeros(top.shape), where=below > 0)": "top / below"}


# %% exercise="linear_attention" edits="all pairs at once"
SOFTPLUS = (
    "φ is softplus, log(1 + exp(x)). It is elu(x) + 1: x + 1 above 0 and exp(x) below.",
    {
        "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  #": "np.logaddexp(x, 0)  #",
        "(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for": "(np.logaddexp(x, 0) for",
    },
)
SOFTMAX_OF_PRODUCTS = (
    "The products pass through a softmax. Divide them by their sum; φ has made them positive.",
    {
        "    weights = np.tril(weights)": (
            "    seen = np.tri(weights.shape[1], dtype=bool)\n"
            "    weights = np.exp(np.where(seen, weights, -np.inf))"
        )
    },
)
INFINITY_TIMES_0 = (
    "exp(x) is computed for every x and multiplied by 0 above 0. Where it overflows, infinity "
    "times 0 is nan. Take the exponential of np.minimum(x, 0).",
    {
        "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  #": (
            "(x > 0) * (x + 1) + (x <= 0) * np.exp(x)  #"
        ),
        "(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for": (
            "((x > 0) * (x + 1) + (x <= 0) * np.exp(x) for"
        ),
    },
)
DIVISOR_OF_THE_BATCH = (
    "The step divides by a sum over all examples. Each example has a divisor of its own.",
    {"np.sum(phi_q * z, axis=1, keepdims=True)": "np.sum(phi_q * z, keepdims=True)"},
)


# %% exercise="linear_attention" edits="running sums over time"
SUMS_OVER_BATCH = (
    "The running sums run over the examples of the batch. They run over time, axis 1.",
    {
        "v[:, :, None], axis=1)": "v[:, :, None], axis=0)",
        "np.cumsum(k, axis=1)": "np.cumsum(k, axis=0)",
    },
)


# %% exercise="linear_attention" edits="all pairs at once"
ONE_ADDED_BELOW_0 = (
    "φ adds 1 to exp(x) below 0, where elu(x) is exp(x) − 1. There, φ(x) is exp(x) alone.",
    {
        "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  #": (
            "np.where(x > 0, x, np.exp(np.minimum(x, 0))) + 1  #"
        ),
        "(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for": (
            "(np.where(x > 0, x, np.exp(np.minimum(x, 0))) + 1 for"
        ),
    },
    {
        "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  #": (
            "np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)) + 1)  #"
        ),
        "(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for": (
            "(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)) + 1) for"
        ),
    },
)
LATER_FOR_EARLIER = (
    "The upper triangle is kept, so a token attends to the later ones. Token i attends to j ≤ i.",
    {"np.tril(weights)": "np.triu(weights)"},
)


# %% exercise="linear_attention" right="one step after the other"
def linear_attention(q, k, v):
    state, out = None, np.zeros((*q.shape[:2], v.shape[2]))
    for t in range(q.shape[1]):
        out[:, t], state = linear_attention_step(q[:, t], k[:, t], v[:, t], state)
    return out


def linear_attention_step(q, k, v, state=None):
    q, k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
    s, z = np.einsum("bd,bv->bdv", k, v), k
    if state is not None:
        s, z = state[0] + s, state[1] + z
    top, below = np.einsum("bd,bdv->bv", q, s), np.einsum("bd,bd->b", q, z)[:, None]
    return top / np.where(below > 0, below, 1), (s, z)


# %% exercise="linear_attention" edits="one step after the other" wrong="OLD_STATE_RETURNED"
{"1), (s, z)": "1), (s, z) if state is None else state"}


# %% exercise="linear_attention" edits="one step after the other" wrong="STEP_FORGETS"
{
    "    top, below": '    new = np.einsum("bd,bv->bdv", k, v), k\n    top, below',
    "1), (s, z)": "1), new",
}


# %% exercise="linear_attention" edits="one step after the other" wrong="Z_OF_KEYS"
{
    "    q, k = (np.where": "    raw = k\n    q, k = (np.where",
    "k, v), k\n": "k, v), raw\n",
}


# %% exercise="linear_attention" edits="one step after the other" wrong="STATE_OF_THE_BATCH"
{
    's, z = np.einsum("bd,bv->bdv", k, v), k': (
        's, z = np.einsum("bd,bv->dv", k, v) * np.ones((len(k), 1, 1)), k'
    )
}


# %% exercise="linear_attention" edits="one step after the other"
Z_A_NUMBER = (
    "z is summed over its columns as well. It has the shape (batch, d), one sum for each column.",
    {
        "k, v), k\n": "k, v), np.sum(k, axis=1, keepdims=True)\n",
        'np.einsum("bd,bd->b", q, z)[:, None]': "np.sum(q * z, axis=1, keepdims=True)",
    },
)
STATE_EXCHANGED = (
    "The state comes back as (z, s). S comes first.",
    {"1), (s, z)": "1), (z, s)"},
)


# %% exercise="linear_attention" wrong="STATE_EXCHANGED"
def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear_attention_step(q, k, v, state=None):
    f, g = phi(q), phi(k)
    s, z = g[:, :, None] * v[:, None], g
    if state is not None:
        s, z = s + state[1], z + state[0]
    below = (f * z).sum(axis=1, keepdims=True)
    above = np.einsum("bd,bdv->bv", f, s)
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0), (z, s)


# %% exercise="linear_attention" edits="all pairs at once"
SCALED_BEFORE_PHI = (
    "q or k is scaled before φ. Linear attention divides nothing by the square root of d.",
    {
        "weights = phi(q) @ np.swapaxes(phi(k), 1, 2)": (
            "scale = q.shape[2] ** -0.25\n"
            "    weights = phi(q * scale) @ np.swapaxes(phi(k * scale), 1, 2)"
        )
    },
    {"phi(q) @": "phi(q / np.sqrt(q.shape[2])) @"},
)


# %% exercise="RotarySelfAttention" right="slices written to a list"
class RotarySelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, num_kv_heads=None, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {"d_model": d_model, "num_heads": num_heads}
        self.settings |= {"num_kv_heads": num_kv_heads, "n": n}
        self.d_model, self.heads, self.n = d_model, num_heads, n
        self.groups = num_kv_heads or num_heads
        self.width = d_model // num_heads
        if d_model % num_heads or self.width % 2:
            raise ValueError("the width of a head must be whole and even")
        if num_heads % self.groups:
            raise ValueError("num_kv_heads must divide num_heads")
        self.supports_masking = True

    def build(self, input_shape):
        shared = self.groups * self.width
        self.w_q = self.add_weight(shape=(self.d_model, self.d_model), name="w_q")
        self.w_k = self.add_weight(shape=(self.d_model, shared), name="w_k")
        self.w_v = self.add_weight(shape=(self.d_model, shared), name="w_v")
        self.w_o = self.add_weight(shape=(self.d_model, self.d_model), name="w_o")

    def split(self, x, heads):
        x = ops.reshape(x, (ops.shape(x)[0], ops.shape(x)[1], heads, self.width))
        return ops.transpose(x, (0, 2, 1, 3))

    def rotated(self, x):
        time = ops.shape(x)[2]
        rates = [self.n ** (-2 * i / self.width) for i in range(self.width // 2)]
        angles = ops.arange(time, dtype="float32")[:, None] * ops.convert_to_tensor(rates)
        both = ops.repeat(angles, 2, axis=1)
        cos, sin = ops.cos(both), ops.sin(both)
        swapped = ops.reshape(ops.stack([-x[..., 1::2], x[..., ::2]], axis=-1), ops.shape(x))
        return x * cos + swapped * sin

    def call(self, x, mask=None):
        q = self.rotated(self.split(x @ self.w_q, self.heads))
        k = self.rotated(self.split(x @ self.w_k, self.groups))
        v = self.split(x @ self.w_v, self.groups)
        k = ops.repeat(k, self.heads // self.groups, axis=1)
        v = ops.repeat(v, self.heads // self.groups, axis=1)
        scores = ops.einsum("bhqd,bhkd->bhqk", q, k) / self.width**0.5
        time = ops.arange(ops.shape(x)[1])
        seen = (time[:, None] >= time[None])[None, None]
        if mask is not None:
            seen = ops.logical_and(seen, ops.cast(mask, "bool")[:, None, None])
        weights = ops.softmax(ops.where(seen, scores, -1e9))
        out = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))
        return ops.reshape(out, ops.shape(x)) @ self.w_o

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="RotarySelfAttention" edits="slices written to a list"
FIXED_LENGTH = (
    "The layer is fixed to the length that it was built with. It must accept sequences of any "
    "length.",
    {
        "shared = self.groups": "self.length = input_shape[1] or 128\n        shared = self.groups",
        'ops.arange(time, dtype="float32")[:, None]': (
            'ops.arange(self.length, dtype="float32")[:time, None]'
        ),
    },
)

# %% exercise="RotarySelfAttention" edits="slices written to a list"
OTHER_BASE = "n has another default. It must be 10000.", {"10000.0": "1000.0"}

# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="NOT_SCALED"
{" / self.width**0.5": ""}


# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="SCALED_BY_D"
{"self.width**0.5": "self.width"}


# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="NOT_REFUSED"
{'raise ValueError("the width of a head must be whole and even")': "pass"}
{"d_model % num_heads or self.width % 2": "d_model % num_heads"}
{"d_model % num_heads or self.width % 2": "self.width % 2"}


# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="NOT_REFUSED"
{'raise ValueError("num_kv_heads must divide num_heads")': "pass"}


# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="HEADS_IN_TURN"
{
    "k = ops.repeat(k, self.heads // self.groups, axis=1)": (
        "k = ops.tile(k, (1, self.heads // self.groups, 1, 1))"
    ),
    "v = ops.repeat(v, self.heads // self.groups, axis=1)": (
        "v = ops.tile(v, (1, self.heads // self.groups, 1, 1))"
    ),
}


# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="MASK_ADDED"
{
    'seen = ops.logical_and(seen, ops.cast(mask, "bool")[:, None, None])': (
        'scores = scores + ops.cast(mask, "float32")[:, None, None]'
    )
}


# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="SIN_COS_SWAPPED"
{"cos, sin = ops.cos": "sin, cos = ops.cos"}


# %% exercise="RotarySelfAttention" edits="slices written to a list"
SCALED_BY_MODEL_WIDTH = (
    "The scores are divided by the square root of d_model. Divide by that of the width of a head.",
    {"self.width**0.5": "self.d_model**0.5"},
)
NOT_TURNED = (
    "Queries and keys are not turned, so the positions have no effect.",
    {"return x * cos + swapped * sin": "return x"},
)
QUERIES_NOT_TURNED = (
    "The queries are not turned. Both queries and keys must be.",
    {"self.rotated(self.split(x @ self.w_q, self.heads))": "self.split(x @ self.w_q, self.heads)"},
)
KEYS_NOT_TURNED = (
    "The keys are not turned. Both queries and keys must be.",
    {
        "self.rotated(self.split(x @ self.w_k, self.groups))": (
            "self.split(x @ self.w_k, self.groups)"
        )
    },
)
VALUES_TURNED = (
    "The values are turned as well. Only queries and keys are.",
    {
        "v = self.split(x @ self.w_v, self.groups)": (
            "v = self.rotated(self.split(x @ self.w_v, self.groups))"
        )
    },
)
TURNED_BEFORE_SPLIT = (
    "The angles are those of the whole width d_model. Every head is turned by itself, with the "
    "exponent −2i/width.",
    {"-2 * i / self.width) for i": "-2 * i / self.d_model) for i"},
)
TURNED_ALONG_HEADS = (
    "The angles grow from head to head. They must grow from token to token, so positions run along "
    "the time axis.",
    {
        "time = ops.shape(x)[2]": "time = ops.shape(x)[1]",
        "cos, sin = ops.cos(both), ops.sin(both)": (
            "cos, sin = ops.cos(both)[:, None], ops.sin(both)[:, None]"
        ),
    },
)
LAYER_DOUBLE_EXPONENT = (
    "The exponent is −4i/width. With pairs counted i = 0, 1, 2, …, it must be −2i/width.",
    {"-2 * i / self.width) for i": "-4 * i / self.width) for i"},
)
LAYER_HALVES_PAIRED = (
    "Column i of a head is paired with column i + width/2. Neighbouring columns are a pair.",
    {
        "ops.repeat(angles, 2, axis=1)": "ops.tile(angles, (1, 2))",
        "ops.reshape(ops.stack([-x[..., 1::2], x[..., ::2]], axis=-1), ops.shape(x))": (
            "ops.concatenate([-x[..., self.width // 2 :], x[..., : self.width // 2]], axis=-1)"
        ),
    },
)
LAYER_N_IGNORED = (
    "n is fixed at 10000. The argument n must be used.",
    {"[self.n ** (": "[10000.0 ** ("},
)
LAYER_SEES_THE_FUTURE = (
    "The layer sees the future. Position i attends to positions j ≤ i only.",
    {"(time[:, None] >= time[None])": "(time[:, None] >= 0 * time[None])"},
)
LAYER_NOT_ITSELF = (
    "A token does not see itself. Position i attends to positions j ≤ i.",
    {"time[:, None] >= time[None]": "time[:, None] > time[None]"},
)
LAYER_MASK_IGNORED = (
    "The mask is ignored. Padded keys must be hidden.",
    {"if mask is not None:": "if False:"},
)
NOT_CAUSAL_WITH_MASK = (
    "With a mask the future is not hidden. A key must be hidden when it is padding and when it "
    "comes later.",
    {'ops.logical_and(seen, ops.cast(mask, "bool")[:, None, None])': "mask[:, None, None]"},
)
MASK_HIDES_QUERIES = (
    "The mask hides queries. It must hide keys.",
    {'ops.cast(mask, "bool")[:, None, None]': 'ops.cast(mask, "bool")[:, None, :, None]'},
)
LAYER_MASK_INVERTED = (
    "The mask is inverted. True marks a real token.",
    {'ops.cast(mask, "bool")[:, None, None]': "ops.logical_not(mask)[:, None, None]"},
)
MASK_NOT_PASSED_ON = (
    "The mask is not passed on to the next layer. Set self.supports_masking = True.",
    {"self.supports_masking = True": ("self.compute_mask = lambda *args, **kwargs: None")},
)
INFINITE_MASK = (
    "A query that sees no key gives nan. Use a large negative number, such as -1e9, for hidden "
    "scores.",
    {"ops.where(seen, scores, -1e9)": "ops.where(seen, scores, -math.inf)"},
)
WEIGHTS_IN_OTHER_ORDER = (
    "The weights are made in another order. It is w_q, w_k, w_v, w_o.",
    {"self.w_k = self": "self.w_v = self", "self.w_v = self": "self.w_k = self"},
    {"self.w_q = self": "self.w_o = self", "self.w_o = self": "self.w_q = self"},
)
HEADS_NOT_TRANSPOSED = (
    "The heads are not put side by side again before w_o. Bring the axis of the heads next to "
    "that of their width first.",
    {"ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))": "ops.matmul(weights, v)"},
)
HEADS_INTERLEAVED = (
    "A head consists of every num_heads-th column. Head j is the j-th block of neighbouring "
    "columns.",
    {
        "ops.shape(x)[1], heads, self.width))": "ops.shape(x)[1], self.width, heads))",
        "return ops.transpose(x, (0, 2, 1, 3))": "return ops.transpose(x, (0, 3, 1, 2))",
    },
)
LAYER_NO_OUTPUT = (
    "w_o is not used. The heads, side by side, are multiplied by it.",
    {
        "return ops.reshape(out, ops.shape(x)) @ self.w_o": (
            "return ops.reshape(out, ops.shape(x)) + 0 * self.w_o[0, 0]"
        )
    },
)
KV_HEADS_IGNORED = (
    "num_kv_heads is ignored. w_k and w_v must be narrower when query heads share keys.",
    {"self.groups = num_kv_heads or num_heads": "self.groups = num_heads"},
)
CONFIG_INCOMPLETE = (
    "get_config leaves out a setting, so a loaded layer differs.",
    {
        "{**super().get_config(), **self.settings}": (
            "{**super().get_config(), **dict(list(self.settings.items())[:2])}"
        )
    },
    {
        "{**super().get_config(), **self.settings}": (
            "{**super().get_config(), **dict(list(self.settings.items())[:3])}"
        )
    },
)
NOT_TRAINED = (
    "A weight is not trained. All four are.",
    {
        'shape=(self.d_model, self.d_model), name="w_o")': (
            'shape=(self.d_model, self.d_model), name="w_o", trainable=False)'
        )
    },
)
COLUMNS_ALIKE = (
    "The columns of a new weight matrix are all equal. Keep Keras's default initializer, which "
    "draws random numbers.",
    {
        'shape=(self.d_model, self.d_model), name="w_q")': (
            'shape=(self.d_model, self.d_model), name="w_q", initializer="ones")'
        ),
        'shape=(self.d_model, shared), name="w_k")': (
            'shape=(self.d_model, shared), name="w_k", initializer="ones")'
        ),
        'shape=(self.d_model, shared), name="w_v")': (
            'shape=(self.d_model, shared), name="w_v", initializer="ones")'
        ),
        'shape=(self.d_model, self.d_model), name="w_o")': (
            'shape=(self.d_model, self.d_model), name="w_o", initializer="ones")'
        ),
    },
)


# %% exercise="RotarySelfAttention" right="a group axis and Keras's masks by hand"
class RotarySelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, num_kv_heads=None, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        if num_kv_heads is None:
            num_kv_heads = num_heads
        if d_model % (2 * num_heads):
            raise ValueError("d_model must be a multiple of 2 · num_heads")
        if num_heads % num_kv_heads:
            raise ValueError("num_heads must be a multiple of num_kv_heads")
        self.d_model, self.num_heads, self.num_kv_heads, self.n = (
            d_model,
            num_heads,
            num_kv_heads,
            n,
        )

    def build(self, input_shape):
        width = self.d_model // self.num_heads
        sizes = self.d_model, self.num_kv_heads * width, self.num_kv_heads * width, self.d_model
        self.matrices = [self.add_weight(shape=(self.d_model, size)) for size in sizes]

    def compute_mask(self, inputs, mask=None):
        return mask

    def call(self, x, mask=None):
        w_q, w_k, w_v, w_o = self.matrices
        batch, time = ops.shape(x)[0], ops.shape(x)[1]
        width, groups = self.d_model // self.num_heads, self.num_kv_heads
        shape = batch, time, groups, self.num_heads // groups, width
        q = ops.reshape(ops.matmul(x, w_q), shape)
        k = ops.reshape(ops.matmul(x, w_k), (batch, time, groups, 1, width))
        v = ops.reshape(ops.matmul(x, w_v), (batch, time, groups, width))
        rates = ops.power(float(self.n), -ops.arange(0, width, 2, dtype="float32") / width)
        angles = ops.reshape(
            ops.outer(ops.arange(time, dtype="float32"), rates), (1, time, 1, 1, width // 2)
        )
        parts = []
        for each in (q, k):
            pairs = ops.reshape(each, (*ops.shape(each)[:-1], width // 2, 2))
            a, b = pairs[..., 0], pairs[..., 1]
            first = a * ops.cos(angles) - b * ops.sin(angles)
            second = a * ops.sin(angles) + b * ops.cos(angles)
            turned = ops.stack([first, second], axis=-1)
            parts.append(ops.reshape(turned, ops.shape(each)))
        scores = ops.einsum("bigsd,bjgd->bgsij", parts[0], parts[1][:, :, :, 0])
        scores = scores * width**-0.5
        hidden = 1 - ops.tril(ops.ones((time, time)))
        if mask is not None:
            padded = 1 - ops.cast(mask, "float32")
            hidden = ops.minimum(1.0, hidden + padded[:, None, None, None])
        weights = ops.softmax(scores - 1e8 * hidden, axis=-1)
        out = ops.einsum("bgsij,bjgd->bigsd", weights, v)
        return ops.matmul(ops.reshape(out, (batch, time, self.d_model)), w_o)

    def get_config(self):
        names = ("d_model", "num_heads", "num_kv_heads", "n")
        return super().get_config() | {name: getattr(self, name) for name in names}


# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="TURNED_BEFORE_SPLIT"
{
    "self.rotated(self.split(x @ self.w_q, self.heads))": (
        "self.split(self.rotated((x @ self.w_q)[:, None])[:, 0], self.heads)"
    ),
    "self.rotated(self.split(x @ self.w_k, self.groups))": (
        "self.split(self.rotated((x @ self.w_k)[:, None])[:, 0], self.groups)"
    ),
    "rates = [self.n ** (-2 * i / self.width) for i in range(self.width // 2)]": (
        "size = x.shape[-1]\n        rates = [self.n ** (-2 * i / size) for i in range(size // 2)]"
    ),
}


# %% exercise="RotarySelfAttention" edits="slices written to a list"
ONE_IS_NONE = (
    "One key head is taken for a missing number. Ask whether num_kv_heads is None.",
    {
        "self.groups = num_kv_heads or num_heads": (
            "self.groups = num_kv_heads if num_kv_heads and num_kv_heads > 1 else num_heads"
        )
    },
)
WINDOW_ROTARYSELFATTENTION = (
    "Only the last tokens are seen. Every token sees all before it.",
    {
        "seen = (time[:, None] >= time[None])[None, None]": (
            "seen = ((time[:, None] >= time[None]) & (time[:, None] < time[None] + 32))[None, None]"
        )
    },
    {
        "seen = (time[:, None] >= time[None])[None, None]": (
            "seen = ((time[:, None] >= time[None]) & (time[:, None] < time[None] + "
            "128))[None, None]"
        )
    },
)
POSITIONS_LIMITED_ROTARYSELFATTENTION = (
    "Positions beyond a limit are all turned alike. There is no limit.",
    {
        'angles = ops.arange(time, dtype="float32")[:, None]': (
            'angles = ops.minimum(ops.arange(time, dtype="float32"), 63)[:, None]'
        ),
    },
    {
        'angles = ops.arange(time, dtype="float32")[:, None]': (
            'angles = ops.minimum(ops.arange(time, dtype="float32"), 255)[:, None]'
        ),
    },
)
MASK_OF_FIRST = (
    "The mask of the first example is used for all examples. Each has its own.",
    {'ops.cast(mask, "bool")[:, None, None]': 'ops.cast(mask, "bool")[:1, None, None]'},
)
MASK_OF_ONE = (
    "The mask is ignored in a batch of one. Apply it whatever the size of the batch is.",
    {"if mask is not None:": "if mask is not None and x.shape[0] != 1:"},
)
SCORES_CAPPED = (
    "The scores are kept between two bounds. They have none.",
    {"/ self.width**0.5": "/ self.width**0.5\n        scores = 50 * ops.tanh(scores / 50)"},
    {"/ self.width**0.5": "/ self.width**0.5\n        scores = ops.clip(scores, -20, 20)"},
)
MASKED_BY_TOO_LITTLE = (
    "Too small a number is taken from hidden scores, so large ones are still "
    "heard. Use one such as -1e9.",
    {"ops.where(seen, scores, -1e9)": "ops.where(seen, scores, scores - 30)"},
    {"ops.where(seen, scores, -1e9)": "ops.where(seen, scores, -10.0)"},
    {"ops.where(seen, scores, -1e9)": "ops.where(seen, scores, -100.0)"},
)
ORDER_OF_WEIGHTS = (
    "The weights are not created in the order w_q, w_k, w_v, w_o.",
    {
        (
            '        self.w_q = self.add_weight(shape=(self.d_model, self.d_model), name="w_q")\n'
        ): "",
        "        self.w_o = self.add_weight": (
            "        self.w_q = self.add_weight(shape=(self.d_model, self.d_model), "
            'name="w_q")\n'
            "        self.w_o = self.add_weight"
        ),
    },
)


# %% exercise="RotarySelfAttention" edits="slices written to a list"
NOT_TRANSPOSED = (
    "Heads and times are mixed: reshape to (batch, time, heads, width), then swap two axes.",
    {
        """        x = ops.reshape(x, (ops.shape(x)[0], ops.shape(x)[1], heads, self.width))
        return ops.transpose(x, (0, 2, 1, 3))""": (
            "        return ops.reshape(x, (ops.shape(x)[0], heads, ops.shape(x)[1], self.width))"
        )
    },
)


# %% exercise="RotarySelfAttention" edits="slices written to a list"
LAYER_OTHER_DIRECTION = (
    "The pairs are turned the other way. The first number of a pair becomes a cos θ − b sin θ.",
    {"[-x[..., 1::2], x[..., ::2]]": "[x[..., 1::2], -x[..., ::2]]"},
)
PADDED_SCORES_ZERO = (
    "The scores of padded keys are multiplied by the mask. A score of 0 still gets a weight: use a "
    "large negative number.",
    {
        'seen = ops.logical_and(seen, ops.cast(mask, "bool")[:, None, None])': (
            'scores = scores * ops.cast(mask, "float32")[:, None, None]'
        )
    },
    {
        'seen = ops.logical_and(seen, ops.cast(mask, "bool")[:, None, None])': (
            'scores = ops.where(seen, scores, -1e9) * ops.cast(mask, "float32")[:, None, None]\n'
            "            seen = ops.ones_like(seen)"
        )
    },
)
ONE_KEY_HEAD_BY_DEFAULT = (
    "Without num_kv_heads all query heads share one key head. The default is num_heads.",
    {"num_kv_heads or num_heads": "num_kv_heads or 1"},
)
OUTPUT_BIAS = (
    "The layer has a bias. It has four weights and no biases.",
    {
        "    def split(": (
            '        self.b_o = self.add_weight(shape=(self.d_model,), name="b_o")\n\n'
            "    def split("
        ),
        "ops.reshape(out, ops.shape(x)) @ self.w_o": (
            "ops.reshape(out, ops.shape(x)) @ self.w_o + self.b_o"
        ),
    },
)
OUTPUT_TURNED = (
    "w_o is transposed. The heads, side by side, are multiplied by w_o as it stands.",
    {"@ self.w_o\n": "@ ops.transpose(self.w_o)\n"},
)
TURNED_TWICE = (
    "The keys are turned twice. Turn them once, before or after they are repeated.",
    {
        "k = ops.repeat(k, self.heads // self.groups, axis=1)": (
            "k = self.rotated(ops.repeat(k, self.heads // self.groups, axis=1))"
        )
    },
)

# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="NOT_TRAINED"
{
    'shape=(self.d_model, shared), name="w_v")': (
        'shape=(self.d_model, shared), name="w_v", trainable=False)'
    )
}


# %% exercise="RotarySelfAttention" edits="slices written to a list"
LAYER_SEES_THE_LATER = (
    "The causal mask is turned round, so a token sees itself and the later ones. Position i "
    "attends to positions j ≤ i.",
    {"time[:, None] >= time[None]": "time[:, None] <= time[None]"},
)
LAYER_OVER_QUERIES = (
    "The softmax runs over the queries. The weights of one query must sum to 1 over the keys.",
    {"ops.where(seen, scores, -1e9))": "ops.where(seen, scores, -1e9), axis=-2)"},
)
INPUT_TURNED = (
    "x is turned before it is multiplied by w_q and w_k. Turn the queries and keys of every head.",
    {
        "        q = self.rotated(self.split(x @ self.w_q, self.heads))": (
            "        turned = self.rotated(x[:, None])[:, 0]\n"
            "        q = self.split(turned @ self.w_q, self.heads)"
        ),
        "self.rotated(self.split(x @ self.w_k, self.groups))": (
            "self.split(turned @ self.w_k, self.groups)"
        ),
        "rates = [self.n ** (-2 * i / self.width) for i in range(self.width // 2)]": (
            "size = x.shape[-1]\n"
            "        rates = [self.n ** (-2 * i / size) for i in range(size // 2)]"
        ),
    },
)
KEYS_TURNED_BACK = (
    "The keys are turned the other way from the queries, so a score depends on the sum of the "
    "positions. Turn both the same way.",
    {
        "k = self.rotated(self.split(x @ self.w_k, self.groups))": (
            "k = self.rotated(self.split(x @ self.w_k, self.groups) * ops.convert_to_tensor("
            "[1.0, -1.0] * (self.width // 2)))\n"
            "        k = k * ops.convert_to_tensor([1.0, -1.0] * (self.width // 2))"
        )
    },
)
PADDED_VALUES_ZERO = (
    "The values of padded tokens are set to 0, but their keys still get a weight. Hide their "
    "scores before the softmax.",
    {
        'seen = ops.logical_and(seen, ops.cast(mask, "bool")[:, None, None])': (
            'v = v * ops.cast(mask, "float32")[:, None, :, None]'
        )
    },
)
ANGLES_AMONG_WEIGHTS = (
    "The angles are stored as a weight. The layer has four weights, and the angles follow from n.",
    {
        "    def split(": (
            '        self.rates = self.add_weight(shape=(self.width // 2,), name="rates")\n\n'
            "    def split("
        )
    },
)

# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="ORDER_OF_WEIGHTS"
{
    '        self.w_o = self.add_weight(shape=(self.d_model, self.d_model), name="w_o")\n': "",
    "        self.w_q = self.add_weight": (
        '        self.w_o = self.add_weight(shape=(self.d_model, self.d_model), name="w_o")\n'
        "        self.w_q = self.add_weight"
    ),
}

# %% exercise="RotarySelfAttention" edits="slices written to a list" wrong="OUTPUT_BIAS"
{
    'name="w_q")\n': (
        'name="w_q")\n        self.b_q = self.add_weight(shape=(self.d_model,), name="b_q")\n'
    ),
    'name="w_k")\n': (
        'name="w_k")\n        self.b_k = self.add_weight(shape=(shared,), name="b_k")\n'
    ),
    'name="w_v")\n': (
        'name="w_v")\n        self.b_v = self.add_weight(shape=(shared,), name="b_v")\n'
    ),
    'name="w_o")\n': (
        'name="w_o")\n        self.b_o = self.add_weight(shape=(self.d_model,), name="b_o")\n'
    ),
}


# %% exercise="RotarySelfAttention" edits="slices written to a list"
NOT_TRAINABLE = (
    "A weight is made with trainable=False, so get_weights gives it after the others and training "
    "never changes it. Leave trainable out.",
    {'name="w_k"': 'name="w_k", trainable=False', 'name="w_v"': 'name="w_v", trainable=False'},
)
