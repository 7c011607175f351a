"""The option ``threads``: the number of threads of a new plan, for kernels whose calls threads can share."""

from __future__ import annotations

from momagen.errors import MomagenError, quoted

MOST = 1024
"""The largest number of threads of one call."""


def threads_of(text: str) -> int:
    """Return the number of threads that a text states.

    Raises:
        MomagenError: The text is not a number from 1 to ``MOST``.
    """
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < len(str(MOST)) + 1 else 0
    if not 1 <= number <= MOST:
        raise MomagenError(f"a number from 1 to {MOST}", quoted(text), "threads")
    return number
