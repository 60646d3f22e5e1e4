"""Hidden checks of chapter 11."""

import numpy as np

from autograder.checking.hidden_check import generator, hidden_check
from coursekit.checks import ByImportPath, example
from coursekit.checks.ch11_attention_tour import (
    address_with_equal_weights,
    content_with_large_scores,
    gat_with_large_scores,
    heads_with_large_scores,
    memory_with_large_scores,
)


@hidden_check
def attention_with_memory(attention_with_memory):
    rng = generator(111)
    for n, m, d in [(6, 3, 5), (3, 6, 2), (5, 0, 3), (1, 4, 2), (2, 1, 9)]:
        q, k, v = rng.normal(size=(3, n, d))
        memory_k, memory_v = rng.normal(size=(2, m, d))
        example(attention_with_memory, q, k, v, memory_k, memory_v)
    q, k, v = rng.integers(-3, 4, size=(3, 4, 3))
    for memory_k in (rng.integers(-3, 4, size=(2, 3)), np.zeros((2, 3), dtype=int)):
        example(attention_with_memory, q, k, v, memory_k, np.array([[2, -1, 5], [0, 3, 1]]))
    v, memory_v = rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
    memory_with_large_scores(attention_with_memory, v, memory_v)


@hidden_check
def permutation_mask(permutation_mask):
    rng = generator(112)
    for n in (5, 8, 11):
        # A permutation that consists of one long cycle is not its own inverse.
        cycle, order = rng.permutation(n), np.empty(n, dtype=int)
        order[cycle] = np.roll(cycle, 1)
        example(permutation_mask, order)
        example(permutation_mask, rng.permutation(n))
    example(permutation_mask, np.arange(4)[::-1])
    example(permutation_mask, np.array([0]))
    # So long that the steps do not fit into eight bits.
    example(permutation_mask, np.arange(300)[::-1])


@hidden_check
def gat_attention(gat_attention, gat_layer):
    rng = generator(113)
    for nodes, f, g in [(7, 3, 2), (6, 2, 5), (8, 5, 1)]:
        x, w, a = some_features(rng, nodes, f), some_matrix(rng, f, g), some_vector(rng, g)
        edges = some_edges(rng, nodes)
        example(gat_attention, x, w, a, edges)
        example(gat_attention, x, w, a, edges.astype(int), float(rng.uniform(0.4, 0.9)))
        weighted = edges * rng.uniform(0.3, 3.0, size=edges.shape)
        example(gat_attention, x, w, a, weighted + np.diag(np.arange(nodes) % 4 - 1))
        weighted *= rng.choice([-1, 1], size=edges.shape)
        example(gat_attention, x, w, a, weighted)
        example(gat_layer, x, w, a, edges.astype(float))
        example(gat_layer, x, w, a, weighted, activation=ByImportPath("numpy:tanh"))
    example(gat_layer, x, w, a, weighted, activation=ByImportPath("numpy:abs"))
    example(gat_layer, x, w, a, weighted, activation=ByImportPath("scipy.special:softmax"))
    example(gat_attention, x, w, a, weighted, 0.0)
    # The edges of a node sum to 0, and some edges are tiny.
    example(gat_attention, x, w, a, edges - np.diag(edges.sum(axis=1)))
    example(gat_attention, x, w, a, edges * 1e-12)
    x, w, a, edges = some_whole_graph(rng)
    example(gat_attention, x, w, a, edges)
    example(gat_layer, x, w, a, edges)
    gat_with_large_scores(gat_attention, gat_layer, int(rng.integers(2, 5)))


def some_features(rng, nodes, f):
    """Draw the features of a graph's nodes (nodes, f)."""
    return rng.normal(size=(nodes, f))


def some_matrix(rng, f, g):
    """Draw a matrix (f, g) that keeps the size of features."""
    return rng.normal(0, 1 / np.sqrt(f), size=(f, g))


