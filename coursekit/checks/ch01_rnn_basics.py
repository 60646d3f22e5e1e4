"""Visible checks of chapter 1, on the examples that the exercises print, and its known mistakes."""

import numpy as np

from coursekit.checks import CheckFailure, Made, attempt, check

OVERFLOW = "an exponential overflows, exponentiate only numbers that are not positive"
SIGN_OF_X = "the exponent's sign is wrong, sigmoid rises from 0 to 1: exp(-x) stands below"
TANH = "this is tanh, which lies between -1 and 1, sigmoid lies between 0 and 1"
HALF_ARGUMENT = "tanh is taken of x, sigmoid(x) is (1 + tanh(x / 2)) / 2"
SOFTMAX = "this is softmax, whose entries share a sum of 1, sigmoid treats every entry by itself"
NO_AXES = "an array of any shape may come in, also a single number, of shape ()"
TRANSPOSED = "w_h is used transposed, with row vectors the state stands on the left: h @ w_h"
NO_BIAS = "the bias is left out"
NO_RECURRENCE = "the previous state is not fed back, h_t must depend on h_{t-1}"
NO_ACTIVATION = "the activation is left out"
TANH_ONLY = "tanh is built in, the activation is an argument"
ACTIVATED_EARLY = "the activation is applied to a part of the sum, it takes the whole sum"
SQUEEZED = "an axis of length 1 is lost, every array keeps all its axes"
TIME_FIRST = "time and batch are swapped, the batch comes first"
STATE_BEFORE = "hidden holds the states before their step, hidden[:, 0] has read the first input"
H_0_KEPT = "hidden starts with h_0, it holds one state for every step and h_0 is not one of them"
H_0_IGNORED = "h_0 is ignored, zeros are only its default"
ACTIVATED_OUTPUT = "the activation is applied to the output, which is linear"
NO_OUTPUT_BIAS = "b_y is left out"
LAST_OUTPUT = "only the last output is there, every step has one"
SUMMED = "the squared errors are summed, the loss is their mean over all entries"
MEAN_OVER_BATCH = (
    "the mean is taken over the batch alone, it runs over batch, time and outputs together"
)
MEAN_OVER_TIME = "the mean is taken over time alone, it runs over batch, time and outputs together"
SUMMED_OVER_OUTPUTS = "the squares of one step's outputs are summed, the mean runs over them too"
NOT_AVERAGED = "the loss is a mean but its gradient that of the sum, divide it by the entries too"
AVERAGED_OVER_BATCH = "the gradient is averaged over the batch alone, the loss over all entries"
AVERAGED_OVER_TIME = "the gradient is averaged over time alone, the loss over all entries"
SUMMED_GRADIENT_OVER_OUTPUTS = (
    "the gradient is averaged over batch and time alone, the loss over the outputs too"
)
BATCH_TWICE = "the gradient is divided by the batch twice, the mean over all entries has it already"
TIME_TWICE = (
    "the gradient is divided by the steps twice, the mean over all entries has them already"
)
OUTPUTS_TWICE = (
    "the gradient is divided by the outputs twice, the mean over all entries has them already"
)
NO_FACTOR_2 = "a factor 2 is missing in the gradient, the derivative of a square has it"
HALF_LOSS = "the loss is halved, it is the mean of the squared errors and nothing less"
DESCENT_DIRECTION = (
    "the gradient has the wrong sign, a gradient points uphill: the error is output minus target"
)
CHAIN_CUT = (
    "the way back ends after one step, every state also answers for the errors of all later steps"
)
LAST_OUTPUT_ONLY = (
    "only the last step's error travels back, every step's output adds its own on the way"
)
NOT_TRANSPOSED_BACK = "w_h is not transposed on the way back: h @ w_h forward, d @ w_h.T back"
NO_DERIVATIVE = "the derivative of tanh is left out, multiply by 1 - h**2 at every step"
TANH_TWICE = "tanh is taken of h, which is a tanh already, its derivative is 1 - h**2"
STATE_AFTER = "w_h is paired with the state after the step, it multiplied the one before: h_{t-1}"
OVERWRITTEN = "a step overwrites the gradient of another, the shares of all steps add up"
H_0_TOO_LATE = "h_0 gets what arrives inside the first tanh, w_h lies between the two"
H_0_SUMMED = "the gradient of h_0 is summed over the batch, every example has a state of its own"
EACH_ALONE = "every array is clipped by its own norm, all of them together have one norm"
BY_VALUE = "the entries are clipped one by one, which turns the gradient, scale it as a whole"
NO_ROOT = "the norm lacks its root"
SUM_OF_NORMS = "the norms of the arrays are added, add their squares and take the root"
ALWAYS_SCALED = "short gradients are stretched to max_norm, they are to stay as they are"
ZERO_BY_ZERO = "the norm of all-zero gradients is 0, and 0 / 0 is not a number"
Z_SWAPPED = "z and 1 - z are swapped, here z says how much of h_prev is kept"
RESET_AFTER = "the reset gate is applied after the product with u_h, it multiplies h_prev before it"
NO_RESET = "the reset gate is left out of the candidate"
RESET_KEPT = "h_prev is still reset in the last line, r is for the candidate alone"
INF_BY_INF = (
    "numerator and denominator overflow, and inf / inf is not a number, "
    "use np.tanh and a sigmoid like that of exercise 1"
)
GATES_SWAPPED = "the gates z and r are swapped"
SIGMOID_CANDIDATE = "the candidate goes through a sigmoid, it takes tanh"
TANH_GATES = "the gates go through tanh, a gate is a sigmoid: 0 is shut and 1 is open"
TRANSPOSED_U = "u is used transposed, with row vectors the state stands on the left: h_prev @ u"
FORGET_IS_INPUT = "input and forget gate are swapped, f multiplies c_prev and i the candidate"
NO_TANH_OF_CELL = "tanh of the cell is left out, h = o * tanh(c)"
CELL_FIRST = "h and c come back in the wrong order, h is the first"
NOTHING_FORGOTTEN = "the forget gate is left out, it multiplies c_prev"
OLD_CELL = "h is read from c_prev, it shows the new cell"
FORGET_BIAS_ADDED = "something is added to the forget gate, its bias is in b already"
COUPLED = "1 - f is written where the input gate stands, an LSTM has both gates"
GRU_ONE_BIAS = "the GRU's biases are counted once, Keras's default has two in every set"
TWO_BIASES_EACH = "two biases are counted in every layer, only Keras's GRU has two"
LSTM_THREE_SETS = "the LSTM's candidate is not counted, it has weights like its three gates"
GRU_TWO_SETS = "the GRU's candidate is not counted, it has weights like its two gates"
NO_RECURRENT_ARRAY = "the array from state to state is left out, it has units * units entries"

