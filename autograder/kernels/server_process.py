"""The fork server: it has imported everything, run nothing, and forks a Jupyter kernel on demand.

This file runs by itself (inside the sandbox it is the only file of ours there is), so it imports
the standard library and, in `preload`, what students import. Its standard input is a listening
Unix socket. The first connection is its owner's: one line of settings comes in, ``ready`` goes
back. From then on every connection, whichever process makes it, is the *line* of one kernel:

- first comes the request, one line of JSON, then numbers of signals for the kernel;
- back go events, one line of JSON each: started, ready, exit.

A line that closes kills its kernel; the owner's connection that closes kills everything.
"""

import contextlib
import ctypes
import errno
import fcntl
import functools
import gc
import importlib
import json
import os
import platform
import random
import resource
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

LINUX = sys.platform.startswith("linux")
HOME = "/home/jovyan"
KERNELS = "/run/jupyter"
KERNEL = "/run/kernel"
STUDENT = 1000
OPEN_FILES = 65536
# The version of ipykernel whose private parts `quicker` knows.
IPYKERNEL = 7
SECONDS_TO_REQUEST = 5.0
SECONDS_BETWEEN_LOOKS = 0.5
# What takes a second at most; on a machine that is busy, some.
SECONDS_TO_MEASURE = 15.0
# More than the pipe from a kernel's other programs holds.
PIPE_BYTES = 1 << 17
# Of one error, in characters: its message, the name of its class, and all that is shown of it.
LONGEST_MESSAGE = 20_000
LONGEST_NAME = 200
LONGEST_TRACEBACK = 200_000
NO_MESSAGE = "(no message"
UNSENT = "\n[an output of this cell was dropped: it could not be sent ({})]\n"

# Numbers of <sched.h>, <sys/mount.h>, <sys/prctl.h>; Python 3.12 names only the first ones.
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
CLONE_NEWCGROUP = 0x2000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
# How statvfs names what mount calls otherwise: noatime, nodiratime, relatime.
TIMES = {1 << 10: 1 << 10, 1 << 11: 1 << 11, 1 << 12: 1 << 21}
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
ANSWER_ALLOW, ANSWER_NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | errno.ENOSYS
ANSWER_DONE = 0x00050000
# By machine: how seccomp names it, and its numbers of shmget, shmat, semget, msgget, mq_open,
# add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, io_uring_setup, memfd_create,
# memfd_secret, inotify_init1, fanotify_init and, where there is one, inotify_init.
REFUSED = {
    "x86_64": (
        0xC000003E,
        (29, 30, 64, 68, 240, 248, 249, 250, 298, 321, 323, 425, 319, 447, 294, 300, 253),
    ),
    "aarch64": (
        0xC00000B7,
        (194, 196, 190, 186, 180, 217, 218, 219, 241, 280, 282, 425, 279, 447, 26, 262),
    ),
}
SETSOCKOPT = {"x86_64": 54, "aarch64": 208}
FLOCK = {"x86_64": 73, "aarch64": 32}
FCNTL = {"x86_64": 72, "aarch64": 25}
LOCKING = (fcntl.F_SETLK, fcntl.F_SETLKW, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW) if LINUX else ()
WATCHING = (fcntl.F_SETLEASE, fcntl.F_NOTIFY) if LINUX else ()
# What a connection of TCP may hold: least, usual, most bytes.
TCP_BUFFER = "4096 131072 212992"
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
MADV_COLLAPSE, HUGE_PAGE = 25, 2 << 20

LIBC = ctypes.CDLL(None, use_errno=True)


def main():
    """Serve until the other side closes; return, in a forked child alone, the kernel to run."""
    listener = socket.socket(fileno=os.dup(0))
    devnull = os.open(os.devnull, os.O_RDWR)
    os.dup2(devnull, 0)
    os.close(devnull)
    owner, _ = listener.accept()
    with owner.makefile("r") as reader:
        settings = json.loads(reader.readline())
    if LINUX:
        # The init of a submission outlives its parent and must come back to this process.
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
    if settings["sandboxed"]:
        uncover_proc()
    preload(settings["modules"], settings["used_first"])
    if LINUX:
        gather_memory()
    owner.sendall(b"ready\n")
    return Server(listener, owner, settings).serve()


# --- what is loaded before the fork -----------------------------------------------------------


def preload(modules, used_first):
    """Import ``modules`` and whatever their first use would import, and run no operation.

    ``used_first`` maps modules to those that their first use imports.
    """
    gc.disable()  # nothing becomes garbage, and looking for it takes half of the time
    for name in modules:
        importlib.import_module(name)
    # Without debugpy a kernel does not set up its debugger, to which nobody could attach.
    sys.modules["debugpy"] = None
    importlib.import_module("ipykernel.debugger")
    del sys.modules["debugpy"]
    define_kernel()
    for name, others in used_first.items():
        for other in others if name in sys.modules else ():
            importlib.import_module(other)
    gc.freeze()
    gc.enable()


