"""A conversation with one kernel whose every word is bounded and none is believed.

The student's code rules the process at the other end: what comes back may be forged, endless or
missing. `Session` gives untrusted text of bounded size, in bounded time, and says what happened.
"""

import ast
import time
from dataclasses import dataclass, field

import zmq
from jupyter_client.session import Session as Messages
from nbformat.v4 import output_from_msg
from zmq.utils.monitor import recv_monitor_message

from autograder.warm_kernel import Kernel

__all__ = ["CellResult", "EvaluationError", "Session"]

# After the reply the outputs still under way get this long, from one to the next.
SECONDS_FOR_STRAGGLERS = 1.0
MESSAGES_HELD = 16
OUTPUTS = frozenset(("display_data", "error", "execute_result", "stream"))
TRUNCATED = "\n[the rest of this cell's output was dropped: more than {} bytes]\n"
LOST = "\n[an output of this cell was dropped: a single one of more than {} bytes]\n"


@dataclass
class CellResult:
    """What came of one cell.

    ``status`` is "ok", "error" (it raised), "timeout", "died" (its kernel ended), "memory" (it
    raised MemoryError or was stopped for its memory) or "output" (its reply was too large to be
    taken). ``outputs`` are nbformat outputs, ``seconds`` the wall clock, ``alive`` whether the
    kernel survived, ``reason`` a sentence when the status is neither ok nor error.
    """

    status: str
    outputs: list = field(default_factory=list)
    seconds: float = 0.0
    alive: bool = True
    reason: str = ""
    truncated: bool = False


class EvaluationError(RuntimeError):
    """An expression gave no string: ``status`` as of a `CellResult`, and a message."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Session:
    """Runs cells and evaluates expressions in a `Kernel`; close it to kill the kernel.

    The sockets refuse messages longer than `Limits.message_bytes` and `Limits.reply_bytes`
    (ZMQ_MAXMSGSIZE): the connection breaks, the message is lost, and ZeroMQ connects again. At
    most `MESSAGES_HELD` messages wait to be read; a kernel that goes on sending drops its own.
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.limits = kernel.limits
        self._messages = Messages(
            key=kernel.connection["key"].encode(),
            signature_scheme=kernel.connection["signature_scheme"],
            username="jovyan",
        )
        self._context = zmq.Context()
        self._shell = self._connect(zmq.DEALER, "shell", self.limits.reply_bytes)
        self._shell_monitor = self._shell.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._iopub = self._connect(zmq.SUB, "iopub", self.limits.message_bytes)
        self._iopub_monitor = self._iopub.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._poller = zmq.Poller()
        for thing in (self._shell, self._iopub, self._shell_monitor, self._iopub_monitor):
            self._poller.register(thing, zmq.POLLIN)
        self._poller.register(kernel.fileno(), zmq.POLLIN)
        self._await_welcome()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    @property
    def alive(self):
        """Whether the kernel runs."""
        return self.kernel.poll() is None

    def run_cell(self, code, seconds=None):
        """Execute a cell within ``seconds`` (`Limits.cell_seconds`); return its `CellResult`.

        A cell that is not done is interrupted, and its kernel killed if it is not done
        `Limits.interrupt_seconds` later; the status is "timeout" in both cases.
        """
        seconds = self.limits.cell_seconds if seconds is None else seconds
        collected = _Outputs(self.limits)
        begun = time.monotonic()
        status, reply = self._execute(collected, seconds, code=code, store_history=True)
        status, reason = self._judge(status, reply)
        return CellResult(
            status=status,
            outputs=collected.finished(),
            seconds=time.monotonic() - begun,
            alive=self.alive,
            reason=reason,
            truncated=collected.truncated,
        )

    def evaluate(self, expression, seconds=None):
        """Return the text that ``expression``, which must give a str, has in the kernel.

        Raises EvaluationError: an exception there, no string, too long, out of time, dead.
        """
        seconds = self.limits.cell_seconds if seconds is None else seconds
        status, reply = self._execute(
            None, seconds, code="", silent=True, user_expressions={"value": expression}
        )
        if status != "ok":
            raise EvaluationError(*self._judge(status, reply))
        value = _dict(_dict(reply.get("user_expressions")).get("value"))
        if value.get("status") != "ok":
            name, text = _short(value.get("ename")), _short(value.get("evalue"))
            kind = "memory" if name == "MemoryError" else "error"
            raise EvaluationError(kind, f"{name}: {text}")
        return _unquoted(_dict(value.get("data")).get("text/plain"))

    def close(self):
        """Kill the kernel and close the sockets."""
        for thing in (self._shell, self._iopub):
            thing.disable_monitor()
            thing.close(linger=0)
        self._shell_monitor.close(linger=0)
        self._iopub_monitor.close(linger=0)
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
        self._messages.send(self._shell, request)
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
            events = dict(self._poller.poll(left * 1000))
            self._take_outputs(events, wanted, collected)
            if self._shell in events:
                message = self._receive(self._shell)
                if message and _is_reply(message, wanted):
                    return "ok", message["content"]
            if self.kernel.fileno() in events and self.kernel.poll():
                return "died", {}
            if self._shell_monitor in events:
                recv_monitor_message(self._shell_monitor)
                # The kernel closes its sockets by dying, too; that news comes by its own way.
                if not self.kernel.wait(0.2):
                    return "output", {}
                return "died", {}

    def _collect_stragglers(self, wanted, collected):
        """Take outputs until the kernel says that it is idle again, or nothing comes."""
        while not collected.idle:
            events = dict(self._poller.poll(SECONDS_FOR_STRAGGLERS * 1000))
            if not self._take_outputs(events, wanted, collected):
                return

    def _drain(self, wanted, collected):
        """Take the outputs that a dead kernel has left in our socket."""
        while self._take_outputs(dict(self._poller.poll(0)), wanted, collected):
            pass

    def _take_outputs(self, events, wanted, collected):
        """Read one message of iopub; return whether there was anything."""
        if self._iopub_monitor in events:
            recv_monitor_message(self._iopub_monitor)
            if collected is not None:
                collected.lost = True
        if self._iopub not in events:
            return self._iopub_monitor in events
        message = self._receive(self._iopub)
        if message and collected is not None and _answers(message, wanted):
            collected.take(message)
        return True

    def _receive(self, socket):
        """Read one message; None for what is not one."""
        frames = socket.recv_multipart()
        try:
            _, frames = self._messages.feed_identities(frames)
            return self._messages.deserialize(frames)
        except (ValueError, TypeError, KeyError, IndexError, RecursionError):
            # Forged or broken by the student's process; as good as not sent.
            return None

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
        if status == "output":
            return "output", f"its reply is longer than {self.limits.reply_bytes} bytes"
        ended = self.kernel.poll()
        return ("memory" if ended.memory else "died"), f"its process was {ended.reason}"

    # --- sockets -------------------------------------------------------------------------------

    def _connect(self, kind, name, longest):
        socket = self._context.socket(kind)
        socket.linger = 0
        socket.maxmsgsize = longest
        socket.rcvhwm = MESSAGES_HELD
        if kind == zmq.SUB:
            socket.subscribe(b"")
        else:
            socket.identity = self._messages.bsession
        connection = self.kernel.connection
        port = connection[f"{name}_port"]
        separator = "-" if connection["transport"] == "ipc" else ":"
        socket.connect(f"{connection['transport']}://{connection['ip']}{separator}{port}")
        return socket

    def _await_welcome(self):
        """Wait until our subscription has arrived, or the first outputs would be lost."""
        request = self._messages.msg("kernel_info_request", {})
        self._messages.send(self._shell, request)
        wanted = request["header"]["msg_id"]
        deadline = time.monotonic() + 10
        welcome = answered = False
        while not (welcome and answered) and time.monotonic() < deadline:
            events = dict(self._poller.poll(100))
            if self._iopub in events:
                message = self._receive(self._iopub)
                welcome = welcome or bool(message)
            if self._shell in events:
                message = self._receive(self._shell)
                answered = answered or bool(message and _answers(message, wanted))
            if not self.alive:
                return


