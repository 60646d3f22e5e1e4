"""Hidden checks of chapter 3."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import example
from coursekit.checks.ch03_custom_attention_layer import (
    bounded_examples,
    leaking_targets,
    map_examples,
    network_examples,
    otherwise_masked,
    pooling_examples,
)
from coursekit.checks.layers import configuration_examples, require_adam, some_mask


@hidden_check
def fibonacci(fibonacci):
    rng = generator(31)
    for n in (2, 3, int(rng.integers(20, 60)), 0, 1, 100, 1474, int(rng.integers(1200, 1400))):
        example(fibonacci, n)


@hidden_check
def make_supervised(make_supervised):
    rng = generator(32)
    example(make_supervised, rng.normal(size=31), 5, 0.63)
    example(make_supervised, rng.normal(size=26), 4, 0.6, seed=0)
    for length, steps, fraction in [(24, 3, 0.71), (40, 7, 0.5), (9, 1, 0.35)]:
        seed = int(rng.integers(100, 10_000))
        example(make_supervised, rng.normal(size=length), steps, fraction, seed=seed)


@hidden_check
def count_leaked_targets(count_leaked_targets, split_without_leak):
    rng = generator(38)
    for examples, steps in [(9, 4), (5, 3)]:
        values = rng.permutation(60)[: examples * (steps + 1) + 5] / 7
        train_x, train_y, test_y = leaking_targets(values, examples, steps)
        example(count_leaked_targets, train_x, train_y, rng.permutation(test_y))
        example(count_leaked_targets, 1e-9 * train_x, 1e-9 * train_y, 1e-9 * test_y)
    # 20.13 first, which is rounded down: whoever goes one value too far does not round.
    for length, steps, fraction in [(33, 6, 0.61), (24, 3, 0.71), (19, 1, 0.35)]:
        example(split_without_leak, rng.normal(size=length), steps, fraction)


@hidden_check
def constant_baseline(constant_baseline):
    rng = generator(37)
    for length, other in [(17, 9), (8, 8), (3, 20)]:
        train_y, test_y = rng.gamma(1.0, 2.0, size=length) - 1, rng.gamma(1.0, 3.0, size=other)
        example(constant_baseline, train_y, test_y)
    example(constant_baseline, rng.integers(-9, 10, size=6), rng.integers(-9, 10, size=8))


@hidden_check
def alignment_scores(alignment_scores, attention_weights, attend):
    rng = generator(33)
    for batch, steps, features in [(4, 6, 3), (5, 2, 7), (1, 9, 1)]:
        x = rng.normal(size=(batch, steps, features))
        w, b = rng.normal(0, 0.5, size=(features, 1)), rng.normal(0, 0.5, size=(steps, 1))
        example(alignment_scores, x, w, b)
        example(attention_weights, rng.normal(0, 2, size=(batch, steps)))
        weights = rng.uniform(size=(batch, steps))
        example(attend, x, weights / weights.sum(axis=1, keepdims=True))
        whole = rng.integers(-3, 4, size=x.shape)
        example(alignment_scores, whole, w, b)
        example(attend, whole, weights)
    # Rows far apart: one maximum for all of them would leave a sum of zero. float32 holds them.
    large = rng.integers(-128, 129, size=(3, 5)) / 64 + np.array([[2000.0], [0.0], [-2000.0]])
    example(attention_weights, large)


@hidden_check
def AttentionPooling(AttentionPooling):
    rng = generator(34)
    for batch, steps, features in [(5, 7, 3), (3, 4, 6)]:
        x, w, b = some_pooling(rng, batch, steps, features)
        mask = some_mask(rng, batch, steps)
        loud = np.where(mask[:, :, None], x, 100 * x)  # a masked step that leaks shall be heard
        layer = pooling_examples(AttentionPooling, x, w, b, mask, loud)
    # Last, because the reference cannot be made of a configuration with settings of the answer's.
    configuration_examples(AttentionPooling, layer, x, [w, b])


def some_pooling(rng, batch, steps, features):
    """Draw x and weights whose scores leave the straight part of tanh without being saturated."""
    x = rng.normal(size=(batch, steps, features))
    return x, rng.normal(0, 0.6, size=(features, 1)), rng.normal(0, 0.6, size=(steps, 1))


@hidden_check
def BoundedPooling(BoundedPooling):
    rng = generator(39)
    for batch, steps, features, bound in [(5, 7, 3, 0.7), (3, 4, 6, 2.5)]:
        x, w, _ = some_pooling(rng, batch, steps, features)
        mask = some_mask(rng, batch, steps)
        loud = np.where(mask[:, :, None], x, 100 * x)
        layer = bounded_examples(BoundedPooling, bound, x, w, mask, loud)
    # Last, because the reference cannot be made of a configuration with settings of the answer's.
    configuration_examples(BoundedPooling, layer, x, [w])


@hidden_check
def create_rnn_with_attention(create_rnn_with_attention):
    rng = generator(35)
    batch, steps, features, units, outputs = 4, 5, 3, 6, 2
    x, rnn = rng.normal(size=(batch, steps, features)), some_rnn(rng, features, units)
    _, w, b = some_pooling(rng, batch, steps, units)
    dense = [rng.normal(0, 0.5, size=(units, outputs)), rng.normal(0, 0.5, size=outputs)]
    args = (units, outputs, (steps, features), "softsign")
    pooled = rng.normal(size=(batch, units))
    model = network_examples(create_rnn_with_attention, args, x, [*rnn, w, b, *dense], pooled)
    require_adam(model, rng.uniform(0.1, 3.0, size=6))


def some_rnn(rng, features, units):
    shapes = [(features, units), (units, units), (units,)]
    return [rng.normal(0, 0.5, size=shape) for shape in shapes]


@hidden_check
def attention_map(attention_map):
    rng = generator(36)
    batch, steps, features = 4, 5, 3
    rnn, (x, w, b) = some_rnn(rng, features, features), some_pooling(rng, batch, steps, features)
    map_examples(attention_map, "plain", [*rnn, w, b], x)
    # Fewer steps than features.
    _, _, few = some_pooling(rng, 1, 2, features)
    map_examples(attention_map, "plain", [*rnn, w, few], x[:, :2])
    map_examples(attention_map, "functional", [*rnn, w, b], x)
    map_examples(attention_map, "lone", [*rnn, w, b], x)
    x[:, 1] = 0.0
    map_examples(attention_map, "deeper", [*rnn, w, b], x)
    batch, steps, features, units = 5, 6, 2, 4
    rnn, mask = some_rnn(rng, features, units), some_mask(rng, batch, steps)
    x, (_, w, b) = rng.normal(size=(batch, steps, features)), some_pooling(rng, 1, steps, units)
    map_examples(attention_map, "masked", [*rnn, w, b], x * mask[:, :, None])
    map_examples(attention_map, "otherwise masked", [*rnn, w, b], otherwise_masked(x, mask))
