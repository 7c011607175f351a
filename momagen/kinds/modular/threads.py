"""The option ``threads``: how many threads a plan begins with, where one call may be done by several."""

from __future__ import annotations

from momagen.errors import MomagenError, build_error, quoted
from momagen.languages import COMPILED
from momagen.targets import Target

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


def check_threads(threads: int, target: Target, sized: bool, sums: bool) -> None:
    """Refuse threads where a language has none of its own, create is told the size, or the result is one number.

    Raises:
        MomagenError: so it is.
    """
    if threads and target.syntax != COMPILED:
        raise build_error(f"`threads` is available only on targets in C, not on {target}", "threads", "omit `threads`")
    if threads and sums:
        raise build_error("`threads` does not apply to inner products", "threads", "omit `threads`")
    if threads and sized:
        raise build_error('`threads` cannot be combined with `n="any"`', "threads", "use a number of points")
