"""The reference solution of chapter 10 against Keras, and the facts the chapter prints."""

import contextlib
import functools
import io
import re

import numpy as np
import pytest
from lazily import Lazily

from autograder.checking.hidden_check import hidden_checks, salted
from autograder.course.chapters import load_chapter
from coursekit import datasets

STEM = "ch10_transformer_model"
ch04 = Lazily("solutions.ch04_bahdanau_attention")
ch10 = Lazily("solutions.ch10_transformer_model")
deep_stacks = Lazily("coursekit.deep_stacks")
keras = Lazily("keras")
networks = Lazily("coursekit.transformer")
ops = Lazily("keras.ops")
tf = Lazily("tensorflow")
translation = Lazily("coursekit.translation")
visible = Lazily("coursekit.checks.ch10_transformer_model")
visible_04 = Lazily("coursekit.checks.ch04_bahdanau_attention")


def some_ids(rng, batch, time, shortest=1):
    """Draw ids that end in padding, 0."""
    lengths = rng.integers(shortest, time + 1, size=batch)
    return np.where(np.arange(time) < lengths[:, None], rng.integers(3, 9, size=(batch, time)), 0)


def built(layer, *inputs, seed=0):
    """Call a layer and give all of its weights random values."""
    layer(*inputs)
    rng = np.random.default_rng(seed)
    layer.set_weights([rng.normal(0.3, 0.5, size=w.shape) for w in layer.get_weights()])
    return layer


# --- the numbers that the exercises print ---------------------------------------------------------


def test_the_numbers_of_the_two_functions():
    x = np.array([[[2.0, -1.0, 0.5], [0.0, 3.0, -2.5]], [[4.0, 4.0, 4.0], [-1.0, 0.5, 6.5]]])
    printed = [
        [[1.3247, -0.8124, 0.3], [0.0259, 0.4301, 2.672]],
        [[0.1, -0.2, 0.3], [-0.8258, -0.4315, -2.4775]],
    ]
    normed = ch10.layer_norm(x, np.array([1.0, 0.5, -2.0]), np.array([0.1, -0.2, 0.3]))
    np.testing.assert_allclose(normed, printed, atol=5e-5)
    w_1 = np.array([[1.0, -0.5, 0.2, 0.7], [0.3, 0.8, -1.2, 0.4], [-0.6, 0.1, 0.9, -0.3]])
    w_2 = np.array([[0.5, -1.0, 0.2], [1.5, 0.4, -0.3], [-0.2, 0.6, 0.8], [0.9, -0.7, 0.1]])
    b_1, b_2 = np.array([0.1, -0.4, 0.2, 0.3]), np.array([0.05, -0.15, 0.25])
    printed = [[[1.385, -1.105, 2.465], [5.95, -3.525, 0.45]], [[6.45, -5.02, 0.82]] * 2]
    printed[1][1] = [0.725, 3.46, 4.105]
    np.testing.assert_allclose(ch10.feed_forward(x, w_1, b_1, w_2, b_2), printed, atol=1e-12)


def test_the_numbers_of_the_masks():
    source_ids = np.array([[7, 4, 9, 0], [5, 0, 0, 0]])
    target_ids = np.array([[2, 6, 0], [2, 8, 3]])
    encoder, decoder, cross = ch10.transformer_masks(source_ids, target_ids)
    np.testing.assert_array_equal(encoder, [[[1, 1, 1, 0]], [[1, 0, 0, 0]]])
    np.testing.assert_array_equal(cross, encoder)
    printed = [[[1, 0, 0], [1, 1, 0], [1, 1, 0]], [[1, 0, 0], [1, 1, 0], [1, 1, 1]]]
    np.testing.assert_array_equal(decoder, printed)
    assert {mask.dtype for mask in (encoder, decoder, cross)} == {np.dtype(bool)}


