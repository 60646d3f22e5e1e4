"""What an error of a student's work says, and where in that work it came from, as plain data."""

import dis
import linecache
import sysconfig
import types
from pathlib import Path

from coursekit.checks import tensorflow_messages
from coursekit.checks.failure import MAX_MESSAGE
from coursekit.checks.plain_data import Json, name_of
from coursekit.checks.stand_in import MAX_FRAMES

_CHECKS = str(Path(__file__).parent)
# Where libraries live; a line of the student's own stands in a cell or in a file beside it.
_LIBRARIES = (
    _CHECKS,
    *(sysconfig.get_path(key) for key in ("stdlib", "purelib", "platlib")),
    "<frozen",
)

# As `name_of`: what an error says of itself may run code of the student's.
_mro_of = type.__dict__["__mro__"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__


def describe(error: BaseException) -> Json:
    """Describe an error by its classes, its message and the lines of the answer behind it."""
    message = _message_of(error)
    steps = _steps(error)
    lines = _lines_of_the_answer(steps) + _lines_in_a_graph(message)
    return {
        "error": [name_of(cls) for cls in _mro_of(type(error))],
        "message": tensorflow_messages.without_frames(message)[:MAX_MESSAGE],
        "frames": lines[-MAX_FRAMES:],
        "deliberate": bool(steps) and _is_deliberate(steps[-1]),
    }


def _message_of(error: BaseException) -> str:
    """Return the message of an error, or a sentence about why there is none."""
    try:
        return str.__getitem__(str(error), slice(None))  # a subclass of str has methods of its own
    except BaseException as another:
        return f"(no message: its __str__ raised {name_of(type(another))})"


def _steps(error: BaseException) -> list[types.TracebackType]:
    """List what an error came through, from the check's call to the instruction that raised it."""
    steps, step = [], _traceback_of(error)
    while step:
        steps.append(step)
        step = step.tb_next
    return steps


def _is_of_the_answer(file: str) -> bool:
    return not file.startswith(_LIBRARIES)


def _lines_of_the_answer(steps: list[types.TracebackType]) -> list[str]:
    """List the lines of the student's own code through which an error came."""
    return [
        _line(step.tb_frame.f_code.co_filename, step.tb_lineno, _name_of_frame(step.tb_frame))
        for step in steps
        if _is_of_the_answer(step.tb_frame.f_code.co_filename)
    ]


def _lines_in_a_graph(message: str) -> list[str]:
    """List the student's lines that made the operation of a graph in which an error occurred."""
    lines: list[str] = []
    for file, number, name in tensorflow_messages.frames(message):
        if file.startswith(_CHECKS):
            lines = []  # what called the check is not the answer's
        elif _is_of_the_answer(file):
            lines.append(_line(file, number, name))
    return lines


def _line(file: str, number: int, name: str) -> str:
    return f"line {number}, in {name}: {linecache.getline(file, number).strip()}"


def _name_of_frame(frame: types.FrameType) -> str:
    """Return the name of the function that a frame runs, a method's with its class."""
    name = frame.f_code.co_name
    if frame.f_code.co_varnames[:1] == ("self",) and "self" in frame.f_locals:
        return f"{name_of(type(frame.f_locals['self']))}.{name}"
    return name


def _is_deliberate(last: types.TracebackType) -> bool:
    """Say whether a `raise` of the student's own brought an error, and not what it called."""
    code = last.tb_frame.f_code
    is_raise = code.co_code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return is_raise and _is_of_the_answer(code.co_filename)
