"""The bank of chapter 8: wrong answers, each with the name of its mistake, and right ones."""

# %%
import keras
import numpy as np
from keras import ops

# %%
FIRST_SENTENCE = (
    "The vocabulary is learned from the first sentence alone. Let adapt see all of them."
)
SWAPPED = "Two of the arguments have been exchanged."
NO_TWO = "The exponent is i/d. It must be 2i/d, with the factor 2."
N_IGNORED = "The argument n is ignored."
FROM_ONE = "The positions are counted from 1. The first position is 0."
SINES_AND_COSINES_SWAPPED = (
    "Sine and cosine are swapped. The even columns hold the sines, beginning with column 0."
)
HALVES = (
    "The sines fill the left half and the cosines the right half. Sines and cosines must alternate "
    "from column to column."
)
EXPONENT_BY_COLUMN = (
    "Every column has its own wavelength. Columns 2i and 2i + 1 must share the exponent 2i/d."
)
EXPONENT_OF_EVEN_D = (
    "With an odd number of columns, 2i is divided by d + 1. Divide it by d, also when d is odd."
)
DROPOUT = "In training a Dropout changes the result. This layer must only add the two embeddings."
UNKNOWN_LENGTH = (
    "The layer fails in a model of unknown length, where inputs.shape[1] is None. Use "
    "ops.shape(inputs)[1], which works there, too."
)
NUMPY_IN_CALL = (
    "NumPy is applied to the inputs in call, which fails while a model is built. Use the functions "
    "of keras.ops."
)
NOT_RESTORED = (
    "The layer does not survive saving and loading. Its __init__ must take **kwargs, and "
    "get_config must return what __init__ needs."
)
ODD_FAILS = (
    "An odd number of columns is not handled correctly. The last column must then be a sine "
    "without a cosine."
)
OTHER_LENGTH_TABLE = (
    "The layer fails on ids shorter than sequence_length, because it adds all rows of the position "
    "table. Use only as many rows as there are steps."
)
WORDS_ALONE = "The embedding of the position is missing. It must be added to that of the word."
POSITIONS_ALONE = "The embedding of the word is missing. It must be added to that of the position."
SIDE_BY_SIDE = "The two embeddings are concatenated. They must be added."
TABLES_SWAPPED = (
    "The numbers of rows of the two tables have been exchanged. The table of words has vocab_size "
    "rows, and the table of positions has sequence_length rows."
)
ONE_SIZE = (
    "Both tables have the same number of rows. The table of words has vocab_size rows, and the "
    "table of positions has sequence_length rows."
)
BATCH_POSITIONS = (
    "The positions are counted along the batch. They must be counted along the time axis."
)
ARRAY_SLICED = (
    "The table is a NumPy array, which cannot be sliced in a model of unknown length. Use "
    "ops.take, or make a tensor of the table first."
)


# %% exercise="build_vectorizer" right="Keras's layer, adapted"
def build_vectorizer(sentences, max_tokens, length):
    v = keras.layers.TextVectorization(max_tokens, output_sequence_length=length)
    v.adapt(sentences)
    return v


# %% exercise="build_vectorizer" right="the vocabulary counted by hand"
def build_vectorizer(sentences, max_tokens, length):
    words = "".join(c for c in " ".join(sentences).lower() if c.isalpha() or c == " ").split()
    ordered = sorted(set(words), key=lambda word: (words.count(word), word), reverse=True)
    vectorizer = keras.layers.TextVectorization(max_tokens, output_sequence_length=length)
    vectorizer.set_vocabulary(ordered[: max_tokens - 2])
    return vectorizer


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
NOTHING = (
    "Nothing came back. Return the layer itself; its method adapt returns None.",
    {"v =": "return", "\n    v.adapt(sentences)\n    return v": ".adapt(sentences)"},
)
IDS_OF_SENTENCES = (
    "The ids of the sentences came back. Return the layer that computes them.",
    {"return v": "return v(sentences)"},
)


# %% exercise="build_vectorizer" wrong="LENGTH_IGNORED"
LENGTH_IGNORED = (
    "The argument length is ignored, so the rows are as long as the longest text. Set "
    "output_sequence_length to the given length."
)


def build_vectorizer(sentences, max_tokens, length):
    vectorizer = keras.layers.TextVectorization(max_tokens)
    vectorizer.adapt(sentences)
    return vectorizer


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
NOT_ADAPTED = (
    "The layer has not seen the sentences. Call its method adapt with them.",
    {"v =": "return", "\n    v.adapt(sentences)\n    return v": ""},
)


# %% exercise="build_vectorizer" wrong="TOKENS_IGNORED"
TOKENS_IGNORED = "The argument max_tokens is ignored."


def build_vectorizer(sentences, max_tokens, length):
    vectorizer = keras.layers.TextVectorization(output_sequence_length=length)
    vectorizer.adapt(sentences)
    return vectorizer


# %% exercise="build_vectorizer" wrong="TWO_MORE"
TWO_MORE = (
    "The vocabulary has too many entries. The empty string and [UNK] count as two of the "
    "max_tokens."
)


def build_vectorizer(sentences, max_tokens, length):
    vectorizer = keras.layers.TextVectorization(max_tokens + 2, output_sequence_length=length)
    vectorizer.adapt(sentences)
    return vectorizer


# %% exercise="build_vectorizer" wrong="NOT_CLEANED"
NOT_CLEANED = (
    "The texts are not cleaned, so words with capitals or punctuation count as different words. "
    "Leave the argument standardize at its default."
)


def build_vectorizer(sentences, max_tokens, length):
    vectorizer = keras.layers.TextVectorization(
        max_tokens, standardize=None, output_sequence_length=length
    )
    vectorizer.adapt(sentences)
    return vectorizer


# %% exercise="build_vectorizer" wrong="CHARACTERS"
CHARACTERS = "The texts are split into characters. Leave the argument split at its default."


def build_vectorizer(sentences, max_tokens, length):
    vectorizer = keras.layers.TextVectorization(
        max_tokens, split="character", output_sequence_length=length
    )
    vectorizer.adapt(sentences)
    return vectorizer


# %% exercise="build_vectorizer" edits="the vocabulary counted by hand"
ALPHABETICAL = (
    "Equally frequent words are not in the order of the layer, which is reverse alphabetical. "
    "Let adapt learn the vocabulary.",
    {"words.count": "-words.count", ", reverse=True": ""},
    {
        "set(words), key=lambda word: (words.count(word), word), reverse=True": (
            "dict.fromkeys(words), key=lambda word: -words.count(word)"
        )
    },
)


# %% exercise="build_vectorizer" edits="the vocabulary counted by hand"
ONLY_ALPHABETICAL = (
    "The words stand in the order of the alphabet. More frequent words come first; let adapt learn "
    "the vocabulary.",
    {", key=lambda word: (words.count(word), word), reverse=True": ""},
)
NOT_COUNTED = (
    "Every word is counted once, so all words stand in reverse alphabetical order. More frequent "
    "words come first; let adapt see the sentences as they are.",
    {", key=lambda word: (words.count(word), word)": ""},
)


# %% exercise="build_vectorizer" wrong="COUNTS"
COUNTS = (
    "Each row counts how often the words occur instead of listing their ids. The output_mode must "
    "be 'int'."
)


def build_vectorizer(sentences, max_tokens, length):
    vectorizer = keras.layers.TextVectorization(max_tokens, output_mode="count")
    vectorizer.adapt(sentences)
    return vectorizer


# %% exercise="build_vectorizer" wrong="SWAPPED"
def build_vectorizer(sentences, max_tokens, length):
    vectorizer = keras.layers.TextVectorization(length, output_sequence_length=max_tokens)
    vectorizer.adapt(sentences)
    return vectorizer


# %% exercise="build_vectorizer" wrong="ADAPTED_AGAIN"
ADAPTED_AGAIN = (
    "The layer is adapted to one sentence after another. Each call of adapt starts afresh, so only "
    "the last sentence was learned."
)


def build_vectorizer(sentences, max_tokens, length):
    vectorizer = keras.layers.TextVectorization(max_tokens, output_sequence_length=length)
    for sentence in sentences:
        vectorizer.adapt([sentence])
    return vectorizer


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
NGRAMS = (
    "The vocabulary holds pairs of neighbouring words, too. Leave the argument ngrams at its "
    "default.",
    {"=length": "=length, ngrams=2"},
)
PUNCTUATION = (
    "The punctuation is not removed. Leave the argument standardize at its default.",
    {"=length": '=length, standardize="lower"'},
)


# %% exercise="build_vectorizer" right="a dataset"
def build_vectorizer(sentences, max_tokens, length):
    import tensorflow as tf

    vectorizer = keras.layers.TextVectorization(
        output_sequence_length=length, max_tokens=max_tokens
    )
    vectorizer.adapt(tf.data.Dataset.from_tensor_slices(sentences).batch(1))
    return vectorizer


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
ONCE = (
    "A sentence that occurs several times is counted once. Let adapt see all of them.",
    {"(sentences)": "(list(dict.fromkeys(sentences)))"},
)


# %% exercise="build_vectorizer" edits="Keras's layer, adapted" wrong="FIRST_SENTENCE"
{"(sentences)": "(sentences[:1])"}


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
TWO_FEWER = (
    "The vocabulary has too few entries. max_tokens already includes the empty string and [UNK].",
    {"(max_tokens": "(max_tokens - 2"},
)


# %% exercise="build_vectorizer" wrong="PUNCTUATION_KEPT"
PUNCTUATION_KEPT = (
    "The vocabulary was counted with the punctuation, which the layer removes from every text. So "
    "an entry like 'sat.' never occurs. Let adapt count the words."
)


def build_vectorizer(sentences, max_tokens, length):
    words = " ".join(sentences).lower().split()
    ordered = sorted(set(words), key=lambda word: (words.count(word), word), reverse=True)
    return keras.layers.TextVectorization(
        max_tokens, output_sequence_length=length, vocabulary=ordered[: max_tokens - 2]
    )


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
LENGTH_BY_PLACE = (
    "The second argument of TextVectorization by its place is standardize. Pass the length by its "
    "name, output_sequence_length=length.",
    {"output_sequence_length=length": "length"},
)


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
CUT_BEFORE_ADAPT = (
    "The vocabulary is made of sentences that have been cut to length words. Adapt the layer to "
    "the whole sentences.",
    {"v.adapt(sentences)": 'v.adapt([" ".join(each.split()[:length]) for each in sentences])'},
)


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
LONGEST_SENTENCE = (
    "A row is no longer than the longest sentence. It must have the given length.",
    {"length=length)": "length=min(length, max(len(s.split()) for s in sentences)))"},
)
CLEANED_BEFORE = (
    "Apostrophes become blanks before adapt, but the layer removes them when it is called.",
    {"v.adapt(sentences)": 'v.adapt([s.replace("\'", " ") for s in sentences])'},
)