def test_the_numbers_of_the_layers():
    def filled(layer, *inputs):
        layer(*inputs)
        for weight in layer.weights:
            if len(weight.shape) > 1:
                numbers = np.sin(np.arange(np.prod(weight.shape))) / 2
                weight.assign(numbers.reshape(weight.shape))
        return layer

    x, memory = visible.X, visible.MEMORY
    encoder = filled(ch10.EncoderLayer(4, 2, 5), x)
    assert encoder.count_params() == 129
    last = [0.351, 0.585, -1.712, 0.777]
    printed = [[0.959, -1.56, 0.782, -0.181], [-1.42, 1.289, 0.462, -0.332], last]
    np.testing.assert_allclose(encoder(x)[0], printed, atol=6e-4)
    output = encoder(x, attention_mask=np.tri(3, dtype=bool)[None])[0].numpy()
    np.testing.assert_allclose(output[[0, -1]], [[1.314, -1.439, 0.374, -0.249], last], atol=6e-4)
    decoder = filled(ch10.DecoderLayer(4, 2, 5), x, memory)
    assert decoder.count_params() == 201
    printed = [
        [0.835, -1.662, 0.727, 0.1],
        [-1.249, 1.369, 0.468, -0.589],
        [0.924, 0.671, -1.642, 0.047],
    ]
    np.testing.assert_allclose(decoder(x, memory)[0], printed, atol=6e-4)


def test_the_numbers_of_decoding():
    for max_length, printed in (
        (8, [[5, 2, 2, 2, 2], [3, 4, 4, 5, 2]]),
        (3, [[5, 2, 2], [3, 4, 4]]),
    ):
        next_logits = visible.ScriptedLogits(visible.WORDS, 1, 7, 2)
        ids = ch10.greedy_decode(next_logits, 1, 2, max_length, 2)
        np.testing.assert_array_equal(ids, printed)
        assert next_logits.calls == len(printed[0])


def test_the_numbers_of_counting_and_training():
    assert ch10.transformer_parameter_count(37_000) == 63_045_632
    assert ch10.transformer_parameter_count(37_000, tied=False) == 100_933_632
    assert ch10.transformer_parameter_count(50, d_model=12, d_ff=20, num_layers=2) == 6_344
    rates = ch10.warmup_learning_rate(np.array([1, 5, 10, 40]), 4, 10)
    np.testing.assert_allclose(rates, [0.0158, 0.0791, 0.1581, 0.0791], atol=5e-5)
    labels = ch10.smooth_labels(np.array([[2, 0], [4, 1], [3, 3]]), 5)
    assert labels.shape == (3, 2, 5)
    printed = [[0.02, 0.02, 0.92, 0.02, 0.02], [0.92, 0.02, 0.02, 0.02, 0.02]]
    np.testing.assert_allclose(labels[0], printed)


# --- the functions --------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-6, 0.5])
def test_the_norm_is_that_of_keras(epsilon):
    rng = np.random.default_rng(0)
    x, gamma, beta = rng.normal(2, 3, size=(4, 3, 5)), rng.normal(size=5), rng.normal(size=5)
    layer = keras.layers.LayerNormalization(epsilon=epsilon, dtype="float64")
    layer.build(x.shape)
    layer.set_weights([gamma, beta])
    np.testing.assert_allclose(ch10.layer_norm(x, gamma, beta, epsilon), layer(x), atol=1e-6)


def test_a_norm_of_equal_or_huge_features_is_finite():
    x = np.array([[3.0, 3.0, 3.0], [1e8, -1e8, 0.0]])
    ones = np.ones(3)
    with np.errstate(all="raise"):
        normed = ch10.layer_norm(x, 2 * ones, ones)
    np.testing.assert_allclose(normed, [ones, 1 + 2 * np.array([1.5, -1.5, 0]) ** 1 / 1.5**0.5])


def test_the_feed_forward_network_is_two_dense_layers():
    rng = np.random.default_rng(0)
    x, arrays = rng.normal(size=(4, 3, 5)), []
    for shape in [(5, 7), (7,), (7, 5), (5,)]:
        arrays.append(rng.normal(size=shape))
    layers = [keras.layers.Dense(7, "relu", dtype="float64")]
    layers.append(keras.layers.Dense(5, dtype="float64"))
    network = keras.Sequential([keras.Input((3, 5)), *layers])
    network.set_weights(arrays)
    np.testing.assert_allclose(ch10.feed_forward(x, *arrays), network(x), atol=1e-6)


