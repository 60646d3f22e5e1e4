"""The accounting of memory by itself, on processes of this test, as an ordinary user."""

import ctypes
import mmap
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder.kernels.inside import memory_accounting

MB = 1 << 20
NOBODY = 65534
PR_SET_NAME, PR_SET_DUMPABLE = 15, 4
MADV_NOHUGEPAGE, MADV_POPULATE_READ = 15, 22
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
# Where a process says that it has done its one thing.
READY = 200
LIBC = ctypes.CDLL(None)


def as_ordinary_user(look):
    """Run a function in a child without root's powers and return whether it said yes."""
    pid = os.fork()
    if pid == 0:
        code = 2
        try:
            # Sockets are counted by network namespace, and this machine's has those of other tests.
            is_root = os.geteuid() == 0
            LIBC.unshare(CLONE_NEWNET if is_root else CLONE_NEWUSER | CLONE_NEWNET)
            if is_root:
                os.setresuid(NOBODY, NOBODY, NOBODY)
                LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # a new user is no program of its own yet
            code = 0 if look() else 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 1)
    return code == 0


@contextmanager
def kernel(*processes):
    """Start a first process with others below it, each of which does one thing and then waits."""
    reader, writer = os.pipe()
    os.dup2(writer, READY)
    first = os.fork()
    if first == 0:
        os.setpgid(0, 0)
        for does in processes:
            if os.fork() == 0:
                held = does()
                os.write(READY, b"+")
                time.sleep(30)
                os._exit(held is None)
        time.sleep(30)
        os._exit(0)
    for _ in processes:
        assert os.read(reader, 1) == b"+"
    for end in (reader, writer, READY):
        os.close(end)
    try:
        yield first
    finally:
        os.killpg(first, signal.SIGKILL)
        os.waitpid(first, 0)


def holds_too_much(first, most):
    processes = memory_accounting.by_kernel({first})[first]
    baseline = memory_accounting.field_bytes(
        memory_accounting.read_proc(b"status", os.getpid()), b"RssAnon"
    )
    deadline = time.monotonic() + 5
    return memory_accounting.holds_too_much(first, processes, most, baseline, deadline)


def memory():
    return bytearray(os.urandom(1)) * (100 * MB)


def hidden_memory():
    LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    return memory()


def hidden_mapping():
    """Hold memory that would be shared with its children, in a process that hides."""
    held = mmap.mmap(-1, 100 * MB)
    held.write(b"1" * (100 * MB))
    LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    return held


def page_tables():
    """Hold 16 MB of page tables, by reading 8 GB of memory to which nothing was written."""
    held = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held.madvise(MADV_NOHUGEPAGE)
    held.madvise(MADV_POPULATE_READ)
    return held


def memory_without_a_first_thread():
    """Hold memory in a process whose first thread has ended."""
    held = memory()
    first = Path(f"/proc/self/task/{os.getpid()}/status")

    def outlive():
        while "zombie" not in first.read_text():
            time.sleep(0.01)
        os.write(READY, b"+")
        time.sleep(30)
        return held

    threading.Thread(target=outlive).start()
    LIBC.pthread_exit(None)


def nothing():
    return True


@pytest.mark.parametrize(
    "processes, most, expected",
    [
        ("nothing nothing nothing", 80, False),
        ("memory", 80, True),
        ("memory", 400, False),
        ("memory memory memory memory", 200, True),
        ("memory_without_a_first_thread", 80, True),
        ("memory_without_a_first_thread", 400, False),
        ("page_tables", 12, True),
        ("page_tables", 400, False),
        ("hidden_memory", 80, True),
        ("hidden_memory", 400, False),
        ("hidden_mapping", 80, True),
    ],
)
def test_what_processes_hold_together(processes, most, expected):
    # In a new process: what this one has gathered by now can be paged out while it is measured.
    program = [sys.executable, __file__, *processes.split(), str(most)]
    run = subprocess.run(program, capture_output=True, text=True)
    assert run.stdout == f"{expected}\n", run.stderr


def test_shared_memory_counts_once():
    held = bytearray(os.urandom(1)) * (100 * MB)

    def look():
        with kernel(*[nothing] * 5) as first:
            return holds_too_much(first, 150 * MB)

    assert not as_ordinary_user(look)
    assert held


def test_processes_that_are_about_to_end_hide_nothing():
    def forks():
        if os.fork() == 0:
            while True:
                if os.fork() == 0:
                    os._exit(0)
                os.wait()
        return True

    held = memory()  # which takes each of them a while to give back

    def look():
        with kernel(*[forks] * 2) as first:
            return any(holds_too_much(first, 10_000 * MB) for _ in range(20))

    assert not as_ordinary_user(look)
    assert held


@pytest.mark.parametrize("seed", range(5))
def test_a_process_of_any_name_is_found(seed):
    draw = random.Random(seed)
    names = [b") R 1 1", b"\xff\xfe(", b"\n1 2", draw.randbytes(15).replace(b"\0", b")")]

    def named(name):
        return lambda: LIBC.prctl(PR_SET_NAME, name, 0, 0, 0) == 0

    with kernel(*map(named, names)) as first:
        assert len(memory_accounting.by_kernel({first})[first]) == 1 + len(names)


if __name__ == "__main__":
    *names, megabytes = sys.argv[1:]

    def look():
        with kernel(*(globals()[name] for name in names)) as first:
            return holds_too_much(first, int(megabytes) * MB)

    print(as_ordinary_user(look))
