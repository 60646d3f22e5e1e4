"""The limits of a submission."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """What one submission may use, as far as an instructor may want to change it.

    A course folder's ``nbgrader_config.py`` sets other values: ``c.Autograder.memory_mb = 8192``.
    """

    cell_seconds: float = 120.0
    """Wall-clock seconds of one cell; generous, because a correct answer may meet a busy machine.
    """
    call_seconds: float = 60.0
    """Wall-clock seconds of one call that a check makes, where the check names no time itself.

    A right answer may import TensorFlow in its first call, half a minute on a busy machine.
    """
    submission_seconds: float = 600.0
    """Wall-clock seconds of one submission, all its cells and checks together."""
    interrupt_seconds: float = 3.0
    """Seconds a cell has to end after its interrupt before its kernel is killed."""
    memory_mb: int = 4096
    """MiB of private memory beyond what the fork server already holds."""
    processes: int = 256
    """Processes and threads together, of which the idle kernel takes about fifteen."""
    output_bytes: int = 1_000_000
    """Bytes kept of the outputs of one cell; the rest is dropped and a line says so."""
    submission_output_bytes: int = 10_000_000
    """Bytes kept of the outputs of all cells of a submission together."""
    message_bytes: int = 8_000_000
    """Bytes of one output message; a longer one breaks the connection and is lost."""
    reply_bytes: int = 32_000_000
    """Bytes of one reply or evaluated value; a longer one is lost and reported as "output"."""
    disk_mb: int = 256
    """MiB of the private file system that is /tmp, /dev/shm and the home directory; also the
    largest file."""
    files: int = 20_000
    """Files and folders in that file system."""
    open_files: int = 1024
    """Open file descriptors of one process."""
    threads: int = 1
    """Threads of one TensorFlow or BLAS operation. Several submissions share the machine, and
    the sums of one thread have one order: the same bytes get the same score."""

    def as_dict(self) -> dict[str, Any]:
        """Return the limits as plain data."""
        return asdict(self)
