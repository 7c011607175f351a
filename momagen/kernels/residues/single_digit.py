"""Arithmetic on residues that fit one digit or one word, each within known multiples of q, of either sign.

A value is within [lo·q, hi·q). As a summand it may lie anywhere in its lane. On a digit, products are Montgomery's,
within q of a multiple of q that is free to choose; factors lie from 0 to room·q ≤ 2^word. On a word of machines that
have both halves of its products, they are Montgomery's within q of zero, and factors have signs or none. On a longer
word they are Shoup's, with quotients by halves of the factor and of its own: multiply-adds of digits where machines
have them, or products of half words; the low halves of two products of words give the rest.

On 512-bit lanes of Intel's cores, where the low half of a product of words is three uops, a product is 12 with
multiply-adds and 15 without. Sums of digits for those low halves too, y in 52 bits and 12, are 14 and six words a
constant; two digits and one of Montgomery 17, and their sums twice as many.
"""

from __future__ import annotations

from dataclasses import dataclass

from .arith import Arith

LANE = 64
"""Bits of a lane where digits stand in it, or words whose products have no high half."""
HALF = LANE // 2
LEAST = 4
"""Sums may reach 4q where factors may not: one conditional subtraction brings them down."""
FAR, FAR_OF_WORDS = 8, {16: 4, 32: 64}
"""The range from which a product by 1 reduces with fewer operations than conditional subtractions: on a digit, and on
words by their bits, as longer ones are multiplied in halves."""
WIDE = 3
"""The range that a summand and a product take together; shorter words take products from 0 to q."""


@dataclass(frozen=True)
class OneDigit(Arith):
    """Residues modulo any odd q below 2^bits: one digit of ``word`` bits in a longer lane, or one word that leaves room
    for a product, with quotients made of products of ``digit`` bits. ``room``·q is the largest factor.

    Attributes:
        lane: bits of a lane. high: whether the machine has high halves of products of words, and reduces by them.
        rounds: whether it has those to the nearest, too.
        ring: whether what stands above the digit in its lane is of no account, so that products, Shoup's, need no
            difference: values are modulo 2^word, and no level reduces them.
    """

    word: int = 52
    lane: int = LANE
    high: bool = False
    ring: bool = False
    rounds: bool = False

    @property
    def whole(self) -> bool:
        """Whether a residue is a word, as its lane."""
        return self.word == self.lane

    @property
    def split(self) -> bool:
        """Whether quotients are made of halves of words."""
        return self.whole and not self.high

    @property
    def most(self) -> int:
        """The longest range of values after a level."""
        return self.room if self.high else max(self.room, LEAST)

    @property
    def far(self) -> int:
        """The range of results from which a product by 1 reduces them."""
        return FAR_OF_WORDS[self.word] if self.high else self.room if self.whole else LEAST if self.ring else FAR

    @property
    def tight(self) -> bool:
        """Whether products are reduced to [0, q), as the word is too short for sums with others."""
        return self.high and self.room < WIDE

    @property
    def spread(self) -> int:
        """The length of the range of products."""
        if not self.split:
            return 2 - self.tight
        return 3 if self.digit > HALF else 4

    @property
    def places(self) -> dict[str, int]:
        """Where a plan has, behind q, 1/q, R^2 and 2^digit·R mod q: 1/q modulo a digit, or ⌊2^digit/q⌋."""
        return {"q": 0, "mu" if self.ring else "qi": 4}

    @property
    def zeroth(self) -> int:
        """Where a plan has twiddle 0."""
        return 5

    @property
    def shortest(self) -> int:
        """Moduli have more bits than these."""
        return 0

    def letters(self, pairs: bool) -> str:
        """What a table holds of each twiddle, by the first letters of their names; ``pairs``: quotients by q too."""
        return "vu"[: 1 + (pairs or self.ring)] if not self.split else "vfeg" if pairs and self.digit > HALF else "vfe"


def unreduced(bits: int, digit: int, levels: int, most: int, back: bool) -> bool:
    """Whether ``levels`` of values below most·q on one digit need no reduction: on the way back their range doubles."""
    reach = most * (LEAST << levels) if back else most + (2 * levels << 1)
    return reach << bits <= 1 << digit


def longest(digit: int, word: int = LANE) -> int:
    """The most bits of a modulus such that a word holds a product and a summand; ``digit``: of the target."""
    return word - (1 if word < LANE else 2 if digit > HALF else 3)


def one_word(bits: int, digit: int) -> OneDigit:
    """On words; ``digit``: of the target's multiply-adds, 0: it has none."""
    return OneDigit(bits, LANE, digit=digit or HALF)


def one_digit(
    bits: int, digit: int, word: int = LANE, *, ring: bool = False, rounds: bool = False
) -> OneDigit:  # fmt: skip
    """The arithmetic for residues of one digit if they are that short, else of one word of ``word`` bits; ``digit``,
    ``rounds``: of the target; ``ring``: of digits."""
    if word < LANE:
        return OneDigit(bits, word, lane=word, high=True, rounds=rounds)
    return OneDigit(bits, digit, ring=ring) if bits <= digit else one_word(bits, digit)
