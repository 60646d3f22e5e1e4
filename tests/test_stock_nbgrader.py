"""Stock nbgrader from end to end: release, autograde, feedback, and the marks it records."""

import html
import re
from itertools import islice
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from whole_graders import by_day_and_at_night

from autograder.building.made_up_submissions import reference_answers, submission_notebook
from autograder.building.stock_nbgrader import create_assignment, nbgrader_api
from autograder.checking.hidden_check import hidden_checks
from autograder.course.chapters import load_chapter
from autograder.course.variants import load_variants, variant_answer
from autograder.kernels.provisioner import write_kernelspec

# The others follow in nbgrader with our provisioner: ten seconds less for each.
IN_AN_ORDINARY_KERNEL = ("reference", "prints")
SAMPLE = ("prints", "begun", "wrong0")


def classroom(stem):
    """Make a class: student -> (answers, exercises that must lose their points)."""
    reference = reference_answers(stem)
    by_exercise = {name: ([], []) for name in reference}
    for variant in load_variants(stem):
        by_exercise[variant.exercise][variant.mistake is None].append(variant_answer(stem, variant))
    another = {name: rights[0] for name, (_, rights) in by_exercise.items()}
    first_two = dict(islice(reference.items(), 2))
    students = {
        "reference": (reference, set()),
        "prints": (
            {
                name: f"import sys\nprint('to stderr', file=sys.stderr)\n{source}"
                for name, source in another.items()
            },
            set(),
        ),
        "begun": (first_two, reference.keys() - first_two.keys()),
    }
    for turn in range(max(len(rights) for _, rights in by_exercise.values())):
        right = {
            name: rights[turn] for name, (_, rights) in by_exercise.items() if turn < len(rights)
        }
        students[f"right{turn}"] = (reference | right, set())
    for turn in range(max(len(wrongs) for wrongs, _ in by_exercise.values())):
        wrong = {
            name: wrongs[turn] for name, (wrongs, _) in by_exercise.items() if turn < len(wrongs)
        }
        students[f"wrong{turn}"] = (reference | wrong, set(wrong))
    return students


@pytest.mark.parametrize(("stem", "chosen"), by_day_and_at_night(SAMPLE, None))
def test_stock_nbgrader_gives_the_expected_marks_and_shows_no_hidden_check(
    stem, chosen, tmp_path, monkeypatch
):
    everybody = classroom(stem)
    students = {student: everybody[student] for student in chosen or everybody}
    write_kernelspec(tmp_path / "kernelspec", "python3")
    create_assignment(tmp_path, stem)
    for student, (answers, _) in students.items():
        folder = tmp_path / "submitted" / student / stem
        folder.mkdir(parents=True)
        nbformat.write(submission_notebook(stem, answers), folder / "assignment.ipynb")
    api = nbgrader_api(tmp_path)
    for student, (_, lost) in students.items():
        if student not in IN_AN_ORDINARY_KERNEL:
            monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "kernelspec"))
        result = api.autograde(stem, student)
        assert result["success"], result["log"]
        with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
            submission = gradebook.find_submission(stem, student)
            marks = {
                grade.name: grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
        expected = {
            exercise.check_id: 0 if exercise.id in lost else exercise.points
            for exercise in load_chapter(stem).exercises
        }
        assert marks == expected, student

    hidden = Path(hidden_checks(stem).__file__).read_text(encoding="utf-8")
    hidden_lines = {line.strip() for line in hidden.splitlines() if "(" in line}
    for student in students.keys() & {"wrong0", "wrong2"}:
        result = api.generate_feedback(stem, student)
        assert result["success"], result["log"]
        page = (tmp_path / "feedback" / student / stem / "assignment.html").read_text()
        assert "Known mistake" in page
        shown = re.sub(r"<[^>]+>", "", html.unescape(page))
        answers = "\n".join(students[student][0].values())
        for line in hidden_lines:
            assert line in answers or line not in shown
