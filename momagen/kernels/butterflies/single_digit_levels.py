"""Butterflies of several levels on residues that fit one limb or one word, with all values in registers.

Products leave values of either sign, so that x + t and x - t need no constant. Twiddles are in heap order, as
in `codelets`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial, reduce

from momagen.ir import Value, const
from momagen.kernels.residues.single_digit import OneDigit
from momagen.kernels.residues.theorems import bounded

from .codelets import Codelet, CodeletBuilder, Lazy, Range, heap


class StepBuilder(CodeletBuilder):
    """A builder of one step, that is, of the levels of one pass.

    Args:
        arith: The representation of residues.
        pairs: Whether twiddles come with their quotients by q.
        apart: Whether twiddles differ by lane.
        opens: Whether the inputs are complete numbers instead of values modulo the limb's radix.
        levels: The number of levels.

    Attributes:
        slack: The number of bits of a lane that an input modulo the limb's radix may fill; sums double it at
            each level.
    """

    arith: OneDigit

    def __init__(self, arith: OneDigit, pairs: bool, apart: bool = False, opens: bool = True, levels: int = 0) -> None:
        super().__init__(arith, 3)
        self.pairs, self.apart, self.opens, self.slack = pairs, apart, opens, arith.lane - 2 - levels
        _ = self.q

    def near(self, value: Value, lo: int, m: int, theorem: str = "multiples_of_q") -> Lazy:
        """Return ``value``, which is in [lo·q, m·q) by the theorem."""
        top = self.arith.top
        return Lazy(bounded(value, min(lo, 0) * top, m * top - 1 if m > 0 else -1, theorem), m, lo)

    def input(self, name: str, lo: int, m: int) -> Lazy:
        """Return a new input of one limb or word in [lo·q, m·q)."""
        ends = min(lo, 0) * self.arith.top, m * self.arith.top - 1
        a = self.arith
        if a.whole:
            return Lazy(self.b.input(name, *ends), m, lo)
        ring = a.ring and not self.opens
        digit = (-1 << self.slack, (1 << self.slack) - 1) if ring else ends
        return Lazy(self.b.numeral(name, ends, [digit], a.word, a.word * ring), m, lo)

    def multiple(self, k: int) -> Value:
        """Return k·q for any k."""
        if k < 0:
            return self.one("minus", const(0), self.multiple(-k))
        powers = (place for place in range(k.bit_length()) if k >> place & 1)
        parts = (self.one("sal", self.q, k=place) if place else self.q for place in powers)
        return reduce(partial(self.one, "plus"), parts) if k else const(0)

    def moved(self, x: Lazy, k: int) -> Lazy:
        """Return x + k·q."""
        if k == 0:
            return x
        value = self.one("plus" if k > 0 else "minus", x.value, self.multiple(abs(k)))
        return self.near(value, x.lo + k, x.m + k)

    def beside(self, x: Lazy, most: int, sign: int = 1) -> Lazy:
        """Return x reduced to the range from 0 to most·q, or from -most·q to 0 if ``sign`` is -1.

        The reduction takes minima: of x and x - k·q as unsigned words, the smaller one is not negative. For
        negative ranges it takes maxima. In the code ``lo`` and ``hi`` describe the range as if ``sign`` were
        1.
        """
        lo, hi = (x.lo, x.m) if sign > 0 else (-x.m, -x.lo)
        # Moving x to one side of 0 is an addition, which pays if no more halvings follow, of two operations each. But
        # lanes may be too short for the range, or for the range after it was moved above 0.
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

    def result(self, x: Lazy, most: int) -> Lazy:
        """Return x in the range from 0 to most·q as a number, not only modulo 2^w."""
        if self.arith.ring and x.lo >= 0 and x.m <= most:
            return x._replace(value=self.one("settle", x.value, k=self.arith.word))
        return self.beside(x, most)

    def within(self, x: Lazy, most: int) -> Lazy:
        """Return x in the range from 0 to most·q, by an addition if that is enough."""
        if x.lo >= 0 and x.m <= most:
            return x
        return self.moved(x, -x.lo) if x.spread <= most else self.beside(x, most)

    def alike(self, xs: list[Lazy], most: int) -> list[Lazy]:
        """Return xs in one range that is no longer than most·q.

        If factors have signs, the range is the one that leaves the largest number of values unchanged.
        """
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
        """Return y as a signed or an unsigned word."""
        half = self.arith.room // 2
        fits = -half <= y.lo and y.m <= half
        return y if fits else self.within(y, self.arith.room)

    def product(self, y: Lazy, t: int, c: int = 0) -> Lazy:
        """Return a product congruent to v·y for twiddle t.

        On a limb the product includes c·q at no cost, and on a ring 2c·q. On words ``c`` is ignored, since
        adding another multiple of q costs an operation.
        """
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
        """Return x in a smaller range, if a product by 1 costs less than conditional subtractions.

        The subtractions would leave the range 0 to ``most``·q. The product is the one by twiddle 0, which is
        1, or the reduction by a rounded quotient.
        """
        if x.spread <= most * self.arith.far:
            return x
        if not self.arith.rounds:
            return self.product(x, 0)
        half = self.arith.room // 2
        x = self.moved(x, max(0, -half - x.lo) - max(0, x.m - half))
        return self.near(self.one("near_zero", x.value, self.root(0), self.q), -1, 1, "rounded_remainder")

    def reduced(self, x: Lazy) -> Lazy:
        """Return x in a range from 0 to a few multiples of q."""
        value = self.one("reduce_lazy", self.within(x, self.arith.room).value, self.q, k=1)
        return self.near(value, 0, self.arith.spread, "shoup_remainder")

    def sums(self, x: Lazy, y: Lazy) -> tuple[Lazy, Lazy]:
        """Return x + y and x - y."""
        total = self.near(self.one("plus", x.value, y.value), x.lo + y.lo, x.m + y.m)
        return total, self.near(self.one("minus", x.value, y.value), x.lo - y.m, x.m - y.lo)

    def cooley_tukey(self, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        """Return x + v·y and x - v·y. One of the two stays positive if the range of x begins at 0."""
        if x.spread + self.arith.spread > self.arith.most:
            x = self.beside(x, self.arith.most - self.arith.spread)
        return self.sums(x, self.product(y, t, int(x.lo == 0 and not self.arith.ring)))

    def gentleman_sande(self, x: Lazy, y: Lazy, t: int, c: int = 0, up: bool = False) -> tuple[Lazy, Lazy]:
        """Return x + y and c·q + v·(x - y).

        If factors must not be negative, multiples of q are subtracted from y so that the difference is
        positive; or they are added to x, if ``up`` is true and sums have the headroom.
        """
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
    """Return the multiple of q that bounds the sums of an inverse transform in which sums stay positive.

    Each level of a step doubles the bound, and adds the length of the range that values have before the
    level.

    Args:
        levels: The numbers of levels of the steps.
        most: The inputs are from 0 to most·q.
    """
    return reduce(lambda m, each: m * (2 + each) << each - 1, filter(None, levels), max(2, most))


def lifts(block: int, blocks: int, up: bool) -> int:
    """Return the number of ranges by which the product of a block is lifted, to keep later differences positive.

    In each later level the value then is above the one that it meets, or below it. With ``up``, sums are not
    negative either.

    Args:
        block: The number of the block.
        blocks: The number of blocks.
        up: Whether sums stay positive.
    """
    return up * (blocks - 1).bit_count() - block.bit_count()


@lru_cache(maxsize=256)
def step_codelet(
    arith: OneDigit, radix: int, given: Range, *, back: bool = False, pairs: bool = True, lift: int = 0, last: int = 0,
    ones: bool = False, apart: bool = False, opens: bool = True, up: bool = False,
) -> Codelet:  # fmt: skip
    """Return the codelet of several levels of Cooley–Tukey butterflies, from natural to bit-reversed order.

    With ``back`` the butterflies are Gentleman–Sande ones, from bit-reversed to natural order.

    Args:
        arith: The representation of residues.
        radix: The number of inputs.
        given: The range of the inputs.
        back: Whether butterflies are Gentleman–Sande ones.
        pairs: Whether twiddles come with their quotients by q, which take memory; otherwise each product
            takes an operation more.
        lift: The multiple of q that is added to the first half of the inputs, so that no later level becomes
            negative.
        last: The results are below last·q, unless it is 0. With ``back``, they are also scaled by twiddle 0,
            which is 1/n. Twiddles of the first level include this factor; so does twiddle radix + t of later
            levels, for the only pair of block t that has not been in a product before.
        ones: Whether the twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
        apart: Whether twiddles differ by lane.
        opens: Whether the inputs come from outside the transform instead of from another step.
        up: Whether sums stay positive on a ring, as those of the last step do, which needs fewer constants.
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
        else:  # after level 0 both inputs are lifted, and their difference is not
            plain = ones and not t & t - 1 and (t == 1 or not lift) and x.spread + y.spread <= arith.most
            xs[i], xs[j] = maker.sums(x, y) if plain else maker.cooley_tukey(x, y, t)
    if not last:
        return maker.done(maker.alike(xs, arith.most // (1 + back)))
    if back:
        xs[0] = maker.product(xs[0], 0)
    if arith.ring:
        xs = [maker.reduced(x) if x.spread > arith.spread else x for x in xs]
    return maker.done([maker.result(x if back else maker.nearer(x, last), last) for x in xs])
