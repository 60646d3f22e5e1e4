"""What people read after grading: a student's feedback, the class report, the table of marks.

These are functions from results to text; they write nothing and compute no mark. Whatever came
from a submission is shown as text, never as markup, and a page allows no script, no request and
no style but its own.
"""

import base64
import csv
import hashlib
import io
import json
import math
import re
import statistics
import struct
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import quote

import jinja2
from docutils.nodes import make_id
from markupsafe import Markup
from PIL import Image
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.chapters import load_chapter
from autograder.results import Flag, Outcome, Status

TEMPLATES = Path(__file__).with_name("templates")
READ = (Status.GRADED, Status.NEEDS_REVIEW)
# The marks of these stand; those of all others wait for an instructor.
SETTLED = (Status.GRADED, Status.NO_RESPONSE)

# How much of a submission a page holds, in characters and pixels.
SOURCE_LIMIT, OUTPUT_LIMIT, DETAIL_LIMIT, REASON_LIMIT = 20_000, 8_000, 4_000, 500
PAGE_LIMIT, PIXEL_LIMIT = 400_000, 8_000_000
# Beyond this a highlighter's regular expressions may take their time on hostile text.
HIGHLIGHT_LIMIT = 10_000
LEXER, FORMATTER = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)
# A longer line is broken; shorter ones keep their shape and may be scrolled.
LONG_LINE = 120


# --- a student's feedback --------------------------------------------------------------------


def feedback_html(result, book_url=None):
    """Return one student's feedback as a self-contained page.

    It shows the verdict on every exercise, the sentence of a known mistake, the detail of visible
    checks, and the student's own cells with their outputs: text, and pictures that are PNG. Of a
    hidden check it shows headline and mistake alone. ``book_url`` is the address of the published
    book, None leaves out the links into it.
    """
    cells = _own_cells(result) if result.status in READ else {}
    chapter = load_chapter(result.assignment)
    sections = {exercise.id: exercise.lesson for exercise in chapter.exercises}
    exercises = [
        _exercise_view(
            number,
            exercise,
            cells.get(exercise.exercise, []),
            sections.get(exercise.exercise, ""),  # a result may be older than an exercise's name
        )
        for number, exercise in enumerate(result.exercises, start=1)
    ]
    passed = sum(view["full"] for view in exercises)
    return _page(
        "feedback.html.j2",
        result=result,
        title=_chapter_title(chapter),
        lesson=book_url and _lesson_link(book_url, result.assignment),
        read=result.status in READ,
        notice=NOTICES.get(result.status),
        reason=_shortened(result.reason, REASON_LIMIT).rstrip("."),
        exercises=exercises,
        passed=passed,
        next_exercise=next((view for view in exercises if not view["full"]), None),
        loose_cells=cells.get(None, []),
        flags=[flag for flag in result.flags if flag not in INSTRUCTORS_FLAGS],
    )


NOTICES = {
    Status.NO_RESPONSE: (
        "No answers yet",
        "Every answer cell is still as it was handed out. If you did write answers, you probably "
        "handed in another copy of the file: open the assignment.ipynb that you meant, see that "
        "your answers are in it, save it and hand that one in.",
    ),
    Status.NEEDS_REVIEW: (
        "Your instructor will look at this one",
        "A part of your notebook could not be graded by machine, so the points below may still "
        "change. If an answer cell is named as missing, take a fresh copy of the assignment, paste "
        "your answers into its answer cells and hand it in again; otherwise there is nothing for "
        "you to do.",
    ),
    Status.INVALID_NOTEBOOK: (
        "This file could not be read as a notebook",
        "Open it in JupyterLab. If it opens, save it there and hand in that one .ipynb file, as it "
        "is: no PDF, no renamed file. If it does not open, take a fresh copy of the assignment and "
        "paste your answers into it. Nothing in the file was run.",
    ),
    Status.TOO_LARGE: (
        "The file is too large",
        "Nearly always it is what cells have printed that takes the room. In JupyterLab, choose "
        "Edit → Clear Outputs of All Cells, save, and hand the notebook in again; your answers "
        "stay. Nothing in the file was run.",
    ),
    Status.REFUSED: (
        "This submission was not opened",
        "It holds something that is never followed, for everybody's safety, such as a link or an "
        "archive that unpacks outside its own folder. Hand in your assignment.ipynb itself, as one "
        "plain file.",
    ),
}

