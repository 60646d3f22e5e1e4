"""Watches how much memory each kernel's processes hold together; one process for a fork server.

This file runs by itself, beside the fork server, because looking at hundreds of processes takes
seconds and must hold nobody up. Its arguments are the bytes that a kernel may hold and those that
the fork server itself holds. On its standard input come lines: ``+`` and the number of a kernel's
first process when that begins, ``-`` and the number when it has ended. On its standard output go
lines: ``?`` and a number before a kernel is measured, ``!`` and a number when it holds too much,
and ``.`` when all have been looked at.
"""

import os
import random
import select
import sys
import time
from collections.abc import Collection

SECONDS_BETWEEN_CHECKS = 0.5
SECONDS_A_KERNEL = 1.0
# A socket of 1 byte or of 1 MB looks the same from outside; this is what buffers of Linux's usual
# size take, both ways. The idle kernel has about thirty sockets.
BYTES_OF_A_SOCKET = 2 * 212_992
MEMORY = b"RssAnon:"
LISTED_SOCKETS = (b"unix", b"udp", b"udp6", b"raw", b"raw6", b"netlink", b"packet")
# Of TCP the number alone: a list takes 5 ms, because Linux looks for it through a table that has
# room for the connections of the whole machine.
COUNTED_SOCKETS = {b"sockstat": b"TCP:", b"sockstat6": b"TCP6:"}


def main() -> None:
    """Serve until standard input closes."""
    limit, baseline = int(sys.argv[1]), int(sys.argv[2])
    kernels: set[int] = set()
    unread = b""
    while True:
        ready, _, _ = select.select([0], [], [], SECONDS_BETWEEN_CHECKS if kernels else None)
        if ready:
            received = os.read(0, 4096)
            if not received:
                return
            *lines, unread = (unread + received).split(b"\n")
            for line in lines:
                (kernels.add if line[:1] == b"+" else kernels.discard)(int(line[1:]))
            continue
        for kernel, processes in by_kernel(kernels).items():
            os.write(1, b"?%d\n" % kernel)
            deadline = time.monotonic() + SECONDS_A_KERNEL
            if holds_too_much(kernel, processes, limit, baseline, deadline):
                os.write(1, b"!%d\n" % kernel)
        os.write(1, b".\n")


def by_kernel(kernels: Collection[int]) -> dict[int, list[int]]:
    """Return the numbers of the processes below each kernel's first one, with it."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            stat = read_proc(b"stat", int(name))
            # The name of a process stands in brackets and may hold anything, brackets as well.
            if stat:
                parents[int(name)] = int(stat.rpartition(b")")[2].split()[1])
    found: dict[int, list[int]] = {kernel: [] for kernel in kernels}
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor not in kernels:
            ancestor = parents[ancestor]
        if ancestor in kernels:
            found[ancestor].append(process)
    return found


def holds_too_much(
    kernel: int, processes: list[int], limit: int, baseline: int, deadline: float
) -> bool:
    """Return whether processes together hold more than ``limit`` bytes beyond ``baseline``.

    What they share with each other and with the fork server is first counted for each of them.
    When that is too much, their shares are added, which is slow: every page is looked at. What
    cannot be looked at before the deadline is taken to be like the rest.
    """
    random.shuffle(processes)  # so that nobody can hide behind an order
    private = shared = 0
    places = []
    for process in processes:
        place, status = _memory_of(process)
        places.append(place)
        private += field_bytes(status, b"RssAnon") + field_bytes(status, b"VmSwap")
        shared += field_bytes(status, b"RssShmem")
        # What is read and never written takes no memory but these tables, one each process.
        limit -= field_bytes(status, b"VmPTE")
    limit -= _sockets(kernel) * BYTES_OF_A_SOCKET
    if private - baseline + shared <= limit:
        return False
    private = shared = looked_at = 0
    for place in places:
        if time.monotonic() > deadline:
            break
        rollup = read_proc(b"smaps_rollup", place)
        private += field_bytes(rollup, b"Pss_Anon") + field_bytes(rollup, b"SwapPss")
        shared += field_bytes(rollup, b"Pss_Shmem")
        if not rollup:  # it does not let itself be looked at, or has just ended
            status = read_proc(b"status", place)
            private += field_bytes(status, b"RssAnon")
            shared += field_bytes(status, b"RssShmem")
        looked_at += 1
    factor = len(processes) / max(1, looked_at)
    return (private + shared) * factor - baseline > limit


def _sockets(kernel: int) -> int:
    """Return how many sockets there are in the network namespace of a kernel's first process."""
    count = sum(read_proc(b"net/" + kind, kernel).count(b"\n") for kind in LISTED_SOCKETS)
    for file, name in COUNTED_SOCKETS.items():
        for line in read_proc(b"net/" + file, kernel).splitlines():
            if line.startswith(name):  # such as b"TCP: inuse 29 orphan 0 tw 10 alloc 31 mem 136"
                count += int(line.split()[2])
    return count


def _memory_of(process: int) -> tuple[int | bytes, bytes]:
    """Return where in /proc a process's memory is reported, and its status there.

    Of a process whose first thread has ended it is reported at the other threads.
    """
    status = read_proc(b"status", process)
    if MEMORY not in status:
        for place in _threads(process):
            status_there = read_proc(b"status", place)
            if MEMORY in status_there:
                return place, status_there
    return process, status


def _threads(process: int) -> list[bytes]:
    try:
        return [b"%d/task/%b" % (process, thread) for thread in os.listdir(_path(process, b"task"))]
    except OSError:  # it has ended
        return []


def _path(place: int | bytes, file: bytes) -> bytes:
    """Return the name of a file of /proc about a process or, as b"1/task/2", about a thread."""
    return b"/proc/%b/%b" % (place if isinstance(place, bytes) else b"%d" % place, file)


def read_proc(file: bytes, place: int | bytes) -> bytes:
    """Return a file of /proc about a process as bytes, none when it is gone or not for us."""
    try:
        with open(_path(place, file), "rb") as lines:
            return lines.read()
    except OSError:
        return b""


def field_bytes(text: bytes, field: bytes) -> int:
    """Return the number of bytes that a line of a file of /proc gives in kB, 0 without the line."""
    for line in text.splitlines():
        if line.startswith(field + b":"):
            return int(line.split()[1]) << 10
    return 0


if __name__ == "__main__":
    main()
