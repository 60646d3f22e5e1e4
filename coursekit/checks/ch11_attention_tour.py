"""Visible checks of chapter 11, on the examples that the exercises print."""

import numpy as np

from coursekit.checks import ByImportPath, check, example

Q = np.array([[1.2, -0.4, 0.3, 0.8], [-0.5, 1.5, 0.2, -1.0], [0.6, 0.9, -1.4, 0.1]])
K = np.array([[0.7, 0.2, -1.1, 0.4], [-0.9, 1.3, 0.5, 0.6], [1.4, -0.8, 0.3, -0.2]])
V = np.array([[1.0, 0.0, -2.0, 0.5], [-0.5, 3.0, 1.0, 0.0], [2.0, -1.0, 0.0, 1.5]])
MEMORY_K = np.array([[-0.3, 1.1, 0.6, -0.7], [0.8, -0.5, 1.2, 0.9]])
MEMORY_V = np.array([[0.0, 2.0, 1.0, -1.0], [-1.5, 0.5, 0.0, 2.0]])

X = np.array(
    [[0.5, -1.0, 0.8], [-0.7, 0.4, 1.2], [1.1, 0.3, -0.6], [-0.4, -0.9, 0.2], [0.6, 1.3, -0.5]]
)
W = np.array([[0.9, -0.6], [-0.5, 0.8], [0.4, 1.1]])
A = np.array([1.2, -0.7, 0.8, -1.1])
# Node 4 has no neighbour, and the edges from 0 to 2, from 2 to 3 and from 3 to 4 go one way only.
ADJACENCY = np.array(
    [[0, 1, 1, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 1, 0], [0, 1, 0, 0, 1], [0, 0, 0, 0, 0]]
)
W_2 = np.array([[-0.3, 0.7], [1.0, 0.2], [0.6, -0.8]])
A_2 = np.array([-0.9, 0.5, 1.3, 0.4])
# Node 0 has no features, and all numbers are whole.
WHOLE_X = np.array([[0, 0], [2, -1], [-1, 1], [1, 2]])
WHOLE_W = np.array([[1, -1, 0], [0, 1, 2]])
WHOLE_A = np.array([1, -1, 0, -1, 0, 1])
WHOLE_EDGES = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 0]])

MEMORY = np.array([[1.0, -0.5, 2.0], [0.0, 0.0, 0.0], [-0.4, 0.8, 0.2], [1.5, 1.0, -1.0]])
SLOT_WEIGHTS = np.array([0.5, 0.2, 0.3, 0.0])
KEY = np.array([2.0, 1.0, -1.5])
PREVIOUS = np.array([0.1, 0.0, 0.6, 0.3, 0.0])
CONTENT = np.array([0.0, 0.5, 0.2, 0.0, 0.3])
VECTORS = np.array([[0.5, -1.0], [2.0, 0.3], [-0.7, 1.2]])


@check
def attention_with_memory(attention_with_memory):
    example(attention_with_memory, Q, K, V, MEMORY_K, MEMORY_V)
    # Of the width 4, 2 is half and the root, so here the vectors have three columns.
    example(attention_with_memory, *(a[:, :3] for a in (Q, K, V, MEMORY_K, MEMORY_V)))
    more_k, more_v = np.concatenate([K, MEMORY_K[::-1]]), np.concatenate([V, -MEMORY_V])
    example(attention_with_memory, Q[:2], K[:2], V[:2], more_k, more_v)
    example(attention_with_memory, Q, K, V, np.empty((0, 4)), np.empty((0, 4)))
    # Whole numbers, and a score of 0 inside the segment.
    q, k, v = np.array([[1, 2], [-2, 1]]), np.array([[2, 1], [1, 2]]), np.array([[3, -1], [0, 2]])
    example(attention_with_memory, q, k, v, np.array([[1, -1]]), np.array([[1, 4]]))
    # A memory of zeros is not an empty one.
    example(attention_with_memory, q, q, v, np.zeros((2, 2)), np.zeros((2, 2)))
    memory_with_large_scores(attention_with_memory, V, MEMORY_V)


def memory_with_large_scores(attend, v, memory_v):
    """Compare weights for scores in the ten millions, which float32 holds exactly.

    Both arrays of values have four columns; v has three rows, memory_v has two.
    """
    # What the second query sees scores below -1e7, so a fill such as -1e6 would win.
    q = np.array([[2000.0, 0.0, 0.0, 0.0], [-200.0, 0.0, 0.0, -40000.0], [0.0, 1.0, 0.0, 0.0]])
    q *= 1024
    memory_k = np.array([[1.0, 2.0, 0.0, 1.0], [-9.0, 0.0, 1.0, 1.0]])
    # The keys that a query must not see have the largest scores.
    k = np.array([[1.0 + 1 / 128, 0.0, 3.0, 1.0], [60.0, 3.0, 0.0, 1.0], [-80.0, 1.0, 2.0, 1.0]])
    example(attend, q, k, v, memory_k, memory_v)


