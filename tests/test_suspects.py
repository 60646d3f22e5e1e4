"""Whose doing it was that a kernel ended, decided without any kernel."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.grading.suspects import DEATHS_OF_ADDED_CELLS, Inquiry, Suspects
from autograder.results import Outcome

DIED, STOPPED = Outcome.KERNEL_DIED, Outcome.TIME_LIMIT


def ours(grade_id, **marks):
    return new_code_cell("", metadata={"nbgrader": {"grade_id": grade_id, **marks}})


def notebook():
    """Text, set-up, then twice an added cell, an answer and its check, by index:

    0 text, 1 set-up, 2 added, 3 answer, 4 check, 5 added, 6 answer, 7 check.
    """
    cells = [new_markdown_cell("An added text."), ours("setup")]
    for name in ("first", "second"):
        cells += [new_code_cell("x"), ours(name, solution=True), ours(f"{name}_check", grade=True)]
    return cells


@pytest.fixture
def suspects():
    return Suspects(notebook())


def groups_after_deaths(inquiry):
    """List what is left out, death after death, until it is the cell's own doing."""
    found = []
    while (cells := inquiry.after_death(had_timeout=False, alive=False)) is not None:
        inquiry.exclude(cells)
        found.append(cells)
    return found


def test_a_death_in_a_check_is_first_put_on_what_ran_since_the_last_check(suspects):
    suspects.unproven += [5, 6]
    assert groups_after_deaths(Inquiry(suspects, 6, 7)) == [{5}, {2}, {3}]


def test_a_death_in_an_answer_is_first_put_on_the_added_cells(suspects):
    assert groups_after_deaths(Inquiry(suspects, 6, 6)) == [{2, 5}, {3}]


def test_our_own_cells_and_later_ones_are_never_suspected(suspects):
    suspects.unproven += [1, 2]
    assert groups_after_deaths(Inquiry(suspects, 3, 3)) == [{2}]


def test_nobody_suffers_for_an_added_cell(suspects):
    suspects.unproven += [2, 3]
    assert groups_after_deaths(Inquiry(suspects, 5, 5)) == []
    assert Inquiry(suspects, 5, 5).after_timeout(False, True, is_time_left=True) is None


def test_a_kernel_that_is_still_there_was_not_ended_by_others(suspects):
    assert Inquiry(suspects, 6, 6).after_death(had_timeout=False, alive=True) is None


def test_after_something_was_stopped_a_new_kernel_is_tried_first(suspects):
    inquiry = Inquiry(suspects, 6, 7)
    assert inquiry.after_death(had_timeout=True, alive=False) == set()
    assert inquiry.after_death(had_timeout=False, alive=False) == {2, 5}
    assert inquiry.after_timeout(had_timeout=True, alive=True, is_time_left=True) == set()


def test_a_time_out_is_put_on_added_cells_alone(suspects):
    inquiry = Inquiry(suspects, 6, 7)
    assert inquiry.after_timeout(False, True, is_time_left=True) == {2, 5}
    inquiry.exclude({2, 5})
    assert inquiry.after_timeout(False, True, is_time_left=True) is None


def test_a_time_out_is_not_tried_again_when_the_rest_would_have_too_little_time(suspects):
    assert Inquiry(suspects, 6, 7).after_timeout(False, True, is_time_left=False) is None


def test_in_a_kernel_that_has_died_a_cell_that_was_run_itself_is_tried_again(suspects):
    died = {"had_timeout": True, "alive": False, "is_time_left": False}
    assert Inquiry(suspects, 2, 2).after_timeout(**died) == set()
    assert Inquiry(suspects, 3, 4).after_timeout(**died) is None


def test_a_test_that_was_stopped_is_not_tried_again(suspects):
    assert Inquiry(suspects, 7, 7).after_timeout(False, True, is_time_left=True) is None


def test_excluded_cells_come_back_when_it_was_not_their_doing(suspects):
    inquiry = Inquiry(suspects, 6, 7)
    inquiry.exclude({2, 3})
    assert suspects.lost == {2: DIED, 3: DIED}
    inquiry.acquit()
    assert suspects.lost == {}


def test_answers_come_back_when_it_helped_and_added_cells_do_not(suspects):
    inquiry = Inquiry(suspects, 6, 7)
    inquiry.exclude({2, 3})
    inquiry.close()
    assert suspects.lost == {2: DIED}


def test_after_too_many_deaths_no_added_cell_is_run_any_more():
    cells = [*notebook(), *(new_code_cell("x") for _ in range(100))]
    suspects = Suspects(cells)
    for index in range(8, 8 + DEATHS_OF_ADDED_CELLS - 1):
        suspects.lose(index, DIED)
    suspects.lose(50, STOPPED)
    assert 2 not in suspects.lost
    suspects.lose(107, DIED)
    assert suspects.added <= suspects.lost.keys() and suspects.lost[50] is STOPPED
    assert 3 not in suspects.lost
    suspects.bring_back(suspects.added)
    assert suspects.added <= suspects.lost.keys()


def test_answers_that_end_the_kernel_do_not_count_as_deaths_of_added_cells(suspects):
    for _ in range(2 * DEATHS_OF_ADDED_CELLS):
        suspects.lose(3, DIED)
    assert suspects.lost == {3: DIED}
