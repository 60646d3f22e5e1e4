"""What a terminal shows while a command works; a file or a pipe gets none of it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as RichProgress

from autograder.cli.interruption import Interruption
from autograder.course_error import CourseError, reason_of
from autograder.grading.progress import Progress
from autograder.results import Result


class Bar(Progress):
    """Shows a run's progress on stderr, with counts and the time left."""

    def __enter__(self) -> Bar:
        console = Console(file=sys.stderr)
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._bar.start()
        self._counts: dict[str, int] = {}
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def begin(self, total: int, outdated: int) -> None:
        if outdated:
            self._bar.console.print(outdated_words(outdated), highlight=False, soft_wrap=True)
        if total:
            self._task = self._bar.add_task("starting the kernels", total=total)

    def graded(self, result: Result) -> None:
        if Interruption.came:
            raise KeyboardInterrupt
        status = str(result.status)
        self._counts[status] = self._counts.get(status, 0) + 1
        counts = ", ".join(f"{number} {status}" for status, number in self._counts.items())
        self._bar.update(self._task, advance=1, description=counts)


def outdated_words(number: int) -> str:
    """Say how many marks are computed again although the submissions are the same."""
    if number == 1:
        marks = "1 mark is computed again although the submission has"
    else:
        marks = f"{number} marks are computed again although the submissions have"
    return (
        f"{marks} not changed, because the checks, the released notebook or the settings of "
        "grading have changed since"
    )


def with_progress(stems: Iterable[str], description: str) -> Iterator[str]:
    """Go through chapters and show on stderr, if it is a terminal, at which one it is."""
    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with RichProgress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        stems = list(stems)
        task = bar.add_task(description, total=len(stems))
        for stem in stems:
            bar.update(task, description=f"{description}: {stem}")
            yield stem
            bar.advance(task)


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Turn a full disk, or a folder that may not be written, into one line."""
    try:
        yield
    except OSError as error:
        where = error.filename or "a file"
        raise CourseError(f"{where} cannot be written: {reason_of(error)}") from error
