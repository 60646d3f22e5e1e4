"""Imports Keras once for all workers, without its greeting: the process they are forked from does.

That process, which runs nothing, leaves the search for garbage out, which takes a quarter of the
time of this import; what it has imported is never searched in the workers either. Nor does Keras
find there what it only wraps or draws with, a quarter again: no reference and no check needs it.
"""

import gc
import sys

from autograder.kernels.inside.preload import run_operations_without_graphs
from coursekit.checks import silenced

gc.disable()
not_found = {"matplotlib", "sklearn"} - sys.modules.keys()
sys.modules.update(dict.fromkeys(not_found))  # type: ignore[arg-type]
with silenced(None):
    import keras  # noqa: F401
for name in not_found:
    del sys.modules[name]
run_operations_without_graphs()
gc.freeze()
gc.enable()
