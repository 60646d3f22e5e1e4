"""One submission is one submission: whatever ends its kernels, the right answers keep their marks.

A submission is graded here as a worker does it, without a class around it.
"""

import contextlib
import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import dask
import nbformat
import pytest
from distributed import Client, LocalCluster
from hostile.surroundings import active_content
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from small_course import feedback_page

from autograder.building.made_up_submissions import reference_answers, submission_notebook
from autograder.building.stock_nbgrader import create_assignment
from autograder.checking.hidden_check import hidden_checks
from autograder.course.chapters import load_chapter
from autograder.course.notebook_assignment import NotebookAssignment
from autograder.course_error import CourseError
from autograder.grading import chapter_checks, cluster, execution, worker
from autograder.grading.task import Task
from autograder.grading.worker import grade
from autograder.intake.submissions import Submission
from autograder.kernels import fork_server_cache
from autograder.kernels.imports import modules_of_setup_cells
from autograder.kernels.kernel import KernelStartError
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import sandbox_available
from autograder.results import Flag, Outcome, Status
from coursekit.checks import CheckFailure
from coursekit.checks.plain_data import MalformedReply

STEM = "ch01_rnn_basics"
EXERCISES = load_chapter(STEM).exercises
ANSWERS = reference_answers(STEM)
FULL = {e.id: e.points for e in EXERCISES}
LIMITS = Limits(
    cell_seconds=5, call_seconds=5, interrupt_seconds=1, submission_seconds=180, memory_mb=2048
)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    refusal = sandbox_available()
    if refusal:
        pytest.skip(refusal)
    text = create_assignment(tmp_path_factory.mktemp("course"), STEM).read_text()
    yield text
    fork_server(text).close()


def fork_server(released):
    """Return the fork server from which submissions get their kernels here."""
    return fork_server_cache.fork_server(LIMITS, True, modules_of_setup_cells(released), None)


@pytest.fixture
def graded(released):
    """Grade answers with added cells: `added` maps a `grade_id` to the code before its cell."""

    def graded(answers=None, added=None):
        notebook = submission_notebook(STEM, ANSWERS | (answers or {}))
        for before, sources in (added or {}).items():
            place = next(
                i
                for i, cell in enumerate(notebook.cells)
                if cell.metadata.get("nbgrader", {}).get("grade_id") == before
            )
            notebook.cells[place:place] = [new_code_cell(source) for source in sources]
        return grade(task(nbformat.writes(notebook).encode(), released))

    return graded


def task(content, released, student="ada", limits=LIMITS):
    return Task(Submission.of(student, content), STEM, released, "0f" * 32, limits, True)


def marks(result):
    return {exercise.exercise: exercise.points for exercise in result.exercises}


def test_what_closes_an_assignment_is_not_run(released):
    ours = nbformat.reads(released, as_version=4)
    closing = new_code_cell("import os; os.kill(os.getpid(), 9)")
    marked = {"grade": False, "solution": False, "locked": True, "task": False}
    closing.metadata["nbgrader"] = marked | {"grade_id": "closing_1", "schema_version": 3}
    closing.metadata["tags"] = ["skip-execution"]
    ours.cells.append(closing)
    theirs = submission_notebook(STEM, ANSWERS)
    # A student's cell ends the kernel, so that all cells before it are run again.
    theirs.cells += [closing, new_code_cell(closing.source), new_code_cell("print('on')")]
    result = grade(task(nbformat.writes(theirs).encode(), nbformat.writes(ours)))
    assert marks(result) == FULL
    *_, skipped, died, last = nbformat.reads(result.notebook, as_version=4).cells
    assert not skipped.outputs and skipped.execution_count is None
    assert died.source == closing.source and last.outputs


def test_an_answer_whose_cell_ends_in_an_error_is_sent_to_that_error(graded):
    first = EXERCISES[0]
    result = graded({first.id: ANSWERS[first.id].replace("):", ")", 1)})
    verdict = result.exercises[0]
    assert verdict.headline == f"{first.id}: its cell ended with SyntaxError"
    assert not verdict.detail and not verdict.mistake  # that a name is not defined is no news
    page = feedback_page(result)
    assert "the error appears below this cell and names the line. Correct it" in page
    assert "SyntaxError: expected" in page  # with the line, below the student's code


