"""The reference solution of chapter 11 against Keras and loops, and the facts the page prints."""

import itertools
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from closing import run_closing
from lazily import Lazily

from coursekit.checks import ch11_attention_tour as visible
from solutions import ch11_attention_tour as ch11

ops = Lazily("keras.ops")
turing = Lazily("coursekit.turing")
graph_attention = Lazily("coursekit.graph_attention")


def some_graph(seed, nodes=6, f=4, g=3):
    rng = np.random.default_rng(seed)
    edges = rng.uniform(size=(nodes, nodes)) < 0.4
    adjacency = edges * rng.uniform(-2, 2, size=edges.shape)
    return rng.normal(size=(nodes, f)), rng.normal(size=(f, g)), rng.normal(size=2 * g), adjacency


# --- what the exercises print --------------------------------------------------------------------


def test_the_numbers_of_attention_with_a_memory():
    parts = visible.Q, visible.K, visible.V
    output, weights = ch11.attention_with_memory(*parts, visible.MEMORY_K, visible.MEMORY_V)
    printed = [
        [-0.6193, 0.5205, -0.4642, 1.2421],
        [-0.1598, 2.074, 0.6559, -0.3426],
        [0.5606, 0.6844, -0.6423, 0.4383],
    ]
    np.testing.assert_allclose(output, printed, atol=6e-5)
    printed = [
        [0.1092, 0.604, 0.2867, 0, 0],
        [0.5, 0.0546, 0.0965, 0.3489, 0],
        [0.1527, 0.0736, 0.4773, 0.1597, 0.1368],
    ]
    np.testing.assert_allclose(weights, printed, atol=6e-5)
    output, weights = ch11.attention_with_memory(*parts, np.empty((0, 4)), np.empty((0, 4)))
    np.testing.assert_allclose(output[0], visible.V[0])
    printed = [[1, 0, 0], [0.2167, 0.7833, 0], [0.6169, 0.2064, 0.1767]]
    np.testing.assert_allclose(weights, printed, atol=6e-5)


def test_the_printed_mask():
    mask = ch11.permutation_mask(np.array([1, 3, 2, 0]))
    np.testing.assert_array_equal(mask, [[1, 1, 1, 1], [0, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]])
    np.testing.assert_array_equal(np.argsort([1, 3, 2, 0]), [3, 0, 2, 1])


def test_the_numbers_of_graph_attention():
    graph = visible.X, visible.W, visible.A, visible.ADJACENCY
    printed = [
        [0.3919, 0.0175, 0.5906, 0, 0],
        [0.4323, 0.202, 0, 0.3657, 0],
        [0, 0, 0.7766, 0.2234, 0],
        [0, 0.1668, 0, 0.5765, 0.2567],
        [0, 0, 0, 0, 1],
    ]
    np.testing.assert_allclose(ch11.gat_attention(*graph), printed, atol=6e-5)
    first = [
        [0.846, -0.688],
        [0.5405, 0.2259],
        [0.5039, -0.8968],
        [-0.04, 0.2271],
        [-0.31, 0.13],
    ]
    np.testing.assert_allclose(ch11.gat_layer(*graph), first, atol=6e-5)
    np.testing.assert_allclose(ch11.gat_layer(*graph, np.tanh)[0], [0.689, -0.5967], atol=6e-5)
    second = [
        [0.723, -0.7022],
        [0.2135, -0.9138],
        [-0.4604, 0.8071],
        [0.9056, -0.0034],
        [0.82, 1.08],
    ]
    heads = [visible.W, visible.W_2], [visible.A, visible.A_2], visible.ADJACENCY
    found = ch11.gat_multi_head(visible.X, *heads)
    np.testing.assert_allclose(found, np.hstack([first, second]), atol=6e-5)
    printed = [
        [0.7845, -0.6951],
        [0.377, -0.3439],
        [0.0218, -0.0449],
        [0.4328, 0.1119],
        [0.255, 0.605],
    ]
    found = ch11.gat_multi_head(visible.X, *heads, "average")
    np.testing.assert_allclose(found, printed, atol=6e-5)


