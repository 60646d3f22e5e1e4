"""Translators from one row of token ids to another, trained from several starts.

A network here is a Keras model of two inputs, the ids of the source (batch, time) and the ids of
the target so far (batch, steps), whose outputs are logits (batch, steps, tokens): those at step t
may depend on the first t target ids alone, the first of which is the start token. `train`,
`exact_match` and `translate` work with every such network; `recurrent_translator` builds the one of
Bahdanau et al. and its control without attention.
"""

from collections.abc import Callable, Iterator, Sequence

import keras
import numpy as np
from keras import layers, ops

PADDING, START = 0, 2
"""The ids of padding and of the start token in every `coursekit.vocabulary.Vocabulary`."""

UPDATES_TOGETHER = 20
"""The updates of a `Trainer` that TensorFlow runs in one go."""


def shift(targets: np.ndarray) -> np.ndarray:
    """Return what the decoder reads when it should write the targets: the ids one step later.

    Ids (batch, steps) to ids of the same shape, with the start token first and the last id dropped.
    """
    start = np.full((len(targets), 1), START, targets.dtype)
    return np.concatenate([start, targets[:, :-1]], axis=1)


def train(
    build: Callable[[], keras.Model],
    sources: np.ndarray,
    targets: np.ndarray,
    *,
    seeds: Sequence[int],
    steps: int,
    batch_size: int = 32,
    learning_rate: float = 0.01,
    jit_compile: bool = True,
) -> Iterator[keras.Model]:
    """Train a network with teacher forcing from one start per seed, and yield it after each run.

    It is the same model every time, with the weights of that run: see `Trainer`. The learning rate
    follows `warm_up_and_decay`.

    Parameters
    ----------
    build : returns a new network; its initial weights are drawn by the seed
    sources, targets : ids (examples, time) and (examples, steps)
    seeds : of the initial weights and of the order of the examples
    steps : updates of the weights in each run
    jit_compile : see `Trainer`
    """
    schedule = warm_up_and_decay(learning_rate, steps)
    trainer = Trainer(build, schedule, steps, batch_size, jit_compile)
    for seed in seeds:
        trainer.train(sources, targets, seed)
        yield trainer.model


