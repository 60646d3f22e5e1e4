"""The system calls that a submission may not make, as a filter of seccomp.

A filter is a small program in the language of the Berkeley Packet Filter (BPF). Linux runs it
before each system call, and its answer decides what becomes of the call.
"""

import ctypes
import errno
import fcntl
import platform
import socket
import struct
from collections.abc import Sequence
from typing import NamedTuple

from . import linux
from .linux import PR_SET_SECCOMP, SECCOMP_MODE_FILTER, call

# By machine: how seccomp names it, and its numbers of shmget, shmat, semget, msgget, mq_open,
# add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, io_uring_setup, memfd_create,
# memfd_secret, inotify_init1, fanotify_init and, where there is one, inotify_init.
BLOCKED_SYSCALLS = {
    "x86_64": (
        0xC000003E,
        (29, 30, 64, 68, 240, 248, 249, 250, 298, 321, 323, 425, 319, 447, 294, 300, 253),
    ),
    "aarch64": (
        0xC00000B7,
        (194, 196, 190, 186, 180, 217, 218, 219, 241, 280, 282, 425, 279, 447, 26, 262),
    ),
}
# What makes sockets: socket and socketpair.
SOCKET = {"x86_64": (41, 53), "aarch64": (198, 199)}
# A network namespace keeps these to itself. Ports of virtual machines (AF_VSOCK) it does not.
FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
SETSOCKOPT = {"x86_64": 54, "aarch64": 208}
FLOCK = {"x86_64": 73, "aarch64": 32}
FCNTL = {"x86_64": 72, "aarch64": 25}
# What makes namespaces or enters them: unshare, setns and clone3, whose flags a filter cannot see
# and without which the C library uses clone.
NAMESPACE_SYSCALLS = {"x86_64": (272, 308, 435), "aarch64": (97, 268, 435)}
CLONE = {"x86_64": 56, "aarch64": 220}
NEW_NAMESPACES = (
    linux.CLONE_NEWNS
    | linux.CLONE_NEWCGROUP
    | linux.CLONE_NEWUTS
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWUSER
    | linux.CLONE_NEWPID
    | linux.CLONE_NEWNET
)
# From here on the numbers are those of another calling convention, x32.
FIRST_OF_X32 = 0x40000000

# Where a filter finds what it decides on: fields of `struct seccomp_data`, in bytes.
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT, THIRD_ARGUMENT = 0, 4, 16, 24, 32
ALLOW = 0x7FFF0000
RETURN_ZERO = 0x00050000
RETURN_NO_SUCH_CALL = RETURN_ZERO | errno.ENOSYS
RETURN_NO_SUCH_FAMILY = RETURN_ZERO | errno.EAFNOSUPPORT
LOAD, EQUAL, AT_LEAST, ANY_BIT_OF, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06


class Instruction(NamedTuple):
    """One step of a filter.

    A comparison goes on at the label ``yes`` or at the label ``no``; None is the next step.
    """

    code: int
    operand: int
    yes: str | None = None
    no: str | None = None


def block_system_calls() -> None:
    """Take away, for good, what reaches past the namespaces or holds memory that nobody owns.

    Keyrings belong to the user and the session that started us, and pass from one submission to
    the next; memory of System V may lie detached, and files without a name may travel in sockets
    while no process has them open. Python's own files are the same ones for all submissions: who
    locks one, or watches who opens it, sends and receives. In a user namespace of its own a process
    has capabilities again. The others are large pieces of the kernel for which no exercise has a
    use. Sockets are those that a network namespace divides, and keep the buffers of usual size,
    whatever is asked for; locks on files, which nobody shares with a submission, are granted and
    not made.
    """
    code = assembled(filter_program(platform.machine()))
    held = ctypes.create_string_buffer(code, len(code))
    length = len(code) // struct.calcsize("HBBI")
    program = struct.pack("HL", length, ctypes.addressof(held))
    call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.create_string_buffer(program), 0, 0)


def filter_program(machine: str) -> list[Instruction | str]:
    """Return the filter for a kind of machine: instructions, and texts as labels between them."""
    architecture, blocked = BLOCKED_SYSCALLS[machine]
    granted = (fcntl.F_SETLK, fcntl.F_SETLKW, fcntl.F_OFD_SETLK, fcntl.F_OFD_SETLKW)
    refused_calls = (*blocked, *NAMESPACE_SYSCALLS[machine])
    refused = (fcntl.F_SETLEASE, fcntl.F_NOTIFY)
    return [
        Instruction(LOAD, ARCHITECTURE),
        Instruction(EQUAL, architecture, no="refuse"),
        Instruction(LOAD, NUMBER),
        Instruction(AT_LEAST, FIRST_OF_X32, yes="refuse"),
        Instruction(EQUAL, FLOCK[machine], yes="pretend"),
        *(Instruction(EQUAL, number, yes="socket") for number in SOCKET[machine]),
        Instruction(EQUAL, SETSOCKOPT[machine], yes="setsockopt"),
        Instruction(EQUAL, FCNTL[machine], yes="fcntl"),
        Instruction(EQUAL, CLONE[machine], yes="clone"),
        *(Instruction(EQUAL, number, yes="refuse") for number in refused_calls),
        Instruction(ANSWER, ALLOW),
        "socket",
        Instruction(LOAD, FIRST_ARGUMENT),
        *(Instruction(EQUAL, family, yes="allow") for family in FAMILIES),
        Instruction(ANSWER, RETURN_NO_SUCH_FAMILY),
        "setsockopt",
        Instruction(LOAD, SECOND_ARGUMENT),
        Instruction(EQUAL, socket.SOL_SOCKET, no="allow"),
        Instruction(LOAD, THIRD_ARGUMENT),
        Instruction(EQUAL, socket.SO_SNDBUF, yes="pretend"),
        Instruction(EQUAL, socket.SO_RCVBUF, yes="pretend", no="allow"),
        "fcntl",
        Instruction(LOAD, SECOND_ARGUMENT),
        *(Instruction(EQUAL, command, yes="pretend") for command in granted),
        *(Instruction(EQUAL, command, yes="refuse") for command in refused),
        Instruction(ANSWER, ALLOW),
        "clone",
        Instruction(LOAD, FIRST_ARGUMENT),
        Instruction(ANY_BIT_OF, NEW_NAMESPACES, yes="refuse"),
        "allow",
        Instruction(ANSWER, ALLOW),
        "pretend",
        Instruction(ANSWER, RETURN_ZERO),
        "refuse",
        Instruction(ANSWER, RETURN_NO_SUCH_CALL),
    ]


def assembled(program: Sequence[Instruction | str]) -> bytes:
    """Return a filter as Linux reads it, where each jump is a number of steps to skip."""
    labels: dict[str, int] = {}
    instructions: list[Instruction] = []
    for step in program:
        if isinstance(step, str):
            labels[step] = len(instructions)
        else:
            instructions.append(step)

    def skipped(place: int, label: str | None) -> int:
        return labels[label] - place - 1 if label else 0

    return b"".join(
        struct.pack("HBBI", code, skipped(place, yes), skipped(place, no), operand)
        for place, (code, operand, yes, no) in enumerate(instructions)
    )
