"""The bank of chapter 6: wrong answers, each with the name of its mistake, and right ones."""

# %%
import keras
import numpy as np
from keras import ops

# %%
NO_SCALE = "The scores are not scaled. Divide them by the square root of d_k."
SCALED_BY_MODEL = (
    "The scores are divided by the square root of d_model. Each head divides by the square root of "
    "its own width, d_model / num_heads."
)
OVER_QUERIES = (
    "The softmax runs over the queries. The weights of one query must sum to 1 over the keys."
)
MASK_IGNORED = "The mask is ignored."
MASK_INVERTED = "The mask is read the wrong way round. True means that the key may be attended to."
MASK_AFTER = "The mask is applied after the softmax. The weights of the allowed keys must sum to 1."
MASK_AS_INDEX = (
    "scores[~mask] needs a mask of the full shape. np.where(mask, scores, -np.inf) broadcasts it."
)
SCORE_ZEROED = "A masked score is set to 0, which still has a weight. Masked weights must be 0."
MASK_ADDED = (
    "The mask itself is added to the scores, which changes them by 1 at most. A hidden key needs a "
    "score near minus infinity."
)
FULLY_MASKED_NAN = (
    "A query that may attend to no key gives nan, because its softmax is 0/0. Its weights and its "
    "output must be 0."
)
FULLY_MASKED_UNIFORM = (
    "A query that may attend to no key gets equal weights, as a softmax of equal scores does. Its "
    "weights and its output must be 0."
)
OVER_HEADS = "The softmax runs over the heads. The weights of a query sum to 1 over the keys."
HEADS_BEHIND_TIME = (
    "The head axis stays behind the time axis, so the heads of one token attend to each other. "
    "Move it in front of the time axis, in queries, keys and values."
)
MASK_OF_FIRST = (
    "The mask of the first example is used for all of them. Each has its own: mask[:, None]."
)
OVERFLOW = "The exponential overflows. Subtract the largest score of each query first."
SPLIT_BY_RESHAPE = (
    "The heads are cut by a reshape alone, which mixes time and features. Cut the last axis in two "
    "first, then move the head axis in front of the time."
)
INTERLEAVED = (
    "Head j gets every num_heads-th column. It must get the j-th block of neighbouring columns."
)
MERGED_BY_RESHAPE = (
    "The heads are merged by a reshape alone, which mixes heads and times. Move the head axis "
    "behind the time first."
)
NO_OUTPUT_PROJECTION = "The projection by w_o is missing. Multiply the merged heads by it."
ONE_HEAD = "There is a single head of the full width. Split the projections into num_heads heads."
TWO_HEADS = "The number of heads is fixed. It is the argument num_heads."
TRANSPOSED_WEIGHTS = "A weight array is transposed. Vectors are rows here, so project by x @ w."
ONE_PROJECTION = "Queries and keys share a projection. The keys need w_k."
HEADS_ADDED = "The heads are averaged. Put them side by side instead."
ALL_FALSE = (
    "A mask that is False everywhere is ignored. Whether a mask was given is asked by "
    "`mask is not None` alone."
)
MASK_MEETS_HEADS = (
    "The batch axis of the mask is aligned with the heads. A mask (batch, time_q, time_k) needs an "
    "axis for the heads: mask[:, None]."
)
ROWS_MEET_HEADS = (
    "The rows of a mask (time_q, time_k) are aligned with the heads. Only a mask of three axes "
    "needs another one, mask[:, None]."
)
BY_WIDTH = "The scores are divided by the width of a head. Divide them by its square root."
VALUES_BY_W_K = "The values are projected by w_k. They have weights of their own, w_v."
RESIDUAL = "The input is added to the output. Attention alone is asked for here."
HEADS_REVERSED = "The heads are in reverse order. Head 0 has the first block of columns."
MERGED_INTERLEAVED = (
    "The columns of the heads alternate after merging. The heads must stand side by side."
)


# %% exercise="scaled_dot_product_attention" right="bounds for masked rows"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1)
    return weights @ v, weights


# %% exercise="scaled_dot_product_attention" right="np.where for masked rows"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    highest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isfinite(highest), highest, 0))
    total = exponentials.sum(axis=-1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights @ v, weights


# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows" wrong="NO_SCALE"
{" / np.sqrt(q.shape[-1])": ""}

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows"
SCALED_BY_D_K = (
    "The scores are divided by d_k. Divide them by its square root.",
    {"np.sqrt(q.shape[-1])": "q.shape[-1]"},
)
SCALED_BY_LENGTH = (
    "The scores are divided by the square root of the number of keys. Divide them by the square "
    "root of d_k, the width of a query.",
    {"q.shape[-1]": "k.shape[-2]"},
)

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows" wrong="OVER_QUERIES"
{
    "scores.max(axis=-1, keepdims=True)": "scores.max(axis=-2, keepdims=True)",
    "(axis=-1, keepdims=True), 1": "(axis=-2, keepdims=True), 1",
}

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows"
OVER_ALL = (
    "The softmax runs over all scores together. Each query needs a softmax of its own.",
    {"scores.max(axis=-1, keepdims=True)": "scores.max()", "(axis=-1, keepdims=True), 1": "(), 1"},
)
REVERSED_AXES = (
    "k.T reverses all axes, the batch included. Swap only the last two: np.swapaxes(k, -1, -2).",
    {"np.swapaxes(k, -1, -2)": "k.T"},
)
SWAPPED_RESULTS = (
    "The results are in the wrong order. The output comes first, then the weights.",
    {"@ v, weights": ", weights @ v"},
)
OUTPUT_ONLY = (
    "Only the output is returned. The function must return the output and the weights.",
    {", weights": ""},
)

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows" wrong="MASK_IGNORED"
{"    if mask is not None:\n        scores = np.where(mask, scores, -np.inf)\n": ""}

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows" wrong="MASK_INVERTED"
{", scores, -np.inf": ", -np.inf, scores"}

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows" wrong="SCORE_ZEROED"
{"np.where(mask, scores, -np.inf)": "scores * mask"}

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows" wrong="MASK_ADDED"
{"np.where(mask, scores, -np.inf)": "scores + mask"}


# %% exercise="scaled_dot_product_attention" wrong="MASK_AFTER"
def scaled_dot_product_attention(q, k, v, mask=None):
    from scipy.special import softmax

    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    weights = softmax(scores, axis=-1)
    if mask is not None:
        weights = np.where(mask, weights, 0)
    return weights @ v, weights


# %% exercise="scaled_dot_product_attention" wrong="FULLY_MASKED_NAN"
def scaled_dot_product_attention(q, k, v, mask=None):
    from scipy.special import softmax

    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    return weights @ v, weights


# %% exercise="scaled_dot_product_attention" wrong="FULLY_MASKED_UNIFORM"
def scaled_dot_product_attention(q, k, v, mask=None):
    from scipy.special import softmax

    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = softmax(scores, axis=-1)
    return weights @ v, weights


# %% exercise="scaled_dot_product_attention" wrong="OVERFLOW"
def scaled_dot_product_attention(q, k, v, mask=None):
    exponentials = np.exp(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))
    if mask is not None:
        exponentials = np.where(mask, exponentials, 0)
    total = exponentials.sum(axis=-1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights @ v, weights


# %% exercise="scaled_dot_product_attention" wrong="MAXIMUM_OVER_MASKED"
MAXIMUM_OVER_MASKED = (
    "The largest score is taken over masked keys as well. If a masked score is much larger than "
    "the others, all exponentials become 0. Mask the scores first."
)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    if mask is not None:
        exponentials = np.where(mask, exponentials, 0)
    total = exponentials.sum(axis=-1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights @ v, weights


# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows" wrong="INPUT_CHANGED"
{
    ":\n    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])": (
        ":\n    q /= np.sqrt(q.shape[-1])\n    scores = q @ np.swapaxes(k, -1, -2)"
    )
}

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows"
SCALED_BY_VALUES = (
    "The scores are divided by the square root of d_v. Divide them by the square root of d_k, "
    "the width of a query.",
    {"q.shape": "v.shape"},
)
KEYS_AS_VALUES = "The weights are multiplied by k. Multiply them by v.", {"@ v": "@ k"}

# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows" wrong="MASK_AS_INDEX"
{"scores = np.where(mask, scores, -np.inf)": "scores[~mask] = -np.inf"}


# %% exercise="scaled_dot_product_attention" wrong="CLIPPED"
CLIPPED = (
    "The scores are clipped, so the differences between large scores are lost. Subtract the "
    "largest score of each query instead."
)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exponentials = np.exp(np.clip(scores, -50, 50))
    if mask is not None:
        exponentials = np.where(mask, exponentials, 0)
    total = exponentials.sum(axis=-1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights @ v, weights


# %% exercise="scaled_dot_product_attention" edits="np.where for masked rows"
SCALE_MULTIPLIED = (
    "The scores are multiplied by the square root of d_k. Divide them by it.",
    {"/ np.sqrt": "* np.sqrt"},
)
SCALED_AFTERWARDS = (
    "The weights are divided by the square root of d_k. Divide the scores, before the softmax.",
    {
        " / np.sqrt(q.shape[-1])": "",
        "(total > 0, total, 1)": (
            "(total > 0, total, 1)\n    weights = weights / np.sqrt(q.shape[-1])"
        ),
    },
)
LARGEST_OF_ALL = (
    "The largest of all scores is subtracted. Subtract the largest score of each query.",
    {"scores.max(axis=-1, keepdims=True)": "scores.max()"},
)
SCORES_RETURNED = (
    "The scores came back in place of the weights. Return what the softmax gives.",
    {", weights": ", scores"},
)


# %% exercise="scaled_dot_product_attention" right="a loop over the queries"
def scaled_dot_product_attention(q, k, v, mask=None):
    leading, (time_q, d_k), (time_k, d_v) = q.shape[:-2], q.shape[-2:], v.shape[-2:]
    output = np.zeros((*leading, time_q, d_v))
    weights = np.zeros((*leading, time_q, time_k))
    mask = np.broadcast_to(True if mask is None else mask, weights.shape)
    for place in np.ndindex(*leading, time_q):
        allowed = np.flatnonzero(mask[place])
        if len(allowed) == 0:
            continue
        scores = k[place[:-1]][allowed] @ q[place] / d_k**0.5
        shares = np.exp(scores - scores.max())
        weights[place][allowed] = shares / shares.sum()
        output[place] = weights[place] @ v[place[:-1]]
    return output, weights


# %% exercise="scaled_dot_product_attention" right="Keras, in float32, zeros after the softmax"
def scaled_dot_product_attention(q, k, v, mask=None):
    q, k, v = (ops.cast(array, "float32") for array in (q, k, v))
    scores = ops.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    if mask is None:
        mask = True
    weights = ops.softmax(ops.where(mask, scores, -1e9), axis=-1)
    weights = ops.where(mask, weights, 0.0)
    return ops.matmul(weights, v), weights


# %% exercise="scaled_dot_product_attention" right="SciPy's softmax, with nan turned into 0"
def scaled_dot_product_attention(q, k, v, mask=None):
    from scipy.special import softmax

    scores = np.matmul(q, np.moveaxis(k, -1, -2)) / np.sqrt(k.shape[-1])
    if mask is not None:
        scores = scores + np.where(mask, 0, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.nan_to_num(softmax(scores, axis=-1))
    return [np.einsum("...qk,...kd->...qd", weights, v), weights]


# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows"
SUM_OVER_ALL = (
    "The exponentials are divided by the sum over all queries. The weights of each query must sum "
    "to 1 on their own.",
    {"exponentials.sum(axis=-1, keepdims=True)": "exponentials.sum()"},
    {"exponentials.sum(axis=-1, keepdims=True)": "exponentials.sum(axis=(-2, -1), keepdims=True)"},
)
ALWAYS_CAUSAL = (
    "Later keys are hidden although the mask does not hide them. Only the argument mask says which "
    "keys a query may attend to.",
    {
        "    if mask is not None:\n": "    causal = np.tri(*scores.shape[-2:], dtype=bool)\n"
        "    scores = np.where(causal, scores, -np.inf)\n    if mask is not None:\n"
    },
)
AXIS_LOST = (
    "The maximum or the sum over the keys has lost its axis, so a query is given that of another "
    "one. Keep the axis: keepdims=True.",
    {"exponentials.sum(axis=-1, keepdims=True)": "exponentials.sum(axis=-1)"},
)
FULLY_MASKED_SEES_ALL = (
    "A query that may attend to no key attends as if nothing were hidden, because all its scores "
    "are lowered alike. Its weights and its output must be 0.",
    {"np.where(mask, scores, -np.inf)": "scores + (mask - 1.0) * 1e9"},
)


# %% exercise="scaled_dot_product_attention" edits="np.where for masked rows" wrong="ALL_FALSE"
{"if mask is not None:": "if mask is not None and mask.any():"}


# %% exercise="scaled_dot_product_attention" edits="np.where for masked rows"
AXIS_1_OF_K = (
    "The scores are divided by the square root of the length of axis 1, which is the width only "
    "if there is no batch. Use the last axis.",
    {"np.sqrt(q.shape[-1])": "np.sqrt(k.shape[1])"},
    {"np.sqrt(q.shape[-1])": "np.sqrt(q.shape[1])"},
)


# %% exercise="scaled_dot_product_attention" wrong="WEIGHTS_OF_NOTHING"
WEIGHTS_OF_NOTHING = (
    "Where a query may attend to nothing, the output is 0, but the weights are not. They must be "
    "0, too."
)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e300)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    output = weights @ v
    if mask is not None:
        output = np.where(np.any(mask, axis=-1, keepdims=True), output, 0.0)
    return output, weights


# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows"
OVERFLOW_MADE_ZERO = (
    "Large scores overflow, and what is not a number becomes 0. Subtract the largest score of each "
    "row before the exponential.",
    {
        "np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))": "np.exp(scores)",
        "exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1)": "np.nan_to_num("
        "exponentials / exponentials.sum(axis=-1, keepdims=True))",
    },
)


# %% exercise="scaled_dot_product_attention" edits="bounds for masked rows"
SCALED_BY_QUERIES = (
    "The scores are divided by the square root of the number of queries. Divide them by the square "
    "root of d_k, the width of a query.",
    {"q.shape[-1]": "q.shape[-2]"},
)
OVER_AXIS_1 = (
    "The softmax runs over axis 1, which counts the keys only if there is no batch. It must run "
    "over the last axis.",
    {
        "scores.max(axis=-1, keepdims=True)": "scores.max(axis=1, keepdims=True)",
        "(axis=-1, keepdims=True), 1": "(axis=1, keepdims=True), 1",
    },
)
SWAPS_AXES_1_AND_2 = (
    "Axes 1 and 2 of k are exchanged, which are the last two only if there is just a batch axis in "
    "front of them. Exchange the last two, whatever comes before them.",
    {"np.swapaxes(k, -1, -2)": "np.swapaxes(k, 1, 2)"},
    {"np.swapaxes(k, -1, -2)": "k.transpose(0, 2, 1)"},
)
SOFTMAX_TWICE = (
    "A softmax is taken of the weights again, which makes them nearly equal. One softmax of the "
    "scores is enough.",
    {
        "weights = exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1)": (
            "weights = exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1)\n"
            "    weights = np.exp(weights) / np.exp(weights).sum(axis=-1, keepdims=True)"
        )
    },
)
MASK_WITH_AXIS = (
    "Another axis is put into the mask. It broadcasts to the shape of the weights as it is.",
    {"np.where(mask,": "np.where(mask[..., None, :],"},
)

# %% exercise="scaled_dot_product_attention" wrong="BATCH_LOOP"
BATCH_LOOP = (
    "The first axis is taken for a batch, but there may be none, or a batch and heads. Compute "
    "with the last two axes, whatever comes before them."
)


def scaled_dot_product_attention(q, k, v, mask=None):
    outputs, all_weights = [], []
    for b in range(len(q)):
        scores = q[b] @ k[b].T / np.sqrt(q.shape[-1])
        if mask is not None:
            scores = np.where(mask if mask.ndim == 2 else mask[b], scores, -np.inf)
        exponentials = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))
        weights = exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1)
        outputs.append(weights @ v[b])
        all_weights.append(weights)
    return np.array(outputs), np.array(all_weights)


