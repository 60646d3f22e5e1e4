"""The journal of a course's grading: what is in it survives a crash, whatever else is lost."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course.chapters import CourseError
from autograder.files import replace_file
from autograder.results import Origin, Result


@dataclass(frozen=True)
class Record:
    """What the journal knows of a student.

    ``result`` is the newest one, ``is_stored`` says whether it is in the gradebook and on disk, and
    ``stored_submission`` identifies the last submission whose result is.
    """

    result: Result
    is_stored: bool = False
    stored_submission: str | None = None


class Journal:
    """An append-only file of results, one for each assignment of a course folder.

    A result is written here, and flushed to the disk, before anything else is done with it; a
    second line says that it has been stored everywhere. Opening the journal takes a lock, so that
    two runs on one assignment cannot meet.
    """

    def __init__(self, course: str | Path, assignment: str) -> None:
        self.path = Path(course) / ".autograder" / f"{assignment}.journal"
        self.path.parent.mkdir(exist_ok=True)
        self._lock = open(self.path.with_suffix(".lock"), "a+")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock.seek(0)
            owner = self._lock.read().strip()
            self._lock.close()
            raise CourseError(
                f"{assignment} of {course} is being graded by another run (process {owner}); "
                "wait until it has ended"
            ) from error
        self._lock.truncate(0)
        self._lock.write(str(os.getpid()))
        self._lock.flush()
        self._records = self._read()
        self._compact()
        self._file = open(self.path, "a", encoding="utf-8")

    def close(self) -> None:
        self._file.close()
        self._lock.close()

    def latest(self) -> dict[str, Result]:
        """Return the newest result of every student, by student."""
        return {student: record.result for student, record in self._records.items()}

    def pending(self) -> list[Result]:
        """Return the results that have not been stored everywhere."""
        return [record.result for record in self._records.values() if not record.is_stored]

    def stored_submission(self, student: str) -> str | None:
        """Return the digest of the last submission whose result was stored, None without one."""
        record = self._records.get(student)
        return record.stored_submission if record else None

    def is_unchanged(self, student: str, digest: str) -> bool:
        """Return whether a student's newest result is stored and has this digest."""
        record = self._records.get(student)
        return record is not None and record.is_stored and record.result.digest == digest

    def add(self, result: Result) -> None:
        """Write a result down so that no crash can lose it."""
        self._append({"result": result.to_json()})
        stored = self.stored_submission(result.student)
        self._records[result.student] = Record(result, False, stored)

    def mark_stored(self, result: Result) -> None:
        """Note that a result is in the gradebook and on disk; only its marks are kept."""
        self._append({"stored": result.student, "digest": result.digest})
        self._records[result.student] = _stored(result)

    def note_origin(self, student: str, origin: Origin | None) -> None:
        """Note where a student's newest result, which has been stored, came from."""
        result = replace(self._records[student].result, origin=origin)
        self._append({"result": result.to_json(), "is_stored": True})
        self._records[student] = _stored(result)

    def forget(self, student: str) -> bool:
        """Remove a student's results, also earlier ones; return whether there were any."""
        if self._records.pop(student, None) is None:
            return False
        self._file.close()
        self._compact()
        self._file = open(self.path, "a", encoding="utf-8")
        return True

    def _append(self, record: dict[str, Any]) -> None:
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self) -> dict[str, Record]:
        records: dict[str, Record] = {}
        if not self.path.exists():
            return records
        with open(self.path, encoding="utf-8", errors="replace") as file:
            for line in file:  # the file may be larger than memory
                _take(line, records)
        return records

    def _compact(self) -> None:
        """Write one line a student, in a file that replaces the old one whole or not at all."""
        lines = [
            json.dumps(
                {
                    "result": record.result.to_json(),
                    "is_stored": record.is_stored,
                    "stored_submission": record.stored_submission,
                }
            )
            for record in self._records.values()
        ]
        replace_file(self.path, "".join(f"{line}\n" for line in lines), to_disk=True)


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
        if record.get("is_stored"):
            records[result.student] = _stored(result)
        else:
            before = records.get(result.student)
            stored = record.get("stored_submission", before and before.stored_submission)
            records[result.student] = Record(result, False, stored)
    elif record.get("stored") in records:
        result = records[record["stored"]].result
        if result.digest == record["digest"]:
            records[record["stored"]] = _stored(result)


def _stored(result: Result) -> Record:
    """Return the record of a stored result: of its notebook, what is on disk is enough."""
    return Record(replace(result, notebook="", cells={}), True, result.submission_digest)
