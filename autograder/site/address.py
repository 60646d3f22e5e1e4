"""A Sphinx extension: what a site with an address of its own shows to the rest of the web.

The address is one setting, `baseurl` in `_config.yml`. With it every page has a description, its
canonical address and a picture for those who share it, and the site a map for search engines and a
page for addresses that lead nowhere. Without it there is none of these: a course that is read from a
folder has no address that they could name.
"""

from urllib.parse import urlsplit


def setup(app):
    """Register the extension, and with an address those that it rests on, with Sphinx."""
    if address := app.config.html_baseurl:
        for extension in ("sphinxext.opengraph", "sphinx_sitemap", "notfound.extension"):
            app.setup_extension(extension)
        app.connect("config-inited", _pass_on)
        app.config.overrides["notfound_urls_prefix"] = urlsplit(address).path or "/"
    return {"parallel_read_safe": True}


def _pass_on(app, config):
    config.ogp_site_url = config.html_baseurl
    config.ogp_site_name = config.html_title
    # One version in one language: the theme's pages stand directly under the address.
    config.sitemap_url_scheme = "{link}"
    config.sitemap_excludes = ["404.html", "genindex.html", "search.html"]
