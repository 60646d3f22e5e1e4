"""A part of the corpus where classes are graded: by an ordinary user, and on a cluster of workers.

`test_hostile` grades all of it as the user who runs the tests, with the workers of this machine.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hostile.cases import CASES
from hostile.ordinary_user import NOBODY, as_ordinary_user
from hostile.submissions import HONEST, LIMITS, POINTS, STEM, notebook_bytes
from hostile.surroundings import TRACES, damage, lay_decoys, left_behind, listening
from small_course import configure

from autograder.building.stock_nbgrader import create_assignment
from autograder.grading.course import Options
from autograder.grading.journal import Journal
from autograder.grading.run import grade_course
from autograder.kernels.sandbox import sandbox_available

# They use every core, and their limits of time and memory are tight.
pytestmark = pytest.mark.serial

# What depends on the way to the worker and back: messages, losses, limits, what an error carries.
ON_A_CLUSTER = {
    *("ast_transformer", "yes_from_serve", "garbage_from_serve", "duplicated_check", "latin_1"),
    *("ignores_signals", "exit_in_function", "64_gigabytes_in_cell", "grows", "flood"),
    *("nested_output", "link_to_gradebook", "http", "echo_in_message"),
}
# What depends on the user: files, processes, memory, the network.
OF_A_USER = {
    *("yes_from_serve", "reads_the_course", "follows_the_installation", "walks_proc"),
    *("gradebook_by_proc", "startup_files", "a_leaves_answers", "z_takes_answers"),
    *("exit_in_function", "kills_its_parent", "forks_between", "daemon", "grows", "memory_files"),
    *("pool_over_shared_data", "fills_the_disk", "fills_its_sockets_folder", "http"),
}


def cases(names):
    chosen = [case for case in CASES if case.name in names]
    assert {case.name for case in chosen} == names
    return chosen


@pytest.fixture
def course():
    """A course folder that every user can reach, where one honest student has handed in."""
    if refusal := sandbox_available():
        pytest.skip(refusal)
    for path in TRACES:
        path.unlink(missing_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="elsewhere-"))
    folder.chmod(0o755)
    for name in ("course", "home"):
        (folder / name).mkdir()
        lay_decoys(folder / name)
    create_assignment(folder / "course", STEM)
    configure(folder / "course", **LIMITS.as_dict())
    inbox = folder / "course" / "submitted" / "00_honest_first" / STEM
    inbox.mkdir(parents=True)
    (inbox / "assignment.ipynb").write_bytes(notebook_bytes(HONEST))
    yield folder / "course"
    shutil.rmtree(folder)


@contextlib.contextmanager
def nothing_happens(course):
    """Require that nothing outside of the submissions changes and nobody gets out."""
    with listening() as connections:
        yield
    assert damage(course.parent / "home", course) == []
    assert left_behind() == []
    assert connections == []


def assert_deserved(course, names):
    """Require that everybody has got what the corpus says."""
    with contextlib.closing(Journal(course, STEM)) as journal:
        results = dict(journal.latest())
    honest = results.pop("00_honest_first")
    assert {e.exercise: e.points for e in honest.exercises} == POINTS
    assert results.keys() == {case.student for case in cases(names)}
    for case in cases(names):
        case.assert_deserved(results[case.student], [honest])


def test_an_ordinary_user_grades(course):
    folder = course.parent
    for case in cases(OF_A_USER):
        case.hand_in(course)
    for path in (folder, *folder.rglob("*")):
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    command = [sys.executable, "-m", "hostile.ordinary_user", str(course)]
    tests = str(Path(__file__).parent)
    environment = os.environ | {"HOME": str(folder / "home"), "PYTHONPATH": tests}
    with nothing_happens(course):
        done = subprocess.run(
            as_ordinary_user(command), env=environment, capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr
    assert_deserved(course, OF_A_USER)


def test_workers_of_a_cluster_grade(course, cluster):
    address, _ = cluster
    for case in cases(ON_A_CLUSTER):
        case.hand_in(course)
    with nothing_happens(course):
        run = grade_course(course, STEM, Options(scheduler=address))
    assert run.facts.workers == 2
    assert_deserved(course, ON_A_CLUSTER)


def test_an_ordinary_user_without_namespaces_is_told_so_in_one_line():
    program = "from autograder.kernels import sandbox; print(sandbox.sandbox_available())"
    # In a namespace of users that allows no further one.
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    forbidden = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh"]
    command = [*forbidden, sys.executable, "-c", program]
    asked = subprocess.run(as_ordinary_user(command), capture_output=True, text=True)
    (line,) = asked.stdout.splitlines()
    assert line.startswith("The sandbox cannot start here (")
    assert "Traceback" not in line and "File" not in line
    assert line.endswith("or grade with --no-sandbox.")


def test_root_without_power_over_files_is_told_so_in_one_line():
    """It would wait for a submission's sockets, which it must not open, until the time is up."""
    program = "from autograder.kernels import sandbox; print(sandbox.sandbox_available())"
    root = ["unshare", "--user", "--map-root-user"]
    without = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]
    command = [*root, *without, sys.executable, "-c", program]
    asked = subprocess.run(command, capture_output=True, text=True, check=True)
    (line,) = asked.stdout.splitlines()
    assert "CAP_DAC_OVERRIDE" in line and line.endswith("or grade as another user.")
