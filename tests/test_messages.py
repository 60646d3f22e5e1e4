"""Messages of any shape: what is no output is dropped, and a notebook can keep what is not."""

import json
import random
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.kernels.cell_result import CollectedOutputs
from autograder.kernels.limits import Limits
from autograder.kernels.messages import DELIMITER, MIME_TYPES, output_of, read_message

KINDS = ("stream", "error", "display_data", "execute_result", "status", "clear_output", "other")


def frames(content, header=None, parent=None, metadata=None):
    parts = (header or {"msg_type": "stream"}, parent or {"msg_id": "1"}, metadata or {}, content)
    texts = [part if isinstance(part, bytes) else json.dumps(part).encode() for part in parts]
    return [b"identity", DELIMITER, b"signature", *texts]


def shown(kind, content):
    return output_of(read_message(frames(content, {"msg_type": kind})))


def deep(levels):
    return "[" * levels + "]" * levels


def any_json(draw, depth=4):
    """Draw JSON of any type, often what another part of the protocol would expect here."""
    kinds = [None, True, 0, -1, 1e308, float("nan"), float("inf"), 10**30, "", "text/plain", "ok"]
    if depth and draw.random() < 0.7:
        size = draw.randrange(4)
        names = ["name", "text", "data", "metadata", "traceback", "ename", "evalue", "wait"]
        names += [
            "execution_state",
            "execution_count",
            "text/plain",
            "image/png",
            "application/a+json",
        ]
        if draw.random() < 0.6:
            return {draw.choice(names): any_json(draw, depth - 1) for _ in range(3 * size)}
        return [any_json(draw, depth - 1) for _ in range(size)]
    return draw.choice([*kinds, "stdout", "stderr", ["a", "b"]])


def is_kept(output):
    """Whether a notebook with this output is valid, as strict JSON too."""
    notebook = new_notebook(cells=[new_code_cell(outputs=[output])])
    nbformat.validate(notebook)
    text = nbformat.writes(notebook)
    assert "NaN" not in json.dumps(json.loads(text, parse_constant=lambda name: "NaN!" + name))
    return nbformat.reads(text, as_version=4).cells[0].outputs[0] == output


def test_what_libraries_show_is_kept_as_it_is():
    for kind, content in (
        ("stream", {"name": "stdout", "text": "a\nb"}),
        ("error", {"ename": "ValueError", "evalue": "no", "traceback": ["one", "two"]}),
        (
            "execute_result",
            {
                "data": {"text/plain": "1", "application/vnd.x+json": {"a": [1, 2.5, None]}},
                "metadata": {"image/png": {"width": 3}},
                "execution_count": 7,
            },
        ),
        (
            "display_data",
            {"data": {"image/png": "aGk=", "text/html": "<b>"}, "metadata": {}},
        ),
    ):
        output = shown(kind, content)
        assert output.output_type == kind
        assert {name: output[name] for name in content} == content


@pytest.mark.parametrize("seed", range(40))
def test_any_json_anywhere_is_an_output_that_can_be_kept_or_none(seed):
    draw = random.Random(seed)
    for _ in range(100):
        header = {"msg_type": draw.choice(KINDS)} if draw.random() < 0.8 else any_json(draw)
        parent = {"msg_id": "1"} if draw.random() < 0.8 else any_json(draw)
        message = read_message(frames(any_json(draw), header, parent))
        if message and (output := output_of(message)):
            assert is_kept(output)


@pytest.mark.parametrize("seed", range(10))
def test_any_bytes_are_a_message_or_none(seed):
    draw = random.Random(seed)
    for _ in range(200):
        parts = [draw.randbytes(draw.randrange(30)) for _ in range(draw.randrange(8))]
        parts.insert(draw.randrange(len(parts) + 1), DELIMITER)
        assert read_message(parts) is None
        whole = b"".join(frames({"name": "stdout", "text": "x"}))
        cut = whole[: draw.randrange(len(whole))]
        assert read_message([DELIMITER, cut, cut, cut, cut, cut]) is None


@pytest.mark.parametrize(
    "content",
    [
        {"data": {f"text/{i}": "x" for i in range(MIME_TYPES + 1)}, "metadata": {}},
        {"data": {"a/json": float("nan"), "application/json": float("nan")}, "metadata": {}},
        {"data": {"application/json": json.loads(deep(200))}, "metadata": {}},
        {"data": {"application/json": {str(i): i for i in range(60_000)}}, "metadata": {}},
        {"data": {"image/png": 3}, "metadata": {}},
        {"data": [], "metadata": {}},
        {"metadata": {}},
        [],
        "text",
        deep(100_000).encode(),
    ],
)
def test_what_no_notebook_can_keep_is_dropped(content):
    message = read_message(frames(content, {"msg_type": "display_data"}))
    assert message is None or output_of(message) is None


def test_odd_metadata_and_counts_do_not_cost_the_output():
    content = {"data": {"text/plain": "1"}, "metadata": [float("inf")], "execution_count": "7"}
    output = shown("execute_result", content)
    assert output.data == {"text/plain": "1"}
    assert output.metadata == {} and output.execution_count is None
    assert is_kept(output)


def test_half_a_million_mime_types_cost_a_moment():
    data = {f"text/{i}": "" for i in range(560_000)}
    message = frames({"data": data, "metadata": {}}, {"msg_type": "display_data"})
    begun = time.process_time()
    assert output_of(read_message(message)) is None
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("text", ["attention " * 40, "注意力" * 40, "🙂" * 40])
def test_of_a_long_output_so_many_bytes_are_kept(text):
    collected = CollectedOutputs(Limits(), max_bytes=100)
    collected.take(read_message(frames({"name": "stdout", "text": text})))
    (kept, note) = collected.finished()
    assert text.startswith(kept.text) and 100 - 4 < len(kept.text.encode()) <= 100
    assert collected.output_bytes == len(kept.text.encode())
    assert collected.truncated and "more than 100 bytes" in note.text


@pytest.mark.parametrize(("text", "is_kept"), [("x" * 80, True), ("注" * 80, False)])
def test_what_a_cell_displays_is_measured_in_bytes_as_well(text, is_kept):
    collected = CollectedOutputs(Limits(), max_bytes=200)
    content = {"data": {"text/plain": text}, "metadata": {}}
    collected.take(read_message(frames(content, {"msg_type": "display_data"})))
    assert collected.truncated is not is_kept
