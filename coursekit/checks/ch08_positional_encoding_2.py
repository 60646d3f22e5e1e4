"""Visible checks of chapter 8, and what its hidden checks share with them."""

import functools

import numpy as np

from coursekit.checks import ByImportPath, attempt, check, example, remote_helper
from coursekit.checks.layers import (
    TOLERANCE,
    saved_and_loaded,
    saving_examples,
    set_weights,
    training_examples,
)
from coursekit.checks.refusals import refusal_is

OTHER_SOURCE = (
    "Two generators with the same seed lead to different results. Draw every order from rng."
)
SEED_OF_ITS_OWN = (
    "Generators with different seeds lead to the same result. Draw every order from rng."
)
RANDOM_TABLE = "At least one of the tables is random. Both tables must be sinusoidal."
MAX_LEN_REFUSED = (
    "A sequence of exactly max_len steps is refused. Only a longer one must raise ValueError."
)
LEARNED = "The vectors are random. Use the fixed layer instead of the learned one."

SENTENCES = ["The cat sat.", "The dog!"]
ROBOTS = ["I am a robot", "you too robot"]
IDS = np.array([[2, 1, 2], [1, 1, 0]])
WORDS = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 5.0]])
POSITIONS = np.array([[0.0, 10.0], [20.0, 0.0], [40.0, 50.0], [70.0, 80.0]])
# An embedding of four words, the first of which is padding, in five columns.
TABLE = np.array([[9.0, 9, 9, 9, 9], [1, 0, 0, 0, 2], [0, 3, 0, 0, 0], [0, 0, 0, 5, 0]])


@check
def build_vectorizer(build_vectorizer):
    # So many different words that two more entries are not yet all of them.
    animals = ["The cat sat on a mat.", "The red cat ran to the dog!"]
    vectorizer_examples(build_vectorizer, animals, 6, 5, ["The red cat sat.", "Cat? To a cat!"])
    vectorizer_examples(build_vectorizer, SENTENCES, 5, 4, ["The cat saw the dog.", "Sat!"])
    vectorizer_examples(build_vectorizer, ROBOTS, 8, 5, [*ROBOTS, "are you? I am a happy robot"])


def vectorizer_examples(build, sentences, max_tokens, length, texts):
    """Compare the vocabulary of an answer's layer and its ids of some texts."""
    vectorizer = example(build, sentences, max_tokens, length).makes
    example(vectorizer.get_vocabulary)
    example(vectorizer, texts)


@check
def inverse_frequencies(inverse_frequencies):
    example(inverse_frequencies, 6, n=64.0)
    example(inverse_frequencies, 8)
    example(inverse_frequencies, 98)  # np.arange(0, 1, 2 / 98) lists 50 numbers
    example(inverse_frequencies, 7, raises=ValueError, because="an odd d")


@check
def PositionalEncoding(PositionalEncoding):
    encoding_examples(PositionalEncoding, (4, 32.0), TABLE[None, 1:], TABLE, [[1, 3, 0], [2, 0, 0]])
    by_default = example(PositionalEncoding, 5).makes
    example(by_default, TABLE[None, 1:], tolerance=TOLERANCE)


def encoding_examples(layer_class, args, x, table, ids):
    """Compare a PositionalEncoding on x, other lengths, without weights, masked and loaded.

    ``table`` is the embedding of the words ``ids``, 0 is padding.
    """
    layer = example(layer_class, *args).makes
    example(layer, x, tolerance=TOLERANCE)
    example(layer, np.concatenate([x, -x])[:, :-1], tolerance=TOLERANCE)
    # Each layer has a table of its own: another one is used, then the first once more.
    another = example(layer_class, args[0] + 1, 2 * args[1]).makes
    example(another, x, tolerance=TOLERANCE)
    example(layer, x, tolerance=TOLERANCE)
    example(layer.get_weights)
    longest = np.zeros((1, args[0], x.shape[2]))
    with refusal_is(MAX_LEN_REFUSED):
        example(layer, longest, tolerance=TOLERANCE)
    longer = np.zeros((1, args[0] + 1, x.shape[2]))
    example(layer, longer, raises=ValueError, because="a sequence longer than max_len")
    unknown_length_examples(layer, x)
    helper = remote_helper(layer, mean_of_real_steps, "the mean over the real steps")
    example(helper, layer, table, ids, tolerance=TOLERANCE)
    # The last step is masked in what is loaded, and yet its position must be added.
    last_is_masked = x * (np.arange(x.shape[1]) < x.shape[1] - 1)[:, None]
    saving_examples(layer_class, layer, last_is_masked, [])


