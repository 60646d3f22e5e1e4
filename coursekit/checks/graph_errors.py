"""What TensorFlow says of an error in a graph, apart from the many calls that built the graph."""

import re

_BEGINNING = "Graph execution error:"
_FRAME = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d+), in (?P<name>.+)')
_HEADINGS = (_BEGINNING, "Detected at node", "Stack trace for op definition")


def without_frames(message: str) -> str:
    """Return the message of an error; of one in a graph, only what says what was wrong."""
    if not message.startswith(_BEGINNING):
        return message
    lines = (line for line in message.splitlines() if line and not _FRAME.match(line))
    return "\n".join(line for line in lines if not line.startswith(_HEADINGS))


def frames(message: str) -> list[tuple[str, int, str]]:
    """List the calls that built the graph, as file, line and name of the function."""
    if not message.startswith(_BEGINNING):
        return []
    found = _FRAME.finditer(message)
    return [(frame["file"], int(frame["line"]), frame["name"]) for frame in found]
