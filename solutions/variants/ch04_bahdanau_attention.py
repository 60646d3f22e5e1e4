"""The bank of chapter 4: wrong answers, each with the name of its mistake, and right ones."""

# %%
import keras
import numpy as np
from keras import ops

# %%
NO_TANH = "The tanh is missing from the scores."
TANH_LAST = "tanh is applied to the finished score. It belongs before the product with v."
STATE_ACROSS = (
    "The states are added along the wrong axis. Give s_prev @ w_2 an axis of length 1 for time."
)
NO_V = "The units are added up without v. The product with v must weight them."
KEPT_AXIS = "The result still has a last axis of length 1. This axis must be removed."
OVER_FEATURES = "The sum runs over the entries of the annotations. It must run over time."
NORMALISED = "These are weights. Return the scores, before the softmax."
OVER_BATCH = (
    "The softmax runs over the batch axis. The weights of one sentence must sum to 1 over time."
)
MASK_IGNORED = "The mask is ignored."
MASK_INVERTED = (
    "The mask is read the wrong way round. True marks a position that may be attended to."
)
MASK_AFTER = (
    "The mask is applied after the softmax, and the weights are not divided by their new sum. The "
    "weights of the allowed positions must sum to 1."
)
SCORE_ZEROED = "A masked score is set to 0, which still gets a weight. Masked weights must be 0."
FILL_TOO_SMALL = (
    "Masked scores are replaced by a number that other scores can reach. Use a number below every "
    "score, such as -np.inf."
)
IDS_FIXED = (
    "The id of a special token is written into the answer as a number. Use the argument instead."
)


# %% exercise="annotations" right="joined along the features"
def annotations(forward, backward):
    return np.concatenate([forward, backward[:, ::-1]], axis=2)


# %% exercise="annotations" edits="joined along the features"
NOT_REVERSED = (
    "The backward states are joined in the order in which they were produced, so a word is "
    "paired with another word's state. Reverse them in time first.",
    {"[:, ::-1]": "", "axis=2": "axis=-1"},
)
BEFORE_THE_WORD = (
    "A word is paired with the backward state from before the word was read. Pair it with the "
    "state after that, which has read the word too.",
    {"backward[:, ::-1]": "np.pad(backward[:, ::-1], ((0, 0), (0, 1), (0, 0)))[:, 1:]"},
)
FORWARD_REVERSED = (
    "The forward states are reversed instead of the backward states, so the annotations run from "
    "the last word to the first.",
    {"[forward, backward[:, ::-1]], axis=2": "[forward[:, ::-1], backward], axis=-1"},
)
BOTH_REVERSED = (
    "Both directions are reversed. Reverse only the backward states.",
    {"([forward, backward[:, ::-1]], axis=2)": "([forward, backward], axis=-1)[:, ::-1]"},
)
FEATURES_REVERSED = (
    "The entries of each state are reversed. Reverse the time axis instead.",
    {":, ::-1": "..., ::-1", "axis=2": "axis=-1"},
)
ROWS_REVERSED = (
    "The sentences of the batch are reversed. Reverse the time axis instead.",
    {":, ::-1": "::-1", "axis=2": "axis=-1"},
)
BACKWARD_FIRST = (
    "The backward states come first. An annotation begins with the forward state.",
    {"[forward, backward[:, ::-1]], axis=2": "[backward[:, ::-1], forward], axis=-1"},
)
ALONG_TIME = (
    "The states are joined along the time axis. They must be joined along the last axis.",
    {"axis=2": "axis=1"},
)


# %% exercise="annotations" wrong="ADDED"
ADDED = "The states of both directions are added. They must be put end to end."


def annotations(forward, backward):
    return forward + backward[:, ::-1]


# %% exercise="annotations" wrong="INTERLEAVED"
INTERLEAVED = "The entries of both states alternate. The two states must be put end to end."


def annotations(forward, backward):
    both = np.stack([forward, backward[:, ::-1]], axis=-1)
    return both.reshape(*forward.shape[:2], -1)


# %% exercise="annotations" wrong="INPUT_CHANGED"
def annotations(forward, backward):
    for row in backward:
        row[:] = row[::-1].copy()
    return np.concatenate([forward, backward], axis=-1)


# %% exercise="annotations" edits="joined along the features"
TIME_AND_FEATURES_REVERSED = (
    "The entries of each backward state are reversed as well. Reverse the time axis alone.",
    {"::-1": "::-1, ::-1"},
)


# %% exercise="annotations" wrong="LAST_BACKWARD"
LAST_BACKWARD = (
    "Every word gets the same backward state. It must get the one that belongs to this word."
)


def annotations(forward, backward):
    last = np.repeat(backward[:, -1:], forward.shape[1], axis=1)
    return np.concatenate([forward, last], axis=2)


# %% exercise="annotations" edits="joined along the features"
ALONG_BATCH = (
    "The states are joined along the batch axis. They must be joined along the last axis.",
    {", axis=2": ""},
)
STACKED = (
    "The two states lie along a new axis. They must be put end to end along the last axis.",
    {"concatenate": "stack", "axis=2": "axis=-1"},
    {"concatenate": "stack"},
)


# %% exercise="annotations" right="word by word"
def annotations(forward, backward):
    batch, time, units = forward.shape
    joined = np.zeros((batch, time, 2 * units), dtype="float32")
    for i in range(time):
        joined[:, i, :units] = forward[:, i]
        joined[:, i, units:] = backward[:, time - 1 - i]
    return joined


# %% exercise="annotations" right="Keras"
def annotations(forward, backward):
    return ops.concatenate([forward, ops.flip(backward, axis=1)], axis=-1)


# %% exercise="annotations" right="nested lists"
def annotations(forward, backward):
    return [
        [[*one, *other] for one, other in zip(ahead, back[::-1], strict=True)]
        for ahead, back in zip(forward.tolist(), backward.tolist(), strict=True)
    ]


# %% exercise="annotations" edits="joined along the features"
EVERYTHING_REVERSED = (
    "All axes of the backward states are reversed, which is what np.flip does without an axis. "
    "Reverse the time axis alone.",
    {"backward[:, ::-1]": "np.flip(backward)"},
)


# %% exercise="annotations" edits="joined along the features"
BATCH_REVERSED = (
    "The sentences of the batch are reversed as well as the time. Reverse the time axis alone.",
    {"[:, ::-1]": "[::-1, ::-1]"},
)


# %% exercise="annotations" edits="word by word"
WIDTH_OF_EXAMPLE = (
    "The width of the example's states is written into the code. Take it from the shape of "
    "forward.",
    {"2 * units": "4"},
)


# %% exercise="annotations" edits="word by word"
FROM_THE_END_AT_0 = (
    "Counted from the end, the first index is -1 and not 0. Word i gets the backward state -1 - i.",
    {"backward[:, time - 1 - i]": "backward[:, -i]"},
)


# %% exercise="annotations" edits="joined along the features"
ONE_SENTENCE = (
    "Only the annotations of the first sentence are computed. The batch holds several sentences.",
    {"[forward, backward[:, ::-1]], axis=2": "[forward[0], backward[0, ::-1]], axis=1"},
)


# %% exercise="annotations" edits="word by word" wrong="ONE_SENTENCE"
{
    "joined[:, i, :units] = forward[:, i]": "joined[0, i, :units] = forward[0, i]",
    "joined[:, i, units:] = backward[:, time": "joined[0, i, units:] = backward[0, time",
}


# %% exercise="annotations" edits="joined along the features"
STATE_OF_THE_NEIGHBOUR = (
    "Each word is joined with the backward state of its neighbour. Both states of an annotation "
    "belong to the same word.",
    {"backward[:, ::-1]": "np.roll(backward[:, ::-1], 1, axis=1)"},
    {"backward[:, ::-1]": "np.roll(backward[:, ::-1], -1, axis=1)"},
)


# %% exercise="additive_score" right="one line"
def additive_score(s_prev, h, w_1, w_2, v):
    return np.tanh(h @ w_1 + (s_prev @ w_2)[:, None]) @ v


# %% exercise="additive_score" edits="one line" wrong="NO_TANH"
{" np.tanh": ""}


# %% exercise="additive_score" edits="one line" wrong="TANH_LAST"
{"np.tanh": "np.tanh(", "@ v": "@ v)"}


# %% exercise="additive_score" edits="one line"
TERMS_SUBTRACTED = (
    "One of the two terms is subtracted from the other. They must be added.",
    {"h @ w_1 +": "h @ w_1 -"},
    {"h @ w_1 + (s_prev @ w_2)[:, None]": "(s_prev @ w_2)[:, None] - h @ w_1"},
)
TANH_TWICE = (
    "tanh is applied to both terms separately. It is applied once, to the sum of both terms.",
    {
        "np.tanh(h @ w_1 + (s_prev @ w_2)[:, None])": (
            "(np.tanh(h @ w_1) + np.tanh(s_prev @ w_2)[:, None])"
        )
    },
)
NO_STATE = "The state is left out of the scores.", {" + (s_prev @ w_2)[:, None]": ""}


# %% exercise="additive_score" wrong="NO_ANNOTATIONS"
NO_ANNOTATIONS = "The annotations are left out of the scores."


def additive_score(s_prev, h, w_1, w_2, v):
    return np.repeat(np.tanh(s_prev @ w_2) @ v, h.shape[1]).reshape(h.shape[:2])


# %% exercise="additive_score" edits="one line" wrong="STATE_ACROSS"
{"(h @ w_1 + (s_prev @ w_2)[:, None])": "(h @ w_1 + s_prev @ w_2)"}


# %% exercise="additive_score" wrong="ALL_STATES"
ALL_STATES = (
    "Every sentence is scored for the states of all sentences. A sentence has one state of its own."
)


def additive_score(s_prev, h, w_1, w_2, v):
    scores = np.tanh(h @ w_1 + (s_prev @ w_2)[:, None, None]) @ v
    return scores.mean(axis=0)


# %% exercise="additive_score" edits="one line" wrong="NO_V"
{"@ v": ".sum(axis=-1)"}


# %% exercise="additive_score" wrong="V_MEAN"
V_MEAN = "The products with v are averaged over the units. They must be added up."


def additive_score(s_prev, h, w_1, w_2, v):
    return np.mean(np.tanh(h @ w_1 + (s_prev @ w_2)[:, None]) * v, axis=-1)


# %% exercise="additive_score" edits="one line" wrong="KEPT_AXIS"
{"@ v": "@ v[:, None]"}


# %% exercise="additive_score" edits="one line"
MULTIPLIED = "The two terms are multiplied. They must be added.", {"h @ w_1 +": "(h @ w_1) *"}


# %% exercise="additive_score" wrong="NORMALISED"
def additive_score(s_prev, h, w_1, w_2, v):
    scores = np.tanh(h @ w_1 + (s_prev @ w_2)[:, None]) @ v
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="additive_score" edits="one line"
TANH_ON_H = (
    "tanh is applied to the annotations alone. It is applied once, to the sum of both terms.",
    {
        "np.tanh(h @ w_1 + (s_prev @ w_2)[:, None])": (
            "(np.tanh(h @ w_1) + (s_prev @ w_2)[:, None])"
        )
    },
)


# %% exercise="additive_score" wrong="V_INSIDE"
V_INSIDE = "v is inside the tanh. The result of the tanh must be multiplied by v."


def additive_score(s_prev, h, w_1, w_2, v):
    return np.tanh((h @ w_1 + (s_prev @ w_2)[:, None]) * v).sum(axis=-1)


# %% exercise="additive_score" edits="one line"
RELU = (
    "A ReLU is applied to the sum of both terms. It must be a tanh.",
    {
        "np.tanh(h @ w_1 + (s_prev @ w_2)[:, None])": (
            "np.maximum(h @ w_1 + (s_prev @ w_2)[:, None], 0)"
        )
    },
)
SIGMOID = (
    "A sigmoid is applied to the sum of both terms. It must be a tanh.",
    {
        "np.tanh(h @ w_1 + (s_prev @ w_2)[:, None])": (
            "1 / (1 + np.exp(-(h @ w_1 + (s_prev @ w_2)[:, None])))"
        )
    },
)
FIRST_STATE = (
    "Every sentence is scored for the state of the first one. A sentence has one state of its own.",
    {"(h @ w_1 + (s_prev @ w_2)[:, None])": "(h @ w_1 + s_prev[0] @ w_2)"},
)


