"""The twiddles of one level of a transform: the turn of each twiddle is a sum over the bits of its index."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from momagen.errors import build_error
from momagen.formula.atoms import Diagonal

REMEDY = "use another algorithm"
COMPARED = (3, 5, 6)
"""Indices whose turns are compared with the sums over their bits, besides the last index and a third of it."""


@dataclass(frozen=True)
class LevelTwiddles:
    """The twiddles of one level.

    Attributes:
        first: The turn of the twiddle with index 0.
        bits: The turn that each bit of an index adds, the lowest bit first.
    """

    first: Fraction
    bits: tuple[Fraction, ...]

    @classmethod
    def read(cls, turn: Callable[[int], Fraction], bits: int) -> LevelTwiddles:
        """Return the twiddles of 2^bits indices.

        Args:
            turn: A function that returns the turn of the twiddle with an index.
            bits: The number of bits of an index.

        Raises:
            MomagenError: A turn is not the sum over the bits of its index.
        """
        first = turn(0)
        found = cls(first, tuple((turn(1 << at) - first) % 1 for at in range(bits)))
        last = (1 << bits) - 1
        compared = (index for index in (*COMPARED, last // 3, last) if index <= last)
        if any(turn(index) != found.turn(index) for index in compared):
            raise build_error(f"the twiddles of level {bits} are not sums over bits", "formula", REMEDY)
        return found

    def turn(self, index: int) -> Fraction:
        """Return the turn of the twiddle with an index."""
        return (self.first + sum(bit for at, bit in enumerate(self.bits) if index >> at & 1)) % 1


def turn_at(diagonals: Iterable[Diagonal], index: int) -> Fraction:
    """Return the turn by which diagonal matrices multiply the value with an index."""
    return sum((each.angle(index) for each in diagonals), Fraction(0)) % 1
