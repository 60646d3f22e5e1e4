"""Hidden checks of chapter 8."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import example
from coursekit.checks.ch08_positional_encoding_2 import (
    encoding_examples,
    fixed_examples,
    layer_to_count,
    learned_examples,
    order_examples,
    sentence_examples,
    vectorizer_examples,
)
from coursekit.checks.layers import TOLERANCE

NOUNS = "ant bee cat dog elk fox gnu hen ibis jay koi lynx mole newt owl pig".split()


def some_sentences(rng, number):
    """Draw sentences of 2 to 6 words with capitals and punctuation, some of them repeated."""
    sentences = []
    for _ in range(number):
        words = rng.choice(NOUNS, size=rng.integers(2, 7))
        sentences.append(" ".join([words[0].title(), *words[1:]]) + rng.choice([".", "!", "?", ""]))
    return sentences


@hidden_check
def build_vectorizer(build_vectorizer):
    rng = generator(81)
    for number, max_tokens, length in [(5, 9, 4), (9, 40, 7), (3, 6, 3)]:
        sentences, others = some_sentences(rng, number), some_sentences(rng, 3)
        sentences += sentences[:1] * 2  # what is said again counts again
        sentences.append("It isn't the sailor's")
        texts = [*sentences[:2], *others, "a whale"]
        vectorizer_examples(build_vectorizer, sentences, max_tokens, length, texts)


@hidden_check
def inverse_frequencies(inverse_frequencies):
    rng = generator(82)
    for d in (2, 2 * int(rng.integers(2, 9)), 2 * int(rng.integers(10, 40))):
        example(inverse_frequencies, d)
        example(inverse_frequencies, d, float(rng.uniform(20, 3000)))
    for d in (1, 2 * int(rng.integers(2, 30)) + 1):
        example(inverse_frequencies, d, raises=ValueError, because="an odd d")


@hidden_check
def PositionalEncoding(PositionalEncoding):
    rng = generator(83)
    for batch, time, d, longest, n in [(3, 5, 4, 9, 10000.0), (4, 6, 7, 7, 0), (2, 3, 1, 4, 0)]:
        x = rng.normal(size=(batch, time, d))
        ids = rng.integers(1, 6, size=(batch, time))
        ids[np.arange(time) >= rng.integers(1, time, size=(batch, 1))] = 0
        args = longest, n or float(rng.uniform(20, 900))
        encoding_examples(PositionalEncoding, args, x, rng.normal(size=(6, d)), ids.tolist())
    by_default = example(PositionalEncoding, 7).makes
    example(by_default, rng.normal(size=(2, 6, 8)), tolerance=TOLERANCE)


@hidden_check
def PositionEmbeddingLayer(PositionEmbeddingLayer):
    rng = generator(84)
    for batch, time, longest, vocabulary, d in [(2, 5, 8, 4, 3), (3, 4, 6, 9, 5)]:
        words, positions = rng.normal(size=(vocabulary, d)), rng.normal(size=(longest, d))
        ids = rng.integers(vocabulary, size=(batch, time))
        learned_examples(PositionEmbeddingLayer, ids, words, positions)


@hidden_check
def PositionEmbeddingFixedWeights(PositionEmbeddingFixedWeights):
    rng = generator(85)
    for batch, time, longest, vocabulary, d in [(3, 4, 6, 30, 8), (2, 7, 9, 5, 7)]:
        ids = rng.integers(vocabulary, size=(batch, time))
        fixed_examples(PositionEmbeddingFixedWeights, (longest, vocabulary, d), ids)


@hidden_check
def trainable_parameter_count(trainable_parameter_count):
    rng = generator(86)
    dense_kinds = ("dense", "frozen_dense", "partly_frozen_model")
    other_models = ("convolutional_model", "model_with_dropout", "model_with_a_scale")
    for kind in (*dense_kinds, "batch_normalization", *other_models):
        sizes = rng.integers(2, 9, size=1 + (kind != "batch_normalization"))
        example(trainable_parameter_count, layer_to_count(kind, *sizes.tolist()))


@hidden_check
def embed_sentences(embed_sentences):
    rng = generator(87)
    for number, max_tokens, length, d in [(4, 8, 5, 6), (6, 40, 3, 7)]:
        sentence_examples(embed_sentences, some_sentences(rng, number), max_tokens, length, d)
    example(embed_sentences, some_sentences(rng, 1), 20, 4, 6)
    example(embed_sentences, some_sentences(rng, 3), 20, 1, 4)
    example(embed_sentences, some_sentences(rng, 3), 4, 7, 5)


@hidden_check
def order_accuracy(order_accuracy):
    rng = generator(88)
    order_examples(order_accuracy, rng, int(rng.integers(3, 6)), int(rng.integers(6, 10)))