# %% exercise="additive_score" right="loops"
def additive_score(s_prev, h, w_1, w_2, v):
    scores = np.empty(h.shape[:2])
    for row in range(h.shape[0]):
        for i in range(h.shape[1]):
            scores[row, i] = np.dot(v, np.tanh(w_1.T @ h[row, i] + w_2.T @ s_prev[row]))
    return scores


# %% exercise="additive_score" right="Keras, in float32"
def additive_score(s_prev, h, w_1, w_2, v):
    h, s_prev = ops.cast(h, "float32"), ops.cast(s_prev, "float32")
    from_state = ops.expand_dims(ops.matmul(s_prev, ops.cast(w_2, "float32")), 1)
    hidden = ops.tanh(ops.matmul(h, ops.cast(w_1, "float32")) + from_state)
    return ops.sum(hidden * ops.cast(v, "float32"), axis=-1)


# %% exercise="additive_score" right="einsum"
def additive_score(s_prev, h, w_1, w_2, v):
    hidden = np.einsum("btn,nu->btu", h, w_1) + np.einsum("bm,mu->bu", s_prev, w_2)[:, None]
    return np.einsum("btu,u->bt", np.tanh(hidden), v)


# %% exercise="additive_score" edits="one line"
NOT_ADDED_UP = (
    "The products with v are not added up. The score of a position is one number, the sum over the "
    "units.",
    {"@ v": "* v"},
)


# %% exercise="additive_score" edits="one line"
SCALED = (
    "The scores are divided by the square root of u, as in a Transformer. The additive score is "
    "not scaled.",
    {"@ v": "@ v / np.sqrt(len(v))"},
)


# %% exercise="additive_score" edits="loops"
STATE_OF_OTHER_ROW = (
    "A sentence gets the state of another row of the batch. The state before this step stands in "
    "the sentence's own row of s_prev.",
    {"s_prev[row]": "s_prev[row - 1]"},
)
ONE_WORD_SQUEEZED = (
    "A sentence of one word loses its time axis. Remove the axis of length 1 behind v by its "
    "number, as in squeeze(axis=-1).",
    {"return scores": "return np.array([row.squeeze() for row in scores])"},
)


# %% exercise="additive_score" edits="one line"
AS_LUONG = (
    "The two terms are multiplied with each other and added up, as in Luong's attention. Here they "
    "are added, and their tanh is multiplied by v.",
    {
        "np.tanh(h @ w_1 + (s_prev @ w_2)[:, None]) @ v": (
            "np.sum((h @ w_1) * (s_prev @ w_2)[:, None], axis=-1)"
        )
    },
)


# %% exercise="concat_score" right="states repeated by broadcasting"
def concat_score(s_prev, h, w, v):
    states = np.broadcast_to(s_prev[:, None], (*h.shape[:2], s_prev.shape[1]))
    return np.tanh(np.concatenate([h, states], axis=-1) @ w) @ v


def split_weights(w, annotation_dim):
    return w[:annotation_dim], w[annotation_dim:]


# %% exercise="concat_score" edits="states repeated by broadcasting"
STATE_FIRST = (
    "The state is put before the annotation. The annotation comes first.",
    {"h, states": "states, h"},
)
SPLIT_SWAPPED = (
    "The two matrices are returned in the wrong order. w_1, for the annotation, comes first.",
    {":annotation_dim": "annotation_dim:", "annotation_dim:": ":annotation_dim"},
)
SPLIT_FROM_END = (
    "The rows of w are counted from its end. The first annotation_dim rows belong to the "
    "annotation.",
    {":annotation_dim": "-annotation_dim:", "annotation_dim:": ":-annotation_dim"},
    {":annotation_dim": ":-annotation_dim", "annotation_dim:": "-annotation_dim:"},
)
SPLIT_COLUMNS = (
    "The columns of w are split. Split its rows.",
    {":annotation_dim": ":, :annotation_dim", "annotation_dim:": ":, annotation_dim:"},
)
SPLIT_HALF = (
    "w is cut in the middle. Cut it after the first annotation_dim rows.",
    {
        "return w[:annotation_dim], w[annotation_dim:]": (
            "half = len(w) // 2\n    return w[:half], w[half:]"
        )
    },
)
SPLIT_OFF_BY_ONE = (
    "A row of w is missing or appears twice. Each row of w belongs to exactly one of the two "
    "parts.",
    {"annotation_dim:": "annotation_dim + 1 :"},
    {":annotation_dim": ": annotation_dim + 1"},
    {"w[annotation_dim:]": "w[-annotation_dim:]"},
)
SPLIT_FIXED = (
    "w is always cut after the same row. Cut it after the first annotation_dim rows.",
    {":annotation_dim": ":3", "annotation_dim:": "3:"},
)
SPLIT_SHIFTED = (
    "w is cut one row too late or too early. w_1 has annotation_dim rows.",
    {":annotation_dim": ": annotation_dim + 1", "annotation_dim:": "annotation_dim + 1 :"},
    {":annotation_dim": ": annotation_dim - 1", "annotation_dim:": "annotation_dim - 1 :"},
)


# %% exercise="concat_score" edits="states repeated by broadcasting" wrong="NO_TANH"
{"np.tanh(np.concatenate([h, states], axis=-1) @ w)": "np.concatenate([h, states], axis=-1) @ w"}


# %% exercise="concat_score" edits="states repeated by broadcasting" wrong="TANH_LAST"
{") @ v": "@ v)"}


# %% exercise="concat_score" edits="states repeated by broadcasting" wrong="NO_V"
{"@ v": ".sum(axis=-1)"}


# %% exercise="concat_score" edits="states repeated by broadcasting" wrong="KEPT_AXIS"
{"@ v": "@ v[:, None]"}


# %% exercise="concat_score" edits="states repeated by broadcasting"
STATE_OF_OTHERS = (
    "Annotations are joined with the state of another sentence. Repeat each state along a new "
    "axis 1.",
    {":, None": "None"},
)


# %% exercise="concat_score" edits="states repeated by broadcasting" wrong="NORMALISED"
{
    "return np": "scores = np",
    "@ v": (
        "@ v\n"
        "    shares = np.exp(scores - scores.max(axis=1, keepdims=True))\n"
        "    return shares / shares.sum(axis=1, keepdims=True)"
    ),
}


# %% exercise="concat_score" edits="states repeated by broadcasting" wrong="STATE_OF_OTHERS"
{
    "np.broadcast_to(s_prev[:, None], (*h.shape[:2], s_prev.shape[1]))": (
        "np.tile(s_prev, (h.shape[1], 1)).reshape(*h.shape[:2], -1)"
    )
}


# %% exercise="concat_score" right="one sentence after the other"
def concat_score(s_prev, h, w, v):
    scores = []
    for state, words in zip(s_prev, h, strict=True):
        scores.append([v @ np.tanh(np.r_[word, state] @ w) for word in words])
    return scores


def split_weights(w, annotation_dim):
    return np.split(w, [annotation_dim])


# %% exercise="concat_score" right="by the additive form"
def concat_score(s_prev, h, w, v):
    w_1, w_2 = split_weights(w, h.shape[-1])
    return np.tanh(h @ w_1 + (s_prev @ w_2)[:, None]) @ v


def split_weights(w, annotation_dim):
    w_1, w_2 = np.vsplit(w.astype("float32"), [annotation_dim])
    return w_1.copy(), w_2.copy()


# %% exercise="concat_score" right="Keras"
def concat_score(s_prev, h, w, v):
    states = ops.repeat(ops.expand_dims(s_prev, 1), h.shape[1], axis=1)
    joined = ops.concatenate([h, states], axis=-1)
    return ops.matmul(ops.tanh(ops.matmul(joined, w)), v)


def split_weights(w, annotation_dim):
    return ops.convert_to_tensor(w[:annotation_dim]), ops.convert_to_tensor(w[annotation_dim:])


# %% exercise="concat_score" edits="states repeated by broadcasting" wrong="SPLIT_OFF_BY_ONE"
{"annotation_dim:": "annotation_dim - 1 :"}


# %% exercise="concat_score" edits="states repeated by broadcasting"
TANH_BEFORE_W = (
    "tanh is applied to the annotation and the state themselves. It is applied to their product "
    "with w.",
    {
        "np.tanh(np.concatenate([h, states], axis=-1) @ w)": (
            "(np.tanh(np.concatenate([h, states], axis=-1)) @ w)"
        )
    },
)


# %% exercise="concat_score" edits="states repeated by broadcasting"
FIRST_STATE = (
    "The state of the first sentence is used for all sentences. Each has a state of its own.",
    {"s_prev[:, None]": "s_prev[0]"},
)


# %% exercise="concat_score" edits="one sentence after the other"
RESHAPED = (
    "A reshape stands where two axes must be swapped, so scores of different sentences are mixed. "
    "Transpose instead.",
    {"return scores": "return np.array(scores).T.reshape(h.shape[:2])"},
)


# %% exercise="concat_score" edits="states repeated by broadcasting"
AS_LONG_AS_W_1 = (
    "w_2 has as many rows as w_1. It has all rows that are left, one for each entry of the state.",
    {"w[annotation_dim:]": "w[annotation_dim : 2 * annotation_dim]"},
)


# %% exercise="concat_score" edits="states repeated by broadcasting"
SIGMOID_OF_THE_PRODUCT = (
    "A sigmoid is applied to the product with w. It must be a tanh.",
    {
        "np.tanh(np.concatenate([h, states], axis=-1) @ w)": (
            "(1 / (1 + np.exp(-(np.concatenate([h, states], axis=-1) @ w))))"
        )
    },
)
FIRST_PART_ALONE = (
    "Only w_1 comes back. Return w_2 as well, after it.",
    {"w[:annotation_dim], w[annotation_dim:]": "w[:annotation_dim]"},
)


# %% exercise="concat_score" wrong="TANH_OF_EACH_PART"
TANH_OF_EACH_PART = (
    "The tanh is taken of each part by itself. Add the parts first; the tanh is that of their sum."
)


def concat_score(s_prev, h, w, v):
    n = h.shape[-1]
    parts = np.tanh(h @ w[:n]) + np.tanh(s_prev @ w[n:])[:, None]
    return parts @ v


# %% exercise="masked_softmax" right="low scores behind the mask"
def masked_softmax(scores, mask=None):
    if mask is None:
        mask = np.ones(scores.shape, dtype=bool)
    if not mask.any(axis=1).all():
        raise ValueError("a row has no position")
    scores = np.where(mask, scores, -1e30)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="masked_softmax" edits="low scores behind the mask"
SCORES_NEGATED = (
    "The scores have the opposite sign in the exponential, so the largest one gets the smallest "
    "weight.",
    {"np.where(mask, scores": "np.where(mask, -scores"},
)
OVERFLOW = (
    "The exponential overflows or underflows. Subtract the maximum of each row of scores first.",
    {
        "scores = np.where(mask, scores, -1e30)\n    ": "",
        "(scores - scores.max(axis=1, keepdims=True))": "(scores) * mask",
    },
    {"1e30": "np.inf", "scores.max(axis=1, keepdims=True)": "scores.max()"},
)
MAX_OF_MASKED = (
    "The maximum that is subtracted includes masked scores. If one of them is very large, the "
    "exponentials of all others become 0.",
    {
        "    scores = np.where(mask, scores, -1e30)\n": "",
        "scores.max(axis=1, keepdims=True))": "scores.max(axis=1, keepdims=True)) * mask",
    },
    {
        "scores = np.where(mask, scores, -1e30)\n    ": "",
        "return shares / shares.sum(axis=1, keepdims=True)": (
            "weights = shares / shares.sum(axis=1, keepdims=True) * mask\n"
            "    return weights / weights.sum(axis=1, keepdims=True)"
        ),
    },
)


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="OVER_BATCH"
{
    "scores.max(axis=1, keepdims=True)": "scores.max(axis=0)",
    "shares.sum(axis=1, keepdims=True)": "shares.sum(axis=0)",
}


# %% exercise="masked_softmax" edits="low scores behind the mask"
NO_EXP = (
    "The scores are divided by their sum without exp.",
    {
        (
            "scores = np.where(mask, scores, -1e30)\n"
            "    shares = np.exp(scores - scores.max(axis=1, keepdims=True))"
        ): "shares = np.where(mask, scores, 0.0)"
    },
)


# %% exercise="masked_softmax" wrong="MASK_IGNORED"
def masked_softmax(scores, mask=None):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="masked_softmax" wrong="NO_ERROR"
NO_ERROR = "A row in which every position is masked must raise ValueError."