def gather_memory():
    """Put this process's memory into huge pages where Linux can (from 6.1 on).

    Forking then copies a page table of hundreds of entries, not of a hundred thousand: half the
    time that it takes to start a kernel.
    """
    with open("/proc/self/maps") as file:
        regions = [line.split() for line in file]
    for addresses, permissions, _, _, inode, *_ in regions:
        if permissions.startswith("rw") and inode == "0":
            begin, end = (int(address, 16) for address in addresses.split("-"))
            begin, end = -(-begin // HUGE_PAGE) * HUGE_PAGE, end // HUGE_PAGE * HUGE_PAGE
            if begin < end:
                # What cannot be gathered stays as it is.
                LIBC.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), MADV_COLLAPSE)


def define_kernel():
    """Make the class `KernelApp`; a function, because the probe must not load ipykernel."""
    import ipykernel.iostream
    import ipykernel.ipkernel
    import ipykernel.kernelapp
    from IPython.core.profiledir import ProfileDir

    quick = quicker(ipykernel)

    class KernelApp(ipykernel.kernelapp.IPKernelApp):
        """An IPython kernel that is told its sockets and reads no file."""

        def initialize_forked(self, request, directory, profile, limits):
            connection = request["connection"]
            self.transport = connection["transport"]
            self.ip = connection["ip"]
            for name in ("shell", "iopub", "stdin", "control", "hb"):
                setattr(self, f"{name}_port", connection[f"{name}_port"])
            self.session.key = connection["key"].encode()
            self.session.signature_scheme = connection["signature_scheme"]
            self.connection_file = os.path.join(directory, "kernel.json")
            self.config.HistoryManager.enabled = False
            self.profile_dir = ProfileDir(location=profile)
            # Several records a message, which no handler would take.
            self.log.setLevel(self.log_level)
            self.init_pdb()
            self.init_sockets()
            self.init_heartbeat()
            self.init_io()
            self.init_signal()
            with quick(self, limits):
                self.init_kernel()
            self.init_path()
            self.init_shell()
            # `exit` in a cell would stop the kernel a moment later, in the middle of another cell.
            self.shell.ask_exit = lambda: None
            self.init_gui_pylab()
            backend = sys.modules.get("matplotlib_inline.backend_inline")
            if backend:
                # It was imported when there was no shell to tie itself to.
                backend._enable_matplotlib_integration()
            sys.stdout.flush()
            sys.stderr.flush()

        def close(self):
            # Nobody waits for a kernel's sockets to be closed in good order.
            self.reset_io()

    globals()["KernelApp"] = KernelApp


