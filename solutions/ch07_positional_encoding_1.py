# %% [markdown]
# # Chapter 7 · Positional encoding in NumPy: the exercises
#
# Eight exercises, 20 points, about 100 minutes. You begin with a binary counter, which is a simple
# way to encode positions, and go on to the wavelengths and the matrix of the sinusoidal encoding.
# Then you use the matrix: you add it to embeddings, compare positions, and recover a position from
# a noisy vector. Finally you write a shift as a rotation, and you judge encodings by three numbers.
# In the last part, which is not marked, your functions find the word that stands $k$ places ahead.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: positions count from 0, and each position is one row of a matrix, `(positions, d)`;
# vectors are rows (`x @ w`); inputs and results are NumPy arrays. Inputs may hold whole numbers,
# and your functions must not change them in place. `n` is the base of the wavelengths, 10000 unless
# another is given. It is greater than 1.

# %%
import numpy as np

# %% [markdown] lesson="The encoding as a clock"
# ## Binary code of the positions
#
# Write the positions 0, 1, 2, … in binary, one position per row, with the **lowest bit in the first
# column**. With `bits` columns the counter can distinguish $2^\text{bits}$ positions; then it
# starts again at 0, like the odometer of a car.
#
# `binary_code(seq_len, bits)` → `(seq_len, bits)`, the numbers 0 and 1.
#
# Example: `binary_code(5, 2)` → `[[0 0] [1 0] [0 1] [1 1] [0 0]]`. The last row is 0 again.
#
# <details><summary>Hint</summary>
#
# Bit $b$ of a number $p$ is the remainder of $\lfloor p / 2^b \rfloor$ divided by 2. You need no
# loop when the positions are a column, `np.arange(seq_len)[:, None]`, and the bits are a row,
# `np.arange(bits)`: broadcasting then combines every position with every bit. You will need the
# same trick for the encoding itself.
#
# </details>
# <details><summary>My check says that the result does not consist of numbers</summary>
#
# A comparison such as `x == 1` gives True and False, and `format` gives text. Convert an array of
# either with `.astype(int)`.
#
# </details>


# %% exercise="binary_code" points=1 difficulty=1 minutes=6
def binary_code(seq_len, bits):
    """Return the binary digits of the positions, lowest bit first: (seq_len, bits) of 0 and 1."""
    ### BEGIN SOLUTION
    for name, size in (("seq_len", seq_len), ("bits", bits)):
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    return np.arange(seq_len)[:, None] // 2 ** np.arange(bits) % 2
    ### END SOLUTION


# %% [markdown] lesson="Wavelengths"
# ## Wavelengths of the encoding
#
# Columns $2i$ and $2i + 1$ of the encoding are a sine and a cosine of the same wavelength,
#
# $$\lambda_i = 2\pi\, n^{2i/d}$$
#
# Return the wavelengths of all pairs, the shortest first. When $d$ is odd, the last column is a
# sine without a cosine, but it has a wavelength too.
#
# `wavelengths(d, n=10000.0)` → `(⌈d/2⌉,)`
#
# Example: `wavelengths(5, n=32.0)` → `[6.2832 25.1327 100.531]`, because $32^{2/5} = 4$ and
# $32^{4/5} = 16$.
#
# <details><summary>Hint</summary>
#
# How many pairs are there? The even columns are 0, 2, 4, …, and `np.arange(0, d, 2)` lists exactly
# those.
#
# </details>
# <details><summary>My check says that the last wavelength is 2πn</summary>
#
# The paper says that the wavelengths run from $2\pi$ to $10000 \cdot 2\pi$, but by its formula
# they stop one step earlier: the last exponent is $(d-2)/d$ for even $d$, and not 1.
#
# </details>


# %% exercise="wavelengths" points=2 difficulty=1 minutes=8
def wavelengths(d, n=10000.0):
    """Return the wavelength, in positions, of each pair of d columns: (⌈d/2⌉,)."""
    ### BEGIN SOLUTION
    if d < 1:
        raise ValueError(f"d must be at least 1, got {d}")
    if n <= 0:
        raise ValueError(f"n must be positive, got {n}")
    return 2 * np.pi * n ** (np.arange(0, d, 2) / d)
    ### END SOLUTION


