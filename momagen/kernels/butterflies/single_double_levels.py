"""Butterflies of several levels on residues that fit one double, with all values in registers.

Values are within ±m·q for a fraction m. A product leaves little more than q/2, and a sum is bounded by the
sum of both bounds. Values that would become too large are reduced, which takes half the work of a product.
This is cheapest at the beginning of a step, for the inputs that meet no product soon. Every step is therefore
generated in several variants, and the one with the fewest reductions is chosen. Twiddles are in heap order,
as in `codelets`.
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
"""The bound of results in multiples of q. Since it is below 1, the sign of a result determines its residue."""
ENDS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(3), Fraction(4))
"""The bounds of the results of steps that are tried, in multiples of q."""


class Near(NamedTuple):
    """A value within ±m·q."""

    value: Value
    m: Fraction


@dataclass(frozen=True, eq=False)
class DoubleCodelet(Codelet):
    """A step on doubles.

    Attributes:
        within: The results are within ±within·q.
        reductions: The number of values that it reduces.
        opens: Whether the inputs are residues in words.
        ends: Whether the results are residues in words, below q.
    """

    within: Fraction
    reductions: int
    opens: bool = False
    ends: bool = False


class DoubleStepBuilder(CodeletBuilder):
    """A builder of one step, which counts reductions.

    Args:
        arith: The representation of residues.
        limit: The bound of sums, in multiples of q.
    """

    arith: OneDouble

    def __init__(self, arith: OneDouble, limit: Fraction) -> None:
        super().__init__(arith, arith.least)
        self.reductions, self.limit = 0, limit
        _ = self.q

    def input(self, name: str, m: Fraction, least: int = -1) -> Near:
        """Return a new input within ±m·q, and from least·q on."""
        top = int(m * self.arith.top)
        ends = max(-top, least * top), top
        return Near(self.b.numeral(name, ends, [ends], self.arith.word), m)

    def root(self, t: int) -> Value:
        """Return twiddle t of the heap, which is around zero."""
        if t not in self.roots:
            ends = (-self.arith.top // 2, self.arith.top // 2)
            self.roots[t] = self.b.numeral(f"v{t}", ends, [ends], self.arith.word)
        return self.roots[t]

    def near(self, value: Value, m: Fraction) -> Near:
        """Return ``value``, which is within ±m·q because the nearest multiple of q was subtracted."""
        top = int(m * self.arith.top)
        return Near(bounded(value, -top, top, "nearest_quotient"), m)

    def reduced(self, x: Near) -> Near:
        """Return x minus its nearest multiple of q."""
        a, self.reductions = self.arith, self.reductions + 1
        within = const(int(x.m) + 1)
        return self.near(self.one("near_residue", x.value, self.q, within, k=a.cut + a.word), a.nearest(x.m))

    def product(self, y: Near, t: int) -> Near:
        """Return y·v for twiddle t, within about q/2."""
        y = self.reduced(y) if y.m > self.arith.most else y
        return self.near(self.one("product_around", y.value, self.root(t), self.q), self.arith.product(y.m))

    def fitting(self, x: Near, y: Near, limit: Fraction) -> tuple[Near, Near]:
        """Return x and y, with the larger one reduced first, such that their sum is within limit·q."""
        while x.m + y.m > limit:
            x, y = (self.reduced(x), y) if x.m >= y.m else (x, self.reduced(y))
        return x, y

    def sums(self, x: Near, y: Near) -> tuple[Near, Near]:
        """Return x + y and x - y."""
        args, m = (x.value, y.value), x.m + y.m
        return Near(self.one("plus", *args), m), Near(self.one("minus", *args), m)

    def cooley_tukey(self, x: Near, y: Near, t: int, *, plain: bool = False) -> tuple[Near, Near]:  # type: ignore[override]
        """Return x + v·y and x - v·y; with ``plain``, v is 1."""
        if plain:
            return self.sums(*self.fitting(x, y, self.limit))
        p = self.product(y, t)
        return self.sums(self.reduced(x) if x.m + p.m > self.limit else x, p)

    def gentleman_sande(self, x: Near, y: Near, t: int) -> tuple[Near, Near]:  # type: ignore[override]
        """Return x + y and v·(x - y)."""
        total, difference = self.sums(*self.fitting(x, y, self.arith.most))
        return total, self.product(difference, t)

    def levels(self, xs: list[Near], back: bool, last: bool, ones: bool) -> list[Near]:
        """Return the results of all levels on ``xs``. See :func:`double_step` for the arguments."""
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
    """Return a step of Cooley–Tukey butterflies, from natural to bit-reversed order.

    With ``back`` the butterflies are Gentleman–Sande ones, from bit-reversed to natural order; if the step is
    also the last one, its results are scaled by twiddle 0 as
    :func:`momagen.kernels.butterflies.single_digit_levels.step_codelet` describes.

    Args:
        arith: The representation of residues.
        radix: The number of inputs.
        given: The bound of the inputs, in multiples of q.
        ends: The bound of the results, in multiples of q, unless the step is the last one.
        early: The number of inputs that are reduced at the beginning.
        back: Whether butterflies are Gentleman–Sande ones.
        opens: Whether the inputs are not negative.
        last: Whether the step is the last one.
        ones: Whether the twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
    """
    maker = DoubleStepBuilder(arith, max(ends, arith.most))
    xs = [maker.input(f"x{i}", given, -1 + opens) for i in range(radix)]
    xs[:early] = [maker.reduced(x) for x in xs[:early]]
    xs = [maker.reduced(x) if x.m > (BELOW if last else ends) else x for x in maker.levels(xs, back, last, ones)]
    block, within = maker.put(x.value for x in xs), max(x.m for x in xs)
    return DoubleCodelet(block, radix, (-1 - int(within), 1 + int(within)), within, maker.reductions, opens, last)


def double_steps(
    arith: OneDouble, radices: Sequence[int], given: int, *, back: bool = False, ones: bool = False, apart: int = 0
) -> list[DoubleCodelet]:
    """Return the steps of one transform in their order.

    The inputs are words below given·q, and the results are residues in words.

    Args:
        arith: The representation of residues.
        radices: The number of inputs of each step.
        given: The bound of the inputs, in multiples of q.
        back: Whether butterflies are Gentleman–Sande ones.
        ones: Whether the twiddles 1, 2, 4, … of the first step are 1.
        apart: The number of values in a separate step without levels that converts results to words; 0 if the
            last step converts them.
    """
    chains = [_chain(arith, radices, Fraction(given), ends, back, ones, apart) for ends in ENDS]
    return min(chains, key=lambda chain: sum(Fraction(step.reductions, step.radix) for step in chain))


def _chain(
    arith: OneDouble, radices: Sequence[int], given: Fraction, ends: Fraction, back: bool, ones: bool, apart: int
) -> list[DoubleCodelet]:
    """Return steps with the fewest reductions. The results of all steps except the last one are within ``ends``."""
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
    """Return a step without levels that converts ``count`` values within ±given·q to words."""
    maker = DoubleStepBuilder(arith, arith.widest)
    for i in range(count):
        maker.b.output(f"y{i}", maker.reduced(maker.input(f"x{i}", given)).value)
    return DoubleCodelet(maker.b.block, count, (-1, 1), arith.nearest(given), count, ends=True)
