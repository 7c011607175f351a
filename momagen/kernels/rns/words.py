"""Formats of sums in words: products of half words or of whole words."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Builder, Value, const
from momagen.ir.real import BIAS
from momagen.kernels.residues.theorems import bounded

from .doubles import double_bits
from .format import Constants, SumFormat


class HalfWords(SumFormat):
    """Moduli of at most half a word: products of half words, and one column."""

    kind = "one_word"

    @property
    def quotient(self) -> int:
        """The number of bits of Shoup quotients."""
        return self.word // 2

    @property
    def most(self) -> int:
        """The number of factors whose products one sum holds."""
        half, p = self.word // 2, self.top
        above = ((1 << self.bits + half - 2) - (1 << half)) // p
        return ((above << half) - p) // (self.factor_top * p)

    def share(self, b: Builder, x: Value, known: Constants) -> Value:
        """Return x·a mod q."""
        t = b.one("shoup_half", self.word, x, known["a"], known["u"], known["q"])
        return b.one("csub", self.word, t, known["q"])

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo p."""
        (s,) = sums
        return b.one("sum_of_one_word", self.word, s, known["p"], known["n"], known["m"], k=self.bits)


class WholeWords(SumFormat):
    """Products of whole words, whose sums have two words."""

    kind = "two_words"
    wide = True

    @property
    def steps(self) -> Sequence[int]:
        """The largest number that one factor times its constant adds to a sum."""
        return [self.factor_top * self.top]

    @property
    def starts(self) -> Sequence[int]:
        """The largest value of a sum at its beginning."""
        return [self.top]

    @property
    def full(self) -> Sequence[int]:
        """The largest value of each word of a sum of ``most`` factors."""
        return [(1 << self.word) - 1, (1 << self.bits - 1) - 1]

    @property
    def most(self) -> int:
        """The number of factors whose products one sum holds."""
        return ((1 << self.bits - 1 + self.word) - self.top - 1) // self.steps[0]

    def add(self, b: Builder, sums: Sequence[Value], y: Value, c: Sequence[Value]) -> list[Value]:
        """Return a sum plus y·c."""
        wide = 2 * self.word
        return [b.one("addlo", wide, sums[0], b.one("mullo", wide, y, c[0]))]

    def begun(self, b: Builder, start: Value) -> list[Value]:
        """Return a sum that begins with a residue, as a plan stores it."""
        return [start]

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo p."""
        low, high = sums if len(sums) > 1 else self._words(b, sums[0])
        return b.one("sum_of_words", self.word, high, low, known["p"], known["m"], k=self.bits)

    def _words(self, b: Builder, total: Value) -> tuple[Value, Value]:
        """Return the low and the high word of a sum."""
        wide = 2 * self.word
        return b.one("low", wide, total, k=self.word), b.one("shr", wide, total, k=self.word)


class PartsByHalves(SumFormat):
    """Longer moduli by products of half words: two parts of a factor, and two limbs of a constant.

    A fold moves carries from column to column, so that the two low columns fill one word and the third column
    contains the rest.
    """

    kind = "two_words"

    @property
    def steps(self) -> Sequence[int]:
        """The largest number that one factor times its constants adds to each column."""
        return [*super().steps, 0]

    @property
    def starts(self) -> Sequence[int]:
        """The largest value of each column at the beginning of a sum."""
        return [(1 << self.limb) - 1, (1 << self.word - self.limb) - 1, (1 << self.bits - 1) - 1]

    @property
    def most(self) -> int:
        """The number of factors whose products one sum holds."""
        room = (1 << self.word) - (2 << self.word - self.limb)
        return (room - 1) // max(self.steps)

    def begun(self, b: Builder, start: Value) -> list[Value]:
        """Return the columns of a sum that begins with a residue, as a plan stores it."""
        low, high = (b.one(op, self.word, start, k=self.limb) for op in ("low", "shr"))
        return [low, high, const(0)]

    def add(self, b: Builder, sums: Sequence[Value], y: Value, c: Sequence[Value]) -> list[Value]:
        """Return the columns of a sum plus y·c."""
        return [*super().add(b, sums[:2], y, c), sums[2]]

    def fold(self, b: Builder, sums: Sequence[Value], known: Constants) -> list[Value]:
        """Return the columns of the same sum after moving carries up."""
        (low, high, above), w = sums, self.word
        middle = b.one("addlo", w, high, b.one("shr", w, low, k=self.limb))
        carry = b.one("shr", w, middle, k=w - self.limb)
        above = bounded(b.one("addlo", w, above, carry), 0, self.starts[2], "sums_of_products")
        return [b.one("low", w, low, k=self.limb), b.one("low", w, middle, k=w - self.limb), above]

    def finish(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return the residue, in words, of a sum that was folded."""
        return self.residue(b, sums, known)

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo p."""
        leading, word = self._leading(b, sums, self.bits - 1), self._low_word(b, sums)
        return b.one("sum_by_leading", self.word, leading, word, known["p"], known["m"], k=self.bits)

    def _low_word(self, b: Builder, sums: Sequence[Value]) -> Value:
        """Return the sum modulo 2^w."""
        low, high, _ = sums
        return b.one("addlo", self.word, low, b.one("shl", self.word, high, k=self.limb))

    def _leading(self, b: Builder, sums: Sequence[Value], k: int) -> Value:
        """Return the bits of the sum from 2^k on."""
        (low, high, above), w = sums, self.word
        middle = b.one("addlo", w, high, b.one("shr", w, low, k=self.limb))
        leading = b.one("shr", w, middle, k=k - self.limb)
        return b.one("addlo", w, leading, b.one("shl", w, above, k=w - k))


class PartsWithDoubles(PartsByHalves):
    """Sums of products of half words whose quotient by p takes one multiply-add of doubles.

    The bits of a sum from 2^(bits - 3) on are an integer that a double represents exactly if the sum is below
    2^(bits + 47), that is, if it has at most ``MOST_FACTORS`` factors. An addition rounds the quotient to the
    nearest integer, so that the bits of the double contain it; one less than this quotient leaves a remainder
    from 0 to 2p.
    """

    kind = "two_words_near"
    ends_folded = False

    @property
    def starts(self) -> Sequence[int]:
        """The largest value of each column at the beginning of a sum."""
        low, high, _ = super().starts
        return [low, high, (MOST_FACTORS * self.parts << self.part + self.bits) - 1 >> self.word]

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo p."""
        w, k, p, middle = self.word, self.bits - 3, known["p"], double_bits(float(BIAS))
        leading = b.one("real", w, self._leading(b, sums, k), k=k)
        rounded = b.one("rfma", w, leading, known["i"], const(middle))
        quotient = b.one("sublo", w, rounded, const(middle + 1))
        t = b.one("sublo", w, self._low_word(b, sums), b.one("mullo", w, quotient, p))
        return b.one("csub", w, bounded(t, 0, 2 * self.top - 1, "nearest_quotient_less_one"), p)


MOST_FACTORS = 1 << 14
"""The largest number of factors of a sum whose quotient is a double. The quotient is below 2^48, and its
error is at most 1/16."""
