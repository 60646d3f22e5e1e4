"""The memory that kernels hold, seen from the fork server."""

import os
import resource
import socket
import subprocess
import sys
import time

SECONDS_TO_MEASURE = 15.0


class Accounting:
    """The process that measures the kernels' memory, `memory_accounting`.

    ``limit`` are the bytes that a kernel may hold, and ``baseline`` those that the fork server
    holds, which its kernels share with it.
    """

    def __init__(self, limit: int, baseline: int) -> None:
        ours, theirs = socket.socketpair()
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "memory_accounting.py")
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", program, str(limit), str(baseline)],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
            )
        self.socket = ours
        self.socket.setblocking(False)
        self._buffer = b""
        self._measured: int | None = None
        self._has_worked = False
        self._last_line = time.monotonic()
        self._ended = False

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when lines have come."""
        return self.socket.fileno()

    def send_line(self, line: bytes) -> None:
        """Send a line: that a kernel has begun, or that it has ended."""
        try:
            self.socket.send(line)
        except OSError:
            self._ended = True

    def received_lines(self) -> list[bytes]:
        """Return the lines that have come."""
        try:
            received = self.socket.recv(65536)
        except BlockingIOError:
            return []
        except OSError:
            received = b""
        if not received:
            self._ended = True
            return []
        *lines, self._buffer = (self._buffer + received).split(b"\n")
        for line in lines:
            self._measured = int(line[1:]) if line[:1] == b"?" else self._measured
            if line == b".":
                self._measured, self._has_worked = None, True
            self._last_line = time.monotonic()
        return lines

    def stuck_at(self, has_kernels: bool) -> int | None:
        """Return the kernel at which it has ended or hangs, 0 for none, None while it works."""
        if not has_kernels:
            self._last_line = time.monotonic()
        # A round takes a second at most; on a machine that is busy, some.
        hangs = time.monotonic() - self._last_line > SECONDS_TO_MEASURE
        if self._ended and self._measured is None and not self._has_worked:
            raise RuntimeError("the memory accounting does not start")
        return (self._measured or 0) if self._ended or hangs else None

    def close(self) -> None:
        """End the process."""
        self.socket.close()
        self.process.kill()


def memory_of_this_process() -> tuple[int, int]:
    """Return the bytes of address space and of private writable memory held here."""
    with open("/proc/self/statm") as file:
        pages = [int(number) for number in file.read().split()]
    return pages[0] * resource.getpagesize(), pages[5] * resource.getpagesize()


def anonymous_bytes() -> int:
    """Return the bytes of this process's private memory that are in the machine's memory."""
    with open("/proc/self/status") as file:
        (kilobytes,) = (line.split()[1] for line in file if line.startswith("RssAnon:"))
    return int(kilobytes) << 10
