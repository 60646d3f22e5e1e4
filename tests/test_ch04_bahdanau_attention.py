"""The reference solution of chapter 4 against Keras, and the facts the chapter prints."""

import re
from unittest import mock

import numpy as np
import pytest
from lazily import Lazily

from autograder.course.chapters import load_chapter
from autograder.course.variants import load_variants, variant_functions
from coursekit import datasets
from coursekit.checks import CheckFailure

STEM = "ch04_bahdanau_attention"
ch04 = Lazily("solutions.ch04_bahdanau_attention")
hidden = Lazily("autograder.hidden.ch04_bahdanau_attention")
keras = Lazily("keras")
ops = Lazily("keras.ops")
tf = Lazily("tensorflow")
translation = Lazily("coursekit.translation")
visible = Lazily("coursekit.checks.ch04_bahdanau_attention")

# --- the numbers that the exercises print ------------------------------------------------------


def test_the_annotations_that_the_exercise_prints():
    forward = np.array([[[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]])
    backward = np.array([[[-0.1, 0.7], [-0.2, 0.8], [-0.3, 0.9]]])
    np.testing.assert_array_equal(
        ch04.annotations(forward, backward),
        [[[0.1, 0.2, -0.3, 0.9], [0.3, 0.4, -0.2, 0.8], [0.5, 0.6, -0.1, 0.7]]],
    )


def test_the_scores_weights_and_contexts_that_the_exercises_print():
    given = visible.S_PREV, visible.H
    scores = ch04.additive_score(*given, visible.W_1, visible.W_2, visible.V)
    printed = [[-3.2377, -0.9299, -4.7307, -4.2335, -3.1368, -1.7230]]
    np.testing.assert_allclose(scores, printed, atol=5e-5)
    w = np.concatenate([visible.W_1, visible.W_2])
    np.testing.assert_allclose(ch04.concat_score(*given, w, visible.V), scores)
    w_1, w_2 = ch04.split_weights(w, 3)
    np.testing.assert_array_equal(w_1, visible.W_1)
    np.testing.assert_array_equal(w_2, visible.W_2)
    rounded = np.round(scores, 1)
    np.testing.assert_array_equal(rounded, [[-3.2, -0.9, -4.7, -4.2, -3.1, -1.7]])
    printed = [[0.0865, 0.8624, 0.0193, 0.0318, 0, 0]]
    np.testing.assert_allclose(ch04.masked_softmax(rounded, visible.MASK), printed, atol=5e-5)
    printed = [[0.0583, 0.5815, 0.0130, 0.0214, 0.0644, 0.2613]]
    np.testing.assert_allclose(ch04.masked_softmax(rounded), printed, atol=5e-5)
    weights = np.array([[0.1, 0.5, 0.0, 0.1, 0.1, 0.2]])
    context = ch04.context_vector(weights, visible.H)
    np.testing.assert_allclose(context, [[-0.27, 0.41, -0.2]], atol=1e-12)
    layer = layer_with_weights(visible.W_1, visible.W_2, visible.V)
    for mask, printed_context, printed_weights in (
        (None, [-0.3738, 0.5490, -0.1642], [0.0578, 0.5810, 0.0130, 0.0214, 0.0639, 0.2629]),
        (visible.MASK, [-0.3400, 0.7448, 0.0568], [0.0859, 0.8631, 0.0193, 0.0317, 0, 0]),
    ):
        context, weights = layer(*given, mask=mask)
        np.testing.assert_allclose(context[0], printed_context, atol=5e-5)
        np.testing.assert_allclose(weights[0], printed_weights, atol=5e-5)


def test_the_table_of_decoding_that_the_exercise_prints():
    fed, probable = [], []
    decoder = visible.ScriptedDecoder(visible.WORDS, 1, visible.VOCAB_SIZE, 2)

    def step(token_ids, state):
        fed.append(token_ids.tolist())
        probabilities, state, weights = decoder(token_ids, state)
        probable.append(probabilities.argmax(axis=1).tolist())
        return probabilities, state, weights

    s_0 = np.array([[0.0, 0.0], [1.0, 0.0]])
    ids, weights = ch04.attention_decode(step, s_0, 1, 2, 8)
    np.testing.assert_array_equal(ids, [[5, 2, 2, 2, 2], [3, 4, 4, 5, 2]])
    assert weights.shape == (2, 5, 5)
    assert probable == [[5, 3], [2, 4], [4, 4], [2, 5], [6, 2]]
    assert fed[:2] == [[1, 1], [5, 3]] and [tokens[1] for tokens in fed[2:]] == [4, 4, 5]
    ids, _ = ch04.attention_decode(scripted(), s_0, 1, 2, 3)
    np.testing.assert_array_equal(ids, [[5, 2, 2], [3, 4, 4]])


def test_the_accuracies_that_the_exercise_prints():
    predicted = np.array(
        [[5, 3, 2, 4], [4, 6, 2, 2], [5, 3, 4, 4], [4, 2, 2, 2], [6, 4, 2, 2], [3, 2, 2, 2]]
    )
    target = [[5, 3, 2, 0, 0], [4, 6, 2, 0, 0], [5, 3, 4, 4, 2], [4, 2, 0, 0, 0], [6, 2, 0, 0, 0]]
    target = np.array([*target, [3, 5, 2, 0, 0]])
    shares = ch04.accuracy_by_length(predicted, target, np.array([3, 5, 5, 5, 5, 7]), 2)
    assert shares == {3: 1.0, 5: 0.5, 7: 0.0}
    assert all(type(n) is int and type(share) is float for n, share in shares.items())


def test_the_share_that_the_exercise_prints():
    weights = np.array(
        [
            [[0.1, 0.2, 0.5, 0.2], [0.4, 0.1, 0.1, 0.4], [0.7, 0.1, 0.1, 0.1]],
            [[0.2, 0.6, 0.1, 0.1], [0.1, 0.2, 0.2, 0.5], [0.2, 0.4, 0.2, 0.2]],
        ]
    )
    share = ch04.alignment_share(weights, np.array([[2, 3, 0], [1, -1, -1]]))
    assert share == 0.75 and type(share) is float


# --- the functions -----------------------------------------------------------------------------


def some_attention(seed, batch=4, steps=6, n=3, m=2, units=5):
    rng = np.random.default_rng(seed)
    s_prev, h = rng.normal(size=(batch, m)), rng.normal(size=(batch, steps, n))
    mask = rng.uniform(size=(batch, steps)) < 0.6
    mask[:, 1] = True
    return s_prev, h, mask, rng.normal(size=(n, units)), rng.normal(size=(m, units))


def attention_weights(seed, units=5):
    return np.random.default_rng(seed + 100).normal(size=units)


@pytest.mark.parametrize("seed", range(3))
def test_the_annotations_are_those_of_a_bidirectional_layer(seed):
    keras.utils.set_random_seed(seed)
    x = np.random.default_rng(seed).normal(size=(4, 6, 3)).astype("float32")
    forward = keras.layers.GRU(2, return_sequences=True)
    backward = keras.layers.GRU(2, return_sequences=True, go_backwards=True)
    both = keras.layers.Bidirectional(forward, backward_layer=backward)
    expected = both(x)
    produced = [np.asarray(layer(x)) for layer in (both.forward_layer, both.backward_layer)]
    np.testing.assert_allclose(ch04.annotations(*produced), expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_score_and_the_context_are_those_of_keras_additive_attention(seed):
    s_prev, h, mask, w_1, w_2 = some_attention(seed)
    v = attention_weights(seed)
    attention = keras.layers.AdditiveAttention(use_scale=True)
    inputs = [(s_prev @ w_2)[:, None], h, h @ w_1]
    attention(inputs)
    attention.set_weights([v])
    context, weights = attention(inputs, mask=[None, mask], return_attention_scores=True)
    scores = ch04.additive_score(s_prev, h, w_1, w_2, v)
    alpha = ch04.masked_softmax(scores, mask)
    np.testing.assert_allclose(alpha, weights[:, 0], atol=1e-5)
    np.testing.assert_allclose(ch04.context_vector(alpha, h), context[:, 0], atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_both_forms_of_the_score_are_the_same(seed):
    s_prev, h, _, w_1, w_2 = some_attention(seed)
    v = attention_weights(seed)
    w = np.concatenate([w_1, w_2])
    scores = ch04.additive_score(s_prev, h, w_1, w_2, v)
    np.testing.assert_allclose(ch04.concat_score(s_prev, h, w, v), scores)
    again = ch04.additive_score(s_prev, h, *ch04.split_weights(w, 3), v)
    np.testing.assert_array_equal(again, scores)


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e308])
@pytest.mark.parametrize("masked", [False, True])
def test_the_weights_are_a_softmax_for_any_finite_scores(scale, masked):
    scores = scale * np.random.default_rng(0).uniform(-0.8, 0.8, size=(5, 7))
    mask = some_attention(0, batch=5, steps=7)[2] if masked else None
    before = scores.copy()
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        weights = ch04.masked_softmax(scores, mask)
    np.testing.assert_array_equal(scores, before)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    if masked:
        assert (weights[~mask] == 0).all()
    if scale == 1:
        expected = keras.layers.Softmax(axis=1)(scores, mask=mask)
        np.testing.assert_allclose(weights, expected, atol=1e-6)


def test_a_masked_score_has_no_say_however_large_it_is():
    scores = np.array([[1e4, 1.0, 3.0], [0.5, -1e4, -1e4]])
    mask = np.array([[False, True, True], [True, True, False]])
    weights = ch04.masked_softmax(scores, mask)
    expected = ch04.masked_softmax(np.array([[1.0, 3.0]]))
    np.testing.assert_allclose(weights, [[0, *expected[0]], [1, 0, 0]])


# --- the layer ---------------------------------------------------------------------------------


def layer_with_weights(w_1, w_2, v, **settings):
    layer = ch04.BahdanauAttention(len(v), **settings)
    layer.build((None, len(w_2)), (None, None, len(w_1)))
    layer.set_weights([w_1, w_2, v[:, None]])
    return layer


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_layer_is_the_functions(seed, masked):
    s_prev, h, mask, w_1, w_2 = some_attention(seed)
    v, mask = attention_weights(seed), mask if masked else None
    context, weights = layer_with_weights(w_1, w_2, v)(s_prev, h, mask=mask)
    expected = ch04.masked_softmax(ch04.additive_score(s_prev, h, w_1, w_2, v), mask)
    np.testing.assert_allclose(weights, expected, atol=1e-5)
    np.testing.assert_allclose(context, ch04.context_vector(expected, h), atol=1e-5)
    assert mask is None or (np.asarray(weights)[~mask] == 0).all()


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_layer_has_the_gradients_of_keras_additive_attention(seed, masked):
    s_prev, h, mask, w_1, w_2 = some_attention(seed)
    v, mask = attention_weights(seed), mask if masked else None
    direction = np.random.default_rng(seed).normal(size=(4, 3))
    layer = layer_with_weights(w_1, w_2, v, dtype="float64")
    attention = keras.layers.AdditiveAttention(use_scale=True, dtype="float64")
    attention([s_prev[:, None] @ w_2, h, h @ w_1])
    attention.set_weights([v])
    s_prev, h, w_1, w_2 = map(tf.Variable, (s_prev, h, w_1, w_2))

    def theirs():
        inputs = [tf.matmul(s_prev, w_2)[:, None], h, tf.matmul(h, w_1)]
        return attention(inputs, mask=[None, mask])[:, 0]

    ours = layer.weights[0].value, layer.weights[1].value, layer.weights[2].value
    for call, variables in (
        (lambda: layer(s_prev, h, mask=mask)[0], [*ours, s_prev, h]),
        (theirs, [w_1, w_2, attention.weights[0].value, s_prev, h]),
    ):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(call() * direction)
        gradients = tape.gradient(loss, variables)
        if call is not theirs:
            found = gradients
    for one, other in zip(found, gradients, strict=True):
        np.testing.assert_allclose(np.ravel(one), np.ravel(other), atol=1e-9)


def test_what_is_masked_has_no_say_and_no_gradient():
    s_prev, h, mask, w_1, w_2 = some_attention(0)
    layer = layer_with_weights(w_1, w_2, attention_weights(0))
    other = np.where(mask[:, :, None], h, 1e3)
    for one, two in zip(layer(s_prev, h, mask=mask), layer(s_prev, other, mask=mask), strict=True):
        np.testing.assert_array_equal(one, two)
    inputs = tf.constant(h, "float32")
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = tf.reduce_sum(layer(s_prev, inputs, mask=mask)[0] ** 2)
    gradient = tape.gradient(value, inputs).numpy()
    assert (gradient[~mask] == 0).all() and (gradient[mask] != 0).any()


def test_a_sentence_without_a_position_gives_zeros_and_finite_gradients():
    s_prev, h, mask, w_1, w_2 = some_attention(0)
    mask[2] = False
    layer = layer_with_weights(w_1, w_2, attention_weights(0))
    with tf.GradientTape() as tape:
        context, weights = layer(s_prev, h, mask=mask)
        value = tf.reduce_sum(context**2)
    assert not np.any(context[2]) and not np.any(weights[2])
    for gradient in tape.gradient(value, [weight.value for weight in layer.weights]):
        assert np.isfinite(gradient).all()


def test_the_layer_survives_its_config_and_a_file_with_any_length(tmp_path):
    layer = ch04.BahdanauAttention(5, name="attention")
    copy = ch04.BahdanauAttention.from_config(layer.get_config())
    assert (copy.name, copy.units) == ("attention", 5)
    state, annotations = keras.Input((2,)), keras.Input((None, 3))
    mask = keras.Input((None,), dtype="bool")
    model = keras.Model([state, annotations, mask], layer(state, annotations, mask=mask))
    model.save(tmp_path / "model.keras")
    names = {"BahdanauAttention": ch04.BahdanauAttention}
    loaded = keras.models.load_model(tmp_path / "model.keras", custom_objects=names)
    for steps in (6, 3):
        s_prev, h, given, *_ = some_attention(1, steps=steps)
        for one, two in zip(loaded([s_prev, h, given]), model([s_prev, h, given]), strict=True):
            np.testing.assert_allclose(one, two, atol=1e-6)


# --- decoding and its judge --------------------------------------------------------------------


def scripted():
    return visible.ScriptedDecoder(visible.WORDS, 1, visible.VOCAB_SIZE, 2)


def one_row_at_a_time(decoder, s_0, start_id, end_id, max_length):
    """Decode every sentence for itself, to the end, by the probabilities of a whole batch."""
    rows = []
    for row in range(len(s_0)):
        token, state, ids = np.full(len(s_0), start_id), s_0, []
        while len(ids) < max_length and end_id not in ids:
            probabilities, state, _ = decoder(token, state)
            token = probabilities.argmax(axis=1)
            ids.append(token[row])
        rows.append(ids)
    steps = max(map(len, rows))
    return [ids + [end_id] * (steps - len(ids)) for ids in rows]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_length", [1, 3, 20])
def test_a_batch_is_decoded_as_its_rows_are_alone(seed, max_length):
    rng = np.random.default_rng(seed)
    words, readings = rng.normal(size=(6, 4)), rng.normal(size=(4, 6))

    def step(token_ids, state):
        state = np.tanh(words[token_ids] + 0.8 * state + 0.1)
        return np.exp(2 * state @ readings), state, state**2

    s_0 = rng.normal(size=(5, 4))
    ids, weights = ch04.attention_decode(step, s_0, 1, 3, max_length)
    np.testing.assert_array_equal(ids, one_row_at_a_time(step, s_0, 1, 3, max_length))
    assert weights.shape == (*ids.shape, 4)
    np.testing.assert_array_equal(weights[:, 0], step(np.ones(5, int), s_0)[2])
    ended = (ids == 3).any(axis=1).all()
    assert ids.shape[1] == max_length or ended


def test_step_is_called_as_often_as_there_are_words():
    for max_length, calls in ((8, 5), (5, 5), (3, 3), (1, 1)):
        step = scripted()
        ids, _ = ch04.attention_decode(step, np.array([[0.0, 0], [1, 0]]), 1, 2, max_length)
        assert step.calls == ids.shape[1] == calls


def test_the_scripted_decoder_notices_what_it_is_fed():
    s_0 = np.array([[0.0, 0.0], [1.0, 0.0]])
    probabilities, state, weights = scripted()(np.array([1, 1]), s_0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), visible.WORDS[:, 0])
    right, state, _ = scripted()(visible.WORDS[:, 0], state)
    wrong, _, _ = scripted()(np.array([1, 1]), np.array([[0.0, 1.0], [1.0, 1.0]]))
    assert (right.argmax(axis=1) != wrong.argmax(axis=1)).all()
    ended, _, weights = scripted()(np.array([6, 4]), state)
    np.testing.assert_array_equal(ended.argmax(axis=1), visible.WORDS[:, 2])
    assert (weights[0] == 0.2).all() and len(set(weights[1])) > 1
    for token_ids in (np.array([1]), np.array([[1], [1]])):
        with pytest.raises(ValueError, match="call it once for all"):
            scripted()(token_ids, s_0)


