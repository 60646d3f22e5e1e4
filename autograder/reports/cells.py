"""A student's own cells and what they printed and drew, as a feedback page shows them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.reports.text import as_terminal_text, clean, shortened
from autograder.results import ExerciseResult
from autograder.untrusted import dict_of, list_of, text_of

# How much of a submission a page holds, in characters.
SOURCE_LIMIT, OUTPUT_LIMIT, PAGE_LIMIT = 20_000, 8_000, 400_000
# Beyond this a highlighter's regular expressions may take their time on hostile text.
HIGHLIGHT_LIMIT = 10_000
SECONDS_OF_COLOURS = 2.0
LEXER, FORMATTER = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)
# A longer line is broken; shorter ones keep their shape and may be scrolled.
LONG_LINE = 120


class _PageBudget:
    """What is left of the space on one page, and of the time that its colours may take."""

    def __init__(self) -> None:
        self.characters = PAGE_LIMIT
        self.seconds = SECONDS_OF_COLOURS

    def fit(self, text: str, limit: int) -> str:
        text = shortened(text, min(limit, self.characters))
        self.characters = max(0, self.characters - len(text))
        return text


def student_cells(
    notebook: str, exercises: Iterable[ExerciseResult], answers: Mapping[str, str] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Return the student's code cells by the exercise they stand in; "" is before the first.

    ``notebook`` is the text of the executed notebook, whose pictures have been decoded and encoded
    again, ``exercises`` are the verdicts, ``answers`` maps the ids of answer cells to exercises
    where they are called otherwise. What comes back is plain
    data, bounded and ready to be shown: workers make it, nobody renders a notebook again.
    """
    places = dict(answers or {})
    for exercise in exercises:
        ids = (f"{exercise.exercise}_text", exercise.exercise, exercise.check_id)
        places |= dict.fromkeys(ids, exercise.exercise)
    budget, place = _PageBudget(), ""
    found: dict[str, list[dict[str, Any]]] = {}
    for cell in _notebook_cells(notebook):
        marks = dict_of(dict_of(cell.get("metadata")).get("nbgrader"))
        place = places.get(str(marks.get("grade_id")), place)
        # Only answers and added cells are the student's; all others, graded ones too, are ours.
        ours = marks and not marks.get("solution")
        source = text_of(cell.get("source")).strip("\n")
        if cell.get("cell_type") != "code" or ours or not source.strip():
            continue
        source = budget.fit(source, SOURCE_LIMIT)
        merged = _merged(list_of(cell.get("outputs")))
        outputs = [view for output in merged if (view := _output_view(output, budget))]
        shown = {
            "source": source,
            # As HTML, or "" when it is too long or takes too long.
            "coloured": _coloured(source, budget),
            "wrapped": _is_wide(source),
            "outputs": outputs,
        }
        found.setdefault(place, []).append(shown)
    return found


def _notebook_cells(notebook: str) -> list[dict[str, Any]]:
    try:
        cells = list_of(dict_of(json.loads(notebook or "{}")).get("cells"))
    except (ValueError, RecursionError):  # outputs may be nested deeper than JSON can be read
        return []
    return [cell for cell in cells if isinstance(cell, dict)]


def _merged(outputs: Sequence[Any]) -> list[dict[str, Any]]:
    """Join what was written to one stream piece by piece."""
    merged: list[dict[str, Any]] = []
    for output in outputs:
        if not isinstance(output, dict):
            continue
        last = merged[-1] if merged else {}
        if output.get("output_type") == "stream" and output.get("name") == last.get("name"):
            last["pieces"].append(text_of(output.get("text")))
        else:
            merged.append(output | {"pieces": [text_of(output.get("text"))]})
    return merged


def _output_view(output: Any, budget: _PageBudget) -> dict[str, Any] | None:
    """Return what the page shows of one output: its kind and a text or a picture."""
    match output.get("output_type"):
        case "stream":
            kind = "stderr" if output.get("name") == "stderr" else "text"
            text = "".join(output["pieces"])
        case "error":
            traceback = "\n".join(text_of(line) for line in list_of(output.get("traceback")))
            kind = "error"
            # The rule that IPython draws above a traceback is longer than a phone is wide.
            text = (
                as_terminal_text(traceback).lstrip("-\n")
                or f"{text_of(output.get('ename'))}: {text_of(output.get('evalue'))}"
            )
        case "display_data" | "execute_result":
            data = dict_of(output.get("data"))
            if picture := text_of(data.get("image/png")):
                return {"kind": "picture", "picture": f"data:image/png;base64,{picture}"}
            kind = "text"
            text = text_of(data.get("text/plain"))
        case _:
            return None
    text = budget.fit(as_terminal_text(text).strip("\n"), OUTPUT_LIMIT)
    # What was printed may be a table and keeps its lines; a message may be broken anywhere.
    wrapped = kind != "text" or _is_wide(text)
    return {"kind": kind, "text": text, "wrapped": wrapped} if text else None


def _is_wide(text: str) -> bool:
    return max(map(len, text.split("\n"))) > LONG_LINE


def _coloured(source: str, budget: _PageBudget) -> str:
    """Return source as HTML with its syntax in colours, "" when that takes too long."""
    if len(source) > HIGHLIGHT_LIMIT:
        return ""
    begun = time.monotonic()

    def tokens() -> Iterator[Any]:
        for token in LEXER.get_tokens(clean(source)):
            if time.monotonic() - begun > budget.seconds:
                raise TimeoutError
            yield token

    try:
        return str(pygments.format(tokens(), FORMATTER))
    except TimeoutError:
        return ""
    finally:
        budget.seconds -= time.monotonic() - begun
