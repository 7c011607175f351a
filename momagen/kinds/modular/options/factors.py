"""The option ``factors``, R×C…: the sizes of the matrices of a transform, whose vector is an array of R × C numbers."""

from __future__ import annotations

import re

from momagen.errors import MomagenError, quoted

MOST = 1024
"""The largest number of points of a matrix."""
FORM = re.compile(r"[1-9][0-9]{0,3}(x[1-9][0-9]{0,3})*")


def factors_text(factors: object) -> str:
    """Return factors in the notation of the option, such as 128x512; a text is returned unchanged."""
    return "x".join(map(str, factors)) if isinstance(factors, tuple | list) else str(factors)


def factors_of(text: str) -> tuple[int, ...]:
    """Return the factors of a text such as "128x512".

    Raises:
        MomagenError: The text does not consist of powers of two from 2 to ``MOST``, separated by x.
    """
    found = tuple(map(int, text.split("x"))) if FORM.fullmatch(text) else (0,)
    if any(not 2 <= each <= MOST or each & each - 1 for each in found):
        expected = f"powers of two from 2 to {MOST}, separated by x, such as 128x512"
        raise MomagenError(expected, quoted(text), "factors")
    return found
