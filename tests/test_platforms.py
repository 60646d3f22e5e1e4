"""To a learning platform and back: its export graded, pages and marks as it takes them in."""

import contextlib
import csv
import json
import re
import shutil
import sqlite3
import zipfile
from dataclasses import replace

import nbformat
import pytest
from small_course import (
    EXERCISE,
    STEM,
    answered,
    graded_course,
    hand_in,
    mark_by_hand,
    report_rows,
    set_due,
    totals,
)

from autograder.building.made_up_submissions import submission_notebook
from autograder.building.stock_nbgrader import nbgrader_api
from autograder.cli import main
from autograder.files import replace_file
from autograder.grading import cluster
from autograder.grading.handed_in import ALL_COUNT
from autograder.grading.journal import Journal
from autograder.intake import submissions
from autograder.kernels.sandbox import sandbox_available
from autograder.platforms.blackboard import Blackboard
from autograder.reports.last_report import ReportedMark, write_reported
from autograder.results import Flag, Origin

RIGHT = nbformat.writes(answered())
WRONG = nbformat.writes(answered("changed = 1"))
PAGE = "assignment.html"
EMPTY = nbformat.writes(submission_notebook(STEM, {}))
OTHER_ASSIGNMENT = nbformat.writes(submission_notebook("ch02_simple_rnn", {}))
LISTS = {
    "moodle": """\
Identifier,Full name,Email address,Grade
Participant 11,Ada Byron,ada@x,
Participant 12,Ada Lovelace,,
""",
    "canvas": "Student,ID,Section\nAda Byron,11,A\nAda Lovelace,12,A\n",
}
WORKSHEET = """\
Identifier,Full name,Grade,Last modified (submission)
Participant 11,Ada Lovelace,,"{}"
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory, standing_workers):
    return graded_course(tmp_path_factory.mktemp("platforms"), {"nobody": None})


@pytest.fixture
def grade(course, tmp_path, capsys):
    """Grade an export, a dict from names to texts; return what was said on stdout and stderr."""

    def grade(files, *options):
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        assert main(["grade", str(course), STEM, "--from", str(path), *options]) == 0
        return capsys.readouterr()

    return grade


def packed(course, platform):
    path = course / "reports" / f"{STEM}-{platform}-feedback.zip"
    if not path.exists():
        return None
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def read_by_canvas(name):
    """Return user and file as Canvas reads them (`infer_comment_context_from_filename`)."""
    words = [word for word in name.split("_") if word != "LATE"]
    assert not words[-1].startswith("link")
    if words[0] == "anon":
        return tuple(words[1:3])
    return tuple([word for word in words if re.fullmatch(r"\d+", word)][:2])


def read_by_moodle(name):
    """Return the participant and the file's name as Moodle reads them (`importziplib.php`)."""
    parts = name.split("/")
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) >= 4 and info[1].isdigit():
            rest = [info[4] if len(info) == 5 else "", *parts]
            assert info[2:4] == ["assignsubmission", "file"]
            return info[1], "/".join(rest).lstrip("/")
    raise AssertionError(f"Moodle finds nobody in {name}")


def test_canvas_takes_the_pages_back_for_the_files_that_it_exported(course, grade):
    said = grade(
        {
            "lovelaceada_11_501_assignment.ipynb": WRONG,
            "lovelaceada_11_502_assignment-1.ipynb": RIGHT,
            "noetheremmy_LATE_12_503_link_7_8.ipynb": RIGHT,
            "turingalan_13_504_assignment.ipynb": "no notebook",
        }
    )
    pages = packed(course, "canvas")
    assert f"feedback to upload: {course}/reports/{STEM}-canvas-feedback.zip" in said.out
    assert {read_by_canvas(name) for name in pages} == {
        ("11", "502"),
        ("12", "503"),
        ("13", "504"),
    }
    # Whose file cannot be read is told what to do, and sees no mark.
    (told,) = (page for name, page in pages.items() if name.startswith("turingalan"))
    assert "could not be read as a notebook" in told and "of 20" not in told
    for student in ("lovelaceada_11", "noetheremmy_12"):
        (name,) = (name for name in pages if name.startswith(student.split("_")[0]))
        assert name.endswith("_feedback.html")
        page = course / "feedback" / student / STEM / "assignment.html"
        assert pages[name] == page.read_text(encoding="utf-8")
    assert packed(course, "moodle") is None


def test_what_waits_for_a_decision_is_not_published(course, grade):
    text = RIGHT.replace(f'"grade_id": "{EXERCISE.id}"', '"grade_id": "mine"')
    said = grade({"lovelaceada_11_501_assignment.ipynb": text})
    assert "1 needs_review" in said.out and packed(course, "canvas") is None


def test_canvas_without_names(course, grade):
    grade({"anon_x7Qf2_501_assignment.ipynb": RIGHT, "LATE_anon_B0b4Z_502_a.ipynb": RIGHT})
    names = packed(course, "canvas")
    assert {read_by_canvas(name) for name in names} == {("x7Qf2", "501"), ("B0b4Z", "502")}


@pytest.mark.parametrize(
    "name",
    [
        "{}_assignsubmission_file_/assignment.ipynb",  # before Moodle 4.1
        "{}_assignsubmission_file/assignment.ipynb",
        "{}_assignsubmission_file_my_own_work.ipynb",  # without folders
    ],
)
def test_moodle_takes_the_pages_back_for_the_folders_that_it_exported(course, grade, name):
    students = ("Ada Lovelace_11", "Emmy Noether_12")
    grade({name.format(student): RIGHT for student in students})
    pages = packed(course, "moodle")
    assert {read_by_moodle(name) for name in pages} == {
        ("11", "feedback.html"),
        ("12", "feedback.html"),
    }
    assert all(("Ada" in name) == ("Ada Lovelace" in page) for name, page in pages.items())


