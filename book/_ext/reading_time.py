"""A Sphinx extension: how long each page of the course takes, for `progress.js`.

Which pages are done is known to the reader's browser alone.
"""

import json

from bookext.outlines import outlines


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("builder-inited", _read_minutes)
    app.connect("html-page-context", _give_minutes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read_minutes(app):
    app.course_minutes = {}
    for chapter in outlines():
        app.course_minutes[f"notebooks/{chapter.stem}/lesson"] = chapter.reading
        app.course_minutes[f"notebooks/{chapter.stem}/assignment"] = chapter.solving


def _give_minutes(app, name, template, context, document):
    if name in app.course_minutes or name == app.config.root_doc:
        minutes = json.dumps(app.course_minutes)
        context["body"] += f'<script type="application/json" id="minutes">{minutes}</script>\n'
