"""What a check says, in the language of whoever reads it.

A failure is worded in English, whatever the language: marks, reports and the names of mistakes rest
on it. It is translated where it is shown, sentence by sentence, from the catalogues of coursekit.
"""

from __future__ import annotations

from coursekit.languages import ENGLISH, catalogue, filled_in

# The sentences and parts of sentences in which checks report, with fields for what they fill in.
# What ends with a colon stands before another one.
FRAMES = (
    "value {1} of the result: ",
    'entry "{1}": ',
    "{1} came back; expected {2}",
    "{1} came back; expected {2} values",
    "{1} came back; expected an empty list",
    "{1} came back; expected an object to work with",
    "{1} came back; expected a dict",
    "{1} came back; expected booleans (True and False)",
    "{1} came back; expected numbers",
    "{1} came back; expected numbers of shape {2}",
    "{1} came back; expected shape {2}",
    "the dict has other keys than expected, {1}",
    "it has {1}",
    "a value is not finite (nan or inf)",
    "{1} of {2} entries of shape {3} differ",
    "the number differs",
    "came back: {1}",
    "expected:  {1}",
    "first difference at {1}: {2} came back; expected {3}",
    "None (is a `return` missing?)",
    "something that is not plain data",
    "an object",
    "a number",
    "{1} values",
    "an array of text of shape {1}",
    "an array of shape {1}",
    "a huge array of text",
    "a huge array",
    "a list of {1}",
    "a tuple of {1}",
    "a huge list",
    "a huge tuple",
    "a str",
    "a bool",
    "a dict",
    "it is {1}",
    "it is of type {1}",
    "not written yet: replace `raise NotImplementedError()` with your answer",
    "it calls another function, which is not written yet",
    "to call it again: {1}",
    "called: {1}",
    "argument {1} was changed in place",
    "it took {1} seconds; {2} are allowed",
    "it raised {1}",
    "in your answer:",
    "it raised {1}; {2} must raise {3}",
    "it returned {1}; {2} must raise {3}",
    "NumPy warns of an overflow",
    "what came back has no attribute {1}",
    "these are not the steps of Adam",
    "the configuration holds more than plain data",
    "two layers with the same arguments gave different results",
    "two identical calls gave different results",
    "two calls with the same seed differ",
    "calls with three different seeds give the same",
    "{1}: every visible check passed.",
    "The cell with {1} that you ran last has a syntax error, so Python still has the version "
    "before it. This check is about that version.",
    "That is not all: signs, or the order of the values, differ as well.",
    "{1}.",
    "{1} (a hidden check)",
    "Possibly: {1}",
    "Known mistake: {1}",
    "{1} Or: {2}",
)
_BEFORE_OTHERS = [frame for frame in FRAMES if frame.endswith(": ")]
_HIDDEN, _POSSIBLY, _OR = " (a hidden check)", "Possibly: ", " Or: "
_NOT_ALL = " That is not all: signs, or the order of the values, differ as well."


def line(text: str, language: str) -> str:
    """Translate a line that a check prints, or one of the lines that show values."""
    stripped = text.lstrip()
    return text[: len(text) - len(stripped)] + filled_in(stripped, _words(language))


def lines(text: str, language: str) -> str:
    """Translate the lines that show values."""
    if language == ENGLISH:
        return text
    return "\n".join(line(each, language) for each in text.split("\n"))


def headline(text: str, language: str) -> str:
    """Translate what a failure begins with: the call, and what is wrong with its answer."""
    if language == ENGLISH:
        return text
    words = _words(language)
    if text.endswith(_HIDDEN):
        shown = headline(text.removesuffix(_HIDDEN), language)
        return words.get("{1} (a hidden check)", "{1} (a hidden check)").replace("{1}", shown)
    call, separator, finding = text.partition("): ")
    if not separator:
        call, separator, finding = text.partition(": ")
    return f"{call}{separator}{what_is_wrong(finding, language)}"


def what_is_wrong(finding: str, language: str) -> str:
    """Translate the sentence that follows the call."""
    if language == ENGLISH:
        return finding
    words = _words(language)
    sentence = finding.removesuffix(".")
    where = ""
    while part := next((p for p in _BEFORE_OTHERS if _begins(sentence, p)), None):
        beginning, colon, sentence = sentence.partition(": ")
        where += filled_in(beginning + colon, {part: words.get(part, part)})
    ended = words.get("{1}.", "{1}.") if finding.endswith(".") else "{1}"
    return where + ended.replace("{1}", filled_in(sentence, words))


def _begins(sentence: str, frame: str) -> bool:
    beginning, colon, _ = sentence.partition(": ")
    return filled_in(beginning + colon, {frame: "\0"}) == "\0"


def mistake(sentence: str, language: str) -> str:
    """Translate the name of a mistake, or of two that are possible."""
    if language == ENGLISH:
        return sentence
    words = _words(language)
    if sentence.startswith(_POSSIBLY):
        named = mistake(sentence.removeprefix(_POSSIBLY), language)
        return words.get("Possibly: {1}", "Possibly: {1}").replace("{1}", named)
    first, separator, second = sentence.partition(_OR)
    if separator:
        either = words.get("{1} Or: {2}", "{1} Or: {2}")
        return either.replace("{1}", words.get(first, first)).replace(
            "{2}", words.get(second, second)
        )
    if sentence.endswith(_NOT_ALL):
        named = sentence.removesuffix(_NOT_ALL)
        return words.get(named, named) + words.get(_NOT_ALL.strip(), _NOT_ALL)
    return words.get(sentence, sentence)


def known(sentence: str, language: str) -> str:
    """Translate the line that shows a known mistake."""
    named = mistake(sentence, language)
    return _words(language).get("Known mistake: {1}", "Known mistake: {1}").replace("{1}", named)


def _words(language: str) -> dict[str, str]:
    return {**catalogue("coursekit", language), **catalogue("mistakes", language)}
