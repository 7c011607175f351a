"""Arithmetic on residues that fit one digit, each within known multiples of q, of either sign.

A value is within [lo·q, hi·q). As a factor it must lie from 0 to room·q ≤ 2^word; as a summand it may lie anywhere in
its lane. Products are Montgomery's, within q of a multiple of q that costs nothing to choose.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

from momagen.ir import Builder, Value, const
from momagen.kernels.residues.theorems import bounded

Range = tuple[int, int]
"""[lo, hi): the multiples of q between which a value lies."""
LANE = 64
"""Bits of a lane."""
LEAST = 4
"""Sums may reach 4q where factors may not: one conditional subtraction brings them down."""


@dataclass(frozen=True)
class OneDigit:
    """Residues modulo any odd q below 2^bits, one digit of ``word`` bits in a longer lane."""

    bits: int
    word: int = 52

    @property
    def top(self) -> int:
        """The largest q."""
        return (1 << self.bits) - 1

    @property
    def room(self) -> int:
        """Every value from 0 to room·q is a factor."""
        return 1 << self.word - self.bits

    @property
    def most(self) -> int:
        """The longest range of values after a level."""
        return max(self.room, LEAST)

    @property
    def reach(self) -> int:
        """A lane holds [-reach·q, reach·q) without wrapping, and distinguishes values that are less than that apart."""
        return 1 << LANE - self.bits

    @property
    def spread(self) -> int:
        """The length of the range of products."""
        return 2

    @property
    def far(self) -> int:
        """The range from which a product by 1 reduces with fewer operations than conditional subtractions."""
        return 8

    def letters(self, pairs: bool) -> str:
        """What a table holds of each twiddle, by the first letters of their names."""
        return "vu" if pairs else "v"

    @property
    def lifts(self) -> bool:
        """Whether a product may get an offset of multiples of q, so that later differences stay above zero."""
        return True

    def product(self, frame: Residues, y: Value, v: Value, columns: int, c: int) -> Near:
        """c·q + v·y, where a table has so many ``columns`` for v: c costs nothing."""
        value = frame.one("mulmod_free", frame.multiple(c), y, v, frame.q, const(columns))
        return frame.near(value, c - 1, c + 1, "montgomery_remainder")


@dataclass(frozen=True)
class Near:
    """A value within [lo·q, hi·q)."""

    value: Value
    lo: int
    hi: int

    @property
    def spread(self) -> int:
        return self.hi - self.lo


class Residues:
    """Builds one block of such arithmetic; ``pairs``: twiddles come with their quotients by q."""

    def __init__(self, arith: OneDigit, pairs: bool) -> None:
        self.arith, self.pairs, self.b = arith, pairs, Builder()
        self.q = self.b.input("q", 3, arith.top)
        self.twiddles: dict[int, Value] = {}

    def one(self, op: str, *args: Value, k: int = 0) -> Value:
        return self.b.one(op, self.arith.word, *args, k=k)

    def near(self, value: Value, lo: int, hi: int, theorem: str = "multiples_of_q") -> Near:
        """``value``, which lies within [lo·q, hi·q) by ``theorem``."""
        top = self.arith.top
        return Near(bounded(value, min(lo, 0) * top, hi * top - 1 if hi > 0 else -1, theorem), lo, hi)

    def input(self, name: str, lo: int, hi: int) -> Near:
        """A new input of one digit, whatever its sign and size."""
        ends = min(lo, 0) * self.arith.top, hi * self.arith.top - 1
        if self.arith.word == LANE:
            return Near(self.b.input(name, *ends), lo, hi)
        digit = Value(*ends, "word", name)
        self.b.block.inputs[name] = value = Value(*ends, "word", name, (digit,), self.arith.word)
        return Near(value, lo, hi)

    def multiple(self, k: int) -> Value:
        """k·q for any k."""
        if k < 0:
            return self.one("minus", const(0), self.multiple(-k))
        total: Value = const(0)
        for place in range(k.bit_length()):
            if k >> place & 1:
                total = self.one("plus", total, self.one("sal", self.q, k=place) if place else self.q)
        return total

    def twiddle(self, t: int) -> Value:
        """Twiddle t."""
        if t not in self.twiddles:
            self.twiddles[t] = self.b.input(f"v{t}", 0, self.arith.top - 1)
        return self.twiddles[t]

    def moved(self, x: Near, k: int) -> Near:
        """x + k·q."""
        if k == 0:
            return x
        value = self.one("plus" if k > 0 else "minus", x.value, self.multiple(abs(k)))
        return self.near(value, x.lo + k, x.hi + k)

    def up(self, x: Near, most: int) -> Near:
        """x from 0 to most·q, less multiples of q by minima: of x and x - k·q as words, the smaller is not negative."""
        if self._wraps(x.lo, x.hi) or (x.lo < 0 and _pays(x.spread, max(-x.lo, x.hi), most)):
            x = self.moved(x, -x.lo)
        while x.lo < 0 or x.hi > most:
            half = max(-x.lo, x.hi) if x.lo < 0 else (x.hi + 1) // 2
            x = Near(self.one("correct_up", x.value, self.multiple(half), k=int(x.lo >= 0)), 0, half)
        return x

    def down(self, x: Near, most: int) -> Near:
        """x from -most·q to 0 the same way by maxima: as words, the larger is the negative one."""
        if self._wraps(-x.hi, -x.lo) or (x.hi > 0 and _pays(x.spread, max(-x.lo, x.hi), most)):
            x = self.moved(x, -x.hi)
        while x.hi > 0 or x.lo < -most:
            half = max(-x.lo, x.hi) if x.hi > 0 else (1 - x.lo) // 2
            x = Near(self.one("correct_down", x.value, self.multiple(half), k=int(x.hi <= 0)), -half, 0)
        return x

    def _wraps(self, lo: int, hi: int) -> bool:
        """Whether lanes are too short for [lo·q, hi·q), or for that range moved above 0."""
        return (max(-lo, hi) if lo < 0 else 0) + max(hi, 0) > self.arith.reach

    def factor(self, x: Near) -> Near:
        """x brought into the range of factors."""
        if x.lo >= 0 and x.hi <= self.arith.room:
            return x
        return self.moved(x, -x.lo) if x.spread <= self.arith.room else self.up(x, self.arith.room)

    def product(self, y: Near, t: int, c: int = 0) -> Near:
        """v·y for twiddle t, and c·q where that costs nothing."""
        columns = len(self.arith.letters(self.pairs or t == 0))
        return self.arith.product(self, self.factor(y).value, self.twiddle(t), columns, c)

    def sum(self, x: Near, y: Near) -> Near:
        return self.near(self.one("plus", x.value, y.value), x.lo + y.lo, x.hi + y.hi)

    def difference(self, x: Near, y: Near) -> Near:
        return self.near(self.one("minus", x.value, y.value), x.lo - y.hi, x.hi - y.lo)

    def settled(self, xs: list[Near], most: int) -> list[Near]:
        """``xs`` brought into one range no longer than ``most``."""
        if max(x.hi for x in xs) - min(x.lo for x in xs) <= most:
            return xs
        return [x if x.lo >= 0 and x.hi <= most else self.moved(x, -x.lo) if x.spread <= most else self.up(x, most)
                for x in xs]  # fmt: skip

    def reduced(self, x: Near, most: int) -> Near:
        """x below most·q: by subtractions where few will do, else as the product by 1, twiddle 0."""
        if x.spread > self.arith.far * most:
            x = self.product(x, 0)
        return self.up(x, most)


def _pays(spread: int, reach: int, most: int) -> bool:
    """Whether a value goes to one side of 0 first: an addition, against halvings of two operations each."""
    return 1 + 2 * ceil(log2(spread / most)) < 2 + 2 * max(0, ceil(log2(reach / most)))
