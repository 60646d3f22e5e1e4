"""The bank of chapter 9: wrong answers, each with the name of its mistake, and right ones."""

# %%
import numpy as np


# %% exercise="distance_matrix" right="the formula"
def distance_matrix(x):
    return np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))


# %% exercise="distance_matrix" edits="the formula"
COLUMNS_COMPARED = (
    "The columns are compared with each other. Points are rows, so the result has the shape "
    "(points, points).",
    {"((x[:, None] - x) ** 2).sum(axis=2)": "((x.T[:, None] - x.T) ** 2).sum(axis=2)"},
)
OVER_POINTS = (
    "The squared differences are summed over the points. Sum them over the columns, which is the "
    "last axis of the differences.",
    {"axis=2": "axis=1"},
    {"axis=2": "axis=0"},
)
NO_ROOT = (
    "The square root is missing. These are squared distances.",
    {"np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": "((x[:, None] - x) ** 2).sum(axis=2)"},
)
NORM_OF_ALL = (
    "One norm is taken of all differences together. Give np.linalg.norm the axis that it sums "
    "over: axis=-1.",
    {"np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": "np.linalg.norm(x[:, None] - x)"},
)
CITY_BLOCK = (
    "The absolute differences are summed, which is also what a root taken before the sum does. A "
    "Euclidean distance is the root of the summed squares.",
    {"np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": "np.abs(x[:, None] - x).sum(axis=2)"},
)
LARGEST_DIFFERENCE = (
    "The largest difference of two rows is taken. A Euclidean distance is the root of the summed "
    "squares of all differences.",
    {"np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": "np.abs(x[:, None] - x).max(axis=2)"},
)
DIFFERENCES_SUMMED = (
    "The differences are summed before they are squared, so they can cancel each other. Square "
    "each difference first.",
    {"np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": "np.abs((x[:, None] - x).sum(axis=2))"},
)
MEAN_SQUARES = (
    "The squared differences are averaged. A Euclidean distance is the root of their sum.",
    {".sum(": ".mean("},
)
SUMMED_ROWS = (
    "The rows are added instead of subtracted. The distance is the length of their difference.",
    {"x[:, None] - x": "x[:, None] + x"},
)
ROWS_CORRELATED = (
    "The rows are correlated. The distance of two rows is the length of their difference.",
    {"np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": "np.corrcoef(x)"},
)
TWO_COLUMNS = (
    "Only the first two columns are compared. The squared differences of all columns are summed.",
    {"    return": "    x = x[:, :2]\n    return"},
)
SMALL_SET_TO_ZERO = (
    "Small distances are set to 0. Only a point's distance from itself must be 0 exactly, which "
    "np.fill_diagonal can do.",
    {
        "return": "distances =",
        "axis=2))": "axis=2))\n    return np.where(distances < 1e-3, 0, distances)",
    },
)
SQUEEZED = (
    "A single point gives one number. The result must have the shape (points, points) then, too.",
    {
        "np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": (
            "np.squeeze(np.sqrt(((x[:, None] - x) ** 2).sum(axis=2)))"
        )
    },
)
DOT_PRODUCTS = (
    "These are dot products. The distance of two rows is the length of their difference.",
    {"np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": "x @ x.T"},
)
NORMS_OF_MATRICES = (
    "One norm is taken for each point, of its differences from all others. Give np.linalg.norm "
    "one axis alone, the last: axis=-1.",
    {
        "np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": (
            "np.linalg.norm(x[:, None] - x, axis=(1, 2))"
        )
    },
)
NOT_SUMMED = (
    "These are the differences in every column. A Euclidean distance is the root of the sum of "
    "their squares.",
    {"np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": "np.abs(x[:, None] - x)"},
)
SMALL_NUMBER_ADDED = (
    "A small number is added under the root, so the diagonal is not exactly 0. No root needs "
    "protection when the squares of differences are summed.",
    {".sum(axis=2)": ".sum(axis=2) + 1e-12"},
)

# %% exercise="distance_matrix" edits="SciPy's distances"
PAIRS_ONCE = (
    "pdist returns every pair once, in a row. squareform makes the matrix of it.",
    {"import cdist": "import pdist", "cdist(x, x)": "pdist(x)"},
)

# %% exercise="distance_matrix" wrong="DIAGONAL_NOT_ZERO"
DIAGONAL_NOT_ZERO = (
    "The diagonal of the distances is not exactly 0. Rounding in |a|² + |b|² - 2 a·b leaves a "
    "remainder that the root makes larger."
)


def distance_matrix(x):
    squares = np.sum(x**2, axis=1)
    # np.abs and not np.maximum: every rounding error shows, whatever its sign.
    return np.sqrt(np.abs(squares[:, None] + squares - 2 * x @ x.T))


# %% exercise="distance_matrix" wrong="ONE_TRIANGLE"
ONE_TRIANGLE = (
    "One triangle of the distances is empty. The distance from i to j is also that from j to i."
)


def distance_matrix(x):
    D = np.zeros((len(x),) * 2)
    for i in range(len(x)):
        for j in range(i):
            D[i, j] = np.linalg.norm(x[i] - x[j])
    return D


# %% exercise="distance_matrix" wrong="NORMS_COMPARED"
NORMS_COMPARED = (
    "The lengths of the rows are compared. The distance is the length of the difference of two "
    "rows."
)


def distance_matrix(x):
    r = np.linalg.norm(x, axis=1)
    return np.abs(r[:, None] - r)


# %% exercise="distance_matrix" right="one pair at a time"
def distance_matrix(x):
    distances = np.zeros((len(x), len(x)))
    for i, one in enumerate(x):
        for j in range(i):
            distances[i, j] = distances[j, i] = np.linalg.norm(one - x[j])
    return distances


# %% exercise="distance_matrix" right="SciPy's distances"
def distance_matrix(x):
    from scipy.spatial.distance import cdist

    return cdist(x, x)


# %% exercise="distance_matrix" right="products with a repaired diagonal"
def distance_matrix(x):
    products = x @ x.T
    squares = np.diag(products)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * products, 0))
    np.fill_diagonal(distances, 0)
    return distances


# %% exercise="distance_matrix" edits="products with a repaired diagonal"
ROOT_OF_NEGATIVE = (
    "The root of a negative number is taken. Rounding in |a|² + |b|² - 2 a·b can leave a little "
    "less than 0 on the diagonal, which must be exactly 0.",
    {
        "np.diag(products)": "np.sum(x**2, axis=1)",
        "np.maximum(squares[:, None] + squares - 2 * products, 0)": (
            "squares[:, None] + squares - 2 * products"
        ),
        "    np.fill_diagonal(distances, 0)\n": "",
    },
)
FACTOR_2_MISSING = (
    "The dot products must be doubled: the squared distance is |a|² + |b|² - 2 a·b.",
    {"2 * products": "products"},
)
PRODUCTS_ADDED = (
    "The dot products are added. The squared distance is |a|² + |b|² - 2 a·b.",
    {"- 2": "+ 2"},
)
LENGTHS_NOT_SQUARED = (
    "The lengths of the rows are not squared. The squared distance is |a|² + |b|² - 2 a·b.",
    {"np.diag(products)": "np.sqrt(np.diag(products))"},
)
ENCODINGS_ONLY = (
    "The formula d - 2 a·b holds only for encodings, whose squared lengths are all d / 2. For any "
    "points it is |a|² + |b|² - 2 a·b.",
    {"squares[:, None] + squares": "x.shape[1]"},
)


# %% exercise="distance_matrix" edits="the formula" wrong="ONE_TRIANGLE"
{
    "np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": ""
    "np.triu(np.sqrt(((x[:, None] - x) ** 2).sum(axis=2)))"
}

# %% exercise="distance_matrix" edits="the formula"
INTEGERS = (
    "The distances are cut off to integers. Keep their fractions.",
    {".sum(axis=2))": ".sum(axis=2)).astype(int)"},
)
INFINITE_DIAGONAL = (
    "The diagonal is infinite. The distance of a point from itself is 0.",
    {
        "return": "distances =",
        "axis=2))": "axis=2))\n    return distances + np.diag([np.inf] * len(x))",
    },
)
COSINES = (
    "These are cosine distances. A Euclidean distance is the length of the difference of two rows.",
    {
        "np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))": (
            "1 - x @ x.T / np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(x, axis=1))"
        )
    },
)
ROWS_NORMALISED = (
    "Every row is divided by its length first. Measure the distances between the rows as they are.",
    {"    return": "    x = x / np.linalg.norm(x, axis=1, keepdims=True)\n    return"},
)


# %% exercise="distance_matrix" edits="one pair at a time"
TYPE_OF_X = (
    "The distances are written into an array of the type of x, which cuts their fractions off when "
    "x holds integers. Make it an array of floats.",
    {"np.zeros((len(x), len(x)))": "np.zeros((len(x), len(x)), x.dtype)"},
)


# %% exercise="distance_matrix" wrong="THREE_POINTS"
THREE_POINTS = "Only the distances of three points are computed. There are len(x) points."


def distance_matrix(x):
    return np.array([[np.linalg.norm(x[p] - x[q]) for q in range(3)] for p in range(3)])


# %% exercise="distance_matrix" edits="products with a repaired diagonal"
SMALL_SQUARES_TO_ZERO = (
    "All small distances are set to 0, and not only those of a point to itself.",
    {
        "np.sqrt(np.maximum(squares[:, None] + squares - 2 * products, 0))": (
            "squares[:, None] + squares - 2 * products"
        ),
        "np.fill_diagonal(distances, 0)": "distances[distances < 1e-8] = 0",
        "return distances": "return np.sqrt(distances)",
    },
)


# %% exercise="distance_matrix" edits="products with a repaired diagonal"
SINGLE_PRECISION = (
    "|a|² + |b|² - 2 a·b is computed in single precision, which loses small distances. Subtract "
    "the rows first, or compute in double precision.",
    {"products = x @ x.T": "x = x.astype(np.float32)\n    products = x @ x.T"},
)


# %% exercise="load_vectors" right="line by line"
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
    return vectors


# %% exercise="load_vectors" edits="line by line"
WORDS_IGNORED = (
    "The argument words is ignored. With a list of words only those are loaded.",
    {
        "vector =": "vectors[word] =",
        (
            "            if words is None or word in words:\n"
            "                vectors[word] = vector\n"
        ): "",
    },
)
EMPTY_LIST = (
    "An empty list loads every word. Only None means all words, so test `words is None`.",
    {"words is None": "not words"},
)
PARTS_OF_WORDS = (
    "A word is loaded that is only a part of a wanted word. Search the list itself, not its "
    "words joined into one string.",
    {
        "vectors = {}": ('vectors = {}\n    wanted = None if words is None else " ".join(words)'),
        "words is": "wanted is",
        "in words": "in wanted",
    },
)
STARTS_ALIKE = (
    "A word is loaded that only begins like a wanted word. Compare whole words: `word in words`.",
    {"word in words": "word.startswith(tuple(words))"},
)
LETTERS_ONLY = (
    "Words that do not consist of letters are left out. Whatever stands first in a line is its "
    "word, a comma or a number included.",
    {"if words is None or word in words": "if word.isalpha() and (words is None or word in words)"},
)
ASCII_ONLY = (
    "Words with letters such as é are left out. Every line of the file has a word.",
    {"if words is None or word in words": "if word.isascii() and (words is None or word in words)"},
)
NOT_UTF_8 = (
    "The file is not read as UTF-8, so `é` becomes other characters. Open it with "
    'encoding="utf-8".',
    {"open(path)": 'open(path, encoding="latin-1")'},
)
COMMENTS_SKIPPED = (
    "A line that begins with # is skipped. # is a word like any other.",
    {
        "            word, *": (
            '            if line.startswith("#"):\n                continue\n            word, *'
        )
    },
)
QUOTES_READ = (
    "A quotation mark is taken for the beginning of a quoted text. It is a word like any other, "
    "so split the line yourself, or give csv.reader quoting=csv.QUOTE_NONE.",
    {
        "vectors = {}": "import csv\n\n    vectors = {}",
        "enumerate(file, 1)": 'enumerate(csv.reader(file, delimiter=" "), 1)',
        "line.split()": "line",
    },
)
ONE_FORM_OF_NUMBERS = (
    "A number that float can read is called bad, such as 1E2, +1 or .5. Let float decide.",
    {
        "            try:": (
            "            import re\n\n"
            '            number_like = re.compile(r"-?\\d+(\\.\\d*)?(e-?\\d+)?")\n'
            "            if not all(map(number_like.fullmatch, entries)):\n"
            '                raise ValueError(f"line {number}")\n'
            "            try:"
        )
    },
)
KEPT_FROM_BEFORE = (
    "Words of an earlier call are still in the dict. Make a new dict in every call.",
    {"words=None):\n    vectors = {}": "words=None, vectors={}):"},
)
EMPTY_LIST_UNREAD = (
    "With an empty list of words, the file is not read. Every line must be examined then, too.",
    {
        "vectors = {}": (
            "vectors = {}\n    if words is not None and not words:\n        return vectors"
        )
    },
)
PAIRS = (
    "A list of pairs is returned. The result must be a dict from word to vector.",
    {"return vectors": "return list(vectors.items())"},
)
LOWERED = (
    "Upper and lower case are not distinguished. Words are compared as they are written, so `Cat` "
    "and `cat` are two words.",
    {"word in words": "word.lower() in [each.lower() for each in words]"},
    {"vectors[word]": "vectors[word.lower()]"},
    {"line.": "line.lower()."},
    {
        "vectors = {}": (
            "vectors = {}\n    wanted = None if words is None else [word.lower() for word in words]"
        ),
        "words is None or word in words": "wanted is None or word.lower() in wanted",
        "[word]": "[word.lower()]",
    },
)
ABSENT_KEPT = (
    "A word that is not in the file is in the dict. Words absent from the file must be left out.",
    {
        "return vectors": (
            "if words is None:\n"
            "        return vectors\n"
            "    return {word: vectors.get(word, np.zeros(length, np.float32)) for word in words}"
        )
    },
)
FIRST_LINE_LOST = (
    "The first line is skipped. A GloVe file has no header line.",
    {
        "for number, line in enumerate(file, 1):": (
            "length = len(next(file).split()) - 1\n        for number, line in enumerate(file, 2):"
        ),
        "            if number == 1:\n                length = len(entries)\n": "",
    },
)
LAST_CHARACTER_CUT = (
    "The last character of the line is cut off, even where it is no line break. Use strip() or "
    "split().",
    {"line.split()": 'line[:-1].split(" ")'},
)