@pytest.mark.parametrize(
    "platform, name",
    [
        ("moodle", "J\udcfcrgen_{}_assignsubmission_file_/assignment.ipynb"),
        ("moodle", "Jo_{}_assignsubmission_file_J\udcfcrgen.ipynb"),
        ("canvas", "j\udcfcrgen_{}_501_assignment.ipynb"),
        ("canvas", "jo_{}_501_j\udcfcrgen.ipynb"),
    ],
)
def test_names_that_are_no_text_end_nothing(course, tmp_path, platform, name):
    # As Latin-1 becomes when an archive from Windows is unpacked.
    for number in (11, 12):
        path = tmp_path / "export" / name.format(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RIGHT)
    assert main(["grade", str(course), STEM, "--from", str(tmp_path / "export")]) == 0
    assert len(packed(course, platform)) == 2


@pytest.mark.parametrize(
    ("platform", "name", "people"),
    [
        (
            "moodle",
            "{}_assignsubmission_file_/assignment.ipynb",
            ["Ada Lovelace_11", "Ada Lovelace_12", "Group B-Ada Byron_11"],
        ),
        (
            "canvas",
            "{}_501_assignment.ipynb",
            ["lovelaceada_11", "lovelaceada_12", "byronada_11"],
        ),
    ],
)
def test_a_student_whose_name_has_changed_is_the_same_and_a_namesake_another(
    course, grade, tmp_path, platform, name, people
):
    first, namesake, renamed = people
    (tmp_path / "list.csv").write_text(LISTS[platform], encoding="utf-8")
    roster = ("--roster", str(tmp_path / "list.csv"))
    grade({name.format(first): WRONG, name.format(namesake): WRONG}, *roster)
    said = grade({name.format(renamed): RIGHT, name.format(namesake): WRONG}, *roster)
    assert "1 graded" in said.out and "1 unchanged" in said.out
    assert totals(course) == {"nobody": EXERCISE.points, first: EXERCISE.points, namesake: 0}
    with open(course / "reports" / f"{STEM}-{platform}.csv", encoding="utf-8-sig") as file:
        marks = [row for row in csv.reader(file) if f"{EXERCISE.points:g}" in row or "0" in row]
    assert [("11" in row[0] + row[1], row[-1]) for row in marks] == [
        (True, f"{EXERCISE.points:g}"),
        (False, "0"),
    ]
    pages = packed(course, platform)
    assert len(pages) == 2 and any(page.startswith(renamed) for page in pages)
    # By the name under which the mark stands the student is found.
    again = {name.format(renamed): RIGHT, name.format(namesake): WRONG}
    assert "1 to grade" in grade(again, "--student", first, "--regrade", "--dry-run").out


def test_a_name_that_another_student_has_now_is_not_given_away(course, grade):
    """As "lee" was a_lee's, when the title was thought to end at the last underscore."""
    attempt = "attempt_2026-03-01-10-00-00_assignment.ipynb"
    grade({f"Chapter 1_a_lee_{attempt}": WRONG})
    grade({f"Chapter 1_a_lee_{attempt}": WRONG, f"Chapter 1_s1_{attempt}": RIGHT})
    assert totals(course) == {"nobody": EXERCISE.points, "lee": 0, "s1": EXERCISE.points}
    grade({f"Chapter 1_a_lee_{attempt}": WRONG, f"Chapter 1_lee_{attempt}": RIGHT})
    marks = totals(course)
    assert (marks["a_lee"], marks["lee"]) == (0, EXERCISE.points)


def test_an_account_with_another_students_number_in_its_name_takes_no_name(course, grade):
    folder = "{}_assignsubmission_file_/assignment.ipynb"
    grade({folder.format("Bob_2"): WRONG})
    named_so = folder.format("Zed_2_assignsubmission_file_x_7")
    said = grade({named_so: RIGHT, folder.format("Eve_3"): RIGHT}, "--dry-run").out
    assert "to grade: Zed_2; Eve_3\n" in said


def test_of_one_person_with_two_results_nothing_goes_to_the_platform(
    course, grade, tmp_path, capsys
):
    """As earlier versions have graded a student whose name had changed."""
    (tmp_path / "list.csv").write_text(LISTS["moodle"], encoding="utf-8")
    roster = ("--roster", str(tmp_path / "list.csv"))
    name = "{}_assignsubmission_file_/assignment.ipynb"
    grade({name.format("Ada Lovelace_11"): WRONG}, *roster)
    table, pages = (course / "reports" / f"{STEM}-moodle{end}" for end in (".csv", "-feedback.zip"))
    assert table.exists() and pages.exists()
    with contextlib.closing(Journal(course, STEM)) as journal:
        first = journal.latest()["Ada Lovelace_11"]
        origin = Origin("Moodle", "", "Ada Byron_11_assignsubmission_file_")
        second = replace(first, student="Ada Byron_11", origin=origin)
        journal.add(second, ALL_COUNT)
    assert main(["report", str(course), STEM, *roster]) == 1
    said = capsys.readouterr()
    assert "report: " in said.out and "to import" not in said.out and "to upload" not in said.out
    assert [line for line in said.err.splitlines() if "not written" in line] == [
        f"autograder: {path} was not written: Ada Byron_11 and Ada Lovelace_11 are one person; "
        "`autograder forget COURSE STUDENT` removes the one that is not to count"
        for path in (table, pages)
    ]
    assert not table.exists() and not pages.exists()
    assert {"Ada Byron_11", "Ada Lovelace_11"} < report_rows(course).keys()
    assert main(["forget", str(course), "Ada Lovelace_11"]) == 0
    assert main(["report", str(course), STEM, *roster]) == 0
    assert table.exists() and pages.exists()


