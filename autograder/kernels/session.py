"""A bounded client for an untrusted kernel.

The student's code rules the process at the other end: what comes back may be forged, endless or
missing. `Session` gives untrusted text of bounded size, in bounded time, and says what happened.
"""

import time
from dataclasses import dataclass, field

import psutil
import zmq
from jupyter_client.session import Session as Messages
from nbformat.v4 import new_output
from zmq.utils.monitor import recv_monitor_message

from autograder.kernels.kernel import Kernel
from autograder.kernels.messages import output_of, read_message
from coursekit.checks.exchange import MIME_TYPE

__all__ = ["CellResult", "EvaluationError", "Session"]

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
TRUNCATED = "\n[the rest of this cell's output was dropped: more than {} bytes]\n"
LOST = "\n[an output of this cell was dropped: a single one of more than {} bytes]\n"


@dataclass
class CellResult:
    """What came of one cell.

    ``status`` is "ok", "error" (it raised), "timeout", "died" (its kernel ended), "memory" (it
    raised MemoryError or was stopped for its memory) or "output" (its reply was too large to be
    taken). ``outputs`` are nbformat outputs, ``seconds`` the wall clock, ``alive`` whether the
    kernel survived, ``reason`` a sentence when the status is neither ok nor error, ``kept`` the
    bytes of the outputs.
    """

    status: str
    outputs: list = field(default_factory=list)
    seconds: float = 0.0
    alive: bool = True
    reason: str = ""
    truncated: bool = False
    kept: int = 0


