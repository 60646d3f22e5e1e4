"""How many of the machine's cores there are for this process."""

import os


def available_cores() -> int:
    """Return how many cores this process may use.

    A batch system such as Slurm gives a job some of the machine's cores; `os.cpu_count` counts all.
    """
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
