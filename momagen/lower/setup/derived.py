"""Constants that rules derive: what each of them is, how a plan computes it, and how a plan or a table holds it.

Of a twiddle v there is r = v R mod q, of the modulus 1/q mod R, where R = 2^held is as long as a residue. Numbers are
cut into digits, as integers or in doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from momagen.lower.names import C
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Real
from momagen.program.build import word
from momagen.program.expressions import Operand


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


@dataclass(frozen=True)
class Held:
    """How a constant is held.

    Attributes:
        number: which one, of :data:`DERIVED`. digits: so many of its lowest ones, of ``bits`` bits each.
        end: of a quotient by q, the power of two that stands above: floor(2^end v / q).
        unit: digits are doubles, the lowest one times 2^unit; None: they are integers.
        minus: digits are multiplied by -minus, where that is not 0.
    """

    number: str
    digits: int
    bits: int
    end: int = 0
    unit: int | None = None
    minus: int = 0

    def __str__(self) -> str:
        meaning, real = DERIVED[self.number][0].format(end=self.end), " in doubles" * (self.unit is not None)
        meaning = f"-{self.minus} {meaning} digit by digit" if self.minus else meaning
        return f"{meaning}, {self.digits} digit{'s' * (self.digits > 1)} of {self.bits} bits{real}"


class DerivedNumbers:
    """Appends to ``f`` what computes constants of the twiddle at ``r``, which is v itself where it is ``plain``, each
    once; quotients are as long as ``quotient`` residues."""

    def __init__(self, writer: ProgramWriter, f: Function, r: Expr, quotient: int, plain: bool = False) -> None:
        self.writer, self.f, self.r, self.quotient, self.count = writer, f, r, quotient, writer.arith.words
        self._found: dict[str, Sequence[Expr]] = {"": self.words(r)} if plain else {}

    def words(self, at: Expr, residues: int = 1) -> list[Expr]:
        """The words of a number."""
        return [at[i] for i in range(self.count * residues)]

    def called(self, name: str, function: str, *args: Expr, residues: int = 1) -> list[Expr]:
        """The words of a new array ``name``, which ``function`` fills."""
        found = self.f.array(name, self.count * residues)
        self.f.do(self.writer.call(function, found, *args, C))
        return self.words(found, residues)

    def number(self, name: str) -> Sequence[Expr]:
        """The words of the constant ``name``; it is computed where it is asked for first."""
        if name not in self._found:
            self._found[name] = DERIVED[name][1](self)
        return self._found[name]

    def put(self, column: Held, to: Expr, at: Operand, step: Operand = 1, lower: Operand = 0) -> None:
        """``column`` at ``to[at]``, its digits ``step`` apart; their unit is lower by ``lower``."""
        words, size = self.number(column.number), self.writer.arith.word
        low = len(words) * size - column.end if column.end else 0
        for i, digit in enumerate(cut(words, low, column.bits, column.digits, size)):
            value = 0 - digit * column.minus if column.minus else digit
            if column.unit is not None:
                value = Real(value, word((column.unit + i * column.bits) % (1 << 64)) - lower)
            self.f.set(to[step * i + at], value)


def _over(d: DerivedNumbers) -> list[Expr]:
    if d.quotient == 1:
        return d.called("fraction", "quot", d.r, d.r)
    return d.called("fraction", "put_fraction", d.r, residues=d.quotient)


DERIVED: dict[str, tuple[str, Callable[[DerivedNumbers], list[Expr]]]] = {
    "": ("v", lambda d: d.called("v", "mont", d.r, d.writer.literal(1))),
    "over": ("floor(2^{end} v / q)", _over),
    "scaled": ("v R mod q", lambda d: d.words(d.r)),
    "ratio": ("v / q mod R", lambda d: [d.number("")[0] * C[d.count]]),
    "modulus": ("q", lambda d: d.words(C)),
    "inverse": ("1 / q mod R", lambda d: d.words(C + d.count)),
    "opposite": ("-1 / q mod R", lambda d: [0 - C[d.count]]),
}
"""By name, the constants that products ask for, of a twiddle v and of q alone: what each is, and its words."""
OF_VALUE = {"", "ratio"}
"""Those of v that need no r."""
