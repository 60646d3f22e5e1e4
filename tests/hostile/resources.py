"""Cases 24-32: submissions that use up time, memory, processes or output, or end their kernel.

All are bounded, so that they harm nobody where they meet no limit: processes end by themselves
after seconds, memory is reserved and not touched, or touched up to a few gigabytes.
"""

from autograder.results import Flag, Outcome, Status
from hostile.submissions import Case, atop, below, insert, inside

# A comment in the command line of every process that a case leaves behind, to look for.
LEFT_BEHIND = "hostile-left-behind"
HIT = frozenset({"make_windows"})


def hit(number, name, what, answers=None, outcome=Outcome.FAILED, **more):
    """A case that loses one exercise in the middle, and no other."""
    outcomes = outcome if isinstance(outcome, tuple) else (outcome,)
    return Case(
        number,
        name,
        what,
        answers=answers or {},
        lost=HIT,
        outcomes={"make_windows": outcomes},
        **more,
    )


def forged(name, what, cell):
    """A case whose cell, before the last check, puts a reply of its own in place of `serve`'s."""
    return Case(
        24,
        name,
        what,
        cells={"fit_forecaster_check": cell},
        lost=frozenset({"fit_forecaster"}),
        outcomes={"fit_forecaster": (Outcome.NOT_GRADED,)},
        status=Status.NEEDS_REVIEW,
        seconds=15,
    )


# A slow machine may not hand out so much memory within the time of a cell.
HELD_TOO_MUCH = (Outcome.MEMORY_LIMIT, Outcome.TIME_LIMIT)
FOR_EVER = "while True:\n    pass"
UNSTOPPABLE = """\
import time
while True:
    try:
        time.sleep(0.01)
    except BaseException:
        pass"""
SEGFAULT = "import ctypes\nctypes.string_at(0)"
SUICIDE = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
DAEMON = f"""\
import subprocess, sys
subprocess.Popen(
    [sys.executable, "-c", '''
import os, time  # {LEFT_BEHIND}
if os.fork() == 0:
    os.setsid()
    time.sleep(25)
    for folder in ("/tmp", os.path.expanduser("~")):
        open(folder + "/hostile_late.txt", "w").write("late")
'''],
    start_new_session=True, stdin=-3, stdout=-3, stderr=-3)"""
FORKS = """\
import os, time
children = 0
while children < 400:
    try:
        if os.fork() == 0:
            time.sleep(4)
            os._exit(0)
    except OSError:
        break
    children += 1
raise RuntimeError(f"{children} children")"""
WORDLESS = """\
class Wordless(Exception):
    def __str__(self):
        raise self
raise Wordless"""
GIGABYTES = "reserved = np.zeros(2**33)"
GROWTH = """\
held = []
for _ in range(96):
    held.append(np.ones(2**23))"""