def test_what_the_masks_hide_changes_nothing():
    rng = np.random.default_rng(0)
    source_ids, target_ids = some_ids(rng, 5, 6), some_ids(rng, 5, 4)
    encoder_mask, decoder_mask, cross_mask = ch10.transformer_masks(source_ids, target_ids)
    source, x = rng.normal(size=(5, 6, 4)), rng.normal(size=(5, 4, 4))
    encoder = built(ch10.EncoderLayer(4, 2, 7), source)
    decoder = built(ch10.DecoderLayer(4, 2, 7), x, source)

    def translated(source, x):
        memory = encoder(source, attention_mask=encoder_mask)
        return decoder(x, memory, self_mask=decoder_mask, cross_mask=cross_mask).numpy()

    before = translated(source, x)
    padding = source_ids == 0
    assert padding.any()
    other = np.where(padding[..., None], rng.normal(size=source.shape), source)
    np.testing.assert_allclose(translated(other, x), before, atol=1e-5)
    for t in range(1, 4):
        later = (np.arange(4) >= t)[:, None]
        other = np.where(later, rng.normal(size=x.shape), x)
        now = translated(source, other)
        np.testing.assert_allclose(now[:, :t], before[:, :t], atol=1e-5)
        assert np.abs(now[:, t:] - before[:, t:]).max() > 0.01


# --- the layers -----------------------------------------------------------------------------------


def attend(weights, num_heads, queries, keys, mask):
    """Compute an attention from its four weights head by head, in TensorFlow."""
    w_q, w_k, w_v, w_o = (tf.reshape(w, (queries.shape[-1], -1)) for w in weights)
    width, output = w_q.shape[1] // num_heads, 0.0
    for start in range(0, w_q.shape[1], width):
        columns = slice(start, start + width)
        scores = (queries @ w_q[:, columns]) @ tf.linalg.matrix_transpose(keys @ w_k[:, columns])
        scores = scores / np.sqrt(width)
        if mask is not None:
            scores = tf.where(mask, scores, -1e9)
        output += tf.nn.softmax(scores) @ (keys @ w_v[:, columns]) @ w_o[columns]
    return output


def normed(x, gamma, beta):
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return gamma * (x - mean) / tf.sqrt(variance + 1e-6) + beta


def transformed(x, w_1, b_1, w_2, b_2):
    return tf.nn.relu(x @ w_1 + b_1) @ w_2 + b_2


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("num_heads", [1, 3])
def test_the_layers_have_the_outputs_and_gradients_of_their_formulas(num_heads, masked):
    rng = np.random.default_rng(num_heads)
    x, memory = (tf.constant(rng.normal(size=(2, t, 6)), "float32") for t in (4, 5))
    masks = {"attention_mask": None}, {"self_mask": None, "cross_mask": None}
    if masked:
        pairs = rng.uniform(size=(2, 4, 4)) < 0.6
        pairs |= np.eye(4, dtype=bool)
        cross = np.array([[[True, True, False, True, False]], [[False, True, True, True, True]]])
        masks = {"attention_mask": pairs}, {"self_mask": pairs, "cross_mask": cross}
    encoder = built(ch10.EncoderLayer(6, num_heads, 7), x)
    decoder = built(ch10.DecoderLayer(6, num_heads, 7), x, memory)

    def encoded(w, mask):
        h = normed(x + attend(w[:4], num_heads, x, x, mask), *w[4:6])
        return normed(h + transformed(h, *w[6:10]), *w[10:])

    def decoded(w, own, cross):
        h = normed(x + attend(w[:4], num_heads, x, x, own), *w[4:6])
        h = normed(h + attend(w[6:10], num_heads, h, memory, cross), *w[10:12])
        return normed(h + transformed(h, *w[12:16]), *w[16:])

    for layer, inputs, formula, given in (
        (encoder, [x], encoded, masks[0]),
        (decoder, [x, memory], decoded, masks[1]),
    ):
        weights = [weight.value for weight in layer.weights]
        direction = rng.normal(size=(2, 4, 6)).astype("float32")
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, memory])
            outputs = layer(*inputs, **given), formula(weights, *given.values())
            losses = [tf.reduce_sum(output * direction) for output in outputs]
        np.testing.assert_allclose(*outputs, atol=1e-5)
        found, expected = (tape.gradient(loss, [*inputs, *weights]) for loss in losses)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-4 * (1 + np.abs(other).max()))


