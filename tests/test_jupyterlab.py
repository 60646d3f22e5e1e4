"""A student's hour: the assignment opened, solved and validated in a real JupyterLab."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.course.chapters import load_chapter
from autograder.course.classroom import reference_answers, submission_notebook

STEM = "ch02_simple_rnn"
SETTINGS = {
    # All cells are in the page at once, so that each can be found and typed into.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture
def lab(tmp_path):
    """A JupyterLab on a folder with the untouched assignment; gives its address and the folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    nbformat.write(submission_notebook(STEM, {}), folder / "assignment.ipynb")
    for name, settings in SETTINGS.items():
        path = tmp_path / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [Path(sys.executable).parent / "jupyter", "lab", "--no-browser", "--allow-root"]
    command += [
        f"--port={port}",
        "--IdentityProvider.token=student",
        f"--ServerApp.root_dir={folder}",
    ]
    environment = os.environ | {"JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings")}
    with open(tmp_path / "log", "w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield f"http://127.0.0.1:{port}/lab/tree/assignment.ipynb?token=student", folder
        finally:
            server.terminate()
            server.wait(30)


def open_patiently(page, address):
    """Open a page of a server that may still be starting."""
    for _ in range(120):
        try:
            return page.goto(address)
        except Exception as error:
            if "ERR_CONNECTION_REFUSED" not in str(error):
                raise
            page.wait_for_timeout(500)
    raise TimeoutError(address)


def validate(page):
    page.get_by_role("button", name="Validate").click()
    dialog = page.locator(".jp-Dialog", has_text="Validation")
    dialog.wait_for(timeout=240_000)
    text = dialog.inner_text()
    dialog.get_by_role("button", name="Ok").click()
    dialog.wait_for(state="detached")
    return text


def test_the_assignment_is_opened_solved_and_validated(lab, browser):
    address, folder = lab
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    open_patiently(page, address)
    page.get_by_role("button", name="Validate").wait_for()

    untouched = validate(page)
    for exercise in load_chapter(STEM).exercises:
        assert f"{exercise.id}: not written yet" in untouched
    assert "Traceback" not in untouched

    answers = reference_answers(STEM)
    for exercise_id, answer in answers.items():
        stub = f"def {exercise_id}("
        editor = page.locator(".jp-CodeCell .cm-content", has_text=stub).first
        editor.click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(answer)
    page.keyboard.press("Control+S")
    assert "Success" in validate(page)

    saved = nbformat.read(folder / "assignment.ipynb", as_version=4)
    typed = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in saved.cells
        if cell.metadata.nbgrader.solution
    }
    assert typed == answers
    page.close()
