"""The Transformer of Vaswani et al. (2017) as a network that `coursekit.translation` can train.

Its layers are Keras's own. What is learned is what the paper has: no biases in the attention, two
biases in each feed-forward network, a scale and a shift in each normalisation, and sinusoidal
positions, which have no weights.
"""

import keras
import numpy as np
from keras import layers, ops

from coursekit.translation import PADDING, shift

PIECES = (
    "feed-forward networks",
    "layer normalisation",
    "residual connections",
    "positions",
    "causal mask",
)
"""The pieces that an experiment can leave out of a `transformer`."""


def transformer(
    source_tokens: int,
    target_tokens: int,
    *,
    time: int,
    steps: int,
    d_model: int,
    num_heads: int,
    d_ff: int,
    num_layers: int,
    pre_norm: bool = False,
    tied: bool = False,
    without: str | None = None,
) -> keras.Model:
    """Build a network from ids (batch, time) and (batch, steps) to logits (batch, steps, tokens).

    Parameters
    ----------
    source_tokens, target_tokens
        Sizes of the two vocabularies.
    time, steps
        Columns of the sources and of the targets; the weights do not depend on them.
    d_model, num_heads, d_ff, num_layers
        Width of a token, heads of every attention, hidden units of every feed-forward network, and
        layers of the encoder and of the decoder.
    pre_norm
        Normalise what a sublayer reads instead of the sum, and once more at the end of each stack,
        as in Xiong et al. (2020).
    tied
        Use one matrix for the embeddings of both sides and for the logits, as the paper does.
    without
        One of the `PIECES`, which is left out. A feed-forward network takes its norm with it.

    Raises
    ------
    ValueError
        When `d_model` is odd or the heads do not divide it, tied vocabularies differ in size, or
        there is no such piece.

    Notes
    -----
    The paper does not say how embeddings start. Here their entries have the variance 1/d_model, so
    that after the multiplication by the root of d_model they are about as large as the positions.
    There is no dropout.
    """
    if d_model % num_heads or d_model % 2:
        raise ValueError(
            f"d_model must be even and a multiple of num_heads, got {d_model} and {num_heads}"
        )
    if tied and source_tokens != target_tokens:
        raise ValueError(
            f"tied vocabularies must have one size, got {source_tokens} and {target_tokens}"
        )
    if without not in (None, *PIECES):
        raise ValueError(f"without must be one of {', '.join(PIECES)}, got {without!r}")
    sources = keras.Input((time,), dtype="int32", name="sources")
    previous = keras.Input((steps,), dtype="int32", name="previous")
    start = {"embeddings_initializer": keras.initializers.RandomNormal(stddev=d_model**-0.5)}
    if tied:
        read = write = layers.ReversibleEmbedding(target_tokens, d_model, **start)
    else:
        read = layers.Embedding(source_tokens, d_model, **start)
        write = layers.Embedding(target_tokens, d_model, **start)
    # One row for all queries: it hides padding as a key.
    real_source = ops.not_equal(sources, PADDING)[:, None]
    real_previous = ops.not_equal(previous, PADDING)[:, None]

    def embed(table, ids):
        tokens = table(ids) * d_model**0.5
        return tokens if without == "positions" else _with_positions(tokens)

    def norm(tokens):
        return tokens if without == "layer normalisation" else _norm(tokens)

    def add(x, sublayer):
        change = sublayer(norm(x) if pre_norm else x)
        total = change if without == "residual connections" else x + change
        return total if pre_norm else norm(total)

    def attend(name, queries, keys, **masks):
        heads = layers.MultiHeadAttention(
            num_heads, d_model // num_heads, use_bias=False, name=name
        )
        return heads(queries, keys, return_attention_scores=True, **masks)[0]

    def transform(x):
        if without == "feed-forward networks":
            return x
        return add(x, lambda z: layers.Dense(d_model)(layers.Dense(d_ff, activation="relu")(z)))

    x = embed(read, sources)
    for n in range(1, num_layers + 1):
        x = add(x, lambda z, n=n: attend(f"encoder_{n}", z, z, attention_mask=real_source))
        x = transform(x)
    memory = norm(x) if pre_norm else x
    masks = {"attention_mask": real_previous, "use_causal_mask": without != "causal mask"}
    y = embed(write, previous)
    for n in range(1, num_layers + 1):
        y = add(y, lambda z, n=n: attend(f"decoder_{n}", z, z, **masks))
        y = add(y, lambda z, n=n: attend(f"cross_{n}", z, memory, attention_mask=real_source))
        y = transform(y)
    y = norm(y) if pre_norm else y
    logits = write(y, reverse=True) if tied else layers.Dense(target_tokens, use_bias=False)(y)
    return keras.Model((sources, previous), logits)


def attention_maps(
    model: keras.Model, sources: np.ndarray, targets: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the weights with which each head of each attention writes the targets.

    Ids (examples, time) and (examples, steps) to arrays (examples, heads, queries, keys), under the
    names "encoder_1", "decoder_1" and "cross_1", and so on for every layer.
    """
    names = [layer.name for layer in model.layers if isinstance(layer, layers.MultiHeadAttention)]
    maps = keras.Model(model.inputs, [model.get_layer(name).output[1] for name in names])
    weights = maps((sources, shift(targets)))
    return {name: np.asarray(each) for name, each in zip(names, weights, strict=True)}


def positional_encoding(length: int, d_model: int) -> np.ndarray:
    """Return the sinusoidal encoding (length, d_model) of chapter 7, d_model even, base 10,000."""
    turns = np.arange(length)[:, None] * 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(turns), np.cos(turns)], axis=2).reshape(length, d_model)


def _with_positions(tokens):
    """Add the positions to tokens (batch, time, d_model)."""
    time, d_model = tokens.shape[1:]
    return tokens + positional_encoding(time, d_model).astype("float32")


def _norm(x):
    return layers.LayerNormalization(epsilon=1e-6)(x)
