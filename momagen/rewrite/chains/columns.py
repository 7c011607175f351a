"""Rewriting to columns: a column of weight 2^(word·i) is a sum of words and halves of products, of any size.

The rules for reduced-radix limbs build the sums. If the words of a number are needed, one instruction
``NORMALISE`` represents the carry propagation through all its columns. :mod:`momagen.rewrite.chains.expand`
replaces it when the readers of all values are known.
"""

from __future__ import annotations

from collections import Counter

from momagen.errors import MomagenError
from momagen.ir import Block, Builder, Instr, Value, const, refine
from momagen.ir.value import Interval
from momagen.rewrite.digits.carries import Carries
from momagen.rewrite.digits.digits import ZERO, digits_of, length, number
from momagen.rewrite.digits.slack import NO, SlackPass, Values
from momagen.rewrite.engine.engine import RewritePass
from momagen.rewrite.engine.machine import Machine, Trace
from momagen.rewrite.engine.values import Results
from momagen.rewrite.rules.rule import Rule
from momagen.rewrite.rules.table import RuleTable

from .expand import NORMALISE, expanded
from .terms import FIRST, PRODUCT

CHAINS = "words:chains"
"""The choice that selects the rules for machines with carry chains."""
LANE = 1 << 20
"""The number of bits of a column, which is large enough for every sum."""


