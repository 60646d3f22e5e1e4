"""Hidden checks of chapter 3."""

import numpy as np

from autograder.hidden import Reference, generator, hidden_check
from coursekit.checks import attempt
from coursekit.checks.ch03_custom_attention_layer import (
    ALL_MASKED,
    BEHIND_MASKING,
    DENSE_ONLY,
    FROM_INPUTS,
    INPUTS_ZEROED,
    LAST_AXIS,
    MAP_UNMASKED,
    MASK_AFTER,
    MASK_IGNORED,
    MASK_INVERTED,
    MEAN,
    NO_BIAS,
    NO_TANH,
    NOT_ITS_INPUT,
    OVER_ALL,
    OVER_BATCH,
    OVERFLOW,
    SCORE_ZEROED,
    SCORES,
    SHORT,
    are_floats,
    attempt_map,
    built_layer,
    is_finite,
    masked_call,
    naming,
    network_agrees,
    works_in_a_model,
)

reference = Reference("ch03_custom_attention_layer")


@hidden_check
def fibonacci(fibonacci):
    rng = generator(31)
    for n in (2, 3, int(rng.integers(20, 60))):
        reference.agrees(fibonacci, n)
    for n in (0, 1):
        with naming(SHORT):
            reference.agrees(fibonacci, n)
    are_floats(attempt(fibonacci, 100))
    reference.agrees(fibonacci, int(rng.integers(1200, 1400)))


@hidden_check
def make_supervised(make_supervised):
    rng = generator(32)
    reference.agrees(make_supervised, rng.normal(size=31), 5, 0.63)
    for length, steps, fraction in [(24, 3, 0.71), (40, 7, 0.5), (9, 1, 0.35)]:
        seed = int(rng.integers(100, 10_000))
        reference.agrees(make_supervised, rng.normal(size=length), steps, fraction, seed=seed)


@hidden_check
def alignment_scores(alignment_scores, attention_weights, attend):
    rng = generator(33)
    for batch, steps, features in [(4, 6, 3), (5, 2, 7), (1, 9, 1)]:
        x = rng.normal(size=(batch, steps, features))
        w, b = rng.normal(0, 0.5, size=(features, 1)), rng.normal(0, 0.5, size=(steps, 1))
        reference.agrees(alignment_scores, x, w, b)
        reference.agrees(attention_weights, rng.normal(0, 2, size=(batch, steps)))
        weights = rng.uniform(size=(batch, steps))
        reference.agrees(attend, x, weights / weights.sum(axis=1, keepdims=True))
    # Rows far apart: one maximum for all of them would leave a sum of zero. float32 holds them.
    large = rng.integers(-128, 129, size=(3, 5)) / 64 + np.array([[2000.0], [0.0], [-2000.0]])
    is_finite(attempt(attention_weights, large), OVERFLOW)
    reference.agrees(attention_weights, large)


@hidden_check
def AttentionPooling(AttentionPooling):
    rng = generator(34)
    for batch, steps, features in [(5, 7, 3), (3, 4, 6)]:
        x, w, b = some_pooling(rng, batch, steps, features)
        layer = built_layer(AttentionPooling, x, w, b)
        attempt(layer, x).gives(*poolings(x, w, b))
        mask = some_mask(rng, batch, steps)
        loud = np.where(mask[:, :, None], x, 100 * x)  # a masked step that leaks shall be heard
        masked_call(layer, loud, mask).gives(*masked_poolings(loud, w, b, mask))
    mask[1] = False
    is_finite(masked_call(layer, x, mask), ALL_MASKED)
    mask[1, 2] = True
    masked, _ = masked_poolings(x * mask[:, :, None], w, b, mask)
    works_in_a_model(AttentionPooling, layer, [w, b], x, gradients(x, w, b), mask, masked)


def some_pooling(rng, batch, steps, features):
    """Draw x and weights whose scores leave the straight part of tanh without being saturated."""
    x = rng.normal(size=(batch, steps, features))
    return x, rng.normal(0, 0.6, size=(features, 1)), rng.normal(0, 0.6, size=(steps, 1))


def some_mask(rng, batch, steps):
    """Draw a mask in which every row has steps of both kinds."""
    mask = rng.uniform(size=(batch, steps)) < 0.6
    rows = np.arange(batch)
    first = rng.integers(0, steps, size=batch)
    mask[rows, first], mask[rows, (first + 1) % steps] = True, False
    return mask


def softmax(scores, mask=True, axis=1):
    shares = np.exp(scores) * mask
    return shares / shares.sum(axis=axis, keepdims=True)


def pool(x, weights):
    return np.einsum("bt,btf->bf", weights, x)


def scores_of(x, w, b):
    return reference("alignment_scores", x, w, b)


def poolings(x, w, b):
    """Return what an AttentionPooling gives and what the known mistakes give."""
    scores = scores_of(x, w, b)
    return pool(x, softmax(scores)), {
        NO_TANH: pool(x, softmax((x @ w + b)[:, :, 0])),
        NO_BIAS: pool(x, softmax(scores_of(x, w, 0 * b))),
        LAST_AXIS: x.sum(axis=1),
        OVER_BATCH: pool(x, softmax(scores, axis=0)),
        OVER_ALL: pool(x, softmax(scores, axis=None)),
        MEAN: x.mean(axis=1),
    }


