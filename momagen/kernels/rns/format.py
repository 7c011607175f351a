"""Formats of sums Σ y_i·c_i modulo p: the representation of factors, constants and sums that are reduced once.

A factor y is a residue or the two *parts* of a residue; every part has a separate constant. A constant has
one or two *limbs*. A sum has *columns* of one word each, which do not overflow as long as products of at most
``most`` factors are added. A format also lists the plan constants of a source modulus q and of a target
modulus p, which ``rules/rns.toml`` computes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from momagen.ir import Builder, Value, const

Constants = Mapping[str, Value]
"""Plan constants by name."""
LONGEST = 62
"""The largest number of bits of a modulus: three multiples of it fit a word of 64 bits."""
WORD = (1 << 64) - 1
"""The largest word."""
SHIFT = "shift"
"""The name of the constant that is the number of bits by which a target modulus p is shifted up, so that its
top bit is set; 0 if the format does not shift."""


@dataclass(frozen=True)
class SumFormat(ABC):
    """The computation of sums of products for moduli below 2^bits, in words of ``word`` bits.

    Attributes:
        bits: The number of bits of the moduli.
        word: The number of bits of a word.
        part: The number of bits of a part of y.
        limb: The number of bits of the lower limb of a constant; 0 if a constant is one word.
        columns: The number of words of a sum.
        of_source: The names of the constants of a source modulus.
        of_goal: The names of the constants of a target modulus.
        digit: The number of bits of the machine's limbs, or 0 if it has none.
        factor: Factors of one part are below factor·2^bits.
        shortfall: The amount by which Shoup quotients may be too small, where truncated high products take
            fewer operations.
        kind: The name of the reduction in ``rules/rns.toml``.
        shifts: Whether a target modulus is shifted up until its top bit is set, because the reduction of sums
            needs moduli of one length.
        wide: Whether products are added to all words of a sum at once.
        ends_folded: Whether a sum is folded before it is finished, because folding reduces it.
    """

    bits: int
    word: int
    part: int
    limb: int = 0
    columns: int = 1
    of_source: Sequence[str] = ("q", "a", "u")
    of_goal: Sequence[str] = ("p",)
    digit: int = 0
    factor: int = 1
    shortfall: int = 0

    kind: ClassVar[str]
    shifts: ClassVar[bool] = True
    wide: ClassVar[bool] = False
    ends_folded: ClassVar[bool] = True

    @property
    def top(self) -> int:
        """The largest residue."""
        return (1 << self.bits) - 1

    @property
    def parts(self) -> int:
        """The number of parts of a factor."""
        return -(-self.bits // self.part)

    @property
    def real(self) -> bool:
        """Whether factors, constants and sums are doubles, passed as the words of their bits."""
        return self.kind == "one_double"

    @property
    def unit(self) -> int:
        """The number of bits of products below the first column, if columns are doubles."""
        return 0

    @property
    def factor_top(self) -> int:
        """The largest word of a part of a factor."""
        return WORD if self.real else (self.factor << self.part) - 1

    @property
    def splits(self) -> bool:
        """Whether a factor is not just the word of a residue."""
        return self.real or self.parts > 1

    @property
    def limbs(self) -> int:
        """The number of limbs of a constant."""
        return 1 + (self.limb > 0)

    @property
    def quotient(self) -> int:
        """The number of bits of Shoup quotients; no constant of a modulus is longer."""
        return self.word

    @property
    def constant_tops(self) -> Sequence[int]:
        """The largest value of each limb of a constant, the low limb first."""
        return [(1 << self.limb) - 1, self.top >> self.limb] if self.limb else [self.top]

    @property
    def steps(self) -> Sequence[int]:
        """The largest number that one factor times its constants adds to each column."""
        return [self.parts * self.factor_top * c for c in self.constant_tops]

    @property
    def starts(self) -> Sequence[int]:
        """The largest value of each column at the beginning of a sum: a residue, or the result of :meth:`fold`."""
        return [self.top, *[0] * (self.columns - 1)]

    @property
    @abstractmethod
    def most(self) -> int:
        """The number of factors whose products one sum holds."""

    @property
    def most_at_first(self) -> int:
        """The number of factors whose products the first sum holds, which begins with zero."""
        return self.most

    def tops(self, factors: int) -> list[int]:
        """Return the largest value of each column after adding ``factors`` factors to the beginning of a sum."""
        return [start + factors * step for start, step in zip(self.starts, self.steps, strict=True)]

    @property
    def full(self) -> Sequence[int]:
        """The largest value of each column of a sum of ``most`` factors."""
        return self.tops(self.most)

    def share(self, b: Builder, x: Value, known: Constants) -> Value:
        """Return x·a mod q."""
        t = b.one("shoup", self.word, x, known["a"], known["u"], known["q"], k=1 + self.shortfall // 2)
        if self.shortfall:
            t = b.one("csub", self.word, t, b.one("shl", self.word, known["q"], k=1))
        return b.one("csub", self.word, t, known["q"])

    def multiply(self, b: Builder, x: Value, known: Constants) -> Value:
        """Return x·a modulo q in words, for x below 3·2^bits."""
        return self.share(b, x, known)

    def cut(self, b: Builder, y: Value) -> list[Value]:
        """Return the parts of y, the low one first."""
        if self.parts == 1:
            return [y]
        return [b.one("low", self.word, y, k=self.part), b.one("shr", self.word, y, k=self.part)]

    def convert(self, b: Builder, y: Value) -> list[Value]:
        """Return the parts of a residue y in words, in the representation of factors."""
        return self.cut(b, y)

    @property
    def first(self) -> Sequence[Value]:
        """The columns of an empty sum."""
        return [const(0)] * self.columns

    def begun(self, b: Builder, start: Value) -> list[Value]:
        """Return the columns of a sum that begins with a residue, as a plan stores it."""
        return [start, *self.first[1:]]

    def add(self, b: Builder, sums: Sequence[Value], y: Value, c: Sequence[Value]) -> list[Value]:
        """Return the columns of a sum plus y·c."""
        return [b.one("addlo", self.word, s, b.one("mullo", self.word, y, each))
                for s, each in zip(sums, c, strict=True)]  # fmt: skip

    def fold(self, b: Builder, sums: Sequence[Value], known: Constants) -> list[Value]:
        """Return the columns of a smaller sum that is congruent to this one modulo p."""
        return [self.residue(b, sums, known), *self.first[1:]]

    def finish(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return the residue, in words, of a sum that was folded, or that has no last fold."""
        return sums[0]

    def shift_back(self, b: Builder, z: Value, known: Constants) -> Value:
        """Return the residue modulo p of a number whose residue modulo the shifted p is z, shifted like p."""
        return b.one("shrv", self.word, z, known[SHIFT]) if self.shifts else z

    @abstractmethod
    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo p."""
