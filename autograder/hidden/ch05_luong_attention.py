"""Hidden checks of chapter 5."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import ByImportPath, example
from coursekit.checks.attention_layers import attention_layer_examples
from coursekit.checks.ch05_luong_attention import (
    LARGE_IN_FLOAT32,
    finite_for_large_scores,
    layer_with_weights,
    looks_up,
    luong_examples,
    step_examples,
)
from coursekit.checks.layers import some_mask

# batch, time, and the widths m of the decoder state and n of the source states
SIZES = [(4, 6, 3, 5), (3, 2, 7, 4), (1, 5, 2, 2)]


@hidden_check
def score_dot(score_dot, score_general, score_concat):
    rng = generator(51)
    for batch, time, m, n in SIZES:
        s, h = rng.normal(size=(batch, m)), rng.normal(size=(batch, time, n))
        example(score_dot, rng.normal(size=(batch, n)), h)
        example(score_general, s, h, rng.normal(size=(m, n)))
        w_a, v_a = rng.normal(0, 0.5, size=(m + n, 4)), rng.normal(size=4)
        example(score_concat, s, h, w_a, v_a)
    example(score_dot, rng.normal(size=(2, 3)), rng.integers(-3, 4, size=(2, 4, 3)))
    example(score_dot, rng.integers(-3, 4, size=(2, 3)), rng.normal(size=(2, 4, 3)))
    s, h = rng.integers(-3, 4, size=(2, 2)), rng.integers(-3, 4, size=(2, 4, 3))
    example(score_general, s, h, rng.normal(size=(2, 3)))
    example(score_concat, s, h, rng.normal(0, 0.5, size=(5, 4)), rng.normal(size=4))
    # A source of a single state.
    example(score_dot, rng.normal(size=(3, 2)), rng.normal(size=(3, 1, 2)))
    # Batch, time and widths are the same, so a product over the wrong axis raises no error.
    s, h, w_a = rng.normal(size=(3, 3)), rng.normal(size=(3, 3, 3)), rng.normal(size=(3, 3))
    example(score_dot, s, h)
    example(score_general, s, h, w_a)
    example(score_concat, s, h, rng.normal(0, 0.5, size=(6, 3)), rng.normal(size=3))


@hidden_check
def attentional_state(attentional_state):
    rng = generator(52)
    for batch, m_c, m_s, m in [(4, 5, 3, 2), (1, 2, 6, 7), (3, 4, 4, 4)]:
        w_c = rng.normal(0, 0.4, size=(m_c + m_s, m))
        example(
            attentional_state, rng.normal(size=(batch, m_c)), rng.normal(size=(batch, m_s)), w_c
        )
    context, s = rng.integers(-2, 3, size=(2, 3, 4))
    w_c = rng.normal(0, 0.2, size=(8, 3))
    example(attentional_state, context, s, w_c)
    example(attentional_state, context, 0.3 * s, w_c)


@hidden_check
def luong_step(luong_step):
    rng = generator(53)
    for (batch, time, m, n), (width, vocab) in zip(SIZES, [(4, 9), (6, 3), (3, 8)], strict=True):
        s, h = rng.normal(size=(batch, m)), rng.normal(size=(batch, time, n))
        w = rng.normal(0, 0.5, size=(m, n))
        w_c, w_y = rng.normal(0, 0.4, size=(m + n, width)), rng.normal(size=(width, vocab))
        step_examples(luong_step, s, h, w, w_c, w_y)
    s, h = rng.integers(-2, 3, size=s.shape), rng.integers(-2, 3, size=h.shape)
    score = ByImportPath("coursekit.checks.ch05_luong_attention:distance_score", w, 0.3)
    example(luong_step, s, h, w_c, w_y, score)


@hidden_check
def predicted_position(predicted_position):
    rng = generator(54)
    for batch, m, u in [(5, 3, 4), (1, 6, 2), (4, 4, 4)]:
        s = rng.normal(size=(batch, m))
        w_p, v_p = rng.normal(0, 0.6, size=(m, u)), rng.normal(size=u)
        example(predicted_position, s, w_p, v_p, int(rng.integers(5, 30)))
        example(predicted_position, s, w_p, v_p, rng.integers(2, 30, size=batch))
    example(predicted_position, s, w_p, 1000 * v_p, 9, tolerance=LARGE_IN_FLOAT32)
    example(predicted_position, s, w_p, v_p, rng.integers(2, 30, size=4) * 1.0)
    example(predicted_position, rng.integers(-1, 2, size=s.shape), w_p, v_p, 12)


@hidden_check
def local_window(local_window):
    rng = generator(55)
    for batch, time in [(7, 9), (1, 4), (5, 5)]:
        centres = rng.uniform(-0.5, time - 0.5, size=batch)
        example(local_window, centres, int(rng.integers(1, 4)), time)
        example(local_window, centres, float(rng.uniform(0.3, 3)), time)
        example(local_window, centres, float(rng.uniform(0.05, 0.2)), time)
    # Centres of local-m, whose windows end at a position and reach beyond the source.
    example(local_window, rng.permutation(8), 2, 8)


@hidden_check
def local_attention_weights(local_attention_weights):
    rng = generator(56)
    for batch, time in [(6, 9), (3, 4), (4, 4), (1, 7)]:
        scores = rng.normal(0, 1.5, size=(batch, time))
        centres = rng.uniform(-0.4, time - 0.6, size=batch)
        for half_width in (int(rng.integers(1, 4)), float(rng.uniform(0.6, 3))):
            example(local_attention_weights, scores, centres, half_width)
    example(local_attention_weights, scores, rng.permutation(time)[:1], 2)
    example(local_attention_weights, rng.integers(-2, 3, size=(1, 6)), np.array([2.3]), 1.6)
    # Far apart, with the highest of them outside the window; the last windows hold no position.
    # float32 holds sixteenths exactly.
    scores = rng.integers(-3, 4, size=(5, 8)) * 500.0 + np.round(16 * rng.normal(size=(5, 8))) / 16
    scores[:2, 4] += 5000
    centres = np.array([1.2, 6.6, 3.5, -4.0, 12.0]) + rng.uniform(0, 0.3, size=5)
    example(local_attention_weights, scores, centres, 1.9)
    # Lower than what some answers take for minus infinity.
    scores = rng.integers(-3, 4, size=(3, 8)) - 20000.0
    example(local_attention_weights, scores, centres[:3], 1.9)


@hidden_check
def LuongAttention(LuongAttention):
    rng = generator(57)
    for batch, time, m, n, units in [(4, 6, 3, 5, 2), (3, 5, 6, 4, 7)]:
        s, h = rng.normal(size=(batch, m)), rng.normal(size=(batch, time, n))
        mask = some_mask(rng, batch, time)
        state = rng.normal(size=(batch, n))
        layer = attention_layer_examples(LuongAttention, (), state, h, mask, [])
        finite_for_large_scores(layer, state, h, mask)
        w_general = rng.normal(0, 0.6, size=(m, n))
        w_concat, v_concat = rng.normal(0, 0.5, size=(m + n, units)), rng.normal(size=units)
        layer_with_weights(LuongAttention, ("general", units), s, h, [w_general])
        luong_examples(LuongAttention, s, h, mask, w_general, w_concat, v_concat)


@hidden_check
def fit_lookup(fit_lookup):
    # On one draw in many a right answer reaches less; a wrong one never comes near to this.
    looks_up(fit_lookup, generator(58), share=0.75, renumbered=1)
