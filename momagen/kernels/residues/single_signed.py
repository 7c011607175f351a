"""Arithmetic on residues that fit one signed word, on lanes that multiply half words.

A factor is two signed digits, and the constant that it meets is known for each of them, reduced modulo q: so the
quotient of the product by q is half a word, and two half products make it. With quotients to the nearest a digit errs
by q/4, and the quotient falls short by one at most: a product is from -q/2 to 3q/2, and sums need no constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .arith import Arith
from .single_digit import HALF, LANE

SUMMAND = (1 << LANE - 1) - 1
"""The largest sum."""
FACTOR = (1 << LANE - 1) - (1 << HALF)
"""The largest factor, of either sign: its high digit is above the least one."""
ROOM = 3
"""Bits that a word has more than the modulus: a sum of a reduced value and a product, of either sign, is a factor."""


@dataclass(frozen=True)
class OneSigned(Arith):
    """Residues modulo any odd q below 2^bits, as signed words within known multiples of q; products are within
    ``product``·q, whatever their factors."""

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
        """Where a plan has q; and behind 1/q, R^2 and 2^digit·R mod q its high half."""
        return {"q": 0, "qh": 4}

    @property
    def zeroth(self) -> int:
        """Where a plan has twiddle 0."""
        return 5

    def letters(self, pairs: bool) -> str:
        """What a table holds of each twiddle, by the first letters of their names."""
        return "vwef"


def longest_signed(lane: int = LANE) -> int:
    """The most bits of a modulus."""
    return lane - ROOM
