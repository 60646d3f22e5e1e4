"""The chapters as the pages list them: place in the course, time, points, and a link.

What a directive of these extensions needs, the front page's and the downloads' alike.
"""

import re
from typing import Any

import yaml
from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.environment import BuildEnvironment

from autograder.course import chapters
from autograder.course.chapters import load_chapter, read_source
from autograder.course_error import CourseError
from autograder.translation.catalogue import catalogue_of
from coursekit import chapter_number

_READING = re.compile(r"(?:Reading|The\s+lesson)\s+takes\s+about\s+(\d+)\s+minutes?")


class Outline:
    """A chapter as the front page shows it: its place in the course and the time that it takes."""

    def __init__(self, stem: str, part: str) -> None:
        text = read_source(chapters.ROOT / "book" / f"{stem}.md")
        self.stem, self.part, self.number = stem, part, chapter_number(stem)
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        if not title:
            raise CourseError(f"book/{stem}.md: no title; begin it with a line like # Chapter")
        self.title = catalogue_of(f"notebooks/{stem}/lesson").get(title[1], title[1])
        self.opening = text.partition("\n## ")[0]
        reading = _READING.search(self.opening)
        if not reading:
            raise CourseError(f'book/{stem}.md: no "Reading takes about … minutes" in the opening')
        self.reading = int(reading[1])
        exercises = load_chapter(stem).exercises
        self.solving = sum(exercise.minutes for exercise in exercises)
        self.points = sum(exercise.points for exercise in exercises)

    def names_chapter(self, number: int) -> bool:
        """Say whether the opening tells the reader of another chapter."""
        return re.search(rf"\bch{number:02}_|\bchapters?\s+{number}\b", self.opening) is not None


def outlines() -> list[Outline]:
    """Return the outlines of all chapters in the order of `_toc.yml`."""
    return [Outline(stem, part.caption) for part in chapters.parts() for stem in part.chapters]


class CourseDirective(Directive):
    """A directive that reports a `CourseError` as an error of the page that it stands on.

    A subclass says in ``content_nodes`` what stands in its place.
    """

    def run(self) -> list[nodes.Node]:
        try:
            return self.content_nodes()
        except CourseError as error:
            raise self.error(str(error)) from error

    @property
    def env(self) -> BuildEnvironment:
        return self.state.document.settings.env

    def rows(self) -> Any:
        """Read the directive's content, which is YAML."""
        return yaml.safe_load("\n".join(self.content))

    def table(self, name: str, head: list[str], rows: list[list[str]]) -> list[nodes.Node]:
        """Parse a table of Markdown cells; the name is its class in the style sheet."""
        lines = [head, ["---"] * len(head), *rows]
        text = StringList(["| " + " | ".join(line) + " |" for line in lines])
        parsed = nodes.Element()
        self.state.nested_parse(text, self.content_offset, parsed)
        for table in parsed.findall(nodes.table):
            table["classes"].append(name)
        return parsed.children


def numbered_link(env: BuildEnvironment, chapter: Outline) -> str:
    """Return the Markdown of a link to a lesson, with the chapter's number before its title."""
    # Where the line ends, the number goes to the next one with the title.
    return f"{chapter.number}\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}{_link(env, chapter)}"


def _link(env: BuildEnvironment, chapter: Outline) -> str:
    up = "../" * env.docname.count("/")
    return f"[{chapter.title}]({up}notebooks/{chapter.stem}/lesson.ipynb)"
