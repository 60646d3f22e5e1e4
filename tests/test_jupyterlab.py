"""A student's hour in a real JupyterLab: the assignment solved and validated, a figure moved."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from autograder.building.bundle import PAGE_CONFIG
from autograder.building.made_up_submissions import reference_answers, submission_notebook
from autograder.course.chapters import load_chapter

# A browser, a server and two kernels: beside other tests they wait for one another for minutes.
pytestmark = pytest.mark.serial

STEM = "ch02_simple_rnn"
SETTINGS = {
    # All cells are in the page at once, so that each can be found and typed into.
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    # A save of its own at the same moment as the one by Validate: then Validate never answers.
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
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
    # Where installing the students' zip puts what JupyterLab is not to show.
    path = tmp_path / "etc" / "labconfig" / "page_config.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(PAGE_CONFIG))
    # Else the notebooks of an earlier test would be opened again.
    environment = os.environ | {
        f"JUPYTERLAB_{what.upper()}_DIR": str(tmp_path / what)
        for what in ("settings", "workspaces")
    }
    environment["JUPYTER_CONFIG_PATH"] = str(tmp_path / "etc")
    # Where ipykernel finds this it does not show what libraries write past Python.
    environment.pop("PYTEST_CURRENT_TEST", None)
    with open(tmp_path / "log", "w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield f"http://127.0.0.1:{port}/lab/tree/assignment.ipynb?token=student", folder
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:  # it waits for kernels; no test is about its end
                server.kill()
                server.wait()


FIGURE = """
from coursekit import figures

figures.use_style()


def draw(height):
    fig, ax = figures.diagram()
    ax.text(1, 1, f"height {height}")
    return fig


height = figures.dial("height", [1, 2, 4], start=2)
figures.move(draw, caption="A height.", alt="A height.", name="height", height=height)
"""


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
    """Press Validate, which saves the notebook first; gives the text of the dialog."""
    page.get_by_role("button", name="Validate").click()
    dialog = page.locator(".jp-Dialog")  # of whatever kind: another one than expected says why
    dialog.wait_for(timeout=240_000)
    text = dialog.inner_text()
    dialog.get_by_role("button", name="Ok").click()
    dialog.wait_for(state="detached")
    return text


def test_the_assignment_is_opened_solved_and_validated(lab, browser):
    address, folder = lab
    page = ready_page(browser, address)

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
    assert "Success" in validate(page)

    saved = nbformat.read(folder / "assignment.ipynb", as_version=4)
    typed = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in saved.cells
        if cell.metadata.nbgrader.solution
    }
    assert typed == answers
    page.close()


def test_run_all_reaches_every_check_and_begins_quietly(lab, browser):
    address, folder = lab
    page = ready_page(browser, address)
    names = [exercise.id for exercise in load_chapter(STEM).exercises]
    checks = page.locator(".jp-CodeCell .jp-OutputArea-output", has_text="not written yet")
    restart_and_run_all(page, checks.nth(len(names)))
    for number, name in enumerate(names):  # the first one that fails does not stop the others
        assert f"{name}: not written yet" in checks.nth(number).inner_text()
    # The cell that puts the answers to work says in one sentence what it waits for. Its lines end
    # between words and have room.
    lines = checks.nth(len(names)).inner_text().strip().splitlines()
    said = " ".join(lines)
    assert said.startswith("CheckFailure: ") and max(map(len, lines)) <= 88
    assert said.endswith("not written yet; this cell needs your answers")
    set_up = page.locator(".jp-CodeCell").first
    assert "import keras" in set_up.inner_text()
    assert set_up.locator(".jp-OutputArea-output").count() == 0
    # Of nbgrader there is the button for students, and nothing that is for instructors.
    assert page.get_by_role("button", name="Validate").count() == 1
    assert "Nbgrader" not in page.locator(".lm-MenuBar").inner_text()
    assert page.get_by_text("Create Assignment").count() == 0
    page.close()


def ready_page(browser, address):
    """Open a notebook and wait for its kernel, before which JupyterLab runs nothing."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(180_000)
    open_patiently(page, address)
    wait_for_kernel(page)
    return page


def wait_for_kernel(page):
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for()


def ask_until(shown, ask, milliseconds):
    """Ask JupyterLab until something is shown, for which it gets more time whenever it is asked.

    What is asked before the kernel listens is lost without a word: no cell is marked as running, or
    those that are marked never run. On a busy machine a page can also come to a state in which it
    answers nothing, so that every other time it is loaded again.
    """
    page = shown.page
    heard = page.locator(".jp-InputPrompt", has_text="[*]").or_(shown).first
    for attempt in range(6):
        with contextlib.suppress(PlaywrightTimeoutError):
            ask()
            heard.wait_for(timeout=5_000)
            return shown.wait_for(timeout=(1 + attempt) * milliseconds)
        if attempt % 2:
            page.reload()
            wait_for_kernel(page)
    dialogs = page.locator(".jp-Dialog, .lm-Menu").all_inner_texts()
    raise AssertionError(f"it was asked six times, and nothing appeared; open are: {dialogs}")


def restart_and_run_all(page, shown):
    """Restart the kernel and run all cells until something is shown."""

    def ask():
        for place in (
            page.locator(".lm-MenuBar-item", has_text="Kernel"),
            page.get_by_role("menuitem", name="Restart Kernel and Run All Cells…"),
            page.locator(".jp-Dialog").get_by_role("button", name="Confirm Kernel Restart"),
        ):
            place.click(timeout=20_000)

    ask_until(shown, ask, milliseconds=15_000)


def run_until(page, shown):
    """Run the first cell until something is shown."""

    def ask():
        page.locator(".jp-CodeCell .cm-content", has_text="coursekit").click(timeout=20_000)
        page.keyboard.press("Control+Enter")

    ask_until(shown, ask, milliseconds=20_000)


def test_a_figure_moves_by_keyboard_when_run_and_when_opened_again(lab, browser):
    address, folder = lab
    notebook = new_notebook(cells=[new_code_cell(FIGURE), new_code_cell("below = 1")])
    notebook.metadata.kernelspec = {"display_name": "Python 3", "name": "python3"}
    nbformat.write(notebook, folder / "figure.ipynb")
    page = ready_page(browser, address.replace("assignment.ipynb", "figure.ipynb"))
    slider = page.get_by_role("slider", name="height")
    picture = page.locator("#fig-height svg:visible")
    run_until(page, slider)

    def move():
        assert "height 2" in picture.text_content()
        # JupyterLab's own commands on these keys would select, fold and cut cells.
        slider.click()
        for key, height in [("Home", 1), ("ArrowUp", 2), ("x", 2), ("ArrowRight", 4)]:
            page.keyboard.press(key)
            assert f"height {height}" in picture.text_content()
        assert page.locator(".jp-CodeCell").count() == 2

    slider.wait_for()
    move()
    page.locator(".jp-CodeCell .cm-content", has_text="below").click()
    page.keyboard.press("Control+S")
    page.wait_for_function("!document.querySelector('.jp-mod-dirty')")
    page.reload()
    slider.wait_for()
    move()
    page.close()
