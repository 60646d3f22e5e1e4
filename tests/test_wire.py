"""A kernel that sends anything: random bytes, random JSON, and replies that are nearly right.

The far end is a thread of this test on the sockets of a kernel. Whatever comes from there, a cell
has one result, an expression gives a text or an `EvaluationError`, and a submission gets a verdict
without an error in our own code, in bounded time and memory.
"""

import ast
import hashlib
import json
import random
import shutil
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

import nbformat
import numpy as np
import psutil
import pytest
import zmq
from jupyter_client.session import Session as Messages
from nbformat.v4 import new_code_cell, new_notebook
from quick import quick_answers
from test_messages import any_json

from autograder.building.made_up_submissions import submission_notebook
from autograder.building.stock_nbgrader import create_assignment
from autograder.grading import execution, worker
from autograder.grading.task import Task
from autograder.intake.submissions import Submission
from autograder.kernels.cell_result import CellResult
from autograder.kernels.kernel import Exit
from autograder.kernels.limits import Limits
from autograder.kernels.session import EvaluationError, Session
from autograder.results import Status
from coursekit.checks.plain_data import encode
from coursekit.checks.serve import MIME_TYPE, serve

# An error in the far end itself is an error of this test.
pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")

STEM = "ch02_simple_rnn"
LIMITS = Limits(cell_seconds=2, call_seconds=2, interrupt_seconds=0.1, submission_seconds=20)
KEY = "key"
SENT = ("stream", "error", "display_data", "execute_result", "status", "clear_output", "other")
STATUSES = {"ok", "error", "timeout", "died", "memory", "output"}
MEGABYTE = 1 << 20


class FarEnd:
    """A kernel that nobody has written: it answers every request with what `draw` comes upon."""

    pid = group = None
    untested_ipykernel = ""

    def __init__(self, draw, honest=0.0):
        self.draw = draw
        self.honest = honest
        self.limits = LIMITS
        self.directory = Path(tempfile.mkdtemp(prefix="wire-"))
        self.connection = {
            "transport": "ipc",
            "ip": str(self.directory / "s"),
            "shell_port": 1,
            "iopub_port": 2,
            "key": KEY,
            "signature_scheme": "hmac-sha256",
        }
        self._messages = Messages(key=KEY.encode())
        self._news, self._other_end = socket.socketpair()
        self._context = zmq.Context()
        self._shell = self._context.socket(zmq.ROUTER)
        self._shell.bind(f"ipc://{self.directory}/s-1")
        self._iopub = self._context.socket(zmq.XPUB)
        self._iopub.bind(f"ipc://{self.directory}/s-2")
        self._ended = None
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    # --- what a `Kernel` can do ---

    def fileno(self):
        return self._news.fileno()

    def poll(self):
        return self._ended

    def wait(self, seconds=None):
        return self._ended

    def interrupt(self):
        pass

    def kill(self):
        self._ended = Exit(-9, "it was killed")

    def close(self):
        self.kill()
        self._thread.join()
        self._context.destroy(linger=0)
        self._news.close()
        self._other_end.close()
        shutil.rmtree(self.directory)

    # --- what comes from it ---

    def _serve(self):
        poller = zmq.Poller()
        poller.register(self._shell, zmq.POLLIN)
        poller.register(self._iopub, zmq.POLLIN)
        while self._ended is None:
            events = dict(poller.poll(50))
            if self._iopub in events:
                self._iopub.recv()  # the subscription
                self._iopub.send_multipart(self._message("iopub_welcome", {}, {}))
            if self._shell in events:
                identity, *frames = self._shell.recv_multipart()
                _, frames = self._messages.feed_identities(frames)
                self._answer(identity, self._messages.deserialize(frames))

    def _answer(self, identity, request):
        parent, draw = request["header"], self.draw
        if parent["msg_type"] == "execute_request":
            for _ in range(draw.randrange(6)):
                self._iopub.send_multipart(self._anything(parent))
            # One of these may well be taken for the reply.
            for _ in range(draw.randrange(3) if draw.random() > self.honest else 0):
                self._shell.send_multipart([identity, *self._anything(parent)])
        expressions = request["content"].get("user_expressions", {})
        values = {name: self._value_of(text) for name, text in expressions.items()}
        content = {"status": "ok", "user_expressions": values}
        if draw.random() > self.honest and draw.random() < 0.1:
            content = changed(content, draw)
        self._iopub.send_multipart(self._message("status", parent, {"execution_state": "idle"}))
        self._shell.send_multipart([identity, *self._message("execute_reply", parent, content)])

    def _value_of(self, expression):
        """Bring what the work in this process gives, or a reply that is drawn."""
        if self.draw.random() > self.honest:
            return value_of(self.draw)
        call = expression.partition(".serve(")[2]
        text = serve(ast.literal_eval(call.removesuffix("))")))
        if self.draw.random() < (1 - self.honest) / 2:
            text = json.dumps(changed(json.loads(text), self.draw))
        return {"status": "ok", "data": {MIME_TYPE: text}, "metadata": {}}

    def _message(self, kind, parent, content):
        return self._messages.serialize(self._messages.msg(kind, content, parent))

    def _anything(self, parent):
        draw = self.draw
        if draw.random() < 0.3:
            parts = [draw.randbytes(draw.randrange(200)) for _ in range(draw.randrange(1, 8))]
            if draw.random() < 0.5:
                parts.insert(draw.randrange(len(parts)), b"<IDS|MSG>")
            return parts
        kind = draw.choice([*SENT, "execute_reply"])
        frames = self._message(kind, parent, json.dumps(any_json(draw)).encode())
        place = draw.randrange(len(frames))
        if draw.random() < 0.5:
            frames[place] = changed_bytes(frames[place], draw)
        elif draw.random() < 0.5:
            frames[place] = json.dumps(any_json(draw)).encode()
        return frames