def quicker(ipykernel):
    """Take out of ipykernel what costs a short cell most of its time, where its insides are known.

    Returns a context in which a `KernelApp` makes its kernel, whose cells are graded, within
    limits, or not.
    """
    if ipykernel.version_info[0] != IPYKERNEL:
        return lambda app, limits: contextlib.nullcontext()
    take_from_pipe = send_before_idle(ipykernel.iostream.OutStream)

    class NoModules:
        """Stands for `sys` with nothing imported."""

        modules = {}

        def __getattr__(self, name):
            return getattr(sys, name)

    def answer_always(kernel, execute):
        async def answer(stream, identity, request):
            def reply(said):
                kernel.session.send(stream, "execute_reply", said, request, ident=identity)

            asked = request["content"]
            try:
                # It asks for the value of an expression: no cell is to be transformed, run, shown.
                if asked.get("silent") and not asked.get("code"):
                    reply(values_of(asked.get("user_expressions", {}), kernel.shell))
                else:
                    await execute(stream, identity, request)
            except BaseException as error:  # of the student's code, or because of what it made
                reply(failure(error))

        return answer

    def values_of(expressions, shell):
        values = {name: value_of(text, shell) for name, text in expressions.items()}
        # Figures that it has made are not to appear under the next cell.
        shell.events.trigger("post_execute")
        return {"status": "ok", "user_expressions": values, "payload": []}

    def value_of(expression, shell):
        try:
            value = eval(expression, shell.user_global_ns, shell.user_ns)  # as IPython does it
            return {"status": "ok", "data": value._repr_mimebundle_(), "metadata": {}}
        except BaseException as error:
            return failure(error)

    def failure(error):
        name, message = in_words(error)
        text = f"{name}: {message}"
        return {"status": "error", "ename": name, "evalue": message, "traceback": [text]}

    def show_always(kernel, show):
        def showtraceback(exc_tuple=None, *args, **kwargs):
            _, error, _ = exc_tuple or sys.exc_info()
            # IPython would ask for both several times, and show all of it.
            name, message = in_words(error)
            kernel.described = error, name, message
            is_long = len(name) == LONGEST_NAME or len(message) == LONGEST_MESSAGE
            if not (is_long or message.startswith(NO_MESSAGE)):
                # The error has more code of its own, which IPython runs to describe it.
                with contextlib.suppress(BaseException):
                    return show(exc_tuple, *args, **kwargs)
            said = {"ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}
            topic, parent = kernel._topic("error"), kernel.get_parent("shell")
            kernel.session.send(kernel.iopub_socket, "error", said, parent, ident=topic)

        return showtraceback

    def show_within(show):
        def show_traceback(kind, error, lines):
            room, kept = LONGEST_TRACEBACK, []
            for line in reversed(lines):  # the end of it says the most
                kept.append(line[-room:] if room else "")
                room -= len(kept[-1])
            show(kind, error, kept[::-1])

        return show_traceback

    def run_and_describe(kernel, run):
        @functools.wraps(run)
        async def run_cell_async(*args, **kwargs):
            result = await run(*args, **kwargs)
            for place in ("error_before_exec", "error_in_exec"):
                error = getattr(result, place)
                if error is not None:  # the reply would ask it for its message once more
                    described, *words = kernel.described
                    name, message = words if described is error else in_words(error)
                    setattr(result, place, type(name, (Exception,), {})(message))
            kernel.described = (None,)
            return result

        return run_cell_async

    def publish_with_outputs(kernel, graded, publish):
        piped = [stream for stream in (sys.stdout, sys.stderr) if stream._fid is not None]

        def publish_status(status, channel, parent=None):
            asked = parent or kernel.get_parent(channel)
            # A check waits for the reply alone. That a kernel is busy and idle again would be two
            # messages to each, on a channel that takes as long as all the rest.
            if graded and asked.get("content", {}).get("silent"):
                return
            if status == "idle" and channel == "shell":
                for stream in piped:
                    take_from_pipe(stream)
                    stream.flush()
            publish(status, channel, parent)

        return publish_status

    @contextlib.contextmanager
    def quick(app, limits):
        # It reads requests in a thread of its own and passes them on, for the sake of shells that
        # run side by side; nobody asks for one here, and each pass takes longer than its work.
        app.shell_channel_thread = None
        # For its debugger, which is not there, ipykernel asks every module for its file. To
        # touch so many objects copies their pages: a third of the time that a start takes.
        ipykernel.ipkernel.sys = NoModules()
        yield
        ipykernel.ipkernel.sys = sys
        app.kernel._execute_sleep = 0  # who wants the outputs waits until it is idle
        publish = app.kernel._publish_status
        app.kernel._publish_status = publish_with_outputs(app.kernel, bool(limits), publish)
        # IPython keeps whatever a cell prints for a history that nobody reads.
        app.kernel.shell._tee = lambda channel: contextlib.nullcontext()
        if limits:
            drop_excess(ipykernel.iostream.OutStream, limits["output_bytes"])
            handlers = app.kernel.shell_handlers
            handlers["execute_request"] = answer_always(app.kernel, handlers["execute_request"])
            kernel, shell = app.kernel, app.kernel.shell
            kernel.described = (None,)
            shell.showtraceback = show_always(kernel, shell.showtraceback)
            shell._showtraceback = show_within(shell._showtraceback)
            shell.run_cell_async = run_and_describe(kernel, shell.run_cell_async)
            # For its history, too, IPython would put each error into words.
            shell._format_exception_for_storage = lambda *args, **kwargs: {}

    return quick


def send_before_idle(outstream):
    """Let whatever a cell prints be sent before its kernel says that it is idle again.

    Returns a function that takes from an `OutStream`'s pipe what other programs have printed.
    """
    taking = threading.Lock()

    def flush_what_is_there(stream, flush=outstream.flush):
        # It is called four times a message, and would each time wait for another thread to do
        # nothing. What that thread is about to send is no longer in the buffers.
        if stream._buffers or stream._is_sending:
            flush(stream)

    def send_or_say(stream, send=outstream._flush):
        stream._is_sending = True
        try:
            send(stream)
        except Exception as error:
            # Nobody hears of it in the thread that sends, and what waits there would wait longer.
            said = {"name": "stderr", "text": UNSENT.format(in_words(error)[0])}
            parent = stream.parent_header
            stream.session.send(stream.pub_thread, "stream", said, parent, ident=b"stream.stderr")
        finally:
            stream._is_sending = False

    def take_from_pipe(stream):
        """Write what the pipe holds now; return whether there is more to come."""
        with taking:  # whoever comes later finds it written
            if not _is_readable(stream._fid, 0):
                return True
            data = os.read(stream._fid, PIPE_BYTES)
            stream.write(data.decode(errors="replace"))
            return bool(data)

    def watch_pipe(stream):
        # ipykernel's own passes it on to the descriptor that was there before, which is /dev/null.
        try:
            while stream._should_watch and _is_readable(stream._fid):
                if not take_from_pipe(stream):
                    return
        except Exception:
            stream._exc = sys.exc_info()  # where ipykernel looks for it

    outstream._is_sending = False
    outstream.flush = flush_what_is_there
    outstream._flush = send_or_say
    outstream._watch_pipe_fd = watch_pipe
    return take_from_pipe


def in_words(error):
    """Return the name of an error's class and its message, whatever its author made of them."""
    # Both run code of the student's, unless the name is taken from beneath a metaclass.
    name_of = type.__dict__["__name__"].__get__
    try:
        message = str.__getitem__(str(error), slice(LONGEST_MESSAGE))
        message = message.encode("utf-8", "replace").decode()
    except BaseException as another:
        message = f"{NO_MESSAGE}: its __str__ raised {name_of(type(another))})"
    return name_of(type(error))[:LONGEST_NAME], message


def drop_excess(outstream, most):
    """Let streams hold no more than ``most`` characters, and one to show that there were more.

    What the grader would drop takes the kernel's memory, several times over, to be sent.
    """

    def write_within(stream, string, write=outstream.write):
        with stream._buffer_lock:
            held = sum(buffer.tell() for buffer in stream._buffers.values())
        if isinstance(string, str) and held + len(string) > most:
            write(stream, string[: max(0, most + 1 - held)])
            return len(string)
        return write(stream, string)

    outstream.write = write_within


# --- the server -------------------------------------------------------------------------------


class Server:
    """Forks kernels, passes signals on to them and reports their ends."""

    def __init__(self, listener, owner, settings):
        self.listener = listener
        self.owner = owner
        self.sandboxed = settings["sandboxed"]
        self.limits = settings["limits"]
        self.shown = settings["shown"]
        self.user = settings["user"]
        self.kernels = {}
        self.accounting = None
        self.selector = selectors.DefaultSelector()
        self.wake, self.woken = os.pipe()
        for end in (self.wake, self.woken):
            os.set_blocking(end, False)
        self.anonymous = _anonymous_bytes(os.getpid()) if LINUX else 0
        self.memory = _memory_of_this() if LINUX else None

    def serve(self):
        """Loop; return None when the owner is gone, a `KernelApp` in a child."""
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(self.woken)
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.selector.register(self.owner, selectors.EVENT_READ)
        self.selector.register(self.wake, selectors.EVENT_READ)
        if self.sandboxed:
            self.start_accounting()
        while True:
            wait = SECONDS_BETWEEN_LOOKS if self.kernels and self.accounting else None
            for key, _ in self.selector.select(wait):
                if key.fileobj is self.owner:
                    self.kill_all()
                    return None
                if key.fileobj is self.listener:
                    line, _ = self.listener.accept()
                    app = self.fork(line)
                    if app:
                        return app
                elif key.fileobj is self.accounting:
                    pass  # it is read below, every time
                elif key.fileobj == self.wake:
                    os.read(self.wake, 4096)
                else:
                    self.read_signals(key.fileobj)
            self.reap()
            if self.accounting:
                self.read_accounts()

    def fork(self, line):
        """Fork one kernel; return None here and its `KernelApp` in the child."""
        line.settimeout(SECONDS_TO_REQUEST)
        try:
            request, group = receive_request(line)
        except (OSError, ValueError):  # the other side went away before it had asked
            line.close()
            return None
        line.settimeout(None)
        status_reader, status_writer = os.pipe()
        pid = fork_isolated(request, self, group) if self.sandboxed else os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            bound = None
            if self.sandboxed:
                confine(request, self.limits, self.shown)
                bound = watch_as_init(status_writer)  # returns in its child alone
            elif LINUX:
                _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            self.detach_sockets()
            os.dup2(line.detach(), 3)
            if bound is not None:
                os.dup2(bound.detach(), 4)
                bound = socket.socket(fileno=4)
            os.closerange(4 if bound is None else 5, OPEN_FILES)
            return start_kernel(request, self, socket.socket(fileno=3), bound)
        os.close(status_writer)
        for number in group:
            os.close(number)
        if pid is None:
            os.close(status_reader)
            _tell(line, event="exit", reason="namespaces")
            line.close()
            return None
        self.kernels[line] = Forked(pid, status_reader)
        if self.accounting:
            self.accounting.tell(b"+%d\n" % pid)
        self.selector.register(line, selectors.EVENT_READ)
        _tell(line, event="started", pid=pid)
        return None

    def detach_sockets(self):
        """Forget the server's sockets in a child, whose numbers will soon mean other files."""
        self.selector.close()
        if self.accounting:
            self.accounting.socket.detach()
        self.listener.detach()
        self.owner.detach()
        for line in self.kernels:
            line.detach()

    def read_signals(self, line):
        """Pass the signals that stand on a line on; kill the kernel of a line that closed."""
        kernel = self.kernels.get(line)
        if kernel is None:  # it ended in this same round
            return
        try:
            numbers = line.recv(64)
        except ConnectionResetError:
            numbers = b""
        if not numbers:
            self.kill(kernel)
            self.selector.unregister(line)
            return
        for number in numbers:
            if number == signal.SIGKILL:
                self.kill(kernel)
            else:
                # The init of a sandboxed kernel hands signals on; a plain kernel gets its own.
                os.kill(kernel.pid, number)

    def kill(self, kernel):
        if self.sandboxed:
            os.kill(kernel.pid, signal.SIGKILL)  # with its init every process of it dies
            return
        try:
            os.killpg(kernel.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # It has not made its group yet.
            os.kill(kernel.pid, signal.SIGKILL)

    def kill_all(self):
        for kernel in self.kernels.values():
            self.kill(kernel)

    def reap(self):
        """Collect the dead and say on their lines how they died."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for line, kernel in list(self.kernels.items()):
                if kernel.pid == pid:
                    del self.kernels[line]
                    if self.accounting:
                        self.accounting.tell(b"-%d\n" % pid)
                    report = os.read(kernel.status, 64)
                    os.close(kernel.status)
                    code = int(report) if report else os.waitstatus_to_exitcode(status)
                    _tell(line, event="exit", code=code, reason=kernel.reason)
                    if line.fileno() in self.selector.get_map():
                        self.selector.unregister(line)
                    line.close()

    def read_accounts(self):
        """Act on what the memory accounting says; without it, or when it hangs, on that."""
        for said in self.accounting.said():
            if said[:1] == b"!":
                self.kill_for_memory(int(said[1:]))
        stuck_at = self.accounting.stuck_at(bool(self.kernels))
        if stuck_at is not None:
            # Whatever it is about this kernel, it is no other's affair.
            self.kill_for_memory(stuck_at)
            self.selector.unregister(self.accounting)
            self.accounting.close()
            self.start_accounting()

    def start_accounting(self):
        self.accounting = Accounting(self.limits["memory_mb"] << 20, self.anonymous)
        self.selector.register(self.accounting, selectors.EVENT_READ)
        for kernel in self.kernels.values():
            self.accounting.tell(b"+%d\n" % kernel.pid)

    def kill_for_memory(self, pid):
        for kernel in self.kernels.values():
            if kernel.pid == pid:
                kernel.reason = "memory"
                self.kill(kernel)


class Accounting:
    """The process that measures the kernels' memory, seen from the fork server."""

    def __init__(self, most, baseline):
        ours, theirs = socket.socketpair()
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "memory_accounting.py")
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", program, str(most), str(baseline)],
                stdin=theirs,
                stdout=theirs,
            )
        self.socket = ours
        self.socket.setblocking(False)
        self.received = b""
        self.measured = None
        self.has_worked = False
        self.since = time.monotonic()
        self.ended = False

    def fileno(self):
        return self.socket.fileno()

    def tell(self, line):
        try:
            self.socket.send(line)
        except OSError:
            self.ended = True

    def said(self):
        """Return the lines that have come."""
        try:
            received = self.socket.recv(65536)
        except BlockingIOError:
            return []
        except OSError:
            received = b""
        if not received:
            self.ended = True
            return []
        *lines, self.received = (self.received + received).split(b"\n")
        for line in lines:
            self.measured = int(line[1:]) if line[:1] == b"?" else self.measured
            if line == b".":
                self.measured, self.has_worked = None, True
            self.since = time.monotonic()
        return lines

    def stuck_at(self, has_kernels):
        """Return the kernel at which it has ended or hangs, 0 for none, None while it works."""
        if not has_kernels:
            self.since = time.monotonic()
        hangs = time.monotonic() - self.since > SECONDS_TO_MEASURE
        if self.ended and self.measured is None and not self.has_worked:
            raise RuntimeError("the memory accounting does not start")
        return (self.measured or 0) if self.ended or hangs else None

    def close(self):
        self.socket.close()
        self.process.kill()


