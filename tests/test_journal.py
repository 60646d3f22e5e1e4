"""The journal: what earlier versions wrote is read, and what cannot be read is one line."""

import contextlib
import fcntl
import json
import threading
from dataclasses import replace

import pytest
from small_course import STEM

from autograder.building.stock_nbgrader import create_assignment
from autograder.cli import main
from autograder.course_error import CourseError
from autograder.grading.handed_in import ALL_COUNT, KnownFile, Uncounted
from autograder.grading.journal import Journal
from autograder.reports.last_report import read_reported
from autograder.results import Flag, ManualEntries, Origin, Outcome, Result, Status

# The flags as journals had them until they were kept by their names. A journal may be years old,
# so nothing here is ever to be taken away: not even a text that a flag has no longer.
FORMER_TEXTS = {
    "check cell edited (restored)": "CHECK_EDITED",
    "check cell deleted (restored)": "CHECK_DELETED",
    "check cell duplicated (ours was used)": "CHECK_DUPLICATED",
    "locked text or set-up edited (restored)": "TEXT_EDITED",
    "answer cell missing or renamed": "ANSWER_MISSING",
    "answer cell duplicated (the first was used)": "ANSWER_DUPLICATED",
    "answer cell duplicated (all were run, in their order)": "ANSWER_DUPLICATED",
    "answer cell turned into text (restored)": "ANSWER_NOT_CODE",
    "nbgrader metadata changed (ignored)": "METADATA_CHANGED",
    "kernel changed (ours was used)": "OTHER_KERNEL",
    "older notebook format (upgraded)": "UPGRADED",
    "a link in the submission (not followed)": "SYMLINK",
    "network access attempted (blocked)": "NETWORK",
    "output over the limit (truncated)": "OUTPUT_LIMIT",
    "manual mark dropped: the submission changed": "MANUAL_MARK_DROPPED",
    "comment dropped: the submission changed": "COMMENT_DROPPED",
    "another notebook was handed in and not graded": "OTHER_NOTEBOOK",
    "the notebook of another assignment": "OTHER_ASSIGNMENT",
    "handed in late, according to the platform": "LATE",
    "graded without a sandbox": "NO_SANDBOX",
    "run by a version of ipykernel that the autograder was not tested with": "UNTESTED_IPYKERNEL",
}
# Two students, as the autograder wrote them down before it knew partial credit and what is set
# aside: the first as a run compacts it, the second as a run adds it, with a line cut off.
OLD_JOURNAL = """\
{"result": {"student": "ada", "assignment": "ch01_rnn_basics", "status": "graded", "reason": "", \
"exercises": [{"exercise": "sigmoid", "check_id": "sigmoid_check", "title": "The logistic", \
"points": 2.0, "max_points": 2.0, "outcome": "passed", "headline": "", "detail": "", \
"mistake": null, "hidden": false, "seconds": 0.25}], "flags": FLAGS, "notebook": "", "cells": {}, \
"digest": "d1", "submitted_at": "2026-03-02 11:30:00 UTC", "seconds": 1.5, "pure_seconds": 0.5, \
"submission_digest": "s1", "origin": ["Canvas", "00000000000000000502", "ada_11_502_a.ipynb"], \
"log": ""}, "is_stored": true, "stored_submission": "s1"}
{"result": {"student": "bob", "assignment": "ch01_rnn_basics", "status": "needs_review", \
"reason": "the answer cell of sigmoid is missing or renamed", "exercises": [], "flags": [], \
"notebook": "", "digest": "d2", "submitted_at": null, "seconds": 1.0}}
{"stored": "bob", "dig"""


def opened(folder, text):
    """Return a context with the journal of a course folder that holds this text."""
    path = folder / ".autograder" / f"{STEM}.journal"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return contextlib.closing(Journal(folder, STEM))


def test_a_journal_of_an_earlier_version_is_read_and_written_as_today(tmp_path):
    text = OLD_JOURNAL.replace("FLAGS", json.dumps(list(FORMER_TEXTS)))
    with opened(tmp_path, text) as journal:
        ada, bob = journal.latest().values()
        assert [result.student for result in journal.pending()] == ["bob"]
        assert journal.is_unchanged("ada", "d1") and journal.stored_submission("ada") == "s1"
    assert [flag.name for flag in ada.flags] == list(FORMER_TEXTS.values())
    assert (ada.status, ada.exercises[0].outcome) == (Status.GRADED, Outcome.PASSED)
    assert ada.execution_seconds == 0.5 and ada.origin == Origin(
        "Canvas", "00000000000000000502", "ada_11_502_a.ipynb"
    )
    assert (bob.status, bob.submission_digest) == (Status.NEEDS_REVIEW, "")
    # What it was opened and closed with is what the next run reads.
    with contextlib.closing(Journal(tmp_path, STEM)) as journal:
        assert list(journal.latest().values()) == [ada, bob]
        journal.set_aside("ada", ManualEntries({}, {"sigmoid": "Well done."}))
    written = (tmp_path / ".autograder" / f"{STEM}.journal").read_text(encoding="utf-8")
    assert "Well done." in written and "pure_seconds" not in written
    assert not any(text in written for text in FORMER_TEXTS)