def test_the_layers_survive_a_file_and_their_masks_may_be_inputs(tmp_path):
    sources, targets = keras.Input((None, 6)), keras.Input((None, 6))
    masks = [keras.Input((None, None), dtype="bool") for _ in range(3)]
    memory = ch10.EncoderLayer(6, 3, 9, dropout=0.2)(sources, attention_mask=masks[0])
    decoder = ch10.DecoderLayer(6, 3, 9, dropout=0.2)
    outputs = decoder(targets, memory, self_mask=masks[1], cross_mask=masks[2])
    assert outputs.shape == (None, None, 6)
    model = keras.Model([sources, targets, *masks], outputs)
    model.save(tmp_path / "model.keras")
    classes = {name: getattr(ch10, name) for name in ("EncoderLayer", "DecoderLayer")}
    loaded = keras.models.load_model(tmp_path / "model.keras", custom_objects=classes)
    rng = np.random.default_rng(0)
    ids = some_ids(rng, 4, 5), some_ids(rng, 4, 3)
    inputs = [rng.normal(size=(4, 5, 6)), rng.normal(size=(4, 3, 6)), *ch10.transformer_masks(*ids)]
    np.testing.assert_allclose(loaded(inputs), model(inputs), atol=1e-6)
    assert loaded.layers[-1].get_config()["dropout"] == 0.2
    loaded.compile("adam", "mse")
    losses = loaded.fit(inputs, inputs[1][:, ::-1], epochs=5, verbose=0).history["loss"]
    assert np.isfinite(losses).all()


def test_what_dropout_can_give_contains_the_layer_without_dropout():
    rng = np.random.default_rng(0)
    x, memory = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4))
    values = visible.some_weights(rng, 4, 7)
    for layer, inputs in (
        (ch10.EncoderLayer(4, 2, 7), [x]),
        (ch10.DecoderLayer(4, 2, 7), [x, memory]),
    ):
        layer(*inputs)
        visible.fill(layer, values)
        *_, possible = visible.outputs_of_sublayers(inputs, values, np.ones((1, 4)), 4, 2, 7)
        np.testing.assert_allclose(possible.reshape(x.shape), layer(*inputs), atol=1e-4)


def test_the_epsilon_of_a_norm_does_not_decide_the_mark():
    """With what is drawn first here, it decides whether a hidden unit is just below 0 or above."""

    class DecoderLayer(ch10.DecoderLayer):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            for norm in (self.self_norm, self.cross_norm, self.feed_forward_norm):
                norm.epsilon = 1e-3

    with salted("d"):
        hidden_checks("ch10_transformer_model").DecoderLayer(DecoderLayer)


# --- decoding, counting, training -----------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_decoding_follows_the_rules_of_chapter_4(seed):
    rng = np.random.default_rng(seed)
    words = rng.integers(2, 7, size=(3, 8))
    words[:, -1] = 2
    states = np.stack([np.arange(3), np.zeros(3)], axis=1)
    for max_length in (1, 4, 20):
        step = visible_04.ScriptedDecoder(words, 1, 7, 2)
        expected, _ = ch04.attention_decode(step, states, 1, 2, max_length)
        next_logits = visible.ScriptedLogits(words, 1, 7, 2)
        ids = ch10.greedy_decode(next_logits, 1, 2, max_length, 3)
        np.testing.assert_array_equal(ids, expected)
        assert next_logits.calls == step.calls


@pytest.mark.parametrize("tied", [False, True])
def test_the_count_is_that_of_a_built_model(tied):
    x = np.zeros((1, 2, 6))
    layers = [ch10.EncoderLayer(6, 3, 5) for _ in range(2)]
    for layer in layers:
        layer(x)
    layers += [ch10.DecoderLayer(6, 2, 5) for _ in range(2)]
    for layer in layers[2:]:
        layer(x, x)
    source, target = keras.layers.Embedding(11, 6), keras.layers.Embedding(11, 6)
    output = keras.layers.Dense(11, use_bias=False)
    for layer in (source, target, output):
        layer.build((None, 6))
    layers += [source] if tied else [source, target, output]
    expected = sum(layer.count_params() for layer in layers)
    assert ch10.transformer_parameter_count(11, 6, 5, 2, tied) == expected


def test_the_rate_peaks_where_the_warm_up_ends():
    rates = ch10.warmup_learning_rate(np.arange(1, 9000), 512)
    assert rates.argmax() == 3999
    assert rates.max() == pytest.approx(1 / np.sqrt(512 * 4000))
    np.testing.assert_allclose(np.diff(rates[:4000]), rates[0])
    assert ch10.warmup_learning_rate(16_000, 512) == pytest.approx(rates.max() / 2)


def test_smooth_labels_are_those_of_keras():
    rng = np.random.default_rng(0)
    ids, logits = rng.integers(6, size=(4, 3)), rng.normal(size=(4, 3, 6))
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.3)
    plain = keras.losses.CategoricalCrossentropy(from_logits=True)
    labels = ch10.smooth_labels(ids, 6, 0.3)
    np.testing.assert_allclose(plain(labels, logits), loss(np.eye(6)[ids], logits), rtol=1e-5)
    np.testing.assert_allclose(labels.sum(axis=-1), 1)


