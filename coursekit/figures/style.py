"""Colours, sizes and typefaces of a figure."""

from importlib import resources

import matplotlib
import matplotlib.font_manager
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap, to_rgb

from coursekit import figures
from coursekit.languages import ENGLISH

# Okabe and Ito's colours, which the colour-blind can tell apart, one for each meaning. Matplotlib
# draws with them, and by them they are found in its picture. What a page shows in their place is in
# figure.css: darker on white and lighter on a dark page, so that words in it can be read on both.
# Black becomes the page's text colour, whatever that is.
INK = "black"
MODEL = "#0072b2"
BASELINE = "#009e73"
MARK = "#d55e00"
ON_PAGE = {
    "#000000": "currentColor",
    MODEL: f"var(--figure-model, {MODEL})",
    BASELINE: f"var(--figure-baseline, {BASELINE})",
    MARK: f"var(--figure-mark, {MARK})",
}


def shades(color: str = MODEL, darkest: float = 1.0) -> ListedColormap:
    """Return a colormap that goes from nothing at all to one of the course's colours.

    It fades by opacity, so it suits a light page and a dark one.

    Parameters
    ----------
    color : str
        ``INK``, ``MODEL``, ``BASELINE`` or ``MARK``.
    darkest : float
        The opacity at the upper end; 0.85 where black words are to stand on it.
    """
    return ListedColormap([(*to_rgb(color), opacity) for opacity in np.linspace(0, darkest, 33)])


# From orange at the lower end through nothing in the middle to blue at the upper end.
SIGNED = ListedColormap([*shades(MARK).colors[:0:-1], *shades(MODEL).colors])

_STYLE = {
    # In inches. At this width a phone of 390 px shows a label of 12.5 points with 11 px.
    "figure.figsize": (5.6, 2.8),
    "figure.constrained_layout.use": True,
    "font.size": 12.5,
    # The site's typeface, because what is placed beside a word rests on how wide the word is, and
    # the words of a label that has a formula in it are drawn as outlines, too.
    "font.family": ["Source Sans 3", "DejaVu Sans"],
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=[INK, MODEL, BASELINE, MARK]),
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": INK,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "lines.linewidth": 1.4,
    # Computer Modern, in which MathJax sets the formulas of a notebook in JupyterLab.
    "mathtext.fontset": "cm",
}

# The name of the font in `noto-sans-sc.otf`.
CHINESE = "Noto Sans CJK SC"


def use_style() -> None:
    """Give every figure that is made from now on the style of the course."""
    font = resources.files("coursekit.figures").joinpath("source-sans-3.ttf")
    with resources.as_file(font) as path:
        matplotlib.font_manager.fontManager.addfont(path)
    plt.rcParams.update(_STYLE)
    if figures.language != ENGLISH:
        font = resources.files("coursekit.figures").joinpath("noto-sans-sc.otf")
        with resources.as_file(font) as path:
            matplotlib.font_manager.fontManager.addfont(path)
        plt.rcParams["font.family"] = [*_STYLE["font.family"], CHINESE]