def test_the_numbers_of_the_memory():
    memory, weights, key = visible.MEMORY, visible.SLOT_WEIGHTS, visible.KEY
    np.testing.assert_allclose(ch11.ntm_read(memory, weights), [0.38, -0.01, 1.06])
    found = ch11.ntm_write(memory, weights, np.array([1.0, 0.0, 0.4]), np.array([0.0, 3.0, -1.0]))
    printed = [[0.5, 1, 1.1], [0, 0.6, -0.2], [-0.28, 1.7, -0.124], [1.5, 1, -1]]
    np.testing.assert_allclose(found, printed, atol=1e-12)
    norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    cosines = memory @ key / np.maximum(norms, 1e-12)
    np.testing.assert_allclose(cosines, [-0.2431, 0, -0.1216, 0.9908], atol=6e-5)
    found = ch11.content_addressing(memory, key, 3.0)
    np.testing.assert_allclose(found, [0.0222, 0.046, 0.032, 0.8998], atol=6e-5)
    found = ch11.content_addressing(memory, key, 1000.0)
    np.testing.assert_allclose(found, [0, 0, 0, 1], atol=1e-12)
    stay = np.array([0.0, 1.0, 0.0])
    states = visible.PREVIOUS, visible.CONTENT, 0.75
    for shift, sharpen, printed in (
        (stay, 1.0, [0.025, 0.375, 0.3, 0.075, 0.225]),
        (np.array([0.1, 0.2, 0.7]), 1.0, [0.2, 0.1225, 0.33, 0.2475, 0.1]),
        (np.array([0.1, 0.2, 0.7]), 2.0, [0.1701, 0.0638, 0.4631, 0.2605, 0.0425]),
    ):
        np.testing.assert_allclose(ch11.ntm_address(*states, shift, sharpen), printed, atol=6e-5)


# --- the functions -------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [0, 1, 5])
def test_attention_with_a_memory_is_that_of_keras(m):
    rng = np.random.default_rng(m)
    q, k, v = rng.normal(size=(3, 4, 6)).astype("float32")
    memory_k, memory_v = rng.normal(size=(2, m, 6)).astype("float32")
    mask = np.hstack([np.ones((4, m)), np.tri(4)]).astype(bool)
    keys, values = np.vstack([memory_k, k]), np.vstack([memory_v, v])
    expected = ops.nn.dot_product_attention(
        *(array[None, :, None] for array in (q, keys, values)), mask=mask[None, None]
    )
    output, weights = ch11.attention_with_memory(q, k, v, memory_k, memory_v)
    np.testing.assert_allclose(output, expected[0, :, 0], atol=1e-5)
    assert (weights[~mask] == 0).all()


@pytest.mark.parametrize("cut", [1, 4, 6])
def test_two_segments_give_what_one_long_sequence_gives(cut):
    q, k, v = np.random.default_rng(cut).normal(size=(3, 7, 5))
    whole, weights = ch11.attention_with_memory(q, k, v, np.empty((0, 5)), np.empty((0, 5)))
    later, later_weights = ch11.attention_with_memory(q[cut:], k[cut:], v[cut:], k[:cut], v[:cut])
    np.testing.assert_allclose(later, whole[cut:])
    np.testing.assert_allclose(later_weights, weights[cut:])


@pytest.mark.parametrize("n", [1, 2, 6, 9])
def test_every_position_sees_what_is_predicted_before_it(n):
    order = np.random.default_rng(n).permutation(n)
    mask = ch11.permutation_mask(order)
    assert mask.shape == (n, n) and mask.dtype == bool
    for i in range(n):
        for j in range(n):
            assert mask[i, j] == (list(order).index(j) <= list(order).index(i))
    np.testing.assert_array_equal(ch11.permutation_mask(np.arange(n)), np.tri(n))