# %% exercise="build_vectorizer" edits="Keras's layer, adapted"
ADAPTED_TO_A_STRING = (
    "adapt has got a single string, so each of its characters counts as a text. Give it the list "
    "of the sentences.",
    {"v.adapt(sentences)": 'v.adapt(" ".join(sentences))'},
)

# %% exercise="build_vectorizer" edits="Keras's layer, adapted" wrong="TOKENS_IGNORED"
{"(max_tokens": "(10"}


# %% exercise="build_vectorizer" wrong="WORDS_ONCE"
WORDS_ONCE = (
    "Every word is counted once, so how often it occurs is lost. Adapt the layer to the sentences "
    "themselves."
)


def build_vectorizer(sentences, max_tokens, length):
    words = sorted({word for sentence in sentences for word in sentence.split()})
    layer = keras.layers.TextVectorization(max_tokens=max_tokens, output_sequence_length=length)
    layer.adapt(words)
    return layer


# %% exercise="build_vectorizer" wrong="LONGEST"
LONGEST = (
    "The argument length is ignored: the rows are as long as the longest sentence. Every "
    "sentence must become exactly length ids."
)


def build_vectorizer(sentences, max_tokens, length):
    longest = max(len(sentence.split()) for sentence in sentences)
    layer = keras.layers.TextVectorization(max_tokens=max_tokens, output_sequence_length=longest)
    layer.adapt(sentences)
    return layer


# %% exercise="inverse_frequencies" right="by logarithm and exponential"
def inverse_frequencies(d, n=10000.0):
    if d % 2:
        raise ValueError("d must be even")
    return np.exp(-np.log(n) * np.arange(0, d, 2) / d)


# %% exercise="inverse_frequencies" right="an error without a message"
def inverse_frequencies(d, n=10000.0):
    if d % 2:
        raise ValueError
    return np.exp(-np.log(n) * np.arange(0, d, 2) / d)


# %% exercise="inverse_frequencies" edits="an error without a message"
ODD_ACCEPTED = (
    "An odd d is accepted, but the function must raise ValueError for it.",
    {"    if d % 2:\n        raise ValueError\n": ""},
)

# %% exercise="inverse_frequencies" edits="by logarithm and exponential"
ASSERTED = (
    "An odd d fails by assert, which raises AssertionError. Raise ValueError.",
    {'if d % 2:\n        raise ValueError("d must be even")': "assert d % 2 == 0"},
)
NOT_RAISED = (
    "The ValueError is returned. It must be raised, with raise.",
    {"raise": "return"},
)
HALF_OF_THE_PAIRS = (
    "Half of the pairs are missing. The values of 2i are the even numbers below d, not below d/2.",
    {"0, d, 2": "0, d // 2, 2"},
)

# %% exercise="inverse_frequencies" edits="by logarithm and exponential" wrong="NO_TWO"
{"0, d, 2": "d // 2"}

# %% exercise="inverse_frequencies" edits="by logarithm and exponential"
NO_MINUS = (
    "These are the values of n^(2i/d), but their reciprocals are needed. The minus sign in the "
    "exponent is missing.",
    {"-np.log(n)": "np.log(n)"},
)
LOG10 = (
    "The logarithm has base 10. Because exp is the inverse of the natural logarithm, use np.log.",
    {"log": "log10"},
)
EVERY_COLUMN = (
    "There is one number for each column. Two columns share a frequency, so there must be one "
    "for each pair.",
    {"np.arange(0, d, 2)": "2 * (np.arange(d) // 2)"},
)
LAST_IS_1_OVER_N = (
    "The last exponent is exactly -1, as if 2i were divided by d - 2. The formula divides 2i by d.",
    {
        "(-np.log(n) * np.arange(0, d, 2) / d)": (
            "(-np.log(n) * np.arange(d // 2) / max(d // 2 - 1, 1))"
        )
    },
)

# %% exercise="inverse_frequencies" edits="by logarithm and exponential" wrong="N_IGNORED"
{"(n)": "(10000.0)"}

# %% exercise="inverse_frequencies" edits="by logarithm and exponential"
PAIRS_FROM_ONE = (
    "The pairs are counted from 1. Count them from 0, so that the first exponent is 0.",
    {"-np.log(n)": "-np.log(n) * 2", "0, d, 2": "1, d // 2 + 1"},
)
D_MINUS_1 = "The exponent is divided by d - 1. The formula divides 2i by d.", {"/ d)": "/ (d - 1))"}

# %% exercise="inverse_frequencies" edits="an error without a message"
BASE_2 = (
    "The logarithm has base 2. Because exp is the inverse of the natural logarithm, use np.log.",
    {"log": "log2"},
)
NO_LOGARITHM = "n itself stands in the exponent. Its logarithm belongs there.", {"np.log(n)": "n"}
NO_EXPONENTIAL = (
    "These are the exponents. Apply exp to them.",
    {"np.exp(-np.log(n) * np.arange(0, d, 2) / d)": "-np.log(n) * np.arange(0, d, 2) / d"},
)
FOUR_I = (
    "The exponent is 4i/d. np.arange(0, d, 2) already holds the values of 2i, and these must be "
    "divided by d.",
    {"-np.log(n)": "-np.log(n) * 2"},
)
TURNS = "There is a factor 2π. The first number must be 1.", {"np.exp": "2 * np.pi * np.exp"}


# %% exercise="inverse_frequencies" right="a power, in a list"
def inverse_frequencies(d, n=10000.0):
    if d % 2 == 1:
        raise ValueError("d is odd")
    return [1 / n ** (2 * i / d) for i in range(d // 2)]


# %% exercise="inverse_frequencies" right="float32 tensors"
def inverse_frequencies(d, n=10000.0):
    if d % 2 == 1:
        raise ValueError("d is odd")
    return ops.exp(-ops.log(n) / d * ops.arange(0, d, 2, dtype="float32"))


# %% exercise="inverse_frequencies" edits="by logarithm and exponential"
WAVELENGTHS = (
    "These are the wavelengths, 2π n^(2i/d). The inverse frequencies are 1 / n^(2i/d).",
    {"np.exp(-np.log(n)": "2 * np.pi * np.exp(np.log(n)"},
)
OTHER_DEFAULT = (
    "n has another default. It must be 10000.",
    {"n=10000.0": "n=1000.0"},
    {"n=10000.0": "n=100.0"},
)
SMALLEST_FIRST = (
    "The smallest number comes first. The first pair has the largest one, 1.",
    {"0, d, 2": "d - 2, -1, -2"},
)


# %% exercise="inverse_frequencies" edits="a power, in a list"
PAIRS_TESTED = (
    "An even d raises ValueError. Only an odd d must raise it: test d itself and not the number of "
    "pairs.",
    {"if d % 2 == 1:": "if d % 2 or d // 2 % 2:"},
)


# %% exercise="inverse_frequencies" edits="a power, in a list"
EXPONENT_ROUNDED = (
    "The exponents are rounded to whole numbers. Divide by / and not by //.",
    {"2 * i / d": "2 * i // d"},
    {"1 / n ** (2 * i / d)": "n ** (-2 * i // d)"},
)

# %% exercise="inverse_frequencies" edits="by logarithm and exponential"
IN_TURNS = (
    "The frequencies are divided by 2π. They are angular frequencies, in radians per position.",
    {"/ d)": "/ d) / (2 * np.pi)"},
)


# %% exercise="inverse_frequencies" edits="by logarithm and exponential"
ODD_NUMERATORS = (
    "The numerators of the exponents are 1, 3, 5 and so on. They must be the values of 2i, which "
    "begin with 0.",
    {"0, d, 2": "1, d, 2"},
)
FRACTIONAL_STEPS = (
    "np.arange with a step that is no whole number lists one exponent too many for some d. Let it "
    "list whole numbers, and divide them by d.",
    {"np.arange(0, d, 2) / d": "np.arange(0, 1, 2 / d)"},
)

# %% exercise="inverse_frequencies" edits="by logarithm and exponential" wrong="PAIRS_TESTED"
{"if d % 2:": "if d % 2 == 0:"}

# %% exercise="inverse_frequencies" edits="by logarithm and exponential" wrong="FOUR_I"
{"/ d)": "/ (d // 2))"}


# %% exercise="PositionalEncoding" right="a table built once"
class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(d) // 2 * 2 / d)
        self.table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

    def call(self, inputs):
        if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:
            raise ValueError("longer than max_len")
        return inputs + ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]


# %% exercise="PositionalEncoding" edits="a table built once"
OTHER_DEFAULT = "n has another default. It must be 10000.", {"10000.0": "1000.0"}

# %% exercise="PositionalEncoding" edits="a table built once" wrong="FROM_ONE"
{"(self.max_len)": "(1, self.max_len + 1)"}

# %% exercise="PositionalEncoding" edits="a table built once" wrong="SINES_AND_COSINES_SWAPPED"
{"cos": "sin", "sin": "cos"}


# %% exercise="PositionalEncoding" wrong="HALVES"
class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(0, d, 2) / d)
        self.table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)[:, :d]

    def call(self, inputs):
        if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:
            raise ValueError("longer than max_len")
        return inputs + ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]


# %% exercise="PositionalEncoding" wrong="LONGER_ACCEPTED"
LONGER_ACCEPTED = "A sequence longer than max_len must raise ValueError, but it does not."


class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def call(self, inputs):
        d = inputs.shape[-1]
        positions = ops.cast(ops.arange(ops.shape(inputs)[1]), inputs.dtype)[:, None]
        angles = positions / self.n ** (np.arange(d) // 2 * 2 / d).astype("float32")
        return inputs + ops.where(np.arange(d) % 2, ops.cos(angles), ops.sin(angles))


# %% exercise="PositionalEncoding" wrong="HAS_WEIGHTS"
HAS_WEIGHTS = (
    "The table is a weight of the layer, so it appears in get_weights(). Store it as a plain NumPy "
    "array instead."
)


class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(d) // 2 * 2 / d)
        table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))
        self.table = self.add_weight(
            shape=table.shape, trainable=False, initializer=lambda *_, **__: table.astype("float32")
        )

    def call(self, inputs):
        if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:
            raise ValueError("longer than max_len")
        return inputs + ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]