def masked_softmax(scores, mask=None):
    if mask is not None:
        scores = np.where(mask, scores, -1e30)

    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="masked_softmax" wrong="NO_ERROR"
def masked_softmax(scores, mask=None):
    if mask is None:
        mask = np.ones(scores.shape, dtype=bool)
    scores = np.where(mask, scores, -1e30)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True)) * mask
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-30)


# %% exercise="masked_softmax" wrong="NO_ERROR"
def masked_softmax(scores, mask=None):
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)

    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="masked_softmax" wrong="ERROR_FOR_ALL"
ERROR_FOR_ALL = (
    "ValueError is raised only if every position of every row is masked. One such row is enough "
    "to raise it."
)


def masked_softmax(scores, mask=None):
    if mask is not None:
        if not mask.any():
            raise ValueError("nothing may be attended to")
        scores = np.where(mask, scores, -1e30)

    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="MASK_INVERTED"
{"mask, scores, -1e30": "mask & ~mask.all(axis=1, keepdims=True), -1e30, scores"}


# %% exercise="masked_softmax" wrong="MASK_INVERTED"
def masked_softmax(scores, mask=None):
    if mask is not None:
        if mask.all(axis=1).any():
            raise ValueError("a row has no position")
        scores = np.where(mask, -np.inf, scores)

    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="MASK_AFTER"
{
    "scores = np.where(mask, scores, -1e30)\n    ": "",
    "shares.sum(axis=1, keepdims=True)": "shares.sum(axis=1, keepdims=True) * mask",
}


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="SCORE_ZEROED"
{"np.where(mask, scores, -1e30)": "scores * mask"}


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="FILL_TOO_SMALL"
{"1e30": "1e4"}


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="MASKED_NOT_ZERO"
{
    "-1e30": "-np.inf",
    "scores.max(axis=1, keepdims=True))": "scores.max(axis=1, keepdims=True)) + 1e-9",
}


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="INPUT_CHANGED"
{"= np.where(mask, scores, -1e30)": "[~mask] = -np.inf"}


# %% exercise="masked_softmax" edits="low scores behind the mask"
FILL_SUBTRACTED = (
    "A number is subtracted from masked scores, which other scores can still reach. Replace "
    "masked scores by -np.inf.",
    {"np.where(mask, scores, -1e30)": "scores - 1e4 * (1 - mask)"},
)
FIRST_MASK = (
    "The mask of the first sentence is used for all sentences. Each has a mask of its own.",
    {"mask,": "mask[0],", "1e30": "np.inf"},
)


# %% exercise="masked_softmax" right="SciPy"
def masked_softmax(scores, mask=None):
    from scipy.special import softmax

    if mask is None:
        return softmax(scores, axis=-1)
    if (mask.sum(axis=1) == 0).any():
        raise ValueError("a row has no position")
    return softmax(np.where(mask, scores, -np.inf), axis=-1)


# %% exercise="masked_softmax" right="row by row"
def masked_softmax(scores, mask=None):
    weights = np.zeros(scores.shape)
    for row in range(len(scores)):
        allowed = np.arange(scores.shape[1]) if mask is None else np.flatnonzero(mask[row])
        if len(allowed) == 0:
            raise ValueError("a row has no position")
        shares = np.exp(scores[row, allowed] - scores[row, allowed].max())
        weights[row, allowed] = shares / shares.sum()
    return weights


# %% exercise="masked_softmax" right="Keras, in float32"
def masked_softmax(scores, mask=None):
    if mask is not None and not mask.any(axis=1).all():
        raise ValueError("a row has no position")
    return keras.layers.Softmax()(ops.cast(scores, "float32"), mask=mask)


# %% exercise="masked_softmax" edits="low scores behind the mask"
ONE_SUM_FOR_ALL = (
    "The weights of all sentences together sum to 1. Those of each sentence must sum to 1.",
    {"shares.sum(axis=1, keepdims=True)": "shares.sum()"},
)


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="FILL_TOO_SMALL"
{"1e30": "1e3"}


# %% exercise="masked_softmax" edits="low scores behind the mask"
CLIPPED = (
    "The scores are clipped before the exponential, so large scores lose their differences. "
    "Subtract the largest score of the row instead.",
    {
        "np.exp(scores - scores.max(axis=1, keepdims=True))": (
            "np.exp(np.clip(scores, -700, 700)) * mask"
        )
    },
)


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="MASK_INVERTED"
{"np.where(mask, scores, -1e30)": "np.where(mask, -np.inf, scores)"}


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="OVER_BATCH"
{"shares.sum(axis=1, keepdims=True)": "shares.sum(axis=0, keepdims=True)"}


# %% exercise="masked_softmax" edits="low scores behind the mask" wrong="MAX_OF_MASKED"
{
    "    scores = np.where(mask, scores, -1e30)\n": "",
    "scores.max(axis=1, keepdims=True))": "scores.max(axis=1, keepdims=True)) * mask",
    "shares.sum(axis=1, keepdims=True)": "(shares.sum(axis=1, keepdims=True) + 1e-9)",
}


# %% exercise="masked_softmax" edits="low scores behind the mask"
ERROR_FOR_ANY = (
    "ValueError is raised as soon as a single position is masked. It must be raised only for a row "
    "in which every position is masked.",
    {"mask.any(axis=1).all()": "mask.all()"},
)
ERROR_FOR_COLUMNS = (
    "ValueError is raised for a position that is masked in every row. It must be raised for a row "
    "in which every position is masked.",
    {"mask.any(axis=1).all()": "mask.any(axis=0).all()"},
)
ERROR_RETURNED = (
    "ValueError is returned like a result. An error must be raised: `raise ValueError(…)`.",
    {"raise ValueError(": "return ValueError("},
)


# %% exercise="context_vector" wrong="MEAN"
MEAN = "This is the plain mean over time. The weights have no effect."


def context_vector(weights, h):
    return h.mean(axis=1)


# %% exercise="context_vector" wrong="SUM"
SUM = "This is the plain sum over time, as if every weight were 1."


def context_vector(weights, h):
    return h.sum(axis=1)


# %% exercise="context_vector" wrong="WEIGHTED_MEAN"
WEIGHTED_MEAN = "The weighted sum is divided by the number of positions. Only add the products up."


def context_vector(weights, h):
    return np.mean(weights[..., None] * h, axis=1)


# %% exercise="context_vector" wrong="NOT_SUMMED"
NOT_SUMMED = "The annotations are weighted but not added up. The time axis must disappear."


def context_vector(weights, h):
    return weights[..., None] * h


# %% exercise="context_vector" wrong="LARGEST"
LARGEST = (
    "Only the annotation with the largest weight counts. Add up all of them, times their weights."
)


def context_vector(weights, h):
    return h[np.arange(len(h)), weights.argmax(axis=1)]


# %% exercise="context_vector" wrong="CROSSED"
CROSSED = (
    "The weights of every sentence are applied to the annotations of every sentence. Each sentence "
    "has its own weights."
)


def context_vector(weights, h):
    return weights @ h


# %% exercise="context_vector" wrong="KEPT_TIME_AXIS"
KEPT_TIME_AXIS = "The result still has a time axis of length 1. This axis must be removed."


def context_vector(weights, h):
    return weights[:, None, :] @ h


# %% exercise="context_vector" wrong="WEIGHTED_AGAIN"
WEIGHTED_AGAIN = "A softmax is applied to the weights, although they already come from a softmax."


def context_vector(weights, h):
    shares = np.exp(weights)
    return np.sum((shares / shares.sum(axis=1, keepdims=True))[..., None] * h, axis=1)


# %% exercise="context_vector" wrong="INPUT_CHANGED"
def context_vector(weights, h):
    h *= weights[..., None]
    return h.sum(axis=1)


# %% exercise="context_vector" wrong="RENORMALISED"
RENORMALISED = "The weights are divided by their sum. Use them as they are given."


def context_vector(weights, h):
    return np.sum((weights / weights.sum(axis=1, keepdims=True))[..., None] * h, axis=1)


# %% exercise="context_vector" wrong="OVER_FEATURES"
def context_vector(weights, h):
    return (weights[:, :, None] * h).sum(axis=2)


# %% exercise="context_vector" right="matrix products"
def context_vector(weights, h):
    return (weights[:, None] @ h)[:, 0]


# %% exercise="context_vector" right="Keras, in float32"
def context_vector(weights, h):
    weights, h = ops.cast(weights, "float32"), ops.cast(h, "float32")
    return ops.sum(ops.expand_dims(weights, -1) * h, axis=1)


# %% exercise="context_vector" right="loops"
def context_vector(weights, h):
    context = np.zeros((h.shape[0], h.shape[2]))
    for row, alpha in enumerate(weights):
        for i in range(h.shape[1]):
            context[row] += alpha[i] * h[row, i]
    return context


# %% exercise="context_vector" edits="Keras, in float32"
ADDED_OVER_BATCH = (
    "The sum runs over the sentences of the batch. It must run over time.",
    {"axis=1": "axis=0"},
)


# %% exercise="context_vector" edits="matrix products"
LAST_LEFT_OUT = (
    "The last position is left out. The sum is over all positions.",
    {"weights[:, None] @ h": "weights[:, None, :-1] @ h[:, :-1]"},
)
FIRST_LEFT_OUT = (
    "The first position is left out. The sum is over all positions.",
    {"weights[:, None] @ h": "weights[:, None, 1:] @ h[:, 1:]"},
)
FIRST_WEIGHTS = (
    "The weights of the first sentence are used for all sentences. Each has weights of its own.",
    {"(weights[:, None] @ h)[:, 0]": "weights[0] @ h"},
)


# %% exercise="context_vector" edits="matrix products"
FIRST_ANNOTATIONS = (
    "The annotations of the first sentence are used for all sentences. Each has its own.",
    {"(weights[:, None] @ h)[:, 0]": "weights @ h[0]"},
)
SENTENCES_MIXED = (
    "The weights of one sentence meet the annotations of all. Each sentence has only its own.",
    {"(weights[:, None] @ h)[:, 0]": "np.tensordot(weights, h, (1, 1)).sum(axis=1)"},
)


# %% exercise="context_vector" wrong="LARGEST"
def context_vector(weights, h):
    best = weights.argmax(axis=1)[:, None]
    largest = np.take_along_axis(weights, best, axis=1)
    return largest * np.take_along_axis(h, best[..., None], axis=1)[:, 0]


# %% exercise="context_vector" wrong="LARGEST"
def context_vector(weights, h):
    return h[np.arange(len(h)), weights.argmax(axis=1)]


# %% exercise="context_vector" wrong="RESHAPED"
RESHAPED = (
    "The axes of time and features are exchanged by reshape, which puts the numbers into other "
    "places. Transpose them."
)


def context_vector(weights, h):
    batch, time, n = h.shape
    return (h.reshape(batch, n, time) @ weights[:, :, None])[:, :, 0]


# %% exercise="context_vector" edits="matrix products"
SQUEEZED = (
    "squeeze without an axis removes every axis of length 1, also that of a batch of one. Name the "
    "axis, or select it by [:, 0].",
    {"[:, 0]": ".squeeze()"},
)


# %% exercise="context_vector" wrong="OVER_SENTENCES"
OVER_SENTENCES = (
    "The sum runs over the sentences, too. Every sentence has a context of its own, from its own "
    "weights and annotations."
)


def context_vector(weights, h):
    total = np.tensordot(weights, h, axes=([0, 1], [0, 1]))
    return np.broadcast_to(total, (h.shape[0], h.shape[2])).copy()


# %% exercise="context_vector" wrong="MEAN_SENTENCE"
MEAN_SENTENCE = (
    "The annotations of all sentences are averaged. Every sentence has its own annotations."
)


def context_vector(weights, h):
    return weights @ h.mean(axis=0)


# %% exercise="BahdanauAttention" right="weights of its own"
class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_1 = self.add_weight(shape=(h_shape[-1], self.units))
        self.w_2 = self.add_weight(shape=(s_prev_shape[-1], self.units))
        self.v = self.add_weight(shape=(self.units, 1))

    def call(self, s_prev, h, mask=None):
        from_state = ops.matmul(s_prev, self.w_2)[:, None]
        scores = ops.matmul(ops.tanh(ops.matmul(h, self.w_1) + from_state), self.v)[..., 0]
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[..., None] * h, axis=1), weights


