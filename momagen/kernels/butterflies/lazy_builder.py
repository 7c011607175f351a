"""The parts of the codelets of `levels`: unreduced residues, products, reductions, results."""

from __future__ import annotations

from functools import cached_property

from momagen.ir import Builder, Value, const
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.theorems import bounded


class Drifting:
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

    def digits(self, name: str, interval: tuple[int, int], most: int, ring: int = 0) -> Value:
        """An input with digits within ±most, exact or modulo 2^ring."""
        a = self.arith
        most = min(most, interval[1] + 1) if a.single else most
        found = tuple(Value(-most, most - 1, "word", f"{name}_{i}") for i in reversed(range(a.words)))
        self.b.block.inputs[name] = value = Value(*interval, "word", name, found, a.word, ring)
        return value

    def given(self, name: str) -> Value:
        """What comes in below m_in·q; reduced where one double is to hold it."""
        x = self.arith.residue(self.b, name, self.arith.m_in)
        return self.nearest(x) if self.arith.single and (self.arith.m_in > 1 or self.arith.factor) else x

    def lifted(self, x: Value, multiple: int) -> Value:
        """``x`` below multiple·q with the offset that keeps later differences above 0; without one where values may be
        negative."""
        a = self.arith
        if a.real or a.doubling:
            return x
        return self.b.one("plus", a.width, x, a.times_q(self.b, self.q, a.lift(multiple)))

    def difference(self, x: Value, y: Value, multiple: int) -> Value:
        """x - y, and multiple·q where values may not be negative: both are below that."""
        a = self.arith
        if a.real:
            return self.b.one("minus", a.width, x, y)
        lifted = self.b.one("plus", a.width, x, a.times_q(self.b, self.q, multiple))
        return bounded(self.b.one("minus", a.width, lifted, y), 0, 2 * multiple * a.top - 1, "offset_difference")

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
        ends = [min(full, a.top - 1 >> a.word * at) for at in range(a.words)]
        digits = [Value(0, end, "word", f"v_{at}") if end else const(0) for at, end in enumerate(ends)]
        self.b.block.inputs["v"] = value = Value(0, a.top - 1, "word", "v", tuple(reversed(digits)), a.word)
        return value

    def level(self, name: str, value: Value, settles: bool = True) -> None:
        """A result of a level: by the theorem on all levels together it stays within reach·q, or it is reduced.

        ``settles``: with digits that are settled, where levels do that at all.
        """
        a, signed = self.arith, self.arith.real
        if a.doubling and a.reduces:
            value = self.nearest(value) if value.hi > self.top else value
        else:
            value = bounded(value, -self.top if signed else 0, self.top, "lazy_levels")
        self.b.output(name, self.settled(value) if a.settles and settles else self._modulo(value))

    def settled(self, value: Value) -> Value:
        """``value`` with carries normalised."""
        a = self.arith
        most = a.loose if a.settles else a.word + 1
        return self.b.one("settle", self.arith.held, value, k=most)

    def nearest(self, value: Value) -> Value:
        """``value`` less the nearest multiple of q."""
        a = self.arith
        within = const(max(-value.lo, value.hi) // a.top + 1)
        return self.b.one("near_residue", a.word, value, self.q, within, k=a.cut + a.word)

    def _modulo(self, value: Value) -> Value:
        return self.b.one("settle", self.arith.held, value, k=self.arith.lane - 1)

    def reduced(self, name: str, value: Value, most: int) -> None:
        """A result below most·q of a value that leaves the estimate of its quotient a digit; below 2q is all that is
        won by a larger ``most``.

        Of digits in doubles it is within ±q.
        """
        a, width = self.arith, self.arith.width
        if a.real:
            self.b.output(name, self.nearest(value))
            return
        value = self.b.one("residue" if most == 1 else "residue_lazy", width, value, self.q, k=a.cut)
        self.b.output(name, self.b.one("settle", width, value, k=a.word))
