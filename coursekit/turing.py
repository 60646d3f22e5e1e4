"""Neural Turing Machines and LSTMs that learn to copy sequences, many of them side by side.

Every weight array has one more axis, for the runs, so that one compiled step trains all of them:
compiling one network after another would take longer than the experiment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from coursekit.adam import Adam

BITS = 4
"""The width of the vectors that are copied."""

BATCH = 16
"""The examples of one training step, for each run."""

SLOTS, WIDTH, HIDDEN = 16, 6, 24
"""A Neural Turing Machine: the slots of its memory, their width, the units of its controller."""

_INPUTS = BITS + 2
_READ_HEAD = WIDTH + 6  # key, strength, gate, three shifts, sharpening
_WRITE_HEAD = _READ_HEAD + 2 * WIDTH  # as well as what to erase and what to add


@dataclass(frozen=True)
class Trained:
    """Networks after training.

    Attributes
    ----------
    losses : (steps, runs), the mean cross-entropy of a bit on a step's examples, before the step
    parameters : how many numbers one network has learned
    run : a function of x (runs, batch, time, BITS + 2) and, for a Neural Turing Machine, of the
        number of slots, which returns logits (runs, batch, time, BITS) and a list with the state
        of every step
    """

    losses: np.ndarray
    parameters: int
    run: Callable


def copy_examples(
    lengths: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw one sequence of random bits for each of the lengths.

    Parameters
    ----------
    lengths : integers (...), from 1 up

    Returns
    -------
    x : (..., time, BITS + 2) with time twice the largest length: the bits, then a flag that is 1
        while the sequence is shown, and one that is 1 while it has to be repeated
    y : (..., time, BITS), the bits that belong to the second flag
    asked : (..., time), the second flag
    """
    lengths = np.asarray(lengths)[..., None]
    longest = lengths.max()
    bits = rng.integers(0, 2, size=(*lengths.shape[:-1], longest, BITS))
    t = np.arange(2 * longest)
    shown, asked = t < lengths, (lengths <= t) & (t < 2 * lengths)
    # In every row t - length counts the steps of the answer.
    place = np.clip(t - lengths, 0, longest - 1)[..., None]
    y = np.take_along_axis(bits, place, axis=-2) * asked[..., None]
    padded = np.concatenate([bits, np.zeros_like(bits)], axis=-2) * shown[..., None]
    x = np.concatenate([padded, shown[..., None], asked[..., None]], axis=-1)
    return x.astype("float32"), y.astype("float32"), asked.astype("float32")


def train_machines(seeds: Sequence[int], rate: float, steps: int, longest: int) -> Trained:
    """Train a Neural Turing Machine for each seed on sequences of 1 to `longest` vectors.

    The controller is a layer of HIDDEN tanh units that sees the input and what was read last. One
    head writes, then another one reads, both addressed as in section 3.3 of Graves et al. (2014).
    Both start at slot 0 of a memory of zeros.
    """
    shapes = {
        "w": (_INPUTS + WIDTH, HIDDEN),
        "write": (HIDDEN, _WRITE_HEAD),
        "read": (HIDDEN, _READ_HEAD),
        "out": (WIDTH + HIDDEN, BITS),
    }

    def start(runs, batch, slots=SLOTS):
        first = tf.one_hot(tf.zeros((runs, batch), tf.int32), slots)
        return (
            tf.zeros((runs, batch, slots, WIDTH)),
            first,
            first,
            tf.zeros((runs, batch, WIDTH)),
        )

    return _train(shapes, start, _machine_step, seeds, rate, steps, longest)


def train_lstms(seeds: Sequence[int], rate: float, steps: int, longest: int, units: int) -> Trained:
    """Train an LSTM for each seed on the examples that machines see in as many steps."""
    shapes = {"w": (_INPUTS + units, 4 * units), "out": (units, BITS)}

    def start(runs, batch):
        return tf.zeros((runs, batch, units)), tf.zeros((runs, batch, units))

    return _train(shapes, start, _lstm_step, seeds, rate, steps, longest)


