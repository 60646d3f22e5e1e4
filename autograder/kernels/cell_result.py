"""What comes of running one cell: its status and as much of its outputs as may be kept."""

from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.kernels.limits import Limits
from autograder.kernels.messages import Message, output_of
from autograder.results import TextEnum

TRUNCATED = "\n[the rest of this cell's output was dropped: more than {} bytes]\n"
LOST_OUTPUT_NOTE = "\n[an output of this cell was dropped: a single one of more than {} bytes]\n"


class CellStatus(TextEnum):
    """How a cell, or the evaluation of an expression, ended."""

    OK = "ok"
    ERROR = "error"
    """It raised an error."""
    TIMEOUT = "timeout"
    DIED = "died"
    """Its kernel ended."""
    MEMORY = "memory"
    """It raised MemoryError, or its kernel was killed for its memory."""
    OUTPUT = "output"
    """Its reply was too large to be taken."""


@dataclass
class CellResult:
    """What came of one cell.

    ``outputs`` are nbformat outputs, ``seconds`` the wall clock, ``alive`` whether the kernel
    survived, ``truncated`` whether outputs were dropped, ``output_bytes`` the bytes of those that
    were kept.
    """

    status: CellStatus
    outputs: list[NotebookNode] = field(default_factory=list)
    seconds: float = 0.0
    alive: bool = True
    truncated: bool = False
    output_bytes: int = 0


class CollectedOutputs:
    """The outputs of one cell as they come in, up to a number of bytes.

    ``idle`` says whether the kernel has said that the cell is done, and ``lost`` that a message,
    which may have been an output, was too long to be taken.
    """

    def __init__(self, limits: Limits, max_bytes: int) -> None:
        self.truncated = False
        self.lost = False
        self.idle = False
        self._limits = limits
        self._max_bytes = max_bytes
        self._bytes_left = max_bytes
        self._outputs: list[NotebookNode] = []
        self._clear_next = False

    @property
    def output_bytes(self) -> int:
        """The bytes of what has been kept."""
        return self._max_bytes - self._bytes_left

    def take(self, message: Message) -> None:
        """Keep what a message shows, or do what it asks for."""
        if message.kind == "status":
            self.idle = message.content.get("execution_state") == "idle"
        elif message.kind == "clear_output":
            if message.content.get("wait"):
                self._clear_next = True
            else:
                self._clear()
        elif output := output_of(message):
            if self._clear_next:
                self._clear()
            self._add(output)

    def _clear(self) -> None:
        self._outputs.clear()
        self._bytes_left = self._max_bytes
        self._clear_next = False

    def _add(self, output: NotebookNode) -> None:
        if output.output_type == "stream":
            self._add_stream(output)
            return
        size = _size(repr(output))
        if size > self._bytes_left:
            self.truncated = True
        else:
            self._bytes_left -= size
            self._outputs.append(output)

    def _add_stream(self, output: NotebookNode) -> None:
        if _size(output.text) > self._bytes_left:
            self.truncated = True
            output.text = _beginning(output.text, self._bytes_left)
        if not output.text:
            return
        self._bytes_left -= _size(output.text)
        last = self._outputs[-1] if self._outputs else None
        if last and last.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            self._outputs.append(output)

    def finished(self) -> list[NotebookNode]:
        """Return the outputs, with a line about what is missing."""
        notes = []
        if self.truncated:
            notes.append(TRUNCATED.format(self._max_bytes))
        if self.lost:
            self.truncated = True
            notes.append(LOST_OUTPUT_NOTE.format(self._limits.message_bytes))
        for note in notes:
            self._outputs.append(new_output("stream", name="stderr", text=note))
        return self._outputs


def _size(text: str) -> int:
    """Return how many bytes of UTF-8 a text takes."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def _beginning(text: str, size: int) -> str:
    """Return as much of a text's beginning as fits into so many bytes."""
    # A character takes at least one byte; the last one may be cut through.
    return text[:size].encode(errors="replace")[:size].decode(errors="ignore")