# These tell an instructor how the class was graded; they say nothing about the student's work.
INSTRUCTORS_FLAGS = (Flag.NO_SANDBOX, Flag.MANUAL_MARK_DROPPED)

# What an outcome is called, its mark and the kind it belongs to in the styles.
OUTCOMES = {
    Outcome.PASSED: ("Passed", "✓", "passed"),
    Outcome.FAILED: ("Not right yet", "✕", "failed"),
    Outcome.NOT_WRITTEN: ("Not written yet", "○", "empty"),
    Outcome.TIME_LIMIT: ("Stopped: it took too long", "!", "stopped"),
    Outcome.MEMORY_LIMIT: ("Stopped: it needed too much memory", "!", "stopped"),
    Outcome.KERNEL_DIED: ("Stopped: Python itself ended", "!", "stopped"),
    Outcome.NOT_GRADED: ("Waiting for your instructor", "?", "waiting"),
    Outcome.BY_HAND: ("Marked by your instructor", "✎", "by-hand"),
}

NEXT_STEPS = {
    Outcome.NOT_WRITTEN: "Read the exercise's text and its worked example once more, and write the "
    "smallest version that gets the example right. A few lines that run are worth more than a "
    "perfect plan.",
    Outcome.TIME_LIMIT: "Look for a loop that cannot end, or for one over single numbers where one "
    "array operation would do. Try your answer on three values first, and time it.",
    Outcome.MEMORY_LIMIT: "Print the shapes of your intermediate arrays on a small input: one of "
    "them grows much faster than the result does.",
    Outcome.KERNEL_DIED: "Choose Kernel → Restart Kernel and Run All Cells: the first cell that "
    "does not come back is the one to look at. A call of exit() does this, and so does recursion "
    "without an end.",
    Outcome.NOT_GRADED: "There is nothing for you to do: your instructor looks at this answer.",
    Outcome.BY_HAND: "Your instructor has read this answer: ask what was missing, unless it is "
    "written above.",
}


def _exercise_view(number, exercise, cells, section):
    """Gather what the page says of one exercise."""
    words, mark, kind = OUTCOMES[exercise.outcome]
    headline = exercise.headline.removesuffix(" (a hidden check)")
    call, separator, finding = headline.partition("): ")
    return {
        "number": number,
        "title": exercise.title,
        "points": exercise.points,
        "max_points": exercise.max_points,
        "words": words,
        "mark": mark,
        "kind": kind,
        "full": exercise.points >= exercise.max_points,
        "comment": _shortened(_clean(exercise.comment), DETAIL_LIMIT),
        "hidden": exercise.hidden and kind == "failed",
        "mistake": exercise.mistake and exercise.mistake.rstrip("."),
        "call": _shortened(call + ")", DETAIL_LIMIT) if separator else "",
        "finding": _shortened(finding if separator else headline, DETAIL_LIMIT),
        # What a hidden check knows, and any message that may repeat it, stays where it is.
        "detail": "" if exercise.hidden else _shortened(_dedented(exercise.detail), DETAIL_LIMIT),
        "next_step": _next_step(exercise),
        "section": section,
        "anchor": make_id(section),
        "cells": cells,
    }