def _train(shapes, start, step, seeds, rate, steps, longest):
    runs = len(seeds)
    weights = _initial_weights(shapes, seeds)
    adam = Adam(weights)
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, longest + 1, size=(steps, BATCH))
    lengths[:, 0] = longest
    examples = [tf.constant(array) for array in copy_examples(lengths, rng)]

    def logits_of(x):
        time = x.shape[1]
        by_time = tf.transpose(tf.broadcast_to(x, (runs, *x.shape)), (2, 0, 1, 3))
        outputs = tf.TensorArray(tf.float32, time, element_shape=(runs, BATCH, BITS))

        def body(t, state, outputs):
            state, output = step(weights, by_time[t], state)
            return t + 1, state, outputs.write(t, output)

        *_, outputs = tf.while_loop(
            lambda t, *_: t < time, body, (0, start(runs, BATCH), outputs), maximum_iterations=time
        )
        return tf.transpose(outputs.stack(), (1, 2, 0, 3))

    @tf.function(jit_compile=True)
    def train():
        losses = tf.TensorArray(tf.float32, steps)
        for number in tf.range(steps):
            x, y, asked = (array[number] for array in examples)
            with tf.GradientTape() as tape:
                logits = logits_of(x)
                wrong = tf.nn.sigmoid_cross_entropy_with_logits(
                    tf.broadcast_to(y, logits.shape), logits
                )
                loss = tf.reduce_sum(wrong * asked[..., None], axis=(1, 2, 3))
                loss /= BITS * tf.reduce_sum(asked)
            adam.apply(_clipped(tape.gradient(loss, weights)), rate, number)
            losses = losses.write(number, loss)
        return losses.stack()

    def run(x, **options):
        states, outputs = [start(runs, x.shape[1], **options)], []
        for x_t in tf.unstack(tf.constant(x), axis=2):
            state, output = step(weights, x_t, states[-1])
            states.append(state)
            outputs.append(output)
        return tf.stack(outputs, axis=2).numpy(), states[1:]

    losses = train().numpy()
    return Trained(losses, sum(int(np.prod(w.shape[1:])) for w in weights.values()), run)


def _initial_weights(shapes, seeds):
    """Draw matrices as Keras's `Dense` does, each with a row of zeros for the bias."""
    starts = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        start = {}
        for name, (rows, columns) in shapes.items():
            limit = np.sqrt(6 / (rows + columns))
            matrix = rng.uniform(-limit, limit, size=(rows, columns))
            start[name] = np.concatenate([matrix, np.zeros((1, columns))]).astype("float32")
        starts.append(start)
    return {name: tf.Variable(np.stack([start[name] for start in starts])) for name in shapes}


def _dense(inputs, w):
    return tf.concat(inputs, axis=-1) @ w[:, :-1] + w[:, -1:]


def _machine_step(weights, x_t, state):
    memory, written, read, r = state
    h = tf.tanh(_dense([x_t, r], weights["w"]))
    head, erase, add = tf.split(_dense([h], weights["write"]), (_READ_HEAD, WIDTH, WIDTH), axis=-1)
    written = _address(memory, written, head)[..., None]
    memory = memory * (1 - written * tf.sigmoid(erase)[:, :, None])
    memory += written * tf.tanh(add)[:, :, None]
    read = _address(memory, read, _dense([h], weights["read"]))
    r = tf.einsum("abn,abnw->abw", read, memory)
    return (memory, written[..., 0], read, r), _dense([r, h], weights["out"])


def _address(memory, previous, head):
    """Return the weights of a head (runs, batch, slots): equations 5 to 9 of Graves et al."""
    key, strength, gate, shift, sharpen = tf.split(head, (WIDTH, 1, 1, 3, 1), axis=-1)
    # A small number under the roots: a memory of zeros has no direction.
    lengths = tf.sqrt(tf.reduce_sum(memory**2, axis=-1) + 1e-6)
    lengths *= tf.sqrt(tf.reduce_sum(key**2, axis=-1, keepdims=True) + 1e-6)
    cosines = tf.einsum("abnw,abw->abn", memory, key) / lengths
    content = tf.nn.softmax(tf.nn.softplus(strength) * cosines)
    mixed = previous + tf.sigmoid(gate) * (content - previous)
    back, stay, forward = tf.split(tf.nn.softmax(shift), 3, axis=-1)
    moved = back * tf.roll(mixed, -1, -1) + stay * mixed + forward * tf.roll(mixed, 1, -1)
    # A power as an exponential of a logarithm, so that the softmax normalises it.
    return tf.nn.softmax((1 + tf.nn.softplus(sharpen)) * tf.math.log(moved + 1e-8))


def _lstm_step(weights, x_t, state):
    h, cell = state
    i, f, o, g = tf.split(_dense([x_t, h], weights["w"]), 4, axis=-1)
    # The forget gate starts open, as in Keras: its bias starts at 1.
    cell = tf.sigmoid(f + 1) * cell + tf.sigmoid(i) * tf.tanh(g)
    h = tf.sigmoid(o) * tf.tanh(cell)
    return (h, cell), _dense([h], weights["out"])


def _clipped(gradients):
    """Shorten the gradient of every run to the length 1, where it is longer."""
    squares = sum(tf.reduce_sum(g**2, axis=(1, 2), keepdims=True) for g in gradients.values())
    factor = tf.minimum(1.0, tf.math.rsqrt(squares + 1e-12))
    return {name: factor * gradient for name, gradient in gradients.items()}