def test_a_decoder_that_never_ends_is_ended():
    step = scripted()
    with pytest.raises(RuntimeError, match="more than 50 times"):
        ch04.attention_decode(step, np.array([[0.0, 0], [1, 0]]), 1, 99, 1000)


def test_the_accuracy_of_a_translator_that_is_always_right_or_never_ends():
    rng = np.random.default_rng(0)
    target = rng.integers(3, 9, size=(30, 7))
    target[np.arange(30), rng.integers(1, 7, size=30)] = 2
    lengths = rng.integers(2, 6, size=30)
    wider = np.concatenate([target, rng.integers(2, 9, size=(30, 4))], axis=1)
    everything = dict.fromkeys(np.unique(lengths).tolist(), 1.0)
    assert ch04.accuracy_by_length(wider, target, lengths, 2) == everything
    assert ch04.accuracy_by_length(target, wider, lengths, 2) == everything
    endless = np.where(target == 2, 3, target)
    assert set(ch04.accuracy_by_length(endless, target, lengths, 2).values()) == {0.0}


def test_the_share_of_a_map_counts_every_step_with_a_position_once():
    rng = np.random.default_rng(0)
    weights, aligned = rng.dirichlet(np.ones(5), size=(6, 4)), rng.integers(-1, 5, size=(6, 4))
    found = [
        weights[row, step].argmax() == place
        for (row, step), place in np.ndenumerate(aligned)
        if place >= 0
    ]
    assert ch04.alignment_share(weights, aligned) == np.mean(found)
    assert ch04.alignment_share(np.eye(4)[None], np.arange(4)[None]) == 1.0
    assert ch04.alignment_share(weights, np.full((6, 4), -1)) == 0.0