def _next_step(exercise):
    if exercise.outcome is Outcome.PASSED:
        return ""
    if exercise.outcome is not Outcome.FAILED:
        return NEXT_STEPS[exercise.outcome]
    if exercise.mistake:
        return (
            "Find the line of your answer that does this, change that line alone, and run the "
            "check cell again."
        )
    if exercise.hidden:
        return (
            "Your answer passes the check that you can run, and meets other inputs here: other "
            "shapes, other values. Try it on sizes that all differ, on more than one example at a "
            "time, and on the special cases that the text names; is anything tied to the printed "
            "example?"
        )
    return (
        "The check cell in your notebook says the same. Do the call it names by hand, on paper or "
        "in a new cell, and follow the values to the first one that differs."
    )


def _dedented(detail):
    return "\n".join(line.removeprefix("  ") for line in _terminal(detail).splitlines())


def _lesson_link(book_url, stem):
    return f"{book_url.rstrip('/')}/notebooks/{quote(stem)}/lesson.html"


def _chapter_title(chapter):
    return chapter.opening.partition("\n")[0].lstrip("# ").removesuffix(": the exercises")


# --- the student's cells ---------------------------------------------------------------------


class _Room:
    """What is left of the space on one page."""

    def __init__(self):
        self.characters = PAGE_LIMIT
        self.pixels = PIXEL_LIMIT

    def fit(self, text, limit):
        text = _shortened(text, min(limit, self.characters))
        self.characters = max(0, self.characters - len(text))
        return text


def _own_cells(result):
    """Return the student's code cells by the exercise they stand in; None is before the first."""
    places = {}
    for exercise in result.exercises:
        ids = (f"{exercise.exercise}_text", exercise.exercise, exercise.check_id)
        places |= dict.fromkeys(ids, exercise.exercise)
    room, place, found = _Room(), None, {}
    for cell in _notebook_cells(result.notebook):
        marks = _dict(_dict(cell.get("metadata")).get("nbgrader"))
        place = places.get(str(marks.get("grade_id")), place)
        # Our own cells, the graded ones above all, are not his: only answers and extra cells are.
        ours = marks and (marks.get("grade") or not marks.get("solution"))
        source = _without_hidden_tests(_text(cell.get("source"))).strip("\n")
        if cell.get("cell_type") != "code" or ours or not source.strip():
            continue
        source = room.fit(source, SOURCE_LIMIT)
        merged = _merged(_list(cell.get("outputs")))
        outputs = [view for output in merged if (view := _output_view(output, room))]
        shown = {"source": _highlighted(source), "wrapped": _is_wide(source), "outputs": outputs}
        found.setdefault(place, []).append(shown)
    return found


def _notebook_cells(notebook):
    try:
        cells = _list(_dict(json.loads(notebook or "{}")).get("cells"))
    except (ValueError, RecursionError):  # outputs may be nested deeper than JSON can be read
        return []
    return [cell for cell in cells if isinstance(cell, dict)]


def _without_hidden_tests(source):
    """Drop what stands between nbgrader's marks; a mark that is never closed hides the rest."""
    kept, hidden = [], False
    for line in source.split("\n"):
        if "BEGIN HIDDEN TESTS" in line:
            hidden = True
        if not hidden:
            kept.append(line)
        if "END HIDDEN TESTS" in line:
            hidden = False
    return "\n".join(kept)


def _merged(outputs):
    """Join what was written to one stream piece by piece."""
    merged = []
    for output in outputs:
        if not isinstance(output, dict):
            continue
        last = merged[-1] if merged else {}
        if output.get("output_type") == "stream" and output.get("name") == last.get("name"):
            last["pieces"].append(_text(output.get("text")))
        else:
            merged.append(output | {"pieces": [_text(output.get("text"))]})
    return merged


