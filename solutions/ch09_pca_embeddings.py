# %% [markdown]
# # Chapter 9 · PCA of embeddings and positions: the exercises
#
# Nine exercises, 20 points, about 115 minutes. You measure the distances between positions, read
# word vectors from a file, turn sentences into numbers and the numbers into vectors, project
# vectors with a principal component analysis of your own, and mix meaning with position. Then you
# measure what such a picture shows, and take the positions out of the sum again. At the end your
# nine functions draw the pictures of the lesson, and six that the lesson does not show.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: one position, word or sample per row, NumPy arrays in and out of functions, inputs
# are never changed in place. An array may hold whole numbers, such as `[[1, 2], [3, 4]]`; even
# then, your result must keep its fractions.

# %%
import numpy as np
from scipy.stats import rankdata

# %% [markdown] lesson="Correlation and distance between positions"
# ## Distances between all points
#
# Measure the distance of every point from every other. Let NumPy work on all pairs at once: a
# Python loop over the pairs is accepted, too, but it is slow.
#
# `distance_matrix(x)` → `(points, points)`; `x` is `(points, d)`. Entry `[i, j]` is the Euclidean
# distance between rows `i` and `j`. The diagonal must be exactly 0. All other distances must be
# right to within 0.00001, even those between points that nearly coincide. No coordinate is larger
# than 100 in absolute value.
#
# Example: for `x = [[0, 1], [3, 1], [1, -2]]`, the distances are
# `[[0. 3. 3.1623] [3. 0. 3.6056] [3.1623 3.6056 0.]]`.
#
# <details><summary>Hint</summary>
#
# `x[:, None, :]` has shape `(points, 1, d)` and `x[None, :, :]` has shape `(1, points, d)`. What
# shape does their difference have, and over which of its axes must you sum?
#
# </details>
# <details><summary>My check says that the diagonal is not exactly 0, or not finite</summary>
#
# The formula $\lVert a \rVert^2 + \lVert b \rVert^2 - 2\, a \cdot b$ needs less memory, but it
# subtracts large numbers that are nearly equal. Rounding leaves something like `1e-15` on the
# diagonal, sometimes below zero, and its square root is about `3e-8`, or `nan`. Subtract the rows
# first, or repair the diagonal. Do not set small distances between different points to 0.
#
# </details>


# %% exercise="distance_matrix" points=2 difficulty=1 minutes=10
def distance_matrix(x):
    """Return the Euclidean distances (points, points) between all pairs of rows of x."""
    ### BEGIN SOLUTION
    x = np.asarray(x)
    if x.ndim != 2:
        raise ValueError(f"x must have shape (points, d), got {x.shape}")
    return np.linalg.norm(x[:, None, :] - x[None, :, :], axis=2)
    ### END SOLUTION


# %% [markdown] lesson="Word vectors"
# ## Reading word vectors from a file
#
# GloVe vectors, like many others, are published as plain text: every line has a word and then its
# numbers, separated by single spaces. Read such a file.
#
# `load_vectors(path, words=None)` → a dict from word to a float32 array.
#
# - With `words=None` all words are loaded; otherwise only those in the list `words`, which may be
#   empty. A word that the file does not have is left out of the dict. Words are compared as they
#   are written, so `Cat` and `cat` are two words.
# - The file is encoded in UTF-8. It has no empty lines, it contains no word twice, and its first
#   line has at least one number. You may rely on this, and split a line with `split()`. The last
#   line may end without a line break.
# - Every line must have as many numbers as the first. A line with a different count (this includes
#   no numbers at all), or with an entry that `float` cannot read, raises `ValueError`, and the
#   message contains the number of the line, counted from 1. This holds for every line of the file,
#   whether its word is wanted or not, and also when `words` is empty. (In the first line, too, an
#   entry may be unreadable.)
# - The real file has 400,000 lines. With a list of words, read it line by line and never hold the
#   whole file in memory.
#
# Example: a file with the four lines
#
# ```text
# the 0.5 -1.5 2.0
# cat 1.0 0.25 -3.0
# , 0.125 3e-2 -1.0
# sat -0.75 0.0 4.5
# ```
#
# and `words = ["sat", "cow", "the"]` give
# `{"the": [0.5 -1.5 2.], "sat": [-0.75 0. 4.5]}`. If the third line were `, 0.125 3e-2`, the call
# would raise a `ValueError` such as `line 3 has 2 numbers; the first line has 3`.
#
# <details><summary>Hint</summary>
#
# `for number, line in enumerate(file, start=1)` reads one line at a time. `float("cat")` raises a
# `ValueError`, too, but without the number of the line: catch it and raise a better one.
#
# </details>
# <details><summary>My check says that a bad line is accepted</summary>
#
# Look at the order of your steps: examine a line first and ask afterwards whether its word is
# wanted. Go on to the end of the file, even when all wanted words have been found.
#
# </details>
# <details><summary>My check says that the whole file is in memory</summary>
#
# `file.read()`, `file.readlines()`, `np.loadtxt(path)` and a dict of all words all need memory for
# 400,000 lines. A loop over the file itself holds only one line at a time.
#
# </details>


