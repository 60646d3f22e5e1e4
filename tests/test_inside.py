"""What runs inside the sandbox: its filter of system calls, its kernels, another ipykernel."""

import errno
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import sys
from types import SimpleNamespace

import nbformat
import pytest
from ipykernel.zmqshell import ZMQInteractiveShell
from small_course import EXERCISE, STEM, answered

from autograder.building.stock_nbgrader import create_assignment
from autograder.course.chapters import load_chapter
from autograder.grading.single_submission import grade_one
from autograder.kernels import sandbox
from autograder.kernels.fork_server import ForkServer
from autograder.kernels.limits import Limits
from autograder.kernels.session import Session
from autograder.results import Flag, Status

LIMITS = Limits(cell_seconds=30, output_bytes=10_000)


# --- the filter of system calls ------------------------------------------------------------------

if sys.platform.startswith("linux"):
    from autograder.kernels.inside import linux, system_calls
    from autograder.kernels.inside import server as inside_server
    from autograder.kernels.inside.server import Server

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is for Linux")
X86_64, AARCH64 = "x86_64", "aarch64"
REFUSED = 0x00050000 | errno.ENOSYS
NO_SUCH_FAMILY = 0x00050000 | errno.EAFNOSUPPORT
GRANTED, ALLOWED = 0x00050000, 0x7FFF0000


def verdict(machine, number, *arguments, architecture=None):
    """Run the filter on a system call as Linux would, and return what it answers."""
    if architecture is None:
        architecture = system_calls.BLOCKED_SYSCALLS[machine][0]
    arguments = (*arguments, *(0,) * (6 - len(arguments)))
    call = struct.pack("IIQ6Q", number, architecture, 0, *arguments)
    code = system_calls.assembled(system_calls.filter_program(machine))
    steps = list(struct.iter_unpack("HBBI", code))
    place, loaded = 0, None
    while True:
        kind, yes, no, operand = steps[place]
        place += 1
        if kind == 0x06:  # return
            return operand
        if kind == 0x20:  # load a word
            (loaded,) = struct.unpack_from("I", call, operand)
        elif kind == 0x15:  # equal
            place += yes if loaded == operand else no
        elif kind == 0x35:  # at least
            place += yes if loaded >= operand else no
        else:
            assert kind == 0x45  # any of these bits
            place += yes if loaded & operand else no


@linux_only
@pytest.mark.parametrize("machine", [X86_64, AARCH64])
def test_blocked_system_calls_do_not_exist(machine):
    blocked = (
        *system_calls.BLOCKED_SYSCALLS[machine][1],
        *system_calls.NAMESPACE_SYSCALLS[machine],
    )
    for number in blocked:
        assert verdict(machine, number) == REFUSED, number
    special = {system_calls.FLOCK[machine], system_calls.FCNTL[machine]}
    special |= {system_calls.SETSOCKOPT[machine], system_calls.CLONE[machine]}
    special |= {*system_calls.SOCKET[machine]}
    for number in set(range(600)) - {*blocked} - special:
        assert verdict(machine, number) == ALLOWED, number


@linux_only
@pytest.mark.parametrize("machine", [X86_64, AARCH64])
def test_other_calling_conventions_do_not_exist(machine):
    for number in (0x40000000, 0x40000001, 0xFFFFFFFF):
        assert verdict(machine, number) == REFUSED
    # On a 64-bit machine a program may make the system calls of the 32-bit one.
    assert verdict(machine, 1, architecture=0x40000003) == REFUSED


@linux_only
@pytest.mark.parametrize("machine", [X86_64, AARCH64])
def test_locks_and_sizes_of_buffers_are_granted_and_not_made(machine):
    assert verdict(machine, system_calls.FLOCK[machine], 3, fcntl.LOCK_EX) == GRANTED
    for command, answer in {
        fcntl.F_SETLK: GRANTED,
        fcntl.F_SETLKW: GRANTED,
        fcntl.F_OFD_SETLK: GRANTED,
        fcntl.F_OFD_SETLKW: GRANTED,
        fcntl.F_SETLEASE: REFUSED,
        fcntl.F_NOTIFY: REFUSED,
        fcntl.F_GETFD: ALLOWED,
        fcntl.F_SETFL: ALLOWED,
    }.items():
        assert verdict(machine, system_calls.FCNTL[machine], 3, command) == answer, command
    for level, option, answer in (
        (socket.SOL_SOCKET, socket.SO_SNDBUF, GRANTED),
        (socket.SOL_SOCKET, socket.SO_RCVBUF, GRANTED),
        (socket.SOL_SOCKET, socket.SO_REUSEADDR, ALLOWED),
        (socket.IPPROTO_TCP, socket.SO_SNDBUF, ALLOWED),
    ):
        assert verdict(machine, system_calls.SETSOCKOPT[machine], 3, level, option) == answer


