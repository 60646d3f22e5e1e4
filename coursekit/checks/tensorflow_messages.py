"""What TensorFlow says of an error, apart from what only its developers need."""

import re

# TensorFlow raises NotImplementedError where NumPy cannot read a graph, with one of these words.
_NUMPY_READS_A_GRAPH = ("Cannot convert a symbolic", "only available when eager execution")
NUMPY_IN_A_GRAPH = "NumPy cannot compute in a graph, and a model is trained in one"
# What TensorFlow recommends for NumPy's methods would change all tensors of the notebook. It adds
# its own names of the function, of the device and of the place in a graph.
_RECOMMENDATION = r"\s*If you are looking for numpy-related methods(?s:.*)"
_NAMES = (
    r"\{\{function_node .*?\}\} *|\s*\[\[\{\{node .*?\}\}\]\]|\s*\[Op:__inference\w*\]|"
    r"(?<=\]) name: \S*"
)
_FOR_DEVELOPERS = re.compile(f"{_RECOMMENDATION}|{_NAMES}")

# What it says of an error in a graph, among the many calls that built the graph.
_BEGINNING = "Graph execution error:"
_FRAME = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d+), in (?P<name>.+)')
_HEADINGS = (_BEGINNING, "Detected at node", "Stack trace for op definition")


def is_numpy_in_a_graph(message: str) -> bool:
    """Say whether the message of a NotImplementedError is that of NumPy in a graph."""
    return any(words in message for words in _NUMPY_READS_A_GRAPH)


def for_students(message: str) -> str:
    """Return the message of an error without what TensorFlow adds for developers."""
    return _FOR_DEVELOPERS.sub("", message)


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
