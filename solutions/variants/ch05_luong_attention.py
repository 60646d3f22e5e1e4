"""The bank of chapter 5: wrong answers, each with the name of its mistake, and right ones."""

# %%
import keras
import numpy as np
from keras import ops

# %%
NOT_SUMMED = "The products are not added up over the features. The result must be (batch, time)."
COSINE = "The scores are divided by the lengths of the vectors. The dot score is the plain product."
SCALED = "The scores are divided by a square root of the width. Luong's scores are not scaled."
ALREADY_WEIGHTS = "These are weights. The softmax is not a part of the score."
W_TRANSPOSED = (
    "w_a is transposed. Its rows belong to the decoder state s, its columns to the source state h."
)
GENERAL_TANH = "The general score has no tanh. It is just s w_a hᵀ."
SOURCE_FIRST = "The concatenation is [h ; s]. The decoder state s comes first."
NO_TANH = "The scores lack their tanh."
V_INSIDE = "v_a is inside the tanh. It multiplies the result of tanh."
FIRST_STATE = "All examples are scored with the decoder state of the first one."
STATE_FIRST = "The concatenation is [s ; c]. The context comes first."
STATE_NO_TANH = "The attentional state lacks its tanh."
ONLY_CONTEXT = "The decoder state is left out. The context and s go through w_c together."
ADDED = "The context and s are added. They must be concatenated."
OTHER_SQUASH = "The attentional state goes through a sigmoid. It must be a tanh."
OVERFLOW = (
    "The exponential overflows or underflows. Subtract the maximum of each row of scores first."
)
OVER_BATCH = (
    "The softmax runs over the batch axis. The weights of one example must sum to 1 over time."
)
FROM_STATE = (
    "The probabilities are computed from the decoder state or the context. They must come from the "
    "attentional state."
)
NO_SOFTMAX = "The probabilities lack their softmax."
OTHER_ORDER = "The results are in another order than (probabilities, attentional, weights)."
WEIGHTS_ARE_SCORES = "The scores came back in place of the weights. The softmax is missing."
MEAN_CONTEXT = "The context is the plain mean of the source states. The weights have no effect."
OWN_SCORE = "The argument score is ignored."
FRACTION = "The position is a share between 0 and 1. It must be multiplied by the source length."
POSITION_NO_TANH = "The position lacks the tanh inside the sigmoid."
NO_SIGMOID = "The sigmoid is left out, so the position may lie outside the source."
ROUNDED = "The position is rounded. It must stay a real number."
LAST_POSITION = "The sigmoid is multiplied by S - 1. The paper multiplies it by the length S."
ALL_LENGTHS = (
    "Every example is combined with every source length. Each example must be multiplied by "
    "its own length only."
)
FIRST_LENGTH = "All examples get the source length of the first one."
EXCLUSIVE = "A position exactly half_width away from p is left out. The window includes it."
CENTRE_ROUNDED = (
    "The centre or an end of the window is rounded. The window holds the positions at most "
    "half_width away from p itself."
)
FROM_ONE = "The positions count from 1. They must count from 0."
WHOLE_WIDTH = "The window is half as wide as it must be. It reaches half_width to each side of p."
CENTRE_CLIPPED = (
    "The centre is moved so that the window lies inside the source. A window is clipped where the "
    "source ends."
)
NUMBERS = "The window holds numbers. It must hold booleans."
NOT_GAUSSIAN = "The weights are not multiplied by the Gaussian."
RENORMALISED = "The weights are normalised again after the Gaussian. In the paper they are not."
SOFTMAX_GLOBAL = (
    "The softmax runs over all positions. Only the positions inside the window may take part."
)
SIGMA = "The standard deviation is the half width D. It must be D / 2."
VARIANCE = "The Gaussian divides by 2σ instead of 2σ²."
NO_WINDOW = "There is no window. Positions further than half_width from p must have the weight 0."
ZEROED_SCORES = (
    "The scores outside the window are set to 0, which still has a weight. Weights there must be 0."
)
GAUSSIAN_ON_SCORES = (
    "The Gaussian multiplies the scores. It must multiply the weights, after the softmax."
)
GLOBAL_MAXIMUM = (
    "The maximum of all scores is subtracted, so a high score outside the window makes all sums "
    "zero. Subtract the maximum of the window."
)
EMPTY_WINDOW = "A window without any position must give zeros."
MASK_IGNORED = "The mask is ignored."
MASK_INVERTED = "The mask is read the wrong way round. True marks a state that may be attended."
MASK_AFTER = "The mask is applied after the softmax. The weights of the real states must sum to 1."
SCORE_ZEROED = "A masked score is set to 0, which still has a weight. Masked weights must be 0."
ORDER_OF_RESULTS = "The results are (weights, context). The context comes first."
DOT_ALWAYS = "The argument score is ignored: every layer computes dot scores."
V_FIRST = "`get_weights()` must give W_a, then v_a. Make both with `add_weight`, in this order."
NOT_TRAINABLE = (
    "No gradient reaches the weights or the inputs. Compute with keras.ops instead of NumPy."
)
UNITS_ACCEPTED = 'The score "concat" without units is accepted. The layer must raise ValueError.'
NOT_RESTORED = (
    "The layer does not survive saving and loading. Its __init__ must take **kwargs, and "
    "get_config must return the score and the units."
)
SPLIT_IN_HALF = "w_a is split in the middle. Its first m rows belong to s."
V_IGNORED = "v_a is left out. The result of tanh must be multiplied by it."
OVER_VOCABULARY = "The probabilities of one example must sum to 1 over the vocabulary."
OVER_ALL = "The softmax runs over the whole batch. The weights of each example must sum to 1."
BATCH_DROPPED = "The axis of the batch is dropped for one example. The result must be (batch,)."
POSITION_OVERFLOW = (
    "`math.exp` raises an error for large numbers. Compute the sigmoid so that it never does."
)
PRECEDENCE = "The Gaussian multiplies by σ². Put parentheses around the divisor 2σ²."
FACTOR_2 = "The Gaussian divides by σ² instead of 2σ²."
FILL_TOO_HIGH = (
    "The score that stands for the positions outside is not low enough. Use -np.inf, and mind the "
    "window without any position."
)
LAYER_OVERFLOW = (
    "The exponential of large scores overflows. Use ops.softmax, or subtract the maximum of each "
    "row first."
)
MASKED_IN_SUM = (
    "The maximum or the sum is taken over masked states too. Mask the scores before the softmax."
)
NAME_LOST = (
    "The layer loses its name. __init__ must hand **kwargs to super().__init__, and get_config "
    "must start from super().get_config()."
)
UNITS_IN_GENERAL = "The general score uses units. They belong to the concat score alone."
STATIC_TIME = (
    "The layer reads h.shape[1], which is None while a model is built. Use broadcasting, or "
    "ops.shape(h)[1]."
)
BIAS = "The concat score has a bias. It is tanh([s ; h] W_a) v_a alone."
V_COLUMN = "v_a is a matrix of one column. Its shape must be (u,)."
KEPT_AXIS = "An axis of length 1 is still there. It must be dropped."
FIRST_SOURCE = "All examples are scored with the source states of the first one."
W_IGNORED = "w_a is left out of the general score. It stands between s and h."
FIXED_LENGTH = "The number of source states is fixed. It must be that of h."
STATE_SOFTMAX = "The attentional state goes through a softmax. It must be a tanh."
TANH_FIRST = "tanh is applied before the product with w_c. It comes after it."
ALONG_BATCH = (
    "The context and s are joined along the batch axis. They must be joined along the last axis."
)
CONTEXT_RETURNED = "The context came back in place of the attentional state."
WORD_RETURNED = "The most probable words came back in place of the probabilities."
ARGUMENTS_SWAPPED = "score is called with h first. It takes s, then h."
TANH_FOR_SIGMOID = "The position goes through a tanh, which may be negative. It must be a sigmoid."
SIGMOID_INVERTED = (
    "The sign of the exponent in the sigmoid is wrong. The sigmoid of x is 1 / (1 + exp(-x))."
)
SOFTMAX_FOR_SIGMOID = "The position goes through a softmax over the batch. It must be a sigmoid."
WINDOW_INVERTED = "The window is inverted. True marks the positions inside."
ONE_SIDE = "The window lies on one side of p alone. It reaches half_width to each side."
WINDOW_TRANSPOSED = "The axes are swapped. The result must be (batch, source_length)."
GAUSSIAN_GROWS = "The Gaussian grows with the distance from p. Its exponent must be negative."
GAUSSIAN_ADDED = "The Gaussian is added to the weights. It must multiply them."
DENSITY = "The Gaussian is divided by σ√(2π). Its value at p must be 1."
SIGMA_QUARTER = "The standard deviation is D / 4. It must be D / 2."
WEIGHTS_CENTRE_ROUNDED = "The centre is rounded. The window and the Gaussian are around p itself."
POSITIONS_RETURNED = (
    "These are the positions inside. Return True or False for every position of the source."
)


