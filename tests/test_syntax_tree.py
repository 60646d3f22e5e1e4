"""The digest of an answer's syntax tree: what it sees of an answer, and what it does not."""

import threading

import pytest

from autograder.grading.syntax_tree import MAX_LENGTH, tree_digest

ANSWER = '''\
def softmax(x, axis=-1):
    """Return the weights."""
    largest = np.max(x, axis=axis)  # against overflow
    return np.exp(x - largest)


class Pool(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=shape)
'''


def test_names_comments_docstrings_annotations_and_layout_make_no_difference():
    other = '''\
def softmax(scores, ax: int = -1) -> "array":
    m: float = np.max(
        scores,
        axis=ax,
    )
    return np.exp(scores - m)

class Pool(keras.layers.Layer):
    """Pools."""
    def build(this, input_shape):
        # one weight
        this.kernel = this.add_weight(shape=input_shape)
'''
    assert tree_digest(other) == tree_digest(ANSWER) != ""


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("x - largest", "largest - x"),
        ("x - largest", "x + largest"),
        ("np.max", "np.min"),
        ("axis=-1", "axis=1"),
        ("np.max(x, axis=axis)", "np.max(x, axis)"),
        ("np.exp(x - largest)", "np.exp(x - x)"),
        ("self.w = ", "w = "),
        ("    return np.exp(x - largest)\n", ""),
    ],
)
def test_another_computation_is_another_tree(was, now):
    assert ANSWER.count(was) == 1
    assert tree_digest(ANSWER.replace(was, now)) not in ("", tree_digest(ANSWER))


@pytest.mark.parametrize(
    "source",
    [
        "",
        "# nothing\n",
        '"""Nothing."""',
        "def f(x:",
        "%time f(1)",
        "\x00",
        "x = 1\n" * MAX_LENGTH,
        "-" * 19_000 + "1",
        "x" + ".a" * 9_000,
        "x" + " + x" * 4_000,
        "(" * 9_000,
        "lambda: " * 2_400 + "1",
        "a if b else " * 1_600 + "c",
    ],
    ids=lambda source: source[:12],
)
def test_what_has_no_tree_that_is_worth_comparing_has_no_digest(source):
    found = []
    # A worker grades in a thread, whose stack is not the main one's.
    thread = threading.Thread(target=lambda: found.append(tree_digest(source)))
    thread.start()
    thread.join()
    assert found == [""]


def test_a_lone_surrogate_is_a_text_like_others():
    assert tree_digest("x = '\\ud800'") not in ("", tree_digest("x = 'a'"))
