"""Rewriting for digits held in doubles: digits of either sign, sums exact to 53 bits, carries to the nearest.

*Normal* digits are within ±2^(word - 1) and a carry. What is no sum, no carry and no operation on doubles is rewritten.
"""

from __future__ import annotations

from collections.abc import Collection

from momagen.errors import MomagenError
from momagen.ir import REAL_OPS, Block, Value, refine
from momagen.ir.real import MANTISSA

from .carries import Carries
from .digits import ZERO, Digits, digits_of, number
from .machine import Machine, Trace
from .rules import RuleTable
from .slack import SCALED, SlackPass, Values


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
        half = 1 << self.word - 1
        if -half <= value.lo and value.hi <= half:
            return ZERO, value
        carry = self.one("near", ZERO, value, k=self.word)
        return carry, refine(self.one("rest", value, carry, k=self.word), -half, half)


class RealPass(SlackPass):
    """The pass down to operations on doubles that hold digits of ``machine.word`` bits."""

    def __init__(self, table: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(table, machine, trace)
        self.options["digits"] = "real"
        self.carries: Rounded = Rounded(self.builder, machine.word, MANTISSA + 1)
        self._ways = {op: self._ways[op] for op in ("plus", "minus", "settle", "sal", *SCALED)}
        self._ways["shoup_near"] = self._shoup

    @property
    def weights(self) -> Collection[int]:
        """What constants are over q has a double of its own for each digit."""
        return self.word, MANTISSA

    def stays(self, op: str, width: int) -> bool:
        return op in REAL_OPS or op in ("plus", "minus")

    def _shoup(self, op: str, width: int, args: Values, k: int) -> Values:
        """Σ y_i·W_i - e·q, e = Σ ⌊y_i·u_i / 2^53⌉: off by half for each digit, and half for what the u_i lack."""
        y, table, quotients, q = args
        c, known, e = self.carries, digits_of(quotients, MANTISSA), ZERO
        factors, words = digits_of(c.normal(y), self.word), digits_of(table, self.word)
        words += [ZERO] * (k * k - len(words))
        most = sum(max(-f.lo, f.hi) for f in factors)
        if len(factors) > k or most > 1 << MANTISSA - 1:
            raise MomagenError(f"a factor within ±2^{MANTISSA - 1}", str(y), "digits in doubles")
        high = low = ZERO
        for at, (factor, u) in enumerate(zip(factors, known, strict=True)):
            e = c.one("fmanear", e, factor, u, k=MANTISSA)
            row = number(words[k * at : k * at + k], self.word)
            high, low = self.emit("mac", self.word, [high, low, factor, row])
        return [self._less(high, low, self.one("minus", self.word, ZERO, e), q, k // 2 + 1, most + k + 1)]

    def _less(self, high: Value, low: Value, minus_e: Value, q: Value, most: int, over: int) -> Value:
        """high·2^word + low less e·q, which is within most·q of it: so high halves of the last products cancel.

        Args:
            over: what a digit has above then is within ±over, but for the last one.
        """
        c, (*lower, last) = self.carries, digits_of(q, self.word)
        highs, lows = ((digits_of(x, self.word) + [ZERO] * (len(lower) + 1))[: len(lower) + 1] for x in (high, low))
        for at, digit in enumerate(lower):
            highs[at], lows[at] = self.emit("mac", self.word, [highs[at], lows[at], minus_e, digit])
        above = [ZERO, *(refine(digit, -over, over) for digit in highs[:-1]), highs[-1]]
        digits = [c.digit("plus", *pair) for pair in zip(lows, above, strict=False)]
        below, bound = self.word * len(lower), most * q.hi

        def leading(known: Digits) -> tuple[int, int]:
            """What the leading digit may be beside ``known`` ones."""
            rest = number([*known, ZERO], self.word)
            return (-bound - rest.hi) >> below, (bound - rest.lo >> below) + 1

        top = refine(c.one("fmarest", above[-1], minus_e, last, k=self.word), *leading(digits))
        digits[-1] = refine(c.one("plus", digits[-1], top), *leading(digits[:-1]))
        return refine(number(digits, self.word), 1 - bound, bound - 1)


def rewrite_real(block: Block, table: RuleTable, machine: Machine, trace: Trace | None = None) -> Block:
    """``block`` on digits of ``machine.word`` bits in doubles.

    Raises:
        MomagenError: an operation without a rule for digits in doubles, or a sum that a double may not hold.
    """
    return RealPass(table, machine, Trace() if trace is None else trace).run(block)
