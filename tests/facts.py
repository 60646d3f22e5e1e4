"""The facts that the course has to reproduce, and the pages that print them.

Each fact is a number that the literature prints and that follows from its inputs alone, so a lesson
that teaches the computation must arrive at it. `python tests/facts.py` lists the facts with the
lines that the built site (`make book`) shows for them; `test_book.py` fails when one is missing.
"""

import functools
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
from built_pages import parsed

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Fact:
    """A fact in one sentence, the chapter that shows it, and how it is recognised there.

    `printed` is a regular expression that must match in one output of a cell, which the page has
    computed and nobody has typed. Minus signs are hyphens in it. What is said of many numbers at
    once is proved by an assertion among the code that was executed: `asserted` must match there.
    """

    chapter: str
    sentence: str
    printed: str = ""
    asserted: str = ""


FACTS = (
    Fact(
        "ch02_simple_rnn",
        "From the input 1, the published SimpleRNN has the first state 0.186623, -1.236946.",
        printed=r"h_?1\D+0\.186623\d* +-1\.23694(59|6)\d*",
    ),
    Fact(
        "ch02_simple_rnn",
        "After the input 2 its state is -0.0747144, -3.641879.",
        printed=r"h_?2.*-0\.0747144\d* +-3\.641879\d*",
    ),
    Fact(
        "ch02_simple_rnn",
        "After the input 3 its state is -1.301959, -6.841726.",
        printed=r"h_?3.*-1\.3019588\d* +-6\.84172(5[5-9]|6)\d*",
    ),
    Fact(
        "ch02_simple_rnn",
        "Its output after the three inputs 1, 2 and 3 is -3.869812.",
        printed=r"y_?3.*-3\.869812\d*",
    ),
    Fact(
        "ch02_simple_rnn",
        "Keras gives the same output, -3.869812.",
        # Keras computes in single precision: its last digits depend on the processor.
        printed=r"Keras.*-3\.8698(11[5-9]|12[0-4]?)\d*",
    ),
    Fact(
        "ch03_custom_attention_layer",
        "The series of the attention layer begins 1, 2, 3, 5, 8, 13, 21, 34, 55, 89.",
        printed=r"\b1,? +2,? +3,? +5,? +8,? +13,? +21,? +34,? +55,? +89\b",
    ),
    Fact(
        "ch03_custom_attention_layer",
        "Shuffled by seed 13, the training windows of twelve numbers and their targets are those "
        "that were published.",
        printed=r"\[ *8 13 21\]\D+34\s+\[ *5 +8 13\]\D+21\s+\[ *2 +3 +5\]\D+8\s+"
        r"\[ *13 21 34\]\D+55\s+\[ *21 34 55\]\D+89\s+\[ *34 55 89\]\D+144",
    ),
    Fact(
        "ch03_custom_attention_layer",
        "SimpleRNN(2) followed by Dense(1) has 8 + 3 = 11 parameters.",
        printed=r"8 \+ 3 = 11\b",
    ),
    Fact(
        "ch03_custom_attention_layer",
        "With attention over 20 steps the network has 8 + 22 + 3 = 33 parameters.",
        printed=r"8 \+ 22 \+ 3 = 33\b",
    ),
    Fact(
        "ch03_custom_attention_layer",
        "Of the 1200 scaled Fibonacci numbers, 98.75 % lie below 0.001.",
        printed=r"0\.001\D+98\.75 ?%",
    ),
    Fact(
        "ch07_positional_encoding_1",
        "The encoding of four positions in four columns with n = 100 is the published matrix.",
        printed=r"\[\[ *0\. +1\. +0\. +1\. *\]\s+"
        r"\[ *0\.8415 +0\.5403 +0\.0998 +0\.995\d* *\]\s+"
        r"\[ *0\.9093 +-0\.4161 +0\.1987 +0\.9801 *\]\s+"
        r"\[ *0\.1411 +-0\.99\d* +0\.2955 +0\.9553 *\]\]",
    ),
    Fact(
        "ch08_positional_encoding_2",
        "The vocabulary of the two robot sentences is '', [UNK], robot, you, too, i, am, a.",
        printed=r"\['', '\[UNK\]', 'robot', 'you', 'too', 'i', 'am', 'a'\]",
    ),
    Fact(
        "ch08_positional_encoding_2",
        "The ids of the two robot sentences are 5 6 7 2 0 and 3 4 2 0 0.",
        printed=r"\[\[5 6 7 2 0\]\s+\[3 4 2 0 0\]\]",
    ),
    Fact(
        "ch08_positional_encoding_2",
        "The first vector of the fixed layer is -0.9589243, 1.2836622, 0.23000172, 1.9731903, "
        "0.01077196, 1.9999421.",
        printed=r"-0\.9589243 +1\.2836622 +0\.23000172\s+1\.9731903 +0\.01077196\s+1\.9999421",
    ),
    Fact(
        "ch08_positional_encoding_2",
        "Every value of the fixed layer lies below 2.",
        asserted=r"assert printed\.max\(\) < 2\b",
    ),
    Fact(
        "ch08_positional_encoding_2",
        "The stand-alone layer gives (1, 20, 200) for 20 positions in 200 columns.",
        printed=r"\(1, 20, 200\)",
    ),
    Fact(
        "ch08_positional_encoding_2",
        "Its first two rows begin 0 1 0 and 0.8415 0.5403 0.7907 and end 1 0 1 and 1 0.0001 1.",
        printed=r"\[\[\[ *0\. +1\. +0\. +\.\.\. +1\. +0\. +1\. *\]\s+"
        r"\[ *0\.8415 +0\.5403 +0\.7907 +\.\.\. +1\. +0\.0001 +1\. *\]",
    ),
    Fact(
        "ch09_pca_embeddings",
        "Every row of the encoding in 100 columns has the norm 7.0710678, the root of 50.",
        printed=r"norm.*7\.0710678",
        asserted=r"allclose\(np\.linalg\.norm\(PE, axis=1\), np\.sqrt\(50\)\)",
    ),
    Fact(
        "ch09_pca_embeddings",
        "The distance of positions 70 and 72 is 3.2668781.",
        printed=r"70 to 72\D+3\.2668781",
    ),
    Fact(
        "ch09_pca_embeddings",
        "Any other two positions that are two apart have the same distance.",
        printed=r"0 to 2\D+3\.2668781",
        asserted=r"allclose\(np\.linalg\.norm\(PE\[2:\] - PE\[:-2\], axis=1\), 3\.2668781",
    ),
    Fact(
        "ch09_pca_embeddings",
        "The ids are 1 to 11 in the ordered sentence and 3 2 11 8 10 5 4 7 1 9 6 in the shuffled.",
        printed=r"\[\[ *1 +2 +3 +4 +5 +6 +7 +8 +9 +10 +11[ 0]*\]\s+"
        r"\[ *3 +2 +11 +8 +10 +5 +4 +7 +1 +9 +6[ 0]*\]\]",
    ),
    Fact(
        "ch09_pca_embeddings",
        "The padded ids have the shape (2, 100).",
        printed=r"ids \(2, 100\)",
    ),
    Fact(
        "ch09_pca_embeddings",
        "The embedding matrix has the shape (12, 100), with a row for the padding.",
        printed=r"matrix \(12, 100\)",
    ),
    Fact(
        "ch09_pca_embeddings",
        "The two embedded sentences have the shape (2, 100, 100).",
        printed=r"embedded \(2, 100, 100\)",
    ),
    Fact(
        "ch10_transformer_model",
        "By the rules of its exercise, the Transformer's base model has 63,045,632 parameters for "
        "a vocabulary of 37,000.",
        printed=r"\b63,045,632\b",
    ),
)