# %% exercise="score_dot" wrong="NOT_SUMMED"
def score_dot(s, h):
    return s[:, None] * h


# %% exercise="score_dot" wrong="COSINE"
def score_dot(s, h):
    lengths = np.linalg.norm(s, axis=1)[:, None] * np.linalg.norm(h, axis=2)
    return np.einsum("bm,btm->bt", s, h) / lengths


# %% exercise="score_dot" wrong="SCALED"
def score_dot(s, h):
    return np.einsum("bm,btm->bt", s, h) / np.sqrt(s.shape[1])


# %% exercise="score_dot" wrong="ALREADY_WEIGHTS"
def score_dot(s, h):
    exponentials = np.exp(np.einsum("bm,btm->bt", s, h))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


# %% exercise="score_dot" wrong="FIRST_STATE"
def score_dot(s, h):
    return h @ s[0]


# %% exercise="score_dot" wrong="KEPT_AXIS"
def score_dot(s, h):
    return h @ s[:, :, None]


# %% exercise="score_dot" wrong="W_TRANSPOSED"
def score_general(s, h, w_a):
    return np.einsum("bm,nm,btn->bt", s, w_a, h)


# %% exercise="score_dot" wrong="GENERAL_TANH"
def score_general(s, h, w_a):
    return np.einsum("bm,btm->bt", np.tanh(s @ w_a), h)


# %% exercise="score_dot" wrong="SOURCE_FIRST"
def score_concat(s, h, w_a, v_a):
    repeated = np.repeat(s[:, None], h.shape[1], axis=1)
    return np.tanh(np.concatenate([h, repeated], axis=-1) @ w_a) @ v_a


# %% exercise="score_dot" wrong="NO_TANH"
def score_concat(s, h, w_a, v_a):
    repeated = np.repeat(s[:, None], h.shape[1], axis=1)
    return np.concatenate([repeated, h], axis=-1) @ w_a @ v_a


# %% exercise="score_dot" wrong="V_INSIDE"
def score_concat(s, h, w_a, v_a):
    repeated = np.repeat(s[:, None], h.shape[1], axis=1)
    return np.tanh(np.concatenate([repeated, h], axis=-1) @ w_a @ v_a)


# %% exercise="score_dot" wrong="SPLIT_IN_HALF"
def score_concat(s, h, w_a, v_a):
    half = len(w_a) // 2
    return np.tanh((s @ w_a[:half])[:, None] + h @ w_a[half:]) @ v_a


