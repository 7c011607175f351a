"""Rewriting to reduced-radix limbs.

A limb of radix 2^w is in a lane of more than w bits, so that sums need no carry propagation. Sums,
differences and selections act limb by limb; all other operations read normal limbs.

A rule that splits numbers into two or more limbs applies if its row contains ``slack``. Its arguments have
normal limbs. Inside its right-hand side only whole numbers are correct, not their limbs: a sum or a product
with several targets is correct as their sum, with limbs of any size and sign; a product [h, l] is correct as
h·2^w + l; a sum with a carry is [0, s] with s of any size. In return, no sum or difference in the rule may
exceed its width, except in the rule for a product modulo 2^w, and arguments of other operations must fit
their width. Everywhere else, each result is as the table of operations specifies.
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
"""A function that computes the results of an operation from the operation, its width, its arguments and k."""
NO = const(0, "flag")
"""The flag that is not set."""
SUMS = {"plus": "plus", "addlo": "plus", "minus": "minus", "sublo": "minus"}
"""The operations that act limb by limb, with the operation on a limb."""
SCALED = {"mac": 2, "fmarest": 1}
"""The operations that act limb by limb, except that one argument, whose index is the value, is a single
limb that multiplies all limbs of another one."""


class SlackPass(RewritePass):
    """The pass down to limbs of ``machine.word`` bits in lanes of ``machine.lane`` bits.

    Some operations have special methods; all others are rewritten by rules.

    Attributes:
        word: The number of bits of the radix.
        weights: The numbers of bits that limbs of inputs may have.
        rule: The rule that is being applied, or None.
        carries: The builder of operations on limbs.
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
        """Return the results of an operation, rewritten to limbs.

        Raises:
            MomagenError: There is no rule for the operation, or a lane cannot hold a result.
        """
        if op == "signed":
            return (self.carries.signed(*args),)
        if op in CONSTANTS:
            return super().emit(op, width, *args, k=k)
        return tuple(self._ways.get(op, self._other)(op, width, [self.carries.sure(a) for a in args], k))

    # The methods for operations.

    def _other(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return the results of an operation that is kept, on normal limbs, or rewritten by a rule."""
        words = [self._word(op, width, a) if kind == "w" else a for kind, a in zip(OPS[op].args, args, strict=True)]
        if self.stays(op, width):
            words = [self._digit(op, self.carries.normal(a)) if a.digits else a for a in words]
        return super().emit(op, width, *words, k=k)

    def _word(self, op: str, width: int, value: Value) -> Value:
        """Return a number from 0 to 2^width - 1.

        If the argument may be outside this range, a rule must guarantee that it is not.
        """
        if value.lo >= 0 and value.hi >> width == 0:
            return value
        if self.rule is None:
            raise MomagenError(f"{op} of a number from 0 to 2^{width} - 1", str(value), "reduced-radix limbs")
        return self.refined(value, 0, (1 << width) - 1)

    def _digit(self, op: str, value: Value) -> Value:
        """Return a number that must be a single limb."""
        if value.digits:
            raise MomagenError(f"{op} of one limb of {self.word} bits", str(value), "reduced-radix limbs")
        return value

    def _sum(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return a sum or difference."""
        return [self.carries.sum(SUMS[op], args[0], args[1], width * op.endswith("lo"), self.exact)]

    def _carrying(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return a carry and a sum. If parts need not be correct, the sum keeps its carry."""
        return [NO, self.one("plus", width, *args)] if self.splitting else self._other(op, width, args, k)

    def _product(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return the two halves of a product."""
        high, low = self._other(op, width, args, k)
        if self.splitting:
            return high, low
        whole = self.refined(self.join((high, low), width), args[0].lo * args[1].lo, args[0].hi * args[1].hi)
        return self.split(self.carries.normal(whole), width, 2)

    def _shifted(self, op: str, width: int, args: Values, k: int) -> Values:
        """Shift by k bits. A multiple of the limb size only renames limbs."""
        value, (places, rest) = args[0], divmod(k, self.word)
        value = self._word(op, width, value) if op == "shl" else value
        if rest:
            return self._other(op, width, args, k)
        if op == "sar":
            return [self.carries.dropped(value, places)]
        return [self.carries.moved(value, places, width if op == "shl" else 0)]

    def _above(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return the limbs above k bits.

        The carry out of the limbs below must be at most the allowed error ``doubt``.

        Raises:
            MomagenError: The carry may be larger, a limb below is negative, or k is not a multiple of the
                limb size.
        """
        (value, doubt), (places, rest) = args, divmod(k, self.word)
        digits = digits_of(value, self.word)
        below = number(digits[:places] or [ZERO], self.word)
        if rest or value.ring or any(d.lo < 0 for d in digits[:places]) or below.hi >> k > doubt.lo:
            least = f"limbs of less than {doubt.lo + 1}·2^{k} below 2^{k}"
            raise MomagenError(least, str(below), "reduced-radix limbs")
        return [number(digits[places:] or [ZERO], self.word, (0, value.hi >> k))]

    def _low(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return a number modulo 2^k."""
        (value,) = args
        if k == width and not self.splitting and value.digits and not 0 < value.ring < width:
            return [self._modulo(value, width)]
        if k < self.word and not self.splitting:  # the k bits are in the lowest limb, even if it is not normal
            return self._other(op, self.word, digits_of(value, self.word)[:1], k)
        if value.lo < 0 or value.hi >> width:
            value = self._modulo(self.carries.normal(value), width)
        return self._other(op, width, [value], k)

    def _scaled(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return the results of a multiplication of all limbs by a single one."""
        each = [digits_of(a, self.word) for a in args]
        count = max(map(len, each))
        if count == 1:
            return self._other(op, width, args, k)
        each[SCALED[op]] = [self._digit(op, args[SCALED[op]])] * count
        columns = zip_longest(*each, fillvalue=ZERO)
        results = zip(*(self._other(op, width, column, k) for column in columns), strict=True)
        return [number(list(digits), self.word) for digits in results]

    # The application of rules.

    def _applies(self, rule: Rule, width: int, args: Values, k: int) -> bool:
        """Return whether a rule applies. Rules that split numbers must hold for reduced-radix limbs."""
        return (rule.digits == 1 or rule.slack) and super()._applies(rule, width, args, k)

    def _apply(self, rule: Rule, width: int, args: Values, k: int) -> Results:
        """Return the results of a rule, whose arguments are normalised if it splits numbers."""
        outer, self.rule = self.rule, rule
        results = super()._apply(rule, width, [self.carries.normal(a) for a in args] if self.splitting else args, k)
        self.rule = outer
        return results

    @property
    def splitting(self) -> bool:
        """Whether only whole numbers must be correct, and not their parts."""
        return self.rule is not None and self.rule.digits > 1

    @property
    def exact(self) -> bool:
        """Whether sums are known not to exceed their width, even if their intervals do not show it."""
        return self.rule is not None and self.splitting and self.rule.op != "mullo"

    def refined(self, value: Value, lo: int, hi: int) -> Value:
        """Return a value that is known to lie in [lo, hi], too."""
        return self.carries.refined(value, lo, hi)

    def bounded(self, rule: Rule, width: int, value: Value, lo: int, hi: int) -> Value:
        """Return a result of a rule in its range.

        The parts of a product may be outside their ranges; a low half is taken modulo 2^width.
        """
        if rule.op == "mul" and rule.slack:
            return value
        if rule.op == "mullo" and value.hi >> width:
            value = self._modulo(value, width)
        return self.refined(value, lo, hi)

    def _modulo(self, value: Value, width: int) -> Value:
        """Return a number modulo 2^width."""
        return number(digits_of(value, self.word), self.word, None, width)

    # The methods of the algebra that the engine uses.

    def _fresh(self, value: Value, name: str) -> Value:
        """Return an input with limbs, in place of an input of the old block.

        Raises:
            MomagenError: The input has limbs of another size.
        """
        if value.digits and value.weight not in self.weights:
            raise MomagenError(f"limbs of {self.word} bits", f"{value.weight} bits", name)
        fresh = needed(value) if value.digits else normal_input(value, name, self.word)
        alone = len(fresh.digits) == 1 and not fresh.ring
        self.known[id(value)] = fresh.digits[0] if alone else fresh
        return fresh

    def join(self, digits: Values, weight: int) -> Value:
        """Return the number with the given parts, the high one first."""
        parts = [self.one("word", self.word, d) if d.kind == "flag" else self.carries.sure(d) for d in digits]
        return self.carries.join(parts, weight, self.exact)

    def split(self, value: Value, weight: int, count: int) -> Values:
        """Return parts of a number, the high one first."""
        return self.carries.split(value, weight, count)
