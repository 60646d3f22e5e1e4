"""A check that was not passed, and the words that a student reads then."""

import re
import textwrap
from collections.abc import Mapping, Sequence

from coursekit import checks
from coursekit.checks import wording
from coursekit.languages import ENGLISH

# Where sentences are broken into lines; JupyterLab has room for about so many characters.
LINE_LENGTH = 88
# A text as Python writes it, and what stands for its spaces while lines are broken.
QUOTED = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""")
UNBROKEN = "\0"
# The longest text of a student's work that is repeated.
MAX_MESSAGE = 2000


class CheckFailure(AssertionError):
    """A check that was not passed, worded for the student.

    ``headline`` names the call by shapes and what is wrong with the answer; ``mistake`` is the
    sentence of the known mistake that the answer makes, or None; it begins with "Possibly: " when
    the answer does not prove it, and with `COMPARED` when it names no mistake, but what the result
    has to do with the expected one; ``raised`` is the name of the error that the answer raised, or
    None; ``detail`` shows values. A hidden check shows the headline and the mistake, never the
    detail. ``call`` holds the arguments of the failed call, positional and by keyword.
    """

    def __init__(
        self,
        headline: str,
        detail: str = "",
        mistake: str | None = None,
        raised: str | None = None,
        call: tuple[Sequence[object], Mapping[str, object]] | None = None,
    ) -> None:
        self.headline = _shortened(headline)
        self.detail = _shortened(detail)
        self.mistake = mistake
        self.raised = raised
        self.call = call
        spoken_now = checks.language
        parts = (
            wording.headline(self.headline, spoken_now),
            wording.lines(self.detail, spoken_now),
            diagnosis(mistake, spoken_now),
        )
        super().__init__("\n".join(part for part in parts if part))

    def with_mistake(self, mistake: str) -> "CheckFailure":
        """Return the same failure with another sentence."""
        return CheckFailure(self.headline, self.detail, mistake, self.raised, self.call)

    def without_detail(self) -> "CheckFailure":
        """Return the same failure as a hidden check may show it."""
        headline = f"{self.headline}{wording.HIDDEN}"
        return CheckFailure(headline, mistake=self.mistake, raised=self.raised)

    def _render_traceback_(self) -> list[str]:
        # Jupyter shows this instead of a stack through the checks' own code. JupyterLab would break
        # a long line in the middle of a word, or of a number.
        lines = f"{type(self).__name__}: {self}".split("\n")
        return ["\n".join(map(_wrapped, lines))]


def diagnosis(mistake: str | None, language: str = ENGLISH) -> str:
    """Return the line that shows a mistake to the student, "" for None."""
    if not mistake or mistake.startswith((wording.POSSIBLY, wording.COMPARED)):
        return wording.mistake(mistake or "", language)
    return wording.known(mistake, language)


def _wrapped(line: str) -> str:
    # What is set in may be a line of code, or a call that can be pasted: it goes on in the next
    # line between two of its parts, but not within a text.
    is_set_in = line.startswith(" ")
    if is_set_in and line.lstrip().startswith(("line ", "from ")):
        return line
    broken = textwrap.fill(
        QUOTED.sub(lambda text: text[0].replace(" ", UNBROKEN), line),
        LINE_LENGTH,
        subsequent_indent="    " if is_set_in else "",
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    return broken.replace(UNBROKEN, " ")


def _shortened(text: str) -> str:
    # An answer chooses the shapes, names and texts that a failure repeats.
    return text if len(text) <= 2 * MAX_MESSAGE else f"{text[: 2 * MAX_MESSAGE]} …"
