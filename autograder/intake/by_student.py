"""Whose each file of a learning platform's export is, by the names that platforms give."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from autograder.intake.entries import Entry, Rejected, is_junk
from autograder.platforms import PLATFORMS
from autograder.platforms.base import SUBMITTED_FILE, Platform, Sender
from autograder.results import TWO_NAMES, Origin, Status

# An entry with the parts of its path.
Located = tuple[list[str], Entry]


def by_student(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Sort what an export holds by student: a dict from names to entries."""
    located: list[Located] = []
    for entry in entries:
        # macOS writes é as e and an accent when it unpacks an archive: it is the same name.
        name = unicodedata.normalize("NFC", entry.name)
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        parts = parts or ["unnamed"]
        if any(_sender(platform, parts, entry) for platform in PLATFORMS):
            located.append((parts, entry))
    located = _below_common_folder(located)
    platform = _majority_platform(located)
    handed_in: dict[tuple[str, str], list[tuple[Sender, Entry, str]]] = defaultdict(list)
    for parts, entry, sender in _with_senders(platform, located):
        name = "/".join(parts[1:]) or sender.file
        name = f"{name}/" if entry.name.endswith("/") else name
        # A name from the disk may have bytes that are not text, and this one is written down.
        whole = parts[0].encode("utf-8", "replace").decode()
        origin = Origin(sender.platform, sender.attempt, whole) if sender.platform else None
        named = replace(entry, name=name, late=sender.late, origin=origin)
        # Somebody whose name has changed since an earlier attempt or export has the same number.
        identity = (sender.number, "" if sender.number else sender.long_name)
        handed_in[identity].append((sender, named, parts[0]))
    found: dict[str, list[Entry]] = {}
    senders: list[tuple[Sender, list[Entry]]] = []
    for sent in handed_in.values():
        ambiguous = {whole for _, _, whole in sent if platform.is_ambiguous(whole)}
        if ambiguous and len({whole for _, _, whole in sent}) > 1:
            # An account may have been named like this student's submission: it is refused, under
            # its whole name, and does not count as this student's.
            for whole in sorted(ambiguous):
                found[whole] = [Entry(whole, rejected=Rejected(Status.REFUSED, TWO_NAMES))]
            sent = [one for one in sent if one[2] not in ambiguous]
        if sent:
            # The name is that of the newest attempt.
            newest, _, _ = max(sent, key=lambda one: (one[0].attempt, one[0].student))
            senders.append((newest, _newest([(sender, entry) for sender, entry, _ in sent])))
    namesakes = Counter(sender.student for sender, _ in senders)
    for sender, files in senders:
        name = sender.long_name if namesakes[sender.student] > 1 else sender.student
        found[name] = [*found.get(name, []), *files]
    return found


def _majority_platform(located: Sequence[Located]) -> Platform:
    """Return the platform that an export comes from: the one whose names most entries have.

    A student may give a file or an account a name that looks like another platform's, and would
    then count as another student. So all entries are read as those of one platform.
    """
    names = [(parts[0], _is_folder(parts, entry)) for parts, entry in located]
    counts = [sum(bool(one.sender(*name)) for name in names) for one in PLATFORMS]
    best = counts.index(max(counts))
    return PLATFORMS[best] if counts[best] else Platform()


def _sender(platform: Platform, parts: Sequence[str], entry: Entry) -> Sender | None:
    """Return who submitted an entry; None for a file that is nobody's, such as a list of marks."""
    name, is_folder = parts[0], _is_folder(parts, entry)
    if is_junk([name]):
        return None
    sender = platform.sender(name, is_folder)
    if sender is None and (is_folder or entry.rejected or SUBMITTED_FILE.search(name)):
        student = name if is_folder else SUBMITTED_FILE.sub("", name)
        sender = Sender(student, student, name)
    return sender


def _is_folder(parts: Sequence[str], entry: Entry) -> bool:
    return len(parts) > 1 or entry.name.endswith("/")


def _with_senders(
    platform: Platform, located: Sequence[Located]
) -> list[tuple[list[str], Entry, Sender]]:
    """Return the entries that are somebody's, each with its sender."""
    sent = [
        (parts, entry, sender)
        for parts, entry in located
        if (sender := _sender(platform, parts, entry))
    ]
    long_names = {sender.long_name for _, _, sender in sent if sender.platform}
    title = platform.title(long_names, _notes((entry, sender) for _, entry, sender in sent))
    if not title:
        return sent
    return [
        (parts, entry, sender._replace(student=sender.long_name[len(title) :]))
        if sender.platform
        else (parts, entry, sender)
        for parts, entry, sender in sent
    ]


def _notes(sent: Iterable[tuple[Entry, Sender]]) -> Iterator[tuple[str, bytes]]:
    """Yield what the platform itself wrote, read one after the other, behind its long names."""
    for entry, sender in sent:
        if sender.is_note:
            try:
                note = entry.read()
            except Rejected:  # one that can be read is enough
                continue
            yield sender.long_name, note


def _newest(sent: Sequence[tuple[Sender, Entry]]) -> list[Entry]:
    """Drop the files that a later attempt has replaced."""
    present = {sender.series for sender, _ in sent}
    newest: dict[str, str] = defaultdict(str)
    for sender, _ in sent:
        series = _series(sender, present)
        newest[series] = max(newest[series], sender.attempt)
    return [entry for sender, entry in sent if sender.attempt == newest[_series(sender, present)]]


def _series(sender: Sender, present: Collection[str]) -> str:
    """Return the series of a file, of which only the last attempt counts.

    Where there is no ``lab``, ``lab-2`` and ``lab-3`` may be two files of one attempt, which the
    student has numbered. Students have the notebook as assignment.ipynb, so a number behind that
    name is the platform's.
    """
    original = sender.may_continue
    is_copy = original in present or original.casefold().startswith("assignment")
    return original if is_copy else sender.series


def _below_common_folder(located: list[Located]) -> list[Located]:
    """Take away a folder around the whole class; one around a student's own files stays."""
    children = {
        parts[1]: len(parts) > 2 or entry.name.endswith("/")
        for parts, entry in sorted(located, key=lambda one: len(one[0]))
        if len(parts) > 1 and not is_junk(parts)
    }
    tops = {parts[0] for parts, _ in located}
    if len(tops) != 1 or not children or _of_a_platform(tops.pop(), is_folder=True):
        return located
    if not any(_of_a_platform(name, is_folder) for name, is_folder in children.items()):
        folders = [name for name, is_folder in children.items() if is_folder]
        files = [name for name in children if name not in folders and SUBMITTED_FILE.search(name)]
        is_one_student = any(name.casefold().startswith(("assignment", "lesson")) for name in files)
        if is_one_student or max(len(folders), len(files)) < 2:
            return located
    return _below_common_folder([(parts[1:], entry) for parts, entry in located if parts[1:]])


def _of_a_platform(name: str, is_folder: bool) -> bool:
    return any(platform.sender(name, is_folder) for platform in PLATFORMS)
