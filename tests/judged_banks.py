"""Which answers of the bank need no judging by day: nothing that a verdict rests on has changed.

When both checks have judged every answer to an exercise as they should, a digest of all that the
verdicts rest on is noted in ``judged_banks.json``, which is committed with the change. While it is
the same, another run would give the same verdicts. At night all answers are judged again.
"""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

from autograder.checking.recording import recorded_file, recorded_outcomes
from autograder.checking.recording_digest import cells_of_bank
from autograder.course import chapters
from autograder.course.chapters import chapter_stems
from autograder.course.source_digest import add, digest_of, imported_files
from autograder.course.variants import bank_file, load_variants

NOTED = Path(__file__).parent / "judged_banks.json"


def foundations(stem):
    """List the files that the verdicts on a chapter's answers rest on."""
    root = chapters.ROOT
    modules = [f"{room}.{stem}" for room in ("coursekit.checks", "autograder.hidden", "solutions")]
    modules += ["autograder.checking.hidden_check", "autograder.course.variants"]
    return imported_files(modules) | {
        recorded_file(stem),
        bank_file(stem),
        *(path for path in (root / "coursekit" / "data").iterdir() if path.is_file()),
        *(root / "tests" / name for name in ("test_variants.py", "remembered_training.py")),
    }


def digests(stem):
    """Identify all that the verdicts on the answers to each exercise rest on, as hexadecimal texts.

    Of the bank and of what is recorded only the exercise's own part counts, and not what a recorded
    file says that it rests on itself, while the same has been recorded again.
    """
    common = digest_of(foundations(stem) - {recorded_file(stem), bank_file(stem)})
    outcomes, found = recorded_outcomes(stem), {}
    for exercise, cells in cells_of_bank(stem).items():
        digest = common.copy()
        add(digest, cells)
        add(digest, json.dumps(outcomes.get(exercise)).encode())
        found[exercise] = digest.hexdigest()
    return found


def noted():
    """Return the noted digests by chapter and exercise; none while a merge has left its marks."""
    try:
        return json.loads(NOTED.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}


def judged_exercises(stem):
    """Return the ids of the exercises whose answers were judged with everything as it is here."""
    known = noted().get(stem, {})
    return {exercise for exercise, digest in digests(stem).items() if known.get(exercise) == digest}


@cache
def number_of_tests(stem, exercise):
    """Count the tests of an exercise: one of its own and of a right answer, two of a wrong one."""
    answers = [answer for answer in load_variants(stem) if answer.exercise == exercise]
    wrong = sum(answer.mistake is not None for answer in answers)
    return 1 + len(answers) + wrong


def note(passed, began):
    """Note the exercises whose tests have all passed; return the chapters of those that are new.

    ``passed`` holds the names of tests of ``test_variants.py``; in each, the parameters begin with
    the chapter and the exercise. ``began`` is the time at which the first of them may have read a
    file.
    """
    tests = Counter(re.search(r"\[(ch\d\d_\w+)-(\w+)", name).groups() for name in set(passed))
    known, new = noted(), []
    for stem in sorted({stem for stem, _ in tests}):
        if any(path.stat().st_mtime >= began for path in foundations(stem)):
            continue
        before = judged_exercises(stem)
        added = {
            exercise: digest
            for exercise, digest in digests(stem).items()
            if tests[stem, exercise] == number_of_tests(stem, exercise) and exercise not in before
        }
        if added:
            known[stem] = known.get(stem, {}) | added
            new.append(stem)
    if new:
        ordered = {stem: known[stem] for stem in chapter_stems() if stem in known}
        NOTED.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return new
