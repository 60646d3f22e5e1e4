"""What is known of the files that students hand in: their time, where from, and which count.

A file in submitted/ is graded unless it is older than the one that has the mark, or superseded. If
a platform's export is graded, both places may have a file of a student:

    in the export        in submitted/                 what happens
    an older attempt     anything                      nothing; the mark stays
    a readable file      nothing or the same           the export's file is graded and copied
    a readable file      an earlier attempt            the export's file is graded and replaces it
    readable or not      this attempt, edited by hand  the edited file is graded and stays; what the
                                                       export has of it is kept as ``unmended``
    an unreadable file   nothing                       the student gets a status that says why
    an unreadable file   an earlier attempt            the same; the file in submitted/ stays and is
                                                       kept as ``superseded``

An attempt is older if the mark belongs to a newer one; --allow-older grades it like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timezone
from typing import Any, NamedTuple

from autograder.intake.exchange import utc_time
from autograder.intake.submissions import Submission
from autograder.platforms import is_late, names_attempt, submission_time
from autograder.platforms.base import Roster
from autograder.results import Flag, Origin, Result


class KnownFile(NamedTuple):
    """What is known of a file, which ``digest`` identifies; the other names are a submission's."""

    digest: str
    submitted_at: str | None = None
    time_unread: bool = False
    origin: Origin | None = None
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: Result) -> KnownFile:
        """Return what the result of a file says of it."""
        unread = Flag.TIME_UNREAD in result.flags
        digest, origin = result.submission_digest, result.origin
        return cls(digest, result.submitted_at, unread, origin, result.others)


