"""How fast the autograder is: against stock nbgrader, by chapters, by sizes, by workers.

Run it alone on an idle machine, whole or in parts:

    .venv/bin/python -m benchmarks.grading                          # everything: hours
    .venv/bin/python -m benchmarks.grading one                      # a minute
    .venv/bin/python -m benchmarks.grading nbgrader --stock 10      # ten minutes
    .venv/bin/python -m benchmarks.grading chapters --submissions 20

The parts:

- ``one``: from the command to the mark of a single submission, on NumPy alone and with Keras;
- ``nbgrader``: two classes, which both graders grade. The light one answers the first seven
  exercises of chapter 2, which includes building and calling a Keras model; the other one also
  fits a forecaster, some of them recurrent networks. nbgrader may grade a sample;
- ``chapters``: a class of every chapter, for what grading costs beyond the cells;
- ``workers``: the light class with one worker, with two, and with two that a dask scheduler has;
- ``sizes``: classes that answer one exercise of chapter 1, up to 5,000 submissions.

Every class is graded by the command that instructors type, in a process of its own. The pure time
is that of cells and checks alone. Right answers are drawn from the reference and the bank; in
chapters on NumPy alone not from those answers that import TensorFlow, each of which would take ten
times as long as a whole submission.
"""

import argparse
import contextlib
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.building.made_up_submissions import (
    hand_in,
    quick_variants,
    reference_answers,
    submission_notebook,
)
from autograder.building.stock_nbgrader import create_assignment, nbgrader_api
from autograder.course.chapters import chapter_stems, load_chapter
from autograder.course.variants import variant_answer
from autograder.grading.journal import Journal
from benchmarks.dask_cluster import dask_cluster
from coursekit.cores import available_cores

STEM, ON_NUMPY = "ch02_simple_rnn", "ch01_rnn_basics"
HEAVY = ("fit_forecaster", "forecast_spread")


def light_class(students):
    """Draw right answers for all exercises but those that train a model."""
    return [
        {name: source for name, source in answers.items() if name not in HEAVY}
        for answers in whole_class(students)
    ]


def whole_class(students, stem=STEM):
    """Draw right answers from the reference and the bank of variants for all exercises."""
    draw = random.Random(0)
    reference = reference_answers(stem)
    choices = {name: [source] for name, source in reference.items()}
    for variant in quick_variants(stem):
        if variant.mistake is None:
            choices[variant.exercise].append(variant_answer(stem, variant))
    return [
        {name: draw.choice(sources) for name, sources in choices.items()} for _ in range(students)
    ]


def small_class(students):
    """One right answer a student, the same for all: the class is what is large."""
    name = load_chapter(ON_NUMPY).exercises[0].id
    return [{name: reference_answers(ON_NUMPY)[name]}] * students


def make_course(folder, answers, stem=STEM):
    create_assignment(folder, stem)
    for number, answer in enumerate(answers):
        hand_in(folder, f"s{number:04}", stem, submission_notebook(stem, answer))


def ours(answers, workers=None, stem=STEM, scheduler=None):
    """Grade a class; return its seconds in all, to the first mark and of cells and checks alone.

    ``megabytes`` is what the command's own process held at most, without its workers.
    """
    with tempfile.TemporaryDirectory() as folder:
        make_course(Path(folder), answers, stem)
        command = [Path(sys.executable).parent / "autograder", "grade", folder, stem]
        command += ["--workers", str(workers)] if workers and not scheduler else []
        command += ["--scheduler", scheduler] if scheduler else []
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        first, megabytes = _watch(process, Path(folder) / ".autograder" / f"{stem}.journal")
        if process.returncode:
            raise RuntimeError(f"{command} failed")
        seconds = time.perf_counter() - started
        with contextlib.closing(Journal(folder, stem)) as journal:
            results = journal.latest().values()
        workers = min(workers or available_cores(), len(answers))
        pure = sorted(result.execution_seconds for result in results)
        # The first submission of a worker pays for imports in its checks: that is no cell's time.
        pure = pure[:-workers] or pure
        return {
            "seconds": seconds,
            "first": first - started,
            "pure": sum(pure) / len(pure) * len(answers),
            "marks": {result.student: result.points for result in results},
            "workers": workers,
            "megabytes": megabytes,
        }


def _watch(process, journal):
    """Wait for the end of a process; return when the first mark was stored, and its memory."""
    first, held = 0.0, 0
    while process.poll() is None:
        if not first and journal.exists() and '"stored":' in journal.read_text(errors="replace"):
            first = time.perf_counter()
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            peak = next(line for line in lines if line.startswith("VmHWM"))
            held = max(held, int(peak.split()[1]) >> 10)
        time.sleep(0.01 if not first else 0.2)
    return first, held


def overhead(run):
    """Return the time in all over what cells and checks take when every core has its share."""
    return run["seconds"] * run["workers"] / run["pure"]


