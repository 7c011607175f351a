"""Residues from natural to bit-reversed order, by squares of them."""

from __future__ import annotations

RUN = 32
"""Words that are read and written in one go: a few lines of the cache."""


def squares(log_n: int, words: int) -> dict[str, int]:
    """What the template asks for 2^log_n residues of ``words`` words: 2^(2 log_side) make a square, a run its side."""
    log_side = min(log_n // 2, max(1, RUN // words).bit_length() - 1)
    log_squares = log_n - 2 * log_side
    return {"side": 1 << log_side, "log_side": log_side, "squares": 1 << log_squares, "log_squares": log_squares}
