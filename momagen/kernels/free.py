"""Residues in digits with slack: butterflies without a reduction, whose results drift and are reduced once at the end.

Digits have ``word`` bits in lanes of ``lane`` bits. A value inside a transform is known modulo R = 2^held; it stays
between 0 and reach·q, because it starts at offset·q and no level takes more than g·q away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from momagen.ir import Block, Builder, Value, refine

from .arith import Arith

LOOSE, SETTLED = 62, 59
"""Digits between levels lie within ±2^LOOSE where no level has to carry, else within ±2^SETTLED."""


@dataclass(frozen=True)
class FreeArith(Arith):
    """Residues modulo q of exactly ``bits`` bits, for transforms of ``levels`` = log2 n levels.

    Attributes:
        lane: bits of the lane that holds a digit. levels: how often a sum may double.
    """

    word: int = 52
    lane: int = 64
    levels: int = 1

    @cached_property
    def words(self) -> int:
        """Digits per residue: room for the multiples of q that all levels leave, and one bit for a difference."""
        count = 1
        while count * self.word < self.bits + (_grown(count) << max(self.levels, 4)).bit_length():
            count += 1
        return count

    @property
    def kind(self) -> str:
        return "free"

    @property
    def k(self) -> int:
        """Shoup's attribute: every column below the quotient is dropped."""
        return self.width // self.word

    @property
    def grown(self) -> int:
        """g: a product by a constant is below g·q."""
        return _grown(self.words)

    @property
    def reach(self) -> int:
        """Every value between levels is below reach·q: sums double at each level, and start below g·q."""
        return self.grown << max(self.levels, 4)

    @property
    def offset(self) -> int:
        """A power of two, at least g for each level: what differences take away in all."""
        return 1 << (self.grown * self.levels - 1).bit_length()

    @property
    def twiddle_words(self) -> int:
        return 2 * self.words

    @property
    def loose(self) -> bool:
        """Whether no level has to carry: a level adds less than 4·words·2^word to a digit."""
        return 4 * self.words * self.levels << self.word <= 1 << LOOSE

    @property
    def cut(self) -> int:
        """Bits that the estimate of a quotient leaves out: whole digits if what is left stays below 2^(word - 1)."""
        whole = self.word * ((self.bits - 2) // self.word)
        return whole if self.bits + self.reach.bit_length() - whole < self.word else self.bits - 20

    @property
    def mu(self) -> int:
        """The largest μ = ⌊2^(cut + word)/q⌋."""
        return (1 << self.cut + self.word) // self.least

    @property
    def least(self) -> int:
        """The least modulus that the estimate serves."""
        return 1 << self.cut + 1


def _grown(count: int) -> int:
    return 2 << (count - 1).bit_length()


class _Frame:
    """A builder with the modulus, and what codelets share."""

    def __init__(self, arith: FreeArith, loose: bool) -> None:
        self.arith, self.b, self.loose = arith, Builder(), loose
        self.q = arith.q(self.b)

    def drifted(self, name: str) -> Value:
        """An input below reach·q with the digits that levels leave."""
        a, most = self.arith, 1 << (LOOSE if self.loose else SETTLED)
        digits = tuple(Value(-most, most, "word", f"{name}_{i}") for i in reversed(range(a.words)))
        self.b.block.inputs[name] = value = Value(0, self._top, "word", name, digits, a.word, a.held)
        return value

    @property
    def _top(self) -> int:
        return self.arith.reach * self.arith.top - 1

    def twiddle(self, name: str = "v", quotient: str = "u") -> tuple[Value, Value]:
        return self.arith.residue(self.b, name), self.arith.quotient(self.b, quotient)

    def level(self, name: str, value: Value) -> None:
        """A result of a level: by the theorem on all levels together it stays within [0, reach·q)."""
        value = refine(value, 0, self._top)
        most = LOOSE + 1 if self.loose else SETTLED
        self.b.output(name, self.b.one("settle", self.arith.held, value, k=most))

    def reduced(self, name: str, value: Value) -> None:
        mu = self.b.input("mu", 0, self.arith.mu)
        value = self.b.one("residue", self.arith.width, value, self.q, mu, k=self.arith.cut)
        self.b.output(name, self.b.one("settle", self.arith.width, value, k=self.arith.word))


def cooley_tukey(a: FreeArith) -> Block:
    """X ≡ x + v·y, Y ≡ x - v·y."""
    f = _Frame(a, a.loose)
    x, y = f.drifted("x"), f.drifted("y")
    results = f.b.emit("ct_free", a.width, x, y, *f.twiddle(), f.q, k=a.k)
    for name, value in zip("XY", results, strict=True):
        f.level(name, value)
    return f.b.block


def gentleman_sande(a: FreeArith) -> Block:
    """X ≡ x + y, Y ≡ v·(x - y)."""
    f = _Frame(a, loose=False)
    x, y = f.drifted("x"), f.drifted("y")
    c = a.times_q(f.b, f.q, a.reach)
    results = f.b.emit("gs_free", a.width, x, y, *f.twiddle(), f.q, c, k=a.k)
    for name, value in zip("XY", results, strict=True):
        f.level(name, value)
    return f.b.block


def lift(a: FreeArith, offset: int) -> Block:
    """X = x + offset·q for a residue x, offset a power of two or 0: no difference that follows goes below zero."""
    f = _Frame(a, a.loose)
    x = a.residue(f.b, "x")
    f.b.output("X", f.b.one("plus", a.width, x, a.times_q(f.b, f.q, offset)) if offset else x)
    return f.b.block


def finish(a: FreeArith, doubling: bool) -> Block:
    """X = x mod q, after the last level; ``doubling``: of Gentleman–Sande butterflies."""
    f = _Frame(a, a.loose and not doubling)
    f.reduced("X", f.drifted("x"))
    return f.b.block


def scaled(a: FreeArith) -> Block:
    """X = v·x mod q."""
    f = _Frame(a, loose=False)
    x = f.drifted("x")
    f.reduced("X", f.b.one("shoup_free", a.width, x, *f.twiddle(), f.q, k=a.k))
    return f.b.block