# %% exercise="BahdanauAttention" right="a v that starts with zeros"
class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_1 = self.add_weight(shape=(h_shape[-1], self.units))
        self.w_2 = self.add_weight(shape=(s_prev_shape[-1], self.units))
        self.v = self.add_weight(shape=(self.units, 1), initializer="zeros")

    def call(self, s_prev, h, mask=None):
        from_state = ops.matmul(s_prev, self.w_2)[:, None]
        scores = ops.matmul(ops.tanh(ops.matmul(h, self.w_1) + from_state), self.v)[..., 0]
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[..., None] * h, axis=1), weights


# %% exercise="BahdanauAttention" edits="weights of its own"
NOT_RESTORED = (
    "The layer does not survive saving and loading. __init__ must take **kwargs and pass them "
    "on, and a get_config of your own must return units.",
    {", **kwargs": "", "(**kwargs)": "()"},
    {", weights": ", weights\n\n    def get_config(self):\n        return super().get_config()"},
)


# %% exercise="BahdanauAttention" edits="a v that starts with zeros"
UNITS_ALIKE = (
    "All units start with equal weights, so training cannot tell them apart. Keep Keras's "
    "default initializer.",
    {
        "(h_shape[-1], self.units)": '(h_shape[-1], self.units), initializer="zeros"',
        "(s_prev_shape[-1], self.units)": ('(s_prev_shape[-1], self.units), initializer="zeros"'),
    },
)


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="NO_TANH"
{"ops.tanh(ops.matmul(h, self.w_1) + from_state)": "ops.matmul(h, self.w_1) + from_state"}


# %% exercise="BahdanauAttention" edits="weights of its own"
STATE_OUTSIDE = (
    "The state does not change the weights. It must be added to the annotation inside the tanh.",
    {"+ from_state": ") + ops.tanh(from_state"},
    {"+ from_state": "+ 0 * from_state"},
)


# %% exercise="BahdanauAttention" edits="weights of its own"
SCALED = (
    "The scores are divided by the square root of the units, as in a Transformer. The additive "
    "score is not scaled.",
    {"self.v)[..., 0]": "self.v)[..., 0] / self.units**0.5"},
)


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="STATE_ACROSS"
{"[:, None]": ""}


# %% exercise="BahdanauAttention" edits="weights of its own"
SWAPPED = (
    "The weights are returned before the context. The context comes first.",
    {"ops.sum": "weights, ops.sum", ", weights": ""},
)
CONTEXT_ONLY = (
    "Only the context is returned. The layer returns the context and the weights.",
    {", weights": ""},
)


# %% exercise="BahdanauAttention" wrong="BIASES"
BIASES = "The layer has biases. It must have three weights and no bias."


class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.w_1 = keras.layers.Dense(units)
        self.w_2 = keras.layers.Dense(units)
        self.v = keras.layers.Dense(1)

    def call(self, s_prev, h, mask=None):
        scores = self.v(ops.tanh(self.w_1(h) + self.w_2(s_prev)[:, None]))[..., 0]
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[..., None] * h, axis=1), weights


# %% exercise="BahdanauAttention" wrong="ONE_MATRIX"
ONE_MATRIX = (
    "One matrix is applied to annotation and state together. The layer must hold w_1 for the "
    "annotation and w_2 for the state as two weights."
)


class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.w = keras.layers.Dense(units, use_bias=False)
        self.v = keras.layers.Dense(1, use_bias=False)

    def call(self, s_prev, h, mask=None):
        states = ops.repeat(s_prev[:, None], ops.shape(h)[1], axis=1)
        joined = ops.concatenate([h, states], axis=-1)
        scores = self.v(ops.tanh(self.w(joined)))[..., 0]
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[..., None] * h, axis=1), weights


# %% exercise="BahdanauAttention" wrong="W_ORDER"
W_ORDER = "The weights are created in the wrong order. w_1 comes first, then w_2, then v."


class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_2 = self.add_weight(shape=(s_prev_shape[-1], self.units))
        self.w_1 = self.add_weight(shape=(h_shape[-1], self.units))
        self.v = self.add_weight(shape=(self.units, 1))

    def call(self, s_prev, h, mask=None):
        from_state = ops.matmul(s_prev, self.w_2)[:, None]
        scores = ops.matmul(ops.tanh(ops.matmul(h, self.w_1) + from_state), self.v)[..., 0]
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[..., None] * h, axis=1), weights


# %% exercise="BahdanauAttention" wrong="LAST_AXIS"
LAST_AXIS = (
    "Every weight is 1, because the softmax runs over a last axis of length 1. It must run over "
    "time."
)


class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_1 = self.add_weight(shape=(h_shape[-1], self.units))
        self.w_2 = self.add_weight(shape=(s_prev_shape[-1], self.units))
        self.v = self.add_weight(shape=(self.units, 1))

    def call(self, s_prev, h, mask=None):
        from_state = ops.matmul(s_prev, self.w_2)[:, None]
        scores = ops.matmul(ops.tanh(ops.matmul(h, self.w_1) + from_state), self.v)
        if mask is not None:
            scores = ops.where(mask[..., None], scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights * h, axis=1), weights[..., 0]


# %% exercise="BahdanauAttention" wrong="KEPT_AXIS"
class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_1 = self.add_weight(shape=(h_shape[-1], self.units))
        self.w_2 = self.add_weight(shape=(s_prev_shape[-1], self.units))
        self.v = self.add_weight(shape=(self.units, 1))

    def call(self, s_prev, h, mask=None):
        from_state = ops.matmul(s_prev, self.w_2)[:, None]
        scores = ops.matmul(ops.tanh(ops.matmul(h, self.w_1) + from_state), self.v)
        if mask is not None:
            scores = ops.where(mask[..., None], scores, -1e9)
        weights = ops.softmax(scores, axis=1)
        return ops.sum(weights * h, axis=1), weights


# %% exercise="BahdanauAttention" wrong="UNITS_ALIKE"
class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_1 = self.add_weight(shape=(h_shape[-1], self.units), initializer="ones")
        self.w_2 = self.add_weight(shape=(s_prev_shape[-1], self.units), initializer="ones")
        self.v = self.add_weight(shape=(self.units, 1), initializer="ones")

    def call(self, s_prev, h, mask=None):
        from_state = ops.matmul(s_prev, self.w_2)[:, None]
        scores = ops.matmul(ops.tanh(ops.matmul(h, self.w_1) + from_state), self.v)[..., 0]
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[..., None] * h, axis=1), weights


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="W_ORDER"
{
    "h_shape):": "h_shape):\n        self.v = self.add_weight(shape=(self.units, 1))",
    "        self.v = self.add_weight(shape=(self.units, 1))\n": "",
}


# %% exercise="BahdanauAttention" edits="weights of its own"
V_SHAPE = "v has the wrong shape. In the layer its shape is (u, 1).", {", 1": ",", "[..., 0]": ""}
UNITS_IGNORED = (
    "The argument units is ignored. It is u, the number of columns of w_1 and w_2.",
    {"= units": "= 4"},
)


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="OVER_BATCH"
{"(scores)": "(scores, axis=0)"}


# %% exercise="BahdanauAttention" edits="weights of its own"
SCORES_RETURNED = (
    "The scores are returned in place of the weights. Apply the softmax to them first.",
    {", weights": ", scores"},
)
ONE_LENGTH = (
    "The layer accepts sentences of one length only. Nothing in it may depend on the length.",
    {
        "(shape=(self.units, 1))": "(shape=(self.units, 1))\n\n        self.steps = h_shape[1]",
        "ops.matmul(s_prev, self.w_2)[:, None]": (
            "ops.repeat(ops.matmul(s_prev, self.w_2)[:, None], self.steps, axis=1)"
        ),
    },
)


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="MASK_IGNORED"
{"if mask is not None:\n            scores = ops.where(mask, scores, -1e9)\n        ": ""}


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="MASK_INVERTED"
{"scores, -1e9": "-1e9, scores"}


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="MASK_AFTER"
{
    "if mask is not None:": "weights = ops.softmax(scores)\n        if mask is not None:",
    (
        "scores = ops.where(mask, scores, -1e9)\n        weights = ops.softmax(scores)"
    ): "weights *= ops.cast(mask, weights.dtype)",
}


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="SCORE_ZEROED"
{"-1e9": "0.0"}


# %% exercise="BahdanauAttention" edits="weights of its own"
INPUTS_ZEROED = (
    "The masked annotations are set to 0, but their positions still take part in the softmax.",
    {"scores = ops.where(mask, scores, -1e9)": "h = ops.where(mask[..., None], h, 0.0)"},
)


# %% exercise="BahdanauAttention" wrong="NOT_TRAINABLE"
NOT_TRAINABLE = (
    "No gradient reaches the weights inside a model. Compute with keras.ops instead of NumPy, and "
    "do not stop the gradient."
)


class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_1 = self.add_weight(shape=(h_shape[-1], self.units))
        self.w_2 = self.add_weight(shape=(s_prev_shape[-1], self.units))
        self.v = self.add_weight(shape=(self.units, 1))

    def call(self, s_prev, h, mask=None):
        w_1, w_2, v = (weight.numpy() for weight in (self.w_1, self.w_2, self.v))
        s_prev, h = np.asarray(s_prev), np.asarray(h)
        scores = (np.tanh(h @ w_1 + (s_prev @ w_2)[:, None]) @ v)[..., 0]
        if mask is not None:
            scores = np.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[..., None] * h, axis=1), weights


# %% exercise="BahdanauAttention" edits="weights of its own"
PROJECTED = (
    "The context adds up projected annotations. It must add up the annotations themselves.",
    {"* h": "* ops.matmul(h, self.w_1)"},
)


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="NOT_TRAINABLE"
{"if mask is not None:": "scores = ops.stop_gradient(scores)\n        if mask is not None:"}


# %% exercise="BahdanauAttention" edits="a v that starts with zeros" wrong="FROZEN"
{'initializer="zeros"': "trainable=False"}


# %% exercise="BahdanauAttention" wrong="FILL_TOO_SMALL"
class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_1 = self.add_weight(name="w_1", shape=(h_shape[2], self.units))
        self.w_2 = self.add_weight(name="w_2", shape=(s_prev_shape[1], self.units))
        self.v = self.add_weight(name="v", shape=(self.units, 1))

    def call(self, s_prev, h, mask=None):
        hidden = ops.tanh(ops.matmul(h, self.w_1) + ops.matmul(s_prev, self.w_2)[:, None])
        scores = ops.squeeze(ops.matmul(hidden, self.v), axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1.0)
        weights = ops.softmax(scores, axis=-1)
        return ops.einsum("bt,btn->bn", weights, h), weights

    def compute_mask(self, s_prev, mask=None):
        return None


# %% exercise="BahdanauAttention" right="three Dense layers and Keras's softmax"
class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.w_1 = keras.layers.Dense(units, use_bias=False)
        self.w_2 = keras.layers.Dense(units, use_bias=False)
        self.v = keras.layers.Dense(1, use_bias=False)
        self.softmax = keras.layers.Softmax(axis=1)

    def call(self, s_prev, h, mask=None):
        scores = self.v(ops.tanh(self.w_1(h) + ops.expand_dims(self.w_2(s_prev), 1)))
        mask = None if mask is None else ops.expand_dims(mask, -1)
        weights = self.softmax(scores, mask=mask)
        return ops.sum(weights * h, axis=1), ops.squeeze(weights, -1)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


