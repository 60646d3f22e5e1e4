"""Jupyter kernels in a tenth of a second: forked from a process that has done their imports.

`ForkServer` is that process, usually inside the sandbox; `ForkServer.start_kernel` returns a
`Kernel`. What runs in the process itself stands in `server_process`.

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

from autograder.kernels.control_groups import ControlGroups
from autograder.kernels.kernel import ForkServerError, Kernel, KernelStartError
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import (
    bwrap_command,
    environment,
    make_run_directory,
    remove_tree,
    sandbox_available,
    shown_paths,
)
from autograder.kernels.server_process import KERNEL

__all__ = ["ForkServer"]

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
# Sandboxed kernels of root get user numbers from here on; see `bwrap_command`. A process number
# has at most 22 bits, and a user number 32.
FIRST_USER = 1 << 30
KERNELS_AT_ONCE = 1 << 8


class ForkServer:
    """A process with ``modules`` imported, which forks kernels until it is closed.

    ``limits`` None and ``sandboxed`` False is for our own pages. ``lender`` is the `directory` of
    a fork server that another process on this machine has started with the same limits and shares;
    as long as it lives no process is started here. May be used from any thread; a process that it
    forks must not use it. A fork server that has died is started anew when the next kernel is asked
    for.
    """

    def __init__(self, limits=Limits(), sandboxed=True, modules=MODULES, lender=None):  # noqa: B008
        self.limits = limits
        self.sandboxed = sandboxed
        self._modules = list(modules)
        self._lender = lender
        self._lock = threading.RLock()
        self._process = None
        self._connection = None
        self._log = None
        self._directory = None
        self._claim = None
        self._owner = None
        self._count = 0
        # None until it is known whether they can be had, then False or `ControlGroups`.
        self._groups = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.close()

    def start(self):
        """Start the process, which takes seconds, unless it runs; or raise ForkServerError."""
        with self._lock:
            if self._groups is None:
                self._groups = (self.sandboxed and ControlGroups.find()) or False
            if self._lender or (self._process and self._process.poll() is None):
                return
            if self.sandboxed and (refusal := sandbox_available()):
                raise ForkServerError(refusal)
            self.close()
            self._owner = os.getpid()
            atexit.register(self.close)
            self._directory, self._claim = make_run_directory()
            self._log = tempfile.TemporaryFile()
            try:
                # Once it is the process's alone, we notice when that ends.
                with socket.socket(socket.AF_UNIX) as listener:
                    listener.bind(str(_address(self._directory)))
                    listener.listen(socket.SOMAXCONN)
                    self._connection = _connect(self._directory)
                    self._process = _spawn(
                        self._command(), self._environment(), listener, self._log
                    )
                self._hand_over()
            except BaseException:
                self.close()
                raise

    def _command(self):
        if self.sandboxed:
            return bwrap_command(self._directory, self.limits)
        return [sys.executable, str(self._directory / "kernels" / "ipykernel_launcher.py")]

    def _environment(self):
        if self.sandboxed:
            return None  # bubblewrap makes it
        kept = {name: value for name, value in os.environ.items() if not _reveals(name)}
        if self.limits:
            made = environment(self.limits)
            kept |= {name: made[name] for name in made if name not in ("HOME", "PATH", "USER")}
        return kept

    def _hand_over(self):
        """Send the settings and wait until everything is imported."""
        settings = {
            "limits": self.limits and self.limits.as_dict(),
            "modules": self._modules,
            "used_first": USED_FIRST,
            "sandboxed": self.sandboxed,
            "shown": shown_paths(),
            "user": os.geteuid(),
        }
        self._connection.settimeout(SECONDS_TO_START)
        try:
            self._connection.sendall(json.dumps(settings).encode() + b"\n")
            answer = self._connection.recv(6)
        except (TimeoutError, BrokenPipeError, ConnectionResetError) as error:
            answer = str(error).encode()
        if answer != b"ready\n":
            said = self._last_words() or answer.decode() or "it ended without a word"
            raise ForkServerError(f"The fork server did not start: {said}")
        self._connection.settimeout(None)

    def _last_words(self):
        """Return the last line that the process wrote to its stderr."""
        if self._log is None:  # it is another's
            return ""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - 2000))
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    @property
    def directory(self):
        """Where the process runs, as a `Path`; what another process needs to share it."""
        return self._lender or self._directory

    @property
    def pid(self):
        """The number of the process on this machine, None when it was not started here."""
        return self._process and self._process.pid

    def start_kernel(self, cwd=None, env=None, connection=None, directory=None):
        """Fork a kernel and return it as soon as its sockets are bound.

        ``cwd`` and ``env`` are for kernels without sandbox; ``connection`` is the connection
        information of a host that made it, and ``directory`` what `make_kernel_directory` gave it
        for ipc; else both are made here. A start that fails is tried once more, with a new fork
        server where that has died; then it raises KernelStartError.
        """
        try:
            return self._start_kernel(cwd, env, connection, directory)
        except KernelStartError:
            pass
        except (ConnectionError, FileNotFoundError):  # the fork server has died
            with self._lock:
                self._lender = None
                self.close()
        try:
            return self._start_kernel(cwd, env, connection, directory)
        except (ConnectionError, FileNotFoundError) as error:
            raise KernelStartError(
                f"The fork server dies when it starts a kernel: {error}"
            ) from None

    def _start_kernel(self, cwd, env, connection, directory):
        with self._lock:
            self.start()
            if directory:  # a first attempt may have removed it
                directory.mkdir(mode=0o700, exist_ok=True)
            directory = directory or self.make_kernel_directory()
            user = FIRST_USER + int(directory.name) if os.geteuid() == 0 else os.geteuid()
            connection = dict(connection or _connection(directory))
            connection["key"] = _text(connection["key"])
            inside = connection
            if self.sandboxed:
                os.chown(directory, user, -1)
                inside = {**connection, "ip": f"{KERNEL}/s"}
                cwd = env = None
            request = {
                "connection": inside,
                "cwd": cwd and str(cwd),
                "directory": directory.name,
                "environment": env,
                "path": str(directory),
                "user": user,
            }
            group = self._groups.make(directory.name, self.limits) if self._groups else None
            entrance = [group.entrance.fileno()] if group else []
            line = _connect(self.directory)
            text = json.dumps(request).encode() + b"\n"
            sent = socket.send_fds(line, [text], entrance)
            line.sendall(text[sent:])
            if group:
                group.entrance.close()
        kernel = Kernel(line, connection, directory, self.limits, group)
        try:
            kernel.wait_until_ready()
        except KernelStartError as error:
            kernel.close()
            raise KernelStartError(f"{error} {self._last_words()}".strip()) from None
        except BaseException:
            kernel.close()
            raise
        return kernel

    def make_kernel_directory(self):
        """Return a new directory, with a short name, for the sockets of one kernel."""
        with self._lock:
            self.start()
            # No two processes that share a fork server have the same numbers.
            self._count = (self._count + 1) % KERNELS_AT_ONCE
            number = os.getpid() * KERNELS_AT_ONCE + self._count
            directory = self.directory / "kernels" / str(number)
            directory.mkdir(mode=0o700)
            return directory

    def close(self):
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
                self._claim.close()
                self._directory = self._claim = None


def _connection(directory):
    """Return connection information for five ipc sockets in a directory."""
    ports = {f"{name}_port": 1 + i for i, name in enumerate(("shell", "iopub", "stdin"))}
    return {
        "transport": "ipc",
        "ip": str(directory / "s"),
        "control_port": 4,
        "hb_port": 5,
        "key": secrets.token_hex(16),
        "signature_scheme": "hmac-sha256",
        **ports,
    }


def _address(directory):
    return directory / "kernels" / "fork_server"


def _connect(directory):
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(_address(directory)))
    except BaseException:
        connection.close()
        raise
    return connection


def _spawn(command, env, listener, log):
    """Start the fork server and a thread that stays with it to its end.

    The sandbox dies with its parent, and the kernel means the *thread* that started it: a
    worker's thread may end long before the worker does.
    """
    started = threading.Event()
    outcome = []

    def keep():
        try:
            process = subprocess.Popen(
                command, stdin=listener, stdout=log, stderr=log, env=env, start_new_session=True
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
    if isinstance(outcome[0], OSError):
        raise ForkServerError(f"The fork server did not start: {outcome[0]}") from outcome[0]
    return outcome[0]


def _text(key):
    return key.decode() if isinstance(key, bytes) else key


def _reveals(name):
    return name.startswith("JPY_") or name in ("PYTEST_CURRENT_TEST", "PYTEST_VERSION")
