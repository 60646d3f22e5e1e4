"""One submission's result in the format that Gradescope reads.

Source: Gradescope's autograder specification,
https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import json
import math
from typing import Any

from autograder.reports.feedback import READ, exercise_view
from autograder.reports.text import clean, shortened
from autograder.reports.words import DETAIL_LIMIT, INSTRUCTORS_FLAGS, NOTICES
from autograder.results import ExerciseResult, Outcome, Result, Status


def gradescope_json(result: Result) -> str:
    """Return the text of ``results.json``: a test for each exercise, and the points in all.

    Students read all of it, so it says what their feedback page says: of a hidden check the
    headline and the mistake. What the command prints stays with the instructors.
    """
    # What was not read is not said exercise by exercise: nobody looks at those answers.
    is_read = result.status in (*READ, Status.NO_RESPONSE)
    unread = "" if is_read else NOTICES[result.status][0]
    tests = [
        _test(number, exercise, unread) for number, exercise in enumerate(result.exercises, start=1)
    ]
    facts = {
        "score": result.total,
        "execution_time": math.ceil(result.seconds),
        "output": _summary(result),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _test(number: int, exercise: ExerciseResult, unread: str) -> dict[str, Any]:
    return {
        "number": str(number),
        "name": exercise.title,
        "score": exercise.points,
        "max_score": exercise.max_points,
        "status": "passed" if exercise.outcome is Outcome.PASSED else "failed",
        "visibility": "visible",
        "output": f"Not graded. {unread}." if unread else _output(number, exercise),
    }


def _output(number: int, exercise: ExerciseResult) -> str:
    view = exercise_view(number, exercise)
    lines = [view["words"]]
    if not view["full"]:
        lines.append(view["share"])
        finder = "a hidden check" if view["hidden"] else "the check"
        lines.append(view["mistake"])
        if view["finding"]:
            lines.append(f"What {finder} found: {view['call']} {view['finding']}")
        lines += [view["detail"], view["next_step"]]
    return shortened(clean("\n".join(line for line in lines if line)), DETAIL_LIMIT)


def _summary(result: Result) -> str:
    passed = sum(exercise.outcome is Outcome.PASSED for exercise in result.exercises)
    lines = [f"{passed} of {len(result.exercises)} exercises passed."]
    if result.status in NOTICES:
        title, text = NOTICES[result.status]
        lines = [f"{title}. {text}", f"The reason: {result.reason}." if result.reason else ""]
    flags = [flag.value for flag in result.flags if flag not in INSTRUCTORS_FLAGS]
    lines.append(f"Noticed on the way: {'; '.join(flags)}." if flags else "")
    return shortened(clean("\n".join(line for line in lines if line)), DETAIL_LIMIT)
