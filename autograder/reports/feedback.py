"""One student's feedback: the verdicts, the names of mistakes, where to read on.

Whatever came from a submission is shown as text, never as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from docutils.nodes import make_id

from autograder.course.assignment import Assignment
from autograder.course.chapters import Chapter
from autograder.reports.pages import render
from autograder.reports.text import as_terminal_text, clean, shortened
from autograder.reports.words import (
    DETAIL_LIMIT,
    INSTRUCTORS_FLAGS,
    NEXT_STEPS,
    NOTICES,
    OUTCOMES,
    REASON_LIMIT,
    RESTORED,
    graders_words,
)
from autograder.results import (
    ENDED_EARLY,
    NO_ANSWER,
    NO_ANSWER_CELL,
    SETTLED,
    SEVERAL_NOTEBOOKS,
    WRITTEN_ABOVE,
    WRITTEN_BELOW,
    ExerciseResult,
    Flag,
    Outcome,
    Result,
    Status,
)
from autograder.translation.catalogue import language, translate, translate_chapter
from coursekit.checks import wording
from coursekit.checks.failure import diagnosis
from coursekit.checks.wording import POSSIBLY
from coursekit.languages import ENGLISH

READ = (Status.GRADED, Status.NEEDS_REVIEW)


def feedback_html(result: Result, book_url: str | None, assignment: Assignment) -> str:
    """Return one student's feedback as a self-contained page.

    It shows the verdict on every exercise, the sentence of a known mistake, the detail of visible
    checks, and the student's own cells with their outputs: text, and pictures that are PNG. Of a
    hidden check it shows headline and mistake alone. ``book_url`` is the address of the published
    book, None leaves out the links into it; ``assignment`` is that of the result.
    """
    cells = result.cells if result.status in READ else {}
    chapter = translate_chapter(assignment) if isinstance(assignment, Chapter) else assignment
    sections = {exercise.id: exercise.lesson for exercise in assignment.exercises}
    shown = {exercise.id: exercise for exercise in chapter.exercises}
    exercises = [
        exercise_view(
            number,
            exercise,
            cells.get(exercise.exercise, []),
            sections.get(exercise.exercise, ""),  # a result may be older than an exercise's name
        )
        for number, exercise in enumerate(result.exercises, start=1)
    ]
    for view, exercise in zip(exercises, result.exercises, strict=True):
        if language() != ENGLISH and (translated := shown.get(exercise.exercise)):
            view |= {"title": translated.title, "section": translated.lesson}
    passed = sum(view["full"] for view in exercises)
    return render(
        "feedback.html.j2",
        result=result,
        title=chapter.title,
        lesson=book_url and any(sections.values()) and _lesson_link(book_url, result.assignment),
        # Of another file there is nothing to say exercise by exercise, unless a person gave marks.
        read=result.status in READ and not (_is_other(result) and result.status not in SETTLED),
        notice=_notice(result, chapter.title),
        reason=graders_words(shortened(result.reason, REASON_LIMIT).rstrip(".")),
        exercises=exercises,
        passed=passed,
        next_exercise=next((view for view in exercises if not view["full"]), None),
        is_other=_is_other(result),
        loose_cells=cells.get("", []),
        restored=any(flag in result.flags for flag in RESTORED),
        flags=[translate(flag.value) for flag in result.flags if flag not in INSTRUCTORS_FLAGS],
    )


def _is_other(result: Result) -> bool:
    """Say whether what was handed in is not the assignment: then no answer was looked for."""
    return Flag.OTHER_ASSIGNMENT in result.flags or NO_ANSWER_CELL in result.reason


def _notice(result: Result, title: str) -> tuple[str, str] | None:
    """Return heading and text of what a page says of the whole submission, None for nothing."""
    if Flag.OTHER_ASSIGNMENT in result.flags:
        return (
            translate("This is the file of another assignment"),
            translate(
                "It was handed in for “{title}”, so it has none of the answers that are asked for "
                "here. Find the assignment.ipynb of this chapter, and hand that one in.",
                title=title,
            ),
        )
    if NO_ANSWER_CELL in result.reason:
        return (
            translate("This is not the file of the assignment"),
            translate(
                "It has none of the cells for the answers that are asked for here. Find the "
                "assignment.ipynb of this chapter, and hand that one in."
            ),
        )
    if SEVERAL_NOTEBOOKS.removeprefix("{1}") in result.reason:
        return (
            translate("Several notebooks were handed in"),
            translate(
                "Nobody can tell which of them you meant, so none was run. Hand in the one "
                "assignment.ipynb with your answers, and no other notebook beside it."
            ),
        )
    if notice := NOTICES.get(result.status):
        return translate(notice[0]), translate(notice[1])
    return None


def exercise_view(
    number: int, exercise: ExerciseResult, cells: Sequence[Any] = (), section: str = ""
) -> dict[str, Any]:
    """Gather what a page says to the student about one exercise."""
    words, mark, kind = OUTCOMES[exercise.outcome]
    detail = wording.lines(_dedented(exercise.detail), language())
    headline = exercise.headline.removesuffix(wording.HIDDEN)
    call, separator, finding = headline.partition("): ")
    found = (
        wording.what_is_wrong(finding, language())
        if separator
        else wording.headline(graders_words(headline), language())
    )
    return {
        "number": number,
        "title": exercise.title,
        "points": exercise.points,
        "max_points": exercise.max_points,
        "share": _share(exercise),
        "words": translate(words),
        "mark": mark,
        "kind": kind,
        "full": exercise.points >= exercise.max_points,
        "comment": shortened(clean(exercise.comment), DETAIL_LIMIT),
        "hidden": exercise.hidden and kind == "failed",
        "mistake": diagnosis(exercise.mistake, language()),
        "call": shortened(call + ")", DETAIL_LIMIT) if separator else "",
        "finding": shortened(found, DETAIL_LIMIT),
        # What a hidden check knows, and any message that may repeat it, stays where it is.
        "detail": "" if exercise.hidden else shortened(detail, DETAIL_LIMIT),
        "next_step": _next_step(exercise),
        "section": "" if _ended_early(exercise) or _stands_elsewhere(exercise) else section,
        "anchor": make_id(section),
        "cells": cells,
    }


def _ended_early(exercise: ExerciseResult) -> bool:
    """Say whether the check found nothing to call because the answer's cell ended in an error."""
    return f": {ENDED_EARLY.removesuffix('{1}')}" in exercise.headline


