"""What a check says where a layer treats tensors as arrays and TensorFlow raises an error."""

import numpy as np
import pytest
from lazily import Lazily

from coursekit.checks import CheckFailure, attempt
from coursekit.checks.serve import LocalWorld
from coursekit.checks.tensor_errors import ADVICE

tf = Lazily("tensorflow")


def set_first_to_zero(x, mask):
    x[0] = 0
    return x


ANSWERS = {
    "A function of NumPy": lambda x, mask: np.exp(x),
    "The values of a tensor": lambda x, mask: x.numpy().max(),
    "A method of NumPy arrays": lambda x, mask: mask.any(axis=1),
    "An entry of a tensor": set_first_to_zero,
    "A condition": lambda x, mask: x if mask[0, 0] else -x,
    "Tensors of two different types": lambda x, mask: x * tf.range(3),
}
# What has values outside a graph is no error there.
ONLY_IN_A_GRAPH = ("A function of NumPy", "The values of a tensor", "A condition")


def test_there_is_an_answer_for_each_advice():
    for sentence in ADVICE.values():
        assert any(sentence.startswith(beginning) for beginning in ANSWERS)


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
