"""Writers that follow a script, for checks of loops that write a word at a time."""

import numpy as np


class ScriptedWriter:
    """What decoders share that write a script as long as they are fed what they have written.

    Parameters
    ----------
    words
        Ids (rows, steps) that each row writes; after the last step the script begins again.
    start_id, vocab_size, end_id
        The id of the start token, the number of ids, and the id of the end token.
    """

    MAX_CALLS = 50  # ends a loop that would not end by itself

    def __init__(self, words: np.ndarray, start_id: int, vocab_size: int, end_id: int):
        self.calls = 0
        self._words = words
        self._start_id = start_id
        self._vocab_size = vocab_size
        self._end_id = end_id

    def _count_call(self, name: str) -> None:
        """Count a call, and raise RuntimeError when there were too many."""
        self.calls += 1
        if self.calls > self.MAX_CALLS:
            raise RuntimeError(f"{name} was called more than {self.MAX_CALLS} times")


def some_words(
    rng: np.random.Generator, rows: int, last: int, vocab_size: int
) -> tuple[np.ndarray, int, int]:
    """Draw words (rows, steps) whose rows end at different steps, the latest at step ``last``.

    After its end a row writes another word and ends again; at last all rows end together. Returned
    with the words are the ids of the start token and of the end token.
    """
    start_id, end_id, *others = rng.permutation(vocab_size)
    words = rng.choice([end_id, *others], size=(rows, last + 4))
    ends = rng.integers(1, last + 1, size=rows)
    ends[rng.permutation(rows)[:2]] = max(1, last // 2), last
    for row, end in zip(words, ends, strict=True):
        row[: end - 1] = rng.choice(others, size=end - 1)
        row[end - 1 : end + 2] = end_id, others[0], end_id
    words[:, last + 1] = end_id
    return words, int(start_id), int(end_id)
