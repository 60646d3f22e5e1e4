"""The expected values of the visible checks, which the release records for students.

A student has neither the reference nor the bank, so what both give for the calls of a visible check
is written to `coursekit/checks/recorded/`. To compute it takes half a minute a chapter, and minutes
where many answers build networks. So the file says what each exercise rests on, and an exercise is
computed again when that has changed.
"""

from __future__ import annotations

import contextlib
import json
import math
import multiprocessing
import os
import random
import re
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autograder.checking.hidden_check import hidden_checks
from autograder.checking.recording_digest import digests_of_foundations
from autograder.checking.replayed_answers import (
    AskedExample,
    Bank,
    ComputedExamples,
    ReplayedAnswer,
    first_fault,
)
from autograder.checking.tied_mistakes import FirstFault, mistake_trees
from autograder.course import chapters
from autograder.course.chapters import Exercise, load_chapter
from autograder.course.variants import Variant, bank_file, variant_functions
from autograder.course_error import CourseError
from coursekit.checks import CheckFailure, silenced
from coursekit.checks.alterations import Fingerprint, agree, fingerprint
from coursekit.checks.comparison import TOLERANCE
from coursekit.checks.examples import judge_with
from coursekit.checks.judged import Judged
from coursekit.checks.outcome import Mistake, Outcome
from coursekit.checks.serve import LocalWorld
from coursekit.checks.stand_in import StandIn, transcript
from coursekit.cores import available_cores

# So many calls of every kind are altered: nearly all wrong answers are wrong in these already.
ALTERED_CALLS = 2
# Beside the exercises of a recorded file: the digests of what they rest on.
RESTS_ON = "rests_on"


class _Recorder:
    """Examples whose answer is the reference itself: they note what comes of each call."""

    def begin(self, stand_ins: Sequence[StandIn]) -> None:
        requests: list[Any] | None = transcript.get()
        assert requests is not None  # a check is running
        self.requests = requests
        self.examples: list[AskedExample] = []
        self.labels: list[str] = []

    def expected(self, label: str, judged: Judged) -> Outcome:
        if judged.fault(judged.outcome, judged.outcome):
            raise CourseError(f"the reference answer fails its own example of {label}")
        outcome = judged.outcome
        self.examples.append(AskedExample(len(self.requests) - 1, judged, outcome))
        self.labels.append(label)
        return outcome

    def mistakes(self) -> list[Mistake]:
        """Name none: the reference has not failed."""
        return []

    def parameters(self) -> list[str]:
        """Return nothing, for the same reason."""
        return []

    def result_names(self, label: str) -> list[str]:
        """Return nothing, for the same reason."""
        return []

    def altered(self) -> list[tuple[str, Fingerprint]]:
        """Return nothing, for the same reason."""
        return []


def recorded_texts(stems: Sequence[str]) -> Iterator[Callable[[], str]]:
    """Yield for each chapter a function that returns the text of its recorded file.

    That is the present text while its digests are right. Where more than one has to be computed,
    each core computes one at a time, the longest bank first. The function, which is to be called
    before the next one is asked for, raises a `CourseError` as `newly_recorded_text` does.
    """
    stale = [stem for stem in stems if not _is_present(stem)]
    processes = min(len(stale), available_cores())
    with contextlib.ExitStack() as stack:
        results: dict[str, Callable[[], str]] = {
            stem: partial(_text_up_to_date, stem) for stem in stale
        }
        if processes > 1:
            # Not forked: TensorFlow may have run in this process; its threads would be missing.
            context = multiprocessing.get_context("spawn")
            pool = stack.enter_context(context.Pool(processes, _begin_process, [chapters.ROOT]))
            for stem in sorted(stale, key=lambda stem: -bank_file(stem).stat().st_size):
                results[stem] = pool.apply_async(_text_up_to_date, [stem]).get
        for stem in stems:
            yield results.get(stem) or partial(recorded_file(stem).read_text, encoding="utf-8")


