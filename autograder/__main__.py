"""The instructors' command line; `autograder --help` shows it."""

import argparse
import contextlib
import signal
import sys

from autograder.course.chapters import CourseError, chapter_stems, load_chapter

INTERRUPTED = 130


def main(arguments=None):
    """Run one command; a problem a person can solve ends it with one line and exit code 1."""
    options = _parser().parse_args(arguments)
    try:
        with _Interruption():
            return options.run(options) or 0
    except CourseError as error:
        print(f"autograder: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "autograder: interrupted; what was done is kept, run it again to resume",
            file=sys.stderr,
        )
        return INTERRUPTED


class _Interruption:
    """Remembers Ctrl-C: Python drops the exception when it meets a destructor or a callback.

    SIGTERM, by which a batch system ends a job, is an interruption too.
    """

    came = False

    def __enter__(self):
        _Interruption.came = False
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._unraisable
        # Who starts a run in the background may have had Ctrl-C ignored.
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        numbers = [signal.SIGTERM] if ignored else [signal.SIGTERM, signal.SIGINT]
        self._handlers = {number: signal.signal(number, self._interrupt) for number in numbers}

    def __exit__(self, *error):
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = self._hook

    def _interrupt(self, number, frame):
        _Interruption.came = True
        raise KeyboardInterrupt

    def _unraisable(self, dropped):
        if dropped.exc_type is not KeyboardInterrupt:
            self._hook(dropped)


