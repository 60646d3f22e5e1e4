"""The fork server: it has imported everything, run nothing, and forks a Jupyter kernel on demand.

Its standard input is a listening Unix socket. The first connection is its owner's: one line of
settings comes in, ``ready`` goes back. From then on every connection, whichever process makes it,
is the *control* connection of one kernel:

- first comes the request, one line of JSON, then numbers of signals for the kernel;
- back go events, one line of JSON each: started, ready, exit.

A control connection that closes kills its kernel; the owner's connection that closes kills
everything.
"""

import json
import os
import selectors
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, cast

from . import isolation, linux
from .huge_pages import use_huge_pages
from .isolation import OPEN_FILES
from .linux import LINUX, prctl
from .memory import Accounting, anonymous_bytes, memory_of_this_process
from .preload import preload
from .wire import Request, Settings, receive_request, send_event

if TYPE_CHECKING:  # the probe must not load ipykernel
    from ipykernel.kernelapp import IPKernelApp


SECONDS_TO_REQUEST = 5.0
SECONDS_BETWEEN_CHECKS = 0.5
SECONDS_TO_RECOVER = 0.05


def main() -> "IPKernelApp | None":
    """Serve until the owner is gone; return, in a forked child alone, the kernel to run."""
    listener = socket.socket(fileno=os.dup(0))
    devnull = os.open(os.devnull, os.O_RDWR)
    os.dup2(devnull, 0)
    os.close(devnull)
    owner, _ = listener.accept()
    with owner.makefile("r") as reader:
        settings: Settings = json.loads(reader.readline())
    if LINUX:
        # The init of a submission outlives its parent and must come back to this process.
        prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    if settings["sandboxed"]:
        isolation.uncover_proc()
    preload(settings["modules"], settings["used_first"])
    if LINUX:
        use_huge_pages()
    owner.sendall(b"ready\n")
    return Server(listener, owner, settings).serve()


class ForkedProcess:
    """A kernel as the server knows it.

    ``status`` is a pipe on which its init reports how it ended, and ``reason`` why it was killed.
    """

    def __init__(self, pid: int, status: int) -> None:
        self.pid = pid
        self.status = status
        self.reason: str | None = None


