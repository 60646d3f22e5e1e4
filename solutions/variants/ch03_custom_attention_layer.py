"""The bank of chapter 3: wrong answers, each with the name of its mistake, and right ones."""

# %%
import keras
import numpy as np
from keras import ops

# %%
LOSS = "The loss is not the mean squared error."
SUMMED = "The squared errors are summed over the batch. The loss is their mean."
NOT_ADAM = "The optimizer is not Adam."
STARTS_1_1 = "the numbers start with 1, 1; ours start with 1, 2"
STARTS_0_1 = "the numbers start with 0, 1; ours start with 1, 2"
SHORT = "n = 0 must give an empty array and n = 1 a single number"
INTEGERS = "the numbers are integers, which overflow after about 90; ask for floats"
NOT_SHUFFLED = "the examples are not shuffled"
SPLIT_FIRST = "the examples are split before they are shuffled, shuffle all of them, then split"
ONLY_TRAIN_SHUFFLED = (
    "only the training part is shuffled, after a split in order; shuffle all examples, then split"
)
OTHER_GENERATOR = "the permutation is from another generator than np.random.RandomState(seed)"
SEED_IGNORED = "seed is ignored"
INVERSE = "the permutation is used backwards, position i holds example order[i]"
TARGETS_LEFT = "the windows are shuffled, but the targets are not"
ROUNDED = "the cut is rounded, int(examples * train_fraction) cuts the fraction off"
LAST_WINDOW = "the last window is missing, it ends one value before the end of the series"
NO_FEATURE_AXIS = "the feature axis is missing, x must have shape (examples, time_steps, 1)"
NO_TANH = "tanh is missing in the scores"
NO_BIAS = "the bias is left out of the scores"
BIAS_ACROSS = "the bias meets scores without their last axis, so it is added across examples"
KEPT_AXIS = "an axis of length 1 is still there"
OVER_BATCH = "the softmax runs over the batch, the weights of ONE example must sum to 1 over time"
OVER_ALL = "the softmax runs over all numbers together, it is one softmax for every example"
NO_EXP = "the scores are divided by their sum without exp"
OVERFLOW = "exp overflows or underflows, subtract the maximum of each row of scores first"
MEAN = "this is the plain mean over time, the weights have no say"
SUM = "this is the plain sum over time, as if every weight were 1"
WEIGHTED_MEAN = "the weighted sum is divided by the number of steps, the weights sum to 1 already"
NOT_SUMMED = "the steps are weighted but not added up, the time axis must go"
LAST_AXIS = (
    "every weight is 1, as if the softmax ran over a last axis of length 1 and not over time"
)
WRONG_NAMES = 'the weights must be named "attention_weight" and "attention_bias"'
ORDER = "the bias is made before the weight, attention_weight comes first"
BIAS_SHARED = "the bias is one number for all steps, it must have shape (time, 1)"
MASK_IGNORED = "the mask is ignored"
MASK_INVERTED = "the mask is read the wrong way round, True marks a real step"
MASK_AFTER = "the mask is applied after the softmax, the weights of the real steps must sum to 1"
SCORE_ZEROED = "a masked score is set to 0, which still has a weight; masked weights must be 0"
INPUTS_ZEROED = "the masked inputs are set to 0, but their steps still take part in the softmax"
ALL_MASKED = "an example whose steps are all masked must give finite numbers"
NOT_TRAINABLE = "no gradient reaches the weights inside a model, compute with keras.ops, not NumPy"
FROZEN = "a weight is made with trainable=False, so it keeps its first value for ever"
HELD_BACK = "a gradient is not that of the formulas, no part of them may be held from it"
NOT_RESTORED = (
    "the layer does not survive saving and loading, see to its get_config and whether its __init__ "
    "takes **kwargs"
)
NO_ATTENTION = "there is no AttentionPooling layer in the model"
NO_SEQUENCES = (
    "the SimpleRNN hands on its last state alone, AttentionPooling needs them all: return_sequences"
)
DENSE_ONLY = "the activation is left out of the SimpleRNN, both layers use it"
RNN_ONLY = "the activation is left out of the Dense layer, both layers use it"
FROM_INPUTS = "x itself is weighed, the layer weighs the states that arrive at it"
SCORES = "these are the scores, their softmax is missing"
MAP_UNMASKED = "the mask is missing in the map, masked steps must be 0"
OTHER_LAYER = "the layer is taken by its place or its own name, find it by the name of its class"
NOT_ITS_INPUT = "these are weights of the SimpleRNN's states, weigh what arrives at the layer"
BEHIND_MASKING = "behind a Masking layer, layer.input is a list: the states and their mask"
FITTED_ON_TEST = "the constant is fitted on test_y, it may know train_y alone"
MEDIAN = "this is the median, which makes the mean absolute error small"
ROOT = "this is the root of the mean squared error"
TRAIN_ERROR = "the error is measured on train_y"
NO_NETWORK = "create_rnn_with_attention: AttentionPooling leaves no network that can be called."


