"""Constants of BLAS kernels on digits: q and its quotients, and a call's number with its fraction over q."""

from __future__ import annotations

from momagen.kernels.elementwise.double_products import RealProduct
from momagen.kernels.elementwise.horner import HornerProduct
from momagen.lower.names import C, Q, Z
from momagen.lower.setup.digits import COUNT, DIGITS, EXPONENT, put_digits, put_reals
from momagen.lower.setup.scalars import A
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Name, Real, Type
from momagen.program.build import word
from momagen.program.expressions import Operand

from .products import DigitLoop

LANE = 64
"""Bits of a word, and of a digit in memory."""
FULL = (1 << LANE) - 1


class ElementDigits:
    """Writes what makes the constants of ``loop``.

    Attributes:
        expansions: words of a fraction over q, in numbers as long as a residue.
    """

    def __init__(self, writer: ProgramWriter, loop: DigitLoop) -> None:
        self.writer, self.loop, self.inner, self.count = writer, loop, loop.inner, writer.arith.words
        self.expansions = -(-loop.inner.cut // writer.arith.held)

    def write(self) -> None:
        """The functions that those below call."""
        put_digits(self.writer, self.inner.word)
        if self.inner.real:
            put_reals(self.writer, self.inner.word)
        else:
            self.writer.put(_negate(self.inner.word))
        if "u" in self.loop.at:
            self.writer.put(self._put_over())

    def _put_over(self) -> Function:
        """From the top: of v R the quotient first, which leaves the remainder."""
        v, call = Name("v", Type.INPUT), self.writer.call
        doc = f"floor(v * R^{self.expansions} / q) for v < q, R = 2^{self.writer.arith.held}; c: q and floor(R^2 / q)."
        f = Function("put_over", (Z, v, C), doc)
        r = f.array("r", self.count)
        f.copy(r, v, self.count)
        with f.each("i", self.expansions, down=True) as i:
            f.do(call("over", Z + i * self.count, r, r, C))
            f.do(call("rest", r, Z + i * self.count, r, C))
        return f

    def fixed(self, f: Function, d: Expr, q: Expr, short: Operand) -> None:
        """Append what makes the constants at ``d`` that q alone decides, once it is moved up by ``short`` bits."""
        at, size = self.loop.at, self.inner.constants["n"]
        f.copy(d, q, self.count)
        self._cut(f, "n", d, q, self.count)
        if "i" in at:
            f.copy(d + at["i"], d + at["n"], size)
        if self.inner.real:
            self._reals(f, "n", d)
        else:
            f.do(self.writer.call("negate", d + at["n"], size))
        if "s" in at:
            above = f.array("above", self.count + 1)
            f.set(above[0], 0)
            f.copy(above + 1, q, self.count)
            self._cut(f, "s", d, above, self.count + 1, LANE - self.inner.shift)
        if "mu" in at:
            self._estimate(f, d, short)

    def _estimate(self, f: Function, d: Expr, short: Operand) -> None:
        cut, length = self.inner.cut, -(-self.inner.cut // LANE) + 1
        mu = f.array("mu", length)
        f.do(self.writer.call("barrett_constant", mu, length, cut - short, Q))
        if self.inner.real:
            f.set(d[self.loop.at["mu"]], mu[0])
            self._reals(f, "mu", d)
        else:
            self._cut(f, "mu", d, mu, length)

    def given(self, f: Function, d: Expr, over: Expr) -> None:
        """Append what makes those at ``d`` that a call's number decides; ``over``: q and floor(R^2 / q)."""
        length = self.expansions * self.count
        shift, fraction = self.expansions * self.writer.arith.held - self.inner.cut, f.array("fraction", length)
        f.do(self.writer.call("put_over", fraction, A, over))
        if self.inner.real:
            f.set(d[self.loop.at["a"]], Real(A[0], word(0)))
            f.set(d[self.loop.at["u"]], self._scaled(f.let("u", fraction[0] >> shift)))
        else:
            self._cut(f, "a", d, A, self.count)
            self._cut(f, "u", d, fraction, length, shift)

    def _scaled(self, u: Expr) -> Expr:
        """2^-cut u as a double; without a branch or a product of doubles, whose time may vary: u is not public."""
        return (Real(u, word(0)) + word(-self.inner.cut << EXPONENT & FULL)) * u.is_not(0)

    def _cut(self, f: Function, name: str, d: Expr, number: Expr, length: int, shift: int = 0) -> None:
        """The constant ``name`` in digits, of the ``length`` words of a number from bit ``shift`` on."""
        to, size = d + self.loop.at[name], self.inner.constants[name]
        f.do(self.writer.call("put_digits", to, 1, size, number, length, shift))

    def _reals(self, f: Function, name: str, d: Expr) -> None:
        """Its digits as doubles."""
        assert isinstance(self.inner, (RealProduct, HornerProduct))
        to, size, unit = d + self.loop.at[name], self.inner.constants[name], self.inner.unit(name, 0)
        f.do(self.writer.call("put_reals", to, 1, size, word(unit & FULL)))


def _negate(digit: int) -> Function:
    """All digits are inverted, and one is added."""
    full = word((1 << digit) - 1)
    f = Function("negate", (DIGITS, COUNT), f"2^({digit} count) less a number that is not 0, in its place.")
    carry = f.variable("carry", 1, Type.WORD)
    with f.each("i", COUNT) as i:
        d = f.let("d", (DIGITS[i] ^ full) + carry)
        f.set(carry, d >> digit)
        f.set(DIGITS[i], d & full)
    return f
