"""The format of sums in doubles."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from momagen.ir import Builder, Value, const
from momagen.ir.real import BIAS, MANTISSA

from .format import WORD, Constants, SumFormat

LONGEST = 50
"""The largest number of bits of a modulus: products by constants are exact in pairs of doubles."""
ROUNDING = 1 << 8
"""A bound on the error of a remainder that comes from rounding its quotient."""


class DoubleSums(SumFormat):
    """Moduli of at most 50 bits in doubles, on machines with fused multiply-adds.

    The first column begins at 1.5·2^(52 + unit), so that every sum is rounded to a multiple of 2^unit. A second
    multiply-add computes exactly what was rounded away, and the second column adds that up. Constants c lie within
    ±p/2. All doubles are passed as the words of their bits.
    """

    kind = "one_double"

    @property
    def most(self) -> int:
        """The number of factors whose products one sum holds."""
        return self._holds(self.unit, (1 << self.bits - 1) + (1 << self.bits - 8))

    @property
    def most_at_first(self) -> int:
        """The number of factors whose products the first sum holds, which begins with zero."""
        return self._holds(self.unit)

    @property
    def unit(self) -> int:
        """The number of bits of products below the first column."""
        return max(range(2 * self.bits), key=self._holds)

    def _holds(self, unit: int, start: int = 0) -> int:
        """Return the number of products that both columns hold: above the unit within 2^51, below it within 2^53.

        In addition to ``start`` the second column has headroom for a residue within ±p/2.
        """
        above = (1 << MANTISSA - 2 + unit) // ((1 << 2 * self.bits - 1) + (1 << unit))
        room = (1 << MANTISSA) - (1 << self.bits - 1) - start - ROUNDING
        return min(above, room >> max(unit - 1, 0), (1 << MANTISSA - self.bits) - 1)

    @property
    def steps(self) -> Sequence[int]:
        """The growth of each column by one factor, which is not tracked for doubles."""
        return [0, 0]

    @property
    def starts(self) -> Sequence[int]:
        """The largest word of each column."""
        return [WORD, WORD]

    @property
    def constant_tops(self) -> Sequence[int]:
        """The largest word of a constant."""
        return [WORD]

    @property
    def first(self) -> Sequence[Value]:
        """The columns of an empty sum."""
        return [const(double_bits(float(BIAS << self.unit))), const(0)]

    def begun(self, b: Builder, start: Value) -> list[Value]:
        """Return the columns of a sum that begins with a residue, as a plan stores it."""
        return [*self.first[:1], start]

    def share(self, b: Builder, x: Value, known: Constants) -> Value:
        """Return x·a modulo q for x below 3·2^50, where u is a/q.

        The constant a is within ±q/2, so that the quotient x·u is within ±2^51. Its error is at most 11/16: 1/2 from
        rounding it, and 3/16 from the error of u, which is below 2^-54. The remainder is therefore within ±q.
        """
        w, x, q = self.word, b.one("real", self.word, x), known["q"]
        quotient, high = self._rounded(b, x, known["u"]), b.one("rmul", w, x, known["a"])
        low = b.one("rfms", w, x, known["a"], high)
        t = b.one("radd", w, b.one("rfnma", w, quotient, q, high), low)
        return b.one("select_top", w, t, b.one("radd", w, t, q), t)

    def multiply(self, b: Builder, x: Value, known: Constants) -> Value:
        """Return x·a modulo q in words, for x below 3·2^bits."""
        return b.one("unreal", self.word, self.share(b, x, known))

    def cut(self, b: Builder, y: Value) -> list[Value]:
        """Return the factor y as its only part."""
        return [y]

    def convert(self, b: Builder, y: Value) -> list[Value]:
        """Return a residue y in words as a double."""
        return [b.one("real", self.word, y)]

    def add(self, b: Builder, sums: Sequence[Value], y: Value, c: Sequence[Value]) -> list[Value]:
        """Return the columns of a sum plus y·c."""
        (high, low), w = sums, self.word
        total = b.one("rfma", w, y, c[0], high)
        rest = b.one("rfms", w, y, c[0], b.one("rsub", w, total, high))
        return [total, b.one("radd", w, low, rest)]

    def fold(self, b: Builder, sums: Sequence[Value], known: Constants) -> list[Value]:
        """Return the columns of a sum that is congruent to this one and within ±p/2, up to a rounding error.

        Subtracting an even multiple of p leaves less than 2p of the first column. The exact sum of this remainder and
        the second column needs 54 bits. Its rounded value only determines the second multiple of p, which is subtracted
        from the remainder before the second column is added.
        """
        (high, low), w = sums, self.word
        above = b.one("rsub", w, high, self.first[0])
        left = b.one("rfnma", w, self._rounded(b, above, known["i"], 1), known["d"], above)
        quotient = self._rounded(b, b.one("radd", w, left, low), known["i"])
        return [self.first[0], b.one("radd", w, b.one("rfnma", w, quotient, known["d"], left), low)]

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo p, in words."""
        return self.finish(b, self.fold(b, sums, known), known)

    def finish(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return the residue, in words, of a sum that was folded."""
        z = b.one("unreal", self.word, sums[1])
        return b.one("correct_up", self.word, z, known["p"], k=0)

    def centred(self, b: Builder, x: Value, known: Constants) -> Value:
        """Return x - m·p for the double x < 4p and the m that brings it within ±p/2, up to a rounding error below 1."""
        return b.one("rfnma", self.word, self._rounded(b, x, known["i"]), known["d"], x)

    def _rounded(self, b: Builder, x: Value, inverse: Value, twos: int = 0) -> Value:
        """Return the multiple of 2^twos that is nearest to x times ``inverse``, which is within ±2^(51 + twos)."""
        middle = const(double_bits(float(BIAS << twos)))
        return b.one("rsub", self.word, b.one("rfma", self.word, x, inverse, middle), middle)


def double_bits(number: float) -> int:
    """Return the bits of a double."""
    (found,) = struct.unpack("<Q", struct.pack("<d", number))
    return int(found)