# %% exercise="fibonacci" wrong="STARTS_1_1"
def fibonacci(n):
    numbers, a, b = [], 1.0, 1.0
    for _ in range(n):
        numbers.append(a)
        a, b = b, a + b
    return np.array(numbers)


# %% exercise="fibonacci" wrong="STARTS_0_1"
def fibonacci(n):
    numbers, a, b = [], 0.0, 1.0
    for _ in range(n):
        numbers.append(a)
        a, b = b, a + b
    return np.array(numbers)


# %% exercise="fibonacci" wrong="SHORT"
def fibonacci(n):
    numbers = [1.0, 2.0]
    while len(numbers) < n:
        numbers.append(numbers[-2] + numbers[-1])
    return np.array(numbers)


# %% exercise="fibonacci" wrong="INTEGERS"
def fibonacci(n):
    numbers = np.ones(n, dtype=int)
    numbers[1:2] = 2
    for i in range(2, n):
        numbers[i] = numbers[i - 1] + numbers[i - 2]
    return numbers


# %% exercise="fibonacci" wrong="INTEGERS"
def fibonacci(n):
    numbers = [1, 2][:n]
    while len(numbers) < n:
        numbers.append(numbers[-2] + numbers[-1])
    return np.array(numbers)


# %% exercise="fibonacci" right="whole numbers first"
def fibonacci(n):
    numbers = [1, 2]
    for _ in range(n):
        numbers.append(sum(numbers[-2:]))
    return np.array(numbers[:n], dtype=float)


# %% exercise="fibonacci" right="a list of floats"
def fibonacci(n):
    a, b = 1.0, 1.0
    return [a := (b := a + b) - a for _ in range(n)]


# %% exercise="make_supervised" wrong="NOT_SHUFFLED"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    x, y = view[:, :-1, None], view[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="SPLIT_FIRST"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(view) * train_fraction)
    random = np.random.RandomState(seed)
    train, test = (part[random.permutation(len(part))] for part in (view[:cut], view[cut:]))
    return train[:, :-1, None], train[:, -1], test[:, :-1, None], test[:, -1]


# %% exercise="make_supervised" wrong="ONLY_TRAIN_SHUFFLED"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    cut = int(len(view) * train_fraction)
    train, test = view[:cut], view[cut:]
    train = train[np.random.RandomState(seed).permutation(cut)]
    return train[:, :-1, None], train[:, -1], test[:, :-1, None], test[:, -1]


