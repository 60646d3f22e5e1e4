"""What a run reports while it goes on."""

from autograder.results import Result


class Progress:
    """Takes note of a run's progress; this one shows nothing, the command line's is a bar."""

    def begin(self, total: int) -> None:
        """Take note of how many submissions are going to be graded."""

    def graded(self, result: Result) -> None:
        """Take note of one more result."""
