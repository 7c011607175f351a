"""Proves a rule: its right-hand side, on Python integers, against the meaning of the operation on its left.

Where an operation may answer lazily, it answers with either extreme, so a rule that trusts more than is promised fails.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain

from momagen.ir import OPS
from momagen.ir.ops import fits
from momagen.rewrite.lanes.carry_lookahead import ACROSS
from momagen.rewrite.notation.syntax import Assume
from momagen.rewrite.operations.composites import LAZY
from momagen.rewrite.rules.evaluate import evaluate
from momagen.rewrite.rules.rule import Rule

from .cases import Case, edge_cases, every_case, random_cases
from .identity import check_identity

__all__ = ["RuleError", "check_identity", "check_rule"]


class RuleError(AssertionError):
    """A rule disproved: the rule, the inputs, what came and what was expected."""


class BrokenError(Exception):
    """A step went wrong on these inputs."""


class Integers:
    """An algebra of integers, each operation watched: its arguments fit, and what it requires holds.

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


def _lane(w: int) -> int:
    """Bits of a word such that a number of w bits has several, and no fewer words than a word has bits."""
    return max(d for d in range(1, w) if w % d == 0 and d * d <= w)


class Proof:
    """One rule at one digit width."""

    def __init__(self, rule: Rule, w: int) -> None:
        self.rule, self.w, self.width, self.row = rule, w, rule.digits * w, OPS[rule.op]
        words = rule.digits == 1 or "w = word" in rule.guard.text
        several = rule.choice == ACROSS or any(text in rule.guard.text for text in ("w / word", "2^h"))
        self.word = _lane(w) if several else w if words else 1
        self.held = w // self.word // 2 * self.word if several else w
        self.single = [(found[0], i) for i, found in enumerate(rule.names) if len(found) == 1]

    def numbers(self, k: int, args: Sequence[int]) -> dict[str, int]:
        """What distances may name."""
        given = {name: args[i] for name, i in self.single if self.row.args[i] == "n"}
        return {"w": self.w, "k": k, "word": self.word, "h": self.held, **given}

    def applies(self, k: int, args: Sequence[int]) -> bool:
        """Whether the guard holds, with intervals as tight as they can be, and the operation promises something."""
        tops = {name: args[i] for name, i in self.single}
        return self.rule.guard.holds({**tops, **self.numbers(k, args)}) and self.row.requires(self.width, k, *args)

    def algebra(self, high: int) -> Integers:
        return Integers(high)

    def tried(self, cases: Iterable[Case], times: int = 1) -> int:
        """How many of these inputs the rule was tried on; all were right.

        Raises:
            RuleError: it is wrong; the message names it and the inputs.
        """
        count = 0
        for k, args in cases:
            if self.applies(k, args):
                for _ in range(times):
                    self.run(k, args)
                count += 1
        return count

    def run(self, k: int, args: Sequence[int]) -> None:
        numbers, high, lazy = self.numbers(k, args), 0, 0
        try:
            while not high >> lazy:
                algebra = self.algebra(high)
                self.check(k, args, tuple(evaluate(self.rule.side(numbers), algebra, self.w, numbers, args)))
                high, lazy = high + 1, algebra.lazy
        except BrokenError as broken:
            named = [f"{pattern} = {arg:#x}" for pattern, arg in zip(self.rule.patterns, args, strict=True)]
            inputs = f"{self.rule.where}, at w = {self.w}, k = {k}, {', '.join(named)}"
            raise RuleError(f"{inputs}: {broken}") from None

    def check(self, k: int, args: Sequence[int], got: tuple[int, ...]) -> None:
        """Refuse results that are not what the operation means."""
        wanted = self.row.meaning(self.width, k, *args)
        if not (self.row.agrees(self.width, k, tuple(args), got) if self.row.agrees else got == wanted):
            raise BrokenError(f"expected {self.row.notation} = {hexes(wanted)}, got {hexes(got)}")


def check_rule(rule: Rule, w: int, *, exhaustive: bool, rng: random.Random, count: int) -> int:
    """How many inputs the rule was tried on, at digits of ``w`` bits; all were right.

    Args:
        exhaustive: every input that the operation takes and the guard lets through; otherwise every combination of
            edges and ``count`` random inputs.

    Raises:
        RuleError: the rule is wrong; the message names it and the inputs.
    """
    op, digits = rule.op, rule.digits
    drawn = chain(edge_cases(op, digits, w), random_cases(op, digits, w, rng, count))
    return Proof(rule, w).tried(every_case(op, digits, w) if exhaustive else drawn)
