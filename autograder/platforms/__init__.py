"""The learning platforms, one file each: everything that a platform's names and files mean.

A new one is a file with a subclass of `Platform`, a line here, and a row in the tables of
``book/grading.md``. Gradescope is not among them: it runs the autograder itself and reads one file,
which `gradescope.py` writes.
"""

from datetime import datetime

from autograder.platforms.base import Platform, Sender
from autograder.platforms.blackboard import Blackboard
from autograder.platforms.canvas import Canvas
from autograder.platforms.moodle import Moodle
from autograder.results import Origin

# Where the names of an export fit several platforms equally well, the first one counts.
PLATFORMS: tuple[Platform, ...] = (Canvas(), Moodle(), Blackboard())


def platform_of(origin: Origin) -> Platform:
    """Return the platform that a submission came from, one without abilities for other sources."""
    return next((one for one in PLATFORMS if one.name == origin.source), Platform())


def is_late(origin: Origin) -> bool:
    """Return whether the platform that a submission came from has marked it as late."""
    sender = _sender(origin)
    return bool(sender and sender.late)


def names_attempt(origin: Origin) -> bool:
    """Return whether the name of a file or folder itself says which attempt it is."""
    sender = _sender(origin)
    return bool(sender and origin.attempt and sender.attempt == origin.attempt)


def submission_time(origin: Origin) -> datetime | None:
    """Return when a submission was handed in, in local time; None where its origin does not say."""
    time = platform_of(origin).attempt_time(origin)
    # In a name that only looks like a platform's there may be any year.
    return time if time and 1970 <= time.year < 2100 else None


def _sender(origin: Origin) -> Sender | None:
    return platform_of(origin).sender(origin.name, False)
