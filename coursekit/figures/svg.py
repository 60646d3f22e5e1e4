"""From a Matplotlib figure to SVG that belongs to the page around it.

Words stay words, in the page's typeface and colour. Mathematics is drawn as outlines: Matplotlib
places each of its glyphs by the widths of its own font, and in any other font the gaps are wrong.
"""

import io
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from coursekit.figures.style import ON_PAGE
from coursekit.figures.words import drawn_in_language

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", _SVG)
ElementTree.register_namespace("xlink", _XLINK)

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def draw_svg(fig: Figure) -> ElementTree.Element:
    """Return a figure as an ``<svg>`` element; the same figure gives the same element twice."""
    file = io.StringIO()
    FigureCanvasSVG(fig)
    # The unit of length in the file is a point, of which an inch has 72.
    fig.dpi = 72
    # With a salt drawn at random, the ids of two builds of a page would differ.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "coursekit"}):
        no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        renderer = _Renderer(*fig.bbox.size, file, image_dpi=144, metadata=no_metadata)
        with drawn_in_language():
            fig.draw(renderer)
        renderer.finalize()
    root = ElementTree.fromstring(file.getvalue())
    _fit_into_page(root)
    root.attrib = {
        "role": "img",
        "viewBox": root.get("viewBox"),
        # Matplotlib leaves out a black fill; this is what is inherited instead.
        "fill": "currentColor",
        "stroke-linejoin": "round",
    }
    return root


def markup(root: ElementTree.Element, prefix: str) -> str:
    """Return an ``<svg>`` element as text, each id in it preceded by `prefix`."""
    text = ElementTree.tostring(root, encoding="unicode")
    return re.sub(r'( id="|url\(#|href="#)', rf"\1{prefix}-", text)


class _Renderer(RendererSVG):
    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        if ismath and (power := re.fullmatch(r"\$\\mathdefault\{(.*)\}\$", s)):
            # The number at a tick of a logarithmic axis: a word like those at other ticks.
            s, ismath = _plain(power[1]), False
        with matplotlib.rc_context({"svg.fonttype": "path" if ismath else "none"}):
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)

    def draw_image(self, gc, x, y, im, transform=None):
        layers = _opacity_by_colour(im)
        if layers is None:
            super().draw_image(gc, x, y, im, transform)
            return
        # Pixels know no theme. What can follow it is an area in the colour; its mask is the picture
        # in white, through whose opacity the colour is seen.
        for colour, opacity in layers.items():
            white = np.dstack([np.full_like(opacity, 255), opacity])
            mask = self._make_id("mask", f"{colour} {x} {y} {transform} {opacity.tobytes()}")
            self.writer.start("mask", id=mask)
            super().draw_image(gc, x, y, white, transform)
            self.writer.end("mask")
            self.writer.element(
                "rect", width="100%", height="100%", style=f"fill: {colour}", mask=f"url(#{mask})"
            )


def _opacity_by_colour(image):
    """Return how opaque a picture is in each of the course's colours; None if it has others."""
    left, layers = image[..., 3], {}
    for colour in ON_PAGE:
        here = (image[..., :3] == np.multiply(to_rgb(colour), 255).round()).all(axis=-1)
        if np.any(left[here]):
            layers[colour] = np.where(here, left, 0)
            left = np.where(here, 0, left)
    return None if np.any(left) else layers


def _plain(number):
    number = re.sub(r"\^\{(.*?)\}", lambda power: power[1].translate(_SUPERSCRIPTS), number)
    return number.replace(r"\times", "·").replace("-", "\N{MINUS SIGN}")


def _fit_into_page(root):
    """Take from a figure's SVG what would leak into a page or disregard it."""
    text = ElementTree.tostring(root, encoding="unicode")
    referred_to = set(re.findall(r'(?:url\(|href=")#([\w-]+)', text))
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
        for name in {"d", "x", "y", "width", "height"}.intersection(element.keys()):
            element.set(name, _rounded(element.get(name), 2))
        if transform := element.get("transform"):
            # A glyph is drawn a hundred units high, so a hundredth in its scale is a lot.
            element.set("transform", _rounded(transform, 4 if "scale" in transform else 2))
        if style := element.get("style"):
            style = re.sub(r" ?font-family: [^;]*;?", "", style)
            for colour, on_page in ON_PAGE.items():
                style = style.replace(colour, on_page)
            element.set("style", style)


def _rounded(numbers, digits):
    def shorter(number):
        return f"{round(float(number[0]), digits):g}"

    return re.sub(r"-?\d+\.\d+", shorter, " ".join(numbers.split()))
