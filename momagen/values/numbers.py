"""Numbers as users write them: integers of any library, or expressions."""

from __future__ import annotations

import operator
from typing import Any

from momagen.errors import MomagenError, quoted
from momagen.lazy import is_instance
from momagen.params import parse_integer


def integer(value: object, where: str) -> int:
    """Return ``value``, an integer of any library or an expression such as "2^255-19", as a Python integer.

    Raises:
        MomagenError: ``value`` is neither, or has too many bits.
    """
    if isinstance(value, str):
        return _parsed(value, where)
    if is_instance(value, "numpy.ma.MaskedArray"):
        raise MomagenError("an integer", "a masked array", where)
    try:
        found = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise MomagenError("an integer or an expression such as '2^255-19'", quoted(value), where) from None
    if found.bit_length() > MAX_INTEGER_BITS:
        raise MomagenError(f"an integer of at most {MAX_INTEGER_BITS} bits", f"{found.bit_length()} bits", where)
    return found


MAX_INTEGER_BITS = 8192
"""The largest width of any argument in bits: Python prints no integers of more than 4300 digits."""
MOST_COUNT = 10**9
"""The largest number of things that are done or built one by one, if no other limit applies."""
LONGEST = 1e9
"""The largest duration in seconds, about thirty years."""


def count(value: object, where: str, least: int = 0, most: int | None = None) -> int:
    """Return ``value``, an integer from ``least`` to ``most``; None means that there is no upper limit.

    Raises:
        MomagenError: ``value`` is not an integer, or is out of range.
    """
    found = integer(value, where)
    if found < least or (most is not None and found > most):
        raise MomagenError(f"at least {least}" if most is None else f"from {least} to {most}", value, where)
    return found


def duration(value: object, where: str = "seconds") -> float:
    """Return ``value``, a positive number of seconds.

    Raises:
        MomagenError: ``value`` is not a positive number, or is too large.
    """
    known = isinstance(value, int | float) or is_instance(value, "numpy.integer", "numpy.floating")
    found: Any = value
    if not known or not 0 < found <= LONGEST:
        raise MomagenError("a positive number of seconds", quoted(value), where)
    return float(found)


def _parsed(text: str, where: str) -> int:
    """Return the value of an expression.

    Raises:
        MomagenError: The expression is invalid.
    """
    try:
        return parse_integer(text)
    except MomagenError as error:
        raise error.at(f"{where} {error.where}") from None