@pytest.mark.parametrize("slope", [0.0, 0.2, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_graph_attention_is_the_formula_pair_by_pair(seed, slope):
    x, w, a, adjacency = some_graph(seed)
    weights = ch11.gat_attention(x, w, a, adjacency, slope)
    for i in range(len(x)):
        exponentials = np.zeros(len(x))
        for j in range(len(x)):
            if i == j or adjacency[i, j] != 0:
                score = a @ np.concatenate([x[i] @ w, x[j] @ w])
                exponentials[j] = np.exp(score if score > 0 else slope * score)
        np.testing.assert_allclose(weights[i], exponentials / exponentials.sum(), atol=1e-12)


def test_numbering_the_nodes_otherwise_changes_nothing_else():
    x, w, a, adjacency = some_graph(0)
    other = np.random.default_rng(1).permutation(len(x))
    moved = ch11.gat_layer(x[other], w, a, adjacency[np.ix_(other, other)], np.tanh)
    np.testing.assert_allclose(moved, ch11.gat_layer(x, w, a, adjacency, np.tanh)[other])


@pytest.mark.parametrize("kind", [bool, int, float])
def test_any_kind_of_adjacency_means_the_same_edges(kind):
    x, w, a, adjacency = some_graph(2)
    edges = (adjacency != 0).astype(kind)
    expected = ch11.gat_attention(x, w, a, adjacency)
    np.testing.assert_array_equal(ch11.gat_attention(x, w, a, edges), expected)
    np.fill_diagonal(edges, 1)
    np.testing.assert_array_equal(ch11.gat_attention(x, w, a, edges), expected)


@pytest.mark.parametrize("heads", [1, 2, 5])
def test_heads_are_layers_side_by_side(heads):
    x, _, _, adjacency = some_graph(heads)
    rng = np.random.default_rng(heads)
    weights, vectors = rng.normal(size=(heads, 4, 3)), rng.normal(size=(heads, 6))
    layers = [ch11.gat_layer(x, *head, adjacency) for head in zip(weights, vectors, strict=True)]
    lists = list(weights), list(vectors)
    found = ch11.gat_multi_head(x, *lists, adjacency)
    np.testing.assert_allclose(found, np.hstack(layers), atol=1e-12)
    found = ch11.gat_multi_head(x, *lists, adjacency, combine="average")
    np.testing.assert_allclose(found, np.mean(layers, axis=0), atol=1e-12)


def test_graph_attention_of_large_features_is_finite():
    x, w, a, adjacency = some_graph(3)
    weights = ch11.gat_attention(1e4 * x, w, a, adjacency)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    output = ch11.gat_multi_head(1e4 * x, [w, -w], [a, a], adjacency)
    assert np.isfinite(output).all()


def test_a_full_write_replaces_a_slot_and_a_read_finds_it():
    memory, add = np.random.default_rng(0).normal(size=(4, 3)), np.array([3.0, -1.0, 2.0])
    one = np.array([0.0, 0.0, 1.0, 0.0])
    written = ch11.ntm_write(memory, one, np.ones(3), add)
    np.testing.assert_allclose(ch11.ntm_read(written, one), add)
    np.testing.assert_array_equal(written[[0, 1, 3]], memory[[0, 1, 3]])


def test_content_is_found_whatever_its_length_and_zeros_are_like_nothing():
    memory = np.array([[3.0, -1.0], [0.0, 0.0], [1.0, 2.0]])
    found = ch11.content_addressing(memory, np.array([0.1, 0.2]), 5.0)
    exponentials = np.exp([5 * 1 / np.sqrt(50), 0, 5])
    np.testing.assert_allclose(found, exponentials / exponentials.sum())
    scaled = memory * [[7.0], [1.0], [0.01]]
    np.testing.assert_allclose(ch11.content_addressing(scaled, np.array([10, 20]), 5.0), found)
    np.testing.assert_allclose(ch11.content_addressing(memory, np.zeros(2), 5.0), np.ones(3) / 3)
    np.testing.assert_allclose(ch11.content_addressing(0 * memory, np.ones(2), 1e6), np.ones(3) / 3)


@pytest.mark.parametrize("sharpen", [1, 2, 1000])
def test_an_address_is_the_formula_in_exact_fractions(sharpen):
    rng = np.random.default_rng(sharpen)
    previous, content, shift = (rng.multinomial(16, np.ones(n) / n) / 16 for n in (6, 6, 3))
    exact_previous, exact_content, exact_shift = (
        [Fraction(number) for number in array] for array in (previous, content, shift)
    )
    gate = Fraction(3, 8)
    gated = [gate * c + (1 - gate) * p for p, c in zip(exact_previous, exact_content, strict=True)]
    shifted = [
        sum(gated[j] * exact_shift[o + 1] for j in range(6) for o in (-1, 0, 1) if (j + o) % 6 == i)
        for i in range(6)
    ]
    total = sum(number**sharpen for number in shifted)
    expected = [float(number**sharpen / total) for number in shifted]
    found = ch11.ntm_address(previous, content, float(gate), shift, sharpen)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_sharp_address_of_many_faint_slots_is_finite():
    previous = np.full(200, 1 / 200)
    content = np.eye(200)[17]
    found = ch11.ntm_address(previous, content, 0.01, np.array([0.0, 0.0, 1.0]), 1e5)
    np.testing.assert_allclose(found, np.eye(200)[18], atol=1e-12)


@pytest.mark.parametrize(("slots", "expected"), [(1, [1]), (2, [0.25, 0.75])])
def test_an_address_in_a_ring_of_one_or_two_slots(slots, expected):
    """In a ring of two, one slot back and one slot forward are the same place."""
    previous = np.eye(slots)[0]
    shift = np.array([0.5, 0.25, 0.25])
    found = ch11.ntm_address(previous, previous, 0.5, shift, 1.0)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("time", [1, 4, 9])
@pytest.mark.parametrize("slots", [1, 2, 4, 7])
def test_the_program_copies_what_the_ring_still_holds(time, slots):
    vectors = np.random.default_rng(time).normal(size=(time, 3))
    copied, written, read = ch11.ntm_copy(vectors, slots)
    expected = [vectors[max(s for s in range(time) if s % slots == t % slots)] for t in range(time)]
    np.testing.assert_allclose(copied, expected)
    np.testing.assert_array_equal(written, np.eye(slots)[np.arange(time) % slots])
    np.testing.assert_array_equal(read, written)


def test_the_printed_copies():
    copied, *weights = ch11.ntm_copy(visible.VECTORS, 4)
    np.testing.assert_allclose(copied, visible.VECTORS)
    for each in weights:
        np.testing.assert_array_equal(each, np.eye(4)[:3])
    copied, *weights = ch11.ntm_copy(visible.VECTORS, 2)
    np.testing.assert_allclose(copied, [[-0.7, 1.2], [2, 0.3], [-0.7, 1.2]])
    for each in weights:
        np.testing.assert_array_equal(each, [[1, 0], [0, 1], [1, 0]])


X, W, A = np.ones((3, 2)), np.ones((2, 4)), np.ones(8)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: ch11.attention_with_memory(X, X[:2], X, X, X), "k has shape"),
        (lambda: ch11.attention_with_memory(X, X, X[:2], X, X), "v has shape"),
        (lambda: ch11.attention_with_memory(X, X, X, X[:, :1], X), "memory_k must have"),
        (lambda: ch11.attention_with_memory(X, X, X, X, X[:2]), "memory_v has shape"),
        (lambda: ch11.permutation_mask([0, 2]), "order must list"),
        (lambda: ch11.permutation_mask([1, 1, 0]), "order must list"),
        (lambda: ch11.gat_attention(X, W.T, A, np.eye(3)), "w has shape"),
        (lambda: ch11.gat_attention(X, W, A[1:], np.eye(3)), "a must have"),
        (lambda: ch11.gat_layer(X, W, A, np.eye(2)), "adjacency must have"),
        (lambda: ch11.gat_multi_head(X, [W], [A], np.eye(3), "sum"), "combine must be"),
        (lambda: ch11.gat_multi_head(X, [W], [A, A], np.eye(3)), "attention_vectors has 2"),
        (lambda: ch11.gat_multi_head(X, [], [], np.eye(3)), "attention_vectors has 0"),
        (lambda: ch11.gat_multi_head(X, [W], [A[1:]], np.eye(3)), "a must have"),
        (lambda: ch11.gat_multi_head(X, [W], [A], np.eye(2)), "adjacency must have"),
        (lambda: ch11.ntm_read(X, np.ones(2)), "weights has shape"),
        (lambda: ch11.ntm_write(X, np.ones(2), np.ones(2), np.ones(2)), "weights has shape"),
        (lambda: ch11.ntm_write(X, np.ones(3), np.ones(3), np.ones(2)), "erase must have"),
        (lambda: ch11.ntm_write(X, np.ones(3), np.ones(2), np.ones(3)), "add must have"),
        (lambda: ch11.content_addressing(X, np.ones(3), 1.0), "key has shape"),
        (lambda: ch11.ntm_address(A, A[1:], 0.5, np.ones(3), 1), "content has shape"),
        (lambda: ch11.ntm_address(A, A, 0.5, np.ones(5), 1), "shift must have"),
        (lambda: ch11.ntm_address(A, A, 1.5, np.ones(3), 1), "gate must lie"),
        (lambda: ch11.ntm_address(A, A, 0.5, np.ones(3), 0.5), "sharpen must be"),
        (lambda: ch11.ntm_copy(A, 4), "vectors must have"),
        (lambda: ch11.ntm_copy(X[:0], 4), "vectors must have"),
        (lambda: ch11.ntm_copy(X, 0), "slots must be"),
    ],
)
def test_arguments_that_do_not_fit_are_named(call, named):
    with pytest.raises(ValueError, match=named):
        call()


