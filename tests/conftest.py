"""What several test files need: a cluster, the site, a browser, CI's rule on skipped tests."""

import fcntl
import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# The parameters that name a page of the site.
OF_A_PAGE = ("visit", "page", "chapter", "name")
# When the session began.
BEGAN = pytest.StashKey[float]()
# The modules that were there when all tests had been collected.
COLLECTED_WITH = pytest.StashKey[frozenset[str]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _not_skipped_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _not_skipped_in_ci((yield))


def _not_skipped_in_ci(report):
    """Turn a skip into a failure where everything has to be there (CI=true)."""
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI allows no skipped test: {reason}"
    return report


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    """Let one worker run what shares a fixture of its file; other tests go to whoever is free.

    The site takes longest, so it is begun first. Its pages come last, when it is complete, and a
    page goes to whoever is free; what looks at all of them comes before. Groups come before single
    tests, which fill what time is left.
    """
    builder = next((item for item in items if "site" in item.fixturenames), None)
    for item in items:
        fixtures = item._fixtureinfo.name2fixturedefs.values()
        if item is builder:
            turn, group = 0, "site"
        elif "site" in item.fixturenames:
            parameters = item.callspec.params if hasattr(item, "callspec") else {}
            page = next((parameters[name] for name in OF_A_PAGE if name in parameters), "pages")
            turn, group = 3 if page == "pages" else 4, f"{item.path.stem}-{page}"
        elif any(definitions[-1].scope == "module" for definitions in fixtures):
            turn, group = 1, item.path.stem
        else:
            turn, group = 2, None
        # All tests of a page follow one another, so that it is opened once.
        item.turn = turn, group if turn == 4 else ""
        if group:
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: item.turn)


def pytest_collection_finish(session):
    """Note what is imported, and stop when the groups do not reach pytest-xdist.

    Each worker would then build the site.
    """
    session.config.stash[COLLECTED_WITH] = frozenset(sys.modules)
    grouped = [item for item in session.items if item.get_closest_marker("xdist_group")]
    if session.config.getoption("loadgroup", False) and not all("@" in i.nodeid for i in grouped):
        pytest.exit("this pytest-xdist does not group tests with this pytest", returncode=1)


def pytest_sessionstart(session):
    session.config.stash[BEGAN] = time.time()


def pytest_terminal_summary(terminalreporter, config):
    """Note the banks whose answers have all been judged, and say that this is to be committed."""
    reports = terminalreporter.stats.get("passed", [])
    passed = [report.nodeid for report in reports if "test_variants.py::" in report.nodeid]
    if passed:
        from judged_banks import NOTED, note

        for stem in note(passed, config.stash[BEGAN]):
            terminalreporter.write_line(f"{NOTED.name}: the bank of {stem} is judged; commit this")


@pytest.fixture(autouse=True)
def keras_from_the_start():
    """Let Keras number its layers from 0, as in a new kernel, whichever tests came before.

    Its error messages hold these numbers, and what a mistake looks like is recorded with them.
    """
    if "keras" in sys.modules:
        sys.modules["keras"].utils.clear_session(free_memory=False)


@pytest.fixture(scope="session", autouse=True)
def alembic_heads():
    """Let nbgrader ask once which version its tables have, and not for each new gradebook.

    It asks another program, which takes most of the time that it takes to make a gradebook.
    """
    with pytest.MonkeyPatch.context() as patch:
        if api := sys.modules.get("nbgrader.api"):
            patch.setattr(api, "get_alembic_version", functools.cache(api.get_alembic_version))
        yield


@pytest.fixture
def impatient(monkeypatch):
    """Let nobody wait for a gradebook that a test keeps locked."""
    monkeypatch.setattr("autograder.grading.gradebook.SECONDS_FOR_A_LOCK", 0.1)


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the repository, of which digests are then made."""
    from autograder.course import chapters

    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("coursekit", "autograder", "solutions", "book/_ext", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for name in ("_toc.yml", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    for lesson in (ROOT / "book").glob("ch*.md"):
        shutil.copy(lesson, tmp_path / "book")
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def course(graded, tmp_path):
    """A copy of the course that a test file has graded once; a test may change it."""
    shutil.copytree(graded, tmp_path / "course")
    return tmp_path / "course"


@pytest.fixture
def time_zone():
    """A function that sets the time zone of this process until the test has ended."""
    with pytest.MonkeyPatch.context() as patch:

        def set_zone(name):
            patch.setenv("TZ", name)
            time.tzset()

        yield set_zone
    time.tzset()


@pytest.fixture(scope="module")
def scheduler():
    """The address of two workers that live from test to test."""
    from distributed import LocalCluster

    from autograder.grading.cluster import WORKER_ENVIRONMENT

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", env=WORKER_ENVIRONMENT
    ) as standing:
        yield standing.scheduler_address


@pytest.fixture(scope="module")
def standing_workers(scheduler):
    """Let every run of a file go to these workers: to start some takes longer than its marks."""
    from autograder.grading import cluster

    prepare = cluster.prepare_workers
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "prepare_workers", lambda tasks, *_: prepare(tasks, scheduler, None))
        yield


@pytest.fixture
def cluster():
    """The address of a dask scheduler and the processes of its two workers, for one test."""
    from benchmarks.dask_cluster import dask_cluster

    with dask_cluster() as found:
        yield found


@pytest.fixture(scope="module")
def site():
    """Build the site as `make book` does, serve it, and give its address with a final slash.

    A worker waits while another one builds it; where it is complete, there is nothing to build.
    """
    settings = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    (ROOT / "_build").mkdir(exist_ok=True)
    with open(ROOT / "_build" / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build = subprocess.run(
            ["make", "site"],
            cwd=ROOT,
            env=settings,
            capture_output=True,
            text=True,
            errors="replace",
        )
    if build.returncode:
        pytest.fail(f"make site failed:\n{(build.stdout + build.stderr)[-5000:]}", pytrace=False)
    handler = functools.partial(_Silent, directory=ROOT / "_build" / "html")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


# A module's and not the session's: while Playwright runs, its event loop is the thread's, and a
# test elsewhere that starts a kernel or a cluster would stumble over it.
@pytest.fixture(scope="module")
def browser():
    """Start Chromium without a window; skip where there is none."""
    from bookext.chromium import find_chromium, start_chromium

    try:
        find_chromium()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = start_chromium(playwright)
        yield browser
        browser.close()