def test_what_is_still_to_be_written_is_named_after_hidden_checks_have_run(graded):
    first, second = EXERCISES[:2]
    (name,) = second.names
    stub = f"def {name}(*args, **kwargs):\n    raise NotImplementedError()"
    half = f"def helper(x):\n    return x\n\n\n{stub}"
    passed, verdict = graded({second.id: half}).exercises[:2]
    assert passed.exercise == first.id and passed.outcome is Outcome.PASSED
    assert verdict.outcome is Outcome.NOT_WRITTEN
    assert verdict.detail == f"  still to be written: {name}"


@pytest.mark.parametrize("above", ["def sigmoid(x):\n    raise NotImplementedError()", ""])
def test_an_answer_below_its_check_is_sent_to_its_own_cell(graded, above):
    first, second, third = EXERCISES[:3]
    below = [ANSWERS[first.id], ANSWERS[second.id]]  # the second one stands above its check, too
    result = graded({first.id: above}, added={third.id: below})
    verdict, other = result.exercises[:2]
    assert verdict.outcome is Outcome.NOT_GRADED and verdict.points == 0
    assert verdict.headline == f"{first.id}: it is written in a cell below its check"
    assert result.flags == (Flag.ANSWER_BELOW,)
    # It may be right: a person decides.
    assert (result.status, result.reason) == (Status.NEEDS_REVIEW, verdict.headline)
    assert other.outcome is Outcome.PASSED
    page = feedback_page(result)
    assert "Move it into the cell above the check" in page
    assert "None of this cost you any points" not in page


def test_an_answer_above_the_stub_of_its_own_cell_is_sent_there(graded):
    first, second = EXERCISES[:2]
    stub = "def rnn_step(*args, **kwargs):\n    raise NotImplementedError()"
    result = graded({second.id: stub}, added={first.id: [ANSWERS[second.id]]})
    verdict = result.exercises[1]
    assert verdict.outcome is Outcome.NOT_GRADED and verdict.points == 0
    assert result.status is Status.NEEDS_REVIEW
    assert "the stub there took its place" in verdict.headline
    assert result.flags == (Flag.ANSWER_ABOVE,)
    assert "Move the answer into that cell" in feedback_page(result)


def test_a_failed_answer_that_calls_another_failed_one_is_sent_there_first(graded):
    wrong = ANSWERS["rnn_step"].replace("return ", "return 2 * ")
    calls = "def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):\n"
    calls += "    h = np.zeros((len(x), len(b_h))) if h_0 is None else h_0\n    states = []\n"
    calls += "    for t in range(x.shape[1]):\n"
    calls += (
        "        h = rnn_step(x[:, t], h, w_x, w_h, b_h, activation)\n        states.append(h)\n"
    )
    calls += "    hidden = np.stack(states, axis=1)\n    return hidden, hidden @ w_y + b_y\n"
    result = graded({"rnn_step": wrong, "rnn_forward": calls})
    step, forward = (e for e in result.exercises if e.exercise in ("rnn_step", "rnn_forward"))
    assert (step.outcome, step.failed_calls) == (Outcome.FAILED, "")
    assert (forward.outcome, forward.failed_calls) == (Outcome.FAILED, "rnn_step")
    assert "This answer calls rnn_step, which did not pass either." in feedback_page(result)
    result = graded({"rnn_step": ANSWERS["rnn_step"], "rnn_forward": calls})
    assert {e.outcome for e in result.exercises if e.exercise in ("rnn_step", "rnn_forward")} == {
        Outcome.PASSED
    }


def test_lines_that_install_packages_are_left_out(graded):
    first = EXERCISES[0]
    installs = "%pip install --quiet seaborn\n!pip3 install x\nprint('on')"
    result = graded({first.id: ANSWERS[first.id]}, added={first.id: [installs]})
    cells = nbformat.reads(result.notebook, as_version=4).cells
    (cell,) = (cell for cell in cells if "seaborn" in cell.source)
    assert cell.source == installs
    assert [output.text for output in cell.outputs] == ["on\n"]


def test_code_around_an_installation_still_runs(graded):
    first, second = EXERCISES[:2]
    where_missing = "try:\n    import numpy\nexcept ImportError:\n    %pip install numpy\n"
    on_two_lines = "!pip install numpy \\\n    pandas\n"
    answers = {
        first.id: f"{where_missing}\n{ANSWERS[first.id]}",
        second.id: f"{on_two_lines}\n{ANSWERS[second.id]}",
    }
    assert marks(graded(answers)) == FULL


