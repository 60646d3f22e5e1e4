"""Blackboard: ``Chapter 2_s123_attempt_2026-03-01-10-00-00_assignment.ipynb`` is of ``s123``.

Before the username stands the assignment's title. Both may have underscores, so one name alone
does not say where the title ends.
"""

import os
import re
from collections.abc import Collection, Iterable
from datetime import datetime

from autograder.platforms.base import Platform, Sender
from autograder.results import Origin

# The first match counts: what follows is the name that the student gave the file.
FILE = re.compile(r"(?P<student>.+?)_attempt_(?P<attempt>\d{4}(-\d\d){5})(_(?P<file>.+)|\.txt)")
# The first line of the .txt that Blackboard writes for every attempt: "Name: Ada Lee (a_lee)".
NAME = re.compile(r".*\(([^()\s]+)\)\s*")


class Blackboard(Platform):
    name = "Blackboard"

    def sender(self, name: str, is_folder: bool) -> Sender | None:
        match = None if is_folder else FILE.fullmatch(name)
        if not match:
            return None
        long_name = match["student"]
        student = long_name.rpartition("_")[2]
        return Sender(
            student,
            long_name,
            match["file"] or "",
            attempt=match["attempt"],
            platform=self.name,
            is_note=match["file"] is None,
        )

    def title(self, long_names: Collection[str], notes: Iterable[tuple[str, bytes]]) -> str:
        for long_name, note in notes:
            line = note[:1000].decode("utf-8-sig", errors="replace").partition("\n")[0]
            named = NAME.fullmatch(line)
            title = long_name.removesuffix(named[1]) if named else ""
            if title.endswith("_") and all(name[:-1].startswith(title) for name in long_names):
                return title
        if len(long_names) < 2:
            return ""
        # Without the last character: some of every name is left for the student.
        common = os.path.commonprefix([name[:-1] for name in long_names])
        return common[: common.rfind("_") + 1]

    def attempt_time(self, origin: Origin) -> datetime | None:
        try:
            return datetime.strptime(origin.attempt, "%Y-%m-%d-%H-%M-%S")
        except ValueError:  # the name only looks like one of Blackboard's
            return None