# %% [markdown] lesson="Sines and cosines"
# ## Sinusoidal positional encoding
#
# Compute the encoding of the positions 0 to `seq_len - 1`:
#
# $$\begin{aligned}
# PE_{p,\,2i} &= \sin\!\left(\frac{p}{n^{2i/d}}\right) \\[4pt]
# PE_{p,\,2i+1} &= \cos\!\left(\frac{p}{n^{2i/d}}\right)
# \end{aligned}$$
#
# The lesson computes a single pair. Here you compute the whole matrix **without a loop over the
# positions** (the check does not look for one), and for odd $d$ too: the last column is then a sine
# that has no cosine.
#
# `positional_encoding(seq_len, d, n=10000.0)` → `(seq_len, d)`. A `seq_len` or a `d` below 1
# raises `ValueError`.
#
# Example: `positional_encoding(3, 5, n=32.0)` →
#
# ```
# [[0.      1.       0.      1.      0.    ]
#  [0.8415  0.5403   0.2474  0.9689  0.0625]
#  [0.9093 -0.4161   0.4794  0.8776  0.1247]]
# ```
#
# In row 1 the angles are 1, 1/4 and 1/16.
#
# <details><summary>Hint</summary>
#
# First make a matrix of all angles by broadcasting, one row for each position and one column for
# each pair. Then make an empty result and fill its even and its odd columns by slices with a step,
# `[:, 0::2]` and `[:, 1::2]`. How many columns does each slice have when $d$ is odd?
#
# </details>
# <details><summary>My check says that the exponent is i/d</summary>
#
# $i$ counts pairs, not columns. Columns 2 and 3 belong to $i = 1$, so both have the exponent $2/d$.
#
# </details>


# %% exercise="positional_encoding" points=4 difficulty=2 minutes=20
def positional_encoding(seq_len, d, n=10000.0):
    """Return the sinusoidal encoding of the positions 0 to seq_len - 1: (seq_len, d)."""
    ### BEGIN SOLUTION
    for name, size in (("seq_len", seq_len), ("d", d)):
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    if n <= 0:
        raise ValueError(f"n must be positive, got {n}")
    angles = np.arange(seq_len)[:, None] / n ** (np.arange(0, d, 2) / d)
    encoding = np.empty((seq_len, d))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d // 2])
    return encoding
    ### END SOLUTION


# %% [markdown] lesson="Adding positions to embeddings"
# ## Adding positions to embeddings
#
# Add the encoding of the position to every word vector. One sentence has the shape `(time, d)`, a
# batch of sentences `(batch, time, d)`; the words of every sentence have the positions 0, 1, 2, …
#
# `add_positions(embeddings, n=10000.0)` → an array of the same shape. The embeddings are neither
# scaled nor changed in place. You may call your own `positional_encoding`.
#
# Example: for two words with four features and `n=16.0`,
#
# ```
# embeddings
# [[1. 0.  2. 0.]
#  [0. 3. -1. 0.]]
#
# add_positions(embeddings, n=16.0)
# [[1.      1.      2.      1.    ]
#  [0.8415  3.5403 -0.7526  0.9689]]
# ```
#
# <details><summary>Hint</summary>
#
# In both shapes the last two axes are time and features, `embeddings.shape[-2:]`, and NumPy
# broadcasts a matrix over the batch.
#
# </details>
# <details><summary>My check says that an input was changed in place</summary>
#
# `embeddings += …` writes into the caller's array. `embeddings + …` makes a new one.
#
# </details>
# <details><summary>My check fails although this function is right</summary>
#
# If it calls your `positional_encoding`, make the check of that exercise pass first. This holds for
# the next exercises too.
#
# </details>


