"""What stock nbgrader gives the submissions of `tests/hostile`; writes the table of its README.

    python benchmarks/hostile_on_stock_nbgrader.py [case …]

Every submission is autograded by nbgrader's own API in a course folder of its own, with a limit of
a minute, and beside the marks of a classmate. It runs the student's code without a sandbox: use a
machine that has nothing to lose. Cases that would harm even that are not run, and the table says
so. What was seen is kept in ``_build/``, so that an interrupted run goes on where it was; naming
cases runs these again.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from datetime import date
from importlib.metadata import version
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from autograder.building.stock_nbgrader import create_assignment
from autograder.course.chapters import ROOT
from autograder.results import Status

sys.path.insert(0, str(ROOT / "tests"))

from hostile.cases import CASES
from hostile.submissions import HONEST, POINTS, STEM, Case, notebook_bytes
from hostile.surroundings import (
    TRACES,
    active_content,
    damage,
    lay_decoys,
    left_behind,
    listening,
)

SEEN = ROOT / "_build" / "hostile_on_stock_nbgrader.json"
README = ROOT / "tests" / "hostile" / "README.md"
SECONDS = 60
MARK = "HOSTILE_BENCHMARK"
TOTAL = sum(POINTS.values())
CLASSMATE, LATER = "00_classmate", "zz_classmate"
SCRIPT = """\
import json, sys
from autograder.building.stock_nbgrader import nbgrader_api
action, course, student = sys.argv[1:]
result = getattr(nbgrader_api(course), action)({stem!r}, student, force=True)
log = result.get("log", "") + result.get("error", "")
# What was run may have left the line it wrote last without an end.
print("\\nRESULT" + json.dumps([result["success"], log[-20000:]]))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="case", help="cases to run again")
    names = set(parser.parse_args().names)
    seen = json.loads(SEEN.read_text()) if SEEN.exists() else {}
    SEEN.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="stock", ignore_cleanup_errors=True) as folder:
        bench = Bench(Path(folder))
        for number, case in enumerate(CASES, start=1):
            if case.not_on_stock or (case.student in seen and case.student not in names):
                continue
            started = time.monotonic()
            seen[case.student] = bench.run(case)
            seconds = time.monotonic() - started
            print(
                f"{number}/{len(CASES)} {case.student}: {seen[case.student]} ({seconds:.0f} s)",
                flush=True,
            )
            SEEN.write_text(json.dumps(seen, indent=1))
    for path in TRACES:
        path.unlink(missing_ok=True)
    README.write_text(readme(seen), encoding="utf-8")