def unknown_length_examples(layer, x):
    """Compare what a layer gives on x in a model that does not know the length beforehand."""
    helper = remote_helper(layer, with_unknown_length, "in a model of unknown length")
    example(helper, layer, x, tolerance=TOLERANCE)
    helper = remote_helper(layer, as_in_training, "in a model that is being trained")
    example(helper, layer, x, tolerance=TOLERANCE)


@check
def PositionEmbeddingLayer(PositionEmbeddingLayer):
    # Sizes of which none is another one plus one, or the length of the ids.
    layer = example(PositionEmbeddingLayer, 8, 5, 2).makes
    example(layer, IDS[:1], shapes_only=True)
    example(layer.get_weights, shapes_only=True)
    learned_examples(PositionEmbeddingLayer, IDS, WORDS, POSITIONS)


def learned_examples(layer_class, ids, words, positions):
    """Compare a PositionEmbeddingLayer on ids, on the longest ids, after training and loading."""
    args = len(positions), len(words), words.shape[1]
    weights = [words, positions]
    layer = example(layer_class, *args).makes
    # One row alone first: positions that are counted along the batch raise no error there.
    example(layer, ids[:1], shapes_only=True)
    set_weights(layer, weights)
    # So short a row that its positions counted from 1 are not the last rows of the table.
    example(layer, ids[:1, :2], tolerance=TOLERANCE)
    example(layer, ids[:1], tolerance=TOLERANCE)
    example(layer, ids, tolerance=TOLERANCE)
    example(layer, np.arange(len(positions))[None] % len(words), tolerance=TOLERANCE)
    unknown_length_examples(layer, ids)
    training_examples(layer, ids, weights)
    saving_examples(layer_class, layer, ids, weights)


@check
def PositionEmbeddingFixedWeights(PositionEmbeddingFixedWeights):
    fixed_examples(PositionEmbeddingFixedWeights, (3, 6, 4), np.array([[5, 2]]))
    robots = np.array([[5, 6, 7, 2, 0], [3, 4, 2, 0, 0]])
    fixed_examples(PositionEmbeddingFixedWeights, (9, 8, 5), robots)


def fixed_examples(layer_class, args, ids):
    """Compare a PositionEmbeddingFixedWeights on ids, on the longest ids, and loaded."""
    layer = example(layer_class, *args).makes
    # Every id has a row in both tables, so a position looked up by an id raises no error.
    small = ids % min(args[:2])
    example(layer, small, shapes_only=True)
    helper = remote_helper(layer_class, two_layers_agree, "whether two equal layers agree")
    if not attempt(helper, layer_class, args, small).value:
        told = "two layers with the same arguments gave different results"
        attempt(layer, small).fail(told, mistake=RANDOM_TABLE)
    example(layer, small, tolerance=TOLERANCE)
    example(layer, ids, tolerance=TOLERANCE)
    example(layer, np.arange(args[0])[None] % args[1], tolerance=TOLERANCE)
    unknown_length_examples(layer, ids)
    told = "the number of trainable parameters of a model"
    example(remote_helper(layer, trainable_in_a_model, told), layer, ids.shape[1])
    helper = remote_helper(layer, saved_and_loaded, "saved and loaded")
    example(example(helper, layer_class, layer, [None]).makes, ids, tolerance=TOLERANCE)


@check
def trainable_parameter_count(trainable_parameter_count):
    example(trainable_parameter_count, layer_to_count("batch_normalization", 5))
    example(trainable_parameter_count, layer_to_count("dense", 4, 3))
    example(trainable_parameter_count, layer_to_count("frozen_dense", 4, 3))
    example(trainable_parameter_count, layer_to_count("partly_frozen_model", 2, 6))
    example(trainable_parameter_count, layer_to_count("convolutional_model", 3, 5))
    example(trainable_parameter_count, layer_to_count("model_with_dropout", 2, 3))
    example(trainable_parameter_count, layer_to_count("model_with_a_scale", 3, 4))


