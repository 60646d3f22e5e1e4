"""Figures that follow the page's theme, say in words what they show, and move."""

import base64
import gzip
import io
import itertools
import json
import re
from types import SimpleNamespace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from bs4 import BeautifulSoup
from PIL import Image

from coursekit import figures
from coursekit.figures import dial
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
    assert f"var(--figure-model, {figures.MODEL})" in svg


def picture(values, cmap):
    fig, ax = plt.subplots()
    ax.imshow(values, cmap=cmap, vmin=-1, vmax=1, interpolation="none")
    return fig


def test_picture_follows_the_theme_pixel_by_pixel(show):
    """Each colour is an area in the page's colour, seen through the pixels that have it."""
    values = np.array([[-1.0, 1.0, 0.5], [0.0, -0.5, 1.0]])
    svg = BeautifulSoup(show(picture(values, figures.SIGNED)), "html.parser").svg
    masks = {mask["id"]: mask for mask in svg.find_all("mask")}
    assert len(svg.find_all("image")) == len(masks) == 2
    opacity = {}
    for area in svg.find_all("rect", mask=True):
        mask = masks[area["mask"].removeprefix("url(#").removesuffix(")")]
        data = base64.b64decode(mask.image["xlink:href"].partition(",")[2])
        pixels = np.array(Image.open(io.BytesIO(data)).convert("RGBA"))
        assert (pixels[..., :3] == 255).all()
        opacity[area["style"]] = pixels[..., 3] / 255
    model, mark = (np.maximum(sign * values, 0) for sign in (1, -1))
    assert opacity.keys() == {
        f"fill: var(--figure-model, {figures.MODEL})",
        f"fill: var(--figure-mark, {figures.MARK})",
    }
    for style, expected in zip(sorted(opacity), (mark, model), strict=True):
        np.testing.assert_allclose(opacity[style], expected, atol=0.01)


def test_picture_in_other_colours_stays_as_it_is(show):
    svg = BeautifulSoup(show(picture(np.eye(3), "viridis")), "html.parser").svg
    assert len(svg.find_all("image")) == 1
    assert not svg.find_all("mask")


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
    assert selectors and all(".course-figure" in one for one in selectors)


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


def test_a_text_grows_above_a_picture():
    figures.use_style()
    fig, ax = plt.subplots()
    figures.written_so_far(ax, ["may", "4", "."], 2)
    assert ax.get_title(loc="left") == "writes:"
    assert [text.get_text() for text in ax.texts] == ["may", "4", "_"]
    assert [text.get_color() for text in ax.texts] == [figures.INK, figures.MARK, figures.INK]
    fig.canvas.draw()
    lefts = [text.get_window_extent().x0 for text in ax.texts]
    assert ax.bbox.x0 < lefts[0] < lefts[1] < lefts[2]
    plt.close(fig)


@pytest.mark.parametrize("page, place", [("#ffffff", 0), ("#14191f", 1), ("#111111", 1)])
@pytest.mark.parametrize("colour", ["model", "baseline", "mark"])
def test_words_in_a_colour_can_be_read_on_light_and_dark(show, colour, page, place):
    """Text needs a contrast of 4.5:1 (WCAG 2.2, 1.4.3); dark is our page and JupyterLab's."""

    def luminance(name):
        channels = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in matplotlib.colors.to_rgb(name)
        ]
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]

    on_light_and_dark = re.findall(rf"--figure-{colour}: (#\w+)", show())
    dark, light = sorted((luminance(on_light_and_dark[place]), luminance(page)))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def bars(drawn, size=(5.6, 2.8)):
    """Return a function for `move` that draws one bar and notes its values in `drawn`."""

    def draw(**values):
        drawn.append(values)
        fig, ax = plt.subplots(figsize=size)
        ax.bar([0], [sum(values.values())], color=figures.MODEL)
        ax.text(0, 5, " and ".join(f"{name} {value}" for name, value in values.items()))
        ax.set(xlim=(-1, 1), ylim=(0, 10))
        return fig

    return draw


