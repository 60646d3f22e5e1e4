"""What is imported before the first mark, and where: no more than the assignment's set-up asks for.

Seconds are measured in `benchmarks/`; here it is counted who imports what, and how much is held.
"""

import contextlib
import gc
import json
import os
import subprocess
import sys
import tracemalloc
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.building.made_up_submissions import hand_in, reference_answers, submission_notebook
from autograder.building.stock_nbgrader import create_assignment
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.course.variants import load_variants
from autograder.grading import cluster
from autograder.grading.cluster import TASKS_AT_ONCE, Dispatch
from autograder.grading.handed_in import ALL_COUNT
from autograder.grading.journal import Journal
from autograder.grading.task import Task
from autograder.grading.worker import grade
from autograder.intake.entries import Rejected
from autograder.intake.submissions import Submission
from autograder.kernels.fork_server import ForkServer
from autograder.kernels.fork_server_cache import fork_server
from autograder.kernels.imports import modules_of_setup_cells
from autograder.kernels.limits import Limits
from autograder.kernels.sandbox import sandbox_available
from autograder.kernels.session import Session
from autograder.results import Result, Status

STEM = "ch01_rnn_basics"
HEAVY = {"keras", "matplotlib", "pandas", "tensorflow"}
LIMITS = Limits()
KERAS = next(v for v in load_variants(STEM) if v.name == "Keras counts")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    refusal = sandbox_available()
    if refusal:
        pytest.skip(refusal)
    folder = tmp_path_factory.mktemp("course")
    create_assignment(folder, STEM)
    return folder


@pytest.fixture(scope="module")
def released(course):
    return (course / "release" / STEM / "assignment.ipynb").read_text()


def notebook_of(*cells):
    """Write a notebook of cells: pairs of source and nbgrader's marks."""
    cells = [new_code_cell(source, metadata={"nbgrader": marks}) for source, marks in cells]
    return nbformat.writes(new_notebook(cells=cells))


# --- what a fork server imports ------------------------------------------------------------------


def test_the_set_up_cells_of_the_release_say_what_is_imported():
    locked, answer = {"locked": True}, {"solution": True, "locked": False}
    released = notebook_of(
        ("%matplotlib inline\nimport numpy as np, pandas as pd\nfrom keras import ops", locked),
        ("!pip list\nimport coursekit.datasets, os, antigravity", {}),
        ("import tensorflow", answer),
        ("import matplotlib.pyplot", {"grade": True, "locked": True}),
        ("def later():\n    import tensorflow", locked),
        ("this is no Python", locked),
        ("from . import tensorflow", locked),
        ("from coursekit.datasets import load_sunspots", locked),
    )
    assert modules_of_setup_cells(released) == ("coursekit.datasets", "keras", "numpy", "pandas")


def test_what_graders_leave_out_is_not_imported_for_them():
    cell = new_code_cell("import keras", metadata={"nbgrader": {"locked": True}})
    assert modules_of_setup_cells(nbformat.writes(new_notebook(cells=[cell]))) == ("keras",)
    cell.metadata["tags"] = ["skip-execution"]
    assert modules_of_setup_cells(nbformat.writes(new_notebook(cells=[cell]))) == ()


@pytest.mark.parametrize("stem", chapter_stems())
def test_chapters_on_numpy_alone_load_no_keras(stem):
    notebook = nbformat.writes(submission_notebook(stem, {}))
    modules = modules_of_setup_cells(notebook)
    assert {"numpy", "coursekit.checks"} <= set(modules)
    assert ("keras" in modules) == ("import keras" in load_chapter(stem).setup)


