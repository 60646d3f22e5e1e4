"""A Sphinx extension: what a site with an address of its own shows to the rest of the web.

The address is one setting, `baseurl` in `_config.yml`. With it every page has a description, its
canonical address and a picture for those who share it, and the site a map for search engines and a
page for addresses that lead nowhere. Without it there is none of these: a course that is read from
a folder has no address that they could name.

The site's bare address leads to the front page with or without it.

Where its source is published is another setting, the `url` of `repository`. With it the theme's
buttons open a notebook elsewhere; without it the theme cannot make them and must not try. Colab
reads notebooks from GitHub alone, and needs the site's address for what it has to install. The
tags ``rocket`` and ``colab`` tell pages which buttons there are.
"""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from autograder.course import chapters

# What Sphinx and its extensions write into the head of a page for those who find or share it.
_SHARED = re.compile(
    r'<title>.*?</title>|<link rel="canonical"[^>]*>'
    r'|<meta (?:property|name="(?:description|twitter:))[^>]*>',
    re.DOTALL,
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension, and with an address those that it rests on, with Sphinx."""
    if app.config.html_baseurl:
        for extension in ("sphinxext.opengraph", "sphinx_sitemap", "notfound.extension"):
            app.setup_extension(extension)
        app.connect("config-inited", _pass_on)
        # Before the card of the page is drawn.
        app.connect("html-page-context", _name_course_once, priority=400)
    app.connect("config-inited", _choose_launch_buttons)
    # Before the table of contents makes an index.html of its own, which it does if there is none.
    app.connect("build-finished", _write_index, priority=400)
    return {"parallel_read_safe": True}


def _pass_on(app: Sphinx, config: Config) -> None:
    config.ogp_site_url = config.html_baseurl
    # Drawn for each page from its title and description.
    logo = chapters.ROOT / "book" / "_static" / "logo.png"
    config.ogp_social_cards = {"line_color": "#1f5a8a", "image_mini": str(logo)}
    config.notfound_urls_prefix = root = urlsplit(config.html_baseurl).path or "/"
    config.notfound_context = {
        "title": "Page not found",
        "body": f"""<h1>Page not found</h1>
<p>The course has no page at this address; perhaps it has been moved. The
<a href="{root}">front page</a> lists all chapters, and the
<a href="{root}search.html">search</a> looks through all pages.</p>""",
    }
    # One version in one language: the pages stand directly under the address.
    config.sitemap_url_scheme = "{link}"
    config.sitemap_excludes = ["404.html", "genindex.html", "search.html"]


def _name_course_once(
    app: Sphinx, name: str, template: str, context: dict[str, Any], document: nodes.document | None
) -> None:
    """Leave the course's name out above the title of the front page, which is the same."""
    app.config.ogp_site_name = "" if name == app.config.root_doc else app.config.html_title


def _choose_launch_buttons(app: Sphinx, config: Config) -> None:
    repository = config.html_theme_options.get("repository_url")
    if not repository:
        config.html_theme_options.pop("launch_buttons", None)
        return
    buttons = config.html_theme_options["launch_buttons"]
    if not (config.html_baseurl and urlsplit(repository).hostname == "github.com"):
        buttons.pop("colab_url", None)
    app.tags.add("rocket")
    if buttons.get("colab_url"):
        app.tags.add("colab")


def _write_index(app: Sphinx, exception: Exception | None) -> None:
    """Let the site's bare address lead to the front page and say the same to those who share it."""
    if exception or app.builder.name != "html" or app.config.root_doc == "index":
        return
    front = app.builder.get_target_uri(app.config.root_doc)
    page = Path(app.outdir, front).read_text(encoding="utf-8")
    tags = "\n".join(_SHARED.findall(page[: page.index("</head>")]))
    Path(app.outdir, "index.html").write_text(
        f"""<!DOCTYPE html>
<html lang="{app.config.language.replace("_", "-")}">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={front}">
{tags}
</head>
<body><a href="{front}">{app.config.html_title}</a></body>
</html>
""",
        encoding="utf-8",
    )
