"""What a check says of errors that Python, NumPy and TensorFlow raise."""

import math
import tempfile

import numpy as np
import pytest
from lazily import Lazily

from autograder.course.chapters import load_chapter
from coursekit.checks import CheckFailure, attempt
from coursekit.checks.advice import ADVICE
from coursekit.checks.serve import LocalWorld
from coursekit.checks.wording import ASSERTED

keras = Lazily("keras")
tf = Lazily("tensorflow")


def set_first_to_zero(x, mask):
    x[0] = 0
    return x


def set_in_a_loop_that_is_not_entered(x, mask):
    for row in x[:0]:
        total = row
    return total


def give_a_variable_the_name_of_a_function(x, mask):
    max = max(x)  # noqa: F823
    return max


def add_to_nothing(x, mask):
    for row in x:
        total += row  # noqa: F821
    return total


def fit_with_two_outputs(x, mask):
    both = layer(call=lambda self, x: (x, x))
    model = keras.Sequential([both()])
    model.compile(loss="mse")
    model.fit(x, x, verbose=0)


def ask_an_eager_layer_for_its_output(x, mask):
    dense = keras.layers.Dense(1)
    dense(x)
    return dense.output


def name_with_an_underscore(x, mask):
    return tf.function(lambda: tf.name_scope("_Pooling").__enter__())()


def layer(**methods):
    """Make a layer's class of some methods."""
    return type("Scale", (keras.layers.Layer,), methods)


def made_again_by_another_name(x, mask):
    class Scale(keras.layers.Layer):
        def __init__(self, factor):
            super().__init__()

        def get_config(self):
            return {"scale": 2}

    return Scale.from_config(Scale(2).get_config())


def made_again_with_none(x, mask):
    class Scale(keras.layers.Layer):
        def __init__(self, factor):
            super().__init__()
            self.half = factor / 2

        def get_config(self):
            return super().get_config() | {"factor": None}

    return Scale.from_config(Scale(2).get_config())


def load_into_another_size(x, mask):
    saved, other = (
        keras.Sequential([keras.Input((3,)), keras.layers.Dense(units)]) for units in (2, 4)
    )
    with tempfile.TemporaryDirectory() as folder:
        saved.save_weights(f"{folder}/saved.weights.h5")
        other.load_weights(f"{folder}/saved.weights.h5")


def make_with_a_name(x, mask):
    class Scale(keras.layers.Layer):
        def __init__(self, factor):
            super().__init__()

    return Scale(2, name="scale")


def make_without_init(x, mask):
    class Scale:
        def _init_(self, factor):
            self.factor = factor

    return Scale(2)


def call_itself(x, mask):
    return call_itself(x, mask)


def divide_in_place(x, mask):
    counts = mask.astype(int)
    counts /= 2
    return counts


def put_a_row_into_a_place(x, mask):
    rows = np.zeros(2)
    rows[0] = x[0]
    return rows


def change_what_is_another_ones(x, mask):
    row = np.broadcast_to(x[0], (2, 3))
    row[0, 0] = 1


def put_into_an_empty_list(x, mask):
    rows = []
    rows[0] = x


def fit(x, y, loss="mse", units=1):
    model = keras.Sequential([keras.layers.Dense(units)])
    model.compile(loss=loss)
    return model.fit(x, y, verbose=0)


def give_another_length(x, mask):
    model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(1)])
    return model(x)


def scale_before_attention(x, mask):
    attend = keras.layers.MultiHeadAttention(1, 3)
    return layer(call=lambda self, x: attend(x, x))()(2.0 * keras.Input((None, 3)))


def scale_before_dense(x, mask):
    dense = keras.layers.EinsumDense("bd,dw->bw", 2)
    return layer(call=lambda self, x: dense(x))()(2.0 * keras.Input((3,)))


def make_without_super(x, mask):
    class Scale(keras.layers.Layer):
        def __init__(self):
            self.factor = 2

        def call(self, x):
            return self.factor * x

    return Scale()(x)


def make_with_super_as_a_name(x, mask):
    class Scale(keras.layers.Layer):
        def __init__(self):
            super.__init__()

    return Scale()


def make_a_layer_in_call(x, mask):
    def call(self, x):
        self.dense = keras.layers.Dense(3)
        return self.dense(x)

    scale = layer(call=call)()
    scale(x)
    return scale(x)


