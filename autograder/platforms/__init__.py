"""The learning platforms, one file each: everything that a platform's names and files mean.

A new one is a file with a subclass of `Platform`, and a line here. Gradescope is not among them: it
runs the autograder itself and reads one file, which `gradescope.py` writes.
"""

from autograder.platforms.base import Platform
from autograder.platforms.blackboard import Blackboard
from autograder.platforms.canvas import Canvas
from autograder.platforms.moodle import Moodle

# Where the names of an export fit several platforms equally well, the first one counts.
PLATFORMS: tuple[Platform, ...] = (Canvas(), Moodle(), Blackboard())
