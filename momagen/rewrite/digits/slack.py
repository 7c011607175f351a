"""Rewriting for digits with slack: a digit of weight 2^w stands in a lane of more bits, so that sums need no carry.

Sums, differences and selections go digit by digit; whatever else reads a number takes normal digits.

A splitting rule of two or more digits applies where its row says ``slack``. Its arguments come in normal digits, and
in its right-hand side only whole numbers are right, not their digits: a sum or a product under several names is right
as their sum, with digits of any size and sign; a product [h, l] as h·2^w + l; a sum with a carry as [0, s], s of any
size. In return no sum or difference in it may leave its width, except in the rule for a product modulo 2^w; and what
other operations take must fit their width. Everywhere else results are each what the table of operations says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from momagen.errors import MomagenError
from momagen.ir import OPS, Value, const
from momagen.rewrite.engine.engine import RewritePass
from momagen.rewrite.engine.machine import Machine, Trace
from momagen.rewrite.engine.values import Results
from momagen.rewrite.rules.operations import CONSTANTS
from momagen.rewrite.rules.rule import Rule
from momagen.rewrite.rules.table import RuleTable

from .carries import Carries
from .digits import ZERO, digits_of, needed, normal_input, number

Values = Sequence[Value]
Way = Callable[[str, int, Values, int], Values]
NO = const(0, "flag")
SUMS = {"plus": "plus", "addlo": "plus", "minus": "minus", "sublo": "minus"}
"""Operations that go digit by digit, and what they are on a digit."""
SCALED = {"mac": 2, "fmarest": 1}
"""Operations that go digit by digit but for one argument, a single digit that multiplies all of another."""


class SlackPass(RewritePass):
    """The one pass down to digits of ``machine.word`` bits in lanes of ``machine.lane`` bits; some operations have a
    way of their own.

    Attributes:
        weights: bits that the digits of an input may have.
    """

    def __init__(self, table: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(table, machine, machine.word, trace)
        self.choices["digits"] = machine.digits
        self.word, self.weights = machine.word, {machine.word}
        self.rule: Rule | None = None
        self.carries = Carries(self.builder, machine.word, machine.lane)
        self._ways: dict[str, Way] = {
            **dict.fromkeys(SUMS, self._sum), "add": self._carrying, "mul": self._product,
            "select": lambda op, width, args, k: [self.carries.select(*args)],
            "settle": lambda op, width, args, k: [self.carries.settled(args[0], width, k)],
            "clear": lambda op, width, args, k: [self.carries.cleared(args[0], k)],
            "negative": lambda op, width, args, k: [self.carries.negative(args[0])],
            **dict.fromkeys(("shl", "sal", "sar"), self._shifted), "above": self._above, "low": self._low,
            **dict.fromkeys(SCALED, self._scaled),
        }  # fmt: skip

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> Results:
        if op == "signed":
            return (self.carries.signed(*args),)
        if op in CONSTANTS:
            return super().emit(op, width, *args, k=k)
        return tuple(self._ways.get(op, self._other)(op, width, [self.carries.sure(a) for a in args], k))

    # Operations

    def _other(self, op: str, width: int, args: Values, k: int) -> Values:
        """An operation on words: kept, on normal digits, or rewritten."""
        words = [self._word(op, width, a) if kind == "w" else a for kind, a in zip(OPS[op].args, args, strict=True)]
        if self.stays(op, width):
            words = [self._digit(op, self.carries.normal(a)) if a.digits else a for a in words]
        return super().emit(op, width, *words, k=k)

    def _word(self, op: str, width: int, value: Value) -> Value:
        """``value`` from 0 to 2^width - 1; a rule is proven to ask for no other."""
        if value.lo >= 0 and value.hi >> width == 0:
            return value
        if self.rule is None:
            raise MomagenError(f"{op} of a number from 0 to 2^{width} - 1", str(value), "reduced-radix limbs")
        return self.refined(value, 0, (1 << width) - 1)

    def _digit(self, op: str, value: Value) -> Value:
        if value.digits:
            raise MomagenError(f"{op} of one digit of {self.word} bits", str(value), "reduced-radix limbs")
        return value

    def _sum(self, op: str, width: int, args: Values, k: int) -> Values:
        return [self.carries.sum(SUMS[op], args[0], args[1], width * op.endswith("lo"), self.exact)]

    def _carrying(self, op: str, width: int, args: Values, k: int) -> Values:
        """Where parts need not be right, a sum keeps what it carries."""
        return [NO, self.one("plus", width, *args)] if self.splitting else self._other(op, width, args, k)

    def _product(self, op: str, width: int, args: Values, k: int) -> Values:
        high, low = self._other(op, width, args, k)
        if self.splitting:
            return high, low
        whole = self.refined(self.join((high, low), width), args[0].lo * args[1].lo, args[0].hi * args[1].hi)
        return self.split(self.carries.normal(whole), width, 2)

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
            raise MomagenError(least, str(below), "reduced-radix limbs")
        return [number(digits[places:] or [ZERO], self.word, (0, value.hi >> k))]

    def _low(self, op: str, width: int, args: Values, k: int) -> Values:
        (value,) = args
        if k == width and not self.splitting and value.digits and not 0 < value.ring < width:
            return [self._modulo(value, width)]
        if k < self.word and not self.splitting:  # the lowest digit has them, whatever it carries
            return self._other(op, self.word, digits_of(value, self.word)[:1], k)
        if value.lo < 0 or value.hi >> width:
            value = self._modulo(self.carries.normal(value), width)
        return self._other(op, width, [value], k)

    def _scaled(self, op: str, width: int, args: Values, k: int) -> Values:
        each = [digits_of(a, self.word) for a in args]
        count = max(map(len, each))
        if count == 1:
            return self._other(op, width, args, k)
        each[SCALED[op]] = [self._digit(op, args[SCALED[op]])] * count
        columns = zip_longest(*each, fillvalue=ZERO)
        results = zip(*(self._other(op, width, column, k) for column in columns), strict=True)
        return [number(list(digits), self.word) for digits in results]

    # Rules

    def _applies(self, rule: Rule, width: int, args: Values, k: int) -> bool:
        return (rule.digits == 1 or rule.slack) and super()._applies(rule, width, args, k)

    def _apply(self, rule: Rule, width: int, args: Values, k: int) -> Results:
        outer, self.rule = self.rule, rule
        results = super()._apply(rule, width, [self.carries.normal(a) for a in args] if self.splitting else args, k)
        self.rule = outer
        return results

    @property
    def splitting(self) -> bool:
        """Whether parts of numbers need not be right, as long as the numbers are."""
        return self.rule is not None and self.rule.digits > 1

    @property
    def exact(self) -> bool:
        """Whether no sum leaves its width, though intervals may not see it."""
        return self.rule is not None and self.splitting and self.rule.op != "mullo"

    def refined(self, value: Value, lo: int, hi: int) -> Value:
        return self.carries.refined(value, lo, hi)

    def bounded(self, rule: Rule, width: int, value: Value, lo: int, hi: int) -> Value:
        """Parts of a product may be larger than a part's own range; half of one is meant modulo 2^width."""
        if rule.op == "mul" and rule.slack:
            return value
        if rule.op == "mullo" and value.hi >> width:
            value = self._modulo(value, width)
        return self.refined(value, lo, hi)

    def _modulo(self, value: Value, width: int) -> Value:
        return number(digits_of(value, self.word), self.word, None, width)

    # What the engine asks of an algebra

    def _fresh(self, value: Value, name: str) -> Value:
        if value.digits and value.weight not in self.weights:
            raise MomagenError(f"digits of {self.word} bits", f"{value.weight} bits", name)
        fresh = needed(value) if value.digits else normal_input(value, name, self.word)
        alone = len(fresh.digits) == 1 and not fresh.ring
        self.known[id(value)] = fresh.digits[0] if alone else fresh
        return fresh

    def join(self, digits: Values, weight: int) -> Value:
        parts = [self.one("word", self.word, d) if d.kind == "flag" else self.carries.sure(d) for d in digits]
        return self.carries.join(parts, weight, self.exact)

    def split(self, value: Value, weight: int, count: int) -> Values:
        return self.carries.split(value, weight, count)
