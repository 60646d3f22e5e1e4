"""Visible checks of chapter 5, on the examples that the exercises print."""

import re

import numpy as np

from coursekit.checks import ByImportPath, attempt, check, differs, example, remote_helper
from coursekit.checks.attention_layers import attention_layer_examples
from coursekit.checks.comparison import SomeObject, as_numbers
from coursekit.checks.layers import TOLERANCE, copy_by_config, set_weights
from coursekit.checks.trial import Deadline
from coursekit.checks.wording import POSSIBLY

# What a call that trains may take; see `Deadline` for several together.
SECONDS = 60
ONE_LENGTH = (
    "The network accepts sources of one length only. The test part has longer ones, so leave the "
    "length open: keras.Input((None, n))."
)
NOT_A_FUNCTION = (
    "A model with two inputs is called as model(s, h), but it takes them as one list, [s, h]. "
    "Return a function predict(s, h) that gives it this list."
)
ALWAYS_THE_SAME = "The answers are all the same. Each must depend on its own question."
FROM_THE_MEAN = (
    "The attention weights hardly differ from each other, so the answers come from the mean of the "
    "source states. The score must compare them with s."
)
WITHOUT_STATE = (
    "The attention weights do not change when s does. The score must compare the source states "
    "with s, which says what is asked for."
)
PLACE_ANSWERED = (
    "predict answers with the place of the largest weight. Return the answer that the network "
    "gives, by argmax over its outputs."
)
TRAINED_ON_TEST = (
    "The network has learned the answers of the test part. It must learn from the training part "
    "alone."
)
NOT_ALONE = (
    "The answer to a question depends on the other questions in the same call. Do not take a mean "
    "or a maximum over the examples that predict is given."
)
PROBABILITIES = (
    "predict returns a number for every possible answer. Return the answer with the largest one, "
    "by argmax over the last axis."
)
QUERY_AXIS = (
    "The weights still have an axis of length 1, that of the single query. Drop it: their shape "
    "must be (examples, time)."
)
RESULTS_SWAPPED = "predict returns the weights before the answers. It must return (ids, weights)."
NOT_WEIGHTS = (
    "The attention weights are negative or sum to more than 1. Return what comes after the softmax."
)
UNTRAINED = (
    "The network has not learned the task. Check that it trains long enough, that its loss fits "
    "its output layer (a softmax, or from_logits=True), and that its answers come from the "
    "attention."
)
RESULTS_ORDER = (
    "The three results come back in the wrong order. The right order is predict, accuracy, "
    "baseline."
)
OWN_QUESTIONS = (
    "predict does not answer the questions that it was given. It must use its arguments."
)
LARGEST_PLACES = (
    "predict returns the positions of the largest weights. Return all weights, (examples, time)."
)
ANSWERS_SHAPE = (
    "The answers of predict do not have the shape of y, so the two cannot be compared. predict "
    "returns (ids, weights), with one id for each question."
)
ELSEWHERE = (
    "The answers are right, but the largest weights are not on the states that have the key. "
    "Return the weights of the attention that the answers come from."
)
NOT_OF_PREDICT = (
    "The accuracy is not the share of the test answers that predict gives. Compare its answers to "
    "the test part with y of the test part."
)
PERCENTAGES = "The accuracy is a percentage. Return a share, a number between 0 and 1."
OF_TRAIN = (
    "The accuracy is that of the training part. It must be measured on the test part, which the "
    "network has not seen."
)
FREQUENT_IN_TEST = (
    "The constant answer was chosen on the test part. It must be the one that is most frequent in "
    "the training part."
)
TRAIN_SHARE = (
    "The baseline is measured on the training part. Its constant answer must be compared with y of "
    "the test part."
)
OTHER_BASELINE = (
    "The baseline is the share of the test answers that equal the most frequent training answer."
)

