# %% [markdown]
# # Chapter 11 · A tour of attention-based architectures: the exercises
#
# Eight exercises, 20 points, about 115 minutes. For each architecture you write the part that was
# new: the attention of Transformer-XL over a memory, the mask of XLNet, attention on a graph with
# one head and with several, and the memory of the Neural Turing Machine, which is read, written
# and addressed by attention weights. In the last exercise you put the parts of this machine
# together and program it yourself.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: there is no batch axis in this chapter, so a sequence is `(time, features)` and a
# graph `(nodes, features)`. Vectors are rows (`x @ w`); inputs and results are NumPy arrays. An
# input may hold whole numbers, and inputs are never changed in place. Positions, nodes and slots
# count from 0. In a boolean mask, `True` means that the query of this row may attend to the key of
# this column.
#
# The setup cell imports SciPy's `softmax`, which stays finite for any finite scores and gives a
# score of minus infinity the weight 0. Use it as `softmax(scores, axis=1)`.

# %%
import math

import numpy as np
from scipy.special import softmax

# %% [markdown] lesson="Memory across segments: Transformer-XL"
# ## Attention with a memory of the previous segment
#
# Transformer-XL reads a long text in segments. It remembers the hidden states of the previous
# segment and computes keys and values from them too, and the queries of the current segment attend
# to both. Here the keys and values of this memory are given, and relative positions are left out.
#
# `attention_with_memory(q, k, v, memory_k, memory_v)` → `(output, weights)`; `q`, `k` and `v` are
# `(n, d)` and belong to the current segment, `memory_k` and `memory_v` are `(m, d)`. The output is
# `(n, d)`; the weights are `(n, m + n)`, **first the columns of the memory**, then those of the
# segment.
#
# Every query sees the whole memory. Inside the segment the attention is causal: a position sees
# itself and the earlier ones. The dot products are divided by $\sqrt d$, and the weights of one
# query sum to 1 over everything that it sees; the weight of what it must not see is exactly 0. The
# memory may be empty, $m = 0$. As long as the dot products are finite, the output and the weights
# must be finite, too.
#
# Example, with two positions in the memory and three in the segment:
#
# ```python
# q = np.array([[1.2, -0.4, 0.3, 0.8], [-0.5, 1.5, 0.2, -1.0], [0.6, 0.9, -1.4, 0.1]])
# k = np.array([[0.7, 0.2, -1.1, 0.4], [-0.9, 1.3, 0.5, 0.6], [1.4, -0.8, 0.3, -0.2]])
# v = np.array([[1.0, 0.0, -2.0, 0.5], [-0.5, 3.0, 1.0, 0.0], [2.0, -1.0, 0.0, 1.5]])
# memory_k = np.array([[-0.3, 1.1, 0.6, -0.7], [0.8, -0.5, 1.2, 0.9]])
# memory_v = np.array([[0.0, 2.0, 1.0, -1.0], [-1.5, 0.5, 0.0, 2.0]])
# ```
#
# `attention_with_memory(q, k, v, memory_k, memory_v)` gives
#
# ```text
# output
# [[-0.6193  0.5205 -0.4642  1.2421]
#  [-0.1598  2.074   0.6559 -0.3426]
#  [ 0.5606  0.6844 -0.6423  0.4383]]
#
# weights
# [[0.1092 0.604  0.2867 0.     0.    ]
#  [0.5    0.0546 0.0965 0.3489 0.    ]
#  [0.1527 0.0736 0.4773 0.1597 0.1368]]
# ```
#
# With `np.empty((0, 4))` for both parts of the memory, the first query sees only itself: the first
# row of the output is `v[0]`, and the weights are
#
# ```text
# [[1.     0.     0.    ]
#  [0.2167 0.7833 0.    ]
#  [0.6169 0.2064 0.1767]]
# ```
#
# <details><summary>Hint</summary>
#
# Put the memory in front of the segment with `np.concatenate`, for the keys and for the values. The
# mask then has `n` rows and `m + n` columns. Which columns may query `i` see? `np.tri` has an
# argument `k` that moves its diagonal.
#
# </details>
# <details><summary>My check says that part of the memory is hidden</summary>
#
# `np.tri(n, m + n)` begins its diagonal in the first column, which belongs to the memory. Query `i`
# stands in column `m + i`, so it may see the columns up to and including `m + i`.
#
# </details>


