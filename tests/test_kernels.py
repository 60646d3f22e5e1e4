"""Forked kernels and their sandbox, with real kernels: what works in them and what must not."""

import asyncio
import ctypes
import hashlib
import os
import platform
import re
import resource
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import nbformat
import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from autograder.kernels import session as kernel_session
from autograder.kernels.fork_server import ForkServer
from autograder.kernels.kernel import ForkServerError
from autograder.kernels.limits import Limits
from autograder.kernels.provisioner import write_kernelspec
from autograder.kernels.sandbox import sandbox_available
from autograder.kernels.session import EvaluationError, Session

# They measure seconds and memory.
pytestmark = pytest.mark.serial

REPOSITORY = Path(__file__).parent.parent
LIMITS = Limits(cell_seconds=30, memory_mb=2048, processes=100, disk_mb=64)


@pytest.fixture(scope="module")
def fork_server():
    refusal = sandbox_available()
    if refusal and os.environ.get("CI"):
        pytest.fail(f"CI must test the sandbox. {refusal}")
    if refusal:
        pytest.skip(refusal)
    with ForkServer(LIMITS) as started:
        yield started


@pytest.fixture(scope="module")
def bare_fork_server():
    with ForkServer(LIMITS, sandboxed=False) as started:
        yield started


@pytest.fixture
def session(fork_server):
    with Session(fork_server.start_kernel()) as opened:
        yield opened


@pytest.fixture
def neighbour(fork_server):
    with Session(fork_server.start_kernel()) as opened:
        yield opened


def run(session, code, **kwargs):
    return session.run_cell(textwrap.dedent(code), **kwargs)


def printed(result):
    return "".join(output.text for output in result.outputs if output.output_type == "stream")


def error_name(result):
    return next(o.ename for o in result.outputs if o.output_type == "error")


@contextmanager
def at_most(seconds):
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < seconds


def processes_with(word):
    """Return the numbers of this machine's processes whose command line has a word."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (directory / "cmdline").read_bytes():
                found.append(int(directory.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def none_left(pids, seconds=5):
    """Wait until none of the processes is left, and return whether that came true."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(os.path.exists(f"/proc/{pid}") for pid in pids):
            return True
        time.sleep(0.02)
    return False


# --- what must work ----------------------------------------------------------------------------


def test_a_kernel_answers_within_a_second_of_being_asked_for(fork_server):
    with (
        at_most(1.0),
        Session(fork_server.start_kernel()) as session,
    ):  # 0.1 s when nothing else runs
        result = run(session, "print('out'); 6 * 7")
    assert result.status == "ok" and result.alive
    assert printed(result) == "out\n"
    assert result.outputs[-1].data["text/plain"] == "42"


def test_tensorflow_and_keras_run_after_the_fork(session):
    result = run(
        session,
        """
        import keras, numpy as np, tensorflow as tf

        class Scale(keras.layers.Layer):
            def build(self, shape):
                self.w = self.add_weight(shape=(shape[-1],))
            def call(self, x):
                return x * self.w

        print(tf.nn.softmax([[0.0, 0.0]]).numpy().tolist())
        model = keras.Sequential([keras.Input((3,)), Scale(), keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(np.ones((32, 3)), np.ones((32, 1)), epochs=2, verbose=0)
        print(model.predict(np.ones((2, 3)), verbose=0).shape)
        doubled = tf.data.Dataset.range(6).map(lambda n: n * 2, num_parallel_calls=4)
        print([int(n) for n in doubled.prefetch(2)])
        """,
    )
    assert result.status == "ok", result
    assert printed(result) == "[[0.5, 0.5]]\n(2, 1)\n[0, 2, 4, 6, 8, 10]\n"


OPERATIONS_WITH_A_GRAPH = """
import tensorflow as tf
from tensorflow.python.eager import context

tf.constant(1.0) + 1.0
print(sum("__wrapped__" in name for name in context.context().list_function_names()))
"""


def test_an_operation_is_run_without_a_graph_around_it(session):
    # In a new process the graphs take a third of the time of a small model.
    assert printed(run(session, OPERATIONS_WITH_A_GRAPH)) == "0\n"
    elsewhere = subprocess.run(
        [sys.executable, "-c", OPERATIONS_WITH_A_GRAPH], capture_output=True, text=True, check=True
    )
    assert int(elsewhere.stdout) > 0


def test_stderr_and_what_other_programs_print_is_recorded(session):
    result = run(
        session,
        """
        import os, subprocess, sys, warnings
        print("python", file=sys.stderr)
        os.write(2, b"c\\n")
        warnings.warn("careful")
        _ = subprocess.run(["echo", "program"])
        """,
    )
    assert result.status == "ok"
    said = {output.name: output.text for output in result.outputs}
    assert said["stdout"] == "program\n"
    for text in ("python\n", "c\n", "careful"):
        assert text in printed(result)


