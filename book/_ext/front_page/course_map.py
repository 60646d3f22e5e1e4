"""The map of the course on its front page: a drawing for every chapter, in reading order."""

import textwrap
from collections.abc import Callable, Sequence
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from autograder.translation.catalogue import language, translate
from coursekit import chapter_number, figures
from coursekit.datasets import load_sunspots
from coursekit.figures.svg import draw_svg, markup

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_COLUMNS, _CELL, _ROW = 4, 1.4, 1.66  # inches
_WIDTH, _HEIGHT = 1.14, 0.8  # of a drawing
_LINE = 14  # characters of a name


def course_map(chapters: Sequence[tuple[str, str, str, str]]) -> str:
    """Return the map as an SVG element in text, each chapter a link.

    ``chapters`` lists, in reading order, ``(stem, part, title, address)``: the part's caption,
    the full title for screen readers, and where the lesson is. A chapter that has no drawing below
    gets its number.
    """
    rows = -(-len(chapters) // _COLUMNS)
    with plt.rc_context():
        figures.language = language()
        figures.use_style()
        fig, ax = figures.diagram(_COLUMNS * _CELL, rows * _ROW)
        addresses, parts = {}, set()
        for place, (stem, part, title, address) in enumerate(chapters):
            row, column = divmod(place, _COLUMNS)
            left = column * _CELL + (_CELL - _WIDTH) / 2
            bottom = (rows - row) * _ROW - 0.26 - _HEIGHT
            draw, name = _DRAWINGS.get(stem) or _plain(chapter_number(stem), title)
            if part not in parts:
                parts.add(part)
                ax.text(
                    left, bottom + _HEIGHT + 0.07, translate(part).split(" · ")[0], size="small"
                )
            _draw_inside(ax, (left, bottom), draw)
            number = chapter_number(stem)
            middle = left + _WIDTH / 2
            ax.text(middle, bottom - 0.07, f"{number} · {translate(name)}", ha="center", va="top")
            if place:
                _arrow_into(ax, left, bottom + _HEIGHT / 2, begins_row=not column)
            # The link is the frame and the name together. It is drawn last, so it lies on top.
            cell = Rectangle((left - 0.1, bottom - 0.55), _WIDTH + 0.2, _HEIGHT + 0.61, lw=0)
            cell.set(facecolor="none", url=address, zorder=9)
            ax.add_patch(cell)
            addresses[address] = translate("Chapter {number}: {title}", number=number, title=title)
        svg = draw_svg(fig)
        plt.close(fig)
    # An image would hide the links in it from a screen reader.
    svg.attrib |= {
        "role": "group",
        "aria-label": translate(
            "A map of the course. Arrows lead from chapter to chapter, from a recurrent network "
            "through the attention of translators and the positions of words to the Transformer. "
            "Each chapter has a drawing and is a link to its lesson."
        ),
    }
    for link in svg.iter(f"{_SVG}a"):
        address = link.attrib[_LINK]
        # Matplotlib's own link would open a new window.
        link.attrib = {"href": address, "aria-label": addresses[address]}
        ElementTree.SubElement(link, f"{_SVG}title").text = addresses[address]
    return markup(svg, "course-map")


def names() -> list[str]:
    """List the names that the map gives to the chapters."""
    return [name for _, name in _DRAWINGS.values()]


def _draw_inside(ax: Axes, corner: tuple[float, float], draw: Callable[[Axes], None]) -> None:
    """Draw into a frame of its own coordinates, which run from 0 to 1 both ways."""
    left, bottom = corner
    ax.add_patch(Rectangle(corner, _WIDTH, _HEIGHT, fill=False, lw=1, alpha=0.45))
    inside = ax.inset_axes((left, bottom, _WIDTH, _HEIGHT), transform=ax.transData)
    inside.set(xlim=(0, 1), ylim=(0, 1))
    inside.set_axis_off()
    draw(inside)


def _arrow_into(ax: Axes, left: float, height: float, begins_row: bool) -> None:
    gap = _CELL - _WIDTH
    start = left - (gap / 2 if begins_row else gap)
    figures.arrow(ax, (start, height), (left, height))
    if begins_row:  # the other half of it ends the row above
        end = _COLUMNS * _CELL
        ax.plot([end - gap / 2, end], [height + _ROW] * 2, color=figures.INK, lw=1)


# --- the drawings ---------------------------------------------------------------------------------


def _arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], color: str = figures.INK
) -> None:
    style = {"arrowstyle": "-|>", "color": color, "mutation_scale": 7, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=style)