class Uncounted(NamedTuple):
    """The files of a student that do not count any more, though they may come in again.

    ``superseded`` was in submitted/ when a platform's export had a newer one that could not be
    read. ``unmended`` is the exported file of the attempt that an instructor has edited in
    submitted/, as it was before.
    """

    superseded: KnownFile | None = None
    unmended: KnownFile | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the files as JSON-able data."""
        return {name: file and file._asdict() for name, file in self._asdict().items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Uncounted:
        """Return the files that `to_json` was called on."""
        return cls(**{name: file and _known_file(file) for name, file in data.items()})


ALL_COUNT = Uncounted()


def _known_file(data: Mapping[str, Any]) -> KnownFile:
    origin = Origin(*data["origin"]) if data["origin"] else None
    return KnownFile(**{**data, "origin": origin, "others": tuple(data["others"])})


class Received(NamedTuple):
    """A submission with what is known of it, and what becomes of its file.

    ``is_older`` says that another one counts, ``is_copied`` that it comes to submitted/, and
    ``uncounted`` which other files do not count beside it.
    """

    submission: Submission
    is_older: bool
    is_copied: bool
    uncounted: Uncounted


def received_in_folder(
    submission: Submission, standing: Result | None, before: Uncounted, roster: Roster | None
) -> Received:
    """Return what is known of a file of submitted/ and of the others of its student."""
    submission = _as_in_folder(submission, standing, before.superseded, roster)
    is_older = is_superseded(submission, before.superseded) or _is_older(submission, standing)
    uncounted = _uncounted_in_folder(submission, standing, before)
    return Received(submission, is_older, False, uncounted)


def received_from_export(
    submission: Submission,
    file: Submission | None,
    standing: Result | None,
    before: Uncounted | None,
    roster: Roster | None,
) -> Received:
    """Return what is known of a file of an export; ``file`` is what lies in submitted/ instead.

    ``before`` is None where a journal of an earlier version does not say what counts.
    """
    # Two that cannot be read, for the same reason, are not the same file.
    uncounted = before or ALL_COUNT
    unmended = None if submission.rejected else uncounted.unmended
    same = _known_before(submission, standing, uncounted.superseded, unmended)
    submission = _with_what_is_known(submission, same, roster)
    is_older = _is_older(submission, standing)
    mended = _unmended(submission, file, standing, before)
    if file and (mended or file.digest == submission.digest) and file.submitted_at:
        # As it does without an export, the time that a person wrote beside the file counts.
        submission = replace(
            submission, submitted_at=file.submitted_at, time_unread=file.time_unread
        )
    if file and mended:
        # A person has mended this very submission, and the file stays.
        submission = replace(submission, packed=file.packed, rejected=None)
        return Received(submission, is_older, False, uncounted._replace(unmended=mended))
    stays = _left_behind(submission, file, standing, uncounted.superseded, roster)
    # Beside one that cannot be read, the mended file stays, and may come to count again.
    unmended = uncounted.unmended if submission.rejected else None
    return Received(submission, is_older, True, Uncounted(stays, unmended))


def _as_in_folder(
    submission: Submission,
    standing: Result | None,
    superseded: KnownFile | None,
    roster: Roster | None,
) -> Submission:
    """Return a submission of submitted/ with what is known of it.

    If the file differs from those that are known, an instructor has edited it there: it keeps the
    time and the platform of the last run. But if that run found the notebook of another assignment,
    the file was not edited; it is another one.
    """
    before = _known_before(submission, standing, superseded)
    if _has_time_by_hand(submission, standing, superseded):
        submission = replace(submission, origin=None)
    if before:
        # The export that it was copied from said what else was handed in.
        submission = replace(submission, others=submission.others or before.others)
    elif standing and Flag.OTHER_ASSIGNMENT not in standing.flags:
        before = KnownFile.of(standing)
    return _with_what_is_known(submission, before, roster)


def _has_time_by_hand(
    submission: Submission, standing: Result | None, superseded: KnownFile | None
) -> bool:
    """Return whether an instructor wrote the time beside a file that came from a platform.

    That time says when the file was handed in; the platform still says which attempt it is. This
    holds for the file that counts, edited or not, and for no superseded one.
    """
    return bool(
        submission.origin
        and submission.origin.source == "nbgrader"
        and standing
        and standing.origin
        and standing.origin.source != "nbgrader"
        and not (superseded and submission.digest == superseded.digest)
        and Flag.OTHER_ASSIGNMENT not in standing.flags
    )


def _with_what_is_known(
    submission: Submission, before: KnownFile | None, roster: Roster | None
) -> Submission:
    """Return a submission with what the list of the class and an earlier run know of it.

    ``before`` is the same file as an earlier run knew it. In submitted/ a file no longer has the
    name that the platform gave it, so what that name said is taken from there.
    """
    origin, unread = submission.origin, submission.time_unread
    if origin and roster and origin.source == roster.platform.name and roster.columns.submitted:
        try:
            origin = origin._replace(attempt=roster.submission_time(submission.student))
        except ValueError:
            origin, unread = origin._replace(attempt=""), True
    elif before and before.origin:  # no list of the class says the time anew
        unread = unread or before.time_unread
    if before and before.origin:
        if origin is None:
            origin = before.origin
        elif not origin.attempt and origin.source == before.origin.source:
            origin = origin._replace(attempt=before.origin.attempt)
    submitted_at = _submitted_at(submission, origin, before)
    return replace(
        submission,
        origin=origin,
        late=submission.late or bool(origin and is_late(origin)),
        submitted_at=submitted_at,
        time_unread=unread and utc_time(submitted_at) is None,
    )


def _submitted_at(
    submission: Submission, origin: Origin | None, before: KnownFile | None
) -> str | None:
    """Return when a submission was handed in, as nbgrader writes it; None if nothing says it.

    Beside the exchange's own file, the list of the class may say it, in the time of this machine,
    and an earlier run may have known it.
    """
    if submission.submitted_at:
        return submission.submitted_at
    if origin and (time := submission_time(origin)):
        return f"{time.astimezone(timezone.utc):%F %T.%f} UTC"
    return before.submitted_at if before else None


def is_same_file(submission: Submission, standing: Result) -> bool:
    """Return whether a result is that of the file of a submission."""
    return standing.submission_digest == submission.digest


def _known_before(
    submission: Submission, standing: Result | None, *others: KnownFile | None
) -> KnownFile | None:
    """Return what is known of the file of a submission, None if it has not come in before."""
    files = (KnownFile.of(standing) if standing else None, *others)
    return next((file for file in files if file and file.digest == submission.digest), None)


def _attempt(origin: Origin | None) -> tuple[str, str] | None:
    """Return what tells an attempt; the name of its file may change, as when it is late no more."""
    return (origin.source, origin.attempt) if origin else None


def is_superseded(submission: Submission, superseded: KnownFile | None) -> bool:
    """Return whether a file is still in submitted/ only because a newer one could not be read.

    With another time beside it, the same file has been handed in again, and it counts.
    """
    return (
        superseded is not None
        and submission.digest == superseded.digest
        and _attempt(submission.origin) == _attempt(superseded.origin)
    )


def _left_behind(
    submission: Submission,
    file: Submission | None,
    standing: Result | None,
    superseded: KnownFile | None,
    roster: Roster | None,
) -> KnownFile | None:
    """Return the file that an unreadable export leaves in submitted/, and that does not count.

    If there is none, it is the one that was ``superseded`` before. A file that was edited by hand
    and graded as the same attempt is not older than the export, so it is not left behind.
    """
    if not submission.rejected:
        return None
    is_known = bool(
        standing
        and submission.origin
        and submission.origin.attempt
        and _attempt(submission.origin) == _attempt(standing.origin)
    )
    if file is None or (is_known and standing and is_same_file(file, standing)):
        return superseded
    # What is known of the refused attempt is not said of the file that it leaves behind.
    file = _as_in_folder(file, None if is_known else standing, superseded, roster)
    return KnownFile(file.digest, file.submitted_at, file.time_unread, file.origin, file.others)


def _uncounted_in_folder(
    submission: Submission, standing: Result | None, before: Uncounted
) -> Uncounted:
    """Return what does not count beside a file of submitted/, where nothing newer has come in."""
    superseded, unmended = before
    if superseded and submission.digest == superseded.digest:  # if it is graded, it counts again
        superseded = None
    attempt = _attempt(submission.origin)
    if unmended and attempt != _attempt(unmended.origin):
        unmended = None
    elif not unmended and standing and attempt and attempt == _attempt(standing.origin):
        unmended = None if is_same_file(submission, standing) else KnownFile.of(standing)
    return Uncounted(superseded, unmended)


def _unmended(
    submission: Submission,
    file: Submission | None,
    standing: Result | None,
    before: Uncounted | None,
) -> KnownFile | None:
    """Return an exported submission as it was when an instructor edited its copy in submitted/.

    None if nobody has. ``standing`` may still be the result of the unedited file, when the edited
    ``file`` has not been graded yet. The digest of a submission that cannot be read is only that of
    the reason, so its attempt (a number or time) has to say which one it is. If the digest has
    changed since (it can be read now, or fails for another reason), the attempt decides, provided
    that the platform writes it into the file's name. A journal of an earlier version does not
    record what counts (``before`` is None): the file in submitted/ may then be older than an
    unreadable export, and None is returned.
    """
    if file is None or file.digest == submission.digest:
        return None
    superseded, unmended = before or ALL_COUNT
    origin, is_known = submission.origin, unmended is not None
    if not is_known and standing and Flag.OTHER_ASSIGNMENT not in standing.flags:
        unmended = KnownFile.of(standing)
    if unmended is None or (superseded and file.digest == superseded.digest):
        return None
    attempt, known = _attempt(origin), _attempt(unmended.origin)
    if submission.digest != unmended.digest:
        is_this = is_known and attempt == known and origin is not None and names_attempt(origin)
        return unmended if is_this else None
    if submission.rejected and (not attempt or not attempt[1] or before is None):
        return None
    if known and attempt and known[0] == attempt[0] and "" in (known[1], attempt[1]):
        return unmended  # a list of the class may not have said when it was handed in
    return unmended if attempt == known else None


def _is_older(submission: Submission, standing: Result | None) -> bool:
    if standing is None or submission.origin is None or standing.origin is None:
        return False
    if Flag.OTHER_ASSIGNMENT in standing.flags:  # it stands in the place of this assignment's
        return False
    return submission.origin.is_older(standing.origin)
