"""Blackboard: ``Chapter 2_s123_attempt_2026-03-01-10-00-00_assignment.ipynb`` is of ``s123``."""

import re
from datetime import datetime

from autograder.platforms.base import Platform, Sender
from autograder.results import Origin

# The first match counts: what follows is the name that the student gave the file.
FILE = re.compile(r"(?P<student>.+?)_attempt_(?P<attempt>\d{4}(-\d\d){5})(_(?P<file>.+)|\.txt)")


class Blackboard(Platform):
    name = "Blackboard"

    def sender(self, name: str, is_folder: bool) -> Sender | None:
        match = None if is_folder else FILE.fullmatch(name)
        if not match:
            return None
        long_name = match["student"]
        student = long_name.rpartition("_")[2]
        return Sender(
            student, long_name, match["file"] or "", "", match["attempt"], platform=self.name
        )

    def attempt_time(self, origin: Origin) -> datetime | None:
        try:
            return datetime.strptime(origin.attempt, "%Y-%m-%d-%H-%M-%S")
        except ValueError:  # the name only looks like one of Blackboard's
            return None
