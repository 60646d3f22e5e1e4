"""The bank of chapter 10: wrong answers, each with the name of its mistake, and right ones."""

# %%
import math

import keras
import numpy as np
from keras import ops

# %%
GELU = "The activation is not ReLU but another function, such as GELU. Use ReLU."
NO_RELU = "There is no activation between the two products. Apply ReLU there."
PRE_NORM = (
    "The normalisation comes before the sublayer, as in pre-norm. It must come after the sum: "
    "LayerNorm(x + Sublayer(x))."
)
NORM_BEFORE_SUM = (
    "The output of the sublayer is normalised before the sum. Normalise the sum instead."
)
NO_RESIDUAL = "A residual connection is missing. Add the input of each sublayer to its output."
TOO_FEW_NORMS = (
    "Layer normalisations are missing, or they share their weights. Every sublayer needs a layer "
    "normalisation with its own gamma and beta."
)
ATTENTION_BIASES = (
    "The attention has biases. Pass use_bias=False to keras.layers.MultiHeadAttention."
)
HEAD_WIDTH = (
    "Each head has the width d_model. The width of one head, key_dim, is d_model / num_heads."
)
CAUSAL_ADDED = (
    "The layer adds a causal mask of its own. Only the masks that are passed to it may hide tokens."
)
DROPOUT_ALWAYS = (
    "Dropout is active although training is not true. Pass the argument training on to the dropout "
    "layer."
)
MADE_IN_CALL = (
    "Sublayers are created again in every call, so their weights do not belong to the layer and "
    "are never learned. Make them once, in __init__."
)
NOT_RESTORED = (
    "The layer cannot be restored by get_config and from_config. Its __init__ must accept "
    "**kwargs, and get_config must return the four settings under the names of the arguments."
)
OTHER_CONFIG = (
    "get_config returns a fixed number instead of the setting of the layer. Store the arguments in "
    "__init__, and return them."
)
DROPOUT_NOT_PASSED = (
    "Not every layer has the dropout. Pass the argument dropout on to every EncoderLayer and "
    "DecoderLayer."
)
TRAINABLE_LOST = (
    "A layer that is created again by from_config loses settings of Keras, such as trainable "
    "or dtype. Start get_config from super().get_config(), and pass **kwargs on to "
    "super().__init__ as they are."
)
NAME_LOST = (
    "A layer that is created again by from_config loses its name. Start get_config from "
    "super().get_config(), and pass **kwargs on to super().__init__."
)
BY_D_MODEL = (
    "The scores are divided by the square root of d_model. Divide them by the square root of the "
    "width of one head, d_model / num_heads."
)


# %% exercise="layer_norm" right="mean and variance"
def layer_norm(x, gamma, beta, epsilon=1e-6):
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta


# %% exercise="layer_norm" right="the feed-forward network alone"
def feed_forward(x, w_1, b_1, w_2, b_2):
    return np.maximum(x @ w_1 + b_1, 0) @ w_2 + b_2


# %% exercise="layer_norm" wrong="OVER_TIME"
OVER_TIME = (
    "The mean and the variance are taken over the tokens. Take them over the features of each "
    "token."
)


def layer_norm(x, gamma, beta, epsilon=1e-6):
    axis = max(x.ndim - 2, 0)
    mean, variance = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta


# %% exercise="layer_norm" wrong="GELU"
def feed_forward(x, w_1, b_1, w_2, b_2):
    hidden = x @ w_1 + b_1
    hidden = 0.5 * hidden * (1 + np.tanh(math.sqrt(2 / math.pi) * (hidden + 0.044715 * hidden**3)))
    return hidden @ w_2 + b_2


# %% exercise="layer_norm" edits="mean and variance"
OVER_BATCH = (
    "The mean and the variance are taken over the batch, as in batch normalisation. Take them "
    "over the features of each token.",
    {
        "x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)": (
            "x.mean(axis=0, keepdims=True), x.var(axis=0, keepdims=True)"
        )
    },
)
OVER_ALL = (
    "One mean and one variance are taken over all numbers. Every token needs its own mean and "
    "variance, taken over its features.",
    {
        "x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)": (
            "x.mean(axis=None, keepdims=True), x.var(axis=None, keepdims=True)"
        )
    },
)
LAST_AXIS_IS_2 = (
    "The features are taken to be axis 2, which only a batch of sequences has. They are the last "
    "axis of x, whatever its shape: axis=-1.",
    {
        "x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)": (
            "x.mean(axis=2, keepdims=True), x.var(axis=2, keepdims=True)"
        )
    },
)
UNBIASED = (
    "The variance is divided by d - 1. Layer normalisation divides it by d, as np.var does.",
    {"x.var(axis=-1, keepdims=True)": "x.var(axis=-1, ddof=1, keepdims=True)"},
)
EPSILON_OUTSIDE = (
    "epsilon is added to the standard deviation. Add it to the variance, under the square root.",
    {"np.sqrt(variance + epsilon)": "(np.sqrt(variance) + epsilon)"},
)
NO_EPSILON = (
    "epsilon is missing, so a token with equal features gives 0/0. Add epsilon to the variance.",
    {" + epsilon": ""},
)
EPSILON_FIXED = (
    "The function uses a fixed epsilon. Use the argument epsilon.",
    {"+ epsilon": "+ 1e-6"},
    {"+ epsilon": "+ 1e-5"},
)

EPSILON_DEFAULT = (
    "epsilon has another default. It must be 1e-6.",
    {"epsilon=1e-6": "epsilon=1e-3"},
    {"epsilon=1e-6": "epsilon=1e-5"},
    {"epsilon=1e-6": "epsilon=1e-8"},
)
EPSILON_MAXIMUM = (
    "The larger of the variance and epsilon is taken. Add epsilon to the variance.",
    {"variance + epsilon": "np.maximum(variance, epsilon)"},
)
EQUAL_FEATURES = (
    "Equal features are treated as a special case. For them the formula gives beta.",
    {
        "return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta": (
            "normed = gamma * (x - mean) / np.sqrt(variance + epsilon) + beta\n"
            "    return np.where(variance == 0, x, normed)"
        )
    },
    {
        "return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta": (
            "normed = gamma * (x - mean) / np.sqrt(variance + epsilon) + beta\n"
            "    return np.where(variance == 0, 0, normed)"
        )
    },
)
WHOLE_NUMBERS = (
    "For an x of whole numbers, the result is truncated to whole numbers. Compute in floats.",
    {
        "return": "result = np.zeros_like(x)\n    result[...] =",
        "epsilon) + beta": "epsilon) + beta\n    return result",
    },
)
GAMMA_PLUS_ONE = (
    "The normalised features are multiplied by 1 + gamma. Multiply them by gamma.",
    {"return gamma": "return (1 + gamma)"},
)
MEAN_DEVIATION = (
    "The difference is divided by the mean absolute deviation. Divide it by the standard "
    "deviation.",
    {
        "np.sqrt(variance + epsilon)": (
            "(np.mean(np.abs(x - mean), axis=-1, keepdims=True) + epsilon)"
        )
    },
)

# %% exercise="layer_norm" edits="the feed-forward network alone" wrong="GELU"
{"maximum": "tanh", ", 0": ""}

# %% exercise="layer_norm" edits="the feed-forward network alone" wrong="NO_RELU"
{" np.maximum": "", ", 0": ""}


# %% exercise="layer_norm" wrong="EPSILON_FIXED"
def layer_norm(x, gamma, beta, epsilon=1e-6):
    return gamma * np.asarray(keras.layers.LayerNormalization()(x)) + beta


# %% exercise="layer_norm" edits="the feed-forward network alone"
RELU_TWICE = (
    "The second layer has a ReLU as well. It must be linear.",
    {"np.maximum": "np.maximum(np.maximum", "+ b_2": "+ b_2, 0)"},
)

# %% exercise="layer_norm" edits="mean and variance"
NO_ROOT = (
    "The difference is divided by the variance. Divide it by the square root of the variance.",
    {" np.sqrt": ""},
)
NO_CENTRE = (
    "The mean is not subtracted. The numerator must be x minus the mean of the token.",
    {"mean, variance = x.mean(axis=-1, keepdims=True),": "variance =", "(x - mean)": "x"},
)

# %% exercise="layer_norm" edits="the feed-forward network alone"
RELU_BEFORE_BIAS = (
    "ReLU is applied before the bias b_1 is added. Add the bias first.",
    {"np.maximum(x @ w_1 + b_1, 0)": "(np.maximum(x @ w_1, 0) + b_1)"},
)
NO_B_1 = "The bias b_1 is missing. Add it before the ReLU.", {" + b_1": ""}
NO_B_2 = "The bias b_2 is missing. Add it to the output.", {" + b_2": ""}


# %% exercise="layer_norm" wrong="NO_CENTRE"
def layer_norm(x, gamma, beta, epsilon=1e-6):
    square = np.mean(x**2, axis=-1, keepdims=True)
    return gamma * x / np.sqrt(square + epsilon) + beta


# %% exercise="layer_norm" edits="the feed-forward network alone"
RELU_AT_THE_END = (
    "The ReLU stands after the second product. It belongs between the two.",
    {"x @ w_1 + b_1, 0) @ w_2 + b_2": "(x @ w_1 + b_1) @ w_2 + b_2, 0)"},
)

# %% exercise="layer_norm" edits="mean and variance"
SWAPPED_GAMMA_BETA = (
    "gamma and beta are swapped. gamma is the factor, and beta is added.",
    {"gamma *": "beta *", "+ beta": "+ gamma"},
)
NO_GAMMA_BETA = (
    "gamma and beta are ignored. Multiply by gamma, and then add beta.",
    {" gamma *": "", " + beta": ""},
)
BETA_SCALED = (
    "beta is added before the multiplication by gamma. Multiply by gamma first, and then add beta.",
    {"x - mean": "(x - mean", "+ beta": "+ beta)"},
)

# %% exercise="layer_norm" edits="the feed-forward network alone"
RESIDUAL_INSIDE = (
    "x is added to the result. The residual connection belongs to the layer, not to this function.",
    {"np.": "x + np."},
)
HIDDEN_RETURNED = (
    "The hidden units came back. Multiply them by w_2 and add b_2.",
    {" @ w_2 + b_2": ""},
)
ABSOLUTE = (
    "Negative hidden units are made positive. ReLU sets them to 0.",
    {"maximum": "abs", ", 0": ""},
)


# %% exercise="layer_norm" wrong="INPUT_CHANGED"
def layer_norm(x, gamma, beta, epsilon=1e-6):
    x -= x.mean(axis=-1, keepdims=True)
    x /= np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + epsilon)
    return gamma * x + beta


# %% exercise="layer_norm" wrong="OVER_TWO_AXES"
OVER_TWO_AXES = (
    "The mean and the variance are taken over the tokens and the features together. Take them "
    "over the features of each token, the last axis alone."
)


def layer_norm(x, gamma, beta, epsilon=1e-6):
    return (
        gamma
        * (x - x.mean((-1, -2), keepdims=True))
        / np.sqrt(x.var((-1, -2), keepdims=True) + epsilon)
        + beta
    )


# %% exercise="layer_norm" wrong="NO_GAMMA"
NO_GAMMA = "gamma is ignored. Multiply the normalised features by it."


def layer_norm(x, gamma, beta, epsilon=1e-6):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) + beta


# %% exercise="layer_norm" wrong="NO_BETA"
NO_BETA = "beta is ignored. Add it at the end."


def layer_norm(x, gamma, beta, epsilon=1e-6):
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon)


# %% exercise="layer_norm" right="einsum and float32"
def layer_norm(x, gamma, beta, epsilon=1e-6):
    x = x.astype("float32")
    centred = x - np.einsum("...d->...", x)[..., None] / x.shape[-1]
    variance = np.einsum("...d,...d->...", centred, centred)[..., None] / x.shape[-1]
    return np.einsum("...d,d->...d", centred * (variance + epsilon) ** -0.5, gamma) + beta


def feed_forward(x, w_1, b_1, w_2, b_2):
    hidden = np.einsum("...d,df->...f", x, w_1) + b_1
    return np.einsum("...f,fd->...d", np.where(hidden > 0, hidden, 0), w_2) + b_2


# %% exercise="layer_norm" right="Keras"
def layer_norm(x, gamma, beta, epsilon=1e-6):
    x = ops.cast(x, "float32")
    mean, variance = ops.moments(x, axes=-1, keepdims=True)
    return gamma * (x - mean) * ops.rsqrt(variance + epsilon) + beta


def feed_forward(x, w_1, b_1, w_2, b_2):
    return ops.matmul(ops.relu(ops.matmul(x, w_1) + b_1), w_2) + b_2


# %% exercise="layer_norm" right="one token after the other"
def layer_norm(x, gamma, beta, epsilon=1e-6):
    rows = []
    for token in x.reshape(-1, x.shape[-1]):
        mean = sum(token) / len(token)
        variance = sum((token - mean) ** 2) / len(token)
        rows.append((token - mean) / (variance + epsilon) ** 0.5 * gamma + beta)
    return np.array(rows).reshape(x.shape)


def feed_forward(x, w_1, b_1, w_2, b_2):
    hidden = x @ w_1 + b_1
    return (hidden * (hidden > 0)) @ w_2 + b_2


# %% exercise="layer_norm" right="a Keras layer for each function"
def layer_norm(x, gamma, beta, epsilon=1e-6):
    layer = keras.layers.LayerNormalization(epsilon=epsilon)
    layer.build(x.shape)
    layer.set_weights([gamma, beta])
    return layer(x.astype("float32"))


def feed_forward(x, w_1, b_1, w_2, b_2):
    rows = x.reshape(-1, x.shape[-1])
    for matrix, bias, activation in ((w_1, b_1, "relu"), (w_2, b_2, None)):
        layer = keras.layers.Dense(len(bias), activation)
        layer.build(rows.shape)
        layer.set_weights([matrix, bias])
        rows = layer(rows)
    return ops.reshape(rows, x.shape)


# %% exercise="layer_norm" edits="the feed-forward network alone" wrong="GELU"
{"np.maximum(x @ w_1 + b_1, 0)": "1 / (1 + np.exp(-(x @ w_1 + b_1)))"}
{"np.maximum(x @ w_1 + b_1, 0)": "(x @ w_1 + b_1) / (1 + np.exp(-(x @ w_1 + b_1)))"}
{
    "    return np.maximum(x @ w_1 + b_1, 0)": (
        "    from scipy.special import erf\n\n"
        "    hidden = x @ w_1 + b_1\n"
        "    return (hidden / 2 * (1 + erf(hidden / np.sqrt(2))))"
    )
}

# %% exercise="layer_norm" edits="mean and variance"
GAMMA_PLUS_BETA = (
    "The normalised features are multiplied by the sum of gamma and beta. Multiply them by gamma, "
    "and then add beta.",
    {
        "gamma * (x - mean)": "(gamma + beta) * (x - mean)",
        "(variance + epsilon) + beta": "(variance + epsilon)",
    },
)

# %% exercise="layer_norm" edits="the feed-forward network alone"
NEGATIVE_KEPT = (
    "The negative hidden units are kept and the positive ones set to 0. ReLU does the opposite.",
    {"np.maximum": "np.minimum"},
)
LEAKY = (
    "Negative hidden units are made smaller. ReLU sets them to 0.",
    {"np.maximum(x @ w_1 + b_1, 0)": "np.maximum(x @ w_1 + b_1, 0.01 * (x @ w_1 + b_1))"},
    {"np.maximum(x @ w_1 + b_1, 0)": "np.maximum(x @ w_1 + b_1, 0.1 * (x @ w_1 + b_1))"},
    {"np.maximum(x @ w_1 + b_1, 0)": "np.maximum(x @ w_1 + b_1, 0.2 * (x @ w_1 + b_1))"},
)
RELU_OF_INPUT = (
    "ReLU is applied to x. It belongs between the two products.",
    {"np.maximum(x @ w_1 + b_1, 0)": "(np.maximum(x, 0) @ w_1 + b_1)"},
)
CUT_OFF_AT_1 = (
    "The hidden units are cut off at 1. ReLU keeps positive numbers as they are, however large.",
    {"np.maximum(x @ w_1 + b_1, 0)": "np.clip(x @ w_1 + b_1, 0, 1)"},
)
CUT_OFF_AT_6 = (
    "The hidden units are cut off at 6. ReLU keeps positive numbers as they are, however large.",
    {"np.maximum(x @ w_1 + b_1, 0)": "np.clip(x @ w_1 + b_1, 0, 6)"},
)
MATRICES_TRANSPOSED = (
    "The two matrices are transposed, and have changed places. Multiply by w_1 first and then by "
    "w_2, as they are.",
    {"@ w_1": "@ w_2.T", "@ w_2": "@ w_1.T"},
)
STEP_FUNCTION = (
    "The hidden units are 0 or 1, the answers of a comparison. ReLU keeps the positive numbers "
    "themselves.",
    {"np.maximum(x @ w_1 + b_1, 0)": "(x @ w_1 + b_1 > 0)"},
)


# %% exercise="layer_norm" edits="mean and variance"
MEAN_OF_SQUARES = (
    "The mean of the squares is taken for the variance. Subtract the mean before you square.",
    {"x.var(axis=-1, keepdims=True)": "(x**2).mean(axis=-1, keepdims=True)"},
)


# %% exercise="layer_norm" wrong="TRANSPOSED"
TRANSPOSED = (
    "x is transposed, which reverses all of its axes. That is right for one sentence alone; use "
    "axis=-1 with keepdims=True instead."
)


def layer_norm(x, gamma, beta, epsilon=1e-6):
    columns = (x.T - x.mean(axis=-1)) / np.sqrt(x.var(axis=-1) + epsilon)
    return gamma * columns.T + beta


# %% exercise="layer_norm" edits="einsum and float32"
THREE_AXES_ALONE = (
    "The einsum fits arrays of three axes alone. x may have any number of leading axes; `...` "
    "stands for all of them.",
    {"...d,df->...f": "btd,df->btf", "...f,fd->...d": "btf,fd->btd"},
)


# %% exercise="layer_norm" edits="the feed-forward network alone"
LARGEST_UNIT = (
    "The largest hidden unit takes the place of all. ReLU keeps every unit that is positive: "
    "np.maximum compares entry by entry, np.max does not.",
    {
        "np.maximum(x @ w_1 + b_1, 0)": (
            "np.max(x @ w_1 + b_1, axis=-1, keepdims=True, initial=0) * np.ones(len(b_1))"
        )
    },
)


# %% exercise="layer_norm" edits="mean and variance"
EPSILON_SQUARED = (
    "epsilon is squared. Add it to the variance as it is.",
    {"variance + epsilon": "variance + epsilon**2"},
)
AXIS_LOST = (
    "The mean and the variance have lost the axis of the features, so they do not stand beside "
    "their tokens. Use keepdims=True.",
    {"x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)": "x.mean(-1), x.var(-1)"},
)
DEVIATION_AT_LEAST_1 = (
    "The standard deviation is kept from falling below 1. Divide by the root of variance + "
    "epsilon, however small.",
    {"np.sqrt(variance + epsilon)": "np.maximum(np.sqrt(variance), 1)"},
)
HALF_PRECISION = (
    "The result has only three digits, those of float16. Leave the type of x as it is.",
    {"    mean, variance": '    x = np.asarray(x, "float16")\n    mean, variance'},
)


