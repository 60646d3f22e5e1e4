"""A mark follows everything it rests on, and nothing else: what the digest sees of a change."""

from dataclasses import replace

import pytest

from autograder.course_error import CourseError
from autograder.grading import worker
from autograder.grading.digest import MarkDigest
from autograder.grading.task import Task
from autograder.intake.submissions import Submission
from autograder.kernels.limits import Limits
from autograder.results import Result, Status

STEM, OTHER = "ch03_custom_attention_layer", "ch02_simple_rnn"
SUBMISSION = Submission.of("ada", b'{"cells": ["import numpy as np"]}')


def now(submission=SUBMISSION, released="{}", limits=Limits(), sandboxed=True):  # noqa: B008
    return MarkDigest(released, STEM, limits, sandboxed, None, False).digest(submission)


def changed(path):
    path.write_bytes(path.read_bytes() + b"\nchanged = 1\n")


@pytest.mark.parametrize(
    "file",
    [
        f"coursekit/checks/{STEM}.py",
        f"coursekit/checks/recorded/{STEM}.json",
        "coursekit/checks/layers.py",
        "coursekit/checks/comparison.py",
        "coursekit/data/sunspots.csv",
        f"solutions/{STEM}.py",
        f"solutions/variants/{STEM}.py",
        f"autograder/hidden/{STEM}.py",
        "autograder/kernels/inside/server.py",
        "autograder/kernels/session.py",
        "autograder/intake/rebuild.py",
        "autograder/results.py",
        "autograder/checking/hidden_check.py",
        "requirements.txt",
    ],
)
def test_a_change_in_what_a_mark_rests_on_is_seen(copy, file):
    before = now()
    if file == "requirements.txt":
        (copy / file).write_text("keras==9.9\n")
    else:
        changed(copy / file)
    assert now() != before


@pytest.mark.parametrize(
    "file",
    [
        f"solutions/{OTHER}.py",
        f"solutions/variants/{OTHER}.py",
        f"coursekit/checks/{OTHER}.py",
        f"coursekit/checks/recorded/{OTHER}.json",
        f"autograder/hidden/{OTHER}.py",
        "coursekit/turing.py",
        "coursekit/figures/drawing.py",
        "coursekit/figures/figure_order.json",
        "autograder/grading/errors.py",
        "autograder/platforms/canvas.py",
        "autograder/reports/templates/feedback.html.j2",
        "autograder/building/release.py",
        "autograder/cli/grading.py",
        "book/_ext/front_page/course_map.py",
    ],
)
def test_a_change_on_which_no_mark_rests_is_not(copy, file):
    before = now()
    changed(copy / file)
    assert now() == before


def test_the_text_of_an_assignment_may_change_but_not_its_points(copy):
    solution, before = copy / "solutions" / f"{STEM}.py", now()
    source = solution.read_text(encoding="utf-8")
    solution.write_text(source.replace("# %% [markdown]", "# %% [markdown]\n# More.\n#", 1))
    assert now() == before
    solution.write_text(source.replace("points=1", "points=2", 1))
    assert now() != before


@pytest.mark.parametrize(
    "source",
    [
        "import coursekit.turing as machine",
        "from coursekit.turing import Machine",
        "from coursekit import recurrent, turing",
        '["from coursekit import (\\n", "    recurrent,\\n", "    turing,\\n", ")"]',
        "from importlib import import_module; import_module('coursekit.turing')",
    ],
)
def test_a_mark_rests_on_what_the_answers_import(copy, source):
    importing = Submission.of("ada", source.encode())
    before = now(importing), now()
    changed(copy / "coursekit" / "turing.py")
    assert now(importing) != before[0] and now() == before[1]


def test_a_new_import_of_a_check_is_followed(copy):
    helpers = copy / "coursekit" / "checks" / "new_helpers.py"
    helpers.write_text("x = 1\n")
    check = copy / "coursekit" / "checks" / f"{STEM}.py"
    before = now()
    check.write_text(check.read_text() + "\nfrom coursekit.checks import new_helpers\n")
    imported = now()
    changed(helpers)
    assert len({before, imported, now()}) == 3


def test_the_submission_the_released_notebook_the_limits_and_the_sandbox_are_seen(copy):
    limits = replace(Limits(), cell_seconds=Limits().cell_seconds + 1)
    others = [
        now(Submission.of("bob", SUBMISSION.content)),
        now(Submission.of("ada", b"{}")),
        now(released="{ }"),
        now(limits=limits),
        now(sandboxed=False),
    ]
    assert len({now(), *others}) == 6


@pytest.mark.parametrize("file", [f"autograder/hidden/{STEM}.py", "autograder/kernels/session.py"])
def test_a_worker_with_another_version_of_the_repository_grades_nothing(copy, file, monkeypatch):
    monkeypatch.setattr(worker, "_grade", lambda task: Result("ada", STEM, Status.NO_RESPONSE))
    ours = MarkDigest("{}", STEM, Limits(), True, None, False).files_digest(SUBMISSION)
    task = Task(SUBMISSION, STEM, "{}", "0f" * 32, Limits(), True, files_digest=ours)
    worker._own_files_digest.cache_clear()
    assert worker.grade(task).status is Status.NO_RESPONSE
    changed(copy / file)
    assert worker.grade(task).status is Status.NO_RESPONSE  # what it has imported is still the same
    worker._own_files_digest.cache_clear()
    with pytest.raises(CourseError, match=r"the worker on .* has another version"):
        worker.grade(task)
    worker._own_files_digest.cache_clear()