# %% exercise="add_positions" points=2 difficulty=1 minutes=8
def add_positions(embeddings, n=10000.0):
    """Add the encoding of its position to each word of (batch, time, d) or (time, d)."""
    ### BEGIN SOLUTION
    embeddings = np.asarray(embeddings)
    if embeddings.ndim not in (2, 3):
        raise ValueError(
            f"embeddings must have shape (batch, time, d) or (time, d), got {embeddings.shape}"
        )
    time, d = embeddings.shape[-2:]
    columns = np.arange(d)
    angles = np.arange(time)[:, None] / n ** (2 * (columns // 2) / d)
    return embeddings + np.where(columns % 2, np.cos(angles), np.sin(angles))
    ### END SOLUTION


# %% [markdown] lesson="Similarity depends on the offset"
# ## Similarity of two positions
#
# Attention compares vectors by dot products, so the dot product of two rows of the encoding says
# how similar two positions look to it. Compute it for all pairs of positions.
#
# `position_similarity(seq_len, d, n=10000.0)` → `(seq_len, seq_len)`; entry $(p, q)$ is the dot
# product of the encodings of $p$ and $q$, neither centred nor normalised. $d$ may be odd. You may
# call your own `positional_encoding`.
#
# Example: `position_similarity(3, 5, n=32.0)` →
#
# ```
# [[2.     1.5092 0.4614]
#  [1.5092 2.0039 1.517 ]
#  [0.4614 1.517  2.0155]]
# ```
#
# This $d$ is odd, so the diagonal is not quite constant.
#
# <details><summary>Hint</summary>
#
# All dot products of the rows of one matrix with the rows of another are a single matrix product.
#
# </details>
# <details><summary>My check says that these are the dot products of the columns</summary>
#
# `pe.T @ pe` has the shape `(d, d)`. The rows are the positions, and there are `seq_len` of them.
#
# </details>


# %% exercise="position_similarity" points=2 difficulty=1 minutes=8
def position_similarity(seq_len, d, n=10000.0):
    """Return the dot products of the encodings of all pairs of positions: (seq_len, seq_len)."""
    ### BEGIN SOLUTION
    for name, size in (("seq_len", seq_len), ("d", d)):
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    columns = np.arange(d)
    angles = np.arange(seq_len)[:, None] / n ** (2 * (columns // 2) / d)
    encoding = np.where(columns % 2, np.cos(angles), np.sin(angles))
    return encoding @ encoding.T
    ### END SOLUTION


# %% [markdown] lesson="Similarity depends on the offset"
# ## Recovering a position from a noisy vector
#
# A vector is the encoding of one of the positions 0 to `max_len - 1`, plus noise. Find out which
# position it was: return the one whose encoding has the smallest Euclidean distance from the
# vector.
#
# `recover_position(vector, max_len, n=10000.0)` → a whole number; `vector` is `(d,)`, $d \ge 4$. In
# the checks the noise has a norm of at most 0.1, and the encodings of any two positions below
# `max_len` are more than 0.2 apart, so the answer is unique. You may call your own
# `positional_encoding`.
#
# Example: `recover_position(np.array([0.11, -1.0, 0.23, 0.95]), 60, n=100.0)` → `3`. The encoding
# of position 3 is `[0.1411 -0.99 0.2955 0.9553]`. The first two numbers alone would fit position 47
# better, whose encoding is `[0.1236 -0.9923 -0.9999 -0.0124]`.
#
# <details><summary>Hint</summary>
#
# Subtract the vector from the matrix of all encodings. What is the shape of the result, and how do
# you get one number for each position from it? `np.argmin` finds the smallest of these numbers.
#
# </details>
# <details><summary>My check says that the row with the largest dot product is taken</summary>
#
# The two agree when all rows have the same norm. With odd $d$ they do not, because the last sine
# has no cosine to complete its pair. The distance is right in both cases.
#
# </details>


# %% exercise="recover_position" points=2 difficulty=2 minutes=12
def recover_position(vector, max_len, n=10000.0):
    """Return which position below max_len has the encoding that is closest to a vector (d,)."""
    ### BEGIN SOLUTION
    vector = np.asarray(vector)
    if vector.ndim != 1:
        raise ValueError(f"vector must have shape (d,), got {vector.shape}")
    if max_len < 1:
        raise ValueError(f"max_len must be at least 1, got {max_len}")
    columns = np.arange(len(vector))
    angles = np.arange(max_len)[:, None] / n ** (2 * (columns // 2) / len(vector))
    encoding = np.where(columns % 2, np.cos(angles), np.sin(angles))
    return int(np.argmin(np.sum((encoding - vector) ** 2, axis=1)))
    ### END SOLUTION


# %% [markdown] lesson="A shift is a rotation"
# ## The matrix of a shift
#
# Going $k$ positions further turns every pair of columns by an angle that does not depend on where
# you start. So for each $k$ there is one matrix $M$ that does this to **every** row:
#
# $$PE_{p+k} = PE_p\, M$$
#
# Build it from $k$, $d$ and $n$. It consists of 2×2 rotations along the diagonal and is zero
# everywhere else. With $\omega_i = n^{-2i/d}$, the addition theorems are all you need:
#
# $$\begin{aligned}
# \sin((p+k)\omega_i) &= \sin(p\omega_i)\cos(k\omega_i) \\
# &\quad + \cos(p\omega_i)\sin(k\omega_i) \\[4pt]
# \cos((p+k)\omega_i) &= \cos(p\omega_i)\cos(k\omega_i) \\
# &\quad - \sin(p\omega_i)\sin(k\omega_i)
# \end{aligned}$$
#
# `shift_matrix(k, d, n=10000.0)` → `(d, d)`, orthogonal; $k$ is any whole number, positive,
# negative or zero. An odd $d$ raises `ValueError`, because a sine alone cannot be rotated.
#
# Example: `shift_matrix(2, 4, n=16.0)` →
#
# ```
# [[-0.4161 -0.9093  0.      0.    ]
#  [ 0.9093 -0.4161  0.      0.    ]
#  [ 0.      0.      0.8776 -0.4794]
#  [ 0.      0.      0.4794  0.8776]]
# ```
#
# Its angles are $2$ and $2/4$.
#
# <details><summary>Hint</summary>
#
# Vectors are rows, so column $j$ of $M$ says how the new entry $j$ is made from the old ones. Write
# down the matrix of one pair first: which two numbers belong in the column of the sine? Then put
# one such block after another on the diagonal. A loop over the pairs is fine. Without a loop, make
# four assignments such as `M[even, even] = …`, with `even = np.arange(0, d, 2)`.
#
# </details>
# <details><summary>My check says that M is transposed</summary>
#
# Your matrix is the inverse rotation: it takes $p$ to $p - k$. Textbooks write rotations for column
# vectors, $M x$. For row vectors, $x M$, the matrix must be transposed.
#
# </details>


# %% exercise="shift_matrix" points=4 difficulty=2 minutes=20
def shift_matrix(k, d, n=10000.0):
    """Return the matrix M (d, d), d even, for which PE[p + k] = PE[p] @ M at every position p."""
    ### BEGIN SOLUTION
    if d < 1 or d % 2:
        raise ValueError(f"d must be even and positive, because sines need cosines; got {d}")
    if n <= 0:
        raise ValueError(f"n must be positive, got {n}")
    sines = np.arange(0, d, 2)
    angles = k / n ** (sines / d)
    matrix = np.zeros((d, d))
    matrix[sines, sines] = matrix[sines + 1, sines + 1] = np.cos(angles)
    matrix[sines + 1, sines] = np.sin(angles)
    matrix[sines, sines + 1] = -np.sin(angles)
    return matrix
    ### END SOLUTION


# %% [markdown] lesson="Why not the index"
# ## Judging an encoding by three numbers
#
# What makes a good encoding? Measure three properties of any matrix `pe` that has one position per
# row:
#
# - `largest`: the largest absolute value of its entries. When it grows with the length of the
#   sentence, late positions drown the words.
# - `closest`: the smallest Euclidean distance between the encodings of two **different** positions.
#   When it is 0, two positions cannot be told apart.
# - `offset_spread`: how much the dot product of two positions depends on where they are, and not
#   only on how far apart they are. Take the dot products of all pairs $(p, p+k)$ for one offset
#   $k$, and subtract the smallest from the largest. The result is the largest such difference over
#   the offsets $k = 0, 1, 2, \dots$ It is 0 when the similarity is a function of the offset alone.
#
# `judge_encoding(pe)` → `(largest, closest, offset_spread)`, a tuple of three numbers; `pe` is
# `(positions, d)` with at least two positions.
#
# Example: `judge_encoding(np.array([[0.0, 1.0], [2.0, 0.0], [-3.0, 1.0]]))` → `(3.0, 2.2361, 9.0)`.
# Rows 0 and 1 are the closest. The dot products are 1, 4, 10 at offset 0, then 0 and −6 at offset
# 1, and 1 at offset 2, so the differences are 9, 6 and 0.
#
# When your check passes, compare `binary_code(50, 6)`, `np.arange(50.0)[:, None]`, the same divided
# by 49, and `positional_encoding(50, 64)`. Which of them would you choose, and why?
#
# <details><summary>What the comparison shows</summary>
#
# The index reaches 49, and its offset spread is 2401. The normalised index stays within 1, but
# neighbours are only 1/49 apart, and its spread is 1. The binary code is bounded, and its closest
# rows are 1 apart, but its spread is 5, so the same offset looks different in different places. The
# sinusoidal encoding is bounded by 1, its closest rows are more than 1.4 apart, and its spread is 0
# up to rounding.
#
# </details>
# <details><summary>Hint</summary>
#
# `np.diagonal(matrix, k)` returns the entries $(p, p+k)$ of a matrix. For the distances of all
# pairs, subtract `pe[None]` from `pe[:, None]`; leave out the pairs of a position with itself.
#
# </details>
# <details><summary>My check says that the distance of a position to itself is counted</summary>
#
# That distance is always 0, so the minimum would always be 0 as well.
# `np.fill_diagonal(distances, np.inf)` excludes it.
#
# </details>


# %% exercise="judge_encoding" points=3 difficulty=2 minutes=20
def judge_encoding(pe):
    """Return the largest entry, the smallest distance and the offset spread of an encoding."""
    ### BEGIN SOLUTION
    if np.ndim(pe) != 2 or len(pe) < 2:
        raise ValueError(f"pe must have shape (positions, d), 2 or more, got {np.shape(pe)}")
    distances = np.linalg.norm(pe[:, None] - pe[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    products = pe @ pe.T
    spreads = [np.ptp(np.diagonal(products, k)) for k in range(len(pe))]
    return float(np.abs(pe).max()), float(distances.min()), float(max(spreads))
    ### END SOLUTION


# %% [markdown]
# ## Looking k words ahead
#
# Now your functions work together. In the lesson a multiple of $M_k$ made attention look $k$
# positions ahead, as long as only positions were compared. Here it has to find its way in a
# sentence. Your `add_positions` adds the encoding to random vectors of the words, the queries are
# multiplied by your `shift_matrix`, and the keys are left as they are.
#
# Every word tries three times to find the word three places further on. In the first two tries the
# words use all 64 columns. In the third they use only the slow columns, whose wavelengths (by your
# `wavelengths`) are at least 200, and the queries use only the fast ones. (A trained layer might
# choose the columns itself. Here we do it by hand.)
#
# These cells are not marked, and neither Validate nor the grader runs them. Run them when all your
# checks pass. They take a few seconds.
#
# > **Predict.** Fourteen of the seventeen words have a word three places further on. In each of the
# > three tries, how many of the fourteen give it the largest weight?

# %% active="ipynb"
# import matplotlib.pyplot as plt
#
# from coursekit import figures
# from coursekit.checks import require_written
#
# require_written(wavelengths, positional_encoding, add_positions, shift_matrix)
#
# figures.use_style()
# text = "the sea was calm when we left the harbour but the wind rose before we reached home"
# sentence = text.split()
# rng = np.random.default_rng(0)
# vectors = {word: rng.normal(size=64) for word in dict.fromkeys(sentence)}
# words = np.array([vectors[word] for word in sentence])
# fast = np.repeat(np.less(wavelengths(64), 200), 2)  # True for 26 of the 64 columns
#
#
# def weights_ahead(x, k, factor=20, columns=fast, forbidden=False):
#     """Return softmax(factor q xᵀ / √d) for x (time, d), where q is x M_k in some columns."""
#     scores = factor * (x * columns) @ shift_matrix(k, 64) @ x.T / np.sqrt(64)
#     scores = np.where(forbidden, -np.inf, scores)
#     exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
#     return exponentials / exponentials.sum(axis=1, keepdims=True)
#
#
# def report(name, weights):
#     """Print how many words find the word three places further on, and how many themselves."""
#     asks = np.arange(len(sentence) - 3)
#     largest, mean = weights[asks].argmax(axis=1), weights[asks, asks + 3].mean()
#     found, itself = np.sum(largest == asks + 3), np.sum(largest == asks)
#     print(f"{name:30} found {found:2} of {len(asks)}, itself {itself:2}, mean weight {mean:.2f}")
#
#
# everywhere, apart = add_positions(words), add_positions(words * ~fast)
# report("M_3, words in all columns", weights_ahead(everywhere, 3, 1, True))
# report("20 M_3, words in all columns", weights_ahead(everywhere, 3, 20, True))
# report("20 M_3, words in slow columns", weights_ahead(apart, 3))

# %% [markdown]
# <details><summary>Answer</summary>
#
# One, one, and all. (Pointing at random would find about one, too.) Attention compares the *sums*
# of words and positions. In the first two tries most words find themselves, or the same word in
# another place. The reason is that $M_3$ hardly turns the slow columns, and in those every word is
# most similar to itself. In the third try the words keep out of the columns in which the queries
# ask, so only the positions count.
#
# </details>
#
# Is it enough to forbid every word to find itself? And which of the two changes in the third try is
# needed, the words in slow columns or the queries in fast ones? The next cell tries one at a time.

# %% active="ipynb"
# same = np.array(sentence)[:, None] == sentence
# report("no word finds itself", weights_ahead(everywhere, 3, 20, True, same))
# report("only the queries are changed", weights_ahead(everywhere, 3))
# report("only the words are changed", weights_ahead(apart, 3, 20, True))

# %% [markdown]
# None of the three is enough alone: at most four words of the fourteen are found. Even when no word
# finds itself, what random words in all columns add to the scores is larger than the differences
# between neighbouring positions, and the factor 20 enlarges both.
#
# What does such a layer pass on? Its values are the word vectors, so each output is close to the
# vector of the word that was found. In the next figure every row is a word that asks, and after the
# arrow stands the word whose vector is nearest to its output. Move the slider, and your matrix
# moves the diagonal. At the ends of the sentence there is no word $k$ places further on. What do
# the words there find?

# %% active="ipynb"
# def read(weights):
#     """Return for each row of weights the word whose vector is nearest to the output."""
#     outputs, values = weights @ (words * ~fast), words * ~fast
#     distances = np.linalg.norm(outputs[:, None] - values, axis=2)
#     return [sentence[place] for place in distances.argmin(axis=1)]
#
#
# def draw_map(k):
#     weights = weights_ahead(apart, k)
#     fig, ax = plt.subplots(figsize=(5.6, 4.8))
#     ax.pcolormesh(weights, cmap=figures.shades(), vmin=0, vmax=1)
#     ax.set_xticks(np.arange(len(sentence)) + 0.5, sentence, rotation=60, ha="right")
#     pairs = zip(sentence, read(weights), strict=True)
#     rows = [f"{word} \N{RIGHTWARDS ARROW} {found}" for word, found in pairs]
#     ax.set_yticks(np.arange(len(sentence)) + 0.5, rows)
#     ax.set_xlabel("the word that is found")
#     ax.set_ylabel("the word that asks, and what it finds", labelpad=16)
#     ax.invert_yaxis()
#     ax.grid(False)
#     return fig
#
#
# figures.move(
#     draw_map,
#     k=figures.dial("shift k", range(-4, 5), start=3, format="{:d}"),
#     caption="The weights of attention whose queries are multiplied by 20 times your $M_k$.",
#     alt=lambda k: f"A map of weights for k = {k}. Each word gives most of its weight to the word "
#     "k places further on, so the weights lie on a diagonal; at the ends of the sentence, where "
#     "there is no such word, the first or the last word gets it.",
# )
# print("read:   ", *sentence)
# print("written:", *read(weights_ahead(apart, 3)))

# %% [markdown]
# (The last words find *home*: of all positions in the sentence, its position is the most similar to
# the one that they look for.)
#
# > **Predict.** Now the sentence stands at the positions 1000 to 1016 of a long text. Your matrix
# > stays the same. How many of the fourteen words are found there?

# %% active="ipynb"
# late = words * ~fast + np.asarray(positional_encoding(1000 + len(sentence), 64))[1000:]
# report("positions 1000 to 1016", weights_ahead(late, 3))

# %% [markdown]
# <details><summary>Answer</summary>
#
# All of them, with the same weights. $PE_{p+k} = PE_p\, M_k$ holds at every position, and the score
# of two positions depends on their offset alone. Nothing here was fitted to the first seventeen
# positions. The lesson has shown what may happen when something is.
#
# </details>