# %% exercise="PositionalEncoding" edits="a table built once" wrong="LONGER_ACCEPTED"
{
    (
        "if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:\n"
        '            raise ValueError("longer than max_len")\n'
        "        "
    ): ""
}
{
    (
        "if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:\n"
        '            raise ValueError("longer than max_len")'
    ): "inputs = inputs[:, : self.max_len]"
}

# %% exercise="PositionalEncoding" edits="a table built once" wrong="EXPONENT_BY_COLUMN"
{" // 2 * 2": ""}

# %% exercise="PositionalEncoding" edits="a table built once" wrong="NO_TWO"
{" * 2": ""}

# %% exercise="PositionalEncoding" edits="a table built once" wrong="N_IGNORED"
{"self.n **": "10000.0 **"}

# %% exercise="PositionalEncoding" edits="a table built once"
MULTIPLIED = (
    "The inputs are multiplied by the encoding. The encoding must be added to them.",
    {"inputs +": "inputs *"},
)
ENCODING_ALONE = (
    "The result is the encoding without the inputs. The encoding must be added to the inputs.",
    {"inputs +": "0 * inputs +"},
)
SCALED = (
    "The inputs are first multiplied by the square root of d, as in a Transformer. This layer "
    "must only add the encoding.",
    {"inputs +": "inputs * inputs.shape[-1] ** 0.5 +"},
)
OTHER_LENGTH = (
    "The layer fails on sequences shorter than max_len. Add only as many rows of the table as "
    "there are steps.",
    {"[: ops.shape(inputs)[1]]": ""},
)
ONE_LENGTH = (
    "The table is as long as the first sequence, so the layer fails on a longer one. Every "
    "length up to the given one must work.",
    {
        "angles =": "time = input_shape[1] or self.max_len\n        angles =",
        "(self.max_len)": "(time)",
    },
)
MASK_LOST = (
    "The mask is lost. Set self.supports_masking = True, so that the layer passes the mask on "
    "unchanged.",
    {"        self.supports_masking = True\n": ""},
)

# %% exercise="PositionalEncoding" edits="a table built once" wrong="UNKNOWN_LENGTH"
{" inputs.shape[1] is not None and": ""}


# %% exercise="PositionalEncoding" edits="a table built once" wrong="NOT_RESTORED"
{", **kwargs": "", "(**kwargs)": "()"}


# %% exercise="PositionalEncoding" edits="a table built once"
N_LOST = (
    "get_config leaves out n, so a layer that is loaded computes with the default.",
    {
        "[: ops.shape(inputs)[1]]": (
            "[: ops.shape(inputs)[1]]\n"
            "\n"
            "    def get_config(self):\n"
            '        return {**super().get_config(), "max_len": self.max_len}'
        )
    },
)


# %% exercise="PositionalEncoding" edits="a table built once" wrong="ODD_FAILS"
{
    (
        "angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(d) // 2 * 2 / d)\n"
        "        self.table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))"
    ): (
        "angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(0, d, 2) / d)\n"
        "        self.table = np.zeros((self.max_len, d))\n"
        "        self.table[:, 0::2] = np.sin(angles)\n"
        "        self.table[:, 1::2] = np.cos(angles)"
    )
}


# %% exercise="PositionalEncoding" wrong="NUMPY_IN_CALL"
class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(d) // 2 * 2 / d)
        self.table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

    def call(self, inputs):
        if len(inputs[0]) > self.max_len:
            raise ValueError("longer than max_len")
        return inputs + self.table[: len(np.array(inputs)[0])]


# %% exercise="PositionalEncoding" edits="a table built once" wrong="BATCH_POSITIONS"
{": ops.shape(inputs)[1]": ": ops.shape(inputs)[0], None"}

# %% exercise="PositionalEncoding" edits="a table built once"
FLOAT64 = (
    "The table is float64 and the inputs are float32, and TensorFlow does not add the two. "
    "Convert the table.",
    {
        "ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]": (
            "ops.take(self.table, ops.arange(ops.shape(inputs)[1]), axis=0)"
        )
    },
)

# %% exercise="PositionalEncoding" edits="a table built once" wrong="UNKNOWN_LENGTH"
{"ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]": "self.table[: inputs.shape[1]]"}
{
    "self.table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))": (
        "table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))\n"
        '        self.table = table.astype("float32")'
    ),
    "ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]": (
        "ops.take(self.table, ops.arange(inputs.shape[1]), axis=0)"
    ),
}

# %% exercise="PositionalEncoding" edits="a table built once" wrong="ARRAY_SLICED"
{"ops.cast(self.table, inputs.dtype)": "self.table"}


# %% exercise="PositionalEncoding" edits="a table built once" wrong="NUMPY_IN_CALL"
{
    "if inputs.shape[1] is not None and inputs.shape[1] > self.max_len": (
        "rows = self.table[: np.asarray(inputs).shape[1]]\n        if len(rows) < inputs.shape[1]"
    ),
    "ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]": "rows",
}


# %% exercise="PositionalEncoding" wrong="MASKED_STEPS"
MASKED_STEPS = (
    "The masked steps come back without the encoding. It must be added to every step, and the mask "
    "is only passed on."
)


class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(d) // 2 * 2 / d)
        self.table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

    def call(self, inputs, mask=None):
        if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:
            raise ValueError("longer than max_len")
        out = inputs + ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]
        return out if mask is None else out * ops.cast(mask, out.dtype)[..., None]


# %% exercise="PositionalEncoding" wrong="MASKED_STEPS"
class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(d) // 2 * 2 / d)
        self.table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

    def call(self, inputs, mask=None):
        if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:
            raise ValueError("longer than max_len")
        rows = ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]
        if mask is not None:
            rows = rows * ops.cast(mask, inputs.dtype)[..., None]
        return inputs + rows


# %% exercise="PositionalEncoding" right="rows taken from a table in float32"
class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        angles = np.arange(self.max_len)[:, None] / self.n ** (np.arange(d) // 2 * 2 / d)
        table = np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))
        self.table = table.astype("float32")

    def call(self, inputs):
        if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:
            raise ValueError("longer than max_len")
        return inputs + ops.take(self.table, ops.arange(ops.shape(inputs)[1]), axis=0)


# %% exercise="PositionalEncoding" edits="rows taken from a table in float32" wrong="ONE_LENGTH"
{
    "angles =": "time = input_shape[1] or self.max_len\n        angles =",
    "np.arange(self.max_len)": "np.arange(time)",
}


# %% exercise="PositionalEncoding" edits="rows taken from a table in float32"
ONLY_THE_FIRST_LENGTH = (
    "The table has as many rows as the first sequence has steps, and all of them are added, so the "
    "layer fails on a sequence of another length. Every length up to max_len must work.",
    {
        "angles =": "time = input_shape[1] or self.max_len\n        angles =",
        "np.arange(self.max_len)": "np.arange(time)",
        "ops.take(self.table, ops.arange(ops.shape(inputs)[1]), axis=0)": "self.table",
    },
)


