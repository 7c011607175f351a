"""A tape: the right-hand side of a rule as integer functions, recorded once and replayed on every input.

Each operation on the tape is watched: its arguments fit, and what it requires holds. Where an operation may answer
lazily, the tape answers with either extreme, so a rule that trusts more than is promised fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from momagen.ir import OPS, Op
from momagen.ir.ops import fits
from momagen.rewrite.notation.syntax import Assume
from momagen.rewrite.operations.composites import LAZY

Function = Callable[..., Sequence[int]]



class BrokenError(Exception):
    """A step of a tape went wrong on these inputs."""


class Tape:
    """An algebra whose values are slots: it records a right-hand side, and runs it on integers again and again."""

    def __init__(self, args: int) -> None:
        """``args`` arguments have the first slots."""
        self.slots, self.lazy, self.high = args, 0, 0
        self.steps: list[tuple[Function, tuple[int, ...]]] = []

    def run(self, args: Sequence[int], high: int) -> list[int]:
        """All slots for these arguments; bit i of ``high`` asks the i-th lazy operation for its greatest answer.

        Raises:
            BrokenError: an operation was asked for what it does not promise.
        """
        self.high = high
        known = list(args)
        for function, slots in self.steps:
            known.extend(function(*[known[slot] for slot in slots]))
        return known

    def _step(self, function: Function, args: Sequence[int], results: int) -> Sequence[int]:
        self.steps.append((function, tuple(args)))
        self.slots += results
        return range(self.slots - results, self.slots)

    def emit(self, op: str, width: int, *args: int, k: int) -> Sequence[int]:
        return self._step(_watched(op, width, k, self._answer(op, width, k)), args, len(OPS[op].results))

    def _answer(self, op: str, width: int, k: int) -> Function:
        meaning = OPS[op].meaning
        if op not in LAZY:
            return lambda *args: meaning(width, k, *args)
        options, at = LAZY[op], self.lazy
        self.lazy += 1

        def extreme(*args: int) -> tuple[int, ...]:
            found = options(width, k, *args)[-(self.high >> at & 1)]
            return found if isinstance(found, tuple) else (found,)

        return extreme

    def join(self, digits: Sequence[int], weight: int) -> int:
        return self._step(lambda *parts: (reduce(lambda t, part: (t << weight) + part, parts),), digits, 1)[0]

    def split(self, value: int, weight: int, count: int) -> Sequence[int]:
        mask, shifts = (1 << weight) - 1, range(weight * (count - 1), -1, -weight)

        def parts(number: int) -> list[int]:
            if number >> weight * count:
                raise BrokenError(f"{number:#x} does not fit {count} digits of {weight} bits")
            return [number >> shift & mask for shift in shifts]

        return self._step(parts, (value,), count)

    def cut(self, value: int, weight: int) -> Sequence[int]:
        return self._step(lambda number: (number >> weight, number & (1 << weight) - 1), (value,), 2)

    def const(self, number: int) -> int:
        return self._step(lambda: (number,), (), 1)[0]

    def assume(self, fact: Assume, value: int, most: int) -> int:
        bar, sign = "|" * fact.signed, "<" if fact.strict else "≤"

        def checked(number: int, bound: int) -> tuple[int]:
            if (abs(number) if fact.signed else number) > fact.factor * bound - fact.strict:
                raise BrokenError(f"the assumption {bar}{number:#x}{bar} {sign} {fact.factor}·{bound:#x} is wrong")
            return (number,)

        return self._step(checked, (value, most), 1)[0]


def _watched(op: str, width: int, k: int, answer: Function) -> Function:
    """``answer``, refusing arguments that do not fit or for which the operation promises nothing."""
    if k < 0:
        raise BrokenError(f"{op} by {k} bits")
    requires, kinds = OPS[op].requires, OPS[op].args

    def function(*args: int) -> Sequence[int]:
        if not all(fits(kind, width, arg) for kind, arg in zip(kinds, args, strict=True)):
            raise BrokenError(f"{op} at {width} bits of {hexes(args)}, which does not fit")
        if requires is not Op.requires and not requires(width, k, *args):
            raise BrokenError(f"{op} at {width} bits of {hexes(args)}, which it does not take")
        return answer(*args)

    return function


def hexes(numbers: Sequence[int]) -> str:
    """The numbers in hexadecimal, as the messages show them."""
    return "(" + ", ".join(map(hex, numbers)) + ")"