def shown(fact: Fact) -> str | None:
    """Return the lines by which the fact's page shows it, None when it does not.

    Raises `FileNotFoundError` when the site is not built.
    """
    if not fact.printed:
        return _lines_with(fact.asserted, _executed_code(fact.chapter))
    if fact.asserted and not _lines_with(fact.asserted, _executed_code(fact.chapter)):
        return None
    return _lines_with(fact.printed, _outputs(fact.chapter))


@functools.cache
def _executed_code(chapter):
    lesson = ROOT / "notebooks" / chapter / "lesson.ipynb"
    cells = nbformat.read(lesson, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


@functools.cache
def _outputs(chapter):
    outputs = parsed(f"notebooks/{chapter}/lesson.html").select("article .cell_output pre")
    return [output.get_text().replace("\N{MINUS SIGN}", "-") for output in outputs]


def _lines_with(pattern, texts):
    for text in texts:
        if found := re.search(pattern, text):
            start = text.rfind("\n", 0, found.start()) + 1
            end = text.find("\n", found.end())
            return text[start : end if end >= 0 else len(text)].strip()
    return None


def main() -> int:
    """Print every fact with its page and the lines there; return 1 when one is missing."""
    missing = 0
    for fact in FACTS:
        lines = shown(fact)
        missing += lines is None
        print(f"{fact.chapter}: {fact.sentence}")
        print("    " + (lines or "IS ON NO PAGE").replace("\n", "\n    "))
    print(f"{len(FACTS) - missing} of {len(FACTS)} facts are on their pages")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