# %% exercise="load_vectors" points=3 difficulty=2 minutes=20
def load_vectors(path, words=None):
    """Read word vectors in GloVe's text format → a dict from word to float32 array."""
    ### BEGIN SOLUTION
    vectors = {}
    length = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            word, *entries = line.rstrip().split(" ")
            if length is None:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(
                    f"line {number} has {len(entries)} numbers; the first line has {length}"
                )
            try:
                vector = [float(entry) for entry in entries]
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
            if words is None or word in words:
                vectors[word] = np.array(vector, dtype=np.float32)
    return vectors
    ### END SOLUTION


# %% [markdown] lesson="From sentences to matrices"
# ## From texts to ids
#
# Number all words that occur in a list of texts, and write each text as a row of such numbers.
#
# `tokenize(texts, max_length)` → `(word_index, ids)`; `texts` is a list of at least one string,
# `word_index` a dict from word to number, `ids` an integer array of shape `(texts, max_length)`. A
# text may be empty, and then its row holds zeros.
#
# - A text is lower-cased and split at white space, as `lower()` and `split()` do it. Punctuation
#   stays where it is: `dog` and `dog.` are two words, and `x-ray` is one.
# - The most frequent word has the number 1, the next one 2, and so on. Of words that are equally
#   frequent, the one that appears first in the texts comes first. All words of all texts count,
#   including those that the next rule cuts off.
# - A text that is shorter than `max_length` is filled with zeros at its end. A longer one is cut
#   at its end.
#
# Example: `tokenize(["The cat saw the dog.", "A dog ran , the dog hid", "No"], 4)` numbers the
# words `the` 1, `dog` 2, `cat` 3, `saw` 4, `dog.` 5, `a` 6, `ran` 7, `,` 8, `hid` 9, `no` 10, and
# the ids are `[[1 3 4 1] [6 2 7 8] [10 0 0 0]]`.
#
# <details><summary>Hint</summary>
#
# `text.lower().split()` is the list of a text's words. `collections.Counter` counts in the order of
# first appearance, and Python's `sorted` keeps that order among equals.
#
# </details>
# <details><summary>My check says that words which are cut off do not count</summary>
#
# Build `word_index` from the whole texts first. Only then write the rows.
#
# </details>


# %% exercise="tokenize" points=2 difficulty=2 minutes=15
def tokenize(texts, max_length):
    """Number the words of texts by frequency → (word_index, ids (texts, max_length))."""
    ### BEGIN SOLUTION
    if isinstance(texts, str):
        raise ValueError("texts must be a list of strings, got one string")
    if max_length < 1:
        raise ValueError(f"max_length must be at least 1, got {max_length}")
    tokens = [text.lower().split() for text in texts]
    counts = {}
    for word in (word for text in tokens for word in text):
        counts[word] = counts.get(word, 0) + 1
    by_frequency = sorted(counts, key=lambda word: -counts[word])
    word_index = {word: number for number, word in enumerate(by_frequency, start=1)}
    ids = np.zeros((len(texts), max_length), dtype=int)
    for row, text in zip(ids, tokens, strict=True):
        kept = text[:max_length]
        row[: len(kept)] = [word_index[word] for word in kept]
    return word_index, ids
    ### END SOLUTION