# %% exercise="BahdanauAttention" right="exponentials divided by their sum"
class BahdanauAttention(keras.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        n, m = h_shape[-1], s_prev_shape[-1]
        self.w_1 = self.add_weight(name="W1", shape=(n, self.units), initializer="random_normal")
        self.w_2 = self.add_weight(name="W2", shape=(m, self.units), initializer="random_normal")
        self.v = self.add_weight(name="V", shape=(self.units, 1), initializer="random_normal")
        super().build(h_shape)

    def call(self, s_prev, h, mask=None):
        joined = ops.einsum("bm,mu->bu", s_prev, self.w_2)[:, None, :]
        joined += ops.einsum("btn,nu->btu", h, self.w_1)
        scores = ops.einsum("btu,uk->bt", ops.tanh(joined), self.v)
        shares = ops.exp(scores - ops.max(scores, axis=-1, keepdims=True))
        if mask is not None:
            shares = shares * ops.cast(mask, "float32")
        weights = shares / ops.sum(shares, axis=-1, keepdims=True)
        return [ops.squeeze(ops.matmul(weights[:, None, :], h), axis=1), weights]


# %% exercise="BahdanauAttention" right="Dense layers, options passed on under another name"
class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units
        self.from_annotation = keras.layers.Dense(units, use_bias=False)
        self.from_state = keras.layers.Dense(units, use_bias=False)
        self.to_score = keras.layers.Dense(1, use_bias=False)

    def call(self, s_prev, h, mask=None):
        inner = self.from_annotation(h) + ops.expand_dims(self.from_state(s_prev), axis=1)
        scores = self.to_score(ops.tanh(inner))
        if mask is not None:
            scores = ops.where(ops.expand_dims(mask, -1), scores, float("-inf"))
        weights = ops.softmax(scores, axis=1)
        return ops.einsum("btk,btn->bn", weights, h), ops.squeeze(weights, axis=-1)

    def compute_mask(self, s_prev, mask=None):
        return None


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="OVER_FEATURES"
{"* h, axis=1": "* h, axis=2"}


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="BIASES"
{
    "shape=(self.units, 1))": (
        "shape=(self.units, 1))\n        self.b = self.add_weight(shape=(1,))"
    ),
    "self.v)[..., 0]": "self.v)[..., 0] + self.b",
}


# %% exercise="BahdanauAttention" edits="weights of its own" wrong="NOT_RESTORED"
{
    ", weights": (
        ", weights\n\n    def get_config(self):\n"
        '        return {**super().get_config(), "u": self.units}'
    )
}


# %% exercise="BahdanauAttention" edits="weights of its own"
MASK_NOT_IN_TRAINING = (
    "The mask is left aside in training. Masked states must have weight 0 there as well.",
    {
        "mask=None)": "mask=None, training=None)",
        "mask is not None:": "mask is not None and not training:",
    },
)
DROPOUT = (
    "Some weights are dropped in training. The layer has no dropout.",
    {"weights = ops.softmax(scores)": "weights = keras.layers.Dropout(0.5)(ops.softmax(scores))"},
)
ZEROS_MASKED = (
    "States of zeros are treated as padding although no mask came. Without a mask every state "
    "counts.",
    {
        "        if mask is not": (
            "        mask = ops.any(h != 0, axis=-1) if mask is None else mask\n"
            "        if mask is not"
        )
    },
)


# %% exercise="BahdanauAttention" edits="weights of its own"
UNMASKED_CONTEXT = (
    "Only the weights that are returned are masked. The context must be computed from them, too.",
    {
        "        if mask is not None:\n": (
            "        unmasked = ops.softmax(scores)\n        if mask is not None:\n"
        ),
        "sum(weights[..., None]": "sum(unmasked[..., None]",
    },
)


# %% exercise="BahdanauAttention" edits="weights of its own"
MASKED_ANNOTATIONS = (
    "The mask sets annotations to 0 and leaves their scores, so padding still receives weight. "
    "Hide the scores instead.",
    {
        "            scores = ops.where(mask, scores, -1e9)\n": (
            "            h = h * ops.cast(mask, h.dtype)[:, :, None]\n"
            "            hidden = ops.tanh(ops.matmul(h, self.w_1) + from_state)\n"
            "            scores = ops.matmul(hidden, self.v)[..., 0]\n"
        )
    },
)


# %% exercise="BahdanauAttention" edits="weights of its own"
LOG_OF_THE_MASK = (
    "The logarithm of the mask plus a tiny number lowers hidden scores too little, so they keep "
    "some weight. Use ops.where with a large negative number.",
    {"ops.where(mask, scores, -1e9)": 'scores + ops.log(ops.cast(mask, "float32") + 1e-7)'},
)


# %% exercise="BahdanauAttention" edits="weights of its own"
DROPOUT_ADDED = (
    "In training, dropout is applied to the weights, which then no longer sum to 1. Leave it out.",
    {
        "        self.units = units\n": "        self.units = units\n"
        "        self.dropout = keras.layers.Dropout(0.1)\n",
        "mask=None):": "mask=None, training=None):",
        "        weights = ops.softmax(scores)": "        weights = ops.softmax(scores)\n"
        "        weights = self.dropout(weights, training=training)",
    },
)


# %% exercise="BahdanauAttention" edits="weights of its own"
CONTEXT_KEEPS_TIME = (
    "The context still has a time axis of length 1. Its shape must be (batch, n).",
    {"weights[..., None] * h, axis=1)": "weights[..., None] * h, axis=1, keepdims=True)"},
)
ARGUMENTS_SWAPPED = (
    "call takes the annotations first. s_prev comes first, then h.",
    {"def call(self, s_prev, h,": "def call(self, h, s_prev,"},
)
FROZEN = (
    "A weight is created with trainable=False, so training never changes it.",
    {
        "(h_shape[-1], self.units)": "(h_shape[-1], self.units), trainable=False",
        "(s_prev_shape[-1], self.units)": "(s_prev_shape[-1], self.units), trainable=False",
        "(self.units, 1)": "(self.units, 1), trainable=False",
    },
    {"(h_shape[-1], self.units)": "(h_shape[-1], self.units), trainable=False"},
    {"(s_prev_shape[-1], self.units)": "(s_prev_shape[-1], self.units), trainable=False"},
    {"(self.units, 1)": "(self.units, 1), trainable=False"},
)
INFINITY_TIMES_ZERO = (
    "Zeros of the mask are multiplied by infinity, which is not a number. Use a large finite "
    "number, or choose with ops.where.",
    {"ops.where(mask, scores, -1e9)": ("scores + (1.0 - ops.cast(mask, scores.dtype)) * -np.inf")},
)
CONTEXT_AVERAGED = (
    "The weighted sum is divided by the number of positions. Only add the products up.",
    {"ops.sum(weights": "ops.mean(weights"},
)
LOWERED_TOO_LITTLE = (
    "Masked scores are lowered by too small a number, so they keep some weight. Lower them by 1e9, "
    "or choose with ops.where.",
    {"ops.where(mask, scores, -1e9)": ("scores - 10.0 * (1.0 - ops.cast(mask, scores.dtype))")},
)
CONTEXTS_CROSSED = (
    "The weights of every sentence are applied to the annotations of every sentence. Each sentence "
    "has its own weights.",
    {"ops.sum(weights[..., None] * h, axis=1)": "ops.tensordot(weights, h, axes=[[1], [1]])"},
)


# %% exercise="BahdanauAttention" edits="weights of its own"
NAME_LOST = (
    "The base class does not get its arguments, such as the name. Pass **kwargs on to "
    "super().__init__.",
    {"super().__init__(**kwargs)": "super().__init__()"},
)


# %% exercise="BahdanauAttention" edits="three Dense layers and Keras's softmax"
BASE_LEFT_OUT = (
    "The configuration lacks what the base class knows, such as the name. Start from "
    "super().get_config().",
    {"**super().get_config(), ": ""},
)


# %% exercise="BahdanauAttention" wrong="WEIGHTS_BEFORE_MASK"
WEIGHTS_BEFORE_MASK = (
    "The context is right, but the weights that come back are those before the mask. Return the "
    "weights from which the context was computed."
)


class BahdanauAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, s_prev_shape, h_shape):
        self.w_1 = self.add_weight(shape=(h_shape[-1], self.units), name="w_1")
        self.w_2 = self.add_weight(shape=(s_prev_shape[-1], self.units), name="w_2")
        self.v = self.add_weight(shape=(self.units, 1), name="v")

    def call(self, s_prev, h, mask=None):
        hidden = ops.tanh(ops.matmul(h, self.w_1) + ops.matmul(s_prev, self.w_2)[:, None])
        weights = ops.softmax(ops.matmul(hidden, self.v)[..., 0], axis=-1)
        kept = weights
        if mask is not None:
            kept = weights * ops.cast(mask, weights.dtype)
            kept = kept / ops.sum(kept, axis=-1, keepdims=True)
        context = ops.sum(kept[..., None] * h, axis=1)
        return context, weights

    def compute_mask(self, s_prev, mask=None):
        return None


# %% exercise="attention_decode" right="lists of ids and weights"
def attention_decode(step, s_0, start_id, end_id, max_length):
    batch, state = len(s_0), s_0
    tokens, ended = np.full(batch, start_id), np.zeros(batch, dtype=bool)
    ids, maps = [], []
    for _ in range(max_length):
        probabilities, state, weights = step(tokens, state)
        tokens = probabilities.argmax(axis=-1)
        tokens[ended] = end_id
        ended |= tokens == end_id
        ids.append(tokens)
        maps.append(weights)
        if ended.all():
            break
    return np.stack(ids, axis=1), np.stack(maps, axis=1)


# %% exercise="attention_decode" edits="lists of ids and weights"
START_RETURNED = (
    "The start token is part of the result. ids must begin with the first word.",
    {"return": "ids = [np.full(batch, start_id), *ids]\n    return"},
)
AFTER_END = (
    "Words that follow a row's first end_id are still there. All of them must be set to end_id.",
    {"tokens[ended] = end_id\n        ": ""},
)
FILLED_WITH_ZERO = (
    "What follows a row's first end_id is set to 0. It must be set to end_id.",
    {
        "tokens[ended] = end_id": "ids.append(np.where(ended, 0, tokens))",
        "        ids.append(tokens)\n": "",
    },
)
END_REMOVED = (
    "A row's first end_id is missing. It belongs to the result.",
    {
        "ids.": "if ended.all():\n            break\n        ids.",
        "        if ended.all():\n            break\n": "",
    },
)
NEVER_STOPS = (
    "The result always has max_length steps. The loop must end as soon as every row has produced "
    "end_id, and the result has one step for each turn of the loop.",
    {"        if ended.all():\n            break\n": ""},
)
ONE_TOO_MANY = (
    "step is called once more after every row has produced end_id. The loop must end before that.",
    {
        "range(max_length):": "range(max_length):\n        done = ended.all()",
        "ended.all()": "done",
    },
)


# %% exercise="attention_decode" wrong="TRIMMED"
TRIMMED = (
    "step is called after every row has produced end_id, although the result hides it. The loop "
    "must end before that."
)


def attention_decode(step, s_0, start_id, end_id, max_length):
    batch, state = len(s_0), s_0
    tokens, ended = np.full(batch, start_id), np.zeros(batch, dtype=bool)
    ids, maps = [], []
    for _ in range(max_length):
        probabilities, state, weights = step(tokens, state)
        tokens = probabilities.argmax(axis=-1)
        tokens[ended] = end_id
        ended |= tokens == end_id
        ids.append(tokens)
        maps.append(weights)
    ids, maps = np.stack(ids, axis=1), np.stack(maps, axis=1)
    steps = int(np.max(np.sum(ids != end_id, axis=1))) + 1
    return ids[:, :steps], maps[:, :steps]


# %% exercise="attention_decode" edits="lists of ids and weights" wrong="TRIMMED"
{
    "step(tokens, state)": "step(tokens, state)\n        if ended.all():\n            break",
    "        if ended.all():\n            break\n": "",
}


# %% exercise="attention_decode" edits="lists of ids and weights"
STOPS_EARLY = (
    "The loop ends when the first row has produced end_id. It must wait for every row.",
    {"all": "any"},
)
NO_LIMIT = (
    "The loop does not end after max_length steps.",
    {"for _ in range(max_length)": "while True"},
)
LIMIT_SHORT = (
    "The loop ends one step before max_length.",
    {"(max_length)": "(max(1, max_length - 1))"},
)


# %% exercise="attention_decode" wrong="FORGETS_END"
FORGETS_END = (
    "The loop ends only if all rows write end_id in the same step. A row that wrote it in an "
    "earlier step has also ended."
)


def attention_decode(step, s_0, start_id, end_id, max_length):
    batch, state = len(s_0), s_0
    tokens, ended = np.full(batch, start_id), np.zeros(batch, dtype=bool)
    ids, maps = [], []
    for _ in range(max_length):
        probabilities, state, weights = step(tokens, state)
        tokens = probabilities.argmax(axis=-1)
        ids.append(np.where(ended, end_id, tokens))
        ended |= tokens == end_id
        maps.append(weights)
        if (tokens == end_id).all():
            break
    return np.stack(ids, axis=1), np.stack(maps, axis=1)