@linux_only
@pytest.mark.parametrize("machine", [X86_64, AARCH64])
def test_only_sockets_that_a_network_namespace_holds_back_may_be_made(machine):
    held_back = {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK}
    for number in system_calls.SOCKET[machine]:
        for family in range(64):
            answer = ALLOWED if family in held_back else NO_SUCH_FAMILY
            assert verdict(machine, number, family, socket.SOCK_STREAM) == answer, family
            # Linux reads no more than the lower half of it, as a C program's `int`.
            assert verdict(machine, number, 1 << 32 | family, socket.SOCK_STREAM) == answer, family


@linux_only
@pytest.mark.parametrize("machine", [X86_64, AARCH64])
def test_processes_and_threads_may_be_made_and_no_namespaces(machine):
    clone = system_calls.CLONE[machine]
    fork, thread = signal.SIGCHLD, 0x3D0F00  # what the C library asks for
    assert verdict(machine, clone, fork) == verdict(machine, clone, thread) == ALLOWED
    for kind in "NEWNS", "NEWCGROUP", "NEWUTS", "NEWIPC", "NEWUSER", "NEWPID", "NEWNET":
        flag = getattr(linux, f"CLONE_{kind}")
        assert verdict(machine, clone, flag | fork) == REFUSED, kind
        assert verdict(machine, clone, 1 << 40 | flag | fork) == REFUSED, kind


# --- kernels -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fork_server():
    if refusal := sandbox.sandbox_available():
        pytest.skip(refusal)
    with ForkServer(LIMITS, modules=["numpy"]) as started:
        yield started


@pytest.fixture
def session(fork_server):
    with Session(fork_server.start_kernel()) as opened:
        yield opened


def printed(result):
    return "".join(output.text for output in result.outputs if output.output_type == "stream")


def test_a_cell_may_await(session):
    result = session.run_cell("import asyncio\nawait asyncio.sleep(0.01)\nprint('done')")
    assert (result.status, printed(result)) == ("ok", "done\n")
    result = session.run_cell("await asyncio.sleep(0)\n1 / 0")
    assert result.status == "error" and result.outputs[-1].ename == "ZeroDivisionError"


def test_what_libraries_see_is_jupyters(session):
    names = "type(get_ipython()).__module__ + '.' + type(get_ipython()).__name__"
    result = session.run_cell(f"import sys\nprint({names}, type(sys.stdout))")
    name = f"{ZMQInteractiveShell.__module__}.{ZMQInteractiveShell.__name__}"
    assert printed(result) == f"{name} <class 'ipykernel.iostream.OutStream'>\n"


NAMESPACES = """
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
clone, user = {"x86_64": 56, "aarch64": 220}[platform.machine()], 0x10000000
for make, *arguments in (
    (libc.unshare, user), (libc.setns, 0, user), (libc.syscall, clone, user | 17, 0, 0, 0, 0)
):
    print(make(*arguments), errno.errorcode[ctypes.get_errno()])
"""


def test_a_submission_makes_no_namespaces_of_its_own(session):
    """Not even where its own cannot be forbidden in a /proc of its own."""
    assert printed(session.run_cell(NAMESPACES)) == 3 * "-1 ENOSYS\n"


STARTS = """
import asyncio, multiprocessing, os, subprocess, sys, threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

def double(x):
    return 2 * x

threads = [threading.Thread(target=print, args=("thread",)) for _ in range(2)]
for thread in threads:
    thread.start()
    thread.join()
with ThreadPoolExecutor() as pool:
    print(*pool.map(double, range(3)))
with ProcessPoolExecutor(2) as pool:
    print(*pool.map(double, range(3)))
with multiprocessing.get_context("forkserver").Pool(1) as pool:
    print(*pool.map(abs, [-1]))
print(subprocess.run(["echo", "program"], capture_output=True, text=True).stdout)
print(os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1], os.system("exit 0"))
process = await asyncio.create_subprocess_exec("true")
print(await process.wait())
"""


def test_threads_processes_and_programs_can_be_started(session):
    result = session.run_cell(STARTS)
    assert result.status == "ok", result.outputs
    said = "thread\nthread\n0 2 4\n0 2 4\n1\nprogram\n\n0 0\n0\n"
    assert printed(result) == said


def test_no_module_of_ours_hides_a_students_of_the_same_name(session):
    result = session.run_cell(
        "open('inside.py', 'w').write('answer = 42')\nimport inside\nprint(inside.answer)"
    )
    assert printed(result) == "42\n"


