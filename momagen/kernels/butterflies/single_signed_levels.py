"""Butterflies of several levels on residues that fit one signed word, with all values in registers.

They are those on doubles, except that a known multiple of q is added to or subtracted from a value according
to its sign, which about halves its range.
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

from .codelets import Codelet, CodeletBuilder
from .single_double_levels import DoubleStepBuilder, Near

ENDS = tuple(map(Fraction, range(1, 9)))
"""The bounds of the inputs and results of steps that are tried, in multiples of q."""
ZERO = const(0)
"""The value that stands for every value if only ranges are computed."""


@dataclass(frozen=True, eq=False)
class SignedCodelet(Codelet):
    """A step on signed words.

    Attributes:
        within: The results are within ±within·q.
    """

    within: Fraction


class SignedStepBuilder(DoubleStepBuilder):
    """A builder of one step. A value within ±m·q is never equal to m·q."""

    arith: OneSigned  # type: ignore[assignment]

    def __init__(self, arith: OneSigned) -> None:
        super().__init__(arith, arith.widest)  # type: ignore[arg-type]

    def ends(self, m: Fraction, least: int = -1) -> tuple[int, int]:
        """Return the least and the largest value within ±m·q, and from least·q on."""
        top = m * self.arith.top
        return int(max(-top, least * top)), ceil(top) - 1

    def input(self, name: str, m: Fraction, least: int = -1) -> Near:
        """Return a new input within ±m·q, and from least·q on."""
        return Near(self.b.input(name, *self.ends(m, least)), m)

    root = CodeletBuilder.root

    def corrected(self, op: str, x: Near, step: int) -> Value:
        """Return x after a correction by ``step`` times q that depends on its sign, and count the reduction."""
        self.reductions += 1
        return self.one(op, x.value, self.arith.times_q(self.b, self.q, step))

    def reduced(self, x: Near) -> Near:
        """Return x after a correction towards zero."""
        step = max(round(x.m / 2), 1)
        m = max(Fraction(step), x.m - step)
        return Near(bounded(self.corrected("correct_near", x, step), *self.ends(m), "multiple_towards_zero"), m)

    def within(self, x: Near, most: Fraction) -> Near:
        """Return x within ±most·q."""
        while x.m > most:
            x = self.reduced(x)
        return x

    def product(self, y: Near, t: int) -> Near:
        """Return y·v for twiddle t."""
        y = self.within(y, self.arith.most)
        value = self.one("mulmod_halves", y.value, self.root(t), self.q)
        return Near(bounded(value, *self.ends(self.arith.product), "quotient_by_signed_digits"), self.arith.product)

    def raised(self, x: Near, most: int) -> Near:
        """Return x in the range from 0 to most·q."""
        x = self.within(x, Fraction(most))
        step = ceil(x.m)
        value = self.corrected("correct_up", x, step)
        return Near(bounded(value, *self.ends(Fraction(step), 0), "sign_correction"), x.m)


class RangesOnly(SignedStepBuilder):
    """A builder that generates no code and only computes the ranges of values."""

    def one(self, op: str, *args: Value, k: int = 0) -> Value:
        """Return a placeholder."""
        return ZERO

    def input(self, name: str, m: Fraction, least: int = -1) -> Near:
        """Return a placeholder within ±m·q."""
        return Near(ZERO, m)

    def root(self, t: int) -> Value:
        """Return a placeholder."""
        return ZERO


class Way(NamedTuple):
    """A variant of a step.

    Attributes:
        arith: The representation of residues.
        radix: The number of inputs.
        given: The inputs are within ±given·q.
        opens: Whether the step is the first one, whose inputs are not negative.
        back: Whether butterflies are Gentleman–Sande ones with inputs in bit-reversed order, instead of
            Cooley–Tukey ones with inputs in natural order. If the step is also the last one, its results are
            scaled by twiddle 0 as :func:`momagen.kernels.butterflies.single_digit_levels.step_codelet`
            describes.
        ones: Whether the twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
        last: The results are below last·q; if it is 0, they are within ±ends·q.
        early: The bounds to which inputs 0 and 1, which meet a product last, are reduced at the beginning.
        ends: The bound of the results, unless the step is the last one.
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
        """Return the results of the step."""
        xs = [maker.input(f"x{i}", self.given, -1 + self.opens) for i in range(self.radix)]
        for i, most in enumerate(self.early[: self.radix // 2]):
            xs[i] = maker.within(xs[i], most)
        xs = maker.levels(xs, self.back, self.last > 0, self.ones)
        return [maker.raised(x, self.last) if self.last else maker.within(x, self.ends) for x in xs]

    def codelet(self) -> SignedCodelet:
        """Return the codelet of the step."""
        maker = SignedStepBuilder(self.arith)
        xs = self.built(maker)
        block, within = maker.put(x.value for x in xs), max(x.m for x in xs)
        return SignedCodelet(block, self.radix, (-ceil(within), ceil(within)), within)


@lru_cache(maxsize=4096)
def _cost(way: Way) -> tuple[int, Fraction]:
    """Return the number of conditional additions of a step, and the bound of its results."""
    maker = RangesOnly(way.arith)
    within = max(x.m for x in way.built(maker))
    return maker.reductions, within


def signed_steps(
    arith: OneSigned, radices: Sequence[int], given: int, most: int, *, back: bool = False, ones: bool = False
) -> list[SignedCodelet]:
    """Return the steps of one transform in their order, with the fewest conditional additions for each value.

    The inputs are words below given·q, and the results are words below most·q.

    Args:
        arith: The representation of residues.
        radices: The number of inputs of each step.
        given: The bound of the inputs, in multiples of q.
        most: The bound of the results, in multiples of q.
        back: Whether butterflies are Gentleman–Sande ones.
        ones: Whether the twiddles 1, 2, 4, … of the first step are 1.
    """
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
