"""The checks of the exercises, one module a chapter, and what they are written with.

A check is a function decorated with `check` and named as its exercise. Its parameters are the
functions and classes of the exercise; it lists calls of them, and what they should give is
computed from the reference solution and the bank of mistakes::

    @check
    def rmse(rmse):
        example(rmse, np.array([1.0, 2.0]), np.array([1.0, 4.0]))
"""

from coursekit.checks.comparison import differs
from coursekit.checks.examples import check, example, failed_call, silenced
from coursekit.checks.failure import CheckFailure
from coursekit.checks.plain_data import ByImportPath, TextFile
from coursekit.checks.stand_in import remote_helper, type_name
from coursekit.checks.trial import INPUT_CHANGED, attempt
from coursekit.checks.wording import NOT_WRITTEN
from coursekit.checks.written import require_written

# "zh" makes the checks speak Chinese: `coursekit.checks.language = "zh"`.
language = "en"

__all__ = [
    "INPUT_CHANGED",
    "NOT_WRITTEN",
    "ByImportPath",
    "CheckFailure",
    "TextFile",
    "attempt",
    "check",
    "differs",
    "example",
    "failed_call",
    "language",
    "remote_helper",
    "require_written",
    "silenced",
    "type_name",
]
