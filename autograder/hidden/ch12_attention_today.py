"""Hidden checks of chapter 12."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import example
from coursekit.checks.ch12_attention_today import (
    continued_twice_examples,
    grouped_examples,
    layer_weights,
    linear_steps,
    refused_heads,
    refused_windows,
    rotary_examples,
    rotation_examples,
    running_examples,
    steps_examples,
    underflows,
)
from coursekit.checks.layers import layer_examples


@hidden_check
def rotate(rotate):
    rng = generator(121)
    for batch, time in ((3, 5), (2, 7)):
        x = rng.normal(size=(batch, time, 4))
        rotation_examples(rotate, x, rng.uniform(-20, 20, size=time))
    example(rotate, rng.normal(size=(4, 6, 10)), n=float(rng.uniform(20, 500)))
    example(rotate, rng.normal(size=(2, 3, 4)), np.zeros(3))
    example(rotate, rng.normal(size=(1300, 2)))


@hidden_check
def alibi_slopes(alibi_slopes, alibi_bias):
    rng = generator(122)
    for num_heads in (8, 2, 32, 1):
        example(alibi_slopes, num_heads)
        example(alibi_bias, num_heads, int(rng.integers(2, 7)))
    example(alibi_slopes, 128)
    example(alibi_bias, 8, 90)
    refused_heads(alibi_slopes, alibi_bias, (12, 5, 0, -8, 127))


@hidden_check
def grouped_query_attention(grouped_query_attention):
    rng = generator(123)
    for time_q, time_k, d in ((3, 5, 3), (4, 4, 6)):
        q = rng.normal(size=(3, 4, time_q, d))
        k, v = rng.normal(size=(2, 3, 2, time_k, d))
        grouped_examples(grouped_query_attention, q, k, v)
    q, (k, v) = rng.normal(size=(2, 6, 4, 3)), rng.normal(size=(2, 2, 3, 5, 3))
    example(grouped_query_attention, q, k, v)
    example(grouped_query_attention, q, np.repeat(k, 2, axis=1), np.repeat(v, 2, axis=1))
    example(grouped_query_attention, q, k[:, :2], v[:, :2])
    k, v = rng.normal(size=(2, 2, 3, 150, 3))
    example(grouped_query_attention, q, k, v)


@hidden_check
def cached_step(cached_step, cache_bytes):
    rng = generator(124)
    for batch, d in ((3, 5), (1, 2)):
        q, k, v = rng.normal(size=(3, 4, batch, d))
        steps_examples(cached_step, q, k, v)
    q, k, v = rng.normal(size=(3, 2, 6))
    cache = rng.normal(size=(2, 2, 9, 6))
    example(cached_step, q, k, v, tuple(cache))
    example(cached_step, q, k, v)
    example(cached_step, q, k, v, tuple(rng.normal(size=(2, 2, 150, 6))))
    continued_twice_examples(cached_step, *rng.normal(size=(3, 3, 6)))
    example(cached_step, 300 * q, 100 * np.sign(k), v, (-100 * np.sign(cache[0]), cache[1]))
    for numbers in rng.integers(2, 20, size=(3, 6)).tolist():
        example(cache_bytes, *numbers[:4])
        example(cache_bytes, *numbers)
    example(cache_bytes, 80, 8, 128, int(rng.integers(20_000, 40_000)), batch=2)


@hidden_check
def sliding_window_mask(sliding_window_mask, receptive_field):
    rng = generator(125)
    for length in (6, 9):
        example(sliding_window_mask, length, int(rng.integers(2, length)))
        example(sliding_window_mask, length, 1)
        example(sliding_window_mask, length, length + 3)
    example(sliding_window_mask, 150, int(rng.integers(60, 140)))
    for num_layers, window in rng.integers(2, 60, size=(4, 2)).tolist():
        example(receptive_field, num_layers, window)
    refused_windows(sliding_window_mask, receptive_field)


@hidden_check
def online_softmax_update(online_softmax_update, tiled_attention):
    rng = generator(126)
    for n, width in ((4, 2), (2, 5)):
        running_examples(
            online_softmax_update, rng.normal(size=(n, 3)), rng.normal(size=(3, width))
        )
    for time_q, time_k, d, d_v, block_size in (
        *((3, 7, 4, 2, 3), (5, 4, 2, 6, 9), (4, 4, 3, 2, 1), (2, 150, 3, 4, 8)),
        (2, 6, 3, 3, 2),
    ):
        q, k = rng.normal(size=(time_q, d)), rng.normal(size=(time_k, d))
        example(tiled_attention, q, k, rng.normal(size=(time_k, d_v)), block_size)
    example(tiled_attention, 300 * np.sign(q), 100 * np.sign(k), rng.normal(size=(6, 3)), 4)
    example(tiled_attention, 300 * np.abs(q), -100 * np.abs(k), rng.normal(size=(6, 3)), 4)


@hidden_check
def linear_attention(linear_attention, linear_attention_step):
    rng = generator(127)
    for batch, time, d, d_v in ((3, 5, 4, 2), (2, 6, 3, 5)):
        q, k = rng.normal(size=(2, batch, time, d))
        v = rng.normal(size=(batch, time, d_v))
        example(linear_attention, q, k, v)
        linear_steps(linear_attention_step, q, k, v)
        underflows(linear_attention, linear_attention_step, q, k, v)
    # As many tokens as columns, then a long text.
    example(linear_attention, *rng.normal(size=(3, 2, 4, 4)))
    example(linear_attention, *rng.normal(size=(3, 1, 300, 2)))


@hidden_check
def RotarySelfAttention(RotarySelfAttention):
    rng = generator(128)
    # Three query heads share each of two key heads, and a head has two pairs.
    num_heads, num_kv_heads, width, batch, time = 6, 2, 4, 3, 5
    d_model = num_heads * width
    x = rng.normal(size=(batch, time, d_model))
    weights = layer_weights(rng, d_model, num_kv_heads * width)
    padded = np.arange(time) < rng.integers(2, time, size=(batch, 1))
    settings = d_model, num_heads, num_kv_heads, float(rng.uniform(20, 500))
    # A long text first: to name what it shows, no wrong answer is asked anything else.
    layer_examples(RotarySelfAttention, settings, rng.normal(size=(1, 300, d_model)), weights)
    rotary_examples(RotarySelfAttention, settings, x, weights, padded)
    for d_model, reason in [(18, "heads of an odd width"), (26, "26 columns for 6 heads")]:
        example(RotarySelfAttention, d_model, 6, raises=ValueError, because=reason)
    example(RotarySelfAttention, 16, 4, 3, raises=ValueError, because="4 heads with 3 key heads")
