"""The commands on the pages for students and instructors, executed as they are written there."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

import numpy as np
import pytest

from autograder.__main__ import main
from coursekit.checks import CheckFailure
from coursekit.checks import ch01_rnn_basics as checks

# A server, kernels and a class that is graded: beside other tests they wait for one another.
pytestmark = pytest.mark.serial

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
STEM = "ch01_rnn_basics"


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
    """A folder that looks like the repository; what is written into it lands nowhere else."""
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


# --- the students' page ---------------------------------------------------------------------------

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


def test_the_students_commands_lead_to_jupyterlab_and_a_validation(tmp_path, quiet_jupyter):
    set_up, start, _, validate = blocks("students")
    assert main(["bundle", str(tmp_path / "students.zip"), STEM]) == 0
    with zipfile.ZipFile(tmp_path / "students.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "from-recurrence-to-attention"
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    packages = Path(np.__file__).parent.parent
    python.write_text(
        PYTHON_WITH_PACKAGES.format(python=sys.executable, packages=packages, scripts=BIN)
    )
    python.chmod(0o755)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    # pip takes the first as "yes", against its name: build with the setuptools that is here.
    offline = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1"}
    run(set_up, folder, PATH=path, **offline)
    imported = "import coursekit; print(coursekit.__file__)"
    assert f"{folder}/.venv/lib" in run(f"{folder}/.venv/bin/python -c '{imported}'", tmp_path)
    assert opened_folder(start, folder, quiet_jupyter) == {STEM}
    assert "sigmoid: not written yet" in run(validate, folder)


def test_make_lab_opens_the_chapters(repository, quiet_jupyter):
    _, _, command, _ = blocks("students")
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
    assert "all agree" in run(demo, repository)
    said = run("".join(rest), repository, HOME=str(tmp_path))
    course = tmp_path / "my-course"
    assert "1 no_response" in said and f"report: {course}/reports/{STEM}.html" in said
    assert "not on the roster: trial" in said and "handed in nothing: ada; alan; grace" in said
    assert "removed of trial: " in said
    assert not (course / "submitted" / "trial").exists()
    with zipfile.ZipFile(tmp_path / "students.zip") as archive:
        assert any(name.endswith(f"{STEM}/assignment.ipynb") for name in archive.namelist())
