"""Cases 10-23: submissions whose structure is broken, by accident or on purpose."""

import json
import random

import nbformat

from autograder.building.made_up_submissions import submission_notebook
from autograder.results import Flag, Outcome, Status
from hostile.submissions import (
    ALL,
    CHEATED,
    HONEST,
    POINTS,
    STEM,
    Case,
    below,
    cell,
    checks,
    solutions,
    wrong,
)

INVALID = {"status": Status.INVALID_NOTEBOOK}
MISSING = {
    "status": Status.NEEDS_REVIEW,
    "flags": (Flag.ANSWER_MISSING,),
    "lost": frozenset({"make_windows"}),
    "outcomes": {"make_windows": (Outcome.NOT_GRADED, Outcome.NOT_WRITTEN)},
}


def _sources(of, source):
    def edit(notebook):
        for c in of(notebook):
            c.source = source

    return edit


def _marks(of, **marks):
    """Overwrite entries of cells' nbgrader metadata; None takes one away."""

    def edit(notebook):
        for c in of(notebook):
            for key, value in marks.items():
                c.metadata.nbgrader[key] = value
                if value is None:
                    del c.metadata.nbgrader[key]

    return edit


def _one(grade_id):
    return lambda notebook: [cell(notebook, grade_id)]


def _every(notebook):
    return [c for c in notebook.cells if "nbgrader" in c.metadata]


def _without(of):
    def edit(notebook):
        gone = of(notebook)
        notebook.cells = [c for c in notebook.cells if not any(c is g for g in gone)]

    return edit


def _twice(grade_id, source=None, first=False):
    """Put a copy of a cell, with another source, behind it or (``first``) before it."""

    def edit(notebook):
        original = cell(notebook, grade_id)
        copy = original.copy()
        copy.id = f"{original.id}-copy"
        copy.source = original.source if source is None else source
        place = notebook.cells.index(original)
        notebook.cells.insert(place if first else place + 1, copy)

    return edit


def _merge(notebook):
    kept, gone = cell(notebook, "make_windows"), cell(notebook, "rmse")
    kept.source += f"\n\n\n{gone.source}"
    notebook.cells.remove(gone)


def _split(notebook):
    """Split an answer's cell, which gives the second half the metadata of the first."""
    _twice("make_windows")(notebook)
    cell(notebook, "make_windows").source = "import math"


def _shuffle(notebook):
    random.Random(3).shuffle(notebook.cells)


def _retype(notebook):
    for c in notebook.cells:
        if c.cell_type == "code":
            c.cell_type = "heading"
        else:
            c |= {"cell_type": "code", "outputs": [], "execution_count": None}


def _bare(grade_id):
    def edit(notebook):
        del cell(notebook, grade_id).metadata["nbgrader"]

    return edit


def _nbgrader(grade_id, value):
    def edit(notebook):
        cell(notebook, grade_id).metadata["nbgrader"] = value

    return edit


def _edited_json(change):
    def content(data):
        notebook = json.loads(data)
        notebook = change(notebook) or notebook
        return json.dumps(notebook).encode()

    return content


def _just(data):
    return lambda content: data


def _with(**entries):
    return _edited_json(lambda notebook: notebook | entries)


def _old_format(version):
    def content(data):
        notebook = nbformat.convert(nbformat.reads(data.decode(), as_version=4), version)
        return json.dumps(notebook).encode()

    return content


def _markdown(grade_id, cell_type="markdown"):
    def change(notebook):
        for c in notebook["cells"]:
            if c["metadata"].get("nbgrader", {}).get("grade_id") == grade_id:
                c["cell_type"] = cell_type
                for key in ("outputs", "execution_count"):
                    c.pop(key, None)

    return _edited_json(change)


def _everything_twice(notebook):
    copies = [c.copy() for c in notebook.cells]
    for c in copies:
        c.id += "-copy"
    notebook.cells += copies


def _large(inbox, content, course):
    """Hand in a file of 200 MB that takes no room on the disk."""
    inbox.mkdir(parents=True)
    with open(inbox / "assignment.ipynb", "wb") as file:
        file.write(content)
        file.truncate(200 * 2**20)


def _among_others(inbox, content, course):
    """Hand in all that a student's machine leaves in a chapter's folder."""
    files = {
        "ASSIGNMENT.IPYNB.TXT": content,
        "._ASSIGNMENT.IPYNB.TXT": b"\0\5\x16\7",
        "lesson.ipynb": b"{}",
        ".ipynb_checkpoints/assignment-checkpoint.ipynb": b"{}",
    }
    for name, data in files.items():
        path = inbox / "my work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _pdf(inbox, content, course):
    inbox.mkdir(parents=True)
    (inbox / "answers.pdf").write_bytes(b"%PDF-1.7")


