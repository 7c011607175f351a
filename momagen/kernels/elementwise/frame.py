"""The builder of the codelets of `blas`: operands in their ranges, sums, differences and products."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.errors import MomagenError
from momagen.ir import OPS, Value, const
from momagen.kernels.butterflies.codelets import CodeletBuilder, Lazy
from momagen.kernels.residues.arith import SPECIAL, Arith
from momagen.kernels.residues.theorems import bounded
from momagen.rewrite.notation.syntax import Apply, Expr, Literal, Variable

from .codelet import Elementwise
from .products import digit_ranges

HEADROOM = 4
"""The number of bits that Barrett's quotient has in addition to the bits of q."""
FOLDED = "folded"
"""The name of the reduction of products by a matrix engine, on targets that have one. In a single codelet it
is Montgomery's."""
PRODUCTS = {"barrett": "product", "montgomery": "product_full", FOLDED: "product_full", SPECIAL: "product_full"}
"""The operations that multiply two variable residues, by reduction. :class:`Arith` determines products by constants."""
OF_DIGITS = "of_digits"
"""The name of Barrett's reduction with a quotient by one factor, on one limb or word. It supports moduli of
every length."""
CENTRING = "nle"
"""The comparison of the main use of the conditional kernels: residues above q/2 represent negative numbers."""
SHAPES = ("a name", "0 or 1", "f + g", "f - g", "a·f", "x·y", "f·R", "f·I", "f·g·I")
"""The formulas that have a codelet, where f and g are formulas, R is 2^form, and I is 1/R modulo q."""


def least_of_digit(arith: Arith) -> int:
    """Return the least modulus for which the quotient of a word is a digit of the machine; 0 where it has no digits."""
    return 1 << arith.held - arith.digit + 2 if arith.digit else 0