# %% exercise="score_dot" wrong="V_IGNORED"
def score_concat(s, h, w_a, v_a):
    m = s.shape[1]
    return np.tanh((s @ w_a[:m])[:, None] + h @ w_a[m:]).sum(axis=2)


# %% exercise="score_dot" wrong="FIRST_SOURCE"
def score_dot(s, h):
    return s @ h[0].T


# %% exercise="score_dot" wrong="W_IGNORED"
def score_general(s, h, w_a):
    width = min(s.shape[1], h.shape[2])
    return np.einsum("bm,btm->bt", s[:, :width], h[:, :, :width])


# %% exercise="score_dot" wrong="GENERAL_TANH"
def score_general(s, h, w_a):
    return np.tanh(np.einsum("bm,mn,btn->bt", s, w_a, h))


# %% exercise="score_dot" wrong="W_TRANSPOSED"
def score_general(s, h, w_a):
    return np.einsum("bm,btm->bt", s, h @ w_a)


# %% exercise="score_dot" wrong="V_IGNORED"
def score_concat(s, h, w_a, v_a):
    repeated = np.repeat(s[:, None], h.shape[1], axis=1)
    return np.tanh(np.concatenate([repeated, h], axis=-1) @ w_a)


# %% exercise="score_dot" wrong="KEPT_AXIS"
def score_concat(s, h, w_a, v_a):
    repeated = np.repeat(s[:, None], h.shape[1], axis=1)
    return np.tanh(np.concatenate([repeated, h], axis=-1) @ w_a) @ v_a[:, None]


# %% exercise="score_dot" wrong="FIXED_LENGTH"
def score_concat(s, h, w_a, v_a):
    repeated = np.repeat(s[:, None], 4, axis=1)
    return np.tanh(np.concatenate([repeated, h], axis=-1) @ w_a) @ v_a


# %% exercise="score_dot" right="one example at a time"
def score_dot(s, h):
    return np.stack([states @ state for state, states in zip(s, h, strict=True)])


def score_general(s, h, w_a):
    return score_dot(s @ w_a, h)


def score_concat(s, h, w_a, v_a):
    scores = np.empty(h.shape[:2])
    for b in range(len(s)):
        for i in range(h.shape[1]):
            scores[b, i] = np.dot(v_a, np.tanh(w_a.T @ np.append(s[b], h[b, i])))
    return scores


# %% exercise="score_dot" right="Keras operations in float32"
def score_dot(s, h):
    s, h = ops.convert_to_tensor(s, "float32"), ops.convert_to_tensor(h, "float32")
    return ops.squeeze(ops.matmul(h, s[:, :, None]), axis=-1)


def score_general(s, h, w_a):
    return score_dot(ops.convert_to_numpy(s) @ w_a, h)


def score_concat(s, h, w_a, v_a):
    m = s.shape[1]
    hidden = ops.tanh(ops.expand_dims(ops.matmul(s, w_a[:m]), 1) + ops.matmul(h, w_a[m:]))
    return ops.matmul(hidden, v_a)


# %% exercise="attentional_state" wrong="STATE_FIRST"
def attentional_state(context, s, w_c):
    return np.tanh(np.concatenate([s, context], axis=1) @ w_c)


# %% exercise="attentional_state" wrong="STATE_NO_TANH"
def attentional_state(context, s, w_c):
    return np.concatenate([context, s], axis=1) @ w_c


# %% exercise="attentional_state" wrong="ONLY_CONTEXT"
def attentional_state(context, s, w_c):
    return np.tanh(context @ w_c[: context.shape[1]])


# %% exercise="attentional_state" wrong="ADDED"
def attentional_state(context, s, w_c):
    return np.tanh((context + s) @ w_c[: context.shape[1]])


# %% exercise="attentional_state" wrong="OTHER_SQUASH"
def attentional_state(context, s, w_c):
    return 1 / (1 + np.exp(-np.concatenate([context, s], axis=1) @ w_c))


# %% exercise="attentional_state" wrong="STATE_SOFTMAX"
def attentional_state(context, s, w_c):
    products = np.concatenate([context, s], axis=1) @ w_c
    return np.exp(products) / np.exp(products).sum(axis=1, keepdims=True)


# %% exercise="attentional_state" wrong="TANH_FIRST"
def attentional_state(context, s, w_c):
    return np.tanh(np.concatenate([context, s], axis=1)) @ w_c


# %% exercise="attentional_state" wrong="ALONG_BATCH"
def attentional_state(context, s, w_c):
    return np.tanh(np.concatenate([context, s], axis=0) @ w_c)


# %% exercise="attentional_state" right="two products"
def attentional_state(context, s, w_c):
    width = context.shape[1]
    return ops.tanh(ops.matmul(context, w_c[:width]) + ops.matmul(s, w_c[width:]))


# %% exercise="luong_step" wrong="OVERFLOW"
def luong_step(s, h, w_c, w_y, score):
    exponentials = np.exp(score(s, h))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    exponentials = np.exp(attentional @ w_y)
    return exponentials / exponentials.sum(axis=1, keepdims=True), attentional, weights


# %% exercise="luong_step" wrong="OVERFLOW"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    exponentials = np.exp(attentional @ w_y)
    return exponentials / exponentials.sum(axis=1, keepdims=True), attentional, weights


# %% exercise="luong_step" wrong="OVER_BATCH"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h), axis=0))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y)), attentional, weights


# %% exercise="luong_step" wrong="STATE_FIRST"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([s, context], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y)), attentional, weights


# %% exercise="luong_step" wrong="NO_SOFTMAX"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return attentional @ w_y, attentional, weights


# %% exercise="luong_step" wrong="STATE_NO_TANH"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.concatenate([context, s], axis=1) @ w_c
    return np.array(ops.softmax(attentional @ w_y)), attentional, weights