# %% exercise="transformer_masks" right="comparisons with a new axis"
def transformer_masks(source_ids, target_ids, pad_id=0):
    source, target = source_ids != pad_id, target_ids != pad_id
    causal = np.tri(target_ids.shape[1], dtype=bool)
    return source[:, None], causal & target[:, None], source[:, None]


# %% exercise="transformer_masks" right="short names"
def transformer_masks(source_ids, target_ids, pad_id=0):
    e = (source_ids != pad_id)[:, None]
    b, t = target_ids.shape
    return e, np.tri(t, dtype=bool) & (target_ids != pad_id)[:, None], e


# %% exercise="transformer_masks" edits="comparisons with a new axis"
INVERTED = (
    "The masks are inverted. True means that the token may be attended to.",
    {
        "return source[:, None],": "decoder =",
        ", source[:, None]": "\n    return ~source[:, None], ~decoder, ~source[:, None]",
    },
)
NO_PADDING = (
    "The mask of the decoder does not hide padding. Combine the causal mask with the padding mask.",
    {
        "return": "batch = np.ones((len(target), 1, 1), dtype=bool)\n    return",
        "causal & target[:, None]": "causal & batch",
    },
)
DIAGONAL_ALLOWED = (
    "A token of padding may attend to itself. Padding must be hidden as a key on the diagonal, "
    "too.",
    {"causal & target[:, None]": "causal & (target[:, None] | np.eye(len(causal), dtype=bool))"},
)
PADDING_AT_THE_END = (
    "The real tokens are counted, and padding is hidden only at the end. Hide it wherever it "
    "stands.",
    {
        "source, target = source_ids != pad_id, target_ids != pad_id": (
            "source, target = (\n"
            "        np.arange(ids.shape[1]) < (ids != pad_id).sum(axis=1, keepdims=True)\n"
            "        for ids in (source_ids, target_ids)\n"
            "    )"
        )
    },
)
AFTER_FIRST_PADDING = (
    "Everything after the first padding is hidden. Hide the padding itself and nothing else.",
    {
        "source, target = source_ids != pad_id, target_ids != pad_id": (
            "source, target = (\n"
            "        np.cumprod(ids != pad_id, axis=1) > 0 for ids in (source_ids, target_ids)\n"
            "    )"
        )
    },
)
ONLY_AT_THE_END = (
    "Padding is hidden only at the end. Hide it wherever it stands.",
    {
        "source, target = source_ids != pad_id, target_ids != pad_id": (
            "source, target = (\n"
            "        np.cumsum((ids != pad_id)[:, ::-1], axis=1)[:, ::-1] > 0\n"
            "        for ids in (source_ids, target_ids)\n"
            "    )"
        )
    },
)
ONLY_AT_BOTH_ENDS = (
    "Padding between tokens is not hidden. Hide it wherever it stands.",
    {
        "source, target = source_ids != pad_id, target_ids != pad_id": (
            "source, target = (\n"
            "        np.maximum.accumulate(real, axis=1)\n"
            "        & np.maximum.accumulate(real[:, ::-1], axis=1)[:, ::-1]\n"
            "        for real in (source_ids != pad_id, target_ids != pad_id)\n"
            "    )"
        )
    },
)
ROWS_REPAIRED = (
    "Rows without any True are filled. Leave them as they are.",
    {
        "return source[:, None], causal & target[:, None], source[:, None]": (
            "decoder = causal & target[:, None]\n"
            "    decoder |= ~decoder.any(axis=-1, keepdims=True)\n"
            "    return source[:, None], decoder, source[:, None]"
        )
    },
    {
        "target_ids != pad_id": (
            "target_ids != pad_id\n    source |= ~source.any(axis=1, keepdims=True)"
        )
    },
)
FIRST_NEVER_HIDDEN = (
    "The first token of the target is never hidden. It is hidden when it is padding.",
    {
        "return": "decoder = causal & target[:, None]\n    decoder[:, :, 0] = True\n    return",
        "causal & target[:, None]": "decoder",
    },
)
OTHER_PAD_ID = (
    "pad_id has another default. It must be 0.",
    {"pad_id=0": "pad_id=1"},
    {"pad_id=0": "pad_id=-1"},
)
TARGET_PAD_ID_FIXED = (
    "In the target, the function always treats 0 as padding. Use the argument pad_id there, too.",
    {"target_ids != pad_id": "target_ids != 0"},
)
CROSS_HIDES_NOTHING = (
    "The mask of the cross-attention hides nothing. It hides the padding of the source.",
    {", source[:, None]": ", np.ones_like(source)[:, None]"},
)
NO_CAUSAL = (
    "With the mask of the decoder, tokens see later tokens. Combine it with the causal mask.",
    {
        "causal = np.tri(target_ids.shape[1], dtype=bool)": (
            "rows = np.ones((target.shape[1], 1), dtype=bool)"
        ),
        "causal &": "rows &",
    },
)
NOT_ITSELF = (
    "A token of the target may not attend to itself. Keep the diagonal of the causal mask.",
    {"[1]": "[1], k=-1"},
)
CAUSAL_TRANSPOSED = (
    "The causal mask is transposed, so tokens see later tokens. Row i must be True up to and "
    "including position i.",
    {"causal &": "causal.T &"},
)
ROWS_HIDDEN = (
    "The rows of padding tokens are masked. Padding must be hidden only as a key, that is, in the "
    "columns.",
    {"target[:, None]": "target[:, None] & target[:, :, None]"},
    {"target[:, None]": "target[:, :, None]"},
)
OR_MASKS = (
    "The causal mask and the padding mask are combined with or. A token must pass both masks: "
    "use &.",
    {"causal &": "causal |"},
)
CROSS_OF_TARGET = (
    "The cross mask is made from the target. The keys of the cross-attention are the source "
    "tokens.",
    {", source[:, None]": ", target[:, None]"},
)
PAD_ID_FIXED = (
    "The function always treats 0 as padding. Use the argument pad_id.",
    {"pad_id, target_ids != pad_id": "0, target_ids != 0"},
)
ABOVE_PAD_ID = (
    "The masks say which ids are larger than pad_id. They must say which ids differ from pad_id.",
    {"source_ids !=": "source_ids >", "target_ids !=": "target_ids >"},
)
NO_QUERY_AXIS = (
    "The axis for the queries is missing. The padding masks must have the shape (batch, 1, s).",
    {"source[:, None],": "source,", ", source[:, None]": ", source"},
)
MASKS_REPEATED = (
    "The padding mask is repeated for every query. The axis for the queries must have length 1.",
    {
        "return source[:, None], causal & target[:, None], source[:, None]": (
            "encoder = np.repeat(source[:, None], source.shape[1], axis=1)\n"
            "    cross = np.repeat(source[:, None], target.shape[1], axis=1)\n"
            "    return encoder, causal & target[:, None], cross"
        )
    },
)
MASK_ORDER = (
    "The masks are in the wrong order. The order must be encoder, decoder, cross.",
    {
        "source[:, None], causal & target[:, None], source[:, None]": (
            "source[:, None], source[:, None], causal & target[:, None]"
        )
    },
)
ADDITIVE_MASK = (
    "The masks contain numbers. They must contain booleans.",
    {
        "return": "masks =",
        ", source[:, None]": (
            ", source[:, None]\n    return tuple(mask.astype(float) for mask in masks)"
        ),
    },
    {
        "return": "masks =",
        ", source[:, None]": (
            ", source[:, None]\n    return tuple(np.where(mask, 0.0, -1e9) for mask in masks)"
        ),
    },
)

# %% exercise="transformer_masks" edits="short names"
SEES_NEXT = (
    "A token of the target sees the next one. Row i must be True up to and including position i.",
    {"b, t": "t", "shape": "shape[1]", "t, dtype=bool": "t, k=1, dtype=bool"},
)
QUERIES_REPEATED = (
    "The mask of the cross-attention is repeated for every query. It is the same for all, so its "
    "axis of the queries has length 1.",
    {", e": ", np.repeat(e, t, axis=1)"},
)
QUERIES_LAST = (
    "The axis for the queries comes last. It stands between the batch and the keys: (batch, 1, s).",
    {"(source_ids != pad_id)[:, None]": "(source_ids != pad_id)[:, :, None]"},
)


# %% exercise="transformer_masks" wrong="AXIS_FOR_HEADS"
AXIS_FOR_HEADS = (
    "There is an additional axis, as for the heads of an attention. Each mask has three axes."
)


def transformer_masks(source_ids, target_ids, pad_id=0):
    e = (source_ids != pad_id)[:, None, None]
    b, t = target_ids.shape
    return e, (np.tri(t, dtype=bool) & (target_ids != pad_id)[:, None])[:, None], e


# %% exercise="transformer_masks" edits="short names"
CAUSAL_CROSS = (
    "The mask of the cross-attention is causal. Every token of the target may attend to all of "
    "the source but its padding.",
    {"return": "s = source_ids.shape[1]\n    return", ", e": ", np.tri(t, s, dtype=bool) & e"},
)


# %% exercise="transformer_masks" right="loops"
def transformer_masks(source_ids, target_ids, pad_id=0):
    (batch, s), t = source_ids.shape, target_ids.shape[1]
    encoder = np.zeros((batch, 1, s), dtype=bool)
    decoder = np.zeros((batch, t, t), dtype=bool)
    for b in range(batch):
        for j in range(s):
            encoder[b, 0, j] = source_ids[b, j] != pad_id
        for i in range(t):
            for j in range(i + 1):
                decoder[b, i, j] = target_ids[b, j] != pad_id
    return encoder, decoder, encoder


# %% exercise="transformer_masks" right="Keras ops in a list"
def transformer_masks(source_ids, target_ids, pad_id=0):
    source = ops.expand_dims(ops.not_equal(source_ids, pad_id), 1)
    target = ops.expand_dims(ops.not_equal(target_ids, pad_id), 1)
    positions = ops.arange(target_ids.shape[1])
    causal = positions[:, None] >= positions[None, :]
    return [source, ops.logical_and(causal, target), source]


# %% exercise="transformer_masks" edits="comparisons with a new axis" wrong="NO_PADDING"
{"causal & target[:, None]": "causal[None]"}

# %% exercise="transformer_masks" edits="comparisons with a new axis"
QUERIES_IN_CROSS = (
    "The cross mask hides the rows of the target's padding, too. It has one row, which says which "
    "source tokens are real.",
    {"target[:, None], source[:, None]": "target[:, None], source[:, None] & target[..., None]"},
)
OTHER_ORDER = (
    "The masks are in another order. They are encoder, decoder, cross.",
    {
        "source[:, None], causal & target[:, None], source[:, None]": ""
        "causal & target[:, None], source[:, None], source[:, None]"
    },
)
TWO_MASKS = (
    "Only two masks are returned. The third is the mask of the cross-attention.",
    {"causal & target[:, None], source[:, None]": "causal & target[:, None]"},
)


# %% exercise="transformer_masks" edits="comparisons with a new axis"
NOT_BOOLEAN = (
    "The mask of the decoder holds numbers. Pass dtype=bool to np.tri, and combine the two "
    "masks with &.",
    {", dtype=bool": "", "causal &": "causal *"},
)


# %% exercise="transformer_masks" edits="comparisons with a new axis"
NOTHING_IS_ITSELF = (
    "Where a query may see nothing, it sees itself. Such rows stay False everywhere.",
    {
        "    return source[:, None], causal & target[:, None],": "    decoder = causal & "
        "target[:, None]\n    nothing = ~decoder.any(axis=-1, keepdims=True)\n"
        "    decoder |= nothing & np.eye(decoder.shape[-1], dtype=bool)\n"
        "    return source[:, None], decoder,"
    },
)


# %% exercise="transformer_masks" edits="short names"
COUNTED_LENGTHS = (
    "The real tokens are counted and taken to stand at the beginning, but padding may stand "
    "anywhere. Compare the ids with pad_id place by place.",
    {
        "e = (source_ids != pad_id)[:, None]": (
            "lengths = np.sum(source_ids != pad_id, axis=1)\n"
            "    e = (np.arange(source_ids.shape[1]) < lengths[:, None])[:, None]"
        )
    },
)


# %% exercise="transformer_masks" edits="short names"
FIRST_PADDING_BY_ARGMAX = (
    "argmax gives 0 where no padding is found, so a text without padding is hidden as a whole. "
    "Compare every id with pad_id.",
    {
        "(target_ids != pad_id)[:, None]": (
            "(np.arange(t) < (target_ids == pad_id).argmax(axis=1)[:, None])[:, None]"
        )
    },
    {
        "    e = (source_ids != pad_id)[:, None]": (
            "    n = (source_ids == pad_id).argmax(axis=1)[:, None]\n"
            "    e = (np.arange(source_ids.shape[1]) < n)[:, None]"
        ),
    },
)
PADDING_OF_FIRST_TARGET = (
    "The padding of the first target is hidden in all of them. Each target has its own.",
    {
        "(target_ids != pad_id)[:, None]": (
            "np.repeat(target_ids[:1] != pad_id, b, axis=0)[:, None]"
        )
    },
)
ENCODER_REPEATED = (
    "The mask of the encoder is repeated for every query. It is the same for all, so its axis of "
    "the queries has length 1.",
    {"return e,": "return np.repeat(e, e.shape[2], axis=1),"},
)
ENCODER_MASK_CAUSAL = (
    "The mask of the encoder is causal. A token of the source may attend to the whole source.",
    {"return e,": "return e & np.tri(e.shape[2], dtype=bool),"},
)
CAUSAL_OF_SOURCE = (
    "The causal mask is as long as the source. It belongs to the target: (t, t).",
    {"np.tri(t, dtype=bool)": "np.tri(e.shape[2], dtype=bool)"},
)


# %% exercise="EncoderLayer" right="Keras layers"
class EncoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "dropout": dropout,
        }
        self.attention = keras.layers.MultiHeadAttention(
            num_heads, d_model // num_heads, use_bias=False
        )
        self.norm_1 = keras.layers.LayerNormalization(epsilon=1e-6)
        self.norm_2 = keras.layers.LayerNormalization(epsilon=1e-6)
        self.dense_1 = keras.layers.Dense(d_ff, activation="relu")
        self.dense_2 = keras.layers.Dense(d_model)
        self.dropout_1 = keras.layers.Dropout(dropout)
        self.dropout_2 = keras.layers.Dropout(dropout)

    def call(self, x, attention_mask=None, training=None):
        attended = self.attention(x, x, attention_mask=attention_mask)
        x = self.norm_1(x + self.dropout_1(attended, training=training))
        transformed = self.dense_2(self.dense_1(x))
        return self.norm_2(x + self.dropout_2(transformed, training=training))

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="EncoderLayer" right="short names"
class EncoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kw):
        super().__init__(**kw)
        self.cfg = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.att = keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
        self.n1, self.n2 = (
            keras.layers.LayerNormalization(epsilon=1e-5),
            keras.layers.LayerNormalization(epsilon=1e-5),
        )
        self.f1, self.f2 = keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)
        self.drop = keras.layers.Dropout(dropout)

    def call(self, x, attention_mask=None, training=None):
        h = self.n1(x + self.drop(self.att(x, x, attention_mask=attention_mask), training=training))
        return self.n2(h + self.drop(self.f2(self.f1(h)), training=training))

    def get_config(self):
        return super().get_config() | self.cfg