X = np.array([[[1.0], [0.0], [-1.0]]])
TARGETS = np.array([[[0.5], [0.5], [-0.5]]])
W_X = np.array([[0.5, -0.3]])
W_H = np.array([[0.8, 0.2], [-0.4, 0.6]])
B_H = np.array([0.1, 0.0])
W_Y = np.array([[1.0], [-1.0]])
B_Y = np.array([0.0])
H_0 = np.array([[0.5, -0.5]])
LARGE = np.array([[5000.0], [-5000.0]])
LINEAR = Made("numpy:positive")


@check
def sigmoid(sigmoid):
    attempt(sigmoid, np.array([-2.0, 0.0, 3.0])).gives(
        [0.11920292, 0.5, 0.95257413],
        {
            SIGN_OF_X: [0.88079708, 0.5, 0.04742587],
            TANH: [-0.96402758, 0.0, 0.99505475],
            HALF_ARGUMENT: [0.01798621, 0.5, 0.99752738],
            SOFTMAX: [0.00637746, 0.04712342, 0.94649912],
        },
    )
    does_not_overflow(sigmoid, np.array([-1000.0, 1000.0]), [0.0, 1.0])


def does_not_overflow(sigmoid, x, expected):
    """Require ``expected`` for x, and no warning of an overflow on the way."""
    trial = attempt(sigmoid, x)
    if any("overflow" in warning for warning in trial.warnings):
        trial.fail("NumPy warns of an overflow", mistake=OVERFLOW)
    trial.gives(expected)


def takes_a_number(sigmoid, x, expected):
    """Require ``expected`` for x in an array of shape ()."""
    try:
        attempt(sigmoid, np.array(x)).gives(expected)
    except CheckFailure as failure:
        raise CheckFailure(failure.headline, failure.detail, NO_AXES, failure.raised) from None


@check
def rnn_step(rnn_step):
    x_t = np.array([[1.0]])
    attempt(rnn_step, x_t, H_0, W_X, W_H, B_H, activation=LINEAR).gives(
        [[1.2, -0.5]],
        {
            TRANSPOSED: [[0.9, -0.8]],
            NO_BIAS: [[1.1, -0.5]],
            NO_RECURRENCE: [[0.6, -0.3]],
            TANH_ONLY: [[0.83365461, -0.46211716]],
            SQUEEZED: [1.2, -0.5],
        },
    )
    attempt(rnn_step, x_t, H_0, W_X, W_H, B_H).gives(
        [[0.83365461, -0.46211716]],
        {NO_ACTIVATION: [[1.2, -0.5]], ACTIVATED_EARLY: [[1.13704957, -0.49131261]]},
    )