DIE = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
# The file system is new in every kernel, so a cell knows a replay only by the clock.
DIES_LATER = "import os, time\nif time.time() > {}: os._exit(1)"


def test_a_thousand_cells_that_end_the_kernel_cost_no_mark_and_little_time(graded):
    begun = time.monotonic()
    result = graded(added={"rnn_forward": [DIE] * 1000})
    assert marks(result) == FULL
    assert result.status is Status.GRADED
    assert time.monotonic() - begun < 60


def test_cells_that_die_only_when_they_are_run_again_cost_no_mark(graded):
    first = next(iter(ANSWERS))
    slow = f"{ANSWERS[first]}\nimport time; time.sleep(2)"
    cells = [DIES_LATER.format(time.time() + 2 + 0.01 * i) for i in range(300)]
    result = graded({first: slow}, {first: cells, "gru_step": [DIE]})
    assert marks(result) == FULL


@pytest.mark.parametrize(
    "timer",
    [
        "import threading, os\nthreading.Timer({}, os._exit, [1]).start()",
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_DFL)\nsignal.setitimer(0, {})",
        "import threading, time, ctypes\n"
        "def later():\n    time.sleep({})\n    ctypes.string_at(0)\n"
        "threading.Thread(target=later, daemon=True).start()",
    ],
)
@pytest.mark.parametrize("seconds", [0.05, 1.0])
def test_a_timer_that_an_added_cell_has_left_costs_no_mark(graded, timer, seconds):
    # In the cell of an answer and in calls of checks, which take long enough to meet it.
    patient = {
        name: f"import time; time.sleep(0.5)\n{ANSWERS[name]}" for name in list(ANSWERS)[1:4]
    }
    result = graded(patient, {next(iter(ANSWERS)): [timer.format(seconds)]})
    assert marks(result) == FULL


def test_a_timer_of_an_answer_costs_the_others_nothing(graded):
    names = list(ANSWERS)
    timer = "\nimport threading, os\nthreading.Timer(0.7, os._exit, [1]).start()"
    slow = {name: f"import time; time.sleep(0.5)\n{ANSWERS[name]}" for name in names[2:4]}
    result = graded({names[1]: ANSWERS[names[1]] + timer} | slow)
    assert {name: marks(result)[name] for name in names if name != names[1]} == {
        name: FULL[name] for name in names if name != names[1]
    }


def test_helpers_in_an_added_cell_are_not_lost_to_a_neighbour_that_ends_python(graded):
    names = list(ANSWERS)
    helper = f"{ANSWERS[names[3]]}\nhelper = {names[3]}"
    answers = {
        names[1]: f"def {names[1]}(*args, **kwargs):\n    import os\n    os._exit(0)",
        names[3]: f"def {names[3]}(*args, **kwargs):\n    return helper(*args, **kwargs)",
    }
    result = graded(answers, {names[0]: [helper]})
    assert marks(result) == FULL | {names[1]: 0}
    (failed,) = [e for e in result.exercises if e.exercise == names[1]]
    assert failed.outcome is Outcome.KERNEL_DIED


HELPER = "def same(x):\n    return x"
# How an answer takes its kernel with it, and what that is called.
ENDS = {
    "__import__('os')._exit(0)": Outcome.KERNEL_DIED,
    "__import__('time').sleep(60)": Outcome.TIME_LIMIT,
}


@pytest.mark.parametrize("where", ["function", "cell"])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    "helper", [[HELPER], [f"%%writefile helpers.py\n{HELPER}", "from helpers import same"]]
)
def test_a_helper_of_an_answer_that_ends_python_is_kept_for_the_others(graded, helper, end, where):
    first, second, *_ = names = list(ANSWERS)
    answers = {name: f"_ = same(1)\n{ANSWERS[name]}" for name in names[2:]}
    ending = f"same(1)\n{end}"
    if where == "function":
        ending = f"def {second}(*args, **kwargs):\n    same(1)\n    {end}"
    result = graded(answers | {second: ending}, {first: helper})
    assert marks(result) == FULL | {second: 0}
    (failed,) = [e for e in result.exercises if e.exercise == second]
    assert failed.outcome is ENDS[end]