def words_of(values):
    return "The bar is {} high.".format(" plus ".join(str(value) for value in values.values()))


@pytest.fixture
def move(shown):
    """Show a figure with one slider, or those given; return what was drawn and its HTML."""

    def move(**arguments):
        drawn = []
        arguments = {
            "draw": bars(drawn),
            "caption": CAPTION,
            "alt": lambda **values: words_of(values),
        } | arguments
        if not any(isinstance(value, figures.Dial) for value in arguments.values()):
            arguments["height"] = dial("bar's height", [1, 2, 4, 8], start=2, format="{:d} cm")
        figures.move(arguments.pop("draw"), **arguments)
        return SimpleNamespace(drawn=drawn, html=shown[-1]["text/html"], output=shown[-1])

    return move


def frames_of(html):
    """Put the pictures together again, as the script does, and give them with their words."""
    text = BeautifulSoup(html, "html.parser").find("script", type="application/json").string
    data = json.loads(text)
    pictures = ["".join(data["tags"][tag] for tag in frame) for frame in data["frames"]]
    return pictures, data["alts"], data["texts"]


def test_every_stop_is_drawn_once_with_its_value_and_its_words(move):
    moved = move()
    assert moved.drawn == [{"height": value} for value in (1, 2, 4, 8)]
    pictures, alts, texts = frames_of(moved.html)
    assert texts == [["1 cm", "2 cm", "4 cm", "8 cm"]]
    for values, picture, alt in zip(moved.drawn, pictures, alts, strict=True):
        assert f">height {values['height']}</text>" in picture
        assert alt == words_of(values)


def test_two_dials_give_every_combination_of_their_stops(move):
    first, second = dial("first", [0, 1, 2]), dial("second", [3, 4], start=4)
    moved = move(first=first, second=second)
    combinations = itertools.product(first.values, second.values)
    assert moved.drawn == [{"first": one, "second": other} for one, other in combinations]
    pictures, _, _ = frames_of(moved.html)
    assert [
        f">first {f} and second {s}</text>" in p
        for p, (f, s) in zip(pictures, itertools.product((0, 1, 2), (3, 4)), strict=True)
    ] == [True] * 6


def test_the_picture_without_a_script_is_the_one_at_the_start(move):
    moved = move()
    page = BeautifulSoup(moved.html, "html.parser")
    assert page.svg["aria-label"] == "The bar is 2 high."
    assert "height 2" in page.svg.text
    assert page.select_one(".still").text.endswith(" Here it stands at bar's height: 2 cm.")
    assert moved.output["text/plain"] == "[Figure: The bar is 2 high.]"


def test_slider_says_what_it_sets_and_where_it_stands(move):
    page = BeautifulSoup(move().html, "html.parser")
    slider = page.select_one("input[type=range]")
    assert page.select_one(f"label[for={slider['id']}]").text == "bar's height"
    assert page.select_one(f"output[for={slider['id']}]").text == "2 cm"
    assert slider["aria-valuetext"] == "2 cm"
    assert (slider["min"], slider["max"], slider["value"]) == ("0", "3", "1")


def test_jupyterlab_leaves_the_keys_to_slider_and_buttons(move):
    page = BeautifulSoup(move(height=dial("h", [1, 2], play=True)).html, "html.parser")
    controls = page.select("input, button")
    assert len(controls) == 4
    assert all(control["data-lm-suppress-shortcuts"] == "true" for control in controls)


def test_moving_figure_closes_what_it_drew(move):
    before = plt.get_fignums()
    move()
    assert plt.get_fignums() == before


def test_same_moving_figure_gives_the_same_bytes(move):
    assert move().html == move().html


def test_pictures_share_what_they_have_in_common(move):
    few = move(height=dial("height", range(2)))
    many = move(height=dial("height", range(20)))
    sizes = [len(gzip.compress(moved.html.encode())) for moved in (few, many)]
    assert sizes[1] < 1.5 * sizes[0] < 10_000


