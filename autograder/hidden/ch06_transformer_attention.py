"""Hidden checks of chapter 6."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import example
from coursekit.checks.ch06_transformer_attention import (
    attention_of_large_scores,
    attention_with_axes,
    causality_examples,
    heads_examples,
    self_attention_examples,
)
from coursekit.checks.layers import some_mask


@hidden_check
def scaled_dot_product_attention(scaled_dot_product_attention):
    rng = generator(61)
    for time_q, time_k, d_k, d_v in [(4, 7, 3, 5), (6, 2, 5, 1)]:
        q, k = rng.normal(size=(time_q, d_k)), rng.normal(size=(time_k, d_k))
        v = rng.normal(size=(time_k, d_v))
        example(scaled_dot_product_attention, q, k, v)
        example(scaled_dot_product_attention, q, k, v, some_mask(rng, time_q, time_k)[0])
        mask = some_mask(rng, time_q, time_k)
        example(scaled_dot_product_attention, q, k, v, mask=mask)
        mask[rng.integers(time_q)] = False
        example(scaled_dot_product_attention, q, k, v, mask=mask)
        example(scaled_dot_product_attention, q, k, v, mask=mask & False)
    attention_with_axes(scaled_dot_product_attention, rng.normal(size=(3, 5, 4)))
    attention_of_large_scores(scaled_dot_product_attention, rng.normal(size=3))


@hidden_check
def causal_mask(causal_mask, padding_mask):
    rng = generator(62)
    # In the masks of one or two tokens several mistakes look alike.
    for length in (*rng.permutation([4, 7, 9]), 2, 1):
        example(causal_mask, int(length))
    for batch, length in [(5, 8), (3, 4), (1, 2)]:
        example(padding_mask, rng.integers(0, length, size=batch), length)
        example(padding_mask, rng.integers(1, length + 1, size=batch), length)


@hidden_check
def split_heads(split_heads, merge_heads):
    rng = generator(63)
    for batch, time, num_heads, width in [(2, 5, 3, 4), (4, 3, 2, 5), (3, 2, 6, 1)]:
        x = rng.normal(size=(batch, time, num_heads * width))
        heads_examples(split_heads, merge_heads, x, num_heads)


@hidden_check
def multi_head_attention(multi_head_attention):
    rng = generator(64)
    for batch, time_q, time_k, num_heads, width in [
        (2, 3, 5, 2, 3),
        (3, 6, 4, 3, 2),
        (2, 2, 7, 1, 5),
    ]:
        d_model = num_heads * width
        q, k, v = (rng.normal(size=(batch, time, d_model)) for time in (time_q, time_k, time_k))
        weights = some_weights(rng, d_model)
        example(multi_head_attention, q, k, v, *weights, num_heads)
        mask = some_mask(rng, time_q, time_k)
        example(multi_head_attention, q, k, v, *weights, num_heads, mask)
        masks = some_mask(rng, batch, time_q, time_k)
        example(multi_head_attention, q, k, v, *weights, num_heads, mask=masks)
        masks[:, rng.integers(time_q)] = False
        example(multi_head_attention, q, k, v, *weights, num_heads, mask=masks)
        example(multi_head_attention, q, k, v, *weights, num_heads, mask=masks & False)
    apart, unchanged = 100 * np.eye(4)[None], [np.eye(4)] * 3
    values, w_o = rng.normal(size=(1, 4, 4)), rng.normal(size=(4, 4))
    example(multi_head_attention, apart, apart, values, *unchanged, w_o, 2)


def some_weights(rng, d_model):
    """Draw w_q, w_k, w_v and w_o so that no head is saturated."""
    return list(rng.normal(0, 1.2 / np.sqrt(d_model), size=(4, d_model, d_model)))


@hidden_check
def MultiHeadSelfAttention(MultiHeadSelfAttention):
    rng = generator(65)
    for batch, time, num_heads, width in [(3, 5, 3, 2), (2, 4, 2, 4)]:
        x = rng.normal(size=(batch, time, num_heads * width))
        masks = some_mask(rng, batch, time, time) | np.eye(time, dtype=bool)
        weights = some_weights(rng, num_heads * width)
        self_attention_examples(MultiHeadSelfAttention, num_heads, x, weights, masks)


@hidden_check
def softmax_jacobian(softmax_jacobian, logit_variance):
    rng = generator(66)
    for n in (4, 7, 2):
        example(softmax_jacobian, rng.dirichlet(np.ones(n)))
    for d_k in (int(rng.integers(5, 50)), int(rng.integers(80, 500)), 1):
        example(logit_variance, d_k, False)
        example(logit_variance, d_k, True)


@hidden_check
def attention_pooling_regression(attention_pooling_regression):
    rng = generator(67)
    for queries, n in [(5, 9), (7, 4)]:
        x_train, y_train = rng.uniform(-2, 2, size=n), rng.normal(size=n)
        near, bandwidth = rng.uniform(-2.5, 2.5, size=queries), rng.uniform(0.3, 0.9)
        example(attention_pooling_regression, near, x_train, y_train, bandwidth)
        far = np.append(near, rng.uniform(60, 90) * rng.choice([-1, 1]))
        # No two of them are equal, or the nearest input would not be a single one.
        x_train = rng.choice(np.arange(-20, 21), size=n, replace=False) / 10
        example(attention_pooling_regression, far, x_train, y_train, 0.25)
    example(attention_pooling_regression, np.arange(-1, 3), x_train, y_train, 0.5)


@hidden_check
def is_causal(is_causal):
    rng = generator(68)
    for batch, time, features in [(3, 7, 4), (2, 8, 3)]:
        x = rng.normal(size=(batch, time, features))
        x[:2, 0, 0] = -np.abs(x[0, 0, 0]), np.abs(x[1, 0, 0])
        causality_examples(is_causal, x, far=int(rng.integers(time // 2, time - 1)))
