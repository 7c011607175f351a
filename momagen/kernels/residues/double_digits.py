"""Residues in digits held in doubles: values of either sign, with the longest digits whose sums are still exact.

Digits are integers of up to 53 bits and a sign, so all sums below are exact; a codelet asks for every rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from momagen.ir.real import MANTISSA

from .lazy_digits import LEVELS, FreeArith

SHORTEST = 32
"""The fewest bits of a digit."""
LONGEST = 1024
"""The most bits of a modulus: the units of constants, 2^-(word·words) and more, are then normal doubles."""
SPREAD, KEPT = 24, 8
"""The least modulus has so many bits fewer than the width, and at least so many above the digits that the estimate of a
quotient leaves out: the estimate errs by less than 2^-KEPT + reach·2^(SPREAD - word)."""


@dataclass(frozen=True)
class RealArith(FreeArith):
    """As :class:`FreeArith`, with digits of ``word`` bits in doubles; constants are always folded.

    Attributes:
        quotients: up to so many digits, constants come with their precomputed quotients by q.
        between: the most levels of a pass where each pass but the first begins with a reduction; 0: no pass does.
    """

    folds: bool = True
    quotients: int = 1
    between: int = 0

    @property
    def kind(self) -> str:
        return "real"

    @property
    def real(self) -> bool:
        return True

    def _grown(self, count: int, tight: bool = False) -> int:
        """A quotient of ``count`` rounded parts; else factors and the Montgomery digit are within half of 2^word, the
        leading factor within 2^word."""
        return count // 2 + (1 if count <= self.quotients else 2)

    def _reach(self, count: int, tight: bool = False) -> int:
        grown = self._grown(count)
        if self.doubling:
            return max(grown, self.m_in) << (self.between or self.levels)
        return grown * self.levels + self.m_in

    @property
    def reach(self) -> int:
        return self._reach(self.words)

    @property
    def sums_first(self) -> bool:
        """They are within 3q where the first one begins at -q, and q is what a product adds at least."""
        return self.levels > 1 and self.m_in == 1 and self.reach > 2

    @property
    def last(self) -> int:
        return self.grown if self.doubling else self.reach

    @property
    def added(self) -> int:
        """The digits of a product by a constant are within ``added``: halves above and below, of all factors and of
        the quotient."""
        return 2 * self.words + 3 << self.word - 1

    @property
    def run(self) -> int:
        return self.between or (LEVELS if self.settles_between else max(self.levels, 1))

    @property
    def loose(self) -> int:
        """Digits between levels lie within ±2^loose: sums that double are normalised, all other values are products."""
        return (self.added if self.doubling else (1 << self.word) + self.run * self.added).bit_length()

    @property
    def settles(self) -> bool:
        return self.doubling

    @property
    def begun(self) -> int:
        """The digits that a run of levels begins with are within this: those of products, with a half more for what
        the halves themselves are rounded by."""
        return self.added + (1 << self.word - 1)

    @property
    def pace(self) -> int:
        """Digits double at every level without carry normalisation, and a double must still hold their sums."""
        return max(1, ((1 << MANTISSA) // self.begun).bit_length() - 1) if self.doubling and self.settles else 1

    def after(self, unsettled: int) -> int:
        return self.begun << unsettled if self.pace > 1 else 1 << self.loose

    @property
    def settles_between(self) -> bool:
        """Whether a pass begins with a carry normalisation; otherwise digits have room for the sums of all levels."""
        grows = not self.doubling and (1 << self.word) + self.levels * self.added > 1 << MANTISSA - 1
        return grows or self.reduces_between

    @property
    def reduces_between(self) -> bool:
        return self.between > 0

    @property
    def feasible(self) -> bool:
        """Whether all sums are exact: of digits that levels leave, of high halves, and of x - e·q in between and at the
        end."""
        room = 1 << MANTISSA - 2
        if (self.between or self.rests) and (self.reach + 3) << self.word > 1 << MANTISSA:
            return False
        return self.loose + self.doubling < MANTISSA and self.added <= room and (self.last + 3) << self.word <= room

    @property
    def cut(self) -> int:
        """The least modulus is 2^(cut + 1); the estimate of a quotient leaves out all digits but two."""
        spread = min(SPREAD, self.fitting) if self.over else SPREAD
        return max(self.word * max(self.words - 2, 0) + KEPT, self.bits - spread, 1) - 1

    @property
    def fitting(self) -> int:
        """So many bits fewer than the width a modulus may have, if quotients of what levels leave are to be right."""
        return self.word - 3 - self.reach.bit_length()

    @property
    def divides(self) -> bool:
        """Whether 2^levels may be divided out at the end."""
        held = self.bits + self.levels <= self.word * self.words
        return self.words > 1 and held and 2 * self.fitting >= SPREAD and 2 * self.levels < MANTISSA

    @property
    def resting(self) -> int:
        return 1

    @property
    def over_q(self) -> bool:
        return self.words <= self.quotients

    @property
    def shared_words(self) -> int:
        """Words of a constant: every W_i = v·2^(word·i) mod q, and W_i/q."""
        return self.words * (self.words + self.over_q)

    @property
    def quotient_at(self) -> int:
        return self.words**2

    def unit(self, name: str, at: int) -> int:
        """Digit ``at`` of the input ``name``, low first, is held times 2^unit.

        Products of two digits then stand at the unit of their column. The middle digit of a residue is held as it is:
        so 1024 bits stay within the exponents of doubles.
        """
        middle = self.word * (self.words // 2)
        if name == "v":
            row, column = divmod(at, self.words)
            return self.word * (column - row - (not self.over_q))
        if name == "u":
            return middle - self.word * at - MANTISSA
        return {"qn": middle, "mu": middle - self.cut - self.word}.get(name, self.word * at - middle)


def real_arith(
    bits: int, most: int, levels: int, doubling: bool, m_in: int = 1, quotients: int = 1, first: int = 0,
    rests: bool = False,
) -> RealArith:  # fmt: skip
    """The arithmetic with the fewest digits of at most ``most`` bits, and of these with the shortest.

    Args:
        first: levels of the first pass; where there are more levels and sums double, passes may begin with values that
            are reduced, which costs less than one more digit. 0: none does.
    """
    given = RealArith(bits, levels=levels, doubling=doubling, m_in=m_in, quotients=quotients, rests=rests)
    passes = range(first, LEVELS + 1) if doubling and 0 < first < levels else ()
    tried = (replace(given, word=word, between=b) for b in (0, *passes) for word in range(SHORTEST, most + 1))
    return min((a for a in tried if a.feasible), key=lambda a: (a.words, a.between > 0, -a.between, a.word))