# %% exercise="attention_with_memory" points=3 difficulty=2 minutes=15
def attention_with_memory(q, k, v, memory_k, memory_v):
    """Attend causally within a segment (n, d) and to all of a memory (m, d)."""
    ### BEGIN SOLUTION
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    memory_k, memory_v = np.asarray(memory_k), np.asarray(memory_v)
    if q.ndim != 2 or k.shape != q.shape:
        raise ValueError(f"k has shape {k.shape}, which does not fit q of shape {q.shape}")
    if v.shape != k.shape:
        raise ValueError(f"v has shape {v.shape}, but k has shape {k.shape}")
    n, d = q.shape
    if memory_k.ndim != 2 or memory_k.shape[1] != d:
        raise ValueError(f"memory_k must have shape (m, {d}), got {memory_k.shape}")
    if memory_v.shape != memory_k.shape:
        raise ValueError(f"memory_v has shape {memory_v.shape}, but memory_k {memory_k.shape}")
    m = len(memory_k)
    scores = q @ np.concatenate([memory_k, k]).T / math.sqrt(d)
    weights = softmax(np.where(np.tri(n, m + n, m, dtype=bool), scores, -np.inf), axis=1)
    return weights @ np.concatenate([memory_v, v]), weights
    ### END SOLUTION


# %% [markdown] lesson="Predicting in any order: XLNet"
# ## The mask of an order of prediction
#
# XLNet predicts the words of a sentence in any order, not only from left to right. The words stay
# in their places; only the mask knows the order.
#
# `permutation_mask(order)` → boolean `(n, n)`. `order` is an array `(n,)` that lists the positions
# in the order in which they are predicted: `order[0]` is the position that is predicted first. Row
# `i`, column `j` is `True` if position `j` stands no later than position `i` in `order`. So every
# position sees itself and all that come before it **in the order**, wherever they stand in the
# sentence.
#
# This is the mask of XLNet's content stream. Its query stream, which makes the predictions, uses
# the same mask without the diagonal, because a position must not see the word that it predicts.
#
# Example: in `order = np.array([1, 3, 2, 0])`, position 1 is predicted first and sees only itself,
# and position 0 is predicted last and sees everything. `permutation_mask(order)` →
#
# ```text
# [[ True  True  True  True]
#  [False  True False False]
#  [False  True  True  True]
#  [False  True False  True]]
# ```
#
# <details><summary>Hint</summary>
#
# First find the step at which each position is predicted: here position 0 at step 3, position 1 at
# step 0, position 2 at step 2 and position 3 at step 1. The mask compares these steps in pairs.
#
# </details>
# <details><summary>My check says that order is used as if it held the steps</summary>
#
# `order[t]` answers "which position is predicted at step t?". The mask needs the answer to the
# opposite question, "at which step is position i predicted?", and this is the inverse permutation.
# `np.argsort(order)` computes it.
#
# </details>


# %% exercise="permutation_mask" points=2 difficulty=1 minutes=10
def permutation_mask(order):
    """Return booleans (n, n), True where the column is predicted no later than the row."""
    ### BEGIN SOLUTION
    order = np.asarray(order)
    if order.ndim != 1 or not np.array_equal(np.sort(order), np.arange(len(order))):
        raise ValueError(f"order must list every position from 0 to n - 1 once, got {order}")
    step = np.argsort(order)
    return step <= step[:, None]
    ### END SOLUTION


