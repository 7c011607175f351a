"""Rewriting to floating-point limbs: limbs of either sign, sums exact up to 53 bits, and rounded carries.

*Normal* limbs are within ±2^(word - 1), up to a carry. Operations that are no sums, carries or operations on
doubles are rewritten by rules.
"""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.ir import REAL_OPS, Value, refine
from momagen.ir.real import MANTISSA
from momagen.rewrite.engine.machine import Machine, Trace
from momagen.rewrite.rules.table import RuleTable

from .carries import Carries
from .digits import ZERO, digits_of, number
from .slack import SCALED, SlackPass, Values


class Rounded(Carries):
    """A builder of operations on limbs whose carries are rounded to the nearest integer."""

    def _carried(self, value: Value, most: int) -> Value:
        """Return a number after one carry normalisation.

        All carries are computed at once instead of one after another. Since they are small, the limbs stay
        nearly normal.
        """
        digits = digits_of(value, self.word)
        carries, lows = zip(*map(self.halves, digits[:-1]), strict=True) if digits[1:] else ((), ())
        done = [self.digit("plus", a, b) for a, b in zip([*lows, digits[-1]], [ZERO, *carries], strict=True)]
        below = self.word * (len(done) - 1)
        done[-1] = refine(done[-1], (value.lo >> below) - 1, (value.hi >> below) + 2)
        return number(done, self.word, value.interval)

    def refined(self, value: Value, lo: int, hi: int) -> Value:
        """Return a value that is known to lie in [lo, hi], too."""
        return refine(value, lo, hi)

    def halves(self, value: Value) -> tuple[Value, Value]:
        """Return the carry ⌊value / 2^word⌉ and the remainder."""
        half = 1 << self.word - 1
        if -half <= value.lo and value.hi <= half:
            return ZERO, value
        carry = self.one("near", ZERO, value, k=self.word)
        return carry, refine(self.one("rest", value, carry, k=self.word), -half, half)


class RealPass(SlackPass):
    """The pass down to operations on doubles that hold limbs of ``machine.word`` bits."""

    def __init__(self, table: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(table, machine, trace)
        self.carries: Rounded = Rounded(self.builder, machine.word, MANTISSA + 1)
        self.weights |= {MANTISSA}  # quotients of constants by q have one double of 53 bits for each limb
        self._ways = {op: self._ways[op] for op in ("plus", "minus", "settle", "sal", *SCALED)}
        self._ways["about"] = self._about

    def _about(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return a number without its limbs below k bits.

        Together they must be at most the allowed error ``doubt``.

        Raises:
            MomagenError: They may be larger, or k is not a multiple of the limb size.
        """
        (value, doubt), (places, rest) = args, divmod(k, self.word)
        digits = digits_of(value, self.word)
        below = number(digits[:places] or [ZERO], self.word)
        if rest or max(-below.lo, below.hi) > doubt.lo << k:
            raise MomagenError(f"limbs below 2^{k}, at most {doubt.lo} · 2^{k}", str(below), "floating-point limbs")
        return [number(digits[places:] or [ZERO], self.word)]

    def stays(self, op: str, width: int) -> bool:
        """Return whether an operation is one on integers in doubles."""
        return op in REAL_OPS or op in ("plus", "minus")