class ChainCarries(Carries):
    """A builder of operations on columns.

    The carries of a number are computed by one instruction when its words are needed.
    """

    def __init__(self, builder: Builder, word: int) -> None:
        super().__init__(builder, word, LANE)
        self._words: dict[tuple[int, int], tuple[Value, Value, list[Value]]] = {}

    def spread(self, value: Value, most: int) -> Value:
        """Return a number by words."""
        return super().spread(value, LANE)

    def _carried(self, value: Value, most: int) -> Value:
        """Return a number by words.

        One instruction computes them from its columns unless the columns are words already.
        """
        digits, count = digits_of(value, self.word), length(*value.interval, self.word)
        count = min(count, value.ring // self.word) if value.ring else count
        if value.lo >= 0 and len(digits) == count and all(d.lo >= 0 and d.hi >> self.word == 0 for d in digits):
            return number(digits, self.word, value.interval)
        _, found = self.normalised(value, count)
        if value.lo < 0:
            return number(found, self.word, value.interval, count * self.word)
        if not value.ring or value.hi >> count * self.word == 0:
            below = self.word * (count - 1)
            found[-1] = refine(found[-1], value.lo >> below, value.hi >> below)
        return number(found, self.word, value.interval)

    def normalised(self, value: Value, count: int) -> tuple[Value, list[Value]]:
        """Return a flag and the ``count`` words of a number.

        The flag is set if the number is negative or has more words. The low word is first.
        """
        key = id(value), count
        if key not in self._words:
            flag, found = Value(0, 1, "flag"), [Value(0, (1 << self.word) - 1) for _ in range(count)]
            columns = tuple(digits_of(value, self.word))
            self.builder.block.instrs.append(Instr(NORMALISE, self.word, columns, (flag, *found)))
            self._words[key] = value, flag, found
        _, flag, found = self._words[key]
        return flag, [*found]

    def negative(self, value: Value) -> Value:
        """Return the borrow out of the whole number."""
        if value.lo >= 0:
            return NO
        count = max(len(digits_of(value, self.word)), length(0, max(-value.lo, value.hi), self.word))
        return self.normalised(value, count)[0]

    def select(self, flag: Value, a: Value, b: Value) -> Value:
        """Return the words of a if the flag is set, and of b otherwise."""
        return super().select(flag, self.normal(a), self.normal(b))

    def settled(self, value: Value, width: int, k: int) -> Value:
        """Return a number by words, unless it may be negative."""
        return value if value.lo < 0 else self.normal(value)

    def dropped(self, value: Value, places: int) -> Value:
        """Return ⌊value / 2^(places·word)⌋ by words."""
        found = digits_of(self.normal(value), self.word)[places:]
        return number(found or [ZERO], self.word, (value.lo >> places * self.word, value.hi >> places * self.word))


class ChainPass(SlackPass):
    """The pass down to words of ``machine.word`` bits in which sums of products become carry chains.

    Attributes:
        readers: The number of readers of each value of the old block, by its id.
    """

    def __init__(self, table: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(table, machine, trace)
        self.choices |= {"digits": "slack", "words": "chains"}
        self.readers = Counter[int]()
        self.carries: ChainCarries = ChainCarries(self.builder, machine.word)
        self._ways |= dict.fromkeys(("add", "addc", "sub", "subb"), self._carrying)
        self._ways |= dict.fromkeys(("mulhi", "mulhi_within"), self._high_product)
        self._ways |= {"mul": self._product, "mullo": self._low_product, "subif": self._subtract_if}

    def run(self, block: Block) -> Block:
        """Return a block with carry chains."""
        self.readers = Counter(id(a) for instr in block.instrs for a in instr.args)
        self.readers.update(map(id, block.outputs.values()))
        return super().run(block)

    def _learn(self, old: Value, new: Value) -> None:
        """Record that a new value replaces an old one.

        A sum with several readers is converted to words, since each of them would compute its products again.
        """
        super()._learn(old, new)
        if self.readers[id(old)] > 1 and self.known[id(old)].lo >= 0:
            self.known[id(old)] = self.carries.normal(self.known[id(old)])

    def finished(self, block: Block) -> Block:
        """Return a block with its chains as operations on words, without dead code."""
        return super().finished(expanded(block, self.word, self.machine.legal))

    def output(self, value: Value) -> Value:
        """Return an output by words."""
        return self.carries.normal(value)

    def _applies(self, rule: Rule, width: int, args: Values, k: int) -> bool:
        """Return whether a rule applies.

        Rules for chains need not hold for reduced-radix limbs, since they apply to words.
        """
        return RewritePass._applies(self, rule, width, args, k) if rule.choice == CHAINS else super()._applies(
            rule, width, args, k
        )

    def _apply(self, rule: Rule, width: int, args: Values, k: int) -> Results:
        """Return the results of a rule, whose arguments become words if it is one for chains."""
        known = [self.carries.normal(a) for a in args] if rule.choice == CHAINS else args
        return super()._apply(rule, width, known, k)

    @property
    def splitting(self) -> bool:
        """Whether only whole numbers must be correct, and not their parts."""
        return self.rule is not None and self.rule.choice != CHAINS and super().splitting

    def stays(self, op: str, width: int) -> bool:
        """Return whether this pass keeps an operation."""
        return (width == self.word and op in ("plus", "minus", "mullo", "mulhi")) or super().stays(op, width)

    def _low(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return a number modulo 2^k. If k is a multiple of the word size, the columns above are dropped."""
        (value,) = args
        if k % self.word or self.splitting:
            return super()._low(op, width, args, k)
        if value.lo >= 0 and value.hi >> k == 0:
            return [self.carries.normal(value)]
        columns = digits_of(value, self.word)[: k // self.word]
        return [self.carries.normal(number(columns, self.word, None, k))]

    def _carrying(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return a carry or borrow, and a sum or difference."""
        if width == self.word or self.splitting:
            return super()._carrying(op, width, args, k) if op == "add" else self._other(op, width, args, k)
        how = "plus" if op.startswith("add") else "minus"
        total = self.carries.sum(how, self.carries.normal(args[0]), self.carries.normal(args[1]))
        for flag in args[2:]:
            total = self.carries.sum(how, total, self.one("word", self.word, flag))
        if total.lo >= 0 and total.hi >> width == 0:
            return [NO, total]
        flag, words = self.carries.normalised(total, width // self.word)
        return [flag, number(words, self.word)]

    def _product(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return both halves of a product. Rules compute it if another method than schoolbook is selected."""
        if width == self.word or self.choices["multiply"] != "schoolbook":
            return super()._product(op, width, args, k)
        columns, whole = self._columns(args)
        high, low = self.split(self.carries.normal(number(columns, self.word, whole)), width, 2)
        return high, low

    def _low_product(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return the low half of a product."""
        if width == self.word or self.choices["multiply"] != "schoolbook":
            return self._other(op, width, args, k)
        columns, (least, most) = self._columns(args, most=width // self.word)
        if most >> width == 0:
            return [number(columns, self.word, (least, most))]
        return [number(columns, self.word, None, width)]

    def _high_product(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return ⌊a·b / 2^width⌋, without products of words whose sum is at most k units."""
        if width == self.word or self.choices["multiply"] != "schoolbook":
            return self._other(op, width, args, k)
        k *= op == "mulhi_within"
        a, b = (digits_of(self.carries.normal(x), self.word) for x in args)
        first = self._first_column(a, b, width, k)
        columns, (least, most) = self._columns(args, first)
        whole = number(columns, self.word, (least if k == 0 else 0, most >> first * self.word))
        return [self.carries.dropped(whole, width // self.word - first)]

    def _columns(self, args: Values, first: int = 0, most: int = 0) -> tuple[list[Value], Interval]:
        """Return the columns of a product from ``first`` on, and the interval of the whole product.

        Args:
            args: The factors.
            first: The first column. Products of words that begin below it are omitted.
            most: The number of columns up to which products are computed, or 0 for all columns.
        """
        a, b = (digits_of(self.carries.normal(x), self.word) for x in args)
        count = min(most, len(a) + len(b)) if most else len(a) + len(b)
        self.trace.rules_applied["(28) multiply"] += 1
        tops, full = [0] * (len(a) + len(b) + 1), (1 << self.word) - 1
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                if first <= i + j < count and (top := x.hi * y.hi):
                    tops[i + j] += min(top, full)
                    tops[i + j + 1] += top >> self.word
        results = tuple(const(0) if not top else Value(0, top) for top in tops[first:count])
        instr = Instr(PRODUCT, self.word, (*a, *b), results, len(a) << FIRST | first)
        self.builder.block.instrs.append(instr)
        whole = args[0].lo * args[1].lo, args[0].hi * args[1].hi
        return list(results), whole

    def _first_column(self, a: Values, b: Values, width: int, k: int) -> int:
        """Return the lowest column whose products matter.

        The sum of all products below it is at most k·2^width.
        """
        lost, column = 0, 0
        while column * self.word < width:
            pairs = [(x, b[column - i]) for i, x in enumerate(a) if 0 <= column - i < len(b)]
            lost += sum(x.hi * y.hi for x, y in pairs) << column * self.word
            if lost > k << width:
                break
            column += 1
        return column

    def _subtract_if(self, op: str, width: int, args: Values, k: int) -> Values:
        """Return a - b if the flag is set, and a otherwise, by one chain of conditional subtractions."""
        flag, *rest = args
        a, b = (digits_of(self.carries.normal(x), self.word) for x in rest)
        if len(b) > len(a):
            raise MomagenError("b < a", f"{len(b)} words from {len(a)}", op)
        done, borrow = [], NO
        for x, y in zip(a, [*b, *[const(0)] * (len(a) - len(b))], strict=True):
            borrow, word = self.builder.emit("subbif", self.word, flag, x, y, borrow)
            done.append(word)
        return [number(done, self.word, (0, rest[0].hi))]
