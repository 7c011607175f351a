"""What the codelets of `elements` are made with: operands in their ranges, sums, differences, products."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from momagen.ir import OPS, Value, const
from momagen.kernels.butterflies.codelets import CodeletBuilder, Lazy
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded

from .codelet import Elementwise
from .compare import DEFAULT


@dataclass(frozen=True)
class Choices:
    """How a codelet is made.

    Attributes:
        product: vmul's reduction. compare: a name in ``COMPARES``.
        m_in: vectors are below m_in·q, a power of two; 0: whatever the words hold. m_out: results below m_out·q.
    """

    product: str = "barrett"
    compare: str = DEFAULT
    m_in: int = 1
    m_out: int = 1


class Frame(CodeletBuilder):
    """Makes one codelet. Rules say how a product by a constant is reduced, and what they derive of it.

    An operand below m·q enters as it is, and is reduced as far as the next operation or the result asks, no further.
    """

    def __init__(self, arith: Arith, choices: Choices) -> None:
        super().__init__(arith)
        self.choices, self.width = choices, arith.width

    def any(self, name: str) -> Value:
        """An operand that may be anything its words hold."""
        return self.b.input(name, 0, (1 << self.arith.held) - 1)

    def scalar(self, name: str) -> Lazy:
        """A scalar below q."""
        return Lazy(self.arith.residue(self.b, name), 1)

    @cached_property
    def a(self) -> Lazy:
        """The scalar a."""
        return self.scalar("a")

    def root(self, t: int) -> Value:
        """Twiddle 0 is a, twiddle 1 the number 1."""
        return const(1) if t else self.a.value

    @cached_property
    def x(self) -> Lazy:
        """The first vector as a residue."""
        return self.residue(self.raw("x"))

    @cached_property
    def y(self) -> Lazy:
        """The second one."""
        return self.residue(self.raw("y"))

    @property
    def zero(self) -> Lazy:
        return Lazy(const(0), 1)

    def raw(self, name: str) -> Value:
        """A vector operand as it comes."""
        m = self.choices.m_in
        return self.arith.residue(self.b, name, m) if m else self.any(name)

    def residue(self, raw: Value) -> Lazy:
        """What ``raw`` gave, as a residue: a number without a bound is first multiplied by 1."""
        return Lazy(raw, self.choices.m_in) if self.choices.m_in else self.once(raw)

    def once(self, x: Value) -> Lazy:
        """x mod q for any x that the words hold: 1·x, or Montgomery's (x·R²/R)·1/R."""
        if self.arith.scheme == "montgomery":
            square = self.b.one("square", self.width, self.q, k=self.arith.held)
            return self.montgomery(self.montgomery(Lazy(x, 1), Lazy(square, 1)), Lazy(const(1), 1))
        if self.arith.room > 1:
            return self.times(Lazy(x, 1), 1)
        e = self.b.one("mulhi", self.width, x, self._quotient(const(1)))
        less = self.b.one("sublo", self.width, x, self.b.one("mullo", self.width, e, self.q))
        return self.reduce(Lazy(bounded(less, 0, x.hi, "shoup_of_one"), 2), 1)

    def _quotient(self, v: Value) -> Value:
        """⌊v·R/q⌋ at the top of the operation's width."""
        quotient = self.b.one("over", self.width, v, self.q, k=self.arith.held)
        return self.b.one("shl", self.width, quotient, k=self.width - self.arith.held)

    def times(self, x: Lazy, t: int) -> Lazy:
        """v·x for the constant t."""
        if self.arith.kind == "wide":
            return self._wide(x.value, self.root(t))
        if self._splits(x.value):
            args = x.value, self.root(t), self.q, const(2)
            return Lazy(self.b.one("mulmod_split", self.width, *args, k=self.arith.digit), 3)
        return super().times(x, t)

    def _splits(self, y: Value) -> bool:
        """Whether quotients come by digits: their last bits are zeros, which is less than 2^(digit - w/2) in the whole
        quotient, and y has to bear that."""
        k = self.arith.digit
        return k > 0 and OPS["mulmod_split"].requires(self.width, k, y.hi, 0, 1, 2)

    def _wide(self, x: Value, v: Value) -> Lazy:
        """v·x by Shoup's quotient: a difference of products, below 2q, may take a bit more than the words hold."""
        width, top = 2 * self.width, self.arith.top
        e = self.b.one("mulhi", self.width, x, self._quotient(v))
        less = self.b.one("sublo", width, *(self.b.one("mullo", width, a, b) for a, b in ((x, v), (e, self.q))))
        below = self.b.one("csub", width, bounded(less, 0, 2 * top - 1, "shoup_remainder"), self.q)
        return Lazy(bounded(below, 0, top - 1, "conditional_subtraction"), 1)

    def montgomery(self, x: Lazy, y: Lazy, most: int = 1) -> Lazy:
        """x·y/R, below 2q where ``most`` allows that; the product must be below q·R."""
        op, m = ("montgomery_lazy", 2) if most > 1 else ("montgomery", 1)
        inverse = self.b.one("inverse", self.width, self.q, k=self.arith.held)
        return Lazy(self.b.one(op, self.width, x.value, y.value, self.q, inverse, k=self.arith.held), m)

    def sum(self, x: Lazy, y: Lazy) -> Lazy:
        """x + y; modulo a multiple of q where the sum would have to come down anyway, or not fit."""
        while x.m != y.m and x.m + y.m > self.arith.room:
            x, y = (self.reduce(x, x.m // 2), y) if x.m > y.m else (x, self.reduce(y, y.m // 2))
        total = x.m + y.m
        if total <= self.choices.m_out or x.m != y.m:
            return Lazy(self.b.one("addlo", self.width, x.value, y.value), total)
        return Lazy(self.b.one("addmod", self.width, x.value, y.value, self.multiple(x.m)), x.m)

    def difference(self, x: Lazy, y: Lazy) -> Lazy:
        """x - y: x + m·q - y for y below m·q where that need not come down, else modulo a multiple of q."""
        total = x.m + y.m
        if total <= self.choices.m_out:
            lifted = self.b.one("addlo", self.width, x.value, self.multiple(y.m))
            value = self.b.one("sublo", self.width, lifted, y.value)
            return Lazy(bounded(value, 0, total * self.arith.top - 1, "offset_difference"), total)
        most = max(x.m, y.m)
        return Lazy(self.b.one("submod", self.width, x.value, y.value, self.multiple(most)), most)

    def multiple(self, m: int) -> Value:
        """m·q."""
        return self.arith.times_q(self.b, self.q, m)

    def finish(self, z: Lazy) -> Elementwise:
        """The codelet whose result is z, as far reduced as was asked."""
        m_out, block = self.choices.m_out if z.m else 0, self.b.block
        self.b.output("z", self.reduce(z, m_out).value if z.m else z.value)
        return Elementwise(block, {name: 0 for name in "xy" if name in block.inputs}, m_out)