def _stands_below(exercise: ExerciseResult) -> bool:
    """Say whether the answer was written in a cell that runs after its check."""
    return exercise.headline.endswith(f": {WRITTEN_BELOW}")


def _stands_above(exercise: ExerciseResult) -> bool:
    """Say whether the answer was written in a cell that runs before the stub of its own cell."""
    return exercise.headline.endswith(f": {WRITTEN_ABOVE}")


def _stands_elsewhere(exercise: ExerciseResult) -> bool:
    return _stands_below(exercise) or _stands_above(exercise)


def _share(exercise: ExerciseResult) -> str:
    """Say how many examples were right where that gives a part of the points, "" elsewhere."""
    if not exercise.examples or exercise.outcome is not Outcome.FAILED:
        return ""
    return translate(
        "{right} of {all} examples are right", right=exercise.right_examples, all=exercise.examples
    )


def _next_step(exercise: ExerciseResult) -> str:
    if exercise.outcome is Outcome.PASSED:
        return ""
    if exercise.outcome is Outcome.BY_HAND:  # wherever the answer stands, a person has read it
        return translate(NEXT_STEPS[Outcome.BY_HAND])
    if _stands_above(exercise):
        return translate(
            "A notebook is graded from its first cell to its last, so the stub in the cell of this "
            "exercise replaced your answer. Move the answer into that cell, in the place of the "
            "stub. Then restart your kernel and run all cells from the top."
        )
    if _stands_below(exercise):
        return translate(
            "A notebook is graded from its first cell to its last, so the check could not see this "
            "answer. Move it into the cell above the check. Then restart your kernel and run all "
            "cells from the top."
        )
    if exercise.headline == NO_ANSWER:
        return translate("This answer is still as it was handed out.")
    if exercise.outcome is not Outcome.FAILED:
        return translate(NEXT_STEPS[exercise.outcome])
    if _ended_early(exercise):
        return translate(
            "The cell stopped before it had defined what the check calls. Restart your kernel and "
            "run all cells from the top: the error appears below this cell and names the line. "
            "Correct it, and then run the check cell."
        )
    if exercise.failed_calls:
        return translate(
            "This answer calls {names}, which did not pass either. Correct that first and run this "
            "check again: it may be all that is wrong here.",
            names=exercise.failed_calls,
        )
    if exercise.mistake and exercise.mistake.startswith(POSSIBLY):
        return translate(
            "If your answer does this, change that line alone and run the check cell again. If it "
            "does not, do the call by hand and follow the values to the first one that differs."
        )
    if exercise.mistake:
        return translate(
            "Find the line of your answer that does this, change that line alone, and run the "
            "check cell again."
        )
    if exercise.hidden:
        return translate(
            "Your answer passes the check that you can run, but it fails on other inputs: other "
            "shapes or other values. Try it on sizes that all differ, on more than one example at "
            "a time, and on the special cases that the text names. Does anything in it depend on "
            "the printed example?"
        )
    return translate(
        "The check cell in your notebook says the same. Do the call it names by hand, on paper or "
        "in a new cell, and follow the values to the first one that differs."
    )


def _dedented(detail: str) -> str:
    return "\n".join(line.removeprefix("  ") for line in as_terminal_text(detail).splitlines())


def _lesson_link(book_url: str, stem: str) -> str:
    return f"{book_url.rstrip('/')}/notebooks/{quote(stem)}/lesson.html"