def changed_bytes(text, draw):
    """Return bytes with a few replaced, taken away or put in."""
    text = bytearray(text)
    for _ in range(draw.randrange(1, 5)):
        place = draw.randrange(len(text) + 1)
        text[place : place + draw.randrange(3)] = draw.randbytes(draw.randrange(3))
    return bytes(text)


def value_of(draw):
    """Draw what an evaluated expression brings: mostly a reply of our exchange, well-formed."""
    if draw.random() < 0.1:
        odd = any_json(draw)
        return draw.choice([odd, {"status": "ok", "data": {MIME_TYPE: odd}}, {"status": odd}])
    text = json.dumps(reply(draw))
    if draw.random() < 0.2:
        text = changed_bytes(text.encode(), draw).decode("utf-8", "replace")
    return {"status": "ok", "data": {MIME_TYPE: text}, "metadata": {}}


def reply(draw):
    """Draw what the far end of the exchange says of a call."""
    if draw.random() < 0.2:
        names = draw.choice(
            [["ValueError", "Exception"], [], [3, None], ["\ud800"], ["\udc00"], ["x" * 10**4]]
        )
        message = draw.choice(["no", "\x1b[31mred", "\ud800", "x" * 10**5, 7])
        frames = draw.choice([[], ["line 1"], None, [[]], {"a": 1}])
        return {"error": names, "message": message, "frames": frames}
    change = [[draw.choice([0, 1, "x", None, [], 1.5]), tree(draw)]]
    said = {
        "value": tree(draw),
        "changed": draw.choice([[], [], [], change, [[]], [3], "no"]),
        "warnings": draw.choice([[], [], ["overflow"], [None], [[[]]]]),
    }
    return changed(said, draw) if draw.random() < 0.2 else said


def tree(draw, depth=3):
    """Draw a value as the exchange writes it, or nearly so."""
    numbers = [None, True, 0, 3, -1, 10**400, 0.5, -0.0, 1e308, {"float": "nan"}, {"float": "inf"}]
    kind = draw.randrange(10) if depth else draw.randrange(6)
    inside = [tree(draw, depth - 1) for _ in range(draw.randrange(4))] if depth else []
    match kind:
        case 0 | 1:
            return draw.choice(
                [*numbers, "text", "", "x" * 10**4, "\ud800", "\udc00", {"float": "1"}]
            )
        case 2 | 3:
            return array(draw)
        case 4:
            return {"object": draw.choice([0, 1, "x", -1]), "type": draw.choice(["Model", "", 3])}
        case 5:
            return any_json(draw)
        case 6:
            return inside
        case 7:
            return {"tuple": inside}
        case 8:
            return {"dict": [[tree(draw, 0), item] for item in inside]}
    return {"unsupported": draw.choice(["something", "x" * 10**4, 3])}