class _Outputs:
    """The outputs of one cell as they come in, up to a number of bytes."""

    def __init__(self, limits):
        self.limits = limits
        self.outputs = []
        self.room = limits.output_bytes
        self.truncated = False
        self.lost = False
        self.idle = False
        self._clear_next = False

    def take(self, message):
        kind, content = message["msg_type"], message["content"]
        if kind == "status":
            self.idle = content.get("execution_state") == "idle"
        elif kind == "clear_output":
            if content.get("wait"):
                self._clear_next = True
            else:
                self.clear()
        elif kind in OUTPUTS:
            if self._clear_next:
                self.clear()
            self.add(message)

    def clear(self):
        self.outputs.clear()
        self.room = self.limits.output_bytes
        self._clear_next = False

    def add(self, message):
        try:
            output = output_from_msg(message)
        except (ValueError, TypeError, KeyError, AttributeError):  # forged
            return
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
        if not isinstance(output.text, str) or output.name not in ("stdout", "stderr"):
            return
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
            notes.append(TRUNCATED.format(self.limits.output_bytes))
        if self.lost:
            self.truncated = True
            notes.append(LOST.format(self.limits.message_bytes))
        for note in notes:
            self.outputs.append(_note(note))
        return self.outputs


def _note(text):
    return output_from_msg(
        {"header": {"msg_type": "stream"}, "content": {"name": "stderr", "text": text}}
    )


def _answers(message, wanted):
    return _dict(message.get("parent_header")).get("msg_id") == wanted


def _is_reply(message, wanted):
    return (
        message.get("msg_type") == "execute_reply"
        and _answers(message, wanted)
        and isinstance(message.get("content"), dict)
    )


def _dict(value):
    return value if isinstance(value, dict) else {}


def _short(value):
    return value[:2000] if isinstance(value, str) else ""


def _unquoted(text):
    """Return the string of which ``text`` is the repr."""
    if not isinstance(text, str) or len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
        raise EvaluationError("error", "the value is no string")
    inner = text[1:-1]
    if "\\" not in inner and text[0] not in inner:
        return inner  # what the stand-ins send is of this kind, and long
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if not isinstance(value, str):
        raise EvaluationError("error", "the value is no string")
    return value