# --- what the lesson prints --------------------------------------------------------------------

FIVE = np.array([[1.0, 0.2], [-0.6, 0.9], [0.4, -1.1], [1.3, 0.7], [-0.8, -0.5]])


def test_the_lesson_s_memory_of_a_segment():
    segment, memory = FIVE[2:], FIVE[:2]
    _, weights = ch11.attention_with_memory(segment, segment, segment, memory, memory)
    printed = [
        [0.271, 0.1, 0.629, 0, 0],
        [0.302, 0.098, 0.091, 0.509, 0],
        [0.106, 0.205, 0.236, 0.075, 0.377],
    ]
    np.testing.assert_allclose(weights, printed, atol=6e-4)


@pytest.mark.parametrize("layers", [1, 2, 5])
@pytest.mark.parametrize("m", [0, 3, 4, 9])
def test_how_far_the_lesson_s_token_sees(layers, m):
    """Change one token of a text of six segments and see whether the last state changes."""
    n, rng = 4, np.random.default_rng(layers)
    text = rng.normal(size=(24, 3))

    def last_state(text):
        states = text
        for _ in range(layers):
            parts = []
            for start in range(0, len(text), n):
                segment, memory = states[start : start + n], states[max(0, start - m) : start]
                parts.append(
                    ch11.attention_with_memory(segment, segment, segment, memory, memory)[0]
                )
            states = np.concatenate(parts)
        return states[-1]

    changed = [
        not np.array_equal(last_state(text + (np.arange(24) == p)[:, None]), last_state(text))
        for p in range(24)
    ]
    earliest = 23
    for _ in range(layers):
        earliest = max(0, earliest // n * n - m)
    assert changed == [p >= earliest for p in range(24)]


def test_the_lesson_s_graph():
    edges = np.array(
        [[1, 1, 1, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 1, 0], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]]
    )
    w, a = np.array([[0.8, -0.5], [0.3, 1.1]]), np.array([0.7, -0.4, 1.0, 0.6])
    weights = ch11.gat_attention(FIVE, w, a, edges)
    np.testing.assert_allclose(weights[0], [0.472, 0.415, 0.112, 0, 0], atol=6e-4)
    np.testing.assert_allclose(weights[3], [0, 0, 0.094, 0.812, 0.094], atol=6e-4)
    np.testing.assert_allclose(weights[0] @ FIVE @ w, [0.318, 0.245], atol=6e-4)


