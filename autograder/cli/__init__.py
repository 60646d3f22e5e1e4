"""The instructors' command line; `autograder --help` shows it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from autograder.cli import course, grading
from autograder.cli.interruption import Interruption
from autograder.course_error import CourseError, reason_of

INTERRUPTED = 130
# What an interrupted command can promise.
_WHEN_RUN_AGAIN = {
    "grade": "; what was graded is kept, run it again to resume",
    "forget": "; run it again to remove the rest",
}


class _InOrder(click.Group):
    """Commands as a course needs them, one after the other, instead of by the alphabet."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)


@click.group(
    cls=_InOrder,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="A course folder is laid out as nbgrader's: source/, release/, submitted/, "
    "autograded/, feedback/ and gradebook.db; nbgrader's own commands read all of it.",
)
def cli() -> None:
    """Release the course's assignments and grade what comes back."""


for command in (
    course.release,
    course.new,
    course.variant,
    course.solution,
    course.bundle,
    grading.grade,
    grading.grade_one,
    grading.explain,
    grading.report,
    grading.forget,
    grading.demo,
):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    A problem that a person can solve ends it with one line and exit code 1; a command that cannot
    be understood, with a line that says why and exit code 2.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except BrokenPipeError:  # what read the output, such as `head`, needs no more of it
        _discard_the_rest()
        return 1
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        click.echo(f"autograder: {reason_of(error)}{where}", err=True)
        return 1


def _discard_the_rest() -> None:
    """Keep Python, which flushes its streams at the end, from complaining that nobody reads."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(given: list[str]) -> int:
    try:
        with Interruption(), cli.make_context("autograder", given) as context:
            return cli.invoke(context) or 0
    except CourseError as error:
        click.echo(f"autograder: {error}", err=True)
        return 1
    except KeyboardInterrupt:
        # `python -m` takes an interrupt that has left `exec` of a text, as dataclasses run one, for
        # one that nobody caught, and ends by the signal; another `exec` makes it forget.
        exec("")
        command = next((word for word in given if word in cli.commands), "")
        click.echo(f"autograder: interrupted{_WHEN_RUN_AGAIN.get(command, '')}", err=True)
        return INTERRUPTED
    except click.exceptions.Exit as end:  # after --help
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
