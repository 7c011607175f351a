"""What the codelets of `elements` are made with: operands in their ranges, sums, differences, the finished codelet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from momagen.ir import Value, const
from momagen.kernels.butterflies.codelets import CodeletBuilder, Lazy
from momagen.kernels.residues.arith import Arith
from momagen.kernels.residues.theorems import bounded
from momagen.rewrite import split_room

from .codelet import ORDER, Elementwise, ordered
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
    """Makes one codelet."""

    def __init__(self, arith: Arith, choices: Choices) -> None:
        super().__init__(arith)
        self.choices = choices
        self.twiddles: dict[int, tuple[Value, ...]] = {}

    def any(self, name: str) -> Value:
        """An operand that may be anything its words hold."""
        return self.b.input(name, 0, (1 << self.arith.held) - 1)

    def scalar(self, name: str) -> Lazy:
        """A scalar below q."""
        return Lazy(self.arith.residue(self.b, name), 1)

    def vector(self, name: str) -> Lazy:
        """A vector operand as a residue."""
        return self.residue(self.raw(name))

    def raw(self, name: str) -> Value:
        """A vector operand as it comes."""
        m = self.choices.m_in
        return self.arith.residue(self.b, name, m) if m else self.any(name)

    def residue(self, raw: Value) -> Lazy:
        """What ``raw`` gave, as a residue: a number without a bound is first multiplied by 1."""
        return Lazy(raw, self.choices.m_in) if self.choices.m_in else self.once(raw)

    def once(self, x: Value) -> Lazy:
        """x mod q for any x that the words hold: Shoup's 1·x by the quotient ⌊R/q⌋, or Montgomery's (x·R²/R)·1/R."""
        a = self.arith
        if a.scheme == "montgomery":
            return self.montgomery(self.montgomery(Lazy(x, 1), self.square()), Lazy(const(1), 1))
        quotient = a.constant(self.b, "u1", (1 << a.held) - 1, lambda q: (1 << a.held) // q)
        moved = self.b.one("shl", a.width, quotient, k=a.width - a.held)
        if a.room > 1:
            self.twiddles[1] = (const(1), moved)
            return self.times(Lazy(x, 1), 1)
        whole = self.b.one("mullo", a.width, self.b.one("mulhi", a.width, x, moved), self.q)
        less = self.b.one("sublo", a.width, x, whole)  # below 2q, and no longer than x
        return self.reduce(Lazy(bounded(less, 0, x.hi, "shoup_of_one"), 2), 1)

    @cached_property
    def inverse_q(self) -> Value:
        """1/q modulo R."""
        return self.arith.inverse_q(self.b)

    def twiddle(self, t: int) -> tuple[Value, ...]:
        """The constant t: (v, v') or, for Montgomery, (v·R,)."""
        if t not in self.twiddles:
            v = self.arith.residue(self.b, f"v{t}")
            pair = self.arith.kind != "montgomery"
            self.twiddles[t] = (v, self.arith.quotient(self.b, f"u{t}")) if pair else (v,)
        return self.twiddles[t]

    def times(self, x: Lazy, t: int) -> Lazy:
        """v·x for the constant t."""
        if self.arith.kind == "wide":
            return self._wide(x.value, *self.twiddle(t))
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

    def _wide(self, x: Value, v: Value, quotient: Value) -> Lazy:
        """v·x by Shoup's quotient: a difference of products, below 2q, may take a bit more than the words hold."""
        width = self.arith.width
        e = self.b.one("mulhi", width, x, quotient)
        less = self.b.one("sublo", 2 * width, *(self.b.one("mullo", 2 * width, a, b) for a, b in ((x, v), (e, self.q))))
        below = self.b.one("csub", 2 * width, bounded(less, 0, 2 * self.arith.top - 1, "shoup_remainder"), self.q)
        return Lazy(bounded(below, 0, self.arith.top - 1, "conditional_subtraction"), 1)

    def square(self) -> Lazy:
        """R² mod q."""
        a = self.arith
        return Lazy(a.constant(self.b, "square", a.top - 1, lambda q: (1 << 2 * a.held) % q), 1)

    def montgomery(self, x: Lazy, y: Lazy, most: int = 1) -> Lazy:
        """x·y/R, below 2q where ``most`` allows that; the product must be below q·R."""
        op, m = ("montgomery_lazy", 2) if most > 1 else ("montgomery", 1)
        args = (x.value, y.value, self.q, self.inverse_q)
        return Lazy(self.b.one(op, self.arith.width, *args, k=self.arith.held), m)

    def sum(self, x: Lazy, y: Lazy) -> Lazy:
        """x + y; modulo a multiple of q where the sum would have to come down anyway, or not fit."""
        while x.m != y.m and x.m + y.m > self.arith.room:
            x, y = (self.reduce(x, x.m // 2), y) if x.m > y.m else (x, self.reduce(y, y.m // 2))
        total, width = x.m + y.m, self.arith.width
        if total <= self.choices.m_out or x.m != y.m:
            return Lazy(self.b.one("addlo", width, x.value, y.value), total)
        return Lazy(self.b.one("addmod", width, x.value, y.value, self.multiple(x.m)), x.m)

    def difference(self, x: Lazy, y: Lazy) -> Lazy:
        """x - y: x + m·q - y for y below m·q where that need not come down, else modulo a multiple of q."""
        total, width = x.m + y.m, self.arith.width
        if total <= self.choices.m_out:
            lifted = self.b.one("addlo", width, x.value, self.multiple(y.m))
            value = self.b.one("sublo", width, lifted, y.value)
            return Lazy(bounded(value, 0, total * self.arith.top - 1, "offset_difference"), total)
        most = max(x.m, y.m)
        return Lazy(self.b.one("submod", width, x.value, y.value, self.multiple(most)), most)

    def multiple(self, m: int) -> Value:
        """m·q."""
        return self.arith.times_q(self.b, self.q, m)

    def finish(self, z: Lazy) -> Elementwise:
        """The codelet whose result is z, as far reduced as was asked."""
        m_out = self.choices.m_out if z.m else 0
        self.b.output("z", self.reduce(z, m_out).value if z.m else z.value)
        inputs, used = self.b.block.inputs, self._used()
        words = {name: -(-inputs[name].hi.bit_length() // self.arith.word) for name in ORDER if name in used}
        operands = {name: (name, 0) for name in "xy" if name in inputs}
        cut = 2 * self.arith.bits + 3
        return Elementwise(self.b.block, operands, ordered(words, self.arith.words), m_out, cut)

    def _used(self) -> set[str]:
        """The inputs that something reads."""
        block = self.b.block
        read = {id(a) for instr in block.instrs for a in instr.args} | {id(v) for v in block.outputs.values()}
        return {name for name, value in block.inputs.items() if id(value) in read}