def receive_request(line):
    """Return what stands on a new line, and the files that came with it: none, or one."""
    received, files = b"", []
    while not received.endswith(b"\n"):
        part, more, _, _ = socket.recv_fds(line, 65536, 1)
        if not part:
            raise ValueError("the line ended")
        received += part
        files += more
    return json.loads(received), files


class Forked:
    """A kernel as the server knows it."""

    def __init__(self, pid, status):
        self.pid = pid
        self.status = status
        self.reason = None


# --- isolation --------------------------------------------------------------------------------


def uncover_proc():
    """Take away what bubblewrap laid over parts of /proc.

    The kernel lets a submission have a /proc of its own only where the one it comes from is
    whole. Where the covers are not ours (in some containers), `confine` does without.
    """
    with open("/proc/self/mountinfo") as file:
        places = [line.split()[4] for line in file]
    for place in places:
        if place.startswith("/proc/"):
            LIBC.umount2(place.encode(), MNT_DETACH)


def fork_isolated(request, server, group):
    """Fork into new namespaces; return the pid here, 0 in the child, None when refused.

    ``group`` holds the file by which one enters a control group, if there is one.

    Entering a PID namespace takes a process in between: it makes the namespaces, forks the
    namespace's first process and is gone.
    """
    reader, writer = os.pipe()
    between = os.fork()
    if between:
        os.close(writer)
        pid = os.read(reader, 32)
        os.close(reader)
        os.waitpid(between, 0)
        return int(pid) if pid else None
    os.close(reader)
    try:
        for entrance in group:
            os.write(entrance, b"0")
            os.close(entrance)
        unshare(request.get("user", server.user), CLONE_NEWCGROUP if group else 0)
        pid = os.fork()
    except OSError as error:
        print(f"a kernel could not be isolated: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    if pid:
        os.write(writer, str(pid).encode())
        os._exit(0)
    os.close(writer)
    return 0


def unshare(user, more=0):
    """Enter new namespaces, ``more`` of them too, as ``user``, there the ordinary user 1000."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        _prctl(PR_SET_DUMPABLE, 1)  # or /proc/self would still belong to root
    group = os.getegid()
    flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS
    _call("unshare", flags | more)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{STUDENT} {user} 1")
    _write("/proc/self/gid_map", f"{STUDENT} {group} 1")
    _mount(None, "/", None, MS_REC | MS_PRIVATE)


def confine(request, limits, shown):
    """Build the private file system of a submission."""
    # Everything is built in one small file system and then put in its places.
    size = f"size={limits['disk_mb']}m,nr_inodes={limits['files']},mode=755"
    _mount("tmpfs", "/mnt", "tmpfs", MS_NOSUID | MS_NODEV, size)
    for name, mode in (("home", 0o755), ("tmp", 0o1777), ("shm", 0o1777), ("proc", 0o555)):
        os.mkdir(f"/mnt/{name}")
        os.chmod(f"/mnt/{name}", mode)
    for name, place in (("home", HOME), ("tmp", "/tmp"), ("shm", "/dev/shm")):
        for path in shown:
            if path.startswith(f"{place}/"):  # Python itself lies here
                again = f"/mnt/{name}{path.removeprefix(place)}"
                os.makedirs(again, exist_ok=True)
                _mount(path, again, None, MS_BIND | MS_REC)
        _mount(f"/mnt/{name}", place, None, MS_BIND | MS_REC)
    _mount(f"{KERNELS}/{request['directory']}", KERNEL, None, MS_BIND)
    _mount("tmpfs", KERNELS, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "size=4k")
    try:
        _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    except PermissionError:
        # In a container with a partly covered /proc there is no fresh one. Show what libraries
        # read to learn the machine and no process at all; TensorFlow aborts where it cannot read
        # the names of its own program.
        os.mkdir("/mnt/proc/self")
        os.symlink(os.path.realpath(sys.executable), "/mnt/proc/self/exe")
        _write("/mnt/proc/self/cmdline", "\0".join([sys.executable, *sys.argv, ""]))
        for name in ("cpuinfo", "filesystems", "meminfo", "stat"):
            _write(f"/mnt/proc/{name}", "")
            _mount(f"/proc/{name}", f"/mnt/proc/{name}", None, MS_BIND)
        _mount("/mnt/proc", "/proc", None, MS_BIND | MS_REC)
    else:
        # No namespaces inside: the student has no use for them and kernels have had holes.
        _write("/proc/sys/user/max_user_namespaces", "0")
        # What waits in sockets is nobody's memory; the accounting takes them to hold so much.
        for name in ("tcp_rmem", "tcp_wmem"):
            _write(f"/proc/sys/net/ipv4/{name}", TCP_BUFFER)
    # Terminals of its own, and not all that the machine has.
    _mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "mode=620,ptmxmode=666,max=64")
    _call("umount2", b"/mnt", MNT_DETACH)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as interface:
        fcntl.ioctl(interface, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP) + bytes(22))
    _call("sethostname", b"jupyter", 7)


def drop_powers():
    """Give up all capabilities for good."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    capability = 0
    while LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    version3 = struct.pack("Ii", 0x20080522, 0)
    _call("capset", version3, bytes(24))
    refuse_system_calls()


def refuse_system_calls():
    """Take away, for good, what reaches past the namespaces or holds memory that nobody owns.

    Keyrings belong to the user and the session that started us, and pass from one submission to
    the next; memory of System V may lie detached, and files without a name may travel in sockets
    while no process has them open. Python's own files are the same ones for all submissions: who
    locks one, or watches who opens it, sends and receives. The others are large pieces of the
    kernel for which no exercise has a use. Sockets keep the buffers of usual size, whatever is
    asked for, and locks on files, which nobody shares with a submission, are granted and not made.
    """
    machine = platform.machine()
    architecture, numbers = REFUSED[machine]
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    program = [(load, 0, 0, 4), (equal, 1, 0, architecture), (answer, 0, 0, ANSWER_NO_SUCH_CALL)]
    program.append((load, 0, 0, 0))
    program += [(equal, 0, 1, FLOCK[machine]), (answer, 0, 0, ANSWER_DONE)]
    # setsockopt(…, SOL_SOCKET, SO_SNDBUF or SO_RCVBUF, …) does nothing and says that it has.
    program += [(equal, 0, 7, SETSOCKOPT[machine])]
    program += [(load, 0, 0, 24), (equal, 0, 3, socket.SOL_SOCKET), (load, 0, 0, 32)]
    program += [(equal, 2, 0, socket.SO_SNDBUF), (equal, 1, 0, socket.SO_RCVBUF)]
    program += [(answer, 0, 0, ANSWER_ALLOW), (answer, 0, 0, ANSWER_DONE)]
    # fcntl(…, LOCKING, …) likewise; fcntl(…, WATCHING, …) is refused.
    commands = [*LOCKING, *WATCHING]
    program += [(equal, 0, len(commands) + 4, FCNTL[machine]), (load, 0, 0, 24)]
    for place, command in enumerate(commands):
        answer_is = 1 if command in LOCKING else 2
        program.append((equal, len(commands) - place - 1 + answer_is, 0, command))
    program += [(answer, 0, 0, ANSWER_ALLOW), (answer, 0, 0, ANSWER_DONE)]
    program.append((answer, 0, 0, ANSWER_NO_SUCH_CALL))
    # Numbers from here on are those of another calling convention (x32).
    checks = [(equal, number) for number in numbers] + [(at_least, 0x40000000)]
    for place, (comparison, number) in enumerate(checks):
        program.append((comparison, len(checks) - place, 0, number))
    program += [(answer, 0, 0, ANSWER_ALLOW), (answer, 0, 0, ANSWER_NO_SUCH_CALL)]
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
    held = ctypes.create_string_buffer(code, len(code))
    filter_ = struct.pack("HL", len(program), ctypes.addressof(held))
    _call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.create_string_buffer(filter_), 0, 0)


