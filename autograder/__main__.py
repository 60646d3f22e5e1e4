"""The instructors' command line; `autograder --help` shows it."""

import argparse
import sys

from autograder.chapters import CourseError, chapter_stems, load_chapter


def main(arguments=None):
    """Run one command; a problem a person can solve ends it with one line and exit code 1."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except CourseError as error:
        print(f"autograder: {error}", file=sys.stderr)
        return 1


def _parser():
    parser = argparse.ArgumentParser(
        prog="autograder", description="Release the course's assignments and grade what comes back."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    release = commands.add_parser(
        "release",
        help="build the students' notebooks from book/ and solutions/",
        description="Build notebooks/ from book/ and solutions/, of all chapters or of some. "
        "With --course, also put the assignments into a course folder, ready to be graded.",
    )
    release.add_argument("chapters", nargs="*", metavar="CHAPTER", help="such as ch02_simple_rnn")
    release.add_argument("--course", metavar="DIR", help="a course folder as nbgrader lays it out")
    release.add_argument(
        "--check", action="store_true", help="write nothing; say which notebooks are out of step"
    )
    release.set_defaults(run=_release)
    return parser


def _release(options):
    from autograder.release import create_assignment, out_of_step, release

    stems = options.chapters or chapter_stems()
    for stem in stems:
        load_chapter(stem)
    if options.check:
        lines = out_of_step(stems)
        print("\n".join(lines) or "notebooks/ is in step with its sources")
        return 1 if lines else 0
    changed = release(stems)
    print(f"{len(changed)} notebooks written, {2 * len(stems) - len(changed)} were up to date")
    if options.course:
        for stem in stems:
            print(f"assignment {stem} is in {create_assignment(options.course, stem).parent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