H = np.array([[[0.9, 0.2, -0.5], [-0.4, 1.1, 0.3], [1.3, -0.6, 0.8], [0.1, 0.7, -1.2]]])
S = np.array([[1.0, -0.5, 0.8]])
W_GENERAL = np.array([[0.5, -0.2, 0.1], [0.3, 0.8, -0.4], [-0.6, 0.2, 0.7]])
W_CONCAT = np.array([[0.4, -0.7], [0.2, 0.5], [-0.3, 0.6], [0.8, 0.1], [-0.5, 0.9], [0.3, -0.2]])
V_CONCAT = np.array([1.5, -1.0])
W_C = np.array([[0.6, -0.4], [0.1, 0.9], [-0.7, 0.2], [0.3, 0.5], [-0.2, -0.8], [0.5, 0.1]])
W_Y = np.array([[1.2, -0.6, 0.3, 0.9, -1.1], [-0.4, 0.8, 1.1, -0.2, 0.5]])
W_P = np.array([[0.5, -0.4], [-0.3, 0.6], [0.2, 0.7]])
V_P = np.array([1.4, -0.9])
DOT_SCORES = np.array([[0.4, -0.71, 2.24, -1.21]])
# The second example of a batch: another decoder state, and the source states in another order.
BATCH_S = np.concatenate([S, [[-0.6, 1.2, 0.4]]])
BATCH_H = np.concatenate([H, H[:, [2, 0, 3, 1]] + 0.1])
# What two of the 600 answers to the test part make.
CLOSE = 2.5 / 600
# Of numbers in the thousands, float32 knows three digits after the point.
LARGE_IN_FLOAT32 = 1e-3
# How many answers the task of the last exercise has.
VALUES = 5
MASK = np.array([[True, True, False, True], [True, False, True, False]])


@check
def score_dot(score_dot, score_general, score_concat):
    example(score_dot, S, H)
    example(score_dot, BATCH_S, BATCH_H)
    example(score_general, S, H, W_GENERAL)
    example(score_general, BATCH_S[:, :2], BATCH_H, W_GENERAL[1:])
    example(score_concat, S, H, W_CONCAT, V_CONCAT)
    example(score_concat, BATCH_S, BATCH_H[:, :3, :2], W_CONCAT[:5], V_CONCAT)
    s, h = whole_numbers(BATCH_S), whole_numbers(BATCH_H)
    example(score_dot, s, BATCH_H)
    example(score_general, s, h, W_GENERAL)
    example(score_concat, s, h, W_CONCAT, V_CONCAT)
    # Where exp(x) alone would overflow.
    example(score_concat, 3000 * S, H, W_CONCAT, V_CONCAT)


def whole_numbers(array):
    """Return ten times an array as whole numbers: results must not take over their type."""
    return np.rint(10 * array).astype(int)


@check
def attentional_state(attentional_state):
    context = np.array([[1.1466, -0.393, 0.5617]])
    example(attentional_state, context, S, W_C)
    example(attentional_state, BATCH_H[:, 1], BATCH_S[:, :2], W_C[1:])
    whole = np.array([[1, 0, -2]])
    example(attentional_state, whole, np.array([[-1, 1, 0]]), W_C)
    example(attentional_state, whole, S, W_C)
    example(attentional_state, 3000 * context, S, W_C)


@check
def luong_step(luong_step):
    step_examples(luong_step, S, H, np.eye(3), W_C, W_Y)
    step_examples(luong_step, BATCH_S[:, :2], BATCH_H, W_GENERAL[1:], W_C[1:], W_Y)
    s, h = np.array([[1, 0, -2]]), np.array([[[-1, 1, 0], [2, 0, -1]]])
    score = ByImportPath("coursekit.checks.ch05_luong_attention:distance_score", np.eye(3), 0.3)
    example(luong_step, s, h, W_C, W_Y, score)


def step_examples(luong_step, s, h, w, w_c, w_y):
    """Compare a step with small scores, then one with scores in the thousands."""
    small, large = (
        ByImportPath("coursekit.checks.ch05_luong_attention:distance_score", w, scale)
        for scale in (0.3, 1000.0)
    )
    example(luong_step, s, h, w_c, w_y, small)
    example(luong_step, s, h, w_c, w_y, large, tolerance=LARGE_IN_FLOAT32)
    example(luong_step, s, h, w_c, 1000 * w_y, small, tolerance=LARGE_IN_FLOAT32)


@check
def predicted_position(predicted_position):
    example(predicted_position, S, W_P, V_P, 4)
    example(predicted_position, BATCH_S, W_P, V_P, 7)
    example(predicted_position, BATCH_S, W_P, V_P, np.array([4, 6]))
    example(predicted_position, np.array([[1, 0, -2]]), W_P, V_P, 4)
    example(predicted_position, BATCH_S, W_P, V_P, np.array([4.0, 6.0]))
    for scale in (1000, -1000):
        example(predicted_position, S, W_P, scale * V_P, 4)


@check
def local_window(local_window):
    example(local_window, np.array([2.9728, 0.7341]), 1, 4)
    # Distances between 2 and 2.5, of 2.5 itself, and below it whose squares are above it.
    example(local_window, np.array([1.5, 0.0, 4.6, 3.3]), 2.5, 5)
    # Between two positions.
    example(local_window, np.array([1.5, 0.4]), 0.3, 4)


