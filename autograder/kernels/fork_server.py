"""Jupyter kernels in a tenth of a second: forked from a process that has done their imports.

`ForkServer` is that process, usually inside the sandbox; `ForkServer.start_kernel` returns a
`Kernel`. What runs in the process itself stands in `autograder.kernels.inside`.

A child forked *after* TensorFlow's first operation hangs, for the threads of TensorFlow are not
in it. So the fork server imports and never computes.
"""

import atexit
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from autograder.kernels.control_groups import ControlGroup, ControlGroups
from autograder.kernels.inside.paths import KERNEL_DIR
from autograder.kernels.inside.wire import CHANNELS, Request, Settings
from autograder.kernels.kernel import ForkServerError, Kernel, KernelStartError
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import (
    LAUNCHER,
    bwrap_command,
    environment,
    make_run_directory,
    remove_tree,
    sandbox_available,
    shown_paths,
)

# What the book's lessons use.
MODULES = (
    "coursekit.checks",
    "coursekit.datasets",
    "keras",
    "matplotlib.pyplot",
    "numpy",
    "pandas",
    "tensorflow",
)
# What the first use of a package would import, where the package has been: `sys.modules` was
# compared before and after a softmax, a Keras model built, fitted and used, a plot, a traceback,
# the common magics and the kernel's own start.
USED_FIRST = {
    "IPython": (
        "IPython.core.completerlib",
        "IPython.core.debugger",
        "IPython.core.logger",
        "IPython.core.magics.ast_mod",
        "IPython.core.magics.execution",
        "IPython.core.magics.namespace",
        "IPython.core.magics.script",
        "IPython.core.oinspect",
        "IPython.core.pylabtools",
        "IPython.utils.timing",
        "asttokens",
        "executing",
        "faulthandler",
        "pexpect",
        "pygments.formatters.html",
        "pygments.formatters.terminal256",
        "pygments.lexers.python",
        "pygments.styles.default",
        "stack_data",
        "tornado.platform.asyncio",
        "unicodedata",
    ),
    "keras": ("rich._emoji_codes",),
    "matplotlib.pyplot": (
        "PIL.GifImagePlugin",
        "PIL.JpegImagePlugin",
        "PIL.PngImagePlugin",
        "matplotlib.backends.backend_agg",
        "matplotlib_inline.backend_inline",
    ),
    "numpy": ("numpy.random",),
    "pandas": ("pandas.io.formats.html", "pandas.io.formats.string"),
    "tensorflow": (
        "tensorflow.python.data.ops.concatenate_op",
        "tensorflow.python.data.ops.flat_map_op",
        "tensorflow.python.data.ops.from_tensors_op",
        "tensorflow.python.data.ops.range_op",
        "tensorflow.python.data.ops.zip_op",
    ),
}
SECONDS_TO_START = 120.0
# Sandboxed kernels of root get user IDs from here on; see `bwrap_command`. A process ID
# has at most 22 bits, and a user ID 32.
FIRST_UID = 1 << 30
DIRECTORIES_PER_PROCESS = 1 << 8