def test_the_page_over_all_assignments_knows_students_by_the_worksheet(course, grade, tmp_path):
    name = "{}_assignsubmission_file_/assignment.ipynb"
    known = {"total": 2.0, "settled": True, "digest": "d", "submission": "s"}
    known |= {"points": {"e": 2.0}, "full": {"e": 2.0}, "by_hand": []}
    earlier = {
        "Ada Lovelace_21": ReportedMark(**known, person="ada@x", name="Ada Lovelace"),
        "Ada Lovelace_22": ReportedMark(**known, person="another@x", name="Ada Lovelace"),
        "Bob_23": ReportedMark(**known, name="Bob"),
    }
    write_reported(course, "ch00", earlier)
    (tmp_path / "list.csv").write_text(LISTS["moodle"], encoding="utf-8")
    files = {name.format("Ada Byron_11"): RIGHT, name.format("Bob_12"): RIGHT}
    grade(files, "--roster", str(tmp_path / "list.csv"))
    expected = {"Ada Byron": "0", "Ada Lovelace_22": "1", "Bob": "0", "nobody": "1"}
    assert missing(course) == expected
    # It is not forgotten when the worksheet is not given.
    assert main(["report", str(course), STEM]) == 0
    assert missing(course) == expected


def missing(course):
    with open(course / "reports" / "all_assignments.csv", encoding="utf-8-sig") as file:
        return {row["student"]: row["missing"] for row in csv.DictReader(file)}


def test_other_sources_get_no_zip(course, grade):
    said = grade({"Chapter 1_s11_attempt_2026-03-01-10-00-00_assignment.ipynb": RIGHT})
    assert "feedback to upload" not in said.out
    assert not list((course / "reports").glob("*.zip"))
    assert (
        Blackboard().feedback_name(Origin("Blackboard", "2026", "Chapter 1_s11"), "f.html") is None
    )


def test_the_zip_follows_what_is_marked_by_hand_and_whom_one_forgets(course, grade, capsys):
    files = {"lovelaceada_11_501_a.ipynb": RIGHT, "noetheremmy_12_502_a.ipynb": WRONG}
    grade(files)
    before = packed(course, "canvas")
    assert main(["report", str(course), STEM, "--book", "https://example.org"]) == 0
    after = packed(course, "canvas")
    assert after.keys() == before.keys()
    assert all("https://example.org" in page for page in after.values())
    assert main(["forget", str(course), "noetheremmy_12"]) == 0
    assert "zip" not in capsys.readouterr().out.split("removed for")[1]  # it is still there
    assert [read_by_canvas(name) for name in packed(course, "canvas")] == [("11", "501")]
    assert main(["forget", str(course), "lovelaceada_11"]) == 0
    assert f"{STEM}-canvas-feedback.zip" in capsys.readouterr().out
    assert packed(course, "canvas") is None


