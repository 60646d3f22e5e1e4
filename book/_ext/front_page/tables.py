"""The table of chapters on the front page, and the plan for a course of weeks."""

from typing import ClassVar

from bookext.outlines import CourseDirective, numbered_link, outlines
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.typing import OptionSpec

from autograder.course_error import CourseError
from autograder.translation.catalogue import translate


class ChapterTable(CourseDirective):
    """What each chapter builds on, gives and takes; its content says the first two, by stem."""

    has_content = True

    def content_nodes(self) -> list[nodes.Node]:
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
                rows.append([f"**{translate(part)}**", "", "", "", ""])
            rows.append(
                [
                    f"{numbered_link(self.env, chapter)}<br>{words['gives']}",
                    ", ".join(map(str, words["assumes"])) or "–",
                    translate("{minutes} min", minutes=chapter.reading),
                    translate("{minutes} min", minutes=chapter.solving),
                    f"{chapter.points:g}",
                ]
            )
        reading = sum(chapter.reading for chapter in chapters) / 60
        solving = sum(chapter.solving for chapter in chapters) / 60
        points = sum(chapter.points for chapter in chapters)
        hours = (translate("{hours} h", hours=f"{hours:.0f}") for hours in (reading, solving))
        rows.append([f"**{translate('all')}**", "", *hours, f"{points:g}"])
        head = [
            translate("chapter, and what it enables you to do"),
            translate("assumes"),
            translate("lesson"),
            translate("exercises"),
            translate("points"),
        ]
        return self.table("chapter-table", head, rows)


class CoursePlan(CourseDirective):
    """The chapters of each week of a course, with the hours that they take.

    With the option ``every``, a chapter that is in no week is an error.
    """

    has_content = True
    option_spec: ClassVar[OptionSpec] = {"every": directives.flag}

    def content_nodes(self) -> list[nodes.Node]:
        chapters = {chapter.number: chapter for chapter in outlines()}
        rows, total, weeks = [], 0, self.rows()
        planned = {number for week in weeks for number in week["chapters"]}
        missing = [str(number) for number in chapters if number not in planned]
        if "every" in self.options and missing:
            name = "chapter" if len(missing) == 1 else "chapters"
            raise CourseError(
                f"in _toc.yml, but in no week of this plan: {name} {', '.join(missing)}"
            )
        for week in weeks:
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
