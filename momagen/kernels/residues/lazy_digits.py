"""Residues in digits with slack: lazy reduction. Butterflies do not reduce; results are reduced once, at the end.

Digits have ``word`` bits in lanes of ``lane`` bits. Factors are digits modulo 2^word, so values must stay in [0, R),
R = 2^held: they start at offset·q, and no level subtracts more than g·q. Digits in doubles (`real`) have either sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .arith import Arith

LEVELS = 6
"""The most levels of a pass."""
LOOSE, DOUBLED, SETTLED = 62, 61, 59
"""Bounds of digits in 64-bit lanes: ±2^LOOSE where no level normalises carries, ±2^DOUBLED where sums double until a
level normalises them, else ±2^SETTLED. Every level adds less than 4·words·2^word."""


@dataclass(frozen=True)
class FreeArith(Arith):
    """Residues modulo q of at most ``bits`` bits, for transforms of ``levels`` = log2 n levels.

    Attributes:
        lane: bits of the lane that holds a digit.
        levels: how often a sum may double, where it may at all (``doubling``: Gentleman–Sande butterflies).
        m_in, m_out: values come in below m_in·q, and leave below m_out·q or less.
        over: what the last level leaves is divided by 2^over, instead of scaled; 0: it is scaled.
        folds: constants that differ by lane are folded as the shared ones are, and bring no Shoup quotient.
        packed: constants that differ by lane come as residues in words, and their quotients are computed (`packed`).
        rests: residues rest in words between passes, for which what levels leave is reduced too.
        spare: bits that digits have beyond what values need.
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
    spare: int = 0

    @cached_property
    def words(self) -> int:
        """Digits per residue: they hold the largest value between levels or, where sums double, a difference of two."""
        return self._least(self.tight)

    @property
    def kind(self) -> str:
        return "free"

    @property
    def k(self) -> int:
        """Shoup's attribute: every column below the quotient is dropped."""
        return self.width // self.word

    @property
    def real(self) -> bool:
        """Whether digits are held in doubles, and values have either sign."""
        return False

    @property
    def single(self) -> bool:
        """Whether one double holds a residue."""
        return self.real and self.words == 1

    @property
    def over_q(self) -> bool:
        """Whether constants are folded and come with their precomputed quotients by q."""
        return False

    @property
    def reduces(self) -> bool:
        """Whether values that would grow too large are reduced to within about q/2 of zero."""
        return False

    @property
    def begun(self) -> int:
        """Where sums double: the bound of the digits at the start of a run of levels, which are those of products."""
        return 4 * self.words << self.word

    @property
    def loose(self) -> int:
        """Digits between levels lie within ±2^loose, so that a column of products fits the lane. Sums that double are
        normalised; all other values are products."""
        if self.doubling:
            return self.begun.bit_length()
        return LOOSE if self.steps * 4 * self.words << self.word <= 1 << LOOSE else SETTLED

    @property
    def steps(self) -> int:
        """How often digits grow by less than 4·words·2^word."""
        return self.levels

    @property
    def run(self) -> int:
        """The most levels of a pass."""
        return LEVELS

    @property
    def settles(self) -> bool:
        """Whether carries are normalised at every level, or every few levels."""
        return self.doubling or self.loose <= SETTLED

    @property
    def pace(self) -> int:
        """The carry-normalisation period: sums are normalised every ``pace`` levels and at the end of a pass."""
        return ((1 << DOUBLED) // self.begun).bit_length() if self.doubling else 1

    def after(self, unsettled: int) -> int:
        """The bound of digits after ``unsettled`` levels in a row without carry normalisation, fewer than ``pace``."""
        return self.begun << unsettled if self.doubling else 1 << self.loose

    @property
    def settles_between(self) -> bool:
        """Whether a pass begins with a carry normalisation, because the pass before does not end with one."""
        return False

    @cached_property
    def deep(self) -> bool:
        """Whether Shoup quotients take in one more column, and are nearly exact, because that saves a digit."""
        return not self.folds and not self.spare and self._least(True) < self._least(False)

    @property
    def tight(self) -> bool:
        """Whether all products by constants are within the bound of folding."""
        return self.folds or self.deep

    def _least(self, tight: bool) -> int:
        """Digits that hold what all levels leave: reach·q or more only where they have a sign."""
        need = self.bits + self.doubling + self.spare

        def room(count: int) -> int:
            return (self._reach(count, tight) - (not self.real)).bit_length()

        return next(c for c in range(1, 1 << 10) if c * self.word >= need + room(c))

    def _grown(self, count: int, tight: bool) -> int:
        """A product in multiples of q: count + 1 by folding; 2 for each digit of the operation's width by a truncated
        quotient, or 3 if that takes in one more column."""
        return max(count + 1, 3 if tight else 2 << (count - 1).bit_length())

    @property
    def once_a_pass(self) -> bool:
        """Whether values are reduced at the start of every pass, the first one included, and nowhere else."""
        return False

    @property
    def factor(self) -> int:
        """Factors are within factor·q; 0: within reach·q."""
        return 0

    @property
    def reduces_between(self) -> bool:
        """Whether a pass begins with values reduced to within about q/2 of zero."""
        return False

    @property
    def grown(self) -> int:
        """g: a product by a constant is within g·q."""
        return self._grown(self.words, self.tight)

    def _reach(self, count: int, tight: bool) -> int:
        grown = self._grown(count, tight)
        return 4 * grown << max(self.levels, 4) if self.doubling else 2 * self._offset(count, tight)

    @property
    def reach(self) -> int:
        """Every value between levels is within reach·q, a power of two: sums double at each level."""
        return 1 << (self._reach(self.words, self.tight) - 1).bit_length()

    def _offset(self, count: int, tight: bool) -> int:
        return 1 << (self._grown(count, tight) * self.levels + self.m_in - 2).bit_length()

    @property
    def offset(self) -> int:
        """A power of two, at least m_in - 1 plus g for each level, which is what differences subtract in all."""
        return self._offset(self.words, self.tight)

    @property
    def half(self) -> int:
        """Products by folded constants are within half·q of zero; 0: they are not negative."""
        return 0

    def lift(self, m: int) -> int:
        """The multiple of q that values below m·q begin with, where they must not go below zero."""
        return self.offset

    @property
    def opening(self) -> int:
        """Levels of the first pass at most."""
        return self.run

    @property
    def sums_first(self) -> bool:
        """Whether the first two levels may be sums, but for one product: values then are within 4·m_in·q, where two
        products would leave them within (2g + m_in)·q."""
        return self.levels > 1 and 3 * self.m_in < 2 * self.grown

    @property
    def last(self) -> int:
        """A power of two: results of the last level are within last·q. Sums that are scaled then are products, too."""
        return 1 << (self.grown - 1).bit_length() if self.doubling and not self.over else self.reach

    @property
    def resting(self) -> int:
        """Residues that rest in words between passes are below resting·q."""
        return 2 if self.bits % self.lane else 1

    @property
    def shared_words(self) -> int:
        """Words of a constant that all lanes share: W_i = v·2^(word·(i + 1)) mod q for every digit i."""
        return self.words**2

    @property
    def apart_words(self) -> int:
        """Words of a constant in one lane: itself and its Shoup quotient, or as ``shared_words``, or in the user's."""
        if self.packed:
            return -(-self.bits // self.lane)
        return self.shared_words if self.folds else 2 * self.words

    @property
    def quotient_at(self) -> int:
        """Words of a constant before its quotient."""
        return self.words

    @property
    def cut(self) -> int:
        """Bits that the estimate of a quotient leaves out: whole digits if what is left stays below 2^(word - 1)."""
        whole = self.word * ((self.bits - 2) // self.word)
        most = self.bits + (self.reach if self.rests else self.last).bit_length()
        return whole if most - whole < self.word else most - self.word + 1

    @property
    def least(self) -> int:
        """The least modulus that the estimate serves."""
        return 1 << self.cut + 1
