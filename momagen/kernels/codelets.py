"""Butterfly codelets on big integers: NTT_r for Z_q[x]/(x^r - ζ), r = 2, 4, 8, 16, with lazy ranges kept by bounds.

A codelet is log2 r levels of butterflies. Twiddles stand in heap order: twiddle 1 splits x^r - ζ, twiddles 2 and 3 its
two factors, and so on. A value below m·q meets a conditional subtraction only where the next sum would not fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from momagen.ir import Block, Builder, Value, const
from momagen.rewrite import split_room

from .arith import Arith
from .roots import digit_reversal

NONE = const(0, "flag")
"""No carry."""


@dataclass(frozen=True)
class Lazy:
    """A value and the m of its range: value < m·q."""

    value: Value
    m: int


@dataclass(frozen=True, eq=False)
class Codelet:
    """A block with inputs x0… (below ``m_in``·q), v1…, u1… (quotients), q, and outputs y0… below ``m_out``·q."""

    block: Block
    radix: int
    m_in: int
    m_out: int


class Maker:
    """Builds codelets for one kind of residues."""

    def __init__(self, arith: Arith) -> None:
        self.arith, self.b = arith, Builder()
        self.twiddles: dict[int, tuple[Value, ...]] = {}

    @cached_property
    def q(self) -> Value:
        """The modulus."""
        return self.arith.q(self.b)

    @cached_property
    def inverse_q(self) -> Value:
        """1/q modulo R."""
        return self.arith.inverse_q(self.b)

    def twiddle(self, t: int) -> tuple[Value, ...]:
        """Twiddle t of the heap: (v, v') or, for Montgomery, (v·R,)."""
        if t not in self.twiddles:
            v = self.arith.residue(self.b, f"v{t}")
            pair = self.arith.kind != "montgomery"
            self.twiddles[t] = (v, self.arith.quotient(self.b, f"u{t}")) if pair else (v,)
        return self.twiddles[t]

    def reduce(self, x: Lazy, most: int) -> Lazy:
        """``x`` brought to at most ``most``·q by conditional subtractions of powers of two times q."""
        while x.m > most:
            step = 1 << (x.m - 1).bit_length() - 1
            multiple = self.arith.times_q(self.b, self.q, step)
            x = Lazy(self.b.one("reduce", self.arith.width, NONE, x.value, multiple), step)
        return x

    def cooley_tukey(self, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        """x + v·y and x - v·y."""
        a, w = self.arith, self.arith.width
        if a.kind == "montgomery":
            return self._full("ct_montgomery", x, y, t)
        if a.kind == "tight":
            x = self.reduce(x, 2)
            results = self.b.emit("ct_tight", w, x.value, y.value, *self.twiddle(t), self.q)
            return Lazy(results[0], 2), Lazy(results[1], 2)
        grown = 2 * a.k
        x = self.reduce(x, a.reach - grown)
        c = a.times_q(self.b, self.q, grown)
        results = self.b.emit("ct", w, x.value, y.value, *self.twiddle(t), self.q, c, k=a.k)
        return Lazy(results[0], x.m + grown), Lazy(results[1], x.m + grown)

    def gentleman_sande(self, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        """x + y and v·(x - y)."""
        a, w = self.arith, self.arith.width
        if a.kind == "montgomery":
            return self._full("gs_montgomery", x, y, t)
        if a.kind == "tight":
            x, y = self.reduce(x, 2), self.reduce(y, 2)
            results = self.b.emit("gs_tight", w, x.value, y.value, *self.twiddle(t), self.q)
            return Lazy(results[0], 2), Lazy(results[1], 2)
        if x.m + y.m > a.room:
            x, y = self.reduce(x, a.room // 2), self.reduce(y, a.room // 2)
        c = a.times_q(self.b, self.q, 1 << (y.m - 1).bit_length())
        results = self.b.emit("gs", w, x.value, y.value, *self.twiddle(t), self.q, c, k=a.k)
        return Lazy(results[0], x.m + y.m), Lazy(results[1], 2 * a.k)

    def _full(self, op: str, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        x, y = self.reduce(x, 1), self.reduce(y, 1)
        args = (x.value, y.value, *self.twiddle(t), self.q, self.inverse_q)
        results = self.b.emit(op, self.arith.width, *args, k=self.arith.held)
        return Lazy(results[0], 1), Lazy(results[1], 1)

    def times(self, x: Lazy, t: int) -> Lazy:
        """v·x for twiddle t."""
        if self.arith.kind == "montgomery":
            args = (x.value, *self.twiddle(t), self.q, self.inverse_q)
            return Lazy(self.b.one("montgomery", self.arith.width, *args, k=self.arith.held), 1)
        if self._splits(x.value):
            return Lazy(self._split(x.value, *self.twiddle(t)), 3)
        product = self.b.one("shoup", self.arith.width, x.value, *self.twiddle(t), self.q, k=self.arith.k)
        return Lazy(product, 2 * self.arith.k)

    def _splits(self, y: Value) -> bool:
        """Whether quotients come by digits: their last bits are zeros, which is less than 2^(digit - w/2) in the whole
        quotient, and y has to bear that."""
        w, k = self.arith.width, self.arith.digit
        return k > 0 and y.hi << k - w // 2 <= split_room(w, k)

    def _split(self, y: Value, v: Value, quotient: Value) -> Value:
        """y·v below 3q by products of ``digit`` bits: of the quotient the first half word, the digit behind it, which
        ends in zeros, and the first digit."""
        w, k = self.arith.width, self.arith.digit
        e = self.b.one("shl", w, self.b.one("low", w, quotient, k=w // 2), k=k - w // 2)
        f, g = (self.b.one("shr", w, quotient, k=n) for n in (w - k, w // 2))
        return self.b.one("shoup_split", w, y, v, f, e, g, self.q, k=k)


def forward(
    arith: Arith, radix: int, m_in: int, last: int, scale: bool = False, weighted: bool = False
) -> Codelet:
    """Natural order in, bit-reversed out; results below last·q where ``last`` is not 0.

    Args:
        scale: everything times twiddle 0; twiddle 1 carries it for half of the inputs.
        weighted: result i, counted in natural order, times twiddle radix + i.
    """
    maker = Maker(arith)
    xs = [Lazy(arith.residue(maker.b, f"x{i}", m_in), m_in) for i in range(radix)]
    if scale:
        xs = [maker.times(x, 0) if i < radix // 2 else x for i, x in enumerate(xs)]
    half, t = radix // 2, 1
    while half:
        for block in range(radix // (2 * half)):
            for i in range(2 * half * block, 2 * half * block + half):
                xs[i], xs[i + half] = maker.cooley_tukey(xs[i], xs[i + half], t + block)
        t, half = 2 * t, half // 2
    if weighted:
        xs = [maker.times(x, radix + digit_reversal(i, radix)) for i, x in enumerate(xs)]
    return _finish(maker, xs, radix, m_in, last)


def inverse(arith: Arith, radix: int, m_in: int, last: int, scale: bool = False) -> Codelet:
    """Bit-reversed order in, natural out, with the inverse twiddles; times twiddle 0 (1/n) where ``scale``."""
    maker = Maker(arith)
    xs = [Lazy(arith.residue(maker.b, f"x{i}", m_in), m_in) for i in range(radix)]
    half, t = 1, radix // 2
    while t:
        for block in range(t):
            for i in range(2 * half * block, 2 * half * block + half):
                xs[i], xs[i + half] = maker.gentleman_sande(xs[i], xs[i + half], t + block)
        t, half = t // 2, 2 * half
    if scale:
        # The first half of the results were sums all along; the other half's last twiddle carries 1/n already.
        xs = [maker.times(x, 0) if i < radix // 2 else x for i, x in enumerate(xs)]
    return _finish(maker, xs, radix, m_in, last)


def _finish(maker: Maker, xs: list[Lazy], radix: int, m_in: int, last: int) -> Codelet:
    if last:
        xs = [maker.reduce(x, last) for x in xs]
    for i, x in enumerate(xs):
        maker.b.output(f"y{i}", x.value)
    return Codelet(maker.b.block, radix, m_in, max(x.m for x in xs))
