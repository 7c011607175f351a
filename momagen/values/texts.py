"""Checks of arguments that are not numbers: flags and texts."""

from __future__ import annotations

from momagen.errors import MomagenError, quoted
from momagen.lazy import is_instance


def flag(value: object, where: str) -> bool:
    """Return ``value`` if it is true or false.

    Raises:
        MomagenError: It is something else.
    """
    if not (isinstance(value, int) or is_instance(value, "numpy.bool_")) or value not in (True, False):
        raise MomagenError("True or False", quoted(value), where)
    return bool(value)


def text(value: object, where: str) -> str:
    """Return ``value`` if it is a text.

    Raises:
        MomagenError: It is something else.
    """
    if not isinstance(value, str):
        raise MomagenError("a string", quoted(value), where)
    return value


def text_or(usual: str, value: object, where: str) -> str:
    """Return ``value`` if it is a text, or ``usual`` if it is None.

    Raises:
        MomagenError: It is something else.
    """
    return usual if value is None else text(value, where)