# %% exercise="causal_mask" right="np.tri and a comparison"
def causal_mask(length):
    return np.tri(length, dtype=bool)


def padding_mask(lengths, length):
    return np.arange(length) < lengths[:, None]


# %% exercise="causal_mask" edits="np.tri and a comparison"
FUTURE_ONLY = (
    "This is the upper triangle. Row i must be True up to and including position i.",
    {"np.tri(length, dtype=bool)": "np.triu(np.ones((length, length), dtype=bool))"},
)
NOT_ITSELF = (
    "The diagonal is False, but a token may attend to itself.",
    {"length,": "length, k=-1,"},
)
ONE_TOO_MANY = (
    "The diagonal above the main one is True, so every token sees the next one.",
    {"length,": "length, k=1,"},
)
NOT_BOOLEAN = (
    "The mask holds numbers. It must hold booleans: use dtype=bool or a comparison.",
    {"np.tri(length, dtype=bool)": "np.tril(np.ones((length, length)))"},
    {
        "np.arange(length) < lengths[:, None]": (
            "(np.arange(length) < lengths[:, None]).astype(float)"
        )
    },
)
PADS_MARKED = "The padding mask marks the padding. True must mark the real tokens.", {"<": ">="}
PADS_ONE_MORE = (
    "One token too many is marked. Position i is real if i is less than the length of its "
    "sequence.",
    {"<": "<="},
)
PADS_IN_FRONT = (
    "The real tokens are marked at the end. They come first in a sequence.",
    {"< lengths[:, None]": ">= length - lengths[:, None]"},
)
LONGEST = (
    "The mask is as wide as the longest sequence. Its width must be the argument length.",
    {"np.arange(length)": "np.arange(max(lengths))"},
)
TRANSPOSED = (
    "The padding mask is transposed. Its shape must be (batch, length).",
    {"< lengths[:, None]": "[:, None] < lengths"},
)
ALL_ALLOWED = (
    "Every entry is True, so tokens see later tokens. Row i must be True up to and including "
    "position i, and False after it.",
    {"np.tri(length, dtype=bool)": "np.ones((length, length), dtype=bool)"},
)
CAUSAL_WITH_BATCH = (
    "The causal mask has a batch axis. Its shape must be (length, length).",
    {"np.tri(length, dtype=bool)": "np.tri(length, dtype=bool)[None]"},
)
FEW_BEFORE = (
    "A token sees only itself and the token before it. Row i must be True from the first position "
    "up to and including position i.",
    {"np.tri(length, dtype=bool)": "np.triu(np.tri(length, dtype=bool), k=-1)"},
)
ONE_ROW_MORE = (
    "The causal mask has one row and one column too many. Its shape must be (length, length).",
    {"np.tri(length, dtype=bool)": "np.tri(length + 1, dtype=bool)"},
)
SIZE_FIXED = (
    "The size of the causal mask is fixed. It is the argument length.",
    {"np.tri(length, dtype=bool)": "np.tri(3, dtype=bool)"},
)
EMPTY_KEEPS_ONE = (
    "An empty sequence keeps a token. All entries of its row must be False.",
    {"< lengths[:, None]": "< np.maximum(lengths, 1)[:, None]"},
)
ALL_AS_LONGEST = (
    "All sequences have as many real tokens as the longest. Each has a length of its own.",
    {"< lengths[:, None]": "< np.max(lengths) + 0 * lengths[:, None]"},
)
PADS_REPEATED = (
    "The padding mask is repeated for every query. Its shape must be (batch, length).",
    {
        "np.arange(length) < lengths[:, None]": (
            "np.repeat((np.arange(length) < lengths[:, None])[:, None], length, axis=1)"
        )
    },
)
LAST_TOKEN_ONLY = (
    "Only the last real token is marked. True must mark all real tokens.",
    {"< lengths[:, None]": "== lengths[:, None] - 1"},
)
NO_PADS = (
    "Every entry is True, so the padding is not hidden. True must mark the real tokens alone.",
    {"np.arange(length) < lengths[:, None]": "np.ones((len(lengths), length), dtype=bool)"},
)
CAUSAL_INVERTED = (
    "The mask is inverted. True means that the token may be attended to.",
    {"np.tri(length, dtype=bool)": "np.triu(np.ones((length, length), dtype=bool), k=1)"},
)


# %% exercise="causal_mask" wrong="ONE_TOO_FEW"
ONE_TOO_FEW = "One token too few is marked. Positions count from 0."


def padding_mask(lengths, length):
    return np.arange(1, length + 1) < lengths[:, None]


# %% exercise="causal_mask" wrong="EXTRA_AXIS"
EXTRA_AXIS = "The padding mask has another axis for the queries. Its shape must be (batch, length)."


def padding_mask(lengths, length):
    return np.arange(length) < lengths[:, None, None]


# %% exercise="causal_mask" right="loops and lists"
def causal_mask(length):
    return [[key <= query for key in range(length)] for query in range(length)]


def padding_mask(lengths, length):
    mask = np.zeros((len(lengths), length), dtype=bool)
    for row, real in zip(mask, lengths, strict=True):
        row[:real] = True
    return mask


# %% exercise="causal_mask" edits="loops and lists"
NEGATIVE_SLICE = (
    "A sequence without padding has no real tokens, because the slice [-0:] takes everything. Mark "
    "its first lengths[i] positions instead.",
    {"np.zeros": "np.ones", "row[:real] = True": "row[-(length - real) :] = False"},
)


# %% exercise="causal_mask" right="Keras"
def causal_mask(length):
    return ops.cast(ops.tril(ops.ones((length, length))), "bool")


def padding_mask(lengths, length):
    return ops.arange(length)[None] < ops.convert_to_tensor(lengths, "int32")[:, None]


# %% exercise="causal_mask" edits="loops and lists"
NOT_ITSELF_BUT_THE_FIRST = (
    "Only the first token may attend to itself. Every token may.",
    {"key <= query": "key < max(query, 1)"},
)


# %% exercise="split_heads" right="all sizes named"
def split_heads(x, num_heads):
    batch, time, d = x.shape
    return x.reshape(batch, time, num_heads, d // num_heads).transpose(0, 2, 1, 3)


def merge_heads(x):
    batch, num_heads, time, width = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, time, num_heads * width)


# %% exercise="split_heads" edits="all sizes named" wrong="SPLIT_BY_RESHAPE"
{
    "x.reshape(batch, time, num_heads, d // num_heads).transpose(0, 2, 1, 3)": (
        "x.reshape(batch, num_heads, time, d // num_heads)"
    )
}
{
    "time, num_heads, d // num_heads).transpose(0, 2, 1, 3)": "num_heads, time, d // num_heads)",
    "x.transpose(0, 2, 1, 3).": "x.",
}

# %% exercise="split_heads" edits="all sizes named" wrong="INTERLEAVED"
{
    "num_heads, d // num_heads).transpose(0, 2, 1, 3)": (
        "d // num_heads, num_heads).transpose(0, 3, 1, 2)"
    ),
    "x.transpose(0, 2, 1, 3)": "x.transpose(0, 2, 3, 1)",
}

# %% exercise="split_heads" edits="all sizes named"
HEADS_FIRST = (
    "The head axis comes first. It must come after the batch axis.",
    {
        "x.reshape(batch, time, num_heads, d // num_heads).transpose(0, 2, 1, 3)": (
            "np.stack(np.split(x, num_heads, axis=-1))"
        )
    },
)
HEADS_LAST = (
    "The head axis comes after the time axis. It must come before it.",
    {".transpose(0, 2, 1, 3)\n\n\n": "\n\n\n"},
)
WIDTH_AS_HEADS = (
    "num_heads is used as the width of a head. The width is d / num_heads, and num_heads counts "
    "the heads.",
    {"num_heads, d //": "d // num_heads,"},
)

# %% exercise="split_heads" edits="all sizes named" wrong="MERGED_BY_RESHAPE"
{"x.transpose(0, 2, 1, 3)": "x"}


# %% exercise="split_heads" wrong="HEADS_REVERSED"
def split_heads(x, num_heads):
    batch, time, d = x.shape
    return x.reshape(batch, time, num_heads, -1).swapaxes(1, 2)[:, ::-1]


# %% exercise="split_heads" wrong="HEADS_REVERSED"
def merge_heads(x):
    batch, heads, time, width = x.shape
    return x[:, ::-1].swapaxes(1, 2).reshape(batch, time, heads * width)


# %% exercise="split_heads" wrong="FEATURES_BEFORE_TIME"
FEATURES_BEFORE_TIME = "The features of a head come before the time axis. They must come last."


def split_heads(x, num_heads):
    batch, time, d = x.shape
    return x.reshape(batch, time, num_heads, -1).transpose(0, 2, 3, 1)


# %% exercise="split_heads" wrong="MERGED_INTERLEAVED"
def merge_heads(x):
    batch, heads, time, width = x.shape
    return x.transpose(0, 2, 3, 1).reshape(batch, time, heads * width)


# %% exercise="split_heads" wrong="HEADS_ADDED"
def merge_heads(x):
    batch, heads, time, width = x.shape
    return x.mean(axis=1)


# %% exercise="split_heads" wrong="MERGED_IN_TIME"
MERGED_IN_TIME = "The heads are put one after another in time. They must stand side by side."


def merge_heads(x):
    batch, heads, time, width = x.shape
    return x.reshape(batch, heads * time, width)