@check
def rnn_forward(rnn_forward):
    network = [W_X, W_H, B_H, W_Y, B_Y]
    hidden = np.array(
        [[[0.53704957, -0.29131261], [0.56908241, -0.06727588], [0.0819918, 0.35700653]]]
    )
    outputs = np.array([[[0.82836218], [0.63635829], [-0.27501473]]])
    before = np.array([[[0.0, 0.0], [0.53704957, -0.29131261], [0.56908241, -0.06727588]]])
    transposed = np.array(
        [[[0.53704957, -0.29131261], [0.43931134, -0.37102172], [-0.12214237, -0.0980218]]]
    )
    constant = np.array([[[0.53704957, -0.29131261], [0.09966799, 0.0], [-0.37994896, 0.29131261]]])

    def with_outputs(hidden):
        return hidden, hidden @ W_Y

    attempt(rnn_forward, X, *network).gives(
        (hidden, outputs),
        {
            TIME_FIRST: (hidden.reshape(3, 1, 2), outputs.reshape(3, 1, 1)),
            STATE_BEFORE: with_outputs(before),
            H_0_KEPT: with_outputs(np.concatenate([before[:, :1], hidden], axis=1)),
            ACTIVATED_OUTPUT: (hidden, np.array([[[0.67959559], [0.56241485], [-0.26828486]]])),
            LAST_OUTPUT: (hidden, outputs[:, -1]),
            SQUEEZED: (hidden[0], outputs[0, :, 0]),
            NO_RECURRENCE: with_outputs(constant),
            TRANSPOSED: with_outputs(transposed),
        },
    )
    attempt(rnn_forward, X, *network, h_0=H_0).gives(
        (
            np.array(
                [[[0.83365461, -0.46211716], [0.74058357, -0.11009134], [0.23219035, 0.36449678]]]
            ),
            np.array([[[1.29577176], [0.8506749], [-0.13230643]]]),
        ),
        {H_0_IGNORED: (hidden, outputs)},
    )
    linear = np.array([[[0.6, -0.3], [0.7, -0.06], [0.184, 0.404]]])
    attempt(rnn_forward, X, W_X, W_H, B_H, W_Y, np.array([2.0]), activation=LINEAR).gives(
        (linear, linear @ W_Y + 2.0),
        {TANH_ONLY: (hidden, outputs + 2.0), NO_OUTPUT_BIAS: (linear, linear @ W_Y)},
    )