@check
def permutation_mask(permutation_mask):
    for order in ([1, 3, 2, 0], [3, 0, 4, 1, 2], [0, 1, 2], [0]):
        example(permutation_mask, np.array(order))


@check
def gat_attention(gat_attention, gat_layer):
    example(gat_attention, X, W, A, ADJACENCY)
    example(gat_attention, X, W, A, ADJACENCY, negative_slope=0.05)
    example(gat_attention, X, W, A, ADJACENCY, negative_slope=0.0)
    example(gat_attention, X[:4], W, A, ADJACENCY[:4, :4].T != 0)
    weighted = ADJACENCY * np.array([0.5, 3.0, 1.0, 2.0, 1.0]) + np.diag([0.0, 2.0, 0.0, 1.0, 0.0])
    example(gat_attention, X, W, A, weighted)
    # The edges of node 0 sum to 0, and that from 3 to 4 is tiny.
    weighted[0, 2], weighted[3, 4] = -weighted[0, 1], -1e-12
    example(gat_attention, X, W, A, weighted)
    weighted[2, 2] = -1.0
    example(gat_attention, X, W, A, weighted)
    example(gat_attention, WHOLE_X, WHOLE_W, WHOLE_A, WHOLE_EDGES)
    gat_with_large_scores(gat_attention, gat_layer, 2)
    example(gat_layer, X, W, A, ADJACENCY)
    example(gat_layer, X, W, A, ADJACENCY, activation=ByImportPath("numpy:tanh"))
    # The softmax of all numbers is neither that of each row nor that of each number.
    example(gat_layer, X, W, A, ADJACENCY, activation=ByImportPath("scipy.special:softmax"))
    example(gat_layer, X[1:], W[:, :1], A[1:3], ADJACENCY[1:, 1:])
    example(gat_layer, X, W, A, weighted)
    example(gat_layer, WHOLE_X, WHOLE_W, WHOLE_A, WHOLE_EDGES)


def gat_with_large_scores(gat_attention, gat_layer, number):
    """Compare weights for scores in the thousands, which float32 holds exactly."""
    x, a, adjacency = graph_of_large_scores(number)
    example(gat_attention, x, np.eye(2), a, adjacency, negative_slope=0.25)
    # Without a negative score, which the slope of a layer would multiply by 0.2.
    example(gat_layer, np.abs(x), np.eye(2), a, adjacency, tolerance=1e-3)


def heads_with_large_scores(gat_multi_head, number):
    """Compare two heads for scores in the thousands."""
    x, a, adjacency = graph_of_large_scores(number)
    weights = [np.eye(2), np.eye(2)]
    example(gat_multi_head, np.abs(x), weights, [a, a[[1, 0, 3, 2]]], adjacency, tolerance=1e-3)


def graph_of_large_scores(number):
    """Return features (4, 2), an attention vector (4,) and an adjacency (4, 4).

    The largest score of the first two rows belongs to node 3, which they must not see.
    """
    x = np.array([[4000, 1], [-6000, number], [4000, 0], [100, 3000]], dtype=float)
    adjacency = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
    return x, np.array([1.0, 0, 0, 1]), adjacency


@check
def gat_multi_head(gat_multi_head):
    for combine in ("concat", "average"):
        example(gat_multi_head, X, [W, W_2], [A, A_2], ADJACENCY, combine)
    example(gat_multi_head, X, [W, W_2], [A, A_2], ADJACENCY)
    weights = [W_2[:, [0, 1, 1, 0]] * scale for scale in (1.0, -0.5, 0.3)]
    vectors = [np.concatenate([A_2, A]), np.concatenate([A, A_2]), np.concatenate([-A, A])]
    for combine in ("concat", "average"):
        example(gat_multi_head, X, weights, vectors, ADJACENCY.T, combine)
    example(gat_multi_head, X, [W], [A], ADJACENCY * 2.5, "average")
    example(gat_multi_head, X, [W[:, :1], W_2[:, 1:]], [A[1:3], A_2[:2]], ADJACENCY, "average")
    weights = [WHOLE_W, WHOLE_W[::-1]]
    vectors = [WHOLE_A, WHOLE_A[::-1]]
    for combine in ("concat", "average"):
        example(gat_multi_head, WHOLE_X, weights, vectors, WHOLE_EDGES, combine)
    # Square, so that a head could also read what another one returns.
    square = [W_2 @ W.T, W @ W_2.T]
    vectors = [np.concatenate([A, A_2[:2]]), np.concatenate([A_2, -A[:2]])]
    example(gat_multi_head, X, square, vectors, ADJACENCY)
    heads_with_large_scores(gat_multi_head, 2)