# %% [markdown] lesson="From sentences to matrices"
# ## The embedding matrix
#
# Collect the word vectors in one matrix whose row `i` is the vector of word number `i`. Indexing
# the matrix with ids, `matrix[ids]`, then gives the vectors of whole texts at once.
#
# `embedding_matrix(word_index, vectors, dim)` → `(len(word_index) + 1, dim)`; `word_index` is a
# dict from word to number as in exercise 3, `vectors` a dict from word to an array `(dim,)`.
#
# Row 0 belongs to the padding and holds zeros, as does the row of a word that has no vector. Only
# the very same word counts: `dog.` and `Dog` do not get the vector of `dog`. Either dict may be
# empty.
#
# Example: `word_index = {"xyzzy": 2, "red": 3, "dog": 1}` and
# `vectors = {"dog": [1, -2], "cat": [5, 5], "red": [0.5, 3]}` with `dim = 2` give
# `[[0. 0.] [1. -2.] [0. 0.] [0.5 3.]]`.
#
# <details><summary>Hint</summary>
#
# Start from a matrix of zeros. Then you only need to look at the words that have a vector.
#
# </details>
# <details><summary>My check says that the rows have the wrong order</summary>
#
# A word's row is its number in `word_index`, which need not be its position in the dict.
#
# </details>


# %% exercise="embedding_matrix" points=1 difficulty=1 minutes=5
def embedding_matrix(word_index, vectors, dim):
    """Return a matrix (len(word_index) + 1, dim) with the vector of word i in row i."""
    ### BEGIN SOLUTION
    matrix = np.zeros((len(word_index) + 1, dim))
    for word, row in word_index.items():
        if word in vectors:
            if np.shape(vectors[word]) != (dim,):
                raise ValueError(
                    f"vectors[{word!r}] has shape {np.shape(vectors[word])}; expected ({dim},)"
                )
            matrix[row] = vectors[word]
    return matrix
    ### END SOLUTION


# %% [markdown] lesson="Principal component analysis"
# ## Principal component analysis
#
# Project data onto the directions in which they vary most. Subtract from every column its mean and
# take the singular value decomposition of what remains, $X_c = U S V^\top$. The components are the
# first rows of $V^\top$, the scores are the coordinates of the samples along them,
# $X_c V = U S$, and a component's variance is proportional to the square of its singular value.
# Build it on `np.linalg.svd`; you may compare the result with scikit-learn's `PCA` afterwards.
#
# `pca(x, n_components)` → `(scores, components, explained_variance_ratio)`; `x` is `(samples, d)`,
# and its rows are not all equal; `1 <= n_components <= min(samples, d)`.
#
# - `scores` is `(samples, n_components)`.
# - `components` is `(n_components, d)`, one component per row, each of length 1, the one with the
#   largest variance first. The SVD leaves the sign of a component open: choose it so that the entry
#   with the largest magnitude is positive, and let the scores have the sign that belongs to it. (In
#   the checks no two entries of a component share its largest magnitude, and a component without
#   any variance may be any unit vector.)
# - `explained_variance_ratio` is `(n_components,)`, each component's share of the *total* variance
#   of `x`.
#
# Example: for `x = [[1, 5, 3], [2, 3, 0], [4, 0, 2], [5, 5, 2]]` and `n_components = 2`, the scores
# are `[[2.4952 -1.1137] [-0.1646 -1.3041] [-3.3161 -0.0422] [0.9855 2.4600]]`, the components
# `[[-0.3387 0.9280 0.1550] [0.9350 0.3134 0.1662]]`, and the shares `[0.5784 0.2855]`.
#
# <details><summary>Hint</summary>
#
# `np.linalg.svd(centred, full_matrices=False)` returns $U$, the singular values, largest first,
# and $V^\top$, not $V$. For the sign, `np.argmax(np.abs(components), axis=1)` finds the entries to
# look at.
#
# </details>
# <details><summary>My check says that the shares are those of the kept components</summary>
#
# Divide by the sum over all squared singular values, including those of the components that you
# drop. Otherwise two components would always explain everything.
#
# </details>
# <details><summary>My check says that my scores have another sign</summary>
#
# Scores and components belong together: if a component is multiplied by −1, so is its column of
# the scores. It is easiest to fix the sign first and to compute the scores afterwards.
#
# </details>


