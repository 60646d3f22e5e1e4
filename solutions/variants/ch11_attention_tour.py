"""The bank of chapter 11: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np

# %%
MASK_AFTER = "The mask is applied after the softmax. The weights of what may be seen must sum to 1."
SCORE_ZEROED = (
    "The score of what must not be seen is set to 0, which still gives it a weight. Set it to "
    "minus infinity."
)
OVERFLOW = "The exponential overflows. Subtract the largest score of each row first."
CLIPPED = (
    "The scores are clipped, so the differences between large scores are lost. Subtract the "
    "largest score of each row instead."
)
MAXIMUM_OVER_HIDDEN = (
    "The largest score is taken over what must not be seen as well. If a hidden score is much "
    "larger than the others, all exponentials become 0. Mask the scores first."
)
GLOBAL_MAXIMUM = (
    "The largest score of the whole matrix is subtracted, so all exponentials of another row may "
    "become 0. Subtract the largest score of each row."
)
FRACTIONS_CUT_OFF = (
    "The fractions are cut off when an input holds whole numbers, because numbers are written into "
    "an array of its type. Make the array with np.zeros(shape), which holds floats."
)
WHOLE_IN_PLACE = (
    "An operation in place, such as +=, tries to write fractions into an array of whole numbers, "
    "and NumPy refuses. Make the array with np.zeros(shape), or compute a new one."
)
ZERO_HIDDEN = (
    "A score of exactly 0 is treated as if it must not be seen. Only the mask says what may be "
    "seen."
)
FILL_TOO_LARGE = (
    "A hidden score is replaced by a number that other scores may fall below. Use minus infinity."
)


# %% exercise="attention_with_memory" right="memory in front of the keys"
def attention_with_memory(q, k, v, memory_k, memory_v):
    keys = np.concatenate([memory_k, k])
    values = np.concatenate([memory_v, v])
    scores = q @ keys.T / np.sqrt(q.shape[1])
    mask = np.tri(len(q), len(keys), len(memory_k), dtype=bool)
    scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights @ values, weights


# %% exercise="attention_with_memory" edits="memory in front of the keys"
NO_SCALE = (
    "The scores are not scaled. Divide them by the square root of d.",
    {" / np.sqrt(q.shape[1])": ""},
)
SCALED_BY_D = (
    "The scores are divided by d. Divide them by its square root.",
    {"np.sqrt(q.shape[1])": "q.shape[1]"},
)
SCALED_UP = (
    "The scores are multiplied by the square root of d. Divide them by it.",
    {" / np.sqrt": " * np.sqrt"},
)
PART_SCALED = (
    "Only a part of the scores is scaled. Divide those of the memory and those of the segment by "
    "the square root of d.",
    {
        " / np.sqrt(q.shape[1])": (
            " / np.where(np.arange(len(keys)) < len(memory_k), 1, np.sqrt(q.shape[1]))"
        )
    },
    {
        " / np.sqrt(q.shape[1])": (
            " / np.where(np.arange(len(keys)) < len(memory_k), np.sqrt(q.shape[1]), 1)"
        )
    },
)
SCALED_BY_A_NUMBER = (
    "The scores are divided by a fixed number. Divide them by the square root of d, whatever d is.",
    {"np.sqrt(q.shape[1])": "2.0"},
)
SCALED_BY_LENGTH = (
    "The scores are divided by the square root of a number of positions. Divide them by the "
    "square root of d, the width of a query.",
    {"q.shape[1]": "len(q)"},
    {"q.shape[1]": "len(keys)"},
)
MEMORY_HIDDEN = (
    "The causal mask begins in the first column, so part of the memory is hidden. Every query "
    "must see the whole memory; query i stands in column m + i.",
    {", len(memory_k)": ""},
)
MEMORY_SLIDES = (
    "Later queries do not see the beginning of the memory. Every query must see the whole memory.",
    {
        "np.tri(len(q), len(keys), len(memory_k), dtype=bool)": (
            "np.tri(*scores.shape, len(memory_k)) - np.tri(*scores.shape, -1) == 1"
        )
    },
)
MEMORY_CAUSAL = (
    "The memory has a causal mask too, so early queries see only its beginning. Every query must "
    "see the whole memory.",
    {
        "np.tri(len(q), len(keys), len(memory_k), dtype=bool)": (
            "np.hstack([np.tri(len(q), len(memory_k)), np.tri(len(q))])"
        ),
        "mask,": "mask != 0,",
    },
)
MEMORY_IGNORED = (
    "The memory is ignored. The queries must attend to the memory and to the segment.",
    {
        "np.concatenate([memory_k, k])": "k",
        "np.concatenate([memory_v, v])": "v",
        ", len(keys), len(memory_k)": "",
    },
    {"    scores = np.where": "    mask[:, : len(memory_k)] = False\n    scores = np.where"},
)
LONG_MEMORY_CUT = (
    "Of a memory that is longer than the segment, only the last positions are seen. Every query "
    "must see the whole memory.",
    {
        "    scores = np.where": (
            "    mask[:, : max(len(memory_k) - len(q), 0)] = False\n    scores = np.where"
        )
    },
)
MEMORY_OF_ZEROS = (
    "A memory of zeros is taken for an empty one. Its keys have the score 0, and the softmax gives "
    "them a weight.",
    {
        "    scores = np.where": (
            "    mask[:, : len(memory_k)] &= memory_k.any()\n    scores = np.where"
        )
    },
)
CAUSAL_WITH_MEMORY_ONLY = (
    "With an empty memory a position sees the later ones too. The attention is causal without a "
    "memory as well.",
    {"np.where(mask, scores": "np.where(mask | (len(memory_k) == 0), scores"},
)
MEMORY_BEHIND = (
    "The memory stands behind the segment. Its columns must come first.",
    {
        "memory_k, k": "k, memory_k",
        "memory_v, v": "v, memory_v",
        "len(keys), len(memory_k), dtype=bool)": (
            "dtype=bool)\n"
            "    mask = np.hstack([mask, np.ones((len(q), len(memory_k)), dtype=bool)])"
        ),
    },
)
NOT_CAUSAL = (
    "A position sees later positions of its segment. Inside the segment it may see only itself "
    "and the earlier ones.",
    {
        (
            "mask = np.tri(len(q), len(keys), len(memory_k), dtype=bool)\n"
            "    scores = np.where(mask, scores, -np.inf)\n"
            "    "
        ): ""
    },
)
CAUSAL_REVERSED = (
    "A position sees the later positions of its segment, but not the earlier ones. It may see "
    "only itself and the earlier ones.",
    {
        "np.tri(len(q), len(keys), len(memory_k), dtype=bool)": (
            "np.hstack( [np.ones((len(q), len(memory_k))), np.triu(np.ones((len(q), len(q))))] )"
        ),
        "mask,": "mask != 0,",
    },
)
NOT_ITSELF = (
    "A position does not see itself. It must see itself and the earlier positions.",
    {"len(memory_k)": "len(memory_k) - 1"},
)
ONE_TOO_MANY = (
    "A position sees the next one. It may see only itself and the earlier positions.",
    {"len(memory_k)": "len(memory_k) + 1"},
)
KEYS_AS_VALUES = (
    "The weights are multiplied by keys. Multiply them by the values.",
    {"np.concatenate([memory_v, v])": "keys"},
    {"memory_v, v": "memory_k, v"},
)
MEMORY_VALUES_LEFT_OUT = (
    "The values of the memory are missing in the output. Multiply all the weights by the values of "
    "the memory and of the segment.",
    {"weights @ values,": "weights[:, len(memory_k) :] @ v,"},
)
VALUES_IN_OTHER_ORDER = (
    "The values do not stand in the order of the keys. In both, the memory comes first.",
    {"memory_v, v": "v, memory_v"},
)
OVER_QUERIES = (
    "The softmax runs over the queries. The weights of one query must sum to 1 over all that it "
    "sees.",
    {
        "scores.max(axis=1, keepdims=True)": "scores.max(axis=0, keepdims=True)",
        "sum(axis=1, keepdims=True)": "sum(axis=0, keepdims=True)",
    },
)
OVER_EVERYTHING = (
    "The softmax runs over the whole matrix. The weights of one query must sum to 1, so every row "
    "needs a softmax of its own; that of SciPy needs axis=1.",
    {"scores.max(axis=1, keepdims=True)": "scores.max()", "sum(axis=1, keepdims=True)": "sum()"},
)

# %% exercise="attention_with_memory" edits="memory in front of the keys" wrong="MASK_AFTER"
{
    "    scores = np.where(mask, scores, -np.inf)\n": "",
    "exponentials.sum(axis=1, keepdims=True)": "exponentials.sum(axis=1, keepdims=True) * mask",
}

# %% exercise="attention_with_memory" edits="memory in front of the keys" wrong="FRACTIONS_CUT_OFF"
{"weights @ values,": "(weights @ values).astype(v.dtype),"}
{
    "scores = q @ keys.T / np.sqrt(q.shape[1])": (
        "scores = (q @ keys.T / np.sqrt(q.shape[1])).astype(q.dtype)"
    )
}

# %% exercise="attention_with_memory" edits="memory in front of the keys" wrong="ZERO_HIDDEN"
{"np.where(mask, scores": "np.where(mask & (scores != 0), scores"}

# %% exercise="attention_with_memory" edits="memory in front of the keys" wrong="SCORE_ZEROED"
{"np.where(mask, scores, -np.inf)": "scores * mask"}

# %% exercise="attention_with_memory" edits="memory in front of the keys" wrong="OVERFLOW"
{
    (
        "scores = np.where(mask, scores, -np.inf)\n"
        "    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))"
    ): "exponentials = np.exp(np.where(mask, scores, -np.inf))"
}
{
    (
        "scores = np.where(mask, scores, -np.inf)\n"
        "    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))"
    ): "exponentials = np.exp(np.where(mask, scores, -np.inf))",
    "exponentials / exponentials.sum(axis=1, keepdims=True)": (
        "np.nan_to_num(exponentials / exponentials.sum(axis=1, keepdims=True))"
    ),
}
{
    "    scores = np.where(mask, scores, -np.inf)\n": "",
    "(scores - scores.max(axis=1, keepdims=True))": "(scores) * mask",
}

# %% exercise="attention_with_memory" edits="memory in front of the keys" wrong="CLIPPED"
{
    "scores = np.where(mask, scores, -np.inf)\n    ": "",
    "(scores - scores.max(axis=1, keepdims=True))": "(np.clip(scores, -50, 50)) * mask",
}
{
    "scores = np.where(mask, scores, -np.inf)\n    ": "",
    "(scores - scores.max(axis=1, keepdims=True))": "(np.clip(scores, -700, 700)) * mask",
}


# %% exercise="attention_with_memory" wrong="MAXIMUM_OVER_HIDDEN"
def attention_with_memory(q, k, v, memory_k, memory_v):
    keys = np.concatenate([memory_k, k])
    values = np.concatenate([memory_v, v])
    scores = q @ keys.T / np.sqrt(q.shape[1])
    mask = np.tri(len(q), len(keys), len(memory_k), dtype=bool)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True)) * mask
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights @ values, weights


# %% exercise="attention_with_memory" edits="memory in front of the keys" wrong="GLOBAL_MAXIMUM"
{"scores.max(axis=1, keepdims=True)": "scores.max()"}

# %% exercise="attention_with_memory" edits="memory in front of the keys" wrong="FILL_TOO_LARGE"
{"np.inf": "1e4"}

# %% exercise="attention_with_memory" edits="memory in front of the keys"
SWAPPED_RESULTS = (
    "The results are in the wrong order. The output comes first, then the weights.",
    {"@ values, weights": ", weights @ values"},
)
OUTPUT_ONLY = (
    "Only the output is returned. The function must return the output and the weights.",
    {", weights": ""},
)
SEGMENT_WEIGHTS = (
    "The weights on the memory are not returned. The weights have m + n columns, first those of "
    "the memory.",
    {", weights": ", weights[:, len(memory_k) :]"},
)


# %% exercise="attention_with_memory" wrong="TWO_SOFTMAXES"
TWO_SOFTMAXES = (
    "The memory and the segment have a softmax each. One softmax must run over both, so that they "
    "share the weight of a query."
)


def attention_with_memory(q, k, v, memory_k, memory_v):
    parts = []
    for keys, diagonal in ((memory_k, len(memory_k)), (k, 0)):
        scores = q @ keys.T / np.sqrt(q.shape[1])
        scores = np.where(np.tri(*scores.shape, diagonal, dtype=bool), scores, -np.inf)
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-1e300))
        parts.append(exponentials / exponentials.sum(axis=1, keepdims=True))
    weights = np.hstack(parts)
    return weights @ np.concatenate([memory_v, v]), weights


# %% exercise="attention_with_memory" wrong="TWO_SOFTMAXES"
def attention_with_memory(q, k, v, memory_k, memory_v):
    parts = []
    for keys, diagonal in ((memory_k, len(memory_k)), (k, 0)):
        scores = q @ keys.T / np.sqrt(q.shape[1])
        scores = np.where(np.tri(*scores.shape, diagonal, dtype=bool), scores, -np.inf)
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-1e300))
        parts.append(exponentials / exponentials.sum(axis=1, keepdims=True))
    weights = np.hstack(parts) / 2
    return weights @ np.concatenate([memory_v, v]), weights


# %% exercise="attention_with_memory" right="query by query"
def attention_with_memory(q, k, v, memory_k, memory_v):
    n, m = len(q), len(memory_k)
    output, weights = np.zeros(v.shape), np.zeros((n, m + n))
    for i in range(n):
        seen_k, seen_v = np.vstack((memory_k, k[: i + 1])), np.vstack((memory_v, v[: i + 1]))
        shares = np.array([q[i].dot(key) / q.shape[1] ** 0.5 for key in seen_k])
        shares = np.exp(shares - max(shares))
        weights[i, : m + i + 1] = shares / sum(shares)
        output[i] = weights[i, : m + i + 1] @ seen_v
    return output, weights


# %% exercise="attention_with_memory" right="float32, with a large negative number for the mask"
def attention_with_memory(q, k, v, memory_k, memory_v):
    q, k, v, memory_k, memory_v = (part.astype("float32") for part in (q, k, v, memory_k, memory_v))
    scores = np.hstack([q @ memory_k.T, q @ k.T]) / np.float32(np.sqrt(q.shape[-1]))
    future = np.triu(np.ones((len(q), len(q)), dtype="float32"), k=1)
    scores = scores + -1e9 * np.pad(future, ((0, 0), (len(memory_k), 0)))
    weights = np.exp(scores - scores.max(axis=-1)[:, None])
    weights /= weights.sum(axis=-1)[:, None]
    return [np.einsum("qk,kd->qd", weights, np.r_[memory_v, v]), weights]


# %% exercise="attention_with_memory" edits="memory in front of the keys"
MASK_READ_BACKWARDS = (
    "The mask is read the wrong way round, so a query sees only what it must not see. True means "
    "that the query may attend to the key.",
    {"np.where(mask, scores, -np.inf)": "np.where(mask, -np.inf, scores)"},
)


# %% exercise="attention_with_memory" edits="memory in front of the keys"
MEMORY_ATTENDS = (
    "The memory attends as well. It has no queries, so the results have the n rows of q.",
    {
        "scores = q @ keys.T": "scores = np.concatenate([memory_k, q]) @ keys.T",
        "np.tri(len(q), len(keys), len(memory_k), dtype=bool)": "np.tri(len(keys), dtype=bool)",
    },
)


# %% exercise="attention_with_memory" wrong="MEMORY_MAY_BE_EMPTY"
MEMORY_MAY_BE_EMPTY = (
    "The largest score of the memory is looked for where the memory is empty. Join the scores "
    "first, and take the maximum of each whole row."
)


def attention_with_memory(q, k, v, memory_k, memory_v):
    past, present = q @ memory_k.T / np.sqrt(q.shape[1]), q @ k.T / np.sqrt(q.shape[1])
    present = np.where(np.tri(len(q), dtype=bool), present, -np.inf)
    top = np.maximum(past.max(axis=1), present.max(axis=1))[:, None]
    weights = np.exp(np.hstack([past - top, present - top]))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ np.vstack([memory_v, v]), weights


# %% exercise="attention_with_memory" wrong="INFINITY_IN_WHOLE_NUMBERS"
INFINITY_IN_WHOLE_NUMBERS = (
    "Where all inputs are whole numbers, so are their products, and no array of whole numbers can "
    "hold -inf. Divide before you mask, or use np.where."
)


def attention_with_memory(q, k, v, memory_k, memory_v):
    scores = q @ np.concatenate([memory_k, k]).T
    scores[~np.tri(*scores.shape, len(memory_k), dtype=bool)] = -np.inf
    scores = scores / np.sqrt(q.shape[1])
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights @ np.concatenate([memory_v, v]), weights


# %% exercise="attention_with_memory" edits="query by query" wrong="OVERFLOW"
{"np.exp(shares - max(shares))": "np.exp(shares)"}


# %% exercise="attention_with_memory" wrong="MAXIMUM_OF_SEGMENT"
MAXIMUM_OF_SEGMENT = (
    "The largest score is taken over the segment alone, so the exponential of a larger score of "
    "the memory overflows. Take it over the whole row."
)


def attention_with_memory(q, k, v, memory_k, memory_v):
    scores = q @ np.concatenate([memory_k, k]).T / np.sqrt(q.shape[1])
    scores = np.where(np.tri(*scores.shape, len(memory_k), dtype=bool), scores, -np.inf)
    top = scores[:, len(memory_k) :].max(axis=1, keepdims=True)
    exponentials = np.exp(scores - top)
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights @ np.concatenate([memory_v, v]), weights


# %% exercise="attention_with_memory" wrong="MINUS_ZERO"
MINUS_ZERO = (
    "With an empty memory a slice such as [-m:] holds everything, because -0 is 0. Slice from the "
    "front."
)


def attention_with_memory(q, k, v, memory_k, memory_v):
    n, m = len(q), len(memory_k)
    scores = q @ np.concatenate([k, memory_k]).T / np.sqrt(q.shape[1])
    present = np.where(np.tri(n, dtype=bool), scores[:, :n], -np.inf)
    scores = np.concatenate([scores[:, -m:], present], axis=1)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights @ np.concatenate([memory_v, v]), weights


# %% exercise="attention_with_memory" edits="memory in front of the keys"
SCORES_FOR_WEIGHTS = (
    "The scores are returned in place of the weights. Return what the softmax makes of them.",
    {"return weights @ values, weights": "return weights @ values, scores"},
)


# %% exercise="permutation_mask" wrong="ORDER_AS_STEPS"
ORDER_AS_STEPS = (
    "order is used as if it held the step of each position. It lists the positions; "
    "np.argsort(order) gives the step at which each position is predicted."
)


def permutation_mask(order):
    return order <= order[:, None]


# %% exercise="permutation_mask" wrong="MASK_TRANSPOSED"
MASK_TRANSPOSED = (
    "The mask is transposed. Row i says what position i sees: the positions no later than i in "
    "order."
)


def permutation_mask(order):
    step = np.argsort(order)
    return step[:, None] <= step


# %% exercise="permutation_mask" wrong="STRICT"
STRICT = "The diagonal is False, but every position must see itself."


def permutation_mask(order):
    step = np.argsort(order)
    return step < step[:, None]


# %% exercise="permutation_mask" wrong="NOT_BOOLEAN"
NOT_BOOLEAN = "The mask holds numbers. It must hold booleans: use dtype=bool or a comparison."


def permutation_mask(order):
    step = np.argsort(order)
    return np.tri(len(order))[step][:, step]


# %% exercise="permutation_mask" wrong="ORDER_IGNORED"
ORDER_IGNORED = "This is the causal mask from left to right. The mask must follow order."


def permutation_mask(order):
    return np.tri(len(order), dtype=bool)


# %% exercise="permutation_mask" wrong="ROWS_BY_STEP"
ROWS_BY_STEP = (
    "Row t belongs to the position that is predicted at step t. Row i must belong to position i of "
    "the sentence."
)


def permutation_mask(order):
    return np.tri(len(order), dtype=bool)[:, np.argsort(order)]


# %% exercise="permutation_mask" wrong="COLUMNS_BY_STEP"
COLUMNS_BY_STEP = (
    "Column t belongs to the position that is predicted at step t. Column j must belong to "
    "position j of the sentence."
)


def permutation_mask(order):
    return np.tri(len(order), dtype=bool)[np.argsort(order)]


# %% exercise="permutation_mask" wrong="MASK_INVERTED"
MASK_INVERTED = "The mask is inverted. True means that the position is seen."


def permutation_mask(order):
    step = np.argsort(order)
    return step > step[:, None]


# %% exercise="permutation_mask" wrong="PREVIOUS_ONLY"
PREVIOUS_ONLY = (
    "A position sees only itself and the one predicted right before it. It must see all that are "
    "predicted before it."
)


def permutation_mask(order):
    step = np.argsort(order)
    distance = step[:, None] - step
    return (distance == 0) | (distance == 1)


# %% exercise="permutation_mask" right="position by position"
def permutation_mask(order):
    mask = np.zeros((len(order), len(order)), dtype=bool)
    for step, position in enumerate(order):
        mask[position, order[: step + 1]] = True
    return mask


# %% exercise="permutation_mask" right="the causal mask, with rows and columns moved"
def permutation_mask(order):
    mask = np.empty((len(order), len(order)), dtype=bool)
    mask[np.ix_(order, order)] = np.tri(len(order), dtype=bool)
    return mask


# %% exercise="permutation_mask" right="lists of Python"
def permutation_mask(order):
    order = list(order)
    places = [order.index(position) for position in range(len(order))]
    return [[bool(seen <= place) for seen in places] for place in places]


# %% exercise="permutation_mask" edits="position by position"
FIRST_SEES_NOTHING = (
    "The position that is predicted first sees nothing. It must see itself.",
    {"in enumerate(order)": "in list(enumerate(order))[1:]"},
)
LAST_SEES_NOTHING = (
    "The position that is predicted last sees nothing. It must see all positions.",
    {"in enumerate(order)": "in list(enumerate(order))[:-1]"},
)


# %% exercise="permutation_mask" edits="lists of Python"
METHOD_OF_LISTS = (
    "order is an array, which has no method index. np.argsort(order) gives the step at which each "
    "position is predicted.",
    {"    order = list(order)\n": ""},
)


# %% exercise="permutation_mask" edits="the causal mask, with rows and columns moved"
LEFT_SEEN_TOO = (
    "Earlier positions of the sentence are seen as well. Only order says what a position sees.",
    {"return mask": "return mask | np.tri(len(order), dtype=bool)"},
)
ALL_SEEN = (
    "Every position sees everything. It may see only itself and those that are predicted before "
    "it.",
    {"np.tri(len(order), dtype=bool)": "True"},
)
ALSO_CAUSAL = (
    "Later positions of the sentence are hidden as well. Only order says what a position sees.",
    {"return mask": "return mask & np.tri(len(order), dtype=bool)"},
)
NEXT_ONE_SEEN = (
    "A position sees the one that is predicted right after it. It sees itself and those predicted "
    "before.",
    {"np.tri(len(order), dtype=bool)": "np.tri(len(order), k=1, dtype=bool)"},
)
ALWAYS_FOUR = (
    "The mask has four rows and columns for any order. It needs as many as order has entries.",
    {"np.empty((len(order), len(order)), dtype=bool)": "np.empty((4, 4), dtype=bool)"},
)
ROWS_OF_ORDER = (
    "Row i is that of position order[i] in the causal mask. Rows and columns must both follow the "
    "order.",
    {
        "mask[np.ix_(order, order)] = np.tri(len(order), dtype=bool)": ""
        "mask[:] = np.tri(len(order), dtype=bool)[order]"
    },
)


# %% exercise="gat_attention" right="a mask of neighbours"
def gat_attention(x, w, a, adjacency, negative_slope=0.2):
    h, g = x @ w, w.shape[1]
    e = (h @ a[:g])[:, None] + h @ a[g:]
    e = np.where(e > 0, e, negative_slope * e)
    mask = (adjacency != 0) | np.eye(len(x), dtype=bool)
    e = np.where(mask, e, -np.inf)
    exponentials = np.exp(e - e.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def gat_layer(x, w, a, adjacency, activation=None):
    output = gat_attention(x, w, a, adjacency) @ x @ w
    return output if activation is None else activation(output)


# %% exercise="gat_attention" right="neighbours in one line"
def gat_attention(x, w, a, adjacency, negative_slope=0.2):
    h, g = x @ w, w.shape[1]
    e = (h @ a[:g])[:, None] + h @ a[g:]
    e = np.where(e > 0, e, negative_slope * e)
    e = np.where((adjacency != 0) | np.eye(len(x), dtype=bool), e, -np.inf)
    exponentials = np.exp(e - e.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def gat_layer(x, w, a, adjacency, activation=None):
    output = gat_attention(x, w, a, adjacency) @ x @ w
    return output if activation is None else activation(output)


# %% exercise="gat_attention" edits="a mask of neighbours"
HALVES_SWAPPED = (
    "The halves of a are exchanged. The first half belongs to the node that attends, the second "
    "to the node that it attends to.",
    {"[:g]": "[g:]", "[g:]": "[:g]"},
)
NO_LEAKY_RELU = (
    "The LeakyReLU is missing. It must be applied to the scores.",
    {"    e = np.where(e > 0, e, negative_slope * e)\n": ""},
)
RELU = (
    "Negative scores become 0, as in a ReLU. LeakyReLU multiplies them by the negative slope "
    "instead.",
    {"np.where(e > 0, e, negative_slope * e)": "np.maximum(e, 0)"},
)
SLOPE_ON_POSITIVE = (
    "The slope is applied to the positive scores. Apply it to the negative ones.",
    {"e, negative_slope * e": "negative_slope * e, e"},
)
SLOPE_IGNORED = "The argument negative_slope is ignored.", {"negative_slope * e": "0.2 * e"}
ZERO_SLOPE_IGNORED = (
    "A slope of 0 is treated as if no slope had been given. It is allowed, and `or` cannot tell 0 "
    "from None.",
    {"negative_slope * e": "(negative_slope or 0.2) * e"},
)
SLOPE_ITSELF = (
    "A negative score is replaced by the slope. It must be multiplied by it.",
    {"negative_slope * e": "negative_slope"},
)
SIGN_LOST = (
    "A negative score becomes positive. Multiply it by the slope and keep its sign.",
    {"negative_slope * e": "negative_slope * -e"},
)
SLOPE_DEFAULT = "The default of negative_slope is wrong. It must be 0.2.", {"0.2": "0.01"}
LEAKY_HALVES = (
    "The LeakyReLU is applied to each half of the score, or the half of the node that attends is "
    "left out. Apply it to the sum of both halves.",
    {
        "e = (h @ a[:g])[:, None] + h @ a[g:]\n    e = np.where(e > 0, e, negative_slope * e)": (
            "def leaky(z):\n"
            "        return np.where(z > 0, z, negative_slope * z)\n"
            "\n"
            "    e = leaky(h @ a[:g])[:, None] + leaky(h @ a[g:])"
        )
    },
)
LEAKY_FEATURES = (
    "The LeakyReLU is applied to the features before they are multiplied by a. Apply it to the "
    "score, after the multiplication.",
    {
        "[1]": "[1]\n    h = np.where(h > 0, h, negative_slope * h)",
        "    e = np.where(e > 0, e, negative_slope * e)\n": "",
    },
)
OVER_COLUMNS = (
    "The softmax runs over the columns of the matrix. The weights in one row must sum to 1.",
    {
        "e.max(axis=1, keepdims=True)": "e.max(axis=0, keepdims=True)",
        "sum(axis=1, keepdims=True)": "sum(axis=0, keepdims=True)",
    },
)
OVER_ALL = (
    "The softmax runs over all pairs of nodes together. Each row needs a softmax of its own.",
    {
        "e = np.where(mask, e, -np.inf)\n    ": "",
        "(e - e.max(axis=1, keepdims=True))": "(e - e[mask].max()) * mask",
        "sum(axis=1, keepdims=True)": "sum()",
    },
)
KEEPDIMS = (
    "The maxima or sums of the rows are lined up with the columns. Use keepdims=True.",
    {"e.max(axis=1, keepdims=True)": "e.max(axis=1)", "sum(axis=1, keepdims=True)": "sum(axis=1)"},
    {"sum(axis=1, keepdims=True)": "sum(axis=1)"},
    {"e.max(axis=1, keepdims=True)": "e.max(axis=1)"},
)
NO_SELF_LOOP = (
    "A node does not attend to itself. It must, even if the diagonal of adjacency is 0.",
    {"(adjacency != 0) | np.eye(len(x), dtype=bool)": "adjacency != 0"},
    {
        (
            "mask = (adjacency != 0) | np.eye(len(x), dtype=bool)\n"
            "    e = np.where(mask, e, -np.inf)\n"
            "    exponentials = np.exp(e - e.max(axis=1, keepdims=True))\n"
            "    return exponentials / exponentials.sum(axis=1, keepdims=True)"
        ): (
            "mask = adjacency != 0\n"
            "    exponentials = np.where(mask, np.exp(np.where(mask, e - e.max(), 0)), 0)\n"
            "    return exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-12)"
        )
    },
    {"(adjacency != 0) | np.eye(len(x), dtype=bool)": "adjacency != 0", "np.inf": "1e9"},
)
SELF_ONLY_IF_ALONE = (
    "A node attends to itself only if it has no neighbour. It always attends to itself.",
    {
        "np.eye(len(x), dtype=bool)": (
            "(np.eye(len(x), dtype=bool) & ~(adjacency != 0).any(axis=1, keepdims=True))"
        ),
    },
)
SUM_TAKEN_FOR_NONE = (
    "A node is taken to have no neighbours when its row of the adjacency sums to 0. Numbers of "
    "opposite signs may do so; look at each number.",
    {"(adjacency != 0)": "(adjacency != 0) & (adjacency.sum(axis=1, keepdims=True) != 0)"},
)
TINY_EDGES_LOST = (
    "A tiny number in the adjacency is not counted as an edge. Every number other than 0 is an "
    "edge, however small.",
    {"(adjacency != 0)": "~np.isclose(adjacency, 0)"},
    {"(adjacency != 0)": "(np.abs(adjacency) > 1e-6)"},
)
SELF_LOOP_CANCELLED = (
    "The identity is added to adjacency, which removes a node's edge to itself where the "
    "diagonal holds -1. Combine booleans: (adjacency != 0) | np.eye(nodes, dtype=bool).",
    {"(adjacency != 0) | np.eye(len(x), dtype=bool)": "adjacency + np.eye(len(x)) != 0"},
)
SYMMETRISED = (
    "Every edge is taken in both directions. Node i attends to node j only if adjacency[i, j] is "
    "not 0.",
    {"(adjacency != 0)": "(adjacency != 0) | (adjacency.T != 0)"},
)
DIRECTION_REVERSED = (
    "The edges are reversed. Row i of the adjacency says to which nodes node i attends.",
    {"!= 0": ".T != 0"},
)
EDGE_WEIGHTS = (
    "The numbers in the adjacency change the attention weights. Only whether they are 0 matters.",
    {
        "e = np.where(mask, e, -np.inf)": (
            "strength = np.where(np.eye(len(x), dtype=bool), 1, adjacency)\n"
            "    e = np.where(mask, e * strength, -np.inf)"
        )
    },
    {
        "(adjacency != 0) | np.eye(len(x), dtype=bool)": "adjacency + np.eye(len(x))",
        "mask, e": "mask != 0, e",
        "\n    return exponentials": "* mask\n    return exponentials",
    },
    {
        "return exponentials / exponentials.sum(axis=1, keepdims=True)": (
            "weights = exponentials / exponentials.sum(axis=1, keepdims=True)\n"
            "    return weights * np.where(np.eye(len(x), dtype=bool), 1, adjacency)"
        )
    },
)
POSITIVE_EDGES_ONLY = (
    "A negative number in the adjacency is not counted as an edge. Every number other than 0 is "
    "an edge.",
    {"!= 0": "> 0"},
)
ONES_ONLY = (
    "Only entries equal to 1 are counted as edges. Every number other than 0 is an edge.",
    {"!= 0": "== 1"},
)
BITWISE = (
    "The operator | does not work on an adjacency of floats. Compare with 0 first: (adjacency != "
    "0) | np.eye(nodes, dtype=bool).",
    {"(adjacency != 0)": "adjacency"},
)
INVERTED_BY_TILDE = (
    "The operator ~ inverts only booleans; ~1 is -2, which counts as true. Compare with 0 first: "
    "adjacency == 0.",
    {
        "(adjacency != 0) | np.eye(len(x), dtype=bool)": "~adjacency",
        "mask, e, -np.inf": "mask & ~np.eye(len(x), dtype=bool), -np.inf, e",
    },
)
UNIFORM = (
    "All neighbours get equal weights. The weights must depend on the features of the neighbours, "
    "through the scores: the second half of a belongs to node j.",
    {
        (
            "e = np.where(mask, e, -np.inf)\n"
            "    exponentials = np.exp(e - e.max(axis=1, keepdims=True))\n"
            "    return exponentials / exponentials"
        ): "return mask / mask"
    },
)


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="SCORE_ZEROED"
{"np.where(mask, e, -np.inf)": "e * mask"}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="ZERO_HIDDEN"
{"np.where(mask, e, -np.inf)": "np.where(mask & (e != 0), e, -np.inf)"}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="FRACTIONS_CUT_OFF"
{
    "e = np.where(e > 0, e, negative_slope * e)": (
        "e = np.where(e > 0, e, negative_slope * e).astype(x.dtype)"
    )
}
{
    "output = gat_attention(x, w, a, adjacency) @ x @ w": (
        "output = (gat_attention(x, w, a, adjacency) @ x @ w).astype(x.dtype)"
    )
}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="WHOLE_IN_PLACE"
{"e = np.where(e > 0, e, negative_slope * e)": "e[e <= 0] *= negative_slope"}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="MASK_AFTER"
{
    "    e = np.where(mask, e, -np.inf)\n": "",
    "exponentials.sum(axis=1, keepdims=True)": "exponentials.sum(axis=1, keepdims=True) * mask",
}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="OVERFLOW"
{
    (
        "e = np.where(mask, e, -np.inf)\n"
        "    exponentials = np.exp(e - e.max(axis=1, keepdims=True))"
    ): "exponentials = np.exp(np.where(mask, e, -np.inf))"
}
{
    (
        "e = np.where(mask, e, -np.inf)\n"
        "    exponentials = np.exp(e - e.max(axis=1, keepdims=True))"
    ): "exponentials = np.exp(np.where(mask, e, -np.inf))",
    "exponentials / exponentials.sum(axis=1, keepdims=True)": (
        "np.nan_to_num(exponentials / exponentials.sum(axis=1, keepdims=True))"
    ),
}

{
    "    e = np.where(mask, e, -np.inf)\n": "",
    "(e - e.max(axis=1, keepdims=True))": "(e) * mask",
}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="CLIPPED"
{
    "e = np.where(mask, e, -np.inf)\n    ": "",
    "(e - e.max(axis=1, keepdims=True))": "(np.clip(e, -50, 50)) * mask",
}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="MAXIMUM_OVER_HIDDEN"
{
    (
        "e = np.where(mask, e, -np.inf)\n"
        "    exponentials = np.exp(e - e.max(axis=1, keepdims=True))"
    ): "exponentials = np.exp(e - e.max(axis=1, keepdims=True)) * mask"
}
{
    (
        "e = np.where(mask, e, -np.inf)\n"
        "    exponentials = np.exp(e - e.max(axis=1, keepdims=True))"
    ): "exponentials = np.exp(e - e.max(axis=1, keepdims=True)) * mask",
    "exponentials.sum(axis=1, keepdims=True)": "(exponentials.sum(axis=1, keepdims=True) + 1e-12)",
}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="GLOBAL_MAXIMUM"
{"e.max(axis=1, keepdims=True)": "e.max()"}


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="FILL_TOO_LARGE"
{"np.inf": "1000.0"}


# %% exercise="gat_attention" edits="neighbours in one line" wrong="INPUT_CHANGED"
{
    "[1]": "[1]\n    np.fill_diagonal(adjacency, 1)",
    (
        "e = np.where(e > 0, e, negative_slope * e)\n"
        "    e = np.where((adjacency != 0) | np.eye(len(x), dtype=bool), e, -np.inf)"
    ): "e = np.where(adjacency != 0, np.where(e > 0, e, negative_slope * e), -np.inf)",
}


# %% exercise="gat_attention" edits="neighbours in one line"
NOT_PROJECTED = (
    "The features are averaged without w. Multiply the weights by x @ w.",
    {"@ x @ w": "@ x"},
)
WEIGHTS_TRANSPOSED = (
    "The attention weights are transposed. New features of node i are averaged with row i.",
    {"@ x": ".T @ x"},
)
ACTIVATION_IGNORED = (
    "The argument activation is ignored.",
    {"output =": "return", "\n    return output if activation is None else activation(output)": ""},
)
NOT_EVERY_ACTIVATION = (
    "Not every function is applied as the activation. Call whatever function is given.",
    {
        "output if activation is None else activation(output)": (
            "activation(output) if isinstance(activation, np.ufunc) else output"
        )
    },
)
ALWAYS_TANH = (
    "The activation is tanh, whichever function is given. Call the argument activation.",
    {"activation(output)": "np.tanh(output)"},
)
ACTIVATION_IN_PIECES = (
    "The activation is called for each number or each row. Call it once, with the whole result.",
    {"activation(output)": "np.vectorize(activation)(output)"},
    {"activation(output)": "np.array([activation(row) for row in output])"},
)
SLOPE_OF_LAYER = (
    "The slope of gat_layer is not 0.2.",
    {"gat_attention(x, w, a, adjacency)": "gat_attention(x, w, a, adjacency, 0.01)"},
)
ACTIVATION_BY_DEFAULT = (
    "An activation is applied although activation is None.",
    {"output if activation is None else activation": "(activation or np.tanh)"},
    {
        "return output if activation is None else": (
            "if activation is None:\n        return np.maximum(output, 0)\n    return"
        )
    },
)
ACTIVATION_INSIDE = (
    "The activation is applied before the averaging. Apply it to the averaged features.",
    {
        "output =": "h = x @ w if activation is None else activation(x @ w)\n    return",
        "x @ w\n    return output if activation is None else activation(output)": "h",
    },
)


# %% exercise="gat_attention" wrong="EDGE_WEIGHTS"
def gat_attention(x, w, a, adjacency, negative_slope=0.2):
    h = x @ w
    g = w.shape[1]
    e = (h @ a[:g])[:, None] + h @ a[g:]
    e = np.where(e > 0, e, negative_slope * e)
    m = np.where(np.eye(len(x)), 1, adjacency)
    e = np.exp(e - e.max(1, keepdims=True)) * m
    return e / e.sum(1, keepdims=True)


# %% exercise="gat_attention" wrong="OWN_ACTIVATION"
OWN_ACTIVATION = (
    "An activation is applied although none is given. With activation=None, the averaged features "
    "come back as they are."
)


def gat_layer(x, w, a, adjacency, activation=None):
    y = gat_attention(x, w, a, adjacency) @ x @ w
    return np.where(y > 0, y, np.exp(y) - 1) if activation is None else activation(y)


# %% exercise="gat_attention" right="node by node"
def gat_attention(x, w, a, adjacency, negative_slope=0.2):
    projected = [row @ w for row in x]
    weights = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        seen = [j for j in range(len(x)) if j == i or adjacency[i][j]]
        scores = [a @ np.concatenate([projected[i], projected[j]]) for j in seen]
        scores = [score if score > 0 else negative_slope * score for score in scores]
        shares = [np.exp(score - max(scores)) for score in scores]
        weights[i, seen] = np.array(shares) / sum(shares)
    return weights


def gat_layer(x, w, a, adjacency, activation=None):
    output = np.einsum("ij,jf,fg->ig", gat_attention(x, w, a, adjacency), x, w)
    return activation(output) if activation else output


# %% exercise="gat_attention" right="float32, all pairs joined, a very negative number for the mask"
def gat_attention(x, w, a, adjacency, negative_slope=0.2):
    h = np.float32(x) @ np.float32(w)
    nodes = len(h)
    pairs = np.concatenate([np.repeat(h, nodes, axis=0), np.tile(h, (nodes, 1))], axis=1)
    scores = (pairs @ np.float32(a)).reshape(nodes, nodes)
    scores = np.maximum(scores, 0) + np.float32(negative_slope) * np.minimum(scores, 0)
    connected = np.array(adjacency, dtype=bool)
    np.fill_diagonal(connected, True)
    scores = np.where(connected, scores, np.float32(-9e15))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def gat_layer(x, w, a, adjacency, activation=None):
    averaged = np.matmul(np.matmul(gat_attention(x, w, a, adjacency), x), w)
    if activation is not None:
        averaged = activation(averaged)
    return averaged


# %% exercise="gat_attention" right="self-loops added to the absolute adjacency"
def gat_attention(x, w, a, adjacency, negative_slope=0.2):
    first, second = np.split(a, 2)
    scores = np.add.outer(x @ w @ first, x @ w @ second)
    scores = np.maximum(scores, negative_slope * scores)
    seen = np.abs(adjacency) + np.eye(len(x)) > 0
    largest = np.max(scores, axis=1, keepdims=True, where=seen, initial=-np.inf)
    shares = np.exp(scores - largest, where=seen, out=np.zeros_like(scores))
    return shares / shares.sum(axis=1, keepdims=True)


def gat_layer(x, w, a, adjacency, activation=None):
    output = gat_attention(x, w, a, adjacency) @ x @ w
    return output if activation is None else activation(output)


# %% exercise="gat_attention" edits="a mask of neighbours"
NOT_MASKED = (
    "Every node attends to all nodes. It attends only to its neighbours and to itself.",
    {"np.where(mask, e, -np.inf)": "e + 0"},
)
ONE_HALF_OF_A = (
    "One half of a is used for both nodes of a pair. The first half belongs to the node that "
    "attends, the second to the node that it attends to.",
    {"h @ a[g:]": "h @ a[:g]"},
    {"(h @ a[:g])": "(h @ a[g:])"},
)
DOT_PRODUCTS = (
    "The scores are dot products of the projected features. They are products with the vector a.",
    {"(h @ a[:g])[:, None] + h @ a[g:]": "h @ h.T"},
)
SECOND_SUBTRACTED = (
    "The product with the second half of a is subtracted. The two products must be added.",
    {"[:, None] + h": "[:, None] - h"},
)
SCORES_RETURNED = (
    "The scores are returned. They must still pass through a softmax.",
    {"return exponentials / exponentials.sum(axis=1, keepdims=True)": "return e"},
    {
        "return exponentials / exponentials.sum(axis=1, keepdims=True)": (
            "return np.where(mask, e, 0)"
        )
    },
)
HALVES_MULTIPLIED = (
    "The two products with the halves of a are multiplied. They must be added.",
    {"[:, None] + h": "[:, None] * (h", "a[g:]": "a[g:])"},
)
SCALED = (
    "The scores are divided by a square root. In graph attention they are not scaled.",
    {"    e = np.where(e > 0": "    e = e / np.sqrt(g)\n    e = np.where(e > 0"},
)
ITSELF_TWICE = (
    "The features of the node itself are added to the average, in which they already take part.",
    {"adjacency) @ x @ w": "adjacency) @ x @ w + x @ w"},
)
PLAIN_MEAN = (
    "All neighbours have the same weight. The weights are those of gat_attention.",
    {
        "    output = gat_attention(x, w, a, adjacency) @ x @ w": ""
        "    mask = (adjacency != 0) | np.eye(len(x), dtype=bool)\n"
        "    output = mask / mask.sum(axis=1, keepdims=True) @ x @ w"
    },
)


# %% exercise="gat_attention" edits="a mask of neighbours"
WHOLE_EDGES = (
    "The adjacency is turned into whole numbers, so a small edge is lost. Any number but 0 is an "
    "edge.",
    {"(adjacency != 0)": "(adjacency.astype(int) != 0)"},
    {"(adjacency != 0)": "(np.round(adjacency) != 0)"},
)


# %% exercise="gat_attention" edits="node by node"
TWICE_ITS_OWN_NEIGHBOUR = (
    "A node that has an edge to itself is counted twice among its neighbours. It attends to itself "
    "once in any case.",
    {
        "[j for j in range(len(x)) if j == i or adjacency[i][j]]": "[i, "
        "*np.flatnonzero(adjacency[i])]"
    },
)


# %% exercise="gat_attention" edits="a mask of neighbours"
DEALT_OUT = (
    "The entries of a go to the two nodes in turn. The first half belongs to the node that "
    "attends, the second half to the node that it attends to.",
    {"a[:g]": "a[::2]", "a[g:]": "a[1::2]"},
)
SPLIT_AFTER_F = (
    "a is split after as many entries as x has columns. Each half has as many as w has columns.",
    {"a[:g]": "a[: len(w)]", "a[g:]": "a[len(w) :]"},
)
LAYER_WEIGHS_EDGES = (
    "The layer multiplies the attention weights by the numbers in the adjacency. Only whether they "
    "are 0 matters.",
    {
        "gat_attention(x, w, a, adjacency) @ x": (
            "(gat_attention(x, w, a, adjacency) * (adjacency + np.eye(len(x)))) @ x"
        )
    },
)


# %% exercise="gat_attention" edits="node by node" wrong="NO_SELF_LOOP"
{
    "j == i or adjacency": "adjacency",
    "shares = [np.exp(score - max(scores)) for score in scores]": "",
    "np.array(shares) / sum(shares)": "softmax(scores)",
}


# %% exercise="gat_attention" edits="node by node"
ALONE_GETS_NOTHING = (
    "A node without a neighbour gets no weight at all. It attends to itself, with the weight 1.",
    {
        "        scores = [a @": (
            "        if len(seen) == 1:\n            continue\n        scores = [a @"
        )
    },
)


# %% exercise="gat_attention" edits="a mask of neighbours" wrong="EDGE_WEIGHTS"
{
    "    e = np.where(mask": (
        "    e = e * np.where(np.eye(len(x)) > 0, 1, adjacency)\n    e = np.where(mask"
    )
}
{
    "    e = np.where(mask": (
        "    e = e * (adjacency + np.eye(len(x)) * (adjacency == 0))\n    e = np.where(mask"
    )
}
{
    "exponentials = np.exp(e - e.max(axis=1, keepdims=True))": (
        "edges = np.abs(adjacency + np.eye(len(x)) * (adjacency == 0))\n"
        "    exponentials = np.exp(e - e.max(axis=1, keepdims=True)) * edges"
    )
}


# %% exercise="gat_attention" edits="a mask of neighbours"
SCORES_TANH = (
    "The scores pass through tanh, as those of Bahdanau do. In graph attention they pass through "
    "the LeakyReLU.",
    {"np.where(e > 0, e, negative_slope * e)": "np.tanh(e)"},
)
MASKED_BEFORE_LEAKY = (
    "Minus infinity is multiplied by a slope of 0, which gives nan. Apply the LeakyReLU first and "
    "the mask after it.",
    {
        "    e = np.where(e > 0, e, negative_slope * e)\n": "",
        "e = np.where(mask, e, -np.inf)": (
            "e = np.where(mask, e, -np.inf)\n    e = np.where(e > 0, e, negative_slope * e)"
        ),
    },
)


# %% exercise="gat_multi_head" right="one function for a head"
def gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat"):
    def attend(w, a):
        h, g = x @ w, w.shape[1]
        e = (h @ a[:g])[:, None] + h @ a[g:]
        e = np.where(e > 0, e, 0.2 * e)
        e = np.where((adjacency != 0) | np.eye(len(x), dtype=bool), e, -np.inf)
        exponentials = np.exp(e - e.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    outputs = [attend(w, a) @ x @ w for w, a in zip(weights, attention_vectors, strict=True)]
    if combine == "average":
        return np.mean(outputs, axis=0)
    return np.concatenate(outputs, axis=1)


# %% exercise="gat_multi_head" edits="one function for a head"
HEADS_ADDED = (
    'The outputs of the heads are added. combine="average" asks for their mean.',
    {"mean": "sum"},
)
HEADS_BELOW = (
    "The heads are joined along the nodes. Put them side by side: np.concatenate with axis=1.",
    {", axis=1": ""},
)
HEADS_INTERLEAVED = (
    "The columns of the heads alternate. All columns of the first head must come first.",
    {"np.concatenate(outputs, axis=1)": "np.stack(outputs, axis=-1).reshape(len(x), -1)"},
)
HEADS_REVERSED = (
    "The heads are joined in reverse order. The first head must come first.",
    {", axis=1": "[::-1], axis=1"},
)
HEADS_STACKED = (
    "The outputs of the heads are stacked along an axis of their own. They must stand side by "
    "side in the rows of one matrix.",
    {"concatenate": "stack", ", axis=1": ""},
    {"concatenate": "stack"},
)
HEADS_RESHAPED = (
    "The outputs are reshaped, which mixes nodes. Join them with np.concatenate and axis=1.",
    {"np.concatenate(outputs, axis=1)": "np.array(outputs).reshape(len(x), -1)"},
)
TWO_HEADS_ONLY = (
    "Only the first two heads are used. Each entry of the lists is a head.",
    {
        "zip(weights, attention_vectors, strict=True)": (
            "zip(weights[:2], attention_vectors[:2], strict=True)"
        )
    },
)
EVERY_PAIR = (
    "Every matrix is combined with every attention vector. Head h has the matrix h and the vector "
    "h.",
    {
        "w, a in zip(weights, attention_vectors, strict=True)": (
            "w in weights for a in attention_vectors"
        )
    },
)
SLOPE_OF_HEADS = "The slope of the heads is not 0.2.", {"0.2 * e": "0.01 * e"}
FIRST_HEAD_ONLY = (
    "Only one head is used. Each entry of the lists is a head.",
    {
        "attend(w, a) @ x @ w for w, a in zip(weights, attention_vectors, strict=True)": (
            "attend(weights[0], attention_vectors[0]) @ x @ weights[0]"
        )
    },
    {"np.mean(outputs, axis=0)": "outputs[-1]", "np.concatenate(outputs, axis=1)": "outputs[-1]"},
)
AVERAGE_GIVES_CONCAT = (
    'combine="average" puts the heads side by side. It asks for their mean.',
    {"mean": "concatenate", "axis=0": "axis=1"},
)
CONCAT_GIVES_AVERAGE = (
    'combine="concat" gives the mean of the heads. It asks for the heads side by side.',
    {"concatenate": "mean", ", axis=1": ", axis=0"},
    {'combine == "average"': 'combine != "average"'},
)
COMBINE_DEFAULT = (
    "The default of combine is wrong. Without the argument the heads must be concatenated.",
    {'"concat"': '"average"'},
)
PARAMETERS_AVERAGED = (
    "The parameters of the heads are averaged. Each head computes its own output; average these.",
    {
        "np.mean(outputs, axis=0)": (
            "(\n"
            "            attend(np.mean(weights, axis=0), np.mean(attention_vectors, axis=0))\n"
            "            @ x\n"
            "            @ np.mean(weights, axis=0)\n"
            "        )"
        )
    },
)
ATTENTION_AVERAGED = (
    "The attention weights of the heads are averaged. Each head averages its own features with its "
    "own weights; average the outputs.",
    {
        "np.mean(outputs, axis=0)": (
            "(\n"
            "            sum("
            "attend(w, a) for w, a in zip(weights, attention_vectors, strict=True))\n"
            "            @ x\n"
            "            @ np.mean(weights, axis=0)\n"
            "            / len(weights)\n"
            "        )"
        )
    },
)
SHARED_VECTOR = (
    "All heads use the first attention vector. Each head has its own.",
    {
        "attend(w, a) @ x": "attend(w, attention_vectors[0]) @ x",
        "w, a in zip(weights, attention_vectors, strict=True)": "w in weights",
    },
)
SHARED_MATRIX = (
    "All heads use the first matrix. Each head has its own.",
    {
        "attend(w, a) @ x @ w for w, a in zip(weights, attention_vectors, strict=True)": (
            "attend(weights[0], a) @ x @ weights[0] for a in attention_vectors"
        )
    },
)
AVERAGED_OVER_FEATURES = (
    "The mean is taken over the features of each head. Take it over the heads.",
    {"axis=0": "axis=-1"},
    {"outputs, axis=0": "np.concatenate(outputs, axis=1), axis=1"},
)
HEAD_ACTIVATED = (
    "An activation is applied to the heads. This function must not apply any.",
    {"attend(w, a) @ x @ w": "np.maximum(attend(w, a) @ x @ w, 0)"},
    {"attend(w, a) @ x @ w": "np.tanh(attend(w, a) @ x @ w)"},
)


# %% exercise="gat_multi_head" wrong="MEAN_OF_ALL"
MEAN_OF_ALL = "The mean is taken over all numbers. Take it over the heads, the first axis: axis=0."


def gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat"):
    outs = [gat_layer(x, w, a, adjacency) for w, a in zip(weights, attention_vectors, strict=True)]
    return np.hstack(outs) if combine == "concat" else np.mean(outs)


# %% exercise="gat_multi_head" right="by the layer of exercise 3"
def gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat"):
    heads = [gat_layer(x, w, a, adjacency) for w, a in zip(weights, attention_vectors, strict=True)]
    return np.hstack(heads) if combine == "concat" else sum(heads) / len(heads)


# %% exercise="gat_multi_head" right="head by head into an empty array"
def gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat"):
    def attend(w, a):
        h, g = x @ w, w.shape[1]
        e = (h @ a[:g])[:, None] + h @ a[g:]
        e = np.where(e > 0, e, 0.2 * e)
        e = np.where((adjacency != 0) | np.eye(len(x), dtype=bool), e, -np.inf)
        exponentials = np.exp(e - e.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    g = weights[0].shape[1]
    outputs = np.empty((len(x), len(weights), g))
    for head in range(len(weights)):
        w = weights[head]
        outputs[:, head] = attend(w, attention_vectors[head]) @ (x @ w)
    if combine == "average":
        return outputs.mean(axis=1)
    return outputs.reshape(len(x), -1)


# %% exercise="gat_multi_head" edits="one function for a head"
OVER_THE_NODES = (
    "The mean is taken over the nodes. Take it over the heads, the first axis: axis=0.",
    {"np.mean(outputs, axis=0)": "np.mean(outputs, axis=1)"},
)
TWO_HEADS = (
    "The sum is divided by a fixed number. Divide it by the number of heads.",
    {"np.mean(outputs, axis=0)": "sum(outputs) / 2"},
)
DIVIDED_BY_NODES = (
    "The sum is divided by the number of nodes. Divide it by the number of heads.",
    {"np.mean(outputs, axis=0)": "sum(outputs) / len(x)"},
)
RUNNING_MEAN = (
    "Each head is averaged with the result so far, which gives later heads more weight. Add up all "
    "heads, and divide by their number.",
    {
        "return np.mean(outputs, axis=0)": (
            "mean = outputs[0]\n"
            "        for output in outputs[1:]:\n"
            "            mean = (mean + output) / 2\n"
            "        return mean"
        )
    },
)
MEDIAN = (
    "The median of the heads is taken. Take their mean.",
    {"np.mean(outputs, axis=0)": "np.median(outputs, axis=0)"},
)
LARGEST = (
    "The largest output of the heads is taken. Take their mean.",
    {"np.mean(outputs, axis=0)": "np.max(outputs, axis=0)"},
)
DIVIDED_SIDE_BY_SIDE = (
    "The outputs that stand side by side are divided by the number of heads. Join them as they "
    "are.",
    {"np.concatenate(outputs, axis=1)": "np.concatenate(outputs, axis=1) / len(outputs)"},
)


# %% exercise="gat_multi_head" edits="one function for a head"
HEADS_IN_A_ROW = (
    "Each head reads what the head before has returned. All heads read x.",
    {
        "    outputs = [attend(w, a) @ x @ w for w, a in zip(weights, attention_vectors, "
        "strict=True)]\n": (
            "    outputs = []\n"
            "    for w, a in zip(weights, attention_vectors, strict=True):\n"
            "        x = attend(w, a) @ x @ w\n"
            "        outputs.append(x)\n"
        )
    },
    {
        "    outputs = [attend(w, a) @ x @ w for w, a in zip(weights, attention_vectors, "
        "strict=True)]\n": (
            "    outputs = []\n"
            "    for w, a in zip(weights, attention_vectors, strict=True):\n"
            "        x = attend(w, a) @ x @ w if x.shape[1] == len(w) else x\n"
            "        outputs.append(x)\n"
        )
    },
)


# %% exercise="gat_multi_head" edits="one function for a head" wrong="FRACTIONS_CUT_OFF"
{"np.mean(outputs, axis=0)": "np.mean(outputs, axis=0).astype(x.dtype)"}
{"np.concatenate(outputs, axis=1)": "np.concatenate(outputs, axis=1).astype(x.dtype)"}


# %% exercise="gat_multi_head" edits="by the layer of exercise 3"
ACTIVATED = (
    "An activation is applied to the heads. They are put together as they are.",
    {
        "gat_layer(x, w, a, adjacency)": (
            "gat_layer(x, w, a, adjacency, lambda z: np.fmax(z, np.expm1(np.fmin(z, 0))))"
        )
    },
)


# %% exercise="gat_multi_head" edits="head by head into an empty array"
COLUMNS_AVERAGED = (
    "Neighbouring columns of the heads are averaged. Average the same column of all heads.",
    {"outputs.mean(axis=1)": "outputs.reshape(len(x), g, -1).mean(axis=2)"},
)


# %% exercise="gat_multi_head" edits="by the layer of exercise 3"
HEADS_OF_EXAMPLE = (
    "There are exactly two heads in the code, as in the example. Go through the lists instead.",
    {
        "    heads =": "    first, second = weights\n    heads =",
    },
)


# %% exercise="gat_multi_head" edits="head by head into an empty array"
HEADS_OVERLAP = (
    "The columns of the heads overlap. Head h, with its g columns, begins at column h · g.",
    {
        "    return outputs.reshape(len(x), -1)": """\
    result = np.zeros((len(x), len(weights) * g))
    for head in range(len(weights)):
        result[:, head : head + g] = outputs[:, head]
    return result"""
    },
)


# %% exercise="gat_multi_head" edits="by the layer of exercise 3"
ONE_SOFTMAX_FOR_ALL = (
    "All heads share one softmax, because their matrices are joined. Each has its own weights.",
    {
        "heads = [gat_layer(x, w, a, adjacency) for w, a in "
        "zip(weights, attention_vectors, strict=True)]": (
            "g = weights[0].shape[1]; "
            "parts = [a[:g] for a in attention_vectors] + [a[g:] for a in attention_vectors]; "
            "joined = gat_layer(x, np.hstack(weights), np.concatenate(parts), adjacency); "
            "heads = np.split(joined, len(weights), axis=1)"
        )
    },
)


# %% exercise="gat_multi_head" edits="one function for a head"
FIRST_FEATURES = (
    "All heads average the features of the first head. Each head projects x with its own matrix.",
    {"attend(w, a) @ x @ w": "attend(w, a) @ x @ weights[0]"},
)


# %% exercise="gat_multi_head" edits="one function for a head"
MEAN_SQUEEZED = (
    "A single column loses its axis. The result is (nodes, g), also where g is 1.",
    {"np.mean(outputs, axis=0)": "np.squeeze(np.mean(outputs, axis=0))"},
)


# %% exercise="gat_multi_head" edits="one function for a head"
WEIGHTS_JOINED = (
    "The attention weights of the heads are put together. The output of a head is its weights "
    "times its projected features.",
    {"attend(w, a) @ x @ w for": "attend(w, a) for"},
)


# %% exercise="gat_multi_head" wrong="HEADS_IN_SERIES"
HEADS_IN_SERIES = "The output of one head is the input of the next one. All heads read the same x."


def gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat"):
    heads = []
    for w, a in zip(weights, attention_vectors, strict=True):
        x = gat_layer(x, w, a, adjacency)
        heads.append(x)
    return np.hstack(heads) if combine == "concat" else np.mean(heads, axis=0)


# %% exercise="gat_multi_head" wrong="HEADS_IN_SERIES"
def gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat"):
    heads, h = [], x
    for w, a in zip(weights, attention_vectors, strict=True):
        h = gat_layer(h if h.shape[1] == len(w) else x, w, a, adjacency)
        heads.append(h)
    return np.hstack(heads) if combine == "concat" else np.mean(heads, axis=0)


# %% exercise="gat_multi_head" wrong="ONE_WIDE_HEAD"
ONE_WIDE_HEAD = (
    "The matrices are joined into one wide head, which has a single softmax. Each head needs "
    "attention weights of its own."
)


def gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat"):
    wide = gat_layer(x, np.hstack(weights), np.hstack(attention_vectors), adjacency)
    if combine == "concat":
        return wide
    return wide.reshape(len(x), len(weights), -1).mean(axis=1)


# %% exercise="gat_multi_head" edits="one function for a head" wrong="OVERFLOW"
{" - e.max(axis=1, keepdims=True)": ""}


# %% exercise="gat_multi_head" edits="one function for a head"
ATTENTION_OF_THE_FIRST_HEAD = (
    "All heads use the attention weights of the first one. Each head has its own w and a.",
    {"attend(w, a) @ x @ w": "attend(weights[0], attention_vectors[0]) @ x @ w"},
)


# %% exercise="ntm_read" right="the formulas"
def ntm_read(memory, weights):
    return weights @ memory


def ntm_write(memory, weights, erase, add):
    return memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)


# %% exercise="ntm_read" edits="the formulas"
NOT_SUMMED = (
    "The weighted rows are not summed. A read returns one vector, (width,).",
    {"weights @": "weights[:, None] *"},
)
SUMMED_OVER_WIDTH = (
    "The sum runs over the columns. Sum the weighted rows over the slots.",
    {"weights @ memory": "(weights[:, None] * memory).sum(axis=1)"},
    {"weights @ memory": "memory @ weights"},
)
HARD_READ = (
    "Only the slot with the largest weight is read. Every slot contributes in proportion to its "
    "weight.",
    {"weights @ memory": "memory[np.argmax(weights)]"},
)
PLAIN_MEAN = (
    "This is the mean of all rows. Weight each row by its entry of weights.",
    {"weights @ memory": "memory.mean(axis=0)"},
)
AVERAGED_ROWS = (
    "The weighted rows are averaged over the slots. Sum them, because the weights already sum to "
    "1.",
    {"weights @ memory": "(weights[:, None] * memory).mean(axis=0)"},
)
WEIGHTS_IN_SOFTMAX = (
    "The weights pass through a softmax. They already sum to 1, so use them as they are.",
    {"weights @ memory": "np.exp(weights) / np.exp(weights).sum() @ memory"},
)
ADD_WEIGHTED_TWICE = (
    "add is multiplied by the weight twice. Add w_i * add.",
    {"np.outer(weights, add)": "np.outer(weights**2, add)"},
)
ERASE_ROUNDED = (
    "The entries of erase are rounded to 0 or 1. They say which share of the memory is erased.",
    {"np.outer(weights, erase)": "np.outer(weights, erase >= 0.5)"},
)
ADDED_FIRST = (
    "What is added is erased again. Erase first, then add.",
    {"memory *": "(memory + np.outer(weights, add)) *", " + np.outer(weights, add)": ""},
)
NOT_ERASED = (
    "Nothing is erased. Multiply the memory by 1 - w_i * erase before you add.",
    {" * (1 - np.outer(weights, erase))": ""},
)
NOT_ADDED = "Nothing is added. Add w_i * add to each row.", {" + np.outer(weights, add)": ""}
ERASED_EVERYWHERE = (
    "All slots are erased equally. Each slot must be erased as strongly as its weight says.",
    {"np.outer(weights, erase)": "erase"},
)
ADDED_EVERYWHERE = (
    "The same vector is added to every slot. Multiply add by the weight of each slot.",
    {"np.outer(weights, add)": "add"},
)
KEPT_INSTEAD = (
    "The memory is multiplied by w_i * erase, which keeps what should be erased. Multiply it by "
    "1 - w_i * erase.",
    {"(1 - np.outer(weights, erase))": "np.outer(weights, erase)"},
)
ERASE_SUBTRACTED = (
    "erase is subtracted from the memory. It says which share of the memory is erased, so "
    "multiply by 1 - w_i * erase.",
    {"* (1 - np.outer(weights, erase))": "- np.outer(weights, erase)"},
)
ERASE_INVERTED = (
    "erase is read the wrong way round. Where an entry of erase is 1, the memory must be erased.",
    {"(weights, erase)": "(weights, 1 - erase)"},
)
HARD_WRITE = (
    "Only the slot with the largest weight is written. Every slot is written in proportion to "
    "its weight.",
    {
        "(memory, weights, erase, add):": (
            "(memory, weights, erase, add):\n    weights = np.eye(len(weights))[np.argmax(weights)]"
        )
    },
)
ROW_FORGOTTEN = (
    "The weight erases the whole row. Only what erase names may be erased: 1 - w_i * erase.",
    {"np.outer(weights, erase)": "weights[:, None]"},
)

# %% exercise="ntm_read" edits="the formulas" wrong="INPUT_CHANGED"
{
    "return memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)": (
        "memory *= 1 - np.outer(weights, erase)\n"
        "    memory += np.outer(weights, add)\n"
        "    return memory"
    )
}
{
    "return memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)": (
        "for i, weight in enumerate(weights):\n"
        "        memory[i] = memory[i] * (1 - weight * erase) + weight * add\n"
        "    return memory"
    )
}

# %% exercise="ntm_read" edits="the formulas" wrong="FRACTIONS_CUT_OFF"
{"weights @ memory": "(weights @ memory).astype(memory.dtype)"}
{
    "return memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)": (
        "new = memory.copy()\n"
        "    for i, weight in enumerate(weights):\n"
        "        new[i] = memory[i] * (1 - weight * erase) + weight * add\n"
        "    return new"
    )
}
{
    "(memory, weights, erase, add):": (
        "(memory, weights, erase, add):\n    weights = weights.astype(memory.dtype)"
    )
}

# %% exercise="ntm_read" edits="the formulas" wrong="WHOLE_IN_PLACE"
{
    "return weights @ memory": (
        "result = np.zeros_like(memory[0])\n"
        "    for weight, row in zip(weights, memory, strict=True):\n"
        "        result += weight * row\n"
        "    return result"
    )
}
{
    "return memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)": (
        "new = memory.copy()\n"
        "    new *= 1 - np.outer(weights, erase)\n"
        "    new += np.outer(weights, add)\n"
        "    return new"
    )
}

# %% exercise="ntm_read" wrong="ROW_KEPT"
ROW_KEPT = "The result is a matrix with one row. A read returns one vector, (width,)."


def ntm_read(memory, weights):
    return weights[None] @ memory


# %% exercise="ntm_read" wrong="ERASED_TWICE"
ERASED_TWICE = (
    "The memory is multiplied by 1 - w_i and by 1 - erase. Multiply it by 1 - w_i * erase, so "
    "that nothing is lost where erase is 0."
)


def ntm_write(memory, weights, erase, add):
    return memory * (1 - weights[:, None]) * (1 - erase) + np.outer(weights, add)


# %% exercise="ntm_read" wrong="ERASE_ADDED"
ERASE_ADDED = (
    "The sign of w_i * erase is wrong, so the memory grows. Multiply the memory by 1 - w_i * erase."
)


def ntm_write(memory, weights, erase, add):
    return memory * (1 + np.outer(weights, erase)) + np.outer(weights, add)


# %% exercise="ntm_read" right="slot by slot"
def ntm_read(memory, weights):
    result = np.zeros(memory.shape[1])
    for weight, row in zip(weights, memory, strict=True):
        result = result + weight * row
    return result


def ntm_write(memory, weights, erase, add):
    return [row * (1 - w * erase) + w * add for row, w in zip(memory, weights, strict=True)]


# %% exercise="ntm_read" right="einsum, and the erased part subtracted"
def ntm_read(memory, weights):
    return np.einsum("s,sw->w", weights, memory)


def ntm_write(memory, weights, erase, add):
    new = memory.astype("float32")
    new -= new * weights[:, None] * erase
    return new + weights[:, None] * add


# %% exercise="ntm_read" edits="the formulas"
OTHERS_ERASED = (
    "The memory is multiplied by 1 - (1 - w_i) * erase, so the slots that are not written to are "
    "erased. Multiply it by 1 - w_i * erase.",
    {"(1 - np.outer(weights, erase))": "(1 - np.outer(1 - weights, erase))"},
)
NOT_ERASED_PART = (
    "The memory is multiplied by (1 - w_i) * erase. Multiply it by 1 - w_i * erase.",
    {"(1 - np.outer(weights, erase))": "np.outer(1 - weights, erase)"},
)
KEPT_WHERE_WRITTEN = (
    "The memory is multiplied by w_i * (1 - erase). Multiply it by 1 - w_i * erase.",
    {"(1 - np.outer(weights, erase))": "np.outer(weights, 1 - erase)"},
)
ADDED_TO_THE_OTHERS = (
    "The vector is added with 1 - w_i. Add w_i * add.",
    {"np.outer(weights, add)": "np.outer(1 - weights, add)"},
)
ADD_SUBTRACTED = (
    "w_i * add is subtracted. It must be added.",
    {"+ np.outer(weights, add)": "- np.outer(weights, add)"},
)
OLD_MEMORY_LOST = (
    "Only what is added is returned. The new memory also holds what is left of the old one.",
    {"memory * (1 - np.outer(weights, erase)) + np.outer": "np.outer"},
)
ADDED_WHERE_ERASED = (
    "add is multiplied by erase. Add w_i * add, whatever has been erased.",
    {"np.outer(weights, add)": "np.outer(weights, add * erase)"},
)
ADDED_IN_FULL = (
    "A slot gets the whole vector as soon as its weight is not 0. Add w_i * add.",
    {"np.outer(weights, add)": "np.outer(weights > 0, add)"},
)
NO_OUTER_PRODUCT = (
    "The outer product is transposed, or there is none. np.outer(weights, erase) has a row for "
    "each slot and a column for each entry of erase.",
    {
        "np.outer(weights, erase)": "np.outer(erase, weights)",
        "np.outer(weights, add)": "np.outer(add, weights)",
    },
    {"np.outer(weights, erase)": "np.outer(erase, weights)"},
    {"np.outer(weights, erase)": "weights * erase", "np.outer(weights, add)": "weights * add"},
)


# %% exercise="ntm_read" edits="the formulas" wrong="HARD_WRITE"
{
    "(memory, weights, erase, add):": (
        "(memory, weights, erase, add):\n    weights = weights * (weights == weights.max())"
    )
}


# %% exercise="ntm_read" edits="the formulas"
ERASED_WHOLLY = (
    "Every slot with a weight above 0 is erased as if its weight were 1. The erase vector is "
    "multiplied by the weight of the slot.",
    {"np.outer(weights, erase)": "np.outer(weights > 0, erase)"},
)


# %% exercise="ntm_read" edits="the formulas"
ADDED_IN_THE_BRACKET = (
    "What is added stands inside the bracket, so it is multiplied by the memory.",
    {"erase)) + np.outer(weights, add)": "erase) + np.outer(weights, add))"},
)


# %% exercise="ntm_read" edits="the formulas"
MEMORY_CLIPPED = (
    "The entries of the new memory are clipped. They may be any numbers.",
    {
        "return memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)": (
            "new = memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)\n"
            "    return np.clip(new, -1, 1)"
        )
    },
    {
        "return memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)": (
            "new = memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)\n"
            "    return np.clip(new, 0, 1)"
        )
    },
)


# %% exercise="ntm_read" edits="slot by slot"
SMALL_WEIGHTS_LEFT_OUT = (
    "A slot with a small weight is not written. Every slot is written as strongly as its weight "
    "says.",
    {"+ w * add for": "+ w * add if w >= 0.1 else row for"},
)


# %% exercise="content_addressing" right="norms of 0 replaced by 1"
def content_addressing(memory, key, strength):
    norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    cosines = memory @ key / np.where(norms > 0, norms, 1)
    scores = strength * cosines
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
DOT_PRODUCT = (
    "The scores are dot products. Divide them by the norms of the row and of the key to get "
    "cosines.",
    {
        "norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)\n    ": "",
        " / np.where(norms > 0, norms, 1)": "",
    },
)
KEY_NOT_NORMALISED = (
    "The dot products are not divided by the norm of the key.",
    {" * np.linalg.norm(key)": ""},
)
ROWS_NOT_NORMALISED = (
    "The dot products are not divided by the norms of the rows.",
    {
        "norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)\n    ": "",
        "np.where(norms > 0, norms, 1)": "np.linalg.norm(key)",
    },
)
ONE_NORM = (
    "The norm of the whole memory is used. Each row has a norm of its own: use axis=1.",
    {", axis=1": "", "np.where(norms > 0, norms, 1)": "norms"},
)
NORMS_OF_COLUMNS = (
    "The norms are those of the columns. Each row has a norm of its own: use axis=1.",
    {
        "axis=1) * np.linalg.norm(key)": "axis=0)",
        "memory @ key": "(memory / norms) @ key",
        "np.where(norms > 0, norms, 1)": "np.linalg.norm(key)",
    },
    {"axis=1": "axis=0"},
)
SUMS_AS_NORMS = (
    "Sums of absolute values are used as norms. A norm is the square root of a sum of squares.",
    {
        "np.linalg.norm(memory, axis=1) * np.linalg.norm(key)": (
            "np.abs(memory).sum(axis=1) * np.abs(key).sum()"
        )
    },
)
NORMS_IN_PART = (
    "Columns in which the key is 0 are left out of the norms of the rows. All entries of a row "
    "belong to its norm.",
    {"np.linalg.norm(memory, axis=1)": "np.linalg.norm(memory[:, key != 0], axis=1)"},
)
CENTRED = (
    "The means of the rows and of the key are subtracted first, which gives correlations. Take the "
    "cosines of the rows and the key as they are.",
    {
        "    norms =": (
            "    memory, key = memory - memory.mean(axis=1, keepdims=True), key - key.mean()\n"
            "    norms ="
        )
    },
)
COSINES_SQUARED = (
    "The cosines are squared. Multiply them by the strength as they are.",
    {"strength * cosines": "strength * cosines**2"},
)
SHORT_ROWS = (
    "Products of norms below 1 are replaced by 1, which changes the cosines of short rows. Only "
    "where the product is 0 is there nothing to divide by.",
    {"np.where(norms > 0, norms, 1)": "np.maximum(norms, 1)"},
)
NORMS_SQUARED = (
    "The norms are squared. Divide by the norms themselves.",
    {
        "np.linalg.norm(memory, axis=1) * np.linalg.norm(key)": (
            "np.sum(memory**2, axis=1) * np.sum(key**2)"
        )
    },
)
ZERO_ROW = (
    "A row of zeros gives 0/0. Its cosine is 0 with every key.",
    {"np.where(norms > 0, norms, 1)": "norms"},
    {
        "np.where(norms > 0, norms, 1)": "norms",
        "exponentials / exponentials.sum()": "np.nan_to_num(exponentials / exponentials.sum())",
    },
)
ZERO_ROW_DROPPED = (
    "A row of zeros is left out of the result. Every slot has a weight, and the cosine of a row of "
    "zeros is 0.",
    {"strength * cosines": "strength * cosines[norms > 0]"},
)
ZEROS_ONLY = (
    "The weights do not sum to 1 when the whole memory is zeros. All cosines are then 0, so the "
    "softmax gives equal weights.",
    {
        "return exponentials / exponentials.sum()": (
            "return exponentials / exponentials.sum() * memory.any()"
        )
    },
)
ZERO_ROW_LEFT_OUT = (
    "A row of zeros gets weight 0. Its cosine is 0, and the softmax still gives it a weight.",
    {"(scores - scores.max())": "(scores - scores.max()) * (norms > 0)"},
    {
        "memory @ key / np.where(norms > 0, norms, 1)": (
            "np.where(norms > 0, memory @ key / np.where(norms > 0, norms, 1), -np.inf)"
        )
    },
)
ANY_ZERO = (
    "A row is taken for a row of zeros although some of its entries are not 0. Look at its norm.",
    {"scores =": "cosines[(memory == 0).any(axis=1)] = 0\n    scores ="},
    {"scores =": "cosines[memory.sum(axis=1) == 0] = 0\n    scores ="},
    {"scores =": "cosines[memory[:, 0] == 0] = 0\n    scores ="},
)
STRENGTH_ROUNDED = (
    "The strength is rounded to a whole number. Multiply the cosines by it as it is.",
    {"strength * cosines": "int(strength) * cosines"},
    {"strength * cosines": "round(strength) * cosines"},
)
STRENGTH_AT_LEAST_1 = (
    "A strength below 1 is replaced by 1. Any positive number is allowed.",
    {"strength * cosines": "max(strength, 1) * cosines"},
)
STRENGTH_IGNORED = (
    "The argument strength is ignored. Multiply the cosines by it.",
    {" strength *": ""},
)
STRENGTH_DIVIDES = (
    "The cosines are divided by the strength. Multiply them by it.",
    {"strength * cosines": "cosines / strength"},
)
STRENGTH_OUTSIDE = (
    "The strength multiplies the weights after the softmax. Multiply the cosines by it.",
    {" strength *": "", "exponentials /": "strength * exponentials /"},
)


# %% exercise="content_addressing" wrong="NO_SOFTMAX"
NO_SOFTMAX = "The softmax is missing. The weights must be positive and sum to 1."


def content_addressing(memory, key, strength):
    norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    cosines = memory @ key / np.where(norms > 0, norms, 1)
    return strength * cosines


# %% exercise="content_addressing" wrong="SHARPENED_COSINES"
SHARPENED_COSINES = "The cosines are divided by their sum instead of passing through a softmax."


def content_addressing(memory, key, strength):
    norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    cosines = memory @ key / np.where(norms > 0, norms, 1)
    return strength * cosines / np.sum(strength * cosines)


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
DISTANCE = (
    "The scores are distances. They must be cosines.",
    {
        (
            "norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)\n"
            "    cosines = memory @ key / np.where(norms > 0, norms, 1)"
        ): "cosines = -np.linalg.norm(memory - key, axis=1)"
    },
)
VECTOR_OVERFLOW = (
    "The exponential overflows. Subtract the largest score first.",
    {" - scores.max()": ""},
    {
        " - scores.max()": "",
        "exponentials / exponentials.sum()": "np.nan_to_num(exponentials / exponentials.sum())",
    },
)
BEST_ALONE = (
    "When the strength is large, one slot gets all of the weight. Slots that are almost equally "
    "like the key share it: subtract the largest score, and no strength needs a case of its own.",
    {
        "    scores =": (
            "    if strength > 500:\n"
            "        return np.eye(len(cosines))[cosines.argmax()]\n"
            "    scores ="
        )
    },
)
NOT_THE_LARGEST = (
    "What is subtracted is not the largest score, so all exponentials become 0 when no slot is "
    "like the key. Subtract the largest score, whatever its sign.",
    {"scores - scores.max()": "scores - strength"},
    {"scores - scores.max()": "scores - max(0, scores.max())"},
    {"scores - scores.max()": "scores - np.abs(scores).max()"},
    {
        "scores - scores.max()": "scores - strength",
        "exponentials.sum()": "(exponentials.sum() + 1e-8)",
    },
)
VECTOR_CLIPPED = (
    "The scores are clipped, so the differences between large scores are lost. Subtract the "
    "largest score instead.",
    {"scores - scores.max()": "np.clip(scores, -500, 500)"},
)
STRENGTH_CLIPPED = (
    "A large strength is replaced by a smaller one. Subtract the largest score instead, and no "
    "strength makes the exponential overflow.",
    {"strength *": "min(strength, 700) *", " - scores.max()": ""},
    {"strength *": "min(strength, 1000) *"},
    {"strength *": "min(strength, 10_000) *"},
)


# %% exercise="content_addressing" wrong="COSINES"
COSINES = "These are the cosines. Multiply them by strength, and take the softmax."


def content_addressing(memory, key, strength):
    nn = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    return memory @ key / np.where(nn, nn, 1)


# %% exercise="content_addressing" wrong="NORM_PADDED"
NORM_PADDED = (
    "The number that is added to the norms or to their product is so large that it "
    "changes the cosines. Treat only a row of zeros in a way of its own, or add a number such "
    "as 1e-8."
)


def content_addressing(memory, key, strength):
    c = memory @ key / (np.linalg.norm(memory, axis=1) * np.linalg.norm(key) + 1e-2)
    z = np.exp(strength * (c - c.max()))
    return z / z.sum()


# %% exercise="content_addressing" wrong="ABSOLUTE"
ABSOLUTE = "The signs of the cosines are lost. A row that points away from the key is unlike it."


def content_addressing(memory, key, strength):
    nn = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    c = np.abs(memory @ key / np.where(nn, nn, 1))
    z = np.exp(strength * (c - c.max()))
    return z / z.sum()


# %% exercise="content_addressing" wrong="ONLY_BEST"
ONLY_BEST = "All of the weight lies on the most similar slot. A softmax gives each slot a weight."


def content_addressing(memory, key, strength):
    nn = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    c = memory @ key / np.where(nn, nn, 1)
    return np.eye(len(memory))[c.argmax()]


# %% exercise="content_addressing" wrong="SIGN_REVERSED"
SIGN_REVERSED = (
    "The sign is reversed, as in a cosine distance, so the least similar slot gets the largest "
    "weight."
)


def content_addressing(memory, key, strength):
    nn = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    c = -memory @ key / np.where(nn, nn, 1)
    z = np.exp(strength * (c - c.max()))
    return z / z.sum()


# %% exercise="content_addressing" wrong="SIGN_REVERSED"
def content_addressing(memory, key, strength):
    from scipy.spatial.distance import cdist

    c = np.nan_to_num(cdist(memory, key[None], "cosine")[:, 0])
    z = np.exp(strength * (c - c.max()))
    return z / z.sum()


# %% exercise="content_addressing" right="slot by slot, with a small number against 0/0"
def content_addressing(memory, key, strength):
    scores = []
    for row in memory:
        similarity = np.dot(row, key) / (np.sqrt(row @ row) * np.sqrt(key @ key) + 1e-8)
        scores.append(strength * similarity)
    shares = [np.exp(score - max(scores)) for score in scores]
    return [share / sum(shares) for share in shares]


# %% exercise="content_addressing" right="SciPy, rows and key normalised first"
def content_addressing(memory, key, strength):
    from scipy.special import softmax

    norms = np.linalg.norm(memory, axis=1, keepdims=True)
    unit_rows = memory / np.maximum(norms, 1e-12)
    return softmax(strength * (unit_rows @ (key / np.linalg.norm(key))))


# %% exercise="content_addressing" right="float32"
def content_addressing(memory, key, strength):
    memory, key = memory.astype("float32"), key.astype("float32")
    with np.errstate(invalid="ignore"):
        cosines = memory @ key / (np.linalg.norm(memory, axis=1) * np.linalg.norm(key))
    scores = np.float32(strength) * np.nan_to_num(cosines)
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
ZEROS_ALIKE = (
    "A row of zeros gets the cosine 1. It is 0.",
    {"    scores =": "    cosines = np.where(norms > 0, cosines, 1)\n    scores ="},
)
ANGLES = (
    "The scores are angles. They must be cosines of angles.",
    {"strength * cosines": "-strength * np.arccos(cosines)"},
    {"strength * cosines": "strength * np.arccos(cosines)"},
)


# %% exercise="content_addressing" edits="norms of 0 replaced by 1" wrong="NORM_PADDED"
{"np.where(norms > 0, norms, 1)": "(norms + 0.1)"}
{"np.where(norms > 0, norms, 1)": "(norms + 0.01)"}
{"np.where(norms > 0, norms, 1)": "(norms + 1e-3)"}
{"np.where(norms > 0, norms, 1)": "(norms + 1e-4)"}
{"np.where(norms > 0, norms, 1)": "(norms + 1)"}


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
ZEROS_OPPOSITE = (
    "A row of zeros gets the cosine −1. It is 0.",
    {"    scores =": "    cosines = np.where(norms > 0, cosines, -1)\n    scores ="},
)
POWER_OF_SOFTMAX = (
    "The weights of a softmax without the strength are raised to this power. All of them become 0 "
    "when the strength is large, so multiply the cosines by it.",
    {
        "strength * cosines": "cosines",
        "return exponentials / exponentials.sum()": (
            "weights = (exponentials / exponentials.sum()) ** strength\n"
            "    return weights / weights.sum()"
        ),
    },
)


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
WHOLE_OUT = (
    "np.divide cannot write fractions into an array of whole numbers. Make the argument out with "
    "np.zeros(len(memory)).",
    {
        "memory @ key / np.where(norms > 0, norms, 1)": (
            "np.divide(memory @ key, norms, out=np.zeros_like(memory @ key), where=norms > 0)"
        )
    },
)


# %% exercise="content_addressing" edits="norms of 0 replaced by 1" wrong="DISTANCE"
{
    "cosines = memory @ key / np.where(norms > 0, norms, 1)": (
        "size = np.linalg.norm(key)\n"
        "    rows = memory / np.where(norms > 0, norms / size, 1)[:, None]\n"
        "    cosines = -np.linalg.norm(rows - key / size, axis=1)"
    )
}


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
TINY_IN_ENTRIES = (
    "A tiny number is added to the entries, so a slot of zeros points somewhere. Its similarity to "
    "the key must be 0: add the number to the norms.",
    {
        "    norms =": "    memory, key = memory + 1e-16, key + 1e-16\n    norms =",
    },
)


# %% exercise="content_addressing" edits="SciPy, rows and key normalised first" wrong="SHORT_ROWS"
{"np.maximum(norms, 1e-12)": "np.maximum(norms, 1)"}


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
NORMS_ADDED = (
    "The norms of the row and of the key are added. Multiply them.",
    {"axis=1) * np": "axis=1) + np"},
)
SCALED_BY_WIDTH = (
    "The dot products are divided by the square root of the width, as in the Transformer. Divide "
    "them by the norms of the row and of the key.",
    {
        "norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)\n    ": "",
        "np.where(norms > 0, norms, 1)": "np.sqrt(memory.shape[1])",
    },
)
ALREADY_READ = (
    "What is read from the memory is returned. Return the weights themselves.",
    {
        "return exponentials / exponentials.sum()": (
            "return exponentials @ memory / exponentials.sum()"
        )
    },
)


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
OUT_LIKE_MEMORY = (
    "The argument out of np.divide has the shape of the memory. It needs one number for each slot.",
    {
        "memory @ key / np.where(norms > 0, norms, 1)": (
            "np.divide(memory @ key, norms, out=np.zeros(memory.shape), where=norms > 0)"
        )
    },
)


# %% exercise="content_addressing" edits="norms of 0 replaced by 1"
NEGATIVE_COSINES_CUT = (
    "Negative cosines are set to 0. A row that points the other way has the cosine -1.",
    {"strength * cosines": "strength * np.maximum(cosines, 0)"},
)


# %% exercise="ntm_address" right="np.roll"
def ntm_address(previous, content, gate, shift, sharpen):
    gated = gate * content + (1 - gate) * previous
    shifted = shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)
    powers = (shifted / shifted.max()) ** sharpen
    return powers / powers.sum()


# %% exercise="ntm_address" edits="np.roll"
SHIFT_REVERSED = (
    "The shift goes in the wrong direction. shift[2] is s(+1), which moves weights one slot "
    "forward.",
    {", -1": ", 1", ", 1": ", -1"},
)
SHIFT_BEHIND_ZERO = (
    "The entries of shift are taken for s(0), s(+1), s(+2). They are s(-1), s(0), s(+1).",
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            "sum(s * np.roll(gated, j) for j, s in enumerate(shift))"
        )
    },
)
SHIFT_ORDER = (
    "The entries of shift are taken in another order. They are s(-1), s(0), s(+1).",
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated": (
            "shift[0] * gated + shift[1] * np.roll(gated, -1)"
        )
    },
    {
        "shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            "shift[1] * np.roll(gated, 1) + shift[2] * gated"
        )
    },
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated": (
            "shift[0] * gated + shift[1] * np.roll(gated, 1)"
        ),
        ", 1": ", -1",
    },
)
LARGEST_SHIFT_ONLY = (
    "Only the largest entry of shift is used. Each entry says how much of the weight moves there.",
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            "np.roll(gated, np.argmax(shift) - 1)"
        )
    },
)
SHIFT_MISSING = (
    "The weights are not shifted. Move them as shift says before you sharpen them.",
    {"shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": "gated"},
)
BACK_FORGOTTEN = (
    "shift[0] is ignored. It is s(-1), the part of each weight that moves one slot back.",
    {" shift[0] * np.roll(gated, -1) +": ""},
)
NO_RING = (
    "Weights that leave at one end are lost. The slots form a ring: the slot after the last one "
    "is the first one.",
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            'np.convolve(gated, shift, mode="same")'
        )
    },
)
EDGES_REPEATED = (
    "The weights at the ends are repeated outside. The slots form a ring: the slot after the "
    "last one is the first one.",
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            'np.convolve(np.pad(gated, 1, mode="edge"), shift, mode="valid")'
        )
    },
)
SMALL_RING = (
    "In a ring of two slots, one slot forward and one slot back lead to the same place, and in a "
    "ring of one slot every move ends where it began. Both parts of the weight arrive there, so "
    "add them up.",
    {
        "gated = gate": "n = len(content)\n    gated = gate",
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            "np.zeros(n)\n"
            "    by_distance = {n - 1: shift[0], 1: shift[2], 0: shift[1]}\n"
            "    for i, j in np.ndindex(n, n):\n"
            "        shifted[i] += by_distance.get((i - j) % n, 0) * gated[j]"
        ),
    },
    {
        "gated = gate": "n = len(content)\n    gated = gate",
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            "np.zeros(n)\n"
            "    by_distance = {1: shift[2], n - 1: shift[0], 0: shift[1]}\n"
            "    for i, j in np.ndindex(n, n):\n"
            "        shifted[i] += by_distance.get((i - j) % n, 0) * gated[j]"
        ),
    },
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            "shift[1] * gated\n"
            "    if len(gated) > 1:\n"
            "        shifted += shift[0] * np.roll(gated, -1) + shift[2] * np.roll(gated, 1)"
        )
    },
)
GATE_SWAPPED = (
    "The gate is read the wrong way round. It must multiply the content, and 1 - gate the "
    "previous weights.",
    {"* content": "* previous", "* previous": "* content"},
)
GATE_IGNORED = (
    "The previous weights are ignored. Mix them with those of the content, as the gate says.",
    {"gate * content + (1 - gate) * previous": "content"},
)
GATE_ROUNDED = (
    "The gate is rounded to 0 or 1. Mix content and previous weights in the shares that it says.",
    {"gate * content + (1 - gate) * previous": "content if gate > 0.5 else previous"},
)
HALF_AND_HALF = (
    "The gate is ignored, and the mean of both weights is taken. Mix them as the gate says.",
    {"gate * content + (1 - gate) * previous": "(content + previous) / 2"},
)
GATE_OF_ZERO = (
    "A gate of 0 is treated as if no gate had been given. With it only the previous weights count, "
    "and `or` cannot tell 0 from None.",
    {"    gated =": "    gate = gate or 0.5\n    gated ="},
)
ZEROS_REFILLED = (
    "A slot that the shift leaves empty keeps the weight that it had before. Its weight is 0.",
    {"    powers =": "    shifted = np.where(shifted == 0, gated, shifted)\n    powers ="},
)
TWO_FORWARD = (
    "shift[2] moves the weights two slots forward. It is s(+1), which moves them one slot.",
    {", 1)": ", 2)"},
)
SHIFTED_IN_PLACE = (
    "Weights are overwritten while others are still to be computed from them. Compute all of them "
    "from the weights before the shift.",
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            "gated\n"
            "    for i in range(len(gated)):\n"
            "        back, stay, forward = shift\n"
            "        moved = back * gated[(i + 1) % len(gated)] + stay * gated[i]\n"
            "        shifted[i] = moved + forward * gated[i - 1]"
        )
    },
)


# %% exercise="ntm_address" edits="np.roll" wrong="FRACTIONS_CUT_OFF"
{"    powers =": "    shifted = shifted.astype(previous.dtype)\n    powers ="}


# %% exercise="ntm_address" wrong="GATE_LAST"
GATE_LAST = (
    "Only the previous weights are shifted. Mix them with the content first, then shift the "
    "mixture."
)


def ntm_address(previous, content, gate, shift, sharpen):
    moved = shift[0] * np.roll(previous, -1) + shift[1] * previous + shift[2] * np.roll(previous, 1)
    mixed = gate * content + (1 - gate) * moved
    powers = (mixed / mixed.max()) ** sharpen
    return powers / powers.sum()


# %% exercise="ntm_address" wrong="SHARPENED_FIRST"
SHARPENED_FIRST = "The weights are sharpened before the shift. Sharpen last."


def ntm_address(previous, content, gate, shift, sharpen):
    gated = gate * content + (1 - gate) * previous
    shifted = (gated / gated.max()) ** sharpen / np.sum((gated / gated.max()) ** sharpen)
    return shift[0] * np.roll(shifted, -1) + shift[1] * shifted + shift[2] * np.roll(shifted, 1)


# %% exercise="ntm_address" edits="np.roll"
SHARPEN_IGNORED = (
    "sharpen has no effect. Raise the shifted weights to this power.",
    {
        (
            "powers = (shifted / shifted.max()) ** sharpen\n    return powers / powers.sum()"
        ): "return shifted"
    },
    {"(shifted / shifted.max()) **": "shifted *"},
)
NOT_NORMALISED = (
    "The weights do not sum to 1. Divide the powers by their sum.",
    {
        (
            "powers = (shifted / shifted.max()) ** sharpen\n    return powers / powers.sum()"
        ): "return shifted**sharpen"
    },
    {"powers =": "return", "\n    return powers / powers.sum()": ""},
)
ROOT = (
    "The power is 1 / sharpen, which flattens the weights. It must be sharpen.",
    {"** sharpen": "** (1 / sharpen)"},
)
SOFTMAX_INSTEAD = (
    "The weights are sharpened by a softmax, in which they are exponents. Raise them to the "
    "power sharpen and divide by the sum.",
    {
        "powers = (shifted / shifted.max()) ** sharpen": (
            "exponentials = np.exp(sharpen * (shifted - shifted.max()))"
        ),
        "powers / powers.sum()": "exponentials / exponentials.sum()",
    },
)
UNDERFLOW = (
    "All powers become 0 when sharpen is large, so the quotient is 0/0. Divide by the largest "
    "weight before you take the power.",
    {"(shifted / shifted.max())": "shifted"},
)
DIVIDED_TOO_EARLY = (
    "The weights are divided by the largest one before the shift, so all powers may still become "
    "0. Divide by the largest of the shifted weights.",
    {"shifted.max()": "gated.max()"},
)
SAFE_BUT_ZERO = (
    "All powers become 0 when sharpen is large, so no weight is left. Divide by the largest "
    "weight before you take the power.",
    {"(shifted / shifted.max())": "shifted", "powers.sum()": "(powers.sum() + 1e-12)"},
    {
        "(shifted / shifted.max())": "shifted",
        "powers / powers.sum()": "np.nan_to_num(powers / powers.sum())",
    },
)
POWERS_REPLACED = (
    "All powers become 0 when sharpen is large, and other weights are put in their place. Divide "
    "by the largest weight before you take the power.",
    {
        "(shifted / shifted.max()) ** sharpen": (
            "shifted**sharpen\n"
            "    if powers.sum() == 0:\n"
            "        return np.eye(len(powers))[shifted.argmax()]"
        )
    },
    {
        "(shifted / shifted.max()) ** sharpen": (
            "shifted**sharpen\n"
            "    if powers.sum() == 0:\n"
            "        return np.full(len(powers), 1 / len(powers))"
        )
    },
    {
        "(shifted / shifted.max()) ** sharpen": (
            "shifted**sharpen\n"
            "    if powers.sum() == 0:\n"
            "        powers = np.isclose(shifted, shifted.max(), rtol=1e-3) * 1.0"
        )
    },
    {
        "(shifted / shifted.max()) ** sharpen": (
            "shifted**sharpen\n"
            "    if powers.sum() == 0:\n"
            "        powers = (shifted == shifted.max()) * 1.0"
        )
    },
)
SHARPEN_ROUNDED = (
    "sharpen is rounded to a whole number. Raise the weights to this power as it is.",
    {"** sharpen": "** int(sharpen)"},
    {"** sharpen": "** round(sharpen)"},
)
SHARPEN_CLIPPED = (
    "A large sharpen is replaced by a smaller one. Divide by the largest weight before you take "
    "the power, and no power underflows in all slots.",
    {"(shifted / shifted.max()) ** sharpen": "shifted ** min(sharpen, 100)"},
    {"** sharpen": "** min(sharpen, 500)"},
    {"** sharpen": "** min(sharpen, 1000)"},
)


# %% exercise="ntm_address" wrong="NO_COMPLEMENT"
NO_COMPLEMENT = "The previous weights are not multiplied by 1 - gate."


def ntm_address(previous, content, gate, shift, sharpen):
    g = gate * content + previous
    w = shift[0] * np.roll(g, -1) + shift[1] * g + shift[2] * np.roll(g, 1)
    w = (w / w.max()) ** sharpen
    return w / w.sum()


# %% exercise="ntm_address" wrong="SHARPEN_BOUNDED"
SHARPEN_BOUNDED = (
    "sharpen has an upper bound here. Any power must work: divide by the largest weight before "
    "you take the power."
)


def ntm_address(previous, content, gate, shift, sharpen):
    g = gate * content + (1 - gate) * previous
    w = shift[0] * np.roll(g, -1) + shift[1] * g + shift[2] * np.roll(g, 1)
    p = w ** min(sharpen, 50)
    return p / p.sum()


# %% exercise="ntm_address" right="the formula slot by slot, sharpened through logarithms"
def ntm_address(previous, content, gate, shift, sharpen):
    slots = len(previous)
    gated = [gate * c + (1 - gate) * p for p, c in zip(previous, content, strict=True)]
    shifted = np.zeros(slots)
    for j in range(slots):
        for offset in (-1, 0, 1):
            shifted[(j + offset) % slots] += gated[j] * shift[offset + 1]
    with np.errstate(divide="ignore"):
        logarithms = sharpen * np.log(shifted)
    powers = np.exp(logarithms - logarithms.max())
    return powers / powers.sum()


# %% exercise="ntm_address" right="the shift by Fourier transforms"
def ntm_address(previous, content, gate, shift, sharpen):
    gated = content * gate + previous * (1 - gate)
    kernel = np.zeros(len(gated))
    for offset, share in zip((-1, 0, 1), shift, strict=True):
        kernel[offset % len(gated)] += share
    shifted = np.fft.ifft(np.fft.fft(gated) * np.fft.fft(kernel)).real
    shifted = np.maximum(shifted, 0)
    powers = (shifted / np.max(shifted)) ** sharpen
    return powers / np.sum(powers)


# %% exercise="ntm_address" edits="the shift by Fourier transforms"
BELOW_ZERO = (
    "The Fourier transforms leave tiny negative numbers where a weight is 0, and their powers are "
    "not defined. Replace them by 0.",
    {"    shifted = np.maximum(shifted, 0)\n": ""},
)


# %% exercise="ntm_address" right="float32, the ring unrolled"
def ntm_address(previous, content, gate, shift, sharpen):
    gated = np.float32(previous) + np.float32(gate) * np.float32(content - previous)
    ring = np.pad(gated, 1, mode="wrap")
    shifted = np.convolve(ring, np.float32(shift), mode="valid")
    powers = (shifted / shifted.max()) ** np.float32(sharpen)
    return powers / powers.sum()


# %% exercise="ntm_address" edits="np.roll"
SOFTMAX_OF_POWERS = (
    "The powers pass through a softmax. Divide them by their sum.",
    {"powers / powers.sum()": "np.exp(powers) / np.exp(powers).sum()"},
    {
        "(shifted / shifted.max())": "shifted",
        "powers / powers.sum()": "np.exp(powers) / np.exp(powers).sum()",
    },
)
PREVIOUS_SHIFTED = (
    "The previous weights are shifted, so the gate has no effect. Shift what comes from the gate.",
    {"gated = gate * content + (1 - gate) * previous": "gated = previous"},
)
STOPS_AT_THE_ENDS = (
    "Weights that leave at one end stay there. The slots form a ring: the slot after the last one "
    "is the first one.",
    {
        "np.roll(gated, -1)": "np.append(gated[1:], 0)",
        "np.roll(gated, 1)": "np.append(0, gated[:-1])",
        "    powers =": "    shifted[0] += shift[0] * gated[0]\n"
        "    shifted[-1] += shift[2] * gated[-1]\n    powers =",
    },
)
GATE_AT_THE_END = (
    "The gate mixes the result with the previous weights. It comes first, before the shift.",
    {
        "gate * content + (1 - gate) * previous": "content",
        "powers / powers.sum()": "gate * powers / powers.sum() + (1 - gate) * previous",
    },
    {"powers / powers.sum()": "gate * powers / powers.sum() + (1 - gate) * previous"},
)
LARGEST_ALONE = (
    "All of the weight lies on one slot. Raise the weights to the power sharpen, and divide them "
    "by their sum.",
    {"powers / powers.sum()": "np.eye(len(powers))[powers.argmax()]"},
)


# %% exercise="ntm_address" edits="np.roll" wrong="SOFTMAX_INSTEAD"
{"(shifted / shifted.max()) ** sharpen": "np.exp(sharpen * shifted)"}
{"(shifted / shifted.max()) ** sharpen": "np.exp(sharpen * (shifted - shifted.max()))"}


# %% exercise="ntm_address" edits="np.roll"
RING_OPEN = (
    "What moves back from the first slot is lost. The slots form a ring, so it arrives in the last "
    "one.",
    {
        "shift[0] * np.roll(gated, -1)": "shift[0] * np.append(gated[1:], 0)",
    },
)


# %% exercise="ntm_address" edits="the formula slot by slot, sharpened through logarithms"
LAST_SLOT_LEAVES = (
    "What moves forward from the last slot is lost. The slots form a ring: the slot after the last "
    "one is the first one.",
    {
        "shifted[(j + offset) % slots] +=": (
            "if j + offset < slots:\n                shifted[j + offset] +="
        )
    },
)
EMPTY_SLOTS_GET_WEIGHT = (
    "A number is added before the logarithm, so empty slots get weight. The logarithm of 0 is "
    "-inf, and its exponential 0 again.",
    {"np.log(shifted)": "np.log(shifted + 1e-4)"},
    {"np.log(shifted)": "np.log(shifted + 1e-3)"},
)


# %% exercise="ntm_address" edits="np.roll"
STAYING_REPLACED = (
    "What moves forward takes the place of what stays in a slot. Add up all that arrives there.",
    {"shift[1] * gated + ": ""},
)


# %% exercise="ntm_address" edits="the formula slot by slot, sharpened through logarithms"
ARRIVALS_OVERWRITTEN = (
    "What arrives in a slot replaces what has arrived there before. Add up all that arrives.",
    {"] += gated": "] = gated"},
    {
        "        for offset in (-1, 0, 1):\n"
        "            shifted[(j + offset) % slots] += gated[j] * shift[offset + 1]": (
            "        shifted[j - 1] += gated[j] * shift[0]\n"
            "        shifted[j] = gated[j] * shift[1]\n"
            "        shifted[(j + 1) % slots] += gated[j] * shift[2]"
        )
    },
    {
        "        for offset in (-1, 0, 1):\n"
        "            shifted[(j + offset) % slots] += gated[j] * shift[offset + 1]": (
            "        shifted[j] = gated[j] * shift[1]\n"
            "        shifted[j - 1] += gated[j] * shift[0]\n"
            "        shifted[(j + 1) % slots] += gated[j] * shift[2]"
        )
    },
)


# %% exercise="ntm_address" edits="np.roll"
CORRELATED = (
    "np.correlate moves the weights in the wrong direction and loses what leaves at the ends. The "
    "shift is a convolution on a ring.",
    {
        "shift[0] * np.roll(gated, -1) + shift[1] * gated + shift[2] * np.roll(gated, 1)": (
            "np.correlate(gated, shift, mode='full')[1:-1]"
        )
    },
)
SHIFT_SOFTMAX = (
    "shift passes through a softmax. Its entries are not negative and sum to 1 already.",
    {"    shifted =": "    shift = np.exp(shift) / np.exp(shift).sum()\n    shifted ="},
)
GATE_SIGMOID = (
    "The gate passes through a sigmoid. It lies between 0 and 1 already.",
    {"    gated =": "    gate = 1 / (1 + np.exp(-gate))\n    gated ="},
)


# %% exercise="ntm_address" edits="np.roll" wrong="POWERS_REPLACED"
{
    "(shifted / shifted.max()) ** sharpen": (
        "shifted**sharpen\n    if powers.sum() == 0:\n        return shifted / shifted.sum()"
    )
}


# %% exercise="ntm_copy" right="two loops"
def ntm_copy(vectors, slots):
    memory = np.zeros((slots, vectors.shape[1]))
    shift = np.array([0.0, 0.0, 1.0])
    head = np.eye(slots)[0]
    written = []
    for vector in vectors:
        written.append(head)
        memory = ntm_write(memory, head, np.ones(len(vector)), vector)
        head = ntm_address(head, head, 0.0, shift, 1.0)
    head = np.eye(slots)[0]
    copied, read = [], []
    while len(copied) < len(vectors):
        copied.append(ntm_read(memory, head))
        read.append(head)
        head = ntm_address(head, head, 0.0, shift, 1.0)
    return np.array(copied), np.array(written), np.array(read)


# %% exercise="ntm_copy" edits="two loops"
READS_ON = (
    "The reading head goes on where the writing head has stopped. It must start at slot 0.",
    {"    head = np.eye(slots)[0]\n    copied": "    copied"},
)
OLDEST_FIRST = (
    "Reading begins at the oldest vector that is left. It must begin at slot 0.",
    {
        "    head = np.eye(slots)[0]\n    copied": (
            "    if len(vectors) <= slots:\n        head = np.eye(slots)[0]\n    copied"
        )
    },
)
READ_WEIGHTS_REVERSED = (
    "read_weights are in reverse order. Row t must hold the weights with which vector t was read.",
    {"np.array(read)": "np.array(read[::-1])"},
)
TWO_AT_A_TIME = (
    "The head moves two slots at a time. Move it one slot forward after each vector.",
    {
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": (
            "        head = np.roll(head, 2)\n    head"
        ),
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "        head = np.roll(head, 2)\n    return"
        ),
    },
)
READS_BACKWARDS = (
    "The sequence is read backwards, from the slot that was written last. Read from slot 0 on, so "
    "that the first vector comes first.",
    {
        "    head = np.eye(slots)[0]\n    copied": (
            "    head, shift = np.roll(head, -1), shift[::-1]\n    copied"
        )
    },
)
ORDER_REVERSED = (
    "What is read is returned in reverse order. The vector that was written first comes first.",
    {"np.array(copied)": "np.array(copied[::-1])"},
)
SHIFT_BACK = (
    "The head moves one slot back. The shift (0, 0, 1) moves it one slot forward.",
    {"np.array([0.0, 0.0, 1.0])": "np.array([1.0, 0.0, 0.0])"},
    {
        "    head = np.eye(slots)[0]\n    copied": (
            "    head, shift = np.eye(slots)[0], shift[::-1]\n    copied"
        )
    },
)
HEAD_STAYS = (
    "The head stays at slot 0, so every vector overwrites the one before. Move the head one slot "
    "forward after each vector.",
    {"np.array([0.0, 0.0, 1.0])": "np.array([0.0, 1.0, 0.0])"},
    {
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": "    head",
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": "    return",
    },
)
READING_HEAD_STAYS = (
    "The reading head stays at slot 0. It must move one slot forward after each vector.",
    {"        head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": "    return"},
)
WRITING_HEAD_STAYS = (
    "The writing head stays at slot 0, so every vector overwrites the one before. Move it one slot "
    "forward after each vector.",
    {"        head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": "    head"},
)
ONE_MOVE_AHEAD = (
    "A head is one move ahead: it moves before it is used, or its weights are kept only after it "
    "has moved. Use it and keep its weights first, so that the first vector stands in slot 0.",
    {
        "head = np.eye(slots)[0]\n    written": (
            "head = ntm_address(np.eye(slots)[0], np.eye(slots)[0], 0.0, shift, 1.0)\n    written"
        ),
        "head = np.eye(slots)[0]\n    copied": (
            "head = ntm_address(np.eye(slots)[0], np.eye(slots)[0], 0.0, shift, 1.0)\n    copied"
        ),
    },
    {
        "head = np.eye(slots)[0]\n    written": (
            "head = ntm_address(np.eye(slots)[0], np.eye(slots)[0], 0.0, shift, 1.0)\n    written"
        )
    },
    {
        "head = np.eye(slots)[0]\n    copied": (
            "head = ntm_address(np.eye(slots)[0], np.eye(slots)[0], 0.0, shift, 1.0)\n    copied"
        )
    },
    {
        "        written.append(head)\n": "",
        "shift, 1.0)\n    head": "shift, 1.0)\n        written.append(head)\n    head",
        "        read.append(head)\n": "",
        "shift, 1.0)\n    return": "shift, 1.0)\n        read.append(head)\n    return",
    },
    {
        "        written.append(head)\n": "",
        "shift, 1.0)\n    head": "shift, 1.0)\n        written.append(head)\n    head",
    },
    {
        "        read.append(head)\n": "",
        "shift, 1.0)\n    return": "shift, 1.0)\n        read.append(head)\n    return",
    },
)
ONE_MOVE_TOO_MANY = (
    "The weights have one row too many, the one to which the head moves after the last vector. "
    "Row t must hold the weights with which vector t was written or read.",
    {
        "shift, 1.0)\n    head": "shift, 1.0)\n    written.append(head)\n    head",
        "shift, 1.0)\n    return": "shift, 1.0)\n    read.append(head)\n    return",
    },
    {"shift, 1.0)\n    head": "shift, 1.0)\n    written.append(head)\n    head"},
    {"shift, 1.0)\n    return": "shift, 1.0)\n    read.append(head)\n    return"},
)
SAME_ROW = (
    "All rows of the weights are one array, which is changed whenever the head moves. Make a new "
    "array for every move, or keep a copy.",
    {
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": (
            "        head[:] = ntm_address(head, head, 0.0, shift, 1.0)\n    head"
        ),
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "        head[:] = ntm_address(head, head, 0.0, shift, 1.0)\n    return"
        ),
    },
    {
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": (
            "        head[:] = ntm_address(head, head, 0.0, shift, 1.0)\n    head"
        )
    },
    {
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "        head[:] = ntm_address(head, head, 0.0, shift, 1.0)\n    return"
        )
    },
)
ONE_HEAD_IN_PLACE = (
    "All rows of the weights are one array, the head, which is changed at every move; and reading "
    "begins where writing has stopped. Make a new array for every move, and begin at slot 0 again.",
    {
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    head = np.eye(slots)[0]\n": (
            "        head[:] = ntm_address(head, head, 0.0, shift, 1.0)\n"
        ),
        "        head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "        head[:] = ntm_address(head, head, 0.0, shift, 1.0)\n    return"
        ),
    },
)
FLATTENED = (
    "After its first move the head is spread evenly over all slots, as by a power of 0. The power "
    "1 changes nothing.",
    {
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": (
            "head = np.full(slots, 1 / slots)\n    head"
        ),
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "head = np.full(slots, 1 / slots)\n    return"
        ),
    },
)
NOT_ERASED = (
    "Nothing is erased, so a vector that comes to a full slot is added to what stands there. Erase "
    "with a vector of ones.",
    {"np.ones(len(vector))": "np.zeros(len(vector))"},
)
ERASED_IN_PART = (
    "Only a part of what stands in a full slot is erased. Erase with a vector of ones.",
    {"np.ones(len(vector))": "np.full(len(vector), 0.5)"},
)
ERASE_FOR_SLOTS = (
    "erase has one entry for each slot. It needs one for each column of the memory.",
    {"np.ones(len(vector))": "np.ones(slots)"},
)
WHOLE_MEMORY = (
    "The memory holds whole numbers, so the fractions of the vectors are cut off. Make it with "
    "np.zeros, which holds floats.",
    {
        "np.ones(len(vector)), vector)": "np.ones(len(vector)), vector).astype(int)",
    },
)
STOPS_AT_ZEROS = (
    "Reading stops at a slot of zeros. Zeros are copied like any other vector.",
    {
        "        copied.append": (
            "        if not ntm_read(memory, head).any():\n            break\n        copied.append"
        )
    },
)
ZEROS_SKIPPED = (
    "Vectors of zeros are left out. They are copied like any others.",
    {"    memory = np.zeros": "    vectors = vectors[vectors.any(axis=1)]\n    memory = np.zeros"},
)
EQUAL_SKIPPED = (
    "A vector that equals the one before it is not written. Write every vector.",
    {
        "        written.append": (
            "        if written and np.array_equal(vector, before):\n"
            "            continue\n"
            "        before = vector\n"
            "        written.append"
        )
    },
)
ERASE_AND_ADD_SWAPPED = (
    "erase and add are swapped. Erase with a vector of ones, and add the vector.",
    {"np.ones(len(vector)), vector)": "vector, np.ones(len(vector)))"},
)
ERASED_BY_THE_VECTOR = (
    "The vector itself is used to erase. Erase with a vector of ones.",
    {"np.ones(len(vector))": "vector"},
    {"np.ones(len(vector))": "np.abs(vector)"},
)
ZEROS_READ = (
    "Only zeros are read. Possibly the result of ntm_write is not kept, the memory is emptied "
    "before it is read, or each vector is read before it has been written.",
    {"memory = ntm_write": "ntm_write"},
    {"    copied, read = [], []": "    copied, read, memory = [], [], 0 * memory"},
)
ONLY_THE_LAST = (
    "Every vector is written to an empty memory, so only the last one is left. Write to the memory "
    "that the vector before has left.",
    {"memory = ntm_write(memory": "memory = ntm_write(np.zeros((slots, vectors.shape[1]))"},
)
ADDRESSED_BY_CONTENT = (
    "The gate is 1, so the head takes the weights by content and forgets where it was. With a gate "
    "of 0 it moves on from its previous weights.",
    {
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": (
            "head = ntm_address(head, np.full(slots, 1 / slots), 1.0, shift, 1.0)\n    head"
        ),
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "head = ntm_address(head, np.full(slots, 1 / slots), 1.0, shift, 1.0)\n    return"
        ),
    },
    {
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": (
            "content = content_addressing(memory, vector, 1.0)\n"
            "        head = ntm_address(head, content, 1.0, shift, 1.0)\n    head"
        ),
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "content = content_addressing(memory, vectors[len(read) - 1], 1.0)\n"
            "        head = ntm_address(head, content, 1.0, shift, 1.0)\n    return"
        ),
    },
    {
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": (
            "head = ntm_address(head, np.eye(slots)[0], 1.0, shift, 1.0)\n    head"
        ),
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "head = ntm_address(head, np.eye(slots)[0], 1.0, shift, 1.0)\n    return"
        ),
    },
    {
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "head = ntm_address(head, np.eye(slots)[0], 1.0, shift, 1.0)\n    return"
        )
    },
)
GATE_HALF_OPEN = (
    "The gate is not 0, so at every step the head takes a part of its weights from the content. "
    "With a gate of 0 it moves on from its previous weights.",
    {
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    head": (
            "head = ntm_address(head, np.full(slots, 1 / slots), 0.5, shift, 1.0)\n    head"
        ),
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    return": (
            "head = ntm_address(head, np.full(slots, 1 / slots), 0.5, shift, 1.0)\n    return"
        ),
    },
)
FOUND_BY_CONTENT = (
    "The reading head looks for each vector by its content. The program must not know what it "
    "reads: start at slot 0 and move one slot forward after each vector.",
    {
        "        copied.append(ntm_read(memory, head))\n": (
            "        head = content_addressing(memory, vectors[len(copied)], 1.0)\n"
            "        copied.append(ntm_read(memory, head))\n"
        )
    },
    {
        "        copied.append(ntm_read(memory, head))\n": (
            "        head = content_addressing(memory, vectors[len(copied)], 10.0)\n"
            "        copied.append(ntm_read(memory, head))\n"
        )
    },
    {
        "        copied.append(ntm_read(memory, head))\n": (
            "        head = content_addressing(memory, vectors[len(copied)], 1000.0)\n"
            "        copied.append(ntm_read(memory, head))\n"
        )
    },
)
SLOTS_IGNORED = (
    "The memory has as many slots as there are vectors. It must have as many as slots says.",
    {"def ntm_copy(vectors, slots):": "def ntm_copy(vectors, slots):\n    slots = len(vectors)"},
)
SLOTS_FOR_ALL = (
    "The memory gets more slots when there are more vectors than slots. It must have as many as "
    "slots says, so that the first vectors are overwritten.",
    {
        "def ntm_copy(vectors, slots):": (
            "def ntm_copy(vectors, slots):\n    slots = max(slots, len(vectors))"
        )
    },
    {
        "def ntm_copy(vectors, slots):": (
            "def ntm_copy(vectors, slots):\n    n, slots = slots, max(slots, len(vectors))"
        ),
        "np.array(written), np.array(read)": "np.array(written)[:, :n], np.array(read)[:, :n]",
    },
)
ONE_ROUND = (
    "Only as many vectors are read as there are slots. Read as many as were written; the head goes "
    "round the ring.",
    {"len(copied) < len(vectors)": "len(copied) < min(len(vectors), slots)"},
    {
        "    for vector in vectors:": "    for vector in vectors[:slots]:",
        "len(copied) < len(vectors)": "len(copied) < min(len(vectors), slots)",
    },
)
ALL_SLOTS_READ = (
    "Every slot is read once. Read as many vectors as were written.",
    {"len(copied) < len(vectors)": "len(copied) < slots"},
)
FULL_MEMORY_KEPT = (
    "Nothing is written once the memory is full. The head comes back to slot 0 and overwrites what "
    "stands there.",
    {
        "memory = ntm_write(memory, head, np.ones(len(vector)), vector)": (
            "if len(written) <= slots:\n"
            "            memory = ntm_write(memory, head, np.ones(len(vector)), vector)"
        )
    },
)
FIRST_ROWS_RETURNED = (
    "The first rows of the memory are returned. Read as many vectors as were written, while the "
    "head goes round the ring.",
    {"np.array(copied)": "memory[: len(vectors)]"},
)
MEMORY_RETURNED = (
    "The memory is returned. Return what is read: one row for each vector.",
    {"np.array(copied)": "memory"},
)
COPIED_ONLY = (
    "Only what is read is returned. The function must return copied, write_weights and "
    "read_weights.",
    {", np.array(written), np.array(read)": ""},
)
COPIED_LAST = (
    "The results are in the wrong order. What is read comes first, then the weights of writing "
    "and of reading.",
    {
        "np.array(copied), np.array(written), np.array(read)": (
            "np.array(written), np.array(read), np.array(copied)"
        )
    },
    {
        "np.array(copied), np.array(written), np.array(read)": (
            "np.array(written), np.array(copied), np.array(read)"
        )
    },
)
WEIGHTS_TRANSPOSED = (
    "The weights are transposed. A row belongs to a vector and a column to a slot.",
    {"np.array(written), np.array(read)": "np.array(written).T, np.array(read).T"},
)
PLACES_RETURNED = (
    "The weights are replaced by the numbers of the slots. Row t must hold the weights of all "
    "slots.",
    {
        "np.array(written), np.array(read)": (
            "np.array(written).argmax(axis=1), np.array(read).argmax(axis=1)"
        )
    },
)


# %% exercise="ntm_copy" edits="two loops" wrong="NOT_QUITE_FORWARD"
{"np.array([0.0, 0.0, 1.0])": "np.array([0.1, 0.2, 0.7])"}
{"np.array([0.0, 0.0, 1.0])": "np.array([0.0, 0.1, 0.9])"}


# %% exercise="ntm_copy" wrong="READ_AT_ONCE"
READ_AT_ONCE = (
    "Nothing is lost when there are more vectors than slots: either each vector is read as soon as "
    "it has been written, or vectors itself is returned. Write all vectors first, and then read."
)


def ntm_copy(vectors, slots):
    memory, head = np.zeros((slots, vectors.shape[1])), np.eye(slots)[0]
    copied, weights = [], []
    for vector in vectors:
        weights.append(head)
        memory = ntm_write(memory, head, np.ones(len(vector)), vector)
        copied.append(ntm_read(memory, head))
        head = ntm_address(head, head, 0.0, np.array([0.0, 0.0, 1.0]), 1.0)
    return np.array(copied), np.array(weights), np.array(weights)


# %% exercise="ntm_copy" edits="two loops" wrong="READ_AT_ONCE"
{"np.array(copied)": "vectors"}


# %% exercise="ntm_copy" wrong="NO_RING"
NO_RING = (
    "After the last slot the head does not come back to slot 0, so what comes later is not written "
    "as it should be. The slots form a ring."
)


def ntm_copy(vectors, slots):
    weights = np.eye(slots)[np.minimum(np.arange(len(vectors)), slots - 1)]
    memory = np.zeros((slots, vectors.shape[1]))
    for vector, head in zip(vectors, weights, strict=True):
        memory = ntm_write(memory, head, np.ones(len(vector)), vector)
    return weights @ memory, weights, weights


# %% exercise="ntm_copy" wrong="NO_RING"
def ntm_copy(vectors, slots):
    weights = np.eye(len(vectors), slots)
    memory = np.zeros((slots, vectors.shape[1]))
    for vector, head in zip(vectors, weights, strict=True):
        memory = ntm_write(memory, head, np.ones(len(vector)), vector)
    return weights @ memory, weights, weights


# %% exercise="ntm_copy" wrong="ZEROS_READ"
def ntm_copy(vectors, slots):
    weights = np.eye(slots)[np.arange(len(vectors)) % slots]
    memory, copied = np.zeros((slots, vectors.shape[1])), []
    for vector, head in zip(vectors, weights, strict=True):
        copied.append(ntm_read(memory, head))
        memory = ntm_write(memory, head, np.ones(len(vector)), vector)
    return np.array(copied), weights, weights


# %% exercise="ntm_copy" wrong="FIRST_FREE_SLOT"
FIRST_FREE_SLOT = (
    "A vector of zeros gets no slot of its own: the next vector is written to the same slot. Move "
    "the head one slot forward after each vector, whatever it holds."
)


def ntm_copy(vectors, slots):
    memory, written, rounds = np.zeros((slots, vectors.shape[1])), [], 0
    for vector in vectors:
        free = [*np.flatnonzero(~memory.any(axis=1)), rounds % slots]
        rounds += len(free) == 1
        written.append(np.eye(slots)[free[0]])
        memory[free[0]] = vector
    read = np.eye(slots)[np.arange(len(vectors)) % slots]
    return read @ memory, np.array(written), read


# %% exercise="ntm_copy" wrong="SPREAD_HEADS"
SPREAD_HEADS = (
    "The head starts with equal weights on all slots, so every vector is written everywhere. Start "
    "with all of the weight on slot 0."
)


def ntm_copy(vectors, slots):
    head, shift = np.full(slots, 1 / slots), np.array([0.0, 0.0, 1.0])
    memory, weights = np.zeros((slots, vectors.shape[1])), []
    for vector in vectors:
        weights.append(head)
        memory = ntm_write(memory, head, np.ones(len(vector)), vector)
        head = ntm_address(head, head, 0.0, shift, 1.0)
    return np.array(weights) @ memory, np.array(weights), np.array(weights)


# %% exercise="ntm_copy" right="one head that walks twice"
def ntm_copy(vectors, slots):
    time, width = vectors.shape

    def walk():
        head = np.zeros(slots)
        head[0] = 1
        for _ in range(time):
            yield head
            head = ntm_address(head, np.full(slots, 1 / slots), 0, (0, 0, 1), 1)

    memory = np.zeros((slots, width))
    for head, vector in zip(walk(), vectors, strict=True):
        memory = ntm_write(memory, head, np.ones(width), vector)
    return np.stack([ntm_read(memory, head) for head in walk()]), np.stack([*walk()]), [*walk()]


# %% exercise="ntm_copy" right="with indices"
def ntm_copy(vectors, slots):
    places = np.arange(len(vectors)) % slots
    memory = np.zeros((slots, vectors.shape[1]), dtype="float32")
    for place, vector in zip(places, vectors, strict=True):
        memory[place] = vector
    weights = np.eye(slots, dtype="float32")[places]
    return [memory[places], weights, weights.copy()]


# %% exercise="ntm_copy" right="the gate open to the weights themselves"
def ntm_copy(vectors, slots):
    def heads():
        head = np.exp(-1e4 * np.arange(slots))
        for _ in vectors:
            yield head
            head = ntm_address(head, head, 1.0, [0, 0, 1], 2)

    memory, written, read = np.zeros((slots, len(vectors[0]))), [*heads()], [*heads()]
    for t in range(len(vectors)):
        memory = ntm_write(memory, written[t], np.ones_like(vectors[t]), vectors[t])
    return [ntm_read(memory, head).tolist() for head in read], written, read


# %% exercise="ntm_copy" right="who wrote last"
def ntm_copy(vectors, slots):
    last = len(vectors) - 1
    steps = np.arange(last + 1)
    weights = (steps[:, None] % slots == np.arange(slots)).astype(int)
    return vectors[last - (last - steps) % slots], weights, weights


# %% exercise="ntm_copy" edits="two loops"
LOST_AT_THE_END = (
    "The writing head leaves the memory behind the last slot. The slots form a ring, so it comes "
    "back to slot 0.",
    {
        "head = ntm_address(head, head, 0.0, shift, 1.0)\n    head =": ""
        "head = np.append(0, head[:-1])\n    head ="
    },
)
ONLY_AS_MANY_AS_SLOTS = (
    "Only as many vectors are written as there are slots. Write them all; the last ones overwrite "
    "the first.",
    {"for vector in vectors:": "for vector in vectors[:slots]:"},
)


# %% exercise="ntm_copy" edits="two loops"
WIDTH_OF_EXAMPLE = (
    "The width of the example's vectors is written into the code. Take it from their shape.",
    {"(slots, vectors.shape[1])": "(slots, 2)", "np.ones(len(vector))": "np.ones(2)"},
)


# %% exercise="ntm_copy" edits="two loops"
ERASED_WHEN_READ = (
    "A slot is erased when it has been read, so the head reads zeros when it comes round again. "
    "Reading changes nothing.",
    {
        "        read.append(head)\n": (
            "        read.append(head)\n"
            "        memory = ntm_write(memory, head, np.ones(len(vector)), 0 * vector)\n"
        )
    },
)


# %% exercise="ntm_copy" edits="with indices"
AS_MANY_AS_SLOTS = (
    "No more rows come back than there are slots. There must be one for each vector.",
    {
        "return [memory[places], weights, weights.copy()]": (
            "return [memory[places][:slots], weights[:slots], weights[:slots]]"
        )
    },
)


# %% exercise="ntm_copy" edits="two loops"
START_AS_CONTENT = (
    "Slot 0 is the content and the gate lets it in, so the head never comes further than slot 1. "
    "Move it on from where it is.",
    {
        "vector)\n        head = ntm_address(head, head, 0.0": (
            "vector)\n        head = ntm_address(head, np.eye(slots)[0], 1.0"
        )
    },
    {
        "vector)\n        head = ntm_address(head, head, 0.0": (
            "vector)\n        head = ntm_address(head, np.eye(slots)[0], 1.0"
        ),
        "read.append(head)\n        head = ntm_address(head, head, 0.0": (
            "read.append(head)\n        head = ntm_address(head, np.eye(slots)[0], 1.0"
        ),
    },
)
MEMORY_TURNED = (
    "The memory has a row for each column of the vectors. It must have one for each slot.",
    {"np.zeros((slots, vectors.shape[1]))": "np.zeros((vectors.shape[1], slots))"},
)
NOT_QUITE_FORWARD = (
    "A part of the weight does not move one slot forward. All of it must: the shift is (0, 0, 1).",
    {"[0.0, 0.0, 1.0]": "[0.1, 0.0, 0.9]"},
    {"[0.0, 0.0, 1.0]": "[0.0, 0.1, 0.9]"},
)


# %% exercise="ntm_copy" edits="two loops"
GATE_FOR_ZEROS = (
    "The gate is 1, so the head takes its weights from the content, which holds only zeros. Choose "
    "the gate with which the content does not matter.",
    {
        "vector)\n        head = ntm_address(head, head, 0.0": (
            "vector)\n        head = ntm_address(head, 0 * head, 1.0"
        ),
        "read.append(head)\n        head = ntm_address(head, head, 0.0": (
            "read.append(head)\n        head = ntm_address(head, 0 * head, 1.0"
        ),
    },
)
LAST_WEIGHTS_ALONE = (
    "Only the weights of one moment are returned. Keep those of every vector, one row for each.",
    {"np.array(written), np.array(read)": "written[-1], read[-1]"},
    {
        "    head = np.eye(slots)[0]\n    copied": (
            "    last = head\n    head = np.eye(slots)[0]\n    copied"
        ),
        "np.array(written), np.array(read)": "last, head",
    },
)


# %% exercise="ntm_copy" edits="two loops" wrong="SAME_ROW"
{
    "vector)\n        head = ": "vector)\n        head[:] = ",
    "    head = np.eye(slots)[0]\n    copied": "    copied",
    "    written = []": "    start, written = head, []",
}
{
    "vector)\n        head = ": "vector)\n        head[:] = ",
    "read.append(head)\n        head = ": "read.append(head)\n        head[:] = ",
}
