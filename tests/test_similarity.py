"""Hints at answers that are alike: copies are found, chance and a common answer are not."""

import random
import time

import pytest
from small_course import EXERCISE, STEM, answered, graded_course

from autograder.cli import main
from autograder.course.chapters import load_chapter
from autograder.grading.syntax_tree import tree_digest
from autograder.reports.class_report import RunFacts, class_report_html
from autograder.reports.similarity import MAX_EXPECTED, MAX_GROUP, similar_pairs
from autograder.results import ExerciseResult, Outcome, Result, Status
from coursekit.checks.wording import COMPARED

CHAPTER = load_chapter(STEM)
NAMES = [exercise.id for exercise in CHAPTER.exercises]
COPIED = "copied, line by line"


def student(name, trees, mistakes=None):
    """Return a result whose answers have these trees; an exercise with a mistake has failed."""
    exercises = tuple(
        ExerciseResult(
            exercise,
            f"{exercise}_check",
            f"Exercise {exercise}",
            0.0,
            1.0,
            Outcome.FAILED if (mistakes or {}).get(exercise) else Outcome.PASSED,
            mistake=(mistakes or {}).get(exercise),
            tree=tree,
        )
        for exercise, tree in trees.items()
    )
    return Result(name, STEM, Status.GRADED, exercises=exercises)


def drawn_class(size, seed, ways=40):
    """Draw a class in which everybody works alone: each way of writing is half as frequent."""
    rng = random.Random(seed)
    return [
        student(f"s{n:04}", {name: f"way {min(int(rng.expovariate(0.2)), ways)}" for name in NAMES})
        for n in range(size)
    ]


def copy_of(original, name, exercises):
    """Return a student who has copied some exercises and written the others alone."""
    trees = {e.exercise: e.tree for e in original.exercises}
    own = {e: f"only {name} writes {e} so" for e in trees}
    return student(name, {e: COPIED if e in exercises else own[e] for e in trees})


def with_a_copied_pair(everybody, exercises):
    first = copy_of(everybody[0], "ada", exercises)
    return [*everybody, first, copy_of(first, "bob", exercises)]


def class_page(results, similarity_hints=True):
    return class_report_html(
        results,
        CHAPTER,
        RunFacts(started="now"),
        changes=(),
        similarity_hints=similarity_hints,
        gradebook_error="",
        names=None,
    )


def found(results):
    return [pair.students for pair in similar_pairs(results).found]


@pytest.mark.parametrize("size", [12, 30, 100])
def test_who_works_alone_is_hardly_ever_named(size):
    named = [bool(found(drawn_class(size, seed))) for seed in range(20)]
    assert sum(named) <= 1


@pytest.mark.parametrize("size", [12, 30, 100])
def test_a_pair_that_has_copied_half_of_the_assignment_is_named(size):
    everybody = with_a_copied_pair(drawn_class(size, seed=1), NAMES[::2])
    assert ("ada", "bob") in found(everybody)
    (pair,) = [p for p in similar_pairs(everybody).found if p.students == ("ada", "bob")]
    assert [shared.title for shared in pair.shared] == [f"Exercise {name}" for name in NAMES[::2]]
    assert pair.expected < MAX_EXPECTED
    assert all(0 < shared.rate < 0.5 for shared in pair.shared)
    # One exercise alone says nothing, however it is written.
    assert ("ada", "bob") not in found(with_a_copied_pair(drawn_class(size, seed=1), NAMES[:1]))


def test_what_a_third_of_the_class_writes_is_no_hint():
    def trees(n):
        return {name: "two lines" if n % 3 == 0 else f"way {n}" for name in NAMES}

    assert found([student(f"s{n:02}", trees(n)) for n in range(30)]) == []
    # In a class so small that a third of it is a few, the base rate says it.
    assert found([student(f"s{n:02}", trees(n)) for n in range(9)]) == []


