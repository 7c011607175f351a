"""Butterfly codelets on big integers: NTT_r for Z_q[x]/(x^r - ζ), r = 2, 4, 8, 16, with lazy ranges kept by bounds.

A codelet is log2 r levels of butterflies. Twiddles stand in heap order: twiddle 1 splits x^r - ζ, twiddles 2 and 3 its
two factors, and so on. A value below m·q meets a conditional subtraction only where the next sum would not fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from momagen.formula.transforms import digit_reversal
from momagen.ir import Block, Builder, Value, const
from momagen.kernels.residues.arith import Arith

NONE = const(0, "flag")
"""No carry."""


@dataclass(frozen=True)
class Lazy:
    """A value and the m of its range: value < m·q."""

    value: Value
    m: int


@dataclass(frozen=True, eq=False)
class Codelet:
    """A block with inputs x0… (below ``m_in``·q), twiddles v1…, q, and outputs y0… below ``m_out``·q. How its products
    are reduced is for the rules to say."""

    block: Block
    radix: int
    m_in: int
    m_out: int


class CodeletBuilder:
    """Builds codelets for one kind of residues; ``least``: the least modulus."""

    def __init__(self, arith: Arith) -> None:
        self.arith, self.b, self.least = arith, Builder(), 0
        self.roots: dict[int, Value] = {}

    @cached_property
    def q(self) -> Value:
        """The modulus."""
        return self.arith.q(self.b, self.least)

    def root(self, t: int) -> Value:
        """Twiddle t of the heap."""
        if t not in self.roots:
            self.roots[t] = self.arith.residue(self.b, f"v{t}")
        return self.roots[t]

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
            return self._full("butterfly_full", x, y, t)
        if a.kind == "tight":
            return self._tight("butterfly_tight", self.reduce(x, 2), y, t)
        grown = 2 * a.k
        x = self.reduce(x, a.reach - grown)
        c = a.times_q(self.b, self.q, grown)
        results = self.b.emit("butterfly", w, x.value, y.value, self.root(t), self.q, c, k=a.k)
        return Lazy(results[0], x.m + grown), Lazy(results[1], x.m + grown)

    def gentleman_sande(self, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        """x + y and v·(x - y)."""
        a, w = self.arith, self.arith.width
        if a.kind == "montgomery":
            return self._full("inverse_butterfly_full", x, y, t)
        if a.kind == "tight":
            return self._tight("inverse_butterfly_tight", self.reduce(x, 2), self.reduce(y, 2), t)
        if x.m + y.m > a.room:
            x, y = self.reduce(x, a.room // 2), self.reduce(y, a.room // 2)
        c = a.times_q(self.b, self.q, 1 << (y.m - 1).bit_length())
        results = self.b.emit("inverse_butterfly", w, x.value, y.value, self.root(t), self.q, c, k=a.k)
        return Lazy(results[0], x.m + y.m), Lazy(results[1], 2 * a.k)

    def _tight(self, op: str, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        results = self.b.emit(op, self.arith.width, x.value, y.value, self.root(t), self.q)
        return Lazy(results[0], 2), Lazy(results[1], 2)

    def _full(self, op: str, x: Lazy, y: Lazy, t: int) -> tuple[Lazy, Lazy]:
        args = (self.reduce(x, 1).value, self.reduce(y, 1).value, self.root(t), self.q)
        results = self.b.emit(op, self.arith.width, *args, k=self.arith.held)
        return Lazy(results[0], 1), Lazy(results[1], 1)

    def times(self, x: Lazy, t: int) -> Lazy:
        """v·x for twiddle t."""
        a, args = self.arith, (x.value, self.root(t), self.q)
        if a.kind == "montgomery":
            return Lazy(self.b.one("mulmod_full", a.width, *args, k=a.held), 1)
        return Lazy(self.b.one("mulmod", a.width, *args, k=a.k), 2 * a.k)


def forward(
    arith: Arith, radix: int, m_in: int, last: int, scale: bool = False, weighted: bool = False
) -> Codelet:
    """Natural order in, bit-reversed out; results below last·q where ``last`` is not 0.

    Args:
        scale: everything times twiddle 0; twiddle 1 carries it for half of the inputs.
        weighted: result i, counted in natural order, times twiddle radix + i.
    """
    maker = CodeletBuilder(arith)
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
    maker = CodeletBuilder(arith)
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


def _finish(maker: CodeletBuilder, xs: list[Lazy], radix: int, m_in: int, last: int) -> Codelet:
    if last:
        xs = [maker.reduce(x, last) for x in xs]
    for i, x in enumerate(xs):
        maker.b.output(f"y{i}", x.value)
    return Codelet(maker.b.block, radix, m_in, max(x.m for x in xs))
