"""Butterflies of several levels on residues that fit one signed word, kept in registers.

They are those on doubles, but values are reduced by a known multiple of q towards zero, which about halves their range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil

from momagen.ir import Value, const
from momagen.kernels.residues.single_signed import OneSigned
from momagen.kernels.residues.theorems import bounded

from .codelets import Codelet
from .single_double_levels import DoubleStepBuilder, Near

ENDS = tuple(map(Fraction, range(1, 9)))
"""Bounds tried for what steps leave, in multiples of q."""


@dataclass(frozen=True, eq=False)
class SignedCodelet(Codelet):
    """A step, with results within ±within·q; reductions: conditional sums that it has."""

    within: Fraction
    reductions: int


class SignedStepBuilder(DoubleStepBuilder):
    """Builds one step, for tables of so many ``columns``. A value within ±m·q is not m·q itself."""

    arith: OneSigned  # type: ignore[assignment]

    def __init__(self, arith: OneSigned, columns: int, limit: Fraction) -> None:
        super().__init__(arith, limit)  # type: ignore[arg-type]
        self.columns = columns

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
        y, args = self.within(y, self.arith.most), (self.root(t), self.q, const(self.columns))
        value = self.one("mulmod_halves", y.value, *args)
        return Near(bounded(value, *self.ends(self.arith.product), "quotient_by_signed_digits"), self.arith.product)

    def raised(self, x: Near, most: int) -> Near:
        """x from 0 to most·q."""
        x = self.within(x, Fraction(most))
        step = ceil(x.m)
        return Near(bounded(self.corrected("correct_up", x, step), *self.ends(Fraction(step), 0), "sign_correction"), x.m)


@lru_cache(maxsize=1024)
def signed_step(
    arith: OneSigned, radix: int, columns: int, given: Fraction, ends: Fraction, *, early: int = 0, back: bool = False,
    opens: bool = False, last: int = 0, ones: bool = False,
) -> SignedCodelet:  # fmt: skip
    """Levels of Cooley–Tukey butterflies, natural order in, bit-reversed out; ``back``: of Gentleman–Sande ones, the
    other way, and where they are ``last`` scaled by twiddle 0 as `step_codelet` says.

    Args:
        columns: of the table of twiddles.
        given, ends: bounds of what comes and, unless it is ``last``, goes, in multiples of q.
        early: so many legs are reduced at once. opens: what comes is not negative. last: results are below last·q.
        ones: twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
    """
    maker = SignedStepBuilder(arith, columns, arith.widest)
    xs = [maker.input(f"x{i}", given, -1 + opens) for i in range(radix)]
    xs[:early] = [maker.reduced(x) for x in xs[:early]]
    xs = maker.levels(xs, back, last > 0, ones)
    xs = [maker.raised(x, last) if last else maker.within(x, ends) for x in xs]
    for i, x in enumerate(xs):
        maker.b.output(f"y{i}", x.value)
    within = max(x.m for x in xs)
    return SignedCodelet(maker.b.block, radix, (-ceil(within), ceil(within)), within, maker.reductions)


def signed_steps(
    arith: OneSigned, steps: Sequence[tuple[int, int]], given: int, most: int, *, back: bool = False,
    ones: bool = False,
) -> list[SignedCodelet]:  # fmt: skip
    """The steps of one transform in their order, by radix and columns of tables: words below given·q come, and those
    below most·q go; with the fewest conditional sums."""
    chains = [_chain(arith, steps, Fraction(given), most, ends, back, ones) for ends in ENDS]
    return min(chains, key=lambda chain: sum(Fraction(step.reductions, step.radix) for step in chain))


def _chain(
    arith: OneSigned, steps: Sequence[tuple[int, int]], given: Fraction, most: int, ends: Fraction, back: bool, ones: bool
) -> list[SignedCodelet]:
    """With results of every step within ``ends``."""
    made = list[SignedCodelet]()
    for at, (radix, columns) in enumerate(steps):
        opens, last = at == 0, most * (at == len(steps) - 1)
        early = [0, *(1 << level for level in range((radix.bit_length() - 1) * (not back)))]
        ways = [
            signed_step(arith, radix, columns, given, min(ends, arith.most), early=count, back=back, opens=opens,
                        last=last, ones=ones and opens)
            for count in early
        ]  # fmt: skip
        made.append(min(ways, key=lambda way: (way.reductions, way.within)))
        given = made[-1].within
    return made