# --- the checks --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cheat",
    [
        lambda weights, h: h[:, 0],
        lambda weights, h: np.full((len(h), h.shape[2]), 0.1),
        lambda weights, h: weights[:, :1] * h[:, 0],
    ],
)
def test_a_context_that_ignores_its_inputs_does_not_pass(cheat):
    for checks in (visible, hidden):
        with pytest.raises(CheckFailure):
            checks.context_vector(cheat)


@pytest.mark.parametrize("share", [0.0, 0.75, 1.0])
def test_a_constant_share_does_not_pass(share):
    for checks in (visible, hidden):
        with pytest.raises(CheckFailure):
            checks.alignment_share(lambda weights, aligned: share)


@pytest.mark.parametrize("shares", [0.0, 0.5, 1.0])
def test_a_constant_accuracy_does_not_pass(shares):
    def constant(predicted, target, lengths, end_id):
        return dict.fromkeys(np.unique(lengths).tolist(), shares)

    for checks in (visible, hidden):
        with pytest.raises(CheckFailure):
            checks.accuracy_by_length(constant)


def score(**changed):
    shapes = {"s_prev": (2, 3), "h": (2, 5, 4), "w_1": (4, 6), "w_2": (3, 6), "v": (6,)} | changed
    return ch04.additive_score(*map(np.ones, shapes.values()))