@pytest.mark.parametrize("share, times", [(0.0, 2), (1.0, 1)])
def test_an_endless_answer_is_tried_again_while_there_is_time(graded, monkeypatch, share, times):
    endless, tried = "import time; time.sleep(60)", []

    def run_cell(session, code, *args, run=execution.Session.run_cell, **kwargs):
        tried.append(code)
        return run(session, code, *args, **kwargs)

    monkeypatch.setattr(execution, "SHARE_FOR_THE_REST", share)
    monkeypatch.setattr(execution.Session, "run_cell", run_cell)
    name = next(iter(ANSWERS))
    result = graded({name: endless}, {name: ["1"]})
    assert marks(result) == FULL | {name: 0}
    assert tried.count(endless) == times


def test_an_answer_that_always_ends_the_kernel_is_bounded(graded):
    result = graded({name: DIE for name in ANSWERS}, {name: [DIE] * 3 for name in ANSWERS})
    assert marks(result) == dict.fromkeys(FULL, 0)
    assert {e.outcome for e in result.exercises if e.exercise in ANSWERS} == {Outcome.KERNEL_DIED}


FORGES = """
import json
kernel = get_ipython().kernel
session, socket = kernel.session, kernel.iopub_socket
parent = kernel.get_parent()["header"]
for content in ([], "x", 3, None, {"data": [1]}, {"name": [], "text": {}}, {"execution_state": [1]},
                {"data": {"a": float("nan")}, "metadata": {}, "execution_count": []},
                {"data": {f"t/{i}": "" for i in range(20_000)}, "metadata": {}},
                {"ename": 1, "evalue": [], "traceback": {}}):
    for kind in ("stream", "display_data", "execute_result", "error", "status", "clear_output",
                 [], {}, None, 7):
        for version in ("5.3", "4.1", [], None, "x"):
            header = {"msg_type": kind, "msg_id": "x", "version": version, "date": []}
            parts = [json.dumps(p, default=str).encode() for p in (header, parent, {}, content)]
            socket.send_multipart([b"forged", b"<IDS|MSG>", session.sign(parts), *parts])
"""


def test_messages_of_any_shape_cost_no_mark_and_leave_a_valid_notebook(graded):
    result = graded(added={next(iter(ANSWERS)): [FORGES]})
    assert marks(result) == FULL
    assert result.status is Status.GRADED
    notebook = nbformat.reads(result.notebook, as_version=4)
    nbformat.validate(notebook)
    (forging,) = [cell for cell in notebook.cells if cell.source == FORGES]
    assert not [o for o in forging.outputs if o.output_type == "error" and o.ename != "1"]
    assert "NaN" not in result.notebook


SHOWS = """
from IPython.display import display
mark = "hostile37"
script = f"<script>{mark}</script><img src=x onerror='{mark}'>"
for bundle in ({"text/html": script}, {"image/svg+xml": f"<svg onload='{mark}'/>"},
               {"application/javascript": mark}, {"text/markdown": script}, {"text/latex": script},
               {"image/png": f'"><img src=x onerror="{mark}">'},
               {"image/jpeg": f'"><i onclick="{mark}">'},
               {"application/vnd.jupyter.widget-view+json": {"model_id": script}},
               {"text/plain": script, "text/html": script}):
    display(bundle, raw=True, metadata={"image/png": {"width": script}})
"""


def test_the_executed_notebook_carries_nothing_that_formgrader_would_run(released):
    notebook = submission_notebook(STEM, ANSWERS)
    script = "```\n<script>hostile37</script>\n````\n<img src=x onerror='hostile37'>"
    notebook.cells[2:2] = [new_code_cell(SHOWS), new_markdown_cell(script), new_raw_cell(script)]
    plot = "%matplotlib inline\nimport matplotlib.pyplot as plt; plt.plot([1, 2]);"
    notebook.cells.insert(2, new_code_cell(plot))
    result = grade(task(nbformat.writes(notebook).encode(), released))
    assert marks(result) == FULL
    html, _ = HTMLExporter().from_notebook_node(nbformat.reads(result.notebook, as_version=4))
    assert "hostile37" in html and active_content(html) == []
    kinds = {
        kind
        for cell in json.loads(result.notebook)["cells"]
        for output in cell.get("outputs", [])
        for kind in output.get("data", ())
    }
    assert kinds == {"text/plain", "image/png"}


# --- the edge of grade ---------------------------------------------------------------------------


def raising(error):
    def raises(*arguments, **keywords):
        raise error

    return raises


def deep(levels=3000):
    """Make an error at the end of a chain of thousands, which nobody could send anywhere."""
    error = ValueError("the first")
    for number in range(levels):
        error, error.__context__ = RuntimeError(f"number {number}"), error
    return error