def _cells(
    ax: Axes,
    box: tuple[float, float, float, float],
    opacities: np.ndarray,
    color: str = figures.MARK,
) -> None:
    """Draw a matrix into a box (left, bottom, width, height), the larger the entry the darker."""
    left, bottom, width, height = box
    rows, columns = opacities.shape
    size = width / columns, height / rows
    for (row, column), opacity in np.ndenumerate(opacities):
        if abs(opacity) > 0.04:
            corner = left + column * size[0], bottom + height - (row + 1) * size[1]
            tint = figures.MODEL if opacity < 0 else color
            ax.add_patch(Rectangle(corner, *size, color=tint, alpha=abs(opacity), lw=0))
    ax.add_patch(Rectangle((left, bottom), width, height, fill=False, lw=0.6, alpha=0.6))


def _softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _encoding(positions: int, d: int, n: float = 10000.0) -> np.ndarray:
    angles = np.arange(positions)[:, None] / n ** (2 * np.arange(d // 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(positions, d)


def _recurrent_network(ax: Axes) -> None:
    places = (0.2, 0.5, 0.8)
    for x in places:
        ax.plot(x, 0.6, "o", color=figures.MODEL, markersize=11, fillstyle="none", mew=1.6)
        _arrow(ax, (x, 0.14), (x, 0.46))
    for x in places[:-1]:
        _arrow(ax, (x + 0.09, 0.6), (x + 0.22, 0.6), figures.MODEL)


def _series(ax: Axes) -> None:
    values = load_sunspots().to_numpy()[-420:]
    ax.plot(np.linspace(0.05, 0.95, len(values)), 0.1 + 0.8 * values / values.max(), lw=0.8)
    ax.add_patch(Rectangle((0.55, 0.06), 0.16, 0.88, color=figures.MODEL, alpha=0.25, lw=0))


def _weights(ax: Axes, weights: np.ndarray) -> None:
    places = np.linspace(0.1, 0.9, len(weights))
    colors = [figures.MARK if weight > 0.1 else figures.INK for weight in weights]
    ax.bar(places, 0.03 + 0.8 * weights / weights.max(), width=0.055, bottom=0.08, color=colors)


def _pooling(ax: Axes) -> None:
    _weights(ax, _softmax(np.array([0.1, 0.0, 0.3, 0.1, 0.0, 2.9, 0.2, 0.0, 0.1, 0.2, 0.1])))


def _local_window(ax: Axes) -> None:
    offsets = np.arange(11) - 6.4
    weights = np.exp(-(offsets**2) / 2) * (abs(offsets) <= 3)
    _weights(ax, weights)
    ax.plot([0.36, 0.36, 0.86, 0.86], [0.9, 0.95, 0.95, 0.9], color=figures.MARK, lw=1)


def _alignment(ax: Axes) -> None:
    source = np.array([0, 1, 3, 2, 4, 5])  # two words change places
    scores = -2.2 * abs(np.arange(6) - source[:, None])
    _cells(ax, (0.22, 0.1, 0.56, 0.8), _softmax(scores))


def _heads(ax: Axes) -> None:
    rng = np.random.default_rng(5)
    for left, bottom in ((0.16, 0.54), (0.54, 0.54), (0.16, 0.08), (0.54, 0.08)):
        scores = np.where(np.tri(5, dtype=bool), 2 * rng.normal(size=(5, 5)), -np.inf)
        _cells(ax, (left, bottom, 0.3, 0.38), _softmax(scores))


def _waves(ax: Axes) -> None:
    x = np.linspace(0.04, 0.96, 160)
    for length, color in ((1.6, figures.BASELINE), (0.55, figures.MARK), (0.2, figures.MODEL)):
        ax.plot(x, 0.5 + 0.36 * np.sin(2 * np.pi * x / length), color=color, lw=1.3)


def _table(ax: Axes) -> None:
    _cells(ax, (0.12, 0.1, 0.76, 0.8), 0.85 * _encoding(10, 16, n=100.0))


def _components(ax: Axes) -> None:
    rows = _encoding(60, 100)
    left, lengths, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    x, y = (left * lengths)[:, :2].T
    x, y = 0.5 + 0.4 * x / abs(x).max(), 0.5 + 0.36 * y / abs(y).max()
    ax.plot(x, y, color=figures.MODEL, lw=1, alpha=0.6)
    ax.plot(x[::4], y[::4], "o", color=figures.MODEL, markersize=3)


def _transformer(ax: Axes) -> None:
    for left, bottoms, color in (
        (0.14, (0.2, 0.42), figures.MODEL),
        (0.58, (0.2, 0.42, 0.64), figures.INK),
    ):
        for bottom in bottoms:
            ax.add_patch(Rectangle((left, bottom), 0.28, 0.15, fill=False, color=color, lw=1.4))
        _arrow(ax, (left + 0.14, 0.02), (left + 0.14, 0.2), color)
    _arrow(ax, (0.72, 0.79), (0.72, 0.98))
    _arrow(ax, (0.42, 0.495), (0.58, 0.495), figures.MARK)


def _graph(ax: Axes) -> None:
    places = {0: (0.46, 0.5), 1: (0.16, 0.76), 2: (0.14, 0.26), 3: (0.5, 0.9), 4: (0.84, 0.66)}
    places |= {5: (0.74, 0.16)}
    for other, weight in ((1, 0.6), (2, 0.9), (3, 1.2), (4, 3.2), (5, 1.7)):
        ax.plot(*zip(places[0], places[other], strict=True), color=figures.MARK, lw=weight)
    ax.plot(*zip(places[1], places[2], strict=True), color=figures.INK, lw=0.6)
    ax.plot(*zip(places[4], places[5], strict=True), color=figures.INK, lw=0.6)
    for node, (x, y) in places.items():
        ax.plot(x, y, "o", color=figures.MODEL, markersize=9 if node == 0 else 6)


def _plain(number: int, title: str) -> tuple[Callable[[Axes], None], str]:
    """Return a drawing and a name for a chapter of which nobody has drawn anything."""

    def draw(ax: Axes) -> None:
        ax.text(0.5, 0.5, str(number), ha="center", va="center", size="xx-large")

    return draw, textwrap.fill(title, _LINE, max_lines=2, placeholder=" …")


def _loop(ax: Axes) -> None:
    """Draw a carried state: a node with a loop, as chapter 1 begins and chapter 12 ends."""
    ax.plot(0.5, 0.46, "o", color=figures.MODEL, markersize=17, fillstyle="none", mew=1.6)
    _arrow(ax, (0.08, 0.46), (0.34, 0.46))
    _arrow(ax, (0.66, 0.46), (0.92, 0.46))
    turn = np.linspace(-0.25, 1.1, 60) * np.pi
    x, y = 0.5 + 0.13 * np.cos(turn), 0.78 + 0.14 * np.sin(turn)
    ax.plot(x, y, color=figures.MARK, lw=1.4)
    _arrow(ax, (x[1], y[1]), (x[0] - 0.01, y[0] - 0.03), figures.MARK)


_DRAWINGS = {
    "ch01_rnn_basics": (_recurrent_network, "Recurrent\nnetworks"),
    "ch02_simple_rnn": (_series, "SimpleRNN\nby hand"),
    "ch03_custom_attention_layer": (_pooling, "An attention\nlayer"),
    "ch04_bahdanau_attention": (_alignment, "Learning\nto align"),
    "ch05_luong_attention": (_local_window, "Global and\nlocal"),
    "ch06_transformer_attention": (_heads, "Multi-head\nattention"),
    "ch07_positional_encoding_1": (_waves, "Positions\nin NumPy"),
    "ch08_positional_encoding_2": (_table, "Positions\nin Keras"),
    "ch09_pca_embeddings": (_components, "PCA of\npositions"),
    "ch10_transformer_model": (_transformer, "The\nTransformer"),
    "ch11_attention_tour": (_graph, "A tour\nbeyond"),
    "ch12_attention_today": (_loop, "Attention\ntoday"),
}