def some_vector(rng, g):
    """Draw an attention vector (2g,) whose scores do not saturate, with unlike halves."""
    a = rng.normal(0, 1.5 / np.sqrt(2 * g), size=2 * g)
    a[0], a[g] = 0.4 + abs(a[0]), -0.8 - abs(a[g])
    return a


def some_edges(rng, nodes):
    """Draw directed edges (nodes, nodes), none from a node to itself and none from one node."""
    edges = rng.uniform(size=(nodes, nodes)) < 0.45
    np.fill_diagonal(edges, False)
    alone, first, second = rng.permutation(nodes)[:3]
    edges[first, second], edges[second, first] = True, False
    edges[first, alone] = True
    edges[alone] = False
    return edges


def some_whole_graph(rng):
    """Draw a graph of five nodes in which all numbers are whole and one node has only zeros."""
    x, edges = rng.integers(-2, 3, size=(5, 3)), some_edges(rng, 5).astype(int)
    x[:3] = [2, 1, -1], [-1, 2, 1], [0, 0, 0]
    edges[:2, :3] = 1
    return x, np.array([[1, 0], [-1, 1], [0, 2]]), np.array([1, -1, -1, 1]), edges


@hidden_check
def gat_multi_head(gat_multi_head):
    rng = generator(114)
    shapes = [(6, 3, 2, 4), (5, 4, 3, 2), (7, 2, 5, 3), (4, 3, 2, 1), (5, 3, 3, 2)]
    for nodes, f, g, heads in shapes:
        x, edges = some_features(rng, nodes, f), some_edges(rng, nodes)
        weights = [some_matrix(rng, f, g) for _ in range(heads)]
        vectors = [some_vector(rng, g) for _ in range(heads)]
        adjacency = edges * rng.uniform(0.3, 3.0, size=edges.shape)
        for combine in ("concat", "average"):
            example(gat_multi_head, x, weights, vectors, adjacency, combine=combine)
        example(gat_multi_head, x, weights, vectors, edges)
        # Every number other than 0 is an edge, and the diagonal does not matter.
        signed = adjacency * rng.choice([-1, 1], size=adjacency.shape) - np.eye(nodes)
        example(gat_multi_head, x, weights, vectors, signed)
    x, w, a, edges = some_whole_graph(rng)
    for combine in ("concat", "average"):
        example(gat_multi_head, x, [w, w[::-1]], [a, a[::-1]], edges, combine)
    heads_with_large_scores(gat_multi_head, int(rng.integers(2, 5)))


@hidden_check
def ntm_read(ntm_read, ntm_write):
    rng = generator(115)
    for slots, width in [(5, 3), (3, 7), (6, 1)]:
        memory = rng.normal(size=(slots, width))
        for weights in (rng.dirichlet(np.ones(slots)), np.eye(slots)[rng.integers(slots)]):
            example(ntm_read, memory, weights)
            erase, add = rng.uniform(size=width), rng.normal(size=width)
            example(ntm_write, memory, weights, erase, add)
            example(ntm_write, memory, weights, np.round(erase), add)
    memory, weights = rng.integers(1, 9, size=(4, 3)), rng.permutation([0.1, 0.2, 0.3, 0.4])
    example(ntm_read, memory, weights)
    example(ntm_write, memory, weights, np.array([1, 0, 1]), rng.integers(1, 9, size=3))