def _at(time):
    def deliver(inbox, content, course):
        inbox.mkdir(parents=True)
        (inbox / "assignment.ipynb").write_bytes(content)
        (inbox / "timestamp.txt").write_text(time)

    return deliver


def _source_of(grade_id, change):
    """Change the JSON text of one answer's source, past what a notebook library would write."""

    def content(data):
        source = json.dumps(HONEST[grade_id])
        assert source.encode() in data
        return data.replace(source.encode(), change(source).encode("utf-8", "surrogatepass"))

    return content


def _latin_1(data):
    return (
        data.decode()
        .replace("def rmse", "# na\u00efvet\u00e9\\ndef rmse")
        .encode("latin-1", "replace")
    )


def _unanswered(**more):
    return {"status": Status.NO_RESPONSE} | more


STUBS = {c.metadata.nbgrader.grade_id: c.source for c in solutions(submission_notebook(STEM, {}))}
DIES = "import os\nos._exit(1)"

CASES = [
    # --- 10, 11, 12: check cells ---
    Case(
        10,
        "edited_checks",
        "wrong answers, every check cell replaced by `assert True`",
        answers=wrong(),
        edit=_sources(checks, "assert True"),
        lost=CHEATED,
        flags=(Flag.CHECK_EDITED,),
    ),
    Case(
        10,
        "edited_setup",
        "the locked set-up cell replaced by one with a `checks` of its own",
        answers=wrong(),
        edit=_sources(
            _one("setup"),
            "import keras\nimport numpy as np\nfrom unittest.mock import MagicMock\n"
            "checks = MagicMock()",
        ),
        lost=CHEATED,
        flags=(Flag.TEXT_EDITED,),
    ),
    Case(
        10,
        "check_with_prints",
        "right answers, a line added to a check cell while debugging",
        edit=_sources(_one("rmse_check"), "print(rmse)\nchecks.rmse(rmse, skill_score)"),
        flags=(Flag.CHECK_EDITED,),
    ),
    Case(
        10,
        "blank_lines",
        "right answers, blank lines added to check cells",
        edit=lambda notebook: [setattr(c, "source", f"\n{c.source}\n") for c in checks(notebook)],
    ),
    Case(
        11,
        "deleted_check",
        "right answers, one check cell deleted",
        edit=_without(_one("make_windows_check")),
        flags=(Flag.CHECK_DELETED,),
    ),
    Case(
        11,
        "only_answers_left",
        "right answers, every other cell deleted",
        edit=lambda notebook: setattr(notebook, "cells", solutions(notebook)),
        flags=(Flag.CHECK_DELETED, Flag.TEXT_EDITED),
    ),
    Case(
        12,
        "duplicated_check",
        "right answers, a check cell duplicated",
        edit=_twice("rmse_check"),
        flags=(Flag.CHECK_DUPLICATED,),
    ),
    Case(
        12,
        "false_check_first",
        "a wrong answer, and before its check cell a copy that says `assert True`",
        answers=wrong({"rmse"}),
        edit=_twice("rmse_check", "assert True", first=True),
        lost=frozenset({"rmse"}),
        flags=(Flag.CHECK_DUPLICATED, Flag.CHECK_EDITED),
    ),
    Case(
        12,
        "duplicated_answer",
        "a right answer, and behind it a copy of the cell with a wrong one",
        edit=_twice("rmse", wrong({"rmse"})["rmse"]),
        # Run in their order, as they were in the student's own notebook.
        lost=frozenset({"rmse"}),
        flags=(Flag.ANSWER_DUPLICATED,),
    ),
    Case(
        12,
        "everything_twice",
        "right answers, the whole notebook pasted behind itself",
        edit=_everything_twice,
        flags=(Flag.CHECK_DUPLICATED, Flag.ANSWER_DUPLICATED),
    ),
    Case(
        12,
        "split_answer",
        "right answers, one cell of which was split in two",
        edit=_split,
        flags=(Flag.ANSWER_DUPLICATED,),
    ),
    Case(
        12,
        "merged_answers",
        "right answers, two of which were merged into one cell",
        edit=_merge,
        lost=frozenset({"rmse"}),
        status=Status.NEEDS_REVIEW,
        flags=(Flag.ANSWER_MISSING,),
    ),
    Case(12, "shuffled", "right answers, all cells in another order", edit=_shuffle),
    # --- 13, 14, 15: metadata ---
    Case(
        13,
        "renamed_answer",
        "the `grade_id` of an answer changed",
        edit=_marks(_one("make_windows"), grade_id="my_windows"),
        **MISSING,
    ),
    Case(
        13,
        "no_grade_id",
        "the `grade_id` of an answer removed",
        edit=_marks(_one("make_windows"), grade_id=None),
        **MISSING,
    ),
    Case(
        13,
        "no_metadata",
        "the nbgrader metadata of an answer removed",
        edit=_bare("make_windows"),
        **MISSING,
    ),
    Case(
        13,
        "metadata_is_a_list",
        "the nbgrader metadata of an answer is a list",
        edit=_nbgrader("make_windows", ["make_windows"]),
        **MISSING,
    ),
    Case(
        13,
        "grade_id_is_a_number",
        "the `grade_id` of an answer is a number",
        edit=_marks(_one("make_windows"), grade_id=7),
        **MISSING,
    ),
    Case(
        13,
        "deleted_answer",
        "an answer cell deleted",
        edit=_without(_one("make_windows")),
        **MISSING,
    ),
    Case(
        13,
        "renamed_check",
        "right answers, the `grade_id` of a check cell changed",
        edit=_marks(_one("rmse_check"), grade_id="../../rmse_check"),
        flags=(Flag.CHECK_DELETED,),
    ),
    Case(
        14,
        "flags_flipped",
        "wrong answers; check cells say that they are not graded, answers that they are",
        answers=wrong(),
        edit=lambda notebook: (
            _marks(checks, grade=False, solution=True, locked=False)(notebook),
            _marks(solutions, grade=True, solution=False, points=100)(notebook),
        ),
        lost=CHEATED,
        flags=(Flag.METADATA_CHANGED,),
    ),
    Case(
        14,
        "points_raised",
        "one right answer, whose check cell is said to be worth 1000 points",
        answers=wrong(),
        edit=_marks(_one("persistence_forecast_check"), points=1000),
        lost=CHEATED,
        flags=(Flag.METADATA_CHANGED,),
    ),
    *(
        Case(
            15,
            f"schema_{name}",
            f"right answers, every `schema_version` {words}",
            edit=_marks(_every, schema_version=value),
            flags=(Flag.METADATA_CHANGED,),
        )
        for name, words, value in (
            ("1", "1", 1),
            ("99", "99", 99),
            ("missing", "missing", None),
            ("text", 'the word "three"', "three"),
        )
    ),
    # --- 16, 17: no notebook, another notebook ---
    Case(16, "truncated", "JSON cut off in the middle", content=lambda d: d[:5000], **INVALID),
    Case(16, "empty", "an empty file", content=_just(b""), **INVALID),
    Case(16, "a_picture", "a PNG", content=_just(b"\x89PNG\r\n\x1a\n" + bytes(99)), **INVALID),
    Case(16, "a_list", "JSON, but a list", content=_just(b"[1, 2, 3]"), **INVALID),
    Case(16, "an_empty_object", "JSON, but `{}`", content=_just(b"{}"), **INVALID),
    Case(16, "cells_is_text", "`cells` is a string", content=_with(cells="print(1)"), **INVALID),
    Case(
        16,
        "nested_lists",
        "100,000 nested lists",
        content=_just(b'{"cells": ' + b"[" * 100_000),
        **INVALID,
    ),
    Case(
        16,
        "huge_number",
        "a number of 100,000 digits for `nbformat_minor`",
        content=lambda data: data.replace(
            b'"nbformat_minor": 5', b'"nbformat_minor": ' + b"9" * 100_000
        ),
        **INVALID,
    ),
    Case(
        16,
        "cells_of_all_kinds",
        "right answers among cells that are numbers, null, lists, without source or metadata",
        content=_edited_json(
            lambda nb: nb["cells"].extend([7, None, [], {}, {"cell_type": "code"}, {"source": {}}])
        ),
    ),
    Case(
        17,
        "nbformat_3",
        "right answers in the format of IPython 1 and 2",
        content=_old_format(3),
        flags=(Flag.UPGRADED,),
        flags_allowed=(Flag.OTHER_KERNEL,),
    ),
    Case(
        17,
        "nbformat_3_broken",
        "says format 3 and has no worksheets",
        content=_just(b'{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": 5}'),
        **INVALID,
    ),
    Case(
        17,
        "nbformat_99",
        "right answers, says format 99",
        content=_with(nbformat=99, nbformat_minor=0),
    ),
    # --- 18: kernelspec ---
    Case(
        18,
        "no_kernelspec",
        "right answers, no kernelspec",
        content=_with(metadata={}),
        flags=(Flag.OTHER_KERNEL,),
    ),
    Case(
        18,
        "kernel_of_r",
        "right answers, the kernel of another language",
        content=_with(
            metadata={"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}}
        ),
        flags=(Flag.OTHER_KERNEL,),
    ),
    Case(
        18,
        "kernel_by_path",
        "right answers, a kernelspec with a path for a name and a command",
        content=_with(
            metadata={
                "kernelspec": {
                    "name": "../../../../bin/sh",
                    "display_name": "sh",
                    "argv": ["sh", "-c", "exit"],
                }
            }
        ),
        flags=(Flag.OTHER_KERNEL,),
    ),
    Case(
        18,
        "metadata_is_a_list",
        "right answers, the notebook's metadata is a list",
        content=_with(metadata=[1, 2]),
        flags=(Flag.OTHER_KERNEL,),
    ),
    # --- 19: text ---
    Case(19, "latin_1", "not UTF-8", content=_latin_1, **INVALID),
    Case(
        19,
        "utf_16",
        "UTF-16",
        content=lambda data: data.decode().encode("utf-16"),
        **INVALID,
    ),
    Case(
        19, "bom", "right answers behind a byte order mark", content=lambda d: b"\xef\xbb\xbf" + d
    ),
    Case(
        19,
        "nul",
        "a NUL character in an answer",
        content=_source_of("make_windows", lambda s: s.replace("starts = ", "starts = \\u0000", 1)),
        lost=frozenset({"make_windows"}),
        outcomes={"make_windows": (Outcome.FAILED,)},
    ),
    Case(
        19,
        "deep_expression",
        "a sum of 3,000 terms in an answer, too deep for Python to read",
        content=_source_of("make_windows", lambda s: s[:-1] + "\\n0" + "+0" * 3000 + '"'),
        lost=frozenset({"make_windows"}),
        outcomes={"make_windows": (Outcome.FAILED,)},
    ),
    Case(
        19,
        "lone_surrogate",
        "right answers, a lone surrogate in a comment",
        content=_source_of("make_windows", lambda s: s[:-1] + '\\n# \\ud800"'),
    ),
    Case(
        19,
        "odd_time",
        "right answers, handed in at a time that UTC cannot express",
        deliver=_at("0001-01-01 00:00:00+14:00"),
        flags=(Flag.TIME_UNREAD,),
    ),
    # --- 20, 21, 22: hardly a submission ---
    Case(20, "untouched", "nothing answered", answers=STUBS, **_unanswered()),
    Case(
        20,
        "emptied",
        "every answer cell emptied",
        answers=dict.fromkeys(POINTS, ""),
        **_unanswered(),
    ),
    Case(
        21,
        "large",
        "a notebook of 200 MB",
        deliver=_large,
        status=Status.TOO_LARGE,
    ),
    Case(
        22,
        "every_type_changed",
        "right answers in cells of type `heading`, and the texts in code cells",
        edit=_retype,
        flags=(Flag.ANSWER_NOT_CODE,),
        flags_allowed=tuple(Flag),
    ),
    Case(
        22,
        "answer_as_markdown",
        "a right answer in a cell turned into markdown",
        content=_markdown("make_windows"),
        flags=(Flag.ANSWER_NOT_CODE,),
    ),
    Case(
        22,
        "answer_as_raw",
        "a right answer in a cell of an unknown type",
        content=_markdown("make_windows", "heading"),
        flags=(Flag.ANSWER_NOT_CODE,),
    ),
    Case(
        22,
        "among_others",
        "right answers in ASSIGNMENT.IPYNB.TXT in a folder, with lesson, checkpoint, a Mac's files",
        deliver=_among_others,
        not_on_stock="stock autograde reads no such file",
    ),
    Case(
        22,
        "no_notebook",
        "a PDF in the place of a notebook",
        deliver=_pdf,
        **INVALID,
    ),
    # --- 23: handed in again ---
    Case(
        23,
        "worse",
        "full marks, then handed in again with wrong answers",
        answers=wrong(),
        earlier=True,
        lost=CHEATED,
    ),
    Case(
        23,
        "dies",
        "full marks, then handed in again with answers that end the kernel",
        answers={exercise: DIES for exercise in ALL},
        earlier=True,
        lost=ALL,
        outcomes={exercise: (Outcome.KERNEL_DIED,) for exercise in ALL},
    ),
    Case(
        23,
        "unreadable",
        "full marks, then handed in again as a file that is no notebook",
        content=_just(b"I have sent the wrong file, sorry"),
        earlier=True,
        **INVALID,
    ),
    Case(
        23,
        "one_answer_less",
        "full marks, then handed in again with an error below one answer",
        answers=below("rmse", "del rmse"),
        earlier=True,
        lost=frozenset({"rmse"}),
        outcomes={"rmse": (Outcome.FAILED,)},
    ),
]
