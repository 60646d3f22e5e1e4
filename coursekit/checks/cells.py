"""The cells that a student has run, as far as a check has to know of them."""

import ast
import re
import sys
from collections.abc import Sequence


def name_in_broken_cell(names: Sequence[str]) -> str | None:
    """Return the name among these whose last definition was a cell with a syntax error.

    Python then knows the definition before it. None where there is no IPython, or no such cell.
    """
    ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = ipython.user_ns.get("In", ()) if ipython else ()
    for name in names:
        last = next((cell for cell in reversed(cells) if defines(cell, [name])), None)
        if last is not None and _is_broken(last):
            return name
    return None


def defines(cell: str, names: Sequence[str]) -> bool:
    """Say whether a cell defines one of these names, even if Python cannot read the cell."""
    any_of_them = "|".join(map(re.escape, names))
    return bool(re.search(rf"^(def|class) ({any_of_them})\b", cell, re.MULTILINE))


def _is_broken(cell: str) -> bool:
    try:
        ast.parse(cell)
    except SyntaxError:
        return True
    return False
