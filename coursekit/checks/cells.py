"""The cells that a student has run, as far as a check has to know of them."""

import ast
import re
import sys
import warnings
from collections.abc import Sequence


def name_in_broken_cell(names: Sequence[str]) -> str | None:
    """Return the name among these whose last definition was a cell with a syntax error.

    Python then knows the definition before it. None where there is no IPython, or no such cell.
    """
    ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    # Not the notebook's `In`, which may have become somebody's identity matrix.
    cells = ipython.history_manager.input_hist_parsed if ipython else ()
    for name in names:
        last = next((cell for cell in reversed(cells) if _may_define(cell, name)), None)
        if last is not None and _is_broken(last):
            return name
    return None


def defines(cell: str, names: Sequence[str]) -> bool:
    """Say whether a cell defines one of these names, even if Python cannot read the cell."""
    any_of_them = "|".join(map(re.escape, names))
    return bool(re.search(rf"^(def|class) ({any_of_them})\b", cell, re.MULTILINE))


def _may_define(cell: str, name: str) -> bool:
    """Say whether a cell may define a name in any way: indented, below a magic, or with ``=``."""
    # What stands below a magic is a string by now, with \n as two characters.
    begin = r"(^|[\"']|\\n)[ \t]*"
    statement, assignment = rf"(async +)?(def|class) +{name}\b", rf"{name}\b[^=\n(]*=(?!=)"
    return bool(re.search(rf"{begin}({statement}|{assignment})", cell, re.MULTILINE))


def _is_broken(cell: str) -> bool:
    try:
        # An unknown escape, such as in the formula of a docstring, is a warning, which may have
        # been made an error.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(cell)
    except SyntaxError:
        return True
    except (ValueError, RecursionError, MemoryError):  # it is only hard to read
        return False
    return False
