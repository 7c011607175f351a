"""Butterflies of several levels on residues that fit one signed word, kept in registers.

They are those on doubles, but values are reduced by a known multiple of q towards zero, which about halves their range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import ceil
from typing import NamedTuple

from momagen.ir import Value, const
from momagen.kernels.residues.single_signed import OneSigned
from momagen.kernels.residues.theorems import bounded

from .codelets import Codelet
from .single_double_levels import DoubleStepBuilder, Near

ENDS = tuple(map(Fraction, range(1, 9)))
"""Bounds tried for what enters and leaves steps, in multiples of q."""
ZERO = const(0)


@dataclass(frozen=True, eq=False)
class SignedCodelet(Codelet):
    """A step, with results within ±within·q."""

    within: Fraction


class SignedStepBuilder(DoubleStepBuilder):
    """Builds one step. A value within ±m·q is not m·q itself."""

    arith: OneSigned  # type: ignore[assignment]

    def __init__(self, arith: OneSigned) -> None:
        super().__init__(arith, arith.widest)  # type: ignore[arg-type]

    def ends(self, m: Fraction, least: int = -1) -> tuple[int, int]:
        """The least and the largest value within ±m·q, or from ``least`` on."""
        top = m * self.arith.top
        return int(max(-top, least * top)), ceil(top) - 1

    def input(self, name: str, m: Fraction, least: int = -1) -> Near:
        return Near(self.b.input(name, *self.ends(m, least)), m)

    def root(self, t: int) -> Value:
        if t not in self.roots:
            self.roots[t] = self.arith.residue(self.b, f"v{t}")
        return self.roots[t]

    def corrected(self, op: str, x: Near, step: int) -> Value:
        """x and, by its sign, ``step`` times q."""
        self.reductions += 1
        return self.one(op, x.value, self.arith.times_q(self.b, self.q, step))

    def reduced(self, x: Near) -> Near:
        step = max(round(x.m / 2), 1)
        m = max(Fraction(step), x.m - step)
        return Near(bounded(self.corrected("correct_near", x, step), *self.ends(m), "multiple_towards_zero"), m)

    def within(self, x: Near, most: Fraction) -> Near:
        """x within ±most·q."""
        while x.m > most:
            x = self.reduced(x)
        return x

    def product(self, y: Near, t: int) -> Near:
        y = self.within(y, self.arith.most)
        value = self.one("mulmod_halves", y.value, self.root(t), self.q)
        return Near(bounded(value, *self.ends(self.arith.product), "quotient_by_signed_digits"), self.arith.product)

    def raised(self, x: Near, most: int) -> Near:
        """x from 0 to most·q."""
        x = self.within(x, Fraction(most))
        step = ceil(x.m)
        value = self.corrected("correct_up", x, step)
        return Near(bounded(value, *self.ends(Fraction(step), 0), "sign_correction"), x.m)


class RangesOnly(SignedStepBuilder):
    """Builds nothing: says what ranges values have."""

    def one(self, op: str, *args: Value, k: int = 0) -> Value:
        return ZERO

    def input(self, name: str, m: Fraction, least: int = -1) -> Near:
        return Near(ZERO, m)

    def root(self, t: int) -> Value:
        return ZERO


class Way(NamedTuple):
    """How a step goes.

    Attributes:
        arith, radix: its residues and its legs. given, opens: what comes is within ±given·q, and where it opens a
            transform not negative.
        back: levels of Gentleman–Sande butterflies, bit-reversed order in, else of Cooley–Tukey ones, natural order in;
            where they are last scaled by twiddle 0, as `step_codelet` says.
        ones: twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
        early: the bounds of legs 0 and 1 when it begins, those that meet a product last. last: results are below
            last·q; 0: within ±ends·q.
    """

    arith: OneSigned
    radix: int
    given: Fraction
    opens: bool
    back: bool
    ones: bool
    last: int
    early: tuple[Fraction, Fraction]
    ends: Fraction

    def built(self, maker: SignedStepBuilder) -> list[Near]:
        """Results of the step."""
        xs = [maker.input(f"x{i}", self.given, -1 + self.opens) for i in range(self.radix)]
        for i, most in enumerate(self.early[: self.radix // 2]):
            xs[i] = maker.within(xs[i], most)
        xs = maker.levels(xs, self.back, self.last > 0, self.ones)
        return [maker.raised(x, self.last) if self.last else maker.within(x, self.ends) for x in xs]

    def codelet(self) -> SignedCodelet:
        """The step itself."""
        maker = SignedStepBuilder(self.arith)
        xs = self.built(maker)
        within = max(x.m for x in xs)
        for i, x in enumerate(xs):
            maker.b.output(f"y{i}", x.value)
        return SignedCodelet(maker.b.block, self.radix, (-ceil(within), ceil(within)), within)


@lru_cache(maxsize=4096)
def _cost(way: Way) -> tuple[int, Fraction]:
    """Conditional sums of a step, and the bound of its results."""
    maker = RangesOnly(way.arith)
    within = max(x.m for x in way.built(maker))
    return maker.reductions, within


def signed_steps(
    arith: OneSigned, radices: Sequence[int], given: int, most: int, *, back: bool = False, ones: bool = False
) -> list[SignedCodelet]:
    """The steps of one transform in their order: words below given·q come, and those
    below most·q go; with the fewest conditional sums a value."""
    widest = min(arith.most, arith.widest)
    bounds = [bound for bound in ENDS if bound < widest] + [widest]
    ends, early = (bounds, [(widest, widest)]) if back else ([widest], [*combinations_with_replacement(bounds, 2)])
    found: dict[Fraction, tuple[Fraction, list[Way]]] = {Fraction(given): (Fraction(0), [])}
    for at, radix in enumerate(radices):
        last, after = most * (at == len(radices) - 1), dict[Fraction, tuple[Fraction, list[Way]]]()
        for bound, (cost, ways) in found.items():
            for one, end in product(early, ends):
                way = Way(arith, radix, bound, at == 0, back, ones and at == 0, last, one, end)
                more, within = _cost(way)
                total = cost + Fraction(more, radix)
                if within not in after or total < after[within][0]:
                    after[within] = total, [*ways, way]
        found = after
    _, ways = min(found.values(), key=lambda each: each[0])
    return [way.codelet() for way in ways]
