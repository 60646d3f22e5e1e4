"""The learning platforms, one file each: everything that a platform's names and files mean.

A new one is a file with a subclass of `Platform`, and a line here. Gradescope is not among them: it
runs the autograder itself and reads one file, which `gradescope.py` writes.
"""

from datetime import datetime

from autograder.platforms.base import Platform
from autograder.platforms.blackboard import Blackboard
from autograder.platforms.canvas import Canvas
from autograder.platforms.moodle import Moodle
from autograder.results import Origin

# Where the names of an export fit several platforms equally well, the first one counts.
PLATFORMS: tuple[Platform, ...] = (Canvas(), Moodle(), Blackboard())


def is_late(origin: Origin) -> bool:
    """Return whether the platform that a submission came from has marked it as late."""
    return any(
        sender.late
        for platform in PLATFORMS
        if platform.name == origin.source and (sender := platform.sender(origin.name, False))
    )


def submission_time(origin: Origin) -> datetime | None:
    """Return when a submission was handed in, in local time; None where its origin does not say."""
    times = (one.attempt_time(origin) for one in PLATFORMS if one.name == origin.source)
    return next(times, None)
