"""Small translators with Luong's attention: one network, six ways to align it, several seeds."""

import time
from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from coursekit import translation
from coursekit.vocabulary import Vocabulary

ALIGNMENTS = ("dot", "general", "concat", "local-m", "local-p")


class Alignment(layers.Layer):
    """Weights of all target steps over all source positions, in one of `ALIGNMENTS`.

    Both local forms score by ``"general"``. As in Luong et al. (2015), section 3.2, "local-m" is a
    softmax inside its window, and only "local-p" multiplies by a Gaussian.

    Parameters
    ----------
    kind
        One of `ALIGNMENTS`.
    half_width
        D of the two local forms, in positions.
    """

    def __init__(self, kind: str, half_width: float = 8.0, **kwargs):
        super().__init__(**kwargs)
        if kind not in ALIGNMENTS:
            raise ValueError(f"unknown alignment {kind!r}; known are {', '.join(ALIGNMENTS)}")
        if not half_width > 0:
            raise ValueError(f"half_width must be positive, got {half_width}")
        self.kind = kind
        self.half_width = half_width

    def build(self, s_shape, h_shape, real_shape, centres_shape):
        m, n = s_shape[-1], h_shape[-1]
        if self.kind == "concat":
            self.w_a = self.add_weight(name="w_a", shape=(m + n, m))
            self.v_a = self.add_weight(name="v_a", shape=(m,), initializer="random_normal")
        elif self.kind != "dot":
            self.w_a = self.add_weight(name="w_a", shape=(m, n))
        if self.kind == "local-p":
            self.w_p = self.add_weight(name="w_p", shape=(m, m))
            self.v_p = self.add_weight(name="v_p", shape=(m,), initializer="random_normal")

    def call(self, s, h, real, centres):
        """Return the weights (batch, target, source).

        ``s`` are the decoder's states (batch, target, m), ``h`` the encoder's (batch, source, n),
        ``real`` is a mask of the source positions (batch, source), and ``centres`` (batch, target)
        are the centres of the windows: local-p predicts those that are NaN, the global forms have
        none.
        """
        mask = real[:, None]
        if not self.kind.startswith("local"):
            return _softmax(self.scores(s, h), mask)
        if self.kind == "local-p":
            centres = ops.where(ops.isnan(centres), self.predicted_centres(s, real), centres)
        offset = ops.arange(h.shape[1], dtype="float32") - centres[..., None]
        inside = ops.logical_and(mask, ops.abs(offset) <= self.half_width)
        weights = _softmax(self.scores(s, h), inside)
        if self.kind == "local-p":
            weights = weights * ops.exp(-2 * (offset / self.half_width) ** 2)
        return weights

    def scores(self, s, h):
        """Return the scores (batch, target, source) of all pairs of states."""
        if self.kind == "concat":
            m = s.shape[-1]
            from_s, from_h = ops.matmul(s, self.w_a[:m]), ops.matmul(h, self.w_a[m:])
            return ops.matmul(ops.tanh(from_s[:, :, None] + from_h[:, None]), self.v_a)
        asks = s if self.kind == "dot" else ops.matmul(s, self.w_a)
        return ops.matmul(asks, ops.swapaxes(h, 1, 2))

    def predicted_centres(self, s, real):
        """Return the centres p_t (batch, target) that local-p predicts."""
        length = ops.sum(ops.cast(real, "float32"), axis=1, keepdims=True)
        return length * ops.sigmoid(ops.matmul(ops.tanh(ops.matmul(s, self.w_p)), self.v_p))