# %% exercise="load_vectors" edits="line by line" wrong="NOT_FLOAT32"
{"np.float32": "float"}
{"np.array(entries, np.float32)": "[float(entry) for entry in entries]"}

# %% exercise="load_vectors" edits="line by line" wrong="COUNTED_FROM_0"
{", 1": "", "== 1": "== 0"}


# %% exercise="load_vectors" wrong="UNWANTED_UNCHECKED"
UNWANTED_UNCHECKED = (
    "A bad line is accepted when its word is not wanted. Examine every line before you ask whether "
    "its word is wanted."
)


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


# %% exercise="load_vectors" edits="line by line" wrong="UNWANTED_UNCHECKED"
{
    '")\n            try:\n': ': {len(entries)} numbers, expected {length}")\n',
    (
        "                vector = np.array(entries, np.float32)\n"
        "            except ValueError:\n"
        '                raise ValueError(f"line {number}") from None\n'
    ): "",
    "vectors[word] = vector": (
        "try:\n"
        "                    vectors[word] = np.array(entries, np.float32)\n"
        "                except ValueError:\n"
        '                    raise ValueError(f"line {number}: not a number") from None'
    ),
}
{
    "vectors = {}": "vectors = {}\n    length = None",
    "if number == 1:\n                length = len(entries)": (
        "if words is not None and word not in words:\n"
        "                continue\n"
        "            length = length or len(entries)  # of the first line whose word is wanted"
    ),
    "vector = np": "vectors[word] = np",
    "            if words is None or word in words:\n                vectors[word] = vector\n": "",
}


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


# %% exercise="load_vectors" edits="line by line"
STOPPED_EARLY = (
    "Reading stops when all wanted words are found. The lines after that must be examined, too.",
    {
        "enumerate(file, 1):": (
            "enumerate(file, 1):\n"
            "            if words is not None and len(vectors) == len(set(words)):\n"
            "                break"
        )
    },
)
COUNT_UNCHECKED = (
    "A line with another count of numbers is accepted. Every line must have as many as the first.",
    {
        (
            "if number == 1:\n"
            "                length = len(entries)\n"
            "            if len(entries) != length:\n"
            '                raise ValueError(f"line {number}")\n'
            "            "
        ): ""
    },
)
BAD_ENTRY_ACCEPTED = (
    "A line with an entry that float cannot read is accepted. It must raise ValueError.",
    {
        'raise ValueError(f"line {number}") from None': (
            "vector = np.zeros(length, np.float32)  # in place of what cannot be read"
        )
    },
)
LAST_LINE_LOST = (
    "The last line is left out when no line break follows it. It is a line like any other.",
    {
        "if words is None or word in words": (
            'if line.endswith("\\n") and (words is None or word in words)'
        )
    },
)
BARE_ACCEPTED = (
    "A line without numbers is accepted. It has fewer numbers than the first line, so it must "
    "raise ValueError.",
    {"if len(entries) !=": "if entries and len(entries) !="},
)
SHORT_ONLY = (
    "A line with too many numbers is accepted. Its count must be equal to that of the first line.",
    {"!= length": "< length"},
)

# %% exercise="load_vectors" edits="line by line" wrong="WHOLE_FILE"
{
    "vector =": "vectors[word] =",
    (
        "        if words is None or word in words:\n"
        "                vectors[word] = vector\n"
        "    return vectors"
    ): "return {word: vectors[word] for word in vectors if words is None or word in words}",
}

# %% exercise="load_vectors" edits="line by line"
SKIPPED = (
    "A bad line is skipped silently. It must raise ValueError.",
    {
        (
            "            if len(entries) != length:\n"
            '                raise ValueError(f"line {number}")\n'
        ): "",
        'raise ValueError(f"line {number}") from None': "continue",
        "if words is None or word in words": (
            "if len(entries) == length and (words is None or word in words)"
        ),
    },
)

# %% exercise="load_vectors" edits="line by line" wrong="SKIPPED"
{"if number ==": "if not entries:\n                continue\n            if number =="}
{'raise ValueError(f"line {number}") from None': "continue"}

# %% exercise="load_vectors" edits="line by line"
OTHER_ERROR = (
    "A bad line raises an error of another type. It must raise ValueError.",
    {
        (
            'if len(entries) != length:\n                raise ValueError(f"line {number}")'
        ): 'assert len(entries) == length, f"line {number}"'
    },
)


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


# %% exercise="load_vectors" edits="line by line" wrong="NO_LINE_NUMBER"
{"number == 1": "number <= 2"}
{
    "for number, line in enumerate(file, 1)": (
        "word, *entries = next(file).split()\n"
        "        length = len(entries)\n"
        "        if words is None or word in words:\n"
        "            vectors[word] = np.array(entries, np.float32)\n"
        "        for number, line in enumerate(file, 2)"
    ),
    "            if number == 1:\n                length = len(entries)\n": "",
}
{
    "word, *entries = line.split()": (
        'word, numbers = line.split(" ", 1)  # fails on a line without numbers\n'
        "            entries = numbers.split()"
    )
}

# %% exercise="load_vectors" wrong="TEXT_KEPT"
TEXT_KEPT = "The entries are text. Convert them to numbers, float32."


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
MISSING_LISTED = "The dict lists words that the file does not have. Leave them out."


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
MISSING_RAISES = "A word that the file does not have raises an error. Leave it out of the dict."


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


# %% exercise="load_vectors" edits="line by line"
WORD_COUNTED = (
    "The word is counted among the numbers of the first line, so good lines are called bad.",
    {"length = len(entries)\n": "length = len(entries) + 1\n"},
)
FIXED_LENGTH = (
    "Good lines are called bad, because the count of numbers is fixed in the code. It is that of "
    "the first line.",
    {"length = len(entries)\n": "length = 100\n"},
    {
        "length = len(entries)\n": "length = 3\n",
        'length:\n                raise ValueError(f"line {number}")': (
            'length:\n                raise ValueError(f"line {number}: {len(entries)}")'
        ),
    },
)
WORDS_AND_MATRIX = (
    "The words and their vectors are returned separately. The result must be a dict from word to "
    "vector.",
    {"return vectors": "return list(vectors), np.array(list(vectors.values()))"},
)


# %% exercise="load_vectors" wrong="HEADER_EXPECTED"
HEADER_EXPECTED = (
    "A first line with one number is taken for a header and left out. These files have none: the "
    "first line is a word like the others."
)


def load_vectors(path, words=None):
    vectors, length = {}, None
    with open(path) as file:
        for number, line in enumerate(file, 1):
            word, *entries = line.split()
            if number == 1 and len(entries) == 1:
                continue
            length = length or len(entries)
            try:
                vector = np.array(entries, np.float32)
            except ValueError:
                raise ValueError(f"line {number}") from None
            if len(entries) != length:
                raise ValueError(f"line {number}")
            if words is None or word in words:
                vectors[word] = vector
    return vectors


# %% exercise="load_vectors" edits="line by line" wrong="ONE_FORM_OF_NUMBERS"
{
    "            try:": (
        '            if not all(e.replace(".", "").replace("-", "").isdigit() for e in entries):\n'
        '                raise ValueError(f"line {number}")\n'
        "            try:"
    )
}

# %% exercise="load_vectors" edits="line by line"
FIRST_LINE_TRUSTED = (
    "An entry of the first line that is no number is accepted. The first line must be examined "
    "like all others.",
    {
        "except ValueError:\n": "except ValueError:\n                if number == 1:\n"
        "                    continue\n"
    },
)
PUNCTUATION_STRIPPED = (
    "Punctuation is cut off the words, so `,` becomes an empty word. Words stay as they are "
    "written.",
    {"vectors[word] = vector": 'vectors[word.strip(".,;:!?")] = vector'},
)


# %% exercise="tokenize" right="a Counter and rows filled one by one"
def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    ids = np.zeros((len(texts), max_length), int)
    for row, text in zip(ids, tokens, strict=True):
        row[: len(text)] = [index[word] for word in text[:max_length]]
    return index, ids


# %% exercise="tokenize" right="a Counter and padded lists"
def tokenize(texts, max_length):
    from collections import Counter

    split = [t.lower().split() for t in texts]
    index = {w: i for i, (w, _) in enumerate(Counter(w for s in split for w in s).most_common(), 1)}
    return index, np.array([([index[w] for w in s] + [0] * max_length)[:max_length] for s in split])


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


# %% exercise="tokenize" edits="a Counter and rows filled one by one"
FROM_ZERO = (
    "The most frequent word has the number 0. Words count from 1, because 0 is the padding.",
    {", 1": ""},
)
NOT_LOWERED = "Capital letters are kept. Every text is lower-cased first.", {"text.lower()": "text"}
STRIPPED = (
    "Punctuation is removed. It stays where it is, so that `dog` and `dog.` are two words.",
    {"from": "import re\n    from", "text.lower().split()": 're.findall(r"\\w+", text.lower())'},
)
SPLIT_OFF = (
    "Punctuation is split off. It stays where it is, so that `dog.` is one word.",
    {
        "from": "import re\n    from",
        "text.lower().split()": 're.findall(r"\\w+|[^\\w\\s]", text.lower())',
    },
)
HYPHENS_SPLIT = (
    "A word is split at its hyphen. Only white space separates words.",
    {"text.lower()": 'text.lower().replace("-", " ")'},
)
SOME_LEFT_OUT = (
    "Words that do not consist of letters are left out. Every word counts, commas and numbers "
    "included.",
    {
        "text.lower().split()": (
            "[word for word in text.lower().split() if any(map(str.isalpha, word))]"
        )
    },
    {
        "tokens for word in text)": "tokens for word in text if any(map(str.isalpha, word)))",
        "index[word] for": "index.get(word, 0) for",
    },
    {"text.lower().split()": ("[word for word in text.lower().split() if not word.isdigit()]")},
)
CASEFOLDED = (
    "A small letter is changed: casefold() turns ß into ss. Use lower().",
    {"lower": "casefold"},
)
ASCII_LOWERED = (
    "Only the capital letters from A to Z are lower-cased. lower() knows all others, such as É.",
    {"text.lower()": "text.translate({code: code + 32 for code in range(65, 91)})"},
)
OTHER_WHITE_SPACE = (
    "Some white space is taken for a part of a word. `text.split()` without an argument knows all "
    "of it.",
    {
        "from": "import re\n    from",
        "text.lower().split()": 're.findall(r"[^ \\t\\n]+", text.lower())',
    },
)
EMPTY_WORD = (
    "White space at the beginning or the end of a text gives an empty word. `text.split()` without "
    "an argument leaves none.",
    {"from": "import re\n    from", "text.lower().split()": 're.split(r"\\s+", text.lower())'},
)
KEPT_FROM_BEFORE = (
    "Words of an earlier call are still counted. Count from nothing in every call.",
    {
        "max_length):\n": "max_length, seen=[]):\n",
        "counts = Counter(word for text in tokens for word in text)": (
            "seen += [word for text in tokens for word in text]\n    counts = Counter(seen)"
        ),
    },
)
FEW_NUMBERED = (
    "Only max_length words have numbers. Every word has one; max_length is the length of a row.",
    {"most_common()": "most_common(max_length)", "index[word] for": "index.get(word, 0) for"},
)
CUT_TOO_EARLY = (
    "A long text is cut one word too early. Its first max_length words remain.",
    {
        "row[: len(text)] = [index[word] for word in text[:max_length]]": (
            "text = text[: max_length - 1]\n"
            "        row[: len(text)] = [index[word] for word in text]"
        )
    },
)
TIES_BY_LENGTH = (
    "Equally frequent words are in the order of their lengths. The one that appears first comes "
    "first.",
    {
        "index =": (
            "ranked = sorted(counts, key=lambda word: (-counts[word], len(word)))\n    index ="
        ),
        "(word, _)": "word",
        "counts.most_common()": "ranked",
    },
)
SPACES_ONLY = (
    "The text is split at single spaces. Split at any white space: `text.split()` without an "
    "argument.",
    {"() for": '(" ") for'},
)
BY_APPEARANCE = (
    "The words are numbered in the order of their appearance. The most frequent word comes first.",
    {
        "    from collections import Counter\n\n": "",
        "counts = Counter(word for text in tokens for word in text)": "index = {}",
        "index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}": (
            "for text in tokens:\n"
            "        for word in text:\n"
            "            index.setdefault(word, len(index) + 1)"
        ),
    },
)
RAREST_FIRST = (
    "The rarest word has the number 1. The most frequent word comes first.",
    {"(word, _)": "word", "counts.most_common()": "sorted(counts, key=counts.get)"},
)
TIES_BY_ALPHABET = (
    "Equally frequent words are in alphabetical order. The one that appears first comes first.",
    {
        "index =": "ranked = sorted(counts, key=lambda word: (-counts[word], word))\n    index =",
        "(word, _)": "word",
        "counts.most_common()": "ranked",
    },
)
TIES_BACKWARDS = (
    "Of equally frequent words the one that appears last comes first. The order must be that of "
    "their first appearance.",
    {
        "index =": "ranked = sorted(counts, key=counts.get)[::-1]\n    index =",
        "(word, _)": "word",
        "counts.most_common()": "ranked",
    },
)
CUT_BEFORE_COUNTING = (
    "The words that are cut off are not counted. The frequencies are those of the whole texts.",
    {"text.lower().split()": "text.lower().split()[:max_length]", "[:max_length]": ""},
)
COUNTED_ONCE_A_TEXT = (
    "A word counts once for each text that has it. Every occurrence counts, also within one text.",
    {"tokens for word in text": "tokens for word in dict.fromkeys(text)"},
)


# %% exercise="tokenize" wrong="PADDED_BEFORE"
PADDED_BEFORE = "The zeros stand before the words. A short text is filled at its end."


def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    rows = [[index[word] for word in text[:max_length]] for text in tokens]
    return index, np.array([[0] * (max_length - len(row)) + row for row in rows])


