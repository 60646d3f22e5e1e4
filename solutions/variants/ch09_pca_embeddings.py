"""The bank of chapter 9: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np

# %%
CENTRED = (
    "The rows are centred first. This correlation matrix holds plain dot products of the rows as "
    "they are."
)
NORMALISED = (
    "The rows are divided by their lengths. This correlation matrix holds plain dot products, not "
    "cosines."
)
STATISTICAL = (
    "This is the statistical correlation, of centred and normalised rows. Here the plain dot "
    "products of the rows are wanted."
)
COLUMNS_COMPARED = (
    "The columns are compared with each other. Positions are rows, so the result has the shape "
    "(positions, positions)."
)
NO_ROOT = "The square root is missing. These are squared distances."
NORM_OF_ALL = (
    "One norm is taken of all differences together. Give np.linalg.norm the axis that it sums "
    "over: axis=-1."
)
PAIRS_ONCE = "pdist returns every pair once, in a row. squareform makes the matrix of it."
CITY_BLOCK = (
    "The absolute differences are summed. A Euclidean distance is the root of the summed squares."
)
SUM_NOT_ROOTED_LAST = (
    "The root is taken before the sum. Sum the squared differences first and take the root of the "
    "sum."
)
DIAGONAL_NOT_ZERO = (
    "The diagonal of the distances is not exactly 0. Rounding in |a|² + |b|² - 2 a·b leaves a "
    "rest that the root makes larger."
)
WORDS_IGNORED = "The argument words is ignored. With a list of words only those are loaded."
EMPTY_LIST = "An empty list loads every word. Only None means all words, so test `words is None`."
PARTS_OF_WORDS = (
    "A word is loaded that is only a part of a wanted word. Search the list itself, not its words "
    "joined into one string."
)
LOWERED = (
    "The words are lower-cased. They are compared as they are written, so `Cat` and `cat` are two "
    "words."
)
ABSENT_KEPT = (
    "A word that is not in the file is in the dict. Words absent from the file must be left out."
)
FIRST_LINE_LOST = "The first line is skipped. A GloVe file has no header line."
LAST_CHARACTER_CUT = (
    "The last character of the line is cut off, even where it is no line break. Use strip() or "
    "split()."
)
UNWANTED_UNCHECKED = (
    "A bad line is accepted when its word is not wanted. Examine every line before you ask whether "
    "its word is wanted."
)
STOPPED_EARLY = (
    "Reading stops when all wanted words are found. The lines after that must be examined, too."
)
COUNT_UNCHECKED = (
    "A line with another count of numbers is accepted. Every line must have as many as the first."
)
SHORT_ONLY = (
    "A line with too many numbers is accepted. Its count must be equal to that of the first line."
)
SKIPPED = "A bad line is skipped silently. It must raise ValueError."
OTHER_ERROR = "A bad line raises an error of another type. It must raise ValueError."
FROM_ZERO = "The most frequent word has the number 0. Words count from 1, because 0 is the padding."
NOT_LOWERED = "Capital letters are kept. Every text is lower-cased first."
STRIPPED = "Punctuation is removed. It stays where it is, so that `dog` and `dog.` are two words."
SPACES_ONLY = (
    "The text is split at single spaces. Split at any white space: `text.split()` without an "
    "argument."
)
BY_APPEARANCE = (
    "The words are numbered in the order of their appearance. The most frequent word comes first."
)
RAREST_FIRST = "The rarest word has the number 1. The most frequent word comes first."
TIES_BY_ALPHABET = (
    "Equally frequent words are in alphabetical order. The one that appears first comes first."
)
TIES_BACKWARDS = (
    "Of equally frequent words the one that appears last comes first. The order must be that of "
    "their first appearance."
)
CUT_BEFORE_COUNTING = (
    "The words that are cut off are not counted. The frequencies are those of the whole texts."
)
COUNTED_ONCE_A_TEXT = (
    "A word counts once for each text that has it. Every occurrence counts, also within one text."
)
NOT_PADDED = "A short text is not filled with zeros. Every row must have the length max_length."
NOT_CUT = "A long text is not cut at its end. Every row must have the length max_length."
PADDED_BEFORE = "The zeros stand before the words. A short text is filled at its end."
CUT_AT_START = "A long text loses its first words. It must be cut at its end."
LENGTH_OF_LONGEST = (
    "The rows are as long as the longest text. They must have the length max_length."
)
NO_PADDING_ROW = (
    "The row for the padding is missing. The matrix has len(word_index) + 1 rows, and row 0 is "
    "zero."
)
ROW_TOO_EARLY = "The rows are one too early. Word number i belongs in row i, and row 0 is zero."
ORDER_OF_DICT = (
    "The rows follow the order of the dict. Word number i belongs in row i, wherever the dict has "
    "it."
)
UNKNOWN_RANDOM = "A word without a vector gets other numbers. Its row must be zeros."
UNKNOWN_ALIKE = "A word without a vector gets the mean of all vectors. Its row must be zeros."
UNKNOWN_FAILS = "A word without a vector raises an error. Its row must be zeros."
UNKNOWN_SKIPPED = (
    "A word without a vector has no row, so the later rows move up. Its row must be zeros."
)
UNKNOWN_STOPS = (
    "Everything after a word without a vector is left out. Only the row of that word must be zeros."
)
BY_ALPHABET = "The rows are in alphabetical order. Word number i belongs in row i."
DIM_FROM_VECTORS = (
    "The number of columns is taken from the vectors. It is the argument dim, because there may be "
    "no vector at all."
)
ALL_VECTORS = (
    "Words that are not in word_index have rows, too. Only word_index decides on the rows."
)
NOT_CENTRED = "x is not centred. Subtract from every column its mean before the decomposition."
ROWS_CENTRED = (
    "The mean of every row is subtracted. The mean of every column belongs there: axis=0."
)
ONE_MEAN = "One mean of all entries is subtracted. Every column has a mean of its own: axis=0."
STANDARDISED = "The columns are divided by their standard deviations. Here they are only centred."
SIGN_LEFT = (
    "The sign of a component is wrong. Its entry with the largest magnitude must be positive."
)
SCORES_UNFLIPPED = (
    "The signs of the components are changed without those of the scores. Both belong together."
)
NOT_SCALED = (
    "The scores are the columns of U. Multiply them by the singular values, or multiply the "
    "centred data by the components."
)
SCORES_UNCENTRED = (
    "The scores are computed from x as it is. They belong to the centred data, so their mean is 0."
)
TRANSPOSED_COMPONENTS = (
    "The components are columns. Each must be a row, so that the shape is (n_components, d)."
)
COLUMNS_OF_VT = "The components are columns of Vᵀ. np.linalg.svd returns Vᵀ, whose rows they are."
NOT_SQUARED = (
    "The shares are those of the singular values. Variances are proportional to their squares."
)
KEPT_ONLY = "The shares are those of the kept components. Divide by the variance of all of them."
CUMULATIVE = "The shares are added up. Each must be the share of one component alone."
ALL_COMPONENTS = (
    "The argument n_components is ignored. Only so many components and scores are returned."
)
COMPONENTS_FIRST = (
    "The components come first. The order is scores, components, explained_variance_ratio."
)
VARIANCES = "These are the variances. Divide them by the total variance."
SMALLEST_FIRST = "The component with the smallest variance comes first. It must come last."
UNSORTED = (
    "The components are not in the order of their variances. np.linalg.eig promises no order, so "
    "sort them, the largest variance first."
)
WEIGHTS_SWAPPED = "The two weights are swapped. The first belongs to the embeddings."
WEIGHTS_NORMALISED = "The weights are divided by their sum. They are used as they are given."
POSITION_UNWEIGHTED = "The positions are added without their weight."
EMBEDDING_UNWEIGHTED = "The embeddings are added without their weight."
MULTIPLIED = "The two terms are multiplied. They must be added."
FIRST_TEXT = "The positions are added to the first text only. Every text has the same positions."
FRACTIONS_CUT = (
    "The sum is written into an array of integers, which cuts the fractions off. Let NumPy make "
    "the array of the sum."
)
VARIANCE_OF_SUM = (
    "The denominator is the variance of the mixture, with its cross terms. It must be V_e + V_p."
)
UNWEIGHTED = "The weights are not used. Both terms are multiplied by their weights first."
WEIGHT_NOT_SQUARED = (
    "The weights are not squared. The variance of w x is w² times the variance of x."
)
EMBEDDING_SHARE = "This is the share of the embeddings. The positions belong in the numerator."
RATIO = "This is V_p / V_e. A share divides by the sum V_e + V_p."
DEVIATIONS = "These are standard deviations. A share of variance is a ratio of squared deviations."
OVER_COLUMNS = (
    "The variance is taken along the rows. Each column has a variance of its own: axis=0 of the "
    "table."
)
ALL_ENTRIES = "One variance is taken of all entries. Take that of each column and add these up."
WITHIN_TEXTS = (
    "The variance is taken within each text. The rows of all texts together are the samples."
)
SAMPLE_VARIANCE = (
    "The variances are divided by n - 1. Population variances are divided by n, as np.var does."
)
NOT_ABOUT_THE_MEAN = (
    "The mean is not subtracted. A variance is the mean square about the mean of its column."
)
SMALL_IS_NOTHING = (
    "A small variance is treated as none. Add nothing to the denominator, and set the share to 0 "
    "only where the variance is exactly 0."
)
NAN_SHARE = "Where nothing varies, 0 is divided by 0. The share must be 0 then."
DIVIDED_BY_D = (
    "The dot products are divided by d. This correlation matrix holds plain sums of products."
)
ONE_TRIANGLE = (
    "One triangle of the distances is empty. The distance from i to j is also that from j to i."
)
NORMS_COMPARED = (
    "The lengths of the rows are compared. The distance is the length of the difference of two "
    "rows."
)
MEAN_SQUARES = (
    "The squared differences are averaged. A Euclidean distance is the root of their sum."
)
FUNCTIONS_SWAPPED = (
    "The two functions have changed places. correlation_matrix holds dot products, "
    "distance_matrix distances."
)
TEXT_KEPT = "The entries are text. Convert them to numbers, float32."
MISSING_LISTED = "The dict lists words that the file does not have. Leave them out."
MISSING_RAISES = "A word that the file does not have raises an error. Leave it out of the dict."
FROM_TWO = "The numbers begin at 2. The most frequent word has the number 1."
PADDING_LISTED = "The dict has an entry for the padding. It must hold the words alone."
RESULTS_SWAPPED = "The results are in the wrong order. The dict comes first, then the ids."
DICT_REVERSED = "The dict goes from number to word. It must go from word to number."
VECTORS_AS_LISTED = (
    "The rows are the vectors in the order of their dict. Row i belongs to word number i of "
    "word_index, and to no other word."
)
FILLED_WITH_ONES = (
    "The rows without a vector hold ones. They must be zeros, that of the padding included."
)
INTEGERS = (
    "The matrix consists of integers, which cuts the fractions off. Make it of floating-point "
    "numbers."
)
WORDS_IN_COLUMNS = "The matrix is transposed. Every word must have a row of its own."
ZEROS_LEFT = "A word whose vector is zero gets no position. Every word gets one."
NO_WEIGHTS = "The weights are not used. Each term is multiplied by its own."
SIDE_BY_SIDE = "The two terms stand side by side. They must be added."
TEXTS_ADDED = (
    "The variances within the texts are added up. The rows of all texts together are the samples "
    "of one variance."
)
OVER_TEXTS = (
    "With several texts, the variance is taken over the texts alone. The rows of all texts "
    "together are the samples."
)
PERCENT = "This is the share in percent. It must be a number from 0 to 1."


# %% exercise="correlation_matrix" wrong="CENTRED"
def correlation_matrix(pe):
    centred = pe - pe.mean(axis=1, keepdims=True)
    return centred @ centred.T


def distance_matrix(pe):
    return np.sqrt(((pe[:, None] - pe) ** 2).sum(axis=2))


# %% exercise="correlation_matrix" wrong="CENTRED"
def correlation_matrix(pe):
    centred = pe - pe.mean(axis=0)
    return centred @ centred.T


def distance_matrix(pe):
    return np.sqrt(((pe[:, None] - pe) ** 2).sum(axis=2))


# %% exercise="correlation_matrix" wrong="NORMALISED"
def correlation_matrix(pe):
    unit = pe / np.linalg.norm(pe, axis=1, keepdims=True)
    return unit @ unit.T


def distance_matrix(pe):
    return np.sqrt(((pe[:, None] - pe) ** 2).sum(axis=2))


# %% exercise="correlation_matrix" wrong="STATISTICAL"
def correlation_matrix(pe):
    return np.corrcoef(pe)


def distance_matrix(pe):
    return np.sqrt(((pe[:, None] - pe) ** 2).sum(axis=2))


# %% exercise="correlation_matrix" wrong="COLUMNS_COMPARED"
def correlation_matrix(pe):
    return pe.T @ pe


def distance_matrix(pe):
    return np.sqrt(((pe[:, None] - pe) ** 2).sum(axis=2))


# %% exercise="correlation_matrix" wrong="COLUMNS_COMPARED"
def correlation_matrix(pe):
    return pe @ pe.T


def distance_matrix(pe):
    return np.sqrt(((pe[:, None] - pe) ** 2).sum(axis=0))


# %% exercise="correlation_matrix" wrong="NO_ROOT"
def correlation_matrix(pe):
    return pe @ pe.T


def distance_matrix(pe):
    return ((pe[:, None] - pe) ** 2).sum(axis=2)


# %% exercise="correlation_matrix" wrong="NORM_OF_ALL"
def correlation_matrix(pe):
    return pe @ pe.T


def distance_matrix(pe):
    return np.linalg.norm(pe[:, None] - pe)


# %% exercise="correlation_matrix" wrong="PAIRS_ONCE"
def correlation_matrix(pe):
    return pe @ pe.T


def distance_matrix(pe):
    from scipy.spatial.distance import pdist

    return pdist(pe)


# %% exercise="correlation_matrix" wrong="CITY_BLOCK"
def correlation_matrix(pe):
    return pe @ pe.T


def distance_matrix(pe):
    return np.abs(pe[:, None] - pe).sum(axis=2)


# %% exercise="correlation_matrix" wrong="SUM_NOT_ROOTED_LAST"
def correlation_matrix(pe):
    return pe @ pe.T


def distance_matrix(pe):
    return np.sqrt((pe[:, None] - pe) ** 2).sum(axis=2)


# %% exercise="correlation_matrix" wrong="DIAGONAL_NOT_ZERO"
def correlation_matrix(pe):
    return pe @ pe.T


def distance_matrix(pe):
    squares = np.sum(pe**2, axis=1)
    # np.abs and not np.maximum: every rounding error shows, whatever its sign.
    return np.sqrt(np.abs(squares[:, None] + squares - 2 * pe @ pe.T))


# %% exercise="correlation_matrix" wrong="DIVIDED_BY_D"
def correlation_matrix(pe):
    return pe @ pe.T / pe.shape[1]


# %% exercise="correlation_matrix" wrong="ONE_TRIANGLE"
def distance_matrix(pe):
    D = np.zeros((len(pe),) * 2)
    for i in range(len(pe)):
        for j in range(i):
            D[i, j] = np.linalg.norm(pe[i] - pe[j])
    return D


# %% exercise="correlation_matrix" wrong="NORMS_COMPARED"
def distance_matrix(pe):
    r = np.linalg.norm(pe, axis=1)
    return np.abs(r[:, None] - r)


# %% exercise="correlation_matrix" wrong="MEAN_SQUARES"
def distance_matrix(pe):
    return np.sqrt(((pe[:, None] - pe[None]) ** 2).mean(-1))


# %% exercise="correlation_matrix" wrong="FUNCTIONS_SWAPPED"
def correlation_matrix(pe):
    return np.linalg.norm(pe[:, None] - pe[None], axis=2)


def distance_matrix(pe):
    return pe @ pe.T


# %% exercise="correlation_matrix" right="one pair at a time"
def correlation_matrix(pe):
    return [[float(np.dot(one, other)) for other in pe] for one in pe]


def distance_matrix(pe):
    distances = np.zeros((len(pe), len(pe)))
    for i, one in enumerate(pe):
        for j in range(i):
            distances[i, j] = distances[j, i] = np.linalg.norm(one - pe[j])
    return distances


# %% exercise="correlation_matrix" right="SciPy's distances, einsum"
def correlation_matrix(pe):
    return np.einsum("id,jd->ij", pe, pe)


def distance_matrix(pe):
    from scipy.spatial.distance import cdist

    return cdist(pe, pe)


# %% exercise="correlation_matrix" right="products with a repaired diagonal"
def correlation_matrix(pe):
    return np.inner(pe, pe)


def distance_matrix(pe):
    products = pe @ pe.T
    squares = np.diag(products)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * products, 0))
    np.fill_diagonal(distances, 0)
    return distances


# %% exercise="load_vectors" wrong="WORDS_IGNORED"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vectors[word] = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
    return vectors


# %% exercise="load_vectors" wrong="EMPTY_LIST"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if not words or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="PARTS_OF_WORDS"
def load_vectors(path, words=None):
    vectors = {}
    wanted = None if words is None else " ".join(words)
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if wanted is None or word in wanted:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="LOWERED"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.lower().split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="LOWERED"
def load_vectors(path, words=None):
    vectors = {}
    wanted = None if words is None else [word.lower() for word in words]
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if wanted is None or word.lower() in wanted:
                vectors[word.lower()] = vector
    return vectors


# %% exercise="load_vectors" wrong="ABSENT_KEPT"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    if words is None:
        return vectors
    return {word: vectors.get(word, np.zeros(length, np.float32)) for word in words}


# %% exercise="load_vectors" wrong="NOT_FLOAT32"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, float)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="NOT_FLOAT32"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = [float(entry) for entry in entries]
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="FIRST_LINE_LOST"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        length = len(next(file).split()) - 1
        for number, line in enumerate(file, 2):
            word, *entries = line.split()
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="LAST_CHARACTER_CUT"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line[:-1].split(" ")
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="UNWANTED_UNCHECKED"
def load_vectors(path, words=None):
    vectors = {}
    length = None
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            length = length or len(entries)
            if words is not None and word not in words:
                continue
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vectors[word] = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
    return vectors


# %% exercise="load_vectors" wrong="UNWANTED_UNCHECKED"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}: {len(entries)} numbers, expected {length}")
            if words is None or word in words:
                try:
                    vectors[word] = np.array(entries, np.float32)
                except ValueError:
                    raise ValueError(f"line {number}: not a number") from None
    return vectors


# %% exercise="load_vectors" wrong="UNWANTED_UNCHECKED"
def load_vectors(path, words=None):
    vectors = {}
    length = None
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if words is not None and word not in words:
                continue
            length = length or len(entries)  # of the first line whose word is wanted
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vectors[word] = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
    return vectors


# %% exercise="load_vectors" wrong="STOPPED_EARLY"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if words is not None and len(vectors) == len(set(words)):
                break
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="COUNT_UNCHECKED"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="SHORT_ONLY"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) < length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="SKIPPED"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                continue
            if len(entries) == length and (words is None or word in words):
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="SKIPPED"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                continue
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="OTHER_ERROR"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            assert len(entries) == length, f"line {number}"
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="NO_LINE_NUMBER"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for line in file:
            word, *entries = line.split()
            if not vectors:
                length = len(entries)
            vector = np.array(entries, np.float32)
            if len(entries) != length:
                raise ValueError(f"bad line: {line!r}")
            vectors[word] = vector
    return {word: vectors[word] for word in vectors if words is None or word in words}


# %% exercise="load_vectors" wrong="NO_LINE_NUMBER"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        word, *entries = next(file).split()
        length = len(entries)
        if words is None or word in words:
            vectors[word] = np.array(entries, np.float32)
        for number, line in enumerate(file, 2):
            word, *entries = line.split()
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="NO_LINE_NUMBER"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, numbers = line.split(" ", 1)  # fails on a line without numbers
            entries = numbers.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="COUNTED_FROM_0"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file):
            word, *entries = line.split()
            if number == 0:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="WHOLE_FILE"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        lines = file.readlines()
    length = len(lines[0].split()) - 1
    for number, line in enumerate(lines, 1):
        word, *entries = line.split()
        if len(entries) != length:
            raise ValueError(f"line {number}")
        try:
            vector = np.array(entries, np.float32)
        except ValueError:
            raise ValueError(f"line {number}") from None
        if words is None or word in words:
            vectors[word] = vector
    return vectors


# %% exercise="load_vectors" wrong="WHOLE_FILE"
def load_vectors(path, words=None):
    vectors = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1:
                length = len(entries)
            if len(entries) != length:
                raise ValueError(f"line {number}")
            try:
                vectors[word] = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
    return {word: vectors[word] for word in vectors if words is None or word in words}


# %% exercise="load_vectors" wrong="TEXT_KEPT"
def load_vectors(path, words=None):
    out, width = {}, None
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        w, *r = line.split()
        if width is None:
            width = len(r)
        if len(r) != width:
            raise ValueError(f"line {n}")
        if words is None or w in words:
            out[w] = np.array(r)
    return out


# %% exercise="load_vectors" wrong="MISSING_LISTED"
def load_vectors(path, words=None):
    out, width = {}, None
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        w, *r = line.split()
        try:
            v = np.array([float(x) for x in r], dtype=np.float32)
        except ValueError as error:
            raise ValueError(f"line {n}") from error
        if width is None:
            width = len(v)
        if len(v) != width:
            raise ValueError(f"line {n}")
        if words is None or w in words:
            out[w] = v
    if words is not None:
        return {w: out.get(w) for w in words}
    return out


# %% exercise="load_vectors" wrong="MISSING_RAISES"
def load_vectors(path, words=None):
    out, width = {}, None
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        w, *r = line.split()
        try:
            v = np.array([float(x) for x in r], dtype=np.float32)
        except ValueError as error:
            raise ValueError(f"line {n}") from error
        if width is None:
            width = len(v)
        if len(v) != width:
            raise ValueError(f"line {n}")
        out[w] = v
    if words is not None:
        return {w: out[w] for w in words}
    return out


# %% exercise="load_vectors" right="NumPy parses the entries"
def load_vectors(path, words=None):
    vectors, length = {}, None
    wanted = None if words is None else set(words)
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            word, _, rest = line.strip().partition(" ")
            entries = rest.split()
            length = len(entries) if length is None else length
            try:
                vector = np.asarray(entries, dtype="float32")
            except ValueError as error:
                raise ValueError(f"{path}:{number}: {error}") from error
            if len(vector) != length:
                raise ValueError(f"{path}:{number}: {len(vector)} numbers, not {length}")
            if wanted is None or word in wanted:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" right="two passes"
def load_vectors(path, words=None):
    length = 0
    with open(path) as file:
        for i, line in enumerate(file):
            numbers = line.split()[1:]
            if i == 0:
                length = len(numbers)
            try:
                assert len([float(number) for number in numbers]) == length
            except (ValueError, AssertionError):
                message = "Line " + str(i + 1) + " of the file is malformed."
                raise ValueError(message) from None
    with open(path) as file:
        rows = (line.split() for line in file)
        return {
            row[0]: np.array([float(number) for number in row[1:]]).astype(np.float32)
            for row in rows
            if words is None or row[0] in words
        }


# %% exercise="tokenize" wrong="FROM_ZERO"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common())}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="NOT_LOWERED"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="STRIPPED"
def tokenize(texts, max_length):
    import re
    from collections import Counter

    tokens = [re.findall(r"\w+", text.lower()) for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="SPACES_ONLY"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split(" ") for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="BY_APPEARANCE"
def tokenize(texts, max_length):
    tokens = [text.lower().split() for text in texts]
    index = {}
    for text in tokens:
        for word in text:
            index.setdefault(word, len(index) + 1)
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="RAREST_FIRST"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, word in enumerate(sorted(counts, key=counts.get), 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="TIES_BY_ALPHABET"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    index = {word: i for i, word in enumerate(ranked, 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="TIES_BACKWARDS"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    ranked = sorted(counts, key=counts.get)[::-1]
    index = {word: i for i, word in enumerate(ranked, 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="CUT_BEFORE_COUNTING"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split()[:max_length] for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text]
    return index, ids


# %% exercise="tokenize" wrong="COUNTED_ONCE_A_TEXT"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in dict.fromkeys(text))
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" wrong="PADDED_BEFORE"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    rows = [[index[word] for word in text[:max_length]] for text in tokens]
    return index, np.array([[0] * (max_length - len(row)) + row for row in rows])


# %% exercise="tokenize" wrong="PADDED_BEFORE"
def tokenize(texts, max_length):
    from collections import Counter

    import keras

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    rows = [[index[word] for word in text] for text in tokens]
    return index, keras.utils.pad_sequences(rows, max_length)


# %% exercise="tokenize" wrong="CUT_AT_START"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[-max_length:]]
    return index, ids


# %% exercise="tokenize" wrong="NOT_PADDED"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    return index, [[index[word] for word in text[:max_length]] for text in tokens]


# %% exercise="tokenize" wrong="NOT_CUT"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    rows = [[index[word] for word in text] for text in tokens]
    return index, [row + [0] * (max_length - len(row)) for row in rows]


# %% exercise="tokenize" wrong="LENGTH_OF_LONGEST"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    rows = [[index[word] for word in text[:max_length]] for text in tokens]
    longest = max(len(row) for row in rows)
    return index, np.array([row + [0] * (longest - len(row)) for row in rows])


# %% exercise="tokenize" wrong="LENGTH_OF_LONGEST"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    ids = np.zeros((len(texts), max(map(len, tokens))), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text]
    return index, ids


# %% exercise="tokenize" wrong="FROM_TWO"
def tokenize(texts, max_length):
    from collections import Counter

    split = [t.lower().split() for t in texts]
    index = {w: i for i, (w, _) in enumerate(Counter(w for s in split for w in s).most_common(), 2)}
    return index, np.array([([index[w] for w in s] + [0] * max_length)[:max_length] for s in split])


# %% exercise="tokenize" wrong="PADDING_LISTED"
def tokenize(texts, max_length):
    from collections import Counter

    split = [t.lower().split() for t in texts]
    index = {
        "": 0,
        **{w: i for i, (w, _) in enumerate(Counter(w for s in split for w in s).most_common(), 1)},
    }
    return index, np.array([([index[w] for w in s] + [0] * max_length)[:max_length] for s in split])


# %% exercise="tokenize" wrong="RESULTS_SWAPPED"
def tokenize(texts, max_length):
    from collections import Counter

    split = [t.lower().split() for t in texts]
    index = {w: i for i, (w, _) in enumerate(Counter(w for s in split for w in s).most_common(), 1)}
    return np.array([([index[w] for w in s] + [0] * max_length)[:max_length] for s in split]), index


# %% exercise="tokenize" wrong="DICT_REVERSED"
def tokenize(texts, max_length):
    from collections import Counter

    split = [t.lower().split() for t in texts]
    index = {w: i for i, (w, _) in enumerate(Counter(w for s in split for w in s).most_common(), 1)}
    return {i: w for w, i in index.items()}, np.array(
        [([index[w] for w in s] + [0] * max_length)[:max_length] for s in split]
    )


# %% exercise="tokenize" right="Counter and keras.utils.pad_sequences"
def tokenize(texts, max_length):
    from collections import Counter

    import keras

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    rows = [[index[word] for word in text] for text in tokens]
    pad = keras.utils.pad_sequences
    return index, pad(rows, max_length, padding="post", truncating="post")


# %% exercise="tokenize" right="lists in place of arrays"
def tokenize(texts, max_length):
    words = " ".join(texts).lower().split()
    ranked = sorted(set(words), key=lambda word: (-words.count(word), words.index(word)))
    index = dict(zip(ranked, range(1, len(ranked) + 1), strict=True))
    return [
        index,
        [
            ([index[word] for word in text.lower().split()] + [0] * max_length)[:max_length]
            for text in texts
        ],
    ]


# %% exercise="embedding_matrix" wrong="NO_PADDING_ROW"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index), dim))
    for word, row in word_index.items():
        if word in vectors:
            matrix[row - 1] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="ROW_TOO_EARLY"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for word, row in word_index.items():
        if word in vectors:
            matrix[row - 1] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="ORDER_OF_DICT"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for row, word in enumerate(word_index, 1):
        if word in vectors:
            matrix[row] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="UNKNOWN_RANDOM"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for word, row in word_index.items():
        matrix[row] = vectors.get(word, np.random.default_rng(0).normal(size=dim))
    return matrix


# %% exercise="embedding_matrix" wrong="UNKNOWN_ALIKE"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for word, row in word_index.items():
        matrix[row] = vectors.get(word, np.mean(list(vectors.values()), axis=0))
    return matrix


# %% exercise="embedding_matrix" wrong="UNKNOWN_FAILS"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for word, row in word_index.items():
        matrix[row] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="UNKNOWN_SKIPPED"
def embedding_matrix(word_index, vectors, dim):
    words = sorted(word_index, key=word_index.get)
    return np.array([np.zeros(dim)] + [vectors[word] for word in words if word in vectors])


# %% exercise="embedding_matrix" wrong="UNKNOWN_STOPS"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for word, row in word_index.items():
        if word not in vectors:
            break
        matrix[row] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="BY_ALPHABET"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for row, word in enumerate(sorted(word_index), 1):
        if word in vectors:
            matrix[row] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="DIM_FROM_VECTORS"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, len(next(iter(vectors.values())))))
    for word, row in word_index.items():
        if word in vectors:
            matrix[row] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="ALL_VECTORS"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(vectors) + len(word_index) + 1, dim))
    for row, word in enumerate(vectors, len(word_index) + 1):
        matrix[word_index.get(word, row)] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="VECTORS_AS_LISTED"
def embedding_matrix(word_index, vectors, dim):
    return np.array([np.zeros(dim), *vectors.values()])


# %% exercise="embedding_matrix" wrong="FILLED_WITH_ONES"
def embedding_matrix(word_index, vectors, dim):
    m = np.ones((len(word_index) + 1, dim))
    for w, i in word_index.items():
        if w in vectors:
            m[i] = vectors[w]
    return m


# %% exercise="embedding_matrix" wrong="INTEGERS"
def embedding_matrix(word_index, vectors, dim):
    m = np.zeros((len(word_index) + 1, dim), int)
    for w, i in word_index.items():
        if w in vectors:
            m[i] = vectors[w]
    return m


# %% exercise="embedding_matrix" wrong="WORDS_IN_COLUMNS"
def embedding_matrix(word_index, vectors, dim):
    m = np.zeros((dim, len(word_index) + 1))
    for w, i in word_index.items():
        if w in vectors:
            m[:, i] = vectors[w]
    return m


# %% exercise="embedding_matrix" right="a list of rows"
def embedding_matrix(word_index, vectors, dim):
    words = {number: word for word, number in word_index.items()}
    zeros = np.zeros(dim, np.float32)
    return np.stack([vectors.get(words.get(row), zeros) for row in range(len(word_index) + 1)])


# %% exercise="embedding_matrix" right="from the vectors' side"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((1 + len(word_index), dim))
    for word, vector in vectors.items():
        if word in word_index:
            matrix[word_index[word], :] = vector
    return matrix


# %% exercise="pca" wrong="NOT_CENTRED"
def pca(x, n_components):
    _, s, components = np.linalg.svd(x, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return x @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="ROWS_CENTRED"
def pca(x, n_components):
    x = x - x.mean(axis=1, keepdims=True)
    _, s, components = np.linalg.svd(x, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return x @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="ONE_MEAN"
def pca(x, n_components):
    x = x - x.mean()
    _, s, components = np.linalg.svd(x, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return x @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="STANDARDISED"
def pca(x, n_components):
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    _, s, components = np.linalg.svd(x, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return x @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="SIGN_LEFT"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    u, s, components = np.linalg.svd(centred, full_matrices=False)
    k = n_components
    return (u * s)[:, :k], components[:k], s[:k] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="SIGN_LEFT"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    components = (components * np.sign(components.max(axis=1, keepdims=True)))[:n_components]
    return centred @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="SIGN_LEFT"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    components = (components * np.where(components[:, :1] < 0, -1, 1))[:n_components]
    return centred @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="SIGN_LEFT"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    u, s, components = np.linalg.svd(centred, full_matrices=False)
    signs = np.sign(np.take_along_axis(u, np.abs(u).argmax(0)[None], 0))[0]
    scores, components = u * s * signs, components * signs[:, None]
    ratio = s**2 / np.sum(s**2)
    return scores[:, :n_components], components[:n_components], ratio[:n_components]


# %% exercise="pca" wrong="SCORES_UNFLIPPED"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    u, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    ratio = s[:n_components] ** 2 / np.sum(s**2)
    return (u * s)[:, :n_components], components, ratio


# %% exercise="pca" wrong="NOT_SCALED"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    u, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    signs = np.sign(largest)
    components = (components * signs)[:n_components]
    ratio = s[:n_components] ** 2 / np.sum(s**2)
    return (u * signs[:, 0])[:, :n_components], components, ratio


# %% exercise="pca" wrong="SCORES_UNCENTRED"
def pca(x, n_components):
    _, s, components = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return x @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="TRANSPOSED_COMPONENTS"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components].T
    return centred @ components, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="COLUMNS_OF_VT"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, v = np.linalg.svd(centred)
    components = v[:, :n_components].T
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = components * np.sign(largest)
    return centred @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="NOT_SQUARED"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return centred @ components.T, components, s[:n_components] / np.sum(s)


# %% exercise="pca" wrong="KEPT_ONLY"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    variances = s[:n_components] ** 2
    return centred @ components.T, components, variances / variances.sum()


# %% exercise="pca" wrong="CUMULATIVE"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return centred @ components.T, components, np.cumsum(s**2 / np.sum(s**2))[:n_components]


# %% exercise="pca" wrong="ALL_COMPONENTS"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = components * np.sign(largest)
    return centred @ components.T, components, s**2 / np.sum(s**2)


# %% exercise="pca" wrong="COMPONENTS_FIRST"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return components, centred @ components.T, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="VARIANCES"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return centred @ components.T, components, s[:n_components] ** 2 / (len(x) - 1)


# %% exercise="pca" wrong="SMALLEST_FIRST"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    variances, directions = np.linalg.eigh(centred.T @ centred)
    components = directions.T[:n_components]
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = components * np.sign(largest)
    ratio = variances[:n_components] / variances.sum()
    return centred @ components.T, components, ratio


# %% exercise="pca" wrong="UNSORTED"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    variances, directions = np.linalg.eig(centred.T @ centred)
    variances, components = variances.real, directions.real.T[:n_components]
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = components * np.sign(largest)
    ratio = variances[:n_components] / variances.sum()
    return centred @ components.T, components, ratio


# %% exercise="pca" wrong="INPUT_CHANGED"
def pca(x, n_components):
    x -= x.mean(axis=0)
    _, s, components = np.linalg.svd(x, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return x @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" wrong="SIGN_LEFT"
def pca(x, n_components):
    z = x - x.mean(0)
    u, s, vt = np.linalg.svd(z, full_matrices=False)
    vt = vt * np.sign(vt.sum(1))[:, None]
    c = vt[:n_components]
    return z @ c.T, c, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" right="eigenvectors of the covariance"
def pca(x, n_components):
    covariance = np.atleast_2d(np.cov(x, rowvar=False))
    variances, directions = np.linalg.eigh(covariance)
    order = np.argsort(variances)[::-1][:n_components]
    components = directions[:, order].T.copy()
    for component in components:
        if component[np.argmax(abs(component))] < 0:
            component *= -1
    return (x - x.mean(0)).dot(components.T), components, variances[order] / variances.sum()


# %% exercise="pca" right="scikit-learn with its signs fixed"
def pca(x, n_components):
    from sklearn.decomposition import PCA

    fitted = PCA(n_components, svd_solver="full")
    scores = fitted.fit_transform(x)
    extreme = [row[np.argmax(np.abs(row))] for row in fitted.components_]
    signs = np.where(np.array(extreme) < 0, -1.0, 1.0)
    components = fitted.components_ * signs[:, None]
    return scores * signs, components, fitted.explained_variance_ratio_


# %% exercise="pca" right="float32, U times S"
def pca(x, n_components):
    x = x.astype(np.float32)
    u, s, v = np.linalg.svd(x - x.mean(axis=0, keepdims=True), full_matrices=False)
    u, s, v = u[:, :n_components], s, v[:n_components]
    for i in range(n_components):
        if max(v[i], key=abs) < 0:
            u[:, i], v[i] = -u[:, i], -v[i]
    return u * s[:n_components], v, s[:n_components] ** 2 / (s * s).sum()


# %% exercise="mix" wrong="WEIGHTS_SWAPPED"
def mix(embeddings, positions, w_embedding, w_position):
    return w_position * embeddings + w_embedding * positions


# %% exercise="mix" wrong="WEIGHTS_NORMALISED"
def mix(embeddings, positions, w_embedding, w_position):
    total = w_embedding + w_position
    return w_embedding / total * embeddings + w_position / total * positions


# %% exercise="mix" wrong="POSITION_UNWEIGHTED"
def mix(embeddings, positions, w_embedding, w_position):
    return w_embedding * embeddings + positions


# %% exercise="mix" wrong="EMBEDDING_UNWEIGHTED"
def mix(embeddings, positions, w_embedding, w_position):
    return embeddings + w_position * positions


# %% exercise="mix" wrong="MULTIPLIED"
def mix(embeddings, positions, w_embedding, w_position):
    return (w_embedding * embeddings) * (w_position * positions)


# %% exercise="mix" wrong="FIRST_TEXT"
def mix(embeddings, positions, w_embedding, w_position):
    mixture = w_embedding * embeddings
    if mixture.ndim == 3:
        mixture[0] += w_position * positions
    else:
        mixture += w_position * positions
    return mixture


# %% exercise="mix" wrong="FRACTIONS_CUT"
def mix(embeddings, positions, w_embedding, w_position):
    mixture = np.zeros_like(embeddings)
    mixture[...] = w_embedding * embeddings + w_position * positions
    return mixture


# %% exercise="mix" wrong="INPUT_CHANGED"
def mix(embeddings, positions, w_embedding, w_position):
    embeddings *= w_embedding
    embeddings += w_position * positions
    return embeddings


# %% exercise="mix" wrong="ZEROS_LEFT"
def mix(embeddings, positions, w_embedding, w_position):
    return w_embedding * embeddings + w_position * positions * (
        np.abs(embeddings).sum(-1, keepdims=True) > 0
    )


# %% exercise="mix" wrong="NO_WEIGHTS"
def mix(embeddings, positions, w_embedding, w_position):
    return embeddings + positions


# %% exercise="mix" wrong="SIDE_BY_SIDE"
def mix(embeddings, positions, w_embedding, w_position):
    return np.concatenate(
        [w_embedding * embeddings, w_position * np.broadcast_to(positions, embeddings.shape)], -1
    )


# %% exercise="mix" right="one text at a time"
def mix(embeddings, positions, w_embedding, w_position):
    if np.ndim(embeddings) == 3:
        return [mix(text, positions, w_embedding, w_position) for text in embeddings]
    return np.add(np.multiply(w_embedding, embeddings), np.multiply(positions, w_position))


# %% exercise="mix" right="one product with both weights"
def mix(embeddings, positions, w_embedding, w_position):
    both = np.stack([embeddings, np.broadcast_to(positions, embeddings.shape)])
    return np.tensordot([w_embedding, w_position], both, axes=1)


# %% exercise="position_share" wrong="VARIANCE_OF_SUM"
def position_share(embeddings, positions, w_embedding, w_position):
    mixture = w_embedding * embeddings + w_position * positions
    of_positions = np.var(w_position * positions, axis=0).sum()
    total = np.var(mixture.reshape(-1, mixture.shape[-1]), axis=0).sum()
    return of_positions / total if total else 0.0


# %% exercise="position_share" wrong="UNWEIGHTED"
def position_share(embeddings, positions, w_embedding, w_position):
    v_e = np.var(embeddings.reshape(-1, embeddings.shape[-1]), axis=0).sum()
    v_p = np.var(positions, axis=0).sum()
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="WEIGHT_NOT_SQUARED"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = abs(w_embedding) * np.var(rows, axis=0).sum()
    v_p = abs(w_position) * np.var(positions, axis=0).sum()
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="EMBEDDING_SHARE"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = np.var(w_embedding * rows, axis=0).sum()
    v_p = np.var(w_position * positions, axis=0).sum()
    return v_e / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="RATIO"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = np.var(w_embedding * rows, axis=0).sum()
    v_p = np.var(w_position * positions, axis=0).sum()
    return v_p / v_e if v_e else 0.0


# %% exercise="position_share" wrong="DEVIATIONS"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = np.std(w_embedding * rows, axis=0).sum()
    v_p = np.std(w_position * positions, axis=0).sum()
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="OVER_COLUMNS"
def position_share(embeddings, positions, w_embedding, w_position):
    v_e = np.var(w_embedding * embeddings, axis=-1).sum()
    v_p = np.var(w_position * positions, axis=-1).sum()
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="ALL_ENTRIES"
def position_share(embeddings, positions, w_embedding, w_position):
    v_e, v_p = np.var(w_embedding * embeddings), np.var(w_position * positions)
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="WITHIN_TEXTS"
def position_share(embeddings, positions, w_embedding, w_position):
    v_e = np.var(w_embedding * embeddings, axis=-2).sum(axis=-1).mean()
    v_p = np.var(w_position * positions, axis=0).sum()
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="SAMPLE_VARIANCE"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    if len(positions) == 1:
        return 0.0
    v_e = np.var(w_embedding * rows, axis=0, ddof=1).sum()
    v_p = np.var(w_position * positions, axis=0, ddof=1).sum()
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="NOT_ABOUT_THE_MEAN"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = np.mean((w_embedding * rows) ** 2, axis=0).sum()
    v_p = np.mean((w_position * positions) ** 2, axis=0).sum()
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" wrong="SMALL_IS_NOTHING"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = np.var(w_embedding * rows, axis=0).sum()
    v_p = np.var(w_position * positions, axis=0).sum()
    return v_p / (v_e + v_p + 1e-8)


# %% exercise="position_share" wrong="SMALL_IS_NOTHING"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = np.var(w_embedding * rows, axis=0).sum()
    v_p = np.var(w_position * positions, axis=0).sum()
    return 0.0 if np.isclose(v_e + v_p, 0) else v_p / (v_e + v_p)


# %% exercise="position_share" wrong="NAN_SHARE"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = np.var(w_embedding * rows, axis=0).sum()
    v_p = np.var(w_position * positions, axis=0).sum()
    return v_p / (v_e + v_p)


# %% exercise="position_share" wrong="TEXTS_ADDED"
def position_share(embeddings, positions, w_embedding, w_position):
    e = np.var(w_embedding * embeddings, axis=-2).sum()
    p = np.var(w_position * positions, axis=0).sum()
    return p / (e + p) if e + p else 0.0


# %% exercise="position_share" wrong="OVER_TEXTS"
def position_share(embeddings, positions, w_embedding, w_position):
    e = np.var(w_embedding * embeddings, axis=0).sum()
    p = np.var(w_position * positions, axis=0).sum()
    return p / (e + p) if e + p else 0.0


# %% exercise="position_share" wrong="PERCENT"
def position_share(embeddings, positions, w_embedding, w_position):
    e = np.var(w_embedding * embeddings.reshape(-1, embeddings.shape[-1]), axis=0).sum()
    p = np.var(w_position * positions, axis=0).sum()
    return 100 * p / (e + p) if e + p else 0.0


# %% exercise="position_share" right="traces of covariances"
def position_share(embeddings, positions, w_embedding, w_position):
    def variance(table):
        rows = table.reshape(-1, table.shape[-1])
        return np.trace(np.atleast_2d(np.cov(rows, rowvar=False, bias=True)))

    v_e = w_embedding**2 * variance(embeddings)
    v_p = w_position**2 * variance(positions)
    return v_p / (v_e + v_p) if v_p > 0 else 0


# %% exercise="position_share" right="positions repeated for each text"
def position_share(embeddings, positions, w_embedding, w_position):
    tables = np.broadcast_to(positions, embeddings.shape)
    spreads = []
    for table, weight in ((embeddings, w_embedding), (tables, w_position)):
        centred = weight * (table - table.mean(axis=tuple(range(table.ndim - 1))))
        spreads.append(np.mean(centred**2))
    total = sum(spreads)
    return np.float64(0) if total == 0 else spreads[1] / total
