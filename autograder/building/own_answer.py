"""An answer of one's own beside the reference answer, for those who learn by themselves."""

import nbformat

from autograder.building.made_up_submissions import reference_answers
from autograder.course import chapters
from autograder.course.cells import grade_id_of
from autograder.course.chapters import load_chapter, path_in_course
from autograder.course.notebook_assignment import NOT_A_NOTEBOOK
from autograder.course_error import CourseError, unknown


def reference_answer(stem: str, exercise: str) -> str:
    """Return the reference answer to an exercise as a student would have typed it."""
    load_chapter(stem)
    answers = reference_answers(stem)
    if exercise not in answers:
        raise unknown("exercise", exercise, list(answers))
    return answers[exercise]


def own_answer(stem: str, exercise: str) -> str:
    """Return what stands in the answer cell of an exercise in ``notebooks/``."""
    path = chapters.ROOT / "notebooks" / stem / "assignment.ipynb"
    try:
        cells = nbformat.read(path, as_version=4).cells
        sources = [str(cell.source) for cell in cells if grade_id_of(cell) == exercise]
    except (OSError, *NOT_A_NOTEBOOK) as error:
        raise CourseError(f"{path_in_course(path)} cannot be read as a notebook") from error
    if sources:
        return sources[0]
    raise CourseError(f"{path_in_course(path)} has no answer cell {exercise}")