# %% exercise="EncoderLayer" right="attention with Dense and reshape"
class EncoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "dropout": dropout,
        }
        self.w_q = keras.layers.Dense(d_model, use_bias=False)
        self.w_k = keras.layers.Dense(d_model, use_bias=False)
        self.w_v = keras.layers.Dense(d_model, use_bias=False)
        self.w_o = keras.layers.Dense(d_model, use_bias=False)
        self.norm_1 = keras.layers.LayerNormalization()
        self.norm_2 = keras.layers.LayerNormalization()
        self.dense_1 = keras.layers.Dense(d_ff, activation="relu")
        self.dense_2 = keras.layers.Dense(d_model)
        self.dropout = keras.layers.Dropout(dropout)

    def heads(self, x):
        num_heads = self.settings["num_heads"]
        x = ops.reshape(x, (-1, ops.shape(x)[1], num_heads, x.shape[-1] // num_heads))
        return ops.transpose(x, (0, 2, 1, 3))

    def attend(self, x, mask):
        q, k, v = self.heads(self.w_q(x)), self.heads(self.w_k(x)), self.heads(self.w_v(x))
        scores = q @ ops.transpose(k, (0, 1, 3, 2)) / np.sqrt(q.shape[-1])
        if mask is not None:
            scores = ops.where(mask[:, None], scores, -1e9)
        merged = ops.transpose(ops.softmax(scores) @ v, (0, 2, 1, 3))
        return self.w_o(ops.reshape(merged, ops.shape(x)))

    def call(self, x, attention_mask=None, training=None):
        attended = self.attend(x, attention_mask)
        x = self.norm_1(x + self.dropout(attended, training=training))
        transformed = self.dense_2(self.dense_1(x))
        return self.norm_2(x + self.dropout(transformed, training=training))

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_ELSEWHERE"
{"False": "False, dropout=dropout"}
{"x + self.dropout_1": "self.dropout_1", "attended,": "x + attended,"}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_MISSING"
{"self.dropout_2(transformed, training=training)": "transformed"}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="NOT_RESTORED"
{"{**super().get_config(), **self.settings}": "super().get_config()"}
{", **kwargs": "", "(**kwargs)": "()"}
{
    "return {**super().get_config(), **self.settings}": (
        'config = {**super().get_config(), **self.settings}\n        del config["d_model"]\n'
        "        return config"
    )
}
{
    "return {**super().get_config(), **self.settings}": (
        'config = {**super().get_config(), **self.settings}\n        del config["num_heads"]\n'
        "        return config"
    )
}
{
    "return {**super().get_config(), **self.settings}": (
        'config = {**super().get_config(), **self.settings}\n        del config["d_ff"]\n'
        "        return config"
    )
}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="OTHER_CONFIG"
{"**self.settings}": '**self.settings, "num_heads": 2}'}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="TRAINABLE_LOST"
{"(**kwargs)": '(name=kwargs.get("name"))'}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="NAME_LOST"
{"{**super().get_config(), **self.settings}": "self.settings"}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_NOT_RESTORED"
{"**self.settings}": '**self.settings, "dropout": 0.1}'}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_RATE"
{"dropout_1 = keras.layers.Dropout(dropout": "dropout_1 = keras.layers.Dropout(dropout / 2"}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_AT_THE_END"
{
    "self.norm_2(x + self.dropout_2(transformed, training=training))": (
        "self.dropout_2(self.norm_2(x + transformed), training=training)"
    )
}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_NOT_SCALED"
{
    "self.dropout_1(attended, training=training)": (
        "self.dropout_1(attended, training=training) * (1 - self.dropout_1.rate * bool(training))"
    )
}


# %% exercise="EncoderLayer" edits="Keras layers"
CALL_ORDER = (
    "The arguments of call stand in another order. The order is x, attention_mask, training.",
    {"attention_mask=None, training=None": "training=None, attention_mask=None"},
)
MASK_IGNORED_IN_TRAINING = (
    "attention_mask is ignored when training is true. Pass it to the attention in every call.",
    {"attention_mask=attention_mask": "attention_mask=None if training else attention_mask"},
)
NORM_INCOMPLETE = (
    "A layer normalisation has no beta. Each of them needs a gamma and a beta.",
    {"(epsilon=1e-6)\n        self.dense_1": "(epsilon=1e-6, center=False)\n        self.dense_1"},
    {
        "(epsilon=1e-6)\n        self.norm_2": "(center=False)\n        self.norm_2",
        "(epsilon=1e-6)\n        self.dense_1": "(center=False)\n        self.dense_1",
    },
)


# %% exercise="EncoderLayer" edits="Keras layers" wrong="PRE_NORM"
{
    "attended = self.attention(x, x, attention_mask=attention_mask)": "h = self.norm_1(x)",
    "x = self.norm_1(x + self.dropout_1(attended, training=training))": (
        "x = x + self.dropout_1(\n"
        "            self.attention(h, h, attention_mask=attention_mask), training=training\n"
        "        )"
    ),
    "        transformed = self.dense_2(self.dense_1(x))\n": "",
    "self.norm_2(x + self.dropout_2(transformed, training=training))": (
        "x + self.dropout_2(self.dense_2(self.dense_1(self.norm_2(x))), training=training)"
    ),
}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_NOT_RESTORED"
{
    "return {**super().get_config(), **self.settings}": (
        'settings = {name: self.settings[name] for name in ("d_model", "num_heads", "d_ff")}\n'
        "        return {**super().get_config(), **settings}"
    )
}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="NORM_BEFORE_SUM"
{"x =": "x = x +", "x + self.dropout_1": "self.dropout_1", "self.norm_2(x +": "x + self.norm_2("}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="NO_RESIDUAL"
{"x + self.dropout_1": "self.dropout_1"}
{"x + self.dropout_2": "self.dropout_2"}


# %% exercise="EncoderLayer" edits="Keras layers"
RESIDUAL_FROM_INPUT = (
    "After the feed-forward network, the input x of the whole layer is added. Add the input of "
    "the feed-forward network instead.",
    {"x =": "h =", "(x)": "(h)"},
)
FFN_FROM_INPUT = (
    "The feed-forward network reads the input x of the layer. It must read the normalised output "
    "of the sublayer before it.",
    {"x =": "h =", "x + self.dropout_2": "h + self.dropout_2"},
)


# %% exercise="EncoderLayer" edits="Keras layers" wrong="TOO_FEW_NORMS"
{"self.norm_2 = keras.layers.LayerNormalization(epsilon=1e-6)": "self.norm_2 = self.norm_1"}


# %% exercise="EncoderLayer" edits="Keras layers"
NORM_OVER_TIME = (
    "A layer normalisation runs over the tokens. It must run over the features, which is axis -1.",
    {
        "(epsilon=1e-6)\n        self.norm_2": "(axis=1)\n        self.norm_2",
        "(epsilon=1e-6)\n        self.dense_1": "(axis=1)\n        self.dense_1",
    },
)
BATCH_NORM = (
    "The layer uses batch normalisation. Use layer normalisation.",
    {
        "self.norm_1 = keras.layers.LayerNormalization(epsilon=1e-6)": (
            "self.norm_1 = keras.layers.BatchNormalization()"
        ),
        "self.norm_2 = keras.layers.LayerNormalization(epsilon=1e-6)": (
            "self.norm_2 = keras.layers.BatchNormalization()"
        ),
    },
)


# %% exercise="EncoderLayer" edits="Keras layers" wrong="GELU"
{'"relu"': '"gelu"'}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="NO_RELU"
{', activation="relu"': ""}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="ATTENTION_BIASES"
{", use_bias=False": ""}


# %% exercise="EncoderLayer" edits="Keras layers"
D_FF_IGNORED = (
    "The feed-forward network has a fixed number of hidden units. Use the argument d_ff.",
    {'d_ff, activation="relu"': '4 * d_model, activation="relu"'},
)


# %% exercise="EncoderLayer" edits="Keras layers" wrong="NO_BIASES"
{'"relu"': '"relu", use_bias=False', "(d_model)": "(d_model, use_bias=False)"}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="HEAD_WIDTH"
{" // num_heads": ""}


# %% exercise="EncoderLayer" edits="Keras layers"
ONE_HEAD = (
    "There is only one head, and it has the full width. Use num_heads heads.",
    {"num_heads, d_model // num_heads": "1, d_model"},
)
HEADS_FIXED = (
    "The layer uses a fixed number of heads. Use the argument num_heads.",
    {"num_heads, d_model // num_heads": "2, d_model // 2"},
)
HEADS_SWAPPED = (
    "The number of heads and the width of a head are swapped. MultiHeadAttention takes num_heads "
    "first and then key_dim, which is d_model / num_heads.",
    {"num_heads, d_model //": "d_model // num_heads,"},
)
MASK_IGNORED = (
    "attention_mask is ignored. Pass it to the attention.",
    {", attention_mask=attention_mask": ""},
)
MASK_INVERTED = (
    "The mask is inverted. True means that the key may be attended to.",
    {
        "attended =": (
            "if attention_mask is not None:\n"
            "            attention_mask = ops.logical_not(attention_mask)\n"
            "        attended ="
        )
    },
)


# %% exercise="EncoderLayer" edits="Keras layers" wrong="CAUSAL_ADDED"
{"=attention_mask": "=attention_mask, use_causal_mask=True"}


# %% exercise="EncoderLayer" edits="Keras layers"
FROZEN = (
    "A weight was created with trainable=False, so training never changes it. Make it trainable.",
    {"(d_model)": "(d_model, trainable=False)"},
)


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_ALWAYS"
{
    "dropout_1 = keras.layers.Dropout(dropout": "dropout_1 = keras.layers.Dropout(dropout, seed=1",
    "dropout_2 = keras.layers.Dropout(dropout": "dropout_2 = keras.layers.Dropout(dropout, seed=1",
    "attended, training=training": "attended, training=True",
    "transformed, training=training": "transformed, training=True",
}


# %% exercise="EncoderLayer" edits="attention with Dense and reshape"
NO_SCALE = (
    "The scores are not scaled. Divide them by the square root of the width of one head.",
    {" / np.sqrt(q.shape[-1])": ""},
)
SCALED_BY_WIDTH = (
    "The scores are divided by the width of one head. Divide them by its square root.",
    {"np.sqrt(q.shape[-1])": "q.shape[-1]"},
)
INTERLEAVED = (
    "A head takes every num_heads-th feature. It must take features that stand side by side: "
    "reshape to (batch, time, heads, width).",
    {
        "num_heads, x.shape[-1] // num_heads))": "x.shape[-1] // num_heads, num_heads))",
        "return ops.transpose(x, (0, 2, 1, 3))": "return ops.transpose(x, (0, 3, 1, 2))",
    },
)
MERGED_AT_ONCE = (
    "The heads are merged without exchanging the axes back, so several tokens are mixed. Transpose "
    "to (batch, time, heads, width) first.",
    {"ops.transpose(ops.softmax(scores) @ v, (0, 2, 1, 3))": "ops.softmax(scores) @ v"},
)
SOFTMAX_OVER_QUERIES = (
    "The softmax runs over the queries. It must run over the keys, which is axis -1.",
    {"ops.softmax(scores)": "ops.softmax(scores, axis=-2)"},
)
MASK_MULTIPLIED = (
    "The scores are multiplied by the mask, so hidden keys have the score 0. Their scores must be "
    "very negative numbers.",
    {"ops.where(mask[:, None], scores, -1e9)": "scores * ops.cast(mask[:, None], scores.dtype)"},
)
MASK_AFTER_SOFTMAX = (
    "The mask is applied after the softmax, so the weights of a query do not sum to 1. Apply it "
    "to the scores, before the softmax.",
    {
        "if mask is not None:": "shares = ops.softmax(scores)\n        if mask is not None:",
        "scores = ops.where(mask[:, None], scores, -1e9)": (
            "shares = ops.where(mask[:, None], shares, 0.0)"
        ),
        "ops.softmax(scores)": "shares",
    },
)
FUSED = (
    "Queries, keys and values share one weight array. Use three separate projections of shape "
    "(d_model, d_model).",
    {
        (
            "        self.w_q = keras.layers.Dense(d_model, use_bias=False)\n"
            "        self.w_k = keras.layers.Dense(d_model, use_bias=False)\n"
        ): "",
        "self.w_v = keras.layers.Dense(d_model": "self.w_qkv = keras.layers.Dense(3 * d_model",
        "self.heads(self.w_q(x)), self.heads(self.w_k(x)), self.heads(self.w_v(x))": (
            "map(self.heads, ops.split(self.w_qkv(x), 3, axis=-1))"
        ),
    },
)


# %% exercise="EncoderLayer" edits="attention with Dense and reshape" wrong="BY_D_MODEL"
{"q.shape": "x.shape"}


# %% exercise="EncoderLayer" edits="short names" wrong="GELU"
{'"relu"': '"tanh"'}


# %% exercise="EncoderLayer" edits="short names"
FEED_FORWARD_FIRST = (
    "The feed-forward network comes before the attention. It must come after it.",
    {
        "self.att(x, x, attention_mask=attention_mask)": "self.f2(self.f1(x))",
        "self.f2(self.f1(h))": "self.att(h, h, attention_mask=attention_mask)",
    },
)
HIDDEN_WIDTH = (
    "The feed-forward network does not have d_ff hidden units. Its first layer has the width "
    "d_ff, and its second the width d_model.",
    {
        'keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)': (
            '(keras.layers.Dense(d_model, activation="relu"), keras.layers.Dense(d_model))'
        )
    },
)


# %% exercise="EncoderLayer" edits="short names" wrong="TOO_FEW_NORMS"
{
    "self.n1(x + self.drop(self.att(x, x, attention_mask=attention_mask), training=training))": (
        "x + self.drop(self.att(x, x, attention_mask=attention_mask), training=training)"
    ),
    "self.n2(h + self.drop(self.f2(self.f1(h)), training=training))": (
        "h + self.drop(self.f2(self.f1(h)), training=training)"
    ),
}


# %% exercise="EncoderLayer" edits="short names"
NO_FEED_FORWARD = (
    "The feed-forward network is missing. It is the second sublayer.",
    {
        "h = self.n1": "return self.n1",
        "        return self.n2(h + self.drop(self.f2(self.f1(h)), training=training))\n": "",
    },
)
EPSILON_LARGE = (
    "The epsilon of a layer normalisation is too large. It may be at most 1e-3.",
    {"(epsilon=1e-5),\n            keras": "(epsilon=0.1), keras"},
)


# %% exercise="EncoderLayer" right="a network in the network, Keras's default epsilon"
class EncoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "dropout": dropout,
        }
        self.norms = [keras.layers.LayerNormalization(), keras.layers.LayerNormalization()]
        self.ffn = keras.Sequential(
            [keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)]
        )
        self.mha = keras.layers.MultiHeadAttention(
            num_heads=num_heads, key_dim=d_model // num_heads, use_bias=False
        )
        self.add, self.drop = keras.layers.Add(), keras.layers.Dropout(dropout)

    def call(self, x, attention_mask=None, training=None):
        attended = self.mha(query=x, value=x, key=x, attention_mask=attention_mask)
        x = self.norms[0](self.add([x, self.drop(attended)]))
        return self.norms[1](self.add([x, self.drop(self.ffn(x))]))

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="EncoderLayer" right="weights of its own and einsum"
class EncoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "dropout": dropout,
        }
        self.heads, self.rate = num_heads, dropout

    def build(self, input_shape):
        d, f = self.settings["d_model"], self.settings["d_ff"]
        one = {"shape": (d,), "initializer": "ones"}
        zero = {"shape": (d,), "initializer": "zeros"}
        self.gammas = [self.add_weight(name=f"gamma_{i}", **one) for i in (1, 2)]
        self.betas = [self.add_weight(name=f"beta_{i}", **zero) for i in (1, 2)]
        self.w_2 = self.add_weight(name="w_2", shape=(f, d))
        self.w_1 = self.add_weight(name="w_1", shape=(d, f))
        self.b_2 = self.add_weight(name="b_2", **zero)
        self.b_1 = self.add_weight(name="b_1", shape=(f,), initializer="zeros")
        self.w_o = self.add_weight(name="w_o", shape=(self.heads, d // self.heads, d))
        for name in ("w_v", "w_k", "w_q"):
            shape = (d, self.heads, d // self.heads)
            setattr(self, name, self.add_weight(name=name, shape=shape))
        self.seed = keras.random.SeedGenerator(3)

    def sublayer(self, x, change, which, training):
        if training and self.rate:
            change = keras.random.dropout(change, self.rate, seed=self.seed)
        mean, variance = ops.moments(x + change, axes=-1, keepdims=True)
        normed = (x + change - mean) / ops.sqrt(variance + 1e-5)
        return self.gammas[which] * normed + self.betas[which]

    def call(self, x, attention_mask=None, training=None):
        q, k, v = (ops.einsum("btd,dhw->bhtw", x, w) for w in (self.w_q, self.w_k, self.w_v))
        scores = ops.einsum("bhqw,bhkw->bhqk", q, k) * q.shape[-1] ** -0.5
        if attention_mask is not None:
            allowed = ops.cast(attention_mask, scores.dtype)[:, None]
            scores = scores - 1e9 * (1 - allowed)
        attended = ops.einsum("bhqk,bhkw,hwd->bqd", ops.softmax(scores, axis=-1), v, self.w_o)
        x = self.sublayer(x, attended, 0, training)
        change = ops.relu(x @ self.w_1 + self.b_1) @ self.w_2 + self.b_2
        return self.sublayer(x, change, 1, training)

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="EncoderLayer" right="a helper for both sublayers, made in build"
class EncoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "dropout": dropout,
        }

    def build(self, input_shape):
        width = self.settings["d_model"] // self.settings["num_heads"]
        self.mha = keras.layers.MultiHeadAttention(
            self.settings["num_heads"], width, use_bias=False
        )
        self.mha.build(input_shape, input_shape)
        self.first = keras.layers.Dense(self.settings["d_ff"])
        self.first.build(input_shape)
        self.second = keras.layers.Dense(self.settings["d_model"])
        self.second.build((*input_shape[:-1], self.settings["d_ff"]))
        self.norms = [keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(2)]
        for norm in self.norms:
            norm.build(input_shape)
        self.drop = keras.layers.Dropout(self.settings["dropout"])

    def call(self, x, attention_mask=None, training=None):
        def sublayer(x, function, norm):
            return norm(x + self.drop(function(x), training=training))

        def attend(x):
            return self.mha(x, x, attention_mask=attention_mask, training=training)

        def transform(x):
            return self.second(keras.activations.relu(self.first(x)))

        return sublayer(sublayer(x, attend, self.norms[0]), transform, self.norms[1])

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="EncoderLayer" edits="Keras layers"
RELU_AT_THE_END = (
    "The second layer of the feed-forward network has a ReLU as well. It must be linear.",
    {"keras.layers.Dense(d_model)": 'keras.layers.Dense(d_model, activation="relu")'},
)
RELU_BEHIND = (
    "The ReLU stands behind the second layer of the feed-forward network. It belongs between the "
    "two.",
    {
        'Dense(d_ff, activation="relu")': "Dense(d_ff)",
        "keras.layers.Dense(d_model)": 'keras.layers.Dense(d_model, activation="relu")',
    },
)
NO_BIASES = (
    "A layer of the feed-forward network has no bias. Only the attention has none.",
    {'activation="relu")': 'activation="relu", use_bias=False)'},
    {"keras.layers.Dense(d_model)": "keras.layers.Dense(d_model, use_bias=False)"},
    {
        'activation="relu")': 'activation="relu", use_bias=False)',
        "keras.layers.Dense(d_model)": "keras.layers.Dense(d_model, use_bias=False)",
    },
)


# %% exercise="EncoderLayer" edits="attention with Dense and reshape"
HEADS_NOT_TRANSPOSED = (
    "The features are reshaped to (batch, heads, time, width) at once, so a head mixes those of "
    "several tokens. Reshape to (batch, time, heads, width) and exchange the two axes.",
    {
        "x = ops.reshape(x, (-1, ops.shape(x)[1], num_heads, x.shape[-1] // num_heads))\n"
        "        return ops.transpose(x, (0, 2, 1, 3))": (
            "width = x.shape[-1] // num_heads\n"
            "        return ops.reshape(x, (-1, num_heads, ops.shape(x)[1], width))"
        ),
        "ops.transpose(ops.softmax(scores) @ v, (0, 2, 1, 3))": "ops.softmax(scores) @ v",
    },
)


# %% exercise="EncoderLayer" wrong="MADE_IN_CALL"
class EncoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.sizes = d_model, num_heads, d_ff

    def call(self, x, attention_mask=None, training=None):
        d_model, num_heads, d_ff = self.sizes
        attend = keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
        attended = attend(x, x, attention_mask=attention_mask)
        x = keras.layers.LayerNormalization(epsilon=1e-6)(x + attended)
        hidden = keras.layers.Dense(d_ff, activation="relu")(x)
        x = x + keras.layers.Dense(d_model)(hidden)
        return keras.layers.LayerNormalization(epsilon=1e-6)(x)


# %% exercise="EncoderLayer" edits="Keras layers"
LAYER_IN_CONFIG = (
    "get_config returns a layer where __init__ takes a number. Keep the rate of the dropout under "
    "a name of its own, and return that.",
    {"**self.settings}": '**self.settings, "dropout": self.dropout_1}'},
)
MASK_FOR_QUERIES = (
    "The mask is the fourth argument of keras.layers.MultiHeadAttention here, which is query_mask. "
    "Pass it by its name, as attention_mask.",
    {"x, x, attention_mask=attention_mask": "x, x, x, attention_mask"},
)


# %% exercise="EncoderLayer" edits="attention with Dense and reshape"
SCALED_UP = (
    "The scores are multiplied by the square root of the width of one head. Divide them by it.",
    {"/ np.sqrt(q.shape[-1])": "* np.sqrt(q.shape[-1])"},
)
PROJECTION_RELU = (
    "A projection of the attention has an activation. All four are linear.",
    {"self.w_q = keras.layers.Dense(d_model,": 'self.w_q = keras.layers.Dense(d_model, "relu",'},
    {"self.w_v = keras.layers.Dense(d_model,": 'self.w_v = keras.layers.Dense(d_model, "relu",'},
)
NO_OUTPUT_PROJECTION = (
    "The projection of the output is missing. It mixes what the heads have found.",
    {
        "        self.w_o = keras.layers.Dense(d_model, use_bias=False)\n": "",
        "self.w_o(ops.reshape(merged, ops.shape(x)))": "ops.reshape(merged, ops.shape(x))",
    },
)
PROJECTION_SHARED = (
    "Two of the projections share their weights. Queries, keys and values need one each.",
    {
        "        self.w_v = keras.layers.Dense(d_model, use_bias=False)\n": "",
        "self.w_v(x)": "self.w_k(x)",
    },
    {
        "        self.w_k = keras.layers.Dense(d_model, use_bias=False)\n": "",
        "self.w_k(x)": "self.w_q(x)",
    },
)
MASK_NOT_LOW_ENOUGH = (
    "The score of hidden keys is not low enough, so they still have a weight. Use -1e9.",
    {"scores, -1e9)": "scores, -10.0)"},
)
MASK_OF_LAST_QUERY = (
    "All queries get the mask of the last one. Each has a row of its own.",
    {"mask[:, None]": "mask[:, None, -1:]"},
)


# %% exercise="EncoderLayer" edits="attention with Dense and reshape" wrong="HEADS_NOT_TRANSPOSED"
{
    "x = ops.reshape(x, (-1, ops.shape(x)[1], num_heads, x.shape[-1] // num_heads))\n"
    "        return ops.transpose(x, (0, 2, 1, 3))": (
        "return ops.reshape(x, (-1, num_heads, ops.shape(x)[1], x.shape[-1] // num_heads))"
    )
}


# %% exercise="EncoderLayer" edits="Keras layers"
ONE_HEAD_RESTORED = (
    "A layer that was created again by from_config has another number of heads. get_config must "
    "return num_heads, not the width of one head.",
    {"**self.settings}": '**self.settings, "num_heads": self.attention.key_dim}'},
)


# %% exercise="EncoderLayer" edits="Keras layers" wrong="NORM_OVER_TIME"
{"(epsilon=1e-6)\n        self.dense_1": "(axis=[1, 2], epsilon=1e-6)\n        self.dense_1"}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="EPSILON_LARGE"
{"(epsilon=1e-6)\n        self.dense_1": "(epsilon=0.1)\n        self.dense_1"}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="MADE_IN_CALL"
{
    "self.dense_2(self.dense_1(x))": (
        'keras.layers.Dense(self.settings["d_model"])('
        'keras.layers.Dense(self.settings["d_ff"], activation="relu")(x))'
    )
}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="DROPOUT_BY_DEFAULT"
{"dropout=0.0": "dropout=0.1"}
{"(dropout)\n        ": "(0.1)\n        ", "(dropout)\n\n    ": "(0.1)\n\n    "}


# %% exercise="EncoderLayer" edits="Keras layers" wrong="TRAINABLE_LOST"
{
    "{**super().get_config(), **self.settings}": (
        '{"name": self.name, "trainable": self.trainable, **self.settings}'
    )
}


# %% exercise="EncoderLayer" right="Keras's default epsilon"
class EncoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.attend = keras.layers.MultiHeadAttention(
            num_heads=num_heads, key_dim=d_model // num_heads, use_bias=False
        )
        self.network = keras.Sequential(
            [keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)]
        )
        self.drops = [keras.layers.Dropout(dropout), keras.layers.Dropout(dropout)]
        self.norms = [keras.layers.LayerNormalization(), keras.layers.LayerNormalization()]

    def call(self, x, attention_mask=None, training=None):
        a = self.attend(query=x, value=x, key=x, attention_mask=attention_mask)
        h = self.norms[0](keras.layers.add([x, self.drops[0](a, training=training)]))
        f = self.network(h)
        return self.norms[1](keras.layers.add([h, self.drops[1](f, training=training)]))

    def get_config(self):
        return super().get_config() | dict(self.settings)


# %% exercise="DecoderLayer" right="Keras layers"
class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "dropout": dropout,
        }
        heads = {"num_heads": num_heads, "key_dim": d_model // num_heads, "use_bias": False}
        self.self_attention = keras.layers.MultiHeadAttention(**heads)
        self.cross_attention = keras.layers.MultiHeadAttention(**heads)
        self.norm_1 = keras.layers.LayerNormalization(epsilon=1e-6)
        self.norm_2 = keras.layers.LayerNormalization(epsilon=1e-6)
        self.norm_3 = keras.layers.LayerNormalization(epsilon=1e-6)
        self.dense_1 = keras.layers.Dense(d_ff, activation="relu")
        self.dense_2 = keras.layers.Dense(d_model)
        self.dropout = keras.layers.Dropout(dropout)

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        attended = self.self_attention(x, x, attention_mask=self_mask)
        x = self.norm_1(x + self.dropout(attended, training=training))
        attended = self.cross_attention(x, memory, attention_mask=cross_mask)
        x = self.norm_2(x + self.dropout(attended, training=training))
        transformed = self.dense_2(self.dense_1(x))
        return self.norm_3(x + self.dropout(transformed, training=training))

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="DecoderLayer" edits="Keras layers"
KEYS_FROM_TARGET = (
    "The keys or the values of the cross-attention come from the target. Both must come from the "
    "memory.",
    {", attention_mask=cross_mask": ", key=x, attention_mask=cross_mask"},
)
QUERY_FROM_MEMORY = (
    "The queries of the cross-attention come from the memory. They must come from the target, "
    "and only keys and values come from the memory.",
    {"x, memory, attention_mask=cross_mask": "memory, x"},
)


# %% exercise="DecoderLayer" edits="Keras layers" wrong="DROPOUT_ELSEWHERE"
{
    "self.norm_2(x + self.dropout(attended, training=training))": (
        "self.dropout(self.norm_2(x + attended), training=training)"
    )
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="DROPOUT_MISSING"
{"self.norm_2(x + self.dropout(attended, training=training))": "self.norm_2(x + attended)"}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="NOT_RESTORED"
{"{**super().get_config(), **self.settings}": "super().get_config()"}
{", **kwargs": "", "(**kwargs)": "()"}
{
    "return {**super().get_config(), **self.settings}": (
        'config = {**super().get_config(), **self.settings}\n        del config["d_model"]\n'
        "        return config"
    )
}
{
    "return {**super().get_config(), **self.settings}": (
        'config = {**super().get_config(), **self.settings}\n        del config["num_heads"]\n'
        "        return config"
    )
}
{
    "return {**super().get_config(), **self.settings}": (
        'config = {**super().get_config(), **self.settings}\n        del config["d_ff"]\n'
        "        return config"
    )
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="NAME_LOST"
{"(**kwargs)": "()"}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="PRE_NORM"
{
    "attended = self.self_attention(x, x, ": (
        "h = self.norm_1(x)\n        attended = self.self_attention(h, h, "
    ),
    "self.norm_1(x + self.dropout(attended, training=training))": (
        "x + self.dropout(attended, training=training)"
    ),
    "self.cross_attention(x, ": "self.cross_attention(self.norm_2(x), ",
    "self.norm_2(x + self.dropout(attended, training=training))": (
        "x + self.dropout(attended, training=training)"
    ),
    "self.dense_1(x)": "self.dense_1(self.norm_3(x))",
    "self.norm_3(x + self.dropout(transformed, training=training))": (
        "x + self.dropout(transformed, training=training)"
    ),
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="DROPOUT_NOT_RESTORED"
{"**self.settings}": '**self.settings, "dropout": 0.1}'}
{
    "return {**super().get_config(), **self.settings}": (
        'settings = {name: self.settings[name] for name in ("d_model", "num_heads", "d_ff")}\n'
        "        return {**super().get_config(), **settings}"
    )
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="NORM_BEFORE_SUM"
{
    "self.norm_1(x +": "x + self.norm_1(",
    "self.norm_2(x +": "x + self.norm_2(",
    "self.norm_3(x +": "x + self.norm_3(",
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="NO_RESIDUAL"
{"self.norm_1(x +": "self.norm_1("}
{"self.norm_2(x +": "self.norm_2("}
{
    "x + self.dropout(transformed, training=training)": (
        "self.dropout(transformed, training=training)"
    )
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="TOO_FEW_NORMS"
{"self.norm_3 = keras.layers.LayerNormalization(epsilon=1e-6)": "self.norm_3 = self.norm_2"}
{
    "self.norm_2 = keras.layers.LayerNormalization(epsilon=1e-6)": "self.norm_2 = self.norm_1",
    "self.norm_3 = keras.layers.LayerNormalization(epsilon=1e-6)": "self.norm_3 = self.norm_1",
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="GELU"
{'"relu"': '"gelu"'}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="NO_RELU"
{', activation="relu"': ""}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="ATTENTION_BIASES"
{', "use_bias": False': ""}
{
    "self.cross_attention = keras.layers.MultiHeadAttention(**heads)": (
        'self.cross_attention = keras.layers.MultiHeadAttention(**{**heads, "use_bias": True})'
    )
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="HEAD_WIDTH"
{"d_model // num_heads": "d_model"}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="OTHER_CONFIG"
{"**self.settings}": '**self.settings, "num_heads": 2}'}


# %% exercise="DecoderLayer" edits="Keras layers"
MASKS_IN_OTHER_ORDER = (
    "The arguments of call stand in another order. The order is x, memory, self_mask, cross_mask, "
    "training.",
    {"self_mask=None, cross_mask=None": "cross_mask=None, self_mask=None"},
)
CROSS_MASK_FOR_BOTH = (
    "Without self_mask, the self-attention receives cross_mask. None means that it has no mask.",
    {
        "attended = self.self_attention": (
            "if self_mask is None and cross_mask is not None:\n"
            "            self_mask = cross_mask if cross_mask.shape[-1] == x.shape[1] else None\n"
            "        attended = self.self_attention"
        )
    },
)


# %% exercise="DecoderLayer" edits="Keras layers"
SELF_MASK_IGNORED = (
    "self_mask is ignored. Pass it to the self-attention.",
    {", attention_mask=self_mask": ""},
)
CROSS_MASK_IGNORED = (
    "cross_mask is ignored. Pass it to the cross-attention.",
    {", attention_mask=cross_mask": ""},
)
SELF_MASK_TWICE = (
    "The cross-attention receives self_mask. Pass cross_mask to it, and self_mask to the "
    "self-attention.",
    {"=cross_mask": "=self_mask"},
)


# %% exercise="DecoderLayer" edits="Keras layers" wrong="SELF_MASK_TWICE"
{"=self_mask": "=cross_mask", "=cross_mask": "=self_mask"}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="CAUSAL_ADDED"
{"=self_mask": "=self_mask, use_causal_mask=True"}


# %% exercise="DecoderLayer" edits="Keras layers"
MEMORY_KEPT = (
    "The memory of an earlier call is used again. Use the argument memory of each call.",
    {
        "attended = self.self_attention": (
            'memory = vars(self).setdefault("kept", {}).setdefault(tuple(memory.shape), memory)\n'
            "        attended = self.self_attention"
        )
    },
)
CROSS_IS_SELF = (
    "The cross-attention does not read the memory. Its keys and values must come from the memory.",
    {"memory, attention_mask=cross_mask": "x"},
)
QUERY_FROM_INPUT = (
    "The queries of the cross-attention come from the input x. They must come from the normalised "
    "output of the self-attention.",
    {
        "x = self.norm_1": "h = self.norm_1",
        "x = self.norm_2(x": "h = self.norm_2(h",
        "self.dense_1(x)": "self.dense_1(h)",
        "self.norm_3(x": "self.norm_3(h",
    },
)
CROSS_FIRST = (
    "The cross-attention comes before the self-attention. It must come after it.",
    {
        "self.self_attention(x, x, attention_mask=self_mask)": (
            "self.cross_attention(x, memory, attention_mask=cross_mask)"
        ),
        "self.cross_attention(x, memory, attention_mask=cross_mask)": (
            "self.self_attention(x, x, attention_mask=self_mask)"
        ),
    },
)
ONE_ATTENTION = (
    "The self-attention and the cross-attention share their weights. Each needs projections of "
    "its own.",
    {
        "self.cross_attention = keras.layers.MultiHeadAttention(**heads)": (
            "self.cross_attention = self.self_attention"
        )
    },
)


# %% exercise="DecoderLayer" edits="Keras layers" wrong="DROPOUT_ALWAYS"
{
    "Dropout(dropout)": "Dropout(dropout, seed=1)",
    "1(x + self.dropout(attended, training=training": "1(x + self.dropout(attended, training=True",
    "2(x + self.dropout(attended, training=training": "2(x + self.dropout(attended, training=True",
    "transformed, training=training": "transformed, training=True",
}


# %% exercise="DecoderLayer" wrong="CROSS_RESIDUAL"
CROSS_RESIDUAL = (
    "The input x of the whole layer is added to the output of the cross-attention. Add the input "
    "of the cross-attention."
)


class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kw):
        super().__init__(**kw)
        self.cfg = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.a1, self.a2 = (
            keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
            for _ in range(2)
        )
        self.n1, self.n2, self.n3 = (
            keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(3)
        )
        self.ffn = keras.Sequential(
            [keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)]
        )
        self.d = [keras.layers.Dropout(dropout) for _ in range(3)]

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        h = self.n1(x + self.d[0](self.a1(x, x, attention_mask=self_mask), training=training))
        g = self.n2(x + self.d[1](self.a2(h, memory, attention_mask=cross_mask), training=training))
        return self.n3(g + self.d[2](self.ffn(g), training=training))

    def get_config(self):
        return super().get_config() | self.cfg


# %% exercise="DecoderLayer" wrong="FEED_FORWARD_RESIDUAL"
FEED_FORWARD_RESIDUAL = (
    "The input of the cross-attention is added to the output of the feed-forward network. Add the "
    "input of the feed-forward network."
)


class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kw):
        super().__init__(**kw)
        self.cfg = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.a1, self.a2 = (
            keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
            for _ in range(2)
        )
        self.n1, self.n2, self.n3 = (
            keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(3)
        )
        self.ffn = keras.Sequential(
            [keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)]
        )
        self.d = [keras.layers.Dropout(dropout) for _ in range(3)]

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        h = self.n1(x + self.d[0](self.a1(x, x, attention_mask=self_mask), training=training))
        g = self.n2(h + self.d[1](self.a2(h, memory, attention_mask=cross_mask), training=training))
        return self.n3(h + self.d[2](self.ffn(g), training=training))

    def get_config(self):
        return super().get_config() | self.cfg


# %% exercise="DecoderLayer" wrong="FEED_FORWARD_INPUT"
FEED_FORWARD_INPUT = (
    "The feed-forward network reads the output of the self-attention. It must read the normalised "
    "output of the cross-attention."
)


class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kw):
        super().__init__(**kw)
        self.cfg = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.a1, self.a2 = (
            keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
            for _ in range(2)
        )
        self.n1, self.n2, self.n3 = (
            keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(3)
        )
        self.ffn = keras.Sequential(
            [keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)]
        )
        self.d = [keras.layers.Dropout(dropout) for _ in range(3)]

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        h = self.n1(x + self.d[0](self.a1(x, x, attention_mask=self_mask), training=training))
        g = self.n2(h + self.d[1](self.a2(h, memory, attention_mask=cross_mask), training=training))
        return self.n3(g + self.d[2](self.ffn(h), training=training))

    def get_config(self):
        return super().get_config() | self.cfg


# %% exercise="DecoderLayer" wrong="NO_CROSS"
NO_CROSS = (
    "The cross-attention is missing. It stands between the self-attention and the feed-forward "
    "network."
)


class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kw):
        super().__init__(**kw)
        self.cfg = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.a1, self.a2 = (
            keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
            for _ in range(2)
        )
        self.n1, self.n2, self.n3 = (
            keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(3)
        )
        self.ffn = keras.Sequential(
            [keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)]
        )
        self.d = [keras.layers.Dropout(dropout) for _ in range(3)]

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        h = self.n1(x + self.d[0](self.a1(x, x, attention_mask=self_mask), training=training))
        g = h
        return self.n3(g + self.d[2](self.ffn(g), training=training))

    def get_config(self):
        return super().get_config() | self.cfg


# %% exercise="DecoderLayer" wrong="TUPLE"
TUPLE = "A tuple came back. Return the output of the last layer normalisation alone."


class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kw):
        super().__init__(**kw)
        self.cfg = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.a1, self.a2 = (
            keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
            for _ in range(2)
        )
        self.n1, self.n2, self.n3 = (
            keras.layers.LayerNormalization(epsilon=1e-5) for _ in range(3)
        )
        self.ffn = keras.Sequential(
            [keras.layers.Dense(d_ff, activation="relu"), keras.layers.Dense(d_model)]
        )
        self.d = [keras.layers.Dropout(dropout) for _ in range(3)]

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        h = self.n1(x + self.d[0](self.a1(x, x, attention_mask=self_mask), training=training))
        g = self.n2(h + self.d[1](self.a2(h, memory, attention_mask=cross_mask), training=training))
        return self.n3(g + self.d[2](self.ffn(g), training=training)), g

    def get_config(self):
        return super().get_config() | self.cfg