@pytest.mark.parametrize(
    "error", [KeyError("x"), RecursionError(), MemoryError(), SystemExit(3), deep()], ids=repr
)
def test_whatever_is_raised_while_grading_is_one_short_result(released, monkeypatch, error):
    monkeypatch.setattr(worker, "rebuild", raising(error))
    result = grade(task(b"{}", released))
    assert result.status is Status.NEEDS_REVIEW
    assert type(error).__name__ in result.reason and "\n" not in result.reason
    assert "in raises" in result.log and len(result.log) <= 20_000
    assert result.digest == "" and result.submission_digest
    assert {e.outcome for e in result.exercises} == {Outcome.NOT_GRADED}


def test_a_check_that_breaks_leaves_its_traceback(graded, monkeypatch):
    name = next(iter(ANSWERS))
    hidden = hidden_checks(STEM)
    monkeypatch.setattr(getattr(hidden, name), "judge", raising(ZeroDivisionError("ours")))
    result = graded()
    assert marks(result) == FULL | {name: 0}
    assert result.status is Status.NEEDS_REVIEW
    assert "ZeroDivisionError: ours" in result.log


def test_the_notebook_of_another_assignment_is_said_in_one_sentence(released):
    other = "ch03_custom_attention_layer"
    notebook = submission_notebook(other, reference_answers(other))
    result = grade(task(nbformat.writes(notebook).encode(), released))
    assert result.status is Status.NEEDS_REVIEW
    assert result.reason == f"this is the notebook of another assignment, {other}"
    # It may be a lesson, which trains networks for a minute.
    assert not result.execution_seconds and 'execution_count": 1' not in result.notebook
    for cell in notebook.cells:
        cell.metadata.pop("nbgrader", None)
    result = grade(task(nbformat.writes(notebook).encode(), released))
    assert result.reason == "the notebook has none of the assignment's answer cells"
    page = feedback_page(result)
    assert "hand that one in" in page and "nothing for you to do" not in page


def test_a_kernel_that_does_not_start_is_one_submission_to_look_at(released, monkeypatch):
    content = nbformat.writes(submission_notebook(STEM, ANSWERS)).encode()
    server = fork_server(released)
    starts = []

    def fails(*arguments):
        starts.append(arguments)
        raise KernelStartError("A kernel was not ready within 30 seconds.")

    with monkeypatch.context() as patch:
        patch.setattr(server, "_start_kernel", fails)
        result = grade(task(content, released))
    assert result.status is Status.NEEDS_REVIEW and "not ready" in result.reason
    assert len(starts) > 1
    assert marks(grade(task(content, released))) == FULL


def test_a_worker_keeps_the_fork_servers_of_a_few_assignments(released):
    used_last = [("json",), ("csv",), ("zlib",)][: fork_server_cache.FORK_SERVERS_KEPT]
    first = fork_server_cache.fork_server(LIMITS, True, ("numpy",), None)
    first.start_kernel().close()
    for modules in used_last:
        assert first.pid
        assert fork_server_cache.fork_server(LIMITS, True, ("numpy",), None) is first
        fork_server_cache.fork_server(LIMITS, True, modules, None)
    for modules in used_last:
        fork_server_cache.fork_server(LIMITS, True, modules, None)
    assert not first.pid
    assert fork_server_cache.fork_server(LIMITS, True, ("numpy",), None) is not first


def test_a_kernel_beside_which_a_file_cannot_be_laid_is_closed(released, monkeypatch):
    files = ("data", b""), ("data/more", b"")
    assignment = NotebookAssignment("own", "own", "", (), {}, {}, "", files)
    own = replace(task(b"{}", released), notebook_assignment=assignment)
    server = fork_server(released)
    start, kernels = server.start_kernel, []
    monkeypatch.setattr(server, "start_kernel", lambda: kernels.append(start()) or kernels[-1])
    with (
        pytest.raises(RuntimeError, match="data/more could not be laid out"),
        execution.Execution(own, [], []),
    ):
        pass
    (kernel,) = kernels
    assert kernel.fileno() == -1 and not kernel.directory.exists()


