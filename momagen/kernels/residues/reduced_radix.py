"""Residues in reduced-radix limbs: their representation, and the growth of values and limbs before a reduction.

A plan requests a representation for the properties of a transform. `integer_digits` and `double_digits`
search the range plan: the fewest limbs that hold all values of all levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from momagen.ir.real import MANTISSA

from .arith import Arith

LEVELS = 6
"""The largest number of levels of a pass."""


PAIRED = 3
"""The largest number of limbs for which two butterflies are interleaved by default."""


@dataclass(frozen=True)
class ReducedRadix(Arith):
    """Residues modulo q of at most ``bits`` bits, in limbs of ``word`` bits.

    The attributes up to ``rests`` are requested. The other ones are the range plan.

    Attributes:
        word: The number of bits of a limb.
        lane: The number of bits of the lane that holds a limb.
        levels: The number of levels, log2 n.
        doubling: Whether sums double at every level (Gentleman–Sande); otherwise each level adds a product.
        m_in: The inputs are below m_in·q.
        m_out: The results are below m_out·q or a smaller bound.
        over: The results of the last level are divided by 2^over instead of scaled; 0 if they are scaled.
        folds: Whether constants that differ by lane are folded as the shared ones are, and have no Shoup
            quotients.
        packed: Whether constants that differ by lane are residues in words, whose quotients are computed.
        rests: Whether residues are stored as words between passes, which reduces the results of levels as
            well.
        words: The number of limbs of a residue.
        real: Whether limbs are doubles and values have either sign.
        over_q: Whether constants come with quotients by q.
        grown: The bound g of a product by a constant, in multiples of q.
        deep: Whether its Shoup quotient includes one more column.
        half: Products by folded constants are within half·q of zero; if it is 0, they are not negative.
        reach: The bound of every value between levels, in multiples of q.
        factor: The bound of factors in multiples of q if every pass begins with a reduction, or 0 if it is
            ``reach``.
        run: The largest number of levels of a pass.
        opening: The largest number of levels of the first pass.
        loose: Limbs between levels are within ±2^loose.
        begun: If sums double, the limbs of products are within ±begun.
        pace: Carries of sums are normalised every ``pace`` levels and at the end of a pass.
        settles: Whether carries are normalised at every level, or every few levels.
        settles_between: Whether passes begin with a carry normalisation.
        reduces_between: Whether passes begin with a reduction to values around zero.
        reduces: Whether values that would become too large are reduced before products, and after sums that
            double.
        cut: The number of bits that the estimate of a quotient omits.
    """

    word: int = 52
    lane: int = 64
    levels: int = 1
    doubling: bool = False
    m_in: int = 1
    m_out: int = 1
    over: int = 0
    folds: bool = False
    packed: bool = False
    rests: bool = False
    words: int = 0
    real: bool = False
    over_q: bool = False
    grown: int = 0
    deep: bool = False
    half: int = 0
    reach: int = 0
    factor: int = 0
    run: int = LEVELS
    opening: int = LEVELS
    loose: int = 0
    begun: int = 0
    pace: int = 1
    settles: bool = False
    settles_between: bool = False
    reduces_between: bool = False
    reduces: bool = False
    cut: int = 0

    @property
    def k(self) -> int:
        """The attribute k of Shoup's products: every column below the quotient is omitted."""
        return self.width // self.word

    @property
    def short(self) -> bool:
        """Whether a butterfly has so few limbs that two of them are interleaved, so that one proceeds while one waits.

        With more limbs, one butterfly occupies the machine and its registers.
        """
        return self.words <= PAIRED

    @property
    def single(self) -> bool:
        """Whether one double holds a residue."""
        return self.real and self.words == 1

    @property
    def least(self) -> int:
        """The least modulus for which the estimate of quotients is accurate."""
        return 1 << self.cut + 1

    def after(self, unsettled: int) -> int:
        """Return the bound of limbs after ``unsettled`` successive levels without carry normalisation.

        There are fewer such levels than ``pace``.
        """
        return self.begun << unsettled if self.pace > 1 else 1 << self.loose

    def lift(self, m: int) -> int:
        """Return the offset, in multiples of q, of values below m·q that must not become negative."""
        return (self.reach - m + 1) // 2 if self.half else self.reach // 2

    @property
    def sums_first(self) -> bool:
        """Whether the first two levels may be sums, except for one product.

        Values then are within 4·m_in·q, while two products leave them within (2g + m_in)·q. Signed values
        begin at -q, and are within 3q.
        """
        return self.levels > 1 and (self.m_in == 1 if self.real else 3 * self.m_in < 2 * self.grown)

    @property
    def last(self) -> int:
        """The bound of the results of the last level, in multiples of q.

        Sums that are scaled afterwards are products, too.
        """
        scaled = self.grown if self.real else power(self.grown)
        return scaled if self.doubling and not self.over else self.reach

    @property
    def resting(self) -> int:
        """The bound of residues that are stored as words between passes, in multiples of q."""
        return 2 if self.bits % self.lane and not self.real else 1

    @property
    def shared_words(self) -> int:
        """The number of words of a constant that all lanes share.

        They are v·2^(word·i) mod q for every limb i, and the quotient by q.
        """
        return self.words * (self.words + self.over_q)

    @property
    def apart_words(self) -> int:
        """The number of words of a constant in one lane.

        They are the constant and its Shoup quotient, the words of ``shared_words``, or the packed residue.
        """
        if self.packed:
            return -(-self.bits // self.lane)
        return self.shared_words if self.folds else 2 * self.words

    def unit(self, name: str, at: int) -> int:
        """Return the exponent of the unit of a limb in doubles.

        Limb ``at`` of the input ``name`` is multiplied by 2^unit. Products of two limbs then have the unit of
        their column. The unit of the middle limb of a residue is 1, so that 1024 bits stay within the
        exponents of doubles.

        Args:
            name: The name of the input.
            at: The number of the limb, the lowest first.
        """
        middle = self.word * (self.words // 2)
        if name == "v":
            row, column = divmod(at, self.words)
            return self.word * (column - row - (not self.over_q))
        if name == "u":
            return middle - self.word * at - MANTISSA
        return {"qn": middle, "mu": middle - self.cut - self.word}.get(name, self.word * at - middle)


def power(x: int) -> int:
    """Return the least power of two that is not below ``x``."""
    return 1 << (x - 1).bit_length()


def fewest(a: ReducedRadix, fits: Callable[[int], bool]) -> int:
    """Return the smallest number of limbs for which ``fits`` is true, and at least the number of limbs that hold q."""
    return next(filter(fits, range(-(-a.bits // a.word), 1 << 10)))
