"""Formats of sums on machines with multiply-adds of limbs: low and high halves of products have a column each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from momagen.ir import Builder, Value

from .format import Constants, SumFormat


class OneLimb(SumFormat):
    """Moduli of one limb on a machine with multiply-adds of limbs: the low and the high half of products."""

    kind = "one_limb"
    shifts = False
    last: ClassVar[str] = "sum_of_limbs"
    """The operation that reduces a sum."""

    @property
    def quotient(self) -> int:
        """The number of bits of Shoup quotients."""
        return self.digit

    @property
    def steps(self) -> Sequence[int]:
        """The largest number that one factor times its constants adds to each column."""
        return [(1 << self.digit) - 1, self.factor_top * self.top >> self.digit]

    @property
    def most(self) -> int:
        """The number of factors whose products one sum holds."""
        (low, high), k = self.steps, self.digit
        fits = ((1 << self.word) - (2 << k) - self.top) // low
        return min(fits, ((((1 << k) - 1) << k) - self.top) // ((high << k) + low))

    def share(self, b: Builder, x: Value, known: Constants) -> Value:
        """Return x·a mod q."""
        args = (known["a"], known["u"], known["q"], known["n"])
        return b.one("csub", self.word, b.one("shoup_limb", self.word, x, *args, k=self.digit), known["q"])

    def add(self, b: Builder, sums: Sequence[Value], y: Value, c: Sequence[Value]) -> list[Value]:
        """Return the columns of a sum plus y·c."""
        return [b.one(op, self.word, s, y, c[0], k=self.digit) for op, s in zip(("fmalo", "fmahi"), sums, strict=True)]

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo p."""
        low, high = sums
        return b.one(self.last, self.word, high, low, *map(known.__getitem__, self.of_goal), k=self.digit)


class TwoLimbs(OneLimb):
    """Longer moduli on such a machine: two parts of a factor, and two limbs of a constant.

    Each part is shorter than half a word.
    """

    kind = "two_limbs"
    shifts = True
    last = "sum_of_limbs_long"
    share = SumFormat.share

    @property
    def quotient(self) -> int:
        """The number of bits of Shoup quotients."""
        return self.word

    @property
    def steps(self) -> Sequence[int]:
        """The largest number that one factor times its constants adds to each column."""
        y = (1 << self.part) - 1
        low, high = self.constant_tops
        return [self.parts * ((1 << self.digit) - 1), self.parts * ((y * low >> self.digit) + y * high)]

    def add(self, b: Builder, sums: Sequence[Value], y: Value, c: Sequence[Value]) -> list[Value]:
        """Return the columns of a sum plus y·c."""
        (low, high), (c0, c1), w, k = sums, c, self.word, self.digit
        high = b.one("fmahi", w, high, y, c0, k=k)
        return [b.one("fmalo", w, low, y, c0, k=k), b.one("fmalo", w, high, y, c1, k=k)]