# %% [markdown] lesson="Attention on a graph"
# ## Graph attention
#
# In a graph attention network, a node attends to its neighbours and to itself. The score of a pair
# of nodes is
#
# $$\begin{gathered}
# e_{i,j} = \operatorname{LeakyReLU}\!\left([\,x_i w \,; x_j w\,]\, a\right), \\[4pt]
# \operatorname{LeakyReLU}(z) = \begin{cases} z & z > 0 \\ \text{slope} \cdot z & z \le 0
# \end{cases}
# \end{gathered}$$
#
# so the first half of $a$ belongs to the node $i$ that attends, the second half to the node $j$
# that it attends to.
#
# - `gat_attention(x, w, a, adjacency, negative_slope=0.2)` → `(nodes, nodes)`; `x` is `(nodes, f)`,
#   `w` is `(f, g)`, `a` is `(2g,)`. Row `i` holds the weights with which node `i` attends: a
#   softmax over the nodes `j` with `adjacency[i, j] != 0` and `i` itself. All other weights are 0.
#   `negative_slope` is a number from 0 up to, but not including, 1.
# - `gat_layer(x, w, a, adjacency, activation=None)` → `(nodes, g)`: the projected features `x @ w`,
#   averaged with these weights (the slope is 0.2). If `activation` is a function, such as
#   `np.tanh`, it is called once, with the whole result, and what it gives is returned.
#
# `adjacency` is `(nodes, nodes)` and holds booleans, integers or floats. Every number other than 0
# is an edge, and how large it is does not matter. An edge has a direction: `adjacency[i, j]` and
# `adjacency[j, i]` may differ. Whatever the diagonal holds, a node always attends to itself. As
# long as the scores are finite, all results must be finite, too.
#
# Example, a graph of five nodes:
#
# ```python
# x = np.array([[0.5, -1.0, 0.8], [-0.7, 0.4, 1.2], [1.1, 0.3, -0.6],
#               [-0.4, -0.9, 0.2], [0.6, 1.3, -0.5]])
# w = np.array([[0.9, -0.6], [-0.5, 0.8], [0.4, 1.1]])
# a = np.array([1.2, -0.7, 0.8, -1.1])
# adjacency = np.array([[0, 1, 1, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 1, 0],
#                       [0, 1, 0, 0, 1], [0, 0, 0, 0, 0]])
# ```
#
# ```text
# gat_attention(x, w, a, adjacency)
# [[0.3919 0.0175 0.5906 0.     0.    ]
#  [0.4323 0.202  0.     0.3657 0.    ]
#  [0.     0.     0.7766 0.2234 0.    ]
#  [0.     0.1668 0.     0.5765 0.2567]
#  [0.     0.     0.     0.     1.    ]]
#
# gat_layer(x, w, a, adjacency)
# [[ 0.846  -0.688 ]
#  [ 0.5405  0.2259]
#  [ 0.5039 -0.8968]
#  [-0.04    0.2271]
#  [-0.31    0.13  ]]
# ```
#
# Node 4 has no neighbour, so it attends only to itself. With `activation=np.tanh` the first row of
# the layer's output is `[0.689 -0.5967]`.
#
# <details><summary>Hint</summary>
#
# The product of $a$ with two vectors that stand end to end is a sum of two products, one with each
# half of $a$. So you do not need to build all pairs: compute one number for each node as the first
# of a pair and one for each node as the second, and add a column to a row.
#
# </details>
# <details><summary>My check says that a node does not attend to itself</summary>
#
# The diagonal of `adjacency` may hold zeros. Combine `adjacency != 0` with `np.eye(nodes,
# dtype=bool)`. Do not write into `adjacency`, because it belongs to the caller.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# Node `i` attends to its neighbours and to itself. Set all other scores of row `i` to minus
# infinity, and give the result to `softmax`. If you write the softmax yourself, subtract the
# largest score of each row *after* that step:
# `np.exp(1000)` overflows, and if the largest score belongs to a node that is not a neighbour, all
# exponentials of the row may become 0.
#
# </details>


# %% exercise="gat_attention gat_layer" points=4 difficulty=2 minutes=22
def gat_attention(x, w, a, adjacency, negative_slope=0.2):
    """Return the weights (nodes, nodes) with which each node attends to itself and neighbours."""
    ### BEGIN SOLUTION
    x, w, a, adjacency = np.asarray(x), np.asarray(w), np.asarray(a), np.asarray(adjacency)
    if x.ndim != 2 or w.ndim != 2 or x.shape[1] != len(w):
        raise ValueError(f"w has shape {w.shape}, which does not fit x of shape {x.shape}")
    nodes, g = len(x), w.shape[1]
    if a.shape != (2 * g,):
        raise ValueError(f"a must have shape {(2 * g,)}, got {a.shape}")
    if adjacency.shape != (nodes, nodes):
        raise ValueError(f"adjacency must have shape {(nodes, nodes)}, got {adjacency.shape}")
    h = x @ w
    scores = (h @ a[:g])[:, None] + h @ a[g:]
    scores = np.where(scores > 0, scores, negative_slope * scores)
    attended = (adjacency != 0) | np.eye(nodes, dtype=bool)
    return softmax(np.where(attended, scores, -np.inf), axis=1)
    ### END SOLUTION


def gat_layer(x, w, a, adjacency, activation=None):
    """Return new features (nodes, g): x @ w, averaged by attention, then the activation."""
    ### BEGIN SOLUTION
    output = gat_attention(x, w, a, adjacency) @ (x @ w)
    return output if activation is None else activation(output)
    ### END SOLUTION


