"""Butterflies of several levels on residues that fit one signed word, kept in registers: those on doubles, but that
values are reduced by a known multiple of q towards zero."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from momagen.ir import Value
from momagen.kernels.residues.single_signed import OneSigned
from momagen.kernels.residues.theorems import bounded

from .single_double_levels import DoubleStepBuilder, Near


class SignedStepBuilder(DoubleStepBuilder):
    """Builds one step. A value within ±m·q is below m·q itself."""

    arith: OneSigned  # type: ignore[assignment]
    bounds = tuple(map(Fraction, range(1, 9)))

    def held(self, value: Value, m: Fraction, theorem: str, least: int = -1) -> Near:
        top = m * self.arith.top
        return Near(bounded(value, int(max(-top, least * top)), ceil(top) - 1, theorem), m)

    def input(self, name: str, m: Fraction, least: int = -1) -> Near:
        top = m * self.arith.top
        return Near(self.b.input(name, int(max(-top, least * top)), ceil(top) - 1), m)

    def root(self, t: int) -> Value:
        if t not in self.roots:
            self.roots[t] = self.arith.residue(self.b, f"v{t}")
        return self.roots[t]

    def multiple(self, k: int) -> Value:
        """k·q."""
        return self.arith.times_q(self.b, self.q, k)

    def reduced(self, x: Near) -> Near:
        self.reductions += 1
        step = self.arith.step(x.m)
        value = self.one("correct_near", x.value, self.multiple(step))
        return self.held(value, max(Fraction(step), x.m - step), "multiple_towards_zero")

    def product(self, y: Near, t: int) -> Near:
        y = self.within(y, self.arith.most)
        value = self.one("mulmod_halves", y.value, self.root(t), self.q)
        return self.held(value, self.arith.product(y.m), "quotient_by_signed_digits")

    def ended(self, x: Near, most: int) -> Near:
        """x from 0 to most·q."""
        x = self.within(x, Fraction(most))
        step = ceil(x.m)
        value = self.one("correct_up", x.value, self.multiple(step))
        return self.held(value, Fraction(step), "sign_correction", 0)