def test_all_nodes_rank_the_others_in_one_order():
    x, w, a, _ = some_graph(seed=4)
    weights = ch11.gat_attention(x, w, a, np.ones((6, 6)))
    assert np.ptp((-weights).argsort(axis=1), axis=0).max() == 0


def test_the_lesson_s_tape():
    content = ch11.content_addressing(FIVE, np.array([0.5, -1.0]), 4.0)
    np.testing.assert_allclose(content, [0.049, 0, 0.91, 0.015, 0.025], atol=6e-4)
    previous, shift = np.array([0, 0, 0.05, 0.05, 0.9]), np.array([0, 0.1, 0.9])
    weights = ch11.ntm_address(previous, content, 0.1, shift, 3.0)
    np.testing.assert_allclose(weights, [0.99, 0, 0, 0.005, 0.005], atol=6e-4)
    blurred = ch11.ntm_address(previous, content, 0.1, shift, 1.0)
    np.testing.assert_allclose(blurred, [0.732, 0.004, 0.014, 0.127, 0.123], atol=6e-4)
    memory = ch11.ntm_write(
        FIVE, np.array([0.1, 0.7, 0.2, 0, 0]), np.array([1.0, 0]), np.array([0.5, 2])
    )
    np.testing.assert_allclose(memory[1], [0.17, 2.3])


