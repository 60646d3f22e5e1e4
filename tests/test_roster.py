"""The list of a class: read, compared with what came in, and sent back with marks."""

import contextlib
import csv
import io
import zipfile
from dataclasses import replace

import nbformat
import pytest
from small_course import EXERCISE, STEM, answered, graded_course, hand_in

from autograder.cli import main
from autograder.course_error import CourseError
from autograder.grading.journal import Journal
from autograder.platforms.marks_and_feedback import platform_csv
from autograder.platforms.roster import read_roster, require_names
from autograder.platforms.student_names import student_name
from autograder.results import Origin

NAMED = "id,name\nlovelaceada_11,Ada Lovelace\nmallory_13,\nhopper_15,Grace Hopper\n"
OWN = "\ufeffid,first_name\nlovelaceada_11,Ada\nMallory_13,M\nnobody_14,N\n"
CANVAS = f"""\
Student,ID,SIS User ID,SIS Login ID,Section,ch01_rnn_basicsx (8),{STEM} (77),Final
    Points Possible,,,,,5,20,(read only)
"Lovelace, Ada",11,s-ada,ada,One,1,,
"Noether, Emmy",12,s-emmy,emmy,One,2,3,
"Curie, Marie",21,,m1,One,,,
"Student, Test",99,,abcdef,One,,,
"""
MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (grade)"
"Participant 11","Ada Lovelace",ada@example.org,"Submitted for grading",,20.00,-
"Participant 12","Emmy Noether",emmy@example.org,"No submission",,20.00,-
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course with three submissions as a platform names them; one waits for a person."""
    without_answers = answered()
    without_answers.cells = [c for c in without_answers.cells if c.metadata.nbgrader.locked]
    return graded_course(
        tmp_path_factory.mktemp("roster"),
        {"lovelaceada_11": None, "mallory_13": None, "noetheremmy_12": without_answers},
    )


@pytest.fixture
def listed(tmp_path):
    def write(text):
        (tmp_path / "list.csv").write_text(text, encoding="utf-8")
        return tmp_path / "list.csv"

    return write


def table(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_the_report_and_the_table_say_who_is_missing_and_who_is_unknown(course, listed, capsys):
    assert main(["report", str(course), STEM, "--roster", str(listed(OWN))]) == 0
    said = capsys.readouterr()
    assert "2 on the roster handed in nothing" in said.out
    assert "2 not on the roster (first mallory_13)" in said.err
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "<bdi>Mallory_13</bdi>; <bdi>nobody_14</bdi>" in page
    assert "<bdi>mallory_13</bdi>; <bdi>noetheremmy_12</bdi>" in page
    header, *rows = table(course / "reports" / f"{STEM}.csv")
    assert [row[0] for row in rows if row[1] == "missing"] == ["Mallory_13", "nobody_14"]
    assert {len(row) for row in rows} == {len(header)}
    assert not list((course / "reports").glob("*canvas*"))


def test_who_only_lies_in_submitted_is_not_missing_from_an_export(course, listed, tmp_path, capsys):
    hand_in(course, "nobody_14")
    export = tmp_path / "export.zip"
    with zipfile.ZipFile(export, "w") as file:
        file.writestr("noetheremmy_12_345_assignment.ipynb", nbformat.writes(answered()))
    options = ["--from", str(export), "--roster", str(listed(OWN)), "--dry-run"]
    assert main(["grade", str(course), STEM, *options]) == 0
    assert "\nhanded in nothing: Mallory_13\n" in capsys.readouterr().out


def test_the_report_and_the_table_have_the_names_of_the_list(course, listed):
    assert main(["report", str(course), STEM, "--roster", str(listed(CANVAS))]) == 0
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert (
        "<bdi>Lovelace, Ada (lovelaceada_11)</bdi></a>" in page and "<bdi>mallory_13</bdi>" in page
    )
    assert main(["report", str(course), STEM, "--roster", str(listed(NAMED))]) == 0
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert (
        "<bdi>Ada Lovelace (lovelaceada_11)</bdi></a>" in page and "<bdi>mallory_13</bdi>" in page
    )
    assert "<bdi>Grace Hopper (hopper_15)</bdi>" in page  # who handed in nothing
    header, *rows = table(course / "reports" / f"{STEM}.csv")
    assert header[:3] == ["student", "name", "status"] and {len(row) for row in rows} == {
        len(header)
    }
    assert [row[:2] for row in rows] == [
        ["lovelaceada_11", "Ada Lovelace"],
        ["mallory_13", ""],
        ["noetheremmy_12", ""],
        ["Grace Hopper (hopper_15)", "Grace Hopper (hopper_15)"],
    ]


@pytest.mark.parametrize("points", ["100", "20,5"])
def test_a_maximum_of_canvas_that_is_not_ours_is_one_line(course, listed, capsys, points):
    listed_points = CANVAS.replace(",,,,,5,20,", f',,,,,5,"{points}",')
    assert main(["report", str(course), STEM, "--roster", str(listed(listed_points))]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"in Canvas {STEM} (77) has {points} points, but {STEM} has 20; set 20 in Canvas" in line


@pytest.mark.parametrize("column", [f"{STEM} (77)", "Week 1 (77)"])
def test_a_new_assignment_of_canvas_is_announced(course, listed, capsys, column):
    roster = listed(CANVAS.replace(f"{STEM} (77)", column))
    assert main(["report", str(course), STEM, "--roster", str(roster)]) == 0
    note = f"-canvas.csv ({STEM} is not in the list, so Canvas will make it a new assignment)"
    assert (note in capsys.readouterr().out) == (column == "Week 1 (77)")


def test_the_list_of_another_assignment_is_stopped_and_nothing_has_changed(course, listed, capsys):
    assert main(["report", str(course), STEM, "--roster", str(listed(MOODLE))]) == 0
    before = {path: path.read_bytes() for path in course.rglob("*.*") if path.is_file()}
    capsys.readouterr()
    # Moodle numbers its participants anew for every assignment.
    roster = str(listed(MOODLE.replace("Participant ", "Participant 9")))
    objection = "none of the 3 who handed in is on the roster"
    assert main(["grade", str(course), STEM, "--roster", roster, "--dry-run"]) == 1
    assert objection in capsys.readouterr().out
    for command in (["grade"], ["report"]):
        assert main([*command, str(course), STEM, "--roster", roster]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert objection in line and "nothing was" in line
    after = {path: path.read_bytes() for path in course.rglob("*.*") if path.is_file()}
    assert after == before
    assert main(["grade", str(course), STEM, "--roster", roster, "--anyway"]) == 0


def test_canvas_gets_the_marks_that_stand_with_its_own_numbers(course, listed):
    assert main(["report", str(course), STEM, "--roster", str(listed(CANVAS))]) == 0
    points, full = f"{EXERCISE.points:g}", "20"
    assert table(course / "reports" / f"{STEM}-canvas.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{STEM} (77)"],
        ["Points Possible", "", "", "", "", full],
        ["Lovelace, Ada", "11", "s-ada", "ada", "One", points],
    ]
    # Emmy's marks wait for a person; mallory_13 is no number of Canvas's.
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "<bdi>Curie, Marie</bdi>" in page and "<bdi>mallory_13</bdi>" in page


def test_a_table_of_an_earlier_run_is_named(course, listed, capsys):
    assert main(["report", str(course), STEM, "--roster", str(listed(CANVAS))]) == 0
    assert "an earlier run" not in capsys.readouterr().err
    assert main(["report", str(course), STEM]) == 0
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert f"{STEM}-canvas.csv is from an earlier run; give --roster" in line


def test_moodle_gets_its_worksheet_back(course, listed):
    assert main(["report", str(course), STEM, "--roster", str(listed(MOODLE))]) == 0
    header, ada = table(course / "reports" / f"{STEM}-moodle.csv")
    assert dict(zip(header, ada, strict=True)) == {
        "Identifier": "Participant 11",
        "Full name": "Ada Lovelace",
        "Email address": "ada@example.org",
        "Status": "Submitted for grading",
        "Grade": f"{EXERCISE.points:g}",
        "Maximum Grade": "20.00",
        "Last modified (grade)": "-",
    }


def in_german(text):
    """Turn Moodle's worksheet into what a German Moodle and a German Excel make of it."""
    words = {
        "Identifier": "ID",
        "Full name": "Vollständiger Name",
        ",Grade,": ",Bewertung,",
        "Maximum Grade": "Bestwertung",
        "Participant ": "Teilnehmer/in",
        "Last modified (grade)": "Zuletzt geändert (Abgabe)",
    }
    for english, german in words.items():
        text = text.replace(english, german)
    text = text.replace(",-", ',"Freitag, 20. November 2026, 14:05"', 1)
    rows = csv.reader(io.StringIO(text.replace("20.00", '"20,00"')))
    table = io.StringIO()
    csv.writer(table, delimiter=";").writerows(rows)
    return table.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_german_moodle_gets_its_worksheet_back(course, tmp_path, encoding):
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "list.csv").write_bytes(f"{mark}{in_german(MOODLE)}".encode(encoding))
    roster = read_roster(tmp_path / "list.csv")
    assert roster.submission_time("lovelaceada_11") == "2026-11-20T14:05:00"
    assert roster.submission_time("noetheremmy_12") == ""
    assert main(["report", str(course), STEM, "--roster", str(tmp_path / "list.csv")]) == 0
    text = (course / "reports" / f"{STEM}-moodle.csv").read_text(encoding="utf-8-sig")
    header, ada = csv.reader(text.splitlines(), delimiter=";")
    grades = dict(zip(header, ada, strict=True))
    assert grades["ID"] == "Teilnehmer/in11"
    assert (grades["Bewertung"], grades["Bestwertung"]) == (f"{EXERCISE.points:g}", "20,00")