# %% exercise="attention_decode" edits="lists of ids and weights"
FED_START = (
    "Every step receives start_id. It must receive the word that was written last.",
    {"tokens, state": "np.full(batch, start_id), state"},
)
FED_SECOND_BEST = (
    "The least probable word is taken. It must be the most probable one.",
    {"argmax": "argmin"},
)
STATE_KEPT = (
    "Every step receives s_0. It must receive the state that the step before returned.",
    {"state,": "_,"},
)
ONE_ARGMAX = (
    "argmax runs over the whole array, so every row gets the same number. It must run over the "
    "vocabulary only, axis=-1.",
    {"probabilities.argmax(axis=-1)": "np.full(batch, probabilities.argmax())"},
)
ONLY_IDS = (
    "Only ids is returned. The weights of every step must be returned as well.",
    {"np.stack(ids, axis=1), np.stack(maps, axis=1)": "np.stack(ids, axis=1)"},
)
COLUMN_FED = (
    "step receives a column of shape (batch, 1). Its token_ids have the shape (batch,).",
    {"tokens, state": "tokens[:, None], state"},
)
OVER_ROWS = (
    "The argmax runs over the rows. It must run over the vocabulary.",
    {"(axis=-1)": "(axis=0)[:batch]"},
)
STEPS_FIRST = (
    "The axis of the steps comes first. The result begins with the batch.",
    {"np.stack(ids, axis=1), np.stack(maps, axis=1)": "np.array(ids), np.array(maps)"},
)
LAST_WEIGHTS = (
    "Only the weights of the last step are returned. Return those of every step.",
    {"np.stack(maps, axis=1)": "weights"},
)


# %% exercise="attention_decode" edits="lists of ids and weights" wrong="FLOAT_IDS"
{"np.stack(ids, axis=1),": "np.stack(ids, axis=1) * 1.0,"}


# %% exercise="attention_decode" edits="lists of ids and weights" wrong="INPUT_CHANGED"
{"state,": "state[:],"}


# %% exercise="attention_decode" edits="lists of ids and weights"
LIMIT_LONG = (
    "The loop may run for one step more than max_length.",
    {"(max_length)": "(max_length + 1)"},
)


# %% exercise="attention_decode" wrong="BY_ROWS"
BY_ROWS = "step is called for each row by itself. Call it once per step, for all rows together."


def attention_decode(step, s_0, start_id, end_id, max_length):
    rows = []
    for state in s_0:
        token, state, ids, maps = start_id, state[None], [], []
        while len(ids) < max_length and token != end_id:
            probabilities, state, weights = step(np.array([token]), state)
            token = int(probabilities[0].argmax())
            ids.append(token)
            maps.append(weights[0])
        rows.append((ids, maps))
    steps = max(len(ids) for ids, _ in rows)
    padded = [ids + [end_id] * (steps - len(ids)) for ids, _ in rows]
    maps = [maps + [0 * maps[0]] * (steps - len(maps)) for _, maps in rows]
    return np.array(padded), np.array(maps)


# %% exercise="attention_decode" wrong="LAST_END_KEPT"
LAST_END_KEPT = (
    "The words between a row's first end_id and a later one are still there. Everything after the "
    "first one must be set to end_id."
)


def attention_decode(step, s_0, start_id, end_id, max_length):
    tokens, state, ids, maps = np.full(len(s_0), start_id), s_0, [], []
    ended = np.zeros(len(s_0), dtype=bool)
    while len(ids) < max_length and not ended.all():
        probabilities, state, weights = step(tokens, state)
        tokens = probabilities.argmax(axis=-1)
        ended |= tokens == end_id
        ids.append(tokens)
        maps.append(weights)
    ids = np.stack(ids, axis=1)
    for row in ids:
        for t in np.flatnonzero(row == end_id):
            last = t
        if end_id in row:
            row[last:] = end_id
    return ids, np.stack(maps, axis=1)


# %% exercise="attention_decode" edits="lists of ids and weights"
IDS_PADDED = (
    "ids has max_length columns even if the loop ends earlier. It must have one for each step.",
    {
        "return": "padding = [np.full(batch, end_id)] * (max_length - len(ids))\n    return",
        "ids, axis=1": "ids + padding, axis=1",
    },
)


# %% exercise="attention_decode" edits="lists of ids and weights" wrong="STEPS_FIRST"
{"maps, axis=1": "maps, axis=0"}


# %% exercise="attention_decode" edits="lists of ids and weights" wrong="IDS_FIXED"
{"batch, start_id": "batch, 1", "tokens[ended] = end_id": "tokens[ended] = 2", "== end_id": "== 2"}
{"batch, start_id": "batch, 1"}
{"tokens[ended] = end_id": "tokens[ended] = 2", "== end_id": "== 2"}


# %% exercise="attention_decode" right="arrays made beforehand"
def attention_decode(step, s_0, start_id, end_id, max_length):
    ids = np.full((len(s_0), max_length), end_id)
    maps, tokens, state = [], np.array([start_id] * len(s_0)), s_0.copy()
    running = np.arange(len(s_0))
    for t in range(max_length):
        probabilities, state, weights = step(tokens, state)
        tokens = np.argmax(np.asarray(probabilities), -1)
        ids[running, t] = tokens[running]
        maps.append(np.asarray(weights)[:, None])
        running = running[tokens[running] != end_id]
        if len(running) == 0:
            break
    return ids[:, : t + 1], np.concatenate(maps, axis=1)


# %% exercise="attention_decode" right="lists, filled afterwards"
def attention_decode(step, s_0, start_id, end_id, max_length):
    rows, maps, tokens, state = [[] for _ in s_0], [[] for _ in s_0], [start_id] * len(s_0), s_0
    while len(rows[0]) < max_length and not all(end_id in row for row in rows):
        probabilities, state, weights = step(tokens, state)
        tokens = [max(range(len(p)), key=p.__getitem__) for p in probabilities.tolist()]
        for row, kept, token, alpha in zip(rows, maps, tokens, weights, strict=True):
            row.append(token)
            kept.append(alpha)
    for row in rows:
        if end_id in row:
            first = row.index(end_id)
            row[first:] = [end_id] * (len(row) - first)
    return rows, np.array(maps)


# %% exercise="attention_decode" right="Keras"
def attention_decode(step, s_0, start_id, end_id, max_length):
    tokens = ops.full((s_0.shape[0],), start_id, dtype="int32")
    ended, state, ids, maps = tokens != tokens, s_0, [], []
    for _ in range(max_length):
        probabilities, state, weights = step(tokens, state)
        tokens = ops.where(ended, end_id, ops.argmax(probabilities, axis=-1))
        ended = ops.logical_or(ended, tokens == end_id)
        ids.append(tokens)
        maps.append(ops.cast(weights, "float32"))
        if bool(ops.all(ended)):
            break
    return ops.stack(ids, axis=1), ops.stack(maps, axis=1)


# %% exercise="attention_decode" edits="lists of ids and weights"
WEIGHTS_FIRST = (
    "ids and weights are returned in the wrong order. ids comes first.",
    {
        "np.stack(ids, axis=1), np.stack(maps, axis=1)": (
            "np.stack(maps, axis=1), np.stack(ids, axis=1)"
        )
    },
)


# %% exercise="attention_decode" edits="lists of ids and weights" wrong="FORGETS_END"
{"tokens[ended] = end_id\n        ": "", "ended.all()": "(tokens == end_id).all()"}


# %% exercise="attention_decode" edits="lists, filled afterwards"
NO_END_FOUND = (
    "A row without end_id is overwritten after its first word, because argmax gives 0 where "
    "nothing is found. Such a row must stay as it is.",
    {
        "        if end_id in row:\n            first = row.index(end_id)\n": (
            "        for first in [int(np.argmax(np.equal(row, end_id)))]:\n"
        ),
        "row[first:] = [end_id] * (len(row) - first)": (
            "row[first + 1 :] = [end_id] * (len(row) - first - 1)"
        ),
    },
)


# %% exercise="attention_decode" edits="lists of ids and weights"
STEPS_RESHAPED = (
    "The weights of the steps are reshaped, which mixes steps and sentences. Stack them along axis "
    "1.",
    {"np.stack(maps, axis=1)": "np.array(maps).reshape(batch, len(ids), -1)"},
)


# %% exercise="attention_decode" edits="lists of ids and weights"
ALL_ENDS_COUNTED = (
    "All end ids are counted, and a row that has ended has several. Go on until each row has one.",
    {"if ended.all():": "if np.sum(np.array(ids) == end_id) >= batch:"},
)


# %% exercise="attention_decode" edits="lists of ids and weights"
FILLED_WITH_START = (
    "What follows a row's first end_id is set to start_id. It must be set to end_id.",
    {
        "tokens[ended] = end_id": "ids.append(np.where(ended, start_id, tokens))",
        "        ids.append(tokens)\n": "",
    },
)
LARGEST_PROBABILITY = (
    "The largest probability itself is taken for the word. The word is the position of this "
    "probability in the vocabulary.",
    {"probabilities.argmax(axis=-1)": "probabilities.max(axis=-1)"},
)
START_ALONE = (
    "The first step receives the number start_id alone. It must receive an array that holds "
    "start_id for every row.",
    {"np.full(batch, start_id)": "start_id"},
)
STEP_TWICE = (
    "step is called twice in every turn of the loop. A single call gives the probabilities, the "
    "state and the weights.",
    {
        "probabilities, state, weights = step(tokens, state)": (
            "weights = step(tokens, state)[2]\n"
            "        probabilities, state, _ = step(tokens, state)"
        )
    },
)
STEP_ARGUMENTS_SWAPPED = (
    "step receives the state first. It takes token_ids first, then the state.",
    {"step(tokens, state)": "step(state, tokens)"},
)
STEP_RESULTS_SWAPPED = (
    "The results of step are taken in the wrong order. They are the probabilities, the state and "
    "the weights.",
    {"probabilities, state, weights =": "probabilities, weights, state ="},
)
RUNNING_ROWS_FILLED = (
    "end_id is written into the rows that still go on. It belongs in those that have ended.",
    {"tokens[ended] = end_id": "tokens[~ended] = end_id"},
)
PROBABILITIES_FED = (
    "From the second call on, step receives the probabilities. It must receive the words.",
    {"step(tokens, state)": "step(probabilities if ids else tokens, state)"},
)


# %% exercise="attention_decode" edits="lists of ids and weights"
LAST_ROW_DECIDES = (
    "The loop ends when the last row has produced end_id. It must wait for every row.",
    {"if ended.all()": "if ended[-1]"},
)


# %% exercise="attention_decode" edits="lists of ids and weights"
WEIGHTS_OF_ENDED_ROWS = (
    "The weights of rows that have ended are replaced. Store what step returns, in every step.",
    {
        "        tokens = probabilities.argmax(axis=-1)": ""
        "        weights = np.where(ended[:, None], 0.0, weights)\n"
        "        tokens = probabilities.argmax(axis=-1)"
    },
    {"        maps.append(weights)": "        maps.append(np.where(ended[:, None], 0.0, weights))"},
)


# %% exercise="accuracy_by_length" right="lists, one row at a time"
def accuracy_by_length(predicted, target, lengths, end_id):
    right = {}
    for one, other, length in zip(
        predicted.tolist(), target.tolist(), lengths.tolist(), strict=True
    ):
        exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]
        right.setdefault(length, []).append(exact)
    return {length: sum(exact) / len(exact) for length, exact in right.items()}


# %% exercise="accuracy_by_length" wrong="TOKENS"
TOKENS = "This is the share of right words. A translation counts only if it is right as a whole."


def accuracy_by_length(predicted, target, lengths, end_id):
    width = min(predicted.shape[1], target.shape[1])
    right = (predicted[:, :width] == target[:, :width]).mean(axis=1)
    return {int(n): right[lengths == n].mean() for n in set(lengths)}


# %% exercise="accuracy_by_length" wrong="TOKENS"
def accuracy_by_length(predicted, target, lengths, end_id):
    right = {}
    for one, other, length in zip(
        predicted.tolist(), target.tolist(), lengths.tolist(), strict=True
    ):
        other = other[: other.index(end_id) + 1]
        same = sum(a == b for a, b in zip(one, other, strict=False))
        right.setdefault(length, []).append(same / len(other))
    return {length: sum(shares) / len(shares) for length, shares in right.items()}


# %% exercise="accuracy_by_length" wrong="WHOLE_ROWS"
WHOLE_ROWS = "Whole rows are compared. What comes after the first end_id does not matter."