def joined(**changed):
    shapes = {"s_prev": (2, 3), "h": (2, 5, 4), "w": (7, 6), "v": (6,)} | changed
    return ch04.concat_score(*map(np.ones, shapes.values()))


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: ch04.annotations(np.ones((2, 3)), np.ones((2, 3))), "forward"),
        (lambda: ch04.annotations(np.ones((2, 3, 1)), np.ones((2, 4, 1))), "backward"),
        (lambda: score(h=(2, 5)), "h"),
        (lambda: score(s_prev=(1, 3)), "s_prev"),
        (lambda: score(s_prev=(3,)), "s_prev"),
        (lambda: score(w_1=(6, 4)), "w_1"),
        (lambda: score(w_2=(4, 6)), "w_2"),
        (lambda: score(v=(6, 1)), "v"),
        (lambda: joined(h=(5, 4)), "h"),
        (lambda: joined(s_prev=(5, 3)), "s_prev"),
        (lambda: joined(w=(6, 6)), "w"),
        (lambda: joined(v=(6, 1)), "v"),
        (lambda: ch04.split_weights(np.ones(5), 2), "w"),
        (lambda: ch04.split_weights(np.ones((5, 3)), 5), "annotation_dim"),
        (lambda: ch04.split_weights(np.ones((5, 3)), 0), "annotation_dim"),
        (lambda: ch04.masked_softmax(np.float64(1)), "scores"),
        (lambda: ch04.masked_softmax(np.ones((2, 3)), np.ones(3, dtype=bool)), "mask"),
        (lambda: ch04.masked_softmax(np.ones((2, 3)), np.eye(2, 3, 1) > 1), "mask"),
        (lambda: ch04.context_vector(np.ones((2, 3)), np.ones((2, 3))), "h"),
        (lambda: ch04.context_vector(np.ones((2, 4)), np.ones((2, 3, 5))), "weights"),
        (lambda: ch04.BahdanauAttention(0), "units"),
        (lambda: ch04.BahdanauAttention(2)(np.ones((2, 3)), np.ones((2, 3))), "h"),
        (lambda: ch04.BahdanauAttention(2)(np.ones((2, 1, 3)), np.ones((2, 4, 3))), "s_prev"),
        (lambda: ch04.attention_decode(scripted(), np.ones((2, 2)), 1, 2, 0), "max_length"),
        (lambda: ch04.attention_decode(scripted(), np.ones(2), 1, 2, 3), "s_0"),
        (lambda: ch04.accuracy_by_length(np.ones(3), np.ones((3, 2)), [1] * 3, 2), "predicted"),
        (lambda: ch04.accuracy_by_length(np.ones((3, 2)), np.ones((2, 2)), [1] * 3, 2), "target"),
        (lambda: ch04.alignment_share(np.ones((3, 2)), np.ones((3, 2), int)), "weights"),
        (lambda: ch04.alignment_share(np.ones((3, 2, 4)), np.ones((3, 4), int)), "aligned"),
    ],
)
def test_bad_input_is_named(call, names):
    with pytest.raises(ValueError, match=rf"\b{names}\b"):
        call()


