"""Butterflies of several levels on residues that fit one double, kept in registers.

Values lie within ±m·q, m a fraction: a product leaves little more than q/2, a sum what both terms may be. What would
grow too large is reduced, which is half the work of a product; and it is cheapest where a step begins, of the legs that
meet no product soon. So every step is made in several ways, and the one with the fewest reductions is taken. Twiddles
stand in heap order, as in `codelets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from momagen.ir import Value, const
from momagen.kernels.residues.single_double import OneDouble
from momagen.kernels.residues.theorems import bounded

from .codelets import Codelet, CodeletBuilder, heap

BELOW = Fraction(63, 64)
"""Results are within so many multiples of q: their sign says what makes them residues."""
ENDS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(3), Fraction(4))
"""Bounds tried for what steps leave, in multiples of q."""


class Near(NamedTuple):
    """A value within ±m·q."""

    value: Value
    m: Fraction


@dataclass(frozen=True, eq=False)
class DoubleCodelet(Codelet):
    """A step on doubles.

    Attributes:
        within: results are within ±within·q. reductions: values that it reduces.
        opens: residues come as words. ends: they go as words, below q.
    """

    within: Fraction
    reductions: int
    opens: bool = False
    ends: bool = False


class DoubleStepBuilder(CodeletBuilder):
    """Builds one step, and counts reductions; ``limit``: of sums, in multiples of q."""

    arith: OneDouble

    def __init__(self, arith: OneDouble, limit: Fraction) -> None:
        super().__init__(arith, arith.least)
        self.reductions, self.limit = 0, limit
        _ = self.q

    def one(self, op: str, *args: Value, k: int = 0) -> Value:
        return self.b.one(op, self.arith.word, *args, k=k)

    def input(self, name: str, m: Fraction, least: int = -1) -> Near:
        """A new input within ±m·q, or from ``least`` on."""
        top = int(m * self.arith.top)
        ends = max(-top, least * top), top
        return Near(self.b.numeral(name, ends, [ends], self.arith.word), m)

    def root(self, t: int) -> Value:
        """Twiddle t of the heap, around zero."""
        if t not in self.roots:
            ends = (-self.arith.top // 2, self.arith.top // 2)
            self.roots[t] = self.b.numeral(f"v{t}", ends, [ends], self.arith.word)
        return self.roots[t]

    def near(self, value: Value, m: Fraction) -> Near:
        """``value``, whose nearest multiple of q was taken off by a quotient to the nearest."""
        top = int(m * self.arith.top)
        return Near(bounded(value, -top, top, "nearest_quotient"), m)

    def reduced(self, x: Near) -> Near:
        a, self.reductions = self.arith, self.reductions + 1
        within = const(int(x.m) + 1)
        return self.near(self.one("near_residue", x.value, self.q, within, k=a.cut + a.word), a.nearest(x.m))

    def product(self, y: Near, t: int) -> Near:
        y = self.reduced(y) if y.m > self.arith.most else y
        return self.near(self.one("product_around", y.value, self.root(t), self.q), self.arith.product(y.m))

    def fitting(self, x: Near, y: Near, limit: Fraction) -> tuple[Near, Near]:
        """x and y whose sum is within limit·q, the larger one reduced first."""
        while x.m + y.m > limit:
            x, y = (self.reduced(x), y) if x.m >= y.m else (x, self.reduced(y))
        return x, y

    def sums(self, x: Near, y: Near) -> tuple[Near, Near]:
        """x + y and x - y."""
        args, m = (x.value, y.value), x.m + y.m
        return Near(self.one("plus", *args), m), Near(self.one("minus", *args), m)

    def cooley_tukey(self, x: Near, y: Near, t: int, *, plain: bool = False) -> tuple[Near, Near]:  # type: ignore[override]
        """x + v·y and x - v·y; ``plain``: v is 1."""
        if plain:
            return self.sums(*self.fitting(x, y, self.limit))
        p = self.product(y, t)
        return self.sums(self.reduced(x) if x.m + p.m > self.limit else x, p)

    def gentleman_sande(self, x: Near, y: Near, t: int) -> tuple[Near, Near]:  # type: ignore[override]
        """x + y and v·(x - y)."""
        total, difference = self.sums(*self.fitting(x, y, self.arith.most))
        return total, self.product(difference, t)

    def levels(self, xs: list[Near], back: bool, last: bool, ones: bool) -> list[Near]:
        """All levels on ``xs``, as `double_step` says."""
        for i, j, t in heap(len(xs), back):
            if back:
                scales = last and j - i > 1 and not i & 2 * (j - i) - 1
                xs[i], xs[j] = self.gentleman_sande(xs[i], xs[j], t + len(xs) * scales)
            else:
                xs[i], xs[j] = self.cooley_tukey(xs[i], xs[j], t, plain=ones and not t & t - 1)
        if back and last:
            xs[0] = self.product(xs[0], 0)
        return xs


@lru_cache(maxsize=1024)
def double_step(
    arith: OneDouble, radix: int, given: Fraction, ends: Fraction, *, early: int = 0, back: bool = False,
    opens: bool = False, last: bool = False, ones: bool = False,
) -> DoubleCodelet:  # fmt: skip
    """Levels of Cooley–Tukey butterflies, natural order in, bit-reversed out; ``back``: of Gentleman–Sande ones, the
    other way, and where they are ``last`` scaled by twiddle 0 as `step_codelet` says.

    Args:
        given, ends: bounds of what comes and, unless it is ``last``, goes, in multiples of q.
        early: so many legs are reduced at once. opens: what comes is not negative.
        ones: twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
    """
    maker = DoubleStepBuilder(arith, max(ends, arith.most))
    xs = [maker.input(f"x{i}", given, -1 + opens) for i in range(radix)]
    xs[:early] = [maker.reduced(x) for x in xs[:early]]
    xs = [maker.reduced(x) if x.m > (BELOW if last else ends) else x for x in maker.levels(xs, back, last, ones)]
    for i, x in enumerate(xs):
        maker.b.output(f"y{i}", x.value)
    within = max(x.m for x in xs)
    out = -1 - int(within), 1 + int(within)
    return DoubleCodelet(maker.b.block, radix, out, within, maker.reductions, opens, last)


def double_steps(
    arith: OneDouble, radices: Sequence[int], given: int, *, back: bool = False, ones: bool = False, apart: int = 0
) -> list[DoubleCodelet]:
    """The steps of one transform in their order: words below given·q come, and residues go as words.

    Args:
        apart: a step without levels, of so many values, takes residues to words; 0: the last step does.
    """
    chains = [_chain(arith, radices, Fraction(given), ends, back, ones, apart) for ends in ENDS]
    return min(chains, key=lambda chain: sum(Fraction(step.reductions, step.radix) for step in chain))


def _chain(
    arith: OneDouble, radices: Sequence[int], given: Fraction, ends: Fraction, back: bool, ones: bool, apart: int
) -> list[DoubleCodelet]:
    """With results of every step but the last two within ``ends``."""
    made = list[DoubleCodelet]()
    for at, radix in enumerate(radices):
        opens, last = at == 0, at == len(radices) - 1 and not apart
        leaves = arith.widest if at == len(radices) - 1 else min(ends, arith.most)
        early = [0, *(1 << level for level in range((radix.bit_length() - 1) * (not back)))]
        ways = [
            double_step(arith, radix, given, leaves, early=count, back=back, opens=opens, last=last,
                        ones=ones and opens)
            for count in early
        ]  # fmt: skip
        made.append(min(ways, key=lambda way: (way.reductions, way.within)))
        given = made[-1].within
    return [*made, _finish(arith, apart, given)] if apart else made


def _finish(arith: OneDouble, count: int, given: Fraction) -> DoubleCodelet:
    """No levels: ``count`` values within ±given·q to words."""
    maker = DoubleStepBuilder(arith, arith.widest)
    for i in range(count):
        maker.b.output(f"y{i}", maker.reduced(maker.input(f"x{i}", given)).value)
    return DoubleCodelet(maker.b.block, count, (-1, 1), arith.nearest(given), count, ends=True)
