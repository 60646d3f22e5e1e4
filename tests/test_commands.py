"""The commands on the pages for students and instructors, executed as they are written there."""

import csv
import functools
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from bookext import downloads as downloads_module
from bookext.downloads import write_zips

from autograder.building.bundle import PAGE_CONFIG
from autograder.cli import main
from autograder.course import chapters
from coursekit.checks import CheckFailure
from coursekit.checks import ch01_rnn_basics as checks

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
STEM, NEXT = "ch01_rnn_basics", "ch02_simple_rnn"


def blocks(page, language="bash"):
    """Return the code blocks of a language on a page of `book/`, in order."""
    text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    fence = rf"^```(?:\{{code-block\}} )?{language}\n(?::[^\n]*\n)*(.*?)^```$"
    return re.findall(fence, text, re.DOTALL | re.MULTILINE)


def run(script, folder, **settings):
    """Run a block in a shell that stops at the first error; return what it printed."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def repository(tmp_path):
    """A folder that looks like the repository; what is written into it lands nowhere else.

    Its environment is the repository's own, so no command may have to install anything.
    """
    up_to_date = subprocess.run(["make", "--question", ".venv/installed"], cwd=ROOT)
    assert not up_to_date.returncode, "the environment is out of date: run make .venv/installed"
    folder = tmp_path / "from-recurrence-to-attention"
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name not in ("_build", ".git"):
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture
def quiet_jupyter(tmp_path):
    """Let JupyterLab open no browser, choose a free port, and run for root as CI does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"open_browser": False, "port": port, "allow_root": True}
    (tmp_path / "jupyter").mkdir()
    config = {"ServerApp": settings, "IdentityProvider": {"token": "student"}}
    (tmp_path / "jupyter" / "jupyter_server_config.json").write_text(json.dumps(config))
    return {"JUPYTER_CONFIG_DIR": str(tmp_path / "jupyter")}, port


def opened_folder(command, folder, jupyter):
    """Start JupyterLab by a command; return the names in the folder that it shows, and end it."""
    settings, port = jupyter
    address = f"http://127.0.0.1:{port}/api/contents?token=student"
    server = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | settings,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(240):
            assert server.poll() is None, f"{command!r} ended by itself"
            try:
                with urllib.request.urlopen(address, timeout=5) as answer:
                    return {entry["name"] for entry in json.load(answer)["content"]}
            except OSError:
                time.sleep(0.5)
        raise AssertionError(f"{command!r} served nothing in two minutes")
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


# --- the page "Start here" and the students' page -------------------------------------------------

# The packages are those that are here: to download them again would take minutes and a network.
PYTHON_WITH_PACKAGES = """\
#!{python}
import subprocess, sys
from pathlib import Path

subprocess.run(["{python}", *sys.argv[1:]], check=True)
if sys.argv[1:3] == ["-m", "venv"]:
    folder = Path(sys.argv[3]).resolve()
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "here_already.pth").write_text("{packages}")
    for script in Path("{scripts}").iterdir():
        if script.name.startswith(("jupyter", "nbgrader")):
            _, _, code = script.read_text().partition("\\n")
            (folder / "bin" / script.name).write_text(f"#!{{folder}}/bin/python\\n{{code}}")
            (folder / "bin" / script.name).chmod(0o755)
"""
# pip takes the first as "yes", against its name: build with the setuptools that is here.
OFFLINE = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1"}


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    """The zips of the site, in a folder of their own."""
    folder = tmp_path_factory.mktemp("site")
    write_zips(SimpleNamespace(outdir=folder))
    return folder / "downloads"


