"""Sums of products of digits, as engines compute them: Σ s_i·2^(size·i) for signed s_i, in words modulo 2^held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from momagen.ir import Builder, Value, const
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded

from .digits import SignedDigits


class SumRange(NamedTuple):
    """The range of sums of products of digits.

    Attributes:
        most: The sums are within ±most.
        held: The number of bits of a sum with its sign.
    """

    most: int
    held: int


def range_of(terms: int, inner: SignedDigits, held: int) -> SumRange:
    """Return the range of the sums of rows with ``terms`` numbers."""
    return SumRange(terms * inner.count << 2 * (inner.size - 1), held)


def gain(terms: int, digits: SignedDigits) -> int:
    """Return g such that sums of ``terms`` products of numbers within ±q/2 and digits are within ±2^g·q."""
    return (terms * digits.count << digits.size - 1).bit_length() - 1


@dataclass(frozen=True)
class DigitSums:
    """The sums for one element of a product with a matrix.

    Attributes:
        arith: The representation of residues.
        inner: The digits of the numbers that the matrix multiplies.
        outer: The digits of the elements of the matrix.
        terms: The number of elements of a row.
        held: The number of bits of a sum, a multiple of the word.
        sparse: Whether the matrix contains the digits of an element at every distance (CROSS, Figure 7),
            instead of the digits of its multiples by 2^(size·k) modulo q.
    """

    arith: Arith
    inner: SignedDigits
    outer: SignedDigits
    terms: int
    held: int
    sparse: bool = False

    @property
    def count(self) -> int:
        """The number of sums."""
        return self.outer.count + (self.inner.count - 1) * self.sparse

    @property
    def names(self) -> list[str]:
        """The names of the sums among the inputs of codelets."""
        return [f"s{at}" for at in range(self.count)]

    def gain(self, more: int = 0) -> int:
        """Return g such that the number which the sums represent is within ±2^g·q.

        This includes an additional product v·n for v ≤ ``more`` and n < q. The elements of a sparse matrix
        are within ±q/2, and the magnitude of the numbers that it multiplies is below 2^(size·count - 1).
        """
        if self.sparse:
            return (self.terms + more << self.inner.size * self.inner.count - 1).bit_length() - 1
        return gain(self.terms + more, self.inner)

    @property
    def radix(self) -> int:
        """The number of bits of R for Montgomery's reduction.

        It is the number of a residue's words, or more if the matrix is sparse.
        """
        word = self.arith.word
        return max(self.arith.held, -(-(self.gain() + 2) // word) * word) if self.sparse else self.arith.held

    @property
    def width(self) -> int:
        """The width of operations on the number that the sums represent."""
        word = self.arith.word
        longest = self.held + self.outer.size * (self.count - 1) + 1
        return max(word << (-(-longest // word) - 1).bit_length(), self.arith.width)

    def lifted(self, b: Builder, q: Value, more: int = 0) -> Value:
        """Return the number that the sums represent plus 2^g·q, which is from 0 to 2^(g + 1)·q.

        If ``more`` is not 0, it includes the product v·n of two inputs, where ``more`` is the largest v.
        """
        top, g, width = (1 << self.held) - 1, self.gain(more), self.width
        sums = [b.input(name, 0, top) for name in self.names]
        total, shift = added(b, sums, self.outer.size, width, range_of(self.terms, self.inner, self.held))
        lifted = b.one("sublo", width, b.one("shl", width, q, k=g), const(shift))
        if more:
            v, n = b.input("v", 0, more), b.input("n", 0, self.arith.top - 1)
            total = b.one("addlo", width, total, b.one("mullo", width, v, n))
        return bounded(b.one("addlo", width, total, lifted), 0, self.arith.top << g + 1, "sums_of_digits")


def added(b: Builder, sums: Sequence[Value], size: int, width: int, of: SumRange) -> tuple[Value, int]:
    """Return T and t such that T is not negative and T - t is the sum of ``sums`` with weights 2^(size·i).

    Neighbouring sums are added directly while their sum stays within ±2^(held - 1). 2^(held - 1) is added to
    each of the resulting parts.
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