def _parser():
    parser = argparse.ArgumentParser(
        prog="autograder",
        description="Release the course's assignments and grade what comes back.",
        epilog="A course folder is laid out as nbgrader's: source/, release/, submitted/, "
        "autograded/, feedback/ and gradebook.db; nbgrader's own commands read all of it.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    release = commands.add_parser(
        "release",
        help="build the students' notebooks from book/ and solutions/",
        description="Build notebooks/ from book/ and solutions/, of all chapters or of some. "
        "With --course, also put the assignments into a course folder, ready to be graded.",
    )
    release.add_argument("chapters", nargs="*", metavar="CHAPTER", help="such as ch02_simple_rnn")
    release.add_argument("--course", metavar="DIR", help="the course folder; made if missing")
    release.add_argument(
        "--check", action="store_true", help="write nothing; say which notebooks are out of step"
    )
    release.add_argument("--gradebook", metavar="URL", help="of a course not kept in SQLite")
    release.set_defaults(run=_release)

    new = commands.add_parser(
        "new",
        help="begin a chapter: lesson, solution, variants, checks, hidden checks, test",
        description="Write the six files of a new chapter, with an example exercise that runs, and "
        "enter it in _toc.yml. Nothing that is there is changed.",
    )
    new.add_argument("chapter", metavar="CHAPTER", help="its stem, such as ch12_my_topic")
    new.set_defaults(run=_new)

    variant = commands.add_parser(
        "variant",
        help="print a wrong or right answer of the bank in full",
        description="Print the answers of the bank that make one mistake, or a right answer, in "
        "full: as a student would type them.",
    )
    variant.add_argument("chapter", metavar="CHAPTER", help="such as ch02_simple_rnn")
    variant.add_argument("exercise", metavar="EXERCISE", help="such as simple_rnn")
    variant.add_argument("name", metavar="NAME", help="of the mistake or of the right answer")
    variant.set_defaults(run=_variant)

    bundle = commands.add_parser(
        "bundle",
        help="pack what students get: notebooks and coursekit, no solution, no hidden check",
        description="Write a zip with the notebooks of all chapters or of some, coursekit and "
        "the list of packages: all that a student needs, and no answer.",
    )
    bundle.add_argument("file", metavar="FILE.zip", help="the archive to write")
    bundle.add_argument("chapters", nargs="*", metavar="CHAPTER", help="such as ch02_simple_rnn")
    bundle.set_defaults(run=_bundle)

    grade = commands.add_parser(
        "grade",
        help="grade the submissions of an assignment",
        description="Grade an assignment: marks into the gradebook, executed notebooks into "
        "autograded/, pages for the students into feedback/, a report for you into reports/. "
        "A submission that has not changed since it was graded is left as it is.",
    )
    _add_course(grade)
    _add_assignment(grade)
    grade.add_argument(
        "--student", action="append", metavar="NAME", help="only this one; may be repeated"
    )
    grade.add_argument(
        "--from",
        dest="exported",
        metavar="PATH",
        help="a folder or zip of submissions as a learning platform exports them",
    )
    _add_roster(grade)
    grade.add_argument(
        "--dry-run", action="store_true", help="only say what would be graded, and grade nothing"
    )
    grade.add_argument("--regrade", action="store_true", help="grade unchanged submissions too")
    grade.add_argument(
        "--allow-older",
        action="store_true",
        help="grade a submission that is older than the one whose mark stands, too",
    )
    grade.add_argument("--workers", type=_count, metavar="N", help="kernels at once (cores)")
    grade.add_argument(
        "--scheduler", metavar="ADDRESS", help="work on a dask cluster, such as tcp://host:8786"
    )
    _add_addresses(grade)
    _add_no_sandbox(grade)
    grade.set_defaults(run=_grade)

    one = commands.add_parser(
        "grade-one",
        help="grade one submission and write Gradescope's results.json",
        description="Grade one submission, outside any class, and write the result as Gradescope "
        "reads it. The course folder is only read.",
    )
    _add_course(one)
    _add_assignment(one)
    one.add_argument(
        "submission", metavar="SUBMISSION", help="a notebook, or the folder with what was handed in"
    )
    one.add_argument("--results", metavar="FILE", required=True, help="the results.json to write")
    _add_no_sandbox(one)
    one.set_defaults(run=_grade_one)

    report = commands.add_parser(
        "report",
        help="write reports and feedback anew, with what you marked by hand",
        description="Write reports/ and feedback/ anew, with the marks and comments that you gave "
        "by hand in nbgrader's formgrader. Nothing is graded again.",
    )
    _add_course(report)
    _add_assignment(report)
    _add_roster(report)
    _add_addresses(report)
    report.set_defaults(run=_report)

    forget = commands.add_parser(
        "forget",
        help="remove a student from a course folder",
        description="Remove one student: submissions, marks, executed notebooks, feedback, and "
        "the journal's results of every assignment. The reports are written again. This cannot be "
        "undone; copies outside the course folder stay.",
    )
    _add_course(forget)
    forget.add_argument("student", metavar="STUDENT", help="as named in the class report")
    _add_addresses(forget)
    forget.set_defaults(run=_forget)

    demo = commands.add_parser(
        "demo",
        help="grade a small made-up class and compare the marks with the truth",
        description="Make a class of 30 from the bank of variants, add six hostile submissions, "
        "grade it and compare every mark with what it must be.",
    )
    demo.add_argument("folder", metavar="DIR", nargs="?", default="_build/demo", help="where")
    demo.set_defaults(run=_demo)
    return parser


def _add_course(command):
    command.add_argument("course", metavar="COURSE", help="the course folder")


def _add_assignment(command):
    command.add_argument("assignment", metavar="ASSIGNMENT", help="such as ch02_simple_rnn")


def _add_roster(command):
    command.add_argument(
        "--roster",
        metavar="FILE.csv",
        help="the list of the class: your own with a column id, the gradebook that Canvas exports, "
        "or Moodle's grading worksheet; reports then say who is missing, and the marks are written "
        "for the platform to import",
    )


def _add_no_sandbox(command):
    command.add_argument(
        "--no-sandbox", action="store_true", help="run every submission as yourself: trust them all"
    )


def _add_addresses(command):
    command.add_argument("--gradebook", metavar="URL", help="such as postgresql://host/name")
    command.add_argument("--book", metavar="URL", help="where the book is; feedback links to it")