# %% exercise="PositionalEncoding" right="computed in call with ops, compute_mask written out"
class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len = max_len
        self.n = n

    def call(self, inputs):
        if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:
            raise ValueError("longer than max_len")
        d = inputs.shape[-1]
        rates = [float(self.n) ** (-2 * (j // 2) / d) for j in range(d)]
        angles = ops.arange(ops.shape(inputs)[1], dtype="float32")[:, None] * ops.array([rates])
        phases = ops.array([[np.pi / 2 * (j % 2) for j in range(d)]])
        return inputs + ops.sin(angles + phases)

    def compute_mask(self, inputs, mask=None):
        return mask

    def get_config(self):
        return super().get_config() | {"max_len": self.max_len, "n": self.n}


# %% exercise="PositionalEncoding" right="a loop, a tensor with a batch axis, and the mask in call"
class PositionalEncoding(keras.layers.Layer):
    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_len, self.n = max_len, n
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        table = np.zeros((1, self.max_len, d), "float32")
        for p in range(self.max_len):
            for j in range(d):
                angle = p / self.n ** ((j - j % 2) / d)
                table[0, p, j] = np.cos(angle) if j % 2 else np.sin(angle)
        self.table = ops.convert_to_tensor(table)

    def call(self, inputs, mask=None):
        if (inputs.shape[1] or 0) > self.max_len:
            raise ValueError("longer than max_len")
        return inputs + self.table[:, : ops.shape(inputs)[1], :]


# %% exercise="PositionalEncoding" edits="a table built once" wrong="MAX_LEN_REFUSED"
{"> self.max_len": ">= self.max_len"}

# %% exercise="PositionalEncoding" edits="a table built once"
SHARED_TABLE = (
    "The table belongs to the class, so all layers add that of the last one. Keep it in self.",
    {
        "self.table = ": "PositionalEncoding.table = ",
        "ops.cast(self.table": "ops.cast(PositionalEncoding.table",
    },
)


# %% exercise="PositionalEncoding" edits="a table built once"
FASTER_WAVES = (
    "The positions are multiplied by n^(2i/d). Divide by it, so that the waves become slower from "
    "pair to pair.",
    {"[:, None] / self": "[:, None] * self"},
)
CONCATENATED = (
    "The encoding is placed beside the inputs. It must be added to them.",
    {
        "return inputs + ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]": (
            "rows = ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]\n"
            "        rows = ops.broadcast_to(rows, ops.shape(inputs))\n"
            "        return ops.concatenate([inputs, rows], axis=-1)"
        )
    },
)
DROPOUT_OF_THE_SUM = (
    "In training a Dropout changes the result. This layer must only add the encoding.",
    {
        "self.supports_masking = True": (
            "self.supports_masking = True\n        self.dropout = keras.layers.Dropout(0.1)"
        ),
        "inputs + ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]]": (
            "self.dropout(inputs + ops.cast(self.table, inputs.dtype)[: ops.shape(inputs)[1]])"
        ),
    },
)

# %% exercise="PositionalEncoding" edits="a table built once" wrong="ODD_FAILS"
{
    "np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))": (
        "np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles)) * (np.arange(d) < d // 2 * 2)"
    )
}

# %% exercise="PositionalEncoding" edits="a table built once" wrong="ENCODING_ALONE"
{"inputs + ": ""}


# %% exercise="PositionalEncoding" edits="a table built once" wrong="EXPONENT_OF_EVEN_D"
{"(np.arange(d) // 2 * 2 / d)": "(np.arange(d) // 2 * 2 / (d + d % 2))"}


# %% exercise="PositionalEncoding" wrong="TABLE_OF_THE_CLASS"
TABLE_OF_THE_CLASS = (
    "The table belongs to the class, so a layer uses that of an earlier one. Each layer makes its "
    "own, from its own max_len and n."
)


class PositionalEncoding(keras.layers.Layer):
    table = None

    def __init__(self, max_len, n=10000.0, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.max_len, self.n = max_len, n

    def build(self, input_shape):
        if PositionalEncoding.table is None:
            c = np.arange(input_shape[-1])
            angles = np.arange(self.max_len)[:, None] / self.n ** ((c - c % 2) / len(c))
            table = np.where(c % 2, np.cos(angles), np.sin(angles))
            PositionalEncoding.table = table.astype("float32")

    def call(self, inputs):
        if inputs.shape[1] is not None and inputs.shape[1] > self.max_len:
            raise ValueError("too long")
        return inputs + ops.take(self.table, ops.arange(ops.shape(inputs)[1]), axis=0)

    def get_config(self):
        return {**super().get_config(), "max_len": self.max_len, "n": self.n}


# %% exercise="PositionEmbeddingLayer" right="two Embedding layers"
class PositionEmbeddingLayer(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)
        self.words = keras.layers.Embedding(vocab_size, output_dim)
        self.positions = keras.layers.Embedding(sequence_length, output_dim)

    def call(self, inputs):
        return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers"
POSITIONS_FIRST = (
    "The positions come before the words in the list of weights. The words must come first.",
    {
        (
            "self.words = keras.layers.Embedding(vocab_size, output_dim)\n"
            "        self.positions = keras.layers.Embedding(sequence_length, output_dim)"
        ): (
            "self.positions = keras.layers.Embedding(sequence_length, output_dim)\n"
            "        self.words = keras.layers.Embedding(vocab_size, output_dim)"
        ),
    },
)


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="WORDS_ALONE"
{
    "def call": (
        "def build(self, input_shape):\n"
        "        self.words.build()\n"
        "        self.positions.build()\n"
        "\n"
        "    def call"
    ),
    " + self.positions(ops.arange(ops.shape(inputs)[-1]))": "",
}
{
    "        self.positions = keras.layers.Embedding(sequence_length, output_dim)\n": "",
    " + self.positions(ops.arange(ops.shape(inputs)[-1]))": "",
}


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="POSITIONS_ALONE"
{
    "return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))": (
        "positions = self.positions(ops.arange(ops.shape(inputs)[-1]))\n"
        "        return 0 * self.words(inputs) + positions"
    )
}

# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="TABLES_SWAPPED"
{
    "(vocab_size, output_dim)": "(sequence_length, output_dim)",
    "sequence_length, output_dim": "vocab_size, output_dim",
}


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="NOT_RESTORED"
{", **kwargs": "", "(**kwargs)": "()"}
{"1]))": ('1]))\n\n    def get_config(self):\n        return super().get_config() | {"units": 1}')}
{"1]))": "1]))\n\n    def get_config(self):\n        return super().get_config()"}


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="ONE_SIZE"
{"sequence_length, output_dim": "vocab_size, output_dim"}
{"(vocab_size, output_dim)": "(sequence_length, output_dim)"}


# %% exercise="PositionEmbeddingLayer" wrong="SIDE_BY_SIDE"
class PositionEmbeddingLayer(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)
        self.words = keras.layers.Embedding(vocab_size, output_dim)
        self.positions = keras.layers.Embedding(sequence_length, output_dim)

    def call(self, inputs):
        shape = ops.shape(inputs)
        positions = ops.broadcast_to(ops.arange(shape[1]), shape)
        return ops.concatenate([self.words(inputs), self.positions(positions)], axis=-1)


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers"
MULTIPLIED_TABLES = "The two embeddings are multiplied. They must be added.", {"+": "*"}
ONE_TABLE = (
    "The positions are looked up in the table of words. They need a separate table.",
    {
        "def call": (
            "def build(self, input_shape):\n"
            "        self.words.build()\n"
            "        self.positions.build()\n"
            "\n"
            "    def call"
        ),
        "+ self.positions": "+ self.words",
    },
    {"keras.layers.Embedding(sequence_length, output_dim)": "self.words"},
)
ONE_ROW_TOO_MANY = (
    "The table of positions has one row too many. It has sequence_length rows, because the "
    "positions are counted from 0.",
    {"(sequence_length, output_dim)": "(sequence_length + 1, output_dim)"},
    {
        "(sequence_length, output_dim)": "(sequence_length + 1, output_dim)",
        "ops.arange": "1 + ops.arange",
    },
)


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="FROM_ONE"
{"ops.arange": "1 + ops.arange"}

# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="BATCH_POSITIONS"
{
    "return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))": (
        "positions = self.positions(ops.arange(ops.shape(inputs)[0]))\n"
        "        return self.words(inputs) + positions[:, None]"
    )
}

# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers"
POSITIONS_FROZEN = (
    "The table of positions is not trainable. Both tables must be learned.",
    {"sequence_length, output_dim": "sequence_length, output_dim, trainable=False"},
)
FROZEN = (
    "The tables are not trainable. Both must be learned.",
    {
        "(vocab_size, output_dim)": "(vocab_size, output_dim, trainable=False)",
        "sequence_length, output_dim": "sequence_length, output_dim, trainable=False",
    },
)


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="OTHER_LENGTH_TABLE"
{
    "def call": "    self.length = sequence_length\n\n    def call",
    "ops.shape(inputs)[-1]": "self.length",
}


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="UNKNOWN_LENGTH"
{"ops.arange(ops.shape(inputs)[-1])": "np.arange(inputs.shape[1])"}


# %% exercise="PositionEmbeddingLayer" wrong="UNKNOWN_LENGTH"
class PositionEmbeddingLayer(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kw):
        super().__init__(**kw)
        self.w = keras.layers.Embedding(vocab_size, output_dim)
        self.p = keras.layers.Embedding(sequence_length, output_dim)

    def call(self, ids):
        return self.w(ids) + self.p(ops.arange(ids.shape[1]))


# %% exercise="PositionEmbeddingLayer" wrong="IDS_AS_POSITIONS"
IDS_AS_POSITIONS = (
    "The rows of the position table are looked up by the ids of the words. The positions are 0, "
    "1, 2 and so on."
)


class PositionEmbeddingLayer(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kw):
        super().__init__(**kw)
        self.w = keras.layers.Embedding(vocab_size, output_dim)
        self.p = keras.layers.Embedding(sequence_length, output_dim)

    def build(self, s):
        self.p.build()
        self.w.build()

    def call(self, ids):
        return self.w(ids) + self.p(ids)


# %% exercise="PositionEmbeddingLayer" wrong="PADDING_ZERO"
PADDING_ZERO = (
    "The vectors of the padding, id 0, are set to zero. Here 0 is a word like any other, and "
    "every step gets the sum of two embeddings."
)


class PositionEmbeddingLayer(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kw):
        super().__init__(**kw)
        self.w = keras.layers.Embedding(vocab_size, output_dim)
        self.p = keras.layers.Embedding(sequence_length, output_dim)

    def build(self, s):
        self.p.build()
        self.w.build()

    def call(self, ids):
        return (self.w(ids) + self.p(ops.arange(ops.shape(ids)[1]))) * ops.cast(
            ids != 0, "float32"
        )[..., None]


# %% exercise="PositionEmbeddingLayer" right="weights made in build"
class PositionEmbeddingLayer(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)
        self.sizes = sequence_length, vocab_size, output_dim

    def build(self, input_shape):
        time, vocabulary, d = self.sizes
        self.words = self.add_weight(shape=(vocabulary, d), initializer="uniform")
        self.positions = self.add_weight(shape=(time, d), initializer="zeros")

    def call(self, inputs):
        words = ops.take(self.words, ops.cast(inputs, "int32"), axis=0)
        return words + self.positions[: ops.shape(inputs)[1]][None]

    def get_config(self):
        names = "sequence_length", "vocab_size", "output_dim"
        return {**super().get_config(), **dict(zip(names, self.sizes, strict=True))}


# %% exercise="PositionEmbeddingLayer" right="positions for every example, by one-hot rows"
class PositionEmbeddingLayer(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)
        self.n = sequence_length
        self.words = keras.layers.Embedding(vocab_size, output_dim)
        self.table = keras.layers.Dense(output_dim, use_bias=False)

    def call(self, inputs):
        positions = ops.cumsum(ops.ones_like(inputs), axis=1) - 1
        return self.words(inputs) + self.table(ops.one_hot(positions, self.n))


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="BATCH_POSITIONS"
{"ops.shape(inputs)[-1]": "ops.shape(inputs)[0]"}


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers"
WORDS_SCALED = (
    "The embeddings of the words are multiplied by the square root of output_dim. This layer must "
    "only add the two embeddings.",
    {
        "def call": "    self.factor = output_dim**0.5\n\n    def call",
        "self.words(inputs) +": "self.factor * self.words(inputs) +",
    },
)


# %% exercise="PositionEmbeddingLayer" edits="weights made in build"
CONFIG_WITHOUT_WIDTH = (
    "get_config leaves out output_dim, so a saved layer cannot be made again.",
    {
        '"vocab_size", "output_dim"': '"vocab_size"',
        "self.sizes, strict=True": "self.sizes, strict=False",
    },
)


# %% exercise="PositionEmbeddingLayer" edits="weights made in build"
SIZES_EXCHANGED_FOR_IDS = (
    "The ids are checked with the two sizes exchanged, so good ids are refused. check_ids takes "
    "the length first, then the number of words.",
    {
        "        words = ops.take(": (
            "        if inputs.shape[1] is not None and inputs.shape[1] > self.sizes[1]:\n"
            '            raise ValueError("too long")\n'
            "        words = ops.take("
        )
    },
)


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="UNKNOWN_LENGTH"
{"ops.arange(ops.shape(inputs)[-1])": "ops.arange(0, inputs.shape[-1])"}


# %% exercise="PositionEmbeddingLayer" edits="weights made in build"
LENGTH_OF_INPUT = (
    "build replaces sequence_length by the length of the first input, so a layer that is saved and "
    "loaded has too few positions. Keep the arguments of __init__ as they are.",
    {
        "        self.positions = self.add_weight": (
            "        if input_shape[1]:\n"
            "            self.sizes = input_shape[1], vocabulary, d\n"
            "        self.positions = self.add_weight"
        )
    },
)


# %% exercise="PositionEmbeddingLayer" edits="weights made in build"
SIZES_EXCHANGED = (
    "The configuration exchanges two sizes, so a saved layer comes back with other tables.",
    {
        'names = "sequence_length", "vocab_size", "output_dim"': (
            'names = "vocab_size", "sequence_length", "output_dim"'
        )
    },
)

# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers"
LAST_ROWS = (
    "A short row gets the last rows of the table of positions. Its first word has position 0.",
    {
        "        self.words =": "        self.longest = sequence_length\n        self.words =",
        "ops.arange(ops.shape(inputs)[-1])": (
            "ops.arange(self.longest - ops.shape(inputs)[-1], self.longest)"
        ),
    },
)


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers"
ONE_WORD_TOO_MANY = (
    "The table of words has one row too many. It has vocab_size rows, and the padding is one of "
    "these ids.",
    {"(vocab_size, output_dim)": "(vocab_size + 1, output_dim)"},
)


# %% exercise="PositionEmbeddingLayer" edits="weights made in build"
ROWS_OF_THE_INPUT = (
    "The table of positions has only as many rows as the first input has steps. It must have "
    "sequence_length rows.",
    {"shape=(time, d)": "shape=(input_shape[1] or time, d)"},
)
NOT_WEIGHTS = (
    "The tables are not weights of the layer. Keras lists and trains only what add_weight or an "
    "inner layer has made, no variables of TensorFlow and no arrays.",
    {
        'self.add_weight(shape=(vocabulary, d), initializer="uniform")': (
            "ops.zeros((vocabulary, d))"
        ),
        'self.add_weight(shape=(time, d), initializer="zeros")': "ops.zeros((time, d))",
    },
)


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers"


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers" wrong="DROPOUT"
{
    "self.words =": "self.dropout = keras.layers.Dropout(0.1)\n        self.words =",
    "return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))": (
        "positions = self.positions(ops.arange(ops.shape(inputs)[-1]))\n"
        "        return self.dropout(self.words(inputs) + positions)"
    ),
}


# %% exercise="PositionEmbeddingLayer" edits="two Embedding layers"
NO_POSITION_FOR_PADDING = (
    "Steps with the id 0 get no position. Here 0 is an id like any other, and every step gets the "
    "sum of two embeddings.",
    {
        "        return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))": ""
        "        positions = self.positions(ops.arange(ops.shape(inputs)[-1]))\n"
        "        return self.words(inputs) + ops.where(inputs[..., None] > 0, positions, 0.0)"
    },
)


# %% exercise="PositionEmbeddingFixedWeights" right="two fixed tables"
class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)

        def table(rows, d=output_dim, n=10000.0):
            angles = np.arange(rows)[:, None] / n ** (np.arange(d) // 2 * 2 / d)
            return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

        self.words = keras.layers.Embedding(
            vocab_size, output_dim, weights=[table(vocab_size)], trainable=False
        )
        self.positions = keras.layers.Embedding(
            sequence_length, output_dim, weights=[table(sequence_length)], trainable=False
        )

    def call(self, inputs):
        return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables"
TRAINABLE = (
    "Training can change at least one of the tables. Give both trainable=False, or set it on the "
    "layer when both exist.",
    {
        "[table(vocab_size)], trainable=False": "[table(vocab_size)]",
        "[table(sequence_length)], trainable=False": "[table(sequence_length)]",
    },
    {"[table(sequence_length)], trainable=False": "[table(sequence_length)]"},
    {"[table(vocab_size)], trainable=False": "[table(vocab_size)]"},
)

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="RANDOM_TABLE"
{", weights=[table(vocab_size)]": ""}
{", weights=[table(vocab_size)], trainable=False": ""}

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables"
BASE_100 = (
    "The tables are those of n = 100. Either n is not 10000, or the exponent is i/d in place of "
    "2i/d.",
    {"10000.0": "100.0"},
    {" * 2": ""},
)

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="FROM_ONE"
{"(sequence_length)": "(sequence_length + 1)[1:]"}

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="TABLES_SWAPPED"
{
    "vocab_size, output_dim, weights=[table(vocab_size)]": (
        "sequence_length, output_dim, weights=[table(sequence_length)]"
    ),
    "sequence_length, output_dim": "vocab_size, output_dim",
    "(sequence_length)": "(vocab_size)",
}


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="OTHER_LENGTH_TABLE"
{
    "def call": "    self.length = sequence_length\n\n    def call",
    "ops.shape(inputs)[-1]": "self.length",
}


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="NOT_RESTORED"
{", **kwargs": "", "(**kwargs)": "()"}
{"-1]))": "-1]))\n\n    def get_config(self):\n        return super().get_config()"}


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables"
TRAINABLE_TWICE = (
    "A loaded layer gets trainable twice, because it also stands in **kwargs. Freeze the two "
    "tables instead of the layer.",
    {"super().__init__(**kwargs)": "super().__init__(trainable=False, **kwargs)"},
)
ROWS_FROM_ONE = (
    "Row r holds the encoding of r + 1. It must hold that of r, and r is counted from 0.",
    {"np.arange(rows)": "np.arange(1, rows + 1)"},
)
ID_MOVED = (
    "The position is added to the id, and one row is looked up. Look up one row for each, and add "
    "the two rows.",
    {
        "self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))": (
            "self.words(inputs + ops.cast(ops.arange(ops.shape(inputs)[-1]), inputs.dtype))"
        )
    },
)


# %% exercise="PositionEmbeddingFixedWeights" wrong="SINES_AND_COSINES_SWAPPED"
class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)

        def table(rows, d=output_dim, n=10000.0):
            angles = np.arange(rows)[:, None] / n ** (np.arange(d) // 2 * 2 / d)
            return np.where(np.arange(d) % 2, np.sin(angles), np.cos(angles))

        self.words = keras.layers.Embedding(
            vocab_size, output_dim, weights=[table(vocab_size)], trainable=False
        )
        self.positions = keras.layers.Embedding(
            sequence_length, output_dim, weights=[table(sequence_length)], trainable=False
        )

    def call(self, inputs):
        return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))


# %% exercise="PositionEmbeddingFixedWeights" wrong="HALVES"
class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)

        def table(rows, d=output_dim, n=10000.0):
            angles = np.arange(rows)[:, None] / n ** (np.arange(0, d, 2) / d)
            return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)[:, :d]

        self.words = keras.layers.Embedding(
            vocab_size, output_dim, weights=[table(vocab_size)], trainable=False
        )
        self.positions = keras.layers.Embedding(
            sequence_length, output_dim, weights=[table(sequence_length)], trainable=False
        )

    def call(self, inputs):
        return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="EXPONENT_BY_COLUMN"
{" // 2 * 2": ""}

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="ODD_FAILS"
{
    (
        ":\n"
        "            angles = np.arange(rows)[:, None] / n ** (np.arange(d) // 2 * 2 / d)\n"
        "            return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))"
    ): (
        ":\n"
        "            angles = np.arange(rows)[:, None] / n ** (np.arange(0, d, 2) / d)\n"
        "            filled = np.zeros((rows, d))\n"
        "            filled[:, 0::2], filled[:, 1::2] = np.sin(angles), np.cos(angles)\n"
        "            return filled"
    )
}