@pytest.mark.parametrize(
    ("named", "call"),
    [
        ("gamma", lambda: ch10.layer_norm(np.ones((2, 3)), np.ones(2), np.ones(3))),
        ("w_2", lambda: ch10.feed_forward(*map(np.ones, [(2, 3), (3, 4), 4, (3, 4), 3]))),
        ("target_ids", lambda: ch10.transformer_masks(np.ones((2, 3)), np.ones((3, 3)))),
        ("source_ids", lambda: ch10.transformer_masks(np.ones(3), np.ones((3, 3)))),
        ("num_heads", lambda: ch10.EncoderLayer(6, 4, 5)),
        ("num_heads", lambda: ch10.DecoderLayer(6, 0, 5)),
        ("x must", lambda: ch10.EncoderLayer(6, 3, 5)(np.ones((2, 3, 4)))),
        ("memory", lambda: ch10.DecoderLayer(6, 3, 5)(np.ones((2, 3, 6)), np.ones((2, 3, 4)))),
        (
            "attention_mask",
            lambda: ch10.EncoderLayer(6, 3, 5)(np.ones((2, 3, 6)), np.ones((2, 3), dtype=bool)),
        ),
        ("max_length", lambda: ch10.greedy_decode(np.ones, 1, 2, 0, 3)),
        ("d_ff", lambda: ch10.transformer_parameter_count(7, d_ff=0)),
        ("step", lambda: ch10.warmup_learning_rate(np.array([0, 1]), 4)),
        ("ids", lambda: ch10.smooth_labels(np.array([5]), 5)),
        ("d_model", lambda: ch10.build_transformer(6, 7, 3, 1, 5)),
        ("num_layers", lambda: ch10.build_transformer(6, 7, 4, 2, 5, num_layers=0)),
    ],
)
def test_what_does_not_fit_raises_an_error_that_names_it(named, call):
    with pytest.raises(ValueError, match=named):
        call()


# --- the whole model ----------------------------------------------------------------------------


def test_the_numbers_of_the_model():
    ids = [np.array([[3, 5, 2, 0]]), np.array([[1, 6, 4]])]
    model = ch10.build_transformer(6, 7, 4, 2, 5)
    assert model.count_params() == 410
    for weight in model.trainable_weights:
        if len(weight.shape) > 1:
            numbers = np.sin(np.arange(np.prod(weight.shape))) / 2
            weight.assign(numbers.reshape(weight.shape))
    printed = [
        [0.385, -0.608, -1.041, -0.518, 0.482, 1.039, 0.64],
        [0.5, -0.706, -1.263, -0.659, 0.551, 1.254, 0.804],
        [-0.163, -0.593, -0.478, 0.077, 0.561, 0.529, 0.011],
    ]
    np.testing.assert_allclose(model(ids)[0], printed, atol=6e-4)


@pytest.mark.parametrize("lengths", [(6, 5), (4, 7), (1, 1)])
def test_the_model_is_its_layers_joined(lengths):
    rng = np.random.default_rng(1)
    source_ids, target_ids = (some_ids(rng, 4, time) for time in lengths)
    source_ids[0], target_ids[0] = source_ids[0, ::-1].copy(), 5
    model = ch10.build_transformer(9, 10, 8, 2, 12, num_layers=2)
    kinds = keras.layers.Embedding, ch10.EncoderLayer, ch10.DecoderLayer, keras.layers.Dense
    embeddings, encoder, decoder, (output,) = (
        [layer for layer in model.layers if isinstance(layer, kind)] for kind in kinds
    )
    read, write = sorted(embeddings, key=lambda layer: layer.input_dim)
    masks = ch10.transformer_masks(source_ids, target_ids)
    x, y = (
        8**0.5 * np.asarray(table(ids)) + networks.positional_encoding(ids.shape[1], 8)
        for table, ids in ((read, source_ids), (write, target_ids))
    )
    for layer in encoder:
        x = layer(x, attention_mask=masks[0])
    for layer in decoder:
        y = layer(y, x, self_mask=masks[1], cross_mask=masks[2])
    np.testing.assert_allclose(output(y), model([source_ids, target_ids]), atol=1e-4)
    assert len(encoder) == len(decoder) == 2