# %% [markdown] lesson="Attention on a graph"
# ## Graph attention with several heads
#
# Several heads attend independently, each with a matrix and an attention vector of its own. Hidden
# layers put the outputs of the heads side by side. In the last layer, where the columns are the
# classes, the outputs are averaged instead.
#
# `gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat")`: `weights` is a list
# of matrices `(f, g)`, each the `w` of one head (not attention weights), and `attention_vectors` is
# a list of vectors `(2g,)`, each the `a` of one head.
# Each head is a graph attention layer as in exercise 3, with the slope 0.2 and **without an
# activation**.
#
# - `combine="concat"` → `(nodes, heads * g)`, first all columns of the first head, then those of
#   the second, and so on.
# - `combine="average"` → `(nodes, g)`, the mean of the heads' outputs.
#
# Example, with `x`, `w`, `a` and `adjacency` of exercise 3 for the first head and
#
# ```python
# w_2 = np.array([[-0.3, 0.7], [1.0, 0.2], [0.6, -0.8]])
# a_2 = np.array([-0.9, 0.5, 1.3, 0.4])
# ```
#
# for the second one, `gat_multi_head(x, [w, w_2], [a, a_2], adjacency, combine)` gives
#
# ```text
# combine="concat"
# [[ 0.846  -0.688   0.723  -0.7022]
#  [ 0.5405  0.2259  0.2135 -0.9138]
#  [ 0.5039 -0.8968 -0.4604  0.8071]
#  [-0.04    0.2271  0.9056 -0.0034]
#  [-0.31    0.13    0.82    1.08  ]]
#
# combine="average"
# [[ 0.7845 -0.6951]
#  [ 0.377  -0.3439]
#  [ 0.0218 -0.0449]
#  [ 0.4328  0.1119]
#  [ 0.255   0.605 ]]
# ```
#
# You may call your `gat_layer`. If you do, make sure first that its check passes.
#
# <details><summary>Hint</summary>
#
# `zip(weights, attention_vectors)` runs through the heads. Collect their outputs in a list; one
# NumPy function joins them along an axis, another one averages them along a new axis.
#
# </details>
# <details><summary>My check says that the attention weights are averaged</summary>
#
# Each head first computes its own output, with its own weights and its own projected features. The
# mean of products is not the product of the means.
#
# </details>


# %% exercise="gat_multi_head" points=1 difficulty=1 minutes=8
def gat_multi_head(x, weights, attention_vectors, adjacency, combine="concat"):
    """Return the outputs of several heads side by side (nodes, heads * g), or their mean."""
    ### BEGIN SOLUTION
    if combine not in ("concat", "average"):
        raise ValueError(f'combine must be "concat" or "average", got {combine!r}')
    if len(weights) != len(attention_vectors) or not len(weights):
        raise ValueError(
            f"attention_vectors has {len(attention_vectors)} entries, but weights {len(weights)}"
        )
    outputs = [
        gat_layer(x, w, a, adjacency) for w, a in zip(weights, attention_vectors, strict=True)
    ]
    return np.mean(outputs, axis=0) if combine == "average" else np.concatenate(outputs, axis=1)
    ### END SOLUTION


# %% [markdown] lesson="A memory to read and write: the Neural Turing Machine"
# ## Reading and writing a memory
#
# The memory $M$ of a Neural Turing Machine has one row for each slot. It is read and written at all
# slots at once, each as strongly as its attention weight says. The weights $w$ are not negative,
# and they sum to 1.
#
# - `ntm_read(memory, weights)` → `(width,)`: the rows of the memory, weighted and summed. `memory`
#   is `(slots, width)`, `weights` is `(slots,)`.
# - `ntm_write(memory, weights, erase, add)` → the new memory, `(slots, width)`; `erase` and `add`
#   are `(width,)`, and the entries of `erase` lie between 0 and 1. The old memory is erased first,
#   and then something is added. Row $i$ becomes
#
# $$M_i \odot (1 - w_i\, \text{erase}) + w_i\, \text{add}$$
#
# where $\odot$ multiplies entry by entry. The memory that you receive is not changed.
#
# Example, a memory of four slots:
#
# ```python
# memory = np.array([[1.0, -0.5, 2.0], [0.0, 0.0, 0.0], [-0.4, 0.8, 0.2], [1.5, 1.0, -1.0]])
# weights = np.array([0.5, 0.2, 0.3, 0.0])
# ```
#
# `ntm_read(memory, weights)` → `[0.38 -0.01 1.06]`. With `erase = np.array([1.0, 0.0, 0.4])` and
# `add = np.array([0.0, 3.0, -1.0])`, `ntm_write(memory, weights, erase, add)` →
#
# ```text
# [[ 0.5    1.     1.1  ]
#  [ 0.     0.6   -0.2  ]
#  [-0.28   1.7   -0.124]
#  [ 1.5    1.    -1.   ]]
# ```
#
# The weight of the last slot is 0, so its row stays as it was.
#
# <details><summary>Hint</summary>
#
# `np.outer(weights, erase)` holds $w_i\, \text{erase}_j$ for all slots $i$ and columns $j$.
#
# </details>
# <details><summary>My check says that an input was changed in place</summary>
#
# `memory *= …` and `memory += …` write into the caller's array. Compute a new one.
#
# </details>