# %% exercise="DecoderLayer" right="lists of sublayers, Keras's default epsilon"
class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "dropout": dropout,
        }
        self.attentions = [
            keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
            for _ in range(2)
        ]
        self.norms = [keras.layers.LayerNormalization() for _ in range(3)]
        self.drops = [keras.layers.Dropout(dropout) for _ in range(3)]
        self.ffn = keras.Sequential(
            [keras.layers.Dense(d_ff), keras.layers.ReLU(), keras.layers.Dense(d_model)]
        )

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        functions = [
            lambda x: self.attentions[0](query=x, value=x, attention_mask=self_mask),
            lambda x: self.attentions[1](x, memory, memory, attention_mask=cross_mask),
            self.ffn,
        ]
        for function, drop, norm in zip(functions, self.drops, self.norms, strict=True):
            x = norm(x + drop(function(x), training=training))
        return x

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="DecoderLayer" right="own attention, weights in another order"
class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "dropout": dropout,
        }
        self.dense_2 = keras.layers.Dense(d_model)
        self.norms = [keras.layers.LayerNormalization(epsilon=1e-3) for _ in range(3)]
        names = [f"{kind}_{name}" for kind in ("cross", "own") for name in ("o", "k", "v", "q")]
        for name in names:
            setattr(self, name, keras.layers.Dense(d_model, use_bias=False))
        self.dense_1 = keras.layers.Dense(d_ff, activation=ops.relu)
        self.dropout = keras.layers.Dropout(dropout)

    def attend(self, kind, queries, keys, mask):
        num_heads = self.settings["num_heads"]
        width = self.settings["d_model"] // num_heads

        def heads(name, x):
            projected = getattr(self, f"{kind}_{name}")(x)
            return ops.reshape(projected, (-1, ops.shape(x)[1], num_heads, width))

        q, k, v = heads("q", queries), heads("k", keys), heads("v", keys)
        scores = ops.einsum("bqhw,bkhw->bhqk", q, k) / math.sqrt(width)
        if mask is not None:
            scores = ops.where(ops.expand_dims(mask, 1), scores, -math.inf)
        mixed = ops.einsum("bhqk,bkhw->bqhw", ops.softmax(scores), v)
        mixed = ops.reshape(mixed, (-1, ops.shape(queries)[1], self.settings["d_model"]))
        return getattr(self, f"{kind}_o")(mixed)

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        x = self.norms[2](x + self.dropout(self.attend("own", x, x, self_mask)))
        x = self.norms[0](x + self.dropout(self.attend("cross", x, memory, cross_mask)))
        return self.norms[1](x + self.dropout(self.dense_2(self.dense_1(x))))

    def get_config(self):
        return {**super().get_config(), **self.settings}


