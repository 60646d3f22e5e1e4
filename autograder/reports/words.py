"""What pages and results say of a submission and its exercises, and the grader's sentences.

They are translated where they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.results import (
    ENDED_EARLY,
    LOST_MESSAGES,
    NO_ANSWER,
    NO_ANSWER_CELL,
    SEVERAL_NOTEBOOKS,
    TWO_NAMES,
    WRITTEN_ABOVE,
    WRITTEN_BELOW,
    Flag,
    Outcome,
    Status,
)
from autograder.translation.catalogue import language, translate
from coursekit.languages import ENGLISH, filled_in

# In characters.
DETAIL_LIMIT, REASON_LIMIT = 4_000, 500

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
        "change. If an answer cell is named as missing, take a fresh copy of the assignment, "
        "paste your answers into its answer cells and hand it in again. If an answer is written "
        "in a cell other than its own, move it into its own cell and hand the notebook in again. "
        "Otherwise there is nothing for you to do.",
    ),
    Status.INVALID_NOTEBOOK: (
        "This file could not be read as a notebook",
        "Open it in JupyterLab. If it opens, save it there and hand in that one .ipynb file, as it "
        "is, not as a PDF. If it does not open, take a fresh copy of the assignment and "
        "paste your answers into it. Nothing in the file was run.",
    ),
    Status.TOO_LARGE: (
        "The file is too large",
        "The space is nearly always taken up by what cells have printed. In JupyterLab, choose "
        "Edit → Clear Outputs of All Cells, save, and hand the notebook in again; your answers "
        "stay. Nothing in the file was run.",
    ),
    Status.REFUSED: (
        "This submission was not opened",
        "For everybody's safety, links are never followed, and archives that unpack outside their "
        "own folder or into too much data are never unpacked. Hand in your assignment.ipynb "
        "itself, as one plain file.",
    ),
}

# These are for the instructor; the student's page says elsewhere what the student has to know.
INSTRUCTORS_FLAGS = (
    Flag.NO_SANDBOX,
    Flag.UNTESTED_IPYKERNEL,
    Flag.MANUAL_MARK_DROPPED,
    Flag.COMMENT_DROPPED,
    Flag.TIME_UNREAD,
    Flag.OTHER_ASSIGNMENT,  # the reason says which one
    Flag.ANSWER_ABOVE,  # the exercise says so, and what to do
    Flag.ANSWER_BELOW,
)

# What stood in such a cell is gone, and an answer may need it.
RESTORED = (Flag.TEXT_EDITED, Flag.CHECK_EDITED)

# What the grader itself says of a submission or an exercise, with fields for what it fills in;
# `results.Result.reason` joins several of them.
CLAUSES = (
    NO_ANSWER,
    "this is the notebook of another assignment, {1}",
    NO_ANSWER_CELL,
    "the answer cell of {1} is missing or renamed",
    "the answer cell {1} is missing or renamed",
    "to be marked by hand",
    "the check could not be completed ({1})",
    "what came back cannot be read ({1})",
    *LOST_MESSAGES.values(),
    ENDED_EARLY,
    WRITTEN_BELOW,
    WRITTEN_ABOVE,
    "{1} of {2} exercises are marked by hand so far",
    "its test ended with {1}",
    "its test gives {1} of {2} points",
    "grading it failed: {1}",
    "not graded: {1} and more",
    "not graded: {1}",
    "the file is empty",
    "the file is not a notebook (not JSON)",
    "the file is not a notebook",
    "the notebook has no list of cells that can be read",
    "no notebook was handed in (nothing at all)",
    "no notebook was handed in ({1})",
    SEVERAL_NOTEBOOKS,
    "one assignment.ipynb is expected",
    "the archive cannot be read: {1}",
    "the archive is packed in a way that is not read here",
    "the archive holds a link",
    "a name in the archive leads out of it",
    TWO_NAMES,
    "more than {1} files were handed in",
    "{1} has {2} MB",
    "{1} unpacks to {2} MB",
    "{1} are allowed",
    "{1} is a link",
    "{1} is a hard link",
    "{1} is not a file",
    "{1} is not a regular file",
    "{1} cannot be read: {2}",
    "cannot be read: {1}",
)

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
    Outcome.NOT_WRITTEN: "There is still a raise NotImplementedError() in this answer. If you "
    "have written the rest, write this part, too, or delete it where it is not needed. If you have "
    "not begun, read the text and its worked example once more, and start with the smallest "
    "version that gets the example right.",
    Outcome.TIME_LIMIT: "Look for a loop that cannot end, or for one over single numbers where one "
    "array operation would do. Try your answer on three values first, and time it.",
    Outcome.MEMORY_LIMIT: "Print the shapes of your intermediate arrays on a small input: one of "
    "them grows much faster than the result does.",
    Outcome.KERNEL_DIED: "Choose Kernel → Restart Kernel and Run All Cells: the first cell that "
    "does not come back is the one to look at. A call to exit() does this, and so does endless "
    "recursion.",
    Outcome.NOT_GRADED: "There is nothing for you to do: your instructor looks at this answer.",
    Outcome.BY_HAND: "Your instructor has read this answer: ask what was missing, unless it is "
    "written above.",
}


def graders_words(text: str) -> str:
    """Translate what the grader made from its `CLAUSES`; what it took from elsewhere stays.

    Several clauses are joined by semicolons, and names may stand before a clause and a colon.
    """
    if language() == ENGLISH:
        return text
    clauses = {clause: translate(clause) for clause in CLAUSES}
    return translate("; ").join(_clause(part, clauses) for part in text.split("; "))


def _clause(text: str, clauses: Mapping[str, str]) -> str:
    names, separator, clause = text.partition(": ")
    whole, behind = filled_in(text, clauses), filled_in(clause, clauses)
    if whole != text or behind == clause:
        return whole
    return f"{names}{translate(separator)}{behind}"
