"""Whose each file of a learning platform's export is, told from the names that platforms give."""

import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import NamedTuple

from autograder.intake.entries import HANDED_IN, is_junk

MOODLE_FOLDER = re.compile(r"(?P<student>.+)_assignsubmission_[a-z]+_?")
# The first match counts: what follows is the name that the student gave the file.
MOODLE_FILE = re.compile(r"(?P<student>.+?)_assignsubmission_[a-z]+_(?P<file>.*)")
BLACKBOARD = re.compile(
    r"(?P<student>.+?)_attempt_(?P<attempt>\d{4}(-\d\d){5})(_(?P<file>.+)|\.txt)"
)
CANVAS = re.compile(
    r"(?P<name>[^_]+)(_LATE)?_(?P<user>\d{1,20})_(?P<attempt>\d{1,20})_(?P<file>.+)"
)


class Sender(NamedTuple):
    """What the name of an export's folder or file says: whose it is, and which attempt.

    Of the files of one ``series`` the last attempt counts. ``long_name`` is the student's with
    what stands before it, in case that two have the same.
    """

    student: str
    long_name: str
    file: str
    series: str = ""
    attempt: str = ""


def _platforms_sender(name, is_folder):
    if match := (MOODLE_FOLDER if is_folder else MOODLE_FILE).fullmatch(name):
        return Sender(match["student"], match["student"], match.groupdict().get("file", ""))
    if is_folder:
        return None
    if match := BLACKBOARD.fullmatch(name):
        long_name = match["student"]
        student = long_name.rpartition("_")[2]
        return Sender(student, long_name, match["file"] or "", "", match["attempt"])
    if match := CANVAS.fullmatch(name):
        student = f"{match['name']}_{match['user']}"
        file = re.sub(r"-\d+(?=(\.\w+)+$)", "", match["file"])
        # The number is a file's, and one attempt may have several: a lesson takes no one's place.
        return Sender(student, student, file, HANDED_IN.sub("", file), match["attempt"].zfill(20))
    return None


def _sender(parts, entry):
    """Tell whose an entry is; None for what lies between submissions, as a list of marks does."""
    name, is_folder = parts[0], len(parts) > 1 or entry.name.endswith("/")
    if is_junk([name]):
        return None
    sender = _platforms_sender(name, is_folder)
    if sender is None and (is_folder or entry.rejected or HANDED_IN.search(name)):
        student = name if is_folder else HANDED_IN.sub("", name)
        sender = Sender(student, student, name)
    return sender


def by_student(entries):
    """Sort what an export holds by student: a dict from names to entries."""
    located = []
    for entry in entries:
        parts = [part for part in entry.name.split("/") if part not in ("", ".", "..")]
        parts = parts or ["unnamed"]
        if _sender(parts, entry):
            located.append((parts, entry))
    handed_in = defaultdict(list)
    for parts, entry in _below_common_folder(located):
        if sender := _sender(parts, entry):
            name = "/".join(parts[1:]) or sender.file
            entry = replace(entry, name=f"{name}/" if entry.name.endswith("/") else name)
            handed_in[sender.student, sender.long_name].append((sender, entry))
    namesakes = Counter(student for student, _ in handed_in)
    return {
        long_name if namesakes[student] > 1 else student: _newest(sent)
        for (student, long_name), sent in handed_in.items()
    }


def _newest(sent):
    """Drop the files that a later attempt has replaced."""
    newest = defaultdict(str)
    for sender, _ in sent:
        newest[sender.series] = max(newest[sender.series], sender.attempt)
    return [entry for sender, entry in sent if sender.attempt == newest[sender.series]]


def _below_common_folder(located):
    """Take away a folder around the whole class; one around a student's own files stays."""
    children = {
        parts[1]: len(parts) > 2 or entry.name.endswith("/")
        for parts, entry in sorted(located, key=lambda one: len(one[0]))
        if len(parts) > 1 and not is_junk(parts)
    }
    tops = {parts[0] for parts, _ in located}
    if len(tops) != 1 or not children or _platforms_sender(*tops, is_folder=True):
        return located
    if not any(_platforms_sender(name, is_folder) for name, is_folder in children.items()):
        folders = [name for name, is_folder in children.items() if is_folder]
        files = [name for name in children if name not in folders and HANDED_IN.search(name)]
        own = any(name.casefold().startswith(("assignment", "lesson")) for name in files)
        if own or max(len(folders), len(files)) < 2:
            return located
    return _below_common_folder([(parts[1:], entry) for parts, entry in located if parts[1:]])
