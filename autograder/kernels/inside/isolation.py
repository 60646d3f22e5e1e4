"""The isolation of a submission: namespaces, a file system of its own, limits, no privileges."""

import fcntl
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import linux
from .linux import LIBC, call, mount, prctl, write
from .paths import HOME, KERNEL_DIR, RUN_DIR
from .system_calls import block_system_calls

STUDENT_UID = 1000
OPEN_FILES = 65536
# What a connection of TCP may hold: least, usual, most bytes.
TCP_BUFFER = "4096 131072 212992"


def uncover_proc() -> None:
    """Take away what bubblewrap laid over parts of /proc.

    The kernel lets a submission have a /proc of its own only where the one it comes from is
    whole. Where the covers are not ours (in some containers), `confine` does without.
    """
    with open("/proc/self/mountinfo") as file:
        places = [line.split()[4] for line in file]
    for place in places:
        if place.startswith("/proc/"):
            LIBC.umount2(place.encode(), linux.MNT_DETACH)


def fork_isolated(user: int, group: Sequence[int]) -> int | None:
    """Fork into new namespaces as ``user``; return the pid, 0 in the child, None when refused.

    ``group`` holds the file by which one enters a control group, if there is one. An OSError says
    that there are no more processes or files to be had.

    Entering a PID namespace takes a process in between: it makes the namespaces, forks the
    namespace's first process and is gone.
    """
    reader, writer = os.pipe()
    try:
        between = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        raise
    if between:
        os.close(writer)
        number = os.read(reader, 32)
        os.close(reader)
        os.waitpid(between, 0)
        return int(number) if number else None
    os.close(reader)
    try:
        for entrance in group:
            os.write(entrance, b"0")
            os.close(entrance)
        unshare(user, linux.CLONE_NEWCGROUP if group else 0)
        pid = os.fork()
    except OSError as error:
        print(f"a kernel could not be isolated: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    if pid:
        os.write(writer, str(pid).encode())
        os._exit(0)
    os.close(writer)
    return 0


def unshare(user: int, more: int = 0) -> None:
    """Enter new namespaces, ``more`` of them too, as ``user``, there the ordinary user 1000."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        prctl(linux.PR_SET_DUMPABLE, 1)  # or /proc/self would still belong to root
    group = os.getegid()
    flags = linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWPID
    flags |= linux.CLONE_NEWIPC | linux.CLONE_NEWNET | linux.CLONE_NEWUTS
    call("unshare", flags | more)
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{STUDENT_UID} {user} 1")
    write("/proc/self/gid_map", f"{STUDENT_UID} {group} 1")
    mount(None, "/", None, linux.MS_REC | linux.MS_PRIVATE)


def confine(directory: str, limits: Mapping[str, Any], shown: Sequence[str]) -> None:
    """Build the private file system of a submission.

    ``directory`` is the name of the one for its sockets, and ``shown`` the directories of Python
    and of `coursekit`.
    """
    # Everything is built in one small file system and then put in its places.
    size = f"size={limits['disk_mb']}m,nr_inodes={limits['files']},mode=755"
    mount("tmpfs", "/mnt", "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, size)
    for name, mode in (("home", 0o755), ("tmp", 0o1777), ("shm", 0o1777), ("proc", 0o555)):
        os.mkdir(f"/mnt/{name}")
        os.chmod(f"/mnt/{name}", mode)
    for name, place in (("home", HOME), ("tmp", "/tmp"), ("shm", "/dev/shm")):
        for path in shown:
            if path.startswith(f"{place}/"):  # Python itself lies here
                again = f"/mnt/{name}{path.removeprefix(place)}"
                os.makedirs(again, exist_ok=True)
                mount(path, again, None, linux.MS_BIND | linux.MS_REC)
        mount(f"/mnt/{name}", place, None, linux.MS_BIND | linux.MS_REC)
    mount(f"{RUN_DIR}/{directory}", KERNEL_DIR, None, linux.MS_BIND)
    mount("tmpfs", RUN_DIR, "tmpfs", linux.MS_RDONLY | linux.MS_NOSUID | linux.MS_NODEV, "size=4k")
    try:
        mount("proc", "/proc", "proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)
    except PermissionError:
        # In a container with a partly covered /proc there is no fresh one. Show what libraries
        # read to learn the machine and no process at all; TensorFlow aborts where it cannot read
        # the names of its own program.
        os.mkdir("/mnt/proc/self")
        os.symlink(os.path.realpath(sys.executable), "/mnt/proc/self/exe")
        write("/mnt/proc/self/cmdline", "\0".join([sys.executable, *sys.argv, ""]))
        for name in ("cpuinfo", "filesystems", "meminfo", "stat"):
            write(f"/mnt/proc/{name}", "")
            mount(f"/proc/{name}", f"/mnt/proc/{name}", None, linux.MS_BIND)
        mount("/mnt/proc", "/proc", None, linux.MS_BIND | linux.MS_REC)
    else:
        # No namespaces inside: the student has no use for them and kernels have had holes. Without
        # a fresh /proc, `block_system_calls` alone sees to that.
        write("/proc/sys/user/max_user_namespaces", "0")
        # What waits in sockets is nobody's memory; the accounting takes them to hold so much.
        for name in ("tcp_rmem", "tcp_wmem"):
            write(f"/proc/sys/net/ipv4/{name}", TCP_BUFFER)
    # Terminals of its own, and not all that the machine has.
    flags = linux.MS_NOSUID | linux.MS_NOEXEC
    mount("devpts", "/dev/pts", "devpts", flags, "mode=620,ptmxmode=666,max=64")
    call("umount2", b"/mnt", linux.MNT_DETACH)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as interface:
        up = struct.pack("16sh", b"lo", linux.IFF_UP) + bytes(22)
        fcntl.ioctl(interface, linux.SIOCSIFFLAGS, up)
    call("sethostname", b"jupyter", 7)


def drop_capabilities() -> None:
    """Give up all capabilities, and the system calls of `block_system_calls`, for good."""
    prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    capability = 0
    while LIBC.prctl(linux.PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    version3 = struct.pack("Ii", 0x20080522, 0)
    call("capset", version3, bytes(24))
    block_system_calls()


def make_mount_read_only(path: str) -> None:
    """Make a mounted folder of the host read-only; the kernel has made its sockets in it.

    What lies there has no limit of size or number and would have to be removed by us.
    """
    held = os.statvfs(path).f_flag
    times = sum(flag for seen, flag in linux.TIMES.items() if held & seen)
    kept = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC | times
    mount(None, path, None, linux.MS_BIND | linux.MS_REMOUNT | linux.MS_RDONLY | kept)


def watch_as_init(status: int) -> socket.socket:
    """Fork the kernel and stay as the namespace's init; return in the kernel alone.

    The namespace's first process cannot be killed from inside, collects what others leave
    behind, and takes every process of the submission with it when it ends. What it returns is
    a socket: when the kernel has bound its own it says so there, and waits for the answer.
    """
    prctl(linux.PR_SET_DUMPABLE, 0)  # the student may not look into this process
    bound, theirs = socket.socketpair()
    kernel = os.fork()
    if kernel == 0:
        drop_capabilities()
        prctl(linux.PR_SET_DUMPABLE, 1)
        os.close(status)
        bound.close()
        return theirs
    theirs.close()
    if bound.recv(1):
        make_mount_read_only(KERNEL_DIR)
        bound.sendall(b"+")
    drop_capabilities()
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


def limit_resources(
    limits: Mapping[str, Any], sandboxed: bool, memory: tuple[int, int] | None
) -> None:
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


def probe() -> None:
    """Enter the namespaces of a submission; raise the operating system's refusal."""
    unshare(os.geteuid() or 1 << 30)