@check
def local_attention_weights(local_attention_weights):
    example(local_attention_weights, DOT_SCORES, np.array([2.9728]), 1.5)
    scores = np.concatenate([DOT_SCORES, [[-0.5, 1.68, -1.18, 0.3]]])
    example(local_attention_weights, scores, np.array([2.9728, 0.7341]), 1)
    example(local_attention_weights, scores, np.array([1, 2]), 2)
    example(local_attention_weights, np.array([[2, 0, -1, 1]]), np.array([1.4]), 1.5)
    scores = np.array([[1000.0, 2.0, 3.0], [-20000.0, -20001.0, 5.0]])
    example(local_attention_weights, scores, np.array([1.6, 0.4]), 0.75)
    # The second row has no position in its window.
    scores = np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    example(local_attention_weights, scores, np.array([0.4, -3.0]), 0.75)
    # Between two positions, where the Gaussian is not small.
    example(local_attention_weights, DOT_SCORES, np.array([1.5]), 0.4)


@check
def LuongAttention(LuongAttention):
    layer = attention_layer_examples(LuongAttention, (), BATCH_S, BATCH_H, MASK, [])
    finite_for_large_scores(layer, BATCH_S, BATCH_H, MASK)
    # A square w_a, which can be transposed without an error.
    layer_with_weights(LuongAttention, ("general", 7), BATCH_S, BATCH_H, [W_GENERAL])
    states = BATCH_S, BATCH_H[:, :, :2]
    # As many units as neither s nor h has features.
    w_concat, v_concat = np.column_stack([W_CONCAT[:5], W_CONCAT[1:]]), np.tile(V_CONCAT, 2)
    luong_examples(LuongAttention, *states, MASK, W_GENERAL[:, :2], w_concat, v_concat)


def luong_examples(layer_class, s, h, mask, w_general, w_concat, v_concat):
    """Compare the layers with the general and the concat score, and one without its units."""
    named = remote_helper(layer_class, name_of_copy, "the name of the layer made from get_config()")
    example(named, layer_class, "align")
    args, weights = ("concat", len(v_concat)), [w_concat, v_concat]
    copied = remote_helper(layer_class, copy_by_config, "the layer made from get_config()")
    for given, arrays in ((("general",), [w_general]), (args, weights)):
        layer_with_weights(copied, (layer_class, *given), s, h, arrays)
    attention_layer_examples(layer_class, ("general",), s, h, mask, [w_general])
    layer = attention_layer_examples(layer_class, args, s, h, mask, weights)
    attempt(layer.set_weights, weights).gives(None)
    example(layer, 3 * s, -h, tolerance=TOLERANCE)
    without_units = remote_helper(layer_class, made_and_called, "LuongAttention")
    because = 'the score "concat" without units'
    example(without_units, layer_class, "concat", s, h, raises=ValueError, because=because)


def finite_for_large_scores(layer, s, h, mask):
    """Call a layer where exp(score) alone would overflow.

    Of such scores float32 rounds the fourth decimal, so two that are nearly equal would have other
    weights in another right answer. Products and sums of quarters are exact.
    """
    s, h = np.round(4 * s) / 4, np.round(4 * h) / 4
    example(layer, s, 300 * h, tolerance=TOLERANCE)
    example(layer, s, 300 * h, mask=mask, tolerance=TOLERANCE)
    # All real scores are below what some answers take for minus infinity.
    opposite = np.where(mask[:, :, None], -80_000.0 * np.sign(s)[:, None], 0.0)
    example(layer, s, opposite, mask=mask, tolerance=TOLERANCE)


def layer_with_weights(make, args, s, h, weights):
    """Let a layer be made, give it weights and compare its outputs."""
    layer = example(make, *args).makes
    example(layer, s, h, shapes_only=True)
    set_weights(layer, weights)
    example(layer, s, h, tolerance=TOLERANCE)


@check
def fit_lookup(fit_lookup):
    looks_up(fit_lookup, np.random.default_rng(5), share=0.85)