def _begin_process(root: Path) -> None:
    """Prepare a process of a pool, which shares the cores with others, to record a course."""
    for name in ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):
        os.environ[name] = "1"
    # Ctrl-C is for the process that waits for this one and ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    chapters.ROOT = root


def _is_present(stem: str) -> bool:
    return bool(recorded_outcomes(stem).get(RESTS_ON) == digests_of_foundations(stem))


def _text_up_to_date(stem: str) -> str:
    """Return the text of a chapter's file, in which only what is older has been recorded again."""
    present = recorded_outcomes(stem)
    rested_on = present.pop(RESTS_ON, {})
    rests_on = digests_of_foundations(stem)
    kept = [name for name in present if rested_on.get(name) == rests_on.get(name)]
    return newly_recorded_text(stem, kept)


def newly_recorded_text(stem: str, kept: Sequence[str] = ()) -> str:
    """Record a chapter, and return its file's text, with the present numbers where they agree.

    What is present of the exercises that are ``kept`` is not computed.

    Raises
    ------
    CourseError
        When the reference fails a check, a check makes no call, or no call tells a wrong answer of
        the bank from the reference.
    """
    # Before anything is computed: what changes meanwhile makes the file older than its foundations.
    rests_on = digests_of_foundations(stem)
    present = recorded_outcomes(stem)
    tree = outcomes(stem, {name: present[name] for name in kept})
    tree |= {name: present[name] for name in tree if _agree(present.get(name), tree[name])}
    text = json.dumps({RESTS_ON: rests_on} | tree, ensure_ascii=False)
    # One outcome a line, so that a difference between two versions can be read.
    return re.sub(r'(?=\{"call"|\{"sentence"|"altered"|"mistakes")', "\n", text) + "\n"


