"""A bounded client for an untrusted kernel.

The student's code rules the process at the other end: what comes back may be forged, endless or
missing. `Session` gives untrusted text of bounded size, in bounded time, and says what happened.
"""

import math
import time
from enum import Enum, auto
from typing import Any

import psutil
import zmq
from jupyter_client.session import Session as Messages
from zmq.utils.monitor import recv_monitor_message

from autograder.kernels.cell_result import CellResult, CellStatus, CollectedOutputs
from autograder.kernels.kernel import Kernel
from autograder.kernels.messages import read_message
from autograder.untrusted import dict_of
from coursekit.checks.serve import MIME_TYPE

# After the reply the outputs still under way get this long, from one to the next and in all.
SECONDS_FOR_STRAGGLERS = 1.0
SECONDS_FOR_ALL_STRAGGLERS = 3.0
SECONDS_AFTER_LOSS = 0.2
# From the moment that a dying kernel's sockets close until the news of its death is here.
SECONDS_TO_DIE = 0.5
# A connection to a kernel whose sockets are there takes a millisecond, however busy it is.
SECONDS_TO_CONNECT = 2.0
MESSAGES_HELD = 16
# ZeroMQ bounds the parts of a message, not their number, and shows none before the last is here.
# What a session adds to this process may be that, or what checks import; this is far beyond both.
BYTES_HELD = 2 << 30
SECONDS_BETWEEN_MEMORY_CHECKS = 0.25


class _Reply(Enum):
    """What came of waiting for the reply to a request."""

    RECEIVED = auto()
    TIMEOUT = auto()
    DIED = auto()
    TOO_LONG = auto()
    ENDLESS = auto()