# %% exercise="make_supervised" wrong="OTHER_GENERATOR"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    view = view[np.random.default_rng(seed).permutation(len(view))]
    x, y = view[:, :-1, None], view[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="SEED_IGNORED"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    view = view[np.random.RandomState(13).permutation(len(view))]
    x, y = view[:, :-1, None], view[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="INVERSE"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    shuffled = np.empty_like(view)
    shuffled[np.random.RandomState(seed).permutation(len(view))] = view
    x, y = shuffled[:, :-1, None], shuffled[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="TARGETS_LEFT"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    x, y = view[:, :-1, None], view[:, -1]
    x = x[np.random.RandomState(seed).permutation(len(x))]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="ROUNDED"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    view = view[np.random.RandomState(seed).permutation(len(view))]
    x, y = view[:, :-1, None], view[:, -1]
    cut = round(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="LAST_WINDOW"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)[:-1]
    view = view[np.random.RandomState(seed).permutation(len(view))]
    x, y = view[:, :-1, None], view[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="NO_FEATURE_AXIS"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    view = view[np.random.RandomState(seed).permutation(len(view))]
    x, y = view[:, :-1], view[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" wrong="INPUT_CHANGED"
def make_supervised(series, time_steps, train_fraction, seed=13):
    np.random.RandomState(seed).shuffle(series)
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    x, y = view[:, :-1, None], view[:, -1]
    cut = int(len(y) * train_fraction)
    return x[:cut], y[:cut], x[cut:], y[cut:]


# %% exercise="make_supervised" right="lists, one example at a time"
def make_supervised(series, time_steps, train_fraction, seed=13):
    windows, targets = [], []
    for i in range(len(series) - time_steps):
        windows.append([[value] for value in series[i : i + time_steps]])
        targets.append(series[i + time_steps])
    order = np.random.RandomState(seed=seed).permutation(len(targets))
    cut = int(len(targets) * train_fraction)
    parts = []
    for positions in (order[:cut], order[cut:]):
        parts += [[windows[i] for i in positions], [targets[i] for i in positions]]
    return parts


# %% exercise="make_supervised" right="the global generator, seeded"
def make_supervised(series, time_steps, train_fraction, seed=13):
    view = np.lib.stride_tricks.sliding_window_view(series, time_steps + 1)
    np.random.seed(seed)  # noqa: NPY002
    view = np.random.permutation(view).astype("float32")  # noqa: NPY002
    train, test = np.split(view, [int(len(view) * train_fraction)])
    return train[:, :-1, None], train[:, -1], test[:, :-1, None], test[:, -1]


# %% exercise="alignment_scores" wrong="NO_TANH"
def alignment_scores(x, w, b):
    return (x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="NO_BIAS"
def alignment_scores(x, w, b):
    return np.tanh(x @ w)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="BIAS_ACROSS"
def alignment_scores(x, w, b):
    return np.tanh((x @ w)[..., 0] + b)


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="KEPT_AXIS"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights, axis=1)


# %% exercise="alignment_scores" wrong="OVERFLOW"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    return np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="OVERFLOW"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max())
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="OVER_BATCH"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=0))
    return shares / shares.sum(axis=0)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="OVER_ALL"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max())
    return shares / shares.sum()


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="NO_EXP"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    return scores / scores.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.sum(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="MEAN"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return x.mean(axis=1)


# %% exercise="alignment_scores" wrong="SUM"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return x.sum(axis=1)


# %% exercise="alignment_scores" wrong="WEIGHTED_MEAN"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return np.mean(x * weights[:, :, None], axis=1)


# %% exercise="alignment_scores" wrong="NOT_SUMMED"
def alignment_scores(x, w, b):
    return np.tanh(x @ w + b)[..., 0]


def attention_weights(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def attend(x, weights):
    return x * weights[:, :, None]


# %% exercise="alignment_scores" right="SciPy and matrix products"
def alignment_scores(x, w, b):
    return np.tanh(np.squeeze(x @ w, axis=-1) + b.T)


def attention_weights(scores):
    from scipy.special import softmax

    return softmax(scores, axis=-1)


def attend(x, weights):
    return (weights[:, None, :] @ x)[:, 0]


# %% exercise="alignment_scores" right="Keras, in float32"
def alignment_scores(x, w, b):
    return ops.squeeze(ops.tanh(ops.matmul(x, w) + b), axis=2)


def attention_weights(scores):
    return ops.softmax(ops.cast(scores, "float32"), axis=1)


def attend(x, weights):
    return [
        sum(a * step for a, step in zip(*pair, strict=True))
        for pair in zip(weights, x, strict=True)
    ]


# %% exercise="AttentionPooling" wrong="LAST_AXIS"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        weights = ops.softmax(ops.tanh(ops.matmul(inputs, self.w) + self.b))
        if mask is not None:
            weights *= ops.cast(mask, "float32")[:, :, None]
        return ops.sum(inputs * weights, axis=1)


# %% exercise="AttentionPooling" wrong="OVER_BATCH"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        weights = ops.softmax(ops.tanh(ops.matmul(inputs, self.w) + self.b), axis=0)
        return ops.sum(inputs * weights, axis=1)


# %% exercise="AttentionPooling" wrong="NO_TANH"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.matmul(inputs, self.w) + self.b
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="BIAS_SHARED"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(1,))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="WRONG_NAMES"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="W", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="b", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="ORDER"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="NOT_SUMMED"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return inputs * ops.softmax(scores, axis=1)


# %% exercise="AttentionPooling" wrong="MEAN"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        return ops.mean(inputs, axis=1)


# %% exercise="AttentionPooling" wrong="MASK_IGNORED"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="MASK_IGNORED"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="MASK_INVERTED"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], -1e9, scores)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="MASK_AFTER"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        weights = ops.softmax(ops.tanh(ops.matmul(inputs, self.w) + self.b), axis=1)
        if mask is not None:
            weights = weights * ops.cast(mask, weights.dtype)[:, :, None]
        return ops.sum(inputs * weights, axis=1)


# %% exercise="AttentionPooling" wrong="SCORE_ZEROED"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = scores * ops.cast(mask, scores.dtype)[:, :, None]
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="INPUTS_ZEROED"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        if mask is not None:
            inputs = inputs * ops.cast(mask, inputs.dtype)[:, :, None]
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="ALL_MASKED"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -np.inf)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="NOT_TRAINABLE"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        shares = np.exp(np.tanh(np.matmul(inputs, self.w.numpy()) + self.b.numpy()))
        if mask is not None:
            shares = shares * np.asarray(mask)[:, :, None]
        total = np.maximum(shares.sum(axis=1), 1e-7)
        return ops.convert_to_tensor((inputs * shares).numpy().sum(axis=1) / total)

    def compute_output_shape(self, input_shape):
        return input_shape[0], input_shape[-1]


# %% exercise="AttentionPooling" wrong="HELD_BACK"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        shares = ops.exp(ops.tanh(ops.matmul(inputs, self.w) + self.b))
        if mask is not None:
            shares = shares * ops.cast(mask, shares.dtype)[:, :, None]
        total = ops.maximum(ops.sum(shares, axis=1, keepdims=True), 1e-7)
        return ops.sum(inputs * shares / ops.stop_gradient(total), axis=1)


# %% exercise="AttentionPooling" wrong="FROZEN"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(
            name="attention_weight", shape=(input_shape[-1], 1), trainable=False
        )
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)