# %% exercise="ntm_read ntm_write" points=2 difficulty=1 minutes=10
def ntm_read(memory, weights):
    """Return the rows of memory (slots, width), summed with weights (slots,): (width,)."""
    ### BEGIN SOLUTION
    if np.ndim(memory) != 2 or np.shape(weights) != np.shape(memory)[:1]:
        raise ValueError(
            f"weights has shape {np.shape(weights)}, which does not fit memory {np.shape(memory)}"
        )
    return np.asarray(weights) @ memory
    ### END SOLUTION


def ntm_write(memory, weights, erase, add):
    """Return the memory (slots, width) after erasing, then adding (width,) by weights (slots,)."""
    ### BEGIN SOLUTION
    memory = np.asarray(memory)
    if memory.ndim != 2 or np.shape(weights) != memory.shape[:1]:
        raise ValueError(
            f"weights has shape {np.shape(weights)}, which does not fit memory {memory.shape}"
        )
    for name, vector in (("erase", erase), ("add", add)):
        if np.shape(vector) != memory.shape[1:]:
            raise ValueError(f"{name} must have shape {memory.shape[1:]}, got {np.shape(vector)}")
    return memory * (1 - np.outer(weights, erase)) + np.outer(weights, add)
    ### END SOLUTION


# %% [markdown] lesson="Addressing step by step"
# ## Addressing a memory by content
#
# A Neural Turing Machine can find a slot by what it holds. The network emits a key, the key is
# compared with every row of the memory by the cosine of the angle between them, and a softmax turns
# the cosines into weights:
#
# $$\begin{aligned}
# w_i &= \frac{\exp(\beta\, \cos(M_i, \text{key}))}{\sum_j \exp(\beta\, \cos(M_j, \text{key}))},
# \\[4pt]
# \cos(u, v) &= \frac{u \cdot v}{\|u\|\, \|v\|}
# \end{aligned}$$
#
# `content_addressing(memory, key, strength)` → `(slots,)`; `memory` is `(slots, width)`, `key` is
# `(width,)`, and `strength` is the positive number $\beta$. A new memory is often full of zeros.
# For a row of zeros the cosine is not defined; take it to be 0, even when all rows are zeros. (A
# tiny number such as 1e-8, added to the product of the norms, does no harm.) The key is not all
# zeros. The weights must be finite for any strength.
#
# Example, with the memory of exercise 5 and `key = np.array([2.0, 1.0, -1.5])`: the cosines are
# `[-0.2431 0. -0.1216 0.9908]`, and with strength 3 the weights are `[0.0222 0.046 0.032 0.8998]`.
# With strength 1000 all of the weight lies on the last slot.
#
# <details><summary>Hint</summary>
#
# `np.linalg.norm(memory, axis=1)` holds the norm of every row. `np.divide` has the arguments `out`
# and `where`, with which it leaves out the divisions by 0.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# Either a row of zeros is divided by its norm, which gives 0/0, or a large strength makes an
# exponential of your own overflow. `softmax` does not overflow.
#
# </details>


# %% exercise="content_addressing" points=2 difficulty=1 minutes=10
def content_addressing(memory, key, strength):
    """Return weights (slots,) for memory (slots, width) by its similarity to a key (width,)."""
    ### BEGIN SOLUTION
    memory, key = np.asarray(memory), np.asarray(key)
    if memory.ndim != 2 or key.shape != memory.shape[1:]:
        raise ValueError(f"key has shape {key.shape}, which does not fit memory {memory.shape}")
    norms = np.linalg.norm(memory, axis=1) * np.linalg.norm(key)
    cosines = np.divide(memory @ key, norms, out=np.zeros(len(memory)), where=norms > 0)
    return softmax(strength * cosines)
    ### END SOLUTION


