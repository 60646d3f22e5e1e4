"""What a check says of an answer that refuses an argument which it must accept."""

import contextlib
from collections.abc import Iterator

from coursekit.checks.failure import CheckFailure
from coursekit.checks.wording import POSSIBLY


@contextlib.contextmanager
def refusal_is(mistake: str) -> Iterator[None]:
    """Name a mistake where an example inside fails by a ValueError.

    An error that an answer raises itself has words of its own, so it equals no error of the bank.
    """
    try:
        yield
    except CheckFailure as failure:
        if failure.raised != "ValueError" or failure.mistake:
            raise
        named = failure.headline, failure.detail, POSSIBLY + mistake, failure.raised, failure.call
        raise CheckFailure(*named) from None
