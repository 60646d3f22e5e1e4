"""The commands that grade: grade, grade-one, explain, report, forget, demo."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.course.chapters import chapter_stems
from autograder.course_error import CourseError
from autograder.results import Flag, Outcome
from coursekit.languages import ENGLISH, LOCALES

if TYPE_CHECKING:
    from autograder.grading.course import Options
    from autograder.grading.run import Run

# Of the folders in a course folder those that are nbgrader's, or the autograder's.
COURSE_FOLDERS = ("source", "release", "submitted", "autograded", "feedback", "reports")
COURSE = click.argument("course", help="The course folder.")
ASSIGNMENT = click.argument("assignment", help="Such as ch02_simple_rnn.")
ROSTER = click.option(
    "--roster",
    metavar="FILE.csv",
    help="The list of the class: your own with a column id, or one that a learning platform "
    "exports. Reports then say who is missing, and the marks are written for the platform to "
    "import.",
)
GRADEBOOK = click.option(
    "--gradebook", "gradebook_url", metavar="URL", help="Such as postgresql+psycopg://host/name."
)
BOOK = click.option(
    "--book",
    "book_url",
    metavar="URL",
    help="Where the book is; feedback links to it. By default the setting `book` of the course.",
)
LANGUAGE = click.option(
    "--language",
    type=click.Choice([ENGLISH, *LOCALES]),
    help="The language of the feedback: en or zh. By default the course's setting `language`, or "
    "en if that is not set.",
)
NO_SANDBOX = click.option(
    "--no-sandbox",
    is_flag=True,
    help="Run every submission with your own rights: only if you trust them all.",
)


@click.command(short_help="Grade the submissions of an assignment.")
@COURSE
@ASSIGNMENT
@click.option(
    "--student", "students", multiple=True, metavar="NAME", help="Only this one; may be repeated."
)
@click.option(
    "--from",
    "exported",
    metavar="PATH",
    help="A folder or zip of submissions as a learning platform exports them.",
)
@ROSTER
@click.option("--dry-run", is_flag=True, help="Only print what would be graded; grade nothing.")
@click.option("--regrade", is_flag=True, help="Grade unchanged submissions, too.")
@click.option(
    "--allow-older",
    is_flag=True,
    help="Also grade a submission that is older than the last one handed in.",
)
@click.option(
    "--anyway",
    is_flag=True,
    help="Grade even if most notebooks of an export belong to another assignment, or nobody is on "
    "the roster.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many kernels run at once. By default one for each core that this command may use.",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="Work on a dask cluster, such as tcp://host:8786."
)
@GRADEBOOK
@BOOK
@LANGUAGE
@NO_SANDBOX
def grade(
    course: str,
    assignment: str,
    students: tuple[str, ...],
    dry_run: bool,
    no_sandbox: bool,
    **given: Any,
) -> int:
    """Grade an assignment: marks go into the gradebook, executed notebooks into autograded/, pages
    for the students into feedback/, and a report for you into reports/.

    A submission that has not changed since it was graded is left as it is.
    """
    from autograder.cli.progress import Bar
    from autograder.grading.course import Options
    from autograder.grading.run import grade_course

    _refuse_swapped(course, assignment)
    if given["exported"] is not None:
        _refuse_course_folder(given["exported"], course)
    if given["scheduler"] and given["workers"]:
        raise CourseError(
            "--workers is the number of kernels on this machine and cannot be used with "
            "--scheduler; leave it out"
        )
    options = Options(students=students or None, sandboxed=not no_sandbox, **given)
    if dry_run:
        return _preview(course, assignment, options)
    with Bar() as bar:
        run = grade_course(course, assignment, options, bar)
    return print_summary(run)


def _refuse_swapped(course: str, assignment: str) -> None:
    """Raise `CourseError` when the two were given in the wrong order: with the command as meant."""
    is_assignment = course in chapter_stems() or Path(assignment, "source", course).is_dir()
    if is_assignment and assignment not in chapter_stems() and not Path(course).is_dir():
        command = click.get_current_context().command_path
        raise CourseError(
            f"there is no course folder {course}; did you mean "
            f"`{command} {shlex.join([assignment, course])}`?"
        )


def _refuse_course_folder(exported: str, course: str) -> None:
    """Raise `CourseError` when submissions are to be taken from the course folder itself.

    Its own folders would count as students. What a platform exported may lie beside them.
    """
    source, home = Path(exported).resolve(), Path(course).resolve()
    if not source.is_dir():  # a zip
        return
    if source == home:
        what = "is the course folder"
    elif source in home.parents:
        what = "contains the course folder"
    elif any(source.is_relative_to(home / name) for name in COURSE_FOLDERS):
        what = "belongs to the course folder"
    else:
        return
    raise CourseError(
        f"{exported} {what} and is not a platform's export: submissions in "
        f"{Path(course, 'submitted')} are graded without --from"
    )


def _preview(course: str, assignment: str, options: Options) -> int:
    from autograder.cli.progress import outdated_words
    from autograder.grading.plan import preview_course

    plan = preview_course(course, assignment, options)
    unreadable = plan.rejected | plan.unreadable
    to_grade = [student for student in plan.to_grade if student not in unreadable]
    unread = f", {len(unreadable)} that cannot be read" if unreadable else ""
    if plan.objection:
        click.echo(f"this run will not start without --anyway: {plan.objection}")
    click.echo(f"{len(to_grade)} to grade, {len(plan.unchanged)} unchanged{unread}")
    if plan.outdated:
        click.echo(outdated_words(len(plan.outdated)))
    for title, names in (
        ("to grade", to_grade),
        ("graded by an interrupted run, still to be stored", plan.only_stored),
        ("older than what was handed in last", plan.attendance.older),
        ("not on the roster", plan.attendance.unknown),
        ("handed in nothing", plan.attendance.missing),
        ("in submitted/, but in no folder of an assignment", plan.attendance.misplaced),
    ):
        if names:
            click.echo(f"{title}: {'; '.join(names)}")
    for student, reason in sorted(unreadable.items()):
        click.echo(f"cannot be read: {student}: {reason}")
    return 1 if plan.objection else 0


@click.command(short_help="Grade one submission and write Gradescope's results.json.")
@COURSE
@ASSIGNMENT
@click.argument("submission", help="A notebook, or the folder with what was submitted.")
@click.option("--results", metavar="FILE", required=True, help="The results.json to write.")
@NO_SANDBOX
def grade_one(
    course: str, assignment: str, submission: str, results: str, no_sandbox: bool
) -> None:
    """Grade one submission, outside any class, and write the result as Gradescope reads it. Nothing
    in the course folder is changed, except that errors of the autograder's own are logged there.
    """
    from autograder.cli.progress import writing
    from autograder.files import replace_file
    from autograder.grading import single_submission
    from autograder.platforms.gradescope import gradescope_json

    _refuse_swapped(course, assignment)
    result = single_submission.grade_one(course, assignment, submission, sandboxed=not no_sandbox)
    with writing():
        replace_file(results, gradescope_json(result))
    click.echo(f"{result.status}: {result.total:g} of {result.max_points:g} points")
    for line in (result.reason, *result.flags):
        if line:
            click.echo(line)


@click.command(short_help="Show why answers failed, with the values of hidden checks.")
@COURSE
@ASSIGNMENT
@click.argument("student", help="The name, as in the class report.")
@NO_SANDBOX
def explain(course: str, assignment: str, student: str, no_sandbox: bool) -> None:
    """Grade a student's submission once more, and print why each answer failed, with what
    the hidden checks passed to it, what came back and what was expected. Nothing is stored. Do not
    pass the output on: it shows hidden inputs. If the class was graded with --no-sandbox, say so
    here, too; otherwise the hidden checks draw other inputs.
    """
    from autograder.grading import single_submission
    from coursekit.checks.failure import diagnosis

    _refuse_swapped(course, assignment)
    result = single_submission.explain(course, assignment, student, sandboxed=not no_sandbox)
    click.echo(f"{student}: {result.points:g} of {result.max_points:g} points")
    for line in (result.reason, *result.flags):
        if line:
            click.echo(line)
    for number, exercise in enumerate(result.exercises, start=1):
        if exercise.outcome is Outcome.PASSED or not exercise.headline:  # right, or not run
            continue
        which = "a hidden check" if exercise.hidden else "the check that students have"
        click.echo(f"\n{number}. {exercise.title}, by {which}:\n{exercise.headline}")
        # How a student calls it again in a notebook is of no use here.
        detail, _, _ = exercise.detail.partition("  to call it again")
        for line in (detail.rstrip(), diagnosis(exercise.mistake)):
            if line:
                click.echo(line)


@click.command(short_help="Write reports and feedback again, with what you marked by hand.")
@COURSE
@ASSIGNMENT
@ROSTER
@GRADEBOOK
@BOOK
@LANGUAGE
def report(course: str, assignment: str, **given: Any) -> int:
    """Write reports/ and feedback/ again, with the marks and comments that you gave by hand in
    nbgrader's formgrader. Nothing is graded again.
    """
    from autograder.grading.course import Options
    from autograder.grading.report import report_course

    _refuse_swapped(course, assignment)
    return print_summary(report_course(course, assignment, Options(**given)))


@click.command(short_help="Remove a student from a course folder.")
@COURSE
@click.argument("student", help="The name, as in the class report.")
@GRADEBOOK
@BOOK
@LANGUAGE
def forget(course: str, student: str, **given: Any) -> None:
    """Remove one student: submissions, marks, executed notebooks,
    feedback, and the journal's results of every assignment.

    The reports are written again. This cannot be undone; copies outside the course folder stay.
    If the student has other names in other assignments, run the command once for each name.
    """
    from autograder.grading.forget import forget_student, other_names

    others = other_names(course, student)
    removed = forget_student(course, student, **given)
    click.echo(f"removed for {student}: {', '.join(removed)}")
    if others:
        click.echo(
            f"the same person seems to be stored in other assignments as {', '.join(others)}; "
            "nothing was removed there, so if this is right, forget each of these names, too"
        )


@click.command(short_help="Grade a small made-up class and compare the marks with the truth.")
@click.argument(
    "folder", default="_build/demo", metavar="[DIR]", help="Where; by default _build/demo."
)
def demo(folder: str) -> int:
    """Make a class of 30 from the bank of variants, add six hostile submissions, grade it and
    compare every mark with what it must be.
    """
    from autograder import demo
    from autograder.cli.progress import Bar

    with Bar() as bar:
        run, differences = demo.demo(folder, bar)
    code = print_summary(run)
    for line in differences:
        click.echo(line)
    click.echo(
        f"{len(run.results)} marks compared with the truth: "
        + (f"{len(differences)} differ" if differences else "all agree")
    )
    return 1 if differences else code


def print_summary(run: Run) -> int:
    """Print what a run did in a few lines; return the exit code."""
    for line in _summary(run):
        click.echo(line)
    for line in _warnings(run):
        click.echo(f"autograder: {line}", err=True)
    # A submission that waits for a person has its status; the others have their marks.
    reports = run.reports
    return 1 if reports.gradebook_error or reports.unstored or reports.not_written else 0


def _summary(run: Run) -> Iterator[str]:
    """Yield what a run did and where it is written."""
    from autograder.reports.class_report import due_words

    facts, reports = run.facts, run.reports
    counts = Counter(str(result.status) for result in run.results)
    statuses = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    if facts.seconds:
        done = f"{run.graded} graded in {facts.seconds:.0f} s, {run.unchanged} unchanged; now "
    else:  # `report` grades nothing
        done = f"{len(run.results)} submitted: "
    yield done + statuses
    if changes := reports.changes:
        differ = "mark differs" if len(changes) == 1 else "marks differ"
        yield f"{len(changes)} {differ} from the last report; the new report says why"
    if reports.due:
        late = sum(result.seconds_late > 0 for result in run.results)
        yield f"due {due_words(reports.due)}; {late or 'none'} handed in later"
    yield f"report: {run.report}"
    if reports.platform_marks:
        note = f" ({reports.import_note})" if reports.import_note else ""
        yield f"marks to import: {reports.platform_marks}{note}"
    for path in reports.platform_feedback:
        yield f"feedback to upload: {path}"
    if missing := facts.attendance.missing:
        yield f"{len(missing)} on the roster handed in nothing; the report names them"


def _warnings(run: Run) -> Iterator[str]:
    """Yield what an instructor should look into, or do again."""
    there, reports = run.facts.attendance, run.reports
    if there.misplaced:
        yield (
            "notebooks not graded because they are in no assignment's folder: "
            f"{len(there.misplaced)} (first {there.misplaced[0]}); a notebook belongs in "
            "submitted/STUDENT/ASSIGNMENT/"
        )
    for path in reports.earlier_marks:
        yield f"{path} is from an earlier run; give --roster to write it again"
    if there.older:
        yield (
            f"submissions older than what was handed in last: {len(there.older)} "
            f"(first {there.older[0]}); --allow-older grades them anyway"
        )
    if there.unknown:
        yield (
            f"{len(there.unknown)} not on the roster (first {there.unknown[0]}); "
            "the report names them"
        )
    if unread := [result.student for result in run.results if Flag.TIME_UNREAD in result.flags]:
        yield (
            f"not counted as late because the time of submission cannot be read: {len(unread)} "
            f"(first {unread[0]}); the report names them"
        )
    for students, problem in (
        (run.failed, "could not be graded because of an internal error"),
        (reports.unstored, "have a result that could not be stored"),
    ):
        if students:
            student, reason = next(iter(students.items()))
            yield (
                f"{len(students)} {problem} (first {student}: {reason}); "
                f"run it again to retry them, see {run.log}"
            )
    if reports.gradebook_error:
        yield (
            f"the gradebook could not be written ({reports.gradebook_error}); the marks are in the "
            "journal, but no table of marks and nothing for a learning platform was written; run "
            "it again when the gradebook is back"
        )
    for path, problem in reports.not_written.items():
        yield f"{path} was not written: {problem}"
