"""The made-up class: what must be true of it before it is graded."""

import ast

import pytest

from autograder.course.chapters import chapter_stems, load_chapter
from autograder.demo import made_class


@pytest.mark.nightly
def test_no_right_answer_of_the_made_class_rests_on_a_wrong_one():
    stem = chapter_stems()[0]
    exercises = {name: e.id for e in load_chapter(stem).exercises for name in e.names}
    calls = 0
    for notebook, points in made_class(stem, 100).values():
        for cell in notebook.cells:
            answered = cell.metadata.nbgrader.grade_id
            if points.get(answered):
                names = {n.id for n in ast.walk(ast.parse(cell.source)) if isinstance(n, ast.Name)}
                others = {exercises[name] for name in names & exercises.keys()} - {answered}
                assert all(points[other] for other in others), (answered, others)
                calls += len(others)
    assert calls > 0