def test_no_norms_epsilon_decides_the_mark_of_the_model():
    def build_transformer(*sizes, **settings):
        model = ch10.build_transformer(*sizes, **settings)
        for layer in model._flatten_layers():
            if isinstance(layer, keras.layers.LayerNormalization):
                layer.epsilon = 1e-3
        return model

    visible.build_transformer(build_transformer)
    with salted("1"):
        hidden_checks("ch10_transformer_model").build_transformer(build_transformer)


# With its trainings it takes most of a minute.
@pytest.mark.nightly
@pytest.mark.parametrize("cell", ["with the causal mask", "without"])
def test_the_assignment_ends_with_a_transformer_of_the_students_own(closing, cell):
    names, printed = closing[cell]
    right = int(re.search(r"(\d+) of 500 test dates are right", printed)[1])
    loss = float(re.findall(r"loss: (\S+)", printed)[-1])
    if cell == "without":
        assert right < 50 and loss < 0.1
    else:
        assert right > 400 and loss < 0.2
        assert "Monday, November 9, 2065      2065. november 9., hétfő" in printed
    assert "without" not in ch10.DecoderLayer.call.__name__


@pytest.fixture(scope="module")
def closing():
    """What the two cells at the end of the assignment print, and the names that they leave."""
    names, found = dict(vars(load_chapter(STEM).reference)), {}
    cells = [source for kind, source in load_chapter(STEM).closing if kind == "code"]
    for name, source in zip(("with the causal mask", "without"), cells, strict=True):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(source, names)
        found[name] = names, out.getvalue()
    return found


# --- what the lesson prints -----------------------------------------------------------------------

