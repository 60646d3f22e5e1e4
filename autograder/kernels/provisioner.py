"""The same kernels for whatever starts kernels by name: nbclient, Jupyter Book, stock nbgrader."""

import asyncio
import json
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.provisioner_base import KernelProvisionerBase

from autograder.kernels.fork_server_cache import fork_server
from autograder.kernels.kernel import ForkServerError, Kernel


class ForkedKernelProvisioner(KernelProvisionerBase):
    """Starts the kernels of a kernelspec by forking; one fork server serves the hosting process.

    There is no sandbox: the kernels are for our own pages.
    """

    _kernel: Kernel | None = None
    _code: int | None = None

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
        self._fork_server = fork_server(None, sandboxed=False)
        await asyncio.get_running_loop().run_in_executor(None, self._fork_server.start)
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        return await super().pre_launch(cmd=[], **kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        start = partial(
            self._fork_server.start_kernel,
            cwd=kwargs.get("cwd"),
            env=kwargs.get("env"),
            connection=dict(self.connection_info),
        )
        self._kernel = await asyncio.get_running_loop().run_in_executor(None, start)
        return self.connection_info


def write_kernelspec(directory: str | Path, name: str) -> Path:
    """Write the kernelspec ``name`` below a data directory's ``kernels`` and return its folder.

    A host finds it when the data directory stands in its JUPYTER_PATH.
    """
    folder = Path(directory) / "kernels" / name
    folder.mkdir(parents=True, exist_ok=True)
    spec = {
        # For hosts without provisioners; those with them do not start it.
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3 (forked)",
        "interrupt_mode": "message",
        "language": "python",
        "metadata": {"kernel_provisioner": {"provisioner_name": "forked-python"}},
    }
    (folder / "kernel.json").write_text(json.dumps(spec, indent=1) + "\n")
    return folder
