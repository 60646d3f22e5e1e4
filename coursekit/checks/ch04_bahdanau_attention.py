"""Visible checks of chapter 4, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import ByImportPath, check, example, remote_helper
from coursekit.checks.attention_layers import attention_layer_examples
from coursekit.checks.comparison import as_numbers
from coursekit.checks.decoding import ScriptedWriter
from coursekit.checks.layers import TOLERANCE, set_weights

MASKED_NOT_ZERO = (
    "A masked position has a small weight that is not 0. Its weight must be exactly 0."
)
FLOAT_IDS = (
    "The ids are floating-point numbers, which cannot index a list. np.zeros makes integers with "
    "dtype=int."
)

H = np.array(
    [
        [
            [-0.4, -0.7, -0.3],
            [-0.4, 0.9, 0.1],
            [0.9, 0.8, 0.3],
            [0.7, 0.4, -0.3],
            [0.2, -0.9, -0.7],
            [-0.6, 0.4, -0.6],
        ]
    ]
)
S_PREV = np.array([[0.4, 0.9]])
W_1 = np.array([[0.6, -0.9, -0.8, 0.7], [-1.4, 0.1, 1.3, -0.6], [1.3, 1.4, 0.5, 1.2]])
W_2 = np.array([[-0.4, 0.3, -0.4, 1.0], [-0.8, 1.5, -1.3, -0.2]])
V = np.array([2.3, -0.1, 2.1, -2.2])
# As many sentences as positions: a state that is added along the wrong axis raises no error.
THREE_STATES = np.array([[0.4, 0.9], [-0.6, -0.7], [0.7, -0.4]])
THREE_SENTENCES = np.array(
    [
        [[-0.4, 0.9, 0.1], [0.2, -0.9, -0.7], [0.7, 0.4, -0.3]],
        [[0.9, 0.8, 0.3], [-0.6, 0.4, -0.6], [-0.4, -0.7, -0.3]],
        [[0.1, -0.2, 0.5], [0.8, 0.3, -0.9], [-0.5, 0.6, 0.2]],
    ]
)
TWO_SENTENCES = np.concatenate([H, H[:, ::-1] * [0.5, -1.0, 2.0]])
MASK = np.array([[True, True, True, True, False, False]])
TWO_MASKS = np.array(
    [[True, True, True, True, False, False], [True, False, True, True, True, True]]
)
START_ID, END_ID, VOCAB_SIZE = 1, 2, 7
# What a decoder writes in two rows; both go on after their end, and end together at last.
WORDS = np.array([[5, 2, 4, 2, 6, 3, 2], [3, 4, 4, 5, 2, 6, 2]])


@check
def annotations(annotations):
    forward = np.array([[[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]])
    backward = np.array([[[-0.1, 0.7], [-0.2, 0.8], [-0.3, 0.9]]])
    other = np.array([[[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]])
    example(annotations, np.concatenate([forward, other]), np.concatenate([backward, -other]))
    example(annotations, forward[:, :1], backward[:, 1:2])


@check
def additive_score(additive_score):
    example(additive_score, S_PREV, H, W_1, W_2, V)
    example(additive_score, THREE_STATES, THREE_SENTENCES, W_1, W_2, V)
    example(additive_score, THREE_STATES[1:], TWO_SENTENCES, W_1, W_2, V)


@check
def concat_score(concat_score, split_weights):
    w = np.concatenate([W_1, W_2])
    example(concat_score, S_PREV, H, w, V)
    example(concat_score, THREE_STATES, THREE_SENTENCES, w, V)
    # No usual mistake cuts here: not the middle, three rows, a row more or less, the end.
    example(split_weights, np.concatenate([W_1, W_2, W_1]), 6)
    example(split_weights, w, 3)


@check
def masked_softmax(masked_softmax):
    scores = np.array([[-3.2, -0.9, -4.7, -4.2, -3.1, -1.7]])
    softmax_examples(
        masked_softmax, np.concatenate([scores, [[0.5, -1, 2, 1.5, 0, -2]]]), TWO_MASKS
    )
    example(masked_softmax, scores, MASK)
    example(masked_softmax, np.array([[1e4, 9999.0, -1e4], [-1e4, -1e4, -9998.0]]))
    large = np.array([[1e4, 1.0, 0.0], [-1e4, -9999.0, -9999.0]])
    example(masked_softmax, large, np.array([[False, True, True], [True, True, False]]))
    for nothing in (np.zeros((1, 3), dtype=bool), np.array([[True, False, True], [False] * 3])):
        because = "a row in which every position is masked"
        example(masked_softmax, large[: len(nothing)], nothing, raises=ValueError, because=because)


def softmax_examples(masked_softmax, scores, mask):
    """Compare the weights without a mask, with this one and with one that allows everything."""
    example(masked_softmax, scores)
    trial = example(masked_softmax, scores, mask)
    if np.asarray(trial.value)[~mask].any():
        trial.fail("a masked position has a weight other than 0", mistake=MASKED_NOT_ZERO)
    example(masked_softmax, scores, mask=np.ones_like(mask))


@check
def context_vector(context_vector):
    weights = np.array([[0.1, 0.5, 0.0, 0.1, 0.1, 0.2]])
    two = np.concatenate([weights, [[0.3, 0.1, 0.25, 0.05, 0.2, 0.1]]])
    example(context_vector, two, TWO_SENTENCES)
    example(context_vector, weights, H)
    example(context_vector, 0.5 * weights, H)
    weights = np.array([[0.5, 0.2, 0.3], [0.15, 0.25, 0.6]])
    example(context_vector, weights, THREE_SENTENCES[:2])


@check
def BahdanauAttention(BahdanauAttention):
    layer = example(BahdanauAttention, 3).makes
    example(layer, THREE_STATES, THREE_SENTENCES, shapes_only=True)
    set_weights(layer, [W_1[:, :3], W_2[:, :3], V[:3, None]])
    example(layer, THREE_STATES, THREE_SENTENCES, tolerance=TOLERANCE)
    weights = [W_1, W_2, V[:, None]]
    attention_layer_examples(
        BahdanauAttention, (4,), THREE_STATES[:2], TWO_SENTENCES, TWO_MASKS, weights
    )
    named = example(BahdanauAttention, 4, name="scorer").makes
    example(remote_helper(named, configured_name, "the configuration's name"), named)


@check
def attention_decode(attention_decode):
    s_0 = np.array([[0.0, 0.0], [1.0, 0.0]])
    decoding_examples(attention_decode, WORDS, s_0, START_ID, END_ID, VOCAB_SIZE, [8, 3, 1])
    # The same two rows, exchanged, with other ids for all words, 6 for the start and 0 for the end.
    words = (WORDS[::-1] + 5) % VOCAB_SIZE
    decoding_examples(attention_decode, words, s_0, 6, 0, VOCAB_SIZE, [8])
    # The first row ends with its first word.
    decoding_examples(attention_decode, WORDS[:, 4:5], s_0, START_ID, 6, VOCAB_SIZE, [3])


def decoding_examples(attention_decode, words, s_0, start_id, end_id, vocab_size, limits):
    """Compare decoding for several values of max_length, then the number of steps that it takes."""
    given = [words, start_id, vocab_size, end_id]
    step = ByImportPath(f"{__name__}:ScriptedDecoder", *given)
    for max_length in limits:
        trial = example(attention_decode, step, s_0, start_id, end_id, max_length)
        if as_numbers(trial.value[0]).dtype.kind == "f":
            trial.fail("value 1 of the result: the ids have a decimal point", mistake=FLOAT_IDS)
    calls = remote_helper(attention_decode, calls_of_step, "the number of calls of step")
    for max_length in limits:
        example(calls, attention_decode, given, s_0, max_length)


@check
def accuracy_by_length(accuracy_by_length):
    # Each length has another share, and a row that is too long, too short or endless changes one.
    predicted = ["5324", "5344", "4322", "4222", "4622", "6422", "3622", "3222", "6222"]
    target = ["53200", "53442", "46200", "42000", "46200", "62000", "35200", "35200", "56200"]
    predicted, target = (np.array([list(row) for row in rows], int) for rows in (predicted, target))
    example(accuracy_by_length, predicted, target, np.array([3, 3, 3, 5, 5, 5, 5, 7, 7]), 2)
    predicted = np.array(
        [[5, 3, 2, 4], [4, 6, 2, 2], [5, 3, 4, 4], [4, 2, 2, 2], [6, 4, 2, 2], [3, 2, 2, 2]]
    )
    target = np.array(
        [
            [5, 3, 2, 0, 0],
            [4, 6, 2, 0, 0],
            [5, 3, 4, 4, 2],
            [4, 2, 0, 0, 0],
            [6, 2, 0, 0, 0],
            [3, 5, 2, 0, 0],
        ]
    )
    lengths = np.array([3, 5, 5, 5, 5, 7])
    example(accuracy_by_length, predicted, target, lengths, 2)
    # The predictions are wider than the targets. One has the right words in another order, and one
    # has a wrong word.
    predicted = np.array(
        [
            [4, 3, 5, 1, 6],
            [3, 4, 1, 5, 5],
            [6, 1, 5, 1, 3],
            [1, 1, 1, 1, 1],
            [5, 4, 3, 1, 1],
            [6, 3, 1, 1, 1],
        ]
    )
    target = np.array(
        [[4, 3, 1, 1], [3, 4, 1, 0], [6, 1, 1, 1], [5, 1, 1, 1], [4, 5, 3, 1], [6, 4, 1, 1]]
    )
    example(accuracy_by_length, predicted, target, np.array([4, 2, 4, 9, 2, 6]), 1)
    # A prediction that never ends, first of an empty sentence, then with 0 for the end.
    predicted, target = np.array([[5, 3, 4], [2, 2, 2]]), np.array([[2, 0], [2, 0]])
    example(accuracy_by_length, predicted, target, np.array([1, 4]), 2)
    example(accuracy_by_length, np.array([[5, 3]]), np.array([[5, 3, 0]]), np.array([2]), 0)


@check
def alignment_share(alignment_share):
    # Seventeen steps with a position, of which every wrong count finds another share right.
    tenths = [
        ["1252", "1333", "1144", "3322", "3124"],
        ["0244", "3142", "1315", "4024", "2116"],
        ["1225", "1252", "2233", "5320", "4222"],
        ["2332", "0073", "4330", "3313", "0127"],
    ]
    tenths = np.array([[[int(digit) for digit in step] for step in row] for row in tenths])
    aligned = np.array([[2, 1, 2, 0, 3], [3, -1, 3, -1, 3], [1, 3, 3, 0, 0], [0, 2, 0, 0, -1]])
    example(alignment_share, tenths / 10, aligned)
    weights = np.array(
        [
            [[0.1, 0.2, 0.5, 0.2], [0.4, 0.1, 0.1, 0.4], [0.7, 0.1, 0.1, 0.1]],
            [[0.2, 0.6, 0.1, 0.1], [0.1, 0.2, 0.2, 0.5], [0.2, 0.4, 0.2, 0.2]],
        ]
    )
    aligned = np.array([[2, 3, 0], [1, -1, -1]])
    example(alignment_share, weights, aligned)
    # As many source positions as steps, and the last position belongs to a step.
    square = np.array(
        [
            [[0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.35, 0.25, 0.4]],
            [[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.5, 0.1, 0.4]],
            [[0.25, 0.3, 0.45], [0.6, 0.3, 0.1], [0.2, 0.6, 0.2]],
        ]
    )
    example(alignment_share, square, np.array([[1, 2, -1], [-1, 2, -1], [2, 1, 0]]))
    example(alignment_share, square[:2, :2], np.array([[1, 1], [-1, -1]]))
    example(alignment_share, weights, np.full((2, 3), -1))


# --- what runs where the work lives -------------------------------------------------------------


def configured_name(layer):
    """Return the name that a layer's configuration holds.

    Keras's own `get_config` leaves it out where ``__init__`` gives its ``**kwargs`` another name.
    """
    import keras

    config = layer.get_config()
    if type(layer).get_config is keras.Layer.get_config:
        return config.get("name", layer.name)
    return config["name"]


class ScriptedDecoder(ScriptedWriter):
    """A decoder's `step` that writes given words as long as it is fed what it has written.

    Its state is (batch, 2): the number of the row in ``words`` (rows, steps) and of the step. A row
    that is fed another token than it wrote last, or ``start_id`` at first, goes on with another
    word. After its end a row is indifferent to what it is fed and attends to all positions alike.
    """

    POSITIONS = 5

    def __call__(self, token_ids, state):
        self._count_call("step")
        token_ids, state = np.asarray(token_ids), np.asarray(state)
        batch = len(self._words)
        if token_ids.shape == (batch, self._vocab_size):
            raise ValueError(f"step received probabilities; expected token_ids of shape ({batch},)")
        if token_ids.shape == (batch,) and state.shape == (batch, self.POSITIONS):
            raise ValueError(f"step received weights; expected a state of shape ({batch}, 2)")
        if token_ids.shape != (batch,) or state.shape != (batch, 2):
            raise ValueError(
                f"step was called with token_ids of shape {token_ids.shape} and a state of shape "
                f"{state.shape}, but there are {batch} rows: call it once for all of them"
            )
        rows, times = state.astype(int).T
        written, ended = self._before(rows, times)
        astray = np.where(ended, 0, token_ids.astype(int) - written)
        now = self._words[rows, times % self._words.shape[1]]
        probabilities = self._probabilities((now + astray) % self._vocab_size)
        places = np.arange(self.POSITIONS)
        weights = 1 + np.cos(rows[:, None] + 2 * times[:, None] + places * (rows[:, None] + 1)) ** 2
        weights = np.where(ended[:, None], 1, weights)
        weights = weights / weights.sum(axis=1, keepdims=True)
        return probabilities, np.stack([rows, times + 1], axis=1).astype(float), weights

    def _before(self, rows, times):
        """Return the token that each row wrote last, and whether it has ended."""
        steps = np.arange(self._words.shape[1])
        ends = (self._words[rows] == self._end_id) & (steps < times[:, None])
        last = self._words[rows, (times - 1) % self._words.shape[1]]
        return np.where(times == 0, self._start_id, last), ends.any(axis=1)

    def _probabilities(self, words):
        """Give half of the probability to one word a row, the rest unequally to the others."""
        others = 1.0 + (7 * np.arange(self._vocab_size) + 3 * words[:, None]) % self._vocab_size
        others[np.arange(len(words)), words] = 0
        probabilities = 0.5 * others / others.sum(axis=1, keepdims=True)
        probabilities[np.arange(len(words)), words] = 0.5
        return probabilities


def calls_of_step(attention_decode, decoder, s_0, max_length):
    """Return how often an answer calls the step of a `ScriptedDecoder` with these arguments."""
    step = ScriptedDecoder(*decoder)
    _, start_id, _, end_id = decoder
    attention_decode(step, s_0, start_id, end_id, max_length)
    return step.calls