def _count(text):
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a positive integer")
    return number


def _release(options):
    from autograder.building.release import create_assignment, out_of_step, release

    stems = options.chapters or chapter_stems()
    for stem in stems:
        load_chapter(stem)
    if options.check:
        lines = out_of_step(_with_progress(stems, "building the notebooks"))
        print("\n".join(lines) or "what is built is in step with its sources")
        return 1 if lines else 0
    with _writing():
        changed = release(_with_progress(stems, "building the notebooks"))
        if changed:
            print(f"{len(changed)} file{'s' * (len(changed) > 1)} written; the rest was up to date")
        else:
            print("notebooks/ is up to date")
        if options.course:
            for stem in _with_progress(stems, "making the assignments"):
                path = create_assignment(options.course, stem, options.gradebook)
                print(f"assignment {stem} is in {path.parent}")
    return 0


def _new(options):
    from autograder.building.new import new_chapter
    from autograder.course import chapters

    with _writing():
        paths = new_chapter(options.chapter)
    for path in paths:
        print(path.relative_to(chapters.ROOT))
    print(f"write the chapter there, then run `autograder release {options.chapter}`")


def _variant(options):
    from autograder.course.variants import named_variants, variant_answer

    found = named_variants(options.chapter, options.exercise, options.name)
    print("\n\n\n".join(variant_answer(options.chapter, variant) for variant in found))


@contextlib.contextmanager
def _writing():
    """Turn a full disk, or a folder that may not be written, into one line."""
    try:
        yield
    except OSError as error:
        where = str(error.filename or "a file").removesuffix(".draft")
        reason = (error.strerror or str(error)).lower()
        raise CourseError(f"{where} cannot be written: {reason}") from error


def _with_progress(stems, what):
    """Go through chapters and show on stderr, if it is a terminal, how many are done."""
    from rich.console import Console
    from rich.progress import track

    console = Console(file=sys.stderr)
    return track(stems, what, console=console, transient=True, disable=not console.is_terminal)


def _bundle(options):
    from autograder.building.bundle import bundle

    if not options.file.endswith(".zip"):  # a chapter, where the file was forgotten
        raise CourseError(f"{options.file} does not end in .zip; name the archive to write first")
    stems = options.chapters or chapter_stems()
    for stem in stems:
        load_chapter(stem)
    with _writing():
        path = bundle(options.file, _with_progress(stems, "building the notebooks"))
    print(f"{path} is ready for the students")


def _grade(options):
    from autograder.grading.run import grade_course

    if options.dry_run:
        return _preview(options)
    with Bar() as bar:
        run = grade_course(options.course, options.assignment, _grading_options(options), bar)
    return tell(run)


def _grading_options(options):
    from autograder.grading.plan import Options

    return Options(
        students=options.student,
        exported=options.exported,
        roster=options.roster,
        regrade=options.regrade,
        allow_older=options.allow_older,
        scheduler=options.scheduler,
        workers=options.workers,
        sandboxed=not options.no_sandbox,
        gradebook_url=options.gradebook,
        book_url=options.book,
    )


def _preview(options):
    from autograder.grading.plan import preview_course

    preview = preview_course(options.course, options.assignment, _grading_options(options))
    unread = f", {len(preview.rejected)} that cannot be read" if preview.rejected else ""
    print(f"{len(preview.to_grade)} to grade, {len(preview.unchanged)} unchanged{unread}")
    for what, names in (
        ("to grade", preview.to_grade),
        ("graded by an interrupted run, still to be stored", preview.only_stored),
        ("older than what was graded", preview.older),
        ("not on the roster", preview.unknown),
        ("handed in nothing", preview.missing),
    ):
        if names:
            print(f"{what}: {'; '.join(names)}")
    for student, reason in sorted(preview.rejected.items()):
        print(f"cannot be read: {student}: {reason}")
    return 0


