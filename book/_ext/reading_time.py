"""A Sphinx extension: how long each page of the course takes, for `progress.js`.

Which pages are done is known to the reader's browser alone.
"""

import json
from typing import Any

from bookext.outlines import outlines
from docutils import nodes
from sphinx.application import Sphinx

# Of each page of a chapter.
_minutes: dict[str, int] = {}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", _read_minutes)
    app.connect("html-page-context", _give_minutes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read_minutes(app: Sphinx) -> None:
    _minutes.clear()
    for chapter in outlines():
        _minutes[f"notebooks/{chapter.stem}/lesson"] = chapter.reading
        _minutes[f"notebooks/{chapter.stem}/assignment"] = chapter.solving


def _give_minutes(
    app: Sphinx, name: str, template: str, context: dict[str, Any], document: nodes.document | None
) -> None:
    if name in _minutes or name == app.config.root_doc:
        minutes = json.dumps(_minutes)
        context["body"] += f'<script type="application/json" id="minutes">{minutes}</script>\n'