# %% exercise="PositionEmbeddingFixedWeights" wrong="ODD_FAILS"
class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)

        def table(rows, d=output_dim, n=10000.0):
            filled = np.zeros((rows, d))
            for p in range(rows):
                for i in range(d // 2):
                    angle = p / n ** (2 * i / d)
                    filled[p, 2 * i], filled[p, 2 * i + 1] = np.sin(angle), np.cos(angle)
            return filled

        self.words = keras.layers.Embedding(
            vocab_size, output_dim, weights=[table(vocab_size)], trainable=False
        )
        self.positions = keras.layers.Embedding(
            sequence_length, output_dim, weights=[table(sequence_length)], trainable=False
        )

    def call(self, inputs):
        return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="WORDS_ALONE"
{" + self.positions(ops.arange(ops.shape(inputs)[-1]))": ""}

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="POSITIONS_ALONE"
{
    "return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))": (
        "positions = self.positions(ops.arange(ops.shape(inputs)[-1]))\n"
        "        return 0 * self.words(inputs) + positions"
    )
}

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="UNKNOWN_LENGTH"
{"ops.arange(ops.shape(inputs)[-1])": "np.arange(inputs.shape[1])"}

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="ONE_SIZE"
{
    "self.words =": "both = [table(vocab_size)]\n        self.words =",
    "[table(vocab_size)]": "both",
    "sequence_length, output_dim, weights=[table(sequence_length)]": (
        "vocab_size, output_dim, weights=both"
    ),
}
{
    "self.words =": "both = [table(sequence_length)]\n        self.words =",
    "vocab_size, output_dim, weights=[table(vocab_size)]": (
        "sequence_length, output_dim, weights=both"
    ),
    "[table(sequence_length)]": "both",
}


# %% exercise="PositionEmbeddingFixedWeights" wrong="SIDE_BY_SIDE"
class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)

        def table(rows, d=output_dim, n=10000.0):
            angles = np.arange(rows)[:, None] / n ** (np.arange(d) // 2 * 2 / d)
            return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

        self.words = keras.layers.Embedding(
            vocab_size, output_dim, weights=[table(vocab_size)], trainable=False
        )
        self.positions = keras.layers.Embedding(
            sequence_length, output_dim, weights=[table(sequence_length)], trainable=False
        )

    def call(self, inputs):
        shape = ops.shape(inputs)
        positions = ops.broadcast_to(ops.arange(shape[1]), shape)
        return ops.concatenate([self.words(inputs), self.positions(positions)], axis=-1)


# %% exercise="PositionEmbeddingFixedWeights" wrong="PADDING_ROW"
PADDING_ROW = (
    "Row 0 of the table of words is zero. It must be the encoding of the number 0, like every "
    "other row that of its own."
)


def tab(rows, d, n=10000.0):
    j = np.arange(d)
    a = np.arange(rows)[:, None] / n ** (2 * (j // 2) / d)
    return np.where(j % 2, np.cos(a), np.sin(a))


class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kw):
        super().__init__(**kw)
        L, V, D = sequence_length, vocab_size, output_dim
        W = tab(V, D)
        W[0] = 0
        self.w = keras.layers.Embedding(V, D, weights=[W], trainable=False)
        self.p = keras.layers.Embedding(L, D, weights=[tab(L, D)], trainable=False)

    def call(self, ids):
        return self.w(ids) + self.p(ops.arange(ops.shape(ids)[1]))


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="NUMPY_IN_CALL"
{
    "return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))": (
        "ids = np.asarray(inputs)\n"
        "        return self.words(ids) + self.positions(np.arange(ids.shape[1]))"
    )
}


# %% exercise="PositionEmbeddingFixedWeights" wrong="UNKNOWN_LENGTH"
def tab(rows, d, n=10000.0):
    j = np.arange(d)
    a = np.arange(rows)[:, None] / n ** (2 * (j // 2) / d)
    return np.where(j % 2, np.cos(a), np.sin(a))


class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kw):
        super().__init__(**kw)
        L, V, D = sequence_length, vocab_size, output_dim
        self.w = keras.layers.Embedding(V, D, weights=[tab(V, D)], trainable=False)
        self.p = keras.layers.Embedding(L, D, weights=[tab(L, D)], trainable=False)

    def call(self, ids):
        return self.w(ids) + self.p(ops.arange(ids.shape[1]))


# %% exercise="PositionEmbeddingFixedWeights" right="arrays, no weights"
class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)

        def table(rows, d=output_dim, n=10000.0):
            angles = np.arange(rows)[:, None] / n ** (np.arange(d) // 2 * 2 / d)
            return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

        self.tables = [table(vocab_size), table(sequence_length)]

    def call(self, inputs):
        words, positions = (ops.convert_to_tensor(t, "float32") for t in self.tables)
        return ops.take(words, inputs, axis=0) + positions[: ops.shape(inputs)[1]]


# %% exercise="PositionEmbeddingFixedWeights" edits="arrays, no weights" wrong="ARRAY_SLICED"
{'ops.convert_to_tensor(t, "float32") for t': 't.astype("float32") for t'}


# %% exercise="PositionEmbeddingFixedWeights" right="weights that are not trainable, set in build"
class PositionEmbeddingFixedWeights(keras.layers.Layer):
    def __init__(self, sequence_length, vocab_size, output_dim, **kwargs):
        super().__init__(**kwargs)
        self.sizes = sequence_length, vocab_size, output_dim

    def build(self, input_shape):
        time, vocabulary, d = self.sizes
        self.words = keras.layers.Embedding(vocabulary, d, trainable=False)
        self.positions = keras.layers.Embedding(time, d, trainable=False)
        for layer, rows in (self.words, vocabulary), (self.positions, time):
            table = np.zeros((rows, d))
            for j in range(d):
                wave = np.cos if j % 2 else np.sin
                table[:, j] = wave(np.arange(rows) * np.exp(-np.log(1e4) * (j // 2 * 2) / d))
            layer.build()
            layer.set_weights([table])

    def call(self, inputs):
        return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[1]))


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="TRAINABLE"
{
    "super().__init__(**kwargs)": "super().__init__(**kwargs)\n        self.trainable = False",
    "weights=[table(vocab_size)], trainable=False": "weights=[table(vocab_size)]",
    "weights=[table(sequence_length)], trainable=False": "weights=[table(sequence_length)]",
}


# %% exercise="PositionEmbeddingFixedWeights" edits="arrays, no weights"
ONE_TABLE = (
    "One table of sequence_length rows serves the words as well, so larger ids have no row of "
    "their own. The table of words has vocab_size rows.",
    {
        "[table(vocab_size), table(sequence_length)]": "[table(sequence_length)] * 2",
        "ops.take(words, inputs, axis=0)": (
            "ops.take(words, ops.minimum(inputs, len(self.tables[0]) - 1), axis=0)"
        ),
    },
)


# %% exercise="PositionEmbeddingFixedWeights" edits="arrays, no weights"
HALF_PRECISION = (
    "The tables are stored in float16, which keeps three decimals only. Use float32.",
    {
        "self.tables = [table(vocab_size), table(sequence_length)]": (
            "self.tables = [table(r).astype(np.float16) for r in (vocab_size, sequence_length)]"
        )
    },
)

# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables"
EXPONENT_DOUBLED = (
    "The exponents are twice as large. If i runs over 0, 2, 4 and so on, the exponent is i/d.",
    {"(np.arange(d) // 2 * 2 / d)": "(np.arange(d) // 2 * 4 / d)"},
)


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables"
IDS_AS_POSITIONS = (
    "The rows of the position table are looked up by the ids of the words. The positions are 0, "
    "1, 2 and so on.",
    {"self.positions(ops.arange(ops.shape(inputs)[-1]))": "self.words(inputs)"},
    {"self.positions(ops.arange(ops.shape(inputs)[-1]))": "self.positions(inputs)"},
)
MULTIPLIED_TABLES = (
    "The two embeddings are multiplied. They must be added.",
    {"(inputs) + self": "(inputs) * self"},
)
WORDS_SCALED = (
    "The embeddings of the words are multiplied by the square root of output_dim. This layer must "
    "only add the two embeddings.",
    {
        "def call": "    self.factor = output_dim**0.5\n\n    def call",
        "return self.words(inputs)": "return self.factor * self.words(inputs)",
    },
)
FASTER_WAVES = (
    "The numbers are multiplied by n^(2i/d). Divide by it, so that the waves become slower from "
    "pair to pair.",
    {"[:, None] / n": "[:, None] * n"},
)


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="BATCH_POSITIONS"
{"ops.shape(inputs)[-1]": "ops.shape(inputs)[0]"}
{"(ops.arange(ops.shape(inputs)[-1]))": "(ops.arange(ops.shape(inputs)[0]))[:, None]"}


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="DROPOUT"
{
    "self.words =": "self.dropout = keras.layers.Dropout(0.1)\n        self.words =",
    "return self.words(inputs) + self.positions(ops.arange(ops.shape(inputs)[-1]))": (
        "positions = self.positions(ops.arange(ops.shape(inputs)[-1]))\n"
        "        return self.dropout(self.words(inputs) + positions)"
    ),
}


# %% exercise="PositionEmbeddingFixedWeights" edits="two fixed tables" wrong="EXPONENT_OF_EVEN_D"
{"(np.arange(d) // 2 * 2 / d)": "(np.arange(d) // 2 * 2 / (d + d % 2))"}


# %% exercise="trainable_parameter_count" right="sizes of the arrays"
def trainable_parameter_count(layer):
    return sum(weight.numpy().size for weight in layer.trainable_weights)


# %% exercise="trainable_parameter_count" wrong="ALL_WEIGHTS"
ALL_WEIGHTS = "Parameters that are not trainable are counted as well."


def trainable_parameter_count(layer):
    return layer.count_params()


# %% exercise="trainable_parameter_count" wrong="ARRAYS"
ARRAYS = "The arrays are counted. Count the parameters in them."


def trainable_parameter_count(layer):
    return len(layer.trainable_weights)


# %% exercise="trainable_parameter_count" edits="sizes of the arrays"
FROZEN_COUNTED = (
    "The parameters that are not trainable are counted. Count the trainable ones.",
    {"trainable_weights": "non_trainable_weights"},
)
FIRST_AXIS = (
    "Only the length of the first axis of each array is counted. Multiply the lengths of all its "
    "axes.",
    {"weight.numpy().size": "weight.shape[0]"},
)


# %% exercise="trainable_parameter_count" wrong="ALL_WEIGHTS"
def trainable_parameter_count(layer):
    if isinstance(layer, keras.Model):
        return sum(part.count_params() for part in layer.layers if part.trainable)
    return sum(int(np.prod(weight.shape)) for weight in layer.trainable_weights)


# %% exercise="trainable_parameter_count" edits="sizes of the arrays"
LENGTHS_ADDED = (
    "The lengths of the axes are added. Multiply them: an array of shape (4, 3) holds 12 "
    "parameters.",
    {"weight.numpy().size for weight": "sum(w.shape) for w"},
)
VALUES_ADDED = (
    "The values of the parameters are added. Count the parameters.",
    {"weight.numpy().size": "float(weight.numpy().sum())"},
)
BYTES = (
    "The bytes are counted. Count the parameters, each of which takes four bytes.",
    {"weight.numpy().size for weight": "w.numpy().nbytes for w"},
)


# %% exercise="trainable_parameter_count" edits="sizes of the arrays"
FIRST_AND_LAST_AXIS = (
    "Only the lengths of the first and the last axis are multiplied. An array may have more axes "
    "than two.",
    {"weight.numpy().size": "weight.shape[0] * (1, weight.shape[-1])[len(weight.shape) > 1]"},
)
NO_VECTORS = (
    "Arrays with one axis, such as biases, are left out. Their numbers are trainable parameters, "
    "too.",
    {
        "weight.numpy().size for weight in layer.trainable_weights": (
            "w.numpy().size for w in layer.trainable_weights if len(w.shape) > 1"
        )
    },
)
BY_NAME = (
    "The arrays are collected by name, and arrays of the same name are counted once. Two layers "
    "may have arrays of the same name.",
    {
        "weight.numpy().size for weight in layer.trainable_weights": (
            "{w.name: w.numpy().size for w in layer.trainable_weights}.values()"
        )
    },
)


# %% exercise="trainable_parameter_count" wrong="ONLY_MODELS"
ONLY_MODELS = (
    "Only a model has the attribute layers. Use trainable_weights, which every layer and model has."
)


def trainable_parameter_count(layer):
    return sum(part.count_params() for part in layer.layers if part.trainable)


# %% exercise="trainable_parameter_count" wrong="ONE_EACH"
ONE_EACH = "There is one number for each array. Return their sum."


def trainable_parameter_count(layer):
    return [int(np.prod(w.shape)) for w in layer.trainable_weights]


# %% exercise="trainable_parameter_count" right="the size of every array"
def trainable_parameter_count(layer):
    total = 0
    for variable in layer.trainable_variables:
        total += ops.size(variable)
    return int(total)


# %% exercise="trainable_parameter_count" right="all but the others"
def trainable_parameter_count(layer):
    others = sum(np.size(weight) for weight in layer.non_trainable_weights)
    return layer.count_params() - others


# %% exercise="trainable_parameter_count" edits="sizes of the arrays"
FIRST_ARRAY = (
    "Only one of the arrays is counted. Add up the parameters of all trainable arrays.",
    {"layer.trainable_weights": "layer.trainable_weights[:1]"},
)


# %% exercise="trainable_parameter_count" wrong="TWO_AXES"
TWO_AXES = (
    "Only the first two axes of an array are counted. Multiply the lengths of all its axes; the "
    "kernel of a convolution has three or four."
)


def trainable_parameter_count(layer):
    return int(sum(np.prod(weight.shape[:2]) for weight in layer.trainable_weights))


# %% exercise="trainable_parameter_count" edits="all but the others"
STATE_SUBTRACTED = (
    "The state of random generators, as of Dropout, is subtracted, which count_params does not "
    "count. Use trainable_weights.",
    {"non_trainable_weights": "non_trainable_variables"},
)


# %% exercise="trainable_parameter_count" wrong="INNER_LAYERS"
INNER_LAYERS = (
    "Only the layers inside a model are counted. A model may have weights of its own, and its "
    "trainable_weights hold these, too."
)


def trainable_parameter_count(layer):
    parts = getattr(layer, "layers", [layer])
    return sum(int(np.prod(w.shape)) for part in parts for w in part.trainable_weights)


# %% exercise="trainable_parameter_count" wrong="COUNTED_TWICE"
COUNTED_TWICE = (
    "The weights of an inner layer are counted again for every layer around it. The list "
    "trainable_weights of the outer layer holds all of them, each once."
)


def trainable_parameter_count(layer):
    parts = layer._flatten_layers()
    return sum(int(np.prod(w.shape)) for part in parts for w in part.trainable_weights)


# %% exercise="trainable_parameter_count" edits="the size of every array"
FIRST_TIMES_LAST = (
    "The first length times the last is counted. That squares a vector and misses middle axes.",
    {"ops.size(variable)": "variable.shape[0] * variable.shape[-1]"},
)


# %% exercise="trainable_parameter_count" edits="sizes of the arrays"
LAST_AXIS = (
    "Only the length of the last axis of each array is counted. Multiply the lengths of all its "
    "axes.",
    {"weight.numpy().size": "weight.shape[-1]"},
)

# %% exercise="trainable_parameter_count" edits="sizes of the arrays" wrong="FIRST_ARRAY"
{"layer.trainable_weights": "layer.trainable_weights[-1:]"}


# %% exercise="trainable_parameter_count" wrong="SIZES_MULTIPLIED"
SIZES_MULTIPLIED = "The sizes of the arrays are multiplied. Add them up."


def trainable_parameter_count(layer):
    return int(np.prod([np.prod(weight.shape) for weight in layer.trainable_weights]))


# %% exercise="trainable_parameter_count" wrong="UNFREEZES"
UNFREEZES = (
    "The layer is made trainable before its parameters are counted, so frozen weights count, too. "
    "Leave its attribute trainable unchanged."
)


def trainable_parameter_count(layer):
    layer.trainable = True
    return sum(int(np.prod(w.shape)) for w in layer.trainable_variables)


# %% exercise="trainable_parameter_count" wrong="ARRAYS_SUBTRACTED"
ARRAYS_SUBTRACTED = (
    "The number of frozen arrays is subtracted. Subtract the number of parameters in them."
)


def trainable_parameter_count(layer):
    return layer.count_params() - len(layer.non_trainable_weights)


# %% exercise="embed_sentences" right="by the answers to exercises 1 and 4"
def embed_sentences(sentences, max_tokens, length, output_dim):
    ids = build_vectorizer(sentences, max_tokens, length)(sentences)
    return PositionEmbeddingFixedWeights(length, max_tokens, output_dim)(ids)


# %% exercise="embed_sentences" wrong="IDS"
IDS = "These are the ids of the words. They must still be passed through the fixed layer."


def embed_sentences(sentences, max_tokens, length, output_dim):
    return build_vectorizer(sentences, max_tokens, length)(sentences)


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4" wrong="LEARNED"
{"PositionEmbeddingFixedWeights": "PositionEmbeddingLayer"}


# %% exercise="embed_sentences" wrong="NOT_PADDED"
NOT_PADDED = "The rows are as long as the longest sentence. They must all have the given length."


def embed_sentences(sentences, max_tokens, length, output_dim):
    vectorizer = keras.layers.TextVectorization(max_tokens)
    vectorizer.adapt(sentences)
    ids = vectorizer(sentences)
    return PositionEmbeddingFixedWeights(ids.shape[1], max_tokens, output_dim)(ids)


# %% exercise="embed_sentences" wrong="EACH_ALONE"
EACH_ALONE = (
    "Every sentence has its own vocabulary, but all sentences must share one. Adapt the layer to "
    "all of them first."
)


def embed_sentences(sentences, max_tokens, length, output_dim):
    layer = PositionEmbeddingFixedWeights(length, max_tokens, output_dim)
    ids = [build_vectorizer([s], max_tokens, length)([s])[0] for s in sentences]
    return layer(ops.stack(ids))


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4" wrong="SWAPPED"
{
    "(sentences, max_tokens, length)": "(sentences, length, max_tokens)",
    "length, max_tokens": "max_tokens, length",
}
{"length, max_tokens": "max_tokens, length"}


# %% exercise="embed_sentences" wrong="PADDING_CLEARED"
PADDING_CLEARED = (
    "The vectors of the padding are set to zero. Return what the fixed layer gives for the ids."
)


def embed_sentences(sentences, max_tokens, length, output_dim):
    v = build_vectorizer(sentences, max_tokens, length)
    ids = v(sentences)
    return (
        PositionEmbeddingFixedWeights(length, max_tokens, output_dim)(ids)
        * ops.cast(ids != 0, "float32")[..., None]
    )


# %% exercise="embed_sentences" right="one model for both steps, tables larger than needed"
def embed_sentences(sentences, max_tokens, length, output_dim):
    layer = PositionEmbeddingFixedWeights(length + 1, max_tokens + 5, output_dim)
    return np.stack(
        [layer(build_vectorizer(sentences, max_tokens, length)([s]))[0] for s in sentences]
    )


# %% exercise="embed_sentences" right="a tensor, from a table of its own"
def embed_sentences(sentences, max_tokens, length, output_dim):
    vectorizer = keras.layers.TextVectorization(max_tokens, output_sequence_length=length)
    vectorizer.adapt(np.array(sentences))
    columns = np.arange(output_dim)
    angles = np.arange(max(max_tokens, length))[:, None] / 1e4 ** (2 * (columns // 2) / output_dim)
    table = ops.cast(np.where(columns % 2, np.cos(angles), np.sin(angles)), "float32")
    words, positions = ops.take(table, vectorizer(sentences), axis=0), table[:length]
    return words + positions


# %% exercise="embed_sentences" edits="a tensor, from a table of its own"
ENCODING_OF_IDS = (
    "Only the vectors of the words are used. The vectors of the positions must be added to them.",
    {"words + positions": "words"},
)
ONLY_POSITIONS = (
    "The vectors are those of the positions alone. Those of the words must be added.",
    {"words + positions": "0 * words + positions"},
)
POSITIONS_TWICE = (
    "The positions are added twice. The fixed layer already adds them.",
    {"words + positions": "words + 2 * positions"},
)


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4" wrong="SWAPPED"
{"(sentences, max_tokens, length)": "(sentences, length, max_tokens)"}
{"length, max_tokens, output_dim": "length, output_dim, max_tokens"}


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4" wrong="FIRST_SENTENCE"
{"(sentences, max_tokens, length)": "(sentences[:1], max_tokens, length)"}


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4"
TWO_ROWS_FEWER = (
    "The table of words has too few rows. max_tokens already includes the empty string and [UNK].",
    {"(length, max_tokens, output_dim)": "(length, max_tokens - 2, output_dim)"},
)
TIME_FIRST = (
    "The axis of the steps comes first. The result must be (batch, length, output_dim).",
    {
        "return PositionEmbeddingFixedWeights(length, max_tokens, output_dim)(ids)": (
            "layer = PositionEmbeddingFixedWeights(length, max_tokens, output_dim)\n"
            "    return ops.swapaxes(layer(ids), 0, 1)"
        )
    },
)
LAYER_RETURNED = (
    "The layer came back. Call it with the ids, and return what it gives.",
    {"(ids)": ""},
)


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4"
AVERAGED = (
    "The vectors of a sentence are averaged. Return one vector for each of its words.",
    {"(ids)": "(ids).numpy().mean(axis=1)"},
)
IDS_SHIFTED = (
    "2 is subtracted from the ids, as if the first word had the id 0. Pass the ids on as they are.",
    {"(ids)": "(ops.maximum(ids - 2, 0))"},
)


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4"
AXES_LOST = (
    "An axis of length 1 is lost, as with a single sentence. The result always has three axes.",
    {
        "PositionEmbeddingFixedWeights(length, max_tokens, output_dim)(ids)": (
            "np.squeeze(PositionEmbeddingFixedWeights(length, max_tokens, output_dim)(ids))"
        )
    },
)


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4"
AS_MANY_POSITIONS_AS_WORDS = (
    "The table of the positions has max_tokens rows. It needs length rows.",
    {"Weights(length, max_tokens": "Weights(max_tokens, max_tokens"},
)


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4"
TWO_TOKENS_MORE = (
    "The vocabulary has more than max_tokens entries. The padding and the unknown words are two of "
    "the max_tokens.",
    {
        "(sentences, max_tokens, length)(": "(sentences, max_tokens + 2, length)(",
        "(length, max_tokens, output_dim)": "(length, max_tokens + 2, output_dim)",
    },
)


# %% exercise="embed_sentences" wrong="PADDED_IN_FRONT"
PADDED_IN_FRONT = "Sentences are padded and cut in front. TextVectorization does both at the end."


def embed_sentences(sentences, max_tokens, length, output_dim):
    longest = max(len(sentence.split()) for sentence in sentences)
    vectorizer = build_vectorizer(sentences, max_tokens, longest)
    rows = [[i for i in row if i > 0] for row in np.array(vectorizer(sentences)).tolist()]
    ids = keras.utils.pad_sequences(rows, maxlen=length)
    return np.array(PositionEmbeddingFixedWeights(length, max_tokens, output_dim)(ids))


# %% exercise="embed_sentences" edits="by the answers to exercises 1 and 4"
SPECIAL_TOKENS_SUBTRACTED = (
    "Two tokens are subtracted from max_tokens. Padding and unknown words are counted already.",
    {"build_vectorizer(sentences, max_tokens,": "build_vectorizer(sentences, max_tokens - 2,"},
)


# %% exercise="embed_sentences" wrong="TWO_TOKENS_MORE"
def embed_sentences(sentences, max_tokens, length, output_dim):
    vectorizer = keras.layers.TextVectorization(output_sequence_length=length)
    vectorizer.adapt(sentences)
    rows = vectorizer.vocabulary_size()
    return PositionEmbeddingFixedWeights(length, rows, output_dim)(vectorizer(sentences))


# %% exercise="embed_sentences" wrong="VECTORIZER_ARGUMENTS"
VECTORIZER_ARGUMENTS = (
    "The vectorizer is given max_tokens as its length and length as its max_tokens. Look up the "
    "order of the arguments of build_vectorizer."
)


def embed_sentences(sentences, max_tokens, length, output_dim):
    vectorizer = build_vectorizer(sentences, length, max_tokens)
    layer = PositionEmbeddingFixedWeights(max_tokens, max_tokens, output_dim)
    return layer(vectorizer(sentences))[:, :length]


# %% exercise="order_accuracy" right="rows permuted, both in a list"
def order_accuracy(model, x, y, rng):
    shuffled = rng.permuted(x, axis=1)
    return [np.mean(np.argmax(model(part), axis=1) == y) for part in (x, shuffled)]


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
SAME_ORDER = (
    "All rows are put into the same new order. Each row needs its own random order, as drawn by "
    "rng.permuted(x, axis=1).",
    {"permuted": "permutation"},
    {"rng.permuted(x, axis=1)": "x[:, rng.permutation(x.shape[1])]"},
)
ROWS_SHUFFLED = (
    "The rows have changed places, but the order inside each row is the same as before. Shuffle "
    "the steps inside each row.",
    {"rng.permuted(x, axis=1)": "rng.permutation(x)"},
)

TRAINING_MODE = (
    "The model is called as in training, where layers such as Dropout act differently. Use "
    "predict, or training=False.",
    {"model(part)": "model(part, training=True)"},
)

# %% exercise="order_accuracy" edits="rows permuted, both in a list" wrong="OTHER_SOURCE"
{"rng.": "np.random.default_rng()."}

# %% exercise="order_accuracy" edits="rows permuted, both in a list" wrong="SEED_OF_ITS_OWN"
{"rng.": "np.random.default_rng(0)."}


# %% exercise="order_accuracy" wrong="LABELS_SHUFFLED"
LABELS_SHUFFLED = (
    "The labels are shuffled. They must stay as they are, and the steps of x must be shuffled."
)


def order_accuracy(model, x, y, rng):
    answers = np.argmax(model(x), axis=1)
    return np.mean(answers == y), np.mean(answers == rng.permutation(y))


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
ERRORS = "These are error rates. The accuracy is the share of right answers.", {"== y": "!= y"}


# %% exercise="order_accuracy" wrong="DROP"
DROP = "This is the difference of the two accuracies. Return both."


def order_accuracy(model, x, y, rng):
    shuffled = rng.permuted(x, axis=1)
    intact, other = (np.mean(np.argmax(model(part), axis=1) == y) for part in (x, shuffled))
    return intact - other


# %% exercise="order_accuracy" wrong="REVERSED"
REVERSED = "The rows are reversed. Each row must be put into a random order."


def order_accuracy(model, x, y, rng):
    return [np.mean(np.argmax(model(part), axis=1) == y) for part in (x, x[:, ::-1])]


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
OVER_ROWS = (
    "The classes are compared across the rows. Take the argmax over the last axis.",
    {"(model(part), axis=1)": "(model(part), axis=0)[y]"},
    {"axis=1) == y": "axis=0) == y"},
    {"(model(part), axis=1)": "(model(part))"},
)
LAST_OUTPUT_ONLY = (
    "A single output decides, as with two classes. Take the argmax over all the classes.",
    {"np.argmax(model(part), axis=1)": "(np.asarray(model(part))[:, -1] > 0.5)"},
    {"np.argmax(model(part), axis=1)": "(np.asarray(model(part))[:, 1] > 0.5)"},
)
WRONG_WAY_ROUND = (
    "The two accuracies have been exchanged. The accuracy on the intact inputs comes first.",
    {"x, shuffled": "shuffled, x"},
)


# %% exercise="order_accuracy" wrong="INPUT_CHANGED"
def order_accuracy(model, x, y, rng):
    intact = np.mean(np.argmax(model(x), axis=1) == y)
    rng.permuted(x, axis=1, out=x)
    return intact, np.mean(np.argmax(model(x), axis=1) == y)


# %% exercise="order_accuracy" wrong="NOT_SHUFFLED"
NOT_SHUFFLED = (
    "Both accuracies are those of the intact inputs. The shuffled copy that rng.permuted returns "
    "is not used, or whole examples were reordered together with their labels."
)


def order_accuracy(model, x, y, rng):
    intact = np.mean(np.argmax(model(x), axis=1) == y)
    rng.permuted(x, axis=1)
    return intact, np.mean(np.argmax(model(x), axis=1) == y)


# %% exercise="order_accuracy" wrong="NOT_SHUFFLED"
def order_accuracy(model, x, y, rng):
    order = rng.permutation(len(x))
    intact = np.mean(np.argmax(model(x), axis=1) == y)
    return intact, np.mean(np.argmax(model(x[order]), axis=1) == y[order])


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
ROTATED = (
    "The steps of each row are only rotated, so most neighbours stay together. Every order of "
    "the steps must be possible.",
    {
        "shuffled = rng.permuted(x, axis=1)": (
            "shift = rng.integers(x.shape[1], size=(len(x), 1))\n"
            "    order = (np.arange(x.shape[1]) + shift) % x.shape[1]\n"
            "    shuffled = np.take_along_axis(x, order, axis=1)"
        )
    },
)
ROWS_MIXED = "Tokens of different rows are mixed. Use axis=1.", {"x, axis=1": "x"}
COUNTED = "These are numbers of right answers. Divide by the number of rows.", {"mean": "sum"}
PERCENTAGES = "These are percentages. Return numbers between 0 and 1.", {"np.mean": "100 * np.mean"}
ROUNDED = (
    "The accuracies are rounded. Return them as they are.",
    {
        "np.mean(np.argmax(model(part), axis=1) == y)": (
            "round(float(np.mean(np.argmax(model(part), axis=1) == y)), 2)"
        )
    },
)


# %% exercise="order_accuracy" wrong="LAST_BATCH_LEFT_OUT"
LAST_BATCH_LEFT_OUT = "Some of the rows are left out. Use all rows, also those of the last batch."


def order_accuracy(model, x, y, rng):
    shuffled = rng.permuted(x, axis=1)
    rows = max(len(x) // 32 * 32, min(len(x), 32))
    return [np.mean(np.argmax(model(part[:rows]), axis=1) == y[:rows]) for part in (x, shuffled)]


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
NO_ARGMAX = (
    "The outputs of the model are compared with the labels. First take the argmax over the last "
    "axis.",
    {"np.argmax(model(part), axis=1)": "np.asarray(model(part))"},
)
COLUMNS_SHUFFLED = (
    "Each column is shuffled, which mixes the tokens of different rows. Shuffle each row: use "
    "axis=1.",
    {"x, axis=1": "x, axis=0"},
)


# %% exercise="order_accuracy" right="an array of both"
def order_accuracy(model, x, y, rng):
    shuffled = rng.permuted(x, axis=1)
    accuracies = [np.mean(np.argmax(model(part), axis=1) == y) for part in (x, shuffled)]
    return np.array(accuracies)


# %% exercise="order_accuracy" right="row by row"
def order_accuracy(model, x, y, rng):
    shuffled = np.array([rng.permutation(row) for row in x])
    return [float(np.mean(np.argmax(model(part), axis=1) == y)) for part in (x, shuffled)]


# %% exercise="order_accuracy" right="by sorting random numbers, with predict"
def order_accuracy(model, x, y, rng):
    order = rng.random(x.shape).argsort(axis=1)
    answers = model.predict(x).argmax(-1)
    others = model.predict(np.take_along_axis(x, order, axis=1)).argmax(-1)
    return (answers == y).sum() / len(y), (others == y).sum() / len(y)


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
SECOND_IS_THE_DROP = (
    "The second number is the difference of the two accuracies. It must be the accuracy on the "
    "shuffled inputs.",
    {
        "return": "intact, other =",
        "(x, shuffled)]": "(x, shuffled)]\n    return intact, intact - other",
    },
)
SAME_ANSWERS = (
    "The answers for the shuffled inputs are compared with those for the intact ones. Compare "
    "them with the labels.",
    {
        "== y": "== labels",
        "for part in (x, shuffled)": (
            "for part, labels in ((x, y), (shuffled, np.argmax(model(x), axis=1)))"
        ),
    },
)


# %% exercise="order_accuracy" wrong="EVALUATED"
EVALUATED = (
    "model.evaluate needs a compiled model, and this one is not. Compare the argmax of the outputs "
    "with the labels."
)


def order_accuracy(model, x, y, rng):
    shuffled = rng.permuted(x, axis=1)
    return model.evaluate(x, y)[1], model.evaluate(shuffled, y)[1]


# %% exercise="order_accuracy" edits="row by row"
WITH_REPLACEMENT = (
    "The tokens of a row are drawn with replacement, so some are lost and others come twice. Every "
    "row must keep its tokens: rng.permuted(x, axis=1).",
    {"rng.permutation(row)": "rng.choice(row, size=len(row))"},
)


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
EQUAL_KEYS = (
    "The rows are sorted by random whole numbers, of which some are equal, and then the old order "
    "stays. Every order must be equally likely.",
    {
        "rng.permuted(x, axis=1)": (
            "np.take_along_axis(\n"
            "        x, np.argsort(rng.integers(0, 3, size=x.shape), kind='stable'), axis=1\n"
            "    )"
        )
    },
)


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
LABELS_CROSSED = (
    "Every answer is compared with every label, because one of the two has an axis of length 1.",
    {"np.argmax(model(part), axis=1) == y": "np.argmax(model(part), axis=1)[:, None] == y"},
)

# %% exercise="order_accuracy" wrong="STEPS_AND_LABELS_SHUFFLED"
STEPS_AND_LABELS_SHUFFLED = (
    "The labels are shuffled, too. Shuffle the words of each row and nothing else."
)


def order_accuracy(model, x, y, rng):
    def accuracy(rows, labels):
        return np.mean(np.argmax(model(rows), axis=1) == labels)

    return [accuracy(x, y), accuracy(rng.permuted(x, axis=1), rng.permutation(y))]


# %% exercise="order_accuracy" edits="rows permuted, both in a list"
ONE_ACCURACY = (
    "Only one accuracy is returned. Return both, that on the intact inputs first.",
    {"for part in (x, shuffled)]": "for part in (x, shuffled)][0]"},
    {"for part in (x, shuffled)]": "for part in (x, shuffled)][1]"},
)
OUTPUT_OF_THE_LABEL = (
    "The output for the label is averaged, or compared with 0.5. A row is right if its label has "
    "the largest output, however large that is.",
    {
        "np.mean(np.argmax(model(part), axis=1) == y)": (
            "np.mean(np.asarray(model(part))[np.arange(len(y)), y])"
        )
    },
    {
        "np.mean(np.argmax(model(part), axis=1) == y)": (
            "np.mean(np.asarray(model(part))[np.arange(len(y)), y] > 0.5)"
        )
    },
)
