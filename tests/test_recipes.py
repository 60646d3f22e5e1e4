"""The recipes of the book for GitHub Classroom and JupyterHub, read from the page and run."""

import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from small_course import ANSWER, EXERCISE, STEM, totals

from autograder.course.chapters import ROOT

# A hub and a class of repositories take more than a minute to set up.
pytestmark = pytest.mark.nightly

PAGE = (ROOT / "book" / "recipes.md").read_text(encoding="utf-8")
BLOCKS = {
    caption: text
    for caption, text in re.findall(
        r"^```\{code-block\} \w+\n:caption: (.*?)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL
    )
}
GIT = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Somebody"), ("EMAIL", "somebody@example.org"))
}


def block(beginning):
    """Return the text of the block whose caption begins so and says that tests run it."""
    (text,) = (t for c, t in BLOCKS.items() if c.startswith(beginning) and "run by our tests" in c)
    return text


def as_user(user):
    """Return what begins a command of another user; [] where that user cannot run our Python."""
    if os.geteuid():
        return []
    prefix = ["setpriv", "--reuid", user.pw_name, "--regid", str(user.pw_gid), "--clear-groups"]
    # By way of `env`: setpriv itself still has the rights of root when it starts a program.
    done = subprocess.run([*prefix, "env", sys.executable, "-c", ""], stderr=subprocess.DEVNULL)
    return [] if done.returncode else prefix


def run(folder, script, user=None, **environment):
    """Run a shell script, by default as the user who runs the tests."""
    command = ["bash", "-euo", "pipefail", "-c", script]
    here = Path(sys.executable).parent
    environment = {"PATH": f"{here}:{os.environ['PATH']}", "HOME": str(folder), **environment}
    if user:
        command = [*as_user(user), *command]
        environment |= {"USER": user.pw_name, "LOGNAME": user.pw_name}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def answer(path, text=ANSWER):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.nbgrader.grade_id == EXERCISE.id:
            cell.source = text
    nbformat.write(notebook, path)


def test_github_classroom(tmp_path):
    run(tmp_path, block("the starter repository"), **GIT)
    starter, clones = tmp_path / "students", tmp_path / "ch01-submissions"
    assert not list(starter.rglob("*hidden*")) and not list(starter.rglob("solutions"))
    clones.mkdir()
    elsewhere = tmp_path / "mine.txt"
    elsewhere.write_text("keep me")
    for student in ("ada", "bob", "eve"):
        remote, clone = tmp_path / f"{student}.git", clones / f"ch01-{student}"
        run(tmp_path, f"git clone --quiet --bare {starter} {remote}")
        run(tmp_path, f"git clone --quiet {remote} {clone}")
        notebook = clone / "notebooks" / STEM / "assignment.ipynb"
        if student == "eve":  # links where the recipe reads and writes
            notebook.unlink()
            notebook.symlink_to(elsewhere)
            (clone / "feedback.html").symlink_to(elsewhere)
        else:
            answer(notebook, ANSWER if student == "ada" else "changed = 1")
        commit = "git add . && git commit --quiet --message Answer && git push --quiet"
        run(clone, commit, **GIT, GIT_COMMITTER_DATE="2026-03-02T12:30:00+0100")
    run(tmp_path, block("from repositories to submissions"))
    course = tmp_path / "my-course"
    assert totals(course) == {"ada": EXERCISE.points, "bob": 0, "eve": 0}
    time = (course / "submitted" / "ada" / STEM / "timestamp.txt").read_text()
    assert time == "2026-03-02 11:30:00 UTC\n"
    run(tmp_path, block("feedback"), **GIT)
    for student in ("ada", "bob", "eve"):
        page = run(tmp_path, f"git -C {student}.git show HEAD:feedback.html")
        assert f"<bdi>{student}</bdi>" in page
    assert elsewhere.read_text() == "keep me"


@pytest.fixture
def hub():
    """A folder that every user of the machine may enter, with a home for each student.

    They are two accounts that Debian always has, where these can run our Python; else oneself.
    """
    folder = Path(tempfile.mkdtemp(prefix="hub-"))
    folder.chmod(0o755)
    users = [pwd.getpwnam(name) for name in ("games", "mail")]
    users = [user for user in users if as_user(user)] or [pwd.getpwuid(os.geteuid())]
    homes = {user: folder / f"home-{user.pw_name}" for user in users}
    for user, home in homes.items():
        home.mkdir(mode=0o700)
        shutil.chown(home, user.pw_uid, user.pw_gid)
    yield folder, homes
    shutil.rmtree(folder)


def test_the_exchange_of_a_jupyterhub(hub):
    folder, homes = hub
    exchange, course = folder / "exchange", folder / "course"
    exchange.mkdir()
    exchange.chmod(0o777)
    course.mkdir()
    config = block("/etc/jupyter/nbgrader_config.py")
    config = config.replace("/srv/nbgrader/exchange", str(exchange))
    for place in (course, *homes.values()):
        (place / "nbgrader_config.py").write_text(config)
        (place / "nbgrader_config.py").chmod(0o644)
    run(course, block("you, before"))
    fetch, submit = block("a student, with").splitlines()
    expected = {}
    for user, home in homes.items():
        run(home, fetch, user)
        right = not expected  # the first student's
        expected[user.pw_name] = EXERCISE.points if right else 0
        answer(home / STEM / "assignment.ipynb", ANSWER if right else "changed = 1")
        run(home, submit, user)
        if user.pw_uid != os.geteuid():  # nobody reads the course or what others have handed in
            run(home, f"! ls {course} && ! ls {exchange}/sequences/inbound", user)
    run(course, block("you, after"))
    assert totals(course) == expected
    for user, home in homes.items():
        run(home, block("a student again"), user)
        (page,) = home.rglob("*.html")
        assert f"<bdi>{user.pw_name}</bdi>" in page.read_text(encoding="utf-8")
