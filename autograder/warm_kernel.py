"""Jupyter kernels in a tenth of a second: forked from a process that has imported TensorFlow.

`Zygote` is that process, usually inside the sandbox; `Zygote.start_kernel` returns a `Kernel`.
`WarmKernelProvisioner` gives the same kernels to whatever starts kernels by their name
(nbclient, Jupyter Book, stock nbgrader); `write_kernelspec` makes the name.

A child forked *after* TensorFlow's first operation hangs, for the threads of TensorFlow are not
in it. So the warm process imports and never computes.
"""

import asyncio
import atexit
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

import jupyter_client
from jupyter_client.provisioning import KernelProvisionerBase
from traitlets import Bool

from autograder.sandbox import (
    KERNEL,
    Limits,
    bwrap_command,
    environment,
    make_run_directory,
    remove_tree,
    sandbox_available,
    shown_paths,
)

__all__ = ["Exit", "Kernel", "WarmKernelProvisioner", "Zygote", "write_kernelspec"]

# What chapters use.
_USED = (
    "coursekit.checks",
    "coursekit.datasets",
    "keras",
    "matplotlib.pyplot",
    "numpy",
    "pandas",
    "tensorflow",
)
# What its first use would import: `sys.modules` was compared before and after a softmax, a Keras
# model built, fitted and used, a plot, a traceback, the common magics and the kernel's own start.
_USED_FIRST = (
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.magics.ast_mod",
    "IPython.core.magics.execution",
    "IPython.core.magics.namespace",
    "IPython.core.magics.script",
    "IPython.core.oinspect",
    "IPython.core.pylabtools",
    "IPython.utils.timing",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.PngImagePlugin",
    "asttokens",
    "executing",
    "matplotlib.backends.backend_agg",
    "matplotlib_inline.backend_inline",
    "pandas.io.formats.html",
    "pandas.io.formats.string",
    "pexpect",
    "pygments.formatters.html",
    "pygments.formatters.terminal256",
    "pygments.lexers.python",
    "pygments.styles.default",
    "rich._emoji_codes",
    "stack_data",
    "tensorflow.python.data.ops.concatenate_op",
    "tensorflow.python.data.ops.flat_map_op",
    "tensorflow.python.data.ops.from_tensors_op",
    "tensorflow.python.data.ops.range_op",
    "tensorflow.python.data.ops.zip_op",
    "tornado.platform.asyncio",
)
MODULES = _USED + _USED_FIRST
SECONDS_TO_WARM = 120.0
SECONDS_TO_KERNEL = 30.0
# Sandboxed kernels of root get user numbers from here on; see `bwrap_command`. A process number
# has at most 22 bits, and a user number 32.
FIRST_USER = 1 << 30
KERNELS_AT_ONCE = 1 << 8


class Exit(NamedTuple):
    """How a kernel ended: ``code`` as of a process (-9: killed by signal 9), ``reason`` in words.

    ``memory`` says that it was stopped for holding more than `Limits.memory_mb`, ``orphaned`` that
    the warm process ended and every kernel with it.
    """

    code: int
    reason: str
    memory: bool = False
    orphaned: bool = False


class ZygoteError(RuntimeError):
    """The warm process cannot start, or a kernel cannot start in it."""


