"""Butterflies of several levels on residues that fit one digit or one word, kept in registers.

Products leave values of either sign: x + t and x - t then need no constant. Twiddles stand in heap order, as in
`codelets`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial, reduce

from momagen.ir import Value, const
from momagen.kernels.residues.single_digit import OneDigit
from momagen.kernels.residues.theorems import bounded

from .codelets import Codelet, CodeletBuilder, Lazy, Range, heap


class StepBuilder(CodeletBuilder):
    """Builds one step.

    Attributes:
        pairs: twiddles come with their quotients by q. apart: they differ by lane. opens: values come in as numbers.
        slack: bits of a lane that what comes modulo a digit may fill: sums double it.
    """

    arith: OneDigit

    def __init__(self, arith: OneDigit, pairs: bool, apart: bool = False, opens: bool = True, levels: int = 0) -> None:
        super().__init__(arith, 3)
        self.pairs, self.apart, self.opens, self.slack = pairs, apart, opens, arith.lane - 2 - levels
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
        a = self.arith
        if a.whole:
            return Lazy(self.b.input(name, *ends), m, lo)
        ring = a.ring and not self.opens
        digit = (-1 << self.slack, (1 << self.slack) - 1) if ring else ends
        return Lazy(self.b.numeral(name, ends, [digit], a.word, a.word * ring), m, lo)

    def multiple(self, k: int) -> Value:
        """k·q for any k."""
        if k < 0:
            return self.one("minus", const(0), self.multiple(-k))
        powers = (place for place in range(k.bit_length()) if k >> place & 1)
        parts = (self.one("sal", self.q, k=place) if place else self.q for place in powers)
        return reduce(partial(self.one, "plus"), parts) if k else const(0)

    def moved(self, x: Lazy, k: int) -> Lazy:
        """x + k·q."""
        if k == 0:
            return x
        value = self.one("plus" if k > 0 else "minus", x.value, self.multiple(abs(k)))
        return self.near(value, x.lo + k, x.m + k)

    def beside(self, x: Lazy, most: int, sign: int = 1) -> Lazy:
        """x from 0 to most·q, less multiples of q by minima: of x and x - k·q as words, the smaller is not negative; or
        where ``sign`` is -1 from -most·q to 0, by maxima. From there ``lo`` and ``hi`` are as from 0 up."""
        lo, hi = (x.lo, x.m) if sign > 0 else (-x.m, -x.lo)
        # To one side of 0 first is an addition: it pays where as many halvings are left, of two operations each. But
        # lanes may be too short for the range, or for that range moved above 0.
        moved, still = ((-(-length // most) - 1).bit_length() for length in (x.spread, max(-lo, hi)))
        wraps = (max(-lo, hi) if lo < 0 else 0) + max(hi, 0) > 1 << self.arith.lane - self.arith.bits
        if wraps or (lo < 0 and moved <= still):
            x, lo, hi = self.moved(x, -sign * lo), 0, hi - lo
        if self.arith.ring and sign > 0 and lo == 0 and hi > most:
            x = x._replace(value=self.one("settle", x.value, k=self.arith.word))
        while lo < 0 or hi > most:
            half, op = max(-lo, hi) if lo < 0 else (hi + 1) // 2, "correct_up" if sign > 0 else "correct_down"
            value, lo, hi = self.one(op, x.value, self.multiple(half), k=int(lo >= 0)), 0, half
            x = Lazy(value, half) if sign > 0 else Lazy(value, 0, -half)
        return x

    def within(self, x: Lazy, most: int) -> Lazy:
        """x from 0 to most·q, moved there if that is enough."""
        if x.lo >= 0 and x.m <= most:
            return x
        return self.moved(x, -x.lo) if x.spread <= most else self.beside(x, most)

    def alike(self, xs: list[Lazy], most: int) -> list[Lazy]:
        """xs in one range no longer than most·q; in that, where factors have signs, which leaves most of them alone."""
        if max(x.m for x in xs) - min(x.lo for x in xs) <= most:
            return xs

        def changed(lo: int) -> int:
            return sum(not lo <= x.lo <= x.m <= lo + most for x in xs)

        ends = sorted({x.lo for x in xs}, key=abs) if self.arith.high else []
        lo = min([0, *ends], key=changed)

        def placed(x: Lazy) -> Lazy:
            x = self.beside(x, most) if x.spread > most else x
            return self.moved(x, max(0, lo - x.lo) - max(0, x.m - lo - most))

        return [placed(x) for x in xs]

    def signed(self, y: Lazy) -> Lazy:
        """y as a word with a sign or without."""
        half = self.arith.room // 2
        fits = -half <= y.lo and y.m <= half
        return y if fits else self.within(y, self.arith.room)

    def product(self, y: Lazy, t: int, c: int = 0) -> Lazy:
        """c·q + v·y for twiddle t where c costs nothing, twice that on a ring; on a word v·y, as another multiple of q
        costs an operation."""
        a = self.arith
        y = self.signed(y) if a.high else self.within(y, a.room)
        if a.ring:
            value, c = self.one("mulmod", y.value, self.root(t), self.q, k=1), a.spread * c
            value = self.one("plus", self.multiple(c), value) if c else value
            return self.near(value, c, c + a.spread, "shoup_remainder")
        args = y.value, self.root(t), self.q, const(len(a.letters(self.pairs or t == 0)))
        if a.high:
            value = self.one("mulmod_balanced", *args, k=int(self.apart and t > 0))
            made = self.near(value, -1, 1, "montgomery_remainder")
            return self.beside(made, 1) if a.tight else made
        if a.whole:
            return self.near(self.one("mulmod_split", *args, k=a.digit), 0, a.spread, "split_quotient")
        return self.near(self.one("mulmod_free", self.multiple(c), *args), c - 1, c + 1, "montgomery_remainder")

    def nearer(self, x: Lazy, most: int) -> Lazy:
        """x within fewer multiples of q where a product costs less than it takes from ``most``·q down: by its quotient,
        or by twiddle 0, which is 1."""
        if x.spread <= most * self.arith.far:
            return x
        if not self.arith.rounds:
            return self.product(x, 0)
        half = self.arith.room // 2
        x = self.moved(x, max(0, -half - x.lo) - max(0, x.m - half))
        return self.near(self.one("near_zero", x.value, self.root(0), self.q), -1, 1, "rounded_remainder")

    def reduced(self, x: Lazy) -> Lazy:
        """x, from 0 to a few multiples of q."""
        value = self.one("reduce_lazy", self.within(x, self.arith.room).value, self.q, k=1)
        return self.near(value, 0, self.arith.spread, "shoup_remainder")

    def sums(self, x: Lazy, y: Lazy) -> tuple[Lazy, Lazy]:
        """x + y and x - y."""
        total = self.near(self.one("plus", x.value, y.value), x.lo + y.lo, x.m + y.m)
        return total, self.near(self.one("minus", x.value, y.value), x.lo - y.m, x.m - y.lo)

    def cooley_tukey(self, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        """x + v·y and x - v·y; one of the two stays above 0 where x begins at 0."""
        if x.spread + self.arith.spread > self.arith.most:
            x = self.beside(x, self.arith.most - self.arith.spread)
        return self.sums(x, self.product(y, t, int(x.lo == 0 and not self.arith.ring)))

    def gentleman_sande(self, x: Lazy, y: Lazy, t: int, c: int = 0, up: bool = False) -> tuple[Lazy, Lazy]:
        """x + y and c·q + v·(x - y); where factors have no sign, y is made to lie below x, so that their difference has
        none, or x above y where sums are to go ``up`` and have room there."""
        while x.spread + y.spread > self.arith.most:
            if x.spread >= y.spread:
                x = self.beside(x, -(-x.spread // 2))
            else:
                y = self.beside(y, -(-y.spread // 2), -1)
        below = 0 if self.arith.high else min(0, x.lo - y.m)
        up = up and x.m + y.m - below <= self.arith.room
        x, y = (self.moved(x, -below), y) if up else (x, self.moved(y, below))
        total, difference = self.sums(x, y)
        return total, self.product(difference, t, c)


def highest(levels: Iterable[int], most: int) -> int:
    """The multiple of q below which values from 0 to most·q stay in steps of ``levels`` back whose sums go up: level i
    of a step doubles them and adds their range of before it."""
    return reduce(lambda m, each: m * (2 + each) << each - 1, filter(None, levels), max(2, most))


def lifts(block: int, blocks: int, up: bool) -> int:
    """By how many of its ranges to lift what is alone in its ``block``, so that in each level to come it stands above
    what it meets, or below: no difference goes below 0, nor where they go ``up`` a sum."""
    return up * (blocks - 1).bit_count() - block.bit_count()


@lru_cache(maxsize=256)
def step_codelet(
    arith: OneDigit, radix: int, given: Range, *, back: bool = False, pairs: bool = True, lift: int = 0, last: int = 0,
    ones: bool = False, apart: bool = False, opens: bool = True, up: bool = False,
) -> Codelet:  # fmt: skip
    """Levels of Cooley–Tukey butterflies, natural order in, bit-reversed out; ``back``: of Gentleman–Sande ones, the
    other way.

    Args:
        pairs: whether twiddles come with their quotients by q, which take memory, or an operation each.
        ones: twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
        apart: whether twiddles differ by lane.
        opens: whether values come from the user, not from another step.
        up: whether sums on the way back stay above 0 on a ring, as those of the last step do: constants are fewer.
        lift: multiples of q to add, so that no later level goes below 0.
        last: results below last·q where not 0, and on the way back scaled by twiddle 0, 1/n. Twiddles of the first
            level carry it; so does twiddle radix + t, of later ones, for the only pair of block t that has met no
            product before.
    """
    up = arith.ring and (up or last > 0)
    maker = StepBuilder(arith, pairs, apart, opens, radix.bit_length() - 1)
    xs = [maker.input(f"x{i}", *given) for i in range(radix)]
    xs = [maker.moved(x, lift) if i < radix // 2 else x for i, x in enumerate(xs)]
    for i, j, t in heap(radix, back):
        x, y, half = xs[i], xs[j], j - i
        if back:
            c = int(not last) if t == 1 else -1 if j & 2 * half else 1
            c = lifts(j // (2 * half), radix // (2 * half), up) if arith.ring else c
            scales = last > 0 and half > 1 and not i & 2 * half - 1
            xs[i], xs[j] = maker.gentleman_sande(x, y, t + radix * scales, c, up)
        else:  # beyond level 0 both would be lifted, and their difference not
            plain = ones and not t & t - 1 and (t == 1 or not lift) and x.spread + y.spread <= arith.most
            xs[i], xs[j] = maker.sums(x, y) if plain else maker.cooley_tukey(x, y, t)
    if not last:
        return maker.done(maker.alike(xs, arith.most // (1 + back)))
    if back:
        xs[0] = maker.product(xs[0], 0)
    if arith.ring:
        xs = [maker.reduced(x) if x.spread > arith.spread else x for x in xs]
    xs = [maker.beside(x if back else maker.nearer(x, last), last) for x in xs]
    return maker.done(xs)
