"""The option ``threads``: how many threads a plan begins with, where one call may be done by several."""

from __future__ import annotations

from momagen.errors import MomagenError, quoted

MOST = 1024
"""Threads of one call at most."""


def threads_of(text: str) -> int:
    """The number of such a text.

    Raises:
        MomagenError: it is none from 1 to ``MOST``.
    """
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < len(str(MOST)) + 1 else 0
    if not 1 <= number <= MOST:
        raise MomagenError(f"a number from 1 to {MOST}", quoted(text), "threads")
    return number
