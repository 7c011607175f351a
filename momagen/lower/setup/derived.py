"""The constants that rules derive: their definitions, their computation, and their representation in plans and tables.

From a twiddle v they derive r = v R mod q, and from the modulus 1/q mod R, where R = 2^held and held is the
number of bits of the words of a residue. Numbers are divided into limbs, which are integers or doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.single_digit import HALF, LANE
from momagen.lower.names import C
from momagen.program import Expr, Name, Real, Statement, Type
from momagen.program.build import word
from momagen.program.statements import Assign

LOW = word((1 << HALF) - 1)
"""The mask of the low half of a word, which is also 2^LANE modulo 2^LANE - 2^HALF + 1."""


def cut(words: Sequence[Expr], low: int, bits: int, digits: int, size: int) -> list[Expr]:
    """Return limbs of a number, low limb first.

    Args:
        words: The words of the number, low word first.
        low: The index of the first bit of the first limb.
        bits: The number of bits of a limb.
        digits: The number of limbs.
        size: The number of bits of a word.
    """
    return [_bits(words, low + i * bits, bits, size) for i in range(digits)]


def _bits(words: Sequence[Expr], low: int, bits: int, size: int) -> Expr:
    at, offset = divmod(low, size)
    if at >= len(words):
        return word(0)
    found = words[at] >> offset if offset else words[at]
    if offset + bits > size and at + 1 < len(words):
        found = found | words[at + 1] << size - offset
    return found if bits == size or low + bits >= len(words) * size else found & word((1 << bits) - 1)


class Held(NamedTuple):
    """The representation of a constant.

    Attributes:
        number: The name of the constant, a key of :data:`DERIVED`.
        digits: The number of its lowest limbs that are stored.
        bits: The number of bits of a limb.
        end: For a quotient by q, the exponent of its numerator: floor(2^end v / q). Otherwise 0.
        unit: For limbs in doubles, the exponent of the lowest one, which is multiplied by 2^unit. It is None
            for integers.
        minus: If it is not 0, each limb is multiplied by -minus.
        beside: Whether the limbs of a number are adjacent even if each lane has a different number. Otherwise
            the same limb of all lanes is adjacent.
    """

    number: str
    digits: int
    bits: int
    end: int = 0
    unit: int | None = None
    minus: int = 0
    beside: bool = False

    def __str__(self) -> str:
        meaning, real = DERIVED[self.number][0].format(end=self.end), "floating-point " * (self.unit is not None)
        meaning = f"{meaning} with each limb times -{self.minus}" if self.minus else meaning
        return f"{meaning} ({self.digits} {real}limb{'s' * (self.digits > 1)} of {self.bits} bits)"

    def put(self, number: Sequence[Expr], size: int, to: Expr, at: Expr, step: Expr, lower: Expr) -> list[Statement]:
        """Return statements that store the constant.

        Args:
            number: The words of the constant, low word first.
            size: The number of bits of a word.
            to: The array.
            at: The index of the first limb.
            step: The distance of the limbs.
            lower: A number that is subtracted from the exponents of limbs in doubles.
        """
        low, found = len(number) * size - self.end if self.end else 0, list[Statement]()
        for i, digit in enumerate(cut(number, low, self.bits, self.digits, size)):
            value = 0 - digit * self.minus if self.minus else digit
            if self.unit is not None:
                value = Real(value, word((self.unit + i * self.bits) % (1 << 64)) - lower)
            found.append(Assign(to[i + at if self.beside else step * i + at], value))
        return found


def held_words(arith: Arith) -> list[Held]:
    """Return the representation of the constants that tables on words contain for a twiddle."""
    return [Held(column, arith.words, arith.word, arith.held * (column == "over")) for column in arith.columns]


def _words(at: Expr, count: int) -> list[Expr]:
    return [at[i] for i in range(count)]


def _signed_digits(x: Expr) -> Expr:
    """Return x or x - q, whichever is closer to 0, as signed half words, for 0 ≤ x ≤ q = 2^LANE - 2^HALF + 1."""
    moved = x + word(1 << HALF - 1)
    return (moved + (moved >> LANE - 1) * LOW) ^ word(1 << HALF - 1)


def _low_factor(r: Expr) -> Expr:
    """Return r/2^HALF mod q as signed half words, for r below the same q.

    If r0 and r1 are the low and the high half of r, the result is congruent to r1 + r0 - r0·2^HALF.
    """
    up, down = (r >> HALF) + (r & LOW), r << HALF
    return _signed_digits(up - down - (up < down) * LOW)


FRACTION = Name("fraction", Type.WORDS)
"""The array of the quotient of v by q, which has ``length`` times the words of a residue."""


def _nearest() -> Expr:
    """Return v·2^HALF/q, rounded to the nearest integer."""
    return (FRACTION[0] >> HALF - 1) + 1 >> 1


def _signed_halves(v: Expr) -> Expr:
    """Return v, or v - q if its quotient is at least 2^(HALF - 1), as signed half words."""
    around = v - C[0] * (_nearest() + word(1 << HALF - 1) >> HALF)
    return around + word(1 << HALF - 1) ^ word(1 << HALF - 1)


DERIVED: dict[str, tuple[str, Callable[[Expr, Expr, int, int], list[Expr]]]] = {
    "": ("v", lambda v, r, count, length: _words(v, count)),
    "over": ("floor(2^{end} v / q)", lambda v, r, count, length: _words(FRACTION, count * length)),
    "scaled": ("v R mod q", lambda v, r, count, length: _words(r, count)),
    "balanced": ("v between -q/2 and q/2", lambda v, r, count, length: [v[0] - C[0] * ((C[0] >> 1) - v[0] >> 63)]),
    "near": (
        "floor(2^{end} v / q) to 54 bits for v between -q/2 and q/2",
        lambda v, r, count, length: [FRACTION[count * length - 1] & word((1 << 64) - (1 << 10))],
    ),
    "low_factor": ("v R^(1/2) mod q in signed half words", lambda v, r, count, length: [_low_factor(r[0])]),
    "high_factor": ("v R mod q in signed half words", lambda v, r, count, length: [_signed_digits(r[0])]),
    "halves": ("v between -q/2 and q/2 in signed half words", lambda v, r, count, length: [_signed_halves(v[0])]),
    "nearest": ("v R^(1/2) / q rounded to the nearest integer", lambda v, r, count, length: [_nearest() & LOW]),
    "ratio": ("v / q mod R", lambda v, r, count, length: [v[0] * C[count]]),
    "high_half": (
        "q / R^(1/2) rounded to the nearest integer",
        lambda v, r, count, length: [C[0] + word(1 << HALF - 1) >> HALF],
    ),
    "modulus": ("q", lambda v, r, count, length: _words(C, count)),
    "inverse": ("1 / q mod R", lambda v, r, count, length: _words(C + count, count)),
    "opposite": ("-1 / q mod R", lambda v, r, count, length: [0 - C[count]]),
}
"""The constants that products need of a twiddle v and of q alone, by name.

Each row has the definition, and a function that returns the words of the constant."""
OF_VALUE = {"", "ratio", "balanced", "halves"}
"""The constants of v that are computed without r."""
OVER = {"over", "near", "halves", "nearest"}
"""The constants that are computed from the quotient of v by q."""
