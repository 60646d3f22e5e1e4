"""The bank of chapter 1: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np

# %%
TRANSPOSED = "w_h is used transposed. With row vectors the state stands on the left: h @ w_h."
NO_BIAS = "The bias is left out."
NO_RECURRENCE = "The previous state is not fed back. h_t must depend on h_{t-1}."
NO_ACTIVATION = "The activation is left out."
TANH_ONLY = "tanh is built in. The activation is an argument."
SQUEEZED = "An axis of length 1 is lost. Every array must keep all its axes."
FIRST_EXAMPLE = (
    "Only the first example of the batch is read. Every example has an input of its own."
)
DERIVATIVE_BEFORE = (
    "The derivative of tanh is taken at the state before the step. It must be taken at the state "
    "after it, the result of this tanh."
)
HARD_SIGMOID = (
    "The gates are a straight line cut off at 0 and 1, the hard sigmoid of old versions of Keras. "
    "They must be a sigmoid."
)
NOT_SUMMED = (
    "The gradient of a bias still has the batch axis. It must be summed over the batch, to the "
    "shape of the bias."
)
TRANSPOSED_GRADIENT = (
    "The gradient of a weight matrix is transposed. Its rows and its columns must be those of the "
    "matrix."
)
BIAS_AVERAGED = (
    "The gradient of a bias is averaged over the batch. The contributions of the examples are "
    "only added."
)
NOT_TRANSPOSED_BACK = (
    "w_h is not transposed on the way back. Forward it is h @ w_h, and backward d @ w_h.T."
)
NO_DERIVATIVE = "The derivative of tanh is left out. Multiply by 1 - h**2."
TANH_TWICE = "The derivative applies tanh to h, which is a tanh already. It is 1 - h**2."
STATE_AFTER = (
    "The gradient of w_h is computed with the state after the step. w_h was multiplied by the "
    "state before it."
)
INF_BY_INF = (
    "Numerator and denominator overflow, and inf / inf is not a number. Use np.tanh and a "
    "sigmoid like that of exercise 1."
)
ORDER_OF_THE_DICTS = (
    "The sets are taken in the order in which the dicts name them. Take each by its key, because "
    "the order may be any."
)
SIGMOID_CANDIDATE = "The candidate goes through a sigmoid. It must go through tanh."
LINEAR_CANDIDATE = "The tanh of the candidate is left out."
TANH_GATES = "The gates go through tanh. A gate is a sigmoid and lies between 0 and 1."
TRANSPOSED_U = "u is used transposed. With row vectors the state stands on the left: h_prev @ u."


# %% exercise="sigmoid" right="a NumPy scalar for an array without axes"
def sigmoid(x):
    return np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))


# %% exercise="sigmoid" wrong="OVERFLOW"
OVERFLOW = "An exponential overflows. Exponentiate only numbers that are not positive."


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# %% exercise="sigmoid" wrong="OVERFLOW"
def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


# %% exercise="sigmoid" wrong="OVERFLOW"
def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, dtype=np.longdouble)))


# %% exercise="sigmoid" wrong="SIGN_OF_X"
SIGN_OF_X = (
    "This is the sigmoid of -x, which falls from 1 to 0. It must rise from 0 to 1, so either a "
    "sign is wrong or two cases are swapped."
)


def sigmoid(x):
    return 1 / (1 + np.exp(np.clip(x, -500, 500)))


# %% exercise="sigmoid" wrong="TANH"
TANH = "This is tanh, which lies between -1 and 1. The sigmoid lies between 0 and 1."


def sigmoid(x):
    return np.tanh(x)


# %% exercise="sigmoid" wrong="HALF_ARGUMENT"
HALF_ARGUMENT = "This takes tanh of x. The sigmoid is (1 + tanh(x / 2)) / 2."


def sigmoid(x):
    return (1 + np.tanh(x)) / 2


# %% exercise="sigmoid" wrong="SOFTMAX"
SOFTMAX = "This is a softmax, whose entries add up to 1. The sigmoid treats every entry by itself."


def sigmoid(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# %% exercise="sigmoid" wrong="NO_AXES"
NO_AXES = (
    "This does not work for every shape. An array of any shape may come in, even one of shape ()."
)


def sigmoid(x):
    y = np.zeros(x.shape)
    for number in range(len(x)):
        y[number] = (1 + np.tanh(x[number] / 2)) / 2
    return y


# %% exercise="sigmoid" wrong="NO_AXES"
def sigmoid(x):
    x = np.atleast_1d(x)
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


# %% exercise="sigmoid" wrong="INPUT_CHANGED"
def sigmoid(x):
    x[x < -500] = -500
    return 1 / (1 + np.exp(-x))


# %% exercise="sigmoid" wrong="TANH"
def sigmoid(x):
    return np.tanh(x / 2)


# %% exercise="sigmoid" wrong="NOT_HALVED"
NOT_HALVED = "This lies between 0 and 2. The sigmoid is (1 + tanh(x / 2)) / 2."


def sigmoid(x):
    return np.tanh(x / 2) + 1


# %% exercise="sigmoid" edits="a NumPy scalar for an array without axes"
ONE_FORM = (
    "No value is below 1/2, because one form is used for both signs. For negative x the sigmoid "
    "is exp(x) / (1 + exp(x)).",
    {"np.exp(np.minimum(x, 0))": "1"},
)


# %% exercise="sigmoid" wrong="ZERO_LEFT_OUT"
ZERO_LEFT_OUT = "The result for x = 0 is left at 0. It must be 1/2."


def sigmoid(x):
    y = np.zeros(np.shape(x))
    y[x > 0] = 1 / (1 + np.exp(-x[x > 0]))
    y[x < 0] = np.exp(x[x < 0]) / (1 + np.exp(x[x < 0]))
    return y


# %% exercise="sigmoid" right="by the hyperbolic tangent"
def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


# %% exercise="sigmoid" right="each sign by itself"
def sigmoid(x):
    y = np.zeros(np.shape(x), dtype="float32")
    positive = x >= 0
    y[positive] = 1 / (1 + np.exp(-x[positive]))
    e = np.exp(x[~positive])
    y[~positive] = e / (1 + e)
    return y


# %% exercise="sigmoid" right="by logaddexp"
def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


# %% exercise="sigmoid" edits="by the hyperbolic tangent"
CUT_EARLY = (
    "x is limited to a range in which the sigmoid has not yet reached 0 and 1. Limit it to about "
    "±700, where no exponential overflows, or not at all.",
    {"0.5 * (1 + np.tanh(0.5 * x))": "1 / (1 + np.exp(-np.clip(x, -10, 10)))"},
    {"0.5 * (1 + np.tanh(0.5 * x))": "1 / (1 + np.exp(-np.clip(x, -5, 5)))"},
)


# %% exercise="sigmoid" wrong="ONE_IF_FOR_ALL"
ONE_IF_FOR_ALL = (
    "An if asks about the whole array at once. Every entry must be decided by itself, for example "
    "by np.where."
)


def sigmoid(x):
    if x >= 0:
        return 1 / (1 + np.exp(-x))
    return np.exp(x) / (1 + np.exp(x))


# %% exercise="sigmoid" wrong="NO_AXES"
def sigmoid(x):
    return np.array([0.5 * (1 + np.tanh(0.5 * number)) for number in x])


# %% exercise="sigmoid" edits="by the hyperbolic tangent" wrong="CUT_EARLY"
{"0.5 * (1 + np.tanh(0.5 * x))": "1 / (1 + np.exp(-np.clip(x, -15, 15)))"}
{"0.5 * (1 + np.tanh(0.5 * x))": "1 / (1 + np.exp(-np.clip(x, -20, 20)))"}


# %% exercise="sigmoid" edits="by the hyperbolic tangent"
MAXIMUM_SUBTRACTED = (
    "The largest number is subtracted from x first, as in a softmax. A sigmoid treats every entry "
    "by itself, so nothing may be subtracted.",
    {"np.tanh(0.5 * x)": "np.tanh(0.5 * (x - np.max(x)))"},
)


# %% exercise="sigmoid" wrong="FRACTIONS_CUT_OFF"
FRACTIONS_CUT_OFF = (
    "The fractions are cut off when x holds whole numbers, because the result is written into an "
    "array of the type of x. Make it with np.zeros(x.shape)."
)


def sigmoid(x):
    y = np.zeros_like(x)
    y[x >= 0] = 1 / (1 + np.exp(-x[x >= 0]))
    y[x < 0] = np.exp(x[x < 0]) / (1 + np.exp(x[x < 0]))
    return y


# %% exercise="sigmoid" wrong="TYPE_OF_FIRST"
TYPE_OF_FIRST = (
    "If the first result is a whole number, all others lose their fractions, because np.vectorize "
    "takes the type from the first one. Pass otypes=[float], or do without it."
)


def sigmoid(x):
    def one(v):
        if v > 700:
            return 1
        if v < -700:
            return 0
        return 1 / (1 + np.exp(-v))

    return np.vectorize(one)(x)


# %% exercise="sigmoid" edits="a NumPy scalar for an array without axes"
CUT_AT_0 = (
    "Positive entries are cut to 0 before the exponential, so each of them gives 0.5.",
    {"np.exp(-np.abs(x))": "np.exp(np.minimum(x, 0))"},
)


# %% exercise="sigmoid" edits="by the hyperbolic tangent"
ENDS_SET = (
    "Numbers beyond a bound give 0 and 1, but the sigmoid has not reached these there. Compute "
    "every entry by the formula.",
    {
        "return 0.5 * (1 + np.tanh(0.5 * x))": (
            "y = 0.5 * (1 + np.tanh(0.5 * x))\n"
            "    return np.where(x > 10, 1.0, np.where(x < -10, 0.0, y))"
        )
    },
)


# %% exercise="sigmoid" edits="by the hyperbolic tangent"
DOUBLED_ARGUMENT = (
    "This takes tanh of 2x. The argument of tanh must be half of x, and not twice x.",
    {"0.5 * x": "2 * x"},
)
DERIVATIVE = (
    "This is the derivative of the sigmoid, which is largest at 0 and never above 1/4. The sigmoid "
    "itself is asked for.",
    {"0.5 * (1 + np.tanh(0.5 * x))": "0.25 * (1 - np.tanh(0.5 * x) ** 2)"},
)
HARD = (
    "This is a straight line cut off at 0 and 1, the hard sigmoid of old versions of Keras. The "
    "sigmoid is a smooth curve.",
    {"0.5 * (1 + np.tanh(0.5 * x))": "np.clip(0.2 * x + 0.5, 0, 1)"},
    {"0.5 * (1 + np.tanh(0.5 * x))": "np.clip(x / 6 + 0.5, 0, 1)"},
)


# %% exercise="sigmoid" wrong="WARNS_AT_ZERO"
WARNS_AT_ZERO = (
    "At 0 the function divides 0 by 0 and corrects the result afterwards, so NumPy warns. A "
    "sigmoid needs no such division, because 1 + e^-x is never 0."
)


def sigmoid(x):
    x = np.asarray(x, dtype=float)
    e = np.exp(-np.abs(x))
    sign = np.nan_to_num(x / np.abs(x))
    return 0.5 * (1 + sign * (1 - e) / (1 + e))


# %% exercise="rnn_step" right="one line"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t @ w_x + h_prev @ w_h + b_h)


# %% exercise="rnn_step" edits="one line" wrong="TRANSPOSED"
{"@ w_h": "@ w_h.T"}


# %% exercise="rnn_step" edits="one line" wrong="NO_BIAS"
{" + b_h": ""}


# %% exercise="rnn_step" edits="one line" wrong="NO_RECURRENCE"
{" h_prev @ w_h +": ""}


# %% exercise="rnn_step" wrong="NO_ACTIVATION"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return x_t @ w_x + h_prev @ w_h + b_h


# %% exercise="rnn_step" wrong="TANH_ONLY"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return np.tanh(x_t @ w_x + h_prev @ w_h + b_h)


# %% exercise="rnn_step" edits="one line"
ACTIVATED_EARLY = (
    "The activation is applied to a part of the sum. It must be applied to the whole sum.",
    {"(x_t @ w_x + h_prev @ w_h + b_h)": "(x_t @ w_x + b_h) + h_prev @ w_h"},
)
BIAS_OUTSIDE = (
    "The bias is added after the activation. It belongs inside it.",
    {"(x_t @ w_x + h_prev @ w_h + b_h)": "(x_t @ w_x + h_prev @ w_h) + b_h"},
)


# %% exercise="rnn_step" wrong="SQUEEZED"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return np.squeeze(activation(x_t @ w_x + h_prev @ w_h + b_h))


# %% exercise="rnn_step" wrong="SQUEEZED"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    h = activation(x_t @ w_x + h_prev @ w_h + b_h)
    return h[:, 0] if h.shape[1] == 1 else h


# %% exercise="rnn_step" wrong="INPUT_CHANGED"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    h_prev[:] = activation(x_t @ w_x + h_prev @ w_h + b_h)
    return h_prev


# %% exercise="rnn_step" edits="one line" wrong="FIRST_EXAMPLE"
{"x_t @": "x_t[0] @"}
{"x_t @ w_x + h_prev @ w_h": "x_t[0] @ w_x + h_prev[0] @ w_h"}


# %% exercise="rnn_step" edits="one line"
BIAS_TWICE = (
    "The bias is added twice. It is added once to the sum of the two products.",
    {"x_t @ w_x +": "x_t @ w_x + b_h +"},
)


# %% exercise="rnn_step" edits="one line" wrong="ACTIVATED_EARLY"
{"(x_t @ w_x + h_prev @ w_h + b_h)": "(x_t @ w_x) + activation(h_prev @ w_h) + b_h"}


# %% exercise="rnn_step" right="one product of stacked arrays"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    both = np.concatenate([x_t, h_prev], axis=1)
    return activation(both @ np.vstack([w_x, w_h]) + b_h)


# %% exercise="rnn_step" right="column vectors, one example at a time"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    w_x, w_h, b_h = (np.asarray(array, dtype="float32") for array in (w_x, w_h, b_h))
    return [list(activation(w_x.T @ x + w_h.T @ h + b_h)) for x, h in zip(x_t, h_prev, strict=True)]


# %% exercise="rnn_step" edits="one line"
ENTRY_BY_ENTRY = (
    "* multiplies entry by entry. The state and w_h are multiplied as matrices, with @.",
    {"h_prev @ w_h": "h_prev * w_h"},
    {"x_t @ w_x": "x_t * w_x", "h_prev @ w_h": "h_prev * w_h"},
)
WEIGHTS_ON_THE_LEFT = (
    "The weights stand on the left, as in papers with column vectors. Here vectors are rows: x_t @ "
    "w_x and h_prev @ w_h.",
    {"x_t @ w_x": "w_x @ x_t", "h_prev @ w_h": "w_h @ h_prev"},
    {"h_prev @ w_h": "w_h @ h_prev"},
)
STATE_ALONE_ACTIVATED = (
    "The activation is applied to the state's part of the sum alone. It must be applied to the "
    "whole sum.",
    {"activation(x_t @ w_x + h_prev @ w_h + b_h)": "x_t @ w_x + activation(h_prev @ w_h + b_h)"},
    {"activation(x_t @ w_x + h_prev @ w_h + b_h)": "x_t @ w_x + activation(h_prev @ w_h) + b_h"},
)


# %% exercise="rnn_step" edits="one line" wrong="ACTIVATED_EARLY"
{"activation(x_t @ w_x + h_prev @ w_h + b_h)": "activation(x_t @ w_x) + h_prev @ w_h + b_h"}
{"activation(x_t @ w_x + h_prev @ w_h + b_h)": "activation(x_t @ w_x + b_h) + h_prev @ w_h"}


# %% exercise="rnn_step" edits="one line"
STATE_AS_IT_IS = (
    "The previous state is added as it is. It must be multiplied by w_h first.",
    {"h_prev @ w_h": "h_prev"},
)
STATE_OF_THE_FIRST = (
    "The state of the first example is used for the whole batch. Every example has a state of its "
    "own.",
    {"h_prev @ w_h": "h_prev[0] @ w_h"},
)


# %% exercise="rnn_step" edits="one line"
EACH_ACTIVATED = (
    "The activation is applied to the input's part and to the state's part one by one. It must be "
    "applied once, to their sum.",
    {"(x_t @ w_x + h_prev @ w_h + b_h)": "(x_t @ w_x + b_h) + activation(h_prev @ w_h)"},
    {"(x_t @ w_x + h_prev @ w_h + b_h)": "(x_t @ w_x) + activation(h_prev @ w_h + b_h)"},
    {"(x_t @ w_x + h_prev @ w_h + b_h)": "(x_t @ w_x + b_h) + activation(h_prev @ w_h + b_h)"},
)
DIAGONAL = (
    "Only the diagonal of w_h is used. A unit reads the previous states of all units: h_prev @ "
    "w_h.",
    {"h_prev @ w_h": "h_prev * np.diag(w_h)"},
)
OLD_STATE_ADDED = (
    "The previous state is added to the new one. It only takes part in the sum, by h_prev @ w_h.",
    {"return activation(": "return h_prev + activation("},
)


# %% exercise="rnn_step" edits="one product of stacked arrays"
JOINED_OTHERWISE = (
    "Input and state are joined in one order and their weights in the other. Use the same order "
    "for both.",
    {"[x_t, h_prev]": "[h_prev, x_t]"},
    {"[w_x, w_h]": "[w_h, w_x]"},
)


# %% exercise="rnn_step" edits="one line"
FIRST_FEATURE = (
    "Only the first row of w_x is used, which is right for one input feature alone. The input and "
    "w_x are multiplied as matrices: x_t @ w_x.",
    {"x_t @ w_x": "x_t * w_x[0]"},
    {"x_t @ w_x": "x_t[:, :1] * w_x[0]"},
)


# %% exercise="rnn_step" edits="one line"
ACTIVATION_TWICE = (
    "The activation is applied twice. It is applied once, to the whole sum.",
    {
        "return activation(x_t @ w_x + h_prev @ w_h + b_h)": (
            "return activation(activation(x_t @ w_x + h_prev @ w_h + b_h))"
        ),
    },
)
WHOLE_STATE = (
    "The result has the dtype of h_prev, so whole numbers there cut off its fractions.",
    {
        "return activation(x_t @ w_x + h_prev @ w_h + b_h)": (
            "return activation(x_t @ w_x + h_prev @ w_h + b_h).astype(h_prev.dtype)"
        ),
    },
)


# %% exercise="rnn_step" edits="one line"
BIAS_BEFORE_W_H = (
    "The bias is added to the previous state, so w_h multiplies it, too. Add it to the sum of the "
    "two products.",
    {"h_prev @ w_h + b_h": "(h_prev + b_h) @ w_h"},
)


# %% exercise="rnn_step" wrong="BATCH_AS_TIME"
BATCH_AS_TIME = (
    "The new state of one example goes on to the next. The rows are examples, not time steps: each "
    "has its own state in h_prev."
)


def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    states, h = [], h_prev[0]
    for x in x_t:
        h = activation(x @ w_x + h @ w_h + b_h)
        states.append(h)
    return np.array(states)


# %% exercise="rnn_step" edits="one line"
OLD_STATE_ACTIVATED = (
    "The old state goes through the activation once more. Multiply h_prev itself by w_h.",
    {"h_prev @": "activation(h_prev) @"},
)


# %% exercise="rnn_step" edits="one line"
BIAS_AS_COLUMN = (
    "The bias is added as a column, one number for each example. It has one number for each unit, "
    "and the same row is added to every example.",
    {"+ b_h": "+ b_h[:, None]"},
)
STATE_PRODUCT_OF_BOTH = (
    "w_h multiplies the input's part of the sum, too. It is for h_prev alone.",
    {"x_t @ w_x + h_prev @ w_h": "(x_t @ w_x + h_prev) @ w_h"},
)


# %% exercise="rnn_step" wrong="FIRST_ROW"
FIRST_ROW = (
    "The result of the first example is written into every row. Each row of the batch has its own "
    "x_t and h_prev."
)


def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    m = w_h.shape[0]
    out = np.zeros_like(h_prev, dtype=float)
    for j in range(m):
        out[:, j] = x_t[0] @ w_x[:, j] + h_prev[0] @ w_h[:, j] + b_h[j]
    return activation(out)


# %% exercise="rnn_step" edits="one line"
FIRST_EXAMPLE_STEPS = (
    "Only the first example of the batch is computed. x_t and h_prev have one row for each "
    "example.",
    {"x_t @ w_x + h_prev @ w_h": "x_t[:1] @ w_x + h_prev[:1] @ w_h"},
    {
        "return activation(x_t @ w_x + h_prev @ w_h + b_h)": ""
        "return activation(x_t[0] @ w_x + h_prev[0] @ w_h + b_h)[None]"
    },
)


# %% exercise="rnn_forward" right="states written into an array"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" right="states stacked in the end"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    states = []
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        states.append(h)
    hidden = np.stack(states, axis=1)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" edits="states stacked in the end"
TIME_FIRST = (
    "Time and batch are swapped. The batch comes first.",
    {"stack": "array", ", axis=1": ""},
)
STATE_BEFORE = (
    "hidden holds the states before their steps. hidden[:, 0] must be the state that has read "
    "the first input.",
    {
        "range(x.shape[1]):": ("range(x.shape[1]):\n        states.append(h)"),
        "        states.append(h)\n": "",
    },
)


# %% exercise="rnn_forward" wrong="H_0_KEPT"
H_0_KEPT = (
    "hidden starts with h_0. It must hold one state for every step, and h_0 is not one of them."
)


def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    states = [np.zeros((len(x), len(b_h))) if h_0 is None else h_0]
    for t in range(x.shape[1]):
        states.append(activation(x[:, t] @ w_x + states[-1] @ w_h + b_h))
    hidden = np.stack(states, axis=1)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" edits="states stacked in the end"
H_0_IGNORED = "h_0 is ignored. Zeros are only its default.", {" if h_0 is None else h_0": ""}


# %% exercise="rnn_forward" edits="states written into an array"
ACTIVATED_OUTPUT = (
    "The activation is applied to the output. The output must be linear.",
    {"hidden @ w_y + b_y": "activation(hidden @ w_y + b_y)"},
)
LAST_OUTPUT = "Only the last output is returned. Every step has an output.", {"hidden @": "h @"}


# %% exercise="rnn_forward" wrong="NO_RECURRENCE"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        hidden[:, t] = activation(x[:, t] @ w_x + h @ w_h + b_h)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" edits="states written into an array" wrong="TRANSPOSED"
{"@ w_h": "@ w_h.T"}


# %% exercise="rnn_forward" edits="states written into an array" wrong="TANH_ONLY"
{"= activation": "= np.tanh"}


# %% exercise="rnn_forward" edits="states written into an array"
NO_OUTPUT_BIAS = "b_y is left out.", {" + b_y": ""}


# %% exercise="rnn_forward" edits="states written into an array" wrong="SQUEEZED"
{
    "return hidden, hidden @ w_y + b_y": (
        "outputs = hidden @ w_y + b_y\n    return hidden.squeeze(), outputs.squeeze()"
    )
}
{
    "return hidden, hidden @ w_y + b_y": (
        "outputs = hidden @ w_y + b_y\n"
        "    return (hidden, outputs) if x.shape[1] > 1 else (hidden[:, 0], outputs[:, 0])"
    )
}
{
    "return hidden, hidden @ w_y + b_y": (
        "outputs = hidden @ w_y + b_y\n"
        "    return (hidden, outputs) if len(b_h) > 1 else (hidden[:, :, 0], outputs)"
    )
}


# %% exercise="rnn_forward" edits="states stacked in the end"
RESHAPED = (
    "The axes of time and batch are exchanged by reshape, which mixes the examples. Use "
    "np.stack(states, axis=1) or a transposition.",
    {"np.stack(states, axis=1)": "np.array(states).reshape(len(x), x.shape[1], len(b_h))"},
)


# %% exercise="rnn_forward" wrong="INPUT_CHANGED"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    if h_0 is None:
        h_0 = np.zeros((len(x), len(b_h)))
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h_0[:] = activation(x[:, t] @ w_x + h_0 @ w_h + b_h)
        hidden[:, t] = h_0
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="LOOP_OVER_BATCH"
LOOP_OVER_BATCH = (
    "The loop runs over the examples of the batch. It must run over time, the second axis of x: "
    "x[:, t] is what every example reads in step t."
)


def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros(len(b_h)) if h_0 is None else h_0
    states = []
    for x_t in x:
        h = activation(x_t @ w_x + h @ w_h + b_h)
        states.append(h)
    hidden = np.array(states)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" edits="states written into an array"
OUTPUT_BEFORE = (
    "The outputs are computed from the states before the steps. y_t belongs to h_t, the state "
    "that has read x_t.",
    {
        "for t in range(x.shape[1]):": (
            "outputs = np.zeros((len(x), x.shape[1], len(b_y)))\n"
            "    for t in range(x.shape[1]):\n"
            "        outputs[:, t] = h @ w_y + b_y"
        ),
        "hidden @ w_y + b_y": "outputs",
    },
)


# %% exercise="rnn_forward" wrong="H_0_KEPT"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    hidden[:, 0] = 0 if h_0 is None else h_0
    for t in range(1, x.shape[1]):
        hidden[:, t] = activation(x[:, t] @ w_x + hidden[:, t - 1] @ w_h + b_h)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="LAST_STATE"
LAST_STATE = "Only the last state is returned. hidden must hold the state after every step."


def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
    return h, h @ w_y + b_y


# %% exercise="rnn_forward" edits="states written into an array"
OUTPUTS_FIRST = (
    "hidden and outputs are returned in the wrong order. hidden comes first.",
    {" hidden,": "", "+ b_y": "+ b_y, hidden"},
)
FROM_THE_END = (
    "The sequence is read from its end. The first step must read x[:, 0].",
    {"range(x.shape[1])": "reversed(range(x.shape[1]))"},
)


# %% exercise="rnn_forward" edits="states written into an array" wrong="NO_BIAS"
{" + b_h": ""}


# %% exercise="rnn_forward" edits="states written into an array" wrong="NO_ACTIVATION"
{"activation(x[:, t] @ w_x + h @ w_h + b_h)": "x[:, t] @ w_x + h @ w_h + b_h"}


# %% exercise="rnn_forward" wrong="FIRST_EXAMPLE"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros(len(b_h)) if h_0 is None else h_0[0]
    states = []
    for x_t in x[0]:
        h = activation(x_t @ w_x + h @ w_h + b_h)
        states.append(h)
    hidden = np.array(states)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" right="inputs projected first, in float32"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    from_input = (x @ w_x + b_h).astype("float32")
    h = np.zeros_like(from_input[:, 0]) if h_0 is None else h_0.astype("float32")
    states = []
    for total in from_input.swapaxes(0, 1):
        h = activation(total + h @ w_h.astype("float32"))
        states.append(h)
    hidden = np.stack(states, axis=1)
    return [hidden, np.einsum("btm,mk->btk", hidden, w_y) + b_y]


# %% exercise="rnn_forward" right="a list of steps, transposed"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    states, outputs = [], []
    for x_t in np.moveaxis(x, 1, 0):
        h = activation(x_t @ w_x + h @ w_h + b_h)
        states.append(h)
        outputs.append(h @ w_y + b_y)
    return np.array(states).transpose(1, 0, 2), np.array(outputs).swapaxes(0, 1)


# %% exercise="rnn_forward" right="one example at a time"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    hidden, outputs = [], []
    for number, sequence in enumerate(x):
        state = np.zeros(w_h.shape[1]) if h_0 is None else h_0[number]
        states = []
        for x_t in sequence:
            state = activation(w_x.T @ x_t + w_h.T @ state + b_h)
            states.append(state)
        hidden.append(states)
        outputs.append([w_y.T @ state + b_y for state in states])
    return np.array(hidden), np.array(outputs)


# %% exercise="rnn_forward" edits="states stacked in the end"
HIDDEN_ONE_STEP_LATE = (
    "hidden is shifted by one step, although the outputs are right. hidden[:, 0] must be the state "
    "that has read the first input.",
    {
        "return hidden, hidden @": "late = np.roll(hidden, 1, axis=1)\n    late[:, 0] = 0\n"
        "    return late, hidden @"
    },
)
INPUT_NOT_ACTIVATED = (
    "The activation is applied to a part of the sum. It must be applied to the whole sum.",
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": "x[:, t] @ w_x + activation(h @ w_h + b_h)"},
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": "activation(x[:, t] @ w_x) + h @ w_h + b_h"},
    {"activation(x[:, t] @ w_x + h @ w_h + b_h)": "activation(x[:, t] @ w_x + h @ w_h) + b_h"},
)
COMPARED_WITH_NONE = (
    "The condition asks whether a whole array is true, as in if h_0, h_0 or zeros, or h_0 == None. "
    "Ask whether h_0 is None.",
    {"if h_0 is None else": "if h_0 == None else"},
    {"np.zeros((len(x), len(b_h))) if h_0 is None else h_0": "h_0 or np.zeros((len(x), len(b_h)))"},
    {
        "np.zeros((len(x), len(b_h))) if h_0 is None else h_0": ""
        "h_0 if h_0 else np.zeros((len(x), len(b_h)))"
    },
)


# %% exercise="rnn_forward" edits="states written into an array"
SUM_CARRIED = (
    "The sum before the activation is carried to the next step. The next step must read the state, "
    "which is the result of the activation.",
    {"h = activation(": "h = (", "hidden[:, t] = h": "hidden[:, t] = activation(h)"},
)


# %% exercise="rnn_forward" edits="states written into an array"
FIRST_STEP_WITHOUT_BIAS = (
    "The bias b_h is left out of the first step. It belongs to every step.",
    {"h @ w_h + b_h": "h @ w_h + (b_h if t else 0)"},
)


# %% exercise="rnn_forward" edits="states written into an array"
FRACTIONS_CUT_OFF = (
    "The fractions are cut off when x holds whole numbers, because the states are written into an "
    "array of the type of x. Make it with np.zeros(shape), without a dtype.",
    {"len(b_h)))\n    for": "len(b_h)), dtype=x.dtype)\n    for"},
)


# %% exercise="rnn_forward" edits="states stacked in the end"
ONE_ARRAY = (
    "The same array is appended at every step, so all states are the last one. "
    "Append a copy of it.",
    {
        "    states = []\n": "    states, kept = [], np.zeros((len(x), len(b_h)))\n",
        "        states.append(h)": "        kept[:] = h\n        states.append(kept)",
    },
)
FIRST_OUTPUT_ALONE = (
    "Only the first output comes back. There are as many as w_y has columns.",
    {"hidden @ w_y + b_y": "hidden @ w_y[:, :1] + b_y[:1]"},
)
HIDDEN_ALONE = (
    "The states come back alone. The outputs come back behind them.",
    {"return hidden, hidden @ w_y + b_y": "return hidden"},
)


# %% exercise="rnn_forward" edits="states written into an array"
WHOLE_H_0 = (
    "The states have the dtype of h_0, so whole numbers there cut off their fractions.",
    {"else h_0": "else h_0.copy()", "        h = activation(": "        h[:] = activation("},
)

# %% exercise="rnn_forward" edits="one example at a time"
FROM_SEQUENCE_TO_SEQUENCE = (
    "The state is carried on from one sequence of the batch to the next. Each of them starts from "
    "its own h_0.",
    {
        "    for number, sequence": "    state = np.zeros(len(w_h)) if h_0 is None else h_0[0]\n"
        "    for number, sequence",
        "        state = np.zeros(w_h.shape[1]) if h_0 is None else h_0[number]\n": "",
    },
)

# %% exercise="rnn_forward" edits="states stacked in the end"
AFTER_ONE_STEP = (
    "The function returns after its first step, because the return stands inside the loop. It must "
    "read the whole sequence first.",
    {
        "    hidden = np.stack(states, axis=1)\n    return hidden, hidden @ w_y + b_y": (
            "        hidden = np.stack(states, axis=1)\n        return hidden, hidden @ w_y + b_y"
        )
    },
)
BIAS_OF_THE_STATE = (
    "The outputs are computed with b_h, the bias of the states. They have one of their own, b_y.",
    {"hidden @ w_y + b_y": "hidden @ w_y + b_h"},
)


# %% exercise="rnn_step_backward" right="one product for each gradient"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="NO_DERIVATIVE"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    return {
        "x_t": d_h @ w_x.T,
        "h_prev": d_h @ w_h.T,
        "w_x": x_t.T @ d_h,
        "w_h": h_prev.T @ d_h,
        "b_h": d_h.sum(axis=0),
    }


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="TANH_TWICE"
{"h_t**": "np.tanh(h_t) **"}


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="DERIVATIVE_BEFORE"
{"h_t**": "h_prev**"}


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="NOT_TRANSPOSED_BACK"
{"w_h.T": "w_h"}


# %% exercise="rnn_step_backward" edits="one product for each gradient"
PAST_THE_TANH = (
    "h_prev receives the gradient of the sum inside the tanh. That gradient must still go "
    "through w_h.",
    {" @ w_h.T": ""},
)


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="STATE_AFTER"
{"h_prev.T": "h_t.T"}


# %% exercise="rnn_step_backward" wrong="DIVIDED_BY_BATCH"
DIVIDED_BY_BATCH = (
    "The gradients are divided by the batch size. The examples are only added, because d_h "
    "contains such factors already."
)


def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d, batch = d_h * (1 - h_t**2), len(x_t)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d / batch,
        "w_h": h_prev.T @ d / batch,
        "b_h": d.mean(axis=0),
    }


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="TRANSPOSED_GRADIENT"
{"x_t.T @ d": "d.T @ x_t", "h_prev.T @ d": "d.T @ h_prev"}


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="NOT_SUMMED"
{"d.sum(axis=0)": "d"}


# %% exercise="rnn_step_backward" wrong="INPUT_CHANGED"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d_h *= 1 - h_t**2
    return {
        "x_t": d_h @ w_x.T,
        "h_prev": d_h @ w_h.T,
        "w_x": x_t.T @ d_h,
        "w_h": h_prev.T @ d_h,
        "b_h": d_h.sum(axis=0),
    }


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="TRANSPOSED_GRADIENT"
{"h_prev.T @ d": "d.T @ h_prev"}


# %% exercise="rnn_step_backward" edits="one product for each gradient"
SIGMOID_DERIVATIVE = (
    "h * (1 - h) is the derivative of the sigmoid. That of tanh is 1 - h**2.",
    {"(1 - h_t**2)": "h_t * (1 - h_t)"},
)
NOT_SQUARED = "The derivative is taken as 1 - h. That of tanh is 1 - h**2.", {"**2": ""}


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="BIAS_AVERAGED"
{"d.sum": "d.mean"}


# %% exercise="rnn_step_backward" wrong="NO_DERIVATIVE"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d_h,
        "w_h": h_prev.T @ d_h,
        "b_h": d_h.sum(axis=0),
    }


# %% exercise="rnn_step_backward" right="one example at a time"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    gradients = {
        "b_h": np.zeros(len(w_h)),
        "w_h": np.zeros_like(w_h),
        "w_x": np.zeros_like(w_x),
        "h_prev": [],
        "x_t": [],
    }
    for d, x, before, after in zip(d_h, x_t, h_prev, h_t, strict=True):
        d = d * (1 - after) * (1 + after)
        gradients["b_h"] += d
        gradients["w_h"] += np.outer(before, d)
        gradients["w_x"] += np.outer(x, d)
        gradients["h_prev"].append(w_h @ d)
        gradients["x_t"].append(w_x @ d)
    gradients["h_prev"] = np.array(gradients["h_prev"])
    gradients["x_t"] = np.array(gradients["x_t"])
    return gradients


# %% exercise="rnn_step_backward" right="by einsum, in float32"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = np.einsum("bm,bm->bm", d_h, 1 - np.square(h_t)).astype("float32")
    return dict(
        x_t=np.einsum("bm,dm->bd", d, w_x),
        h_prev=np.einsum("bn,mn->bm", d, w_h),
        w_x=np.einsum("bd,bm->dm", x_t, d),
        w_h=np.einsum("bn,bm->nm", h_prev, d),
        b_h=np.einsum("bm->m", d),
    )


# %% exercise="rnn_step_backward" edits="one product for each gradient"
W_H_PAST_THE_TANH = (
    "The gradient of w_h is computed with d_h itself, which has not gone back through the tanh.",
    {'"w_h": h_prev.T @ d,': '"w_h": h_prev.T @ d_h,'},
)
W_X_PAST_THE_TANH = (
    "The gradient of w_x is computed with d_h itself, which has not gone back through the tanh.",
    {'"w_x": x_t.T @ d,': '"w_x": x_t.T @ d_h,'},
)
H_PREV_PAST_THE_TANH = (
    "The gradient of h_prev is computed with d_h itself, which has not gone back through the tanh.",
    {'"h_prev": d @ w_h.T,': '"h_prev": d_h @ w_h.T,'},
)
X_T_PAST_THE_TANH = (
    "The gradient of x_t is computed with d_h itself, which has not gone back through the tanh.",
    {'"x_t": d @ w_x.T,': '"x_t": d_h @ w_x.T,'},
)
B_H_PAST_THE_TANH = (
    "The gradient of b_h is computed from d_h itself, which has not gone back through the tanh.",
    {"d.sum(axis=0)": "d_h.sum(axis=0)"},
)
SUMMED_OVER_UNITS = (
    "The gradient of b_h is summed over the units. It must be summed over the batch, to the shape "
    "of b_h.",
    {"d.sum(axis=0)": "d.sum(axis=1)"},
)
SUMMED_OVER_ALL = (
    "The gradient of b_h is summed over everything, to a single number. It must be summed over the "
    "batch alone, to the shape of b_h.",
    {"d.sum(axis=0)": "d.sum()"},
)
BATCH_AXIS_KEPT = (
    "The gradient of b_h keeps an axis of length 1. Its shape must be that of b_h, (m,).",
    {"d.sum(axis=0)": "d.sum(axis=0, keepdims=True)"},
)
A_TUPLE = (
    "The gradients come back without their names. The result is a dict with the keys x_t, h_prev, "
    "w_x, w_h and b_h.",
    {
        "return {": "return tuple({",
        "axis=0),\n    }": "axis=0),\n    }.values())",
    },
)


# %% exercise="rnn_step_backward" edits="one product for each gradient"
DIFFERENCE_SQUARED = (
    "The derivative is taken as (1 - h)**2. That of tanh is 1 - h**2.",
    {"(1 - h_t**2)": "(1 - h_t) ** 2"},
)


# %% exercise="rnn_step_backward" edits="one product for each gradient" wrong="NO_DERIVATIVE"
{
    "d @ w_x.T": "d_h @ w_x.T",
    "d @ w_h.T": "d_h @ w_h.T",
    "x_t.T @ d": "x_t.T @ d_h",
    "h_prev.T @ d": "h_prev.T @ d_h",
}


# %% exercise="rnn_step_backward" edits="one example at a time"
LAST_EXAMPLE = (
    "The gradients of the parameters are those of the last example. Add up those of all examples.",
    {
        'gradients["b_h"] +=': 'gradients["b_h"] =',
        'gradients["w_h"] +=': 'gradients["w_h"] =',
        'gradients["w_x"] +=': 'gradients["w_x"] =',
    },
)


# %% exercise="rnn_step_backward" edits="one product for each gradient"
OUTER = (
    "np.outer multiplies every number of the batch by every other one. For a batch of several "
    "examples the gradient is x_t.T @ d, which adds up the products of each example.",
    {"x_t.T @ d": "np.outer(x_t, d)", "h_prev.T @ d": "np.outer(h_prev, d)"},
)


# %% exercise="rnn_step_backward" edits="one product for each gradient"
BIAS_OF_FIRST = (
    "The gradient of b_h is that of the first example. It is summed over the batch.",
    {"d.sum(axis=0)": "d[0]"},
)
WEIGHTS_OF_FIRST = (
    "The gradients of the weights are those of the first example. They are summed over the batch.",
    {"x_t.T @ d": "np.outer(x_t[0], d[0])", "h_prev.T @ d": "np.outer(h_prev[0], d[0])"},
)
WEIGHTS_SWAPPED = (
    "The gradients of w_x and w_h stand under each other's key.",
    {'"w_x": x_t.T @ d': '"w_h": x_t.T @ d', '"w_h": h_prev.T @ d': '"w_x": h_prev.T @ d'},
)
SLOPE_HELD_UP = (
    "The slope of tanh is kept away from 0. Near 1 and -1 it may be as small as it is.",
    {"(1 - h_t**2)": "np.maximum(1 - h_t**2, 0.01)"},
)
WHOLE_NUMBERS = (
    "The gradients have the dtype of h_prev or x_t, so whole numbers there cut "
    "off their fractions.",
    {
        "h_prev.T @ d": "(h_prev.T @ d).astype(h_prev.dtype)",
        "x_t.T @ d": "(x_t.T @ d).astype(x_t.dtype)",
    },
    {"x_t.T @ d": "(x_t.T @ d).astype(x_t.dtype)"},
    {"h_prev.T @ d": "(h_prev.T @ d).astype(h_prev.dtype)"},
    {"d @ w_h.T": "(d @ w_h.T).astype(h_prev.dtype)", "d @ w_x.T": "(d @ w_x.T).astype(x_t.dtype)"},
)


# %% exercise="rnn_step_backward" edits="one product for each gradient"
SUM_WITHOUT_BIAS = (
    "The sum inside the tanh is computed again, without the bias. The derivative needs no sum: it "
    "is 1 - h_t**2.",
    {"(1 - h_t**2)": "(1 - np.tanh(x_t @ w_x + h_prev @ w_h) ** 2)"},
)


# %% exercise="rnn_step_backward" edits="one product for each gradient"
SLOPE_AFTER_W_H = (
    "For h_prev the slope of tanh is multiplied after the product with w_h. It comes before it.",
    {'"h_prev": d @ w_h.T': '"h_prev": (d_h @ w_h.T) * (1 - h_t**2)'},
)

# %% exercise="rnn_step_backward" edits="one product for each gradient"
ONLY_WEIGHTS_PAST_TANH = (
    "The gradients of x_t and h_prev are computed with d_h itself, which has not gone back through "
    "the tanh.",
    {"d @ w_x.T": "d_h @ w_x.T", "d @ w_h.T": "d_h @ w_h.T"},
)

# %% exercise="rnn_step_backward" edits="one product for each gradient"
TWO_TANHS = (
    "The gradient of h_prev is also multiplied by the derivative of the tanh that made h_prev. "
    "That tanh belongs to the step before, and only this one step is asked for.",
    {"d @ w_h.T": "d @ w_h.T * (1 - h_prev**2)"},
)


# %% exercise="rnn_step_backward" edits="one product for each gradient"
GRADIENTS_OF_THE_FIRST = (
    "The gradients of the parameters come from the first example alone. Add up those of all "
    "examples.",
    {
        "x_t.T @ d": "np.outer(x_t[0], d[0])",
        "h_prev.T @ d": "np.outer(h_prev[0], d[0])",
        "d.sum(axis=0)": "d[0]",
    },
)


# %% exercise="bptt" right="gradients added up step by step"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / error.size
    g = {"w_x": 0 * w_x, "w_h": 0 * w_h, "b_h": 0 * b_h, "w_y": 0 * w_y, "b_y": 0 * b_y}
    dh = np.zeros((batch, m))
    for t in range(time - 1, -1, -1):
        g["w_y"] += h[t + 1].T @ dy[:, t]
        g["b_y"] += dy[:, t].sum(axis=0)
        da = (dy[:, t] @ w_y.T + dh) * (1 - h[t + 1] ** 2)
        g["w_x"] += x[:, t].T @ da
        g["w_h"] += h[t].T @ da
        g["b_h"] += da.sum(axis=0)
        dh = da @ w_h.T
    return np.mean(error**2), g | {"h_0": dh}


# %% exercise="bptt" right="gradients of all steps in one product"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" edits="gradients added up step by step"
SUMMED = (
    "The squared errors are summed. The loss is their mean over all entries.",
    {" / error.size": "", "mean": "sum"},
)
MEAN_OVER_BATCH = (
    "The mean is taken over the batch alone. It must run over batch, time and outputs together.",
    {"error.size": "batch", "np.mean(error**2)": "np.sum(error**2) / batch"},
)
SUMMED_OVER_OUTPUTS = (
    "The squared errors are summed over the outputs of a step. The mean must run over the "
    "outputs too.",
    {"error.size": "(batch * time)", "error**2": "np.sum(error**2, axis=2)"},
)
NOT_AVERAGED = (
    "The loss is a mean, but the gradient is that of a sum. The gradient must be divided by the "
    "number of entries too.",
    {" / error.size": ""},
)
NO_FACTOR_2 = (
    "A factor of 2 is missing in the gradient. It comes from the derivative of the square.",
    {" 2 *": ""},
)
HALF_LOSS = (
    "The loss is halved. It must be the mean of the squared errors.",
    {" 2 *": "", "(error**2)": "(error**2) / 2"},
)
DESCENT_DIRECTION = (
    "The gradient has the wrong sign. The error is output minus target.",
    {"error =": "error = targets -", " - targets": ""},
)
BATCH_TWICE = (
    "The gradient is divided by the batch size twice. The mean over all entries contains that "
    "factor already.",
    {"g |": "{name: array / batch for name, array in g.items()} |"},
    {"size": "size / batch"},
)
TIME_TWICE = (
    "The gradient is divided by the number of steps twice. The mean over all entries contains "
    "that factor already.",
    {"size": "size / time"},
)
OUTPUTS_TWICE = (
    "The gradient is divided by the number of outputs twice. The mean over all entries contains "
    "that factor already.",
    {"size": "size / targets.shape[-1]"},
)
AVERAGED_OVER_BATCH = (
    "The gradient is averaged over the batch alone. The loss is averaged over all entries.",
    {"error.size": "batch"},
)
AVERAGED_OVER_TIME = (
    "The gradient is averaged over time alone. The loss is averaged over all entries.",
    {"error.size": "time"},
)
SUMMED_GRADIENT_OVER_OUTPUTS = (
    "The gradient is averaged over batch and time alone. The loss is averaged over the outputs "
    "too.",
    {"error.size": "(batch * time)"},
)
MEAN_OVER_TIME = (
    "The mean is taken over time alone. It must run over batch, time and outputs together.",
    {"error.size": "time", "np.mean(error**2)": "np.sum(error**2) / time"},
)


# %% exercise="bptt" wrong="CHAIN_CUT"
CHAIN_CUT = (
    "The way back ends after one step. Every state also contributes to the errors of all "
    "later steps."
)


def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / error.size
    g = {"w_x": 0 * w_x, "w_h": 0 * w_h, "b_h": 0 * b_h, "w_y": 0 * w_y, "b_y": 0 * b_y}
    for t in range(time - 1, -1, -1):
        g["w_y"] += h[t + 1].T @ dy[:, t]
        g["b_y"] += dy[:, t].sum(axis=0)
        da = dy[:, t] @ w_y.T * (1 - h[t + 1] ** 2)
        g["w_x"] += x[:, t].T @ da
        g["w_h"] += h[t].T @ da
        g["b_h"] += da.sum(axis=0)
    return np.mean(error**2), g | {"h_0": da @ w_h.T}


# %% exercise="bptt" wrong="LAST_OUTPUT_ONLY"
LAST_OUTPUT_ONLY = (
    "Only the error of the last step travels back. The output of every step must add its own."
)


def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / error.size
    g = {"w_x": 0 * w_x, "w_h": 0 * w_h, "b_h": 0 * b_h}
    g["w_y"] = np.einsum("tbm,btk->mk", h[1:], dy)
    g["b_y"] = dy.sum(axis=(0, 1))
    dh = dy[:, -1] @ w_y.T
    for t in range(time - 1, -1, -1):
        da = dh * (1 - h[t + 1] ** 2)
        g["w_x"] += x[:, t].T @ da
        g["w_h"] += h[t].T @ da
        g["b_h"] += da.sum(axis=0)
        dh = da @ w_h.T
    return np.mean(error**2), g | {"h_0": dh}


# %% exercise="bptt" edits="gradients added up step by step" wrong="NOT_TRANSPOSED_BACK"
{"w_h.T": "w_h"}


# %% exercise="bptt" edits="gradients added up step by step" wrong="NO_DERIVATIVE"
{"(dy[:, t] @ w_y.T + dh) * (1 - h[t + 1] ** 2)": "dy[:, t] @ w_y.T + dh"}


# %% exercise="bptt" edits="gradients added up step by step" wrong="TANH_TWICE"
{"h[t + 1] **": "np.tanh(h[t + 1]) **"}


# %% exercise="bptt" edits="gradients added up step by step" wrong="STATE_AFTER"
{"h[t].T": "h[t + 1].T"}


# %% exercise="bptt" wrong="OVERWRITTEN"
OVERWRITTEN = (
    "A step overwrites the gradient of another step. The contributions of all steps must be added."
)


def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / error.size
    g = {"w_y": np.einsum("tbm,btk->mk", h[1:], dy), "b_y": dy.sum(axis=(0, 1))}
    dh = np.zeros((batch, m))
    for t in range(time - 1, -1, -1):
        da = (dy[:, t] @ w_y.T + dh) * (1 - h[t + 1] ** 2)
        g["w_x"] = x[:, t].T @ da
        g["w_h"] = h[t].T @ da
        g["b_h"] = da.sum(axis=0)
        dh = da @ w_h.T
    return np.mean(error**2), g | {"h_0": dh}


# %% exercise="bptt" wrong="H_0_TOO_LATE"
H_0_TOO_LATE = (
    "h_0 receives the gradient of the sum inside the first tanh. That gradient must still go "
    "through w_h."
)


def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / error.size
    g = {"w_x": 0 * w_x, "w_h": 0 * w_h, "b_h": 0 * b_h, "w_y": 0 * w_y, "b_y": 0 * b_y}
    da = np.zeros((batch, m))
    for t in range(time - 1, -1, -1):
        g["w_y"] += h[t + 1].T @ dy[:, t]
        g["b_y"] += dy[:, t].sum(axis=0)
        da = (dy[:, t] @ w_y.T + da @ w_h.T) * (1 - h[t + 1] ** 2)
        g["w_x"] += x[:, t].T @ da
        g["w_h"] += h[t].T @ da
        g["b_h"] += da.sum(axis=0)
    return np.mean(error**2), g | {"h_0": da}


# %% exercise="bptt" edits="gradients added up step by step"
H_0_WITHOUT_BATCH = (
    "The gradient of h_0 has lost its batch axis. Every example has an initial state of its own.",
    {": dh": ": dh.sum(axis=0)"},
)


# %% exercise="bptt" wrong="OVERWRITTEN"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    states = np.concatenate([np.zeros_like(hidden[:, :1]), hidden], axis=1)
    error = outputs - targets
    g, d_h = {}, np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_y = 2 * error[:, t] / error.size
        g["w_y"], g["b_y"] = states[:, t + 1].T @ d_y, d_y.sum(axis=0)
        step = (d_h + d_y @ w_y.T, x[:, t], states[:, t], states[:, t + 1], w_x, w_h)
        back = rnn_step_backward(*step)
        d_h = back["h_prev"]
        for name in ("w_x", "w_h", "b_h"):
            g[name] = back[name]
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" edits="gradients of all steps in one product" wrong="OVERWRITTEN"
{
    "w_h.T": ("w_h.T\n        d_w_h = before[:, t].T @ d_a[:, t]"),
    'np.einsum("btn,btm->nm", before, d_a)': "d_w_h",
}


# %% exercise="bptt" edits="gradients of all steps in one product"
H_0_IS_ZERO = (
    "The gradient of h_0 is left at zero. h_0 itself is zero, but the loss would change if it "
    "were not.",
    {": d_h": ": before[:, 0]"},
)


# %% exercise="bptt" edits="gradients of all steps in one product" wrong="TRANSPOSED_GRADIENT"
{'"btn,btm->nm"': '"btn,btm->mn"'}


# %% exercise="bptt" edits="gradients of all steps in one product"
SUMMED_OVER_TIME = (
    "The means of the steps are added. The mean must run over time too.",
    {"error.": "error[:, 0].", "np.mean(error**2)": "np.sum(np.mean(error**2, axis=(0, 2)))"},
)
AVERAGED_OVER_STEP = (
    "The gradient is averaged over the entries of one step alone. The loss is averaged over all "
    "steps.",
    {"error.": "error[:, 0]."},
)


# %% exercise="bptt" wrong="CHAIN_CUT"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a = np.zeros_like(hidden)
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = d_y[:, t] @ w_y.T * (1 - hidden[:, t] ** 2)
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": before[:, 0]}


# %% exercise="bptt" edits="gradients of all steps in one product"
FORWARD_IN_TIME = (
    "The way back begins at the first step. It must begin at the last, because a state receives "
    "a gradient from the step after it.",
    {"reversed(range(x.shape[1]))": "range(x.shape[1])"},
)
WITHOUT_W_H = (
    "The gradient of the sum inside the tanh is handed to the step before as it is. That "
    "gradient must still go through w_h.",
    {" @ w_h.T": ""},
)
PAST_THE_DERIVATIVE = (
    "The derivative of tanh is left out of what is handed to the step before. That gradient must "
    "go through the tanh first, and then through w_h.",
    {
        "d_a[:, t] = (d_h + d_y[:, t] @ w_y.T)": (
            "d_h = d_h + d_y[:, t] @ w_y.T\n        d_a[:, t] = d_h"
        ),
        "d_a[:, t] @": "d_h @",
    },
)


# %% exercise="bptt" edits="gradients of all steps in one product" wrong="DERIVATIVE_BEFORE"
{"hidden[:, t]": "before[:, t]"}


# %% exercise="bptt" edits="gradients of all steps in one product"
LAST_STATE_BEFORE_THE_FIRST = (
    "In the first step the last state takes the place of h_0, because the index t - 1 is -1 there. "
    "The state before the first step is zero.",
    {"np.zeros_like(hidden[:, :1])": "hidden[:, -1:]"},
)
STATE_BEFORE_OUTPUT = (
    "The gradient of w_y is computed with the state before the step. w_y was multiplied by the "
    "state after it.",
    {"hidden, d_y": "before, d_y"},
)


# %% exercise="bptt" edits="gradients of all steps in one product" wrong="OVERWRITTEN"
{'np.einsum("btm,btk->mk", hidden, d_y)': "hidden[:, 0].T @ d_y[:, 0]"}


# %% exercise="bptt" edits="gradients of all steps in one product" wrong="NOT_SUMMED"
{"d_y.sum(axis=(0, 1))": "d_y.sum(axis=1)", "d_a.sum(axis=(0, 1))": "d_a.sum(axis=1)"}


# %% exercise="bptt" edits="gradients of all steps in one product" wrong="BIAS_AVERAGED"
{
    "d_y.sum(axis=(0, 1))": "d_y.sum(axis=1).mean(axis=0)",
    "d_a.sum(axis=(0, 1))": "d_a.sum(axis=1).mean(axis=0)",
}


# %% exercise="bptt" right="one example at a time, in float32"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    w_x, w_h, b_h, w_y, b_y = (np.asarray(a, "float32") for a in (w_x, w_h, b_h, w_y, b_y))
    names = ["w_x", "w_h", "b_h", "w_y", "b_y"]
    total = [np.zeros_like(array) for array in (w_x, w_h, b_h, w_y, b_y)]
    loss, starts = 0.0, []
    for sequence, wanted in zip(x, targets, strict=True):
        states = [np.zeros(len(b_h), "float32")]
        for x_t in sequence:
            states.append(np.tanh(x_t @ w_x + states[-1] @ w_h + b_h))
        from_later = np.zeros_like(states[0])
        for t in reversed(range(len(sequence))):
            miss = states[t + 1] @ w_y + b_y - wanted[t]
            loss += (miss**2).sum() / targets.size
            miss = miss * 2 / targets.size
            back = (w_y @ miss + from_later) * (1 + states[t + 1]) * (1 - states[t + 1])
            parts = (
                np.outer(sequence[t], back),
                np.outer(states[t], back),
                back,
                np.outer(states[t + 1], miss),
                miss,
            )
            total = [old + new for old, new in zip(total, parts, strict=True)]
            from_later = w_h @ back
        starts.append(from_later)
    return loss, dict(zip(names, total, strict=True)) | {"h_0": np.array(starts)}


# %% exercise="bptt" right="forward accumulation, without a way back"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, _, d), m = x.shape, len(b_h)
    unit = np.eye(m)
    h = np.zeros((batch, m))
    # How each example's state reacts to w_x, w_h, b_h and h_0: (batch, array's shape, m).
    by = {
        "w_x": np.zeros((batch, d, m, m)),
        "w_h": np.zeros((batch, m, m, m)),
        "b_h": np.zeros((batch, 1, m, m)),
        "h_0": np.broadcast_to(unit, (batch, 1, m, m)),
    }
    gradients = dict.fromkeys(["w_x", "w_h", "b_h", "w_y", "b_y", "h_0"], 0.0)
    loss = 0.0
    for x_t, target in zip(x.swapaxes(0, 1), targets.swapaxes(0, 1), strict=True):
        direct = {"w_x": x_t, "w_h": h, "b_h": np.ones((batch, 1)), "h_0": np.zeros((batch, 1))}
        h = np.tanh(x_t @ w_x + h @ w_h + b_h)
        slope = (1 - h**2)[:, None, None]
        by = {
            name: (j @ w_h + direct[name][:, :, None, None] * unit) * slope
            for name, j in by.items()
        }
        error = h @ w_y + b_y - target
        loss += (error**2).sum() / targets.size
        error = 2 * error / targets.size
        gradients["w_y"] += h.T @ error
        gradients["b_y"] += error.sum(axis=0)
        for name, j in by.items():
            effect = np.einsum("bijm,bm->bij", j, error @ w_y.T)
            gradients[name] += effect[:, 0] if name == "h_0" else effect.sum(axis=0)
    return loss, gradients | {"b_h": gradients["b_h"][0]}


# %% exercise="bptt" right="tf.GradientTape"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    import tensorflow as tf

    arrays = {"w_x": w_x, "w_h": w_h, "b_h": b_h, "w_y": w_y, "b_y": b_y}
    arrays["h_0"] = np.zeros((len(x), len(b_h)))
    v = {name: tf.constant(array, tf.float64) for name, array in arrays.items()}
    with tf.GradientTape() as tape:
        tape.watch(v)
        h, error = v["h_0"], []
        for t in range(x.shape[1]):
            h = tf.tanh(x[:, t] @ v["w_x"] + h @ v["w_h"] + v["b_h"])
            error.append(h @ v["w_y"] + v["b_y"] - targets[:, t])
        loss = tf.reduce_mean(tf.square(error))
    return loss, tape.gradient(loss, v)


# %% exercise="bptt" edits="gradients added up step by step"
ONE_MINUS_H = (
    "The derivative of tanh is computed as 1 - h. It is 1 - h**2.",
    {"(1 - h[t + 1] ** 2)": "(1 - h[t + 1])"},
)
B_Y_SUMMED_OVER_OUTPUTS = (
    "The gradient of b_y is summed over the outputs, too. Each output has a bias of its own, so "
    "only batch and time are summed.",
    {"dy[:, t].sum(axis=0)": "dy[:, t].sum()"},
)
B_H_SUMMED_OVER_UNITS = (
    "The gradient of b_h is summed over the units, too. Each unit has a bias of its own, so only "
    "batch and time are summed.",
    {"da.sum(axis=0)": "da.sum()"},
)
GRADIENTS_FIRST = (
    "loss and gradients are returned in the wrong order. The loss comes first.",
    {'return np.mean(error**2), g | {"h_0": dh}': 'return g | {"h_0": dh}, np.mean(error**2)'},
)
ABSOLUTE_ERRORS = (
    "The loss is the mean of the absolute errors. It must be the mean of their squares.",
    {"np.mean(error**2)": "np.mean(np.abs(error))"},
)
ROOT_OF_THE_LOSS = (
    "The loss is the root of the mean squared error. It must be the mean itself.",
    {"np.mean(error**2)": "np.sqrt(np.mean(error**2))"},
)
SUMMED_WITH_RIGHT_GRADIENTS = (
    "The squared errors are summed. The loss is their mean over all entries; the gradient is "
    "averaged already.",
    {"np.mean(error**2)": "np.sum(error**2)"},
)
H_0_LEFT_OUT = (
    "The gradient of h_0 is missing. It is what arrives at the initial state after the first step.",
    {'g | {"h_0": dh}': "g"},
)


# %% exercise="bptt" edits="gradients added up step by step" wrong="BIAS_AVERAGED"
{"da.sum(axis=0)": "da.mean(axis=0)"}
{"dy[:, t].sum(axis=0)": "dy[:, t].mean(axis=0)", "da.sum(axis=0)": "da.mean(axis=0)"}


# %% exercise="bptt" edits="gradients added up step by step" wrong="OVERWRITTEN"
{'g["b_h"] += da': 'g["b_h"] = da'}


# %% exercise="bptt" edits="gradients added up step by step"
GRADIENT_OF_H_1 = (
    "h_0 receives the gradient of h_1, the state after the first step. That gradient must still go "
    "through the tanh and w_h.",
    {
        "da = (dy[:, t] @ w_y.T + dh) *": "arrived = dy[:, t] @ w_y.T + dh\n        da = arrived *",
        '"h_0": dh': '"h_0": arrived',
    },
)
DERIVATIVE_OF_OWN_OUTPUT = (
    "The derivative of tanh multiplies only the gradient from the step's own output. The gradient "
    "from the later steps must be added first, so that the derivative multiplies both.",
    {"(dy[:, t] @ w_y.T + dh) *": "dh + dy[:, t] @ w_y.T *"},
)


# %% exercise="bptt" edits="gradients added up step by step"
FIRST_STEP_LEFT_OUT = (
    "The way back ends before the first step. It contributes to the gradients like every other "
    "step, so the loop must run down to t = 0: range(time - 1, -1, -1).",
    {"range(time - 1, -1, -1)": "range(time - 1, 0, -1)"},
)


# %% exercise="bptt" edits="gradients of all steps in one product" wrong="FIRST_STEP_LEFT_OUT"
{"reversed(range(x.shape[1]))": "reversed(range(1, x.shape[1]))"}


# %% exercise="bptt" edits="gradients of all steps in one product"
OUTPUT_DERIVATIVE = (
    "The gradient of the output is multiplied by 1 - y**2, as if the output went through a tanh. "
    "The output is linear, so its derivative is 1.",
    {"d_y = 2 * error / error.size": "d_y = 2 * error / error.size * (1 - outputs**2)"},
)


# %% exercise="bptt" edits="gradients of all steps in one product"
W_Y_OF_OTHERS = (
    "For the gradient of w_y, the states are flattened time first and the errors batch first, so a "
    "state meets the error of another one. Flatten both in the same order.",
    {
        'np.einsum("btm,btk->mk", hidden, d_y)': (
            "hidden.swapaxes(0, 1).reshape(-1, hidden.shape[2]).T @ d_y.reshape(-1, d_y.shape[2])"
        )
    },
)


# %% exercise="bptt" edits="gradients added up step by step"
TRUNCATED = (
    "The gradient goes back over some steps alone. It must go back to the first one.",
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 2, -1), -1):"},
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 3, -1), -1):"},
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 5, -1), -1):"},
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 7, -1), -1):"},
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 8, -1), -1):"},
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 10, -1), -1):"},
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 12, -1), -1):"},
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 20, -1), -1):"},
    {"for t in range(time - 1, -1, -1):": "for t in range(time - 1, max(time - 1 - 100, -1), -1):"},
)
CLIPPED = (
    "The gradients are clipped. bptt returns them as they are.",
    {
        'return np.mean(error**2), g | {"h_0": dh}': (
            'g |= {"h_0": dh}\n'
            "    return np.mean(error**2), {name: np.clip(one, -1, 1) for name, one "
            "in g.items()}"
        )
    },
    {
        'return np.mean(error**2), g | {"h_0": dh}': (
            'g |= {"h_0": dh}\n'
            "    return np.mean(error**2), {name: one / max(1, np.linalg.norm(one) / "
            "5) for name, one in g.items()}"
        )
    },
    {
        'return np.mean(error**2), g | {"h_0": dh}': (
            'g |= {"h_0": dh}\n'
            "    return np.mean(error**2), {name: one / max(1, np.linalg.norm(one)) "
            "for name, one in g.items()}"
        )
    },
)
WHOLE_NUMBERS_BPTT = (
    "The fractions are cut off when x or targets hold whole numbers, because an "
    "array has their dtype.",
    {"h = np.zeros((time + 1, batch, m))": "h = np.zeros((time + 1, batch, m), dtype=x.dtype)"},
    {"dy = 2 * error / error.size": "dy = (2 * error / error.size).astype(targets.dtype)"},
)
LAST_STEP_B_Y = (
    "The gradient of b_y is that of the last step. It is summed over all steps.",
    {
        'g["b_y"] += dy[:, t].sum(axis=0)': (
            'g["b_y"] = g["b_y"] if t < time - 1 else dy[:, t].sum(axis=0)'
        ),
    },
)
FACTOR_TWICE = (
    "The factor 2 of the squared error occurs twice.",
    {"dy = 2 * error": "dy = 4 * error"},
)
OUTPUT_TANH = (
    "The outputs go through a tanh. They are a sum, without an activation.",
    {"(h[1:] @ w_y + b_y)": "np.tanh(h[1:] @ w_y + b_y)"},
)
FIRST_EXAMPLE_W_X = (
    "The gradient of w_x is that of the first example. It is summed over the batch.",
    {"x[:, t].T @ da": "x[:1, t].T @ da[:1]"},
)

# %% exercise="bptt" edits="gradients added up step by step"
ONE_STEP_BACK = (
    "Only the gradient of a step's own output goes back. What came from later steps goes on, too.",
    {
        "        dh = da @ w_h.T": "        own = dy[:, t] @ w_y.T\n"
        "        dh = (own * (1 - h[t + 1] ** 2)) @ w_h.T"
    },
)

# %% exercise="bptt" edits="gradients of all steps in one product"
LAST_STEP_LEFT_OUT = (
    "The way back begins one step too early. The first step that it visits is the last of all.",
    {"reversed(range(x.shape[1]))": "range(x.shape[1] - 2, -1, -1)"},
)

# %% exercise="bptt" edits="gradients added up step by step" wrong="OUTPUT_TANH"
{
    "error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets": (
        "y = np.tanh(h[1:] @ w_y + b_y).swapaxes(0, 1)\n    error = y - targets"
    ),
    "dy = 2 * error / error.size": "dy = 2 * error / error.size * (1 - y**2)",
}


# %% exercise="bptt" edits="gradients added up step by step"
H_0_WITH_AN_OUTPUT = (
    "The gradient of h_0 contains a term from an output. h_0 has no output of its own, so it "
    "receives only what comes back from the first step.",
    {'{"h_0": dh}': '{"h_0": dh + dy[:, 0] @ w_y.T}'},
)
NEVER_REPLACED = (
    "What is handed back to the step before is added to what was handed back earlier. A state "
    "receives it only from the step right after it, so it must be replaced in every step.",
    {"dh = da @ w_h.T": "dh = dh + da @ w_h.T"},
)
OWN_TWICE = (
    "The gradient that comes from a step's own output is also handed back to the step before. It "
    "belongs to the state of that step alone.",
    {"dh = da @ w_h.T": "dh = da @ w_h.T + dy[:, t] @ w_y.T"},
)
LAST_ERROR_ALONE = (
    "Only the output of the last step counts in the loss. It is the mean over all steps.",
    {"dy = 2 * error": "error[:, :-1] = 0\n    dy = 2 * error"},
    {
        "dy = 2 * error / error.size": (
            "error[:, :-1] = 0\n    dy = 2 * error / error[:, -1].size"
        ),
        "np.mean(error**2)": "np.mean(error[:, -1] ** 2)",
    },
)
FIRST_INPUT_LEFT_OUT = (
    "The gradient of w_x leaves out the first step. It is h_0 that is zero there, and not the "
    "input.",
    {'g["w_x"] += x[:, t].T @ da': 'g["w_x"] += x[:, t].T @ da * (t > 0)'},
)


# %% exercise="bptt" wrong="OWN_OUTPUT_NOT_BACK"
OWN_OUTPUT_NOT_BACK = (
    "The gradient from the output of a step has not gone back through the tanh. Add it to the "
    "gradient from the next step first, and multiply the sum by 1 - h ** 2."
)


def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    batch, time, _ = x.shape
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    diff = outputs - targets
    loss = float(np.mean(diff**2))
    d_y = 2 * diff / diff.size
    states = np.concatenate([np.zeros((batch, 1, w_h.shape[0])), hidden], axis=1)
    d_wx, d_wh, d_bh = np.zeros(w_x.shape), np.zeros(w_h.shape), np.zeros(b_h.shape)
    d_next = np.zeros((batch, w_h.shape[0]))
    for t in range(time - 1, -1, -1):
        d_a = d_y[:, t] @ w_y.T + d_next * (1 - states[:, t + 1] ** 2)
        d_wx += x[:, t].T @ d_a
        d_wh += states[:, t].T @ d_a
        d_bh += d_a.sum(axis=0)
        d_next = d_a @ w_h.T
    return loss, {
        "w_x": d_wx,
        "w_h": d_wh,
        "b_h": d_bh,
        "h_0": d_next,
        "w_y": np.einsum("btm,btk->mk", hidden, d_y),
        "b_y": d_y.sum(axis=(0, 1)),
    }


# %% exercise="bptt" wrong="TRUNCATED"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    batch, time, _ = x.shape
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    diff = outputs - targets
    d_y = 2 * diff / diff.size
    states = np.concatenate([np.zeros((batch, 1, w_h.shape[0])), hidden], axis=1)
    g = {
        "w_x": 0,
        "w_h": 0,
        "b_h": 0,
        "h_0": np.zeros((batch, w_h.shape[0])),
        "w_y": np.einsum("btm,btk->mk", hidden, d_y),
        "b_y": d_y.sum(axis=(0, 1)),
    }
    for t in range(time):
        d_h = d_y[:, t] @ w_y.T
        for s in range(t, max(-1, t - 2), -1):
            step = rnn_step_backward(d_h, x[:, s], states[:, s], states[:, s + 1], w_x, w_h)
            for key in ("w_x", "w_h", "b_h"):
                g[key] = g[key] + step[key]
            d_h = step["h_prev"]
            if s == 0:
                g["h_0"] = g["h_0"] + d_h
    return np.mean(diff**2), g


# %% exercise="gradient_descent" right="a new dict in every step"
def gradient_descent(x, targets, parameters, learning_rate, steps):
    parameters, losses = dict(parameters), []
    for _ in range(steps):
        loss, gradients = bptt(x, targets, **parameters)
        losses.append(loss)
        parameters = {
            name: array - learning_rate * gradients[name] for name, array in parameters.items()
        }
    return parameters, np.array(losses)


# %% exercise="gradient_descent" right="copies that are changed in place"
def gradient_descent(x, targets, parameters, learning_rate, steps):
    w_x, w_h, b_h, w_y, b_y = arrays = [
        parameters[name].astype(float) for name in ("w_x", "w_h", "b_h", "w_y", "b_y")
    ]
    losses = np.empty(steps)
    for step in range(steps):
        losses[step], gradients = bptt(x, targets, w_x, w_h, b_h, w_y, b_y)
        del gradients["h_0"]
        for array, gradient in zip(arrays, gradients.values(), strict=True):
            array -= learning_rate * gradient
    return dict(w_x=w_x, w_h=w_h, b_h=b_h, w_y=w_y, b_y=b_y), losses


# %% exercise="gradient_descent" right="one step calls itself"
def gradient_descent(x, targets, parameters, learning_rate, steps):
    if steps == 0:
        return {name: np.copy(array) for name, array in parameters.items()}, np.zeros(0)
    loss, slopes = bptt(x=x, targets=targets, **parameters)
    moved = {name: parameters[name] - slopes[name] * learning_rate for name in parameters}
    reached, later = gradient_descent(x, targets, moved, learning_rate, steps - 1)
    return reached, np.concatenate([[loss], later])


# %% exercise="gradient_descent" edits="a new dict in every step"
UPHILL = (
    "The step goes along the gradient, which leads uphill. The learning rate times the gradient "
    "must be subtracted.",
    {"array - learning_rate": "array + learning_rate"},
)
RATE_IGNORED = (
    "The learning rate is left out. Every gradient must be multiplied by it.",
    {"learning_rate * gradients[name]": "gradients[name]"},
)
GRADIENT_OF_THE_START = (
    "Every step uses the gradient at the first parameters. It must be computed again in every "
    "step, at the parameters reached so far.",
    {
        "    for _ in range(steps):\n        loss, gradients = bptt(x, targets, **parameters)\n": ""
        "    loss, gradients = bptt(x, targets, **parameters)\n    for _ in range(steps):\n"
    },
    {
        "parameters, losses = dict(parameters), []": "first, losses = dict(parameters), []\n"
        "    parameters = first",
        "bptt(x, targets, **parameters)": "bptt(x, targets, **first)",
    },
)
FROM_THE_START = (
    "Every step begins at the first parameters again. It must begin where the step before it "
    "ended.",
    {
        "parameters, losses = dict(parameters), []": "first, losses = dict(parameters), []\n"
        "    parameters = first",
        "in parameters.items()": "in first.items()",
    },
)
ONE_STEP = (
    "The function returns after its first step. It must take all the steps first.",
    {
        "\n    return parameters, np.array(losses)": "\n        return parameters, np.array(losses)"
        "\n    return parameters, np.array(losses)"
    },
)
LOSSES_AFTER = (
    "losses holds the loss after each step. It must hold the loss before each step.",
    {
        "        losses.append(loss)\n": "",
        "\n    return parameters": "\n        losses.append(bptt(x, targets, **parameters)[0])\n"
        "    return parameters",
    },
)
LOSS_OF_THE_END_TOO = (
    "losses has one entry too many. It holds the loss before each step, and the loss after the "
    "last step is not one of them.",
    {
        "\n    return parameters": "\n    losses.append(bptt(x, targets, **parameters)[0])\n"
        "    return parameters",
    },
)
LAST_LOSS_ALONE = (
    "Only one loss is returned. losses must hold the loss before every step.",
    {
        "parameters, losses = dict(parameters), []": "parameters, loss = dict(parameters), 0.0",
        "        losses.append(loss)\n": "",
        "np.array(losses)": "loss",
    },
)
LOSSES_FIRST = (
    "parameters and losses are returned in the wrong order. The parameters come first.",
    {"return parameters, np.array(losses)": "return np.array(losses), parameters"},
)
GRADIENTS_RETURNED = (
    "The gradients are returned in place of the parameters.",
    {
        "[]\n": "[]\n    gradients = dict(parameters)\n",
        "return parameters,": "return {name: gradients[name] for name in parameters},",
    },
)
BIASES_FORGOTTEN = (
    "The biases are not trained. All five arrays take part in every step.",
    {
        "array - learning_rate * gradients[name] for": "array - learning_rate * gradients[name]\n"
        '            if name.startswith("w") else array\n            for',
    },
)
H_0_AMONG_THEM = (
    "h_0 is treated as a parameter. bptt also returns the gradient of h_0, but the initial state "
    "stays zero and is not among the parameters.",
    {
        "name: array - learning_rate * gradients[name] for name, array in parameters.items()": ""
        "name: parameters[name] - learning_rate * gradient\n"
        "            for name, gradient in gradients.items()"
    },
    {
        "[]\n": '[]\n    parameters["h_0"] = np.zeros((len(x), len(parameters["w_h"])))\n',
        "bptt(x, targets, **parameters)": ""
        'bptt(x, targets, **{n: a for n, a in parameters.items() if n != "h_0"})',
    },
    {
        "return parameters,": ""
        'return parameters | {"h_0": np.zeros((len(x), len(parameters["w_h"])))},'
    },
)
ONE_ARRAY_AFTER_ANOTHER = (
    "The gradient is computed again after each array has changed. In one step all five arrays "
    "change at once, each by its gradient at the same parameters.",
    {
        "        parameters = {\n"
        "            name: array - learning_rate * gradients[name] for name, array in"
        " parameters.items()\n        }\n": "        for name in parameters:\n"
        "            _, gradients = bptt(x, targets, **parameters)\n"
        "            parameters[name] = parameters[name] - learning_rate * gradients[name]\n"
    },
)
RATE_FALLS = (
    "The learning rate becomes smaller from step to step. It must be the same in every step.",
    {
        "for _ in": "for step in",
        "array - learning_rate *": "array - learning_rate / (step + 1) *",
    },
)
DIVIDED_BY_STEPS = (
    "The learning rate is divided by the number of steps. Every step uses the whole rate.",
    {"array - learning_rate *": "array - learning_rate / steps *"},
)
ONE_EXAMPLE_AT_A_TIME = (
    "The parameters move after every example. Each step must use the gradient of the whole batch "
    "and move them once.",
    {
        "loss, gradients = bptt(x, targets, **parameters)": (
            "loss, _ = bptt(x, targets, **parameters)"
        ),
        "        parameters = {\n"
        "            name: array - learning_rate * gradients[name] for name, array in"
        " parameters.items()\n        }\n": "        for sequence, target in zip(x, targets):\n"
        "            _, gradients = bptt(sequence[None], target[None], **parameters)\n"
        "            for name in parameters:\n"
        "                parameters[name] = parameters[name] - learning_rate * gradients[name]\n",
    },
)


# %% exercise="gradient_descent" edits="a new dict in every step" wrong="INPUT_CHANGED"
{
    "        parameters = {\n"
    "            name: array - learning_rate * gradients[name] for name, array in"
    " parameters.items()\n        }\n": "        for name, array in parameters.items():\n"
    "            array -= learning_rate * gradients[name]\n"
}
{
    "parameters, losses = dict(parameters), []": "losses = []",
    "        parameters = {\n"
    "            name: array - learning_rate * gradients[name] for name, array in"
    " parameters.items()\n        }\n": "        for name, array in parameters.items():\n"
    "            parameters[name] = array - learning_rate * gradients[name]\n",
}


# %% exercise="gradient_descent" edits="a new dict in every step" wrong="FROM_THE_START"
{
    "parameters, losses = dict(parameters), []": "first, losses = dict(parameters), []\n"
    "    parameters = first",
    "bptt(x, targets, **parameters)": "bptt(x, targets, **first)",
    "in parameters.items()": "in first.items()",
}


# %% exercise="gradient_descent" edits="a new dict in every step"
DIVIDED_BY_BATCH_AGAIN = (
    "The gradient is divided by the number of examples. bptt has averaged over them already, so "
    "the step is the learning rate times the gradient.",
    {"learning_rate * gradients[name]": "learning_rate * gradients[name] / len(x)"},
)
CLIPPED_BEFORE = (
    "The gradients are clipped or scaled to a fixed length before the step. A plain step takes "
    "them as they are.",
    {
        "losses.append(loss)\n": (
            "losses.append(loss)\n"
            "        norm = np.sqrt(sum(np.sum(gradients[name] ** 2) for name in parameters))\n"
            "        shrink = min(1.0, 1.0 / norm)\n"
        ),
        "learning_rate * gradients[name]": "learning_rate * shrink * gradients[name]",
    },
    {
        "losses.append(loss)\n": (
            "losses.append(loss)\n"
            "        norm = np.sqrt(sum(np.sum(array**2) for array in gradients.values()))\n"
            "        shrink = min(1.0, 1.0 / norm)\n"
        ),
        "learning_rate * gradients[name]": "learning_rate * shrink * gradients[name]",
    },
)


# %% exercise="gradient_descent" edits="a new dict in every step" wrong="ONE_EXAMPLE_AT_A_TIME"
{
    "loss, gradients = bptt(x, targets, **parameters)\n        losses.append(loss)\n": (
        "seen = []\n"
    ),
    "        parameters = {\n"
    "            name: array - learning_rate * gradients[name] for name, array in"
    " parameters.items()\n        }\n": "        for sequence, target in zip(x, targets):\n"
    "            loss, gradients = bptt(sequence[None], target[None], **parameters)\n"
    "            seen.append(loss)\n"
    "            for name in parameters:\n"
    "                parameters[name] = parameters[name] - learning_rate * gradients[name]\n"
    "        losses.append(np.mean(seen))\n",
}


# %% exercise="gradient_descent" edits="a new dict in every step"
STOPPED = (
    "The descent ends when the loss rises. Take as many steps as are asked for.",
    {"losses.append": "if losses and loss > losses[-1]:\n            break\n        losses.append"},
)


# %% exercise="gradient_descent" edits="a new dict in every step"
B_Y_NOT_TRAINED = (
    "b_y stays as it is. It takes part in every step.",
    {"gradients[name] for": 'gradients[name] * (name != "b_y") for'},
)
STOPS_EARLY = (
    "The descent ends before all steps are taken, when the loss is small or hardly changes.",
    {
        "        losses.append(loss)\n": (
            "        losses.append(loss)\n        if loss < 0.01:\n            break\n"
        ),
    },
    {
        "        losses.append(loss)\n": (
            "        losses.append(loss)\n        if loss < 0.05:\n            break\n"
        ),
    },
    {
        "        losses.append(loss)\n": (
            "        losses.append(loss)\n"
            "        if len(losses) > 1 and abs(losses[-2] - loss) < 1e-3:\n"
            "            break\n"
        )
    },
    {"in range(steps)": "in range(min(steps, 5))"},
)
RATE_FIXED = (
    "learning_rate is written into the answer as a number. Use the argument.",
    {"learning_rate * gradients": "0.1 * gradients"},
)
FIRST_GRADIENT = (
    "The gradient of the first step is used for all steps. Each needs its own.",
    {
        "loss, gradients = bptt(x, targets, **parameters)": (
            "loss, slopes = bptt(x, targets, **parameters)\n"
            "        gradients = gradients if losses else slopes"
        )
    },
)
FIRST_EXAMPLE_GRADIENT = (
    "Only the first example is used. bptt takes the whole batch.",
    {"bptt(x, targets, **parameters)": "bptt(x[:1], targets[:1], **parameters)"},
)
BY_ORDER = (
    "The arrays are handed to bptt in the order of the dict. Hand them over by their names.",
    {"bptt(x, targets, **parameters)": "bptt(x, targets, *parameters.values())"},
)
RATE_HALVED = (
    "The rate changes during the descent. It stays as it is given.",
    {
        "        losses.append(loss)\n": (
            "        if losses and loss > losses[-1]:\n"
            "            learning_rate = learning_rate / 2\n"
            "        losses.append(loss)\n"
        )
    },
    {"learning_rate * gradients": "learning_rate / (1 + 0.1 * (len(losses) - 1)) * gradients"},
)
LAST_STEP_LEFT_OUT = (
    "The last step is not taken.",
    {
        "        losses.append(loss)\n": (
            "        losses.append(loss)\n        if len(losses) == steps:\n            break\n"
        )
    },
)


# %% exercise="gradient_descent" edits="a new dict in every step"
OWN_DICT = (
    "With 0 steps the dict that was given comes back. Return a new one.",
    {"dict(parameters)": "parameters"},
)


# %% exercise="gradient_descent" edits="copies that are changed in place"
WHOLE_NUMBERS_IN_PLACE = (
    "`-=` cannot put a fraction into an array of whole numbers. Make a new array in every step, or "
    "copy with astype(float).",
    {".astype(float)": ".copy()"},
)

# %% exercise="gradient_descent" edits="a new dict in every step"
ONE_UPDATE_MORE = (
    "The parameters are updated once too often. After the last loss there is one update, no more.",
    {"range(steps)": "range(steps + 1)", "np.array(losses)": "np.array(losses[:steps])"},
)

# %% exercise="gradient_descent" edits="a new dict in every step"
MOMENTUM = (
    "The steps have momentum. A plain step is the learning rate times the gradient of this step "
    "alone.",
    {
        "losses.append(loss)\n": (
            "losses.append(loss)\n"
            "        if len(losses) > 1:\n"
            "            gradients = {k: 0.9 * velocity[k] + gradients[k] for k in gradients}\n"
            "        velocity = gradients\n"
        )
    },
)
NEVER_RESET = (
    "The gradients of all steps so far are added up. Each step must use its own gradient alone.",
    {
        "losses.append(loss)\n": (
            "losses.append(loss)\n"
            "        if len(losses) > 1:\n"
            "            gradients = {k: total[k] + gradients[k] for k in gradients}\n"
            "        total = gradients\n"
        )
    },
)
STATE_ONLY = (
    "w_y and b_y are not trained. All five arrays take part in every step.",
    {"gradients[name] for": 'gradients[name] * (name[-1] != "y") for'},
)
OUTPUT_ONLY = (
    "Only w_y and b_y are trained. All five arrays take part in every step.",
    {"gradients[name] for": 'gradients[name] * (name[-1] == "y") for'},
)
STEP_1_MISSING = (
    "There is one step too few. range(1, steps) has steps - 1 numbers.",
    {
        "parameters, losses = dict(parameters), []": (
            "parameters, losses = dict(parameters), [0.0] * min(steps, 1)"
        ),
        "range(steps)": "range(1, steps)",
    },
)
PAIRED_BY_ORDER = (
    "The arrays and their gradients are paired by the order in which the two dicts hold them. Take "
    "each gradient by the name of its array, because the order may be any.",
    {
        "name: array - learning_rate * gradients[name] for name, array in parameters.items()": (
            "name: array - learning_rate * gradient\n"
            "            for (name, array), gradient in zip(parameters.items(), gradients.values())"
        )
    },
)


# %% exercise="gradient_descent" edits="a new dict in every step" wrong="GRADIENTS_RETURNED"
{"return parameters, np.array": "return gradients, np.array"}


# %% exercise="gradient_descent" wrong="CLIPPED_BEFORE"
def gradient_descent(x, targets, parameters, learning_rate, steps):
    p = {k: np.array(v, dtype=float) for k, v in parameters.items()}
    losses = []
    for _ in range(steps):
        loss, g = bptt(x, targets, **p)
        losses.append(loss)
        norm = np.sqrt(sum(np.sum(g[k] ** 2) for k in p))
        factor = min(1.0, 0.5 / (norm + 1e-12))
        p = {k: p[k] - learning_rate * factor * g[k] for k in p}
    return p, np.array(losses)


# %% exercise="clip_by_global_norm" right="the root of all squares"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    return [g * max_norm / norm if norm > max_norm else g for g in gradients]


# %% exercise="clip_by_global_norm" wrong="EACH_ALONE"
EACH_ALONE = "Every array is clipped by its own norm. All arrays together have one norm."


def clip_by_global_norm(gradients, max_norm):
    clipped = []
    for g in gradients:
        norm = np.linalg.norm(g)
        clipped.append(g * (max_norm / norm) if norm > max_norm else g)
    return clipped


# %% exercise="clip_by_global_norm" wrong="BY_VALUE"
BY_VALUE = (
    "The entries are clipped one by one, which changes the direction. Scale all of them by "
    "one factor."
)


def clip_by_global_norm(gradients, max_norm):
    return [np.clip(g, -max_norm, max_norm) for g in gradients]


# %% exercise="clip_by_global_norm" wrong="ZERO_BY_ZERO"
ZERO_BY_ZERO = "The norm of gradients that are all zero is 0, and 0 / 0 is not a number."


def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    with np.errstate(all="ignore"):
        return [g / norm * np.minimum(norm, max_norm) for g in gradients]


# %% exercise="clip_by_global_norm" edits="the root of all squares"
NO_ROOT = (
    "The square root of the norm is missing.",
    {"np.sqrt(sum(np.sum(g**2) for g in gradients))": ("sum(np.sum(g**2) for g in gradients)")},
)
SUM_OF_NORMS = (
    "The norms of the arrays are added. Add their squares and take the root of the sum.",
    {
        "np.sqrt(sum(np.sum(g**2) for g in gradients))": (
            "sum(np.linalg.norm(g) for g in gradients)"
        )
    },
)
ALWAYS_SCALED = (
    "Short gradients are stretched to max_norm. They must stay as they are.",
    {"> max_norm": "> 0"},
)


# %% exercise="clip_by_global_norm" wrong="UNCHANGED"
UNCHANGED = (
    "The gradients come back unchanged. `g = g * factor` in a loop binds g to a new array and "
    "leaves the list as it is."
)


def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    if norm > max_norm:
        for g in gradients:
            g = g * max_norm / norm
    return gradients


# %% exercise="clip_by_global_norm" edits="the root of all squares"
WRONG_ONES_SCALED = (
    "Gradients below max_norm are stretched, and longer ones are left unchanged. It must be the "
    "other way round: only longer ones are scaled.",
    {"norm >": "0 < norm <"},
)
TO_NORM_1 = (
    "The gradients are scaled to a norm of 1. They must be scaled to a norm of max_norm.",
    {" * max_norm": ""},
)
FACTOR_INVERTED = (
    "The factor is inverted. It is max_norm / norm, which shortens what is too long.",
    {"g * max_norm / norm": "g * norm / max_norm"},
)
NORM_RETURNED = (
    "The norm is returned too. Only the list of arrays is asked for.",
    {"gradients]": "gradients], norm"},
)


# %% exercise="clip_by_global_norm" wrong="INPUT_CHANGED"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    if norm > max_norm:
        for g in gradients:
            g *= max_norm / norm
    return gradients


# %% exercise="clip_by_global_norm" right="TensorFlow's own, in float32"
def clip_by_global_norm(gradients, max_norm):
    import tensorflow as tf

    singles = [g.astype("float32") for g in gradients]
    clipped, _ = tf.clip_by_global_norm(singles, max_norm)
    return clipped


# %% exercise="clip_by_global_norm" right="one long vector"
def clip_by_global_norm(gradients, max_norm):
    norm = np.linalg.norm(np.concatenate([g.ravel() for g in gradients]))
    if norm <= max_norm:
        return gradients
    return tuple(g / norm * max_norm for g in gradients)


# %% exercise="clip_by_global_norm" right="squares that may overflow"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum((g**2).sum() for g in gradients))
    factor = max_norm / norm if norm > max_norm else 1.0
    return [g * factor for g in gradients]


# %% exercise="clip_by_global_norm" right="a small constant under the fraction"
def clip_by_global_norm(gradients, max_norm):
    norm = np.hypot.reduce([np.linalg.norm(g) for g in gradients])
    return [g * np.minimum(max_norm / (norm + 1e-6), 1.0) for g in gradients]


# %% exercise="clip_by_global_norm" edits="the root of all squares"
MEAN_OF_SQUARES = (
    "The norm is computed from the mean of the squares of each array. All squares must be summed.",
    {"np.sum(g**2)": "np.mean(g**2)"},
)
SUM_OF_ABSOLUTE_VALUES = (
    "The norm is the sum of the absolute values. The Euclidean norm is the root of the sum of "
    "squares.",
    {"np.sqrt(sum(np.sum(g**2) for g in gradients))": "sum(np.sum(np.abs(g)) for g in gradients)"},
)
LARGEST_ENTRY = (
    "The largest entry takes the place of the norm. The Euclidean norm is the root of the sum of "
    "squares.",
    {"np.sqrt(sum(np.sum(g**2) for g in gradients))": "max(np.max(np.abs(g)) for g in gradients)"},
)
DIVISION_BY_ZERO = (
    "The norm of gradients that are all zero is 0, and Python cannot divide by 0. Such gradients "
    "must come back as they are.",
    {
        "np.sqrt(sum(np.sum(g**2) for g in gradients))": (
            "float(np.sqrt(sum(np.sum(g**2) for g in gradients)))"
        ),
        "g * max_norm / norm if norm > max_norm else g": "g * min(max_norm / norm, 1.0)",
    },
)
SINGULAR_VALUE = (
    "The 2-norm of a matrix in NumPy is its largest singular value, and an array of three axes has "
    "none. The norm must be the root of the sum of the squares of all entries.",
    {"np.sum(g**2)": "np.linalg.norm(g, 2) ** 2"},
)


# %% exercise="clip_by_global_norm" edits="the root of all squares"
BELOW_ONE = (
    "Norms below 1 are left alone. What counts is max_norm.",
    {"if norm > max_norm": "if norm > max(max_norm, 1)"},
)
LONGEST_ARRAY = (
    "The norm is that of the longest array. The global norm is that of all arrays together.",
    {"np.sqrt(sum(np.sum(g**2) for g in gradients))": "max(np.linalg.norm(g) for g in gradients)"},
)
WHOLE_NUMBERS_CLIP = (
    "The result has the dtype of the gradients, so whole numbers there cut off its fractions.",
    {"g * max_norm / norm if": "(g * max_norm / norm).astype(g.dtype) if"},
)

# %% exercise="clip_by_global_norm" wrong="NORM_SO_FAR"
NORM_SO_FAR = "Each array is scaled by the norm of the arrays so far. First add up all of them."


def clip_by_global_norm(gradients, max_norm):
    total, clipped = 0.0, []
    for g in gradients:
        total += np.sum(g**2)
        clipped.append(g * min(1.0, max_norm / np.sqrt(total)) if total > 0 else g)
    return clipped


# %% exercise="clip_by_global_norm" edits="the root of all squares"
MEAN_OF_ALL = (
    "The norm is the root of the mean of the squares. The squares must be summed, not averaged.",
    {
        "np.sqrt(sum(np.sum(g**2) for g in gradients))": (
            "np.sqrt(np.mean(np.concatenate([g.ravel() for g in gradients]) ** 2))"
        )
    },
)
FIRST_ARRAY = (
    "The norm is that of the first array. The global norm is that of all arrays together.",
    {"for g in gradients))": "for g in gradients[:1]))"},
)
SQUARED_FACTOR = (
    "The factor is the square of max_norm / norm. Scale by max_norm / norm itself.",
    {"g * max_norm / norm if": "g * (max_norm / norm) ** 2 if"},
)
ONLY_LONG_ARRAYS = (
    "Only the arrays that are longer than max_norm by themselves are scaled. All arrays must share "
    "the factor, or the direction changes.",
    {"if norm > max_norm": "if np.linalg.norm(g) > max_norm"},
)
ONE_ARRAY_OF_ALL = (
    "The list is made into one array, but its arrays have different shapes. Compute with each "
    "array by itself.",
    {"np.sqrt(sum(np.sum(g**2) for g in gradients))": "np.linalg.norm(np.array(gradients))"},
)


# %% exercise="gru_step" right="equation by equation"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))
    r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))
    candidate = np.tanh(x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"])
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" edits="equation by equation"
TANH_OF_MIXTURE = (
    "The mixture goes through a tanh. Only the candidate does.",
    {"z * h_prev + (1 - z) * candidate": "np.tanh(z * h_prev + (1 - z) * candidate)"},
)
Z_SWAPPED = (
    "z and 1 - z are swapped. Here z says how much of h_prev is kept.",
    {"z * h_prev + (1 - z) * candidate": "(1 - z) * h_prev + z * candidate"},
)
RESET_AFTER = (
    "The reset gate is applied after the product with u_h. It must multiply h_prev before that "
    "product.",
    {'(r * h_prev) @ u["h"]': 'r * (h_prev @ u["h"])'},
)
NO_RESET = (
    "The reset gate is left out of the candidate.",
    {
        ('r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))\n    '): "",
        "(r * h_prev)": "h_prev",
    },
)
GATES_SWAPPED = "The gates z and r are swapped.", {"z =": "r =", "r =": "z ="}


# %% exercise="gru_step" wrong="SIGMOID_CANDIDATE"
def gru_step(x_t, h_prev, w, u, b):
    def layer(key, state):
        return 1 / (1 + np.exp(-(x_t @ w[key] + state @ u[key] + b[key])))

    z, r = layer("z", h_prev), layer("r", h_prev)
    return z * h_prev + (1 - z) * layer("h", r * h_prev)


# %% exercise="gru_step" wrong="TANH_GATES"
def gru_step(x_t, h_prev, w, u, b):
    def layer(key, state):
        return np.tanh(x_t @ w[key] + state @ u[key] + b[key])

    z, r = layer("z", h_prev), layer("r", h_prev)
    return z * h_prev + (1 - z) * layer("h", r * h_prev)


# %% exercise="gru_step" wrong="INF_BY_INF"
def gru_step(x_t, h_prev, w, u, b):
    def sigmoid(a):
        return np.exp(a) / (1 + np.exp(a))

    def tanh(a):
        return np.tanh(a)

    z = sigmoid(x_t @ w["z"] + h_prev @ u["z"] + b["z"])
    r = sigmoid(x_t @ w["r"] + h_prev @ u["r"] + b["r"])
    candidate = tanh(x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"])
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" wrong="INF_BY_INF"
def gru_step(x_t, h_prev, w, u, b):
    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    def tanh(a):
        return (np.exp(a) - np.exp(-a)) / (np.exp(a) + np.exp(-a))

    z = sigmoid(x_t @ w["z"] + h_prev @ u["z"] + b["z"])
    r = sigmoid(x_t @ w["r"] + h_prev @ u["r"] + b["r"])
    candidate = tanh(x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"])
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" edits="equation by equation"
RESET_KEPT = (
    "The state is still reset in the last equation. The reset gate is for the candidate alone.",
    {"candidate =": ("h_prev = r * h_prev\n    candidate ="), "(r * h_prev)": "h_prev"},
)


# %% exercise="gru_step" edits="equation by equation" wrong="TRANSPOSED_U"
{'u["z"]': 'u["z"].T', 'u["r"]': 'u["r"].T', 'u["h"]': 'u["h"].T'}


# %% exercise="gru_step" edits="equation by equation" wrong="RESET_AFTER"
{'(r * h_prev) @ u["h"] + b["h"]': 'r * (h_prev @ u["h"] + b["h"])'}


# %% exercise="gru_step" edits="equation by equation" wrong="NO_BIAS"
{' + b["z"]': "", ' + b["r"]': "", ' + b["h"]': ""}


# %% exercise="gru_step" edits="equation by equation" wrong="LINEAR_CANDIDATE"
{" np.tanh(": "", 'b["h"])': 'b["h"]'}


# %% exercise="gru_step" wrong="LINEAR_GATES"
LINEAR_GATES = "The sigmoid of the gates is left out. A gate lies between 0 and 1."


def gru_step(x_t, h_prev, w, u, b):
    z = x_t @ w["z"] + h_prev @ u["z"] + b["z"]
    r = x_t @ w["r"] + h_prev @ u["r"] + b["r"]
    candidate = np.tanh(x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"])
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" right="gates in one product"
def gru_step(x_t, h_prev, w, u, b):
    gates = x_t @ np.hstack([w["z"], w["r"]]) + h_prev @ np.hstack([u["z"], u["r"]])
    z, r = np.split(1 / (1 + np.exp(-gates - np.hstack([b["z"], b["r"]]))), 2, axis=1)
    candidate = np.tanh(np.hstack([x_t, r * h_prev]) @ np.vstack([w["h"], u["h"]]) + b["h"])
    return candidate + z * (h_prev - candidate)


# %% exercise="gru_step" right="one example at a time, in float32"
def gru_step(x_t, h_prev, w, u, b):
    states = []
    for x, h in zip(x_t.astype("float32"), h_prev.astype("float32"), strict=True):
        z, r = (1 / (1 + np.exp(-w[k].T @ x - u[k].T @ h - b[k])) for k in ["z", "r"])
        new = np.tanh(w["h"].T @ x + u["h"].T @ (h * r) + b["h"])
        states.append(h * z + new * (1 - z))
    return np.array(states)


# %% exercise="gru_step" edits="equation by equation"
SHARED_GATE_WEIGHTS = (
    "The reset gate uses a weight or a bias of the update gate. Each gate has its own.",
    {'b["r"]': 'b["z"]'},
    {'u["r"]': 'u["z"]'},
    {'w["r"]': 'w["z"]'},
)
CANDIDATE_ADDED_WHOLE = (
    "The whole candidate is added. Its share is 1 - z, so that the two shares add up to 1.",
    {"(1 - z) * candidate": "candidate"},
)
OLD_STATE_DROPPED = (
    "The old state is left out of the last equation. The share z of it is kept.",
    {"z * h_prev + (1 - z)": "(1 - z)"},
)
INPUT_RESET = (
    "The reset gate multiplies the input's part of the candidate, too. It is for h_prev alone.",
    {'x_t @ w["h"] + (r * h_prev) @ u["h"]': 'r * (x_t @ w["h"] + h_prev @ u["h"])'},
    {
        'x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"]': ""
        'r * (x_t @ w["h"] + h_prev @ u["h"] + b["h"])'
    },
)


# %% exercise="gru_step" edits="equation by equation"
OLD_STATE_ADDED_WHOLE = (
    "The whole old state is kept. Its share is z, so that the two shares add up to 1.",
    {"z * h_prev + (1 - z)": "h_prev + (1 - z)"},
)


# %% exercise="gru_step" edits="equation by equation" wrong="NO_BIAS"
{' + b["h"]': ""}


# %% exercise="gru_step" edits="equation by equation"
RESET_TURNED_ROUND = (
    "1 - r multiplies h_prev in the candidate. The reset gate r itself must do this.",
    {"(r * h_prev)": "((1 - r) * h_prev)"},
)
UPDATE_IN_THE_CANDIDATE = (
    "The update gate z multiplies h_prev in the candidate. The reset gate r must do this.",
    {"(r * h_prev)": "(z * h_prev)"},
)


# %% exercise="gru_step" edits="equation by equation"
ENTRY_BY_ENTRY = (
    "The input is multiplied by its weights entry by entry, which agrees with the matrix product "
    "for one feature only. Use @.",
    {
        'x_t @ w["z"]': 'x_t * w["z"]',
        'x_t @ w["r"]': 'x_t * w["r"]',
        'x_t @ w["h"]': 'x_t * w["h"]',
    },
)


# %% exercise="gru_step" edits="equation by equation"
NO_BRACKETS = (
    "In the last line, 1 - z * candidate is computed. The brackets of (1 - z) * candidate are "
    "missing.",
    {"(1 - z) * candidate": "1 - z * candidate"},
)


# %% exercise="gru_step" wrong="ORDER_OF_THE_DICTS"
def gru_step(x_t, h_prev, w, u, b):
    w_z, w_r, w_h = w.values()
    u_z, u_r, u_h = u.values()
    b_z, b_r, b_h = b.values()
    z = 1 / (1 + np.exp(-(x_t @ w_z + h_prev @ u_z + b_z)))
    r = 1 / (1 + np.exp(-(x_t @ w_r + h_prev @ u_r + b_r)))
    candidate = np.tanh(x_t @ w_h + (r * h_prev) @ u_h + b_h)
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" edits="equation by equation"
WHOLE_STATE_GRU = (
    "The result has the dtype of h_prev, so whole numbers there cut off its fractions.",
    {
        "return z * h_prev + (1 - z) * candidate": (
            "return (z * h_prev + (1 - z) * candidate).astype(h_prev.dtype)"
        ),
    },
)
SQUEEZED_GRU = (
    "A batch of one loses its axis. The result has the shape of h_prev.",
    {
        "return z * h_prev + (1 - z) * candidate": (
            "return np.squeeze(z * h_prev + (1 - z) * candidate)"
        ),
    },
)
STATE_CLIPPED = (
    "The sums of the gates are clipped, or the state is.",
    {
        "return z * h_prev + (1 - z) * candidate": (
            "return np.clip(z * h_prev + (1 - z) * candidate, -1, 1)"
        ),
    },
)


# %% exercise="gru_step" edits="equation by equation" wrong="HARD_SIGMOID"
{
    '1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))': "np.clip(0.5 + 0.2 * "
    '(x_t @ w["z"] + h_prev @ u["z"] + b["z"]), 0, 1)',
    '1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))': "np.clip(0.5 + 0.2 * "
    '(x_t @ w["r"] + h_prev @ u["r"] + b["r"]), 0, 1)',
}


# %% exercise="gru_step" edits="equation by equation"
CANDIDATE_RETURNED = (
    "The candidate itself is returned. The last equation mixes it with h_prev.",
    {"return z * h_prev + (1 - z) * candidate": "return candidate"},
)
CANDIDATE_WEIGHTS_OF_A_GATE = (
    "The candidate uses a weight or a bias of a gate. It has its own, under the key h.",
    {'b["h"]': 'b["z"]'},
    {'b["h"]': 'b["r"]'},
    {'u["h"]': 'u["z"]'},
    {'u["h"]': 'u["r"]'},
    {'w["h"]': 'w["z"]'},
    {'w["h"]': 'w["r"]'},
)
INPUT_RESET_ALONE = (
    "The reset gate multiplies the input's part of the candidate, and h_prev not at all. It must "
    "multiply h_prev.",
    {'x_t @ w["h"] + (r * h_prev) @ u["h"]': 'r * (x_t @ w["h"]) + h_prev @ u["h"]'},
)
RESET_IN_THE_MIXTURE = (
    "The reset gate stands in the last equation. There the update gate z mixes h_prev with the "
    "candidate; r is for the candidate alone.",
    {"z * h_prev + (1 - z) * candidate": "r * h_prev + (1 - r) * candidate"},
    {"z * h_prev + (1 - z) * candidate": "r * h_prev + (1 - z) * candidate"},
)
GATES_WITHOUT_STATE = (
    "The gates read the input alone. They must read h_prev too, each through its own u.",
    {' + h_prev @ u["z"]': "", ' + h_prev @ u["r"]': ""},
)
NOT_SHARED = (
    "The candidate is added to the whole of the old state. Each of the two must get its share, z "
    "or 1 - z.",
    {"z * h_prev + (1 - z) * candidate": "h_prev + candidate"},
)


# %% exercise="gru_step" edits="equation by equation" wrong="LINEAR_GATES"
{
    'z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))': (
        'z = x_t @ w["z"] + h_prev @ u["z"] + b["z"]'
    )
}
{
    'r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))': (
        'r = x_t @ w["r"] + h_prev @ u["r"] + b["r"]'
    )
}


# %% exercise="gru_step" wrong="UPDATE_FROM_RESET"
UPDATE_FROM_RESET = (
    "The update gate reads r * h_prev. It must read h_prev itself; only the candidate reads "
    "r * h_prev."
)


def gru_step(x_t, h_prev, w, u, b):
    r = sigmoid(x_t @ w["r"] + h_prev @ u["r"] + b["r"])
    h_reset = r * h_prev
    z = sigmoid(x_t @ w["z"] + h_reset @ u["z"] + b["z"])
    c = np.tanh(x_t @ w["h"] + h_reset @ u["h"] + b["h"])
    return z * h_prev + (1 - z) * c


# %% exercise="lstm_step" right="one function for the four sums"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c


# %% exercise="lstm_step" edits="one function for the four sums"
FORGET_IS_INPUT = (
    "Input and forget gate are swapped. f multiplies c_prev, and i multiplies the candidate.",
    {'"ifo"': '"fio"'},
)
NO_TANH_OF_CELL = "The tanh of the cell is left out. h is o * tanh(c).", {"np.tanh(c)": "c"}
CELL_FIRST = (
    "h and c are returned in the wrong order. h comes first.",
    {"o * np.tanh(c), c": "c, o * np.tanh(c)"},
)


# %% exercise="lstm_step" wrong="SIGMOID_CANDIDATE"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    i, f, g, o = (1 / (1 + np.exp(-(x_t @ w[k] + h_prev @ u[k] + b[k]))) for k in "ifgo")
    c = f * c_prev + i * g
    return o * np.tanh(c), c


# %% exercise="lstm_step" edits="one function for the four sums"
NOTHING_FORGOTTEN = (
    "The forget gate is left out. It must multiply c_prev.",
    {"f, o": "o", '"ifo"': '"io"', " f *": ""},
)
OLD_CELL = (
    "h is computed from c_prev. It must be computed from the new cell.",
    {"c =": "return o * np.tanh(c_prev),", "\n    return o * np.tanh(c), c": ""},
)
FORGET_BIAS_ADDED = (
    "A constant is added to the forget gate. Its bias is in b already.",
    {"b[key]": 'b[key] + (key == "f")'},
)
COUPLED = (
    "1 - f is used in place of the input gate. An LSTM has both gates.",
    {"i, f": "f", '"ifo"': '"fo"', "i *": "(1 - f) *"},
)


# %% exercise="lstm_step" edits="one function for the four sums" wrong="TRANSPOSED_U"
{"u[key]": "u[key].T"}


# %% exercise="lstm_step" wrong="INF_BY_INF"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def sigmoid(a):
        return np.exp(a) / (1 + np.exp(a))

    def tanh(a):
        return np.tanh(a)

    a = {key: x_t @ w[key] + h_prev @ u[key] + b[key] for key in "ifgo"}
    c = sigmoid(a["f"]) * c_prev + sigmoid(a["i"]) * tanh(a["g"])
    return sigmoid(a["o"]) * tanh(c), c


# %% exercise="lstm_step" wrong="INF_BY_INF"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    def tanh(a):
        return (np.exp(a) - np.exp(-a)) / (np.exp(a) + np.exp(-a))

    a = {key: x_t @ w[key] + h_prev @ u[key] + b[key] for key in "ifgo"}
    c = sigmoid(a["f"]) * c_prev + sigmoid(a["i"]) * tanh(a["g"])
    return sigmoid(a["o"]) * tanh(c), c


# %% exercise="lstm_step" edits="one function for the four sums" wrong="TANH_GATES"
{"1 / (1 + np.exp(-total(key)))": "np.tanh(total(key))"}


# %% exercise="lstm_step" edits="one function for the four sums" wrong="LINEAR_CANDIDATE"
{'np.tanh(total("g"))': 'total("g")'}


# %% exercise="lstm_step" edits="one function for the four sums" wrong="NO_BIAS"
{" + b[key]": ""}


# %% exercise="lstm_step" edits="one function for the four sums"
NOTHING_GATED = (
    "The input gate is left out. It must multiply the candidate.",
    {"i, f": "f", '"ifo"': '"fo"', " i *": ""},
)
ALL_SHOWN = (
    "The output gate is left out. It must multiply the tanh of the cell.",
    {"f, o": "f", '"ifo"': '"if"', " o *": ""},
)
TANH_RETURNED = (
    "The tanh of the cell is returned as the cell. The cell itself is kept without it.",
    {"o * np.tanh(c), c": "o * np.tanh(c), np.tanh(c)"},
)
C_PREV_RETURNED = (
    "The cell before the step is returned. The new one belongs there.",
    {"o * np.tanh(c), c": "o * np.tanh(c), c_prev"},
)
STATES_SWAPPED = (
    "h_prev and c_prev are swapped. u multiplies h_prev, and f multiplies c_prev.",
    {"h_prev @": "c_prev @", "* c_prev": "* h_prev"},
)


# %% exercise="lstm_step" right="one product for all four, in float32"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    order = ["o", "g", "f", "i"]
    kernel = np.vstack([np.hstack([part[key] for key in order]) for part in (w, u)])
    bias = np.hstack([b[key] for key in order])
    total = np.hstack([x_t, h_prev]).astype("float32") @ kernel.astype("float32") + bias
    o, g, f, i = np.split(total, 4, axis=-1)
    o, f, i = (1 / (1 + np.exp(-gate)) for gate in (o, f, i))
    c = f * c_prev + i * np.tanh(g)
    return o * np.tanh(c), c


# %% exercise="lstm_step" right="a list of two, by einsum"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    a = {
        key: np.einsum("bd,dm->bm", x_t, w[key]) + np.einsum("bn,nm->bm", h_prev, u[key]) + bias
        for key, bias in b.items()
    }
    gate = {key: 0.5 + 0.5 * np.tanh(0.5 * value) for key, value in a.items()}
    c = np.add(gate["f"] * c_prev, gate["i"] * np.tanh(a["g"]))
    return [gate["o"] * np.tanh(c), c]


# %% exercise="lstm_step" right="the rows of one array"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    o, g, f, i = (x_t @ w[key] + h_prev @ u[key] + b[key] for key in "ogfi")
    o, f, i = (1 / (1 + np.exp(-gate)) for gate in (o, f, i))
    c = f * c_prev + i * np.tanh(g)
    return np.stack([o * np.tanh(c), c])


# %% exercise="lstm_step" edits="one function for the four sums"
GATES_IN_ANOTHER_ORDER = (
    "Two gates have each other's weights. Take them by their keys: i is the input gate, f the "
    "forget gate, o the output gate.",
    {'"ifo"': '"iof"'},
    {'"ifo"': '"ofi"'},
)
CANDIDATE_AND_OUTPUT_GATE = (
    "The candidate and the output gate have each other's weights. Take them by their keys: g is "
    "the candidate, o the output gate.",
    {'"ifo"': '"ifg"', 'total("g")': 'total("o")'},
)
TANH_OF_THE_PRODUCT = (
    "The tanh is applied to o * c. It must be applied to the cell alone: o * tanh(c).",
    {"o * np.tanh(c), c": "np.tanh(o * c), c"},
)
CELL_IN_THE_SUMS = (
    "The gates read c_prev in the place of h_prev. Only f * c_prev uses the old cell.",
    {"h_prev @ u[key]": "c_prev @ u[key]"},
    {"h_prev @ u[key]": '(h_prev if key == "g" else c_prev) @ u[key]'},
)
CELL_NOT_RETURNED = (
    "Only the hidden state is returned. The next step needs the cell, too: return (h, c).",
    {"return o * np.tanh(c), c": "return o * np.tanh(c)"},
)


# %% exercise="lstm_step" edits="one function for the four sums"
OUTPUT_GATE_READS_CELL = (
    "The output gate reads the new cell in the place of h_prev. All three gates and the candidate "
    "read h_prev.",
    {
        "return o * np.tanh(c), c": (
            'o = 1 / (1 + np.exp(-(x_t @ w["o"] + c @ u["o"] + b["o"])))\n'
            "    return o * np.tanh(c), c"
        )
    },
)


# %% exercise="lstm_step" wrong="ORDER_OF_THE_DICTS"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    sums = [
        x_t @ w_k + h_prev @ u_k + b_k
        for w_k, u_k, b_k in zip(*map(dict.values, (w, u, b)), strict=True)
    ]
    i, f, o = (1 / (1 + np.exp(-sums[k])) for k in (0, 1, 3))
    c = f * c_prev + i * np.tanh(sums[2])
    return o * np.tanh(c), c


# %% exercise="lstm_step" edits="one function for the four sums"
CELL_CLIPPED = (
    "The cell is kept between two bounds. It may hold any number.",
    {
        'c = f * c_prev + i * np.tanh(total("g"))': (
            'c = np.clip(f * c_prev + i * np.tanh(total("g")), -1, 1)'
        ),
    },
    {
        'c = f * c_prev + i * np.tanh(total("g"))': (
            'c = np.clip(f * c_prev + i * np.tanh(total("g")), -2, 2)'
        ),
    },
    {
        'c = f * c_prev + i * np.tanh(total("g"))': (
            'c = np.clip(f * c_prev + i * np.tanh(total("g")), -3, 3)'
        ),
    },
)
WHOLE_CELL = (
    "The fractions are cut off when h_prev or c_prev hold whole numbers, because "
    "an array has their dtype.",
    {"return o * np.tanh(c), c": "return o * np.tanh(c), c.astype(c_prev.dtype)"},
    {"return o * np.tanh(c), c": "return (o * np.tanh(c)).astype(h_prev.dtype), c"},
    {
        "return o * np.tanh(c), c": (
            "return (o * np.tanh(c)).astype(h_prev.dtype), c.astype(c_prev.dtype)"
        ),
    },
    {
        'c = f * c_prev + i * np.tanh(total("g"))': (
            'c = (f * c_prev + i * np.tanh(total("g"))).astype(c_prev.dtype)'
        ),
    },
)
TANH_BY_EXP = (
    "tanh(c) is computed from exponentials, which overflow for a large cell. Use np.tanh.",
    {"return o * np.tanh(c), c": "return o * (np.exp(2 * c) - 1) / (np.exp(2 * c) + 1), c"},
    {
        "return o * np.tanh(c), c": (
            "return o * (np.exp(c) - np.exp(-c)) / (np.exp(c) + np.exp(-c)), c"
        ),
    },
)
SQUEEZED_LSTM = (
    "A batch of one loses its axis. Both results have the shape of c_prev.",
    {"return o * np.tanh(c), c": "return np.squeeze(o * np.tanh(c)), np.squeeze(c)"},
)


# %% exercise="lstm_step" edits="one function for the four sums" wrong="CELL_CLIPPED"
{
    'c = f * c_prev + i * np.tanh(total("g"))': (
        'c = np.clip(f * c_prev + i * np.tanh(total("g")), -20, 20)'
    )
}


# %% exercise="lstm_step" edits="one function for the four sums"
SIGMOID_THEN_TANH = (
    "The candidate goes through a sigmoid and then through tanh. It goes through tanh alone.",
    {'total("g")': '(1 / (1 + np.exp(-total("g"))))'},
)


# %% exercise="lstm_step" edits="one function for the four sums" wrong="HARD_SIGMOID"
{"1 / (1 + np.exp(-total(key)))": "np.clip(0.2 * total(key) + 0.5, 0, 1)"}


# %% exercise="lstm_step" edits="one function for the four sums"
RECURRENT_WEIGHTS_OF_F = (
    "The output gate uses the recurrent weights of the forget gate. Each gate has its own u.",
    {"u[key]": 'u["f" if key == "o" else key]'},
)


# %% exercise="lstm_step" edits="one function for the four sums"
FORGET_TURNED_ROUND = (
    "1 - f multiplies c_prev. The forget gate f itself must do this: at f = 1 all is kept.",
    {"f * c_prev": "(1 - f) * c_prev"},
)
STATE_KEPT = (
    "The forget gate multiplies h_prev. It is the old cell, c_prev, of which it keeps a share.",
    {"f * c_prev": "f * h_prev"},
)
COUPLED_TO_INPUT = (
    "1 - i is used in place of the forget gate. An LSTM has both gates.",
    {"f * c_prev": "(1 - i) * c_prev"},
)
CANDIDATE_READS_CELL = (
    "The candidate reads c_prev in the place of h_prev. Only f * c_prev uses the old cell.",
    {'total("g")': 'x_t @ w["g"] + c_prev @ u["g"] + b["g"]'},
)
CELL_THROUGH_TANH = (
    "The new cell goes through a tanh before it is stored. It is the plain sum of its two parts; "
    "only h is computed from its tanh.",
    {'f * c_prev + i * np.tanh(total("g"))': 'np.tanh(f * c_prev + i * np.tanh(total("g")))'},
)
OUTPUT_TANH_GATE = (
    "The output gate goes through tanh. A gate is a sigmoid and lies between 0 and 1.",
    {"return o *": 'return np.tanh(total("o")) *'},
)
FORGET_BOTH = (
    "The forget gate multiplies the new part of the cell, too. It must multiply c_prev alone.",
    {'f * c_prev + i * np.tanh(total("g"))': 'f * (c_prev + i * np.tanh(total("g")))'},
)
OUTPUT_GATE_RETURNED = (
    "The output gate is returned in the place of the cell.",
    {"o * np.tanh(c), c": "o * np.tanh(c), o"},
)
CANDIDATE_IS_INPUT_GATE = (
    "The candidate and the input gate have each other's weights. Take them by their keys: g is the "
    "candidate, i the input gate.",
    {'"ifo"': '"gfo"', 'total("g")': 'total("i")'},
)
ANOTHER_GATES_WEIGHTS = (
    "A gate uses a weight or a bias of another gate. Each has its own, under its own key.",
    {"u[key]": 'u["i" if key == "o" else key]'},
    {"u[key]": 'u["i" if key == "f" else key]'},
    {"u[key]": 'u["f" if key == "i" else key]'},
    {"w[key]": 'w["i" if key == "f" else key]'},
    {"w[key]": 'w["i" if key == "o" else key]'},
    {"w[key]": 'w["f" if key == "o" else key]'},
    {"b[key]": 'b["i" if key == "f" else key]'},
)


# %% exercise="lstm_step" wrong="GATE_READS_OLD_CELL"
GATE_READS_OLD_CELL = "A gate reads c_prev in place of h_prev. Only f * c_prev uses the old cell."


def lstm_step(x_t, h_prev, c_prev, w, u, b):
    i = sigmoid(x_t @ w["i"] + h_prev @ u["i"] + b["i"])
    f = sigmoid(x_t @ w["f"] + h_prev @ u["f"] + b["f"])
    o = sigmoid(x_t @ w["o"] + c_prev @ u["o"] + b["o"])
    g = np.tanh(x_t @ w["g"] + h_prev @ u["g"] + b["g"])
    c = f * c_prev + i * g
    return o * np.tanh(c), c


# %% exercise="count_recurrent_parameters" right="one formula for all layers"
def count_recurrent_parameters(kind, input_dim, units):
    sets = {"simple_rnn": 1, "gru": 3, "lstm": 4}[kind]
    return sets * units * (input_dim + units + (2 if kind == "gru" else 1))


# %% exercise="count_recurrent_parameters" right="the GRU by itself"
def count_recurrent_parameters(kind, input_dim, units):
    if kind == "gru":
        return 3 * units * (input_dim + units + 2)
    return (4 if kind == "lstm" else 1) * units * (input_dim + units + 1)


# %% exercise="count_recurrent_parameters" edits="one formula for all layers"
GRU_ONE_BIAS = (
    "The GRU is counted with one bias in each set. By default Keras's GRU has two.",
    {
        'units * (input_dim + units + (2 if kind == "gru" else 1))': (
            "(input_dim * units + units * units + units)"
        )
    },
)
TWO_BIASES = (
    "Two biases are counted for a layer that has one. Only Keras's GRU has two.",
    {
        'units * (input_dim + units + (2 if kind == "gru" else 1))': (
            "(input_dim * units + units * units + 2 * units)"
        )
    },
)


# %% exercise="count_recurrent_parameters" edits="one formula for all layers" wrong="NO_BIAS"
{
    'units * (input_dim + units + (2 if kind == "gru" else 1))': (
        "(input_dim * units + units * units)"
    )
}


# %% exercise="count_recurrent_parameters" edits="the GRU by itself"
LSTM_THREE_SETS = (
    "The candidate of the LSTM is not counted. It has weights like the three gates.",
    {"4 if": "3 if"},
)
GRU_TWO_SETS = (
    "The candidate of the GRU is not counted. It has weights like the two gates.",
    {"3 *": "2 *"},
)
NO_RECURRENT_ARRAY = (
    "The array from state to state is left out. It has units * units entries.",
    {"units + 2": "2", "units + 1": "1"},
)


# %% exercise="count_recurrent_parameters" edits="one formula for all layers" wrong="TWO_BIASES"
{'2 if kind == "gru" else 1': '1 if kind == "simple_rnn" else 2'}


# %% exercise="count_recurrent_parameters" edits="one formula for all layers"
SETS_SWAPPED = (
    "The numbers of sets are swapped. The LSTM has four of them and the GRU three.",
    {'3, "lstm": 4': '4, "lstm": 3'},
)


# %% exercise="count_recurrent_parameters" wrong="ONE_SET"
ONE_SET = "Every layer is counted with one set of weights. Each gate has a set of its own."


def count_recurrent_parameters(kind, input_dim, units):
    return units * (input_dim + units + (2 if kind == "gru" else 1))


# %% exercise="count_recurrent_parameters" right="sizes of the arrays"
def count_recurrent_parameters(kind, input_dim, units):
    shapes = [(input_dim, units), (units, units), (units,)]
    shapes = {
        "simple_rnn": shapes,
        "lstm": shapes * 4,
        "gru": (shapes + [(units,)]) * 3,
    }[kind]
    return sum(np.prod(shape) for shape in shapes)


# %% exercise="count_recurrent_parameters" right="Keras counts"
def count_recurrent_parameters(kind, input_dim, units):
    import keras

    layers = {"simple_rnn": "SimpleRNN", "lstm": "LSTM", "gru": "GRU"}
    layer = getattr(keras.layers, layers[kind])(units)
    layer.build((None, None, input_dim))
    return layer.count_params()


# %% exercise="count_recurrent_parameters" edits="one formula for all layers"
BIAS_OF_ONE = (
    "A bias is counted as a single number. It has one entry for each unit.",
    {
        'units * (input_dim + units + (2 if kind == "gru" else 1))': (
            '(units * (input_dim + units) + (2 if kind == "gru" else 1))'
        )
    },
)
STATE_LIKE_INPUT = (
    "The array from state to state is counted with the size of the input. It has units * units "
    "entries.",
    {"input_dim + units +": "input_dim + input_dim +"},
)


# %% exercise="count_recurrent_parameters" edits="the GRU by itself"
SECOND_BIAS_ONCE = (
    "The second bias of the GRU is counted once. Each of its three sets has two biases.",
    {"3 * units * (input_dim + units + 2)": "3 * units * (input_dim + units + 1) + units"},
)
GRU_SETS_TWICE = (
    "Every set of the GRU is counted twice, with its weights. Only the bias is there twice.",
    {"3 * units * (input_dim + units + 2)": "6 * units * (input_dim + units + 1)"},
)


# %% exercise="count_recurrent_parameters" edits="sizes of the arrays"
TWO_FOR_EACH_UNIT = (
    "The array of the state is counted with 2 * units numbers. It has units * units of them.",
    {"(units, units)": "(2, units)"},
)
BIAS_OF_INPUT = (
    "The GRU's second bias is counted with input_dim numbers. Both biases have units numbers.",
    {"[(units,)]": "[(input_dim,)]"},
)


# %% exercise="count_recurrent_parameters" edits="the GRU by itself"
TWO_BIASES_IN_ALL = (
    "The whole GRU is counted with two biases. Each of its three sets has two of them.",
    {"3 * units * (input_dim + units + 2)": "3 * units * (input_dim + units) + 2 * units"},
)
GRU_STATE_TWICE = (
    "The array from state to state is counted twice in each set of the GRU. Only the bias is there "
    "twice.",
    {"3 * units * (input_dim + units + 2)": "3 * units * (input_dim + 2 * units + 2)"},
)


# %% exercise="count_recurrent_parameters" edits="one formula for all layers"
SIZES_SWAPPED = (
    "input_dim and units are swapped.",
    {"sets * units * (input_dim + units": "sets * input_dim * (units + input_dim"},
)
ONE_FEATURE = (
    "The input counts as a single feature. There are input_dim of them.",
    {"(input_dim + units": "(1 + units"},
)


# %% exercise="count_recurrent_parameters" edits="the GRU by itself"
GRU_AS_LSTM = (
    "A GRU is counted as an LSTM. It has three sets of weights, each with two biases. A condition "
    'like `kind == "lstm" or "LSTM"` is always true.',
    {
        'kind == "gru"': 'kind == "GRU"',
        '(4 if kind == "lstm" else 1)': ('(1 if kind == "simple_rnn" else 4)'),
    },
)


# %% exercise="count_recurrent_parameters" edits="one formula for all layers"
BIAS_FOR_EVERY_INPUT = (
    "A bias is counted for every input and unit. A set has one bias for every unit.",
    {'(2 if kind == "gru" else 1)': 'input_dim * (2 if kind == "gru" else 1)'},
)


# %% exercise="count_recurrent_parameters" edits="the GRU by itself"
CANDIDATE_WITH_ONE_BIAS = (
    "The candidate of the GRU is counted with one bias. Each of its three sets has two biases.",
    {"3 * units * (input_dim + units + 2)": "units * (3 * (input_dim + units) + 5)"},
)


# %% exercise="count_recurrent_parameters" edits="one formula for all layers"
BIAS_LIKE_INPUT = (
    "A bias is counted with input_dim numbers. It has one number for every unit.",
    {
        'units * (input_dim + units + (2 if kind == "gru" else 1))': (
            '(units * (input_dim + units) + input_dim * (2 if kind == "gru" else 1))'
        )
    },
)
WITH_OUTPUT = (
    "An output is counted too, with its weights and its bias. A recurrent layer has none of its "
    "own: in Keras the output is another layer.",
    {"return sets * units": "return units + 1 + sets * units"},
)
FIVE_SETS = (
    "The LSTM is counted with five sets. It has three gates and one candidate; the cell has no "
    "weights of its own.",
    {'"lstm": 4': '"lstm": 5'},
)
ONE_BIAS_FOR_ALL = (
    "One bias is counted for all four sets of the LSTM together. Every set has a bias of its own.",
    {"return sets": 'return -3 * units * (kind == "lstm") + sets'},
)
CELL_COUNTED = (
    "The cell state is counted as a parameter. It is computed in every step and is not trained.",
    {"return sets": 'return units * (kind == "lstm") + sets'},
)


# %% exercise="count_recurrent_parameters" edits="one formula for all layers"
SQUARE_OF_INPUTS = (
    "The matrix of the state is counted with input_dim * input_dim numbers. It has units * units.",
    {
        'sets * units * (input_dim + units + (2 if kind == "gru" else 1))': (
            'sets * (units * input_dim + input_dim**2 + units * (2 if kind == "gru" else 1))'
        )
    },
)