def looks_up(fit_lookup, rng, share, renumbered=0):
    """Let an answer train on a drawn task, judge its answers to new questions, then its figures.

    ``renumbered`` is added to the answers of the test part, modulo their number, so that a network
    that has also learned from the test part gives itself away. For that the test part has to be
    large.
    """
    draw = lookup_task(rng)
    train, test = draw(4000, 4, wrong=0.05)[:3], draw(2000, 8, wrong=0.15, shift=1)[:3]
    test = (*test[:2], (test[2] + renumbered) % VALUES)
    new_s, new_h, answers, places = draw(600, 7, uniform=True)
    deadline = Deadline(fit_lookup, SECONDS)
    trial = attempt(fit_lookup, train, test, seconds=SECONDS)
    if trial.reply.error and not attempt(fit_lookup, train, train, seconds=SECONDS).reply.error:
        trial.fail_by_error(ONE_LENGTH)
    if trial.reply.error and f"({len(test[2])},)" in trial.reply.error.message:
        trial.fail_by_error(POSSIBLY + ANSWERS_SHAPE)
    if wrong := differs(trial.value, (SomeObject(), 0.0, 0.0), shapes_only=True):
        trial.fail(wrong.summary, wrong.detail, mistake_in_order(trial.value))
    predict, accuracy, baseline = trial.value
    answered, ids, weights = answers_to(predict, new_s, new_h)
    deadline.require(answered, "training and answering")
    if weights.min() < 0 or weights.sum(axis=1).max() > 1.001:
        answered.fail(
            "a row of the attention weights has a negative entry or does not sum to 1",
            mistake=NOT_WEIGHTS,
        )
    right, found = np.mean(ids == answers), np.mean(weights.argmax(axis=1) == places)
    if min(right, found) < share:
        mistake = UNTRAINED
        if np.ptp(ids) == 0:
            mistake = ALWAYS_THE_SAME
        elif renumbered and answers_shifted_by(renumbered, ids, answers):
            mistake = TRAINED_ON_TEST
        elif right >= share:
            mistake = ELSEWHERE
        elif np.mean(ids == places) >= share:
            mistake = PLACE_ANSWERED
        elif np.mean(np.ptp(weights, axis=1)) < 0.1:
            mistake = FROM_THE_MEAN
        elif not differs(answers_to(predict, new_s[::-1], new_h)[2], weights, 1e-3):
            mistake = WITHOUT_STATE
        answered.fail(
            f"{right:.0%} of the answers to new questions are right, and {found:.0%} of the "
            f"largest weights are on the state with the key; at least {share:.0%} is required for "
            "both",
            mistake=mistake,
        )
    changed = 0
    for one in range(5):
        alone, own_ids, own_weights = answers_to(
            predict, new_s[one : one + 1], new_h[one : one + 1]
        )
        if differs(own_weights, weights[one : one + 1], 1e-3):
            summary = "a question gets different weights when it is asked alone"
            alone.fail(summary, mistake=NOT_ALONE)
        changed += int(own_ids[0] != ids[one])
    # Of two nearly equal probabilities either may be the larger one, but not again and again.
    if changed > 1:
        summary = f"{changed} of 5 questions get a different answer when they are asked alone"
        alone.fail(summary, mistake=NOT_ALONE)
    figures_of_the_test(trial, predict, train, test, accuracy, baseline)
    if renumbered and accuracy > 0.3:
        summary = "the accuracy is higher than that of any network that has not seen the test part"
        trial.fail(summary, mistake=TRAINED_ON_TEST)


def figures_of_the_test(trial, predict, train, test, accuracy, baseline):
    """Compare the accuracy with that of the answers to the test part, and the baseline."""
    shares = [np.mean(answers_to(predict, s, h)[1] == y) for s, h, y in (test, train)]
    y_train, y_test = train[2], test[2]
    frequent, frequent_in_test = (np.bincount(y).argmax() for y in (y_train, y_test))
    expected = np.mean(y_test == frequent)
    # Two nearly equal probabilities may change places from one call to the next.
    if abs(accuracy - shares[0]) > CLOSE:
        mistake = OF_TRAIN if abs(accuracy - shares[1]) <= CLOSE else NOT_OF_PREDICT
        if abs(accuracy / 100 - shares[0]) <= CLOSE:
            mistake = PERCENTAGES
        if abs(baseline - shares[0]) <= CLOSE and not differs(accuracy, expected, 1e-4):
            mistake = RESULTS_ORDER
        trial.fail("the accuracy is wrong", came_back(accuracy, shares[0]), mistake)
    if differs(baseline, expected, 1e-4):
        mistake = OTHER_BASELINE
        if not differs(baseline, np.mean(y_test == frequent_in_test), 1e-4):
            mistake = FREQUENT_IN_TEST
        if not differs(baseline, np.mean(y_train == frequent), 1e-4):
            mistake = TRAIN_SHARE
        trial.fail("the baseline is wrong", came_back(baseline, expected), mistake)