# %% exercise="DecoderLayer" right="an encoder layer's class extended"
class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.d_model, self.num_heads, self.d_ff, self.rate = d_model, num_heads, d_ff, dropout
        self.blocks = {}
        for kind in ("own", "cross"):
            attention = keras.layers.MultiHeadAttention(
                num_heads, d_model // num_heads, use_bias=False, name=kind
            )
            self.blocks[kind] = (
                attention,
                keras.layers.LayerNormalization(),
                keras.layers.Dropout(dropout),
            )
        self.hidden = keras.layers.Dense(d_ff, "relu")
        self.back = keras.layers.Dense(d_model)
        self.last = (keras.layers.LayerNormalization(), keras.layers.Dropout(dropout))

    def attended(self, kind, x, memory, mask, training):
        attention, norm, dropout = self.blocks[kind]
        change = attention(x, memory, attention_mask=mask, training=training)
        return norm(x + dropout(change, training=training))

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        h = self.attended("own", x, x, self_mask, training)
        h = self.attended("cross", h, memory, cross_mask, training)
        norm, dropout = self.last
        return norm(h + dropout(self.back(self.hidden(h)), training=training))

    def get_config(self):
        config = super().get_config()
        config.update(d_model=self.d_model, num_heads=self.num_heads)
        config.update(d_ff=self.d_ff, dropout=self.rate)
        return config


# %% exercise="DecoderLayer" edits="Keras layers"
CROSS_MASK_FOR_SELF = (
    "The self-attention receives cross_mask. Its mask is self_mask.",
    {"attention_mask=self_mask": "attention_mask=cross_mask"},
)


# %% exercise="DecoderLayer" edits="Keras layers"
CROSS_AT_THE_END = (
    "The cross-attention comes after the feed-forward network. It must come before it.",
    {
        "        attended = self.cross_attention(x, memory, attention_mask=cross_mask)\n"
        "        x = self.norm_2(x + self.dropout(attended, training=training))\n": "",
        "return self.norm_3(x + self.dropout(transformed, training=training))": (
            "x = self.norm_2(x + self.dropout(transformed, training=training))\n"
            "        attended = self.cross_attention(x, memory, attention_mask=cross_mask)\n"
            "        return self.norm_3(x + self.dropout(attended, training=training))"
        ),
    },
)


# %% exercise="DecoderLayer" wrong="MADE_IN_CALL"
class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.sizes = d_model, num_heads, d_ff

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        d_model, num_heads, d_ff = self.sizes
        for keys, mask in ((x, self_mask), (memory, cross_mask)):
            attend = keras.layers.MultiHeadAttention(
                num_heads, d_model // num_heads, use_bias=False
            )
            attended = attend(x, keys, attention_mask=mask)
            x = keras.layers.LayerNormalization(epsilon=1e-6)(x + attended)
        hidden = keras.layers.Dense(d_ff, activation="relu")(x)
        x = x + keras.layers.Dense(d_model)(hidden)
        return keras.layers.LayerNormalization(epsilon=1e-6)(x)


# %% exercise="DecoderLayer" edits="Keras layers"
CAUSAL_WITH_ANY_MASK = (
    "With any self_mask the self-attention hides the future as well. It must hide only what "
    "self_mask hides.",
    {
        "attention_mask=self_mask": (
            "attention_mask=self_mask, use_causal_mask=self_mask is not None"
        )
    },
)


# %% exercise="DecoderLayer" edits="own attention, weights in another order" wrong="BY_D_MODEL"
{"math.sqrt(width)": 'math.sqrt(self.settings["d_model"])'}


# %% exercise="DecoderLayer" edits="Keras layers"
MASKS_FOR_QUERIES = (
    "A mask is the fourth argument of keras.layers.MultiHeadAttention here, which is query_mask. "
    "Pass it by its name, as attention_mask.",
    {"x, x, attention_mask=self_mask": "x, x, x, self_mask"},
    {"memory, attention_mask=cross_mask": "memory, memory, cross_mask"},
)
CROSS_CAUSAL = (
    "The cross-attention is causal. A token of the target may attend to the whole memory.",
    {"attention_mask=cross_mask": "attention_mask=cross_mask, use_causal_mask=True"},
)
CROSS_ONE_HEAD = (
    "One of the attentions has only one head of the full width. Both have num_heads heads.",
    {
        "self.cross_attention = keras.layers.MultiHeadAttention(**heads)": (
            "self.cross_attention = keras.layers.MultiHeadAttention(1, d_model, use_bias=False)"
        )
    },
)
MEMORY_NORMALISED = (
    "The memory is normalised once more. The encoder's last layer has done so; use it as it is.",
    {
        "attended = self.cross_attention": (
            "memory -= ops.mean(memory, -1, keepdims=True)\n"
            "        memory /= ops.sqrt(ops.var(memory, -1, keepdims=True) + 1e-6)\n"
            "        attended = self.cross_attention"
        )
    },
)
MEMORY_FIRST = (
    "call takes memory before x. The order is x, memory, self_mask, cross_mask, training.",
    {"call(self, x, memory,": "call(self, memory, x,"},
)
MASK_OF_ONE_QUERY = (
    "All queries get the mask of one of them. Each has a row of its own.",
    {
        "attended = self.cross_attention": (
            "cross_mask = None if cross_mask is None else cross_mask[:, :1]\n"
            "        attended = self.cross_attention"
        )
    },
)
MEMORY_GRADIENT = (
    "No gradient reaches the memory, so the encoder would not be trained. Leave out "
    "ops.stop_gradient.",
    {"(x, memory, attention_mask": "(x, ops.stop_gradient(memory), attention_mask"},
)


# %% exercise="DecoderLayer" edits="Keras layers" wrong="HEAD_WIDTH"
{
    "self.self_attention = keras.layers.MultiHeadAttention(**heads)": (
        "self.self_attention = keras.layers.MultiHeadAttention(num_heads, d_model, use_bias=False)"
    )
}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="TRAINABLE_LOST"
{"{**super().get_config(), **self.settings}": '{"name": self.name, **self.settings}'}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="DROPOUT_BY_DEFAULT"
{"dropout=0.0": "dropout=0.1"}


