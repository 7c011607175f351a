"""Σ s_i·2^(digit·i) of signed sums s_i that come as words modulo 2^held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from momagen.ir import Builder, Value, const

from .digits import SignedDigits


class SumRange(NamedTuple):
    """What sums of so many products of digits are within, ±``most``, and the bits that hold one, with its sign."""

    most: int
    held: int


def range_of(terms: int, inner: SignedDigits, held: int) -> SumRange:
    """That of rows of so many numbers."""
    return SumRange(terms * inner.count << 2 * (inner.size - 1), held)


def added(b: Builder, sums: Sequence[Value], size: int, width: int, of: SumRange) -> tuple[Value, int]:
    """T and t, where T - t is their sum with weights 2^(size·i), and T is not negative.

    Neighbours whose sum stays within ±2^(held - 1) are added as they are; each such part is lifted by 2^(held - 1).
    """
    half, found = 1 << of.held - 1, list[tuple[int, Value]]()
    bound = 0
    for at, s in enumerate(sums):
        start = found[-1][0] if found else 0
        more = of.most << size * (at - start)
        if found and bound + more < half:
            bound += more
            shifted = b.one("shl", of.held, s, k=size * (at - start))
            found[-1] = start, b.one("addlo", of.held, found[-1][1], shifted)
        else:
            bound = of.most
            found.append((at, s))
    total, shift = const(0), 0
    for at, part in found:
        lifted = b.one("low", width, b.one("addlo", of.held, part, const(half)), k=of.held)
        total = b.one("addlo", width, total, b.one("shl", width, lifted, k=size * at) if at else lifted)
        shift += half << size * at
    return total, shift
