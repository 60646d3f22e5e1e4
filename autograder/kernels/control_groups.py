"""Control groups of Linux (cgroup v2): the kernel's own bound on what a submission holds together.

All memory is counted there, also what no process owns, such as what waits in sockets. They can be
had where this process's own group is handed to it: below ``systemd-run --scope -p Delegate=yes``,
in some batch systems, for root in a container whose groups may be written.
"""

import contextlib
import errno
import os
import time
from pathlib import Path

from autograder.kernels.limits import Limits

NEEDED = {"memory", "pids"}
# Linux allows no processes in a group that delegates controllers, so those of the group itself are
# moved into this one.
OURS = "autograder"
SUBMISSION = "submission-"
ATTEMPTS = 10
SECONDS_TO_END = 1.0
# Beside those that the student's user ID is counted for.
OUR_PROCESSES = 2


class ControlGroups:
    """A folder in which groups for submissions can be made; ``find`` returns it, or None."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: list[Path] = []

    @classmethod
    def find(cls) -> "ControlGroups | None":
        """Return what this process may use, None where control groups cannot be had."""
        own = _own_group()
        if own is None:
            return None
        folder = own.parent if own.name == OURS else own
        try:
            if not _is_handed_to_us(folder):
                return None
            _hand_on(folder)
        except OSError:
            return None
        return cls(folder)

    def make(self, name: str, limits: Limits) -> "ControlGroup | None":
        """Return a new `ControlGroup` with a submission's limits, None where that is refused."""
        self._made = [path for path in self._made if not _is_removed(path)]
        try:
            group = ControlGroup(self._folder / f"{SUBMISSION}{name}", limits)
        except OSError:  # as many as may be, for one; the report says how memory was bounded
            return None
        self._made.append(group.path)
        return group

    def remove(self) -> None:
        """Remove all groups of submissions, which have ended or are about to."""
        deadline = time.monotonic() + SECONDS_TO_END
        left = list(self._folder.glob(f"{SUBMISSION}*"))
        while left and time.monotonic() < deadline:
            left = [path for path in left if not _is_removed(path)]
            time.sleep(0.01 if left else 0)


class ControlGroup:
    """The group of one kernel; ``entrance`` is a file to which a process writes 0 to enter."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path = path
        path.mkdir(exist_ok=True)
        # Files in the private file system are memory, too.
        size = (limits.memory_mb + limits.disk_mb) << 20
        settings = {
            "memory.max": size,
            "memory.swap.max": 0,
            "memory.oom.group": 1,
            "pids.max": limits.processes + OUR_PROCESSES,
        }
        for name, value in settings.items():
            if (path / name).exists():  # there is none for swap where Linux was built without
                (path / name).write_text(str(value))
        self.entrance = open(path / "cgroup.procs", "w")

    def ran_out_of_memory(self) -> bool:
        """Return whether Linux has ended its processes because they held too much."""
        try:
            lines = (self.path / "memory.events").read_text().splitlines()
        except OSError:  # another process has removed the group, whose processes have all ended
            return False
        events: dict[str, str] = dict(line.split() for line in lines)
        return int(events["oom_kill"]) > 0


def _is_removed(path: Path) -> bool:
    try:
        path.rmdir()
    except FileNotFoundError:
        return True
    except OSError:  # a process in it has not ended
        return False
    return True


def _own_group() -> Path | None:
    """Return the folder of this process's group, None without a file system of groups."""
    with open("/proc/self/mountinfo") as file:
        mounts = [line.split(" - ") for line in file]
    places = [before.split()[3:5] for before, after in mounts if after.split()[0] == "cgroup2"]
    with open("/proc/self/cgroup") as file:
        groups = [line.strip().removeprefix("0::") for line in file if line.startswith("0::")]
    if not places or not groups:
        return None
    root, place = places[0]
    below = os.path.relpath(groups[0], root)
    return None if below.startswith("..") else Path(place) / below


def _is_handed_to_us(folder: Path) -> bool:
    """Return whether whoever manages the groups of this machine leaves this one to us."""
    if os.geteuid():
        return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)
    # To root everything is open. systemd marks what it hands over; without it the root is ours.
    with contextlib.suppress(OSError):
        return os.getxattr(folder, "trusted.delegate") == b"1"
    return os.path.ismount(folder)


def _hand_on(folder: Path) -> None:
    """Let groups in a folder have controllers; raise OSError where that cannot be."""
    if not NEEDED <= set((folder / "cgroup.controllers").read_text().split()):
        raise OSError(errno.ENOENT, f"{folder} has no controllers to hand on")
    control, ours = folder / "cgroup.subtree_control", folder / OURS
    for _ in range(ATTEMPTS):
        if NEEDED <= set(control.read_text().split()):
            return
        try:
            control.write_text("+memory +pids")
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
        ours.mkdir(exist_ok=True)
        for process in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                (ours / "cgroup.procs").write_text(process)
    raise OSError(errno.EBUSY, f"{folder} gets new processes all the time")
