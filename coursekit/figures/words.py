"""The words of figures in the language that is set, `coursekit.figures.language`."""

import contextlib
from collections.abc import Iterator

from matplotlib.text import Text

from coursekit import figures, languages
from coursekit.figures.style import CHINESE


def translate(message: str, **fields: object) -> str:
    """Return words that every figure has, such as those on its buttons."""
    return languages.translate(message, figures.language, **fields)


def shown(text: str) -> str:
    """Return a text of one figure as it is shown: a caption, a label, a description."""
    return languages.filled_in(text, languages.catalogue("figures", figures.language))


@contextlib.contextmanager
def drawn_in_language() -> Iterator[None]:
    """Let Matplotlib measure and draw every text of a figure in the language that is set.

    Labels of an axis are written while it is drawn, so no text can be replaced before.
    """
    if figures.language == languages.ENGLISH:
        yield
        return
    get_text = Text.get_text

    def get_text_in_language(text):
        words = shown(get_text(text))
        if "$" in words and not words.isascii():
            # Beside a formula Matplotlib looks for the characters of words in a single font.
            text.set_family(CHINESE)
        return words

    Text.get_text = get_text_in_language
    try:
        yield
    finally:
        Text.get_text = get_text
