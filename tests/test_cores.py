"""How many cores a process may use, which is not how many the machine has."""

import os
import subprocess
import sys

import pytest

from coursekit.cores import available_cores

PROGRAM = """
import os
from coursekit.cores import available_cores
os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
print(available_cores())
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only on Linux")
def test_a_core_that_the_process_was_not_given_is_not_counted():
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert found.stdout == "1\n", found.stderr


def test_where_the_system_gives_processes_no_cores_all_are_counted(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert available_cores() == os.cpu_count()
