"""The one style of the course's figures: vector pictures that follow the page's theme.

`show` shows a figure with its caption, `move` one with sliders: the same drawing function is called
for every stop of every slider, and the page only chooses among the pictures that Python has drawn.
So both work on the static site, without a kernel, and in JupyterLab.
"""

from coursekit.figures.drawing import arrow, box, diagram, written_so_far
from coursekit.figures.moving import Dial, dial, move
from coursekit.figures.page import show
from coursekit.figures.style import BASELINE, INK, MARK, MODEL, SIGNED, shades, use_style

# "zh" draws the figures that come after it with Chinese words; set it before `use_style`.
language = "en"

__all__ = [
    "BASELINE",
    "INK",
    "MARK",
    "MODEL",
    "SIGNED",
    "Dial",
    "arrow",
    "box",
    "diagram",
    "dial",
    "language",
    "move",
    "shades",
    "show",
    "use_style",
    "written_so_far",
]