class EvaluationError(RuntimeError):
    """An expression gave no string: ``status`` as of a `CellResult`, and a message."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Session:
    """Runs cells and evaluates expressions in a `Kernel`; close it to kill the kernel.

    The sockets refuse messages longer than `Limits.message_bytes` and `Limits.reply_bytes`
    (ZMQ_MAXMSGSIZE): the message is lost, the connection breaks, and a new one is made. At
    most `MESSAGES_HELD` messages wait to be read; a kernel that goes on sending drops its own.
    One that sends a message without end is killed when this process has grown by `BYTES_HELD`.
    """

    def __init__(self, kernel: Kernel):
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

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    @property
    def alive(self):
        """Whether the kernel runs."""
        return self.kernel.poll() is None

    def run_cell(self, code, seconds=None, room=None):
        """Execute a cell within ``seconds`` (`Limits.cell_seconds`); return its `CellResult`.

        Of its outputs ``room`` bytes are kept (`Limits.output_bytes`).
        A cell that is not done is interrupted, and its kernel killed if it is not done
        `Limits.interrupt_seconds` later; the status is "timeout" in both cases.
        """
        seconds = self.limits.cell_seconds if seconds is None else seconds
        collected = _Outputs(self.limits, self.limits.output_bytes if room is None else room)
        begun = time.monotonic()
        status, reply = self._execute(collected, seconds, code=code, store_history=True)
        if status == "died":
            # A kernel that dies breaks its connections, too; no message was too long for that.
            collected.lost = False
        status, reason = self._judge(status, reply)
        return CellResult(
            status=status,
            outputs=collected.finished(),
            seconds=time.monotonic() - begun,
            alive=self.alive,
            reason=reason,
            truncated=collected.truncated,
            kept=collected.size - collected.room,
        )

    def evaluate(self, expression, seconds=None):
        """Return the text that ``expression``, which must give a str, has in the kernel.

        Raises EvaluationError: an exception there, no string, too long, out of time, dead.
        """
        seconds = self.limits.cell_seconds if seconds is None else seconds
        as_text = f"__import__('coursekit.checks.exchange', fromlist=['x']).AsText({expression})"
        status, reply = self._execute(
            None, seconds, code="", silent=True, user_expressions={"value": as_text}
        )
        if status != "ok":
            raise EvaluationError(*self._judge(status, reply))
        # Without a value, the reply itself says what went wrong on the way.
        value = _dict(_dict(reply.get("user_expressions")).get("value")) or reply
        if value.get("status") != "ok":
            name, text = _short(value.get("ename")), _short(value.get("evalue"))
            kind = "memory" if name == "MemoryError" else "error"
            raise EvaluationError(kind, f"{name}: {text}")
        text = _dict(value.get("data")).get(MIME_TYPE)
        if not isinstance(text, str):
            raise EvaluationError("error", "the value is no string")
        return text

    def close(self):
        """Kill the kernel and close the sockets."""
        self._shell.close()
        self._iopub.close()
        self._context.term()
        self.kernel.close()

    # --- one request ---------------------------------------------------------------------------

    def _execute(self, collected, seconds, **content):
        """Send an execute_request; return (status, content of the reply or {})."""
        if not self.alive:
            return "died", {}
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
        status, reply = self._await_reply(wanted, collected, deadline)
        if status == "timeout":
            self.kernel.interrupt()
            deadline = time.monotonic() + self.limits.interrupt_seconds
            after, _ = self._await_reply(wanted, collected, deadline)
            if after == "timeout":
                self.kernel.kill()
                self.kernel.wait(self.limits.interrupt_seconds)
        if status != "died" and self.alive:
            if collected is not None:
                self._collect_stragglers(wanted, collected)
        elif collected is not None:
            self._drain(wanted, collected)
        return status, reply

    def _await_reply(self, wanted, collected, deadline):
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return "timeout", {}
            events = dict(self._poller.poll(1000 * min(left, SECONDS_BETWEEN_MEMORY_CHECKS)))
            if self._is_flooded():
                return "flooded", {}
            self._take_outputs(events, wanted, collected)
            if self._shell.socket in events:
                message = read_message(self._shell.socket.recv_multipart())
                if message and (message.kind, message.answers) == ("execute_reply", wanted):
                    return "ok", message.content
            if self.kernel.fileno() in events and self.kernel.poll():
                return "died", {}
            if self._shell.monitor in events and self._broke(self._shell):
                return "output", {}

    def _is_flooded(self):
        """Kill a kernel that fills this process with a message that does not end."""
        if time.monotonic() - self._memory_checked < SECONDS_BETWEEN_MEMORY_CHECKS:
            return False
        self._memory_checked = time.monotonic()
        if self._process.memory_info().rss - self._bytes_before < BYTES_HELD:
            return False
        self.kernel.kill()
        self.kernel.wait(self.limits.interrupt_seconds)
        return True

    def _broke(self, channel):
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

    def _collect_stragglers(self, wanted, collected):
        """Take outputs until the kernel says that it is idle again, or nothing comes."""
        deadline = time.monotonic() + SECONDS_FOR_ALL_STRAGGLERS
        while not collected.idle and time.monotonic() < deadline:
            # The word that it is idle may have been lost with the output that was.
            wait = SECONDS_AFTER_LOSS if collected.lost else SECONDS_FOR_STRAGGLERS
            events = dict(self._poller.poll(wait * 1000))
            if not self._take_outputs(events, wanted, collected):
                return

    def _drain(self, wanted, collected):
        """Take the outputs that a dead kernel has left in our socket."""
        deadline = time.monotonic() + SECONDS_FOR_ALL_STRAGGLERS
        while self._take_outputs(dict(self._poller.poll(0)), wanted, collected):
            if time.monotonic() > deadline:  # whoever sends is not the dead kernel
                return

    def _take_outputs(self, events, wanted, collected):
        """Read one message of iopub; return whether there was anything."""
        if self._iopub.monitor in events:
            broke = self._broke(self._iopub)
            if collected is not None and broke:
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

    def _judge(self, status, reply):
        """Return the status of a cell and, unless it is ok or error, why."""
        if status == "ok":
            if reply.get("status") == "ok":
                return "ok", ""
            if reply.get("ename") == "MemoryError":
                return "memory", "it asked for more memory than a submission may use"
            return "error", ""
        if status == "timeout":
            return "timeout", "it was stopped because its time was over"
        if status == "flooded":
            return "memory", "it sent a message without end"
        if status == "output":
            return "output", f"its reply is longer than {self.limits.reply_bytes} bytes"
        ended = self.kernel.poll()
        return ("memory" if ended.memory else "died"), f"its process was {ended.reason}"

    # --- sockets -------------------------------------------------------------------------------

    def _channel(self, kind, name, longest):
        connection = self.kernel.connection
        separator = "-" if connection["transport"] == "ipc" else ":"
        place = f"{connection['ip']}{separator}{connection[f'{name}_port']}"
        address = f"{connection['transport']}://{place}"
        return _Channel(
            self._context, self._poller, kind, address, longest, self._messages.bsession
        )

    def _await_welcome(self):
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

    def __init__(self, context, poller, kind, address, longest, identity):
        self._context = context
        self._poller = poller
        self._kind = kind
        self._address = address
        self._longest = longest
        self._identity = identity
        self.socket = self.monitor = None
        self.connect()

    def connect(self):
        """Make a new connection; return whether there was anybody at the other end."""
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
        if not self.monitor.poll(1000 * SECONDS_TO_CONNECT):
            return False
        return recv_monitor_message(self.monitor)["event"] == zmq.EVENT_CONNECTED

    def forget_breaks(self):
        while self.monitor.poll(0):
            recv_monitor_message(self.monitor)

    def close(self):
        if self.socket is None:
            return
        self._poller.unregister(self.socket)
        self._poller.unregister(self.monitor)
        self.socket.disable_monitor()
        self.monitor.close(linger=0)
        self.socket.close(linger=0)
        self.socket = None


class _Outputs:
    """The outputs of one cell as they come in, up to a number of bytes."""

    def __init__(self, limits, size):
        self.limits = limits
        self.outputs = []
        self.size = self.room = size
        self.truncated = False
        self.lost = False
        self.idle = False
        self._clear_next = False

    def take(self, message):
        if message.kind == "status":
            self.idle = message.content.get("execution_state") == "idle"
        elif message.kind == "clear_output":
            if message.content.get("wait"):
                self._clear_next = True
            else:
                self.clear()
        elif output := output_of(message):
            if self._clear_next:
                self.clear()
            self.add(output)

    def clear(self):
        self.outputs.clear()
        self.room = self.size
        self._clear_next = False

    def add(self, output):
        if output.output_type == "stream":
            self.add_stream(output)
            return
        size = len(repr(output))
        if size > self.room:
            self.truncated = True
        else:
            self.room -= size
            self.outputs.append(output)

    def add_stream(self, output):
        if len(output.text) > self.room:
            self.truncated = True
            output.text = output.text[: self.room]
        if not output.text:
            return
        self.room -= len(output.text)
        last = self.outputs[-1] if self.outputs else None
        if last and last.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            self.outputs.append(output)

    def finished(self):
        """Return the outputs, with a line about what is missing."""
        notes = []
        if self.truncated:
            notes.append(TRUNCATED.format(self.size))
        if self.lost:
            self.truncated = True
            notes.append(LOST.format(self.limits.message_bytes))
        for note in notes:
            self.outputs.append(new_output("stream", name="stderr", text=note))
        return self.outputs


def _dict(value):
    return value if isinstance(value, dict) else {}


def _short(value):
    return value[:2000] if isinstance(value, str) else ""