@check
def bptt(bptt):
    # Without weights the outputs are b_y, whatever comes in, and the errors are 1 to 5. No two
    # sizes are equal and none is 2, so that every wrong factor has one reason.
    batch, time, features, m, k = 3, 7, 6, 4, 5
    zeros = [np.zeros(shape) for shape in [(features, m), (m, m), (m,), (m, k)]]

    def scaled(loss, gradient, h_0=(batch, m)):
        """Return a result whose loss and gradient are right but for these two factors."""
        gradients = dict(zip(["w_x", "w_h", "b_h", "w_y"], zeros, strict=True))
        b_y = gradient * np.array([0.4, 0.8, 1.2, 1.6, 2.0])
        return 11.0 * loss, gradients | {"b_y": b_y, "h_0": np.zeros(h_0)}

    x, targets = np.ones((batch, time, features)), np.zeros((batch, time, k))
    attempt(bptt, x, targets, *zeros, np.array([1.0, 2.0, 3.0, 4.0, 5.0])).gives(
        scaled(1, 1),
        {
            SUMMED: scaled(batch * time * k, batch * time * k),
            MEAN_OVER_BATCH: scaled(time * k, time * k),
            MEAN_OVER_TIME: scaled(batch * k, batch * k),
            SUMMED_OVER_OUTPUTS: scaled(k, k),
            NOT_AVERAGED: scaled(1, batch * time * k),
            AVERAGED_OVER_BATCH: scaled(1, time * k),
            AVERAGED_OVER_TIME: scaled(1, batch * k),
            SUMMED_GRADIENT_OVER_OUTPUTS: scaled(1, k),
            BATCH_TWICE: scaled(1, 1 / batch),
            TIME_TWICE: scaled(1, 1 / time),
            OUTPUTS_TWICE: scaled(1, 1 / k),
            NO_FACTOR_2: scaled(1, 1 / 2),
            HALF_LOSS: scaled(1 / 2, 1 / 2),
            DESCENT_DIRECTION: scaled(1, -1),
            H_0_SUMMED: scaled(1, 1, h_0=m),
        },
    )
    result = _bptt_result(
        w_x=[[0.0451325, -0.24016086]],
        w_h=[[0.15156729, -0.19691737], [-0.04624881, 0.07521974]],
        b_h=[0.46745034, -0.72989334],
        h_0=[[0.08108463, -0.30026628]],
    )
    attempt(bptt, X, TARGETS, W_X, W_H, B_H, W_Y, B_Y).gives(
        result,
        {
            CHAIN_CUT: _bptt_result(
                w_x=[[0.0067883, -0.06945753]],
                w_h=[[0.11779288, -0.12307754], [-0.02792851, 0.03516669]],
                b_h=[0.36621733, -0.42169837],
                h_0=[[0.08454994, -0.18250661]],
            ),
            LAST_OUTPUT_ONLY: _bptt_result(
                w_x=[[-0.13274882, 0.03235842]],
                w_h=[[0.11855735, -0.14831757], [-0.02834319, 0.04885767]],
                b_h=[0.22810368, -0.36687998],
                h_0=[[-0.00671657, -0.06560218]],
            ),
            NOT_TRANSPOSED_BACK: _bptt_result(
                w_x=[[0.14736669, -0.11330281]],
                w_h=[[0.1800812, -0.14912827], [-0.06171566, 0.04929742]],
                b_h=[0.62277817, -0.51405076],
                h_0=[[0.3347493, -0.087236]],
            ),
            NO_DERIVATIVE: _bptt_result(
                w_x=[[0.16545851, -0.28581521]],
                w_h=[[0.18250884, -0.2147297], [-0.06278906, 0.08026668]],
                b_h=[0.64633849, -0.82669127],
                h_0=[[0.16519787, -0.38766271]],
            ),
            TANH_TWICE: _bptt_result(
                w_x=[[0.06442238, -0.24491323]],
                w_h=[[0.15727472, -0.19826757], [-0.04934362, 0.07558654]],
                b_h=[0.49737183, -0.73858383],
                h_0=[[0.09526679, -0.31174406]],
            ),
            STATE_AFTER: _with_gradients(
                result, w_h=[[0.18723207, -0.33973699], [-0.0117265, 0.07670224]]
            ),
            OVERWRITTEN: _with_gradients(
                result,
                w_x=[[0.19411435, -0.37103424]],
                w_h=[[0.0, 0.0], [0.0, 0.0]],
                b_h=[0.19411435, -0.37103424],
            ),
            H_0_TOO_LATE: _with_gradients(result, h_0=[[0.19411435, -0.37103424]]),
        },
    )


def _bptt_result(**gradients):
    """Return the result of bptt for the chapter's example, whose output layer is not in doubt."""
    output_layer = {"w_y": np.array([[0.18159521], [-0.01633897]]), "b_y": np.array([0.45980382])}
    return _with_gradients((0.05901122, output_layer), **gradients)


def _with_gradients(result, **gradients):
    loss, others = result
    return loss, others | {name: np.array(array) for name, array in gradients.items()}


@check
def clip_by_global_norm(clip_by_global_norm):
    gradients = [np.array([1.0, 2.0]), np.array([[2.0, 4.0]])]

    def times(factor):
        return [factor * array for array in gradients]

    attempt(clip_by_global_norm, gradients, 1.0).gives(
        times(0.2),
        {
            EACH_ALONE: [[0.4472136, 0.89442719], [[0.4472136, 0.89442719]]],
            BY_VALUE: [[1.0, 1.0], [[1.0, 1.0]]],
            NO_ROOT: times(0.04),
            SUM_OF_NORMS: times(0.1490712),
        },
    )
    attempt(clip_by_global_norm, gradients, 10.0).gives(gradients, {ALWAYS_SCALED: times(2)})
    leaves_zeros(clip_by_global_norm, [np.zeros(2), np.zeros((1, 3))])


def leaves_zeros(clip_by_global_norm, zeros):
    """Require that gradients which are all zero come back as they are."""
    trial = attempt(clip_by_global_norm, zeros, 1.0)
    holds_no_nan(trial, ZERO_BY_ZERO)
    trial.gives(zeros)


def holds_no_nan(trial, mistake):
    """Require that nothing which came back is NaN, or name the mistake that makes it so."""
    if _holds_nan(trial.value):
        trial.fail("a value is not finite (nan)", mistake=mistake)


def _holds_nan(value):
    if isinstance(value, (list, tuple)):
        return any(_holds_nan(item) for item in value)
    if isinstance(value, np.ndarray) and value.dtype.kind != "f":
        return False
    return isinstance(value, (float, np.ndarray)) and bool(np.isnan(value).any())