# %% exercise="luong_step" wrong="OTHER_ORDER"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return attentional, np.array(ops.softmax(attentional @ w_y)), weights


# %% exercise="luong_step" wrong="WEIGHTS_ARE_SCORES"
def luong_step(s, h, w_c, w_y, score):
    scores = score(s, h)
    context = np.einsum("bt,btn->bn", np.array(ops.softmax(scores)), h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y)), attentional, scores


# %% exercise="luong_step" wrong="MEAN_CONTEXT"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h)))
    attentional = np.tanh(np.concatenate([h.mean(axis=1), s], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y)), attentional, weights


# %% exercise="luong_step" wrong="OWN_SCORE"
def luong_step(s, h, w_c, w_y, score):
    w_a = np.eye(s.shape[1], h.shape[2])
    weights = np.array(ops.softmax(np.einsum("bm,mn,btn->bt", s, w_a, h)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y)), attentional, weights


# %% exercise="luong_step" wrong="OVER_VOCABULARY"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y, axis=0)), attentional, weights


# %% exercise="luong_step" wrong="OVER_ALL"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h), axis=(0, 1)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y)), attentional, weights


# %% exercise="luong_step" wrong="OVERFLOW"
def luong_step(s, h, w_c, w_y, score):
    weights = np.exp(score(s, h))
    weights = weights / weights.sum(axis=1, keepdims=True)
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y)), attentional, weights


# %% exercise="luong_step" wrong="KEPT_AXIS"
def luong_step(s, h, w_c, w_y, score):
    weights = np.array(ops.softmax(score(s, h)))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return np.array(ops.softmax(attentional @ w_y)), attentional, weights[:, None]


# %% exercise="luong_step" wrong="OVER_BATCH"
def luong_step(s, h, w_c, w_y, score):
    def softmax(scores):
        exponentials = np.exp(scores - scores.max(axis=0, keepdims=True))
        return exponentials / exponentials.sum(axis=0, keepdims=True)

    weights = softmax(score(s, h))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return softmax(attentional @ w_y), attentional, weights


# %% exercise="luong_step" wrong="CONTEXT_RETURNED"
def luong_step(s, h, w_c, w_y, score):
    def softmax(scores):
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    weights = softmax(score(s, h))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return softmax(attentional @ w_y), context, weights


# %% exercise="luong_step" wrong="WORD_RETURNED"
def luong_step(s, h, w_c, w_y, score):
    def softmax(scores):
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    weights = softmax(score(s, h))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return (attentional @ w_y).argmax(axis=1), attentional, weights


# %% exercise="luong_step" wrong="ARGUMENTS_SWAPPED"
def luong_step(s, h, w_c, w_y, score):
    def softmax(scores):
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    weights = softmax(score(h, s))
    context = np.einsum("bt,btn->bn", weights, h)
    attentional = np.tanh(np.concatenate([context, s], axis=1) @ w_c)
    return softmax(attentional @ w_y), attentional, weights


# %% exercise="luong_step" right="with SciPy"
def luong_step(s, h, w_c, w_y, score):
    from scipy.special import softmax

    weights = softmax(score(s, h), axis=-1)
    context = (weights[:, None, :] @ h)[:, 0]
    attentional = np.tanh(np.hstack([context, s]) @ w_c)
    return [softmax(attentional @ w_y, axis=-1), attentional, weights]


# %% exercise="luong_step" right="with Keras in float32"
def luong_step(s, h, w_c, w_y, score):
    s, h, w_c, w_y = (ops.convert_to_tensor(array, "float32") for array in (s, h, w_c, w_y))
    weights = ops.softmax(ops.cast(score(s, h), "float32"))
    context = ops.sum(weights[:, :, None] * h, axis=1)
    attentional = ops.tanh(ops.matmul(ops.concatenate([context, s], axis=-1), w_c))
    return ops.softmax(ops.matmul(attentional, w_y)), attentional, weights


# %% exercise="predicted_position" wrong="FRACTION"
def predicted_position(s, w_p, v_p, source_length):
    return 1 / (1 + np.exp(-np.tanh(s @ w_p) @ v_p))


# %% exercise="predicted_position" wrong="POSITION_NO_TANH"
def predicted_position(s, w_p, v_p, source_length):
    return source_length / (1 + np.exp(-s @ w_p @ v_p))


# %% exercise="predicted_position" wrong="NO_SIGMOID"
def predicted_position(s, w_p, v_p, source_length):
    return source_length * (np.tanh(s @ w_p) @ v_p)


# %% exercise="predicted_position" wrong="ROUNDED"
def predicted_position(s, w_p, v_p, source_length):
    return np.round(source_length / (1 + np.exp(-np.tanh(s @ w_p) @ v_p)))


# %% exercise="predicted_position" wrong="ROUNDED"
def predicted_position(s, w_p, v_p, source_length):
    return (source_length / (1 + np.exp(-np.tanh(s @ w_p) @ v_p))).astype(int)


# %% exercise="predicted_position" wrong="LAST_POSITION"
def predicted_position(s, w_p, v_p, source_length):
    return (source_length - 1) / (1 + np.exp(-np.tanh(s @ w_p) @ v_p))


# %% exercise="predicted_position" wrong="KEPT_AXIS"
def predicted_position(s, w_p, v_p, source_length):
    length = np.reshape(source_length, (-1, 1))
    return length / (1 + np.exp(-np.tanh(s @ w_p) @ v_p[:, None]))


# %% exercise="predicted_position" wrong="ALL_LENGTHS"
def predicted_position(s, w_p, v_p, source_length):
    share = 1 / (1 + np.exp(-np.tanh(s @ w_p) @ v_p[:, None]))
    product = source_length * share
    return product[:, 0] if product.shape[1] == 1 else product