@pytest.mark.usefixtures("impatient")
def test_no_zip_is_written_without_the_gradebook(course, grade, capsys):
    files = {"lovelaceada_11_501_a.ipynb": RIGHT, "noetheremmy_12_502_a.ipynb": WRONG}
    grade(files)
    mark_by_hand(course, "noetheremmy_12", 1)
    assert main(["report", str(course), STEM]) == 0
    before = packed(course, "canvas")
    assert any("Marked by your instructor" in page for page in before.values())
    capsys.readouterr()
    with contextlib.closing(sqlite3.connect(course / "gradebook.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert main(["report", str(course), STEM]) == 1
    assert "feedback to upload" not in capsys.readouterr().out
    assert packed(course, "canvas") == before


def test_a_page_that_is_not_there_or_not_ours_is_written_again_and_packed(course, grade, capsys):
    names = {"lovelaceada_11_501_a.ipynb": RIGHT, "noetheremmy_12_502_a.ipynb": WRONG}
    grade(names)
    ada, emmy = (course / "feedback" / f"{s}" / STEM for s in ("lovelaceada_11", "noetheremmy_12"))
    before = {path: path.read_bytes() for path in (ada / PAGE, emmy / PAGE)}
    in_zip = packed(course, "canvas")
    shutil.rmtree(ada)
    done = nbgrader_api(course).generate_feedback(STEM, "noetheremmy_12", force=True)
    assert done["success"] and (emmy / PAGE).read_bytes() != before[emmy / PAGE]
    assert main(["grade", str(course), STEM]) == 0
    assert packed(course, "canvas") == in_zip
    assert {path: path.read_bytes() for path in before} == before


def test_the_same_file_handed_in_again_goes_back_to_the_newest_attempt(course, grade):
    grade({"lovelaceada_11_501_assignment.ipynb": RIGHT})
    said = grade({"lovelaceada_11_508_assignment-1.ipynb": RIGHT})
    assert "0 graded" in said.out
    assert [read_by_canvas(name) for name in packed(course, "canvas")] == [("11", "508")]
    # The file is in submitted/ now; grading it from there does not forget whose export it is.
    assert main(["grade", str(course), STEM, "--student", "lovelaceada_11", "--regrade"]) == 0
    assert [read_by_canvas(name) for name in packed(course, "canvas")] == [("11", "508")]
    journal = Journal(course, STEM)
    assert journal.latest()["lovelaceada_11"].origin.attempt.endswith("508")
    journal.close()


def test_what_was_handed_in_beside_a_file_stays_known_when_it_is_graded_from_the_folder(
    course, grade, capsys
):
    folder, student = "Ada Lovelace_11_assignsubmission_file_", "Ada Lovelace_11"

    def said_of_her():
        row = report_rows(course)[student]
        page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
        return Flag.OTHER_NOTEBOOK.value in row["flags"], "not graded: draft.ipynb" in page

    both = {f"{folder}/assignment.ipynb": RIGHT, f"{folder}/draft.ipynb": WRONG}
    grade(both)
    assert said_of_her() == (True, True)
    assert main(["grade", str(course), STEM, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("0 to grade, 2 unchanged") and "computed again" not in said
    assert main(["grade", str(course), STEM, "--regrade"]) == 0
    assert said_of_her() == (True, True)
    # An export says it anew. Then it is this that has changed, and not what the marks rest on.
    capsys.readouterr()
    assert grade({f"{folder}/assignment.ipynb": RIGHT}, "--dry-run").out.startswith("1 to grade")
    said = grade({f"{folder}/assignment.ipynb": RIGHT})
    assert said.out.startswith("1 graded") and "computed again" not in said.err
    assert said_of_her() == (False, False)


def test_a_time_that_has_become_known_is_no_change_of_the_checks(course, capsys):
    assert main(["grade", str(course), STEM, "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith("0 to grade")
    hand_in(course, "nobody", None, "2026-03-02 11:30:00 UTC")
    assert main(["grade", str(course), STEM, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("1 to grade") and "computed again" not in said


# --- an older export never overwrites newer marks -------------------------------------------------


def canvas(attempt):
    return "lovelaceada_11", f"lovelaceada_11_{attempt}_assignment.ipynb"


def blackboard(attempt):
    return "s11", f"Chapter 1_s11_attempt_2026-03-01-10-00-{attempt:02}_assignment.ipynb"


@pytest.mark.parametrize("named, attempts", [(canvas, (99, 100)), (blackboard, (9, 10))])
def test_an_older_attempt_is_reported_and_not_graded(course, grade, named, attempts):
    first, second = attempts
    student, newer = named(second)
    _, older = named(first)
    grade({newer: RIGHT})
    kept = (course / "submitted" / student / STEM / "assignment.ipynb").read_bytes()
    said = grade({older: EMPTY}, "--dry-run")
    assert f"older than what was handed in last: {student}" in said.out and "0 to grade" in said.out
    said = grade({older: EMPTY})
    assert "0 graded" in said.out
    assert (
        f"submissions older than what was handed in last: 1 (first {student}); --allow-older"
        in said.err
    )
    assert totals(course)[student] == EXERCISE.points
    assert kept == (course / "submitted" / student / STEM / "assignment.ipynb").read_bytes()
    report = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "the submission given now is older" in report and f"<bdi>{student}</bdi>" in report
    # Asked for, it is graded, and from now on it is the one to be compared with.
    said = grade({older: EMPTY}, "--allow-older")
    assert "1 graded" in said.out and totals(course)[student] == 0
    assert "1 graded" in grade({newer: RIGHT}).out
    assert totals(course)[student] == EXERCISE.points


def test_a_later_attempt_counts_even_when_it_is_worse(course, grade):
    grade({canvas(99)[1]: RIGHT})
    said = grade({canvas(100)[1]: EMPTY})
    assert "1 graded" in said.out and "older" not in said.err
    assert totals(course)["lovelaceada_11"] == 0


def test_the_exchange_is_asked_for_the_time(course, capsys):
    def grade(notebook, time):
        hand_in(course, "ada", notebook, time)
        assert main(["grade", str(course), STEM, "--student", "ada"]) == 0
        return capsys.readouterr()

    grade(answered(), "2026-03-02 11:30:00.000000 UTC")
    wrong = answered("changed = 1")
    assert (
        "submissions older than what was handed in last: 1 (first ada)"
        in grade(wrong, "2026-03-02 12:29:59.000000 +01:00").err
    )
    assert totals(course)["ada"] == EXERCISE.points
    # The same time, a time that cannot be read: nothing says that this one is older.
    assert "older" not in grade(wrong, "2026-03-02 12:30:00.000000 +01:00").err
    assert totals(course)["ada"] == 0
    assert "older" not in grade(answered(), "2026-03-02 99:99").err
    assert totals(course)["ada"] == EXERCISE.points


def test_moodles_worksheet_says_when_a_student_handed_in(course, grade, tmp_path):
    name, student = "Ada Lovelace_11_assignsubmission_file/a.ipynb", "Ada Lovelace_11"

    def graded(text, time):
        (tmp_path / "list.csv").write_text(WORKSHEET.format(time), encoding="utf-8")
        return grade({name: text}, "--roster", str(tmp_path / "list.csv"))

    graded(RIGHT, "Tuesday, 10 March 2026, 9:00 AM")
    assert (
        "submissions older than what was handed in last: 1"
        in graded(EMPTY, "Monday, 9 March 2026, 11:00 PM").err
    )
    assert totals(course)[student] == EXERCISE.points
    assert "1 graded" in graded(EMPTY, "Tuesday, 10 March 2026, 1:00 PM").out
    assert totals(course)[student] == 0
    # Without the worksheet, or in a language that is not read, the last export counts.
    assert graded(RIGHT, "lundi 9 mars 2026, 11:00").out.startswith("1 graded")
    assert grade({name: EMPTY}).out.startswith("1 graded")


@pytest.mark.parametrize(
    ("cell", "hours"),
    [
        ("Tuesday, 10 March 2026, 9:00 AM", 2),
        ("Tuesday, March 10, 2026, 9:00 AM", 2),
        ("Tuesday, March 10, 2026, 9:00\u202fAM", 2),
        ("Dienstag, 10. März 2026, 09:00", 2),
        ("mardi 10 mars 2026, 09:00", None),
        ("-", 0),
        ("", 0),
    ],
)
def test_a_time_of_moodles_that_cannot_be_read_is_said(
    course, grade, tmp_path, time_zone, cell, hours
):
    time_zone("UTC")
    set_due(course, "2026-03-10 07:00:00 UTC")
    student = "Ada Lovelace_11"
    (tmp_path / "list.csv").write_text(WORKSHEET.format(cell), encoding="utf-8")
    files = {f"{student}_assignsubmission_file/a.ipynb": RIGHT}
    said = grade(files, "--roster", str(tmp_path / "list.csv")).err
    assert hours_late(course, student) == (hours or 0)
    warning = f"the time of submission cannot be read: 1 (first {student})"
    assert (warning in said) == (hours is None)
    if hours is None:
        assert Flag.TIME_UNREAD.value in report_rows(course)[student]["flags"]
        # It is known of the same file as soon as a list has a time that can be read.
        (tmp_path / "list.csv").write_text(WORKSHEET.format("Tuesday, 10 March 2026, 9:00 AM"))
        said = grade(files, "--roster", str(tmp_path / "list.csv")).err
        assert "cannot be read" not in said and hours_late(course, student) == 2


def test_blackboards_names_say_who_is_late(course, grade, time_zone):
    time_zone("Europe/Berlin")
    set_due(course, "2026-03-01 08:00:00 UTC")
    grade({"Chapter 1_s11_attempt_2026-03-01-10-00-00_assignment.ipynb": RIGHT})
    assert hours_late(course, "s11") == 1  # ten o'clock in Berlin is nine o'clock UTC
    grade({"Chapter 1_s12_attempt_2026-99-01-10-00-00_assignment.ipynb": RIGHT})
    assert hours_late(course, "s12") == 0


def test_a_timestamp_that_cannot_be_read_is_said_and_nobody_is_late(course, capsys):
    set_due(course, "2026-03-02 10:00:00 UTC")
    times = {"ada": "2026-03-02 11:30:00 CET", "bob": "2026-03-02 11:30:00 NOWHERE"}
    for student, at in times.items():
        hand_in(course, student, None, at)
    assert main(["grade", str(course), STEM]) == 0
    warning = "the time of submission cannot be read: 1 (first bob)"
    assert warning in capsys.readouterr().err
    assert hours_late(course, "ada") == 0.5 and hours_late(course, "bob") == 0
    flag = Flag.TIME_UNREAD.value
    assert flag in (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert flag not in (course / "feedback" / "bob" / STEM / PAGE).read_text(encoding="utf-8")
    assert main(["report", str(course), STEM]) == 0
    assert warning in capsys.readouterr().err
    hand_in(course, "bob", None, times["ada"])
    assert main(["grade", str(course), STEM]) == 0
    assert "cannot be read" not in capsys.readouterr().err and hours_late(course, "bob") == 0.5


def test_canvas_mark_of_a_late_file_stays_with_it(course, grade):
    grade({"noetheremmy_LATE_12_503_assignment.ipynb": RIGHT})
    for options in ([], ["--regrade"]):
        assert main(["grade", str(course), STEM, "--student", "noetheremmy_12", *options]) == 0
        page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
        assert "handed in late, according to the platform" in page


def hours_late(course, student):
    return float(report_rows(course)[student]["hours_late"])


def test_moodles_worksheet_says_who_is_late(course, grade, tmp_path, time_zone):
    time_zone("Europe/Berlin")
    set_due(course, "2026-03-10 06:00:00 UTC")
    student = "Ada Lovelace_11"
    (tmp_path / "list.csv").write_text(WORKSHEET.format("Tuesday, 10 March 2026, 9:00 AM"))
    files = {f"{student}_assignsubmission_file/a.ipynb": RIGHT}
    grade(files, "--roster", str(tmp_path / "list.csv"))
    assert hours_late(course, student) == 2  # nine o'clock in Berlin is eight o'clock UTC
    # What is known of it is not forgotten when the list is not there.
    grade(files, "--regrade")
    assert main(["grade", str(course), STEM, "--student", student, "--regrade"]) == 0
    assert hours_late(course, student) == 2


def test_a_timestamp_that_comes_later_counts(course, grade, capsys):
    set_due(course, "2026-03-02 10:30:00 UTC")
    grade({"lovelaceada_11_501_assignment.ipynb": RIGHT})
    assert hours_late(course, "lovelaceada_11") == 0
    folder = course / "submitted" / "lovelaceada_11" / STEM
    (folder / "timestamp.txt").write_text("2026-03-02 11:30:00 UTC\n")
    assert main(["grade", str(course), STEM, "--student", "lovelaceada_11"]) == 0
    assert "1 graded" in capsys.readouterr().out
    assert hours_late(course, "lovelaceada_11") == 1


def test_two_sources_are_not_compared(course, grade, capsys):
    student, name = canvas(100)
    hand_in(course, student, None, "2026-03-02 11:30:00.000000 UTC")
    assert main(["grade", str(course), STEM, "--student", student]) == 0
    assert "1 graded" in grade({name: EMPTY}).out
    assert totals(course)[student] == 0


# --- a file stays in submitted/, or is mended there -----------------------------------------------


def moodle(attempt):
    return "Ada Lovelace_11", f"Ada Lovelace_11_assignsubmission_file/{attempt}.ipynb"


def unreadable(named, attempt):
    """Return an export with an attempt that cannot be opened."""
    return {named(attempt)[1].replace(".ipynb", ".zip"): "no archive"}


def mend(course, student, text=RIGHT):
    """Change a file in submitted/, as a person does."""
    (course / "submitted" / student / STEM / "assignment.ipynb").write_text(text, "utf-8")


@pytest.fixture
def grade_folder(course, capsys):
    """Grade what lies in submitted/ for a student; return what was said on stdout and stderr."""

    def grade_folder(student, *options):
        assert main(["grade", str(course), STEM, "--student", student, *options]) == 0
        return capsys.readouterr()

    return grade_folder


@pytest.mark.parametrize("named", [canvas, blackboard, moodle])
def test_what_an_unreadable_newer_file_leaves_in_submitted_is_older(
    course, grade, grade_folder, named
):
    student, first = named(10)
    grade({first: RIGHT})
    for attempt in (11, 12):
        grade(unreadable(named, attempt))
        for options in ([], ["--regrade"]):
            said = grade_folder(student, *options)
            assert f"older than what was handed in last: 1 (first {student}); --all" in said.err
            assert report_rows(course)[student]["status"] == "invalid_notebook"
    said = grade_folder(student, "--dry-run").out
    assert f"older than what was handed in last: {student}\n" in said and "0 to grade" in said
    assert grade_folder(student, "--allow-older").out.startswith("1 graded")
    assert totals(course)[student] == EXERCISE.points
    said = grade_folder(student)  # it is now the one that counts
    assert said.out.startswith("0 graded") and "older" not in said.err


def test_what_is_put_in_the_place_of_an_unreadable_file_is_graded(course, grade, grade_folder):
    student, first = canvas(10)
    grade({first: EMPTY})
    for _ in range(2):  # an export of the next week has the same attempt again
        grade(unreadable(canvas, 11))
        mend(course, student)
        assert "older" not in grade_folder(student).err
        assert totals(course)[student] == EXERCISE.points
    # A file that could not be read in submitted/ itself is no newer one.
    path = course / "submitted" / student / STEM / "assignment.ipynb"
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")
    grade_folder(student)
    assert report_rows(course)[student]["status"] == "refused"
    path.with_name("elsewhere").replace(path)
    assert "older" not in grade_folder(student).err
    assert totals(course)[student] == EXERCISE.points


@pytest.mark.parametrize("late", ["first", "second"])
def test_what_the_platform_said_of_a_file_is_not_said_of_another(course, grade, grade_folder, late):
    student = "lovelaceada_11"
    names = {"first": "lovelaceada_11_501_a.ipynb", "second": "lovelaceada_11_502_a.zip"}
    names[late] = names[late].replace("_11", "_LATE_11")
    grade({names["first"]: RIGHT})
    grade({names["second"]: "no archive"})
    grade_folder(student, "--allow-older")
    assert (Flag.LATE.value in report_rows(course)[student]["flags"]) == (late == "first")
    assert [read_by_canvas(name)[1] for name in packed(course, "canvas")] == ["501"]
    mend(course, student, WRONG)
    grade({names["second"]: "no archive"})
    mend(course, student)
    grade_folder(student)
    assert (Flag.LATE.value in report_rows(course)[student]["flags"]) == (late == "second")
    assert [read_by_canvas(name)[1] for name in packed(course, "canvas")] == ["502"]


def test_the_same_file_with_another_time_was_handed_in_again(course, grade, grade_folder):
    student, first = blackboard(10)
    grade({first: RIGHT})
    grade(unreadable(blackboard, 11))
    folder = course / "submitted" / student / STEM
    (folder / "timestamp.txt").write_text("2026-03-02 11:30:00 UTC\n")
    assert "older" not in grade_folder(student).err
    assert totals(course)[student] == EXERCISE.points


def test_a_file_mended_by_hand_was_handed_in_when_the_platform_says(
    course, grade, grade_folder, tmp_path, time_zone
):
    time_zone("UTC")
    set_due(course, "2026-03-01 09:00:00 UTC")
    grade({blackboard(0)[1]: WRONG})
    (tmp_path / "list.csv").write_text(WORKSHEET.format("Sunday, 1 March 2026, 11:00 AM"))
    grade({moodle(0)[1]: WRONG}, "--roster", str(tmp_path / "list.csv"))
    grade({"noetheremmy_LATE_12_503_assignment.ipynb": WRONG})
    for student, hours in (("s11", 1), ("Ada Lovelace_11", 2), ("noetheremmy_12", 0)):
        mend(course, student)
        grade_folder(student)
        assert totals(course)[student] == EXERCISE.points
        assert hours_late(course, student) == hours
    assert Flag.LATE.value in report_rows(course)["noetheremmy_12"]["flags"]
    assert len(packed(course, "canvas")) == len(packed(course, "moodle")) == 1
    # Unless a file beside it says another time.
    mend(course, "s11", WRONG)
    (course / "submitted" / "s11" / STEM / "timestamp.txt").write_text("2026-03-01 13:00:00 UTC")
    grade_folder("s11")
    assert totals(course)["s11"] == 0 and hours_late(course, "s11") == 4


def test_what_takes_the_place_of_another_assignments_notebook_has_nothing_of_it(
    course, grade, grade_folder
):
    student = "noetheremmy_12"
    grade({"noetheremmy_LATE_12_503_a.ipynb": OTHER_ASSIGNMENT}, "--anyway")
    assert Flag.LATE.value in report_rows(course)[student]["flags"]
    mend(course, student)
    grade_folder(student)
    assert report_rows(course)[student]["flags"] == ""
    said = grade({"noetheremmy_12_502_a.ipynb": EMPTY})
    assert said.out.startswith("1 graded") and "older" not in said.err


def is_older(course, said, student):
    """Return whether a file of submitted/ was reported as older, and nothing graded."""
    waits = report_rows(course)[student]["status"] in ("invalid_notebook", "refused")
    return waits and f"older than what was handed in last: 1 (first {student})" in said.err


LATE_AND_UNREADABLE = {"lovelaceada_LATE_11_11_assignment.zip": "no archive"}


def test_what_an_interrupted_run_has_copied_is_older_than_an_unreadable_file(
    course, grade, grade_folder, monkeypatch, tmp_path
):
    student, first = canvas(10)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "add", interrupted)  # the file has been copied just before
        (tmp_path / "export").mkdir()
        (tmp_path / "export" / first).write_text(RIGHT, encoding="utf-8")
        assert main(["grade", str(course), STEM, "--from", str(tmp_path / "export")]) != 0
    grade({first: RIGHT} | LATE_AND_UNREADABLE)
    assert is_older(course, grade_folder(student), student)
    grade_folder(student, "--allow-older")
    assert totals(course)[student] == EXERCISE.points
    assert report_rows(course)[student]["flags"] == ""


def test_what_was_mended_before_an_unreadable_file_came_in_is_older(course, grade, grade_folder):
    student, first = canvas(10)
    grade({first: EMPTY})
    mend(course, student)
    grade(LATE_AND_UNREADABLE)
    assert is_older(course, grade_folder(student), student)
    grade_folder(student, "--allow-older")
    assert totals(course)[student] == EXERCISE.points
    assert report_rows(course)[student]["flags"] == ""
    assert [read_by_canvas(name)[1] for name in packed(course, "canvas")] == ["10"]


def test_an_older_file_that_is_away_for_a_run_is_still_older(course, grade, grade_folder):
    student, first = canvas(10)
    grade({first: RIGHT})
    grade(unreadable(canvas, 11))
    path = course / "submitted" / student / STEM / "assignment.ipynb"
    for grade_without in (grade_folder, lambda _: grade(unreadable(canvas, 12))):
        path.rename(path.with_name("elsewhere"))
        grade_without(student)
        path.with_name("elsewhere").rename(path)
        assert is_older(course, grade_folder(student), student)
    mend(course, student, "no JSON")
    grade_folder(student)
    mend(course, student, RIGHT)
    assert is_older(course, grade_folder(student), student)


def test_the_time_of_a_file_that_comes_in_again_is_known(course, grade, tmp_path, time_zone):
    """The worksheet that says it was given with the first of three exports."""
    time_zone("UTC")
    set_due(course, "2026-03-10 07:00:00 UTC")
    (tmp_path / "list.csv").write_text(WORKSHEET.format("Tuesday, 10 March 2026, 9:00 AM"))
    student, name = moodle("a")
    grade({name: RIGHT}, "--roster", str(tmp_path / "list.csv"))
    grade(unreadable(moodle, "a"))
    grade({name: RIGHT})
    assert totals(course)[student] == EXERCISE.points and hours_late(course, student) == 2


def test_an_attempt_that_is_late_no_more_is_the_same(course, grade, grade_folder):
    student, first = canvas(10)
    grade({first: EMPTY})
    grade(LATE_AND_UNREADABLE)
    mend(course, student)
    grade_folder(student)
    grade(unreadable(canvas, 11))
    assert "older" not in grade_folder(student).err
    assert totals(course)[student] == EXERCISE.points
    assert report_rows(course)[student]["flags"] == ""


def test_a_journal_that_does_not_say_what_is_older_learns_it(course, grade, grade_folder):
    student, first = canvas(10)
    grade({first: RIGHT})
    grade(LATE_AND_UNREADABLE)
    path = course / ".autograder" / f"{STEM}.journal"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line.pop("uncounted", None)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    grade(LATE_AND_UNREADABLE)
    assert is_older(course, grade_folder(student), student)
    grade_folder(student, "--allow-older")
    assert report_rows(course)[student]["flags"] == ""


@pytest.mark.parametrize("named", [canvas, moodle])
def test_a_mended_file_stays_when_an_export_has_it_again_as_it_was(
    course, grade, grade_folder, named
):
    student, name = named(10)
    grade({name: WRONG})
    for text in (EMPTY, RIGHT):  # mended twice
        mend(course, student, text)
        grade_folder(student)
    for options in ([], ["--regrade"], []):
        said = grade({name: WRONG}, *options)
        assert said.out.startswith(f"{len(options)} graded") and "older" not in said.err
        assert totals(course)[student] == EXERCISE.points
    mend(course, student, WRONG)
    grade_folder(student)
    assert totals(course)[student] == 0
    grade({named(11)[1]: EMPTY})  # another attempt takes its place
    path = course / "submitted" / student / STEM / "assignment.ipynb"
    assert path.read_text(encoding="utf-8") == EMPTY


def test_a_file_in_the_place_of_an_unreadable_one_stays_when_this_is_exported_again(
    course, grade, grade_folder
):
    student, first = canvas(10)
    grade({first: EMPTY})
    grade(unreadable(canvas, 11))
    mend(course, student)
    grade_folder(student)
    assert grade(unreadable(canvas, 11)).out.startswith("0 graded")
    assert totals(course)[student] == EXERCISE.points
    # Not where the older file is back, or where a newer attempt cannot be read.
    mend(course, student, EMPTY)
    assert "older" in grade_folder(student).err
    grade(unreadable(canvas, 11))
    assert is_older(course, grade_folder(student), student)
    mend(course, student)
    grade(unreadable(canvas, 12))
    assert is_older(course, grade_folder(student), student)


def lying(course, student):
    """Return the text of the file that lies in submitted/ for a student."""
    path = course / "submitted" / student / STEM / "assignment.ipynb"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def test_a_mark_by_hand_forgets_nothing_of_what_counts(course, grade, grade_folder):
    student, first = canvas(10)
    grade({first: WRONG})
    mark_by_hand(course, student, 0.5, "please look")
    mend(course, student)
    grade_folder(student)
    assert grade({first: WRONG}).out.startswith("0 graded")
    assert lying(course, student) == RIGHT and totals(course)[student] == EXERCISE.points
    mark_by_hand(course, student, 0.5, "seen")
    grade(unreadable(canvas, 11))
    assert is_older(course, grade_folder(student), student)


@pytest.mark.parametrize("text", [RIGHT, OTHER_ASSIGNMENT], ids=["ours", "another"])
def test_what_an_interrupted_run_has_not_graded_is_not_in_submitted(
    course, grade, grade_folder, monkeypatch, tmp_path, text
):
    student, first = canvas(10)
    grade({first: WRONG})
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / canvas(11)[1]).write_text(text, encoding="utf-8")

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cluster, "prepare_workers", interrupted)
        assert main(["grade", str(course), STEM, "--from", str(tmp_path / "export")]) != 0
    assert grade_folder(student).out.startswith("0 graded") and lying(course, student) == WRONG
    assert grade({canvas(11)[1]: RIGHT}).out.startswith("1 graded")
    assert totals(course)[student] == EXERCISE.points


@pytest.mark.parametrize("named", [canvas, blackboard])
@pytest.mark.parametrize("first_of_all", ["mended", "timed"])
def test_a_time_that_a_person_wrote_beside_a_file_stays_with_it(
    course, grade, grade_folder, named, first_of_all
):
    set_due(course, "2026-03-01 06:00:00 UTC")
    student, name = named(10)
    grade({name: WRONG})
    stamp = course / "submitted" / student / STEM / "timestamp.txt"
    if first_of_all == "mended":
        mend(course, student)
        grade_folder(student)
    stamp.write_text("2026-03-01 08:30:00 UTC\n")
    grade_folder(student)
    if first_of_all == "timed":
        mend(course, student)
        grade_folder(student)
    # It is still the platform's file: of this attempt, no older one counts.
    for attempt in (10, 9, 10):
        said = grade({named(attempt)[1]: WRONG})
        assert said.out.startswith("0 graded") and ("older" in said.err) == (attempt == 9)
        assert lying(course, student) == RIGHT and stamp.exists()
        grade_folder(student)
        assert totals(course)[student] == EXERCISE.points and hours_late(course, student) == 2.5


def test_a_mended_file_stays_when_it_counts_again_beside_an_unreadable_one(
    course, grade, grade_folder
):
    student, first = canvas(10)
    grade({first: WRONG})
    mend(course, student)
    grade_folder(student)
    grade(unreadable(canvas, 11))
    grade_folder(student, "--allow-older")
    assert grade({first: WRONG}).out.startswith("0 graded")
    assert lying(course, student) == RIGHT and totals(course)[student] == EXERCISE.points


def test_a_file_that_is_mended_and_not_graded_yet_stays(course, grade, grade_folder):
    student, first = canvas(10)
    grade({first: WRONG})
    mend(course, student)
    assert grade({first: WRONG}).out.startswith("1 graded")
    assert lying(course, student) == RIGHT and totals(course)[student] == EXERCISE.points
    assert grade_folder(student).out.startswith("0 graded")


@pytest.mark.parametrize("is_known", ["later", "earlier"])
def test_a_mended_file_stays_when_the_worksheet_says_its_time(
    course, grade, grade_folder, tmp_path, is_known
):
    student, name = moodle("a")
    (tmp_path / "list.csv").write_text(WORKSHEET.format("Tuesday, 10 March 2026, 9:00 AM"))
    with_list = ["--roster", str(tmp_path / "list.csv")]
    grade({name: WRONG}, *(with_list if is_known == "earlier" else []))
    mend(course, student)
    grade_folder(student)
    grade({name: WRONG}, *(with_list if is_known == "later" else []))
    assert lying(course, student) == RIGHT and totals(course)[student] == EXERCISE.points


@pytest.mark.parametrize("before", [{}, {canvas(10)[1]: EMPTY}])
def test_a_file_in_the_place_of_an_unreadable_one_is_graded_after_a_regrade(
    course, grade, grade_folder, before
):
    student = canvas(11)[0]
    if before:
        grade(before)
    grade(unreadable(canvas, 11))
    hand_in(course, student, answered())
    grade(unreadable(canvas, 11), "--regrade")
    assert "older" not in grade_folder(student).err
    assert totals(course)[student] == EXERCISE.points


def test_an_interrupted_copy_leaves_no_time_of_the_file_before(
    course, grade, grade_folder, monkeypatch, tmp_path
):
    set_due(course, "2026-03-01 09:00:00 UTC")
    student, name = blackboard(10)
    hand_in(course, student, None, "2026-03-01 08:00:00 UTC")
    grade_folder(student)
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / name).write_text(WRONG, encoding="utf-8")

    def interrupted(path, content):
        if path.name == "assignment.ipynb":
            raise KeyboardInterrupt
        replace_file(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(submissions, "replace_file", interrupted)
        assert main(["grade", str(course), STEM, "--from", str(tmp_path / "export")]) != 0
    assert not (course / "submitted" / student / STEM / "timestamp.txt").exists()


def test_an_explanation_says_that_it_is_of_an_older_file(course, grade, capsys):
    if refusal := sandbox_available():
        pytest.skip(refusal)
    student, first = canvas(10)
    grade({first: WRONG})
    for files, is_said in ((unreadable(canvas, 11), True), ({canvas(12)[1]: EMPTY}, False)):
        grade(files)
        assert main(["explain", str(course), STEM, student]) == 0
        said = capsys.readouterr().out
        assert (
            "\na newer submission could not be read; this is the older one\n" in said
        ) == is_said