def shape_a_weight_like_the_input(x, mask):
    def build(self, input_shape):
        self.w = self.add_weight(shape=input_shape)

    return layer(build=build, call=lambda self, x: x)()(keras.Input((3,)))


def ask_for_the_axes_of_what_is_squeezed(x, mask):
    return tf.function(lambda x: len(tf.squeeze(x).shape), [tf.TensorSpec((None, None))])(x)


def assign_the_weights(x, mask):
    dense = keras.layers.Dense(1)
    dense.weights = [x]


def unpack_the_weights_of_an_unbuilt_layer(x, mask):
    w, b = keras.layers.Dense(1).get_weights()
    return w + b


def read_as_ascii(x, mask):
    return "é".encode().decode("ascii")


# For each piece of advice, by how it begins, answers that meet it.
ANSWERS = {
    "A function of NumPy": lambda x, mask: np.exp(x),
    "The values of a tensor": lambda x, mask: x.numpy().max(),
    "A tensor has no methods any and all": lambda x, mask: mask.any(),
    "A method of NumPy arrays": lambda x, mask: x.reshape(-1),
    "An entry of a tensor": set_first_to_zero,
    "A condition (if, while, and, or, not) depends": lambda x, mask: x if mask[0, 0] else -x,
    "Tensors of two different types": lambda x, mask: x * tf.range(3),
    "A row is looked up": lambda x, mask: tf.gather(x, [2]),
    "A loop runs over a tensor": lambda x, mask: [row for row in x],
    "A mask of truth values cannot": lambda x, mask: 1 - mask,
    "A number with a decimal point": lambda x, mask: tf.range(3) * 0.5,
}
# What has values outside a graph is no error there.
ONLY_IN_A_GRAPH = (
    "A function of NumPy",
    "The values of a tensor",
    "A condition (if, while, and, or, not) depends",
    "A loop runs over a tensor",
)
ON_ARRAYS = {
    "Keras re-creates a layer": [made_again_by_another_name, made_again_with_none],
    "The saved weights do not fit": [load_into_another_size],
    "TensorFlow could not carry out": [
        lambda x, mask: layer(call=lambda self, x: keras.ops.softmax(x, axis=3))()(
            keras.Input((3,))
        )
    ],
    "A function that is not one of Keras": [
        lambda x, mask: np.exp(keras.Input((3,))),
        lambda x, mask: np.sqrt(3) * keras.Input((3,)),
    ],
    "While a model of keras.Input is put together": [scale_before_attention, scale_before_dense],
    "Python needs a single yes or no": [
        lambda x, mask: x if mask else -x,
        lambda x, mask: max(x, mask),
        lambda x, mask: 0 if np.array([], dtype=int) else 1,
    ],
    "An operation such as /=": [divide_in_place],
    "An array or a list stands where a single number": [
        lambda x, mask: math.exp(x),
        lambda x, mask: math.sqrt([1, 2]),
    ],
    "A function of Python's math module": [lambda x, mask: math.exp(1000)],
    "A number is divided by 0": [lambda x, mask: 1 / 0, lambda x, mask: 5.5 % 0.0],
    "NumPy cannot raise": [lambda x, mask: 10000 ** -np.arange(3)],
    "Infinity or nan": [lambda x, mask: np.fill_diagonal(mask.astype(int), np.inf)],
    "Lists of different lengths": [
        lambda x, mask: np.array([[1, 2], [3]]),
        lambda x, mask: tf.constant([[1, 2], [3]]),
    ],
    "A list or an array is written into": [put_a_row_into_a_place],
    "This array must not be changed": [change_what_is_another_ones],
    "Numbers that belong together": [
        lambda x, mask: np.zeros(2, 3),
        lambda x, mask: np.reshape(x, 3, 2),
        lambda x, mask: x.sum(-1, -1),
        lambda x, mask: x.max(0, 1),
        lambda x, mask: np.array([1, 2], [3, 4]),
    ],
    "A boolean array that chooses": [lambda x, mask: x[[True, False, True]]],
    "Keras needs a whole number": [
        lambda x, mask: keras.layers.Dense(0),
        lambda x, mask: keras.layers.SimpleRNN(2.0),
        lambda x, mask: keras.layers.Embedding(0, 3),
    ],
    "A size or an index is not a whole number": [
        lambda x, mask: np.zeros(x.size / 2),
        lambda x, mask: x.shape[2 / 2],
        lambda x, mask: keras.Input((4 / 2,)),
    ],
    "The operators ^, &, | and ~": [
        lambda x, mask: x ^ 2,
        lambda x, mask: ~x,
        lambda x, mask: 2**0.5 ^ 2,
        lambda x, mask: tf.constant(x) ^ 2,
    ],
    "NumPy is asked to compute": [
        lambda x, mask: x[0] + np.array(["a", "b", "c"]),
        lambda x, mask: np.array(["1"]) / 2,
    ],
    "NumPy keeps these numbers": [lambda x, mask: np.log(math.factorial(30))],
    "Two collections of different kinds": [
        lambda x, mask: {1, 2} | [3],
        lambda x, mask: range(3) + [1],
    ],
    "The model returns several outputs": [fit_with_two_outputs],
    "A key is asked for": [lambda x, mask: {"x": x}["y"]],
    "What is searched for": [lambda x, mask: [1, 2].index(3)],
    "A file is read or written": [read_as_ascii],
    "A tuple or a list stands where one": [lambda x, mask: range(x.shape)],
    "A + joins a list": [lambda x, mask: x.shape[:-1] + [5]],
    "A + joins a string": [lambda x, mask: "loss: " + 0.5],
    "A tuple is used": [
        lambda x, mask: np.unique(x, return_counts=True).size,
        lambda x, mask: x.shape["0"],
    ],
    "A value is None": [
        lambda x, mask: None.shape,
        lambda x, mask: tf.constant(x) + None,
        lambda x, mask: tf.reshape(x, (None, -1)),
        lambda x, mask: np.exp(None),
        lambda x, mask: [1] + None,
        lambda x, mask: None & (x > 0),
    ],
    "Round brackets": [lambda x, mask: x(0)],
    "What is to be unpacked is empty": [unpack_the_weights_of_an_unbuilt_layer],
    "The number of names": [lambda x, mask: [first for first, second in x]],
    "What fit returns": [
        lambda x, mask: fit(x, x[:, :1])["loss"],
        lambda x, mask: fit(x, x[:, :1]).keys(),
    ],
    "A set, the keys of a dict": [
        lambda x, mask: zip(x, mask, strict=True)[0],
        lambda x, mask: len(map(abs, x)),
        lambda x, mask: {1, 2}[0],
    ],
    "Something that has no entries": [lambda x, mask: [row for row in x.size]],
    "A list, a tuple or a range is used": [
        lambda x, mask: x.tolist() * [2],
        lambda x, mask: x.tolist() > 1,
        lambda x, mask: -x.tolist(),
        lambda x, mask: x.tolist()[0, 1],
    ],
    "A list times a number": [lambda x, mask: x.tolist() * 0.5],
    "The list has no place": [put_into_an_empty_list],
    "An index goes beyond the end of a list": [lambda x, mask: x[0].shape[1]],
    "A list or an array is empty": [
        lambda x, mask: max([]),
        lambda x, mask: np.concatenate([]),
        lambda x, mask: x[:0].argmax(),
    ],
    "A dict has keys and no positions": [lambda x, mask: {"loss": [1, 2]}[-2:]],
    "An array, a list, a dict or a tensor": [
        lambda x, mask: {*x},
        lambda x, mask: {tf.constant(1.0)},
    ],
    "A variable is used before": [
        set_in_a_loop_that_is_not_entered,
        give_a_variable_the_name_of_a_function,
        add_to_nothing,
    ],
    "An array cannot be appended to": [lambda x, mask: x.append(1)],
    "An array stands where a single whole number": [
        lambda x, mask: np.max(0, x),
        lambda x, mask: np.concatenate(x, x),
    ],
    "An index goes beyond the end of an axis": [
        lambda x, mask: x[2],
        lambda x, mask: tf.constant(x)[5],
        lambda x, mask: tf.constant(x)[-5],
    ],
    "transpose needs every axis": [
        lambda x, mask: x[None].transpose(1, 0),
        lambda x, mask: tf.transpose(x[None], [1, 0]),
    ],
    "An array has fewer axes": [
        lambda x, mask: x.sum(axis=2),
        lambda x, mask: keras.ops.argmax(x, axis=2),
        lambda x, mask: x[0][0][0],
        lambda x, mask: len(np.array(1.0)),
        lambda x, mask: list(np.array(1.0)),
        lambda x, mask: list(tf.constant(1.0)),
    ],
    "np.split(x, 3) makes": [lambda x, mask: np.split(x, 3)],
    "take_along_axis needs": [
        lambda x, mask: np.take_along_axis(x, np.array([0, 1]), axis=1),
        lambda x, mask: keras.ops.take_along_axis(x, np.array([0, 1]), axis=1),
    ],
    "How many axes a tensor has": [ask_for_the_axes_of_what_is_squeezed],
    "The values of an array do not fill": [lambda x, mask: x.reshape(4, 2)],
    "squeeze can only remove": [
        lambda x, mask: x.squeeze(axis=0),
        lambda x, mask: tf.squeeze(x, axis=0),
    ],
    "This function takes square matrices": [
        lambda x, mask: np.linalg.solve(x, x),
        lambda x, mask: np.linalg.eigh(x),
    ],
    "The matrix has no inverse": [lambda x, mask: np.linalg.inv(np.ones((2, 2)))],
    "A number stands where Keras": [lambda x, mask: keras.Input(3)],
    "The shape of a weight": [shape_a_weight_like_the_input],
    "The targets and the outputs of the model have different": [
        lambda x, mask: keras.losses.categorical_crossentropy(np.arange(2.0), x)
    ],
    "sparse_categorical_crossentropy expects": [
        lambda x, mask: fit(x, x, "sparse_categorical_crossentropy", 3)
    ],
    "The targets must have the shape": [
        lambda x, mask: keras.losses.sparse_categorical_crossentropy(np.arange(2), np.ones((3, 4)))
    ],
    "The targets and the outputs must have": [
        lambda x, mask: fit(x, x, "categorical_crossentropy", 2)
    ],
    "A class is not one of": [
        lambda x, mask: fit(x, np.array([0, 7]), "sparse_categorical_crossentropy", 3)
    ],
    "The arrays that were given to fit": [lambda x, mask: fit(x, x[:1])],
    "fit and predict read arrays": [lambda x, mask: fit([[1, 2]], [[1]])],
    "The shapes of two arrays": [
        lambda x, mask: x @ x,
        lambda x, mask: keras.Input((3,)) + keras.Input((4,)),
    ],
    "The largest or smallest number of an empty array": [lambda x, mask: x[2:].max()],
    "A layer or a model is given an array that": [give_another_length],
    "A layer is given an array": [lambda x, mask: keras.layers.SimpleRNN(2)(x)],
    "A layer is not given the number": [lambda x, mask: keras.layers.Add()(x)],
    "A layer or a model has no weights": [
        lambda x, mask: keras.layers.Dense(1).count_params(),
        lambda x, mask: keras.layers.Dense(1).kernel,
    ],
    "Only a layer or a model that was called": [ask_an_eager_layer_for_its_output],
    "The first line of __init__": [make_without_super, make_with_super_as_a_name],
    "Layers or weights are made after": [make_a_layer_in_call],
    "This attribute cannot be assigned": [assign_the_weights],
    "Keras knows no activation": [
        lambda x, mask: keras.layers.Dense(3, "softmx"),
        lambda x, mask: keras.layers.Dense(3, 4),
    ],
    "A layer is called with something": [lambda x, mask: keras.layers.Dense(3)([1, 2, 3])],
    "Keras gives a layer more": [make_with_a_name],
    "A class is given arguments": [make_without_init],
    "A function is called with arguments": [
        lambda x, mask: divide_in_place(x),
        lambda x, mask: keras.layers.Dense(3, activaton="relu"),
    ],
    "A name is used": [lambda x, mask: softmax(x)],  # noqa: F821
    "A function calls itself": [call_itself],
    "An object or a module": [lambda x, mask: np.softmax(x)],
    "TensorFlow cannot train": [name_with_an_underscore],
}


