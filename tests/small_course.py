"""A small course, graded once for a test file: who hands in what, and what comes of it."""

import csv

from nbgrader.api import Gradebook

from autograder.building import made_up_submissions
from autograder.building.made_up_submissions import reference_answers, submission_notebook
from autograder.building.stock_nbgrader import create_assignment
from autograder.course.chapters import load_chapter
from autograder.grading.run import grade_course
from autograder.reports.feedback import feedback_html

STEM = "ch01_rnn_basics"
EXERCISE = load_chapter(STEM).exercises[1]
ANSWER = reference_answers(STEM)[EXERCISE.id]


def answered(answer=ANSWER):
    """Return a submission with an answer, by default a right one, to `EXERCISE` alone."""
    return submission_notebook(STEM, {EXERCISE.id: answer})


def hand_in(course, student, notebook=None, time=None):
    """Hand in a notebook, by default the right answer; ``time`` is the exchange's timestamp."""
    path = made_up_submissions.hand_in(course, student, STEM, notebook or answered())
    if time:
        path.with_name("timestamp.txt").write_text(f"{time}\n", encoding="utf-8")
    return path


def graded_course(folder, notebooks, times=None):
    """Make a course, hand in a notebook for each student (None: the right answer), grade it."""
    course = folder / "course"
    create_assignment(course, STEM)
    for student, notebook in notebooks.items():
        hand_in(course, student, notebook, (times or {}).get(student))
    grade_course(course, STEM)
    return course


def configure(course, *lines, **settings):
    """Write a course folder's nbgrader_config.py: lines of it, and settings of the autograder."""
    own = [f"c.Autograder.{name} = {value!r}" for name, value in settings.items()]
    text = "\n".join(["c = get_config()", *lines, *own, ""])
    (course / "nbgrader_config.py").write_text(text, encoding="utf-8")


def report_rows(course, stem=STEM):
    """Return the rows of the table beside the class report, by student."""
    with open(course / "reports" / f"{stem}.csv", encoding="utf-8-sig") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def feedback_page(result, book_url=None):
    """Return a student's page for a chapter."""
    return feedback_html(result, book_url, load_chapter(result.assignment))


def totals(course):
    """Return the points that the table beside the class report gives to each student."""
    return {student: float(row["total"]) for student, row in report_rows(course).items()}


def set_due(course, time):
    """Set when the assignment is due, as an instructor does in formgrader."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        gradebook.update_or_create_assignment(STEM, duedate=time)


def mark_by_hand(course, student, mark, comment=None):
    """Enter a mark, and a comment, for `EXERCISE` as an instructor does in formgrader."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        grade = gradebook.find_grade(EXERCISE.check_id, "assignment", STEM, student)
        grade.manual_score, grade.needs_manual_grade = mark, False
        if comment is not None:
            entry = gradebook.find_comment(EXERCISE.id, "assignment", STEM, student)
            entry.manual_comment = comment
        gradebook.db.commit()
