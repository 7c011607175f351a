"""Constants that rules derive: what each of them is, how a plan computes it, and how a plan or a table holds it.

Of a twiddle v there is r = v R mod q, of the modulus 1/q mod R, where R = 2^held is as long as a residue. Numbers are
cut into digits, as integers or in doubles.
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
"""The low half of a word; 2^LANE modulo 2^LANE - 2^HALF + 1."""


def cut(words: Sequence[Expr], low: int, bits: int, digits: int, size: int) -> list[Expr]:
    """``digits`` digits of ``bits`` bits from bit ``low`` on, of a number in words of ``size`` bits."""
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
    """How a constant is held.

    Attributes:
        number: which one, of :data:`DERIVED`. digits: so many of its lowest ones, of ``bits`` bits each.
        end: of a quotient by q, the power of two that stands above: floor(2^end v / q).
        unit: digits are doubles, the lowest one times 2^unit; None: they are integers.
        minus: digits are multiplied by -minus, where that is not 0.
        beside: digits stand side by side where lanes have numbers of their own, whose digits follow one another.
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
        """Puts it, of a ``number`` in words of ``size`` bits, to ``to[at]``, its digits ``step`` apart; their unit is
        lower by ``lower``."""
        low, found = len(number) * size - self.end if self.end else 0, list[Statement]()
        for i, digit in enumerate(cut(number, low, self.bits, self.digits, size)):
            value = 0 - digit * self.minus if self.minus else digit
            if self.unit is not None:
                value = Real(value, word((self.unit + i * self.bits) % (1 << 64)) - lower)
            found.append(Assign(to[i + at if self.beside else step * i + at], value))
        return found


def held_words(arith: Arith) -> list[Held]:
    """What tables on words hold of a twiddle."""
    return [Held(column, arith.words, arith.word, arith.held * (column == "over")) for column in arith.columns]


def _words(at: Expr, count: int) -> list[Expr]:
    return [at[i] for i in range(count)]


def _signed_digits(x: Expr) -> Expr:
    """x from 0 to q = 2^LANE - 2^HALF + 1, or x - q where that is nearer to 0, as signed digits of half a word."""
    moved = x + word(1 << HALF - 1)
    return (moved + (moved >> LANE - 1) * LOW) ^ word(1 << HALF - 1)


def _low_factor(r: Expr) -> Expr:
    """Of r below the same q, r/2^HALF mod q as signed digits: r1 + r0 - r0·2^HALF for both halves of r."""
    up, down = (r >> HALF) + (r & LOW), r << HALF
    return _signed_digits(up - down - (up < down) * LOW)


FRACTION = Name("fraction", Type.WORDS)
"""Where v over q stands, in ``length`` times as many words as a residue has."""


def _nearest() -> Expr:
    """v·2^HALF/q to the nearest integer."""
    return (FRACTION[0] >> HALF - 1) + 1 >> 1


def _signed_halves(v: Expr) -> Expr:
    """v, or v - q where its quotient is not below 2^(HALF - 1), as signed digits of half a word."""
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
"""By name, the constants that products ask for, of a twiddle v and of q alone: what each is, and its words."""
OF_VALUE = {"", "ratio", "balanced", "halves"}
"""Those of v that need no r."""
OVER = {"over", "near", "halves", "nearest"}
"""Those of v over q."""