def close_the_host(place):
    """Make a mounted folder of the host read-only; the kernel has made its sockets in it.

    What lies there has no limit of size or number and would have to be removed by us.
    """
    held = os.statvfs(place).f_flag
    times = sum(flag for seen, flag in TIMES.items() if held & seen)
    kept = MS_NOSUID | MS_NODEV | MS_NOEXEC | times
    _mount(None, place, None, MS_BIND | MS_REMOUNT | MS_RDONLY | kept)


def watch_as_init(status):
    """Fork the kernel and stay as the namespace's init; return in the kernel alone.

    The namespace's first process cannot be killed from inside, collects what others leave
    behind, and takes every process of the submission with it when it ends. What it returns is
    a socket: when the kernel has bound its own it says so there, and waits for the answer.
    """
    _prctl(PR_SET_DUMPABLE, 0)  # the student may not look into this process
    bound, theirs = socket.socketpair()
    kernel = os.fork()
    if kernel == 0:
        drop_powers()
        _prctl(PR_SET_DUMPABLE, 1)
        os.close(status)
        bound.close()
        return theirs
    theirs.close()
    if bound.recv(1):
        close_the_host(KERNEL)
        bound.sendall(b"+")
    drop_powers()
    bound.close()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda number, frame: os.kill(kernel, number))
    os.dup2(status, 3)
    os.closerange(4, OPEN_FILES)
    while True:
        pid, result = os.wait()
        if pid == kernel:
            os.write(3, str(os.waitstatus_to_exitcode(result)).encode())
            os._exit(0)


