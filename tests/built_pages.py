"""The pages of the built site, as tests read them."""

import functools
import gc
from pathlib import Path

from bs4 import BeautifulSoup

HTML = Path(__file__).resolve().parent.parent / "_build" / "html"


@functools.cache
def parsed(page):
    """Return a page of the site as Beautiful Soup reads it: many tests read it, none changes it.

    Raises `FileNotFoundError` when the site is not built.
    """
    text = (HTML / page).read_text(encoding="utf-8")
    # A lesson becomes up to a hundred thousand objects, and all of them stay. The garbage collector
    # would look through them again and again, while they are made and ever after.
    gc.disable()
    try:
        soup = BeautifulSoup(text, "html.parser")
        gc.freeze()
    finally:
        gc.enable()
    return soup