SMALL = {"time": 6, "steps": 5, "d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 2}


@functools.cache
def small_transformer(pre_norm=False):
    keras.utils.set_random_seed(3)
    return networks.transformer(20, 15, **SMALL, pre_norm=pre_norm)


def small_pair(seed=0):
    rng = np.random.default_rng(seed)
    sources, previous = rng.integers(3, 20, size=(4, 6)), rng.integers(3, 15, size=(4, 5))
    sources[:2, 4:] = 0
    return sources, previous


def test_the_transformer_has_the_parameters_that_exercise_6_counts():
    sizes = {"d_model": 8, "d_ff": 12, "num_layers": 2}
    tied = networks.transformer(20, 20, **SMALL, tied=True)
    assert tied.count_params() == ch10.transformer_parameter_count(20, **sizes)
    untied = networks.transformer(20, 20, **SMALL)
    assert untied.count_params() == ch10.transformer_parameter_count(20, **sizes, tied=False)
    # Two norms more, one at the end of each stack.
    assert small_transformer(True).count_params() == small_transformer().count_params() + 4 * 8


@pytest.mark.parametrize("pre_norm", [False, True])
def test_the_transformer_does_not_see_what_it_has_not_written(pre_norm):
    model, (sources, previous) = small_transformer(pre_norm), small_pair()
    before = model.predict_on_batch((sources, previous))
    for step in range(5):
        changed = previous.copy()
        changed[:, step] = 3 + (changed[:, step] - 2) % 12
        moved = np.abs(model.predict_on_batch((sources, changed)) - before).max(axis=(0, 2)) > 1e-5
        np.testing.assert_array_equal(moved, np.arange(5) >= step)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_the_transformer_does_not_see_padding(pre_norm):
    model, (sources, previous) = small_transformer(pre_norm), small_pair()
    longer = networks.transformer(20, 15, **{**SMALL, "time": 9}, pre_norm=pre_norm)
    longer.set_weights(model.get_weights())
    padded = np.pad(sources, ((0, 0), (0, 3)))
    np.testing.assert_allclose(
        longer.predict_on_batch((padded, previous)),
        model.predict_on_batch((sources, previous)),
        atol=1e-4,
    )


PIECES = (
    "feed-forward networks",
    "layer normalisation",
    "residual connections",
    "positions",
    "causal mask",
)


@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_can_be_left_out(piece, pre_norm):
    assert networks.PIECES == PIECES
    keras.utils.set_random_seed(3)
    model = networks.transformer(20, 15, **SMALL, pre_norm=pre_norm, without=piece)
    whole, (sources, previous) = small_transformer(pre_norm), small_pair()
    norms = 2 * (5 * 16 + 16 * pre_norm) if piece == "layer normalisation" else 0
    lost = {"feed-forward networks": 4 * (2 * 8 * 12 + 12 + 8 + 16), "layer normalisation": norms}
    assert model.count_params() == whole.count_params() - lost.get(piece, 0)
    before = model.predict_on_batch((sources, previous))
    later = previous.copy()
    later[:, -1] = 3 + (later[:, -1] - 2) % 12
    moved = np.abs(model.predict_on_batch((sources, later)) - before).max(axis=(0, 2)) > 1e-5
    assert moved[:-1].any() == (piece == "causal mask")
    swapped = model.predict_on_batch((np.roll(sources[2:], 1, axis=1), previous[2:]))
    unmoved = np.allclose(swapped, before[2:], atol=1e-5)
    assert unmoved == (piece == "positions")


def test_without_residual_connections_nothing_but_the_sublayers_is_left():
    model = networks.transformer(20, 15, **SMALL, without="residual connections")
    attentions = [n for n in (layer.name for layer in model.layers) if n.startswith("cross")]
    for name in attentions:
        layer = model.get_layer(name)
        layer.set_weights([0 * weight for weight in layer.get_weights()])
    sources, previous = small_pair()
    # Without the cross-attention, nothing of the translation so far is left either.
    one = model.predict_on_batch((sources, previous))
    other = model.predict_on_batch((sources[::-1], previous[::-1]))
    np.testing.assert_allclose(one, other, atol=1e-5)


def test_a_layer_of_the_transformer_is_that_of_exercises_3_and_4():
    sizes = {**SMALL, "num_layers": 1}
    keras.utils.set_random_seed(5)
    model, (sources, previous) = networks.transformer(20, 15, **sizes), small_pair(1)
    read, write = (layer for layer in model.layers if isinstance(layer, keras.layers.Embedding))
    x, y = (
        8**0.5 * np.asarray(table(ids)) + networks.positional_encoding(ids.shape[1], 8)
        for table, ids in ((read, sources), (write, previous))
    )
    encoder_mask, decoder_mask, cross_mask = ch10.transformer_masks(sources, previous)
    encoder, decoder = ch10.EncoderLayer(8, 2, 12), ch10.DecoderLayer(8, 2, 12)
    encoder(x), decoder(y, x)
    attentions = {name: model.get_layer(name) for name in ("encoder_1", "decoder_1", "cross_1")}
    dense = [layer for layer in model.layers if type(layer) is keras.layers.Dense]
    for attention, name in (
        (encoder.attention, "encoder_1"),
        (decoder.self_attention, "decoder_1"),
        (decoder.cross_attention, "cross_1"),
    ):
        attention.set_weights(attentions[name].get_weights())
    for layer, (hidden, output) in ((encoder, dense[:2]), (decoder, dense[2:4])):
        layer.hidden.set_weights(hidden.get_weights())
        layer.output_of_hidden.set_weights(output.get_weights())
    memory = encoder(x, attention_mask=encoder_mask)
    decoded = decoder(y, memory, self_mask=decoder_mask, cross_mask=cross_mask)
    np.testing.assert_allclose(
        dense[4](decoded), model.predict_on_batch((sources, previous)), atol=1e-4
    )


def test_the_positions_are_those_of_chapter_7():
    expected = [[0, 1, 0, 1], [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)]]
    np.testing.assert_allclose(networks.positional_encoding(2, 4), expected, atol=1e-12)


def test_attention_maps_are_weights_that_respect_the_masks():
    sources, targets = small_pair()
    maps = networks.attention_maps(small_transformer(), sources, targets)
    assert sorted(maps) == sorted(
        f"{kind}_{layer}" for kind in ("encoder", "decoder", "cross") for layer in (1, 2)
    )
    for name, weights in maps.items():
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
        if name.startswith("decoder"):
            assert np.all(weights[..., np.triu_indices(5, 1)[0], np.triu_indices(5, 1)[1]] < 1e-6)
        else:
            assert np.all(weights[:2, ..., 4:] < 1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_heads": 3}, "a multiple of num_heads, got 8 and 3"),
        ({"d_model": 9, "num_heads": 3}, "d_model must be even"),
        ({"tied": True}, "tied vocabularies must have one size"),
        ({"without": "heads"}, "without must be one of feed-forward networks, .* got 'heads'"),
    ],
)
def test_impossible_sizes_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        networks.transformer(20, 15, **SMALL | changes)


