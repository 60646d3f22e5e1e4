"""What a check says, in the language of whoever reads it.

A failure is worded in English, whatever the language: marks, reports and the names of mistakes rest
on it. It is translated where it is shown, sentence by sentence, from the catalogues of coursekit.
"""

from __future__ import annotations

from coursekit.checks.advice import ADVICE
from coursekit.languages import ENGLISH, catalogue, filled_in

POSSIBLY = "Possibly: "
# With this begins what is not a mistake, but what a result has to do with the expected one.
COMPARED = "Compared with the expected result: "
AND_CONVENTION = "That is not all: signs, or the order of the values, differ as well."
ASSERTED = (
    "An assert raises AssertionError. Write `if` and the condition that is not allowed, and below "
    "it `raise ValueError(…)`."
)
OF_AN_EARLIER_CALL = (
    "The result is that of an earlier call, which had other arguments. Compute it again from all "
    "arguments of each call."
)
NOT_WRITTEN = "not written yet: replace `raise NotImplementedError()` with your answer"
# Behind the headline of a hidden check, and between two mistakes that both fit.
HIDDEN, OR = " (a hidden check)", " Or: "
# The sentences and parts of sentences in which checks report, with fields for what they fill in.
# What ends with a colon stands before another one.
FRAMES = (
    "value {1} of the result: ",
    "value {1} of the result ({2}): ",
    'entry "{1}": ',
    "{1} came back; expected {2}",
    "{1} came back; expected {2} values",
    "{1} came back; expected an empty list",
    "{1} came back; expected an object such as a layer, a model or a function",
    "{1} came back; expected a dict",
    "{1} came back; expected booleans (True and False)",
    "{1} came back; expected numbers",
    "{1} came back; expected numbers of shape {2}",
    "{1} came back; expected shape {2}",
    "the keys of the dict differ from those expected, {1}: missing {2}",
    "the dict has more keys than expected, {1}",
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
    "1 value",
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
    NOT_WRITTEN,
    "it calls another function, which is not written yet",
    "still to be written: {1}",
    "not written yet; this cell needs your answers",
    "to call it again with the same arguments:",
    "called: {1}",
    "argument {1} was changed in place",
    "it took {1} seconds; {2} are allowed",
    "it raised {1}",
    "in your answer:",
    "it raised {1}; {2} must raise {3}",
    "it returned {1}; {2} must raise {3}",
    "NumPy warns of an overflow, a division by zero or an invalid value",
    "what came back has no attribute {1}",
    "these are not the steps of Adam",
    "the configuration holds more than plain data",
    "two layers with the same arguments gave different results",
    "two identical calls gave different results",
    "two calls with the same seed differ",
    "calls with three different seeds give the same result",
    "{1}: every visible check passed.",
    "The cell with {1} that you ran last has a syntax error, so Python still has the version "
    "before it. This check is about that version.",
    AND_CONVENTION,
    ASSERTED,
    OF_AN_EARLIER_CALL,
    "{1}.",
    f"{{1}}{HIDDEN}",
    f"{POSSIBLY}{{1}}",
    "Known mistake: {1}",
    f"{{1}}{OR}{{2}}",
    # What `relations` finds.
    "Compared with the expected result: {1}.",
    "the values of the result are in another order",
    "the list is in reverse order",
    "the list holds the same entries in another order",
    "the first entry of the list is missing, the others are right",
    "the last entry of the list is missing, the others are right",
    "the list has one entry too many at its beginning, the others are right",
    "the list has one entry too many at its end, the others are right",
    "the text differs only in upper and lower case",
    "the text differs only in spaces",
    "axes {1} and {2} are swapped",
    "the numbers are right, but an axis of length 1 is missing",
    "the numbers are right, but there is an axis of length 1 too many",
    "the numbers are right, but arranged in another shape",
    "the numbers are right, but axis {1} is missing: {2} was taken over it",
    "there is one axis too many, axis {1}: {2} over it would give the expected numbers",
    "axis {1} is missing: only its {2} entry came back",
    "there is one axis too many, axis {1}: only its {2} entry is expected",
    "the {1} entry along axis {2} is missing, the others are right",
    "there is one entry too many along axis {1}, the {2} one; the others are right",
    "True and False are swapped",
    "every number has the opposite sign",
    "every number that differs has the opposite sign",
    "every number is {1} times the expected one",
    "every number is the expected one divided by {1}",
    "every number has been rounded",
    "every number has been rounded to {1} decimal places",
    "it has been rounded to {1} decimal places",
    "every number is off by the same factor",
    "every number is too large by {1}",
    "every number is too small by {1}",
    "every number is off by the same amount",
    "the square root of {1}",
    "every number is {1} the expected one",
    "taking {1} your numbers gives the expected ones",
    "the softmax of your numbers over axis {1} would give the expected ones",
    "your numbers are the softmax of the expected ones over axis {1}",
    "your numbers must still be divided by their sum over axis {1}",
    "argument {1} came back as it was",
    "your numbers plus argument {1} would be the expected ones",
    "your numbers minus argument {1} would be the expected ones",
    "argument {1} minus your numbers would give the expected ones",
    "your numbers times argument {1} would be the expected ones",
    "your numbers divided by argument {1} would be the expected ones",
    "the entries along axis {1} are in reverse order",
    "the entries come one place too late along axis {1}",
    "the entries come one place too early along axis {1}",
    "the same numbers are in another order",
    "along axis {1} all numbers are off by the same factor",
    "along axis {1} all numbers are off by the same amount",
    "only what stands above the diagonal of the last two axes differs",
    "only what stands below the diagonal of the last two axes differs",
    "only the diagonal of the last two axes differs",
    "only the diagonal of the last two axes is right",
    "only what stands above the diagonal differs",
    "only what stands below the diagonal differs",
    "only the diagonal differs",
    "only the diagonal is right",
    "exactly the entries where argument {1} is True differ",
    "exactly the entries where argument {1} is False differ",
    "exactly the rows in which argument {1} is False everywhere differ",
    "exactly the rows in which argument {1} is False somewhere differ",
    "only the numbers that should be 0 differ",
    "some numbers are 0 that should not be, all others are right",
    "only the numbers that should be negative differ",
    "only the numbers that should be positive differ",
    "only the {1} entry along axis {2} differs",
    "only the {1} entry along axis {2} is right",
    "along axis {1} the first entries are right and the later ones wrong",
    "along axis {1} the first entries are wrong and the later ones right",
    # What `alterations` finds.
    "your result would be right if {1}",
    "{1} had the opposite sign",
    "{1} were 0 everywhere",
    "{1} were 1 everywhere",
    "{1} were 0",
    "{1} were 1",
    "{1} were squared",
    "{1} were its square root",
    "{1} were its reciprocal",
    "{1} were larger by 1",
    "{1} were smaller by 1",
    "{1} were True",
    "{1} were False",
    "True and False were swapped in {1}",
    "{1} were True everywhere",
    "{1} were False everywhere",
    "{1} were transposed",
    "{1} were reversed",
    "{1} were reversed along axis {2}",
    "the {1} entry of {2} along axis {3} were left out",
    "every entry of {1} along axis {2} were the {3} one",
    "the {1} entry of every axis of length {2} were left out",
    "{1} and {2} were swapped",
    "{1} were not given",
    "every array of {1}",
    'entry "{1}" of {2}',
    "argument {1}",
    # What fills the fields of both.
    "first",
    "last",
    "the sum",
    "the mean",
    "the largest number",
    "the square of",
    "the square root of",
    "the reciprocal of",
    "1 minus",
    "the absolute value of",
    "exp of",
    "the logarithm of",
    "tanh of",
    "the sigmoid of",
    "the larger of 0 and",
    *ADVICE.values(),
)
_BEFORE_OTHERS = [frame for frame in FRAMES if frame.endswith(": ")]


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
    if text.endswith(HIDDEN):
        shown = headline(text.removesuffix(HIDDEN), language)
        frame = f"{{1}}{HIDDEN}"
        return words.get(frame, frame).replace("{1}", shown)
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
    if sentence.startswith(COMPARED):
        return filled_in(sentence, words)
    if sentence.startswith(POSSIBLY):
        named = mistake(sentence.removeprefix(POSSIBLY), language)
        return words.get("Possibly: {1}", "Possibly: {1}").replace("{1}", named)
    first, separator, second = sentence.partition(OR)
    if separator:
        either = words.get("{1} Or: {2}", "{1} Or: {2}")
        return either.replace("{1}", words.get(first, first)).replace(
            "{2}", words.get(second, second)
        )
    if sentence.endswith(f" {AND_CONVENTION}"):
        named = sentence.removesuffix(f" {AND_CONVENTION}")
        return words.get(named, named) + words.get(AND_CONVENTION, f" {AND_CONVENTION}")
    return words.get(sentence, sentence)


def known(sentence: str, language: str) -> str:
    """Translate the line that shows a known mistake."""
    named = mistake(sentence, language)
    return _words(language).get("Known mistake: {1}", "Known mistake: {1}").replace("{1}", named)


def _words(language: str) -> dict[str, str]:
    return {**catalogue("coursekit", language), **catalogue("mistakes", language)}
