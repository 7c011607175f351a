"""The common parts of the codelets of `levels`: unreduced residues, products, reductions and results."""

from __future__ import annotations

from functools import cached_property

from momagen.ir import Value, const
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.theorems import bounded

from .codelets import CodeletBuilder


class LazyBuilder(CodeletBuilder):
    """A builder with the modulus and the operations that codelets on reduced-radix limbs share.

    Attributes:
        top: The largest magnitude of a value between levels.
    """

    arith: ReducedRadix

    def __init__(self, arith: ReducedRadix) -> None:
        super().__init__(arith, arith.least)
        _ = self.q
        self.top = arith.reach * arith.top - 1

    def drifted(self, name: str, multiple: int = 0, unsettled: int = 0) -> Value:
        """Return an input between levels.

        Args:
            name: Its name.
            multiple: It is within multiple·q; 0 means the usual range reach·q.
            unsettled: The number of previous levels without carry normalisation, which determines the range
                of its limbs.
        """
        a = self.arith
        top = (multiple or a.reach) * a.top - 1
        return self.digits(name, (-top if a.real else 0, top), a.after(unsettled), 0 if a.real else a.held)

    def digits(self, name: str, within: tuple[int, int], most: int, ring: int = 0) -> Value:
        """Return an input with limbs within ±most.

        Args:
            name: Its name.
            within: Its least and its largest value.
            most: The bound of its limbs.
            ring: If it is not 0, the value is exact only modulo 2^ring.
        """
        a = self.arith
        most = min(most, within[1] + 1) if a.single else most
        return self.b.numeral(name, within, [(-most, most - 1)] * a.words, a.word, ring)

    def given(self, name: str, m: int) -> Value:
        """Return an input below m·q from outside the transform, after a reduction if one double must hold it."""
        x = self.arith.residue(self.b, name, m)
        return self.nearest(x) if self.arith.single and (m > 1 or self.arith.factor) else x

    def lifted(self, x: Value, m: int) -> Value:
        """Return ``x`` below m·q plus the offset that keeps later differences positive.

        Signed values need no offset.
        """
        a = self.arith
        return x if a.real or a.doubling else self.sum(x, a.times_q(self.b, self.q, a.lift(m)))

    def sum(self, x: Value, y: Value) -> Value:
        """Return x + y."""
        return self.one("plus", x, y)

    def minus(self, x: Value, y: Value) -> Value:
        """Return x - y."""
        return self.one("minus", x, y)

    def difference(self, x: Value, y: Value, multiple: int) -> Value:
        """Return x - y, plus multiple·q if values must not be negative; both operands are below multiple·q."""
        a = self.arith
        if a.real:
            return self.minus(x, y)
        value = self.minus(self.sum(x, a.times_q(self.b, self.q, multiple)), y)
        return bounded(value, 0, 2 * multiple * a.top - 1, "offset_difference")

    def product(self, y: Value, shared: bool) -> Value:
        """Return v·y within g·q for a constant v, around zero if products move values both ways.

        Args:
            y: The factor.
            shared: Whether all lanes share the constant, which determines its format.
        """
        a = self.arith
        if a.over_q:
            y = self.nearest(y) if a.reduces and not a.doubling else y
            most = const((max(-y.lo, y.hi) >> a.word * (a.words - 1)) + 1)
            return self.b.one("shoup_near", a.word, y, self.factor, self.q, most, k=a.words)
        if shared or a.folds:
            bias = self.b.one("minus_multiple", a.word, self.q, k=a.half) if a.half else const(0)
            t = self.b.one("fold", a.word, bias, y, self.factor, self.q, k=a.words)
            return bounded(t, (-a.grown if a.real else -a.half) * a.top, (a.grown - a.half) * a.top, "folded_product")
        if a.deep:  # the product needs one more limb
            op, width = "mulmod_around" if a.half else "mulmod_fine", a.word << a.words.bit_length()
            return self.b.one(op, width, y, self.factor, self.q, k=a.held)
        return self.one("mulmod", y, self.factor, self.q, k=a.k)

    @cached_property
    def factor(self) -> Value:
        """The constant v, with the limbs of a residue."""
        a, full = self.arith, (1 << self.arith.word) - 1
        ends = [(0, min(full, a.top - 1 >> a.word * at)) for at in range(a.words)]
        return self.b.numeral("v", (0, a.top - 1), ends, a.word)

    def level(self, name: str, value: Value, settles: bool = True) -> None:
        """Add a result of a level.

        The theorem about all levels together bounds it by reach·q, unless it is reduced.

        Args:
            name: Its name.
            value: The value.
            settles: Whether its carries are normalised, if levels of this representation normalise any.
        """
        a = self.arith
        if not (a.doubling and a.reduces):
            value = bounded(value, -self.top if a.real else 0, self.top, "lazy_levels")
        elif value.hi > self.top:
            value = self.nearest(value)
        self.b.output(name, self.settled(value, a.loose if a.settles and settles else a.lane - 1))

    def settled(self, value: Value, k: int) -> Value:
        """Return ``value`` after normalising the carries of limbs that are not within ±2^k."""
        return self.b.one("settle", self.arith.held, value, k=k)

    def nearest(self, value: Value) -> Value:
        """Return ``value`` minus the nearest multiple of q."""
        a = self.arith
        within = const(max(-value.lo, value.hi) // a.top + 1)
        return self.b.one("near_residue", a.word, value, self.q, within, k=a.cut + a.word)

    def reduced(self, x: Value, most: int, over: int = 0) -> Value:
        """Return ``x`` below most·q, or x/2^over below q.

        A larger ``most`` than 1 only saves the last subtraction, so that the result is below 2q.
        Floating-point limbs leave a result within ±q.

        Args:
            x: The value.
            most: The bound of the result, in multiples of q.
            over: The number of factors 2 by which x is divided modulo q.
        """
        a = self.arith
        if a.real and not over:
            return self.nearest(x)
        if a.real:
            cut, digits, within = const(a.cut + a.word), const(a.words), const(a.reach + 1)
            return self.b.one("near_residue_over", a.word, x, self.q, cut, digits, within, k=over)
        if over:
            x = self.one("residue_over", x, self.q, const(a.cut), k=over)
        else:
            x = self.one("residue" if most == 1 else "residue_lazy", x, self.q, k=a.cut)
        return self.one("settle", x, k=a.word)
