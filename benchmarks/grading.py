"""Throughput of the autograder against stock nbgrader: same class, same machine, one run.

Run it alone on an idle machine:

    .venv/bin/python benchmarks/grading.py                  # about forty minutes
    .venv/bin/python benchmarks/grading.py --stock 10       # nbgrader grades a sample of ten

Two classes are graded by both. The light one answers the first seven exercises of chapter 2, which
includes building and calling a Keras model; its cells need under 0.3 s once TensorFlow is
imported. The other one also fits a forecaster, some of them recurrent networks. Then come a class
of every chapter, for what grading costs beyond the cells, and classes of several sizes.
"""

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from autograder.course.chapters import chapter_stems, load_variants
from autograder.course.classroom import hand_in, reference_answers, submission_notebook
from autograder.course.release import create_assignment, nbgrader_api
from autograder.grading.run import grade_course

STEM = "ch02_simple_rnn"
HEAVY = ("fit_forecaster", "forecast_spread")


def light_class(students, seed=0):
    """Draw right answers for all exercises but those that train a model."""
    return [
        {name: source for name, source in answers.items() if name not in HEAVY}
        for answers in whole_class(students, seed)
    ]


def whole_class(students, seed=0, stem=STEM):
    """Draw right answers from the reference and the bank of variants for all exercises."""
    draw = random.Random(seed)
    reference = reference_answers(stem)
    choices = {name: [source] for name, source in reference.items()}
    for variant in load_variants(stem):
        if variant.mistake is None:
            choices[variant.exercise].append(variant.source)
    return [
        {name: draw.choice(sources) for name, sources in choices.items()} for _ in range(students)
    ]


def make_course(folder, answers, stem=STEM):
    create_assignment(folder, stem)
    for number, answer in enumerate(answers):
        hand_in(folder, f"s{number:03}", stem, submission_notebook(stem, answer))


def ours(answers, workers=None, stem=STEM):
    """Grade a class; return seconds in all, pure seconds of cells and checks, and the marks."""
    with tempfile.TemporaryDirectory() as folder:
        make_course(Path(folder), answers, stem)
        started = time.perf_counter()
        run = grade_course(folder, stem, workers=workers)
        seconds = time.perf_counter() - started
    pure = sorted(result.pure_seconds for result in run.results)
    # The first submission of a worker pays for imports in its checks: that is no cell's time.
    pure_seconds = sum(pure[: -run.workers]) / (len(pure) - run.workers) * len(pure)
    marks = {result.student: result.points for result in run.results}
    return {"seconds": seconds, "pure": pure_seconds, "marks": marks, "workers": run.workers}


def stock(answers):
    """Grade a class by nbgrader's own autograde; return seconds and marks."""
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder)
        make_course(course, answers)
        api = nbgrader_api(course)
        started = time.perf_counter()
        for number in range(len(answers)):
            result = api.autograde(STEM, f"s{number:03}")
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
        list(one["marks"].values()) == [mine["marks"][f"s{i:03}"] for i in indices]
        for one, indices in zip(
            stocks, (range(sample // 2), range(sample // 2, sample)), strict=True
        )
    )
    ideal = mine["pure"] / mine["workers"]
    print(f"\n{name}: {len(answers)} submissions, {mine['workers']} workers")
    print(f"  pure cell and check time      {mine['pure'] / len(answers):6.2f} s a submission")
    print(
        f"  stock nbgrader                {stock_rate:6.1f} submissions a minute ({sample} graded)"
    )
    print(f"  autograder                    {rate:6.1f} submissions a minute")
    print(f"  ratio                         {rate / stock_rate:6.1f}")
    print(f"  total over pure time / cores  {mine['seconds'] / ideal:6.2f}")
    print(f"  marks agree                   {'yes' if agree else 'NO'}")
    return {"class": name, "ratio": rate / stock_rate, "overhead": mine["seconds"] / ideal}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=100)
    parser.add_argument("--stock", type=int, help="grade only so many by nbgrader (all)")
    parser.add_argument("--most", type=int, default=500, help="for the cost of large classes")
    options = parser.parse_args()
    sample = options.stock or options.submissions
    rows = [
        compare("light: exercises 1 to 7", light_class(options.submissions), sample),
        compare("the whole of chapter 2", whole_class(options.submissions), sample),
    ]
    print("\nwhole chapters")
    for stem in chapter_stems():
        run = ours(whole_class(options.submissions, stem=stem), stem=stem)
        pure, overhead = run["pure"] / options.submissions, run["seconds"] / run["pure"]
        rows.append({"chapter": stem, "overhead": overhead * run["workers"]})
        print(
            f"  {stem}: pure {pure:.2f} s a submission, "
            f"total over pure time / cores {overhead * run['workers']:.2f}"
        )
    light = light_class(options.most)
    print("\nlight class, by workers and size")
    for workers, number in ((1, 50), (2, 50), (2, options.most)):
        run = ours(light[:number], workers)
        print(
            f"  {workers} workers, {number:4} submissions  {run['seconds']:7.1f} s, "
            f"{run['seconds'] / number:.3f} s each"
        )
        rows.append({"workers": workers, "submissions": number, "seconds": run["seconds"]})
    print("\n" + json.dumps(rows))


if __name__ == "__main__":
    main()