def test_too_heavy_a_figure_is_refused(move, monkeypatch):
    assert figures.moving.MAX_COMPRESSED_BYTES == 150_000
    monkeypatch.setattr(figures.moving, "MAX_COMPRESSED_BYTES", 2000)
    with pytest.raises(ValueError, match="^the 4 pictures weigh .* kB compressed; at most 2 are"):
        move()


@pytest.mark.parametrize(
    "wrong, complaint",
    [
        ({"caption": " "}, "caption is empty"),
        ({"alt": ""}, "alt is empty"),
        ({"alt": lambda height: "high" if height < 8 else " "}, "alt is empty"),
        ({name: dial("d", [1, 2]) for name in "abc"}, "move has 3 dials"),
    ],
)
def test_moving_figure_that_cannot_be_shown_is_refused(move, wrong, complaint):
    with pytest.raises(ValueError, match=f"^{complaint}.*$"):
        move(**wrong)


def test_pictures_of_different_sizes_are_refused(move):
    with pytest.raises(ValueError, match="^the pictures differ in size"):
        move(draw=lambda height: bars([], size=(5.6, height))(height=height))


def test_drawing_that_gives_no_figure_is_refused(move):
    with pytest.raises(TypeError, match="^draw must return a Matplotlib figure, not tuple$"):
        move(draw=lambda height: plt.subplots())


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ((" ", [1, 2]), "label is empty"),
        (("rate", [1]), "it needs two or more"),
        (("rate", [0.1, 0.2], 0.15), "starts at 0.15, which is not one of its values"),
    ],
)
def test_dial_that_cannot_be_set_is_refused(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        dial(*arguments)


def test_dial_starts_at_a_value_as_it_is_written():
    assert dial("rate", [0.1 + 0.2, 0.4], start=0.3).start == 0
    assert dial("bias", [-0.5, 1e-5, 2]).texts == ("\N{MINUS SIGN}0.5", "1e-05", "2")


def test_figure_is_numbered_by_its_chapter_and_its_place(shown, monkeypatch, tmp_path):
    (tmp_path / "figure_order.json").write_text(
        json.dumps({"ch01_a": ["loop"], "ch12_b": ["gate", CAPTION]})
    )
    monkeypatch.setattr(figure_page, "_FIGURE_ORDER", tmp_path / "figure_order.json")
    figures.show(draw(), caption=CAPTION, alt=ALT)
    figures.show(draw(), caption="Another.", alt=ALT, name="loop")
    figures.show(draw(), caption="A student's own.", alt=ALT)
    pages = [BeautifulSoup(output["text/html"], "html.parser") for output in shown]
    captions = [page.figcaption.text for page in pages]
    assert captions == [f"Figure 12.2 {CAPTION}", "Figure 1.1 Another.", "A student's own."]
    assert [page.figure.get("id") for page in pages] == [None, "fig-loop", None]
    assert shown[1]["text/plain"] == f"[Figure 1.1: {ALT}]"


@pytest.fixture
def open_page(browser, tmp_path):
    """Open a page that holds the figures and nothing else; note what it asks for and says."""
    pages = []

    def open_page(*htmls, script=True, **settings):
        file = tmp_path / "page.html"
        body = "\n".join(htmls)
        file.write_text(f'<!doctype html><meta charset="utf-8"><body>{body}', encoding="utf-8")
        page = browser.new_page(java_script_enabled=script, **settings)
        page.asked, page.complaints = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.goto(file.as_uri())
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()


def seen(page):
    """Return the texts in the pictures that are visible."""
    return page.locator("svg:visible").all_text_contents()


def test_keys_move_the_slider_and_change_the_picture(move, open_page):
    page = open_page(move(height=dial("height", [1, 2, 4], start=2)).html)
    slider = page.get_by_role("slider", name="height")
    box = page.locator("svg:visible").bounding_box()
    for key, value in [("ArrowRight", 4), ("ArrowRight", 4), ("Home", 1), ("ArrowUp", 2)]:
        slider.press(key)
        (picture,) = page.locator("svg:visible").all()
        assert f"height {value}" in picture.text_content()
        assert picture.get_attribute("aria-label") == f"The bar is {value} high."
        assert page.locator("output").inner_text() == str(value)
        assert slider.get_attribute("aria-valuetext") == str(value)
        assert page.get_by_role("status").last.text_content() == f"The bar is {value} high."
        assert picture.bounding_box() == box
    assert not page.complaints
    assert len(page.asked) == 1


def test_slider_keeps_its_place_whatever_its_value_is_called(move, open_page):
    words = ["1", "the last of all stops"]
    moved = move(
        draw=lambda stop: bars([])(height=1), alt=ALT, stop=dial("stop", words, format="{}")
    )
    page = open_page(moved.html)
    slider = page.get_by_role("slider")
    box = slider.bounding_box()
    slider.press("ArrowRight")
    assert page.locator("output").inner_text() == words[1]
    assert slider.bounding_box() == box


def test_touch_moves_the_slider(move, open_page):
    page = open_page(move(height=dial("height", [1, 2, 4])).html, has_touch=True)
    box = page.get_by_role("slider").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 5, box["y"] + box["height"] / 2)
    assert "height 4" in seen(page)[0]