# %% [markdown] lesson="Addressing step by step"
# ## From content to location: gate, shift, sharpen
#
# A Neural Turing Machine can also move from one slot to the next. Three steps lead from the weights
# of the previous time step and the weights found by content to the new weights:
#
# 1. **Gate.** $w^{\text{gated}} = g \cdot \text{content} + (1 - g) \cdot \text{previous}$, with $g$
#    between 0 and 1.
# 2. **Shift.** $\tilde w_i = \sum_j w^{\text{gated}}_j\, s(i - j)$, where $s(-1)$, $s(0)$ and
#    $s(+1)$ say how much of each weight moves one slot back, stays, and moves one slot forward. The
#    slots form a ring: the slot after the last one is the first one.
# 3. **Sharpen.** $w_i = \tilde w_i^{\,\gamma} / \sum_j \tilde w_j^{\,\gamma}$, with $\gamma \ge 1$.
#
# `ntm_address(previous, content, gate, shift, sharpen)` → `(slots,)`; `previous` and `content` are
# `(slots,)`, `gate` is the number $g$, `shift` holds $s(-1), s(0), s(+1)$ in this order, and
# `sharpen` is the number $\gamma$. `previous`, `content` and `shift` are not negative, and each of
# them sums to 1. For any $\gamma \ge 1$, the weights must be finite and sum to 1. There may be any
# number of slots, even a single one; in a ring of two slots, one slot forward and one slot back
# lead to the same place.
#
# Example:
#
# ```python
# previous = np.array([0.1, 0.0, 0.6, 0.3, 0.0])
# content = np.array([0.0, 0.5, 0.2, 0.0, 0.3])
# ```
#
# `ntm_address(previous, content, 0.75, np.array([0.1, 0.2, 0.7]), 2.0)` computes
#
# ```text
# after the gate      [0.025  0.375  0.3    0.075  0.225 ]
# after the shift     [0.2    0.1225 0.33   0.2475 0.1   ]
# the result          [0.1701 0.0638 0.4631 0.2605 0.0425]
# ```
#
# Most of each weight has moved one slot forward, and the part of the last slot's weight that moves
# forward has arrived in the first.
#
# <details><summary>Hint</summary>
#
# `np.roll(weights, 1)` moves every weight one slot forward, the last one to the front. For the last
# step, think about what happens to `0.3 ** 1000`. The quotient stays the same when all weights are
# divided by the same number before they are raised to the power, so which number would you choose?
#
# </details>
# <details><summary>My check says that the shift goes in the wrong direction</summary>
#
# With the shift (0, 0, 1), all of the weight moves forward: a weight at slot 1 must arrive at slot
# 2. In the formula only $s(+1)$ is 1, so $\tilde w_i = w^{\text{gated}}_{i-1}$.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# A large power of a number below 1 underflows to 0. If this happens to all weights, the last step
# computes 0/0. A small number added to the denominator does not help, because the weights would
# then be 0 and not sum to 1.
#
# </details>


# %% exercise="ntm_address" points=3 difficulty=2 minutes=22
def ntm_address(previous, content, gate, shift, sharpen):
    """Return new weights (slots,) from previous and content weights (slots,)."""
    ### BEGIN SOLUTION
    previous, content = np.asarray(previous), np.asarray(content)
    if previous.ndim != 1 or content.shape != previous.shape:
        raise ValueError(f"content has shape {content.shape}, but previous {previous.shape}")
    if np.shape(shift) != (3,):
        raise ValueError(f"shift must have shape (3,), got {np.shape(shift)}")
    if not 0 <= gate <= 1:
        raise ValueError(f"gate must lie between 0 and 1, got {gate}")
    if not sharpen >= 1:
        raise ValueError(f"sharpen must be at least 1, got {sharpen}")
    gated = gate * content + (1 - gate) * previous
    back, stay, forward = shift
    shifted = back * np.roll(gated, -1) + stay * gated + forward * np.roll(gated, 1)
    # Divided by the largest first, so that the largest power is 1 whatever the exponent.
    powers = (shifted / np.max(shifted)) ** sharpen
    return powers / np.sum(powers)
    ### END SOLUTION


