"""One submission for Gradescope: the file that it reads, and what must not be in it."""

import json
import shutil

import nbformat
import pytest
from small_course import ANSWER, EXERCISE, STEM, answered

from autograder.building.made_up_submissions import reference_answers, submission_notebook
from autograder.building.stock_nbgrader import create_assignment
from autograder.cli import main
from autograder.course.chapters import load_chapter
from autograder.course.variants import load_variants
from autograder.grading import single_submission
from autograder.kernels import sandbox
from coursekit.checks import ch01_rnn_basics as checks
from coursekit.checks.recorded import RECORDED

EXERCISES = load_chapter(STEM).exercises


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gradescope")
    create_assignment(folder, STEM, in_gradebook=False)  # no gradebook is needed
    return folder


@pytest.fixture
def grade(course, tmp_path):
    """Grade what is in a folder as Gradescope does; return the results and the exit code."""

    def grade(files, *options):
        inbox, results = tmp_path / "submission", tmp_path / "results" / "results.json"
        inbox.mkdir()
        for name, content in files.items():
            (inbox / name).write_text(content, encoding="utf-8")
        command = ["grade-one", course, STEM, inbox, "--results", results, *options]
        code = main(list(map(str, command)))
        return json.loads(results.read_text(encoding="utf-8")) if results.exists() else None, code

    return grade


def test_right_answers_get_all_points(grade, course, capsys):
    before = sorted(course.rglob("*"))
    notebook = submission_notebook(STEM, reference_answers(STEM))
    results, code = grade({"homework.ipynb": nbformat.writes(notebook)})
    assert code == 0 and capsys.readouterr().out == "graded: 20 of 20 points\n"
    assert results["score"] == 20 and results["output"].startswith(f"{len(EXERCISES)} of")
    assert results["execution_time"] >= 1 and results["stdout_visibility"] == "hidden"
    assert [(t["name"], t["score"], t["max_score"], t["status"]) for t in results["tests"]] == [
        (exercise.title, exercise.points, exercise.points, "passed") for exercise in EXERCISES
    ]
    assert sorted(course.rglob("*")) == before


def test_a_failed_hidden_check_shows_no_value(grade):
    # Right as often as the visible check calls it; then it tells what it was called with.
    recorded = json.loads((RECORDED / f"{STEM}.json").read_text(encoding="utf-8"))
    answer = f"{ANSWER}\n_right = {EXERCISE.id}\n_seen = []\n"
    answer += f"def {EXERCISE.id}(*args, **named):\n"
    answer += "    _seen.append(args)\n"
    answer += f"    if len(_seen) > {len(recorded[EXERCISE.id])}:\n"
    answer += "        raise ValueError(f'SMUGGLED {args}')\n"
    answer += "    return _right(*args, **named)\n"
    results, code = grade({"assignment.ipynb": nbformat.writes(answered(answer))})
    test = next(t for t in results["tests"] if t["name"] == EXERCISE.title)
    assert code == 0 and results["score"] == 0
    assert test["status"] == "failed" and "What a hidden check found" in test["output"]
    assert "SMUGGLED" not in json.dumps(results)
    assert {t["visibility"] for t in results["tests"]} == {"visible"}


def test_a_known_mistake_is_named(grade):
    wrong = next(v for v in load_variants(STEM) if v.exercise == EXERCISE.id and v.mistake)
    results, _ = grade({"a.ipynb": nbformat.writes(answered(wrong.source))})
    outputs = {test["name"]: test["output"] for test in results["tests"]}
    assert wrong.mistake in outputs[EXERCISE.title]
    assert all("Not written yet" in outputs[e.title] for e in EXERCISES if e is not EXERCISE)


@pytest.mark.parametrize(
    "files, words",
    [
        ({"assignment.ipynb": "no notebook"}, "could not be read as a notebook"),
        ({"essay.txt": "An essay."}, "no notebook was handed in"),
        ({"assignment.ipynb": nbformat.writes(submission_notebook(STEM, {}))}, "No answers yet"),
    ],
)
def test_what_cannot_be_graded_says_why(grade, files, words):
    results, code = grade(files)
    assert code == 0 and results["score"] == 0 and words in results["output"]
    assert {test["status"] for test in results["tests"]} == {"failed"}
    # Nobody waits for an instructor here.
    assert "our instructor looks" not in json.dumps(results)


def test_an_error_of_our_own_gives_no_mark(grade, course, monkeypatch, capsys):
    def fail(*_):
        raise RuntimeError("out of order")

    monkeypatch.setattr(single_submission.worker, "rebuild", fail)
    results, code = grade({"assignment.ipynb": nbformat.writes(answered())})
    assert results is None and code == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "out of order" in said and "errors.log" in said
    assert "Traceback" in (course / ".autograder" / "errors.log").read_text(encoding="utf-8")


def test_the_traceback_of_a_check_that_fails_is_kept(grade, course, monkeypatch, capsys):
    monkeypatch.setattr(checks, EXERCISE.id, None)  # nothing to judge an answer by
    (course / ".autograder" / "errors.log").unlink(missing_ok=True)
    results, code = grade({"assignment.ipynb": nbformat.writes(answered())})
    assert code == 0 and results["score"] == 0
    said = capsys.readouterr()
    assert "the check could not be completed (AttributeError)" in said.out and not said.err
    log = (course / ".autograder" / "errors.log").read_text(encoding="utf-8")
    assert "Traceback" in log and "'NoneType' object has no attribute 'judge'" in log


def test_where_the_course_folder_is_read_only_the_traceback_is_printed(
    grade, course, tmp_path, monkeypatch, capsys
):
    def fail(*_):
        raise RuntimeError("out of order")

    monkeypatch.setattr(single_submission.worker, "rebuild", fail)
    shutil.rmtree(course / ".autograder", ignore_errors=True)
    assert not (course / ".autograder").exists()
    (course / ".autograder").write_text("Nothing can be written below this.")
    results, code = grade({"assignment.ipynb": nbformat.writes(answered())})
    (course / ".autograder").unlink()
    assert results is None and code == 1
    *traceback, line = capsys.readouterr().err.splitlines()
    assert line.startswith("autograder: ") and "out of order" in line and "above" in line
    assert "Traceback" in traceback[0] and traceback[-1] == "RuntimeError: out of order"


@pytest.mark.parametrize(
    "command", [["grade-one", "a.ipynb", "--results", "results.json"], ["grade"]]
)
def test_no_room_for_the_sandbox_is_one_line(course, monkeypatch, capsys, command):
    monkeypatch.setattr(sandbox, "_RUN", str(course / "no such folder"))
    monkeypatch.setattr(sandbox, "_working", set())
    name, *rest = command
    assert main([name, str(course), STEM, *rest]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "no such file or directory" in said and "sandbox" in said


@pytest.mark.parametrize(
    "place, words",
    [
        (0, "there is no course folder"),
        (1, "there is no assignment 'nothing'"),
        (2, "there is no submission"),
        (4, "cannot be written"),
    ],
)
def test_bad_arguments_are_one_line(course, tmp_path, capsys, place, words):
    (tmp_path / "file").write_text("")
    notebook = tmp_path / "assignment.ipynb"
    nbformat.write(submission_notebook(STEM, {}), notebook)
    arguments = [str(course), STEM, str(notebook), "--results", str(tmp_path / "results.json")]
    arguments[place] = str(tmp_path / "file" / "results.json") if place == 4 else "nothing"
    assert main(["grade-one", *arguments]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words in said