@check
def embed_sentences(embed_sentences):
    sentence_examples(embed_sentences, SENTENCES, 5, 3, 2)
    sentence_examples(embed_sentences, ROBOTS, 8, 5, 6)
    example(embed_sentences, ROBOTS[:1], 8, 5, 6)
    example(embed_sentences, ROBOTS, 3, 5, 4)


def sentence_examples(embed_sentences, *args):
    """Compare an answer's vectors of sentences."""
    example(embed_sentences, *args, shapes_only=True)
    helper = remote_helper(embed_sentences, two_calls_agree, "whether two identical calls agree")
    if not attempt(helper, embed_sentences, args).value:
        told = "two identical calls gave different results"
        attempt(embed_sentences, *args).fail(told, mistake=LEARNED)
    example(embed_sentences, *args)


@check
def order_accuracy(order_accuracy):
    x, y = order_examples(order_accuracy, np.random.default_rng(80), 3, 8)
    # Half of the rows, because each of six calls takes its time.
    asked = order_accuracy, model_that("first", 8), x[:3000], y[:3000]

    def accuracies(seed):
        return attempt(*asked, some_generator(seed)).numbers((2,)).tolist()

    # Two different orders may happen to lead to the same accuracy, three hardly ever.
    if not accuracies(4) == accuracies(4) == accuracies(4):
        told = "two calls with the same seed differ"
        attempt(*asked, some_generator(4)).fail(told, mistake=OTHER_SOURCE)
    if accuracies(5) == accuracies(6) == accuracies(7):
        told = "calls with three different seeds give the same result"
        attempt(*asked, some_generator(7)).fail(told, mistake=SEED_OF_ITS_OWN)


def order_examples(order_accuracy, rng, time, classes):
    """Compare the two accuracies of models that ignore the order, and of two that use it.

    How an answer draws from the generator is its own affair, so where the draws matter there are so
    many rows that every right way gives nearly the same. Returns x and y of such an example.
    """
    # With so many rows no wrong way to shuffle is right by chance.
    same = np.repeat(np.arange(3000)[:, None] % 4, time, axis=1)
    answers = (same[:, 0] + (np.arange(3000) % 7 < 3)) % 4
    example(order_accuracy, model_that("first", 4), same, answers, some_generator(3))
    same = np.repeat([[0], [1], [2], [3]], time, axis=1)
    answers = np.array([0, 1, 0, 2])
    example(order_accuracy, model_that("first", 4), same, answers, some_generator(1))
    x = rng.integers(classes, size=(61, time))
    y = (x**3).sum(axis=1) % classes
    y[::5] = (y[::5] + 1) % classes
    example(order_accuracy, model_that("sum", classes), x, y, some_generator(2))
    x = rng.integers(classes, size=(6000, time))
    y = np.where(rng.uniform(size=6000) < 0.9, x[:, 0], x[:, 1])
    # A single order that this generator draws for all rows puts the second token first, so it is
    # neither the order of before nor the reverse.
    first = model_that("first", classes)
    example(order_accuracy, first, x, y, some_generator(12), tolerance=0.03)
    consecutive = rng.integers(classes, size=(6000, 1)) + np.arange(time)
    step = model_that("step", classes), consecutive % classes, np.ones(6000, int)
    example(order_accuracy, *step, some_generator(8), tolerance=0.03)
    return x, y


def layer_to_count(kind, *sizes):
    """Name a built layer by the function that makes it."""
    return ByImportPath(f"{__name__}:{kind}", *sizes)


def model_that(reads, classes):
    """Name a classifier by what it reads of its input."""
    return ByImportPath(f"{__name__}:classifier", reads, classes)


def some_generator(seed):
    """Name a NumPy generator."""
    return ByImportPath("numpy.random:default_rng", seed)


# --- what runs where the work lives -------------------------------------------------------------


def with_unknown_length(layer, x):
    """Return what a model of this layer, built for any length, gives on x inside a graph."""
    import keras
    import tensorflow as tf

    kind = "int32" if x.dtype.kind in "iu" else "float32"
    inputs = keras.Input((None, *x.shape[2:]), dtype=kind)
    signature = [tf.TensorSpec((None, None, *x.shape[2:]), kind)]
    model = keras.Model(inputs, layer(inputs))
    return tf.function(model, input_signature=signature, autograph=False)(tf.cast(x, kind))