# --- what the lesson prints --------------------------------------------------------------------

H = np.array(
    [[-0.4, -0.7, -0.3], [-0.4, 0.9, 0.1], [0.9, 0.8, 0.3]]
    + [[0.7, 0.4, -0.3], [0.2, -0.9, -0.7], [-0.6, 0.4, -0.6]]
)


def test_more_words_than_entries_leave_the_weights_undetermined():
    rank = np.linalg.matrix_rank(np.vstack([H.T, np.ones(6)]))
    assert 6 - rank == 2


def reversed_strings(examples, lengths, seed):
    rng = np.random.default_rng(seed)
    rows = [rng.integers(4, 24, rng.choice(lengths)) for _ in range(examples)]
    x, y = np.zeros((2, examples, 19), "int32")
    for ids, letters in ((x, lambda row: row), (y, lambda row: row[::-1])):
        for k, row in enumerate(rows):
            ids[k, : len(row) + 1] = [*letters(row), 3]
    return x, y


@pytest.mark.nightly
@pytest.mark.parametrize(("attention", "low", "high"), [(True, 0.88, 1), (False, 0, 0.05)])
def test_attention_reverses_sixteen_letters_and_one_vector_does_not(attention, low, high):
    x, y = reversed_strings(9600, range(3, 17), seed=20)
    x_test, y_test = reversed_strings(250, [16], seed=21)

    def build():
        return translation.recurrent_translator(24, 24, time=19, units=32, attention=attention)

    runs = translation.train(build, x, y, seeds=(10, 11), steps=300, learning_rate=0.02)
    for model in runs:
        assert low <= translation.exact_match(model, x_test, y_test).mean() <= high


