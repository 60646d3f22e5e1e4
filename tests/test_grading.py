"""A class graded from end to end: marks, journal, gradebook, interruptions, other machines."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import nbformat
import psutil
import pytest
from distributed import LocalCluster
from nbgrader.api import Gradebook
from small_course import configure, report_rows
from sqlalchemy import event
from whole_graders import by_day_and_at_night

from autograder.building import made_up_submissions
from autograder.building.made_up_submissions import reference_answers, submission_notebook
from autograder.building.stock_nbgrader import create_assignment, nbgrader_api
from autograder.cli import main
from autograder.course.chapters import load_chapter
from autograder.course.variants import load_variants, variant_answer
from autograder.grading import cluster
from autograder.grading.cluster import Dispatch
from autograder.grading.course import Options
from autograder.grading.digest import MarkDigest
from autograder.grading.gradebook import CourseGradebook
from autograder.grading.run import grade_course
from autograder.reports import feedback
from autograder.results import Flag, Outcome, Status
from benchmarks import dask_cluster

STEM = "ch01_rnn_basics"
FULL = {exercise.id: exercise.points for exercise in load_chapter(STEM).exercises}
WRONG = {"gradient_descent": "def gradient_descent(*arguments):\n    return 0.0"}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A course folder with the chapter released and nothing handed in."""
    course = tmp_path_factory.mktemp("released")
    create_assignment(course, STEM)
    return course


@pytest.fixture
def grade(scheduler):
    """Grade with the workers that are there."""

    def grade(course, assignment, **options):
        return grade_course(course, assignment, Options(scheduler=scheduler, **options))

    return grade


@pytest.fixture
def course(released, tmp_path):
    shutil.copytree(released, tmp_path / "course")
    return tmp_path / "course"


def hand_in(course, student, answers, stem=STEM):
    made_up_submissions.hand_in(course, student, stem, submission_notebook(stem, answers))


def hand_in_class(course, number):
    """Let a number of students hand in the reference, with nothing in the last exercise."""
    answers = reference_answers(STEM)
    del answers["lstm_step"]
    for i in range(number):
        hand_in(course, f"s{i:02}", answers)


CLASS_MARKS = FULL | {"lstm_step": 0}


def marks(results):
    return {r.student: {e.exercise: e.points for e in r.exercises} for r in results}