# %% exercise="predicted_position" wrong="FIRST_LENGTH"
def predicted_position(s, w_p, v_p, source_length):
    length = np.ravel(source_length)[0]
    return length / (1 + np.exp(-np.tanh(s @ w_p) @ v_p))


# %% exercise="predicted_position" wrong="BATCH_DROPPED"
def predicted_position(s, w_p, v_p, source_length):
    x = np.squeeze(np.tanh(s @ w_p) @ v_p[:, None])
    return source_length * (1 + np.tanh(x / 2)) / 2


# %% exercise="predicted_position" wrong="POSITION_OVERFLOW"
def predicted_position(s, w_p, v_p, source_length):
    import math

    shares = [1 / (1 + math.exp(-x)) for x in np.tanh(s @ w_p) @ v_p]
    return source_length * np.array(shares)


# %% exercise="predicted_position" wrong="TANH_FOR_SIGMOID"
def predicted_position(s, w_p, v_p, source_length):
    x = np.tanh(s @ w_p) @ v_p
    return source_length * np.tanh(x)


# %% exercise="predicted_position" wrong="SIGMOID_INVERTED"
def predicted_position(s, w_p, v_p, source_length):
    x = np.tanh(s @ w_p) @ v_p
    return source_length * (1 - np.tanh(x / 2)) / 2


# %% exercise="predicted_position" wrong="SOFTMAX_FOR_SIGMOID"
def predicted_position(s, w_p, v_p, source_length):
    x = np.tanh(s @ w_p) @ v_p
    exponentials = np.exp(x - x.max())
    return source_length * exponentials / exponentials.sum()


# %% exercise="predicted_position" right="with SciPy"
def predicted_position(s, w_p, v_p, source_length):
    from scipy.special import expit

    return np.asarray(source_length) * expit((np.tanh(np.dot(s, w_p)) * v_p).sum(axis=1))


# %% exercise="predicted_position" right="a list, with an overflow"
def predicted_position(s, w_p, v_p, source_length):
    lengths = np.broadcast_to(source_length, len(s))
    return [
        float(length / (1 + np.exp(-v_p @ np.tanh(w_p.T @ state))))
        for state, length in zip(s, lengths, strict=True)
    ]


# %% exercise="local_window" wrong="EXCLUSIVE"
def local_window(p, half_width, source_length):
    return np.abs(np.arange(source_length) - p[:, None]) < half_width


# %% exercise="local_window" wrong="EXCLUSIVE"
def local_window(p, half_width, source_length):
    distance = np.arange(source_length) - p[:, None]
    return (-half_width <= distance) & (distance < half_width)


# %% exercise="local_window" wrong="CENTRE_ROUNDED"
def local_window(p, half_width, source_length):
    return np.abs(np.arange(source_length) - np.round(p)[:, None]) <= half_width


# %% exercise="local_window" wrong="CENTRE_ROUNDED"
def local_window(p, half_width, source_length):
    return np.abs(np.arange(source_length) - p.astype(int)[:, None]) <= half_width


# %% exercise="local_window" wrong="FROM_ONE"
def local_window(p, half_width, source_length):
    return np.abs(np.arange(1, source_length + 1) - p[:, None]) <= half_width


# %% exercise="local_window" wrong="WHOLE_WIDTH"
def local_window(p, half_width, source_length):
    return np.abs(np.arange(source_length) - p[:, None]) <= half_width / 2


# %% exercise="local_window" wrong="CENTRE_CLIPPED"
def local_window(p, half_width, source_length):
    centre = np.clip(p, half_width, source_length - 1 - half_width)
    return np.abs(np.arange(source_length) - centre[:, None]) <= half_width


# %% exercise="local_window" wrong="CENTRE_CLIPPED"
def local_window(p, half_width, source_length):
    centre = np.clip(p, 0, source_length - 1)
    return np.abs(np.arange(source_length) - centre[:, None]) <= half_width


# %% exercise="local_window" wrong="NUMBERS"
def local_window(p, half_width, source_length):
    return (np.abs(np.arange(source_length) - p[:, None]) <= half_width).astype(float)


# %% exercise="local_window" wrong="WINDOW_INVERTED"
def local_window(p, half_width, source_length):
    return np.abs(np.arange(source_length) - p[:, None]) > half_width


# %% exercise="local_window" wrong="ONE_SIDE"
def local_window(p, half_width, source_length):
    before = p[:, None] - np.arange(source_length)
    return (before >= 0) & (before <= half_width)


# %% exercise="local_window" wrong="ONE_SIDE"
def local_window(p, half_width, source_length):
    return np.arange(source_length) - p[:, None] <= half_width


# %% exercise="local_window" wrong="WINDOW_TRANSPOSED"
def local_window(p, half_width, source_length):
    return np.abs(np.arange(source_length)[:, None] - p) <= half_width


# %% exercise="local_window" wrong="CENTRE_ROUNDED"
def local_window(p, half_width, source_length):
    window = np.zeros((len(p), source_length), dtype=bool)
    for row, centre in zip(window, p, strict=True):
        row[max(0, int(centre - half_width)) : int(centre + half_width) + 1] = True
    return window


# %% exercise="local_window" wrong="POSITIONS_RETURNED"
def local_window(p, half_width, source_length):
    positions = np.arange(source_length)
    return [positions[np.abs(positions - centre) <= half_width] for centre in p]


# %% exercise="local_window" right="from the first to the last position"
def local_window(p, half_width, source_length):
    window = np.zeros((len(p), source_length), dtype=bool)
    for row, centre in enumerate(p):
        first = max(0, int(np.ceil(centre - half_width)))
        last = min(source_length - 1, int(np.floor(centre + half_width)))
        window[row, first : last + 1] = True
    return window


