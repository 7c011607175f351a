"""The rewriting engine, which replaces illegal instructions by rules until all instructions are legal.

The first rule that applies to an instruction replaces it. A constant that rules derive from values known
before the data becomes one new input of the block, which all its uses share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Builder, Instr, Value, const, dead_code, leaves
from momagen.ir.simplify import constants, simpler
from momagen.rewrite.digits.digits import normal_input
from momagen.rewrite.notation.syntax import Assume
from momagen.rewrite.rules.evaluate import evaluate
from momagen.rewrite.rules.operations import CONSTANTS, NAMES, REDUCED, constant
from momagen.rewrite.rules.rule import Rule
from momagen.rewrite.rules.table import RuleTable

from .machine import DEFAULTS, Machine, Trace
from .values import BlockPass, Results

Whole = Callable[[str, int, Sequence[Value]], bool]
"""A function ``whole(op, width, args)`` that returns whether an operation must not be rewritten."""


class RewritePass(BlockPass):
    """One pass down to operations of at most ``level`` bits, and an algebra over the values of a block.

    Attributes:
        table: The rules.
        machine: The machine whose operations are legal.
        trace: The record of the applied rules.
        whole: The function that selects the operations to keep as wide as they are, or None.
        choices: The alternatives of the rule table that apply.
        builder: The builder of the new block.
        given: The inputs of the old block.
        derived: The derived constants by operation, attribute and input.
        after: The derived constants of each input.
    """

    def __init__(
        self, table: RuleTable, machine: Machine, level: int, trace: Trace, whole: Whole | None = None
    ) -> None:
        super().__init__(level)
        self.table, self.machine, self.trace, self.whole = table, machine, trace, whole
        self.choices = {**DEFAULTS, **machine.choices}
        self.builder = Builder(self.has)
        self.given: Mapping[str, Value] = {}
        self.derived: dict[tuple[str, int, str], Value] = {}
        self.after: dict[str, dict[str, Value]] = defaultdict(dict)
        self._staying: dict[tuple[str, int], bool] = {}

    def run(self, block: Block) -> Block:
        """Return a block in which all operations are rewritten as far as this pass goes.

        Raises:
            MomagenError: There is no rule for an operation.
        """
        self.given = block.inputs
        for name, value in block.inputs.items():
            self.builder.block.inputs[name] = self._fresh(value, name)
        for instr in block.instrs:
            self._copy(instr)
        for name, value in block.outputs.items():
            self.builder.output(name, self.output(self.resolve(value)))
        done = self.finished(self.builder.block)
        done.inputs = self._ordered(done.inputs) if self.after else done.inputs
        return done

    def output(self, value: Value) -> Value:
        """Return a value in the form that an output must have."""
        return value

    def finished(self, block: Block) -> Block:
        """Return a block without dead code."""
        return dead_code(block, self.stays)

    def has(self, op: str) -> bool:
        """Return whether the machine has an operation on words and this pass is one of the last ones."""
        return self.level == self.machine.word and self.machine.legal(op, self.level)

    def stays(self, op: str, width: int) -> bool:
        """Return whether this pass keeps an operation.

        The operation must not be wider than the words of the pass. In passes that are not the last ones, it
        may be illegal, unless it must be rewritten before all others.
        """
        waits = self.level != self.machine.word and op not in REDUCED
        return width <= self.level and (waits or self.machine.legal(op, width))

    def maker(self, value: Value) -> Instr | None:
        """Return the instruction that defines a value, or None."""
        return self.builder.maker(value)

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> Results:
        """Return the results of an operation, rewritten as far as this pass goes.

        Raises:
            MomagenError: There is no rule for the operation.
        """
        if OPS[op].logic:
            width = self.machine.word  # flags have no width, so all operations on them get the same one
        if op in CONSTANTS and not all(a.is_const for a in args):
            return (self._derived(op, width, args, k),)
        if (stays := self._staying.get((op, width))) is None:
            self._staying[op, width] = stays = self.stays(op, width)
        if stays:
            return self.builder.emit(op, width, *args, k=k)
        if (found := simpler(self, op, width, k, args)) is not None:
            return found
        bounds = OPS[op].bounds(width, k, *[(a.lo, a.hi) for a in args])
        if all(lo == hi for lo, hi in bounds):
            return constants(op, [lo for lo, _ in bounds])
        return (self._keep if self.whole and self.whole(op, width, args) else self._rewrite)(op, width, args, k)

    def _keep(self, op: str, width: int, args: Results, k: int) -> Results:
        """Append an operation that stays as wide as it is, and return its results with words of this pass."""
        bounds = OPS[op].bounds(width, k, *(a.interval for a in args))
        results = tuple(const(lo) if lo == hi else normal_input(Value(lo, hi), "", self.level) for lo, hi in bounds)
        self.builder.block.instrs.append(Instr(op, width, args, results, k))
        return results

    def _rewrite(self, op: str, width: int, args: Results, k: int) -> Results:
        """Return the results of an operation by the first rule that applies.

        Raises:
            MomagenError: No rule applies.
        """
        for rule in self.table.of(op):
            if self._applies(rule, width, args, k):
                return self._apply(rule, width, args, k)
        by = next((r for r in self.table if r.choice and r.chosen(self.choices) and f"{op}(" in r.right), None)
        if by:
            wanted = f"a target with “{OPS[op].notation}” on {width} bits"
            raise MomagenError(wanted, "none", by.choice.replace(":", " "), f"the rule {by.label} uses this operation")
        raise MomagenError(f"a rule or a target instruction for “{op}” at {width} bits", "none", "rewriting")

    def _applies(self, rule: Rule, width: int, args: Sequence[Value], k: int) -> bool:
        """Return whether a rule applies to an operation."""
        unit, rest = divmod(width, rule.digits)
        if rest or (rule.digits > 1 and unit < self.level) or not rule.chosen(self.choices):
            return False
        if rule.shape and not self._shaped(rule, args):
            return False
        if not rule.guard.terms:
            return True
        tops = self._numbers(rule, unit, args, k)
        bottoms = {names[0]: a.lo for names, a in zip(rule.names, args, strict=True) if len(names) == 1}
        return rule.guard.holds(tops, {**tops, **bottoms})

    def _shaped(self, rule: Rule, args: Sequence[Value]) -> dict[str, int]:
        """Return the names that the form of a rule defines.

        If the argument is unknown or has another form, there are none.
        """
        value = args[rule.shaped]
        return (rule.shape.of(value.lo) if rule.shape and value.is_const else None) or {}

    def _numbers(self, rule: Rule, unit: int, args: Sequence[Value], k: int) -> dict[str, int]:
        """Return the values of the names that guards and distances may use.

        These are w, k, word, h (the bits of the words that hold the factors of a product, one of which is
        fixed), the names of arguments for the upper ends of their intervals, and the names that the form
        defines.
        """
        tops = {names[0]: a.hi for names, a in zip(rule.names, args, strict=True) if len(names) == 1}
        held = max((self._held(args[at]) for at in OPS[rule.op].fixed[:2]), default=0)
        return {**tops, "w": unit, "k": k, "word": self.machine.word, "h": held, **self._shaped(rule, args)}

    def bounded(self, rule: Rule, width: int, value: Value, lo: int, hi: int) -> Value:
        """Return a result of a rule in the range that its operation specifies."""
        return self.refined(value, lo, hi)

    def _apply(self, rule: Rule, width: int, args: Sequence[Value], k: int) -> Results:
        """Return the results of an operation by a rule."""
        unit = width // rule.digits
        numbers = self._numbers(rule, unit, args, k)
        results = evaluate(rule, self, unit, numbers, args)
        bounds = OPS[rule.op].bounds(width, k, *[(a.lo, a.hi) for a in args])
        self.trace.rules_applied[rule.label] += 1
        return tuple(self.bounded(rule, width, value, lo, hi) for value, (lo, hi) in zip(results, bounds, strict=True))

    def const(self, number: int) -> Value:
        """Return an integer as a value."""
        return const(number)

    def assume(self, fact: Assume, value: Value, most: Value) -> Value:
        """Return a value with the bound that a theorem proves."""
        top = fact.factor * most.hi - fact.strict
        return self.refined(value, -top if fact.signed else 0, top)

    # The constants that rules derive.

    def _derived(self, op: str, width: int, args: Sequence[Value], k: int) -> Value:
        """Return the input that contains a derived constant."""
        source = self._source(args[0])
        key = op, k, source
        if key not in self.derived:
            name = NAMES[op].format(source if NAMES[op].startswith("{}") else source[1:])
            self.derived[key] = made = constant(op, width, args, k, name)
            self.after[source][name] = self._fresh(made, name)
            self.trace.derived[name] = key
        return self.resolve(self.derived[key])

    def _held(self, value: Value) -> int:
        """Return the number of bits of the words or limbs that hold a value."""
        word, given = self.machine.word, self.given.get(self._source(value), value)
        return given.weight * len(given.digits) or -(-value.hi.bit_length() // word) * word

    def _source(self, value: Value) -> str:
        """Return the name of the input that a value is. A constant has the name of a factor, such as "v1"."""
        known = (name for name, given in self.given.items() if self.resolve(given) is value)
        return f"v{value.lo}" if value.is_const else next(known, "")

    def _ordered(self, inputs: Mapping[str, Value]) -> dict[str, Value]:
        """Return the inputs that are read, each followed by the constants that are derived from it."""
        read = {id(a) for instr in self.builder.block.instrs for a in instr.args}
        found = dict[str, Value]()
        for name, value in inputs.items():
            after = self.after.get(name, {})
            if not after or id(value) in read or any(id(leaf) in read for leaf in leaves(value)):
                found[name] = value
            found |= after
        for name in self.after.keys() - inputs.keys():  # constants derived from known numbers
            found |= self.after[name]
        return found
