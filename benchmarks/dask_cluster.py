"""A dask scheduler and two workers as on other machines: each is a process of its own."""

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

# What the scheduler, and then the workers, may take to start on a busy machine.
SECONDS_TO_START = 60.0


@contextlib.contextmanager
def dask_cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler on TCP and two workers; yield its address and the workers' processes."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        file = Path(folder) / "scheduler.json"

        def start(*program: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", *program, "--no-dashboard", "--scheduler-file", file]
            process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL))
            stack.callback(process.kill)
            return process

        start("distributed.cli.dask_scheduler", "--port", "0", "--host", "127.0.0.1")
        address = address_in(file)
        worker = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny")
        workers = [start(*worker) for _ in range(2)]
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=SECONDS_TO_START)
        yield address, workers


def address_in(file: Path) -> str:
    """Return the address that a scheduler writes into a file; TimeoutError when it does not."""
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        try:
            return str(json.loads(file.read_text())["address"])
        except (FileNotFoundError, ValueError):  # not there yet, or half written
            time.sleep(0.1)
    raise TimeoutError(f"the scheduler wrote no address within {SECONDS_TO_START:g} seconds")
