"""A Jupyter kernel as the fork server makes it: it reports idle only after all output is sent."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from ipykernel.ipkernel import IPythonKernel
from ipykernel.zmqshell import ZMQInteractiveShell
from traitlets import Type

from .naming import keeps_name
from .output import ForkedOutStream


@keeps_name
class ForkedShell(ZMQInteractiveShell):
    """The shell of a `ForkedKernel`."""

    def ask_exit(self) -> None:
        """Do nothing: the kernel would stop a moment later, in the middle of another cell."""

    @contextlib.contextmanager
    def _tee(self, channel: str) -> Iterator[None]:
        # IPython keeps whatever a cell prints for a history that nobody reads.
        yield


@keeps_name
class ForkedKernel(IPythonKernel):
    """A kernel that sends what a cell has printed before it says that it is idle."""

    shell_class = Type(ForkedShell)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # A cell may put others in their places.
        streams = (sys.stdout, sys.stderr)
        self._streams = [one for one in streams if isinstance(one, ForkedOutStream)]

    @property
    def _supports_kernel_subshells(self) -> bool:
        return bool(self.shell_channel_thread)

    def _publish_status(
        self, status: str, channel: str, parent: dict[str, Any] | None = None
    ) -> None:
        if status == "idle" and channel == "shell":
            for stream in self._streams:
                stream.send_all()
        super()._publish_status(status, channel, parent)
