"""Residues from natural to bit-reversed order, in square tiles."""

from __future__ import annotations

from momagen.lower.names import X, Y
from momagen.lower.writer import ProgramWriter
from momagen.program import Function

LINES = 4
"""Of the first cache, that are read and written in one go."""


def write_reorder(writer: ProgramWriter, name: str, log_n: int) -> None:
    """The function ``name``(y, x) on 2^log_n residues: y[reversed(i)] = x[i]."""
    count, target = writer.arith.words, writer.target
    run = LINES * target.first.line * 8 // target.word
    log_side = min(log_n // 2, max(1, run // count).bit_length() - 1)
    side, log_squares = 1 << log_side, log_n - 2 * log_side
    doc = f"y[reversed(i)] = x[i], by squares of {side} × {side} residues: whole runs are read, and whole runs written."
    f = Function(name, (Y, X), doc)
    square, run = f.array("square", side * side * count), side * count
    with f.each("m", 1 << log_squares) as m:
        r = f.let("r", writer.call("reversed", m, log_squares))
        with f.each("i", side) as i:
            row = f.let("row", X + ((i << log_squares) + m) * run)
            column = f.let("column", square + writer.call("reversed", i, log_side) * count)
            with f.each("j", side) as j:
                f.copy(column + j * run, row + j * count, count)
        with f.each("j", side) as j:
            to = Y + ((writer.call("reversed", j, log_side) << log_squares) + r) * run
            f.copy(to, square + j * run, run)
    writer.put(f)
