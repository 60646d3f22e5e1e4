"""The words for an error whose class a student may have written."""

LONGEST_MESSAGE = 20_000
LONGEST_NAME = 200
NO_MESSAGE = "(no message"


def describe_error(error: BaseException) -> tuple[str, str]:
    """Return the name of an error's class and its message, whatever its author made of them."""
    name = name_of(type(error))
    # `str` runs code of the student's, which may also return a subclass of str.
    try:
        message = str.__getitem__(str(error), slice(LONGEST_MESSAGE))
        message = message.encode("utf-8", "replace").decode()
    except BaseException as another:
        message = f"{NO_MESSAGE}: its __str__ raised {name_of(type(another))})"
    return name[:LONGEST_NAME], message


def name_of(kind: type) -> str:
    """Return the name of a class, which a metaclass could answer with code of its own."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name
