"""Chooses how products modulo q are reduced: by the rules of modular operations, which derive constants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from momagen.ir import OPS, Block, Value, leaves
from momagen.rewrite.notation.syntax import Apply, Equation, Statement
from momagen.rewrite.rules.operations import CONSTANTS, NAMES, REDUCED, constant
from momagen.rewrite.rules.rule import Rule
from momagen.rewrite.rules.table import RuleTable, table

from .engine import RewritePass
from .machine import Machine, Trace

ANY = 1 << 20
"""A level above all widths: inputs stay whole."""


def reduce_products(block: Block, rules: RuleTable, machine: Machine, trace: Trace | None = None) -> Block:
    """``block`` without modular operations; constants that rules derive are new inputs, after what they come of."""
    if not any(instr.op in REDUCED or instr.op in CONSTANTS for instr in block.instrs):
        return block
    return Deriving(rules, machine, ANY, trace or Trace()).run(block)


@lru_cache(maxsize=16)
def table_columns(op: str) -> tuple[str, ...]:
    """What a table holds of a constant factor v so that the shipped rule reduces products ``op`` by it: the operations
    of ``CONSTANTS`` on v, and "" for v itself."""
    (rule, *_) = table().of(op)
    factor = rule.names[OPS[op].fixed[0]][0]
    asked = [each.value for each in rule.derived if isinstance(each, Equation) and isinstance(each.value, Apply)]
    columns = [each.head for each in asked if str(each.args[0]) == factor]
    return ("",) * (factor in _read(rule.body)) + tuple(columns)


def _read(body: Sequence[Statement]) -> set[str]:
    """The arguments of operations in a body."""
    values = [each.value for each in body if isinstance(each, Equation) and isinstance(each.value, Apply)]
    return {str(arg) for value in values for arg in value.args}


class Deriving(RewritePass):
    """A pass whose rules derive constants: each is one new input of the block, whatever asks for it."""

    def __init__(self, rules: RuleTable, machine: Machine, level: int, trace: Trace) -> None:
        super().__init__(rules, machine, level, trace)
        self.given: Mapping[str, Value] = {}
        self.derived: dict[tuple[str, int, str], Value] = {}
        self.after: dict[str, dict[str, Value]] = defaultdict(dict)

    def run(self, block: Block) -> Block:
        self.given = block.inputs
        done = super().run(block)
        done.inputs = self._ordered(done.inputs)
        return done

    def _numbers(self, rule: Rule, unit: int, args: Sequence[Value], k: int) -> dict[str, int]:
        numbers, fixed = super()._numbers(rule, unit, args, k), OPS[rule.op].fixed
        return {**numbers, "h": max(self._held(args[at]) for at in fixed[:2])} if fixed else numbers

    def _held(self, value: Value) -> int:
        """The bits of the words that hold ``value``, or of the digits that it is given by."""
        word, given = self.machine.word, self.given.get(self._source(value), value)
        return given.weight * len(given.digits) or -(-value.hi.bit_length() // word) * word

    def _source(self, value: Value) -> str:
        """The input that ``value`` is; a number is named as a factor."""
        known = (name for name, given in self.given.items() if self.resolve(given) is value)
        return f"v{value.lo}" if value.is_const else next(known, "")

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> tuple[Value, ...]:
        if op not in CONSTANTS or all(a.is_const for a in args):
            return super().emit(op, width, *args, k=k)
        source = self._source(args[0])
        key = op, k, source
        if key not in self.derived:
            name = NAMES[op].format(source if NAMES[op].startswith("{}") else source[1:])
            self.derived[key] = made = constant(op, width, args, k, name)
            self.after[source][name] = self._fresh(made, name)
            self.trace.derived[name] = key
        return (self.resolve(self.derived[key]),)

    def _ordered(self, inputs: Mapping[str, Value]) -> dict[str, Value]:
        """Each input, where something reads it, and what is derived of it."""
        read = {id(a) for instr in self.builder.block.instrs for a in instr.args}
        found = dict[str, Value]()
        for name, value in inputs.items():
            after = self.after.get(name, {})
            if not after or id(value) in read or any(id(leaf) in read for leaf in leaves(value)):
                found[name] = value
            found |= after
        for name in self.after.keys() - inputs.keys():  # of numbers
            found |= self.after[name]
        return found