@hidden_check
def content_addressing(content_addressing):
    rng = generator(116)
    for slots, width in [(5, 3), (3, 6), (7, 2)]:
        memory, key = rng.normal(size=(slots, width)), rng.normal(size=width)
        # No norm is so small that a tiny number added to it would count.
        memory *= rng.uniform(0.5, 3.0, size=(slots, 1)) / np.linalg.norm(memory, axis=1)[:, None]
        key *= rng.uniform(1.5, 3.0) / np.linalg.norm(key)
        # Rounded down, no strength is 1, which would look as if it were ignored.
        example(content_addressing, memory, key, float(rng.uniform(2.2, 3.8)))
        example(content_addressing, memory / 2, key / 4, float(rng.uniform(0.3, 0.7)))
        memory[rng.integers(slots)] = 0
        example(content_addressing, memory, key, float(rng.uniform(2.2, 3.8)))
    # Whole numbers, one of the key's is 0, and some rows begin with a 0.
    numbers = np.array([[0, 2, -3], [0, 0, 0], [4, 1, 2], [-1, 5, 0]])[rng.permutation(4)]
    example(content_addressing, numbers, np.array([3, 0, -2]), float(rng.uniform(2.2, 3.8)))
    example(content_addressing, np.zeros((5, 3)), rng.uniform(1, 2, size=3), 1.7)
    # The cosines are far apart, so that float32 is enough for so large a strength.
    memory = np.array([[0.0, 0.0], [3.0, 0.1], [0.2, 1.0], [-1.0, -1.0]])[rng.permutation(4)]
    example(content_addressing, memory, np.array([2.0, 0.0]), float(rng.uniform(800, 2000)))
    # No slot is like the key.
    away = np.array([[-3.0, 1.0], [-2.0, -2.5], [-1.0, 0.0]])[rng.permutation(3)]
    example(content_addressing, away, np.array([2.0, 0.0]), float(rng.uniform(1500, 2000)))
    content_with_large_scores(content_addressing)


@hidden_check
def ntm_address(ntm_address):
    rng = generator(117)
    for slots in (6, 9, 4, 3, 2):
        previous, content = rng.dirichlet(np.ones(slots), size=2)
        gate, sharpen = float(rng.uniform(0.2, 0.4)), float(rng.uniform(1.5, 4))
        shift = rng.permutation([0.1, 0.25, 0.65])
        example(ntm_address, previous, content, gate, shift, 1.0)
        example(ntm_address, previous, content, gate, shift, sharpen)
        example(ntm_address, previous, content, 1 - gate, np.roll(shift, 1), sharpen)
        example(ntm_address, previous, np.eye(slots)[rng.integers(slots)], 1.0, shift, 3.0)
    # All weight is in the first and the last slot, and one slot has far more than the others.
    ends = np.zeros(8)
    ends[[0, -1]] = 0.7, 0.3
    for shift in np.eye(3)[rng.permutation(3)]:
        example(ntm_address, ends, np.full(8, 0.125), 0.4, shift, sharpen)
        example(ntm_address, ends, np.full(8, 0.125), 0.4, shift, float(rng.uniform(900, 3000)))
    # One slot holds all of the weight, as whole numbers.
    spread = np.array([0.3, 0.25, 0.45])
    for slots in (5, 7, 12):
        head, content = np.eye(slots, dtype=int)[rng.integers(slots)], np.full(slots, 1 / slots)
        example(ntm_address, head, content, 0.0, np.eye(3)[2], sharpen)
        example(ntm_address, head, np.eye(slots, dtype=int)[0], 0.5, spread, 2.0)
        example(ntm_address, head, head, 0.5, spread, float(rng.uniform(1000, 3000)))
    address_with_equal_weights(ntm_address)
    for shift in np.eye(3)[rng.permutation(3)]:
        example(ntm_address, np.ones(1), np.ones(1), 0.4, shift, sharpen)


@hidden_check
def ntm_copy(ntm_copy):
    rng = generator(118)
    for time, width, slots in [(6, 3, 9), (7, 2, 4), (5, 4, 5), (9, 1, 2), (4, 5, 1), (1, 3, 6)]:
        example(ntm_copy, rng.normal(size=(time, width)), slots)
    # The program does not look at what it copies: bits, rows of zeros and rows that come twice.
    bits = rng.integers(0, 2, size=(8, 4))
    bits[[2, 5]] = 0
    bits[6], bits[4] = bits[1], bits[3]
    for slots in (11, 3):
        example(ntm_copy, bits, slots)
