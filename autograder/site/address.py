"""A Sphinx extension: what a site with an address of its own shows to the rest of the web.

The address is one setting, `baseurl` in `_config.yml`. With it every page has a description, its
canonical address and a picture for those who share it, and the site a map for search engines and a
page for addresses that lead nowhere. Without it there is none of these: a course that is read from
a folder has no address that they could name.
"""

from urllib.parse import urlsplit

from autograder.course.chapters import ROOT


def setup(app):
    """Register the extension, and with an address those that it rests on, with Sphinx."""
    if app.config.html_baseurl:
        for extension in ("sphinxext.opengraph", "sphinx_sitemap", "notfound.extension"):
            app.setup_extension(extension)
        app.connect("config-inited", _pass_on)
    return {"parallel_read_safe": True}


def _pass_on(app, config):
    config.ogp_site_url = config.html_baseurl
    config.ogp_site_name = config.html_title
    # Drawn for each page from its title and description.
    logo = ROOT / "book" / "_static" / "logo.png"
    config.ogp_social_cards = {"line_color": "#1f5a8a", "image_mini": str(logo)}
    config.notfound_urls_prefix = urlsplit(config.html_baseurl).path or "/"
    # One version in one language: the pages stand directly under the address.
    config.sitemap_url_scheme = "{link}"
    config.sitemap_excludes = ["404.html", "genindex.html", "search.html"]