def test_marks_have_the_decimal_mark_of_the_list(course, listed):
    in_semicolons = "\n".join(line.replace(",", ";") for line in CANVAS.splitlines())
    in_semicolons = in_semicolons.replace('"Lovelace; Ada"', '"Lovelace, Ada"')
    with contextlib.closing(Journal(course, STEM)) as journal:
        late = replace(journal.latest()["lovelaceada_11"], penalty=0.25)
    points = f"{EXERCISE.points - 0.25:g}"
    in_commas = f"Lovelace, Ada;11;s-ada;ada;One;{points.replace('.', ',')}"
    for text, row in (
        (CANVAS, f'"Lovelace, Ada",11,s-ada,ada,One,{points}'),
        (CANVAS.replace("m1,One", 'm1,"1,2"'), f'"Lovelace, Ada",11,s-ada,ada,One,{points}'),
        (in_semicolons.replace(";5;20;", ";5,0;20,0;"), in_commas),
        (in_semicolons.replace(";5;20;", ";5,0 ;20,0 ;"), in_commas),
    ):
        assert row in platform_csv([late], read_roster(listed(text)), STEM, 20).splitlines()


def test_a_number_is_written_with_all_its_digits(listed):
    assert read_roster(listed(CANVAS)).number(119.875) == "119.875"


