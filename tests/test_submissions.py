"""What students and learning platforms hand over, and which notebook the grader takes from it."""

import io
import json
import os
import pickle
import stat
import tracemalloc
import unicodedata
import zipfile
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.building.lessons import KERNEL
from autograder.intake import choosing, entries, submissions
from autograder.intake.choosing import answer_ids
from autograder.intake.entries import Rejected
from autograder.intake.exchange import exchange_files, utc_time
from autograder.intake.rebuild import rebuild
from autograder.intake.submissions import (
    Submission,
    copy_to_submitted,
    read_export,
    read_submitted,
)
from autograder.platforms.blackboard import Blackboard
from autograder.platforms.canvas import Canvas
from autograder.platforms.student_names import student_name
from autograder.results import Flag, Status

STEM = "ch02_simple_rnn"
INVALID, REFUSED = Status.INVALID_NOTEBOOK, Status.REFUSED


def notebook(answer="1", grade_id="rmse", solution="true"):
    """A notebook as nbgrader releases it and Jupyter saves it, as far as choosing looks at it."""
    return f"""{{"cells": [{{"cell_type": "code", "metadata": {{"nbgrader": {{
        "grade": false, "grade_id": "{grade_id}", "locked": false, "schema_version": 3,
        "solution": {solution}}}}}, "source": ["{answer}"]}}], "metadata": {{}}}}""".encode()


ASSIGNMENT = notebook()
OLDER = notebook("an earlier answer")
OTHER_CHAPTER = notebook(grade_id="luong")
LESSON = notebook(solution="false")
PLAIN = b'{"cells": [], "metadata": {}}'
MAC = b"\0\5\x16\7"