class Zygote:
    """A process with everything imported, which forks kernels until it is closed.

    ``limits`` None and ``sandboxed`` False is for our own pages. ``lender`` is the `directory` of
    a zygote that another process on this machine has started with the same limits and shares; as
    long as it lives no process is started here. May be used from any thread; a process that it
    forks must not use it. A zygote that has died is started anew when the next kernel is asked
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

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.close()

    def start(self):
        """Start the process, which takes seconds, unless it runs; or raise ZygoteError."""
        with self._lock:
            if self._lender or (self._process and self._process.poll() is None):
                return
            if self.sandboxed and (refusal := sandbox_available()):
                raise ZygoteError(refusal)
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
            "sandboxed": self.sandboxed,
            "shown": shown_paths(),
            "user": os.geteuid(),
        }
        self._connection.settimeout(SECONDS_TO_WARM)
        try:
            self._connection.sendall(json.dumps(settings).encode() + b"\n")
            answer = self._connection.recv(6)
        except (TimeoutError, BrokenPipeError, ConnectionResetError) as error:
            answer = str(error).encode()
        if answer != b"ready\n":
            said = self._last_words() or answer.decode() or "it ended without a word"
            raise ZygoteError(f"The warm process did not start: {said}")
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
        for ipc; else both are made here. Raises ZygoteError.
        """
        try:
            return self._start_kernel(cwd, env, connection, directory)
        except (ConnectionError, FileNotFoundError):  # the warm process has died; once is forgiven
            with self._lock:
                self._lender = None
                self.close()
            try:
                return self._start_kernel(cwd, env, connection, directory)
            except (ConnectionError, FileNotFoundError) as error:
                raise ZygoteError(
                    f"The warm process dies when it starts a kernel: {error}"
                ) from None

    def _start_kernel(self, cwd, env, connection, directory):
        with self._lock:
            self.start()
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
            line = _connect(self.directory)
            line.sendall(json.dumps(request).encode() + b"\n")
        kernel = Kernel(line, connection, directory, self.limits)
        try:
            kernel.wait_until_ready()
        except ZygoteError as error:
            kernel.close()
            raise ZygoteError(f"{error} {self._last_words()}".strip()) from None
        except BaseException:
            kernel.close()
            raise
        return kernel

    def make_kernel_directory(self):
        """Return a new directory, with a short name, for the sockets of one kernel."""
        with self._lock:
            self.start()
            # No two processes that share a zygote have the same numbers.
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
            if self._log:
                self._log.close()
                self._log = None
            if self._directory:
                remove_tree(self._directory)
                self._claim.close()
                self._directory = self._claim = None


class Kernel:
    """A forked kernel: its connection, its life and its death. Close it when done.

    ``connection`` is what Jupyter calls connection information. `fileno` becomes readable when
    there is news of its life (`poll` reads them), so that one can wait for replies and for its
    death together.
    """

    def __init__(self, line, connection, directory, limits):
        self.connection = connection
        self.directory = directory
        self.limits = limits
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
        """Wait until the kernel's sockets are bound; raise ConnectionError or ZygoteError."""
        deadline = time.monotonic() + seconds
        while not self._ready:
            if self._exit:
                raise ZygoteError(f"A kernel ended before it was ready: {self._exit.reason}.")
            left = deadline - time.monotonic()
            if left <= 0 or not self._hear(left):
                raise ZygoteError(f"A kernel was not ready within {seconds:.0f} seconds.")

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
            killed = Exit(-signal.SIGKILL, "the warm process ended", orphaned=True)
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
            raise ZygoteError(f"A kernel did not start: {event['reason']}.")
        elif event["reason"] == "namespaces":
            raise ZygoteError("A kernel could not be isolated: user namespaces were refused.")
        else:
            code = event["code"]
            memory = event["reason"] == "memory"
            self._exit = Exit(code, _words(code, memory), memory)

    def client(self):
        """Return a jupyter_client BlockingKernelClient with its channels open."""
        client = jupyter_client.BlockingKernelClient()
        client.load_connection_info(self.connection)
        client.start_channels()
        return client

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
        self._line.close()  # the zygote kills a kernel whose line closes
        remove_tree(self.directory)


def _words(code, memory):
    if memory:
        return "killed, its processes held too much memory"
    if code < 0:
        return f"killed by signal {-code} ({signal.strsignal(-code)})"
    return f"ended by itself with exit code {code}"


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
    return directory / "kernels" / "zygote"


def _connect(directory):
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(_address(directory)))
    except BaseException:
        connection.close()
        raise
    return connection


