"""Figures that follow the page's theme, say in words what they show and are built alike twice."""

import re
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
import pytest

from coursekit import figures

ALT = "A line that rises."


@pytest.fixture(autouse=True)
def style():
    plt.switch_backend("agg")
    with plt.rc_context():
        figures.use_style()
        yield
    plt.close("all")


def draw():
    fig, ax = plt.subplots()
    ax.plot([0, 1, 2], [1, 2, 4], "o-", label="model", color=figures.MODEL)
    ax.plot([0, 1, 2], [1, 1, 1], label="black")
    ax.set(xlabel="month", title="A title")
    ax.text(1, 2, "a < b & c")
    ax.legend()
    return fig


@pytest.mark.parametrize("alt", ["", "  \n"])
def test_figure_without_words_is_refused(alt):
    with pytest.raises(ValueError, match="alt is empty"):
        figures.to_svg(draw(), alt)


def test_words_reach_the_reader_who_cannot_see():
    root = ElementTree.fromstring(figures.to_svg(draw(), 'A "line"\n   that rises & falls.'))
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'A "line" that rises & falls.'


def test_same_figure_gives_the_same_bytes():
    assert figures.to_svg(draw(), ALT) == figures.to_svg(draw(), ALT)


def test_nothing_is_black_or_white_for_good():
    svg = figures.to_svg(draw(), ALT)
    assert 'fill="currentColor"' in svg
    assert "stroke: currentColor" in svg
    colours = set(re.findall(r"#[0-9a-f]{6}\b|\b(?:black|white)\b", svg.replace(">black<", "")))
    assert colours == {figures.MODEL}


def test_text_stays_text_in_the_typeface_of_the_page():
    svg = figures.to_svg(draw(), ALT)
    assert ">month</text>" in svg
    assert ">a &lt; b &amp; c</text>" in svg
    assert "font-family" not in svg


def test_nothing_leaks_into_the_page():
    svg = figures.to_svg(draw(), ALT)
    assert "<style" not in svg
    assert svg.startswith("<svg")
    ids = re.findall(r' id="([\w-]+)"', svg)
    referred_to = set(re.findall(r'(?:url\(|href=")#([\w-]+)', svg))
    assert set(ids) == referred_to
    assert len(ids) == len(set(ids))


def test_two_figures_of_a_page_share_no_id():
    one, other = (set(re.findall(r' id="([\w-]+)"', figures.to_svg(draw(), alt))) for alt in "ab")
    assert one and other and not one & other


def test_shown_figure_is_closed_and_reads_as_text_elsewhere(monkeypatch):
    shown = []
    monkeypatch.setattr(figures, "display", lambda data, raw: shown.append(data))
    fig = draw()
    figures.show(fig, ALT)
    assert shown[0]["text/html"].startswith("<svg")
    assert shown[0]["text/plain"] == "[Figure: A line that rises.]"
    assert not plt.fignum_exists(fig.number)


def test_drawing_has_boxes_and_arrows_in_inches():
    fig, ax = figures.diagram(width=4, height=1)
    figures.box(ax, 1, 0.5, "h_1", color=figures.MODEL)
    figures.arrow(ax, (1.4, 0.5), (2.6, 0.5), "w_h")
    svg = figures.to_svg(fig, "A state and an arrow.")
    assert 'viewBox="0 0 288 72"' in svg
    assert ">h_1</text>" in svg and ">w_h</text>" in svg


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
