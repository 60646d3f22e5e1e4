"""Execute the lessons side by side, one a core, and put their outputs into the cache.

    python -m bookext.execute

The pages are built from that cache. A lesson whose code has not changed is not executed again.
"""

import fcntl
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
import yaml
from bookext.outlines import outlines
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from nbclient import NotebookClient

from autograder.building.lessons import student_notebook
from autograder.building.release import notebook_path
from autograder.course import chapters
from autograder.course.chapters import chapter_stems
from autograder.course.notebook_assignment import NOT_A_NOTEBOOK
from autograder.course_error import CourseError
from autograder.translation.catalogue import is_translated

# A kernel does not start when another program has taken the port that was chosen for it.
TRIES = 2


def execute_lessons() -> None:
    """Execute the lessons that the cache does not hold and log those that fail.

    Where another process is executing them, this one waits, and finds their outputs in the cache.

    Raises `CourseError` when a notebook is not what its page would build, or a cell raises.
    """
    outlines()  # what the pages need to know of each chapter is said now, in one line
    lessons = [notebook_path(stem, "lesson") for stem in chapter_stems() if is_translated(stem)]
    for lesson in lessons:
        _require_in_step(lesson)
    built = chapters.ROOT / "_build"
    built.mkdir(exist_ok=True)
    with open(built / "lessons.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _execute_into_cache(lessons, built / ".jupyter_cache")


def _execute_into_cache(lessons: Sequence[Path], folder: Path) -> None:
    config = yaml.safe_load((chapters.ROOT / "_config.yml").read_text(encoding="utf-8"))
    cache = get_cache(folder)
    for lesson in lessons:
        cache.add_nb_to_project(str(lesson))
    logger = logging.getLogger(__name__)
    logger.setLevel(logging.INFO)  # it says what is executed
    # What is printed may come in pieces, between which a page would begin a new line.
    NotebookClient.coalesce_streams = True  # type: ignore[assignment]
    executor, waiting = load_executor("local-parallel", cache, logger), [*map(str, lessons)]
    for _ in range(TRIES):
        result = executor.run_and_cache(filter_uris=waiting, timeout=config["execute"]["timeout"])
        waiting = result.errored
        if result.excepted or not waiting:
            break
    failed = [str(Path(uri).relative_to(chapters.ROOT)) for uri in result.excepted + waiting]
    if failed:
        raise CourseError(f"{', '.join(failed)} could not be executed; the reason stands above")


def _require_in_step(lesson: Path) -> None:
    stem, name = lesson.parent.name, lesson.relative_to(chapters.ROOT)
    if not lesson.exists():
        raise CourseError(f"{name} is missing; run `make notebooks`")
    try:
        found = [cell.source for cell in nbformat.read(lesson, as_version=4).cells]
    except NOT_A_NOTEBOOK as error:
        raise CourseError(f"{name} cannot be read; run `make notebooks`") from error
    if found != [cell.source for cell in student_notebook(stem).cells]:
        raise CourseError(f"{name} is not what book/{stem}.md builds; run `make notebooks`")


if __name__ == "__main__":
    try:
        execute_lessons()
    except CourseError as error:
        sys.exit(str(error))
