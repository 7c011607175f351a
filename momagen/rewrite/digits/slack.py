"""Rewriting for digits with slack: a digit of weight 2^w stands in a lane of more bits, so that sums need no carry.

Sums, differences and selections go digit by digit; whatever else reads a number takes normal digits.
"""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.ir import OPS, const
from momagen.rewrite.engine.machine import Machine, Trace
from momagen.rewrite.rules.table import RuleTable

from .digit_pass import DigitPass, Values
from .digits import ZERO, digits_of, number

NO = const(0, "flag")
SUMS = {"plus": "plus", "add": "plus", "addlo": "plus", "addc": "plus", "addclo": "plus",
        "minus": "minus", "sublo": "minus"}  # fmt: skip
"""Operations that go digit by digit, and what they are on a digit."""
CARRYING = ("add", "addc")
SCALED = {"mac": 2, "fmarest": 1}
"""Operations that go digit by digit but for one argument, a single digit that multiplies all of another."""


class SlackPass(DigitPass):
    """The one pass down to digits with slack."""

    def __init__(self, table: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(table, machine, trace)
        self._ways = {
            **dict.fromkeys(SUMS, self._sum), "sub": self._difference, "lt": self._difference,
            "select": lambda op, width, args, k: [self.carries.select(*args)],
            "settle": lambda op, width, args, k: [self.carries.settled(args[0], width, k)],
            "clear": lambda op, width, args, k: [self.carries.cleared(args[0], k)],
            "negative": lambda op, width, args, k: [self.carries.negative(args[0])],
            **dict.fromkeys(("shl", "sal", "sar"), self._shifted), "above": self._above, "mul": self._product,
            "low": self._low,
            **dict.fromkeys(SCALED, self._scaled),
            **dict.fromkeys(("residue", "residue_lazy", "csub", "addmod", "submod"), self._widened),
        }  # fmt: skip

    def _sum(self, op: str, width: int, args: Values, k: int) -> Values:
        bound = width if op not in (SUMS[op], *CARRYING) else 0
        total = self.carries.sum(SUMS[op], args[0], args[1], bound, self.exact)
        for flag in args[2:]:
            carry = self.one("word", self.word, flag)
            total = self.carries.sum("plus", self.carries.sure(total), carry, bound, self.exact)
        if op not in CARRYING:
            return [total]
        total = self.carries.sure(total)
        if self.splitting or total.hi >> width == 0:
            return [NO, total]
        return [self.one("lt", width, const((1 << width) - 1), total), self._modulo(total, width)]

    def _difference(self, op: str, width: int, args: Values, k: int) -> Values:
        a, b = args
        if a.lo >= b.hi:
            return [NO, self.carries.sum("minus", a, b)][: len(OPS[op].results)]
        negative, result = self.carries.difference(a, b)
        return [negative, self._modulo(result, width)][: len(OPS[op].results)]

    def _shifted(self, op: str, width: int, args: Values, k: int) -> Values:
        """By whole digits there is little to do."""
        value, (places, rest) = args[0], divmod(k, self.word)
        value = self._word(op, width, value) if op == "shl" else value
        if rest:
            return self._other(op, width, args, k)
        if op == "sar":
            return [self.carries.dropped(value, places)]
        return [self.carries.moved(value, places, width if op == "shl" else 0)]

    def _above(self, op: str, width: int, args: Values, k: int) -> Values:
        """The digits above k bits; what those below carry is within the doubt.

        Raises:
            MomagenError: it is more, some digit below is negative, or k cuts one.
        """
        (value, doubt), (places, rest) = args, divmod(k, self.word)
        digits = digits_of(value, self.word)
        below = number(digits[:places] or [ZERO], self.word)
        if rest or value.ring or any(d.lo < 0 for d in digits[:places]) or below.hi >> k > doubt.lo:
            least = f"digits of less than {doubt.lo + 1}·2^{k} below 2^{k}"
            raise MomagenError(least, str(below), "digits with slack")
        return [number(digits[places:] or [ZERO], self.word, (0, value.hi >> k))]

    def _low(self, op: str, width: int, args: Values, k: int) -> Values:
        (value,) = args
        if k == width and not self.splitting and value.digits:
            return [self._modulo(value, width)]
        if k < self.word and not self.splitting:  # the lowest digit has them, whatever it carries
            return self._other(op, self.word, digits_of(value, self.word)[:1], k)
        if value.lo < 0 or value.hi >> width:
            value = self._modulo(self.carries.normal(value), width)
        return self._other(op, width, [value], k)

    def _product(self, op: str, width: int, args: Values, k: int) -> Values:
        high, low = self._other(op, width, args, k)
        if self.splitting:
            return high, low
        whole = self.refined(self.join((high, low), width), args[0].lo * args[1].lo, args[0].hi * args[1].hi)
        return self.split(self.carries.normal(whole), width, 2)

    def _widened(self, op: str, width: int, args: Values, k: int) -> Values:
        """What means the same at any width goes at one that holds its arguments."""
        while any(a.hi >> width for a in args):
            width *= 2
        return self._other(op, width, args, k)

    def _scaled(self, op: str, width: int, args: Values, k: int) -> Values:
        each = [digits_of(a, self.word) for a in args]
        count = max(map(len, each))
        if count == 1:
            return self._other(op, width, args, k)
        each[SCALED[op]] = [self._digit(op, args[SCALED[op]])] * count
        columns = zip(*(digits + [ZERO] * (count - len(digits)) for digits in each), strict=True)
        results = zip(*(self._other(op, width, column, k) for column in columns), strict=True)
        return [number(list(digits), self.word) for digits in results]
