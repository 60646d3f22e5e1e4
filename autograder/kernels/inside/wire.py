"""What passes between a fork server and whoever asks it for kernels, one line of JSON each."""

import json
import socket
from typing import Any, TypedDict

# Jupyter's names for the sockets of a kernel; over ipc they are numbered in this order.
CHANNELS = ("shell", "iopub", "stdin", "control", "hb")


class Settings(TypedDict):
    """What the owner of a fork server sends first.

    ``limits`` has the fields of `Limits`, and is None for our own pages. ``shown`` are the
    directories of Python and of `coursekit`, which a submission sees.
    """

    limits: dict[str, Any] | None
    modules: list[str]
    used_first: dict[str, list[str]]
    sandboxed: bool
    shown: list[str]


class Request(TypedDict):
    """What a kernel is to be.

    ``connection`` is Jupyter's connection information without its key, and ``path`` the directory
    of its sockets, whose name is ``directory``. Working directory and environment are None in the
    sandbox.
    """

    connection: dict[str, Any]
    cwd: str | None
    directory: str
    environment: dict[str, str] | None
    path: str
    user: int


def receive_request(control: socket.socket) -> tuple[Request, int, list[int]]:
    """Return the request on a new connection, and the files that came with it.

    The first is a pipe with the key of the connection. Only the kernel itself reads it: what the
    fork server had read would be in the memory of every kernel that it forks later. Behind it comes
    the entrance of a control group, if there is one.
    """
    received, files = b"", []
    while not received.endswith(b"\n"):
        part, more, _, _ = socket.recv_fds(control, 65536, 2)
        if not part:
            raise ValueError("the connection ended")
        received += part
        files += more
    request: Request = json.loads(received)
    key, *group = files
    return request, key, group


def send_event(control: socket.socket, **event: Any) -> None:
    """Send an event about a kernel."""
    try:
        control.sendall(json.dumps(event).encode() + b"\n")
    except (BrokenPipeError, ConnectionResetError):
        pass  # nobody listens any more; the closed connection kills the kernel