class EvaluationError(RuntimeError):
    """An expression did not give a string: ``status`` as of a `CellResult`, and a message."""

    def __init__(self, status: CellStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class Session:
    """Runs cells and evaluates expressions in a `Kernel`; close it to kill the kernel.

    The sockets refuse messages longer than `Limits.message_bytes` and `Limits.reply_bytes`
    (ZMQ_MAXMSGSIZE): the message is lost, the connection breaks, and a new one is made. At
    most `MESSAGES_HELD` messages wait to be read; a kernel that goes on sending drops its own.
    One that sends a message without end is killed when this process has grown by `BYTES_HELD`.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.limits = kernel.limits
        self._messages = Messages(
            key=kernel.connection["key"].encode(),
            signature_scheme=kernel.connection["signature_scheme"],
            username="jovyan",
        )
        self._process = psutil.Process()
        self._bytes_before = self._process.memory_info().rss
        self._memory_checked = time.monotonic()
        self._context = zmq.Context()
        self._poller = zmq.Poller()
        self._poller.register(kernel.fileno(), zmq.POLLIN)
        self._shell = self._channel(zmq.DEALER, "shell", self.limits.reply_bytes)
        self._iopub = self._channel(zmq.SUB, "iopub", self.limits.message_bytes)
        self._await_welcome()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """Whether the kernel runs."""
        return self.kernel.poll() is None

    def run_cell(
        self, code: str, seconds: float | None = None, max_output_bytes: int | None = None
    ) -> CellResult:
        """Execute a cell within ``seconds`` (`Limits.cell_seconds`); return its `CellResult`.

        Of its outputs ``max_output_bytes`` are kept (`Limits.output_bytes`).
        A cell that is not done is interrupted, and its kernel killed if it is not done
        `Limits.interrupt_seconds` later; the status is "timeout" in both cases.
        """
        seconds = self.limits.cell_seconds if seconds is None else seconds
        if max_output_bytes is None:
            max_output_bytes = self.limits.output_bytes
        collected = CollectedOutputs(self.limits, max_output_bytes)
        begun = time.monotonic()
        reply, content = self._execute(collected, seconds, code=code, store_history=True)
        if reply is _Reply.DIED:
            # A kernel that dies breaks its connections, too; no message was too long for that.
            collected.lost = False
        status, _ = self._judge(reply, content)
        return CellResult(
            status=status,
            outputs=collected.finished(),
            seconds=time.monotonic() - begun,
            alive=self.alive,
            truncated=collected.truncated,
            output_bytes=collected.output_bytes,
        )

    def evaluate(self, expression: str, seconds: float | None = None) -> str:
        """Return the text that ``expression``, which must give a str, has in the kernel.

        Raises EvaluationError: an exception there, not a string, too long, out of time, dead.
        """
        seconds = self.limits.cell_seconds if seconds is None else seconds
        as_text = f"__import__('coursekit.checks.serve', fromlist=['x']).AsText({expression})"
        reply, content = self._execute(
            None, seconds, code="", silent=True, user_expressions={"value": as_text}
        )
        if reply is not _Reply.RECEIVED:
            raise EvaluationError(*self._judge(reply, content))
        # Without a value, the reply itself says what went wrong on the way.
        value = dict_of(dict_of(content.get("user_expressions")).get("value")) or content
        if value.get("status") != "ok":
            name, message = _short(value.get("ename")), _short(value.get("evalue"))
            status = CellStatus.MEMORY if name == "MemoryError" else CellStatus.ERROR
            raise EvaluationError(status, f"{name}: {message}")
        text: object = dict_of(value.get("data")).get(MIME_TYPE)
        if not isinstance(text, str):
            raise EvaluationError(CellStatus.ERROR, "the value is not a string")
        return text

    def close(self) -> None:
        """Kill the kernel and close the sockets."""
        self._shell.close()
        self._iopub.close()
        self._context.term()
        self.kernel.close()

    # --- one request ---------------------------------------------------------------------------

    def _execute(
        self, collected: CollectedOutputs | None, seconds: float, **content: Any
    ) -> tuple[_Reply, dict[str, Any]]:
        """Send an execute_request; return what came of it, and the content of the reply or {}."""
        if not self.alive:
            return _Reply.DIED, {}
        content = {
            "silent": False,
            "store_history": False,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
            **content,
        }
        request = self._messages.msg("execute_request", content)
        self._messages.send(self._shell.socket, request)
        wanted = request["header"]["msg_id"]
        deadline = time.monotonic() + seconds
        reply, received = self._await_reply(wanted, collected, deadline)
        if reply is _Reply.TIMEOUT:
            self.kernel.interrupt()
            deadline = time.monotonic() + self.limits.interrupt_seconds
            after, _ = self._await_reply(wanted, collected, deadline)
            if after is _Reply.TIMEOUT:
                self.kernel.kill()
                self.kernel.wait(self.limits.interrupt_seconds)
        if reply is not _Reply.DIED and self.alive:
            if collected is not None:
                self._collect_stragglers(wanted, collected)
        elif collected is not None:
            self._drain(wanted, collected)
        return reply, received

    def _await_reply(
        self, wanted: str, collected: CollectedOutputs | None, deadline: float
    ) -> tuple[_Reply, dict[str, Any]]:
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return _Reply.TIMEOUT, {}
            wait = min(left, SECONDS_BETWEEN_MEMORY_CHECKS)
            events = dict(self._poller.poll(_milliseconds(wait)))
            if self._is_endless():
                return _Reply.ENDLESS, {}
            self._take_outputs(events, wanted, collected)
            if self._shell.socket in events:
                message = read_message(self._shell.socket.recv_multipart())
                if message and (message.kind, message.answers) == ("execute_reply", wanted):
                    return _Reply.RECEIVED, message.content
            if self.kernel.fileno() in events and self.kernel.poll():
                return _Reply.DIED, {}
            if self._shell.monitor in events and self._broke(self._shell):
                return _Reply.TOO_LONG, {}

    def _is_endless(self) -> bool:
        """Kill a kernel that fills this process with a message that does not end."""
        if time.monotonic() - self._memory_checked < SECONDS_BETWEEN_MEMORY_CHECKS:
            return False
        self._memory_checked = time.monotonic()
        if self._process.memory_info().rss - self._bytes_before < BYTES_HELD:
            return False
        self.kernel.kill()
        self.kernel.wait(self.limits.interrupt_seconds)
        return True

    def _broke(self, channel: "_Channel") -> bool:
        """Connect a channel that a message too long has broken; False when the kernel is dead.

        A dying kernel closes its sockets, too; the news of its death is a moment behind. One that
        has closed them and lives on, perhaps as another program, is of no use and killed; without
        its outputs alone it is left.
        """
        if self.kernel.wait(SECONDS_TO_DIE):
            channel.forget_breaks()
            return False
        if channel.connect() or channel is self._iopub:
            return True
        self.kernel.kill()
        self.kernel.wait(self.limits.interrupt_seconds)
        return False

    def _collect_stragglers(self, wanted: str, collected: CollectedOutputs) -> None:
        """Take outputs until the kernel says that it is idle again, or nothing comes."""
        deadline = time.monotonic() + SECONDS_FOR_ALL_STRAGGLERS
        while not collected.idle and time.monotonic() < deadline:
            # The message that it is idle may have been lost with the output that was.
            wait = SECONDS_AFTER_LOSS if collected.lost else SECONDS_FOR_STRAGGLERS
            events = dict(self._poller.poll(_milliseconds(wait)))
            if not self._take_outputs(events, wanted, collected):
                return

    def _drain(self, wanted: str, collected: CollectedOutputs) -> None:
        """Take the outputs that a dead kernel has left in our socket."""
        deadline = time.monotonic() + SECONDS_FOR_ALL_STRAGGLERS
        while self._take_outputs(dict(self._poller.poll(0)), wanted, collected):
            if time.monotonic() > deadline:  # whoever sends is not the dead kernel
                return

    def _take_outputs(
        self, events: dict[Any, int], wanted: str, collected: CollectedOutputs | None
    ) -> bool:
        """Read one message of iopub; return whether there was anything."""
        if self._iopub.monitor in events:
            broke = self._broke(self._iopub)
            # A kernel that closes its sockets at its end breaks the connection, too, and loses
            # nothing; it may take a while to die, but nobody connects to it any more.
            if collected is not None and broke and self._iopub.connected:
                collected.lost = True
            return broke
        if self._iopub.socket not in events:
            return False
        if collected is None:
            self._iopub.socket.recv_multipart()
            return True
        message = read_message(self._iopub.socket.recv_multipart())
        if message and message.answers == wanted:
            collected.take(message)
        return True

    def _judge(self, reply: _Reply, content: dict[str, Any]) -> tuple[CellStatus, str]:
        """Return the status of what was executed and, unless it is ok or error, why."""
        match reply:
            case _Reply.RECEIVED if content.get("status") == "ok":
                return CellStatus.OK, ""
            case _Reply.RECEIVED if content.get("ename") == "MemoryError":
                return CellStatus.MEMORY, "it asked for more memory than a submission may use"
            case _Reply.RECEIVED:
                return CellStatus.ERROR, ""
            case _Reply.TIMEOUT:
                return CellStatus.TIMEOUT, "it was stopped because its time was over"
            case _Reply.ENDLESS:
                return CellStatus.MEMORY, "it sent a message without end"
            case _Reply.TOO_LONG:
                longest = self.limits.reply_bytes
                return CellStatus.OUTPUT, f"its reply is longer than {longest} bytes"
            case _Reply.DIED:
                ended = self.kernel.poll()
                assert ended is not None
                status = CellStatus.MEMORY if ended.memory else CellStatus.DIED
                return status, f"the kernel ended: {ended.reason}"

    # --- sockets -------------------------------------------------------------------------------

    def _channel(self, kind: int, name: str, longest: int) -> "_Channel":
        connection = self.kernel.connection
        separator = "-" if connection["transport"] == "ipc" else ":"
        place = f"{connection['ip']}{separator}{connection[f'{name}_port']}"
        address = f"{connection['transport']}://{place}"
        return _Channel(
            self._context, self._poller, kind, address, longest, self._messages.bsession
        )

    def _await_welcome(self) -> None:
        """Wait until our subscription has arrived, or the first outputs would be lost."""
        request = self._messages.msg("kernel_info_request", {})
        self._messages.send(self._shell.socket, request)
        wanted = request["header"]["msg_id"]
        deadline = time.monotonic() + 10
        welcome = answered = False
        while not (welcome and answered) and time.monotonic() < deadline:
            events = dict(self._poller.poll(100))
            if self._iopub.socket in events:
                welcome |= read_message(self._iopub.socket.recv_multipart()) is not None
            if self._shell.socket in events:
                message = read_message(self._shell.socket.recv_multipart())
                answered |= message is not None and message.answers == wanted
            if not self.alive:
                return


class _Channel:
    """A socket that takes no message of more than ``longest`` bytes, and its monitor.

    When one comes ZeroMQ ends the connection for good; `connect` makes a new one.
    """

    def __init__(
        self,
        context: zmq.Context[Any],
        poller: zmq.Poller,
        kind: int,
        address: str,
        longest: int,
        identity: bytes,
    ) -> None:
        self._context = context
        self._poller = poller
        self._kind = kind
        self._address = address
        self._longest = longest
        self._identity = identity
        self.socket: Any = None
        self.monitor: Any = None
        self.connected = False
        self.connect()

    def connect(self) -> bool:
        """Make a new connection; return, and keep, whether anybody was at the other end."""
        self.connected = self._connect()
        return self.connected

    def _connect(self) -> bool:
        self.close()
        self.socket = self._context.socket(self._kind)
        self.socket.linger = 0
        self.socket.maxmsgsize = self._longest
        self.socket.rcvhwm = MESSAGES_HELD
        if self._kind == zmq.SUB:
            self.socket.subscribe(b"")
        else:
            self.socket.identity = self._identity
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_CONNECTED | zmq.EVENT_DISCONNECTED)
        self._poller.register(self.socket, zmq.POLLIN)
        self._poller.register(self.monitor, zmq.POLLIN)
        self.socket.connect(self._address)
        if not self.monitor.poll(_milliseconds(SECONDS_TO_CONNECT)):
            return False
        event: int = recv_monitor_message(self.monitor)["event"]
        return event == zmq.EVENT_CONNECTED

    def forget_breaks(self) -> None:
        """Read what the monitor holds, and do nothing about it."""
        while self.monitor.poll(0):
            recv_monitor_message(self.monitor)

    def close(self) -> None:
        """Close the socket, if there is one, and its monitor."""
        if self.socket is None:
            return
        self._poller.unregister(self.socket)
        self._poller.unregister(self.monitor)
        self.socket.disable_monitor()
        self.monitor.close(linger=0)
        self.socket.close(linger=0)
        self.socket = None


def _milliseconds(seconds: float) -> int:
    """Return a time as ZeroMQ takes it, rounded up: it would not wait at all for 0."""
    return math.ceil(1000 * seconds)


def _short(value: object) -> str:
    return value[:2000] if isinstance(value, str) else ""
