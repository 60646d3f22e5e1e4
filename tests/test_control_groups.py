"""Control groups of Linux: where they are taken, what is written there, and who enters them.

The folders of these tests are plain ones with the files that Linux would put there. That it keeps
the limits is Linux's affair.
"""

import os

import pytest

from autograder.kernels import control_groups
from autograder.kernels.control_groups import ControlGroups
from autograder.kernels.fork_server import ForkServer
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import sandbox_available
from autograder.kernels.session import Session
from autograder.reports.class_report import memory_words
from autograder.results import Flag, Result, Status

LIMITS = Limits(memory_mb=1000, disk_mb=24, processes=50)
FILES = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cgroup.procs")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A group in which this process is, of an ordinary user to whom it is handed."""
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "cgroup.subtree_control").write_text("")
    (tmp_path / "cgroup.procs").write_text("")
    monkeypatch.setattr(control_groups, "_own_group", lambda: tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return tmp_path


def prepared(folder, name):
    """Make the folder of a group with its files, as Linux does when it is made."""
    group = folder / f"submission-{name}"
    group.mkdir()
    for file in FILES:
        (group / file).write_text("")
    (group / "memory.events").write_text("max 3\noom_kill 0\n")
    return group


def test_a_group_has_the_limits_of_a_submission(folder):
    made = prepared(folder, "7")
    group = ControlGroups.find().make("7", LIMITS)
    assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids"
    held = {name: (made / name).read_text() for name in FILES[:4]}
    assert held == dict(zip(FILES, (str(1024 << 20), "0", "1", "52"), strict=False))
    assert not group.ran_out_of_memory()
    (made / "memory.events").write_text("max 9\noom_kill 2\n")
    assert group.ran_out_of_memory()


def test_a_group_that_another_process_has_removed_has_not_run_out_of_memory(folder):
    made = prepared(folder, "7")
    group = ControlGroups.find().make("7", LIMITS)
    (made / "memory.events").unlink()
    assert not group.ran_out_of_memory()


def test_who_was_moved_aside_finds_the_same_place(folder, monkeypatch):
    aside = folder / "autograder"
    aside.mkdir()
    monkeypatch.setattr(control_groups, "_own_group", lambda: aside)
    prepared(folder, "8")
    assert ControlGroups.find().make("8", LIMITS).path.parent == folder


def test_groups_are_removed_when_they_are_empty(folder):
    groups = ControlGroups.find()
    prepared(folder, "1")
    group = groups.make("1", LIMITS)
    for file in group.path.iterdir():
        file.unlink()
    prepared(folder, "2")
    groups.make("2", LIMITS)
    assert not group.path.exists() and (folder / "submission-2").exists()


@pytest.mark.parametrize("missing", ["memory", "pids", "a file system of groups", "ours"])
def test_where_none_can_be_had_there_are_none(folder, missing, monkeypatch):
    if missing == "ours":  # root, to whom nobody has handed this
        monkeypatch.setattr(os, "geteuid", lambda: 0)
    elif missing == "a file system of groups":
        monkeypatch.setattr(control_groups, "_own_group", lambda: None)
    else:
        kept = {"memory", "pids"} - {missing}
        (folder / "cgroup.controllers").write_text(" ".join(kept))
    assert ControlGroups.find() is None


@pytest.fixture
def fork_server(tmp_path, monkeypatch):
    if refusal := sandbox_available():
        pytest.skip(refusal)
    with ForkServer(Limits(), modules=[]) as started:
        monkeypatch.setattr(started, "_groups", ControlGroups(tmp_path))
        yield started
        started._groups = None


def test_a_kernel_enters_its_group_before_anything_else(fork_server, tmp_path, monkeypatch):
    monkeypatch.setattr(fork_server, "_make_kernel_directory", _prepares(fork_server, tmp_path))
    kernel = fork_server.start_kernel()
    assert (kernel.group.path / "cgroup.procs").read_text() == "0"
    with Session(kernel) as session:
        shown = session.run_cell("print(open('/proc/self/cgroup').read())").outputs[0].text
        assert "submission" not in shown and "autograder" not in shown
        (kernel.group.path / "memory.events").write_text("oom_kill 1\n")
        result = session.run_cell("import os; os.kill(os.getpid(), 9)")
    assert result.status == "memory"


def _prepares(fork_server, folder):
    make = fork_server._make_kernel_directory

    def make_kernel_directory():
        directory = make()
        prepared(folder, directory.name)
        return directory

    return make_kernel_directory


@pytest.mark.parametrize(
    "in_groups, words",
    [
        ([], ""),
        ([True, True], "Linux bounded the memory of each submission"),
        ([False, False], "The memory limit of submissions was checked"),
        ([True, False], "The memory limit of 1 of 2 submissions was checked"),
    ],
)
def test_the_report_says_what_bounded_the_memory(in_groups, words):
    results = [
        Result(str(number), "a", Status.GRADED, execution_seconds=1, in_control_group=value)
        for number, value in enumerate(in_groups)
    ]
    results.append(
        Result("trusted", "a", Status.GRADED, flags=(Flag.NO_SANDBOX,), execution_seconds=1)
    )
    results.append(Result("unread", "a", Status.INVALID_NOTEBOOK))
    assert memory_words(results).startswith(words) and bool(memory_words(results)) == bool(words)