# %% exercise="pca" points=4 difficulty=3 minutes=20
def pca(x, n_components):
    """Project x (samples, d) onto its principal components by a singular value decomposition."""
    ### BEGIN SOLUTION
    x = np.asarray(x, dtype=float)
    if x.ndim != 2:
        raise ValueError(f"x must have shape (samples, d), got {x.shape}")
    if not 1 <= n_components <= min(x.shape):
        raise ValueError(
            f"n_components must be from 1 to {min(x.shape)} for x of shape {x.shape}, "
            f"got {n_components}"
        )
    centred = x - x.mean(axis=0)
    _, singular_values, directions = np.linalg.svd(centred, full_matrices=False)
    components = directions[:n_components]
    rows = np.arange(n_components)
    largest = components[rows, np.argmax(np.abs(components), axis=1)]
    components = components * np.sign(largest)[:, None]
    variances = singular_values**2
    total = variances.sum()
    ratio = variances[:n_components] / total if total > 0 else np.zeros(n_components)
    return centred @ components.T, components, ratio
    ### END SOLUTION


# %% [markdown] lesson="Mixing meaning and position"
# ## Mixing meaning and position
#
# A Transformer adds the encoding of each position to the embedding of the word that stands there.
# Give each of the two a weight, so that you can turn up one or the other.
#
# `mix(embeddings, positions, w_embedding, w_position)` → an array of the shape of `embeddings`, the
# sum of the two terms, each multiplied by its weight. The weights are used as they are given;
# nothing makes them sum to 1, and they may be 0 or negative. `embeddings` is one text, `(time, d)`,
# or several, `(texts, time, d)`; `positions` is `(time, d)`, the same for each text.
#
# Example: `embeddings = [[1, 2, 0], [0, -1, 4]]`, `positions = [[0, 1, 0], [0.5, 0.5, -1]]`,
# `w_embedding = 3` and `w_position = 10` give `[[3 16 0] [5 2 2]]`.
#
# <details><summary>Hint</summary>
#
# Broadcasting compares shapes from the right: `(texts, time, d)` and `(time, d)` fit as they are.
#
# </details>


# %% exercise="mix" points=1 difficulty=1 minutes=5
def mix(embeddings, positions, w_embedding, w_position):
    """Add w_position times positions to w_embedding times embeddings, which sets the shape."""
    ### BEGIN SOLUTION
    embeddings, positions = np.asarray(embeddings), np.asarray(positions)
    if embeddings.ndim not in (2, 3):
        raise ValueError(
            f"embeddings must have shape (time, d) or (texts, time, d), got {embeddings.shape}"
        )
    if positions.shape != embeddings.shape[-2:]:
        raise ValueError(
            f"positions has shape {positions.shape}, but embeddings of shape {embeddings.shape} "
            f"need {embeddings.shape[-2:]}"
        )
    return w_embedding * embeddings + w_position * positions
    ### END SOLUTION


# %% [markdown] lesson="How much of the picture is position"
# ## How much of a mixture is position
#
# A picture of a mixture shows what varies most in it. Measure how much of that is position, and you
# know what the picture can show before you draw it.
#
# `position_share(embeddings, positions, w_embedding, w_position)` → a number from 0 to 1:
#
# $$\frac{V_2}{V_1 + V_2}$$
#
# $V_1$ is the variance of the first term of the mixture, `w_embedding * embeddings`, and $V_2$ that
# of the second, `w_position * positions`. (In the lesson these are $w_e^2 V_e$ and $w_p^2 V_p$.)
# Variance means the sum of the columns' population variances (`np.var`); the rows of all texts
# together are the samples. Treat the two terms separately: the variance of their sum would also
# depend on how words and positions vary together. The shapes are those of exercise 6.
#
# If $V_1 + V_2$ is 0, the share is 0. You may treat a sum below $10^{-10}$ as 0, but nothing
# larger.
#
# Example: `embeddings = [[1, 2, 0], [0, -1, 4]]`, `positions = [[0, 1, 0], [0.5, 0.5, -1]]`,
# `w_embedding = 2` and `w_position = 3` give $V_1 = 26$, $V_2 = 3.375$ and the share `0.1149`.
#
# <details><summary>Hint</summary>
#
# `array.reshape(-1, array.shape[-1])` puts the rows of all texts into one table. Repeating the
# positions for each text changes none of their variances.
#
# </details>
# <details><summary>My check says that the weights are not squared</summary>
#
# The variance of $3x$ is 9 times that of $x$. If you multiply the arrays before you take the
# variance, this happens by itself.
#
# </details>