# --- what the operating system refuses to the fork server ---------------------------------------


def refuse(*arguments):
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")


def open_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def serving():
    """A fork server's `Server` in this process, and a request that has come for a kernel."""
    settings = {"sandboxed": False, "limits": None}
    server_end, our_end = socket.socketpair()
    server = Server(socket.socket(), socket.socket(), settings)
    key, writer = os.pipe()
    os.close(writer)
    request = {"user": 1, "directory": "1"}
    socket.send_fds(our_end, [json.dumps(request).encode() + b"\n"], [key])
    os.close(key)
    yield server, server_end, our_end
    for opened in (server.listener, server.owner, server.selector, server_end, our_end):
        opened.close()
    os.close(server.wake)
    os.close(server.woken)


@linux_only
@pytest.mark.parametrize("sandboxed", [True, False])
@pytest.mark.parametrize("refused", ["fork", "pipe"])
def test_a_kernel_that_cannot_be_forked_is_refused_and_no_other_suffers(
    serving, refused, sandboxed, monkeypatch
):
    server, server_end, our_end = serving
    server.sandboxed = sandboxed
    before = open_files()
    with monkeypatch.context() as patch:
        patch.setattr(os, refused, refuse)
        assert server.fork(server_end) is None
    event = json.loads(our_end.recv(4096))
    assert event["event"] == "failed" and "Resource temporarily unavailable" in event["reason"]
    assert our_end.recv(1) == b"" and not server.kernels
    assert open_files() == before - 1  # the connection itself


@linux_only
def test_a_connection_that_cannot_be_accepted_waits(serving, monkeypatch):
    server, _, _ = serving
    monkeypatch.setattr(server, "listener", SimpleNamespace(accept=refuse, close=int))
    monkeypatch.setattr(inside_server, "SECONDS_TO_RECOVER", 0.0)
    assert server.accept() is None


# --- another ipykernel ---------------------------------------------------------------------------


@pytest.fixture
def another_ipykernel(tmp_path, monkeypatch):
    """Let what runs inside take the installed ipykernel for one that it was not tested with."""
    inside = tmp_path / "inside"
    shutil.copytree(sandbox.INSIDE, inside)
    shortcuts = inside / "shortcuts.py"
    before = shortcuts.read_text()
    shortcuts.write_text(before.replace("TESTED_IPYKERNEL = 7", "TESTED_IPYKERNEL = 6"))
    assert shortcuts.read_text() != before
    monkeypatch.setattr(sandbox, "INSIDE", inside)


HARD_TO_DESCRIBE = """\
class Hard(Exception):
    def __str__(self):
        raise ValueError("no")
"""


def test_what_decides_a_mark_is_in_force_with_another_ipykernel(fork_server, another_ipykernel):
    # It differs, because a module-scoped server is not to be taken from the cache of another test.
    with (
        ForkServer(LIMITS, modules=["numpy"]) as server,
        Session(server.start_kernel()) as session,
    ):
        assert session.kernel.untested_ipykernel
        assert session.run_cell(HARD_TO_DESCRIBE).status == "ok"
        result = session.run_cell("raise Hard")
        assert result.status == "error"
        assert "its __str__ raised ValueError" in result.outputs[-1].evalue
        result = session.run_cell("print('x' * 20_000_000)")
        assert result.status == "ok" and result.truncated
        result = session.run_cell("import os\nn = os.system('echo from another program')")
        assert printed(result) == "from another program\n"
        result = session.run_cell("raise ValueError('y' * 1_000_000)")
        assert result.status == "error" and len(repr(result.outputs)) < 50_000
        assert session.run_cell("await __import__('asyncio').sleep(0)").status == "ok"


def test_an_untested_ipykernel_is_said_of_the_submission(tmp_path, another_ipykernel):
    if refusal := sandbox.sandbox_available():
        pytest.skip(refusal)
    course = tmp_path / "course"
    create_assignment(course, STEM)
    notebook = tmp_path / "assignment.ipynb"
    nbformat.write(answered(), notebook)
    # A process has one fork server for a set of limits.
    config = "c = get_config()\nc.Autograder.cell_seconds = 77.0\n"
    (course / "nbgrader_config.py").write_text(config, encoding="utf-8")
    result = grade_one(course, STEM, notebook)
    assert result.status is Status.GRADED
    assert result.points == load_chapter(STEM).exercise(EXERCISE.id).points
    assert Flag.UNTESTED_IPYKERNEL in result.flags


def test_the_installed_ipykernel_is_tested(session):
    assert session.kernel.untested_ipykernel == ""