def test_two_figures_of_a_page_move_by_themselves(move, open_page):
    two = [move(height=dial(label, [1, 2])).html for label in ("left", "right")]
    two.append(move(a=dial("a", [1, 2]), b=dial("b", [3, 4])).html)
    page = open_page(*two)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids)) > 6
    page.get_by_role("slider", name="right").press("ArrowRight")
    page.get_by_role("slider", name="b").press("ArrowRight")
    for picture, words in zip(seen(page), ("height 1", "height 2", "a 1 and b 4"), strict=True):
        assert words in picture


def test_stepper_goes_on_back_and_plays_until_it_is_paused_or_ends(move, open_page):
    page = open_page(move(height=dial("height", [1, 2, 3], play=True)).html)
    page.clock.install(time=0)
    page.clock.pause_at(1)  # a busy machine lets real time pass between two steps of a test
    page.reload()

    def button(name):
        return page.get_by_role("button", name=name)

    page.clock.run_for(5000)
    assert "height 1" in seen(page)[0]
    button("Next").click()
    assert "height 2" in seen(page)[0]
    button("Back").click()
    button("Back").click()
    assert "height 1" in seen(page)[0]
    button("Play").click()
    page.clock.run_for(1000)
    button("Pause").click()
    page.clock.run_for(5000)
    assert "height 2" in seen(page)[0]
    button("Play").click()
    page.clock.run_for(5000)
    assert "height 3" in seen(page)[0]
    button("Play").click()
    assert "height 1" in seen(page)[0]
    assert not page.complaints


def test_nothing_plays_for_those_who_want_less_motion(move, open_page):
    page = open_page(move(height=dial("height", [1, 2], play=True)).html, reduced_motion="reduce")
    assert page.get_by_role("button", name="Next").is_visible()
    assert not page.get_by_role("button", name="Play").is_visible()


def test_without_a_script_the_start_is_shown_and_no_dead_slider(move, open_page):
    page = open_page(move(height=dial("height", [1, 2], start=2)).html, script=False)
    assert "height 2" in seen(page)[0]
    assert page.get_by_text("height: 2").is_visible()
    assert not page.locator("input").is_visible()


def test_print_shows_the_start_with_its_caption(move, open_page):
    page = open_page(move(height=dial("height", [1, 2, 4], start=2)).html)
    page.get_by_role("slider").press("ArrowRight")
    page.emulate_media(media="print")
    (picture,) = seen(page)
    assert "height 2" in picture
    assert page.get_by_text("height: 2").is_visible()
    assert page.get_by_text(CAPTION).is_visible()
    assert not page.locator("input").is_visible()


def test_labels_can_be_read_on_a_phone(show, open_page):
    html = show()
    page = open_page(
        f'<div style="width: 358px">{html}</div>', viewport={"width": 390, "height": 844}
    )
    heights = page.evaluate(
        """[...document.querySelectorAll("svg text")].map((text) => {
            const { a, b } = text.getScreenCTM();
            return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
        })"""
    )
    assert heights and min(heights) >= 11