def locked_by_preview(folder):
    """Return the lock of an assignment, as a preview has it."""
    lock = open(folder / ".autograder" / f"{STEM}.lock")
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def test_a_run_waits_for_a_preview(tmp_path):
    Journal(tmp_path, STEM).close()
    threading.Timer(0.2, locked_by_preview(tmp_path).close).start()
    Journal(tmp_path, STEM).close()


def test_no_run_that_has_ended_is_named(tmp_path):
    Journal(tmp_path, STEM).close()
    with locked_by_preview(tmp_path), pytest.raises(CourseError, match="by another run; wait"):
        Journal(tmp_path, STEM)


def test_every_flag_survives_the_journal(tmp_path):
    result = Result("ada", STEM, Status.GRADED, flags=tuple(Flag), digest="d")
    with contextlib.closing(Journal(made(tmp_path), STEM)) as journal:
        journal.add(result, ALL_COUNT)
    with contextlib.closing(Journal(tmp_path, STEM)) as journal:
        assert journal.latest() == {"ada": result}


def test_what_does_not_count_is_known_until_another_result_is_added(tmp_path):
    origin = Origin("Canvas", "501", "ada_LATE_11_501_a.ipynb")
    first = Result("ada", STEM, Status.GRADED, submission_digest="s", origin=origin, others=("b",))
    unread = Result("ada", STEM, Status.INVALID_NOTEBOOK, digest="d", submission_digest="t")
    one = Uncounted(superseded=KnownFile.of(first))
    two = Uncounted(KnownFile("u"), KnownFile("v", "2026-03-02 11:30:00 UTC", True, origin))
    with contextlib.closing(Journal(made(tmp_path), STEM)) as journal:
        journal.add(first, ALL_COUNT)
        journal.add(unread, one)
    for step, expected in (
        (lambda journal: journal.mark_stored(unread), one),
        (lambda journal: journal.note_origin("ada", origin, one), one),
        (lambda journal: journal.note_origin("ada", origin, two), two),
        (lambda journal: journal.add(replace(unread, digest="e"), two), two),
        (lambda journal: journal.add(first, ALL_COUNT), ALL_COUNT),
        (lambda journal: journal.mark_stored(first), ALL_COUNT),
    ):
        with contextlib.closing(Journal(tmp_path, STEM)) as journal:
            step(journal)
            assert journal.uncounted("ada") == expected
        for _ in range(2):  # as the lines were added, and as they are compacted
            with contextlib.closing(Journal(tmp_path, STEM)) as journal:
                assert journal.uncounted("ada") == expected
                assert journal.uncounted("bob") == ALL_COUNT
                journal.forget("nobody")


@pytest.mark.parametrize(
    "returning", [ManualEntries(), ManualEntries({}, {"sigmoid": "Well done."})]
)
def test_of_what_people_enter_until_a_result_is_written_the_last_counts(tmp_path, returning):
    """The result is that of a submission that comes back with what was entered for it."""
    back, standing = (
        Result("ada", STEM, Status.GRADED, digest=f"d{name}", submission_digest=name)
        for name in ("s", "t")
    )
    with contextlib.closing(Journal(made(tmp_path), STEM)) as journal:
        journal.add(back, ALL_COUNT)
        journal.mark_stored(back)
        journal.add(standing, ALL_COUNT)
        journal.set_aside("ada", returning)
        journal.mark_stored(standing)
        journal.add(back, ALL_COUNT)
        for text in ("Once.", "Twice.", "Twice."):
            journal.set_aside("ada", ManualEntries({}, {"sigmoid": text}))
        journal.set_aside("ada", returning)  # an interrupted run has put it back
        assert journal.path.read_text(encoding="utf-8").count("Twice.") == 1
    with contextlib.closing(Journal(tmp_path, STEM)) as journal:
        assert journal.entered(standing) == ManualEntries({}, {"sigmoid": "Twice."})
        assert journal.entered(back) == returning


