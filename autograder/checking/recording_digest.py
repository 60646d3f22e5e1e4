"""What a recorded file rests on, as one digest: while it is the same, nothing is recorded again."""

from autograder.course import chapters
from autograder.course.source_digest import digest_of, imported_files


def digest_of_foundations(stem: str) -> str:
    """Identify all that a chapter's recorded file depends on, as a hexadecimal text.

    That is the chapter's check and reference solution with every module that they import, the bank
    of variants, the data of `coursekit`, the two modules that ask and record, and the versions of
    some packages, as ``requirements.txt`` has them: a reader with another version does not record
    everything again. Whether all is still as recorded is tested at night.
    """
    paths = imported_files([f"coursekit.checks.{stem}", f"solutions.{stem}"]) | {
        chapters.ROOT / "autograder" / "checking" / "recording.py",
        chapters.ROOT / "autograder" / "checking" / "replayed_answers.py",
        chapters.ROOT / "solutions" / "variants" / f"{stem}.py",
        *(path for path in (chapters.ROOT / "coursekit" / "data").iterdir() if path.is_file()),
    }
    return digest_of(paths).hexdigest()
