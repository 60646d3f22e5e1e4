"""The journal of a course's grading: what is in it survives a crash, whatever else is lost."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from autograder.course_error import CourseError
from autograder.files import replace_file
from autograder.grading.handed_in import ALL_COUNT, Uncounted
from autograder.results import Flag, ManualEntries, Origin, Result

# A preview has the lock for an instant, and no run is to fail because of it.
PREVIEW_SECONDS = 1.0


@dataclass(frozen=True)
class Record:
    """What the journal knows of a student.

    ``result`` is the newest one, ``is_stored`` says whether it is in the gradebook and on disk, and
    ``stored_submission`` identifies the last submission whose result the gradebook has: what people
    enter there belongs to it. ``set_aside`` has what people entered for earlier submissions, by the
    digests of these.
    """

    result: Result
    is_stored: bool = False
    stored_submission: str | None = None
    set_aside: Mapping[str, ManualEntries] = field(default_factory=dict)
    uncounted: Uncounted | None = ALL_COUNT


class ReadJournal:
    """The journal of an assignment, only read: nothing in the course folder is made or changed.

    Raises `CourseError` when a run has the lock, or when the file has something in it that this
    version does not understand.
    """

    def __init__(self, course: str | Path, assignment: str) -> None:
        self.path = Path(course) / ".autograder" / f"{assignment}.journal"
        # Whatever a run that begins now may do, a reader finds a file that is whole.
        with contextlib.suppress(FileNotFoundError), open(self.path.with_suffix(".lock")) as lock:
            _take_lock(lock, fcntl.LOCK_SH, f"{assignment} of {course}")
        self._records = _read(self.path)

    def latest(self) -> dict[str, Result]:
        """Return the newest result of every student, by student."""
        return {student: record.result for student, record in self._records.items()}

    def pending(self) -> list[Result]:
        """Return the results that have not been stored everywhere."""
        return [record.result for record in self._records.values() if not record.is_stored]

    def stored_submission(self, student: str) -> str | None:
        """Return the digest of the submission that the gradebook has, None if nothing is known."""
        record = self._records.get(student)
        return record.stored_submission if record else None

    def entered(self, result: Result) -> ManualEntries | None:
        """Return what people entered for the submission of a result, None if nothing is aside."""
        return self._records[result.student].set_aside.get(result.submission_digest)

    def uncounted(self, student: str) -> Uncounted | None:
        """Return the files of a student that do not count any more.

        None where an earlier version has written the journal, which did not say it.
        """
        record = self._records.get(student)
        return record.uncounted if record else ALL_COUNT

    def is_unchanged(self, student: str, digest: str) -> bool:
        """Return whether a student's newest result is stored and has this digest."""
        record = self._records.get(student)
        return record is not None and record.is_stored and record.result.digest == digest


class Journal(ReadJournal):
    """An append-only file of results, one for each assignment of a course folder.

    A result is written here, and flushed to the disk, before anything else is done with it; a
    second line says that it has been stored everywhere. Opening the journal takes a lock, so that
    two runs on one assignment cannot meet. Raises `CourseError` when another run has the lock, or
    when the file has something in it that this version does not understand.
    """

    def __init__(self, course: str | Path, assignment: str) -> None:
        self.path = Path(course) / ".autograder" / f"{assignment}.journal"
        self.path.parent.mkdir(exist_ok=True)
        self._file: TextIO | None = None
        self._lock = open(self.path.with_suffix(".lock"), "a+")
        try:
            _take_lock(self._lock, fcntl.LOCK_EX, f"{assignment} of {course}", PREVIEW_SECONDS)
            self._lock.truncate(0)
            self._lock.write(str(os.getpid()))
            self._lock.flush()
            self._records = _read(self.path)
        except BaseException:
            self._lock.close()
            raise

    def close(self) -> None:
        if self._file:
            self._file.close()
        self._lock.truncate(0)  # this process has it no longer
        self._lock.close()

    def set_aside(self, student: str, entered: ManualEntries) -> None:
        """Keep what people entered for the last stored submission of a student until it returns.

        The last call counts: people may go on while the gradebook cannot be written. But what was
        put back for the next submission is not theirs: an interrupted run has written it.
        """
        record = self._records[student]
        if not record.stored_submission:
            return
        aside = record.set_aside.get(record.stored_submission)
        put_back = self.entered(record.result) or ManualEntries()
        if aside is None or entered not in (aside, put_back):
            self._append({"set_aside": student, "entered": asdict(entered)})
            self._records[student] = _with_set_aside(record, entered)

    def add(self, result: Result, uncounted: Uncounted) -> None:
        """Write a result down so that no crash can lose it, with what does not count beside it."""
        self._append({"result": result.to_json(), "uncounted": uncounted.to_json()})
        before = self._records.get(result.student)
        self._records[result.student] = _unstored(result, before, uncounted)

    def with_standing_flags(self, result: Result) -> Result:
        """Return a result with what was said when marks by hand were set aside for its submission.

        It is to be said as long as this submission stands.
        """
        record = self._records.get(result.student)
        if record and record.result.submission_digest == result.submission_digest:
            for flag in (Flag.MANUAL_MARK_DROPPED, Flag.COMMENT_DROPPED):
                if flag in record.result.flags and flag not in result.flags:
                    result = result.flagged(flag)
        return result

    def note_written(self, result: Result) -> None:
        """Note that the gradebook has a result: what people enter from now on belongs to it."""
        record = self._records[result.student]
        if record.stored_submission != result.submission_digest:
            self._append({"written": result.student, "submission": result.submission_digest})
            self._records[result.student] = _written(record, result.submission_digest)

    def mark_stored(self, result: Result) -> None:
        """Note that a result is in the gradebook and on disk; only its marks are kept."""
        self._append({"stored": result.student, "digest": result.digest})
        before = self._records[result.student]
        self._records[result.student] = _stored(result, before, before.uncounted)

    def note_origin(self, student: str, origin: Origin | None, uncounted: Uncounted) -> None:
        """Note where a student's newest result, which has been stored, came from.

        What does not count beside it may have become known with that.
        """
        record = self._records[student]
        result = replace(record.result, origin=origin)
        line = {"result": result.to_json(), "is_stored": True, "uncounted": uncounted.to_json()}
        self._append(line)
        self._records[student] = _stored(result, record, uncounted)

    def forget(self, student: str) -> bool:
        """Remove a student's results, also earlier ones; return whether there were any."""
        is_known = self._records.pop(student, None) is not None
        if self._file:
            self._file.close()
        # Also where nothing is known: a line that a crash cut off may name the student.
        self._file = self._compacted()
        return is_known

    def _append(self, record: dict[str, Any]) -> None:
        if self._file is None:
            # What a crash may have cut off at the end of the file is not continued.
            self._file = self._compacted()
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _compacted(self) -> TextIO:
        """Write one line a student, in a file that replaces the old one; open it to append."""
        lines = [
            json.dumps(
                {
                    "result": record.result.to_json(),
                    "is_stored": record.is_stored,
                    "stored_submission": record.stored_submission,
                    "set_aside": {
                        digest: asdict(entered) for digest, entered in record.set_aside.items()
                    },
                    **({"uncounted": record.uncounted.to_json()} if record.uncounted else {}),
                }
            )
            for record in self._records.values()
        ]
        replace_file(self.path, "".join(f"{line}\n" for line in lines), to_disk=True)
        return open(self.path, "a", encoding="utf-8")