@check
def ntm_read(ntm_read, ntm_write):
    example(ntm_read, MEMORY, SLOT_WEIGHTS)
    example(ntm_read, MEMORY[:, [2, 0]], np.array([0.1, 0.1, 0.2, 0.6]))
    example(ntm_write, MEMORY, SLOT_WEIGHTS, np.array([1.0, 0.0, 0.4]), np.array([0.0, 3.0, -1.0]))
    example(ntm_write, MEMORY[:2], SLOT_WEIGHTS[1:3] * 2, np.ones(3), np.array([-2.0, 1.0, 0.5]))
    small = np.array([0.9, 0.05, 0.03, 0.02])
    example(ntm_write, MEMORY, small, np.array([1.0, 0.0, 0.4]), np.array([0.0, 3.0, -1.0]))
    whole = np.array([0.0, 0.0, 0.0, 1.0])
    example(ntm_write, MEMORY[:, :2], whole, np.array([0.5, 1.0]), np.array([2.0, -1.0]))
    numbers, half = np.array([[1, 2], [3, 5]]), np.array([0.5, 0.5])
    example(ntm_read, numbers, half)
    example(ntm_write, numbers, half, np.array([1, 0]), np.array([1, 1]))


@check
def content_addressing(content_addressing):
    example(content_addressing, MEMORY[[0, 2, 3]], KEY / 2, 2.5)
    # Whole numbers, among them a zero in the key, and a strength below 1.
    numbers = np.array([[0, 3, 4], [2, -1, 2], [0, 0, 0], [3, 0, 1]])
    example(content_addressing, numbers, np.array([2, 0, -1]), 0.5)
    # The first row holds a zero, and the entries of the third one sum to 0.
    rows = [[2.0, 0.0, -0.5], [0.0, 0.0, 0.0], [1.0, -0.75, -0.25], [1.5, 1.0, -1.0]]
    example(content_addressing, np.array(rows), KEY, 1.5)
    example(content_addressing, MEMORY, KEY, 3.0)
    example(content_addressing, MEMORY[:, :2], np.array([-0.5, 0.25]), 2.0)
    example(content_addressing, np.zeros((3, 2)), KEY[:2], 2.0)
    example(content_addressing, MEMORY, KEY, 1000.0)
    # No slot is like the key: all cosines are far below 0.
    away = np.array([[-1.0, 0.0], [-1.0, 1.0], [-2.0, 1.5]])
    example(content_addressing, away, np.array([1.0, 0.0]), 1200.0)
    content_with_large_scores(content_addressing)


def content_with_large_scores(content_addressing):
    """Compare weights for a strength of 12000, where two rows are almost equally like the key."""
    # The norms are 2048, 2048 and 0, so the cosines, 1, 2047/2048 and 0, are exact in float32.
    memory = np.array([[2048.0, 0, 0, 0, 0], [2047.0, 63, 11, 2, 1], [0, 0, 0, 0, 0]])
    example(content_addressing, memory, np.array([2.0, 0, 0, 0, 0]), 12000.0)


@check
def ntm_address(ntm_address):
    forward = np.array([0.1, 0.2, 0.7])
    example(ntm_address, PREVIOUS, CONTENT, 0.75, forward, 2.0)
    example(ntm_address, PREVIOUS, CONTENT, 0.3, np.array([0.6, 0.3, 0.1]), 1.5)
    example(ntm_address, PREVIOUS[:4], CONTENT[1:], 0.6, np.array([0.0, 0.0, 1.0]), 3.5)
    example(ntm_address, PREVIOUS, np.eye(5)[4], 1.0, forward, 2.0)
    example(ntm_address, np.array([0, 1, 0, 0]), np.array([0, 0, 1, 0]), 0.25, forward, 2.0)
    # As exercise 8 moves a head: one slot holds all of the weight, before and after.
    example(ntm_address, np.eye(7)[2], np.full(7, 1 / 7), 0.0, np.eye(3)[2], 2.5)
    example(ntm_address, PREVIOUS, CONTENT, 0.75, forward, 1000.0)
    example(ntm_address, np.array([0.9, 0.1]), np.array([0.25, 0.75]), 0.4, forward, 1.5)
    example(ntm_address, np.ones(1), np.ones(1), 0.4, forward, 2.0)
    example(ntm_address, np.ones(1), np.ones(1), 0.4, np.eye(3)[2], 2.0)
    # Before the shift one weight is 1, after it the largest is 0.4.
    example(ntm_address, np.eye(4)[0], np.eye(4)[0], 0.5, np.array([0.25, 0.35, 0.4]), 1000.0)
    address_with_equal_weights(ntm_address)


def address_with_equal_weights(ntm_address):
    """Compare weights for sharpen = 12000, where two weights are the largest and one is close."""
    # All are exact in float32.
    weights = np.array([2048, 2047, 2048, 1024, 1025]) / 8192
    example(ntm_address, weights, weights, 0.5, np.eye(3)[2], 12000.0)


@check
def ntm_copy(ntm_copy):
    for slots in (4, 2):
        example(ntm_copy, VECTORS, slots)
    longer = np.concatenate([VECTORS[:, [1, 0, 1]], -VECTORS[:2, [0, 0, 1]]])
    for slots in (5, 3, 1, 8):
        example(ntm_copy, longer, slots)
    example(ntm_copy, VECTORS[:1], 3)
    # The program does not look at what it copies: neither zeros nor equal vectors are special.
    example(ntm_copy, np.array([[1, 2], [1, 2], [0, 0], [2, -1]]), 3)
