"""Remainders by estimated quotients of whole digits, with which products of residues on digits are reduced.

All is done on numbers 2^s times too large, modulo 2^s·q. A quotient e that is too small by less than 2^s in units of
2^-s, its last s bits cleared, is a whole quotient, one too small at most: so what falls below the digits of e, in μ, in
h and in the columns that the product h·μ leaves out, costs no more than those s bits, and no digit of a guard.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from momagen.ir import Builder, Value
from momagen.kernels.residues.theorems import bounded

from .arith import Arith


def lost(h: int, v: int, columns: int) -> int:
    """By how much a product of h by v digits is too small at most where all below ``columns`` is left out: low halves
    of the column below, high halves of the next, and all the rest together."""
    pairs = [i + j for i in range(h) for j in range(v)]
    return pairs.count(columns - 1) + pairs.count(columns - 2) + (columns > 1)


@dataclass
class ProductBuilder:
    """Builds one codelet. ``taken``: vectors are below taken·q."""

    arith: Arith
    word: int
    taken: int
    b: Builder = field(default_factory=Builder)
    operands: dict[str, tuple[str, int]] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)

    @property
    def bits(self) -> int:
        """Bits of an operand."""
        return (self.taken * self.arith.top - 1).bit_length()

    def digits(self, bits: int) -> int:
        return -(-bits // self.word)

    def operand(self, name: str, vector: str, shift: int) -> Value:
        self.operands[name] = vector, shift
        return self.b.input(name, 0, (self.taken * self.arith.top - 1) << shift)

    def constant(self, name: str, most: int) -> Value:
        self.constants[name] = self.digits(most.bit_length())
        return self.b.input(name, 0, most)

    def whole(self, x: Value, y: Value) -> Value:
        """x·y."""
        count = self.digits((x.hi * y.hi).bit_length())
        return self.b.one("mullo", self.width(count), x, y)

    def width(self, count: int) -> int:
        """Of operations on ``count`` digits."""
        return self.word << (count - 1).bit_length()

    def high(self, h: Value, v: Value, columns: int) -> Value:
        """⌊h·v / 2^(columns·word)⌋, too small by what is lost."""
        of_h, of_v = (self.digits(x.hi.bit_length()) for x in (h, v))
        width = self.width(max(of_h, of_v, of_h + of_v - columns))
        count = width // self.word
        by_v = min(count - columns, count - of_v)  # as far as v goes; h goes the rest
        v = self.b.one("shl", width, v, k=by_v * self.word)
        h = self.b.one("shl", width, h, k=(count - columns - by_v) * self.word)
        return self.b.one("mulhi_about", width, h, v, k=count)

    def rest(self, product: Value, e: Value, m: int, shift: int) -> Value:
        """product - e·q, known to lie below m·q·2^shift."""
        top = (m * self.arith.top - 1) << shift
        count = self.digits(top.bit_length())
        n = self.constant("n", (1 << self.word * count) - 1)
        width = self.width(max(count, self.digits(e.hi.bit_length())))
        low = self.b.one("low", width, product, k=width)
        less = self.b.one("addlo", width, low, self.b.one("mullo", width, e, n))
        t = self.b.one("low", count * self.word, less, k=count * self.word)
        t = bounded(t, 0, top, "rough_quotient")
        return self.b.one("settle", count * self.word, t, k=self.word)

    def reduced(self, t: Value, m: int, shift: int) -> Value:
        """t below q·2^shift, from below m·q·2^shift."""
        s = self.constant("s", self.arith.top << shift)
        while m > 1:
            m = 1 << (m - 1).bit_length() - 1
            top = m * self.arith.top << shift
            width = self.width(self.digits(max(top, t.hi).bit_length()))
            t = self.b.one("csub", width, t, self.b.one("shl", width, s, k=m.bit_length() - 1))
            t = bounded(t, 0, top - 1, "conditional_subtraction")
        return self.b.one("settle", self.digits(top.bit_length()) * self.word, t, k=self.word)

    def settled(self, t: Value, m: int, shift: int) -> int:
        """Outputs t, reduced on digits if the words that hold q do not hold m·q; returns the remaining m."""
        if m > self.arith.room:
            t, m = self.reduced(t, m, shift), 1
        self.b.output("t", t)
        return m
