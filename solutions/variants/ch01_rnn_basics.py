"""The bank of chapter 1: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np

# %%
OVERFLOW = "An exponential overflows. Exponentiate only numbers that are not positive."
SIGN_OF_X = (
    "This is the sigmoid of -x, which falls from 1 to 0. It must rise from 0 to 1, so either a "
    "sign is wrong or two cases are swapped."
)
TANH = "This is tanh, which lies between -1 and 1. The sigmoid lies between 0 and 1."
HALF_ARGUMENT = "This takes tanh of x. The sigmoid is (1 + tanh(x / 2)) / 2."
NOT_HALVED = "This lies between 0 and 2. The sigmoid is (1 + tanh(x / 2)) / 2."
ONE_FORM = (
    "No value is below 1/2, because one form is used for both signs. For negative x the sigmoid is "
    "exp(x) / (1 + exp(x))."
)
ZERO_LEFT_OUT = "The result for x = 0 is left at 0. It must be 1/2."
SOFTMAX = "This is a softmax, whose entries add up to 1. The sigmoid treats every entry by itself."
NO_AXES = (
    "This does not work for every shape. An array of any shape may come in, even one of shape ()."
)
TRANSPOSED = "w_h is used transposed. With row vectors the state stands on the left: h @ w_h."
NO_BIAS = "The bias is left out."
BIAS_TWICE = "The bias is added twice. It is added once to the sum of the two products."
NO_RECURRENCE = "The previous state is not fed back. h_t must depend on h_{t-1}."
NO_ACTIVATION = "The activation is left out."
TANH_ONLY = "tanh is built in. The activation is an argument."
ACTIVATED_EARLY = (
    "The activation is applied to a part of the sum. It must be applied to the whole sum."
)
BIAS_OUTSIDE = "The bias is added after the activation. It belongs inside it."
SQUEEZED = "An axis of length 1 is lost. Every array must keep all its axes."
FIRST_EXAMPLE = (
    "Only the first example of the batch is read. Every example has an input of its own."
)
TIME_FIRST = "Time and batch are swapped. The batch comes first."
RESHAPED = (
    "The axes of time and batch are exchanged by reshape, which mixes the examples. Use "
    "np.stack(states, axis=1) or a transposition."
)
LOOP_OVER_BATCH = (
    "The loop runs over the examples of the batch. It must run over time, the second axis of x: "
    "x[:, t] is what every example reads in step t."
)
STATE_BEFORE = (
    "hidden holds the states before their steps. hidden[:, 0] must be the state that has read "
    "the first input."
)
H_0_KEPT = (
    "hidden starts with h_0. It must hold one state for every step, and h_0 is not one of them."
)
H_0_IGNORED = "h_0 is ignored. Zeros are only its default."
ACTIVATED_OUTPUT = "The activation is applied to the output. The output must be linear."
OUTPUT_BEFORE = (
    "The outputs are computed from the states before the steps. y_t belongs to h_t, the state "
    "that has read x_t."
)
NO_OUTPUT_BIAS = "b_y is left out."
LAST_OUTPUT = "Only the last output is returned. Every step has an output."
LAST_STATE = "Only the last state is returned. hidden must hold the state after every step."
OUTPUTS_FIRST = "hidden and outputs are returned in the wrong order. hidden comes first."
FROM_THE_END = "The sequence is read from its end. The first step must read x[:, 0]."
DIVIDED_BY_BATCH = (
    "The gradients are divided by the batch size. The examples are only added, because d_h "
    "contains such factors already."
)
DERIVATIVE_BEFORE = (
    "The derivative of tanh is taken at the state before the step. It must be taken at the state "
    "after it, the result of this tanh."
)
NOT_SUMMED = (
    "The gradient of a bias still has the batch axis. It must be summed over the batch, to the "
    "shape of the bias."
)
TRANSPOSED_GRADIENT = (
    "The gradient of a weight matrix is transposed. Its rows and its columns must be those of the "
    "matrix."
)
PAST_THE_TANH = (
    "h_prev receives the gradient of the sum inside the tanh. That gradient must still go "
    "through w_h."
)
SUMMED = "The squared errors are summed. The loss is their mean over all entries."
MEAN_OVER_BATCH = (
    "The mean is taken over the batch alone. It must run over batch, time and outputs together."
)
MEAN_OVER_TIME = (
    "The mean is taken over time alone. It must run over batch, time and outputs together."
)
SUMMED_OVER_OUTPUTS = (
    "The squared errors are summed over the outputs of a step. The mean must run over the "
    "outputs too."
)
SUMMED_OVER_TIME = "The means of the steps are added. The mean must run over time too."
NOT_AVERAGED = (
    "The loss is a mean, but the gradient is that of a sum. The gradient must be divided by "
    "the number of entries too."
)
AVERAGED_OVER_BATCH = (
    "The gradient is averaged over the batch alone. The loss is averaged over all entries."
)
AVERAGED_OVER_TIME = (
    "The gradient is averaged over time alone. The loss is averaged over all entries."
)
AVERAGED_OVER_STEP = (
    "The gradient is averaged over the entries of one step alone. The loss is averaged over all "
    "steps."
)
SUMMED_GRADIENT_OVER_OUTPUTS = (
    "The gradient is averaged over batch and time alone. The loss is averaged over the outputs too."
)
BATCH_TWICE = (
    "The gradient is divided by the batch size twice. The mean over all entries contains that "
    "factor already."
)
BIAS_AVERAGED = (
    "The gradient of a bias is averaged over the batch. The contributions of the examples are "
    "only added."
)
TIME_TWICE = (
    "The gradient is divided by the number of steps twice. The mean over all entries contains "
    "that factor already."
)
OUTPUTS_TWICE = (
    "The gradient is divided by the number of outputs twice. The mean over all entries "
    "contains that factor already."
)
NO_FACTOR_2 = (
    "A factor of 2 is missing in the gradient. It comes from the derivative of the square."
)
HALF_LOSS = "The loss is halved. It must be the mean of the squared errors."
DESCENT_DIRECTION = "The gradient has the wrong sign. The error is output minus target."
CHAIN_CUT = (
    "The way back ends after one step. Every state also contributes to the errors of all "
    "later steps."
)
FORWARD_IN_TIME = (
    "The way back begins at the first step. It must begin at the last, because a state receives "
    "a gradient from the step after it."
)
WITHOUT_W_H = (
    "The gradient of the sum inside the tanh is handed to the step before as it is. That gradient "
    "must still go through w_h."
)
PAST_THE_DERIVATIVE = (
    "The derivative of tanh is left out of what is handed to the step before. That gradient must "
    "go through the tanh first, and then through w_h."
)
LAST_OUTPUT_ONLY = (
    "Only the error of the last step travels back. The output of every step must add its own."
)
NOT_TRANSPOSED_BACK = (
    "w_h is not transposed on the way back. Forward it is h @ w_h, and backward d @ w_h.T."
)
NO_DERIVATIVE = "The derivative of tanh is left out. Multiply by 1 - h**2."
TANH_TWICE = "The derivative applies tanh to h, which is a tanh already. It is 1 - h**2."
SIGMOID_DERIVATIVE = "h * (1 - h) is the derivative of the sigmoid. That of tanh is 1 - h**2."
NOT_SQUARED = "The derivative is taken as 1 - h. That of tanh is 1 - h**2."
STATE_AFTER = (
    "The gradient of w_h is computed with the state after the step. w_h was multiplied by the "
    "state before it."
)
STATE_BEFORE_OUTPUT = (
    "The gradient of w_y is computed with the state before the step. w_y was multiplied by the "
    "state after it."
)
OVERWRITTEN = (
    "A step overwrites the gradient of another step. The contributions of all steps must be added."
)
H_0_TOO_LATE = (
    "h_0 receives the gradient of the sum inside the first tanh. That gradient must still go "
    "through w_h."
)
H_0_IS_ZERO = (
    "The gradient of h_0 is left at zero. h_0 itself is zero, but the loss would change if it "
    "were not."
)
H_0_WITHOUT_BATCH = (
    "The gradient of h_0 has lost its batch axis. Every example has an initial state of its own."
)
EACH_ALONE = "Every array is clipped by its own norm. All arrays together have one norm."
BY_VALUE = (
    "The entries are clipped one by one, which changes the direction. Scale all of them by "
    "one factor."
)
NO_ROOT = "The square root of the norm is missing."
SUM_OF_NORMS = "The norms of the arrays are added. Add their squares and take the root of the sum."
ALWAYS_SCALED = "Short gradients are stretched to max_norm. They must stay as they are."
UNCHANGED = (
    "The gradients come back unchanged. `g = g * factor` in a loop binds g to a new array and "
    "leaves the list as it is."
)
WRONG_ONES_SCALED = (
    "Gradients below max_norm are stretched, and longer ones are left unchanged. It must be the "
    "other way round: only longer ones are scaled."
)
TO_NORM_1 = "The gradients are scaled to a norm of 1. They must be scaled to a norm of max_norm."
FACTOR_INVERTED = "The factor is inverted. It is max_norm / norm, which shortens what is too long."
NORM_RETURNED = "The norm is returned too. Only the list of arrays is asked for."
ZERO_BY_ZERO = "The norm of gradients that are all zero is 0, and 0 / 0 is not a number."
Z_SWAPPED = "z and 1 - z are swapped. Here z says how much of h_prev is kept."
RESET_AFTER = (
    "The reset gate is applied after the product with u_h. It must multiply h_prev before "
    "that product."
)
NO_RESET = "The reset gate is left out of the candidate."
RESET_KEPT = (
    "The state is still reset in the last equation. The reset gate is for the candidate alone."
)
INF_BY_INF = (
    "Numerator and denominator overflow, and inf / inf is not a number. Use np.tanh and a "
    "sigmoid like that of exercise 1."
)
GATES_SWAPPED = "The gates z and r are swapped."
SIGMOID_CANDIDATE = "The candidate goes through a sigmoid. It must go through tanh."
LINEAR_CANDIDATE = "The tanh of the candidate is left out."
LINEAR_GATES = "The sigmoid of the gates is left out. A gate lies between 0 and 1."
TANH_GATES = "The gates go through tanh. A gate is a sigmoid and lies between 0 and 1."
TRANSPOSED_U = "u is used transposed. With row vectors the state stands on the left: h_prev @ u."
FORGET_IS_INPUT = (
    "Input and forget gate are swapped. f multiplies c_prev, and i multiplies the candidate."
)
NO_TANH_OF_CELL = "The tanh of the cell is left out. h is o * tanh(c)."
CELL_FIRST = "h and c are returned in the wrong order. h comes first."
NOTHING_FORGOTTEN = "The forget gate is left out. It must multiply c_prev."
OLD_CELL = "h is computed from c_prev. It must be computed from the new cell."
TANH_RETURNED = "The tanh of the cell is returned as the cell. The cell itself is kept without it."
C_PREV_RETURNED = "The cell before the step is returned. The new one belongs there."
NOTHING_GATED = "The input gate is left out. It must multiply the candidate."
ALL_SHOWN = "The output gate is left out. It must multiply the tanh of the cell."
STATES_SWAPPED = "h_prev and c_prev are swapped. u multiplies h_prev, and f multiplies c_prev."
FORGET_BIAS_ADDED = "A constant is added to the forget gate. Its bias is in b already."
COUPLED = "1 - f is used in place of the input gate. An LSTM has both gates."
GRU_ONE_BIAS = "The GRU is counted with one bias in each set. By default Keras's GRU has two."
TWO_BIASES = "Two biases are counted for a layer that has one. Only Keras's GRU has two."
LSTM_THREE_SETS = "The candidate of the LSTM is not counted. It has weights like the three gates."
SETS_SWAPPED = "The numbers of sets are swapped. The LSTM has four of them and the GRU three."
ONE_SET = "Every layer is counted with one set of weights. Each gate has a set of its own."
GRU_TWO_SETS = "The candidate of the GRU is not counted. It has weights like the two gates."
NO_RECURRENT_ARRAY = "The array from state to state is left out. It has units * units entries."


# %% exercise="sigmoid" wrong="OVERFLOW"
def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# %% exercise="sigmoid" wrong="OVERFLOW"
def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


# %% exercise="sigmoid" wrong="OVERFLOW"
def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, dtype=np.longdouble)))


# %% exercise="sigmoid" wrong="SIGN_OF_X"
def sigmoid(x):
    return 1 / (1 + np.exp(np.clip(x, -500, 500)))


# %% exercise="sigmoid" wrong="TANH"
def sigmoid(x):
    return np.tanh(x)


# %% exercise="sigmoid" wrong="HALF_ARGUMENT"
def sigmoid(x):
    return (1 + np.tanh(x)) / 2


# %% exercise="sigmoid" wrong="SOFTMAX"
def sigmoid(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# %% exercise="sigmoid" wrong="NO_AXES"
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
def sigmoid(x):
    return np.tanh(x / 2) + 1


# %% exercise="sigmoid" wrong="ONE_FORM"
def sigmoid(x):
    return 1 / (1 + np.exp(-np.abs(x)))


# %% exercise="sigmoid" wrong="ZERO_LEFT_OUT"
def sigmoid(x):
    y = np.zeros(np.shape(x))
    y[x > 0] = 1 / (1 + np.exp(-x[x > 0]))
    y[x < 0] = np.exp(x[x < 0]) / (1 + np.exp(x[x < 0]))
    return y


# %% exercise="sigmoid" right="by the hyperbolic tangent"
def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


# %% exercise="sigmoid" right="a NumPy scalar for an array without axes"
def sigmoid(x):
    return np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))


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


# %% exercise="rnn_step" wrong="TRANSPOSED"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t @ w_x + h_prev @ w_h.T + b_h)


# %% exercise="rnn_step" wrong="NO_BIAS"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t @ w_x + h_prev @ w_h)


# %% exercise="rnn_step" wrong="NO_RECURRENCE"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t @ w_x + b_h)


# %% exercise="rnn_step" wrong="NO_ACTIVATION"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return x_t @ w_x + h_prev @ w_h + b_h


# %% exercise="rnn_step" wrong="TANH_ONLY"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return np.tanh(x_t @ w_x + h_prev @ w_h + b_h)


# %% exercise="rnn_step" wrong="ACTIVATED_EARLY"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t @ w_x + b_h) + h_prev @ w_h


# %% exercise="rnn_step" wrong="BIAS_OUTSIDE"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t @ w_x + h_prev @ w_h) + b_h


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


# %% exercise="rnn_step" wrong="FIRST_EXAMPLE"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t[0] @ w_x + h_prev @ w_h + b_h)


# %% exercise="rnn_step" wrong="FIRST_EXAMPLE"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t[0] @ w_x + h_prev[0] @ w_h + b_h)


# %% exercise="rnn_step" wrong="BIAS_TWICE"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t @ w_x + b_h + h_prev @ w_h + b_h)


# %% exercise="rnn_step" wrong="ACTIVATED_EARLY"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    return activation(x_t @ w_x) + activation(h_prev @ w_h) + b_h


# %% exercise="rnn_step" right="one product of stacked arrays"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    both = np.concatenate([x_t, h_prev], axis=1)
    return activation(both @ np.vstack([w_x, w_h]) + b_h)


# %% exercise="rnn_step" right="column vectors, one example at a time"
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    w_x, w_h, b_h = (np.asarray(array, dtype="float32") for array in (w_x, w_h, b_h))
    return [list(activation(w_x.T @ x + w_h.T @ h + b_h)) for x, h in zip(x_t, h_prev, strict=True)]


# %% exercise="rnn_forward" wrong="TIME_FIRST"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    states = []
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        states.append(h)
    hidden = np.array(states)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="STATE_BEFORE"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    states = []
    for t in range(x.shape[1]):
        states.append(h)
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
    hidden = np.stack(states, axis=1)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="H_0_KEPT"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    states = [np.zeros((len(x), len(b_h))) if h_0 is None else h_0]
    for t in range(x.shape[1]):
        states.append(activation(x[:, t] @ w_x + states[-1] @ w_h + b_h))
    hidden = np.stack(states, axis=1)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="H_0_IGNORED"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h)))
    states = []
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        states.append(h)
    hidden = np.stack(states, axis=1)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="ACTIVATED_OUTPUT"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    return hidden, activation(hidden @ w_y + b_y)


# %% exercise="rnn_forward" wrong="LAST_OUTPUT"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    return hidden, h @ w_y + b_y


# %% exercise="rnn_forward" wrong="NO_RECURRENCE"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        hidden[:, t] = activation(x[:, t] @ w_x + h @ w_h + b_h)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="TRANSPOSED"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h.T + b_h)
        hidden[:, t] = h
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="TANH_ONLY"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="NO_OUTPUT_BIAS"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    return hidden, hidden @ w_y


# %% exercise="rnn_forward" wrong="SQUEEZED"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    outputs = hidden @ w_y + b_y
    return hidden.squeeze(), outputs.squeeze()


# %% exercise="rnn_forward" wrong="SQUEEZED"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    outputs = hidden @ w_y + b_y
    return (hidden, outputs) if x.shape[1] > 1 else (hidden[:, 0], outputs[:, 0])


# %% exercise="rnn_forward" wrong="SQUEEZED"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    outputs = hidden @ w_y + b_y
    return (hidden, outputs) if len(b_h) > 1 else (hidden[:, :, 0], outputs)


# %% exercise="rnn_forward" wrong="INPUT_CHANGED"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    if h_0 is None:
        h_0 = np.zeros((len(x), len(b_h)))
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h_0[:] = activation(x[:, t] @ w_x + h_0 @ w_h + b_h)
        hidden[:, t] = h_0
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="RESHAPED"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    states = []
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        states.append(h)
    hidden = np.array(states).reshape(len(x), x.shape[1], len(b_h))
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="LOOP_OVER_BATCH"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros(len(b_h)) if h_0 is None else h_0
    states = []
    for x_t in x:
        h = activation(x_t @ w_x + h @ w_h + b_h)
        states.append(h)
    hidden = np.array(states)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="OUTPUT_BEFORE"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    outputs = np.zeros((len(x), x.shape[1], len(b_y)))
    for t in range(x.shape[1]):
        outputs[:, t] = h @ w_y + b_y
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    return hidden, outputs


# %% exercise="rnn_forward" wrong="H_0_KEPT"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    hidden[:, 0] = 0 if h_0 is None else h_0
    for t in range(1, x.shape[1]):
        hidden[:, t] = activation(x[:, t] @ w_x + hidden[:, t - 1] @ w_h + b_h)
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="LAST_STATE"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
    return h, h @ w_y + b_y


# %% exercise="rnn_forward" wrong="OUTPUTS_FIRST"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    return hidden @ w_y + b_y, hidden


# %% exercise="rnn_forward" wrong="FROM_THE_END"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in reversed(range(x.shape[1])):
        h = activation(x[:, t] @ w_x + h @ w_h + b_h)
        hidden[:, t] = h
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="NO_BIAS"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = activation(x[:, t] @ w_x + h @ w_h)
        hidden[:, t] = h
    return hidden, hidden @ w_y + b_y


# %% exercise="rnn_forward" wrong="NO_ACTIVATION"
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0
    hidden = np.zeros((len(x), x.shape[1], len(b_h)))
    for t in range(x.shape[1]):
        h = x[:, t] @ w_x + h @ w_h + b_h
        hidden[:, t] = h
    return hidden, hidden @ w_y + b_y


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


# %% exercise="rnn_step_backward" wrong="NO_DERIVATIVE"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    return {
        "x_t": d_h @ w_x.T,
        "h_prev": d_h @ w_h.T,
        "w_x": x_t.T @ d_h,
        "w_h": h_prev.T @ d_h,
        "b_h": d_h.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="TANH_TWICE"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - np.tanh(h_t) ** 2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="DERIVATIVE_BEFORE"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_prev**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="NOT_TRANSPOSED_BACK"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="PAST_THE_TANH"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="STATE_AFTER"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_t.T @ d,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="DIVIDED_BY_BATCH"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d, batch = d_h * (1 - h_t**2), len(x_t)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d / batch,
        "w_h": h_prev.T @ d / batch,
        "b_h": d.mean(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="TRANSPOSED_GRADIENT"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": d.T @ x_t,
        "w_h": d.T @ h_prev,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="NOT_SUMMED"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d,
    }


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


# %% exercise="rnn_step_backward" wrong="TRANSPOSED_GRADIENT"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": d.T @ h_prev,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="SIGMOID_DERIVATIVE"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * h_t * (1 - h_t)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="NOT_SQUARED"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d.sum(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="BIAS_AVERAGED"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d.mean(axis=0),
    }


# %% exercise="rnn_step_backward" wrong="NO_DERIVATIVE"
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    d = d_h * (1 - h_t**2)
    return {
        "x_t": d @ w_x.T,
        "h_prev": d @ w_h.T,
        "w_x": x_t.T @ d,
        "w_h": h_prev.T @ d,
        "b_h": d_h.sum(axis=0),
    }


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


# %% exercise="bptt" wrong="SUMMED"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error
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
    return np.sum(error**2), g | {"h_0": dh}


# %% exercise="bptt" wrong="MEAN_OVER_BATCH"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / batch
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
    return np.sum(error**2) / batch, g | {"h_0": dh}


# %% exercise="bptt" wrong="SUMMED_OVER_OUTPUTS"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / (batch * time)
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
    return np.mean(np.sum(error**2, axis=2)), g | {"h_0": dh}


# %% exercise="bptt" wrong="NOT_AVERAGED"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error
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


# %% exercise="bptt" wrong="NO_FACTOR_2"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = error / error.size
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


# %% exercise="bptt" wrong="HALF_LOSS"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = error / error.size
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
    return np.mean(error**2) / 2, g | {"h_0": dh}


# %% exercise="bptt" wrong="DESCENT_DIRECTION"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = targets - (h[1:] @ w_y + b_y).swapaxes(0, 1)
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


# %% exercise="bptt" wrong="BATCH_TWICE"
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
    return np.mean(error**2), {name: array / batch for name, array in g.items()} | {"h_0": dh}


# %% exercise="bptt" wrong="BATCH_TWICE"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / error.size / batch
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


# %% exercise="bptt" wrong="TIME_TWICE"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / error.size / time
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


# %% exercise="bptt" wrong="OUTPUTS_TWICE"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / error.size / targets.shape[-1]
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


# %% exercise="bptt" wrong="AVERAGED_OVER_BATCH"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / batch
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


# %% exercise="bptt" wrong="AVERAGED_OVER_TIME"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / time
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


# %% exercise="bptt" wrong="SUMMED_GRADIENT_OVER_OUTPUTS"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / (batch * time)
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


# %% exercise="bptt" wrong="MEAN_OVER_TIME"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    (batch, time, _), m = x.shape, len(b_h)
    h = np.zeros((time + 1, batch, m))
    for t in range(time):
        h[t + 1] = np.tanh(x[:, t] @ w_x + h[t] @ w_h + b_h)
    error = (h[1:] @ w_y + b_y).swapaxes(0, 1) - targets
    dy = 2 * error / time
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
    return np.sum(error**2) / time, g | {"h_0": dh}


# %% exercise="bptt" wrong="CHAIN_CUT"
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


# %% exercise="bptt" wrong="NOT_TRANSPOSED_BACK"
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
        dh = da @ w_h
    return np.mean(error**2), g | {"h_0": dh}


# %% exercise="bptt" wrong="NO_DERIVATIVE"
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
        da = dy[:, t] @ w_y.T + dh
        g["w_x"] += x[:, t].T @ da
        g["w_h"] += h[t].T @ da
        g["b_h"] += da.sum(axis=0)
        dh = da @ w_h.T
    return np.mean(error**2), g | {"h_0": dh}


# %% exercise="bptt" wrong="TANH_TWICE"
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
        da = (dy[:, t] @ w_y.T + dh) * (1 - np.tanh(h[t + 1]) ** 2)
        g["w_x"] += x[:, t].T @ da
        g["w_h"] += h[t].T @ da
        g["b_h"] += da.sum(axis=0)
        dh = da @ w_h.T
    return np.mean(error**2), g | {"h_0": dh}


# %% exercise="bptt" wrong="STATE_AFTER"
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
        g["w_h"] += h[t + 1].T @ da
        g["b_h"] += da.sum(axis=0)
        dh = da @ w_h.T
    return np.mean(error**2), g | {"h_0": dh}


# %% exercise="bptt" wrong="OVERWRITTEN"
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


# %% exercise="bptt" wrong="H_0_WITHOUT_BATCH"
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
    return np.mean(error**2), g | {"h_0": dh.sum(axis=0)}


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


# %% exercise="bptt" wrong="OVERWRITTEN"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
        d_w_h = before[:, t].T @ d_a[:, t]
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = d_w_h
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="H_0_IS_ZERO"
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
    return np.mean(error**2), g | {"h_0": before[:, 0]}


# %% exercise="bptt" wrong="TRANSPOSED_GRADIENT"
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
    g["w_h"] = np.einsum("btn,btm->mn", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="SUMMED_OVER_TIME"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error[:, 0].size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.sum(np.mean(error**2, axis=(0, 2))), g | {"h_0": d_h}


# %% exercise="bptt" wrong="AVERAGED_OVER_STEP"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error[:, 0].size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


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


# %% exercise="bptt" wrong="FORWARD_IN_TIME"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in range(x.shape[1]):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="WITHOUT_W_H"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t]
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="PAST_THE_DERIVATIVE"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_h = d_h + d_y[:, t] @ w_y.T
        d_a[:, t] = d_h * (1 - hidden[:, t] ** 2)
        d_h = d_h @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="DERIVATIVE_BEFORE"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - before[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="STATE_BEFORE_OUTPUT"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", before, d_y), "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="OVERWRITTEN"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": hidden[:, 0].T @ d_y[:, 0], "b_y": d_y.sum(axis=(0, 1))}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=(0, 1))
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="NOT_SUMMED"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=1)}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=1)
    return np.mean(error**2), g | {"h_0": d_h}


# %% exercise="bptt" wrong="BIAS_AVERAGED"
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    hidden, outputs = rnn_forward(x, w_x, w_h, b_h, w_y, b_y)
    before = np.concatenate([np.zeros_like(hidden[:, :1]), hidden[:, :-1]], axis=1)
    error = outputs - targets
    d_y = 2 * error / error.size
    d_a, d_h = np.zeros_like(hidden), np.zeros_like(hidden[:, 0])
    for t in reversed(range(x.shape[1])):
        d_a[:, t] = (d_h + d_y[:, t] @ w_y.T) * (1 - hidden[:, t] ** 2)
        d_h = d_a[:, t] @ w_h.T
    g = {"w_y": np.einsum("btm,btk->mk", hidden, d_y), "b_y": d_y.sum(axis=1).mean(axis=0)}
    g["w_x"] = np.einsum("btd,btm->dm", x, d_a)
    g["w_h"] = np.einsum("btn,btm->nm", before, d_a)
    g["b_h"] = d_a.sum(axis=1).mean(axis=0)
    return np.mean(error**2), g | {"h_0": d_h}


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


# %% exercise="clip_by_global_norm" wrong="EACH_ALONE"
def clip_by_global_norm(gradients, max_norm):
    clipped = []
    for g in gradients:
        norm = np.linalg.norm(g)
        clipped.append(g * (max_norm / norm) if norm > max_norm else g)
    return clipped


# %% exercise="clip_by_global_norm" wrong="BY_VALUE"
def clip_by_global_norm(gradients, max_norm):
    return [np.clip(g, -max_norm, max_norm) for g in gradients]


# %% exercise="clip_by_global_norm" wrong="NO_ROOT"
def clip_by_global_norm(gradients, max_norm):
    norm = sum(np.sum(g**2) for g in gradients)
    return [g * max_norm / norm if norm > max_norm else g for g in gradients]


# %% exercise="clip_by_global_norm" wrong="SUM_OF_NORMS"
def clip_by_global_norm(gradients, max_norm):
    norm = sum(np.linalg.norm(g) for g in gradients)
    return [g * max_norm / norm if norm > max_norm else g for g in gradients]


# %% exercise="clip_by_global_norm" wrong="ALWAYS_SCALED"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    return [g * max_norm / norm if norm > 0 else g for g in gradients]


# %% exercise="clip_by_global_norm" wrong="ZERO_BY_ZERO"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    with np.errstate(all="ignore"):
        return [g / norm * np.minimum(norm, max_norm) for g in gradients]


# %% exercise="clip_by_global_norm" wrong="UNCHANGED"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    if norm > max_norm:
        for g in gradients:
            g = g * max_norm / norm
    return gradients


# %% exercise="clip_by_global_norm" wrong="WRONG_ONES_SCALED"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    return [g * max_norm / norm if 0 < norm < max_norm else g for g in gradients]


# %% exercise="clip_by_global_norm" wrong="TO_NORM_1"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    return [g / norm if norm > max_norm else g for g in gradients]


# %% exercise="clip_by_global_norm" wrong="FACTOR_INVERTED"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    return [g * norm / max_norm if norm > max_norm else g for g in gradients]


# %% exercise="clip_by_global_norm" wrong="NORM_RETURNED"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    return [g * max_norm / norm if norm > max_norm else g for g in gradients], norm


# %% exercise="clip_by_global_norm" right="TensorFlow's own, in float32"
def clip_by_global_norm(gradients, max_norm):
    import tensorflow as tf

    singles = [g.astype("float32") for g in gradients]
    clipped, _ = tf.clip_by_global_norm(singles, max_norm)
    return clipped


# %% exercise="clip_by_global_norm" wrong="INPUT_CHANGED"
def clip_by_global_norm(gradients, max_norm):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    if norm > max_norm:
        for g in gradients:
            g *= max_norm / norm
    return gradients


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


# %% exercise="gru_step" wrong="Z_SWAPPED"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))
    r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))
    candidate = np.tanh(x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"])
    return (1 - z) * h_prev + z * candidate


# %% exercise="gru_step" wrong="RESET_AFTER"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))
    r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))
    candidate = np.tanh(x_t @ w["h"] + r * (h_prev @ u["h"]) + b["h"])
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" wrong="NO_RESET"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))
    candidate = np.tanh(x_t @ w["h"] + h_prev @ u["h"] + b["h"])
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" wrong="GATES_SWAPPED"
def gru_step(x_t, h_prev, w, u, b):
    r = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))
    z = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))
    candidate = np.tanh(x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"])
    return z * h_prev + (1 - z) * candidate


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


# %% exercise="gru_step" wrong="RESET_KEPT"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))
    r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))
    h_prev = r * h_prev
    candidate = np.tanh(x_t @ w["h"] + h_prev @ u["h"] + b["h"])
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" wrong="TRANSPOSED_U"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"].T + b["z"])))
    r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"].T + b["r"])))
    candidate = np.tanh(x_t @ w["h"] + (r * h_prev) @ u["h"].T + b["h"])
    return z * h_prev + (1 - z) * candidate


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


# %% exercise="gru_step" wrong="RESET_AFTER"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))
    r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))
    candidate = np.tanh(x_t @ w["h"] + r * (h_prev @ u["h"] + b["h"]))
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" wrong="NO_BIAS"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"])))
    r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"])))
    candidate = np.tanh(x_t @ w["h"] + (r * h_prev) @ u["h"])
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" wrong="LINEAR_CANDIDATE"
def gru_step(x_t, h_prev, w, u, b):
    z = 1 / (1 + np.exp(-(x_t @ w["z"] + h_prev @ u["z"] + b["z"])))
    r = 1 / (1 + np.exp(-(x_t @ w["r"] + h_prev @ u["r"] + b["r"])))
    candidate = x_t @ w["h"] + (r * h_prev) @ u["h"] + b["h"]
    return z * h_prev + (1 - z) * candidate


# %% exercise="gru_step" wrong="LINEAR_GATES"
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


# %% exercise="lstm_step" wrong="FORGET_IS_INPUT"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "fio")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="NO_TANH_OF_CELL"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * c, c


# %% exercise="lstm_step" wrong="CELL_FIRST"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return c, o * np.tanh(c)


# %% exercise="lstm_step" wrong="SIGMOID_CANDIDATE"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    i, f, g, o = (1 / (1 + np.exp(-(x_t @ w[k] + h_prev @ u[k] + b[k]))) for k in "ifgo")
    c = f * c_prev + i * g
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="NOTHING_FORGOTTEN"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, o = (1 / (1 + np.exp(-total(key))) for key in "io")
    c = c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="OLD_CELL"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    return o * np.tanh(c_prev), f * c_prev + i * np.tanh(total("g"))


# %% exercise="lstm_step" wrong="FORGET_BIAS_ADDED"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key] + (key == "f")

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="COUPLED"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    f, o = (1 / (1 + np.exp(-total(key))) for key in "fo")
    c = f * c_prev + (1 - f) * np.tanh(total("g"))
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="TRANSPOSED_U"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key].T + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c


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


# %% exercise="lstm_step" wrong="TANH_GATES"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (np.tanh(total(key)) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="LINEAR_CANDIDATE"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * total("g")
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="NO_BIAS"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="NOTHING_GATED"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    f, o = (1 / (1 + np.exp(-total(key))) for key in "fo")
    c = f * c_prev + np.tanh(total("g"))
    return o * np.tanh(c), c


# %% exercise="lstm_step" wrong="ALL_SHOWN"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f = (1 / (1 + np.exp(-total(key))) for key in "if")
    c = f * c_prev + i * np.tanh(total("g"))
    return np.tanh(c), c


# %% exercise="lstm_step" wrong="TANH_RETURNED"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), np.tanh(c)


# %% exercise="lstm_step" wrong="C_PREV_RETURNED"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + h_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c_prev


# %% exercise="lstm_step" wrong="STATES_SWAPPED"
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    def total(key):
        return x_t @ w[key] + c_prev @ u[key] + b[key]

    i, f, o = (1 / (1 + np.exp(-total(key))) for key in "ifo")
    c = f * h_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c


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


# %% exercise="count_recurrent_parameters" wrong="GRU_ONE_BIAS"
def count_recurrent_parameters(kind, input_dim, units):
    sets = {"simple_rnn": 1, "gru": 3, "lstm": 4}[kind]
    return sets * (input_dim * units + units * units + units)


# %% exercise="count_recurrent_parameters" wrong="TWO_BIASES"
def count_recurrent_parameters(kind, input_dim, units):
    sets = {"simple_rnn": 1, "gru": 3, "lstm": 4}[kind]
    return sets * (input_dim * units + units * units + 2 * units)


# %% exercise="count_recurrent_parameters" wrong="NO_BIAS"
def count_recurrent_parameters(kind, input_dim, units):
    sets = {"simple_rnn": 1, "gru": 3, "lstm": 4}[kind]
    return sets * (input_dim * units + units * units)


# %% exercise="count_recurrent_parameters" wrong="LSTM_THREE_SETS"
def count_recurrent_parameters(kind, input_dim, units):
    if kind == "gru":
        return 3 * units * (input_dim + units + 2)
    return (3 if kind == "lstm" else 1) * units * (input_dim + units + 1)


# %% exercise="count_recurrent_parameters" wrong="GRU_TWO_SETS"
def count_recurrent_parameters(kind, input_dim, units):
    if kind == "gru":
        return 2 * units * (input_dim + units + 2)
    return (4 if kind == "lstm" else 1) * units * (input_dim + units + 1)


# %% exercise="count_recurrent_parameters" wrong="NO_RECURRENT_ARRAY"
def count_recurrent_parameters(kind, input_dim, units):
    if kind == "gru":
        return 3 * units * (input_dim + 2)
    return (4 if kind == "lstm" else 1) * units * (input_dim + 1)


# %% exercise="count_recurrent_parameters" wrong="TWO_BIASES"
def count_recurrent_parameters(kind, input_dim, units):
    sets = {"simple_rnn": 1, "gru": 3, "lstm": 4}[kind]
    return sets * units * (input_dim + units + (1 if kind == "simple_rnn" else 2))


# %% exercise="count_recurrent_parameters" wrong="SETS_SWAPPED"
def count_recurrent_parameters(kind, input_dim, units):
    sets = {"simple_rnn": 1, "gru": 4, "lstm": 3}[kind]
    return sets * units * (input_dim + units + (2 if kind == "gru" else 1))


# %% exercise="count_recurrent_parameters" wrong="ONE_SET"
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
    "change at once, along the gradient at the same parameters.",
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