# %% exercise="position_share" points=3 difficulty=2 minutes=15
def position_share(embeddings, positions, w_embedding, w_position):
    """Return the positions' own share, from 0 to 1, of the variance of a mixture."""
    ### BEGIN SOLUTION
    embeddings, positions = np.asarray(embeddings), np.asarray(positions)
    if embeddings.ndim not in (2, 3) or positions.shape != embeddings.shape[-2:]:
        raise ValueError(
            "embeddings must have shape (time, d) or (texts, time, d) and positions (time, d), "
            f"got {embeddings.shape} and {positions.shape}"
        )
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    of_embeddings = np.var(w_embedding * rows, axis=0).sum()
    of_positions = np.var(w_position * positions, axis=0).sum()
    total = of_embeddings + of_positions
    return float(of_positions / total) if total > 0 else 0.0
    ### END SOLUTION


# %% [markdown] lesson="How much of the picture is position"
# ## What a picture shows
#
# A picture is faithful when its distances have the same order as those in the data. Measure this
# with Spearman's rank correlation, the number that the lesson compares with chance.
#
# `picture_correlation(x, points)` → one number from −1 to 1; `x` is `(n, d)`, `points` is `(n, k)`,
# row $i$ of `points` is the point drawn for item $i$, row $i$ of `x` is what you compare it with,
# and `n` is at least 3.
#
# - Take the distances of all $n (n - 1) / 2$ pairs of rows of `x`, and the distances of the same
#   pairs of rows of `points`.
# - Replace both lists of distances by their ranks. Equal distances share the mean of their ranks.
# - The result is the ordinary (Pearson) correlation of the two lists of ranks, and 0 if one of the
#   lists does not vary.
#
# Example: for `x = [[0, 0], [3, 0], [3, 4], [0, 8]]` and `points = [[0], [1], [4], [5]]`, the pairs
# 0–1, 0–2, 0–3, 1–2, 1–3, 2–3 have the distances 3, 5, 8, 4, 8.544, 5 in `x` and
# 1, 4, 5, 3, 4, 1 in `points`. Their ranks are 1, 3.5, 5, 2, 6, 3.5 and 1.5, 4.5, 6, 3, 4.5, 1.5,
# and the result is `0.7165`.
#
# <details><summary>Hint</summary>
#
# `np.triu_indices(n, k=1)` gives the rows and columns of all entries above the diagonal of a matrix
# of distances. The first cell has imported `rankdata`, which returns mean ranks, and
# `np.corrcoef(a, b)` returns a matrix of four numbers, one of which you need.
#
# </details>
# <details><summary>My check says that equal distances have different ranks</summary>
#
# `np.argsort(np.argsort(distances))` numbers the distances from 0 on, and puts equal ones into an
# arbitrary order. The ranks 3 and 4 of two equal distances must both become 3.5.
#
# Rounding can make equal distances differ, and then they get different ranks. If you subtract the
# rows first, the same difference always gives the same distance. The formula
# $\lVert a \rVert^2 + \lVert b \rVert^2 - 2\, a \cdot b$ is not safe here.
#
# </details>


# %% exercise="picture_correlation" points=2 difficulty=2 minutes=15
def picture_correlation(x, points):
    """Return the rank correlation of the distances among rows of x and among rows of points."""
    ### BEGIN SOLUTION
    x, points = np.asarray(x, dtype=float), np.asarray(points, dtype=float)
    if x.ndim != 2 or points.ndim != 2 or len(points) != len(x) or len(x) < 3:
        raise ValueError(
            "x must have shape (n, d) and points (n, k), n at least 3, "
            f"got {x.shape} and {points.shape}"
        )
    pairs = np.triu_indices(len(x), k=1)
    of_x, of_points = (rankdata(distance_matrix(rows)[pairs]) for rows in (x, points))
    if np.ptp(of_x) == 0 or np.ptp(of_points) == 0:
        return 0.0
    return float(np.corrcoef(of_x, of_points)[0, 1])
    ### END SOLUTION


