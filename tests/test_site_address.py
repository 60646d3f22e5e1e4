"""What the site shows to the rest of the web when it has an address, and that it is off without."""

import functools
import subprocess
import sys
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
import yaml
from bookext import publishing
from bs4 import BeautifulSoup
from jupyter_book.config import yaml_to_sphinx
from nbformat.v4 import new_markdown_cell, new_notebook
from PIL import Image

from autograder.building import lessons
from autograder.course import chapters
from autograder.course.chapters import ROOT

ADDRESS = "https://example.org/course/"


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Return a function that builds a site of two pages with an address, once for each."""
    source = tmp_path_factory.mktemp("source")
    (source / "start.rst").write_text(
        "The course\n==========\n\nRecurrent networks read.\n\n.. toctree::\n\n   page\n"
    )
    (source / "page.rst").write_text("A page\n======\n\nAttention weighs what was read.\n")

    @functools.cache
    def build(address):
        html = tmp_path_factory.mktemp("html")
        settings = {
            "extensions": "bookext.publishing",
            "html_baseurl": address,
            "html_title": "The course",
            "root_doc": "start",
        }
        subprocess.run(
            [sys.executable, "-m", "sphinx", "-W", "-q", "-E", "-C", source, html]
            + [f"-D{name}={value}" for name, value in settings.items()],
            check=True,
        )
        return html

    return build


def read(page):
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def test_with_an_address_a_page_can_be_found_and_shared(build):
    html = build(ADDRESS)
    head = read(html / "page.html").head
    assert head.find("link", rel="canonical")["href"] == f"{ADDRESS}page.html"
    description = head.find("meta", attrs={"name": "description"})["content"]
    assert description == "Attention weighs what was read."
    assert head.find("meta", property="og:url")["content"] == f"{ADDRESS}page.html"
    assert head.find("meta", property="og:site_name")["content"] == "The course"
    # The front page's title is the course's name, which its card need not say twice.
    assert not read(html / "start.html").head.find("meta", property="og:site_name")
    picture = head.find("meta", property="og:image")["content"]
    assert picture.startswith(ADDRESS)
    # Of its colours, the orange is that of the course's logo.
    red, green, blue = (
        np.asarray(Image.open(html / picture.removeprefix(ADDRESS)).convert("RGB"), int)
        .reshape(-1, 3)
        .T
    )
    assert np.any((red > 170) & (green < 120) & (blue < 70))
    locations = [
        place.text for place in ElementTree.parse(html / "sitemap.xml").findall(".//{*}loc")
    ]
    assert sorted(locations) == [f"{ADDRESS}page.html", f"{ADDRESS}start.html"]


def test_the_bare_address_leads_to_the_front_page_and_is_shared_as_it_is(build):
    html = build(ADDRESS)
    index, front = read(html / "index.html"), read(html / "start.html")
    assert index.find("meta", attrs={"http-equiv": "refresh"})["content"] == "0; url=start.html"
    assert index.body.a["href"] == "start.html"
    assert index.title.string == front.title.string
    for tags in ("[rel=canonical]", "[name=description]", "[property]"):
        assert index.head.select(tags) == front.head.select(tags) != []


def test_the_page_not_found_leads_to_the_front_page_and_the_search(build):
    html = build(ADDRESS)
    leads = [link["href"] for link in read(html / "404.html").select(".body p a")]
    assert leads == ["/course/", "/course/search.html"]
    assert (html / "index.html").exists() and (html / "search.html").exists()


def test_the_page_not_found_has_its_files_from_every_depth(build):
    page = read(build(ADDRESS) / "404.html")
    assert page.select("link[rel=stylesheet]")
    for link in page.select("link[rel=stylesheet], script[src]"):
        assert (link.get("href") or link["src"]).startswith("/course/_static/")


def test_without_an_address_there_is_none_of_it(build):
    html = build("")
    for page in ("page.html", "index.html"):
        assert not read(html / page).head.select("[rel=canonical], [property], [name=description]")
    assert not (html / "sitemap.xml").exists()
    assert not (html / "404.html").exists()


# --- where the source is published ----------------------------------------------------------------


REPOSITORY = "https://github.com/name/course"
ELSEWHERE = "https://gitlab.com/name/course"
HUB = "https://hub.example.org"


@pytest.fixture(scope="module")
def publish(tmp_path_factory):
    """Return a function that builds a lesson and the start page under our settings, once for each.

    It returns where the buttons of the lesson lead, and the text of the start page.
    """
    source = tmp_path_factory.mktemp("published")
    lesson = new_notebook(cells=[new_markdown_cell("# A lesson", id="title")])
    lesson.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(lesson, source / "lesson.ipynb")
    # Of the start page its text alone: what it links to are other pages of the site.
    start = (ROOT / "book" / "start.md").read_text()
    (source / "book").mkdir()
    # The theme needs a table of contents to draw the page for addresses that lead nowhere.
    (source / "book" / "start.md").write_text(
        f"# Start\n\n{start[start.index('## Other ways') :]}\n```{{toctree}}\n../lesson\n```\n"
    )

    @functools.cache
    def publish(repository="", address="", hub=""):
        settings = yaml.safe_load((ROOT / "_config.yml").read_text())
        settings["repository"]["url"] = repository
        settings["launch_buttons"]["jupyterhub_url"] = hub
        options = yaml_to_sphinx(settings)[0]["html_theme_options"]
        (source / "conf.py").write_text(
            "extensions = ['myst_nb', 'bookext.publishing', 'bookext.downloads']\n"
            f"root_doc, nb_execution_mode, html_baseurl = 'book/start', 'off', {address!r}\n"
            "myst_enable_extensions = ['colon_fence']\n"
            "suppress_warnings = ['myst.xref_missing']\n"
            f"html_theme, html_theme_options = 'sphinx_book_theme', {options!r}\n"
            # Without the chapters' archives, which are the same in every build.
            "import bookext.downloads\nbookext.downloads.chapter_stems = list\n"
        )
        html = tmp_path_factory.mktemp("html")
        subprocess.run([sys.executable, "-m", "sphinx", "-W", "-q", "-E", source, html], check=True)
        header = read(html / "lesson.html").select_one(".article-header-buttons")
        assert not any("://" in image["src"] for image in header.select("img"))
        buttons = [urlsplit(link["href"]) for link in header.select("a[href*='://']")]
        return buttons, read(html / "book" / "start.html").article.get_text()

    return publish


def test_a_published_repository_is_opened_on_binder_on_a_hub_and_on_colab(publish):
    binder, hub, colab = publish(REPOSITORY, ADDRESS, HUB)[0]
    assert binder.netloc == "mybinder.org" and binder.path == "/v2/gh/name/course/main"
    assert parse_qs(binder.query) == {"urlpath": ["lab/tree/lesson.ipynb"]}
    assert hub.netloc == "hub.example.org" and hub.path == "/hub/user-redirect/git-pull"
    assert parse_qs(hub.query) == {
        "repo": [REPOSITORY],
        "urlpath": ["lab/tree/course/lesson.ipynb"],
        "branch": ["main"],
    }
    assert colab.netloc == "colab.research.google.com"
    assert colab.path == "/github/name/course/blob/main/lesson.ipynb"


def test_colab_needs_the_address_of_the_site(publish):
    (binder,) = publish(REPOSITORY, "")[0]
    assert binder.netloc == "mybinder.org"


@pytest.mark.parametrize(("repository", "has_colab"), [(REPOSITORY, True), (ELSEWHERE, False)])
def test_colab_needs_github(repository, has_colab):
    buttons = {"binderhub_url": "https://mybinder.org", "colab_url": "https://colab.example.org"}
    options = {"repository_url": repository, "launch_buttons": buttons}
    config = SimpleNamespace(html_theme_options=options, html_baseurl=ADDRESS)
    app = SimpleNamespace(tags=set())
    publishing._choose_launch_buttons(app, config)
    assert ("colab_url" in buttons) == has_colab
    assert app.tags == ({"rocket", "colab"} if has_colab else {"rocket"})


def test_without_a_repository_there_is_no_such_button(publish):
    assert publish()[0] == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ((), set()),
        ((REPOSITORY, ""), {"Binder"}),
        ((REPOSITORY, ADDRESS, HUB), {"Binder", "Colab"}),
    ],
)
def test_the_start_page_names_the_services_that_there_are(publish, settings, said):
    text = publish(*settings)[1]
    assert {name for name in ("Binder", "Colab") if name in text} == said
    assert ("%pip install --quiet https://example.org/course/downloads/" in text) == (
        "Colab" in said
    )


@pytest.mark.parametrize(("address", "notes"), [("", 0), (ADDRESS, 1)])
def test_a_notebook_says_where_its_library_is_if_the_site_has_an_address(
    tmp_path, monkeypatch, address, notes
):
    (tmp_path / "_config.yml").write_text(f"html:\n  baseurl: {address!r}\n")
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    notebook = new_notebook(cells=[new_markdown_cell("# Title"), new_markdown_cell("Text")])
    lessons.add_installation_note(notebook, "ch01_rnn_basics")
    assert len(notebook.cells) == 2 + notes
    for note in notebook.cells[1:-1]:
        assert f"%pip install --quiet {ADDRESS}downloads/ch01_rnn_basics.zip" in note.source