@pytest.fixture(scope="module")
def dates():
    corpus = datasets.locale_dates("hu")
    return corpus, *(
        side.encode(texts)
        for part in (corpus.train, corpus.test)
        for side, texts in ((corpus.source, part.sources), (corpus.target, part.targets))
    )


@pytest.mark.nightly
def test_the_translator_is_right_on_test_days_and_looks_at_the_year(dates):
    corpus, x, y, x_test, y_test = dates

    def build():
        sizes = len(corpus.source), len(corpus.target)
        return translation.recurrent_translator(*sizes, time=x.shape[1], units=32)

    last = (x_test == corpus.source.end).argmax(axis=1)[:, None]
    position = np.arange(x_test.shape[1])
    year = (position >= last - 4) & (position < last)
    for model in translation.train(build, x, y, seeds=(10, 11), steps=400, learning_rate=0.02):
        exact = translation.exact_match(model, x_test, y_test)
        assert exact.mean() >= 0.95
        alpha = translation.alignment(model, x_test, y_test)
        np.testing.assert_allclose(alpha.sum(axis=-1), 1, atol=1e-5)
        assert (alpha[:, :4] * year[:, None]).sum(axis=-1).mean() > 0.8
    # One pass in which the decoder reads the targets decides the same as greedy decoding.
    written = corpus.target.decode(translation.translate(model, x_test, y_test.shape[1]))
    assert [w == t for w, t in zip(written, corpus.test.targets, strict=True)] == exact.tolist()


