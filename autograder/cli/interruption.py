"""Ctrl-C, which must not get lost, and what a batch system sends in its place."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any


class Interruption:
    """Remembers Ctrl-C: Python drops the exception when it meets a destructor or a callback.

    SIGTERM, by which a batch system ends a job, is an interruption too.
    """

    came = False

    def __enter__(self) -> None:
        Interruption.came = False
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._unraisable
        # Who starts a run in the background may have had Ctrl-C ignored.
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        numbers = [signal.SIGTERM] if ignored else [signal.SIGTERM, signal.SIGINT]
        self._handlers = {number: signal.signal(number, self._interrupt) for number in numbers}

    def __exit__(self, *error: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = self._hook

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        Interruption.came = True
        raise KeyboardInterrupt

    def _unraisable(self, dropped: Any) -> None:
        if dropped.exc_type is not KeyboardInterrupt:
            self._hook(dropped)
