"""The start of a kernel in a process that has just been forked."""

import os
import random
import signal
import socket
import sys

from ipykernel.kernelapp import IPKernelApp
from IPython.core.profiledir import ProfileDir
from traitlets import DottedObjectName, Type

from . import output
from .bounded_kernel import BoundedKernel
from .forked_kernel import ForkedKernel
from .isolation import limit_resources
from .naming import keeps_name
from .output import BoundedOutStream
from .paths import HOME, KERNEL_DIR
from .shortcuts import (
    IS_TESTED,
    UNTESTED_VERSION,
    NoShellChannelThread,
    no_modules_for_the_debugger,
)
from .wire import CHANNELS, Request, Settings, send_event


@keeps_name
class ForkedApp(IPKernelApp):
    """An IPython kernel that is told its sockets and reads no file."""

    kernel_class = Type(ForkedKernel)
    outstream_class = DottedObjectName(f"{output.__name__}.ForkedOutStream")

    def initialize_forked(self, request: Request, directory: str, profile: str) -> None:
        """Bind the sockets and make the kernel; ``directory`` has the sockets."""
        connection = request["connection"]
        self.transport = connection["transport"]
        self.ip = connection["ip"]
        for name in CHANNELS:
            setattr(self, f"{name}_port", connection[f"{name}_port"])
        self.session.key = connection["key"].encode()
        self.session.signature_scheme = connection["signature_scheme"]
        self.connection_file = os.path.join(directory, "kernel.json")
        self.config.HistoryManager.enabled = False
        # Who wants the outputs waits until the kernel is idle.
        self.config.Kernel._execute_sleep = 0.0
        self.profile_dir = ProfileDir(location=profile)
        # Several records a message, which no handler would take.
        self.log.setLevel(self.log_level)
        self.init_pdb()
        self.init_sockets()
        self.init_heartbeat()
        self.init_io()
        self.init_signal()
        self.init_kernel()
        self.init_path()
        self.init_shell()
        self.init_gui_pylab()
        backend = sys.modules.get("matplotlib_inline.backend_inline")
        if backend:
            # It was imported when there was no shell to tie itself to.
            backend._enable_matplotlib_integration()
        sys.stdout.flush()
        sys.stderr.flush()

    def init_kernel(self) -> None:
        """Make the kernel, which reads its requests in the thread that also answers them.

        ipykernel 7 has another thread read and pass them on, for the sake of shells that run side
        by side. Nobody asks for one here, and each pass takes longer than its work.
        """
        if not IS_TESTED:
            super().init_kernel()
            return
        self.shell_channel_thread = NoShellChannelThread()
        with no_modules_for_the_debugger():
            super().init_kernel()

    def close(self) -> None:
        """Leave the sockets open: nobody waits for them to be closed in good order."""
        self.reset_io()


@keeps_name
class BoundedApp(ForkedApp):
    """An IPython kernel for students' work."""

    kernel_class = Type(BoundedKernel)
    outstream_class = DottedObjectName(f"{output.__name__}.BoundedOutStream")


def start_kernel(
    request: Request,
    settings: Settings,
    memory: tuple[int, int] | None,
    control: socket.socket,
    bound: socket.socket | None,
) -> IPKernelApp:
    """Become a fresh Jupyter kernel in this forked process and return its app.

    ``memory`` is what `limit_resources` needs, and ``control`` the connection on which events are
    sent. On ``bound`` the kernel says that its sockets are there, and waits for an answer.
    """
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    devnull = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(devnull, descriptor)
    os.close(devnull)
    if request["environment"] is not None:
        os.environ.clear()
        os.environ.update(request["environment"])
    sandboxed, limits = settings["sandboxed"], settings["limits"]
    os.chdir(request["cwd"] or (HOME if sandboxed else os.getcwd()))
    if limits:
        limit_resources(limits, sandboxed, memory)
        # It counts characters, and none takes less than a byte.
        BoundedOutStream.max_held = limits["output_bytes"]
    # A graded answer that draws unseeded numbers draws the same ones each time it is graded.
    seed = 0 if limits else None
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    directory = KERNEL_DIR if sandboxed else request["path"]
    # Where magics write, `%cd` for one.
    home = os.path.join(HOME, ".ipython") if sandboxed else directory
    profile = os.path.join(home, "profile_default")
    sys.argv = [sys.argv[0], "-f", os.path.join(directory, "kernel.json")]

    try:
        app = (BoundedApp if limits else ForkedApp).instance()
        app.initialize_forked(request, directory, profile)
        if bound is not None:
            bound.sendall(b"+")
            if not bound.recv(1):
                raise OSError("its folder could not be closed")
            bound.close()
        _forget_our_modules()
        send_event(control, event="ready", untested_ipykernel=UNTESTED_VERSION)
        control.close()
    except Exception as error:
        send_event(control, event="failed", reason=f"{type(error).__name__}: {error}")
        raise
    return app


def _forget_our_modules() -> None:
    """Let no module of ours be found, or hide one of the same name that a student imports."""
    for name in [name for name in sys.modules if name.partition(".")[0] == __package__]:
        del sys.modules[name]
