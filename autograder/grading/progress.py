"""What a run reports while it goes on."""

from autograder.results import Result


class Progress:
    """Takes note of a run's progress; this one shows nothing, the command line's is a bar."""

    def begin(self, total: int, outdated: int) -> None:
        """Take note of how many submissions are going to be graded.

        The marks of so many that are ``outdated`` are computed again, because the checks or
        something else on which they rest has changed since.
        """

    def graded(self, result: Result) -> None:
        """Take note of one more result."""
