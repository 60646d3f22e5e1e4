"""A Sphinx extension: what a keyboard and a screen reader need and the theme leaves out."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from autograder.translation.catalogue import translate

# Docutils makes a header of every cell in a table's head, pandas of the corner above its index;
# without a word in it, it is the header of nothing.
_EMPTY_HEADER = re.compile(r"<th(?P<attributes>[^>]*)>(?P<content>\s*(?:<p>\s*</p>)?\s*)</th>")
# The role is deprecated, and between list and items stand links back to the text.
_CITATION_ROLE = re.compile(r'(?<=class="citation") (?P<id>id="[^"]+" )?role="doc-biblioentry"')
_CITATION_LIST = '<div role="list" class="citation-list">'


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    # After the theme, which adds its functions to the same context.
    app.connect("html-page-context", _repair_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _repair_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    if "body" in context:
        context["body"] = _repair_body(context["body"])
    draw_tree = context["generate_toctree_html"]
    context["generate_toctree_html"] = lambda *args, **options: _name_arrows(
        draw_tree(*args, **options)
    )


def _repair_body(body: str) -> str:
    body = _EMPTY_HEADER.sub(r"<td\g<attributes>>\g<content></td>", body)
    body = _CITATION_ROLE.sub(lambda found: f" {found['id'] or ''}".rstrip(), body)
    return body.replace(_CITATION_LIST, '<div class="citation-list">')


def _name_arrows(tree: Any) -> Any:
    """Say of each arrow in the sidebar which pages it shows."""
    for summary in tree.select("li > details > summary"):
        page = summary.find_parent("li").a.get_text(" ", strip=True)
        summary["aria-label"] = translate("Pages of {page}", page=page)
    return tree
