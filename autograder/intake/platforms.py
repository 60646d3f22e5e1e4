"""Whose each file of a learning platform's export is, told from the names that platforms give."""

import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import NamedTuple

from autograder.intake.entries import HANDED_IN, Entry, Rejected, is_junk
from autograder.results import Origin, Status

# The number is the platform's. The first match counts: what follows is the name that the student
# gave the file.
MOODLE = re.compile(r"(?P<student>.+?_\d+)_assignsubmission_[a-z]+(_(?P<file>.*))?")
BLACKBOARD = re.compile(
    r"(?P<student>.+?)_attempt_(?P<attempt>\d{4}(-\d\d){5})(_(?P<file>.+)|\.txt)"
)
# Where an assignment is graded anonymously, Canvas leaves out the name and gives, instead of the
# user's number, letters and digits that it has drawn; now and then these are digits only.
ANONYMOUS = "anon_"
CANVAS = re.compile(
    r"((?P<name>(?!LATE_|anon_)[^_]+)_)?((?P<late>LATE)_)?(?P<user>\d{1,20}|anon_[A-Za-z0-9]{1,20})"
    r"_(?P<attempt>\d{1,20})_(?P<file>.+)"
)


# What only the platform writes into a name, once.
MARK = re.compile(r"_\d+_assignsubmission_[a-z]+")
TWO_NAMES = "its name can be read as that of two students"


class Sender(NamedTuple):
    """What the name of an export's folder or file says: whose it is, and which attempt.

    Of the files of one ``series`` the last attempt counts. ``long_name`` is the student's with
    what stands before it, in case that two have the same. ``late`` is the platform's own mark.
    ``platform`` is "" for a name that no platform gave.
    """

    student: str
    long_name: str
    file: str
    series: str = ""
    attempt: str = ""
    late: bool = False
    platform: str = ""


def _canvas(name, is_folder):
    match = None if is_folder else CANVAS.fullmatch(name)
    if not match:
        return None
    name, user = match["name"], match["user"]
    if bool(name) == user.startswith(ANONYMOUS):
        return None
    student = f"{name}_{user}" if name else user
    file = re.sub(r"-\d+(?=(\.\w+)+$)", "", match["file"])
    # The number is a file's, and one attempt may have several: a lesson takes no one's place.
    series, attempt = HANDED_IN.sub("", file), match["attempt"].zfill(20)
    return Sender(student, student, file, series, attempt, bool(match["late"]), "Canvas")


def _moodle(name, is_folder):
    match = MOODLE.fullmatch(name)
    student, file = (match["student"], match["file"] or "") if match else ("", "")
    return match and Sender(student, student, file, platform="Moodle")


def _blackboard(name, is_folder):
    match = None if is_folder else BLACKBOARD.fullmatch(name)
    if not match:
        return None
    long_name = match["student"]
    student = long_name.rpartition("_")[2]
    file = match["file"] or ""
    return Sender(student, long_name, file, "", match["attempt"], platform="Blackboard")


def _no_platform(name, is_folder):
    return None


PLATFORMS = (_canvas, _moodle, _blackboard)


def _platform_of(located):
    """Return the platform that an export comes from: the one whose names most entries have.

    Every entry has its own platform's marks. A student may give a file, or an account, a name with
    another one's, and so be somebody else there; in no number do such names outweigh.
    """
    names = [(parts[0], _is_folder(parts, entry)) for parts, entry in located]
    counts = {platform: sum(bool(platform(*name)) for name in names) for platform in PLATFORMS}
    platform = max(counts, key=counts.get)
    return platform if counts[platform] else _no_platform


def _is_folder(parts, entry):
    return len(parts) > 1 or entry.name.endswith("/")


def _sender(platform, parts, entry):
    """Tell whose an entry is; None for what lies between submissions, as a list of marks does."""
    name, is_folder = parts[0], _is_folder(parts, entry)
    if is_junk([name]):
        return None
    sender = platform(name, is_folder)
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
        if any(_sender(platform, parts, entry) for platform in PLATFORMS):
            located.append((parts, entry))
    located = _below_common_folder(located)
    platform = _platform_of(located)
    handed_in = defaultdict(list)
    for parts, entry in located:
        if sender := _sender(platform, parts, entry):
            name = "/".join(parts[1:]) or sender.file
            name = f"{name}/" if entry.name.endswith("/") else name
            # What an archive has packed in another encoding has bytes in its name that are no text.
            whole = parts[0].encode("utf-8", "replace").decode()
            origin = Origin(sender.platform, sender.attempt, whole) if sender.platform else None
            named = replace(entry, name=name, late=sender.late, origin=origin)
            handed_in[sender.student, sender.long_name].append((sender, named, parts[0]))
    namesakes = Counter(student for student, _ in handed_in)
    found = {}
    for (student, long_name), sent in handed_in.items():
        name = long_name if namesakes[student] > 1 else student
        ambiguous = {whole for _, _, whole in sent if len(MARK.findall(whole)) > 1}
        if platform is _moodle and ambiguous and len({whole for _, _, whole in sent}) > 1:
            # Whoever has an account of such a name is not to be taken for this student.
            for whole in sorted(ambiguous):
                found[whole] = [Entry(whole, rejected=Rejected(Status.REFUSED, TWO_NAMES))]
            sent = [one for one in sent if one[2] not in ambiguous]
        if sent:
            found[name] = _newest([(sender, entry) for sender, entry, _ in sent])
    return found


def returned_name(origin, name):
    """Return the name, in a zip, under which the platform takes a file back for a student.

    Canvas looks for the numbers of the user and of the file that was handed in ("Upload
    submissions"), Moodle for the folder that it exported ("Upload multiple feedback files in a
    zip"). None for a platform that takes no such zip.
    """
    if origin.source == "Canvas":
        return origin.name[: CANVAS.fullmatch(origin.name).start("file")] + name
    if origin.source == "Moodle":
        file = MOODLE.fullmatch(origin.name)["file"]
        return origin.name.removesuffix(file) + name if file else f"{origin.name}/{name}"
    return None


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
    if len(tops) != 1 or not children or _of_a_platform(*tops, is_folder=True):
        return located
    if not any(_of_a_platform(name, is_folder) for name, is_folder in children.items()):
        folders = [name for name, is_folder in children.items() if is_folder]
        files = [name for name in children if name not in folders and HANDED_IN.search(name)]
        own = any(name.casefold().startswith(("assignment", "lesson")) for name in files)
        if own or max(len(folders), len(files)) < 2:
            return located
    return _below_common_folder([(parts[1:], entry) for parts, entry in located if parts[1:]])


def _of_a_platform(name, is_folder):
    return any(platform(name, is_folder) for platform in PLATFORMS)
