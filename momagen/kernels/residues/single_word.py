"""Arithmetic on residues of one word: Shoup's product, the quotient by halves of the factor and of its own.

What a lane holds is a word as it is, and sums are sums of words. The quotient of y·v by q takes multiply-adds of digits
where the machine has them, or products of half words; the low halves of two products of words give the rest.

On 512-bit lanes of Intel's cores, where the low half of a product of words is three uops, a product is 12 with
multiply-adds and 15 without. Sums of digits for those low halves too, y in 52 bits and 12, are 14 and six words a
constant; two digits and one of Montgomery 17, and their sums twice as many.
"""

from __future__ import annotations

from dataclasses import dataclass

from momagen.ir import Value, const

from .single_digit import LANE, Near, OneDigit, Residues

HALF = LANE // 2


@dataclass(frozen=True)
class OneWord(OneDigit):
    """As :class:`OneDigit` for moduli that leave room in a word; quotients are made of products of ``digit`` bits."""

    word: int = LANE
    digit: int = HALF

    @property
    def most(self) -> int:
        return self.room

    @property
    def spread(self) -> int:
        return 3 if self.digit > HALF else 4

    @property
    def lifts(self) -> bool:
        return False

    @property
    def far(self) -> int:
        return self.most

    def letters(self, pairs: bool) -> str:
        return "vfeg" if pairs and self.digit > HALF else "vfe"

    def product(self, frame: Residues, y: Value, v: Value, columns: int, c: int) -> Near:
        """v·y, from 0 to ``spread``·q: another multiple of q would cost an operation."""
        value = frame.one("mulmod_split", y, v, frame.q, const(columns), k=self.digit)
        return frame.near(value, 0, self.spread, "split_quotient")


def longest(digit: int) -> int:
    """The most bits of a modulus such that a word holds a product and a summand; ``digit``: of the target."""
    return LANE - (2 if digit > HALF else 3)


def one(bits: int, digit: int) -> OneDigit:
    """The arithmetic for residues of one digit if they are that short, else of one word; ``digit``: of the target."""
    return OneDigit(bits, digit) if bits <= digit else OneWord(bits, digit=digit or HALF)
