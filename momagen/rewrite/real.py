"""Rewriting for digits held in doubles: products in nearest halves, digits of either sign, sums exact to 53 bits.

A column of products is two sums: what the products have above the digit, gathered in one chain of multiply-adds that
round, and what each leaves below, which the difference of two links of that chain gives back. *Normal* digits are
within ±2^(word - 1) and a carry: carries go to the nearest multiple of 2^word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from momagen.errors import MomagenError
from momagen.ir import Block, Value, const, refine
from momagen.ir.real import BIAS, MANTISSA

from .carries import Carries
from .digits import ZERO, Digits, digits_of, number
from .engine import Machine, Trace
from .rules import RuleTable
from .slack import SlackPass, Values


class Rounded(Carries):
    """Carries to the nearest."""

    def _carried(self, value: Value, most: int) -> Value:
        """All carries at once, not one after another: a carry is small, so digits stay nearly normal."""
        digits = digits_of(value, self.word)
        carries, lows = zip(*map(self.halves, digits[:-1]), strict=True) if digits[1:] else ((), ())
        done = [self.digit("plus", a, b) for a, b in zip([*lows, digits[-1]], [ZERO, *carries], strict=True)]
        below = self.word * (len(done) - 1)
        done[-1] = refine(done[-1], (value.lo >> below) - 1, (value.hi >> below) + 2)
        return number(done, self.word, value.interval)

    def halves(self, value: Value) -> tuple[Value, Value]:
        """⌊value / 2^word⌉, and what is left."""
        if -self.half <= value.lo and value.hi <= self.half:
            return ZERO, value
        carry = self.unbiased(self.one("near", const(BIAS), value, k=self.word))
        return carry, self.left(self.one("rest", value, carry, k=self.word))

    @property
    def half(self) -> int:
        return 1 << self.word - 1

    def left(self, value: Value) -> Value:
        """What rounding to a multiple of 2^word leaves."""
        return refine(value, -self.half, self.half)

    def unbiased(self, chain: Value) -> Value:
        return self.one("minus", chain, const(BIAS))


class Column:
    """The products of one column: ``chain``, the sum of their high halves over a bias, and ``low`` of the low ones."""

    def __init__(self, carries: Rounded) -> None:
        self.carries, self.chain, self.low = carries, const(BIAS), ZERO

    def product(self, a: Value, b: Value) -> None:
        """Add a·b."""
        c = self.carries
        chain = c.one("fmanear", self.chain, a, b, k=c.word)
        low = c.left(c.one("fmarest", c.one("minus", self.chain, chain), a, b, k=c.word))
        self.chain, self.low = chain, c.digit("plus", self.low, low)

    def divided(self, a: Value, b: Value) -> Value:
        """The whole sum over 2^word, after a·b makes it divisible."""
        c = self.carries
        return c.digit("plus", self.high, c.one("fmadown", self.low, a, b, k=c.word))

    @property
    def high(self) -> Value:
        return self.carries.unbiased(self.chain)


class RealPass(SlackPass):
    """The pass down to digits of ``machine.word`` bits in doubles: sums, products, carries, and the residue."""

    def __init__(self, table: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(table, machine, trace)
        self.carries: Rounded = Rounded(self.builder, machine.word, MANTISSA + 1)
        self._ways = {
            "plus": self._sum, "minus": self._sum, "fold": self._folded, "near_residue": self._residue,
            "shoup_near": self._shoup, "product_near": self._product_near,
            "settle": lambda op, width, args, k: [self.carries.settled(args[0], width, k)],
        }  # fmt: skip

    @property
    def weights(self) -> Collection[int]:
        """What constants are over q has a double of its own for each digit."""
        return self.word, MANTISSA

    def _other(self, op: str, width: int, args: Values, k: int) -> Values:
        raise MomagenError(f"an operation among {', '.join(self._ways)}", op, "digits in doubles")

    def _folded(self, op: str, width: int, args: Values, k: int) -> Values:
        """(Σ y_i·W_i + m·q) / 2^word, where m makes the sum divisible."""
        y, table, q, minus_inverse = args
        c, factors, rows = self.carries, digits_of(self.carries.normal(y), self.word), self._rows(table, k)
        columns, m, last = [Column(c) for _ in range(k)], Column(c), self._rows(q, k)[0]
        highs, step = Digits(), self.machine.columns or k
        for start in range(0, k, step):
            some = range(start, min(start + step, k))
            self._products(columns, some, zip(factors, rows, strict=True))
            if not highs:
                m.product(columns[0].low, minus_inverse)
                highs.append(columns[0].divided(m.low, last[0]))
            self._products(columns, some[not start :], [(m.low, last)])
        highs += [column.high for column in columns[1:]]
        lows = [*(column.low for column in columns[1:]), ZERO]
        return [number([c.digit("plus", high, low) for high, low in zip(highs, lows, strict=True)], self.word)]

    def _rows(self, table: Value, k: int) -> list[Digits]:
        """The digits of ``table``, ``k`` at a time, with zeros for those that it lacks."""
        digits = digits_of(table, self.word)
        digits += [ZERO] * (-len(digits) % k)
        return [digits[at : at + k] for at in range(0, len(digits), k)]

    def _products(self, columns: Sequence[Column], some: Iterable[int], rows: Iterable[tuple[Value, Digits]]) -> None:
        """Add every factor times its row to ``some`` of ``columns``."""
        for factor, row in rows:
            for at in some:
                columns[at].product(factor, row[at])

    def _residue(self, op: str, width: int, args: Values, k: int) -> Values:
        """x - e·q, e the nearest integer to x·μ / 2^k by the two leading digits of x; |x| ≤ (x.hi / q.hi)·q."""
        x, q, mu = args
        c, digits = self.carries, digits_of(self.carries.normal(x), self.word)
        cut = self.word * max(len(digits) - 2, 0)
        lead = c.one("leading", digits[-1], digits[-2], k=self.word) if len(digits) > 1 else digits[0]
        minus_e = c.one("minus", const(BIAS), c.one("fmanear", const(BIAS), lead, mu, k=k - cut))
        most = max(-x.lo, x.hi) // q.hi + 2
        minus_e = refine(minus_e, -most, most)
        each = zip(digits, digits_of(q, self.word), strict=True)
        return [number([c.one("fmarest", digit, minus_e, other) for digit, other in each], self.word)]

    def _shoup(self, op: str, width: int, args: Values, k: int) -> Values:
        """Σ y_i·W_i - e·q, e = Σ ⌊y_i·u_i / 2^53⌉: off by half for each digit, and half for what the u_i lack."""
        y, table, quotients, q = args
        c, known, e = self.carries, digits_of(quotients, MANTISSA), const(BIAS)
        factors, columns = digits_of(c.normal(y), self.word), [Column(c) for _ in range(k)]
        most = sum(max(-f.lo, f.hi) for f in factors)
        if len(factors) > k or most > 1 << MANTISSA - 1:
            raise MomagenError(f"a factor within ±2^{MANTISSA - 1}", str(y), "digits in doubles")
        for factor, u, row in zip(factors, known, self._rows(table, k), strict=True):
            e = c.one("fmanear", e, factor, u, k=MANTISSA)
            self._products(columns, range(k), [(factor, row)])
        # Digits of W_i and those of q times u_i / 2^53 are all below 2^word, so y_i times their difference is small.
        return [self._less(columns, c.one("minus", const(BIAS), e), q, k // 2 + 1, most + k + 1)]

    def _product_near(self, op: str, width: int, args: Values, k: int) -> Values:
        """x·y - e·q, e = ⌊z·μ/2^k⌉ for z = x·y to 53 bits."""
        x, y, q, mu = args
        c, column = self.carries, Column(self.carries)
        column.product(x, y)
        z = c.one("leading", column.high, column.low, k=c.word)
        e = refine(c.one("fmanear", const(BIAS), z, mu, k=k), BIAS, BIAS + x.hi * y.hi // q.hi + 1)
        return [self._less([column], c.one("minus", const(BIAS), e), q, 1, 0)]

    def _less(self, columns: Sequence[Column], minus_e: Value, q: Value, most: int, high: int) -> Value:
        """The sum of ``columns`` less e·q, which is within most·q of it: so high halves of the last products cancel.

        Args:
            high: what a column has above its digit is within ±high then, but for the last column.
        """
        c, (*lower, last) = self.carries, digits_of(q, self.word)
        for column, digit in zip(columns, lower, strict=False):
            column.product(minus_e, digit)
        used = columns[: len(lower) + 1]
        highs = [ZERO, *(refine(column.high, -high, high) for column in used[:-1]), used[-1].high]
        digits = [c.digit("plus", column.low, high) for column, high in zip(used, highs, strict=False)]
        below, bound = self.word * len(lower), most * q.hi

        def leading(known: Digits) -> tuple[int, int]:
            """What the leading digit may be beside ``known`` ones."""
            rest = number([*known, ZERO], self.word)
            return (-bound - rest.hi) >> below, (bound - rest.lo >> below) + 1

        top = refine(c.one("fmarest", highs[-1], minus_e, last, k=self.word), *leading(digits))
        digits[-1] = refine(c.one("plus", digits[-1], top), *leading(digits[:-1]))
        return refine(number(digits, self.word), 1 - bound, bound - 1)


def rewrite_real(block: Block, table: RuleTable, machine: Machine, trace: Trace | None = None) -> Block:
    """``block`` on digits of ``machine.word`` bits in doubles.

    Raises:
        MomagenError: an operation that digits in doubles do not have, or a sum that a double may not hold.
    """
    return RealPass(table, machine, Trace() if trace is None else trace).run(block)