def test_a_target_longer_than_the_model_is_refused():
    with pytest.raises(ValueError, match="shape"):
        translation.translate(small_transformer(), small_pair()[0], steps=6)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_the_stacks_are_encoder_layers(pre_norm):
    shapes = deep_stacks._shapes(2, 8, 12)
    rng = np.random.default_rng(7)
    weights = {name: rng.normal(size=shape).astype("float32") for name, shape in shapes.items()}
    ids = rng.integers(deep_stacks.LETTERS, size=(3, deep_stacks.TIME))
    before = np.full((1, 1, 1, 1), pre_norm)
    stacked = {name: array[None] for name, array in weights.items()}
    logits = deep_stacks._logits(stacked, ids, before, 2, 2)[0]

    def norm(x, prefix, number=""):
        gamma, beta = (weights[f"{prefix}{word}{number}"] for word in ("gamma", "beta"))
        return ch10.layer_norm(x, gamma, beta)

    x = weights["tokens"][ids] + weights["positions"]
    for layer in ("0 ", "1 "):
        attention = keras.layers.MultiHeadAttention(2, 4, use_bias=False)
        attention.build((None, 8, 8), (None, 8, 8))
        q, k, v, o = (weights[layer + name] for name in "qkvo")
        attention.set_weights([*(w.reshape(8, 2, 4) for w in (q, k, v)), o.reshape(2, 4, 8)])
        feed = [weights[layer + name] for name in ("w_1", "b_1", "w_2", "b_2")]
        sublayers = (
            lambda z, attention=attention: np.asarray(attention(z, z)),
            lambda z, feed=feed: ch10.feed_forward(z, *feed),
        )
        for number, sublayer in zip((" 1", " 2"), sublayers, strict=True):
            if pre_norm:
                x = x + sublayer(norm(x, layer, number))
            else:
                x = norm(x + sublayer(x), layer, number)
    x = norm(x, "") if pre_norm else x
    np.testing.assert_allclose(logits, x @ weights["logits"], rtol=1e-3, atol=1e-3)


@pytest.mark.nightly
def test_post_norm_without_warm_up_fails_at_the_large_rate():
    cases = [(0, 0.015, 100), (0, 0.015, 0), (0, 0.003, 0), (1, 0.015, 100), (1, 0.015, 0)]
    seeds = np.arange(30, 38)  # others than those of the page
    pre, rate, warm_up, starts = np.array([(*case, seed) for case in cases for seed in seeds]).T
    runs = deep_stacks.train_stacks(pre == 1, rate, warm_up, starts.astype(int), steps=300)
    right = runs.accuracies.reshape(5, -1)
    assert right[1].max() < 0.6
    assert np.median(right[[0, 2, 3, 4]], axis=1).min() > 0.95


def date_arrays(corpus, time, steps, part):
    pairs = getattr(corpus, part)
    return corpus.source.encode(pairs.sources, time), corpus.target.encode(pairs.targets, steps)


def trained(corpus, time, steps, rate, updates, batch_size, seeds):
    """Train the page's Transformer with other seeds; return its accuracies on the test part."""
    sizes = {"time": time, "steps": steps, "d_model": 32, "num_heads": 4, "d_ff": 64}
    trainer = translation.Trainer(
        lambda: networks.transformer(len(corpus.source), len(corpus.target), **sizes, num_layers=1),
        translation.warm_up_and_decay(rate, updates),
        updates,
        batch_size,
    )
    accuracies = []
    for seed in seeds:
        trainer.train(*date_arrays(corpus, time, steps, "train"), seed)
        test = date_arrays(corpus, time, steps, "test")
        accuracies.append(translation.exact_match(trainer.model, *test).mean())
    return trainer.model, accuracies


@pytest.mark.nightly
def test_the_transformer_translates_hungarian_dates_with_other_seeds():
    corpus = datasets.locale_dates("hu")
    model, accuracies = trained(corpus, 11, 12, 0.005, 400, 32, seeds=(20, 21))
    assert min(accuracies) > 0.95
    sources, targets = date_arrays(corpus, 11, 12, "test")
    written = corpus.target.decode(translation.translate(model, sources[:50], 12))
    right = np.mean([a == b for a, b in zip(written, corpus.test.targets[:50], strict=True)])
    assert right == translation.exact_match(model, sources[:50], targets[:50]).mean()


@pytest.mark.nightly
def test_iso_dates_take_the_transformer_more_steps():
    corpus = datasets.dates()
    _, short = trained(corpus, 30, 11, 0.01, 400, 64, seeds=(20, 21))
    _, longer = trained(corpus, 30, 11, 0.01, 1200, 64, seeds=(20, 21))
    assert max(short) < 0.98 < min(longer)