def test_there_is_an_answer_for_each_advice():
    for sentence in ADVICE.values():
        assert sum(sentence.startswith(beginning) for beginning in [*ANSWERS, *ON_ARRAYS]) == 1


@pytest.mark.parametrize("beginning", ON_ARRAYS)
def test_the_check_says_what_to_do_of_arrays(beginning):
    for answer in ON_ARRAYS[beginning]:
        work = LocalWorld().stand_in(answer, "attend")
        with pytest.raises(CheckFailure) as failed:
            _ = attempt(work, np.ones((2, 3)), np.ones((2, 3), dtype=bool)).value
        assert str(failed.value.mistake).startswith(beginning), failed.value


def test_what_tensorflow_recommends_is_left_out_and_a_possible_mistake_does_not_hide_what_to_do():
    trial = attempt(
        LocalWorld().stand_in(lambda x: tf.constant(x).reshape(-1), "attend"), np.ones(3)
    )
    with pytest.raises(CheckFailure) as failed:
        trial.fail_by_error("Possibly: something else.")
    assert "has no attribute 'reshape'" in failed.value.detail
    assert "experimental" not in str(failed.value)
    assert "Use the function of keras.ops" in failed.value.detail
    assert failed.value.mistake == "Possibly: something else."


@pytest.mark.parametrize("in_a_graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("beginning", ANSWERS)
def test_the_check_says_what_to_do(beginning, in_a_graph):
    def work(x, mask):
        x, mask = tf.constant(x, "float32"), tf.constant(mask)
        answer = ANSWERS[beginning]
        return tf.function(answer, autograph=False)(x, mask) if in_a_graph else answer(x, mask)

    trial = attempt(
        LocalWorld().stand_in(work, "Pooling"), np.ones((2, 3)), np.ones((2, 3), dtype=bool)
    )
    if beginning in ONLY_IN_A_GRAPH and not in_a_graph:
        _ = trial.value
        return
    with pytest.raises(CheckFailure) as failed:
        _ = trial.value
    assert failed.value.mistake.startswith(beginning)
    # The sentence holds nothing of the answer's, so a hidden check may say it as well.
    assert failed.value.without_detail().mistake in ADVICE.values()


def test_numpy_in_a_graph_is_not_taken_for_a_stub():
    def work(x):
        return tf.function(lambda tensor: np.exp(tensor), autograph=False)(tf.constant(x))

    with pytest.raises(CheckFailure) as failed:
        _ = attempt(LocalWorld().stand_in(work, "Pooling"), np.ones(3)).value
    assert failed.value.raised == "TypeError"
    assert "not written" not in str(failed.value)


def test_of_an_error_in_a_graph_remains_what_was_wrong_and_the_line_of_the_answer():
    def too_short(x):
        return x + tf.zeros(tf.shape(x) - 1)

    def work(x):
        any_length = [tf.TensorSpec((None,))]
        return tf.function(too_short, any_length, autograph=False)(tf.constant(x, "float32"))

    with pytest.raises(CheckFailure) as failed:
        _ = attempt(LocalWorld().stand_in(work, "attend"), np.ones(3)).value
    assert "  InvalidArgumentError: Incompatible shapes: [3] vs. [2]\n" in failed.value.detail
    assert failed.value.detail.endswith("in too_short: return x + tf.zeros(tf.shape(x) - 1)")
    assert "site-packages" not in failed.value.detail
    assert failed.value.mistake.startswith("The shapes of two arrays do not fit together")


def test_an_error_at_once_is_said_without_the_names_that_tensorflow_gives():
    work = LocalWorld().stand_in(lambda x: tf.constant(x) + tf.zeros(2, "float64"), "attend")
    with pytest.raises(CheckFailure) as failed:
        _ = attempt(work, np.ones(3)).value
    assert (
        "  InvalidArgumentError: Incompatible shapes: [3] vs. [2] [Op:AddV2]\n"
        in failed.value.detail
    )


def test_an_assert_is_told_from_the_error_that_a_check_asks_for():
    rotated = load_chapter("ch12_attention_today").reference.rotate
    rotate_is_right = load_chapter("ch12_attention_today").checks.rotate

    def asserted(x, positions=None, n=10000.0):
        assert x.shape[-1] % 2 == 0
        return rotated(x, positions, n)

    rotate_is_right(rotated)
    with pytest.raises(CheckFailure) as failed:
        rotate_is_right(asserted)
    assert failed.value.mistake == ASSERTED