def _output_view(output, room):
    """Return what the page shows of one output: its kind and a text or a picture."""
    match output.get("output_type"):
        case "stream":
            kind = "stderr" if output.get("name") == "stderr" else "text"
            text = "".join(output["pieces"])
        case "error":
            traceback = "\n".join(_text(line) for line in _list(output.get("traceback")))
            kind = "error"
            # The rule that IPython draws above a traceback is longer than a phone is wide.
            text = (
                _terminal(traceback).lstrip("-\n")
                or f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
            )
        case "display_data" | "execute_result":
            data = _dict(output.get("data"))
            picture = _png(_text(data.get("image/png")), room)
            if picture:
                return {"kind": "picture", "picture": picture}
            kind = "text"
            text = _text(data.get("text/plain")) or "(shown in your notebook only)"
        case _:
            return None
    text = room.fit(_terminal(text).strip("\n"), OUTPUT_LIMIT)
    # What was printed may be a table and keeps its lines; a message may be broken anywhere.
    wrapped = kind != "text" or _is_wide(text)
    return {"kind": kind, "text": text, "wrapped": wrapped} if text else None


def _png(encoded, room):
    """Return a PNG, decoded and encoded anew, as a data URI; None for anything else."""
    if not encoded:
        return None
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
        width, height = struct.unpack(">II", data[16:24])
        if width * height > room.pixels:
            return None
        # Counted before it is decoded: a broken picture costs time as well.
        room.pixels -= width * height
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            pixels = image.convert("RGBA")
    except Exception:  # a broken picture makes Pillow raise whatever it meets
        return None
    pixels.info.clear()
    again = io.BytesIO()
    pixels.save(again, "PNG")
    return Markup("data:image/png;base64," + base64.b64encode(again.getvalue()).decode())


def _is_wide(text):
    return max(map(len, text.split("\n"))) > LONG_LINE


def _highlighted(source):
    if len(source) > HIGHLIGHT_LIMIT:
        return source
    return Markup(highlight(_clean(source), LEXER, FORMATTER))


# --- text that came from a submission --------------------------------------------------------

# Terminal commands: colours and cursor moves, titles and links, single letters.
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
# What cannot be seen, cannot be encoded, or turns the reading direction of what follows.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SURROGATE = re.compile("[\ud800-\udfff]")


def _clean(text):
    """Replace lone surrogates, and write control characters down as what they are."""
    return UNSEEN.sub(_named, SURROGATE.sub("\ufffd", text))


def _named(match):
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def _terminal(text):
    """Return what a terminal would show in the end: no colours, a progress bar's last state."""
    lines = ANSI.sub("", text).split("\n")
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1].replace("\b", "") for line in lines)


def _shortened(text, limit):
    """Keep the beginning and, for the error that it often names, the end of a long text."""
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    left_out = f"\n[… {len(text) - head - tail:,} characters are left out here …]\n"
    return text[:head] + left_out + text[len(text) - tail :]


def _text(value):
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _list(value):
    return value if isinstance(value, list) else []


def _dict(value):
    return value if isinstance(value, dict) else {}


# --- the class report ------------------------------------------------------------------------


def feedback_link(result):
    """Return the way from the class report to a student's feedback page."""
    student, assignment = (
        quote(name, safe="", errors="replace") for name in (result.student, result.assignment)
    )
    return f"../feedback/{student}/{assignment}/assignment.html"


def class_report_html(results, assignment, run, link=feedback_link):
    """Return what an instructor wants to know of a class, as a self-contained page.

    ``assignment`` is the `Chapter`; ``run`` has the facts of the run as attributes or entries:
    ``started`` (text), ``seconds``, ``workers``, ``sandboxed`` and ``per_minute`` (submissions
    graded a minute).
    ``link`` makes the relative address of a student's feedback from his result. Averages and
    shares are those of the submissions whose marks stand: graded, or handed in without an answer.
    """
    results = sorted(results, key=lambda result: result.student)
    settled = [result for result in results if result.status in SETTLED]
    exercises = [
        _exercise_facts(number, exercise, settled)
        for number, exercise in enumerate(assignment.exercises, start=1)
    ]
    points = [result.points for result in settled]
    full = sum(exercise.points for exercise in assignment.exercises)
    return _page(
        "class_report.html.j2",
        title=_chapter_title(assignment),
        run=run,
        rows=[_row(result, link) for result in results],
        unboxed=sum(Flag.NO_SANDBOX in result.flags for result in results),
        settled=len(settled),
        full=full,
        mean=statistics.fmean(points) if points else None,
        median=statistics.median(points) if points else None,
        full_marks=sum(value >= full for value in points),
        distribution=_distribution(points, full),
        exercises=exercises,
        again=_to_go_through_again(exercises),
        mistakes=_mistakes(exercises),
        times=_times(results),
        slowest=sorted(results, key=lambda result: -result.seconds)[:5],
        typical_seconds=statistics.median(result.seconds for result in results) if results else 0,
        link=link,
        outcomes=GROUPS,
    )