# %% exercise="DecoderLayer" wrong="MADE_IN_CALL"
class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.args = dict(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        key_dim = d_model // num_heads
        self.self_att = keras.layers.MultiHeadAttention(num_heads, key_dim, use_bias=False)
        self.cross_att = keras.layers.MultiHeadAttention(num_heads, key_dim, use_bias=False)
        self.norms = [keras.layers.LayerNormalization(epsilon=1e-6) for _ in range(3)]
        self.drop = keras.layers.Dropout(dropout)

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        a = self.self_att(x, x, attention_mask=self_mask)
        h = self.norms[0](x + self.drop(a, training=training))
        c = self.cross_att(h, memory, attention_mask=cross_mask)
        g = self.norms[1](h + self.drop(c, training=training))
        f = keras.layers.Dense(self.args["d_ff"], activation="relu")(g)
        f = keras.layers.Dense(self.args["d_model"])(f)
        return self.norms[2](g + self.drop(f, training=training))

    def get_config(self):
        return {**super().get_config(), **self.args}


# %% exercise="DecoderLayer" edits="Keras layers" wrong="TRAINABLE_LOST"
{
    "{**super().get_config(), **self.settings}": (
        '{"name": self.name, "trainable": self.trainable, **self.settings}'
    )
}


# %% exercise="DecoderLayer" right="Keras's default epsilon"
class DecoderLayer(keras.layers.Layer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.args = (d_model, num_heads, d_ff, dropout)
        self.attentions = [
            keras.layers.MultiHeadAttention(num_heads, d_model // num_heads, use_bias=False)
            for _ in range(2)
        ]
        self.network = [keras.layers.Dense(d_ff, "relu"), keras.layers.Dense(d_model)]
        self.norms = [keras.layers.LayerNormalization() for _ in range(3)]
        self.drops = [keras.layers.Dropout(dropout) for _ in range(3)]

    def call(self, x, memory, self_mask=None, cross_mask=None, training=None):
        def feed_forward_network(h):
            for dense in self.network:
                h = dense(h)
            return h

        steps = [
            lambda h: self.attentions[0](h, h, attention_mask=self_mask, training=training),
            lambda h: self.attentions[1](h, memory, attention_mask=cross_mask, training=training),
            feed_forward_network,
        ]
        for step, norm, drop in zip(steps, self.norms, self.drops, strict=True):
            x = norm(x + drop(step(x), training=training))
        return x

    def get_config(self):
        names = ("d_model", "num_heads", "d_ff", "dropout")
        return {**super().get_config(), **dict(zip(names, self.args, strict=True))}


# %% exercise="greedy_decode" right="one column at a time"
def greedy_decode(next_logits, start_id, end_id, max_length, batch_size):
    ids, ended = np.full((batch_size, 1), start_id), np.zeros(batch_size, dtype=bool)
    for _ in range(max_length):
        tokens = next_logits(ids).argmax(axis=1)
        tokens[ended] = end_id
        ended |= tokens == end_id
        ids = np.concatenate([ids, tokens[:, None]], axis=1)
        if ended.all():
            break
    return ids[:, 1:]


# %% exercise="greedy_decode" edits="one column at a time"
START_KEPT = "The start token is part of the result. Leave it out.", {"[:, 1:]": ""}
START_MISSING = (
    "The ids that next_logits receives do not begin with the start token.",
    {"np.full((batch_size, 1), start_id)": "np.zeros((batch_size, 0), dtype=int)", "[:, 1:]": ""},
    {"(ids)": "(ids if ids.shape[1] == 1 else ids[:, 1:])"},
)
LAST_TOKEN_ONLY = (
    "next_logits receives only the last token. It needs all tokens so far, beginning with the "
    "start token.",
    {"(ids)": "(ids[:, -1:])"},
)
SOME_ROWS = (
    "next_logits is called for some of the rows only. Call it once per step, for all rows "
    "together.",
    {
        "tokens = next_logits(ids).argmax(axis=1)\n        tokens[ended] = end_id": (
            "logits = np.concatenate([next_logits(row[None]) for row in ids])\n"
            "        tokens = np.where(ended, end_id, logits.argmax(axis=1))"
        )
    },
)
BATCH_FIXED = (
    "The number of rows is fixed. Use the argument batch_size.",
    {"batch_size, 1": "2, 1", "batch_size, dtype=bool": "2, dtype=bool"},
)


# %% exercise="greedy_decode" edits="one column at a time" wrong="SOME_ROWS"
{
    "ended = np.full((batch_size, 1), start_id), np.zeros(batch_size, dtype=bool)": (
        "running = np.full((batch_size, 1), start_id), np.arange(batch_size)"
    ),
    "tokens = next_logits(ids)": (
        "tokens = np.full(batch_size, end_id)\n        tokens[running] = next_logits(ids[running])"
    ),
    "        tokens[ended] = end_id\n        ended |= tokens == end_id\n": "",
    "if ended.all()": "running = running[tokens[running] != end_id]\n        if not running.size",
}


# %% exercise="greedy_decode" edits="one column at a time"
STOPS_AT_FIRST = (
    "The loop stops when the first row has ended. It must continue until all rows have ended.",
    {".all": ".any"},
)
MAX_LENGTH_IGNORED = (
    "The loop ignores max_length. It must stop after max_length steps at the latest.",
    {"for _ in range(max_length)": "while True"},
)
STOPS_TOGETHER = (
    "The loop stops only if all rows write end_id in the same step. A row that wrote end_id "
    "earlier has ended, too.",
    {
        "        tokens[ended] = end_id\n        ended |= tokens == end_id\n": "",
        "tokens[:, None]": "np.where(ended, end_id, tokens)[:, None]",
        "if ended.all()": "ended |= tokens == end_id\n        if (tokens == end_id).all()",
    },
)
ENDS_COUNTED = (
    "The loop counts how often end_id was written. A row can write it more than once, so ask for "
    "every row whether it has ended.",
    {"ended.all()": "(ids[:, 1:] == end_id).sum() >= batch_size"},
)


# %% exercise="greedy_decode" wrong="ENDS_COUNTED"
def greedy_decode(next_logits, start_id, end_id, max_length, batch_size):
    ids = np.full((batch_size, 1), start_id)
    while ids.shape[1] <= max_length and (ids[:, 1:] == end_id).sum() < batch_size:
        tokens = next_logits(ids).argmax(axis=1)
        ids = np.concatenate([ids, tokens[:, None]], axis=1)
    ids = ids[:, 1:]
    ended = np.cumsum(ids == end_id, axis=1) > 0
    return np.where(ended, end_id, ids)


# %% exercise="greedy_decode" edits="one column at a time"
ENDED_TOGETHER = (
    "When one row has ended, all rows write end_id. The others must go on with their own tokens.",
    {"tokens[ended] = end_id": "tokens[:] = end_id if ended.any() else tokens"},
)
NEVER_STOPS_EARLY = (
    "The result always has max_length columns. It must have one for each step that "
    "is taken, and the loop must stop when every row has ended.",
    {"        if ended.all():\n            break\n": ""},
)
NOT_FILLED = (
    "The tokens that a row writes after its end are kept. Set them to end_id.",
    {"tokens[ended] = end_id\n        ": ""},
)
FILLED_WITH_ZERO = (
    "The tokens after the end of a row are set to 0. Set them to end_id.",
    {"tokens[ended] = end_id": "tokens[ended] = 0"},
)
ONE_STEP_MORE = (
    "The loop takes one step too many. It may take at most max_length steps.",
    {"(max_length)": "(max_length + 1)"},
)
ONE_STEP_LESS = (
    "The loop takes one step too few. The start token does not count towards max_length.",
    {"(max_length)": "(max(max_length - 1, 1))"},
)
LAST_STEP_LOST = (
    "The step in which the last row ends is missing. It is part of the result.",
    {
        "ids = np": "if ended.all():\n            break\n        ids = np",
        "        if ended.all():\n            break\n": "",
    },
)
SMALLEST = (
    "The token with the smallest logit is chosen. Choose the token with the largest logit.",
    {"argmax": "argmin"},
)
OVER_ROWS = (
    "The argmax runs over the rows. It must run over the vocabulary, which is axis 1.",
    {"(axis=1)": "(axis=0)[:batch_size]"},
)
THREE_AXES = (
    "The logits are treated as if they had an axis for the positions. next_logits returns them "
    "with the shape (batch, vocab), for the next token only.",
    {"(ids)": "(ids)[:, -1]"},
    {
        "next_logits(ids).argmax(axis=1)": "np.argmax(next_logits(ids)[:, -1], axis=-1)",
        "tokens[ended] = end_id": "tokens = np.where(ended, end_id, tokens)",
    },
)
STEPS_FIRST = (
    "The axes of the result are swapped. It must have the shape (batch, steps).",
    {"ids[:, 1:]": "ids[:, 1:].T"},
)
IDS_FIXED = (
    "The id of the start or the end token is fixed. Use the arguments start_id and end_id.",
    {
        "(batch_size, 1), start_id": "(batch_size, 1), 1",
        "tokens[ended] = end_id": "tokens[ended] = 2",
        "== end_id": "== 2",
    },
    {"tokens[ended] = end_id": "tokens[ended] = 2", "== end_id": "== 2"},
    {"np.full((batch_size, 1), start_id)": "np.zeros((batch_size, 1), dtype=int)"},
    {"(batch_size, 1), start_id": "(batch_size, 1), 1"},
)
START_ONLY = (
    "next_logits always receives the start token alone. It needs all tokens so far.",
    {"(ids)": "(ids[:, :1])"},
)
FIRST_ROW_FOR_ALL = (
    "The token of the first row is written in all rows. Each row has logits of its own.",
    {"next_logits(ids).argmax(axis=1)": "next_logits(ids)[:1].argmax(axis=1).repeat(batch_size)"},
)
PREPENDED = (
    "New tokens are put in front of the others. Append them at the end.",
    {"[ids, tokens[:, None]]": "[tokens[:, None], ids]", "ids[:, 1:]": "ids[:, :-1]"},
    {"[ids, tokens[:, None]]": "[tokens[:, None], ids]"},
)
ENDS_ON_REPETITION = (
    "A row ends when it repeats a token. It ends when it writes end_id.",
    {"ended |= tokens == end_id": "ended |= (tokens == end_id) | (tokens == ids[:, -1])"},
)
LARGEST_SIZE = (
    "The logit that is farthest from 0 is chosen. Choose the largest one, without abs.",
    {"tokens = next_logits(ids)": "tokens = np.abs(next_logits(ids))"},
)
EXPONENTIALS_OVERFLOW = (
    "The exponentials of large logits overflow. The largest logit can be found without a softmax.",
    {
        "tokens = next_logits(ids).argmax(axis=1)": (
            "shares = np.exp(next_logits(ids))\n"
            "        tokens = (shares / shares.sum(axis=1, keepdims=True)).argmax(axis=1)"
        )
    },
)
FORCED_END = (
    "The last token of each row is set to end_id. A row that has not ended keeps its own tokens.",
    {"return ids[:, 1:]": "ids[:, -1] = end_id\n    return ids[:, 1:]"},
)
CALLED_TWICE = (
    "next_logits is called too often. Call it once per step, for all rows together.",
    {
        "range(max_length):": (
            "range(max_length):\n        assert np.isfinite(next_logits(ids)).all()"
        )
    },
)
LOGITS_POSITIVE = (
    "The function does not work when all logits are negative. Logits may have any sign.",
    {
        "tokens = next_logits(ids).argmax(axis=1)": (
            "best, tokens = np.zeros(batch_size), np.zeros(batch_size, dtype=int)\n"
            "        for token, logits in enumerate(next_logits(ids).T):\n"
            "            tokens, best = "
            "np.where(logits > best, token, tokens), np.maximum(logits, best)"
        )
    },
)


# %% exercise="greedy_decode" edits="one column at a time" wrong="NEVER_STOPS_EARLY"
{
    "break": (
        "break\n"
        "    missing = max_length + 1 - ids.shape[1]\n"
        "    ids = np.pad(ids, [(0, 0), (0, missing)], constant_values=end_id)"
    )
}


# %% exercise="greedy_decode" right="an array made beforehand"
def greedy_decode(next_logits, start_id, end_id, max_length, batch_size):
    ids = np.full((batch_size, max_length + 1), end_id)
    ids[:, 0] = start_id
    running = np.arange(batch_size)
    for step in range(1, max_length + 1):
        logits = np.asarray(next_logits(ids[:, :step].copy()))
        ids[running, step] = np.argmax(logits, axis=-1)[running]
        running = running[ids[running, step] != end_id]
        if not running.size:
            break
    return ids[:, 1 : step + 1]


# %% exercise="greedy_decode" right="lists, filled afterwards"
def greedy_decode(next_logits, start_id, end_id, max_length, batch_size):
    rows = [[start_id] for _ in range(batch_size)]
    while len(rows[0]) <= max_length and not all(end_id in row[1:] for row in rows):
        for row, logits in zip(rows, next_logits(np.array(rows)), strict=True):
            row.append(int(np.argmax(logits)))
    for row in rows:
        del row[0]
        if end_id in row:
            first = row.index(end_id)
            row[first:] = [end_id] * (len(row) - first)
    return rows


# %% exercise="greedy_decode" right="Keras"
def greedy_decode(next_logits, start_id, end_id, max_length, batch_size):
    ids = ops.full((batch_size, 1), start_id, dtype="int32")
    ended = ops.zeros((batch_size,), dtype="bool")
    for _ in range(max_length):
        tokens = ops.where(ended, end_id, ops.argmax(ops.softmax(next_logits(ids)), axis=-1))
        ended = ops.logical_or(ended, tokens == end_id)
        ids = ops.concatenate([ids, ops.cast(tokens, "int32")[:, None]], axis=1)
        if bool(ops.all(ended)):
            break
    return ids[:, 1:]


# %% exercise="greedy_decode" edits="one column at a time" wrong="NOT_INTEGERS"
{"start_id), np": "start_id, dtype=float), np"}


# %% exercise="greedy_decode" edits="one column at a time"
ENDS_CUT_OFF = (
    "end_id is cut off, so the rows are lists of different lengths. Everything after the first "
    "end_id of a row is set to end_id.",
    {
        "return ids[:, 1:]": "rows = ids[:, 1:].tolist()\n"
        "    return [[i for i in row if i != end_id] for row in rows]"
    },
)
ENDS_AT_START_ID = (
    "A row ends when it writes start_id. It ends when it writes end_id.",
    {"tokens == end_id": "tokens == start_id"},
)


# %% exercise="greedy_decode" edits="an array made beforehand"
WHOLE_ARRAY_FED = (
    "The whole array is fed, with the places that are not written yet. Feed the tokens so far.",
    {"ids[:, :step].copy()": "ids.copy()"},
)


# %% exercise="greedy_decode" edits="one column at a time" wrong="WHOLE_ARRAY_FED"
{"(ids)": "(np.pad(ids, [(0, 0), (0, max_length + 1 - ids.shape[1])]))"}


# %% exercise="greedy_decode" edits="one column at a time"
START_BANNED = (
    "A token is never written, although its logit is the largest: the start token, padding or the "
    "last token. Greedy decoding always chooses the largest logit.",
    {
        "tokens = next_logits(ids).argmax(axis=1)": (
            "logits = np.array(next_logits(ids), dtype=float)\n"
            "        logits[:, start_id] = -np.inf\n"
            "        tokens = logits.argmax(axis=1)"
        )
    },
    {"next_logits(ids).argmax(axis=1)": "next_logits(ids)[:, 1:].argmax(axis=1) + 1"},
)
NOT_THE_SAME_AGAIN = (
    "A row may not write the same token twice in a row. It may, when its logit is the largest.",
    {
        "tokens = next_logits(ids).argmax(axis=1)": (
            "logits = np.array(next_logits(ids), dtype=float)\n"
            "        logits[np.arange(batch_size), ids[:, -1]] = -np.inf\n"
            "        tokens = logits.argmax(axis=1)"
        )
    },
)
NO_END_AT_FIRST = (
    "The end is not noticed in the first step. A row that writes end_id at once has ended.",
    {"ended |= tokens == end_id": "ended |= (tokens == end_id) & (ids.shape[1] > 1)"},
)
ONE_ROW_ALWAYS = (
    "The loop begins with one row, whatever batch_size is. It begins with batch_size rows.",
    {"np.full((batch_size, 1), start_id)": "np.array([[start_id]])"},
)


# %% exercise="greedy_decode" edits="one column at a time" wrong="PREPENDED"
{"[ids, tokens[:, None]]": "[ids[:, :1], tokens[:, None], ids[:, 1:]]"}


# %% exercise="greedy_decode" wrong="PUT_IN_FRONT"
PUT_IN_FRONT = "The new token is put in front of the others. Put it behind them."


def greedy_decode(next_logits, start_id, end_id, max_length, batch_size):
    ids = np.full((batch_size, 1), start_id)
    ended = np.zeros(batch_size, dtype=bool)
    for _ in range(max_length):
        new = np.where(ended, end_id, np.argmax(next_logits(ids), axis=-1))
        ids = np.concatenate([new[:, None], ids], axis=1)
        ended = ended | (new == end_id)
        if ended.all():
            break
    return ids[:, :-1][:, ::-1]


# %% exercise="transformer_parameter_count" right="part by part"
def transformer_parameter_count(vocab_size, d_model=512, d_ff=2048, num_layers=6, tied=True):
    attention = 4 * d_model**2
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = attention + feed_forward + 2 * norm
    decoder = 2 * attention + feed_forward + 3 * norm
    matrices = 1 if tied else 3
    return num_layers * (encoder + decoder) + matrices * vocab_size * d_model


# %% exercise="transformer_parameter_count" edits="part by part"
POSITIONS_COUNTED = (
    "A table of positions is counted. The positions are sinusoidal and have no parameters.",
    {"+ matrices * vocab_size * d_model": "+ matrices * vocab_size * d_model + 512 * d_model"},
    {"+ matrices * vocab_size * d_model": "+ matrices * vocab_size * d_model + 2 * 512 * d_model"},
)
D_FF_FIXED = (
    "d_ff is taken to be 4 d_model. It is an argument of its own.",
    {"attention = 4": "d_ff = 4 * d_model\n    attention = 4"},
)
DECODER_LIKE_ENCODER = (
    "A decoder layer is counted like an encoder layer. It also has a second attention and a "
    "third norm.",
    {"2 * attention + feed_forward + 3 * norm": "encoder"},
)
ONE_ATTENTION_COUNTED = (
    "A decoder layer is counted with one attention. It has two.",
    {"2 * attention": "attention"},
)
NORM_MISSING = (
    "A layer is counted with one norm too few. An encoder layer has two and a decoder layer three.",
    {"3 * norm": "2 * norm"},
    {"+ 2 * norm": "+ norm"},
)
NO_NORMS = (
    "The parameters of the norms are missing. Each norm has a gamma and a beta.",
    {"norm = 2 * d_model": "norm = 0"},
)
HALF_NORMS = (
    "A norm is counted with d_model parameters. It has a gamma and a beta, so it has 2 d_model.",
    {"norm = 2 * d_model": "norm = d_model"},
)
BIASES_COUNTED = (
    "Biases are counted for the attention. Its projections have no biases.",
    {"d_model**2": "(d_model**2 + d_model)"},
)
NO_FFN_BIASES_COUNTED = (
    "The biases of the feed-forward network are missing. There are d_ff + d_model of them per "
    "layer.",
    {" + d_ff + d_model": ""},
)
ONE_FFN_BIAS = (
    "The biases of the feed-forward network are counted wrongly. There are two, with d_ff and "
    "d_model entries.",
    {" + d_model": ""},
    {"d_ff + d_model": "d_model"},
    {"d_ff + d_model": "2 * d_ff"},
    {"d_ff + d_model": "2 * d_model"},
)
ONE_FFN_MATRIX = (
    "The feed-forward network is counted with one matrix. It has two.",
    {"2 * d_model * d_ff": "d_model * d_ff"},
)
EMBEDDINGS_PER_LAYER = (
    "The embeddings are counted once for every layer. They stand in front of the stacks.",
    {"+ matrices": "+ num_layers * matrices"},
)
OTHER_DEFAULT = (
    "A size has another default. The defaults are d_model=512, d_ff=2048 and num_layers=6.",
    {"d_model=512": "d_model=256"},
    {"d_ff=2048": "d_ff=1024"},
    {"num_layers=6": "num_layers=12"},
)
THREE_PROJECTIONS = (
    "An attention is counted with three projections. It has four: queries, keys, values and "
    "output.",
    {"4 *": "3 *"},
)
ENCODER_ONLY = (
    "Only one of the two stacks is counted. There is an encoder and there is a decoder.",
    {
        " * norm\n    decoder = 2 * attention + feed_forward + 3": "",
        "(encoder + decoder)": "encoder",
    },
    {"encoder = attention + feed_forward + 2 * norm\n    ": "", "(encoder + decoder)": "decoder"},
)
ONE_LAYER = (
    "Only one layer of each kind is counted. There are num_layers of each.",
    {"num_layers * (encoder + decoder)": "encoder + decoder"},
)
LAYERS_FIXED = (
    "The number of layers is fixed. Use the argument num_layers.",
    {"num_layers *": "6 *"},
)
TIED_IGNORED = (
    "The argument tied is ignored. If it is false, there are three matrices.",
    {" if tied else 3": ""},
)
TIED_INVERTED = (
    "The argument tied is inverted. True means that there is only one matrix.",
    {"1 if tied else 3": "3 if tied else 1"},
)
TWO_MATRICES = (
    "With tied=False, only two matrices are counted. Source, target and output need one each.",
    {"else 3": "else 2"},
)
THREE_ALWAYS_HALF = (
    "With tied=True, two matrices are counted. Source, target and output then share a single one.",
    {"1 if": "2 if"},
)
OUTPUT_BIAS = (
    "A bias is counted for the output layer. This layer has no bias.",
    {"matrices * vocab_size * d_model": "matrices * vocab_size * d_model + vocab_size"},
)
FINAL_NORMS = (
    "Norms are counted after the two stacks. With post-norm there are none.",
    {"matrices * vocab_size * d_model": "matrices * vocab_size * d_model + 2 * norm"},
)
DEFAULTS_FIXED = (
    "The function uses the sizes of the base model. Use the arguments.",
    {":": ":\n    d_model, d_ff, num_layers = 512, 2048, 6"},
)


# %% exercise="transformer_parameter_count" wrong="NO_EMBEDDINGS"
NO_EMBEDDINGS = (
    "The embeddings and the output layer are not counted. They need one matrix of vocab_size × "
    "d_model, or three."
)


def transformer_parameter_count(vocab_size, d_model=512, d_ff=2048, num_layers=6, tied=True):
    return num_layers * (12 * d_model**2 + 4 * d_model * d_ff + 2 * d_ff + 12 * d_model)


# %% exercise="transformer_parameter_count" right="counted from the shapes"
def transformer_parameter_count(vocab_size, d_model=512, d_ff=2048, num_layers=6, tied=True):
    attention = [(d_model, d_model)] * 4
    feed_forward = [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    norm = [(d_model,)] * 2
    layer = [*attention, *norm, *feed_forward, *norm]
    shapes = num_layers * (layer + layer + attention + norm)
    shapes += [(vocab_size, d_model)] * (1 if tied else 3)
    return sum(math.prod(shape) for shape in shapes)


# %% exercise="transformer_parameter_count" right="counted from built layers"
def transformer_parameter_count(vocab_size, d_model=512, d_ff=2048, num_layers=6, tied=True):
    x = np.zeros((1, 1, d_model))
    encoder, decoder = EncoderLayer(d_model, 1, d_ff), DecoderLayer(d_model, 1, d_ff)
    encoder(x)
    decoder(x, x)
    layers = num_layers * (encoder.count_params() + decoder.count_params())
    return layers + (1 + 2 * (not tied)) * vocab_size * d_model


# %% exercise="transformer_parameter_count" edits="part by part"
NEVER_TIED = (
    "Three matrices are counted although they are tied. If tied is true, source, target and output "
    "share one.",
    {"1 if tied else 3": "3"},
)
ONE_DECODER_LAYER = (
    "Only one decoder layer or one encoder layer is counted. There are num_layers of each.",
    {"num_layers * (encoder + decoder)": "num_layers * encoder + decoder"},
    {"num_layers * (encoder + decoder)": "encoder + num_layers * decoder"},
)
ONE_NORM = (
    "Every layer is counted with one norm. An encoder layer has two and a decoder layer three.",
    {"+ 2 * norm": "+ norm", "+ 3 * norm": "+ norm"},
)
ATTENTION_PER_HEAD = (
    "The projections are counted once for every head. All heads together have four matrices of "
    "d_model × d_model.",
    {"4 * d_model**2": "8 * 4 * d_model**2"},
)


# %% exercise="transformer_parameter_count" edits="part by part"
LAYERS_DIVIDED = (
    "The layers are divided between the encoder and the decoder. Each of the two stacks has "
    "num_layers of them.",
    {"num_layers * (encoder + decoder)": "num_layers // 2 * (encoder + decoder)"},
    {"num_layers * (encoder + decoder)": "num_layers * (encoder + decoder) // 2"},
)


# %% exercise="transformer_parameter_count" edits="part by part" wrong="OUTPUT_BIAS"
{"matrices * vocab_size * d_model": "(matrices * d_model + (not tied)) * vocab_size"}


# %% exercise="transformer_parameter_count" edits="part by part"
TWO_NORMS_AND_ONE = (
    "A layer of the decoder has three normalisations, one after each of its sublayers.",
    {
        "3 * norm": "2 * norm",
        "return num_layers * (encoder + decoder)": "return norm + num_layers * (encoder + decoder)",
    },
)


# %% exercise="transformer_parameter_count" edits="part by part"
THREE_NORMS_IN_BOTH = (
    "An encoder layer is counted with three norms. It has two sublayers, so it has two.",
    {"+ 2 * norm": "+ 3 * norm"},
)
NORMS_OF_A_STACK = (
    "The norms are counted once for all layers. Each layer has its own.",
    {
        " + 2 * norm": "",
        " + 3 * norm": "",
        "return num_layers": "return 5 * norm + num_layers",
    },
)
TIED_DEFAULT = (
    "tied has another default. It must be True.",
    {"tied=True": "tied=False"},
)
IN_MILLIONS = (
    "The number is given in millions. Return the full number, as an integer.",
    {
        "return num_layers * (encoder + decoder) + matrices * vocab_size * d_model": (
            "return (num_layers * (encoder + decoder) + matrices * vocab_size * d_model) / 1e6"
        )
    },
)
SECOND_FEED_FORWARD = (
    "A decoder layer is counted with two feed-forward networks. It has two attentions and one "
    "feed-forward network.",
    {"2 * attention + feed_forward": "2 * attention + 2 * feed_forward"},
)


# %% exercise="transformer_parameter_count" edits="part by part" wrong="NOT_AN_INTEGER"
{"return num_layers": "return 1.0 * num_layers"}


# %% exercise="warmup_learning_rate" right="the formula"
def warmup_learning_rate(step, d_model, warmup_steps=4000):
    return d_model**-0.5 * np.minimum(step**-0.5, step * warmup_steps**-1.5)


# %% exercise="warmup_learning_rate" right="labels from the identity matrix"
def smooth_labels(ids, vocab_size, epsilon=0.1):
    return (1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size


# %% exercise="warmup_learning_rate" edits="the formula"
MAXIMUM = "The larger of the two terms is used. Use the smaller one.", {"minimum": "maximum"}
NO_MODEL_FACTOR = (
    "The factor d_model ** -0.5 is missing. Multiply the minimum by it.",
    {" d_model**-0.5 *": ""},
)
MODEL_NOT_ROOTED = (
    "The rate is divided by d_model. Divide it by the square root of d_model.",
    {"d_model**-0.5": "1 / d_model"},
)
MODEL_MULTIPLIED = (
    "The rate is multiplied by the square root of d_model. Divide it by this square root.",
    {"d_model**-0.5": "d_model**0.5"},
)
FROM_ZERO = (
    "The steps are counted from 0. The number of the first step is 1.",
    {":": ":\n    step = step + 1"},
)

# %% exercise="warmup_learning_rate" edits="labels from the identity matrix"
NOT_SMOOTHED = (
    "The targets are one-hot. Every token must receive at least epsilon / vocab_size.",
    {" (1 - epsilon) *": "", " + epsilon / vocab_size": ""},
)
SUM_ABOVE_ONE = (
    "The one-hot vector is not multiplied by 1 - epsilon, so the probabilities sum to more than 1.",
    {" (1 - epsilon) *": ""},
)


# %% exercise="warmup_learning_rate" wrong="NO_DECAY"
NO_DECAY = "The rate stays the same after the warm-up. It must fall in proportion to step ** -0.5."


def warmup_learning_rate(step, d_model, warmup_steps=4000):
    step = np.minimum(step, warmup_steps)
    return d_model**-0.5 * step * warmup_steps**-1.5


# %% exercise="warmup_learning_rate" wrong="SPREAD_OVER_OTHERS"
SPREAD_OVER_OTHERS = (
    "epsilon is spread over the wrong tokens only. The uniform distribution includes the right "
    "token."
)


def smooth_labels(ids, vocab_size, epsilon=0.1):
    one_hot = np.eye(vocab_size)[ids]
    return (1 - epsilon) * one_hot + epsilon / (vocab_size - 1) * (1 - one_hot)


# %% exercise="warmup_learning_rate" wrong="TARGET_WITHOUT_SHARE"
TARGET_WITHOUT_SHARE = (
    "The right token does not receive its epsilon / vocab_size, so the probabilities sum to less "
    "than 1."
)


def smooth_labels(ids, vocab_size, epsilon=0.1):
    one_hot = np.eye(vocab_size)[ids]
    return np.where(one_hot > 0, 1 - epsilon, epsilon / vocab_size)


# %% exercise="warmup_learning_rate" edits="the formula"
NO_WARM_UP = (
    "There is no warm-up. The rate must rise in proportion to step until warmup_steps.",
    {"np.minimum(step**-0.5, step * warmup_steps**-1.5)": "step**-0.5"},
    {
        "np.minimum(step**-0.5, step * warmup_steps**-1.5)": (
            "np.maximum(step, warmup_steps) ** -0.5"
        )
    },
)
WARM_UP_EXPONENT = (
    "The exponent of warmup_steps is wrong. It must be -1.5, so that both terms are equal at "
    "warmup_steps.",
    {"-1.5": "-0.5"},
    {"-1.5": "-1.0"},
)
WARM_UP_FIXED = (
    "The function uses a fixed number of warm-up steps. Use the argument warmup_steps.",
    {"warmup_steps**": "4000**"},
)
ONE_STEP_ONLY = (
    "The function fails for an array of steps. np.minimum compares arrays entry by entry, but "
    "min does not.",
    {"np.minimum": "min"},
)
RATE_SUMMED = (
    "A single number comes back for an array of steps. Return one rate for each step.",
    {
        "np.minimum(step**-0.5, step * warmup_steps**-1.5)": (
            "np.min([step**-0.5, step * warmup_steps**-1.5])"
        )
    },
)

# %% exercise="warmup_learning_rate" edits="labels from the identity matrix"
EPSILON_NOT_DIVIDED = (
    "Every token receives epsilon. Divide epsilon by vocab_size.",
    {" / vocab_size": ""},
)
SMOOTHING_FIXED = (
    "The labels are smoothed with a fixed epsilon. Use the argument epsilon.",
    {"- epsilon": "- 0.1", "epsilon /": "0.1 /"},
)
IDS_SHIFTED = "The ids are treated as if they began at 1. They begin at 0.", {"[ids]": "[ids - 1]"}
FLATTENED = (
    "The axes of ids are lost. Keep them, and add one axis for the vocabulary at the end.",
    {"[ids]": "[ids.ravel()]"},
)
ONE_AXIS_ONLY = (
    "The function is written for ids of one axis. np.eye(vocab_size)[ids] takes ids of any shape.",
    {
        "return (1 - epsilon) * np.eye(vocab_size)[ids]": (
            "one_hot = np.zeros((len(ids), vocab_size))\n"
            "    one_hot[np.arange(len(ids)), ids] = 1\n"
            "    return (1 - epsilon) * one_hot"
        )
    },
    {
        "return (1 - epsilon) * np.eye(vocab_size)[ids]": (
            "one_hot = np.zeros((len(ids), vocab_size))\n"
            "    for row, number in zip(one_hot, ids, strict=True):\n"
            "        row[number] = 1\n"
            "    return (1 - epsilon) * one_hot"
        )
    },
)
SHARES_SWAPPED = (
    "epsilon and 1 - epsilon have changed places. The one-hot vector is multiplied by 1 - epsilon.",
    {"(1 - epsilon)": "epsilon", "epsilon /": "(1 - epsilon) /"},
)


# %% exercise="warmup_learning_rate" right="cases and a scatter"
def warmup_learning_rate(step, d_model, warmup_steps=4000):
    peak = 1 / math.sqrt(d_model * warmup_steps)
    rising = np.asarray(step) / warmup_steps
    return np.where(rising <= 1, peak * rising, peak / np.sqrt(rising))


def smooth_labels(ids, vocab_size, epsilon=0.1):
    labels = np.full((*ids.shape, vocab_size), epsilon / vocab_size)
    for place in np.ndindex(ids.shape):
        labels[(*place, ids[place])] += 1 - epsilon
    return labels


# %% exercise="warmup_learning_rate" right="Keras in float32, lists"
def warmup_learning_rate(step, d_model, warmup_steps=4000):
    if np.ndim(step):
        return [warmup_learning_rate(one, d_model, warmup_steps) for one in step]
    return float(d_model**-0.5 * min(1 / math.sqrt(step), step / warmup_steps**1.5))


def smooth_labels(ids, vocab_size, epsilon=0.1):
    one_hot = ops.one_hot(ids, vocab_size)
    return one_hot * (1.0 - epsilon) + ops.ones_like(one_hot) * epsilon / vocab_size


# %% exercise="warmup_learning_rate" right="Keras ops in float32"
def warmup_learning_rate(step, d_model, warmup_steps=4000):
    step = ops.cast(step, "float32")
    return ops.rsqrt(float(d_model)) * ops.minimum(ops.rsqrt(step), step * warmup_steps**-1.5)


def smooth_labels(ids, vocab_size, epsilon=0.1):
    uniform = ops.full((*ids.shape, vocab_size), 1 / vocab_size)
    return (1 - epsilon) * ops.one_hot(ids, vocab_size) + epsilon * uniform


# %% exercise="warmup_learning_rate" edits="the formula"
STEP_TRUNCATED = (
    "The step is truncated to a whole number. It may lie between two.",
    {":": ":\n    step = np.floor(step)"},
)
OTHER_WARMUP = (
    "warmup_steps has another default. It must be 4000.",
    {"warmup_steps=4000": "warmup_steps=10000"},
    {"warmup_steps=4000": "warmup_steps=1000"},
    {"warmup_steps=4000": "warmup_steps=400"},
)
STEP_NOT_ROOTED = (
    "The rate falls like 1 / step. It must fall like the square root of that, step ** -0.5.",
    {"step**-0.5": "1 / step"},
    {"step**-0.5": "warmup_steps**0.5 / step"},
)
MODEL_FIXED = (
    "The width of the model is fixed. It is the argument d_model.",
    {"d_model**-0.5": "512**-0.5"},
)
NEVER_FALLS = (
    "The rate goes on rising after warmup_steps. From there on it must fall like step ** -0.5.",
    {"np.minimum(step**-0.5, step * warmup_steps**-1.5)": "(step * warmup_steps**-1.5)"},
)

# %% exercise="warmup_learning_rate" edits="labels from the identity matrix"
EPSILON_FOR_EACH = (
    "Every wrong token receives epsilon. All tokens together share it, so each receives "
    "epsilon / vocab_size.",
    {
        "(1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size": ""
        "np.where(np.eye(vocab_size)[ids] == 1, 1 - epsilon, epsilon)"
    },
)
PADDING_ZEROED = (
    "The targets of id 0 are set to 0. Every id has a target, which sums to 1.",
    {
        "return (1 - epsilon)": "real = (ids != 0)[..., None]\n    return real * ((1 - epsilon)",
        "epsilon / vocab_size": "epsilon / vocab_size)",
    },
)
VOCABULARY_FROM_IDS = (
    "The size of the vocabulary is taken from the ids. It is the argument vocab_size.",
    {"    return": "    vocab_size = np.max(ids) + 1\n    return"},
)
WHOLE_NUMBERS = (
    "The targets are truncated to whole numbers. Make an array of floats.",
    {
        "(1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size": ""
        "((1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size).astype(int)"
    },
)
DIVIDED_BY_IDS = (
    "epsilon is divided by the number of ids. Divide it by vocab_size.",
    {"epsilon / vocab_size": "epsilon / np.size(ids)"},
)
RIGHT_TOKEN_1 = (
    "The right token receives 1, so the probabilities sum to more than 1. It receives "
    "1 - epsilon + epsilon / vocab_size.",
    {
        "(1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size": ""
        "np.where(np.eye(vocab_size)[ids] == 1, 1, epsilon / vocab_size)"
    },
)
IDS_TYPE_TOO_SMALL = (
    "The places are computed in the type of the ids, where large numbers do not fit. Convert the "
    "ids to int64 first.",
    {
        "    return (1 - epsilon) * np.eye(vocab_size)[ids]": (
            "    rows = np.arange(np.size(ids), dtype=ids.dtype).reshape(np.shape(ids))\n"
            "    places = rows * ids.dtype.type(vocab_size) + ids\n"
            "    one_hot = np.zeros(np.size(ids) * vocab_size)\n"
            "    one_hot[places] = 1\n"
            "    one_hot = one_hot.reshape((*np.shape(ids), vocab_size))\n"
            "    return (1 - epsilon) * one_hot"
        )
    },
)
OTHER_EPSILON = (
    "epsilon has another default. It must be 0.1.",
    {"epsilon=0.1": "epsilon=0.01"},
    {"epsilon=0.1": "epsilon=0.2"},
    {"epsilon=0.1": "epsilon=0.05"},
)
VOCABULARY_FIRST = (
    "The axis of the vocabulary comes first. It must come last.",
    {
        "(1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size": ""
        "np.moveaxis((1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size, -1, 0)"
    },
)


# %% exercise="warmup_learning_rate" edits="the formula"
ONE_TERM_SCALED = (
    "Only one of the two terms is multiplied by d_model ** -0.5. It multiplies the minimum, and so "
    "both of them.",
    {"d_model**-0.5 * np.minimum(step**-0.5,": "np.minimum(d_model**-0.5 * step**-0.5,"},
    {
        "d_model**-0.5 * np.minimum(step**-0.5, step": (
            "np.minimum(step**-0.5, d_model**-0.5 * step"
        )
    },
)


# %% exercise="warmup_learning_rate" edits="labels from the identity matrix"
LAST_AXIS_LOST = (
    "An axis of length 1 is lost: keras.utils.to_categorical drops it. Use np.eye(vocab_size) or "
    "ops.one_hot.",
    {"np.eye(vocab_size)[ids]": "keras.utils.to_categorical(ids, vocab_size)"},
)
TWO_AXES_OF_IDS = (
    "The ids are taken to have two axes. They may have any number of axes, even none.",
    {
        "    return (1 - epsilon) *": "    batch, time = ids.shape\n    return (1 - epsilon) *",
    },
)


# %% exercise="warmup_learning_rate" edits="the formula"
ALWAYS_AN_AXIS = (
    "A single step gives an array of one rate. The result has the shape of step: a number for a "
    "number.",
    {
        "np.minimum(step**-0.5, step * warmup_steps**-1.5)": (
            "np.minimum(np.ravel(step) ** -0.5, np.ravel(step) * warmup_steps**-1.5)"
        )
    },
)


# %% exercise="warmup_learning_rate" edits="labels from the identity matrix"
ZERO_IS_MISSING = (
    "An epsilon of 0 is taken for a missing one. It asks for labels without smoothing.",
    {"    return (1 - epsilon)": "    epsilon = epsilon or 0.1\n    return (1 - epsilon)"},
)
ALL_IDS_RAISED = (
    "The entries of all ids are raised in every row. A row has a single right answer.",
    {
        "    return (1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size": """\
    labels = np.full((*np.shape(ids), vocab_size), epsilon / vocab_size)
    labels[..., ids] = 1 - epsilon + epsilon / vocab_size
    return labels"""
    },
)


# %% exercise="warmup_learning_rate" edits="the formula"
EXPONENTS_SWAPPED = (
    "The exponents -0.5 and -1.5 are swapped. The step has -0.5, warmup_steps has -1.5.",
    {
        "step**-0.5, step * warmup_steps**-1.5": "step**-1.5, step * warmup_steps**-0.5",
    },
)
FALLS_FROM_THE_PEAK = (
    "After the warm-up, the steps are counted from its end. They are counted from the beginning.",
    {
        "np.minimum(step**-0.5, step * warmup_steps**-1.5)": (
            "np.where(np.less_equal(step, warmup_steps), np.multiply(step, warmup_steps**-1.5), "
            "np.maximum(np.subtract(step, warmup_steps), 1.0) ** -0.5)"
        )
    },
)


# %% exercise="warmup_learning_rate" edits="labels from the identity matrix"
LABELS_SOFTMAX = (
    "The targets are the softmax of the one-hot vectors. They are a mixture of the one-hot vector "
    "and the uniform distribution.",
    {
        "(1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size": (
            "np.array(ops.softmax(np.eye(vocab_size)[ids]))"
        )
    },
)
LABELS_DIVIDED = (
    "The targets are divided by their sum in place of multiplying the one-hot vector by "
    "1 - epsilon.",
    {
        "(1 - epsilon) * np.eye(vocab_size)[ids] + epsilon / vocab_size": (
            "(np.eye(vocab_size)[ids] + epsilon / vocab_size) / (1 + epsilon)"
        )
    },
)


# %% exercise="warmup_learning_rate" wrong="ONE_FOR_ALL_STEPS"
ONE_FOR_ALL_STEPS = (
    "One of the two terms is chosen for all steps at once. Choose for each step by itself, as "
    "np.minimum does."
)


def warmup_learning_rate(step, d_model, warmup_steps=4000):
    step = np.asarray(step, dtype=float)
    rising, falling = step * warmup_steps**-1.5, step**-0.5
    return d_model**-0.5 * (rising if np.all(step <= warmup_steps) else falling)


# %% exercise="build_transformer" right="functional"
def build_transformer(
    source_vocab, target_vocab, d_model, num_heads, d_ff, num_layers=1, dropout=0.0
):
    angles = np.arange(128)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
    table = np.zeros((128, d_model), "float32")
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    sources = keras.Input((None,), dtype="int32")
    targets = keras.Input((None,), dtype="int32")
    source_places = ops.cumsum(ops.ones_like(sources), axis=1) - 1
    target_places = ops.cumsum(ops.ones_like(targets), axis=1) - 1
    source_words = keras.layers.Embedding(source_vocab, d_model)(sources)
    target_words = keras.layers.Embedding(target_vocab, d_model)(targets)
    x = source_words * d_model**0.5 + ops.take(table, source_places, axis=0)
    y = target_words * d_model**0.5 + ops.take(table, target_places, axis=0)
    encoder_mask = ops.not_equal(sources, 0)[:, None]
    cross_mask = ops.not_equal(sources, 0)[:, None, :]
    real = ops.not_equal(targets, 0)[:, None]
    causal = target_places[:, None, :] <= target_places[:, :, None]
    decoder_mask = ops.logical_and(causal, real)
    for _ in range(num_layers):
        encoder_layer = EncoderLayer(d_model, num_heads, d_ff, dropout)
        x = encoder_layer(x, attention_mask=encoder_mask)
    for _ in range(num_layers):
        decoder_layer = DecoderLayer(d_model, num_heads, d_ff, dropout=dropout)
        y = decoder_layer(y, x, self_mask=decoder_mask, cross_mask=cross_mask)
    logits = keras.layers.Dense(target_vocab, use_bias=False)(y)
    return keras.Model([sources, targets], logits)


# %% exercise="build_transformer" right="a subclass of Model"
def build_transformer(
    source_vocab, target_vocab, d_model, num_heads, d_ff, num_layers=1, dropout=0.0
):
    class Transformer(keras.Model):
        def __init__(self):
            super().__init__()
            sizes = d_model, num_heads, d_ff, dropout
            self.read = keras.layers.Embedding(source_vocab, d_model)
            self.write = keras.layers.Embedding(target_vocab, d_model)
            # As many numbers as a norm's gamma has; they are not trained.
            self.rates = self.add_weight(shape=(d_model,), trainable=False)
            self.rates.assign(10_000.0 ** (-2 * (np.arange(d_model) // 2) / d_model))
            self.encoder = [EncoderLayer(*sizes) for _ in range(num_layers)]
            self.decoder = [DecoderLayer(*sizes) for _ in range(num_layers)]
            self.logits = keras.layers.Dense(target_vocab, use_bias=False)

        def embed(self, embedding, ids):
            words = embedding(ids) * ops.sqrt(ops.cast(d_model, "float32"))
            p = ops.cast(ops.arange(ops.shape(ids)[1]), "float32")[:, None]
            angles = p * self.rates
            sine = np.arange(d_model) % 2 == 0
            return words + ops.where(sine, ops.sin(angles), ops.cos(angles))

        def call(self, inputs, training=None):
            source_ids, target_ids = inputs
            t = ops.arange(ops.shape(target_ids)[1])
            source_mask = ops.expand_dims(source_ids != 0, axis=1)
            target_mask = (target_ids != 0)[:, None, :] & (t[None, None, :] <= t[None, :, None])
            memory = self.embed(self.read, source_ids)
            for layer in self.encoder:
                memory = layer(memory, source_mask, training=training)
            x = self.embed(self.write, target_ids)
            for layer in self.decoder:
                x = layer(x, memory, target_mask, source_mask, training=training)
            return self.logits(x)

    return Transformer()


# %% exercise="build_transformer" right="a layer with a frozen table, and Keras's masks of ids"
class WordsAndPositions(keras.layers.Layer):
    def __init__(self, vocab_size, d_model, dropout):
        super().__init__()
        self.d_model = d_model
        self.words = keras.layers.Embedding(vocab_size, d_model, mask_zero=True)
        self.dropout = keras.layers.Dropout(dropout)

    def build(self, ids_shape):
        self.words.build(ids_shape)
        self.table = self.add_weight(shape=(200, self.d_model), trainable=False)
        row, i = np.arange(200)[:, None], np.arange(self.d_model // 2)
        angles = row * 10_000.0 ** (-2 * i / self.d_model)
        table = np.empty((200, self.d_model))
        table[:, ::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
        self.table.assign(table)

    def call(self, ids, training=None):
        words = self.words(ids) * math.sqrt(self.d_model)
        return self.dropout(words + self.table[: ops.shape(ids)[1]], training=training)


class Masks(keras.layers.Layer):
    def call(self, source_ids, target_ids):
        later = ops.triu(ops.ones((ops.shape(target_ids)[1],) * 2, "int32"), k=1)
        own = ops.logical_not(ops.logical_or(later[None] > 0, (target_ids == 0)[:, None]))
        return (source_ids != 0)[:, None], own


def build_transformer(
    source_vocab, target_vocab, d_model, num_heads, d_ff, num_layers=1, dropout=0.0
):
    source_ids = keras.Input(shape=(None,), dtype="int64")
    target_ids = keras.Input(shape=(None,), dtype="int64")
    source_mask, own_mask = Masks()(source_ids, target_ids)
    memory = WordsAndPositions(source_vocab, d_model, dropout)(source_ids)
    x = WordsAndPositions(target_vocab, d_model, dropout)(target_ids)
    for _ in range(num_layers):
        encoder = EncoderLayer(d_model, num_heads, d_ff, dropout)
        memory = encoder(memory, attention_mask=source_mask)
    for _ in range(num_layers):
        decoder = DecoderLayer(d_model, num_heads, d_ff, dropout)
        x = decoder(x, memory, self_mask=own_mask, cross_mask=source_mask)
    output = keras.layers.Dense(target_vocab, use_bias=False)
    return keras.Model(inputs=[source_ids, target_ids], outputs=output(x))


# %% exercise="build_transformer" edits="functional"
NO_SCALE = (
    "The word vectors are not multiplied by the square root of d_model. Multiply those of the "
    "source and those of the target before the positions are added.",
    {"source_words * d_model**0.5": "source_words", "target_words * d_model**0.5": "target_words"},
    {"source_words * d_model**0.5": "source_words"},
    {"target_words * d_model**0.5": "target_words"},
)
NO_ROOT = (
    "The word vectors are multiplied by d_model. Multiply them by its square root.",
    {
        "source_words * d_model**0.5": "source_words * d_model",
        "target_words * d_model**0.5": "target_words * d_model",
    },
)
SUM_SCALED = (
    "The positions are multiplied by the square root of d_model, too. Multiply only the word "
    "vectors, and then add the positions.",
    {
        "table, source_places": "table * d_model**0.5, source_places",
        "table, target_places": "table * d_model**0.5, target_places",
    },
)
DIVIDED = (
    "The word vectors are divided by the square root of d_model. Multiply by it.",
    {
        "source_words * d_model**0.5": "source_words / d_model**0.5",
        "target_words * d_model**0.5": "target_words / d_model**0.5",
    },
)
NO_POSITIONS = (
    "The positions are missing. Add their encoding to the word vectors of the source and of the "
    "target.",
    {
        "ops.take(table, source_places, axis=0)": "ops.zeros_like(source_words)",
        "ops.take(table, target_places, axis=0)": "ops.zeros_like(target_words)",
    },
    {"ops.take(table, source_places, axis=0)": "ops.zeros_like(source_words)"},
    {"ops.take(table, target_places, axis=0)": "ops.zeros_like(target_words)"},
)
FROM_ONE = (
    "The positions are counted from 1. The first column has position 0.",
    {
        "ops.ones_like(sources), axis=1) - 1": "ops.ones_like(sources), axis=1)",
        "ops.ones_like(targets), axis=1) - 1": "ops.ones_like(targets), axis=1)",
    },
)
HALVES = (
    "All sines stand before all cosines in the encoding. They must alternate: the sine of a pair "
    "is in column 2i and its cosine in column 2i + 1.",
    {"table[:, 0::2]": "table[:, : d_model // 2]", "table[:, 1::2]": "table[:, d_model // 2 :]"},
)
COSINES_FIRST = (
    "Sines and cosines have changed places. The sine of a pair is in column 2i.",
    {"np.sin": "np.cos", "np.cos": "np.sin"},
)
WAVELENGTHS = (
    "The wavelengths of the encoding are wrong. The angle of pair i is the position divided by "
    "10,000 to the power of 2i / d_model.",
    {"(np.arange(0, d_model, 2) / d_model)": "(2 * np.arange(0, d_model, 2) / d_model)"},
    {"(np.arange(0, d_model, 2) / d_model)": "(np.arange(d_model // 2) / d_model)"},
    {"10_000": "1_000"},
)
PADDING_NOT_COUNTED = (
    "The positions count only real tokens. A token's position is its column, even if there is "
    "padding before it.",
    {"ops.ones_like(sources), axis=1)": 'ops.cast(sources != 0, "int32"), axis=1)'},
    {
        "table, source_places": (
            'table, ops.maximum(ops.cumsum(ops.cast(sources != 0, "int32"), axis=1) - 1, 0)'
        ),
        "table, target_places": (
            'table, ops.maximum(ops.cumsum(ops.cast(targets != 0, "int32"), axis=1) - 1, 0)'
        ),
    },
    {
        "table, target_places": (
            'table, ops.maximum(ops.cumsum(ops.cast(targets != 0, "int32"), axis=1) - 1, 0)'
        ),
    },
)
TABLE_TOO_SHORT = (
    "The table of the encoding is too short. A source or a target may have up to 128 tokens.",
    {"np.arange(128)": "np.arange(100)", "np.zeros((128,": "np.zeros((100,"},
    {"np.arange(128)": "np.arange(32)", "np.zeros((128,": "np.zeros((32,"},
)
POSITIONS_LEARNED = (
    "The encoding of the positions is trained with the model. It is a fixed table.",
    {
        "ops.take(table, source_places, axis=0)": (
            "keras.layers.Embedding(128, d_model)(source_places)"
        ),
        "ops.take(table, target_places, axis=0)": (
            "keras.layers.Embedding(128, d_model)(target_places)"
        ),
    },
)
NO_CAUSAL = (
    "The decoder sees the future. Its self-attention needs the causal mask together with the mask "
    "of the padding.",
    {"ops.logical_and(causal, real)": "real"},
    {", self_mask=decoder_mask": ""},
)
FUTURE_ONLY = (
    "The causal mask is the wrong way round. A token may attend to itself and to earlier tokens.",
    {"<=": ">="},
)
NOT_ITSELF = (
    "A token of the target may not attend to itself. The causal mask includes the diagonal.",
    {"<=": "<"},
)
NO_TARGET_PADDING = (
    "The self-attention of the decoder does not hide padding. Combine the causal mask with the "
    "mask of the padding in the target.",
    {"ops.logical_and(causal, real)": "causal"},
)
EITHER_MASK = (
    "A token of the target may attend to padding or to the future. It must pass both masks, so "
    "combine them with `and`.",
    {"ops.logical_and(causal": "ops.logical_or(causal"},
)
NO_ENCODER_MASK = (
    "The encoder does not hide the padding of the source.",
    {", attention_mask=encoder_mask": ""},
)
NO_CROSS_MASK = (
    "The cross-attention does not hide the padding of the source.",
    {", cross_mask=cross_mask": ""},
)
NO_SOURCE_MASK = (
    "The padding of the source is not hidden, neither in the encoder nor in the cross-attention.",
    {", attention_mask=encoder_mask": "", ", cross_mask=cross_mask": ""},
)
PADDING_ONLY = (
    "The masks of the padding are the wrong way round. True means that the key may be attended to, "
    "so it must stand where the id is not 0.",
    {
        "encoder_mask = ops.not_equal": "encoder_mask = ops.equal",
        "cross_mask = ops.not_equal": "cross_mask = ops.equal",
        "real = ops.not_equal": "real = ops.equal",
    },
    {
        "encoder_mask = ops.not_equal": "encoder_mask = ops.equal",
        "cross_mask = ops.not_equal": "cross_mask = ops.equal",
    },
)
PADDING_AT_THE_END = (
    "Padding of the source is hidden only at the end. Hide it as a key wherever it stands.",
    {
        "encoder_mask = ops.not_equal(sources, 0)[:, None]": (
            'lengths = ops.sum(ops.cast(sources != 0, "int32"), axis=1, keepdims=True)\n'
            "    encoder_mask = (source_places < lengths)[:, None]"
        ),
        "cross_mask = ops.not_equal(sources, 0)[:, None, :]": "cross_mask = encoder_mask",
    },
)
ENCODER_CAUSAL = (
    "The encoder has a causal mask. Every token of the source may attend to the whole source.",
    {
        "encoder_mask = ops.not_equal(sources, 0)[:, None]": (
            "encoder_mask = ops.logical_and(\n"
            "        ops.not_equal(sources, 0)[:, None],\n"
            "        ops.less_equal(source_places[:, None], source_places[:, :, None]),\n"
            "    )"
        )
    },
)
LAYERS_SHARED = (
    "One layer is called several times, so all layers have the same weights. Make a new layer each "
    "time.",
    {
        "for _ in range(num_layers):\n"
        "        encoder_layer = EncoderLayer(d_model, num_heads, d_ff, dropout)": (
            "encoder_layer = EncoderLayer(d_model, num_heads, d_ff, dropout)\n"
            "    for _ in range(num_layers):"
        )
    },
    {
        "for _ in range(num_layers):\n"
        "        decoder_layer = DecoderLayer(d_model, num_heads, d_ff, dropout=dropout)": (
            "decoder_layer = DecoderLayer(d_model, num_heads, d_ff, dropout=dropout)\n"
            "    for _ in range(num_layers):"
        )
    },
    {
        "for _ in range(num_layers):\n"
        "        encoder_layer = EncoderLayer(d_model, num_heads, d_ff, dropout)": (
            "encoder_layer = EncoderLayer(d_model, num_heads, d_ff, dropout)\n"
            "    for _ in range(num_layers):"
        ),
        "for _ in range(num_layers):\n"
        "        decoder_layer = DecoderLayer(d_model, num_heads, d_ff, dropout=dropout)": (
            "decoder_layer = DecoderLayer(d_model, num_heads, d_ff, dropout=dropout)\n"
            "    for _ in range(num_layers):"
        ),
    },
)
ONE_LAYER = (
    "num_layers is ignored. Make that many layers on each side.",
    {
        "for _ in range(num_layers):\n        encoder": "if True:\n        encoder",
        "for _ in range(num_layers):\n        decoder": "if True:\n        decoder",
    },
    {"for _ in range(num_layers):\n        encoder": "if True:\n        encoder"},
    {"for _ in range(num_layers):\n        decoder": "if True:\n        decoder"},
)
MEMORY_OF_EACH_LAYER = (
    "Each decoder layer reads the encoder layer of its own number. All of them must read the "
    "output of the last encoder layer.",
    {
        "for _ in range(num_layers):\n        encoder": (
            "memories = []\n    for _ in range(num_layers):\n        encoder"
        ),
        "attention_mask=encoder_mask)": "attention_mask=encoder_mask)\n        memories.append(x)",
        "for _ in range(num_layers):\n        decoder": "for memory in memories:\n        decoder",
        "decoder_layer(y, x,": "decoder_layer(y, memory,",
    },
)
MEMORY_NOT_ENCODED = (
    "The decoder reads the embedded source. Its memory is the output of the last encoder layer.",
    {
        "for _ in range(num_layers):\n        encoder": (
            "memory = x\n    for _ in range(num_layers):\n        encoder"
        ),
        "decoder_layer(y, x,": "decoder_layer(y, memory,",
    },
)
NO_GRADIENT = (
    "Training leaves some weights as they are, because no gradient reaches them.",
    {"decoder_layer(y, x,": "decoder_layer(y, ops.stop_gradient(x),"},
)
VOCABULARIES_SWAPPED = (
    "The sizes of the two embeddings are swapped. That of the source needs source_vocab rows, and "
    "that of the target needs target_vocab rows.",
    {
        "Embedding(source_vocab": "Embedding(target_vocab",
        "Embedding(target_vocab": "Embedding(source_vocab",
    },
)
TIED_OUTPUT = (
    "The logits are computed with the matrix of the target embedding, as in the paper. Here the "
    "output is a Dense layer with a matrix of its own.",
    {
        "target_words = keras.layers.Embedding(target_vocab, d_model)(targets)": (
            "write = keras.layers.Embedding(target_vocab, d_model)\n"
            "    target_words = write(targets)"
        ),
        "keras.layers.Dense(target_vocab, use_bias=False)(y)": (
            "keras.layers.Lambda(lambda z: z @ ops.transpose(write.embeddings))(y)"
        ),
    },
)
OUTPUT_BIAS = (
    "The output layer has biases. Make its Dense layer with use_bias=False.",
    {"Dense(target_vocab, use_bias=False)": "Dense(target_vocab)"},
)
SOFTMAX = (
    "Probabilities came back. Return the logits, without a softmax.",
    {"use_bias=False)": 'use_bias=False, activation="softmax")'},
)
LAST_PLACE_ONLY = (
    "Only the logits at the last place of the target came back. Return those at every place, so "
    "that all of them can be trained at once.",
    {"use_bias=False)(y)": "use_bias=False)(y[:, -1])"},
)
LOGITS_OF_SOURCES = (
    "There is one logit for each token of the source vocabulary. The model writes tokens of the "
    "target, so target_vocab logits are needed.",
    {"Dense(target_vocab": "Dense(source_vocab"},
)

# %% exercise="build_transformer" edits="functional" wrong="DROPOUT_NOT_PASSED"
{"d_ff, dropout)": "d_ff)", "d_ff, dropout=dropout)": "d_ff)"}
{"d_ff, dropout)": "d_ff)"}
{"d_ff, dropout=dropout)": "d_ff)"}
{
    "d_ff, dropout)": "d_ff)",
    "d_ff, dropout=dropout)": "d_ff)",
    "source_words * d_model**0.5 + ops.take(table, source_places, axis=0)": (
        "keras.layers.Dropout(dropout)(\n"
        "        source_words * d_model**0.5 + ops.take(table, source_places, axis=0)\n"
        "    )"
    ),
}


# %% exercise="build_transformer" edits="a subclass of Model" wrong="DROPOUT_OFF"
{"target_mask, source_mask, training=training": "target_mask, source_mask, training=False"}

# %% exercise="build_transformer" edits="functional" wrong="DROPOUT_OUTSIDE"
{"use_bias=False)(y)": "use_bias=False)(keras.layers.Dropout(dropout)(y))"}
{"use_bias=False)(y)": "use_bias=False)(y)\n    logits = keras.layers.Dropout(dropout)(logits)"}
{
    "target_words = keras.layers.Embedding(target_vocab, d_model)(targets)": (
        "target_words = keras.layers.Embedding(target_vocab, d_model)(targets)\n"
        "    target_words = keras.layers.Dropout(dropout)(target_words)"
    )
}

# %% exercise="build_transformer" edits="functional" wrong="MODELS_SHARE"
{
    "source_words = keras.layers.Embedding(source_vocab, d_model)(sources)": (
        "key = source_vocab, d_model\n"
        "    made = build_transformer.__dict__.setdefault(\n"
        "        key, keras.layers.Embedding(source_vocab, d_model)\n"
        "    )\n"
        "    source_words = made(sources)"
    )
}

# %% exercise="build_transformer" edits="functional"
LOG_SOFTMAX = (
    "The logits went through log_softmax. Return them as the Dense layer gives them.",
    {"use_bias=False)": 'use_bias=False, activation="log_softmax")'},
)
FINAL_NORM = (
    "There is a normalisation before the output layer. With post-norm, the last layer ends with "
    "one.",
    {"use_bias=False)(y)": "use_bias=False)(keras.layers.LayerNormalization()(y))"},
)
INPUTS_SWAPPED = (
    "The two inputs are swapped. The model is called on [source_ids, target_ids].",
    {"keras.Model([sources, targets]": "keras.Model([targets, sources]"},
)
AFTER_FIRST_PADDING = (
    "Everything after the first padding of the source is hidden. Hide the padding and nothing "
    "else.",
    {
        "encoder_mask = ops.not_equal(sources, 0)[:, None]": (
            'before = ops.cumsum(ops.cast(ops.equal(sources, 0), "int32"), axis=1)\n'
            "    encoder_mask = ops.equal(before, 0)[:, None]"
        ),
        "cross_mask = ops.not_equal(sources, 0)[:, None, :]": "cross_mask = encoder_mask",
    },
)

# %% exercise="build_transformer" edits="a subclass of Model"


# %% exercise="build_transformer" wrong="MASKS_BY_NUMPY"
MASKS_BY_NUMPY = (
    "The masks are computed by NumPy, which works in a call but not inside fit. Write them with "
    "keras.ops."
)


def build_transformer(
    source_vocab, target_vocab, d_model, num_heads, d_ff, num_layers=1, dropout=0.0
):
    class Transformer(keras.Model):
        def __init__(self):
            super().__init__()
            sizes = d_model, num_heads, d_ff, dropout
            self.read = keras.layers.Embedding(source_vocab, d_model)
            self.write = keras.layers.Embedding(target_vocab, d_model)
            self.encoder = [EncoderLayer(*sizes) for _ in range(num_layers)]
            self.decoder = [DecoderLayer(*sizes) for _ in range(num_layers)]
            self.logits = keras.layers.Dense(target_vocab, use_bias=False)

        def call(self, inputs):
            angles = np.arange(128)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
            table = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(128, d_model)
            masks = transformer_masks(*(np.asarray(ids) for ids in inputs))
            source_ids, target_ids = inputs
            x = self.read(source_ids) * d_model**0.5 + table[: source_ids.shape[1]]
            for layer in self.encoder:
                x = layer(x, attention_mask=masks[0])
            y = self.write(target_ids) * d_model**0.5 + table[: target_ids.shape[1]]
            for layer in self.decoder:
                y = layer(y, x, self_mask=masks[1], cross_mask=masks[2])
            return self.logits(y)

    return Transformer()


# %% exercise="build_transformer" edits="functional"
EXPONENT_OF_ITS_OWN = (
    "The odd columns have the exponent (2i + 1)/d. Columns 2i and 2i + 1 share the exponent 2i/d.",
    {
        "np.cos(angles)": (
            "np.cos(np.arange(128)[:, None] / 10_000 ** (np.arange(1, d_model, 2) / d_model))"
        )
    },
)


# %% exercise="build_transformer" edits="functional" wrong="ONE_EMBEDDING"
{
    "source_words = keras.layers.Embedding(source_vocab, d_model)(sources)": (
        "read = keras.layers.Embedding(source_vocab, d_model)\n    source_words = read(sources)"
    ),
    "target_words = keras.layers.Embedding(target_vocab, d_model)(targets)": (
        "write = read if source_vocab == target_vocab else None\n"
        "    write = write or keras.layers.Embedding(target_vocab, d_model)\n"
        "    target_words = write(targets)"
    ),
}


# %% exercise="build_transformer" edits="functional" wrong="ONE_EMBEDDING"
{
    "source_words = keras.layers.Embedding(source_vocab, d_model)(sources)": (
        "embed = keras.layers.Embedding(max(source_vocab, target_vocab), d_model)\n"
        "    source_words = embed(sources)"
    ),
    "keras.layers.Embedding(target_vocab, d_model)(targets)": "embed(targets)",
}

# %% exercise="build_transformer" edits="functional" wrong="WAVELENGTHS"
{
    "table[:, 0::2] = np.sin(angles)": (
        "angles = np.arange(128)[:, None] / 10_000 ** (2 * np.arange(d_model) / d_model)\n"
        "    table[:, 0::2] = np.sin(angles)[:, 0::2]"
    ),
    "table[:, 1::2] = np.cos(angles)": "table[:, 1::2] = np.cos(angles)[:, 1::2]",
}


# %% exercise="build_transformer" edits="functional" wrong="POSITIONS_LEARNED"
{
    "    x = source": "    learned = keras.layers.Embedding(128, d_model)\n    x = source",
    "ops.take(table, source_places, axis=0)": "learned(source_places)",
    "ops.take(table, target_places, axis=0)": "learned(target_places)",
}


# %% exercise="build_transformer" edits="functional"
LAYERS_DEFAULT = (
    "num_layers has another default. It must be 1.",
    {"num_layers=1": "num_layers=2"},
)
CROSS_ATTENTION_CAUSAL = (
    "The cross-attention is causal. A token of the target may attend to the whole source.",
    {
        "cross_mask=cross_mask": (
            "cross_mask=ops.logical_and(cross_mask, source_places[:, None, :] "
            "<= target_places[:, :, None])"
        )
    },
)
TARGET_SHIFTED = (
    "The model shifts the target itself. Whoever trains it has already shifted the ids; use them "
    "as they are.",
    {"d_model)(targets)": "d_model)(ops.pad(targets[:, :-1], ((0, 0), (1, 0))))"},
)
PLACES_GO_ON = (
    "The positions of the target go on after those of the source. Those of both begin at 0.",
    {
        "ops.take(table, target_places, axis=0)": (
            "ops.take(table, ops.minimum(target_places + source_places[:, -1:] + 1, 127), axis=0)"
        )
    },
)
FIRST_PADDING_SEEN = (
    "Padding in the first column of the source is not hidden. Hide it as a key wherever it stands.",
    {
        "encoder_mask = ops.not_equal(sources, 0)[:, None]": (
            "encoder_mask = ops.logical_or(ops.not_equal(sources, 0), "
            "ops.equal(source_places, 0))[:, None]"
        ),
        "cross_mask = ops.not_equal(sources, 0)[:, None, :]": "cross_mask = encoder_mask",
    },
)
CAUSAL_TOO_SHORT = (
    "The causal mask is too short, so later tokens see the future. A target may have up to 128 "
    "tokens.",
    {
        "target_places[:, None, :] <= target_places[:, :, None]": (
            "ops.minimum(target_places, 63)[:, None, :] <= "
            "ops.minimum(target_places, 63)[:, :, None]"
        )
    },
)
EMBEDDING_FROZEN = (
    "An embedding is not trained. Leave out trainable=False.",
    {"Embedding(source_vocab, d_model)": "Embedding(source_vocab, d_model, trainable=False)"},
)
NORM_AFTER_ENCODER = (
    "There is a normalisation after the encoder. With post-norm, its last layer ends with one.",
    {
        "    for _ in range(num_layers):\n        decoder": (
            "    x = keras.layers.LayerNormalization()(x)\n"
            "    for _ in range(num_layers):\n        decoder"
        )
    },
)


# %% exercise="build_transformer" edits="functional" wrong="MEMORY_NOT_ENCODED"
{
    "for _ in range(num_layers):\n        encoder": (
        "memory = x\n    for _ in range(num_layers):\n        encoder"
    ),
    "decoder_layer(y, x,": "decoder_layer(y, memory + 0 * x,",
}


# %% exercise="build_transformer" edits="functional"
LAYERS_SIDE_BY_SIDE = (
    "Every encoder layer reads the embedded source. The first does; each other one reads what the "
    "layer before it gives.",
    {
        "x = encoder_layer(x, attention_mask=encoder_mask)": (
            "memory = encoder_layer(x, attention_mask=encoder_mask) + (0 * memory if _ else 0)"
        ),
        "decoder_layer(y, x,": "decoder_layer(y, memory,",
    },
)


# %% exercise="build_transformer" edits="functional" wrong="DROPOUT_BY_DEFAULT"
{"dropout=0.0": "dropout=0.1"}
{"d_ff, dropout)": "d_ff, 0.1)", "d_ff, dropout=dropout)": "d_ff, dropout=0.1)"}


# %% exercise="build_transformer" edits="functional" wrong="DROPOUT_OUTSIDE"
{"source_words * d_model**0.5": "keras.layers.Dropout(dropout)(source_words) * d_model**0.5"}


# %% exercise="build_transformer" edits="functional"
FIRST_ENCODER_LAYER_READ = (
    "The decoder reads what the first encoder layer returns, so the other encoder layers have no "
    "effect. Every decoder layer must read what the last encoder layer returns.",
    {
        "        x = encoder_layer(x, attention_mask=encoder_mask)\n": ""
        "        x = encoder_layer(x, attention_mask=encoder_mask)\n"
        "        memory = memory if _ else x\n",
        "decoder_layer(y, x,": "decoder_layer(y, memory,",
    },
)
MASK_FOR_ONE_DECODER_LAYER = (
    "Only one decoder layer receives the mask of the source. Pass it to all of them.",
    {"cross_mask=cross_mask)": "cross_mask=None if _ else cross_mask)"},
    {"cross_mask=cross_mask)": "cross_mask=cross_mask if _ == num_layers - 1 else None)"},
)