def test_a_kernel_of_such_a_chapter_has_no_tensorflow_and_can_import_it(released):
    modules = modules_of_setup_cells(released)
    with ForkServer(LIMITS, modules=modules) as server, Session(server.start_kernel()) as session:
        loaded = f"import sys; sorted({HEAVY} & set(sys.modules))"
        assert value_of(session, loaded) == "[]"
        # A plot ties itself to the kernel as if it had been there from the beginning.
        plot = session.run_cell("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
        assert "image/png" in plot.outputs[-1].data
        softmax = "import keras; keras.ops.softmax(keras.ops.zeros((1, 2))).numpy().tolist()"
        assert value_of(session, softmax) == "[[0.5, 0.5]]"


def value_of(session, code):
    outputs = session.run_cell(code).outputs
    return next(o.data["text/plain"] for o in outputs if o.output_type == "execute_result")


def test_a_student_who_uses_keras_there_has_full_marks(released):
    answers = reference_answers(STEM) | {KERAS.exercise: KERAS.source}
    content = nbformat.writes(submission_notebook(STEM, answers)).encode()
    result = grade(Task(Submission.of("ada", content), STEM, released, "0f" * 32, LIMITS, True))
    fork_server(LIMITS, True, modules_of_setup_cells(released), None).close()
    assert result.status is Status.GRADED
    assert result.points == result.max_points


# --- what a run imports --------------------------------------------------------------------------


def test_a_run_loads_no_tensorflow_where_the_set_up_does_not(course):
    """Neither the coordinator, which never does, nor the process that workers are forked from."""
    hand_in(course, "ada", STEM, submission_notebook(STEM, reference_answers(STEM)))
    program = RUN.format(course=str(course), stem=STEM)
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    found = json.loads(said.stdout or said.stderr)
    assert found["points"] == sum(exercise.points for exercise in load_chapter(STEM).exercises)
    assert not HEAVY & set(found["coordinator"])
    assert "tensorflow" not in found["worker"]
    assert "autograder.grading.worker" in found["worker"]


RUN = """
import json, sys
from unittest.mock import patch

from autograder.grading import cluster
from autograder.grading.run import grade_course

def modules():
    return sorted(name for name in sys.modules)

if __name__ == "__main__":
    seen = []
    before = cluster.Dispatch.results

    def results(self):
        yield from before(self)
        seen.extend(*self._client.run(modules).values())

    with patch.object(cluster.Dispatch, "results", results):
        run = grade_course({course!r}, {stem!r})
    points = run.results[0].points
    print(json.dumps({{"coordinator": modules(), "worker": seen, "points": points}}))
"""


RELEASE = """
import sys
from autograder.checking.recording import newly_recorded_text

newly_recorded_text("ch07_positional_encoding_1")
print("keras" in sys.modules)
"""


def test_a_release_of_such_a_chapter_loads_no_keras():
    found = subprocess.run([sys.executable, "-c", RELEASE], capture_output=True, text=True)
    assert found.stdout == "False\n", found.stderr


WORKERS = """
import sys
from multiprocessing import get_context

from autograder.grading import cluster

def look(answers):
    greeted = "autograder.grading.with_keras" in sys.modules
    unneeded = {"matplotlib", "sklearn"} & sys.modules.keys()
    import keras, sklearn  # which was only out of sight while Keras was imported
    answers.put((greeted, unneeded, keras.ops.softmax(keras.ops.zeros((1, 2))).numpy().tolist()))

if __name__ == "__main__":
    cluster._start_importing(("keras", "numpy"))
    context = get_context("forkserver")
    answers = context.Queue()
    workers = [context.Process(target=look, args=(answers,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    print([answers.get(timeout=60) for _ in workers], "keras" in sys.modules)
    for worker in workers:
        worker.join()
"""


def test_workers_are_forked_with_keras_imported_and_can_compute(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WORKERS)
    found = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert found.stdout == "[(True, set(), [[0.5, 0.5]]), (True, set(), [[0.5, 0.5]])] False\n"


def test_there_is_a_worker_for_each_core_that_the_process_may_use(released, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0})
    task = Task(Submission("s"), STEM, released, "", LIMITS, True)
    with cluster.prepare_workers([task, task], None, None) as begin, begin() as dispatch:
        assert dispatch.workers == 1


# --- what a large class takes --------------------------------------------------------------------


class FakeClient:
    """Workers that bring every result at once, and count what has been handed out and not back."""

    def __init__(self):
        self.outstanding = self.most = 0

    def nthreads(self):
        return {"one": 1, "two": 1}

    def processing(self):
        return {}

    def submit(self, function, task, **options):
        self.outstanding += 1
        self.most = max(self.most, self.outstanding)
        return FakeFuture(self, task)


class FakeFuture(Future):
    def __init__(self, client, task):
        super().__init__()
        self._client = client
        self.set_result(task.submission.student)

    def release(self):
        self._client.outstanding -= 1


def test_a_large_class_is_handed_out_little_by_little_and_whole():
    one = Task(Submission("s"), STEM, "", "", LIMITS, True)
    tasks = [replace(one, submission=Submission(f"s{i}")) for i in range(3 * TASKS_AT_ONCE)]
    client = FakeClient()
    results = list(Dispatch(client, tasks, [None]).results())
    assert sorted(results) == sorted(task.submission.student for task in tasks)
    assert client.most == TASKS_AT_ONCE and client.outstanding == 0


def test_what_was_graded_does_not_stay_in_memory():
    released = "x" * 100_000
    refused = Submission("s", rejected=Rejected(Status.REFUSED, "it takes no time"))
    tasks = [Task(refused, STEM, released, str(i), LIMITS, True) for i in range(300)]
    fork_servers = SimpleNamespace(workers=1, directories=lambda: [None])
    with cluster._client(None, fork_servers) as (client, directories):
        tracemalloc.start()
        results = list(Dispatch(client, tasks, directories).results())
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert [result.status for result in results] == 300 * [Status.REFUSED]
    assert held < 50 * len(released)


def test_a_class_of_submissions_takes_a_fraction_of_its_notebooks(released):
    content = released.encode()
    tracemalloc.start()
    held = [Submission.of(f"s{i}", content + b" " * i) for i in range(50)]
    now, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert now < 50 * len(content) / 2
    assert held[7].content == content + b" " * 7


def test_a_journal_is_read_line_by_line(tmp_path):
    (tmp_path / ".autograder").mkdir()
    with contextlib.closing(Journal(tmp_path, STEM)) as journal:
        for i in range(50):
            result = Result(f"s{i}", STEM, Status.GRADED, notebook="x" * 10**6, digest=str(i))
            journal.add(result, ALL_COUNT)
            journal.mark_stored(result)
    assert journal.path.stat().st_size > 50 * 10**6
    tracemalloc.start()
    with contextlib.closing(Journal(tmp_path, STEM)) as journal:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(journal.latest()) == 50 and not journal.pending()
    assert most < 20 * 10**6