@pytest.mark.parametrize(
    ("error", "is_logged"),
    [
        (ZeroDivisionError("ours"), True),
        (CheckFailure("it gave up"), False),
        (MalformedReply("the call brought no reply"), False),
    ],
)
def test_a_fault_of_ours_while_examples_are_counted_is_logged(
    released, monkeypatch, error, is_logged
):
    def fails():
        raise error

    monkeypatch.setattr(chapter_checks, "counting", fails)
    notebook = submission_notebook(STEM, ANSWERS | {"sigmoid": "def sigmoid(x):\n    return x"})
    graded = task(nbformat.writes(notebook).encode(), released)
    result = grade(replace(graded, partial_credit=True))
    assert result.status is Status.GRADED and marks(result) == FULL | {"sigmoid": 0}
    assert ("ZeroDivisionError: ours" in result.log) is is_logged
    assert is_logged or result.log == ""


def test_one_failed_start_is_tried_again(graded, released, monkeypatch):
    server = fork_server(released)
    start, failures = server._start_kernel, [KernelStartError("busy")]

    def fails_first(*arguments):
        if failures:
            raise failures.pop(0)
        return start(*arguments)

    monkeypatch.setattr(server, "_start_kernel", fails_first)
    assert marks(graded()) == FULL
    assert not failures


def test_a_worker_does_not_grade_two_submissions_at_once(monkeypatch):
    begun, over, stderr = threading.Event(), threading.Event(), sys.stderr

    def grades(task):
        begun.set()
        assert over.wait(10)

    monkeypatch.setattr(worker, "_grade", grades)
    with ThreadPoolExecutor(1) as other:
        first = other.submit(grade, task(b"", "{}"))
        assert begun.wait(10)
        with pytest.raises(CourseError, match="two submissions at once; .* --nthreads 1"):
            grade(task(b"", "{}", "bob"))
        over.set()
        first.result()
    assert sys.stderr is stderr


# --- a task that never comes back ----------------------------------------------------------------


@contextlib.contextmanager
def local_client(scheduler, fork_servers):
    with (
        dask.config.set({"distributed.scheduler.worker-saturation": 1.0}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
        Client(local, set_as_default=False) as client,
    ):
        yield client, [None]


def hangs_or_not(task):
    if task.submission.student == "hangs":
        time.sleep(120)
    return worker.ungraded(task, RuntimeError("graded"))


@pytest.mark.serial
def test_a_task_that_never_comes_back_is_given_up(released, monkeypatch):
    monkeypatch.setattr(worker, "grade", hangs_or_not)
    monkeypatch.setattr(cluster, "_client", local_client)
    # On a busy machine the others need seconds as well, for their worker has to start.
    monkeypatch.setattr(cluster, "GRADING_OVERHEAD", 12.0)
    monkeypatch.setattr(cluster, "SECONDS_BETWEEN_LOOKS", 0.2)
    students = ["a", "hangs", *"bcdefgh"]
    limits = Limits(submission_seconds=1.0)
    tasks = [task(b"", released, student, limits) for student in students]
    begun = time.monotonic()
    with cluster.prepare_workers(tasks, "tcp://here", None) as begin, begin() as grading:
        reasons = {result.student: result.reason for result in grading.results()}
    assert time.monotonic() - begun < 60
    assert set(reasons) == set(students)
    assert "did not come back within" in reasons["hangs"]
    assert all("graded" in reasons[one] for one in students if one != "hangs")


class Future(SimpleNamespace):
    """What stands for a task at a worker."""

    __hash__ = object.__hash__

    def cancel(self, force):
        pass


class Held:
    """A client whose workers hold what is said here, and which notes which of them it restarts."""

    def __init__(self):
        self.held = {}
        self.restarted = []

    def processing(self):
        return self.held

    def restart_workers(self, addresses, raise_for_error):
        self.restarted += addresses


def test_the_time_in_which_a_worker_had_nothing_to_do_is_not_counted(monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(cluster, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    client, future = Held(), Future(key="late")
    watchdog = cluster._Watchdog(client, {future: task(b"", "{}")})
    allowed = LIMITS.submission_seconds + cluster.GRADING_OVERHEAD
    client.held = {"worker": []}
    for _ in range(3):
        clock[0] += allowed
        assert list(watchdog.give_up_overdue()) == []
    client.held = {"worker": ["late"]}
    for seconds in (10, allowed - 1):
        clock[0] += seconds
        assert list(watchdog.give_up_overdue()) == [] == client.restarted
    clock[0] += 10
    (given_up,) = watchdog.give_up_overdue()
    assert "did not come back within" in given_up.reason and client.restarted == ["worker"]
