"""What recorded outcomes rest on, by exercise: while it is the same, nothing is recorded again."""

import re

from autograder.course import chapters
from autograder.course.source_digest import add, code_of, digest_of, imported_files
from autograder.course.variants import bank_file

_NAME_OF_EXERCISE = re.compile(rb'^# %% .*?\bexercise="(\w+)"')


def digests_of_foundations(stem: str) -> dict[str, str]:
    """Identify all that the recorded outcomes of each exercise depend on, as hexadecimal texts.

    That is the chapter's check and reference solution with every module that they import, the cells
    of the bank that belong to the exercise or to none, the data of `coursekit`, the three modules
    that ask and record, and the versions of some packages, as ``requirements.txt`` has them: a
    reader with another version does not record everything again. Whether all is still as recorded
    is tested at night.
    """
    paths = imported_files([f"coursekit.checks.{stem}", f"solutions.{stem}"]) | {
        chapters.ROOT / "autograder" / "checking" / "recording.py",
        chapters.ROOT / "autograder" / "checking" / "replayed_answers.py",
        chapters.ROOT / "autograder" / "checking" / "tied_mistakes.py",
        *(path for path in (chapters.ROOT / "coursekit" / "data").iterdir() if path.is_file()),
    }
    common, digests = digest_of(paths), {}
    for exercise, cells in cells_of_bank(stem).items():
        digest = common.copy()
        add(digest, cells)
        digests[exercise] = digest.hexdigest()
    return digests


def cells_of_bank(stem: str) -> dict[str, bytes]:
    """Return the cells of a chapter's bank that each exercise can use, without their comments."""
    cells = re.split(rb"(?m)^(?=# %%)", code_of(bank_file(stem).read_bytes()))
    names = [found and found[1].decode() for found in map(_NAME_OF_EXERCISE.match, cells)]
    return {
        exercise: b"".join(
            cell for name, cell in zip(names, cells, strict=True) if name in (exercise, None)
        )
        for exercise in names
        if exercise
    }
