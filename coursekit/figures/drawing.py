"""Diagrams of boxes and arrows, measured in inches, and a text that grows above a picture."""

from collections.abc import Sequence

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coursekit.figures.style import INK, MARK


def diagram(width: float = 5.6, height: float = 2.0) -> tuple[Figure, Axes]:
    """Return a figure and its axes for a drawing: no ticks, and one unit is an inch both ways."""
    fig = plt.figure(figsize=(width, height), layout="none")
    ax = fig.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    ax.set_axis_off()
    return fig, ax


def box(
    ax: Axes,
    x: float,
    y: float,
    text: str,
    color: str = INK,
    width: float = 0.7,
    height: float = 0.4,
) -> None:
    """Draw a rounded box with a word or a symbol ("$h_1$") in it, centred at (x, y)."""
    corner = (x - width / 2, y - height / 2)
    rounded = matplotlib.patches.FancyBboxPatch(
        corner, width, height, boxstyle="round,pad=0,rounding_size=0.08", fill=False, color=color
    )
    rounded.set_linewidth(1.4)
    ax.add_patch(rounded)
    if "$" in text:
        ax.text(x, y, text, ha="center", va="center", size=_size(text))
    else:  # words in a row of boxes stand on one line; their letters would lie a little too low
        ax.text(x, y + 0.03, text, ha="center", va="center_baseline", size=_size(text))


def arrow(
    ax: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    text: str = "",
    color: str = INK,
) -> None:
    """Draw an arrow from point to point, its label above the middle or right of an upright one."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "shrinkA": 0})
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    if start[0] == end[0]:
        ax.text(x + 0.06, y, text, va="center", size=_size(text))
    else:
        ax.text(x, y + 0.04, text, ha="center", va="bottom", size=_size(text))


def written_so_far(ax: Axes, tokens: Sequence[str], count: int) -> None:
    """Write the first ``count`` tokens above the axes, the last of them in orange.

    A line stands for each of the others, which is not written yet.
    """
    shown = ax.set_title("writes:", pad=10)
    for number, token in enumerate(tokens, start=1):  # to the right of what is shown already
        shown = ax.annotate(
            token if number <= count else "_",
            (1, 0),
            (6, 0),
            xycoords=shown,
            textcoords="offset points",
            va="bottom",
            color=MARK if number == count else INK,
        )


def _size(text):
    # Computer Modern looks smaller than the page's typeface at the same size.
    return "large" if "$" in text else "medium"