# %% exercise="split_heads" wrong="TWO_HEADS"
def split_heads(x, num_heads):
    batch, time, d = x.shape
    return x.reshape(batch, time, 2, d // 2).swapaxes(1, 2)


# %% exercise="split_heads" right="slices and concatenation"
def split_heads(x, num_heads):
    width = x.shape[2] // num_heads
    return np.stack([x[:, :, j * width : (j + 1) * width] for j in range(num_heads)], axis=1)


def merge_heads(x):
    return np.concatenate([x[:, j] for j in range(x.shape[1])], axis=-1)


# %% exercise="split_heads" right="Keras, in float32"
def split_heads(x, num_heads):
    parts = ops.split(ops.convert_to_tensor(x, "float32"), num_heads, axis=2)
    return ops.stack(parts, axis=1)


def merge_heads(x):
    batch, num_heads, time, width = x.shape
    return ops.reshape(ops.moveaxis(x, 1, 2), (batch, time, num_heads * width))


# %% exercise="split_heads" edits="all sizes named"
TIME_CUT = (
    "The time axis is cut into heads. Every head has all the steps, and a block of the columns.",
    {
        "batch, time, num_heads, d // num_heads).transpose(0, 2, 1, 3)": ""
        "batch, num_heads, time // num_heads, d)"
    },
    {
        "x.reshape(batch, time, num_heads, d // num_heads).transpose(0, 2, 1, 3)": ""
        "np.stack(np.split(x, num_heads, axis=1), axis=1)"
    },
    {
        "x.reshape(batch, time, num_heads, d // num_heads).transpose(0, 2, 1, 3)": ""
        "np.stack(np.array_split(x, num_heads, axis=1), axis=1)"
    },
)
WHOLE_HEADS = (
    "Every head gets all the columns. Head j gets the j-th block of d / num_heads columns.",
    {
        "x.reshape(batch, time, num_heads, d // num_heads).transpose(0, 2, 1, 3)": ""
        "np.stack([x] * num_heads, axis=1)"
    },
)
NOT_JOINED = (
    "The head axis is moved behind the time, but not joined with the columns. The result has three "
    "axes, (batch, time, d).",
    {".reshape(batch, time, num_heads * width)": ""},
)
AXES_REVERSED = (
    "All axes are reversed. Only the head axis and the time axis change places.",
    {"x.transpose(0, 2, 1, 3)": "x.T"},
)
FEATURES_BEHIND_HEADS = (
    "The time axis and the features change places. The head axis and the time axis must do so.",
    {"x.transpose(0, 2, 1, 3)": "x.swapaxes(2, 3)"},
)
FIRST_HEAD_ONLY = (
    "Only the first head is returned. Put all heads side by side.",
    {"x.transpose(0, 2, 1, 3).reshape(batch, time, num_heads * width)": "x[:, 0]"},
)
EXAMPLES_MERGED = (
    "The examples of the batch are put side by side. Put the heads of each example side by side.",
    {
        "x.transpose(0, 2, 1, 3).reshape(batch, time, num_heads * width)": (
            "x.transpose(1, 2, 0, 3).reshape(num_heads, time, batch * width)"
        )
    },
)
JOINED_TOO_MUCH = (
    "More axes are joined than those of the heads and their columns. The result has three axes, "
    "(batch, time, d).",
    {".reshape(batch, time, num_heads * width)": ".reshape(-1, num_heads * width)"},
    {".reshape(batch, time, num_heads * width)": ".reshape(batch, -1)"},
)
HEADS_SUMMED = (
    "The heads are added up. Put them side by side instead.",
    {
        "x.transpose(0, 2, 1, 3).reshape(batch, time, num_heads * width)": "x.sum(axis=1)",
    },
)


# %% exercise="split_heads" edits="slices and concatenation"
TWO_HEADS_MERGED = (
    "merge_heads joins the first two heads. It must join all, however many there are.",
    {"range(x.shape[1])": "range(2)"},
)
FEATURES_READ_AS_TIME = (
    "The axes of time and features are exchanged, and what then lies in a row is read as (time, "
    "width). Within a head, times and features are mixed.",
    {
        "np.stack([x[:, :, j * width : (j + 1) * width] for j in range(num_heads)], axis=1)": (
            "np.swapaxes(x, 1, 2).reshape(len(x), num_heads, x.shape[1], width)"
        )
    },
)


# %% exercise="split_heads" edits="slices and concatenation"
HEADS_BEFORE_BATCH = (
    "The heads are stacked before the batch and then reshaped, which mixes heads and examples. "
    "Stack them along axis 1.",
    {
        "return np.stack([": "parts = [",
        "for j in range(num_heads)], axis=1)": "for j in range(num_heads)]\n"
        "    return np.array(parts).reshape(len(x), num_heads, -1, width)",
    },
)


# %% exercise="split_heads" edits="slices and concatenation"
ONE_EXAMPLE_MERGED = (
    "Only the heads of the first example are joined. The batch may hold several examples.",
    {"np.concatenate([x[:, j] for": "np.concatenate([x[:1, j] for"},
)


# %% exercise="split_heads" edits="all sizes named"
ONE_HEAD_UNSPLIT = (
    "With a single head there is no axis of heads. It must be there, with the length 1.",
    {
        "    return x.reshape(batch, time, num_heads, d // num_heads)": (
            "    if num_heads == 1:\n        return x\n"
            "    return x.reshape(batch, time, num_heads, d // num_heads)"
        )
    },
)

# %% exercise="split_heads" edits="all sizes named"
HEADS_IN_THE_BATCH = (
    "The heads are counted as further examples of the batch. Give them an axis of their own.",
    {
        ".transpose(0, 2, 1, 3)\n\n\n": ""
        ".transpose(0, 2, 1, 3).reshape(batch * num_heads, time, -1)\n\n\n"
    },
)


# %% exercise="split_heads" wrong="EXAMPLES_JOINED"
EXAMPLES_JOINED = (
    "All examples are joined into one long sequence. Keep the batch axis: a batch may hold more "
    "than one example."
)


def split_heads(x, num_heads):
    width = x.shape[-1] // num_heads
    return x.reshape(-1, num_heads, width).transpose(1, 0, 2)[None]


def merge_heads(x):
    heads, time, width = x[0].shape
    return x[0].transpose(1, 0, 2).reshape(1, time, heads * width)


# %% exercise="multi_head_attention" right="earlier functions"
def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    queries = split_heads(q @ w_q, num_heads)
    keys = split_heads(k @ w_k, num_heads)
    values = split_heads(v @ w_v, num_heads)
    heads, _ = scaled_dot_product_attention(queries, keys, values, mask)
    return merge_heads(heads) @ w_o


# %% exercise="multi_head_attention" right="NumPy alone"
def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    def split(x):
        return x.reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2)

    queries, keys, values = split(q @ w_q), split(k @ w_k), split(v @ w_v)
    scores = queries @ np.swapaxes(keys, 2, 3) / np.sqrt(queries.shape[-1])
    allowed = np.ones(scores.shape, dtype=bool)
    if mask is not None:
        allowed &= mask[:, None] if mask.ndim == 3 else mask
    exponentials = np.where(allowed, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
    total = exponentials.sum(axis=-1, keepdims=True)
    attended = exponentials / np.where(total > 0, total, 1) @ values
    return attended.swapaxes(1, 2).reshape(q.shape) @ w_o


# %% exercise="multi_head_attention" edits="earlier functions" wrong="NO_OUTPUT_PROJECTION"
{" @ w_o": ""}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="ONE_HEAD"
{
    "q @ w_q, num_heads": "q @ w_q, 1",
    "k @ w_k, num_heads": "k @ w_k, 1",
    "v @ w_v, num_heads": "v @ w_v, 1",
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="TWO_HEADS"
{
    "q @ w_q, num_heads": "q @ w_q, 2",
    "k @ w_k, num_heads": "k @ w_k, 2",
    "v @ w_v, num_heads": "v @ w_v, 2",
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="SCALED_BY_MODEL"
{"heads, _": "narrower = queries / np.sqrt(num_heads)\n    heads, _", "queries,": "narrower,"}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="NO_SCALE"
{"heads, _": "wider = queries * np.sqrt(queries.shape[3])\n    heads, _", "queries,": "wider,"}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="OVER_QUERIES"
{
    "mask=None):": "mask=None):\n    from scipy.special import softmax\n",
    "heads, _ = scaled_dot_product_attention(queries, keys, values, mask)": (
        "scores = queries @ keys.swapaxes(2, 3) / np.sqrt(queries.shape[3])\n"
        "    if mask is not None:\n"
        "        scores = np.where(mask, scores, -1e9)\n"
        "    heads = softmax(scores, axis=2) @ values"
    ),
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="TRANSPOSED_WEIGHTS"
{"@ w_q": "@ w_q.T", "@ w_k": "@ w_k.T", "@ w_v": "@ w_v.T", "@ w_o": "@ w_o.T"}
{"@ w_o": "@ w_o.T"}

# %% exercise="multi_head_attention" edits="earlier functions"
VALUES_FROM_KEYS = (
    "The values are projected from k. They must be projected from v.",
    {"v @ w_v": "k @ w_v"},
)

# %% exercise="multi_head_attention" edits="earlier functions" wrong="ONE_PROJECTION"
{"@ w_k": "@ w_q"}

# %% exercise="multi_head_attention" edits="earlier functions"
NOT_PROJECTED = (
    "The arguments q, k and v are used as they are. They are the vectors before the projection, so "
    "multiply them by w_q, w_k and w_v first.",
    {"q @ w_q": "q", "k @ w_k": "k", "v @ w_v": "v"},
)
VALUES_NOT_PROJECTED = (
    "The values are not projected. Multiply v by w_v.",
    {"v @ w_v": "v"},
)
SELF_ONLY = (
    "Keys and values are projected from q. They must be projected from k and v.",
    {"k @ w_k": "q @ w_k", "v @ w_v": "q @ w_v"},
)


# %% exercise="multi_head_attention" wrong="INTERLEAVED"
def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]

    def split(x):
        return np.moveaxis(x.reshape(*x.shape[:2], -1, num_heads), 3, 1)

    queries = split(q @ w_q)
    keys = split(k @ w_k)
    values = split(v @ w_v)
    heads, _ = scaled_dot_product_attention(queries, keys, values, mask)
    return np.moveaxis(heads, 1, 3).reshape(q.shape) @ w_o


# %% exercise="multi_head_attention" edits="earlier functions" wrong="SPLIT_BY_RESHAPE"
{
    "split_heads(q @ w_q, num_heads)": "(q @ w_q).reshape(len(q), num_heads, q.shape[1], -1)",
    "split_heads(k @ w_k, num_heads)": "(k @ w_k).reshape(len(k), num_heads, k.shape[1], -1)",
    "split_heads(v @ w_v, num_heads)": "(v @ w_v).reshape(len(v), num_heads, v.shape[1], -1)",
    "merge_heads(heads)": "heads.reshape(q.shape)",
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="MERGED_BY_RESHAPE"
{"merge_heads(heads)": "heads.reshape(q.shape)"}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="HEADS_ADDED"
{"merge_heads(heads)": "np.tile(heads.mean(axis=1), num_heads)"}


# %% exercise="multi_head_attention" wrong="SPLIT_BEFORE"
SPLIT_BEFORE = (
    "The inputs are split before they are projected, so no head sees all of their features. "
    "Project first, then split."
)


def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    width = q.shape[2] // num_heads
    blocks = range(num_heads), slice(None)
    w_q, w_k, w_v = (
        np.stack([w[j * width : (j + 1) * width, j * width : (j + 1) * width] for j in blocks[0]])
        for w in (w_q, w_k, w_v)
    )
    queries = split_heads(q, num_heads) @ w_q
    keys = split_heads(k, num_heads) @ w_k
    values = split_heads(v, num_heads) @ w_v
    heads, _ = scaled_dot_product_attention(queries, keys, values, mask)
    return merge_heads(heads) @ w_o


# %% exercise="multi_head_attention" edits="earlier functions" wrong="MASK_IGNORED"
{
    "    if mask is not None and mask.ndim == 3:\n        mask = mask[:, None]\n": "",
    "values, mask": "values",
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="MASK_INVERTED"
{" and mask.ndim == 3": "", "mask[:, None]": "~mask if mask.ndim == 2 else ~mask[:, None]"}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="MASK_AFTER"
{
    "heads, _": "_, weights",
    "(queries, keys, values, mask)": (
        "(queries, keys, values)\n"
        "    if mask is not None:\n"
        "        weights = weights * mask\n"
        "    heads = weights @ values"
    ),
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="MASK_MEETS_HEADS"
{"    if mask is not None and mask.ndim == 3:\n        mask = mask[:, None]\n": ""}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="FULLY_MASKED_NAN"
{
    "mask=None):": "mask=None):\n    from scipy.special import softmax\n",
    "heads, _ = scaled_dot_product_attention(queries, keys, values, mask)": (
        "scores = queries @ keys.swapaxes(2, 3) / np.sqrt(queries.shape[3])\n"
        "    if mask is not None:\n"
        "        scores = np.where(mask, scores, -np.inf)\n"
        "    heads = softmax(scores, axis=3) @ values"
    ),
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="FULLY_MASKED_UNIFORM"
{
    "mask=None):": "mask=None):\n    from scipy.special import softmax\n",
    "heads, _ = scaled_dot_product_attention(queries, keys, values, mask)": (
        "scores = queries @ keys.swapaxes(2, 3) / np.sqrt(queries.shape[3])\n"
        "    if mask is not None:\n"
        "        scores = np.where(mask, scores, -1e9)\n"
        "    heads = softmax(scores, axis=3) @ values"
    ),
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="INPUT_CHANGED"
{
    "queries = split_heads(q @ w_q, num_heads)": (
        "w_q /= np.sqrt(q.shape[2] // num_heads)\n"
        "    queries = split_heads(q @ w_q, num_heads) * np.sqrt(q.shape[2] // num_heads)"
    )
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="TRANSPOSED_WEIGHTS"
{"@ w_q": "@ w_q.T", "@ w_k": "@ w_k.T", "@ w_v": "@ w_v.T"}

# %% exercise="multi_head_attention" edits="earlier functions"
KEYS_AND_VALUES = (
    "Keys and values are exchanged. The keys are k @ w_k, the values are v @ w_v.",
    {"@ w_k": "@ w_v", "@ w_v": "@ w_k"},
    {"k @ w_k": "v @ w_v", "v @ w_v": "k @ w_k"},
)

# %% exercise="multi_head_attention" edits="earlier functions" wrong="SPLIT_BY_RESHAPE"
{
    "split_heads(q @ w_q, num_heads)": "(q @ w_q).reshape(len(q), num_heads, q.shape[1], -1)",
    "split_heads(k @ w_k, num_heads)": "(k @ w_k).reshape(len(k), num_heads, k.shape[1], -1)",
    "split_heads(v @ w_v, num_heads)": "(v @ w_v).reshape(len(v), num_heads, v.shape[1], -1)",
}

# %% exercise="multi_head_attention" edits="earlier functions"
FIRST_ROW = (
    "All queries get the first row of the mask. Each query has a row of its own.",
    {
        " and mask.ndim == 3": "",
        "mask[:, None]": "mask[:1] if mask.ndim == 2 else mask[:, None, :1]",
    },
)

# %% exercise="multi_head_attention" edits="earlier functions" wrong="ROWS_MEET_HEADS"
{" and mask.ndim == 3": ""}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="MASK_AS_INDEX"
{
    "heads, _ = scaled_dot_product_attention(queries, keys, values, mask)": (
        "scores = queries @ keys.swapaxes(2, 3) / np.sqrt(queries.shape[3])\n"
        "    if mask is not None:\n"
        "        scores[~mask] = -np.inf\n"
        "    exponentials = np.exp("
        "scores - np.maximum(scores.max(axis=3, keepdims=True), -1e300))\n"
        "    weights = exponentials / np.maximum(exponentials.sum(axis=3, keepdims=True), 1)"
    ),
    "merge_heads(heads)": "merge_heads(weights @ values)",
}

# %% exercise="multi_head_attention" edits="NumPy alone"
QUERY_KEY_SWAPPED = (
    "The queries are projected by w_k and the keys by w_q. Each has its own weights.",
    {"@ w_q": "@ w_k", "@ w_k": "@ w_q"},
)

# %% exercise="multi_head_attention" edits="NumPy alone"
WIDTH_HEADS = (
    "num_heads is used as the width of a head. The width is d_model / num_heads, and num_heads "
    "counts the heads.",
    {"num_heads, -1": "-1, num_heads"},
)

# %% exercise="multi_head_attention" edits="NumPy alone" wrong="INTERLEAVED"
{
    "x.reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2)": (
        "x.reshape(*x.shape[:2], -1, num_heads).transpose(0, 3, 1, 2)"
    )
}

# %% exercise="multi_head_attention" edits="NumPy alone" wrong="MASK_ADDED"
{
    "allowed &= mask[:, None] if": "scores = scores + mask[:, None] if",
    "else mask\n": "else scores + mask\n",
}

# %% exercise="multi_head_attention" edits="NumPy alone" wrong="SCORE_ZEROED"
{
    "allowed &= mask[:, None] if": "scores = scores * mask[:, None] if",
    "else mask\n": "else scores * mask\n",
}

# %% exercise="multi_head_attention" edits="NumPy alone" wrong="HEADS_REVERSED"
{"attended.": "attended[:, ::-1]."}

# %% exercise="multi_head_attention" edits="NumPy alone" wrong="MERGED_INTERLEAVED"
{"attended.swapaxes(1, 2)": "attended.transpose(0, 2, 3, 1)"}


# %% exercise="multi_head_attention" right="a loop over the heads, with slices of the weights"
def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    from scipy.special import softmax

    width = w_q.shape[1] // num_heads
    output = 0
    for start in range(0, w_q.shape[1], width):
        columns = slice(start, start + width)
        scores = (q @ w_q[:, columns]) @ (k @ w_k[:, columns]).transpose(0, 2, 1) / width**0.5
        weights = softmax(scores, axis=-1)
        if mask is not None:
            shares = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
            total = shares.sum(axis=-1, keepdims=True)
            weights = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
        output = output + weights @ (v @ w_v[:, columns]) @ w_o[columns]
    return output


# %% exercise="multi_head_attention" right="einsum on four axes, Keras in float32"
def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    def project(x, w):
        w = np.reshape(w, (len(w), num_heads, -1))
        return ops.einsum("btd,dhw->bthw", ops.cast(x, "float32"), ops.cast(w, "float32"))

    queries = project(q, w_q)
    scores = ops.einsum("bqhw,bkhw->bhqk", queries, project(k, w_k)) / queries.shape[-1] ** 0.5
    allowed = np.ones(scores.shape, dtype=bool)
    if mask is not None:
        allowed &= mask if np.ndim(mask) == 2 else np.expand_dims(mask, 1)
    weights = ops.softmax(ops.where(allowed, scores, -1e30)) * allowed.astype("float32")
    heads = ops.einsum("bhqk,bkhw->bqhw", weights, project(v, w_v))
    return ops.matmul(ops.reshape(heads, q.shape), ops.cast(w_o, "float32"))


# %% exercise="multi_head_attention" edits="earlier functions" wrong="TRANSPOSED_WEIGHTS"
{"@ w_q": "@ w_q.T"}
{"@ w_k": "@ w_k.T"}
{"@ w_v": "@ w_v.T"}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="BY_WIDTH"
{
    "    queries = split_heads(q @ w_q, num_heads)\n": ""
    "    queries = split_heads(q @ w_q, num_heads) / (q.shape[2] // num_heads) ** 0.5\n"
}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="VALUES_BY_W_K"
{"v @ w_v": "v @ w_k"}

# %% exercise="multi_head_attention" edits="earlier functions" wrong="RESIDUAL"
{"return merge_heads": "return q + merge_heads"}

# %% exercise="multi_head_attention" edits="earlier functions"
KEYS_FROM_QUERIES = (
    "The keys are projected from q. They must be projected from k.",
    {"k @ w_k": "q @ w_k"},
)
QUERIES_NOT_PROJECTED = (
    "The queries or the keys are not projected. Multiply q by w_q and k by w_k.",
    {"q @ w_q": "q", "k @ w_k": "k"},
    {"q @ w_q": "q"},
    {"k @ w_k": "k"},
)
OUTPUT_AND_WEIGHTS = (
    "The weights are returned, too. The function must return the output alone.",
    {
        "heads, _ =": "heads, weights =",
        "return merge_heads(heads) @ w_o": "return merge_heads(heads) @ w_o, weights",
    },
)


# %% exercise="multi_head_attention" edits="NumPy alone" wrong="ALL_FALSE"
{"if mask is not None:": "if mask is not None and mask.any():"}


# %% exercise="multi_head_attention" edits="earlier functions" wrong="MASK_OF_FIRST"
{"mask = mask[:, None]": "mask = mask[0]"}

# %% exercise="multi_head_attention" edits="earlier functions"
AXIS_BEHIND_QUERIES = (
    "The axis for the heads is put behind the queries. It belongs behind the batch: mask[:, None].",
    {"mask = mask[:, None]": "mask = mask[:, :, None]"},
)


# %% exercise="multi_head_attention" edits="earlier functions"
MASK_KNOWN_BY_ITS_LENGTH = (
    "A mask is taken for one per example where its first axis is as long as the batch. Its number "
    "of axes says what it is.",
    {
        "mask.ndim == 3": "len(mask) == len(q)",
        "mask[:, None]": "np.reshape(mask, (len(q), 1, -1, mask.shape[-1]))",
    },
)
WEIGHTS_RESHAPED = (
    "The weight matrices are reshaped into the heads, which mixes their columns. A head has width "
    "columns of each matrix that lie next to each other.",
    {
        "split_heads(q @ w_q, num_heads)": ("q[:, None] @ w_q.reshape(num_heads, len(w_q), -1)"),
        "split_heads(k @ w_k, num_heads)": ("k[:, None] @ w_k.reshape(num_heads, len(w_k), -1)"),
        "split_heads(v @ w_v, num_heads)": ("v[:, None] @ w_v.reshape(num_heads, len(w_v), -1)"),
    },
)


# %% exercise="multi_head_attention" edits="earlier functions"
MASK_BY_ITS_LENGTH = (
    "A mask counts as one per example when its first axis is as long as the batch, which may be so "
    "by chance. Its number of axes, 2 or 3, says what it is.",
    {"mask.ndim == 3": "len(mask) == len(q)"},
)


# %% exercise="multi_head_attention" edits="NumPy alone"
SCALED_BY_HEADS = (
    "The scores are divided by the square root of the number of heads. Each head divides by the "
    "square root of its own width, d_model / num_heads.",
    {"np.sqrt(queries.shape[-1])": "np.sqrt(num_heads)"},
)

# %% exercise="multi_head_attention" edits="earlier functions"
VALUES_FROM_Q = (
    "The values are projected from q. They must be projected from v.",
    {"v @ w_v": "q @ w_v"},
)

# %% exercise="multi_head_attention" edits="earlier functions" wrong="HEADS_BEHIND_TIME"
{
    "split_heads(q @ w_q, num_heads)": "split_heads(q @ w_q, num_heads).swapaxes(1, 2)",
    "split_heads(k @ w_k, num_heads)": "split_heads(k @ w_k, num_heads).swapaxes(1, 2)",
    "split_heads(v @ w_v, num_heads)": "split_heads(v @ w_v, num_heads).swapaxes(1, 2)",
    "merge_heads(heads)": "merge_heads(heads.swapaxes(1, 2))",
}


# %% exercise="multi_head_attention" wrong="OVER_HEADS"
def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    queries = split_heads(q @ w_q, num_heads)
    keys = split_heads(k @ w_k, num_heads)
    values = split_heads(v @ w_v, num_heads)
    scores = queries @ np.swapaxes(keys, 2, 3) / np.sqrt(queries.shape[-1])
    if mask is not None:
        scores = np.where(mask if mask.ndim == 2 else mask[:, None], scores, -np.inf)
    exponentials = np.exp(scores - np.maximum(scores.max(axis=1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1)
    return merge_heads(weights @ values) @ w_o


# %% exercise="multi_head_attention" edits="NumPy alone" wrong="OVERFLOW"
{"np.exp(scores - scores.max(axis=-1, keepdims=True))": "np.exp(scores)"}


# %% exercise="multi_head_attention" wrong="FIRST_BLOCK"
FIRST_BLOCK = (
    "All heads read the columns of head 0. Head j has the columns from j * width to (j + 1) * "
    "width, where width = d_model // num_heads."
)


def multi_head_attention(q, k, v, w_q, w_k, w_v, w_o, num_heads, mask=None):
    width = q.shape[-1] // num_heads
    outputs = []
    for _ in range(num_heads):
        queries, keys, values = q @ w_q[:, :width], k @ w_k[:, :width], v @ w_v[:, :width]
        outputs.append(scaled_dot_product_attention(queries, keys, values, mask)[0])
    return np.concatenate(outputs, axis=-1) @ w_o


# %% exercise="multi_head_attention" edits="earlier functions"
MASK_TURNED = (
    "The mask is transposed. Its rows are the queries, and its columns are the keys.",
    {
        "mask = mask[:, None]\n": "mask = mask[:, None]\n"
        "    if mask is not None and mask.shape[-1] == mask.shape[-2]:\n"
        "        mask = np.swapaxes(mask, -1, -2)\n"
    },
)


# %% exercise="MultiHeadSelfAttention" right="four square matrices"
class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model, self.num_heads = d_model, num_heads

    def build(self, input_shape):
        shape = (self.d_model, self.d_model)
        self.w_q = self.add_weight(shape=shape)
        self.w_k = self.add_weight(shape=shape)
        self.w_v = self.add_weight(shape=shape)
        self.w_o = self.add_weight(shape=shape)

    def split(self, x):
        x = ops.reshape(x, (-1, x.shape[1], self.num_heads, self.d_model // self.num_heads))
        return ops.transpose(x, (0, 2, 1, 3))

    def call(self, x, mask=None):
        q, k, v = self.split(x @ self.w_q), self.split(x @ self.w_k), self.split(x @ self.w_v)
        scores = q @ ops.transpose(k, (0, 1, 3, 2)) / np.sqrt(self.d_model // self.num_heads)
        if mask is not None:
            mask = mask if len(mask.shape) == 2 else mask[:, None]
            scores = ops.where(mask, scores, -1e9)
        heads = ops.transpose(ops.softmax(scores) @ v, (0, 2, 1, 3))
        return ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o

    def get_config(self):
        return {**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}


# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
BY_NUMBER_OF_HEADS = (
    "The scores are divided by the square root of the number of heads. Divide them by the square "
    "root of the width of a head, d_model // num_heads.",
    {"np.sqrt(self.d_model // self.num_heads)": "np.sqrt(self.num_heads)"},
)
NOT_RESTORED = (
    "The layer does not survive saving and loading. get_config must return what __init__ needs, "
    "and __init__ must take all that get_config returns.",
    {", **kwargs": "", "(**kwargs)": "()"},
    {
        '{**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}': (
            "super().get_config()"
        )
    },
    {', "num_heads": self.num_heads}': "}"},
    {', "d_model": self.d_model,': ","},
)
BATCH_FIXED = (
    "The batch size is read from x.shape, where it is None while a model is built. Use -1 for it "
    "in ops.reshape.",
    {
        "-1, x.shape[1], self.num_heads": "*x.shape[:2], self.num_heads",
        ", (-1, x.shape[1], self.d_model)": ", x.shape",
    },
)

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="NO_SCALE"
{" / np.sqrt(self.d_model // self.num_heads)": ""}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="SCALED_BY_MODEL"
{"(self.d_model // self.num_heads)": "(self.d_model)"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="OVER_QUERIES"
{"(scores)": "(scores, axis=2)"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="INTERLEAVED"
{
    "self.num_heads, self.d_model //": "self.d_model // self.num_heads,",
    "x, (0, 2, 1, 3)": "x, (0, 3, 1, 2)",
    "v, (0, 2, 1, 3)": "v, (0, 2, 3, 1)",
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="SPLIT_BY_RESHAPE"
{
    "x = ops.reshape(x, (-1, x.shape[1], self.num_heads, self.d_model // self.num_heads))": (
        "shape = (-1, self.num_heads, x.shape[1], self.d_model // self.num_heads)"
    ),
    "ops.transpose(x, (0, 2, 1, 3))": "ops.reshape(x, shape)",
    "ops.transpose(ops.softmax(scores) @ v, (0, 2, 1, 3))": "ops.softmax(scores) @ v",
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
BIASES = (
    "The layer has biases. It must have four weights without biases.",
    {
        "\n    def build(self, input_shape):\n        shape = (self.d_model, self.d_model)\n": "",
        "w_q = self.add_weight(shape=shape)": "query = keras.layers.Dense(d_model)",
        "w_k = self.add_weight(shape=shape)": "key = keras.layers.Dense(d_model)",
        "w_v = self.add_weight(shape=shape)": "value = keras.layers.Dense(d_model)",
        "w_o = self.add_weight(shape=shape)": "out = keras.layers.Dense(d_model)",
        "x @ self.w_q": "self.query(x)",
        "x @ self.w_k": "self.key(x)",
        "x @ self.w_v": "self.value(x)",
        "ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o": (
            "self.out(ops.reshape(heads, (-1, x.shape[1], self.d_model)))"
        ),
    },
)
COLUMNS_ALIKE = (
    "The columns of a new weight matrix are all equal. Keep Keras's default initializer, which "
    "draws random numbers.",
    {"o = self.add_weight(shape=shape": 'o = self.add_weight(shape=shape, initializer="zeros"'},
    {
        "q = self.add_weight(shape=shape": 'q = self.add_weight(shape=shape, initializer="zeros"',
        "k = self.add_weight(shape=shape": 'k = self.add_weight(shape=shape, initializer="zeros"',
        "v = self.add_weight(shape=shape": 'v = self.add_weight(shape=shape, initializer="zeros"',
        "o = self.add_weight(shape=shape": 'o = self.add_weight(shape=shape, initializer="zeros"',
    },
)

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="COLUMNS_ALIKE"
{
    "q = self.add_weight(shape=shape": 'q = self.add_weight(shape=shape, initializer="ones"',
    "k = self.add_weight(shape=shape": 'k = self.add_weight(shape=shape, initializer="ones"',
    "v = self.add_weight(shape=shape": 'v = self.add_weight(shape=shape, initializer="ones"',
    "o = self.add_weight(shape=shape": 'o = self.add_weight(shape=shape, initializer="ones"',
}

# %% exercise="MultiHeadSelfAttention" wrong="KERAS_SHAPES"
KERAS_SHAPES = "The weights have the shapes of Keras's own layer. Each must be (d_model, d_model)."


class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model, self.num_heads = d_model, num_heads
        width = d_model // num_heads
        self.attention = keras.layers.MultiHeadAttention(num_heads, width, use_bias=False)

    def build(self, input_shape):
        self.attention.build(input_shape, input_shape)

    def call(self, x, mask=None):
        return self.attention(x, x, attention_mask=mask)

    def get_config(self):
        return {**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}


# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="MERGED_BY_RESHAPE"
{"ops.transpose(ops.softmax(scores) @ v, (0, 2, 1, 3))": "ops.softmax(scores) @ v"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="ONE_HEAD"
{
    "self.num_heads, self.d_model // self.num_heads": "1, self.d_model",
    "(self.d_model // self.num_heads)": "(self.d_model)",
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="NO_OUTPUT_PROJECTION"
{" @ self.w_o": ""}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="ONE_PROJECTION"
{"@ self.w_k": "@ self.w_q"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
WEIGHT_ORDER = (
    "The weights are in the wrong order. It must be w_q, w_k, w_v, w_o.",
    {
        "self.w_q =": "self.w_o = self.add_weight(shape=shape)\n        self.w_q =",
        " = self.add_weight(shape=shape)\n        self.w_o": "",
    },
    {"self.w_q =": "self.w_k =", "self.w_k =": "self.w_q ="},
)
ONE_LENGTH = (
    "The layer is fixed to the length that it was built with. It must accept sequences of any "
    "length.",
    {
        "        self.w_q": "        self.time = input_shape[1]\n        self.w_q",
        "x.shape[1], self.num_heads": "self.time, self.num_heads",
        "x.shape[1], self.d_model": "self.time, self.d_model",
    },
)

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="MASK_IGNORED"
{
    (
        "if mask is not None:\n"
        "            mask = mask if len(mask.shape) == 2 else mask[:, None]\n"
        "            scores = ops.where(mask, scores, -1e9)\n"
        "        "
    ): ""
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="MASK_INVERTED"
{", scores, -1e9": ", -1e9, scores"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="SCORE_ZEROED"
{"-1e9": "0.0"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="MASK_AFTER"
{
    "scores = q @ ops.transpose(k, (0, 1, 3, 2)) / np.sqrt(self.d_model // self.num_heads)": (
        "weights = ops.softmax(\n"
        "            q @ ops.transpose(k, (0, 1, 3, 2)) / np.sqrt(self.d_model // self.num_heads)\n"
        "        )"
    ),
    "scores = ops.where(mask, scores, -1e9)": "weights = weights * ops.cast(mask, weights.dtype)",
    "ops.softmax(scores)": "weights",
}

# %% exercise="MultiHeadSelfAttention" wrong="NOT_TRAINABLE"
NOT_TRAINABLE = (
    "No gradient reaches the weights inside a model. Compute with keras.ops instead of NumPy."
)


class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model, self.num_heads = d_model, num_heads

    def build(self, input_shape):
        shape = (self.d_model, self.d_model)
        self.four = [self.add_weight(shape=shape) for _ in range(4)]

    def call(self, x, mask=None):
        x = np.asarray(x)
        weights = [np.asarray(w) for w in self.four]
        return ops.convert_to_tensor(
            multi_head_attention(x, x, x, *weights, self.num_heads, mask), "float32"
        )

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}


# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
FROZEN = (
    "A weight is created with trainable=False, so training never changes it.",
    {
        "self.w_o = self.add_weight(shape=shape)": (
            "self.w_o = self.add_weight(shape=shape, trainable=False)"
        )
    },
)

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="MASK_MEETS_HEADS"
{"mask = mask if len(mask.shape) == 2 else mask[:, None]\n            ": ""}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="WEIGHT_ORDER"
{"self.w_k =": "self.w_v =", "self.w_v =": "self.w_k ="}
{"self.w_v =": "self.w_o =", "self.w_o =": "self.w_v ="}
{"self.w_q =": "self.w_v =", "self.w_v =": "self.w_q ="}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="TRANSPOSED_WEIGHTS"
{
    "self.split(x @ self.w_q), self.split(x @ self.w_k), self.split(x @ self.w_v)": (
        "(self.split(x @ ops.transpose(w)) for w in (self.w_q, self.w_k, self.w_v))"
    ),
    "@ self.w_o": "@ ops.transpose(self.w_o)",
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="SPLIT_BY_RESHAPE"
{
    "x = ops.reshape(x, (-1, x.shape[1], self.num_heads, self.d_model // self.num_heads))": (
        "shape = (-1, self.num_heads, x.shape[1], self.d_model // self.num_heads)"
    ),
    "ops.transpose(x, (0, 2, 1, 3))": "ops.reshape(x, shape)",
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
FILL_TOO_LARGE = (
    "A masked score is replaced by a number that other scores may fall below. Use a far smaller "
    "one, such as -1e9.",
    {"-1e9": "-100.0"},
    {"-1e9": "-1e4"},
)

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="ROWS_MEET_HEADS"
{
    "mask = mask if len(mask.shape) == 2 else mask[:, None]\n            ": "",
    "mask,": "mask[:, None],",
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="OVERFLOW"
{
    "        heads": (
        "        shares = ops.exp(scores)\n"
        "        weights = shares / ops.sum(shares, axis=-1, keepdims=True)\n"
        "        heads"
    ),
    "ops.softmax(scores)": "weights",
}


# %% exercise="MultiHeadSelfAttention" wrong="INTERLEAVED"
class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model = d_model
        self.num_heads = num_heads

    def build(self, input_shape):
        shape = (self.d_model, self.d_model)
        self.w_q, self.w_k, self.w_v, self.w_o = (
            self.add_weight(name=name, shape=shape) for name in ("w_q", "w_k", "w_v", "w_o")
        )

    def call(self, x, mask=None):
        def heads(w):
            split = ops.reshape(ops.matmul(x, w), (-1, time, width, self.num_heads))
            return ops.transpose(split, (0, 3, 1, 2))

        time, width = ops.shape(x)[1], self.d_model // self.num_heads
        scores = ops.einsum("bhqd,bhkd->bhqk", heads(self.w_q), heads(self.w_k)) / width**0.5
        if mask is not None:
            scores = ops.where(ops.expand_dims(mask, -3), scores, -1e9)
        weights = ops.softmax(scores, axis=-1)
        attended = ops.transpose(ops.matmul(weights, heads(self.w_v)), (0, 2, 1, 3))
        output = ops.matmul(ops.reshape(attended, (-1, time, self.d_model)), self.w_o)
        return output

    def get_config(self):
        return {**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}

    def compute_mask(self, inputs, mask=None):
        return None


# %% exercise="MultiHeadSelfAttention" wrong="WEIGHTS_TOO"
WEIGHTS_TOO = "The layer returns the weights, too. It must return the output alone."


class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model = d_model
        self.num_heads = num_heads

    def build(self, input_shape):
        shape = (self.d_model, self.d_model)
        self.w_q, self.w_k, self.w_v, self.w_o = (
            self.add_weight(name=name, shape=shape) for name in ("w_q", "w_k", "w_v", "w_o")
        )

    def call(self, x, mask=None):
        def heads(w):
            split = ops.reshape(ops.matmul(x, w), (-1, time, self.num_heads, width))
            return ops.transpose(split, (0, 2, 1, 3))

        time, width = ops.shape(x)[1], self.d_model // self.num_heads
        scores = ops.einsum("bhqd,bhkd->bhqk", heads(self.w_q), heads(self.w_k)) / width**0.5
        if mask is not None:
            scores = ops.where(ops.expand_dims(mask, -3), scores, -1e9)
        weights = ops.softmax(scores, axis=-1)
        attended = ops.transpose(ops.matmul(weights, heads(self.w_v)), (0, 2, 1, 3))
        output = ops.matmul(ops.reshape(attended, (-1, time, self.d_model)), self.w_o)
        return output, weights

    def get_config(self):
        return {**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}

    def compute_mask(self, inputs, mask=None):
        return None


# %% exercise="MultiHeadSelfAttention" wrong="RESIDUAL"
class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model = d_model
        self.num_heads = num_heads

    def build(self, input_shape):
        shape = (self.d_model, self.d_model)
        self.w_q, self.w_k, self.w_v, self.w_o = (
            self.add_weight(name=name, shape=shape) for name in ("w_q", "w_k", "w_v", "w_o")
        )

    def call(self, x, mask=None):
        def heads(w):
            split = ops.reshape(ops.matmul(x, w), (-1, time, self.num_heads, width))
            return ops.transpose(split, (0, 2, 1, 3))

        time, width = ops.shape(x)[1], self.d_model // self.num_heads
        scores = ops.einsum("bhqd,bhkd->bhqk", heads(self.w_q), heads(self.w_k)) / width**0.5
        if mask is not None:
            scores = ops.where(ops.expand_dims(mask, -3), scores, -1e9)
        weights = ops.softmax(scores, axis=-1)
        attended = ops.transpose(ops.matmul(weights, heads(self.w_v)), (0, 2, 1, 3))
        output = ops.matmul(ops.reshape(attended, (-1, time, self.d_model)), self.w_o)
        return x + output

    def get_config(self):
        return {**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}

    def compute_mask(self, inputs, mask=None):
        return None


# %% exercise="MultiHeadSelfAttention" right="four Dense layers"
@keras.saving.register_keras_serializable(package="Chapter6")
class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model, self.num_heads = d_model, num_heads
        names = ("query", "key", "value", "out")
        self.projections = [keras.layers.Dense(d_model, use_bias=False, name=n) for n in names]

    def build(self, input_shape):
        for dense in self.projections:
            dense.build(input_shape)
        super().build(input_shape)

    def call(self, x, mask=None):
        batch, time = ops.shape(x)[0], ops.shape(x)[1]
        query, key, value, out = self.projections
        width = self.d_model // self.num_heads
        q, k, v = (
            ops.reshape(dense(x), (batch, time, self.num_heads, width))
            for dense in (query, key, value)
        )
        scores = ops.einsum("bqhw,bkhw->bhqk", q, k) / width**0.5
        if mask is not None:
            mask = ops.convert_to_tensor(mask)
            allowed = mask[None, None] if len(mask.shape) == 2 else mask[:, None]
            scores += (1.0 - ops.cast(allowed, scores.dtype)) * -1e9
        attended = ops.einsum("bhqk,bkhw->bqhw", ops.softmax(scores, axis=-1), v)
        return out(ops.reshape(attended, (batch, time, self.d_model)))

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        config = super().get_config()
        config.update({"d_model": self.d_model, "num_heads": self.num_heads})
        return config


# %% exercise="MultiHeadSelfAttention" right="one head after another, no get_config"
class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model = d_model
        self.width = d_model // num_heads
        self.softmax = keras.layers.Softmax()

    def build(self, input_shape):
        self.w_q, self.w_k, self.w_v, self.w_o = (
            self.add_weight(name=name, shape=(self.d_model, self.d_model), initializer="he_normal")
            for name in ("q", "k", "v", "o")
        )

    def call(self, x, mask=None):
        heads = []
        for start in range(0, self.d_model, self.width):
            columns = slice(start, start + self.width)
            q, k, v = (ops.matmul(x, w[:, columns]) for w in (self.w_q, self.w_k, self.w_v))
            scores = ops.matmul(q, ops.swapaxes(k, 1, 2)) / self.width**0.5
            heads.append(ops.matmul(self.softmax(scores, mask=mask), v))
        return ops.matmul(ops.concatenate(heads, axis=-1), self.w_o)


# %% exercise="MultiHeadSelfAttention" right="TensorFlow and the fused function of Keras"
class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.d_model, self.num_heads = d_model, num_heads

    def build(self, input_shape):
        shape = (self.d_model, self.d_model)
        self.projections = [self.add_weight(name=f"w_{i}", shape=shape) for i in range(4)]

    def call(self, x, mask=None):
        parts = (-1, ops.shape(x)[1], self.num_heads, self.d_model // self.num_heads)
        q, k, v = (ops.reshape(x @ w, parts) for w in self.projections[:3])
        if mask is not None:
            mask = ops.cast(mask, "bool")
            mask = ops.reshape(mask, (-1, 1, *mask.shape[-2:]))
        attended = ops.nn.dot_product_attention(q, k, v, mask=mask)
        return ops.reshape(attended, (-1, ops.shape(x)[1], self.d_model)) @ self.projections[3]

    def get_config(self):
        return {**super().get_config(), "d_model": self.d_model, "num_heads": self.num_heads}


# %% exercise="MultiHeadSelfAttention" right="only the two settings, no kwargs"
class MultiHeadSelfAttention(keras.layers.Layer):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads

    def build(self, input_shape):
        shape = (self.d_model, self.d_model)
        self.w_q = self.add_weight(shape=shape)
        self.w_k = self.add_weight(shape=shape)
        self.w_v = self.add_weight(shape=shape)
        self.w_o = self.add_weight(shape=shape)

    def split(self, x):
        x = ops.reshape(x, (-1, x.shape[1], self.num_heads, self.d_model // self.num_heads))
        return ops.transpose(x, (0, 2, 1, 3))

    def call(self, x, mask=None):
        q, k, v = self.split(x @ self.w_q), self.split(x @ self.w_k), self.split(x @ self.w_v)
        scores = q @ ops.transpose(k, (0, 1, 3, 2)) / np.sqrt(self.d_model // self.num_heads)
        if mask is not None:
            mask = mask if len(mask.shape) == 2 else mask[:, None]
            scores = ops.where(mask, scores, -1e9)
        heads = ops.transpose(ops.softmax(scores) @ v, (0, 2, 1, 3))
        return ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o

    def get_config(self):
        return {"d_model": self.d_model, "num_heads": self.num_heads}


# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="BY_WIDTH"
{"np.sqrt(self.d_model // self.num_heads)": "(self.d_model // self.num_heads)"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="VALUES_BY_W_K"
{"self.split(x @ self.w_v)": "self.split(x @ self.w_k)"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="MASK_ADDED"
{"ops.where(mask, scores, -1e9)": "scores + ops.cast(mask, scores.dtype)"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
SCALED_UP = (
    "The scores are multiplied by the square root of a head's width. Divide them by it.",
    {"/ np.sqrt": "* np.sqrt"},
)
WEAK_MASK = (
    "A hidden key gets a score that is not low enough, so it still has a weight. Use a large "
    "negative number, such as -1e9.",
    {"-1e9": "-1.0"},
    {"-1e9": "-10.0"},
)
THREE_WEIGHTS = (
    "There are only three weight arrays. w_q, w_k, w_v and w_o are four, all made by add_weight.",
    {"self.w_o = self.add_weight(shape=shape)": "self.w_o = keras.random.normal(shape)"},
    {
        "        self.w_k = self.add_weight(shape=shape)\n": "",
        "self.split(x @ self.w_k)": "self.split(x @ self.w_q)",
    },
)
LAST_STEP = (
    "Only the last step is returned. The output has a row for every token.",
    {
        "ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o": ""
        "(ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o)[:, -1]"
    },
)
ACTIVATION_AT_END = (
    "An activation function is applied at the end. The product with w_o is the output.",
    {
        "ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o": ""
        "ops.relu(ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o)"
    },
    {
        "ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o": ""
        "ops.softmax(ops.reshape(heads, (-1, x.shape[1], self.d_model)) @ self.w_o)"
    },
)


# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="OVER_HEADS"
{"ops.softmax(scores)": "ops.softmax(scores, axis=1)"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
MASK_IN_NUMPY = (
    "NumPy applies the mask, so no gradient reaches w_q and w_k while there is one. Use ops.where.",
    {"scores = ops.where(mask": "scores = np.where(mask"},
)
MASK_ASKED = (
    "The layer fails in a graph when there is a mask, because a condition depends on its values. "
    "Whether a mask was given is asked by `mask is not None` alone.",
    {"if mask is not None:": "if mask is not None and ops.any(mask):"},
)

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="NOT_RESTORED"
{'"d_model": self.d_model': '"model": self.d_model'}


# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
WIDTH_AS_NUM_HEADS = (
    "get_config stores the width of a head as num_heads, so a loaded layer has another number of "
    "heads.",
    {'"num_heads": self.num_heads': '"num_heads": self.d_model // self.num_heads'},
)


# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
CONFIG_BY_ANOTHER_NAME = (
    "get_config names a setting otherwise than __init__ does. A loaded layer is made by "
    "__init__(**config), so the names must be the same.",
    {'"num_heads": self.num_heads': '"heads": self.num_heads'},
)


# %% exercise="MultiHeadSelfAttention" edits="four Dense layers"
LOWERED_TOO_LITTLE = (
    "Hidden scores are lowered by too small a number, so their keys keep some weight. Lower them "
    "by a number like 1e9.",
    {"* -1e9": "* -10.0"},
)


# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
WIDTH_IN_CONFIG = (
    "The configuration holds the width of a head as d_model. It must hold d_model itself.",
    {'"d_model": self.d_model,': '"d_model": self.d_model // self.num_heads,'},
)


# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="TRANSPOSED_WEIGHTS"
{
    "x @ self.w_q": "x @ ops.transpose(self.w_q)",
    "x @ self.w_k": "x @ ops.transpose(self.w_k)",
    "x @ self.w_v": "x @ ops.transpose(self.w_v)",
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="ONE_HEAD"
{
    "(-1, x.shape[1], self.num_heads, self.d_model // self.num_heads)": (
        "(-1, x.shape[1], 1, self.d_model)"
    )
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="MASK_OF_FIRST"
{"mask[:, None]": "mask[0]"}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
ALWAYS_CAUSAL = (
    "A causal mask is applied although none was given. Only the argument mask says which tokens "
    "are hidden.",
    {
        "        heads = ops": (
            '        causal = ops.tril(ops.ones((x.shape[1], x.shape[1]), dtype="bool"))\n'
            "        scores = ops.where(causal, scores, -1e9)\n"
            "        heads = ops"
        )
    },
)

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="HEADS_BEHIND_TIME"
{
    "return ops.transpose(x, (0, 2, 1, 3))": "return x",
    "ops.transpose(ops.softmax(scores) @ v, (0, 2, 1, 3))": "ops.softmax(scores) @ v",
}

# %% exercise="MultiHeadSelfAttention" edits="four square matrices"
HEADS_TOO_WIDE = (
    "Every head is as wide as d_model, so the weight arrays are larger than (d_model, d_model). "
    "The width of a head is d_model / num_heads.",
    {
        "        self.w_q = self.add_weight(shape=shape)": (
            "        shape = (self.d_model, self.d_model * self.num_heads)\n"
            "        self.w_q = self.add_weight(shape=shape)"
        ),
        "self.w_o = self.add_weight(shape=shape)": (
            "self.w_o = self.add_weight(shape=shape[::-1])"
        ),
        "self.num_heads, self.d_model // self.num_heads)": "self.num_heads, self.d_model)",
        "np.sqrt(self.d_model // self.num_heads)": "np.sqrt(self.d_model)",
        "(-1, x.shape[1], self.d_model)) @": "(-1, x.shape[1], self.d_model * self.num_heads)) @",
    },
)
FUSED_PROJECTIONS = (
    "Queries, keys and values come from one weight array. w_q, w_k and w_v are three arrays, each "
    "(d_model, d_model).",
    {
        "        self.w_q = self.add_weight(shape=shape)\n": (
            "        self.w_qkv = self.add_weight(shape=(self.d_model, 3 * self.d_model))\n"
        ),
        "        self.w_k = self.add_weight(shape=shape)\n": "",
        "        self.w_v = self.add_weight(shape=shape)\n": "",
        "q, k, v = self.split(x @ self.w_q), self.split(x @ self.w_k), self.split(x @ self.w_v)": (
            "q, k, v = map(self.split, ops.split(x @ self.w_qkv, 3, axis=-1))"
        ),
    },
)
NOT_TRACKED = (
    "Keras does not know the weights, because TensorFlow made them. Make each of them with "
    "self.add_weight.",
    {
        "        self.w_q = self.add_weight(shape=shape)": (
            "        import tensorflow as tf\n\n"
            "        self.w_q = tf.Variable(tf.random.normal(shape))"
        ),
        "w_k = self.add_weight(shape=shape)": "w_k = tf.Variable(tf.random.normal(shape))",
        "w_v = self.add_weight(shape=shape)": "w_v = tf.Variable(tf.random.normal(shape))",
        "w_o = self.add_weight(shape=shape)": "w_o = tf.Variable(tf.random.normal(shape))",
    },
)

# %% exercise="MultiHeadSelfAttention" edits="four square matrices" wrong="BIASES"
{
    "self.w_o = self.add_weight(shape=shape)": (
        "self.w_o = self.add_weight(shape=shape)\n"
        '        self.b_o = self.add_weight(shape=(self.d_model,), initializer="zeros")'
    ),
    "self.d_model)) @ self.w_o": "self.d_model)) @ self.w_o + self.b_o",
}


# %% exercise="softmax_jacobian" right="the formulas"
def softmax_jacobian(p):
    return np.diag(p) - np.outer(p, p)


def logit_variance(d_k, scaled):
    return 1.0 if scaled else float(d_k)


# %% exercise="softmax_jacobian" edits="the formulas"
DIAGONAL_ONLY = (
    "The entries off the diagonal are missing. When one score grows, the weights of all the "
    "others shrink.",
    {"(p) - np.outer(p, p)": "(p * (1 - p))"},
)
DIAGONAL_AS_VECTOR = (
    "This is the diagonal alone. The Jacobian is a matrix, (n, n).",
    {"np.diag(p) - np.outer(p, p)": "p * (1 - p)"},
)
SIGN = (
    "All signs are reversed. A weight grows with its own score.",
    {"np.diag(p) - np.outer(p, p)": "np.outer(p, p) - np.diag(p)"},
)
NO_DIAGONAL = (
    "The diagonal lacks the term p_i itself. Its entries are p_i (1 - p_i).",
    {" np.diag(p)": ""},
)
SOFTMAX_AGAIN = (
    "p is put through a softmax again. It already holds the weights.",
    {"(p):": "(p):\n    from scipy.special import softmax\n\n    p = softmax(p)"},
)
STANDARD_DEVIATION = (
    "This is the standard deviation. The variance is its square.",
    {"float": "np.sqrt"},
)
ONE_FACTOR = (
    "The scaled variance is divided by the square root of d_k. A factor c multiplies a variance "
    "by c squared.",
    {"1.0": "np.sqrt(d_k)", "float(d_k)": "d_k"},
)
SCALE_TWICE = (
    "The scaled variance is divided by d_k twice. Dividing once is enough.",
    {"1.0": "1 / d_k", "float(d_k)": "d_k"},
)
SCALED_INVERTED = (
    "The argument scaled is read the wrong way round. True means that it is divided.",
    {"1.0": "d_k", "float(d_k)": "1.0"},
)
SCALED_IGNORED = (
    "The argument scaled is ignored. Dividing the score changes its variance.",
    {" if scaled else float(d_k)": ""},
    {" 1.0 if scaled else": ""},
)
POSITIVE_OFF_DIAGONAL = (
    "The entries off the diagonal have the wrong sign. When one score grows, the weights of all "
    "the others shrink.",
    {
        "np.diag(p) - np.outer(p, p)": (
            "np.where(np.eye(len(p), dtype=bool), p * (1 - p), np.outer(p, p))"
        )
    },
    {"np.diag(p) -": "np.diag(p) +"},
)
FACTOR_OF_ROW = (
    "The entries off the diagonal are -p_i² or -p_j². They must be -p_i p_j.",
    {"np.diag(p) - np.outer(p, p)": "p[:, None] * (np.eye(len(p)) - p[:, None])"},
    {"np.diag(p) - np.outer(p, p)": "p * (np.eye(len(p)) - p)"},
)
OF_LOGARITHM = (
    "This is the Jacobian of the logarithm of the softmax. Multiply row i by p_i.",
    {"np.diag(p) - np.outer(p, p)": "np.eye(len(p)) - p"},
)
SUBTRACTED_TWICE = (
    "p_i² is subtracted twice on the diagonal. It must contain p_i (1 - p_i).",
    {"np.diag(p) -": "np.diag(p * (1 - p)) -"},
)
INNER_PRODUCT = (
    "One number, p @ p, is subtracted everywhere. Subtract the products of all pairs, "
    "np.outer(p, p).",
    {"np.outer(p, p)": "p @ p"},
)
TWO_VARIANCES = (
    "The variance without scaling is 2 d_k. A product of two independent components has the "
    "variance 1 · 1, and d_k of them are added.",
    {"float(d_k)": "2.0 * d_k"},
    {"1.0": "2.0", "float(d_k)": "2.0 * d_k"},
)
ONE_OVER_ROOT = (
    "The scaled variance is 1/√d_k. Dividing a score by √d_k divides its variance by d_k.",
    {"1.0": "1 / np.sqrt(d_k)", "float(d_k)": "d_k"},
)
MEAN_OF_SCORES = (
    "This is the mean of the scores, 0. Their variance is asked for.",
    {"1.0 if scaled else float(d_k)": "0.0"},
)
WIDTH_FIXED = (
    "The width is fixed. It is the argument d_k.",
    {"float(d_k)": "64.0"},
)
ONE_MINUS_P = (
    "Every entry is p_i (1 - p_j) or p_j (1 - p_i). Only the diagonal has this form; the other "
    "entries are -p_i p_j.",
    {"np.diag(p) - np.outer(p, p)": "np.outer(p, 1 - p)"},
    {"np.diag(p) - np.outer(p, p)": "np.outer(1 - p, p)"},
)


# %% exercise="softmax_jacobian" wrong="SAMPLED"
def softmax_jacobian(p):
    return np.diag(p) - np.outer(p, p)


def logit_variance(d_k, scaled):
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 1000, d_k))
    scores = np.sum(q * k, axis=1)
    return np.var(scores / np.sqrt(d_k) if scaled else scores)


# %% exercise="softmax_jacobian" wrong="ONES_ON_DIAGONAL"
ONES_ON_DIAGONAL = "The diagonal contains 1 - p². It must contain p (1 - p)."


def softmax_jacobian(p):
    return np.eye(len(p)) - np.outer(p, p)


# %% exercise="softmax_jacobian" wrong="SQUARES_ON_DIAGONAL"
SQUARES_ON_DIAGONAL = (
    "The diagonal is 0, because p² minus p² was computed. It must contain p (1 - p)."
)


def softmax_jacobian(p):
    return np.diag(p**2) - np.outer(p, p)


# %% exercise="softmax_jacobian" wrong="NO_OUTER"
NO_OUTER = "p is subtracted from every row. Subtract the products of all pairs, np.outer(p, p)."


def softmax_jacobian(p):
    return np.diag(p) - p


# %% exercise="softmax_jacobian" wrong="VARIANCE_SQUARED"
VARIANCE_SQUARED = (
    "The variance without scaling grows with d_k squared. It must grow with d_k itself."
)


def logit_variance(d_k, scaled):
    return 1.0 if scaled else float(d_k) ** 2


# %% exercise="softmax_jacobian" right="entry by entry"
def softmax_jacobian(p):
    return [[a * ((i == j) - b) for j, b in enumerate(p)] for i, a in enumerate(p)]


def logit_variance(d_k, scaled):
    variance = sum(1 for _ in range(d_k))
    return variance * (1 / d_k**0.5) ** 2 if scaled else variance


# %% exercise="softmax_jacobian" right="broadcasting, Keras in float32"
def softmax_jacobian(p):
    p = ops.cast(p, "float32")
    return p[:, None] * (ops.eye(len(p)) - p[None, :])


def logit_variance(d_k, scaled):
    return np.float32(d_k) / (d_k if scaled else 1)


# %% exercise="softmax_jacobian" edits="the formulas"
PLAIN_DIAGONAL = (
    "The diagonal contains p. It must contain p (1 - p), because a score also raises the sum.",
    {"np.diag(p) - np.outer(p, p)": "np.diag(p + p**2) - np.outer(p, p)"},
)
INTEGERS = (
    "The entries are cut off to integers. Make an array of floats.",
    {"np.diag(p) - np.outer(p, p)": "(np.diag(p) - np.outer(p, p)).astype(int)"},
)


# %% exercise="softmax_jacobian" edits="the formulas"
SHARED_EQUALLY = (
    "What one weight gains is taken from the others in equal parts. Each other weight p_i loses in "
    "proportion to itself, p_i * p_j.",
    {
        "np.diag(p) - np.outer(p, p)": (
            "p * (1 - p) * (np.eye(len(p)) - (1 - np.eye(len(p))) / max(len(p) - 1, 1))"
        )
    },
)


# %% exercise="softmax_jacobian" edits="the formulas"
FORWARD_DIFFERENCES = (
    "These are finite differences, which are only nearly right. Write out the derivative.",
    {
        "    return np.diag(p) - np.outer(p, p)": """\
    e, step = np.log(p), 1e-3
    moved = np.exp(e[:, None] + step * np.eye(len(p)))
    return (moved / moved.sum(axis=0) - p[:, None]) / step"""
    },
)


# %% exercise="attention_pooling_regression" right="SciPy's softmax"
def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    from scipy.special import softmax

    scores = -((x_query[:, None] - x_train) ** 2) / (2 * bandwidth**2)
    return softmax(scores, axis=1) @ y_train


# %% exercise="attention_pooling_regression" right="a softmax by hand"
def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    scores = -((x_query[:, None] - x_train) ** 2) / (2 * bandwidth**2)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True) @ y_train


# %% exercise="attention_pooling_regression" edits="SciPy's softmax" wrong="OVER_QUERIES"
{"axis=1": "axis=0"}

# %% exercise="attention_pooling_regression" edits="SciPy's softmax"
NO_SQUARE = (
    "The exponent contains the distance. It must contain the square of the distance.",
    {"((x_query[:, None] - x_train) ** 2)": "np.abs(x_query[:, None] - x_train)"},
)
NO_HALF = (
    "The factor 2 is missing from the exponent, (x - x_i)² / (2 h²).",
    {"(2 * bandwidth**2)": "bandwidth**2"},
)
PRODUCTS = (
    "The inputs are multiplied. The exponent contains the square of their difference.",
    {"-((x_query[:, None] - x_train) ** 2)": "x_query[:, None] * x_train"},
    {
        "-((x_query[:, None] - x_train) ** 2)": "x_query[:, None] * x_train",
        "(2 * bandwidth**2)": "bandwidth**2",
    },
)
TWO_SQUARED = (
    "The factor 2 is squared together with the bandwidth. The exponent is (x - x_i)² / (2 h²).",
    {"(2 * bandwidth**2)": "(2 * bandwidth) ** 2"},
)
BANDWIDTH_NOT_SQUARED = (
    "The bandwidth is not squared in the exponent, (x - x_i)² / (2 h²).",
    {"**2": ""},
)


# %% exercise="attention_pooling_regression" wrong="NEAREST"
NEAREST = "This is the target of the nearest input. All inputs contribute, each with its weight."


def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    return y_train[np.argmin(np.abs(x_query[:, None] - x_train), axis=1)]


# %% exercise="attention_pooling_regression" edits="SciPy's softmax"
NOT_NORMALISED = (
    "The weights do not sum to 1. Divide by the sum of the exponentials.",
    {"    from scipy.special import softmax\n": "", "softmax(scores, axis=1)": "np.exp(scores)"},
)


# %% exercise="attention_pooling_regression" wrong="UNDERFLOW"
UNDERFLOW = (
    "All exponentials of a query far from the data become 0, so the quotient is 0/0. Subtract the "
    "largest score of each query first."
)


def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    scores = -((x_query[:, None] - x_train) ** 2) / (2 * bandwidth**2)
    kernel = np.exp(scores)
    return kernel @ y_train / kernel.sum(axis=1)


# %% exercise="attention_pooling_regression" wrong="MEAN_FAR_AWAY"
MEAN_FAR_AWAY = (
    "A query far from the data gets the mean of all targets. The nearest input must decide: "
    "subtract the largest score of each query."
)


def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    scores = -((x_query[:, None] - x_train) ** 2) / (2 * bandwidth**2)
    kernel = np.exp(scores)
    total = kernel.sum(axis=1)
    near = total > 0
    return np.where(near, kernel @ y_train / np.where(near, total, 1), np.mean(y_train))


# %% exercise="attention_pooling_regression" wrong="SAFE_BUT_ZERO"
SAFE_BUT_ZERO = (
    "Predictions far from the data are 0. All terms of their sums are too small for a float, and "
    "a number added to the denominator, or nan replaced by 0, hides it. Subtract the largest score "
    "of each query first."
)


def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    scores = -((x_query[:, None] - x_train) ** 2) / (2 * bandwidth**2)
    kernel = np.exp(scores)
    return kernel @ y_train / (kernel.sum(axis=1) + 1e-12)


# %% exercise="attention_pooling_regression" edits="SciPy's softmax"
NO_MINUS = (
    "The minus sign is missing, so distant inputs count most.",
    {"-((x_query[:, None] - x_train) ** 2)": "(x_query[:, None] - x_train) ** 2"},
)
MULTIPLIED_BY_H = (
    "The square of the distance is multiplied by h². Divide it by (2 * h**2).",
    {"(2 * bandwidth**2)": "2 * bandwidth**2"},
)
SORTED = (
    "x_train is sorted without y_train, so its inputs get the targets of other inputs.",
    {"- x_train": "- np.sort(x_train)"},
)

# %% exercise="attention_pooling_regression" edits="a softmax by hand" wrong="NOT_NORMALISED"
{" / exponentials.sum(axis=1, keepdims=True)": ""}

# %% exercise="attention_pooling_regression" edits="a softmax by hand"
SUM_OVER_QUERIES = (
    "The sum for the division runs over the queries. It must run over the training inputs.",
    {"sum(axis=1, keepdims=True)": "sum(axis=0)"},
)
COLUMN_KEPT = (
    "The result still has a last axis of length 1. Its shape must be (queries,).",
    {"@ y_train": "@ y_train[:, None]"},
)


# %% exercise="attention_pooling_regression" right="a loop over the queries"
def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    predictions = []
    for x in x_query:
        scores = [-0.5 * ((x - x_i) / bandwidth) ** 2 for x_i in x_train]
        kernel = [np.exp(score - max(scores)) for score in scores]
        predictions.append(sum(np.multiply(kernel, y_train)) / sum(kernel))
    return predictions


# %% exercise="attention_pooling_regression" right="the attention of exercise 1"
def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    q = np.sqrt(2) * np.stack([x_query, np.full(len(x_query), -0.5)], axis=1) / bandwidth**2
    k = np.stack([x_train, x_train**2], axis=1)
    output, _ = scaled_dot_product_attention(q, k, y_train[:, None])
    return output[:, 0]


# %% exercise="attention_pooling_regression" edits="a softmax by hand"
SUM_OVER_ALL = (
    "The exponentials are divided by the sum over all queries. The weights of each query must sum "
    "to 1 on their own.",
    {"exponentials.sum(axis=1, keepdims=True)": "exponentials.sum()"},
)
AVERAGED = (
    "The weighted targets are averaged. The weights already sum to 1, so add up the products.",
    {
        "return exponentials / exponentials.sum(axis=1, keepdims=True) @ y_train": ""
        "weights = exponentials / exponentials.sum(axis=1, keepdims=True)\n"
        "    return (weights * y_train).mean(axis=1)"
    },
)
DENSITY = (
    "The kernel is divided by the constant of the normal density. Divide by the sum of the "
    "exponentials, so that the weights sum to 1.",
    {"exponentials.sum(axis=1, keepdims=True)": "(bandwidth * np.sqrt(2 * np.pi))"},
    {
        "scores - scores.max(axis=1, keepdims=True)": "scores",
        "exponentials.sum(axis=1, keepdims=True)": "(bandwidth * np.sqrt(2 * np.pi))",
    },
)


# %% exercise="attention_pooling_regression" wrong="WHOLE_NUMBERS"
WHOLE_NUMBERS = (
    "The predictions are stored in an array of the type of x_query, so whole-number queries cut "
    "their fractions off. Make an array of floats."
)


def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    predictions = np.zeros_like(x_query)
    for i, x in enumerate(x_query):
        scores = -((x - x_train) ** 2) / (2 * bandwidth**2)
        kernel = np.exp(scores - scores.max())
        predictions[i] = kernel @ y_train / kernel.sum()
    return predictions


# %% exercise="attention_pooling_regression" edits="a softmax by hand"
MAXIMUM_OVER_THE_QUERIES = (
    "The maximum is taken over the queries, so every training input is weighed differently. Take "
    "it over the training inputs: one maximum for each query.",
    {"scores.max(axis=1, keepdims=True)": "scores.max(axis=0)"},
)


# %% exercise="attention_pooling_regression" wrong="LAST_INPUT_FAR_AWAY"
LAST_INPUT_FAR_AWAY = (
    "Far from all inputs, the prediction is the target of the largest input. It is that of the "
    "nearest input. Subtract the largest score, and it comes out by itself."
)


def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    kernel = np.exp(-((x_query[:, None] - x_train) ** 2) / (2 * bandwidth**2))
    total = kernel.sum(axis=1)
    far = y_train[np.argmax(x_train)]
    return np.where(total > 0, kernel @ y_train / np.where(total > 0, total, 1), far)


# %% exercise="attention_pooling_regression" edits="a softmax by hand"
DIVIDED_BY_COUNT = (
    "The sum is divided by the number of training inputs. Divide it by the sum of the "
    "exponentials, so that the weights sum to 1.",
    {"exponentials.sum(axis=1, keepdims=True) @ y_train": "len(x_train) @ y_train"},
    {
        "exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))": (
            "exponentials = np.exp(scores)"
        ),
        "exponentials.sum(axis=1, keepdims=True) @ y_train": "len(x_train) @ y_train",
    },
)
WEIGHTS_RETURNED = (
    "These are the weights, (queries, n). Add up the targets, each multiplied by its weight.",
    {" @ y_train": ""},
)
BOTH_RETURNED = (
    "The weights are returned, too. The function must return the predictions alone.",
    {
        "return exponentials / exponentials.sum(axis=1, keepdims=True) @ y_train": (
            "weights = exponentials / exponentials.sum(axis=1, keepdims=True)\n"
            "    return weights @ y_train, weights"
        )
    },
)
INPUTS_AVERAGED = (
    "The mean is that of the training inputs. Average their targets, y_train.",
    {"@ y_train": "@ x_train"},
)


# %% exercise="attention_pooling_regression" wrong="NOT_SQUARED"
NOT_SQUARED = (
    "The distance is not squared. The score is minus the squared distance, divided by twice the "
    "squared bandwidth."
)


def attention_pooling_regression(x_query, x_train, y_train, bandwidth):
    scores = -np.abs(x_query[:, None] - x_train[None]) / bandwidth
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ y_train / weights.sum(axis=1)


# %% exercise="is_causal" right="the future changed from every step on"
def is_causal(attend, x, tolerance=1e-6):
    before = attend(x)
    for t in range(1, x.shape[1]):
        changed = x.copy()
        changed[:, t:] += np.random.default_rng(t).normal(size=x[:, t:].shape)
        if np.abs(attend(changed) - before)[:, :t].max() > tolerance:
            return False
    return True


# %% exercise="is_causal" edits="the future changed from every step on"
LOOKS_AT_ITSELF = (
    "The output of a changed step is compared, too. It may change, because a step may look at "
    "itself.",
    {"[:, :t]": ""},
    {":, :t": ":, : t + 1"},
)
ANSWER_INVERTED = (
    "A function that always returns zeros is called a leak. True means that there is no leak.",
    {"False": "True", "True": "False"},
)
LOOKS_BACK = (
    "A running mean is called a leak, but a step may depend on earlier steps. Change the later "
    "steps and compare the earlier outputs.",
    {"changed[:, t:]": "changed[:, :t]", "x[:, t:]": "x[:, :t]", ":, :t": ":, t:"},
)
PERMUTED = (
    "The later steps are only reordered. Attention without positions does not notice that.",
    {"+= np.random.default_rng(t).normal(size=x[:, t:].shape)": "= changed[:, t:][:, ::-1]"},
)
TOO_SMALL = (
    "The change is so small that its effect stays below the tolerance. Change the steps by "
    "numbers of about the size of the data.",
    {"np.random.default_rng(t).normal(size=x[:, t:].shape)": "1e-9"},
)
NEIGHBOURS = (
    "A leak from the last step to the first goes unnoticed. Compare all outputs before the "
    "changed steps, not only the one right before them.",
    {"changed[:, t:]": "changed[:, t]", "x[:, t:]": "x[:, t]", ":, :t": ":, t - 1"},
)
ONE_STEP_LATE = (
    "A function that sees one step ahead goes unnoticed. Compare the outputs right up to the "
    "first changed step.",
    {"1, x.shape[1]": "2, x.shape[1]", ":, :t": ":, : t - 1"},
)
LAST_STEP = (
    "A leak from a step before the last one goes unnoticed. It is not enough to change the last "
    "step.",
    {"range(1, x.shape[1])": "[x.shape[1] - 1]"},
)
MIDDLE = (
    "A leak from the second step to the first goes unnoticed. Try the boundary between every two "
    "neighbouring steps, the first one included.",
    {"range(1, x.shape[1])": "[x.shape[1] // 2]"},
)
FIRST_STEP = (
    "A leak from the last step to the one before it goes unnoticed. Try every boundary up to the "
    "last, and return True only after all of them.",
    {"range(1, x.shape[1])": "[1]"},
    {"            return False\n    return True": "            return False\n        return True"},
)
SHIFTED = (
    "The same number is added to all features of a step. A function that normalises every step "
    "does not notice that.",
    {"np.random.default_rng(t).normal(size=x[:, t:].shape)": "1.0"},
)
MULTIPLIED = (
    "The later steps are only multiplied by a factor. A function that normalises every step does "
    "not notice that.",
    {"+= np.random.default_rng(t).normal(size=x[:, t:].shape)": "*= 2.0"},
)
ZEROED = (
    "A leak from a step that holds zeros goes unnoticed, because neither setting it to 0 nor a "
    "factor nor a change of sign changes anything. Draw random numbers instead.",
    {"+= np.random.default_rng(t).normal(size=x[:, t:].shape)": "= 0.0"},
)
ONE_EXAMPLE = (
    "A leak in some examples of the batch goes unnoticed. Compare the outputs of all examples.",
    {":, :t": "0, :t"},
)
ONE_FEATURE = (
    "Only one feature is changed. A leak may be in any of them.",
    {"changed[:, t:]": "changed[:, t:, 0]", "x[:, t:]": "x[:, t:, 0]"},
)
ONE_OUTPUT = (
    "Only one entry of an output is compared. A leak may be in any of them.",
    {":, :t": ":, :t, 0"},
)
NOT_A_NUMBER = (
    "A causal attention is called a leak. One cause is nan or infinity in the changed steps, "
    "because even a weight of 0 times nan is nan.",
    {
        "+= np.random.default_rng(t).normal(size=x[:, t:].shape)": "= np.nan",
        "np.abs(attend(changed) - before)[:, :t].max() > tolerance": (
            "not np.allclose(attend(changed)[:, :t], before[:, :t], atol=tolerance)"
        ),
    },
)
NO_TOLERANCE = (
    "Rounding errors below the tolerance are called a leak. Compare the differences with the "
    "argument tolerance.",
    {"> tolerance": "> 1e-6"},
)

# %% exercise="is_causal" edits="the future changed from every step on" wrong="INPUT_CHANGED"
{"changed = x.copy()\n        changed": "x", "(changed)": "(x)"}

# %% exercise="is_causal" edits="the future changed from every step on"
SUMMED = (
    "Small errors in many numbers are called a leak. Compare the largest absolute difference "
    "alone.",
    {
        "np.abs(attend(changed) - before)[:, :t].max()": (
            "np.linalg.norm((attend(changed) - before)[:, :t])"
        )
    },
    {"max": "sum"},
)


# %% exercise="is_causal" wrong="NOTHING_FOUND"
NOTHING_FOUND = "A leak from every later step goes unnoticed."


def is_causal(attend, x, tolerance=1e-6):
    return True


# %% exercise="is_causal" edits="the future changed from every step on"
SIGN_KEPT = (
    "The sign of the difference is kept. Compare absolute values.",
    {" np.abs": ""},
    {"np.abs(attend(changed) - before)": "(before - attend(changed))"},
    {
        "np.abs(attend(changed) - before)[:, :t].max()": (
            "abs((attend(changed) - before)[:, :t].max())"
        )
    },
)
AVERAGED = "The differences are averaged. A single large one is a leak.", {"max": "mean"}
SMALL_LEAK = (
    "A small leak goes unnoticed. Compare the absolute differences with the argument tolerance "
    "itself.",
    {"> tolerance": "> 1e-3"},
    {"> tolerance": "> 1e-2"},
)
RELATIVE = (
    "Larger differences are allowed where the outputs are large. Compare with tolerance alone; "
    "np.allclose does so if rtol=0.",
    {
        "np.abs(attend(changed) - before)[:, :t].max() > tolerance": (
            "not np.allclose(attend(changed)[:, :t], before[:, :t], atol=tolerance)"
        )
    },
)

# %% exercise="is_causal" edits="the future changed from every step on" wrong="ONE_EXAMPLE"
{":, :t": "-1, :t"}

# %% exercise="is_causal" edits="the future changed from every step on" wrong="ONE_FEATURE"
{"changed[:, t:]": "changed[:, t:, -1]", "x[:, t:]": "x[:, t:, -1]"}

# %% exercise="is_causal" edits="the future changed from every step on" wrong="ONE_OUTPUT"
{":, :t": ":, :t, -1"}

# %% exercise="is_causal" edits="the future changed from every step on" wrong="SMALL_LEAK"
{"np.abs(attend(changed) - before)[:, :t]": "((attend(changed) - before)[:, :t] ** 2)"}


# %% exercise="is_causal" right="one step at a time, everything before it compared"
def is_causal(attend, x, tolerance=1e-6):
    random = np.random.default_rng()
    before = np.array(attend(x))
    for step in reversed(range(1, x.shape[1])):
        other = np.array(x)
        other[:, step] = random.uniform(-2, 2, size=other[:, step].shape)
        if not np.allclose(attend(other)[:, :step], before[:, :step], rtol=0, atol=tolerance):
            return np.False_
    return np.True_


# %% exercise="is_causal" right="example by example, the sequence cut off"
def is_causal(attend, x, tolerance=1e-6):
    for example in x[:, None]:
        whole = attend(example)
        for t in range(1, example.shape[1]):
            if np.max(np.abs(attend(example[:, :t]) - whole[:, :t])) > tolerance:
                return False
    return True


# %% exercise="is_causal" right="all moments in one batch"
def is_causal(attend, x, tolerance=1e-6):
    batch, time, _ = x.shape
    noise = np.random.default_rng(7).normal(size=(time, *x.shape))
    later = np.arange(time) >= np.arange(time)[:, None]
    changed = np.where(later[:, None, :, None], noise, x)
    outputs = attend(changed.reshape(time * batch, time, -1)).reshape(time, batch, time, -1)
    difference = np.abs(outputs - attend(x)).max(axis=(1, 3))
    return bool(np.all(difference[~later] <= tolerance))


# %% exercise="is_causal" edits="the future changed from every step on"
TINY_CHANGES = (
    "The later steps are hardly changed, so a leak stays below the tolerance. Add numbers of about "
    "the size of the data.",
    {"np.random.default_rng(t).normal(": "1e-6 * np.random.default_rng(t).normal("},
    {"np.random.default_rng(t).normal(": "tolerance * np.random.default_rng(t).normal("},
    {"np.random.default_rng(t).normal(": "1e-3 * np.random.default_rng(t).normal("},
)


# %% exercise="is_causal" edits="the future changed from every step on"
ALL_NUMBERS = (
    "A change counts as a leak only if all numbers change. A single number that changes by more "
    "than the tolerance is a leak.",
    {"[:, :t].max()": "[:, :t].min()"},
)
SUMMED_FIRST = (
    "The outputs are added up before they are compared, so their changes can cancel each other. "
    "Compare every number by itself.",
    {
        "np.abs(attend(changed) - before)[:, :t].max()": (
            "np.abs((attend(changed) - before)[:, :t].sum(axis=-1)).max()"
        )
    },
    {
        "np.abs(attend(changed) - before)[:, :t].max()": (
            "abs((attend(changed) - before)[:, :t].sum())"
        )
    },
)
AS_WIDE_AS_X = (
    "The outputs are written into an array of the shape of x. They have d numbers a step, which "
    "need not be as many as x has features.",
    {
        "        if np.abs(attend(changed) - before)[:, :t].max() > tolerance": (
            "        difference = np.zeros_like(x)\n"
            "        difference[:, :t] = np.abs(attend(changed) - before)[:, :t]\n"
            "        if difference.max() > tolerance"
        )
    },
)


# %% exercise="is_causal" right="more later steps than before"
def is_causal(attend, x, tolerance=1e-6):
    rng = np.random.default_rng(0)
    before = attend(x)
    for t in range(1, x.shape[1]):
        other = np.concatenate([x[:, :t], rng.normal(size=x.shape)], axis=1)
        if np.any(np.abs(attend(other)[:, :t] - before[:, :t]) > tolerance):
            return False
    return True


# %% exercise="is_causal" right="all beginnings, the empty one included"
def is_causal(attend, x, tolerance=1e-6):
    whole = attend(x)

    def agrees(t):
        return np.allclose(attend(x[:, :t]), whole[:, :t], rtol=0, atol=tolerance)

    return all(agrees(t) for t in range(x.shape[1]))
