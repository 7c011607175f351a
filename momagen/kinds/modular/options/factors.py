"""The option ``factors``, R×C…: points of the matrices of a transform, whose vector is an array of R × C numbers."""

from __future__ import annotations

import re

from momagen.errors import MomagenError, quoted

MOST = 1024
"""Points of a matrix at most."""
FORM = re.compile(r"[1-9][0-9]{0,3}(x[1-9][0-9]{0,3})*")


def factors_text(factors: object) -> str:
    """Numbers as the option has them: 128x512; a text stays as it is."""
    return "x".join(map(str, factors)) if isinstance(factors, tuple | list) else str(factors)


def factors_of(text: str) -> tuple[int, ...]:
    """The numbers of such a text.

    Raises:
        MomagenError: they are no powers of two from 2 to ``MOST`` with an x between them.
    """
    found = tuple(map(int, text.split("x"))) if FORM.fullmatch(text) else (0,)
    if any(not 2 <= each <= MOST or each & each - 1 for each in found):
        expected = f"powers of two from 2 to {MOST}, separated by x, such as 128x512"
        raise MomagenError(expected, quoted(text), "factors")
    return found
