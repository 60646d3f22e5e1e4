"""What is imported before the fork, so that no kernel has to import it."""

import gc
import importlib
import sys
from collections.abc import Mapping, Sequence


def preload(modules: Sequence[str], used_first: Mapping[str, Sequence[str]]) -> None:
    """Import ``modules`` and whatever their first use would import, and run no operation.

    ``used_first`` maps modules to those that their first use imports.
    """
    gc.disable()  # nothing becomes garbage, and looking for it takes half of the time
    for name in modules:
        importlib.import_module(name)
    # Without debugpy a kernel does not set up its debugger, to which nobody could attach.
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    importlib.import_module("ipykernel.debugger")
    del sys.modules["debugpy"]
    importlib.import_module(".kernel_app", __package__)
    for name, others in used_first.items():
        for other in others if name in sys.modules else ():
            importlib.import_module(other)
    if "tensorflow" in sys.modules:
        run_operations_without_graphs()
    gc.freeze()
    gc.enable()


def run_operations_without_graphs() -> None:
    """Have TensorFlow run a single operation by its kernel, not as a function around it.

    Such a function is optimized as a graph when the operation is first used, a third of what a
    small model takes in a new process. It is an option of TensorFlow, which always asks for it.
    """
    name = "TFE_ContextOptionsSetRunEagerOpAsFunction"
    functions = vars(importlib.import_module("tensorflow.python.pywrap_tfe"))
    if set_option := functions.get(name):  # without the option everything is only slower
        functions[name] = lambda options, _: set_option(options, False)
