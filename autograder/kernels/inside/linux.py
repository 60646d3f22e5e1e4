"""Calls of Linux for which Python has no functions, and their numbers."""

import ctypes
import os
import sys
from typing import Any

LINUX = sys.platform.startswith("linux")

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
SIOCSIFFLAGS, IFF_UP = 0x8914, 1

LIBC = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: Any) -> None:
    """Call a function of the C library; raise OSError when it returns a negative number."""
    if getattr(LIBC, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process."""
    call("prctl", option, int(value), 0, 0, 0)


def mount(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    """Mount a file system of a kind, or a folder again; raise OSError that names the target."""
    encoded = [text and text.encode() for text in (source, target, kind)]
    try:
        call("mount", *encoded, ctypes.c_ulong(flags), data and data.encode())
    except OSError as error:
        number = error.errno or 0
        raise OSError(number, f"mount {target}: {os.strerror(number)}") from None


def write(path: str, text: str) -> None:
    """Write a file, which in /proc sets a property of this process or of its namespaces."""
    with open(path, "w") as file:
        file.write(text)