def _take_lock(lock: TextIO, kind: int, name: str, patience: float = 0.0) -> None:
    """Lock an open file; `CourseError` when a run still has it after ``patience`` seconds."""
    last = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= last:
                lock.seek(0)
                number = lock.read().strip()
                owner = f" (process {number})" if number else ""
                raise CourseError(
                    f"{name} is being graded by another run{owner}; wait until it has ended"
                ) from error
        time.sleep(0.02)


def _read(path: Path) -> dict[str, Record]:
    records: dict[str, Record] = {}
    if not path.exists():
        return records
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):  # the file may be larger than memory
            try:
                _take(line, records)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise CourseError(
                    f"{path} cannot be read, line {number}: {error}; if a newer version "
                    "of the autograder has written it, use that version"
                ) from error
    return records


def _take(line: str, records: dict[str, Record]) -> None:
    """Bring the records of all students up to date with one more line."""
    try:
        record = json.loads(line)
    except ValueError:
        # The line that a crash cut off: its result was not yet promised to anybody.
        return
    if not isinstance(record, dict):
        return
    if "result" in record:
        result = Result.from_json(record["result"])
        before = records.get(result.student)
        # Journals of earlier versions do not say what does not count.
        said = record.get("uncounted")
        uncounted = None if said is None else Uncounted.from_json(said)
        if "stored_submission" in record:  # a whole record, as `_compacted` writes it
            # Journals of earlier versions set nothing aside.
            kept = record.get("set_aside", {})
            aside = {digest: ManualEntries(**one) for digest, one in kept.items()}
            before = Record(result, False, record["stored_submission"], aside)
        make = _stored if record.get("is_stored") else _unstored
        records[result.student] = make(result, before, uncounted)
    elif record.get("set_aside") in records:
        before = records[record["set_aside"]]
        records[record["set_aside"]] = _with_set_aside(before, ManualEntries(**record["entered"]))
    elif record.get("written") in records:
        before = records[record["written"]]
        records[record["written"]] = _written(before, record["submission"])
    elif record.get("stored") in records:
        before = records[record["stored"]]
        if before.result.digest == record["digest"]:
            records[record["stored"]] = _stored(before.result, before, before.uncounted)
    elif record and not record.keys() & {"set_aside", "written", "stored"}:
        raise ValueError("it holds nothing that is known")


def _unstored(result: Result, before: Record | None, uncounted: Uncounted | None) -> Record:
    """Return the record of a new result, with what is known of earlier ones."""
    if before is None:
        return Record(result, uncounted=uncounted)
    return Record(result, False, before.stored_submission, before.set_aside, uncounted)


def _stored(result: Result, before: Record | None, uncounted: Uncounted | None) -> Record:
    """Return the record of a stored result.

    Of its notebook, what is on disk is enough; what people entered for it is in the gradebook.
    """
    aside = dict(before.set_aside) if before else {}
    aside.pop(result.submission_digest, None)
    small = replace(result, notebook="", cells={})
    return Record(small, True, result.submission_digest, aside, uncounted)


def _written(record: Record, submission: str) -> Record:
    aside = {digest: one for digest, one in record.set_aside.items() if digest != submission}
    return replace(record, stored_submission=submission, set_aside=aside)


def _with_set_aside(record: Record, entered: ManualEntries) -> Record:
    assert record.stored_submission
    aside = {**record.set_aside, record.stored_submission: entered}
    return replace(record, set_aside=aside)
