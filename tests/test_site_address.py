"""What the site shows to the rest of the web when it has an address, and that it is off without."""

import functools
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
import yaml
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


@pytest.fixture
def launch_buttons(tmp_path):
    """Return a function that builds a lesson under our settings; it returns where buttons lead."""
    # The theme needs a table of contents to draw the page for addresses that lead nowhere.
    title = new_markdown_cell("# A lesson\n\n```{toctree}\nself\n```", id="title")
    lesson = new_notebook(cells=[title])
    lesson.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(lesson, tmp_path / "lesson.ipynb")

    def build(url, hub="", address=""):
        settings = yaml.safe_load((ROOT / "_config.yml").read_text())
        settings["repository"]["url"] = url
        settings["launch_buttons"]["jupyterhub_url"] = hub
        options = yaml_to_sphinx(settings)[0]["html_theme_options"]
        (tmp_path / "conf.py").write_text(
            "extensions = ['myst_nb', 'bookext.publishing']\n"
            f"root_doc, nb_execution_mode, html_baseurl = 'lesson', 'off', {address!r}\n"
            f"html_theme, html_theme_options = 'sphinx_book_theme', {options!r}\n"
        )
        subprocess.run(
            [sys.executable, "-m", "sphinx", "-W", "-q", "-E", tmp_path, tmp_path / "html"],
            check=True,
        )
        header = read(tmp_path / "html" / "lesson.html").select_one(".article-header-buttons")
        assert not any("://" in image["src"] for image in header.select("img"))
        return [urlsplit(link["href"]) for link in header.select("a[href*='://']")]

    return build


def test_a_published_repository_is_opened_on_binder_on_a_hub_and_on_colab(launch_buttons):
    repository = "https://github.com/name/course"
    binder, hub, colab = launch_buttons(repository, "https://hub.example.org", ADDRESS)
    assert binder.netloc == "mybinder.org" and binder.path == "/v2/gh/name/course/main"
    assert parse_qs(binder.query) == {"urlpath": ["lab/tree/lesson.ipynb"]}
    assert hub.netloc == "hub.example.org" and hub.path == "/hub/user-redirect/git-pull"
    assert parse_qs(hub.query) == {
        "repo": [repository],
        "urlpath": ["lab/tree/course/lesson.ipynb"],
        "branch": ["main"],
    }
    assert colab.netloc == "colab.research.google.com"
    assert colab.path == "/github/name/course/blob/main/lesson.ipynb"


@pytest.mark.parametrize(
    ("repository", "address"),
    [("https://github.com/name/course", ""), ("https://gitlab.com/name/course", ADDRESS)],
)
def test_colab_needs_github_and_the_address_of_the_site(launch_buttons, repository, address):
    (binder,) = launch_buttons(repository, address=address)
    assert binder.netloc == "mybinder.org"


def test_without_a_repository_there_is_no_such_button(launch_buttons):
    assert launch_buttons("") == []


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


@pytest.mark.parametrize(
    ("url", "address", "said"),
    [("", "", set()), ("url", "", {"Binder"}), ("url", ADDRESS, {"Binder", "Colab"})],
)
def test_the_start_page_names_the_services_that_there_are(tmp_path, url, address, said):
    """Its text alone: what it links to are other pages of the site."""
    page = (ROOT / "book" / "start.md").read_text()
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "start.md").write_text(
        page[page.index("## Other ways") :] + "\n```{toctree}\nself\n```\n"
    )
    options = {
        "repository_url": url and "https://github.com/name/course",
        "launch_buttons": {"binderhub_url": "b", "colab_url": "c"},
    }
    (tmp_path / "conf.py").write_text(
        "extensions = ['myst_nb', 'bookext.publishing', 'bookext.downloads']\n"
        f"root_doc, html_baseurl = 'book/start', {address!r}\n"
        "myst_enable_extensions = ['colon_fence']\n"
        f"html_theme, html_theme_options = 'sphinx_book_theme', {options!r}\n"
    )
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-E", tmp_path, tmp_path / "html"], check=True
    )
    text = read(tmp_path / "html" / "book" / "start.html").article.get_text()
    assert {name for name in ("Binder", "Colab") if name in text} == said
    assert ("%pip install --quiet https://example.org/course/downloads/" in text) == (
        "Colab" in said
    )