@check
def gru_step(gru_step):
    w, u, b = _arrays_of({"z": 0, "r": 1, "h": 2})
    attempt(gru_step, np.array([[1.0]]), H_0, w, u, b).gives(
        [[0.24448762, 0.30144036]],
        {
            Z_SWAPPED: [[-0.34833098, -0.01390185]],
            RESET_AFTER: [[0.23322929, 0.31760339]],
            NO_RESET: [[0.21845719, 0.22456555]],
            RESET_KEPT: [[0.09027838, 0.4075626]],
            GATES_SWAPPED: [[0.07399481, 0.20865497]],
            SIGMOID_CANDIDATE: [[0.46111108, 0.27410852]],
            TANH_GATES: [[0.35340394, 1.47772477]],
            TRANSPOSED_U: [[0.26736741, 0.48260419]],
        },
    )
    stands_large_sums(gru_step, [LARGE, np.tile(H_0, (2, 1)), w, u, b], [[0.5, 1.0], [1.0, -0.5]])


def stands_large_sums(step, args, expected):
    """Require ``expected`` of a cell's step whose sums overflow an exponential."""
    trial = attempt(step, *args)
    holds_no_nan(trial, INF_BY_INF)
    trial.gives(expected)


@check
def lstm_step(lstm_step):
    w, u, b = _arrays_of({"i": 0, "f": 1, "g": 2, "o": 3})
    h, c = [[-0.30863284, 0.33652646]], [[-1.14918033, 0.46961264]]
    attempt(lstm_step, np.array([[1.0]]), H_0, np.array([[-1.0, 0.5]]), w, u, b).gives(
        (h, c),
        {
            FORGET_IS_INPUT: ([[-0.31443423, 0.34264222]], [[-1.19736348, 0.47950124]]),
            NO_TANH_OF_CELL: ([[-0.43386231, 0.36090895]], c),
            CELL_FIRST: (c, h),
            SIGMOID_CANDIDATE: ([[-0.13580267, 0.34258307]], [[-0.37654519, 0.47940518]]),
            NOTHING_FORGOTTEN: ([[-0.34502186, 0.48844892]], [[-1.55049267, 0.75070089]]),
            OLD_CELL: ([[-0.28753277, 0.35514849]], c),
            FORGET_BIAS_ADDED: ([[-0.33022862, 0.4073983]], [[-1.35267655, 0.59029024]]),
            COUPLED: ([[-0.26785958, 0.40846221]], [[-0.88614683, 0.59221762]]),
            TRANSPOSED_U: ([[-0.16771132, 0.33871142]], [[-0.51431612, 0.48653082]]),
        },
    )
    h_prev, c_prev = np.tile(H_0, (2, 1)), np.array([[-1.0, 0.5], [-1.0, 0.5]])
    stands_large_sums(
        lstm_step,
        [LARGE, h_prev, c_prev, w, u, b],
        ([[0.0, 0.0], [0.0, 0.0]], [[-2.0, 0.0], [0.0, -0.5]]),
    )


def _arrays_of(sets):
    """Return w, u and b of a cell with one input and two units, by the number of each set."""
    w = np.array([[[0.5, -0.3]], [[1.0, -1.0]], [[-0.6, 0.9]], [[-0.3, 0.5]]])
    u = np.array(
        [
            [[0.8, 0.2], [-0.4, 0.6]],
            [[-0.5, 0.7], [0.3, -0.2]],
            [[0.4, -0.9], [1.0, 0.3]],
            [[0.2, 0.8], [0.6, -0.4]],
        ]
    )
    b = np.array([[0.1, 0.0], [-0.2, 0.3], [0.0, 0.5], [0.0, 0.1]])
    return [{key: arrays[number] for key, number in sets.items()} for arrays in (w, u, b)]


@check
def count_recurrent_parameters(count_recurrent_parameters):
    for kind, expected, mistakes in [
        ("simple_rnn", 45, {NO_BIAS: 40, TWO_BIASES_EACH: 50, NO_RECURRENT_ARRAY: 20}),
        (
            "lstm",
            180,
            {NO_BIAS: 160, TWO_BIASES_EACH: 200, NO_RECURRENT_ARRAY: 80, LSTM_THREE_SETS: 135},
        ),
        (
            "gru",
            150,
            {GRU_ONE_BIAS: 135, NO_BIAS: 120, NO_RECURRENT_ARRAY: 75, GRU_TWO_SETS: 100},
        ),
    ]:
        attempt(count_recurrent_parameters, kind, 3, 5).gives(expected, mistakes)
