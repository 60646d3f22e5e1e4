"""A kernel that a fork server has forked: its connection, its life and its death."""

import json
import signal
import socket
import time
from pathlib import Path
from typing import Any, NamedTuple

from autograder.kernels.control_groups import ControlGroup
from autograder.kernels.limits import Limits
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
    death together. ``group`` is its `ControlGroup`, None where there are none, and
    ``untested_ipykernel`` the version of ipykernel where the autograder was not tested with it, ""
    where it was.
    """

    def __init__(
        self,
        control: socket.socket,
        connection: dict[str, Any],
        directory: Path,
        limits: Limits | None,
        group: ControlGroup | None = None,
    ) -> None:
        self.connection = connection
        self.directory = directory
        self.limits = limits or Limits()
        self.group = group
        self.pid: int | None = None
        self.untested_ipykernel = ""
        self._control = control
        self._buffer = b""
        self._exit: Exit | None = None
        self._ready = False

    def __enter__(self) -> "Kernel":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable when there is news of the kernel."""
        return self._control.fileno()

    def wait_until_ready(self, seconds: float = SECONDS_TO_KERNEL) -> None:
        """Wait until the kernel's sockets are bound; raise ConnectionError or KernelStartError."""
        deadline = time.monotonic() + seconds
        while not self._ready:
            if self._exit:
                raise KernelStartError(f"A kernel ended before it was ready: {self._exit.reason}.")
            left = deadline - time.monotonic()
            if left <= 0 or not self._receive(left):
                raise KernelStartError(f"A kernel was not ready within {seconds:.0f} seconds.")

    def poll(self) -> Exit | None:
        """Return the `Exit` of a kernel that has ended, None while it runs."""
        while self._exit is None and self._receive(0):
            pass
        return self._exit

    def wait(self, seconds: float | None = None) -> Exit | None:
        """Wait at most ``seconds`` for the end and return its `Exit`, None if it still runs."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while self.poll() is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return None
            self._receive(left)
        return self._exit

    def _receive(self, seconds: float | None) -> bool:
        """Read events for at most ``seconds``; return whether anything came."""
        self._control.settimeout(seconds)
        try:
            data = self._control.recv(4096)
        except (TimeoutError, BlockingIOError):
            return False
        except ConnectionResetError:
            data = b""
        if not data:
            if not self._ready:
                raise ConnectionError("it closed the connection")
            killed = Exit(-signal.SIGKILL, "the fork server ended", orphaned=True)
            self._exit = self._exit or killed
            return True
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._handle(json.loads(line))
        return True

    def _handle(self, event: dict[str, Any]) -> None:
        if event["event"] == "started":
            self.pid = event["pid"]
        elif event["event"] == "ready":
            self.untested_ipykernel = event["untested_ipykernel"]
            self._ready = True
        elif event["event"] == "failed":
            raise KernelStartError(f"A kernel did not start: {event['reason']}.")
        elif event["reason"] == "namespaces":
            raise KernelStartError("A kernel could not be isolated: user namespaces were refused.")
        else:
            code = event["code"]
            memory = event["reason"] == "memory"
            memory |= self.group is not None and self.group.ran_out_of_memory()
            self._exit = Exit(code, exit_reason(code, memory), memory)

    def signal(self, number: int) -> None:
        """Send a signal to the kernel's process; nothing happens when it has ended."""
        try:
            self._control.send(bytes([number]))
        except OSError:
            if self.poll() is None:
                raise

    def interrupt(self) -> None:
        """Interrupt what the kernel executes, as Ctrl-C does."""
        self.signal(signal.SIGINT)

    def kill(self) -> None:
        """Kill every process of the kernel, at once."""
        self.signal(signal.SIGKILL)

    def close(self) -> None:
        """Kill the kernel and remove its sockets."""
        self._control.close()  # the fork server kills a kernel whose connection closes
        remove_tree(self.directory)


def exit_reason(code: int, memory: bool) -> str:
    """Return how a process ended, as a clause."""
    if memory:
        return "it was killed because its processes held too much memory"
    if code < 0:
        return f"it was killed by signal {-code} ({signal.strsignal(-code)})"
    return f"it exited with code {code}"
