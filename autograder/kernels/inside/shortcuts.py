"""What only saves time, and knows private parts of ipykernel: for the tested version alone."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import ipykernel.ipkernel
from ipykernel._version import __version__, version_info

# The version of ipykernel that our subclasses of its classes were tested with.
TESTED_IPYKERNEL = 7
IS_TESTED = version_info[0] == TESTED_IPYKERNEL
# The version, "" where it is tested.
UNTESTED_VERSION = "" if IS_TESTED else __version__


class NoShellChannelThread:
    """Takes the place of the thread in which ipykernel reads requests; it is false, like None.

    For a cell that awaits, ipykernel asks it for the thread that runs cells.
    """

    def __init__(self) -> None:
        self.parent_thread = threading.current_thread()

    def __bool__(self) -> bool:
        return False


class _NoModules(ModuleType):
    """Stands for `sys` with nothing imported."""

    modules: dict[str, ModuleType] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(sys, name)


@contextlib.contextmanager
def no_modules_for_the_debugger() -> Iterator[None]:
    """Let ipykernel make a kernel without asking every module for its file.

    It does so for its debugger, which is not there. To touch so many objects copies their pages:
    about 50 of the 200 milliseconds in which a kernel starts on two busy cores.
    """
    names = vars(ipykernel.ipkernel)
    names["sys"] = _NoModules("sys")
    try:
        yield
    finally:
        names["sys"] = sys