# %% exercise="tokenize" edits="Counter and keras.utils.pad_sequences" wrong="PADDED_BEFORE"
{
    "pad =": "return index,",
    '\n    return index, pad(rows, max_length, padding="post", truncating="post")': (
        "(rows, max_length)"
    ),
}

# %% exercise="tokenize" edits="a Counter and rows filled one by one"
CUT_AT_START = (
    "A long text loses its first words. It must be cut at its end.",
    {":max_length": "-max_length:"},
)


# %% exercise="tokenize" wrong="NOT_PADDED"
NOT_PADDED = "A short text is not filled with zeros. Every row must have the length max_length."


def tokenize(texts, max_length):
    from collections import Counter

    tokens = [text.lower().split() for text in texts]
    counts = Counter(word for text in tokens for word in text)
    index = {word: i for i, (word, _) in enumerate(counts.most_common(), 1)}
    return index, [[index[word] for word in text[:max_length]] for text in tokens]


# %% exercise="tokenize" edits="Counter and keras.utils.pad_sequences"
NOT_CUT = (
    "A long text is not cut at its end. Every row must have the length max_length.",
    {
        "\n\n    import keras": "",
        "    pad = keras.utils.pad_sequences\n": "",
        'pad(rows, max_length, padding="post", truncating="post")': (
            "[row + [0] * (max_length - len(row)) for row in rows]"
        ),
    },
)
LENGTH_OF_LONGEST = (
    "The rows are as long as the longest text. They must have the length max_length.",
    {
        "\n\n    import keras": "",
        "word in text] for": "word in text[:max_length]] for",
        "pad = keras.utils.pad_sequences": "longest = max(len(row) for row in rows)",
        'pad(rows, max_length, padding="post", truncating="post")': (
            "np.array([row + [0] * (longest - len(row)) for row in rows])"
        ),
    },
)

# %% exercise="tokenize" edits="a Counter and rows filled one by one" wrong="LENGTH_OF_LONGEST"
{"len(texts), max_length": "len(texts), max(map(len, tokens))", "[:max_length]": ""}

# %% exercise="tokenize" edits="a Counter and padded lists"
EMPTY_DROPPED = (
    "A text without words has no row. It has a row of zeros.",
    {"for s in split])": "for s in split if s])"},
)
FROM_TWO = "The numbers begin at 2. The most frequent word has the number 1.", {", 1": ", 2"}
PADDING_LISTED = (
    "The dict has an entry for the padding. It must hold the words alone.",
    {"w: i": '"": 0, **{w: i', ", 1)": ", 1)}"},
)
RESULTS_SWAPPED = (
    "The results are in the wrong order. The dict comes first, then the ids.",
    {" index,": "", "split])": "split]), index"},
)
DICT_REVERSED = (
    "The dict goes from number to word. It must go from word to number.",
    {"index,": "{i: w for w, i in index.items()},"},
)


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


# %% exercise="tokenize" edits="a Counter and rows filled one by one" wrong="NOT_INTEGERS"
{"max_length), int)": "max_length))"}

# %% exercise="tokenize" edits="a Counter and rows filled one by one" wrong="STRIPPED"
{"text.lower().split()": "[word.strip('.,') for word in text.lower().split()]"}
{"text.lower()": "text.lower().translate(str.maketrans('', '', '?!\\'\"'))"}
{"text.lower()": "text.lower().replace('?', '')"}

# %% exercise="tokenize" edits="a Counter and rows filled one by one"
IDS_ALONE = (
    "Only the ids are returned. The function must return word_index and the ids.",
    {"return index, ids": "return ids"},
)
LIST_OF_WORDS = (
    "The first result is a list of the words. It must be a dict from word to number.",
    {"return index, ids": "return list(index), ids"},
)
OTHER_PADDING = (
    "A short text is filled with another number. Fill it with zeros.",
    {"np.zeros((len(texts), max_length), int)": "np.full((len(texts), max_length), -1)"},
)
NUMBERED_BY_ALPHABET = (
    "The words are numbered in alphabetical order. The most frequent word comes first.",
    {"counts.most_common()": "sorted(counts.items())"},
)
COUNTS_AS_NUMBERS = (
    "The numbers are the counts of the words. The most frequent word has the number 1, the next "
    "one 2.",
    {"{word: i for i, (word, _) in enumerate(counts.most_common(), 1)}": "dict(counts)"},
)


# %% exercise="tokenize" edits="a Counter and rows filled one by one"
PADDING_IN_INDEX = (
    "The index holds an entry for the padding. It must hold the words alone.",
    {"return index": 'return {"<pad>": 0} | index'},
)


# %% exercise="tokenize" edits="a Counter and padded lists"
PARTS_OF_WORDS_COUNTED = (
    "A word is also counted where it is a part of a longer one, because count was asked of the "
    "whole text. Count in the list of words.",
    {
        "    index = {w: i for i, (w, _) in enumerate(Counter(w for s in split for w in s)"
        ".most_common(), 1)}": (
            '    text = " ".join(texts).lower()\n'
            "    words = dict.fromkeys(w for s in split for w in s)\n"
            "    ordered = sorted(words, key=lambda w: -text.count(w))\n"
            "    index = {w: i for i, w in enumerate(ordered, 1)}"
        )
    },
)
COUNTS_RETURNED = (
    "The dict holds how often each word occurs. It must hold the numbers of the words, 1 for the "
    "most frequent.",
    {"return index, np": "return dict(Counter(w for s in split for w in s)), np"},
)


# %% exercise="embedding_matrix" right="a loop over the words"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for word, row in word_index.items():
        if word in vectors:
            matrix[row] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" right="short names"
def embedding_matrix(word_index, vectors, dim):
    m = np.zeros((len(word_index) + 1, dim))
    for w, i in word_index.items():
        if w in vectors:
            m[i] = vectors[w]
    return m


# %% exercise="embedding_matrix" edits="a loop over the words"
NO_PADDING_ROW = (
    "The row for the padding is missing. The matrix has len(word_index) + 1 rows, and row 0 is "
    "zero.",
    {" + 1": "", "[row]": "[row - 1]"},
)
ROW_TOO_EARLY = (
    "The rows are one too early. Word number i belongs in row i, and row 0 is zero.",
    {"[row]": "[row - 1]"},
)
ORDER_OF_DICT = (
    "The rows follow the order of the dict. Word number i belongs in row i, wherever the dict "
    "has it.",
    {"word, row in word_index.items()": "row, word in enumerate(word_index, 1)"},
)
UNKNOWN_ALIKE = (
    "A word without a vector gets the mean of all vectors. Its row must be zeros.",
    {
        "if word in vectors:\n            ": "",
        "[word]": ".get(word, np.mean(list(vectors.values()), axis=0))",
    },
)
UNKNOWN_LIKE_BEFORE = (
    "A word without a vector gets the vector of the word before it. Its row must be zeros.",
    {
        "    for word": "    vector = np.zeros(dim)\n    for word",
        "if word in vectors:\n            ": "vector = vectors.get(word, vector)\n        ",
        "= vectors[word]": "= vector",
    },
)
SIMILAR_WORD = (
    "A word without a vector gets that of a similar word, such as the one without its full stop or "
    "its capital letter. Its row must be zeros.",
    {"if word in vectors": "word = word.strip('.,')\n        if word in vectors"},
    {"if word in vectors": "word = word.lower()\n        if word in vectors"},
    {
        "if word in vectors": (
            "word = word if word in vectors else word.capitalize()\n        if word in vectors"
        )
    },
    {
        "if word in vectors": (
            "word = next((each for each in vectors if each[:3] == word[:3]), word)\n"
            "        if word in vectors"
        )
    },
)
KEPT_FROM_BEFORE = (
    "Rows that an earlier call has filled are still there. Make a new matrix in every call.",
    {
        "dim):\n": "dim, kept={}):\n",
        "np.zeros((len(word_index) + 1, dim))": (
            "kept.setdefault((len(word_index), dim), np.zeros((len(word_index) + 1, dim)))"
        ),
    },
)
LARGEST_NUMBER = (
    "The number of rows is that of the largest number in word_index, which fails when word_index "
    "is empty. Use len(word_index) + 1.",
    {"len(word_index)": "max(word_index.values())"},
)
UNKNOWN_FAILS = (
    "A word without a vector raises an error. Its row must be zeros.",
    {"if word in vectors:\n            ": ""},
)


# %% exercise="embedding_matrix" wrong="UNKNOWN_SKIPPED"
UNKNOWN_SKIPPED = (
    "A word without a vector has no row, so the later rows move up. Its row must be zeros."
)


def embedding_matrix(word_index, vectors, dim):
    words = sorted(word_index, key=word_index.get)
    return np.array([np.zeros(dim)] + [vectors[word] for word in words if word in vectors])


# %% exercise="embedding_matrix" edits="a loop over the words"
UNKNOWN_STOPS = (
    "Everything after a word without a vector is left out. Only the row of that word must be "
    "zeros.",
    {"if word in vectors:\n            ": ("if word not in vectors:\n            break\n        ")},
)
BY_ALPHABET = (
    "The rows are in alphabetical order. Word number i belongs in row i.",
    {"word, row in word_index.items()": "row, word in enumerate(sorted(word_index), 1)"},
)
DIM_FROM_VECTORS = (
    "The number of columns is taken from the vectors. It is the argument dim, because there may "
    "be no vector at all.",
    {"1, dim": "1, len(next(iter(vectors.values())))"},
)


# %% exercise="embedding_matrix" wrong="ALL_VECTORS"
ALL_VECTORS = (
    "Words that are not in word_index have rows, too. Only word_index decides on the rows."
)


def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(vectors) + len(word_index) + 1, dim))
    for row, word in enumerate(vectors, len(word_index) + 1):
        matrix[word_index.get(word, row)] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" wrong="VECTORS_AS_LISTED"
VECTORS_AS_LISTED = (
    "The rows are the vectors in the order of their dict. Row i belongs to word number i of "
    "word_index, and to no other word."
)


def embedding_matrix(word_index, vectors, dim):
    return np.array([np.zeros(dim), *vectors.values()])


# %% exercise="embedding_matrix" wrong="VECTORS_AS_LISTED"
def embedding_matrix(word_index, vectors, dim):
    matrix = np.zeros((len(word_index) + 1, dim))
    for row, word in enumerate(vectors, 1):
        if word in word_index and row < len(matrix):
            matrix[row] = vectors[word]
    return matrix


# %% exercise="embedding_matrix" edits="short names"
ROWS_OF_VECTORS = (
    "There are as many rows as vectors. The matrix has len(word_index) + 1 rows, one for the "
    "padding and one for each word of word_index.",
    {"len(word_index) + 1": "len(vectors) + 1"},
)
FILLED_WITH_ONES = (
    "The rows without a vector hold ones. They must be zeros, that of the padding included.",
    {"zeros": "ones"},
)
INTEGERS = (
    "The matrix consists of integers, which cuts the fractions off. Make it of floating-point "
    "numbers.",
    {"(len(word_index) + 1, dim)": "(len(word_index) + 1, dim), int"},
    {
        "(len(word_index) + 1, dim)": (
            "(len(word_index) + 1, dim), next((v.dtype for v in vectors.values()), float)"
        )
    },
)
WORDS_IN_COLUMNS = (
    "The matrix is transposed. Every word must have a row of its own.",
    {"len(word_index) + 1, dim": "dim, len(word_index) + 1", "m[i]": "m[:, i]"},
)


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


# %% exercise="embedding_matrix" edits="a loop over the words" wrong="NO_PADDING_ROW"
{" + 1": ""}


# %% exercise="embedding_matrix" edits="a loop over the words" wrong="UNKNOWN_SKIPPED"
{
    "return matrix": "known = [row for word, row in word_index.items() if word in vectors]\n"
    "    return matrix[[0, *known]]"
}
{
    "return matrix": "known = sorted(row for word, row in word_index.items() if word in vectors)\n"
    "    moved = np.zeros_like(matrix)\n"
    "    moved[1 : len(known) + 1] = matrix[known]\n"
    "    return moved"
}


# %% exercise="embedding_matrix" edits="a loop over the words"
ROW_TOO_LATE = (
    "The rows are one too late. Word number i belongs in row i.",
    {"[row]": "[row + 1]"},
)
FILLED_WITH_NAN = (
    "The rows without a vector hold nan. They must be zeros, that of the padding included.",
    {"np.zeros((len(word_index) + 1, dim))": "np.full((len(word_index) + 1, dim), np.nan)"},
)
NORMALISED = (
    "The vectors are divided by their lengths. Copy them as they are.",
    {"= vectors[word]": "= vectors[word] / np.linalg.norm(vectors[word])"},
)


# %% exercise="embedding_matrix" edits="a list of rows"
TRUTH_OF_A_VECTOR = (
    "The truth of a whole vector is asked for by or, which an array of several numbers does not "
    "have. Ask whether the word is in vectors.",
    {"vectors.get(words.get(row), zeros)": "vectors.get(words.get(row)) or zeros"},
)


# %% exercise="embedding_matrix" edits="a loop over the words"
ROWS_FROM_0 = (
    "The rows are counted from 0 in the order of the dict. Row 0 is that of the padding, and word "
    "number i belongs in row i.",
    {"for word, row in word_index.items()": "for row, word in enumerate(word_index)"},
)


# %% exercise="embedding_matrix" edits="a loop over the words"
STOPPED_AT_MISSING = (
    "The loop ends at the first word without a vector. Go on with the next word: that row alone "
    "stays 0.",
    {
        "        if word in vectors:\n            matrix[row] = vectors[word]": ""
        "        if word not in vectors:\n            break\n"
        "        matrix[row] = vectors[word]"
    },
    {
        "in word_index.items()": "in sorted(word_index.items(), key=lambda item: item[1])",
        "        if word in vectors:\n            matrix[row] = vectors[word]": ""
        "        if word not in vectors:\n            break\n"
        "        matrix[row] = vectors[word]",
    },
)