# %% exercise="local_attention_weights" wrong="NOT_GAUSSIAN"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    return exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)


# %% exercise="local_attention_weights" wrong="RENORMALISED"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    exponentials *= np.exp(-2 * (distance / half_width) ** 2)
    return exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)


# %% exercise="local_attention_weights" wrong="SOFTMAX_GLOBAL"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    weights = weights * (np.abs(distance) <= half_width)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="SIGMA"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)
    return weights * np.exp(-(distance**2) / (2 * half_width**2))


# %% exercise="local_attention_weights" wrong="VARIANCE"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)
    return weights * np.exp(-(distance**2) / half_width)


# %% exercise="local_attention_weights" wrong="PRECEDENCE"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)
    return weights * np.exp(-(distance**2) / 2 * (half_width / 2) ** 2)


# %% exercise="local_attention_weights" wrong="FACTOR_2"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)
    return weights * np.exp(-((distance / (half_width / 2)) ** 2))


# %% exercise="local_attention_weights" wrong="EXCLUSIVE"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) < half_width, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="CENTRE_ROUNDED"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    window = np.abs(np.arange(scores.shape[1]) - np.round(p)[:, None]) <= half_width
    inside = np.where(window, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    weights = exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="FILL_TOO_HIGH"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    window = np.abs(distance) <= half_width
    weights = np.array(ops.softmax(np.where(window, scores, -1e4), axis=1))
    return weights * window * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="NO_WINDOW"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="ZEROED_SCORES"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, 0)
    exponentials = np.exp(inside - inside.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="GAUSSIAN_ON_SCORES"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    scores = scores * np.exp(-2 * (distance / half_width) ** 2)
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    exponentials = np.exp(inside - np.maximum(inside.max(axis=1, keepdims=True), -1e300))
    return exponentials / np.maximum(exponentials.sum(axis=1, keepdims=True), 1e-300)


# %% exercise="local_attention_weights" wrong="GLOBAL_MAXIMUM"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    window = np.abs(distance) <= half_width
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True)) * window
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="EMPTY_WINDOW"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -1e9)
    exponentials = np.exp(inside - inside.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="EMPTY_WINDOW"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    exponentials = np.exp(inside - inside.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="OVERFLOW"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    exponentials = np.where(np.abs(distance) <= half_width, np.exp(scores), 0)
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="GAUSSIAN_GROWS"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    highest = inside.max(axis=1, keepdims=True)
    exponentials = np.exp(inside - np.where(np.isfinite(highest), highest, 0))
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights * np.exp(2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="GAUSSIAN_ADDED"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    highest = inside.max(axis=1, keepdims=True)
    exponentials = np.exp(inside - np.where(np.isfinite(highest), highest, 0))
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights + np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="DENSITY"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    highest = inside.max(axis=1, keepdims=True)
    exponentials = np.exp(inside - np.where(np.isfinite(highest), highest, 0))
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return (
        weights * np.exp(-2 * (distance / half_width) ** 2) / (half_width / 2 * np.sqrt(2 * np.pi))
    )


# %% exercise="local_attention_weights" wrong="SIGMA_QUARTER"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    highest = inside.max(axis=1, keepdims=True)
    exponentials = np.exp(inside - np.where(np.isfinite(highest), highest, 0))
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights * np.exp(-8 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="WEIGHTS_CENTRE_ROUNDED"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - np.round(p)[:, None]
    inside = np.where(np.abs(distance) <= half_width, scores, -np.inf)
    highest = inside.max(axis=1, keepdims=True)
    exponentials = np.exp(inside - np.where(np.isfinite(highest), highest, 0))
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" wrong="GLOBAL_MAXIMUM"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1]) - p[:, None]
    window = np.abs(distance) <= half_width
    exponentials = np.where(window, np.exp(scores - scores.max(axis=1, keepdims=True)), 0)
    total = exponentials.sum(axis=1, keepdims=True)
    weights = exponentials / np.where(window.any(axis=1, keepdims=True), total, 1)
    return weights * np.exp(-2 * (distance / half_width) ** 2)


# %% exercise="local_attention_weights" right="one example at a time"
def local_attention_weights(scores, p, half_width):
    weights = np.zeros(scores.shape)
    sigma = half_width / 2
    for b in range(len(scores)):
        places = [i for i in range(scores.shape[1]) if abs(i - p[b]) <= half_width]
        if places:
            shares = np.exp(scores[b, places] - max(scores[b, places]))
            gaussian = np.exp(-((np.array(places) - p[b]) ** 2) / (2 * sigma**2))
            weights[b, places] = shares / sum(shares) * gaussian
    return weights


# %% exercise="local_attention_weights" right="a very negative score outside, then zeros"
def local_attention_weights(scores, p, half_width):
    distance = np.arange(scores.shape[1], dtype="float32") - np.reshape(p, (-1, 1))
    window = np.abs(distance) <= half_width
    weights = ops.softmax(ops.where(window, scores, -1e9), axis=1)
    gaussian = ops.exp(-0.5 * (distance / (half_width / 2)) ** 2)
    return ops.convert_to_numpy(weights) * ops.convert_to_numpy(gaussian) * window


# %% exercise="LuongAttention" wrong="MASK_IGNORED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="MASK_INVERTED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, -1e9, scores)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="MASK_AFTER"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        weights = ops.softmax(scores)
        if mask is not None:
            weights *= ops.cast(mask, weights.dtype)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="SCORE_ZEROED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, 0.0)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="OVER_BATCH"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores, axis=0)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="ORDER_OF_RESULTS"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return weights, ops.sum(weights[:, :, None] * h, axis=1)

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="WEIGHTS_ARE_SCORES"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), scores

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="W_TRANSPOSED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(n, m))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, ops.transpose(self.w_a)) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="SOURCE_FIRST"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            n = h.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[n:])[:, None] + ops.matmul(h, self.w_a[:n]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="NO_TANH"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:])
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="SCALED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        scores /= h.shape[-1] ** 0.5
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="V_FIRST"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.v_a = self.add_weight(shape=(self.units,))
            self.w_a = self.add_weight(shape=(m + n, self.units))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="UNITS_ACCEPTED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        self.score, self.units = score, units or 8

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="NOT_RESTORED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None):
        super().__init__()
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="NOT_RESTORED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score}


# %% exercise="LuongAttention" wrong="NOT_TRAINABLE"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = np.einsum("bm,btm->bt", query, h)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="DOT_ALWAYS"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def call(self, s, h, mask=None):
        scores = ops.einsum("bm,btm->bt", s, h)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.einsum("bt,btm->bm", weights, h), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="LAYER_OVERFLOW"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        exponentials = ops.exp(scores)
        weights = exponentials / ops.sum(exponentials, axis=1, keepdims=True)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="MASKED_IN_SUM"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            weights = ops.softmax(scores) * ops.cast(mask, scores.dtype)
            weights = weights / ops.sum(weights, axis=1, keepdims=True)
        else:
            weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="NAME_LOST"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__()
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="NAME_LOST"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {"score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="NOT_RESTORED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "units": self.units}


# %% exercise="LuongAttention" wrong="UNITS_IN_GENERAL"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, self.units or n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="W_TRANSPOSED"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, ops.transpose(self.w_a)) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="STATIC_TIME"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            repeated = ops.repeat(s[:, None], h.shape[1], axis=1)
            hidden = ops.tanh(ops.matmul(ops.concatenate([repeated, h], axis=2), self.w_a))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="SPLIT_IN_HALF"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = self.w_a.shape[0] // 2
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="BIAS"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.bias = self.add_weight(shape=(self.units,), initializer="zeros")
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:])
            hidden = ops.tanh(hidden + self.bias)
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="V_COLUMN"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units, 1))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.squeeze(ops.matmul(hidden, self.v_a), axis=2)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="V_COLUMN"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units, 1))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" wrong="KEPT_AXIS"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and units is None:
            raise ValueError("concat needs units")
        self.score, self.units = score, units

    def build(self, s_shape, h_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.score == "general":
            self.w_a = self.add_weight(shape=(m, n))
        if self.score == "concat":
            self.w_a = self.add_weight(shape=(m + n, self.units))
            self.v_a = self.add_weight(shape=(self.units,))

    def call(self, s, h, mask=None):
        if self.score == "concat":
            m = s.shape[-1]
            hidden = ops.tanh(ops.matmul(s, self.w_a[:m])[:, None] + ops.matmul(h, self.w_a[m:]))
            scores = ops.matmul(hidden, self.v_a)
        else:
            query = ops.matmul(s, self.w_a) if self.score == "general" else s
            scores = ops.sum(query[:, None] * h, axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        weights = ops.softmax(scores)
        return ops.sum(weights[:, :, None] * h, axis=1, keepdims=True), weights

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="LuongAttention" right="a concatenation, and Keras's masked softmax"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        if score == "concat" and not units:
            raise ValueError("the score concat needs units")
        self.score = score
        self.units = units
        self.softmax = keras.layers.Softmax()

    def build(self, s_shape, h_shape):
        if self.score == "general":
            self.w_a = self.add_weight(name="w_a", shape=(s_shape[-1], h_shape[-1]))
        elif self.score == "concat":
            self.w_a = self.add_weight(name="w_a", shape=(s_shape[-1] + h_shape[-1], self.units))
            self.v_a = self.add_weight(name="v_a", shape=(self.units,), initializer="ones")

    def call(self, s, h, mask=None):
        if self.score == "dot":
            scores = ops.squeeze(ops.matmul(h, ops.expand_dims(s, 2)), 2)
        elif self.score == "general":
            scores = ops.einsum("bm,mn,btn->bt", s, self.w_a, h)
        else:
            repeated = ops.repeat(ops.expand_dims(s, 1), ops.shape(h)[1], axis=1)
            pairs = ops.concatenate([repeated, h], axis=-1)
            scores = ops.sum(ops.tanh(ops.matmul(pairs, self.w_a)) * self.v_a, axis=-1)
        weights = self.softmax(scores, mask=mask)
        return ops.squeeze(ops.matmul(ops.expand_dims(weights, 1), h), 1), weights

    def get_config(self):
        config = super().get_config()
        config.update(score=self.score, units=self.units)
        return config


# %% exercise="LuongAttention" right="a Dense layer inside, and a list of results"
class LuongAttention(keras.layers.Layer):
    def __init__(self, score="dot", units=None, **kwargs):
        super().__init__(**kwargs)
        self.score, self.units = score, units
        self.w_a = None

    def build(self, s_shape, h_shape):
        if self.score == "concat" and self.units is None:
            raise ValueError("units is missing")
        if self.score == "general":
            self.w_a = keras.layers.Dense(h_shape[-1], use_bias=False)
            self.w_a.build(s_shape)
        if self.score == "concat":
            width = s_shape[-1] + h_shape[-1]
            self.w_a = self.add_weight(shape=(width, self.units), initializer="random_normal")
            self.v_a = self.add_weight(shape=(self.units,), initializer="random_normal")

    def call(self, s, h, mask=None):
        if self.score == "concat":
            repeated = ops.zeros_like(h[:, :, :1]) + ops.expand_dims(s, 1)
            pairs = ops.concatenate([repeated, h], axis=-1)
            scores = ops.dot(ops.tanh(ops.dot(pairs, self.w_a)), self.v_a)
        else:
            scores = ops.einsum("bn,btn->bt", self.w_a(s) if self.w_a else s, h)
        if mask is not None:
            scores = scores + (1 - ops.cast(mask, scores.dtype)) * -1e9
        exponentials = ops.exp(scores - ops.max(scores, axis=1, keepdims=True))
        weights = exponentials / ops.sum(exponentials, axis=1, keepdims=True)
        return [ops.einsum("bt,btn->bn", weights, h), weights]

    def get_config(self):
        return {**super().get_config(), "score": self.score, "units": self.units}


# %% exercise="fit_lookup" wrong="ALWAYS_THE_SAME"
def fit_lookup(train, test):
    y_test, answer = test[2], np.bincount(train[2]).argmax()

    def predict(s, h):
        return np.full(len(h), answer), np.full(h.shape[:2], 1 / h.shape[1])

    return predict, np.mean(y_test == answer), np.mean(y_test == answer)


# %% exercise="fit_lookup" wrong="UNTRAINED"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y_test == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" wrong="FROM_THE_MEAN"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context = keras.layers.GlobalAveragePooling1D()(source)
    weights = ops.softmax(0 * source[:, :, 0])
    context = keras.layers.Concatenate()([context, state])
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y_test == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" wrong="ELSEWHERE"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    _, weights = LuongAttention("general")(state, source)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y_test == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" wrong="ONE_LENGTH"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input(h.shape[1:])
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y_test == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" wrong="OF_TRAIN"
def fit_lookup(train, test):
    (s, h, y), y_test = train, test[2]
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s, h)[0] == y).mean()
    return predict, accuracy, (y_test == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" wrong="NOT_OF_PREDICT"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = 1 - (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y_test == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" wrong="FREQUENT_IN_TEST"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y_test == np.bincount(y_test).argmax()).mean()