class ForkServer:
    """A process with ``modules`` imported, which forks kernels until it is closed.

    ``limits`` None and ``sandboxed`` False is for our own pages. ``shared_directory`` is the
    directory of a running fork server, which another process on this machine has started with the
    same limits, to use instead of starting one. May be used from any thread; a process that it
    forks must not use it. A fork server that has died is restarted when the next kernel is
    requested.
    """

    def __init__(
        self,
        limits: Limits | None = Limits(),  # noqa: B008
        sandboxed: bool = True,
        modules: Sequence[str] = MODULES,
        shared_directory: Path | None = None,
    ) -> None:
        self.limits = limits
        self.sandboxed = sandboxed
        self._modules = list(modules)
        self._shared_directory = shared_directory
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._log: IO[bytes] | None = None
        self._directory: Path | None = None
        self._claim: IO[str] | None = None
        self._owner: int | None = None
        self._count = 0
        self._groups: ControlGroups | None = None
        self._looked_for_groups = False

    def __enter__(self) -> "ForkServer":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the process, which takes seconds, unless it runs; or raise ForkServerError."""
        with self._lock:
            if self.sandboxed and not self._looked_for_groups:
                self._groups = ControlGroups.find()
                self._looked_for_groups = True
            if self._shared_directory or (self._process and self._process.poll() is None):
                return
            if self.sandboxed and (refusal := sandbox_available()):
                raise ForkServerError(refusal)
            self.close()
            self._owner = os.getpid()
            atexit.register(self.close)
            directory, self._claim = make_run_directory()
            self._directory = directory
            self._log = tempfile.TemporaryFile()
            try:
                # Once it is the process's alone, we notice when that ends.
                with socket.socket(socket.AF_UNIX) as listener:
                    listener.bind(str(_address(directory)))
                    listener.listen(socket.SOMAXCONN)
                    self._connection = _connect(directory)
                    self._process = _spawn(
                        self._command(directory), self._environment(), listener, self._log
                    )
                self._hand_over(self._connection)
            except BaseException:
                self.close()
                raise

    def _command(self, directory: Path) -> list[str]:
        if self.sandboxed:
            assert self.limits is not None
            return bwrap_command(directory, self.limits)
        return [sys.executable, str(directory / "kernels" / LAUNCHER)]

    def _environment(self) -> dict[str, str] | None:
        if self.sandboxed:
            return None  # bubblewrap makes it
        kept = {name: value for name, value in os.environ.items() if not _reveals(name)}
        if self.limits:
            made = environment(self.limits)
            kept |= {name: made[name] for name in made if name not in ("HOME", "PATH", "USER")}
        return kept

    def _hand_over(self, connection: socket.socket) -> None:
        """Send the settings and wait until everything is imported."""
        settings: Settings = {
            "limits": self.limits.as_dict() if self.limits else None,
            "modules": self._modules,
            "used_first": {name: list(others) for name, others in USED_FIRST.items()},
            "sandboxed": self.sandboxed,
            "shown": shown_paths(),
        }
        connection.settimeout(SECONDS_TO_START)
        try:
            connection.sendall(json.dumps(settings).encode() + b"\n")
            answer = connection.recv(6)
        except (TimeoutError, BrokenPipeError, ConnectionResetError) as error:
            answer = str(error).encode()
        if answer != b"ready\n":
            reason = (
                self._last_log_line() or answer.decode() or "it exited without an error message"
            )
            raise ForkServerError(f"The fork server did not start: {reason}")
        connection.settimeout(None)

    def _last_log_line(self) -> str:
        """Return the last line that the process wrote to its stderr."""
        if self._log is None:  # another process has started it
            return ""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - 2000))
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    @property
    def directory(self) -> Path | None:
        """Where the process runs, None where it does not; another process needs it to share it."""
        return self._shared_directory or self._directory

    @property
    def pid(self) -> int | None:
        """The number of the process on this machine, None when it was not started here."""
        return self._process.pid if self._process else None

    def start_kernel(
        self,
        cwd: str | Path | None = None,
        env: dict[str, str] | None = None,
        connection: dict[str, Any] | None = None,
    ) -> Kernel:
        """Fork a kernel and return it as soon as its sockets are bound.

        ``cwd`` and ``env`` are for kernels without sandbox; ``connection`` is the connection
        information of a host that has made it, else it is made here. A start that fails is tried
        once more, with a new fork server where that has died; then it raises KernelStartError.
        """
        try:
            return self._start_kernel(cwd, env, connection)
        except KernelStartError:
            pass
        except (ConnectionError, FileNotFoundError):  # the fork server has died
            with self._lock:
                self._shared_directory = None
                self.close()
        try:
            return self._start_kernel(cwd, env, connection)
        except (ConnectionError, FileNotFoundError) as error:
            raise KernelStartError(
                f"The fork server dies when it starts a kernel: {error}"
            ) from None

    def _start_kernel(
        self, cwd: str | Path | None, env: dict[str, str] | None, connection: dict[str, Any] | None
    ) -> Kernel:
        kernel = self._request_kernel(cwd, env, connection)
        try:
            kernel.wait_until_ready()
        except KernelStartError as error:
            kernel.close()
            raise KernelStartError(f"{error} {self._last_log_line()}".strip()) from None
        except BaseException:
            kernel.close()
            raise
        return kernel

    def _request_kernel(
        self, cwd: str | Path | None, env: dict[str, str] | None, connection: dict[str, Any] | None
    ) -> Kernel:
        """Ask the process for a kernel and return it, which is not ready yet."""
        with self._lock:
            self.start()
            directory = self._make_kernel_directory()
            user = FIRST_UID + int(directory.name) if os.geteuid() == 0 else os.geteuid()
            connection = dict(connection or _connection(directory))
            connection["key"] = _text(connection["key"])
            inside = {name: value for name, value in connection.items() if name != "key"}
            if self.sandboxed:
                os.chown(directory, user, -1)
                inside["ip"] = f"{KERNEL_DIR}/s"
                cwd = env = None
            request: Request = {
                "connection": inside,
                "cwd": str(cwd) if cwd else None,
                "directory": directory.name,
                "environment": env,
                "path": str(directory),
                "user": user,
            }
            group = None
            if self._groups:
                assert self.limits is not None
                group = self._groups.make(directory.name, self.limits)
            control = self._send(request, connection["key"], group)
        return Kernel(control, connection, directory, self.limits, group)

    def _make_kernel_directory(self) -> Path:
        """Return a new directory, with a short name, for the sockets of one kernel."""
        # No two processes that share a fork server have the same numbers.
        self._count = (self._count + 1) % DIRECTORIES_PER_PROCESS
        number = os.getpid() * DIRECTORIES_PER_PROCESS + self._count
        assert self.directory is not None
        directory = self.directory / "kernels" / str(number)
        directory.mkdir(mode=0o700)
        return directory

    def _send(self, request: Request, key: str, group: ControlGroup | None) -> socket.socket:
        """Send a request with its files; return the connection on which the kernel's news come."""
        entrance = [group.entrance.fileno()] if group else []
        assert self.directory is not None
        control = _connect(self.directory)
        text = json.dumps(request).encode() + b"\n"
        with _as_pipe(key) as pipe:
            sent = socket.send_fds(control, [text], [pipe.fileno(), *entrance])
        control.sendall(text[sent:])
        if group:
            group.entrance.close()
        return control

    def close(self) -> None:
        """Kill the process and all its kernels and remove what they left."""
        if self._owner != os.getpid():  # never started, or this is a fork of who started it
            return
        with self._lock:
            atexit.unregister(self.close)
            if self._connection:
                self._connection.close()
                self._connection = None
            if self._process:
                try:
                    self._process.wait(1.0)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
                self._process = None
            if self._groups:
                self._groups.remove()
            if self._log:
                self._log.close()
                self._log = None
            if self._directory:
                remove_tree(self._directory)
                self._directory = None
            if self._claim:
                self._claim.close()
                self._claim = None