def _grade_one(options):
    from autograder.files import replace_file
    from autograder.grading.one import grade_one
    from autograder.platforms.gradescope import gradescope_json

    result = grade_one(
        options.course,
        options.assignment,
        options.submission,
        sandboxed=not options.no_sandbox,
    )
    with _writing():
        replace_file(options.results, gradescope_json(result))
    print(f"{result.status}: {result.total:g} of {result.max_points:g} points")
    for line in (result.reason, *result.flags):
        if line:
            print(line)


def _report(options):
    from autograder.grading.plan import Options
    from autograder.grading.report import report_course

    asked = Options(roster=options.roster, gradebook_url=options.gradebook, book_url=options.book)
    run = report_course(options.course, options.assignment, asked)
    return tell(run)


def _forget(options):
    from autograder.grading.forget import forget_student

    removed = forget_student(
        options.course, options.student, gradebook_url=options.gradebook, book_url=options.book
    )
    print(f"removed of {options.student}: {', '.join(removed)}")


def tell(run):
    """Print what a run did in a few lines; return the exit code."""
    counts = {}
    for result in run.results:
        counts[str(result.status)] = counts.get(str(result.status), 0) + 1
    statuses = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    print(
        f"{run.graded} graded in {run.facts.seconds:.0f} s, {run.unchanged} unchanged; now {statuses}"
    )
    print(f"report: {run.report}")
    if run.reports.platform_marks:
        print(f"marks to import: {run.reports.platform_marks}")
    for path in run.reports.platform_feedback:
        print(f"feedback to upload: {path}")
    for path in run.reports.earlier_marks:
        print(
            f"autograder: {path} is from an earlier run; give --roster to write it again",
            file=sys.stderr,
        )
    if run.facts.older:
        print(
            f"autograder: {len(run.facts.older)} older than what was graded (first {run.facts.older[0]}); "
            "--allow-older grades them nevertheless",
            file=sys.stderr,
        )
    if run.facts.missing:
        print(f"{len(run.facts.missing)} on the roster handed in nothing; the report names them")
    if run.facts.unknown:
        print(
            f"autograder: {len(run.facts.unknown)} not on the roster (first {run.facts.unknown[0]}); "
            "the report names them",
            file=sys.stderr,
        )
    for students, problem in (
        (run.failed, "need a look, because an error of the autograder's own ended their grading"),
        (run.reports.unstored, "have a result that could not be stored"),
    ):
        if students:
            student, reason = next(iter(students.items()))
            print(
                f"autograder: {len(students)} {problem} (first {student}: {reason}); "
                f"run it again to retry them, see {run.log}",
                file=sys.stderr,
            )
    if run.reports.gradebook_error:
        print(
            f"autograder: the gradebook could not be written ({run.reports.gradebook_error}); the marks "
            "are in the journal, run it again when the gradebook is back",
            file=sys.stderr,
        )
        return 1
    # A submission that waits for a person has its status; the others have their marks.
    return 1 if run.reports.unstored else 0


class Bar:
    """Shows a run's progress on stderr, with counts and the time left."""

    def __enter__(self):
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        console = Console(file=sys.stderr)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._bar.start()
        self._counts = {}
        return self

    def __exit__(self, *error):
        self._bar.stop()

    def begin(self, total):
        self._task = self._bar.add_task("starting the kernels", total=total)

    def graded(self, result):
        if _Interruption.came:
            raise KeyboardInterrupt
        status = str(result.status)
        self._counts[status] = self._counts.get(status, 0) + 1
        words = ", ".join(f"{number} {status}" for status, number in self._counts.items())
        self._bar.update(self._task, advance=1, description=words)


def _demo(options):
    from autograder.demo import demo

    with Bar() as bar:
        run, differences = demo(options.folder, bar)
    code = tell(run)
    for line in differences:
        print(line)
    print(
        f"{len(run.results)} marks compared with the truth: "
        + (f"{len(differences)} differ" if differences else "all agree")
    )
    return 1 if differences else code


if __name__ == "__main__":
    sys.exit(main())
