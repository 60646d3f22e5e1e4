"""Text that came from a submission, made fit to be read: nothing hidden, nothing without end."""

from __future__ import annotations

import re

# Terminal commands: colours and cursor moves, titles and links, single letters.
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
# What cannot be seen, cannot be encoded, or turns the reading direction of what follows.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Replace lone surrogates, and write control characters down as what they are."""
    return UNSEEN.sub(_named, SURROGATE.sub("\ufffd", text))


def _named(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def as_terminal_text(text: str) -> str:
    """Return what a terminal would show in the end: no colours, a progress bar's last state."""
    lines = ANSI.sub("", text).split("\n")
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1].replace("\b", "") for line in lines)


def shortened(text: str, limit: int) -> str:
    """Keep the beginning and, for the error that it often names, the end of a long text."""
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    left_out = f"\n[… {len(text) - head - tail:,} characters are left out here …]\n"
    return text[:head] + left_out + text[len(text) - tail :]