# %% exercise="AttentionPooling" wrong="NOT_RESTORED"
class AttentionPooling(keras.layers.Layer):
    def __init__(self):
        super().__init__()

    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def call(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(mask[:, :, None], scores, -1e9)
        return ops.sum(inputs * ops.softmax(scores, axis=1), axis=1)

    def get_config(self):
        return super().get_config()


# %% exercise="AttentionPooling" right="a softmax layer with a mask"
@keras.saving.register_keras_serializable(package="Chapter3")
class AttentionPooling(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.softmax = keras.layers.Softmax(axis=1)

    def build(self, input_shape):
        self.W = self.add_weight(
            name="attention_weight", shape=(input_shape[-1], 1), initializer="random_normal"
        )
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))
        super().build(input_shape)

    def call(self, x, mask=None):
        scores = ops.tanh(ops.dot(x, self.W) + self.b)
        scores = self.softmax(scores, mask=None if mask is None else mask[:, :, None])
        return ops.sum(x * scores, axis=1)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

    def get_config(self):
        return super().get_config()


# %% exercise="AttentionPooling" right="TensorFlow, a large negative number for masked scores"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.attention = (
            self.add_weight(shape=(input_shape[-1], 1), name="attention_weight"),
            self.add_weight(shape=(input_shape[-2], 1), name="attention_bias", initializer="ones"),
        )

    def call(self, inputs, mask=None):
        import tensorflow as tf

        w, b = self.attention
        scores = tf.squeeze(tf.tanh(inputs @ w + b), axis=-1)
        if mask is not None:
            scores += -1e9 * (1 - tf.cast(mask, scores.dtype))
        return tf.einsum("bt,btf->bf", tf.nn.softmax(scores), inputs)