def test_a_plot_is_shown(session):
    result = run(session, "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
    assert "image/png" in result.outputs[0].data


def test_kernels_are_fresh_and_draw_the_same_unseeded_numbers(fork_server, neighbour):
    code = "import random, numpy as np; str((random.random(), np.random.rand()))"
    run(neighbour, "y = 1")
    with Session(fork_server.start_kernel()) as one, Session(fork_server.start_kernel()) as other:
        first, second = run(one, "x = 1; " + code), run(other, code)
    assert first.outputs[0].data == second.outputs[0].data
    assert error_name(run(neighbour, "x")) == "NameError"


def test_evaluate_returns_the_very_text(session):
    text = "a 'quoted' \"text\" \\ with\nlines, \u2028, é, \U0001f40d and \x00"
    run(session, f"text = {text!r}; number = 1")
    assert session.evaluate("text") == text
    for expression, words in (("number", "is not a string"), ("1 / 0", "ZeroDivisionError")):
        with pytest.raises(EvaluationError, match=words) as caught:
            session.evaluate(expression)
        assert caught.value.status == "error"
    assert session.evaluate("text[:1]") == "a"


def test_evaluate_is_quick_and_carries_large_arrays(session):
    run(session, "import base64, numpy as np; a = np.random.rand(1 << 20); text = 'x'")
    session.evaluate("text")
    begun = time.monotonic()
    for _ in range(20):
        session.evaluate("text")
    assert (time.monotonic() - begun) / 20 < 0.05  # 2 ms when nothing else runs
    with at_most(5):
        assert len(session.evaluate("base64.b64encode(a).decode()")) == 11184812


def test_an_endless_or_forged_value_is_refused(fork_server):
    with Session(fork_server.start_kernel()) as session:
        with pytest.raises(EvaluationError) as caught:
            session.evaluate("'x' * 50_000_000")
        assert caught.value.status == "output"
        assert session.evaluate("'still here'") == "still here"
        run(session, "class S(str):\n    def __repr__(self): return '__import__(\"os\").getpid()'")
        assert session.evaluate("S('x')") == "x"
        with pytest.raises(EvaluationError) as caught:
            session.evaluate("__import__('time').sleep(60)", seconds=0.3)
        assert caught.value.status == "timeout"
        forged = {"value": {"status": "ok", "data": {"text/plain": "'x'"}, "metadata": {}}}
        run(
            session,
            f"""
            session = get_ipython().kernel.session
            def send(stream, kind, content=None, *rest, send=session.send, **more):
                if kind == "execute_reply":
                    content = content | {{"user_expressions": {forged}}}
                return send(stream, kind, content, *rest, **more)
            session.send = send
            """,
        )
        with pytest.raises(EvaluationError, match="not a string"):
            session.evaluate("'x'")


ERRORS = {
    "def __str__(self): raise ValueError": "its __str__ raised ValueError",
    "def __str__(self): raise self": "its __str__ raised Answered",
    "def __str__(self): return 3": "its __str__ raised TypeError",
    "def __str__(self): return str(self)": "its __str__ raised RecursionError",
    "def __str__(self): raise SystemExit": "its __str__ raised SystemExit",
    "def __str__(self): raise BaseException": "its __str__ raised BaseException",
    "def __str__(self): raise KeyboardInterrupt": "its __str__ raised KeyboardInterrupt",
    "def __str__(self): return 'x' * 50_000_000": "x" * 1900,
    r"def __str__(self): return '\ud800'": r"\?",
    r"def __str__(self): return '\udc00'": r"\?",
    "__class__ = property(lambda self: 1 / 0)": "what",
    "def __getattribute__(self, name): raise ValueError": "what",
}


@pytest.mark.parametrize("body", ERRORS)
@pytest.mark.parametrize("kind", ["Exception", "BaseException", "SyntaxError"])
def test_an_error_that_is_hard_to_describe_is_an_answer(session, body, kind):
    run(
        session, f"class Answered({kind}):\n    {body}\n\ndef raises():\n    raise Answered('what')"
    )
    with at_most(3):
        with pytest.raises(EvaluationError, match=f"Answered: .*{ERRORS[body]}") as caught:
            session.evaluate("raises()")
    assert caught.value.status == "error" and session.alive


@pytest.mark.parametrize("body", ERRORS)
def test_an_error_that_is_hard_to_describe_is_shown_by_its_cell(session, body):
    run(session, f"class Answered(Exception):\n    {body}\n")
    with at_most(15):  # 0.3 s when nothing else runs
        result = run(session, "raise Answered('what')")
    assert result.status == "error" and error_name(result) in ("Answered", "KeyboardInterrupt")
    assert not result.truncated
    assert printed(run(session, "print('after')")) == "after\n"


@pytest.mark.parametrize(
    "code",
    [
        "raise type('x' * 20_000_000, (Exception,), {})('what')",
        "raise ValueError('x\\n' * 20_000_000)",
        "try:\n    raise ValueError('x' * 50_000_000)\nexcept ValueError:\n    raise KeyError('a')",
        "error = ValueError('what')\nerror.add_note('x' * 50_000_000)\nraise error",
    ],
    ids=["name", "lines", "context", "note"],
)
def test_the_end_of_a_long_error_is_shown(session, code):
    result = run(session, code)
    assert result.status == "error" and not result.truncated
    (output,) = result.outputs
    assert 0 < sum(map(len, output.traceback)) <= 200_000
    assert printed(run(session, "print('after')")) == "after\n"


def test_an_error_whose_message_has_no_end_is_stopped_and_the_kernel_stays(session):
    code = """
        class Endless(Exception):
            def __str__(self):
                while True:
                    pass
        kept = 7
        raise Endless
    """
    result = run(session, code, seconds=2)
    assert result.status == "timeout" and result.alive
    assert error_name(result) == "Endless"
    assert printed(run(session, "print(kept)")) == "7\n"


def test_the_name_of_an_error_is_that_of_its_class(session):
    run(
        session,
        """
        class Meta(type):
            __name__ = property(lambda self: 1 / 0)

        class Answered(Exception, metaclass=Meta):
            pass

        def raises():
            raise Answered("what")
        """,
    )
    with at_most(3), pytest.raises(EvaluationError, match="Answered: what"):
        session.evaluate("raises()")


def test_a_value_that_cannot_be_sent_is_an_error(session):
    with at_most(3), pytest.raises(EvaluationError, match="UnicodeEncodeError"):
        session.evaluate(r"'\ud800'")


def test_a_figure_that_an_expression_makes_is_not_shown_by_the_next_cell(session):
    run(session, "import matplotlib.pyplot as plt")
    assert session.evaluate("'x' if plt.plot([1, 2]) else ''") == "x"
    assert not run(session, "x = 1").outputs


# --- time, memory, processes, output -----------------------------------------------------------


def test_an_endless_loop_is_interrupted_and_the_kernel_stays(session):
    run(session, "x = 1")
    with at_most(5):
        result = run(session, "while True: pass", seconds=0.5)
    assert result.status == "timeout" and result.alive
    assert run(session, "x").outputs[0].data["text/plain"] == "1"


def test_a_loop_that_ignores_interrupts_is_killed(session):
    with at_most(10):
        result = run(
            session,
            """
            import signal
            signal.signal(signal.SIGINT, lambda number, frame: None)
            while True: pass
            """,
            seconds=0.5,
        )
    assert result.status == "timeout" and not result.alive
    assert run(session, "1").status == "died"


@pytest.mark.parametrize(
    "code, words",
    [
        ("import os; os._exit(3)", "it exited with code 3"),
        ("import os; os.kill(os.getpid(), 9)", "it was killed by signal 9 (Killed)"),
        ("import ctypes; ctypes.string_at(0)", "it was killed by signal 11 (Segmentation fault)"),
        ("import os; os.abort()", "it was killed by signal 6 (Aborted)"),
    ],
)
def test_a_death_is_noticed_at_once(session, code, words):
    with at_most(2):  # 30 ms when nothing else runs
        result = run(session, "print('before', flush=True)\n" + code)
    assert result.status == "died" and not result.alive
    assert session.kernel.poll().reason == words
    with pytest.raises(EvaluationError, match=f"^the kernel ended: {re.escape(words)}$"):
        session.evaluate("'text'")


@pytest.mark.parametrize(
    "code",
    ["os.execvp('sleep', ['sleep', '60'])", "os.closerange(3, 1000)"],
    ids=["another program", "no sockets"],
)
def test_a_kernel_that_nobody_can_reach_is_dead(session, code):
    with at_most(15):
        result = run(session, f"import os, time\n{code}\ntime.sleep(60)")
    assert (result.status, result.alive) == ("died", False)


def test_a_kernel_that_closes_its_sockets_has_not_sent_too_much(session):
    # As at its end, which may come long after its sockets are closed when the machine is busy.
    close = """
        import time
        thread = get_ipython().kernel.iopub_thread
        print("said", flush=True)
        time.sleep(0.3)
        thread.schedule(thread.socket.close)
    """
    result = run(session, close)
    assert printed(result) == "said\n" and not result.truncated


def test_system_exit_is_an_error(session):
    assert error_name(run(session, "raise SystemExit")) == "SystemExit"
    assert error_name(run(session, "import sys; sys.exit(1)")) == "SystemExit"
    assert session.alive


def test_input_is_an_error_at_once(session):
    with at_most(5):
        result = run(session, "input()")
    assert result.status == "error" and "Stdin" in error_name(result)


def test_a_huge_allocation_is_a_memory_error(session):
    result = run(session, "import numpy as np; np.zeros(64 << 27)")
    assert result.status == "memory" and result.alive
    assert run(session, "import numpy as np; np.ones(1 << 26).sum()").status == "ok"
    assert run(session, "import mmap; mmap.mmap(-1, 64 << 30)").status == "error"


def test_processes_that_hold_too_much_together_are_killed(session, neighbour):
    result = run(
        session,
        """
        import os, time
        for _ in range(4):
            if os.fork() == 0:
                held = bytearray(os.urandom(1)) * (1 << 30)
                time.sleep(60)
        time.sleep(20)
        """,
    )
    assert result.status == "memory" and not result.alive
    assert run(neighbour, "1").status == "ok"


def test_new_programs_get_no_credit_for_what_the_fork_server_holds(session, neighbour):
    result = run(
        session,
        """
        import subprocess, sys, time
        hold = "held = bytearray(b'x') * (100 << 20); import time; time.sleep(60)"
        programs = [subprocess.Popen([sys.executable, "-IS", "-c", hold]) for _ in range(30)]
        time.sleep(25)
        """,
    )
    assert result.status == "memory" and not result.alive
    assert run(neighbour, "1").status == "ok"


@pytest.mark.parametrize("pair", ["socket.socketpair()", "tcp('127.0.0.1')", "tcp('::1')"])
def test_sockets_count_for_what_they_may_hold(session, neighbour, pair):
    result = run(
        session,
        f"""
        import os, socket, time

        def tcp(address):
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            with socket.create_server((address, 0), family=family) as server:
                sender = socket.create_connection(server.getsockname()[:2])
                return sender, server.accept()[0]

        for _ in range(10):
            if os.fork() == 0:
                pairs = [{pair} for _ in range(480)]
                time.sleep(60)
        time.sleep(20)
        """,
    )
    assert result.status == "memory" and not result.alive
    assert run(neighbour, "1").status == "ok"


def test_sockets_keep_their_usual_size(session):
    result = run(
        session,
        """
        import socket
        one, other = socket.socketpair()
        usual = [one.getsockopt(socket.SOL_SOCKET, name) for name in (7, 8)]
        for name in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            one.setsockopt(socket.SOL_SOCKET, name, 4 << 20)  # and no error
        print([one.getsockopt(socket.SOL_SOCKET, name) for name in (7, 8)] == usual)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # others are set
        print(one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
        with socket.create_server(("127.0.0.1", 0)) as server:
            with socket.create_connection(server.getsockname()) as sender, server.accept()[0]:
                sender.setblocking(False)
                sent = 0
                try:
                    while True:
                        sent += sender.send(bytes(100_000))
                except BlockingIOError:
                    print(sent < 1_000_000)
        """,
    )
    assert printed(result) == "True\n1\nTrue\n", printed(result)


def test_a_process_of_any_name_ends_no_accounting(session, neighbour):
    result = run(
        session,
        r"""
        import ctypes, os, time
        for name in (b"\xff\xfe) 1 (", b") R 0 0 0", b"\n\n12\n", b""):
            if os.fork() == 0:
                ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
                time.sleep(30)
        time.sleep(2)
        """,
    )
    assert result.status == "ok"
    assert run(neighbour, "1").status == "ok"


def test_idle_forks_of_much_memory_hold_nobody_up(fork_server, session):
    result = run(
        session,
        """
        import os, time
        held = bytearray(b"x") * (1500 << 20)
        for _ in range(60):
            if os.fork() == 0:
                time.sleep(60)
        time.sleep(3)
        """,
    )
    assert result.status == "ok" and result.alive  # they share it
    with at_most(5), Session(fork_server.start_kernel()) as other:
        assert run(other, "1").status == "ok"


def test_a_memory_accounting_that_stops_is_replaced(fork_server, session):
    below = psutil.Process(fork_server.pid).children(recursive=True)
    # Kernels of earlier tests may still be there as zombies, which have no command line.
    living = (process for process in below if process.status() != psutil.STATUS_ZOMBIE)
    (accounting,) = (p for p in living if "memory_accounting.py" in " ".join(p.cmdline()))
    accounting.suspend()
    hog = "held = bytearray(b'x') * (100 << 20)\nimport time; time.sleep(60)"
    held_too_much = f"""
        import subprocess, sys, time
        hog = {hog!r}
        programs = [subprocess.Popen([sys.executable, "-IS", "-c", hog]) for _ in range(30)]
        time.sleep(50)
        """
    assert run(session, held_too_much, seconds=60).status == "memory"
    assert none_left([accounting.pid])


def test_floods_are_truncated_and_our_memory_is_bounded(session):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    flood = run(session, "for _ in range(200_000): print('spam' * 20)")
    assert flood.status == "ok" and flood.truncated
    assert len(printed(flood)) < 1.1 * LIMITS.output_bytes
    line = run(session, "print('x' * 1_000_000_000)", seconds=60)
    assert line.status == "ok" and line.truncated and "dropped" in printed(line)
    assert len(printed(line)) < 1.1 * LIMITS.output_bytes
    shown = run(session, "display({'text/plain': 'x' * 100_000_000}, raw=True)")
    assert shown.status == "ok" and "a single one" in printed(shown)
    assert printed(run(session, "print('after')")) == "after\n"
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kb < 150_000


def test_a_kernel_does_not_keep_what_it_has_printed(session):
    for _ in range(20):  # of which eight would fill its memory
        line = run(session, "print('x' * 250_000_000)")
        assert line.status == "ok" and line.truncated


SLOW_SENDER = """
    import time
    messages = get_ipython().kernel.session

    def pack(value, pack=messages.pack):
        time.sleep(0.3 if "text" in value else 0)
        return pack(value)

    messages.pack = pack
"""


def test_what_is_being_sent_when_a_cell_ends_is_its_output(session):
    run(session, SLOW_SENDER)
    # What it has printed is on its way 0.2 s later, and for 0.3 s.
    result = run(session, "print('on its way')\ntime.sleep(0.35)")
    assert printed(result) == "on its way\n"


NO_MEMORY_TO_SEND = """
    messages = get_ipython().kernel.session

    def pack(value, pack=messages.pack):
        if len(value.get("text", "")) > 1000:
            raise MemoryError
        return pack(value)

    messages.pack = pack
"""


@pytest.mark.parametrize(
    "before, code",
    [(NO_MEMORY_TO_SEND, "print('x' * 2000)"), ("", r"print('a lone surrogate: \ud800')")],
)
def test_a_cell_says_at_once_that_an_output_could_not_be_sent(session, before, code):
    run(session, before)
    with at_most(3):
        for wait in ("", "\nimport time; time.sleep(0.3)"):
            result = run(session, code + wait)
            assert result.status == "ok" and "dropped" in printed(result)
            assert "Traceback" not in printed(result)
    assert printed(run(session, "print('after')")) == "after\n"


def test_what_other_programs_print_last_is_the_cells_output(session):
    for _ in range(100):
        assert printed(run(session, "import os; _ = os.write(1, b'last\\n')")) == "last\n"


def test_a_message_without_end_ends_its_kernel(fork_server, monkeypatch):
    monkeypatch.setattr(kernel_session, "BYTES_HELD", 200_000_000)
    before = psutil.Process().memory_info().rss
    flood = """
        import time, zmq
        thread = get_ipython().kernel.iopub_thread
        part = bytes(1_000_000)

        def flood():
            while True:
                thread.socket.send(part, zmq.SNDMORE)

        thread.schedule(flood)
        time.sleep(60)
    """
    with Session(fork_server.start_kernel()) as session:
        result = run(session, flood, seconds=60)
    assert (result.status, result.alive) == ("memory", False)
    # ZeroMQ frees its queue in a thread of its own, and malloc gives back what it is told to.
    deadline = time.monotonic() + 10
    while (grown := psutil.Process().memory_info().rss - before) >= 100_000_000:
        assert time.monotonic() < deadline, grown
        ctypes.CDLL(None).malloc_trim(0)
        time.sleep(0.1)


def test_a_fork_bomb_stays_in_its_room(session, neighbour):
    with at_most(40):
        result = run(
            session,
            """
            import os
            while True:
                try: os.fork()
                except OSError: pass
            """,
            seconds=2,
        )
        assert result.status == "timeout"
        assert run(neighbour, "import os; os.system('true')", seconds=20).status == "ok"
        kernel = session.kernel
        kernel.kill()
        assert kernel.wait(10)
    begun = time.monotonic()
    assert run(neighbour, "1").status == "ok"
    assert time.monotonic() - begun < 5


def test_threads_run_out_and_come_back(session):
    result = run(
        session,
        """
        import threading
        stop, threads = threading.Event(), []
        try:
            for _ in range(1000):
                threads.append(threading.Thread(target=stop.wait))
                threads[-1].start()
        finally:
            stop.set()
            for thread in threads[:-1]: thread.join()
        """,
    )
    assert error_name(result) == "RuntimeError"
    assert run(session, "import tensorflow as tf; tf.nn.softmax([1.0])").status == "ok"


def test_a_daemon_dies_with_its_session(fork_server):
    mark = f"{os.getpid()}.25"
    with Session(fork_server.start_kernel()) as session:
        run(
            session,
            f"""
            import subprocess
            script = "trap '' TERM HUP; sleep {mark} & sleep {mark}"
            subprocess.Popen(["setsid", "sh", "-c", script])
            """,
        )
        deadline = time.monotonic() + 5
        while not (daemons := processes_with(mark)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert daemons
    assert none_left(daemons)


def test_the_disk_is_small(session):
    for place in ("/tmp/x", "/dev/shm/x", "x"):
        assert run(session, f"open({place!r}, 'wb').write(bytes(100 << 20))").status == "error"
    result = run(session, "for i in range(9): open(f'{i}', 'wb').write(bytes(20 << 20))")
    assert "No space" in str(result.outputs)


# --- what must not be there --------------------------------------------------------------------


def test_nothing_of_ours_is_visible(session):
    result = run(
        session,
        """
        import os, sys
        found = []
        for top, folders, files in os.walk("/", topdown=True):
            if top.startswith(("/proc", "/sys", "/usr")) or "/site-packages/" in top:
                folders.clear()
                continue
            found += [os.path.join(top, name) for name in folders + files]
        """,
    )
    assert result.status == "ok", result
    seen = session.evaluate("'\\n'.join(found)").splitlines()
    ours = [path for path in seen if path.startswith(f"{REPOSITORY}/")]
    allowed = tuple(str(REPOSITORY / name) for name in ("coursekit", ".venv"))
    assert ours and all(path.startswith(allowed) for path in ours)
    for word in ("hidden", "gradebook", "submitted", "fork_server", "claim"):
        assert not [
            p for p in seen if word in p and not p.startswith((sys.prefix, sys.base_prefix))
        ]
    for name in ("autograder", "autograder.hidden", "solutions", "tests"):
        assert error_name(run(session, f"import {name}")) == "ModuleNotFoundError"
    assert run(session, "import coursekit.checks").status == "ok"


def test_there_is_no_sign_of_grading(session):
    result = run(
        session,
        """
        import os, sys
        signs = [*os.environ.items(), *sys.argv, *sys.modules, os.getcwd(), os.uname().nodename]
        pids = [name for name in os.listdir("/proc") if name.isdigit()]
        signs += [open(f"/proc/{pid}/cmdline").read() for pid in pids]
        print([s for s in map(str, signs) if "grade" in s.lower() or "JPY_PARENT" in s])
        """,
    )
    assert printed(result).replace("'upgrade'", "") == "[]\n", printed(result)


SYSTEM_CALLS = {"shmget": 29, "msgget": 68, "add_key": 248, "keyctl": 250, "io_uring_setup": 425}
SYSTEM_CALLS |= {"memfd_create": 319, "memfd_secret": 447}
SYSTEM_CALLS |= {"inotify_init": 253, "inotify_init1": 294, "fanotify_init": 300}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize("name", SYSTEM_CALLS)
def test_what_reaches_past_the_namespaces_is_refused(session, name):
    code = f"""
        import ctypes, errno
        libc = ctypes.CDLL(None, use_errno=True)
        result = libc.syscall({SYSTEM_CALLS[name]}, 0, 4096, 0o1600, 0, 0)
        print(result, errno.errorcode.get(ctypes.get_errno()))
    """
    assert printed(run(session, code)) == "-1 ENOSYS\n"


# How one submission tells another something by a file that both may only read, and whether the
# other has heard it.
SHARED_FILE = "import fcntl, numpy, struct\nfile = open(numpy.__file__)\n"
WHOLE = 'struct.pack("hhqqi4x", fcntl.{}, 0, 0, 0, 0)'


@pytest.mark.parametrize(
    "tell, hear",
    [
        (
            "fcntl.flock(file, fcntl.LOCK_EX)",
            "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\nheard = False",
        ),
        (
            f"fcntl.fcntl(file, fcntl.F_SETLK, {WHOLE.format('F_RDLCK')})",
            f"found = fcntl.fcntl(file, fcntl.F_GETLK, {WHOLE.format('F_WRLCK')})\n"
            "heard = struct.unpack_from('h', found)[0] != fcntl.F_UNLCK",
        ),
        (
            f"fcntl.fcntl(file, fcntl.F_OFD_SETLK, {WHOLE.format('F_RDLCK')})",
            f"found = fcntl.fcntl(file, fcntl.F_GETLK, {WHOLE.format('F_WRLCK')})\n"
            "heard = struct.unpack_from('h', found)[0] != fcntl.F_UNLCK",
        ),
    ],
    ids=["flock", "lock of a process", "lock of an open file"],
)
def test_no_lock_on_pythons_own_files_reaches_a_neighbour(session, neighbour, tell, hear):
    assert run(session, SHARED_FILE + tell).status == "ok"
    assert printed(run(neighbour, f"{SHARED_FILE}{hear}\nprint(heard)")) == "False\n"


@pytest.mark.parametrize("command", ["F_NOTIFY", "F_SETLEASE"])
def test_nobody_watches_who_opens_pythons_own_files(session, command):
    code = f"""
        import errno, fcntl, os, numpy
        for path in (os.path.dirname(numpy.__file__), numpy.__file__):
            try:
                fcntl.fcntl(os.open(path, os.O_RDONLY), fcntl.{command}, 1)
            except OSError as error:
                print(errno.errorcode[error.errno])
    """
    assert printed(run(session, code)) == "ENOSYS\nENOSYS\n"


def test_terminals_are_few_and_each_submissions_own(session, neighbour):
    code = """
        import os
        opened = []
        try:
            while True:
                opened.append(os.openpty())
        except OSError:
            print(len(opened))
    """
    assert 8 <= int(printed(run(session, code))) <= 64
    assert "8" in printed(run(neighbour, "!expr 3 + 5"))
    assert printed(run(neighbour, "import os; print(len(os.listdir('/dev/pts')))")) == "1\n"


def test_neighbours_are_out_of_reach(session, neighbour):
    run(
        neighbour, "import os; secret = os.urandom(8).hex(); open('/tmp/secret', 'w').write(secret)"
    )
    result = run(
        session,
        """
        import os
        print(sorted(int(n) for n in os.listdir("/proc") if n.isdigit()))
        print(os.path.exists("/tmp/secret"), os.listdir("/run"), os.listdir("/run/jupyter"))
        print(sorted(os.listdir("/run/kernel")))
        """,
    )
    processes, places, own = printed(result).splitlines()
    assert processes == "[1, 2]"
    assert places == "False ['jupyter', 'kernel'] []"
    assert own == "['s-1', 's-2', 's-3', 's-4', 's-5']"
    assert run(session, "open('/proc/1/environ').read()").status == "error"
    assert run(session, "import os; os.kill(1, 9)").alive


def test_no_kernel_holds_the_key_of_another(fork_server, neighbour, monkeypatch):
    """With a key one could speak to a kernel in its owner's name."""
    requests = []

    def send_fds(control, texts, files, real=socket.send_fds):
        requests.extend(texts)
        return real(control, texts, files)

    monkeypatch.setattr(socket, "send_fds", send_fds)
    with Session(fork_server.start_kernel()) as first, Session(fork_server.start_kernel()) as last:
        keys = [one.kernel.connection["key"] for one in (neighbour, first, last)]
        # What the fork server never reads, none of its forks can remember.
        assert len(requests) == 2 and not any(keys[n].encode() in requests[n - 1] for n in (1, 2))
        found = printed(
            run(
                last,
                """
                import hashlib, re
                found = set()
                with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
                    for line in maps:
                        span, rights, *_ = line.split()
                        start, end = (int(place, 16) for place in span.split("-"))
                        if "rw" in rights and "[v" not in line:
                            memory.seek(start)
                            for text in re.findall(rb"[0-9a-f]{32,}", memory.read(end - start)):
                                found.add(hashlib.sha256(text).hexdigest())
                print(found)
                """,
            )
        )
        marks = [hashlib.sha256(key.encode()).hexdigest() for key in keys]
    assert [mark in found for mark in marks] == [False, False, True]


def test_the_network_is_blocked(session):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for call in (
            f"socket.create_connection(('127.0.0.1', {port}), 5)",
            "socket.create_connection(('192.0.2.1', 80), 5)",
            "socket.getaddrinfo('example.org', 80)",
        ):
            with at_most(10):
                assert run(session, f"import socket; {call}").status == "error"


def test_no_port_of_virtual_machines_is_shared_with_a_neighbour(session, neighbour):
    """A network namespace does not divide them."""
    code = """
        import errno, socket
        try:
            taken = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
            taken.bind((socket.VMADDR_CID_ANY, 424242))
        except OSError as error:
            print(errno.errorcode[error.errno])
    """
    for one in (session, neighbour):
        assert printed(run(one, code)) == "EAFNOSUPPORT\n"


def test_nothing_can_be_changed_and_no_power_is_left(session):
    result = run(
        session,
        """
        import ctypes, os, sys
        import numpy
        kept = []
        for path in (numpy.__file__, sys.prefix + "/x", "/usr/x", "/etc/passwd", "/x", "/run/x",
                     "/dev/x"):
            try: open(path, "a")
            except OSError: kept.append(path)
        print(len(kept))
        libc = ctypes.CDLL(None)
        print(libc.unshare(0x10000000), libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
        print(libc.umount2(b"/run/jupyter", 2), libc.setuid(0))
        """,
    )
    assert printed(result) == "7\n-1 -1\n-1 -1\n"
    removed = run(session, "!rm -rf ~ / --no-preserve-root 2>/dev/null; ls /usr/bin | head -1")
    assert removed.status == "ok" and printed(removed).strip()


# --- the fork server ------------------------------------------------------------------------------


def test_a_fork_server_that_died_is_started_again():
    with ForkServer(LIMITS, modules=["numpy"]) as fork_server:
        with Session(fork_server.start_kernel()) as session:
            os.kill(fork_server.pid, signal.SIGKILL)
            with at_most(3):
                assert run(session, "import time; time.sleep(20)").status == "died"
        with Session(fork_server.start_kernel()) as session:
            assert run(session, "1").status == "ok"


def test_a_thread_may_start_it_and_end(fork_server):
    sessions = []

    def work():
        other = ForkServer(LIMITS, modules=["numpy"])
        sessions.append((other, Session(other.start_kernel())))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    [(other, session)] = sessions
    time.sleep(0.2)
    assert run(session, "1").status == "ok"
    session.close()
    other.close()


@pytest.mark.parametrize("sandboxed", [True, False])
def test_everything_dies_with_a_killed_parent(fork_server, sandboxed):
    mark = f"{os.getpid()}.{int(sandboxed)}5"
    code = f"""
        import time
        from autograder.kernels.session import Session
        from autograder.kernels.limits import Limits
        from autograder.kernels.fork_server import ForkServer
        fork_server = ForkServer(Limits(), sandboxed={sandboxed}, modules=["numpy"])
        session = Session(fork_server.start_kernel())
        session.run_cell("import subprocess; p = subprocess.Popen(['sleep', '{mark}'])")
        print(fork_server.pid, fork_server._directory, flush=True)
        session.run_cell("while True: pass")
        """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    pid, directory = parent.stdout.readline().split()
    asleep = [pid for pid in processes_with(mark) if pid != parent.pid]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert asleep and none_left([int(pid), *asleep])
    # What it could not remove itself, the next one removes.
    assert os.path.exists(directory)
    with ForkServer(LIMITS, sandboxed=False, modules=["numpy"]):
        assert not os.path.exists(directory)


def test_a_fork_server_that_cannot_start_says_why():
    with pytest.raises(ForkServerError, match="No module named 'no_such_module'"):
        ForkServer(None, sandboxed=False, modules=["no_such_module"]).start()


def test_without_the_sandbox(bare_fork_server, tmp_path):
    with Session(bare_fork_server.start_kernel(cwd=tmp_path)) as session:
        assert run(session, "import tensorflow as tf; tf.nn.softmax([1.0])").status == "ok"
        assert run(session, "import numpy as np; np.zeros(64 << 27)").status == "memory"
        assert run(session, "while True: pass", seconds=0.5).status == "timeout"
        assert run(session, "import os; os.getcwd()").outputs[0].data["text/plain"] == repr(
            str(tmp_path)
        )
        assert run(session, "import os; os._exit(1)").status == "died"


# --- by a kernel's name ------------------------------------------------------------------------


def kernel_manager(directory):
    folder = write_kernelspec(directory, "forked")
    specs = KernelSpecManager(kernel_dirs=[str(folder.parent)])
    return AsyncKernelManager(kernel_name="forked", kernel_spec_manager=specs)


def test_nbclient_executes_a_notebook(tmp_path):
    (tmp_path / "here.txt").write_text("")
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("import os, keras; sorted(os.listdir())"),
            nbformat.v4.new_code_cell("print(float(keras.ops.exp(0.0)))"),
        ]
    )
    manager = kernel_manager(tmp_path)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, km=manager, timeout=60, resources=resources).execute()
    assert "here.txt" in notebook.cells[0].outputs[0].data["text/plain"]
    assert notebook.cells[1].outputs[-1].text == "1.0\n"


def test_a_host_interrupts_restarts_and_kills(tmp_path):
    async def life():
        manager = kernel_manager(tmp_path)
        await manager.start_kernel(cwd=str(tmp_path))
        client = manager.client()
        client.start_channels()
        await client.wait_for_ready(timeout=20)
        request = client.execute("import time; time.sleep(60)")
        await asyncio.sleep(0.3)
        await manager.interrupt_kernel()
        reply = await client.get_shell_msg(timeout=10)
        assert reply["parent_header"]["msg_id"] == request
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        client.stop_channels()
        await manager.restart_kernel(now=True)
        client = manager.client()
        client.start_channels()
        await client.wait_for_ready(timeout=20)
        assert await manager.is_alive()
        client.execute("import os; os._exit(4)")
        for _ in range(200):
            if not await manager.is_alive():
                break
            await asyncio.sleep(0.02)
        assert not await manager.is_alive()
        client.stop_channels()
        await manager.shutdown_kernel(now=True)
        assert not manager.has_kernel

    asyncio.run(asyncio.wait_for(life(), 60))