def accuracy_by_length(predicted, target, lengths, end_id):
    width = min(predicted.shape[1], target.shape[1])
    exact = (predicted[:, :width] == target[:, :width]).all(axis=1)
    exact &= (predicted == end_id).any(axis=1)
    return {int(n): exact[lengths == n].mean() for n in set(lengths)}


# %% exercise="accuracy_by_length" wrong="ONE_WIDTH"
ONE_WIDTH = "The arrays may have different widths, so they cannot be compared as they are."


def accuracy_by_length(predicted, target, lengths, end_id):
    ended = np.cumsum(target == end_id, axis=1) - (target == end_id) > 0
    exact = ((predicted == target) | ended).all(axis=1)
    return {int(n): exact[lengths == n].mean() for n in np.unique(lengths)}


# %% exercise="accuracy_by_length" wrong="ENDLESS_RIGHT"
ENDLESS_RIGHT = (
    "A prediction that never produces end_id is counted as right. It is wrong, however well it "
    "begins."
)


def accuracy_by_length(predicted, target, lengths, end_id):
    width = min(predicted.shape[1], target.shape[1])
    predicted, target = predicted[:, :width], target[:, :width]
    ended = np.cumsum(target == end_id, axis=1) - (target == end_id) > 0
    exact = ((predicted == target) | ended).all(axis=1)
    return {int(n): exact[lengths == n].mean() for n in np.unique(lengths)}


# %% exercise="accuracy_by_length" wrong="LAST_END"
LAST_END = "The rows are compared up to their last end_id. Only the first one counts."


def accuracy_by_length(predicted, target, lengths, end_id):
    right = {}
    for one, other, length in zip(
        predicted.tolist(), target.tolist(), lengths.tolist(), strict=True
    ):
        exact = end_id in one and (
            one[: len(one) - one[::-1].index(end_id)]
            == other[: len(other) - other[::-1].index(end_id)]
        )
        right.setdefault(length, []).append(exact)
    return {length: sum(exact) / len(exact) for length, exact in right.items()}


# %% exercise="accuracy_by_length" edits="lists, one row at a time"
WRONG_ONES = (
    "These are the shares of the wrong translations. The shares of the exact ones are asked for.",
    {"sum(exact) / len(exact)": "1 - sum(exact) / len(exact)"},
)
TARGET_CUT = (
    "Only the words before the target's end are compared. A translation that ends later or never "
    "is wrong.",
    {
        "exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]": (
            "end = other.index(end_id)\n        exact = one[:end] == other[:end]"
        )
    },
)
PREFIX = (
    "A prediction that ends too early is counted as right. It must agree with the target up to "
    "the target's first end_id.",
    {
        "exact = end_id in one and": "one =",
        "== other[: other.index(end_id)]": (
            "if end_id in one else [end_id]\n        exact = one == other[: len(one)]"
        ),
    },
)
COUNTS = (
    "These are counts. Divide each by the number of sentences of that length.",
    {" / len(exact)": ""},
)
SHARE_OF_ALL = (
    "The exact sentences of a length are divided by the number of all sentences. Divide by the "
    "number of sentences of that length.",
    {"len(exact)": "len(predicted)"},
)
PERCENT = "These are percentages. A share lies between 0 and 1.", {"sum(exact)": "100 * sum(exact)"}
TARGET_LENGTHS = (
    "The sentences are grouped by the length of the target. Group them by lengths.",
    {
        "other, length": "other, _",
        "lengths.tolist()": "lengths",
        "length, []": "other.index(end_id), []",
    },
    {
        "other, length": "other, _",
        "lengths.tolist()": "lengths",
        "length, []": "other.index(end_id) + 1, []",
    },
)


# %% exercise="accuracy_by_length" wrong="ALL_LENGTHS"
ALL_LENGTHS = "The dict contains lengths that do not occur in the argument lengths."


def accuracy_by_length(predicted, target, lengths, end_id):
    right = {}
    for one, other, length in zip(
        predicted.tolist(), target.tolist(), lengths.tolist(), strict=True
    ):
        exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]
        right.setdefault(length, []).append(exact)
    return {n: np.mean(right.get(n, [0])) for n in range(max(right) + 1)}


# %% exercise="accuracy_by_length" wrong="ANY_ORDER"
ANY_ORDER = (
    "The words are compared without their order. A translation must have every word in place."
)


def accuracy_by_length(predicted, target, lengths, end_id):
    right = {}
    for one, other, length in zip(predicted.tolist(), target.tolist(), lengths, strict=True):
        exact = end_id in one
        if exact:
            one, other = one[: one.index(end_id)], other[: other.index(end_id)]
            exact = sorted(one) == sorted(other)
        right.setdefault(int(length), []).append(exact)
    return {length: np.mean(exact) for length, exact in right.items()}


# %% exercise="accuracy_by_length" wrong="WHOLE_ROWS"
def accuracy_by_length(predicted, target, lengths, end_id):
    width = min(predicted.shape[1], target.shape[1])
    exact = (predicted[:, :width] == target[:, :width]).all(axis=1)
    return {int(n): exact[lengths == n].mean() for n in set(lengths)}


# %% exercise="accuracy_by_length" wrong="ENDLESS_RIGHT"
def accuracy_by_length(predicted, target, lengths, end_id):
    def words(row):
        return row[: np.argmax(row == end_id)].tolist()

    exact = np.array(
        [words(one) == words(other) for one, other in zip(predicted, target, strict=True)]
    )
    return {int(n): exact[lengths == n].mean() for n in np.unique(lengths)}


# %% exercise="accuracy_by_length" wrong="PADDED_WITH_ZERO"
PADDED_WITH_ZERO = (
    "The predictions are padded with 0, which may be end_id. A prediction that never produces "
    "end_id is wrong."
)


def accuracy_by_length(predicted, target, lengths, end_id):
    missing = max(0, target.shape[1] - predicted.shape[1])
    predicted, exact = np.pad(predicted, [(0, 0), (0, missing)]), []
    for one, other in zip(predicted, target, strict=True):
        end = np.argmax(other == end_id) + 1
        exact.append((one[:end] == other[:end]).all())
    return {int(n): np.array(exact)[lengths == n].mean() for n in np.unique(lengths)}


# %% exercise="accuracy_by_length" edits="lists, one row at a time" wrong="IDS_FIXED"
{
    "end_id in one": "2 in one and 2 in other",
    "one.index(end_id)": "one.index(2)",
    "other.index(end_id)": "other.index(2)",
}


# %% exercise="accuracy_by_length" wrong="ALL_LENGTHS"
def accuracy_by_length(predicted, target, lengths, end_id):
    right = {}
    for one, other, length in zip(
        predicted.tolist(), target.tolist(), lengths.tolist(), strict=True
    ):
        exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]
        right.setdefault(length, []).append(exact)
    return {n: np.mean(right.get(n, [0])) for n in range(1, max(right) + 1)}


# %% exercise="accuracy_by_length" wrong="IDS_FIXED"
def accuracy_by_length(predicted, target, lengths, end_id):
    def until_end(row):
        row = list(row)
        return row[: row.index(2) + 1] if 2 in row else None

    pairs = zip(predicted, target, strict=True)
    exact = np.array([until_end(one) == until_end(other) for one, other in pairs])
    return {int(n): exact[lengths == n].mean() for n in np.unique(lengths)}


# %% exercise="accuracy_by_length" right="until the end, with masks"
def accuracy_by_length(predicted, target, lengths, end_id):
    width = max(predicted.shape[1], target.shape[1])

    def until_end(ids):
        padded = np.pad(ids, [(0, 0), (0, width - ids.shape[1])], constant_values=-1)
        ends = padded == end_id
        return np.where(np.cumsum(ends, axis=1) - ends > 0, end_id, padded)

    exact = (until_end(predicted) == until_end(target)).all(axis=1)
    exact &= (predicted == end_id).any(axis=1)
    return {n: exact[lengths == n].mean() for n in np.unique(lengths)}


# %% exercise="accuracy_by_length" right="one row after the other"
def accuracy_by_length(predicted, target, lengths, end_id):
    right = {}
    for one, other, length in zip(
        predicted.tolist(), target.tolist(), lengths.tolist(), strict=True
    ):
        exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]
        right.setdefault(length, []).append(exact)
    return {length: sum(exact) / len(exact) for length, exact in right.items()}


# %% exercise="accuracy_by_length" edits="lists, one row at a time"
ZEROS_LEFT_OUT = (
    "Lengths at which no translation is right are missing. Their share is 0.",
    {"right.items()}": "right.items() if any(exact)}"},
)


# %% exercise="accuracy_by_length" edits="lists, one row at a time" wrong="TOKENS"
{
    "exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]": (
        "other = other[: other.index(end_id) + 1]\n"
        "        exact = (end_id in one) * sum(map(int.__eq__, one, other)) / len(other)"
    )
}
{
    "exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]": (
        "other = other[: other.index(end_id) + 1]\n"
        "        same = [*map(int.__eq__, one, other)] + [False] * (len(other) - len(one))"
    ),
    ".append(exact)": ".extend(same)",
}
{
    "exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]": (
        "same = [*map(int.__eq__, one, other[: other.index(end_id) + 1])]"
    ),
    ".append(exact)": ".extend(same)",
}


# %% exercise="accuracy_by_length" edits="lists, one row at a time"
END_ALONE = (
    "Only the places of the first end_id are compared. The words before it must agree, too.",
    {
        "one[: one.index(end_id)] == other[: other.index(end_id)]": (
            "one.index(end_id) == other.index(end_id)"
        )
    },
)
A_LIST = (
    "The shares come back without their lengths. The result is a dict from each length to its "
    "share.",
    {
        "{length: sum(exact) / len(exact) for length, exact in right.items()}": (
            "[sum(exact) / len(exact) for exact in right.values()]"
        )
    },
)
ENDLESS_LEFT_OUT = (
    "Predictions that never produce end_id are left out of the count. They must count as wrong.",
    {
        "exact = end_id in one and": (
            "exacts = right.setdefault(length, [])\n"
            "        if end_id not in one:\n"
            "            continue\n"
            "        exact ="
        ),
        "right.setdefault(length, []).append(exact)": "exacts.append(exact)",
        "/ len(exact)": "/ max(len(exact), 1)",
    },
)


# %% exercise="accuracy_by_length" wrong="LAST_GROUP"
LAST_GROUP = (
    "A length that comes back later keeps only its last group of rows. Sort the rows by length "
    "before itertools.groupby, so that each length has one group."
)


def accuracy_by_length(predicted, target, lengths, end_id):
    from itertools import groupby

    def is_exact(row):
        one, other = predicted[row].tolist(), target[row].tolist()
        return end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]

    groups = groupby(range(len(lengths)), lambda row: int(lengths[row]))
    return {length: np.mean([is_exact(row) for row in rows]) for length, rows in groups}


# %% exercise="accuracy_by_length" edits="lists, one row at a time"
LENGTHS_BETWEEN = (
    "The dict has entries for lengths that do not occur. It must hold those that occur.",
    {
        "length: sum(exact) / len(exact) for length, exact in right.items()": (
            "n: np.mean(right.get(n, [0])) for n in range(min(right), max(right) + 1)"
        )
    },
)


# %% exercise="accuracy_by_length" wrong="ZERO_IS_PADDING"
ZERO_IS_PADDING = (
    "The rows are compared wherever the target is not 0. What follows the end token may be "
    "anything, so compare them up to the end token."
)


def accuracy_by_length(predicted, target, lengths, end_id):
    width = max(predicted.shape[1], target.shape[1])
    one, other = (np.pad(ids, [(0, 0), (0, width - ids.shape[1])]) for ids in (predicted, target))
    exact = np.where(other == 0, True, one == other).all(axis=1)
    return {length: exact[lengths == length].mean() for length in np.unique(lengths)}


# %% exercise="accuracy_by_length" edits="until the end, with masks"
ONLY_PREDICTION_PADDED = (
    "Only the predictions are padded. They may be wider than the targets as well as narrower.",
    {"max(predicted.shape[1], target.shape[1])": "target.shape[1]"},
)


