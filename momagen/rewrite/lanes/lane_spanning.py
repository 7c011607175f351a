"""The pass for numbers that stand across lanes: whole numbers stay, sums go word by word, carries by masks."""

from __future__ import annotations

from momagen.ir import OPS, Value
from momagen.rewrite.engine.engine import RewritePass
from momagen.rewrite.engine.machine import Machine, Trace
from momagen.rewrite.rules.table import RuleTable

WORDWISE = {
    "each_add": ("addlo", "ww"), "each_sub": ("sublo", "ww"), "each_addif": ("addif", "fww"),
    "each_subif": ("subif", "fww"), "each_inc": ("inc", "wm"), "each_dec": ("dec", "wm"),
    "each_lt": ("lt", "ww"), "each_eq": ("eq", "ww"),
}  # fmt: skip
"""What is done on each word, and its arguments."""

ACROSS = "words:across"
"""The choice of the rules for such numbers."""
KEPT = {*WORDWISE, "each_full", "each_if", "off", "carries", "carries_within", "mand", "mor", "mxor", "select"}
"""What registers and masks do for all numbers at once; so do they for flags."""


class AcrossPass(RewritePass):
    """The pass down to operations on words, each in a lane of its own, and on masks; all is modulo 2^level.

    Raises:
        MomagenError: an operation that is no sum, difference or comparison.
    """

    def __init__(self, table: RuleTable, word: int, words: int, trace: Trace | None = None) -> None:
        machine = Machine(word, lambda op, width: op in KEPT or OPS[op].logic, dict([ACROSS.split(":")]))
        super().__init__(table, machine, word * words, trace or Trace())

    def has(self, op: str) -> bool:
        return op in KEPT

    def stays(self, op: str, width: int) -> bool:
        return self.machine.legal(op, width)

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> tuple[Value, ...]:
        if op == "shl":
            return (self._doubled(args[0], k),)
        if op == "low" and k >= self.level:
            return args
        return super().emit(op, self.level, *args, k=k)

    def _doubled(self, value: Value, k: int) -> Value:
        """value·2^k, which fits."""
        for _ in range(k):
            value = self.one("addlo", self.level, value, value)
        return value
