"""The right-hand side of a rule on integers, each operation watched: its arguments fit, and what it requires holds.

Where an operation may answer lazily, it answers with either extreme, so a rule that trusts more than is promised fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from momagen.ir import OPS
from momagen.ir.ops import fits
from momagen.rewrite.notation.syntax import Assume
from momagen.rewrite.operations.composites import LAZY


class BrokenError(Exception):
    """A step went wrong on these inputs."""


class Integers:
    """An algebra of integers.

    Attributes:
        high: bit i of it asks the i-th lazy operation for its greatest answer, else for its least.
        lazy: how many lazy operations there were.
    """

    def __init__(self, high: int) -> None:
        self.high, self.lazy = high, 0

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        """The answers of ``op``.

        Raises:
            BrokenError: the arguments do not fit, or the operation promises nothing for them.
        """
        row = OPS[op]
        if k < 0:
            raise BrokenError(f"{op} by {k} bits")
        if not all(fits(kind, width, arg) for kind, arg in zip(row.args, args, strict=True)):
            raise BrokenError(f"{op} at {width} bits of {hexes(args)}, which does not fit")
        if not row.requires(width, k, *args):
            raise BrokenError(f"{op} at {width} bits of {hexes(args)}, which it does not take")
        return self._lazily(op, width, k, args) if op in LAZY else row.meaning(width, k, *args)

    def _lazily(self, op: str, width: int, k: int, args: Sequence[int]) -> Sequence[int]:
        found = LAZY[op](width, k, *args)[-(self.high >> self.lazy & 1)]
        self.lazy += 1
        return found if isinstance(found, tuple) else (found,)

    def join(self, digits: Sequence[int], weight: int) -> int:
        return reduce(lambda high, low: (high << weight) + low, digits)

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        if value >> weight * count:
            raise BrokenError(f"{value:#x} does not fit {count} digits of {weight} bits")
        return [value >> weight * at & (1 << weight) - 1 for at in reversed(range(count))]

    def cut(self, value: int, weight: int) -> Sequence[int]:
        return value >> weight, value & (1 << weight) - 1

    def const(self, number: int) -> int:
        return number

    def assume(self, fact: Assume, value: int, most: int) -> int:
        if (abs(value) if fact.signed else value) > fact.factor * most - fact.strict:
            bar, sign = "|" * fact.signed, "<" if fact.strict else "≤"
            raise BrokenError(f"the assumption {bar}{value:#x}{bar} {sign} {fact.factor}·{most:#x} is wrong")
        return int(value)


def hexes(numbers: Sequence[int]) -> str:
    """The numbers in hexadecimal, as the messages show them."""
    return "(" + ", ".join(map(hex, numbers)) + ")"
