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
"""More than what rounded quotients of a second column add to what they leave."""


class DoubleSums(SumFormat):
    """Moduli of at most 50 bits in doubles, on machines with fused multiply-adds.

    The first column begins at 1.5·2^(52 + unit), so that every sum is rounded to a multiple of 2^unit. A second
    multiply-add computes exactly what was rounded away, and the second column adds that up. Constants c lie within
    ±p/2. All doubles are passed as the words of their bits.
    """

    kind = "one_double"

    @property
    def most(self) -> int:
        return self._holds(self.unit, (1 << self.bits - 1) + (1 << self.bits - 8))

    @property
    def most_at_first(self) -> int:
        return self._holds(self.unit)

    @property
    def unit(self) -> int:
        """The number of bits of products below the first column."""
        return max(range(2 * self.bits), key=self._holds)

    def _holds(self, unit: int, start: int = 0) -> int:
        """Return the number of products that both columns hold: above the unit within 2^51, below it within 2^53.

        Beside ``start`` the second column has room for a residue within ±p/2.
        """
        above = (1 << MANTISSA - 2 + unit) // ((1 << 2 * self.bits - 1) + (1 << unit))
        room = (1 << MANTISSA) - (1 << self.bits - 1) - start - ROUNDING
        return min(above, room >> max(unit - 1, 0), (1 << MANTISSA - self.bits) - 1)

    @property
    def steps(self) -> Sequence[int]:
        return [0, 0]

    @property
    def starts(self) -> Sequence[int]:
        return [WORD, WORD]

    @property
    def constant_tops(self) -> Sequence[int]:
        return [WORD]

    @property
    def first(self) -> Sequence[Value]:
        return [const(double_bits(float(BIAS << self.unit))), const(0)]

    def begun(self, b: Builder, start: Value) -> list[Value]:
        return [*self.first[:1], start]

    def share(self, b: Builder, x: Value, known: Constants) -> Value:
        x = b.one("real", self.word, x)
        t = self._product(b, x, known["a"], known["u"], known["q"])
        return b.one("select_top", self.word, t, b.one("radd", self.word, t, known["q"]), t)

    def product(self, b: Builder, x: Value, known: Constants) -> Value:
        return b.one("unreal", self.word, self.share(b, x, known))

    def cut(self, b: Builder, y: Value) -> list[Value]:
        return [y]

    def convert(self, b: Builder, y: Value) -> list[Value]:
        return [b.one("real", self.word, y)]

    def add(self, b: Builder, sums: Sequence[Value], y: Value, c: Sequence[Value]) -> list[Value]:
        (high, low), w = sums, self.word
        total = b.one("rfma", w, y, c[0], high)
        rest = b.one("rfms", w, y, c[0], b.one("rsub", w, total, high))
        return [total, b.one("radd", w, low, rest)]

    def fold(self, b: Builder, sums: Sequence[Value], known: Constants) -> list[Value]:
        """Return a sum within ±p/2, up to a rounding error of its quotient.

        An even quotient leaves less than 2p of the first column. What is left and the second column need 54 bits
        together, so that their sum, which may be rounded, gives a second quotient alone.
        """
        (high, low), w = sums, self.word
        above = b.one("rsub", w, high, self.first[0])
        left = b.one("rfnma", w, self._rounded(b, above, known["i"], 1), known["d"], above)
        quotient = self._rounded(b, b.one("radd", w, left, low), known["i"])
        return [self.first[0], b.one("radd", w, b.one("rfnma", w, quotient, known["d"], left), low)]

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        return self.finish(b, self.fold(b, sums, known), known)

    def finish(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        z = b.one("unreal", self.word, sums[1])
        return b.one("correct_up", self.word, z, known["p"], k=0)

    def centred(self, b: Builder, x: Value, known: Constants) -> Value:
        """Return x - m·p for the double x < 4p and the m that brings it within ±p/2, up to a rounding error below 1."""
        return b.one("rfnma", self.word, self._rounded(b, x, known["i"]), known["d"], x)

    def _rounded(self, b: Builder, x: Value, inverse: Value, twos: int = 0) -> Value:
        """Return the multiple of 2^twos that is nearest to x times ``inverse``, within 2^(51 + twos)."""
        middle = const(double_bits(float(BIAS << twos)))
        return b.one("rsub", self.word, b.one("rfma", self.word, x, inverse, middle), middle)

    def _product(self, b: Builder, x: Value, v: Value, u: Value, q: Value) -> Value:
        """x·v modulo q, where u is v/q: within ±3q/4 for x up to 2^51, and ±7q/8 up to 3·2^50."""
        w, quotient = self.word, self._rounded(b, x, u)
        high = b.one("rmul", w, x, v)
        low = b.one("rfms", w, x, v, high)
        return b.one("radd", w, b.one("rfnma", w, quotient, q, high), low)


def double_bits(number: float) -> int:
    """The bits of a double."""
    (found,) = struct.unpack("<Q", struct.pack("<d", number))
    return int(found)