class Frame(CodeletBuilder):
    """A builder of one codelet.

    Rules determine how a product by a constant is reduced, and what they derive from the constant.

    An operand below m·q is used unreduced, and is reduced only as far as the next operation or the result
    requires.

    Attributes:
        width: The width of operations.
        factors: The bound m of each operand by name; 0 for all numbers that the words hold.
        m_out: The bound m of the result; 0 if it is a number modulo R instead of a residue.
        op: The operation for products of vectors, one of ``PRODUCTS``.
        form: The exponent k of Montgomery form, in which products are divided by 2^k.
    """

    def __init__(
        self, arith: Arith, factors: Mapping[str, int], m_out: int, op: str = "", form: int = 0, least: int = 0
    ) -> None:
        super().__init__(arith, least)
        self.width, self.factors, self.m_out, self.op = arith.width, factors, m_out, op
        self.form = form

    def raw(self, name: str) -> Value:
        """Return an unchanged operand."""
        inputs, m = self.b.block.inputs, self.factors[name]
        if name not in inputs:
            self.b.input(name, 0, m * self.arith.top - 1 if m else (1 << self.arith.held) - 1)
        return inputs[name]

    def operand(self, name: str) -> Lazy:
        """Return an operand as a residue, or modulo R."""
        raw, m = self.raw(name), self.factors[name]
        return Lazy(raw, m) if m or not self.m_out else self.once(raw)

    def root(self, t: int) -> Value:
        """Return a for t = 0, and the number 1 for t = 1."""
        return const(1) if t else self.raw("a")

    def value(self, expr: Expr) -> Lazy:
        """Return the value of a formula, up to a multiple of q.

        Raises:
            MomagenError: The formula, or a part of it, has none of the shapes in ``SHAPES``.
        """
        match expr:
            case Variable(name) if name in self.factors:
                return self.operand(name)
            case Literal(0 | 1 as number):
                return Lazy(const(number), 1)
            case Apply("·", (Apply("·", (x, y)), Variable("I"))) if self.form:
                return self.montgomery(self.value(x), self.value(y))
            case Apply("·", (x, Variable("I"))) if self.form:
                return self.montgomery(self.value(x), Lazy(const(1), 1))
            case Apply("·", (x, Variable("R"))) if self.form:
                return self.montgomery(self.value(x), Lazy(self.one("square", self.q, k=self.form), 1))
            case Apply("·", (Variable("a"), x)):
                return self.times(self.value(x), 0)
            case Apply("·", (Variable("x"), Variable("y"))):
                return self.product()
            case Apply("+" | "-" as sign, (x, y)):
                return (self.sum if sign == "+" else self.difference)(self.value(x), self.value(y))
        hint = "" if self.form else "R and I can be used only with numbers in Montgomery form"
        raise MomagenError(f"a formula of one of the forms {', '.join(SHAPES)}", expr, "formula", hint)

    def once(self, x: Value) -> Lazy:
        """Return x mod q for any x that the words hold, as 1·x."""
        if self.arith.scheme == "montgomery":
            return Lazy(self.one("product_full", x, const(1), self.q, k=self.arith.held), 1)
        if self.least and self.least >= least_of_digit(self.arith):
            return Lazy(self.one("remainder_of_word", x, self.q, k=self.arith.digit), 2)
        return self.times(Lazy(x, 1), 1)

    def times(self, x: Lazy, t: int) -> Lazy:
        """Return v·x for the constant with number t.

        Quotients by limbs end in zeros, which makes them too small by less than 2^(digit - w/2) in total; x
        must be small enough for this.
        """
        digit = self.arith.digit
        if self.arith.kind == SPECIAL:
            return Lazy(self.one("product_full", x.value, self.root(t), self.q, k=self.arith.held), 1)
        if self.arith.kind == "wide" or (t and self.arith.room == 1):
            return self._wide(x.value, t)
        if digit and OPS["mulmod_split"].requires(self.width, digit, x.value.hi, 0, 1, 2):
            args = x.value, self.root(t), self.q, const(2)
            return Lazy(self.one("mulmod_split", *args, k=digit), 3)
        return super().times(x, t)

    def _wide(self, x: Value, t: int) -> Lazy:
        """Return v·x by Shoup's quotient.

        The difference of products, which is below 2q, may need one bit more than the words have.
        """
        v, width, held, top = self.root(t), self.width, self.arith.held, self.arith.top
        quotient = self.b.one("shl", width, self.b.one("over", width, v, self.q, k=held), k=width - held)
        e = self.b.one("mulhi", width, x, quotient)
        width <<= 1 - t
        less = self.b.one("sublo", width, *(self.b.one("mullo", width, a, b) for a, b in ((x, v), (e, self.q))))
        less = bounded(less, 0, min(x.hi * v.hi, 2 * top - 1), "shoup_remainder")
        return Lazy(self.b.one("reduce", width, const(0, "flag"), less, self.q), 1)

    def product(self) -> Lazy:
        """Return x·y for two vectors."""
        arith, op, width, k, most = self.arith, self.op, self.width, self.arith.held, self.arith.room
        if op == "product":
            self.least = 1 << arith.bits - 1
            width, k, most = Arith(arith.bits + HEADROOM, arith.word).width, arith.bits, 4
        x, y = self.operand("x"), self.operand("y")
        if op == OF_DIGITS:
            return self._product_of_digits(x, y)
        x, y = self._fitting(x, y, most)
        lazy = self.m_out > 1 and arith.room > 1 and arith.kind != SPECIAL
        return Lazy(self.b.one(op + "_lazy" * lazy, width, x.value, y.value, self.q, k=k), 1 + lazy)

    def _fitting(self, x: Lazy, y: Lazy, most: int) -> tuple[Lazy, Lazy]:
        """Return the factors of a product, reduced in turn until the product is below most·q^2."""
        while x.m * y.m > most:
            x, y = y, self.reduce(x, x.m // 2)
        return x, y

    def _product_of_digits(self, x: Lazy, y: Lazy) -> Lazy:
        """Return x·y by a quotient on one limb."""
        ranges = digit_ranges(self.arith.bits, self.arith.held, x.m)
        assert ranges is not None
        x, y = self.reduce(x, 1 << ranges.x), self.reduce(y, 1 << ranges.y)
        return Lazy(self.one("product_of_digits", x.value, y.value, self.q, const(ranges.y)), 2)

    def montgomery(self, x: Lazy, y: Lazy) -> Lazy:
        """Return x·y/2^form, after reducing the factors until x·y is below q·2^form."""
        k, (x, y) = self.form, self._fitting(x, y, 1 << self.form - self.arith.bits)
        inverse = self.one("inverse", self.q, k=k)
        lazy = self.m_out > 1 and self.arith.room > 1
        op = "montgomery" + "_lazy" * lazy
        return Lazy(self.one(op, x.value, y.value, self.q, inverse, k=k), 1 + lazy)

    def sum(self, x: Lazy, y: Lazy) -> Lazy:
        """Return x + y, modulo a multiple of q if the sum would have to be reduced anyway or would not fit."""
        if not self.m_out:
            whole = self.one("addlo", x.value, y.value)
            return Lazy(self.one("low", whole, k=self.arith.held), 0)
        while x.m != y.m and x.m + y.m > self.arith.room:
            x, y = (self.reduce(x, x.m // 2), y) if x.m > y.m else (x, self.reduce(y, y.m // 2))
        total = x.m + y.m
        if total <= self.m_out or x.m != y.m:
            return Lazy(self.one("addlo", x.value, y.value), total)
        return Lazy(self.one("addmod", x.value, y.value, self.multiple(x.m)), x.m)

    def difference(self, x: Lazy, y: Lazy) -> Lazy:
        """Return x - y.

        For y below m·q it is x + m·q - y if this need not be reduced, and otherwise the difference modulo a
        multiple of q.
        """
        total = x.m + y.m
        if total <= self.m_out:
            lifted = self.one("addlo", x.value, self.multiple(y.m))
            value = self.one("sublo", lifted, y.value)
            return Lazy(bounded(value, 0, total * self.arith.top - 1, "offset_difference"), total)
        most = max(x.m, y.m)
        return Lazy(self.one("submod", x.value, y.value, self.multiple(most)), most)

    def multiple(self, m: int) -> Value:
        """Return m·q."""
        return self.arith.times_q(self.b, self.q, m)

    def finish(self, z: Lazy) -> Elementwise:
        """Return the codelet whose result is z, reduced as far as requested."""
        m_out, block = self.m_out, self.b.block
        self.b.output("z", self.reduce(z, m_out).value if m_out else z.value)
        return Elementwise(block, {name: 0 for name in "xyw" if name in block.inputs}, m_out)
