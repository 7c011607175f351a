"""The parts of the codelets of `levels`: unreduced residues, products, reductions, results."""

from __future__ import annotations

from functools import cached_property

from momagen.ir import Builder, Value, const
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.theorems import bounded


class LazyBuilder:
    """A builder with the modulus, and the operations that codelets share."""

    def __init__(self, arith: ReducedRadix) -> None:
        self.arith, self.b = arith, Builder()
        self.q = arith.q(self.b, arith.least)
        self.top = arith.reach * arith.top - 1

    def drifted(self, name: str, multiple: int = 0, unsettled: int = 0) -> Value:
        """An input within reach·q, or multiple·q, with the digits that follow ``unsettled`` levels without carry
        normalisation."""
        a = self.arith
        top = (multiple or a.reach) * a.top - 1
        return self.digits(name, (-top if a.real else 0, top), a.after(unsettled), 0 if a.real else a.held)

    def digits(self, name: str, within: tuple[int, int], most: int, ring: int = 0) -> Value:
        """An input with digits within ±most, exact or modulo 2^ring."""
        a = self.arith
        most = min(most, within[1] + 1) if a.single else most
        return self.b.numeral(name, within, [(-most, most - 1)] * a.words, a.word, ring)

    def given(self, name: str, m: int) -> Value:
        """What comes in below m·q; reduced where one double is to hold it."""
        x = self.arith.residue(self.b, name, m)
        return self.nearest(x) if self.arith.single and (m > 1 or self.arith.factor) else x

    def lifted(self, x: Value, m: int) -> Value:
        """``x`` below m·q with the offset that keeps later differences above 0; without one where values may be
        negative."""
        a = self.arith
        return x if a.real or a.doubling else self.sum(x, a.times_q(self.b, self.q, a.lift(m)))

    def sum(self, x: Value, y: Value) -> Value:
        return self.b.one("plus", self.arith.width, x, y)

    def minus(self, x: Value, y: Value) -> Value:
        return self.b.one("minus", self.arith.width, x, y)

    def difference(self, x: Value, y: Value, multiple: int) -> Value:
        """x - y, and multiple·q where values may not be negative: both are below that."""
        a = self.arith
        if a.real:
            return self.minus(x, y)
        value = self.minus(self.sum(x, a.times_q(self.b, self.q, multiple)), y)
        return bounded(value, 0, 2 * multiple * a.top - 1, "offset_difference")

    def product(self, y: Value, shared: bool) -> Value:
        """v·y within g·q, v a constant whose format ``shared`` says; around zero where values move both ways."""
        a = self.arith
        if a.over_q:
            y = self.nearest(y) if a.reduces and not a.doubling else y
            most = const((max(-y.lo, y.hi) >> a.word * (a.words - 1)) + 1)
            return self.b.one("shoup_near", a.word, y, self.factor, self.q, most, k=a.words)
        if shared or a.folds:
            bias = self.b.one("minus_multiple", a.word, self.q, k=a.half) if a.half else const(0)
            t = self.b.one("fold", a.word, bias, y, self.factor, self.q, k=a.words)
            return bounded(t, (-a.grown if a.real else -a.half) * a.top, (a.grown - a.half) * a.top, "folded_product")
        if a.deep:  # the product takes a digit more
            op, width = "mulmod_around" if a.half else "mulmod_fine", a.word << a.words.bit_length()
            return self.b.one(op, width, y, self.factor, self.q, k=a.held)
        return self.b.one("mulmod", a.width, y, self.factor, self.q, k=a.k)

    @cached_property
    def factor(self) -> Value:
        """The constant v, with the digits of a residue."""
        a, full = self.arith, (1 << self.arith.word) - 1
        ends = [(0, min(full, a.top - 1 >> a.word * at)) for at in range(a.words)]
        return self.b.numeral("v", (0, a.top - 1), ends, a.word)

    def level(self, name: str, value: Value, settles: bool = True) -> None:
        """A result of a level: by the theorem on all levels together it stays within reach·q, or it is reduced.

        ``settles``: with digits that are settled, where levels do that at all.
        """
        a = self.arith
        if not (a.doubling and a.reduces):
            value = bounded(value, -self.top if a.real else 0, self.top, "lazy_levels")
        elif value.hi > self.top:
            value = self.nearest(value)
        self.b.output(name, self.settled(value, a.loose if a.settles and settles else a.lane - 1))

    def settled(self, value: Value, k: int) -> Value:
        """``value`` with carries normalised where digits are not within ±2^k."""
        return self.b.one("settle", self.arith.held, value, k=k)

    def nearest(self, value: Value) -> Value:
        """``value`` less the nearest multiple of q."""
        a = self.arith
        within = const(max(-value.lo, value.hi) // a.top + 1)
        return self.b.one("near_residue", a.word, value, self.q, within, k=a.cut + a.word)

    def reduced(self, x: Value, most: int, over: int = 0) -> Value:
        """``x`` below most·q, or x/2^over below q, if it leaves the estimate of its quotient a digit; below 2q is all
        that is won by a larger ``most``. Of digits in doubles it is within ±q."""
        a = self.arith
        if a.real and not over:
            return self.nearest(x)
        if a.real:
            cut, digits, within = const(a.cut + a.word), const(a.words), const(a.reach + 1)
            return self.b.one("near_residue_over", a.word, x, self.q, cut, digits, within, k=over)
        if over:
            x = self.b.one("residue_over", a.width, x, self.q, const(a.cut), k=over)
        else:
            x = self.b.one("residue" if most == 1 else "residue_lazy", a.width, x, self.q, k=a.cut)
        return self.b.one("settle", a.width, x, k=a.word)
