"""The streams that take the place of a kernel's standard output and standard error."""

import os
import select
import sys
import threading
from typing import Any

from ipykernel.iostream import OutStream

from .errors import describe_error
from .naming import keeps_name
from .shortcuts import IS_TESTED

# More than the pipe from a kernel's other programs holds.
PIPE_BYTES = 1 << 17
UNSENT = "\n[an output of this cell was dropped: it could not be sent ({})]\n"


@keeps_name
class ForkedOutStream(OutStream):
    """A stream from which all that a cell has printed can be sent before the cell is done."""

    # What is about to be sent is no longer in the buffers.
    _is_sending = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # The thread that `OutStream` starts needs it at once.
        self._pipe_lock = threading.Lock()
        super().__init__(*args, **kwargs)

    def send_all(self) -> None:
        """Send what has been printed until now, by other programs as well."""
        if self._fid is not None:
            self._take_from_pipe(self._fid)
            self.flush()

    def flush(self) -> None:
        """Have everything sent.

        ipykernel calls it four times a message, and waits each time for another thread, which is a
        quarter of what a call of a check takes. Where nothing is there to be sent nobody waits.
        """
        if not IS_TESTED or self._buffers or self._is_sending:
            super().flush()

    def _flush(self) -> None:
        self._is_sending = True
        try:
            super()._flush()
        except Exception as error:
            # Nobody hears of it in the thread that sends, and what waits there would wait longer.
            content = {"name": "stderr", "text": UNSENT.format(describe_error(error)[0])}
            self.session.send(
                self.pub_thread, "stream", content, self.parent_header, ident=b"stream.stderr"
            )
        finally:
            self._is_sending = False

    def _take_from_pipe(self, pipe: int) -> bool:
        """Write what the pipe holds now; return whether there is more to come."""
        with self._pipe_lock:  # whoever comes later finds it written
            if not _is_readable(pipe, 0):
                return True
            data = os.read(pipe, PIPE_BYTES)
            self.write(data.decode(errors="replace"))
            return bool(data)

    def _watch_pipe_fd(self) -> None:
        # ipykernel's own passes it on to the descriptor that was there before, which is /dev/null.
        try:
            while self._should_watch and self._fid is not None and _is_readable(self._fid):
                if not self._take_from_pipe(self._fid):
                    return
        except Exception:
            self._exc = sys.exc_info()  # where ipykernel looks for it


@keeps_name
class BoundedOutStream(ForkedOutStream):
    """A stream that holds at most ``max_held`` characters, and one to show that there were more.

    What the grader would drop takes the kernel's memory, several times over, to be sent.
    """

    max_held = 0

    def write(self, string: str) -> int | None:  # type: ignore[override]
        with self._buffer_lock:
            held = sum(buffer.tell() for buffer in self._buffers.values())
        if isinstance(string, str) and held + len(string) > self.max_held:
            super().write(string[: max(0, self.max_held + 1 - held)])
            return len(string)
        return super().write(string)


def _is_readable(descriptor: int, milliseconds: int | None = None) -> bool:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(milliseconds))