# The outcomes as the report counts them, in the order in which it draws them.
GROUPS = {
    "passed": ("passed", (Outcome.PASSED,)),
    "failed": ("failed", (Outcome.FAILED,)),
    "time": ("time limit", (Outcome.TIME_LIMIT,)),
    "memory": ("memory limit", (Outcome.MEMORY_LIMIT,)),
    "died": ("ended Python", (Outcome.KERNEL_DIED,)),
    "empty": ("not written", (Outcome.NOT_WRITTEN,)),
    "waiting": ("not graded", (Outcome.NOT_GRADED,)),
    "by-hand": ("marked by hand", (Outcome.BY_HAND,)),
}
# An exercise that fewer than this share of the class passed is worth another quarter of an hour.
PASSED_BY_MANY = 0.6


def _row(result, link):
    return {
        "student": result.student,
        "link": link(result),
        "status": result.status.value.replace("_", " "),
        "settled": result.status in SETTLED,
        "points": result.points,
        "seconds": result.seconds,
        # The banner on top of the page says this of all of them.
        "flags": [flag for flag in result.flags if flag is not Flag.NO_SANDBOX],
        "reason": _shortened(result.reason, REASON_LIMIT),
        "outcomes": [OUTCOMES[exercise.outcome] for exercise in result.exercises],
    }


def _exercise_facts(number, exercise, settled):
    """Count what became of one exercise."""
    verdicts = [
        (result, verdict)
        for result in settled
        for verdict in result.exercises
        if verdict.exercise == exercise.id
    ]
    counts = Counter(verdict.outcome for _, verdict in verdicts)
    groups, start = [], 0.0
    for kind, (words, outcomes) in GROUPS.items():
        count = sum(counts[outcome] for outcome in outcomes)
        if count:
            width = 100 * count / len(verdicts)
            groups.append(
                {"kind": kind, "words": words, "count": count, "x": start, "width": width}
            )
            start += width
    failed = [pair for pair in verdicts if pair[1].outcome is Outcome.FAILED]
    return {
        "number": number,
        "title": exercise.title,
        "max_points": exercise.points,
        "total": len(verdicts),
        "passed": counts[Outcome.PASSED],
        "failed": len(failed),
        "hidden_only": sum(verdict.hidden for _, verdict in failed),
        "named": sum(bool(verdict.mistake) for _, verdict in failed),
        "mean": statistics.fmean(verdict.points for _, verdict in verdicts) if verdicts else None,
        "groups": groups,
        "mistakes": _by_mistake(failed),
    }


def _by_mistake(failed):
    students = {}
    for result, verdict in failed:
        if verdict.mistake:
            students.setdefault(verdict.mistake.rstrip("."), []).append(result)
    return sorted(students.items(), key=lambda item: (-len(item[1]), item[0]))


def _mistakes(exercises):
    """List the known mistakes of all exercises, the most frequent first."""
    rows = [
        {"exercise": exercise, "sentence": sentence, "students": students}
        for exercise in exercises
        for sentence, students in exercise["mistakes"]
    ]
    return sorted(rows, key=lambda row: (-len(row["students"]), row["exercise"]["number"]))


def _to_go_through_again(exercises):
    hard = [
        exercise
        for exercise in exercises
        if exercise["total"] and exercise["passed"] < PASSED_BY_MANY * exercise["total"]
    ]
    return sorted(hard, key=lambda exercise: exercise["passed"] / exercise["total"])[:3]