# %% [markdown] lesson="Recovering the words from the sum"
# ## Taking the positions out again
#
# Positions vary mainly in a few directions. Remove these directions from a mixture, and what is
# left is mostly words.
#
# `remove_directions(x, positions, count)` → an array of the shape of `x`; `x` is `(..., d)`, for
# example `(d,)`, `(time, d)` or `(texts, time, d)`, `positions` is `(m, d)`, and `0 <= count <=
# min(m - 1, d)`. The positions vary in at least `count` directions.
#
# - The directions are the first `count` principal components of `positions`, so the positions are
#   centred before the SVD.
# - From every vector of `x`, subtract its components along these directions,
#   $\sum_j (x \cdot v_j)\, v_j$, and nothing else. So `x` is *not* centred.
#
# Example: for `positions = [[0, 0, 5], [3, 4, 5], [6, 8, 5]]`, all variance lies in the direction
# `[0.6 0.8 0.]`. With `count = 1`, `x = [[1, 2, 3], [5, 0, -1]]` becomes
# `[[-0.32 0.24 3.] [3.2 -2.4 -1.]]`.
#
# <details><summary>Hint</summary>
#
# Let `v` of shape `(count, d)` hold the directions as rows. What are the shapes and meanings of
# `x @ v.T` and of `x @ v.T @ v`?
#
# </details>
# <details><summary>My check says that the mean of x is gone</summary>
#
# Centring the positions finds the directions in which they *vary*. It does not concern `x`, whose
# mean stays except for its components along these directions.
#
# </details>


# %% exercise="remove_directions" points=2 difficulty=2 minutes=10
def remove_directions(x, positions, count):
    """Return x (..., d) without its components along the main directions of positions (m, d)."""
    ### BEGIN SOLUTION
    x, positions = np.asarray(x, dtype=float), np.asarray(positions, dtype=float)
    if positions.ndim != 2 or x.shape[-1:] != positions.shape[1:]:
        raise ValueError(
            f"x must have shape (..., d) and positions (m, d), got {x.shape} and {positions.shape}"
        )
    most = min(len(positions) - 1, positions.shape[1])
    if not 0 <= count <= most:
        raise ValueError(
            f"count must be from 0 to {most} for positions of shape {positions.shape}, got {count}"
        )
    centred = positions - positions.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:count]
    return x - x @ directions.T @ directions
    ### END SOLUTION


# %% [markdown]
# ## Your pictures
#
# Now your functions work together on the vectors of GloVe. The next cell reads the course's file
# with **your** `load_vectors`, looks up both sentences of the lesson with your `tokenize` and your
# `embedding_matrix`, adds the positions with your `mix`, and draws what your `pca` returns. Each
# title shows your `position_share`, and how well the distances in the picture agree, by your
# `picture_correlation`, with those of the word vectors ("meaning") and with those of the places in
# the sentence ("order").
#
# These cells are not marked, and neither Validate nor the grader runs them. Run them when all your
# checks pass; both take a few seconds. If you have downloaded GloVe, replace `WORD_VECTORS` by the
# path of your `glove.6B.100d.txt`.
#
# > **Predict.** In which of the six pictures is the correlation with the order higher than that
# > with the meaning?

