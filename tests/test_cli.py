"""The command line itself: its help, its exit codes, and one line for what is wrong."""

import io
import os
import subprocess
import sys
import time

import pytest

from autograder import cli
from autograder.cli import INTERRUPTED, main
from autograder.cli.progress import with_progress

COMMANDS = "release new variant solution bundle grade grade-one explain report forget demo".split()


def test_the_help_lists_the_commands_in_the_order_in_which_a_course_needs_them(capsys):
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    listed = said.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed[: len(COMMANDS)]] == COMMANDS
    assert all(line.rstrip().endswith(".") for line in listed[: len(COMMANDS)])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_every_option_explains_itself(command, capsys):
    assert main([command, "-h"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"Usage: autograder {command} ")
    for parameter in cli.cli.commands[command].params:
        assert parameter.help.endswith(".")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Commands:"),
        (["grdae"], "No such command 'grdae'"),
        (["grade", "course"], "Missing argument 'ASSIGNMENT'"),
        (["grade", "course", "ch01_rnn_basics", "--workers", "0"], "0 is not in the range x>=1"),
        (["grade", "course", "ch01_rnn_basics", "--regarde"], "No such option '--regarde'"),
        (["grade-one", "course", "ch01_rnn_basics", "a.ipynb"], "Missing option '--results'"),
    ],
)
def test_a_command_that_cannot_be_understood_ends_with_exit_code_2(arguments, says, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert says in printed.err and not printed.out and "Traceback" not in printed.err


def test_what_a_person_can_put_right_is_one_line(capsys, tmp_path):
    assert main(["grade", str(tmp_path / "nowhere"), "ch01_rnn_basics"]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith("autograder: there is no course folder ")
    assert printed.err.count("\n") == 1 and not printed.out


@pytest.mark.parametrize("command", ["grade", "grade-one", "report"])
def test_swapped_arguments_get_the_command_that_was_meant(command, capsys, tmp_path):
    course = tmp_path / "my course"
    (course / "source" / "ps1").mkdir(parents=True)
    more = ["a.ipynb", "--results", "r.json"] if command == "grade-one" else []
    for assignment in ("ch01_rnn_basics", "ps1"):
        assert main([command, assignment, str(course), *more]) == 1
        said = capsys.readouterr().err
        meant = f"autograder {command} '{course}' {assignment}"
        assert said.endswith(f"no course folder {assignment}; did you mean `{meant}`?\n")
    assert main([command, "ch01_rnn_basics", "ch02_simple_rnn", *more]) == 1
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("course", "is the course folder"),
        ("course/../course", "is the course folder"),
        (".", "contains the course folder"),
        ("course/submitted", "belongs to the course folder"),
        ("course/reports/ch01", "belongs to the course folder"),
    ],
)
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_the_course_folder_is_no_export(source, what, more, capsys, tmp_path, monkeypatch):
    (tmp_path / "course" / "submitted").mkdir(parents=True)
    (tmp_path / "course" / "reports" / "ch01").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert main(["grade", "course", "ch01_rnn_basics", "--from", source, *more]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"autograder: {source} {what} and is not a platform's export: ")
    assert "submissions in course/submitted are graded without --from" in said
    assert said.count("\n") == 1


def test_a_scheduler_has_its_own_workers(capsys):
    options = ["--scheduler", "tcp://head:8786", "--workers", "2"]
    assert main(["grade", "course", "ch01_rnn_basics", *options]) == 1
    said = capsys.readouterr().err
    assert said == (
        "autograder: --workers is the number of kernels on this machine and cannot be used with "
        "--scheduler; leave it out\n"
    )


@pytest.mark.parametrize("source", ["course/downloaded", "course/submitted/export.zip", "nowhere"])
def test_an_export_may_lie_in_the_course_folder(source, capsys, tmp_path, monkeypatch):
    (tmp_path / "course" / "downloaded").mkdir(parents=True)
    (tmp_path / "course" / "submitted").mkdir()
    (tmp_path / "course" / "submitted" / "export.zip").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["grade", "course", "ch01_rnn_basics", "--from", source]) == 1
    assert "course/release/ch01_rnn_basics/assignment.ipynb is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "interrupted", "says"),
    [
        ("grade", "grading.run.grade_course", "; what was graded is kept, run it again to resume"),
        ("forget", "grading.forget.forget_student", "; run it again to remove the rest"),
        ("variant", "course.variants.named_variants", ""),
        ("bundle", "building.bundle.bundle", ""),
    ],
)
def test_ctrl_c_is_one_line_and_an_exit_code_of_its_own(
    monkeypatch, capsys, command, interrupted, says
):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"autograder.{interrupted}", interrupt)
    arguments = {"variant": ["ch01", "rmse", "WRONG"], "bundle": ["a.zip"]}
    assert main([command, *arguments.get(command, ["course", "x"])]) == INTERRUPTED == 130
    printed = capsys.readouterr()
    assert printed.err == f"autograder: interrupted{says}\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--language", "zh"], "--language is about a course folder: name it with --course"),
        (["--gradebook", "sqlite://"], "--gradebook is about a course folder: name it with"),
        (["--check", "--course", "here"], "--check looks at notebooks/ alone: leave out --course"),
        (["--check", "--gradebook", "x"], "--gradebook is about a course folder"),
    ],
)
def test_a_release_ignores_no_option(monkeypatch, capsys, tmp_path, options, says):
    monkeypatch.chdir(tmp_path)
    assert main(["release", "ch01_rnn_basics", *options]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"autograder: {says}") and printed.err.count("\n") == 1
    assert not printed.out and not list(tmp_path.iterdir())


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["--help"], ["grade", "nowhere", "ch01_rnn_basics"]])
def test_output_that_nobody_reads_is_no_traceback(arguments, unbuffered):
    """As of `autograder --help | head -3`."""
    read, write = os.pipe()
    os.close(read)
    both = {"stdout": write, "stderr": write if arguments[0] == "grade" else subprocess.PIPE}
    command = [sys.executable, "-m", "autograder", *arguments]
    done = subprocess.run(command, **both, env=os.environ | {"PYTHONUNBUFFERED": unbuffered})
    os.close(write)
    assert (done.returncode, done.stderr or b"") == (1, b"")


def test_what_the_system_refuses_is_one_line(monkeypatch, capsys):
    def refuse(*arguments):
        raise PermissionError(13, "Permission denied", "/a/file")

    monkeypatch.setattr("autograder.course.variants.named_variants", refuse)
    assert main(["variant", "ch01", "rmse", "WRONG"]) == 1
    assert capsys.readouterr().err == "autograder: permission denied (/a/file)\n"


def test_the_package_can_be_run_as_a_module():
    command = [sys.executable, "-m", "autograder", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: autograder ")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_release_says_on_a_terminal_at_which_chapter_it_is(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stderr", Terminal())
    stems = ["ch01_one", "ch02_two"]
    for stem in with_progress(stems, "building the notebooks"):
        patience = time.monotonic() + 30
        while f"building the notebooks: {stem}" not in sys.stderr.getvalue():
            assert time.monotonic() < patience
            time.sleep(0.02)


def test_a_release_says_nothing_of_it_into_a_file(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    stems = ["ch01_one", "ch02_two"]
    assert list(with_progress(stems, "building the notebooks")) == stems
    assert sys.stderr.getvalue() == ""
