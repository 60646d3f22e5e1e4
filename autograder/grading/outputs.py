"""Outputs as an executed notebook keeps them: text and sound pictures, nothing that is rendered.

The notebooks under ``autograded/`` are opened in formgrader and converted by nbconvert, which run
whatever HTML, SVG or JavaScript a cell has shown.
"""

from __future__ import annotations

import base64
import io
import struct

from nbformat import NotebookNode
from PIL import Image

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
            again, pixels = _encoded_again(picture, self._pixels)
            self._pixels -= pixels
            if again:
                kept["image/png"] = again
        text = output.data.get("text/plain")
        if isinstance(text, str) and text:
            kept["text/plain"] = text
        elif not kept:
            kept["text/plain"] = SHOWN_ELSEWHERE
        output.data, output.metadata = kept, {}
        return output


def _encoded_again(encoded: str, most: int) -> tuple[str | None, int]:
    """Decode a PNG in base64 of at most ``most`` pixels and return it encoded again.

    With it, or None, comes the number of pixels looked at: a broken picture costs time as well.
    """
    looked_at = 0
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
        # The size stands in the first chunk. A picture that begins with another one may have two.
        if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
            return None, 0
        width, height = struct.unpack(">II", data[16:24])
        if width * height > most:
            return None, 0
        looked_at = width * height
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            if image.size != (width, height):
                return None, looked_at
            pixels = image.convert("RGBA")
    except Exception:  # a broken picture makes Pillow raise whatever it meets
        return None, looked_at
    pixels.info.clear()
    again = io.BytesIO()
    pixels.save(again, "PNG")
    return base64.b64encode(again.getvalue()).decode(), looked_at
