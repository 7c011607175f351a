"""Sums of products of digits as engines give them: Σ s_i·2^(size·i) of signed s_i, in words modulo 2^held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from momagen.ir import Builder, Value, const
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded

from .digits import SignedDigits


class SumRange(NamedTuple):
    """What sums of so many products of digits are within, ±``most``, and the bits that hold one, with its sign."""

    most: int
    held: int


def range_of(terms: int, inner: SignedDigits, held: int) -> SumRange:
    """That of rows of so many numbers."""
    return SumRange(terms * inner.count << 2 * (inner.size - 1), held)


def gain(terms: int, digits: SignedDigits) -> int:
    """g, where sums of so many products of numbers within ±q/2 and digits are within ±2^g·q."""
    return (terms * digits.count << digits.size - 1).bit_length() - 1


@dataclass(frozen=True)
class DigitSums:
    """The sums for one element of a product with a matrix.

    Attributes:
        arith: residues. inner, outer: digits of what is multiplied, and of the matrix. terms: elements of a row.
        held: bits of a sum, a multiple of the word. sparse: whether the matrix holds the digits of an element at every
            distance (CROSS, Figure 7), not those of its multiples by 2^(size·k) modulo q.
    """

    arith: Arith
    inner: SignedDigits
    outer: SignedDigits
    terms: int
    held: int
    sparse: bool = False

    @property
    def count(self) -> int:
        """How many there are."""
        return self.outer.count + (self.inner.count - 1) * self.sparse

    @property
    def names(self) -> list[str]:
        """What inputs of blocks are called."""
        return [f"s{at}" for at in range(self.count)]

    def gain(self, more: int = 0) -> int:
        """g: what they stand for is within ±2^g·q, also with v·n for v ≤ more and n < q.

        Of a sparse matrix elements are within ±q/2, and what is multiplied is below 2^(size·count - 1) in magnitude.
        """
        if self.sparse:
            return (self.terms + more << self.inner.size * self.inner.count - 1).bit_length() - 1
        return gain(self.terms + more, self.inner)

    @property
    def radix(self) -> int:
        """Bits of R for Montgomery's reduction: those of a residue's words, more where rows are not folded."""
        word = self.arith.word
        return max(self.arith.held, -(-(self.gain() + 2) // word) * word) if self.sparse else self.arith.held

    @property
    def width(self) -> int:
        """Of the number that they stand for, as words double."""
        word = self.arith.word
        longest = self.held + self.outer.size * (self.count - 1) + 1
        return max(word << (-(-longest // word) - 1).bit_length(), self.arith.width)

    def lifted(self, b: Builder, q: Value, more: int = 0) -> Value:
        """What they stand for, and v·n where ``more`` is the largest v, plus 2^g·q: from 0 to 2^(g + 1)·q."""
        top, g, width = (1 << self.held) - 1, self.gain(more), self.width
        sums = [b.input(name, 0, top) for name in self.names]
        total, shift = added(b, sums, self.outer.size, width, range_of(self.terms, self.inner, self.held))
        lifted = b.one("sublo", width, b.one("shl", width, q, k=g), const(shift))
        if more:
            v, n = b.input("v", 0, more), b.input("n", 0, self.arith.top - 1)
            total = b.one("addlo", width, total, b.one("mullo", width, v, n))
        return bounded(b.one("addlo", width, total, lifted), 0, self.arith.top << g + 1, "sums_of_digits")


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