def test_the_same_rare_mistakes_count_and_supposed_or_frequent_ones_do_not():
    def class_with(sentence, makes):
        return [
            student(
                f"s{n:02}",
                {name: f"way {n} of {name}" for name in NAMES},
                {name: sentence.format(name) for name in NAMES} if makes(n) else None,
            )
            for n in range(30)
        ]

    rare = similar_pairs(class_with("The sign of {} is wrong.", lambda n: n in (3, 7)))
    assert [pair.students for pair in rare.found] == [("s03", "s07")]
    assert {shared.what for shared in rare.found[0].shared} == {"the same mistake"}
    assert not found(class_with("Possibly: The sign of {} is wrong.", lambda n: n in (3, 7)))
    assert not found(class_with(COMPARED + "{} is off by 2.", lambda n: n in (3, 7)))
    assert not found(class_with("The sign of {} is wrong.", lambda n: n < MAX_GROUP + 1))


def test_what_has_no_tree_is_compared_with_nothing():
    assert found([student(f"s{n:02}", dict.fromkeys(NAMES, "")) for n in range(12)]) == []


def test_a_class_of_thousands_is_no_matter():
    everybody = with_a_copied_pair(drawn_class(5000, seed=2, ways=10**9), NAMES)
    started = time.process_time()
    named = found(everybody)
    assert time.process_time() - started < 5
    assert ("ada", "bob") in named


def test_the_report_names_pairs_only_when_it_is_asked_to():
    everybody = with_a_copied_pair(drawn_class(30, seed=1), NAMES)
    page = class_page(everybody)
    section = page.partition('id="alike"')[2].partition("</section>")[0]
    assert "never a verdict" in section and "1 pair of students" in section
    assert "<bdi>ada</bdi>" in section and "<bdi>bob</bdi>" in section
    assert f"The same answer: Exercise {NAMES[0]} (" in section
    quiet = class_page(everybody, similarity_hints=False)
    assert 'id="alike"' not in quiet
    nobody = class_page(drawn_class(12, 1))
    assert "No two students agree" in nobody


def test_a_class_in_which_nothing_was_compared_is_told_so():
    results = [student(f"s{n}", dict.fromkeys(NAMES, "the same")) for n in range(9)]
    too_few = "Fewer than 10 students have answered any exercise, too few to compare."
    said = [
        class_page(those)
        for those in (results, [*results, student("s9", dict.fromkeys(NAMES, "the same"))])
    ]
    assert [too_few in page for page in said] == [True, False]
    assert ["No two students agree" in page for page in said] == [False, True]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    answers = {"ada": None, "bob": answered("def rnn_step():\n    return 1")}
    return graded_course(tmp_path_factory.mktemp("alike"), answers)


def test_a_course_switches_the_hints_on(course):
    report = course / "reports" / f"{STEM}.html"
    assert 'id="alike"' not in report.read_text(encoding="utf-8")
    config = "c = get_config()\nc.Autograder.similarity_hints = True\n"
    (course / "nbgrader_config.py").write_text(config, encoding="utf-8")
    assert main(["report", str(course), STEM]) == 0
    assert 'id="alike"' in report.read_text(encoding="utf-8")
    # What was graded before can be compared, and nothing is to be graded for it again.
    assert main(["grade", str(course), STEM, "--dry-run"]) == 0
    for page in (course / "feedback").rglob("*.html"):
        assert 'id="alike"' not in page.read_text(encoding="utf-8")


def test_a_result_has_the_trees_of_what_was_written(course):
    from autograder.grading.course import open_course, opened_journal

    with opened_journal(open_course(course, STEM)) as journal:
        results = journal.latest()
    trees = {e.exercise: e.tree for e in results["bob"].exercises}
    assert trees.pop(EXERCISE.id) == tree_digest("def rnn_step():\n    return 1  # one")
    assert set(trees.values()) == {""}
    assert all(e.tree for e in results["ada"].exercises if e.exercise == EXERCISE.id)
