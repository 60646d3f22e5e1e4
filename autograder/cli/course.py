"""The commands that build what students get: release, new, variant, solution, bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from autograder.course import chapters
from autograder.course.chapters import chapter_stems, load_chapter, path_in_course
from autograder.course_error import CourseError
from coursekit.languages import ENGLISH, LOCALES

CHAPTERS = click.argument(
    "stems", nargs=-1, metavar="[CHAPTER]...", help="Such as ch02_simple_rnn; all if none is named."
)


def _known(stems: tuple[str, ...]) -> list[str]:
    """Return the chapters that were named, all if none was; `CourseError` for an unknown one."""
    chosen = list(stems or chapter_stems())
    for stem in chosen:
        load_chapter(stem)
    return chosen


@click.command(short_help="Build the students' notebooks from book/ and solutions/.")
@CHAPTERS
@click.option("--course", metavar="DIR", help="The course folder; made if missing.")
@click.option("--check", is_flag=True, help="Write nothing; print which notebooks are out of step.")
@click.option("--gradebook", metavar="URL", help="The gradebook of a course not kept in SQLite.")
@click.option(
    "--language",
    type=click.Choice([ENGLISH, *LOCALES]),
    default=ENGLISH,
    help="The language of the assignments in the course folder: en (the default) or zh.",
)
def release(
    stems: tuple[str, ...], course: str | None, check: bool, gradebook: str | None, language: str
) -> int:
    """Build notebooks/ from book/ and solutions/, of all chapters or of those that are named.

    With --course, also put the assignments into a course folder, ready to be graded. A notebook in
    notebooks/ that was edited, such as one with answers of your own, then stays as it is.
    """
    for option, is_given in (("language", language != ENGLISH), ("gradebook", gradebook)):
        if is_given and not course:
            raise CourseError(f"--{option} is about a course folder: name it with --course")
    if check and course:
        raise CourseError("--check looks at notebooks/ alone: leave out --course")
    from autograder.cli.progress import writing

    if course:
        _refuse_own_notebooks(stems, course)
    chosen = _known(stems)
    if check:
        return _report_out_of_step(chosen)
    with writing():
        _write_notebooks(chosen, keep_edited=bool(course))
        if course:
            _make_assignments(chosen, course, gradebook, language)
    return 0


def _refuse_own_notebooks(stems: Iterable[str], course: str) -> None:
    """Raise `CourseError` for an assignment of the instructor's own, which nbgrader releases."""
    from autograder.course.notebook_assignment import load_assignment

    for stem in stems:
        if stem not in chapter_stems() and Path(course, "source", stem).is_dir():
            command = load_assignment(course, stem).release_command(course)
            raise CourseError(f"{stem} is a notebook of your own; `{command}` releases it")


def _report_out_of_step(stems: Iterable[str]) -> int:
    """Print which built files are not what their sources would build; return the exit code."""
    from autograder.building import release as builder

    lines = builder.out_of_step(stems, _showing)
    click.echo("\n".join(lines) or "what is built is in step with its sources")
    return 1 if lines else 0


def _write_notebooks(stems: Sequence[str], keep_edited: bool) -> None:
    """Write what has changed to its place, and print how much that is."""
    from autograder.building import release as builder

    edited = builder.edited_notebooks(stems) if keep_edited else []
    for path in edited:
        click.echo(f"{path_in_course(path)} was edited and stays as it is")
    changed = builder.release(stems, _showing, edited)
    if changed:
        files = "file" if len(changed) == 1 else "files"
        click.echo(f"{len(changed)} {files} written; the rest was up to date")
    else:
        click.echo("notebooks/ is up to date")


def _make_assignments(
    stems: Iterable[str], course: str, gradebook: str | None, language: str
) -> None:
    """Put the assignments of chapters into a course folder, and print where each is."""
    from autograder.building.stock_nbgrader import create_assignment
    from autograder.cli.progress import with_progress
    from autograder.translation.catalogue import require_translation, use_language

    for stem in with_progress(stems, "making the assignments"):
        with use_language(language):
            require_translation(stem)
            path = create_assignment(course, stem, gradebook)
        click.echo(f"assignment {stem} is in {path.parent}")


def _showing(stems: Iterable[str]) -> Iterator[str]:
    from autograder.cli.progress import with_progress

    return with_progress(stems, "building the notebooks")


@click.command(short_help="Begin a chapter: lesson, solution, bank, checks and test.")
@click.argument("stem", metavar="CHAPTER", help="Its stem, such as ch13_my_topic.")
def new(stem: str) -> None:
    """Write the six files of a new chapter, with an example exercise that runs, and enter it in
    _toc.yml, in the table of the front page and in the instructors' plans of weeks. Nothing else
    that is there is changed.
    """
    from autograder.building.new_chapter import new_chapter
    from autograder.cli.progress import writing

    with writing():
        paths = new_chapter(stem)
    for path in paths:
        click.echo(path.relative_to(chapters.ROOT))
    for step in (
        "what is left to do:",
        "- write the chapter in its six files, as book/own_assignments.md shows",
        "- say in book/intro.md what the chapter gives and which chapters it assumes",
        "- say in book/instructors.md what to do in its week, or move it to another week",
        f"- run `make check chapter={stem}` after each change, and `make book` for the site",
        "- if you like, draw it for the front page in book/_ext/front_page/course_map.py",
    ):
        click.echo(step)


@click.command(short_help="Print a wrong or right answer of the bank in full.")
@click.argument("chapter", help="Such as ch02_simple_rnn.")
@click.argument("exercise", help="Such as simple_rnn.")
@click.argument("name", required=False, help="The name of the mistake, or of the right answer.")
def variant(chapter: str, exercise: str, name: str | None) -> None:
    """Print the answers of the bank that make one mistake, or a right answer, in full: as a student
    would type them. Without a name, list all names.
    """
    from autograder.course.variants import named_variants, variant_answer, variants_of

    if name is None:
        known = {each.name: each.mistake for each in variants_of(chapter, exercise)}
        for each, mistake in known.items():
            click.echo(f"{each}: {mistake}" if mistake else f"{each} (right)")
        return
    found = named_variants(chapter, exercise, name)
    click.echo("\n\n\n".join(variant_answer(chapter, variant) for variant in found))


@click.command(short_help="Show an answer of yours and the reference answer.")
@click.argument("chapter", help="Such as ch02_simple_rnn.")
@click.argument("exercise", help="Such as rmse.")
def solution(chapter: str, exercise: str) -> None:
    """Print your answer to an exercise, as it stands in notebooks/, and below it the reference
    answer. For those who learn by themselves.
    """
    from autograder.building.own_answer import own_answer, reference_answer

    reference = reference_answer(chapter, exercise)
    click.echo(f"# --- your answer ---\n\n{own_answer(chapter, exercise)}\n")
    click.echo(f"\n# --- the reference answer ---\n\n{reference}")


@click.command(short_help="Pack what students get, without solutions and hidden checks.")
@click.argument("file", metavar="FILE.zip", help="The archive to write.")
@CHAPTERS
def bundle(file: str, stems: tuple[str, ...]) -> None:
    """Write a zip with the notebooks of all chapters, or of those that are named, coursekit and the
    list of packages: all that a student needs, and no answer.
    """
    from autograder.building import bundle as packing
    from autograder.cli.progress import writing

    if not file.endswith(".zip"):  # a chapter, where the file was forgotten
        raise CourseError(f"{file} does not end in .zip; name the archive to write first")
    chosen = _known(stems)
    with writing():
        path = packing.bundle(file, _showing(chosen))
    click.echo(f"{path} is ready for the students")
