"""Whether an answer has been written, for the cells of a notebook that run several of them."""

from types import FunctionType

from coursekit.checks.failure import CheckFailure


def require_written(*answers: FunctionType | type) -> None:
    """Stop the cell in one line while one of these functions and classes is still a stub.

    Without it, *Run All* of a notebook that has just been opened would end in the stack of an error
    from the middle of a training run.
    """
    names = [answer.__name__ for answer in answers if _is_stub(answer)]
    if names:
        raise CheckFailure(f"{', '.join(names)}: not written yet; this cell needs your answers")


def _is_stub(answer: FunctionType | type) -> bool:
    parts = vars(answer).values() if isinstance(answer, type) else [answer]
    functions = [part for part in parts if isinstance(part, FunctionType)]
    return any(part.__code__.co_names == ("NotImplementedError",) for part in functions)
