"""Arithmetic on residues that fit one signed word, on lanes that multiply half words.

A factor consists of two signed half words. For each of them the table contains the constant that it is
multiplied by, reduced modulo q. The quotient of the product by q is therefore half a word, and two half
products compute it. With rounded quotients each half word contributes an error of q/4, and the quotient is at
most one too small: a product is from -q/2 to 3q/2, and sums need no constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .arith import Arith
from .single_digit import HALF, LANE

SUMMAND = (1 << LANE - 1) - 1
"""The largest sum."""
FACTOR = (1 << LANE - 1) - (1 << HALF)
"""The largest factor, of either sign: its high half must not be the smallest signed number."""


@dataclass(frozen=True)
class OneSigned(Arith):
    """Residues modulo any odd q below 2^bits, as signed words within known multiples of q.

    Products are within ``product``·q for all factors.
    """

    digit: int = HALF
    whole = split = True
    high = ring = False
    lane = LANE
    least = 3
    shortest = 0
    product = Fraction(3, 2)

    @property
    def most(self) -> Fraction:
        """The largest factor, in multiples of q."""
        return Fraction(FACTOR, self.top)

    @property
    def widest(self) -> Fraction:
        """The largest sum, in multiples of q."""
        return Fraction(SUMMAND, self.top)

    @property
    def places(self) -> dict[str, int]:
        """The offsets of constants in a plan: of q, and after 1/q, R^2 and 2^digit·R mod q, of the high half of q."""
        return {"q": 0, "qh": 4}

    def letters(self, pairs: bool) -> str:
        """Return the columns of a table for each twiddle, by the first letters of their names."""
        return "vwef"