def _spawn(command, env, listener, log):
    """Start the warm process and a thread that stays with it to its end.

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

    threading.Thread(target=keep, name="warm-kernel", daemon=True).start()
    started.wait()
    if isinstance(outcome[0], OSError):
        raise ZygoteError(f"The warm process did not start: {outcome[0]}") from outcome[0]
    return outcome[0]


def _text(key):
    return key.decode() if isinstance(key, bytes) else key


def _reveals(name):
    return name.startswith("JPY_") or name in ("PYTEST_CURRENT_TEST", "PYTEST_VERSION")


# --- for whatever starts kernels by name ------------------------------------------------------


class WarmKernelProvisioner(KernelProvisionerBase):
    """Starts the kernels of a kernelspec by forking; one zygote serves the hosting process.

    Without the sandbox a kernel honours the host's transport, working directory and
    environment; within it the transport is ipc and the other two are the sandbox's.
    """

    sandboxed = Bool(False, help="run the kernel as the autograder runs submissions").tag(
        config=True
    )

    _zygotes = {}
    _zygotes_lock = threading.Lock()
    _kernel = None
    _code = None
    _directory = None

    @classmethod
    def zygote(cls, sandboxed):
        """Return this process's zygote, made when first asked for."""
        # A forked child of the host has no part in its parent's zygote.
        key = (os.getpid(), sandboxed)
        with cls._zygotes_lock:
            if key not in cls._zygotes:
                cls._zygotes[key] = Zygote(Limits() if sandboxed else None, sandboxed)
            return cls._zygotes[key]

    @property
    def has_process(self):
        return self._kernel is not None

    async def poll(self):
        if self._kernel is None:
            return self._code or 0
        ended = self._kernel.poll()
        return ended and ended.code

    async def wait(self):
        while self._kernel and self._kernel.poll() is None:
            await asyncio.sleep(0.01)
        if self._kernel:
            self._code = self._kernel.poll().code
            self._kernel.close()
            self._kernel = None
        return self._code

    async def send_signal(self, signum):
        if self._kernel and signum:
            self._kernel.signal(signum)

    async def kill(self, restart=False):
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart=False):
        await self.send_signal(signal.SIGTERM)

    async def cleanup(self, restart=False):
        if self._kernel:
            self._kernel.kill()
            await self.wait()

    async def pre_launch(self, **kwargs):
        manager = self.parent
        encryption = kwargs.pop("transport_encryption", None)
        if encryption == "required":
            raise ZygoteError("A warm kernel does not encrypt; its transport ipc needs no cipher.")
        self._zygote = self.zygote(self.sandboxed)
        await asyncio.get_running_loop().run_in_executor(None, self._zygote.start)
        if self.sandboxed or manager.transport == "ipc":
            if self._directory and self._directory.parent.exists():
                # A restart: the clients stay connected to the same names.
                self._directory.mkdir(mode=0o700, exist_ok=True)
            else:
                self._directory = self._zygote.make_kernel_directory()
            manager.transport, manager.ip = "ipc", str(self._directory / "s")
            for number, name in enumerate(("shell", "iopub", "stdin", "control", "hb"), 1):
                setattr(manager, f"{name}_port", number)
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        return await super().pre_launch(cmd=[], **kwargs)

    async def launch_kernel(self, cmd, **kwargs):
        start = partial(
            self._zygote.start_kernel,
            cwd=kwargs.get("cwd"),
            env=kwargs.get("env"),
            connection=self.connection_info,
            directory=self._directory,
        )
        self._kernel = await asyncio.get_running_loop().run_in_executor(None, start)
        return self.connection_info


def write_kernelspec(directory, name="warm-python", sandboxed=False):
    """Write the kernelspec ``name`` below a data directory's ``kernels`` and return its folder.

    A host finds it when the data directory stands in its JUPYTER_PATH.
    """
    folder = Path(directory) / "kernels" / name
    folder.mkdir(parents=True, exist_ok=True)
    spec = {
        # For hosts without provisioners; those with them do not start it.
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3 (warm, sandboxed)" if sandboxed else "Python 3 (warm)",
        "interrupt_mode": "message",
        "language": "python",
        "metadata": {
            "kernel_provisioner": {
                "provisioner_name": "warm-python",
                "config": {"sandboxed": sandboxed},
            }
        },
    }
    (folder / "kernel.json").write_text(json.dumps(spec, indent=1) + "\n")
    return folder
