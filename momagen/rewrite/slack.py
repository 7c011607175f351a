"""Rewriting for digits with slack: a digit of weight 2^w stands in a lane of more bits, so that sums need no carry.

Sums, differences and selections go digit by digit; whatever else reads a number takes normal digits.

A splitting rule of two or more digits applies where its row says ``slack``. Its arguments come in normal digits, and
in its right-hand side only whole numbers are right, not their digits: a sum or a product under several names is right
as their sum, with digits of any size and sign; a product [h, l] as h·2^w + l; a sum with a carry as [0, s], s of any
size. In return no sum or difference in it may leave its width, except in the rule for a product modulo 2^w; and what
other operations take must fit their width. Everywhere else results are each what the table of operations says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Value, const

from .carries import Carries
from .digits import ZERO, digits_of, normal_input, number
from .engine import Pass
from .machine import Machine, Trace
from .rules import Rule, RuleTable

NO = const(0, "flag")
SUMS = {"plus": "plus", "add": "plus", "addlo": "plus", "addc": "plus", "addclo": "plus",
        "minus": "minus", "sublo": "minus"}  # fmt: skip
"""Operations that go digit by digit, and what they are on a digit."""
CARRYING = ("add", "addc")
SCALED = {"mac": 2, "fmarest": 1}
"""Operations that go digit by digit but for one argument, a single digit that multiplies all of another."""
Values = Sequence[Value]


class SlackPass(Pass):
    """The one pass down to digits of ``machine.word`` bits in lanes of ``machine.lane`` bits."""

    def __init__(self, table: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(table, machine, machine.word, trace)
        self.word = machine.word
        self.rule: Rule | None = None
        self.carries = Carries(self.builder, machine.word, machine.lane)
        self._ways: dict[str, Callable[[str, int, Values, int], Values]] = {
            **dict.fromkeys(SUMS, self._sum), "sub": self._difference, "lt": self._difference,
            "select": lambda op, width, args, k: [self.carries.select(*args)],
            "settle": lambda op, width, args, k: [self.carries.settled(args[0], width, k)],
            "above": self._above, "clear": lambda op, width, args, k: [self.carries.cleared(args[0], k)],
            "negative": lambda op, width, args, k: [self.carries.negative(args[0])],
            "shl": self._moved, "sal": self._lifted, "sar": self._dropped, "mul": self._product, "low": self._low,
            **dict.fromkeys(SCALED, self._scaled),
            **dict.fromkeys(("residue", "residue_lazy", "csub", "addmod", "submod"), self._widened),
        }  # fmt: skip

    def emit(self, op: str, width: int, args: Values, k: int = 0) -> Values:
        if op == "signed":
            return [self.carries.signed(*args)]
        return self._ways.get(op, self._other)(op, width, [self.carries.sure(a) for a in args], k)

    def _other(self, op: str, width: int, args: Values, k: int) -> Values:
        """An operation on words: kept, on normal digits, or rewritten."""
        words = [self._word(op, width, a) if kind == "w" else a for kind, a in zip(OPS[op].args, args, strict=True)]
        if self.stays(op, width):
            words = [self._digit(op, self.carries.normal(a)) if a.digits else a for a in words]
        return super().emit(op, width, words, k)

    def _word(self, op: str, width: int, value: Value) -> Value:
        """``value`` from 0 to 2^width - 1; a rule is proven to ask for no other."""
        if value.lo >= 0 and value.hi >> width == 0:
            return value
        if self.rule is None:
            raise MomagenError(f"{op} of a number from 0 to 2^{width} - 1", str(value), "digits with slack")
        return self.refined(value, 0, (1 << width) - 1)

    def _digit(self, op: str, value: Value) -> Value:
        if value.digits:
            raise MomagenError(f"{op} of one digit of {self.word} bits", str(value), "digits with slack")
        return value

    # Rules

    def _applies(self, rule: Rule, width: int, args: Values, k: int) -> bool:
        return (rule.digits == 1 or rule.slack) and super()._applies(rule, width, args, k)

    def _apply(self, rule: Rule, width: int, args: Values, k: int) -> Values:
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
        return self.rule is not None and self.rule.digits > 1 and self.rule.op != "mullo"

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

    # Operations that go their own way

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

    def _moved(self, op: str, width: int, args: Values, k: int) -> Values:
        """By whole digits there is nothing to do."""
        value = self._word(op, width, args[0])
        return self._other(op, width, args, k) if k % self.word else [self.carries.moved(value, k // self.word, width)]

    def _above(self, op: str, width: int, args: Values, k: int) -> Values:
        """Without the low digits, which are not negative, and without what they carry."""
        (value,) = args
        digits, places = digits_of(value, self.word), k // self.word
        if value.ring or k % self.word or any(d.lo < 0 for d in digits[:places]):
            return self._other("shr", width, args, k)
        return [number(digits[places:] or [const(0)], self.word, (0, value.hi >> k))]

    def _low(self, op: str, width: int, args: Values, k: int) -> Values:
        (value,) = args
        if k == width and not self.splitting and value.digits:
            return [self._modulo(value, width)]
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

    def _lifted(self, op: str, width: int, args: Values, k: int) -> Values:
        (value,), (places, rest) = args, divmod(k, self.word)
        return self._other(op, width, args, k) if rest else [self.carries.lifted(value, places)]

    def _dropped(self, op: str, width: int, args: Values, k: int) -> Values:
        (value,), (places, rest) = args, divmod(k, self.word)
        return self._other(op, width, args, k) if rest else [self.carries.dropped(value, places)]

    # What the engine asks of an algebra

    @property
    def weights(self) -> Collection[int]:
        """Bits of the digits of an input."""
        return (self.word,)

    def _fresh(self, value: Value, name: str) -> Value:
        if value.digits and value.weight not in self.weights:
            raise MomagenError(f"digits of {self.word} bits", f"{value.weight} bits", name)
        fresh = value if value.digits else normal_input(value, name, self.word)
        alone = len(fresh.digits) == 1 and not fresh.ring
        self.known[id(value)] = fresh.digits[0] if alone else fresh
        return fresh

    def resolve(self, value: Value) -> Value:
        if value.digits and not value.is_const and id(value) not in self.known:
            joined = self.join([self.resolve(d) for d in value.digits], value.weight)
            self.known[id(value)] = self.refined(joined, value.lo, value.hi)
        return super().resolve(value)

    def join(self, digits: Values, weight: int) -> Value:
        parts = [self.one("word", self.word, d) if d.kind == "flag" else self.carries.sure(d) for d in digits]
        return self.carries.join(parts, weight // self.word, self.exact)

    def cut(self, value: Value, weight: int) -> Values:
        return self.split(value, weight, 2)

    def split(self, value: Value, weight: int, count: int) -> Values:
        return self.carries.split(value, weight // self.word, count)


def rewrite_slack(block: Block, table: RuleTable, machine: Machine, trace: Trace | None = None) -> Block:
    """``block`` on digits of ``machine.word`` bits in lanes of ``machine.lane`` bits.

    Raises:
        MomagenError: an operation has neither a row in the target nor a rule, a lane may not hold a sum, or the digits
            of an input are of another size.
    """
    return SlackPass(table, machine, Trace() if trace is None else trace).run(block)
