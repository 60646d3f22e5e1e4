"""The same kernels for whatever starts kernels by name: nbclient, Jupyter Book, stock nbgrader."""

import asyncio
import json
import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.provisioner_base import KernelProvisionerBase
from traitlets import Bool

from autograder.kernels.fork_server import ForkServer
from autograder.kernels.kernel import ForkServerError, Kernel
from autograder.kernels.limits import Limits


class ForkedKernelProvisioner(KernelProvisionerBase):
    """Starts the kernels of a kernelspec by forking; one fork server serves the hosting process.

    Without the sandbox a kernel honours the host's transport, working directory and
    environment; within it the transport is ipc and the other two are the sandbox's.
    """

    sandboxed = Bool(False, help="run the kernel as the autograder runs submissions").tag(
        config=True
    )

    _fork_servers: ClassVar[dict[tuple[int, bool], ForkServer]] = {}
    _fork_servers_lock = threading.Lock()
    _kernel: Kernel | None = None
    _code: int | None = None
    _directory: Path | None = None

    @classmethod
    def fork_server(cls, sandboxed: bool) -> ForkServer:
        """Return this process's fork server, made at the first call."""
        # A forked child of the host has no part in its parent's fork server.
        key = (os.getpid(), sandboxed)
        with cls._fork_servers_lock:
            if key not in cls._fork_servers:
                cls._fork_servers[key] = ForkServer(Limits() if sandboxed else None, sandboxed)
            return cls._fork_servers[key]

    @property
    def has_process(self) -> bool:
        return self._kernel is not None

    async def poll(self) -> int | None:
        if self._kernel is None:
            return self._code or 0
        ended = self._kernel.poll()
        return ended.code if ended else None

    async def wait(self) -> int | None:
        while self._kernel and not (ended := self._kernel.poll()):
            await asyncio.sleep(0.01)
        if self._kernel and ended:
            self._code = ended.code
            self._kernel.close()
            self._kernel = None
        return self._code

    async def send_signal(self, signum: int) -> None:
        if self._kernel and signum:
            self._kernel.signal(signum)

    async def kill(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGTERM)

    async def cleanup(self, restart: bool = False) -> None:
        if self._kernel:
            self._kernel.kill()
            await self.wait()

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        manager = self.parent
        assert manager is not None
        encryption = kwargs.pop("transport_encryption", None)
        if encryption == "required":
            raise ForkServerError("A forked kernel does not encrypt; ipc needs no cipher.")
        self._fork_server = self.fork_server(self.sandboxed)
        await asyncio.get_running_loop().run_in_executor(None, self._fork_server.start)
        if self.sandboxed or manager.transport == "ipc":
            if self._directory and self._directory.parent.exists():
                # A restart: the clients stay connected to the same names.
                self._directory.mkdir(mode=0o700, exist_ok=True)
            else:
                self._directory = self._fork_server.make_kernel_directory()
            manager.transport, manager.ip = "ipc", str(self._directory / "s")
            for number, name in enumerate(("shell", "iopub", "stdin", "control", "hb"), 1):
                setattr(manager, f"{name}_port", number)
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        return await super().pre_launch(cmd=[], **kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        start = partial(
            self._fork_server.start_kernel,
            cwd=kwargs.get("cwd"),
            env=kwargs.get("env"),
            connection=dict(self.connection_info),
            directory=self._directory,
        )
        self._kernel = await asyncio.get_running_loop().run_in_executor(None, start)
        return self.connection_info


def write_kernelspec(
    directory: str | Path, name: str = "forked-python", sandboxed: bool = False
) -> Path:
    """Write the kernelspec ``name`` below a data directory's ``kernels`` and return its folder.

    A host finds it when the data directory stands in its JUPYTER_PATH.
    """
    folder = Path(directory) / "kernels" / name
    folder.mkdir(parents=True, exist_ok=True)
    spec = {
        # For hosts without provisioners; those with them do not start it.
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3 (forked, sandboxed)" if sandboxed else "Python 3 (forked)",
        "interrupt_mode": "message",
        "language": "python",
        "metadata": {
            "kernel_provisioner": {
                "provisioner_name": "forked-python",
                "config": {"sandboxed": sandboxed},
            }
        },
    }
    (folder / "kernel.json").write_text(json.dumps(spec, indent=1) + "\n")
    return folder