def stock(answers):
    """Grade a class by nbgrader's own autograde; return seconds and marks."""
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder)
        make_course(course, answers)
        api = nbgrader_api(course)
        started = time.perf_counter()
        for number in range(len(answers)):
            result = api.autograde(STEM, f"s{number:04}")
            if not result["success"]:
                raise RuntimeError(result["log"])
        seconds = time.perf_counter() - started
        marks = {row["student"]: row["score"] for row in api.get_submissions(STEM)}
    return {"seconds": seconds, "marks": marks}


def compare(name, answers, sample):
    """Print one class's throughput by both graders; half of the stock sample before, half after."""
    before, after = answers[: sample // 2], answers[sample // 2 : sample]
    stocks = [stock(before)]
    mine = ours(answers)
    stocks.append(stock(after))
    stock_rate = 60 * sample / sum(one["seconds"] for one in stocks)
    rate = 60 * len(answers) / mine["seconds"]
    agree = all(
        list(one["marks"].values()) == [mine["marks"][f"s{i:04}"] for i in indices]
        for one, indices in zip(
            stocks, (range(sample // 2), range(sample // 2, sample)), strict=True
        )
    )
    print(f"\n{name}: {len(answers)} submissions, {mine['workers']} workers")
    print(f"  pure cell and check time      {mine['pure'] / len(answers):6.2f} s a submission")
    print(
        f"  stock nbgrader                {stock_rate:6.1f} submissions a minute ({sample} graded)"
    )
    print(f"  autograder                    {rate:6.1f} submissions a minute")
    print(f"  ratio                         {rate / stock_rate:6.1f}")
    print(f"  total over pure time / cores  {overhead(mine):6.2f}")
    print(f"  marks agree                   {'yes' if agree else 'NO'}", flush=True)
    return {"class": name, "ratio": rate / stock_rate, "overhead": overhead(mine)}


# --- the parts -----------------------------------------------------------------------------------


def one(options):
    print("\none submission, from the command to its mark and to the command's end")
    for stem in (ON_NUMPY, STEM):
        runs = [ours([reference_answers(stem)], stem=stem) for _ in range(3)]
        best = min(runs, key=lambda run: run["first"])
        print(
            f"  {stem}: {best['first']:.1f} s and {best['seconds']:.1f} s, the best of three, of "
            f"which {best['pure']:.1f} s for cells and checks",
            flush=True,
        )
        yield {"one": stem, "mark": best["first"], "end": best["seconds"]}


def nbgrader(options):
    sample = options.stock or options.submissions
    yield compare("light: exercises 1 to 7", light_class(options.submissions), sample)
    yield compare("the whole of chapter 2", whole_class(options.submissions), sample)


def chapters(options):
    print(f"\nwhole chapters, {options.submissions} submissions")
    for stem in options.chapters or chapter_stems():
        run = ours(whole_class(options.submissions, stem=stem), stem=stem)
        print(
            f"  {stem}: pure {run['pure'] / options.submissions:.2f} s a submission, "
            f"total over pure time / cores {overhead(run):.2f}",
            flush=True,
        )
        yield {"chapter": stem, "submissions": options.submissions, "overhead": overhead(run)}


def workers(options):
    answers = light_class(options.submissions)
    print(f"\nlight class of {len(answers)}, by workers")
    with dask_cluster() as (address, _):
        for name, run in (
            ("1 worker", ours(answers, 1)),
            ("2 workers", ours(answers, 2)),
            ("2 of a scheduler's, new", ours(answers, 2, scheduler=address)),
            ("the same again", ours(answers, 2, scheduler=address)),
        ):
            print(f"  {name:24}  {run['seconds']:7.1f} s", flush=True)
            yield {"workers": name, "submissions": len(answers), "seconds": run["seconds"]}


def sizes(options):
    print("\nclasses of several sizes, one exercise each")
    for number in sorted({50, min(500, options.most), options.most}):
        run = ours(small_class(number), stem=ON_NUMPY)
        print(
            f"  {number:5} submissions  {run['seconds']:7.1f} s, {run['seconds'] / number:.4f} s "
            f"each, the command's process held {run['megabytes']} MB",
            flush=True,
        )
        yield {"size": number, "seconds": run["seconds"], "megabytes": run["megabytes"]}


PARTS = {part.__name__: part for part in (one, nbgrader, chapters, workers, sizes)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--submissions", type=int, default=100)
    parser.add_argument("--stock", type=int, help="grade only so many by nbgrader (all)")
    parser.add_argument("--chapters", nargs="+", metavar="STEM", help="only these (all)")
    parser.add_argument("--most", type=int, default=5000, help="for the sizes")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(unknown)}")
    rows = [row for name in options.parts or PARTS for row in PARTS[name](options)]
    print("\n" + json.dumps(rows))


if __name__ == "__main__":
    main()