def limit_resources(limits, sandboxed, memory):
    """Set the limits that the operating system keeps for a process.

    ``memory`` is what the fork server has: bytes of address space, bytes of private memory.
    """
    megabyte = 1 << 20
    limit = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: limits["open_files"]}
    if sandboxed:
        # Elsewhere both would count, or hit, what is not the submission's.
        limit[resource.RLIMIT_FSIZE] = limits["disk_mb"] * megabyte
        limit[resource.RLIMIT_NPROC] = limits["processes"]
    if memory:
        held, private = memory
        limit[resource.RLIMIT_DATA] = private + limits["memory_mb"] * megabyte
        # Address space is only reserved by much of what runs here (a thread of malloc takes
        # 128 MiB), so it has room to spare; it is what stops a huge shared mapping.
        limit[resource.RLIMIT_AS] = held + 2 * limits["memory_mb"] * megabyte + (8 << 30)
    for kind, value in limit.items():
        _, hard = resource.getrlimit(kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


# --- the kernel -------------------------------------------------------------------------------


def start_kernel(request, server, line, bound):
    """Become a fresh Jupyter kernel in this forked process and return its `KernelApp`."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    devnull = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(devnull, descriptor)
    os.close(devnull)
    if request.get("environment") is not None:
        os.environ.clear()
        os.environ.update(request["environment"])
    os.chdir(request.get("cwd") or (HOME if server.sandboxed else os.getcwd()))
    if server.limits:
        limit_resources(server.limits, server.sandboxed, server.memory)
    # A graded answer that draws unseeded numbers draws the same ones each time it is graded.
    seed = 0 if server.limits else None
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    directory = KERNEL if server.sandboxed else request["path"]
    # Where magics write, `%cd` for one.
    home = os.path.join(HOME, ".ipython") if server.sandboxed else directory
    profile = os.path.join(home, "profile_default")
    sys.argv = [sys.argv[0], "-f", os.path.join(directory, "kernel.json")]

    try:
        app = KernelApp.instance()  # noqa: F821 (made by define_kernel)
        app.initialize_forked(request, directory, profile, server.limits)
        if bound is not None:
            bound.sendall(b"+")
            if not bound.recv(1):
                raise OSError("its folder could not be closed")
            bound.close()
        _tell(line, event="ready")
        line.close()
    except Exception as error:
        _tell(line, event="failed", reason=f"{type(error).__name__}: {error}")
        raise
    return app


# --- the operating system ---------------------------------------------------------------------


def _memory_of_this():
    """Return the bytes of address space and of private writable memory held here."""
    with open("/proc/self/statm") as file:
        pages = [int(number) for number in file.read().split()]
    return pages[0] * resource.getpagesize(), pages[5] * resource.getpagesize()


def _anonymous_bytes(pid):
    """Return the bytes of resident private memory of a process, 0 when it is gone."""
    return _memory("status", "RssAnon", pid)


def _memory(file, field, pid):
    """Return a number of bytes from a file of /proc about a process, 0 when that is gone."""
    try:
        with open(f"/proc/{pid}/{file}") as lines:
            found = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(found[0]) << 10 if found else 0


def _tell(line, **event):
    try:
        line.sendall(json.dumps(event).encode() + b"\n")
    except (BrokenPipeError, ConnectionResetError):
        pass  # nobody listens any more; the closed line kills the kernel


def _call(name, *arguments):
    if getattr(LIBC, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _prctl(option, value):
    _call("prctl", option, int(value), 0, 0, 0)


def _mount(source, target, kind, flags, data=None):
    encoded = [text and text.encode() for text in (source, target, kind)]
    try:
        _call("mount", *encoded, ctypes.c_ulong(flags), data and data.encode())
    except OSError as error:
        raise OSError(error.errno, f"mount {target}: {os.strerror(error.errno)}") from None


def _is_readable(descriptor, milliseconds=None):
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(milliseconds))


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)


def probe():
    """Enter and leave the isolation of a submission; raise the operating system's refusal."""
    unshare(os.geteuid() or 1 << 30)
    if os.fork() == 0:
        _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
        os._exit(0)
    os.wait()


if __name__ == "__main__":
    del sys.path[0]  # this file's own directory
    if "--probe" in sys.argv:
        probe()
    else:
        app = main()
        if app:
            app.start()
        # Interpreter and TensorFlow would be taken down in good order, for nobody.
        os._exit(0)