@pytest.mark.parametrize("is_written", [False, True])
def test_what_was_set_aside_for_a_submission_that_stands_again_is_forgotten(tmp_path, is_written):
    """It is in the gradebook, where people may change it from now on."""
    standing = Result("ada", STEM, Status.GRADED, digest="ds", submission_digest="s")
    with contextlib.closing(Journal(made(tmp_path), STEM)) as journal:
        journal.add(standing, ALL_COUNT)
        journal.mark_stored(standing)
        journal.add(other := replace(standing, digest="dt", submission_digest="t"), ALL_COUNT)
        journal.set_aside("ada", ManualEntries({}, {"sigmoid": "Once."}))
        if is_written:
            journal.note_written(other)
        journal.add(standing, ALL_COUNT)
        assert journal.entered(standing)
        journal.note_written(standing)
        if not is_written:
            journal.mark_stored(standing)
        assert journal.entered(standing) is None
    with contextlib.closing(Journal(tmp_path, STEM)) as journal:
        assert journal.entered(standing) is None


def test_what_an_older_result_was_stored_for_says_nothing_of_the_newest(tmp_path):
    result = Result("ada", STEM, Status.GRADED, digest="d")
    with contextlib.closing(Journal(made(tmp_path), STEM)) as journal:
        journal.add(result, ALL_COUNT)
    with open(journal.path, "a", encoding="utf-8") as file:
        file.write('{"stored": "ada", "digest": "older"}\n')
    with contextlib.closing(Journal(tmp_path, STEM)) as journal:
        assert journal.pending() == [result] and not journal.is_unchanged("ada", "d")


def test_what_is_on_disk_is_not_kept_in_the_journal(tmp_path):
    result = Result("ada", STEM, Status.GRADED, notebook="{}", cells={"1": "a"}, digest="d")
    with contextlib.closing(Journal(made(tmp_path), STEM)) as journal:
        journal.add(result, ALL_COUNT)
        journal.mark_stored(result)
        assert journal.latest() == {"ada": replace(result, notebook="", cells={})}


def test_what_a_crash_has_cut_off_is_not_continued_and_forgotten_with_the_student(tmp_path):
    cut_off = '{"result": {"student": "ada", "assi'
    with opened(tmp_path, cut_off) as journal:
        journal.add(Result("bob", STEM, Status.GRADED, digest="d"), ALL_COUNT)
    with contextlib.closing(Journal(tmp_path, STEM)) as journal:
        assert list(journal.latest()) == ["bob"]
    with opened(tmp_path, cut_off) as journal:
        assert not journal.forget("ada")
        assert "ada" not in journal.path.read_text(encoding="utf-8")


def made(folder):
    (folder / ".autograder").mkdir()
    return folder


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"flags": FLAGS', '"flags": ["GRADED_ON_MARS"]', "'GRADED_ON_MARS'"),
        ('"flags": FLAGS', '"flags": [], "colour": "red"', "'colour'"),
        ('"hidden": false', '"hidden": false, "shade": 1', "'shade'"),
        ('"outcome": "passed"', '"outcome": "dreamt"', "'dreamt'"),
        ('"student": "ada", ', "", "'student'"),
        ('"exercises": [{', '"exercises": [3, {', "line 1"),
        ('{"stored": "bob", "dig', '{"shelved": "bob"}', "nothing that is known"),
        ('"stored_submission": "s1"', '"stored_submission": "s1", "set_aside": 3', "line 1"),
    ],
)
def test_a_journal_that_cannot_be_read_is_one_line_and_stays_as_it_is(tmp_path, old, new, words):
    text = OLD_JOURNAL.replace(old, new).replace("FLAGS", "[]")
    path = tmp_path / ".autograder" / f"{STEM}.journal"
    for _ in range(2):  # the second time, too, it is not another run that is in the way
        with pytest.raises(CourseError) as error:
            opened(tmp_path, text)
        said = str(error.value)
        assert str(path) in said and words in said and "newer version" in said and "\n" not in said
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "text", ['{"ada": {"total": 1, "colour": "red"}}', '{"ada": 3}', "[]", "{"]
)
def test_what_the_last_report_said_and_cannot_be_read_is_one_line(tmp_path, text):
    path = made(tmp_path) / ".autograder" / f"{STEM}.reported.json"
    path.write_text(text)
    with pytest.raises(CourseError) as error:
        read_reported(tmp_path, STEM)
    assert str(path) in str(error.value) and "\n" not in str(error.value)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course whose journal was written by an earlier version, with nobody's files."""
    course = tmp_path_factory.mktemp("journal") / "course"
    create_assignment(course, STEM)
    opened(course, OLD_JOURNAL.replace("FLAGS", "[]")).__exit__(None, None, None)
    return course


def test_no_command_shows_a_traceback_of_it(course, capsys):
    path = course / ".autograder" / f"{STEM}.journal"
    path.write_text(path.read_text().replace('"graded"', '"dreamt"'))
    for command in (["grade"], ["grade", "--dry-run"], ["report"]):
        assert main([*command, str(course), STEM]) == 1
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and str(path) in said and "internal" not in said
    assert main(["forget", str(course), "ada"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
