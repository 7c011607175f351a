"""Formats of the quotient u = ⌊Σ y_i/q_i⌋: the sum Σ y_i·Q/q_i represents a number plus u·Q.

The quotients y_i/q_i are added in doubles, or, on machines without multiply-adds of doubles, as fixed-point numbers
with FRACTION bits after the point.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from momagen.ir import Builder, Value, const
from momagen.ir.real import BIAS, MANTISSA
from momagen.targets import Target

from .doubles import double_bits
from .format import WORD, SumFormat

FRACTION = 120
"""The number of bits after the point of a fixed-point quotient, which has two words."""
MOST_MODULI = 64
"""The largest number of source moduli: more quotients would leave rounding errors that exceed the margin."""
MARGIN = 40
"""The margin Q/2^MARGIN within which rounding may select the wrong multiple of Q."""


@dataclass(frozen=True)
class QuotientFormat(ABC):
    """The computation of the sum Σ y_i/q_i.

    Attributes:
        form: The format of factors.
        positive: Whether numbers a satisfy 0 <= a < Q; otherwise |a| < Q/2.
        real: Whether sums are doubles.
    """

    form: SumFormat
    positive: bool

    real: ClassVar[bool]

    @property
    @abstractmethod
    def columns(self) -> int:
        """The number of registers of a sum."""

    @property
    @abstractmethod
    def words(self) -> int:
        """The number of words of the constants of one source modulus."""

    @property
    @abstractmethod
    def first(self) -> Sequence[Value]:
        """The registers of an empty sum."""

    @abstractmethod
    def add(self, b: Builder, sums: Sequence[Value], parts: Sequence[Value], c: Sequence[Value]) -> list[Value]:
        """Return the sum plus y/q for a factor y.

        Args:
            b: The builder.
            sums: The registers of the sum.
            parts: The parts of y.
            c: The constants of the source modulus q.
        """

    @abstractmethod
    def finish(self, b: Builder, sums: Sequence[Value]) -> list[Value]:
        """Return the parts of the factor u."""


class InDoubles(QuotientFormat):
    """Quotients in doubles: one multiply-add for each part."""

    real = True

    @property
    def columns(self) -> int:
        """The number of registers of a sum."""
        return 1

    @property
    def words(self) -> int:
        """The number of words of the constants of one source modulus."""
        return self.form.parts

    @property
    def first(self) -> Sequence[Value]:
        """The register of an empty sum."""
        return [const(double_bits(2.0**-MARGIN - 0.5 if self.positive else 0.0))]

    def add(self, b: Builder, sums: Sequence[Value], parts: Sequence[Value], c: Sequence[Value]) -> list[Value]:
        """Return the sum plus y/q."""
        w, (total,) = self.form.word, sums
        for part, inverse in zip(parts, c, strict=True):
            y = part if self.form.real else b.one("real", w, part)
            total = b.one("rfma", w, y, inverse, total)
        return [total]

    def finish(self, b: Builder, sums: Sequence[Value]) -> list[Value]:
        """Return the parts of the factor u."""
        w, middle = self.form.word, const(double_bits(float(BIAS)))
        u = b.one("rsub", w, b.one("radd", w, sums[0], middle), middle)
        if self.form.real:
            return [u]
        return [
            b.one("low", w, b.one("unreal", w, u), k=MOST_MODULI.bit_length() + 1),
            *[const(0)] * (self.form.parts - 1),
        ]


class InWords(QuotientFormat):
    """Quotients as fixed-point numbers of two words."""

    real = False

    @property
    def columns(self) -> int:
        """The number of registers of a sum."""
        return 2

    @property
    def words(self) -> int:
        """The number of words of the constants of one source modulus."""
        return 2 * self.form.parts

    @property
    def first(self) -> Sequence[Value]:
        """The registers of an empty sum."""
        start = 1 << FRACTION - MARGIN if self.positive else 1 << FRACTION - 1
        return [const(start & WORD), const(start >> self.form.word)]

    def add(self, b: Builder, sums: Sequence[Value], parts: Sequence[Value], c: Sequence[Value]) -> list[Value]:
        """Return the sum plus y/q."""
        wide, (total,) = 2 * self.form.word, sums
        for part, inverse in zip(parts, c, strict=True):
            total = b.one("addlo", wide, total, b.one("mullo", wide, part, inverse))
        return [total]

    def finish(self, b: Builder, sums: Sequence[Value]) -> list[Value]:
        """Return the parts of the factor u."""
        u = b.one("shr", self.form.word, sums[1], k=FRACTION - self.form.word)
        return [u, *[const(0)] * (self.form.parts - 1)]


def quotients_of(target: Target, form: SumFormat, positive: bool) -> QuotientFormat:
    """Return the format of quotients on ``target``: in doubles if its vectors multiply them and hold a part exactly."""
    doubles = "rfma" in target.ops and target.lanes > 1 and form.part < MANTISSA
    return (InDoubles if doubles else InWords)(form, positive)