def test_only_canvas_s_own_row_of_points_and_only_where_it_has_some_is_compared(listed):
    for text in (CANVAS.replace(",5,20,", ",5,,"), CANVAS + "Points Lost,,,,,5,7,\n"):
        roster = read_roster(listed(text))
        roster.platform.check_points(roster, 20, STEM)
    roster = read_roster(listed(CANVAS.replace(f"{STEM} (77)", f"{STEM.upper()} (77)")))
    assert roster.platform.import_note(roster, STEM) == ""


def test_who_somebody_is_in_all_assignments_stands_in_the_first_column_that_says_it(listed):
    text = MOODLE.replace('"Email address"', '"ID number","Email address"')
    for number, person in (("", "ada@example.org"), (" ", "ada@example.org"), ("s1", "s1")):
        rows = text.replace(",ada@", f",{number},ada@").replace(",emmy@", ",,emmy@")
        assert read_roster(listed(rows)).person_in_course("ada_11") == person


def test_a_time_that_is_blank_is_none(listed):
    text = MOODLE.replace("(grade)", "(submission)").replace(",-", ", ")
    assert read_roster(listed(text)).submission_time("ada_11") == ""


def test_a_row_of_moodle_without_a_number_is_nobody(listed):
    assert list(read_roster(listed(f"{MOODLE}Mean,,,,,,\n")).people) == ["11", "12"]


def test_people_with_one_name_are_told_apart(course, listed, capsys):
    twins = CANVAS + '"Curie, Marie",22,,m2,One,,,\n'
    assert main(["grade", str(course), STEM, "--dry-run", "--roster", str(listed(twins))]) == 0
    said = capsys.readouterr().out
    assert "handed in nothing: Curie, Marie (21); Curie, Marie (22)\n" in said