def test_padding_does_not_change_a_translation(dates):
    corpus, x, y, *_ = dates
    sizes = len(corpus.source), len(corpus.target)
    short = translation.recurrent_translator(*sizes, time=11, units=8)
    wide = translation.recurrent_translator(*sizes, time=14, units=8)
    wide.set_weights(short.get_weights())
    padded = np.pad(x[:4], ((0, 0), (0, 3)))
    previous = translation.shift(y[:4])
    np.testing.assert_allclose(short((x[:4], previous)), wide((padded, previous)), atol=1e-5)


# --- the student's own translator --------------------------------------------------------------


def closing_cells():
    return [source for kind, source in load_chapter(STEM).closing if kind == "code"]


@pytest.mark.nightly
@pytest.mark.parametrize("starts", ["[2]", "range(3)"])
def test_the_assignment_ends_with_a_translator_of_the_students_own(starts, capsys):
    training, drawing = closing_cells()
    assert "STARTS, STEPS = range(3), 400" in training
    names = dict(vars(load_chapter(STEM).reference))
    with mock.patch("matplotlib.pyplot.show"):
        exec(training.replace("range(3), 400", f"{starts}, 400"), names)
        exec(drawing, names)
    printed = capsys.readouterr().out
    for accuracy in re.findall(r"\{10: (\S+), 11: (\S+)\}", printed):
        assert min(map(float, accuracy)) >= 0.9
    assert "Monday, November 9, 2065    2065. november 9., hétfő" in printed
    assert len(names["fig"].axes) == len(names["runs"]) == len(eval(starts))
    for _, weights, shares in names["runs"]:
        np.testing.assert_allclose(weights[:, 0].sum(axis=1), 1, atol=1e-5)
        numbers = " ".join(f"{share:.2f}" for share in shares)
        assert f"looks at the digit itself, digits 1 to 4 {numbers}" in printed
        assert min(shares[2:]) > 0.9


@pytest.mark.parametrize("seed", range(2))
def test_the_step_that_is_handed_to_the_loop_is_the_networks(dates, seed):
    corpus, x, y, *_ = dates
    sizes = len(corpus.source), len(corpus.target)
    keras.utils.set_random_seed(seed)
    model = translation.recurrent_translator(
        *sizes, time=x.shape[1], units=8, attention=ch04.BahdanauAttention(5)
    )
    step, state = translation.decoding_step(model, x[:4])
    logits = model((x[:4], translation.shift(y[:4])))
    maps = translation.alignment(model, x[:4], y[:4])
    for t, token_ids in enumerate(translation.shift(y[:4]).T):
        probabilities, state, weights = step(token_ids, state)
        np.testing.assert_allclose(probabilities, ops.softmax(logits[:, t]), atol=1e-6)
        np.testing.assert_allclose(weights, maps[:, t], atol=1e-6)
        assert (weights[x[:4] == 0] == 0).all()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "variant",
    [v for v in load_variants(STEM) if v.exercise == "BahdanauAttention" and not v.mistake],
)
def test_every_right_layer_of_the_bank_can_be_trained_in_the_translator(dates, variant):
    layer = variant_functions(STEM, variant)["BahdanauAttention"]
    corpus, x, y, *_ = dates
    sizes = len(corpus.source), len(corpus.target)

    def build():
        return translation.recurrent_translator(
            *sizes, time=x.shape[1], units=8, attention=layer(8)
        )

    (model,) = translation.train(build, x[:640], y[:640], seeds=[0], steps=20, jit_compile=False)
    step, s_0 = translation.decoding_step(model, x[:5])
    ids, weights = ch04.attention_decode(step, s_0, translation.START, corpus.target.end, 3)
    assert ids.shape == (5, 3) and np.isfinite(weights).all()
