"""The numbers the course is taught on, each with its provenance in ``coursekit/data``."""

import datetime
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd

from coursekit.vocabulary import (
    Vocabulary,
    join_characters,
    join_words,
    split_characters,
    split_words,
)

# The ways of writing a date that `dates` knows, in the letters of Unicode's CLDR: EEEE is a
# weekday, MMMM a month, EEE and MMM their abbreviations, d and M numbers, dd and MM numbers with
# two digits, y the year.
DATE_FORMATS = (
    "EEEE, MMMM d, y",
    "MMMM d, y",
    "MMM d, y",
    "EEE d MMM y",
    "d MMMM y",
    "d MMM y",
    "dd.MM.y",
    "M/d/y",
)
# Word vectors in the text format of GloVe: a word and its numbers on each line.
WORD_VECTORS = Path(str(files("coursekit"))) / "data/word_vectors.txt"
_LANGUAGES = ("hu", "es")
_FIRST, _LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)


@dataclass(frozen=True)
class Pairs:
    """Texts and their translations, in the same order."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.sources)


@dataclass(frozen=True)
class Corpus:
    """Pairs to train with, to choose settings by and to test on, and a vocabulary for each side."""

    source: Vocabulary
    target: Vocabulary
    train: Pairs
    validation: Pairs
    test: Pairs


def load_sunspots():
    """Load the monthly mean relative sunspot numbers, January 1749 to December 1983.

    The series is recorded solar activity with a cycle of about eleven years: the standard small
    example of a real, noisy, almost periodic series.

    Returns
    -------
    pandas.Series
        2,820 floats named ``sunspots`` under a monthly ``DatetimeIndex`` named ``month``; from 0.0
        to 253.8, no value missing. The unit is the relative sunspot number (no dimension).

    Notes
    -----
    Andrews, D. F. and Herzberg, A. M. (1985), *Data: A Collection of Problems from Many Fields for
    the Student and Research Worker*, Springer. ``coursekit/data/README.md`` says how the file was
    made.

    Examples
    --------
    >>> load_sunspots().head(3).to_list()
    [58.0, 62.6, 70.0]
    """
    with files("coursekit").joinpath("data/sunspots.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, parse_dates=["month"], index_col="month")
    # `asfreq("MS")` gives the same and takes ten times as long.
    return table["sunspots"].to_period("M").to_timestamp()


def fibonacci_numbers() -> np.ndarray:
    """Return the first 1,200 Fibonacci numbers, 1, 2, 3, 5, …, as floats (1200,)."""
    from scipy.signal import lfilter  # it takes longer to import than all the rest here

    impulse = np.zeros(1201)
    impulse[0] = 1
    return lfilter([1], [1, -1, -1], impulse)[1:]


def marked_digits(
    examples: int, seed: int, steps: int = 60
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw sequences of random digits, one of which carries a mark.

    Parameters
    ----------
    examples : int
        How many sequences to draw.
    seed : int
        Of NumPy's random generator; every seed gives other sequences.
    steps : int
        The length of each sequence.

    Returns
    -------
    x : ndarray, shape (examples, steps, 11), float32
        Each digit as ten numbers, a 1 at its place and 0 elsewhere; the eleventh is 1 at the mark.
    digits : ndarray, shape (examples,)
        The digits that are marked.
    marks : ndarray, shape (examples,)
        The positions of the marks.
    """
    rng = np.random.default_rng(seed)
    digits = rng.integers(10, size=(examples, steps))
    marks = rng.integers(steps, size=examples)
    rows = np.arange(examples)
    x = np.zeros((examples, steps, 11), "float32")
    x[rows[:, None], np.arange(steps), digits] = 1
    x[rows, marks, 10] = 1
    return x, digits[rows, marks], marks


def load_towns():
    """Load the names of 627 English towns, a small text to learn spelling from.

    Returns
    -------
    list of str
        In alphabetical order, one capital letter each, 3 to 14 letters, no space or hyphen.

    Notes
    -----
    ``coursekit/data/README.md`` says where the list comes from.

    Examples
    --------
    >>> load_towns()[:3]
    ['Abingdon', 'Accrington', 'Alnwick']
    """
    return files("coursekit").joinpath("data/towns.txt").read_text(encoding="utf-8").split()


def load_word_vectors(
    path: str | os.PathLike = WORD_VECTORS, words: Iterable[str] | None = None
) -> dict[str, np.ndarray]:
    """Load word vectors from a file in the text format of GloVe.

    The course's own file, `WORD_VECTORS`, has 247 words of Stanford's glove.6B.50d, with 50 numbers
    each: "the", 196 words of 23 kinds, and the neighbours of eleven of them.

    Parameters
    ----------
    path
        Of a file such as ``glove.6B.100d.txt``: a word and its numbers on each line, separated by
        single spaces.
    words
        Which words to load, all of them when it is None. A word that has no vector is left out.

    Returns
    -------
    dict
        From word to float32 array, in the order of the file.

    Raises
    ------
    ValueError
        When there is no file at ``path``; when one of its lines, wanted or not, has another count
        of numbers than the first or an entry that is not a finite number; when no word of ``words``
        has a vector.

    Notes
    -----
    Pennington, J., Socher, R. and Manning, C. D. (2014), GloVe: Global Vectors for Word
    Representation, EMNLP. ``coursekit/data/README.md`` says how the course's file was made,
    ``LICENSE-GLOVE`` beside it on which terms.

    Examples
    --------
    >>> vectors = load_word_vectors(words=["king", "queen", "xyzzy"])
    >>> list(vectors), vectors["king"].shape
    (['king', 'queen'], (50,))
    """
    wanted = None if words is None else set(words)
    vectors = _read_glove(Path(path), wanted)
    if wanted and not vectors:
        raise ValueError(f"words: none of the {len(wanted)} has a vector")
    return vectors