# %% exercise="fit_lookup" wrong="TRAIN_SHARE"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" wrong="OTHER_BASELINE"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, 1 / 5


# %% exercise="fit_lookup" wrong="NOT_WEIGHTS"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit([s, h], y, epochs=12, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), np.log(weights + 1e-9)

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y_test == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" wrong="TRAINED_ON_TEST"
def fit_lookup(train, test):
    (s, h, y), (s_test, h_test, y_test) = train, test
    state, source = keras.Input((s.shape[1],)), keras.Input((None, h.shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(5, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    model.fit([s_test, h_test], y_test, batch_size=16, epochs=30, verbose=0)
    both = keras.Model([state, source], [outputs, weights])

    def predict(s, h):
        outputs, weights = both.predict([s, h], verbose=0)
        return outputs.argmax(axis=1), weights

    accuracy = (predict(s_test, h_test)[0] == y_test).mean()
    return predict, accuracy, (y_test == np.bincount(y).argmax()).mean()


# %% exercise="fit_lookup" right="the attentional state, trained on logits"
def fit_lookup(train, test):
    s, h, y = train
    keras.utils.set_random_seed(1)
    inputs = [keras.Input(s.shape[1:]), keras.Input((None, h.shape[-1]))]
    context, weights = LuongAttention("concat", 24)(*inputs)
    mixed = keras.layers.Concatenate()([context, inputs[0]])
    attentional = keras.layers.Dense(20, activation="tanh", use_bias=False)(mixed)
    model = keras.Model(inputs, [keras.layers.Dense(int(y.max()) + 1)(attentional), weights])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.005), [loss, None])
    model.fit([s, h], y, batch_size=50, epochs=20, verbose=0)

    def predict(s, h):
        logits, weights = model([s, h])
        return ops.argmax(logits, axis=-1), weights

    accuracy = float(np.mean(np.array(predict(*test[:2])[0]) == test[2]))
    numbers, counts = np.unique(y, return_counts=True)
    return [predict, accuracy, np.mean(test[2] == numbers[counts.argmax()])]


# %% exercise="fit_lookup" right="with a layer of one's own, trained by RMSprop"
def fit_lookup(train, test):
    *states, y = train
    state, source = keras.Input(states[0].shape[1:]), keras.Input((None, states[1].shape[2]))
    context, weights = LuongAttention("general")(state, source)
    outputs = keras.layers.Dense(10, activation="softmax")(context)
    model = keras.Model([state, source], outputs)
    model.compile("rmsprop", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(states, y, epochs=12, verbose=0)
    attended = keras.Model([state, source], weights)

    def predict(*states):
        answers = model.predict(states, verbose=0).argmax(axis=-1)
        return answers, attended.predict(states, verbose=0)

    _, accuracy = model.evaluate(test[:2], test[2], verbose=0)
    return predict, accuracy, np.mean(test[2] == np.argmax(np.bincount(y)))


# %% exercise="fit_lookup" right="a model class and a loop of its own"
def fit_lookup(train, test):
    import tensorflow as tf

    class Network(keras.Model):
        def __init__(self, answers):
            super().__init__()
            self.attention = LuongAttention(score="general")
            self.output_layer = keras.layers.Dense(answers)

        def call(self, s, h):
            context, weights = self.attention(s, h)
            return self.output_layer(context), weights

    s, h, y = train
    network = Network(int(y.max()) + 1)
    optimizer = keras.optimizers.Adam(0.01)

    @tf.function
    def step(s, h, y):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, network(s, h)[0])
        variables = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(losses, variables), variables, strict=True))

    rng = np.random.default_rng(0)
    network(s[:1], h[:1])
    for _ in range(800):
        batch = rng.integers(len(y), size=64)
        step(s[batch], h[batch], y[batch])

    def predict(s, h):
        logits, weights = network(s, h)
        return logits.numpy().argmax(axis=1), weights.numpy()

    accuracy = np.mean(predict(test[0], test[1])[0] == test[2])
    return predict, accuracy, np.mean(test[2] == np.bincount(y).argmax())