def test_a_dry_run_says_what_would_be_graded_and_grades_nothing(course, listed, capsys):
    hand_in(course, "mallory_13", answered("changed = 1"))
    (course / "submitted" / "zoe" / STEM).mkdir(parents=True)
    before = {path: path.read_bytes() for path in course.glob("[!.]*/**/*.*")}
    roster = str(listed(OWN))
    assert main(["grade", str(course), STEM, "--dry-run", "--roster", roster]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 to grade, 2 unchanged, 1 that cannot be read",
        "to grade: mallory_13",
        "not on the roster: mallory_13; noetheremmy_12; zoe",
        "handed in nothing: Mallory_13; nobody_14",
        "cannot be read: zoe: no notebook was handed in (nothing at all); one assignment.ipynb is "
        "expected",
    ]
    assert {path: path.read_bytes() for path in course.glob("[!.]*/**/*.*")} == before


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "no column that says who"),
        ("name,mark\nAda,3\n", "expected id or student or username or student_id"),
        ("id\n", "lists no student"),
        ("id,name\nada,A\n\nbob,B\nada,C\n", "line 5: ada is already in line 2"),
        ("id,name\nada\n", "line 2: the row has 1 of 2 cells"),
        # A cell in quotation marks may itself have several lines.
        ('id,note\nada,"a\n\nb"\nbob,"c\nd"\nada,\n', "line 7: ada is already in line 2"),
        ('id,"the\r\nnote"\r\nada,"a\r\nb"\r\nbob\r\n', "line 5: the row has 1 of 2"),
        ('id,name\n"ada,A\n', "not a CSV"),
        (MOODLE.replace("20.00", "100.00"), "set 20 in Moodle"),
        (MOODLE.replace("20.00", "-"), "set 20 in Moodle"),
        (MOODLE.replace(",Grade,", ",Mark,"), "no column Grade"),
        (
            'Identifiant,"Nom complet",Statut,Note,"Note maximale"\n"Participant 11",Ada,,,20.00\n',
            "Moodle's grading worksheet in English or German; if it is one of these, set",
        ),
        ("id,name\nada,A\n,Turing\nalan,C\n", "line 3: id is empty"),
    ],
)
def test_a_list_that_cannot_be_understood_is_one_line(course, listed, capsys, text, words):
    assert main(["report", str(course), STEM, "--roster", str(listed(text))]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words in said


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\nid;name\r\nada;A, B, C\r\nemmy;E\r\n",
        "SEP=\t\nid\tname\nada\tA, B, C; D\nemmy\tE\n",
        "\ufeffsep=|\nid|name\nada|A, B; C\nemmy|E\n",
    ],
)
def test_excels_line_with_the_separator_is_no_part_of_the_list(listed, text):
    roster = read_roster(listed(text))
    assert roster.header == ("id", "name") and list(roster.people) == ["ada", "emmy"]
    with pytest.raises(CourseError, match=r"line 5: ada is already in line 3;"):
        read_roster(listed(text + text.splitlines()[2]))


def test_a_list_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(CourseError, match="no such file"):
        read_roster(tmp_path / "list.csv")
    (tmp_path / "list.csv").write_bytes(b"id\n\xff\xfe\n")
    with pytest.raises(CourseError, match="not a CSV in UTF-8"):
        read_roster(tmp_path / "list.csv")


def test_a_list_of_ones_own_may_be_headed_as_canvas_begins(listed):
    roster = read_roster(listed("Student,ID\nAda Lovelace,ws24_017\n"))
    assert roster.platform.name == "" and roster.unknown({"ws24_017": None}) == []


def test_canvas_s_own_test_student_is_not_missing(listed):
    roster = read_roster(listed(CANVAS))
    assert roster.missing({}) == ["Curie, Marie", "Lovelace, Ada", "Noether, Emmy"]
    assert roster.unknown({"studenttest_99": None}) == []


@pytest.mark.parametrize("text", [OWN, CANVAS])
def test_an_anonymous_export_cannot_be_compared_with_a_list(course, listed, tmp_path, capsys, text):
    (tmp_path / "export").mkdir()
    for name in ("anon_x7Qf2_501_assignment.ipynb", "anon_11_502_assignment.ipynb"):
        nbformat.write(answered(), tmp_path / "export" / name)
    options = ["--from", str(tmp_path / "export"), "--roster", str(listed(text))]
    for command in (["grade"], ["grade", "--dry-run"]):
        assert main([*command, str(course), STEM, *options]) == 1
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and "exported anonymously, as anon_11," in said
        assert "leave out --roster" in said


def test_an_anonymous_export_of_which_the_list_knows_somebody_can_be_compared(listed):
    require_names(read_roster(listed(CANVAS)), ["anon_x7Qf2", "lovelaceada_11"])
    require_names(read_roster(listed("id\nanon_x7Qf2\n")), ["anon_x7Qf2"])


def test_digits_of_an_anonymous_export_are_nobodys_number(listed):
    roster = read_roster(listed(CANVAS))
    assert roster.person("lovelaceada_11").name == "Lovelace, Ada"
    assert roster.person("anon_11") is None
    # What came from elsewhere may end in any number.
    assert roster.person("lovelaceada_11", Origin("Canvas")).name == "Lovelace, Ada"
    assert roster.person("lovelaceada_11", Origin("Moodle")) is None
    # A time beside it says nothing of who it is: then the name has to be the same as well.
    assert roster.person("lovelaceada_11", Origin("nbgrader")).name == "Lovelace, Ada"
    assert roster.person("anna_11", Origin("nbgrader")) is None
    # A folder may have the number alone.
    for text in (CANVAS, MOODLE):
        roster = read_roster(listed(text))
        assert roster.person("11", Origin("nbgrader")) == roster.person("11") is not None


def test_a_list_of_ones_own_knows_folders_whose_name_could_not_be_kept(listed):
    roster = read_roster(listed("username\nJohn Smith Jr.\no:neil\nm\u00fcller\n"))
    folders = ("John Smith Jr.", "o:neil", "mu\u0308ller")
    students = {student_name(folder): None for folder in folders}
    assert roster.unknown(students) == roster.missing(students) == []
    assert roster.person("mu\u0308ller", Origin("Canvas")).name == "m\u00fcller"
