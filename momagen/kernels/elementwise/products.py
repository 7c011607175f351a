"""Products of residues on limbs, for element after element of vectors, by Barrett's and Shoup's quotients.

All numbers are multiplied by 2^s, modulo 2^s·q. If a quotient e is too small by less than 2^s in units of
2^-s, and its last s bits are cleared, the result is an integral quotient that is at most one too small. The
terms that rules omit from the quotient therefore cost no more than these s bits, and no guard limb.
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
    """A builder of one codelet on limbs.

    Args:
        arith: The representation of residues.
        word: The number of bits of a limb.
        taken: Vectors are below taken·q.
        least: The least modulus.

    Attributes:
        top: The largest element of a vector.
        bits: The number of bits of ``top``.
        vectors: The vectors in use, with the number of bits by which their elements are shifted.
    """

    def __init__(self, arith: Arith, word: int, taken: int, least: int = 1) -> None:
        self.arith, self.word, self.top, self.b = arith, word, taken * arith.top - 1, Builder()
        self.bits, self.q, self.vectors = self.top.bit_length(), arith.q(self.b, least), dict[str, int]()

    def digits(self, bits: int) -> int:
        """Return the number of limbs of ``bits`` bits."""
        return -(-bits // self.word)

    def operand(self, name: str, shift: int = 0) -> Value:
        """Return a new input, whose elements are shifted by ``shift`` bits."""
        self.vectors[name] = shift
        return self.b.input(name, 0, self.top << shift)

    def width(self, count: int) -> int:
        """Return the width of operations on ``count`` limbs."""
        return self.word << (count - 1).bit_length()

    def room(self, m: int, shift: int) -> int:
        """Return the number of bits of the limbs that hold numbers below m·q·2^shift."""
        return self.digits((m * self.arith.top << shift).bit_length()) * self.word

    def product(self, t: Value, m: int, shift: int = 0) -> Elementwise:
        """Return the codelet whose result is t, below m·q·2^shift.

        The result is reduced on limbs if the words that hold q do not hold m·q.
        """
        t = self.b.one("settle", self.room(m, shift), t, k=self.word)
        if m > self.arith.room:
            width = self.width(self.room(m, shift) // self.word)
            t, m = self.b.one("remainder", width, t, self.q, const(m), k=shift), 1
            t = self.b.one("settle", self.room(m, shift), t, k=self.word)
        self.b.output("t", t)
        return Elementwise(self.b.block, self.vectors, m, self.word, shift)


def _barrett(f: ProductBuilder) -> Elementwise:
    """Return a product whose quotient uses the limbs of x·y above the first ``cut``.

    The column below these limbs contains 2·cut halves of products.
    """
    word, bits = f.word, f.arith.bits
    cut = next(c for c in range(bits // word, -1, -1) if (2 * c + 1) << word * c + 2 <= 1 << bits)

    def columns(shift: int) -> int:
        return f.digits(2 * f.bits + shift - word * cut)

    shift = next(s for s in range(word) if 2 * f.width(columns(s)) <= word << s)
    numbers = map(const, (word * cut, 2 * cut, word * columns(shift), f.room(2, shift)))
    x, y = f.operand("x", shift), f.operand("y")
    return f.product(f.b.one("product_truncated", f.width(columns(shift)), x, y, f.q, *numbers, k=shift), 2, shift)


class DigitRanges(NamedTuple):
    """The ranges that a product on one limb needs: x below 2^x·q and y below 2^y·q."""

    x: int
    y: int

    def cost(self, most: int) -> int:
        """Return the number of operations that reduce operands from 2^most·q to these ranges, and shift x by y bits."""
        return 2 * (2 * most - self.x - self.y) + (self.y > 0)


def digit_ranges(bits: int, word: int, taken: int) -> DigitRanges | None:
    """Return the cheapest ranges for operands below taken·q, for moduli of every length up to ``bits``.

    It is None if twice a modulus does not fit a limb of ``word`` bits.
    """
    most = (taken - 1).bit_length()
    able = (DigitRanges(x, y) for x in range(most + 1) for y in range(most + 1) if bits + x + y + 1 <= word)
    return min(able, key=lambda ranges: ranges.cost(most), default=None)


def _product_of_digits(arith: Arith, word: int, ranges: DigitRanges) -> Elementwise:
    """Return the product on one limb. Operands are reduced in words first if their product would be too large."""
    f = ProductBuilder(arith, word, 1)
    x, y = (f.b.input(name, 0, (arith.top << most) - 1) for name, most in zip("xy", ranges, strict=True))
    made = f.product(f.b.one("product_of_digits", f.word, x, y, f.q, const(ranges.y)), 2)
    return replace(made, vectors={"x": 0, "y": 0}, wanted={"x": 1 << ranges.x, "y": 1 << ranges.y})


def powers(taken: int) -> Iterator[int]:
    """Yield the powers of two from ``taken``, which is one, down to 1."""
    return (taken >> k for k in range(taken.bit_length()))


def shoup_range(arith: Arith, word: int, taken: int, plus: bool = False) -> int:
    """Return the largest m up to ``taken`` for which one limb holds a·x for x below m·q, or 0 if there is none.

    With ``plus`` it holds a·x + y for x and y below m·q.
    """
    return next((m for m in powers(taken) if (m + 2 if plus else max(m, 2)) * arith.top >> word == 0), 0)


def adds_to_digit(arith: Arith, word: int, taken: int) -> bool:
    """Return whether a·x + y fits one limb for vectors below taken·q, so that the sum costs no operation.

    Otherwise, adding y to the reduced product costs one operation, and reducing y before costs at least two.
    """
    return shoup_range(arith, word, taken, plus=True) == taken


def reduced_first(made: Elementwise, taken: int, most: int) -> Elementwise:
    """Return the codelet ``made`` for vectors below taken·q, which are first reduced in words to below most·q."""
    return replace(made, wanted=dict.fromkeys(made.vectors, most)) if most < taken else made


def _shoup(f: ProductBuilder, plus: int) -> Elementwise:
    """Return the codelet a·x, or a·x + y for y below plus·q, for any q."""
    word, m = f.word, 2 + plus

    def width(shift: int) -> int:
        return f.width(max(f.digits(f.bits + shift), f.room(m, shift) // word))

    exact = f.bits <= word  # one limb
    shift = 0 if exact else next(s for s in range(word) if 2 * width(s) <= word * ((1 << s) + 1))
    x, a = f.operand("x", shift), f.b.input("a", 0, f.arith.top - 1)
    y = f.operand("y", shift) if plus else const(0)
    numbers = const(word * f.digits(f.bits + shift)), const(f.room(m, shift))
    return f.product(f.b.one("mulmod_truncated", width(shift), x, a, y, f.q, *numbers, k=shift), m, shift)


def product(row: ProductRow, arith: Arith, word: int, taken: int) -> Elementwise:
    """Return the codelet of a kernel for vectors below taken·q.

    It omits the addend w of x·y + w, and y of a·x + y unless :func:`adds_to_digit` holds: these are added to
    the product in words. The product x·y supports moduli of every length if :func:`digit_ranges` has a
    result, and otherwise moduli of exactly ``arith.bits`` bits.
    """
    if not row.pairs:
        most = shoup_range(arith, word, taken)
        plus = row.adds and (not most or adds_to_digit(arith, word, taken))
        return reduced_first(_shoup(ProductBuilder(arith, word, most or taken), taken * plus), taken, most or taken)
    if ranges := digit_ranges(arith.bits, word, taken):
        return _product_of_digits(arith, word, ranges)
    return _barrett(ProductBuilder(arith, word, taken, 1 << arith.bits - 1))
