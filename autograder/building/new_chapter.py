"""A new chapter: the six files that share its stem, with an example that runs, and its entries."""

import re
from pathlib import Path

from autograder.course import chapters
from autograder.course_error import CourseError
from autograder.files import replace_file
from coursekit import chapter_number

SCAFFOLD = Path(__file__).parent / "scaffold"
STEM = re.compile(r"ch(\d\d)_[a-z0-9]+(_[a-z0-9]+)*")
# From the file here to where a chapter has it.
PLACES = {
    "lesson.md": "book/{}.md",
    "solutions.py": "solutions/{}.py",
    "variants.py": "solutions/variants/{}.py",
    "checks.py": "coursekit/checks/{}.py",
    "hidden.py": "autograder/hidden/{}.py",
    "test.py": "tests/test_{}.py",
}
ENTRY = """\
      - file: notebooks/{stem}/lesson
        sections:
          - file: notebooks/{stem}/assignment
            title: Exercises
"""
# The chapter's line in the table of the front page.
ROW = """\
{stem}:
  assumes: []
  gives: say here what the chapter enables its reader to do
"""
TABLE = re.compile(r"^```\{chapter-table\}\n.*?(?=^```$)", re.MULTILINE | re.DOTALL)
# A plan of weeks that promises every chapter, and its last week.
PLAN = re.compile(
    r"^```\{course-plan\}\n:every:\n\n(?:- .*\n)*?(?P<last>- \{week: (?P<week>\d+),.*\n)(?=```$)",
    re.MULTILINE,
)


def new_chapter(stem: str) -> list[Path]:
    """Write the files of a new chapter and enter it where the site needs it; return the paths.

    Raises `CourseError` when the stem is not a name for a chapter, or something of it is already
    there.
    """
    named = STEM.fullmatch(stem)
    if not named:
        raise CourseError(f"{stem!r} is not a stem of a chapter; write it like ch13_my_topic")
    number = chapter_number(stem)
    for other in chapters.chapter_stems():
        if other != stem and chapter_number(other) == number:
            raise CourseError(f"{other} is chapter {number} already; choose another number")
    paths = {name: chapters.ROOT / place.format(stem) for name, place in PLACES.items()}
    toc = chapters.ROOT / "_toc.yml"
    contents = toc.read_text(encoding="utf-8")
    there = [path for path in paths.values() if path.exists()]
    there += [toc] * (f"notebooks/{stem}/lesson" in contents)
    if there:
        where = there[0].relative_to(chapters.ROOT)
        raise CourseError(f"{where} already has {stem}; choose another stem or remove it")
    entries = [*re.finditer(r" *- file: notebooks/\w+/assignment\n *title: Exercises\n", contents)]
    if not entries:
        raise CourseError(
            "_toc.yml lists no exercises of any chapter, so there is no place to enter this one"
        )
    last = entries[-1]
    entry = ENTRY.format(stem=stem)
    front = chapters.ROOT / "book" / "intro.md"
    page = front.read_text(encoding="utf-8")
    table = TABLE.search(page)
    if not table:
        raise CourseError("book/intro.md has no table of chapters to enter this one in")
    for name, path in paths.items():
        replace_file(path, _filled((SCAFFOLD / name).read_text(encoding="utf-8"), stem, named[1]))
    replace_file(toc, contents[: last.end()] + entry + contents[last.end() :])
    row = ROW.format(stem=stem)
    replace_file(front, page[: table.end()] + row + page[table.end() :])
    instructors = chapters.ROOT / "book" / "instructors.md"
    plans = instructors.read_text(encoding="utf-8")
    replace_file(instructors, PLAN.sub(lambda plan: plan[0] + _next_week(plan, number), plans))
    return [*paths.values(), toc, front, instructors]


def _next_week(plan: re.Match[str], number: int) -> str:
    """Return the week that a chapter gets in a plan, with exercises if the week before has some."""
    exercises = "exercises: [], " if "exercises: []" in plan["last"] else ""
    week = f"week: {int(plan['week']) + 1}, chapters: [{number}]"
    return f'- {{{week}, {exercises}do: "Say here what to do in class."}}\n'


def _filled(text: str, stem: str, number: str) -> str:
    title = stem.partition("_")[2].replace("_", " ").capitalize()
    text = text.replace("NUMBER", str(int(number))).replace("STEM", stem)
    return text.replace("TITLE", title)