def test_the_machines_address_as_the_exercise_does():
    rng = np.random.default_rng(5)
    memory = rng.normal(size=(1, 1, 7, turing.WIDTH)).astype("float32")
    previous = rng.dirichlet(np.ones(7)).astype("float32")
    head = rng.normal(size=(1, 1, turing.WIDTH + 6)).astype("float32")
    weights = turing._address(memory, previous[None, None], head)[0, 0].numpy()
    key, (strength, gate, *shift, sharpen) = np.split(head[0, 0].astype(float), [turing.WIDTH])
    content = ch11.content_addressing(memory[0, 0], key, np.log1p(np.exp(strength)))
    shift = np.exp(shift) / np.sum(np.exp(shift))
    expected = ch11.ntm_address(
        previous, content, 1 / (1 + np.exp(-gate)), shift, 1 + np.log1p(np.exp(sharpen))
    )
    np.testing.assert_allclose(weights, expected, atol=1e-5)


def test_examples_to_copy():
    x, y, asked = turing.copy_examples(np.array([[2, 3]]), np.random.default_rng(0))
    assert x.shape == (1, 2, 6, turing.BITS + 2) and y.shape == (1, 2, 6, turing.BITS)
    np.testing.assert_array_equal(y[0, 0, 2:4], x[0, 0, :2, : turing.BITS])
    np.testing.assert_array_equal(y[0, 1, 3:6], x[0, 1, :3, : turing.BITS])
    np.testing.assert_array_equal(asked[0], [[0, 0, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1]])
    np.testing.assert_array_equal(x[0, :, :, -1], asked[0])
    np.testing.assert_array_equal(x[0, 0, :, -2], [1, 1, 0, 0, 0, 0])


def share_copied(networks, length, **options):
    x, y, asked = turing.copy_examples(np.full(40, length), np.random.default_rng(length))
    runs = networks.losses.shape[1]
    logits, _ = networks.run(np.broadcast_to(x, (runs, *x.shape)), **options)
    wrong = ((logits > 0) != (y > 0.5)) & (asked[..., None] > 0)
    return 1 - wrong.any(axis=(2, 3)).mean(axis=1)


@pytest.mark.nightly
def test_machines_from_other_starts_copy_more_than_they_were_trained_on():
    machines = turing.train_machines(range(30, 36), 0.01, steps=400, longest=5)
    assert min(share_copied(machines, 5)) > 0.95
    assert np.median(share_copied(machines, 12)) > 0.8
    assert max(share_copied(machines, 20)) == 0
    assert np.median(share_copied(machines, 20, slots=40)) > 0.8


@pytest.mark.nightly
def test_lstms_from_other_starts_copy_what_they_were_trained_on():
    lstms = turing.train_lstms(range(30, 34), 0.03, steps=1600, longest=5, units=64)
    assert np.median(share_copied(lstms, 5)) > 0.85
    assert max(share_copied(lstms, 6)) < 0.3 and max(share_copied(lstms, 8)) < 0.1


def club():
    graph = nx.karate_club_graph()
    joined = np.array([int(graph.nodes[i]["club"] == "Officer") for i in graph])
    return nx.to_numpy_array(graph, weight=None) != 0, joined


def test_member_8_s_club_is_not_in_the_graph():
    adjacency, joined = club()
    leaders = np.tile(np.isin(range(34), (0, 33)), (4, 1))
    trained = graph_attention.train_networks(
        adjacency, joined, leaders, np.array([True, True, False, False]), [0, 1, 0, 1], steps=100
    )
    wrong = (trained.probabilities > 0.5) != joined
    assert wrong[:, 8].all() and wrong.sum(axis=1).max() <= 3
    attended = adjacency | np.eye(34, dtype=bool)
    for weights in trained.attention:
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
        assert not weights[..., ~attended].any()
        equal = attended / attended.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(
            weights[2:], np.broadcast_to(equal, weights[2:].shape), atol=1e-6
        )
        assert np.abs(weights[:2] - equal).max() > 0.05


def test_dropout_is_for_the_training_alone():
    adjacency, joined = club()
    leaders, attends = np.isin(range(34), (0, 33))[None], np.array([True])
    plain, dropped, again = (
        graph_attention.train_networks(
            adjacency, joined, leaders, attends, seeds=[0], steps=3, dropout=share
        )
        for share in (0.0, 0.6, 0.6)
    )
    assert np.abs(dropped.probabilities - plain.probabilities).max() > 1e-3
    np.testing.assert_array_equal(dropped.probabilities, again.probabilities)
    for weights in dropped.attention:
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


