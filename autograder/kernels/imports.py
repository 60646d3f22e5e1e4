"""What a fork server imports for an assignment: what the assignment's own set-up cells import.

They are read in the notebook that the instructor has released, and nothing of it is run. A
submission has no say in it: the process imports these modules before it meets the first one.
"""

import ast
import importlib.util
from functools import cache

import nbformat

from autograder.course.cells import is_answer, is_graded, is_skipped

# What may be imported before a fork: packages that start no thread and run no operation then.
FORKED_SAFELY = {"coursekit", "keras", "matplotlib", "numpy", "pandas", "tensorflow"}


@cache
def modules_of_setup_cells(released: str) -> tuple[str, ...]:
    """Name the modules that the set-up cells of a released notebook, given as text, import.

    Those are the code cells that are neither answers nor graded, except for those that graders
    leave out. Modules of packages that are not known to survive a fork are left out: each kernel
    imports them itself.
    """
    found: set[str] = set()
    for cell in nbformat.reads(released, as_version=4).cells:
        left_out = is_answer(cell) or is_graded(cell) or is_skipped(cell)
        if cell.cell_type == "code" and not left_out:
            found |= _imports(cell.source)
    return tuple(sorted(name for name in found if name.partition(".")[0] in FORKED_SAFELY))


def _imports(source: str) -> set[str]:
    # IPython's magics are not Python; each stands on a line of its own.
    lines = source.splitlines()
    code = "\n".join(line for line in lines if not line.startswith(("%", "!")))
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return set()
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            names = {f"{statement.module}.{alias.name}" for alias in statement.names}
            found |= {statement.module, *(name for name in names if _is_our_module(name))}
    return found


def _is_our_module(name: str) -> bool:
    # To learn it of another package would import that.
    if not name.startswith("coursekit."):
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # a name in a module, such as a function of `coursekit.datasets`
        return False