def came_back(got, expected):
    return f"{float(got):.4f} came back; expected {expected:.4f}"


def answers_to(predict, s, h):
    """Call predict; return the trial, the answers (examples,) and the weights (examples, time)."""
    trial = attempt(predict, s, h, seconds=SECONDS)
    if trial.reply.error:
        called_with_two = re.search("expects 2 .*received 1 ", trial.reply.error.message)
        trial.fail_by_error(POSSIBLY + NOT_A_FUNCTION if called_with_two else None)
    if wrong := differs(trial.value, (np.zeros(len(h)), np.zeros(h.shape[:2])), shapes_only=True):
        trial.fail(wrong.summary, wrong.detail, mistake_in_shapes(trial.value, h.shape[:2]))
    return trial, *map(np.asarray, trial.value)


def mistake_in_order(results):
    """Name the mistake when the function comes back behind a number."""
    results = results if isinstance(results, (tuple, list)) else []
    kinds = [as_numbers(result) is None for result in results]
    return RESULTS_ORDER if sorted(kinds) == [False, False, True] and not kinds[0] else None


def mistake_in_shapes(results, shape):
    """Name what is wrong with ids and weights that have other shapes, if it can be told."""
    arrays = list(map(as_numbers, results)) if isinstance(results, (tuple, list)) else []
    if len(arrays) != 2 or any(array is None for array in arrays):
        return None
    ids, weights = (array.shape for array in arrays)
    if (ids, weights) == (shape, shape[:1]):
        return RESULTS_SWAPPED
    if ids == (*shape[:1], VALUES):
        return PROBABILITIES
    if ids == weights == shape[:1]:
        return LARGEST_PLACES
    if ids == weights[:1] and len(weights) == 2:
        return OWN_QUESTIONS
    return QUERY_AXIS if weights in ((shape[0], 1, shape[1]), (*shape, 1)) else None


def answers_shifted_by(shift, ids, answers):
    """Say whether answers differ from the right ones by a shift, and far more rarely by others."""
    shares = [np.mean(ids == (answers + other) % VALUES) for other in range(VALUES)]
    others = [shares[other] for other in range(1, VALUES) if other != shift]
    return shares[shift] > max(0.15, 2 * max(others))


def lookup_task(rng, keys=8, values=VALUES, m=9, n=14):
    """Draw what stands for each key and value; return a function that draws questions.

    ``draw(examples, time, wrong=0.0, shift=0, uniform=False)`` returns the decoder states
    (examples, m), the source states (examples, time, n), the answers, and the places of the states
    that have them. A share ``wrong`` of the answers is drawn at random, and ``shift`` changes
    which answers are frequent.
    """
    in_source, in_decoder = (
        1.5 * np.linalg.qr(rng.normal(size=(width, width)))[0] for width in (n, m)
    )
    frequencies = rng.permutation([0.4, 0.2, 0.2, 0.1, 0.1])

    def draw(examples, time, wrong=0.0, shift=0, uniform=False):
        of_state = rng.permuted(np.tile(np.arange(keys), (examples, 1)), axis=1)[:, :time]
        p = None if uniform else np.roll(frequencies, shift)
        values_of_state = rng.choice(values, size=(examples, time), p=p)
        rows, places = np.arange(examples), rng.integers(time, size=examples)
        h = in_source[of_state] + in_source[keys + values_of_state]
        s = in_decoder[of_state[rows, places]]
        s, h = (array + rng.normal(0, 0.15, size=array.shape) for array in (s, h))
        y = values_of_state[rows, places]
        y = np.where(rng.uniform(size=examples) < wrong, rng.integers(values, size=examples), y)
        return s.astype("float32"), h.astype("float32"), y, places

    return draw


# --- what runs where the work lives --------------------------------------------------------------


def distance_score(w, scale):
    """Return a score that no exercise asks for: the negative squared distance of h from s w."""

    def score(s, h):
        s, h = np.asarray(s), np.asarray(h)
        if (s.ndim, h.ndim) != (2, 3):
            raise ValueError(f"score(s, h) got s of shape {s.shape} and h of shape {h.shape}")
        return -scale * np.sum((h - (s @ w)[:, None]) ** 2, axis=2)

    return score


def made_and_called(layer_class, score, s, h):
    """Make a layer without units and call it, because some layers see only then what they lack."""
    return layer_class(score)(s, h)


def name_of_copy(layer_class, name):
    """Make a layer with a name, make another from its config, and return the name of that one."""
    return layer_class.from_config(layer_class(name=name).get_config()).name