def test_attention_does_not_beat_equal_weights_in_the_club():
    adjacency, joined = club()
    rng = np.random.default_rng(77)  # other members than on the page
    labelled = np.zeros((40, 34), bool)
    for row in labelled:
        for c in (0, 1):
            row[rng.choice(np.flatnonzero(joined == c), 2, replace=False)] = True
    trained = graph_attention.train_networks(
        adjacency,
        joined,
        np.tile(labelled, (2, 1)),
        np.arange(80) < 40,
        [*range(40)] * 2,
        steps=100,
    )
    right = ((trained.probabilities > 0.5) == joined).reshape(2, 40, 34)
    accuracies = np.array(
        [[row[~known].mean() for row, known in zip(r, labelled, strict=True)] for r in right]
    )
    attention, equal = accuracies.mean(axis=1)
    assert attention > 0.8 and -0.06 < attention - equal < 0.005


def test_runs_with_one_seed_start_from_the_same_weights():
    adjacency, joined = club()
    leaders = np.tile(np.isin(range(34), (0, 33)), (3, 1))
    trained = graph_attention.train_networks(
        adjacency, joined, leaders, np.array([True, False, True]), seeds=[4, 4, 5], steps=0
    )
    for weights in trained.weights.values():
        np.testing.assert_array_equal(weights[0], weights[1])
        assert not np.array_equal(weights[0], weights[2])


@pytest.mark.parametrize("nodes", [30, 80])
def test_the_class_of_a_node_is_what_most_of_its_three_trusted_nodes_hint_at(nodes):
    adjacency, features, classes = graph_attention.trusted_graph(nodes, np.random.default_rng(2))
    assert not adjacency.diagonal().any() and (adjacency.sum(axis=1) == 9).all()
    for i in range(nodes):
        ten = [j for j in range(nodes) if adjacency[i, j] or i == j]
        votes = [hint for hint, trusted in features[ten] if trusted]
        assert len(votes) == 3 and classes[i] == (sum(votes) > 0)


def test_too_small_a_graph_is_named():
    with pytest.raises(ValueError, match="nodes must be at least 30, got 29"):
        graph_attention.trusted_graph(29, np.random.default_rng(0))


def test_the_majority_of_ten_hints_is_right_in_69_percent():
    """The three trusted hints are the first of ten; a tie counts as half right."""
    votes = np.array(list(itertools.product([-1, 1], repeat=10)))
    agree = np.sign(votes[:, :3].sum(axis=1)) * np.sign(votes.sum(axis=1))
    assert round(np.mean((1 + agree) / 2), 2) == 0.69


def test_the_network_is_the_student_s_layers_one_after_the_other():
    edges, features, classes = graph_attention.trusted_graph(40, np.random.default_rng(3))
    trained = graph_attention.train_networks(
        edges,
        classes,
        np.ones((2, 40), bool),
        attends=np.array([True, False]),
        seeds=[1, 2],
        steps=40,
        features=np.tile(features, (2, 1, 1)),
    )
    for run, factor in enumerate((1, 0)):
        w_1, a_1, w_2, a_2 = (trained.weights[name][run] for name in ("w_1", "a_1", "w_2", "a_2"))
        hidden = ch11.gat_multi_head(features, list(w_1), list(factor * a_1), edges)
        hidden = np.where(hidden > 0, hidden, np.exp(hidden) - 1)
        logits = ch11.gat_multi_head(hidden, list(w_2), list(factor * a_2), edges, "average")
        found = 1 / (1 + np.exp(logits[:, 0] - logits[:, 1]))
        np.testing.assert_allclose(found, trained.probabilities[run], atol=1e-5)


# --- the student's own functions -----------------------------------------------------------------


@pytest.mark.nightly
def test_the_assignment_ends_with_a_text_that_is_copied_and_a_graph_that_is_read(capsys):
    names, (drawn,) = run_closing("ch11_attention_tour")
    printed = capsys.readouterr().out
    assert "40 slots: From recurrence to attention\n" in printed
    assert "28 slots: From recurrence to attention\n" in printed
    assert "16 slots: to attentionnce to attention\n" in printed
    assert names["right"] > 0.75 and names["equal"] < 0.75
    assert "from slot to slot while writing" in drawn
    places = np.argmax(names["learned"], axis=1)
    assert len(set(np.diff(places[:10]) % 16)) == 1 and (places[10:] == places[:10]).all()
    np.testing.assert_array_equal(np.argmax(names["programmed"], axis=1), [*range(10)] * 2)