def recorded(course, student, stem=STEM, url=None):
    """Read a student's scores as nbgrader does."""
    with Gradebook(url or f"sqlite:///{course}/gradebook.db") as gradebook:
        submission = gradebook.find_submission(stem, student)
        return {
            grade.name.removesuffix("_check"): grade.score
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


def autograder(*arguments):
    command = [sys.executable, "-m", "autograder", *map(str, arguments)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Started in the background by a shell, the tests themselves ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


# --- every answer of the bank ---------------------------------------------------------------------


# A model of one's own layers is as wrong as they are, and its mark then says nothing of its own.
BUILT_ON = {"build_transformer": {"EncoderLayer", "DecoderLayer"}}


def every_variant_alone(stem):
    return {f"v{number:03}": [variant] for number, variant in enumerate(load_variants(stem))}


def first_variants(stem):
    """Take one right and one wrong variant of each exercise; no neighbours are wrong together.

    An exercise that is built on others is wrong alone.
    """
    right = {v.exercise: v for v in reversed(load_variants(stem)) if not v.mistake}
    wrong = {v.exercise: v for v in reversed(load_variants(stem)) if v.mistake}
    wrong = [wrong[exercise.id] for exercise in load_chapter(stem).exercises]
    alone = {f"wrong-{v.exercise}": [v] for v in wrong if v.exercise in BUILT_ON}
    rest = [v for v in wrong if v.exercise not in BUILT_ON]
    right = {"right": list(right.values())}
    return right | alone | {"wrong-even": rest[::2], "wrong-odd": rest[1::2]}


@pytest.mark.parametrize(
    ("stem", "choose"), by_day_and_at_night(first_variants, every_variant_alone)
)
def test_a_variant_loses_exactly_its_exercise_and_is_named(stem, choose, grade, tmp_path):
    course = tmp_path / "course"
    create_assignment(course, stem)
    reference = reference_answers(stem)
    full = {exercise.id: exercise.points for exercise in load_chapter(stem).exercises}
    hand_in(course, "reference", reference, stem)
    hand_in(course, "stub", {}, stem)
    chosen = choose(stem)
    for student, variants in chosen.items():
        answers = reference | {v.exercise: variant_answer(stem, v) for v in variants}
        hand_in(course, student, answers, stem)
    results = {result.student: result for result in grade(course, stem).results}
    assert len(results) == len(chosen) + 2
    graded = marks(results.values())
    assert graded["reference"] == full
    assert graded["stub"] == dict.fromkeys(full, 0)
    assert results["stub"].status is Status.NO_RESPONSE
    for student, variants in chosen.items():
        wrong = {variant.exercise: variant for variant in variants if variant.mistake}
        for exercise, parts in BUILT_ON.items():
            if parts & wrong.keys():
                assert graded[student].pop(exercise) in (0, full[exercise])
        expected = full | dict.fromkeys(wrong, 0)
        assert graded[student] == {e: expected[e] for e in graded[student]}, variants
        assert results[student].status is Status.GRADED
        assert recorded(course, student, stem).items() >= graded[student].items()
        page = (course / "feedback" / student / stem / "assignment.html").read_text()
        for failed in (e for e in results[student].exercises if e.exercise in wrong):
            assert wrong[failed.exercise].mistake in (failed.mistake or ""), wrong[failed.exercise]
            word = "Possibly:" if failed.mistake.startswith("Possibly: ") else "Known mistake:"
            assert f"<strong>{word}</strong>" in page


def test_what_stock_nbgrader_makes_of_our_results(course, grade):
    hand_in(course, "ada", reference_answers(STEM))
    hand_in(course, "bob", reference_answers(STEM) | WRONG)
    grade(course, STEM)
    from nbgrader.utils import determine_grade

    for student in ("ada", "bob"):
        path = course / "autograded" / student / STEM / "assignment.ipynb"
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        read = {
            cell.metadata.nbgrader.grade_id.removesuffix("_check"): determine_grade(cell)[0]
            for cell in notebook.cells
            if cell.metadata.nbgrader.grade
        }
        assert read == recorded(course, student)
        result = nbgrader_api(course).generate_feedback(STEM, student, force=True)
        assert result["success"], result["log"]
    api = nbgrader_api(course)
    exported = {row["student"]: row for row in api.get_submissions(STEM)}
    assert exported["ada"]["score"] == 20
    assert exported["bob"]["score"] == 18


def test_the_same_bytes_three_times_and_a_worse_resubmission(course, grade):
    hand_in(course, "ada", reference_answers(STEM))
    first = grade(course, STEM)
    assert (first.graded, first.unchanged) == (1, 0)
    kept = grade(course, STEM)
    assert (kept.graded, kept.unchanged) == (0, 1)
    again = [grade(course, STEM, regrade=True) for _ in range(2)]
    assert all(marks(run.results) == marks(first.results) == {"ada": FULL} for run in again)

    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        mark = gradebook.find_grade("gradient_descent_check", "assignment", STEM, "ada")
        mark.manual_score = 1.5
        gradebook.db.commit()
    grade(course, STEM, regrade=True)
    assert recorded(course, "ada")["gradient_descent"] == 1.5
    hand_in(course, "ada", reference_answers(STEM) | {"gradient_descent": "import os\nos._exit(1)"})
    worse = grade(course, STEM)
    assert recorded(course, "ada") == FULL | {"gradient_descent": 0}
    assert Flag.MANUAL_MARK_DROPPED in worse.results[0].flags
    # It is said as long as this result stands, not in one run alone.
    assert Flag.MANUAL_MARK_DROPPED in grade(course, STEM).results[0].flags


def set_by_hand(course, student, mark, check_id="gradient_descent_check"):
    """Set a mark as formgrader does."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        entry = gradebook.find_grade(check_id, "assignment", STEM, student)
        entry.manual_score, entry.needs_manual_grade = mark, False
        gradebook.db.commit()


def test_a_mark_by_hand_stays_while_the_submission_does_whatever_else_changes(course, grade):
    hand_in(course, "ada", {})
    grade(course, STEM)
    set_by_hand(course, "ada", 1.5)
    configure(course, cell_seconds=100)  # one of the things on which a mark rests
    run = grade(course, STEM)
    assert run.graded == 1
    assert recorded(course, "ada")["gradient_descent"] == 1.5
    assert Flag.MANUAL_MARK_DROPPED not in run.results[0].flags


@pytest.mark.usefixtures("impatient")
def test_a_mark_by_hand_does_not_outlive_its_submission_when_the_gradebook_was_locked(
    course, grade
):
    hand_in(course, "ada", {})
    grade(course, STEM)
    set_by_hand(course, "ada", 1.5)
    hand_in(course, "ada", WRONG)
    lock = sqlite3.connect(course / "gradebook.db")
    lock.execute("BEGIN EXCLUSIVE")
    assert grade(course, STEM).reports.gradebook_error
    lock.rollback()
    run = grade(course, STEM)
    assert recorded(course, "ada")["gradient_descent"] == 0
    assert Flag.MANUAL_MARK_DROPPED in run.results[0].flags


def test_a_result_is_fixed_when_it_is_made(course, grade):
    hand_in(course, "ada", {})
    (result,) = grade(course, STEM).results
    for fixed, name in ((result, "flags"), (result, "status"), (result.exercises[0], "points")):
        with pytest.raises(FrozenInstanceError):
            setattr(fixed, name, None)
    assert isinstance(result.flags, tuple) and isinstance(result.exercises, tuple)


def test_the_reports_tell_the_marks(course, grade):
    hand_in(course, "ada", reference_answers(STEM))
    hand_in(course, "bob", {})
    run = grade(course, STEM)
    rows = report_rows(course)
    assert float(rows["ada"]["total"]) == 20 and float(rows["bob"]["total"]) == 0
    assert "no_response" in rows["bob"]["status"]
    page = run.report.read_text()
    assert "ada" in page and "bob" in page


def test_what_is_marked_by_hand_reaches_reports_and_feedback(course, grade, capsys):
    wrong = reference_answers(STEM) | WRONG
    hand_in(course, "ada", wrong)
    hand_in(course, "bob", reference_answers(STEM))
    path = course / "submitted" / "bob" / STEM / "assignment.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.nbgrader.grade_id == "gradient_descent":
            cell.metadata.nbgrader.grade_id = "mine"
    nbformat.write(notebook, path)
    grade(course, STEM)
    bob = report_rows(course)["bob"]
    assert (bob["status"], bob["total"]) == ("needs_review", "18")

    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:  # as formgrader does
        for student, mark in (("ada", 1.0), ("bob", 2.0)):
            entry = gradebook.find_grade("gradient_descent_check", "assignment", STEM, student)
            entry.manual_score, entry.needs_manual_grade = mark, False
        for entry in gradebook.find_submission(STEM, "bob").notebooks[0].grades:
            entry.needs_manual_grade = False
        comment = gradebook.find_comment("gradient_descent", "assignment", STEM, "bob")
        comment.manual_comment = "Right, <b>and</b> in another cell."
        no_mark = gradebook.find_grade("sigmoid_check", "assignment", STEM, "ada")
        no_mark.manual_score = float("inf")
        gradebook.db.commit()

    assert main(["report", str(course), STEM, "--book", "https://example.org"]) == 0
    assert "2 submitted: 2 graded" in capsys.readouterr().out  # nothing was graded again
    rows = report_rows(course)
    assert (rows["ada"]["status"], rows["ada"]["gradient_descent"], rows["ada"]["total"]) == (
        "graded",
        "1",
        "19",
    )
    assert (rows["bob"]["status"], rows["bob"]["gradient_descent"], rows["bob"]["total"]) == (
        "graded",
        "2",
        "20",
    )
    pages = {
        student: (course / "feedback" / student / STEM / "assignment.html").read_text()
        for student in ("ada", "bob")
    }
    assert all("Marked by your instructor" in page for page in pages.values())
    assert "Right, &lt;b&gt;and&lt;/b&gt; in another cell." in pages["bob"]
    assert "as it ran" in pages["ada"] and "https://example.org" in pages["ada"]
    assert "✎" in (course / "reports" / f"{STEM}.html").read_text()
    # Grading again keeps it; what was entered may also be taken back.
    grade(course, STEM)
    assert report_rows(course) == rows
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        gradebook.find_grade(
            "gradient_descent_check", "assignment", STEM, "ada"
        ).manual_score = None
        gradebook.db.commit()
    assert main(["report", str(course), STEM]) == 0
    assert report_rows(course)["ada"]["total"] == "18"
    page = (course / "feedback" / "ada" / STEM / "assignment.html").read_text()
    assert "Marked by your instructor" not in page


# --- interruptions ----------------------------------------------------------------------------


def stop_grading(course, scheduler, enough, how):
    """Start grading and send it a signal as soon as enough marks are stored; return the process."""
    journal, stored = course / ".autograder" / f"{STEM}.journal", 0
    run = autograder("grade", course, STEM, "--scheduler", scheduler)
    deadline = time.monotonic() + 120
    while stored < enough and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
        lines = journal.read_text().splitlines() if journal.exists() else []
        stored = sum('"stored": "' in line or '"is_stored": true' in line for line in lines)
    assert stored >= enough
    run.send_signal(how)
    return run


def test_a_killed_run_is_resumed_with_nothing_lost_and_nothing_twice(course, grade, scheduler):
    hand_in_class(course, 10)
    for enough in (1, 5):
        run = stop_grading(course, scheduler, enough, signal.SIGKILL)
        run.communicate()
    before = {
        path: path.stat().st_mtime_ns for path in course.glob("autograded/*/*/assignment.ipynb")
    }
    run = grade(course, STEM)
    assert marks(run.results) == {f"s{i:02}": CLASS_MARKS for i in range(10)}
    assert run.unchanged >= 5
    assert run.graded + run.unchanged <= 10
    for i in range(10):
        assert recorded(course, f"s{i:02}") == CLASS_MARKS
    same = [path for path, then in before.items() if path.stat().st_mtime_ns == then]
    assert len(same) >= run.unchanged - 1


def test_a_run_that_is_interrupted_says_so_in_one_line_and_goes_on_later(course, grade, scheduler):
    hand_in_class(course, 14)
    run = stop_grading(course, scheduler, 1, signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130, said
    assert said.strip().splitlines()[-1].startswith("autograder: interrupted")
    assert "Traceback" not in said
    later = grade(course, STEM)
    assert 0 < later.unchanged < 14
    assert marks(later.results) == {f"s{i:02}": CLASS_MARKS for i in range(14)}


def test_an_interruption_that_meets_a_destructor_is_not_lost(
    course, scheduler, monkeypatch, capsys
):
    hand_in_class(course, 2)
    page = feedback.feedback_html

    class Interrupted:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    def interrupted(result, *others):
        Interrupted()
        return page(result, *others)

    monkeypatch.setattr(feedback, "feedback_html", interrupted)
    assert main(["grade", str(course), STEM, "--scheduler", scheduler]) == 130
    assert capsys.readouterr().err.strip().startswith("autograder: interrupted")


def test_an_interruption_inside_code_that_is_a_text_ends_with_its_exit_code(tmp_path):
    (tmp_path / "interrupted.py").write_text(
        "import sys; from autograder import cli\n"
        "cli.cli.invoke = lambda context: exec('raise KeyboardInterrupt')\n"
        "sys.exit(cli.main(['demo']))"
    )
    command = [sys.executable, "-m", "interrupted"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (130, "autograder: interrupted\n")


@pytest.mark.usefixtures("impatient")
def test_a_locked_gradebook_is_journalled_and_replayed(course, grade, scheduler, capsys):
    hand_in_class(course, 2)
    lock = sqlite3.connect(course / "gradebook.db")
    lock.execute("BEGIN EXCLUSIVE")
    assert main(["grade", str(course), STEM, "--scheduler", scheduler]) == 1
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "gradebook" in line and "locked" in line and "journal" in line
    lock.rollback()
    run = grade(course, STEM)
    assert run.graded == 0
    assert marks(run.results) == {"s00": CLASS_MARKS, "s01": CLASS_MARKS}
    assert recorded(course, "s01") == CLASS_MARKS


def test_what_could_not_be_graded_is_said_and_tried_again(course, grade, monkeypatch, capsys):
    hand_in_class(course, 2)
    with monkeypatch.context() as patch:
        patch.setattr(cluster, "prepare_workers", lost_workers)
        # Nobody else's affair: as far as they can be, all are graded.
        assert main(["grade", str(course), STEM]) == 0
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "2 could not be graded" in line and "worker gone" in line and "run it again" in line
    assert {row["status"] for row in report_rows(course).values()} == {"needs_review"}
    run = grade(course, STEM)
    assert (run.graded, run.failed) == (2, {})
    assert marks(run.results) == {"s00": CLASS_MARKS, "s01": CLASS_MARKS}


class LosingClient:
    """Workers of which each is lost with the task that it was given, as often as it is tried."""

    def nthreads(self):
        return {"one": 1, "two": 1}

    def processing(self):
        return {}

    def submit(self, function, task, **options):
        future = Future()
        future.release = lambda: None
        future.set_exception(RuntimeError("worker gone"))
        return future


def lost_workers(tasks, scheduler, workers):
    dispatch = Dispatch(LosingClient(), tasks, [None])
    return contextlib.nullcontext(lambda: contextlib.nullcontext(dispatch))


def test_one_result_that_cannot_be_stored_ends_nothing_for_the_others(course, grade, monkeypatch):
    hand_in_class(course, 2)
    page = feedback.feedback_html

    def cannot(result, *others):
        if result.student == "s00":
            raise ValueError("no page for this one")
        return page(result, *others)

    with monkeypatch.context() as patch:
        patch.setattr(feedback, "feedback_html", cannot)
        run = grade(course, STEM)
    assert run.graded == 2 and list(run.reports.unstored) == ["s00"]
    assert "no page for this one" in run.reports.unstored["s00"]
    log = (course / ".autograder" / "errors.log").read_text()
    assert "the result of s00" in log
    assert "Traceback" in log and 'raise ValueError("no page for this one")' in log
    assert recorded(course, "s01") == CLASS_MARKS
    again = grade(course, STEM)
    assert (again.graded, again.reports.unstored) == (0, {})
    assert (course / "feedback" / "s00" / STEM / "assignment.html").exists()


def test_a_result_that_the_database_refuses_ends_nothing_for_the_others(course, grade, capsys):
    hand_in_class(course, 2)
    with sqlite3.connect(course / "gradebook.db") as database:
        database.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON student WHEN NEW.id = 's00' "
            "BEGIN SELECT RAISE(ABORT, 'value too long'); END"
        )
    run = grade(course, STEM)
    assert run.graded == 2 and list(run.reports.unstored) == ["s00"]
    reason = run.reports.unstored["s00"]
    assert "value too long" in reason and "damaged" not in reason and "SQL" not in reason
    assert recorded(course, "s01") == CLASS_MARKS
    with sqlite3.connect(course / "gradebook.db") as database:
        database.execute("DROP TRIGGER refuse")
    again = grade(course, STEM)
    assert (again.graded, again.reports.unstored) == (0, {})
    assert recorded(course, "s00") == CLASS_MARKS


def test_an_unforeseen_error_is_one_line_and_its_traceback_is_kept(
    course, grade, monkeypatch, capsys
):
    hand_in_class(course, 1)
    grade(course, STEM)

    def broken(*arguments, **options):
        raise KeyError("unforeseen")

    with monkeypatch.context() as patch:
        patch.setattr("autograder.grading.class_reports.class_report_html", broken)
        assert main(["report", str(course), STEM]) == 1
    (line,) = capsys.readouterr().err.strip().splitlines()
    log = course / ".autograder" / "errors.log"
    assert "KeyError" in line and str(log) in line
    assert "Traceback" in log.read_text() and 'raise KeyError("unforeseen")' in log.read_text()


def test_an_older_gradebook_put_back_gets_its_marks_again(course, grade):
    hand_in_class(course, 1)
    older = (course / "gradebook.db").read_bytes()
    grade(course, STEM)
    (course / "gradebook.db").write_bytes(older)
    run = grade(course, STEM)
    assert (run.graded, run.unchanged) == (0, 1)
    assert recorded(course, "s00") == CLASS_MARKS


def test_a_mark_is_stored_without_reading_the_class(course, grade):
    hand_in_class(course, 2)
    (result, _) = grade(course, STEM).results
    gradebook, plans = CourseGradebook(course), []

    @event.listens_for(gradebook._gradebook.engine, "before_cursor_execute")
    def explain(connection, cursor, statement, parameters, context, many):
        if statement.startswith("SELECT"):
            with contextlib.closing(cursor.connection.cursor()) as other:
                other.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
                plans.extend(step[-1] for step in other.fetchall())

    with contextlib.closing(gradebook):
        for student in ("s00", "new"):
            one = replace(result, student=student)
            gradebook.write(one, gradebook.entered(one))
    assert len(plans) > 10
    growing = ("grade", "comment", "student", "submitted_assignment", "submitted_notebook")
    assert not [step for step in plans if step.removeprefix("SCAN ") in growing]


def test_a_second_run_on_the_same_assignment_is_refused(course, grade, scheduler, capsys):
    from autograder.grading.journal import Journal

    hand_in_class(course, 1)
    first = Journal(course, STEM)
    assert main(["grade", str(course), STEM, "--scheduler", scheduler]) == 1
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert f"another run (process {os.getpid()})" in line
    first.close()
    assert main(["grade", str(course), STEM, "--scheduler", scheduler]) == 0


# --- other machines ------------------------------------------------------------------------------


def test_two_workers_of_a_cluster_one_of_which_is_killed(course, cluster):
    address, workers = cluster
    hand_in_class(course, 10)

    class KillOne:
        def begin(self, total, outdated):
            self.seen = 0

        def graded(self, result):
            self.seen += 1
            if self.seen == 3:
                workers[0].kill()

    run = grade_course(course, STEM, Options(scheduler=address), KillOne())
    assert run.facts.workers == 2
    assert marks(run.results) == {f"s{i:02}": CLASS_MARKS for i in range(10)}
    assert workers[0].wait(10) == -signal.SIGKILL and workers[1].poll() is None


def test_of_a_cluster_that_does_not_start_nothing_is_left(monkeypatch):
    monkeypatch.setattr(dask_cluster, "SECONDS_TO_START", 0.1)
    before = set(psutil.Process().children())
    with pytest.raises(TimeoutError, match="no address"), dask_cluster.dask_cluster():
        pass
    assert set(psutil.Process().children()) == before


def test_an_address_that_is_half_written_is_read_again(tmp_path):
    file = tmp_path / "scheduler.json"
    file.write_text('{"address": "tcp')
    threading.Timer(0.2, file.write_text, ['{"address": "tcp://127.0.0.1:8786"}']).start()
    assert dask_cluster.address_in(file) == "tcp://127.0.0.1:8786"


def test_the_shared_fork_server_dies_in_the_middle_and_no_mark_suffers(course):
    hand_in_class(course, 8)

    def fork_servers():
        return {child for child in psutil.Process().children() if child.name() == "bwrap"}

    earlier = fork_servers()  # those that other tests have started in this process

    class KillForkServer:
        def begin(self, total, outdated):
            self.seen = 0

        def graded(self, result):
            self.seen += 1
            if self.seen == 3:
                (fork_server,) = fork_servers() - earlier
                fork_server.kill()

    run = grade_course(course, STEM, Options(workers=2), KillForkServer())
    assert {result.status for result in run.results} == {Status.GRADED}
    assert marks(run.results) == {f"s{i:02}": CLASS_MARKS for i in range(8)}


def test_a_scheduler_that_does_not_answer(course, capsys, monkeypatch):
    hand_in_class(course, 1)
    monkeypatch.setattr("autograder.grading.cluster.SCHEDULER_TIMEOUT", 1)
    assert main(["grade", str(course), STEM, "--scheduler", "tcp://127.0.0.1:9"]) == 1
    assert "no dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_a_scheduler_without_workers(course, capsys, monkeypatch):
    hand_in_class(course, 1)
    monkeypatch.setattr("autograder.grading.cluster.WORKER_TIMEOUT", 1)
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as idle:
        assert main(["grade", str(course), STEM, "--scheduler", idle.scheduler_address]) == 1
    assert "has no workers; start some" in capsys.readouterr().err


def test_a_worker_with_another_version_of_the_repository(course, scheduler, capsys, monkeypatch):
    hand_in_class(course, 1)
    monkeypatch.setattr(MarkDigest, "files_digest", lambda *arguments: "of a later version")
    line = complaint(capsys, course, STEM, "--scheduler", scheduler)
    assert "has another version of this repository; bring it up to date" in line


def test_workers_of_several_threads(course, capsys):
    hand_in_class(course, 1)
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0"
    ) as threads:
        line = complaint(capsys, course, STEM, "--scheduler", threads.scheduler_address)
    assert "1 of 1 has several threads" in line and "--nthreads 1" in line


def test_the_gradebook_on_postgresql(course, grade, postgresql):
    hand_in(course, "ada", reference_answers(STEM))
    create_assignment(course, STEM, gradebook_url=postgresql)
    run = grade(course, STEM, gradebook_url=postgresql)
    assert marks(run.results) == {"ada": FULL}
    assert recorded(course, "ada", url=postgresql) == FULL


@pytest.fixture
def postgresql(tmp_path):
    """The URL of an empty database on a PostgreSQL server started for the test."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or [
        Path(p).parent for p in [shutil.which("initdb")] if p
    ]
    if not found:
        pytest.skip("PostgreSQL is not installed; ./system-packages names it")
    programs, data = found[-1], tmp_path / "postgresql"
    # The server refuses to run as root, so root lends the folder to the server's own user.
    as_user = []
    if os.geteuid() == 0:
        as_user = ["runuser", "-u", "postgres", "--"]
        data = Path(subprocess.check_output([*as_user, "mktemp", "-d"], text=True).strip())
    subprocess.run(
        [*as_user, programs / "initdb", "-D", data / "db", "-A", "trust", "-U", "course"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
    )
    options = f"-c listen_addresses='' -c unix_socket_directories={data}"
    control = [*as_user, programs / "pg_ctl", "-D", data / "db", "-w"]
    subprocess.run(
        [*control, "-o", options, "-l", data / "log", "start"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
    )
    try:
        yield f"postgresql+psycopg://course@/postgres?host={data}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], stdout=subprocess.DEVNULL, cwd="/")
        shutil.rmtree(data, ignore_errors=True)


# --- bad input: one line, a non-zero exit, nothing lost --------------------------------------


def complaint(capsys, *arguments, command="grade"):
    assert main([command, *map(str, arguments)]) == 1
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("autograder: ") and "Traceback" not in line
    return line


def test_no_such_course_assignment_or_student(course, tmp_path, capsys):
    hand_in_class(course, 1)
    assert "no course folder" in complaint(capsys, tmp_path / "nowhere", STEM)
    assert "no assignment 'ch99'" in complaint(capsys, course, "ch99")
    line = complaint(capsys, course, STEM, "--student", "zoe")
    assert "no submission of zoe" in line and "did you mean" not in line
    assert "did you mean s00?" in complaint(capsys, course, STEM, "--student", "s0")
    assert "nothing of" in complaint(capsys, course, STEM, command="report")
    assert "no course folder" in complaint(capsys, tmp_path / "nowhere", STEM, command="report")
    shutil.rmtree(course / "submitted")
    assert "no submission for" in complaint(capsys, course, STEM)
    shutil.rmtree(course / "release")
    assert "autograder release" in complaint(capsys, course, STEM)


def test_a_gradebook_that_is_missing_corrupt_or_of_another_release(course, grade, capsys):
    hand_in_class(course, 1)
    path = course / "gradebook.db"
    good = path.read_bytes()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE grade_cells SET max_score = 7")
    assert "other exercises than this version" in complaint(capsys, course, STEM)
    path.write_bytes(b"no database" * 1000)
    assert "gradebook.db" in complaint(capsys, course, STEM)
    path.unlink()
    assert "has no gradebook.db" in complaint(capsys, course, STEM)
    path.write_bytes(good)
    assert marks(grade(course, STEM).results) == {"s00": CLASS_MARKS}


def test_files_in_the_way_and_lines_that_are_none(course, grade, capsys):
    hand_in_class(course, 1)
    grade(course, STEM)
    journal = course / ".autograder" / f"{STEM}.journal"
    journal.write_text(journal.read_text() + '{}\n[]\n{"sto')
    (course / "reports" / f"{STEM}.html").unlink()
    (course / "reports" / f"{STEM}.html").mkdir()
    assert "is a directory" in complaint(capsys, course, STEM)
    (course / "reports" / f"{STEM}.html").rmdir()
    assert grade(course, STEM).unchanged == 1


def test_no_bubblewrap_refuses_unless_told_otherwise(course, capsys, monkeypatch, tmp_path):
    hand_in_class(course, 1)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    line = complaint(capsys, course, STEM)
    assert "bubblewrap" in line and "--no-sandbox" in line
    run = grade_course(course, STEM, Options(sandboxed=False))
    assert marks(run.results) == {"s00": CLASS_MARKS}
    assert Flag.NO_SANDBOX in run.results[0].flags
    assert "sandbox" in run.report.read_text()


def test_a_full_disk_is_one_line_and_loses_nothing(course, tmp_path):
    hand_in_class(course, 6)
    disk = tmp_path / "disk"
    disk.mkdir()
    size = sum(path.stat().st_size for path in course.rglob("*") if path.is_file()) // 1024 + 420
    script = (
        f"mount -t tmpfs -o size={size}k none {disk} && cp -r {course}/. {disk} && "
        f"{sys.executable} -m autograder grade {disk} {STEM} --no-sandbox; code=$?; "
        f"mount -o remount,size=100m {disk} && {sys.executable} -m autograder grade {disk} {STEM} "
        f"--no-sandbox && cp -r {disk} {tmp_path}/after; exit $code"
    )
    # A user who is not root may mount in a namespace where he is.
    become_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    run = subprocess.run(
        ["unshare", "--mount", *become_root, "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 1, run.stderr
    complaints = [line for line in run.stderr.splitlines() if line.startswith("autograder:")]
    assert len(complaints) == 1 and "no space left" in complaints[0]
    assert "Traceback" not in run.stderr
    for i in range(6):
        assert recorded(tmp_path / "after", f"s{i:02}") == CLASS_MARKS


def test_the_exports_of_learning_platforms(course, grade, tmp_path):
    answers = reference_answers(STEM)
    text = nbformat.writes(submission_notebook(STEM, answers))
    import zipfile

    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("Ada Lovelace_123_assignsubmission_file_/assignment.ipynb", text)
        archive.writestr("bob_77_assignment.ipynb", text)
        archive.writestr("../eve/assignment.ipynb", text)
    run = grade(course, STEM, exported=tmp_path / "export.zip")
    by_student = {result.student: result for result in run.results}
    assert by_student["Ada Lovelace_123"].points == 20
    assert by_student["bob_77_assignment"].points == 20
    assert by_student["eve"].status is Status.REFUSED
    assert {e.outcome for e in by_student["eve"].exercises} == {Outcome.NOT_GRADED}
