"""A course folder with one assignment that is graded in it, and how it is to be graded."""

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat

from autograder.course.assignment import Assignment
from autograder.course.notebook_assignment import NOT_A_NOTEBOOK, load_assignment
from autograder.course_error import CourseError, cannot_be_read
from autograder.grading.course_config import Settings, read_settings
from autograder.grading.errors import disk_errors
from autograder.grading.journal import Journal
from autograder.platforms.base import Roster
from autograder.platforms.roster import read_roster


@dataclass(frozen=True)
class Options:
    """How a course is graded, as the command line says it.

    ``students`` limits the run to some, ``exported`` takes the submissions from a folder or zip
    that a learning platform wrote, and ``roster`` is the file with the list of the class. A
    submission that has not changed since it was graded is kept as it is, unless ``regrade``; so is
    the mark of one that is newer than what comes in now, unless ``allow_older``. An export most of
    whose notebooks belong to another assignment, or a class of which nobody is on the roster, is
    graded only if ``anyway``. ``scheduler`` is the address of a dask scheduler to use instead of
    this machine's cores; without it, ``workers`` is the number of local workers. ``language`` and
    ``book_url`` take the place of what the course folder sets.
    """

    students: Collection[str] | None = None
    exported: str | Path | None = None
    roster: str | Path | None = None
    regrade: bool = False
    allow_older: bool = False
    anyway: bool = False
    scheduler: str | None = None
    workers: int | None = None
    sandboxed: bool = True
    gradebook_url: str | None = None
    book_url: str | None = None
    language: str | None = None


DEFAULTS = Options()


@dataclass(frozen=True)
class Course:
    """A course folder and the assignment that is graded in it.

    ``released`` is the text of the notebook that students were given, ``settings`` is what the
    course folder sets, and ``roster`` the list of the class, if there is one.
    """

    folder: Path
    assignment: Assignment
    released: str
    settings: Settings
    roster: Roster | None = None

    @property
    def stem(self) -> str:
        return self.assignment.stem


def open_course(folder: str | Path, assignment: str, roster: str | Path | None = None) -> Course:
    """Read what an assignment of a course folder is; `CourseError` when it cannot be graded.

    With a ``roster``, a file, the list of the class is read, too, and compared with the points.
    """
    folder = Path(folder)
    definition = load_assignment(folder, assignment)
    released = _released_notebook(folder, definition)
    course = Course(folder, definition, released, read_settings(folder))
    if roster is None:
        return course
    read = read_roster(roster)
    read.platform.check_points(read, course.assignment.points, course.stem)
    return replace(course, roster=read)


@contextlib.contextmanager
def opened_journal(course: Course) -> Iterator[Journal]:
    """Yield the journal of an assignment; what is wrong with the disk becomes a `CourseError`."""
    with disk_errors(course.folder), contextlib.closing(Journal(course.folder, course.stem)) as one:
        yield one


def _released_notebook(folder: Path, assignment: Assignment) -> str:
    """Return the text of the notebook that students were given."""
    path = folder / "release" / assignment.stem / f"{assignment.notebook}.ipynb"
    try:
        text = path.read_text(encoding="utf-8")
        nbformat.reads(text, as_version=4)
    except FileNotFoundError as error:
        command = assignment.release_command(folder)
        raise CourseError(f"{path} is missing; `{command}` makes it") from error
    except OSError as error:
        raise cannot_be_read(path, error) from error
    except NOT_A_NOTEBOOK as error:
        raise CourseError(f"{path} is not a notebook; release the assignment again") from error
    return text
