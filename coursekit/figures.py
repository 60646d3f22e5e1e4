"""The one style of the course's figures: vector pictures that follow the page's theme."""

import io
import re
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
from IPython.display import display

# Okabe and Ito's colours, which the colour-blind can tell apart, one for each meaning. Only those
# that keep a contrast of 3:1 on white and on a dark page alike. Black becomes the page's text
# colour, whatever that is.
INK = "black"
MODEL = "#0072b2"
BASELINE = "#009e73"
MARK = "#d55e00"

_STYLE = {
    # In inches. A phone shows this width with its text at two thirds: still legible.
    "figure.figsize": (5.6, 2.8),
    "figure.constrained_layout.use": True,
    "font.size": 10.5,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=[INK, MODEL, BASELINE, MARK]),
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": INK,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "lines.linewidth": 1.4,
}
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _XLINK)


def use_style():
    """Give every figure that is made from now on the style of the course."""
    plt.rcParams.update(_STYLE)


def show(fig, alt):
    """Show a Matplotlib figure below the cell as inline SVG, and close it.

    What is black in it takes the text colour of the page around it, light or dark, and its text
    the page's typeface. It is as wide as the column, up to a limit.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
    alt : str
        What a sighted reader would conclude from the figure, in a sentence or two.

    Raises
    ------
    ValueError
        When `alt` is empty.
    """
    svg = to_svg(fig, alt)
    plt.close(fig)
    display({"text/html": svg, "text/plain": f"[Figure: {_one_line(alt)}]"}, raw=True)


def to_svg(fig, alt):
    """Return what `show` shows: an ``<svg>`` element, the same text for the same figure."""
    alt = _one_line(alt)
    if not alt:
        raise ValueError("alt is empty: say in a sentence what a reader sees in the figure")
    file = io.StringIO()
    # Ids made from the words differ between the figures of a page, not between two builds of it.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": alt}):
        no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        fig.savefig(file, format="svg", transparent=True, metadata=no_metadata)
    root = ElementTree.fromstring(file.getvalue())
    _fit_into_page(root)
    root.attrib = {
        "role": "img",
        "aria-label": alt,
        "viewBox": root.get("viewBox"),
        # Matplotlib leaves out a black fill; this is what is inherited instead.
        "fill": "currentColor",
        "stroke-linejoin": "round",
        "style": "display: block; width: 100%; max-width: 42rem; height: auto; margin: 0.5rem auto",
    }
    return ElementTree.tostring(root, encoding="unicode")


def diagram(width=5.6, height=2.0):
    """Return a figure and its axes for a drawing: no ticks, and one unit is an inch both ways."""
    fig = plt.figure(figsize=(width, height), layout="none")
    ax = fig.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    ax.set_axis_off()
    return fig, ax


def box(ax, x, y, text, color=INK, width=0.7, height=0.4):
    """Draw a rounded box with a word in it, centred at (x, y)."""
    corner = (x - width / 2, y - height / 2)
    rounded = matplotlib.patches.FancyBboxPatch(
        corner, width, height, boxstyle="round,pad=0,rounding_size=0.08", fill=False, color=color
    )
    rounded.set_linewidth(1.4)
    ax.add_patch(rounded)
    ax.text(x, y, text, ha="center", va="center_baseline")


def arrow(ax, start, end, text="", color=INK):
    """Draw an arrow from point to point, its label above the middle or right of an upright one."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "shrinkA": 0})
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    if start[0] == end[0]:
        ax.text(x + 0.06, y, text, va="center")
    else:
        ax.text(x, y + 0.06, text, ha="center")


def _one_line(text):
    return " ".join(text.split())


def _fit_into_page(root):
    """Take from a figure's SVG what would leak into a page or disregard it."""
    markup = ElementTree.tostring(root, encoding="unicode")
    referred_to = set(re.findall(r'(?:url\(|href=")#([\w-]+)', markup))
    for element in root.iter():
        # Matplotlib's style sheet names `*`, which would mean every element of the page.
        for style_sheet in element.findall(f"{{{_SVG}}}style"):
            element.remove(style_sheet)
        # It numbers the parts of every figure alike, and a page must not hold an id twice.
        if element.get("id") not in referred_to:
            element.attrib.pop("id", None)
        if not (element.text or "").strip():
            element.text = None
        element.tail = None
        for name in {"d", "x", "y", "transform"}.intersection(element.keys()):
            element.set(name, re.sub(r"(\.\d\d)\d+", r"\1", _one_line(element.get(name))))
        if style := element.get("style"):
            style = re.sub(r" ?font-family: [^;]*;?", "", style)
            element.set("style", style.replace("#000000", "currentColor"))
