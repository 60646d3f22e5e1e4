"""Turning texts into rows of token ids and back."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

PADDING, UNKNOWN, START, END = "", "[UNK]", "[START]", "[END]"
_SPECIAL = (PADDING, UNKNOWN, START, END)


def split_characters(text: str) -> list[str]:
    """Split a text into its characters."""
    return list(text)


def join_characters(tokens: Iterable[str]) -> str:
    """Put characters together to a text."""
    return "".join(tokens)


def split_words(text: str) -> list[str]:
    """Split a text into words, single digits and single punctuation marks.

    Examples
    --------
    >>> split_words("August 17, 2009")
    ['August', '1', '7', ',', '2', '0', '0', '9']
    """
    return re.findall(r"\d|[^\W\d_]+|[^\w\s]|_", text)


def join_words(tokens: Iterable[str]) -> str:
    """Put the tokens of `split_words` together to a text.

    There is no space between two digits and none before a punctuation mark. So this undoes
    `split_words` for texts that are spaced in this way, as those of `coursekit.datasets` are; two
    numbers side by side or an opening bracket would come back with other spaces.

    Examples
    --------
    >>> join_words(["August", "1", "7", ",", "2", "0", "0", "9"])
    'August 17, 2009'
    """
    text = ""
    for token in tokens:
        punctuation = len(token) == 1 and not token.isalnum()
        inside_number = token.isdigit() and text[-1:].isdigit()
        text += token if not text or punctuation or inside_number else f" {token}"
    return text


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of one side of a corpus, each with an id.

    Ids 0 to 3 are padding, the unknown token, the start and the end; the other tokens follow in
    alphabetical order.

    Attributes
    ----------
    tokens
        All tokens; the id of a token is its place.
    split, join
        From a text to tokens and back.
    """

    tokens: tuple[str, ...]
    split: Callable[[str], list[str]]
    join: Callable[[Iterable[str]], str]
    padding: int = field(default=0, init=False)
    unknown: int = field(default=1, init=False)
    start: int = field(default=2, init=False)
    end: int = field(default=3, init=False)

    @classmethod
    def of(
        cls,
        texts: Iterable[str],
        split: Callable[[str], list[str]],
        join: Callable[[Iterable[str]], str],
    ) -> "Vocabulary":
        """Collect the tokens of texts."""
        found = {token for text in texts for token in split(text)}
        return cls((*_SPECIAL, *sorted(found)), split, join)

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, texts: Sequence[str], length: int | None = None) -> np.ndarray:
        """Turn texts into rows of ids, each closed by the end token and filled up with padding.

        Parameters
        ----------
        texts
            At least one; none may be empty. A token that is not in the vocabulary becomes the
            unknown token.
        length
            Columns of the result; by default as many as the longest text needs with its end token.

        Returns
        -------
        numpy.ndarray
            Ids (texts, length), ``int32``.

        Raises
        ------
        ValueError
            When there is no text, a text has no token, or a text does not fit into ``length``.
        """
        if isinstance(texts, str):
            raise ValueError("texts must be a list of texts, not a single text")
        ids = {token: number for number, token in enumerate(self.tokens)}
        rows = [[ids.get(token, self.unknown) for token in self.split(text)] for text in texts]
        if not rows:
            raise ValueError("texts is empty; there is nothing to encode")
        for number, row in enumerate(rows):
            if not row:
                raise ValueError(f"text {number} is empty: {texts[number]!r}")
        longest = max(len(row) for row in rows) + 1
        if length is None:
            length = longest
        elif longest > length:
            raise ValueError(
                f"length is {length}, but the longest text has {longest - 1} tokens and needs "
                f"{longest} with its end token"
            )
        encoded = np.full((len(rows), length), self.padding, "int32")
        for number, row in enumerate(rows):
            encoded[number, : len(row) + 1] = [*row, self.end]
        return encoded

    def tokens_of(self, ids: Iterable[int]) -> list[str]:
        """Return the tokens of one row of ids, up to its first end token or padding."""
        tokens = []
        for number in ids:
            if number in (self.end, self.padding):
                break
            if not 0 <= number < len(self):
                raise ValueError(f"id {number} is not in the vocabulary, which has {len(self)} ids")
            tokens.append(self.tokens[number])
        return tokens

    def decode(self, ids: np.ndarray) -> list[str]:
        """Turn rows of ids (texts, length) into texts; what follows the end token is dropped."""
        if np.ndim(ids) != 2:
            raise ValueError(f"ids must have shape (texts, length), got {np.shape(ids)}")
        return [self.join(self.tokens_of(row)) for row in np.asarray(ids)]
