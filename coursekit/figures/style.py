"""Colours, sizes and typefaces of a figure."""

import matplotlib
import matplotlib.pyplot as plt

# Okabe and Ito's colours, which the colour-blind can tell apart, one for each meaning. Only those
# that keep a contrast of 3:1 on white and on a dark page alike. Black becomes the page's text
# colour, whatever that is.
INK = "black"
MODEL = "#0072b2"
BASELINE = "#009e73"
MARK = "#d55e00"

_STYLE = {
    # In inches. At this width a phone of 390 px shows a label of 12.5 points with 11 px.
    "figure.figsize": (5.6, 2.8),
    "figure.constrained_layout.use": True,
    "font.size": 12.5,
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
    # Computer Modern, as MathJax sets the formulas of the page.
    "mathtext.fontset": "cm",
}


def use_style() -> None:
    """Give every figure that is made from now on the style of the course."""
    plt.rcParams.update(_STYLE)
