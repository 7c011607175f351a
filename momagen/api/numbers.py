"""Numbers as users write them: integers of any library, or expressions."""

from __future__ import annotations

import math
import operator

import numpy as np

from momagen.errors import MomagenError
from momagen.params import parse_integer


def integer(value: object, where: str) -> int:
    """``value``, an integer of any library or an expression.

    Raises:
        MomagenError: something else.
    """
    if isinstance(value, str):
        return _parsed(value, where)
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise MomagenError("an integer or an expression such as '2^255-19'", repr(value), where) from None


def count(value: object, where: str, least: int = 0) -> int:
    """``value``, an integer of at least ``least``.

    Raises:
        MomagenError: something else.
    """
    found = integer(value, where)
    if found < least:
        raise MomagenError(f"at least {least}", value, where)
    return found


def duration(value: object, where: str = "seconds") -> float:
    """``value``, a positive number of seconds.

    Raises:
        MomagenError: something else.
    """
    if not isinstance(value, int | float | np.integer | np.floating) or not 0 < value < math.inf:
        raise MomagenError("a positive number of seconds", repr(value), where)
    return float(value)


def _parsed(text: str, where: str) -> int:
    try:
        return parse_integer(text)
    except MomagenError as error:
        raise error.at(f"{where} {error.where}") from None