class Translator:
    """A one-layer GRU encoder and decoder with an `Alignment` between them, or with none.

    The decoder starts from the encoder's last state. In training it is given the right tokens, so
    that all target steps are computed at once; when it translates, it reads what it has written.
    What is compiled serves every seed.

    Parameters
    ----------
    alignment
        One of `ALIGNMENTS`, or None for no attention: the words then come from s_t alone.
    source, target
        The vocabularies.
    source_length, target_length
        Columns of the rows of ids.
    units
        Entries of a state, of the encoder's and of the decoder's.
    half_width
        D of the two local forms.
    learning_rate, steps, batch_size
        Of Adam, which follows half a cosine from this rate down to zero.

    Attributes
    ----------
    model
        The network of all target steps at once, with the weights of the last training.
    """

    def __init__(
        self,
        alignment: str | None,
        source: Vocabulary,
        target: Vocabulary,
        source_length: int,
        target_length: int,
        *,
        units: int = 48,
        half_width: float = 8.0,
        learning_rate: float = 0.01,
        steps: int = 400,
        batch_size: int = 64,
    ):
        self.alignment = alignment
        self._sizes = (len(source), len(target), source_length, units, half_width)
        self._start, self._target_length = target.start, target_length
        rate = keras.optimizers.schedules.CosineDecay(learning_rate, steps)
        self._trainer = translation.Trainer(self._network, rate, steps, batch_size)
        self.model = self._trainer.model
        encoder, decoder = map(self.model.get_layer, ("encoder", "decoder"))
        self._read = tf.function(encoder)
        self._write = tf.function(lambda *inputs: decoder(inputs))

    def train(self, sources: np.ndarray, targets: np.ndarray, seed: int) -> float:
        """Train from a fresh start; return the seconds it took.

        Both are rows of ids, (pairs, source_length) and (pairs, target_length). ``seed`` draws the
        initial weights and the order of the pairs.
        """
        began = time.perf_counter()
        self._trainer.train(sources, targets, seed)
        return time.perf_counter() - began

    def translate(
        self,
        sources: np.ndarray,
        last_states_of: np.ndarray | None = None,
        centres: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Translate greedily, every step with the token that was written at the step before.

        Parameters
        ----------
        sources
            Ids (batch, source_length).
        last_states_of
            Other sources of the same shape, from whose last states the decoder starts instead.
        centres
            Centres (batch, target_length) of the windows, in place of the alignment's own.

        Returns
        -------
        ids, weights
            (batch, target_length) and (batch, target_length, source_length); without attention the
            weights are all zero.
        """
        sources = tf.constant(sources)
        h, state = self._read(sources)
        if last_states_of is not None:
            _, state = self._read(tf.constant(last_states_of))
        if centres is None:
            steps = np.tile(np.arange(self._target_length), (len(sources), 1))
            centres = self._centres(steps.astype("float32"))
        centres = tf.constant(centres, "float32")
        written, rows = tf.fill((len(sources), 1), self._start), []
        ids = []
        for step in range(self._target_length):
            centre = centres[:, step : step + 1]
            logits, state, weights = self._write(written, centre, state, h, sources)
            written = tf.argmax(logits, axis=-1, output_type=tf.int32)
            ids.append(written)
            rows.append(weights)
        return np.concatenate(ids, axis=1), np.concatenate(rows, axis=1)

    def predicted_centres(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return the centres p_t (batch, target_length) of local-p, given the right tokens.

        Both are rows of ids, (batch, source_length) and (batch, target_length).
        """
        if self.alignment != "local-p":
            raise ValueError(f"only local-p predicts centres, not {self.alignment}")
        layer = self.model.get_layer("decoder").get_layer
        _, last = self._read(tf.constant(sources))
        given = layer("given_embedding")(translation.shift(targets))
        s, _ = layer("decoder_states")(given, initial_state=last)
        return np.asarray(layer("alignment").predicted_centres(s, sources != 0))

    def _centres(self, steps):
        """Return the centres that the alignment is given at steps counted from 0."""
        return steps if self.alignment == "local-m" else steps * float("nan")

    def _network(self):
        source_size, target_size, length, units, half_width = self._sizes
        source = keras.Input((length,), dtype="int32")
        embedded = layers.Embedding(source_size, 16, mask_zero=True)(source)
        encoder = keras.Model(source, _gru(units)(embedded), name="encoder")

        given = keras.Input((None,), dtype="int32")
        centres = keras.Input((None,))
        state, h = keras.Input((units,)), keras.Input((length, units))
        embedded = layers.Embedding(target_size, 16, name="given_embedding")(given)
        s, new_state = _gru(units, name="decoder_states")(embedded, initial_state=state)
        real = ops.not_equal(source, 0)
        if self.alignment is None:
            weights, joined = ops.zeros_like(ops.matmul(s, ops.swapaxes(h, 1, 2))), s
        else:
            weights = Alignment(self.alignment, half_width, name="alignment")(s, h, real, centres)
            joined = ops.concatenate([ops.matmul(weights, h), s], axis=-1)
        attentional = layers.Dense(units, activation="tanh", use_bias=False, name="w_c")(joined)
        logits = layers.Dense(target_size, use_bias=False, name="w_y")(attentional)
        inputs, outputs = [given, centres, state, h, source], [logits, new_state, weights]
        decoder = keras.Model(inputs, outputs, name="decoder")

        h, last = encoder(source)
        steps = ops.cumsum(ops.ones_like(given, dtype="float32"), axis=1) - 1
        centres = self._centres(steps)
        return keras.Model([source, given], decoder([given, centres, last, h, source])[0])


def window_weights(
    scores: np.ndarray, centre: float, half_width: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the softmax of scores (source) in one window, and its product with the Gaussian."""
    offset = np.arange(len(scores)) - centre
    inside = np.asarray(_softmax(scores, np.abs(offset) <= half_width))
    return inside, inside * np.exp(-2 * (offset / half_width) ** 2)


def in_order_of_source(sources: Sequence[str], targets: Sequence[str]) -> list[str]:
    """Rewrite targets ``year-month-day`` with day, month and year in the order of the sources.

    A source is a date in one of the formats of `coursekit.datasets`. The day comes first when a
    number is followed by a dot or by a month's name.
    """
    rewritten = []
    for source, target in zip(sources, targets, strict=True):
        year, month, day = target.split("-")
        words = source.replace(".", " ").split()
        number = next(i for i, word in enumerate(words) if word[0].isdigit())
        day_first = "." in source or (number + 1 < len(words) and words[number + 1][0].isalpha())
        rewritten.append("-".join([day, month, year] if day_first else [month, day, year]))
    return rewritten


def _gru(units, **kwargs):
    return layers.GRU(units, return_sequences=True, return_state=True, **kwargs)


def _softmax(scores, mask):
    """Return the softmax over the last axis; what is masked gets exactly 0."""
    weights = ops.softmax(ops.where(mask, scores, -1e9))
    return ops.where(mask, weights, 0.0)
