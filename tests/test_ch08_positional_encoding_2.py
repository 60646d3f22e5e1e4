"""The reference solution of chapter 8 against Keras and the formula, and the facts it prints."""

import itertools
import math

import numpy as np
import pytest
from closing import run_closing
from lazily import Lazily

from autograder.building.lessons import student_notebook

ch08 = Lazily("solutions.ch08_positional_encoding_2")
keras = Lazily("keras")
ops = Lazily("keras.ops")
tf = Lazily("tensorflow")
visible = Lazily("coursekit.checks.ch08_positional_encoding_2")

SENTENCES = ["I am a robot", "you too robot"]
IDS = np.array([[5, 6, 7, 2, 0], [3, 4, 2, 0, 0]])


def table(rows, d, n=10000.0):
    """Return the encoding, number by number."""
    entries = np.empty((rows, d))
    for p, j in np.ndindex(rows, d):
        angle = p / n ** ((j - j % 2) / d)
        entries[p, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return entries


def learned_layer(words, positions, **settings):
    layer = ch08.PositionEmbeddingLayer(len(positions), len(words), words.shape[1], **settings)
    layer.build((None, None))
    layer.set_weights([words, positions])
    return layer


def test_keras_lowers_and_strips_ascii_alone():
    vectorizer = keras.layers.TextVectorization()
    vectorizer.adapt(["The DOG, É «gut» — don't"])
    assert set(vectorizer.get_vocabulary()[2:]) == {"the", "dog", "É", "«gut»", "—", "dont"}


def some_tables(seed, vocabulary=7, longest=6, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(vocabulary, d)), rng.normal(size=(longest, d))


def every_layer():
    words, positions = some_tables(0)
    return {
        "learned": learned_layer(words, positions),
        "fixed": ch08.PositionEmbeddingFixedWeights(6, 7, 5),
    }


# --- the published facts ------------------------------------------------------------------------


def test_the_published_vocabulary_and_ids():
    vectorizer = ch08.build_vectorizer(SENTENCES, 10, 5)
    words = ["", "[UNK]", "robot", "you", "too", "i", "am", "a"]
    assert vectorizer.get_vocabulary() == words
    np.testing.assert_array_equal(vectorizer(SENTENCES), IDS)


def test_ties_are_in_reverse_alphabetical_order_and_the_last_words_are_lost():
    vectorizer = ch08.build_vectorizer(["b c a c", "d b, a e"], 6, 3)
    assert vectorizer.get_vocabulary() == ["", "[UNK]", "c", "b", "a", "e"]
    np.testing.assert_array_equal(vectorizer(["d c b a", "A"]), [[1, 2, 3], [4, 0, 0]])


def test_the_published_output_of_the_fixed_layer():
    given = np.asarray(ch08.PositionEmbeddingFixedWeights(5, 8, 6)(IDS))
    first = [-0.9589243, 1.2836622, 0.23000172, 1.9731903, 0.01077196, 1.9999421]
    np.testing.assert_allclose(given[0, 0], first, atol=2e-7)
    np.testing.assert_allclose(given, table(8, 6)[IDS] + table(5, 6), atol=1e-6)
    assert given.max() < 2


def test_the_published_first_rows_of_the_stand_alone_layer():
    pe = np.asarray(ch08.PositionalEncoding(20)(np.zeros((1, 20, 200))))
    assert pe.shape == (1, 20, 200)
    np.testing.assert_array_equal(pe[0, 0], np.arange(200) % 2)
    np.testing.assert_allclose(pe[0, 1, :3], [0.8415, 0.5403, 0.7907], atol=5e-5)
    np.testing.assert_allclose(pe[0, 1, -3:], [1, 0.0001, 1], atol=5e-5)


def test_in_the_fixed_layer_an_id_and_a_position_can_change_places():
    layer = ch08.PositionEmbeddingFixedWeights(8, 8, 6)
    vectors = np.asarray(layer(np.tile(np.arange(8)[:, None], (1, 8))))  # id, position, column
    np.testing.assert_allclose(vectors, vectors.swapaxes(0, 1), atol=1e-6)
    printed = np.asarray(layer(IDS))
    equal = [
        {one, other}
        for one, other in itertools.combinations(np.ndindex(2, 5), 2)
        if IDS[one] != IDS[other] and np.allclose(printed[one], printed[other], atol=1e-6)
    ]
    assert equal == [{(1, 0), (1, 3)}]


# --- the numbers that the exercises print -------------------------------------------------------


def test_the_numbers_that_the_exercises_print():
    vectorizer = ch08.build_vectorizer(["The cat sat.", "The dog!"], 5, 4)
    assert vectorizer.get_vocabulary() == ["", "[UNK]", "the", "sat", "dog"]
    printed = vectorizer(["The cat saw the dog.", "Sat!"])
    np.testing.assert_array_equal(printed, [[2, 1, 1, 2], [3, 0, 0, 0]])
    np.testing.assert_allclose(ch08.inverse_frequencies(6, n=64.0), [1, 0.25, 0.0625])
    x = np.array([[[1.0, 0, 0, 0, 2], [0, 3, 0, 0, 0], [0, 0, 0, 5, 0]]])
    encoded = [
        [1, 1, 0, 1, 2],
        [0.8415, 3.5403, 0.2474, 0.9689, 0.0625],
        [0.9093, -0.4161, 0.4794, 5.8776, 0.1247],
    ]
    np.testing.assert_allclose(ch08.PositionalEncoding(4, n=32.0)(x), [encoded], atol=5e-5)
    learned = learned_layer(visible.WORDS, visible.POSITIONS)(visible.IDS)
    expected = [[[3, 15], [21, 2], [43, 55]], [[1, 12], [21, 2], [40, 50]]]
    np.testing.assert_allclose(learned, expected)
    fixed = ch08.PositionEmbeddingFixedWeights(3, 6, 4)(np.array([[5, 2]]))
    expected = [[[-0.9589, 1.2837, 0.05, 1.9988], [1.7508, 0.1242, 0.03, 1.9998]]]
    np.testing.assert_allclose(fixed, expected, atol=5e-5)
    layer = visible.batch_normalization(5)
    assert layer.count_params() == 20 and ch08.trainable_parameter_count(layer) == 10
    expected = [
        [[0.9093, 0.5839], [1.6829, 1.0806], [1.0504, -1.4061]],
        [[0.9093, 0.5839], [0.0847, -0.1133], [0.9093, 0.5839]],
    ]
    given = ch08.embed_sentences(["The cat sat.", "The dog!"], 5, 3, 2)
    np.testing.assert_allclose(given, expected, atol=5e-5)
    x, y = np.array([[0, 0], [1, 1], [2, 2], [3, 3]]), np.array([0, 1, 0, 2])
    model = visible.classifier("first", 4)
    assert ch08.order_accuracy(model, x, y, np.random.default_rng(0)) == (0.5, 0.5)
    asked = model, np.array([[0, 1], [2, 3]]), np.array([0, 2])
    given = {ch08.order_accuracy(*asked, np.random.default_rng(seed)) for seed in range(20)}
    assert given == {(1, 0), (1, 0.5), (1, 1)}


# --- the functions and layers -------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 6, 512])
def test_both_forms_of_the_frequencies_agree(d):
    i = np.arange(d // 2)
    for n in (2.0, 10000.0, 1e9):
        np.testing.assert_allclose(ch08.inverse_frequencies(d, n), 1 / n ** (2 * i / d), rtol=1e-12)


@pytest.mark.parametrize(("time", "d", "n"), [(9, 6, 10000.0), (5, 7, 50.0), (1, 1, 3.0)])
def test_the_layer_adds_the_formula_at_every_length(time, d, n):
    layer = ch08.PositionalEncoding(time, n)
    rng = np.random.default_rng(0)
    for length in range(1, time + 1):
        x = rng.normal(size=(3, length, d))
        np.testing.assert_allclose(layer(x), x + table(length, d, n), atol=2e-6)
    assert layer.get_weights() == []


def test_the_layer_is_precise_far_out_and_keeps_the_dtype_of_its_policy():
    layer = ch08.PositionalEncoding(20_000)
    np.testing.assert_allclose(
        layer(np.zeros((1, 20_000, 8)))[0, -5:], table(20_000, 8)[-5:], atol=1e-6
    )
    half = ch08.PositionalEncoding(4, dtype="float16")
    assert keras.backend.standardize_dtype(half(np.zeros((1, 4, 2))).dtype) == "float16"


def test_the_gradient_passes_the_positions_unchanged():
    x = tf.constant(np.random.default_rng(0).normal(size=(2, 3, 4)), "float32")
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.reduce_sum(ch08.PositionalEncoding(3)(x) ** 2)
    expected = 2 * (x.numpy() + table(3, 4))
    np.testing.assert_allclose(tape.gradient(value, x), expected, atol=1e-5)


def test_the_learned_layer_against_two_embeddings_of_keras_with_gradients():
    words, positions = some_tables(0)
    layer = learned_layer(words, positions)
    separate = [keras.layers.Embedding(*t.shape, weights=[t]) for t in (words, positions)]
    ids = np.random.default_rng(1).integers(len(words), size=(3, 4))
    direction = np.random.default_rng(2).normal(size=(3, 4, 5))

    def gradients(compute, layers):
        variables = [weight.value for inner in layers for weight in inner.weights]
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(compute() * direction)
        return [tf.convert_to_tensor(g) for g in tape.gradient(value, variables)]

    ours = gradients(lambda: layer(ids), [layer])
    theirs = gradients(lambda: separate[0](ids) + separate[1](np.arange(4)), separate)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    np.testing.assert_allclose(layer(ids), words[ids] + positions[:4], atol=1e-6)


def test_the_fixed_layer_stays_what_it_is_in_training():
    layer = ch08.PositionEmbeddingFixedWeights(6, 7, 5)
    model = keras.Sequential([keras.Input((4,), dtype="int32"), layer, keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    ids = np.random.default_rng(0).integers(7, size=(8, 4))
    before = np.asarray(layer(ids))
    model.fit(ids, np.ones((8, 4, 1)), verbose=0)
    np.testing.assert_array_equal(layer(ids), before)
    assert ch08.trainable_parameter_count(layer) == 0
    assert ch08.trainable_parameter_count(model) == 6


def test_a_mask_goes_through_the_layer_and_two_layers_around_it():
    words = keras.layers.Embedding(6, 4, mask_zero=True)
    ids = np.array([[3, 1, 2, 0, 0], [5, 0, 0, 0, 0]])
    symbols = keras.Input((None,), dtype="int32")
    added = ch08.PositionalEncoding(9)(words(symbols))
    model = keras.Model(symbols, keras.layers.GlobalAveragePooling1D()(added))
    of_words = words.get_weights()[0]
    real = ids[0, :3], ids[1, :1]
    expected = [(of_words[row] + table(len(row), 4)).mean(axis=0) for row in real]
    np.testing.assert_allclose(model(ids), expected, atol=1e-6)
    # A recurrent layer behind it skips what is padding.
    lstm = keras.layers.LSTM(3)
    longer = np.pad(ids, ((0, 0), (0, 3)))
    states = [lstm(ch08.PositionalEncoding(9)(words(given))) for given in (ids, longer)]
    np.testing.assert_allclose(*states, atol=1e-6)


@pytest.mark.parametrize("kind", ["learned", "fixed"])
def test_a_layer_of_ids_survives_its_config_a_file_and_an_unknown_length(kind, tmp_path):
    layer = every_layer()[kind]
    copy = type(layer).from_config(layer.get_config())
    assert copy.get_config() == layer.get_config()
    symbols = keras.Input((None,), dtype="int32")
    model = keras.Model(symbols, ch08.PositionalEncoding(6, n=20.0)(layer(symbols)))
    model.save(tmp_path / "model.keras")
    names = {cls.__name__: cls for cls in (type(layer), ch08.PositionalEncoding)}
    loaded = keras.models.load_model(tmp_path / "model.keras", custom_objects=names)
    for length in (2, 6):
        ids = np.random.default_rng(length).integers(7, size=(3, length))
        np.testing.assert_allclose(loaded(ids), model(ids), atol=1e-6)
        expected = layer(ids) + table(length, 5, 20.0)
        np.testing.assert_allclose(model.predict(ids, verbose=0), expected, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_order_accuracy_of_models_whose_accuracies_are_known(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(10, size=(20_000, 4))
    before = x.copy()
    first = visible.classifier("first", 10)
    intact, shuffled = ch08.order_accuracy(first, x, x[:, 0], rng)
    # The first token is the old one in a quarter of the rows, and equal by chance in a tenth.
    assert intact == 1 and shuffled == pytest.approx(0.25 + 0.75 / 10, abs=0.015)
    total = visible.classifier("sum", 10)
    y = (x**3).sum(axis=1) % 10
    assert ch08.order_accuracy(total, x, y, rng) == (1, 1)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: ch08.build_vectorizer("one text", 5, 4), "sentences"),
        (lambda: ch08.build_vectorizer([], 5, 4), "sentences"),
        (lambda: ch08.build_vectorizer(SENTENCES, 2, 4), "max_tokens"),
        (lambda: ch08.build_vectorizer(SENTENCES, 5, 0), "length"),
        (lambda: ch08.inverse_frequencies(7), "d"),
        (lambda: ch08.inverse_frequencies(0), "d"),
        (lambda: ch08.inverse_frequencies(6, -1.0), "n"),
        (lambda: ch08.PositionalEncoding(0), "max_len"),
        (lambda: ch08.PositionalEncoding(3, n=0.0), "n"),
        (lambda: ch08.PositionalEncoding(3)(np.ones((2, 4, 6))), "max_len"),
        (lambda: ch08.PositionalEncoding(3)(keras.Input((4, 6))), "max_len"),
        (lambda: ch08.PositionalEncoding(3)(np.ones((2, 4))), "inputs"),
        (lambda: every_layer()["learned"](np.array([[7]])), "vocab_size"),
        (lambda: every_layer()["fixed"](np.array([[-1]])), "vocab_size"),
        (lambda: every_layer()["fixed"](np.zeros((1, 7), int)), "sequence_length"),
        (lambda: every_layer()["learned"](np.zeros(3, int)), "ids"),
        (lambda: ch08.trainable_parameter_count(keras.layers.Dense(3)), "layer"),
        (lambda: ch08.order_accuracy(None, np.ones((3, 2)), np.ones(2), None), "y"),
    ],
)
def test_bad_input_is_named(call, names):
    with pytest.raises(ValueError, match=rf"\b{names}\b"):
        call()


# --- the student's own layers at work -----------------------------------------------------------


# With its trainings it takes most of a minute.
@pytest.mark.nightly
def test_the_closing_part_trains_its_layers_on_the_order(capsys):
    names, _ = run_closing("ch08_positional_encoding_2")
    printed = capsys.readouterr().out
    for name, trainable in zip(names["ways"], (12 * 32 + 24 * 32, 12 * 32, 0, 0), strict=True):
        assert f"{name}, {trainable} trainable parameters" in printed
        (intact, shuffled), (_, longer_shuffled) = names["accuracies"][name]
        assert abs(shuffled - 0.5) < 0.06 and abs(longer_shuffled - 0.5) < 0.06
        assert f"intact {intact:.3f}, shuffled {shuffled:.3f}" in printed
    learned, positions_fixed, fixed, raised = names["accuracies"].values()
    assert min(learned[0][0], positions_fixed[0][0]) > 0.95
    assert fixed[0][0] < 0.83 and raised[0][0] > fixed[0][0] + 0.07
    x, y = names["which_first"](50, 16, seed=3)
    assert ((x == names["X"]).sum(axis=1) == 1).all() and ((x == names["Y"]).sum(axis=1) == 1).all()
    np.testing.assert_array_equal((x == 10).argmax(axis=1) < (x == 11).argmax(axis=1), y)


# --- what the lesson prints ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def page():
    """Run the lesson's cells that only define something, and return their names."""
    names = {}
    cells = [cell.source for cell in student_notebook("ch08_positional_encoding_2").cells]
    for part in ("import coursekit.quiet_start", "TIME, LETTERS", "X, Y ="):
        exec(next(source for source in cells if part in source), names)
    return names


def accuracy_of(page, positions, task, length, seeds):
    x, y = page[task](1000, length, seed=77)
    right = page["train"](positions, page[task], seeds=seeds)(x) == y
    return right.reshape(len(right), -1).mean(axis=1)


# Other seeds than the lesson's.
@pytest.mark.nightly
def test_only_networks_with_positions_write_backwards_and_none_a_longer_row(page):
    x, y = page["backwards"](1000, 13, seed=77)
    commonest = np.array([np.bincount(row).argmax() for row in x])
    baseline = np.mean(commonest[:, None] == y)
    assert accuracy_of(page, "none", "backwards", 12, [50]).max() < 0.3
    at_12 = page["backwards"](1000, 12, seed=77)
    for positions in ("learned", "sinusoidal"):
        answers = page["train"](positions, page["backwards"], seeds=[50, 51])
        assert (answers(at_12[0]) == at_12[1]).mean(axis=(1, 2)).min() > 0.98
        given = answers(x)
        assert (given == y).mean(axis=(1, 2)).max() < baseline
        assert (given[:, :, :12] == x[:, 11::-1]).mean(axis=(1, 2)).min() > 0.95


@pytest.mark.nightly
def test_learned_judges_guess_beyond_the_trained_length_as_the_formula_says(page):
    guess = 0.5 + 0.5 * 12 * 11 / (16 * 15)
    found = accuracy_of(page, "learned", "which_first", 16, [50, 51, 52])
    assert abs(found.mean() - guess) < 0.06 and np.ptp(found) < 0.15
    assert abs(accuracy_of(page, "none", "which_first", 12, [50])[0] - 0.5) < 0.05


def test_the_pages_encoding_is_the_formula(page):
    np.testing.assert_allclose(page["positional_encoding"](20, 200), table(20, 200), atol=1e-12)
