"""Figures that follow the page's theme, say in words what they show, and move."""

import re

import matplotlib
import matplotlib.pyplot as plt
import pytest
from bs4 import BeautifulSoup

from coursekit import figures
from coursekit.figures import page as figure_page

ALT = "A line that rises."
CAPTION = "The model and a black line, month by month."


@pytest.fixture(autouse=True)
def style():
    plt.switch_backend("agg")
    with plt.rc_context():
        figures.use_style()
        yield
    plt.close("all")


@pytest.fixture
def shown(monkeypatch):
    """What is displayed, in place of displaying it."""
    shown = []
    monkeypatch.setattr(figure_page, "display", lambda data, raw: shown.append(data))
    return shown


def draw(title="A title"):
    fig, ax = plt.subplots()
    ax.plot([0, 1, 2], [1, 2, 4], "o-", label="model", color=figures.MODEL)
    ax.plot([0, 1, 2], [1, 1, 1], label="black")
    ax.set(xlabel="month", title=title)
    ax.text(1, 2, "a < b & c")
    ax.text(1, 3, "$w_h^\\top$")
    ax.legend()
    return fig


@pytest.fixture
def show(shown):
    """Show a figure and return its HTML as text."""

    def show(fig=None, caption=CAPTION, alt=ALT, name=None):
        figures.show(fig or draw(), caption=caption, alt=alt, name=name)
        return shown[-1]["text/html"]

    return show


@pytest.mark.parametrize("argument", ["caption", "alt"])
@pytest.mark.parametrize("words", ["", "  \n"])
def test_figure_without_words_is_refused(show, argument, words):
    with pytest.raises(ValueError, match=f"^{argument} is empty: .+$"):
        show(**{argument: words})


@pytest.mark.parametrize("name", ["fig-loop", "two words", "Loop", ""])
def test_name_that_makes_no_anchor_is_refused(show, name):
    with pytest.raises(ValueError, match="^name is .+$"):
        show(name=name)


def test_words_reach_the_reader_who_cannot_see(show):
    html = show(alt='A "line"\n   that rises & falls.')
    picture = BeautifulSoup(html, "html.parser").svg
    assert picture["role"] == "img"
    assert picture["aria-label"] == 'A "line" that rises & falls.'


def test_same_figure_gives_the_same_bytes(show):
    assert show() == show()


def test_nothing_is_black_or_white_for_good(show):
    svg = str(BeautifulSoup(show(), "html.parser").svg)
    assert 'fill="currentColor"' in svg
    assert "stroke: currentColor" in svg
    colours = set(re.findall(r"#[0-9a-f]{6}\b|\b(?:black|white)\b", svg.replace(">black<", "")))
    assert colours == {figures.MODEL}


def test_text_stays_text_in_the_typeface_of_the_page(show):
    svg = str(BeautifulSoup(show(), "html.parser").svg)
    assert ">month</text>" in svg
    assert ">a &lt; b &amp; c</text>" in svg
    assert "font-family" not in svg


def test_mathematics_is_drawn_as_outlines(show):
    glyphs = BeautifulSoup(show(alt=ALT), "html.parser").select("defs > path[id*='Cm']")
    assert len(glyphs) == 3  # w, h and the transpose


def test_numbers_at_a_logarithmic_axis_are_words(show):
    fig, ax = plt.subplots()
    ax.semilogy([1e-3, 10])
    assert ">10⁻³</text>" in show(fig)


def test_nothing_leaks_into_the_page(show):
    html = show()
    ids = re.findall(r' id="([\w-]+)"', html)
    referred_to = set(re.findall(r'(?:url\(|href=")#([\w-]+)', html))
    assert set(ids) == referred_to
    assert len(ids) == len(set(ids))
    # Every rule of the style sheet is about the course's figures.
    rules = re.sub(r"@media[^{]*\{(.*)\}", r"\1", BeautifulSoup(html, "html.parser").style.string)
    selectors = re.findall(r"^\s*([^{@]+)\{", rules, flags=re.M)
    assert selectors and all(one.startswith(".course-figure") for one in selectors)


def test_two_figures_of_a_page_share_no_id(show):
    one, other = (set(re.findall(r' id="([\w-]+)"', show(alt=alt))) for alt in "ab")
    assert one and other and not one & other


def test_shown_figure_is_closed_and_reads_as_text_elsewhere(shown, show):
    fig = draw()
    show(fig)
    assert shown[0]["text/plain"] == "[Figure: A line that rises.]"
    assert not plt.fignum_exists(fig.number)


def test_caption_may_hold_code_and_formulas_but_no_html(show):
    caption = str(
        BeautifulSoup(show(caption="`tanh` of $a_1 < b$ & <b>x</b>"), "html.parser").figcaption
    )
    assert "<code>tanh</code>" in caption
    assert r'<span class="math notranslate nohighlight">\(a_1 &lt; b\)</span>' in caption
    assert "&lt;b&gt;" in caption


def test_drawing_has_boxes_and_arrows_in_inches(show):
    fig, ax = figures.diagram(width=4, height=1)
    figures.box(ax, 1, 0.5, "state", color=figures.MODEL)
    figures.arrow(ax, (1.4, 0.5), (2.6, 0.5), "time")
    html = show(fig)
    assert 'viewBox="0 0 288 72"' in html
    assert ">state</text>" in html and ">time</text>" in html


@pytest.mark.parametrize("page", ["#ffffff", "#14191f"])
@pytest.mark.parametrize("colour", [figures.MODEL, figures.BASELINE, figures.MARK])
def test_colours_stand_out_on_light_and_dark(colour, page):
    """What a picture is made of needs a contrast of 3:1 (WCAG 2.2, 1.4.11)."""

    def luminance(name):
        channels = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in matplotlib.colors.to_rgb(name)
        ]
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]

    dark, light = sorted((luminance(colour), luminance(page)))
    assert (light + 0.05) / (dark + 0.05) >= 3
