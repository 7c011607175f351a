"""Formats of sums Σ d·k modulo p of products of variables: digits d < factor·p and keys k < p of key switching.

The sums have the columns of a :class:`SumFormat`, or one column more, since neither operand has precomputed
multiples. Sums begin with zero or with a residue, and hold the products of at most ``most`` digits. If the
reduction of sums needs moduli of one length, the modulus p is shifted up until its top bit is set, and every
digit is shifted by the same number of bits, so that one kernel serves shorter moduli.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from momagen.ir import Builder, Value, const
from momagen.kernels.residues.theorems import bounded

from .format import SHIFT, Constants, SumFormat

LONGEST = 64
"""The largest number of products that one sum holds."""
ENOUGH = 8
"""The number of products that a sum should hold. If larger digits leave headroom for fewer products, digits
are reduced first."""


@dataclass(frozen=True)
class ProductFormat(ABC):
    """The computation of sums of products of digits and keys.

    Attributes:
        form: The format whose constants a plan stores for a modulus, and whose reduction ends a sum.
        factor: Digits are below factor·p.
    """

    form: SumFormat
    factor: int = 1

    @property
    def shifts(self) -> bool:
        """Whether the modulus and every digit are shifted."""
        return self.form.shifts

    @property
    def word(self) -> int:
        """The number of bits of a word."""
        return self.form.word

    @property
    def columns(self) -> int:
        """The number of words of a sum."""
        return self.form.columns

    @property
    def in_order(self) -> bool:
        """Whether compilers should reduce one sum after another."""
        return False

    @property
    def few_digits(self) -> int:
        """The number of digits up to which a group is one vector.

        The reduction of a sum then takes about as long as its products. While a CPU reduces the sums of one vector, it
        can begin with the products of the next one, but it cannot look beyond the reduction of four vectors.
        """
        return 0

    @property
    def prefetches(self) -> bool:
        """Whether the digits and keys of the next group are prefetched."""
        return False

    def sum_registers(self, registers: int) -> int:
        """Return the number of ``registers`` that sums may occupy, so that operands and intermediate results fit."""
        return registers // 2

    @property
    def wide(self) -> bool:
        """Whether products are added to all words of a sum at once."""
        return self.form.wide

    @property
    def digit_top(self) -> int:
        """The largest digit after the shift."""
        return (self.kept_factor << self.form.bits) - 1

    @property
    def kept_factor(self) -> int:
        """The bound of digits when they are multiplied, in multiples of p."""
        return self.factor if self.most_of(self.factor) >= ENOUGH else 1

    @property
    def most(self) -> int:
        """The number of products that a sum holds."""
        return self.most_of(self.kept_factor)

    @abstractmethod
    def most_of(self, factor: int) -> int:
        """Return the number of products of digits below factor·p that a sum holds in addition to an initial residue."""

    @property
    def extra(self) -> Sequence[str]:
        """The names of the constants of a modulus besides the constants of the format: the limbs of 2^cut modulo p."""
        return ()

    @property
    def cut(self) -> int:
        """The number of low bits of a sum that are not multiplied by the additional constants; 0 if there are none."""
        return 0

    def digit(self, b: Builder, d: Value, known: Constants) -> Value:
        """Return the word for a digit: shifted if the modulus is, and reduced if sums need smaller digits."""
        if self.shifts:
            d = b.one("shlv", self.word, d, known[SHIFT])
            d = bounded(d, 0, (self.factor << self.form.bits) - 1, "shifted_residue")
        multiple = self.factor // 2 if self.kept_factor < self.factor else 0
        while multiple:
            p = b.one("shl", self.word, known["p"], k=multiple.bit_length() - 1)
            d, multiple = b.one("csub", self.word, d, p), multiple // 2
        return d

    def pieces(self, b: Builder, x: Value) -> list[Value]:
        """Return the words of a digit or a key that are multiplied."""
        return [x]

    def key(self, b: Builder, k: Value) -> list[Value]:
        """Return the words of a key that are multiplied."""
        return self.pieces(b, k)

    @abstractmethod
    def tops(self, count: int) -> Sequence[int]:
        """Return the largest value of each column after adding ``count`` products to the beginning of a sum."""

    @property
    def full(self) -> Sequence[int]:
        """The largest value of each word of a sum of ``most`` products."""
        return self.tops(self.most)

    @property
    def folded(self) -> Sequence[int]:
        """The largest value of each word of a sum that was folded."""
        return [*self.tops(0), *[0] * self.columns][: self.columns]

    def add(self, b: Builder, sums: Sequence[Value], d: Sequence[Value], k: Sequence[Value]) -> list[Value]:
        """Return the columns of a sum plus d·k."""
        return self.form.add(b, sums, d[0], k)

    @property
    def first(self) -> Sequence[Value]:
        """The columns of an empty sum."""
        return [*self.form.first, const(0)][: self.columns]

    def fold(self, b: Builder, sums: Sequence[Value], known: Constants) -> list[Value]:
        """Return the columns of a sum that begins with the residue of this one."""
        return [self.residue(b, sums, known), *self.first[1:]]

    def finish(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return the residue, in words, of a sum that was folded."""
        return self.form.shift_back(b, sums[0], known)

    def residue(self, b: Builder, sums: Sequence[Value], known: Constants) -> Value:
        """Return a sum modulo p, or modulo the shifted p."""
        return self.form.residue(b, sums, known)