@pytest.fixture
def own_python(tmp_path):
    """Settings under which the reader's Python has the packages from the start."""
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python3"
    packages = Path(np.__file__).parent.parent
    python.write_text(
        PYTHON_WITH_PACKAGES.format(python=sys.executable, packages=packages, scripts=BIN)
    )
    python.chmod(0o755)
    return OFFLINE | {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.nightly
def test_a_downloaded_chapter_leads_to_jupyterlab_and_a_validation(
    downloads, tmp_path, own_python, quiet_jupyter
):
    set_up, start, start_next, _ = blocks("start")
    (validate,) = blocks("students")
    with zipfile.ZipFile(downloads / f"{STEM}.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / STEM
    run(set_up, folder, **own_python)
    imported = "import coursekit; print(coursekit.__file__)"
    assert f"{folder}/.venv/lib" in run(f"{folder}/.venv/bin/python -c '{imported}'", tmp_path)
    assert opened_folder(start, folder, quiet_jupyter) == {STEM}
    assert "sigmoid: not written yet" in run(validate, folder)
    # nbgrader brings what instructors need, which students do not see.
    # JupyterLab names what it finds, and these extensions are where the packages came from.
    command = f"{folder}/.venv/bin/jupyter labextension list 2>&1"
    listed = run(command, tmp_path, JUPYTER_PATH=f"{sys.prefix}/share/jupyter")
    disabled = listed.partition("Disabled extensions:")[2].split()
    assert disabled == sorted(PAGE_CONFIG["disabledExtensions"])
    # Another chapter beside it needs no installation.
    with zipfile.ZipFile(downloads / f"{NEXT}.zip") as archive:
        archive.extractall(tmp_path)
    assert opened_folder(start_next, folder, quiet_jupyter) == {NEXT}
    validate_next = validate.replace("notebooks/", f"../{NEXT}/notebooks/").replace(STEM, NEXT)
    assert "rmse: not written yet" in run(validate_next, folder)


def test_chapters_are_unpacked_side_by_side_and_replace_nothing(downloads):
    paths = sorted(downloads.glob("*.zip"))
    assert len(paths) > 2
    owners = {}
    for path in paths:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                assert owners.setdefault(name.partition("/")[0], path) == path


def test_on_windows_the_same_is_typed(downloads):
    set_up, *_ = blocks("start")
    (on_windows,) = blocks("start", "powershell")
    assert on_windows.replace(".venv\\Scripts\\", ".venv/bin/") == set_up.replace(
        "python3", "python"
    )


@pytest.mark.nightly
def test_a_line_in_the_notebook_installs_the_library(downloads, tmp_path, own_python):
    """Where Python has the packages, and runs one notebook alone, as Colab does."""
    (line,) = blocks("start", "python")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=downloads.parent)
    run("python3 -m venv elsewhere", tmp_path, **own_python)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        command = line.replace("%", "elsewhere/bin/").replace("ADDRESS/", address)
        run(command, tmp_path, **own_python)
        server.shutdown()
    checked = "from coursekit.checks import ch01_rnn_basics as checks; print(checks.__file__)"
    assert f"{tmp_path}/elsewhere" in run(f'elsewhere/bin/python -c "{checked}"', tmp_path)


def test_the_zips_of_the_site_hold_notebooks_as_they_were_released(tmp_path, monkeypatch):
    """What somebody has solved or run in `notebooks/` is nobody else's."""
    notebooks = Path("notebooks", STEM)
    for place in (tmp_path / "mine" / notebooks, tmp_path / "released" / notebooks):
        shutil.copytree(ROOT / notebooks, place)
    solved = tmp_path / "mine" / notebooks / "assignment.ipynb"
    solved.write_text(solved.read_text().replace("raise NotImplementedError()", "return 1"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, tmp_path / "mine")
    for name in ("book", "coursekit", "solutions"):
        shutil.copytree(ROOT / name, tmp_path / "mine" / name)
    monkeypatch.setattr(chapters, "ROOT", tmp_path / "mine")
    monkeypatch.setattr(downloads_module, "chapter_stems", lambda: [STEM])
    (tmp_path / "mine" / "requirements.txt").write_text("numpy==2.0\n")
    write_zips(SimpleNamespace(outdir=tmp_path))
    for name in (STEM, "all_chapters"):
        with zipfile.ZipFile(tmp_path / "downloads" / f"{name}.zip") as archive:
            for notebook in ("lesson.ipynb", "assignment.ipynb"):
                packed = archive.read(f"{name}/{notebooks}/{notebook}")
                assert packed == (tmp_path / "released" / notebooks / notebook).read_bytes()


def test_make_lab_opens_the_chapters(repository, quiet_jupyter):
    *_, command = blocks("start")
    assert command.strip() == "make lab"
    assert STEM in opened_folder(command, repository, quiet_jupyter)


def test_a_check_says_what_the_students_page_shows():
    (answer,), (message,) = blocks("students", "python"), blocks("students", "text")
    namespace = {"np": np}
    exec(answer, namespace)
    with pytest.raises(CheckFailure) as failure:
        checks.sigmoid(namespace["sigmoid"])
    assert str(failure.value).split() == message.split()


# --- the instructors' page ------------------------------------------------------------------------


def test_the_instructors_commands_set_up_a_course(repository, tmp_path):
    if not shutil.which("bwrap"):
        pytest.skip("there is no bubblewrap; ./system-packages installs it")
    demo, *rest = blocks("instructors")
    assert "36 marks compared with the truth: all agree" in run(demo, repository)
    demo_class = repository / "_build" / "demo"
    with open(demo_class / "reports" / f"{STEM}.csv", encoding="utf-8-sig") as file:
        flagged = {row["student"] for row in csv.DictReader(file) if row["flags"]}
    assert flagged == {"hostile-floods", "hostile-skips-the-checks"}
    said = run("".join(rest), repository, HOME=str(tmp_path))
    course = tmp_path / "my-course"
    assert "1 no_response" in said and f"report: {course}/reports/{STEM}.html" in said
    assert "not on the roster: trial" in said and "handed in nothing: ada; alan; grace" in said
    assert "removed for trial: " in said
    assert not (course / "submitted" / "trial").exists()
    with zipfile.ZipFile(tmp_path / "students.zip") as archive:
        assert any(name.endswith(f"{STEM}/assignment.ipynb") for name in archive.namelist())


def test_a_folder_that_is_no_demo_is_left_alone(tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    assert main(["demo", str(tmp_path / "mine")]) == 1
    assert "exists and is not a demo" in capsys.readouterr().err
    assert (tmp_path / "mine").is_dir()