CASES = [
    # --- 24: time ---
    hit(
        24,
        "loop_in_cell",
        "an endless loop in an answer's cell",
        below("make_windows", FOR_EVER),
        Outcome.TIME_LIMIT,
    ),
    hit(
        24,
        "loop_in_function",
        "an endless loop in an answer's function",
        inside("make_windows", FOR_EVER),
        Outcome.TIME_LIMIT,
    ),
    Case(
        24,
        "loop_in_extra_cell",
        "right answers, and an endless loop in a cell between them",
        cells={"make_windows": FOR_EVER},
    ),
    hit(
        24,
        "swallows_interrupts",
        "an endless loop that catches every interrupt",
        inside("make_windows", UNSTOPPABLE),
        Outcome.TIME_LIMIT,
    ),
    hit(
        24,
        "ignores_signals",
        "ignores SIGINT and SIGTERM, then loops in C code that never looks at signals",
        below(
            "make_windows",
            "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsum(range(10**14))",
        ),
        Outcome.TIME_LIMIT,
    ),
    hit(
        24,
        "endless_regular_expression",
        "a regular expression that backtracks for ever",
        inside("make_windows", "import re\nre.match('(a+)+$', 'a' * 60 + 'b')"),
        Outcome.TIME_LIMIT,
    ),
    Case(
        24,
        "model_hangs",
        "an object that is made at once and, when a check calls it, does not come back",
        answers={
            "create_rnn": """\
class Model:
    def count_params(self):
        while True:
            pass


def create_rnn(*args):
    return Model()"""
        },
        lost=frozenset({"create_rnn"}),
        outcomes={"create_rnn": (Outcome.TIME_LIMIT,)},
    ),
    Case(
        24,
        "hangs_at_exit",
        "right answers; an `atexit` function, a thread and a destructor that do not end",
        cells={
            "end": """\
import atexit, threading, time


class Stays:
    def __del__(self):
        time.sleep(3600)


stays = Stays()
atexit.register(time.sleep, 3600)
threading.Thread(target=time.sleep, args=(3600,)).start()"""
        },
    ),
    # Forged replies that are cheap to send and dear to read, for the grader's own process.
    Case(
        24,
        "colliding_keys",
        "a forged reply: a dict of 80,000 keys with one hash, which takes its reader minutes",
        cells={
            "fit_forecaster_check": """\
import json
import coursekit.checks.serve as far_end
pairs = [[(2**61 - 1) * number, 0] for number in range(1, 80_000)]
reply = json.dumps({"value": {"dict": pairs}, "changed": [], "warnings": []})
far_end.serve = lambda text: reply"""
        },
        lost=frozenset({"fit_forecaster"}),
        outcomes={"fit_forecaster": (Outcome.FAILED,)},
        seconds=15,
    ),
    Case(
        24,
        "long_expression",
        "a forged reply: 12 MB of Python source where one string is expected",
        cells={
            "fit_forecaster_check": """\
reply = {"status": "ok", "metadata": {}, "data": {"text/plain": "''," * 4_000_000 + "''"}}
session = get_ipython().kernel.session
send = session.send


def long_send(stream, kind, content=None, *args, **kwargs):
    if kind == "execute_reply":
        content = content | {"user_expressions": {"value": reply}}
    return send(stream, kind, content, *args, **kwargs)


session.send = long_send"""
        },
        status=Status.NEEDS_REVIEW,
        lost=frozenset({"fit_forecaster"}),
        outcomes={"fit_forecaster": (Outcome.NOT_GRADED,)},
        seconds=15,
        not_on_stock="stock nbgrader reads no such reply",
    ),
    # --- 25: death ---
    *(
        hit(
            25,
            f"{name}_in_{place}",
            f"{what} in an answer's {place}",
            put("make_windows", code),
            Outcome.KERNEL_DIED,
        )
        for name, what, code in (
            ("exit", "`os._exit`", "import os\nos._exit(0)"),
            ("segfault", "a segmentation fault", SEGFAULT),
            ("sigkill", "SIGKILL of itself", SUICIDE),
        )
        for place, put in (("cell", below), ("function", inside))
    ),
    Case(
        25,
        "dies_between",
        "right answers, and `os.abort` in a cell between them",
        cells={"make_windows": "import os\nos.abort()"},
    ),
    hit(
        25,
        "kills_its_parent",
        "kills its parent process",
        below(
            "make_windows",
            # 0 and 1: its parent cannot be seen; that must never mean its process group.
            "import os, signal\nif os.getppid() > 1:\n    os.kill(os.getppid(), signal.SIGKILL)\n"
            "os._exit(1)",
        ),
        Outcome.KERNEL_DIED,
    ),
    hit(
        25,
        "dies_each_time",
        "a different death in every function that a check calls",
        inside(
            "make_windows", "import os, random\nos.kill(os.getpid(), random.choice([6, 9, 11]))"
        ),
        Outcome.KERNEL_DIED,
    ),
    # --- 26: exceptions that are no `Exception` ---
    *(
        hit(
            26,
            f"{name}_in_{place}",
            f"`{code}` in an answer's {place}",
            put("make_windows", f"import sys\n{code}"),
        )
        for name, code, place, put in (
            ("sys_exit", "sys.exit(0)", "cell", atop),
            ("system_exit", "raise SystemExit", "function", inside),
            ("interrupt", "raise KeyboardInterrupt", "cell", atop),
            ("interrupt", "raise KeyboardInterrupt", "function", inside),
            ("generator_exit", "raise GeneratorExit", "function", inside),
            ("recursion", "make_windows(series, time_steps, stride)", "function", inside),
        )
    ),
    hit(
        26,
        "wordless_error_in_function",
        "raises an error whose `__str__` raises it again, and so whoever describes it",
        inside("make_windows", WORDLESS),
    ),
    Case(
        26,
        "quit",
        "right answers, and `exit()` in a cell between them",
        cells={"make_windows": "exit()"},
    ),
    # --- 27, 28: processes ---
    Case(
        27,
        "forks",
        "the last answer's function forks up to 400 times",
        answers=inside("fit_forecaster", FORKS),
        lost=frozenset({"fit_forecaster"}),
        outcomes={
            "fit_forecaster": (
                Outcome.FAILED,
                Outcome.KERNEL_DIED,
                Outcome.MEMORY_LIMIT,
                Outcome.TIME_LIMIT,
            )
        },
    ),
    Case(
        27,
        "forks_between",
        "right answers; a cell between them forks up to 400 times and catches the error",
        cells={"make_windows": FORKS.replace("raise RuntimeError", "print")},
    ),
    Case(
        28,
        "daemon",
        "right answers; a process in a session of its own that would write a file later",
        cells={"make_windows": DAEMON},
    ),
    # --- 29: memory ---
    hit(
        29,
        "64_gigabytes_in_cell",
        "64 GB asked for in an answer's cell",
        atop("make_windows", GIGABYTES),
        Outcome.MEMORY_LIMIT,
    ),
    hit(
        29,
        "64_gigabytes_in_function",
        "64 GB asked for in an answer's function",
        inside("make_windows", GIGABYTES),
        Outcome.MEMORY_LIMIT,
    ),
    hit(
        29,
        "grows",
        "memory held in steps of 64 MB, up to 6 GB",
        inside("make_windows", GROWTH),
        HELD_TOO_MUCH,
        not_on_stock="it would take the machine's memory",
    ),
    Case(
        29,
        "asks_and_does_without",
        "right answers after a request for 64 GB whose refusal is caught",
        cells={"make_windows": f"try:\n    {GIGABYTES}\nexcept MemoryError:\n    pass"},
    ),
    # --- 30: output ---
    Case(
        30,
        "flood",
        "right answers; one cell prints 10 MB in 60,000 lines",
        answers=atop("make_windows", "for _ in range(60_000):\n    print('x' * 150)"),
        flags=(Flag.OUTPUT_LIMIT,),
    ),
    hit(
        30,
        "endless_flood",
        "prints without end",
        below("make_windows", "while True:\n    print('x' * 1000)"),
        Outcome.TIME_LIMIT,
        flags=(Flag.OUTPUT_LIMIT,),
    ),
    Case(
        30,
        "one_line",
        "right answers; one line of 1 GB printed between them",
        cells={"make_windows": "print('x' * 10**9)"},
        # It may be the memory for it that is refused.
        flags_allowed=(Flag.OUTPUT_LIMIT,),
        not_on_stock="it would take the machine's memory",
    ),
    Case(
        30,
        "flood_of_displays",
        "right answers; 1,500 HTML outputs and one of 20 MB",
        cells={
            "make_windows": "from IPython.display import HTML, display\n"
            "for _ in range(1500):\n    display(HTML('<p>' + 'x' * 1000))\n"
            "display(HTML('x' * 20_000_000))"
        },
        flags=(Flag.OUTPUT_LIMIT,),
    ),
    Case(
        30,
        "flood_of_stderr",
        "right answers; 30 MB written past Python to file descriptors 1 and 2",
        cells={
            "make_windows": "import os\nfor _ in range(300):\n"
            "    os.write(1, b'x' * 50_000)\n    os.write(2, b'x' * 50_000)"
        },
        flags_allowed=(Flag.OUTPUT_LIMIT,),
    ),
    hit(
        30,
        "prints_when_called",
        "an answer's function prints without end",
        inside("make_windows", "while True:\n    print('x' * 1000)"),
        Outcome.TIME_LIMIT,
        flags_allowed=(Flag.OUTPUT_LIMIT,),
    ),
    hit(
        30,
        "returns_a_gigabyte",
        "an answer's function returns an array of a gigabyte",
        inside("make_windows", "return np.zeros(2**27), np.zeros(3)"),
        (Outcome.FAILED, Outcome.MEMORY_LIMIT, Outcome.TIME_LIMIT, Outcome.NOT_GRADED),
        flags_allowed=(Flag.OUTPUT_LIMIT,),
        not_on_stock="it would take the machine's memory",
    ),
    Case(
        30,
        "fills_the_disk",
        "right answers; up to 1 GB written into a temporary file, a full disk caught",
        cells={
            "make_windows": """\
import tempfile
try:
    with tempfile.TemporaryFile() as file:
        for _ in range(1000):
            file.write(bytes(2**20))
except OSError:
    pass"""
        },
    ),
    # --- 31: input ---
    hit(31, "input_in_cell", "`input()` in an answer's cell", atop("make_windows", "input()")),
    hit(
        31,
        "input_in_function",
        "`getpass()` in an answer's function",
        inside("make_windows", "import getpass\ngetpass.getpass()"),
    ),
    # --- 32: TensorFlow, threads ---
    Case(
        32,
        "tensorflow_and_fork",
        "right answers; TensorFlow used, the process forked, the child killed after a second",
        cells={
            "make_windows": """\
import os, signal, tensorflow as tf
tf.linalg.matmul(tf.ones((50, 50)), tf.ones((50, 50))).numpy()
child = os.fork()
if child == 0:
    signal.alarm(1)
    tf.linalg.matmul(tf.ones((50, 50)), tf.ones((50, 50))).numpy()
    os._exit(0)
os.waitpid(child, 0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
model.compile(loss="mse")
model.fit(np.ones((64, 3)), np.ones(64), verbose=0)"""
        },
    ),
    Case(
        32,
        "threads",
        "right answers; threads started until there are no more, at most 600, for a second",
        cells={
            "make_windows": """\
import threading, time
threads = []
try:
    for _ in range(600):
        threads.append(threading.Thread(target=time.sleep, args=(1,)))
        threads[-1].start()
except RuntimeError:
    threads.pop()
for thread in threads:
    thread.join()"""
        },
    ),
    Case(
        32,
        "data_pipeline",
        "right answers; a `tf.data` pipeline with a Python generator and prefetching",
        cells={
            "make_windows": """\
import tensorflow as tf
data = tf.data.Dataset.from_generator(
    lambda: iter(range(50)), output_signature=tf.TensorSpec((), tf.int64))
data = data.map(lambda x: x + 1, num_parallel_calls=4).batch(5).prefetch(2)
assert sum(int(tf.reduce_sum(batch)) for batch in data) == 1275"""
        },
    ),
    # --- the grader's own time and memory, and what limits are easily left out of the count ---
    Case(
        24,
        "never_idle",
        "right answers; a kernel that never says it is idle and publishes without end",
        cells={
            "make_windows": """\
import threading, time
kernel = get_ipython().kernel
parent = kernel.get_parent()
type(kernel)._publish_status = lambda *args, **kwargs: None


def publish():
    while True:
        content = {"name": "stdout", "text": "x"}
        kernel.session.send(kernel.iopub_socket, "stream", content, parent=parent)
        time.sleep(0.3)


threading.Thread(target=publish, daemon=True).start()"""
        },
        seconds=60,
    ),
    forged(
        "colliding_keys_in_pieces",
        "a forged reply: 250 dicts of 3,900 keys with one hash",
        """\
import json
import coursekit.checks.serve as far_end
pairs = [[(2**61 - 1) * number, 0] for number in range(1, 3_900)]
reply = json.dumps({"value": [{"dict": pairs}] * 250, "changed": [], "warnings": []})
far_end.serve = lambda text: reply""",
    ),
    forged(
        "empty_lists",
        "a forged reply: ten million empty lists in 30 MB, gigabytes when they are read",
        """\
import coursekit.checks.serve as far_end
reply = '{"value": [' + '[],' * 10_000_000 + '[]], "changed": [], "warnings": []}'
far_end.serve = lambda text: reply""",
    ),
    Case(
        30,
        "many_cells_flood",
        "right answers; 150 cells that print 0.9 MB each, before any hidden check",
        edit=lambda notebook: insert(notebook, "split_series", *["print('x' * 900_000)"] * 150),
        flags_allowed=(Flag.OUTPUT_LIMIT,),
    ),
    Case(
        30,
        "weights_without_end",
        "a model whose list of weights has four million entries, every shape of which is told",
        answers={
            "create_rnn": """\
class Adam:
    pass


class Model:
    optimizer = Adam()

    def count_params(self):
        return 11

    def __call__(self, x):
        return np.full((len(x), 1), 5.0)

    def compute_loss(self, x, y, y_pred):
        return float(np.mean((y - y_pred) ** 2))

    def set_weights(self, weights):
        pass

    def get_weights(self):
        return [0] * 4_000_000


def create_rnn(*args):
    return Model()"""
        },
        lost=frozenset({"create_rnn"}),
        seconds=15,
    ),
    hit(
        29,
        "shared_mapping",
        "3 GB of shared anonymous memory",
        below(
            "make_windows",
            """\
import mmap, time
held = mmap.mmap(-1, 3 << 30)
for _ in range(30):
    held.write(bytes(100 << 20))
time.sleep(3)""",
        ),
        HELD_TOO_MUCH,
        not_on_stock="it would take the machine's memory",
    ),
    hit(
        29,
        "memory_files",
        "3 GB in files that live in memory alone",
        atop(
            "make_windows",
            """\
import os, time
files = []
for _ in range(15):
    files.append(os.memfd_create("x"))
    for _ in range(200):
        os.write(files[-1], bytes(1 << 20))
time.sleep(3)""",
        ),
        # Such files may travel in sockets, where nobody has them: there are none.
        Outcome.FAILED,
        not_on_stock="it would take the machine's memory",
    ),
    Case(
        30,
        "fills_its_sockets_folder",
        "right answers; 900 MB written beside its kernel's sockets, which lie on the host's disk",
        cells={
            "make_windows": """\
import os
written = 0
for number in range(5):
    try:
        with open(f"/run/kernel/{number}", "wb") as file:
            for _ in range(180):
                written += file.write(bytes(1 << 20))
    except OSError:
        pass
import time
time.sleep(2)"""
        },
        not_on_stock="there is no such folder",
    ),
    Case(
        36,
        "deep_folders",
        "right answers; folders 3,000 deep beside its kernel's sockets",
        cells={
            "end": """\
import os
os.chdir("/run/kernel" if os.path.isdir("/run/kernel") else ".")
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")"""
        },
        seconds=60,
        not_on_stock="nobody could remove them",
    ),
    Case(
        30,
        "nested_output",
        "right answers; an output nested 600 deep",
        cells={
            "split_series": """\
from IPython.display import display
value = 0
for _ in range(600):
    value = [value]
display({"application/json": value, "text/plain": "x"}, raw=True)"""
        },
        flags_allowed=(Flag.OUTPUT_LIMIT,),
    ),
    Case(
        19,
        "surrogate_in_first_error",
        "lone surrogates in the message of an error that the first visible check reports",
        answers=inside("split_series", "raise ValueError('x\\ud800 \\udc80')"),
        lost=frozenset({"split_series"}),
        outcomes={"split_series": (Outcome.FAILED,)},
    ),
    # --- errors, replies and kernels that are too much of something ---
    Case(
        30,
        "error_of_50_megabytes",
        "right answers; cells between them end with errors of 50 MB: message, lines, name, note",
        cells={
            "make_windows": [
                "raise ValueError('x' * 50_000_000)",
                "raise ValueError('x\\n' * 15_000_000)",
                "raise type('x' * 20_000_000, (Exception,), {})('short')",
                "error = ValueError('short')\nerror.add_note('x' * 50_000_000)\nraise error",
            ]
        },
    ),
    Case(
        30,
        "many_small_outputs",
        "right answers; 40,000 outputs with nothing in them, 2,000 updates of another",
        cells={
            "make_windows": [
                "kernel = get_ipython().kernel\nnothing = {'data': {}, 'metadata': {}}\n"
                "for _ in range(40_000):\n    kernel.session.send(\n        kernel.iopub_socket, "
                "'display_data', nothing, kernel.get_parent('shell'))",
                "shown = display('x', display_id='a')\nfor _ in range(2_000):\n"
                "    shown.update('y' * 1_000)",
            ]
        },
        flags_allowed=(Flag.OUTPUT_LIMIT,),
    ),
    hit(
        30,
        "returns_too_much",
        "an answer's function returns an array of 40 MB",
        inside("make_windows", "return np.array(['x' * 100_000] * 100)"),
    ),
    hit(
        24,
        "message_without_end",
        "an error in an answer's cell whose `__str__` does not end",
        atop(
            "make_windows",
            "class Endless(Exception):\n    def __str__(self):\n        while True:\n"
            "            pass\n\n\nraise Endless",
        ),
        Outcome.TIME_LIMIT,
    ),
    hit(
        25,
        "another_program",
        "an answer's function turns its process into another program",
        inside("make_windows", "import os\nos.execvp('sleep', ['sleep', '30'])"),
        Outcome.KERNEL_DIED,
    ),
    Case(
        25,
        "no_sockets",
        "right answers; a cell between them closes every open file",
        cells={"make_windows": "import os\nos.closerange(0, 1000)"},
    ),
    Case(
        31,
        "asks_by_itself",
        "right answers; questions by the debugger, by `input` as if it were allowed, by `stdin`",
        cells={
            "make_windows": [
                "get_ipython().kernel._allow_stdin = True",
                "input('password: ')",
                "breakpoint()",
                "import sys\nsys.stdin.read()",
                "%pdb on",
                "1 / 0",
                "%debug",
            ]
        },
    ),
]