def _connection(directory: Path) -> dict[str, Any]:
    """Return connection information for a kernel's ipc sockets in a directory."""
    return {
        "transport": "ipc",
        "ip": str(directory / "s"),
        "key": secrets.token_hex(16),
        "signature_scheme": "hmac-sha256",
        **{f"{name}_port": number for number, name in enumerate(CHANNELS, 1)},
    }


def _as_pipe(text: str) -> IO[str]:
    """Return a pipe from which a short text can be read once."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as file:
        file.write(text)
    return os.fdopen(reader)


def _address(directory: Path) -> Path:
    return directory / "kernels" / "fork_server"


def _connect(directory: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(_address(directory)))
    except BaseException:
        connection.close()
        raise
    return connection


def _spawn(
    command: list[str], env: dict[str, str] | None, listener: socket.socket, log: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start the fork server and a thread that stays with it to its end.

    The sandbox dies with its parent, and the kernel means the *thread* that started it: a
    worker's thread may end long before the worker does.
    """
    started = threading.Event()
    outcome: list[subprocess.Popen[bytes] | OSError] = []

    def keep() -> None:
        try:
            process = subprocess.Popen(
                command,
                stdin=listener.fileno(),
                stdout=log,
                stderr=log,
                env=env,
                start_new_session=True,
            )
        except OSError as error:
            outcome.append(error)
            started.set()
            return
        outcome.append(process)
        started.set()
        process.wait()

    threading.Thread(target=keep, name="fork-server", daemon=True).start()
    started.wait()
    (process,) = outcome
    if isinstance(process, OSError):
        raise ForkServerError(f"The fork server did not start: {process}") from process
    return process


def _text(key: str | bytes) -> str:
    return key.decode() if isinstance(key, bytes) else key


def _reveals(name: str) -> bool:
    return name.startswith("JPY_") or name in ("PYTEST_CURRENT_TEST", "PYTEST_VERSION")
