"""Chooses how products modulo q are reduced: by the rules of modular operations, which derive constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from momagen.ir import OPS, Block, Value
from momagen.rewrite.notation.syntax import Apply, Equation, Statement
from momagen.rewrite.operations.modular import CONSTANTS, MODULAR
from momagen.rewrite.rules.rule import Rule
from momagen.rewrite.rules.table import RuleTable, table

from .engine import RewritePass
from .machine import Machine, Trace

NAMES = {"over": "u{}", "scaled": "v{}", "inverse": "{}i"}
"""What an input is called that holds a constant, by the operation that derives it and the name of what it derives it
of: v1 has ⌊v1·2^k/q⌋ at u1; v1·2^k mod q takes its place; q has 1/q at qi."""

ANY = 1 << 20
"""A level above all widths: inputs stay whole."""


def reduce_products(block: Block, rules: RuleTable, machine: Machine, trace: Trace | None = None) -> Block:
    """``block`` without modular operations; constants that rules derive are new inputs, after what they come of."""
    if not any(instr.op in MODULAR for instr in block.instrs):
        return block
    return _Reduction(rules, machine, trace or Trace()).run(block)


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


class _Reduction(RewritePass):
    """Rewrites modular operations alone. Inputs stay as wide as they are."""

    def __init__(self, rules: RuleTable, machine: Machine, trace: Trace) -> None:
        super().__init__(rules, replace(machine, legal=lambda op, width: True), ANY, trace)
        self.derived: dict[tuple[str, int, int], Value] = {}
        self.sources: dict[int, str] = {}

    def run(self, block: Block) -> Block:
        self.sources = {id(value): name for name, value in block.inputs.items()}
        done = super().run(block)
        done.inputs = dict(self._ordered(done.inputs))
        return done

    def stays(self, op: str, width: int) -> bool:
        return op not in MODULAR

    def _numbers(self, rule: Rule, unit: int, args: Sequence[Value], k: int) -> dict[str, int]:
        fixed = args[OPS[rule.op].fixed[0]].hi.bit_length()
        word = self.machine.word
        return {**super()._numbers(rule, unit, args, k), "h": -(-fixed // word) * word}

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> tuple[Value, ...]:
        if op not in CONSTANTS or all(a.is_const for a in args):
            return super().emit(op, width, *args, k=k)
        key = op, k, id(args[0])
        if key not in self.derived:
            ((lo, hi),) = OPS[op].bounds(width, k, *(a.interval for a in args))
            self.derived[key] = Value(lo, hi, "word", NAMES[op].format(self._suffix(op, args[0])))
        return (self.derived[key],)

    def _suffix(self, op: str, value: Value) -> str:
        name = self.sources[id(value)]
        return name if NAMES[op].startswith("{}") else name[1:]

    def _ordered(self, inputs: Mapping[str, Value]) -> list[tuple[str, Value]]:
        """Each input, where something reads it, and what is derived of it."""
        read = {id(a) for instr in self.builder.block.instrs for a in instr.args}
        after: dict[int, list[Value]] = {}
        for (_, _, source), value in self.derived.items():
            after.setdefault(source, []).append(value)
        rows = [(name, value) for name, value in inputs.items() if id(value) in read or id(value) not in after]
        found = list[tuple[str, Value]]()
        for name, value in inputs.items():
            found += [(name, value)] if (name, value) in rows else []
            found += [(each.name, each) for each in after.get(id(value), ())]
        return found
