"""What a check says of errors that Python, NumPy and TensorFlow raise."""

import math

import numpy as np
import pytest
from lazily import Lazily

from autograder.course.chapters import load_chapter
from coursekit.checks import CheckFailure, attempt
from coursekit.checks.advice import ADVICE
from coursekit.checks.examples import ASSERTED
from coursekit.checks.serve import LocalWorld

keras = Lazily("keras")
tf = Lazily("tensorflow")


def set_first_to_zero(x, mask):
    x[0] = 0
    return x


def set_in_a_loop_that_is_not_entered(x, mask):
    for row in x[:0]:
        total = row
    return total


def name_with_an_underscore(x, mask):
    return tf.function(lambda: tf.name_scope("_Pooling").__enter__())()


def made_again_by_another_name(x, mask):
    class Scale(keras.layers.Layer):
        def __init__(self, factor):
            super().__init__()

        def get_config(self):
            return {"scale": 2}

    return Scale.from_config(Scale(2).get_config())


def make_with_a_name(x, mask):
    class Scale(keras.layers.Layer):
        def __init__(self, factor):
            super().__init__()

    return Scale(2, name="scale")


def call_itself(x, mask):
    return call_itself(x, mask)


def divide_in_place(x, mask):
    counts = mask.astype(int)
    counts /= 2
    return counts


def fit_with_a_target_too_few(x, mask):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(loss="mse")
    model.fit(x, x[:1], verbose=0)


def compare_classes_with_one_hot_rows(x, mask):
    return keras.losses.categorical_crossentropy(np.arange(2.0), x)


def give_another_length(x, mask):
    model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(1)])
    return model(x)


def make_without_super(x, mask):
    class Scale(keras.layers.Layer):
        def __init__(self):
            self.factor = 2

        def call(self, x):
            return self.factor * x

    return Scale()(x)


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
}
# What has values outside a graph is no error there.
ONLY_IN_A_GRAPH = (
    "A function of NumPy",
    "The values of a tensor",
    "A condition (if, while, and, or, not) depends",
    "A loop runs over a tensor",
)
ON_ARRAYS = {
    "A condition (if, while, and, or, not) is asked": lambda x, mask: x if mask else -x,
    "A size or an index is not a whole number": lambda x, mask: np.zeros(x.size / 2),
    "A tuple is used": lambda x, mask: np.unique(x, return_counts=True).size,
    "A value is None": lambda x, mask: None.shape,
    "A variable is used before": set_in_a_loop_that_is_not_entered,
    "An array cannot be appended to": lambda x, mask: x.append(1),
    "An array stands where a single whole number": lambda x, mask: np.max(0, x),
    "An index goes beyond the end of an axis": lambda x, mask: x[2],
    "An array has fewer axes": lambda x, mask: x.sum(axis=2),
    "The values of an array do not fill": lambda x, mask: x.reshape(4, 2),
    "The shapes of two arrays": lambda x, mask: x @ x,
    "A saved layer is made again": made_again_by_another_name,
    "The largest or smallest number of an empty array": lambda x, mask: x[2:].max(),
    "A function that is not one of Keras": lambda x, mask: np.exp(keras.Input((3,))),
    "An operation such as /=": divide_in_place,
    "An array stands where a single number": lambda x, mask: math.exp(x),
    "A function of math has no result": lambda x, mask: math.exp(1000),
    "Infinity or nan": lambda x, mask: np.fill_diagonal(mask.astype(int), np.inf),
    "Lists of different lengths": lambda x, mask: np.array([[1, 2], [3]]),
    "A number stands where NumPy": lambda x, mask: np.zeros(2, 3),
    "Round brackets": lambda x, mask: x(0),
    "The number of names": lambda x, mask: [first for first, second in x],
    "Something that has no entries": lambda x, mask: [row for row in x.size],
    "A boolean array that chooses": lambda x, mask: x[[True, False, True]],
    "A list, a tuple or a range is used": lambda x, mask: x.tolist() * 0.5,
    "A layer is given an array": lambda x, mask: keras.layers.SimpleRNN(2)(x),
    "The arrays that were given to fit": fit_with_a_target_too_few,
    "Keras gives a layer more": make_with_a_name,
    "An index goes beyond the end of a list": lambda x, mask: x[0].shape[1],
    "An array or a list cannot be an entry": lambda x, mask: {*x},
    "The operators ^, & and |": lambda x, mask: x ^ 2,
    "squeeze can only remove": lambda x, mask: x.squeeze(axis=0),
    "np.linalg.solve": lambda x, mask: np.linalg.solve(x, x),
    "A number stands where Keras": lambda x, mask: keras.Input(*x.shape),
    "The loss compares": compare_classes_with_one_hot_rows,
    "A layer or a model is given an array of another shape": give_another_length,
    "A layer has no weights": lambda x, mask: keras.layers.Dense(1).count_params(),
    "__init__ must begin": make_without_super,
    "A function is called with arguments": lambda x, mask: divide_in_place(x),
    "A name is used": lambda x, mask: softmax(x),  # noqa: F821
    "A function calls itself": call_itself,
    "An object or a module": lambda x, mask: np.softmax(x),
    "TensorFlow cannot train": name_with_an_underscore,
}


def test_there_is_an_answer_for_each_advice():
    for sentence in ADVICE.values():
        assert sum(sentence.startswith(beginning) for beginning in [*ANSWERS, *ON_ARRAYS]) == 1


@pytest.mark.parametrize("beginning", ON_ARRAYS)
def test_the_check_says_what_to_do_of_arrays(beginning):
    work = LocalWorld().stand_in(ON_ARRAYS[beginning], "attend")
    with pytest.raises(CheckFailure) as failed:
        _ = attempt(work, np.ones((2, 3)), np.ones((2, 3), dtype=bool)).value
    assert failed.value.mistake.startswith(beginning)


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
