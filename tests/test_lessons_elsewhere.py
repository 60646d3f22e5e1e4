"""Every lesson on two machines that compute otherwise: what a page asserts holds there, too.

A processor with other instructions, or another number of threads, adds up in another order, and a
network that is trained takes another path. Settings of the libraries make this machine such a one.
"""

import os
import platform
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.course.chapters import ROOT, chapter_stems

ELSEWHERE = {
    "one-thread": {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "TF_NUM_INTRAOP_THREADS": "1",
        "TF_NUM_INTEROP_THREADS": "1",
    },
    "old-processor": {
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "OPENBLAS_CORETYPE": "Nehalem",
        "OPENBLAS_NUM_THREADS": "3",
        "XLA_FLAGS": "--xla_cpu_max_isa=SSE4_2",
    },
}

pytestmark = pytest.mark.nightly


def test_numpy_knows_what_it_is_to_do_without():
    if platform.machine() != "x86_64":
        pytest.skip("the instructions are those of x86-64")
    # With a name that it does not know NumPy warns, and does without none of them.
    command = [sys.executable, "-W", "error::ImportWarning", "-c", "import numpy"]
    subprocess.run(command, env=os.environ | ELSEWHERE["old-processor"], check=True)


@pytest.mark.parametrize("stem", chapter_stems())
@pytest.mark.parametrize("machine", ELSEWHERE)
def test_a_lesson_runs_on_another_machine(machine, stem):
    if machine == "old-processor" and platform.machine() != "x86_64":
        pytest.skip("the instructions that it leaves out are those of x86-64")
    folder = ROOT / "notebooks" / stem
    notebook = nbformat.read(folder / "lesson.ipynb", as_version=4)
    client = NotebookClient(
        notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    client.execute(env=os.environ | ELSEWHERE[machine])
