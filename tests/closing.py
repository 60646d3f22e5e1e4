"""The unmarked part at the end of an assignment, run with the reference answers."""

from unittest import mock

import matplotlib

from autograder.course.chapters import load_chapter


def run_closing(stem):
    """Return the names that a chapter's closing part leaves and what its figures say in words."""
    chapter = load_chapter(stem)
    names = dict(vars(chapter.reference))
    with matplotlib.rc_context(), mock.patch("coursekit.figures.page.display") as display:
        for kind, source in chapter.closing:
            if kind == "code":
                exec(source, names)
    return names, [call.args[0]["text/plain"] for call in display.call_args_list]