# %% exercise="create_rnn_with_attention" wrong="NO_SEQUENCES"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation),
            AttentionPooling(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model


# %% exercise="create_rnn_with_attention" wrong="NO_ATTENTION"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model


# %% exercise="create_rnn_with_attention" wrong="ATTENTION_FAILS"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        raise NotImplementedError()


def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            AttentionPooling(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model


# %% exercise="create_rnn_with_attention" wrong="DENSE_ONLY"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, return_sequences=True),
            AttentionPooling(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model


# %% exercise="create_rnn_with_attention" wrong="RNN_ONLY"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            AttentionPooling(),
            keras.layers.Dense(dense_units),
        ]
    )
    model.compile(loss="mse", optimizer="adam")
    return model


# %% exercise="create_rnn_with_attention" wrong="LOSS"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            AttentionPooling(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss="mae", optimizer="adam")
    return model


# %% exercise="create_rnn_with_attention" wrong="SUMMED"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            AttentionPooling(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss=keras.losses.MeanSquaredError(reduction="sum"), optimizer="adam")
    return model


# %% exercise="create_rnn_with_attention" wrong="NOT_ADAM"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    model = keras.Sequential(
        [
            keras.Input(input_shape),
            keras.layers.SimpleRNN(hidden_units, activation=activation, return_sequences=True),
            AttentionPooling(),
            keras.layers.Dense(dense_units, activation=activation),
        ]
    )
    model.compile(loss="mse")
    return model


# %% exercise="create_rnn_with_attention" right="functional"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    inputs = keras.layers.Input(shape=input_shape)
    states = keras.layers.SimpleRNN(hidden_units, activation, return_sequences=True)(inputs)
    context = AttentionPooling()(states)
    outputs = keras.layers.Dense(dense_units, trainable=True, activation=activation)(context)
    model = keras.Model(inputs, outputs)
    model.compile(
        loss=keras.losses.MeanSquaredError(), optimizer=keras.optimizers.Adam(), metrics=["mse"]
    )
    return model


# %% exercise="create_rnn_with_attention" right="a model class"
def create_rnn_with_attention(hidden_units, dense_units, input_shape, activation):
    class Network(keras.Model):
        def __init__(self):
            super().__init__()
            self.recurrent = keras.layers.SimpleRNN(
                hidden_units, activation=activation, return_sequences=True
            )
            self.pooling = AttentionPooling()
            self.dense = keras.layers.Dense(dense_units, activation=activation)

        def call(self, inputs):
            return self.dense(self.pooling(self.recurrent(inputs)))

    model = Network()
    model.compile(optimizer="adam", loss="mean_squared_error")
    return model


# %% exercise="attention_map" wrong="FROM_INPUTS"
def attention_map(model, x):
    for layer in model.layers:
        if layer.__class__.__name__ == "AttentionPooling":
            w, b = layer.get_weights()
    shares = np.exp(np.tanh(x @ w + b)[..., 0])
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="SCORES"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states = keras.tree.flatten(keras.Model(model.inputs, layer.input)(x))[0]
    w, b = layer.get_weights()
    return np.tanh(states @ w + b)[..., 0]


