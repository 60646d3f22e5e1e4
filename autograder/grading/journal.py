"""The journal of a course's grading: what is in it survives a crash, whatever else is lost."""

import fcntl
import json
import os
from pathlib import Path

from autograder.course.chapters import CourseError
from autograder.grading.results import Result


class Journal:
    """An append-only file of results, one for each assignment of a course folder.

    A result is written here, and flushed to the disk, before anything else is done with it; a
    second line says that it has been stored everywhere. Opening the journal takes a lock, so that
    two runs on one assignment cannot meet.
    """

    def __init__(self, course, assignment):
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

    def close(self):
        self._file.close()
        self._lock.close()

    def latest(self):
        """Return the newest result of every student, by student."""
        return {student: result for student, (result, _) in self._records.items()}

    def pending(self):
        """Return the results that have not been stored everywhere."""
        return [result for result, stored in self._records.values() if not stored]

    def stored_digest(self, student):
        """Return the digest of a student's newest result if it is stored, else None."""
        result, stored = self._records.get(student, (None, False))
        return result.digest if stored else None

    def add(self, result):
        """Write a result down so that no crash can lose it."""
        self._append({"result": result.to_json()})
        self._records[result.student] = (result, False)

    def mark_stored(self, result):
        """Note that a result is in the gradebook and on disk; only its marks are kept."""
        self._append({"stored": result.student, "digest": result.digest})
        result.notebook = ""
        self._records[result.student] = (result, True)

    def _append(self, record):
        self._file.write(json.dumps(record) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self):
        records = {}
        if not self.path.exists():
            return records
        for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                # The line that a crash cut off: its result was not yet promised to anybody.
                continue
            if not isinstance(record, dict):
                continue
            if "result" in record:
                result = Result.from_json(record["result"])
                records[result.student] = (result, record.get("is_stored", False))
            elif record.get("stored") in records:
                result, _ = records[record["stored"]]
                if result.digest == record["digest"]:
                    result.notebook = ""
                    records[record["stored"]] = (result, True)
        return records

    def _compact(self):
        """Write one line a student, in a file that replaces the old one whole or not at all."""
        draft = self.path.with_suffix(".draft")
        with open(draft, "w", encoding="utf-8") as file:
            for result, stored in self._records.values():
                file.write(json.dumps({"result": result.to_json(), "is_stored": stored}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)
