"""Hidden checks of chapter 10."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import example
from coursekit.checks.ch10_transformer_model import (
    decoder_examples,
    decoding_examples,
    dropout_examples,
    encoder_examples,
    norm_examples,
    rate_examples,
    require_no_dropout,
    shape_examples,
    transformer_examples,
)
from coursekit.checks.decoding import some_words


@hidden_check
def layer_norm(layer_norm, feed_forward):
    rng = generator(101)
    for batch, time, d, d_ff in [(3, 4, 6, 5), (4, 2, 3, 7)]:
        x = 2 * rng.normal(size=(batch, time, d)) + 1
        gamma, beta = rng.normal(size=d), rng.normal(size=d)
        example(layer_norm, x, gamma, beta)
        norm_examples(layer_norm, x[:, 0], gamma, beta, rng.uniform(2, 4))
        w_1, w_2 = rng.normal(size=(d, d_ff)), rng.normal(size=(d_ff, d))
        biases = rng.normal(size=d_ff), rng.normal(size=d)
        example(feed_forward, x, w_1, biases[0], w_2, biases[1])
        example(feed_forward, x[0, 0], w_1, biases[0], w_2, biases[1])
        example(feed_forward, x[:, :, None], w_1, biases[0], w_2, biases[1])


@hidden_check
def transformer_masks(transformer_masks):
    rng = generator(102)
    for batch, source, target, pad_id in [(3, 6, 4, 0), (4, 3, 5, 0), (2, 4, 4, 7)]:
        source_ids, target_ids = (some_ids(rng, batch, time, pad_id) for time in (source, target))
        example(transformer_masks, source_ids, target_ids, pad_id)
        example(transformer_masks, source_ids, target_ids[:, ::-1].copy(), pad_id=pad_id)
        # Padding anywhere, and a source without tokens.
        for ids in (source_ids, target_ids):
            ids[rng.uniform(size=ids.shape) < 0.4] = pad_id
        source_ids[-1] = pad_id
        example(transformer_masks, source_ids, target_ids, pad_id)


def some_ids(rng, batch, time, pad_id):
    """Draw token ids (batch, time) that end in padding, at least in the first row."""
    ids = (pad_id + rng.integers(1, 20, size=(batch, time))) % 20
    lengths = rng.integers(1, time + 1, size=batch)
    lengths[0] = time - 1
    return np.where(np.arange(time) < lengths[:, None], ids, pad_id)


@hidden_check
def EncoderLayer(EncoderLayer):
    rng = generator(103)
    num_heads, width = ((3, 2), (2, 4), (4, 2))[rng.integers(3)]
    sizes = {"num_heads": num_heads, "width": width, "d_ff": int(rng.integers(9, 14))}
    encoder_examples(EncoderLayer, rng, batch=3, time=5, **sizes)
    dropout_examples(EncoderLayer, rng, ["self"])


@hidden_check
def DecoderLayer(DecoderLayer):
    rng = generator(104)
    num_heads, width = ((3, 2), (2, 4), (4, 2))[rng.integers(3)]
    sizes = {"num_heads": num_heads, "width": width, "d_ff": int(rng.integers(9, 14))}
    decoder_examples(DecoderLayer, rng, batch=3, sizes=(5, 3), **sizes)
    dropout_examples(DecoderLayer, rng, ["self", "cross"])


@hidden_check
def greedy_decode(greedy_decode):
    rng = generator(105)
    for rows, last, vocab_size in [(4, 6, 9), (3, 4, 12), (5, 1, 7)]:
        words, start_id, end_id = some_words(rng, rows, last, vocab_size)
        # The row that ends last may write the start token, and the same token twice.
        longest = (words == end_id).argmax(axis=1).argmax()
        words[longest, : min(2, last - 1)] = start_id
        limits = [last + 3, last, max(last - 2, 1)]
        decoding_examples(greedy_decode, words, start_id, end_id, vocab_size, limits)


@hidden_check
def transformer_parameter_count(transformer_parameter_count):
    rng = generator(106)
    for _ in range(4):
        vocab_size, d_model, d_ff, num_layers = (int(size) for size in rng.integers(3, 40, size=4))
        given = {"d_model": d_model, "d_ff": d_ff, "num_layers": num_layers}
        example(transformer_parameter_count, vocab_size, **given)
        example(transformer_parameter_count, vocab_size, *given.values(), False)


@hidden_check
def warmup_learning_rate(warmup_learning_rate, smooth_labels):
    rng = generator(107)
    for _ in range(3):
        warmup_steps = int(rng.integers(5, 40))
        steps = np.append(rng.integers(1, 3 * warmup_steps, size=5), warmup_steps)
        rate_examples(warmup_learning_rate, steps, int(rng.integers(2, 9)), warmup_steps)
        vocab_size = int(rng.integers(4, 12))
        ids = rng.integers(vocab_size, size=(3, 4))
        example(smooth_labels, ids, vocab_size)
        example(smooth_labels, ids[0], vocab_size + 1, epsilon=rng.uniform(0.05, 0.5))
    shape_examples(smooth_labels, np.array(ids[0, 0]), vocab_size)


@hidden_check
def build_transformer(build_transformer):
    rng = generator(108)
    num_heads, width = ((3, 2), (2, 4), (2, 5))[rng.integers(3)]
    sizes = {"num_heads": num_heads, "width": width, "d_ff": int(rng.integers(11, 15))}
    vocab_sizes = (int(rng.integers(15, 20)), int(rng.integers(20, 25)))
    transformer_examples(build_transformer, rng, vocab_sizes, **sizes)
    model = example(build_transformer, *vocab_sizes, 4, 2, 3).makes
    require_no_dropout(model, [rng.integers(1, 15, size=(2, 4)) for _ in range(2)])
