"""A kernel that a fork server has forked: its connection, its life and its death."""

import json
import signal
import time
from typing import NamedTuple

from autograder.kernels.sandbox import remove_tree

SECONDS_TO_KERNEL = 30.0


class Exit(NamedTuple):
    """How a kernel ended: ``code`` as of a process (-9: killed by signal 9), ``reason`` in words.

    ``memory`` says that it was stopped for holding more than `Limits.memory_mb`, ``orphaned`` that
    the fork server ended and every kernel with it.
    """

    code: int
    reason: str
    memory: bool = False
    orphaned: bool = False


class KernelStartError(RuntimeError):
    """One kernel could not be started; the next one may be."""


class ForkServerError(RuntimeError):
    """The fork server cannot start: no kernel can."""


class Kernel:
    """A forked kernel: its connection, its life and its death. Close it when done.

    ``connection`` is what Jupyter calls connection information. `fileno` becomes readable when
    there is news of its life (`poll` reads them), so that one can wait for replies and for its
    death together. ``group`` is its `ControlGroup`, None where there are none.
    """

    def __init__(self, line, connection, directory, limits, group=None):
        self.connection = connection
        self.directory = directory
        self.limits = limits
        self.group = group
        self.pid = None
        self._line = line
        self._heard = b""
        self._exit = None
        self._ready = False

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def fileno(self):
        """Return the file descriptor that becomes readable when the kernel has ended."""
        return self._line.fileno()

    def wait_until_ready(self, seconds=SECONDS_TO_KERNEL):
        """Wait until the kernel's sockets are bound; raise ConnectionError or KernelStartError."""
        deadline = time.monotonic() + seconds
        while not self._ready:
            if self._exit:
                raise KernelStartError(f"A kernel ended before it was ready: {self._exit.reason}.")
            left = deadline - time.monotonic()
            if left <= 0 or not self._hear(left):
                raise KernelStartError(f"A kernel was not ready within {seconds:.0f} seconds.")

    def poll(self):
        """Return the `Exit` of a kernel that has ended, None while it runs."""
        while self._exit is None and self._hear(0):
            pass
        return self._exit

    def wait(self, seconds=None):
        """Wait at most ``seconds`` for the end and return its `Exit`, None if it still runs."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while self.poll() is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return None
            self._hear(left)
        return self._exit

    def _hear(self, seconds):
        """Read events for at most ``seconds``; return whether anything came."""
        self._line.settimeout(seconds)
        try:
            data = self._line.recv(4096)
        except (TimeoutError, BlockingIOError):
            return False
        except ConnectionResetError:
            data = b""
        if not data:
            if not self._ready:
                raise ConnectionError("it closed the line")
            killed = Exit(-signal.SIGKILL, "the fork server ended", orphaned=True)
            self._exit = self._exit or killed
            return True
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))
        return True

    def _take(self, event):
        if event["event"] == "started":
            self.pid = event["pid"]
        elif event["event"] == "ready":
            self._ready = True
        elif event["event"] == "failed":
            raise KernelStartError(f"A kernel did not start: {event['reason']}.")
        elif event["reason"] == "namespaces":
            raise KernelStartError("A kernel could not be isolated: user namespaces were refused.")
        else:
            code = event["code"]
            memory = event["reason"] == "memory"
            memory |= self.group is not None and self.group.ran_out_of_memory()
            self._exit = Exit(code, _words(code, memory), memory)

    def signal(self, number):
        """Send a signal to the kernel's process; nothing happens when it has ended."""
        try:
            self._line.send(bytes([number]))
        except (BrokenPipeError, ConnectionResetError, OSError) as error:
            if self.poll() is None:
                raise error

    def interrupt(self):
        """Interrupt what the kernel executes, as Ctrl-C does."""
        self.signal(signal.SIGINT)

    def kill(self):
        """Kill every process of the kernel, at once."""
        self.signal(signal.SIGKILL)

    def close(self):
        """Kill the kernel and remove its sockets."""
        self._line.close()  # the fork server kills a kernel whose line closes
        remove_tree(self.directory)


def _words(code, memory):
    if memory:
        return "killed, its processes held too much memory"
    if code < 0:
        return f"killed by signal {-code} ({signal.strsignal(-code)})"
    return f"ended by itself with exit code {code}"