def zipped(files, method=zipfile.ZIP_DEFLATED):
    """Pack files, by their names; a name that ends in a slash is a folder."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_bytes(content)


def submitted(course, *students):
    """Read a course folder, where students were given `ASSIGNMENT`."""
    return read_submitted(course, STEM, ASSIGNMENT.decode(), students or None)


def exported(path):
    """Read an export of those who were given `ASSIGNMENT`."""
    return read_export(path, ASSIGNMENT.decode())


@pytest.fixture(params=["submitted", "folder", "zip", "zip in a folder", "zip in a zip"])
def handed_in(request, tmp_path):
    """Hand the same files in on every way; return the one submission that comes of them."""

    def hand_in(files):
        if request.param == "submitted":
            write(tmp_path / "submitted" / "ada" / STEM, {"": b""} if not files else files)
            (one,) = submitted(tmp_path)
            return one
        if request.param.startswith("zip in"):
            files = {"work.zip": zipped(files)}
        ada = {f"ada_12_assignsubmission_file_/{name}": c for name, c in files.items()}
        if "folder" in request.param:
            write(tmp_path / "export", ada)
            (one,) = exported(tmp_path / "export")
        else:
            (tmp_path / "export.zip").write_bytes(zipped(ada))
            (one,) = exported(tmp_path / "export.zip")
        assert one.student == "ada_12"
        return one

    return hand_in


def statuses(found):
    return {one.student: one.rejected.status if one.rejected else one.content for one in found}


# --- which notebook is taken ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [
        {"assignment.ipynb": ASSIGNMENT},
        {"ASSIGNMENT.IPYNB": ASSIGNMENT},
        {"assignment.ipynb.json": ASSIGNMENT},
        {"assignment.ipynb.txt": ASSIGNMENT},
        {"my answers.ipynb": ASSIGNMENT, "notes.txt": b"", "data.csv": b"", "report.pdf": b""},
        {"ch02_simple_rnn/assignment.ipynb": ASSIGNMENT},
        {"assignment.ipynb": ASSIGNMENT, "lesson.ipynb": LESSON},
        {"assignment (1).ipynb": ASSIGNMENT, "lesson.ipynb": LESSON},
        {"ada.ipynb": ASSIGNMENT, "lesson.ipynb": LESSON},
        {"ada.ipynb": ASSIGNMENT, "scratch.ipynb": PLAIN},
        {"ada.ipynb": ASSIGNMENT, "another name.ipynb": ASSIGNMENT},
        {"a.ipynb": ASSIGNMENT, "._a.ipynb": MAC, "__MACOSX/a.ipynb": MAC, ".hidden.ipynb": MAC},
        {
            "work/assignment.ipynb": ASSIGNMENT,
            "work/.ipynb_checkpoints/assignment-checkpoint.ipynb": OLDER,
        },
        {"assignment.ipynb": ASSIGNMENT, "assignment-Copy1.ipynb": OLDER},
        {"assignment.ipynb": ASSIGNMENT, "old/assignment.ipynb": OLDER},
        {"assignment.ipynb": ASSIGNMENT, "assignment.ipynb.txt": OLDER},
        {"assignment (1).ipynb": ASSIGNMENT, "draft.ipynb": OLDER},
        {"assignment.ipynb.txt": ASSIGNMENT, "old/assignment.ipynb.txt": OLDER},
        {"assignment.ipynb": PLAIN, "assignment-Copy1.ipynb": ASSIGNMENT},
        {"ch02/assignment.ipynb": ASSIGNMENT, "ch05/assignment.ipynb": OTHER_CHAPTER},
        {"A.ZIP": zipped({"a/assignment.ipynb": ASSIGNMENT}), "notes.txt": b""},
        {"answers.ipynb": ASSIGNMENT, "data.zip": zipped({"numbers.csv": b"1"})},
        {"answers.ipynb": ASSIGNMENT, "broken.zip": b"PK\x03\x04"},
        {"work\\assignment.ipynb": ASSIGNMENT},
        {"./assignment.ipynb": ASSIGNMENT},
    ],
    ids=lambda files: " + ".join(files),
)
def test_the_assignment_is_found(handed_in, files):
    one = handed_in(files)
    assert one.rejected is None
    assert one.content == ASSIGNMENT


@pytest.mark.parametrize(
    ("beside", "others"),
    [
        ({"assignment_final.ipynb": OLDER}, ("assignment_final.ipynb",)),
        ({"old/assignment.ipynb": OLDER, "my.ipynb": OLDER}, ("my.ipynb", "old/assignment.ipynb")),
        ({"assignment-Copy1.ipynb": ASSIGNMENT, "lesson.ipynb": LESSON, "x.ipynb": PLAIN}, ()),
        ({".ipynb_checkpoints/assignment-checkpoint.ipynb": OLDER, "notes.txt": OLDER}, ()),
    ],
)
def test_another_notebook_with_our_answer_cells_is_named(handed_in, beside, others):
    one = handed_in({"assignment.ipynb": ASSIGNMENT} | beside)
    assert one.content == ASSIGNMENT
    assert tuple(name.removeprefix("work.zip/") for name in one.others) == others


@pytest.mark.parametrize("content", [PLAIN, b"", b"{", LESSON, OTHER_CHAPTER])
def test_one_notebook_alone_is_taken_whatever_it_holds(handed_in, content):
    # What is wrong with it is told where it is taken apart, in better words.
    assert handed_in({"work.ipynb": content}).content == content


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"report.pdf": b"%PDF"}, "no notebook was handed in"),
        ({"assignment.7z": b"7z"}, "assignment.7z"),
        ({"._assignment.ipynb": MAC}, "no notebook was handed in"),
        ({"empty/": b""}, "no notebook was handed in (nothing at all)"),
        ({"a.ipynb": ASSIGNMENT, "b.ipynb": OLDER}, "2 notebooks were handed in"),
        ({"a/assignment.ipynb": ASSIGNMENT, "b/assignment.ipynb": OLDER}, "2 notebooks"),
        ({"a.ipynb": PLAIN, "b.ipynb": b"{}"}, "2 notebooks were handed in"),
    ],
    ids=lambda value: " + ".join(value) if isinstance(value, dict) else None,
)
def test_where_there_is_no_telling_nothing_is_taken(handed_in, files, words):
    one = handed_in(files)
    assert (one.rejected.status, one.content) == (INVALID, b"")
    assert words in one.rejected.reason or "work.zip" in one.rejected.reason
    assert "one assignment.ipynb is expected" in one.rejected.reason


def test_text_about_nbgrader_is_no_answer_cell():
    text = ASSIGNMENT.decode().replace('"', '\\"').replace("\n", "\\n")
    assert not answer_ids(f'{{"cells": [{{"source": "{text}"}}]}}'.encode())
    assert answer_ids(ASSIGNMENT) == {b"rmse"}


# --- the course folder ---------------------------------------------------------------------------


def test_everybody_in_the_course_folder_gets_one_submission(tmp_path):
    root = tmp_path / "submitted"
    write(
        root / "ada" / STEM, {"assignment.ipynb": ASSIGNMENT, "timestamp.txt": b"2026-03-01 10:00"}
    )
    write(root / "bob" / STEM, {"none/": b""})
    write(root / "eve" / "ch01_rnn_basics", {"assignment.ipynb": OLDER})
    write(root / ".ipynb_checkpoints" / STEM, {"assignment.ipynb": OLDER})
    write(root, {"file.txt": b"", "carl/ch02_simple_rnn": ASSIGNMENT})
    found = submitted(tmp_path)
    assert statuses(found) == {"ada": ASSIGNMENT, "bob": INVALID, "carl": ASSIGNMENT}
    assert [one.submitted_at for one in found] == ["2026-03-01 10:00", None, None]
    assert statuses(submitted(tmp_path, "bob", "eve")) == {"bob": INVALID}


def test_links_and_what_is_no_file_are_refused(tmp_path):
    root = tmp_path / "submitted"
    write(
        root / "ada" / STEM, {"assignment.ipynb": ASSIGNMENT, "timestamp.txt": b"2026-03-01 10:00"}
    )
    for student in ("file", "other", "pipe", "folder"):
        (root / student / STEM).mkdir(parents=True)
    (root / "file" / STEM / "assignment.ipynb").symlink_to(root / "ada" / STEM / "assignment.ipynb")
    (root / "other" / STEM / "a.ipynb").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe" / STEM / "assignment.ipynb")
    (root / "folder" / STEM / "assignment.ipynb").mkdir()
    (root / "inbox").mkdir()
    (root / "inbox" / STEM).symlink_to(root / "ada" / STEM)
    (root / "student").symlink_to(root / "ada")
    (tmp_path / "source.ipynb").write_bytes(ASSIGNMENT)
    (root / "hard" / STEM).mkdir(parents=True)
    os.link(tmp_path / "source.ipynb", root / "hard" / STEM / "assignment.ipynb")
    found = {one.student: one for one in submitted(tmp_path) if one.student != "ada"}
    assert {one.rejected.status for one in found.values()} == {REFUSED}
    linked = {student for student, one in found.items() if one.rejected.flags == [Flag.SYMLINK]}
    assert linked == {"file", "other", "inbox", "student", "hard"}
    assert not any(one.submitted_at or one.content for one in found.values())


def test_a_folder_that_cannot_be_read_ends_nothing(tmp_path, monkeypatch):
    for student in ("ada", "bob", "eve"):
        write(tmp_path / "submitted" / student / STEM, {"assignment.ipynb": ASSIGNMENT})

    def lstat(path, real=os.lstat):
        if "bob" in str(path):
            raise PermissionError(13, "Permission denied")
        return real(path)

    def scandir(path, real=os.scandir):
        if "eve" in str(path) or "bob" in str(path):
            raise PermissionError(13, "Permission denied")
        return real(path)

    # Root, who runs the tests in CI, may read every folder.
    monkeypatch.setattr(os, "lstat", lstat)
    monkeypatch.setattr(os, "scandir", scandir)
    found = submitted(tmp_path)
    assert statuses(found) == {"ada": ASSIGNMENT, "bob": REFUSED, "eve": REFUSED}
    assert found[1].rejected.reason == "cannot be read: Permission denied"


def test_names_that_are_no_text_stay_apart(tmp_path):
    names = [
        b"M\xfcller",
        b"M\xf6ller",
        "Müller".encode(),
        "Mu\u0308ller".encode(),
        b"a\nb",
        b"a_b",
    ]
    for name in names:
        inbox = os.path.join(os.fsencode(tmp_path), b"submitted", name, STEM.encode())
        os.makedirs(inbox)
        with open(os.path.join(inbox, b"\xff.ipynb"), "wb") as file:
            file.write(ASSIGNMENT + name)
    found = submitted(tmp_path)
    assert {one.content for one in found} == {ASSIGNMENT + name for name in names}
    students = {one.student for one in found}
    assert len(students) == len(names)
    assert {"Müller", "a_b"} < students
    assert all(student.encode() and student.isprintable() for student in students)
    (bob,) = submitted(tmp_path, next(s for s in students if s.startswith("a_b-")))
    assert bob.content.endswith(b"a\nb")
    in_export = statuses(exported(tmp_path / "submitted"))
    # What a Mac has unpacked has the same name; of the two files neither counts.
    assert in_export.pop("Müller") is INVALID
    assert set(in_export) == students - {"Müller", "Mu\u0308ller"}


def test_the_name_of_a_file_that_is_no_text_can_be_written_down(tmp_path):
    inbox = os.path.join(os.fsencode(tmp_path), b"submitted", b"ada", STEM.encode())
    os.makedirs(inbox)
    os.symlink(b"/etc/passwd", os.path.join(inbox, b"\xff\n.ipynb"))
    (one,) = submitted(tmp_path)
    assert one.rejected.reason == "??.ipynb is a link"
    assert one.digest


@pytest.mark.parametrize(
    "name",
    ["Ada Lovelace_123", "O'Brien, Áine", "अनिल", "s.lee+x@uni.example", "x" * 128, "名前"],
)
def test_names_that_are_text_stay_as_they_are(name):
    assert student_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "..", ".", "a/b", "a\\b", "<script>", "a\x00b", "\ud800", " a", "x" * 129, "名" * 99],
)
def test_other_names_become_safe_ones(name):
    safe = student_name(name)
    assert safe and not set(safe) & set('<>/\\\0"') and safe.strip(" .") == safe
    assert len(safe.encode()) <= 255 and len(safe) <= 128  # of a file, of nbgrader's column
    assert student_name(safe) == safe


@pytest.mark.parametrize("name", ["Ada\u00a0Lovelace", "محمد\u200cعلی", "ชื่อ" * 30, "x" * 150])
def test_a_platforms_number_stays_at_the_end_of_a_name(name):
    safe = student_name(f"{name}_1001")
    assert safe.endswith("_1001") and safe != f"{name}_1001" and student_name(safe) == safe


def test_of_a_name_something_is_left_and_its_number_stands_there_once():
    assert student_name("...").startswith("unnamed-")
    assert student_name("a:b_12").count("_12") == 1


def test_long_names_stay_apart():
    names = {"x" * length for length in range(129, 140)} | {"x" * 150 + "y"}
    assert len({student_name(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (b"2026-03-01 10:00:00.123456 UTC\n", "2026-03-01 10:00:00.123456 UTC"),
        (b"2026-03-01T10:00:00+01:00", "2026-03-01T10:00:00+01:00"),
        (b"0001-01-01 00:00:00+14:00", None),
        (b"9999-12-31 23:59:59-14:00", None),
        (b"yesterday", None),
        (b"2026-03-01 10:00\0\xff", None),
        (b"2026-03-01 10:00" + b"0" * 99, None),
        (b"", None),
    ],
)
def test_only_sane_timestamps_are_kept(tmp_path, text, kept):
    inbox = tmp_path / "submitted" / "ada" / STEM
    write(inbox, {"assignment.ipynb": ASSIGNMENT, "timestamp.txt": text})
    (one,) = submitted(tmp_path)
    assert (one.submitted_at, one.content) == (kept, ASSIGNMENT)


def test_an_error_in_reading_a_time_is_that_of_one_student(tmp_path, monkeypatch):
    for student, text in (("ada", b"2026-03-01 10:00"), ("bob", b"2026-03-01 11:00")):
        inbox = tmp_path / "submitted" / student / STEM
        write(inbox, {"assignment.ipynb": ASSIGNMENT, "timestamp.txt": text})

    def utc_time(text):
        if text.endswith("10:00"):
            raise ArithmeticError("more digits than decimal allows")

    monkeypatch.setattr(submissions, "utc_time", utc_time)
    ada, bob = submitted(tmp_path)
    assert ada.rejected.reason == "cannot be read: ArithmeticError: more digits than decimal allows"
    assert (bob.rejected, bob.content) == (None, ASSIGNMENT)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-03-02 11:30:00.123456 UTC", "2026-03-02 11:30:00.123456"),
        ("2026-03-02 11:30:00.000000 CET", "2026-03-02 10:30:00"),
        ("2026-03-02 11:30:00 Europe/Vienna", "2026-03-02 10:30:00"),
        ("2026-07-02 11:30:00 Europe/Vienna", "2026-07-02 09:30:00"),
        ("2026-03-02 11:30:00 EST", "2026-03-02 16:30:00"),
        ("2026-03-02 11:30:00 +0100", "2026-03-02 10:30:00"),
        ("2026-03-02 11:30:00 +01:00", "2026-03-02 10:30:00"),
        ("2026-03-02 11:30:00 -03", "2026-03-02 14:30:00"),
        ("2026-03-02T11:30:00Z", "2026-03-02 11:30:00"),
        ("2026-03-02T11:30:00+01:00", "2026-03-02 10:30:00"),
        ("2026-03-02 11:30", "2026-03-02 11:30:00"),
        ("2026-03-02 01:30 PM", "2026-03-02 13:30:00"),
        # It is the abbreviation of a summer time, and known only where that is the local one.
        ("2026-07-02 11:30:00 CEST", None),
        ("2026-03-02 11:30:00 NOWHERE", None),
        ("2026-03-02 11:30:00 UTC+99", None),
        ("2026-03-02 11:30:00 Europe/../../../../etc/hostname", None),
        ("2026-03-02 99:99", None),
        ("0001-01-01 00:00:00+14:00", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_the_zone_of_a_time_is_read(time_zone, text, utc):
    time_zone("America/New_York")
    assert utc_time(text) == (utc and datetime.fromisoformat(utc))


def test_the_summer_time_of_this_machine_is_read(time_zone):
    time_zone("Europe/Vienna")
    assert utc_time("2026-07-02 11:30:00 CEST") == datetime(2026, 7, 2, 9, 30)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        (b"2026-03-02 11:30:00 CET", False),
        (b"2026-03-02 11:30:00 NOWHERE", True),
        (b"yesterday", True),
        (b"2026-03-02 11:30" + b"9" * 40 + b" UTC", True),
        (b"", True),
        (b"2026-03-02 11:30:00 UTC" + b" " * 999, True),
        (None, False),
    ],
)
def test_a_time_that_cannot_be_read_is_not_no_time(tmp_path, text, unread):
    inbox = tmp_path / "submitted" / "ada" / STEM
    write(inbox, {"assignment.ipynb": ASSIGNMENT})
    if text is not None:
        (inbox / "timestamp.txt").write_bytes(text)
    (one,) = submitted(tmp_path)
    assert one.time_unread == unread


def make_socket(path):
    os.mknod(path, stat.S_IFSOCK | 0o600)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, make_socket])
def test_what_cannot_be_read_does_not_spoil_the_assignment_beside_it(tmp_path, make):
    inbox = tmp_path / "submitted" / "ada" / STEM
    write(inbox, {"solved.ipynb": ASSIGNMENT})
    make(inbox / "old.ipynb")
    make(inbox / "work.zip")
    assert statuses(submitted(tmp_path)) == {"ada": ASSIGNMENT}


# --- learning platforms --------------------------------------------------------------------------


@pytest.fixture(params=["folder", "zip", "folder around", "zip around"])
def export(request, tmp_path):
    """Export files as a folder or a zip, each also with one folder around the whole."""

    def run(files):
        if request.param.endswith("around"):
            files = {f"Chapter 2/{name}": content for name, content in files.items()}
        if request.param.startswith("zip"):
            (tmp_path / "export.zip").write_bytes(zipped(files))
            return statuses(exported(tmp_path / "export.zip"))
        write(tmp_path / "export", files)
        return statuses(exported(tmp_path / "export"))

    return run


def test_moodle(export):
    files = {
        "Ada Lovelace_1_assignsubmission_file_/assignment.ipynb": ASSIGNMENT,
        "Bob_2_assignsubmission_file_/work.ZIP": zipped({"assignment.ipynb": ASSIGNMENT}),
        "Carl_3_assignsubmission_file_/answers.pdf": b"%PDF",
        "Dora_4_assignsubmission_file_/ASSIGNMENT.IPYNB": ASSIGNMENT,
        "Eve_5_assignsubmission_file_/assignment.ipynb.txt": ASSIGNMENT,
        "Fay_6_assignsubmission_file_/assignment.ipynb.json": ASSIGNMENT,
        "Gus_7_assignsubmission_file_/": b"",
        "Hal_8_assignsubmission_file_/assignment.ipynb": ASSIGNMENT,
        "Hal_8_assignsubmission_file_/lesson.ipynb": LESSON,
        "Hal_8_assignsubmission_file_/.ipynb_checkpoints/assignment-checkpoint.ipynb": OLDER,
        "Hal_8_assignsubmission_onlinetext_/onlinetext.html": b"<p>See the file",
        "Ida_9_assignsubmission_file_/._assignment.ipynb": MAC,
        "Ida_9_assignsubmission_file_/assignment.ipynb": ASSIGNMENT,
        "Joe_10_assignsubmission_file_assignment.ipynb": ASSIGNMENT,
        "Kim_11_assignsubmission_onlinetext_onlinetext.html": b"<p>I was ill",
        "Leo_12_assignsubmission_file_x_13_assignsubmission_file_a.ipynb": ASSIGNMENT,
        "__MACOSX/._Ada": MAC,
        ".DS_Store": MAC,
    }
    wanted = dict.fromkeys(
        ["Bob_2", "Dora_4", "Eve_5", "Fay_6", "Hal_8", "Ida_9", "Joe_10", "Leo_12"], ASSIGNMENT
    )
    wanted |= {"Ada Lovelace_1": ASSIGNMENT, "Carl_3": INVALID, "Gus_7": INVALID, "Kim_11": INVALID}
    assert export(files) == wanted


def test_canvas(export):
    assert export(
        {
            "meieranna_12345_67890_assignment.ipynb": OLDER,
            "meieranna_12345_67999_assignment-1.ipynb": ASSIGNMENT,
            "leekim_LATE_222_9_assignment-1.ipynb": OLDER,
            "leekim_LATE_222_10_assignment-2.ipynb": ASSIGNMENT,
            "meierbert_333_67891_lesson.ipynb": LESSON,
            "meierbert_333_67800_assignment.ipynb": ASSIGNMENT,
            "meierbert_333_67895_assignment.pdf": b"%PDF",
            "meieranna_444_67892_work.zip": zipped({"assignment.ipynb": ASSIGNMENT}),
            "noone_555_67893_text.html": b"<p>See my mail",
        }
    ) == {
        "meieranna_12345": ASSIGNMENT,
        "leekim_222": ASSIGNMENT,
        "meierbert_333": ASSIGNMENT,
        "meieranna_444": ASSIGNMENT,
        "noone_555": INVALID,
    }


def test_what_canvas_numbered_is_an_attempt_and_what_the_student_numbered_is_not(export):
    assert export(
        {
            "bo_5_71_lab-2.ipynb": ASSIGNMENT,
            "bo_5_72_lab-3.ipynb": LESSON,
            "cem_6_73_lab-2.ipynb": OLDER,
            "cem_6_74_lab-3.ipynb": ASSIGNMENT,
            "dora_7_75_lab.ipynb": OLDER,
            "dora_7_76_lab-1.ipynb": ASSIGNMENT,
        }
    ) == {"bo_5": ASSIGNMENT, "cem_6": INVALID, "dora_7": ASSIGNMENT}


def test_canvas_names_nobody_in_an_anonymous_export(export):
    assert export(
        {
            "anon_x7Qf2_11_assignment.ipynb": OLDER,
            "LATE_anon_x7Qf2_12_assignment-1.ipynb": ASSIGNMENT,
            "anon_B0b4Z_13_assignment.ipynb": ASSIGNMENT,
            "anon_34567_14_assignment.ipynb": ASSIGNMENT,
        }
    ) == {"anon_x7Qf2": ASSIGNMENT, "anon_B0b4Z": ASSIGNMENT, "anon_34567": ASSIGNMENT}


def test_what_canvas_says_of_late_submissions_is_kept(tmp_path):
    for name in ("leekim_LATE_222_10_assignment.ipynb", "meieranna_123_11_assignment.ipynb"):
        (tmp_path / name).write_bytes(ASSIGNMENT)
    (tmp_path / "leekim_222_9_lesson.ipynb").write_bytes(LESSON)
    late = {one.student: one.late for one in exported(tmp_path)}
    assert late == {"leekim_222": True, "meieranna_123": False}


def test_of_a_students_files_the_newest_says_which_attempt_it_is(tmp_path):
    for name in ("leekim_222_5_assignment.ipynb", "leekim_222_6_lesson.ipynb"):
        (tmp_path / name).write_bytes(ASSIGNMENT if "assignment" in name else LESSON)
    (one,) = exported(tmp_path)
    assert (one.content, one.origin.name) == (ASSIGNMENT, "leekim_222_6_lesson.ipynb")


def test_an_exported_submission_is_put_where_nbgrader_looks_for_it(tmp_path):
    folder = tmp_path / "submitted" / "ada" / "ch01"
    folder.mkdir(parents=True)
    (folder / "assignment.ipynb").write_bytes(OLDER)
    (folder / "timestamp.txt").write_text("2026-03-01 12:00:00 UTC", encoding="utf-8")
    copy_to_submitted(tmp_path, "ch01", Submission.of("ada", OLDER), "assignment")
    assert exchange_files(tmp_path, "ch01", "ada") == {"timestamp.txt": b"2026-03-01 12:00:00 UTC"}
    copy_to_submitted(tmp_path, "ch01", Submission.of("ada", ASSIGNMENT), "assignment")
    refused = Rejected(Status.REFUSED, "a link")
    copy_to_submitted(tmp_path, "ch01", Submission("bob", rejected=refused), "assignment")
    # The time was that of the file which has been replaced.
    assert sorted(tmp_path.rglob("*.*")) == [folder / "assignment.ipynb"]
    assert (folder / "assignment.ipynb").read_bytes() == ASSIGNMENT


@pytest.mark.parametrize("what", ["a link", "a hard link", "much"])
def test_of_the_exchanges_files_only_small_ones_are_read(tmp_path, what):
    folder = tmp_path / "submitted" / "ada" / "ch01"
    folder.mkdir(parents=True)
    secret = folder / "submission_secret.txt"
    if what == "much":
        secret.write_bytes(b"0" * 501)
    else:
        (tmp_path / "key").write_bytes(b"of the instructor")
        link = os.link if what == "a hard link" else os.symlink
        link(tmp_path / "key", secret)
    assert exchange_files(tmp_path, "ch01", "ada") == {}


def test_names_with_another_platforms_marks_make_nobody_somebody_else(export):
    late = "attempt_2027-01-01-00-00-00"
    canvas = {
        "bob_222_1_assignment.ipynb": ASSIGNMENT,
        "eve_333_2_assignment.ipynb": ASSIGNMENT,
        "mallory_777_3_assignment.ipynb": OLDER,
    }
    names = [f"x_{n}_assignsubmission_file_a.ipynb" for n in range(20)]
    names += [f"bob_{late}_a{n}.ipynb" for n in range(20)]
    canvas |= {f"mallory_777_{4 + n}_{name}": OLDER for n, name in enumerate(names)}
    found = export(canvas)
    assert set(found) == {"bob_222", "eve_333", "mallory_777"}
    assert found["bob_222"] == found["eve_333"] == ASSIGNMENT


def test_an_account_named_like_another_students_submission_is_nobody_else(export):
    found = export(
        {
            "Bob_2_assignsubmission_file_assignment.ipynb": ASSIGNMENT,
            "Bob_2_assignsubmission_file_x_7_assignsubmission_file_assignment.ipynb": OLDER,
            "Eve_3_assignsubmission_file_assignment.ipynb": ASSIGNMENT,
        }
    )
    assert found.pop("Bob_2") == found.pop("Eve_3") == ASSIGNMENT
    assert list(found.values()) == [REFUSED]


def test_an_account_named_with_another_students_number_is_nobody_else(export):
    found = export(
        {
            "Bob_2_assignsubmission_file_assignment.ipynb": ASSIGNMENT,
            "Zed_2_assignsubmission_file_x_7_assignsubmission_file_assignment.ipynb": OLDER,
        }
    )
    assert found.pop("Bob_2") == ASSIGNMENT and list(found.values()) == [REFUSED]


def test_an_account_named_like_another_platforms_is_nobody_else(export):
    late = "attempt_2027-01-01-00-00-00"
    found = export(
        {
            "Ada_1_assignsubmission_file_/assignment.ipynb": ASSIGNMENT,
            f"Bob_1_{late}_x_2_assignsubmission_file_/assignment.ipynb": OLDER,
            "carl_1_1_x_3_assignsubmission_file_assignment.ipynb": OLDER,
        }
    )
    assert set(found) == {"Ada_1", f"Bob_1_{late}_x_2", "carl_1_1_x_3"}


@pytest.mark.parametrize("around", ["", "Chapter 2/"])
def test_a_link_in_an_export_is_a_status_and_never_silence(tmp_path, around):
    source = tmp_path / "source"
    write(source, {"assignment.ipynb": ASSIGNMENT})
    folder = tmp_path / "export" / around
    write(folder, {"ada/assignment.ipynb": ASSIGNMENT, "bob/notes.txt": b""})
    (folder / "carl").symlink_to(source)
    (folder / "dora").symlink_to(tmp_path / "nowhere")
    (folder / "bob" / "work").symlink_to(source)
    (folder / "eve.ipynb").symlink_to(source / "assignment.ipynb")
    os.link(source / "assignment.ipynb", folder / "fay.ipynb")
    found = statuses(exported(tmp_path / "export"))
    refused = ["bob", "carl", "dora", "eve", "fay"]
    assert found == {"ada": ASSIGNMENT} | dict.fromkeys(refused, REFUSED)


def test_a_linked_student_folder_is_a_status_whatever_it_leads_to(tmp_path):
    write(tmp_path / "submitted" / "ada" / STEM, {"assignment.ipynb": ASSIGNMENT})
    for name, target in (("bob", "ada"), ("carl", "nowhere"), ("dora", "../source")):
        (tmp_path / "submitted" / name).symlink_to(target)
    found = statuses(submitted(tmp_path))
    assert found == {"ada": ASSIGNMENT} | dict.fromkeys(["bob", "carl", "dora"], REFUSED)


def test_blackboard(export):
    attempt = "attempt_2026-03-01-10-00-00"
    assert export(
        {
            f"Chapter 2_s123_{attempt}_assignment.ipynb": OLDER,
            f"Chapter 2_s123_{attempt}.txt": b"Name: S",
            "Chapter 2_s123_attempt_2026-03-02-09-00-00_assignment.ipynb": ASSIGNMENT,
            "Chapter 2_s123_attempt_2026-03-02-09-00-00.txt": b"Name: S",
            f"Chapter 2_s124_{attempt}_a.zip": zipped({"assignment.ipynb": ASSIGNMENT}),
            # Its last attempt is a comment alone: the one before it does not count any more.
            f"Chapter 2_s125_{attempt}_assignment.ipynb": OLDER,
            "Chapter 2_s125_attempt_2026-03-02-09-00-00.txt": b"Name: T",
            # The student's own part of the name makes nobody somebody else.
            f"Chapter 2_s126_{attempt}_x_s124_attempt_2027-03-01-10-00-00_a.ipynb": ASSIGNMENT,
            f"Chapter 2_a_lee_{attempt}_assignment.ipynb": ASSIGNMENT,
            f"Chapter 2_b_lee_{attempt}_assignment.ipynb": OLDER,
        }
    ) == {
        "s123": ASSIGNMENT,
        "s124": ASSIGNMENT,
        "s125": INVALID,
        "s126": ASSIGNMENT,
        "a_lee": ASSIGNMENT,
        "b_lee": OLDER,
    }


@pytest.mark.parametrize(
    ("long_names", "notes", "students"),
    [
        # The title is what all have in common, up to an underscore.
        (["Chapter 1_a_lee", "Chapter 1_s1"], {}, ["a_lee", "s1"]),
        (["Chapter 2_b_lee", "Chapter 2_s1"], {}, ["b_lee", "s1"]),
        (["My_course_ 1_a_lee", "My_course_ 1_a"], {}, ["a", "a_lee"]),
        (["Chapter 1_a_lee"], {}, ["lee"]),
        # Blackboard's own file says where it ends.
        (["Chapter 1_a_lee"], {"Chapter 1_a_lee": "Ada (Lee) (a_lee)"}, ["a_lee"]),
        (["C_1_a_lee", "C_1_a_kim"], {"C_1_a_kim": "Kim (a_kim)"}, ["a_kim", "a_lee"]),
        # What is not the title of all is not taken for it.
        (["C_1_a_kim", "C_1_s1"], {"C_1_a_kim": "Eve (kim)"}, ["a_kim", "s1"]),
        (["C_1_a_kim", "C_1_s1"], {"C_1_a_kim": "Eve"}, ["a_kim", "s1"]),
        # Two assignments have no title in common.
        (["Ch 1_s1", "Ch 2_s1", "Ch 2_s2"], {}, ["Ch 1_s1", "Ch 2_s1", "s2"]),
    ],
)
def test_usernames_of_blackboard_may_have_underscores(export, long_names, notes, students):
    attempt = "attempt_2026-03-01-10-00-00"
    files = {f"{name}_{attempt}_assignment.ipynb": ASSIGNMENT for name in long_names}
    for name, person in notes.items():
        files[f"{name}_{attempt}.txt"] = f"\ufeffName: {person}\r\nAssignment: 1\r\n".encode()
    assert sorted(export(files)) == students


def test_the_title_that_blackboard_puts_before_usernames_leaves_some_of_each():
    title = Blackboard().title
    assert title(["C_1_a_kim", "C_1_s1"], [("C_1_a_kim", b"Name: Zo\xe9 (a_kim)")]) == "C_1_"
    assert title(["C_1_a_kim", "C_1_"], [("C_1_a_kim", b"Name: Kim (a_kim)")]) == "C_"
    assert title(["C_a_", "C_a_b"], []) == "C_"


def test_two_numbers_are_no_name_of_canvas():
    assert Canvas().sender("12345_678_a.ipynb", False) is None


def test_a_note_of_blackboards_that_cannot_be_read_ends_nothing(tmp_path):
    names = [f"C_1_a_{name}_attempt_2026-03-01-10-00-00" for name in ("kim", "lee")]
    write(tmp_path, {f"{name}_assignment.ipynb": ASSIGNMENT for name in names})
    write(tmp_path, {f"{names[0]}.txt": b"", f"{names[1]}.txt": b"Name: Lee (a_lee)"})
    os.truncate(tmp_path / f"{names[0]}.txt", entries.MAX_BYTES + 1)
    assert sorted(statuses(exported(tmp_path))) == ["a_kim", "a_lee"]


def spelt(form, files):
    return {unicodedata.normalize(form, name): content for name, content in files.items()}


def test_a_name_whose_accents_stand_apart_is_the_same_name(export):
    folder = "Zoé Müller_11_assignsubmission_file_"
    once = {f"{folder}/assignment.ipynb": ASSIGNMENT}
    also = {"Ada_12_assignsubmission_file_/assignment.ipynb": ASSIGNMENT}
    both = {"Zoé Müller_11": ASSIGNMENT, "Ada_12": ASSIGNMENT}
    assert export(spelt("NFD", once) | also) == both
    # Unpacked twice into one folder.
    assert export(spelt("NFC", once) | spelt("NFD", once) | also) == both
    other = {f"{folder}/assignment.ipynb": OLDER}
    assert export(spelt("NFC", once) | spelt("NFD", other) | also) == both | {
        "Zoé Müller_11": INVALID
    }


def test_one_number_with_two_names_is_one_student(export):
    # Two exports in one folder, and a new name between them: Moodle does not say which is newer.
    moodle = "{}_assignsubmission_file_/assignment.ipynb"
    people = ("Ada Lovelace_11", "Ada Lovelace_12", "Ada Byron_11")
    files = {moodle.format(name): ASSIGNMENT for name in people}
    # Two people of one name stay two.
    assert export(files) == {"Ada Lovelace_11": ASSIGNMENT, "Ada Lovelace_12": ASSIGNMENT}
    files[moodle.format("Ada Byron_11")] = OLDER
    assert export(files) == {"Ada Lovelace_11": INVALID, "Ada Lovelace_12": ASSIGNMENT}


def test_a_newer_attempt_under_another_name_counts(export):
    assert export(
        {
            "lovelaceada_11_501_assignment.ipynb": OLDER,
            "byronada_11_508_assignment-1.ipynb": ASSIGNMENT,
            "byronada_12_502_assignment.ipynb": OLDER,
        }
    ) == {"byronada_11": ASSIGNMENT, "byronada_12": OLDER}


def test_names_of_no_platform(export):
    assert export(
        {
            "ada/ch02/assignment.ipynb": ASSIGNMENT,
            "ada/ch02/lesson.ipynb": LESSON,
            "carl/": b"",
            "bob_77_assignment.ipynb": ASSIGNMENT,
            "dora.IPYNB": ASSIGNMENT,
            "eve.zip": zipped({"assignment.ipynb": ASSIGNMENT}),
            "marks.csv": b"ada,1",
        }
    ) == {
        "ada": ASSIGNMENT,
        "carl": INVALID,
        "bob_77_assignment": ASSIGNMENT,
        "dora": ASSIGNMENT,
        "eve": ASSIGNMENT,
    }


def test_a_name_of_dots_alone_ends_nothing(tmp_path):
    (tmp_path / "export.zip").write_bytes(zipped({"./": b"", "ada.ipynb": ASSIGNMENT}))
    assert statuses(exported(tmp_path / "export.zip"))["ada"] == ASSIGNMENT


def test_what_lies_in_a_folder_named_like_a_student_is_not_lost(tmp_path):
    moodle = {"Ada_11_assignsubmission_file_/my.ipynb": ASSIGNMENT, "Ada_11/a.ipynb": OLDER}
    bob = {"Bob_12_assignsubmission_file_/a.ipynb": ASSIGNMENT}
    for files in (moodle, dict(reversed(moodle.items()))):
        (tmp_path / "export.zip").write_bytes(zipped(files | bob))
        found = statuses(exported(tmp_path / "export.zip"))
        assert found == {"Ada_11": INVALID, "Bob_12": ASSIGNMENT}


def test_a_folder_of_one_student_is_not_the_class(tmp_path):
    write(tmp_path / "ada", {"ada/assignment.ipynb": ASSIGNMENT, "ada/lesson.ipynb": LESSON})
    write(tmp_path / "bob", {"bob/answers.ipynb": ASSIGNMENT, "bob/figures/one.png": b""})
    write(tmp_path / "all", {"all/ada.ipynb": ASSIGNMENT, "all/bob.ipynb": OLDER})
    write(tmp_path / "eve", {"eve/a/a.ipynb": ASSIGNMENT, "eve/.ipynb_checkpoints/a.ipynb": OLDER})
    assert statuses(exported(tmp_path / "ada")) == {"ada": ASSIGNMENT}
    assert statuses(exported(tmp_path / "bob")) == {"bob": ASSIGNMENT}
    assert statuses(exported(tmp_path / "all")) == {"ada": ASSIGNMENT, "bob": OLDER}
    assert statuses(exported(tmp_path / "eve")) == {"eve": ASSIGNMENT}


def test_the_released_notebook_tells_chapters_apart_in_an_export(export):
    files = {
        "ada/ch02/assignment.ipynb": ASSIGNMENT,
        "ada/ch05/assignment.ipynb": OTHER_CHAPTER,
        "bob/assignment.ipynb": ASSIGNMENT,
    }
    assert export(files) == {"ada": ASSIGNMENT, "bob": ASSIGNMENT}


def zipped_elsewhere(files):
    """Pack files whose names are bytes, as programs do that do not say in which encoding."""
    places = {f"{n:0{len(name)}}": name for n, name in enumerate(files)}
    data = zipped({place: files[name] for place, name in places.items()})
    for place, name in places.items():
        data = data.replace(place.encode(), name)
    return data


@pytest.mark.parametrize(
    ("encoding", "form", "read"),
    [
        ("utf-8", "NFC", "Zoé Müller ☃"),
        ("utf-8", "NFD", "Zoé Müller ☃"),  # as macOS packs
        ("cp437", "NFC", "Zoé Müller"),
        ("latin-1", "NFC", "Zoé Müller".encode("latin-1").decode("cp437")),
    ],
)
def test_names_in_a_zip_that_does_not_name_their_encoding(tmp_path, encoding, form, read):
    name = read if encoding != "latin-1" else "Zoé Müller"
    folder = unicodedata.normalize(form, f"{name}_11_assignsubmission_file_").encode(encoding)
    files = {folder + b"/assignment.ipynb": ASSIGNMENT, folder + b"/lesson.ipynb": LESSON}
    (tmp_path / "export.zip").write_bytes(zipped_elsewhere(files))
    assert statuses(exported(tmp_path / "export.zip")) == {f"{read}_11": ASSIGNMENT}


def test_one_bad_student_of_an_export_is_refused_alone(tmp_path):
    link = zipfile.ZipInfo("link/assignment.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/assignment.ipynb", ASSIGNMENT)
        archive.writestr("../eve/assignment.ipynb", ASSIGNMENT)
        archive.writestr("/root/assignment.ipynb", ASSIGNMENT)
        archive.writestr("large/assignment.ipynb", bytes(21 * 2**20))
        archive.writestr(link, "/etc/passwd")
        archive.writestr("broken/assignment.ipynb", ASSIGNMENT * 9)
        place = archive.getinfo("broken/assignment.ipynb").header_offset
    data = bytearray(path.read_bytes())
    data[place + 60 : place + 90] = b"\xff" * 30
    path.write_bytes(data)
    assert statuses(exported(path)) == {
        "ada": ASSIGNMENT,
        "eve": REFUSED,
        "root": REFUSED,
        "large": REFUSED,
        "link": REFUSED,
        "broken": INVALID,
    }


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive", None])
def test_an_export_that_cannot_be_read_is_told(tmp_path, content):
    path = tmp_path / "export.zip"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Rejected, match="the archive cannot be read"):
        exported(path)


# --- archives that do harm -----------------------------------------------------------------------


def hand_in_zip(tmp_path, content, **more):
    write(tmp_path / "submitted" / "ada" / STEM, {"a.zip": content} | more)
    (one,) = submitted(tmp_path)
    return one


def encrypted():
    data = bytearray(zipped({"assignment.ipynb": ASSIGNMENT}))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(header) + flags] |= 1
    return bytes(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("place", range(0, 400, 7))
def test_a_damaged_archive_is_that_submissions_affair(tmp_path, method, place):
    data = bytearray(zipped({"assignment.ipynb": os.urandom(150) + ASSIGNMENT}, method))
    place %= len(data)
    data[place : place + 20] = b"\xff" * len(data[place : place + 20])
    one = hand_in_zip(tmp_path, bytes(data))
    assert one.rejected is None or one.rejected.status in (INVALID, REFUSED)
    assert one.digest
    assert pickle.loads(pickle.dumps(one)).student == "ada"


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (encrypted(), INVALID, "encrypted"),
        (zipped({"a.ipynb": ASSIGNMENT}, zipfile.ZIP_LZMA), INVALID, "not read here"),
        (zipped({"../a.ipynb": ASSIGNMENT}), REFUSED, "leads out"),
        (zipped({"..\\a.ipynb": ASSIGNMENT}), REFUSED, "leads out"),
        (zipped({"C:a.ipynb": ASSIGNMENT}), REFUSED, "leads out"),
        (zipped({"assignment.ipynb": ASSIGNMENT, "/x.txt": b""}), REFUSED, "leads out"),
        (zipped({"b.zip": zipped({"../a.ipynb": ASSIGNMENT})}), REFUSED, "leads out"),
        (zipped({"a.ipynb": bytes(21 * 2**20)}), REFUSED, "21 MB"),
        (zipped({f"{n}.txt": b"" for n in range(10_001)}), REFUSED, "10000 files"),
    ],
    # Bytes would give their own names to the tests, and the time is in a zip.
    ids=["encrypted", "lzma", "up", "up\\", "drive", "root", "zip in zip", "large", "many files"],
)
def test_an_archive_that_is_not_read_says_why(tmp_path, content, status, words):
    one = hand_in_zip(tmp_path, content)
    assert one.rejected.status is status
    assert words in one.rejected.reason


def test_a_bad_archive_does_not_spoil_the_assignment_beside_it(tmp_path):
    evil = zipped({"../a.ipynb": ASSIGNMENT})
    assert hand_in_zip(tmp_path / "a", evil, **{"ada.ipynb": ASSIGNMENT}).content == ASSIGNMENT
    # What has no answer cell is hardly what was meant: the archive's trouble is the reason.
    beside_lesson = hand_in_zip(tmp_path / "b", evil, **{"lesson.ipynb": LESSON})
    assert beside_lesson.rejected.status is REFUSED


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_zips_are_opened_two_deep(tmp_path, depth):
    content = ASSIGNMENT
    for level in range(depth):
        content = zipped({"b.zip" if level else "assignment.ipynb": content})
    one = hand_in_zip(tmp_path, content)
    assert one.content == (ASSIGNMENT if depth < 3 else b"")


def many(count, name="{}.ipynb", content=bytes(20 * 2**20)):
    return zipped({name.format(number): content for number in range(count)})


def measured(function, *args):
    """Return what a function gives, the bytes that are held after it and the most held at once."""
    tracemalloc.start()
    try:
        return function(*args), *tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("levels", [1, 2])
def test_a_bomb_is_counted_before_it_is_unpacked(tmp_path, levels):
    bomb = many(30)
    if levels == 2:
        bomb = many(30, "{}.zip", bomb)
    one, _, peak = measured(hand_in_zip, tmp_path, bomb)
    assert one.rejected.status is REFUSED
    assert "600 MB" in one.rejected.reason
    assert peak < 60 * 2**20


def test_what_several_archives_hold_is_bounded_together(tmp_path, monkeypatch):
    monkeypatch.setattr(choosing, "MAX_TOTAL", 3 * 2**20)
    inside = {f"{name}.zip": zipped({"a.ipynb": ASSIGNMENT + bytes(2 * 2**20)}) for name in "ab"}
    one = hand_in_zip(tmp_path, zipped(inside))
    assert one.rejected.reason == "what was handed in unpacks to 4 MB; 3 are allowed"


def test_sizes_that_lie_are_found_out(tmp_path):
    size = 30 * 2**20
    data = zipped({"assignment.ipynb": bytes(size)})
    data = data.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    one, _, peak = measured(hand_in_zip, tmp_path, data)
    assert one.rejected.status is INVALID
    assert peak < 60 * 2**20
    grown = entries.Entry("a.ipynb", 100, lambda: bytes(entries.MAX_BYTES + 1))
    with pytest.raises(Rejected, match="a.ipynb has 20 MB; 20 are allowed"):
        grown.read()


def test_a_rejected_submission_keeps_nothing_in_memory(tmp_path):
    noise = os.urandom(2**20)
    files = {"a.ipynb": ASSIGNMENT + noise, "b.ipynb": OLDER + noise}
    one, held, _ = measured(lambda: hand_in_zip(tmp_path, zipped(files)))
    assert one.rejected.status is INVALID
    assert held < 2 * 2**20 + len(noise) * 2


def test_large_files_and_folders_without_end(tmp_path, monkeypatch):
    inbox = tmp_path / "submitted" / "ada" / STEM
    write(inbox, {"a.ipynb": b""})
    os.truncate(inbox / "a.ipynb", 200 * 2**20)
    (one,) = submitted(tmp_path)
    assert one.rejected.status is Status.TOO_LARGE
    assert one.rejected.reason == "a.ipynb has 200 MB; 20 are allowed"
    monkeypatch.setattr(entries, "MAX_ENTRIES", 10)
    for number in range(12):
        (inbox / f"{number}.txt").touch()
    (one,) = submitted(tmp_path)
    assert one.rejected.status is REFUSED


# --- older formats --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"{", "the file is not a notebook (not JSON)"),
        (b"[]", "the file is not a notebook"),
    ],
)
def test_what_is_no_notebook_says_why(content, reason):
    with pytest.raises(Rejected) as rejected:
        rebuild(content, new_notebook(metadata={"kernelspec": KERNEL}))
    assert (rejected.value.status, rejected.value.reason) == (INVALID, reason)


@pytest.mark.parametrize("ids", [("a_b", "a-b"), (f"{'x' * 50}_1", f"{'x' * 50}_2")])
def test_the_same_file_becomes_the_same_notebook(ids):
    marks = [{"grade_id": one, "solution": True, "grade": False} for one in ids]
    released = new_notebook(metadata={"kernelspec": KERNEL})
    released.cells = [new_code_cell("pass", metadata={"nbgrader": one}) for one in marks]
    ours = [{"cell_type": "code", "source": "1", "metadata": {"nbgrader": one}} for one in marks]
    theirs = {"cell_type": "code", "source": "2", "metadata": {}}
    cells = [theirs, ours[0], theirs, theirs, ours[1], theirs]
    submitted = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    written = {nbformat.writes(rebuild(json.dumps(submitted).encode(), released).notebook)}
    written |= {nbformat.writes(rebuild(json.dumps(submitted).encode(), released).notebook)}
    assert len(written) == 1


def test_a_heading_of_an_older_format_is_not_multiplied(tmp_path):
    released = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL})
    marks = {"grade_id": "rmse", "solution": True, "grade": False}
    own = nbformat.v4.new_code_cell("raise NotImplementedError()", metadata={"nbgrader": marks})
    released.cells.append(own)
    cells = [
        {"cell_type": "heading", "level": 10**10, "source": "x", "metadata": {}},
        {"cell_type": "code", "input": ["a = 1\n", "b"], "metadata": {"nbgrader": marks}},
        {"cell_type": "code", "input": 5, "metadata": {}},
    ]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}, 7]}
    tracemalloc.start()
    rebuilt = rebuild(json.dumps(old).encode(), released)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "a = 1\nb" in [cell.source for cell in rebuilt.notebook.cells]
    assert Flag.UPGRADED in rebuilt.flags
    assert most < 50 * 2**20


# --- tags ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("released_tags", "tags", "flagged"),
    [
        (["skip-execution"], ["skip-execution"], False),
        (["skip-execution"], [], False),
        ([], [], False),
        ([], ["skip-execution"], True),
        (["skip-execution"], ["remove-cell"], True),
    ],
)
def test_only_tags_that_a_student_has_set_are_a_change(released_tags, tags, flagged):
    marks = {"grade_id": "closing", "solution": False, "grade": False, "locked": True}
    metadata = {"nbgrader": marks, "tags": released_tags}
    released = nbformat.v4.new_notebook(
        metadata={"kernelspec": KERNEL}, cells=[nbformat.v4.new_code_cell("1", metadata=metadata)]
    )
    submitted = json.loads(nbformat.writes(released))
    submitted["cells"][0]["metadata"]["tags"] = tags
    flags = rebuild(json.dumps(submitted).encode(), released).flags
    assert (Flag.METADATA_CHANGED in flags) is flagged
