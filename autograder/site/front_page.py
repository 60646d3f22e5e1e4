"""A Sphinx extension: the figures and tables of the front page and of the plan for a course.

``{alignment}`` shows how a translator of the course writes a date, token by token. ``{course-map}``
draws the chapters in the order of `_toc.yml`, each a link to its lesson. ``{chapter-table}`` says
what each chapter builds on and gives, with its points and minutes, and ``{course-plan}`` lists the
chapters of each week with the hours that they take. The map and the first table know a chapter by
its stem, so that one can be described before its page exists.
"""

import html
import re

import yaml
from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

from autograder.course.chapters import ROOT, CourseError, load_chapter, read_source
from autograder.site.alignment import alignment_figure
from autograder.site.course_map import course_map
from coursekit.figures.page import FILES

_READING = re.compile(r"(?:Reading|The\s+lesson)\s+takes\s+about\s+(\d+)\s+minutes")


def setup(app):
    """Register the directives with Sphinx."""
    app.add_directive("course-map", _CourseMap)
    app.add_directive("alignment", _Alignment)
    app.add_directive("chapter-table", _ChapterTable)
    app.add_directive("course-plan", _CoursePlan)
    return {"parallel_read_safe": True}


class Outline:
    """A chapter as the front page shows it: its place in the course and the time that it takes."""

    def __init__(self, stem, part):
        text = read_source(ROOT / "book" / f"{stem}.md")
        self.stem, self.part, self.number = stem, part, int(stem[2:4])
        self.title = re.search(r"^# (.+)$", text, re.MULTILINE)[1]
        self.opening = text.partition("\n## ")[0]
        reading = _READING.search(self.opening)
        if not reading:
            raise CourseError(f'book/{stem}.md: no "Reading takes about … minutes" in the opening')
        self.reading = int(reading[1])
        exercises = load_chapter(stem).exercises
        self.solving = sum(exercise.minutes for exercise in exercises)
        self.points = sum(exercise.points for exercise in exercises)

    def names_chapter(self, number):
        """Say whether the opening tells the reader of another chapter."""
        return re.search(rf"\bch{number:02}_|\bchapters?\s+{number}\b", self.opening) is not None


def outlines():
    """Return the outlines of all chapters in the order of `_toc.yml`."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [
        (entry["file"], part.get("caption", ""))
        for part in toc["parts"]
        for entry in part["chapters"]
    ]
    return [Outline(file.split("/")[1], part) for file, part in files if file.endswith("/lesson")]


class CourseDirective(Directive):
    """A directive that reports a `CourseError` as an error of the page that it stands on."""

    def run(self):
        try:
            return self.content_nodes()
        except CourseError as error:
            raise self.error(str(error)) from error

    @property
    def env(self):
        return self.state.document.settings.env

    def rows(self):
        """Read the directive's content, which is YAML."""
        return yaml.safe_load("\n".join(self.content))

    def table(self, name, head, rows):
        """Parse a table of Markdown cells; the name is its class in the style sheet."""
        lines = [head, ["---"] * len(head), *rows]
        text = StringList(["| " + " | ".join(line) + " |" for line in lines])
        parsed = nodes.Element()
        self.state.nested_parse(text, self.content_offset, parsed)
        for table in parsed.findall(nodes.table):
            table["classes"].append(name)
        return parsed.children


class _CourseMap(CourseDirective):
    has_content = True  # the caption

    def content_nodes(self):
        def address(stem):
            return self.env.app.builder.get_relative_uri(
                self.env.docname, f"notebooks/{stem}/lesson"
            )

        chapters = [(c.stem, c.part, c.title, address(c.stem)) for c in outlines()]
        style = FILES.joinpath("figure.css").read_text(encoding="utf-8")
        caption = html.escape(" ".join(self.content))
        figure = (
            f'<figure class="course-figure course-map"><style>\n{style}</style>'
            f"{course_map(chapters)}<figcaption>{caption}</figcaption></figure>"
        )
        return [nodes.raw("", figure, format="html")]


class _Alignment(CourseDirective):
    has_content = True  # the caption

    def content_nodes(self):
        return [nodes.raw("", alignment_figure(" ".join(self.content)), format="html")]


class _ChapterTable(CourseDirective):
    has_content = True

    def content_nodes(self):
        described, rows, part = self.rows(), [], None
        chapters = outlines()
        for chapter in chapters:
            if chapter.stem not in described:
                raise CourseError(f"{chapter.stem} is in _toc.yml but not in this table")
            words = described[chapter.stem]
            for number in words["assumes"]:
                if not chapter.names_chapter(number):
                    raise CourseError(
                        f"the opening of book/{chapter.stem}.md does not name chapter {number}, "
                        "which this table says that it assumes"
                    )
            if chapter.part != part:
                part = chapter.part
                rows.append([f"**{part}**", "", "", "", ""])
            rows.append(
                [
                    f"{numbered_link(self.env, chapter)}<br>{words['gives']}",
                    ", ".join(map(str, words["assumes"])) or "–",
                    f"{chapter.reading} min",
                    f"{chapter.solving} min",
                    f"{chapter.points:g}",
                ]
            )
        reading = sum(chapter.reading for chapter in chapters) / 60
        solving = sum(chapter.solving for chapter in chapters) / 60
        points = sum(chapter.points for chapter in chapters)
        rows.append(["**all**", "", f"{reading:.0f} h", f"{solving:.0f} h", f"{points:g}"])
        head = [
            "chapter, and what it enables you to do",
            "assumes",
            "lesson",
            "exercises",
            "points",
        ]
        return self.table("chapter-table", head, rows)


class _CoursePlan(CourseDirective):
    has_content = True

    def content_nodes(self):
        chapters = {chapter.number: chapter for chapter in outlines()}
        rows, total = [], 0
        for week in self.rows():
            read = [chapters[number] for number in week["chapters"] if number in chapters]
            solved = week.get("exercises", week["chapters"])
            minutes = sum(c.reading + (c.solving if c.number in solved else 0) for c in read)
            if read:
                links = ", ".join(numbered_link(self.env, c) for c in read)
                assignments = ", ".join(str(c.number) for c in read if c.number in solved) or "–"
                hours = f"{minutes / 60:.1f}"
                rows.append([str(week["week"]), links, assignments, week["do"], hours])
            total += minutes
        rows.append(["all", "", "", "", f"{total / 60:.0f}"])
        head = ["week", "lessons", "exercises", "in class", "hours"]
        return self.table("course-plan", head, rows)


def numbered_link(env, chapter):
    """Return the Markdown of a link to a lesson, with the chapter's number before its title."""
    # Where the line ends, the number goes to the next one with the title.
    return f"{chapter.number}\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}{_link(env, chapter)}"


def _link(env, chapter):
    up = "../" * env.docname.count("/")
    return f"[{chapter.title}]({up}notebooks/{chapter.stem}/lesson.ipynb)"