# %% exercise="attention_map" wrong="KEPT_AXIS"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states = keras.tree.flatten(keras.Model(model.inputs, layer.input)(x))[0]
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="OTHER_LAYER"
def attention_map(model, x):
    recurrent, layer = model.layers[:2]
    states = np.asarray(recurrent(x))
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="NOT_ITS_INPUT"
def attention_map(model, x):
    found = {type(layer).__name__: layer for layer in model.layers}
    states = keras.Model(model.inputs, found["SimpleRNN"].output)(x)
    w, b = found["AttentionPooling"].get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="MAP_UNMASKED"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states = keras.tree.flatten(keras.Model(model.inputs, layer.input)(x))[0]
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" wrong="MASK_AFTER"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states, *masks = keras.tree.flatten(keras.Model(model.inputs, layer.input)(x))
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    weights = shares / shares.sum(axis=1, keepdims=True)
    return weights * np.asarray(masks[0]) if masks else weights


# %% exercise="attention_map" wrong="BEHIND_MASKING"
def attention_map(model, x):
    (layer,) = [layer for layer in model.layers if type(layer).__name__ == "AttentionPooling"]
    states = keras.Model(model.inputs, layer.input)(x).numpy()
    w, b = layer.get_weights()
    shares = np.exp(np.tanh(states @ w + b))[..., 0]
    return shares / shares.sum(axis=1, keepdims=True)


# %% exercise="attention_map" right="from layer to layer, with the mask that Keras attaches"
def attention_map(model, x):
    values = ops.convert_to_tensor(x, "float32")
    for layer in model.layers:
        if "AttentionPooling" in str(type(layer)):
            break
        values = layer(values)
    mask = getattr(values, "_keras_mask", None)
    w, b = (np.array(variable) for variable in layer.weights)
    scores = np.tanh(np.dot(values.numpy(), w)[..., 0] + b[:, 0])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    return ops.softmax(scores, axis=-1)


# %% exercise="attention_map" right="a method of the layer"
class AttentionPooling(keras.layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(name="attention_weight", shape=(input_shape[-1], 1))
        self.b = self.add_weight(name="attention_bias", shape=(input_shape[1], 1))

    def weigh(self, inputs, mask=None):
        scores = ops.tanh(ops.matmul(inputs, self.w) + self.b)
        if mask is not None:
            scores = ops.where(ops.cast(mask, "bool")[:, :, None], scores, -1e9)
        return ops.softmax(scores, axis=1)

    def call(self, inputs, mask=None):
        return ops.sum(inputs * self.weigh(inputs, mask), axis=1)


def attention_map(model, x):
    layer = next(layer for layer in model.layers if isinstance(layer, AttentionPooling))
    arriving = keras.Model(model.inputs, layer.input).predict(x, verbose=0)
    if isinstance(arriving, list):
        return layer.weigh(*arriving)[..., 0].numpy()
    return layer.weigh(arriving)[..., 0].numpy()


# %% exercise="constant_baseline" wrong="FITTED_ON_TEST"
def constant_baseline(train_y, test_y):
    return test_y.mean(), test_y.var()


# %% exercise="constant_baseline" wrong="MEDIAN"
def constant_baseline(train_y, test_y):
    constant = np.median(train_y)
    return constant, np.mean((test_y - constant) ** 2)


# %% exercise="constant_baseline" wrong="ROOT"
def constant_baseline(train_y, test_y):
    constant = np.mean(train_y)
    return constant, np.sqrt(np.mean((test_y - constant) ** 2))


# %% exercise="constant_baseline" wrong="TRAIN_ERROR"
def constant_baseline(train_y, test_y):
    return train_y.mean(), train_y.var()


# %% exercise="constant_baseline" right="least squares"
def constant_baseline(train_y, test_y):
    constant = np.linalg.lstsq(np.ones((len(train_y), 1)), train_y, rcond=None)[0][0]
    return [constant, np.var(test_y) + (np.mean(test_y) - constant) ** 2]
