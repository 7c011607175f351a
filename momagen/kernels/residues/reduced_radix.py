"""Residues in reduced-radix digits: how they are held, and how far values and digits drift before a reduction.

A plan asks for digits with what it knows of the transform; `integer_digits` and `double_digits` search the range plan:
the fewest digits that hold what all levels leave.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from momagen.ir.real import MANTISSA

from .arith import Arith

LEVELS = 6
"""The most levels of a pass."""


@dataclass(frozen=True)
class ReducedRadix(Arith):
    """Residues modulo q of at most ``bits`` bits, in digits of ``word`` bits. What is asked for:

    Attributes:
        lane: bits of the lane that holds a digit.
        levels: log2 n. doubling: sums double at every level (Gentleman–Sande); else each adds a product.
        m_in, m_out: values come in below m_in·q, and leave below m_out·q or less.
        over: what the last level leaves is divided by 2^over, instead of scaled; 0: it is scaled.
        folds: constants that differ by lane are folded as the shared ones are, and bring no Shoup quotient.
        packed: constants that differ by lane come as residues in words, and their quotients are computed.
        rests: residues rest in words between passes, for which what levels leave is reduced too.

    What is found, the range plan:

    Attributes:
        words: digits per residue.
        real: digits are held in doubles, and values have either sign. over_q: constants bring quotients by q.
        grown: g: a product by a constant is within g·q. deep: its Shoup quotient takes in one more column.
        half: products by folded constants are within half·q of zero; 0: they are not negative.
        reach: every value between levels is within reach·q.
        factor: factors are within factor·q, as every pass begins with a reduction; 0: within reach·q.
        run, opening: the most levels of a pass, and of the first one.
        loose: digits between levels lie within ±2^loose; begun: where sums double, those of products within ±begun.
        pace: carries of sums are normalised every ``pace`` levels and at the end of a pass.
        settles: carries are normalised at every level, or every few levels.
        settles_between, reduces_between: passes begin with carries normalised; with values next to zero.
        reduces: values that would grow too large are reduced before products, and after sums that double.
        cut: bits that the estimate of a quotient leaves out.
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
        """Shoup's attribute: every column below the quotient is dropped."""
        return self.width // self.word

    @property
    def single(self) -> bool:
        """Whether one double holds a residue."""
        return self.real and self.words == 1

    @property
    def least(self) -> int:
        """The least modulus that the estimate of quotients serves."""
        return 1 << self.cut + 1

    def after(self, unsettled: int) -> int:
        """The bound of digits after ``unsettled`` levels in a row without carry normalisation, fewer than ``pace``."""
        return self.begun << unsettled if self.pace > 1 else 1 << self.loose

    def lift(self, m: int) -> int:
        """The multiple of q that values below m·q begin with, where they must not go below zero."""
        return (self.reach - m + 1) // 2 if self.half else self.reach // 2

    @property
    def sums_first(self) -> bool:
        """Whether the first two levels may be sums, but for one product: values then are within 4·m_in·q, where two
        products leave them within (2g + m_in)·q; with signs they begin at -q, and are within 3q."""
        return self.levels > 1 and (self.m_in == 1 if self.real else 3 * self.m_in < 2 * self.grown)

    @property
    def last(self) -> int:
        """Results of the last level are within last·q. Sums that are scaled then are products, too."""
        scaled = self.grown if self.real else power(self.grown)
        return scaled if self.doubling and not self.over else self.reach

    @property
    def resting(self) -> int:
        """Residues that rest in words between passes are below resting·q."""
        return 2 if self.bits % self.lane and not self.real else 1

    @property
    def shared_words(self) -> int:
        """Words of a constant that all lanes share: a product v·2^(word·i) mod q for every digit, and it over q."""
        return self.words * (self.words + self.over_q)

    @property
    def apart_words(self) -> int:
        """Words of a constant in one lane: itself and its Shoup quotient, or as ``shared_words``, or in the user's."""
        if self.packed:
            return -(-self.bits // self.lane)
        return self.shared_words if self.folds else 2 * self.words

    def unit(self, name: str, at: int) -> int:
        """In doubles, digit ``at`` of the input ``name``, low first, is held times 2^unit.

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


def power(x: int) -> int:
    """The least power of two that is not below ``x``."""
    return 1 << (x - 1).bit_length()


def fewest(a: ReducedRadix, fits: Callable[[int], bool]) -> int:
    """The least number of digits, which hold q at least, that ``fits``."""
    return next(filter(fits, range(-(-a.bits // a.word), 1 << 10)))
