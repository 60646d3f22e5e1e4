"""Several mistakes with the same outcome: the examples that follow decide which of them it is."""

from collections.abc import Callable, Iterable, Sequence

from coursekit.checks.failure import CheckFailure
from coursekit.checks.outcome import Mistake, Outcome
from coursekit.checks.wording import OR, POSSIBLY


class Tie:
    """An answer that has failed in an example in which several mistakes have its outcome.

    The check goes on to the next examples until one mistake is left or nothing more is known.
    Whatever else fails there, or cannot go on with a wrong result, the ``failure`` stands.
    """

    def __init__(self, failure: CheckFailure, mistakes: Sequence[Mistake]) -> None:
        self.failure = failure
        self._mistakes = mistakes
        self._examples = 0

    def go_on(self, has_outcome: Callable[[Outcome | None], bool]) -> None:
        """Keep the mistakes whose outcome of the next example the answer has, None if it is right.

        Raises
        ------
        CheckFailure
            When this decides, or when nothing more is known. An answer with which no mistake
            agrees any more has made another one, so its failure stays as it was.
        """
        number = self._examples
        self._examples += 1
        kept = [m for m in self._mistakes if number >= len(m.later) or has_outcome(m.later[number])]
        if not kept:
            raise self.failure
        self._mistakes = kept
        named = sentences_of(kept)
        self.failure = self.failure.with_mistake(one_or_several(named))
        if len(named) == 1 or all(self._examples >= len(m.later) for m in kept):
            raise self.failure


def sentences_of(mistakes: Iterable[Mistake]) -> list[str]:
    """Return the sentences of mistakes, each once."""
    return list(dict.fromkeys(mistake.sentence for mistake in mistakes))


def one_or_several(named: Sequence[str], is_proven: bool = True) -> str:
    """Return the sentence of the only mistake, or what is possible: it, or the first two."""
    return named[0] if is_proven and len(named) == 1 else POSSIBLY + OR.join(named[:2])