# %% [markdown] lesson="A copy task"
# ## A program for the machine
#
# In the lesson, 16 machines learned to copy a sequence. Now you write by hand what they learned.
# You are the controller: at every step you decide where the heads go and what is written.
#
# `ntm_copy(vectors, slots)` → `(copied, write_weights, read_weights)`. `vectors` is `(time, width)`
# with at least one row, and `slots` is the number of slots, at least 1. The memory is `(slots,
# width)` and holds zeros. Both heads start with all of their weight on slot 0.
#
# 1. **Write** all vectors, one after another. Each is written at the slot where the head is: erase
#    everything there (`erase` is all ones) and add the vector. Then move the head one slot forward,
#    with a shift of exercise 7.
# 2. **Read** as many vectors as were written. The reading head, too, starts at slot 0 and moves one
#    slot forward after each vector.
#
# `copied` is `(time, width)` and holds what has been read. Row `t` of `write_weights`, which is
# `(time, slots)`, holds the weights with which vector `t` was written, **before** the head moved;
# row `t` of `read_weights` holds those with which it was read.
#
# The slots form a ring. If there are more vectors than slots, the head comes back to slot 0 and
# overwrites what stands there, so the first vectors are lost.
#
# Example, with `vectors = np.array([[0.5, -1.0], [2.0, 0.3], [-0.7, 1.2]])`. Four slots are enough,
# and two are not:
#
# ```text
# ntm_copy(vectors, 4)             ntm_copy(vectors, 2)
#
# copied         both weights      copied         both weights
# [[ 0.5 -1. ]   [[1. 0. 0. 0.]    [[-0.7  1.2]   [[1. 0.]
#  [ 2.   0.3]    [0. 1. 0. 0.]     [ 2.   0.3]    [0. 1.]
#  [-0.7  1.2]]   [0. 0. 1. 0.]]    [-0.7  1.2]]   [1. 0.]]
# ```
#
# Build it from your own `ntm_address`, `ntm_write` and `ntm_read`, and make sure first that their
# checks pass. (The check of this exercise compares only the three results.)
#
# <details><summary>Hint</summary>
#
# You need two loops, one after the other. `ntm_address` also asks for a gate, for weights by
# content and for a power. With which gate does the content not matter, and which power changes
# nothing?
#
# </details>
# <details><summary>My check says that each vector is read as soon as it has been written</summary>
#
# Then the memory never has to hold more than one vector, and nothing is ever lost. The machine has
# to see the whole sequence before it repeats it: finish the first loop before you begin the second.
#
# </details>


# %% exercise="ntm_copy" points=3 difficulty=2 minutes=18
def ntm_copy(vectors, slots):
    """Write vectors (time, width) to a memory, then read them: what is read, and both weights."""
    ### BEGIN SOLUTION
    vectors = np.asarray(vectors)
    if vectors.ndim != 2 or not len(vectors):
        raise ValueError(f"vectors must have shape (time, width), time >= 1, got {vectors.shape}")
    if not slots >= 1:
        raise ValueError(f"slots must be at least 1, got {slots}")
    memory, start = np.zeros((slots, vectors.shape[1])), np.eye(slots)[0]
    one_forward, everything = np.array([0.0, 0.0, 1.0]), np.ones(vectors.shape[1])

    head, write_weights = start, []
    for vector in vectors:
        write_weights.append(head)
        memory = ntm_write(memory, head, everything, vector)
        head = ntm_address(head, head, 0.0, one_forward, 1.0)

    head, read_weights, copied = start, [], []
    for _ in vectors:
        read_weights.append(head)
        copied.append(ntm_read(memory, head))
        head = ntm_address(head, head, 0.0, one_forward, 1.0)
    return np.array(copied), np.array(write_weights), np.array(read_weights)
    ### END SOLUTION


# %% [markdown]
# ## Your functions at work
#
# These cells are not marked, and neither Validate nor the grader runs them. Run them when all your
# checks pass.
#
# First, your program of exercise 8 copies a text. Each character is a vector of eight bits.
#
# > **Predict.** The text has 28 characters. What will your program return when the memory has only
# > 16 slots?

