"""JSON that a student may have written: any type may stand anywhere, so code asks for the type."""

from typing import Any


def text_of(value: object) -> str:
    """Return a text, which notebooks also keep as a list of its lines; "" for anything else."""
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def list_of(value: object) -> list[Any]:
    """Return a list, an empty one in the place of anything else."""
    return value if isinstance(value, list) else []


def dict_of(value: object) -> dict[str, Any]:
    """Return a dict, an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}