def outcomes(
    stem: str, kept: Mapping[str, list[dict[str, Any]]] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Compute what the reference and the bank give for the calls of the visible checks.

    That is a tree for JSON: for each exercise a list of its calls with their outcomes, of some
    exercises what was ``kept``. It raises what `newly_recorded_text` raises.
    """
    known = kept or {}
    with silenced(None):
        return {
            exercise.id: known[exercise.id] if exercise.id in known else _record(stem, exercise)
            for exercise in load_chapter(stem).exercises
        }


def recorded_file(stem: str) -> Path:
    """Return where a chapter's recorded outcomes are kept."""
    return chapters.ROOT / "coursekit" / "checks" / "recorded" / f"{stem}.json"


def recorded_outcomes(stem: str) -> dict[str, Any]:
    """Return what a chapter's file holds, by exercise, and under `RESTS_ON` what it rests on."""
    try:
        found: dict[str, Any] = json.loads(recorded_file(stem).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):  # after a merge, Git may have marked a conflict in it
        return {}
    return found


def _record(stem: str, exercise: Exercise) -> list[dict[str, Any]]:
    where = f"coursekit/checks/{stem}.py, exercise {exercise.id}"
    check = getattr(load_chapter(stem).checks, exercise.id).__wrapped__
    bank, recorder, world = Bank(stem, exercise.id), _Recorder(), LocalWorld()
    functions = vars(load_chapter(stem).reference)
    stand_ins = [world.stand_in(functions[name], name) for name in exercise.names]
    try:
        judge_with(check, lambda: recorder)(*stand_ins)
    except (CheckFailure, CourseError) as failure:
        raise CourseError(f"{where}: {failure}") from failure
    except Exception as error:
        raise CourseError(f"{where}, {_fault_of(check, error)}") from error
    if not recorder.requests:
        raise CourseError(f"{where}: its check makes no call; list some with example()")
    entries: list[dict[str, Any]] = [
        {
            "call": label,
            "parameters": [],
            "results": exercise.result_names(label) if isinstance(expected.value, tuple) else [],
            "expected": judged.tree_of(expected),
            "altered": [],
            "mistakes": [],
        }
        for label, (_, judged, expected) in zip(recorder.labels, recorder.examples, strict=True)
    ]
    _add_arguments(entries, recorder, bank.reference(stand_ins))
    # Where a check looks at properties alone, `tests/test_variants.py` judges the bank: a property
    # may need a training for each answer.
    faults: list[list[FirstFault]] = [[] for _ in entries]

    def ask(variant: Variant) -> ReplayedAnswer:
        _seed()  # a wrong answer may be random, and every release the same
        return bank.variant(variant, stand_ins)

    for variant in bank.wrong if entries else ():
        fault = first_fault(ask(variant), recorder.requests, recorder.examples)
        if not fault and not _is_found(stem, exercise, variant):
            raise CourseError(
                f"solutions/variants/{stem}.py, exercise {exercise.id}: no call tells the "
                f"wrong answer {variant.name} from the reference; add one to a check"
            )
        if fault:
            number, outcome = fault
            faults[number].append(FirstFault(variant, outcome))
    for number, entry in enumerate(entries):
        examples = recorder.examples[number:]
        entry["mistakes"] = mistake_trees(faults[number], examples, recorder.requests, ask)
    return entries


def _add_arguments(
    entries: Sequence[dict[str, Any]], recorder: _Recorder, reference: ReplayedAnswer
) -> None:
    """Add the names of arguments, and what the reference gives for altered ones.

    They are altered in the first calls of every kind.
    """
    seen: Counter[str] = Counter()
    for entry, (place, judged, expected) in zip(entries, recorder.examples, strict=True):
        reference.outcomes(recorder.requests[:place])
        request, _ = recorder.requests[place]
        entry["parameters"] = reference.parameters(request, judged.trial)
        if not judged.is_alterable or seen[entry["call"]] == ALTERED_CALLS:
            continue
        seen[entry["call"]] += 1
        right = fingerprint(expected.value)
        if right is None:
            continue
        known = [right]
        for condition, found in reference.altered(request, judged.trial):
            if not any(agree(found, other, TOLERANCE) for other in known):
                known.append(found)
                entry["altered"].append([condition, found])


def _seed() -> None:
    """Seed what draws random numbers; a chapter on NumPy alone does not load Keras for it."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 (what an answer draws from)
    if keras := sys.modules.get("keras"):
        keras.utils.set_random_seed(0)


def _is_found(stem: str, exercise: Exercise, variant: Variant) -> bool:
    """Say whether a check fails a wrong answer that differs in no example of the visible check."""
    chapter, functions = load_chapter(stem), variant_functions(stem, variant)
    answers = [functions[name] for name in exercise.names]
    stand_ins = list(map(LocalWorld().stand_in, answers, exercise.names))
    for room, checks in (
        ("autograder/hidden", hidden_checks(stem)),
        ("coursekit/checks", chapter.checks),
    ):
        check = getattr(checks, exercise.id).__wrapped__
        try:
            judge_with(check, lambda: ComputedExamples(stem, exercise.id))(*stand_ins)
        except CheckFailure:
            return True
        except Exception as error:
            where = f"{room}/{stem}.py, exercise {exercise.id}"
            raise CourseError(f"{where}, {_fault_of(check, error)}") from error
    return False


def _fault_of(check: Callable[..., object], error: Exception) -> str:
    """Say in which line of its file a check has raised an error, and what to do about it."""
    file = check.__code__.co_filename
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    line = lines[-1] if lines else check.__code__.co_firstlineno
    said = str(error).partition("\n")[0]
    if isinstance(error, TypeError) and "may pass plain data" in said:
        return f'line {line}: {said}; pass a function as ByImportPath("module:name")'
    return f"line {line}: the check raises {type(error).__name__}: {said}"


def _agree(one: Any, other: Any) -> bool:
    """Say whether two recorded trees are the same but for the last digits of their numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_agree(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_agree, one, other))
    if isinstance(one, float) and isinstance(other, (int, float)):
        # Two processors add up single precision in other orders, and a step of training adds to it.
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-5)
    return bool(one == other)