# %% exercise="embedding_matrix" edits="a loop over the words" wrong="UNKNOWN_RANDOM"
{
    "            matrix[row] = vectors[word]": "            matrix[row] = vectors[word]\n"
    "        else:\n            matrix[row] = np.random.default_rng(row).normal(size=dim)"
}
{
    "if word in vectors:\n            ": "",
    "[word]": ".get(word, np.random.default_rng(0).normal(size=dim))",
}
{
    "matrix = np.zeros((len(word_index) + 1, dim))": ""
    "rng = np.random.default_rng(1)\n    matrix = np.zeros((len(word_index) + 1, dim))",
    "            matrix[row] = vectors[word]": "            matrix[row] = vectors[word]\n"
    "        else:\n            matrix[row] = rng.normal(scale=0.6, size=dim)",
}
{
    "np.zeros((len(word_index) + 1, dim))": ""
    "np.random.default_rng(2).uniform(-0.05, 0.05, size=(len(word_index) + 1, dim))\n"
    "    matrix[0] = 0"
}


# %% exercise="pca" right="singular values of a centred copy"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return centred @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" right="singular values of x, centred"
def pca(x, n_components):
    x = x - x.mean(axis=0)
    _, s, components = np.linalg.svd(x, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    return x @ components.T, components, s[:n_components] ** 2 / np.sum(s**2)


# %% exercise="pca" edits="singular values of x, centred"
NOT_CENTRED = (
    "x is not centred. Subtract from every column its mean before the decomposition.",
    {"    x = x - x.mean(axis=0)\n": ""},
)
ROWS_CENTRED = (
    "The mean of every row is subtracted. The mean of every column belongs there: axis=0.",
    {"axis=0": "axis=1, keepdims=True"},
)
ONE_MEAN = (
    "One mean of all entries is subtracted. Every column has a mean of its own: axis=0.",
    {"axis=0": ""},
)
STANDARDISED = (
    "The columns are divided by their standard deviations. Here they are only centred.",
    {"x - x.mean(axis=0)": "(x - x.mean(axis=0)) / x.std(axis=0)"},
)
NOT_DIVIDED = (
    "The squared singular values are no shares yet. Divide them by the sum of all of them.",
    {" / np.sum(s**2)": ""},
)


# %% exercise="pca" wrong="SIGN_LEFT"
SIGN_LEFT = (
    "The sign of a component is wrong. Its entry with the largest magnitude must be positive."
)


def pca(x, n_components):
    centred = x - x.mean(axis=0)
    u, s, components = np.linalg.svd(centred, full_matrices=False)
    k = n_components
    return (u * s)[:, :k], components[:k], s[:k] ** 2 / np.sum(s**2)


# %% exercise="pca" edits="singular values of a centred copy" wrong="SIGN_LEFT"
{
    (
        "largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)\n    "
    ): "",
    "(largest)": "(components.max(axis=1, keepdims=True))",
}
{
    (
        "largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)\n    "
    ): "",
    "np.sign(largest)": "np.where(components[:, :1] < 0, -1, 1)",
}


# %% exercise="pca" wrong="SIGN_LEFT"
def pca(x, n_components):
    centred = x - x.mean(axis=0)
    u, s, components = np.linalg.svd(centred, full_matrices=False)
    signs = np.sign(np.take_along_axis(u, np.abs(u).argmax(0)[None], 0))[0]
    scores, components = u * s * signs, components * signs[:, None]
    ratio = s**2 / np.sum(s**2)
    return scores[:, :n_components], components[:n_components], ratio[:n_components]


# %% exercise="pca" wrong="SCORES_UNFLIPPED"
SCORES_UNFLIPPED = (
    "The signs of the components are changed without those of the scores. Both belong together."
)


def pca(x, n_components):
    centred = x - x.mean(axis=0)
    u, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = (components * np.sign(largest))[:n_components]
    ratio = s[:n_components] ** 2 / np.sum(s**2)
    return (u * s)[:, :n_components], components, ratio


# %% exercise="pca" wrong="NOT_SCALED"
NOT_SCALED = (
    "The scores are the columns of U. Multiply them by the singular values, or multiply the "
    "centred data by the components."
)


def pca(x, n_components):
    centred = x - x.mean(axis=0)
    u, s, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    signs = np.sign(largest)
    components = (components * signs)[:n_components]
    ratio = s[:n_components] ** 2 / np.sum(s**2)
    return (u * signs[:, 0])[:, :n_components], components, ratio


# %% exercise="pca" edits="singular values of x, centred"
SCORES_UNCENTRED = (
    "The scores are computed from x as it is. They belong to the centred data, so their mean is 0.",
    {
        "    x = x - x.mean(axis=0)\n": "",
        "x, full_matrices=False": "x - x.mean(axis=0), full_matrices=False",
    },
)

# %% exercise="pca" edits="singular values of a centred copy"
TRANSPOSED_COMPONENTS = (
    "The components are columns. Each must be a row, so that the shape is (n_components, d).",
    {"[:n_components]\n": "[:n_components].T\n", "components.T": "components"},
)
COLUMNS_OF_VT = (
    "The components are columns of Vᵀ. np.linalg.svd returns Vᵀ, whose rows they are.",
    {
        "components = np.linalg.svd(centred, full_matrices=False)": (
            "v = np.linalg.svd(centred)\n    components = v[:, :n_components].T"
        ),
        "(components * np.sign(largest))[:n_components]": "components * np.sign(largest)",
    },
)
NOT_SQUARED = (
    "The shares are those of the singular values. Variances are proportional to their squares.",
    {" ** 2": "", "s**2": "s"},
)
KEPT_ONLY = (
    "The shares are those of the kept components. Divide by the variance of all of them.",
    {
        "return": "variances = s[:n_components] ** 2\n    return",
        "s[:n_components] ** 2 / np.sum(s**2)": "variances / variances.sum()",
    },
)
CUMULATIVE = (
    "The shares are added up. Each must be the share of one component alone.",
    {"s[:n_components] ** 2 / np.sum(s**2)": "np.cumsum(s**2 / np.sum(s**2))[:n_components]"},
)
ALL_COMPONENTS = (
    "The argument n_components is ignored. Only so many components and scores are returned.",
    {
        "(components * np.sign(largest))[:n_components]": "components * np.sign(largest)",
        "s[:n_components]": "s",
    },
)
COMPONENTS_FIRST = (
    "The components come first. The order is scores, components, explained_variance_ratio.",
    {"centred @ components.T, components": "components, centred @ components.T"},
)
VARIANCES = (
    "These are the variances. Divide them by the total variance.",
    {"np.sum(s**2)": "(len(x) - 1)"},
)


# %% exercise="pca" wrong="SMALLEST_FIRST"
SMALLEST_FIRST = "The component with the smallest variance comes first. It must come last."


def pca(x, n_components):
    centred = x - x.mean(axis=0)
    variances, directions = np.linalg.eigh(centred.T @ centred)
    components = directions.T[:n_components]
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = components * np.sign(largest)
    ratio = variances[:n_components] / variances.sum()
    return centred @ components.T, components, ratio


# %% exercise="pca" wrong="UNSORTED"
UNSORTED = (
    "The components are not in the order of their variances. np.linalg.eig promises no order, so "
    "sort them, the largest variance first."
)


def pca(x, n_components):
    centred = x - x.mean(axis=0)
    variances, directions = np.linalg.eig(centred.T @ centred)
    variances, components = variances.real, directions.real.T[:n_components]
    largest = np.take_along_axis(components, np.abs(components).argmax(1)[:, None], 1)
    components = components * np.sign(largest)
    ratio = variances[:n_components] / variances.sum()
    return centred @ components.T, components, ratio


# %% exercise="pca" edits="singular values of x, centred" wrong="INPUT_CHANGED"
{"x = x -": "x -="}


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


# %% exercise="pca" edits="singular values of a centred copy" wrong="SIGN_LEFT"
{"components * np.sign(largest)": "-components * np.sign(largest)"}

# %% exercise="pca" edits="singular values of a centred copy" wrong="SMALLEST_FIRST"
{"(components * np.sign(largest))": "(components * np.sign(largest))[::-1]"}

# %% exercise="pca" edits="singular values of a centred copy"
PERCENT = (
    "The shares are in percent. They must be numbers from 0 to 1.",
    {"s[:n_components] ** 2 /": "100 * s[:n_components] ** 2 /"},
)
SHARES_OF_ALL = (
    "The shares of all components are returned. Return those of the first n_components.",
    {"s[:n_components] ** 2 /": "s**2 /"},
)
LAST_COMPONENTS = (
    "These are the last components. Keep the first ones, which have the largest variances.",
    {"(components * np.sign(largest))[:n": "(components * np.sign(largest))[-n"},
)
TOTAL_OF_X = (
    "The total is the sum of squares of x itself. It must be that of the centred data.",
    {"np.sum(s**2)": "np.sum(x**2)"},
)
ONE_MEAN_IN_TOTAL = (
    "The total is the variance of all entries about one mean. Add up the variances of the columns, "
    "each about its own mean.",
    {"np.sum(s**2)": "(x.var() * x.size)"},
    {"s[:n_components] ** 2 / np.sum(s**2)": "s[:n_components] ** 2 / len(x) / x.var()"},
)
TWO_DIVISORS = (
    "One variance is divided by n and the other by n - 1. Use the same divisor for a component and "
    "for the total.",
    {"np.sum(s**2)": "((len(x) - 1) * x.var(axis=0).sum())"},
    {"np.sum(s**2)": "(len(x) * x.var(axis=0, ddof=1).sum())"},
)
OF_THE_FIRST = (
    "The shares are relative to the first component. Divide by the variance of all of them.",
    {"np.sum(s**2)": "s[0] ** 2"},
)
WHITENED = (
    "The scores are divided by their standard deviations. They are the coordinates themselves.",
    {"centred @ components.T,": "centred @ components.T / s[:n_components] * (len(x) - 1) ** 0.5,"},
    {"centred @ components.T,": "centred @ components.T / s[:n_components] * len(x) ** 0.5,"},
)
MAGNITUDES = (
    "The entries of the components have lost their signs. Either all entries of a component change "
    "their sign or none.",
    {"components * np.sign(largest)": "np.abs(components)"},
)
SCALED_COMPONENTS = (
    "The components are multiplied by the singular values. Each must have length 1.",
    {"components.T, components": "components.T, components * s[:n_components, None]"},
)
MEDIAN = (
    "The median of every column is subtracted. It must be the mean.",
    {"x.mean(axis=0)": "np.median(x, axis=0)"},
)
CUT_TO_INTEGERS = (
    "The mean, or what is left of the data, is cut off to integers when x holds integers. Keep the "
    "fractions.",
    {"x.mean(axis=0)": "x.mean(axis=0).astype(x.dtype)"},
    {"x - x.mean(axis=0)": "(x - x.mean(axis=0)).astype(x.dtype)"},
)
FAILS_FOR_INTEGERS = (
    "A copy of x is changed in place, which fails when x holds integers. Write x - x.mean(axis=0), "
    "which makes a new array.",
    {"centred = x - x.mean(axis=0)": "centred = x.copy()\n    centred -= x.mean(axis=0)"},
)
NOT_TRANSPOSED = (
    "The centred data are multiplied by the components as they are. Transpose the components, so "
    "that each row of the data meets each component.",
    {"centred @ components.T": "centred @ components"},
)


# %% exercise="pca" right="U times S"
def pca(x, n_components):
    u, s, vt = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    signs = np.array([np.sign(max(row, key=abs)) for row in vt])
    scores, components = u * s * signs, vt * signs[:, None]
    ratio = s**2 / np.sum(s**2)
    return scores[:, :n_components], components[:n_components], ratio[:n_components]


# %% exercise="pca" edits="U times S"
FULL_MATRICES = (
    "U and Vᵀ are square here, so they do not fit the singular values when x has more rows than "
    "columns, or fewer. Give np.linalg.svd full_matrices=False.",
    {", full_matrices=False": ""},
    {", full_matrices=False": "", "u * s * signs": "u @ np.diag(s) * signs"},
    {", full_matrices=False": "", "u * s * signs": "u[:, : x.shape[1]] * s * signs"},
    {
        ", full_matrices=False)": ")\n    vt = vt[: len(x)]",
        "u * s * signs": "u * s * signs",
    },
)


# %% exercise="pca" edits="singular values of a centred copy"
VARIANCES_SQUARED = (
    "The shares are those of squared variances. The singular values of a covariance matrix are "
    "variances already.",
    {"s[:n_components] ** 2 / np.sum(s**2)": "s[:n_components] ** 4 / np.sum(s**4)"},
)
VARIANCES_OF_COLUMNS = (
    "The shares are those of the columns of x. A share belongs to a component and comes from its "
    "singular value.",
    {
        "s[:n_components] ** 2 / np.sum(s**2)": (
            "np.var(x, axis=0)[:n_components] / np.var(x, axis=0).sum()"
        )
    },
)
MULTIPLIED_BACK = (
    "The scores are multiplied by the components again, which leads back to the columns of x. The "
    "scores are the coordinates along the components.",
    {"return centred @ components.T,": "return centred @ components.T @ components,"},
)

# %% exercise="pca" edits="U times S"
COMPONENTS_UNFLIPPED = (
    "The signs of the scores are changed without those of the components. Both belong together.",
    {"vt * signs[:, None]": "vt"},
)

# %% exercise="pca" edits="U times S" wrong="MAGNITUDES"
{"u * s * signs, vt * signs[:, None]": "u * s, np.abs(vt)"}

# %% exercise="pca" edits="eigenvectors of the covariance"
ROWS_OF_EIGENVECTORS = (
    "The rows of the matrix of eigenvectors are taken. The eigenvectors are its columns.",
    {"directions[:, order].T.copy()": "directions[order].copy()"},
)


# %% exercise="pca" edits="singular values of x, centred"
ZEROS_FOR_A_COMPONENT = (
    "A component without any variance is a row of zeros. It must have length 1 like the others.",
    {
        "    return x @ components.T": ""
        "    components = components * (s[:n_components] > 1e-9)[:, None]\n"
        "    return x @ components.T"
    },
)


# %% exercise="mix" right="one line"
def mix(embeddings, positions, w_embedding, w_position):
    return w_embedding * embeddings + w_position * positions


# %% exercise="mix" edits="one line"
WEIGHTS_SWAPPED = (
    "The two weights are swapped. The first belongs to the embeddings.",
    {"w_embedding *": "w_position *", "w_position *": "w_embedding *"},
)


# %% exercise="mix" wrong="WEIGHTS_NORMALISED"
WEIGHTS_NORMALISED = "The weights are divided by their sum. They are used as they are given."


def mix(embeddings, positions, w_embedding, w_position):
    total = w_embedding + w_position
    return w_embedding / total * embeddings + w_position / total * positions


# %% exercise="mix" edits="one line"
POSITION_UNWEIGHTED = "The positions are added without their weight.", {" w_position *": ""}
EMBEDDING_UNWEIGHTED = "The embeddings are added without their weight.", {" w_embedding *": ""}
POSITIONS_LEFT_OUT = "The positions are left out.", {" + w_position * positions": ""}
EMBEDDINGS_LEFT_OUT = "The embeddings are left out.", {"w_embedding * embeddings + ": ""}
ONE_WEIGHT = (
    "The positions have the weight of the embeddings. Each of the two has its own weight.",
    {"w_position *": "w_embedding *"},
)


# %% exercise="mix" wrong="MULTIPLIED"
MULTIPLIED = "The two terms are multiplied. They must be added."


def mix(embeddings, positions, w_embedding, w_position):
    return (w_embedding * embeddings) * (w_position * positions)


# %% exercise="mix" wrong="FIRST_TEXT"
FIRST_TEXT = "The positions are added to the first text only. Every text has the same positions."


def mix(embeddings, positions, w_embedding, w_position):
    mixture = w_embedding * embeddings
    if mixture.ndim == 3:
        mixture[0] += w_position * positions
    else:
        mixture += w_position * positions
    return mixture


# %% exercise="mix" wrong="FRACTIONS_CUT"
FRACTIONS_CUT = (
    "The sum is written into an array of integers, which cuts the fractions off. Let NumPy make "
    "the array of the sum."
)


def mix(embeddings, positions, w_embedding, w_position):
    mixture = np.zeros_like(embeddings)
    mixture[...] = w_embedding * embeddings + w_position * positions
    return mixture


# %% exercise="mix" edits="one line" wrong="FRACTIONS_CUT"
{
    "w_embedding * embeddings + w_position * positions": (
        "(w_embedding * embeddings + w_position * positions).astype(positions.dtype)"
    )
}


# %% exercise="mix" wrong="INPUT_CHANGED"
def mix(embeddings, positions, w_embedding, w_position):
    embeddings *= w_embedding
    embeddings += w_position * positions
    return embeddings


# %% exercise="mix" edits="one line"
ZEROS_LEFT = (
    "A word whose vector is zero gets no position. Every word gets one.",
    {"* positions": "* positions * (np.abs(embeddings).sum(-1, keepdims=True) > 0)"},
)
NO_WEIGHTS = (
    "The weights are not used. Each term is multiplied by its own.",
    {" w_embedding *": "", " w_position *": ""},
)


# %% exercise="mix" wrong="SIDE_BY_SIDE"
SIDE_BY_SIDE = "The two terms stand side by side. They must be added."


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


# %% exercise="mix" edits="one line"
CUT_WEIGHT = (
    "A weight is cut off to an integer. Use the weights as they are given.",
    {"w_embedding *": "int(w_embedding) *", "w_position *": "int(w_position) *"},
    {"w_embedding *": "int(w_embedding) *"},
    {"w_position *": "int(w_position) *"},
)
UNSIGNED_WEIGHT = (
    "A negative weight is used without its sign. Use the weights as they are given.",
    {"w_embedding *": "abs(w_embedding) *", "w_position *": "abs(w_position) *"},
    {"w_position *": "abs(w_position) *"},
    {"w_embedding *": "abs(w_embedding) *"},
)
NEGATIVE_AS_ZERO = (
    "A negative weight is taken for 0. Use the weights as they are given.",
    {"w_embedding *": "max(w_embedding, 0) *", "w_position *": "max(w_position, 0) *"},
    {"w_position *": "max(w_position, 0) *"},
    {"w_embedding *": "max(w_embedding, 0) *"},
)
ZERO_AS_ONE = (
    "A weight of 0 is taken for 1. It leaves its term out.",
    {"w_embedding *": "(w_embedding or 1) *"},
    {"w_position *": "(w_position or 1) *"},
    {"w_embedding * embeddings": "(w_embedding * embeddings if w_position else embeddings)"},
    {"w_embedding *": "(w_embedding or 1) *", "w_position *": "(w_position or 1) *"},
)
ROOTS_OF_WEIGHTS = (
    "The square roots of the weights are used. Use the weights as they are given.",
    {"w_embedding *": "abs(w_embedding) ** 0.5 *", "w_position *": "abs(w_position) ** 0.5 *"},
)
SHIFTED = (
    "The positions are shifted by one row. Step t gets row t of positions.",
    {"* positions": "* np.roll(positions, 1, axis=0)"},
)
CENTRED = (
    "The mean is subtracted from the positions. Use them as they are given.",
    {"* positions": "* (positions - positions.mean(axis=0))"},
)
NORMALISED = (
    "The rows of the embeddings are divided by their lengths. Use them as they are given.",
    {
        "w_embedding * embeddings": (
            "w_embedding * embeddings\n"
            "    / np.linalg.norm(embeddings, axis=-1, keepdims=True).clip(1e-9)\n    "
        ),
        "return": "return (",
        "* positions": "* positions)",
    },
)
SQUEEZED = (
    "An axis of length 1 is lost. One text of shape (1, time, d) keeps its three axes.",
    {
        "w_embedding * embeddings + w_position * positions": (
            "np.squeeze(w_embedding * embeddings + w_position * positions)"
        )
    },
)
HALVED = (
    "The mean of the two terms is returned. They must be added.",
    {
        "w_embedding * embeddings + w_position * positions": (
            "(w_embedding * embeddings + w_position * positions) / 2"
        )
    },
)
AXIS_MORE = (
    "The result has one axis too many. It must have the shape of embeddings, one text or several.",
    {"* positions": "* positions[:, None]"},
    {"w_embedding * embeddings +": "w_embedding * embeddings.reshape(-1, *positions.shape) +"},
)
ONE_POSITION = (
    "All steps get the same position. Step t gets row t of positions.",
    {"* positions": "* positions[0]"},
    {"* positions": "* positions.mean(axis=0)"},
)
SUBTRACTED = (
    "The positions are subtracted. The two terms must be added.",
    {"embeddings + w_position": "embeddings - w_position"},
)
COMPLEMENT = (
    "The positions get the weight 1 - w_embedding. They have a weight of their own, w_position.",
    {"w_position * positions": "(1 - w_embedding) * positions"},
)
WEIGHTS_SQUARED = (
    "A weight is squared. The weights are used as they are given.",
    {"w_embedding * embeddings": "w_embedding**2 * embeddings"},
    {
        "w_embedding * embeddings": "w_embedding**2 * embeddings",
        "w_position * positions": "w_position**2 * positions",
    },
)
TIMES_ROOT = (
    "The embeddings are also multiplied by the square root of d. Here their only factor is "
    "w_embedding.",
    {"w_embedding * embeddings": "np.sqrt(embeddings.shape[-1]) * w_embedding * embeddings"},
)


# %% exercise="mix" edits="one line"
WEIGHT_OF_THE_SUM = (
    "One of the weights multiplies the whole sum. Each weight multiplies its own term.",
    {
        "w_embedding * embeddings + w_position * positions": (
            "w_position * (w_embedding * embeddings + positions)"
        )
    },
    {
        "w_embedding * embeddings + w_position * positions": (
            "w_embedding * (embeddings + w_position * positions)"
        )
    },
)


# %% exercise="mix" wrong="FIRST_AXIS"
FIRST_AXIS = (
    "The positions are paired with the first axis of the embeddings. With several texts, that axis "
    "counts the texts; the positions belong to the last but one."
)


def mix(embeddings, positions, w_embedding, w_position):
    rows = [w_embedding * e + w_position * p for e, p in zip(embeddings, positions, strict=False)]
    return np.array(rows)


# %% exercise="mix" wrong="FIRST_AXIS"
def mix(embeddings, positions, w_embedding, w_position):
    mixture = np.zeros(embeddings.shape)
    for i in range(min(len(embeddings), len(positions))):
        mixture[i] = w_embedding * embeddings[i] + w_position * positions[i]
    return mixture


# %% exercise="mix" wrong="FIRST_AXIS"
def mix(embeddings, positions, w_embedding, w_position):
    if np.ndim(embeddings) == 3:
        positions = positions[:, None, :]
    return w_embedding * embeddings + w_position * positions


# %% exercise="mix" wrong="FIRST_AXIS"
def mix(embeddings, positions, w_embedding, w_position):
    mixture = np.zeros(embeddings.shape)
    for i in range(len(embeddings)):
        mixture[i] = w_embedding * embeddings[i] + w_position * positions[i]
    return mixture


# %% exercise="mix" edits="one line" wrong="FIRST_AXIS"
{
    "* positions": (
        "* (\n        positions[np.arange(len(embeddings)) % len(positions)][:, None]\n"
        "        if embeddings.ndim == 3\n        else positions\n    )"
    )
}
{
    "* positions": (
        "* (\n        positions[:, None]\n"
        "        if embeddings.ndim == 3 and len(embeddings) == len(positions)\n"
        "        else positions\n    )"
    )
}


# %% exercise="mix" wrong="POSITIONS_REPEATED"
POSITIONS_REPEATED = (
    "With several texts, each row of positions is repeated before the next one comes, so the words "
    "get the positions of others. All texts get the same rows."
)


def mix(embeddings, positions, w_embedding, w_position):
    if embeddings.ndim == 3:
        positions = np.repeat(positions, len(embeddings), axis=0).reshape(embeddings.shape)
    return w_embedding * embeddings + w_position * positions


# %% exercise="mix" edits="one line"
WEIGHTS_REFUSED = (
    "Negative weights are refused. Any two numbers are allowed, as the card says.",
    {
        "    return": "    if w_embedding < 0 or w_position < 0:\n"
        '        raise ValueError("a weight is negative")\n    return'
    },
)


# %% exercise="position_share" right="rows named"
def position_share(embeddings, positions, w_embedding, w_position):
    rows = embeddings.reshape(-1, embeddings.shape[-1])
    v_e = np.var(w_embedding * rows, axis=0).sum()
    v_p = np.var(w_position * positions, axis=0).sum()
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" right="without names for the rows"
def position_share(embeddings, positions, w_embedding, w_position):
    e = np.var(w_embedding * embeddings.reshape(-1, embeddings.shape[-1]), axis=0).sum()
    p = np.var(w_position * positions, axis=0).sum()
    return p / (e + p) if e + p else 0.0


# %% exercise="position_share" wrong="VARIANCE_OF_SUM"
VARIANCE_OF_SUM = (
    "The denominator is the variance of the mixture, with its cross terms. It must be V_1 + V_2."
)


def position_share(embeddings, positions, w_embedding, w_position):
    mixture = w_embedding * embeddings + w_position * positions
    of_positions = np.var(w_position * positions, axis=0).sum()
    total = np.var(mixture.reshape(-1, mixture.shape[-1]), axis=0).sum()
    return of_positions / total if total else 0.0


# %% exercise="position_share" wrong="REST_OF_THE_SUM"
REST_OF_THE_SUM = (
    "This is 1 minus V_1 divided by the variance of the mixture, which has cross terms. Divide V_2 "
    "by V_1 + V_2."
)


def position_share(embeddings, positions, w_embedding, w_position):
    mixture = w_embedding * embeddings + w_position * positions
    of_words = np.var(w_embedding * embeddings.reshape(-1, embeddings.shape[-1]), axis=0).sum()
    total = np.var(mixture.reshape(-1, mixture.shape[-1]), axis=0).sum()
    return 1 - of_words / total if total else 0.0


# %% exercise="position_share" edits="rows named"
UNWEIGHTED = (
    "The weights are not used. Both terms are multiplied by their weights first.",
    {
        "rows = embeddings.reshape(-1, embeddings.shape[-1])\n    ": "",
        "w_embedding * rows": "embeddings.reshape(-1, embeddings.shape[-1])",
        "w_position * ": "",
    },
)
WEIGHT_NOT_SQUARED = (
    "The weights are not squared. The variance of w x is w² times the variance of x.",
    {
        "np.var(w_embedding * rows": "abs(w_embedding) * np.var(rows",
        "np.var(w_position * ": "abs(w_position) * np.var(",
    },
)
ONE_WEIGHT_NOT_SQUARED = (
    "One of the weights is not squared. The variance of w x is w² times the variance of x.",
    {"np.var(w_position * ": "abs(w_position) * np.var("},
    {"np.var(w_embedding * rows": "abs(w_embedding) * np.var(rows"},
)
WEIGHTED_TWICE = (
    "The weights are used twice. A term that has been multiplied by its weight needs no other "
    "factor.",
    {
        "v_e = np.var": "v_e = w_embedding**2 * np.var",
        "v_p = np.var": "v_p = w_position**2 * np.var",
    },
)
SIGN_OF_THE_WEIGHT = (
    "The sign of a weight changes the share. The variance of w x is w² times the variance of x, "
    "also for a negative w.",
    {"v_p = np.var": "v_p = np.sign(w_position) * np.var"},
    {"v_p = np.var": "v_p = (w_position > 0) * np.var"},
    {"if v_e + v_p": "if v_e + v_p and w_position > 0"},
)
ZERO_ROWS_DROPPED = (
    "Rows of zeros are left out. Every row is a sample, that of an unknown word, too.",
    {"embeddings.shape[-1])": "embeddings.shape[-1])\n    rows = rows[rows.any(axis=1)]"},
)
ONE_COLUMN = (
    "Only the column with the largest variance counts. Add up the variances of all columns.",
    {
        "rows, axis=0).sum()": "rows, axis=0).max()",
        "positions, axis=0).sum()": "positions, axis=0).max()",
    },
)
MEAN_OF_COLUMNS = (
    "A share is computed for each column, and the mean of these is taken. Add up the variances of "
    "all columns before you divide.",
    {
        "rows, axis=0).sum()": "rows, axis=0)",
        "positions, axis=0).sum()": "positions, axis=0)",
        "v_p / (v_e + v_p) if v_e + v_p else 0.0": (
            "np.mean(v_p / np.where(v_e + v_p > 0, v_e + v_p, 1))"
        ),
    },
)
MEAN_TEXT = (
    "The mean of the texts is taken first. The rows of all texts together are the samples.",
    {
        "embeddings.reshape(-1, embeddings.shape[-1])": (
            "embeddings.mean(axis=0) if embeddings.ndim == 3 else embeddings"
        )
    },
)
FIRST_TEXT_ONLY = (
    "Only the first text counts. The rows of all texts together are the samples.",
    {
        "embeddings.reshape(-1, embeddings.shape[-1])": (
            "embeddings[0] if embeddings.ndim == 3 else embeddings"
        )
    },
)
ONE_TEXT_TAKEN_FOR_ONE_ROW = (
    "The share is 0 where len(embeddings) is 1, but one text has several rows. It is 0 only if "
    "nothing varies.",
    {"if v_e + v_p": "if v_e + v_p and len(embeddings) > 1"},
)
TORN_ROWS = (
    "The rows of the table are not those of the texts. Its rows must have d columns: reshape(-1, "
    "embeddings.shape[-1]).",
    {"reshape(-1, embeddings.shape[-1])": "reshape(embeddings.shape[-2], -1)"},
    {"reshape(-1, embeddings.shape[-1])": "reshape(embeddings.shape[-1], -1).T"},
)
NONE_FOR_NOTHING = (
    "Where nothing varies, None comes back. The share must be 0 then.",
    {"else 0.0": "else None"},
)
EMBEDDING_SHARE = (
    "This is the share of the embeddings. The positions belong in the numerator.",
    {"v_p /": "v_e /"},
)
RATIO = (
    "This is V_2 / V_1. A share divides by the sum V_1 + V_2.",
    {"v_p / (v_e + v_p) if v_e + v_p": "v_p / v_e if v_e"},
)
DEVIATIONS = (
    "These are standard deviations. A share of variance is a ratio of squared deviations.",
    {
        "np.var(w_embedding * rows, axis=0)": "np.std(w_embedding * rows, axis=0)",
        "v_p = np.var": "v_p = np.std",
    },
)
OVER_COLUMNS = (
    "The variance is taken along the rows. Each column has a variance of its own: axis=0 of the "
    "table.",
    {
        "rows = embeddings.reshape(-1, embeddings.shape[-1])\n    ": "",
        "rows, axis=0": "embeddings, axis=-1",
        "positions, axis=0": "positions, axis=-1",
    },
)

# %% exercise="position_share" wrong="ALL_ENTRIES"
ALL_ENTRIES = "One variance is taken of all entries. Take that of each column and add these up."


def position_share(embeddings, positions, w_embedding, w_position):
    v_e, v_p = np.var(w_embedding * embeddings), np.var(w_position * positions)
    return v_p / (v_e + v_p) if v_e + v_p else 0.0


# %% exercise="position_share" edits="rows named"
WITHIN_TEXTS = (
    "The variance is taken within each text. The rows of all texts together are the samples.",
    {
        "rows = embeddings.reshape(-1, embeddings.shape[-1])\n    ": "",
        "rows, axis=0).sum()": "embeddings, axis=-2).sum(axis=-1).mean()",
    },
)
SAMPLE_VARIANCE = (
    "The variances are divided by n - 1. Population variances are divided by n, as np.var does.",
    {
        "v_e = np": "if len(positions) == 1:\n        return 0.0\n    v_e = np",
        "rows, axis=0": "rows, axis=0, ddof=1",
        "positions, axis=0": "positions, axis=0, ddof=1",
    },
)
NOT_ABOUT_THE_MEAN = (
    "The mean is not subtracted. A variance is the mean square about the mean of its column.",
    {
        "np.var(w_embedding * rows, axis=0)": "np.mean((w_embedding * rows) ** 2, axis=0)",
        "np.var(w_position * positions, axis=0)": (
            "np.mean((w_position * positions) ** 2, axis=0)"
        ),
    },
)
SMALL_IS_NOTHING = (
    "A small variance is treated as none. Add nothing to the denominator, and set the share to 0 "
    "only where nothing varies.",
    {"v_p / (v_e + v_p) if v_e + v_p else 0.0": "v_p / (v_e + v_p + 1e-8)"},
    {
        "v_p / (v_e + v_p) if v_e + v_p else 0.0": (
            "0.0 if np.isclose(v_e + v_p, 0) else v_p / (v_e + v_p)"
        )
    },
)
NAN_SHARE = (
    "Where nothing varies, 0 is divided by 0. The share must be 0 then.",
    {" if v_e + v_p else 0.0": ""},
)

# %% exercise="position_share" edits="without names for the rows"
TEXTS_ADDED = (
    "The variances within the texts are added up. The rows of all texts together are the samples "
    "of one variance.",
    {".reshape(-1, embeddings.shape[-1]), axis=0": ", axis=-2"},
)
OVER_TEXTS = (
    "With several texts, the variance is taken over the texts alone. The rows of all texts "
    "together are the samples.",
    {".reshape(-1, embeddings.shape[-1])": ""},
)
SUMS_OF_SQUARES = (
    "The squared deviations are added up, so several texts count several times. A variance is "
    "their mean.",
    {
        "e = np.var": "e = embeddings[..., 0].size * np.var",
        "p = np.var(w_position * positions, axis=0).sum()": (
            "p = len(positions) * np.var(w_position * positions, axis=0).sum()"
        ),
    },
)
PERCENT = "This is the share in percent. It must be a number from 0 to 1.", {"p /": "100 * p /"}


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


# %% exercise="position_share" edits="rows named"
WEIGHTS_SWAPPED = (
    "The two weights are swapped. The first belongs to the embeddings.",
    {
        "w_embedding * rows": "w_position * rows",
        "w_position * positions": "w_embedding * positions",
    },
)
NOTHING_IS_NOT_ZERO = (
    "Where nothing varies, the share is another number. It must be 0 then.",
    {"else 0.0": "else 0.5"},
    {"else 0.0": "else 1.0"},
)


# %% exercise="position_share" wrong="ZERO_WITHOUT_WORDS"
ZERO_WITHOUT_WORDS = (
    "The share is 0 here as soon as the word vectors do not vary. If the positions vary, they then "
    "have all of the variance; the share is 0 only if nothing varies."
)


def position_share(embeddings, positions, w_embedding, w_position):
    words = (w_embedding * embeddings).reshape(-1, positions.shape[1]).var(axis=0).sum()
    places = (w_position * positions).var(axis=0).sum()
    return 0.0 if words == 0 else float(places / (words + places))


# %% exercise="position_share" edits="rows named"
WEIGHTS_ALONE = (
    "Only the weights are compared. The share also depends on how much the word vectors and the "
    "positions vary.",
    {
        "return v_p / (v_e + v_p) if v_e + v_p else 0.0": (
            "return w_position**2 / (w_embedding**2 + w_position**2)"
        )
    },
    {
        "return v_p / (v_e + v_p) if v_e + v_p else 0.0": (
            "return abs(w_position) / (abs(w_embedding) + abs(w_position))"
        )
    },
)
SHARES_OF_COLUMNS = (
    "There is a share for each column. Add up the variances of all columns before you divide.",
    {
        "rows, axis=0).sum()": "rows, axis=0)",
        "positions, axis=0).sum()": "positions, axis=0)",
        "if v_e + v_p else 0.0": "if np.all(v_e + v_p) else 0.0",
    },
    {
        "rows, axis=0).sum()": "rows, axis=0)",
        "positions, axis=0).sum()": "positions, axis=0)",
        "return v_p / (v_e + v_p) if v_e + v_p else 0.0": (
            "return np.divide(v_p, v_e + v_p, out=np.zeros_like(v_p), where=v_e + v_p > 0)"
        ),
    },
)


# %% exercise="picture_correlation" right="SciPy's distances and rank correlation"
def picture_correlation(x, points):
    from scipy.spatial.distance import pdist
    from scipy.stats import spearmanr

    one, other = pdist(x), pdist(points)
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return spearmanr(one, other).statistic


# %% exercise="picture_correlation" right="ranks by SciPy"
def picture_correlation(x, points):
    from scipy.spatial.distance import pdist
    from scipy.stats import rankdata

    one = rankdata(pdist(x))
    other = rankdata(pdist(points))
    if one.std() == 0 or other.std() == 0:
        return 0.0
    return np.corrcoef(one, other)[0, 1]


# %% exercise="picture_correlation" edits="ranks by SciPy"
DISTANCES_NOT_RANKED = (
    "The distances themselves are correlated. Replace them by their ranks first.",
    {"rankdata(pdist(x))": "pdist(x)", "rankdata(pdist(points))": "pdist(points)"},
)
ONE_LIST_RANKED = (
    "Only one of the two lists is ranked. Replace the distances in the data and those in the "
    "picture by their ranks.",
    {"rankdata(pdist(x))": "pdist(x)"},
    {"rankdata(pdist(points))": "pdist(points)"},
)
TIES_IN_ORDER = (
    "Equal distances have different ranks. They must share the mean of their ranks, as rankdata "
    "gives it.",
    {"rankdata(pdist(x))": 'rankdata(pdist(x), "ordinal")', "(points))": '(points), "ordinal")'},
    {
        "rankdata(pdist(x))": "np.argsort(np.argsort(pdist(x), kind='stable'))",
        "rankdata(pdist(points))": "np.argsort(np.argsort(pdist(points), kind='stable'))",
    },
    # np.argsort may leave two equal distances in either order.
    {
        "rankdata(pdist(x))": "np.argsort(np.lexsort((-np.arange(len(pdist(x))), pdist(x))))",
        "rankdata(pdist(points))": (
            "np.argsort(np.lexsort((-np.arange(len(pdist(points))), pdist(points))))"
        ),
    },
    {
        "rankdata(pdist(x))": "np.argsort(np.lexsort((-np.arange(len(pdist(x))), pdist(x))))",
        "rankdata(pdist(points))": ("np.argsort(np.argsort(pdist(points), kind='stable'))"),
    },
    {
        "rankdata(pdist(x))": "np.argsort(np.argsort(pdist(x), kind='stable'))",
        "rankdata(pdist(points))": (
            "np.argsort(np.lexsort((-np.arange(len(pdist(points))), pdist(points))))"
        ),
    },
)
SMALLEST_RANK = (
    "Equal distances share the smallest of their ranks. They must share the mean of their ranks.",
    {"pdist(x))": 'pdist(x), "min")', "(points))": '(points), "min")'},
)
LARGEST_RANK = (
    "Equal distances share the largest of their ranks. They must share the mean of their ranks.",
    {"pdist(x))": 'pdist(x), "max")', "(points))": '(points), "max")'},
)
DENSE_RANK = (
    "The ranks after equal distances are not moved up. Three distances with two equal ones in "
    "front have the ranks 1.5, 1.5 and 3.",
    {"pdist(x))": 'pdist(x), "dense")', "(points))": '(points), "dense")'},
    {
        "rankdata(pdist(x))": "np.unique(pdist(x), return_inverse=True)[1]",
        "rankdata(pdist(points))": "np.unique(pdist(points), return_inverse=True)[1]",
    },
)
SORTED_PAIRS = (
    "The distances are sorted before they are compared. The k-th distance of both lists must "
    "belong to the same pair of points.",
    {
        "rankdata(pdist(x))": "np.sort(pdist(x))",
        "rankdata(pdist(points))": "np.sort(pdist(points))",
    },
    {
        "rankdata(pdist(x))": "np.sort(rankdata(pdist(x)))",
        "rankdata(pdist(points))": "np.sort(rankdata(pdist(points)))",
    },
)
ORDER_NOT_RANK = (
    "argsort gives the order of the distances, not their ranks. The rank of a distance is its "
    "place in this order.",
    {
        "rankdata(pdist(x))": "np.argsort(pdist(x), kind='stable')",
        "rankdata(pdist(points))": "np.argsort(pdist(points), kind='stable')",
    },
    # np.argsort may leave two equal distances in either order.
    {
        "rankdata(pdist(x))": "np.lexsort((-np.arange(len(pdist(x))), pdist(x)))",
        "rankdata(pdist(points))": ("np.lexsort((-np.arange(len(pdist(points))), pdist(points)))"),
    },
    {
        "rankdata(pdist(x))": "np.lexsort((-np.arange(len(pdist(x))), pdist(x)))",
        "rankdata(pdist(points))": ("np.argsort(pdist(points), kind='stable')"),
    },
    {
        "rankdata(pdist(x))": "np.argsort(pdist(x), kind='stable')",
        "rankdata(pdist(points))": ("np.lexsort((-np.arange(len(pdist(points))), pdist(points)))"),
    },
)
ENTRIES_COMPARED = (
    "The dot products of the rows are ranked. Rank the distances between them.",
    {
        "rankdata(pdist(x))": "rankdata((x @ x.T)[np.triu_indices(len(x), 1)])",
        "rankdata(pdist(points))": "rankdata((points @ points.T)[np.triu_indices(len(x), 1)])",
    },
)
CITY_BLOCK_PAIRS = (
    "The distances are sums of absolute differences. Take Euclidean distances.",
    {"pdist(x)": 'pdist(x, "cityblock")', "pdist(points)": 'pdist(points, "cityblock")'},
)
COSINE_PAIRS = (
    "Cosines are compared. Take the Euclidean distances, which do not depend on where the origin "
    "is.",
    {
        "pdist(x)": "np.nan_to_num(pdist(x, 'cosine'))",
        "pdist(points)": "np.nan_to_num(pdist(points, 'cosine'))",
    },
)
FROM_CENTRE = (
    "The distances from the centre are compared. Take the distances between all pairs of points.",
    {
        "rankdata(pdist(x))": "rankdata(np.linalg.norm(x - x.mean(axis=0), axis=1))",
        "rankdata(pdist(points))": (
            "rankdata(np.linalg.norm(points - points.mean(axis=0), axis=1))"
        ),
    },
)
NEIGHBOURS_ONLY = (
    "Only neighbouring rows are compared. Take the distances of all n (n - 1) / 2 pairs.",
    {
        "rankdata(pdist(x))": "rankdata(np.linalg.norm(np.diff(x, axis=0), axis=1))",
        "rankdata(pdist(points))": "rankdata(np.linalg.norm(np.diff(points, axis=0), axis=1))",
    },
)
ONE_POINT_ONLY = (
    "Only the distances from one point are compared. Take the distances of all n (n - 1) / 2 "
    "pairs.",
    {
        "rankdata(pdist(x))": "rankdata(np.linalg.norm(x[1:] - x[0], axis=1))",
        "rankdata(pdist(points))": "rankdata(np.linalg.norm(points[1:] - points[0], axis=1))",
    },
)
FIRST_COLUMN_ONLY = (
    "Only the first column of the points is used. The distances in the picture depend on all of "
    "its columns.",
    {"pdist(points)": "pdist(points[:, :1])"},
)
FIRST_COLUMNS_ONLY = (
    "Only the first column of x and of points is used. The distances depend on all columns.",
    {"pdist(x)": "pdist(x[:, :1])", "pdist(points)": "pdist(points[:, :1])"},
)
NEIGHBOURS_LEFT_OUT = (
    "The pairs of neighbouring rows are left out. np.triu_indices(n, k=1) begins right beside the "
    "diagonal.",
    {
        "from scipy.spatial.distance import pdist": (
            "from scipy.spatial.distance import pdist, squareform"
        ),
        "pdist(x)": "squareform(pdist(x))[np.triu_indices(len(x), 2)]",
        "pdist(points)": "squareform(pdist(points))[np.triu_indices(len(x), 2)]",
    },
)
OTHER_ORDER_OF_PAIRS = (
    "The pairs of the two lists are in different orders. Use the same indices for both: "
    "np.triu_indices and np.tril_indices go through the pairs differently.",
    {
        "from scipy.spatial.distance import pdist": (
            "from scipy.spatial.distance import pdist, squareform"
        ),
        "pdist(points)": "squareform(pdist(points))[np.tril_indices(len(x), -1)]",
    },
    {
        "from scipy.spatial.distance import pdist": (
            "from scipy.spatial.distance import pdist, squareform"
        ),
        "pdist(x)": "squareform(pdist(x))[np.tril_indices(len(x), -1)]",
    },
)
COLUMNS_STANDARDISED = (
    "The columns are divided by their standard deviations. Measure the distances between the rows "
    "as they are.",
    {
        "pdist(x)": "pdist(x / np.where(x.std(axis=0), x.std(axis=0), 1))",
        "pdist(points)": "pdist(points / np.where(points.std(axis=0), points.std(axis=0), 1))",
    },
    {"pdist(x)": "pdist(x / np.where(x.std(axis=0), x.std(axis=0), 1))"},
)
INTEGER_DISTANCES = (
    "The distances are cut off to integers when the points are integers. Keep their fractions.",
    {"pdist(x)": "pdist(x).astype(x.dtype)", "pdist(points)": "pdist(points).astype(points.dtype)"},
)
ROUNDED_DISTANCES = (
    "The distances are rounded to decimal places, which makes those of a small picture equal. Rank "
    "them as they are.",
    {"pdist(x)": "pdist(x).round(2)", "pdist(points)": "pdist(points).round(2)"},
    {"pdist(x)": "pdist(x).round(3)", "pdist(points)": "pdist(points).round(3)"},
)
COORDINATES_RANKED = (
    "The coordinates are ranked. Compute the distances first and rank these.",
    {
        "rankdata(pdist(x))": "rankdata(pdist(rankdata(x, axis=0)))",
        "rankdata(pdist(points))": "rankdata(pdist(rankdata(points, axis=0)))",
    },
    {
        "rankdata(pdist(x))": "pdist(rankdata(x, axis=0))",
        "rankdata(pdist(points))": "pdist(rankdata(points, axis=0))",
    },
    {
        "rankdata(pdist(x))": "rankdata(x[:, 0])",
        "rankdata(pdist(points))": "rankdata(points[:, 0])",
    },
)
RANKED_TOGETHER = (
    "Both lists of distances are ranked together. Each list has ranks of its own, because the "
    "picture may have another scale.",
    {
        "one = rankdata(pdist(x))\n    other = rankdata(pdist(points))": (
            "both = rankdata([*pdist(x), *pdist(points)])\n"
            "    one, other = np.split(both, [len(both) // 2])"
        ),
    },
)
RANKED_BY_ROW = (
    "The distances are ranked within each row of the matrix. Rank all pairs together.",
    {
        "from scipy.spatial.distance import pdist": (
            "from scipy.spatial.distance import pdist, squareform\n"
            "    pairs = np.triu_indices(len(x), 1)"
        ),
        "rankdata(pdist(x))": "rankdata(squareform(pdist(x)), axis=1)[pairs]",
        "rankdata(pdist(points))": "rankdata(squareform(pdist(points)), axis=1)[pairs]",
    },
)
MEAN_OVER_POINTS = (
    "The correlations of the single points are averaged. Rank the distances of all pairs together "
    "and correlate them once.",
    {
        "from scipy.spatial.distance import pdist": (
            "from scipy.spatial.distance import pdist, squareform\n"
            "    from scipy.stats import spearmanr"
        ),
        "np.corrcoef(one, other)[0, 1]": (
            "np.nan_to_num([\n"
            "        spearmanr(np.delete(a, i), np.delete(b, i)).statistic\n"
            "        for i, (a, b) in enumerate(zip(squareform(pdist(x)), "
            "squareform(pdist(points))))\n"
            "    ]).mean()"
        ),
    },
)
LOWER_HALF_COUNTED = (
    "The zeros that np.triu leaves are counted as distances. Take the entries above the diagonal "
    "alone: matrix[np.triu_indices(n, k=1)].",
    {
        "from scipy.spatial.distance import pdist": (
            "from scipy.spatial.distance import pdist, squareform"
        ),
        "pdist(x)": "np.triu(squareform(pdist(x))).ravel()",
        "pdist(points)": "np.triu(squareform(pdist(points))).ravel()",
    },
)
DIAGONAL_COUNTED = (
    "The distances of points from themselves are counted, too. They are 0 in both lists and make "
    "the correlation too large. Take each pair of two different points.",
    {
        "from scipy.spatial.distance import pdist": (
            "from scipy.spatial.distance import pdist, squareform"
        ),
        "pdist(x)": "squareform(pdist(x)).ravel()",
        "pdist(points)": "squareform(pdist(points)).ravel()",
    },
    {
        "from scipy.spatial.distance import pdist": (
            "from scipy.spatial.distance import pdist, squareform"
        ),
        "pdist(x)": "squareform(pdist(x))[np.triu_indices(len(x))]",
        "pdist(points)": "squareform(pdist(points))[np.triu_indices(len(x))]",
    },
)
NAN_CORRELATION = (
    "Where the distances do not vary, 0 is divided by 0. The result must be 0 then.",
    {"    if one.std() == 0 or other.std() == 0:\n        return 0.0\n": ""},
)
ONE_LIST_VARIES = (
    "Only one of the two lists is tested for variation. The result must be 0 when either of them "
    "does not vary.",
    {" or other.std() == 0": ""},
    {"one.std() == 0 or ": ""},
)
WHOLE_MATRIX = (
    "This is the matrix of all four correlations. Return the one number beside its diagonal.",
    {"[0, 1]": ""},
)
ON_THE_DIAGONAL = (
    "This is the correlation of one list with itself. Take an entry beside the diagonal of the "
    "matrix.",
    {"[0, 1]": "[0, 0]"},
)
SIGN_LOST = (
    "The sign of the correlation is lost. It is negative when points that are close in the data "
    "are far apart in the picture.",
    {"np.corrcoef(one, other)[0, 1]": "abs(np.corrcoef(one, other)[0, 1])"},
    {"np.corrcoef(one, other)[0, 1]": "max(0.0, np.corrcoef(one, other)[0, 1])"},
)
SIGN_TURNED = (
    "The sign of the correlation is wrong. It is positive when points that are close in the data "
    "are close in the picture.",
    {"np.corrcoef": "-np.corrcoef"},
    {"rankdata(pdist(x))": "rankdata(-pdist(x))"},
)
SQUARED = (
    "The correlation is squared. Return it as it is, with its sign.",
    {"[0, 1]": "[0, 1] ** 2"},
)
COVARIANCE = (
    "This is a covariance. A correlation divides it by the two standard deviations.",
    {"np.corrcoef(one, other)[0, 1]": "np.mean((one - one.mean()) * (other - other.mean()))"},
    {"np.corrcoef": "np.cov"},
)
TWO_KINDS_OF_VARIANCE = (
    "np.cov divides by n - 1, but np.std divides by n. Use the same divisor for both, or use "
    "np.corrcoef.",
    {"np.corrcoef(one, other)[0, 1]": "np.cov(one, other)[0, 1] / (one.std() * other.std())"},
)
RANKS_NOT_CENTRED = (
    "The mean is not subtracted from the ranks. A Pearson correlation compares the deviations "
    "from the mean.",
    {"np.corrcoef(one, other)[0, 1]": ("one @ other / np.sqrt((one @ one) * (other @ other))")},
)
ONE_WITHOUT_VARIATION = (
    "The result is 1 where the distances do not vary. It must be 0 then, because a picture in "
    "which all distances are equal shows nothing.",
    {"return 0.0": "return 1.0"},
)
SHORT_FORMULA = (
    "The formula 1 - 6 Σ d² / (m (m² - 1)) holds only without equal distances. Compute the "
    "Pearson correlation of the ranks.",
    {
        "np.corrcoef(one, other)[0, 1]": (
            "1 - 6 * np.sum((one - other) ** 2) / (len(one) * (len(one) ** 2 - 1))"
        )
    },
)
KENDALL = (
    "This is Kendall's rank correlation. Spearman's is the Pearson correlation of the ranks.",
    {
        "from scipy.stats import rankdata": "from scipy.stats import kendalltau, rankdata",
        "np.corrcoef(one, other)[0, 1]": "kendalltau(one, other).statistic",
    },
)

# %% exercise="picture_correlation" edits="SciPy's distances and rank correlation"
ROWS_RANKED = (
    "The entries of the two arrays are correlated. Correlate the distances between their rows.",
    {"pdist(x), pdist(points)": ("np.ravel(x)[: np.size(points)], np.ravel(points)[: np.size(x)]")},
)
RESULT_OBJECT = (
    "SciPy's result has two numbers, the correlation and its p-value. Return the correlation "
    "alone: .statistic.",
    {".statistic": ""},
)
P_VALUE = ("This is the p-value. Return the correlation: .statistic.", {".statistic": ".pvalue"})


# %% exercise="picture_correlation" right="every pair counted twice"
def picture_correlation(x, points):
    different = ~np.eye(len(x), dtype=bool)
    ranks = []
    for rows in (np.asarray(x, float), np.asarray(points, float)):
        distances = np.sqrt(((rows[:, None] - rows) ** 2).sum(-1))[different]
        below = (distances[:, None] > distances).sum(1)
        equal = (distances[:, None] == distances).sum(1)
        rank = below + (equal + 1) / 2
        ranks.append(rank - rank.mean())
    one, other = ranks
    scale = np.sqrt((one @ one) * (other @ other))
    return one @ other / scale if scale > 0 else 0


# %% exercise="picture_correlation" right="pandas ranks the pairs"
def picture_correlation(x, points):
    import math
    from itertools import combinations

    import pandas as pd

    pairs = list(combinations(range(len(x)), 2))
    table = pd.DataFrame(
        [(math.dist(x[i], x[j]), math.dist(points[i], points[j])) for i, j in pairs]
    )
    found = table.rank().corr().iloc[0, 1]
    return 0.0 if np.isnan(found) else found


# %% exercise="picture_correlation" right="distances by the hypotenuse, column by column"
def picture_correlation(x, points):
    from scipy.stats import rankdata

    def ranks(rows):
        one, other = np.triu_indices(len(rows), k=1)
        distances = np.zeros(len(one))
        for column in np.asarray(rows, float).T:
            distances = np.hypot(distances, column[one] - column[other])
        return rankdata(distances)

    first, second = ranks(x), ranks(points)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return np.corrcoef(first, second)[0, 1]


# %% exercise="picture_correlation" edits="ranks by SciPy" wrong="CITY_BLOCK_PAIRS"
{"pdist(x)": 'pdist(x, "cityblock")'}
{"pdist(points)": 'pdist(points, "cityblock")'}

# %% exercise="picture_correlation" edits="ranks by SciPy"
ONE_MINUS = (
    "This is one minus the correlation. Return the correlation itself.",
    {"return np.corrcoef": "return 1 - np.corrcoef"},
)


# %% exercise="picture_correlation" wrong="RANKED_WITH_THE_DIAGONAL"
RANKED_WITH_THE_DIAGONAL = (
    "The zeros of the diagonal are ranked, too. They tie with pairs of equal rows and shift their "
    "ranks; rank the pairs alone."
)


def picture_correlation(x, points):
    from scipy.spatial.distance import pdist, squareform
    from scipy.stats import rankdata

    upper = np.triu_indices(len(x), 1)
    one, other = (
        rankdata(squareform(pdist(part))).reshape(len(x), -1)[upper] for part in (x, points)
    )
    if one.std() == 0 or other.std() == 0:
        return 0.0
    return np.corrcoef(one, other)[0, 1]


# %% exercise="picture_correlation" edits="ranks by SciPy" wrong="DISTANCES_NOT_RANKED"
{
    "one = rankdata(pdist(x))": "one = pdist(x) ** 2",
    "other = rankdata(pdist(points))": "other = pdist(points) ** 2",
}

# %% exercise="picture_correlation" edits="ranks by SciPy"
POINTS_FOR_PAIRS = (
    "The formula 1 - 6 Σ d² / (m (m² - 1)) is used with the number of points. Here m is the "
    "number of pairs, and the formula holds only without equal distances.",
    {
        "return np.corrcoef(one, other)[0, 1]": (
            "n = len(x)\n    return 1 - 6 * ((one - other) ** 2).sum() / (n * (n**2 - 1))"
        )
    },
)


# %% exercise="remove_directions" right="projected and subtracted"
def remove_directions(x, positions, count):
    centred = positions - positions.mean(axis=0)
    u, s, vt = np.linalg.svd(centred, full_matrices=False)
    v = vt[:count]
    return x - x @ v.T @ v


# %% exercise="remove_directions" right="eigenvectors, sorted"
def remove_directions(x, positions, count):
    centred = positions - positions.mean(axis=0)
    values, vectors = np.linalg.eig(centred.T @ centred)
    values, vectors = values.real, vectors.real
    v = vectors[:, np.argsort(-values)[:count]]
    return x - x @ v @ v.T


# %% exercise="remove_directions" edits="projected and subtracted"
POSITIONS_NOT_CENTRED = (
    "The positions are not centred before the SVD. Their first direction is then that of their "
    "mean, in which they need not vary.",
    {"positions - positions.mean(axis=0)": "positions"},
)
CENTRED_ALONG_ROWS = (
    "The mean of each row is subtracted from the positions. Subtract the mean of each column: "
    "axis=0.",
    {"positions.mean(axis=0)": "positions.mean(axis=1, keepdims=True)"},
)
X_CENTRED = (
    "The mean of x is gone. Subtract nothing from x but its components along the directions.",
    {
        "return x - x @ v.T @ v": (
            "x = x - x.reshape(-1, x.shape[-1]).mean(axis=0)\n    return x - x @ v.T @ v"
        )
    },
    {
        "return x - x @ v.T @ v": (
            "x = x - x.mean(axis=-2, keepdims=True) if x.ndim > 1 else x\n"
            "    return x - x @ v.T @ v"
        )
    },
    {
        "return x - x @ v.T @ v": (
            "x = x - x.mean(axis=-2, keepdims=True) if x.ndim > 2 else x\n"
            "    return x - x @ v.T @ v"
        )
    },
)
POSITIONS_MEAN_REMOVED = (
    "The mean of the positions is subtracted from x. Subtract nothing but the components along "
    "the directions.",
    {"return x": "x = x - positions.mean(axis=0)\n    return x"},
    {"return x - x @ v.T @ v": "return x - (x - positions.mean(axis=0)) @ v.T @ v"},
)
KEPT_FROM_BEFORE = (
    "The directions are those of an earlier call. Compute them from the positions of each call.",
    {
        "positions, count):": "positions, count, kept={}):",
        "vt[:count]": "kept.setdefault(positions.shape, vt)[:count]",
    },
)
FIRST_TEXT_ONLY = (
    "Only the first text is changed. Remove the directions from every vector of x.",
    {
        "return x - x @ v.T @ v": (
            "left = x - x @ v.T @ v\n    if x.ndim > 2:\n        left[1:] = x[1:]\n    return left"
        )
    },
)
MEAN_ADDED = (
    "A mean is added to the result. Subtract the components along the directions and add nothing.",
    {
        "return x - x @ v.T @ v": (
            "return x - x @ v.T @ v + x.reshape(-1, x.shape[-1]).mean(axis=0)"
        )
    },
    {"return x - x @ v.T @ v": "return x - x @ v.T @ v + positions.mean(axis=0)"},
)
MEAN_COMPONENTS_REMOVED = (
    "The components of the positions' mean are subtracted from x. Subtract those of x itself.",
    {"return x - x @ v.T @ v": "return x - positions.mean(axis=0) @ v.T @ v"},
)
REMAINDER_LOST = (
    "What lies along none of the rows of Vᵀ is lost. With fewer positions than columns, they are "
    "not all directions of the space. Subtract from x instead.",
    {"return x - x @ v.T @ v": "return x @ vt[count:].T @ vt[count:]"},
)
DIRECTIONS_OF_U = (
    "The directions are taken from U. They are the first rows of Vᵀ, the third result of "
    "np.linalg.svd.",
    {"vt[:count]": "u.T[:count, : positions.shape[1]]"},
    {"vt[:count]": "u[:count, : positions.shape[1]]"},
)
TYPE_OF_X = (
    "The result has the type of x, which cuts its fractions off when x holds integers. Keep them.",
    {"return x - x @ v.T @ v": "return (x - x @ v.T @ v).astype(x.dtype)"},
)
FAILS_FOR_INTEGERS = (
    "A copy of x is changed in place, which fails when x holds integers. Subtract by x - …, which "
    "makes a new array.",
    {"return x - x @ v.T @ v": "left = x.copy()\n    left -= x @ v.T @ v\n    return left"},
)
NOTHING_REMOVED = (
    "x comes back as it was. Subtract its components along the directions.",
    {"return x - x @ v.T @ v": "return x"},
)
COORDINATES_SUBTRACTED = (
    "The coordinates along the directions are subtracted. Multiply them by the directions first: "
    "x @ v.T @ v.",
    {"x @ v.T @ v": "x @ v.T"},
)
KEPT_NOT_REMOVED = (
    "The directions are kept and everything else is removed. Subtract this from x.",
    {"return x - x @ v.T @ v": "return x @ v.T @ v"},
)
COMPONENTS_ADDED = (
    "The components are added. Subtract them from x.",
    {"x - x @": "x + x @"},
)
SCORES_RETURNED = (
    "These are the coordinates along the directions. Multiply them by the directions and subtract "
    "the result from x.",
    {"return x - x @ v.T @ v": "return x @ v.T"},
)
COLUMNS_OF_V_TRANSPOSED = (
    "The columns of V transposed are taken as directions. The directions are its rows.",
    {"vt[:count]": "vt[:, :count].T"},
)
LAST_DIRECTIONS = (
    "The directions in which the positions vary least are removed. Remove the first ones.",
    {"vt[:count]": "vt[::-1][:count]"},
    {"vt[:count]": "vt[len(vt) - count :]"},
)
ONE_DIRECTION = (
    "Only one direction is removed. Remove the first `count` of them.",
    {"vt[:count]": "vt[count - 1 : count]"},
    {"vt[:count]": "vt[: min(count, 1)]"},
)
ONE_TOO_MANY = (
    "One direction too many is removed. vt[:count] holds the first `count` directions.",
    {"vt[:count]": "vt[: count + 1]"},
)
ONE_TOO_FEW = (
    "One direction too few is removed. vt[:count] holds the first `count` directions.",
    {"vt[:count]": "vt[: max(count - 1, 0)]"},
)
FIRST_LEFT_OUT = (
    "The first direction is skipped. The direction of the largest variance has index 0.",
    {"vt[:count]": "vt[1 : count + 1]"},
)
DIRECTIONS_OF_X = (
    "The directions are those of x. Take the directions in which the positions vary.",
    {
        "positions - positions.mean(axis=0)": (
            "x.reshape(-1, x.shape[-1]) - x.reshape(-1, x.shape[-1]).mean(axis=0)"
        )
    },
)
SCALED_DIRECTIONS = (
    "The directions are multiplied by their singular values. They must have length 1.",
    {"vt[:count]": "s[:count, None] * vt[:count]"},
)
MIRRORED = (
    "The components are subtracted twice, which mirrors x. Subtract them once.",
    {"x - x @": "x - 2 * x @"},
)
COMPONENT_OF_MEAN_LEFT = (
    "The component of the mean of x is left. Subtract the components of x itself, without "
    "centring it.",
    {
        "return x - x @ v.T @ v": (
            "centre = x.reshape(-1, x.shape[-1]).mean(axis=0)\n"
            "    return x - (x - centre) @ v.T @ v"
        )
    },
    {
        "return x - x @ v.T @ v": (
            "centre = x.mean(axis=-2, keepdims=True) if x.ndim > 1 else 0\n"
            "    return x - (x - centre) @ v.T @ v"
        )
    },
    {"return x - x @ v.T @ v": "return x - (x - x.mean(axis=0)) @ v.T @ v"},
)
POSITIONS_STANDARDISED = (
    "The columns of the positions are divided by their standard deviations. Here they are only "
    "centred.",
    {
        "    centred = positions - positions.mean(axis=0)\n": (
            "    from sklearn.preprocessing import StandardScaler\n\n"
            "    centred = StandardScaler().fit_transform(positions)\n"
        )
    },
)
FIRST_POSITIONS = (
    "The directions are those of the first positions. Take the directions in which all positions "
    "vary most.",
    {"u, s, vt = np.linalg.svd(centred, full_matrices=False)": "vt = np.linalg.qr(centred.T)[0].T"},
    {
        "u, s, vt = np.linalg.svd(centred, full_matrices=False)": (
            "vt = centred / np.linalg.norm(centred, axis=1, keepdims=True).clip(1e-9)"
        )
    },
)
COLUMNS_ZEROED = (
    "The first columns of x are set to 0. Remove directions, which are mixtures of all columns.",
    {
        "return x - x @ v.T @ v": (
            "kept = np.array(x, float)\n    kept[..., :count] = 0\n    return kept"
        )
    },
)
POSITIONS_REMOVED = (
    "The components of the positions are subtracted from x. Subtract those of x itself.",
    {"- x @ v.T": "- positions @ v.T"},
)
ROTATED = (
    "The result has coordinates along the other directions instead of the columns of x. Multiply "
    "by the directions again.",
    {"return x - x @ v.T @ v": "return x @ vt[count:].T"},
)


# %% exercise="remove_directions" edits="projected and subtracted" wrong="COORDINATES_SUBTRACTED"
{"x @ v.T @ v": "(x @ v.T).sum(axis=-1, keepdims=True)"}


# %% exercise="remove_directions" edits="eigenvectors, sorted"
UNSORTED_DIRECTIONS = (
    "The directions are not in the order of their variances. np.linalg.eig promises no order, so "
    "sort them, the largest variance first.",
    {"np.argsort(-values)[:count]": "np.arange(count)"},
)
ROWS_OF_EIGENVECTORS = (
    "The rows of the matrix of eigenvectors are taken. NumPy returns eigenvectors as columns.",
    {"vectors[:, np.argsort(-values)[:count]]": "vectors[np.argsort(-values)[:count]].T"},
)
ALL_FOR_NONE = (
    "With count = 0 nothing may be removed. A slice such as [-0:] takes everything.",
    {"np.argsort(-values)[:count]": "np.argsort(values)[-count:]"},
    {"[:count]": "[: count or 1]"},
)


# %% exercise="remove_directions" edits="eigenvectors, sorted" wrong="LAST_DIRECTIONS"
{"np.argsort(-values)": "np.argsort(values)"}


# %% exercise="remove_directions" edits="projected and subtracted" wrong="INPUT_CHANGED"
{"return x - x @ v.T @ v": "x -= x @ v.T @ v\n    return x"}


# %% exercise="remove_directions" right="one direction at a time"
def remove_directions(x, positions, count):
    covariance = np.cov(positions, rowvar=False)
    values, vectors = np.linalg.eigh(covariance)
    left = np.array(x, dtype=float)
    for v in vectors.T[::-1][:count]:
        left = left - (left @ v)[..., None] * v
    return left


# %% exercise="remove_directions" right="a projection matrix from scikit-learn"
def remove_directions(x, positions, count):
    from sklearn.decomposition import PCA

    d = positions.shape[1]
    if count == 0:
        return x
    v = PCA(count, svd_solver="full").fit(positions).components_
    return np.tensordot(x, np.eye(d) - np.einsum("ki,kj->ij", v, v), axes=1)


# %% exercise="remove_directions" right="the other directions put together"
def remove_directions(x, positions, count):
    rows = np.reshape(x, (-1, np.shape(x)[-1]))
    _, _, vt = np.linalg.svd(positions - positions.mean(axis=0), full_matrices=True)
    return np.reshape(rows @ vt[count:].T @ vt[count:], np.shape(x))


# %% exercise="remove_directions" edits="projected and subtracted"
ONE_MEAN = (
    "One mean of all entries is subtracted from the positions. Every column has a mean of its own: "
    "axis=0.",
    {"positions.mean(axis=0)": "positions.mean()"},
)
OUTER_PRODUCTS = (
    "A single vector gets another axis. The result must have the shape of x, also for x of shape "
    "(d,).",
    {"return x - x @ v.T @ v": "x = np.atleast_2d(x)\n    return x - x @ v.T @ v"},
)


# %% exercise="remove_directions" edits="projected and subtracted"
NONE_REFUSED = (
    "The function fails for count = 0, for which x comes back unchanged. Your pca refuses k = 0, "
    "so treat this case first.",
    {"v = vt[:count]": "_, v, _ = pca(positions, count)"},
)
ONE_SUM = (
    "The directions are added up to a single one. Remove each of them by itself.",
    {"vt[:count]": "vt[:count].sum(axis=0, keepdims=True)"},
    {"vt[:count]": "vt[:count].sum(axis=0, keepdims=True) / max(count, 1) ** 0.5"},
)
TABLES_ONLY = (
    "The function works for tables (rows, d) alone. x may have any number of axes, also one.",
    {"x @ v.T @ v": 'np.einsum("td,cd,ce->te", x, v, v)'},
)
THREE_AXES_AT_MOST = (
    "The function works for three axes at most. x may have any number of them: compute with its "
    "last axis.",
    {
        "x @ v.T @ v": (
            'np.einsum(["d,cd,ce->e", "td,cd,ce->te", "btd,cd,ce->bte"][x.ndim - 1], x, v, v)'
        )
    },
)


# %% exercise="remove_directions" wrong="ROWS_ONLY"
ROWS_ONLY = (
    "x is taken for a list of vectors. It may have any number of axes, and a single vector has "
    "one: compute with its last axis."
)


def remove_directions(x, positions, count):
    v = np.linalg.svd(positions - positions.mean(axis=0), full_matrices=False)[2][:count]
    return np.array([row - row @ v.T @ v for row in x])


# %% exercise="remove_directions" edits="projected and subtracted"
TWO_AXES_ALONE = (
    "x is taken to have two axes. It may be a single vector, a text or several texts; its last "
    "axis is that of the features.",
    {"    centred =": "    words, d = x.shape\n    centred ="},
)


# %% exercise="remove_directions" edits="projected and subtracted"
TRANSPOSED_PROJECTION = (
    "The directions are multiplied in the wrong order, which gives a matrix (count, count). The "
    "projection is a matrix (d, d).",
    {"x - x @ v.T @ v": "x @ (np.eye(x.shape[-1]) - v @ v.T)"},
)
ELEMENTWISE = (
    "The coordinates are multiplied by the directions entry by entry, which fits one direction "
    "alone. Add up the parts along all of them.",
    {"x - x @ v.T @ v": "x - x @ v.T * v"},
)


# %% exercise="remove_directions" edits="projected and subtracted"
POSITIONS_SUBTRACTED = (
    "The components of the positions are subtracted. Subtract those of x, which are x @ v.T @ v.",
    {"x - x @ v.T @ v": "x - centred @ v.T @ v"},
    {"x - x @ v.T @ v": "x - positions @ v.T @ v"},
)