def _read_glove(path: Path, wanted: set[str] | None) -> dict[str, np.ndarray]:
    """Read the wanted words of a file in the text format of GloVe, one line at a time."""
    if not path.is_file():
        raise ValueError(f"path: there is no file {path}")
    vectors, dimensions = {}, None
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            # Some tokens of GloVe contain white space of other kinds: split at nothing but " ".
            word, *entries = line.rstrip().split(" ")
            dimensions = dimensions or len(entries)
            if not entries or len(entries) != dimensions:
                raise ValueError(
                    f"{path}, line {number}: {len(entries)} numbers instead of {dimensions or 1}"
                )
            try:
                vector = np.array(entries, np.float32)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            if not np.isfinite(vector).all():
                raise ValueError(f"{path}, line {number}: a number is not finite")
            if wanted is None or word in wanted:
                vectors[word] = vector
    return vectors


def dates(formats: Sequence[str] = DATE_FORMATS, seed: int = 0) -> Corpus:
    """Draw dates, written in English in several ways, with the same dates as ``year-month-day``.

    12,000 different days between 1900 and 2099, each written once, in a format drawn at random:
    10,000 pairs to train with, 1,000 for validation and 1,000 for testing. No day of one part
    occurs in another, in whatever format. Tokens are characters: with all eight formats 43
    different ones in the sources, which have 8 to 29, and 11 in the targets, which always have 10.
    Both vocabularies have four special tokens more.

    Parameters
    ----------
    formats
        Which of `DATE_FORMATS` to use.
    seed
        Of the days and of their formats.

    Raises
    ------
    ValueError
        When a format is not one of `DATE_FORMATS`, or there is none.

    Notes
    -----
    The dates are generated. The English names of months and weekdays are those of Unicode's CLDR,
    as shipped with Babel; ``coursekit/data/README.md`` has the notice that its licence asks for.

    Examples
    --------
    >>> pairs = dates(["MMMM d, y"]).test
    >>> pairs.sources[0], pairs.targets[0]
    ('April 19, 2066', '2066-04-19')
    """
    from babel.dates import format_date

    if isinstance(formats, str) or not formats:
        raise ValueError(f"formats must be a list of some of {', '.join(map(repr, DATE_FORMATS))}")
    for written in formats:
        if written not in DATE_FORMATS:
            known = ", ".join(map(repr, DATE_FORMATS))
            raise ValueError(f"unknown date format {written!r}; known are {known}")
    rng = np.random.default_rng(seed)
    days = _draw_days(rng, 12_000)
    chosen = rng.integers(len(formats), size=len(days))
    sources = [
        format_date(day, formats[choice], locale="en")
        for day, choice in zip(days, chosen, strict=True)
    ]
    targets = [day.isoformat() for day in days]
    return _split(sources, targets, 1000, split_characters, join_characters)


def locale_dates(language: str = "hu", seed: int = 0) -> Corpus:
    """Draw days with their full dates in English and in Hungarian or Spanish.

    6,000 different days between 1900 and 2099: 5,000 pairs to train with, 500 for validation and
    500 for testing; no day occurs twice. Tokens are words, punctuation marks and single digits: 30
    different ones in English, 31 in Hungarian and 31 in Spanish. Both vocabularies have four
    special tokens more. An English source has 9 or 10 tokens, a target 10 or 11. Hungarian puts the
    year first and the weekday last, where English has them the other way round.

    Parameters
    ----------
    language
        Of the targets: ``"hu"`` or ``"es"``.
    seed
        Of the days and of their order.

    Raises
    ------
    ValueError
        When the language is another one.

    Notes
    -----
    Real locale data, generated sentences: names and patterns are those of Unicode's CLDR, as
    shipped with Babel; ``coursekit/data/README.md`` has the notice that its licence asks for.

    Examples
    --------
    >>> pairs = locale_dates().test
    >>> pairs.sources[0], pairs.targets[0]
    ('Monday, November 9, 2065', '2065. november 9., hétfő')
    """
    from babel.dates import format_date

    if language not in _LANGUAGES:
        raise ValueError(f"unknown language {language!r}; known are {', '.join(_LANGUAGES)}")
    days = _draw_days(np.random.default_rng(seed), 6000)
    sources, targets = (
        [format_date(day, "full", locale=locale) for day in days] for locale in ("en", language)
    )
    return _split(sources, targets, 500, split_words, join_words)


def _draw_days(rng: np.random.Generator, number: int) -> list[datetime.date]:
    """Draw different days in a random order."""
    ordinals = rng.choice(_LAST.toordinal() - _FIRST.toordinal() + 1, number, replace=False)
    return [_FIRST + datetime.timedelta(days=int(ordinal)) for ordinal in ordinals]


def _split(sources, targets, held_back, split, join) -> Corpus:
    """Keep the last pairs for testing and as many before them for validation."""
    cuts = (slice(-2 * held_back), slice(-2 * held_back, -held_back), slice(-held_back, None))
    train, validation, test = (Pairs(tuple(sources[cut]), tuple(targets[cut])) for cut in cuts)
    return Corpus(
        source=Vocabulary.of(train.sources, split, join),
        target=Vocabulary.of(train.targets, split, join),
        train=train,
        validation=validation,
        test=test,
    )
