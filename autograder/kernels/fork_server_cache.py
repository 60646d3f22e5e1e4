"""The fork servers that a process has started, kept for the kernels to come."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from autograder.kernels.fork_server import MODULES, ForkServer
from autograder.kernels.limits import Limits

# A worker that lives on behind a scheduler gets one assignment after another, and each fork server
# holds what its assignment imports, which may be a third of a gigabyte.
FORK_SERVERS_KEPT = 3
_fork_servers: dict[tuple[object, ...], ForkServer] = {}  # the one used last is at the end
_lock = threading.Lock()


def fork_server(
    limits: Limits | None,
    sandboxed: bool,
    modules: Sequence[str] = MODULES,
    shared_directory: Path | None = None,
) -> ForkServer:
    """Return this process's `ForkServer` with these arguments, and close those used longest ago.

    Unless shared, it starts with the first kernel.
    """
    arguments = limits, sandboxed, tuple(modules), shared_directory
    # A process that this one has forked has no part in what it has started.
    key = os.getpid(), *arguments
    with _lock:
        server = _fork_servers.pop(key) if key in _fork_servers else ForkServer(*arguments)
        _fork_servers[key] = server
        if len(_fork_servers) > FORK_SERVERS_KEPT:
            _fork_servers.pop(next(iter(_fork_servers))).close()
    return server
