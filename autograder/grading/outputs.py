"""Outputs as an executed notebook keeps them: text and sound pictures, nothing that is rendered.

The notebooks under ``autograded/`` are opened in formgrader and converted by nbconvert, which run
whatever HTML, SVG or JavaScript a cell has shown.
"""

from __future__ import annotations

from nbformat import NotebookNode

from autograder.reports.cells import safe_png

# Of one submission; a figure of Matplotlib has about a third of a million.
PIXELS = 8_000_000
SHOWN_ELSEWHERE = "(shown in your notebook only)"


class InertOutputs:
    """Makes the outputs of one submission inert, within its share of pixels."""

    def __init__(self) -> None:
        self._pixels = PIXELS

    def of(self, output: NotebookNode) -> NotebookNode:
        """Return the output with its text and a picture encoded again, and nothing else in it."""
        if output.output_type not in ("display_data", "execute_result"):
            return output
        kept = {}
        picture = output.data.get("image/png")
        if isinstance(picture, str):
            again, pixels = safe_png(picture, self._pixels)
            self._pixels -= pixels
            if again:
                kept["image/png"] = again
        text = output.data.get("text/plain")
        if isinstance(text, str) or not kept:
            kept["text/plain"] = text if isinstance(text, str) else SHOWN_ELSEWHERE
        output.data, output.metadata = kept, {}
        return output
