"""Arithmetic on residues that fit one limb or one word, each within known multiples of q, of either sign.

A value is in [lo·q, hi·q). As a summand it may have any value that fits its lane. On a limb, products are
Montgomery's, within q of a multiple of q that can be chosen freely; factors are from 0 to room·q ≤ 2^word. On
a word of machines that have both halves of its products, products are Montgomery's within q of zero, and
factors are signed or unsigned. On a longer word products are Shoup's, whose quotients consist of products of
halves of the factor and of halves of the precomputed quotient: multiply-adds of limbs if the machine has
them, and products of half words otherwise. The low halves of two products of words determine the remainder.

On 512-bit lanes of Intel's cores, where the low half of a product of words is three uops, a product takes 12
uops with multiply-adds and 15 without. Sums of limbs for those low halves too, with y in 52 bits and 12, take
14 and six words for a constant; two limbs with one step of Montgomery's reduction take 17, and their sums
twice as many.
"""

from __future__ import annotations

from dataclasses import dataclass

from .arith import Arith

LANE = 64
"""The number of bits of a lane that holds a limb, or a word whose products have no high half."""
HALF = LANE // 2
"""The number of bits of half a lane."""
LEAST = 4
"""The multiple of q up to which sums are allowed even if factors are not: one conditional subtraction reduces them."""
FAR, FAR_OF_WORDS = 8, {16: 4, 32: 64}
"""The range from which on a product by 1 reduces with fewer operations than conditional subtractions: on a
limb, and on words by their number of bits, since longer ones are multiplied in halves."""
WIDE = 3
"""The sum of the ranges of a summand and a product. On shorter words, products are reduced to 0 … q."""


@dataclass(frozen=True)
class OneDigit(Arith):
    """Residues modulo any odd q below 2^bits, in one limb or one word.

    The limb has ``word`` bits in a longer lane. A word leaves headroom for a product, and its quotients
    consist of products of ``digit`` bits. The largest factor is ``room``·q.

    Attributes:
        word: The number of bits of a limb or word.
        lane: The number of bits of a lane.
        high: Whether the machine has high halves of products of words, and reduces by them.
        ring: Whether the bits of a lane above the limb are ignored, so that Shoup's products need no
            difference. Values are then modulo 2^word, and no level reduces them.
        rounds: Whether the machine has high halves rounded to the nearest integer, too.
    """

    word: int = 52
    lane: int = LANE
    high: bool = False
    ring: bool = False
    rounds: bool = False
    shortest = 0

    @property
    def whole(self) -> bool:
        """Whether a residue fills a word as long as its lane."""
        return self.word == self.lane

    @property
    def split(self) -> bool:
        """Whether quotients consist of products of half words."""
        return self.whole and not self.high

    @property
    def most(self) -> int:
        """The longest range of values after a level, in multiples of q."""
        return self.room if self.high else max(self.room, LEAST)

    @property
    def far(self) -> int:
        """The range of results, in multiples of q, from which on a product by 1 reduces them."""
        return FAR_OF_WORDS[self.word] if self.high else self.room if self.whole else LEAST if self.ring else FAR

    @property
    def tight(self) -> bool:
        """Whether products are reduced to [0, q), because the word is too short for sums with other products."""
        return self.high and self.room < WIDE

    @property
    def spread(self) -> int:
        """The length of the range of products, in multiples of q."""
        if not self.split:
            return 2 - self.tight
        return 3 if self.digit > HALF else 4

    @property
    def places(self) -> dict[str, int]:
        """The offset of 1/q modulo 2^word, or of ⌊2^digit/q⌋, in a plan, after q, 1/q, R^2 and 2^digit·R mod q."""
        return {"q": 0, "mu" if self.ring else "qi": 4}

    def letters(self, pairs: bool) -> str:
        """Return the columns of a table for each twiddle, by the first letters of their names.

        Args:
            pairs: Whether the table also contains quotients by q.
        """
        return "vu"[: 1 + (pairs or self.ring)] if not self.split else "vfeg" if pairs and self.digit > HALF else "vfe"


def unreduced(bits: int, digit: int, levels: int, most: int, back: bool) -> bool:
    """Return whether ``levels`` levels on one limb need no reduction, for inputs below most·q.

    Args:
        bits: The number of bits of the modulus.
        digit: The number of bits of the limb.
        levels: The number of levels.
        most: The bound of the inputs, in multiples of q.
        back: Whether butterflies are Gentleman–Sande ones, whose levels double the range of values.
    """
    reach = most * (LEAST << levels) if back else most + (2 * levels << 1)
    return reach << bits <= 1 << digit


def longest(digit: int, word: int = LANE) -> int:
    """Return the largest number of bits of a modulus for which a word holds the sum of a product and a summand.

    Args:
        digit: The number of bits of the target's multiply-adds.
        word: The number of bits of a word.
    """
    return word - (1 if word < LANE else 2 if digit > HALF else 3)


def one_word(bits: int, digit: int) -> OneDigit:
    """Return the arithmetic on words.

    ``digit`` is the number of bits of the target's multiply-adds, or 0 without any.
    """
    return OneDigit(bits, LANE, digit=digit or HALF)


def one_digit(
    bits: int, digit: int, word: int = LANE, *, ring: bool = False, rounds: bool = False
) -> OneDigit:  # fmt: skip
    """Return the arithmetic on one limb for residues that fit it, and otherwise on one word.

    Args:
        bits: The number of bits of the modulus.
        digit: The number of bits of the target's multiply-adds.
        word: The number of bits of a word.
        ring: Whether values in limbs are modulo 2^digit.
        rounds: Whether the target has rounded high products.
    """
    if word < LANE:
        return OneDigit(bits, word, lane=word, high=True, rounds=rounds)
    return OneDigit(bits, digit, ring=ring) if bits <= digit else one_word(bits, digit)