def warm_up_and_decay(peak: float, steps: int) -> keras.optimizers.schedules.LearningRateSchedule:
    """Let the rate rise to its peak over a tenth of the steps, then fall to a hundredth of it."""
    warm_up = max(1, steps // 10)
    return keras.optimizers.schedules.CosineDecay(
        0.0, steps - warm_up, alpha=0.01, warmup_target=peak, warmup_steps=warm_up
    )


class Trainer:
    """Compiles a network once and trains it with teacher forcing from as many starts as needed.

    Compiling often takes longer than a run. Padding in the targets does not count in the loss, and
    the gradient of each weight array is clipped at norm 1.

    Parameters
    ----------
    build
        Returns a new network; its initial weights are drawn by the seed of a run.
    learning_rate
        Of Adam: a number or a schedule of Keras.
    steps
        Updates of the weights in each run.
    batch_size
        Examples of each update.
    jit_compile
        Whether XLA compiles the training step, which then runs faster. Not every layer of one's own
        can be compiled: inside of an RNN, XLA refuses a softmax over another axis than the last.

    Attributes
    ----------
    model
        The network, with the weights of the last run.
    """

    def __init__(
        self,
        build: Callable[[], keras.Model],
        learning_rate: float | keras.optimizers.schedules.LearningRateSchedule,
        steps: int,
        batch_size: int,
        jit_compile: bool = True,
    ):
        self.model = build()
        self._build, self._steps, self._batch_size = build, steps, batch_size
        self._optimizer = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
        self._optimizer.build(self.model.trainable_variables)
        self._fresh = [variable.numpy() for variable in self._optimizer.variables]
        self.model.compile(
            self._optimizer,
            keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PADDING),
            jit_compile=jit_compile,
            steps_per_execution=UPDATES_TOGETHER,
        )

    def train(self, sources: np.ndarray, targets: np.ndarray, seed: int) -> np.ndarray:
        """Train on ids (examples, time) and (examples, steps) from the start that a seed draws.

        The seed also draws the order of the examples, in which each is used once before any is used
        again. The training losses come back, each the mean of as many updates as run together.
        """
        keras.utils.set_random_seed(seed)
        self.model.set_weights(self._build().get_weights())
        for variable, value in zip(self._optimizer.variables, self._fresh, strict=True):
            variable.assign(value)
        rng, number = np.random.default_rng(seed), self._steps * self._batch_size
        rounds = -(-number // len(sources))
        rows = np.concatenate([rng.permutation(len(sources)) for _ in range(rounds)])[:number]
        means = []
        self.model.fit(
            (sources[rows], shift(targets[rows])),
            targets[rows],
            batch_size=self._batch_size,
            shuffle=False,
            verbose=0,
            callbacks=[
                keras.callbacks.LambdaCallback(
                    on_train_batch_end=lambda _, logs: means.append(logs["loss"])
                )
            ],
        )
        # What Keras reports is the mean over all updates so far.
        updates = np.minimum(UPDATES_TOGETHER * np.arange(1, len(means) + 1), self._steps)
        return np.diff(updates * means, prepend=0) / np.diff(updates, prepend=0)


def exact_match(model: keras.Model, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return (examples,) booleans: which sources (examples, time) greedy decoding gets all right.

    One call suffices, in which the decoder reads the targets: greedy decoding writes the target if
    and only if at every step the right tokens so far are followed by the right token.
    """
    written = model.predict_on_batch((sources, shift(targets))).argmax(axis=-1)
    return np.all((written == targets) | (targets == PADDING), axis=1)


def translate(model: keras.Model, sources: np.ndarray, steps: int) -> np.ndarray:
    """Decode greedily: ids (examples, time) of the sources to ids (examples, steps).

    What follows a row's first end token has no meaning.
    """
    written = np.full((len(sources), steps + 1), PADDING, "int32")
    written[:, 0] = START
    for step in range(steps):
        logits = model.predict_on_batch((sources, written[:, :-1]))
        written[:, step + 1] = logits[:, step].argmax(axis=-1)
    return written[:, 1:]


def recurrent_translator(
    source_tokens: int,
    target_tokens: int,
    *,
    time: int,
    units: int,
    attention: bool | layers.Layer = True,
    features: int = 32,
) -> keras.Model:
    """Build the encoder and decoder of Bahdanau et al. (2015), or a control without attention.

    The encoder is a bidirectional GRU, whose states are the annotations, and the decoder's first
    state is computed from the backward state at the first token, as in the paper's appendix. The
    decoder is an `AttentionCell` or, without attention, a `FixedContextCell` that receives the two
    final states of the encoder at every step. Everything else is the same.

    Parameters
    ----------
    source_tokens, target_tokens : sizes of the two vocabularies
    time : columns of the sources; the weights do not depend on it
    units : of each direction of the encoder, of the decoder and of the score
    attention : whether the decoder attends; a layer of one's own takes the place of Keras's, see
        `LayerCell`
    features : of the embeddings of both sides

    Notes
    -----
    Different from the paper: Keras's GRU, which applies the reset gate after the product with the
    recurrent weights and has biases; and a single Dense layer from the new state, the context and
    the previous token to the logits, where the paper has a maxout layer that reads the old state.
    """
    sources = keras.Input((time,), dtype="int32", name="sources")
    previous = keras.Input((None,), dtype="int32", name="previous")
    read = layers.Embedding(source_tokens, features, name="read")(sources)
    real = ops.not_equal(sources, PADDING)
    both = {"return_sequences": True, "return_state": True}
    forward, forward_last = layers.GRU(units, **both)(read, mask=real)
    backward, backward_last = layers.GRU(units, go_backwards=True, **both)(read, mask=real)
    # The backward layer gives its states in the order in which it has read.
    backward = ops.flip(backward, axis=1)
    h = layers.Concatenate(name="annotations")([forward, backward])
    s_0 = layers.Dense(units, activation="tanh", use_bias=False, name="s_0")(backward_last)
    y = layers.Embedding(target_tokens, features, name="previous_token")(previous)
    if isinstance(attention, layers.Layer):
        cell = LayerCell(attention, units, time, 2 * units)
        carried = [s_0, h, ops.cast(real, "float32")]
    elif attention:
        keys = layers.Dense(units, use_bias=False, name="W_1")(h)
        cell = AttentionCell(units, time, 2 * units)
        carried = [s_0, h, keys, ops.cast(real, "float32")]
    else:
        cell = FixedContextCell(units, 2 * units)
        carried = [s_0, ops.concatenate([forward_last, backward_last], axis=-1)]
    steps = layers.RNN(cell, return_sequences=True, name="decoder")(y, initial_state=carried)
    state_and_context = steps[..., : 3 * units]
    logits = layers.Dense(target_tokens, name="logits")(
        ops.concatenate([state_and_context, y], axis=-1)
    )
    return keras.Model((sources, previous), logits)


class AttentionCell(layers.Layer):
    """One step of Bahdanau's decoder, for `keras.layers.RNN`; its output is [s_t ; c_t ; alpha_t].

    Keras 3 hands a cell nothing but its input and its states. So what every step needs is carried
    along as states that do not change: the annotations, their keys, and the mask as numbers.
    """

    def __init__(self, units: int, time: int, annotation_dim: int, **kwargs):
        super().__init__(**kwargs)
        self.gru = layers.GRUCell(units)
        self.W_2 = layers.Dense(units, use_bias=False)
        self.attend = layers.AdditiveAttention()
        self.state_size = [units, (time, annotation_dim), (time, units), time]
        self.output_size = units + annotation_dim + time

    def build(self, input_shape):
        units, (time, annotation_dim), *_ = self.state_size
        self.W_2.build((None, units))
        self.attend.build([(None, 1, units), (None, time, annotation_dim), (None, time, units)])
        self.gru.build((None, input_shape[-1] + annotation_dim))

    def call(self, y, states):
        s, h, keys, real = states
        context, alpha = self.attend(
            [self.W_2(s)[:, None], h, keys],
            mask=[None, real > 0],
            return_attention_scores=True,
        )
        context, alpha = context[:, 0], alpha[:, 0]
        s, _ = self.gru(ops.concatenate([y, context], axis=-1), s)
        return ops.concatenate([s, context, alpha], axis=-1), [s, h, keys, real]


class LayerCell(layers.Layer):
    """The step of an `AttentionCell` with any attention layer; its output is [s_t ; c_t ; alpha_t].

    The layer is called with s_{t-1} (batch, units), the annotations (batch, time, annotation_dim)
    and ``mask`` (batch, time), and returns the context (batch, annotation_dim) and the weights
    (batch, time).
    """

    def __init__(
        self, attention: layers.Layer, units: int, time: int, annotation_dim: int, **kwargs
    ):
        super().__init__(**kwargs)
        self.gru = layers.GRUCell(units)
        self.attention = attention
        self.state_size = [units, (time, annotation_dim), time]
        self.output_size = units + annotation_dim + time

    def build(self, input_shape):
        units, (time, annotation_dim), _ = self.state_size
        # A call makes the weights of every layer, also of one that has no `build` of its own.
        h = ops.zeros((1, time, annotation_dim))
        self.attention(ops.zeros((1, units)), h, mask=ops.ones((1, time), "bool"))
        self.gru.build((None, input_shape[-1] + annotation_dim))

    def call(self, y, states):
        s, h, real = states
        context, alpha = self.attention(s, h, mask=real > 0)
        s, _ = self.gru(ops.concatenate([y, context], axis=-1), s)
        return ops.concatenate([s, context, alpha], axis=-1), [s, h, real]


class FixedContextCell(layers.Layer):
    """One step of a decoder that reads the same context every time; its output is [s_t ; c]."""

    def __init__(self, units: int, context_dim: int, **kwargs):
        super().__init__(**kwargs)
        self.gru = layers.GRUCell(units)
        self.state_size = [units, context_dim]
        self.output_size = units + context_dim

    def build(self, input_shape):
        self.gru.build((None, input_shape[-1] + self.state_size[1]))

    def call(self, y, states):
        s, context = states
        s, _ = self.gru(ops.concatenate([y, context], axis=-1), s)
        return ops.concatenate([s, context], axis=-1), [s, context]


def alignment(model: keras.Model, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the attention weights (examples, steps, time) with which the targets are written."""
    decoder = keras.Model(model.inputs, model.get_layer("decoder").output)
    return np.asarray(decoder((sources, shift(targets))))[..., -sources.shape[1] :]


def decoding_step(model: keras.Model, sources: np.ndarray) -> tuple[Callable, np.ndarray]:
    """Take the decoder out of a translator with a `LayerCell`, for a loop that calls it by steps.

    Parameters
    ----------
    model : of `recurrent_translator` with an attention layer
    sources : ids (batch, time) of what is to be translated

    Returns
    -------
    step
        ``step(token_ids, state)`` takes the ids (batch,) of the previous tokens and the states
        (batch, units); it returns the probabilities of the next tokens (batch, target_tokens), the
        new states (batch, units) and the attention weights (batch, time).
    s_0
        The states (batch, units) before the first step.
    """
    read = keras.Model(model.inputs[0], [model.get_layer(n).output for n in ("annotations", "s_0")])
    h, s_0 = read(sources)
    real = ops.cast(ops.not_equal(sources, PADDING), "float32")
    embedding, cell = model.get_layer("previous_token"), model.get_layer("decoder").cell
    logits = model.get_layer("logits")

    def step(token_ids, state):
        y = embedding(np.asarray(token_ids))
        output, (state, *_) = cell(y, [ops.convert_to_tensor(state, "float32"), h, real])
        state_and_context, weights = output[:, : -h.shape[1]], output[:, -h.shape[1] :]
        probabilities = ops.softmax(logits(ops.concatenate([state_and_context, y], axis=-1)))
        return np.asarray(probabilities), np.asarray(state), np.asarray(weights)

    return step, np.asarray(s_0)
