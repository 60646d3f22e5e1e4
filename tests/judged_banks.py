"""Which chapters' banks need no judging by day: nothing that a verdict rests on has changed since.

When both checks have judged every answer of a chapter's bank as they should, a digest of all that
the verdicts rest on is noted in ``judged_banks.json``, which is committed with the change. While it
is the same, another run would give the same verdicts. At night all answers are judged again.
"""

import json
import re
from collections import Counter
from pathlib import Path

from autograder.checking.recording import RESTS_ON, recorded_file
from autograder.course import chapters
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.course.source_digest import add, digest_of, imported_files
from autograder.course.variants import load_variants

NOTED = Path(__file__).parent / "judged_banks.json"


def foundations(stem):
    """List the files that the verdicts on a chapter's bank rest on."""
    root = chapters.ROOT
    modules = [f"{room}.{stem}" for room in ("coursekit.checks", "autograder.hidden", "solutions")]
    modules += ["autograder.checking.hidden_check", "autograder.course.variants"]
    return imported_files(modules) | {
        recorded_file(stem),
        root / "solutions" / "variants" / f"{stem}.py",
        *(path for path in (root / "coursekit" / "data").iterdir() if path.is_file()),
        *(root / "tests" / name for name in ("test_variants.py", "remembered_training.py")),
    }


def digest(stem):
    """Identify all that the verdicts on a chapter's bank rest on, as a hexadecimal text.

    What a recorded file rests on itself does not count while the same has been recorded again.
    """
    recorded = recorded_file(stem)
    found = digest_of(foundations(stem) - {recorded})
    add(found, re.sub(f'"{RESTS_ON}": "[0-9a-f]+"'.encode(), b"", recorded.read_bytes()))
    return found.hexdigest()


def noted():
    """Return the noted digests by chapter; none while a merge has left its marks in the file."""
    try:
        return json.loads(NOTED.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}


def judged(stem):
    """Whether the bank of a chapter has been judged with everything as it is here."""
    return noted().get(stem) == digest(stem)


def number_of_tests(stem):
    """Count the tests of a chapter's bank: of every exercise and right answer one, else two."""
    answers = load_variants(stem)
    wrong = sum(answer.mistake is not None for answer in answers)
    return len(load_chapter(stem).exercises) + len(answers) + wrong


def note(passed, began):
    """Note the chapters whose tests have all passed, and return those that were not noted before.

    ``passed`` holds the names of tests of ``test_variants.py``; in each, the parameters begin with
    the chapter. ``began`` is the time at which the first of them may have read a file.
    """
    tests = Counter(re.search(r"\[(ch\d\d_\w+)-", name)[1] for name in set(passed))
    new = [
        stem
        for stem in chapter_stems()
        if tests[stem] == number_of_tests(stem)
        and all(path.stat().st_mtime < began for path in foundations(stem))
        and not judged(stem)
    ]
    if new:
        digests = noted() | {stem: digest(stem) for stem in new}
        known = {stem: digests[stem] for stem in chapter_stems() if stem in digests}
        NOTED.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return new