def gradients(x, w, b):
    """Return those of the sum of the squares of what an AttentionPooling gives."""
    scores = scores_of(x, w, b)
    weights = softmax(scores)
    pooled = pool(x, weights)
    of_weights = 2 * np.einsum("btf,bf->bt", x, pooled)
    of_scores = weights * (of_weights - np.sum(weights * of_weights, axis=1, keepdims=True))
    of_sums = of_scores * (1 - scores**2)
    return [np.einsum("bt,btf->f", of_sums, x)[:, None], of_sums.sum(axis=0)[:, None]]


def masked_poolings(x, w, b, mask):
    """Return what an AttentionPooling gives under a mask and what the known mistakes give."""
    scores, zeroed = scores_of(x, w, b), x * mask[:, :, None]
    return pool(x, softmax(scores, mask)), {
        MASK_IGNORED: pool(x, softmax(scores)),
        MASK_INVERTED: pool(x, softmax(scores, ~mask)),
        MASK_AFTER: pool(x, softmax(scores) * mask),
        SCORE_ZEROED: pool(x, softmax(scores * mask)),
        INPUTS_ZEROED: pool(zeroed, softmax(scores_of(zeroed, w, b))),
    }


@hidden_check
def create_rnn_with_attention(create_rnn_with_attention):
    rng = generator(35)
    batch, steps, features, units, outputs = 4, 5, 3, 6, 2
    x, weights = rng.normal(size=(batch, steps, features)), some_rnn(rng, features, units)
    _, w, b = some_pooling(rng, batch, steps, units)
    w_y, b_y = rng.normal(0, 0.5, size=(units, outputs)), rng.normal(0, 0.5, size=outputs)
    network_agrees(
        create_rnn_with_attention,
        ("softsign", softsign),
        x,
        [*weights, w, b, w_y, b_y],
        states=states_of(x, weights, softsign),
        states_of={DENSE_ONLY: states_of(x, weights, np.tanh)},
        pooled=rng.normal(size=(batch, units)),
    )


def some_rnn(rng, features, units):
    shapes = [(features, units), (units, units), (units,)]
    return [rng.normal(0, 0.5, size=shape) for shape in shapes]


def softsign(a):
    return a / (1 + np.abs(a))


def states_of(x, weights, activation=np.tanh, mask=None):
    """Return the states (batch, time, units) of a SimpleRNN; a masked step keeps the last one."""
    w_x, w_h, b_h = weights
    h_t, states = np.zeros((len(x), len(w_h))), []
    for t in range(x.shape[1]):
        new = activation(x[:, t] @ w_x + h_t @ w_h + b_h)
        h_t = new if mask is None else np.where(mask[:, t, None], new, h_t)
        states.append(h_t)
    return np.stack(states, axis=1)


@hidden_check
def attention_map(attention_map):
    rng = generator(36)
    batch, steps, features = 4, 5, 3
    rnn, (x, w, b) = some_rnn(rng, features, features), some_pooling(rng, batch, steps, features)
    states = states_of(x, rnn)
    scores = scores_of(states, w, b)
    mistakes = {
        FROM_INPUTS: softmax(scores_of(x, w, b)),
        SCORES: scores,
        NO_TANH: softmax((states @ w + b)[:, :, 0]),
        OVER_BATCH: softmax(scores, axis=0),
    }
    attempt_map(attention_map, "", [*rnn, w, b], x).gives(softmax(scores), mistakes)
    attempt_map(attention_map, "deeper", [*rnn, w, b], x).gives(
        softmax(scores_of(np.tanh(states), w, b)), {NOT_ITS_INPUT: softmax(scores)}
    )

    batch, steps, features, units = 5, 6, 2, 4
    rnn, mask = some_rnn(rng, features, units), some_mask(rng, batch, steps)
    x, (_, w, b) = rng.normal(size=(batch, steps, features)), some_pooling(rng, 1, steps, units)
    x *= mask[:, :, None]
    scores = scores_of(states_of(x, rnn, mask=mask), w, b)
    trial = attempt_map(attention_map, "masked", [*rnn, w, b], x)
    with naming(BEHIND_MASKING):
        _ = trial.value
    mistakes = {
        MAP_UNMASKED: softmax(scores),
        MASK_AFTER: softmax(scores) * mask,
        MASK_INVERTED: softmax(scores, ~mask),
    }
    trial.gives(softmax(scores, mask), mistakes)


@hidden_check
def constant_baseline(constant_baseline):
    rng = generator(37)
    for length, other in [(17, 9), (8, 8), (3, 20)]:
        train_y, test_y = rng.gamma(1.0, 2.0, size=length), rng.gamma(1.0, 3.0, size=other)
        reference.agrees(constant_baseline, train_y, test_y)
