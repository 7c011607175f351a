"""The engine: a legal instruction stays, any other is replaced by the first rule that applies, again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Builder, Instr, Value, const, dead_code, join, refine
from momagen.ir.simplify import constants, simpler
from momagen.rewrite.notation.syntax import Assume
from momagen.rewrite.rules.evaluate import evaluate
from momagen.rewrite.rules.operations import REDUCED
from momagen.rewrite.rules.rule import Rule
from momagen.rewrite.rules.table import RuleTable

from .machine import DEFAULTS, Machine, Trace

Results = tuple[Value, ...]
Whole = Callable[[str, int, Sequence[Value]], bool]


def never(op: str, width: int, args: Sequence[Value]) -> bool:
    return False


class RewritePass:
    """One pass down to operations of at most ``level`` bits, or that stay ``whole``; an algebra over IR values."""

    def __init__(self, table: RuleTable, machine: Machine, level: int, trace: Trace, whole: Whole = never) -> None:
        self.table, self.machine, self.level, self.trace, self.is_whole = table, machine, level, trace, whole
        self.options = {**DEFAULTS, **machine.options}
        self.builder = Builder(self.has)
        self.known: dict[int, Value] = {}

    def run(self, block: Block) -> Block:
        for name, value in block.inputs.items():
            self.builder.block.inputs[name] = self._fresh(value, name)
        for instr in block.instrs:
            self._copy(instr)
        for name, value in block.outputs.items():
            self.builder.output(name, self.resolve(value))
        return dead_code(self.builder.block, self.stays)

    def _fresh(self, value: Value, name: str) -> Value:
        """An input whose every word has at most ``level`` bits."""
        if value.digits:
            parts = tuple(self._fresh(d, d.name or name) for d in value.digits)
            fresh = refine(join(parts, value.weight), value.lo, value.hi)
        elif value.is_const or value.hi >> self.level <= 0 or value.kind == "flag":
            fresh = value
        else:
            fresh = self._unknown(value.lo, value.hi, name)
        self.known[id(value)] = fresh
        return fresh

    def _unknown(self, lo: int, hi: int, name: str = "") -> Value:
        """A new value in [lo, hi], of digits that this pass can bear."""
        count = max(1, -(-hi.bit_length() // self.level))
        digits = [Value(0, (1 << self.level) - 1, "word", f"{name}_{i}") for i in range(count)]
        return refine(join(tuple(digits), self.level), lo, hi)

    def _copy(self, instr: Instr) -> None:
        args = [self.resolve(a) for a in instr.args]
        made = self.emit(instr.op, instr.w, *args, k=instr.k)
        for old, new in zip(instr.results, made, strict=True):
            self._learn(old, new)

    def _learn(self, old: Value, new: Value) -> None:
        """``new`` is in this pass what ``old`` was, and so are its digits."""
        self.known[id(old)] = new = self.refined(new, old.lo, old.hi)
        parts = self.split(new, old.weight, len(old.digits)) if old.digits else ()
        for digit, part in zip(old.digits, parts, strict=True):
            self._learn(digit, part)

    def bounded(self, rule: Rule, width: int, value: Value, lo: int, hi: int) -> Value:
        """A result of ``rule`` at ``width``, in the range that its operation promises."""
        return self.refined(value, lo, hi)

    def refined(self, value: Value, lo: int, hi: int) -> Value:
        """``value`` known to lie in [lo, hi] too."""
        return refine(value, lo, hi)

    def resolve(self, value: Value) -> Value:
        """The value of this pass for one of the block before it."""
        if value.is_const:
            return value
        if id(value) not in self.known:
            joined = self.join([self.resolve(d) for d in value.digits], value.weight)
            self.known[id(value)] = self.refined(joined, value.lo, value.hi)
        return self.known[id(value)]

    # Numbers joined from digits and taken apart: rules (19)–(21)

    def join(self, digits: Sequence[Value], weight: int) -> Value:
        flat = [self.one("word", self.level, d) if d.kind == "flag" else d for d in digits]
        return join(tuple(flat), weight)

    def split(self, value: Value, weight: int, count: int) -> Sequence[Value]:
        """``count`` digits of ``weight`` bits, high part first."""
        parts = self._parts(value, weight)
        return [const(0)] * (count - len(parts)) + parts

    def _parts(self, value: Value, weight: int) -> list[Value]:
        if value.hi >> weight == 0:
            return [value]
        if value.is_const:
            return [*self._parts(const(value.lo >> weight), weight), const(value.lo & ((1 << weight) - 1))]
        if not value.digits:
            low = self.one("low", self.level, value, k=weight)
            return [*self._parts(self.one("shr", self.level, value, k=weight), weight), low]
        digits, size = value.digits, weight // value.weight
        if size == 0:
            apart = [self.split(d, weight, value.weight // weight) for d in digits[1:]]
            return [*self._parts(digits[0], weight), *chain.from_iterable(apart)]
        ends = range(len(digits), 0, -size)  # gathered from the low end
        return [join(digits[max(0, end - size) : end], value.weight) for end in ends][::-1]

    def cut(self, value: Value, weight: int) -> Sequence[Value]:
        *high, low = self.split(value, weight, 2)
        return join(tuple(high), weight), low

    # Operations

    def has(self, op: str) -> bool:
        return self.level == self.machine.word and self.machine.legal(op, self.level)

    def stays(self, op: str, width: int) -> bool:
        """Whether this pass keeps ``op``: narrow enough, and legal where it is the last, else none that goes first."""
        last = self.level == self.machine.word
        return width <= self.level and (self.machine.legal(op, width) if last else op not in REDUCED)

    def maker(self, value: Value) -> Instr | None:
        return self.builder.maker(value)

    def one(self, op: str, width: int, *args: Value, k: int = 0) -> Value:
        (result,) = self.emit(op, width, *args, k=k)
        return result

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> Results:
        """The results of ``op`` on values of this pass, rewritten as far as this pass goes."""
        if OPS[op].logic:
            width = self.machine.word  # flags have no width
        if self.stays(op, width):
            return self.builder.emit(op, width, *args, k=k)
        if (found := simpler(self, op, width, k, args)) is not None:
            return found
        bounds = OPS[op].bounds(width, k, *(a.interval for a in args))
        if all(lo == hi for lo, hi in bounds):
            return constants(op, [lo for lo, _ in bounds])
        return (self._keep if self.is_whole(op, width, args) else self._rewrite)(op, width, args, k)

    def _keep(self, op: str, width: int, args: Results, k: int) -> Results:
        """The results of an operation that stays as wide as it is: new values, of digits that this pass can bear."""
        bounds = OPS[op].bounds(width, k, *(a.interval for a in args))
        results = tuple(const(lo) if lo == hi else self._unknown(lo, hi) for lo, hi in bounds)
        self.builder.block.instrs.append(Instr(op, width, args, results, k))
        return results

    def _rewrite(self, op: str, width: int, args: Results, k: int) -> Results:
        for rule in self.table.of(op):
            if self._applies(rule, width, args, k):
                return self._apply(rule, width, args, k)
        by = next((r for r in self.table if r.choice and r.chosen(self.options) and f"{op}(" in r.right), None)
        if by:
            wanted = f"a target with “{OPS[op].notation}” on {width} bits"
            raise MomagenError(wanted, "one without", by.choice.replace(":", " "), f"which the rule {by.label} takes")
        raise MomagenError(f"a rule or a target row for “{op}” at {width} bits", "none", "rewriting")

    def _applies(self, rule: Rule, width: int, args: Sequence[Value], k: int) -> bool:
        unit, rest = divmod(width, rule.digits)
        if rest or (rule.digits > 1 and unit < self.level) or not rule.chosen(self.options):
            return False
        if not rule.guard.terms:
            return True
        tops = self._numbers(rule, unit, args, k)
        bottoms = {names[0]: a.lo for names, a in zip(rule.names, args, strict=True) if len(names) == 1}
        return rule.guard.holds(tops, {**tops, **bottoms})

    def _numbers(self, rule: Rule, unit: int, args: Sequence[Value], k: int) -> dict[str, int]:
        """What guards and distances may name: w, k, word, h (0 where a pass derives no constant), and an argument's
        name for the top of its interval."""
        tops = {names[0]: a.hi for names, a in zip(rule.names, args, strict=True) if len(names) == 1}
        return {**tops, "w": unit, "k": k, "word": self.machine.word, "h": 0}

    def _apply(self, rule: Rule, width: int, args: Sequence[Value], k: int) -> Results:
        unit = width // rule.digits
        numbers = self._numbers(rule, unit, args, k)
        results = evaluate(rule, self, unit, numbers, args)
        bounds = OPS[rule.op].bounds(width, k, *(a.interval for a in args))
        self.trace.note(rule)
        return tuple(self.bounded(rule, width, value, lo, hi) for value, (lo, hi) in zip(results, bounds, strict=True))

    def const(self, number: int) -> Value:
        return const(number)

    def assume(self, fact: Assume, value: Value, most: Value) -> Value:
        top = fact.factor * most.hi - fact.strict
        return self.refined(value, -top if fact.signed else 0, top)