# %% active="ipynb"
# import matplotlib.pyplot as plt
#
# from coursekit import figures
# from coursekit.checks import require_written
# from coursekit.datasets import WORD_VECTORS
#
# require_written(
#     distance_matrix,
#     load_vectors,
#     tokenize,
#     embedding_matrix,
#     pca,
#     mix,
#     position_share,
#     picture_correlation,
#     remove_directions,
# )
#
# figures.use_style()
# SENTENCES = [
#     "king queen man woman dog wolf football basketball red green yellow",
#     "man queen yellow basketball green dog woman football king red wolf",
# ]
# index, ids = tokenize(SENTENCES, 11)
# vectors = load_vectors(WORD_VECTORS, list(index))
# d = len(vectors["king"])
# embedded = embedding_matrix(index, vectors, d)[ids]
# angles = np.arange(11)[:, None] / 10000 ** (2 * np.arange(d // 2) / d)
# P = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(11, d)
# places = np.arange(11.0)[:, None]
#
#
# def draw(ax, points, words, title):
#     ax.plot(*points.T, "o-", lw=0.5)
#     for word, point in zip(words, points, strict=True):
#         # A label stands on the side of its point that faces away from the nearest other point.
#         neighbour = sorted(points, key=lambda other: np.hypot(*(other - point)))[1]
#         right, above = point > neighbour
#         ax.annotate(
#             word,
#             point,
#             (4 if right else -4, 4 if above else -4),
#             textcoords="offset points",
#             ha="left" if right else "right",
#             va="bottom" if above else "top",
#         )
#     x, y = 1.4 * np.abs(points / [5, 4]).max() * np.array([5, 4])
#     ax.set(xlim=(-x, x), ylim=(-y, y), aspect="equal")
#     ax.set_title(title)
#
#
# measured = {}
# fig, axes = plt.subplots(3, 2, figsize=(10, 12))
# for row, (w_e, w_p) in zip(axes, [(10, 1), (1, 1), (1, 10)], strict=True):
#     share = position_share(embedded, P, w_e, w_p)
#     mixtures = mix(embedded, P, w_e, w_p)
#     for ax, e, x, sentence in zip(row, embedded, mixtures, SENTENCES, strict=True):
#         points = pca(x, 2)[0]
#         meaning, order = picture_correlation(e, points), picture_correlation(places, points)
#         measured[w_e, w_p, sentence] = share, meaning, order
#         title = f"{w_e}:{w_p}, positions {share:.1%}, meaning {meaning:.2f}, order {order:.2f}"
#         draw(ax, points, sentence.split(), title)
# figures.show(
#     fig,
#     caption="Both sentences, one in each column: the words ten times as strong as the positions "
#     "(above), both equally strong (middle), and the positions ten times as strong as the words "
#     "(below).",
#     alt="Six pictures. In the upper ones related words are neighbours; in the lower ones the "
#     "words stand along a curve, in the order of the sentence.",
# )

# %% [markdown]
# <details><summary>Answer</summary>
#
# In both pictures at 1:10, where the positions have 97 % of the variance. At 1:1 the first sentence
# has high values of both, because it names related words one after another.
#
# </details>
#
# The two pictures at 1:10 hardly depend on the words. In the lesson, nearly all words of the second
# sentence had a neighbour of their kind again once the positions had been removed. Now take the
# first sentence. Your `remove_directions` removes one direction after the other, and your
# `distance_matrix` finds the nearest neighbour of every word in all $d$ dimensions.
#
# > **Predict.** Before anything is removed, all eleven words have a nearest neighbour of their
# > kind. How does this number change while five directions are removed?

# %% active="ipynb"
# kinds = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4])  # in the order of the first sentence
# kind = kinds[ids[0] - 1]
# x = mix(embedded, P, 1, 10)[0]
# found = []
# fig, axes = plt.subplots(3, 2, figsize=(10, 12))
# for count, ax in enumerate(axes.flat):
#     left = remove_directions(x, P, count)
#     distances = distance_matrix(left) + np.diag(np.full(11, np.inf))
#     found.append(int(np.sum(kind[distances.argmin(axis=1)] == kind)))
#     title = f"{count} removed, in {d} dimensions {found[-1]} of 11 next to their kind"
#     draw(ax, pca(left, 2)[0], SENTENCES[0].split(), title)
# figures.show(
#     fig,
#     caption="The first sentence with the positions ten times as strong as the words, after zero "
#     "to five directions of the positions have been removed.",
#     alt="Six pictures. From the first to the last, the numbers of words next to a word of their "
#     f"kind are {found}, out of 11.",
# )

# %% [markdown]
# <details><summary>Answer</summary>
#
# With the vectors of the course, the number falls to 3 before it is 11 again. At the start, every
# word's nearest neighbour is the word before it or after it. These two are equally far away in
# position, so the words decide between them, but one of them is of the same kind only because the
# sentence names related words one after another. When two or three directions have been removed,
# the positions still have most of the variance, but what is left of them no longer keeps
# neighbouring positions together. After five directions they have less than 1 %, so the words have
# the right neighbours because of their meaning alone. The number is 11 in both cases, but for
# different reasons.
#
# </details>
