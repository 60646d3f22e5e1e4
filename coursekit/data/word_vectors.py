"""Build ``word_vectors.npz`` from the entries of WordNet 3.0: counts, PPMI, truncated SVD.

    python coursekit/data/word_vectors.py [folder of WordNet's data files]

The folder defaults to that of Debian's package ``wordnet-base``. The script takes about ten seconds
and prints how well the vectors of related words agree.

Two words are counted together in every entry that has both, an entry being the words of a synset,
its gloss and the words of its direct hypernyms. Pointwise mutual information turns the counts into
a measure of association (Church and Hanks 1990), of which the positive part is kept (PPMI), and a
truncated singular value decomposition reduces each row of it to 100 numbers (Levy and Goldberg
2014, who recommend the square root of the singular values).
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

DEBIAN = Path("/usr/share/wordnet")
TABLE = Path(__file__).with_name("word_vectors.npz")
DIMENSIONS = 100
FREQUENT_NOUNS = 2000
RARELY = 10  # a word in fewer entries than this is no context

# The words that the vectors are judged by. Each group has a meaning in common.
GROUPS = {
    "animals": "dog wolf cat horse cow sheep goat pig lion tiger bear fox rabbit mouse",
    "birds": "eagle hawk duck goose owl parrot sparrow hen",
    "body": "arm leg hand foot finger knee elbow shoulder neck",
    "buildings": "house church castle hotel school hospital palace tower",
    "clothes": "shirt coat trousers skirt dress hat shoe jacket sleeve",
    "colours": "red green yellow blue white black brown pink purple orange",
    "drinks": "wine beer milk coffee tea juice whiskey liquor",
    "family": "father mother brother sister uncle aunt son daughter husband wife",
    "fruit": "apple pear peach plum grape lemon cherry banana",
    "furniture": "table chair bed sofa desk cabinet shelf drawer",
    "instruments": "piano violin guitar flute trumpet drum organ harp",
    "languages": "english french german spanish latin greek italian russian",
    "mathematics": "number sum square triangle circle angle equation geometry",
    "metals": "iron copper gold silver lead tin zinc aluminum",
    "occupations": "doctor nurse lawyer teacher soldier judge priest farmer",
    "people": "man woman boy girl child adult person baby",
    "royalty": "king queen prince princess emperor duke monarch throne",
    "sports": "football basketball baseball tennis golf hockey soccer cricket",
    "tools": "hammer saw knife axe drill blade chisel screw",
    "vegetables": "potato tomato cabbage carrot onion bean pea lettuce",
    "vehicles": "car truck bus train ship boat airplane bicycle",
    "water": "river lake sea ocean stream bay island coast",
    "weather": "rain snow wind storm cloud thunder fog ice",
}


def main(folder: Path) -> None:
    """Write the table and print what `agreement` says of it."""
    entries = [set(re.findall("[a-z]+", text)) for text in read_entries(folder)]
    nouns = read_nouns(folder)
    frequency = Counter(word for entry in entries for word in entry)
    frequent = sorted(
        (word for word in frequency if word in nouns and len(word) > 2),
        key=lambda word: (-frequency[word], word),
    )
    judged = {word for group in GROUPS.values() for word in group.split()}
    words = sorted(judged.union(frequent[:FREQUENT_NOUNS]))
    contexts = sorted(word for word, count in frequency.items() if count >= RARELY)

    vectors = reduced(positive_pmi(entries, words, contexts)).astype(np.float16)
    np.savez_compressed(TABLE, words=np.array(words), vectors=vectors)
    print(f"{TABLE}: {len(words)} words, {TABLE.stat().st_size / 1000:.0f} kB")
    neighbours = agreement(dict(zip(words, vectors.astype(np.float32), strict=True)))
    print(f"nearest neighbour in the same group: {neighbours:.3f} of {len(judged)} words")


def read_entries(folder: Path) -> Iterator[str]:
    """Give the text of each synset: its words, its gloss and the words of its direct hypernyms."""
    words, glosses, hypernyms = {}, {}, {}
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="ascii").splitlines():
            if line.startswith("  "):  # the licence
                continue
            # The format is described in wndb(5).
            fields, gloss = line.lower().split(" | ", 1)
            offset, _, kind, number, *rest = fields.split()
            after = 2 * int(number, 16)
            key = kind + offset
            words[key] = [re.sub(r"\(\w+\)$", "", word) for word in rest[:after:2]]
            glosses[key] = gloss
            pointers = np.reshape(rest[after + 1 :][: 4 * int(rest[after])], (-1, 4))
            hypernyms[key] = [to + target for symbol, target, to, _ in pointers if symbol == "@"]
    for key, gloss in glosses.items():
        above = [word for hypernym in hypernyms[key] for word in words[hypernym]]
        yield " ".join([*words[key], gloss, *above]).replace("_", " ")


def read_nouns(folder: Path) -> set[str]:
    """Return the nouns of WordNet, in lower case."""
    lines = (folder / "index.noun").read_text(encoding="ascii").splitlines()
    return {line.split()[0] for line in lines if not line.startswith("  ")}


def positive_pmi(entries: list[set[str]], words: list[str], contexts: list[str]):
    """Return max(0, log p(context | word) / p(context)), sparse (words, contexts).

    p(context) is its share of all words of all entries.
    """
    column = {context: i for i, context in enumerate(contexts)}
    places = [
        (row, column[word]) for row, entry in enumerate(entries) for word in entry if word in column
    ]
    shape = (len(entries), len(contexts))
    occurs = sparse.csr_array((np.ones(len(places)), np.transpose(places)), shape)
    own = np.array([column[word] for word in words])
    counts = (occurs[:, own].T @ occurs).tocoo()
    other = own[counts.row] != counts.col  # a word is no context of itself
    row, col, count = counts.row[other], counts.col[other], counts.data[other]
    given_word = count / np.bincount(row, count)[row]
    share = occurs.sum(axis=0) / occurs.sum()
    pmi = np.log(given_word / share[col])
    positive = pmi > 0
    return sparse.csr_array((pmi[positive], (row[positive], col[positive])), counts.shape)


def reduced(association) -> np.ndarray:
    """Reduce the rows to `DIMENSIONS` numbers each and scale them to length 1."""
    left, singular_values, _ = randomized_svd(association, DIMENSIONS, n_iter=7, random_state=0)
    vectors = left * np.sqrt(singular_values)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def agreement(vectors: dict[str, np.ndarray]) -> float:
    """Return the share of the words in `GROUPS` whose nearest neighbour is of the same group.

    Only the words of `GROUPS` are candidates; nearest is the largest cosine.
    """
    pairs = [(word, name) for name, group in GROUPS.items() for word in group.split()]
    table = np.array([vectors[word] / np.linalg.norm(vectors[word]) for word, _ in pairs])
    names = np.array([name for _, name in pairs])
    similarity = table @ table.T
    np.fill_diagonal(similarity, -np.inf)
    return float(np.mean(names[similarity.argmax(axis=1)] == names))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DEBIAN)
