"""The directory of a fork server: it is there as long as its owner, and no longer."""

import fcntl

import pytest

from autograder.kernels import sandbox
from autograder.kernels.sandbox import make_run_directory


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "_RUN", str(tmp_path))
    return tmp_path


def test_what_an_owner_has_left_is_removed_when_the_next_directory_is_made(place):
    held, claim = make_run_directory()
    left, other_claim = make_run_directory()
    assert {held, left} == set(place.iterdir())
    other_claim.close()
    new, new_claim = make_run_directory()
    assert {held, new} == set(place.iterdir())
    claim.close()
    new_claim.close()


def test_nobody_removes_a_directory_that_is_just_being_made(place, monkeypatch):
    flock, others = fcntl.flock, []

    def flock_after_another_process(*arguments):
        monkeypatch.setattr(fcntl, "flock", flock)
        others.append(make_run_directory())
        flock(*arguments)

    monkeypatch.setattr(fcntl, "flock", flock_after_another_process)
    directory, claim = make_run_directory()
    assert (directory / "kernels" / sandbox.LAUNCHER).is_file()
    assert {directory, others[0][0]} == set(place.iterdir())
    claim.close()
    others[0][1].close()
