"""Cases 55: what a cell leaves behind, or takes with it, and the right answers that come later."""

from autograder.results import Outcome
from hostile.submissions import HONEST, Case

HELPER = "def same(x):\n    return x"
HELPER_FILE = [f"%%writefile my_helpers.py\n{HELPER}", "from my_helpers import same"]
HIT = "make_windows"
# They come after what is left behind, and take long enough to meet it.
SLOW = {
    exercise: f"import time\ntime.sleep(0.5)\n\n\n{HONEST[exercise]}"
    for exercise in ("simple_rnn_predict", "rmse", "persistence_forecast")
}


def needs_helper(exercise):
    """The honest answer whose first function calls a helper from an added cell."""
    first, rest = HONEST[exercise].split("\n", 1)
    return f"{first}\n    same(1)\n{rest}"


def ends_with_helper(name, what, end, outcome, cell=False, helper=HELPER):
    """A case in which one answer calls the helper and ends its kernel; others need the helper."""
    ending = f"same(1)\n{end}"
    if not cell:
        ending = f"def {HIT}(*args, **kwargs):\n    same(1)\n    {end}"
    return Case(
        55,
        f"helper_and_{name}",
        f"an answer that calls a helper from an added cell and {what}; others need the helper",
        cells={"split_series": helper},
        answers={HIT: ending}
        | {exercise: needs_helper(exercise) for exercise in ("rmse", "persistence_forecast")},
        lost=frozenset({HIT}),
        outcomes={HIT: (outcome,)},
    )


def leaves(name, what, code, **more):
    """A case with right answers only, and an added cell that leaves something to later ones."""
    what = f"right answers; an added cell leaves {what}"
    return Case(55, name, what, cells={HIT: code}, answers=SLOW, **more)


CASES = [
    ends_with_helper("exit", "ends Python", "__import__('os')._exit(0)", Outcome.KERNEL_DIED),
    ends_with_helper(
        "exit_in_cell",
        "ends Python in its cell",
        "__import__('os')._exit(0)",
        Outcome.KERNEL_DIED,
        cell=True,
    ),
    ends_with_helper(
        "file",
        "ends Python, where the helper is in a file",
        "__import__('os')._exit(0)",
        Outcome.KERNEL_DIED,
        helper=HELPER_FILE,
    ),
    ends_with_helper("loop", "does not end", "while True: pass", Outcome.TIME_LIMIT, cell=True),
    leaves(
        "blocked_loop",
        "a callback that blocks the event loop for a minute",
        "import asyncio, time\nasyncio.get_event_loop().call_soon(time.sleep, 60)",
    ),
    leaves(
        "blocked_later",
        "a callback that blocks the event loop after a second",
        "import asyncio, time\nasyncio.get_event_loop().call_later(0.8, time.sleep, 60)",
    ),
    leaves(
        "endless_hook",
        "a hook of IPython that runs after every cell and takes a minute",
        "import time\nget_ipython().events.register('post_execute', lambda: time.sleep(60))",
    ),
    leaves(
        "thread_holds_python",
        "a thread that holds Python's lock from a moment on",
        "import re, threading, time\n\n\ndef later():\n    time.sleep(0.7)\n"
        "    re.match('(a+)+b', 'a' * 32)\n\n\n"
        "threading.Thread(target=later, daemon=True).start()",
    ),
    leaves(
        "stopped_later",
        "a timer that stops the process without ending it",
        "import os, signal, threading\n"
        "threading.Timer(0.7, os.kill, [os.getpid(), signal.SIGSTOP]).start()",
    ),
    leaves(
        "alarm",
        "an alarm and a limit of a second of processor time",
        "import resource, signal\nsignal.alarm(1)\nresource.setrlimit(resource.RLIMIT_CPU, (2, 2))",
    ),
    leaves(
        "tasks_without_end",
        "a hundred tasks without end, one that raises SystemExit, and a stopped event loop",
        [
            "import asyncio\n\n\nasync def forever():\n    while True:\n"
            "        await asyncio.sleep(0.01)\n\n\n"
            "tasks = [asyncio.create_task(forever()) for _ in range(100)]",
            "async def exits():\n    raise SystemExit(3)\n\n\ntask = asyncio.create_task(exits())",
            "asyncio.get_event_loop().stop()",
        ],
    ),
    leaves(
        "threads_in_sockets",
        "four threads that write into the kernel's own socket, which is no thread's but one's",
        "import threading\nkernel = get_ipython().kernel\n\n\ndef write():\n    while True:\n"
        "        try:\n            kernel.shell_stream.socket.send_multipart([b'x', b'y'])\n"
        "        except Exception:\n            pass\n\n\nfor _ in range(4):\n"
        "    threading.Thread(target=write, daemon=True).start()",
    ),
]