class Server:
    """Forks kernels, passes signals on to them and reports their ends."""

    def __init__(self, listener: socket.socket, owner: socket.socket, settings: Settings) -> None:
        self.listener = listener
        self.owner = owner
        self.settings = settings
        self.sandboxed = settings["sandboxed"]
        self.kernels: dict[socket.socket, ForkedProcess] = {}
        self.accounting: Accounting | None = None
        self.selector = selectors.DefaultSelector()
        self.wake, self.woken = os.pipe()
        for end in (self.wake, self.woken):
            os.set_blocking(end, False)
        self.anonymous = anonymous_bytes() if LINUX else 0
        self.memory = memory_of_this_process() if LINUX else None

    def serve(self) -> "IPKernelApp | None":
        """Loop; return None when the owner is gone, a kernel to run in a child."""
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(self.woken)
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.selector.register(self.owner, selectors.EVENT_READ)
        self.selector.register(self.wake, selectors.EVENT_READ)
        if self.sandboxed:
            self.start_accounting()
        while True:
            wait = SECONDS_BETWEEN_CHECKS if self.kernels and self.accounting else None
            for key, _ in self.selector.select(wait):
                if key.fileobj is self.owner:
                    self.kill_all()
                    return None
                if key.fileobj is self.listener:
                    app = self.accept()
                    if app:
                        return app
                elif key.fileobj is self.accounting:
                    pass  # it is read below, every time
                elif key.fileobj == self.wake:
                    os.read(self.wake, 4096)
                else:
                    self.read_signals(cast(socket.socket, key.fileobj))
            self.reap()
            if self.accounting:
                self.read_accounts(self.accounting)

    def accept(self) -> "IPKernelApp | None":
        """Accept a connection and `fork` the kernel that it asks for."""
        try:
            control, _ = self.listener.accept()
        except OSError as error:  # too many files are open: whoever connects has to wait
            print(f"no connection is accepted: {error}", file=sys.stderr, flush=True)
            time.sleep(SECONDS_TO_RECOVER)
            return None
        return self.fork(control)

    def fork(self, control: socket.socket) -> "IPKernelApp | None":
        """Fork one kernel; return None here and the kernel to run in the child."""
        control.settimeout(SECONDS_TO_REQUEST)
        try:
            request, key, group = receive_request(control)
        except (OSError, ValueError):  # the other side went away before it had asked
            control.close()
            return None
        control.settimeout(None)
        opened = [key, *group]
        try:
            status_reader, status_writer = os.pipe()
            opened += status_reader, status_writer
            pid = isolation.fork_isolated(request["user"], group) if self.sandboxed else os.fork()
        except OSError as error:  # as many processes, or files, as there may be
            for descriptor in opened:
                os.close(descriptor)
            send_event(control, event="failed", reason=str(error))
            control.close()
            return None
        if pid == 0:
            return self.become_kernel(request, key, control, status_writer)
        for descriptor in (status_writer, key, *group):
            os.close(descriptor)
        if pid is None:
            os.close(status_reader)
            send_event(control, event="exit", reason="namespaces")
            control.close()
            return None
        self.kernels[control] = ForkedProcess(pid, status_reader)
        if self.accounting:
            self.accounting.send_line(b"+%d\n" % pid)
        self.selector.register(control, selectors.EVENT_READ)
        send_event(control, event="started", pid=pid)
        return None

    def become_kernel(
        self, request: Request, key: int, control: socket.socket, status: int
    ) -> "IPKernelApp":
        """Become, in a forked child, the kernel that was requested."""
        # `preload` has imported it.
        from .kernel_app import start_kernel

        with os.fdopen(key) as reader:
            request["connection"]["key"] = reader.read()
        signal.set_wakeup_fd(-1)
        bound = None
        limits = self.settings["limits"]
        if self.sandboxed:
            assert limits is not None
            isolation.confine(request["directory"], limits, self.settings["shown"])
            bound = isolation.watch_as_init(status)  # returns in its child alone
        elif LINUX:
            prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        self.detach_sockets()
        os.dup2(control.detach(), 3)
        if bound is not None:
            os.dup2(bound.detach(), 4)
            bound = socket.socket(fileno=4)
        os.closerange(4 if bound is None else 5, OPEN_FILES)
        control = socket.socket(fileno=3)
        return start_kernel(request, self.settings, self.memory, control, bound)

    def detach_sockets(self) -> None:
        """Forget the server's sockets in a child, whose numbers will soon mean other files."""
        self.selector.close()
        if self.accounting:
            self.accounting.socket.detach()
        self.listener.detach()
        self.owner.detach()
        for control in self.kernels:
            control.detach()

    def read_signals(self, control: socket.socket) -> None:
        """Pass on the signals that have come for a kernel; kill it when its connection closed."""
        kernel = self.kernels.get(control)
        if kernel is None:  # it ended in this same round
            return
        try:
            numbers = control.recv(64)
        except ConnectionResetError:
            numbers = b""
        if not numbers:
            self.kill(kernel)
            self.selector.unregister(control)
            return
        for number in numbers:
            if number == signal.SIGKILL:
                self.kill(kernel)
            else:
                # The init of a sandboxed kernel hands signals on; a plain kernel gets its own.
                os.kill(kernel.pid, number)

    def kill(self, kernel: ForkedProcess) -> None:
        """Kill all processes of a kernel."""
        if self.sandboxed:
            os.kill(kernel.pid, signal.SIGKILL)  # with its init every process of it dies
            return
        try:
            os.killpg(kernel.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # It has not made its group yet.
            os.kill(kernel.pid, signal.SIGKILL)

    def kill_all(self) -> None:
        """Kill all kernels."""
        for kernel in self.kernels.values():
            self.kill(kernel)

    def reap(self) -> None:
        """Collect the dead and send how they ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for control, kernel in list(self.kernels.items()):
                if kernel.pid == pid:
                    del self.kernels[control]
                    if self.accounting:
                        self.accounting.send_line(b"-%d\n" % pid)
                    report = os.read(kernel.status, 64)
                    os.close(kernel.status)
                    code = int(report) if report else os.waitstatus_to_exitcode(status)
                    send_event(control, event="exit", code=code, reason=kernel.reason)
                    if control.fileno() in self.selector.get_map():
                        self.selector.unregister(control)
                    control.close()

    def read_accounts(self, accounting: Accounting) -> None:
        """Kill kernels that hold too much; replace a memory accounting that ended or hangs."""
        for line in accounting.received_lines():
            if line[:1] == b"!":
                self.kill_for_memory(int(line[1:]))
        stuck_at = accounting.stuck_at(bool(self.kernels))
        if stuck_at is not None:
            # Whatever it is about this kernel, it must not affect the others.
            self.kill_for_memory(stuck_at)
            self.selector.unregister(accounting)
            accounting.close()
            self.start_accounting()

    def start_accounting(self) -> None:
        """Start the process that measures the kernels' memory."""
        limits = self.settings["limits"]
        assert limits is not None
        self.accounting = Accounting(limits["memory_mb"] << 20, self.anonymous)
        self.selector.register(self.accounting, selectors.EVENT_READ)
        for kernel in self.kernels.values():
            self.accounting.send_line(b"+%d\n" % kernel.pid)

    def kill_for_memory(self, pid: int) -> None:
        """Kill the kernel with a process number, if there is one, for holding too much memory."""
        for kernel in self.kernels.values():
            if kernel.pid == pid:
                kernel.reason = "memory"
                self.kill(kernel)
