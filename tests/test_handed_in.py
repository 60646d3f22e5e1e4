"""Which of the files that a student hands in counts, from step to step; nothing is graded here."""

from dataclasses import replace

import pytest

from autograder.grading.handed_in import ALL_COUNT, received_from_export, received_in_folder
from autograder.intake.entries import Rejected
from autograder.intake.submissions import Submission
from autograder.results import Origin, Result, Status


class Student:
    """A student's file in submitted/ and what the journal knows, as runs and people change both."""

    def __init__(self, source):
        self.source = source
        self.lies = self.standing = None
        self.uncounted = ALL_COUNT
        self.is_older = False

    def export(self, text, attempt, reason="no archive"):
        """A run with an export; of a file that cannot be opened the text is None."""
        rejected = None if text else Rejected(Status.REFUSED, reason)
        if self.source == "Canvas":
            origin = Origin("Canvas", attempt.zfill(20), f"lovelaceada_11_{attempt}_a.ipynb")
        else:  # the time that the list of the class says, if one is given
            time = f"2026-03-{attempt}" if attempt else ""
            origin = Origin("Moodle", time, "Ada Lovelace_11_assignsubmission_file")
        given = Submission.of("s", (text or "").encode())
        given = replace(given, rejected=rejected, origin=origin)
        file = self.lies and Submission.of("s", self.lies.encode())
        self._take(received_from_export(given, file, self.standing, self.uncounted, None))

    def mend(self, text):
        """A person puts another text into submitted/."""
        self.lies = text

    def folder(self):
        """A run of what lies in submitted/."""
        given = Submission.of("s", self.lies.encode())
        self._take(received_in_folder(given, self.standing, self.uncounted, None))

    def forget(self):
        """The journal was written by a version that did not know what does not count."""
        self.uncounted = None

    def _take(self, came):
        self.is_older = came.is_older
        if came.is_older:
            return
        submission = came.submission
        if came.is_copied and not submission.rejected:
            self.lies = submission.content.decode()
        self.uncounted = came.uncounted
        status = submission.rejected.status if submission.rejected else Status.GRADED
        digest, origin = submission.digest, submission.origin
        self.standing = Result("s", "one", status, submission_digest=digest, origin=origin)

    def counts(self):
        """Return the text that counts, None for a file that could not be opened."""
        if self.standing.status is Status.REFUSED:
            return None
        known = Submission.of("s", self.lies.encode())
        assert known.digest == self.standing.submission_digest
        return self.lies


def after(source, *steps):
    student = Student(source)
    for name, *given in steps:
        getattr(student, name)(*given)
    return student


FIRST, AGAIN, NEWER, BROKEN = (
    ("export", "first", "10"),
    ("export", "first", "10"),
    ("export", "newer", "11"),
    ("export", None, "11"),
)
MENDED, GRADED = ("mend", "mended"), ("folder",)


@pytest.mark.parametrize("source", ["Canvas", "Moodle"])
@pytest.mark.parametrize(
    ("steps", "counts"),
    [
        ([FIRST, NEWER], "newer"),
        ([FIRST, MENDED, GRADED], "mended"),
        # The export of the next week has the same attempt again.
        ([FIRST, MENDED, GRADED, AGAIN], "mended"),
        ([FIRST, MENDED, AGAIN], "mended"),
        ([FIRST, MENDED, GRADED, AGAIN, GRADED, AGAIN], "mended"),
        ([FIRST, MENDED, GRADED, NEWER], "newer"),
        ([FIRST, MENDED, GRADED, NEWER, GRADED], "newer"),
        # A file that cannot be opened counts, until a person puts another in its place.
        ([FIRST, BROKEN], None),
        ([FIRST, BROKEN, MENDED, GRADED], "mended"),
        ([FIRST, BROKEN, MENDED, GRADED, BROKEN], "mended"),
        ([BROKEN, MENDED, GRADED, BROKEN], "mended"),
        ([FIRST, BROKEN, NEWER], "newer"),
        ([FIRST, MENDED, GRADED, BROKEN], None),
        # Which it is, a journal of an earlier version learns from the next export.
        ([FIRST, MENDED, ("forget",), AGAIN], "mended"),
        ([FIRST, BROKEN, ("forget",), BROKEN], None),
    ],
)
def test_the_file_that_counts(source, steps, counts):
    student = after(source, *steps)
    assert student.counts() == counts and not student.is_older


@pytest.mark.parametrize(
    ("again", "counts"), [(("export", None, "11", "too large"), None), (NEWER, "newer")]
)
def test_what_a_newer_version_says_of_a_file_that_a_person_has_replaced(again, counts):
    steps = [FIRST, BROKEN, MENDED, GRADED, again]
    assert after("Canvas", *steps).counts() == "mended"
    # Moodle's list may be an old one, so the same time does not say that it is the same file.
    assert after("Moodle", *steps).counts() == counts


@pytest.mark.parametrize(
    "steps",
    [
        [NEWER, FIRST],
        [FIRST, MENDED, GRADED, ("export", "older", "09")],
        # What a file that cannot be opened leaves in submitted/.
        [FIRST, BROKEN, GRADED],
        [FIRST, BROKEN, GRADED, BROKEN, GRADED],
        [FIRST, MENDED, GRADED, BROKEN, GRADED],
        [FIRST, MENDED, BROKEN, GRADED],
        [FIRST, BROKEN, ("forget",), BROKEN, GRADED],
        [FIRST, BROKEN, MENDED, GRADED, ("export", None, "12"), GRADED],
        [FIRST, BROKEN, MENDED, ("mend", "first"), GRADED],
    ],
)
def test_a_file_that_is_older_than_what_was_handed_in_last(steps):
    assert after("Canvas", *steps).is_older


def test_without_the_number_of_an_attempt_what_comes_last_counts():
    steps = [("export", "first", ""), MENDED, GRADED]
    assert after("Moodle", *steps, ("export", "first", "")).counts() == "mended"
    assert after("Moodle", *steps, ("export", "newer", "")).counts() == "newer"
    # The list of the class may say the time in one run and not in the other.
    assert after("Moodle", *steps, ("export", "first", "10")).counts() == "mended"
    later = [("export", "first", "10"), MENDED, GRADED, ("export", "first", "")]
    assert after("Moodle", *later).counts() == "mended"