def _distribution(points, full):
    """Count the submissions a point, or a tenth of the points where there are very many."""
    step = 1 if full <= 30 else full / 10
    last = math.ceil(full / step)
    bins = Counter(max(0, min(last, math.floor(value / step + 1e-9))) for value in points)
    return _bars([(f"{number * step:g}", bins[number]) for number in range(last + 1)])


def _times(results):
    """Count the submissions by the seconds they took, in at most ten even steps."""
    longest = max((result.seconds for result in results), default=0.0)
    if longest <= 0:
        return []
    size = 10 ** math.floor(math.log10(longest / 10))
    step = next(size * factor for factor in (1, 2, 5, 10, 20) if size * factor * 10 >= longest)
    bins = Counter(min(9, math.floor(result.seconds / step)) for result in results)
    count = math.ceil(longest / step)
    return _bars(
        [(f"{number * step:g}–{(number + 1) * step:g}", bins[number]) for number in range(count)]
    )


def _bars(counts):
    """Lay out the bars of a histogram, in percent of its width and height."""
    highest = max((count for _, count in counts), default=0) or 1
    pitch = 100 / len(counts)
    # A phone has room for every fifth label of many, for every second of some.
    every = 5 if len(counts) > 12 else 2 if len(counts) > 6 else 1
    return [
        {
            "label": label,
            "count": count,
            "x": number * pitch,
            "middle": (number + 0.5) * pitch,
            "width": pitch,
            "height": count / highest,
            "minor": number % every > 0,
        }
        for number, (label, count) in enumerate(counts)
    ]


# --- the table of marks ----------------------------------------------------------------------

# Openings that make a spreadsheet program take a cell for a formula (after OWASP's list), also in
# the full-width forms that some of them understand.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def marks_csv(results):
    """Return the marks as CSV for a learning platform: a row a student, a column an exercise.

    A text that a spreadsheet would run as a formula gets an apostrophe in front. The table opens
    with a byte order mark: without it spreadsheet programs read UTF-8 as their own code page and
    spoil names, while what reads tables for a living (pandas, the learning platforms) skips it.
    Totals are those of the results, whatever the status; a platform that must not see marks which
    wait for review filters by the column ``status``.
    """
    results = sorted(results, key=lambda result: (result.student, result.assignment))
    names = list(dict.fromkeys(e.exercise for result in results for e in result.exercises))
    table = io.StringIO()
    writer = csv.writer(table, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(map(_cell, ["student", "status", "total", "max", *names, "flags"]))
    for result in results:
        points = {exercise.exercise: exercise.points for exercise in result.exercises}
        row = [result.student, result.status.value, result.points, result.max_points]
        row += [points.get(name, "") for name in names]
        writer.writerow(map(_cell, [*row, "; ".join(flag.value for flag in result.flags)]))
    return "\ufeff" + table.getvalue()


def _cell(value):
    if isinstance(value, (int, float)):
        return format(value, ".10g")
    text = "'" + value if value.lstrip(" ").startswith(FORMULA) else value
    return re.sub(r"[\t\n]", " ", _clean(text))


# --- pages -----------------------------------------------------------------------------------


def _page(template, **facts):
    style, policy = _style()
    return _templates().get_template(template).render(style=style, policy=policy, **facts)


@cache
def _style():
    """Return the style sheet, and the policy that allows this one, PNG in the page, and no more."""
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return Markup(style), policy


@cache
def _templates():
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    environment.filters["number"] = lambda value: f"{value:.10g}"
    environment.filters["rounded"] = lambda value: f"{value:.1f}".removesuffix(".0")
    environment.filters["percent"] = lambda part, whole: f"{100 * part / whole:.0f} %"
    environment.filters["seconds"] = _duration
    return environment


def _finalized(value):
    """Clean every text on its way into a page, and bound it; markup is our own and passes."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _clean(_shortened(value, SOURCE_LIMIT + OUTPUT_LIMIT))
    return value


def _duration(seconds):
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s"