def as_in_training(layer, x):
    """Return what a model of this layer gives on x while it is trained."""
    import keras

    inputs = keras.Input(x.shape[1:], dtype="int32" if x.dtype.kind in "iu" else "float32")
    return keras.Model(inputs, layer(inputs))(x, training=True)


def two_layers_agree(layer_class, args, ids):
    """Say whether two layers made with the same arguments give the same on ids."""
    return two_calls_agree(lambda: layer_class(*args)(ids), ())


def two_calls_agree(function, args):
    """Say whether a function gives the same for the same arguments."""
    one, other = (np.asarray(function(*args)) for _ in range(2))
    return bool(np.array_equal(one, other))


def mean_of_real_steps(layer, table, ids):
    """Embed ids with a mask, add positions by the layer, and average the steps that are real."""
    import keras

    rows, columns = table.shape
    words = keras.layers.Embedding(rows, columns, weights=[table], mask_zero=True)
    return keras.layers.GlobalAveragePooling1D()(layer(words(np.array(ids))))


def trainable_in_a_model(layer, time):
    """Count the numbers that training may change in a model of this layer alone."""
    import keras

    inputs = keras.Input((time,), dtype="int32")
    weights = keras.Model(inputs, layer(inputs)).trainable_weights
    return sum(int(np.prod(weight.shape)) for weight in weights)


def batch_normalization(features):
    """Make a built BatchNormalization, half of whose parameters are trainable."""
    import keras

    layer = keras.layers.BatchNormalization()
    layer.build((None, features))
    # As after training: the sum of the values is not the number of the parameters by chance.
    layer.gamma.assign(layer.gamma + 0.25)
    layer.beta.assign(layer.beta + 0.5)
    return layer


def dense(features, units, trainable=True):
    """Make a built Dense."""
    import keras

    layer = keras.layers.Dense(units, trainable=trainable)
    layer.build((None, features))
    return layer


def frozen_dense(features, units):
    """Make a built Dense without trainable parameters."""
    return dense(features, units, trainable=False)


def partly_frozen_model(features, units):
    """Make a built model of a Dense, a frozen Dense, and a BatchNormalization."""
    import keras

    frozen = keras.layers.Dense(features, trainable=False)
    parts = [keras.layers.Dense(units), frozen, keras.layers.BatchNormalization()]
    model = keras.Sequential(parts)
    model.build((None, features))
    return model


def convolutional_model(features, units):
    """Make a built model with a kernel of three axes, and a second one of the same name."""
    import keras

    model = keras.Sequential([keras.layers.Conv1D(units, 4), keras.layers.Dense(2)])
    model.build((None, 7, features))
    return model


def model_with_dropout(features, units):
    """Make a built model whose Dropout has a state that is not a parameter."""
    import keras

    model = keras.Sequential([keras.layers.Dense(units), keras.layers.Dropout(0.5)])
    model.build((None, features))
    return model


def model_with_a_scale(features, units):
    """Make a built model one of whose weights belongs to none of its layers."""
    import keras

    class Scaled(keras.Model):
        def build(self, input_shape):
            self.dense = keras.layers.Dense(units)
            self.dense.build(input_shape)
            self.scale = self.add_weight(shape=(units,))

        def call(self, inputs):
            return self.scale * self.dense(inputs)

    model = Scaled()
    model.build((None, features))
    return model


# One model serves all calls, because Keras prepares the `predict` of each new one.
@functools.cache
def classifier(reads, classes):
    """Make a model of ids (batch, time) that names the first, the first step, or a sum of all."""
    import keras

    choices = {
        "first": lambda ids: ids[:, 0],
        "step": lambda ids: ids[:, 1] - ids[:, 0],
        "sum": lambda ids: keras.ops.sum(ids**3, axis=1),
    }

    class Contrary(keras.layers.Layer):
        """Changes every sign in training, as no layer would: at random, nothing could be said."""

        def call(self, inputs, training=False):
            return -inputs if training else inputs

    def scores(ids):
        # Logits: the largest is no probability, and it may be negative.
        return 0.7 * keras.ops.one_hot(choices[reads](ids) % classes, classes) - 1.2

    ids = keras.Input((None,), dtype="int32")
    model = keras.Model(ids, Contrary()(keras.layers.Lambda(scores)(ids)))
    model.steps_per_execution = 12  # what it computes takes less time than to begin a step
    return model
