"""Hidden checks of chapter 4."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import example
from coursekit.checks.attention_layers import attention_layer_examples
from coursekit.checks.ch04_bahdanau_attention import decoding_examples, softmax_examples
from coursekit.checks.decoding import some_words
from coursekit.checks.layers import some_mask


@hidden_check
def annotations(annotations):
    rng = generator(41)
    for batch, steps, units in [(3, 5, 2), (2, 1, 4), (4, 6, 3)]:
        example(annotations, *rng.normal(size=(2, batch, steps, units)))


@hidden_check
def additive_score(additive_score):
    rng = generator(42)
    for sizes in SIZES:
        s_prev, h, w_1, w_2, v = some_attention(rng, *sizes)
        example(additive_score, s_prev, h, w_1, w_2, v)


# Sentences, positions, entries of an annotation, entries of a state, units of the score.
SIZES = [(4, 4, 5, 2, 3), (3, 6, 2, 4, 3), (5, 2, 3, 6, 1), (2, 7, 5, 1, 4), (3, 1, 2, 3, 2)]


def some_attention(rng, batch, steps, n, m, units):
    """Draw states, annotations and weights whose sums leave the straight part of tanh."""
    s_prev, h = rng.normal(size=(batch, m)), rng.normal(size=(batch, steps, n))
    w_1, w_2 = rng.normal(0, 0.6, size=(n, units)), rng.normal(0, 0.6, size=(m, units))
    return s_prev, h, w_1, w_2, rng.normal(0, 1.2, size=units)


@hidden_check
def concat_score(concat_score, split_weights):
    rng = generator(43)
    for batch, steps, n, m, units in SIZES:
        s_prev, h, w_1, w_2, v = some_attention(rng, batch, steps, n, m, units)
        w = np.concatenate([w_1, w_2])
        example(concat_score, s_prev, h, w, v)
        example(split_weights, w, n)


@hidden_check
def masked_softmax(masked_softmax):
    rng = generator(44)
    for batch, steps in [(4, 6), (6, 3), (3, 8)]:
        mask = some_mask(rng, batch, steps)
        softmax_examples(masked_softmax, rng.normal(0, 2, size=(batch, steps)), mask)
    # Rows far apart: one maximum for all of them would leave a sum of zero. float32 holds them.
    large = rng.integers(-128, 129, size=(3, 5)) / 64 + np.array([[1e4], [0.0], [-1e4]])
    example(masked_softmax, large)
    mask = some_mask(rng, 3, 5)
    example(masked_softmax, large, mask)
    example(masked_softmax, np.where(mask, large[1], 1e4), mask)
    because = "a row in which every position is masked"
    example(masked_softmax, large, mask & False, raises=ValueError, because=because)
    mask[rng.integers(3)] = False
    example(masked_softmax, large, mask, raises=ValueError, because=because)


@hidden_check
def context_vector(context_vector):
    rng = generator(45)
    for batch, steps, n in [(4, 6, 3), (3, 3, 3), (5, 2, 7)]:
        weights = rng.uniform(size=(batch, steps))
        weights /= weights.sum(axis=1, keepdims=True)
        example(context_vector, weights, rng.normal(size=(batch, steps, n)))
        example(context_vector, 0.5 * weights, rng.normal(size=(batch, steps, n)))


@hidden_check
def BahdanauAttention(BahdanauAttention):
    rng = generator(46)
    for sizes in [(4, 4, 3, 2, 5), (3, 6, 2, 4, 3)]:
        s_prev, h, w_1, w_2, v = some_attention(rng, *sizes)
        mask = some_mask(rng, *sizes[:2])
        weights = [w_1, w_2, v[:, None]]
        attention_layer_examples(BahdanauAttention, (len(v),), s_prev, h, mask, weights)


@hidden_check
def attention_decode(attention_decode):
    rng = generator(47)
    for rows, last, vocab_size in [(4, 6, 9), (3, 4, 12), (5, 1, 7)]:
        words, start_id, end_id = some_words(rng, rows, last, vocab_size)
        s_0 = np.stack([rng.permutation(rows), np.zeros(rows)], axis=1)
        limits = [last + 3, last, max(last - 2, 1)]
        decoding_examples(attention_decode, words, s_0, start_id, end_id, vocab_size, limits)


@hidden_check
def accuracy_by_length(accuracy_by_length):
    rng = generator(48)
    for rows, width, other_width in [(40, 6, 9), (30, 8, 5)]:
        predicted, target, end_id = some_translations(rng, rows, width, other_width)
        lengths = rng.choice([2, 3, 5, 11], size=rows)
        example(accuracy_by_length, predicted, target, lengths, end_id)
    # Other words, whose digits in a row are the same.
    example(accuracy_by_length, np.array([[1, 12, 3]]), np.array([[11, 2, 3]]), np.array([5]), 3)


def some_translations(rng, rows, width, other_width):
    """Draw targets and predictions of another width, exact ones and wrong ones of several kinds."""
    end_id = int(rng.integers(3, 8))
    words = [word for word in range(12) if word != end_id]
    target = rng.choice(words, size=(rows, other_width))
    predicted = rng.choice(words, size=(rows, width))
    shared = min(width, other_width)
    predicted[:, :shared] = target[:, :shared]
    for row, kind in enumerate(rng.permutation(np.arange(rows) % 7)):
        end = rng.integers(1, shared - 1)
        if kind == 0:  # a prediction that never ends, right as far as it goes if there is room
            target[row, width if width < other_width else end] = end_id
            continue
        target[row, end] = predicted[row, end] = end_id
        if kind == 1:  # one wrong word
            place = rng.integers(end)
            predicted[row, place] = rng.choice(
                [word for word in words if word != target[row, place]]
            )
        if kind == 2:  # an end too early
            predicted[row, rng.integers(end)] = end_id
        if kind == 5:  # words in another order
            predicted[row, :end] = np.roll(predicted[row, :end], 1)
        if kind == 3:  # exact, with another end later
            predicted[row, end + 1] = end_id
        if kind == 4:  # an end too late
            predicted[row, end : end + 2] = rng.choice(words), end_id
        predicted[row, end + 2 :] = rng.permutation(predicted[row, end + 2 :])
    return predicted, target, end_id


@hidden_check
def alignment_share(alignment_share):
    rng = generator(49)
    for batch, steps, time in [(5, 4, 6), (4, 4, 4), (3, 7, 3)]:
        example(alignment_share, *some_alignment(rng, batch, steps, time))
    weights, aligned = some_alignment(rng, 4, 3, 5)
    example(alignment_share, weights, np.full_like(aligned, -1))


def some_alignment(rng, batch, steps, time):
    """Draw weights, some with two largest ones, and positions; rows have unequally many of them."""
    weights = rng.dirichlet(np.ones(time), size=(batch, steps))
    largest = weights.argmax(axis=2)
    aligned = np.where(rng.uniform(size=(batch, steps)) < 0.6, largest, (largest + 1) % time)
    first, second = np.sort(rng.permutation(time)[:2])
    weights[0, 0, [first, second]] = weights[0, 0].max()
    aligned[0, 0] = second
    known = rng.uniform(size=(batch, steps)) < np.linspace(1.0, 0.3, batch)[:, None]
    known[1, :2] = True, False
    return weights, np.where(known, aligned, -1)