class Bench:
    """A folder with a released course, in which one classmate has her marks already."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.base = folder / "base"
        lay_decoys(self.home)
        lay_decoys(self.base)
        create_assignment(self.base, STEM)
        _hand_in_honestly(self.base, CLASSMATE)
        self.nbgrader("autograde", self.base, CLASSMATE)
        if points(self.base, CLASSMATE) != POINTS:
            sys.exit("stock nbgrader does not give the classmate full marks; is the machine well?")

    def run(self, case: Case):
        """Grade one case in a fresh course; return what was seen, as data."""
        course = self.folder / "course"
        shutil.rmtree(course, ignore_errors=True)
        shutil.copytree(self.base, course)
        lay_decoys(self.home)
        if case.earlier:
            case.hand_in(course, honest=True)
            self.nbgrader("autograde", course, case.student)
        case.hand_in(course)
        with listening() as came:
            success, said = self.nbgrader("autograde", course, case.student, case.student)
        seen = {
            "said": said,
            "success": success,
            "points": points(course, case.student),
            "others": [],
        }
        if came:
            seen["others"].append("reached a server")
        if points(course, CLASSMATE) != POINTS:
            seen["others"].append("a classmate's marks changed")
        seen["others"] += [f"damaged: {what}" for what in damage(self.home, course)]
        if success is False:
            _hand_in_honestly(course, LATER)
            self.nbgrader("autograde", course, "*", case.student)
            if points(course, LATER) != POINTS:
                seen["others"].append("the next student was not graded")
        if seen["points"] and (case.hides or case.number == 37):
            self.nbgrader("generate_feedback", course, case.student)
            page = course / "feedback" / case.student / STEM / "assignment.html"
            html = page.read_text() if page.exists() else ""
            if case.hides and case.hides in html:
                seen["others"].append("the feedback shows hidden inputs")
            if active_content(html):
                seen["others"].append("the feedback runs the student's code")
        for name in ("hostile_answers.py", "hostile_late.txt"):
            if not case.student.startswith("07_a"):
                (self.home / name).unlink(missing_ok=True)
        if not case.student.startswith("07_a"):
            for path in TRACES:
                path.unlink(missing_ok=True)
        shutil.rmtree(self.home / ".ipython", ignore_errors=True)
        shutil.rmtree(self.home / ".local", ignore_errors=True)
        return seen

    def nbgrader(self, action, course, student, case=""):
        """Call nbgrader's API in a process of its own; return (success or None, last words)."""
        mark = f"{os.getpid()}-{case or student}"
        environment = os.environ | {
            "HOME": str(self.home),
            MARK: mark,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INDEX": "1",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        }
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(
                [sys.executable, "-c", SCRIPT.format(stem=STEM), action, str(course), student],
                env=environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                errors="replace",
            )
            hung = False
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                hung = True
            left = self._end(f"{MARK}={mark}")
            process.wait()
            output.seek(0)
            text = output.read()[-40000:]
        if hung:
            return None, f"hung (stopped after {SECONDS} s)"
        found = [line for line in text.splitlines() if line.startswith("RESULT")]
        if not found:
            return False, f"nbgrader itself was killed (exit code {process.returncode})"
        success, log = json.loads(found[-1].removeprefix("RESULT"))
        words = "left a process running" if left and case else ""
        return success, words if success else _last_words(log)

    def _end(self, mark):
        """Kill what is left of a run, known by its environment, and return whether there was."""
        found = False
        for _ in range(20):
            pids = [pid for pid in left_behind(mark) if pid != os.getpid()]
            for pid in pids:
                found = True
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not pids:
                break
            time.sleep(0.1)
        return found


def points(course, student):
    """Read a student's marks as nbgrader has them; None when there are none."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        try:
            submission = gradebook.find_submission(STEM, student)
        except MissingEntry:
            return None
        found = {
            grade.name.removesuffix("_check"): grade.score
            for notebook in submission.notebooks
            for grade in notebook.grades
        }
        graded = [g.auto_score for nb in submission.notebooks for g in nb.grades]
        return None if all(score is None for score in graded) else found


def _hand_in_honestly(course, student):
    inbox = course / "submitted" / student / STEM
    inbox.mkdir(parents=True)
    (inbox / "assignment.ipynb").write_bytes(notebook_bytes(HONEST))


def _last_words(log):
    """Pick the line that says why autograding failed out of a log."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "Error" in line or "rror:" in line]
    generic = ("Please see the error log", "autograde on", "There was an error processing")
    errors = [line for line in errors if not any(words in line for words in generic)] or lines
    return errors[-1] if errors else "no reason given"


def _shortened(words):
    """Leave out what says nothing: the modules of an error, this machine's folders."""
    words = re.sub(r"'?/\S+/([^/\s']+)'?", r"\1", re.sub(r"^[\w.]+\.(?=\w+:)", "", words))
    return words if len(words) <= 100 else f"{words[:100].rstrip()} …"


# --- the table -------------------------------------------------------------------------------


def verdict(case, all_seen):
    """Return what stock nbgrader gave, in words, and whether that is what the case must get."""
    seen = all_seen.get(case.student)
    if case.not_on_stock:
        return f"not run: {case.not_on_stock}", None
    if seen is None:
        return "not run", None
    words = []
    if seen["success"] is None:
        words.append(seen["said"])
    elif not seen["success"]:
        words.append(f"aborted: {_shortened(seen['said'])}")
    if seen["points"]:
        total = sum(seen["points"].values())
        old = "the old mark, " if case.earlier and seen["points"] == POINTS else ""
        words.insert(0, f"{old}{total:g} of {TOTAL:g}")
    elif seen["success"]:
        words.append("no mark")
    words += [seen["said"]] if seen["success"] and seen["said"] else []
    words += seen["others"]
    if case.points is None:
        others = [all_seen.get(f"{case.student[:-1]}{number}", seen) for number in (1, 2, 3)]
        return "; ".join(words), all(other["points"] == seen["points"] for other in others)
    given = seen["points"] or dict.fromkeys(POINTS, 0)
    # A run that ends with an error is as good as a refusal, where one is called for.
    ended_well = seen["success"] or (
        seen["success"] is False and case.status not in (Status.GRADED, Status.NO_RESPONSE)
    )
    bad = seen["others"] or (seen["success"] and seen["said"])
    return "; ".join(words), bool(given == case.points and ended_well and not bad)


def readme(seen):
    rows, count = [], Counter()
    for case in CASES:
        words, right = verdict(case, seen)
        count[right] += 1
        expected = f"{sum(case.points.values()):g}" if case.points else "thrice the same"
        if case.status.value != "graded":
            expected += f", {case.status.value.replace('_', ' ')}"
        sign = {True: "✓", False: "✗", None: "–"}[right]
        cells = [case.number, f"`{case.name}`", case.what, expected, sign, words]
        rows.append("| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |")
    software = ", ".join(f"{n} {version(n)}" for n in ("nbgrader", "tensorflow", "ipykernel"))
    return TEXT.format(
        cases=len(CASES),
        ran=count[True] + count[False],
        wrong=count[False],
        not_run=count[None],
        total=f"{TOTAL:g}",
        seconds=SECONDS,
        software=software,
        python=".".join(map(str, sys.version_info[:3])),
        date=date.today().isoformat(),
        rows="\n".join(rows),
    )


TEXT = """\
# Hostile, broken and odd submissions

{cases} submissions of chapter 2, described as data in this folder and made when they are needed.
`tests/test_hostile.py` hands all of them in as one class and asserts the marks, the status and the
flags of each; `tests/test_hostile_elsewhere.py` does so with a part of them as a user without
rights and behind a dask scheduler. What needs no submission is tested where it belongs: messages of
any shape in `tests/test_wire.py`, memory in `tests/test_memory_accounting.py`, helpers that lie in
`tests/test_lies.py`.

The table says what each must get ({total} is full marks) and what stock nbgrader
gave it when `python benchmarks/hostile_on_stock_nbgrader.py` ran it, without a sandbox and for at
most {seconds} seconds ({software}, Python {python}, {date}).
"Aborted" is the error that ended the grading of this one submission; where it ended the class's
run, the next student was not graded. Of the {ran} submissions that were run, {wrong} are marked ✗:
they got other marks than they should have, got none where some were due, or did something outside
their cells. {not_run} were not run there (–), and nothing is claimed of them.

| no. | case | what it does | must get | | stock nbgrader |
| --- | --- | --- | --- | --- | --- |
{rows}
"""

if __name__ == "__main__":
    main()
