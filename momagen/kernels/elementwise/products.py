"""Products of residues on digits, for one vector of elements after another: Barrett's and Shoup's quotients.

All is done on numbers 2^s times too large, modulo 2^s·q. A quotient e that is too small by less than 2^s in units of
2^-s, its last s bits cleared, is a whole quotient, one too small at most: so what rules leave out of it costs no more
than those s bits, and no digit of a guard.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, Protocol

from momagen.ir import Builder, Value, const
from momagen.kernels.residues.arith import Arith

from .codelet import Elementwise


class ProductRow(Protocol):
    """What products need to know of a formula; see :class:`momagen.kernels.elementwise.blas.ElementwiseKernel`."""

    @property
    def pairs(self) -> bool:
        """Whether two vectors are multiplied, instead of a vector and a scalar."""

    @property
    def adds(self) -> bool:
        """Whether a vector is added to the product."""


class ProductBuilder:
    """Builds one codelet on digits of ``word`` bits; vectors are below taken·q, and q is ``least`` or more."""

    def __init__(self, arith: Arith, word: int, taken: int, least: int = 1) -> None:
        self.arith, self.word, self.top, self.b = arith, word, taken * arith.top - 1, Builder()
        self.bits, self.q, self.vectors = self.top.bit_length(), arith.q(self.b, least), dict[str, int]()

    def digits(self, bits: int) -> int:
        return -(-bits // self.word)

    def operand(self, name: str, shift: int = 0) -> Value:
        self.vectors[name] = shift
        return self.b.input(name, 0, self.top << shift)

    def width(self, count: int) -> int:
        """Of operations on ``count`` digits."""
        return self.word << (count - 1).bit_length()

    def room(self, m: int, shift: int) -> int:
        """Bits of the digits that hold what is below m·q·2^shift."""
        return self.digits((m * self.arith.top << shift).bit_length()) * self.word

    def product(self, t: Value, m: int, shift: int = 0) -> Elementwise:
        """The codelet whose result is t, below m·q·2^shift: reduced on digits if the words that hold q do not hold
        m·q."""
        t = self.b.one("settle", self.room(m, shift), t, k=self.word)
        if m > self.arith.room:
            width = self.width(self.room(m, shift) // self.word)
            t, m = self.b.one("remainder", width, t, self.q, const(m), k=shift), 1
            t = self.b.one("settle", self.room(m, shift), t, k=self.word)
        self.b.output("t", t)
        return Elementwise(self.b.block, self.vectors, m, self.word, shift)


def _barrett(f: ProductBuilder) -> Elementwise:
    """By the digits of x·y above the first ``cut``, of which the digits below hold 2·cut halves of products."""
    word, bits = f.word, f.arith.bits
    cut = next(c for c in range(bits // word, -1, -1) if (2 * c + 1) << word * c + 2 <= 1 << bits)

    def columns(shift: int) -> int:
        return f.digits(2 * f.bits + shift - word * cut)

    shift = next(s for s in range(word) if 2 * f.width(columns(s)) <= word << s)
    numbers = map(const, (word * cut, 2 * cut, word * columns(shift), f.room(2, shift)))
    x, y = f.operand("x", shift), f.operand("y")
    return f.product(f.b.one("product_truncated", f.width(columns(shift)), x, y, f.q, *numbers, k=shift), 2, shift)


class DigitRanges(NamedTuple):
    """The ranges that a product on one digit wants: x below 2^x·q, y below 2^y·q."""

    x: int
    y: int

    def cost(self, most: int) -> int:
        """Return the operations that bring operands from 2^most·q to these ranges, and the shift of x by y bits."""
        return 2 * (2 * most - self.x - self.y) + (self.y > 0)


def digit_ranges(bits: int, word: int, taken: int) -> DigitRanges | None:
    """Return the cheapest ranges for operands below taken·q, for moduli of any length up to ``bits``.

    None if twice a modulus does not fit a digit of ``word`` bits.
    """
    most = (taken - 1).bit_length()
    able = (DigitRanges(x, y) for x in range(most + 1) for y in range(most + 1) if bits + x + y + 1 <= word)
    return min(able, key=lambda ranges: ranges.cost(most), default=None)


def _product_of_digits(arith: Arith, word: int, ranges: DigitRanges) -> Elementwise:
    """One digit, of operands that words reduce first where their product would be too large."""
    f = ProductBuilder(arith, word, 1)
    x, y = (f.b.input(name, 0, (arith.top << most) - 1) for name, most in zip("xy", ranges, strict=True))
    made = f.product(f.b.one("product_of_digits", f.word, x, y, f.q, const(ranges.y)), 2)
    return replace(made, vectors={"x": 0, "y": 0}, wanted={"x": 1 << ranges.x, "y": 1 << ranges.y})


def powers(taken: int) -> Iterator[int]:
    """Yield the powers of two from ``taken``, which is one, down to 1."""
    return (taken >> k for k in range(taken.bit_length()))


def shoup_range(arith: Arith, word: int, taken: int, plus: bool = False) -> int:
    """Return the largest m up to ``taken`` for which a·x of x below m·q is one digit, or with ``plus`` a·x + y of x and
    y below m·q; 0: none is."""
    return next((m for m in powers(taken) if (m + 2 if plus else max(m, 2)) * arith.top >> word == 0), 0)


def adds_to_digit(arith: Arith, word: int, taken: int) -> bool:
    """Return whether a·x + y is one digit for vectors below taken·q, so that the sum costs no operation.

    If it is longer, adding y to the reduced product costs one operation; reducing y before costs at least two.
    """
    return shoup_range(arith, word, taken, plus=True) == taken


def reduced_first(made: Elementwise, taken: int, most: int) -> Elementwise:
    """Return ``made``, a codelet for vectors below most·q, for vectors below taken·q, which words reduce first."""
    return replace(made, wanted=dict.fromkeys(made.vectors, most)) if most < taken else made


def _shoup(f: ProductBuilder, plus: int) -> Elementwise:
    """a·x, or a·x + y for y below plus·q, for any q."""
    word, m = f.word, 2 + plus

    def width(shift: int) -> int:
        return f.width(max(f.digits(f.bits + shift), f.room(m, shift) // word))

    exact = f.bits <= word  # one digit
    shift = 0 if exact else next(s for s in range(word) if 2 * width(s) <= word * ((1 << s) + 1))
    x, a = f.operand("x", shift), f.b.input("a", 0, f.arith.top - 1)
    y = f.operand("y", shift) if plus else const(0)
    numbers = const(word * f.digits(f.bits + shift)), const(f.room(m, shift))
    return f.product(f.b.one("mulmod_truncated", width(shift), x, a, y, f.q, *numbers, k=shift), m, shift)


def product(row: ProductRow, arith: Arith, word: int, taken: int) -> Elementwise:
    """Return the codelet of a kernel for vectors below taken·q.

    It leaves out the addend w of x·y + w, and y of a·x + y unless :func:`adds_to_digit`: words add them to the product.
    x·y is for q of any length where :func:`digit_ranges` has room, and else of exactly ``arith.bits`` bits.
    """
    if not row.pairs:
        most = shoup_range(arith, word, taken)
        plus = row.adds and (not most or adds_to_digit(arith, word, taken))
        return reduced_first(_shoup(ProductBuilder(arith, word, most or taken), taken * plus), taken, most or taken)
    if ranges := digit_ranges(arith.bits, word, taken):
        return _product_of_digits(arith, word, ranges)
    return _barrett(ProductBuilder(arith, word, taken, 1 << arith.bits - 1))
