"""A Sphinx extension: the figures and tables of the front page and of the plan for a course.

``{alignment}`` shows how a translator of the course writes a date, token by token. ``{course-map}``
draws the chapters in the order of `_toc.yml`, each a link to its lesson. ``{chapter-table}`` says
what each chapter builds on and gives, with its points and minutes, and ``{course-plan}`` lists the
chapters of each week with the hours that they take. The map and the first table know a chapter by
its stem, so that one can be described before its page exists.
"""

import html

from bookext.front_page.alignment import alignment_figure
from bookext.front_page.course_map import course_map
from bookext.front_page.tables import ChapterTable, CoursePlan
from bookext.outlines import CourseDirective, outlines
from docutils import nodes
from sphinx.application import Sphinx

from coursekit.figures.page import FILES


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives with Sphinx."""
    app.add_directive("course-map", _CourseMap)
    app.add_directive("alignment", _Alignment)
    app.add_directive("chapter-table", ChapterTable)
    app.add_directive("course-plan", CoursePlan)
    return {"parallel_read_safe": True}


class _CourseMap(CourseDirective):
    has_content = True  # the caption

    def content_nodes(self) -> list[nodes.Node]:
        def address(stem: str) -> str:
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

    def content_nodes(self) -> list[nodes.Node]:
        return [nodes.raw("", alignment_figure(" ".join(self.content)), format="html")]