def array(draw):
    """Draw what the exchange writes for an array, of any type and shape, or nearly so."""
    kinds = ["f8", "f4", "f2", "g", "G", "i1", "u8", "?", "c8", "M8[s]", "m8", "S3", "U2", "V4"]
    kinds += ["i4,f8", "(2,)f4", "O", ">f8"]
    shape = draw.choice([(), (1,), (0,), (2, 3), (5,), (3, 0, 2), (1,) * 32, (4, 1, 3), (1000,)])
    made = np.zeros(shape, draw.choice(kinds))
    if made.dtype.kind in "fc":
        made += draw.choice([0.0, 1.5, np.nan, np.inf])
    tree = encode(made)
    if draw.random() < 0.1:
        text = changed_bytes(tree.get("array", "").encode(), draw)
        tree["array"] = text.decode("utf-8", "replace")
    if draw.random() < 0.1:
        tree["dtype"] = draw.choice(["O", "|O8", "<f3", "f8,i4", "<M8[xx]", "<U999999999", "", 8])
    if draw.random() < 0.1:
        shapes = [[-1], [99999999999], [0, 10**40], [None], [1.5], [True], ["3"], [[]], [1] * 99]
        tree["shape"] = draw.choice([*shapes, None, 3, "3"])
    return tree


def changed(content, draw):
    """Return a dict with one of its values, deep or not, replaced by any JSON."""
    content = dict(content)
    name = draw.choice(list(content))
    inside = content[name]
    deeper = isinstance(inside, dict) and inside and draw.random() < 0.5
    content[name] = changed(inside, draw) if deeper else any_json(draw)
    return content


def memory():
    return psutil.Process().memory_info().rss


@pytest.mark.parametrize("seed", range(8))
def test_a_cell_has_one_result_whatever_is_sent(seed):
    before = memory()
    with Session(FarEnd(random.Random(seed))) as session:
        for _ in range(12):
            begun = time.monotonic()
            result = session.run_cell("1")
            assert time.monotonic() - begun < LIMITS.cell_seconds + 5
            assert isinstance(result, CellResult) and result.status in STATUSES
            notebook = new_notebook(cells=[new_code_cell(outputs=result.outputs)])
            nbformat.validate(notebook)
            text = nbformat.writes(notebook)
            text.encode()  # no lone surrogate
            assert "NaN" not in text.replace('"NaN', "")
    assert memory() - before < 100 * MEGABYTE


@pytest.mark.parametrize("seed", range(8))
def test_an_expression_gives_a_text_or_an_error_of_ours(seed):
    with Session(FarEnd(random.Random(seed))) as session:
        given = []
        for _ in range(25):
            try:
                given.append(session.evaluate("1"))
            except EvaluationError as error:
                assert error.status in STATUSES - {"ok"}
        assert given and all(isinstance(text, str) for text in given)


# What builds networks would be right as well, and brings TensorFlow.
WITHOUT_KERAS = {name: text for name, text in quick_answers(STEM).items() if "keras" not in text}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    return create_assignment(tmp_path_factory.mktemp("course"), STEM).read_text()


@pytest.fixture
def graded(released, monkeypatch):
    """Grade a submission whose kernel answers honestly now and then, and at random otherwise."""
    if "keras" not in sys.modules:  # it must not be imported for the tests that come later
        monkeypatch.setitem(sys.modules, "keras", worker.ImportedWhenUsed("keras"))
    work = {"np": np}
    for answer in WITHOUT_KERAS.values():
        exec(answer, work)
    for name, value in work.items():
        monkeypatch.setattr(sys.modules["__main__"], name, value, raising=False)
    content = nbformat.writes(submission_notebook(STEM, quick_answers(STEM))).encode()

    def graded(seed, honest):
        class Kernels:
            def start_kernel(self):
                return FarEnd(draw, honest)

        draw = random.Random(seed)
        monkeypatch.setattr(execution, "fork_server", lambda *where: Kernels())
        digest = hashlib.sha256(str(seed).encode()).hexdigest()
        submission = Submission.of("ada", content)
        return worker.grade(Task(submission, STEM, released, digest, LIMITS, True))

    return graded


def test_an_honest_far_end_gets_its_points(graded):
    passed = {e.exercise for e in graded(0, honest=1.0).exercises if e.points}
    assert passed == WITHOUT_KERAS.keys()


@pytest.mark.parametrize("seed", range(40))
def test_a_submission_gets_its_verdict_without_an_error_of_ours(graded, seed):
    honest = random.Random(seed).choice([0.0, 0.5, 0.8, 0.9])
    had_tensorflow, before, begun = "tensorflow" in sys.modules, memory(), time.monotonic()
    result = graded(seed, honest)
    assert result.log == ""
    assert result.status in (Status.GRADED, Status.NEEDS_REVIEW)
    assert all(exercise.points == 0 for exercise in result.exercises) or honest
    assert time.monotonic() - begun < LIMITS.submission_seconds
    # What passes for a network is compared with one of Keras, which comes with 600 MB.
    brought = 800 * MEGABYTE if "tensorflow" in sys.modules and not had_tensorflow else 0
    assert memory() - before < 200 * MEGABYTE + brought
    nbformat.validate(nbformat.reads(result.notebook, as_version=4))
