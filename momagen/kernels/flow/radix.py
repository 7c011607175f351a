"""The radix of a transform's passes, and the ranges that their codelets are made for."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.formula.transforms import RADICES
from momagen.kernels.residues.arith import Arith

SHORT = 2
"""Words of a residue up to which radix-4 codelets on vectors fit the instruction cache."""


def default_radix(arith: Arith, lanes: int, registers: int) -> int:
    """4 where the registers hold so many residues, of vectors short ones, else 2."""
    return 4 if 4 * arith.words <= registers and (lanes == 1 or arith.words <= SHORT) else 2


def most_radix(arith: Arith, n: int, lanes: int, registers: int, radix: int = 0, columns: int = 1) -> int:
    """The radix asked for, or the default, as far as n, columns and lanes allow; MomagenError where it is none."""
    if radix and radix not in RADICES:
        raise MomagenError("a radix of 2, 4, 8 or 16", radix, "radix")
    return min(radix or default_radix(arith, lanes, registers), n // max(1, lanes // columns))


WIDE = 12
"""Words from which one codelet serves all ranges: it is long, and a conditional subtraction costs little beside it."""


def range_class(arith: Arith, m: int, radix: int, inverse_: bool) -> int:
    """The range that a codelet is made for when its inputs are below m·q: few classes, so that stages share code.

    Either none of its log2 radix levels needs a conditional subtraction (``easy``), or any range the words hold.
    """
    levels = radix.bit_length() - 1
    if arith.kind in ("tight", "montgomery"):
        return m
    most = arith.room if inverse_ else max(m, arith.reach)
    easy = most >> levels if inverse_ else most - 2 * arith.k * levels
    return easy if m <= easy and arith.words < WIDE else most
