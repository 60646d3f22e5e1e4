"""Imports Keras once for all workers, without its greeting: the process they are forked from does.

That process, which runs nothing, leaves the search for garbage out, which takes a quarter of the
time of this import; what it has imported is never searched in the workers either.
"""

import gc

from autograder.kernels.inside.preload import run_operations_without_graphs
from coursekit.checks import silenced

gc.disable()
with silenced(None):
    import keras  # noqa: F401
run_operations_without_graphs()
gc.freeze()
gc.enable()
