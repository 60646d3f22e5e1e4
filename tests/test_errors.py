"""What is said of an error in one line, and the log that keeps its traceback."""

import contextlib
import errno

import pytest
from distributed.comm.core import CommClosedError
from sqlalchemy.exc import OperationalError

from autograder.course_error import CourseError
from autograder.grading import errors
from autograder.grading.errors import ErrorLog, describe_error, disk_errors
from autograder.grading.gradebook import CourseGradebook, GradebookUnavailable


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("\n too long\nby far"), "ValueError: too long"),
        (KeyError("x"), "KeyError: 'x'"),
        (AssertionError(), "AssertionError: no reason given"),
        (ValueError("a\x1b[2J\x00"), "ValueError: a?[2J?"),
        (RuntimeError("x" * 1000), f"RuntimeError: {'x' * 1000}"[: errors.LONGEST_LINE]),
    ],
)
def test_an_error_is_described_in_one_line(error, line):
    assert describe_error(error) == line


def test_an_error_of_the_database_without_a_message_is_one_line(tmp_path, monkeypatch):
    def fail(url):
        raise OperationalError("SELECT 1", {}, Exception())

    monkeypatch.setattr("autograder.grading.gradebook.Gradebook", fail)
    with pytest.raises(GradebookUnavailable, match="class: no reason given$"):
        CourseGradebook(tmp_path, "postgresql://user:secret@class")


def test_of_a_run_the_first_tracebacks_are_kept_and_the_others_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(errors, "MOST_TRACEBACKS", 3)
    for more in (0, 2):
        log = ErrorLog(tmp_path)
        with contextlib.suppress(CourseError), log.one_line():
            for number in range(3 + more):
                log.add(f"the submission of s{number}", ValueError("wrong"))
            raise KeyError("unforeseen")
    text = log.path.read_text(encoding="utf-8")
    assert text.count("ValueError: wrong") == 6 and "s3" not in text
    assert text.count("KeyError: 'unforeseen'") == 2  # that of the run itself is always kept
    assert text.count("left out") == 1
    assert text.endswith("UTC, tracebacks of this run that were left out: 2\n\n")
    log.forget("s1")
    assert "left out: 2" in log.path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError("Timed out trying to connect to tcp://Head-Node:8786"),
        ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
        CommClosedError("in <TCP (closed) Client->Scheduler>: Stream is closed"),
    ],
)
def test_an_error_of_the_network_is_none_of_the_disk_and_its_traceback_is_kept(tmp_path, error):
    log = ErrorLog(tmp_path)
    with pytest.raises(CourseError) as caught, disk_errors(tmp_path), log.one_line():
        raise error
    said = f"an internal error ended the run ({describe_error(error)}); its traceback is in"
    assert str(caught.value).startswith(said)
    assert str(error) in log.path.read_text(encoding="utf-8")


def test_the_error_of_a_run_is_shown_where_nothing_can_be_written(tmp_path, capsys):
    (tmp_path / ".autograder").touch()  # a file where the log's folder would be
    with pytest.raises(CourseError) as caught, disk_errors(tmp_path), ErrorLog(tmp_path).one_line():
        raise KeyError("unforeseen")
    assert str(caught.value).startswith("an internal error ended the run (KeyError: 'unforeseen')")
    assert "its traceback is above" in str(caught.value)
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_full_disk_is_not_logged(tmp_path):
    log = ErrorLog(tmp_path)
    with pytest.raises(CourseError) as caught, disk_errors(tmp_path), log.one_line():
        raise OSError(errno.ENOSPC, "No space left on device")
    assert f"cannot work in {tmp_path}: no space left on device" in str(caught.value)
    assert not log.path.exists()


def test_what_is_wrong_with_the_disk_is_one_line(tmp_path):
    with pytest.raises(CourseError) as caught, disk_errors(tmp_path):
        (tmp_path / "missing").read_text()
    assert "no such file or directory" in str(caught.value)
    # It is said of a student who is being removed, too.
    assert "lost" not in str(caught.value)