# %% active="ipynb"
# from coursekit.checks import require_written
#
# require_written(gat_multi_head, ntm_copy)
#
# text = "From recurrence to attention"
# codes = np.frombuffer(text.encode(), dtype=np.uint8)
# bits = np.unpackbits(codes[:, None], axis=1).astype(float)
# for slots in (40, 28, 16):
#     copied, _, _ = ntm_copy(bits, slots)
#     characters = np.packbits(np.round(copied).astype(np.uint8), axis=1)
#     print(f"{slots} slots: {characters.tobytes().decode()}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It returns "to attentionnce to attention". The 17th character comes to slot 0 again, so the last
# twelve characters overwrite the first twelve, and of `From recurrence ` only `nce ` is left.
# Reading goes round the ring in the same way, so it finds the last twelve characters twice.
#
# </details>
#
# Now we train one of the lesson's machines, and draw its heads beside yours while both copy the
# same ten vectors. (A machine may also walk the other way round the ring, because nobody tells it
# which way to go.)

# %% active="ipynb"
# import coursekit.quiet_start  # hides TensorFlow's start-up messages
# import matplotlib.pyplot as plt
#
# from coursekit import figures, graph_attention, turing
#
# figures.use_style()
# machine = turing.train_machines([1], 0.01, 400, longest=5)
# shown, _, _ = turing.copy_examples(np.array([10]), np.random.default_rng(3))
# _, states = machine.run(shown[None])
# learned = [state[1][0, 0] for state in states[:10]]  # writing, while the input is shown
# learned += [state[2][0, 0] for state in states[9:19]]  # reading, one step before each answer
# _, write_weights, read_weights = ntm_copy(shown[0, :10, :4], turing.SLOTS)
# programmed = np.concatenate([write_weights, read_weights])
# fig, axes = plt.subplots(1, 2, figsize=(5.6, 3.3), sharey=True)
# maps = {"your program": programmed, "learned": learned}
# for ax, (title, weights) in zip(axes, maps.items(), strict=True):
#     ax.imshow(np.transpose(weights), cmap=figures.shades(), vmin=0, vmax=1, aspect="auto")
#     ax.axvline(9.5, color=figures.MARK, lw=1.4)
#     ax.set(title=title, xlabel="write, then read")
#     ax.grid(False)
# axes[0].set_ylabel("slot")
# figures.show(
#     fig,
#     caption="The weights of the heads while ten vectors are written and then read: those that "
#     "you have programmed, and those that a machine has learned.",
#     alt="Two maps of weights over 20 steps and 16 slots. In both, the weights move from slot to "
#     "slot while writing, and through the same slots again while reading.",
# )

# %% [markdown]
# Last, your graph attention decides whom to trust. The next cell trains the lesson's network on one
# graph of 80 nodes, takes its weights out, and gives them to **your** `gat_multi_head`, which does
# everything else: it reads a new graph of 300 nodes, none of which the network has ever seen. This
# is possible because no weight belongs to a node.
#
# > **Predict.** How many of the 300 classes will your layers get right? And how many when all
# > attention vectors are replaced by zeros? (The toss of a coin is right in half of the cases.)

# %% active="ipynb"
# edges, features, classes = graph_attention.trusted_graph(80, np.random.default_rng(0))
# trained = graph_attention.train_networks(
#     edges,
#     classes,
#     labelled=np.ones((1, 80), bool),
#     attends=np.array([True]),
#     seeds=[0],
#     steps=200,
#     features=features[None],
# )
# w_1, a_1, w_2, a_2 = (list(trained.weights[name][0]) for name in ("w_1", "a_1", "w_2", "a_2"))
#
#
# def classify(x, adjacency, a_1, a_2):
#     hidden = gat_multi_head(x, w_1, a_1, adjacency)
#     hidden = np.where(hidden > 0, hidden, np.expm1(np.minimum(hidden, 0)))  # the ELU
#     return gat_multi_head(hidden, w_2, a_2, adjacency, combine="average").argmax(axis=1)
#
#
# edges, features, classes = graph_attention.trusted_graph(300, np.random.default_rng(1))
# right = np.mean(classify(features, edges, a_1, a_2) == classes)
# zeros_1, zeros_2 = np.zeros_like(a_1), np.zeros_like(a_2)
# equal = np.mean(classify(features, edges, zeros_1, zeros_2) == classes)
# print(f"right: {right:.2f}, with zeros for all attention vectors: {equal:.2f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# About nine in ten are right. With zeros, all scores are 0, so a node gives all ten nodes the same
# weight, and the answers are hardly better than guesses. (This does not show what equal weights can
# do, because the other weights were learned for the attention. The lesson trains the control.)
#
# </details>