# %% exercise="accuracy_by_length" edits="lists, one row at a time"
ZEROS_DROPPED = (
    "Zeros are left out as padding. What comes before end_id is compared, and 0 may be a word "
    "there.",
    {
        "exact = end_id in one": "one, other = ([i for i in ids if i] for ids in (one, other))"
        "\n        exact = end_id in one and end_id in other"
    },
)
JOINED_WITHOUT_A_SPACE = (
    "The ids are joined into one text without a space, so 1 and 12 read like 11 and 2. Compare the "
    "ids themselves.",
    {
        "one[: one.index(end_id)] == other[: other.index(end_id)]": '"".join('
        'map(str, one[: one.index(end_id)])) == "".join(map(str, other[: other.index(end_id)]))'
    },
)


# %% exercise="accuracy_by_length" wrong="SHORTER_COUNTS_AS_RIGHT"
SHORTER_COUNTS_AS_RIGHT = (
    "A prediction that ends too early or too late counts as right. zip stops at the shorter row."
)


def accuracy_by_length(predicted, target, lengths, end_id):
    def up_to_end(row):
        row = row.tolist()
        return row[: row.index(end_id)] if end_id in row else row

    right = {}
    for one, other, length in zip(predicted, target, lengths.tolist(), strict=True):
        pairs = zip(up_to_end(one), up_to_end(other))  # noqa: B905 (it is the mistake)
        right.setdefault(length, []).append(all(a == b for a, b in pairs))
    return {length: sum(exact) / len(exact) for length, exact in right.items()}


# %% exercise="accuracy_by_length" edits="lists, one row at a time"
SPECIALS_REMOVED = (
    "end_id and 0 are removed wherever they stand, and what is left is compared. Cut each row off "
    "after its first end_id instead.",
    {
        "exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]": (
            "one = [word for word in one if word not in (0, end_id)]\n"
            "        exact = one == [word for word in other if word not in (0, end_id)]"
        )
    },
)
LAST_ROW_OF_EACH = (
    "Only the last row of each length is counted. All rows of a length count.",
    {"right.setdefault(length, []).append(exact)": "right[length] = [exact]"},
)


# %% exercise="accuracy_by_length" edits="lists, one row at a time" wrong="TOKENS"
{
    "exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]": (
        "end = other.index(end_id) + 1\n"
        "        exact = np.mean([a == b for a, b in zip(one, other[:end], strict=False)])"
    )
}
{
    "exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]": (
        "end = other.index(end_id) + 1\n"
        "        exact = sum(a == b for a, b in zip(one, other[:end], strict=False)) / end"
    )
}


# %% exercise="accuracy_by_length" wrong="CARRIED_OVER"
CARRIED_OVER = (
    "The right rows of one length are carried over to the next. Begin to count from 0 for each "
    "length."
)


def accuracy_by_length(predicted, target, lengths, end_id):
    shares, right = {}, 0
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        for row in rows:
            one, other = predicted[row].tolist(), target[row].tolist()
            right += end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]
        shares[int(length)] = right / len(rows)
    return shares


# %% exercise="accuracy_by_length" edits="lists, one row at a time"
ENDS_LATER = (
    "A prediction that goes on where the target ends is counted as right if it ends at some point. "
    "Its first end_id must stand where the target's does.",
    {
        "exact = end_id in one and one[: one.index(end_id)] == other[: other.index(end_id)]": (
            "end = other.index(end_id)\n        exact = end_id in one and one[:end] == other[:end]"
        )
    },
)


# %% exercise="accuracy_by_length" wrong="UP_TO_LENGTH"
UP_TO_LENGTH = (
    "The share of a length counts all shorter strings, too. Count only those of this length."
)


def accuracy_by_length(predicted, target, lengths, end_id):
    def cut(row):
        row = list(row)
        return row[: row.index(end_id) + 1] if end_id in row else None

    ok = np.array([cut(p) == cut(t) for p, t in zip(predicted, target, strict=True)])
    return {int(n): float(ok[lengths <= n].mean()) for n in np.unique(lengths)}


# %% exercise="alignment_share" right="a mask and a mean"
def alignment_share(weights, aligned):
    largest = np.argmax(weights, axis=2)
    counted = aligned >= 0
    if not counted.any():
        return 0.0
    right = largest[counted] == aligned[counted]
    return float(np.mean(right))


# %% exercise="alignment_share" right="a loop over the steps of every row"
def alignment_share(weights, aligned):
    found = []
    for row, places in zip(weights, aligned, strict=True):
        for step, place in zip(row, places, strict=True):
            if place != -1:
                found.append(list(step).index(max(step)) == place)
    return sum(found) / len(found) if found else 0.0


# %% exercise="alignment_share" right="counted, then divided"
def alignment_share(weights, aligned):
    rows, steps = np.nonzero(np.asarray(aligned) > -1)
    hits = np.argmax(weights[rows, steps], axis=-1) == aligned[rows, steps]
    return float(hits.sum() / max(len(hits), 1))


# %% exercise="alignment_share" edits="a mask and a mean"
NO_POSITION_COUNTED = (
    "Steps without a position, those with −1, are counted as wrong. They must not count at all.",
    {"right = largest[counted] == aligned[counted]": "right = largest == aligned"},
)
POSITION_ZERO_LEFT_OUT = (
    "Steps that belong to position 0 do not count here. Position 0 is a source word like all "
    "others, and only −1 means that a step has no position.",
    {"aligned >= 0": "aligned > 0"},
)
LAST_OF_EQUALS = (
    "Of several equally large weights the last one counts here. The first one must count.",
    {
        "np.argmax(weights, axis=2)": (
            "weights.shape[2] - 1 - np.argmax(weights[:, :, ::-1], axis=2)"
        )
    },
)
ALL_OF_EQUALS = (
    "If several weights of a step are equally large, each of them counts as the largest here. Only "
    "the first one must count.",
    {
        "right = largest[counted] == aligned[counted]": (
            "right = weights[counted, aligned[counted]] == weights[counted].max(axis=1)"
        )
    },
)
MEAN_WEIGHT = (
    "This is the mean weight on the right positions. Count the steps whose largest weight lies "
    "there.",
    {
        "right = largest[counted] == aligned[counted]": (
            "right = weights[counted, aligned[counted]]"
        )
    },
)
POSITIONS_FROM_ONE = (
    "The source positions are counted from 1 here. They must be counted from 0, as in an index.",
    {"np.argmax(weights, axis=2)": "np.argmax(weights, axis=2) + 1"},
)
NUMBER_INSTEAD_OF_SHARE = (
    "The result is the number of right steps. Divide it by the number of steps with a position.",
    {"np.mean(right)": "np.sum(right)"},
)
NOTHING_TO_COUNT = (
    "If no step has a position, the mean of nothing is not a number. The share must then be 0.",
    {"    if not counted.any():\n        return 0.0\n": ""},
)
STEPS_INSTEAD_OF_POSITIONS = (
    "The largest weight is sought along the axis of the steps. It must be sought along the last "
    "axis, that of the source positions.",
    {"np.argmax(weights, axis=2)": "np.argmax(weights, axis=1)"},
    {"np.argmax(weights, axis=2)": "np.argmax(weights, axis=1)[:, : aligned.shape[1]]"},
    {
        "right = largest[counted] == aligned[counted]": (
            "row, step = np.nonzero(counted)\n"
            "    right = np.argmax(weights, axis=1)[row, aligned[counted]] == step"
        )
    },
)
MEAN_OF_ROWS = (
    "The share is computed for each row and then averaged, so that steps of rows with few "
    "positions count more. All steps must count equally.",
    {
        "right = largest[counted] == aligned[counted]": (
            "right = [\n"
            "        np.mean(found[known])\n"
            "        for found, known in zip(largest == aligned, counted, strict=True)\n"
            "        if known.any()\n"
            "    ]"
        )
    },
)
PERCENTAGE = (
    "The share is given in per cent. It must lie between 0 and 1.",
    {"float(np.mean(right))": "100 * float(np.mean(right))"},
)
WRONG_STEPS = (
    "This is the share of the steps whose largest weight lies elsewhere. The others are asked for.",
    {"largest[counted] == aligned[counted]": "largest[counted] != aligned[counted]"},
)
SMALLEST_WEIGHT = (
    "The smallest weight of every step is taken. Take the largest one.",
    {"np.argmax(weights, axis=2)": "np.argmin(weights, axis=2)"},
)
NO_POSITION_RIGHT = (
    "Steps without a position, those with −1, are counted as right. They must not count at all.",
    {
        "right = largest[counted] == aligned[counted]": (
            "right = (largest == aligned) | (aligned == -1)"
        )
    },
)
MORE_THAN_HALF = (
    "A step counts only if more than half of its weight lies on the position. The largest weight "
    "may be less than that.",
    {
        "right = largest[counted] == aligned[counted]": (
            "right = weights[counted, aligned[counted]] > 0.5"
        )
    },
)
NEIGHBOURS_TOO = (
    "A largest weight beside the position counts as well. It must lie on the position itself.",
    {"largest[counted] == aligned[counted]": ("np.abs(largest[counted] - aligned[counted]) <= 1")},
)
MEAN_DISTANCE = (
    "This is the mean distance between the largest weight and the position. Count the steps where "
    "both are the same.",
    {
        "right = largest[counted] == aligned[counted]": (
            "right = np.abs(largest[counted] - aligned[counted])"
        )
    },
)
BY_ROWS = (
    "The number of right steps is divided by the number of examples. Divide it by the number of "
    "steps with a position.",
    {"np.mean(right)": "np.sum(right) / len(aligned)"},
)
ALL_OR_NOTHING = (
    "This says whether all steps are right. The share of the right ones is asked for.",
    {"np.mean(right)": "np.all(right)"},
)
ONE_BY_ONE = (
    "There is an answer for every step. Average them: the share is one number.",
    {"float(np.mean(right))": "right"},
)
NONE_IS_ONE = (
    "If no step has a position, 1 comes back. The share must then be 0.",
    {"return 0.0": "return 1.0"},
)
NONE_REFUSED = (
    "If no step has a position, an error is raised. The share must then be 0.",
    {"return 0.0": 'raise ValueError("no step has a position")'},
)
NOTHING_RETURNED = (
    "If no step has a position, None comes back. The share must then be 0.",
    {"return 0.0": "return None"},
)


# %% exercise="alignment_share" edits="a loop over the steps of every row"
DIVIDED_BY_ZERO = (
    "If no step has a position, their number is 0 and cannot be divided by. The share must then be "
    "0.",
    {"sum(found) / len(found) if found else 0.0": "sum(found) / len(found)"},
)


# %% exercise="alignment_share" edits="a mask and a mean"
ROWS_LEFT_OUT = (
    "A row is left out as a whole if one of its steps has no position. Only this step must be left "
    "out.",
    {"counted = aligned >= 0": "counted = (aligned >= 0) & (aligned >= 0).all(axis=1)[:, None]"},
)
REST_OF_ROW_LEFT_OUT = (
    "The steps that follow a −1 in their row are left out, too. Only the steps with −1 do not "
    "count.",
    {"counted = aligned >= 0": "counted = np.cumprod(aligned >= 0, axis=1) > 0"},
)
POSITION_ZERO_FOR_NONE = (
    "Steps that belong to position 0 do not count here, and those with −1 do. Only −1 means that a "
    "step has no position.",
    {"aligned >= 0": "aligned != 0"},
)
MEAN_OF_STEPS = (
    "The share is computed for each step of the translations and then averaged. All steps must "
    "count equally, whichever of a row they are.",
    {
        "right = largest[counted] == aligned[counted]": (
            "right = [\n"
            "        np.mean(found[known])\n"
            "        for found, known in zip((largest == aligned).T, counted.T, strict=True)\n"
            "        if known.any()\n"
            "    ]"
        )
    },
)
FIRST_ROW_ALONE = (
    "Only the steps of the first row are counted. Those of all rows count equally.",
    {"counted = aligned >= 0": "counted = (aligned >= 0) & (np.arange(len(aligned)) < 1)[:, None]"},
)
SHARES_OF_ROWS = (
    "A share for every row comes back. The share is one number, for the steps of all rows.",
    {
        "return float(np.mean(right))": (
            "return ((largest == aligned) & counted).sum(axis=1) / counted.sum(axis=1).clip(1)"
        )
    },
)


# %% exercise="alignment_share" wrong="STEPS_INSTEAD_OF_POSITIONS"
def alignment_share(weights, aligned):
    best = np.argmax(weights, axis=1)
    known = aligned >= 0
    if not known.any():
        return 0.0
    n = min(best.shape[1], aligned.shape[1])
    hit = best[:, :n] == aligned[:, :n]
    return float(hit[known[:, :n]].mean())
