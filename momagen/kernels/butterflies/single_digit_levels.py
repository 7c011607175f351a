"""Butterflies of several levels on residues that fit one digit or one word, kept in registers.

Products leave values of either sign: x + t and x - t then need no constant. Twiddles stand in heap order, as in
`codelets`.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log2

from momagen.ir import Value, const
from momagen.kernels.residues.single_digit import OneDigit
from momagen.kernels.residues.theorems import bounded

from .codelets import Codelet, CodeletBuilder, Lazy, Range, heap


class StepBuilder(CodeletBuilder):
    """Builds one step; ``pairs``: twiddles come with their quotients by q."""

    arith: OneDigit

    def __init__(self, arith: OneDigit, pairs: bool) -> None:
        super().__init__(arith, 3)
        self.pairs = pairs
        _ = self.q

    def one(self, op: str, *args: Value, k: int = 0) -> Value:
        return self.b.one(op, self.arith.word, *args, k=k)

    def near(self, value: Value, lo: int, m: int, theorem: str = "multiples_of_q") -> Lazy:
        """``value``, which lies within [lo·q, m·q) by ``theorem``."""
        top = self.arith.top
        return Lazy(bounded(value, min(lo, 0) * top, m * top - 1 if m > 0 else -1, theorem), m, lo)

    def input(self, name: str, lo: int, m: int) -> Lazy:
        """A new input of one digit, whatever its sign and size."""
        ends = min(lo, 0) * self.arith.top, m * self.arith.top - 1
        value = self.b.input(name, *ends)
        if not self.arith.whole:
            digit = Value(*ends, "word", name)
            self.b.block.inputs[name] = value = Value(*ends, "word", name, (digit,), self.arith.word)
        return Lazy(value, m, lo)

    def multiple(self, k: int) -> Value:
        """k·q for any k."""
        if k < 0:
            return self.one("minus", const(0), self.multiple(-k))
        total: Value = const(0)
        for place in range(k.bit_length()):
            if k >> place & 1:
                total = self.one("plus", total, self.one("sal", self.q, k=place) if place else self.q)
        return total

    def moved(self, x: Lazy, k: int) -> Lazy:
        """x + k·q."""
        if k == 0:
            return x
        value = self.one("plus" if k > 0 else "minus", x.value, self.multiple(abs(k)))
        return self.near(value, x.lo + k, x.m + k)

    def up(self, x: Lazy, most: int) -> Lazy:
        """x from 0 to most·q, less multiples of q by minima: of x and x - k·q as words, the smaller is not negative."""
        return self._aside(x, most, "correct_up", 1)

    def down(self, x: Lazy, most: int) -> Lazy:
        """x from -most·q to 0 the same way by maxima: as words, the larger is the negative one."""
        return self._aside(x, most, "correct_down", -1)

    def _aside(self, x: Lazy, most: int, op: str, sign: int) -> Lazy:
        """x on the side of 0 that ``sign`` says, where it is seen as from 0 up."""
        lo, hi = (x.lo, x.m) if sign > 0 else (-x.m, -x.lo)
        if self._wraps(lo, hi) or (lo < 0 and _pays(x.spread, max(-lo, hi), most)):
            x, lo, hi = self.moved(x, -sign * lo), 0, hi - lo
        while lo < 0 or hi > most:
            half, lifted = max(-lo, hi) if lo < 0 else (hi + 1) // 2, int(lo >= 0)
            value, lo, hi = self.one(op, x.value, self.multiple(half), k=lifted), 0, half
            x = Lazy(value, half, 0) if sign > 0 else Lazy(value, 0, -half)
        return x

    def _wraps(self, lo: int, hi: int) -> bool:
        """Whether lanes are too short for [lo·q, hi·q), or for that range moved above 0."""
        return (max(-lo, hi) if lo < 0 else 0) + max(hi, 0) > self.arith.reach

    def product(self, y: Lazy, t: int, c: int = 0) -> Lazy:
        """c·q + v·y for twiddle t where c costs nothing; on a word v·y, as another multiple of q costs an operation."""
        a = self.arith
        if y.lo < 0 or y.m > a.room:
            y = self.moved(y, -y.lo) if y.spread <= a.room else self.up(y, a.room)
        args = y.value, self.root(t), self.q, const(len(a.letters(self.pairs or t == 0)))
        if a.whole:
            return self.near(self.one("mulmod_split", *args, k=a.digit), 0, a.spread, "split_quotient")
        return self.near(self.one("mulmod_free", self.multiple(c), *args), c - 1, c + 1, "montgomery_remainder")

    def sums(self, x: Lazy, y: Lazy) -> tuple[Lazy, Lazy]:
        """x + y and x - y."""
        total = self.near(self.one("plus", x.value, y.value), x.lo + y.lo, x.m + y.m)
        return total, self.near(self.one("minus", x.value, y.value), x.lo - y.m, x.m - y.lo)

    def settled(self, xs: list[Lazy], most: int) -> list[Lazy]:
        """``xs`` brought into one range no longer than ``most``."""
        if max(x.m for x in xs) - min(x.lo for x in xs) <= most:
            return xs
        return [x if x.lo >= 0 and x.m <= most else self.moved(x, -x.lo) if x.spread <= most else self.up(x, most)
                for x in xs]  # fmt: skip

    def reduced(self, x: Lazy, most: int) -> Lazy:
        """x below most·q: by subtractions where few will do, else as the product by 1, twiddle 0."""
        return self.up(self.product(x, 0) if x.spread > self.arith.far * most else x, most)

    def cooley_tukey(self, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        """x + v·y and x - v·y; one of the two stays above 0 where x begins at 0."""
        if x.spread + self.arith.spread > self.arith.most:
            x = self.up(x, self.arith.most - self.arith.spread)
        return self.sums(x, self.product(y, t, int(x.lo == 0)))

    def gentleman_sande(self, x: Lazy, y: Lazy, t: int, c: int = 0) -> tuple[Lazy, Lazy]:
        """x + y and c·q + v·(x - y); y is made to lie below x, so that the difference is a factor as it is."""
        while x.spread + y.spread > self.arith.most:
            if x.spread >= y.spread:
                x = self.up(x, -(-x.spread // 2))
            else:
                y = self.down(y, -(-y.spread // 2))
        total, difference = self.sums(x, self.moved(y, min(0, x.lo - y.m)))
        return total, self.product(difference, t, c)


def _pays(spread: int, reach: int, most: int) -> bool:
    """Whether a value goes to one side of 0 first: an addition, against halvings of two operations each."""
    return 1 + 2 * ceil(log2(spread / most)) < 2 + 2 * max(0, ceil(log2(reach / most)))


@lru_cache(maxsize=256)
def forward(
    arith: OneDigit, radix: int, given: Range, *, pairs: bool = True, lift: int = 0, last: int = 0, ones: bool = False
) -> Codelet:
    """Levels of Cooley–Tukey butterflies, natural order in, bit-reversed out.

    Args:
        pairs: whether twiddles come with their quotients by q, which take memory, or an operation each.
        ones: twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
        lift: multiples of q to add, so that no later level goes below 0. last: results below last·q where not 0.
    """
    maker = StepBuilder(arith, pairs)
    xs = [maker.input(f"x{i}", *given) for i in range(radix)]
    xs = [maker.moved(x, lift) if i < radix // 2 else x for i, x in enumerate(xs)]
    for i, j, t in heap(radix, False):
        x, y = xs[i], xs[j]
        # Beyond level 0 both would be lifted, and their difference not.
        plain = ones and not t & t - 1 and (t == 1 or not lift) and x.spread + y.spread <= arith.most
        xs[i], xs[j] = maker.sums(x, y) if plain else maker.cooley_tukey(x, y, t)
    return maker.done([maker.reduced(x, last) for x in xs] if last else maker.settled(xs, arith.most), given)


@lru_cache(maxsize=256)
def inverse(arith: OneDigit, radix: int, given: Range, *, pairs: bool = True, last: int = 0) -> Codelet:
    """Levels of Gentleman–Sande butterflies, bit-reversed order in, natural out.

    Args:
        last: results below last·q where not 0, and scaled by twiddle 0, 1/n. Twiddles of the first level carry it; so
            does twiddle radix + t, of later ones, for the only pair of block t that has met no product before.
    """
    maker = StepBuilder(arith, pairs)
    xs = [maker.input(f"x{i}", *given) for i in range(radix)]
    for i, j, t in heap(radix, True):
        half, top = j - i, t < 2
        c = int(not last) if top else -1 if j & 2 * half else 1
        scales = last and half > 1 and not i & 2 * half - 1
        xs[i], xs[j] = maker.gentleman_sande(xs[i], xs[j], t + radix * bool(scales), c)
    if last:
        xs[0] = maker.product(xs[0], 0)
        return maker.done([maker.up(x, last) for x in xs], given)
    return maker.done(maker.settled(xs, arith.most // 2), given)
