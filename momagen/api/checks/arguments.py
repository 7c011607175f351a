"""Arguments of public functions that are no numbers: flags and texts, checked before anything is done with them."""

from __future__ import annotations

from momagen.errors import MomagenError, quoted
from momagen.lazy import is_instance


def flag(value: object, where: str) -> bool:
    """Return ``value``, which is true or false.

    Raises:
        MomagenError: something else.
    """
    if not (isinstance(value, int) or is_instance(value, "numpy.bool_")) or value not in (True, False):
        raise MomagenError("True or False", quoted(value), where)
    return bool(value)


def text(value: object, where: str) -> str:
    """Return ``value``, which is a text.

    Raises:
        MomagenError: something else.
    """
    if not isinstance(value, str):
        raise MomagenError("a string", quoted(value), where)
    return value


def text_or(usual: str, value: object, where: str) -> str:
    """Return ``value``, which is a text, or ``usual`` for None; errors as of :func:`text`."""
    return usual if value is None else text(value, where)
