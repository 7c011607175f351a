"""Residues in digits with slack: butterflies without a reduction, whose results drift and are reduced once at the end.

Digits have ``word`` bits in lanes of ``lane`` bits. Where products of digits come in halves, factors are digits modulo
2^word, so values must stay from 0 to R = 2^held: they start at offset·q, and no level takes more than g·q away. Where a
lane holds the whole product of two signed factors (``factor`` bits), products by constants are linear in the digits,
and values may have any sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from momagen.ir import Block, Builder, Value, const, refine

from .arith import Arith

LEVELS = 6
"""Levels of a pass at most."""
LOOSE, DOUBLED, SETTLED = 62, 61, 59
"""Digits in 64-bit lanes lie within ±2^LOOSE where no level has to carry, within ±2^DOUBLED where sums double in a pass
of which every level adds less than 4·words·2^word, else within ±2^SETTLED."""


@dataclass(frozen=True)
class FreeArith(Arith):
    """Residues modulo q of at most ``bits`` bits, for transforms of ``levels`` = log2 n levels.

    Attributes:
        lane: bits of the lane that holds a digit. factor: bits of a signed factor; 0 where products come in halves.
        levels: how often a sum may double, where it may at all (``doubling``: Gentleman–Sande butterflies).
        m_in, m_out: values come in below m_in·q, and leave below m_out·q or less.
        folds: whether constants that differ by lane are folded too; else they bring Shoup's quotient.
    """

    word: int = 52
    lane: int = 64
    factor: int = 0
    levels: int = 1
    doubling: bool = False
    folds: bool = False
    m_in: int = 1
    m_out: int = 1

    @cached_property
    def words(self) -> int:
        """Digits per residue: room for the multiples of q that all levels leave, and one bit for a difference."""
        need = self.bits + self.doubling
        spare = self.factor - 1 - self.word if self.factor else 0  # a leading factor may be longer than a digit
        return next(c for c in range(1, 1 << 10) if c * self.word + spare >= need + self._reach(c).bit_length())

    @property
    def kind(self) -> str:
        return "free"

    @property
    def k(self) -> int:
        """Shoup's attribute: every column below the quotient is dropped."""
        return self.width // self.word

    @property
    def full(self) -> bool:
        """Whether a lane holds the product of two digits."""
        return self.factor > 0

    @property
    def real(self) -> bool:
        """Whether digits are held in doubles."""
        return False

    @property
    def pairs(self) -> bool:
        """Whether every constant brings its quotient, also one that all lanes share."""
        return False

    @property
    def reduces(self) -> bool:
        """Whether values are taken next to zero modulo q where they would grow too large."""
        return False

    @property
    def loose(self) -> int:
        """Digits between levels lie within ±2^loose; a column of products must fit the lane."""
        if self.full:
            return min(self.factor - 1, self.lane - 2 - self.word - self.words.bit_length())
        most, added = (DOUBLED, 1 << LEVELS - 1) if self.doubling else (LOOSE, self.levels)
        return most if added * 4 * self.words << self.word <= 1 << most else SETTLED

    @property
    def run(self) -> int:
        """Levels of a pass at most."""
        return LEVELS

    @property
    def settles(self) -> bool:
        """Whether every level ends with digits that are settled."""
        borne = 1 << self.loose > LEVELS + 1 << self.word if self.full else self.loose > SETTLED
        return not borne or (self.full and self.doubling)

    @property
    def settles_between(self) -> bool:
        """Whether a pass begins with digits that are settled."""
        return not self.settles and (self.full or self.doubling)

    def _grown(self, count: int) -> int:
        folded = (count << max(self.factor - 1 - self.word, 0)) + 1
        return folded if self.folds or self.full else max(folded, 2 << (count - 1).bit_length())

    @property
    def grown(self) -> int:
        """g: a product by a constant is within g·q."""
        return self._grown(self.words)

    def _reach(self, count: int) -> int:
        grown = self._grown(count)
        return 4 * grown << max(self.levels, 4) if self.doubling else 2 * self._offset(count)

    @property
    def reach(self) -> int:
        """Every value between levels is within reach·q, a power of two: sums double at each level."""
        return 1 << (self._reach(self.words) - 1).bit_length()

    def _offset(self, count: int) -> int:
        return 1 << (self._grown(count) * self.levels + self.m_in - 2).bit_length()

    @property
    def offset(self) -> int:
        """A power of two, at least g for each level, what differences take away in all, and m_in - 1."""
        return self._offset(self.words)

    @property
    def last(self) -> int:
        """A power of two: results of the last level are within last·q. Sums are scaled then, so all are products."""
        return 1 << (self.grown - 1).bit_length() if self.doubling else self.reach

    @property
    def shared_words(self) -> int:
        """Words of a constant that all lanes share: W_i = v·2^(word·(i + 1)) mod q for every digit i."""
        return self.words**2

    @property
    def apart_words(self) -> int:
        """Words of a constant in one lane: as above, or the constant and its Shoup quotient."""
        folded = self.words**2
        return -(-folded // 2) if self.packed else folded if self.folds else 2 * self.words

    @property
    def packed(self) -> bool:
        """Whether constants that differ by lane come two digits to a word: factors are read from the low half only."""
        return self.full and self.folds and 2 * self.word <= self.lane

    @property
    def cut(self) -> int:
        """Bits that the estimate of a quotient leaves out: whole digits if what is left stays below 2^(word - 1)."""
        whole = self.word * ((self.bits - 2) // self.word)
        most = self.bits + (self.last << self.full).bit_length()
        return whole if most - whole < self.word else most - self.word + 1

    @property
    def mu(self) -> int:
        """The largest μ = ⌊2^(cut + word)/q⌋."""
        return (1 << self.cut + self.word) // self.least

    @property
    def least(self) -> int:
        """The least modulus that the estimate serves."""
        return 1 << self.cut + 1


class Frame:
    """A builder with the modulus, and what codelets share."""

    def __init__(self, arith: FreeArith) -> None:
        self.arith, self.b = arith, Builder()
        self.q = arith.q(self.b)
        self.top = arith.reach * arith.top - 1

    def drifted(self, name: str, multiple: int = 0) -> Value:
        """An input within reach·q, or multiple·q, with the digits that levels leave."""
        a = self.arith
        top = (multiple or a.reach) * a.top - 1
        return self.digits(name, (-top if a.full else 0, top), 1 << a.loose, 0 if a.full else a.held)

    def digits(self, name: str, interval: tuple[int, int], most: int, ring: int = 0) -> Value:
        """An input with digits within ±most, exact or modulo 2^ring."""
        a = self.arith
        most = most if a.words > 1 else min(most, interval[1] + 1)
        found = tuple(Value(-most, most - 1, "word", f"{name}_{i}") for i in reversed(range(a.words)))
        self.b.block.inputs[name] = value = Value(*interval, "word", name, found, a.word, ring)
        return value

    def product(self, y: Value, shared: bool) -> Value:
        """v·y within g·q, v a constant that comes folded or with its quotient."""
        a = self.arith
        if a.pairs:
            y = self.nearest(y) if a.reduces and not a.doubling else y
            pair = a.residue(self.b, "v"), self.b.input("u", 0, (1 << a.word) - 1)
            return self.b.one("shoup_near", a.word, y, *pair, self.q)
        if shared or a.folds:
            minus_inverse = self.b.input("qn", 0, (1 << a.word) - 1)
            t = self.b.one("fold", a.held, y, self._table(), self.q, minus_inverse, k=a.words)
            t = refine(t, -a.grown * a.top if a.full else 0, a.grown * a.top)
            return self.b.one("settle", a.held, t, k=a.word + 1) if a.full and not a.real else t
        pair = a.residue(self.b, "v"), a.quotient(self.b, "u")
        return self.b.one("shoup_free", a.width, y, *pair, self.q, k=a.k)

    def _table(self) -> Value:
        """W_0, W_1, … one after another, each in as many digits as q has, and zeros."""
        a, full = self.arith, (1 << self.arith.word) - 1
        used = -(-a.bits // a.word)
        row = [(i, j) for i in range(a.words) for j in range(a.words)]
        digits = [Value(0, full, "word", f"v_{i}_{j}") if j < used else const(0) for i, j in row]
        value = Value(0, (1 << a.held * a.words) - 1, "word", "v", tuple(reversed(digits)), a.word)
        self.b.block.inputs["v"] = value
        return value

    def level(self, name: str, value: Value) -> None:
        """A result of a level: by the theorem on all levels together it stays within reach·q, or it is reduced."""
        a, full = self.arith, self.arith.full
        if a.doubling and a.reduces:
            value = self.nearest(value) if value.hi > self.top else value
        else:
            value = refine(value, -self.top if full else 0, self.top)
        self.b.output(name, self.settled(value) if a.settles else self._modulo(value))

    def settled(self, value: Value) -> Value:
        """``value`` with small digits."""
        a = self.arith
        if a.reduces:
            return self.nearest(value)
        most = a.loose if a.settles and (a.real or not a.full) else a.word + 1
        return self.b.one("settle", self.arith.held, value, k=most)

    def nearest(self, value: Value) -> Value:
        """``value`` less the multiple of q next to it."""
        a = self.arith
        return self.b.one("near_residue", a.width, value, self.q, self.b.input("mu", 0, a.mu), k=a.cut + a.word)

    def _modulo(self, value: Value) -> Value:
        return self.b.one("settle", self.arith.held, value, k=self.arith.lane - 1)

    def reduced(self, name: str, value: Value) -> None:
        """A result below m_out·q of a value within last·q; below 2q is all that is won by a larger m_out.

        Of digits in doubles it is within ±q.
        """
        a, width = self.arith, self.arith.width
        if a.real:
            self.b.output(name, self.nearest(value))
            return
        if a.full:
            value = self.b.one("plus", width, value, a.times_q(self.b, self.q, a.last))
            value = refine(value, 0, 2 * a.last * a.top)
            width <<= value.hi >> width > 0
        mu = self.b.input("mu", 0, a.mu)
        value = self.b.one("residue" if a.m_out == 1 else "residue_lazy", width, value, self.q, mu, k=a.cut)
        self.b.output(name, self.b.one("settle", width, value, k=a.word))


def cooley_tukey(a: FreeArith, shared: bool) -> Block:
    """X ≡ x + v·y, Y ≡ x - v·y."""
    f = Frame(a)
    x, y = f.drifted("x"), f.drifted("y")
    t = f.product(y, shared)
    f.level("X", f.b.one("plus", a.width, x, t))
    f.level("Y", f.b.one("minus", a.width, x, t))
    return f.b.block


def gentleman_sande(a: FreeArith, shared: bool) -> Block:
    """X ≡ x + y, Y ≡ v·(x - y)."""
    f = Frame(a)
    x, y = f.drifted("x"), f.drifted("y")
    f.level("X", f.b.one("plus", a.width, x, y))
    if a.full:
        difference = f.b.one("minus", a.width, x, y)
    else:
        lifted = f.b.one("plus", a.width, x, a.times_q(f.b, f.q, a.reach))
        difference = refine(f.b.one("minus", a.width, lifted, y), 0, 2 * f.top + 1)
    f.level("Y", f.product(difference, shared))
    return f.b.block


def lift(a: FreeArith) -> Block:
    """X = x + offset·q for x below m_in·q where values must not go below zero, else X = x; or reduced, where one double
    is to hold it."""
    f = Frame(a)
    x = a.residue(f.b, "x", a.m_in)
    if a.pairs and a.m_in > 1:
        f.b.output("X", f.nearest(x))
        return f.b.block
    lifted = not (a.full or a.doubling)
    f.b.output("X", f.b.one("plus", a.width, x, a.times_q(f.b, f.q, a.offset)) if lifted else x)
    return f.b.block


def settle(a: FreeArith) -> Block:
    """X = x with small digits."""
    f = Frame(a)
    f.b.output("X", f.settled(f.drifted("x")))
    return f.b.block


def finish(a: FreeArith) -> Block:
    """X ≡ x below m_out·q, after the last level."""
    f = Frame(a)
    f.reduced("X", f.drifted("x", a.last))
    return f.b.block


def scaled(a: FreeArith) -> Block:
    """X ≡ v·x below m_out·q."""
    f = Frame(a)
    f.reduced("X", f.product(f.drifted("x"), shared=True))
    return f.b.block
