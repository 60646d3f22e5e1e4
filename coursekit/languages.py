"""What checks and figures say, in the language that is set: `coursekit.checks.language = "zh"`.

The catalogues are gettext's, in ``locale/``. A message with fields in braces is filled in like a
format string. Words that a cell of a lesson computes and draws ("With n = 10 …") are found by the
message that has fields in their places, because the cell is the same in every language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from babel.messages.pofile import read_po

if TYPE_CHECKING:
    from importlib.abc import Traversable

ENGLISH = "en"
# From the name of a language to the folder of its catalogues.
LOCALES = {"zh": "zh_CN"}
_FIELD = re.compile(r"\{(\w+)\}")
# Our own messages stand in one another at most three deep. A text of a student's may have the form
# of a message, and all that is left of it again, a thousand times.
MAX_DEPTH = 5


def catalogue(domain: str, language: str) -> Mapping[str, str]:
    """Return from English what has been translated of one kind; nothing for English itself.

    The kinds are ``coursekit`` (what it says itself), ``mistakes`` and ``figures`` (their words).

    Raises
    ------
    ValueError
        When the course does not speak the language.
    """
    if language == ENGLISH:
        return {}
    if language not in LOCALES:
        spoken = ", ".join(f'"{name}"' for name in (ENGLISH, *LOCALES))
        raise ValueError(f"the language is {language!r}; choose one of {spoken}")
    return _read(domain, LOCALES[language])


@cache
def _read(domain: str, locale: str) -> Mapping[str, str]:
    folder = resources.files("coursekit") / "locale" / locale / "LC_MESSAGES"
    return translations(folder / f"{domain}.po", locale)


def translations(file: Traversable, locale: str) -> Mapping[str, str]:
    """Read a catalogue without what is missing or out of step; nothing when there is no file."""
    if not file.is_file():
        return {}
    with file.open("rb") as content:
        messages = read_po(content, locale=locale)
    return {
        message.id: message.string
        for message in messages
        if message.id and message.string and not message.fuzzy
    }


def translate(message: str, language: str, **fields: object) -> str:
    """Return what coursekit says itself, with its fields filled in."""
    said = catalogue("coursekit", language).get(message, message)
    return said.format(**fields) if fields else said


def filled_in(text: str, words: Mapping[str, str], depth: int = MAX_DEPTH) -> str:
    """Translate a text that was made from one of the messages by filling in its fields.

    What fills a field may be made from a message itself, and so on, ``depth`` levels deep.
    """
    if text in words:
        return words[text]
    if not depth:
        return text
    for pattern, fields, translation in _patterns(tuple(words.items())):
        if found := pattern.fullmatch(text):
            said = (
                filled_in(value, words, depth - 1) if value != text else value
                for value in found.groups()
            )
            return _filled(translation, dict(zip(fields, said, strict=True)))
    return text


def _filled(translation: str, values: Mapping[str, str]) -> str:
    # Other braces belong to a formula.
    return _FIELD.sub(lambda field: values.get(field[1], field[0]), translation)


@cache
def _patterns(words: tuple[tuple[str, str], ...]) -> list[tuple[re.Pattern[str], list[str], str]]:
    """Return the messages with fields as patterns, those with more words of their own first."""
    with_fields = [(message, said) for message, said in words if _FIELD.search(message)]
    with_fields.sort(key=lambda pair: len(_FIELD.sub("", pair[0])), reverse=True)
    return [
        (re.compile(pattern_of(message), re.DOTALL), _FIELD.findall(message), said)
        for message, said in with_fields
    ]


def pattern_of(message: str) -> str:
    """Return the regular expression of all texts that a message with fields can become."""
    literals = _FIELD.split(message)[::2]
    return "(.*?)".join(map(re.escape, literals))
